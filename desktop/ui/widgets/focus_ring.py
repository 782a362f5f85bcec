"""The ring around what has the keyboard, in a list or table around its row: 2 px, accent, 2 px away."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QMetaObject, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QScrollArea,
    QTableView,
    QWidget,
)

from desktop.ui import theme
from desktop.ui.widgets.layout import is_mirrored

WIDTH, OFFSET, RADIUS = 2, 2, 8


class FocusRing(QWidget):
    """Follows the focus within one window. Drawn over everything, never in the way of the mouse."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.target: QWidget | None = None  # what the ring is around
        self._watched: list[QWidget] = []
        self._rows_watched: list[QMetaObject.Connection] = []
        self.setObjectName("focus_ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)
        theme.current().changed.connect(self._follow)

    def paintEvent(self, _event: QPaintEvent) -> None:
        width = theme.px(WIDTH)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("focus"), width))
        inner = self.rect().toRectF().adjusted(width / 2, width / 2, -width / 2, -width / 2)
        radius = min(self._radius(), inner.height() / 2)
        painter.drawRoundedRect(inner, radius, radius)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (
            QEvent.Type.Move,
            QEvent.Type.Resize,
            QEvent.Type.Show,
            QEvent.Type.Hide,
            QEvent.Type.ZOrderChange,
        ):
            self._follow()
        return False

    def _on_focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        for watched in self._watched:
            if shiboken6.isValid(watched):
                watched.removeEventFilter(self)
        self._watched = []
        self.target = self._ringed(new)
        widget: QWidget | None = self.target
        while widget is not None and widget is not self._window:
            widget.installEventFilter(self)
            self._watched.append(widget)
            widget = widget.parentWidget()
        self._watch_rows(new)
        self._bring_into_sight()
        self._follow()

    def _watch_rows(self, focused: QWidget | None) -> None:
        """In a list or table the ring goes with the row that the keyboard is in."""
        for connection in self._rows_watched:
            QObject.disconnect(connection)
        self._rows_watched = []
        if isinstance(focused, QAbstractItemView) and self.target is focused:
            rows, bar = focused.selectionModel(), focused.verticalScrollBar()
            self._rows_watched = [
                rows.currentChanged.connect(lambda _now, _before: self._follow()),
                bar.valueChanged.connect(lambda _value: self._follow()),
            ]

    def _bring_into_sight(self) -> None:
        """What the keyboard reached from outside a scroll area, which Qt leaves where it is."""
        target = self.target
        if target is None or QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            return
        holder = target.parentWidget()
        while holder is not None and holder is not self._window:
            if isinstance(holder, QScrollArea):
                sideways = holder.horizontalScrollBar().value()
                holder.ensureWidgetVisible(target, 0, theme.px(WIDTH + OFFSET))
                if holder.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff:
                    holder.horizontalScrollBar().setValue(sideways)
            holder = holder.parentWidget()

    def _ringed(self, focused: QWidget | None) -> QWidget | None:
        """The widget to draw around: the focused one, or its frame if that says so and it has no rows."""
        if focused is None or focused.window() is not self._window:
            return None
        # A page without anything for the keyboard: Qt gives it to the page itself when its stack turns to it.
        if focused.focusPolicy() is Qt.FocusPolicy.NoFocus:
            return None
        return focused if isinstance(focused, QAbstractItemView) else _framed(focused)

    def _follow(self) -> None:
        target = self.target
        if target is None or not shiboken6.isValid(target) or not target.isVisible():
            self.hide()
            return
        grown = theme.px(WIDTH + OFFSET)
        rect = self._area_of(target)
        if not rect.isEmpty():
            rect = rect.adjusted(-grown, -grown, grown, grown) & self._clip(target)
            rect = self._beside_its_bar(target, rect)
        self.setGeometry(rect)
        self.raise_()
        self.setVisible(not rect.isEmpty())

    def _area_of(self, target: QWidget) -> QRect:
        """What the ring goes around: in a list its current row, nothing while that is out of sight."""
        if not isinstance(target, QAbstractItemView) or not target.currentIndex().isValid():
            around = _framed(target)
            return QRect(around.mapTo(self._window, QPoint(0, 0)), around.size())
        seen = target.viewport().rect()
        row = target.visualRect(target.currentIndex())
        if isinstance(target, QTableView):  # a row is chosen as a whole, whichever of its cells is current
            row = QRect(seen.left(), row.top(), seen.width(), row.height())
        row &= seen
        return QRect(target.viewport().mapTo(self._window, row.topLeft()), row.size())

    def _beside_its_bar(self, target: QWidget, rect: QRect) -> QRect:
        """Rows end where the scroll bar of their list begins; the ring does not lie over it."""
        if not isinstance(target, QAbstractItemView) or not target.currentIndex().isValid():
            return rect
        bar = target.verticalScrollBar()
        if not bar.isVisible():
            return rect
        taken = QRect(bar.mapTo(self._window, QPoint(0, 0)), bar.size())
        if is_mirrored(target):
            rect.setLeft(max(rect.left(), taken.right() + 1))
        else:
            rect.setRight(min(rect.right(), taken.left() - 1))
        return rect

    def _clip(self, target: QWidget) -> QRect:
        """The part of the window in which the target can be seen."""
        area = self._window.rect()
        parent = target.parentWidget()
        while parent is not None and parent is not self._window:
            holder = parent.parentWidget()
            if isinstance(holder, QAbstractScrollArea) and holder.viewport() is parent:
                area &= QRect(parent.mapTo(self._window, QPoint(0, 0)), parent.size())
            parent = holder
        return area

    def _radius(self) -> float:
        radius = self.target.property("ring_radius") if self.target is not None else None
        return float(theme.px((radius or RADIUS) + OFFSET))


def _framed(widget: QWidget) -> QWidget:
    """The frame that is to have the ring in the widget's place, or the widget itself."""
    parent = widget.parentWidget()
    return parent if widget.property("ring_on_parent") and parent is not None else widget
