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

import errno
import os
import re
import secrets
import stat
import sys
import threading
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import BinaryIO

from desktop import cancellation
from desktop.errors import UserFacing
from desktop.sandbox import refusals
from desktop.sandbox.folder import (
    READ_FLAGS,
    Entry,
    EntryFacts,
    Folder,
    ForbiddenFolder,
    Parts,
    facts_of,
    fill,
)
from desktop.sandbox.held_folder import NO_FOLLOW, HeldFolder, entry_of
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


# -- a folder that is held open ----------------------------------------------------------------

# A folder whose paths are checked before and after each use: for Windows, which holds no folders open.
#
# Links, junctions and short names are noticed because the path then resolves to something else than
# itself. The system is asked for the path of what was opened, so that a file is never read through a link
# swapped in. What is left is the moment between the last check and a rename, a removal or a new file:
# another program of the same user could put a junction in the place of a folder in it.


class CheckedFolder(Folder):
    """The contract of `Folder`, kept by looking twice."""

    def __init__(
        self, path: Path, forbidden: Iterable[Path] = (), sync: Callable[[int], None] = os.fsync
    ) -> None:
        super().__init__(path, forbidden, sync)
        self._open = True
        with self._told(()):
            self._identity = os.stat(self.root)
            if not stat.S_ISDIR(self._identity.st_mode):
                raise OSError(errno.ENOTDIR, "")

    def close(self) -> None:
        self._open = False

    # -- looking ------------------------------------------------------------------------------

    def open_file(self, parts: Parts, linked: bool = False) -> BinaryIO:
        with self._told(parts):
            path = self._checked(parts)
            self._check_plain(parts, os.lstat(path).st_mode)
            descriptor = os.open(path, READ_FLAGS | NO_FOLLOW)
        try:
            self._check_opened(parts, descriptor, linked)
            with self._told(parts):
                # What was opened counts: between the look and the opening a link may have taken the place.
                if os.path.normcase(opened_path(descriptor)) != os.path.normcase(path):
                    raise OSError(errno.ELOOP, "")
        except BaseException:
            os.close(descriptor)
            raise
        return os.fdopen(descriptor, "rb")

    def facts(self, parts: Parts) -> EntryFacts:
        with self._told(parts):
            return facts_of(os.lstat(self._place(parts)))

    def entries(self, parts: Parts) -> list[Entry]:
        with self._told(parts), os.scandir(self._checked(parts)) as found:
            self._checked(parts)
            entries = [entry_of(each) for each in found]
        return sorted((each for each in entries if each), key=lambda each: each.name)

    # -- changing -----------------------------------------------------------------------------

    def write(
        self,
        parts: Parts,
        content: bytes | Iterable[bytes],
        replace: bool = True,
        mode: int | None = None,
        times_ns: tuple[int, int] | None = None,
    ) -> None:
        self._refuse_root(parts)
        with self._told(parts):
            place = self._place(parts)
            before = self._replaceable(place, parts)
            kept = mode if mode is not None else (stat.S_IMODE(before.st_mode) & 0o777 if before else None)
            temporary = place.with_name(f".steward-{secrets.token_hex(8)}.tmp")
            try:
                with open(temporary, "xb") as file:
                    fill(file, content, kept, times_ns, self._sync)
                with cancellation.effect():
                    self._put_in_place(temporary, parts, replace, times_ns)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise

    def make_folder(self, parts: Parts) -> int:
        made = 0
        with self._told(parts):
            for depth in range(1, len(parts) + 1):
                place = self._place(parts[:depth])
                if not place.is_dir():
                    with cancellation.effect():
                        place.mkdir()
                    made += 1
        return made

    def set_folder(self, parts: Parts, mode: int, times_ns: tuple[int, int]) -> None:
        with self._told(parts):
            place = self._checked(parts)
            with cancellation.effect():
                os.chmod(place, mode)
                os.utime(place, ns=times_ns)

    def move(self, parts: Parts, to: Folder, to_parts: Parts) -> None:
        assert isinstance(to, CheckedFolder)
        self._refuse_root(parts)
        self._refuse_own(parts)
        with self._told(parts):
            place = self._place(parts)
            self._check_plain(parts, os.lstat(place).st_mode, folder_too=True)
            with to._told(to_parts), cancellation.effect():
                _rename_new(place, to._place(to_parts))

    def remove(self, parts: Parts) -> None:
        self._refuse_root(parts)
        self._refuse_own(parts)
        with self._told(parts):
            place = self._place(parts)
            mode = os.lstat(place).st_mode
            self._check_plain(parts, mode, folder_too=True)
            with cancellation.effect():
                os.rmdir(place) if stat.S_ISDIR(mode) else os.unlink(place)

    # -- how ----------------------------------------------------------------------------------

    def _checked(self, parts: Parts) -> Path:
        """The path of `parts`, which is no link and lies behind none. Raises OSError."""
        if not self._open:
            raise OSError(errno.EBADF, "")
        if not os.path.samestat(self._identity, os.stat(self.root)):
            raise OSError(errno.ELOOP, "")  # another folder has taken its place
        path = self.root.joinpath(*parts)
        if any(path.is_relative_to(own) for own in self._forbidden):
            raise ForbiddenFolder
        os.lstat(path)
        # Windows knows more kinds of links than `lstat` tells apart; a path that resolves to itself has none.
        if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):
            raise OSError(errno.ELOOP, "")
        return path

    def _place(self, parts: Parts) -> Path:
        """The path of `parts`; its folder is checked, it itself may be missing or a link."""
        if not parts:
            return self._checked(())
        parent = self._checked(parts[:-1])
        if not parent.is_dir():
            raise OSError(errno.ENOTDIR, "")
        if any((parent / parts[-1]).is_relative_to(own) for own in self._forbidden):
            raise ForbiddenFolder
        return parent / parts[-1]

    def _replaceable(self, place: Path, parts: Parts) -> os.stat_result | None:
        try:
            before = os.lstat(place)
        except FileNotFoundError:
            return None
        self._check_replaceable(parts, before)
        return before

    def _put_in_place(
        self, temporary: Path, parts: Parts, replace: bool, times_ns: tuple[int, int] | None
    ) -> None:
        place = self._place(parts)
        if times_ns is not None and os.utime not in os.supports_fd:
            os.utime(temporary, ns=times_ns)
        if replace:
            os.replace(temporary, place)
        else:
            _rename_new(temporary, place)


def opened_path(descriptor: int) -> str:
    """Where the open file really is; the system's own answer, not the name that was used."""
    if sys.platform == "win32":
        import ctypes
        import msvcrt

        text = ctypes.create_unicode_buffer(32768)
        handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
        if not ctypes.windll.kernel32.GetFinalPathNameByHandleW(handle, text, len(text), 0):
            raise ctypes.WinError()
        return text.value.removeprefix("\\\\?\\")
    return os.readlink(f"/proc/self/fd/{descriptor}")


def _rename_new(place: Path, new: Path) -> None:
    """Windows never replaces here; elsewhere a look before has to do."""
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, "")
    os.rename(place, new)
