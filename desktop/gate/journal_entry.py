"""One line of the undo journal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.database import Row


class Action(StrEnum):
    WRITE = "write"
    MOVE = "move"
    DELETE = "delete"
    FOLDER = "folder"


class State(StrEnum):
    PENDING = "pending"  # about to happen, or a process was killed then
    DONE = "done"
    UNDONE = "undone"
    LAPSED = "lapsed"  # its bytes made room for newer ones


@dataclass(frozen=True)
class Origin:
    """Who changes: the tool, and the id of its call (all entries of a call belong together)."""

    tool: str
    call: str = ""


COMMAND = "command"  # the tool of entries that were made before somebody else's command ran


@dataclass(frozen=True)
class JournalEntry:
    """One change. Hashes are SHA-256; empty where there was, or is, no file."""

    id: int
    at: float  # seconds since 1970
    origin: Origin
    action: Action
    state: State
    root: Path
    path: str  # beneath root
    to_root: Path  # of a move; else the same
    to_path: str
    before_sha256: str
    after_sha256: str
    kept: bool  # whether the bytes from before are there
    size_bytes: int  # of them
    mode: int
    times_ns: tuple[int, int]  # accessed, modified
    folders_made: int

    @property
    def is_of_command(self) -> bool:
        """Whether another program made the change; then what it left behind is known once it has ended."""
        return self.origin.tool == COMMAND

    @property
    def was_folder(self) -> bool:
        return self.action is Action.DELETE and not self.before_sha256

    @property
    def shown(self) -> str:
        return str(self.root / self.path)


def entry_of(row: Row) -> JournalEntry:
    """What a row of the table `journal` says."""
    return JournalEntry(
        id=row["id"],
        at=row["at"],
        origin=Origin(row["tool"], row["call"]),
        action=Action(row["action"]),
        state=State(row["state"]),
        root=Path(row["root"]),
        path=row["path"],
        to_root=Path(row["to_root"] or row["root"]),
        to_path=row["to_path"],
        before_sha256=row["before_sha256"],
        after_sha256=row["after_sha256"],
        kept=bool(row["kept"]),
        size_bytes=row["size_bytes"],
        mode=row["mode"],
        times_ns=(row["accessed_ns"], row["modified_ns"]),
        folders_made=row["folders_made"],
    )
