"""The frame of a page: a heading, what scrolls below it, and buttons that are always in sight."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout, inset, sized

HEADING_PX = 20.0


class Page(QWidget):
    """A heading, what scrolls below it, and buttons that are always in sight."""

    def __init__(self, name: str, heading: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.heading = Label(heading, HEADING_PX, bold=True, name=f"{name}_heading")
        # 4 for the focus ring, which the scroll area would cut; 12 keep clear of the scroll bar.
        self.body = theme.space(QVBoxLayout(), 12, (4, 4, 12, 4))
        self.buttons = theme.space(FlowLayout(), 0, (4, 0, 0, 4))
        self._content = QWidget()
        self._content.setLayout(self.body)
        self._scroll = QScrollArea()
        self._scroll.setObjectName(f"{name}_scroll")
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._content)
        column = theme.space(QVBoxLayout(self), 12, (20, 24, 12, 16))
        column.addLayout(inset(self.heading, left=4))
        column.addWidget(self._scroll, 1)
        column.addLayout(self.buttons)
        sized(self, min_width=320)  # the widest button of an error still fits
        QGuiApplication.instance().focusObjectChanged.connect(self._on_focus_changed)  # type: ignore[union-attr]

    def reveal(self, widget: QWidget) -> None:
        """Scroll until `widget` is in sight, once the layout knows where it is."""
        QTimer.singleShot(0, widget, lambda: self._reveal_now(widget))

    def _reveal_now(self, widget: QWidget) -> None:
        # Heights travel up through nested layouts as posted events; without them the place is a guess.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        self._scroll.ensureWidgetVisible(widget, 0, theme.px(64))

    def _on_focus_changed(self, focused: QObject | None) -> None:
        """What the keyboard has reached is in sight; Qt itself follows Tab only, not the arrow keys."""
        if isinstance(focused, QWidget) and self._content.isAncestorOf(focused):
            self.reveal(focused)

    def scroll_to_top(self) -> None:
        self._scroll.verticalScrollBar().setValue(0)


def resize_within_screen(window: QWidget, width_px: int, height_px: int) -> None:
    """Give `window` this size, or what the screen has for it."""
    room = window.screen().availableGeometry().size() * 0.92
    window.resize(QSize(width_px, height_px).boundedTo(room))
