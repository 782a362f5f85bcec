"""`steward offload run -- COMMAND`: the program that an agent starts in place of a build or a test.

Started for every such command, so it imports little. Its exit code and both its streams are the command's;
its own lines are on standard error, and there are none where nothing went wrong.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from desktop.errors import UserFacing
from desktop.offload import choice, mirror
from desktop.offload.history import CommandRecord, History
from desktop.offload.mirror import Changes
from desktop.offload.plan import plan_of, settings_unsent
from desktop.offload.programs import CommandKind, read_programs
from desktop.offload.reasons import OffloadReason
from desktop.offload.run import EXIT_LOST, Ended, NotBegun, RemoteAttempt, Task, died_like
from desktop.offload.workers import Worker, WorkerFile
from desktop.paths import Paths, read_own
from desktop.reasons import Reason

USAGE = "Usage: steward offload run [--worker NAME] [--id ID] [--here LINE] -- COMMAND\n"
EXIT_USAGE = 2
_CLEAR = "\r\x1b[K"


@dataclass(frozen=True)
class Options:
    """`id` names the job for whoever looks it up; `here` is the line that runs instead where none is sent."""

    words: tuple[str, ...]
    worker: str = ""
    id: str = ""
    here: str = ""


@dataclass(frozen=True)
class Limits:
    """Of the settings' section `offload`, which is read without the rest: most of a start would be that."""

    enabled: bool = False
    least_seconds: float = 10.0
    transfer_limit_mb: int = 500


def main(arguments: Sequence[str], paths: Paths) -> int:
    """The command's exit code; 75 where a test was lost with its worker. `arguments` follow `run`."""
    options = options_of(arguments)
    if options is None:
        sys.stderr.write(USAGE)
        return EXIT_USAGE
    return OffloadRun(paths, options).run()


def options_of(arguments: Sequence[str]) -> Options | None:
    """What the words ask for; None for wrong usage."""
    words = list(arguments)
    given: dict[str, str] = {}
    while words and words[0] in ("--worker", "--id", "--here"):
        if len(words) < 2:
            return None
        given[words[0][2:]] = words[1]
        words = words[2:]
    if words[:1] == ["--"]:
        words = words[1:]
    elif words[:1] and words[0].startswith("-"):
        return None
    return Options(tuple(words), **given) if words else None


def limits_of(paths: Paths) -> Limits:
    """What the settings say; the usual where they say nothing that can be used."""
    try:
        table = tomllib.loads(read_own(paths.settings).decode("utf-8")).get("offload", {})
        return Limits(
            bool(table.get("enabled", False)),
            float(table.get("least_seconds", 10)),
            int(table.get("transfer_limit_mb", 500)),
        )
    # Whoever damaged the settings is told where they are read as a whole.
    except (OSError, ValueError, AttributeError, TypeError):
        return Limits()


class OffloadRun:
    """One run. Main thread."""

    def __init__(self, paths: Paths, options: Options) -> None:
        self._paths = paths
        self._options = options
        self._history = History(paths)
        self._folder = Path.cwd()
        self._shows = sys.stderr.isatty()
        self._is_shown = False
        # One name wherever it runs in the end, so that no row is left of a worker that did not take it.
        self._id = options.id or os.urandom(8).hex()
        self._sending: CommandRecord | None = None

    def run(self) -> int:
        """Never raises for what a command may meet; a second interrupt ends it at once."""
        begun = time.time()
        try:
            task = self._task()
            if isinstance(task, Reason):
                return self._here(task, None, begun)
            return self._sent(task, begun)
        except KeyboardInterrupt:
            _die_by(signal.SIGINT)

    # -- on a worker --------------------------------------------------------------------------

    def _task(self) -> Task | Reason:
        limits = limits_of(self._paths)
        if not limits.enabled:
            return OffloadReason.OFF.of()
        try:
            programs = read_programs(self._paths.offload_programs)
        except UserFacing as error:
            return error.reason
        root = mirror.root_of(self._folder)
        if root is None:
            return OffloadReason.FOLDER_UNFIT.of(folder=self._folder)
        folder = Path(os.path.realpath(self._folder))
        plan = plan_of(self._options.words, folder, root, programs)
        if isinstance(plan, Reason):
            return plan
        unsent = settings_unsent(plan.program)
        if unsent is not None:
            return unsent
        if self._options.here and plan.program.has_network:
            # Its box here may have none, and a worker must not be the way around that.
            return OffloadReason.CONFINED_HERE.of(name=plan.program.name)
        took = self._history.seconds_here(root, plan.label)
        if took is not None and took < limits.least_seconds and not self._options.worker:
            return OffloadReason.TOO_QUICK.of(seconds=took)
        return Task(plan, folder, root, programs, limits.transfer_limit_mb * 1_000_000, os.environ)

    def _sent(self, task: Task, begun: float) -> int:
        why: Reason | None = None
        workers = self._workers(task)
        for worker in workers if not isinstance(workers, Reason) else []:
            self._sending = self._job(task, worker, begun)
            attempt = RemoteAttempt(task, worker, self._paths, self._tell, self._note_leaving)
            try:
                ended = attempt.run()
            except NotBegun as error:
                if attempt.interrupted:
                    # Whoever gave it up wants it on no other worker either, and not here.
                    raise KeyboardInterrupt from error
                why = why or error.reason
                self._keep_apart(replace(self._sending, why=str(error.reason)))
                continue
            return self._finished(task, self._sending, ended, attempt.interrupted)
        if isinstance(workers, Reason):
            why = workers
        return self._here(why or OffloadReason.NO_WORKERS.of(), task, begun)

    def _workers(self, task: Task) -> list[Worker] | Reason:
        """The workers that fit, the best first; the reason where none does."""
        workers = WorkerFile(self._paths).all()
        name = self._options.worker
        if name:
            workers = tuple(each for each in workers if each.name == name)
            if not workers:
                return OffloadReason.WORKER_UNKNOWN.of(name=name)
        return choice.fitting(task.plan.program, task.folder, task.root, workers, self._paths)

    def _finished(self, task: Task, job: CommandRecord, ended: Ended, interrupted: bool) -> int:
        seconds = round(time.time() - job.at, 3)
        job = replace(
            job,
            code=ended.code,
            seconds=seconds,
            processor_s=ended.processor_s,
            sent_bytes=ended.sent.size_bytes,
            sent_files=len(ended.sent.written),
            fetched_bytes=ended.fetched_bytes,
            is_over=True,
        )
        self._put(job)
        if ended.code is None:
            if interrupted:
                raise KeyboardInterrupt
            return self._lost(task, job, ended)
        self._clear()
        if interrupted:
            for number in died_like(ended.code):
                _die_by(number)
        elif ended.code and ended.withheld:
            self._tell(OffloadReason.WITHHELD_RUNS_HERE.of(worker=job.worker, path=ended.withheld))
            self._keep_apart(job)
            return self._here(None, task, time.time())
        return ended.code

    def _lost(self, task: Task, job: CommandRecord, ended: Ended) -> int:
        why = ended.why or OffloadReason.NOT_BEGUN.of(worker=job.worker)
        if task.plan.kind is CommandKind.TEST:
            self._tell(OffloadReason.LOST_TEST.of(why=why))
            return EXIT_LOST
        self._tell(OffloadReason.LOST_RUNS_HERE.of(why=why))
        self._keep_apart(job)
        return self._here(None, task, time.time())

    # -- here ---------------------------------------------------------------------------------

    def _here(self, why: Reason | None, task: Task | None, begun: float) -> int:
        """Run it on this computer, as the line would have done without us."""
        if why is not None:
            self._tell(OffloadReason.RUNS_HERE.of(why=why))
        self._clear()
        label = task.plan.label if task else self._options.words[0]
        root = task.root if task else self._folder
        words = self._options.words
        job = CommandRecord(self._id, begun, str(root), " ".join(words), label, why=str(why or ""))
        code, by = self._run_here()
        self._put(replace(job, code=code, seconds=round(time.time() - begun, 3), is_over=True))
        if by is not None:
            _die_by(by)
        return code

    def _run_here(self) -> tuple[int, int | None]:
        """The exit code as a shell tells it, and the signal that ended it."""
        given = {}
        words = list(self._options.words)
        if self._options.here:
            words = ["/bin/bash", "-c", self._options.here]
        else:
            while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
                name, _, value = words.pop(0).partition("=")
                given[name] = value
        # The terminal's interrupt reaches the command by itself; we wait for how it takes it.
        signal.signal(
            signal.SIGINT, lambda _number, _frame: None
        )  # a handler, as what is ignored is inherited
        try:
            process = subprocess.Popen(words, env={**os.environ, **given})
        except FileNotFoundError:
            sys.stderr.write(f"{words[0] if words else ''}: command not found\n")
            return 127, None
        except PermissionError:
            sys.stderr.write(f"{words[0]}: Permission denied\n")
            return 126, None
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _frame: process.send_signal(number))
        code = process.wait()
        return (128 - code, -code) if code < 0 else (code, None)

    # -- telling ------------------------------------------------------------------------------

    def _job(self, task: Task, worker: Worker, begun: float) -> CommandRecord:
        words = " ".join(self._options.words)
        job = CommandRecord(
            self._id,
            begun,
            str(task.root),
            words,
            task.plan.label,
            worker.name,
            worker.host,
        )
        self._put(job)
        return job

    def _note_leaving(self, given: Changes) -> None:
        """Before it leaves: whoever kills this process in the middle must still find what it has sent."""
        assert self._sending is not None
        self._sending = replace(
            self._sending, sent_bytes=given.size_bytes, sent_files=len(given.written), has_left=True
        )
        self._put(self._sending)

    def _keep_apart(self, job: CommandRecord) -> None:
        """Its command runs elsewhere now, and takes its name; what was sent is told all the same."""
        if job.has_left:
            self._put(replace(job, id=f"{job.id}-{job.worker}", is_over=True))

    def _put(self, job: CommandRecord) -> None:
        try:
            self._history.put(job)
        except OSError:  # a full disk must not change how a build ends
            return

    def _tell(self, reason: Reason) -> None:
        """A line on standard error; one about progress only where somebody watches, and it goes again."""
        if reason.code is OffloadReason.SENDING:
            if self._shows:
                sys.stderr.write(f"{_CLEAR}steward: {reason}")
                sys.stderr.flush()
                self._is_shown = True
            return
        self._clear()
        sys.stderr.write(f"steward: {reason}\n")
        sys.stderr.flush()

    def _clear(self) -> None:
        if self._is_shown:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()
            self._is_shown = False


def _die_by(number: int) -> NoReturn:
    """End by the signal itself, so that a shell sees what it would have seen of the command."""
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)
