"""Open what lies beneath a held folder without ever following a link, and rename without replacing.

A held folder is a descriptor: whatever is renamed or swapped in its path afterwards, it stays the same
folder. On Linux one `openat2` call walks the whole path (RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, Linux
5.6); elsewhere, and on older kernels, the path is walked one component at a time with O_NOFOLLOW, each
component opened relative to the one before. Neither way looks at a name twice, so there is no moment in
which a link swapped in is followed.

A hard link is the file itself, and no way of opening tells it from an ordinary one. So the names of a file
are counted once it is open (`Folder.open_file`); writing replaces the name and leaves the others alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Sequence

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
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)

Identity = tuple[int, int]  # device and inode: what a folder is, whatever it is called


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


class ForbiddenFolder(Exception):
    """The way leads into a folder that is never opened."""


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
            below = os.open(part, FOLDER_FLAGS | NO_FOLLOW, dir_fd=held)
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
