"""A folder held by its descriptor: nothing can be swapped in between.

Each method opens things beneath the descriptor without following links, and judges what was opened rather
than what was named. Reading and writing happen on the opened file. POSIX only.

Whatever is renamed or swapped in the folder's path afterwards, the descriptor stays the same folder. On Linux
one `openat2` call walks the whole path beneath it (RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, Linux 5.6);
elsewhere, and on older kernels, the path is walked one component at a time with O_NOFOLLOW, each component
opened relative to the one before. Neither way looks at a name twice, so there is no moment in which a link
swapped in is followed.

A hard link is the file itself, and no way of opening tells it from an ordinary one. So the names of a file
are counted once it is open (`Folder.open_file`); writing replaces the name and leaves the others alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from desktop import cancellation
from desktop.sandbox.folder import (
    READ_FLAGS,
    Entry,
    EntryFacts,
    Folder,
    ForbiddenFolder,
    Parts,
    facts_of,
    fill,
)

# Linux: include/uapi/linux/openat2.h, fcntl.h, fs.h. The number of openat2 is the same on every
# architecture that Python 3.11 has wheels for.
SYS_OPENAT2 = 437
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08
RENAME_NOREPLACE = 1
MISSING_CALL = (errno.ENOSYS, errno.EPERM)  # a container may forbid what it does not know
TRIES = 128  # openat2 answers EAGAIN when something was renamed while it walked
FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# Of a folder that is only on the way: one may go through what one may not list.
WAY_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | FOLDER_FLAGS
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
Identity = tuple[int, int]  # device and inode: what a folder is, whatever it is called
_libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_beneath(
    folder: int, parts: Sequence[str], flags: int, mode: int = 0, forbidden: frozenset[Identity] = frozenset()
) -> int:
    """A descriptor of what `parts` name beneath the descriptor `folder`; the caller closes it.

    Raises OSError; ELOOP or ENOTDIR where a link is in the way. Raises ForbiddenFolder when a folder on the
    way is one of `forbidden` (then the path is walked by component, so that each can be looked at).
    """
    flags |= getattr(os, "O_CLOEXEC", 0)
    if HAS_OPENAT2 and not forbidden:
        return _openat2(folder, "/".join(parts) or ".", flags, mode)
    return _walk(folder, parts, flags, mode, forbidden)


def _walk(folder: int, parts: Sequence[str], flags: int, mode: int, forbidden: frozenset[Identity]) -> int:
    held = os.dup(folder)
    try:
        for part in parts[:-1]:
            # Folder by folder, each held while the next is opened: no link put in between is followed.
            below = os.open(part, WAY_FLAGS | NO_FOLLOW, dir_fd=held)
            os.close(held)
            held = below
            _check(held, forbidden)
        found = os.open(parts[-1] if parts else ".", flags | NO_FOLLOW, mode, dir_fd=held)
    finally:
        os.close(held)
    try:
        _check(found, forbidden)
    except ForbiddenFolder:
        os.close(found)
        raise
    return found


def _check(descriptor: int, forbidden: frozenset[Identity]) -> None:
    if forbidden:
        # By device and inode of what is open, which no renaming changes any more.
        facts = os.fstat(descriptor)
        if (facts.st_dev, facts.st_ino) in forbidden:
            raise ForbiddenFolder


def _openat2(folder: int, path: str, flags: int, mode: int) -> int:
    assert _libc is not None
    resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS
    how = _OpenHow(flags, mode if flags & os.O_CREAT else 0, resolve)
    name = os.fsencode(path)
    for _ in range(TRIES):
        found: int = _libc.syscall(SYS_OPENAT2, folder, name, ctypes.byref(how), ctypes.sizeof(how))
        if found >= 0:
            return found
        number = ctypes.get_errno()
        # EAGAIN: somebody renames on the way, and the kernel cannot rule out that this leads outside.
        if number not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(number, os.strerror(number), path)


def _has_openat2() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    root = os.open("/", FOLDER_FLAGS)
    try:
        os.close(_openat2(root, ".", FOLDER_FLAGS, 0))
    except OSError as error:
        if error.errno in MISSING_CALL:
            return False
        raise
    finally:
        os.close(root)
    return True


HAS_OPENAT2 = _has_openat2()


def open_without_links(path: Path) -> int:
    """A descriptor of the folder at the absolute `path`; the caller closes it. Raises OSError.

    ELOOP or ENOTDIR where a link is in its name: what was resolved before may lead elsewhere by now.
    """
    anchor = os.open(path.anchor, WAY_FLAGS)
    try:
        return open_beneath(anchor, path.relative_to(path.anchor).parts, FOLDER_FLAGS)
    finally:
        os.close(anchor)


def rename_new(from_folder: int, name: str, to_folder: int, new_name: str) -> None:
    """Rename within held folders; raises FileExistsError rather than replace anything.

    Where the system cannot promise that in one step (not Linux, or a file system that does not know how), a
    file is linked to its new name, which fails if that is taken, and then loses the old one.
    """
    if _libc is not None and hasattr(_libc, "renameat2"):
        old, new = os.fsencode(name), os.fsencode(new_name)
        if _libc.renameat2(from_folder, old, to_folder, new, RENAME_NOREPLACE) == 0:
            return
        number = ctypes.get_errno()
        if number not in (errno.EINVAL, errno.ENOSYS):
            raise OSError(number, os.strerror(number), new_name)
    _link_then_unlink(from_folder, name, to_folder, new_name)


def _link_then_unlink(from_folder: int, name: str, to_folder: int, new_name: str) -> None:
    facts = os.stat(name, dir_fd=from_folder, follow_symlinks=False)
    if stat.S_ISDIR(facts.st_mode):
        # A folder replaces at most an empty folder.
        os.rename(name, new_name, src_dir_fd=from_folder, dst_dir_fd=to_folder)
        return
    os.link(name, new_name, src_dir_fd=from_folder, dst_dir_fd=to_folder, follow_symlinks=False)
    os.unlink(name, dir_fd=from_folder)


class HeldFolder(Folder):
    """The contract of `Folder`, kept by the kernel."""

    def __init__(
        self, path: Path, forbidden: Iterable[Path] = (), sync: Callable[[int], None] = os.fsync
    ) -> None:
        super().__init__(path, forbidden, sync)
        with self._told(()):
            # Its links were followed just now; one that came since is none of those.
            self._descriptor = open_without_links(self.root)

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

    def facts(self, parts: Parts) -> EntryFacts:
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
