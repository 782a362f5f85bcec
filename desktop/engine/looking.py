"""Small questions to a loaded model that ask for no answer: how many tokens has this conversation?"""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from desktop.engine.session import Session

LONGEST_WAIT_S = 15.0  # a step under way may be a chunk of a prompt; who asks has an estimate to fall back on

T = TypeVar("T")


class Looks:
    """Carries them to the engine's thread, which answers between two steps."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._asked: queue.SimpleQueue[tuple[Callable[[Session], Any], Future[Any]]] = queue.SimpleQueue()
        self._closed = False

    def ask(self, what: Callable[[Session], T]) -> T | None:
        """What `what` returns; None where no model is loaded, or none looked in time. Any other thread."""
        if self._closed:
            return None
        answer: Future[T | None] = Future()
        self._asked.put((what, answer))
        self._wake()
        try:
            return answer.result(LONGEST_WAIT_S)
        except TimeoutError:
            return None

    def answer(self, session: Session | None) -> None:
        """Answer what was asked. Engine thread."""
        while not self._asked.empty():
            what, answer = self._asked.get()
            if session is None:
                answer.set_result(None)
                continue
            try:
                answer.set_result(what(session))
            except Exception as error:  # the asker's to hear, not the engine's end
                answer.set_exception(error)

    def close(self) -> None:
        """Nobody answers any more."""
        self._closed = True
        self.answer(None)
