"""The line that says that memory pauses."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from desktop.ui.labels import Label, Sign, button
from desktop.ui.language import tr
from desktop.ui.pages.rows import small
from desktop.ui.theme import BODY_PX, SMALL_PX, Theme


class PausedBar(QFrame):
    """Hidden unless memory pauses. Main thread only."""

    resumed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("memory_paused")
        self.setProperty("confirm", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        says = tr("Memory is paused: nothing new is kept, and nothing is put into answers.")
        self.words = Label(theme, says, SMALL_PX, name="memory_paused_words")
        self.resume = button(tr("Resume"), "memory_resume", described=tr("Remember again"))
        small(self.resume)
        self.resume.clicked.connect(lambda _checked: self.resumed.emit())
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign(theme, "pause", "warning", BODY_PX), 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.resume, 0, Qt.AlignmentFlag.AlignTop)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(12), px(8), px(8), px(8))
        self._row.setSpacing(px(8))
