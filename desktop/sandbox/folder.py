"""A folder and what tools do beneath it: the contract, and what both ways of keeping it share.

Everything is named by its components beneath the folder. `held_folder` keeps the contract without any
race; `checked_folder` stands in where the system has no descriptors of folders (Windows).
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.reasons import Reason
from desktop.sandbox import refusals
from desktop.sandbox.refusals import SandboxReason

Parts = Sequence[str]
READ_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
)
BLOCK_BYTES = 256 * 1024


class EntryKind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"  # pipe, socket or device


@dataclass(frozen=True)
class EntryFacts:
    """Facts of the thing itself; a link is not followed. Times are nanoseconds since 1970."""

    kind: EntryKind
    size_bytes: int
    mode: int  # permission bits alone
    modified_ns: int
    accessed_ns: int
    links: int = 1  # how many names it has, here and elsewhere; of a folder always 1

    @property
    def has_other_names(self) -> bool:
        """Whether the same file has a name elsewhere too (a hard link), perhaps where nothing may be used."""
        return self.links > 1


@dataclass(frozen=True)
class Entry:
    """One name in a folder."""

    name: str
    facts: EntryFacts


def facts_of(status: os.stat_result) -> EntryFacts:
    return EntryFacts(
        kind=_kind(status.st_mode),
        size_bytes=status.st_size,
        mode=stat.S_IMODE(status.st_mode) & 0o777,
        modified_ns=status.st_mtime_ns,
        accessed_ns=status.st_atime_ns,
        # On many file systems a folder counts the folders in it, which are no second names.
        links=max(1, status.st_nlink) if stat.S_ISREG(status.st_mode) else 1,
    )


def _kind(mode: int) -> EntryKind:
    if stat.S_ISREG(mode):
        return EntryKind.FILE
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    return EntryKind.LINK if stat.S_ISLNK(mode) else EntryKind.OTHER


def _kind_of_other(mode: int) -> Reason:
    """What a thing that is neither file nor folder nor link is called; `mode` as from stat."""
    if stat.S_ISFIFO(mode):
        return SandboxReason.A_PIPE.of()
    if stat.S_ISSOCK(mode):
        return SandboxReason.A_SOCKET.of()
    return SandboxReason.A_DEVICE.of()


def facts_of_file(file: BinaryIO) -> EntryFacts:
    """The facts of what is open, whatever its name means by now."""
    return facts_of(os.fstat(file.fileno()))


class ForbiddenFolder(Exception):
    """The way leads into a folder that is never opened."""


class Folder(ABC):
    """Methods may be called on any thread at the same time; each raises UserFacing for what is refused."""

    def __init__(
        self, path: Path, forbidden: Iterable[Path] = (), sync: Callable[[int], None] = os.fsync
    ) -> None:
        """Hold `path`, which must exist; links in `path` itself are followed once, now.

        Nothing in `forbidden` is opened even if it lies beneath. `sync` puts a written descriptor on disk.
        """
        try:
            self.root = Path(os.path.realpath(path))
        except OSError as error:  # something is put in the place of something else at this moment
            raise refusals.from_os(error, str(path)) from error
        self._forbidden = tuple(p for p in map(_real, forbidden) if p.is_relative_to(self.root))
        self._sync = sync
        self._lock = threading.Lock()

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let go of the folder; what is under way is finished. Safe to call twice."""

    @abstractmethod
    def open_file(self, parts: Parts, linked: bool = False) -> BinaryIO:
        """The ordinary file at `parts`, open for reading; the caller closes it.

        One that has other names too is refused with OtherNames unless `linked`: then nobody is shown what it
        holds, or the user has agreed.
        """

    @abstractmethod
    def facts(self, parts: Parts) -> EntryFacts:
        """What stands at `parts`; a link is described, not followed."""

    @abstractmethod
    def entries(self, parts: Parts) -> list[Entry]:
        """What is in the folder at `parts`, by name."""

    @abstractmethod
    def write(
        self,
        parts: Parts,
        content: bytes | Iterable[bytes],
        replace: bool = True,
        mode: int | None = None,
        times_ns: tuple[int, int] | None = None,
    ) -> None:
        """Put `content` at `parts`, whole or not at all, also when the process is killed or the work given
        up.

        The permission bits of a file that is replaced are kept unless `mode` is given; its owner, links and
        extended attributes are not. `times_ns` are accessed and modified. Its folder must exist.
        """

    @abstractmethod
    def make_folder(self, parts: Parts) -> int:
        """Make the folder at `parts` and those above it that are missing; returns how many were made."""

    @abstractmethod
    def set_folder(self, parts: Parts, mode: int, times_ns: tuple[int, int]) -> None:
        """Give the folder at `parts` its permission bits and its times, accessed and modified."""

    @abstractmethod
    def move(self, parts: Parts, to: Folder, to_parts: Parts) -> None:
        """Rename a file or folder, within this folder or into `to`; never replaces anything."""

    @abstractmethod
    def remove(self, parts: Parts) -> None:
        """Remove a file or an empty folder, for good."""

    def read(
        self, parts: Parts, offset: int = 0, limit_bytes: int | None = None, linked: bool = False
    ) -> bytes:
        """The bytes from `offset` on, at most `limit_bytes` of them; `linked` as for `open_file`."""
        with self.open_file(parts, linked) as file, self._told(parts):
            file.seek(offset)
            return file.read(-1 if limit_bytes is None else limit_bytes)

    def exists(self, parts: Parts) -> bool:
        try:
            self.facts(parts)
        except UserFacing as refusal:
            if refusal.code in ("path-missing", "path-not-folder"):
                return False
            raise
        return True

    def shown(self, parts: Parts) -> str:
        """How `parts` are named to the user."""
        return "/".join(parts) or str(self.root)

    # -- for both ways ------------------------------------------------------------------------

    def _refuse_own(self, parts: Parts) -> None:
        path = self.root.joinpath(*parts)
        # Both ways: a folder above takes what is forbidden along when it is moved or removed.
        if any(own.is_relative_to(path) or path.is_relative_to(own) for own in self._forbidden):
            raise refusals.own_files(self.shown(parts))

    def _refuse_root(self, parts: Parts) -> None:
        if not parts:
            raise refusals.bad_path(SandboxReason.PATH_ROOT, str(self.root))

    def _check_plain(self, parts: Parts, mode: int, folder_too: bool = False) -> None:
        if stat.S_ISREG(mode) or (folder_too and stat.S_ISDIR(mode)):
            return
        shown = self.shown(parts)
        if stat.S_ISDIR(mode):
            raise refusals.from_os(OSError(errno.EISDIR, ""), shown)
        raise refusals.link(shown) if stat.S_ISLNK(mode) else refusals.not_plain(shown, _kind_of_other(mode))

    def _check_opened(self, parts: Parts, descriptor: int, linked: bool) -> None:
        """Judge what was opened, whatever its name means by now."""
        found = os.fstat(descriptor)
        self._check_plain(parts, found.st_mode)
        if not linked and facts_of(found).has_other_names:
            raise refusals.OtherNames(self.root.joinpath(*parts))

    def _check_replaceable(self, parts: Parts, before: os.stat_result) -> None:
        self._check_plain(parts, before.st_mode)
        if not before.st_mode & 0o222:  # renaming over it would work, but its owner said no
            raise OSError(errno.EACCES, "")

    @contextmanager
    def _told(self, parts: Parts) -> Iterator[None]:
        """Turns what the system refuses into the user's words."""
        try:
            yield
        except ForbiddenFolder as error:
            raise refusals.own_files(self.shown(parts)) from error
        except OSError as error:
            raise self._reason(error, parts) from error

    def _reason(self, error: OSError, parts: Parts) -> UserFacing:
        # Only for the words: the walk without openat2 sees "no folder" where a link was in the way.
        if error.errno == errno.ENOTDIR and self._has_link(parts):
            return refusals.link(self.shown(parts))
        return refusals.from_os(error, self.shown(parts))

    def _has_link(self, parts: Parts) -> bool:
        places = (self.root.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1))
        return any(place.is_symlink() for place in places)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def fill(
    file: BinaryIO,
    content: bytes | Iterable[bytes],
    mode: int | None,
    times_ns: tuple[int, int] | None,
    sync: Callable[[int], None],
) -> None:
    """Write `content` to the new `file` and put it on disk, with its permission bits and times."""
    for block in (content,) if isinstance(content, bytes) else content:
        cancellation.check()
        file.write(block)
    file.flush()
    # By the open file: its name may mean something else by now.
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), mode)
    if times_ns is not None and os.utime in os.supports_fd:
        os.utime(file.fileno(), ns=times_ns)
    # Before the file gets its name: after a power cut there must be the old text or the new one, and no empty
    # file.
    sync(file.fileno())


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """The rest of `file`, piece by piece. Raises Cancelled when the work was given up."""
    while block := file.read(BLOCK_BYTES):
        yield block
        cancellation.check()
