"""Work that must not run on the main thread, and its result, back on the main thread.

The whole policy of the house for long work started by a widget is in this file. The model has a thread of its
own: llama.cpp is called from one thread only.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QThread, Signal, Slot

from desktop.errors import Cancelled, UserFacing

if TYPE_CHECKING:
    from desktop.engine.engine import Engine

log = structlog.get_logger(__name__)

T = TypeVar("T")


# Chat turns and downloads mostly wait; hashing is the only heavy work.
POOL_THREADS = 8


def only_logged(error: Exception) -> None:
    """As `failed` of `Background.run`, for what nobody asked for and nobody waits for: a model that is made
    ready, an estimate that stays one."""
    log.error("background work failed", exc_info=error)


class Background(QObject):
    """Runs functions on a pool of threads. Methods are called on the main thread."""

    refused = Signal(object)  # UserFacing: an error whose place nobody has named; the owner tells it

    _finished = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="pool")
        self._closed = False
        self._last: list[weakref.WeakMethod[Callable[[], None]]] = []
        self._finished.connect(self._hand_over, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        fn: Callable[..., T],
        *args: Any,
        done: Callable[[T], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Call `fn(*args)` on the pool, then `done(result)` or `failed(error)` on the main thread.

        Cancelled is silent. What is to be told and nobody takes comes by `refused`, so that no call can
        forget to; any other error that nobody takes is logged as the bug it is. Once it is closed nothing is
        begun any more: a result that was on its way then may want something done.
        """
        if self._closed:
            return
        future = self._pool.submit(fn, *args)
        # It comes on the pool's thread, or at once on this one; a queued signal makes both the same.
        future.add_done_callback(lambda ended: self._finished.emit(ended, (done, failed)))

    def finish_with(self, method: Callable[[], None]) -> None:
        """Call the bound `method` of an object that still lives, once nothing runs any more: what was
        acknowledged must be done although its run was dropped. Blocks the end, so it is for small files.
        """
        self._last.append(weakref.WeakMethod(method))

    def close(self) -> None:
        """Wait for what is running, and hand its results over; what has not started is dropped."""
        # First: a result that comes in while the pool is waited for must begin nothing new.
        self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)
        # Now, while what they are shown from is open: a queued one would come after the database has closed.
        QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall.value)
        for method in (each() for each in self._last):
            if method is not None:
                method()

    @Slot(object, object)
    def _hand_over(self, future: Future[Any], callbacks: tuple[Any, Any]) -> None:
        done, failed = callbacks
        # `close` dropped it before it began, and who asked is going away.
        if future.cancelled():
            return
        error = future.exception()
        if error is None:
            if done is not None:
                done(future.result())
        elif isinstance(error, Cancelled):
            return
        elif failed is not None and isinstance(error, Exception):
            failed(error)
        elif isinstance(error, UserFacing):
            self.refused.emit(error)
        else:
            log.error("background work failed", exc_info=error)


class Latest:
    """The same thing asked of the pool again and again, which keeps no order: only the last answer counts.

    Main thread only.
    """

    def __init__(self, background: Background) -> None:
        self._background = background
        self._number = 0

    def run(
        self,
        fn: Callable[..., T],
        *args: Any,
        done: Callable[[T], None],
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Run it as `Background.run` does; what was asked before has no `done` any more."""
        self._number += 1
        self.more(fn, *args, done=done, failed=failed)

    def more(
        self,
        fn: Callable[..., T],
        *args: Any,
        done: Callable[[T], None],
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """As `Background.run`, for more of what was asked last: void as soon as `run` asks anew."""
        number = self._number

        def answered(result: T) -> None:
            if number == self._number:
                done(result)

        self._background.run(fn, *args, done=answered, failed=failed)


class EngineThread(QThread):
    """Runs the engine's loop; nothing else happens on this thread."""

    def __init__(self, engine: Engine, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self.setObjectName("engine")

    def run(self) -> None:
        """The body of the thread: returns when the engine is closed."""
        self._engine.run()

    def close(self) -> None:
        """End the loop and wait for it. Called on the main thread."""
        self._engine.close()
        self.wait()
