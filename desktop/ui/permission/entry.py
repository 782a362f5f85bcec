"""The line at the top of a chat that says that somebody waits for an answer."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from desktop.asking import Question
from desktop.ui import theme
from desktop.ui.labels import Label, Sign
from desktop.ui.language import told, tr
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.theme import BODY_PX, SMALL_PX


class WaitingEntry(QFrame):
    """Hidden while nothing waits; takes no focus. `PermissionDesk.entry_changed` goes to `show_question`."""

    opened = Signal()  # the user wants to see the question

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("waiting_entry")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._words = Label("", SMALL_PX, name="waiting_words", parent=self)
        self.button = QPushButton(tr("Show the question"))
        self.button.setObjectName("waiting_show")
        self.button.setAutoDefault(False)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(lambda _checked: self.opened.emit())
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign("shield", "warning", BODY_PX))
        self._row.addWidget(self._words, 1)
        self._row.addWidget(self.button)
        theme.current().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_question(self, question: Question | None) -> None:
        """Say what waits, or go away."""
        self.setVisible(question is not None)
        if question is not None:
            self._words.setText(tr("Waiting for your answer: {title}", title=breakable(told(question.title))))
            self.button.setAccessibleName(
                tr("Show the question: {title}", title=visible(told(question.title)))
            )

    def _restyle(self) -> None:
        self._row.setContentsMargins(theme.px(12), theme.px(8), theme.px(8), theme.px(8))
        self._row.setSpacing(theme.px(8))
        self.button.setFont(theme.font(SMALL_PX))
