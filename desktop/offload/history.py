"""What ran on workers and what ran here: for Activity, the Workers page, and to tell what is worth sending.

A file of JSON lines that several processes append to; the latest some hundred are kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from desktop.paths import PRIVATE_FILE, Paths, ensure, private, read_own, write_atomically
from desktop.state_file import record

MOST = 500
_TRIMMED_AT_BYTES = 400_000


@dataclass(frozen=True)
class CommandRecord:
    """One command. `worker` is "" where it ran here; `code` None while it runs, or where it was lost.

    `processor_s` is the processor's time on the worker: what was not spent here.
    """

    id: str
    at: float  # seconds since 1970
    folder: str
    command: str
    label: str
    worker: str = ""
    host: str = ""
    code: int | None = None
    seconds: float = 0.0
    processor_s: float = 0.0
    sent_bytes: int = 0
    sent_files: int = 0
    fetched_bytes: int = 0
    why: str = ""  # why it ran here
    is_over: bool = False
    has_left: bool = False  # the command's words and the files counted above are on their way, or there


class History:
    """Any thread, any process."""

    def __init__(self, paths: Paths) -> None:
        self._file = paths.offload_jobs

    def put(self, job: CommandRecord) -> None:
        """Append it; a later line of the same id replaces the earlier. Raises OSError."""
        line = json.dumps(asdict(job), ensure_ascii=True).encode() + b"\n"
        lock = ensure(self._file.parent) / f".{self._file.name}.lock"
        # Held while the file is trimmed: what another process appends to the old file would be gone with it.
        with FileLock(lock, thread_local=False, mode=PRIVATE_FILE):
            self._append(line)

    def _append(self, line: bytes) -> None:
        with open(self._file, "a+b", opener=private) as file:
            # A full disk may have cut the line before; this one must not become a part of it.
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else b"\n" + line
            file.write(line)
        if self._file.stat().st_size > _TRIMMED_AT_BYTES:
            kept = [json.dumps(asdict(each)) for each in self.jobs()[-MOST:]]
            write_atomically(self._file, ("\n".join(kept) + "\n").encode())

    def jobs(self) -> list[CommandRecord]:
        """The oldest first, each with what is known last."""
        found: dict[str, CommandRecord] = {}
        for job in self._lines():
            found.pop(job.id, None)
            found[job.id] = job
        return list(found.values())

    def job(self, job_id: str) -> CommandRecord | None:
        return next((each for each in reversed(self.jobs()) if each.id == job_id), None)

    def seconds_here(self, folder: Path, label: str) -> float | None:
        """How long such a command took here the last time; None where it never did."""
        for job in reversed(self.jobs()):
            ran_here = not job.worker and job.is_over and job.code == 0
            if ran_here and job.folder == str(folder) and job.label == label:
                return job.seconds
        return None

    def stamp(self) -> int:
        """Changes whenever something was added; 0 before the first."""
        try:
            return os.stat(self._file).st_mtime_ns
        except OSError:
            return 0

    def _lines(self) -> Iterator[CommandRecord]:
        try:
            lines = read_own(self._file).decode("utf-8", "replace").splitlines()
        except OSError:
            return
        for line in lines:
            job = _job(line)
            if job is not None:
                yield job


def _job(line: str) -> CommandRecord | None:
    """The job of a line; None for one that a killed process or another program has spoiled."""
    try:
        return record(CommandRecord, json.loads(line))
    except (ValueError, RecursionError):
        return None
