"""Giving work up so that it can't act afterwards.

Work of one call runs on a thread of its own under a `Token`. Whoever waits for it may end the token at any
moment. From then on no step that changes anything begins: every such step asks the token at the last moment
(`effect`), also when it had waited in a queue or behind a lock. `end` says whether a step was under way at
that moment, so that what the user is told is true: nothing more happens, or one step is still being finished.

The token travels with the thread, not through arguments: whatever changes files, rows, the clipboard or the
network asks for it. Outside of a call there is none, and nothing is checked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from desktop.errors import Cancelled


class Token:
    """The right of one call to act. Methods may be called on any thread."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._effects = 0  # steps under way, one inside another counted
        self._is_ended = False
        self._has_acted = False
        self._changes: list[int] = []

    def end(self) -> bool:
        """No step begins from now on. False: one is under way and will be finished."""
        with self._condition:
            self._is_ended = True
            return not self._effects

    def wait_still(self, timeout_s: float) -> bool:
        """Wait until no step is under way; False where one still is after `timeout_s`."""
        with self._condition:
            return self._condition.wait_for(lambda: not self._effects, timeout_s)

    def check(self) -> None:
        """Raise Cancelled when the work was given up and no step is under way."""
        with self._condition:
            self._check()

    @contextmanager
    def effect(self) -> Iterator[None]:
        """Around one step that changes something. Raises Cancelled instead of beginning it."""
        with self._condition:
            self._check()
            self._effects += 1
            self._has_acted = True
        try:
            yield
        finally:
            with self._condition:
                self._effects -= 1
                self._condition.notify_all()

    def changed(self, entry_id: int) -> None:
        """Entry `entry_id` of the undo journal was made; it stays known when the work is given up."""
        with self._condition:
            self._changes.append(entry_id)

    @property
    def changes(self) -> tuple[int, ...]:
        """Entries of the undo journal, in the order in which they were made."""
        with self._condition:
            return tuple(self._changes)

    @property
    def has_acted(self) -> bool:
        """Whether any step was begun."""
        with self._condition:
            return self._has_acted

    def _check(self) -> None:
        if self._is_ended and not self._effects:
            raise Cancelled


_current: ContextVar[Token | None] = ContextVar("cancellation token", default=None)


# The token of the work on this thread.
current: Callable[[], Token | None] = _current.get


@contextmanager
def held(token: Token | None) -> Iterator[None]:
    """Work under `token` on this thread; None: without any."""
    before = _current.set(token)
    try:
        yield
    finally:
        _current.reset(before)


@contextmanager
def shielded() -> Iterator[None]:
    """For tidying up and for noting what has happened: goes on after the work was given up."""
    with held(None):
        yield


def check() -> None:
    """A point at which given-up work ends: in every loop that may be long. Raises Cancelled."""
    token = _current.get()
    if token is not None:
        token.check()


@contextmanager
def effect() -> Iterator[None]:
    """Around one step that changes something elsewhere. Raises Cancelled instead of beginning it."""
    token = _current.get()
    if token is None:
        yield
        return
    with token.effect():
        yield


def changed(entry_id: int) -> None:
    """Tell the token of an entry in the undo journal."""
    token = _current.get()
    if token is not None:
        token.changed(entry_id)
