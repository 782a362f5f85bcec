"""What a remark tells of a task or a cell, and whether a file is to be changed by what is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from desktop.chat.file_judgements import DONE_OVER_NOT, VALUE_OVER_OLD, WANTED_OVER_NOT
from desktop.chat.told_changes import ToldChanges
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.tools.table_cells import TASK, is_open, with_mark
from tests.chat.test_intents import Folder

TEXTS = {
    "todo.md": "# To do\n- [ ] call the dentist\n- [x] pay the rent\n- [ ] fix bike light\n",
    "club.csv": "name,town,paid\nRossi,Rome,yes\nKlein,Ulm,no\nMoreau,Lyon,no\nRoth,Ulm,yes\n",
    "plants.txt": "fern\ncactus\n",
}


class Around(Folder):
    """A workspace of these texts."""

    def files(self) -> Sequence[str]:
        return tuple(TEXTS)

    def text(self, name: str) -> str:
        return TEXTS.get(name, "")

    def whole(self, name: str) -> str:
        return TEXTS.get(name, "")


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
    plan = ToldChanges(Around(), model).plan(remark)
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
    assert ToldChanges(Around(), wants).is_wanted("the cactus comes before the rest")
    assert not ToldChanges(Around(), Judging(wanted={"no": 1.0})).is_wanted("my cactus is so pretty")
    # An order is one in whatever words.
    assert ToldChanges(Around(), Judging(wanted={"no": 1.0})).is_wanted(
        "got the cactus, take it off the list"
    )
    silent = Judging()
    assert not ToldChanges(Around(), silent).is_wanted("what a day")
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
