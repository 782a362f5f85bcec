"""Bytes kept for undo, as files named by their SHA-256: the same bytes are kept once.

A file is there whole or not at all: it is written under a temporary name, put on disk and renamed.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from desktop.paths import ensure
from desktop.sandbox.folder import READ_FLAGS, blocks
from desktop.sandbox.held_folder import NO_FOLLOW

TEMPORARY = ".part"


@dataclass(frozen=True)
class Kept:
    sha256: str
    size_bytes: int


class ContentStore:
    """The folder of kept files. Methods may be called on any thread; OSError where the disk refuses."""

    def __init__(self, folder: Path) -> None:
        """`folder` is made at the first `keep`."""
        self._folder = folder

    def keep(self, content: Iterable[bytes], durable: bool = True) -> Kept:
        """Store `content`, on disk when this returns; not `durable`: soon, and to be checked when read."""
        ensure(self._folder)
        temporary = self._folder / f"{secrets.token_hex(8)}{TEMPORARY}"
        try:
            kept = _fill(temporary, content, durable)
            os.replace(temporary, self._path(kept.sha256))
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        return kept

    def keep_file(self, file: BinaryIO, durable: bool = True) -> Kept:
        """The same for an open file. Its blocks are shared, not copied, where the file system can."""
        ensure(self._folder)
        temporary = self._folder / f"{secrets.token_hex(8)}{TEMPORARY}"
        if not _clone(file, temporary):
            return self.keep(blocks(file), durable)
        try:
            with temporary.open("rb") as clone:  # the original may be written to meanwhile
                kept = Kept(sha256_of(clone), os.fstat(clone.fileno()).st_size)
            os.replace(temporary, self._path(kept.sha256))
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        return kept

    def link(self, folder: int, name: str, kept_name: str) -> None:
        """Keep a file that nobody changes in place, without reading it: a hard link, else a copy.

        `name` in the folder of that descriptor; nothing is kept of what is no plain file by now.
        """
        ensure(self._folder)
        place = self._path(kept_name)
        place.unlink(missing_ok=True)
        try:
            # Objects of git are written once and replaced whole, so a second name is as good as a copy.
            os.link(name, place, src_dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return
        except OSError:  # another disk, or one without links
            self._copy_plain(folder, name, place)
            return
        # A second name of a link would lead where that leads.
        if not stat.S_ISREG(place.lstat().st_mode):
            place.unlink()

    def _copy_plain(self, folder: int, name: str, place: Path) -> None:
        source = os.open(name, READ_FLAGS | NO_FOLLOW, dir_fd=folder)
        with os.fdopen(source, "rb") as file:
            if stat.S_ISREG(os.fstat(source).st_mode):
                _fill(place, blocks(file), durable=False)

    def rename_by_content(self, name: str) -> str:
        """Give what `link` keeps the name of its content, which is returned; "" where it is gone."""
        try:
            with self._path(name).open("rb") as file:
                digest = sha256_of(file)
        except FileNotFoundError:
            return ""
        os.replace(self._path(name), self._path(digest))
        return digest

    def adopt(self, other: ContentStore, sha256: str) -> bool:
        """Keep what `other` keeps, sharing it where the disk can; False where it is not there."""
        ensure(self._folder)
        if self._path(sha256).exists():
            return True
        try:
            # Kept bytes are never changed in place.
            os.link(other._path(sha256), self._path(sha256))
        except FileNotFoundError:
            return False
        except OSError:
            with other.open(sha256) as file:
                self.keep_file(file, durable=False)
        return True

    def open(self, sha256: str) -> BinaryIO:
        """What was kept, to be read; FileNotFoundError when somebody has removed it."""
        return open(self._path(sha256), "rb")

    def is_whole(self, sha256: str) -> bool:
        """Whether what is kept is what was to be kept; False also where it is gone."""
        try:
            with self.open(sha256) as file:
                return sha256_of(file) == sha256
        except FileNotFoundError:
            return False

    def forget(self, sha256: str) -> None:
        self._path(sha256).unlink(missing_ok=True)

    def names(self) -> Iterator[str]:
        """The SHA-256 of everything that is kept."""
        if self._folder.is_dir():
            yield from (path.name for path in self._folder.iterdir() if path.suffix != TEMPORARY)

    def clear_temporary(self) -> None:
        """Remove what a killed process left half written."""
        for path in self._folder.glob(f"*{TEMPORARY}"):
            path.unlink(missing_ok=True)

    def _path(self, sha256: str) -> Path:
        return self._folder / sha256


def _fill(path: Path, content: Iterable[bytes], durable: bool) -> Kept:
    digest, size_bytes = hashlib.sha256(), 0
    # For the owner alone: what is kept may be a key that a command was about to overwrite.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for block in content:
            file.write(block)
            digest.update(block)
            size_bytes += len(block)
        file.flush()
        if durable:
            os.fsync(file.fileno())
    return Kept(digest.hexdigest(), size_bytes)


# Linux: include/uapi/linux/fs.h. Btrfs, XFS, bcachefs, ZFS and others share blocks between files.
FICLONE = 0x40049409


def _clone(file: BinaryIO, path: Path) -> bool:
    """Make `path` share the blocks of `file`; False, and nothing made, where that is not possible."""
    if sys.platform != "linux":
        return False
    import fcntl

    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.ioctl(descriptor, FICLONE, file.fileno())
        os.fsync(descriptor)
    except OSError:  # another file system, or one that cannot
        path.unlink(missing_ok=True)
        return False
    finally:
        os.close(descriptor)
    return True


IDENTITY = "identity-"  # begins a mark; no SHA-256 is spelled so


def identity_mark(file: BinaryIO) -> str:
    """Which file it is and when it was written to, which a move keeps; nothing of it is read."""
    found = os.fstat(file.fileno())
    return f"{IDENTITY}{found.st_dev:x}-{found.st_ino:x}-{found.st_size:x}-{found.st_mtime_ns:x}"


def sha256_of(file: BinaryIO) -> str:
    """Of the rest of `file`."""
    digest = hashlib.sha256()
    for block in blocks(file):
        digest.update(block)
    return digest.hexdigest()
