"""A unified diff line by line: what was added and removed, where, and which words of a line changed.

No Qt: what is drawn of it is `shown_text`'s. A patch without line numbers is read as far as its first letters
tell; nothing of it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

LONGEST_COMPARED = 400  # characters of a line; the words of a longer one are not told apart
MOST_COMPARED = 400  # pairs of lines

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

Span = tuple[int, int]


@dataclass(frozen=True)
class ChangeLine:
    """One line of a diff. `mark` is "+", "-", " " or, for what is said about the change, "".

    `text` is the line without its mark. `number` is its line in the new file, for "-" in the old one; 0 where
    the diff does not tell. `changed` are the stretches of `text` that its counterpart does not have.
    """

    mark: str
    text: str
    number: int = 0
    changed: tuple[Span, ...] = ()


def read_change(diff: str) -> tuple[ChangeLine, ...]:
    """All lines of `diff`, in order."""
    return tuple(_compared(list(_lines(diff.removesuffix("\n").split("\n")))))


def counts(lines: Sequence[ChangeLine]) -> tuple[int, int]:
    """How many lines were added and removed."""
    return sum(line.mark == "+" for line in lines), sum(line.mark == "-" for line in lines)


def _lines(raw: Sequence[str]) -> Iterator[ChangeLine]:
    """A removed line may begin with `--`: inside a hunk its counts tell how far it goes."""
    old = new = old_left = new_left = 0
    has_begun = not any(line.startswith("@@") for line in raw)
    for line in raw:
        mark, hunk = line[:1], _HUNK.match(line)
        is_inside = old_left > 0 or new_left > 0
        if not is_inside and line.startswith("@@"):
            has_begun = True
            if hunk is not None:
                old, new = int(hunk[1]), int(hunk[3])
                old_left, new_left = int(hunk[2] or 1), int(hunk[4] or 1)
            yield ChangeLine("", line)
        elif not is_inside and (not has_begun or mark not in ("+", "-", " ") or _is_header(line)):
            yield ChangeLine("", line)
        elif mark == "-":
            yield ChangeLine("-", line[1:], old if is_inside else 0)
            old, old_left = old + 1, old_left - 1
        elif mark == "+":
            yield ChangeLine("+", line[1:], new if is_inside else 0)
            new, new_left = new + 1, new_left - 1
        elif mark == "\\":
            yield ChangeLine("", line)
        else:
            yield ChangeLine(" ", line[1:], new if is_inside else 0)
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1


def _is_header(line: str) -> bool:
    return line.startswith(("--- ", "+++ "))


def _compared(lines: list[ChangeLine]) -> list[ChangeLine]:
    """Each removed line beside the added one that took its place."""
    at = pairs = 0
    while at < len(lines):
        removed = _run(lines, at, "-")
        added = _run(lines, at + removed, "+")
        for number in range(min(removed, added)):
            if pairs == MOST_COMPARED:
                return lines
            pairs += 1
            first, second = at + number, at + removed + number
            before, after = _differing(lines[first].text, lines[second].text)
            lines[first] = replace(lines[first], changed=before)
            lines[second] = replace(lines[second], changed=after)
        at += max(1, removed + added)
    return lines


def _run(lines: Sequence[ChangeLine], start: int, mark: str) -> int:
    end = start
    while end < len(lines) and lines[end].mark == mark:
        end += 1
    return end - start


def _differing(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The words of each that the other lacks; none where the lines have next to nothing in common."""
    if max(len(before), len(after)) > LONGEST_COMPARED:
        return (), ()
    old, new = _WORD.findall(before), _WORD.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.3:
        return (), ()
    changes = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    return (
        tuple(_span(old, start, end) for _kind, start, end, _, _ in changes if end > start),
        tuple(_span(new, start, end) for _kind, _, _, start, end in changes if end > start),
    )


def _span(words: Sequence[str], start: int, end: int) -> Span:
    first = sum(map(len, words[:start]))
    return first, first + sum(map(len, words[start:end]))
