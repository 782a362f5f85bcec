"""The files that a command line names or matches, with its patterns expanded as a shell does.

For the question, which lists them, and for the copies that are kept before it runs. Nothing is opened.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from fnmatch import translate
from pathlib import Path

from desktop.asking import FileMatch
from desktop.gate.verdict import ANYWHERE, Effect, Verdict

MOST_FILES = 200

MOST_LOOKED_AT = 20_000  # entries of folders, for one command line

LONGEST_S = 0.5

_PATTERN = re.compile(r"[*?\[]")

_ENDS = frozenset(" \t\n;|&<>()")

_GOES = ("cd", "pushd", "popd", "Set-Location")


def files_of(verdict: Verdict, folder: Path) -> tuple[FileMatch, ...]:
    """Existing files that the line names or matches, with sizes; at most `MOST_FILES`, nothing is opened.

    May take up to half a second where folders are large. A name that the line makes is not there yet.
    """
    search = _Search(folder)
    found: dict[str, FileMatch] = {}
    for text in dict.fromkeys((*verdict.touched, *_patterns_of(verdict))):
        for path in search.matches(text):
            match = _match(path)
            if match is not None:
                found.setdefault(match.path, match)
            if len(found) >= MOST_FILES:
                return tuple(found.values())
    return tuple(found.values())


def changed_paths(verdict: Verdict, folder: Path) -> tuple[Path, ...] | None:
    """All that the line may change or remove, with patterns expanded now; None where that is not known.

    A quoted pattern is no longer told from another here: the file of that name and what it would match are
    both among them.
    """
    changed = [each for step in verdict.steps if step.effect is not Effect.READ for each in step.changes]
    if ANYWHERE in changed:
        return None
    search = _Search(folder)
    named = [folder / os.path.expanduser(each) for each in verdict.touched]
    globs = _globs(verdict)
    named += [folder / each for each in globs if os.path.lexists(folder / each)]
    matched = [path for pattern in globs for path in search.matches(pattern)]
    return tuple(dict.fromkeys((*named, *matched))) if search.is_complete else None


def _globs(verdict: Verdict) -> list[str]:
    """The patterns among what the line changes, each as seen from the working folder."""
    changed = (each for step in verdict.steps for each in step.changes)
    return [each for each in dict.fromkeys(changed) if _PATTERN.search(each) and each not in verdict.touched]


def _patterns_of(verdict: Verdict) -> list[str]:
    """Where the line goes to another folder first, those of what it changes, which are known from here."""
    if any(part.split(None, 1)[0] in _GOES for part in verdict.parts if part.strip()):
        return _globs(verdict)
    return [pattern for part in verdict.parts for pattern in patterns(part)]


def patterns(command: str) -> list[str]:
    """The words of a command that a shell would expand: with `*`, `?` or `[` outside quotes."""
    found: list[str] = []
    word = _Word()
    escaped, quote = False, ""
    for sign in f"{command} ":
        if escaped or (quote and sign != quote and sign != "\\"):
            word.add_plain(sign, is_fixed=quote == "'" or escaped)
            escaped = False
        elif sign == "\\" and quote != "'":
            escaped = True
        elif sign in ("'", '"'):
            quote = "" if quote else sign
        elif sign in _ENDS:
            found += word.taken()
            word = _Word()
        else:
            word.add(sign)
    return found


class _Word:
    """A word as it is read, sign by sign."""

    def __init__(self) -> None:
        self._text = ""
        self._is_pattern = False
        self._is_known = True

    def add(self, sign: str) -> None:
        self._text += sign
        self._is_pattern = self._is_pattern or sign in "*?["
        self._is_known = self._is_known and sign not in "$`{"

    def add_plain(self, sign: str, is_fixed: bool) -> None:
        """A quoted sign stands for itself; in double quotes a variable is still one."""
        self._text += f"[{sign}]" if sign in "*?[" else sign
        self._is_known = self._is_known and (is_fixed or sign not in "$`")

    def taken(self) -> list[str]:
        return [self._text] if self._is_pattern and self._is_known else []


class _Search:
    """Expands patterns as a shell does, within bounds."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._left = MOST_LOOKED_AT
        self._ends_at = time.monotonic() + LONGEST_S
        self.is_complete = True  # no folder was given up for its size

    def matches(self, text: str) -> Iterator[Path]:
        """What `text` stands for, in the order of names."""
        if "\0" in text:
            return
        path = Path(os.path.expanduser(text))
        base = Path(path.anchor) if path.is_absolute() else self._folder
        yield from self._below(base, path.parts[1:] if path.is_absolute() else path.parts)

    def _below(self, base: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        # A list and no recursion: a path may have more parts than Python allows calls inside each other.
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
        # As a shell does: a star does not stand for a dot at the front.
        shows_hidden = pattern.startswith(".")
        names = (name for name in self._entries(folder) if shows_hidden or not name.startswith("."))
        return sorted(name for name in names if fits(name))

    def _entries(self, folder: Path) -> Iterator[str]:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._left -= 1
                    # A pattern in a huge folder must not keep the question from being
                    # asked.
                    if self._left < 0 or time.monotonic() > self._ends_at:
                        self.is_complete = False
                        return
                    yield entry.name
        except OSError:  # not a folder, or not ours to look into: it matches nothing
            return


def _match(path: Path) -> FileMatch | None:
    try:
        facts = path.lstat()
    except (OSError, ValueError):  # not there
        return None
    # Only of plain files: the size of a folder or a device says nothing about what would be lost.
    if stat.S_ISREG(facts.st_mode):
        return FileMatch(str(path), facts.st_size)
    return FileMatch(f"{path}/" if stat.S_ISDIR(facts.st_mode) else str(path))
