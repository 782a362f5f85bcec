"""Under an answer stands what was remembered before its question; a click shows exactly that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QToolButton
from pytestqt.qtbot import QtBot

from desktop.chat.messages import Role
from desktop.chat.projects import ChatProject
from desktop.chat.sources import AnswerSource, SourceKind
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui.chat.info_windows import TextViewer
from desktop.ui.chat.services import ChatServices
from desktop.ui.chat.window import ChatWindow
from desktop.ui.theme import Theme
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days
from tests.ui.chat.conftest import show_active
from tests.ui.every_window import house


class Open:
    """The program with its window."""

    def __init__(self, used: Days, window: ChatWindow, qtbot: QtBot) -> None:
        self.used, self.window, self.qtbot = used, window, qtbot

    def ask(self, text: str) -> QToolButton | None:
        """In a new chat; the chip of memory under the answer, if there is one."""
        conversation = self.used.say(text).conversation_id
        self.window.open_conversation(conversation)
        transcript = self.window.pane.transcript
        self.qtbot.waitUntil(lambda: any(m.text == text for m in transcript.messages))
        for _ in range(200):
            QCoreApplication.processEvents()
            if not transcript._fill_timer.isActive():
                break
        chips = self.window.findChildren(QToolButton)
        return next((chip for chip in chips if "token" in chip.text() and chip.isVisible()), None)


@pytest.fixture
def opened(theme: Theme, qtbot: QtBot, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as ending:
        backend = ScriptedBackend("He is Dr. Okafor.")
        used = ending.enter_context(days(tmp_path / "profile", installed(tmp_path / "models"), backend))
        core = used.core
        relay, background = Relay(core.bus), Background()
        ending.callback(background.close)
        ending.callback(relay.close)
        window = ChatWindow(
            ChatServices(core.store, core.turns, core.engine, core.settings, relay, background),
            core.paths.window,
        )
        window.resize(1080, 760)
        show_active(window, qtbot)
        yield Open(used, window, qtbot)
        if window.used_memory.viewer is not None:
            window.used_memory.viewer.close()
        window.hide()
        window.deleteLater()


def test_the_chip_opens_what_was_told(opened: Open) -> None:
    """How many memories in how many tokens; behind it the block word for word, and why."""
    opened.used.say("Remember that my dentist is Dr. Okafor on Elm Street")
    chip = opened.ask("Who is my dentist?")
    assert chip is not None
    block = opened.used.used[-1]
    assert chip.text().strip() == f"1 memory ({block.tokens} tokens)"
    folder = os.environ.get("STEWARD_TEST_ARTEFACTS")
    if folder:
        opened.window.grab().save(str(Path(folder) / "used-memory.png"))
    chip.click()
    opened.qtbot.waitUntil(lambda: opened.window.used_memory.viewer is not None)
    viewer = opened.window.used_memory.viewer
    assert viewer is not None
    opened.qtbot.waitUntil(viewer.isVisible)
    assert viewer.box.toPlainText().startswith(block.text)
    assert "has dentist" in viewer.box.toPlainText()
    if folder:
        viewer.grab().save(str(Path(folder) / "used-memory-viewer.png"))


def test_an_answer_that_used_nothing_says_nothing(opened: Open) -> None:
    """No chip, and no room for one."""
    opened.used.say("Remember that my dentist is Dr. Okafor on Elm Street")
    assert opened.ask("Hello") is None


def test_what_was_forgotten_meanwhile_is_not_shown(opened: Open) -> None:
    """The chip of an answer that is still on the screen says that it is gone."""
    opened.used.say("Remember that my dentist is Dr. Okafor on Elm Street")
    chip = opened.ask("Who is my dentist?")
    assert chip is not None
    opened.used.core.memory.forget_everything()
    chip.click()
    opened.qtbot.waitUntil(lambda: "forgotten" in opened.window.toast.label.text())
    assert opened.window.used_memory.viewer is None


@pytest.mark.parametrize(
    ("name", "is_run"), [("notes.txt", False), ("run.sh", True), ("page.html", True), ("odd.txt", True)]
)
def test_a_file_of_a_card_is_never_started(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_run: bool
) -> None:
    """What a desktop only shows goes to its program; a script, a page and a link to one are read here."""
    (tmp_path / "run.sh").write_text("echo hello", encoding="utf-8")
    (tmp_path / "odd.txt").symlink_to(tmp_path / "run.sh")
    for plain in ("notes.txt", "page.html"):
        (tmp_path / plain).write_text("echo hello", encoding="utf-8")
    handed: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: handed.append(url.toLocalFile()) or True)
    opened.window.opening.open_file(str(tmp_path / name))
    if not is_run:
        assert handed == [str(tmp_path / name)]
        return
    opened.qtbot.waitUntil(lambda: any(each.isVisible() for each in opened.window.findChildren(TextViewer)))
    (viewer,) = opened.window.findChildren(TextViewer)
    assert handed == []
    assert "echo hello" in viewer.findChildren(QPlainTextEdit)[0].toPlainText()
    viewer.close()


def test_without_a_program_for_it_a_file_is_read_here_and_a_folder_named(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare desktop has none; a button that does nothing would look broken, and so would a link."""
    (tmp_path / "notes.txt").write_text("echo hello", encoding="utf-8")
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    opened.window.opening.open_file(str(tmp_path / "notes.txt"))
    opened.qtbot.waitUntil(lambda: any(each.isVisible() for each in opened.window.findChildren(TextViewer)))
    (viewer,) = opened.window.findChildren(TextViewer)
    assert "echo hello" in viewer.findChildren(QPlainTextEdit)[0].toPlainText()
    viewer.close()
    opened.window.opening.open_file(str(tmp_path))
    said = opened.window.toast.label
    assert str(tmp_path) in said.text().replace("\u200b", "")
    opened.window.opening.open_source(AnswerSource(SourceKind.PAGE, "x", "https://example.org/x"))
    assert "example.org" in said.text().replace("\u200b", "")


@pytest.mark.parametrize(("line", "selected"), [(150, "line 150"), (0, ""), (900, "")])
def test_a_passage_is_shown_where_it_stands(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: int, selected: str
) -> None:
    """In a long file its line is selected and in sight; one that is no longer there leaves the beginning."""
    text = "\n".join(f"line {number}" for number in range(1, 301))
    (tmp_path / "log.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    source = AnswerSource(SourceKind.PASSAGE, f"log.txt:{line}", str(tmp_path / "log.txt"), line=line)
    opened.window.opening.open_source(source)
    opened.qtbot.waitUntil(lambda: any(each.isVisible() for each in opened.window.findChildren(TextViewer)))
    (viewer,) = opened.window.findChildren(TextViewer)
    assert viewer.box.textCursor().selectedText() == selected
    assert viewer.box.viewport().rect().contains(viewer.box.cursorRect())
    viewer.close()


def test_a_card_of_a_project_opens_the_file_of_its_folder(
    paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short path begins where the tools of the conversation work; outside, in the usual folder."""
    handed: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: handed.append(url.toLocalFile()) or True)
    folder = tmp_path / "letters"
    folder.mkdir()
    with house(paths, qapp, qtbot) as made:
        core, chat = made.core, made.desktop.chat
        for place in (folder, core.workspace.root):
            (place / "anna.txt").write_text("Dear Anna", encoding="utf-8")
        project = core.chat_projects.save(ChatProject("Letters", str(folder)))
        inside = core.store.create(project_id=project.id).id
        outside = core.store.create().id
        for conversation in (inside, outside):
            core.store.add(conversation, Role.USER, "Hello")
            chat.open_conversation(conversation)
            qtbot.waitUntil(lambda wanted=conversation: chat.controller.current == wanted)  # type: ignore[misc]
            chat.opening.open_file("anna.txt")
        assert handed == [str(folder / "anna.txt"), str(core.workspace.root / "anna.txt")]
