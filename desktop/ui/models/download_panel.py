"""One download as the user sees it: how far, how fast, how long, and a hand on it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.models.progress import DownloadPhase, DownloadProgress
from desktop.ui import theme
from desktop.ui.error_card import Action, ErrorCard
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.labels import Label, button
from desktop.ui.language import later, size_text, tr
from desktop.ui.models.downloads import Download, Downloads
from desktop.ui.models.token_card import TokenCard, wants_token
from desktop.ui.models.words import amount_text, percent, phase_text
from desktop.ui.theme import SMALL_PX

UNKNOWN_HASH_CODE = "hash-unknown"
STEPS = (later("Download"), later("Check"), later("Ready"))
_STEP_OF = {DownloadPhase.VERIFYING: 1, DownloadPhase.INSTALLING: 1, DownloadPhase.DONE: 2}
_PAUSABLE = {DownloadPhase.QUEUED, DownloadPhase.CONNECTING, DownloadPhase.DOWNLOADING, DownloadPhase.WAITING}


class DownloadPanel(QWidget):
    """Shows one `Download` until it is done or given up. Main thread only."""

    done = Signal(object)  # InstalledModel
    gone = Signal()  # cancelled, or given up after an error: choose another

    def __init__(self, downloads: Downloads, download: Download) -> None:
        super().__init__()
        self.setObjectName("download_panel")
        self.download = download
        self._downloads = downloads
        self._problem: QWidget | None = None
        self._build()
        theme.current().changed.connect(self._restyle)
        download.changed.connect(self._on_changed)
        self._restyle()
        self._on_changed()

    # -- building -------------------------------------------------------------------------------

    def _build(self) -> None:
        name = self.download.name
        self._title = Label(name, bold=True, name="download_title")
        self._steps = Label("", SMALL_PX, colour="secondary", name="download_steps")
        self._phase = Label("", name="download_phase")
        self._amount = Label("", SMALL_PX, colour="secondary", name="download_amount")
        self._bar = QProgressBar()
        self._bar.setObjectName("download_bar")
        self._bar.setAccessibleName(tr("Download of {name}", name=name))
        self._bar.setTextVisible(False)
        self._bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._column = QVBoxLayout(self)
        for widget in (self._title, self._steps, self._phase, self._bar, self._amount):
            self._column.addWidget(widget)
        self._column.addLayout(self._buttons())

    def _buttons(self) -> FlowLayout:
        name = self.download.name
        self.pause_button = button(
            tr("Pause"), "pause_button", described=tr("Pause the download of {name}", name=name)
        )
        self.resume_button = button(
            tr("Resume"), "resume_button", described=tr("Resume the download of {name}", name=name)
        )
        self.cancel_button = button(
            tr("Cancel"), "cancel_button", described=tr("Cancel the download of {name}", name=name)
        )
        self.pause_button.clicked.connect(self._on_pause)
        self.resume_button.clicked.connect(self._on_resume)
        self.cancel_button.clicked.connect(self.download.cancel)
        row = FlowLayout()
        for each in (self.pause_button, self.resume_button, self.cancel_button):
            row.addWidget(each)
        return row

    def _restyle(self) -> None:
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.px(8))

    # -- following the download -----------------------------------------------------------------

    def _on_changed(self) -> None:
        download = self.download
        if download.installed is not None:
            self.done.emit(download.installed)
        elif download.phase is DownloadPhase.CANCELLED:
            self.gone.emit()
        elif download.error is not None:
            self._show_problem(download.error)
        else:
            self._show_progress()

    def _show_progress(self) -> None:
        self._drop_problem()
        progress, phase = self.download.progress, self._phase_now()
        self._steps.setText(_steps_text(phase))
        self._phase.setText(_phase_line(progress, phase))
        self._phase.set_colour("warning" if phase is DownloadPhase.WAITING else "text")
        self._amount.show_text(amount_text(progress) if progress else _size_line(self.download))
        self._show_percent(percent(progress))
        self._offer(phase)

    def _phase_now(self) -> DownloadPhase:
        """Pausing is shown at once; the line itself may take a moment to be let go."""
        phase = self.download.phase
        return DownloadPhase.PAUSED if self.download.control.is_paused and phase in _PAUSABLE else phase

    def _show_percent(self, done: int | None) -> None:
        self._bar.show()
        self._bar.setRange(0, 0 if done is None and not theme.current().reduced_motion else 100)
        self._bar.setValue(done or 0)
        self._bar.setAccessibleDescription("" if done is None else tr("{done} percent", done=done))

    def _offer(self, phase: DownloadPhase) -> None:
        """Exactly one of Pause and Resume, in the same place; the focus stays in that place."""
        focused = self.pause_button.hasFocus() or self.resume_button.hasFocus()
        paused = phase is DownloadPhase.PAUSED
        self.resume_button.setVisible(paused)
        self.pause_button.setVisible(not paused)
        self.pause_button.setEnabled(phase in _PAUSABLE)
        self.cancel_button.show()
        self.cancel_button.setEnabled(not self.download.control.is_cancelled)
        if focused:
            (self.resume_button if paused else self.pause_button).setFocus()

    def _on_pause(self) -> None:
        self.download.pause()

    def _on_resume(self) -> None:
        self.download.resume()

    # -- when it failed -------------------------------------------------------------------------

    def _show_problem(self, error: UserFacing) -> None:
        buttons = (self.pause_button, self.resume_button, self.cancel_button)
        focused = any(each.hasFocus() for each in buttons)
        self._drop_problem()
        for widget in (self._steps, self._phase, self._bar, self._amount, *buttons):
            widget.hide()
        self._problem, first = self._problem_card(error)
        self._column.addWidget(self._problem)
        if focused:  # else it would jump to whatever comes next in the window
            first.setFocus()

    def _problem_card(self, error: UserFacing) -> tuple[QWidget, QWidget]:
        """The card for `error`, and what on it the keyboard meets first."""
        if wants_token(error):
            asking = TokenCard(error, self._on_token, self._on_give_up)
            return asking, asking.field
        card = ErrorCard(error, [self._remedy(error), (tr("Choose another model"), self._on_give_up)])
        return card, card.buttons[0]

    def _remedy(self, error: UserFacing) -> Action:
        if error.code == UNKNOWN_HASH_CODE:
            return tr("Download anyway"), self._on_accept
        return tr("Try again"), self._on_retry

    def _drop_problem(self) -> None:
        if self._problem is not None:
            self._column.removeWidget(self._problem)
            self._problem.hide()
            self._problem.deleteLater()
            self._problem = None
            for widget in (self._steps, self._phase, self._bar, self._amount):
                widget.show()

    def _on_retry(self) -> None:
        self._downloads.retry(self.download)

    def _on_accept(self) -> None:
        self._downloads.accept_unknown_hash(self.download)

    def _on_token(self, token: str) -> None:
        self._downloads.retry_with_token(self.download, token)

    def _on_give_up(self) -> None:
        self._downloads.give_up(self.download)
        self.gone.emit()


def _steps_text(phase: DownloadPhase) -> str:
    """Its name alone: the first run counts steps of its own."""
    return tr(STEPS[_STEP_OF.get(phase, 0)])


def _phase_line(progress: DownloadProgress | None, phase: DownloadPhase) -> str:
    if phase is DownloadPhase.PAUSED:
        return tr("Paused. What has arrived is kept.")
    if progress is None:
        return tr("Starting")
    done = percent(progress)
    counted = phase in (DownloadPhase.DOWNLOADING, DownloadPhase.VERIFYING) and done is not None
    return f"{phase_text(progress)} · {done} %" if counted else phase_text(progress)


def _size_line(download: Download) -> str:
    return size_text(download.size_bytes) if download.size_bytes else ""
