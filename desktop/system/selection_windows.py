"""Copying on Windows: the clipboard's formats as bytes, and Ctrl+C as keyboard input.

Functions and numbers are those of winuser.h and winbase.h. Formats that are handles of drawings, not memory,
are left out: the system makes them anew from the device-independent ones.
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import psutil

from desktop.system.clipboard import Saved

DRAWN = frozenset({2, 3, 9, 14, 0x0080, 0x0082, 0x0083, 0x008E})  # bitmap, metafiles, palette, owner's
UNICODE_TEXT = 13
CONTROL, LETTER_C, KEY_UP = 0x11, 0x43, 0x0002
MOVEABLE = 0x0002


class WindowsClipboard(Protocol):
    """The functions that are used; each opens and closes what it needs."""

    def sequence(self) -> int: ...

    def formats(self) -> list[int]: ...

    def read(self, number: int) -> bytes | None: ...

    def write(self, formats: dict[int, bytes]) -> None:
        """Empty the clipboard and put these there."""
        ...

    def key(self, code: int, flags: int) -> None: ...

    def foreground_process(self) -> int: ...


class WindowsCopying:
    """A `CopyingSystem`."""

    def __init__(self, clipboard: WindowsClipboard) -> None:
        self._clipboard = clipboard

    def program(self) -> str:
        try:
            name = psutil.Process(self._clipboard.foreground_process()).name()
        except (psutil.Error, ValueError):
            return ""
        return name.removesuffix(".exe").removesuffix(".EXE")

    def may_press(self) -> bool:
        return True

    def change_count(self) -> int:
        return self._clipboard.sequence()

    def save(self) -> Saved:
        found: dict[str | int, bytes] = {}
        for number in self._clipboard.formats():
            content = self._clipboard.read(number) if number not in DRAWN else None
            if content is not None:
                found[number] = content
        return Saved((found,))

    def press_copy(self) -> None:
        for code, flags in ((CONTROL, 0), (LETTER_C, 0), (LETTER_C, KEY_UP), (CONTROL, KEY_UP)):
            self._clipboard.key(code, flags)

    def text(self) -> str:
        content = self._clipboard.read(UNICODE_TEXT) or b""
        return content.decode("utf-16-le", errors="replace").partition("\0")[0]

    def restore(self, saved: Saved) -> None:
        formats = (pair for item in saved.items for pair in item.items())
        self._clipboard.write({int(number): content for number, content in formats})


class RealWindowsClipboard:
    """This computer's. Main thread only."""

    def __init__(self) -> None:
        libraries: Any = getattr(ctypes, "WinDLL")  # noqa: B009 - only Windows has it
        self._user32: Any = libraries("user32")
        self._kernel32: Any = libraries("kernel32")
        for function in (self._kernel32.GlobalLock, self._kernel32.GlobalAlloc):
            function.restype = ctypes.c_void_p
        self._user32.GetClipboardData.restype = ctypes.c_void_p
        self._user32.SetClipboardData.argtypes = (ctypes.c_uint, ctypes.c_void_p)
        self._user32.GetForegroundWindow.restype = ctypes.c_void_p
        self._user32.GetWindowThreadProcessId.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        for function in (self._kernel32.GlobalLock, self._kernel32.GlobalUnlock, self._kernel32.GlobalSize):
            function.argtypes = (ctypes.c_void_p,)
        self._kernel32.GlobalSize.restype = ctypes.c_size_t
        self._kernel32.GlobalAlloc.argtypes = (ctypes.c_uint, ctypes.c_size_t)

    def sequence(self) -> int:
        return int(self._user32.GetClipboardSequenceNumber())

    def formats(self) -> list[int]:
        found, number = [], 0
        self._open()
        try:
            while number := int(self._user32.EnumClipboardFormats(number)):
                found.append(number)
        finally:
            self._user32.CloseClipboard()
        return found

    def read(self, number: int) -> bytes | None:
        self._open()
        try:
            handle = self._user32.GetClipboardData(number)
            place = self._kernel32.GlobalLock(handle) if handle else None
            if not place:
                return None
            try:
                return ctypes.string_at(place, self._kernel32.GlobalSize(handle))
            finally:
                self._kernel32.GlobalUnlock(handle)
        finally:
            self._user32.CloseClipboard()

    def write(self, formats: dict[int, bytes]) -> None:
        self._open()
        try:
            self._user32.EmptyClipboard()
            for number, content in formats.items():
                handle = self._kernel32.GlobalAlloc(MOVEABLE, max(len(content), 1))
                place = self._kernel32.GlobalLock(handle)
                ctypes.memmove(place, content, len(content))
                self._kernel32.GlobalUnlock(handle)
                self._user32.SetClipboardData(number, handle)  # which owns it from now on
        finally:
            self._user32.CloseClipboard()

    def key(self, code: int, flags: int) -> None:
        self._user32.keybd_event(code, 0, flags, 0)

    def foreground_process(self) -> int:
        number = ctypes.c_ulong(0)
        window = self._user32.GetForegroundWindow()
        self._user32.GetWindowThreadProcessId(window, ctypes.byref(number))
        return int(number.value)

    def _open(self) -> None:
        if not self._user32.OpenClipboard(None):
            raise OSError("another program holds the clipboard")
