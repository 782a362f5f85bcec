"""The red line that stands wherever Steward works without asking."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from desktop.ui.labels import Label, Sign, button
from desktop.ui.language import later, tr
from desktop.ui.pages.rows import small
from desktop.ui.theme import BODY_PX, SMALL_PX, Theme

SAYS = later("Never ask is on: files can be deleted and data sent without a question.")


class UnguardedBanner(QFrame):
    """Shown by its owner while the setting is on. The colour is not alone: a sign and words stand with it."""

    ask_again = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("unguarded_banner")
        self.setAccessibleName(tr("Warning: {says}", says=tr(SAYS)))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = Label(theme, tr(SAYS), SMALL_PX, bold=True, colour="danger", name="unguarded_words")
        self.button = button(tr("Ask again"), "unguarded_ask_again", described=tr("Ask before changes again"))
        small(self.button)
        self.button.clicked.connect(lambda _checked: self.ask_again.emit())
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign(theme, "warning", "danger", BODY_PX))
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.button)
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(24), px(8), px(16), px(8))
        self._row.setSpacing(px(10))
