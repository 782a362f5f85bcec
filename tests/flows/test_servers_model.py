"""A server of tools from its package, with a real model in the real window.

    npm install @modelcontextprotocol/server-filesystem

The folder in which that was typed is named by STEWARD_TEST_SERVERS.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.chat.store import Message, Role
from desktop.engine.llama import LlamaBackend
from desktop.paths import Paths
from desktop.qt.asker import QtAsker
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.permission.presenter import PermissionPresenter
from tests.flows.real_model import installed_model
from tests.mcp.conftest import needs_confinement
from tests.ui.every_window import House, house

FOLDER = os.environ.get("STEWARD_TEST_SERVERS", "")
PROGRAM = Path(FOLDER) / "node_modules" / ".bin" / "mcp-server-filesystem"
ANSWERED_MS = 240_000

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.model,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    needs_confinement,
    pytest.mark.skipif(
        not FOLDER or not PROGRAM.exists(), reason="STEWARD_TEST_SERVERS names no such folder"
    ),
]

FACTS = ("The mill was built in 1780", "it burnt down in 1902", "it is a museum since 1990")


class Flow:
    """What a person does in the chat, and in the question that a call asks."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.chat = house.desktop.chat
        self.chat.resize(1000, 720)
        self.chat.show()

    def ask(self, text: str) -> None:
        if self.chat.controller.conversation_id:
            self.chat.send(text)
        else:
            self.chat.new_chat(text)

    def until_question(self) -> PermissionDialog:
        self.house.qtbot.waitUntil(lambda: bool(self._dialogs()), timeout=ANSWERED_MS)
        return self._dialogs()[0]

    def until_answered(self) -> Message:
        def is_over() -> bool:
            shown = self.chat.pane.transcript.messages
            return bool(shown) and shown[-1].role is Role.ASSISTANT and not self.chat.controller.is_busy

        self.house.qtbot.waitUntil(is_over, timeout=ANSWERED_MS)
        self.house.settle()
        return self.chat.pane.transcript.messages[-1]

    def picture(self, name: str, window: object = None) -> None:
        """Kept where somebody asks for pictures."""
        folder = os.environ.get("STEWARD_SERVER_PICTURES")
        if folder:
            self.house.settle()
            (window or self.chat).grab().save(f"{folder}/{name}.png")  # type: ignore[attr-defined]

    def _dialogs(self) -> list[PermissionDialog]:
        shown = self.chat.findChildren(PermissionDialog)
        return [each for each in (*shown, *QApplication.topLevelWidgets()) if _is_open(each)]


def _is_open(window: object) -> bool:
    return isinstance(window, PermissionDialog) and window.isVisible() and window.input_guard.armed


@pytest.fixture
def flow(paths: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Flow]:
    model = installed_model()
    with house(paths, qapp, qtbot, LlamaBackend()) as made:
        made.core.settings.change("model", "threads", 2)
        made.core.settings.change("model", "max_answer_tokens", 160)
        made.core.settings.change("model", "temperature", 0.0)
        made.core.engine.use(model)
        made.core.asker = asker = QtAsker()
        presenter = PermissionPresenter(asker, lambda _question: made.desktop.chat)
        made.desktop.attach_presenter(presenter)
        yield Flow(made)
        presenter.close()
        asker.close()


def test_three_facts_are_put_into_a_file_there(flow: Flow, tmp_path: Path) -> None:
    """It is asked before the server writes, with its folder; the file has the facts, and a card tells it."""
    folder = tmp_path / "Museum"
    folder.mkdir()
    core = flow.house.core
    core.server_setup.add("museum", {"command": [str(PROGRAM), str(folder)], "folders": [str(folder)]}, {})
    flow.ask(f"Put these three facts into the file {folder}/facts.txt with museum: {', '.join(FACTS)}.")
    question = flow.until_question()
    flow.picture("servers-facts-question", question)
    flow.house.qtbot.keyClick(question, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    flow.until_answered()
    flow.picture("servers-facts")
    text = (folder / "facts.txt").read_text(encoding="utf-8")
    assert all(year in text for year in ("1780", "1902", "1990")), text
    called = [each.tool.name for each in flow.chat.pane.transcript.messages if each.tool is not None]
    assert called == ["museum_write_file"]
