"""The folders that the assistant may use, and the one way from the text of a path to a file.

`Workspace.place` turns text into a Place, a held folder and the components beneath it, or refuses with the
reason. Relative paths belong to the workspace; an absolute path must lie in the workspace or in a granted
folder, else `OutsideWorkspace` names the resolved path, so that the user can be asked about it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

from desktop.errors import UserFacing
from desktop.sandbox import names, refusals
from desktop.sandbox.checked_folder import CheckedFolder
from desktop.sandbox.facts import Entry, Facts
from desktop.sandbox.folder import Folder
from desktop.sandbox.held_folder import HeldFolder

# What looks like files there is the kernel speaking; no path leads there, asked or not.
SYSTEM_FOLDERS = tuple(map(Path, ("/dev", "/proc", "/sys")))


def hold(path: Path, forbidden: Iterable[Path] = ()) -> Folder:
    """Hold `path` in the best way that this system has. Raises UserFacing."""
    return HeldFolder(path, forbidden) if os.name == "posix" else CheckedFolder(path, forbidden)


@dataclass(frozen=True)
class Place:
    """Where something is: a held folder and the components beneath it."""

    folder: Folder
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        """For showing and for keys; never opened by this name."""
        return self.folder.root.joinpath(*self.parts)

    @property
    def shown(self) -> str:
        return self.folder.shown(self.parts)

    def beside(self, name: str) -> Place:
        return Place(self.folder, (*self.parts[:-1], name))

    def below(self, name: str) -> Place:
        return Place(self.folder, (*self.parts, name))

    # What Folder does, at this place.

    def open_file(self, linked: bool = False) -> BinaryIO:
        return self.folder.open_file(self.parts, linked)

    def read(self, offset: int = 0, limit_bytes: int | None = None, linked: bool = False) -> bytes:
        return self.folder.read(self.parts, offset, limit_bytes, linked)

    def facts(self) -> Facts:
        return self.folder.facts(self.parts)

    def exists(self) -> bool:
        return self.folder.exists(self.parts)

    def entries(self) -> list[Entry]:
        return self.folder.entries(self.parts)

    def write(
        self,
        content: bytes | Iterable[bytes],
        replace: bool = True,
        mode: int | None = None,
        times_ns: tuple[int, int] | None = None,
    ) -> None:
        self.folder.write(self.parts, content, replace, mode, times_ns)

    def make_folder(self) -> int:
        return self.folder.make_folder(self.parts)

    def set_folder(self, mode: int, times_ns: tuple[int, int]) -> None:
        self.folder.set_folder(self.parts, mode, times_ns)

    def move(self, to: Place) -> None:
        self.folder.move(self.parts, to.folder, to.parts)

    def remove(self) -> None:
        self.folder.remove(self.parts)


class Workspace:
    """The workspace and the granted folders, held open. Methods may be called on any thread."""

    def __init__(self, root: Path, granted: Iterable[Path] = (), forbidden: Iterable[Path] = ()) -> None:
        """Hold `root` and each of `granted`; all must exist. Raises UserFacing.

        `forbidden` are folders that stay closed inside them: Steward's own data and settings.
        """
        self._forbidden = tuple(forbidden)
        self._lock = threading.Lock()
        self._held: dict[Path, Folder] = {}
        self._own = self._hold(root)
        for folder in granted:
            self._hold(folder)

    @property
    def root(self) -> Path:
        return self._own.root

    @property
    def folders(self) -> tuple[Path, ...]:
        """The workspace, then what was granted, as they were named."""
        return tuple(self._held)

    def close(self) -> None:
        """Let go of every folder. Safe to call twice."""
        for folder in self._held.values():
            folder.close()

    def grant(self, folder: Path) -> None:
        """Open one more folder to the assistant, until `revoke` or `close`."""
        self._hold(folder)

    def revoke(self, folder: Path) -> None:
        """Close a granted folder again; the workspace itself stays."""
        with self._lock:
            held = self._held.get(folder)
            if held is not None and held is not self._own:
                self._held = {path: each for path, each in self._held.items() if path != folder}
                held.close()

    def place(self, text: str) -> Place:
        """Where `text` points to; it need not exist. Raises UserFacing with the reason."""
        written = names.read(text)
        if not written.anchor:
            return Place(self._own, written.parts)
        path = Path(written.anchor, *written.parts)
        for spelled, held in self._held.items():
            for root in (spelled, held.root):
                if path.is_relative_to(root):  # compares whole components
                    return Place(held, path.relative_to(root).parts)
        raise self._outside(path)

    def read_outside(self, path: Path, limit_bytes: int) -> bytes:
        """The bytes of one file elsewhere that the user has just agreed to.

        `path` is the one in `OutsideWorkspace`: resolved, so that a link put there since is refused.
        """
        names.read(str(path))
        _refuse_system(path)
        with hold(Path(path.anchor), self._forbidden) as anchor:
            return anchor.read(path.relative_to(path.anchor).parts, limit_bytes=limit_bytes, linked=True)

    def list_outside(self, path: Path) -> list[Entry]:
        """What is in one folder elsewhere that the user has just agreed to; `path` as in `read_outside`."""
        names.read(str(path))
        _refuse_system(path)
        with hold(Path(path.anchor), self._forbidden) as anchor:
            return anchor.entries(path.relative_to(path.anchor).parts)

    def _hold(self, folder: Path) -> Folder:
        with self._lock:
            held = self._held.get(folder)
            if held is None:
                held = hold(folder, self._forbidden)
                self._held = {**self._held, folder: held}
        return held

    def _outside(self, path: Path) -> UserFacing:
        resolved = Path(os.path.realpath(path))
        try:
            _refuse_system(path)
            _refuse_system(resolved)
        except UserFacing as refusal:
            return refusal
        if any(_is_own(resolved, own) for own in self._forbidden):
            return refusals.own_files(str(resolved))
        return refusals.OutsideWorkspace(resolved)


def _refuse_system(path: PurePath) -> None:
    if any(path.is_relative_to(folder) for folder in SYSTEM_FOLDERS):
        raise refusals.bad_name(str(path), "it belongs to the system, not to a disk", "path-device")


def _is_own(path: Path, own: Path) -> bool:
    return path.is_relative_to(os.path.realpath(own))
