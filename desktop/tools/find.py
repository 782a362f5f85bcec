"""Finding files by name and by what is in them, inside one open folder."""

from __future__ import annotations

import fnmatch
import re
import time
from collections.abc import Iterator

from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.sandbox.facts import Kind
from desktop.sandbox.workspace import Place, Workspace
from desktop.tools.text import decoded
from desktop.tools.tool import FilePath, Tool, tool

MATCHES = 50
LINE = 200  # characters of a line that are shown
FILE_BYTES = 2_000_000  # larger files are not searched
VISITED = 20_000  # files and folders looked at
DEEPEST = 32
SECONDS = 10.0
# Always ours or a machine's, whatever .gitignore says.
SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".steward"})


class Finder:
    """Methods may be called on any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def tools(self) -> tuple[Tool, ...]:
        return (
            tool(self.find_files, Effect.READ),
            tool(self.search_text, Effect.READ, untrusted_result=True),
        )

    def find_files(self, pattern: str, path: FilePath = FilePath(".")) -> str:  # noqa: B008
        """Find files by name.

        pattern: such as "*.pdf" or part of a name
        """
        wanted = pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"
        walk = _Walk(self._workspace.place(path))
        found = [shown for shown, _ in walk if _named(shown, wanted)]
        return _told(found, walk, f"No file is named like {pattern}.")

    def search_text(self, text: str, path: FilePath = FilePath(".")) -> str:  # noqa: B008
        """Search for text inside files.

        text: the words to look for
        """
        if not text.strip():
            raise UserFacing("There is nothing to search for.", "", "Name some words.", code="search-empty")
        walk = _Walk(self._workspace.place(path))
        needle = text.casefold()
        found: list[str] = []
        for shown, place in walk:
            found += _lines_with(needle, shown, place)
            if len(found) > MATCHES:
                break
        return _told(found, walk, f"No file contains {text!r}.")


def _named(shown: str, pattern: str) -> bool:
    name = shown.rsplit("/", 1)[-1]
    low = pattern.casefold()
    return fnmatch.fnmatchcase(name.casefold(), low) or fnmatch.fnmatchcase(shown.casefold(), low)


def _lines_with(needle: str, shown: str, place: Place) -> list[str]:
    try:
        if place.facts().size_bytes > FILE_BYTES:
            return []
        text = decoded(place.read(limit_bytes=FILE_BYTES), shown).text
    except UserFacing:  # binary, or gone, or not ours to read: not what was searched for
        return []
    numbered = enumerate(text.splitlines(), 1)
    return [f"{shown}:{n}: {line.strip()[:LINE]}" for n, line in numbered if needle in line.casefold()]


def _told(found: list[str], walk: _Walk, nothing: str) -> str:
    lines = found[:MATCHES] or [nothing]
    if len(found) > MATCHES:
        lines.append(f"… more than {MATCHES} matches; name a narrower search.")
    if walk.cut:
        lines.append("[… the folder is too large; not everything was looked at …]")
    return "\n".join(lines)


class _Walk:
    """The files beneath a folder, sorted, without what .gitignore names; bounded in number and time."""

    def __init__(self, root: Place) -> None:
        self._root = root
        self._visited = 0
        self._until = time.monotonic() + SECONDS
        self.cut = False

    def __iter__(self) -> Iterator[tuple[str, Place]]:
        return self._folder(self._root, "", (), 0)

    def _folder(
        self, place: Place, shown: str, rules: tuple[_Rule, ...], depth: int
    ) -> Iterator[tuple[str, Place]]:
        entries = place.entries()
        if any(entry.name == ".gitignore" for entry in entries):
            rules = (*rules, *_rules(place.below(".gitignore"), shown))
        for entry in entries:
            self._visited += 1
            if self._visited > VISITED or time.monotonic() > self._until or depth > DEEPEST:
                self.cut = True
                return
            path = f"{shown}/{entry.name}" if shown else entry.name
            is_folder = entry.facts.kind is Kind.FOLDER
            if entry.name in SKIPPED or _ignored(rules, path, is_folder):
                continue
            if is_folder:
                yield from self._folder(place.below(entry.name), path, rules, depth + 1)
            elif entry.facts.kind is Kind.FILE:
                yield path, place.below(entry.name)


class _Rule:
    """One line of a .gitignore in the folder `base`."""

    def __init__(self, line: str, base: str) -> None:
        self.keeps = line.startswith("!")
        body = line.removeprefix("!")
        self._folders_only = body.endswith("/")
        body = body.rstrip("/")
        anchored = "/" in body
        expression = _expression(body.lstrip("/"))
        prefix = re.escape(f"{base}/") if base else ""
        self._matches = re.compile(prefix + ("" if anchored else "(?:.*/)?") + expression).fullmatch

    def applies(self, path: str, is_folder: bool) -> bool:
        return (is_folder or not self._folders_only) and self._matches(path) is not None


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/|/\*\*|\*|\?)", pattern)
    known = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    return "".join(known.get(part, re.escape(part)) for part in parts)


def _rules(place: Place, base: str) -> list[_Rule]:
    try:
        lines = decoded(place.read(limit_bytes=64_000), ".gitignore").text.splitlines()
    except UserFacing:  # a link or a binary file: no rules
        return []
    kept = (line.rstrip() for line in lines)
    return [_Rule(line, base) for line in kept if line and not line.startswith("#")]


def _ignored(rules: tuple[_Rule, ...], path: str, is_folder: bool) -> bool:
    """The last rule that applies decides."""
    for rule in reversed(rules):
        if rule.applies(path, is_folder):
            return not rule.keeps
    return False
