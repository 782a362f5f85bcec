"""What `.gitignore` leaves out, and a walk through a folder that honours it.

The rules of each folder hold below it, the deepest that says something decides (gitignore(5)). Links are not
followed, so a walk ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pathspec import GitIgnoreSpec

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.sandbox.facts import Entry, Kind
from desktop.sandbox.workspace import Place

NEVER = frozenset({".git", ".hg", ".svn"})
RULES_BYTES = 256 * 1024


@dataclass(frozen=True)
class Rules:
    """The rules of one folder, `depth` components below where the walk began."""

    depth: int
    spec: GitIgnoreSpec


def walk(start: Place, limit: int) -> Iterator[tuple[Place, Entry]]:
    """Everything below `start` that is not ignored, in order; looks at no more than `limit` names."""
    waiting: list[tuple[Place, tuple[Rules, ...]]] = [(start, ())]
    seen = 0
    base = len(start.parts)
    while waiting:
        folder, rules = waiting.pop()
        rules = (*rules, *_rules_of(folder, len(folder.parts) - base))
        below = []
        for entry in _entries(folder):
            cancellation.check()
            seen += 1
            if seen > limit:
                return
            place = folder.below(entry.name)
            if entry.name in NEVER or _is_ignored(place.parts[base:], entry.facts.kind, rules):
                continue
            yield place, entry
            if entry.facts.kind is Kind.FOLDER:
                below.append((place, rules))
        waiting += reversed(below)


def _entries(folder: Place) -> list[Entry]:
    try:
        return folder.entries()
    except UserFacing:  # a folder that may not be read, or is gone: the walk goes on without it
        return []


def _rules_of(folder: Place, depth: int) -> tuple[Rules, ...]:
    try:
        text = folder.below(".gitignore").read(limit_bytes=RULES_BYTES).decode(errors="replace")
    except UserFacing:  # most folders have none
        return ()
    return (Rules(depth, GitIgnoreSpec.from_lines(text.splitlines())),)


def _is_ignored(parts: tuple[str, ...], kind: Kind, rules: tuple[Rules, ...]) -> bool:
    for each in reversed(rules):
        path = "/".join(parts[each.depth :]) + ("/" if kind is Kind.FOLDER else "")
        said = each.spec.check_file(path).include
        if said is not None:
            return said
    return False
