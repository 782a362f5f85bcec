"""Copies of a whole project, kept before a command whose effects nobody knows, so that Undo takes it back.

`begin` looks through the project and keeps what has changed since it looked last: the first time all,
later next to nothing. `settle`, once the command has ended, writes into the journal what became of it: one
call, undone as one. First the bytes are kept; what is known of the project and the journal's rows are written
in one step, so that a kill at any moment leaves either the old knowledge or the new.

Folders that are made again (`node_modules`, `.venv`: resources/project_mode.toml) are not kept, nor are links
and devices. Git's objects never change and are many: they are kept as hard links.

Other commands may be at work in the project meanwhile. So it is looked through from its own descriptor, and
what a link leads to is neither kept nor ever put back into the project. POSIX only.
"""

from __future__ import annotations

import errno
import glob
import os
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import structlog

from desktop.database import Connection, Database
from desktop.errors import UserFacing
from desktop.gate.content_store import ContentStore, sha256_of
from desktop.gate.journal import Change, Journal, PriorFile
from desktop.gate.projects import is_rebuilt
from desktop.gate.reasons import GateReason
from desktop.reasons import Reason
from desktop.sandbox.folder import READ_FLAGS
from desktop.sandbox.held_folder import FOLDER_FLAGS, open_beneath, open_without_links

log = structlog.get_logger(__name__)

MOST_ROOTS = 8  # projects of which every file is known without the database: 300 bytes for each
RACY_NS = 50_000_000  # what was changed just before it was looked at may change again unseen


@dataclass(frozen=True)
class CopyLimits:
    """How much of a project is kept; above it a command asks."""

    files: int = 60_000
    total_bytes: int = 2_000_000_000
    file_bytes: int = 100_000_000


class TooMuchToKeep(UserFacing):
    """The project has more than is kept."""


class _Kind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    OBJECT = "object"  # of git: never changed, only made and removed


@dataclass(frozen=True)
class _Seen:
    """What stood at a path. `stamp` tells whether it is still the same without reading it."""

    kind: _Kind
    mode: int
    size_bytes: int
    times_ns: tuple[int, int]
    stamp: str
    sha256: str = ""


@dataclass(frozen=True)
class _Difference:
    path: str
    before: _Seen | None
    after: _Seen | None

    @property
    def is_no_folder_now(self) -> bool:
        """A file has taken the place of a folder: it is undone first, before what was in the folder."""
        was_folder = self.before is not None and self.before.kind is _Kind.FOLDER
        return was_folder and self.after is not None and self.after.kind is not _Kind.FOLDER


@dataclass(frozen=True)
class _Look:
    """What was known of a project, and what stands there now."""

    root: str
    known: dict[str, _Seen]
    now: dict[str, _Seen]

    @property
    def is_news(self) -> bool:
        return self.known != self.now

    def rows(self) -> list[tuple[object, ...]]:
        """What is new, for the table."""
        return [
            (self.root, path, seen.kind, seen.mode, seen.size_bytes, *seen.times_ns, seen.stamp, seen.sha256)
            for path, seen in self.now.items()
            if self.known.get(path) != seen
        ]

    def differences(self) -> list[_Difference]:
        """What somebody has changed, folders before their content: undone in the reverse order.

        New objects of git are left out: later commits may need them, and nobody is harmed by one too many.
        """
        found = [
            _Difference(path, self.known.get(path), seen)
            for path, seen in self.now.items()
            if not _is_same(self.known.get(path), seen)
            and not (path not in self.known and _is_object(f"{path}/"))
        ]
        found += [_Difference(path, seen, None) for path, seen in self.known.items() if path not in self.now]
        return sorted(found, key=lambda each: (each.is_no_folder_now, each.path.split("/")))


class ProjectCopies:
    """Methods may be called on any thread but the main one; one works at a time."""

    def __init__(
        self, database: Database, journal: Journal, folder: Path, limits: CopyLimits | None = None
    ) -> None:
        """`folder` is for the kept bytes; on the disk of the journal's they are shared with it."""
        self._database = database
        self._journal = journal
        self._folder = folder
        self._limits = limits or CopyLimits()
        self._lock = threading.Lock()
        self._known: OrderedDict[str, dict[str, _Seen]] = OrderedDict()  # by root, the latest last

    def begin(self, root: Path, call: str) -> None:
        """A command is about to run in `root`: keep what it may change. Raises UserFacing, OSError."""
        with self._lock:
            real = os.path.realpath(root)
            waiting = self._open_calls(real)
            look = self._look(real)
            # While another command runs, what has changed is put down to the one that began first.
            self._learn(look, waiting[0] if waiting else "")
            self._database.write(
                lambda c: c.execute(
                    "INSERT OR REPLACE INTO project_calls (call, root, at) VALUES (?, ?, ?)",
                    (call, real, time.time()),
                )
            )

    def settle(self, call: str) -> tuple[int, ...]:
        """The command has ended: the journal's entries of what it changed, the newest first.

        Harmless for a call that `begin` was not told of. Raises UserFacing, OSError.
        """
        with self._lock:
            sql = "SELECT root FROM project_calls WHERE call = ?"
            row = self._database.read(lambda c: c.execute(sql, (call,)).fetchone())
            if row is None:
                return ()
            # A link in its place is somebody else's folder.
            if os.path.isdir(row["root"]) and os.path.realpath(row["root"]) == row["root"]:
                self._learn(self._look(row["root"]), call)
            self._database.write(lambda c: c.execute("DELETE FROM project_calls WHERE call = ?", (call,)))
        return tuple(entry.id for entry in self._journal.of_call(call))

    @property
    def is_open(self) -> bool:
        """Whether a command has not been settled: of this process, or of one that was killed."""
        sql = "SELECT 1 FROM project_calls LIMIT 1"
        return self._database.read(lambda c: c.execute(sql).fetchone()) is not None

    def recover(self) -> None:
        """At start: settle what a killed process left open."""
        sql = "SELECT call FROM project_calls ORDER BY at"
        for row in self._database.read(lambda c: c.execute(sql).fetchall()):
            try:
                self.settle(row["call"])
            except (UserFacing, OSError) as error:
                log.warning("a project could not be looked at", call=row["call"], reason=str(error))

    def would_keep(self, root: Path, paths: Iterable[str]) -> bool:
        """Whether all these absolute paths in `root`, patterns among them, are what `begin` keeps."""
        real = os.path.realpath(root)
        for path in paths:
            for each in glob.glob(path) or [path]:
                relative = os.path.relpath(each, real)
                # The repository itself is not put back file by file: half of one is worse than none.
                if relative.split(os.sep)[0] in ("..", ".", ".git") or not _is_kept(each, relative):
                    return False
        return True

    # -- looking ----------------------------------------------------------------------------------

    def _look(self, root: str) -> _Look:
        """Keep the bytes of all that is new; nothing of what was known is forgotten yet."""
        known = self._knowledge(root)
        kept = self._kept(root)
        now: dict[str, _Seen] = {}
        size_bytes = 0
        with _HeldProject(root) as project:
            for path, seen in _walk(project):
                size_bytes += seen.size_bytes if seen.kind is _Kind.FILE else 0
                if seen.kind is _Kind.FILE and seen.size_bytes > self._limits.file_bytes:
                    raise _too_much(
                        GateReason.FILE_TOO_LARGE.of(path=path, size_mb=self._limits.file_bytes // 1_000_000)
                    )
                if len(now) >= self._limits.files or size_bytes > self._limits.total_bytes:
                    raise _too_much(GateReason.TOO_MANY_FILES.of(folder=root, files=self._limits.files))
                before = known.get(path)
                # Equal stamps: not read again, or every command would cost the reading of the project.
                is_known = before is not None and before.stamp == seen.stamp and before.kind is seen.kind
                now[path] = before if before is not None and is_known else _keep(project, path, seen, kept)
        return _Look(root, known, now)

    def _learn(self, look: _Look, call: str) -> None:
        """Write down what stands there now and, in the same step, what `call` has changed."""
        kept = self._kept(look.root)
        with _HeldProject(look.root) as project:
            changes = [_change(each, project, kept) for each in look.differences()] if call else []

        def write(connection: Connection) -> None:
            connection.executemany(
                "INSERT OR REPLACE INTO project_files (root, path, kind, mode, size_bytes, accessed_ns, "
                "modified_ns, stamp, sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                look.rows(),
            )
            gone = [(look.root, path) for path in look.known if path not in look.now]
            connection.executemany("DELETE FROM project_files WHERE root = ? AND path = ?", gone)

        if changes:
            self._journal.add_changes(Path(look.root), call, changes, kept, also=write)
        elif look.is_news:
            self._database.write(write)
        self._remember(look.root, look.now)
        self._forget(look, {each.before.sha256 for each in changes if each.before is not None})

    def _forget(self, look: _Look, written_down: set[str]) -> None:
        """Bytes that nothing known has any more; the journal has its own by now."""
        used = {each.sha256 for each in look.now.values()}
        old = {seen.sha256 for path, seen in look.known.items() if look.now.get(path) != seen}
        for digest in (old | written_down) - used - {""}:
            self._kept(look.root).forget(digest)

    # -- what is known --------------------------------------------------------------------------------

    def _open_calls(self, root: str) -> list[str]:
        sql = "SELECT call FROM project_calls WHERE root = ? ORDER BY at, call"
        return self._database.read(lambda c: [row["call"] for row in c.execute(sql, (root,))])

    def _knowledge(self, root: str) -> dict[str, _Seen]:
        known = self._known.get(root)
        if known is None:
            sql = "SELECT * FROM project_files WHERE root = ?"
            known = self._database.read(
                lambda c: {
                    row["path"]: _Seen(
                        _Kind(row["kind"]),
                        row["mode"],
                        row["size_bytes"],
                        (row["accessed_ns"], row["modified_ns"]),
                        row["stamp"],
                        row["sha256"],
                    )
                    for row in c.execute(sql, (root,))
                }
            )
            self._tidy(root, known)
            self._remember(root, known)
        return known

    def _remember(self, root: str, known: dict[str, _Seen]) -> None:
        """Of a project that is not worked in any more it stands in the database alone."""
        self._known[root] = known
        self._known.move_to_end(root)
        while len(self._known) > MOST_ROOTS:
            self._known.popitem(last=False)

    def _tidy(self, root: str, known: dict[str, _Seen]) -> None:
        """Remove what a killed process has kept and not written down."""
        kept = self._kept(root)
        kept.clear_temporary()
        named = {seen.sha256 or _link_name(path) for path, seen in known.items()}
        for name in set(kept.names()) - named:
            kept.forget(name)

    def _kept(self, root: str) -> ContentStore:
        return ContentStore(self._folder / sha256(os.fsencode(root)).hexdigest()[:16])


class _HeldProject:
    """A project by its descriptor; paths are relative, with slashes. A context manager, one thread."""

    def __init__(self, root: str) -> None:
        """Raises OSError, also where a link is in the name of `root`, which was resolved before."""
        self._descriptor = open_without_links(Path(root))

    def __enter__(self) -> _HeldProject:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    @contextmanager
    def folder(self, path: str) -> Iterator[int]:
        """Its descriptor. Raises OSError; see `_is_no_longer_there`."""
        found = open_beneath(self._descriptor, path.split("/") if path else (), FOLDER_FLAGS)
        try:
            yield found
        finally:
            os.close(found)

    def open_file(self, path: str) -> BinaryIO | None:
        """Open to be read; None for what is no plain file. Neither follows a link nor waits for a pipe."""
        found = open_beneath(self._descriptor, path.split("/"), READ_FLAGS)
        if not stat.S_ISREG(os.fstat(found).st_mode):
            os.close(found)
            return None
        return os.fdopen(found, "rb")


def _is_no_longer_there(error: OSError) -> bool:
    """Whether a path was given to something else since it was seen: gone, led through a link, moved away."""
    return error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)


def _keep(project: _HeldProject, path: str, seen: _Seen, kept: ContentStore) -> _Seen:
    if seen.kind is _Kind.FOLDER:
        return seen
    try:
        if seen.kind is _Kind.OBJECT:
            above, _, name = path.rpartition("/")
            with project.folder(above) as folder:
                kept.link(folder, name, _link_name(path))
            return seen
        file = project.open_file(path)
    except OSError as error:
        if not _is_no_longer_there(error):
            raise
        return seen  # the next look tells
    if file is None:
        return seen
    with file:
        return replace(seen, sha256=kept.keep_file(file, durable=False).sha256)


def _walk(project: _HeldProject) -> Iterator[tuple[str, _Seen]]:
    """Every file and folder that is kept, folders before their content."""
    now_ns = time.time_ns()
    waiting = [""]
    while waiting:
        above = waiting.pop()
        for name, status in _listed(project, above):
            path = f"{above}/{name}" if above else name
            if not _is_storable(path):
                continue
            if stat.S_ISDIR(status.st_mode):
                # Tens of thousands of files that one command brings back.
                if is_rebuilt(name):
                    continue
                waiting.append(path)
                yield path, _seen(_Kind.FOLDER, status, now_ns)
            # Sockets and devices hold nothing to bring back.
            elif stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IRUSR:
                yield path, _seen(_Kind.OBJECT if _is_object(path) else _Kind.FILE, status, now_ns)


def _listed(project: _HeldProject, path: str) -> list[tuple[str, os.stat_result]]:
    """What is in a folder, by name; nothing where that cannot be told."""
    found = []
    try:
        with project.folder(path) as folder, os.scandir(folder) as entries:
            for entry in entries:
                try:
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
                except FileNotFoundError:
                    continue
    # A command may run beside the look, and a folder of somebody else's cannot be changed by it either.
    except OSError as error:
        if not _is_no_longer_there(error) and not isinstance(error, PermissionError):
            raise
    return sorted(found)


def _is_storable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_object(path: str) -> bool:
    """`.git/objects/ab/…`: named by its content."""
    return "/.git/objects/" in f"/{path}" and not path.endswith((".tmp", ".lock"))


def _seen(kind: _Kind, status: os.stat_result, now_ns: int) -> _Seen:
    mode = stat.S_IMODE(status.st_mode)
    if kind is _Kind.FOLDER:
        stamp = f"{mode:o}"  # its times change with its content
    elif kind is _Kind.OBJECT:  # a hard link to it changes the time of its last change of state
        stamp = f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}"
    else:
        # Within one tick of the file system's clock two changes have one time: such a stamp never matches.
        racy = "~" if status.st_ctime_ns > now_ns - RACY_NS else ""
        stamp = f"{status.st_ino}.{status.st_size}.{status.st_mtime_ns}.{status.st_ctime_ns}{racy}"
    size_bytes = 0 if kind is _Kind.FOLDER else status.st_size
    return _Seen(kind, mode, size_bytes, (status.st_atime_ns, status.st_mtime_ns), stamp)


def _is_same(before: _Seen | None, after: _Seen) -> bool:
    """Whether a command has left it as it was: content, permissions, and the time of the last change."""
    if before is None or before.kind is not after.kind or before.mode != after.mode:
        return False
    if after.kind is _Kind.FOLDER:
        return True
    if after.kind is _Kind.OBJECT:
        # Git names an object by its content, so another content has another name.
        return before.size_bytes == after.size_bytes
    # The time of reading changes by looking and counts for nothing.
    return before.sha256 == after.sha256 and before.times_ns[1] == after.times_ns[1]


def _change(difference: _Difference, project: _HeldProject, kept: ContentStore) -> Change:
    before, after = difference.before, difference.after
    stood = None
    if before is not None:
        digest = before.sha256
        if before.kind is _Kind.OBJECT:
            digest = kept.rename_by_content(_link_name(difference.path))
        stood = PriorFile(
            digest, before.kind is _Kind.FOLDER, before.size_bytes, before.mode, before.times_ns
        )
    left = ""
    if after is not None and after.kind is not _Kind.FOLDER:
        left = after.sha256 or _sha256_at(project, difference.path)
    return Change(difference.path, stood, left, after is not None and after.kind is _Kind.FOLDER)


def _sha256_at(project: _HeldProject, path: str) -> str:
    try:
        file = project.open_file(path)
    except OSError:
        return ""
    if file is None:
        return ""
    with file:
        return sha256_of(file)


def _link_name(path: str) -> str:
    return "object-" + sha256(path.encode()).hexdigest()


def _is_kept(path: str, relative: str) -> bool:
    """Whether a file, or a folder with all that is in it, is kept."""
    if is_rebuilt(relative) or os.path.islink(path):
        return False
    return not any(
        is_rebuilt(name) or os.path.islink(os.path.join(folder, name))
        for folder, folders, files in os.walk(path)
        for name in (*folders, *files)
    )


def _too_much(what: Reason) -> TooMuchToKeep:
    return TooMuchToKeep(GateReason.PROJECT_TOO_LARGE.of(what=what))
