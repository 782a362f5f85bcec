"""Which places a project's commands have made themselves: where nothing was when they named them first."""

from __future__ import annotations

import os
import re
import stat
import threading
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from desktop.gate.shell.words import ANY_MARK
from desktop.sandbox.confiner import SCRATCH

MOST = 2_000  # places, of all projects; one that is forgotten counts as somebody else's
MOST_ENTRIES = 2_000  # of the whole folder: each is held while a confined command runs, for some 10 µs
SHORTEST_SESSION = 16  # characters: a name that nobody else chooses by chance

_ENTRY = re.compile(rf"({SCRATCH}/[^/]+)(?:/.*)?")


class Scratch:
    """Methods may be called on any thread; they look at the disk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[tuple[str, str], None] = OrderedDict()

    def taken(self, owner: str, paths: Iterable[str]) -> tuple[str, ...]:
        """Of absolute `paths` those where something stands that this owner did not make."""
        return tuple(path for path in paths if path.startswith("/") and self._is_taken(owner, path))

    def places(self, owner: str, session: str, folder: Path, paths: Iterable[str]) -> tuple[str, ...]:
        """Of the places in /tmp that `paths` name, seen from `folder`, those that are the owner's.

        Entries that are free or that it made, and a folder that bears the name of the agent's session.
        """
        found: dict[str, None] = {}
        for path in paths:
            whole = os.path.normpath(os.path.join(folder, path))
            entry = _ENTRY.fullmatch(whole)
            if entry is None or ANY_MARK.search(path) or "\0" in path:
                continue
            of_session = _folder_of_session(whole, session)
            if of_session:
                found[of_session] = None
            elif not self._is_taken(owner, entry[1]):
                found[entry[1]] = None
        return tuple(found) if found and len(os.listdir(SCRATCH)) <= MOST_ENTRIES else ()

    def _is_taken(self, owner: str, path: str) -> bool:
        key = (owner, os.path.normpath(path))
        with self._lock:
            if not os.path.lexists(path):
                self._made[key] = None
                self._made.move_to_end(key)
                if len(self._made) > MOST:
                    self._made.popitem(last=False)
                return False
            return key not in self._made or os.path.islink(path)


def _folder_of_session(path: str, session: str) -> str:
    """The part of a path up to a folder of this user's that is named as the session, without links."""
    parts = path.split("/")
    if len(session) < SHORTEST_SESSION or session not in parts:
        return ""
    whole = "/".join(parts[: parts.index(session) + 1])
    try:
        status = os.lstat(whole)
    except OSError:
        return ""
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return whole if is_own and os.path.realpath(whole) == whole else ""


def leads_out(path: str, inside: Iterable[str]) -> bool:
    """Whether what is written at an absolute path lands beyond all of these places: by a link, or by a second
    name of the same file.
    """
    real = os.path.realpath(path)
    if not any(is_below(real, os.path.realpath(each)) for each in inside):
        return True
    try:
        status = os.lstat(real)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def is_below(path: str, place: str) -> bool:
    """Whether an absolute path is this place or lies in it."""
    return path == place or path.startswith(place.rstrip("/") + "/")
