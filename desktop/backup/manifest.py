"""What of a profile goes into a backup, and the manifest, which is read of it first.

In: the database (conversations, notes, memory, reminders, grants, audit log, what extensions keep), the bytes
kept for undo, the settings, the places of windows, the installed extensions, the user's own skills. Models
only when asked for.
Never: secrets and tokens, which belong to one computer; caches, logs and what runs; the assistant's folder,
which holds the user's own files. The manifest says what made the backup, and the hash of each file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from desktop.backup.reasons import BackupReason
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.reasons import Reason

DATABASE = "data/steward.sqlite3"
SETTINGS = "config/settings.toml"


# Below data/ and config/, what a restore replaces; the database's side files hold its latest words.
DATA_NAMES = (
    "steward.sqlite3-wal",
    "steward.sqlite3-shm",
    "steward.sqlite3",
    "audit-head.json",
    "served-tools.json",
    "journal",
    "extensions",
    "skills",
)

CONFIG_NAMES = ("settings.toml", "window.json", "pages.json")
MODEL_LIST = "models.json"


# What an archive may hold is a list and no rule about paths: a name that leads out of the profile is simply
# not on it.
_ALLOWED = re.compile(
    r"data/(steward\.sqlite3|audit-head\.json|served-tools\.json|journal/[0-9a-zA-Z._-]+(/[0-9a-zA-Z._-]+)?"
    r"|extensions/(registry\.json|[a-z0-9-]+(/[0-9a-zA-Z_][0-9a-zA-Z._-]*){1,7})"
    # No sign that a file system of another computer refuses, and no bytes that are no text: the whole backup
    # could not be restored there.
    r"|skills/[^/\\:*?\"<>|\x00-\x1f\ud800-\udfff]+(/[^/\\:*?\"<>|\x00-\x1f\ud800-\udfff]+){1,7}"
    r"|models/(models\.json|[^/\\:\x00]+\.gguf))"
    r"|config/(settings\.toml|window\.json|pages\.json)"
)


@dataclass(frozen=True)
class ArchiveEntry:
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


def plain_files(paths: Paths) -> Iterator[ArchiveEntry]:
    """Everything but the database and the models. The head of the audit log comes before the database is
    copied, so that it never names a record that the copy lacks.
    """
    # Without what was agreed to, a restored profile would agree to whatever servers say by then.
    for name in ("audit-head.json", "served-tools.json"):
        yield from _present(f"data/{name}", paths.data / name)
    for name in CONFIG_NAMES:
        yield from _present(f"config/{name}", paths.config / name)
    # What they keep is in the database; restored, each is checked against its hashes as at any start.
    for path in sorted(paths.extensions.rglob("*")):
        yield from _present(f"data/extensions/{path.relative_to(paths.extensions).as_posix()}", path)
    # Written by hand: nobody could bring them back.
    for path in sorted(paths.skills.rglob("*")):
        yield from _present(f"data/skills/{path.relative_to(paths.skills).as_posix()}", path)


def left_out(paths: Paths) -> tuple[str, ...]:
    """Files of the user's own skills that no backup takes, below the folder of skills: links, names that some
    file system refuses, and what lies in no skill's folder or too deep. For people: bytes that are no text
    are spelled out."""
    taken = {entry.path for entry in plain_files(paths)}
    files = (path for path in sorted(paths.skills.rglob("*")) if path.is_symlink() or not path.is_dir())
    names = (path.relative_to(paths.skills).as_posix() for path in files if path not in taken)
    return tuple(os.fsencode(name).decode("utf-8", "backslashreplace") for name in names)


def kept_bytes(paths: Paths) -> Iterator[ArchiveEntry]:
    """What undo needs; after the database, whose rows name them."""
    if paths.journal.is_dir():
        for path in sorted(paths.journal.rglob("*")):
            yield from _present(f"data/journal/{path.relative_to(paths.journal).as_posix()}", path)


def models(paths: Paths) -> Iterator[ArchiveEntry]:
    """The list of models and the files in the profile; one imported from elsewhere stays where it is."""
    yield from _present(f"data/models/{MODEL_LIST}", paths.models / MODEL_LIST)
    for path in sorted(paths.models.glob("*.gguf")):
        yield from _present(f"data/models/{path.name}", path)


def sizes(paths: Paths) -> Sizes:
    """What is offered before a backup is made."""
    files = (*plain_files(paths), *kept_bytes(paths), *_present(DATABASE, paths.database))
    large = {e.path.name: e.path.stat().st_size for e in models(paths) if e.path.suffix == ".gguf"}
    return Sizes(sum(entry.path.stat().st_size for entry in files), large)


def _present(name: str, path: Path) -> Iterator[ArchiveEntry]:
    # A link could bring a file from elsewhere into the archive, a secret among them.
    if path.is_file() and not path.is_symlink() and is_allowed(name):
        yield ArchiveEntry(name, path)


FORMAT, VERSION = "steward-backup", 1

NAME = "manifest.json"
LARGEST_BYTES = 16 * 1024 * 1024  # of the manifest itself


class FileEntry(BaseModel):
    """One file of the archive."""

    model_config = ConfigDict(frozen=True)

    name: str
    size_bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Manifest(BaseModel):
    """`schema_numbers`: the last step of each room of the database."""

    model_config = ConfigDict(frozen=True)

    format: str = FORMAT
    version: int = VERSION
    program: str
    made_at: datetime
    system: str
    schema_numbers: dict[str, int]
    files: tuple[FileEntry, ...]

    @property
    def total_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.files)

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(e.name.rsplit("/", 1)[1] for e in self.files if e.name.endswith(".gguf"))


@dataclass(frozen=True)
class ReadableVersions:
    """What this program can read: its own version and the schema numbers that it knows."""

    program: str
    schema_numbers: dict[str, int]


def read(text: bytes) -> Manifest:
    """Raises UserFacing: `backup-newer`, or `backup-damaged` for what is no manifest."""
    try:
        facts = json.loads(text)
        # Before the fields are checked: a newer form may have others, and is not damaged.
        version = facts.get("version") if isinstance(facts, dict) and facts.get("format") == FORMAT else None
        if isinstance(version, int) and version > VERSION:
            raise newer(str(facts.get("program", "")))
        manifest = Manifest.model_validate(facts)
    except (ValueError, ValidationError, RecursionError) as error:
        raise damaged(BackupReason.CONTENTS_UNREADABLE.of()) from error
    if manifest.format != FORMAT:
        raise damaged(BackupReason.NOT_A_BACKUP.of())
    names = [entry.name for entry in manifest.files]
    # A name that stands twice could be checked as one file and unpacked as the other.
    if len(set(names)) != len(names) or not all(is_allowed(name) for name in names):
        raise damaged(BackupReason.FILES_UNKNOWN.of())
    return manifest


def check_schema(manifest: Manifest, known: ReadableVersions) -> None:
    """Raises UserFacing where a newer program made it."""
    rooms = known.schema_numbers
    if any(number > rooms.get(room, number) for room, number in manifest.schema_numbers.items()):
        raise newer(manifest.program)


def newer(program: str) -> UserFacing:
    return UserFacing(BackupReason.BACKUP_NEWER.of(version=program or BackupReason.VERSION_UNKNOWN.of()))


def damaged(reason: Reason) -> UserFacing:
    return UserFacing(BackupReason.BACKUP_DAMAGED.of(reason=reason))
