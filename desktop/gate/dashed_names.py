"""Files whose name begins with a dash: `sort *` gets them as options.

The text of a line cannot tell; the folders that it works in can. Only a pattern at the beginning of a word
matches such a name, and behind `--` it is none.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice, takewhile

from desktop.gate.embedded_repositories import places
from desktop.gate.shell.reading import FAR
from desktop.gate.shell.simple_command import LOOKS_AT_NAMES, program_name
from desktop.gate.verdict import Step

MOST_NAMES = 20_000  # of one folder; to read so many takes some 10 ms
# They print what they are given, or look at names alone, whatever their options are.
ONLY_NAMES = LOOKS_AT_NAMES | {"echo", "printf", "ls", "cd", "pushd", "test", "["}


def dashed_name(step: Step, steps: Sequence[Step], folder: str, home: str) -> tuple[str, str] | None:
    """A pattern of the step and the name with a dash that it matches; None without one.

    `steps` are all of the line, `folder` is where it is run, a real path.
    """
    if not step.words or step.base == FAR or program_name(step.words[0]) in ONLY_NAMES:
        return None
    patterns = [word for word in takewhile(lambda word: word != "--", step.words[1:]) if _may_match(word)]
    if not patterns:
        return None
    for place in places(step, steps, folder, home):
        for name in _dashed(place):
            for pattern in patterns:
                if fnmatchcase(name, pattern):
                    return pattern, name
    return None


def _may_match(word: str) -> bool:
    return word[:1] in ("*", "?", "[") and "/" not in word


def _dashed(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from [each.name for each in islice(entries, MOST_NAMES) if each.name[:1] == "-"]
    except OSError:
        return
