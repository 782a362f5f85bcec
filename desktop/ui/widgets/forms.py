"""A form that adds or changes one entry of a page's list: it opens in the page, in the place of the button
that asked for it. Main thread only.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.cards import EscapeFrame
from desktop.ui.widgets.layout import clear, from_its_side


class EntryForm(EscapeFrame):
    """`saved` comes with what was entered; `left` is Cancel or Esc."""

    saved = Signal(object)
    left = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)

    def on_escape(self) -> None:
        self.left.emit()


Form = TypeVar("Form", bound=EntryForm)


class FormPlace(QVBoxLayout, Generic[Form]):
    """Where a page's form stands while there is one; the button that adds an entry is hidden as long."""

    def __init__(self, add: QPushButton) -> None:
        super().__init__()
        self._add = add
        self.form: Form | None = None

    def open(self, form: Form, focus: QWidget) -> None:
        """In the place of one that is open; `focus` is the field that gets the keyboard."""
        self.close()
        form.left.connect(self.close)
        self.form = form
        self.addWidget(form)
        self._add.hide()
        focus.setFocus()

    def close(self) -> None:
        """The keyboard goes back to the button, as the form that had it is gone."""
        if self.form is not None:
            clear(self)
            self.form = None
            self._add.show()
            self._add.setFocus()


def line_field(name: str, words: str, hint: str) -> QLineEdit:
    """One line to type into, with its hint inside while it is empty."""
    made = QLineEdit()
    made.setObjectName(name)
    made.setAccessibleName(words)
    made.setPlaceholderText(from_its_side(made, hint))
    made.setFont(theme.font(SMALL_PX))
    return made
