"""A history that lives as long as the command: `ask` and `chat` keep nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from desktop.chat.store import ChatStore

PREFIX = "steward-session-"  # then the process and something random


@contextmanager
def forgotten_store() -> Iterator[ChatStore]:
    """Gone when the command ends. What a killed one has left goes with the next."""
    from desktop.chat.migrations import MIGRATIONS
    from desktop.database import Database

    _forget_what_was_left()
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as folder:
        database = Database(Path(folder) / "session.sqlite3", MIGRATIONS)
        try:
            yield ChatStore(database)
        finally:
            database.close()


def _forget_what_was_left() -> None:
    """Folders of other users refuse, and stay theirs."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*-*"):
        process = folder.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdecimal() and not psutil.pid_exists(int(process)):
            shutil.rmtree(folder, ignore_errors=True)
