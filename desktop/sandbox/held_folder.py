"""A folder held by its descriptor: nothing can be swapped in between.

Each method opens things beneath the descriptor without following links, and judges what was opened rather
than what was named. Reading and writing happen on the opened file. POSIX only.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from desktop import cancellation
from desktop.sandbox.beneath import FOLDER_FLAGS, NO_FOLLOW, Identity, open_beneath, rename_new
from desktop.sandbox.facts import Entry, Facts, facts_of
from desktop.sandbox.folder import READ_FLAGS, Folder, Parts, fill


class HeldFolder(Folder):
    """The contract of `Folder`, kept by the kernel."""

    def __init__(
        self, path: Path, forbidden: Iterable[Path] = (), sync: Callable[[int], None] = os.fsync
    ) -> None:
        super().__init__(path, forbidden, sync)
        with self._told(()):
            self._descriptor = os.open(self.root, FOLDER_FLAGS)

    def close(self) -> None:
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    # -- looking ------------------------------------------------------------------------------

    def open_file(self, parts: Parts, linked: bool = False) -> BinaryIO:
        with self._told(parts):
            descriptor = self._open(parts, READ_FLAGS)
        try:
            self._check_opened(parts, descriptor, linked)
        except BaseException:
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb")

    def facts(self, parts: Parts) -> Facts:
        with self._told(parts):
            if not parts:
                with self._folder(()) as folder:
                    return facts_of(os.fstat(folder))
            with self._parent(parts) as folder:
                return facts_of(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False))

    def entries(self, parts: Parts) -> list[Entry]:
        with self._told(parts), self._folder(parts) as folder, os.scandir(folder) as found:
            entries = [entry_of(each) for each in found]
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
        with self._told(parts), self._parent(parts) as folder:
            before = self._replaceable(folder, parts)
            kept = mode if mode is not None else (stat.S_IMODE(before.st_mode) & 0o777 if before else None)
            temporary = f".steward-{secrets.token_hex(8)}.tmp"
            try:
                with _create(folder, temporary) as file:
                    fill(file, content, kept, times_ns, self._sync)
                with cancellation.effect():
                    _put_in_place(folder, temporary, parts[-1], replace)
            except BaseException:
                _unlink_if_there(folder, temporary)
                raise
            self._sync(folder)

    def make_folder(self, parts: Parts) -> int:
        made = 0
        with self._told(parts):
            for depth in range(1, len(parts) + 1):
                with self._parent(parts[:depth]) as folder, cancellation.effect():
                    made += _make_one(folder, parts[depth - 1], last=depth == len(parts))
        return made

    def set_folder(self, parts: Parts, mode: int, times_ns: tuple[int, int]) -> None:
        with self._told(parts), self._folder(parts) as folder, cancellation.effect():
            os.fchmod(folder, mode)
            if os.utime in os.supports_fd:
                os.utime(folder, ns=times_ns)

    def move(self, parts: Parts, to: Folder, to_parts: Parts) -> None:
        assert isinstance(to, HeldFolder)
        self._refuse_own(parts)
        with self._told(parts), self._parent(parts) as source:
            mode = os.stat(parts[-1], dir_fd=source, follow_symlinks=False).st_mode
            self._check_plain(parts, mode, folder_too=True)
            with to._told(to_parts), to._parent(to_parts) as target, cancellation.effect():
                rename_new(source, parts[-1], target, to_parts[-1])

    def remove(self, parts: Parts) -> None:
        self._refuse_own(parts)
        with self._told(parts), self._parent(parts) as folder:
            mode = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode
            self._check_plain(parts, mode, folder_too=True)
            # Neither follows a link that was swapped in: unlink removes the link, rmdir refuses it.
            with cancellation.effect():
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
        self._refuse_root(parts)
        with self._folder(parts[:-1]) as folder:
            yield folder

    def _identities(self) -> frozenset[Identity]:
        """What the forbidden folders are at this moment; they may have been made since the last look."""
        return frozenset(found for path in self._forbidden if (found := _identity(path)))

    def _replaceable(self, folder: int, parts: Parts) -> os.stat_result | None:
        try:
            before = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        self._check_replaceable(parts, before)
        return before


def _identity(path: Path) -> Identity | None:
    try:
        facts = os.stat(path)
    except OSError:  # not made yet, so there is nothing to protect
        return None
    return facts.st_dev, facts.st_ino


def entry_of(found: os.DirEntry[str]) -> Entry | None:
    """What a name in a folder is; None when it was removed since the folder was read."""
    try:
        return Entry(found.name, facts_of(found.stat(follow_symlinks=False)))
    except FileNotFoundError:
        return None


def _create(folder: int, name: str) -> BinaryIO:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | getattr(os, "O_CLOEXEC", 0)
    return os.fdopen(os.open(name, flags, 0o666, dir_fd=folder), "wb")


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


def _make_one(folder: int, name: str, last: bool) -> bool:
    """Whether the folder was made; a file in its place raises, at the latest one level below."""
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        if last and not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise
        return False
    return True
