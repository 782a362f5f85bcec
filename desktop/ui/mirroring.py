"""For what is placed by hand: left and right swapped where the language is written from the right."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


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
