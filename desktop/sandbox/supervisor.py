"""The parent of one command: starts it confined, knows all its descendants, and ends them all.

Runs as a process of its own between Steward and the command, with the bare interpreter (`-I -S`). On Linux
it is a subreaper: a grandchild that turns itself into a daemon becomes its child instead of init's, so that
"no children left" means that the whole tree is gone. It ends the tree when the command ends, when it is told
to, and when Steward itself is gone, which it notices at the end of the control pipe.

Control pipe in: `t` end the tree politely, then by force; end of file: at once by force. Status pipe out: one
JSON object per line, `started`, `refused` or `ended`; while that takes, `ending` each second.

Imports only the standard library, `landlock` and `seccomp`.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import resource
import select
import signal
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.sandbox import landlock, seccomp

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
PAGE_BYTES = resource.getpagesize()
LOOK_S = 0.05  # between two counts of the tree
FORCE_S = 5.0  # after this, who may not be killed is reported instead of waited for
DYING_S = 60.0  # the same for who was killed: the kernel takes seconds to free gigabytes
TELL_S = 1.0
AT_ONCE = 500  # processes that are looked for before those are ended: a fork bomb grows while it is counted
MOST_TASKS = 2000  # beside those of the system at the start; the kernel's own limit, but not for root
BLOCK_BYTES = 512  # in which the system counts what a file takes
PROC = Path("/proc")
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - the system's own


@dataclass(frozen=True)
class Task:
    """What the supervisor is told, as JSON in its last argument."""

    argv: list[str]
    folder: int  # descriptor
    method: str
    writable: list[int]  # descriptors of folders
    control: int  # descriptor to read
    status: int  # descriptor to write
    processes: int  # more than so many at once end the tree
    memory_bytes: int  # more than that in all of them too
    file_bytes: int  # no file may grow beyond
    open_files: int  # no process may have more
    queue_mark: int  # see `marks`; 0: none
    cgroup: str  # folder; empty: none
    grace_s: float  # between asking and force


def main() -> None:
    """The whole life of the supervisor."""
    task = Task(**json.loads(sys.argv[-1]))
    # The command may not look into this process, nor write reports of its own through /proc/…/fd; root may.
    _prctl(PR_SET_DUMPABLE, 0)
    for descriptor in (task.control, task.status):
        # The command must not write reports of its own, nor hold the pipe whose end tells of ours.
        os.set_inheritable(descriptor, False)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    waker = _waker()
    child, trouble = _start(task)
    _let_go_of_output()
    if trouble:
        os.waitpid(child, 0)
        _tell(task, {"event": "refused", **trouble})
        return
    _tell(task, {"event": "started", "pid": child})
    _tell(task, {"event": "ended", **Tree(child, task).watch(waker)})


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _waker() -> int:
    """A descriptor that becomes readable when a child has ended."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    # Python refuses a wake-up descriptor that could block inside a signal.
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reader


def _start(task: Task) -> tuple[int, dict[str, Any]]:
    """The process id of the command, and what kept it from starting (empty when it runs)."""
    reader, writer = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        _become_command(task, writer, parent)
    os.close(writer)
    with os.fdopen(reader, "rb") as trouble:  # at its end the command runs: exec closes the pipe
        said = trouble.read()
    return child, json.loads(said) if said else {}


def _become_command(task: Task, trouble: int, parent: int) -> None:
    """In the child: give up rights, then become the command. Never returns."""
    step = "prepare"
    try:
        _prctl(PR_SET_DUMPABLE, 1)  # else the files of its own below /proc are not its own
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # Python ignores these and a child inherits that: in `yes | head` the first would complain.
        for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored_by_python, signal.SIG_DFL)
        # Of its own: `_force` kills groups, and ours must not be among them.
        os.setsid()
        os.fchdir(task.folder)
        os.close(task.folder)
        _bind(task, parent)
        _limit(task)
        step = "confine"
        argv = _confine(task)
        step = "exec"
        os.execvp(argv[0], argv)  # noqa: S606 - a list of words, on purpose without a shell
    except BaseException as error:  # the edge of this process: told through the pipe
        number = error.errno if isinstance(error, OSError) else None
        os.write(trouble, json.dumps({"step": step, "errno": number, "reason": str(error)}).encode())
    finally:
        os._exit(127)


def _bind(task: Task, parent: int) -> None:
    """What ends the command, and finds what it starts, also when it kills the supervisor."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before that was set
        os._exit(127)
    if task.cgroup:
        _note(Path(task.cgroup) / "cgroup.procs", "0")
    if task.queue_mark:
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, (task.queue_mark, task.queue_mark))
    if sys.platform.startswith("linux"):
        # Where memory runs out all the same, the kernel ends commands before the user's programs.
        _note(PROC / "self" / "oom_score_adj", "1000")


def _note(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError:  # a container without it: then the other marks and limits hold
        return


def _limit(task: Task) -> None:
    # A core file would hold the memory of the command, secrets and all, in its folder.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A limit that whoever started Steward has set holds for what Steward starts.
    soft = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    file_bytes = task.file_bytes if soft == resource.RLIM_INFINITY else min(task.file_bytes, soft)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    # The kernel keeps account of each in memory that nobody counts. A program may raise the lower limit.
    own, most = (
        task.open_files if each == resource.RLIM_INFINITY else min(task.open_files, each)
        for each in resource.getrlimit(resource.RLIMIT_NOFILE)
    )
    resource.setrlimit(resource.RLIMIT_NOFILE, (own, most))
    _limit_tasks()


def _limit_tasks() -> None:
    """Processes and threads of this user: what the supervisor ends too late, the kernel refuses to start."""
    system = tasks_of_system()
    if not system:  # there is nothing to count from
        return
    limits = resource.getrlimit(resource.RLIMIT_NPROC)
    most = min([system + MOST_TASKS, *(each for each in limits if each != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def _confine(task: Task) -> list[str]:
    """Apply what can be applied here; returns the words to start."""
    if task.method == "landlock":
        landlock.forbid_writing(task.writable)
        seccomp.apply()
        for folder in task.writable:
            os.close(folder)
    elif task.method == "bubblewrap":
        place = task.argv.index("--seccomp")  # bubblewrap reads the filter from the descriptor after it
        reader, writer = os.pipe()
        os.write(writer, seccomp.program())  # some hundred bytes: fits into the pipe
        os.close(writer)
        os.set_inheritable(reader, True)
        return [*task.argv[: place + 1], str(reader), *task.argv[place + 1 :]]
    return task.argv


def _let_go_of_output() -> None:
    """So that the end of the output is the end of the tree, not of the supervisor."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _tell(task: Task, message: dict[str, Any]) -> None:
    try:
        # On a line of its own, whatever somebody else has begun there.
        os.write(task.status, b"\n" + json.dumps(message).encode() + b"\n")
    except BrokenPipeError:  # Steward is gone; there is nobody to tell
        return


class Tree:
    """The command and all its descendants."""

    def __init__(self, child: int, task: Task) -> None:
        self._child = child
        self._task = task
        self._code: int | None = None  # of the command; negative for a signal
        self._peak = 1
        self._groups = {child}
        self._others = tasks_of_system()  # all of the system's tasks but the command's
        self._before = MemoryBefore(shared_bytes(), named_bytes())

    def watch(self, waker: int) -> dict[str, Any]:
        """Wait for the end, or bring it about; what happened."""
        ending = self._wait(waker)
        known = descendants(self._task.processes + 1)
        if ending == "too many processes":
            _end(known)  # at once: whatever comes first, it doubles meanwhile
        # Bubblewrap's own first process is one of those.
        leftovers = max(0, len(known) - (self._task.method == "bubblewrap"))
        if ending == "terminate":
            self._ask_to_end(waker)
        survivors = self._force()
        return {
            "code": self._code,
            "told": ending,
            "leftovers": leftovers,
            "survivors": survivors,
            "peak": self._peak,
        }

    def _wait(self, waker: int) -> str:
        while True:
            ready, _, _ = select.select([waker, self._task.control], [], [], LOOK_S)
            if self._task.control in ready:
                return "terminate" if os.read(self._task.control, 1) else "kill"
            if waker in ready:
                os.read(waker, 4096)
            self._reap()
            if self._code is not None:
                return "nothing"
            tree = self._look()
            self._peak = max(self._peak, len(tree))
            if self._peak > self._task.processes:
                return "too many processes"
            if uses_more(tree, self._task.memory_bytes, self._before):
                return "too much memory"

    def _look(self) -> list[int]:
        """The tree as it is now, held still for the look where the system suddenly has many more tasks.

        On a busy computer a fork bomb doubles faster than anybody gets to count it. How many tasks there are
        takes one read, and what is stopped does not multiply; where they were somebody else's, or threads,
        the command goes on some milliseconds later.
        """
        tasks, held = tasks_of_system(), set[int]()
        if tasks - self._others > self._task.processes:
            held = {group for group in self._groups if _signal(-group, signal.SIGSTOP)}
        tree = descendants(self._task.processes + 1)
        self._others = tasks - len(tree)
        self._groups = _groups(tree)
        if len(tree) <= self._task.processes:
            for group in held:
                _signal(-group, signal.SIGCONT)
        return tree

    def _ask_to_end(self, waker: int) -> None:
        # Everybody is asked, not only the command: what it started may hold locks of its own.
        for pid in descendants(AT_ONCE):
            _signal(pid, signal.SIGTERM)
        deadline = time.monotonic() + self._task.grace_s
        while self._reap() and (left := deadline - time.monotonic()) > 0:
            select.select([waker], [], [], min(left, 0.01))

    def _force(self) -> int:
        """Kill until nobody is left; how many live on.

        Those are another user's, after `FORCE_S`, or killed and held in the kernel, after `DYING_S`.
        """
        begun = announced = time.monotonic()
        while self._reap():
            is_dying = _end(descendants(AT_ONCE))
            now = time.monotonic()
            if now - begun > (DYING_S if is_dying else FORCE_S):
                break
            if now - announced > TELL_S:
                announced = now
                _tell(self._task, {"event": "ending"})
            # Killed processes need the scheduler once more before they can be reaped.
            time.sleep(0.002)
        return len(descendants(AT_ONCE))

    def _reap(self) -> bool:
        """Collect who has ended; False when there is no child any more."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._child:
                self._code = os.waitstatus_to_exitcode(status)


def _end(processes: list[int]) -> bool:
    """Kill them and their groups; whether one of them could be."""
    # A group is killed in one step, in which none of it can fork; so even a fork bomb runs dry.
    for group in _groups(processes):
        _signal(-group, signal.SIGKILL)
    return sum(_signal(pid, signal.SIGKILL) for pid in processes) > 0  # each, whatever becomes of the first


def descendants(limit: int) -> list[int]:
    """Process ids of children and their children, at most about `limit`, so that the look ends where they
    multiply faster than they are looked at; empty where /proc is missing."""
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting and len(found) < limit:
        below = _children(waiting.pop())
        found += below
        waiting += below
    return found


def _children(pid: int) -> list[int]:
    try:
        threads = list((PROC / str(pid) / "task").iterdir())
        return [int(word) for thread in threads for word in (thread / "children").read_text().split()]
    except OSError:  # it ended while we looked, or this is no Linux
        return []


@dataclass(frozen=True)
class MemoryBefore:
    """What the whole system had before a command began."""

    shared_bytes: int
    named_bytes: int


def uses_more(pids: list[int], most_bytes: int, before: MemoryBefore) -> bool:
    """Whether these processes together hold more memory than that; what they share counts once.

    First by a sum that is quick and too high, then, where that is more, exactly, but for files with a name in
    memory: whoever made one, it counts from the moment in which the command began.
    """
    shared = max(0, shared_bytes() - before.shared_bytes)
    if sum(map(_resident_bytes, pids)) + shared <= most_bytes:
        return False
    sizes = [_own_bytes(pid) for pid in pids]
    mapped = sum(shared for _, shared in sizes)
    named = named_bytes() - before.named_bytes
    # Of a file in memory that is mapped, too, the larger figure: its pages are in both.
    return sum(own for own, _ in sizes) + max(mapped, _in_memory_files(pids), named) > most_bytes


def named_bytes() -> int:
    """What the files in the system's place of shared memory take, which outlive whoever made them."""
    try:
        found = os.statvfs(SHARED_MEMORY)
    except OSError:  # not on this system
        return 0
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def shared_bytes() -> int:
    """What all files in memory and shared pages of this system take; 0 where that is not told."""
    return _kilobytes(PROC / "meminfo", "Shmem:")["Shmem:"]


def _resident_bytes(pid: int) -> int:
    try:
        return int((PROC / str(pid) / "statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError):  # it ended while we looked
        return 0


def _own_bytes(pid: int) -> tuple[int, int]:
    """Its part of what it holds, without and of shared memory: pages that several processes share are divided
    among them."""
    sizes = _kilobytes(PROC / str(pid) / "smaps_rollup", "Pss:", "Pss_Shmem:")
    return sizes["Pss:"] - sizes["Pss_Shmem:"], sizes["Pss_Shmem:"]


def _in_memory_files(pids: list[int]) -> int:
    """Of files without a name in memory, which no process has to map: they go with the last one that has them
    open."""
    found: dict[tuple[int, int], int] = {}
    for pid in pids:
        for each in _open_files(pid):
            if stat.S_ISREG(each.st_mode) and each.st_nlink == 0 and each.st_dev in _memory_devices():
                found[each.st_dev, each.st_ino] = each.st_blocks * BLOCK_BYTES
    return sum(found.values())


def _open_files(pid: int) -> Iterator[os.stat_result]:
    try:
        names = os.listdir(PROC / str(pid) / "fd")
    except OSError:  # it ended while we looked, or may not be looked into
        return
    for name in names:
        with contextlib.suppress(OSError):
            yield os.stat(PROC / str(pid) / "fd" / name)


@functools.cache
def _memory_devices() -> frozenset[int]:
    if not sys.platform.startswith("linux"):
        return frozenset()
    unnamed = os.memfd_create("steward")
    devices = {os.fstat(unnamed).st_dev}
    os.close(unnamed)
    with contextlib.suppress(OSError):
        devices.add(os.stat(SHARED_MEMORY).st_dev)
    return frozenset(devices)


def _kilobytes(file: Path, *fields: str) -> dict[str, int]:
    """Lines of a file below /proc, as bytes; 0 for what it does not tell."""
    values = dict.fromkeys(fields, 0)
    try:
        lines = file.read_text().splitlines()
    except OSError:  # the process ended, or may not be looked into
        return values
    values.update((line.split()[0], int(line.split()[1]) * 1024) for line in lines if line.startswith(fields))
    return values


def _groups(processes: list[int]) -> set[int]:
    """The process groups of processes that still are there; never our own."""
    return {_group(pid) for pid in processes} - {0, os.getpgrp()}


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def tasks_of_system() -> int:
    """Processes and threads of everybody; 0 where that is not told."""
    try:
        return int((PROC / "loadavg").read_text().split()[3].partition("/")[2])
    except OSError:  # no Linux
        return 0


def _signal(pid: int, number: int) -> bool:
    """False where it is gone, or another user's."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    main()
