"""Files whose name begins with a dash: `sort *` gets them as options.

The text of a line cannot tell; the folders that it works in can. Only a pattern at the beginning of a word
matches such a name, or a word that stands for names which another command lists (`ls | xargs sort`) or a loop
goes over, and behind `--` it is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain, islice, takewhile

from desktop.gate.embedded_repositories import places
from desktop.gate.shell.reading import FAR
from desktop.gate.shell.simple_command import LOOKS_AT_NAMES, program_name
from desktop.gate.shell.words import ANY_MARK, NAMES, OUTPUT, VARIABLE
from desktop.gate.verdict import Step

MOST_NAMES = 20_000  # of one folder; to read so many takes some 10 ms
MOST_LISTED = 8  # folders
# A name out of a list, and the variable of a loop.
LISTED = frozenset({VARIABLE, OUTPUT + NAMES})
# They print what they are given, or look at names alone, whatever their options are.
ONLY_NAMES = LOOKS_AT_NAMES | {"echo", "printf", "ls", "cd", "pushd", "test", "["}


def dashed_name(step: Step, steps: Sequence[Step], folder: str, home: str) -> tuple[str, str] | None:
    """A pattern of the step and the name with a dash that it matches; None without one.

    `steps` are all of the line, `folder` is where it is run, a real path.
    """
    if not step.words or step.base == FAR or program_name(step.words[0]) in ONLY_NAMES:
        return None
    before = list(takewhile(lambda word: word != "--", step.words[1:]))
    patterns = [word for word in before if _may_match(word)]
    is_listed = any(word in LISTED for word in before)
    if not patterns and not is_listed:
        return None
    where = list(places(step, steps, folder, home))
    for place in where:
        for name in _dashed(place):
            for pattern in patterns:
                if fnmatchcase(name, pattern):
                    return pattern, name
    listed = [*where, *_listed_folders(steps, where)] if is_listed else []
    for name in chain.from_iterable(map(_dashed, listed)):
        return "*", name
    return None


def _listed_folders(steps: Sequence[Step], where: Sequence[str]) -> Iterator[str]:
    """`ls src` gives names of another folder, as if they stood here."""
    words = [word for step in steps if step.words[:1] == ("ls",) for word in step.words[1:]]
    named = [word for word in words if word[:1] != "-" and not ANY_MARK.search(word) and "\0" not in word]
    for place in where[:1]:
        yield from (os.path.join(place, word) for word in named[:MOST_LISTED])


def _may_match(word: str) -> bool:
    return word[:1] in ("*", "?", "[") and "/" not in word


def _dashed(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from [each.name for each in islice(entries, MOST_NAMES) if each.name[:1] == "-"]
    except OSError:
        return
