"""A folder or a zip file of somebody else's, copied in so that nothing of it lands anywhere else.

Only plain files with plain names come in: a link, a device or a name that leads out refuses the whole
package. What is read is counted as it comes, because the sizes in a zip file are what its maker wrote.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.errors import UserFacing
from desktop.extensions.manifest import NAME, Manifest, read_manifest
from desktop.extensions.reasons import ExtensionReason
from desktop.paths import PRIVATE_FILE, PRIVATE_FOLDER
from desktop.reasons import Reason

if TYPE_CHECKING:
    from desktop.sandbox.archives import Member
    from desktop.sandbox.folder import Folder

MOST_FILES, MOST_BYTES, DEEPEST = 200, 5_000_000, 6
PIECE_BYTES = 65_536
SKIPPED = frozenset({"__pycache__", ".git", ".pytest_cache", ".mypy_cache", ".ruff_cache", "__MACOSX"})
# What every file system writes the same way; two names that differ in case alone are one on some.
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_WINDOWS_DEVICES = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")


def copy_in(source: Path, target: Path) -> Manifest:
    """Copy the package at `source` into the new folder `target`; its manifest. Raises UserFacing: what was
    copied by then is for the caller to remove."""
    try:
        target.mkdir(mode=PRIVATE_FOLDER, parents=True)
        if source.is_dir():
            _copy(_folder_files(source), target)
        elif source.is_file():
            _copy_zip(source, target)
        else:
            raise refused(ExtensionReason.NO_PACKAGE.of(path=source))
    except OSError as error:
        raise refused(ExtensionReason.UNREADABLE.of(error=error.strerror or str(error))) from error
    manifest = read_manifest(target)
    if not (target / manifest.entry).is_file():
        raise refused(ExtensionReason.NO_ENTRY.of(name=manifest.entry))
    return manifest


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below `folder` by its path; what is no plain file has none and is told by "".

    Raises OSError.
    """
    return {name: _sha256(folder / name) if is_file else "" for name, is_file in _entries(folder)}


def fingerprint(folder: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Another one when a file below `folder` was written to, came or went; cheaper than `hashes`. Raises
    OSError."""
    found = []
    for name, _is_file in _entries(folder):
        facts = os.lstat(folder / name)
        found.append((name, facts.st_mtime_ns, facts.st_size, facts.st_ino))
    return tuple(found)


def refused(why: Reason) -> UserFacing:
    """Nothing of a package was installed, and why."""
    return UserFacing(ExtensionReason.PACKAGE_REFUSED.of(why=why))


@dataclass(frozen=True)
class _Source:
    """One file of a package: where it goes, and its content in pieces."""

    name: str
    pieces: Generator[bytes, None, None]


def _copy(sources: Iterator[_Source], target: Path) -> None:
    total, seen = 0, set()
    for number, source in enumerate(sources):
        if number >= MOST_FILES:
            raise refused(ExtensionReason.TOO_MANY_FILES.of(count=MOST_FILES))
        if source.name.casefold() in seen:
            raise refused(ExtensionReason.BAD_NAME.of(name=source.name))
        seen.add(source.name.casefold())
        place = target / source.name
        place.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        made = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE)
        # Closed here and not when it is collected: a zip file is open as long as one of its files is.
        with open(made, "wb") as file, closing(source.pieces) as pieces:
            for piece in pieces:
                total += len(piece)
                if total > MOST_BYTES:
                    raise refused(ExtensionReason.TOO_MUCH.of(size=MOST_BYTES))
                file.write(piece)


def _folder_files(folder: Path) -> Iterator[_Source]:
    # The child of every extension imports this module, and installs nothing.
    from desktop.sandbox.workspace import hold

    if not (folder / NAME).is_file():
        raise refused(ExtensionReason.NO_MANIFEST.of())
    with hold(folder) as held:
        for name, is_file in _held_entries(held):
            if not is_file:
                raise refused(ExtensionReason.NO_PLAIN_FILE.of(name=name))
            yield _Source(_plain(name), _read_held(held, name))


def _held_entries(folder: Folder, inside: tuple[str, ...] = ()) -> Iterator[tuple[str, bool]]:
    """As `_entries`, of a folder in which somebody else may be at work: no link put there is followed."""
    from desktop.sandbox.folder import EntryKind

    for entry in folder.entries(inside):
        parts, kind = (*inside, entry.name), entry.facts.kind
        if entry.name in SKIPPED and kind is EntryKind.FOLDER:
            continue
        if kind is EntryKind.FOLDER and len(inside) < DEEPEST:
            yield from _held_entries(folder, parts)
        else:
            yield "/".join(parts), kind is EntryKind.FILE


def _read_held(folder: Folder, name: str) -> Generator[bytes, None, None]:
    with folder.open_file(name.split("/"), linked=True) as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _read(path: Path) -> Generator[bytes, None, None]:
    """Without following a link that took the file's place, and without waiting at a pipe that did."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with open(os.open(path, flags), "rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _copy_zip(source: Path, target: Path) -> None:
    """A child opens the zip file, and what it wrote is copied like a folder of somebody else's."""
    # The child of every extension imports this module, and unpacks nothing.
    from desktop.sandbox.archives import ArchiveFailed, ArchiveFailure, Archives

    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unpacked-") as made:
            members = Archives().take_zip(source, Path(made), SKIPPED, MOST_FILES, MOST_BYTES)
            _copy(_zip_files(members), target)
    except ArchiveFailed as failed:
        reasons: Mapping[ArchiveFailure, Reason] = {
            ArchiveFailure.TOO_MANY: ExtensionReason.TOO_MANY_FILES.of(count=MOST_FILES),
            ArchiveFailure.TOO_LONG: ExtensionReason.TOO_MUCH.of(size=MOST_BYTES),
            ArchiveFailure.TOO_COSTLY: ExtensionReason.TOO_COSTLY.of(),
        }
        why = reasons.get(failed.failure, ExtensionReason.NO_PACKAGE.of(path=source))
        raise refused(why) from failed


def _zip_files(members: tuple[Member, ...]) -> Iterator[_Source]:
    top = _common_folder([member.name for member in members])
    for member in members:
        name = member.name.removeprefix(top)
        if stat.S_IFMT(member.mode) not in (0, stat.S_IFREG):
            raise refused(ExtensionReason.NO_PLAIN_FILE.of(name=_shown(name)))
        yield _Source(_plain(name), _read(member.path))


def _common_folder(names: list[str]) -> str:
    """The one folder that a zip file of a folder has at its top; "" where there is none."""
    tops = {name.partition("/")[0] for name in names}
    only = next(iter(tops)) if len(tops) == 1 else ""
    return f"{only}/" if only and f"{only}/{NAME}" in names else ""


def _entries(folder: Path, inside: str = "", depth: int = 0) -> Iterator[tuple[str, bool]]:
    """The path of everything below `folder` but its folders, in order, and whether it is a plain file."""
    with os.scandir(folder / inside) as found:
        entries = sorted(found, key=lambda each: each.name)
    for entry in entries:
        name = f"{inside}/{entry.name}" if inside else entry.name
        if entry.name in SKIPPED and entry.is_dir(follow_symlinks=False):
            continue
        if entry.is_dir(follow_symlinks=False) and depth < DEEPEST:
            yield from _entries(folder, name, depth + 1)
        else:
            yield name, entry.is_file(follow_symlinks=False)


def _plain(name: str) -> str:
    parts = name.split("/")
    is_good = all(_PLAIN.fullmatch(part) and not _WINDOWS_DEVICES.fullmatch(part) for part in parts)
    if not is_good or len(parts) > DEEPEST or any(part.endswith(".") for part in parts):
        raise refused(ExtensionReason.BAD_NAME.of(name=_shown(name)))
    return name


def _shown(name: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in name[:100])


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    for piece in _read(path):
        digest.update(piece)
    return digest.hexdigest()
