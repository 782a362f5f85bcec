"""The assistant acts in the real window: card, question, answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton

from desktop.chat.store import Role
from desktop.chat.tool_mode import ToolRuntime
from desktop.database import Database
from desktop.events import Bus
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.qt.asker import QtAsker
from desktop.sandbox.workspace import Workspace
from desktop.tools.executor import Executor
from desktop.tools.files import FileOperations, FileTools
from desktop.tools.tool import Toolbox
from desktop.tools.trash import Trash
from desktop.ui.chat.tool_card import ToolCard
from desktop.ui.permission.presenter import PermissionPresenter
from tests.ui.chat.conftest import Desk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "workspace"
    made.mkdir()
    return made


@pytest.fixture
def asker(qapp: QApplication) -> Iterator[QtAsker]:
    made = QtAsker()
    yield made
    made.close()


@pytest.fixture
def acting(bus: Bus, root: Path, tmp_path: Path, asker: QtAsker) -> Iterator[ToolRuntime]:
    database = Database(tmp_path / "gate.sqlite3", MIGRATIONS)
    workspace = Workspace(root)
    journal = Journal(database, tmp_path / "journal")
    files = FileOperations(workspace, journal, Trash(tmp_path / "Trash").put)
    toolbox = Toolbox(FileTools(files, workspace, journal).tools())
    executor = Executor(bus, asker, Gatekeeper(Grants(database), PolicySettings), root)
    yield ToolRuntime(toolbox, executor, asker.cancel_conversation)
    workspace.close()
    database.close()


@pytest.fixture
def questions(desk: Desk, asker: QtAsker) -> Iterator[PermissionPresenter]:
    desk.use_model()
    made = PermissionPresenter(asker, lambda _question: desk.window)
    yield made
    made.close()


def cards(desk: Desk) -> list[ToolCard]:
    return desk.window.findChildren(ToolCard)


def test_a_write_is_shown_asked_and_done(desk: Desk, questions: PermissionPresenter, root: Path) -> None:
    """The dialog opens over the chat; after Allow the file is there, with a card and an answer."""
    desk.backend.calls = [("write_file", {"path": "list.txt", "content": "milk"})]
    desk.backend.answers = "It is saved."
    desk.window.new_chat("Save milk to list.txt")
    desk.qtbot.waitUntil(lambda: questions.dialog is not None, timeout=5000)
    dialog = questions.dialog
    assert dialog is not None
    assert "list.txt" in dialog.windowTitle() + dialog.accessibleName()
    desk.qtbot.waitUntil(lambda: any("asking" in card.button.text() for card in cards(desk)), timeout=5000)
    assert not (root / "list.txt").exists()
    allow = dialog.findChild(QPushButton, "permission_allow")
    desk.qtbot.waitUntil(allow.isEnabled, timeout=5000)
    desk.qtbot.mouseClick(allow, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: not desk.window.controller.is_busy, timeout=5000)
    desk.settle()
    assert (root / "list.txt").read_text() == "milk"
    assert cards(desk)[0].folding.words.startswith("Write list.txt · you allowed it")
    shown = [
        message.text for message in desk.window.pane.transcript.messages if message.role is Role.ASSISTANT
    ]
    assert shown == ["Wrote list.txt (4 bytes)."]


def test_stop_takes_the_question_away(desk: Desk, questions: PermissionPresenter, root: Path) -> None:
    """Nothing is written, the dialog is gone, and the chat is free again."""
    desk.backend.calls = [("write_file", {"path": "list.txt", "content": "milk"})]
    desk.window.new_chat("Save milk to list.txt")
    desk.qtbot.waitUntil(lambda: questions.dialog is not None, timeout=5000)
    desk.window.controller.stop()
    desk.qtbot.waitUntil(lambda: not desk.window.controller.is_busy, timeout=5000)
    assert questions.dialog is None
    assert not (root / "list.txt").exists()
