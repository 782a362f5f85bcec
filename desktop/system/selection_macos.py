"""Copying on macOS: the pasteboard's types as bytes, and Command+C as an event of the keyboard.

Messages are those of AppKit's NSPasteboard and NSWorkspace, functions those of Core Graphics' CGEvent.
Sending keys to other programs needs the user's leave (Accessibility), which the system is asked about, never
worked around.
"""

from __future__ import annotations

import ctypes
from ctypes.util import find_library
from typing import Any, Protocol

from desktop.system.clipboard import Saved

PLAIN_TEXT = "public.utf8-plain-text"
LETTER_C = 8  # kVK_ANSI_C
COMMAND = 0x00100000  # kCGEventFlagMaskCommand


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

    def save(self) -> Saved:
        return Saved(tuple(self._item(number, kinds) for number, kinds in enumerate(self._board.items())))

    def press_copy(self) -> None:
        for down in (True, False):
            self._board.key(LETTER_C, down, COMMAND)

    def text(self) -> str:
        """Of every item that has one, each on lines of its own."""
        numbers = (number for number, kinds in enumerate(self._board.items()) if PLAIN_TEXT in kinds)
        found = (self._board.read(number, PLAIN_TEXT) or b"" for number in numbers)
        return "\n".join(each.decode("utf-8", errors="replace") for each in found)

    def restore(self, saved: Saved) -> None:
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
