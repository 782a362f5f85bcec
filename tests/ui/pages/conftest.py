"""The pages on real stores: one database, one workspace, one journal."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.database import Database
from desktop.events import Bus
from desktop.gate.audit import AuditLog
from desktop.gate.grants import Grants
from desktop.gate.journal import Journal, JournalLimits
from desktop.gate.migrations import MIGRATIONS
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.sandbox.workspace import Workspace
from desktop.settings import SettingsFile
from desktop.settings import Theme as Mode
from desktop.tools.files import FileOperations
from desktop.ui.theme import Theme
from tests.shipped import redactor


@dataclass
class World:
    """Everything that a page is made of, real."""

    paths: Paths
    bus: Bus
    database: Database
    grants: Grants
    audit: AuditLog
    journal: Journal
    workspace: Workspace
    files: FileOperations
    settings: SettingsFile
    relay: Relay
    background: Background
    theme: Theme
    qtbot: QtBot

    def show(self, page: QWidget, width: int = 760, height: int = 680) -> None:
        """In a window of its own, active."""
        self.qtbot.addWidget(page)
        page.resize(width, height)
        page.show()
        self.qtbot.waitExposed(page)
        page.activateWindow()
        self.qtbot.waitUntil(page.isActiveWindow)
        if hasattr(page, "shown"):
            page.shown()

    def until(self, holds: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(holds, timeout=20_000)


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(qapp, Mode.LIGHT)
    yield theme
    theme.set_zoom(100)
    theme.set_mode(Mode.SYSTEM)
    theme.deleteLater()


@pytest.fixture
def world(qtbot: QtBot, paths: Paths, bus: Bus, theme: Theme, tmp_path: Path) -> Iterator[World]:
    root = tmp_path / "Steward"
    root.mkdir()
    database = Database(paths.database, MIGRATIONS)
    workspace = Workspace(root)
    journal = Journal(database, paths.journal, JournalLimits(10_000_000, 5_000_000))
    trash = tmp_path / "Trash"
    trash.mkdir()
    files = FileOperations(workspace, journal, lambda place: place.path.rename(trash / place.path.name))
    relay, background = Relay(bus), Background()
    yield World(
        paths,
        bus,
        database,
        Grants(database),
        AuditLog(database, redactor(), paths.audit_head),
        journal,
        workspace,
        files,
        SettingsFile(paths.settings, bus),
        relay,
        background,
        theme,
        qtbot,
    )
    relay.close()
    background.close()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    workspace.close()
    database.close()
