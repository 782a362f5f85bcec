"""The windows and the tray together: pages, undo from the tray, the pause, the red words."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from desktop.agents.events import PauseChanged
from desktop.chat.events import TurnEnded, TurnStarted
from desktop.chat.store import Role
from desktop.database import Database
from desktop.engine.engine import Engine, start_thread
from desktop.engine.requests import GenerateRequest, Message
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.grants import Grants
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.models.catalogue import Catalogue
from desktop.models.library import Library
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.sandbox.workspace import HeldPath, Workspace
from desktop.settings import SettingsFile
from desktop.settings import Theme as Mode
from desktop.tools.calls import Call, CallResult, CallStatus, ToolEnded
from desktop.tools.files import FileOperations
from desktop.ui.desktop import ActiveModel, Desktop, WindowMakers
from desktop.ui.pages.changes import ChangesPage
from desktop.ui.pages.page import Page
from desktop.ui.pages.permissions import PermissionsPage
from desktop.ui.pages.window import PageEntry, PagesWindow
from desktop.ui.theme import Theme
from desktop.ui.tray import Tray, TrayState
from desktop.ui.undo import UndoController
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.toast import Toast
from tests.fakes.failures import failure
from tests.fakes.scripted_model import ScriptedBackend
from tests.models.tiny_gguf import TinyGguf
from tests.ui.chat.test_transcript import message


@dataclass
class Pause:
    """What the handler of agents offers to the menu."""

    bus: Bus
    paused_until: float | None = None
    asked: list[float] = field(default_factory=list)

    def pause(self, seconds: float) -> None:
        self.asked.append(seconds)
        self.paused_until = 1_800_000_000.0
        self.bus.publish(PauseChanged(self.paused_until))

    def resume(self) -> None:
        self.paused_until = None
        self.bus.publish(PauseChanged(None))


@dataclass
class World:
    desktop: Desktop
    tray: Tray
    bus: Bus
    settings: SettingsFile
    files: FileOperations
    root: Path
    pause: Pause
    said: list[tuple[str, str]]
    qtbot: QtBot

    def action(self, name: str) -> QAction:
        return next(a for a in self.tray.menu.actions() if a.objectName() == name)

    def wrote(self, name: str, text: str) -> None:
        """As a tool does, with its event."""
        done = self.files.write_file(name, text, call=f"{name}-{text}")
        call = Call(f"{name}-{text}", "write_file", {"path": name})
        self.bus.publish(ToolEnded(1, CallResult(call, CallStatus.DONE, done.text, changes=done.changes)))


@pytest.fixture
def world(
    qapp: QApplication, qtbot: QtBot, paths: Paths, bus: Bus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    root = tmp_path / "Steward"
    root.mkdir()
    Theme(qapp, Mode.LIGHT)
    settings = SettingsFile(paths.settings, bus)
    relay, background = Relay(bus), Background()
    database, workspace = Database(paths.database, MIGRATIONS), Workspace(root)
    journal, grants = Journal(database, paths.journal), Grants(database)
    undo_controller = UndoController(lambda: journal, relay, background)
    tray = Tray(look_every_ms=1)
    # Given up later, it would open a window at whatever moment of a test.
    looks = tray.findChild(QTimer)
    qtbot.waitUntil(lambda: not looks.isActive())
    said: list[tuple[str, str]] = []
    monkeypatch.setattr(tray, "say", lambda title, text: said.append((title, text)))

    def permissions() -> Page:
        return PermissionsPage(grants, settings, relay, background)

    def changes() -> Page:
        return ChangesPage(journal, undo_controller, relay, background)

    def pages() -> PagesWindow:
        entries = (PageEntry("Permissions", "shield", permissions), PageEntry("Changes", "undo", changes))
        window = PagesWindow(settings, relay, background, paths.config / "pages.json", entries)
        qtbot.addWidget(window)
        return window

    def none() -> object:
        raise AssertionError("no other window is wanted here")

    engine = Engine(paths, bus, lambda: settings.current.model, ScriptedBackend())
    pause = Pause(bus)
    desktop = Desktop(
        tray,
        ActiveModel(engine, Library(paths, bus, Catalogue(())), settings, lambda: None),
        settings,
        relay,
        WindowMakers(none, none, none, pages),  # type: ignore[arg-type]
        undo_controller,
    )
    desktop.offer_pause(pause)
    files = FileOperations(workspace, journal, HeldPath.remove)
    yield World(desktop, tray, bus, settings, files, root, pause, said, qtbot)
    tray.close()
    relay.close()
    background.close()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    workspace.close()
    database.close()


class QuickSignals(QObject):
    """The side of Quick-ask that the desktop listens to."""

    window_requested, page_requested, models_requested = Signal(int), Signal(str), Signal()
    finished_hidden, visible_changed = Signal(str, str), Signal(bool)
    turn_began, turn_over = Signal(int), Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.window = QWidget()
        self.talk = SimpleNamespace(conversation_id=0)


class FirstRunSignals(QDialog):
    """The side of the first run that the desktop listens to."""

    start_chatting, skipped, quit_requested = Signal(), Signal(), Signal()


def test_a_model_whose_file_was_moved_is_no_first_start(paths: Paths, bus: Bus, tmp_path: Path) -> None:
    """The chat opens, and its question is answered by which file is missing, not by a welcome."""
    file = tmp_path / "mine.gguf"
    file.write_bytes(TinyGguf().content)
    library, settings = Library(paths, bus, Catalogue(())), SettingsFile(paths.settings, bus)
    settings.change("model", "active", library.import_file(file).id)
    file.unlink()
    engine = Engine(paths, bus, lambda: settings.current.model, ScriptedBackend())
    owner = start_thread(engine)
    model = ActiveModel(engine, library, settings, lambda: None)
    assert model.follow_settings()
    assert (model.is_known, model.is_there) == (True, False)
    with pytest.raises(UserFacing) as told:
        engine.submit(GenerateRequest("c", (Message("user", "Hello"),))).text(30)
    assert told.value.code == "model-file-missing"
    engine.close()
    owner.join()


def test_an_answer_of_quick_ask_marks_the_icon_until_it_is_seen(world: World) -> None:
    """Also while something else goes on: opening its window takes the mark away."""
    quick, answer = QuickSignals(), message(1, "42", Role.ASSISTANT)
    world.desktop.attach_quick_ask(quick)  # type: ignore[arg-type] - its signals and its window are enough here
    quick.finished_hidden.emit("Steward has answered", "42")
    assert world.tray._state is TrayState.ATTENTION
    world.bus.publish(TurnStarted(7, None, answer))
    world.qtbot.waitUntil(lambda: world.tray._state is TrayState.BUSY)
    world.bus.publish(TurnEnded(7, answer))
    world.qtbot.waitUntil(lambda: world.tray._state is TrayState.ATTENTION)
    quick.visible_changed.emit(True)
    assert world.tray._state is TrayState.IDLE


def test_an_answer_of_quick_ask_is_seen_in_the_main_window_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever opens its chat there has seen it; another chat is no answer."""
    quick = QuickSignals()
    quick.talk.conversation_id = 7
    world.desktop.attach_quick_ask(quick)  # type: ignore[arg-type] - its signals and its window are enough here
    quick.finished_hidden.emit("Steward has answered", "42")
    shown = SimpleNamespace(current=3)
    window = SimpleNamespace(controller=shown, isVisible=lambda: True, show_and_raise=lambda: None)
    monkeypatch.setitem(world.desktop.__dict__, "chat", window)
    world.desktop.show_chat()
    assert world.tray._state is TrayState.ATTENTION
    shown.current = 7
    world.desktop.show_chat()
    assert world.tray._state is TrayState.IDLE


def test_without_a_tray_a_notification_stands_in_the_window(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No window is made for it; in one that is open it is read."""
    world.tray.said_to_nobody.emit("Reminder: call Ben")
    assert "chat" not in world.desktop.__dict__
    chat = QWidget()
    world.qtbot.addWidget(chat)
    toast = Toast(chat)
    chat.show()
    stand_in = SimpleNamespace(isVisible=chat.isVisible, toast=toast)
    monkeypatch.setitem(world.desktop.__dict__, "chat", stand_in)
    world.tray.said_to_nobody.emit("Reminder: call Anna")
    assert (toast.isVisible(), toast.label.text()) == (True, "Reminder: call Anna")


def test_what_failed_on_the_pool_is_told_where_the_user_is(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the page, in quick-ask or over the chat that is open; else by the desktop."""
    error = failure("The disk is full.", "Nothing was lost.", "Make room.")
    world.desktop.tell_refused(error)
    assert world.said == [("The disk is full.", "Nothing was lost. Make room.")]
    chat = QWidget()
    world.qtbot.addWidget(chat)
    toast = Toast(chat)
    chat.show()
    stand_in = SimpleNamespace(isVisible=chat.isVisible, toast=toast)
    monkeypatch.setitem(world.desktop.__dict__, "chat", stand_in)
    world.desktop.tell_refused(error)
    assert toast.label.text() == "The disk is full. Nothing was lost. Make room."
    quick, shown = QuickSignals(), list[object]()
    quick.window.show_problem = shown.append  # type: ignore[attr-defined]
    world.qtbot.addWidget(quick.window)
    world.desktop.attach_quick_ask(quick)  # type: ignore[arg-type] - its signals and its window are enough here
    quick.window.show()
    world.desktop.tell_refused(error)
    assert shown == [error]
    world.desktop.show_page("Permissions")
    world.desktop.pages.activateWindow()
    world.qtbot.waitUntil(world.desktop.pages.isActiveWindow)
    world.desktop.tell_refused(error)
    assert world.desktop.pages.page is not None
    assert world.desktop.pages.page.toast.isVisible()
    assert len(world.said) == 1


def test_settings_that_cannot_be_written_are_told_and_stop_nothing(world: World) -> None:
    """The window that was closed is in the tray, which says so once, and says what could not be kept."""
    # A folder where its lock is to be: as where nothing can be written, also for a superuser.
    world.settings.path.with_name(".settings.toml.lock").mkdir(parents=True)
    for _ in range(2):
        world.desktop._on_close_to_tray()
    assert [title.partition(":")[0] for title, _ in world.said] == [
        "Steward keeps running",
        f"The settings could not be saved in {world.settings.path}",
    ]
    assert not world.settings.current.window.told_about_tray


def test_the_keys_that_quit_work_in_the_window_of_pages(world: World) -> None:
    """As they do in the chat; what was open is kept for the next start."""
    world.desktop.show_page("Changes")
    action = world.desktop.pages.findChild(QAction, "key_quit")
    assert isinstance(action, QAction)
    action.trigger()
    assert world.desktop._quit.is_set()


def test_without_a_tray_the_first_run_leaves_the_chat_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed during a download, say; with a tray nothing opens, and another window is enough."""
    opened: list[str] = []
    monkeypatch.setattr(world.desktop, "show_chat", lambda: opened.append("chat"))
    makers = replace(world.desktop._makers, first_run=FirstRunSignals)  # type: ignore[arg-type]
    monkeypatch.setattr(world.desktop, "_makers", makers)
    window = world.desktop.first_run
    world.qtbot.addWidget(window)
    window.reject()
    assert opened == ["chat"]
    world.desktop.show_page("Changes")
    window.reject()
    world.desktop.pages.hide()
    monkeypatch.setattr(type(world.tray), "is_available", True)
    window.reject()
    assert opened == ["chat"]


def test_the_menu_opens_the_page_that_it_names(world: World) -> None:
    """Permissions from the tray is the window at that page."""
    world.action("tray_permissions").trigger()
    assert world.desktop.pages.isVisible()
    assert isinstance(world.desktop.pages.page, PermissionsPage)


def test_the_latest_change_is_undone_from_the_tray(world: World) -> None:
    """The entry appears with the change, takes it back, says so, and goes."""
    world.wrote("notes.txt", "new")
    undo = world.action("tray_undo")
    world.qtbot.waitUntil(lambda: undo.text() == "Undo: write notes.txt")
    undo.trigger()
    world.qtbot.waitUntil(lambda: not undo.isEnabled())
    assert not (world.root / "notes.txt").exists()
    assert world.said == [("Undone", "notes.txt, which was new, is gone again.")]


def test_opening_the_menu_looks_again(world: World) -> None:
    """A change of another program, or one from before the start, is named when the menu opens."""
    world.files.write_file("old.txt", "x", call="before")
    assert not world.action("tray_undo").isEnabled()
    world.tray.menu.aboutToShow.emit()
    world.qtbot.waitUntil(lambda: world.action("tray_undo").text() == "Undo: write old.txt")


def test_a_choice_that_the_tray_cannot_show_opens_the_list(world: World) -> None:
    """A file changed since: the Changes page comes with the question in its row; nothing happened."""
    world.wrote("notes.txt", "new")
    undo = world.action("tray_undo")
    world.qtbot.waitUntil(undo.isEnabled)
    (world.root / "notes.txt").write_text("mine")
    undo.trigger()
    world.qtbot.waitUntil(lambda: "pages" in world.desktop.__dict__)
    page = world.desktop.pages.page
    assert isinstance(page, ChangesPage)
    world.qtbot.waitUntil(lambda: page.findChild(ErrorCard) is not None)
    assert (world.root / "notes.txt").read_text() == "mine"
    assert world.said == []


def test_the_gate_is_paused_and_resumed_from_the_menu(world: World) -> None:
    """The menu follows what the handler says, not what was clicked."""
    pause = next(a for a in world.tray.menu.actions() if a.text() == "Pause the gate")
    assert pause.isVisible()
    world.tray.pause_requested.emit(900.0)
    world.qtbot.waitUntil(world.action("tray_resume").isVisible)
    assert world.pause.asked == [900.0]
    world.action("tray_resume").trigger()
    world.qtbot.waitUntil(pause.isVisible)


def test_the_tray_says_when_nothing_is_asked(world: World) -> None:
    """The tooltip follows the setting."""
    assert "does not ask" not in world.tray.tooltip
    world.settings.change("permissions", "dangerously_skip_permissions", True)
    world.qtbot.waitUntil(lambda: "does not ask" in world.tray.tooltip)
    world.settings.change("permissions", "dangerously_skip_permissions", False)
    world.qtbot.waitUntil(lambda: "does not ask" not in world.tray.tooltip)
