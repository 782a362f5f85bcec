"""The Log page: every decision and every run, filtered, checked, exported."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QSplitter,
    QTableView,
    QVBoxLayout,
)

from desktop.agents.events import HookDecided
from desktop.errors import UserFacing
from desktop.events import Event
from desktop.gate.audit import AuditFilter, AuditLog, AuditRecord, Verified
from desktop.gate.audit_export import export_to
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.tools.calls import ToolEnded
from desktop.ui.error_card import ErrorCard
from desktop.ui.labels import Label, Sign, button
from desktop.ui.language import later, plural, tr
from desktop.ui.models.page import clear
from desktop.ui.pages.framed import Framed
from desktop.ui.pages.log_filter import LogFilter
from desktop.ui.pages.log_model import LogModel
from desktop.ui.pages.log_words import details_of, verified_words
from desktop.ui.pages.page import Page
from desktop.ui.pages.rows import small
from desktop.ui.pages.scroll import AROUND
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX, Theme

PAGE = 200  # records
AFTER_EVENT_MS = 200
ROW_PX = 28
SAYS = later(
    "Every decision and every run of a tool. Secrets are left out; the chain of hashes shows changes."
)
NOTHING_YET = later("Nothing has been decided or run yet.")
NOT_FOUND = later("No record matches. Choose another kind or time, or search for something else.")


class LogPage(Page):
    """Reads pages of records on the pool. Main thread only."""

    title = later("Log")
    icon = "log"

    def __init__(self, theme: Theme, audit: AuditLog, relay: Relay, background: Background) -> None:
        super().__init__(theme, tr(SAYS))
        self._audit = audit
        self._background = background
        self._readings = 0
        self.dialog: QFileDialog | None = None
        self.model = LogModel()
        self._build(theme)
        self._timer = QTimer(self, singleShot=True, interval=AFTER_EVENT_MS)
        self._timer.timeout.connect(self._read_newer)
        for kind in (ToolEnded, HookDecided):
            relay.listen(kind, self._on_event)
        theme.changed.connect(self._restyle)
        self._restyle()

    # -- reading ----------------------------------------------------------------------------------

    def shown(self) -> None:
        """Read what was added."""
        if self.model.records:
            self._read_newer()
        else:
            self.read()

    def read(self) -> None:
        """The first page of what is chosen."""
        self._readings += 1
        wanted = self.filter.wanted(PAGE)
        self._background.run(self._audit.records, wanted, done=partial(self._on_read, self._readings))

    def _read_older(self) -> None:
        last = self.model.records[-1].number
        wanted = self.filter.wanted(PAGE, before=last)
        self._background.run(self._audit.records, wanted, done=partial(self._on_older, self._readings))

    def _read_newer(self) -> None:
        wanted = self.filter.wanted(PAGE)
        self._background.run(self._audit.records, wanted, done=partial(self._on_newer, self._readings))

    def _on_event(self, _event: Event) -> None:
        if self.isVisible():
            self._timer.start()

    def _on_read(self, number: int, records: list[AuditRecord]) -> None:
        if number != self._readings:
            return  # another choice was made meanwhile
        self.model.show_records(records, len(records) == PAGE)
        self.table.scrollToTop()
        self._on_shown()

    def _on_older(self, number: int, records: list[AuditRecord]) -> None:
        if number == self._readings:
            self.model.append(records, len(records) == PAGE)
            self._on_shown()

    def _on_newer(self, number: int, records: list[AuditRecord]) -> None:
        if number != self._readings:
            return
        newest = self.model.records[0].number if self.model.records else 0
        newer = [record for record in records if record.number > newest]
        if len(newer) == PAGE:  # there may be a gap
            self._on_read(number, records)
            return
        self.model.prepend(newer)
        self._on_shown()

    def _on_shown(self) -> None:
        count = self.model.rowCount()
        more = self.model.canFetchMore(QModelIndex())
        newest = plural("The newest record", "The newest {count:,} records", count)
        self.count.setText(newest if more else plural("{count} record", "{count:,} records", count))
        self.empty.show_text("" if count else tr(NOTHING_YET if self.filter.is_open else NOT_FOUND))
        self.splitter.setVisible(bool(count))

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        record = self.model.record(current)
        self.details.setPlainText(details_of(record) if record is not None else "")

    # -- checking and exporting -------------------------------------------------------------------

    def _check(self) -> None:
        self.check_button.setEnabled(False)
        self._say(tr("Checking…"), "log", "secondary")
        self._background.run(self._audit.verify, done=self._on_checked, failed=self._on_failed)

    def _on_checked(self, verified: Verified) -> None:
        self.check_button.setEnabled(True)
        whole = verified.is_whole
        self._say(verified_words(verified), "check" if whole else "warning", "success" if whole else "danger")

    def _choose_file(self) -> None:
        """The system's dialog, not modal to the program; returns at once."""
        dialog = QFileDialog(self, tr("Export the log"), str(Path.home() / "steward-log.jsonl"))
        dialog.setObjectName("log_export_dialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jsonl")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self.export(Path(name)))
        self.dialog = dialog
        dialog.open()

    def export(self, path: Path) -> None:
        """Write what is chosen to a file of JSON lines."""
        self._say(tr("Exporting…"), "log", "secondary")
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
        self._say(words, "check", "success")

    def _on_failed(self, error: Exception) -> None:
        self.check_button.setEnabled(True)
        if not isinstance(error, UserFacing):
            raise error
        clear(self._result)
        self._result.addWidget(ErrorCard(error, [(tr("Close"), lambda: clear(self._result))]))

    def _say(self, words: str, icon: str, ink: str) -> None:
        clear(self._result)
        label = Label(self.theme, words, SMALL_PX, colour=ink, name="log_result")
        label.setAccessibleName(words)
        sign = Sign(self.theme, icon, ink)
        self._result.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        self._result.addWidget(label, 1)

    # -- building ---------------------------------------------------------------------------------

    def _build(self, theme: Theme) -> None:
        self.filter = LogFilter(theme)
        self.filter.changed.connect(self.read)
        self.count = Label(theme, "", CAPTION_PX, colour="secondary", name="log_count")
        self.empty = Label(theme, "", SMALL_PX, colour="secondary", name="log_empty")
        self.empty.hide()
        self.check_button = button(tr("Check the log"), "log_check")
        self.check_button.clicked.connect(lambda _checked: self._check())
        self.export_button = button(
            tr("Export…"), "log_export", described=tr("Export what is chosen to a file")
        )
        self.export_button.clicked.connect(lambda _checked: self._choose_file())
        self._result = QHBoxLayout()
        self._make_table()
        self._make_details()
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(Framed(self.table, "log_frame"))
        self.splitter.addWidget(self.details)
        self.splitter.setStretchFactor(0, 3)
        self.splitter.setStretchFactor(1, 2)
        body = QVBoxLayout()
        body.setContentsMargins(AROUND, 0, AROUND, 0)
        body.addWidget(self.filter)
        body.addWidget(self.empty)
        body.addWidget(self.splitter, 1)
        body.addLayout(self._result)
        body.addLayout(self._lower_row())
        self.column.addLayout(body, 1)

    def _lower_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(self.count, 1)
        for each in (self.check_button, self.export_button):
            small(each)
            row.addWidget(each)
        return row

    def _make_table(self) -> None:
        table = QTableView()
        table.setObjectName("log_table")
        table.setAccessibleName(tr("Records, the newest first"))
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        table.selectionModel().currentChanged.connect(self._on_current)
        self.model.more_wanted.connect(self._read_older)
        self.table = table

    def _make_details(self) -> None:
        details = QPlainTextEdit()
        details.setObjectName("log_details")
        details.setAccessibleName(tr("All fields of the record"))
        details.setPlaceholderText(tr("Choose a record to see all of it."))
        details.setReadOnly(True)
        details.setTabChangesFocus(True)
        self.details = details

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """What there is no room for stands in the details."""
        px = self.theme.px
        self.table.setColumnHidden(3, self.width() < px(600))
        self.table.setColumnHidden(1, self.width() < px(440))

    def _restyle(self) -> None:
        px = self.theme.px
        self.table.setFont(self.theme.font(SMALL_PX))
        self.table.horizontalHeader().setFont(self.theme.font(CAPTION_PX))
        self.table.verticalHeader().setDefaultSectionSize(px(ROW_PX))
        self.table.setMinimumHeight(px(72))
        for column, width in ((0, 150), (1, 92), (3, 190)):
            self.table.setColumnWidth(column, px(width))
        self._fit_columns()
        self.details.setFont(self.theme.mono_font(CAPTION_PX))
        self.details.setMinimumHeight(px(56))
