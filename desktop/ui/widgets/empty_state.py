"""What stands in the place of a list that has nothing to show."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.theme import BODY_PX, MONO_PX, SMALL_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.labels import Label, Sign

SIGN_PX = 24


class EmptyWords(NamedTuple):
    """Why a list is empty: there is nothing yet, or nothing that matches what is asked for."""

    nothing_yet: str
    not_found: str = ""


class EmptyState(Label):
    """One sentence. Hidden until there is something to say, and it takes no room then."""

    def __init__(self, name: str, words: EmptyWords | None = None) -> None:
        """The words are literals marked by `later`; None: whoever calls `show_text` has them."""
        super().__init__("", SMALL_PX, colour="secondary", name=name)
        self._words = words
        self.hide()

    def show_for(self, found: int, is_narrowed: bool) -> None:
        """Say why nothing was found; `is_narrowed`: a search or a filter left something out."""
        words = self._words
        if found or words is None:
            self.show_text("")
        else:
            self.show_text(tr(words.not_found if is_narrowed and words.not_found else words.nothing_yet))


class FirstStep(QWidget):
    """For a page on which nothing was ever to be seen: what is missing, and a command that brings it."""

    def __init__(self, name: str, icon: str, heading: str, how: str, command: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.command = Label(command, MONO_PX, name=f"{name}_command")
        self.command.setProperty("code", True)
        self.command.setWordWrap(False)
        self.command.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        # By keyboard as well: the command is what somebody came here for.
        self.command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.command.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.copy = IconButton(
            "copy", tr("Copy the command"), f"{name}_copy", lambda: copy_text(self.command.text())
        )
        row = theme.space(QHBoxLayout(), 8)
        row.addWidget(self.command)
        row.addWidget(self.copy)
        row.addStretch(1)
        column = theme.space(QVBoxLayout(self), 8, (0, 24, 0, 0))
        column.addWidget(Sign(icon, "secondary", SIGN_PX))
        column.addWidget(Label(heading, BODY_PX, bold=True, name=f"{name}_says"))
        column.addWidget(Label(how, SMALL_PX, colour="secondary", name=f"{name}_how"))
        column.addLayout(row)
        # What stands below it on its page follows at once.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


def copy_text(words: str) -> None:
    """Into the clipboard."""
    QGuiApplication.clipboard().setText(words)
