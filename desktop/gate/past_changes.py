"""What a change that the journal holds made of a text, and what taking it back makes, as a unified diff.

Told from the bytes that are kept for Undo and from what stands there now; where either is gone, or is another
one by now, nothing is said rather than something wrong.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from desktop.errors import UserFacing
from desktop.gate.journal import ChangeKind, EntryState, Journal, JournalEntry
from desktop.sandbox.workspace import HeldPath, hold_itself

log = structlog.get_logger(__name__)

LARGEST_BYTES = 1_000_000  # of a text that is compared
MOST_COMPARED = 5  # files of one call


@dataclass(frozen=True)
class PastChange:
    """`diff` is "" where nothing can be said of the content."""

    path: Path
    diff: str


def past_changes(journal: Journal, numbers: Sequence[int]) -> tuple[PastChange, ...]:
    """Those entries that changed the content of a text, the first of them. Uses the disk; any thread."""
    entries = [journal.entry(number) for number in numbers[:MOST_COMPARED]]
    made = (PastChange(entry.root / entry.path, _diff(journal, entry)) for entry in entries)
    return tuple(each for each in made if each.diff)


def taken_back(journal: Journal, entries: Sequence[JournalEntry]) -> str:
    """What undoing `entries` makes of texts, the first of them, deleted ones too; "" where nothing can be
    said of the content. Uses the disk; any thread."""
    return "".join(_diff_back(journal, entry) for entry in entries[:MOST_COMPARED])


def unified(before: str, after: str, name: str) -> str:
    """A unified diff; a last line without an end is said to be one."""
    # A name with an end of line would begin lines of its own, which read as changes that nobody makes.
    label = name.replace("\n", "\\n")
    lines = difflib.unified_diff(_lines(before), _lines(after), label, label)
    open_end = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else f"{line}{open_end}" for line in lines)


def _lines(text: str) -> list[str]:
    # Not `splitlines`: that also breaks at form feeds and U+2028, which end no line for a diff.
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def _diff(journal: Journal, entry: JournalEntry) -> str:
    texts = _texts(journal, entry) if entry.action is ChangeKind.WRITE else None
    return unified(*texts, entry.path) if texts is not None else ""


def _diff_back(journal: Journal, entry: JournalEntry) -> str:
    if entry.action not in (ChangeKind.WRITE, ChangeKind.DELETE) or entry.was_folder:
        return ""
    texts = _texts(journal, entry)
    return unified(texts[1], texts[0], entry.path) if texts is not None else ""


def _texts(journal: Journal, entry: JournalEntry) -> tuple[str, str] | None:
    """Before and after; None where one of them is gone, is another by now, or is no text."""
    if entry.state is not EntryState.DONE:
        return None
    try:
        before, after = _before(journal, entry), _after(entry)
        return (before.decode(), after.decode()) if before is not None and after is not None else None
    except UnicodeDecodeError:  # no text
        return None
    except (UserFacing, OSError) as error:
        log.info("a change cannot be shown", path=entry.path, reason=str(error))
        return None


def _before(journal: Journal, entry: JournalEntry) -> bytes | None:
    if not entry.before_sha256:
        return b""
    if not entry.kept or entry.size_bytes > LARGEST_BYTES:
        return None
    with journal.open_kept(entry) as file:
        return file.read(LARGEST_BYTES)


def _after(entry: JournalEntry) -> bytes | None:
    """What the change left; None where something else stands there."""
    with hold_itself(entry.root) as held:
        place = HeldPath(held, tuple(entry.path.split("/")))
        if not entry.after_sha256:
            return None if place.exists() else b""
        if not place.exists() or place.facts().size_bytes > LARGEST_BYTES:
            return None
        data = place.read()
    return data if hashlib.sha256(data).hexdigest() == entry.after_sha256 else None
