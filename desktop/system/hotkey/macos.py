"""A hotkey on macOS: Carbon's RegisterEventHotKey, which needs no permission.

Constants and signatures are those of HIToolbox's CarbonEvents.h.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes.util import find_library
from typing import Any, Protocol

from desktop.system.hotkey.grabber import GrabResult, GrabStatus, HotkeyPress
from desktop.system.hotkey.keys import Keys, Modifier

KEYBOARD_CLASS = int.from_bytes(b"keyb", "big")
HOTKEY_PRESSED = 5
SIGNATURE = int.from_bytes(b"Stwd", "big")
HOTKEY_EXISTS = -9878
NO_ERROR = 0
# Qt calls the Command key Ctrl and the Control key Meta.
MASKS = {Modifier.CTRL: 0x0100, Modifier.SHIFT: 0x0200, Modifier.ALT: 0x0800, Modifier.META: 0x1000}


class Carbon(Protocol):
    """The part of Carbon that is used."""

    def handle(self, pressed: Callable[[], None]) -> int:
        """Call `pressed` on the main thread at every hotkey; 0 or the system's error. Once."""
        ...

    def register(self, key: int, modifiers: int) -> tuple[int, object]:
        """0 or the system's error, and what `unregister` wants."""
        ...

    def unregister(self, reference: object) -> None: ...


class _EventType(ctypes.Structure):
    _fields_ = (("event_class", ctypes.c_uint32), ("kind", ctypes.c_uint32))


class _HotKeyId(ctypes.Structure):
    _fields_ = (("signature", ctypes.c_uint32), ("id", ctypes.c_uint32))


HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class RealCarbon:
    """This computer's. Raises OSError where there is no Carbon."""

    def __init__(self) -> None:
        path = find_library("Carbon")
        if path is None:
            raise OSError("Carbon is not there")
        self._carbon: Any = ctypes.CDLL(path)
        self._carbon.GetEventDispatcherTarget.restype = ctypes.c_void_p
        self._carbon.RegisterEventHotKey.argtypes = (
            *(ctypes.c_uint32, ctypes.c_uint32, _HotKeyId),
            *(ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p),
        )
        self._carbon.UnregisterEventHotKey.argtypes = (ctypes.c_void_p,)
        self._carbon.InstallEventHandler.argtypes = (
            *(ctypes.c_void_p, HANDLER, ctypes.c_ulong),
            *(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
        )
        self._handler: Any = None  # kept: the system holds only its address

    def handle(self, pressed: Callable[[], None]) -> int:
        def on_event(_call: int, _event: int, _data: int) -> int:
            pressed()
            return NO_ERROR

        self._handler = HANDLER(on_event)
        kind = _EventType(KEYBOARD_CLASS, HOTKEY_PRESSED)
        target = self._carbon.GetEventDispatcherTarget()
        return int(self._carbon.InstallEventHandler(target, self._handler, 1, ctypes.byref(kind), None, None))

    def register(self, key: int, modifiers: int) -> tuple[int, object]:
        reference = ctypes.c_void_p()
        target = self._carbon.GetEventDispatcherTarget()
        error = self._carbon.RegisterEventHotKey(
            key, modifiers, _HotKeyId(SIGNATURE, 1), target, 0, ctypes.byref(reference)
        )
        return int(error), reference

    def unregister(self, reference: object) -> None:
        self._carbon.UnregisterEventHotKey(reference)


class MacGrabber:
    """A `Grabber`. Main thread only."""

    can_rest = True

    def __init__(self, carbon: Carbon) -> None:
        self._carbon = carbon
        self._handles = False
        self._reference: object | None = None
        self._pressed: Callable[[HotkeyPress], None] = lambda _press: None

    def take(
        self, keys: Keys, pressed: Callable[[HotkeyPress], None], tell: Callable[[GrabResult], None]
    ) -> None:
        self.release()
        if not self._handles:
            error = self._carbon.handle(self._on_pressed)
            if error:
                tell(GrabResult(GrabStatus.REFUSED, detail=f"macOS error {error}"))
                return
            self._handles = True
        modifiers = sum(MASKS[modifier] for modifier in keys.modifiers)
        error, reference = self._carbon.register(keys.codes.macos, modifiers)
        if error:
            grab = GrabStatus.TAKEN if error == HOTKEY_EXISTS else GrabStatus.REFUSED
            tell(GrabResult(grab, detail=f"macOS error {error}"))
            return
        self._reference, self._pressed = reference, pressed
        tell(GrabResult(GrabStatus.READY))

    def release(self) -> None:
        if self._reference is not None:
            reference, self._reference = self._reference, None
            self._carbon.unregister(reference)

    def _on_pressed(self) -> None:
        if self._reference is not None:
            self._pressed(HotkeyPress())
