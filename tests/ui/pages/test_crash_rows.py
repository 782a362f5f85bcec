"""Reports of crashes on the Doctor page."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.gate.redaction import Redactor
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.system.crash_reports import CrashReports, Kind
from desktop.ui.pages.crash_rows import CrashRows, unexpected_end
from desktop.ui.theme import Theme
from desktop.ui.toast import Toast


@pytest.fixture
def background() -> Iterator[Background]:
    background = Background()
    yield background
    background.close()


def test_a_report_is_shown_copied_and_deleted(
    qtbot: QtBot, qapp: QApplication, paths: Paths, background: Background
) -> None:
    """Each by a button with a name of its own; without a report nothing is shown."""
    reports = CrashReports(paths, lambda: Redactor(()))
    theme, parent = Theme(qapp), QWidget()
    qtbot.addWidget(parent)
    rows = CrashRows(theme, reports, background, Toast(theme, parent))
    qtbot.addWidget(rows)
    rows.refresh()
    qtbot.wait(50)
    assert rows.isHidden()
    path = reports.write(Kind.CRASH, "Fatal Python error: Segmentation fault", "in llama_decode")
    assert path is not None
    rows.refresh()
    qtbot.waitUntil(lambda: not rows.isHidden())

    def press(what: str) -> None:
        button = rows.findChild(QPushButton, f"crash_{what}_{path.stem}")
        assert isinstance(button, QPushButton)
        button.click()

    press("show")
    shown = rows.findChild(QPlainTextEdit, "crash_text")
    assert isinstance(shown, QPlainTextEdit)
    assert "llama_decode" in shown.toPlainText()
    press("copy")
    assert QGuiApplication.clipboard().text() == reports.reports()[0].text()
    press("delete")
    qtbot.waitUntil(rows.isHidden)
    assert not path.exists()


def test_the_quiet_line_says_when(paths: Paths) -> None:
    """In the words that lists use."""
    reports = CrashReports(paths, lambda: Redactor(()))
    now = time.mktime((2026, 11, 22, 9, 0, 0, 0, 0, -1))
    reports.write(Kind.CRASH, "x", "y", at=now - 15 * 3600)
    (report,) = reports.reports()
    assert unexpected_end(report, now) == "Steward closed unexpectedly yesterday 18:00"
