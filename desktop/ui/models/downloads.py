"""The downloads under way, shared by every window that shows them, and the panel that shows one.

Closing a window does not end a download; opening another shows it where it is. Main thread only; the work
itself runs on the pool.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from desktop.errors import UserFacing
from desktop.models.catalogue import CatalogueEntry
from desktop.models.library import InstalledModel
from desktop.models.progress import DownloadControl, DownloadPhase, DownloadProgress
from desktop.models.setup import ModelSetup
from desktop.models.sources import RemoteFile
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui import theme
from desktop.ui.language import share_words, size_text, tr, tr_noop
from desktop.ui.models.cards import TokenCard, wants_token
from desktop.ui.models.words import amount_text, percent, phase_text
from desktop.ui.reasons import WindowReason
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import button
from desktop.ui.widgets.error_card import Action, ErrorCard
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import FlowLayout, let_go, named

log = structlog.get_logger(__name__)

Work = Callable[[DownloadControl, bool], InstalledModel]  # the second: fetch a file without a known hash


class Download(QObject):
    """One model on its way. `changed` says that something below is new."""

    changed = Signal()

    def __init__(self, model_id: str, name: str, size_bytes: int | None, work: Work) -> None:
        super().__init__()
        self.model_id = model_id
        self.name = name
        self.size_bytes = size_bytes
        self.work = work
        self.accepts_unknown_hash = False
        self.control = DownloadControl()
        self.progress: DownloadProgress | None = None
        self.error: UserFacing | None = None
        self.token = ""  # an access token that was typed and is not kept yet: the keyring refused it
        self.installed: InstalledModel | None = None
        self.is_running = False

    @property
    def phase(self) -> DownloadPhase:
        return self.progress.phase if self.progress else DownloadPhase.QUEUED

    def pause(self) -> None:
        self.control.pause()
        self.changed.emit()

    def resume(self) -> None:
        self.control.resume()
        self.changed.emit()

    def cancel(self) -> None:
        """Stop; the phase becomes CANCELLED when the work has really ended."""
        self.control.cancel()
        self.changed.emit()


class Downloads(QObject):
    """Starts downloads and keeps them until they are done or given up."""

    changed = Signal()  # one was added or has ended
    installed = Signal(object)  # InstalledModel

    def __init__(
        self, setup: ModelSetup, relay: Relay, background: Background, save_token: Callable[[str], None]
    ) -> None:
        """`save_token` keeps an access token; it may wait for a keyring and is called on the pool."""
        super().__init__()
        self._setup = setup
        self._save_token = save_token
        self._background = background
        self._by_id: dict[str, Download] = {}
        relay.listen(DownloadProgress, self._on_progress)

    @property
    def all(self) -> tuple[Download, ...]:
        """Those under way and those that failed and were not yet given up, oldest first."""
        return tuple(self._by_id.values())

    def get(self, model_id: str) -> Download | None:
        return self._by_id.get(model_id)

    def start_entry(self, entry: CatalogueEntry) -> Download:
        """Fetch a model of the catalogue; the one under way, if there is one."""

        def work(control: DownloadControl, accepted: bool) -> InstalledModel:
            return self._setup.get(entry.id, control, accept_unknown_hash=accepted)

        return self._start(Download(entry.id, entry.name, entry.size_bytes, work))

    def start_remote(self, remote: RemoteFile, accepts_unknown_hash: bool) -> Download:
        """Fetch a file that a repository id led to, once the user has agreed to it."""

        def work(control: DownloadControl, accepted: bool) -> InstalledModel:
            return self._setup.get_remote(remote, control, accept_unknown_hash=accepted)

        download = Download(remote.id, remote.name, remote.size_bytes, work)
        download.accepts_unknown_hash = accepts_unknown_hash
        return self._start(download)

    def retry(self, download: Download) -> None:
        """Try again; what has arrived is not fetched twice. A token that was typed is not typed twice."""
        if download.token:
            self.retry_with_token(download, download.token)
            return
        download.control = DownloadControl()
        download.error = None
        download.progress = None
        self._run(download)

    def accept_unknown_hash(self, download: Download) -> None:
        """The user trusts the source: fetch the file although nothing can prove it right."""
        download.accepts_unknown_hash = True
        self.retry(download)

    def retry_with_token(self, download: Download, token: str) -> None:
        """Keep the token, then try again; a keyring that refuses is shown in place of the old error."""
        download.token = token

        def kept() -> None:
            download.token = ""
            self.retry(download)

        self.keep_token(token, done=kept, failed=lambda error: self._on_failed(download, error))

    def keep_token(self, token: str, done: Callable[[], None], failed: Callable[[Exception], None]) -> None:
        """Keep an access token, then call one of the two."""
        self._background.run(self._save_token, token, done=lambda _none: done(), failed=failed)

    def give_up(self, download: Download) -> None:
        """Forget one that has ended."""
        self._by_id.pop(download.model_id, None)
        self.changed.emit()

    def stop_all(self) -> None:
        """The program ends: running downloads stop soon, and go on from there at the next start."""
        for download in self.all:
            download.cancel()

    def _start(self, download: Download) -> Download:
        known = self._by_id.get(download.model_id)
        # Two windows may ask for the same model; two downloads of it would write one file.
        if known is not None and known.is_running:
            return known
        # One that failed is replaced: its error was about an earlier try.
        self._by_id[download.model_id] = download
        self._run(download)
        self.changed.emit()
        return download

    def _run(self, download: Download) -> None:
        download.is_running = True
        self._background.run(
            download.work,
            download.control,
            download.accepts_unknown_hash,
            done=lambda model: self._on_done(download, model),
            failed=lambda error: self._on_failed(download, error),
        )
        download.changed.emit()

    def _on_progress(self, progress: DownloadProgress) -> None:
        download = self._by_id.get(progress.model_id)
        # Late news of one that has ended, or of a download that the command line began.
        if download is None or not download.is_running:
            return
        download.progress = progress
        if progress.phase is DownloadPhase.CANCELLED:
            download.is_running = False
            # Only now: cancelled is what the user wanted, ended is what the worker says.
            self._by_id.pop(download.model_id)
        download.changed.emit()
        if progress.phase is DownloadPhase.CANCELLED:
            self.changed.emit()

    def _on_done(self, download: Download, model: InstalledModel) -> None:
        download.is_running = False
        download.installed = model
        self._by_id.pop(download.model_id, None)
        download.changed.emit()
        self.installed.emit(model)
        self.changed.emit()

    def _on_failed(self, download: Download, error: Exception) -> None:
        download.is_running = False
        download.error = shown_error(error)
        download.changed.emit()
        self.changed.emit()


def shown_error(error: Exception) -> UserFacing:
    """The error as the user sees it; one that nobody expected is logged as the bug it is."""
    if isinstance(error, UserFacing):
        return error
    log.error("unexpected error in model work", exc_info=error)
    return UserFacing(WindowReason.BUG.of(name=type(error).__name__))


UNKNOWN_HASH_CODE = "hash-unknown"
STEPS = (tr_noop("Download"), tr_noop("Check"), tr_noop("Ready"))
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
        self._is_counted_elsewhere = False
        self._problem: QWidget | None = None
        self._build()
        download.changed.connect(self._on_changed)
        self._on_changed()

    # -- building -------------------------------------------------------------------------------

    def _build(self) -> None:
        name = self.download.name
        self._title = Label(name, bold=True, name="download_title")
        self._steps = Label("", SMALL_PX, colour="secondary", name="download_steps")
        self._phase = Label("", name="download_phase")
        self._amount = Label("", SMALL_PX, colour="secondary", name="download_amount")
        self._bar = named(QProgressBar(), "download_bar", tr("Download of {name}", name=name))
        self._bar.setTextVisible(False)
        self._bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._column = theme.space(QVBoxLayout(self), 8)
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

    def count_elsewhere(self, elsewhere: bool) -> None:
        """Whether another bar in the same window has this download in it: two would be one too many."""
        self._is_counted_elsewhere = elsewhere
        self._on_changed()

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
        self._show_percent(percent(progress))
        amount = amount_text(progress) if progress else _size_line(self.download)
        self._amount.show_text("" if self._is_counted_elsewhere else amount)
        self._bar.setVisible(not self._is_counted_elsewhere)
        self._offer(phase)

    def _phase_now(self) -> DownloadPhase:
        """Pausing is shown at once; the line itself may take a moment to be let go."""
        phase = self.download.phase
        return DownloadPhase.PAUSED if self.download.control.is_paused and phase in _PAUSABLE else phase

    def _show_percent(self, done: int | None) -> None:
        # An empty range makes Qt's bar move to and fro, which whoever asked for less motion does not want.
        self._bar.setRange(0, 0 if done is None and not theme.current().reduced_motion else 100)
        self._bar.setValue(done or 0)
        self._bar.setAccessibleDescription("" if done is None else tr("{done} percent", done=done))

    def _offer(self, phase: DownloadPhase) -> None:
        """Exactly one of Pause and Resume, in the same place; the focus stays in that place."""
        # The button that was pressed is about to be hidden, and would take the focus along.
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
        # Asked before they are hidden: Qt moves the focus of a hidden widget to wherever Tab leads.
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
            let_go(self._problem)
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
    """The name of the step alone: the first run counts steps of its own."""
    return tr(STEPS[_STEP_OF.get(phase, 0)])


def _phase_line(progress: DownloadProgress | None, phase: DownloadPhase) -> str:
    if phase is DownloadPhase.PAUSED:
        return tr("Paused. What has arrived is kept.")
    if progress is None:
        return tr("Starting")
    done = percent(progress)
    if done is None or phase not in (DownloadPhase.DOWNLOADING, DownloadPhase.VERIFYING):
        return phase_text(progress)
    return f"{phase_text(progress)} · {share_words(done / 100)}"


def _size_line(download: Download) -> str:
    return size_text(download.size_bytes) if download.size_bytes else ""
