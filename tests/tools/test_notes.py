"""Notes: saved, found, and the user's to change."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.tools.notes import MIGRATIONS, SHOWN, Notes


@pytest.fixture
def notes(paths: Paths) -> Iterator[Notes]:
    database = Database(paths.database, MIGRATIONS)
    yield Notes(database, clock=lambda: 1_000_000.0)
    database.close()


def test_what_was_noted_is_recalled(notes: Notes) -> None:
    """With its time, by any of its words, also in another form."""
    notes.save_note("Meeting with Anna at 3pm")
    notes.save_note("Buy milk")
    assert "Meeting with Anna at 3pm" in notes.recall_notes("meetings")
    assert "milk" not in notes.recall_notes("Anna")
    assert notes.recall_notes().splitlines()[0].endswith("Buy milk")


def test_a_search_without_a_hit_gives_the_latest(notes: Notes) -> None:
    """A small model's query is often beside the point; the notes are shown all the same."""
    notes.save_note("Buy milk")
    assert "Buy milk" in notes.recall_notes("what did I ask")
    assert notes.recall_notes('"') != ""


def test_only_the_latest_are_shown(notes: Notes) -> None:
    """Ten of many."""
    for number in range(SHOWN + 5):
        notes.save_note(f"note {number}")
    assert len(notes.recall_notes().splitlines()) == SHOWN


def test_no_notes_is_said(notes: Notes) -> None:
    """An empty list is a sentence."""
    assert notes.recall_notes() == "There are no notes yet."


@pytest.mark.parametrize("text", ["", "  ", "x" * 5000])
def test_what_is_no_note_is_refused(notes: Notes, text: str) -> None:
    """Empty and endless notes are not saved."""
    with pytest.raises(UserFacing, match="note"):
        notes.save_note(text)
    assert notes.latest() == ()


def test_the_user_corrects_and_removes(notes: Notes) -> None:
    """A corrected note is found by its new words; a removed one is gone."""
    notes.save_note("Meeting at 3pm")
    (note,) = notes.latest()
    notes.change(note.id, "Meeting at 4pm")
    assert notes.find("4pm")
    assert not notes.find("3pm")
    notes.remove(note.id)
    assert notes.latest() == ()
