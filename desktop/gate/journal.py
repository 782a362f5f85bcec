"""The undo journal: what stood there before a tool wrote, moved or deleted.

The order is what makes it safe: first the old bytes are on disk, then the row that says what is about to
happen, then it happens, then the row says that it has. A process killed in between leaves a row that undo
understands, because it compares hashes and does not trust the row's word. `undo` is the way back.

Work that was given up changes nothing any more, also when it had waited here for another: every change asks
the token of its thread at the last moment (`cancellation`). What had happened by then is in the journal.

Space is bounded: `JournalLimits`. When the total is exceeded the oldest entries lapse, first in, first out. A
file too large to be kept is not changed unless the caller says that the user knows.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from desktop import cancellation
from desktop.database import Connection, Database, Row
from desktop.errors import UserFacing
from desktop.gate.content_store import ContentStore, identity_mark, sha256_of
from desktop.gate.reasons import GateReason
from desktop.sandbox.folder import EntryFacts, EntryKind, facts_of_file
from desktop.sandbox.workspace import HeldPath

MAX_ENTRIES = 20_000  # older ones without bytes are forgotten at start


class ChangeKind(StrEnum):
    WRITE = "write"
    MOVE = "move"
    DELETE = "delete"
    FOLDER = "folder"


class EntryState(StrEnum):
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
    action: ChangeKind
    state: EntryState
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
    def kind(self) -> ChangeKind:
        """What came of it: a file that was kept before a command, and is gone after it, was deleted."""
        is_gone = self.before_sha256 and not self.after_sha256 and self.state is not EntryState.PENDING
        return ChangeKind.DELETE if is_gone and self.action is ChangeKind.WRITE else self.action

    @property
    def was_folder(self) -> bool:
        return self.action is ChangeKind.DELETE and not self.before_sha256

    @property
    def shown(self) -> str:
        return str(self.root / self.path)


def entry_of(row: Row) -> JournalEntry:
    """What a row of the table `journal` says."""
    return JournalEntry(
        id=row["id"],
        at=row["at"],
        origin=Origin(row["tool"], row["call"]),
        action=ChangeKind(row["action"]),
        state=EntryState(row["state"]),
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


@dataclass(frozen=True)
class JournalLimits:
    """How much is kept for undo."""

    total_bytes: int = 1_000_000_000
    file_bytes: int = 250_000_000


@dataclass(frozen=True)
class PriorContent:
    """What stood at a place."""

    sha256: str = ""
    kept: bool = False
    facts: EntryFacts | None = None


NOTHING = PriorContent()
FOLDER_STATE = "folder"  # as `undo` spells what stands there now; no SHA-256 is spelled so


@dataclass(frozen=True)
class PriorFile:
    """What stood at a path before a command, whose bytes are kept under `sha256`."""

    sha256: str
    is_folder: bool
    size_bytes: int
    mode: int
    times_ns: tuple[int, int]  # accessed, modified


@dataclass(frozen=True)
class Change:
    """What a command did to one path. `after_sha256` is empty for a folder, and where nothing is left."""

    path: str
    before: PriorFile | None
    after_sha256: str
    is_folder: bool  # a folder is left


class Journal:
    """Changes files and remembers how they were. Methods may be called on any thread, one works at a time."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        limits: JournalLimits | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`folder` is for the kept bytes; `now` is in seconds since 1970."""
        self._database = database
        self._kept = ContentStore(folder)
        self._limits = limits or JournalLimits()
        self._now = now
        self.lock = threading.RLock()  # undo holds it too

    # -- changing -----------------------------------------------------------------------------

    def write(self, place: HeldPath, content: bytes, origin: Origin, unkept: bool = False) -> int:
        """Write `content` to `place`; returns the entry's id. Its folder must exist.

        Raises UserFacing; `undo-too-large` when the old bytes cannot be kept and `unkept` is not set.
        """
        with self.lock:
            before = self._before(place, unkept)
            after = hashlib.sha256(content).hexdigest()

            def act() -> None:
                place.write(content, replace=before.facts is not None)

            return self._change(ChangeKind.WRITE, place, before, origin, act, after_sha256=after)

    def move(self, place: HeldPath, to: HeldPath, origin: Origin) -> int:
        """Move a file or folder. Needs no bytes to be undone; those of a file are kept where they fit."""
        with self.lock:
            # Whatever its size: to move it back takes no bytes.
            before = self._before(place, unkept=True, read_large=False)
            return self._change(
                ChangeKind.MOVE,
                place,
                before,
                origin,
                lambda: place.move(to),
                after_sha256=before.sha256,
                to_root=str(to.folder.root),
                to_path="/".join(to.parts),
            )

    def delete(
        self,
        place: HeldPath,
        origin: Origin,
        unkept: bool = False,
        how: Callable[[HeldPath], None] = HeldPath.remove,
    ) -> int:
        """Delete a file or an empty folder; `how` may put it into the trash instead."""
        with self.lock:
            before = self._before(place, unkept)
            return self._change(ChangeKind.DELETE, place, before, origin, lambda: how(place))

    def make_folder(self, place: HeldPath, origin: Origin) -> int:
        """Make a folder and those above it that are missing."""
        with self.lock:
            # Counted before: afterwards nobody could tell which of them were there.
            missing = _missing_folders(place)
            return self._change(
                ChangeKind.FOLDER, place, NOTHING, origin, place.make_folder, folders_made=missing
            )

    # -- what others change ----------------------------------------------------------------------

    def keep(self, places: Sequence[HeldPath], call: str) -> tuple[int, ...]:
        """Remember what stands at `places`, which a command is about to change; the entries' ids, in order.

        Undo puts it back. Before `settle` it can only be told apart from a later change where the command
        removed it; then undo asks.
        """
        with self.lock:
            rows = [self._row_kept(place, call) for place in places]
            # All in one transaction: a kill leaves either every entry or none.
            ids = self._database.write(lambda c: tuple(_insert(c, row) for row in rows))
            self._make_room()
            return ids

    def settle(self, entry: JournalEntry, after_sha256: str, action: ChangeKind | None = None) -> None:
        """The command has ended and left this behind."""
        sql = "UPDATE journal SET state = 'done', after_sha256 = ?, action = ?, folders_made = ? WHERE id = ?"
        done = action or entry.action
        values = (after_sha256, done.value, int(done is ChangeKind.FOLDER), entry.id)
        self._database.write(lambda c: c.execute(sql, values))

    def forget(self, entry: JournalEntry) -> None:
        """The command did not change it."""
        with self.lock:
            self._database.write(lambda c: c.execute("DELETE FROM journal WHERE id = ?", (entry.id,)))
            self._let_go(entry.before_sha256)

    def add_made(self, place: HeldPath, call: str, after_sha256: str) -> int:
        """A command has made something new: a file, or a folder where there is no hash."""
        action = ChangeKind.WRITE if after_sha256 else ChangeKind.FOLDER
        more = {"after_sha256": after_sha256, "folders_made": int(not after_sha256)}
        with self.lock:
            entry_id = self._record(action, place, NOTHING, Origin(COMMAND, call), more)
            self._set_done(entry_id)
            return entry_id

    def add_changes(
        self,
        root: Path,
        call: str,
        changes: Sequence[Change],
        kept: ContentStore,
        also: Callable[[Connection], None],
    ) -> tuple[int, ...]:
        """What a command has done to many files of `root`, folders before their content; the entries' ids.

        `kept` holds the bytes from before; they are shared, not copied, where the disk can. `also` is written
        in the same step.
        """

        def write(connection: Connection) -> tuple[int, ...]:
            also(connection)
            return tuple(_insert(connection, row) for row in rows)

        with self.lock:
            rows = [self._row_of(root, call, each, kept) for each in changes]
            ids = self._database.write(write)
            self._make_room()
            return ids

    def _row_of(self, root: Path, call: str, change: Change, kept: ContentStore) -> dict[str, Any]:
        before = change.before
        # Taken over while the copy of the project still has them.
        is_kept = before is not None and bool(before.sha256) and self._kept.adopt(kept, before.sha256)
        was_folder = before is not None and before.is_folder
        action = ChangeKind.DELETE if was_folder else ChangeKind.WRITE
        if before is None and change.is_folder:
            action = ChangeKind.FOLDER
        return {
            "at": self._now(),
            "tool": COMMAND,
            "call": call,
            "action": action.value,
            "state": EntryState.DONE.value,
            "root": str(root),
            "path": change.path,
            "before_sha256": before.sha256 if before else "",
            "after_sha256": FOLDER_STATE if change.is_folder and before is not None else change.after_sha256,
            "kept": is_kept,
            "size_bytes": before.size_bytes if before and before.sha256 else 0,
            "mode": before.mode if before else 0,
            "accessed_ns": before.times_ns[0] if before else 0,
            "modified_ns": before.times_ns[1] if before else 0,
            "folders_made": int(action is ChangeKind.FOLDER),
        }

    def _row_kept(self, place: HeldPath, call: str) -> dict[str, Any]:
        # Thousands of files may be named: waiting for the disk after each would take a minute. Instead they
        # are checked before they are put back.
        before = self._before(place, unkept=True, durable=False)
        is_folder = before.facts is not None and before.facts.kind is EntryKind.FOLDER
        action = ChangeKind.DELETE if is_folder else ChangeKind.WRITE
        return self._row(action, place, before, Origin(COMMAND, call), {})

    # -- looking ------------------------------------------------------------------------------

    def entries(self, limit: int = 100) -> list[JournalEntry]:
        """The newest first."""
        sql = "SELECT * FROM journal ORDER BY id DESC LIMIT ?"
        return self._database.read(lambda c: [entry_of(row) for row in c.execute(sql, (limit,))])

    def entry(self, entry_id: int) -> JournalEntry:
        """Raises UserFacing `undo-unknown`."""
        sql = "SELECT * FROM journal WHERE id = ?"
        row = self._database.read(lambda c: c.execute(sql, (entry_id,)).fetchone())
        if row is None:
            raise UserFacing(GateReason.UNDO_UNKNOWN.of(number=entry_id))
        return entry_of(row)

    def of_call(self, call: str) -> list[JournalEntry]:
        """What one tool call changed, the newest first: the order in which it is undone."""
        sql = "SELECT * FROM journal WHERE call = ? ORDER BY id DESC"
        return self._database.read(lambda c: [entry_of(row) for row in c.execute(sql, (call,))])

    def used_bytes(self) -> int:
        """What the kept bytes take on the disk; the same bytes count once."""
        return self._database.read(_used_bytes)

    @property
    def limits(self) -> JournalLimits:
        """How much may be kept."""
        return self._limits

    def can_keep(self, place: HeldPath) -> bool:
        """Whether a change of what is at `place` could be undone; False for a file that is too large."""
        if not place.exists():
            return True
        facts = place.facts()
        return facts.kind is not EntryKind.FILE or facts.size_bytes <= self._file_limit

    # -- keeping house ------------------------------------------------------------------------

    def tidy(self) -> None:
        """At start: remove what a killed process left half written and what no entry names any more."""
        with self.lock:
            self._kept.clear_temporary()
            sql = "SELECT DISTINCT before_sha256 FROM journal WHERE kept"
            named = self._database.read(lambda c: {row[0] for row in c.execute(sql)})
            # A process was killed between keeping the bytes and noting them.
            for sha256 in set(self._kept.names()) - named:
                self._kept.forget(sha256)
            self._database.write(
                lambda c: c.execute(
                    "DELETE FROM journal WHERE NOT kept AND id <= (SELECT max(id) FROM journal) - ?",
                    (MAX_ENTRIES,),
                )
            )

    def free(self) -> int:
        """Give up all kept bytes; returns how many entries can no longer be undone. Moves still can."""
        with self.lock:
            lapsed = self._database.write(_lapse_all)
            for sha256 in tuple(self._kept.names()):
                self._kept.forget(sha256)
        return lapsed

    def set_undone(self, entry: JournalEntry) -> None:
        """The way back was taken: its bytes are needed no more."""
        sql = "UPDATE journal SET state = 'undone', kept = 0 WHERE id = ?"
        self._database.write(lambda c: c.execute(sql, (entry.id,)))
        self._let_go(entry.before_sha256)

    def open_kept(self, entry: JournalEntry) -> BinaryIO:
        """The bytes from before, to be read. FileNotFoundError when they are gone, or are not whole."""
        # Those were not waited for on the disk, so a power cut may have left half of them.
        if entry.is_of_command and not self._kept.is_whole(entry.before_sha256):
            raise FileNotFoundError(entry.before_sha256)
        return self._kept.open(entry.before_sha256)

    @property
    def _file_limit(self) -> int:
        return min(self._limits.file_bytes, self._limits.total_bytes)

    # -- how ----------------------------------------------------------------------------------

    def _before(
        self, place: HeldPath, unkept: bool, durable: bool = True, read_large: bool = True
    ) -> PriorContent:
        """Keep what is at `place`. Raises UserFacing for a file that is too large.

        `read_large`: a file that is not kept is read once, for its hash.
        """
        if not place.exists():
            return NOTHING
        if place.facts().kind is EntryKind.FOLDER:
            return PriorContent(facts=place.facts())
        with place.open_file(linked=True) as file:
            facts = facts_of_file(file)
            # One film must not drive out the way back for everything else.
            if facts.size_bytes > self._file_limit:
                if not unkept:
                    raise _too_large(place, self._file_limit)
                mark = sha256_of(file) if read_large else identity_mark(file)
                return PriorContent(mark, kept=False, facts=facts)
            kept = self._kept.keep_file(file, durable)
        return PriorContent(kept.sha256, kept=True, facts=facts)

    def _change(
        self,
        action: ChangeKind,
        place: HeldPath,
        before: PriorContent,
        origin: Origin,
        act: Callable[[], object],
        **more: Any,
    ) -> int:
        cancellation.check()
        with cancellation.shielded():
            entry_id = self._record(action, place, before, origin, more)
        try:
            _check_unchanged(place, before)
            act()
        except BaseException:
            with cancellation.shielded():
                happened = self._settle_failed(entry_id, place, before)
            if happened:
                cancellation.changed(entry_id)
            raise
        cancellation.changed(entry_id)
        with cancellation.shielded():
            self._set_done(entry_id)
            self._make_room()
        return entry_id

    def _settle_failed(self, entry_id: int, place: HeldPath, before: PriorContent) -> bool:
        """What failed may have happened all the same; then the way back stays, and this says True."""
        happened = not _is_unchanged(place, before)
        if happened:
            self._set_done(entry_id)
        else:
            self._database.write(lambda c: c.execute("DELETE FROM journal WHERE id = ?", (entry_id,)))
            self._let_go(before.sha256)
        return happened

    def _record(
        self, action: ChangeKind, place: HeldPath, before: PriorContent, origin: Origin, more: dict[str, Any]
    ) -> int:
        row = self._row(action, place, before, origin, more)
        return self._database.write(lambda c: _insert(c, row))

    def _row(
        self, action: ChangeKind, place: HeldPath, before: PriorContent, origin: Origin, more: dict[str, Any]
    ) -> dict[str, Any]:
        facts = before.facts
        return {
            "at": self._now(),
            "tool": origin.tool,
            "call": origin.call,
            "action": action.value,
            "state": EntryState.PENDING.value,
            "root": str(place.folder.root),
            "path": "/".join(place.parts),
            "before_sha256": before.sha256,
            "kept": before.kept,
            "size_bytes": facts.size_bytes if facts and before.sha256 else 0,
            "mode": facts.mode if facts else 0,
            "accessed_ns": facts.accessed_ns if facts else 0,
            "modified_ns": facts.modified_ns if facts else 0,
            **more,
        }

    def _set_done(self, entry_id: int) -> None:
        sql = "UPDATE journal SET state = 'done' WHERE id = ?"
        self._database.write(lambda c: c.execute(sql, (entry_id,)))

    def _make_room(self) -> None:
        """Let the oldest entries lapse until the kept bytes fit; never the newest."""
        while self.used_bytes() > self._limits.total_bytes:
            lapsed = self._database.write(_lapse_oldest)
            if not lapsed:
                return
            self._let_go(lapsed)

    def _let_go(self, sha256: str) -> None:
        sql = "SELECT 1 FROM journal WHERE before_sha256 = ? AND kept LIMIT 1"
        if sha256 and not self._database.read(lambda c: c.execute(sql, (sha256,)).fetchone()):
            self._kept.forget(sha256)


def _insert(connection: Connection, row: dict[str, Any]) -> int:
    names = ", ".join(row)
    values = ", ".join(f":{name}" for name in row)
    sql = f"INSERT INTO journal ({names}) VALUES ({values})"  # noqa: S608 - names are written above
    return int(connection.execute(sql, row).lastrowid or 0)


def _used_bytes(connection: Connection) -> int:
    each = "SELECT max(size_bytes) AS size FROM journal WHERE kept GROUP BY before_sha256"
    return int(connection.execute(f"SELECT sum(size) FROM ({each})").fetchone()[0] or 0)  # noqa: S608


def _lapse_oldest(connection: Connection) -> str:
    """The hash of the bytes that an entry gives up; empty when only the newest entry has any."""
    row = connection.execute(
        "SELECT id, before_sha256 FROM journal WHERE kept AND id < (SELECT max(id) FROM journal) "
        "ORDER BY id LIMIT 1"
    ).fetchone()
    if row is None:
        return ""
    connection.execute("UPDATE journal SET kept = 0 WHERE id = ?", (row["id"],))
    # A move needs no bytes.
    connection.execute(
        "UPDATE journal SET state = 'lapsed' WHERE id = ? AND state = 'done' AND action != 'move'",
        (row["id"],),
    )
    return str(row["before_sha256"])


def _lapse_all(connection: Connection) -> int:
    """Every entry gives its bytes up. What made something new needs none and stays as it is."""
    lapsed = connection.execute(
        "UPDATE journal SET state = 'lapsed' WHERE kept AND state = 'done' AND action != 'move'"
    ).rowcount
    connection.execute("UPDATE journal SET kept = 0 WHERE kept")
    return lapsed


def _is_unchanged(place: HeldPath, before: PriorContent) -> bool:
    """Whether what stands at `place` is what was looked at, by kind, size and time of the last change."""
    if not place.exists():
        return before.facts is None
    now, then = place.facts(), before.facts
    if then is None:
        return False
    return (now.kind, now.size_bytes, now.modified_ns) == (then.kind, then.size_bytes, then.modified_ns)


def _check_unchanged(place: HeldPath, before: PriorContent) -> None:
    """Somebody may have saved the file while its bytes were being kept."""
    if not _is_unchanged(place, before):
        raise UserFacing(GateReason.CHANGED_MEANWHILE.of(path=place.shown))


def _missing_folders(place: HeldPath) -> int:
    depths = range(1, len(place.parts) + 1)
    return sum(not HeldPath(place.folder, place.parts[:depth]).exists() for depth in depths)


def _too_large(place: HeldPath, limit_bytes: int) -> UserFacing:
    return UserFacing(GateReason.UNDO_TOO_LARGE.of(path=place.shown, limit=limit_bytes))
