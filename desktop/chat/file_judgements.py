"""What the model makes of a message and of files, without writing a word: which is meant, what it says of it.

Does the remark mean that the task is done, is the file to be changed, does it answer the question? A small
model that may write takes whatever is near; asked for a yes or a no, it is right far more often, and asked
the other way round as well, what it likes to say by itself falls out. Each judgement is the difference of two
likelihoods in nats, and has a threshold that was chosen on tests/bench/file_judgements.toml. Pure functions;
any thread; they block while the model reads.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

import structlog

from desktop.chat.content_search import Mention, mentions, shares
from desktop.chat.described_files import likely_of
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import language_of
from desktop.chat.orders import is_order
from desktop.chat.prompts import behind_examples
from desktop.chat.tool_args import Submit
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling
from desktop.paths import resources
from desktop.tools.periods import named_times
from desktop.tools.table_cells import TASK, cell_edit, is_open, row_names, shared_values, with_mark
from desktop.tools.table_queries import has_dates_in, head_of, rows_in
from desktop.tools.tables import Table, table_in

log = structlog.get_logger(__name__)

DONE_OVER_NOT = 1.2
VALUE_OVER_OLD = 0.65
WANTED_OVER_NOT = 0.27
ANSWERED_OVER_NOT = 0.25
ANSWERED_BY_NAME = -0.5  # where two words of its name are said
ANSWERED_THOUGH_OF_WORLD = 0.8  # where the form is that of a question about the world

_IS_DONE = """A list has an open task. Somebody says something. Does it mean that this task has just been \
done? Answer yes or no."""
_IS_OPEN = """A list has an open task. Somebody says something. Is the task still to be done? Answer yes or \
no."""
_TASKS = (
    ("mow the lawn", "der Rasen ist gemäht", "yes"),
    ("call the bank", "the bank is so slow", "no"),
    ("buy stamps", "j'ai trouvé des timbres à la poste", "yes"),
    ("repair the door", "the door got stuck again", "no"),
    ("write to Eva", "we should really write to Eva", "no"),
    ("book the hotel", "el hotel ya está", "yes"),
    ("pay the rent", "die Miete ist schon wieder gestiegen", "no"),
)
_IS_WANTED = """Somebody has files and says something to an assistant. Do they want a file to be changed? \
Answer yes or no."""
_WANTED = (
    ("films.txt", "Alien | Brazil", "Alien raus, den hab ich jetzt gesehen", "yes"),
    ("films.txt", "Alien", "Alien scared me when i was a kid", "no"),
    ("plan.csv", "Mon,Yoga,4", "yoga is on friday from now on", "yes"),
    ("plan.csv", "Mon,Yoga,4", "is yoga good for the back", "no"),
    ("menu.txt", "soupe à l'oignon", "mettez la soupe en dernier", "yes"),
    ("menu.txt", "soupe à l'oignon", "la soupe était trop salée hier", "no"),
    ("letter.txt", "con un saludo cordial", "escríbeme un saludo para una postal", "no"),
    ("todo.md", "- [ ] mow the lawn", "the mower is broken, i hate gardening", "no"),
    ("notes.txt", "the key is with Tom", "the key is with Eva now, put that in", "yes"),
)
_IS_ANSWERED = """Somebody has files and asks something. Do they want to know what is in the file? Answer \
yes or no."""
_IS_OF_WORLD = """Somebody has files and asks something. Is it a question about the world, which no file of \
theirs answers? Answer yes or no."""
_ANSWERED = (
    ("films.txt", "Alien | Brazil", "who directed Alien", "no"),
    ("beds.md", "4 March: Radieschen, two rows", "wann hab ich die Radieschen gesät", "yes"),
    ("market.txt", "- kiwis", "how many calories are in a kiwi", "no"),
    ("trip.pdf", "Train leaves at 8:40 from platform 4", "when does the train leave", "yes"),
    ("club.csv", "Rossi,Rome,paid", "qui est de Rome", "yes"),
    ("club.csv", "Rossi,Rome,paid", "quelle est la population de Rome", "no"),
    ("menu.txt", "lentejas con chorizo", "¿qué había de comer con chorizo?", "yes"),
    ("menu.txt", "lentejas con chorizo", "¿cómo se hacen las lentejas?", "no"),
    ("pets.txt", "Rex: vaccinated in May", "wann wurde Rex geimpft", "yes"),
    ("pets.txt", "Rex: vaccinated in May", "warum bellen Hunde", "no"),
)
_OF_CELLS = """A table has a row. Somebody says something. Which value does the cell have now? Answer with \
one of the values."""
_CELLS = (
    ("name: Ivo, town: Ulm", "paid", "no", ("no", "yes"), "Ivo vient de payer", "yes"),
    ("title: Alien, year: 1979", "seen", "no", ("no", "yes"), "Alien is far too scary for me", "no"),
    ("what: lamp, room: 4", "state", "broken", ("broken", "works"), "die Lampe geht wieder", "works"),
    ("name: Lena, town: Bonn", "member", "yes", ("no", "yes"), "Lena ya no es socia", "no"),
    ("name: Omar, town: Rome", "answered", "no", ("no", "yes"), "omar wants to know when it starts", "no"),
)


def done_over_not(task: str, remark: str, submit: Submit) -> float:
    """By how many nats it is likelier that `task` is done after `remark` than that it is not. Blocks."""
    told = _task_told(task, remark)
    examples = tuple((_task_told(what, said), answer) for what, said, answer in _TASKS)
    over = _yes_over_no("done", _IS_DONE, examples, told, submit)
    # Asked the other way round as well, what a small model likes to say by itself falls out.
    over -= _yes_over_no("open", _IS_OPEN, _turned(examples), told, submit)
    log.info("remark held against a task", over=round(over, 2))
    return over


def wanted_over_not(request: str, name: str, line: str, submit: Submit) -> float:
    """By how many nats it is likelier that `request` wants the file `name`, which speaks of it in `line`, to
    be changed than that it does not. Blocks."""
    examples = tuple((_file_told(*each[:-1]), each[-1]) for each in _WANTED)
    over = _yes_over_no("wanted", _IS_WANTED, examples, _file_told(name, line, request), submit)
    log.info("request held against a file", over=round(over, 2))
    return over


def answered_over_not(question: str, name: str, line: str, submit: Submit) -> float:
    """By how many nats it is likelier that the file `name`, which speaks of it in `line`, has the answer to
    `question` than that the question is about the world. Blocks."""
    told = f"{name}: {line}\nAsked: {question}"
    examples = tuple((f"{of}: {has}\nAsked: {asked}", answer) for of, has, asked, answer in _ANSWERED)
    over = _yes_over_no("answered", _IS_ANSWERED, examples, told, submit)
    over -= _yes_over_no("world", _IS_OF_WORLD, _turned(examples), told, submit)
    log.info("question held against a file", over=round(over, 2))
    return over


def _yes_over_no(
    kind: str, asks: str, examples: Sequence[tuple[str, str]], told: str, submit: Submit
) -> float:
    likely = _likely(kind, asks, examples, told, ("yes", "no"), submit)
    return likely.get("yes", 0.0) - likely.get("no", 0.0)


def _turned(examples: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((told, "no" if answer == "yes" else "yes") for told, answer in examples)


def value_over_old(
    row: str, cell: str, old: str, values: Sequence[str], remark: str, submit: Submit
) -> tuple[str, float]:
    """The likeliest of the other `values` that `cell` of `row` may have after `remark`, and by how many nats
    it is likelier than `old`. Blocks."""
    examples = tuple((_cell_told(*each[:-1]), each[-1]) for each in _CELLS)
    told = _cell_told(row, cell, old, values, remark)
    likely = _likely("cells", _OF_CELLS, examples, told, values, submit)
    new = max((each for each in values if each != old), key=lambda each: likely.get(each, 0.0))
    over = likely.get(new, 0.0) - likely.get(old, 0.0)
    log.info("remark held against a cell", over=round(over, 2))
    return new, over


def _likely(
    kind: str,
    system: str,
    examples: Sequence[tuple[str, str]],
    told: str,
    labels: Sequence[str],
    submit: Submit,
) -> dict[str, float]:
    said = (Message(role, text) for pair in examples for role, text in zip(_SIDES, pair, strict=True))
    messages = (Message("system", system), *said, Message("user", told))
    sampling = Sampling(temperature=0, max_tokens=1)
    return likely_of(submit, GenerateRequest(f"judged-{kind}", messages, sampling, Priority.CHAT), labels)


_SIDES = ("user", "assistant")


def _task_told(task: str, remark: str) -> str:
    return f"Task: {task}\nSaid: {remark}"


def _file_told(name: str, line: str, request: str) -> str:
    return f"{name}: {line}\nSaid: {request}"


def _cell_told(row: str, cell: str, old: str, values: Sequence[str], remark: str) -> str:
    return f"Row: {row}\nCell: {cell}, was: {old}\nValues: {', '.join(values)}\nSaid: {remark}"


# -- which files a message is about ------------------------------------------------------------

# Which files of the workspace a message is about, the likeliest first.
#
# Words alone do not tell: "ran 5.5k in 34 min, log it" has none of running.csv. The model does, by names
# and the beginning of each file, and it does not know what stands further down: that the words do
# (`content_search.py`). So both are added up, in nats over no file at all. Any thread; blocks while the
# model reads.

CONVERSATION = "file-ranking"  # of all chats: what stands before the folder is always the same
NO_FILE = "none"
MOST_FILES = 24  # shown
LINES_SHOWN = 4
LONGEST_BEGINNING = 90  # characters of a file
LONGEST_SAID = 240
# Nats for a word that only this file has, and for all of them. Chosen on 63 messages to five folders: 35 of
# 43 files came first, 30 without the words.
FOR_A_WORD = 2.0
MOST_FOR_WORDS = 4.0
FOR_A_DAY = 2.0  # for a row of a day that is named
FOR_A_DATE = 4.0  # by its number: the 12th, 8 dec
_SYSTEM = """Somebody has files and says something to an assistant. Which file do they mean, or which file \
has what they ask for? Answer with its name, or none where it is about no file."""


@dataclass(frozen=True)
class Ranked:
    """A file, and by how many nats it is likelier to be meant than none."""

    name: str
    over: float


class LastRanking:
    """What the model said when it ranked files last. A question may be held against its files twice, before
    it is answered and behind an excuse, and neither the files nor the words have changed between. Any thread.
    """

    def __init__(self) -> None:
        self._last: tuple[GenerateRequest, tuple[str, ...], Mapping[str, float]] | None = None

    def forget(self) -> None:
        """A new turn begins, perhaps with another model."""
        self._last = None

    def keep(self, request: GenerateRequest, names: Sequence[str], likely: Mapping[str, float]) -> None:
        self._last = (request, tuple(names), likely)

    def of(self, request: GenerateRequest, names: Sequence[str]) -> Mapping[str, float]:
        """{} for any other request than the last: other words, or files that were changed since."""
        last = self._last
        return last[2] if last is not None and last[:2] == (request, tuple(names)) else {}


def ranked(
    said: str,
    files: Sequence[str],
    around: Surroundings,
    submit: Submit,
    today: date,
    last: LastRanking | None = None,
) -> tuple[Ranked, ...]:
    """Those of `files` by how likely `said` is about them, the likeliest first; () where the model was
    stopped. Of many only those are looked at that share a word with it, and the first. With `last` the model
    is not asked again for what it has just ranked."""
    words = shares(said, around)
    shown = sorted(files, key=lambda each: -words.get(each, 0.0))[:MOST_FILES]
    shown = [each for each in files if each in shown]
    if not shown:
        return ()
    folder = "\n".join(f"{each}: {_beginning(each, around)}" for each in shown)
    asked = f"{folder}\nSaid: {' '.join(said.split())[:LONGEST_SAID]}"
    request = behind_examples(CONVERSATION, told_first(), asked)
    names = (*shown, NO_FILE)
    likely = (last.of(request, names) if last is not None else {}) or likely_of(submit, request, names)
    if last is not None and likely:
        last.keep(request, names, likely)
    none = likely.get(NO_FILE, 0.0)
    shared = {each: min(FOR_A_WORD * words.get(each, 0.0), MOST_FOR_WORDS) for each in shown}
    days = tuple(each for each in named_times(said, language_of(said), today) if each.first == each.last)
    dates = tuple(each for each in days if re.search(r"\d", each.words))
    for each in shown:
        rows = rows_in(around.whole(each)) if days else None
        is_of_date = bool(dates) and has_dates_in(rows, dates)
        shared[each] += FOR_A_DATE if is_of_date else FOR_A_DAY if days and has_dates_in(rows, days) else 0.0
    found = (Ranked(each, likely.get(each, -math.inf) - none + shared[each]) for each in shown)
    best = sorted(found, key=lambda each: -each.over) if likely else []
    if best:
        log.info("files ranked", among=len(shown), over=round(best[0].over, 2))
    return tuple(best)


def _beginning(name: str, around: Surroundings) -> str:
    whole = around.whole(name) or around.document(name)
    table = rows_in(whole)
    # The first lines of notes say more than the kinds of their columns.
    if table is not None and table.head_line and not table.is_told_by_line:
        return head_of(table)
    lines = [each.strip() for each in whole.splitlines() if each.strip()]
    return " / ".join(lines[:LINES_SHOWN])[:LONGEST_BEGINNING]


@cache
def told_first() -> tuple[Message, ...]:
    """What is the same in all these prompts: what is asked, and examples."""
    read: Mapping[str, list[Mapping[str, str]]] = tomllib.loads(
        (resources() / "file_ranking.toml").read_text(encoding="utf-8")
    )
    messages, folder = [Message("system", _SYSTEM)], ""
    for each in read["choices"]:
        lines = [read["folders"][each["folder"]]] if each["folder"] != folder else []  # type: ignore[call-overload]
        messages.append(Message("user", "\n".join((*lines, f"Said: {each['said']}")).strip()))
        messages.append(Message("assistant", each["name"]))
        folder = each["folder"]
    return tuple(messages)


# -- changes that a remark tells of ------------------------------------------------------------

# What a remark says of a task or of a cell: "jonas hat den müll rausgebracht", "Gérard vient de payer".
#
# Nothing is ordered there, and a small model that may write commands for it takes whatever is near. So
# only the lines that speak of the same are looked at (`content_search.py`), and the model writes nothing:
# it says how likely a task is done now, or which of the values that other rows have a cell has. What is
# clear enough becomes a step, which is shown before it is made like any other; all else is answered as
# before. Any thread; blocks while the model reads.

MOST_JUDGED = 3  # lines of a file that speak of it; where there are more, none is meant
MOST_VALUES = 2  # of a column that says yes or no; of more a small model takes the wrong one
LONGEST_REMARK = 160  # characters; a longer remark tells a story


@dataclass(frozen=True)
class ToldChanges:
    """Of one turn. `submit` is the engine's, watched so that Stop reaches it."""

    around: Surroundings
    submit: Submit

    def plan(self, remark: str) -> IntentPlan | None:
        """The change that `remark` tells of; None where it tells of none that is clear."""
        if len(remark) > LONGEST_REMARK:
            return None
        found = next((each for each in mentions(remark, self.around) if each.lines), None)
        whole = self.around.whole(found.name) if found is not None else ""
        if found is None or not whole:
            return None
        edits = list(self._done(remark, found, whole)) or list(self._cells(remark, found, whole))
        calls = [
            ParsedCall("replace_text", {"path": found.name, "old": old, "new": new}) for old, new in edits
        ]
        return IntentPlan(language_of(remark), tuple(map(Step, calls))) if calls else None

    def is_wanted(self, request: str) -> bool:
        """Whether the text file that speaks of what `request` says is to be changed by it: an order is none
        of the model's to judge."""
        found = next((each for each in mentions(request, self.around) if each.lines), None)
        if found is None or len(request) > LONGEST_REMARK or not self.around.whole(found.name):
            return False
        if is_order(request):
            return True
        return wanted_over_not(request, found.name, found.lines[0], self.submit) >= WANTED_OVER_NOT

    def _done(self, remark: str, found: Mention, whole: str) -> Iterator[tuple[str, str]]:
        """The open tasks that are done now, each as its line and the line that it becomes."""
        tasks = [task for each in found.lines if (task := TASK.fullmatch(each)) and is_open(task)]
        if len(found.lines) > MOST_JUDGED:
            return
        for task in tasks:
            is_done = done_over_not(task["what"], remark, self.submit) >= DONE_OVER_NOT
            if is_done and whole.count(task[0]) == 1:
                yield task[0], with_mark(task, "x")

    def _cells(self, remark: str, found: Mention, whole: str) -> Iterator[tuple[str, str]]:
        """The cell of the one row spoken of whose value is another now, as the lines of its row."""
        table = table_in(whole)
        if table is None or not table.header or len(found.lines) != 1 or found.lines[0] not in table.lines:
            return
        at = table.lines.index(found.lines[0])
        edits = [edit for column in range(table.width) if (edit := self._cell(remark, table, at, column))]
        if edits:
            yield max(edits)[1]

    def _cell(self, remark: str, table: Table, at: int, column: int) -> tuple[float, tuple[str, str]] | None:
        """By how much another value of `column` is likelier, and the edit that sets it; else None."""
        values, row = shared_values(table, column), table.rows[at]
        own = next((each for each in row_names(table) if each in row), "")
        if not own or not 1 < len(values) <= MOST_VALUES or row[column] not in values:
            return None
        others = (
            f"{name}: {cell}"
            for number, (name, cell) in enumerate(zip(table.header, row, strict=True))
            if number != column
        )
        cell = table.header[column]
        new, over = value_over_old(", ".join(others), cell, row[column], values, remark, self.submit)
        edit = cell_edit(table, own, column, new) if over >= VALUE_OVER_OLD else None
        return (over, edit) if edit is not None else None
