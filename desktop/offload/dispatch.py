"""In the hook's own path: is this line one for a worker, and what line would send it there?

Nothing is asked of any worker here, and nothing waits: the program that the line starts does that. A line
that begins with no program of the table costs some microseconds.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import structlog

from desktop.errors import UserFacing
from desktop.network.log import RequestRecord
from desktop.offload import mirror
from desktop.offload.history import History, Job
from desktop.offload.plan import Plan, begins_with_program, plan_of, words_of
from desktop.offload.programs import Programs, read_programs
from desktop.offload.reasons import OffloadReason
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths, own_program
from desktop.reasons import Reason
from desktop.settings import OffloadSettings

log = structlog.get_logger(__name__)

_TO_ONE = re.compile(r"\s2>&1\s*$")


def sent_record(job: Job) -> RequestRecord:
    """A job as the log of what has left this computer tells it."""
    return RequestRecord(
        at=datetime.fromtimestamp(job.at, UTC).isoformat(timespec="seconds"),
        method="SEND",
        host=job.host,
        path=job.folder,
        outcome="lost" if job.code is None else "sent",
        seconds=job.seconds,
        why=OffloadReason.FOR_SENDING.of(worker=job.worker, count=job.sent_files, size=job.sent_bytes),
        received_bytes=job.fetched_bytes,
    )


@dataclass(frozen=True)
class Offer:
    """A command that goes to a worker, if nothing speaks against it when it is started."""

    plan: Plan
    worker: Worker
    command: str  # as the agent wrote it, without a `cd` in front

    @property
    def place(self) -> str:
        """For people: the worker's name, and with it that there may be others."""
        return self.worker.name


class Dispatcher:
    """Any thread. Built with the handler of hooks; reads nothing before there is a worker."""

    def __init__(
        self,
        paths: Paths,
        settings: Callable[[], OffloadSettings],
        tell: Callable[[Job], None] = lambda _job: None,
    ) -> None:
        """`tell` hears of every job that has ended and sent something."""
        self._paths = paths
        self._settings = settings
        self._tell = tell
        self._workers = WorkerFile(paths)
        self._history = History(paths)
        self._here: tuple[int, dict[tuple[str, str], float]] = (-1, {})

    def offer(self, command: str, folder: Path) -> Offer | None:
        """None for everything that runs here. Microseconds for what is no build, else some looks at files."""
        if not self._settings().enabled or not begins_with_program(command, self._programs):
            return None
        words = words_of(command)
        root = mirror.root_of(folder) if words is not None else None
        if words is None or root is None:
            return None
        worker = next((each for each in self._workers.all() if each.takes(root)), None)
        if worker is None:
            return None
        plan = plan_of(words, folder.resolve(), root, self._programs)
        if isinstance(plan, Reason) or self._is_quick(root, plan):
            return None
        return Offer(plan, worker, command)

    def line(self, offer: Offer, job: str, here: str = "") -> str:
        """What the agent is told to run. `here` is the line that runs where no worker takes it."""
        profile = ("--profile", str(self._paths.profile)) if self._paths.profile else ()
        head = [*own_program(), *profile, "offload", "run", "--id", job]
        instead = ["--here", here] if here else []
        # The agent's own words, so that a person sees in the line what was asked for.
        line = f"{shlex.join([*head, *instead, '--'])} {_TO_ONE.sub('', offer.command).strip()}"
        return f"{line} 2>&1" if _TO_ONE.search(offer.command) else line

    def ended(self, job: str) -> Job | None:
        """The job of that name, once it is over; whoever keeps account of what leaves is told."""
        found = self._history.job(job)
        if found is None or not found.is_over:
            return None
        if found.worker:
            self._tell(found)
        return found

    def was_started(self, job: str) -> bool:
        """Whether the line was run, wherever its command then ran."""
        return self._history.job(job) is not None

    @cached_property
    def _programs(self) -> Programs:
        try:
            return read_programs(self._paths.offload_programs)
        except UserFacing as error:
            # Told by the verbs; a hook goes on with what is known.
            log.warning("the table of programs for workers can't be used", reason=str(error))
            return read_programs()

    def _is_quick(self, root: Path, plan: Plan) -> bool:
        stamp = self._history.stamp()
        if stamp != self._here[0]:
            took = {
                (each.folder, each.label): each.seconds
                for each in self._history.jobs()
                if not each.worker and each.is_over and each.code == 0
            }
            self._here = (stamp, took)
        seconds = self._here[1].get((str(root), plan.label))
        return seconds is not None and seconds < self._settings().least_seconds
