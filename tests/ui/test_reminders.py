"""What is seen of reminders: notifications, the page, and what waits."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

pytest.importorskip("PySide6", reason="this is drawn by Qt")
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.database import Database
from desktop.events import Bus
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.settings import Theme as Mode
from desktop.system.notifier import OPENED, Notification
from desktop.tools import notes, reminders
from desktop.tools.reminders import Reminder, ReminderDue, Reminders
from desktop.ui.reminder_notices import DONE, SNOOZE, ReminderNotices
from desktop.ui.reminders import NOTHING_YET, ReminderForm, RemindersPage
from desktop.ui.theme import Theme

START = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


@dataclass
class Desktop:
    """A desktop that shows notifications and lets a test press their buttons."""

    shown: list[Notification] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)
    press: dict[str, Callable[[str], None]] = field(default_factory=dict)

    def show(self, notice: Notification, chosen: Callable[[str], None]) -> None:
        self.shown.append(notice)
        self.press[notice.key] = chosen

    def withdraw(self, key: str) -> None:
        self.withdrawn.append(key)


@dataclass
class World:
    """The real store, a time of the test's, and what is made of both."""

    qtbot: QtBot
    bus: Bus
    relay: Relay
    background: Background
    database: Database
    paths: Paths
    theme: Theme
    at: datetime = START
    desktop: Desktop = field(default_factory=Desktop)

    def __post_init__(self) -> None:
        self.reminders = Reminders(self.database, self.bus, lambda: self.at)
        self.notices = ReminderNotices(
            self.reminders, self.desktop, self.relay, self.background, lambda: self.at
        )
        self.counts: list[int] = []
        self.notices.due_changed.connect(self.counts.append)

    def until(self, holds: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(holds, timeout=10_000)

    def come_due(
        self, *texts: str, missed: bool = False, late: timedelta = timedelta()
    ) -> tuple[Reminder, ...]:
        """Set them, let their time come, and tell it as the clock does."""
        for text in texts:
            self.reminders.add(text, self.at + timedelta(minutes=1))
        self.at += timedelta(minutes=1) + late
        claimed = self.reminders.claim("test")
        self.bus.publish(ReminderDue(claimed, missed))
        self.until(lambda: all(each.is_shown for each in self.reminders.open()))
        return claimed

    def page(self, width: int = 760, height: int = 620) -> RemindersPage:
        page = RemindersPage(self.reminders, self.relay, self.background, lambda: self.at)
        self.qtbot.addWidget(page)
        page.resize(width, height)
        page.show()
        page.shown()
        return page


@pytest.fixture
def world(qtbot: QtBot, qapp: QApplication, paths: Paths, bus: Bus) -> Iterator[World]:
    database = Database(paths.database, (*notes.MIGRATIONS, *reminders.MIGRATIONS))
    relay, background, theme = Relay(bus), Background(), Theme(qapp, Mode.LIGHT)
    yield World(qtbot, bus, relay, background, database, paths, theme)
    relay.close()
    background.close()
    QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    theme.set_mode(Mode.SYSTEM)
    theme.deleteLater()
    database.close()


# -- notifications ----------------------------------------------------------------------------


def test_a_due_reminder_is_shown_and_confirmed(world: World) -> None:
    """With Done and Snooze; the tray has something that waits."""
    (reminder,) = world.come_due("call Anna")
    (notice,) = world.desktop.shown
    assert (notice.title, notice.text) == ("Reminder", "call Anna")
    assert [key for key, _ in notice.actions] == [DONE, SNOOZE]
    world.until(lambda: world.counts == [1])
    assert reminder.id == 1


def test_one_that_comes_late_says_when_it_was_due(world: World) -> None:
    """After the computer slept."""
    world.come_due("call Anna", late=timedelta(hours=3))
    assert world.desktop.shown[0].text == "call Anna\nIt was due at 09:31."
    world.come_due("buy milk", late=timedelta(days=1))
    assert world.desktop.shown[1].text == "buy milk\nIt was due on 20 November at 12:32."


def test_whose_reminder_it_is_is_shown(world: World) -> None:
    """In the notification, alone and among many, and in the row: an agent's words are not the user's."""
    world.reminders.set_for_program("codex", "rotate the keys", "in 1 minute")
    world.come_due("call Anna")
    assert [each.text for each in world.desktop.shown] == ["From Codex: rotate the keys", "call Anna"]
    page = world.page()
    world.until(lambda: page.due_list.row(1) is not None)
    assert page.due_list.row(1).captions[0].text() == "From Codex"
    assert len(page.due_list.row(2).captions) == 1
    world.reminders.set_for_program("codex", "look again", "in 1 minute")
    world.come_due("buy milk", missed=True)
    assert world.desktop.shown[-1].text == "• From Codex: look again\n• buy milk"


def test_the_same_again_is_confirmed_but_not_shown_twice(world: World) -> None:
    """A claim that ran out while the window was busy."""
    claimed = world.come_due("call Anna")
    world.bus.publish(ReminderDue(claimed))
    world.until(lambda: world.counts == [1])
    assert len(world.desktop.shown) == 1


def test_what_was_missed_comes_as_one(world: World) -> None:
    """The first few by name, the rest as a number; a click shows the list."""
    world.come_due(*(f"number {n}" for n in range(7)), missed=True)
    (notice,) = world.desktop.shown
    assert notice.title == "While Steward was not running:"
    assert notice.text.splitlines() == [*(f"• number {n}" for n in range(5)), "and 2 more"]
    with world.qtbot.waitSignal(world.notices.opened):
        world.desktop.press[notice.key](OPENED)


def test_many_at_once_come_as_one(world: World) -> None:
    """After the computer slept. A few have each their own, with its buttons."""
    world.come_due(*(f"number {n}" for n in range(5)))
    assert len(world.desktop.shown) == 5
    world.come_due(*(f"number {n}" for n in range(5, 305)), late=timedelta(hours=9))
    (notice,) = world.desktop.shown[5:]
    assert notice.title == "300 reminders are due:"
    assert notice.text.splitlines() == [*(f"• number {n}" for n in range(5, 10)), "and 295 more"]
    with world.qtbot.waitSignal(world.notices.opened):
        world.desktop.press[notice.key](OPENED)


def test_a_single_missed_one_keeps_its_buttons(world: World) -> None:
    """And says what happened."""
    world.come_due("call Anna", missed=True)
    (notice,) = world.desktop.shown
    assert (notice.title, len(notice.actions)) == ("While Steward was not running", 2)
    assert notice.text == "call Anna\nIt was due at 09:31."


def test_done_on_the_notification(world: World) -> None:
    """It is over, and the notification goes."""
    world.come_due("call Anna")
    world.desktop.press["reminder-1"](DONE)
    world.until(lambda: world.reminders.open() == ())
    world.until(lambda: world.counts == [1, 0])
    assert world.desktop.withdrawn == ["reminder-1"]


def test_snooze_on_the_notification(world: World) -> None:
    """In ten minutes it is shown once more."""
    world.come_due("call Anna")
    world.desktop.press["reminder-1"](SNOOZE)
    world.until(lambda: world.counts == [1, 0])
    world.at += timedelta(minutes=10)
    world.bus.publish(ReminderDue(world.reminders.claim("test")))
    world.until(lambda: len(world.desktop.shown) == 2)


def test_a_click_on_it_shows_the_list(world: World) -> None:
    """And ends nothing."""
    world.come_due("call Anna")
    with world.qtbot.waitSignal(world.notices.opened):
        world.desktop.press["reminder-1"](OPENED)
    assert len(world.reminders.open()) == 1


def test_another_process_sets_one(world: World) -> None:
    """The marker file says so, without a timer."""
    marker = world.paths.runtime / "reminders"
    looked: list[int] = []
    world.notices.watch(marker, lambda: looked.append(1))
    Reminders(world.database, Bus(), lambda: world.at, marker).set_reminder("call Anna", "in 5 minutes")
    world.until(lambda: bool(looked))


def test_what_waits_from_the_last_run_is_counted(world: World) -> None:
    """Shown before, but not done."""
    world.reminders.add("call Anna", world.at)
    world.notices.refresh()
    world.until(lambda: world.counts == [1])


# -- the page ---------------------------------------------------------------------------------


def _button(widget: QWidget, name: str) -> QPushButton:
    found = widget.findChild(QPushButton, name)
    assert found is not None, name
    return found


def _click(world: World, page: RemindersPage, name: str) -> None:
    world.until(lambda: page.findChild(QPushButton, name) is not None)
    world.qtbot.mouseClick(_button(page, name), Qt.MouseButton.LeftButton)


def _words(page: RemindersPage) -> list[str]:
    labels = [*page.due_list.findChildren(QLabel), *page.later_list.findChildren(QLabel)]
    return [label.text() for label in labels if label.objectName() in ("row_words", "row_caption")]


def test_an_empty_page_says_how_to_begin(world: World) -> None:
    """No list, no headings."""
    page = world.page()
    world.until(lambda: page.empty.text() == NOTHING_YET)
    assert not page.due_heading.isVisible()
    assert not page.later_heading.isVisible()


def test_due_and_to_come(world: World) -> None:
    """Each with its time in full."""
    world.reminders.add("call Anna", START)
    world.reminders.add("buy milk", START + timedelta(days=1))
    world.at += timedelta(minutes=5)
    page = world.page()
    world.until(lambda: len(_words(page)) == 4)
    assert _words(page) == [
        "call Anna",
        "Due since Friday 20 November 2026, 09:30 (5 minutes ago)",
        "buy milk",
        "Saturday 21 November 2026, 09:30 (in 23 h 55 min)",
    ]
    assert page.due_heading.isVisible()
    assert not page.empty.isVisible()


def test_a_german_window_says_the_time_in_german(german: None, world: World) -> None:
    """The day, the month, and how long it is until then."""
    world.reminders.add("Anna anrufen", START + timedelta(days=3))
    page = world.page()
    world.until(lambda: len(_words(page)) == 2)
    assert _words(page)[1] == "Montag, 23. November 2026, 09:30 Uhr (in 3 Tagen)"


def test_hundreds_are_shown_page_by_page(world: World) -> None:
    """Of those that are due, and of those to come: rows cost time and memory, and nobody reads them all."""
    world.come_due(*(f"due {n}" for n in range(70)))
    for number in range(130):
        world.reminders.add(f"later {number}", world.at + timedelta(minutes=number + 5))
    page = world.page()
    world.until(lambda: len(page.due_list.rows) == len(page.later_list.rows) == 50)
    more = page.findChild(QPushButton, "later_reminders_more")
    assert more.text() == "Show 50 more of 80"
    world.qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    assert (len(page.due_list.rows), len(page.later_list.rows)) == (50, 100)


def test_it_is_set_with_the_time_said_back(world: World) -> None:
    """While it is typed; what is not clear cannot be saved."""
    page = world.page()
    form = page.form
    world.qtbot.keyClicks(form.text, "call Anna")
    world.qtbot.keyClicks(form.when, "at some point")
    assert "not clear" in form.said.text()
    assert not form.save.isEnabled()
    form.when.clear()
    assert not form.said.isVisible()
    world.qtbot.keyClicks(form.when, "tomorrow")
    assert form.said.text() == ("Saturday 21 November 2026, 09:00 (in 23 h 30 min); no hour was named")
    world.qtbot.keyClick(form.when, Qt.Key.Key_Return)
    world.until(lambda: "call Anna" in _words(page))
    assert form.text.text() == form.when.text() == ""


def test_done_and_taken_back(world: World) -> None:
    """By the button of the toast."""
    world.reminders.add("call Anna", START)
    page = world.page()
    _click(world, page, "done_1")
    world.until(lambda: _words(page) == [] and page.toast.isVisible())
    world.qtbot.mouseClick(page.toast.button, Qt.MouseButton.LeftButton)
    world.until(lambda: "call Anna" in _words(page))


def test_snoozed_it_moves_down(world: World) -> None:
    """From Due to what is to come."""
    world.reminders.add("call Anna", START)
    page = world.page()
    _click(world, page, "snooze_1")
    world.until(lambda: len(page.later_list.rows) == 1 and not page.due_list.rows)
    assert page.toast.label.text() == "Shown again at 09:40."


def test_edited_in_its_row(world: World) -> None:
    """Another time, another text; Esc leaves it as it was."""
    world.reminders.add("call Anna", START + timedelta(hours=1))
    page = world.page()
    _click(world, page, "edit_1")
    form = page.later_list.findChild(ReminderForm)
    assert form is not None
    assert (form.text.text(), form.when.text()) == ("call Anna", "2026-11-20 10:30")
    world.qtbot.keyClick(form.when, Qt.Key.Key_Escape)
    world.until(lambda: page.later_list.findChild(ReminderForm) is None)
    _click(world, page, "edit_1")
    form = page.later_list.findChild(ReminderForm)
    assert form is not None
    form.fill("call Bert", "tomorrow at 10")
    world.qtbot.mouseClick(form.save, Qt.MouseButton.LeftButton)
    world.until(lambda: "call Bert" in _words(page))
    assert world.reminders.open()[0].due == START + timedelta(days=1, minutes=30)


def test_writing_in_a_row_is_not_disturbed(world: World) -> None:
    """Another reminder comes meanwhile."""
    world.reminders.add("call Anna", START + timedelta(hours=1))
    page = world.page()
    _click(world, page, "edit_1")
    form = page.later_list.findChild(ReminderForm)
    assert form is not None
    form.when.setText("tomorrow at")
    world.reminders.add("buy milk", START + timedelta(hours=2))
    world.until(form.isVisible)
    page._on_read(world.reminders.open())
    assert form.when.text() == "tomorrow at"
    assert form.isVisible()


def test_deleted_and_taken_back(world: World) -> None:
    """One that is still to come."""
    world.reminders.add("call Anna", START + timedelta(hours=1))
    page = world.page()
    _click(world, page, "delete_1")
    world.until(lambda: page.toast.isVisible() and not page.later_list.rows)
    assert page.toast.label.text() == "Deleted."
    world.qtbot.mouseClick(page.toast.button, Qt.MouseButton.LeftButton)
    world.until(lambda: len(page.later_list.rows) == 1)


def test_every_control_has_a_name(world: World) -> None:
    """For screen readers, with the reminder that it is about."""
    world.reminders.add("call Anna", START)
    page = world.page()
    world.until(lambda: len(page.due_list.rows) == 1)
    names = [each.accessibleName() for each in page.due_list.findChildren(QPushButton)]
    assert names == ["Done: call Anna", "Snooze 10 min: call Anna", "Edit: call Anna"]
    assert page.form.when.accessibleName() == "When"


def test_a_hidden_page_has_no_timer(world: World) -> None:
    """It ticks only while it is looked at."""
    page = world.page()
    assert page._timer.isActive()
    page.hide()
    assert not page._timer.isActive()
