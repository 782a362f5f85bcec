"""One address into one unfinished file: resume, retries, pause.

Resuming: the rest is asked for with Range, and with If-Range where the server gave a validator, so that a
changed file starts again by itself (RFC 9110, 13.1.5 and 14.2). Without a validator the rest is still asked
for when the SHA-256 is known, because that decides in the end; else the file starts again.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import queue
import re
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import structlog

from desktop.errors import UserFacing
from desktop.models.progress import DownloadControl, DownloadPhase, Progress
from desktop.models.reasons import ModelReason, from_os, no_room
from desktop.network import KEPT, Network, NetworkFailure, NetworkReason, Response
from desktop.paths import ensure, private, write_atomically
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

ELSEWHERE_AFTER = 8  # failures in a row of a source that is not the last, though bytes have come from it
BLOCK_BYTES = 1024 * 1024
WAITING_CHUNKS = 16
ROOM_TO_SPARE_BYTES = 64 * 1024 * 1024
CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")


def doubling(attempt: int) -> float:
    """Seconds to wait after the `attempt`-th failure in a row: 1, 2, 4, … 30."""
    return float(min(2 ** (attempt - 1), 30))


@dataclass(frozen=True)
class Patience:
    """How often a failing address is asked again. Any byte that arrives starts the count anew."""

    first_contact: int = 3  # attempts while nothing has come
    # Attempts in a row after bytes have come, now or before a restart; None: until the user has enough of it.
    # A line that is back after the night finds the download waiting.
    once_begun: int | None = None
    back_off_s: Callable[[int], float] = doubling

    def impatient(self) -> Patience:
        """The same with less patience, for a source after which another one can be tried."""
        return replace(self, first_contact=1, once_begun=self.once_begun or ELSEWHERE_AFTER)


@dataclass(frozen=True)
class ExpectedFile:
    """What is known about the file before it arrives."""

    name: str
    size_bytes: int | None
    sha256: str | None


class Transfer:
    """Brings one address into `part`. Used by one thread."""

    def __init__(
        self,
        network: Network,
        control: DownloadControl,
        progress: Progress,
        patience: Patience,
    ) -> None:
        self._network = network
        self._control = control
        self._progress = progress
        self._patience = patience

    def run(
        self, url: str, part: PartFile, wanted: ExpectedFile, headers: Mapping[str, str] | None = None
    ) -> None:
        """Return when `part` holds everything that the server has; the caller checks size and hash.

        Raises Cancelled, NetworkFailure when patience has run out, or UserFacing.
        """
        base = self._progress.bytes_done
        fetch = _Fetch(self._network, url, part, wanted, dict(headers or {}))
        self._take_up(part)
        failures, begun = 0, part.size > 0
        while True:
            self._control.checkpoint(lambda: self._progress.enter(DownloadPhase.PAUSED))
            before = part.size
            try:
                if self._attempt(fetch, base):
                    return
                failures += 1
            except NetworkFailure as error:
                # The user cut the line; that is no failure of the server.
                if self._control.is_interrupted:
                    continue
                # A line that brings something each time is worth more patience than a silent one.
                failures = 1 if part.size > before else failures + 1
                begun = begun or part.size > before
                self._be_patient(error, failures, begun)

    def _take_up(self, part: PartFile) -> None:
        if not part.found_bytes:
            return
        self._progress.enter(DownloadPhase.CONNECTING, ModelReason.CHECKING_ARRIVED.of())

        def hashed(count: int) -> None:
            self._control.checkpoint(lambda: self._progress.enter(DownloadPhase.PAUSED))
            self._progress.at(self._progress.bytes_done + count)

        # Read once more: a restart has lost the running hash, and a byte may have changed.
        part.take_up(hashed)

    def _attempt(self, fetch: _Fetch, base: int) -> bool:
        """One request. True when everything is there, False when the user or the server wants another."""
        if fetch.is_complete():
            return True
        if (
            self._progress.phase is not DownloadPhase.DOWNLOADING
        ):  # the next of several wheels is not worth a word
            self._progress.enter(DownloadPhase.CONNECTING)
        with (
            self._network.stream("GET", fetch.url, fetch.headers()) as response,
            self._control.interruptible(response.interrupt),
        ):
            if not fetch.accept(response):
                return fetch.is_complete()
            self._progress.at(base + fetch.part.size)
            self._progress.enter(DownloadPhase.DOWNLOADING)
            self._receive(response, fetch)
        return not self._control.is_interrupted and fetch.came_whole()

    def _receive(self, response: Response, fetch: _Fetch) -> None:
        for chunk in response.chunks():
            fetch.part.append(chunk)
            self._progress.add(len(chunk))
            if self._control.is_interrupted or fetch.is_too_long():
                return

    def _be_patient(self, error: NetworkFailure, failures: int, begun: bool) -> None:
        limit = self._patience.once_begun if begun else self._patience.first_contact
        if not error.may_pass or (limit is not None and failures >= limit):
            raise error
        seconds = self._patience.back_off_s(failures)
        log.info("asking again", code=error.code, failures=failures, wait_s=seconds)
        ends_at = time.monotonic() + seconds
        while (left := ends_at - time.monotonic()) > 0 and not self._control.is_interrupted:
            again = ModelReason.TRYING_AGAIN.of(seconds=math.ceil(left))
            self._progress.enter(DownloadPhase.WAITING, again, error.reason)
            self._control.wait(min(left, 1.0))


class _Fetch:
    """The HTTP side of one resumable file: what to ask, and what an answer means."""

    def __init__(
        self, network: Network, url: str, part: PartFile, wanted: ExpectedFile, headers: Mapping[str, str]
    ) -> None:
        self.url = url
        self.part = part
        self._network = network
        self._wanted = wanted
        self._own_headers = headers
        self._total = wanted.size_bytes

    def is_complete(self) -> bool:
        return self._total is not None and self.part.size == self._total

    def is_too_long(self) -> bool:
        """An answer of undeclared length that does not end where it should."""
        return self._total is not None and self.part.size > self._total

    def came_whole(self) -> bool:
        """After the server ended its answer: short of the known size means that the line was cut."""
        if self._total is not None and self.part.size < self._total:
            raise NetworkFailure(NetworkReason.ENDED_EARLY.of(host=self._host, kept=KEPT))
        return True

    def headers(self) -> dict[str, str]:
        """The headers of the next request; starts the part again when it cannot be continued safely."""
        # Packed by the server, positions and sizes would be those of the packing.
        headers = {"Accept-Encoding": "identity", **self._own_headers}
        # Longer than the file: what is there belongs to another one.
        if self.is_too_long():
            self.part.restart()
        if not self.part.size:
            return headers
        guard = self.part.validators.guard(self.url)
        if not guard and self._wanted.sha256 is None:
            self.part.restart()
            return headers
        headers["Range"] = f"bytes={self.part.size}-"
        if guard:
            headers["If-Range"] = guard
        else:
            self.part.remember(replace(self.part.validators, unguarded=True))
        return headers

    def accept(self, response: Response) -> bool:
        """Prepare the part for the body of `response`; False when the body is of no use."""
        offset, total = _content_range(response)
        if response.status == 416:
            self._after_unsatisfied(total)
            return False
        # Another part than was asked for: nothing of it fits.
        if response.status == 206 and offset != self.part.size:
            self.part.restart()
            return False
        if response.status != 206:
            total = _content_length(response)
        # Before a byte is taken: a sign-in page has another size than a model.
        self._check_size(total)
        if response.status != 206 and self.part.size:
            self.part.restart()
        self._remember(response, total)
        return True

    def _after_unsatisfied(self, total: int | None) -> None:
        if self._total is None and total == self.part.size:
            self._total = total
        elif not self.is_complete():
            self.part.restart()

    def _check_size(self, total: int | None) -> None:
        # Chunked: the end of the answer is all there is to go by.
        if total is None:
            return
        if self._wanted.size_bytes is not None and total != self._wanted.size_bytes:
            name, expected = self._wanted.name, self._wanted.size_bytes
            raise UserFacing(
                ModelReason.OTHER_FILE.of(host=self._host, name=name, offered=total, expected=expected)
            )
        folder = self.part.path.parent
        free = shutil.disk_usage(folder).free
        if total - self.part.size + ROOM_TO_SPARE_BYTES > free:
            raise no_room(folder, total - self.part.size, free)

    def _remember(self, response: Response, total: int | None) -> None:
        self._total = total if self._wanted.size_bytes is None else self._wanted.size_bytes
        self.part.remember(
            Validators(
                url=self.url,
                etag=response.headers.get("etag", ""),
                last_modified=response.headers.get("last-modified", ""),
                unguarded=self.part.validators.unguarded and self.part.size > 0,
            )
        )

    @property
    def _host(self) -> str:
        return urlsplit(self.url).hostname or self.url


def _content_range(response: Response) -> tuple[int | None, int | None]:
    match = CONTENT_RANGE.fullmatch(response.headers.get("content-range", "").strip())
    if match is None:
        return None, None
    offset, total = match.groups()
    return (int(offset) if offset else None), (int(total) if total != "*" else None)


def _content_length(response: Response) -> int | None:
    text = response.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None


class RunningHash:
    """SHA-256 computed on a thread of its own: the reader of the line need not wait for it.

    `hashlib` lets go of the interpreter lock, so that on two cores receiving and hashing overlap.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        # Bounded: a disk that hashes slower than the line brings must not fill memory.
        self._chunks: queue.Queue[bytes | None] = queue.Queue(WAITING_CHUNKS)
        self._thread = threading.Thread(target=self._work, name="hashing", daemon=True)
        self._thread.start()

    def update(self, chunk: bytes) -> None:
        self._chunks.put(chunk)

    def restart(self) -> None:
        self._chunks.join()
        self._hash = hashlib.sha256()

    def hexdigest(self) -> str:
        self._chunks.join()
        return self._hash.hexdigest()

    def close(self) -> None:
        self._chunks.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            chunk = self._chunks.get()
            if chunk is not None:
                self._hash.update(chunk)
            self._chunks.task_done()
            if chunk is None:
                return


@dataclass(frozen=True)
class Validators:
    """What the server said about the file that the part belongs to."""

    url: str = ""
    etag: str = ""
    last_modified: str = ""
    # Some bytes were asked for without a validator; only the hash can tell whether they fit together.
    unguarded: bool = False

    def guard(self, url: str) -> str:
        """The value of If-Range for `url`; empty when there is none to rely on."""
        if url != self.url:
            return ""
        # A weak one says that two answers mean the same, not that their bytes are the same (RFC 9110, 8.8.1).
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified


class PartFile:
    """The unfinished file: `NAME.part` holds its bytes, `NAME.part.json` the validators that make a resumed
    request safe. The hash is not kept on disk: after a restart what is there is read once more, which also
    notices a changed byte.

    Used by one thread; a file lock keeps other processes away. A context manager."""

    def __init__(self, path: Path) -> None:
        """Open or create `path`. Raises UserFacing when the disk refuses."""
        self.path = path
        self._sidecar = path.with_name(path.name + ".json")
        self.validators = self._read_validators()
        self.size = 0
        try:
            ensure(path.parent)
            # Not buffered: what was counted as written is with the operating system.
            self._file = open(path, "r+b" if path.exists() else "w+b", buffering=0, opener=private)  # noqa: SIM115 - closed in close()
        except OSError as error:
            raise from_os(error, path) from error
        self._hash = RunningHash()

    def __enter__(self) -> PartFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def found_bytes(self) -> int:
        """What was on disk when the part was opened, and is still to be hashed."""
        return os.fstat(self._file.fileno()).st_size

    def take_up(self, on_bytes: Callable[[int], None], limit: int | None = None) -> None:
        """Hash what is already there, at most `limit` bytes (the rest is cut off)."""
        self._file.seek(0)
        self.size = 0
        self._hash.restart()
        while limit is None or self.size < limit:
            wanted = BLOCK_BYTES if limit is None else min(BLOCK_BYTES, limit - self.size)
            block = self._file.read(wanted)
            if not block:
                break
            self._hash.update(block)
            self.size += len(block)
            on_bytes(len(block))
        self._file.truncate(self.size)

    def append(self, chunk: bytes) -> None:
        """Add `chunk`. Raises UserFacing `disk-full` or `disk-refused`; what was written before stays."""
        view = memoryview(chunk)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            self._file.truncate(self.size)  # so that file and hash agree if the user frees space
            self._file.seek(self.size)
            raise from_os(error, self.path) from error
        self._hash.update(chunk)
        self.size += len(chunk)

    def restart(self) -> None:
        """Forget every byte."""
        self._file.truncate(0)
        self._file.seek(0)
        self._hash.restart()
        self.size = 0
        self.remember(Validators())

    def remember(self, validators: Validators) -> None:
        """Keep what the server said, for a resume after a restart of the program."""
        if validators != self.validators:
            self.validators = validators
            write_sidecar(self._sidecar, asdict(validators))

    def sha256(self) -> str:
        return self._hash.hexdigest()

    def flush(self) -> None:
        """Return when every byte is on disk."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise from_os(error, self.path) from error

    def close(self) -> None:
        self._hash.close()
        self._file.close()

    def delete(self) -> None:
        """Close, and remove the part and what was remembered about it."""
        self.close()
        self.path.unlink(missing_ok=True)
        self._sidecar.unlink(missing_ok=True)

    def move_to(self, target: Path) -> None:
        """Close, and rename the part to `target`, whole or not at all."""
        self.flush()
        self.close()
        try:
            ensure(target.parent)
            os.replace(self.path, target)
            # First the bytes, then the name: a power cut leaves the part or the whole file, never a name with
            # holes.
            _flush_folder(target.parent)
        except OSError as error:
            raise from_os(error, target) from error
        self._sidecar.unlink(missing_ok=True)

    def _read_validators(self) -> Validators:
        stored = read_sidecar(self._sidecar)
        try:
            return Validators(**stored)
        except TypeError:
            log.warning("ignoring an unreadable sidecar", path=str(self._sidecar))
            return Validators()


def read_sidecar(path: Path) -> dict[str, Any]:
    """The JSON object in `path`; empty when there is none or it is damaged."""
    return read_object(path, "The note of a download")


def write_sidecar(path: Path, content: dict[str, Any]) -> None:
    """Replace `path`. Raises UserFacing when the disk refuses."""
    try:
        write_atomically(path, json.dumps(content).encode())
    except OSError as error:
        raise from_os(error, path) from error


def _flush_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system lets a folder be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
