"""Sizes of single widgets that are given once, in pixels at 100 %, and hold through every change of the zoom.

`theme.space` does the same for layouts; sizes of letters are in the style sheet.
"""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject, QSize
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QHBoxLayout, QWidget

from desktop.ui import theme

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


def inset(
    widget: QWidget, left: float = 0, top: float = 0, right: float = 0, bottom: float = 0
) -> QHBoxLayout:
    """A layout with `widget` and this much room around it; a hidden widget takes its room along."""
    row = QHBoxLayout()
    row.addWidget(widget)
    return theme.space(row, 0, (left, top, right, bottom))
