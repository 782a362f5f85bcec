"""An unfinished file on disk, with its running SHA-256 and what the server said about it.

`NAME.part` holds the bytes, `NAME.part.json` the validators that make a resumed request safe. The hash is
not kept on disk: after a restart what is there is read once more, which also notices a changed byte.
"""

from __future__ import annotations

import hashlib
import json
import os
import queue
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import structlog

from desktop.models.refusals import from_os
from desktop.paths import ensure, private, write_atomically
from desktop.state_file import read_object

log = structlog.get_logger(__name__)

BLOCK_BYTES = 1024 * 1024
WAITING_CHUNKS = 16


class RunningHash:
    """SHA-256 computed on a thread of its own: the reader of the line need not wait for it.

    `hashlib` lets go of the interpreter lock, so that on two cores receiving and hashing overlap.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
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
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified


class PartFile:
    """The unfinished file. Used by one thread; a file lock keeps other processes away. A context manager."""

    def __init__(self, path: Path) -> None:
        """Open or create `path`. Raises UserFacing when the disk refuses."""
        self.path = path
        self._sidecar = path.with_name(path.name + ".json")
        self.validators = self._read_validators()
        self.size = 0
        try:
            ensure(path.parent)
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
