"""Letting the agents go unasked for a while, with a clock that cannot be overlooked."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy

from desktop.ui.labels import Label, Sign, button
from desktop.ui.language import tr
from desktop.ui.pages.rows import small
from desktop.ui.theme import BODY_PX, SMALL_PX, Theme

PAUSE_S = 600.0
TICK_MS = 500


class PauseBar(QFrame):
    """Hidden unless the gate pauses. `Resume` is its only button. Main thread only."""

    resumed = Signal()

    def __init__(self, theme: Theme, now: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._theme = theme
        self._now = now
        self._until: float | None = None
        self.setObjectName("activity_pause_bar")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.words = Label(theme, "", SMALL_PX, name="activity_pause_words", parent=self)
        self.resume = button(tr("Resume"), "activity_resume", described=tr("Check what agents do again"))
        small(self.resume)
        self.resume.clicked.connect(lambda _checked: self.resumed.emit())
        self._row = QHBoxLayout(self)
        self._row.addWidget(Sign(theme, "pause", "warning", BODY_PX), 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.resume, 0, Qt.AlignmentFlag.AlignTop)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    @property
    def until(self) -> float | None:
        """When the pause ends, in seconds since 1970; None while there is none."""
        return self._until

    def show_pause(self, until: float | None) -> None:
        """Count down to `until`, or go away."""
        self._until = until if until is not None and until > self._now() else None
        if self._until is None:
            self._timer.stop()
        else:
            self._timer.start()
        self.setVisible(self._until is not None)
        self._tick()

    def _tick(self) -> None:
        if self._until is None:
            return
        left_s = math.ceil(self._until - self._now())
        if left_s <= 0:
            self.show_pause(None)
            return
        clock = f"{datetime.fromtimestamp(self._until):%H:%M}"
        self.words.setText(
            tr(
                "Paused until {clock}, {left} left. Steward has no opinion until "
                "then: agents go by their own rules.",
                clock=clock,
                left=f"{left_s // 60}:{left_s % 60:02d}",
            )
        )

    def _restyle(self) -> None:
        px = self._theme.px
        self._row.setContentsMargins(px(12), px(8), px(8), px(8))
        self._row.setSpacing(px(8))
        tokens = self._theme.tokens
        edge = "palette(window-text)" if self._theme.high_contrast else tokens.control_border
        ground = "" if self._theme.high_contrast else f"background: {tokens.warning_surface};"
        self.setStyleSheet(f"PauseBar {{ border: 1px solid {edge}; border-radius: {px(8)}px; {ground} }}")
