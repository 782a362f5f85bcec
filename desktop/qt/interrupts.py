"""Ctrl+C, SIGTERM and the end of the terminal inside a Qt program.

Python runs signal handlers between bytecodes, and a waiting Qt loop runs none. The operating system writes a
byte into a socket instead, which wakes the loop, which then lets Python handle the signal.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier, Slot

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
