"""The kinds of data on the macOS pasteboard. Qt names only those that it can convert, so not all marks."""

from __future__ import annotations

import ctypes
from ctypes.util import find_library
from typing import Any


def pasteboard_types() -> tuple[str, ...]:
    """`[[NSPasteboard generalPasteboard] types]`. Main thread, with AppKit loaded, as Qt does.

    Raises OSError or AttributeError where there is no Objective-C runtime.
    """
    runtime = ctypes.CDLL(find_library("objc"))
    runtime.objc_getClass.restype = ctypes.c_void_p
    runtime.objc_getClass.argtypes = [ctypes.c_char_p]
    pasteboard = _send(runtime, runtime.objc_getClass(b"NSPasteboard"), b"generalPasteboard", ctypes.c_void_p)
    types = _send(runtime, pasteboard, b"types", ctypes.c_void_p)
    count = _send(runtime, types, b"count", ctypes.c_ulong)
    return tuple(_name(runtime, types, number) for number in range(count or 0))


def _name(runtime: ctypes.CDLL, types: Any, number: int) -> str:
    item = _send(runtime, types, b"objectAtIndex:", ctypes.c_void_p, ctypes.c_ulong(number))
    return (_send(runtime, item, b"UTF8String", ctypes.c_char_p) or b"").decode()


def _send(runtime: ctypes.CDLL, target: Any, message: bytes, result: Any, *arguments: Any) -> Any:
    """One message. Its prototype is given each time: the C function has another for every use."""
    runtime.sel_registerName.restype = ctypes.c_void_p
    runtime.sel_registerName.argtypes = [ctypes.c_char_p]
    kinds = [type(argument) for argument in arguments]
    prototype = ctypes.CFUNCTYPE(result, ctypes.c_void_p, ctypes.c_void_p, *kinds)
    send = prototype(("objc_msgSend", runtime))
    return send(target, runtime.sel_registerName(message), *arguments)
