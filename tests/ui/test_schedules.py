"""What is seen of schedules: the page, its form, and the notification of an answer."""

from __future__ import annotations

import pytest

pytest.importorskip("PySide6", reason="this is drawn by Qt")
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.chat.messages import Message, MessageStatus, Role
from desktop.chat.schedules import ScheduleAnswered
from desktop.tools.reminders import Reminder
from desktop.ui.reminders import ReminderForm
from desktop.ui.schedules import NOTHING_YET, OPEN, ScheduleNotices, SchedulesPage
from tests.ui.test_reminders import START, World
from tests.ui.test_reminders import world as world

QUESTION = "What is in my notes?"


def _page(world: World) -> SchedulesPage:
    page = SchedulesPage(world.reminders, world.relay, world.background, lambda: world.at)
    world.qtbot.addWidget(page)
    page.resize(760, 620)
    page.show()
    page.shown()
    return page


def _words(page: SchedulesPage) -> list[str]:
    labels = page.found.list.findChildren(QLabel)
    return [label.text() for label in labels if label.objectName() in ("row_words", "row_caption")]


def _click(world: World, page: SchedulesPage, name: str) -> None:
    world.until(lambda: page.findChild(QPushButton, name) is not None)
    world.qtbot.mouseClick(page.findChild(QPushButton, name), Qt.MouseButton.LeftButton)


def _add(world: World, page: SchedulesPage, when: str = "every weekday at 8") -> None:
    page.form.fill(QUESTION, when)
    world.qtbot.keyClick(page.form.when, Qt.Key.Key_Return)
    world.until(lambda: QUESTION in _words(page))


def test_it_is_set_by_the_form_and_said_back(world: World) -> None:
    """How often, and when next; what comes once is refused while it is typed."""
    page = _page(world)
    world.until(lambda: page.found.empty.text() == NOTHING_YET)
    page.form.fill(QUESTION, "tomorrow at 8")
    assert "one time only" in page.form.said.text()
    assert not page.form.save.isEnabled()
    _add(world, page)
    assert _words(page) == [
        QUESTION,
        "Every weekday (Monday to Friday) at 08:00. Next: Monday 23 November 2026, 08:00",
        "It has not been due yet.",
    ]
    (schedule,) = world.reminders.schedules()
    assert schedule.reminder.asks


def test_off_and_on_now_and_deleted(world: World) -> None:
    """Each by its button; a deletion can be taken back."""
    page = _page(world)
    _add(world, page)
    _click(world, page, "schedule_switch_1")
    world.until(lambda: "Switched off: every weekday (Monday to Friday) at 08:00" in _words(page))
    _click(world, page, "schedule_switch_1")
    world.until(lambda: any("Next: Monday" in each for each in _words(page)))
    _click(world, page, "schedule_run_1")
    world.until(lambda: any(each.startswith("Waits for its answer") for each in _words(page)))
    _click(world, page, "schedule_delete_1")
    world.until(lambda: _words(page) == [] and page.toast.isVisible())
    world.qtbot.mouseClick(page.toast.button, Qt.MouseButton.LeftButton)
    world.until(lambda: QUESTION in _words(page))


def test_the_row_names_the_agent_that_wanted_it(world: World) -> None:
    """By its title, also for the screen reader and the search; what is no known agent is a program."""
    world.reminders.set_for_program("claude-code", "stretch", "every day at 8")
    world.reminders.set_for_program("a program", "drink", "every day at 9")
    page = _page(world)
    world.until(lambda: "stretch" in _words(page))
    assert _words(page) == [
        *("stretch", "From Claude Code", "Switched off: every day at 08:00", "It has not been due yet."),
        *("drink", "From a program", "Switched off: every day at 09:00", "It has not been due yet."),
    ]
    assert page.found.list.row(1).accessibleDescription().startswith("From Claude Code. Switched off")
    page.found.search.setText("claude")
    world.until(lambda: "drink" not in _words(page))
    assert "stretch" in _words(page)


def test_a_question_that_went_with_its_schedule_does_not_wait(world: World) -> None:
    """The deletion is taken back, and the row says what became of the question."""
    page = _page(world)
    _add(world, page)
    _click(world, page, "schedule_run_1")
    world.until(lambda: any(each.startswith("Waits for its answer") for each in _words(page)))
    _click(world, page, "schedule_delete_1")
    world.until(lambda: _words(page) == [] and page.toast.isVisible())
    world.qtbot.mouseClick(page.toast.button, Qt.MouseButton.LeftButton)
    world.until(lambda: any(each.endswith("It got no answer.") for each in _words(page)))


def test_it_is_edited_in_its_row(world: World) -> None:
    """The form is filled with words that it reads again."""
    page = _page(world)
    _add(world, page, "every first Monday of the month at 9")
    _click(world, page, "schedule_edit_1")
    form = page.found.list.findChild(ReminderForm)
    assert form is not None
    assert form.when.text() == "on the first Monday of every month at 09:00"
    form.fill(QUESTION, "every day at 7 am")
    world.qtbot.mouseClick(form.save, Qt.MouseButton.LeftButton)
    world.until(lambda: any(each.startswith("Every day at 07:00") for each in _words(page)))


def test_what_came_of_the_last_time_is_opened(world: World) -> None:
    """The button carries the chat."""
    page = _page(world)
    _add(world, page)
    occurred = world.reminders.run_now(1)
    assert occurred is not None
    world.reminders.begun(occurred.id, 7)
    world.reminders.answered(occurred.id, "complete")
    opened: list[int] = []
    page.chat_requested.connect(opened.append)
    _click(world, page, "schedule_open_1")
    assert opened == [7]
    assert any("It was answered." in each for each in _words(page))


def _answer(status: MessageStatus, text: str) -> Message:
    return Message(
        id=1,
        conversation_id=7,
        role=Role.ASSISTANT,
        text=text,
        thinking="",
        thinking_s=None,
        status=status,
        created_at=START,
        model="Tiny",
        answer_tokens=None,
        tokens_per_s=None,
        total_s=None,
    )


@pytest.mark.parametrize(
    ("status", "late", "title", "text"),
    [
        (MessageStatus.COMPLETE, False, QUESTION, "The dentist at ten."),
        (
            MessageStatus.COMPLETE,
            True,
            QUESTION,
            "The dentist at ten.\nIt was due on Friday 20 November 2026, 09:30.",
        ),
        (MessageStatus.FAILED, False, f"No answer: {QUESTION}", "Open the chat to see why."),
    ],
)
def test_an_answer_is_told(world: World, status: MessageStatus, late: bool, title: str, text: str) -> None:
    """With its question, late ones with their time; a click shows the chat."""
    notices = ScheduleNotices(world.desktop, world.relay)
    opened: list[int] = []
    notices.opened.connect(opened.append)
    question = Reminder(2, QUESTION, START, asks=True, series=1)
    world.bus.publish(ScheduleAnswered(question, _answer(status, "The dentist\nat ten."), late))
    world.until(lambda: len(world.desktop.shown) == 1)
    (notice,) = world.desktop.shown
    assert (notice.title, notice.text) == (title, text)
    world.desktop.press[notice.key](OPEN)
    assert opened == [7]
    notices.deleteLater()


def test_what_the_user_stopped_is_not_told(world: World) -> None:
    """They sit there."""
    notices = ScheduleNotices(world.desktop, world.relay)
    question = Reminder(2, QUESTION, START, asks=True, series=1)
    world.bus.publish(ScheduleAnswered(question, _answer(MessageStatus.STOPPED, "The")))
    world.bus.publish(ScheduleAnswered(question, _answer(MessageStatus.COMPLETE, "The end.")))
    world.until(lambda: bool(world.desktop.shown))
    assert [each.text for each in world.desktop.shown] == ["The end."]
    notices.deleteLater()
