from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PySide6.QtCore import QCoreApplication, QEventLoop, Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from desktop.chat.messages import ToolRecord
from desktop.chat.store import Message, MessageStatus, Role
from desktop.tools.calls import CallStatus
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.question import QuestionView
from desktop.ui.chat.tool_card import ToolCard
from desktop.ui.chat.transcript import Transcript
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import show_active
from tests.ui.chat.samples import LONG_ANSWER


def message(
    number: int, text: str, role: Role | None = None, status: MessageStatus = MessageStatus.COMPLETE
) -> Message:
    role = role or (Role.USER if number % 2 else Role.ASSISTANT)
    return Message(number, 1, role, text, "", None, status, datetime(2026, 1, 1, tzinfo=UTC), "", 0, 0.0, 0.0)


def many(count: int, first: int = 1) -> list[Message]:
    return [
        message(n, f"Message {n}. " + "words and more words " * (n * 7 % 90))
        for n in range(first, first + count)
    ]


@pytest.fixture
def transcript(theme: Theme, qtbot: QtBot) -> Transcript:
    view = Transcript()
    qtbot.addWidget(view)
    view.resize(800, 600)
    show_active(view, qtbot)
    return view


def settle(view: Transcript) -> None:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        QCoreApplication.processEvents()
        if not view._fill_timer.isActive() and not view._grow_timer.isActive():
            return
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    raise AssertionError("the transcript never comes to rest")


def seen(view: Transcript) -> QImage:
    return view.viewport().grab().toImage()


def top_of(view: Transcript, number: int) -> int:
    """Where a message is on the screen."""
    widget = view.view(number)
    assert widget is not None
    return widget.mapTo(view.viewport(), widget.rect().topLeft()).y()


def test_opens_at_the_end(transcript: Transcript) -> None:
    """A conversation is seen at its end, and only messages near it have widgets."""
    transcript.show_messages(many(60), has_older=False)
    settle(transcript)
    bar = transcript.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert transcript.sticks_to_end
    assert not transcript.latest_button.isVisible()
    assert transcript.view(60) is not None
    assert transcript.view(1) is None


def test_widgets_only_near_the_visible_part(transcript: Transcript) -> None:
    """Wherever the view is, widgets reach about two screens around it and no farther."""
    transcript.show_messages(many(400), has_older=False)
    settle(transcript)
    bar = transcript.verticalScrollBar()
    for value in (bar.maximum() // 2, 0, bar.maximum()):
        bar.setValue(value)
        settle(transcript)
        page = transcript.viewport().height()
        for view in transcript.live_views:
            top = view.mapTo(transcript.viewport(), view.rect().topLeft()).y()
            assert -3 * page - view.height() <= top <= 4 * page
        assert len(transcript.live_views) < 60


def test_a_reader_who_scrolled_up_is_not_moved(transcript: Transcript) -> None:
    """While an answer streams below, not a pixel of what is being read changes."""
    transcript.show_messages(
        [*many(31), message(32, "Beginning", status=MessageStatus.STREAMING)], has_older=False
    )
    settle(transcript)
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() - 700)
    settle(transcript)
    before, value = seen(transcript), bar.value()
    text = "Beginning"
    for number in range(20):
        text += f" and then word number {number} came."
        transcript.grow(message(32, text, status=MessageStatus.STREAMING))
        settle(transcript)
        assert bar.value() == value
    transcript.update_message(message(32, text))
    settle(transcript)
    assert seen(transcript) == before
    assert transcript.latest_button.isVisible()


def test_inside_a_streaming_answer_nothing_moves(transcript: Transcript) -> None:
    """Also when the answer itself is what is being read."""
    text = "\n\n".join(f"Paragraph {n} of a long answer." for n in range(80))
    transcript.show_messages(
        [message(1, "Go"), message(2, text, status=MessageStatus.STREAMING)], has_older=False
    )
    settle(transcript)
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    settle(transcript)
    before = seen(transcript)
    for number in range(20):
        text += f"\n\nAnother paragraph {number}."
        transcript.grow(message(2, text, status=MessageStatus.STREAMING))
        settle(transcript)
    assert seen(transcript) == before


@pytest.mark.parametrize(("away", "sticks"), [(0, True), (47, True), (49, False), (300, False)])
def test_sticks_within_48_px(transcript: Transcript, away: int, sticks: bool) -> None:
    """Within 48 px of the end the view follows a growing answer, farther away it stays."""
    transcript.show_messages(
        [*many(31), message(32, "Start", status=MessageStatus.STREAMING)], has_older=False
    )
    settle(transcript)
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.maximum() - away)
    settle(transcript)
    transcript.grow(message(32, "Start\n\n" + "more\n\n" * 30, status=MessageStatus.STREAMING))
    settle(transcript)
    assert (bar.value() == bar.maximum()) is sticks
    assert transcript.latest_button.isVisible() is not sticks


def test_the_button_goes_to_the_end(transcript: Transcript, qtbot: QtBot) -> None:
    """The pill brings the reader back to the end, where the view sticks again."""
    transcript.show_messages(many(60), has_older=False)
    settle(transcript)
    transcript.verticalScrollBar().setValue(100)
    settle(transcript)
    qtbot.mouseClick(transcript.latest_button, Qt.MouseButton.LeftButton)
    settle(transcript)
    assert transcript.verticalScrollBar().value() == transcript.verticalScrollBar().maximum()
    assert not transcript.latest_button.isVisible()


def test_older_messages_come_without_a_jump(transcript: Transcript) -> None:
    """Near the top older messages are asked for once; when they come, what is seen stays where it is."""
    transcript.show_messages(many(60, first=61), has_older=True)
    settle(transcript)
    asked: list[int] = []
    transcript.older_wanted.connect(asked.append)
    transcript.verticalScrollBar().setValue(30)
    settle(transcript)
    assert asked == [61]
    before = seen(transcript)
    transcript.prepend(many(60), has_older=False)
    settle(transcript)
    assert seen(transcript) == before
    assert transcript.messages[0].id == 1
    transcript.verticalScrollBar().setValue(0)
    settle(transcript)
    assert asked == [61]
    assert transcript.view(1) is not None


def test_scrolling_through_measures_without_jumps(transcript: Transcript) -> None:
    """Scrolling up by a wheel step moves what is seen by exactly that step, estimates or not."""
    transcript.show_messages(many(120), has_older=False)
    settle(transcript)
    bar = transcript.verticalScrollBar()
    for _ in range(60):
        number = next(m.message.id for m in transcript.live_views if top_of(transcript, m.message.id) > 0)
        before, value = top_of(transcript, number), bar.value()
        bar.setValue(value - 40)
        if transcript.view(number) is not None and value >= 40:
            assert top_of(transcript, number) == before + 40
        QCoreApplication.processEvents()


def test_resizing_keeps_the_first_visible_message(transcript: Transcript) -> None:
    """After a change of width the same message is at the top."""
    transcript.show_messages(many(80), has_older=False)
    settle(transcript)
    transcript.jump_to(40)
    settle(transcript)
    transcript.resize(500, 600)
    settle(transcript)
    assert abs(top_of(transcript, 40) - 24) <= 2


def test_zoom_keeps_the_first_visible_message(transcript: Transcript, theme: Theme) -> None:
    """After a change of text size the same message is at the top, drawn anew."""
    transcript.show_messages(many(80), has_older=False)
    settle(transcript)
    transcript.jump_to(40)
    settle(transcript)
    height = transcript.view(40).height()  # type: ignore[union-attr]
    theme.set_zoom(150)
    settle(transcript)
    assert abs(top_of(transcript, 40) - 24) <= 12
    assert transcript.view(40).height() > height  # type: ignore[union-attr]


def test_removing_and_appending(transcript: Transcript) -> None:
    """A removed message is gone, a new one is the last and shows its actions."""
    transcript.show_messages(many(4), has_older=False)
    transcript.remove(4)
    transcript.append(message(5, "A new answer", Role.ASSISTANT))
    settle(transcript)
    assert [m.id for m in transcript.messages] == [1, 2, 3, 5]
    view = transcript.view(5)
    assert view is not None
    assert view.footer.copy_button.isVisible()  # type: ignore[attr-defined]
    assert view.footer.again_button.isVisible()  # type: ignore[attr-defined]
    assert not transcript.view(2).footer.copy_button.isVisible()  # type: ignore[union-attr]


def test_up_and_down_move_by_message(transcript: Transcript, qtbot: QtBot) -> None:
    """With the focus on a message the arrow keys go to its neighbours and keep them in sight."""
    transcript.show_messages(many(40), has_older=False)
    settle(transcript)
    assert transcript.focus_message()
    focused = [view.message.id for view in transcript.live_views if view.hasFocus()]
    assert focused == [40]
    for expected in (39, 38, 37):
        qtbot.keyClick(transcript.view(expected + 1), Qt.Key.Key_Up)
        settle(transcript)
        view = transcript.view(expected)
        assert view is not None
        assert view.hasFocus()
        assert top_of(transcript, expected) < transcript.viewport().height()
    qtbot.keyClick(transcript.view(37), Qt.Key.Key_Down)
    assert transcript.view(38).hasFocus()  # type: ignore[union-attr]


def test_only_the_end_of_a_growing_answer_is_drawn(transcript: Transcript) -> None:
    """Growing an answer touches neither the parts before its end nor other messages."""
    start = LONG_ANSWER + "\n\nThe end"
    transcript.show_messages(
        [message(1, "Go"), message(2, start, status=MessageStatus.STREAMING)], has_older=False
    )
    settle(transcript)
    blocks = transcript.view(2).blocks  # type: ignore[union-attr]
    parts = blocks.parts
    revisions = [part.document().revision() for part in parts[:-1] if hasattr(part, "document")]
    transcript.grow(message(2, start + " comes slowly", status=MessageStatus.STREAMING))
    settle(transcript)
    assert blocks.parts == parts
    assert [part.document().revision() for part in parts[:-1] if hasattr(part, "document")] == revisions
    assert "comes slowly" in parts[-1].toPlainText()


def test_growing_equals_showing_at_once(transcript: Transcript) -> None:
    """A streamed answer ends up looking exactly like the same answer opened later."""
    transcript.show_messages(
        [message(1, "Go"), message(2, "", status=MessageStatus.STREAMING)], has_older=False
    )
    for end in range(0, len(LONG_ANSWER), 37):
        transcript.grow(message(2, LONG_ANSWER[:end], status=MessageStatus.STREAMING))
        QCoreApplication.processEvents()
    transcript.update_message(message(2, LONG_ANSWER))
    for part in transcript.view(2).blocks.parts:  # type: ignore[union-attr]
        if hasattr(part, "_highlighter"):
            part._highlighter.finish()
    settle(transcript)
    streamed, height = seen(transcript), transcript.verticalScrollBar().maximum()
    transcript.show_messages([message(1, "Go"), message(2, LONG_ANSWER)], has_older=False)
    for part in transcript.view(2).blocks.parts:  # type: ignore[union-attr]
        if hasattr(part, "_highlighter"):
            part._highlighter.finish()
    settle(transcript)
    assert transcript.verticalScrollBar().maximum() == height
    assert seen(transcript) == streamed


@pytest.mark.parametrize("zoom", [100, 200])
def test_a_question_stands_close_to_its_answer(theme: Theme, qtbot: QtBot, zoom: int) -> None:
    """16 px from the bubble to its answer and twice that to the next question, with room for all buttons."""
    theme.set_zoom(zoom)
    view = Transcript(revisable=True)
    qtbot.addWidget(view)
    view.resize(800 * zoom // 100, 600)
    show_active(view, qtbot)
    view.show_messages([message(n, f"Message {n}.") for n in range(1, 5)], has_older=False)
    settle(view)
    first, answer, second = (view.view(number) for number in (1, 2, 3))
    assert isinstance(first, QuestionView)
    assert isinstance(answer, AnswerView)
    assert isinstance(second, QuestionView)
    bubble = first.mapTo(view.viewport(), first.bubble.geometry().bottomLeft()).y() + 1
    below = answer.mapTo(view.viewport(), answer.footer.geometry().topLeft()).y()
    assert top_of(view, 2) - bubble == theme.px(16)
    assert abs(top_of(view, 3) - below - theme.px(32)) <= 1
    row = first.row
    assert row is not None
    assert not row.geometry().intersects(first.bubble.geometry())
    assert first.rect().contains(row.geometry())
    theme.set_zoom(100)


def test_where_there_is_no_room_beside_it_a_question_has_its_buttons_below(
    theme: Theme, qtbot: QtBot
) -> None:
    """A long question in a narrow window; all of them are inside the window and none over the words."""
    view = Transcript(revisable=True)
    qtbot.addWidget(view)
    view.resize(300, 600)
    show_active(view, qtbot)
    view.show_messages([message(1, "A longer question, of many words. " * 9)], has_older=False)
    settle(view)
    question = view.view(1)
    assert isinstance(question, QuestionView)
    row = question.row
    assert row is not None
    assert row.y() >= question.bubble.geometry().bottom()
    assert question.rect().contains(row.geometry())


def test_dots_until_the_first_word(transcript: Transcript) -> None:
    """Dots with the words of the wait stand where the answer will be, and go with its first word."""
    transcript.show_messages(
        [message(1, "Go"), message(2, "", status=MessageStatus.STREAMING)], has_older=False
    )
    transcript.set_waiting("Loading model 43%")
    view = transcript.view(2)
    assert view.dots.isVisible()  # type: ignore[union-attr]
    assert view.dots.words == "Loading model 43%"  # type: ignore[union-attr]
    transcript.grow(replace(message(2, "Now", status=MessageStatus.STREAMING)))
    settle(transcript)
    assert not view.dots.isVisible()  # type: ignore[union-attr]
    assert not view.dots._timer.isActive()  # type: ignore[union-attr]


def test_a_call_that_runs_says_what_it_waits_for(transcript: Transcript) -> None:
    """At the end of its card, beside its line, while it runs and nobody is asked; then it goes."""
    record = ToolRecord("c", "fetch_page", {"url": "https://example.org/" + "long/" * 30})
    running = replace(message(2, "", Role.TOOL, MessageStatus.STREAMING), tool=record)
    transcript.show_messages([message(1, "What does it say?"), running], has_older=False)
    card = transcript.view(2)
    assert isinstance(card, ToolCard)
    assert card.dots.isHidden()
    transcript.set_waiting("Waiting for the network …")
    settle(transcript)
    dots = card.dots.geometry()
    assert card.dots.isVisible()
    assert card.rect().contains(dots)
    assert dots.width() >= card.dots.sizeHint().width()
    assert not dots.intersects(card.button.geometry().translated(card.folding.pos()))
    done = replace(record, ending=CallStatus.DONE, seconds=9.0)
    for now, is_shown in (
        (replace(running, tool=replace(record, asking=True)), False),
        (running, True),
        (replace(running, tool=done, status=MessageStatus.COMPLETE), False),
    ):
        transcript.update_message(now)
        settle(transcript)
        assert card.dots.isVisible() is is_shown
