"""The text selected in another program, by copying it there: for systems that tell nobody what is selected.

The clipboard is saved whole, the keys for "copy" are sent to the program that had the focus, what comes is
read, and every format that was there before is put back. It happens after a click only, and never in programs
where these keys mean something else or the text is nobody's business: terminals, password managers, remote
desktops, spreadsheets, file managers.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from ctypes.util import find_library
from dataclasses import dataclass
from typing import Any, Protocol

import psutil
import structlog
from PySide6.QtCore import QObject, QTimer

from desktop.errors import UserFacing
from desktop.system.reasons import SystemReason

log = structlog.get_logger(__name__)
LOOK_EVERY_MS = 50
PATIENCE_MS = 400
FOCUS_MS = 80  # until the other program has the focus back

_TERMINALS = (
    "cmd powershell pwsh windowsterminal wt conhost mintty putty kitty alacritty wezterm terminal iterm2"
)

_PASSWORDS = "keepass keepassxc 1password bitwarden lastpass dashlane enpass protonpass"
_REMOTE = "mstsc teamviewer anydesk rustdesk vncviewer parsec remotedesktop citrix wfica32"
_SHEETS = "excel scalc soffice numbers gnumeric"
_FILES = "explorer finder totalcmd doublecmd"
EXCLUDED = frozenset(" ".join((_TERMINALS, _PASSWORDS, _REMOTE, _SHEETS, _FILES)).split())


@dataclass(frozen=True)
class SavedClipboard:
    """The clipboard as it was: of each item each format's name or number, and its bytes. Only macOS knows
    more than one item, such as several files."""

    items: tuple[Mapping[str | int, bytes], ...]


class CopyingSystem(Protocol):
    """The calls of one system. Main thread only."""

    def program(self) -> str:
        """The name of the program with the focus, without its ending, or "" where it is not told."""
        ...

    def may_press(self) -> bool:
        """Whether the system lets this program send keys to others."""
        ...

    def change_count(self) -> int:
        """Another number after every change of the clipboard."""
        ...

    def save(self) -> SavedClipboard: ...

    def press_copy(self) -> None:
        """Send the keys for "copy" to the program with the focus."""
        ...

    def text(self) -> str: ...

    def restore(self, saved: SavedClipboard) -> None:
        """Put back all formats, and nothing else."""
        ...


class CopiedSelection(QObject):
    """One at a time. Main thread only; it never blocks."""

    def __init__(
        self, system: CopyingSystem, later: Callable[[int, Callable[[], None]], None] | None = None
    ) -> None:
        """`later(ms, do)` stands in for a timer."""
        super().__init__()
        self._system = system
        self._later = later or self._after
        self._busy = False

    def is_excluded(self) -> bool:
        """Whether the program with the focus is one of those where nothing is copied."""
        return self._system.program().casefold() in EXCLUDED

    def take(self, done: Callable[[str], None], refused: Callable[[UserFacing], None]) -> None:
        """Copy what is selected in the program that has the focus now, or soon; "" where nothing came."""
        # A second press meanwhile would save what the first has just copied, and put that back.
        if self._busy:
            return
        self._busy = True
        # The keys go to whoever has the focus, and that is still our own window.
        self._later(FOCUS_MS, lambda: self._begin(done, refused))

    def _begin(self, done: Callable[[str], None], refused: Callable[[UserFacing], None]) -> None:
        system = self._system
        refusal = self._refusal()
        if refusal is not None:
            self._busy = False
            refused(refusal)
            return
        # Saved first: from the press on the old contents are gone.
        saved, before = system.save(), system.change_count()
        system.press_copy()
        self._look(saved, before, PATIENCE_MS, done)

    def _look(self, saved: SavedClipboard, before: int, left_ms: int, done: Callable[[str], None]) -> None:
        system = self._system
        if system.change_count() == before and left_ms > 0:
            self._later(LOOK_EVERY_MS, lambda: self._look(saved, before, left_ms - LOOK_EVERY_MS, done))
            return
        text = ""
        if system.change_count() != before:  # else nothing was selected, and nothing is to be put back
            text = system.text()
            system.restore(saved)
        self._busy = False
        done(text)

    def _refusal(self) -> UserFacing | None:
        if self.is_excluded():
            return UserFacing(SystemReason.SELECTION_EXCLUDED.of(program=self._system.program()))
        if not self._system.may_press():
            return UserFacing(SystemReason.SELECTION_NOT_ALLOWED.of())
        return None

    def _after(self, milliseconds: int, do: Callable[[], None]) -> None:
        QTimer.singleShot(milliseconds, self, do)


def copied_selection() -> CopiedSelection | None:
    """What this system needs; None where it tells what is selected (X11), or nobody may ask (Wayland)."""
    try:
        if sys.platform == "win32":
            return CopiedSelection(WindowsCopying(RealWindowsClipboard()))
        if sys.platform == "darwin":
            return CopiedSelection(MacCopying(RealPasteboard()))
    except OSError as error:
        log.warning("selected text cannot be had", reason=str(error))
    return None


# -- Windows: the clipboard's formats as bytes, and Ctrl+C as keyboard input; winuser.h and winbase.h ------

# Handles of drawings, not memory: the system makes them anew from the device-independent ones.
DRAWN = frozenset({2, 3, 9, 14, 0x0080, 0x0082, 0x0083, 0x008E})  # bitmap, metafiles, palette, owner's
CF_UNICODETEXT = 13
VK_CONTROL, VK_C, KEYEVENTF_KEYUP = 0x11, 0x43, 0x0002
GMEM_MOVEABLE = 0x0002


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

    def save(self) -> SavedClipboard:
        found: dict[str | int, bytes] = {}
        for number in self._clipboard.formats():
            content = self._clipboard.read(number) if number not in DRAWN else None
            # Some formats are only promised by their program, which may not keep the promise.
            if content is not None:
                found[number] = content
        return SavedClipboard((found,))

    def press_copy(self) -> None:
        for code, flags in (
            (VK_CONTROL, 0),
            (VK_C, 0),
            (VK_C, KEYEVENTF_KEYUP),
            (VK_CONTROL, KEYEVENTF_KEYUP),
        ):
            self._clipboard.key(code, flags)

    def text(self) -> str:
        content = self._clipboard.read(CF_UNICODETEXT) or b""
        # The memory may be longer than the text, which ends at its first zero.
        return content.decode("utf-16-le", errors="replace").partition("\0")[0]

    def restore(self, saved: SavedClipboard) -> None:
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
                # Zero bytes would give a handle without memory, which cannot be locked.
                handle = self._kernel32.GlobalAlloc(GMEM_MOVEABLE, max(len(content), 1))
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


# -- macOS: AppKit's NSPasteboard and NSWorkspace, and Core Graphics' CGEvent ------------------------------

PLAIN_TEXT = "public.utf8-plain-text"
VK_ANSI_C = 8  # kVK_ANSI_C
COMMAND_FLAG = 0x00100000  # kCGEventFlagMaskCommand


class Pasteboard(Protocol):
    """The messages that are used."""

    def count(self) -> int: ...

    def items(self) -> list[list[str]]:
        """The types of each item."""
        ...

    def read(self, number: int, kind: str) -> bytes | None:
        """One type of one item; None where it is not given."""
        ...

    def write(self, items: list[dict[str, bytes]]) -> None:
        """Clear it and put these there, in one go."""
        ...

    def key(self, code: int, down: bool, flags: int) -> None: ...

    def is_trusted(self) -> bool: ...

    def front_program(self) -> str: ...


class MacCopying:
    """A `CopyingSystem`."""

    def __init__(self, board: Pasteboard) -> None:
        self._board = board

    def program(self) -> str:
        return self._board.front_program()

    def may_press(self) -> bool:
        return self._board.is_trusted()

    def change_count(self) -> int:
        return self._board.count()

    def save(self) -> SavedClipboard:
        return SavedClipboard(
            tuple(self._item(number, kinds) for number, kinds in enumerate(self._board.items()))
        )

    def press_copy(self) -> None:
        for down in (True, False):
            self._board.key(VK_ANSI_C, down, COMMAND_FLAG)

    def text(self) -> str:
        """The text of every item that has one, each on lines of its own."""
        numbers = (number for number, kinds in enumerate(self._board.items()) if PLAIN_TEXT in kinds)
        found = (self._board.read(number, PLAIN_TEXT) or b"" for number in numbers)
        return "\n".join(each.decode("utf-8", errors="replace") for each in found)

    def restore(self, saved: SavedClipboard) -> None:
        self._board.write([{str(kind): content for kind, content in item.items()} for item in saved.items])

    def _item(self, number: int, kinds: list[str]) -> dict[str | int, bytes]:
        contents = ((kind, self._board.read(number, kind)) for kind in kinds)
        return {kind: content for kind, content in contents if content is not None}


class RealPasteboard:
    """This computer's general pasteboard. Main thread only, with AppKit loaded, as Qt does."""

    def __init__(self) -> None:
        paths = [find_library(name) for name in ("objc", "ApplicationServices")]
        if None in paths:
            raise OSError("there is no AppKit")
        self._objc: Any = ctypes.CDLL(paths[0])
        self._services: Any = ctypes.CDLL(paths[1])
        self._objc.objc_getClass.restype = ctypes.c_void_p
        self._objc.objc_getClass.argtypes = (ctypes.c_char_p,)
        self._objc.sel_registerName.restype = ctypes.c_void_p
        self._objc.sel_registerName.argtypes = (ctypes.c_char_p,)
        create = self._services.CGEventCreateKeyboardEvent
        create.restype = ctypes.c_void_p
        create.argtypes = (ctypes.c_void_p, ctypes.c_uint16, ctypes.c_bool)
        self._services.CGEventSetFlags.argtypes = (ctypes.c_void_p, ctypes.c_uint64)
        self._services.CGEventPost.argtypes = (ctypes.c_uint32, ctypes.c_void_p)
        self._services.AXIsProcessTrusted.restype = ctypes.c_bool

    def count(self) -> int:
        return int(self._send(self._general(), b"changeCount", ctypes.c_long))

    def types(self) -> list[str]:
        """Of all items together, with the marks of password managers, which Qt does not name."""
        return [
            self._text(kind) for kind in self._each(self._send(self._general(), b"types", ctypes.c_void_p))
        ]

    def items(self) -> list[list[str]]:
        kinds = (self._send(item, b"types", ctypes.c_void_p) for item in self._items())
        return [[self._text(kind) for kind in self._each(listed)] for listed in kinds]

    def read(self, number: int, kind: str) -> bytes | None:
        items = self._items()
        if number >= len(items):  # another program has written meanwhile
            return None
        data = self._send(items[number], b"dataForType:", ctypes.c_void_p, self._string(kind))
        if not data:
            return None
        place = self._send(data, b"bytes", ctypes.c_void_p)
        length = int(self._send(data, b"length", ctypes.c_ulong))
        return ctypes.string_at(place, length) if length else b""

    def write(self, items: list[dict[str, bytes]]) -> None:
        board = self._general()
        self._send(board, b"clearContents", ctypes.c_long)
        written = self._send(self._class(b"NSMutableArray"), b"array", ctypes.c_void_p)
        for item in items:
            made = self._send(self._class(b"NSPasteboardItem"), b"new", ctypes.c_void_p)
            for kind, each in item.items():
                self._put(made, kind, each)
            self._send(written, b"addObject:", None, ctypes.c_void_p(made))
            self._send(made, b"release", None)  # the array holds it now
        if items:
            self._send(board, b"writeObjects:", ctypes.c_bool, ctypes.c_void_p(written))

    def _put(self, item: Any, kind: str, content: bytes) -> None:
        data = self._send(
            self._class(b"NSData"),
            b"dataWithBytes:length:",
            ctypes.c_void_p,
            ctypes.c_char_p(content),
            ctypes.c_ulong(len(content)),
        )
        self._send(item, b"setData:forType:", ctypes.c_bool, ctypes.c_void_p(data), self._string(kind))

    def key(self, code: int, down: bool, flags: int) -> None:
        event = self._services.CGEventCreateKeyboardEvent(None, code, down)
        self._services.CGEventSetFlags(event, flags)
        self._services.CGEventPost(0, event)  # kCGHIDEventTap

    def is_trusted(self) -> bool:
        return bool(self._services.AXIsProcessTrusted())

    def front_program(self) -> str:
        workspace = self._send(self._class(b"NSWorkspace"), b"sharedWorkspace", ctypes.c_void_p)
        front = self._send(workspace, b"frontmostApplication", ctypes.c_void_p)
        name = self._send(front, b"localizedName", ctypes.c_void_p) if front else None
        return self._text(name) if name else ""

    # -- messages -------------------------------------------------------------------------------

    def _items(self) -> list[Any]:
        return self._each(self._send(self._general(), b"pasteboardItems", ctypes.c_void_p))

    def _each(self, array: Any) -> list[Any]:
        """What an NSArray holds; nothing for nil."""
        length = int(self._send(array, b"count", ctypes.c_ulong) or 0) if array else 0
        return [
            self._send(array, b"objectAtIndex:", ctypes.c_void_p, ctypes.c_ulong(n)) for n in range(length)
        ]

    def _general(self) -> Any:
        return self._send(self._class(b"NSPasteboard"), b"generalPasteboard", ctypes.c_void_p)

    def _class(self, name: bytes) -> Any:
        return self._objc.objc_getClass(name)

    def _string(self, text: str) -> ctypes.c_void_p:
        kind = self._class(b"NSString")
        made = self._send(kind, b"stringWithUTF8String:", ctypes.c_void_p, ctypes.c_char_p(text.encode()))
        return ctypes.c_void_p(made)

    def _text(self, string: Any) -> str:
        return bytes(self._send(string, b"UTF8String", ctypes.c_char_p) or b"").decode()

    def _send(self, target: Any, message: bytes, result: Any, *arguments: Any) -> Any:
        """One message. Its prototype is given each time: the C function has another for every use."""
        kinds = [type(argument) for argument in arguments]
        prototype = ctypes.CFUNCTYPE(result, ctypes.c_void_p, ctypes.c_void_p, *kinds)
        send = prototype(("objc_msgSend", self._objc))
        return send(target, self._objc.sel_registerName(message), *arguments)
