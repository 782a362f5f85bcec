"""Ctrl+C inside a Qt program."""

from __future__ import annotations

import os
import signal

import pytest
from pytestqt.qtbot import QtBot

from desktop.qt.interrupts import Interrupts


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_reaches_a_waiting_loop_and_the_old_handler_comes_back(
    qtbot: QtBot, number: signal.Signals
) -> None:
    """It wakes the Qt loop and asks to quit; afterwards signals belong to whoever had them."""
    before = signal.getsignal(number)
    asked: list[bool] = []
    interrupts = Interrupts(lambda: asked.append(True))
    try:
        os.kill(os.getpid(), number)
        qtbot.waitUntil(lambda: asked == [True])
    finally:
        interrupts.close()
    assert signal.getsignal(number) is before
