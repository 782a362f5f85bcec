"""Putting a backup in the place of the present profile: whole or not at all, the old one kept aside.

First everything is unpacked beside the profile and checked (`prepare`); until then nothing has changed. Then
a marker is written that says what is to be moved, and every start, before anything is opened, does what the
marker says (`finish`), again from the beginning after a kill: each step looks at what is there and is done
once. The old files go to folders `before-restore-…` in the same place.

A backup comes from elsewhere as often as not, so a child opens it (`sandbox.archives`), and what the child
wrote is held to the manifest before anything of it counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog
from filelock import FileLock, Timeout

from desktop.backup import manifest as listed
from desktop.backup.manifest import CONFIG_NAMES, DATA_NAMES, DATABASE, Manifest, ReadableVersions, damaged
from desktop.backup.reasons import BackupReason
from desktop.database import facts_of
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure, write_atomically
from desktop.reasons import Reason
from desktop.state_file import fits, put_aside, read_object

log = structlog.get_logger(__name__)

PIECE_BYTES = 1024 * 1024
STAGING = ".restore"
ASIDE = "before-restore-"  # begins the folder of the old profile
SPARE_BYTES = 64 * 1024 * 1024  # free space that stays

Progress = Callable[[int], None]  # bytes that are unpacked and checked


@dataclass(frozen=True)
class Restored:
    """Where the old profile went: folders below data and config; None where there was nothing."""

    aside: tuple[Path, ...]


def inspect(file: Path, known: ReadableVersions) -> Manifest:
    """What a backup holds, as it says itself. Blocks. Raises UserFacing when it is damaged or made by a newer
    one."""
    # Every start imports this module, and hardly any opens a backup.
    from desktop.sandbox.archives import Archives

    try:
        with _archive_of(BackupReason.CUT_SHORT):
            manifest = listed.read(Archives().zip_member(file, listed.NAME, listed.LARGEST_BYTES))
    except OSError as error:
        raise _unreadable(file, error) from error
    listed.check_schema(manifest, known)
    return manifest


def prepare(
    file: Path, paths: Paths, known: ReadableVersions, progress: Progress = lambda _n: None
) -> Manifest:
    """Unpack and check everything; the next start (`finish`) puts it in place. Blocks.

    Raises UserFacing: then nothing has changed.
    """
    manifest = inspect(file, known)
    # Left by one that was killed: files are made new there and never written over.
    _drop_staging(paths)
    # Before anything is unpacked: a disk that fills up stops the running program, too.
    _check_room(manifest, paths)
    try:
        with _archive_of(BackupReason.CHANGED_SINCE):
            _unpack(file, manifest, paths)
            _check_files(manifest, paths, progress)
        _check_database(paths, manifest, known)
        # Last: from here on the next start acts.
        _write_marker(paths, manifest)
    except OSError as error:
        _drop_staging(paths)
        raise UserFacing(BackupReason.RESTORE_REFUSED.of(error=error.strerror or str(error))) from error
    except UserFacing:
        _drop_staging(paths)
        raise
    return manifest


def is_prepared(paths: Paths) -> bool:
    """Whether the next start will put a backup in place."""
    return paths.restoring.exists()


def finish(paths: Paths) -> Restored | None:
    """Do what `prepare` has left to do; None when there is nothing, or while Steward runs in this profile.

    A marker that is damaged is put aside; the profile is then as it is, and what was unpacked stays beside
    it. Raises UserFacing (`restore-unfinished`): the next start tries again, and must not go on before.
    """
    if not is_prepared(paths) or not _readable_marker(paths):
        return None
    lock = FileLock(ensure(paths.instance_lock.parent) / paths.instance_lock.name, mode=0o600)
    try:
        # A Steward that runs has the files open; its own next start comes here again.
        lock.acquire(blocking=False)
    except Timeout:
        return None
    try:
        return _finish(paths)
    except OSError as error:
        raise _unfinished(paths, error) from error
    finally:
        lock.release()


# -- unpacking ------------------------------------------------------------------------------------


def _unpack(file: Path, manifest: Manifest, paths: Paths) -> None:
    """Into the folders for it, by a child that may write nowhere else."""
    from desktop.sandbox.archives import Archives, MemberTarget

    places = {
        entry.name: MemberTarget(_staged(paths, entry.name), entry.size_bytes) for entry in manifest.files
    }
    for place in places.values():
        ensure(place.path.parent)
    folders = [folder for folder in _staging(paths) if folder.is_dir()]
    Archives().unpack_zip(file, places, folders)


def _check_files(manifest: Manifest, paths: Paths, progress: Progress) -> None:
    """Against the manifest, here: what a child says of its own work proves nothing."""
    from desktop.sandbox.archives import unpacked

    done = 0
    for entry in manifest.files:
        digest, size_bytes = hashlib.sha256(), 0
        with unpacked(_staged(paths, entry.name)) as file:
            while piece := file.read(PIECE_BYTES):
                digest.update(piece)
                size_bytes += len(piece)
                done += len(piece)
                progress(done)
            os.chmod(file.fileno(), 0o600)
            # The marker that follows promises that these bytes will survive a power cut.
            os.fsync(file.fileno())
        if size_bytes != entry.size_bytes or digest.hexdigest() != entry.sha256:
            raise damaged(BackupReason.HASH_DIFFERS.of(name=entry.name))


@contextmanager
def _archive_of(otherwise: BackupReason) -> Iterator[None]:
    """Turns what is wrong with the archive into UserFacing; `otherwise` is its damage in general."""
    from desktop.sandbox.archives import ArchiveFailed, ArchiveFailure

    try:
        yield
    except ArchiveFailed as failed:
        reasons: Mapping[ArchiveFailure, Reason] = {
            ArchiveFailure.TOO_COSTLY: BackupReason.TOO_COSTLY.of(),
            ArchiveFailure.TOO_LONG: (
                BackupReason.LONGER_THAN_LISTED.of(name=failed.name)
                if failed.name != listed.NAME
                else BackupReason.CONTENTS_TOO_LONG.of()
            ),
        }
        raise damaged(reasons.get(failed.failure, otherwise.of())) from failed


def _check_database(paths: Paths, manifest: Manifest, known: ReadableVersions) -> None:
    """The file's own word counts, not only that of the manifest."""
    if not any(entry.name == DATABASE for entry in manifest.files):
        raise damaged(BackupReason.NO_CONVERSATIONS.of())
    facts = facts_of(_staged(paths, DATABASE))
    if not facts.is_whole:
        raise damaged(BackupReason.DATABASE_DAMAGED.of())
    listed.check_schema(manifest.model_copy(update={"schema_numbers": dict(facts.schema)}), known)


def _check_room(manifest: Manifest, paths: Paths) -> None:
    free = shutil.disk_usage(ensure(paths.data)).free
    if manifest.total_bytes + SPARE_BYTES > free:
        raise UserFacing(
            BackupReason.DISK_FULL.of(total_bytes=manifest.total_bytes // 1000000 + 64, free=free // 1000000)
        )


def _write_marker(paths: Paths, manifest: Manifest) -> None:
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    number = 1
    aside = name = f"{ASIDE}{stamp}"
    # Two restores within a second must not mix their old profiles.
    while (paths.data / aside).exists() or (paths.config / aside).exists():
        number += 1
        aside = f"{name}-{number}"
    facts = {"aside": aside, "names": [entry.name for entry in manifest.files]}
    write_atomically(paths.restoring, json.dumps(facts).encode())


# -- moving ---------------------------------------------------------------------------------------


def _readable_marker(paths: Paths) -> dict[str, Any]:
    """What `prepare` has left to do; empty where that cannot be read."""
    what = "The list of a backup that was to be put in place"
    facts = read_object(paths.restoring, what)
    names, aside = facts.get("names"), facts.get("aside")
    # These names become paths that are moved: a marker that could lead elsewhere is not followed.
    is_list = isinstance(names, list) and all(fits(name, str) and "/" in name for name in names)
    is_name = isinstance(aside, str) and fits(aside, str) and aside.startswith(ASIDE) and "/" not in aside
    if is_list and is_name:
        return facts
    if paths.restoring.exists():
        put_aside(paths.restoring, what, "an entry is of another kind")
    return {}


def _finish(paths: Paths) -> Restored:
    facts = _readable_marker(paths)
    names: list[str] = facts["names"]
    aside: str = facts["aside"]
    for folder, own in ((paths.data, DATA_NAMES), (paths.config, CONFIG_NAMES)):
        room = "data" if folder == paths.data else "config"
        brought = {name.split("/")[1] for name in names if name.startswith(f"{room}/")}
        for name in own:
            _exchange(folder, name, aside, brought=name in brought)
    for name in (name for name in names if name.startswith("data/models/")):
        _exchange(paths.models, name.rsplit("/", 1)[1], aside, brought=True)
    paths.audit_restored.touch(mode=0o600)  # its log is older than the end that was noted last
    # After the last move and before the leftovers go: a kill in between costs only disk space.
    paths.restoring.unlink()
    _drop_staging(paths)
    log.info("a backup was put in place", aside=aside)
    folders = (paths.data / aside, paths.config / aside)
    return Restored(tuple(folder for folder in folders if folder.exists()))


def _exchange(folder: Path, name: str, aside: str, brought: bool) -> None:
    """Move the old file or folder aside and the new one to its place; any part may have been done before."""
    new, present = folder / STAGING / name, folder / name
    if brought and not new.exists():
        return  # done before a kill: what is there is the new one
    if present.exists():
        os.replace(present, ensure(folder / aside) / name)
    if brought:
        os.replace(new, present)


def _staged(paths: Paths, name: str) -> Path:
    """On the same disk as the place where it belongs, so that moving it is one step."""
    room, *rest = name.split("/")
    if rest[0] == "models":
        return paths.models / STAGING / rest[-1]
    return (paths.data if room == "data" else paths.config) / STAGING / Path(*rest)


def _staging(paths: Paths) -> tuple[Path, ...]:
    return tuple(folder / STAGING for folder in (paths.data, paths.config, paths.models))


def _drop_staging(paths: Paths) -> None:
    for folder in _staging(paths):
        shutil.rmtree(folder, ignore_errors=True)


# -- refusals -------------------------------------------------------------------------------------


def _unreadable(file: Path, error: OSError) -> UserFacing:
    return UserFacing(BackupReason.BACKUP_UNREADABLE.of(file=file, error=error.strerror or str(error)))


def _unfinished(paths: Paths, error: OSError) -> UserFacing:
    return UserFacing(BackupReason.RESTORE_UNFINISHED.of(error=error.strerror or str(error), data=paths.data))
