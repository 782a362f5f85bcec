"""`steward memory`: what is remembered, in words and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from desktop.cli import memory as verb
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.paths import Paths
from desktop.tools import notes, reminders
from desktop.tools.reminders import Reminders
from tests.shipped import redactor


@pytest.fixture
def memory(paths: Paths) -> Iterator[Memory]:
    database = Database(paths.database, MIGRATIONS)
    memory = Memory(database, redactor())
    yield memory
    memory.close()
    database.close()


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def as_json(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(said(capsys))


def test_what_is_added_is_found_and_forgotten(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """By its words, with the reason; then it is gone."""
    verb.add(memory, "my dentist is Dr. Weber", as_json=False)
    assert said(capsys) == "Remembered: my dentist is Dr. Weber\n"
    verb.search(memory, "Who is the dentist?", as_json=False)
    date = memory.store.get(1).date
    assert said(capsys) == f"1. {date}  my dentist is Dr. Weber  (has dentist)\n"
    verb.forget(memory, "dentist", as_json=False)
    assert said(capsys).startswith("Forgotten: one memory")
    verb.search(memory, "dentist", as_json=False)
    assert said(capsys) == "Nothing fits.\n"


def test_scripts_get_json(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """One value for each verb."""
    verb.add(memory, "we use tabs", as_json=True, project="/shop")
    (added,) = as_json(capsys)
    assert (added["layer"], added["scope"], added["source"]) == ("project", "/shop", "user")
    verb.search(memory, "tabs", as_json=True, project="/shop")
    (found,) = as_json(capsys)
    assert (found["id"], found["why"]) == (added["id"], "has tabs")
    verb.search(memory, "tabs", as_json=True, project="/other")
    assert as_json(capsys) == []
    verb.stats(memory, as_json=True)
    counts = as_json(capsys)
    assert (counts["notes"], counts["episodes"], counts["known_fixes"], counts["events_dropped"]) == (
        1,
        0,
        0,
        0,
    )
    verb.doctor(memory, as_json=True)
    assert as_json(capsys) == []
    verb.forget(memory, str(added["id"]), as_json=True)
    assert as_json(capsys)[0]["text"] == "we use tabs"
    verb.forget_everything(memory, as_json=True)
    assert as_json(capsys)["backups"] == []


def test_what_is_unclear_deletes_nothing(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """Several that fit, none that fits, and a number that nothing has."""
    verb.add(memory, "Anna likes tea", as_json=True)
    verb.add(memory, "Anna has a red car", as_json=True)
    for wanted in ("Anna", "zebra", "99"):
        with pytest.raises(UserFacing, match="Nothing was deleted"):
            verb.forget(memory, wanted, as_json=False)
    assert len(memory.store.latest()) == 2


def test_several_are_forgotten_once_it_was_agreed_to(memory: Memory) -> None:
    """By `--yes`, after the list was seen."""
    verb.add(memory, "Anna likes tea", as_json=True)
    verb.add(memory, "Anna has a red car", as_json=True)
    verb.forget(memory, "Anna", as_json=False, agreed=True)
    assert memory.store.latest() == ()


def test_the_export_is_for_people(memory: Memory, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Markdown by kind and layer, with dates, origins, and what was replaced; to stdout or into a file."""
    verb.add(memory, "my dentist is Dr. Weber", as_json=False)
    verb.add(memory, "my dentist is Dr. Meier", as_json=False)
    memory.record("1", "user", "Hello there", MemorySource.USER, project="/shop")
    said(capsys)
    verb.export(memory, None)
    weber, meier, hello = (memory.store.get(number).date for number in (1, 2, 3))  # midnight may come between
    text = said(capsys)
    assert text == (
        "# What Steward remembers\n\n## Notes\n\n### User\n\n"
        f"- {meier} my dentist is Dr. Meier\n"
        f"- {weber} my dentist is Dr. Weber (replaced since)\n"
        "\n## Conversations\n\n### Project: /shop\n\n"
        f"- {hello} Hello there\n"
    )
    file = tmp_path / "memory.md"
    verb.export(memory, file)
    assert file.read_text(encoding="utf-8") == text
    said(capsys)
    verb.export(memory, None, episodes=False)
    assert "Hello there" not in said(capsys)
    (tmp_path / "taken").write_text("a file, no folder")
    with pytest.raises(UserFacing, match="could not be written"):
        verb.export(memory, tmp_path / "taken" / "memory.md")


def test_the_doctor_finds_what_is_wrong(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """Notes that say the same, and notes that contradict each other after an edit."""
    verb.add(memory, "the spare key is under the third flower pot", as_json=False)
    verb.add(memory, "The spare key is under the third flower-pot.", as_json=False)
    verb.add(memory, "my dentist is Dr. Weber", as_json=False)
    verb.add(memory, "my doctor is Dr. Meier", as_json=False)
    memory.store.change(4, "my dentist is Dr. Meier")
    said(capsys)
    verb.doctor(memory, as_json=False)
    lines = said(capsys).splitlines()
    assert "Two notes say nearly the same thing." in lines
    assert "Several notes are about “dentist”." in lines


NOW = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.fixture
def held(paths: Paths, bus: Bus) -> Iterator[Reminders]:
    database = Database(paths.database, (*notes.MIGRATIONS, *reminders.MIGRATIONS))
    yield Reminders(database, bus, lambda: NOW)
    database.close()


def test_the_list_has_the_numbers(held: Reminders, capsys: pytest.CaptureFixture[str]) -> None:
    """The first to come due first; an empty list is a sentence."""
    verb.show_reminders(held)
    held.set_reminder("buy milk", "tomorrow at 9")
    held.set_reminder("call Anna", "at 5")
    verb.show_reminders(held)
    assert capsys.readouterr().out == (
        "No reminders are set.\n"
        "2. Friday 20 November 2026, 17:00 (in 7 hours 30 minutes): call Anna\n"
        "1. Saturday 21 November 2026, 09:00 (in 23 hours 30 minutes): buy milk\n"
    )


def test_one_is_cancelled(held: Reminders, capsys: pytest.CaptureFixture[str]) -> None:
    """By number or words; what does not fit is an error with the list."""
    held.set_reminder("buy milk", "tomorrow at 9")
    with pytest.raises(UserFacing, match="buy milk"):
        verb.cancel_reminder(held, "7")
    verb.cancel_reminder(held, "milk")
    told = "Cancelled reminder 1 (Saturday 21 November 2026, 09:00 (in 23 hours 30 minutes)): buy milk\n"
    assert capsys.readouterr().out == told
