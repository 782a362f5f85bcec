"""Opens zip and tar files. Runs in the child of `desktop.sandbox.parser`, for `desktop.sandbox.archives`.

Imports nothing else of Steward but what says a refusal, so that the child is there quickly.
"""

from __future__ import annotations

import base64
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import IO, TypeVar

from desktop.sandbox.parser_child import ParseRefused

T = TypeVar("T")
PIECE_BYTES = 1 << 20
# What zipfile and tarfile raise for files that are none, or cut, or use a method that they do not know.
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    ValueError,
    KeyError,
    NotImplementedError,
    RuntimeError,
)


class ArchiveFailure(StrEnum):
    """Why nothing can be taken from an archive."""

    DAMAGED = "damaged"
    MISSING = "missing"  # it lacks what was asked for
    TOO_MANY = "too many"  # members
    TOO_LONG = "too long"  # a member is longer than was asked for
    UNLISTED = "unlisted"  # it holds what was not asked for
    TOO_COSTLY = "too costly"  # it needs more time or memory than any honest one


def take_zip(source: Path, folder: str, skipped: list[str], most: int, most_bytes: int) -> dict[str, object]:
    """Every file but those below a folder of a name in `skipped`, into `folder` by its number.

    `members` has name and mode of each, in that order; or there is `errno`. Raises Refused for more than
    `most`, or than `most_bytes` in all.
    """

    def taken(archive: zipfile.ZipFile) -> dict[str, object]:
        infos = [
            info
            for info in archive.infolist()
            if not info.is_dir() and not set(skipped) & set(info.filename.split("/"))
        ]
        # Before anything is unpacked: a list of a million empty files is harm enough.
        if len(infos) > most:
            raise _refused(ArchiveFailure.TOO_MANY)
        left = most_bytes
        for number, info in enumerate(infos):
            path = os.path.join(folder, str(number))
            with archive.open(info) as member:
                if error := _write(member, info.filename, path, left):
                    return {"errno": error}
            left -= os.stat(path).st_size
        # Where it was packed on Unix the upper half is the mode, and says what is a link.
        return {"members": [[info.filename, info.external_attr >> 16] for info in infos]}

    return _in_zip(source, taken)


def take_largest(source: Path, path: str, most_bytes: int) -> dict[str, int]:
    """The largest member to `path`: empty, or the number of an error of the disk. Raises Refused."""

    def taken(archive: zipfile.ZipFile) -> dict[str, int]:
        largest = max(archive.infolist(), key=lambda member: member.file_size)
        with archive.open(largest) as member:
            number = _write(member, largest.filename, path, most_bytes)
        return {"errno": number} if number else {}

    return _in_zip(source, taken)


def read_zip(source: Path, name: str, most_bytes: int) -> str:
    """Base64 of one member. Raises Refused."""
    return _in_zip(source, lambda archive: _read(archive.open(name), name, most_bytes))


def read_tar(source: Path, name: str, most_bytes: int) -> str:
    """Base64 of the first member. Raises Refused."""

    def read_first(archive: tarfile.TarFile) -> str:
        entry = archive.next()
        file = archive.extractfile(entry) if entry is not None and entry.name == name else None
        if file is None:
            raise _refused(ArchiveFailure.MISSING, name)
        return _read(file, name, most_bytes)

    return _in_tar(source, read_first)


def unpack_zip(source: Path, places: list[tuple[str, str, int]]) -> dict[str, int]:
    """Empty, or the number of an error of the disk. Raises Refused."""

    def unpacked(archive: zipfile.ZipFile) -> dict[str, int]:
        for name, path, most_bytes in places:
            with archive.open(name) as member:
                if number := _write(member, name, path, most_bytes):
                    return {"errno": number}
        return {}

    return _in_zip(source, unpacked)


def unpack_tar(source: Path, places: list[tuple[str, str, int]]) -> dict[str, int]:
    """As for a zip file; what comes after the first must be one of `places`, once. Raises Refused."""
    wanted = {name: (path, most_bytes) for name, path, most_bytes in places}

    def unpacked(archive: tarfile.TarFile) -> dict[str, int]:
        archive.next()
        while (entry := archive.next()) is not None:
            member = archive.extractfile(entry) if entry.isreg() else None
            # Links, devices and names with folders are refused with everything else that is not wanted.
            if member is None or entry.name not in wanted:
                raise _refused(ArchiveFailure.UNLISTED, entry.name)
            if number := _write(member, entry.name, *wanted.pop(entry.name)):
                return {"errno": number}
        # An archive that was cut short between two members is whole to tarfile.
        if wanted:
            raise _refused(ArchiveFailure.MISSING, min(wanted))
        return {}

    return _in_tar(source, unpacked)


def _in_zip(source: Path, work: Callable[[zipfile.ZipFile], T]) -> T:
    try:
        with zipfile.ZipFile(source) as archive:
            return work(archive)
    except KeyError as error:
        raise _refused(ArchiveFailure.MISSING) from error
    except _DAMAGE as error:
        raise _refused(ArchiveFailure.DAMAGED) from error


def _in_tar(source: Path, work: Callable[[tarfile.TarFile], T]) -> T:
    try:
        # As a stream: only so is what comes first at hand before the rest is unpacked.
        with tarfile.open(source, "r|xz") as archive:
            return work(archive)
    except _DAMAGE as error:
        raise _refused(ArchiveFailure.DAMAGED) from error


def _read(file: IO[bytes], name: str, most_bytes: int) -> str:
    with file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise _refused(ArchiveFailure.TOO_LONG, name)
    return base64.b64encode(content).decode()


def _write(member: IO[bytes], name: str, path: str, most_bytes: int) -> int:
    """The number of the disk's error, 0 where there was none. Raises Refused."""
    left = most_bytes
    try:
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    except OSError as error:
        return error.errno or 1
    with open(made, "wb") as file:
        # One byte more than is wanted shows that it is longer, without unpacking all of it.
        while piece := member.read(min(PIECE_BYTES, left + 1)):
            left -= len(piece)
            if left < 0:
                raise _refused(ArchiveFailure.TOO_LONG, name)
            try:
                file.write(piece)
                file.flush()  # here, so that closing it has nothing left that could fail
            except OSError as error:
                return error.errno or 1
    return 0


def _refused(failure: ArchiveFailure, name: str = "") -> ParseRefused:
    return ParseRefused(f"{failure.value}: {name}" if name else failure.value)
