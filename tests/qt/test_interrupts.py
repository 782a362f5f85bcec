"""Ctrl+C inside a Qt program, and the end of the display."""

from __future__ import annotations

import os
import signal

import pytest
from pytestqt.qtbot import QtBot

from desktop.qt.interrupts import STATUS, DisplayLoss, Interrupts


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


X11 = "The X11 connection broke: I/O error (code 1)"
WAYLAND = "The Wayland connection experienced a fatal error: Broken pipe"
OLDER_WAYLAND = "The Wayland connection broke. Did the Wayland compositor die?"


@pytest.mark.parametrize("text", [X11, WAYLAND, OLDER_WAYLAND])
def test_what_is_to_be_kept_is_kept_before_the_end(text: str) -> None:
    """Once, also when closing the windows brings the same warning again."""
    done: list[object] = []
    loss = DisplayLoss(done.append)
    loss.keep_by(lambda: done.append(loss.hear(text)))
    assert loss.hear(text)
    assert done == [True, STATUS]


def test_what_refuses_does_not_hold_up_the_end() -> None:
    """The loop refuses to be closed while it runs: the process ends all the same."""
    ended: list[int] = []
    loss = DisplayLoss(ended.append)

    def refuse() -> None:
        raise RuntimeError("Cannot close a running event loop")

    loss.keep_by(refuse)
    loss.hear(X11)
    assert ended == [STATUS]


def test_other_messages_end_nothing() -> None:
    """Qt warns of much that is no reason to go."""
    loss = DisplayLoss(lambda _status: pytest.fail("the process was ended"))
    assert not loss.hear("QXcbConnection: XCB error: 3 (BadWindow)")
