"""The first thing that is read of a backup: what it is, what made it, and the hash of each file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from desktop.backup.contents import is_allowed
from desktop.errors import UserFacing

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
class Known:
    """What this program can read: its own version and the schema numbers that it knows."""

    program: str
    schema_numbers: dict[str, int]


def read(text: bytes) -> Manifest:
    """Raises UserFacing: `backup-newer`, or `backup-damaged` for what is no manifest."""
    try:
        facts = json.loads(text)
        if isinstance(facts, dict) and facts.get("format") == FORMAT and facts.get("version", 0) > VERSION:
            raise newer(str(facts.get("program", "")))
        manifest = Manifest.model_validate(facts)
    except (ValueError, ValidationError) as error:
        raise damaged("its list of contents cannot be read") from error
    if manifest.format != FORMAT:
        raise damaged("it is not a backup of Steward")
    names = [entry.name for entry in manifest.files]
    if len(set(names)) != len(names) or not all(is_allowed(name) for name in names):
        raise damaged("it names files that no backup has")
    return manifest


def check_schema(manifest: Manifest, known: Known) -> None:
    """Raises UserFacing where a newer program made it."""
    rooms = known.schema_numbers
    if any(number > rooms.get(room, number) for room, number in manifest.schema_numbers.items()):
        raise newer(manifest.program)


def newer(program: str) -> UserFacing:
    return UserFacing(
        f"This backup was made by a newer Steward ({program or 'of unknown version'}).",
        "Nothing was changed.",
        "Install that version here, then restore.",
        code="backup-newer",
    )


def damaged(reason: str) -> UserFacing:
    return UserFacing(
        f"This backup cannot be used: {reason}.",
        "Nothing was changed.",
        "Copy the file again from where it was kept, or take an older backup.",
        code="backup-damaged",
    )
