"""The Workers page: the switch, load and mirrors, what ran where, and the way to take one out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from desktop.events import Bus
from desktop.offload.history import CommandRecord, History
from desktop.offload.reasons import OffloadReason
from desktop.offload.setup import WorkerSetup
from desktop.offload.workers import SeenFile, Worker, WorkerFile, WorkerReport
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import SettingsFile
from desktop.ui.pages.workers import WorkerRow, WorkersPage, job_captions, worker_captions
from desktop.ui.theme import Theme
from desktop.ui.widgets.cards import Row

TOWER = Worker("tower", "ada@tower", ("/home/ada/work",))
AWAY = OffloadReason.UNREACHABLE.of(worker="tower", why="no answer")
SEEN = WorkerReport(0.0, 16, 2.5, 80_000_000)
JOB = CommandRecord(
    "1",
    0.0,
    "/home/ada/work/p",
    "cargo test",
    "cargo test",
    worker="tower",
    host="tower",
    code=0,
    seconds=3.2,
    processor_s=41.5,
    sent_bytes=2_000,
    is_over=True,
)


class Opened:
    def __init__(self, folder: Path, relay: Relay, background: Background, bus: Bus) -> None:
        self.paths = Paths.under(folder)
        self.settings = SettingsFile(self.paths.settings, bus)
        self.history = History(self.paths)
        setup = WorkerSetup(self.paths)
        self.page = WorkersPage(lambda: setup, self.history, self.settings, relay, background)

    def rows(self) -> list[str]:
        found = [*self.page.list.rows, *self.page.jobs.rows]
        return [row.words.text().replace("\u200b", "") for row in found if isinstance(row, Row)]


@pytest.fixture
def opened(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Opened]:
    bus, background = Bus(), Background()
    relay = Relay(bus)
    Theme(qapp)
    found = Opened(tmp_path, relay, background, bus)
    qtbot.addWidget(found.page)
    found.page.resize(720, 640)
    found.page.show()
    yield found
    found.page.hide()
    relay.close()
    background.close()


def test_without_workers_it_says_how_to_add_one(opened: Opened, qtbot: QtBot) -> None:
    """And nothing is asked of anybody."""
    opened.page.shown()
    qtbot.waitUntil(lambda: not opened.page.empty.isHidden())
    assert not opened.page.switch.control.isChecked()


def test_a_worker_that_is_away_is_told_with_its_reason(opened: Opened, qtbot: QtBot) -> None:
    """Beside what ran on it; it can be taken out all the same, once that is confirmed."""
    WorkerFile(opened.paths).put(Worker("tower", "nowhere.invalid", ("/home/ada/work",)))
    opened.history.put(JOB)
    opened.page.shown()
    qtbot.waitUntil(lambda: opened.rows() == ["tower (nowhere.invalid)", "cargo test"], timeout=30_000)
    for name in ("worker_remove_tower", "workers_confirm_yes"):
        found = opened.page.findChild(QPushButton, name)
        assert found is not None
        qtbot.mouseClick(found, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: WorkerFile(opened.paths).all() == (), timeout=30_000)
    assert SeenFile(opened.paths).latest() == {}


def test_the_switch_is_the_setting(opened: Opened, qtbot: QtBot) -> None:
    """Off at first."""
    opened.page.shown()
    opened.page.switch.control.click()
    qtbot.waitUntil(lambda: opened.settings.current.offload.enabled)


def test_captions_say_what_a_worker_does_and_what_it_saved() -> None:
    """Load by cores, space, projects; where a command ran, how it ended, and what was sent."""
    assert worker_captions(WorkerRow(TOWER, SEEN, 2)) == (
        "Load 2.5 on 16 cores · 82 GB free · 2 projects there",
        "May get: /home/ada/work",
    )
    assert worker_captions(WorkerRow(TOWER, None, 0))[0] == "Asking it …"
    assert worker_captions(WorkerRow(TOWER, AWAY, 0))[0] == "tower cannot be reached (no answer)"
    first, second = job_captions(JOB)
    assert first.startswith("tower · exit code 0 · 3.2 s")
    assert second == "41.5 s of processor saved · 2.0 kB sent"
