"""A file that is too large, summarised in parts by a real model in the window: offered, stopped, ended."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.chat.messages import MessageStatus
from desktop.engine.llama import LlamaBackend
from desktop.paths import Paths
from desktop.qt.asker import QtAsker
from desktop.ui.chat.answer import AnswerView
from desktop.ui.permission.presenter import PermissionPresenter
from tests.flows.real_model import installed_model
from tests.ui.every_window import House, house

pytestmark = [pytest.mark.desktop, pytest.mark.model, pytest.mark.slow, pytest.mark.timeout(900)]
LEFT = Qt.MouseButton.LeftButton
PAGE = Path(__file__).parents[2] / "docs" / "memory.md"
CONTEXT = 2048
SHOWN_MS = 300


class Flow:
    """The chat window over a workspace that holds one page of the manual."""

    # A model on two threads, of which other tests have most. Less than the mark above: what ends a test from
    # outside is not heard in Qt's loop.
    patience_ms = 840_000

    def __init__(self, built: House) -> None:
        self.house, self.qtbot, self.chat = built, built.qtbot, built.desktop.chat
        shutil.copy(PAGE, built.core.workspace.root / "page.md")

    def send(self, text: str) -> None:
        self.qtbot.keyClicks(self.chat.pane.composer.text, text)
        self.qtbot.keyClick(self.chat.pane.composer.text, Qt.Key.Key_Return)

    def until(self, is_so: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(is_so, timeout=self.patience_ms)

    @property
    def view(self) -> AnswerView:
        """The last answer, once there is one."""
        self.until(lambda: bool(self._answers()))
        return self._answers()[-1]

    def _answers(self) -> list[AnswerView]:
        return [each for each in self.chat.pane.transcript.live_views if isinstance(each, AnswerView)]

    def picture(self, name: str) -> None:
        """Kept where somebody asks for pictures; also in the middle of an answer."""
        self.qtbot.wait(SHOWN_MS)
        folder = os.environ.get("STEWARD_TEST_PICTURES")
        if folder:
            self.chat.grab().save(str(Path(folder) / f"parts-{name}.png"))


class AskedFlow(Flow):
    """The same with the dialogs of the real program."""

    def __init__(self, built: House, presenter: PermissionPresenter) -> None:
        super().__init__(built)
        self.presenter = presenter

    def send(self, text: str) -> None:
        self.chat.pane.composer.set_text(text)  # no key of a test types letters with accents
        self.qtbot.keyClick(self.chat.pane.composer.text, Qt.Key.Key_Return)

    def allow(self, target: str) -> None:
        """Read to the end of the dialog about this file, which is not there before, and press Allow."""
        self.until(lambda: self.presenter.dialog is not None)
        dialog = self.presenter.dialog
        assert dialog is not None
        assert target in str(dialog.question.title)
        assert not (self.house.core.workspace.root / target).exists()
        dialog.activateWindow()
        self.until(lambda: dialog.input_guard.armed)
        # How long a summary gets is the model's affair, and what is long is allowed once it was read.
        while not dialog.body.is_seen:
            dialog.body.more.click()
            self.qtbot.wait(2)
        self.qtbot.mouseClick(dialog.footer.allow, LEFT)


@contextmanager
def asked_in_dialogs(built: House) -> Iterator[AskedFlow]:
    """The windows of tests have no dialogs, and the tools were made with them."""
    chat, asker, tools = built.desktop.chat, QtAsker(tick_ms=20), built.core.turns._tools
    assert tools is not None
    tools.executor._asker = asker
    presenter = PermissionPresenter(asker, lambda _question: chat, arm_ms=50)
    try:
        yield AskedFlow(built, presenter)
    finally:
        asker.close()
        presenter.close()


@pytest.fixture
def made(paths: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[Flow]:
    model = installed_model()
    with house(paths, qapp, qtbot, LlamaBackend()) as built:
        built.core.settings.change("model", "threads", 2)
        built.core.settings.change("model", "context_tokens", CONTEXT)
        built.core.engine.use(model)
        built.desktop.chat.show()
        yield Flow(built)


def test_the_sentence_offers_it_stop_says_how_far_and_continue_reads_the_rest(made: Flow) -> None:
    """Offered by rule, sent by a click and Enter; stopped in the second part, ended by Continue."""
    made.send("Summarise page.md")
    made.until(lambda: bool(made.view.examples.chips))
    made.picture("offered")
    made.qtbot.mouseClick(made.view.examples.chips[0], LEFT)
    made.qtbot.keyClick(made.chat.pane.composer.text, Qt.Key.Key_Return)
    made.until(lambda: made.view.parts.words.startswith("Part 2 of"))
    made.picture("progress")
    made.chat.controller.stop()
    made.until(lambda: made.view.message.status is MessageStatus.STOPPED)
    made.picture("stopped")
    assert "parts of page.md read (lines 1 to " in made.view.message.text
    made.qtbot.mouseClick(made.view.footer.continue_button, LEFT)
    made.until(lambda: made.view.message.status is MessageStatus.COMPLETE)
    made.qtbot.mouseClick(made.view.parts.button, LEFT)
    made.picture("done")
    parts = made.view.message.parts
    assert len(parts) >= 3
    assert all(part.text for part in parts)
    assert parts[-1].last == parts[-1].lines
    assert "memor" in made.view.message.text.casefold()


def test_a_summary_that_is_to_be_saved_is_read_in_parts_and_written_after_a_yes(made: Flow) -> None:
    """By its sentence: all parts, one summary, the dialog, and the file that holds what was shown."""
    file = made.house.core.workspace.root / "short.txt"
    with asked_in_dialogs(made.house) as asked:
        asked.send("Summarise page.md and save it in short.txt")
        asked.until(lambda: asked.presenter.dialog is not None)
        asked.picture("asked")
        asked.allow("short.txt")
        asked.until(lambda: file.exists() and asked.view.message.status is MessageStatus.COMPLETE)
        asked.until(lambda: "short.txt" in asked.view.message.text)
        asked.picture("saved")
        told = [each for each in asked.chat.pane.transcript.messages if each.parts][-1]
    assert file.read_text().strip() == told.text.strip()
    assert told.parts[-1].last == told.parts[-1].lines
    assert "memor" in told.text.casefold()
    assert "short.txt" not in told.text
