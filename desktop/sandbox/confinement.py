"""How a command that only reads is kept from writing and from the network, with what this system has.

`doctor` shows `available()`; whoever starts a command chooses `best(...)` and tells the user when it is NONE.
A method that was chosen and cannot be applied stops the command before it starts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from desktop.reasons import Reason
from desktop.sandbox import landlock, seccomp
from desktop.sandbox.refusals import SandboxReason


class Method(StrEnum):
    NONE = "none"
    LANDLOCK = "landlock"  # with a seccomp filter for what Landlock does not know
    BUBBLEWRAP = "bubblewrap"  # with the same filter


@dataclass(frozen=True)
class Available:
    """What this system offers."""

    landlock_abi: int  # 0: none
    seccomp: bool
    bubblewrap: str  # path of a bwrap that works; empty: none
    holds_folders: bool = True  # it takes descriptors of the folders that may be written to

    @property
    def methods(self) -> tuple[Method, ...]:
        """The usable ones, cheapest first: Landlock costs microseconds, bubblewrap some milliseconds."""
        usable = {
            Method.LANDLOCK: self.seccomp and self.landlock_abi >= landlock.OLDEST_ABI,
            Method.BUBBLEWRAP: self.seccomp and bool(self.bubblewrap),
        }
        return tuple(method for method, works in usable.items() if works)

    @property
    def best(self) -> Method:
        return self.methods[0] if self.methods else Method.NONE

    def reason(self) -> Reason:
        """What is said of it by `doctor`."""
        if self.best is Method.LANDLOCK:
            return SandboxReason.READS_HELD_BY_LANDLOCK.of(abi=self.landlock_abi)
        if self.best is Method.BUBBLEWRAP:
            held, named = SandboxReason.READS_HELD_BY_BUBBLEWRAP, SandboxReason.READS_HELD_BY_NAME
            return (held if self.holds_folders else named).of()
        if os.name == "nt":
            return SandboxReason.READS_FREE_ON_WINDOWS.of()
        return SandboxReason.READS_FREE.of(abi=landlock.OLDEST_ABI)


def available() -> Available:
    """Look what is there; starts bubblewrap once to see whether it works (some 20 ms)."""
    return Available(landlock.abi(), seccomp.is_available(), _working_bubblewrap(), takes_descriptors())


def _working_bubblewrap() -> str:
    path = shutil.which("bwrap")
    if path is None:
        return ""
    # Tried and not only found: where user namespaces are forbidden it is there and does not work.
    command = [*bubblewrap(path, "/", ()), "--", "true"]
    try:
        run = subprocess.run(command, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return path if run.returncode == 0 else ""


@cache
def takes_descriptors() -> bool:
    """Whether bwrap mounts a folder by its descriptor (`--bind-fd`), so that no link can take its place. Some
    versions before 0.11 have it as a mended fault. Asked once."""
    path = shutil.which("bwrap")
    if path is None:
        return False
    try:
        run = subprocess.run([path, "--help"], check=False, capture_output=True, timeout=5)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return b"--bind-fd" in run.stdout + run.stderr


def bubblewrap(path: str, folder: str, writable: Iterable[tuple[int, str]]) -> Sequence[str]:
    """The words before the command: everything readable, nothing writable but `writable` (descriptors and
    names), no network. A version that takes no descriptors is given the names."""
    holds = takes_descriptors()
    binds = [
        word
        for descriptor, name in writable
        for word in (("--bind-fd", str(descriptor), name) if holds else ("--bind", name, name))
    ]
    # No network; and processes of its own, so that signals and shared memory reach nobody outside.
    namespaces = ["--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    devices = ["--dev", "/dev", "--proc", "/proc"]
    return [
        path,
        "--ro-bind",
        "/",
        "/",
        *devices,
        *binds,
        *namespaces,
        "--die-with-parent",
        "--chdir",
        folder,
    ]
