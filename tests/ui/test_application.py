"""Being asked to quit from outside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pytestqt.qtbot import QtBot

from desktop.ui.application import box_of
from tests.fakes.failures import failure

SCRIPT = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from desktop.ui.application import Application

class HidesInstead(QWidget):
    def closeEvent(self, event):
        event.ignore()
        self.hide()

app = Application()
window = HidesInstead()
window.show()
app.quit_requested.connect(lambda: (print("asked"), app.exit(7)))
QTimer.singleShot(0, app.quit)
QTimer.singleShot(5000, lambda: app.exit(1))
raise SystemExit(app.exec())
"""


def test_quit_from_outside_reaches_the_program_although_a_window_hides_instead_of_closing() -> None:
    """The Dock's Quit ends the program in its own order instead of stopping at the first window."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (7, "asked\n"), done.stderr


def test_the_box_has_cause_what_was_not_lost_and_what_to_do(qtbot: QtBot) -> None:
    """Whoever clicked an icon reads the same three sentences as in a terminal."""
    box = box_of(failure("The settings are wrong.", "Nothing was changed.", "Correct line 3."))
    qtbot.addWidget(box)
    assert box.text() == "The settings are wrong."
    assert box.informativeText() == "Nothing was changed.\nCorrect line 3."
