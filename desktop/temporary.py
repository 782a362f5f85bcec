"""Temporary folders that do not outlive their process: what a killed one left goes with the next.

A `TemporaryDirectory` is removed by the process that made it, so a kill leaves it, and in it perhaps the
document or picture that was being read. These bear the number of their process, by which another one of this
program tells what nobody uses any more.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

_lock = threading.Lock()
_swept: set[Path] = set()  # once a process is often enough: folders are listed for it


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A folder of this user's alone in the system's temporary folder, gone at the end. Any thread."""
    parent = Path(os.path.realpath(tempfile.gettempdir()))  # on macOS /tmp is a link
    prefix = f"steward-{kind}-"
    with _lock:
        is_first = parent / prefix not in _swept
        _swept.add(parent / prefix)
    if is_first:
        remove_left(parent, prefix)
    with tempfile.TemporaryDirectory(dir=parent, prefix=f"{prefix}{os.getpid()}-") as made:
        yield Path(made)


def remove_left(parent: Path, prefix: str) -> None:
    """Remove the folders whose process has ended; those of other users refuse, and stay theirs."""
    for folder in parent.glob(f"{prefix}*"):
        if not is_used(folder, prefix):
            shutil.rmtree(folder, ignore_errors=True)


def is_used(folder: Path, prefix: str) -> bool:
    """Whether the process that made it is alive, or cannot be told from its name."""
    process = folder.name.removeprefix(prefix).partition("-")[0]
    # What no system call takes as a number may stand in a name, too.
    return not (process.isdecimal() and len(process) < 10) or psutil.pid_exists(int(process))
