"""Which reminder a request means, and which request means none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from tests.chat.test_intents import Empty

BREAD, TOM, TOM_AGAIN = (1, "buy bread"), (2, "call Tom"), (3, "write to Tom")


class Reminded(Empty):
    """A workspace with nothing in it, beside these reminders."""

    def __init__(self, *reminders: tuple[int, str]) -> None:
        self.open = reminders

    def reminders(self) -> Sequence[tuple[int, str]]:
        return self.open


def cancelled(request: str, *reminders: tuple[int, str], last: int = 0) -> list[str] | None:
    """The numbers of those that are cancelled, or what is asked; None where it is left to the model."""
    plan = Intents(Reminded(*reminders)).plan(request, Past(reminder=last))
    if plan is None:
        return None
    return [
        str(step.call.arguments["reminder"]) if step.call is not None else step.text for step in plan.steps
    ]


@pytest.mark.parametrize(
    "request_",
    [
        "forget the bread",
        "cancel the bread one",
        "drop the bread after all",
        "lösche die Erinnerung ans Brot",
        "das bread kannst du streichen",
        "cancel reminder 1",
    ],
)
def test_a_reminder_that_is_there_is_cancelled(request_: str) -> None:
    """By its words or number, also where the request does not say "reminder"."""
    named = (1, "buy bread Brot")
    assert cancelled(request_, named, TOM) == ["1"]


@pytest.mark.parametrize(
    "request_",
    [
        "Forget the last sentence",
        "skip the introduction",
        "den Satz bitte streichen",
        "drop the idea after all",
    ],
)
@pytest.mark.parametrize("reminders", [(), (BREAD,), (BREAD, TOM)])
def test_what_names_no_reminder_cancels_none(request_: str, reminders: tuple[tuple[int, str], ...]) -> None:
    """ "Forget" and "skip" are said of anything; nothing is answered about reminders then."""
    assert cancelled(request_, *reminders, last=1) is None


def test_several_that_fit_are_asked_about() -> None:
    """A guess would cancel the wrong one half of the time."""
    asked = cancelled("forget Tom", TOM, TOM_AGAIN)
    assert asked is not None
    assert len(asked) == 1
    assert asked[0] not in ("2", "3")


def test_it_is_the_one_that_was_spoken_of() -> None:
    """And of something else where none was."""
    assert cancelled("cancel it", BREAD, TOM, last=2) == ["2"]
    assert cancelled("cancel it", BREAD, TOM) is None


def test_where_none_is_set_that_is_said() -> None:
    """Only to whoever speaks of reminders."""
    said = cancelled("cancel the reminder about bread")
    assert said is not None
    assert "remind" in said[0]


@pytest.mark.parametrize(
    ("request_", "texts"),
    [
        ("Set two timers, one for 5 minutes and one for 12", ["timer", "timer"]),
        ("set 3 timers for 5, 10 and 15 minutes", ["timer"] * 3),
        ("Set a timer for 5 minutes and one for 12", ["timer", "timer"]),
        ("Set two timers: 3 minutes for the eggs and 10 for the rice", ["the eggs", "the rice"]),
        ("Stell zwei Timer, einen auf 5 Minuten und einen auf 12", ["Timer", "Timer"]),
        ("Mets deux minuteurs, un de 5 minutes et l'autre de 12", ["minuteur", "minuteur"]),
        ("Pon dos temporizadores, uno de 5 minutos y otro de 12", ["temporizador", "temporizador"]),
        # As many as it says, or it is left to be asked.
        ("Set two timers for 5 minutes", None),
        ("Set two timers, one for the eggs and one for the rice", None),
    ],
)
def test_several_are_set_with_a_time_each(request_: str, texts: list[str] | None) -> None:
    plan = Intents(Reminded()).plan(request_, Past())
    assert (plan and [call.arguments["text"] for call in plan.calls]) == texts


@pytest.mark.parametrize("request_", ["and one for 25", "another one for 25", "one for 25"])
def test_a_bare_number_has_the_unit_of_the_timer_before(request_: str) -> None:
    """A timer of 25 minutes behind one of ten, and no reminder "25" at one o'clock."""
    before = ParsedCall("set_reminder", {"text": "timer", "when": "10 min"})
    past = Past(reminder=1, calls=(before,), asked="set a timer for 10 min")
    plan = Intents(Reminded((1, "timer"))).plan(request_, past)
    assert plan is not None
    assert [dict(call.arguments) for call in plan.calls] == [{"text": "timer", "when": "25 min"}]
