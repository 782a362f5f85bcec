"""A layout that wraps like words, and what is placed by hand where a language is written from the right."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Rows of items at their preferred size; nothing is clipped at 200 % zoom or in a narrow window.

    Mirrors under a right-to-left locale. Main thread only, as all widgets.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setContentsMargins(QMargins(0, 0, 0, 0))
        self._items: list[QLayoutItem] = []

    def spacing(self) -> int:
        """Half a line of the text around it, so that the gaps grow with the zoom."""
        around = self.parentWidget()
        return max(8, round(around.fontMetrics().height() * 0.44)) if around else 8

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:  # None ends Qt's walk
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:  # None ends Qt's walk
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        shown = self._shown()
        width = sum(item.sizeHint().width() for item in shown) + self.spacing() * max(0, len(shown) - 1)
        height = max((item.sizeHint().height() for item in shown), default=0)
        return QSize(width, height).grownBy(self.contentsMargins())

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._shown():
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arrange(self, rect: QRect, move: bool) -> int:
        """Lay the items out within `rect`; returns the height they take."""
        area = rect.marginsRemoved(self.contentsMargins())
        x, y, row_height = area.x(), area.y(), 0
        for item in self._shown():
            size = item.sizeHint().boundedTo(QSize(max(area.width(), 1), 16777215))
            if item.hasHeightForWidth() and size.width() < item.sizeHint().width():
                size.setHeight(item.heightForWidth(size.width()))  # words that wrap within the row
            if x + size.width() > area.x() + area.width() and row_height:
                x, y, row_height = area.x(), y + row_height + self.spacing(), 0
            if move:
                item.setGeometry(self._mirrored(QRect(QPoint(x, y), size), area))
            x += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        margins = self.contentsMargins()
        return y + row_height - rect.y() + margins.bottom()

    def _mirrored(self, rect: QRect, area: QRect) -> QRect:
        parent = self.parentWidget()
        if parent is None or parent.layoutDirection() == Qt.LayoutDirection.LeftToRight:
            return rect
        return rect.translated(area.left() + area.right() - rect.left() - rect.right(), 0)


def is_mirrored(widget: QWidget) -> bool:
    """Whether the layout goes from right to left."""
    return widget.layoutDirection() == Qt.LayoutDirection.RightToLeft


def from_its_side(widget: QWidget, words: str) -> str:
    """`words` for a place where Qt goes by the letters alone: they begin at the side of the layout.

    Invisible marks say so (Unicode's right-to-left mark, and an isolate that keeps the words in order).
    """
    return f"\u200f\u2068{words}\u2069" if is_mirrored(widget) else words


def mirror(parent: QWidget, width: int, *children: QWidget) -> None:
    """Swap left and right of `children`, which were just placed within `width` as if there were no mirror."""
    if is_mirrored(parent):
        for child in children:
            child.move(width - child.x() - child.width(), child.y())
