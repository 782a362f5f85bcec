"""What an agent's edit would make of a file, as a difference to the file on disk."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import translate
from pathlib import Path
from typing import Any

from desktop.agents.action import Action, ActionKind
from desktop.asking import FileMatch
from desktop.gate.verdict import Verdict

LARGEST_BYTES = 1_000_000  # of a file that is compared; a larger change is shown by its arguments alone

_OLD = ("old_string", "oldString", "old_str")

_NEW = ("new_string", "newString", "new_str")

_ALL = ("replace_all", "replaceAll", "allow_multiple")

_CONTENT = ("content", "contents", "file_text")


def diff_of(action: Action) -> str:
    """The whole change as a unified diff; "" where it cannot be made out."""
    if action.diff:
        return action.diff
    if action.kind not in (ActionKind.WRITE, ActionKind.EDIT) or not action.path:
        return ""
    path = action.folder / action.path
    if "notebook_path" in action.arguments:
        return _of_notebook(path, action.arguments)
    before = _text(path)
    if before is None:
        return ""
    after = _after(before, action.arguments)
    return "" if after is None else unified(before, after, path.name)


def unified(before: str, after: str, name: str) -> str:
    """A unified diff; a last line without an end is said to be one."""
    lines = difflib.unified_diff(_lines(before), _lines(after), name, name)
    open_end = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else f"{line}{open_end}" for line in lines)


def _lines(text: str) -> list[str]:
    # Not `splitlines`: that also breaks at form feeds and U+2028, which end no line for a diff.
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def _text(path: Path) -> str | None:
    """The file's text; "" where there is none, None where it cannot be compared."""
    try:
        # The question waits for this; a large file is shown by its arguments.
        if path.stat().st_size > LARGEST_BYTES or not path.is_file():
            return None
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def _after(before: str, arguments: Mapping[str, Any]) -> str | None:
    content = _first(arguments, _CONTENT)
    if isinstance(content, str):
        return content
    edits = arguments.get("edits")
    return _edited(before, edits if isinstance(edits, list) else [arguments])


def _edited(text: str, edits: Iterable[Any]) -> str | None:
    for edit in edits:
        if not isinstance(edit, Mapping):
            return None
        old, new = _first(edit, _OLD), _first(edit, _NEW)
        if not isinstance(old, str) or not isinstance(new, str):
            return None
        # What the agent makes of that is not known; its arguments are shown then, and no diff of a guess.
        if old and old not in text:
            return None
        every = _first(edit, _ALL) is True
        text = (text.replace(old, new) if every else text.replace(old, new, 1)) if old else new + text
    return text


def _first(arguments: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((arguments[name] for name in names if name in arguments), None)


def _of_notebook(path: Path, arguments: Mapping[str, Any]) -> str:
    """The change of one cell, compared with the cell on disk."""
    mode, cell = arguments.get("edit_mode", "replace"), arguments.get("cell_id")
    source = arguments.get("new_source", "")
    if not isinstance(source, str):
        return ""
    before = "" if mode == "insert" else _cell(path, cell)
    if before is None:
        return ""
    return unified(before, "" if mode == "delete" else source, f"{path.name}, cell {cell or 'at the top'}")


def _cell(path: Path, wanted: object) -> str | None:
    """The source of a cell by its id, or by its place as in `cell-3`."""
    try:
        cells = json.loads(_text(path) or "{}")["cells"]
        found = [c for n, c in enumerate(cells) if wanted in (c.get("id"), f"cell-{n}")]
        source = found[0]["source"]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
        return None
    return "".join(source) if isinstance(source, list) else str(source)


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


def _patterns_of(verdict: Verdict) -> list[str]:
    """None where the line goes to another folder first: what they match there is not known here."""
    if any(part.split(None, 1)[0] in _GOES for part in verdict.parts if part.strip()):
        return []
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
