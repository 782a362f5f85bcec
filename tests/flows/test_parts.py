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
from tests.flows.test_parts_model import AskedFlow, asked_in_dialogs
from tests.ui.every_window import house

pytestmark = [pytest.mark.desktop]
LEFT = Qt.MouseButton.LeftButton


def told(prompt: str) -> str:
    asked = prompt.rpartition("You summarise texts.")[2]
    return "The whole of it." if "Answer the request from them" in asked else "One part."


@pytest.fixture
def backend() -> ScriptedBackend:
    return ScriptedBackend(told)


@pytest.fixture
def made(
    paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path, backend: ScriptedBackend
) -> Iterator[AskedFlow]:
    with house(paths, qapp, qtbot, backend) as built:
        built.core.settings.change("model", "context_tokens", 2048)
        built.core.engine.use(installed(tmp_path / "models", "scripted"))
        built.desktop.chat.show()
        with asked_in_dialogs(built) as flow:
            flow.patience_ms = 30_000
            yield flow


def calls_of(made: AskedFlow) -> list[str]:
    shown = made.chat.pane.transcript.messages
    return [each.tool.name for each in shown if each.role is Role.TOOL and each.tool is not None]


@pytest.mark.parametrize(
    ("request_", "target"),
    [
        ("Summarise page.md and save it in short.txt", "short.txt"),
        ("Fasse page.md zusammen und speichere es in kurz.txt", "kurz.txt"),
        ("Resume page.md y guárdalo en corto.txt", "corto.txt"),
        ("Résume page.md et enregistre-le dans court.txt", "court.txt"),
    ],
)
def test_a_summary_that_is_to_be_saved_is_one_of_the_whole_and_is_asked_about(
    made: AskedFlow, backend: ScriptedBackend, request_: str, target: str
) -> None:
    """All parts are read, what they come to is shown, and written only after a yes to the dialog."""
    file = made.house.core.workspace.root / target
    made.send(request_)
    made.allow(target)
    made.until(lambda: made.view.message.status is MessageStatus.COMPLETE and file.exists())
    made.until(lambda: calls_of(made) == ["read_file", "write_file"])
    assert file.read_text().strip() == "The whole of it."
    made.until(lambda: target in made.view.message.text)
    told_of = [each for each in made.chat.pane.transcript.messages if each.parts]
    assert told_of[-1].text == "The whole of it."
    assert told_of[-1].parts[-1].last == told_of[-1].parts[-1].lines
    asked = [each.rpartition("You summarise texts.")[2] for each in backend.prompts]
    assert not [each for each in asked if target in each], "the model is not told of the file"


def test_one_that_was_stopped_is_not_saved_and_continue_saves_it(
    made: AskedFlow, backend: ScriptedBackend
) -> None:
    """The file waits for the whole: a stop says that it was not written, and Continue reads the rest and
    asks."""
    file = made.house.core.workspace.root / "short.txt"
    read: list[str] = []

    def stopped_in_second(prompt: str) -> str:
        read.append(prompt)
        if len(read) == 2:
            made.house.core.turns.stop_all()
        return told(prompt)

    backend.answers = stopped_in_second
    made.send("Summarise page.md and save it in short.txt")
    made.until(lambda: made.view.message.status is MessageStatus.STOPPED)
    assert "short.txt was not written" in made.view.message.text
    assert made.presenter.dialog is None
    # The footer follows the message, and the turn ends a moment after it.
    made.until(made.view.footer.continue_button.isVisible)
    made.until(lambda: not made.house.core.turns.is_busy)
    made.qtbot.mouseClick(made.view.footer.continue_button, LEFT)
    made.allow("short.txt")
    made.until(lambda: file.exists() and "short.txt" in made.view.message.text)
    assert file.read_text().strip() == "The whole of it."
    made.until(lambda: made.view.message.status is MessageStatus.COMPLETE)


def test_a_summary_by_its_sentence_is_one_of_the_whole_file(made: AskedFlow) -> None:
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
