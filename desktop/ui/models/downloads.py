"""The downloads under way, shared by every window that shows them.

Closing a window does not end a download; opening another shows it where it is. Main thread only; the work
itself runs on the pool.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog
from PySide6.QtCore import QObject, Signal

from desktop.errors import UserFacing
from desktop.models.catalogue import CatalogueEntry
from desktop.models.library import InstalledModel
from desktop.models.progress import DownloadControl, DownloadPhase, DownloadProgress
from desktop.models.setup import ModelSetup
from desktop.models.sources import RemoteFile
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui.language import tr

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
        """Try again; what has arrived is not fetched twice."""
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
        self.keep_token(
            token,
            done=lambda: self.retry(download),
            failed=lambda error: self._on_failed(download, error),
        )

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
        if known is not None and known.is_running:
            return known
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
        if download is None or not download.is_running:
            return
        download.progress = progress
        if progress.phase is DownloadPhase.CANCELLED:
            download.is_running = False
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
        download.error = told(error)
        download.changed.emit()
        self.changed.emit()


def told(error: Exception) -> UserFacing:
    """The error as the user sees it; one that nobody expected is logged as the bug it is."""
    if isinstance(error, UserFacing):
        return error
    log.error("unexpected error in model work", exc_info=error)
    return UserFacing(
        tr("Something in Steward itself went wrong ({name}).", name=type(error).__name__),
        tr("Your models and conversations are untouched."),
        tr("Try again; the log file says more if it happens once more."),
        code="bug",
    )
