"""Splitting an answer into blocks, so that only the end of a growing one is drawn again.

Pure text work, without Qt. Code and tables become blocks of their own, because they get widgets of their
own; everything else is prose, cut at blank lines where no list or quotation goes on.

By hand: it runs for every piece that a model writes, and must take the fences that models write, not only
those of CommonMark (docs/decisions.md, "Which library splits an answer into blocks?").
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# A paragraph longer than this is cut between words: laying out one line of text costs more than linearly.
LONGEST_PROSE = 8_000
_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)$")
_RULE_CELL = r"\s*:?-+:?\s*"
_TABLE_RULE = re.compile(
    rf"^\s{{0,3}}(\|{_RULE_CELL})+\|?\s*$|^\s{{0,3}}{_RULE_CELL}(\|{_RULE_CELL})+\|?\s*$"
)
_GOES_ON = re.compile(r"^(\s+\S|\s*([-*+]|\d{1,9}[.)])(\s|$)|\s{0,3}>)")
_LIST_OR_QUOTE = re.compile(r"^\s*([-*+](\s|$)|\d{1,9}[.)](\s|$)|>)")


@dataclass(frozen=True)
class Prose:
    """Markdown text without fenced code and tables."""

    text: str


@dataclass(frozen=True)
class Code:
    """What stands between two fences; `closed` is false while the second one has not come."""

    language: str
    text: str
    closed: bool


@dataclass(frozen=True)
class Table:
    """The source lines of one table."""

    text: str


Block = Prose | Code | Table


class BlockSplitter:
    """The blocks of a text that grows at its end; the cost of growing does not depend on what is settled.

    `blocks` is always what it would be if everything appended so far had come at once.
    """

    def __init__(self, text: str = "") -> None:
        self.blocks: list[Block] = []
        self._settled = 0  # so many blocks can no longer change
        self._open = ""  # the source from there on
        self.append(text)

    def append(self, text: str) -> None:
        self._open += text
        found = _blocks(self._open)
        self.blocks[self._settled :] = [block for block, _ in found]
        # The last two stay open: a line that has only begun can still turn out to belong to the one before.
        if len(found) > 2:
            self._settled += len(found) - 2
            self._open = self._open[found[-2][1] :]


def _blocks(text: str) -> list[tuple[Block, int]]:
    """Blocks with the offset in `text` at which each begins."""
    lines = text.split("\n")
    found: list[tuple[Block, int]] = []
    number = offset = 0
    while number < len(lines):
        taken, block = _take(lines, number)
        if block is not None:
            found.extend(_cut(block, offset))
        offset += sum(len(line) + 1 for line in lines[number : number + taken])
        number += taken
    return found


def _take(lines: list[str], start: int) -> tuple[int, Block | None]:
    """The block that begins at line `start` and how many lines it takes; None for blank lines."""
    if not lines[start].strip():
        return 1, None
    if fence := _FENCE.match(lines[start]):
        return _take_code(lines, start, fence)
    if _is_table(lines, start):
        return _take_table(lines, start)
    return _take_prose(lines, start)


def _take_code(lines: list[str], start: int, fence: re.Match[str]) -> tuple[int, Block]:
    indent, marks = len(fence["indent"]), fence["marks"]
    language = fence["info"].strip().split(" ")[0]
    body: list[str] = []
    for number in range(start + 1, len(lines)):
        line = lines[number]
        end = _FENCE.match(line)
        if end and end["marks"].startswith(marks) and not end["info"].strip():
            return number - start + 1, Code(language, "\n".join(body), closed=True)
        body.append(line[min(indent, len(line) - len(line.lstrip(" \t"))) :])
    return len(lines) - start, Code(language, "\n".join(body), closed=False)


def _is_table(lines: list[str], start: int) -> bool:
    if start + 1 >= len(lines) or "|" not in lines[start] or not _TABLE_RULE.match(lines[start + 1]):
        return False
    return _cells(lines[start]) == _cells(lines[start + 1])


def _cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line.strip().strip("|"))) + 1


def _take_table(lines: list[str], start: int) -> tuple[int, Block]:
    end = start + 2
    while end < len(lines) and lines[end].strip() and not _FENCE.match(lines[end]):
        end += 1
    return end - start, Table("\n".join(lines[start:end]))


def _take_prose(lines: list[str], start: int) -> tuple[int, Block]:
    end = start + 1
    holds = bool(_LIST_OR_QUOTE.match(lines[start]))
    while end < len(lines) and not _FENCE.match(lines[end]) and not _is_table(lines, end):
        if not lines[end].strip() and not (holds and _next_goes_on(lines, end)):
            break
        holds = holds or bool(_LIST_OR_QUOTE.match(lines[end]))
        end += 1
    return end - start, Prose("\n".join(lines[start:end]).rstrip())


def _next_goes_on(lines: list[str], blank: int) -> bool:
    """Whether the first line after these blank ones belongs to the list or quotation before them."""
    for line in lines[blank:]:
        if line.strip():
            return bool(_GOES_ON.match(line)) and not _FENCE.match(line)
    return False


def _cut(block: Block, offset: int) -> list[tuple[Block, int]]:
    """A very long paragraph in several pieces."""
    if not isinstance(block, Prose) or len(block.text) <= LONGEST_PROSE:
        return [(block, offset)]
    pieces: list[tuple[Block, int]] = []
    text = block.text
    while text:
        size = len(text) if len(text) <= LONGEST_PROSE else _word_end(text)
        pieces.append((Prose(text[:size]), offset))
        text, offset = text[size:], offset + size
    return pieces


def _word_end(text: str) -> int:
    """Where to cut: after the last line end or space within the limit."""
    for mark in ("\n", " "):
        found = text.rfind(mark, LONGEST_PROSE // 2, LONGEST_PROSE)
        if found > 0:
            return found + 1
    return LONGEST_PROSE


def utf16_length(text: str) -> int:
    """How many places `text` takes in a QTextDocument, which counts UTF-16 units."""
    return len(text) + sum(letter > "\uffff" for letter in text)
