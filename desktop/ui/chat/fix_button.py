"""The button under a failed card: the call that worked the last times, and how often it did."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.memory.hindsight.suggested import SuggestedFix
from desktop.ui.language import day_words, tr
from desktop.ui.permission.visible import visible
from desktop.ui.theme import SMALL_PX, Theme

SHORTEST_PX = 120  # of the call, before something else is left out


class FixButton(QPushButton):
    """Hidden until there is a fix. One line; the whole call stands in its tooltip and its description."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._fix: SuggestedFix | None = None
        self.setObjectName("tool_fix")
        self.setProperty("small", True)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_fix(self, fix: SuggestedFix | None) -> bool:
        """Offer this one; True when it looks another way than before."""
        if fix == self._fix:
            return False
        self._fix = fix
        self.setVisible(fix is not None)
        if fix is not None:
            whole = _words(fix, visible(" ".join(fix.line.split())))
            self.setToolTip(visible(fix.line))
            self.setAccessibleName(whole)
            self.setAccessibleDescription(tr("Makes this call, asking first where a call asks."))
        return True

    def fit(self, width: int) -> QSize:
        """Leave out the day, then the figures, then the middle of the call, until the button is no wider."""
        fix = self._fix
        if fix is None:
            return QSize()
        line = visible(" ".join(fix.line.split()))
        for words in (_words, _without_day, _call_alone):
            self.setText(words(fix, line))
            spare = self.sizeHint().width() - width
            whole = self.fontMetrics().horizontalAdvance(line)
            if spare <= 0:
                break
            if words is _call_alone or whole - spare >= self._theme.px(SHORTEST_PX):
                middle = Qt.TextElideMode.ElideMiddle
                self.setText(words(fix, self.fontMetrics().elidedText(line, middle, max(whole - spare, 0))))
                break
        hint = self.sizeHint()
        return QSize(min(hint.width(), width), hint.height())

    def _restyle(self) -> None:
        self.setFont(self._theme.font(SMALL_PX))
        self.setIcon(self._theme.icon("again", "text"))
        side = self._theme.px(16)
        self.setIconSize(QSize(side, side))


def _words(fix: SuggestedFix, line: str) -> str:
    """ "Try: git push --force — worked 4 of 5 times, last 12 November"."""
    day = day_words(datetime.fromtimestamp(fix.last_at).date())
    return _shown(
        tr(
            "Try: {call} — worked {successes} of {count} times, last {day}",
            call=line,
            successes=fix.successes,
            count=fix.applications,
            day=day,
        )
    )


def _without_day(fix: SuggestedFix, line: str) -> str:
    count, successes = fix.applications, fix.successes
    words = tr(
        "Try: {call} — worked {successes} of {count} times", call=line, successes=successes, count=count
    )
    return _shown(words)


def _call_alone(_fix: SuggestedFix, line: str) -> str:
    return _shown(tr("Try: {call}", call=line))


def _shown(words: str) -> str:
    """An & is no mnemonic."""
    return words.replace("&", "&&")
