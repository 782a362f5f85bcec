"""In the hook's own path: is this line one for a worker, and what line would send it there?

Nothing is asked of any worker here, and nothing waits: the program that the line starts does that. A line
that begins with no program of the table costs some microseconds.
"""

from __future__ import annotations

import re
import shlex
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import structlog

from desktop.errors import UserFacing
from desktop.network.log import RequestRecord
from desktop.offload import mirror
from desktop.offload.history import CommandRecord, History
from desktop.offload.plan import WorkerPlan, begins_with_program, plan_of, settings_unsent, words_of
from desktop.offload.programs import Programs, read_programs
from desktop.offload.reasons import OffloadReason
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths, own_program
from desktop.reasons import Reason
from desktop.settings import OffloadSettings

log = structlog.get_logger(__name__)

_TO_ONE = re.compile(r"\s2>&1\s*$")


def records_of(job: CommandRecord) -> tuple[RequestRecord, ...]:
    """A job as the log of what has left this computer tells it: what was sent, and what came back."""
    if not job.has_left:
        return ()
    sent = RequestRecord(
        at=datetime.fromtimestamp(job.at, UTC).isoformat(timespec="seconds"),
        method="SEND",
        host=job.host,
        path=job.folder,
        outcome="sent",
        seconds=0.0,
        why=OffloadReason.FOR_SENDING.of(worker=job.worker, count=job.sent_files, size=job.sent_bytes),
    )
    if not job.is_over:
        return (sent,)
    outcome = "lost" if job.code is None else "fetched"
    return (
        sent,
        replace(sent, method="FETCH", outcome=outcome, seconds=job.seconds, received_bytes=job.fetched_bytes),
    )


@dataclass(frozen=True)
class Offer:
    """A command that goes to a worker, if nothing speaks against it when it is started."""

    plan: WorkerPlan
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
        tell: Callable[[RequestRecord], None] = lambda _record: None,
        since: float = 0.0,
    ) -> None:
        """`tell` hears of what jobs have sent `since` (seconds since 1970), whoever has started them."""
        self._paths = paths
        self._settings = settings
        self._tell = tell
        self._workers = WorkerFile(paths)
        self._history = History(paths)
        self._since = since
        self._told_lock = threading.Lock()
        # The history's stamp, and of each job, by its moment and host, how many records were told.
        self._told: tuple[int, dict[tuple[float, str], int]] = (-1, {})
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
        if isinstance(plan, Reason) or self._is_quick(root, plan) or settings_unsent(plan.program):
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

    def ended(self, job: str) -> CommandRecord | None:
        """The job of that name, once it is over."""
        found = self._history.job(job)
        return found if found is not None and found.is_over else None

    def catch_up(self) -> None:
        """Tell what has left since the last time, each once: a line typed by hand is a process of its own,
        and its traces in the history are all that this one hears of it."""
        with self._told_lock:
            stamp, told = self._history.stamp(), self._told[1]
            if stamp == self._told[0]:
                return
            jobs = [job for job in self._history.jobs() if job.at >= self._since and job.has_left]
            # Not by its name, which the same command takes along where it then runs here.
            found = {(job.at, job.host): records_of(job) for job in jobs}
            new = [record for each in found for record in found[each][told.get(each, 0) :]]
            self._told = (stamp, {each: len(records) for each, records in found.items()})
        for record in new:
            self._tell(record)

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

    def _is_quick(self, root: Path, plan: WorkerPlan) -> bool:
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
