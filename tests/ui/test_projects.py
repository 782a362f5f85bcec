"""The Projects page: making, changing and deleting, and what becomes of the chats."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="this is drawn by Qt")
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.chat.migrations import MIGRATIONS
from desktop.chat.projects import ChatProject, ChatProjects
from desktop.chat.store import ChatStore, Role
from desktop.database import Database
from desktop.events import Bus
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import Theme as Mode
from desktop.ui.projects import ProjectActs, ProjectsPage
from desktop.ui.theme import Theme


@dataclass
class Desk:
    """The page on a real database."""

    qtbot: QtBot
    page: ProjectsPage
    projects: ChatProjects
    store: ChatStore
    deleted: list[int]

    def until(self, holds: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(holds, timeout=10_000)

    def click(self, name: str) -> None:
        self.until(lambda: self.page.findChild(QPushButton, name) is not None)
        self.qtbot.mouseClick(self.page.findChild(QPushButton, name), Qt.MouseButton.LeftButton)

    def words(self) -> list[str]:
        labels = self.page.found.list.findChildren(QLabel)
        shown = [each.text() for each in labels if each.objectName() in ("row_words", "row_caption")]
        return [each.replace("\N{ZERO WIDTH SPACE}", "") for each in shown]  # where a line may break

    def project(self, name: str, chats: int) -> ChatProject:
        made = self.projects.save(ChatProject(name))
        for _ in range(chats):
            self.store.add(self.store.create(project_id=made.id).id, Role.USER, "Hello")
        self.page.shown()
        self.until(lambda: name in self.words())
        return made


@pytest.fixture
def desk(qtbot: QtBot, qapp: QApplication, paths: Paths, bus: Bus, tmp_path: Path) -> Iterator[Desk]:
    database = Database(paths.database, MIGRATIONS)
    relay, background, theme = Relay(bus), Background(), Theme(qapp, Mode.LIGHT)
    projects, deleted = ChatProjects(database, bus), list[int]()
    acts = ProjectActs(
        lambda: projects, deleted.append, lambda: [("tiny", "Tiny")], lambda: {str(tmp_path.resolve()): 2}
    )
    page = ProjectsPage(acts, relay, background)
    qtbot.addWidget(page)
    page.resize(760, 720)
    page.show()
    page.shown()
    yield Desk(qtbot, page, projects, ChatStore(database), deleted)
    relay.close()
    background.close()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    theme.set_mode(Mode.SYSTEM)
    theme.deleteLater()
    database.close()


def test_one_is_made_and_changed(desk: Desk, tmp_path: Path) -> None:
    """What is wrong is said in its place, and what was written stays."""
    desk.click("project_add")
    desk.until(lambda: desk.page.form_place.form is not None)
    form = desk.page.form_place.form
    assert form is not None
    assert not form.save.isEnabled()
    form.name.setText("Letters")
    form.folder.setText(str(tmp_path / "gone"))
    form.instructions.setPlainText("Answer formally.")
    form.model.setCurrentIndex(1)
    desk.click("project_save")
    desk.until(lambda: any("existing folder" in each.text() for each in desk.page.findChildren(QLabel)))
    assert form.instructions.toPlainText() == "Answer formally."
    form.folder.setText(str(tmp_path))
    desk.click("project_save")
    desk.until(lambda: "Letters" in desk.words())
    assert desk.words()[1:] == [
        str(tmp_path.resolve()),
        "0 chats · 2 permissions · model Tiny",
        "Answer formally.",
    ]
    desk.click("project_edit_1")
    desk.until(lambda: desk.page.form_place.form is not None and desk.page.form_place.form is not form)
    changing = desk.page.form_place.form
    assert changing is not None
    assert (changing.name.text(), changing.model.currentData()) == ("Letters", "tiny")
    desk.qtbot.keyClick(changing.name, Qt.Key.Key_Escape)
    desk.until(lambda: desk.page.form_place.form is None)


def test_deleting_asks_what_becomes_of_the_chats(desk: Desk) -> None:
    """They stay; or they go, too; or nothing happens."""
    letters = desk.project("Letters", 2)
    desk.click(f"project_delete_{letters.id}")
    assert "its 2 chats" in desk.page.question.words.text()
    desk.qtbot.mouseClick(desk.page.question.no, Qt.MouseButton.LeftButton)
    assert not desk.page.question.isVisible()
    desk.click(f"project_delete_{letters.id}")
    desk.qtbot.mouseClick(desk.page.question.keep, Qt.MouseButton.LeftButton)
    desk.until(lambda: desk.projects.all() == ())
    assert desk.deleted == []
    garden = desk.project("Garden", 1)
    chats = desk.projects.chats(garden.id)
    desk.click(f"project_delete_{garden.id}")
    desk.qtbot.mouseClick(desk.page.question.gone, Qt.MouseButton.LeftButton)
    desk.until(lambda: desk.projects.all() == ())
    assert tuple(desk.deleted) == chats


def test_a_chat_is_begun_in_it(desk: Desk) -> None:
    """Its number and name go to the window of chats."""
    project = desk.project("Letters", 0)
    wanted: list[tuple[int, str]] = []
    desk.page.chat_requested.connect(lambda number, name: wanted.append((number, name)))
    desk.click(f"project_chat_{project.id}")
    assert wanted == [(project.id, "Letters")]


def test_many_projects_are_read_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many reads of the database for sixty of them as for two."""
    reads: list[object] = []
    read = Database.read

    def counted(database: Database, fn: Callable[[sqlite3.Connection], object]) -> object:
        reads.append(fn)
        return read(database, fn)

    desk.until(desk.page.found.empty.isVisible)
    desk.page.hide()  # what is announced is not read as well
    monkeypatch.setattr(Database, "read", counted)
    taken: dict[int, int] = {}
    for count in (2, 60):
        while len(desk.projects.all()) < count:
            made = desk.projects.save(ChatProject(f"Project {len(desk.projects.all())}"))
            desk.store.create(project_id=made.id)
        reads.clear()
        desk.page.shown()
        desk.until(lambda count=count: desk.page.found.rows.known == count)
        taken[count] = len(reads)
    assert taken[2] == taken[60] > 0
    assert "1 chat" in desk.words()
