"""Files that a command reads without naming them, and of which the disk tells that they are secrets.

A project may hold a link to a key of its user. `cat notes.md` names such a link; `cat *.md`, `grep -R x .`
and `ls | xargs cat` read it too, and only a look into the folder tells so. Looked at are the names that a
pattern matches, what is below a folder for programs that follow links, and what another command lists.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from desktop.gate.embedded_repositories import places
from desktop.gate.shell.places import PATTERN, holds_all, holds_secrets
from desktop.gate.shell.reading import FAR
from desktop.gate.shell.simple_command import (
    NO_CONTENTS,
    READS_BELOW,
    READS_BELOW_WHEN_TOLD,
    RECURSES,
    program_name,
)
from desktop.gate.shell.words import ANY_MARK
from desktop.gate.verdict import Step

MOST_NAMES = 10_000  # looked at for one line, which takes some 15 ms
MOST_JUDGED = 2_000  # of them by what they are called, which takes ten times as long
DEEPEST = 64  # components of a pattern

# With these a program reads what the links below a folder lead to; of diff -r it is the rule.
_LETTER_R = re.compile(r"-[a-zA-Z]*[RS][a-zA-Z]*|--dereference-recursive")  # S: of macOS
_LETTER_L = re.compile(r"-[a-zA-Z]*L[a-zA-Z]*|--follow")
FOLLOWS = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "ggrep", "ugrep"), _LETTER_R),
    **dict.fromkeys(("rg", "fd", "fdfind", "find", "bfs"), _LETTER_L),
    **dict.fromkeys(("ag", "ack"), re.compile(r"-[a-zA-Z]*f|--follow")),
    **dict.fromkeys(("tar", "bsdtar"), re.compile(r"-?[a-zA-Z]*h[a-zA-Z]*|--dereference")),
    **dict.fromkeys(("diff", "colordiff"), RECURSES),
}
# They list links among other names, unless they are asked for plain files alone.
LISTS_LINKS = frozenset({"ls", "find", "bfs", "fd", "fdfind", "git", "tree", "du"})
FINDS = frozenset({"find", "bfs"})
HIDES_DOTS = frozenset({"ls", "fd", "fdfind", "tree"})
SHOWS_DOTS = re.compile(r"-[a-zA-Z]*[aAH][a-zA-Z]*|--(?:all|almost-all|hidden|unrestricted)")
DEPTH_ONE = frozenset({"ls"})
NAMED_BY = frozenset({"-name", "-iname"})


@dataclass(slots=True)
class Look:
    """How much may still be looked at, and what counts: real paths for links, names for all else."""

    is_secret: Callable[[str], bool]
    goes_below: bool = False  # folders that are matched are read with all that is in them
    left: int = MOST_NAMES
    judged: int = MOST_JUDGED

    def entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What is in a folder, as far as it may be looked at; nothing where that cannot be read."""
        found: list[os.DirEntry[str]] = []
        if self.left <= 0:
            return found
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    found.append(entry)
                    self.left -= 1
                    if self.left <= 0:
                        break
        except OSError:  # whom it is closed to, the command cannot show what is in it either
            return found
        return found

    def is_link_to_secret(self, path: str) -> bool:
        real = os.path.realpath(path)
        if os.path.isdir(real):
            return self.goes_below and (holds_all(real) or self.is_secret(f"{real}/x"))
        return self.is_secret(real)

    def is_called_secret(self, name: str) -> bool:
        self.judged -= 1
        return self.judged >= 0 and holds_secrets(name)


# -- patterns --------------------------------------------------------------------------------------


def matched_secret(pattern: str, look: Look) -> str:
    """The first secret that an absolute pattern of paths matches; "" without one."""
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if len(parts) > DEEPEST or ".." in parts:
        return ""
    return next(_matched("/", parts, look, is_led=False), "")


def _matched(folder: str, parts: Sequence[str], look: Look, *, is_led: bool) -> Iterator[str]:
    plain = 0
    while plain < len(parts) and not PATTERN.search(parts[plain]):
        plain += 1
    folder = os.path.join(folder, *parts[:plain])
    is_led = is_led or (plain > 0 and os.path.realpath(folder) != os.path.normpath(folder))
    part, rest = (parts[plain], parts[plain + 1 :]) if plain < len(parts) else ("", ())
    if not part:
        if is_led and os.path.lexists(folder) and look.is_link_to_secret(folder):
            yield folder
        return
    if part == "**" and rest:  # of any depth, none included, where the shell is told so
        yield from _matched(folder, rest, look, is_led=is_led)
    for entry in look.entries(folder):
        name = entry.name
        if (name[0] == "." and part[0] not in ".[") or not fnmatchcase(name, part):
            continue
        is_here = is_led or entry.is_symlink()
        if rest:
            if entry.is_dir():
                deeper = (part, *rest) if part == "**" and not entry.is_symlink() else rest
                yield from _matched(entry.path, deeper, look, is_led=is_here)
        elif (is_here and look.is_link_to_secret(entry.path)) or look.is_called_secret(name):
            yield entry.path


# -- folders that are gone through ------------------------------------------------------------------


def found_secret(steps: Sequence[Step], folder: str, home: str, look: Look) -> str:
    """A link to a secret below a folder that a step goes through, or that another step lists; "" without one.

    `steps` are all of the line, which is run in `folder`, a real path.
    """
    reads_listed = any(map(_reads_what_is_listed, steps))
    for step in steps:
        if not step.words or step.base == FAR:
            continue
        name = program_name(step.words[0])
        follows = name in FOLLOWS and any(map(FOLLOWS[name].fullmatch, step.words[1:]))
        if name in FOLLOWS and name not in LISTS_LINKS:
            wanted = follows
        else:
            wanted = reads_listed and name in LISTS_LINKS and (follows or not _lists_files_alone(step))
        if not wanted:
            continue
        for start in _starts(step, steps, folder, home):
            look.goes_below = follows
            found = _link_below(start, step, name, look)
            if found:
                return found
    return ""


def goes_below(steps: Sequence[Step]) -> bool:
    """Whether a step reads all that is in the folders that it is given."""
    names = ((program_name(step.words[0]), step.words[1:]) for step in steps if step.words)
    return any(
        name in READS_BELOW or (name in READS_BELOW_WHEN_TOLD and any(map(RECURSES.match, words)))
        for name, words in names
    )


def _reads_what_is_listed(step: Step) -> bool:
    return (
        bool(step.words)
        and any(map(ANY_MARK.search, step.words[1:]))
        and program_name(step.words[0]) not in NO_CONTENTS
    )


def _lists_files_alone(step: Step) -> bool:
    if program_name(step.words[0]) == "git":
        return "ls-files" not in step.words and "ls-tree" not in step.words
    pairs = zip(step.words[1:], step.words[2:], strict=False)
    return any((before in ("-type", "-t", "--type")) and word[:1] == "f" for before, word in pairs)


def _starts(step: Step, steps: Sequence[Step], folder: str, home: str) -> Iterator[str]:
    for place in places(step, steps, folder, home):
        words = [word for word in step.words[1:] if word[:1] != "-" and not ANY_MARK.search(word)]
        named = [
            os.path.join(place, home + word[1:] if word[:2] in ("~", "~/") else word)
            for word in words
            if "\0" not in word
        ]
        folders = [each for each in named if os.path.isdir(each)]
        yield from folders or [place]


def _link_below(start: str, step: Step, name: str, look: Look) -> str:
    """Level by level: what lies deep in a large tree is looked at last."""
    words = step.words
    wanted = [words[at + 1] for at, word in enumerate(words[:-1]) if word in NAMED_BY and name in FINDS]
    hides = name in HIDES_DOTS and not any(map(SHOWS_DOTS.fullmatch, words[1:]))
    level = [start]
    while level:
        below: list[str] = []
        for folder in level:
            for entry in look.entries(folder):
                if hides and entry.name[0] == ".":
                    continue
                if entry.is_symlink():
                    # What is below a folder may be called otherwise.
                    is_wanted = not wanted or any(fnmatchcase(entry.name, each) for each in wanted)
                    if (is_wanted or look.goes_below) and look.is_link_to_secret(entry.path):
                        return entry.path
                elif entry.is_dir(follow_symlinks=False) and entry.name != ".git":
                    below.append(entry.path)
        level = [] if name in DEPTH_ONE and "-R" not in words else below
    return ""
