"""Acceptance check 13: scroll up while an answer streams, and the view does not move by a pixel."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from desktop.chat.store import Message, MessageStatus, Role
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import add_conversation, ask


def seen(desk: Desk) -> QImage:
    """The pixels of the messages in sight, without the scroll bar, whose handle shrinks, and the button."""
    transcript = desk.window.pane.transcript
    transcript.latest_button.hide()
    return transcript.viewport().grab().toImage()


def answer(desk: Desk) -> Message:
    """The latest one; a notice may stand below it."""
    return [m for m in desk.window.pane.transcript.messages if m.role is Role.ASSISTANT][-1]


def grown(desk: Desk) -> int:
    return len(answer(desk).text)


def test_check_13_scrolled_up_while_streaming_nothing_moves_by_a_pixel(desk: Desk) -> None:
    """A real answer of the engine grows below; what is read stays in its place until End is pressed."""
    desk.settings.change("model", "context_tokens", 16384)
    desk.settings.change("model", "max_answer_tokens", 8192)
    desk.use_model()
    desk.backend.answers = "A line that is long enough to be wrapped somewhere in the column. " * 400
    desk.backend.token_s = 0.002
    number = add_conversation(desk, *(f"paragraph {n}\n\nof several lines" for n in range(30)))
    desk.window.open_conversation(number)
    desk.settle()
    transcript = desk.window.pane.transcript
    ask(desk, "go on")
    desk.qtbot.waitUntil(lambda: answer(desk).status is MessageStatus.STREAMING, timeout=20000)
    desk.qtbot.waitUntil(lambda: grown(desk) > 100, timeout=20000)
    assert transcript.sticks_to_end
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.value() - 700)
    desk.settle()
    QTest.mouseMove(desk.window, QPoint(5, 5))
    desk.settle()
    before, length, limit = seen(desk), grown(desk), bar.maximum()
    value = bar.value()
    desk.qtbot.waitUntil(lambda: grown(desk) > length + 250 and bar.maximum() > limit, timeout=20000)
    assert answer(desk).status is MessageStatus.STREAMING
    assert bar.value() == value
    now = seen(desk)
    height = min(before.height(), now.height())  # a line above the message box may come or go
    assert now.copy(0, 0, now.width(), height) == before.copy(0, 0, before.width(), height)
    QTest.keyClick(transcript.live_views[-1], Qt.Key.Key_End)
    assert transcript.sticks_to_end
    assert bar.value() == bar.maximum()
