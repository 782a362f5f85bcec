"""What can be done here: push buttons with their test hook and spoken name, and the rows they stand in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QPushButton, QWidget

from desktop.ui.widgets.layout import FlowLayout, named

W = TypeVar("W", bound=QWidget)


def button(
    text: str,
    name: str,
    act: Callable[[], object] | None = None,
    *,
    primary: bool = False,
    described: str = "",
) -> QPushButton:
    """A push button with its test hook; `described` is spoken where the label alone says too little."""
    result = named(QPushButton(text), name, described or text.rstrip("…"))
    result.setProperty("primary", primary)
    result.setAutoDefault(True)  # Enter presses the button that has the focus, in a dialog too
    result.setDefault(primary)
    if act is not None:
        # Qt hands on whether a button is checked, which nobody here wants to know.
        result.clicked.connect(lambda _checked: act())
    return result


def action(
    text: str, name: str, act: Callable[[], object] | None = None, *, described: str = ""
) -> QPushButton:
    """The button of a page, a card or a row: small, and never what Enter presses from elsewhere."""
    return small(button(text, name, act, described=described))


def small(widget: W) -> W:
    """Give it the small size of letters; the style sheet knows how large that is. Returns it."""
    widget.setProperty("small", True)
    return widget


def relabel(made: QPushButton, text: str, described: str = "") -> None:
    """Another label for a button of `button`, seen and spoken."""
    made.setText(text)
    made.setAccessibleName(described or text.rstrip("…"))


class ActionRow(FlowLayout):
    """Buttons beside each other, below each other where letters are large or the window is narrow."""

    def __init__(self, *buttons: QWidget) -> None:
        super().__init__()
        for each in buttons:
            self.addWidget(each)
