"""Which files a command line would touch here and now: what it names, and what its patterns match."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from fnmatch import translate
from pathlib import Path

from desktop.asking import FileMatch
from desktop.gate.verdict import Verdict

MOST_FILES = 200
MOST_LOOKED_AT = 20_000  # entries of folders, for one command line
LONGEST_S = 0.5
_PATTERN = re.compile(r"[*?\[]")


def files_of(verdict: Verdict, folder: Path) -> tuple[FileMatch, ...]:
    """Existing files that the line names or matches, with sizes; at most `MOST_FILES`, nothing is opened.

    May take up to half a second where folders are large. A name that the line makes is not there yet.
    """
    patterns = [each for each in verdict.looked_at if _PATTERN.search(each)]
    search = _Search(folder)
    found: dict[str, FileMatch] = {}
    for text in dict.fromkeys((*verdict.touched, *patterns)):
        for path in search.matches(text):
            match = _match(path)
            if match is not None:
                found.setdefault(match.path, match)
            if len(found) >= MOST_FILES:
                return tuple(found.values())
    return tuple(found.values())


class _Search:
    """Expands patterns as a shell does, within bounds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = MOST_LOOKED_AT
        self._ends_at = time.monotonic() + LONGEST_S

    def matches(self, text: str) -> Iterator[Path]:
        """What `text` stands for, in the order of names."""
        if "\0" in text:
            return
        path = Path(text).expanduser()
        base = Path(path.anchor) if path.is_absolute() else self._folder
        yield from self._below(base, path.parts[1:] if path.is_absolute() else path.parts)

    def _below(self, base: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        waiting: list[tuple[Path, tuple[str, ...]]] = [(base, parts)]
        while waiting:
            path, rest = waiting.pop()
            if not rest:
                yield path
            elif _PATTERN.search(rest[0]):
                inner = [(path / name, rest[1:]) for name in self._names(path, rest[0])]
                waiting.extend(reversed(inner))
            else:
                waiting.append((path / rest[0], rest[1:]))

    def _names(self, folder: Path, pattern: str) -> Iterable[str]:
        fits = re.compile(translate(pattern)).match
        shows_hidden = pattern.startswith(".")
        names = (name for name in self._entries(folder) if shows_hidden or not name.startswith("."))
        return sorted(name for name in names if fits(name))

    def _entries(self, folder: Path) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0 or time.monotonic() > self._ends_at:
                        return
                    yield entry.name
        except OSError:  # not a folder, or not ours to look into: it matches nothing
            return


def _match(path: Path) -> FileMatch | None:
    try:
        facts = path.lstat()
    except (OSError, ValueError):  # not there
        return None
    if stat.S_ISREG(facts.st_mode):
        return FileMatch(str(path), facts.st_size)
    return FileMatch(f"{path}/" if stat.S_ISDIR(facts.st_mode) else str(path))
