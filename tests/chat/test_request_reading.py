"""How a request is read: what is left to be decided, and is never put into commands of the model's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from desktop.chat.file_judgements import DONE_OVER_NOT, VALUE_OVER_OLD, WANTED_OVER_NOT
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.references import Past
from desktop.chat.request_reading import (
    CHANGES_A_FILE,
    ToldChanges,
    read_request,
    stays_rows,
    with_its_label,
)
from desktop.chat.turn_context import TurnContext
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from desktop.gate.verdict import Effect
from desktop.tools.table_cells import TASK, is_open, with_mark
from desktop.tools.tables import table_in
from desktop.tools.tool import Tool, ToolHint
from tests.chat.test_command_plan import SHOWN, SUM, TEAM, Around, Written, calls
from tests.chat.test_intents import Folder


def after_an_act(asked: str, *served: Tool) -> TurnContext:
    """A question with tools at hand, where something has just been done; it speaks for those that are
    `served`."""
    profile = SimpleNamespace(is_guided=True)
    about = {"tools": object(), "profile": profile, "acted_lately": True, "follows_an_act": True}
    about["served"] = served
    return cast(TurnContext, SimpleNamespace(asked=asked, **about))


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("What is the current time, and save it to time.txt", 'write "current time" to time.txt'),
        ("Make it shorter, at most ten words, and save it to team.txt again.", 'add "most" to team.txt'),
        ("Mach es kürzer und speichere es wieder in team.txt", 'add "kürzer" to team.txt'),
    ],
)
def test_what_no_command_does_is_not_put_into_one(asked: str, written: str) -> None:
    """The model would be held to a command, and the words of the request would land in the file."""
    model = Written(written)
    past = Past(file="team.txt", asked="who is in team.txt", calls=(SHOWN,))
    assert read_request(after_an_act(asked), past, Around(), model) is None
    assert model.asked == []


def test_what_goes_on_is_put_before_the_model() -> None:
    """The same person, where a command does what is asked."""
    model = Written('write "40" to sum.txt')
    plan = read_request(after_an_act("put the 40 into sum.txt"), SUM, Around(), model)
    assert [name for name, _ in calls(plan)] == ["write_file"]


def test_what_no_command_does_is_left_to_a_server_that_may_do_it() -> None:
    """Without one it is said that nothing was done; with one the choice among its tools has the word."""
    asked, command = "Pedro is out", 'remove "Pedro" from team.txt'
    writes = Tool("move_out", "Moves somebody.", (), lambda **_: "", Effect.UPDATE, gate_name="mcp__it__w")

    def read(*served: Tool) -> IntentPlan | None:
        return read_request(after_an_act(asked, *served), TEAM, Around(), Written(command))

    alone = read()
    assert alone is not None
    assert "have not changed" in alone.steps[0].text
    assert read(writes) is None
    # Where the server is meant, no command of ours is even looked for: its place is not the workspace.
    model = Written(command)
    meant = replace(writes, hint=ToolHint(alone=True))
    assert read_request(after_an_act(asked, meant), TEAM, Around(), model) is None
    assert model.asked == []


def test_a_fact_behind_an_act_is_not_put_before_the_model() -> None:
    """It makes a command of whatever it is shown: "My landlord is Mr Quibble" would be added to the file."""
    model = Written('add "Quibble" to team.txt')
    assert read_request(after_an_act("My landlord is Mr Quibble."), TEAM, Around(), model) is None
    assert model.asked == []


@pytest.mark.parametrize(
    ("asked", "is_one"),
    [
        ("add lucia vidal to the bookings, arrives on the 18th, total 160", True),
        ("trag frau klein in die mitgliederliste ein", True),
        ("ajoute deux heures à mon relevé", True),
        ("apunta a lucía en las reservas", True),
        ('add a comma to the sentence "we came we saw"', False),
        ("add some humour to this text: we met at noon", False),
        ("what should i add to the soup", False),
    ],
)
def test_a_line_for_a_file_is_told_from_words_to_work_on(asked: str, is_one: bool) -> None:
    """What is handed over in the message itself is the model's; for the rest words would be a lie."""
    assert (CHANGES_A_FILE.match(asked) is not None) is is_one


def test_what_goes_on_asking_takes_nothing_out() -> None:
    """ "And without Rosa?" behind rows that were told is no order, whatever the tables read in it."""
    plan = read_request(after_an_act("y sin Rosa?"), TEAM, Around(), Written("none"))
    assert plan is None or not plan.changes


def test_a_text_is_put_below_where_that_is_asked() -> None:
    """ "Noch rein" writes nothing over what stands there."""
    model = Written('write "28.11. Gitter" to team.txt')
    plan = read_request(after_an_act("in team.txt unten noch rein: 28.11. Gitter"), TEAM, Around(), model)
    assert plan is not None
    assert [each.name for each in plan.calls] == ["append_text"]


@pytest.mark.parametrize(
    ("asked", "is_changed"), [("he just paid me", False), ("in note.txt he just paid me", True)]
)
def test_no_line_of_a_template_is_meant_that_nobody_speaks_of(asked: str, is_changed: bool) -> None:
    """A small model takes whatever is near."""

    class Templates(Around):
        def files(self) -> tuple[str, ...]:
            return ("note.txt",)

        def text(self, name: str) -> str:
            return "Dear [NAME], he owes the plot [PLOT].\n" if name == "note.txt" else ""

        whole = text

    model = Written('replace "the plot [PLOT]" with "paid me" in note.txt')
    plan = read_request(after_an_act(asked), Past(asked="who is late"), Templates(), model)
    assert (plan is not None and plan.changes and bool(plan.calls)) is is_changed


@pytest.mark.parametrize(
    ("old", "new", "asked", "kept"),
    [
        (
            "- ITV: 10/12/2026 a las 9:30",
            "- 14 de diciembre a las 11:15",
            "me han cambiado la itv al lunes 14 de diciembre a las 11:15, corrígelo",
            "- ITV: 14 de diciembre a las 11:15",
        ),
        ("phone: 555 0142", "555 0143", "the new phone is 555 0143", "phone: 555 0143"),
        ("- ITV: 10/12/2026", "- ITV: 14/12/2026", "la itv es el 14", ""),
        ("- ITV: 10/12/2026", "- tyres: 3 January", "put tyres 3 january instead of the itv", ""),
        ("- ITV: 10/12/2026", "- 14/12/2026", "it is on the 14th now", ""),
        ("- [ ] order felt", "- [x] order felt", "felt is ordered", ""),
        ("- ITV: 10/12/2026", "- new tyres", "new tyres instead of the itv", ""),
    ],
)
def test_a_line_keeps_the_label_of_its_value(old: str, new: str, asked: str, kept: str) -> None:
    """Where the message names it; a new day alone would be a day of nothing."""
    assert with_its_label(old, new, asked) == kept


def test_a_row_of_a_table_becomes_a_row() -> None:
    """Whatever a small model writes in its place: no word alone, and none where the others have amounts."""
    table = table_in("from;guest;price\n2.10.;Scholz;595,00\n26.12.;Brandl;595,00\n")
    assert table is not None
    old = "26.12.;Brandl;595,00"
    for new in ("night", "26.12.;Brandl;one night less", "26.12.;Brandl"):
        assert not stays_rows(table, old, new), new
    for new in ("26.12.;Brandl;510,00", "", "26.12.;Brandl;", f"{old}\n3.1.;Weber;85,00"):
        assert stays_rows(table, old, new), new


# -- changes that a remark tells of ------------------------------------------------------------

TEXTS = {
    "todo.md": "# To do\n- [ ] call the dentist\n- [x] pay the rent\n- [ ] fix bike light\n",
    "club.csv": "name,town,paid\nRossi,Rome,yes\nKlein,Ulm,no\nMoreau,Lyon,no\nRoth,Ulm,yes\n",
    "plants.txt": "fern\ncactus\n",
}


class ToldChangesAround(Folder):
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
