"""The frame of a page: a heading, what scrolls below it, and buttons that are always in sight."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout, ScrollColumn, inset, sized

HEADING_PX = 20.0


class Page(QWidget):
    """A heading, what scrolls below it, and buttons that are always in sight."""

    def __init__(self, name: str, heading: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.heading = Label(heading, HEADING_PX, bold=True, name=f"{name}_heading")
        self.buttons = theme.space(FlowLayout(), 0, (4, 0, 0, 4))
        self._scroll = ScrollColumn(f"{name}_scroll", revealed_px=64)
        self.body = theme.space(self._scroll.body, 12, (4, 4, 12, 4))
        self.reveal = self._scroll.reveal
        column = theme.space(QVBoxLayout(self), 12, (20, 24, 12, 16))
        column.addLayout(inset(self.heading, left=4))
        column.addWidget(self._scroll, 1)
        column.addLayout(self.buttons)
        sized(self, min_width=320)  # the widest button of an error still fits

    def scroll_to_top(self) -> None:
        self._scroll.verticalScrollBar().setValue(0)


def resize_within_screen(window: QWidget, width_px: int, height_px: int) -> None:
    """Give `window` this size, or what the screen has for it."""
    room = window.screen().availableGeometry().size() * 0.92
    window.resize(QSize(width_px, height_px).boundedTo(room))
