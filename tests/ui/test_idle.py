"""A program that nobody uses does nothing, no timer fires more than once a second, and holds no windows."""

from __future__ import annotations

import gc
import subprocess
import sys

import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.paths import Paths
from tests.ui.every_window import house

SLOWEST_MS = 1000
TRAY = """
import sys, desktop.ui.application, desktop.ui.language, desktop.ui.tray
before_icon = [name for name in sys.modules if name.startswith("desktop.gate.shell")]
import desktop.ui.desktop
pages = ("desktop.ui.pages.", "desktop.ui.chat.", "desktop.ui.models.", "desktop.system.doctor")
print(before_icon, [name for name in sys.modules if name.startswith((*pages, "xml.etree"))])
"""
QUICK_ASK = """
import sys, desktop.ui.quick_ask.quick_ask
unused = ("desktop.ui.pages.", "desktop.ui.models.", "desktop.models.setup", "desktop.models.download")
print([name for name in sys.modules if name.startswith(unused)])
"""
RESTING = """
import sys
from desktop.__main__ import main
sys.argv = ["steward", "--profile", sys.argv[1], "reminders", "list"]
main()
from desktop.app.desktop import read_no_sources
read_no_sources()
import desktop.ui.permission.presenter, desktop.ui.quick_ask.quick_ask, desktop.ui.reminder_notices
unused = ("email", "importlib.metadata", "pygments", "rich", "tomlkit", "desktop.ui.widgets.lists")
print([name for name in unused if name in sys.modules])
"""


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


def test_a_start_into_the_tray_brings_no_page() -> None:
    """Their modules would stay for as long as it runs, and the icon would wait for them, as for the gate,
    which comes behind it; nor the reader of translations, where the windows are English."""
    done = subprocess.run([sys.executable, "-c", TRAY], capture_output=True, text=True)
    assert done.stdout == "[] []\n", done.stderr


def test_what_only_changes_or_colours_is_not_loaded_at_rest(paths: Paths) -> None:
    """Settings are read, questions, the quick window and reminders ready: without the writer of settings, the
    colours of code, the lists of pages, and what looks for plugins in every installed package."""
    command = [sys.executable, "-c", RESTING, str(paths.data)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.endswith("\n[]\n"), done.stdout + done.stderr


def test_quick_ask_brings_neither_pages_nor_downloads() -> None:
    """It stands ready behind its hotkey from the start, so what it imports is held at rest."""
    done = subprocess.run([sys.executable, "-c", QUICK_ASK], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
