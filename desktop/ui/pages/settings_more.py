"""A line that unfolds what only some people need."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton

from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX, Theme


class MoreButton(QToolButton):
    """Checked while unfolded; its state is in its words too. Main thread only."""

    def __init__(self, theme: Theme, about: str, name: str) -> None:
        super().__init__()
        self._theme = theme
        self._about = about
        self.setObjectName(name)
        self.setCheckable(True)
        self.setProperty("folding", True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _on: self._restyle())
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        side = self._theme.px(14)
        self.setText(tr("Less") if self.isChecked() else tr("More"))
        self.setAccessibleName(tr("{text} settings: {about}", text=self.text(), about=self._about))
        self.setIcon(self._theme.icon("chevron-down" if self.isChecked() else "chevron"))
        self.setIconSize(QSize(side, side))
        self.setFont(self._theme.font(SMALL_PX))
