"""How much of the profile is used: what is pinned stands in every context, so it is kept small."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from desktop.memory.housekeeping import Profile
from desktop.ui.labels import Label
from desktop.ui.language import plural, tr
from desktop.ui.theme import CAPTION_PX, Theme

BAR_PX = 120


class ProfileMeter(QWidget):
    """A bar and its words. Main thread only."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("memory_meter")
        self.bar = QProgressBar()
        self.bar.setObjectName("memory_meter_bar")
        self.bar.setTextVisible(False)
        self.words = Label(theme, "", CAPTION_PX, colour="secondary", name="memory_meter_words")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self.bar, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self.words, 1)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_profile(self, profile: Profile) -> None:
        """Show what is used of the budget, and how many memories do not fit."""
        self.bar.setRange(0, profile.budget)
        self.bar.setValue(min(profile.tokens, profile.budget))
        words = tr("{used} of {budget} tokens pinned", used=profile.tokens, budget=profile.budget)
        left = len(profile.left_out)
        if left:
            more = plural(
                "{count} does not fit and is left out. Shorten or unpin one.",
                "{count} do not fit and are left out. Shorten or unpin some.",
                left,
            )
            words = f"{words}. {more}"
        self.words.set_colour("warning" if left else "secondary")
        self.words.setText(words)
        self.bar.setAccessibleName(words)

    def _restyle(self) -> None:
        self.bar.setFixedWidth(self._theme.px(BAR_PX))
        self._row.setSpacing(self._theme.px(10))
