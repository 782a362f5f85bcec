"""The keyboard among the messages: Tab goes down the page, and what it reaches comes into sight."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import shiboken6
from PySide6.QtCore import QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QApplication, QScrollBar, QWidget

from desktop.ui.chat.message import MessageView

SETTLE_MS = 150  # widgets come one by one while the page is scrolled
SAME_ROW_PX = 6


class MessageKeyboard(QObject):
    """Main thread only. `canvas` holds the messages and is moved by `bar`."""

    def __init__(self, canvas: QWidget, bar: QScrollBar) -> None:
        super().__init__(bar)
        self._canvas, self._bar = canvas, bar
        self._order: list[QWidget] = []
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self.put_in_order)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def changed(self) -> None:
        """Messages came, went or moved; the order is looked at when that is over."""
        if not self._timer.isActive():
            self._timer.start()

    def put_in_order(self) -> None:
        """Chain what Tab reaches as it stands on the page: Qt goes by when a widget was made."""
        order = _stops(self._canvas)
        if order == self._order:
            return
        self._order = order
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        """Only where somebody went there, not where Qt passed the keyboard on from a message that goes."""
        pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        went = old is None or (shiboken6.isValid(old) and not _goes(old))
        if new is not None and went and not pressed and self._canvas.isAncestorOf(new):
            self._reveal(new)

    def _reveal(self, widget: QWidget) -> None:
        """Scroll no more than is needed; the top of what is larger than the page."""
        port = self._canvas.parentWidget()
        assert port is not None  # the canvas is moved in it
        page = port.height()
        place = QRect(widget.mapTo(self._canvas, QPoint(0, 0)), widget.size())
        if isinstance(widget, MessageView) and place.intersects(QRect(0, self._bar.value(), 1, page)):
            return  # a part of it is in sight, and its parts follow
        top, bottom = place.top() - SAME_ROW_PX, place.bottom() + SAME_ROW_PX
        if top < self._bar.value() or bottom - top > page:
            self._bar.setValue(top)
        elif bottom > self._bar.value() + page:
            self._bar.setValue(bottom - page)


def _goes(widget: QWidget) -> bool:
    """The message that it is, or is in, is being taken away."""
    message = widget if isinstance(widget, MessageView) else _message_of(widget)
    return message is not None and message.isHidden()


def _stops(canvas: QWidget) -> list[QWidget]:
    """From the top down, in a row from left to right; a message before what is in it."""
    takes = [
        (widget, widget.mapTo(canvas, QPoint(0, 0)))
        for widget in _all_in(canvas)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not widget.isWindow()
    ]

    def rank(entry: tuple[QWidget, QPoint]) -> tuple[int, int, int, int]:
        widget, place = entry
        message = widget if isinstance(widget, MessageView) else _message_of(widget)
        top = message.y() if message is not None else place.y()
        return top, int(widget is not message), place.y() // SAME_ROW_PX, place.x()

    return [widget for widget, _place in sorted(takes, key=rank)]


def _all_in(canvas: QWidget) -> Iterator[QWidget]:
    """Every widget on it. What is found belongs, for Python, to the widget that was asked: the canvas itself
    would keep the parts of messages that are long gone.
    """
    for child in canvas.children():
        if isinstance(child, QWidget):
            yield child
            yield from child.findChildren(QWidget)


def _message_of(widget: QWidget) -> MessageView | None:
    above = widget.parentWidget()
    while above is not None and not isinstance(above, MessageView):
        above = above.parentWidget()
    return above
