"""Zip and tar files of strangers, unpacked by a confined child of `sandbox.parser`.

An archive says itself how many entries it has, how long they are and what they are called, and Python's
readers believe it: a zip file of 300 MB can list millions of entries, each an object; a kilobyte of xz can
hold a header of gigabytes, which is read whole. So the program never opens one. It names the members that it
wants and where each goes, the child writes them there and nowhere else, and what it wrote is looked at as if
the archive had written it: only plain files, only those that were asked for, and the caller compares sizes
and hashes.
"""

from __future__ import annotations

import base64
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from desktop.paths import open_regular
from desktop.sandbox.archive_child import PIECE_BYTES, ArchiveFailure
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits

__all__ = ["ArchiveFailed", "ArchiveFailure", "Archives", "Member", "MemberTarget", "unpacked"]

CHILD = "desktop.sandbox.archive_child"
BASE_S = 60.0
SLOWEST_BYTES_PER_S = 4_000_000  # of what is unpacked, and of what it is unpacked from
MEMORY_BYTES = 1_000_000_000


class ArchiveFailed(Exception):
    """`name` is the member at fault, where it is one."""

    def __init__(self, failure: ArchiveFailure, name: str = "") -> None:
        super().__init__(f"{failure.value}: {name}" if name else failure.value)
        self.failure = failure
        self.name = name


@dataclass(frozen=True)
class Member:
    """What a zip file calls a file, and where that lies now. `mode` is Unix's, 0 where it tells none."""

    name: str
    mode: int
    path: Path


@dataclass(frozen=True)
class MemberTarget:
    """Where a member goes, and how long it may be at most."""

    path: Path
    most_bytes: int


class Archives:
    """Blocks; never on the main thread. Every method raises ArchiveFailed, and OSError for a file that cannot
    be read or a disk that is full."""

    def __init__(self, parser: Parser | None = None) -> None:
        self._parser = parser or Parser.confined()

    def take_zip(
        self, file: Path, folder: Path, skipped: Iterable[str], most: int, most_bytes: int
    ) -> tuple[Member, ...]:
        """Every file of it into the empty `folder`, but those below a folder of a name in `skipped`. At most
        `most`, and `most_bytes` in all."""
        options = {"folder": str(folder), "skipped": sorted(skipped), "most": most, "most_bytes": most_bytes}
        said = self._ask("take_zip", file, options, _limits(file, [most_bytes]), (folder,))
        try:
            found = tuple(
                Member(str(name), int(mode), folder / str(number))
                for number, (name, mode) in enumerate(said["members"])
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ArchiveFailed(ArchiveFailure.DAMAGED) from error
        _hold_to({str(member.path): MemberTarget(member.path, most_bytes) for member in found}, (folder,))
        return found

    def take_largest(self, file: Path, place: MemberTarget) -> None:
        """The largest member of a zip file to a place in a folder that holds nothing else."""
        options = {"path": str(place.path), "most_bytes": place.most_bytes}
        folder = place.path.parent
        self._ask("take_largest", file, options, _limits(file, [place.most_bytes]), (folder,))
        _hold_to({"": place}, (folder,))

    def zip_member(self, file: Path, name: str, most_bytes: int) -> bytes:
        """The content of one."""
        return self._content("read_zip", file, name, most_bytes)

    def tar_member(self, file: Path, name: str, most_bytes: int) -> bytes:
        """The content of the first, which must be of this name."""
        return self._content("read_tar", file, name, most_bytes)

    def unpack_zip(self, file: Path, places: Mapping[str, MemberTarget], folders: Sequence[Path]) -> None:
        """Write each member to its place. `folders` hold all places and nothing else; they exist."""
        self._unpack("unpack_zip", file, places, folders)

    def unpack_tar(self, file: Path, places: Mapping[str, MemberTarget], folders: Sequence[Path]) -> None:
        """Unpack a tar; a member without a place but the first ends it (`UNLISTED`)."""
        self._unpack("unpack_tar", file, places, folders)

    def _content(self, function: str, file: Path, name: str, most_bytes: int) -> bytes:
        said = self._ask(function, file, {"name": name, "most_bytes": most_bytes})
        try:
            content = base64.b64decode(str(said), validate=True)
        except ValueError as error:
            raise ArchiveFailed(ArchiveFailure.DAMAGED, name) from error
        if len(content) > most_bytes:
            raise ArchiveFailed(ArchiveFailure.TOO_LONG, name)
        return content

    def _unpack(
        self, function: str, file: Path, places: Mapping[str, MemberTarget], folders: Sequence[Path]
    ) -> None:
        rows = [[name, str(place.path), place.most_bytes] for name, place in places.items()]
        limits = _limits(file, [place.most_bytes for place in places.values()])
        self._ask(function, file, {"places": rows}, limits, folders)
        _hold_to(places, folders)

    def _ask(
        self,
        function: str,
        file: Path,
        options: Mapping[str, Any],
        limits: ParserLimits | None = None,
        folders: Sequence[Path] = (),
    ) -> Any:
        with open_regular(file):
            pass  # the child could only say that it failed
        try:
            said = self._parser.parse(
                f"{CHILD}:{function}", file.resolve(), options, limits or _limits(file), writable=folders
            )
        except ParseFailed as failed:
            raise _failed(failed) from failed
        if isinstance(said, dict) and isinstance(number := said.get("errno"), int):
            raise OSError(number, os.strerror(number), str(file))
        return said


@contextmanager
def unpacked(path: Path) -> Iterator[BinaryIO]:
    """What a child wrote there, for reading. Raises OSError or ArchiveFailed for anything but a file."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ArchiveFailed(ArchiveFailure.UNLISTED, path.name)
        yield file


def _hold_to(places: Mapping[str, MemberTarget], folders: Sequence[Path]) -> None:
    """Below `folders` are the places, their folders, and nothing else: whoever took the child over could have
    left a link, or a file that nobody compares with anything."""
    wanted = {place.path: name for name, place in places.items()}
    for folder in folders:
        for found in _below(folder):
            if found not in wanted:
                raise ArchiveFailed(ArchiveFailure.UNLISTED, found.name)
    for path, name in wanted.items():
        if not os.path.lexists(path):
            raise ArchiveFailed(ArchiveFailure.MISSING, name)
        facts = os.lstat(path)
        # A second name would let somebody change it after it was compared.
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            raise ArchiveFailed(ArchiveFailure.UNLISTED, name)


def _below(folder: Path) -> Iterable[Path]:
    """Everything but plain folders, links to folders among it."""
    for inside, folders, files in os.walk(folder):
        yield from (Path(inside, name) for name in files)
        yield from (Path(inside, name) for name in folders if os.path.islink(os.path.join(inside, name)))


def _limits(file: Path, sizes: Sequence[int] = ()) -> ParserLimits:
    moved = file.stat().st_size + sum(sizes)
    file_bytes = max((ParserLimits.file_bytes, *(size + PIECE_BYTES for size in sizes)))
    time_s = BASE_S + moved / SLOWEST_BYTES_PER_S
    return ParserLimits(time_s=time_s, memory_bytes=MEMORY_BYTES, file_bytes=file_bytes)


def _failed(failed: ParseFailed) -> ArchiveFailed:
    if failed.failure is ParseFailure.REFUSED:
        word, _, name = failed.reason.partition(": ")
        known = word in set(ArchiveFailure)
        return ArchiveFailed(ArchiveFailure(word), name) if known else ArchiveFailed(ArchiveFailure.DAMAGED)
    if failed.failure in (ParseFailure.TOO_SLOW, ParseFailure.TOO_LARGE):
        return ArchiveFailed(ArchiveFailure.TOO_COSTLY)
    return ArchiveFailed(ArchiveFailure.DAMAGED)
