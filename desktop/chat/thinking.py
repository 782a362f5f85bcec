"""Tells a model's thinking from its answer while both stream.

Reasoning models write `<think>…</think>` (or `<thinking>`) before they answer. A tag
may be cut anywhere between two pieces, so the end of the text is held back while it could begin a tag.
"""

from __future__ import annotations

from dataclasses import dataclass

_OPENING = ("<think>", "<thinking>")
_CLOSING = ("</think>", "</thinking>")


@dataclass(frozen=True)
class Split:
    """What a piece added to the answer and to the thinking."""

    text: str = ""
    thinking: str = ""


class ThinkingSplitter:
    """Feed pieces in order, then `finish`. Thinking counts only before the first word of the answer."""

    def __init__(self, starts_inside: bool = False) -> None:
        """`starts_inside`: the template's own text already opened the thinking part."""
        self._inside = starts_inside
        self._held = ""
        self._answered = False
        self._fresh = True  # at the start and just after a tag, white space is not content

    @property
    def is_thinking(self) -> bool:
        return self._inside

    def feed(self, piece: str) -> Split:
        """Split what is certain; the rest waits for the next piece."""
        self._held += piece
        text, thinking = "", ""
        while True:
            split, again = self._step()
            text += split.text
            thinking += split.thinking
            if not again:
                return Split(text, thinking)

    def finish(self) -> Split:
        """Whatever was held back is no tag."""
        held, self._held = self._held, ""
        return self._emit(held)

    def _step(self) -> tuple[Split, bool]:
        if self._answered:
            return self._take(len(self._held)), False
        tags = _CLOSING if self._inside else _OPENING
        found = [(at, tag) for tag in tags if (at := self._held.find(tag)) >= 0]
        if found and self._may_be_tag(min(found)[0]):
            at, tag = min(found)
            split = self._take(at)
            self._held = self._held[len(tag) :]
            self._inside = not self._inside
            self._fresh = True
            return split, True
        return self._take(len(self._held) - _possible_tag(self._held, tags)), False

    def _may_be_tag(self, at: int) -> bool:
        return self._inside or not self._held[:at].strip()

    def _take(self, length: int) -> Split:
        part, self._held = self._held[:length], self._held[length:]
        return self._emit(part)

    def _emit(self, part: str) -> Split:
        if self._fresh:
            part = part.lstrip()
        if part:
            self._fresh = False
        if self._inside:
            return Split(thinking=part)
        if part.strip():
            self._answered = True
        return Split(text=part)


def _possible_tag(text: str, tags: tuple[str, ...]) -> int:
    """How many last characters of `text` could be the beginning of a tag."""
    longest = max(len(tag) for tag in tags) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(tag.startswith(text[-length:]) for tag in tags):
            return length
    return 0
