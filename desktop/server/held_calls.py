"""Threads for calls that wait: for the judge, or for a person to click.

Apart from every other pool, so that fifty open dialogs leave chat and downloads alone, and so that the loop
of the server never waits for one of them.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

import structlog
from aiohttp import web

log = structlog.get_logger(__name__)

MOST_CALLS = 256
IDLE_S = 20.0


class HeldCalls:
    """Runs each work on a thread that nothing else waits for. All methods may be called on any thread.

    One thread more than is busy is kept waiting, and a thread that takes work starts the next one: whoever
    submits, which is the loop, never waits for a thread to start. Threads beyond that end after `idle_s`.
    """

    def __init__(self, most: int = MOST_CALLS, idle_s: float = IDLE_S) -> None:
        self._most = most
        self._idle_s = idle_s
        self._changed = threading.Condition()
        self._waiting: deque[Callable[[], None]] = deque()
        self._threads: set[threading.Thread] = set()
        self._busy = 0
        self._closed = False

    def start(self) -> None:
        """Start the first thread."""
        self._add_thread()

    @property
    def count(self) -> int:
        """How many calls are held or wait for a thread."""
        with self._changed:
            return self._busy + len(self._waiting)

    @property
    def threads(self) -> int:
        with self._changed:
            return len(self._threads)

    def submit(self, work: Callable[[], None]) -> bool:
        """Run `work` soon; False when too many are held already, or after `close`."""
        with self._changed:
            if self._closed or self._busy + len(self._waiting) >= self._most:
                return False
            self._waiting.append(work)
            self._changed.notify()
        return True

    def close(self, timeout_s: float) -> bool:
        """Take no more work and end the threads; False when some work did not end in time.

        What had not begun is not begun.
        """
        deadline = time.monotonic() + timeout_s
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._changed.notify_all()
            # Noted before they take themselves out: they are joined below.
            threads = tuple(self._threads)
            ended = self._changed.wait_for(lambda: not self._threads, timeout_s)
            late = len(self._threads)
        if not ended:
            log.error("held calls did not end in time", count=late)
            return False
        for thread in threads:  # they have nothing left to do but return
            thread.join(max(0.1, deadline - time.monotonic()))
        return True

    def _add_thread(self) -> None:
        # A daemon: a call that does not end must not keep the process from ending.
        thread = threading.Thread(target=self._run, name="held-call", daemon=True)
        with self._changed:
            if self._closed:
                return
            self._threads.add(thread)
        thread.start()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except Exception:  # the outermost edge of this thread
                log.exception("a held call failed")
            finally:
                with self._changed:
                    self._busy -= 1

    def _next(self) -> Callable[[], None] | None:
        """The next work; None when this thread is to end."""
        with self._changed:
            while not self._waiting:
                if self._closed or (not self._changed.wait(self._idle_s) and self._is_surplus()):
                    self._threads.discard(threading.current_thread())
                    self._changed.notify_all()
                    return None
            work = self._waiting.popleft()
            self._busy += 1
            # Started by the thread that takes work: the loop never waits for one to start.
            needs_another = self._spare() == 0
        if needs_another:
            self._add_thread()
        return work

    def _spare(self) -> int:
        """Threads that wait for work, with those that are just starting."""
        return len(self._threads) - self._busy

    def _is_surplus(self) -> bool:
        return not self._waiting and self._spare() > 1


T = TypeVar("T")
HELD = web.RequestKey("held", bool)  # this request waited for the judge or for a person


class TooManyHeld(Exception):
    """No thread is left for another call that waits."""


async def held(calls: HeldCalls, work: Callable[[], T]) -> T:
    """Run `work` on a held-call thread and return what it returns. Raises TooManyHeld.

    Cancelled when the connection goes; `work` then goes on, and its result is dropped.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        # The connection may have gone, and its future been cancelled, a moment before.
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type] # without an error there is a result

    def run() -> None:
        result, failed = None, None
        try:
            result = work()
        except Exception as error:  # handed to whoever awaits
            failed = error
        try:
            loop.call_soon_threadsafe(settle, result, failed)
        except RuntimeError:  # the loop has ended; nobody waits any more
            log.info("a held call ended after the server")

    if not calls.submit(run):
        raise TooManyHeld
    return await answer
