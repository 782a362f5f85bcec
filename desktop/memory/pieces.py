"""A long text in pieces that are found and read by themselves, with nothing lost."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 800  # characters: some 200 tokens, half of a small budget

# Where a text may be cut, the best place first.
_ENDS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[.!?。！？]\s*"), re.compile(r"\s"))


def pieces(text: str) -> tuple[str, ...]:
    """`text`, cut at the end of a paragraph, line, sentence or word; joined they are `text` but for white
    space.
    """
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    while len(text) > LONGEST:
        end = _end(text[:LONGEST])
        yield text[:end].strip()
        text = text[end:].strip()
    if text:
        yield text


def _end(head: str) -> int:
    """Not in the first half: a heading by itself is no piece."""
    for pattern in _ENDS:
        places = [match.end() for match in pattern.finditer(head) if match.end() > LONGEST // 2]
        if places:
            return places[-1]
    return len(head)
