"""Making a backup: a zip file that has its name only once it is whole."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil
import structlog

from desktop.backup.manifest import (
    DATABASE,
    NAME,
    SETTINGS,
    ArchiveEntry,
    FileEntry,
    Manifest,
    kept_bytes,
    left_out,
    models,
    plain_files,
)
from desktop.backup.reasons import BackupReason
from desktop.database import copy_file, facts_of
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure, private, read_own

log = structlog.get_logger(__name__)

SCRATCH = "backup-"  # begins the folder of a backup that is being made; the number of its process follows
_PROCESS = re.compile(r"[0-9]{1,9}")  # also what no system call takes may stand in a name
PART, PART_SUFFIX = "part.txt", ".part"
PIECE_BYTES = 1024 * 1024
_CREDENTIALS = re.compile(r"(://)[^/\s\"'@]+@")


@dataclass(frozen=True)
class Backup:
    """What was written; `left_out` are files of the user's that were not, as `manifest.left_out` has them."""

    manifest: Manifest
    left_out: tuple[str, ...]


def write_backup(paths: Paths, target: Path, program: str, with_models: bool = False) -> Backup:
    """Write the profile to `target`, over what is there; any thread, also while Steward runs.

    Raises UserFacing: then `target` is as it was.
    """
    # Beside its target, so that giving it the name is one step on one disk.
    # Under a name that nobody can foresee: the folder may be one in which others put links.
    part = target.with_name(f".{target.name}.{secrets.token_hex(8)}{PART_SUFFIX}")
    clear_left(paths)
    try:
        ensure(target.parent)
        with tempfile.TemporaryDirectory(dir=_scratch(paths), prefix=f"{SCRATCH}{os.getpid()}-") as folder:
            # Noted first: after a kill nobody would know where the unfinished file lies.
            with open(Path(folder) / PART, "wb", opener=private) as note:
                note.write(os.fsencode(part.absolute()))
            missing = left_out(paths)
            manifest = _write(paths, part, Path(folder), program, with_models)
        os.replace(part, target)
    except OSError as error:
        raise _refused(target, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return Backup(manifest, missing)


def clear_left(paths: Paths) -> None:
    """Remove what a killed backup has left: its copy of the database, and the file that was not finished.

    Backups that are being made, here or in another process, are let alone.
    """
    for folder in paths.cache.glob(f"{SCRATCH}*"):
        maker = folder.name.removeprefix(SCRATCH).partition("-")[0]
        # Two backups at once are allowed, also of two processes; each has its own folder.
        if _PROCESS.fullmatch(maker) and psutil.pid_exists(int(maker)):
            continue
        _remove_part(folder / PART)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_part(note: Path) -> None:
    """The note names the file; it is removed only where its name is one of ours."""
    try:
        part = Path(os.fsdecode(read_own(note)))
        if part.name.startswith(".") and part.suffix == PART_SUFFIX:
            part.unlink(missing_ok=True)
    except (OSError, ValueError) as error:  # killed before it was noted; or the drive is gone
        log.info("a backup that was not finished is not looked for", reason=str(error))


def _scratch(paths: Paths) -> Path:
    return ensure(paths.cache)


def _write(paths: Paths, part: Path, scratch: Path, program: str, with_models: bool) -> Manifest:
    early = list(plain_files(paths))
    copy = scratch / "steward.sqlite3"
    schema: dict[str, int] = {}
    if paths.database.is_file():
        copy_file(paths.database, copy)
        schema = dict(facts_of(copy).schema)
        early.append(ArchiveEntry(DATABASE, copy))
    late = (*kept_bytes(paths), *(models(paths) if with_models else ()))
    # Private from the first byte; a `chmod` afterwards would leave a moment.
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    with open(os.open(part, flags, 0o600), "wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
            files = tuple(_write_all(archive, (*early, *late)))
            manifest = Manifest(
                program=program,
                made_at=datetime.now(UTC),
                system=f"{platform.system()} {platform.release()}",
                schema_numbers=schema,
                files=files,
            )
            archive.writestr(NAME, manifest.model_dump_json(indent=1))
        file.flush()
        os.fsync(file.fileno())
    return manifest


def _write_all(archive: zipfile.ZipFile, entries: Iterable[ArchiveEntry]) -> Iterator[FileEntry]:
    for entry in entries:
        try:
            file = entry.path.open("rb")
        except FileNotFoundError:
            continue  # kept bytes that were tidied away meanwhile
        with file:
            yield _copy(archive, entry, file.read if entry.name != SETTINGS else _cleaned(file.read()))


def _copy(archive: zipfile.ZipFile, entry: ArchiveEntry, read: Callable[[int], bytes]) -> FileEntry:
    """Copy one file into the archive and hash it on the way."""
    digest, size = hashlib.sha256(), 0
    info = zipfile.ZipInfo(entry.name, datetime.now().timetuple()[:6])
    # Model files hardly shrink and are large.
    stored = entry.name.endswith(".gguf")
    info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    # The size is not known before it is written, and a model may exceed the 4 GB of the older form.
    with archive.open(info, "w", force_zip64=True) as target:
        while piece := read(PIECE_BYTES):
            target.write(piece)
            digest.update(piece)
            size += len(piece)
    return FileEntry(name=entry.name, size_bytes=size, sha256=digest.hexdigest())


def _cleaned(settings: bytes) -> Callable[[int], bytes]:
    """The settings without a user name and password in the address of a proxy or mirror."""
    # Bytes that are no UTF-8 come back as they were: a backup repairs nothing.
    text = _CREDENTIALS.sub(r"\1", settings.decode("utf-8", "surrogateescape"))
    pieces = [text.encode("utf-8", "surrogateescape")]
    return lambda _size: pieces.pop() if pieces else b""


def _refused(target: Path, error: OSError) -> UserFacing:
    return UserFacing(BackupReason.BACKUP_REFUSED.of(target=target, error=error.strerror or str(error)))
