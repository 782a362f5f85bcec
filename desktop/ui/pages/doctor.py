"""The Doctor page: what works on this computer and what does not, with one thing to do about each."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.system.crash_reports import CrashReports
from desktop.system.doctor import Check, Doctor, Verdict
from desktop.ui.error_card import ErrorCard
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, button
from desktop.ui.language import later, told, tr
from desktop.ui.models.page import clear
from desktop.ui.pages.crash_rows import CrashRows
from desktop.ui.pages.doctor_words import ICONS, INKS, heading, report, summary
from desktop.ui.pages.page import Page
from desktop.ui.pages.rows import Row, RowList, order_tabs, small
from desktop.ui.pages.scroll import ScrollColumn
from desktop.ui.theme import SMALL_PX, Theme
from desktop.ui.toast import Toast

SAYS = later(
    "What works on this computer. Nothing is sent; the report names folders of yours when you copy it."
)
Extra = Callable[[], tuple[Check, ...]]


class DoctorPage(Page):
    """Looks when it is first shown, and when asked to. Main thread only."""

    title = later("Doctor")
    icon = "doctor"

    _checked = Signal(int, object)  # which look, Check

    def __init__(
        self,
        theme: Theme,
        doctor: Callable[[], Doctor],
        background: Background,
        extra: Extra = tuple,
        at_hand: Extra = tuple,
        reports: CrashReports | None = None,
    ) -> None:
        """`doctor` is asked for anew at each look. `extra` adds lines and is called on the pool, `at_hand`
        adds what only the main thread knows; neither may wait for long."""
        super().__init__(theme, tr(SAYS))
        self._doctor = doctor
        self._background = background
        self._extra, self._at_hand = extra, at_hand
        self._reports = reports
        self._look = 0
        self._expected = 0
        self._is_looking = False
        self.checks: tuple[Check, ...] = ()
        self._checked.connect(self._on_checked, Qt.ConnectionType.QueuedConnection)
        self._build(theme)

    def shown(self) -> None:
        if self.crashes is not None:
            self.crashes.refresh()
        if not self.checks and not self._is_looking:
            self.look()

    def look(self) -> None:
        """Make every check again, unless that is under way; the lines come one by one."""
        if self._is_looking:
            return
        self._look += 1
        self._is_looking = True
        self.copy.setEnabled(False)
        clear(self._problem)
        doctor = self._doctor()
        self._expected = len(doctor.checks)
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
        cause = error.cause if isinstance(error, UserFacing) else tr("A check failed: {error}.", error=error)
        self.progress.setText(tr("The report is not complete."))
        problem = UserFacing(
            cause, tr("The other lines are right."), tr("Check again."), code="doctor-failed"
        )
        self._problem.addWidget(ErrorCard(problem, [(tr("Check again"), self.look)]))
        if not isinstance(error, UserFacing):
            raise error  # a bug: logged, too

    def _show(self) -> None:
        ordered = sorted(self.checks, key=lambda check: check.verdict is Verdict.WORKS)
        self.list.show_rows([(check.name, check) for check in (self.checks if self._is_looking else ordered)])
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
        QGuiApplication.clipboard().setText(report(self.checks))
        self.toast.offer(tr("The report is in the clipboard."))

    # -- building ---------------------------------------------------------------------------------

    def _build(self, theme: Theme) -> None:
        self.again = button(tr("Check again"), "doctor_again")
        self.copy = button(tr("Copy the report"), "doctor_copy")
        self.again.clicked.connect(lambda _checked: self.look())
        self.copy.clicked.connect(lambda _checked: self._copy())
        self.progress = Label(theme, "", SMALL_PX, name="doctor_progress")
        self.bar = QProgressBar()
        self.bar.setObjectName("doctor_bar")
        self.bar.setAccessibleName(tr("How far the report is"))
        self.bar.setTextVisible(False)
        self.list: RowList[Check] = RowList(theme, "doctor_checks", self._row)
        self._problem = QVBoxLayout()
        buttons = FlowLayout()
        for each in (self.again, self.copy):
            small(each)
            buttons.addWidget(each)
        scroll = ScrollColumn(theme, "doctor_scroll")
        scroll.body.addLayout(buttons)
        for widget in (self.progress, self.bar):
            scroll.body.addWidget(widget)
        scroll.body.addLayout(self._problem)
        scroll.body.addWidget(self.list)
        self.toast = Toast(theme, self)
        self.crashes = self._crash_rows(theme)
        if self.crashes is not None:
            scroll.body.addWidget(self.crashes)
        scroll.body.addStretch(1)
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # no line has a button: the arrow keys scroll
        scroll.setAccessibleName(tr("Report"))
        self.column.addWidget(scroll, 1)
        order_tabs((self.again, self.copy, scroll))

    def _crash_rows(self, theme: Theme) -> CrashRows | None:
        reports = self._reports
        return CrashRows(theme, reports, self._background, self.toast) if reports is not None else None

    def _row(self, check: Check) -> QWidget:
        captions = (told(check.finding), told(check.advice))
        return Row(self.theme, ICONS[check.verdict], INKS[check.verdict], heading(check), captions)
