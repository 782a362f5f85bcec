r"""The folders that the assistant may use, and the one way from the text of a path to a file.

`Workspace.place` turns text into a HeldPath, a held folder and the components beneath it, or refuses with the
reason. Relative paths belong to the workspace; an absolute path must lie in the workspace or in a granted
folder, else `OutsideWorkspace` names the resolved path, so that the user can be asked about it.

What a path may say is judged before the disk is asked (`read_path`), by the same rules on every system, so
that a conversation or a set of files moved to another computer means the same there: what only Windows reads
as a device, a stream or a share is refused on Linux too. Sources: Microsoft's "Naming Files, Paths, and
Namespaces" (reserved names, trailing dots and spaces, `\\?\`, `\\.\`, streams); Unicode Technical Report 36
(look-alikes, invisible characters).
"""

from __future__ import annotations

import os
import re
import threading
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

from desktop.errors import UserFacing
from desktop.sandbox import refusals
from desktop.sandbox.checked_folder import CheckedFolder
from desktop.sandbox.folder import Entry, EntryFacts, Folder
from desktop.sandbox.held_folder import HeldFolder
from desktop.sandbox.refusals import SandboxReason, bad_path

# What looks like files there is the kernel speaking; no path leads there, asked or not.
SYSTEM_FOLDERS = tuple(map(Path, ("/dev", "/proc", "/sys")))
MAX_CHARACTERS = 4096
# Drawn like a slash or a backslash; NFKC does not turn these into one.
SLASH_LIKE = frozenset("\u2044\u2215\u2216\u2571\u2572\u27cb\u27cd\u29f5\u29f8\u29f9\u1735")
# Drawn like a dot; NFKC does not turn these into one.
DOT_LIKE = frozenset("\u0701\u0702\u3002\uff61\ua60e\u00b7\u2022\u2219\u22c5")
JOINERS = frozenset("\u200c\u200d")  # letters of Persian and parts of emoji need them
RESERVED = re.compile(
    r"(?:CON|PRN|AUX|NUL|CLOCK\$|CONIN\$|CONOUT\$|(?:COM|LPT)[0-9\u00b9\u00b2\u00b3])(?:[.: ].*)?",
    re.IGNORECASE | re.DOTALL,
)
TIME_OF_DAY = re.compile(r"(?<=\d):(?=\d)")  # `12:30.txt` is a plain name outside Windows
WINDOWS = os.name == "nt"


def hold(path: Path, forbidden: Iterable[Path] = ()) -> Folder:
    """Hold `path` in the best way that this system has. Raises UserFacing."""
    return HeldFolder(path, forbidden) if os.name == "posix" else CheckedFolder(path, forbidden)


def hold_itself(path: Path, forbidden: Iterable[Path] = ()) -> Folder:
    """The same of a path that was resolved when it was agreed to: a link in it by now is refused."""
    folder = hold(path, forbidden)
    if folder.root != path:
        folder.close()
        raise refusals.link(str(path))
    return folder


@dataclass(frozen=True)
class HeldPath:
    """Where something is: a held folder and the components beneath it."""

    folder: Folder
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The path for showing and as a key; nothing is opened by it."""
        return self.folder.root.joinpath(*self.parts)

    @property
    def shown(self) -> str:
        return self.folder.shown(self.parts)

    def beside(self, name: str) -> HeldPath:
        return HeldPath(self.folder, (*self.parts[:-1], name))

    def below(self, name: str) -> HeldPath:
        return HeldPath(self.folder, (*self.parts, name))

    # What Folder does, at this place.

    def open_file(self, linked: bool = False) -> BinaryIO:
        return self.folder.open_file(self.parts, linked)

    def read(self, offset: int = 0, limit_bytes: int | None = None, linked: bool = False) -> bytes:
        return self.folder.read(self.parts, offset, limit_bytes, linked)

    def facts(self) -> EntryFacts:
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

    def move(self, to: HeldPath) -> None:
        self.folder.move(self.parts, to.folder, to.parts)

    def remove(self) -> None:
        self.folder.remove(self.parts)


class Workspace:
    """The workspace and the granted folders, held open. Methods may be called on any thread."""

    def __init__(self, root: Path, granted: Iterable[Path] = (), forbidden: Iterable[Path] = ()) -> None:
        """Hold `root` and each of `granted`; all must exist. Raises UserFacing.

        `forbidden` are folders that stay closed inside them: Steward's own data and settings.
        """
        self.forbidden = tuple(forbidden)  # folders that stay closed, whatever is opened around them
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

    def place(self, text: str) -> HeldPath:
        """Where `text` points to; it need not exist. Raises UserFacing with the reason."""
        written = read_path(text)
        if not written.anchor:
            return HeldPath(self._own, written.parts)
        path = Path(written.anchor, *written.parts)
        for spelled, held in self._held.items():
            for root in (spelled, held.root):
                if path.is_relative_to(root):  # compares whole components
                    return HeldPath(held, path.relative_to(root).parts)
        raise self._outside(path)

    def read_outside(self, path: Path, limit_bytes: int) -> bytes:
        """The bytes of one file elsewhere that the user has just agreed to.

        `path` is the one in `OutsideWorkspace`: resolved, so that a link put there since is refused.
        """
        read_path(str(path))
        _refuse_system(path)
        with hold(Path(path.anchor), self.forbidden) as anchor:
            return anchor.read(path.relative_to(path.anchor).parts, limit_bytes=limit_bytes, linked=True)

    def list_outside(self, path: Path) -> list[Entry]:
        """What is in one folder elsewhere that the user has just agreed to; `path` as in `read_outside`."""
        read_path(str(path))
        _refuse_system(path)
        with hold(Path(path.anchor), self.forbidden) as anchor:
            return anchor.entries(path.relative_to(path.anchor).parts)

    def _hold(self, folder: Path) -> Folder:
        with self._lock:
            held = self._held.get(folder)
            if held is None:
                held = hold(folder, self.forbidden)
                self._held = {**self._held, folder: held}
        return held

    def _outside(self, path: Path) -> UserFacing:
        # Resolved before the user is asked: they agree to the place, and not to a name that may be led
        # elsewhere.
        resolved = Path(os.path.realpath(path))
        try:
            _refuse_system(path)
            # Also where a link leads there.
            _refuse_system(resolved)
        except UserFacing as refusal:
            return refusal
        if any(resolved.is_relative_to(os.path.realpath(own)) for own in self.forbidden):
            return refusals.own_files(str(resolved))
        return refusals.OutsideWorkspace(resolved)


def _refuse_system(path: PurePath) -> None:
    if any(path.is_relative_to(folder) for folder in SYSTEM_FOLDERS):
        raise bad_path(SandboxReason.PATH_OF_SYSTEM, str(path))


@dataclass(frozen=True)
class WrittenPath:
    """A path as it was written: its components, without `.`; absolute when `anchor` is not empty."""

    text: str
    anchor: str
    parts: tuple[str, ...]


def read_path(text: str, windows: bool = WINDOWS) -> WrittenPath:
    """Take `text` apart. Raises UserFacing with the reason when any part of it is not plain."""
    _check_characters(text)
    # The characters come first: what cannot be seen must not decide how the rest is read.
    text_at_home = str(Path.home()) + text[1:] if text == "~" or text.startswith("~/") else text
    separated = text_at_home.replace("\\", "/") if windows else text_at_home
    _check_form(text, separated, windows)
    anchor, rest = _anchor(separated, windows)
    parts = tuple(part for part in rest.split("/") if part not in ("", "."))
    for part in parts:
        _check_part(text, part, windows)
    return WrittenPath(text, anchor, parts)


def _check_characters(text: str) -> None:
    if not text.strip():
        raise bad_path(SandboxReason.PATH_EMPTY, text)
    if len(text) > MAX_CHARACTERS:
        raise bad_path(SandboxReason.PATH_TOO_LONG, text[:80] + "…", limit=MAX_CHARACTERS)
    if "\0" in text:
        raise bad_path(SandboxReason.PATH_NUL, text)
    for character in text:
        if _is_invisible(character):
            raise bad_path(SandboxReason.PATH_INVISIBLE, text, character=_code(character))
        if character in SLASH_LIKE or _folds_to_slash(character):
            raise bad_path(SandboxReason.PATH_SLASH_LOOK_ALIKE, text, character=_code(character))


def _is_invisible(character: str) -> bool:
    return (
        unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and character not in JOINERS
    )


def _folds_to_slash(character: str) -> bool:
    return character not in "/\\" and not set("/\\").isdisjoint(unicodedata.normalize("NFKC", character))


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _check_form(text: str, separated: str, windows: bool) -> None:
    # As shares are written on Windows, on every system: a text that comes from there must not mean something
    # else here.
    slashes = separated.replace("\\", "/")
    if slashes.startswith(("//", "/??/")):
        raise bad_path(SandboxReason.PATH_SHARE, text)
    if not windows and "\\" in separated:
        raise bad_path(SandboxReason.PATH_BACKSLASH, text)


def _anchor(text: str, windows: bool) -> tuple[str, str]:
    if windows and re.match(r"[A-Za-z]:/", text):
        return text[:3], text[3:]
    return ("/", text[1:]) if text.startswith("/") else ("", text)


def _check_part(text: str, part: str, windows: bool) -> None:
    if part == "..":
        raise bad_path(SandboxReason.PATH_UP, text)
    if _looks_like_dots(part):
        raise bad_path(SandboxReason.PATH_DOTS_LOOK_ALIKE, text, part=repr(part))
    # macOS reads a file's resource fork under this name.
    if part.startswith("..namedfork"):
        raise bad_path(SandboxReason.PATH_RESOURCE_FORK, text)
    if RESERVED.fullmatch(part):
        raise bad_path(SandboxReason.PATH_WINDOWS_DEVICE, text, part=repr(part))
    if ":" in (part if windows else TIME_OF_DAY.sub("", part)):
        raise bad_path(SandboxReason.PATH_COLON, text)
    if part[-1] == "." or part[-1].isspace():
        raise bad_path(SandboxReason.PATH_ENDS_IN_DOT, text, part=repr(part))


def _looks_like_dots(part: str) -> bool:
    """True for names made only of dots or of what is drawn like them; `.` and `..` were handled before."""
    folded = unicodedata.normalize("NFKC", "".join("." if c in DOT_LIKE else c for c in part))
    return not folded.strip(". ")
