"""Ends that come from outside: Ctrl+C, SIGTERM, the end of the terminal, and that of the display.

Python runs signal handlers between bytecodes, and a waiting Qt loop runs none. The operating system
writes a byte into a socket instead, which wakes the loop, which then lets Python handle the signal.

That the display's server has crashed, or that the session was torn down around the program, Qt tells in
one warning, and then ends the process where it stands, with threads at work. That takes what they had not
written yet, and Python, torn down under them, may crash on top. So what has to be kept is kept when the
warning comes, and the process ends here.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable

import structlog
from PySide6.QtCore import QObject, QSocketNotifier, Slot

log = structlog.get_logger(__name__)

SIGNALS = (signal.SIGINT, signal.SIGTERM)
TERMINAL_ENDS = getattr(signal, "SIGHUP", None)  # not on Windows


class Interrupts(QObject):
    """Calls `quit_program` on the main thread when the program is asked to end. Made on the main thread."""

    def __init__(self, quit_program: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        # Python refuses a wake-up socket that could block inside a signal.
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        # One byte wakes the loop: where the buffer is full, nothing is lost.
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        signals = [*SIGNALS]
        # Under nohup the program is to outlive its terminal.
        if TERMINAL_ENDS is not None and signal.getsignal(TERMINAL_ENDS) is not signal.SIG_IGN:
            signals.append(TERMINAL_ENDS)
        self._before = {number: signal.signal(number, lambda *_: quit_program()) for number in signals}
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_byte)

    def close(self) -> None:
        """Give the signals back to whoever had them."""
        self._notifier.setEnabled(False)
        # Before the sockets close: a signal that comes now would write into nothing.
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._reader.close()
        self._writer.close()

    @Slot()
    def _on_byte(self) -> None:
        # Reading is all: Python calls the handler as soon as any of its code runs.
        self._reader.recv(64)


# What Qt's plugins for X11 and Wayland write before they end the process.
# -- the end of the display ------------------------------------------------------------------------

WARNINGS = ("The X11 connection broke", "The Wayland connection")
STATUS = 1  # that of Qt
KEPT_WITHIN_S = 10.0  # of a program whose windows are gone nobody expects more


class DisplayLoss:
    """Hears Qt's messages. Main thread."""

    def __init__(self, end: Callable[[int], None] = os._exit) -> None:
        """`end` ends the process at once with a status."""
        self._end = end
        self._keep: Callable[[], object] = lambda: None
        self._is_ending = False

    def keep_by(self, keep: Callable[[], object]) -> None:
        """What is called before the end, with no window to be seen any more."""
        self._keep = keep

    def hear(self, text: str) -> bool:
        """Whether the message told of the end of the display; the process has ended then."""
        if not text.startswith(WARNINGS):
            return False
        if self._is_ending:  # the windows that are closed meanwhile find no display either
            return True
        self._is_ending = True
        log.error("the display is gone: Steward ends, what was typed and answered is kept", text=text)
        late = threading.Timer(KEPT_WITHIN_S, self._end, (STATUS,))
        late.daemon = True
        late.start()
        try:
            self._keep()
        except Exception as error:
            # All of it is taken down under a running loop: one part that refuses must not keep the process.
            log.info("a part did not end in order", reason=str(error))
        finally:
            late.cancel()
            self._end(STATUS)
        return True
