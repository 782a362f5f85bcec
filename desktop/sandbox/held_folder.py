"""A folder held by its descriptor, and everything that tools do beneath it.

Each method names things by their components beneath the folder, opens them without following links, and
judges what was opened rather than what was named. Reading and writing happen on the opened file, so that
nothing can be swapped in between. POSIX only; `checked_folder` stands in on Windows.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from desktop.errors import UserFacing
from desktop.sandbox import refusals
from desktop.sandbox.beneath import (
    FOLDER_FLAGS,
    ForbiddenFolder,
    Identity,
    open_beneath,
    rename_new,
)
from desktop.sandbox.facts import Entry, Facts, Kind, facts_of, in_words

Parts = Sequence[str]
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
BLOCK_BYTES = 256 * 1024


class HeldFolder:
    """Methods may be called on any thread at the same time; each raises UserFacing for what is refused."""

    def __init__(
        self, path: Path, forbidden: Iterable[Path] = (), sync: Callable[[int], None] = os.fsync
    ) -> None:
        """Hold `path`, which must exist; links in `path` itself are followed once, now.

        Nothing in `forbidden` is opened even if it lies beneath. `sync` puts a written descriptor on disk.
        """
        self.root = Path(os.path.realpath(path))
        self._forbidden = tuple(p for p in map(_real, forbidden) if p.is_relative_to(self.root))
        self._sync = sync
        self._lock = threading.Lock()
        with self._told(()):
            self._descriptor = os.open(self.root, FOLDER_FLAGS)

    def __enter__(self) -> HeldFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder; what is under way is finished. Safe to call twice."""
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    # -- looking ------------------------------------------------------------------------------

    def open_file(self, parts: Parts) -> BinaryIO:
        """The ordinary file at `parts`, open for reading; the caller closes it."""
        with self._told(parts):
            descriptor = self._open(parts, READ_FLAGS)
        try:
            self._check_plain(parts, os.fstat(descriptor).st_mode)
        except BaseException:
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb")

    def read(self, parts: Parts, offset: int = 0, limit_bytes: int | None = None) -> bytes:
        """The bytes from `offset` on, at most `limit_bytes` of them."""
        with self.open_file(parts) as file, self._told(parts):
            file.seek(offset)
            return file.read(-1 if limit_bytes is None else limit_bytes)

    def facts(self, parts: Parts) -> Facts:
        """What stands at `parts`; a link is described, not followed."""
        with self._told(parts):
            if not parts:
                with self._folder(()) as folder:
                    return facts_of(os.fstat(folder))
            with self._parent(parts) as folder:
                return facts_of(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False))

    def exists(self, parts: Parts) -> bool:
        try:
            self.facts(parts)
        except UserFacing as refusal:
            if refusal.code in ("path-missing", "path-not-folder"):
                return False
            raise
        return True

    def entries(self, parts: Parts) -> list[Entry]:
        """What is in the folder at `parts`, by name."""
        with self._told(parts), self._folder(parts) as folder, os.scandir(folder) as found:
            entries = [_entry(each) for each in found]
        return sorted((each for each in entries if each), key=lambda each: each.name)

    # -- changing -----------------------------------------------------------------------------

    def write(
        self,
        parts: Parts,
        content: bytes | Iterable[bytes],
        replace: bool = True,
        mode: int | None = None,
        times_ns: tuple[int, int] | None = None,
    ) -> None:
        """Put `content` at `parts`, whole or not at all, also when the process is killed.

        The permission bits of a file that is replaced are kept unless `mode` is given; its owner, links and
        extended attributes are not. `times_ns` are accessed and modified. Its folder must exist.
        """
        with self._told(parts), self._parent(parts) as folder:
            before = self._replaceable(folder, parts)
            kept = mode if mode is not None else (stat.S_IMODE(before.st_mode) & 0o777 if before else None)
            temporary = f".steward-{secrets.token_hex(8)}.tmp"
            try:
                self._fill(folder, temporary, content, kept, times_ns)
                _put_in_place(folder, temporary, parts[-1], replace)
            except BaseException:
                _unlink_if_there(folder, temporary)
                raise
            self._sync(folder)

    def make_folder(self, parts: Parts) -> int:
        """Make the folder at `parts` and those above it that are missing; returns how many were made."""
        made = 0
        with self._told(parts):
            for depth in range(1, len(parts) + 1):
                with self._parent(parts[:depth]) as folder:
                    made += self._make_one(folder, parts[depth - 1], last=depth == len(parts))
        return made

    def move(self, parts: Parts, to: HeldFolder, to_parts: Parts) -> None:
        """Rename a file or folder, within this folder or into `to`; never replaces anything."""
        self._refuse_own(parts)
        with self._told(parts), self._parent(parts) as source:
            mode = os.stat(parts[-1], dir_fd=source, follow_symlinks=False).st_mode
            self._check_plain(parts, mode, folder_too=True)
            with to._told(to_parts), to._parent(to_parts) as target:
                rename_new(source, parts[-1], target, to_parts[-1])

    def remove(self, parts: Parts) -> None:
        """Remove a file or an empty folder, for good."""
        self._refuse_own(parts)
        with self._told(parts), self._parent(parts) as folder:
            mode = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode
            self._check_plain(parts, mode, folder_too=True)
            # Neither follows a link that was swapped in: unlink removes the link, rmdir refuses it.
            if stat.S_ISDIR(mode):
                os.rmdir(parts[-1], dir_fd=folder)
            else:
                os.unlink(parts[-1], dir_fd=folder)

    # -- how ----------------------------------------------------------------------------------

    def _open(self, parts: Parts, flags: int) -> int:
        # A copy, because the number of a descriptor closed by another thread may mean another folder.
        with self._lock:
            root = os.dup(self._descriptor)
        try:
            return open_beneath(root, parts, flags, forbidden=self._identities())
        finally:
            os.close(root)

    @contextmanager
    def _folder(self, parts: Parts) -> Iterator[int]:
        descriptor = self._open(parts, FOLDER_FLAGS)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextmanager
    def _parent(self, parts: Parts) -> Iterator[int]:
        if not parts:
            raise refusals.bad_name(str(self.root), "it is the folder itself", "path-root")
        with self._folder(parts[:-1]) as folder:
            yield folder

    def _identities(self) -> frozenset[Identity]:
        """What the forbidden folders are at this moment; they may have been made since the last look."""
        return frozenset(found for path in self._forbidden if (found := _identity(path)))

    def _refuse_own(self, parts: Parts) -> None:
        path = self.root.joinpath(*parts)
        if any(own.is_relative_to(path) or path.is_relative_to(own) for own in self._forbidden):
            raise refusals.own_files(self.shown(parts))

    def shown(self, parts: Parts) -> str:
        """How `parts` are named to the user."""
        return "/".join(parts) or str(self.root)

    def _check_plain(self, parts: Parts, mode: int, folder_too: bool = False) -> None:
        if stat.S_ISREG(mode) or (folder_too and stat.S_ISDIR(mode)):
            return
        shown = self.shown(parts)
        if stat.S_ISDIR(mode):
            raise refusals.from_os(OSError(errno.EISDIR, ""), shown)
        raise refusals.link(shown) if stat.S_ISLNK(mode) else refusals.not_plain(shown, in_words(mode))

    def _replaceable(self, folder: int, parts: Parts) -> os.stat_result | None:
        try:
            before = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        self._check_plain(parts, before.st_mode)
        if not before.st_mode & 0o222:  # renaming over it would work, but its owner said no
            raise OSError(errno.EACCES, "")
        return before

    def _fill(
        self,
        folder: int,
        name: str,
        content: bytes | Iterable[bytes],
        mode: int | None,
        times_ns: tuple[int, int] | None,
    ) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        flags |= getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(name, flags, 0o666, dir_fd=folder), "wb") as file:
            for block in (content,) if isinstance(content, bytes) else content:
                file.write(block)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            if times_ns is not None:
                os.utime(file.fileno(), ns=times_ns)
            self._sync(file.fileno())

    @staticmethod
    def _make_one(folder: int, name: str, last: bool) -> bool:
        try:
            os.mkdir(name, dir_fd=folder)
        except FileExistsError:
            if last and not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                raise
            return False
        return True

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


def _identity(path: Path) -> Identity | None:
    try:
        facts = os.stat(path)
    except OSError:  # not made yet, so there is nothing to protect
        return None
    return facts.st_dev, facts.st_ino


def _entry(found: os.DirEntry[str]) -> Entry | None:
    try:
        return Entry(found.name, facts_of(found.stat(follow_symlinks=False)))
    except FileNotFoundError:  # removed since the folder was read
        return None


def _put_in_place(folder: int, temporary: str, name: str, replace: bool) -> None:
    if replace:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        rename_new(folder, temporary, folder, name)


def _unlink_if_there(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:  # it was renamed, or never made
        return


def is_file(facts: Facts) -> bool:
    return facts.kind is Kind.FILE


def blocks(file: BinaryIO) -> Iterator[bytes]:
    """The rest of `file`, piece by piece."""
    while block := file.read(BLOCK_BYTES):
        yield block
