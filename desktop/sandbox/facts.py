"""What the disk says about a file or folder."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from typing import BinaryIO


class Kind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"  # pipe, socket or device


@dataclass(frozen=True)
class Facts:
    """Of the thing itself; a link is not followed. Times are nanoseconds since 1970."""

    kind: Kind
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
    facts: Facts


def facts_of(status: os.stat_result) -> Facts:
    return Facts(
        kind=_kind(status.st_mode),
        size_bytes=status.st_size,
        mode=stat.S_IMODE(status.st_mode) & 0o777,
        modified_ns=status.st_mtime_ns,
        accessed_ns=status.st_atime_ns,
        links=max(1, status.st_nlink) if stat.S_ISREG(status.st_mode) else 1,
    )


def _kind(mode: int) -> Kind:
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISDIR(mode):
        return Kind.FOLDER
    return Kind.LINK if stat.S_ISLNK(mode) else Kind.OTHER


def in_words(mode: int) -> str:
    """What a thing that is neither file nor folder nor link is called; `mode` as from stat."""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"


def facts_of_file(file: BinaryIO) -> Facts:
    """Of what is open, whatever its name means by now."""
    return facts_of(os.fstat(file.fileno()))
