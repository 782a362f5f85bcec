"""A walk through a folder that leaves out what its `.gitignore` files name. Anybody may have written those,
so their rules are matched in bounded time.

A glob with many stars becomes a regular expression that tries every way to share a name out between them: for
`*a*a*a*a*a*b` and a name of sixty letters longer than anybody lives, and Python lets nothing else run
meanwhile. The first place where the text between two stars fits is as good as any later one, so an atomic
group for each gives the same answer at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.sandbox.folder import Entry, EntryKind
from desktop.sandbox.workspace import HeldPath

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

NEVER_WALKED = frozenset({".git", ".hg", ".svn"})
RULES_BYTES = 256 * 1024
LONGEST_LINE = 1_000  # characters
MOST_DEEP_STARS = 2  # `**` in one line: each multiplies the work by the length of a path
_STAR = "[^/]*"
_TWO_STARS = re.compile(r"(?:\[\^/\]\*){2,}")
# A star, what stands before the next one in the same folder, which is one sign or one set after another, and
# the next one.
_BETWEEN = re.compile(r"\[\^/\]\*((?:\\.|\[\^?+\]?+[^\]]*+\]|[^/()\[\]\\])+?)(?=\[\^/\]\*)")
_DEEP = re.compile(r"\(\?:\.\+/\)\?|\(\?:/\.\+\)\?|/\.\*")


def walk(start: HeldPath, limit: int) -> Iterator[tuple[HeldPath, Entry]]:
    """Everything below `start` that is not ignored, in order; looks at no more than `limit` names.

    The rules of each folder hold below it, and the deepest that says something decides (gitignore(5)). Links
    are not followed, so a walk ends.
    """
    waiting: list[tuple[HeldPath, tuple[IgnoreRules, ...]]] = [(start, ())]
    seen = 0
    base = len(start.parts)
    while waiting:
        folder, rules = waiting.pop()
        rules = (*rules, *_rules_of(folder, len(folder.parts) - base))
        below = []
        for entry in _entries(folder):
            cancellation.check()
            seen += 1
            # A home folder has millions of names, and the user waits for an answer.
            if seen > limit:
                return
            place = folder.below(entry.name)
            if entry.name in NEVER_WALKED or _is_ignored(place.parts[base:], entry.facts.kind, rules):
                continue
            yield place, entry
            if entry.facts.kind is EntryKind.FOLDER:
                below.append((place, rules))
        # Folders in order, each with what is below it, as a person would go through them.
        waiting += reversed(below)


def _entries(folder: HeldPath) -> list[Entry]:
    try:
        return folder.entries()
    except UserFacing:  # a folder that may not be read, or is gone: the walk goes on without it
        return []


def _rules_of(folder: HeldPath, depth: int) -> tuple[IgnoreRules, ...]:
    try:
        text = folder.below(".gitignore").read(limit_bytes=RULES_BYTES).decode(errors="replace")
    except UserFacing:  # most folders have none
        return ()
    return (IgnoreRules.of(text, depth),)


def _is_ignored(parts: tuple[str, ...], kind: EntryKind, rules: tuple[IgnoreRules, ...]) -> bool:
    for each in reversed(rules):
        said = each.say(parts, kind is EntryKind.FOLDER)
        if said is not None:
            return said
    return False


@dataclass(frozen=True)
class IgnoreRules:
    """The rules of one folder, `depth` components below where a walk began."""

    depth: int
    spec: GitIgnoreSpec

    @classmethod
    def of(cls, text: str, depth: int) -> IgnoreRules:
        """A line that Git could not read, or that costs too much, says nothing."""
        # Here: it takes 1.5 MB for as long as the program runs, and most folders have no rules.
        from pathspec import GitIgnoreSpec

        return cls(depth, GitIgnoreSpec(list(_patterns(text))))

    def say(self, parts: tuple[str, ...], is_folder: bool) -> bool | None:
        """Whether the path of these components from where the walk began is ignored; None where no rule
        names it."""
        return self.spec.check_file("/".join(parts[self.depth :]) + ("/" if is_folder else "")).include


def _patterns(text: str) -> Iterator[GitIgnoreSpecPattern]:
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    for line in text.splitlines():
        if len(line) > LONGEST_LINE:
            continue
        try:
            found, include = GitIgnoreSpecPattern.pattern_to_regex(line)
            if found is None or len(_DEEP.findall(found)) > MOST_DEEP_STARS:
                continue
            yield GitIgnoreSpecPattern(re.compile(_bounded(found)), include)
        except (ValueError, re.error, OverflowError):  # `[z-a]`, or an escape of nothing
            continue


def _bounded(expression: str) -> str:
    """The pattern in a form that never goes back behind a star that has found its text."""
    single = _TWO_STARS.sub(lambda _: _STAR, expression)
    return _BETWEEN.sub(lambda found: f"(?>{_STAR}?{found[1]})", single)
