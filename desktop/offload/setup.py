"""Adding a worker: what it has, what would leave for it, and that the user has agreed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from desktop.errors import UserFacing
from desktop.offload import choice, mirror
from desktop.offload.client import limits_of
from desktop.offload.history import History
from desktop.offload.plan import WorkerPlan, plan_of, settings_unsent, words_of
from desktop.offload.programs import ALL, CommandKind, Program, Programs, read_programs
from desktop.offload.reasons import OffloadReason
from desktop.offload.ssh import NEEDED_HERE, SshConnection, Unreachable
from desktop.offload.workers import SeenFile, Worker, WorkerFile, WorkerReport
from desktop.paths import Paths
from desktop.reasons import Reason

# Everything that git sees, whatever the program: what is told before the user agrees.
_ANY = Program("", frozenset(), frozenset())


class Match(Enum):
    """How a toolchain there compares with the one here."""

    SAME = "the same"
    OTHER = "another version"
    ABSENT = "not there"


@dataclass(frozen=True)
class Examination:
    """What was found before anything was sent. `tools`: programs of the table that are here."""

    worker: Worker
    seen: WorkerReport
    tools: Mapping[str, Match]
    files: int
    size_bytes: int
    withheld: tuple[str, ...] = ()
    folders: tuple[str, ...] = field(default_factory=tuple)


class WorkerSetup:
    """Adds and removes workers. Methods block, on any thread but the main one."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._file = WorkerFile(paths)

    @property
    def workers(self) -> tuple[Worker, ...]:
        return self._file.all()

    def examine(self, worker: Worker) -> Examination:
        """Ask it about itself and count what would leave. Raises UserFacing that says what is missing."""
        self._check_here(worker)
        programs = read_programs(self._paths.offload_programs)
        try:
            seen = choice.look(worker, self._paths, programs.identities)
        except Unreachable as error:
            why = error.reason.value("why") if "why" in dict(error.reason.values) else str(error.reason)
            raise UserFacing(OffloadReason.SSH_FAILED.of(worker=worker.host, why=str(why))) from error
        missing = next(iter(seen.missing), "")
        if missing.startswith("user namespaces"):
            raise UserFacing(OffloadReason.NO_BOX_THERE.of(worker=worker.host))
        if missing:
            raise UserFacing(OffloadReason.PROGRAM_MISSING_THERE.of(worker=worker.host, name=missing))
        files, size = 0, 0
        withheld: list[str] = []
        for folder in worker.folders:
            found = _listed(Path(folder), programs)
            files += len(found.files)
            size += found.size_bytes
            withheld += found.withheld
        return Examination(worker, seen, self._tools(seen, programs), files, size, tuple(withheld))

    def add(self, examined: Examination) -> None:
        """The user has agreed. Raises UserFacing."""
        self._file.put(examined.worker)
        SeenFile(self._paths).put({examined.worker.name: examined.seen})

    def remove(self, name: str) -> bool:
        """Take it out, and its mirrors with it; whether those could be reached. Raises UserFacing."""
        worker = self._file.remove(name)
        SeenFile(self._paths).forget(name)
        is_clean = self._swept(worker)
        SshConnection(worker, self._paths.runtime).close()
        for each in self._paths.mirrors.glob(f"*/{name}.*"):
            shutil.rmtree(each) if each.is_dir() else each.unlink(missing_ok=True)
        return is_clean

    def look(self) -> dict[str, WorkerReport | Reason]:
        """What each said of itself in the last minute, or why it says nothing."""
        programs = read_programs(self._paths.offload_programs)
        return choice.looked_at(self.workers, self._paths, programs.identities)

    def known(self) -> dict[str, WorkerReport]:
        """What is remembered of the last minute; nobody is asked."""
        return SeenFile(self._paths).fresh()

    def mirrors(self, worker: Worker) -> int:
        """How many projects of this profile have a warm mirror there."""
        return len(list(self._paths.mirrors.glob(f"*/{worker.name}.json")))

    def _check_here(self, worker: Worker) -> None:
        if sys.platform == "win32":
            raise UserFacing(OffloadReason.NOT_LINUX.of())
        missing = next((each for each in NEEDED_HERE if shutil.which(each) is None), "")
        if missing:
            raise UserFacing(
                OffloadReason.PROGRAM_MISSING_HERE.of(name=missing, package=NEEDED_HERE[missing])
            )
        if any(each.name == worker.name for each in self.workers):
            raise UserFacing(OffloadReason.NAME_TAKEN.of(name=worker.name))

    def _tools(self, seen: WorkerReport, programs: Programs) -> dict[str, Match]:
        found: dict[str, Match] = {}
        for name, program in programs.by_name.items():
            if shutil.which(name) is None:
                continue
            wanted = choice.here(program, Path.home(), self._paths)
            if isinstance(wanted, dict):
                there = {command: seen.tools.get(command, choice.ABSENT) for command in wanted}
                is_absent = any(wanted[each] and not there[each] for each in wanted)
                found[name] = Match.SAME if there == wanted else Match.ABSENT if is_absent else Match.OTHER
        return found

    def _swept(self, worker: Worker) -> bool:
        """Remove this profile's mirrors there; the caches are everybody's."""
        folders = [each.parent.name for each in self._paths.mirrors.glob(f"*/{worker.name}.*")]
        if not folders:
            return True
        line = SshConnection(worker, self._paths.runtime)
        names = " ".join(f'"$HOME/.cache/steward-offload/{each}"' for each in sorted(set(folders)))
        try:
            line.open()
            return line.shell(f"rm -rf -- {names}\n", choice.PROBE_S).returncode == 0
        except (Unreachable, subprocess.TimeoutExpired):
            return False


def _listed(folder: Path, programs: Programs) -> mirror.Listing:
    try:
        return mirror.listing(folder, _ANY, programs.heavy)
    except mirror.Unlisted as error:
        reason = OffloadReason.SSH_FAILED.of(worker=str(folder), why=str(error.reason))
        raise UserFacing(reason) from error


def explained(kind: CommandKind, program: Program) -> str:
    """A few words about what a plan would do with files that git ignores."""
    what = "everything" if program.ignored == (ALL,) else ", ".join(program.ignored) or "nothing"
    return f"{kind.value}; sends what git sees, and of what it ignores: {what}"


def where(
    command: str, folder: Path, paths: Paths, workers: tuple[Worker, ...]
) -> tuple[WorkerPlan, Worker] | Reason:
    """The plan for a line and a worker that takes the project, or why it runs here. Asks no worker."""
    words = words_of(command)
    if words is None:
        return OffloadReason.NOT_PLAIN.of()
    root = mirror.root_of(folder)
    if root is None:
        return OffloadReason.FOLDER_UNFIT.of(folder=folder)
    plan = plan_of(words, folder, root, read_programs(paths.offload_programs))
    if isinstance(plan, Reason):
        return plan
    unsent = settings_unsent(plan.program)
    if unsent is not None:
        return unsent
    worker = next((each for each in workers if each.takes(root)), None)
    return (plan, worker) if worker is not None else OffloadReason.NO_WORKERS.of()


def foreseen(command: str, folder: Path, paths: Paths) -> tuple[WorkerPlan, Worker] | Reason:
    """What `offload run` would do with a line now. Asks the workers about themselves, and sends them nothing
    of the project. Raises UserFacing."""
    limits = limits_of(paths)
    if not limits.enabled:
        return OffloadReason.OFF.of()
    workers = WorkerFile(paths).all()
    found = where(command, folder, paths, workers)
    root = mirror.root_of(folder)
    if isinstance(found, Reason) or root is None:
        return found
    plan, _first = found
    took = History(paths).seconds_here(root, plan.label)
    if took is not None and took < limits.least_seconds:
        return OffloadReason.TOO_QUICK.of(seconds=took)
    if plan.kind is CommandKind.TEST:
        heavy = read_programs(paths.offload_programs).heavy
        try:
            files = mirror.listing(root, plan.program, heavy)
        except mirror.Unlisted as error:
            return error.reason
        if files.withheld:
            return OffloadReason.TEST_WITHOUT_SECRET.of(path=files.withheld[0])
    fit = choice.fitting(plan.program, folder, root, workers, paths)
    return fit if isinstance(fit, Reason) else (plan, fit[0])
