"""The pill that leads back to the end of a conversation."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX, Theme


class LatestButton(QPushButton):
    """Hidden until the end is out of sight. Main thread only."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(tr("Jump to latest ↓"), parent)
        self._theme = theme
        self.setObjectName("jump_to_latest")
        self.setAccessibleName(tr("Jump to latest message"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def place(self, area: QRect) -> None:
        """Centred near the lower edge of `area`."""
        self.adjustSize()
        left = (area.width() - self.width()) // 2
        self.move(left, area.height() - self.height() - self._theme.px(12))

    def _restyle(self) -> None:
        self.setFont(self._theme.font(SMALL_PX))
