"""What of a profile goes into a backup, and where it belongs.

In: the database (conversations, notes, memory, reminders, grants, audit log), the bytes kept for undo, the
settings, the places of windows. Models only when asked for. Never: secrets and tokens, which belong to one
computer; caches, logs and what runs; the assistant's folder, which holds the user's own files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.paths import Paths

DATABASE = "data/steward.sqlite3"
SETTINGS = "config/settings.toml"

# Below data/ and config/, what a restore replaces; the database's side files hold its latest words.
DATA_NAMES = ("steward.sqlite3-wal", "steward.sqlite3-shm", "steward.sqlite3", "audit-head.json", "journal")
CONFIG_NAMES = ("settings.toml", "window.json", "pages.json")
MODEL_LIST = "models.json"

_ALLOWED = re.compile(
    r"data/(steward\.sqlite3|audit-head\.json|journal/[0-9a-zA-Z._-]+(/[0-9a-zA-Z._-]+)?"
    r"|models/(models\.json|[^/\\:\x00]+\.gguf))"
    r"|config/(settings\.toml|window\.json|pages\.json)"
)


@dataclass(frozen=True)
class Entry:
    """A file of the profile and its name in the archive."""

    name: str
    path: Path


@dataclass(frozen=True)
class Sizes:
    """What a backup would take before compression; models by file name."""

    profile_bytes: int
    models_bytes: dict[str, int]


def is_allowed(name: str) -> bool:
    """Whether a name in an archive is one that a backup may hold: nothing leads out of the profile."""
    return _ALLOWED.fullmatch(name) is not None and ".." not in name.split("/")


def plain_files(paths: Paths) -> Iterator[Entry]:
    """Everything but the database and the models. The head of the audit log comes before the database is
    copied, so that it never names a record that the copy lacks.
    """
    for name in ("audit-head.json",):
        yield from _present(f"data/{name}", paths.data / name)
    for name in CONFIG_NAMES:
        yield from _present(f"config/{name}", paths.config / name)


def kept_bytes(paths: Paths) -> Iterator[Entry]:
    """What undo needs; after the database, whose rows name them."""
    if paths.journal.is_dir():
        for path in sorted(paths.journal.rglob("*")):
            yield from _present(f"data/journal/{path.relative_to(paths.journal).as_posix()}", path)


def models(paths: Paths) -> Iterator[Entry]:
    """The list of models and the files in the profile; one imported from elsewhere stays where it is."""
    yield from _present(f"data/models/{MODEL_LIST}", paths.models / MODEL_LIST)
    for path in sorted(paths.models.glob("*.gguf")):
        yield from _present(f"data/models/{path.name}", path)


def sizes(paths: Paths) -> Sizes:
    """What is offered before a backup is made."""
    files = (*plain_files(paths), *kept_bytes(paths), *_present(DATABASE, paths.database))
    large = {e.path.name: e.path.stat().st_size for e in models(paths) if e.path.suffix == ".gguf"}
    return Sizes(sum(entry.path.stat().st_size for entry in files), large)


def _present(name: str, path: Path) -> Iterator[Entry]:
    if path.is_file() and not path.is_symlink() and is_allowed(name):
        yield Entry(name, path)
