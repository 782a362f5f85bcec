"""The models of this profile: `models.json` and the files it names.

Several processes may use one profile, so the list is read again when it has changed on disk and is written
under a file lock. A damaged list is put aside and made again from the files; no model file is ever touched
because of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

import structlog
from filelock import FileLock

from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.models.catalogue import Catalogue, CatalogueEntry, load_catalogue
from desktop.models.gguf import GgufFacts, read_facts
from desktop.models.reasons import ModelReason, from_os
from desktop.paths import PRIVATE_FILE, Paths, ensure, open_regular, read_own, write_atomically

log = structlog.get_logger(__name__)

LIST_NAME = "models.json"
LIST_VERSION = 1
BLOCK_BYTES = 1024 * 1024


class FileState(StrEnum):
    """What the file of an installed model looks like now."""

    PRESENT = "present"
    MISSING = "missing"
    CHANGED = "changed"  # other size or time than when it was added


@dataclass(frozen=True)
class InstalledModel:
    """One model of the library. `sha256` is what was seen when it was installed or verified."""

    id: str
    name: str
    path: Path
    size_bytes: int
    sha256: str | None
    facts: GgufFacts
    by_reference: bool
    installed_at: str
    modified_ns: int = 0
    state: FileState = FileState.PRESENT

    @property
    def is_missing(self) -> bool:
        return self.state is FileState.MISSING


@dataclass(frozen=True)
class ModelsChanged(Event):
    """A model was added, removed or verified."""


class Heads(Protocol):
    """What reads the heads of model files: `heads.ConfinedHeads`."""

    def read(self, path: Path) -> GgufFacts:
        """Raises UserFacing as `gguf.read_facts` does."""

    def read_all(self, paths: Sequence[Path]) -> Mapping[Path, GgufFacts | UserFacing]:
        """The facts of each file, or why it has none."""


class HeadsHere:
    """Reads them in this process: for files that are known, as those of tests and benches are."""

    def read(self, path: Path) -> GgufFacts:
        return read_facts(path)

    def read_all(self, paths: Sequence[Path]) -> Mapping[Path, GgufFacts | UserFacing]:
        found: dict[Path, GgufFacts | UserFacing] = {}
        for path in paths:
            try:
                found[path] = read_facts(path)
            except UserFacing as error:
                found[path] = error
        return found


class Library:
    """The installed models. All methods may be called on any thread; none may run on the main thread
    except `installed`, `get` and `find`, which read a small file at most."""

    def __init__(
        self,
        paths: Paths,
        bus: Bus,
        catalogue: Catalogue | None = None,
        heads: Callable[[], Heads] = HeadsHere,
    ) -> None:
        """`heads` reads what files say of themselves; asked for when there is one."""
        self._heads = heads
        self._paths = paths
        self._bus = bus
        self._catalogue = catalogue
        self._lock = threading.RLock()
        self._seen: tuple[int, int] | None = None
        self._models: tuple[InstalledModel, ...] = ()

    def installed(self) -> tuple[InstalledModel, ...]:
        """Every model of the list, oldest first, with the present state of its file."""
        with self._lock:
            models = self._current()
        return tuple(replace(model, state=_state(model)) for model in models)

    def get(self, model_id: str) -> InstalledModel | None:
        return next((model for model in self.installed() if model.id == model_id), None)

    def find(self, text: str) -> InstalledModel | None:
        """Find a model by id, name, file or file name, else by the only prefix that fits."""
        # As people type it: an id, a name, a file, or the beginning of one of them.
        wanted = text.casefold()
        models = self.installed()
        for model in models:
            if wanted in {word.casefold() for word in _words(model)}:
                return model
        near = [m for m in models if any(word.casefold().startswith(wanted) for word in _words(m))]
        return near[0] if wanted and len(near) == 1 else None

    def is_published(self, path: Path) -> bool:
        """Whether the file is one of the list, unchanged since its hash was found to be its publisher's."""
        model = next((each for each in self.installed() if each.path == path), None)
        if model is None or model.sha256 is None or model.state is not FileState.PRESENT:
            return False
        catalogue = self._catalogue or load_catalogue()
        return any(entry.sha256 == model.sha256 for entry in catalogue.entries)

    def facts_of(self, path: Path) -> GgufFacts:
        """What the head of any file says. Raises UserFacing as `gguf.read_facts` does."""
        return self._heads().read(path)

    def import_file(self, path: Path) -> InstalledModel:
        """Add a file that the user has, where it lies: nothing is copied. Raises UserFacing.

        One with the name and size of a file of the catalogue is that model of it, which is then not offered
        for download any more; nothing else is believed of it without its hash (`is_published`).
        """
        # Not `resolve`, to which links in a circle are a mistake of ours.
        path = Path(os.path.realpath(path.expanduser()))
        facts = self.facts_of(path)
        with self._changing():
            known = next((m for m in self._models if m.path == path), None)
            entry = self._entry_of(path, facts.size_bytes)
            if entry is not None and entry.size_bytes is None:
                entry = None  # by its name alone a file is nobody's
            model_id = known.id if known else self._free_id(path.stem, entry)
            name = entry.name if entry else facts.name
            return self._put(_describe(model_id, name, path, None, facts, by_reference=True))

    def add_downloaded(self, model_id: str, name: str, path: Path, sha256: str | None) -> InstalledModel:
        """Add a finished file of our own folder; one with the same id is replaced in the list."""
        facts = self.facts_of(path)
        with self._changing():
            return self._put(_describe(model_id, name, path, sha256, facts, by_reference=False))

    def remove(self, model_id: str) -> None:
        """Take a model off the list, and delete its file when it is ours. Unknown ids are ignored."""
        with self._changing():
            model = next((m for m in self._models if m.id == model_id), None)
            if model is None:
                return
            # What the user has imported stays where it lies: it was never ours.
            if not model.by_reference:
                _delete(model.path)
            self._write(tuple(m for m in self._models if m.id != model_id))

    def verify(self, model_id: str, on_progress: Callable[[int, int], None]) -> bool:
        """Hash the file again and compare; `on_progress(bytes_done, bytes_total)` may raise to stop.

        Without an earlier hash the one found now is kept and True is returned. Raises UserFacing when the
        model or its file is missing.
        """
        model = self.get(model_id)
        if model is None or model.is_missing:
            raise _gone(model_id)
        found = hash_file(model.path, on_progress)
        # What was seen at the installation is worth more than what the catalogue says today.
        expected = model.sha256 or self._published_hash(model)
        if expected is not None and found != expected:
            return False
        facts = self.facts_of(model.path)
        with self._changing():
            fresh = _describe(model.id, model.name, model.path, found, facts, by_reference=model.by_reference)
            self._put(replace(fresh, installed_at=model.installed_at))
        return True

    # -- the list -----------------------------------------------------------------------------

    @property
    def _list(self) -> Path:
        return self._paths.models / LIST_NAME

    def _changing(self) -> _Change:
        return _Change(self)

    def _current(self) -> tuple[InstalledModel, ...]:
        """The list, read again if another process wrote it. Call with the lock held."""
        try:
            status = self._list.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._seen, self._models = None, ()
            return ()
        except OSError as error:
            raise _unreadable(self._list, error) from error
        # The list is replaced, never written over: a new inode tells two writes of one moment apart.
        seen = (status.st_mtime_ns, status.st_ino)
        if seen != self._seen:
            self._models = self._read()
            self._seen = seen
        return self._models

    def _read(self) -> tuple[InstalledModel, ...]:
        try:
            text = read_own(self._list).decode("utf-8", "replace")
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unreadable(self._list, error) from error
        try:
            stored = json.loads(text)
            if stored["version"] != LIST_VERSION:
                raise ValueError(f"version {stored['version']}")
            return tuple(self._from_row(row) for row in stored["models"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            log.warning("the list of models is damaged and is made again", error=str(error))
            return self._rebuilt()

    def _rebuilt(self) -> tuple[InstalledModel, ...]:
        """Put the damaged list aside and list the files again. Files by reference are not known any more."""
        # A damaged list costs the names and the hashes, never a file.
        found = self._heads().read_all(self._own_files())
        models = tuple(filter(None, (self._recognised(*each) for each in found.items())))
        try:
            # Kept: what was imported by reference stands nowhere else.
            os.replace(self._list, self._list.with_suffix(".damaged.json"))
            self._write(models)
        except (OSError, UserFacing) as error:  # another process was quicker, or the disk refuses
            log.warning("the list made again is not kept", error=str(error))
        return models

    def _own_files(self) -> list[Path]:
        return sorted(path for path in self._paths.models.glob("*.gguf") if path.is_file())

    def _recognised(self, path: Path, facts: GgufFacts | UserFacing) -> InstalledModel | None:
        if isinstance(facts, UserFacing):
            log.warning("left out of the list", path=str(path), reason=facts.cause)
            return None
        entry = self._entry_of(path, facts.size_bytes)
        model_id, name = (entry.id, entry.name) if entry else (slug(path.stem), facts.name)
        return _describe(model_id, name, path, None, facts, by_reference=False)

    def _entry_of(self, path: Path, size_bytes: int) -> CatalogueEntry | None:
        catalogue = self._catalogue or load_catalogue()
        for entry in catalogue.entries:
            if entry.file_name == path.name and entry.size_bytes in (None, size_bytes):
                return entry
        return None

    def _published_hash(self, model: InstalledModel) -> str | None:
        entry = None if model.by_reference else (self._catalogue or load_catalogue()).get(model.id)
        return entry.sha256 if entry else None

    def _put(self, model: InstalledModel) -> InstalledModel:
        kept = tuple(m for m in self._models if m.id != model.id)
        self._write((*kept, model))
        return model

    def _write(self, models: tuple[InstalledModel, ...]) -> None:
        rows = [self._to_row(model) for model in models]
        text = json.dumps({"version": LIST_VERSION, "models": rows}, indent=1, ensure_ascii=False)
        try:
            write_atomically(self._list, text.encode())
            status = self._list.stat()
        except OSError as error:
            raise from_os(error, self._list) from error
        self._models, self._seen = models, (status.st_mtime_ns, status.st_ino)

    def _free_id(self, stem: str, entry: CatalogueEntry | None) -> str:
        """That of the entry which a file is; for any other file no entry's, whatever the file is called."""
        taken = {model.id for model in self._models}
        if entry is None:
            taken |= {each.id for each in (self._catalogue or load_catalogue()).entries}
        wanted = candidate = entry.id if entry else slug(stem)
        number = 2
        while candidate in taken:
            # Two files of one name in two folders are two models.
            candidate, number = f"{wanted}-{number}", number + 1
        return candidate

    def _to_row(self, model: InstalledModel) -> dict[str, Any]:
        """A row of the list: our own files by name, so that a profile may be moved."""
        row = asdict(model)
        del row["state"]
        row["path"] = str(model.path) if model.by_reference else model.path.name
        return row

    def _from_row(self, row: dict[str, Any]) -> InstalledModel:
        path = Path(row["path"]) if row["by_reference"] else self._paths.models / Path(row["path"]).name
        return InstalledModel(**{**row, "path": path, "facts": GgufFacts(**row["facts"])})


def list_files(folder: Path) -> tuple[Path, Path]:
    """The list of the models in this folder, and its lock."""
    return folder / LIST_NAME, folder / f".{LIST_NAME}.lock"


class _Change:
    """Holds thread and file lock, starts from the list on disk, and announces the change afterwards."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __enter__(self) -> None:
        library = self._library
        # The threads of this process first: a file lock does not keep them apart.
        library._lock.acquire()
        try:
            folder = ensure(library._paths.models)
            self._file_lock = FileLock(list_files(folder)[1], thread_local=False, mode=PRIVATE_FILE)
            self._file_lock.acquire()
        except OSError as error:
            library._lock.release()
            raise from_os(error, library._list) from error
        except BaseException:
            library._lock.release()
            raise
        # Another process may have written since: a change starts from what is there.
        library._current()

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        self._file_lock.release()
        self._library._lock.release()
        if kind is None:
            self._library._bus.publish(ModelsChanged())


def hash_file(path: Path, on_progress: Callable[[int, int], None]) -> str:
    """The SHA-256 of `path`. Raises UserFacing when it cannot be read."""
    digest = hashlib.sha256()
    try:
        total, done = path.stat().st_size, 0
        with open_regular(path) as file:
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
                done += len(block)
                on_progress(done, total)
    except OSError as error:
        raise UserFacing(
            ModelReason.MODEL_FILE_UNREADABLE.of(path=path, error=error.strerror or str(error))
        ) from error
    return digest.hexdigest()


def slug(text: str) -> str:
    """An id made from a file's name."""
    return re.sub(r"[^a-z0-9.]+", "-", text.casefold()).strip("-.") or "model"


def _describe(
    model_id: str, name: str, path: Path, sha256: str | None, facts: GgufFacts, *, by_reference: bool
) -> InstalledModel:
    return InstalledModel(
        id=model_id,
        name=name,
        path=path,
        size_bytes=facts.size_bytes,
        sha256=sha256,
        facts=facts,
        by_reference=by_reference,
        installed_at=datetime.now(UTC).isoformat(timespec="seconds"),
        modified_ns=path.stat().st_mtime_ns,
    )


def _state(model: InstalledModel) -> FileState:
    try:
        status = model.path.stat()
    except OSError:
        return FileState.MISSING
    same = (status.st_size, status.st_mtime_ns) == (model.size_bytes, model.modified_ns)
    return FileState.PRESENT if same else FileState.CHANGED


def _words(model: InstalledModel) -> tuple[str, ...]:
    return model.id, model.name, model.path.name, model.path.stem, str(model.path)


def _delete(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UserFacing(
            ModelReason.MODEL_NOT_DELETED.of(path=path, error=error.strerror or str(error))
        ) from error


def _unreadable(path: Path, error: OSError) -> UserFacing:
    return UserFacing(ModelReason.MODELS_UNREADABLE.of(path=path, error=error.strerror or str(error)))


def _gone(model_id: str) -> UserFacing:
    return UserFacing(ModelReason.INSTALLED_FILE_MISSING.of(model_id=model_id))
