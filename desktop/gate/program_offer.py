"""What the dialog says of a yes to programs by name: its words, three lines it covers, one it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.gate.grants import Covers, Kind


@dataclass(frozen=True)
class ProgramOffer:
    """`words` complete "Allow …". `covered` will not be asked again, `not_covered` will."""

    words: str
    covered: tuple[str, ...]
    not_covered: str


_FILES_COVERED = (
    "mkdir -p notes",
    "echo done > notes/result.txt",
    "touch notes/a.txt && cp notes/a.txt notes/b.txt",
)
_SCRATCH_COVERED = (
    "echo x > /tmp/scratch-notes.txt",
    "mkdir -p /tmp/scratch-notes/new",
    "git diff > /tmp/scratch-changes.diff",
)
_SCRATCH_NOT_COVERED = "rm /tmp/scratch-notes.txt"
_FILES_NOT_COVERED = "rm notes/a.txt"


def offer_of(covers: Sequence[Covers]) -> ProgramOffer | None:
    """None where nothing is covered. All of `covers` are in one project."""
    if not covers:
        return None
    names = [each.text for each in covers if each.kind is Kind.PROGRAM]
    files = [each for each in covers if each.kind is Kind.FILES]
    parts = [f"`{name} …`" for name in names]
    if files:
        parts.append("commands that only make and change files there")
    if any(each.kind is Kind.SCRATCH for each in covers):
        parts.append("new files in /tmp")
    words = f"in {covers[0].folder}: {', '.join(parts)}"
    if not names and files:
        return ProgramOffer(words, _FILES_COVERED, _FILES_NOT_COVERED)
    if not names:
        return ProgramOffer(words, _SCRATCH_COVERED, _SCRATCH_NOT_COVERED)
    name, *_ = names = [each.replace("*", "another") for each in names]  # scripts of a kind: one of them
    covered = (name, f"{name} 2>&1 | tail -20", f"{' && '.join(names)} && git status --short")
    return ProgramOffer(words, covered, f"{name} && git push")
