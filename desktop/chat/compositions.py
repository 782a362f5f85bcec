"""Requests to make something of a file: "summarise contract.pdf and save it as short.txt".

What is read and what is written is taken from the request by its own words, before any model is asked: the
name behind "save it as" is where the text goes, the other names are what is read. So no model chooses a
target, and a source cannot become one. What can be worked out, such as a table in another order, the program
makes; the rest is written by the model from what was read, as the last step.

Pure functions over the words of a request; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from desktop.chat.intent_words import LANGUAGES, ending_of, expression, language_of, last_part, sentences
from desktop.chat.message_classes import without_courtesy
from desktop.chat.tool_choice import files_in
from desktop.tools import tables

_FLAGS = re.IGNORECASE
# Behind what is made of a file: nothing is done to the file anyway.
KEEPS_SOURCE = re.compile(
    r"[\s,.;(–—-]+(?:but |and |aber |und |mais |et |pero |y )?(?:please |bitte )?(?:"
    r"(?:keep|leave|don['’]t (?:touch|change|delete|overwrite)) (?:the )?(?:original|source|old one)"
    r"(?: file)?(?: (?:too|as (?:it )?is|alone|untouched|as well|there|where it is))?|"
    r"(?:behalt\w*|lass) (?:das |die )?original(?:datei)?(?: (?:so|auch|wie (?:es|sie) ist|stehen|in ruhe))?|"
    r"(?:das |die )?original(?:datei)? (?:bitte )?(?:behalten|so lassen|nicht (?:ändern|anfassen|löschen|"
    r"überschreiben)|bleibt(?: so| wie (?:es|sie) ist)?|soll bleiben)|"
    r"(?:garde\w*|laisse\w*) (?:bien )?l['’]original(?: (?:intact|tel quel|comme il est|aussi))?|"
    r"(?:ne )?touche pas (?:à )?l['’]original|sans toucher (?:à )?l['’]original|"
    r"(?:guarda|conserva|mantén|manten|deja) (?:también )?el original(?: (?:como está|intacto|igual))?|"
    r"(?:sin (?:tocar|cambiar)|no toques) el original)[\s.!)]*$",
    re.IGNORECASE,
)
_QUOTE = r"[\"“”„'‘’`«»]?"


@dataclass(frozen=True)
class Composition:
    """`making` is what is to be made, without where it goes; `target` is "" where it is only told. `names`
    are the files that are named beside the target, as they are written there."""

    making: str
    target: str
    names: tuple[str, ...]


def composition_in(clause: str, language: str) -> Composition | None:
    """What `clause` asks to be made; None where it says nothing of the kind, or has a program in mind."""
    if _words("code", language).search(clause):
        return None
    names = files_in(clause)
    target, head = target_in(clause, names, language)
    making = without_keeping(head, language) if target else clause.strip()
    begins = _words("makes", language).match(making) is not None
    # "Tell me what is in todo.txt" writes nothing: a question needs "and save it" before the name.
    may_ask = not target or making != head.strip(" ,;")
    asks = may_ask and (_words("asks", language).search(making) is not None or making.endswith("?"))
    if not (begins or asks) or re.search(expression("folder", language), making, _FLAGS):
        return None
    return Composition(making, target, tuple(each for each in names if each != target))


# What is said of the last answer before something is wanted: "That will do nicely.", "perfekt,".
_PRAISE = (
    r"(?:(?:that|this|it)(?:['’]s| is| will| looks| sounds| reads)\b[^.!?\n]{0,40}[.!](?=\s|$)\W*|"
    r"(?:das|so) (?:ist|passt|klingt|reicht|geht)\b[^.!?\n]{0,40}[.!](?=\s|$)\W*|"
    r"(?:c['’]est|ça) [^.!?\n]{0,40}[.!](?=\s|$)\W*|(?:eso|así|está) [^.!?\n]{0,40}[.!](?=\s|$)\W*|"
    r"(?:very |sehr |très |muy )?(?:good|great|nice|lovely|perfect|fine|ok(?:ay)?|thanks?(?: you)?|brilliant|"
    r"wonderful|gut|prima|super|perfekt|schön|danke|bien|parfait|merci|génial|perfecto|genial|vale|gracias)"
    r"(?: (?:very much|a lot|schön|beaucoup|bien))?[.,!;]\W*)"
)
_POLITE = (
    r"(?:(?:please|bitte|s['’]il (?:te|vous) pla[iî]t|por favor|can you|could you|would you|kannst du|"
    r"peux-tu|tu peux|puedes|and|now|then|und|jetzt|dann|et|maintenant|y|ahora)\b\W*)"
)
_NO_MAKING = re.compile(rf"^\W*(?:{_PRAISE}|{_POLITE})*$", re.IGNORECASE)
_BEGINS_WITH_PRAISE = re.compile(rf"^\W*{_PRAISE}+(?=\w)", re.IGNORECASE)


def behind_praise(request: str) -> str:
    """What is wanted behind words about the last answer: "That will do nicely. Please save it"."""
    return _BEGINS_WITH_PRAISE.sub("", request, count=1)


def kept_composition(request: str) -> Composition | None:
    """What a whole request, in any of the languages, wants made and kept in a file; None where nothing."""
    for language in LANGUAGES:
        names = files_in(request)
        target, head = target_in(request.strip(), names, language)
        making = without_keeping(head, language)
        if target and _NO_MAKING.match(f"{making}."):
            return None
        others = tuple(each for each in names if each != target)
        # "Summarise what is in big.pdf" keeps nothing: it takes "and save it", or another name before it.
        if target and (making != head.strip(" ,;") or others):
            return Composition(making, target, others)
    return None


def target_in(clause: str, names: Sequence[str], language: str) -> tuple[str, str]:
    """The name at the end of `clause` behind a word of place, and what stands before that word."""
    place, the, file = (expression(name, language) for name in ("place", "the", "file"))
    new, called, closes = (expression(name, language) for name in ("new", "called", "closes"))
    before = rf"{the}?(?:(?:{new})\s+)?(?:{file}\s+)?(?:(?:{called})\s+)?"
    for name in reversed(names):
        found = re.search(
            rf"[\s,]+(?:{place})\s+{before}{_QUOTE}{re.escape(name)}{_QUOTE}(?:\s+(?:{closes}))?[\s.!?]*$",
            clause,
            _FLAGS,
        )
        if found is not None:
            return name, clause[: found.start()]
    return "", clause


def without_keeping(head: str, language: str) -> str:
    """`head` without "and save it" at its end."""
    and_then = rf"(?:(?:{expression('and_then', language)})\s+)*"
    keeps = rf"(?:[,;.?]?\s+|[,;.?]\s*){and_then}(?:{expression('keeps', language)})"
    what = rf"(?:[\s-]+(?:{expression('kept', language)}))*"
    bare = re.sub(rf"{keeps}{what}\s*$", "", head, flags=_FLAGS)
    # "… und unter fazit.txt ablegen" has its verb behind the name.
    joins = rf"(?:[\s,;]+(?:{expression('and_then', language)}))+\s*$"
    return re.sub(joins, "", bare, flags=_FLAGS).strip(" ,;")


def told_making(made: Composition, language: str) -> str:
    """What the model is asked to make: of "the text" before it, and not of a file by its name."""
    making = made.making
    if len(made.names) == 1:
        the, file = expression("the", language), expression("file", language)
        name = rf"(?:{the})?(?:{file}\s+)?{_QUOTE}{re.escape(made.names[0])}{_QUOTE}"
        making = re.sub(name, expression("the_text", language), making, flags=_FLAGS)
    return making


def object_of(making: str, language: str) -> str:
    """What the verb of `making` is said of: "my notes" of "summarise my notes"."""
    return _words("makes", language).sub("", making, count=1).strip(" ?.!")


def is_other_length(making: str, language: str) -> bool:
    """Whether `making` asks for what was said in another length or tone: "make it shorter"."""
    return _words("other_length", language).search(making) is not None


def adds_to_text(request: str) -> bool:
    """Whether `request` says what a text is to say besides, "add that the hall is locked", and names no file
    or list for it."""
    request = without_courtesy(request)
    says = any(_words("adds_to_text", each).match(request) for each in LANGUAGES)
    return says and not (
        files_in(request) or any(_words("into_what_is_kept", each).search(request) for each in LANGUAGES)
    )


def only_the_text(request: str) -> str:
    """For the model: that the text is wanted, the whole of it where something is added, and no talk about
    it."""
    key = "the_whole_text" if adds_to_text(request) else "only_the_text"
    told: str = sentences()["told"][key][language_of(request)]
    return told


def is_about_last(making: str, language: str) -> bool:
    """Whether `making` speaks of what was named before: "summarise it"."""
    rest = object_of(making, language)
    it, after = expression("last_file", language), expression("after_it", language)
    # "Fass das zusammen" means the last file, "fass das Buch zusammen" a book.
    return re.match(rf"(?:{it})\s*(?:$|,|(?:{after})(?!\w))", rest, _FLAGS) is not None


def _words(name: str, language: str) -> re.Pattern[str]:
    # `re` keeps the compiled ones; there are a few for each language.
    return re.compile(expression(name, language), _FLAGS)


# -- tables -----------------------------------------------------------------------------------


SHORTEST_CELL = 4  # letters of one that is named without marks


@dataclass(frozen=True)
class TableWork:
    """A table in another order, or the sum of a column; `text` is what a file of it holds."""

    text: str
    column: str
    rows: int
    total: Decimal | None = None


def is_table(name: str) -> bool:
    return ending_of(last_part(name)) in tables.ENDINGS


def table_work(making: str, text: str, language: str) -> TableWork | None:
    """What `making` asks of the table in `text`; None where it is no sorting and no sum, or unclear."""
    sorts = _words("sorts", language).search(making)
    adds = _words("adds_up", language).search(making)
    if (sorts is None) == (adds is None):
        return None
    table = tables.table_in(text)
    at = _column(making, table, language, adds is not None) if table is not None else None
    if table is None or at is None:
        return None
    if adds is not None:
        if _names_rows(making, table):
            return None
        value = tables.total(table, at)
        return None if value is None else TableWork(f"{value}\n", table.header[at], len(table.rows), value)
    falls = _words("falling", language).search(making)
    rises = _words("rising", language).search(making)
    # "From the cheapest to the most expensive": what is said first is first.
    is_falling = falls is not None and (rises is None or falls.start() < rises.start())
    return TableWork(tables.sorted_text(table, at, is_falling), table.header[at], len(table.rows))


_QUOTED = re.compile(r"[\"“„«]\s*([^\"”“„«»]{1,60}?)\s*[\"”“»]")


def _names_rows(making: str, table: tables.Table) -> bool:
    """Whether some of the rows are meant, by what stands in them: "for those marked “no”"."""
    cells = {row[at].casefold() for at in table.worded for row in table.rows if row[at]}
    said = making.casefold()
    if cells & {each.casefold() for each in _QUOTED.findall(making)}:
        return True
    return any(
        len(each) >= SHORTEST_CELL and re.search(rf"(?<!\w){re.escape(each)}(?!\w)", said) for each in cells
    )


def _column(making: str, table: tables.Table, language: str, is_sum: bool) -> int | None:
    """The column that is named; the only one of numbers where none is, or where "amount" is said for it."""
    said = {word.casefold() for word in re.findall(r"[^\W_]+", making)}
    numeric = table.numeric
    fitting = numeric if is_sum else range(len(table.header))
    named = [at for at in fitting if table.header[at].casefold() in said]
    if len(named) == 1:
        return named[0]
    by = _words("by_column", language).search(making)
    # "By name" of a table without such a column is not its prices.
    is_amount = by is None or _words("amount", language).search(by["column"]) is not None
    return numeric[0] if not named and len(numeric) == 1 and is_amount else None


def free_name(source: str, word: str, taken: Sequence[str]) -> str:
    """`budget-sorted.csv` beside `budget.csv`, with a number where that is there already."""
    stem, _, ending = source.rpartition(".")
    candidate, number = f"{stem}-{word}.{ending}", 2
    while candidate in taken:
        candidate, number = f"{stem}-{word}-{number}.{ending}", number + 1
    return candidate


def is_only_work(clause: str, name: str, language: str) -> bool:
    """Whether every part of `clause` is of the table `name`: its order, its sum, or the file it goes into."""
    parts = [each for each in re.split(expression("joins", language), clause, flags=_FLAGS) if each.strip()]
    names = ("sorts", "adds_up", "new_file", "rising", "falling", "keeps")
    known = [_words(each, language) for each in names]
    return all(name in part or any(each.search(part) for each in known) for part in parts)


def sorted_word(language: str) -> str:
    word: str = sentences()["words"]["sorted_name"][language]
    return word
