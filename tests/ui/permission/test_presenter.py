"""When a question is shown, and where: never in the way of what the user is doing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.asking import ALLOWED_ONCE, DENIED, Answer, AskTimedOut, Question
from desktop.errors import Cancelled
from desktop.qt.asker import QtAsker
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.permission.presenter import PermissionPresenter
from desktop.ui.theme import Theme
from tests.ui.permission.conftest import AGENT, COMMAND, DELETE, WRITE


@dataclass
class House:
    """The asker, the presenter that draws its questions, and threads that ask."""

    asker: QtAsker
    presenter: PermissionPresenter
    pool: ThreadPoolExecutor
    qtbot: QtBot
    window: QWidget
    attention: list[Question] = field(default_factory=list)
    entries: list[Question | None] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)

    def ask(self, question: Question) -> Future[Answer]:
        before = len(self.asker.pending)
        asked = self.pool.submit(self.asker.ask, question)
        self.qtbot.waitUntil(lambda: len(self.asker.pending) > before)
        return asked

    def dialog(self) -> PermissionDialog:
        self.qtbot.waitUntil(lambda: self.presenter.dialog is not None)
        assert self.presenter.dialog is not None
        return self.presenter.dialog

    def armed(self) -> PermissionDialog:
        dialog = self.dialog()
        dialog.activateWindow()
        self.qtbot.waitUntil(lambda: dialog.input_guard.armed)
        return dialog


@pytest.fixture
def house(theme: Theme, window: QWidget, qtbot: QtBot) -> Iterator[House]:
    asker = QtAsker(tick_ms=10)
    presenter = PermissionPresenter(asker, lambda _question: window, arm_ms=150)
    pool = ThreadPoolExecutor(4)
    house = House(asker, presenter, pool, qtbot, window)
    presenter.attention_wanted.connect(house.attention.append)
    presenter.entry_changed.connect(house.entries.append)
    presenter.waiting_changed.connect(house.counts.append)
    yield house
    asker.close()
    presenter.close()
    pool.shutdown(wait=True)
    for made in (presenter, asker):
        made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_rule_4_over_the_active_window_of_its_chat(house: House) -> None:
    """The user is there: the dialog opens over the window, and what it answers reaches the thread."""
    asked = house.ask(WRITE)
    dialog = house.armed()
    assert dialog.parentWidget() is house.window
    assert house.attention == []
    house.qtbot.mouseClick(dialog.footer.allow, Qt.MouseButton.LeftButton)
    assert asked.result(60) == ALLOWED_ONCE
    house.qtbot.waitUntil(lambda: house.presenter.dialog is None)


def test_rule_4_no_focus_is_stolen_for_our_own_chat(house: House, qtbot: QtBot) -> None:
    """Another window is active: badge, notification and entry, once; the dialog opens when the user comes."""
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    house.ask(COMMAND)
    qtbot.waitUntil(lambda: house.attention == [COMMAND])
    qtbot.wait(50)
    assert house.presenter.dialog is None
    assert other.isActiveWindow()
    assert house.entries == [COMMAND]
    assert house.counts[-1] == 1
    house.window.activateWindow()
    dialog = house.dialog()
    assert dialog.parentWidget() is house.window
    assert house.entries == [COMMAND, None]
    assert house.attention == [COMMAND]


def test_rule_4_the_entry_brings_the_window_and_the_question(house: House, qtbot: QtBot) -> None:
    """A click on the entry, the notification or the tray leads there."""
    house.window.hide()
    house.ask(COMMAND)
    qtbot.waitUntil(lambda: bool(house.attention))
    house.presenter.come()
    assert house.dialog().question is COMMAND
    assert house.window.isVisible()


def test_rule_4_an_agent_opens_a_window_of_its_own(house: House) -> None:
    """Its terminal is what the user looks at, so waiting for our window would be waiting for ever."""
    house.window.hide()
    house.ask(AGENT)
    dialog = house.dialog()
    assert dialog.parentWidget() is None
    assert dialog.isVisible()
    assert house.attention == []


def test_rule_5_the_next_question_follows_unarmed(house: House, qtbot: QtBot) -> None:
    """Answering one shows the next in a new dialog, which a second click cannot answer yet."""
    first, second = house.ask(WRITE), house.ask(DELETE)
    dialog = house.armed()
    assert dialog.footer.deny_all.text() == "Deny all (2)"
    qtbot.mouseClick(dialog.footer.allow, Qt.MouseButton.LeftButton)
    following = house.dialog()
    assert following.question is DELETE
    qtbot.mouseClick(following.footer.allow, Qt.MouseButton.LeftButton)
    qtbot.mouseDClick(following.footer.allow, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(following.footer.allow, Qt.MouseButton.LeftButton)
    assert first.result(60) == ALLOWED_ONCE
    assert not second.done()


def test_rule_5_a_request_that_comes_meanwhile_is_counted(house: House, qtbot: QtBot) -> None:
    """The open dialog says that more wait, and denies them all."""
    asked = [house.ask(WRITE)]
    dialog = house.armed()
    asked += [house.ask(DELETE), house.ask(AGENT)]
    qtbot.waitUntil(lambda: dialog.footer.deny_all.text() == "Deny all (3)")
    qtbot.mouseClick(dialog.footer.deny_all, Qt.MouseButton.LeftButton)
    assert [future.result(60) for future in asked] == [DENIED] * 3
    assert house.presenter.dialog is None


def test_rule_5_stop_takes_the_dialog_away(house: House) -> None:
    """The window is usable again, and the turn ends silently."""
    asked = house.ask(COMMAND)
    dialog = house.dialog()
    house.asker.cancel_conversation(1)
    with pytest.raises(Cancelled):
        asked.result(60)
    assert not dialog.isVisible()
    assert house.presenter.dialog is None
    assert QApplication.activeModalWidget() is None


def test_rule_3_a_time_out_takes_the_dialog_away(house: House, qtbot: QtBot) -> None:
    """Left alone, it counts down visibly and ends."""
    house.window.hide()
    asked = house.ask(replace(AGENT, timeout_s=3.0))
    dialog = house.dialog()
    house.window.show()
    house.window.activateWindow()
    qtbot.waitUntil(lambda: not dialog.isActiveWindow())
    qtbot.waitUntil(asked.done)
    with pytest.raises(AskTimedOut):
        asked.result()
    qtbot.waitUntil(lambda: house.presenter.dialog is None)


def test_rule_3_the_app_ends_while_it_asks(house: House) -> None:
    """No thread is left waiting, no dialog is left open, and nothing was allowed."""
    asked = house.ask(COMMAND)
    dialog = house.dialog()
    house.asker.close()
    house.presenter.close()
    with pytest.raises(Cancelled):
        asked.result(60)
    assert not dialog.isVisible()
    assert QApplication.activeModalWidget() is None
