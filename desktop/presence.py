"""Which processes are at work in a profile: the tray app, and verbs in terminals beside it.

What a killed process left open is closed by the next start. Another one that lives has things open as well,
and would lose them, so whoever tidies looks first at who is there. A process is there as long as it holds the
lock of its own file, which the kernel lets go of with it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog
from filelock import FileLock, Timeout

from desktop.paths import PRIVATE_FILE, ensure

log = structlog.get_logger(__name__)

DOOR = "door"
SUFFIX = ".lock"
PATIENCE_S = 10.0  # for somebody who looks around, which takes some milliseconds


class Presence:
    """This process in one profile. Any thread."""

    def __init__(self, folder: Path) -> None:
        """`folder` is of such files alone. Where the disk refuses, nobody knows who is there."""
        self.name = secrets.token_hex(8)
        self._folder = folder
        self._door = FileLock(folder / f"{DOOR}{SUFFIX}", timeout=PATIENCE_S, mode=PRIVATE_FILE)
        self._own = self._lock(self.name)
        self._is_there = False
        try:
            ensure(folder)
            with self._door:
                self._own.acquire(blocking=False)
            self._is_there = True
        except (OSError, Timeout) as error:
            log.warning("nobody sees that this process is here", folder=str(folder), error=str(error))

    @contextmanager
    def others(self) -> Iterator[frozenset[str] | None]:
        """The names of the other processes; none comes until the end. None: nobody knows."""
        if not self._is_there:
            yield None
            return
        try:
            self._door.acquire()
        except (OSError, Timeout) as error:
            log.warning("who else is here is not known", folder=str(self._folder), error=str(error))
            yield None
            return
        try:
            yield frozenset(self._living())
        finally:
            self._door.release()

    def close(self) -> None:
        """Say that this process is not there any more."""
        self._own.release()
        if self._is_there:
            with suppress(OSError):  # whoever comes next removes it
                self._file(self.name).unlink()
        self._is_there = False

    def _living(self) -> Iterator[str]:
        """What has ended loses its file: behind the door nobody is about to lock one."""
        for file in self._folder.glob(f"*{SUFFIX}"):
            name = file.name.removesuffix(SUFFIX)
            if name in (DOOR, self.name):
                continue
            lock = self._lock(name)
            try:
                lock.acquire(blocking=False)
            except (OSError, Timeout):
                yield name
                continue
            lock.release()
            with suppress(OSError):
                file.unlink()

    def _lock(self, name: str) -> FileLock:
        return FileLock(self._file(name), thread_local=False, mode=PRIVATE_FILE)

    def _file(self, name: str) -> Path:
        return self._folder / f"{name}{SUFFIX}"
