"""The controls above the log: kind, time, text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from PySide6.QtCore import QDate, QTimer, Signal
from PySide6.QtWidgets import QDateEdit, QLineEdit, QWidget

from desktop.gate.audit import AuditFilter
from desktop.gate.audit_words import KINDS
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.language import later, told, tr
from desktop.ui.pages.choice import Choice
from desktop.ui.pages.times import begin_of
from desktop.ui.theme import SMALL_PX, Theme

SEARCH_AFTER_MS = 200
PERIODS = (
    (later("Any time"), None),
    (later("Today"), 0),
    (later("Last 7 days"), 6),
    (later("Last 30 days"), 29),
)
BETWEEN = later("Between two days")


class LogFilter(QWidget):
    """`changed` says that `wanted` is another. Main thread only."""

    changed = Signal()

    def __init__(self, theme: Theme, today: Callable[[], date] = date.today) -> None:
        super().__init__()
        self._theme = theme
        self._today = today
        self.setObjectName("log_filter")
        self.search = self._make_search()
        self.kind = self._make_kinds()
        self.period = self._make_periods()
        self.first, self.last = (
            self._make_day("log_first_day", tr("From")),
            self._make_day("log_last_day", tr("To")),
        )
        row = FlowLayout(self)
        for widget in (self.search, self.kind, self.period, self.first, self.last):
            row.addWidget(widget)
        self._timer = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MS)
        self._timer.timeout.connect(self.changed)
        self.search.textChanged.connect(lambda _text: self._timer.start())
        self.kind.currentIndexChanged.connect(lambda _row: self.changed.emit())
        self.period.currentIndexChanged.connect(self._on_period)
        for day in (self.first, self.last):
            day.dateChanged.connect(lambda _day: self.changed.emit())
        theme.changed.connect(self._restyle)
        self._restyle()

    def wanted(self, limit: int | None = None, before: int | None = None) -> AuditFilter:
        """What is chosen, a page of it."""
        since, until = self._bounds()
        return AuditFilter(
            kind=self.kind.currentData(),
            text=self.search.text().strip(),
            since=since,
            until=until,
            before_number=before,
            limit=limit,
        )

    @property
    def is_open(self) -> bool:
        """Nothing is restricted."""
        return self.wanted() == AuditFilter(limit=None)

    def _bounds(self) -> tuple[float | None, float | None]:
        if self.period.currentText() == tr(BETWEEN):
            first, last = sorted((_day_of(self.first), _day_of(self.last)))
            return begin_of(first), begin_of(last + timedelta(days=1))
        days = self.period.currentData()
        return (None if days is None else begin_of(self._today() - timedelta(days=days))), None

    def _on_period(self, _row: int) -> None:
        between = self.period.currentText() == tr(BETWEEN)
        for day in (self.first, self.last):
            day.setVisible(between)
        self.changed.emit()

    # -- building ---------------------------------------------------------------------------------

    def _make_search(self) -> QLineEdit:
        search = QLineEdit()
        search.setObjectName("log_search")
        search.setAccessibleName(tr("Search the log"))
        search.setPlaceholderText(tr("Search"))
        search.setClearButtonEnabled(True)
        return search

    def _make_kinds(self) -> Choice:
        box = Choice(self._theme, "log_kind", tr("Kind of record"))
        box.addItem(tr("All kinds"), "")
        for kind, words in KINDS.items():
            box.addItem(told(words), kind)
        return box

    def _make_periods(self) -> Choice:
        box = Choice(self._theme, "log_period", tr("Time"))
        for words, days in PERIODS:
            box.addItem(tr(words), days)
        box.addItem(tr(BETWEEN), None)
        return box

    def _make_day(self, name: str, words: str) -> QDateEdit:
        now = self._today()
        day = QDateEdit(QDate(now.year, now.month, now.day))
        day.setObjectName(name)
        day.setAccessibleName(words)
        day.setToolTip(words)
        day.setCalendarPopup(True)
        day.setDisplayFormat("yyyy-MM-dd")
        day.hide()
        return day

    def _restyle(self) -> None:
        for widget in (self.search, self.first, self.last):
            widget.setFont(self._theme.font(SMALL_PX))
        self.search.setMinimumWidth(self._theme.px(180))


def _day_of(edit: QDateEdit) -> date:
    chosen = edit.date()
    return date(chosen.year(), chosen.month(), chosen.day())
