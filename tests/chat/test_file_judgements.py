"""What the model makes of a message and of files: which is meant, and what a remark says of its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import pytest

from desktop.chat.file_judgements import (
    DONE_OVER_NOT,
    NO_FILE,
    VALUE_OVER_OLD,
    WANTED_OVER_NOT,
    ToldChanges,
    ranked,
    told_first,
)
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.tools.table_cells import TASK, is_open, with_mark
from tests.chat.test_intents import Folder
from tests.chat.test_table_changes import Around

TODAY = date(2026, 11, 29)
TEXTS = {
    "plan.csv": "date,team,place\n2026-12-01,Rovers,home\n2026-12-04,United,away\n",
    "members.csv": "name,town\nRossi,Rome\nWeber,Bonn\n",
    "letter.txt": "Dear Eva,\n\nthe boiler is checked on Tuesday.\n",
    "sun.txt": "panel readings, Wh\n22/11  310\n23/11  145\n24/11  90\n",
}


def likely(**scores: float):  # type: ignore[no-untyped-def]  # a model, by what it says
    asked: list[GenerateRequest] = []

    def submit(request: GenerateRequest) -> Stream:
        asked.append(request)
        stream = Stream(lambda: None)
        stream.put_scores({each: scores.get(each.partition(".")[0], 0.0) for each in request.labels})
        stream.end(FinishReason.STOP, Metrics())
        return stream

    submit.asked = asked  # type: ignore[attr-defined]
    return submit


def names(said: str, submit) -> list[str]:  # type: ignore[no-untyped-def]
    return [each.name for each in ranked(said, tuple(TEXTS), Around(TEXTS), submit, TODAY) if each.over > 0]


def test_the_model_ranks_by_names_and_beginnings() -> None:
    """It is shown the columns and a row of a table, and the first lines of a text, or of notes whose columns
    have no names."""
    submit = likely(plan=3.0, members=1.0, letter=-2.0)
    assert names("who do we play", submit) == ["plan.csv", "members.csv"]
    shown = submit.asked[0].messages[-1].content
    assert "plan.csv: date, team, place (2026-12-04 | United | away)" in shown
    assert "letter.txt: Dear Eva, / the boiler is checked on Tuesday." in shown
    assert "sun.txt: panel readings, Wh / 22/11  310 / 23/11  145 / 24/11  90" in shown
    assert submit.asked[0].labels == (*TEXTS, NO_FILE)


def test_a_word_that_only_one_file_has_speaks_for_it() -> None:
    """As does a day of which it has a row."""
    assert names("weber moved to ulm", likely(plan=0.5, members=0.2)) == ["members.csv", "plan.csv"]
    assert names("what is on friday", likely()) == ["plan.csv"]


def test_nothing_is_ranked_where_the_model_was_stopped() -> None:
    """Or where there is no file."""

    def stopped(request: GenerateRequest) -> Stream:
        stream = Stream(lambda: None)
        stream.end(FinishReason.CANCELLED, Metrics())
        return stream

    assert ranked("who", tuple(TEXTS), Around(TEXTS), stopped, TODAY) == ()
    assert ranked("who", (), Around({}), likely(), TODAY) == ()


def test_examples_name_a_file_of_their_folder_or_none() -> None:
    """A name that is not shown would teach to make one up."""
    folder = ""
    for shown, name in zip(told_first()[1::2], told_first()[2::2], strict=True):
        folder = shown.content if ": " in shown.content.partition("Said: ")[0] else folder
        assert name.content == NO_FILE or f"{name.content}: " in folder


# -- changes that a remark tells of ------------------------------------------------------------

TOLD_OF = {
    "todo.md": "# To do\n- [ ] call the dentist\n- [x] pay the rent\n- [ ] fix bike light\n",
    "club.csv": "name,town,paid\nRossi,Rome,yes\nKlein,Ulm,no\nMoreau,Lyon,no\nRoth,Ulm,yes\n",
    "plants.txt": "fern\ncactus\n",
}


class ToldChangesAround(Folder):
    """A workspace of these texts."""

    def files(self) -> Sequence[str]:
        return tuple(TOLD_OF)

    def text(self, name: str) -> str:
        return TOLD_OF.get(name, "")

    def whole(self, name: str) -> str:
        return TOLD_OF.get(name, "")


class Judging:
    """A model that finds answers likely by how much for each kind of question; all others are at 0."""

    def __init__(self, **likely: Mapping[str, float]) -> None:
        self.likely = likely
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        of = self.likely.get(str(request.conversation).removeprefix("judged-"), {})
        stream.put_scores({each: of.get(each, 0.0) for each in request.labels})
        stream.end(FinishReason.STOP, Metrics())
        return stream


def edits(remark: str, model: Judging) -> list[tuple[object, ...]]:
    plan = ToldChanges(ToldChangesAround(), model).plan(remark)
    return [tuple(call.arguments.values()) for call in plan.calls] if plan is not None else []


DONE = {"yes": DONE_OVER_NOT + 0.1}


def test_a_task_that_is_done_by_what_is_told_is_ticked_off() -> None:
    """Its line alone; the model is asked both ways, and writes nothing."""
    model = Judging(done=DONE, open={"no": 0.1})
    assert edits("dentist called me back so that one's done", model) == [
        ("todo.md", "- [ ] call the dentist", "- [x] call the dentist")
    ]
    assert [request.labels for request in model.asked] == [("yes", "no")] * 2
    assert all(request.sampling.max_tokens == 1 for request in model.asked)


@pytest.mark.parametrize(
    ("remark", "likely"),
    [
        ("i really hate the dentist", {"done": {"no": 1.0}}),
        # What a model says to whatever is asked is no answer.
        ("i really hate the dentist", {"done": {"yes": 3.0}, "open": {"yes": 3.0}}),
        ("the rent is paid", {"done": DONE}),  # ticked off already
        ("the weather is nice", {"done": DONE}),
        ("the fern is dead", {"done": DONE, "cells": {"yes": 9.0}}),  # a list without boxes
    ],
)
def test_what_tells_of_no_open_task_ticks_nothing_off(
    remark: str, likely: dict[str, dict[str, float]]
) -> None:
    assert edits(remark, Judging(**likely)) == []


def test_a_cell_gets_the_value_that_is_told_of() -> None:
    """One of those that other rows have, in the row that is spoken of."""
    model = Judging(cells={"yes": VALUE_OVER_OLD + 0.1})
    assert edits("moreau just gave me the money", model) == [
        ("club.csv", "Moreau,Lyon,no", "Moreau,Lyon,yes")
    ]
    assert edits("moreau just gave me the money", Judging(cells={"yes": VALUE_OVER_OLD - 0.1})) == []
    # Two rows have that word, and nobody knows which is meant.
    assert edits("somebody from ulm gave me the money", model) == []


def test_a_file_is_to_be_changed_where_the_model_says_so() -> None:
    """Only where a text file speaks of it: else nothing is asked."""
    wants = Judging(wanted={"yes": WANTED_OVER_NOT + 0.1})
    assert ToldChanges(ToldChangesAround(), wants).is_wanted("the cactus comes before the rest")
    assert not ToldChanges(ToldChangesAround(), Judging(wanted={"no": 1.0})).is_wanted(
        "my cactus is so pretty"
    )
    # An order is one in whatever words.
    assert ToldChanges(ToldChangesAround(), Judging(wanted={"no": 1.0})).is_wanted(
        "got the cactus, take it off the list"
    )
    silent = Judging()
    assert not ToldChanges(ToldChangesAround(), silent).is_wanted("what a day")
    assert not silent.asked


@pytest.mark.parametrize(
    ("line", "done", "again"),
    [
        ("- [ ] call", "- [x] call", "- [ ] call"),
        ("[ ] call", "[x] call", "[ ] call"),
        ("☐ call", "☑ call", "☐ call"),
        ("3) [x] call", "3) [x] call", "3) [ ] call"),
    ],
)
def test_a_task_keeps_the_kind_of_its_box(line: str, done: str, again: str) -> None:
    """Whether brackets or signs, and with a bullet or without."""
    task = TASK.fullmatch(line)
    assert task is not None
    assert (with_mark(task, "x"), with_mark(task, " ")) == (done, again)
    assert is_open(task) is (line == again)
