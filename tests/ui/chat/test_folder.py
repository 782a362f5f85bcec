"""A chat that looks into a folder, in the real window: dropped, shown, used by an answer, taken away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDesktopServices

from desktop.chat.chat_folders import ChatFolders
from desktop.memory.text import read_vocabulary
from desktop.paths import resources
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.question import QuestionView
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_attaching_window import chips, dropped
from tests.ui.chat.test_window import ask, wait_for_answers

LEFT = Qt.MouseButton.LeftButton
RENT = "The rent of the boathouse is 840 euros a month."


@pytest.fixture
def looking(desk: Desk) -> Desk:
    """A desk whose chats may look into folders."""
    vocabulary = read_vocabulary(resources() / "memory" / "words.toml")
    folders = ChatFolders(desk.store.database, desk.bus, (), vocabulary)
    desk.turns._services = replace(desk.turns._services, folders=lambda: folders)
    desk.use_model()
    return desk


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "contract.md").write_text(f"# Contract\n\n{RENT}\n", encoding="utf-8")
    (folder / "garden.txt").write_text("Tulips are planted in October.\n", encoding="utf-8")
    return folder


def drop(desk: Desk, folder: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(folder))])
    dropped(desk, data)


def says(desk: Desk, words: str) -> None:
    desk.qtbot.waitUntil(lambda: desk.window.pane.folder.words.text() == words, timeout=30_000)


def test_a_dropped_folder_is_looked_into_by_the_next_answer(
    looking: Desk, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a chat that does not exist yet; the chip under the answer opens the file of the passage."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    drop(looking, papers)
    says(looking, "Answers look into papers")
    assert looking.window.pane.folder.isVisible()
    assert chips(looking) == [], "a folder is no attachment"
    ask(looking, "What is the rent of the boathouse?")
    wait_for_answers(looking, 1)
    says(looking, "Answers look into papers · 2 files")
    assert RENT in looking.backend.prompts[-1]
    view = looking.window.pane.transcript.live_views[-1]
    assert isinstance(view, AnswerView)
    looking.qtbot.waitUntil(lambda: len(view.used.chips) == 1, timeout=8000)
    assert view.used.chips[0].text() == "contract.md:1"
    looking.qtbot.mouseClick(view.used.chips[0], LEFT)
    assert opened == [str(papers / "contract.md")]
    question = looking.window.pane.transcript.live_views[-2]
    assert isinstance(question, QuestionView)
    assert question.attached.chips[0].text().startswith("contract.md:1 · ")


def test_a_folder_belongs_to_its_chat_and_can_be_taken_away(looking: Desk, papers: Path) -> None:
    """Another chat shows none; one press takes it away, and the next answer is told nothing of it."""
    ask(looking, "Hello")
    wait_for_answers(looking, 1)
    chat = looking.window.controller.current
    looking.window.folder.give(chat, str(papers))
    says(looking, "Answers look into papers · 2 files")
    looking.window.new_chat()
    looking.qtbot.waitUntil(looking.window.pane.folder.isHidden)
    looking.window.open_conversation(chat)
    looking.qtbot.waitUntil(looking.window.pane.folder.isVisible, timeout=8000)
    looking.window.pane.folder.remove.setFocus()
    looking.qtbot.keyClick(looking.window.pane.folder.remove, Qt.Key.Key_Space)
    looking.qtbot.waitUntil(looking.window.pane.folder.isHidden, timeout=8000)
    assert looking.window.pane.composer.text.hasFocus()
    ask(looking, "What is the rent of the boathouse?")
    wait_for_answers(looking, 2)
    assert RENT not in looking.backend.prompts[-1]


def test_a_folder_that_vanishes_is_no_longer_said_to_be_looked_into(looking: Desk, papers: Path) -> None:
    """The line over the chat says so from the next question on, until it is back; its tip names the place."""
    ask(looking, "Hello")
    wait_for_answers(looking, 1)
    looking.window.folder.give(looking.window.controller.current, str(papers))
    says(looking, "Answers look into papers · 2 files")
    assert looking.window.pane.folder.words.toolTip() == str(papers)
    papers.rename(papers.with_name("elsewhere"))
    ask(looking, "What is the rent of the boathouse?")
    wait_for_answers(looking, 2)
    says(looking, "papers cannot be read now")
    papers.with_name("elsewhere").rename(papers)
    ask(looking, "And what is the rent of the boathouse now?")
    wait_for_answers(looking, 3)
    says(looking, "Answers look into papers · 2 files")


def test_a_folder_that_is_gone_is_refused_in_words(looking: Desk, papers: Path) -> None:
    """What was chosen and moved meanwhile: a sentence, and the chat has none."""
    ask(looking, "Hello")
    wait_for_answers(looking, 1)
    looking.window.folder.give(looking.window.controller.current, str(papers / "gone"))
    looking.qtbot.waitUntil(lambda: "is not a folder" in looking.window.toast.label.text(), timeout=8000)
    assert looking.window.pane.folder.isHidden()
