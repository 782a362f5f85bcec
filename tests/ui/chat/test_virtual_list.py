"""The order of Tab among the messages."""

from __future__ import annotations

import gc

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.chat.virtual_list import MessageKeyboard


class Message(QWidget):
    """With a part that Qt itself builds of further widgets."""

    def __init__(self, canvas: QWidget) -> None:
        super().__init__(canvas)
        QVBoxLayout(self).addWidget(QPlainTextEdit())


def _dead() -> int:
    """Wrappers of widgets that are gone and that somebody still holds."""
    gc.collect()
    return sum(isinstance(each, QWidget) and not shiboken6.isValid(each) for each in gc.get_objects())


def test_parts_of_messages_that_are_gone_are_not_held(qtbot: QtBot) -> None:
    """A day of chatting would hold thousands."""
    area = QScrollArea()
    qtbot.addWidget(area)
    canvas = QWidget(area.viewport())
    keyboard = MessageKeyboard(canvas, area.verticalScrollBar())
    before = _dead()
    for _ in range(5):
        message = Message(canvas)
        keyboard.put_in_order()
        message.deleteLater()
        del message
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    keyboard.put_in_order()
    assert _dead() == before
