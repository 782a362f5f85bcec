"""`steward undo`: put back what a tool changed, also after a restart."""

from __future__ import annotations

import sys
from datetime import datetime

from desktop.app import Services
from desktop.errors import UserFacing
from desktop.gate.journal import EntryState, JournalEntry
from desktop.gate.undo import OnChange, undo

LISTED = 20


def show(core: Services) -> None:
    """The latest changes, newest first, with the numbers that `undo` takes."""
    entries = core.journal.entries(LISTED)
    if not entries:
        sys.stdout.write("Steward has changed nothing yet.\n")
    for entry in entries:
        sys.stdout.write(_line(entry))


def take_back(core: Services, number: int | None, if_changed: str | None) -> None:
    """Undo one change; the latest one that can be undone when no number is given."""
    entry_id = number if number is not None else _latest(core).id
    undone = undo(core.journal, entry_id, OnChange(if_changed) if if_changed else None)
    sys.stdout.write(f"{undone.path}: {undone.result}\n")


def _latest(core: Services) -> JournalEntry:
    for entry in core.journal.entries():
        if entry.state is EntryState.DONE and entry.origin.tool != "undo":
            return entry
    raise UserFacing(
        "There is nothing to undo.", "Nothing was changed.", "`steward undo --list` shows what was changed."
    )


def _line(entry: JournalEntry) -> str:
    when = datetime.fromtimestamp(entry.at).astimezone()
    return f"{entry.id:5} {when:%Y-%m-%d %H:%M} {entry.action:7} {entry.state:8} {entry.shown}\n"
