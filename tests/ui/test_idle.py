"""A program that nobody uses does nothing: no timer that fires more than once a second."""

from __future__ import annotations

import gc

import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.paths import Paths
from tests.ui.every_window import house

SLOWEST_MS = 1000


def _fast() -> list[str]:
    timers = [each for each in gc.get_objects() if isinstance(each, QTimer) and shiboken6.isValid(each)]
    return [
        f"{each.interval()} ms of {type(each.parent()).__name__}"
        for each in timers
        if each.isActive() and not each.isSingleShot() and each.interval() < SLOWEST_MS
    ]


def test_hidden_windows_have_no_fast_timer(paths: Paths, qapp: QApplication, qtbot: QtBot) -> None:
    """After every window was open once and all are hidden again."""
    with house(paths, qapp, qtbot) as all_of_it:
        for _name, widget in all_of_it.windows():
            widget.hide()
        qtbot.waitUntil(lambda: not _fast(), timeout=5000)
