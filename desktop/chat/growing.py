"""An answer that is being written: what is shown is on disk before."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from desktop.chat.events import AnswerGrew
from desktop.chat.formats.splitter import CallSplitter
from desktop.chat.store import ChatStore, Closing, Message, MessageStatus
from desktop.chat.thinking import Split, ThinkingSplitter
from desktop.engine.requests import Metrics
from desktop.events import Bus

# Text is committed, and then shown, at most this often. The view repaints no faster.
COMMIT_INTERVAL_S = 0.04


@dataclass
class Growing:
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
        if time.monotonic() - self._committed_s >= COMMIT_INTERVAL_S:
            self._commit()

    def finish(self) -> None:
        """Nothing more comes: what was held back is judged, and what is text is committed."""
        self._add(self._splitter.finish())
        if self.calls is not None:
            self._text += self.calls.finish()
        self._commit()

    def close(self, status: MessageStatus, metrics: Metrics, model: str) -> Message:
        self.finish()
        thought_s = self._thinking_until_s and self._thinking_until_s - self.started_s
        return self.store.close_answer(
            self.answer.id,
            Closing(
                status=status,
                model=model,
                thinking_s=thought_s or self.answer.thinking_s,
                answer_tokens=metrics.answer_tokens,
                tokens_per_s=metrics.tokens_per_s,
                total_s=time.monotonic() - self.started_s,
            ),
        )

    def _add(self, split: Split) -> None:
        self._text += self.calls.feed(split.text) if self.calls is not None else split.text
        self._thinking += split.thinking
        if split.thinking:
            self._thinking_until_s = time.monotonic()

    def _commit(self) -> None:
        if not self._text and not self._thinking:
            return
        self.said = True
        self.store.grow(self.answer.id, self._text, self._thinking)
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
