"""Which files of the workspace speak of what a request says: by their names and by what is in them.

"Was muss Jonas zum Wandertag mitnehmen" names no file, and "Wandertag" stands in one. A word that few files
have says more than one that many have, and a name more than a line; words that say nothing of what is meant
(`Vocabulary.small`) count nothing. So many bytes are looked into at most that a question does not wait for
it; documents that have to be taken apart (PDF) only where a word stands in no text, or no text tells. Any
thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from desktop.chat.intent_plan import IntentPlan, Surroundings
from desktop.chat.intent_words import last_part, plain_letters, quotation, say
from desktop.chat.quantities import QuantityKind, quantities
from desktop.memory.text import Vocabulary, read_vocabulary
from desktop.paths import resources
from desktop.tools.table_queries import rows_in
from desktop.tools.tables import Table

MOST_FILES = 200  # looked into; of more than that only the names count
MOST_BYTES = 400_000  # of all together: 4 ms
DOCUMENTS = (".pdf",)
MOST_DOCUMENTS = 8  # taken apart for one question; a third of a second each, once
MOST_WORDS = 24  # of a request
SHORTEST_WORD = 3  # letters
LEFT_OF_A_WORD = 5  # letters by which a longer one is known in another form
LONGEST_ENDING = 3
LONG_WORD = 6  # letters of a word that may be the beginning of a longer one
FILES_OF_A_WORD = 3  # a word that more files have tells none of them
LINES_OF_A_WORD = 3  # as well
NAME_WEIGHT = 2.0  # of a word in a file's name, over one in its text
ENOUGH = 1.0  # a word that only this file has, or two that one other has as well
TOGETHER = 2  # words of a request in one line
SHARE_TOGETHER = 0.5  # of all words of it that may tell a file
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"(?<![\w.,])\d{2,}(?![\w]|[.,]\d)")
# What may stand in any sentence, beside the words that memory leaves out.
_COMMON = """
    actually already almost always anyway away back before below clear done else enough euro euros
    ever finally first got hand instead just later less let little looks made maybe minutes never
    next nothing now off ones only place put quite rather really right same second short soon take
    taken together told too took two used well went whole yet yes alle alles anstatt außerdem beide
    bei bekommt besser dazu doch eigentlich eine endlich erst etwas fertig geht gehört gemacht genau
    gerade gleich halt heut jetzt jeder kommt lieber macht man mehr mir nein nichts nie nochmal raus
    rein schon seit statt weg weiter wenig wieder ziemlich zuletzt aussi autre avant bien chez déjà
    dernier doit donc encore enfin entre fait finalement fois jamais lieu mettez moins même mieux
    parce plutôt presque puis quelque rien seul sous surtout toujours tout très trop vient vraiment
    además algo antes aquí así aún bastante casi después donde entonces esta hace hacia hasta luego
    mejor menos mismo mucho nada nunca otra pero poco porque pues siempre sino sobre solo también
    tampoco todo todavía bis sagen sage komme kommen tag tage tagen ohne without woche wochen
    personen stunde stunden jahr jahre
"""


@dataclass(frozen=True)
class Mention:
    """A file that speaks of it. `weight`: how much of the request's words it alone has; `words`: those, as
    the request has them; `named`: how many of them are in its name; `lines`: the lines of its text that have
    most of them, in their order; `together`: which share of the request's words one line has, its name
    included, where these are several."""

    name: str
    weight: float
    words: frozenset[str]
    named: int = 0
    lines: tuple[str, ...] = ()
    together: float = 0.0

    @property
    def is_plain(self) -> bool:
        """Whether it says so much of the request in one line that no other reading is likely."""
        return self.together >= SHARE_TOGETHER


def mentions(request: str, around: Surroundings, documents: bool = False) -> tuple[Mention, ...]:
    """The files that speak of what `request` says, the one that does most first; () where none does.
    `documents`: those that have to be taken apart are looked into as well, where a word stands in no text or
    no text tells."""
    sought = forms_of(request)
    files = tuple(around.files()) if sought else ()
    texts = {name: _plain(text) for name, text in _texts(files, around.text).items()} if files else {}
    names = [_plain(_in_words(each)) for each in files]
    is_there = [any(form.search(each) for each in (*texts.values(), *names)) for form in sought.values()]
    found = _ranked(sought, files, texts, around) if files else ()
    if documents and files and not (found and all(is_there)):
        apart = [each for each in files if each.casefold().endswith(DOCUMENTS)][:MOST_DOCUMENTS]
        texts |= {name: _plain(text) for name, text in _texts(apart, around.document).items()}
        found = _ranked(sought, files, texts, around)
    return found


# "Have I got anything written down about …", "hab ich irgendwo was zu …": asked of what there is.
_WHETHER_NOTED = re.compile(
    r"(?:\b(?:have|has|did|do|is|are)\b.{0,20}\b(?:i|we|there)\b.{0,20}\b(?:any(?:thing|where)?|something|notes?)\b"
    r"|\b(?:hab\w*|gibt|steht|stand|hatten?)\b.{0,30}\b(?:was|etwas|irgend\w*|notizen?|notiert)\b"
    r"|\b(?:j['’]ai|on a|y a|as-tu|avons-nous)\b.{0,30}\b(?:quelque|qqch|qqpart|notes?|noté\w*)\b"
    r"|\b(?:tengo|hay|tenemos|he|hemos)\b.{0,30}\b(?:algo|notas?|apuntad\w*|anotad\w*)\b)"
    r".*?\b(?:about|on|over|über|zu[mr]?|wegen|sur|pour|sobre|del?)\s+(?P<about>[^?.,;]+)",
    re.IGNORECASE,
)


_WHAT_BEFORE = re.compile(
    r"\b(?:what|which|where|when|how|who|was|wo|wann|wie|wer|que|quoi|quel\w*|où|quand|qué|cuál|dónde)\b",
    re.IGNORECASE,
)


def asked_whether_noted(question: str) -> str:
    """What somebody asks whether anything is noted about; "" for any other question."""
    found = _WHETHER_NOTED.search(question)
    if found is None or _WHAT_BEFORE.search(question[: found.start()]):
        return ""
    return found["about"].strip()


def shares(request: str, around: Surroundings) -> Mapping[str, float]:
    """How much each file has of the words of `request`: of each word one over the number of files that say
    it. Files without any are left out."""
    sought = forms_of(request)
    files = tuple(around.files()) if sought else ()
    texts = {name: _plain(text) for name, text in _texts(files, around.text).items()} if files else {}
    found: dict[str, float] = {}
    for form in sought.values():
        having = [each for each in files if form.search(f"{texts.get(each, '')} {_plain(_in_words(each))}")]
        for each in having:
            found[each] = found.get(each, 0.0) + 1 / len(having)
    return found


def _ranked(
    sought: Mapping[str, re.Pattern[str]],
    files: Sequence[str],
    plain: Mapping[str, str],
    around: Surroundings,
) -> tuple[Mention, ...]:
    by_word: dict[str, dict[str, float]] = {}
    for word, form in sought.items():
        found = {name: 1.0 for name, text in plain.items() if form.search(text)}
        found |= {name: NAME_WEIGHT for name in files if form.search(_plain(_in_words(name)))}
        if 0 < len(found) <= FILES_OF_A_WORD:
            by_word[word] = {name: weight / len(found) for name, weight in found.items()}
    weights = {name: sum(of.get(name, 0.0) for of in by_word.values()) for name in files}
    together = {name: _together(sought, name, plain.get(name, "")) for name in files}
    telling = [name for name in files if weights[name] >= ENOUGH or together[name] >= SHARE_TOGETHER]
    # Words that many files have tell by standing together, and then all of them count.
    rare = {name: {word: sought[word] for word, of in by_word.items() if name in of} for name in telling}
    speaking = (_mention(name, rare[name] or sought, weights[name], around) for name in telling)
    ranked = sorted(speaking, key=lambda each: (-each.weight, files.index(each.name)))
    return tuple(replace(each, together=together[each.name]) for each in ranked)


def _mention(name: str, forms: Mapping[str, re.Pattern[str]], weight: float, around: Surroundings) -> Mention:
    in_name = _plain(_in_words(name))
    named = sum(form.search(in_name) is not None for form in forms.values())
    text = around.document(name) if name.casefold().endswith(DOCUMENTS) else around.text(name)
    return Mention(name, weight, frozenset(forms), named, _lines(tuple(forms.values()), text))


def _together(sought: Mapping[str, re.Pattern[str]], name: str, text: str) -> float:
    """Which share of the words a line of `text`, in plain letters, has together with the file's name."""
    in_name = _plain(_in_words(name))
    there = [form for form in sought.values() if form.search(in_name) or form.search(text)]
    if len(there) < TOGETHER:
        return 0.0
    named = sum(form.search(in_name) is not None for form in there)
    others = [form for form in there if not form.search(in_name)]
    most = max(
        (sum(form.search(line) is not None for form in others) for line in text.splitlines()), default=0
    )
    return (named + most) / len(sought) if named + most >= TOGETHER and most else 0.0


def forms_of(request: str, with_common: bool = False) -> Mapping[str, re.Pattern[str]]:
    """The words that may tell a file or a row, without case, and what finds their forms in plain letters.
    `with_common`: those too that may stand in any sentence."""
    words = _WORD.findall(request.casefold())[:MOST_WORDS]
    vocabulary = _vocabulary()
    left_out = frozenset() if with_common else vocabulary.small | vocabulary.requests | _common()
    return {word: _form(word) for word in words if len(word) >= SHORTEST_WORD and word not in left_out}


def _form(word: str) -> re.Pattern[str]:
    """Finds what begins with `word`, and its other forms: "errores" is in ERROR. A short one stands alone."""
    plain = _plain(word)
    if len(plain) <= SHORTEST_WORD:
        return re.compile(rf"(?<!\w){plain}(?!\w)")
    known_by = plain[: max(LEFT_OF_A_WORD, len(plain) - 2)]
    # "Neurobio" is short for one word, and "netto" no part of "nettoyer".
    behind = r"\w*" if len(plain) >= LONG_WORD else r"\w{0,2}(?!\w)"
    return re.compile(rf"(?<!\w)(?:{plain}{behind}|{known_by}\w{{0,{LONGEST_ENDING}}}(?!\w))")


def _texts(files: Sequence[str], read: Callable[[str], str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    left = MOST_BYTES
    for name in files[:MOST_FILES]:
        text = read(name)[:left] if left > 0 else ""
        left -= len(text)
        if text:
            texts[name] = text
    return texts


def _lines(forms: Sequence[re.Pattern[str]], text: str) -> tuple[str, ...]:
    counted = [
        (sum(form.search(_plain(line)) is not None for form in forms), line.strip())
        for line in text.splitlines()
        if line.strip()
    ]
    most = max((count for count, _ in counted), default=0)
    return tuple(line for count, line in counted if most and count == most)


def names_of_both(request: str, text: str) -> tuple[str, ...]:
    """The words of `request` that stand in `text` with a capital letter: names, in most languages."""
    forms = forms_of(request)
    capital = [_plain(each) for each in _WORD.findall(text) if each[0].isupper()]
    return tuple(word for word, form in forms.items() if any(form.fullmatch(each) for each in capital))


def _in_words(name: str) -> str:
    return re.sub(r"[_\-./]", " ", f"{name.rpartition('/')[0]} {last_part(name).rpartition('.')[0] or name}")


def lines_of_words(request: str, name: str, text: str, most: int) -> tuple[str, ...]:
    """The lines of the file `name`, `text`, that have the words of `request` between them, the rarest words
    first, `most` at the most, in their order; () where none has one. A word that more than `LINES_OF_A_WORD`
    lines have tells none of them, and one that the file's name has only where no other does."""
    lines = [each.strip() for each in text.splitlines() if each.strip()]
    plain = [_plain(each) for each in lines]
    # "Do we get the 75 back": 75.00, and no part of another number.
    numbers = {each: re.compile(rf"(?<![\d.,]){each}(?:[.,]0+)?(?!\d)") for each in _NUMBER.findall(request)}
    sought = {**forms_of(request), **numbers}
    having = {
        word: {at for at, line in enumerate(plain) if form.search(line)} for word, form in sought.items()
    }
    telling = {word: of for word, of in having.items() if 0 < len(of) <= LINES_OF_A_WORD}
    in_name = _plain(_in_words(name))
    left = {word: of for word, of in telling.items() if not sought[word].search(in_name)} or telling
    chosen: set[int] = set()
    while left and len(chosen) < most:
        worth = {
            at: sum(1 / len(of) for of in left.values() if at in of) for of in left.values() for at in of
        }
        best = [at for at in sorted(worth) if worth[at] == max(worth.values())][: most - len(chosen)]
        chosen.update(best)
        left = {word: of for word, of in left.items() if not of & chosen}
    return tuple(lines[at] for at in sorted(chosen))


def _plain(text: str) -> str:
    return plain_letters(text.casefold())


@cache
def _vocabulary() -> Vocabulary:
    return read_vocabulary(resources() / "memory" / "words.toml")


@cache
def _common() -> frozenset[str]:
    return frozenset(_COMMON.split())


# -- yes or no over a text ---------------------------------------------------------------------

# Yes or no over a text: its own lines are the answer.
#
# "Are we still insured on the 23rd" is a comparison of two days, and a small model says yes to nearly all
# of it. So where a question wants a yes or a no and a text was read for it, the lines that speak of what
# is asked are shown as they stand, and with a day in the question those that name days. What shares no
# word with the text is answered as before. `table_questions.py` does the same for rows. Pure functions;
# any thread.

MOST_LINES = 3
MOST_DATED = 2
_DAYS = frozenset((QuantityKind.DATE, QuantityKind.WEEKDAY))
# What asks for more than a yes: in English "was" is a verb, in German it asks.
_ASKS_WHAT = {
    "en": r"what\w*|who\w*|which|when|where|why|how|name|list|tell|show|or",
    "de": r"was|wer|wen|wem|wessen|wann|wo\w*|warum|wieso|weshalb|wie\w*|welche\w*|nenn\w*|zeig\w*|oder",
    "fr": r"que|quoi|qui|quel\w*|quand|où|pourquoi|comment|combien|montre\w*|ou",
    "es": r"qué|que|quién\w*|cuál\w*|cuándo|cuando|dónde|donde|por qué|cómo|como|cuánt\w*|dime|o",
}
# What only begins where a yes or a no is wanted.
_BEGINS = {
    "en": r"is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may",
    "de": r"ist|sind|bin|war|waren|hat|haben|habe|hatte\w*|kann|können|darf|dürfen|muss|müssen|soll\w*|gilt|"
    r"gelten|gibt|steht|stehen|wird|werden|geht|kommt|kommen|zahlt|brauch\w*",
    "fr": r"est-ce|es-tu|est-il|est-elle|a-t-\w+|as-tu|y a-t-il|peut-on|faut-il|dois-je|doit-on|il y a|"
    r"il faut",
    "es": r"(?:no )?(?:está\w*|hay|tengo que|tenemos que|puedo|podemos|entra|cubre|sigue|vale)",
}
_CLAUSE = re.compile(r"[,;.:?!]+\s*|\s+(?:and|und|et|y)\s+", re.IGNORECASE)
_IS_QUESTION = re.compile(r"\?\W*$")
# In which one of the words that ask for more stands.
_IS_IT = re.compile(r"\best-ce qu(?:e\b|['’])", re.IGNORECASE)


def asks_yes_or_no(asked: str, language: str) -> bool:
    """Whether a clause of the question `asked` wants a yes or a no."""
    if language not in _BEGINS:
        return False
    clauses = _clauses(asked)
    begins = re.compile(rf"\W*(?:{_BEGINS[language]})(?!\w)", re.IGNORECASE)
    bare = [each for each in clauses if not _asks_more(each, language)]
    if any(begins.match(each) for each in bare):
        return True
    return _IS_QUESTION.search(asked) is not None and bool(clauses) and bare == clauses


def _clauses(asked: str) -> list[str]:
    return [each for each in _CLAUSE.split(_IS_IT.sub("est-ce", asked)) if len(each.split()) > 1]


def _asks_more(clause: str, language: str) -> bool:
    return re.search(rf"(?<!\w)(?:{_ASKS_WHAT[language]})(?!\w)", clause, re.IGNORECASE) is not None


def answered_by_lines(asked: str, read: IntentPlan, around: Surroundings) -> IntentPlan:
    """`read`, which looks into one text for the question `asked`, with its lines as the answer; as it is
    where they are none."""
    name = _text_read(read)
    if not name or not asks_yes_or_no(asked, read.language):
        return read
    text = around.text(name) or around.document(name)
    table = rows_in(text)
    lines = _telling(asked, name, text) if not _has_heading(table) else ()
    # "When do we have to be out, and do we get the 75 back": lines that tell only the second answer nothing.
    others = [each for each in _clauses(asked) if _asks_more(each, read.language)]
    if not lines or not all(lines_of_words(each, name, "\n".join(lines), 1) for each in others):
        return read
    told = f"{say('in_the_text', read.language, a=name)}\n\n{quotation(lines)}"
    return replace(read, steps=(replace(read.steps[0], quoted=told),), is_asked=False)


def _has_heading(table: Table | None) -> bool:
    """Whether its rows are told by the names of columns, and no line by itself."""
    return table is not None and bool(table.head_line) and not table.is_told_by_line


def _text_read(read: IntentPlan) -> str:
    """The one file that `read` looks into before it is answered, where it does nothing else; else ""."""
    if not read.is_asked or read.question or read.written is not None or len(read.steps) != 1:
        return ""
    call = read.steps[0].call
    return str(call.arguments.get("path", "")) if call is not None and call.name == "read_file" else ""


def _telling(asked: str, name: str, text: str) -> Sequence[str]:
    found = lines_of_words(asked, name, text, MOST_LINES)
    if not found or not _has_day(asked):
        return found
    lines = [each.strip() for each in text.splitlines()]
    dated = [each for each in lines if each not in found and _days_in(each)]
    # A period has two days, and tells more than the date of a letter.
    dated = sorted(dated, key=lambda each: -_days_in(each))[:MOST_DATED]
    return [each for each in dict.fromkeys(lines) if each in (*found, *dated)]


def _has_day(text: str) -> bool:
    return _days_in(text) > 0


def _days_in(text: str) -> int:
    return sum(each.kind in _DAYS for each in quantities(text))
