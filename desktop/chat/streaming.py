"""An answer that is being written: thinking told from words, calls held back, on disk before it is shown.

Reasoning models write `<think>…</think>` (or `<thinking>`) before they answer. A tag may be cut anywhere
between two pieces, so the end of the text is held back while it could begin a tag.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from desktop.chat.events import AnswerGrew
from desktop.chat.formats.calls import CallSplitter
from desktop.chat.store import ChatStore, Closing, Message, MessageStatus
from desktop.engine.requests import Metrics
from desktop.events import Bus

_OPENING = ("<think>", "<thinking>")
_CLOSING = ("</think>", "</thinking>")


@dataclass(frozen=True)
class Split:
    """What a piece added to the answer and to the thinking."""

    text: str = ""
    thinking: str = ""


class ThinkingSplitter:
    """Feed pieces in order, then `finish`. Thinking counts only before the first word of the answer."""

    def __init__(self) -> None:
        self._inside = False
        self._held = ""
        # Tags inside the answer are text: somebody may ask how they are written.
        self._answered = False
        self._fresh = True  # at the start and just after a tag, white space is not content

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


# Text is committed, and then shown, at most this often. The view repaints no faster.
COMMIT_INTERVAL_S = 0.04


@dataclass
class AnswerStream:
    """Splits thinking from answer and holds calls back, commits in batches, then announces. One thread."""

    store: ChatStore
    bus: Bus
    answer: Message
    calls: CallSplitter | None = None  # None: whatever looks like a call is text
    started_s: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._splitter = ThinkingSplitter()
        self.said = False
        self._text = self._thinking = ""
        self._text_at = len(self.answer.text)
        self._thinking_at = len(self.answer.thinking)
        self._committed_s = 0.0
        self._thinking_until_s: float | None = None

    def feed(self, piece: str) -> None:
        self._add(self._splitter.feed(piece))
        # Each commit is a write to disk; a fast model gives a hundred pieces a second.
        if time.monotonic() - self._committed_s >= COMMIT_INTERVAL_S:
            self._commit()

    def finish(self) -> None:
        """Nothing more comes: what was held back is judged, and what is text is committed."""
        self._end()
        self._commit()

    def close(self, status: MessageStatus, metrics: Metrics, model: str) -> Message:
        """The last words and the end go to disk in one transaction; then the words are announced."""
        self._end()
        # A continued answer that thinks no more keeps the time of its first part.
        thought_s = self._thinking_until_s and self._thinking_until_s - self.started_s
        closed = self.store.close_answer(
            self.answer.id,
            Closing(
                status=status,
                model=model,
                thinking_s=thought_s or self.answer.thinking_s,
                answer_tokens=metrics.answer_tokens,
                tokens_per_s=metrics.tokens_per_s,
                total_s=time.monotonic() - self.started_s,
            ),
            self._text,
            self._thinking,
        )
        self._announce()
        return closed

    def _end(self) -> None:
        self._add(self._splitter.finish())
        if self.calls is not None:
            self._text += self.calls.finish()

    def _add(self, split: Split) -> None:
        self._text += self.calls.feed(split.text) if self.calls is not None else split.text
        self._thinking += split.thinking
        if split.thinking:
            self._thinking_until_s = time.monotonic()

    def _commit(self) -> None:
        if not self._text and not self._thinking:
            return
        self.store.grow(self.answer.id, self._text, self._thinking)
        self._announce()

    def _announce(self) -> None:
        if not self._text and not self._thinking:
            return
        # A view counts by these lengths what it has already, however late it hears of it.
        self.said = True
        self.bus.publish(
            AnswerGrew(
                self.answer.conversation_id,
                self.answer.id,
                self._text,
                self._thinking,
                self._text_at,
                self._thinking_at,
            )
        )
        self._text_at += len(self._text)
        self._thinking_at += len(self._thinking)
        self._text = self._thinking = ""
        self._committed_s = time.monotonic()
