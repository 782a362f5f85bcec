"""The Log page: every decision and every run, filtered, checked, exported."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QDate, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import (
    QDateEdit,
    QHBoxLayout,
    QVBoxLayout,
)

from desktop.agents.events import HookDecided
from desktop.gate.audit import (
    KINDS,
    AuditFilter,
    AuditLog,
    AuditRecord,
    Verified,
    export_to,
    kind_words,
    outcome_words,
    what_words,
)
from desktop.qt.background import Background, Latest
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolEnded
from desktop.ui import theme
from desktop.ui.language import moment_words, plural, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.permission.visible import plain_tip, visible
from desktop.ui.save_dialog import ask_where
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.buttons import action, small
from desktop.ui.widgets.cards import OutcomeLine
from desktop.ui.widgets.details import DetailText, ListWithDetails, RecordTable
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import AROUND, EDGE, named, sized
from desktop.ui.widgets.lists import EmptyState, EmptyWords, FilterBar

PAGE = 200  # records
# Records, of 3 KB each: a page that is left open for days must not hold all that came in meanwhile.
KEPT = 2_000
ROW_PX = 28
MOST_PX = {0: 150, 1: 130, 3: 190}  # of a column's width; what is left is that of what was done
SAYS = tr_noop(
    "Every decision and every run of a tool. Secrets are left out; the chain of hashes shows changes."
)

NOTHING_YET = tr_noop("Nothing has been decided or run yet.")
NOT_FOUND = tr_noop("No record matches. Choose another kind or time, or search for something else.")


class LogPage(Page):
    """Reads pages of records on the pool. Main thread only."""

    title = tr_noop("Log")
    icon = "log"

    def __init__(self, audit: AuditLog, relay: Relay, background: Background) -> None:
        super().__init__(tr(SAYS))
        self._audit = audit
        self._background = background
        self._reading = Latest(background)
        self.model = LogModel()
        self._build()
        self.follow(relay, ToolEnded, HookDecided, read=self._read_newer)
        theme.current().changed.connect(self._set_sizes)
        self._set_sizes()

    # -- reading ----------------------------------------------------------------------------------

    def shown(self) -> None:
        """Read what was added."""
        if self.model.records:
            self._read_newer()
        else:
            self.read()

    def read(self) -> None:
        """The first page of what is chosen."""
        # A filter that was changed makes the answers to the earlier one void.
        self._reading.run(
            self._audit.records, self.filter.wanted(PAGE), done=self._on_read, failed=self._on_failed
        )

    def _read_older(self) -> None:
        last = self.model.records[-1].number
        # By number and not by offset: new records at the top would shift every page by some.
        self._reading.more(
            self._audit.records,
            self.filter.wanted(PAGE, before=last),
            done=lambda records: self._on_older(last, records),
            failed=self._on_failed,
        )

    def _read_newer(self) -> None:
        self._reading.more(
            self._audit.records, self.filter.wanted(PAGE), done=self._on_newer, failed=self._on_failed
        )

    def _on_read(self, records: list[AuditRecord]) -> None:
        self.model.show_records(records, len(records) == PAGE)
        self.table.scrollToTop()
        self._on_shown()

    def _on_older(self, before: int, records: list[AuditRecord]) -> None:
        if self.model.records[-1].number != before:  # the end was cut meanwhile: it is read again from there
            return
        self.model.append(records, len(records) == PAGE)
        self._on_shown()

    def _on_newer(self, records: list[AuditRecord]) -> None:
        # Records are only ever added, and their numbers rise.
        newest = self.model.records[0].number if self.model.records else 0
        newer = [record for record in records if record.number > newest]
        if len(newer) == PAGE:  # there may be a gap
            self._on_read(records)
            return
        self.model.prepend(newer)
        self._on_shown()

    def _on_shown(self) -> None:
        count = self.model.rowCount()
        more = self.model.canFetchMore(QModelIndex())
        newest = plural("The newest record", "The newest {count:,} records", count)
        self.count.setText(newest if more else plural("{count} record", "{count:,} records", count))
        self.empty.show_for(count, not self.filter.is_open)
        self.splitter.setVisible(bool(count))
        self._fit_columns()

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        record = self.model.record(current)
        self.details.setPlainText(details_of(record) if record is not None else "")

    # -- checking and exporting -------------------------------------------------------------------

    def _check(self) -> None:
        # A log of years takes seconds, and a second check beside the first says nothing new.
        self.check_button.setEnabled(False)
        self.outcome.say(tr("Checking…"), "log")
        self._background.run(self._audit.verify, done=self._on_checked, failed=self._on_failed)

    def _on_checked(self, verified: Verified) -> None:
        self.check_button.setEnabled(True)
        whole = verified.is_whole
        sign, ink = ("check", "success") if whole else ("warning", "danger")
        self.outcome.say(verified_words(verified), sign, ink)

    def _choose_file(self) -> None:
        kinds = (tr("JSON lines (*.jsonl)"),)
        self.dialog = ask_where(self, tr("Export the log"), "steward-log.jsonl", kinds, self.export)

    def export(self, path: Path) -> None:
        """Write what is chosen to a file of JSON lines."""
        self.outcome.say(tr("Exporting…"), "log")
        wanted: AuditFilter = self.filter.wanted()
        self._background.run(
            export_to,
            self._audit,
            path,
            wanted,
            done=lambda count: self._on_exported(path, count),
            failed=self._on_failed,
        )

    def _on_exported(self, path: Path, count: int) -> None:
        file = visible(str(path))
        words = (
            plural(
                "{count} record was written to {path}.",
                "{count:,} records were written to {path}.",
                count,
                path=file,
            )
            if self.filter.is_open
            else plural(
                "{count} record that matches was written to {path}.",
                "{count:,} records that match were written to {path}.",
                count,
                path=file,
            )
        )
        self.outcome.say(words, "check", "success")

    def _on_failed(self, error: Exception) -> None:
        self.check_button.setEnabled(True)
        self.outcome.refuse(error)

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.filter = LogFilter()
        self.filter.changed.connect(self.read)
        self.count = Label("", CAPTION_PX, colour="secondary", name="log_count")
        self.empty = EmptyState("log_empty", EmptyWords(NOTHING_YET, NOT_FOUND))
        self.check_button = action(tr("Check the log"), "log_check", self._check)
        self.export_button = action(
            tr("Export…"), "log_export", self._choose_file, described=tr("Export the records shown to a file")
        )
        self.outcome = OutcomeLine("log_result")
        self.table = RecordTable("log_table", tr("Records, the newest first"), self.model, 2)
        self.table.selectionModel().currentChanged.connect(self._on_current)
        self.table.horizontalHeader().setResizeContentsPrecision(0)  # of thousands of rows those in sight
        self.model.more_wanted.connect(self._read_older)
        nothing = tr("Choose a record to see all of it.")
        self.details = sized(
            DetailText("log_details", tr("All fields of the record"), nothing), min_height=56
        )
        self.splitter = ListWithDetails("log", sized(self.table, min_height=72), self.details)
        body = theme.space(QVBoxLayout(), 8, (AROUND, 0, EDGE, 0))
        body.addWidget(self.filter)
        body.addWidget(self.empty)
        body.addWidget(self.splitter, 1)
        body.addStretch(0)  # for the room of the list where there is none
        body.addLayout(self.outcome)
        body.addLayout(self._lower_row())
        self.column.addLayout(body, 1)

    def _lower_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self.count, 1)
        for each in (self.check_button, self.export_button):
            row.addWidget(each)
        return row

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # A place that somebody has scrolled to is kept.
        if not self.isVisible() and self.table.verticalScrollBar().value() == 0:
            self.model.cut(PAGE)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """What was done gets the room: the others take what they need, and where there is none they stand in
        the details alone."""
        self.table.setColumnHidden(3, self.width() < theme.px(600))
        self.table.setColumnHidden(1, self.width() < theme.px(440))
        header = self.table.horizontalHeader()
        for column, most in MOST_PX.items():
            wanted = max(self.table.sizeHintForColumn(column), header.sectionSizeHint(column))
            self.table.setColumnWidth(column, min(wanted, theme.px(most)))

    def _set_sizes(self) -> None:
        self.table.verticalHeader().setDefaultSectionSize(theme.px(ROW_PX))
        self._fit_columns()
        self.details.setFont(theme.mono_font(CAPTION_PX))


PERIODS = (
    (tr_noop("Any time"), None),
    (tr_noop("Today"), 0),
    (tr_noop("Last 7 days"), 6),
    (tr_noop("Last 30 days"), 29),
)

BETWEEN = tr_noop("Between two days")


class LogFilter(FilterBar):
    """`changed` says that `wanted` is another. Main thread only."""

    def __init__(self) -> None:
        super().__init__("log", tr("Search the log"))
        kinds = [(words_of(kind_words(kind)), kind) for kind in KINDS]
        self.kind = self.add_choice("kind", tr("Kind of record"), [(tr("All kinds"), ""), *kinds])
        periods = [(tr(words), days) for words, days in PERIODS]
        self.period = self.add_choice("period", tr("Time"), [*periods, (tr(BETWEEN), None)])
        self.first = self._make_day("log_first_day", tr("From"))
        self.last = self._make_day("log_last_day", tr("To"))
        self.period.currentIndexChanged.connect(lambda _row: self._show_days())

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
        """Whether nothing is restricted."""
        return self.wanted() == AuditFilter(limit=None)

    def _bounds(self) -> tuple[float | None, float | None]:
        if self.period.currentText() == tr(BETWEEN):
            # Two days in the wrong order are what they are, not an empty list.
            first, last = sorted((_day_of(self.first), _day_of(self.last)))
            # The last day counts whole.
            return begin_of(first), begin_of(last + timedelta(days=1))
        days = self.period.currentData()
        return (None if days is None else begin_of(date.today() - timedelta(days=days))), None

    def _show_days(self) -> None:
        between = self.period.currentText() == tr(BETWEEN)
        for day in (self.first, self.last):
            day.setVisible(between)

    def _make_day(self, name: str, words: str) -> QDateEdit:
        now = date.today()
        day = named(QDateEdit(QDate(now.year, now.month, now.day)), name, words)
        day.setToolTip(words)
        day.setCalendarPopup(True)
        day.setDisplayFormat("yyyy-MM-dd")
        day.dateChanged.connect(lambda _day: self.changed.emit())
        day.hide()
        self.add(small(day))
        return day


def _day_of(edit: QDateEdit) -> date:
    chosen = edit.date()
    return date(chosen.year(), chosen.month(), chosen.day())


def begin_of(day: date) -> float:
    """Midnight of a local day, in seconds since 1970."""
    return datetime(day.year, day.month, day.day).astimezone().timestamp()


COLUMNS = (tr_noop("When"), tr_noop("Kind"), tr_noop("What"), tr_noop("Outcome"))
SHOWN = 300  # characters in a cell; the details have all
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class LogModel(QAbstractTableModel):
    """The newest record first. `more_wanted` comes when the end is scrolled into sight. Main thread only."""

    more_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._records: list[AuditRecord] = []
        self._has_more = False

    @property
    def records(self) -> tuple[AuditRecord, ...]:
        return tuple(self._records)

    def record(self, index: Index) -> AuditRecord | None:
        row = index.row()
        return self._records[row] if index.isValid() and row < len(self._records) else None

    def show_records(self, records: Sequence[AuditRecord], has_more: bool) -> None:
        """Replace all."""
        self.beginResetModel()
        self._records, self._has_more = list(records), has_more
        self.endResetModel()

    def append(self, records: Sequence[AuditRecord], has_more: bool) -> None:
        """Older ones below."""
        self._has_more = has_more
        if records:
            first = len(self._records)
            self.beginInsertRows(ROOT, first, first + len(records) - 1)
            self._records += records
            self.endInsertRows()

    def prepend(self, records: Sequence[AuditRecord]) -> None:
        """Newer ones above. The oldest beyond `KEPT` go, and are read again where somebody scrolls there."""
        if records:
            self.beginInsertRows(ROOT, 0, len(records) - 1)
            self._records[:0] = records
            self.endInsertRows()
        self.cut(KEPT)

    def cut(self, most: int) -> None:
        """Let go of the oldest beyond `most`."""
        if len(self._records) > most:
            self.beginRemoveRows(ROOT, most, len(self._records) - 1)
            del self._records[most:]
            self.endRemoveRows()
            self._has_more = True

    # -- Qt ---------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._records)

    def columnCount(self, _parent: Index = ROOT) -> int:
        return len(COLUMNS)

    def canFetchMore(self, _parent: Index) -> bool:
        return self._has_more

    def fetchMore(self, _parent: Index) -> None:
        self._has_more = False  # until they are here
        self.more_wanted.emit()

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
        is_title = role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal
        return tr(COLUMNS[section]) if is_title else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        record = self.record(index)
        if record is not None and role == Qt.ItemDataRole.ToolTipRole and index.column() == 2:
            return plain_tip(_cell(record, 2)[:SHOWN])
        if record is None or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        # Cut before it is made visible, which takes time with each letter of a pasted megabyte.
        return visible(_cell(record, index.column())[:SHOWN])


def _cell(record: AuditRecord, column: int) -> str:
    if column == 0:
        return moment_words(record.at, time.time())
    if column == 1:
        return words_of(kind_words(record.kind))
    if column == 2:
        return what_words(record.record)
    outcome = outcome_words(record.record)
    return words_of(outcome) if outcome is not None else ""


def details_of(record: AuditRecord) -> str:
    """Every field on lines of its own."""
    moment = datetime.fromtimestamp(record.at).astimezone()
    head = {
        "number": record.number,
        "at": f"{moment:%Y-%m-%d %H:%M:%S %z}",
        "kind": record.kind,
        **record.record,
        "previous": record.previous,
        "hash": record.hash,
    }
    return "\n".join(f"{name}: {_field(value)}".replace(": \n", ":\n") for name, value in head.items())


def verified_words(verified: Verified) -> str:
    """The result of checking the chain."""
    if verified.is_whole:
        return plural(
            "{count} record checked. None was changed, removed or added later.",
            "{count:,} records checked. None was changed, removed or added later.",
            verified.count,
        )
    return tr(
        "The chain is broken at record {broken_at:,}: {reason}. From there on the log may "
        "have been changed by somebody else; nothing was repaired.",
        broken_at=verified.broken_at,
        reason=words_of(verified.reason) if verified.reason else "",
    )


def _field(value: object) -> str:
    """What cannot be seen is written out; our own indents are not."""
    if isinstance(value, str):
        lines = [visible(line) for line in value.split("\n")]
        return lines[0] if len(lines) == 1 else "".join(f"\n    {line}" for line in lines)
    if isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value):
        return "".join(f"\n    {visible(each)}" for each in value) or "none"
    return visible(json.dumps(value, ensure_ascii=False, default=str))
