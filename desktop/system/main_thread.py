"""What only the main thread may do, asked for by another thread that waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from dataclasses import dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.system.reasons import SystemReason

T = TypeVar("T")
TIMEOUT_S = 5.0


@dataclass(frozen=True)
class _Asked:
    """`token` is of the work that asked for it."""

    what: Callable[[], Any]
    token: cancellation.Token | None


class MainThread(QObject):
    """Made on the main thread, which must run its event loop."""

    _asked = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._asked.connect(self._do, Qt.ConnectionType.QueuedConnection)

    def call(self, what: Callable[[], T], timeout_s: float = TIMEOUT_S) -> T:
        """Do `what` there and return what it returns, or raise what it raises. Refused on the main thread.

        Raises UserFacing when the main thread does not come to it in time, or Cancelled when the work was
        given up before; then it does not do it later either.
        """
        if threading.current_thread() is threading.main_thread():
            raise RuntimeError("the main thread would wait for itself")
        future: Future[T] = Future()
        self._asked.emit(_Asked(what, cancellation.current()), future)
        try:
            return future.result(timeout_s)
        except NotInTime:
            if not future.cancel():  # it has just begun and can't be taken back
                return future.result()
            raise UserFacing(SystemReason.WINDOW_BUSY.of()) from None

    @Slot(object, object)
    def _do(self, asked: _Asked, future: Future[Any]) -> None:
        # Given up by the caller, who was told that nothing was changed.
        if not future.set_running_or_notify_cancel():
            return
        try:
            with cancellation.held(asked.token), cancellation.effect():
                future.set_result(asked.what())
        except BaseException as error:  # handed to whoever waits
            future.set_exception(error)
