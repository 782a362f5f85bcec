"""The list of memories: an icon for the source, one or two lines of the text, and the small line below."""

from __future__ import annotations

from typing import Any, cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from desktop.memory.item import Item
from desktop.ui import theme
from desktop.ui.language import reads_from_right
from desktop.ui.memory.model import CAPTION, ITEM, ItemModel, source_icon
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.layout import sized

Index = QModelIndex | QPersistentModelIndex
ROW_PX, ICON_PX, LINE = 68, 18, 1.4  # a row of two lines


class ItemList(QListView):
    """Rows as high as their words, one chosen at a time; Del forgets it. Main thread only."""

    forget_pressed = Signal()

    def __init__(self, model: ItemModel) -> None:
        super().__init__()
        self.setObjectName("memory_list")
        self.setModel(model)
        # Words that no longer fit on a line, or fit again, give their row another height.
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setItemDelegate(_Rows(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        sized(self, min_height=ROW_PX + 8)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.currentIndex().isValid():
            self.forget_pressed.emit()
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and self.model().rowCount():
            row = 0 if event.key() == Qt.Key.Key_Home else self.model().rowCount() - 1
            self.setCurrentIndex(self.model().index(row, 0))
        else:
            super().keyPressEvent(event)


class _Rows(QStyledItemDelegate):
    """Draws the rows in the colours of the theme, mirrored where one reads from the right."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        # Measured for every row that was read, so only the width of the words and not where they break.
        one = theme.px(ROW_PX - SMALL_PX * LINE)
        words = QFontMetrics(theme.font(SMALL_PX)).horizontalAdvance(str(index.data()))
        return QSize(theme.px(100), one if words <= self._words_width() else theme.px(ROW_PX))

    def _words_width(self) -> int:
        """What a row leaves to them; as `_areas`."""
        return self._view.viewport().width() - 2 * theme.px(10) - theme.px(ICON_PX) - theme.px(10)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        given: Any = option  # the fields of the base class are not in the type of this one
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # At 200 % the letters of some fonts reach into the next row.
        painter.setClipRect(given.rect)
        chosen = self._paint_surface(painter, given)
        item = cast(Item, index.data(ITEM))
        sign, room = self._areas(given)
        ink = "on_selection" if chosen else "secondary"
        theme.icon(source_icon(item.source), ink).paint(painter, sign)
        height = theme.px(SMALL_PX * LINE)
        lines = _lines(str(index.data()), theme.font(SMALL_PX), room.width())
        top = room.top()
        self._paint_text(painter, given, room, top, lines, "on_selection" if chosen else "text")
        below = QRect(room.left(), top + len(lines) * height, room.width(), theme.px(CAPTION_PX * LINE))
        self._paint_caption(painter, given, below, str(index.data(CAPTION)), ink)
        painter.restore()

    def _areas(self, option: Any) -> tuple[QRect, QRect]:
        rect = option.rect.adjusted(theme.px(10), theme.px(7), -theme.px(10), -theme.px(5))
        side = theme.px(ICON_PX)
        sign = QRect(rect.left(), rect.top() + theme.px(SMALL_PX * LINE / 2 + 1), side, side)
        room = rect.adjusted(side + theme.px(10), 0, 0, 0)
        mirrored = QStyle.visualRect
        return mirrored(option.direction, rect, sign), mirrored(option.direction, rect, room)

    def _paint_surface(self, painter: QPainter, option: Any) -> bool:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if chosen else "surface_2"))
            painter.drawRoundedRect(
                option.rect.toRectF().adjusted(theme.px(2), 1, -theme.px(2), -1), theme.px(8), theme.px(8)
            )
        return chosen

    def _paint_text(
        self, painter: QPainter, option: Any, room: QRect, top: int, lines: list[str], ink: str
    ) -> None:
        painter.setFont(theme.font(SMALL_PX))
        painter.setPen(theme.colour(ink))
        height = theme.px(SMALL_PX * LINE)
        for number, line in enumerate(lines):
            shown = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, room.width())
            place = QRect(room.left(), top + number * height, room.width(), height)
            painter.drawText(place, _aligned(shown, option), shown)

    def _paint_caption(self, painter: QPainter, option: Any, room: QRect, text: str, ink: str) -> None:
        painter.setFont(theme.font(CAPTION_PX))
        painter.setPen(theme.colour(ink))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _aligned(shown, option), shown)


def _aligned(text: str, option: Any) -> Qt.AlignmentFlag:
    """A text goes by its own letters, a line of ours by the window."""
    # Qt aligns a drawn text by the direction of the painter alone, not by its letters.
    rtl = reads_from_right(text) or option.direction == Qt.LayoutDirection.RightToLeft
    side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute


def _lines(text: str, font: QFont, width: int) -> list[str]:
    """The first line as it breaks, and all the rest as the second."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    if not line.isValid():
        layout.endLayout()
        return [text]
    line.setLineWidth(width)
    layout.endLayout()
    # Cut by Python's letters, a line with emoji would lose or repeat some.
    units = text.encode("utf-16-le")  # as Qt counts
    end = 2 * line.textLength()
    first, rest = units[:end].decode("utf-16-le", "ignore"), units[end:].decode("utf-16-le", "ignore")
    return [first.rstrip(), rest.lstrip()] if rest else [text]
