"""The workers of a profile: who they are, which folders may go there, and what was seen of them lately.

Kept in `workers.json` of the settings folder; what was seen, for a minute, in the cache folder.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from desktop.errors import UserFacing
from desktop.offload.reasons import OffloadReason
from desktop.paths import Paths, write_atomically
from desktop.state_file import read_object, record

REMEMBERED_S = 60.0
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}")
# What ssh takes for a host, without what it would take for an option.
_HOST = re.compile(r"(?:[\w.+-]+@)?[A-Za-z0-9_][\w.:-]{0,252}")


@dataclass(frozen=True)
class Worker:
    """One machine, or with a `partition` the login host of a Slurm cluster.

    `host` is what ssh is told; `ssh_config` a file for it in place of the user's own. `folders` are those
    whose projects may be sent there.
    """

    name: str
    host: str
    folders: tuple[str, ...]
    ssh_config: str = ""
    partition: str = ""
    options: tuple[str, ...] = ()  # further words for srun

    @property
    def is_slurm(self) -> bool:
        return bool(self.partition)

    def takes(self, project: Path) -> bool:
        """Whether the user has agreed that this project goes there."""
        return any(project == Path(each) or Path(each) in project.parents for each in self.folders)


@dataclass(frozen=True)
class WorkerReport:
    """What a worker said of itself `at` (seconds since 1970). `tools`: a command, and its words hashed."""

    at: float
    cores: int
    load: float  # of the last minute
    free_kb: int
    tools: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    system: str = ""

    @property
    def load_per_core(self) -> float:
        return self.load / max(1, self.cores)


def checked_name(name: str) -> str:
    """Raises UserFacing for what is no name."""
    if not _NAME.fullmatch(name):
        raise UserFacing(OffloadReason.HOST_UNFIT.of(host=name))
    return name


def checked_host(host: str) -> str:
    """Raises UserFacing for what ssh could take for an option or a file."""
    if not _HOST.fullmatch(host):
        raise UserFacing(OffloadReason.HOST_UNFIT.of(host=host))
    return host


class WorkerFile:
    """The list of workers. Any thread, any process: it is read anew where its file has changed."""

    def __init__(self, paths: Paths) -> None:
        self._file = paths.workers
        self._read: tuple[int, tuple[Worker, ...]] = (0, ())

    def all(self) -> tuple[Worker, ...]:
        try:
            stamp = self._file.stat().st_mtime_ns
        except OSError:
            return ()
        if stamp != self._read[0]:
            rows = read_object(self._file, "The list of workers").get("workers")
            workers = [_worker(each) for each in rows] if isinstance(rows, list) else []
            self._read = (stamp, tuple(each for each in workers if each is not None))
        return self._read[1]

    def named(self, name: str) -> Worker:
        """Raises UserFacing where there is none."""
        found = next((each for each in self.all() if each.name == name), None)
        if found is None:
            raise UserFacing(OffloadReason.NO_SUCH_WORKER.of(name=name))
        return found

    def put(self, worker: Worker) -> None:
        """Add it, or replace the one of its name. Raises UserFacing where that cannot be kept."""
        rest = [each for each in self.all() if each.name != worker.name]
        self._write([*rest, worker])

    def remove(self, name: str) -> Worker:
        """Raises UserFacing where there is none."""
        gone = self.named(name)
        self._write([each for each in self.all() if each.name != name])
        return gone

    def _write(self, workers: Iterable[Worker]) -> None:
        """Raises UserFacing where the disk takes nothing."""
        content = {"version": 1, "workers": [asdict(each) for each in workers]}
        try:
            write_atomically(self._file, json.dumps(content, indent=1).encode())
        except OSError as error:
            why = error.strerror or str(error)
            raise UserFacing(OffloadReason.WORKERS_NOT_SAVED.of(file=self._file, error=why)) from error
        self._read = (0, ())


class SeenFile:
    """What was seen of the workers, by their names; kept for a minute at most."""

    def __init__(self, paths: Paths) -> None:
        self._file = paths.workers_seen

    def latest(self) -> dict[str, WorkerReport]:
        """What was seen last, also when it is older than a minute."""
        rows = read_object(self._file, "What was seen of the workers")
        found = {str(name): _seen(row) for name, row in rows.items()}
        return {name: seen for name, seen in found.items() if seen is not None}

    def fresh(self, now: float | None = None) -> dict[str, WorkerReport]:
        now = time.time() if now is None else now
        return {name: seen for name, seen in self.latest().items() if 0 <= now - seen.at < REMEMBERED_S}

    def put(self, seen: Mapping[str, WorkerReport]) -> None:
        """Remember it, by the names of the workers. Raises OSError."""
        self._write({**self.latest(), **seen})

    def forget(self, name: str) -> None:
        kept = self.latest()
        if kept.pop(name, None) is not None:
            self._write(kept)

    def _write(self, kept: Mapping[str, WorkerReport]) -> None:
        rows = {name: {**asdict(seen), "tools": dict(seen.tools)} for name, seen in kept.items()}
        write_atomically(self._file, json.dumps(rows).encode())


def mirror_key(profile: Path, project: Path) -> str:
    """The name of a project's mirror on every worker: of this profile on this computer, and of its path."""
    # The machine's own number, so that two computers with the same paths have two mirrors.
    try:
        machine = Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except OSError:
        machine = ""
    whole = f"{machine}\0{profile}\0{project}"
    readable = re.sub(r"[^A-Za-z0-9_-]", "-", project.name)[:24]
    return f"{readable}-{hashlib.sha256(whole.encode()).hexdigest()[:16]}"


def _worker(row: Any) -> Worker | None:
    try:
        worker = record(Worker, row)
        checked_host(worker.host)
    # A row that somebody has spoiled costs that worker, and not the others.
    except (ValueError, UserFacing):
        return None
    return worker if _NAME.fullmatch(worker.name) else None


def _seen(row: Any) -> WorkerReport | None:
    try:
        return record(WorkerReport, row)
    except ValueError:
        return None
