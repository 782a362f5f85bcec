"""A folder whose paths are checked before and after each use: for Windows, which holds no folders open.

Links, junctions and short names are noticed because the path then resolves to something else than itself.
The system is asked for the path of what was opened, so that a file is never read through a link swapped in.
What is left is the moment between the last check and a rename, a removal or a new file: another program of
the same user could put a junction in the place of a folder in it.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from desktop import cancellation
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
from desktop.sandbox.held_folder import NO_FOLLOW, entry_of


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
