"""Yes or no over a text: its own lines are the answer.

"Are we still insured on the 23rd" is a comparison of two days, and a small model says yes to nearly all of
it. So where a question wants a yes or a no and a text was read for it, the lines that speak of what is asked
are shown as they stand, and with a day in the question those that name days. What shares no word with the
text is answered as before. `table_questions.py` does the same for rows. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from desktop.chat.content_search import lines_of_words
from desktop.chat.intent_plan import IntentPlan, Surroundings
from desktop.chat.intent_words import quotation, say
from desktop.chat.quantities import QuantityKind, quantities
from desktop.tools.table_queries import rows_in
from desktop.tools.tables import Table

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
