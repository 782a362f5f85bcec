"""Whose child a process is, when its parents can't tell any more.

A command can kill the supervisor above it. What it has left running then hangs below init, like any daemon.
Three marks say that it belongs to us, each inherited by every process that a marked one starts:

- a cgroup of its own (version 2, where this user may make one, as below systemd): the kernel lists and ends
all
  that is in it in one step;
- an odd hard limit on the size of message queues, which hardly any program knows and which can't be raised
again; - a variable in the environment, for systems without the others.

A process that knows of the marks and takes all of them off gets away where there is no cgroup.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import structlog

log = structlog.get_logger(__name__)

VARIABLE = "STEWARD_CHILD"
QUEUE_BYTES = 819_200  # Linux's own limit of message queues
QUEUE_MARKS = 65_536
ENDED_S = 1.0  # a killed process needs a moment
LOOK_S = 0.005
CGROUPS = Path("/sys/fs/cgroup")
_QUEUE_LIMIT = re.compile(rb"^Max msgqueue size\s+\S+\s+(\d+)", re.M)


@dataclass(frozen=True)
class Marks:
    """Of one run. `queue_bytes` is 0 and `cgroup` None where the system has no such thing."""

    word: str
    queue_bytes: int
    cgroup: Path | None

    def end_all(self) -> int:
        """Kill whoever carries one of the marks, until nobody does; how many there were."""
        killed = self._end_group()
        while found := [process for process in psutil.process_iter() if self._are_on(process)]:
            for process in found:
                process.kill()
            psutil.wait_procs(found, timeout=1.0)
            killed += len(found)
        return killed

    def close(self) -> None:
        """Give the cgroup back; everything in it has ended."""
        if self.cgroup is None:
            return
        deadline = time.monotonic() + ENDED_S
        while error := _not_removed(self.cgroup):
            if time.monotonic() > deadline:  # another user's process is in it; it goes with the session
                log.warning("the cgroup of a command stays", path=str(self.cgroup), error=error)
                return
            time.sleep(LOOK_S)

    def _end_group(self) -> int:
        if self.cgroup is None:
            return 0
        try:
            members = len(self._members(self.cgroup))
            (self.cgroup / "cgroup.kill").write_text("1")
            deadline = time.monotonic() + ENDED_S
            while self._members(self.cgroup) and time.monotonic() < deadline:
                time.sleep(LOOK_S)
        except OSError as error:  # older than Linux 5.14: the other marks are there
            log.debug("the cgroup can't be ended", error=str(error))
            return 0
        return members

    @staticmethod
    def _members(cgroup: Path) -> list[str]:
        return (cgroup / "cgroup.procs").read_text().split()

    def _are_on(self, process: psutil.Process) -> bool:
        try:
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                return False
            return self._has_limit(process.pid) or process.environ().get(VARIABLE) == self.word
        except (psutil.Error, OSError):  # gone, or another user's
            return False

    def _has_limit(self, pid: int) -> bool:
        if not self.queue_bytes:
            return False
        found = _QUEUE_LIMIT.search(Path(f"/proc/{pid}/limits").read_bytes())
        return found is not None and int(found[1]) == self.queue_bytes


def new_marks(cgroups: Path = CGROUPS) -> Marks:
    """Marks that no other run has."""
    return Marks(secrets.token_hex(8), _queue_mark(), _new_cgroup(cgroups))


def _not_removed(folder: Path) -> str:
    """Why it is still there; empty when it is gone."""
    try:
        folder.rmdir()
    except OSError as error:
        return str(error)
    return ""


def _queue_mark() -> int:
    if not sys.platform.startswith("linux"):
        return 0
    import resource

    hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]
    most = QUEUE_BYTES if hard == resource.RLIM_INFINITY else hard
    return max(0, most - 1 - secrets.randbelow(min(QUEUE_MARKS, max(1, most // 2))))


def _new_cgroup(cgroups: Path) -> Path | None:
    """A folder below our own cgroup; None where there is no version 2 or where we may not make one."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line.removeprefix("0::/") for line in lines if line.startswith("0::"))
        root = next(each for each in (cgroups, cgroups / "unified") if (each / "cgroup.procs").exists())
        group = root / own / f"steward-{secrets.token_hex(8)}"
        group.mkdir()
    except (OSError, StopIteration):
        return None
    return group
