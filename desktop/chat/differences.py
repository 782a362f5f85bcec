"""What a difference says, in its own lines: unified diffs as Git and `diff -u` write them.

A small model that is given one tells a line that only stands beside a change as changed ("removing one fig").
So where somebody asks what has changed, the lines themselves are the answer. Pure; any thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Lines that answer by themselves; more of them are to be summed up.
MOST_LINES = 40
_ASKS = re.compile(
    r"\b(?:changes|changed|did\b.{0,60}\bchange|differ(?:s|ent|ence|ences)?|diffs?|modifi(?:ed|cations?)|"
    r"(?:ge)?änder\w*|verändert|unterschied\w*|changé\w*|changements?|modifié\w*|différen\w*|"
    r"cambi(?:o|os|ó|ado|aron)|modificad\w*|diferen\w*)\b",
    re.IGNORECASE,
)
# What is to be made of it, the model says.
_MAKES = re.compile(
    r"\b(?:why|explain|summ\w*|review|message|commit|describe|warum|wieso|erklär\w*|fass\w*|beschreib\w*|nachricht|"
    r"pourquoi|expliqu\w*|résum\w*|décri\w*|message|por qué|explic\w*|resum\w*|describ\w*|mensaje)\b",
    re.IGNORECASE,
)
_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOWHERE = "/dev/null"


@dataclass(frozen=True)
class ChangedFile:
    """The lines of one file that are gone (`-`) and new (`+`), in their order."""

    name: str
    lines: tuple[str, ...]


def asks_what_changed(asked: str) -> bool:
    return bool(_ASKS.search(asked)) and not _MAKES.search(asked)


def changed_files(text: str) -> tuple[ChangedFile, ...]:
    """What a unified diff in `text` changes; empty where there is none, or more than answers by itself."""
    files: list[ChangedFile] = []
    name = before = ""
    changed: list[str] = []
    gone = new = 0  # lines of the hunk that are still to come, so that "--- a" inside of one is a line
    for line in text.splitlines():
        if gone > 0 or new > 0:
            kind = line[:1]
            if kind == "\\":  # "No newline at end of file" is said of the line above it
                continue
            gone -= kind != "+"
            new -= kind != "-"
            if kind in ("-", "+"):
                changed.append(line)
        elif (hunk := _HUNK.match(line)) and name:
            gone, new = (int(each or 1) for each in hunk.groups())
        elif line.startswith("--- "):
            before = _path(line)
        elif line.startswith("+++ "):
            files += [ChangedFile(name, tuple(changed))] if changed else []
            after = _path(line)
            name, changed = before if after == _NOWHERE else after, []
    files += [ChangedFile(name, tuple(changed))] if changed else []
    return tuple(files) if sum(len(each.lines) for each in files) <= MOST_LINES else ()


def _path(line: str) -> str:
    """Without Git's letter, and without the time that `diff -u` puts behind it."""
    path = line[4:].partition("\t")[0].strip()
    return path[2:] if path[:2] in ("a/", "b/") else path
