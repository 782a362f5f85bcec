"""A hotkey on X11: a passive grab of the key, once for each state of the lock keys."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Protocol

import structlog
from PySide6.QtCore import QAbstractNativeEventFilter, QCoreApplication, QTimer

from desktop.system.hotkey.grabber import GrabResult, GrabStatus, HotkeyPress
from desktop.system.hotkey.keys import Keys, Modifier
from desktop.system.hotkey.xcb import (
    ACCESS,
    CONTROL,
    KEY_PRESS,
    KEY_RELEASE,
    LOCK,
    MAPPING_NOTIFY,
    MOD1,
    MOD4,
    SHIFT,
)

log = structlog.get_logger(__name__)

MASKS = {Modifier.CTRL: CONTROL, Modifier.SHIFT: SHIFT, Modifier.ALT: MOD1, Modifier.META: MOD4}
NUM_LOCK, SCROLL_LOCK = 0xFF7F, 0xFF14
ALL_MODIFIERS = 0xFF
XKB_LAYOUT = (0, 1)  # NewKeyboardNotify and MapNotify of xkb.h
SETTLE_MS = 200  # a change of the layout is told several times


class KeyServer(Protocol):
    """The part of `Xcb` that grabs."""

    @property
    def xkb_event(self) -> int: ...

    def keycodes(self, keysym: int) -> tuple[int, ...]: ...

    def modifier_of(self, keysym: int) -> int: ...

    def grab(self, keycode: int, modifiers: int) -> int: ...

    def ungrab(self, keycode: int, modifiers: int) -> None: ...


class X11Grabber(QAbstractNativeEventFilter):
    """A `Grabber` on Qt's own connection to the X server. Main thread only."""

    can_rest = True

    def __init__(self, server: KeyServer) -> None:
        super().__init__()
        self._server = server
        self._keys: Keys | None = None
        self._pressed: Callable[[HotkeyPress], None] = lambda _press: None
        self._tell: Callable[[GrabResult], None] = lambda _grabbed: None
        self._held: list[tuple[int, int]] = []  # keycode, modifiers
        self._wanted = 0
        self._ignored = 0
        self._released_at = -1  # the X server's clock, ms
        self._settling = QTimer(singleShot=True, interval=SETTLE_MS)
        self._settling.timeout.connect(self._take_again)

    def take(
        self, keys: Keys, pressed: Callable[[HotkeyPress], None], tell: Callable[[GrabResult], None]
    ) -> None:
        self.release()
        self._keys, self._pressed, self._tell = keys, pressed, tell
        # Qt asks the filter about events of every window, also of the root window, where a grab reports.
        application = QCoreApplication.instance()
        assert application is not None
        application.installNativeEventFilter(self)
        tell(self._grab(keys))

    def release(self) -> None:
        if self._keys is None:
            return
        self._settling.stop()
        application = QCoreApplication.instance()
        if application is not None:
            application.removeNativeEventFilter(self)
        self._ungrab()
        self._keys = None

    def nativeEventFilter(self, kind: Any, message: Any) -> tuple[bool, int]:
        """Called for every event of the X server: only the first bytes are looked at."""
        head = ctypes.string_at(int(message), 2)
        event = head[0] & 0x7F
        if event in (KEY_PRESS, KEY_RELEASE) and bytes(kind) == b"xcb_generic_event_t":
            self._take_event(ctypes.string_at(int(message), 32))
        # Qt asks the server for XKB's own events, and then gets no others about the layout.
        if event == MAPPING_NOTIFY or (event == self._server.xkb_event and head[1] in XKB_LAYOUT):
            self._settling.start()
        return False, 0

    # -- inside -------------------------------------------------------------------------------

    def _take_event(self, event: bytes) -> None:
        """Tell of our key once Qt, too, has seen the event: it then knows the moment of the press."""
        keycode, moment = event[1], int.from_bytes(event[4:8], sys.byteorder)
        state = int.from_bytes(event[28:30], sys.byteorder) & ALL_MODIFIERS & ~self._ignored
        if not any(keycode == held for held, _ in self._held):
            return
        if event[0] & 0x7F == KEY_RELEASE:
            self._released_at = moment
        elif state == self._wanted and moment != self._released_at:
            # The repeats of a held key are told by its release at the same moment.
            QTimer.singleShot(0, self._settling, self._tell_press)

    def _tell_press(self) -> None:
        if self._keys is not None:
            self._pressed(HotkeyPress())

    def _grab(self, keys: Keys) -> GrabResult:
        """All or nothing: a hotkey that fails with NumLock on would be a riddle.

        What is held already and wanted still is never let go: a press in between would be lost.
        """
        codes = self._server.keycodes(keys.codes.x11)
        if not codes:
            self._ungrab()
            return GrabResult(GrabStatus.NO_KEY)
        self._wanted = sum(MASKS[modifier] for modifier in keys.modifiers)
        locks = self._locks()
        self._ignored = sum(locks)
        # X compares modifiers exactly: with CapsLock on, a grab without its mask stays silent.
        wanted = [(code, self._wanted | extra) for code in codes for extra in _sums(locks)]
        for code, modifiers in wanted:
            if (code, modifiers) in self._held:
                continue
            error = self._server.grab(code, modifiers)
            if error:
                self._ungrab()
                return GrabResult(
                    GrabStatus.TAKEN if error == ACCESS else GrabStatus.REFUSED, detail=f"X error {error}"
                )
            self._held.append((code, modifiers))
        self._ungrab(except_these=wanted)
        return GrabResult(GrabStatus.READY)

    def _locks(self) -> tuple[int, ...]:
        """The masks of CapsLock, NumLock and ScrollLock, as far as the keyboard has them."""
        found = {LOCK, self._server.modifier_of(NUM_LOCK), self._server.modifier_of(SCROLL_LOCK)}
        return tuple(sorted(found - {0} - set(MASKS.values())))

    def _ungrab(self, except_these: Sequence[tuple[int, int]] = ()) -> None:
        for held in [each for each in self._held if each not in except_these]:
            self._server.ungrab(*held)
            self._held.remove(held)

    def _take_again(self) -> None:
        """Another layout: the key may sit elsewhere."""
        if self._keys is not None:
            grabbed = self._grab(self._keys)
            log.info("the keyboard changed", hotkey=str(self._keys), grab=grabbed.grab.value)
            self._tell(grabbed)


def _sums(masks: tuple[int, ...]) -> list[int]:
    return [sum(chosen) for size in range(len(masks) + 1) for chosen in combinations(masks, size)]
