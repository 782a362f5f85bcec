"""A letter made from a template of the user's: "do the collect-your-bike letter for Hannah".

What stands between the slots of a template is the user's and stays as it is; only the slots are filled, with
cells of the rows that the message speaks of, with its own words, or with what two amounts come to. The model
says what belongs where, under a grammar in which nothing can be made up, and a slot that nothing tells stays
and is named. Any thread; blocks while the model reads and writes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from typing import Any

import structlog

from desktop.chat.content_search import forms_of, shares
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import literal
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import language_of, last_part, plain_letters, say
from desktop.chat.prompts import behind_examples
from desktop.chat.request_commands import span_rules, spans
from desktop.chat.table_words import NUMBER, TableWords
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in
from desktop.engine.requests import FinishReason, Message
from desktop.paths import resources
from desktop.reasons import ENGLISH, GERMAN
from desktop.tools.amounts import NumberStyle, amount_in
from desktop.tools.dates import date_said
from desktop.tools.table_statements import editable_rows
from desktop.tools.tables import Table
from desktop.tools.times import full_date

log = structlog.get_logger(__name__)

CONVERSATION = "template-letters"  # of all chats: what stands before the template is always the same
MOST_TOKENS = 200
LONGEST = 240  # characters of a message
LONGEST_TEMPLATE = 2000  # characters
FEWEST_SLOTS, MOST_SLOTS = 2, 12
NAMED = 1  # words of its name that are said of a template that is filled without a row
MOST_ROWS = 3  # of as many tables
MOST_SPOKEN = 2  # rows of a table that may be meant
ENDINGS = (".txt", ".md")
UNKNOWN = "?"
_SLOT = re.compile(
    r"\[(?![ xX]\])(?P<a>[^\]\[\n]{2,40})\](?!\()|\{\{?(?P<b>[^}{\n]{2,40})\}\}?|<<?(?P<c>\w[^<>\n]{1,38})>>?"
)
_TEMPLATE = re.compile(
    r"\b(?:template|form letter|vorlage|muster|vordruck|modèle|modele|gabarit|plantilla|modelo)\w*",
    re.IGNORECASE,
)
# What a letter is to be called and where it goes is nothing of what is in it.
_KEPT_AS = re.compile(
    r"[,;.]?\s*(?:\b(?:and|und|et|y)\s+)?\b(?:save|store|speicher\w*|leg\w* .* ab|enregistre\w*|range\w*|"
    r"guárda\w*|guarda\w*|call it|nenn\w*)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_CALLED = re.compile(
    r"(?:.*\b)?(?:as|als|comme|como|called|named|namens|call it|nenn(?:e|s)? (?:sie|es|ihn))\s+"
    r"(?P<name>[\w'’ /-]{1,60}\.\w{2,4})\s*$",
    re.IGNORECASE,
)
_WORD = r"[^\W\d_]{3,}"
_TITLES = frozenset(("frau", "herr", "herrn", "mrs", "miss", "mme", "madame", "monsieur", "senora", "senor"))
_SYSTEM = """Somebody has a template with slots, and tables. Which words belong into each slot? Take them \
from the rows and from what is said; two amounts may be added, subtracted or multiplied. What nothing tells \
is ?"""


@dataclass(frozen=True)
class _Row:
    """A row that the message speaks of, and the file that has it."""

    name: str
    table: Table
    at: int

    @property
    def cells(self) -> tuple[str, ...]:
        return tuple(each for each in self.table.rows[self.at] if each)

    def shown(self) -> str:
        pairs = zip(self.table.header, self.table.rows[self.at], strict=True)
        return f"{last_part(self.name)}: " + ", ".join(f"{name} = {cell}" for name, cell in pairs if cell)


@dataclass(frozen=True)
class TemplateLetters:
    """Of one turn. `around` is the workspace, `submit` the engine's, `today` the user's."""

    around: Surroundings
    submit: Submit
    today: date

    def plan(self, asked: str) -> IntentPlan | None:
        """The file that `asked` wants made from a template; None where it wants none, or speaks of no row."""
        if len(asked) > LONGEST:
            return None
        name = self._template(asked)
        text = self.around.whole(name) if name else ""
        rows = tuple(self._rows(asked, name)) if text else ()
        # Who is new stands in no table: all that is filled in was said.
        is_dictated = "," in asked and NUMBER.search(asked) is not None
        if not text or not (rows or (is_dictated and self._said_of_name(name, asked) >= NAMED)):
            return None
        filled = self._filled(asked, text, rows)
        known = {slot: value for slot, value in filled.items() if value != UNKNOWN}
        log.info("template filled", slots=len(filled), known=len(known))
        if not known:
            return None
        known = {slot: _in_a_letter(value, language_of(text)) for slot, value in known.items()}
        letter = _SLOT.sub(lambda found: known.get(_name(found), found[0]), text)
        target = self._target(asked, name, rows)
        steps = [Step(ParsedCall("write_file", {"path": target, "content": letter}))]
        if len(known) < len(filled):
            left = ", ".join(f"[{slot}]" for slot in filled if slot not in known)
            steps.append(Step(text=say("slots_left", language_of(asked), a=left), if_done=True))
        return IntentPlan(language_of(asked), tuple(steps))

    # -- which template, which rows -----------------------------------------------------------

    def _template(self, asked: str) -> str:
        """The file with slots that the message speaks of; "" for none."""
        found = [each for each in self.around.files() if each.casefold().endswith(ENDINGS)]
        found = [each for each in found if is_template(self.around.whole(each))]
        if not found:
            return ""
        named = {each: self._said_of_name(each, asked) for each in found}
        best = max(found, key=lambda each: named[each])
        return best if named[best] or (_TEMPLATE.search(asked) and len(found) == 1) else ""

    def _said_of_name(self, name: str, asked: str) -> int:
        """How many words of the file's name are said, or of its first line."""
        first = next((each for each in self.around.whole(name).splitlines() if each.strip()), "")
        words = _TEMPLATE.sub(" ", last_part(name).rpartition(".")[0].replace("_", " "))
        title = first if not _SLOT.search(first) else ""
        said = plain_letters(asked.casefold())
        return sum(form.search(said) is not None for form in forms_of(f"{words} {title}").values())

    def _rows(self, asked: str, template: str) -> Iterator[_Row]:
        """The rows that the message speaks of, of the tables that share most words with it first."""
        # "Collect your bike" is the letter, and no state of a row.
        stem = plain_letters(last_part(template).rpartition(".")[0].casefold())
        words = [each for each in asked.split() if plain_letters(each.casefold()) not in stem.split()]
        asked = " ".join(words)
        shared = shares(asked, self.around)
        found = 0
        for name in sorted(self.around.files(), key=lambda each: -shared.get(each, 0.0)):
            table = editable_rows(self.around.whole(name)) if name != template else None
            if table is None or not table.head_line or name not in shared or found >= MOST_ROWS:
                continue
            rows = TableWords(asked, asked, "", table, self.today).rows_spoken_of_most()
            if 0 < len(rows) <= MOST_SPOKEN:
                found += 1
                yield _Row(name, table, rows[0])

    def _target(self, asked: str, template: str, rows: Sequence[_Row]) -> str:
        """The new file: as it is named, else the template's name with whom it is for, in its folder."""
        folder = template.rpartition("/")[0]
        prefix = f"{folder}/" if folder else ""
        called = _CALLED.search(asked)
        named = [called["name"]] if called else []
        named += [each for each in files_in(asked) if each not in self.around.files()]
        if named:
            return named[0] if "/" in named[0] else f"{prefix}{named[0]}"
        stem, _, ending = last_part(template).rpartition(".")
        bare = " ".join(_TEMPLATE.sub(" ", stem.replace("_", " ")).split()).strip(" -") or stem
        said = {plain_letters(each) for each in re.findall(_WORD, asked.casefold())}
        words = (word for row in rows for cell in row.cells for word in re.findall(_WORD, cell))
        said -= _TITLES
        names = (each for each in words if each[0].isupper() and plain_letters(each.casefold()) in said)
        path = f"{prefix}{bare} {next(names, self.today.isoformat())}"
        taken = {each.casefold() for each in self.around.files()}
        numbered = (path, *(f"{path} {number}" for number in range(2, 100)))
        return next(f"{each}.{ending}" for each in numbered if f"{each}.{ending}".casefold() not in taken)

    # -- what belongs into the slots ----------------------------------------------------------

    def _filled(self, asked: str, text: str, rows: Sequence[_Row]) -> dict[str, str]:
        slots = tuple(dict.fromkeys(_name(each) for each in _SLOT.finditer(text)))
        said = _KEPT_AS.sub("", asked)
        shown = [each.shown() for each in rows]
        lines = ("Template:", text.strip(), "Rows:", *shown, f"Said: {' '.join(said.split())}")
        request = behind_examples(CONVERSATION, _told_first(), "\n".join(lines), MOST_TOKENS)
        stream = self.submit(replace(request, grammar=_grammar(slots, said, text, rows)))
        written = stream.text()
        if stream.finish is not FinishReason.STOP:
            return {}
        found = (line.partition(" = ") for line in written.strip().splitlines())
        return {slot: _worked_out(value.strip()) for slot, _, value in found if slot in slots}


def is_template(text: str) -> bool:
    """Whether `text` has slots to be filled in, and is no longer than a letter."""
    slots = {_name(each) for each in _SLOT.finditer(text)}
    return len(text) <= LONGEST_TEMPLATE and FEWEST_SLOTS <= len(slots) <= MOST_SLOTS


def _name(slot: re.Match[str]) -> str:
    return (slot["a"] or slot["b"] or slot["c"]).strip()


def _grammar(slots: Sequence[str], asked: str, text: str, rows: Sequence[_Row]) -> str:
    """A line for each slot: a cell or a word of one, words of the message, a sum of amounts, or unknown."""
    cells = [cell for row in rows for cell in row.cells]
    words = [word for cell in cells for word in re.findall(r"[^\W\d_][\w'’-]+", cell)]
    numbers = [each for each in (*cells, *NUMBER.findall(text)) if amount_in(each) is not None]
    options = ["text", literal(UNKNOWN), *(literal(each) for each in dict.fromkeys((*cells, *words)))]
    if numbers:
        options.append('number ( " + " | " - " | " * " ) number')
    rules = {
        "root": ' "\\n" '.join(f"{literal(f'{slot} = ')} value" for slot in slots),
        "value": " | ".join(options),
        "text": spans("t", asked),
        **span_rules("t", asked),
        "number": " | ".join(literal(each) for each in dict.fromkeys(numbers)) or '"0"',
    }
    return "\n".join(f"{name} ::= {body}" for name, body in rules.items())


def _in_a_letter(value: str, language: str) -> str:
    """A day as letters have it, and not tables; any other value as it is."""
    day = date_said(value, 0) if re.fullmatch(r"\d{4}-\d\d-\d\d", value) else None
    if day is None:
        return value
    if language == ENGLISH:
        return full_date(day).partition(" ")[2]
    return f"{day.day:02d}.{day.month:02d}.{day.year}" if language == GERMAN else f"{day:%d/%m/%Y}"


def _worked_out(value: str) -> str:
    """What two amounts come to, with their sign and as many decimals; any other value as it is."""
    found = re.fullmatch(r"(?P<one>\S+) (?P<sign>[-+*]) (?P<other>\S+)", value)
    one, other = (amount_in(found["one"]), amount_in(found["other"])) if found else (None, None)
    if found is None or one is None or other is None:
        return value
    by = {"+": one.value + other.value, "-": one.value - other.value, "*": one.value * other.value}
    total = by[found["sign"]]
    decimals = re.findall(r"[.,]\d{1,2}\b", f"{found['one']} {found['other']}")
    sign = decimals[0][0] if decimals else "."
    return NumberStyle(sign).written(total, max((len(each) - 1 for each in decimals), default=0))


@cache
def _told_first() -> tuple[Message, ...]:
    text = (resources() / "template_letters.toml").read_text(encoding="utf-8")
    read: Mapping[str, Any] = tomllib.loads(text)
    messages = [Message("system", _SYSTEM)]
    for each in read["examples"]:
        messages += [Message("user", each["shown"].strip()), Message("assistant", each["slots"].strip())]
    return tuple(messages)
