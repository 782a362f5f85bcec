"""Unpacking an add-on: nothing is written that its manifest does not list, and no more than it says."""

from __future__ import annotations

import hashlib
import lzma
import shutil
import tarfile
from pathlib import Path
from typing import IO

import structlog

from desktop.engine.addons import MANIFEST, AddOn, Progress, read_manifest, refused
from desktop.errors import UserFacing
from desktop.paths import private

log = structlog.get_logger(__name__)

LARGEST_MANIFEST_BYTES = 1_000_000
LEFT_FREE_BYTES = 100_000_000
_CHUNK_BYTES = 1 << 20


def unpack(file: Path, folder: Path, progress: Progress) -> AddOn:
    """Into `folder`, with its manifest. Raises UserFacing for what does not fit or is damaged; OSError."""
    try:
        return _unpack(file, folder, progress)
    except (tarfile.TarError, lzma.LZMAError, EOFError, ValueError) as error:
        log.warning("not an add-on", file=str(file), reason=str(error))
        raise refused(f"{file.name} is no add-on for Steward, or it is damaged: {error}.") from error


def _unpack(file: Path, draft: Path, progress: Progress) -> AddOn:
    with tarfile.open(file, "r|xz") as archive:
        entries = iter(archive)
        addon, content = _manifest_of(archive, next(entries, None))
        _refuse_misfit(addon, draft)
        (draft / MANIFEST).write_bytes(content)
        done = 0
        missing = set(addon.files)
        for entry in entries:
            source = archive.extractfile(entry) if entry.isreg() else None
            if source is None or entry.name not in missing:
                raise ValueError(f"it holds {entry.name!r}, which its manifest does not list")
            missing.remove(entry.name)
            _copy(source, draft / entry.name, addon.files[entry.name])
            done += entry.size
            progress(done, addon.size_bytes)
    if missing:
        raise ValueError(f"{', '.join(sorted(missing))} is missing")
    return addon


def _manifest_of(archive: tarfile.TarFile, entry: tarfile.TarInfo | None) -> tuple[AddOn, bytes]:
    first = archive.extractfile(entry) if entry is not None and entry.name == MANIFEST else None
    if first is None or entry is None or entry.size > LARGEST_MANIFEST_BYTES:
        raise ValueError("it does not begin with a manifest")
    content = first.read()
    return read_manifest(content), content


def _refuse_misfit(addon: AddOn, draft: Path) -> None:
    if addon.misfit:
        raise UserFacing(
            f"The add-on {addon.name} does not fit: {addon.misfit}.",
            "Nothing was changed.",
            "Get the one of the same release as this Steward (steward --version).",
            code="addon-misfit",
        )
    free = shutil.disk_usage(draft).free
    if free < addon.size_bytes + LEFT_FREE_BYTES:
        raise UserFacing(
            f"The add-on takes {addon.size_bytes / 1e6:.0f} MB, and {free / 1e6:.0f} MB are free.",
            "Nothing was changed.",
            "Free some space, then try again.",
            code="disk-full",
        )


def _copy(source: IO[bytes], target: Path, expected: tuple[str, int]) -> None:
    """Raises ValueError when size or hash are not as expected."""
    digest, size = hashlib.sha256(), 0
    with open(target, "xb", opener=private) as file:
        while chunk := source.read(_CHUNK_BYTES):
            size += len(chunk)
            if size > expected[1]:
                break
            digest.update(chunk)
            file.write(chunk)
    if (digest.hexdigest(), size) != expected:
        raise ValueError(f"{target.name} is not as its manifest says")
    target.chmod(0o700 if ".so" in target.name else 0o600)
