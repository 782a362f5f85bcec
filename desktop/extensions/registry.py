"""Which extensions there are, which of them are on, and in which order; each file pinned by its hash.

One JSON file beside their folders. Installing copies and switches nothing on; accepting pins every file as it
is and remembers the manifest that was agreed to. A file that is another one later switches its extension off
until somebody accepts it again, having seen what it may do now that it could not before.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import structlog

from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.extensions import package
from desktop.extensions.manifest import NAME, Manifest, more_than, parse_manifest, read_manifest
from desktop.extensions.process import can_confine
from desktop.extensions.reasons import ExtensionReason
from desktop.paths import ensure, put_back_folders, read_own, replace_folder, write_atomically
from desktop.reasons import Reason, reason_from_json
from desktop.state_file import put_aside, read_object, record


@dataclass(frozen=True)
class ExtensionsChanged(Event):
    """One was installed, accepted, switched, ordered, set or removed; or one has just failed."""


log = structlog.get_logger(__name__)

FILE = "registry.json"
WHAT = "The list of extensions"
FIRST_PRIORITY = 100


class ExtensionStatus(StrEnum):
    ON = "on"
    OFF = "off"
    WAITS = "waits"  # for being accepted: it is new, or a file of it is another one
    BROKEN = "broken"  # its folder or manifest cannot be read


@dataclass(frozen=True)
class _Entry:
    """What is kept of one; `accepted` is the text of the manifest that was agreed to, "" before."""

    accepted: str = ""
    pins: Mapping[str, str] = field(default_factory=dict)
    is_on: bool = False
    priority: int = 50
    settings: Mapping[str, Any] = field(default_factory=dict)
    why_off: Mapping[str, Any] | None = None
    installed_at: float = 0.0
    key: str = ""  # hides the numbers of conversations from it
    unconfined: bool = False  # switched on where nothing confines it, by somebody who was told


@dataclass(frozen=True)
class Extension:
    """One that is installed, as it is now. `manifest` is what was accepted, and before that what lies there.

    `revision` is another one with every file that is. `offered` is the manifest that waits for being accepted
    and `more` what it may do beyond the accepted one.
    """

    manifest: Manifest
    folder: Path
    status: ExtensionStatus
    revision: str
    priority: int
    settings: Mapping[str, Any]
    key: str
    why_off: Reason | None = None
    offered: Manifest | None = None
    more: tuple[Reason, ...] = ()
    installed_at: float = 0.0

    @property
    def id(self) -> str:
        return self.manifest.id

    @property
    def is_accepted(self) -> bool:
        """Somebody agreed to what lies there now."""
        return self.status in (ExtensionStatus.ON, ExtensionStatus.OFF)

    @property
    def is_on(self) -> bool:
        return self.status is ExtensionStatus.ON


class Registry:
    """Of one profile, in the folder `root`. Thread-safe; what another process changes is seen at the next
    look."""

    def __init__(
        self,
        root: Path,
        bus: Bus,
        clock: Callable[[], float] = time.time,
        confines: Callable[[], bool] = can_confine,
    ) -> None:
        """`confines`: whether this system can hold an extension."""
        self._confines = confines
        self._root = root
        self._bus = bus
        self._clock = clock
        self._lock = threading.RLock()
        self._read_at: tuple[int, int] | None = None
        self._entries: dict[str, _Entry] = {}
        self._looked: dict[str, tuple[object, bool]] = {}  # fingerprints of folders, and whether pins fit
        self._enabled: tuple[Extension, ...] | None = None

    @property
    def file(self) -> Path:
        return self._root / FILE

    # -- what there is ------------------------------------------------------------------------

    def installed(self) -> tuple[Extension, ...]:
        """All, in the order of a chain: the highest priority first."""
        with self._lock:
            self._refresh()
            found = [self._extension(each, entry) for each, entry in self._entries.items()]
        return tuple(sorted(found, key=lambda each: (-each.priority, each.id)))

    def has(self, extension_id: str) -> bool:
        """Whether it is installed."""
        with self._lock:
            self._refresh()
            return extension_id in self._entries

    def get(self, extension_id: str) -> Extension:
        """Raises UserFacing where there is none of this name."""
        with self._lock:
            return self._extension(extension_id, self._entry(extension_id))

    def enabled(self) -> tuple[Extension, ...]:
        """Those that are on and whose files are the accepted ones, the highest priority first.

        One with another file is switched off by looking.
        """
        with self._lock:
            self._refresh()
            changed = [each for each, entry in self._entries.items() if entry.is_on and not self._fits(each)]
            for each in changed:
                log.warning("an extension's files have changed", extension=each)
                self._set(each, is_on=False, why_off=ExtensionReason.FILES_CHANGED.of().as_json())
            # After another kernel was started: a yes to a process that is held is none to one that is not.
            loose = [
                each for each, entry in self._entries.items() if entry.is_on and not self._may_run(entry)
            ]
            for each in loose:
                self._set(each, is_on=False, why_off=ExtensionReason.UNCONFINED.of().as_json())
            if changed or loose or self._enabled is None:
                found = [self._extension(key, entry) for key, entry in self._entries.items() if entry.is_on]
                on = [each for each in found if each.is_on]
                self._enabled = tuple(sorted(on, key=lambda each: (-each.priority, each.id)))
            return self._enabled

    # -- what a person does -------------------------------------------------------------------

    def install(self, source: Path) -> Extension:
        """Copy a folder or zip file in; it waits for `accept`. One that is there already is replaced, and
        waits where any file is another one. Raises UserFacing: then nothing has changed."""
        try:
            ensure(self._root)
            with tempfile.TemporaryDirectory(dir=self._root, prefix=".new-") as made:
                manifest = package.copy_in(source, Path(made) / "in")
                with self._lock:
                    self._refresh()
                    self._put(manifest, Path(made))
        except OSError as error:
            why = ExtensionReason.UNREADABLE.of(error=error.strerror or str(error))
            raise package.refused(why) from error
        self._bus.publish(ExtensionsChanged())
        return self.get(manifest.id)

    def accept(self, extension_id: str, on: bool) -> Extension:
        """Agree to what lies there now, and switch it on or leave it off. Raises UserFacing."""
        with self._lock:
            self._entry(extension_id)
            folder = self._folder(extension_id)
            manifest = read_manifest(folder)
            if manifest.id != extension_id:
                raise package.refused(ExtensionReason.WRONG_VALUE.of(key="id"))
            text = read_own(folder / NAME).decode("utf-8")
            pins = package.hashes(folder)
            self._looked.pop(extension_id, None)
            self._set(
                extension_id,
                accepted=text,
                pins=pins,
                is_on=on,
                why_off=None,
                unconfined=on and not self._confines(),
            )
        self._bus.publish(ExtensionsChanged())
        return self.get(extension_id)

    def set_on(self, extension_id: str, on: bool) -> None:
        """Raises UserFacing for one that waits to be accepted."""
        with self._lock:
            entry = self._entry(extension_id)
            if on and not (entry.accepted and self._fits(extension_id)):
                raise UserFacing(ExtensionReason.NOT_ACCEPTED.of(name=extension_id))
            self._set(extension_id, is_on=on, why_off=None, unconfined=on and not self._confines())
        self._bus.publish(ExtensionsChanged())

    def switch_off(self, extension_id: str, why: Reason) -> None:
        """Because of `why`, which is shown with it. Nothing where it is gone."""
        with self._lock:
            self._refresh()
            if extension_id not in self._entries:
                return
            self._set(extension_id, is_on=False, why_off=why.as_json())
        self._bus.publish(ExtensionsChanged())

    def set_order(self, ids: Sequence[str]) -> None:
        """These first, in this order; the others keep theirs below. Raises UserFacing."""
        with self._lock:
            for each in ids:
                self._entry(each)
            others = [each.id for each in self.installed() if each.id not in ids]
            for number, each in enumerate((*ids, *others)):
                self._set(each, priority=max(FIRST_PRIORITY - number, 0))
        self._bus.publish(ExtensionsChanged())

    def set_setting(self, extension_id: str, name: str, value: object) -> None:
        """Raises UserFacing for what the manifest does not declare, or a value of another kind."""
        with self._lock:
            manifest = self.get(extension_id).manifest
            declared = {each.name: each for each in manifest.settings}.get(name)
            if declared is None or not declared.takes(value):
                raise UserFacing(ExtensionReason.SETTING_REFUSED.of(name=name))
            self._set(extension_id, settings={**self._entries[extension_id].settings, name: value})
        self._bus.publish(ExtensionsChanged())

    def reset_setting(self, extension_id: str, name: str) -> None:
        """Let it have what the manifest says, also after an update. Raises UserFacing."""
        with self._lock:
            kept = dict(self._entry(extension_id).settings)
            kept.pop(name, None)
            self._set(extension_id, settings=kept)
        self._bus.publish(ExtensionsChanged())

    def remove(self, extension_id: str) -> None:
        """Its folder and its place in the list. Raises UserFacing."""
        with self._lock:
            self._entry(extension_id)
            shutil.rmtree(self._folder(extension_id), ignore_errors=True)
            self._looked.pop(extension_id, None)
            del self._entries[extension_id]
            self._write()
        self._bus.publish(ExtensionsChanged())

    # -- inside -------------------------------------------------------------------------------

    def _put(self, manifest: Manifest, made: Path) -> None:
        """Move the new folder to its place; a kill in between leaves one of them whole."""
        place = self._folder(manifest.id)
        replace_folder(place, made / "in")
        self._looked.pop(manifest.id, None)
        known = self._entries.get(manifest.id)
        if known is None:
            known = _Entry(priority=manifest.priority, key=secrets.token_hex(16), installed_at=self._clock())
        if known.is_on and not self._fits_now(known, place):
            known = replace(known, is_on=False, why_off=ExtensionReason.FILES_CHANGED.of().as_json())
        self._entries[manifest.id] = known
        self._write()

    def _folder(self, extension_id: str) -> Path:
        return self._root / extension_id

    def _entry(self, extension_id: str) -> _Entry:
        self._refresh()
        if extension_id not in self._entries:
            raise UserFacing(ExtensionReason.NOT_INSTALLED.of(name=extension_id))
        return self._entries[extension_id]

    def _extension(self, extension_id: str, entry: _Entry) -> Extension:
        folder = self._folder(extension_id)
        why_off = reason_from_json(entry.why_off)
        accepted = parse_manifest(entry.accepted.encode()) if entry.accepted else None
        status = ExtensionStatus.ON if entry.is_on else ExtensionStatus.OFF
        offered: Manifest | None = None
        more: tuple[Reason, ...] = ()
        if accepted is None or not self._fits(extension_id):
            status = ExtensionStatus.WAITS
            try:
                offered = read_manifest(folder)
                more = more_than(offered, accepted) if accepted is not None else offered.abilities()
            except UserFacing as error:
                status, why_off = ExtensionStatus.BROKEN, error.reason
        manifest = accepted or offered or _nameless(extension_id)
        # An update may have dropped one, or made another kind of it; the value waits for the older version.
        settings = {
            each.name: entry.settings[each.name]
            if each.takes(entry.settings.get(each.name))
            else each.default
            for each in manifest.settings
        }
        return Extension(
            manifest,
            folder,
            status,
            hashlib.sha256(json.dumps(dict(entry.pins), sort_keys=True).encode()).hexdigest(),
            entry.priority,
            settings,
            entry.key,
            why_off,
            offered,
            more,
            entry.installed_at,
        )

    def _may_run(self, entry: _Entry) -> bool:
        return entry.unconfined or self._confines()

    def _fits(self, extension_id: str) -> bool:
        """Whether every file is the accepted one; hashed again only where one was touched."""
        folder = self._folder(extension_id)
        try:
            seen = package.fingerprint(folder)
        except OSError:
            return False
        known = self._looked.get(extension_id)
        if known is None or known[0] != seen:
            known = (seen, self._fits_now(self._entries[extension_id], folder))
            self._looked[extension_id] = known
        return known[1]

    def _fits_now(self, entry: _Entry, folder: Path) -> bool:
        try:
            return bool(entry.pins) and package.hashes(folder) == dict(entry.pins)
        except OSError:
            return False

    def _set(self, extension_id: str, **values: Any) -> None:
        self._entries[extension_id] = replace(self._entries[extension_id], **values)
        self._write()

    def _refresh(self) -> None:
        """Read the file again where another process has written it."""
        try:
            facts = self.file.stat()
            stamp = (facts.st_mtime_ns, facts.st_ino)
        except OSError:
            stamp = (0, 0)
        if stamp == self._read_at:
            return
        if self._read_at is None:
            put_back_folders(self._root)
        self._entries = _entries(self.file) if stamp != (0, 0) else {}
        self._read_at, self._enabled = stamp, None
        self._looked.clear()

    def _write(self) -> None:
        content = {"extensions": {each: asdict(entry) for each, entry in self._entries.items()}}
        write_atomically(self.file, json.dumps(content, indent=1).encode())
        facts = self.file.stat()
        self._read_at, self._enabled = (facts.st_mtime_ns, facts.st_ino), None


def _entries(file: Path) -> dict[str, _Entry]:
    """What the file says; one that was written by somebody else is put aside, and nothing is on."""
    try:
        said = read_object(file, WHAT).get("extensions", {})
        found = {str(each): record(_Entry, values) for each, values in said.items()}
        for entry in found.values():
            # Read now, so that a damaged entry is found here and not in the middle of a turn.
            if entry.accepted:
                parse_manifest(entry.accepted.encode())
    except (ValueError, AttributeError, UserFacing) as error:
        put_aside(file, WHAT, f"an entry is of another kind ({error})")
        return {}
    return found


def _nameless(extension_id: str) -> Manifest:
    """For one whose folder cannot be read any more."""
    return Manifest(extension_id, "0", "extension.py", extension_id)
