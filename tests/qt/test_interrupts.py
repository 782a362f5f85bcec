"""Ctrl+C inside a Qt program."""

from __future__ import annotations

import os
import signal

from pytestqt.qtbot import QtBot

from desktop.qt.interrupts import Interrupts


def test_sigterm_reaches_a_waiting_loop_and_the_old_handler_comes_back(qtbot: QtBot) -> None:
    """A signal wakes the Qt loop and asks to quit; afterwards signals belong to whoever had them."""
    before = signal.getsignal(signal.SIGTERM)
    asked: list[bool] = []
    interrupts = Interrupts(lambda: asked.append(True))
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        qtbot.waitUntil(lambda: asked == [True])
    finally:
        interrupts.close()
    assert signal.getsignal(signal.SIGTERM) is before
