"""Add-ons (`steward addons`): back ends for graphics cards and a recogniser of speech, added later.

A back end is one .tar.xz: `manifest.json` first, then the files that it lists with sizes and SHA-256. A
child opens it (`sandbox.archives`), and what it wrote is compared with the manifest here. What comes in
another form is put into a folder by whoever knows it, and kept with `keep`. An add-on belongs to the program,
not to a profile. Blocks; any thread but the main one.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import structlog

from desktop.engine.reasons import EngineReason
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure, private, put_back_folders, replace_folder
from desktop.reasons import Reason

log = structlog.get_logger(__name__)

FOLDER = "addons"
MANIFEST = "manifest.json"
PROGRAM = "steward-addon"
LARGEST_MANIFEST_BYTES = 1_000_000
LEFT_FREE_BYTES = 100_000_000
_CHUNK_BYTES = 1 << 20
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]{0,127}")
_ADDON_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
Progress = Callable[[int, int], None]  # bytes done, bytes of all


class AddOnKind(StrEnum):
    BACKEND = "backend"  # llama.cpp loads it
    RECOGNIZER = "recognizer"  # of speech


@dataclass(frozen=True)
class AddOn:
    """What a manifest tells. `llama` is the version of llama-cpp-python that a back end was compiled for, ""
    for what llama.cpp has nothing to do with; `system` is such as linux-x86_64, `library` the file that is
    loaded, `files` name -> (SHA-256, bytes)."""

    name: str
    version: str
    llama: str
    system: str
    library: str
    files: dict[str, tuple[str, int]]
    kind: AddOnKind = AddOnKind.BACKEND

    @property
    def size_bytes(self) -> int:
        return sum(size for _digest, size in self.files.values())

    @property
    def misfit(self) -> Reason | None:
        """Why it cannot be used with this copy of Steward; None where it can."""
        if self.system != this_system():
            return EngineReason.FOR_OTHER_SYSTEM.of(wanted=self.system, own=this_system())
        if self.kind is AddOnKind.BACKEND and self.llama != llama_version():
            return EngineReason.FOR_OTHER_LLAMA.of(wanted=self.llama, own=llama_version())
        return None


class AddOns:
    """The add-ons of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def here(cls) -> AddOns:
        """The add-ons of this computer's user, or those beside the program of a portable copy."""
        return cls(Paths.default().data / FOLDER)

    def installed(self) -> tuple[AddOn, ...]:
        """The add-ons by name. What cannot be read is passed over and logged."""
        put_back_folders(self.folder)
        found = []
        for file in sorted(self.folder.glob(f"[!.]*/{MANIFEST}")):  # one with a dot is being added
            try:
                found.append(read_manifest(file.read_bytes()))
            except (OSError, ValueError) as error:
                log.warning("an add-on cannot be read", file=str(file), reason=str(error))
        return tuple(found)

    def libraries(self, kind: AddOnKind = AddOnKind.BACKEND) -> tuple[Path, ...]:
        """What is to be loaded: of every add-on of this kind that fits and is whole by its sizes."""
        return tuple(
            self.folder / one.name / one.library
            for one in self.installed()
            if one.kind is kind and not one.misfit and self._is_whole(one)
        )

    def add(self, file: Path, progress: Progress = lambda _done, _all: None) -> AddOn:
        """Unpack `file`, verifying every byte; an older one of the name is replaced. Raises UserFacing, and
        then everything is as it was."""
        # Every start asks for the add-ons, and hardly any unpacks one.
        from desktop.sandbox.archives import ArchiveFailed

        try:
            with self.draft() as draft:
                addon = _unpack(file, draft, progress)
                _replace(self.folder / addon.name, draft)
        except (ArchiveFailed, ValueError, RecursionError) as error:
            log.warning("not an add-on", file=str(file), reason=str(error))
            raise UserFacing(EngineReason.ADDON_DAMAGED.of(name=file.name, error=str(error))) from error
        except OSError as error:
            why = error.strerror or str(error)
            raise UserFacing(EngineReason.ADDON_NOT_UNPACKED.of(name=file.name, error=why)) from error
        log.info("add-on installed", name=addon.name, llama=addon.llama, size_bytes=addon.size_bytes)
        return addon

    @contextmanager
    def draft(self) -> Iterator[Path]:
        """An empty folder in which an add-on is put together; what is still there afterwards is removed."""
        ensure(self.folder)
        made = Path(tempfile.mkdtemp(dir=self.folder, prefix=".adding-"))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def keep(self, addon: AddOn, draft: Path) -> None:
        """Take the folder `draft`, which holds the files of `addon`, in place of an older one of its name.
        Raises OSError, and then everything is as it was."""
        manifest = asdict(addon) | {"program": PROGRAM, "llama_cpp_python": addon.llama}
        del manifest["llama"]
        manifest["files"] = {
            name: {"sha256": digest, "size_bytes": size} for name, (digest, size) in addon.files.items()
        }
        _write_manifest(draft, json.dumps(manifest, indent=1).encode())
        _replace(self.folder / addon.name, draft)
        log.info("add-on installed", name=addon.name, size_bytes=addon.size_bytes)

    def remove(self, name: str) -> None:
        """Raises UserFacing where there is none of this name, or its files are in use (Windows)."""
        place = self.folder / name
        if not _ADDON_NAME.fullmatch(name) or not place.is_dir():
            raise UserFacing(EngineReason.UNKNOWN_ADDON.of(name=name))
        try:
            shutil.rmtree(place)
        except OSError as error:
            why = error.strerror or str(error)
            raise UserFacing(EngineReason.ADDON_NOT_REMOVED.of(place=place, error=why)) from error
        # The folder is ours, and an empty one would be left behind by the removal of the program.
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _is_whole(self, addon: AddOn) -> bool:
        """Whether all files have their size: reading half a gigabyte at every start would cost seconds."""
        for name, (_digest, size) in addon.files.items():
            file = self.folder / addon.name / name
            if not file.is_file() or file.stat().st_size != size:
                log.warning("an add-on is damaged", name=addon.name, file=str(file))
                return False
        return True


def this_system() -> str:
    """This system as add-ons name it: linux-x86_64."""
    return f"{sys.platform}-{platform.machine()}"


def llama_version() -> str:
    """The version of llama-cpp-python in this copy; "" where it has none."""
    # Only when asked for: it brings the readers of mail and of archives, 1 MB that a resting program spares.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("llama-cpp-python")
    except PackageNotFoundError:
        return ""


def read_manifest(content: bytes) -> AddOn:
    """Raises ValueError, which says what is wrong with it."""
    manifest = json.loads(content)
    if not isinstance(manifest, dict) or manifest.get("program") != PROGRAM:
        raise ValueError("its manifest is not that of an add-on")
    kind = AddOnKind(manifest.get("kind", AddOnKind.BACKEND))  # those of before say none
    addon = AddOn(
        name=_word(manifest, "name"),
        version=_word(manifest, "version"),
        llama=_word(manifest, "llama_cpp_python") if kind is AddOnKind.BACKEND else "",
        system=_word(manifest, "system"),
        library=_word(manifest, "library"),
        files=dict(_files(manifest.get("files"))),
        kind=kind,
    )
    if not _ADDON_NAME.fullmatch(addon.name) or addon.library not in addon.files:
        raise ValueError("its manifest names no library")
    return addon


def _word(manifest: dict[str, Any], key: str) -> str:
    word = manifest.get(key)
    if not isinstance(word, str) or not word:
        raise ValueError(f"its manifest does not say {key}")
    return word


def _files(files: Any) -> Iterator[tuple[str, tuple[str, int]]]:
    if not isinstance(files, dict):
        raise ValueError("its manifest lists no files")
    for name, entry in files.items():
        facts = entry if isinstance(entry, dict) else {}
        digest, size = str(facts.get("sha256")), facts.get("size_bytes")
        if not isinstance(size, int) or size < 0 or not _SHA256.fullmatch(digest):
            raise ValueError(f"its manifest tells neither size nor hash of {name!r}")
        if not _FILE_NAME.fullmatch(name) or name == MANIFEST:
            raise ValueError(f"its manifest says nothing sensible of {name!r}")
        yield name, (digest, size)


def _unpack(file: Path, draft: Path, progress: Progress) -> AddOn:
    """Into `draft`, with its manifest: nothing is there that the manifest does not list, and no more than it
    says. Raises UserFacing for what does not fit, ArchiveFailed and ValueError for what is damaged.
    """
    from desktop.sandbox.archives import Archives, MemberTarget

    archives = Archives()
    content = archives.tar_member(file, MANIFEST, LARGEST_MANIFEST_BYTES)
    addon = read_manifest(content)
    _refuse_misfit(addon, draft)
    places = {name: MemberTarget(draft / name, size) for name, (_digest, size) in addon.files.items()}
    archives.unpack_tar(file, places, (draft,))
    done = 0
    for name, expected in addon.files.items():
        _check(draft / name, expected)
        done += expected[1]
        progress(done, addon.size_bytes)
    _write_manifest(draft, content)
    return addon


def _write_manifest(draft: Path, content: bytes) -> None:
    with open(draft / MANIFEST, "wb", opener=private) as file:
        file.write(content)


def _refuse_misfit(addon: AddOn, draft: Path) -> None:
    if addon.misfit:
        raise UserFacing(EngineReason.ADDON_MISFIT.of(name=addon.name, misfit=addon.misfit))
    free = shutil.disk_usage(draft).free
    if free < addon.size_bytes + LEFT_FREE_BYTES:
        raise UserFacing(EngineReason.DISK_FULL.of(size=addon.size_bytes, free=free))


def _check(path: Path, expected: tuple[str, int]) -> None:
    """Raises ValueError when size or hash are not as expected: the child that wrote it is not believed."""
    from desktop.sandbox.archives import unpacked

    digest, size = hashlib.sha256(), 0
    with unpacked(path) as file:
        while chunk := file.read(_CHUNK_BYTES):
            size += len(chunk)
            digest.update(chunk)
    if (digest.hexdigest(), size) != expected:
        raise ValueError(f"{path.name} is not as its manifest says")
    path.chmod(0o700 if ".so" in path.name else 0o600)


def _replace(place: Path, draft: Path) -> None:
    draft.chmod(0o700)
    replace_folder(place, draft)
