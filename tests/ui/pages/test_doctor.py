"""The Doctor page: each check a line, the report in the clipboard, looked again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.gate.redaction import Redactor
from desktop.models.library import Library
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.settings import Settings
from desktop.system.crash_reports import CrashKind, CrashReports
from desktop.system.doctor import Check, CheckState, Doctor
from desktop.system.secrets import Secrets
from desktop.ui.pages.doctor import CrashRows, DoctorPage, report, summary, unexpected_end
from desktop.ui.pages.window import PageEntry, PagesWindow
from desktop.ui.theme import Theme
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.toast import Toast
from tests.fakes.failures import spoken
from tests.ui.pages.conftest import World
from tests.ui.pages.test_page_screens import LOOKS, dress, unnamed
from tests.ui.test_screens import ARTEFACTS, clipped

LEFT = Qt.MouseButton.LeftButton

TRAY = Check(spoken("Tray"), CheckState.WORKS, spoken("shown by the panel"))

HOTKEY = Check(
    spoken("Hotkey"),
    CheckState.LIMITED,
    spoken("another program has it"),
    spoken("Choose another one in the settings."),
)


class EmptyKeyring:
    """A keyring with nothing in it."""

    def get_password(self, service: str, username: str) -> str | None:
        return None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise AssertionError("a report changes nothing")

    def delete_password(self, service: str, username: str) -> None:
        raise AssertionError("a report changes nothing")


def real_doctor(world: World, settings: Settings | None = None) -> Doctor:
    secrets = Secrets(world.paths, EmptyKeyring, timeout_s=1)
    return Doctor(world.paths, settings or Settings(), Library(world.paths, world.bus), secrets)


@dataclass(frozen=True)
class OneCheck:
    """A doctor that makes only this check."""

    check: Callable[[], Check]

    @property
    def checks(self) -> tuple[Callable[[], Check], ...]:
        return (self.check,)


def lines(page: DoctorPage) -> list[str]:
    return [row.accessibleName() for row in page.list.rows]


def is_done(page: DoctorPage) -> bool:
    return page.copy.isEnabled()


def test_every_check_is_a_line_with_its_word(world: World) -> None:
    """The report of this computer, the caller's own lines with it, what is wrong first."""
    threads: list[str] = []

    def extra() -> tuple[Check, ...]:
        threads.append(threading.current_thread().name)
        return (HOTKEY,)

    page = DoctorPage(lambda: real_doctor(world), world.background, extra, lambda: (TRAY,))
    world.show(page)
    world.until(lambda: is_done(page))
    assert len(page.checks) == len(real_doctor(world).checks) + 2
    assert {"Tray: works", "Hotkey: limited", "Models: missing"} <= set(lines(page))
    words = [line.rpartition(": ")[2] for line in lines(page)]
    assert words == sorted(words, key=lambda word: word == "works")
    assert page.progress.text() == summary(page.checks)
    row = page.list.row("Hotkey")
    assert row is not None
    shown = " ".join(label.text() for label in row.findChildren(QLabel)).replace("\u200b", "")
    assert "another program has it" in shown
    assert "Choose another one" in shown
    assert threads != ["MainThread"]


def test_the_report_is_copied_whole(world: World) -> None:
    """What is pasted holds every line with its sign, finding and advice."""
    page = DoctorPage(lambda: real_doctor(world), world.background, lambda: (HOTKEY,))
    world.show(page)
    world.until(lambda: is_done(page))
    world.qtbot.mouseClick(page.copy, LEFT)
    text = QGuiApplication.clipboard().text()
    assert text == report(page.checks)
    for check in page.checks:
        assert str(check.name) in text
        assert str(check.finding) in text
    assert "! Hotkey" in text
    assert "Choose another one in the settings." in text
    assert page.toast.isVisible()


def test_a_second_look_sees_what_is_another_now(world: World) -> None:
    """Settings changed in between count; the page says meanwhile that it is looking."""
    page = DoctorPage(lambda: real_doctor(world, world.settings.current), world.background)
    world.show(page)
    world.until(lambda: is_done(page))
    assert "Network: works" in lines(page)
    world.settings.change("network", "offline", True)
    world.qtbot.mouseClick(page.again, LEFT)
    assert not page.copy.isEnabled()
    assert page.bar.isVisible()
    world.until(lambda: is_done(page))
    assert "Network: limited" in lines(page)
    assert not page.bar.isVisible()


def test_lines_come_one_by_one(world: World) -> None:
    """A check that takes its time holds up neither the window nor the lines that are there."""
    go = threading.Event()

    def slow() -> Check:
        go.wait(10)
        return HOTKEY

    page = DoctorPage(lambda: OneCheck(slow), world.background, at_hand=lambda: (TRAY,))  # type: ignore[arg-type,return-value]
    world.show(page)
    assert lines(page) == ["Tray: works"]
    assert page.progress.text() == "Checking: 1 done."
    page.shown()  # coming back to the page begins no second look
    go.set()
    world.until(lambda: is_done(page))
    assert lines(page) == ["Hotkey: limited", "Tray: works"]


def test_a_check_that_fails_is_said_and_the_rest_stays(world: World) -> None:
    """The page does not wait for ever, and offers to look again."""

    def broken() -> Check:
        raise OSError("the sensor is gone")

    page = DoctorPage(lambda: OneCheck(broken), world.background, at_hand=lambda: (TRAY,))  # type: ignore[arg-type,return-value]
    with world.qtbot.captureExceptions() as raised:  # a bug stays loud
        world.show(page)
        world.until(lambda: page.findChild(ErrorCard) is not None)
    card = page.findChild(ErrorCard)
    assert "the sensor is gone" in card.error.cause
    assert lines(page) == ["Tray: works"]
    assert is_done(page)
    assert [kind for kind, _, _ in raised] == [OSError]


@pytest.mark.pictures
@pytest.mark.parametrize("look", LOOKS)
def test_the_page_in_every_look(world: World, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut off, everything that the keyboard reaches has a name, Tab goes round."""
    page = DoctorPage(lambda: real_doctor(world), world.background, lambda: (HOTKEY,), lambda: (TRAY,))
    window = PagesWindow(
        world.settings,
        world.relay,
        world.background,
        world.paths.pages,
        [PageEntry("Doctor", "doctor", lambda: page)],
    )
    world.qtbot.addWidget(window)
    dress(world, window, look, monkeypatch)
    window.resize(*{"zoom-200": (1180, 900), "narrow": (420, 640)}.get(look, (900, 700)))
    window.show_page("Doctor")
    world.qtbot.waitExposed(window)
    ARTEFACTS.mkdir(exist_ok=True)
    if look == "light":
        world.until(lambda: len(page.checks) > 3)
        assert window.grab().save(str(ARTEFACTS / "pages-doctor-looking.png"))
    world.until(lambda: is_done(page))
    QCoreApplication.processEvents()
    world.qtbot.wait(30)
    assert window.grab().save(str(ARTEFACTS / f"pages-doctor-{look}.png"))
    assert clipped(window) == []
    assert unnamed(window) == []


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
    Theme(qapp)
    parent = QWidget()
    qtbot.addWidget(parent)
    rows = CrashRows(reports, background, Toast(parent))
    qtbot.addWidget(rows)
    rows.refresh()
    qtbot.wait(50)
    assert rows.isHidden()
    path = reports.write(CrashKind.CRASH, "Fatal Python error: Segmentation fault", "in llama_decode")
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
    reports.write(CrashKind.CRASH, "x", "y", at=now - 15 * 3600)
    (report,) = reports.reports()
    assert unexpected_end(report, now) == "Steward closed unexpectedly yesterday 18:00"
    killed = replace(report, kind=CrashKind.KILLED)
    assert unexpected_end(killed, now) == "Steward closed unexpectedly", "its moment is that of the start"
