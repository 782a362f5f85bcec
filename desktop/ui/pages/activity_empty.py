"""What the Activity page shows before any agent has asked."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop.ui.buttons import IconButton
from desktop.ui.labels import Label, Sign
from desktop.ui.language import later, tr
from desktop.ui.pages.activity_table import copy
from desktop.ui.theme import BODY_PX, MONO_PX, SMALL_PX, Theme

COMMAND = "steward agents install"
SAYS = later("No coding agent has asked yet.")
HOW = later("Protect the agents on this computer with one command in a terminal:")


class NoActivity(QWidget):
    """Two lines and a command that can be copied. Main thread only."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("activity_empty")
        self.command = Label(theme, COMMAND, MONO_PX, name="activity_empty_command")
        self.command.setWordWrap(False)
        self.command.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.command.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.copy = IconButton(
            theme, "copy", tr("Copy the command"), "activity_empty_copy", lambda: copy(COMMAND)
        )
        self._row = QHBoxLayout()
        self._row.addWidget(self.command)
        self._row.addWidget(self.copy)
        self._row.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.addWidget(Sign(theme, "shield", "secondary", 24))
        self._column.addWidget(Label(theme, tr(SAYS), BODY_PX, bold=True, name="activity_empty_says"))
        self._column.addWidget(Label(theme, tr(HOW), SMALL_PX, colour="secondary", name="activity_empty_how"))
        self._column.addLayout(self._row)
        self._column.addStretch(1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        self._column.setContentsMargins(0, self._theme.px(24), 0, 0)
        self._column.setSpacing(self._theme.px(8))
        self._row.setSpacing(self._theme.px(8))
        font = self._theme.mono_font()
        self.command.setStyleSheet(
            f"{self.command.styleSheet()}; font-family: '{font.family()}'; padding: {self._theme.px(4)}px"
        )
