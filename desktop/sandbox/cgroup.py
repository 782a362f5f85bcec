"""The cgroup of one command: the kernel lists and ends all that is in it in one step.

A folder below our own cgroup (version 2), where this user may make one. Who makes it holds a lock on it,
which the kernel lets go of when that process ends, however it ends. So whoever gets the lock knows that
nobody is answerable for the folder any more, also across containers, where a process id says nothing.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

ROOTS = (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified"))  # where version 2 may be
PREFIX = "steward-run-"
ENDED_S = 1.0  # a killed process needs a moment
LOOK_S = 0.005


class Cgroup:
    """The control group of one run. Used by one thread."""

    def __init__(self, path: Path, lock: int) -> None:
        """`lock` is the descriptor that holds it until `close`."""
        self.path = path
        self._lock = lock

    def end_all(self) -> int:
        """Kill whoever is in it; how many there were."""
        try:
            count = len(_members(self.path))
            _kill(self.path)
            deadline = time.monotonic() + ENDED_S
            while _members(self.path) and time.monotonic() < deadline:
                time.sleep(LOOK_S)
        except OSError as error:  # older than Linux 5.14: a command has other marks, too
            log.debug("the cgroup can't be ended", error=str(error))
            return 0
        return count

    def close(self) -> None:
        """Give it back; everything in it has ended. What stays is cleared with the next one.

        Safe to call twice.
        """
        lock, self._lock = self._lock, -1
        if lock < 0:
            return
        deadline = time.monotonic() + ENDED_S
        while error := _not_removed(self.path):
            if time.monotonic() > deadline:
                log.warning("the cgroup of a command stays for now", path=str(self.path), error=error)
                break
            time.sleep(LOOK_S)
        os.close(lock)


def new_cgroup(roots: tuple[Path, ...] = ROOTS) -> Cgroup | None:
    """One that nobody else has, after those of dead owners are cleared; None where there can't be any."""
    own = _own(roots)
    if own is None:
        return None
    clear_left(roots)
    while True:
        path = own / f"{PREFIX}{secrets.token_hex(8)}"
        try:
            path.mkdir()
            lock = _locked(path, wait=True)
        except FileNotFoundError:  # cleared by another Steward before it was locked
            continue
        except OSError:
            return None
        if path.exists():
            return Cgroup(path, lock)
        os.close(lock)  # as above, a moment later


def clear_left(roots: tuple[Path, ...] = ROOTS) -> None:
    """End what runs in cgroups whose owners are gone, and remove them."""
    own = _own(roots)
    for path in own.glob(f"{PREFIX}*") if own is not None else ():
        with contextlib.suppress(OSError), _taken(path):
            _kill(path)
            # Who has just been killed is still in it: then it goes with the next look.
            _not_removed(path)


def _own(roots: tuple[Path, ...]) -> Path | None:
    """The folder of the cgroup that this process is in."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        own = next(line.removeprefix("0::/") for line in lines if line.startswith("0::"))
        return next(each for each in roots if (each / "cgroup.procs").exists()) / own
    except (OSError, StopIteration):
        return None


@contextmanager
def _taken(path: Path) -> Iterator[None]:
    """Raises OSError where somebody has it."""
    lock = _locked(path, wait=False)
    try:
        yield
    finally:
        os.close(lock)


def _locked(path: Path, wait: bool) -> int:
    import fcntl

    lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BaseException:
        os.close(lock)
        raise
    return lock


def _members(path: Path) -> list[str]:
    return (path / "cgroup.procs").read_text().split()


def _kill(path: Path) -> None:
    (path / "cgroup.kill").write_text("1")


def _not_removed(path: Path) -> str:
    """Why it is still there; empty when it is gone. A command may have made cgroups of its own inside."""
    try:
        for folder, _, _ in os.walk(path, topdown=False):
            os.rmdir(folder)
    except OSError as error:
        return str(error)
    return ""
