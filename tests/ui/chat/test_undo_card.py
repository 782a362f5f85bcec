"""Undo on the card of a call, on a real journal, also after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.messages import ToolRecord
from desktop.chat.store import Role
from desktop.database import Database
from desktop.events import Bus
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.undo import OnChange, undo_changes
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.sandbox.workspace import HeldPath, Workspace
from desktop.settings import Theme as Mode
from desktop.tools.calls import Call, CallResult, CallStatus, ToolEnded
from desktop.tools.clipboard import Clip, ClipboardTools
from desktop.tools.files import FileOperations
from desktop.tools.reasons import ToolReason
from desktop.ui.chat.tool_card import ToolCard
from desktop.ui.theme import Theme
from desktop.ui.undo import CHOICES, UndoController
from tests.tools.test_clipboard import FakeClipboard
from tests.ui.chat.conftest import show_active
from tests.ui.chat.test_transcript import message
from tests.ui.test_screens import ARTEFACTS, clipped

LEFT = Qt.MouseButton.LeftButton


class Bench:
    """A journal and the cards on it; `restart` opens the same files anew."""

    def __init__(self, paths: Paths, root: Path, theme: Theme, bus: Bus, qtbot: QtBot) -> None:
        self.paths, self.root, self.theme, self.qtbot = paths, root, theme, qtbot
        self.relay, self.background = Relay(bus), Background()
        self.holder = QWidget()
        self.holder.resize(800, 400)
        qtbot.addWidget(self.holder)
        show_active(self.holder, qtbot)
        self._open()

    def _open(self) -> None:
        self.database = Database(self.paths.database, MIGRATIONS)
        self.workspace = Workspace(self.root)
        self.journal = Journal(self.database, self.paths.journal)
        self.files = FileOperations(self.workspace, self.journal, HeldPath.remove)
        self.clipboard = FakeClipboard(Clip("before"))
        self.copied = ClipboardTools(self.clipboard)
        self.undo_controller = UndoController(
            lambda: self.journal, self.relay, self.background, lambda: self.copied
        )

    def restart(self) -> None:
        self.close_files()
        self._open()

    def close_files(self) -> None:
        self.workspace.close()
        self.database.close()

    def card(self, changes: tuple[int, ...]) -> ToolCard:
        record = ToolRecord(
            "c",
            "write_file",
            {"path": "notes.txt"},
            CallStatus.DONE,
            changes=changes,
            verb=ToolReason.VERB_WRITE_FILE,
        )
        view = ToolCard(replace(message(3, "Wrote it.", Role.TOOL), tool=record), self.holder)
        view.use(self.undo_controller)
        view.show()
        view.arrange(700)
        view.resized.connect(lambda: view.arrange(700))
        return view

    def press(self, view: ToolCard) -> None:
        self.qtbot.mouseClick(view.undo_button, LEFT)


@pytest.fixture
def bench(paths: Paths, tmp_path: Path, theme: Theme, bus: Bus, qtbot: QtBot) -> Iterator[Bench]:
    root = tmp_path / "Steward"
    root.mkdir()
    made = Bench(paths, root, theme, bus, qtbot)
    yield made
    made.relay.close()
    made.background.close()
    QCoreApplication.processEvents()
    made.close_files()


def test_what_the_chat_took_back_is_offered_no_more(bench: Bench, bus: Bus) -> None:
    """ "undo that" says it to the program, and the card of what it undid says Undone."""
    changes = bench.files.write_file("notes.txt", "new", call="c1").changes
    view = bench.card(changes)
    assert view.undo_button.isVisible()
    undo_changes(bench.journal, changes)
    bus.publish(ToolEnded(1, CallResult(Call("c2", "undo_change", {}), CallStatus.DONE, "Undone.")))
    bench.qtbot.waitUntil(view.undone.isVisible)
    assert not view.undo_button.isVisible()


@pytest.mark.parametrize("restarted", [False, True])
def test_the_card_puts_back_all_that_its_call_changed(bench: Bench, restarted: bool) -> None:
    """File and folder made for it are gone again, and the card says Undone instead of offering it."""
    changes = bench.files.write_file("deep/notes.txt", "new", call="c1").changes
    if restarted:
        bench.restart()
    view = bench.card(changes)
    assert view.undo_button.isVisible()
    assert view.undo_button.accessibleName().startswith("Undo: Write notes.txt")
    assert view.undo_button.geometry().right() <= 700
    bench.press(view)
    bench.qtbot.waitUntil(view.undone.isVisible)
    assert not view.undo_button.isVisible()
    assert not (bench.root / "deep").exists()


def test_a_card_of_an_undone_call_says_so_after_a_restart(bench: Bench) -> None:
    """What the journal holds decides, not what the window remembers."""
    changes = bench.files.write_file("notes.txt", "new", call="c1").changes
    view = bench.card(changes)
    bench.press(view)
    bench.qtbot.waitUntil(view.undone.isVisible)
    bench.restart()
    assert bench.card(changes).undone.isVisible()


def test_a_call_that_changed_nothing_offers_nothing(bench: Bench) -> None:
    """A card of a reading call has neither button."""
    view = bench.card(())
    assert not view.undo_button.isVisible()
    assert not view.undone.isVisible()


def test_the_card_puts_back_what_was_on_the_clipboard(bench: Bench) -> None:
    """As it does with a file; the card then says Undone."""
    bench.copied.clipboard_write("after", "c")
    view = bench.card(())
    assert view.undo_button.isVisible()
    bench.press(view)
    bench.qtbot.waitUntil(view.undone.isVisible)
    assert bench.clipboard.clip == Clip("before")
    assert not view.undo_button.isVisible()


def test_what_was_copied_since_is_left_and_said(bench: Bench) -> None:
    """The user's own copy is not lost to an old Undo, and the refusal can be put away."""
    bench.copied.clipboard_write("after", "c")
    view = bench.card(())
    bench.clipboard.clip = Clip("mine")
    bench.press(view)
    bench.qtbot.waitUntil(lambda: view.problem is not None)
    assert bench.clipboard.clip == Clip("mine")
    assert view.problem is not None
    view.problem.buttons[-1].click()
    assert view.problem is None
    assert view.undo_button.isVisible()


def test_after_a_restart_nothing_copied_is_known(bench: Bench) -> None:
    """What was on the clipboard is kept in memory alone, and an unknown call offers nothing."""
    bench.copied.clipboard_write("after", "another call")
    assert not bench.card(()).undo_button.isVisible()


@pytest.mark.parametrize("choice", list(OnChange))
def test_a_file_changed_since_asks_on_the_card(bench: Bench, choice: OnChange) -> None:
    """The three choices stand below the line, and nothing happens before one is pressed."""
    path = bench.root / "notes.txt"
    path.write_text("old")
    changes = bench.files.write_file("notes.txt", "new", call="c1").changes
    path.write_text("mine")
    view = bench.card(changes)
    before = view.height()
    bench.press(view)
    bench.qtbot.waitUntil(lambda: view.problem is not None)
    problem = view.problem
    assert problem is not None
    assert path.read_text() == "mine"
    assert view.height() > before
    assert problem.geometry().bottom() <= view.height()
    assert not view.undo_button.isVisible()
    button = next(each for each in problem.buttons if each.text() == CHOICES[choice])
    bench.qtbot.mouseClick(button, LEFT)
    bench.qtbot.waitUntil(view.undone.isVisible)
    assert view.problem is None
    expected = {"keep": "mine", "overwrite": "old", "beside": "mine"}[choice.value]
    assert path.read_text() == expected
    assert (bench.root / "notes (before).txt").exists() is (choice is OnChange.BESIDE)


def test_bytes_that_are_gone_are_told(bench: Bench) -> None:
    """A refusal stands on the card, and Undo can be tried again after it was read."""
    (bench.root / "notes.txt").write_text("old")
    changes = bench.files.write_file("notes.txt", "new", call="c1").changes
    for kept in bench.paths.journal.rglob("*"):
        if kept.is_file():
            kept.unlink()
    view = bench.card(changes)
    bench.press(view)
    bench.qtbot.waitUntil(lambda: view.problem is not None)
    problem = view.problem
    assert problem is not None
    assert "was not kept, or has been removed" in problem.error.cause
    assert (bench.root / "notes.txt").read_text() == "new"
    bench.qtbot.mouseClick(problem.buttons[-1], LEFT)
    bench.qtbot.waitUntil(lambda: view.problem is None)
    assert view.undo_button.isVisible()


def test_the_latest_change_has_words_for_the_tray(bench: Bench) -> None:
    """What the menu names is what it undoes, all of the call; then the one before comes up."""
    bench.files.write_file("a.txt", "one", call="c1")
    bench.files.write_file("deep/b.txt", "two", call="c2")
    heard: list[str] = []
    bench.undo_controller.undone.connect(heard.append)
    bench.undo_controller.refresh()
    bench.qtbot.waitUntil(lambda: bench.undo_controller.latest_words == "write b.txt")
    bench.undo_controller.undo_latest()
    bench.qtbot.waitUntil(lambda: bench.undo_controller.latest_words == "write a.txt")
    assert not (bench.root / "deep").exists()
    assert heard == ["b.txt, which was new, is gone again. 1 more change was undone with it."]
    bench.undo_controller.undo_latest()
    bench.qtbot.waitUntil(lambda: bench.undo_controller.latest_words == "")


@pytest.mark.pictures
@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK])
def test_pictures_of_undo(bench: Bench, mode: Mode) -> None:
    """Offered, undone, asking what to do: nothing is cut off and all of it is one card."""
    bench.theme.set_mode(mode)
    path = bench.root / "notes.txt"
    path.write_text("old")
    changes = [bench.files.write_file(name, "new", call=name).changes for name in ("a", "b", "notes.txt")]
    path.write_text("mine")
    views = [bench.card(each) for each in changes]
    bench.press(views[1])
    bench.qtbot.waitUntil(views[1].undone.isVisible)
    bench.press(views[2])
    bench.qtbot.waitUntil(lambda: views[2].problem is not None)
    for view, top in zip(views, (10, 50, 90), strict=True):
        view.move(20, top)
    bench.qtbot.wait(30)
    ARTEFACTS.mkdir(exist_ok=True)
    assert bench.holder.grab().save(str(ARTEFACTS / f"chat-undo-{mode.value}.png"))
    assert clipped(bench.holder) == []
