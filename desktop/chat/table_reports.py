"""A new file of the rows that somebody wants: "make me winter.md with just the bookings in December".

What is to be in the file is a question that rows answer, so it is put to the tables as one
(`table_questions.py`), and the program writes what they come to: a small model that writes the file itself
puts the words of the request into it. Nothing is changed here: what comes of it is one step, which is shown
before it is made. Any thread; blocks while the model reads and writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from desktop.chat.file_judgements import ranked
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import language_of, last_part, stems
from desktop.chat.table_questions import query_for, report_of
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in, own_hints
from desktop.tools.table_queries import TableQuery, rows_in

ENDINGS = (".md", ".txt", ".csv")
MOST_TRIED = 2  # tables
LEAST_OVER_NONE, CLOSE_FILES = 1.0, 3.5  # nats over no file at all; below the likeliest
OVER_NONE = 0.0  # nats of a query over none: that something is wanted is told by the file
_FILE = r"(?:files?|lists?|tables?|sheets?|datei|liste|tabelle|fichier|tableau|archivo|fichero|lista|tabla)"
_A_NEW = (
    r"(?:(?:me|us|mir|uns|moi|nous)\s+)?(?:(?:an?|the|eine?n?|die|une?|la|el|una?)\s+)?"
    r"(?:(?:new|neue[ns]?|nouve(?:l|lle|au)|nuev[oa])\s+)?"
)
_MAKES = (
    r"(?:make|create|write|put|stick|save|store|dump|get|build|do|pop|mach\w*|erstell\w*|schreib\w*|leg\w*|pack\w*|"
    r"speicher\w*|fais|fait|faites|crée\w*|cree\w*|mets|mettre|écri\w*|ecri\w*|enregistre\w*|sauve\w*|haz\w*|crea\w*|"
    r"pon\w*|guarda\w*|escrib\w*|prepara\w*|mete\w*)"
)
_INTO = r"(?:in(?:to)?|to|as|called|named|namens|unter|als|dans|sous|nommée?|appelée?|en|como|llamad[oa])"
_MAKING = re.compile(rf"\b{_MAKES}\b", re.IGNORECASE)
_WITH = re.compile(
    r"^\W*(?:(?:with|of|mit|avec|con|de|von|for)\s+)?(?:(?:just|only|nur|juste|seulement|solo|sólo)\s+)?",
    re.IGNORECASE,
)
# What is worded anew by the model, and stands in no row.
_MADE_ANEW = re.compile(
    r"\b(?:summar\w*|sum up|translat\w*|rewrit\w*|shorten\w*|explain\w*|fass\w*|zusammenfass\w*|übersetz\w*|"
    r"kürz\w*|erklär\w*|résum\w*|tradui\w*|raccourci\w*|expli\w*|resum\w*|traduc\w*|acort\w*|texte?|texto)\b",
    re.IGNORECASE,
)
# What a query is asked with: an order for a file is no question.
_LIST = {"en": "List", "de": "Liste auf:", "fr": "Liste", "es": "Lista"}


@dataclass(frozen=True)
class TableReports:
    """Of one turn. `around` is the workspace, `submit` the engine's, `today` the user's."""

    around: Surroundings
    submit: Submit
    today: date

    def plan(self, asked: str) -> IntentPlan | None:
        """The new file that `asked` wants of rows; None where it wants none, or no rows tell its content."""
        language, target = language_of(asked), new_file(asked, self.around.files())
        question = wanted_in(asked, target) if target else ""
        is_other = _MADE_ANEW.search(question) is not None or self.around.is_looked_up(question)
        if not question or is_other or own_hints().needs_nothing(question):
            return None
        for name in self._tables(question, asked):
            table = rows_in(self.around.whole(name))
            asks = f"{_LIST[language]} {question}"
            found = query_for(asks, table, self.submit, self.today, None, OVER_NONE) if table else None
            # All of a table is a copy of its file.
            if table is None or found is None or not _selects(found.query):
                continue
            content = report_of(found.query, table, language, self.today, is_table=target.endswith(".csv"))
            if content:
                step = Step(ParsedCall("write_file", {"path": target, "content": content}))
                return IntentPlan(language, (step,))
        return None

    def _tables(self, question: str, asked: str) -> Sequence[str]:
        """The tables that may have it: those that are named, else the likeliest."""
        tables = [each for each in self.around.files() if rows_in(self.around.whole(each)) is not None]
        named = [each for each in tables if each in files_in(asked)]
        if named or not tables:
            return named
        meant = _made_from(asked, self.around.files())
        if meant:  # the rows of another file are not what was asked for
            return [each for each in tables if each in meant]
        found = ranked(question, tables, self.around, self.submit, self.today)
        least = max(LEAST_OVER_NONE, found[0].over - CLOSE_FILES) if found else 0.0
        return [each.name for each in found if each.over >= least][:MOST_TRIED]


# "From the last minutes": what it is to be made of is named by a word of its name.
_OUT_OF = re.compile(
    r"\b(?:from|out of|based on|aus|nach|à partir d[eu]|d['’]après|des?|du|según|a partir de)\s+"
    r"(?:(?:the|my|our|last|latest|newest|dem|der|den|meine[mnr]?|letzte[mnr]?|le|la|les|mes|mon|ma|dernier\w*|el|los|"
    r"las|mis?|últim\w*)\s+)*(?P<name>[\w-]{3,})",
    re.IGNORECASE,
)


def _made_from(asked: str, files: Sequence[str]) -> list[str]:
    """The files of which one is named so."""
    said = {stem for match in _OUT_OF.finditer(asked) for stem in stems(match["name"])}
    return [each for each in files if stems(last_part(each).rpartition(".")[0]) & said]


def _selects(query: TableQuery) -> bool:
    return bool(query.where or query.periods or query.aggregate or query.limit or len(query.shown) > 1)


def new_file(asked: str, files: Sequence[str]) -> str:
    """The one file that `asked` wants made and that is not there; "" for none."""
    names = [each for each in files_in(asked) if each not in files]
    is_one = len(names) == 1 and names[0].casefold().endswith(ENDINGS) and _MAKING.search(asked)
    return names[0] if is_one else ""


def wanted_in(asked: str, target: str) -> str:
    """What of `asked` says what is to be in the file `target`; "" where nothing does."""
    name = rf"[\"“„«'‘]?{re.escape(target)}[\"”“»'’]?"
    file = rf"(?:{_FILE}\s+)?(?:(?:{_INTO})\s+)?"
    # "…, stick it in a new file x.txt": the file alone; "make me a file x.md with …": what is in it follows.
    it = r"(?:(?:it|that|them|those|das|es|sie|ça|cela|les?|lo|los|las)\s+)?"
    keeps = rf"(?:(?:and|und|et|y)\s+)?\b{_MAKES}\s+{it}"
    without = re.sub(rf"{keeps}(?:{_INTO}\s+)?{_A_NEW}{file}{name}", " ", asked, count=1, flags=re.IGNORECASE)
    without = re.sub(rf"\b(?:{_INTO})\s+{_A_NEW}{file}{name}", " ", without, count=1, flags=re.IGNORECASE)
    rest = re.sub(name, " ", without, flags=re.IGNORECASE)
    rest = re.sub(rf"^\W*{_MAKES}\s+{_A_NEW}(?:{_FILE}\b)?", " ", rest, flags=re.IGNORECASE)
    bare = _WITH.sub("", " ".join(rest.split())).strip(" ,;.")
    return bare if len(bare.split()) > 1 else ""
