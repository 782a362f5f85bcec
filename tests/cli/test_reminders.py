"""`steward reminders`: the list and cancelling."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from desktop.cli import reminders as verb
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.tools import notes, reminders
from desktop.tools.reminders import Reminders

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def held(paths: Paths, bus: Bus) -> Iterator[Reminders]:
    database = Database(paths.database, (*notes.MIGRATIONS, *reminders.MIGRATIONS))
    yield Reminders(database, bus, lambda: NOW)
    database.close()


def test_the_list_has_the_numbers(held: Reminders, capsys: pytest.CaptureFixture[str]) -> None:
    """The first to come due first; an empty list is a sentence."""
    verb.show(held)
    held.set_reminder("buy milk", "tomorrow at 9")
    held.set_reminder("call Anna", "at 5")
    verb.show(held)
    assert capsys.readouterr().out == (
        "No reminders are set.\n"
        "2. Friday 20 November 2026, 17:00 (in 7 hours 30 minutes): call Anna\n"
        "1. Saturday 21 November 2026, 09:00 (in 23 hours 30 minutes): buy milk\n"
    )


def test_one_is_cancelled(held: Reminders, capsys: pytest.CaptureFixture[str]) -> None:
    """By number or words; what does not fit is an error with the list."""
    held.set_reminder("buy milk", "tomorrow at 9")
    with pytest.raises(UserFacing, match="buy milk"):
        verb.cancel(held, "7")
    verb.cancel(held, "milk")
    assert capsys.readouterr().out == "Cancelled reminder 1: buy milk\n"
