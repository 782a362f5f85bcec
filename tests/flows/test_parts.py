"""A file that is too large, summarised in parts by its sentence, through the whole program with a script."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.chat.messages import MessageStatus, Role
from desktop.paths import Paths
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.test_parts_model import Flow
from tests.ui.every_window import house

pytestmark = [pytest.mark.desktop]
LEFT = Qt.MouseButton.LeftButton


def told(prompt: str) -> str:
    asked = prompt.rpartition("You summarise texts.")[2]
    return "The whole of it." if "Answer the request from them" in asked else "One part."


@pytest.fixture
def made(paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Flow]:
    with house(paths, qapp, qtbot, ScriptedBackend(told)) as built:
        built.core.settings.change("model", "context_tokens", 2048)
        built.core.engine.use(installed(tmp_path / "models", "scripted"))
        built.desktop.chat.show()
        yield Flow(built)


def test_a_summary_by_its_sentence_is_one_of_the_whole_file(made: Flow) -> None:
    """Offered by rule where a call would show a piece; a click and Enter read all of it, through the gate."""
    made.send("Summarise page.md")
    made.until(lambda: bool(made.view.examples.chips))
    assert "One part" not in made.view.message.text, "nothing was summarised yet"
    assert made.view.examples.chips[0].text() == "Summarise page.md in parts"
    made.qtbot.mouseClick(made.view.examples.chips[0], LEFT)
    made.qtbot.keyClick(made.chat.pane.composer.text, Qt.Key.Key_Return)
    made.until(lambda: made.view.message.text == "The whole of it.")
    made.until(lambda: made.view.message.status is MessageStatus.COMPLETE)
    shown = made.chat.pane.transcript.messages
    calls = [each.tool.name for each in shown if each.role is Role.TOOL and each.tool is not None]
    assert calls == ["read_file"]
    question = next(each for each in reversed(shown) if each.role is Role.USER)
    assert question.attachments[0].name == "page.md"
    assert made.view.parts.words.startswith("All ")
    assert made.view.message.parts[-1].last == made.view.message.parts[-1].lines
