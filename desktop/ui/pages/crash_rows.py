"""The reports of crashes, bugs and hangs on the Doctor page: shown, copied, deleted; nothing is sent."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from desktop.qt.background import Background
from desktop.system.crash_reports import CrashReport, CrashReports, Kind
from desktop.ui.labels import Label, button
from desktop.ui.language import later, tr
from desktop.ui.pages.rows import Row, RowList
from desktop.ui.pages.times import moment_words
from desktop.ui.theme import BODY_PX, CAPTION_PX, Theme
from desktop.ui.toast import Toast

HEADING = later("Reports of crashes")
KEPT_HERE = later(
    "Kept on this computer, without secrets. Copy one into a report of yours where you want help."
)
KINDS = {
    Kind.CRASH: later("Closed unexpectedly {when}"),
    Kind.BUG: later("A mistake of Steward's own, {when}"),
    Kind.HANG: later("The window hung {when}"),
}
SHOWN_HEIGHT_PX = 220


def unexpected_end(report: CrashReport, now: float) -> str:
    """The quiet line of the next start: `Steward closed unexpectedly yesterday 18:02`."""
    return tr("Steward closed unexpectedly {when}", when=moment_words(report.at, now))


class CrashRows(QWidget):
    """Hidden while there is none. Read on the pool. Main thread only."""

    def __init__(self, theme: Theme, reports: CrashReports, background: Background, toast: Toast) -> None:
        super().__init__()
        self._theme = theme
        self._reports = reports
        self._background = background
        self._toast = toast
        self._open = ""  # the name of the report that is shown
        self._found: tuple[CrashReport, ...] = ()
        self.setObjectName("crash_rows")
        self.setAccessibleName(tr(HEADING))
        self.list: RowList[tuple[CrashReport, bool]] = RowList(theme, "crash_reports", self._row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(12), 0, 0)
        column.addWidget(Label(theme, tr(HEADING), BODY_PX, bold=True, name="crash_heading"))
        column.addWidget(Label(theme, tr(KEPT_HERE), CAPTION_PX, colour="secondary", name="crash_help"))
        column.addWidget(self.list)
        self.hide()

    def refresh(self) -> None:
        """Read the folder again."""
        self._background.run(self._reports.reports, done=self._show)

    def _show(self, reports: tuple[CrashReport, ...]) -> None:
        self._found = reports
        self.list.show_rows([(each.path.name, (each, each.path.name == self._open)) for each in reports])
        self.setVisible(bool(reports))

    def _row(self, shown: tuple[CrashReport, bool]) -> QWidget:
        report, is_open = shown
        words = tr(KINDS[report.kind], when=moment_words(report.at, time.time()))
        name = report.path.stem
        show = button(
            tr("Hide report") if is_open else tr("Show report"), f"crash_show_{name}", described=words
        )
        copy = button(tr("Copy"), f"crash_copy_{name}", described=tr("Copy the report: {words}", words=words))
        delete = button(tr("Delete"), f"crash_delete_{name}", described=tr("Delete: {words}", words=words))
        show.clicked.connect(partial(self._toggle, report.path.name))
        copy.clicked.connect(partial(self._copy, report))
        delete.clicked.connect(partial(self._delete, report))
        row = Row(self._theme, "warning", "warning", words, (report.line,), (show, copy, delete))
        if is_open:
            row.column.addWidget(self._text_of(report))
        return row

    def _text_of(self, report: CrashReport) -> QPlainTextEdit:
        text = QPlainTextEdit(report.text())
        text.setObjectName("crash_text")
        text.setAccessibleName(tr("The report"))
        text.setReadOnly(True)
        text.setTabChangesFocus(True)
        text.setFont(self._theme.mono_font(CAPTION_PX))
        text.setFixedHeight(self._theme.px(SHOWN_HEIGHT_PX))
        return text

    def _toggle(self, name: str, _checked: bool = False) -> None:
        self._open = "" if self._open == name else name
        self._show(self._found)

    def _copy(self, report: CrashReport, _checked: bool = False) -> None:
        QGuiApplication.clipboard().setText(report.text())
        self._toast.offer(tr("The report is in the clipboard."))

    def _delete(self, report: CrashReport, _checked: bool = False) -> None:
        self._background.run(self._reports.forget, report, done=lambda _none: self.refresh())
