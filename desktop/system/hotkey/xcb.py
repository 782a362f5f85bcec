"""The few functions of libxcb and libxcb-keysyms that a hotkey needs, on Qt's own connection.

Qt's connection and not one of ours: its clock then knows the moment of the press, and a window manager that
guards the focus sees that our window was asked for by the user. Signatures are those of xcb.h, xproto.h and
xcb_keysyms.h; Qt's xcb platform links both libraries.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cached_property
from typing import Any

from PySide6.QtGui import QGuiApplication, QNativeInterface

KEY_PRESS, KEY_RELEASE, CLIENT_MESSAGE, MAPPING_NOTIFY = 2, 3, 33, 34
ACCESS = 10  # the error of a grab that another client has
ANY_TYPE = 0
GRAB_MODE_ASYNC = 1
SHIFT, LOCK, CONTROL, MOD1, MOD4 = 1, 2, 4, 8, 64
REDIRECT_AND_NOTIFY = (1 << 20) | (1 << 19)  # to whom messages for the window manager go


class _Cookie(ctypes.Structure):
    _fields_ = (("sequence", ctypes.c_uint),)


class _Screens(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("rem", ctypes.c_int), ("index", ctypes.c_int))


class Xcb:
    """Made on the main thread while there is an application on X11. Raises OSError where there is none."""

    def __init__(self) -> None:
        self._c = ctypes.c_void_p(_connection())
        self._xcb = _declared(ctypes.CDLL("libxcb.so.1"))
        self._keysyms = _keysyms_declared(ctypes.CDLL("libxcb-keysyms.so.1"))
        self._free = ctypes.CDLL(None).free
        self._free.argtypes = (ctypes.c_void_p,)
        screens = self._xcb.xcb_setup_roots_iterator(self._xcb.xcb_get_setup(self._c))
        self.root = int.from_bytes(ctypes.string_at(screens.data, 4), sys.byteorder)

    @cached_property
    def xkb_event(self) -> int:
        """The number of the events that tell of another keyboard layout, or 0."""
        name = b"XKEYBOARD"
        cookie = self._xcb.xcb_query_extension(self._c, len(name), name)
        return self._taken(self._xcb.xcb_query_extension_reply(self._c, cookie, None), 10) & 0xFF

    # -- keys -------------------------------------------------------------------------------------

    def keycodes(self, keysym: int) -> tuple[int, ...]:
        """The keys that type `keysym` in the present layout, with whatever modifiers."""
        symbols = ctypes.c_void_p(self._keysyms.xcb_key_symbols_alloc(self._c))
        try:
            found = self._keysyms.xcb_key_symbols_get_keycode(symbols, keysym)
            if not found:
                return ()
            try:
                # The list ends with 0, which is no keycode.
                codes = ctypes.string_at(found)
            finally:
                self._free(found)
            return tuple(dict.fromkeys(codes))
        finally:
            self._keysyms.xcb_key_symbols_free(symbols)

    def modifier_of(self, keysym: int) -> int:
        """The mask of the modifier that the key of `keysym` sets, or 0."""
        cookie = self._xcb.xcb_get_modifier_mapping(self._c)
        reply = self._xcb.xcb_get_modifier_mapping_reply(self._c, cookie, None)
        if not reply:
            return 0
        try:
            # After a head of 32 bytes come eight rows, one for each modifier, of `each` keycodes.
            each = ctypes.string_at(reply, 2)[1]
            table = ctypes.string_at(reply + 32, 8 * each)
        finally:
            self._free(reply)
        wanted = set(self.keycodes(keysym))
        rows = (table[row * each : (row + 1) * each] for row in range(8))
        return next((1 << number for number, row in enumerate(rows) if wanted & set(row)), 0)

    def grab(self, keycode: int, modifiers: int) -> int:
        """0, or the number of the X error: ACCESS where another client has the combination."""
        # Checked: an unchecked request tells of its error by an event, which goes to Qt.
        cookie = self._xcb.xcb_grab_key_checked(
            self._c, 1, self.root, modifiers, keycode, GRAB_MODE_ASYNC, GRAB_MODE_ASYNC
        )
        error = self._xcb.xcb_request_check(self._c, cookie)
        if not error:
            return 0
        code = ctypes.string_at(error, 2)[1]
        self._free(error)
        return code

    def ungrab(self, keycode: int, modifiers: int) -> None:
        self._xcb.xcb_ungrab_key(self._c, keycode, self.root, modifiers)
        # Nothing waits for an answer, so that the request would stay in the buffer.
        self._xcb.xcb_flush(self._c)

    # -- windows ----------------------------------------------------------------------------------

    def atom(self, name: str) -> int:
        encoded = name.encode()
        cookie = self._xcb.xcb_intern_atom(self._c, 0, len(encoded), encoded)
        return self._taken(self._xcb.xcb_intern_atom_reply(self._c, cookie, None), 8)

    def owner(self, selection: str) -> int:
        """The window that owns a selection, or 0."""
        cookie = self._xcb.xcb_get_selection_owner(self._c, self.atom(selection))
        return self._taken(self._xcb.xcb_get_selection_owner_reply(self._c, cookie, None), 8)

    def root_number(self, property_name: str) -> int:
        """The first number of a property of the root window, or 0."""
        cookie = self._xcb.xcb_get_property(self._c, 0, self.root, self.atom(property_name), ANY_TYPE, 0, 1)
        reply = self._xcb.xcb_get_property_reply(self._c, cookie, None)
        if not reply:
            return 0
        try:
            words = int.from_bytes(ctypes.string_at(reply + 16, 4), sys.byteorder)
            return int.from_bytes(ctypes.string_at(reply + 32, 4), sys.byteorder) if words else 0
        finally:
            self._free(reply)

    def tell_manager(self, window: int, message: str, *numbers: int) -> None:
        """A client message about `window` to the window manager."""
        data = [*numbers, 0, 0, 0, 0, 0][:5]
        event = bytes([CLIENT_MESSAGE, 32, 0, 0])
        event += b"".join(n.to_bytes(4, sys.byteorder) for n in (window, self.atom(message), *data))
        self._xcb.xcb_send_event(self._c, 0, self.root, REDIRECT_AND_NOTIFY, event)
        self._xcb.xcb_flush(self._c)

    def _taken(self, reply: int | None, offset: int) -> int:
        """One number of a reply, which is then freed."""
        if not reply:
            return 0
        number = int.from_bytes(ctypes.string_at(reply + offset, 4), sys.byteorder)
        self._free(reply)
        return number


def _connection() -> int:
    application = QGuiApplication.instance()
    native = application.nativeInterface() if isinstance(application, QGuiApplication) else None
    if not isinstance(native, QNativeInterface.QX11Application):
        raise OSError("Qt does not run on X11")
    return int(native.connection())


def _declared(xcb: Any) -> Any:
    # Undeclared, ctypes takes a pointer for an int and cuts it to 32 bits.
    pointer, number, u32 = ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32
    u8, u16 = ctypes.c_uint8, ctypes.c_uint16
    for name, result, arguments in (
        ("xcb_get_setup", pointer, (pointer,)),
        ("xcb_setup_roots_iterator", _Screens, (pointer,)),
        ("xcb_grab_key_checked", _Cookie, (pointer, u8, u32, u16, u8, u8, u8)),
        ("xcb_ungrab_key", _Cookie, (pointer, u8, u32, u16)),
        ("xcb_request_check", pointer, (pointer, _Cookie)),
        ("xcb_flush", number, (pointer,)),
        ("xcb_get_modifier_mapping", _Cookie, (pointer,)),
        ("xcb_get_modifier_mapping_reply", pointer, (pointer, _Cookie, pointer)),
        ("xcb_query_extension", _Cookie, (pointer, u16, ctypes.c_char_p)),
        ("xcb_query_extension_reply", pointer, (pointer, _Cookie, pointer)),
        ("xcb_intern_atom", _Cookie, (pointer, u8, u16, ctypes.c_char_p)),
        ("xcb_intern_atom_reply", pointer, (pointer, _Cookie, pointer)),
        ("xcb_get_selection_owner", _Cookie, (pointer, u32)),
        ("xcb_get_selection_owner_reply", pointer, (pointer, _Cookie, pointer)),
        ("xcb_get_property", _Cookie, (pointer, u8, u32, u32, u32, u32, u32)),
        ("xcb_get_property_reply", pointer, (pointer, _Cookie, pointer)),
        ("xcb_send_event", _Cookie, (pointer, u8, u32, u32, ctypes.c_char_p)),
    ):
        function = getattr(xcb, name)
        function.restype, function.argtypes = result, arguments
    return xcb


def _keysyms_declared(keysyms: Any) -> Any:
    pointer = ctypes.c_void_p
    for name, result, arguments in (
        ("xcb_key_symbols_alloc", pointer, (pointer,)),
        ("xcb_key_symbols_free", None, (pointer,)),
        ("xcb_key_symbols_get_keycode", pointer, (pointer, ctypes.c_uint32)),
    ):
        function = getattr(keysyms, name)
        function.restype, function.argtypes = result, arguments
    return keysyms
