"""The strip at the foot of the first window, and that the window leads nowhere before Steward is whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.errors import UserFacing
from desktop.models.progress import DownloadPhase, DownloadProgress
from desktop.system.installation import Installation, InstallationProgress, InstallationStep
from desktop.system.reasons import SystemReason
from desktop.ui.models.downloads import Download
from desktop.ui.models.first_run import INSTALLATION_BYTES, FirstRun, InstallationStrip, whole
from tests.ui.models.conftest import World

Show = Callable[[QWidget], None]
UNPACKING = InstallationProgress(
    InstallationStep.UNPACKING, share=0.4, seconds_left=12, count_done=8, count_total=47
)


class Told(Installation):
    """Without a process: tests tell it how far it is."""

    def __init__(self) -> None:
        super().__init__(Path("dev.py"))
        self.starts = 0

    def start(self) -> None:
        self.starts += 1
        self.error = None
        self.changed.emit()

    def be(self, progress: InstallationProgress) -> None:
        self.progress = progress
        self.changed.emit()

    def fail(self, error: UserFacing) -> None:
        self.error = error
        self.changed.emit()

    def end(self) -> None:
        self.is_done = True
        self.done.emit()


@pytest.fixture
def installation(qtbot: QtBot) -> Told:
    return Told()


@pytest.fixture
def window(world: World, shown: Show, installation: Told) -> FirstRun:
    window = world.first_run()
    window.follow(installation)
    shown(window)
    return window


def strip_of(window: FirstRun) -> InstallationStrip:
    found = window.findChild(InstallationStrip)
    assert found is not None
    return found


def running(size_bytes: int, arrived: int, seconds_left: float | None) -> Download:
    download = Download("q", "Qwen", size_bytes, lambda _control, _accepted: None)  # type: ignore[arg-type, return-value]
    download.is_running = True
    phase = DownloadPhase.DOWNLOADING
    download.progress = DownloadProgress("q", phase, arrived, size_bytes, 5e6, seconds_left)
    return download


@pytest.mark.parametrize(
    ("progress", "downloads", "of_all", "parts"),
    [
        (InstallationProgress(), (), "", ""),
        (InstallationProgress(InstallationStep.PACKAGES, 0.14, bytes_done=52_000_000, bytes_total=53_000_000),
         (), "14% of everything", "This step: 52 MB of about 53 MB"),
        (UNPACKING, (), "40% of everything · about 10 seconds left", "This step: 8 of 47 packages"),
        (UNPACKING, ((1_100_000_000, 250_000_000, 140),), "25% of everything · about 2 minutes left",
         "This step: 8 of 47 packages · Qwen: 250 MB of 1.1 GB"),
        (UNPACKING, ((1_100_000_000, 0, None),), "5% of everything",
         "This step: 8 of 47 packages · Qwen: 0 bytes of 1.1 GB"),
        (InstallationProgress(InstallationStep.PACKAGES), ((1_100_000_000, 250_000_000, 40),),
         "", "Qwen: 250 MB of 1.1 GB"),
    ],
)  # fmt: skip
def test_what_stands_below_the_bar_is_what_the_bar_shows(
    progress: InstallationProgress,
    downloads: tuple[tuple[int, int, float | None], ...],
    of_all: str,
    parts: str,
) -> None:
    """Its share and the longer estimate, none while one was not measured; bytes are named by their part."""
    said = whole(progress, [running(*each) for each in downloads])
    assert said.progress.replace("\N{NO-BREAK SPACE}", " ") == of_all
    assert said.parts == parts


def test_one_bar_over_everything() -> None:
    """Weighed by bytes; unknown while the set-up has measured nothing."""
    half = running(INSTALLATION_BYTES, INSTALLATION_BYTES // 2, 10)
    assert whole(UNPACKING, []).share == pytest.approx(0.4)
    assert whole(UNPACKING, [half]).share == pytest.approx(0.45)
    assert whole(InstallationProgress(), [half]).share is None


def test_the_strip_goes_when_all_is_there(window: FirstRun, installation: Told) -> None:
    """Until then it stands below every page, with words for screen readers."""
    installation.be(UNPACKING)
    strip = strip_of(window)
    assert strip.words.text() == "Setting up Steward: unpacking packages"
    assert (strip.bar.value(), strip.bar.maximum()) == (400, 1000)
    assert strip.bar.accessibleDescription() == "40 percent"
    assert strip.isVisible()
    height = strip.height()
    installation.end()
    assert strip.words.text() == "Steward is set up"
    # What somebody aims at must not move away just then; with the page its room goes too.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert (strip.isVisible(), strip.height()) == (True, height)
    window.pages.setCurrentWidget(window.ready_page)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    assert not strip.isVisible()
    assert window.pages.height() == window.height()


def test_an_error_is_said_with_one_thing_to_do(window: FirstRun, installation: Told, qtbot: QtBot) -> None:
    """Try again begins anew, and the error is gone with it."""
    installation.fail(UserFacing(SystemReason.SET_UP_OFFLINE.of()))
    strip = strip_of(window)
    button = strip.findChild(QPushButton, "error_action_0")
    assert button is not None
    assert "connection to the package index was lost" in "".join(
        each.text() for each in strip.findChildren(QLabel)
    )
    assert not strip.bar.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert installation.starts == 1
    assert strip.bar.isVisible()


def test_what_no_person_wrote_makes_nothing_wider(window: FirstRun, installation: Told) -> None:
    """A hash in an error wraps."""
    width = window.minimumSizeHint().width()
    installation.fail(UserFacing(SystemReason.SET_UP_FAILED.of(detail="0123456789abcdef" * 8)))
    assert window.minimumSizeHint().width() == width


def test_not_now_waits_for_the_end(window: FirstRun, installation: Told, qtbot: QtBot) -> None:
    """Nothing leads out before Steward is whole; then what was wanted is told, and not earlier."""
    told: list[str] = []
    window.skipped.connect(lambda: told.append("skipped"))
    qtbot.mouseClick(window.choose_page.skip_button, Qt.MouseButton.LeftButton)
    assert window.pages.currentWidget().objectName() == "wait_page"
    installation.end()
    assert told == []
    window.end_waiting()
    assert told == ["skipped"]
    assert not window.isVisible()


def test_who_goes_back_is_not_torn_away(window: FirstRun, installation: Told, qtbot: QtBot) -> None:
    """Back takes the wish back: the end of the set-up then opens nothing."""
    told: list[str] = []
    window.skipped.connect(lambda: told.append("skipped"))
    qtbot.mouseClick(window.choose_page.skip_button, Qt.MouseButton.LeftButton)
    back = window.findChild(QPushButton, "wait_back")
    assert back is not None
    qtbot.mouseClick(back, Qt.MouseButton.LeftButton)
    assert window.pages.currentWidget() is window.choose_page
    installation.end()
    window.end_waiting()
    assert told == []
    assert window.isVisible()
    qtbot.mouseClick(window.choose_page.skip_button, Qt.MouseButton.LeftButton)
    assert told == ["skipped"]


def test_closing_early_is_kept_until_the_end(window: FirstRun, installation: Told) -> None:
    """By Esc or the frame: the window goes, and the chat comes when it can."""
    told: list[str] = []
    window.skipped.connect(lambda: told.append("skipped"))
    window.close()
    assert told == []
    installation.end()
    window.end_waiting()
    assert told == ["skipped"]


def test_a_model_that_was_there_leaves_nothing_to_choose(window: FirstRun) -> None:
    """Then there is no way back to the choice."""
    window.wait_for_chat()
    back = window.findChild(QPushButton, "wait_back")
    assert back is not None
    assert not back.isVisible()


def test_a_download_has_no_second_bar(
    window: FirstRun, world: World, installation: Told, qtbot: QtBot
) -> None:
    """While the strip has it in its own; where that shows an error, and afterwards, it shows its own."""
    installation.be(UNPACKING)
    world.server.hold_after_bytes = 1000
    window.choose_page.list.cards[0].click()
    qtbot.mouseClick(window.choose_page.download_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "Good tried model: " in strip_of(window).parts.text())
    bar = window.findChild(QProgressBar, "download_bar")
    assert bar is not None
    assert not bar.isVisible()
    installation.fail(UserFacing(SystemReason.SET_UP_OFFLINE.of()))
    assert bar.isVisible()
    installation.start()
    assert not bar.isVisible()
    installation.end()
    assert bar.isVisible()
    with qtbot.waitSignal(window.model_ready, timeout=20_000):
        world.server.go_on.set()
