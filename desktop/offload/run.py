"""One command, on a worker or here: what `steward offload run -- COMMAND` does.

Until the worker has said that the command begins, whatever goes wrong means that it runs here, as if nobody
had tried, with one line on standard error. Afterwards nothing is guessed: without the receipt there is no
exit code. A build is then run again here; of a test nobody knows what it has done, so it ends with 75.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType

from desktop.errors import WithReason
from desktop.offload import mirror, transfer
from desktop.offload.mirror import Changes, KnownFile, Listing, MirrorState
from desktop.offload.plan import WorkerPlan, passed_variables
from desktop.offload.programs import ALL, CommandKind, Programs
from desktop.offload.reasons import OffloadReason
from desktop.offload.session import LOST, WorkerCall, WorkerSession, launch_words
from desktop.offload.ssh import SshConnection, Unreachable
from desktop.offload.workers import Worker, mirror_key
from desktop.paths import Paths, ensure
from desktop.reasons import Reason

EXIT_LOST = 75  # EX_TEMPFAIL: try again
KILLED = 128 + signal.SIGKILL
WAITS_S = 60  # for another command in the same mirror
CLOCK_S = 3  # how far a worker's clock may be off
ANSWERS_S = 30.0  # how long the worker's own words may take, beyond that
LEAST_FREE_KB = 200_000
LATEST_AHEAD_S = 3.0
_REFUSALS = {
    "missing": OffloadReason.MISSING_THERE,
    "clock": OffloadReason.CLOCK,
    "busy": OffloadReason.BUSY,
    "full": OffloadReason.FULL,
    "fetch": OffloadReason.PREPARE_FAILED,
}


class NotBegun(WithReason):
    """The command has not begun on this worker, and never will."""


@dataclass(frozen=True)
class Task:
    """What is to run, and where it stands."""

    plan: WorkerPlan
    folder: Path
    root: Path
    programs: Programs
    limit_bytes: int
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def sub(self) -> str:
        below = os.path.relpath(self.folder, self.root)
        return "" if below == "." else below


NOTHING = Changes((), (), 0)


@dataclass(frozen=True)
class Ended:
    """How it went on the worker. `code` None: it was lost, for `why`."""

    code: int | None
    processor_s: float = 0.0
    sent: Changes = NOTHING
    fetched_bytes: int = 0
    why: Reason | None = None
    withheld: str = ""  # a secret that git sees, and that the worker did not have


class RemoteAttempt:
    """One command on one worker. The main thread calls; signals are passed on while it runs."""

    def __init__(
        self,
        task: Task,
        worker: Worker,
        paths: Paths,
        tell: Callable[[Reason], None],
        leaves: Callable[[Changes], None] = lambda _given: None,
    ) -> None:
        """`tell` shows a line of progress, or one that stays; `leaves` hears what will be sent."""
        self._task = task
        self._worker = worker
        self._paths = paths
        self._tell = tell
        self._leaves = leaves
        self._line = SshConnection(worker, paths.runtime)
        self._key = mirror_key(paths.data, task.root)
        self._known_file = KnownFile(paths, self._key, worker.name)
        self._session: WorkerSession | None = None
        self._is_given = False  # the worker may have begun, whether that was heard or not
        self._begun = False
        self._interrupts = 0

    @property
    def interrupted(self) -> bool:
        return self._interrupts > 0

    def run(self) -> Ended:
        """Raises NotBegun, and KeyboardInterrupt where it was interrupted before it had begun."""
        with self._signals():
            try:
                with self._lock():
                    return self._run()
            except Unreachable as error:
                raise NotBegun(error.reason) from error
            except mirror.Unlisted as error:
                raise NotBegun(error.reason) from error
            except OSError as error:
                if self._begun:
                    return Ended(
                        None, why=OffloadReason.NOT_FETCHED.of(worker=self._worker.name, why=str(error))
                    )
                raise NotBegun(OffloadReason.NOT_SENT.of(worker=self._worker.name, why=str(error))) from error
            finally:
                if self._session is not None:
                    self._session.close()

    # -- step by step -------------------------------------------------------------------------

    def _run(self) -> Ended:
        task = self._task
        self._line.open()
        known = self._known_file.read()
        looked_ns = mirror.now_ns()
        files = mirror.listing(task.root, task.plan.program, task.programs.heavy)
        if files.withheld and task.plan.kind is CommandKind.TEST:
            raise NotBegun(OffloadReason.TEST_WITHOUT_SECRET.of(path=files.withheld[0]))
        given = self._changes(files, known)
        # Its words and variables go with the first line, so even where no file has changed something leaves.
        self._leaves(given)
        session = self._session = WorkerSession(self._line, self._call(known, given))
        if self._prepared(session) == "fresh":
            known = MirrorState()
            given = self._changes(files, known)
            self._leaves(given)
        # From here on the mirror is no longer what is remembered, until all is back.
        self._known_file.forget()
        self._send(given)
        self._is_given = True
        if self._interrupts:
            raise KeyboardInterrupt
        session.go()
        return self._watched(session, files, known, given, looked_ns)

    def _changes(self, files: Listing, known: MirrorState) -> Changes:
        sends_outputs = self._task.plan.program.ignored == (ALL,)
        given = mirror.changes(self._task.root, files, known, sends_outputs)
        if given.size_bytes > self._task.limit_bytes:
            raise NotBegun(OffloadReason.TOO_LARGE.of(size=given.size_bytes))
        return given

    def _call(self, known: MirrorState, given: Changes) -> WorkerCall:
        task, program = self._task, self._task.plan.program
        variables = passed_variables(task.plan, task.environment, task.programs)
        return WorkerCall(
            key=self._key,
            root=str(task.root),
            sub=task.sub,
            home=str(Path.home()),
            words=task.plan.words,
            environment=variables,
            token=known.token or "none",
            clock=int(time.time()),
            need_kb=LEAST_FREE_KB + 2 * given.size_bytes // 1024,
            wait_s=WAITS_S,
            mask=_umask(),
            caches=program.caches,
            stays=program.stays,
            fetch=program.fetch if mirror.locks_id(task.root, program) else "",
            locks=mirror.locks_id(task.root, program),
            launch=launch_words(self._worker.partition, self._worker.options),
            has_network=program.has_network,
        )

    def _prepared(self, session: WorkerSession) -> str:
        """Whether the mirror is known or fresh. Raises NotBegun where the worker says no."""
        said = session.hear(WAITS_S + ANSWERS_S)
        if said[0] != "ready" or len(said) < 3:
            raise NotBegun(self._refusal(said))
        # Said before it is heard: a busy computer or a slow line makes no clock look ahead of ours.
        ahead_s = _whole(said[2]) - int(time.time())
        if ahead_s > CLOCK_S:
            raise NotBegun(OffloadReason.CLOCK.of(worker=self._worker.name, seconds=ahead_s))
        return said[1]

    def _refusal(self, said: tuple[str, ...]) -> Reason:
        worker = self._worker.name
        code = _REFUSALS.get(said[1]) if said[0] == "no" and len(said) > 1 else None
        detail = said[2] if len(said) > 2 else ""
        if code is OffloadReason.MISSING_THERE:
            return code.of(worker=worker, name=detail)
        if code is OffloadReason.CLOCK:
            return code.of(worker=worker, seconds=_whole(detail))
        if code is not None:
            return code.of(worker=worker)
        return OffloadReason.NOT_BEGUN.of(worker=worker)

    def _send(self, given: Changes) -> None:
        if given.are_none:
            return
        count = len(given.written) + len(given.removed)
        self._tell(OffloadReason.SENDING.of(worker=self._worker.name, count=count))
        staging = self._paths.mirrors / self._key / f"{self._worker.name}.outgoing"
        try:
            transfer.send(self._line, self._task.root, self._key, given, staging)
        except transfer.TransferFailed as error:
            raise NotBegun(OffloadReason.NOT_SENT.of(worker=self._worker.name, why=str(error))) from error

    def _watched(
        self, session: WorkerSession, files: Listing, known: MirrorState, given: Changes, looked_ns: int
    ) -> Ended:
        """From `go` to the receipt and what comes back."""
        receipt: int | None = None
        processor_s = 0.0
        while True:
            said = session.hear()
            if said[0] == "begun":
                self._begun = True
            elif said[0] == "spent" and len(said) >= 3:
                processor_s = _seconds(said[1]) + _seconds(said[2])
            elif said[0] == "exit" and len(said) >= 2:
                receipt = _whole(said[1])
            elif said[0] == "made" and len(said) >= 4:
                break
            elif said == LOST or said[0] == "no":
                return self._lost(said, receipt, given)
        if receipt is None or not self._begun:
            # The box could not be made, or the runner ended without a word: no exit code is the command's.
            return self._lost(LOST, None, given)
        code = receipt
        ended = Ended(code, processor_s, given, withheld=next(iter(files.withheld), ""))
        if (said[3] == "1" and code) or (code == KILLED and not self._interrupts):
            # A full disk or a want of memory there says nothing about how it would have ended here.
            return replace(ended, code=None, why=OffloadReason.FULL.of(worker=self._worker.name))
        return self._fetched(session, ended, (files, known, looked_ns), (said[1] != "0", said[2] != "0"))

    def _lost(self, said: tuple[str, ...], receipt: int | None, given: Changes) -> Ended:
        if not self._begun:
            raise NotBegun(self._refusal(said))
        why = OffloadReason.UNREACHABLE.of(worker=self._worker.name, why="the line went dead")
        if receipt is not None and self._task.plan.kind is CommandKind.TEST:
            # How a test ended is known; only what it wrote is not here.
            self._tell(OffloadReason.NOT_FETCHED.of(worker=self._worker.name, why="the line went dead"))
            return Ended(receipt, 0.0, given)
        return Ended(None, 0.0, given, why=why)

    def _fetched(
        self,
        session: WorkerSession,
        ended: Ended,
        seen: tuple[Listing, MirrorState, int],
        changed: tuple[bool, bool],
    ) -> Ended:
        """`changed`: whether the command made files, and whether it removed some."""
        files, known, looked_ns = seen
        root = self._task.root
        sent = dict(files.files)
        fetched = {path: stamp for path, stamp in known.fetched.items() if path not in sent}
        try:
            if any(changed):
                ended = self._brought_back(ended, sent, fetched, has_removed=changed[1])
        except (transfer.TransferFailed, OSError) as error:
            why = OffloadReason.NOT_FETCHED.of(worker=self._worker.name, why=str(error))
            if self._task.plan.kind is CommandKind.TEST:
                self._tell(why)
                return ended
            return replace(ended, code=None, why=why)
        for path in [path for path in fetched if mirror.stamp_of(root / path) is None]:
            del fetched[path]
        token = os.urandom(16).hex()
        # First here, then there: a token that the worker does not know costs a sync, never a wrong file.
        self._known_file.write(MirrorState(token, mirror.settled(sent, looked_ns), fetched))
        session.done(token)
        _wait_until_past(fetched)
        return ended

    def _brought_back(
        self, ended: Ended, sent: dict[str, mirror.Stamp], fetched: dict[str, mirror.Stamp], has_removed: bool
    ) -> Ended:
        root = self._task.root
        staging = self._paths.mirrors / self._key / f"{self._worker.name}.incoming"
        transfer.fetch(self._line, self._key, root, staging)
        gone = transfer.removed_there(self._line, self._key) if has_removed else ()
        placed = transfer.put_in_place(staging, root, sent, held_back())
        removed = transfer.remove_here(root, gone, fetched)
        for path in (*gone, *placed.kept):
            # The mirror no longer has what is here: it is to be sent the next time.
            sent.pop(path, None)
            fetched.pop(path, None)
        for path, stamp in placed.files.items():
            (sent if path in sent else fetched)[path] = stamp
        for path in removed:
            fetched.pop(path, None)
        if placed.kept:
            self._tell(OffloadReason.KEPT_YOURS.of(path=placed.kept[0], count=len(placed.kept)))
        return replace(ended, fetched_bytes=placed.size_bytes)

    # -- signals and the lock -----------------------------------------------------------------

    @contextmanager
    def _signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = {number: signal.signal(number, self._on_signal) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._interrupts += 1
        if self._session is None or not self._is_given:
            raise KeyboardInterrupt
        # A second one is meant: whoever asks again does not want to wait for the program's own end.
        self._session.interrupt(hard=number != signal.SIGINT or self._interrupts > 1)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """One command of this computer in a mirror: what is remembered of it is read and written under it."""
        if sys.platform == "win32":  # there is no ssh to share a connection, and no such lock
            raise NotBegun(OffloadReason.NOT_LINUX.of())
        import fcntl

        ensure(self._known_file.path.parent)
        with open(self._known_file.path.with_suffix(".lock"), "w", encoding="ascii") as file:
            until = time.monotonic() + WAITS_S
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError as error:
                    if time.monotonic() > until:
                        raise NotBegun(OffloadReason.BUSY.of(worker=self._worker.name)) from error
                    time.sleep(0.1)
            yield


def held_back() -> Callable[[str], bool]:
    """Whether a path is one that no command may change by way of a worker: git's own store, and what other
    programs act on by themselves, as project mode has it."""
    from desktop.sandbox.confinement_table import protected_paths

    patterns = [each.casefold() for each in protected_paths()]

    def is_held(path: str) -> bool:
        # Some disks take .GIT and .git for one.
        parts = Path(path.casefold()).parts
        heads = [Path(*parts[:count]) for count in range(1, len(parts) + 1)]
        return ".git" in parts or any(_matches(head, each) for head in heads for each in patterns)

    return is_held


def _matches(path: Path, pattern: str) -> bool:
    wanted = Path(pattern).parts
    return len(wanted) == len(path.parts) and path.match(pattern)


def _wait_until_past(fetched: Mapping[str, mirror.Stamp]) -> None:
    """A worker's clock may be a little ahead: what is edited next must look younger than what was built."""
    ahead_s = (max((stamp[1] for stamp in fetched.values()), default=0) - mirror.now_ns()) / 1e9
    if ahead_s > 0:
        time.sleep(min(ahead_s + 0.01, LATEST_AHEAD_S))


def _umask() -> int:
    """It can only be read by setting it; nothing is made meanwhile, before the first thread."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return 0


def _seconds(text: str) -> float:
    """bash's `times`: 1m2.345s."""
    minutes, _, seconds = text.rstrip("s").partition("m")
    try:
        return int(minutes) * 60 + float(seconds.replace(",", "."))
    except ValueError:
        return 0.0


def died_like(code: int) -> Sequence[int]:
    """The signal that an exit code of a shell stands for; empty for an ordinary one."""
    return (code - 128,) if code in (128 + signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGHUP) else ()
