"""Where things go: rows that wrap, columns that scroll, sizes that grow with the zoom, mirrored places."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import TypeVar

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from desktop.ui import theme


class FlowLayout(QLayout):
    """Rows of items at their preferred size; nothing is clipped at 200 % zoom or in a narrow window.

    Mirrors under a right-to-left locale. Main thread only, as all widgets.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        self._items: list[QLayoutItem] = []
        self._heights: dict[int, int] = {}  # by width, until something in it is another
        super().__init__(parent)
        self.setContentsMargins(QMargins(0, 0, 0, 0))
        # Qt has each layout delete its items; those that Python holds are deleted by nobody else.
        self.destroyed.connect(partial(_delete_all, self._items))

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
        # Layouts around it ask again and again: for fifty rows of a page 18,000 times.
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        """Called by Qt, also for what is nested, before it lays out anew."""
        self._heights.clear()
        super().invalidate()

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
            size = item.sizeHint().boundedTo(QSize(max(area.width(), 1), ANY_SIZE))
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


def clear(layout: QLayout) -> None:
    """Take every widget out of `layout` and let it go."""
    for widget in emptied(layout):
        let_go(widget)


def let_go(widget: QWidget) -> None:
    """Hide `widget` and have Qt delete it."""
    # Deletion comes with the next turn of the event loop, and until then it would be seen.
    widget.hide()
    widget.deleteLater()


def emptied(layout: QLayout) -> list[QWidget]:
    """Take every widget out of `layout`, and return them as they were in it."""
    widgets = []
    while item := layout.takeAt(0):
        widget = item.widget()
        if widget is not None:
            widgets.append(widget)
        # Whoever takes an item out has it, and letting go of it in Python does not delete it: 88 bytes each
        # time that a row is filled anew.
        if not isinstance(item, QLayout):
            shiboken6.delete(item)
    return widgets


def _delete_all(items: list[QLayoutItem], _gone: QObject | None = None) -> None:
    while items:
        item = items.pop()
        if shiboken6.isValid(item):
            shiboken6.delete(item)


def order_tabs(stops: Sequence[QWidget]) -> None:
    """Let Tab go from one to the next: Qt goes by when a widget was made, and rows are made late."""
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)


W = TypeVar("W", bound=QWidget)


class _Sizes(QObject):
    """Belongs to its widget, and ends with it."""

    def __init__(self, widget: QWidget, sizes: dict[str, float]) -> None:
        super().__init__(widget)
        self._widget = widget
        self._sizes = sizes
        theme.current().rescaled.connect(self.apply)

    def apply(self) -> None:
        for name, size in self._sizes.items():
            pixels = theme.px(size)
            if name == "icon":
                assert isinstance(self._widget, QAbstractButton | QAbstractItemView)
                self._widget.setIconSize(QSize(pixels, pixels))
            else:
                getattr(self._widget, name)(pixels)


def sized(
    widget: W,
    *,
    width: float | None = None,
    height: float | None = None,
    min_width: float | None = None,
    min_height: float | None = None,
    icon: float | None = None,
) -> W:
    """Give `widget` these sizes; returns it. `icon` is the side of the icon of a button or a list."""
    wanted = {
        "setFixedWidth": width,
        "setFixedHeight": height,
        "setMinimumWidth": min_width,
        "setMinimumHeight": min_height,
        "icon": icon,
    }
    _Sizes(widget, {name: size for name, size in wanted.items() if size is not None}).apply()
    return widget


def named(widget: W, name: str, words: str) -> W:
    """Give `widget` its name for tests and style sheets, and the words a screen reader says; returns it."""
    widget.setObjectName(name)
    widget.setAccessibleName(words)
    return widget


def inset(
    widget: QWidget, left: float = 0, top: float = 0, right: float = 0, bottom: float = 0
) -> QHBoxLayout:
    """A layout with `widget` and this much room around it, which stays while the widget is hidden."""
    row = QHBoxLayout()
    row.addWidget(widget)
    return theme.space(row, 0, (left, top, right, bottom))


ANY_SIZE = 16_777_215  # QWIDGETSIZE_MAX, which PySide does not have: as large as the layout likes
EDGE = 16  # from what is in a scroll area to its end: the bar, and a little room
AROUND = 4  # room for the focus ring, which the scroll area would cut


class ScrollColumn(QScrollArea):
    """Widgets go into `body`. Main thread only."""

    def __init__(self, name: str, revealed_px: float = 40) -> None:
        """What is revealed stands so far from the edge that one sees whether there is more."""
        super().__init__()
        self._revealed_px = revealed_px
        self.setObjectName(name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # The keyboard goes to what is in it, and the area follows.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Nothing on a page is wider than the page; a bar at the side would hide a mistake in a layout.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = QWidget()
        self._content.setObjectName(f"{name}_content")
        self.body = QVBoxLayout(self._content)
        self.setWidget(self._content)
        self.verticalScrollBar().rangeChanged.connect(lambda _least, _most: self._keep_edge())
        theme.space(self.body, 8, (AROUND, AROUND, EDGE, AROUND))
        theme.current().changed.connect(self._keep_edge)
        QGuiApplication.instance().focusObjectChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]

    def reveal(self, widget: QWidget) -> None:
        """Scroll until `widget` is in sight, once the layout knows where it is."""
        # A widget that was just shown has its place only after the layout.
        QTimer.singleShot(0, widget, lambda: self._reveal_now(widget))

    def _keep_edge(self) -> None:
        """What is in it ends at the same edge with a bar and without: nothing jumps when a bar comes."""
        bar = self.verticalScrollBar()
        margins = self.body.contentsMargins()
        taken = bar.sizeHint().width() if bar.maximum() > 0 else 0
        wanted = max(AROUND, theme.px(EDGE) - taken)
        mirrored = is_mirrored(self)
        if (margins.left() if mirrored else margins.right()) != wanted:
            (margins.setLeft if mirrored else margins.setRight)(wanted)
            self.body.setContentsMargins(margins)

    def _reveal_now(self, widget: QWidget) -> None:
        # Heights travel up through nested layouts as posted events; without them the place is a guess.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        if widget.height() > self.viewport().height():
            # Read from its beginning; Qt would show the end of what is too tall.
            self.verticalScrollBar().setValue(widget.mapTo(self._content, QPoint(0, 0)).y() - AROUND)
        else:
            self.ensureWidgetVisible(widget, 0, theme.px(self._revealed_px))

    def _on_focus_changed(self, focused: QObject | None) -> None:
        # Qt itself follows Tab only, not the arrow keys.
        if isinstance(focused, QWidget) and self._content.isAncestorOf(focused):
            self.reveal(focused)


class Framed(QFrame):
    """Has `inner` and shows its focus ring. Main thread only."""

    def __init__(self, inner: QWidget, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        inner.setProperty("ring_on_parent", True)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(AROUND, AROUND, AROUND, AROUND)
        inside.addWidget(inner)


def resize_within_screen(window: QWidget, width_px: int, height_px: int) -> None:
    """Give `window` this size, or what the screen has for it."""
    room = window.screen().availableGeometry().size() * 0.92
    window.resize(QSize(width_px, height_px).boundedTo(room))
