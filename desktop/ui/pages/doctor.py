"""The Doctor page: what works on this computer and what does not, with one thing to do about each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QProgressBar, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.system.crash_reports import CrashKind, CrashReport, CrashReports
from desktop.system.doctor import Check, CheckState, Doctor
from desktop.ui import theme
from desktop.ui.language import moment_words, plural, tr, tr_noop, words_of
from desktop.ui.pages.page import Page
from desktop.ui.reasons import WindowReason
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, action
from desktop.ui.widgets.cards import Row
from desktop.ui.widgets.details import DetailText
from desktop.ui.widgets.error_card import ErrorCard
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import ScrollColumn, clear, named, order_tabs
from desktop.ui.widgets.lists import RowList, copy_text
from desktop.ui.widgets.toast import Toast

SAYS = tr_noop(
    "What works on this computer. Nothing is sent; the report names folders of yours when you copy it."
)

Extra = Callable[[], tuple[Check, ...]]


class DoctorPage(Page):
    """Looks when it is first shown, and when asked to. Main thread only."""

    title = tr_noop("Doctor")
    icon = "doctor"

    _checked = Signal(int, object)  # which look, Check

    def __init__(
        self,
        doctor: Callable[[], Doctor],
        background: Background,
        extra: Extra = tuple,
        at_hand: Extra = tuple,
        reports: CrashReports | None = None,
    ) -> None:
        """`doctor` is asked for anew at each look. `extra` adds lines and is called on the pool, `at_hand`
        adds what only the main thread knows; neither may wait for long."""
        super().__init__(tr(SAYS))
        self._doctor = doctor
        self._background = background
        self._extra, self._at_hand = extra, at_hand
        self._reports = reports
        self._look = 0
        self._expected = 0
        self._is_looking = False
        self.checks: tuple[Check, ...] = ()
        self._checked.connect(self._on_checked, Qt.ConnectionType.QueuedConnection)
        self._build()

    def shown(self) -> None:
        if self.crashes is not None:
            self.crashes.refresh()
        # Not at every opening: some checks start a program and take seconds.
        if not self.checks and not self._is_looking:
            self.look()

    def look(self) -> None:
        """Make every check again, unless that is under way; the lines come one by one."""
        if self._is_looking:
            return
        self._look += 1
        self._is_looking = True
        # Half a report, pasted into a question for help, would send people the wrong way.
        self.copy.setEnabled(False)
        clear(self._problem)
        doctor = self._doctor()
        self._expected = len(doctor.checks)
        # What only the main thread may ask is asked before the pool begins.
        self.checks = self._at_hand()
        self._show()
        self._background.run(
            self._examine, self._look, doctor, done=lambda _none: self._on_done(), failed=self._on_failed
        )

    # -- inside -----------------------------------------------------------------------------------

    def _examine(self, look: int, doctor: Doctor) -> None:
        """On the pool."""
        for check in doctor.checks:
            self._checked.emit(look, check())
        for found in self._extra():
            self._checked.emit(look, found)

    def _on_checked(self, look: int, check: Check) -> None:
        # Late lines of an earlier look are dropped.
        if look == self._look:
            self.checks = (*self.checks, check)
            self._show()

    def _on_done(self) -> None:
        self._is_looking = False
        self.copy.setEnabled(True)
        self._show()

    def _on_failed(self, error: Exception) -> None:
        """What was found until then stays, and can be copied."""
        self._on_done()
        self.progress.setText(tr("The report is not complete."))
        problem = error if isinstance(error, UserFacing) else None
        problem = problem or UserFacing(WindowReason.DOCTOR_FAILED.of(error=str(error)))
        self._problem.addWidget(ErrorCard(problem, [(tr("Check again"), self.look)]))
        if not isinstance(error, UserFacing):
            raise error  # a bug: logged, too

    def _show(self) -> None:
        # What does not work stands first once all is known; before, the lines would change places while
        # they are read.
        ordered = sorted(self.checks, key=lambda check: check.verdict is CheckState.WORKS)
        self.list.show_rows(
            [(str(check.name), check) for check in (self.checks if self._is_looking else ordered)]
        )
        self.bar.setVisible(self._is_looking)
        self.bar.setMaximum(max(self._expected, 1))
        self.bar.setValue(min(len(self.checks), self._expected))
        done = (
            tr("Checking: {count} done.", count=len(self.checks))
            if self._is_looking
            else summary(self.checks)
        )
        self.progress.setText(done)

    def _copy(self) -> None:
        copy_text(report(self.checks))
        self.toast.offer(tr("The report is on the clipboard."))

    # -- building ---------------------------------------------------------------------------------

    def _build(self) -> None:
        self.again = action(tr("Check again"), "doctor_again", self.look)
        self.copy = action(tr("Copy the report"), "doctor_copy", self._copy)
        self.progress = Label("", SMALL_PX, name="doctor_progress")
        self.bar = named(QProgressBar(), "doctor_bar", tr("Progress of the report"))
        self.bar.setTextVisible(False)
        self.list: RowList[Check] = RowList("doctor_checks", self._row)
        self._problem = QVBoxLayout()
        scroll = ScrollColumn("doctor_scroll")
        scroll.body.addLayout(ActionRow(self.again, self.copy))
        for widget in (self.progress, self.bar):
            scroll.body.addWidget(widget)
        scroll.body.addLayout(self._problem)
        scroll.body.addWidget(self.list)
        self.crashes = self._crash_rows()
        if self.crashes is not None:
            scroll.body.addWidget(self.crashes)
        scroll.body.addStretch(1)
        # Everywhere else a column follows the focus of what is in it.
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # no line has a button: the arrow keys scroll
        scroll.setAccessibleName(tr("Report"))
        self.column.addWidget(scroll, 1)
        order_tabs((self.again, self.copy, scroll))

    def _crash_rows(self) -> CrashRows | None:
        reports = self._reports
        return CrashRows(reports, self._background, self.toast) if reports is not None else None

    def _row(self, check: Check) -> QWidget:
        captions = (words_of(check.finding), words_of(check.advice) if check.advice else "")
        return Row(ICONS[check.verdict], INKS[check.verdict], heading(check), captions)


WORDS = {
    CheckState.WORKS: tr_noop("works"),
    CheckState.LIMITED: tr_noop("limited"),
    CheckState.MISSING: tr_noop("missing"),
}

ICONS = {CheckState.WORKS: "check", CheckState.LIMITED: "warning", CheckState.MISSING: "failed"}
INKS = {CheckState.WORKS: "success", CheckState.LIMITED: "warning", CheckState.MISSING: "danger"}
SIGNS = {CheckState.WORKS: "✓", CheckState.LIMITED: "!", CheckState.MISSING: "✗"}


def heading(check: Check) -> str:
    """The line of a check: its name and, in a word, how it is."""
    return f"{words_of(check.name)}: {tr(WORDS[check.verdict])}"


def summary(checks: Sequence[Check]) -> str:
    """How many of each, in a sentence."""
    counts = {verdict: sum(check.verdict is verdict for check in checks) for verdict in CheckState}
    if counts[CheckState.WORKS] == len(checks):
        return tr("All {count} work.", count=len(checks))
    parts = [tr("{count} of {all} work", count=counts[CheckState.WORKS], all=len(checks))]
    limited, missing = counts[CheckState.LIMITED], counts[CheckState.MISSING]
    parts += [plural("{count} is limited", "{count} are limited", limited)] if limited else []
    parts += [plural("{count} is missing", "{count} are missing", missing)] if missing else []
    return ", ".join(parts) + "."


def report(checks: Sequence[Check]) -> str:
    """All lines as plain text, the advice below what it is about."""
    width = max((len(words_of(check.name)) for check in checks), default=0)
    lines = []
    for check in checks:
        lines.append(f"{SIGNS[check.verdict]} {words_of(check.name):{width}}  {words_of(check.finding)}")
        if check.advice:
            lines.append(f"{'':{width + 4}}{words_of(check.advice)}")
    return "\n".join(lines) + "\n"


HEADING = tr_noop("Reports of crashes")
KEPT_HERE = tr_noop(
    "Kept on this computer, without secrets. Copy one into your report when you ask for help."
)

KINDS = {
    CrashKind.CRASH: tr_noop("Closed unexpectedly {when}"),
    CrashKind.KILLED: tr_noop("Started {when}, closed unexpectedly"),
    CrashKind.BUG: tr_noop("A bug in Steward, {when}"),
    CrashKind.HANG: tr_noop("The window hung {when}"),
}

SHOWN_HEIGHT_PX = 220


def unexpected_end(report: CrashReport, now: float) -> str:
    """The quiet line of the next start: `Steward closed unexpectedly yesterday 18:02`."""
    if report.kind is CrashKind.KILLED:
        return tr("Steward closed unexpectedly")
    return tr("Steward closed unexpectedly {when}", when=moment_words(report.at, now))


class CrashRows(QWidget):
    """Hidden while there is none. Read on the pool. Main thread only."""

    def __init__(self, reports: CrashReports, background: Background, toast: Toast) -> None:
        super().__init__()
        self._reports = reports
        self._background = background
        self._toast = toast
        self._open = ""  # the name of the report that is shown
        self._found: tuple[CrashReport, ...] = ()
        named(self, "crash_rows", tr(HEADING))
        self.list: RowList[tuple[CrashReport, bool]] = RowList("crash_reports", self._row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(12), 0, 0)
        column.addWidget(Label(tr(HEADING), BODY_PX, bold=True, name="crash_heading"))
        column.addWidget(Label(tr(KEPT_HERE), CAPTION_PX, colour="secondary", name="crash_help"))
        column.addWidget(self.list)
        self.hide()

    def refresh(self) -> None:
        """Read the folder again."""
        self._background.run(self._reports.reports, done=self._show, failed=self._toast.refuse)

    def _show(self, reports: tuple[CrashReport, ...]) -> None:
        self._found = reports
        self.list.show_rows([(each.path.name, (each, each.path.name == self._open)) for each in reports])
        self.setVisible(bool(reports))

    def _row(self, shown: tuple[CrashReport, bool]) -> QWidget:
        report, is_open = shown
        words = tr(KINDS[report.kind], when=moment_words(report.at, time.time()))
        name = report.path.stem
        show = action(
            tr("Hide report") if is_open else tr("Show report"),
            f"crash_show_{name}",
            lambda: self._toggle(report.path.name),
            described=words,
        )
        copy = action(
            tr("Copy"),
            f"crash_copy_{name}",
            lambda: self._copy(report),
            described=tr("Copy the report: {words}", words=words),
        )
        delete = action(
            tr("Delete"),
            f"crash_delete_{name}",
            lambda: self._delete(report),
            described=tr("Delete: {words}", words=words),
        )
        row = Row("warning", "warning", words, (report.line,), (show, copy, delete))
        if is_open:
            row.column.addWidget(self._text_of(report))
        return row

    def _text_of(self, report: CrashReport) -> QPlainTextEdit:
        text = DetailText("crash_text", tr("The report"))
        text.setPlainText(report.text())
        text.setFont(theme.mono_font(CAPTION_PX))
        text.setFixedHeight(theme.px(SHOWN_HEIGHT_PX))
        return text

    def _toggle(self, name: str) -> None:
        self._open = "" if self._open == name else name
        self._show(self._found)

    def _copy(self, report: CrashReport) -> None:
        copy_text(report.text())
        self._toast.offer(tr("The report is on the clipboard."))

    def _delete(self, report: CrashReport) -> None:
        self._background.run(
            self._reports.forget, report, done=lambda _none: self.refresh(), failed=self._toast.refuse
        )
