"""The contracts of the ways to a hotkey, against recorded calls: Windows, macOS, and X11's edges.

On a real system only X11 and the portal's interface were tried; these tests hold the others to what the
systems' documentation says.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("PySide6", reason="the hotkey comes through Qt's event loop")

from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from desktop.system.hotkey.grabber import Grabber, GrabResult, GrabStatus, HotkeyPress
from desktop.system.hotkey.keys import Keys
from desktop.system.hotkey.macos import HOTKEY_EXISTS, MacGrabber
from desktop.system.hotkey.previous_window import MacPreviousWindow, WindowsPreviousWindow
from desktop.system.hotkey.windows import ALREADY_REGISTERED, NO_REPEAT, WM_HOTKEY, WindowsGrabber
from desktop.system.hotkey.x11 import NUM_LOCK, X11Grabber


@dataclass
class Recorded:
    """A system that writes down what it was called with; `error` is its answer."""

    error: int = 0
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    pressed: Callable[[], None] = lambda: None

    # Windows
    def register(self, *arguments: int) -> Any:
        self.calls.append(("register", *arguments))
        return self.error if len(arguments) == 3 else (self.error, f"ref-{len(self.calls)}")

    def unregister(self, what: Any) -> None:
        self.calls.append(("unregister", what))

    # macOS
    def handle(self, pressed: Callable[[], None]) -> int:
        self.calls.append(("handle",))
        self.pressed = pressed
        return 0

    # X11
    xkb_event = 85

    space: int = 65  # its keycode in this layout

    def keycodes(self, keysym: int) -> tuple[int, ...]:
        return {0x20: (self.space,), NUM_LOCK: (77,)}.get(keysym, ())

    def modifier_of(self, keysym: int) -> int:
        return 16 if keysym == NUM_LOCK else 0

    def grab(self, keycode: int, modifiers: int) -> int:
        self.calls.append(("grab", keycode, modifiers))
        return self.error if modifiers & 16 else 0

    def ungrab(self, keycode: int, modifiers: int) -> None:
        self.calls.append(("ungrab", keycode, modifiers))


@dataclass
class Told:
    """What a grabber says."""

    grabs: list[GrabStatus] = field(default_factory=list)
    presses: int = 0

    def take(self, grabber: Grabber, text: str) -> None:
        keys = Keys.read(text)
        assert keys is not None
        grabber.take(keys, self.on_pressed, self.on_told)

    def on_pressed(self, press: HotkeyPress) -> None:
        self.presses += 1

    def on_told(self, grabbed: GrabResult) -> None:
        self.grabs.append(grabbed.grab)


MAKERS = {
    "windows": (WindowsGrabber, ALREADY_REGISTERED),
    "macos": (MacGrabber, HOTKEY_EXISTS),
    "x11": (X11Grabber, 10),
}


@pytest.mark.parametrize("system", MAKERS)
def test_taken_and_let_go(qapp: object, system: str) -> None:
    """Every way says that it is ready, lets go of all that it holds, and can be asked again."""
    system_calls, told = Recorded(), Told()
    grabber = MAKERS[system][0](system_calls)
    for _ in range(2):
        told.take(grabber, "Ctrl+Shift+Space")
        grabber.release()
        grabber.release()
    assert told.grabs == [GrabStatus.READY, GrabStatus.READY]
    names = [call[0] for call in system_calls.calls]
    took = names.count("register") + names.count("grab")
    assert took == names.count("unregister") + names.count("ungrab") > 0


@pytest.mark.parametrize("system", MAKERS)
def test_used_by_another_program(qapp: object, system: str) -> None:
    """It is told as such, nothing is held half, and no press is heard."""
    maker, error = MAKERS[system]
    system_calls, told = Recorded(error=error), Told()
    grabber = maker(system_calls)
    told.take(grabber, "Ctrl+Shift+Space")
    assert told.grabs == [GrabStatus.TAKEN]
    names = [call[0] for call in system_calls.calls]
    assert names.count("ungrab") == max(0, names.count("grab") - 1)
    before = len(system_calls.calls)
    grabber.release()
    assert all(call[0] != "unregister" for call in system_calls.calls[before:])


@pytest.mark.parametrize("system", MAKERS)
def test_refused_for_another_reason(qapp: object, system: str) -> None:
    """An error that we do not know is a refusal, not a key in use."""
    told = Told()
    grabber = MAKERS[system][0](Recorded(error=87))
    told.take(grabber, "Ctrl+Shift+Space")
    assert told.grabs == [GrabStatus.REFUSED]
    grabber.release()


def test_windows_registers_without_repeat(qapp: object) -> None:
    """Ctrl is 2, Shift 4; the virtual key of the space bar is 0x20."""
    calls = Recorded()
    grabber = WindowsGrabber(calls)
    Told().take(grabber, "Ctrl+Shift+Space")
    assert calls.calls == [("register", 1, NO_REPEAT | 2 | 4, 0x20)]
    grabber.release()


def test_windows_message_is_a_press(qapp: object) -> None:
    """Only WM_HOTKEY with our number is one, and only that message is kept from Qt."""

    class Message(ctypes.Structure):
        _fields_ = (("hwnd", ctypes.c_void_p), ("message", ctypes.c_uint), ("wparam", ctypes.c_size_t))

    told = Told()
    grabber = WindowsGrabber(Recorded())
    told.take(grabber, "Ctrl+Shift+Space")
    kept = []
    for number, which in ((WM_HOTKEY, 1), (WM_HOTKEY, 2), (0x0100, 1)):
        message = Message(None, number, which)
        kept.append(grabber.nativeEventFilter(b"windows_generic_MSG", ctypes.addressof(message))[0])
    assert kept == [True, False, False]
    assert told.presses == 1
    assert grabber.nativeEventFilter(b"xcb_generic_event_t", 0) == (False, 0)
    grabber.release()


def test_macos_registers_command_and_shift(qapp: object) -> None:
    """Qt's Ctrl is the Command key; the handler is installed once; only held keys are pressed."""
    calls, told = Recorded(), Told()
    grabber = MacGrabber(calls)
    told.take(grabber, "Ctrl+Shift+Space")
    told.take(grabber, "Alt+Space")
    assert calls.calls == [
        ("handle",),
        ("register", 49, 0x0100 | 0x0200),
        ("unregister", "ref-2"),
        ("register", 49, 0x0800),
    ]
    calls.pressed()
    grabber.release()
    calls.pressed()
    assert told.presses == 1


def test_x11_grabs_every_state_of_the_locks(qapp: object) -> None:
    """CapsLock is 2 and NumLock 16 here: four grabs, so that neither is in the way."""
    calls = Recorded()
    grabber = X11Grabber(calls)
    Told().take(grabber, "Ctrl+Shift+Space")
    grabs = [call[2] for call in calls.calls if call[0] == "grab"]
    assert sorted(grabs) == [5, 5 | 2, 5 | 16, 5 | 2 | 16]
    grabber.release()


def test_x11_keyboard_without_the_key(qapp: object) -> None:
    """A layout that cannot type it is told apart from a key in use."""
    told = Told()
    grabber = X11Grabber(Recorded())
    told.take(grabber, "Ctrl+J")
    assert told.grabs == [GrabStatus.NO_KEY]
    grabber.release()


def test_x11_held_key_is_one_press(qapp: object) -> None:
    """The server repeats a held key as release and press at the same moment; locks do not matter."""
    told = Told()
    grabber = X11Grabber(Recorded())
    told.take(grabber, "Ctrl+Shift+Space")

    def event(kind: int, moment: int, state: int = 5) -> None:
        head = bytes([kind, 65, 0, 0]) + moment.to_bytes(4, "little")
        content = ctypes.create_string_buffer(head + bytes(20) + state.to_bytes(2, "little") + bytes(2), 32)
        grabber.nativeEventFilter(b"xcb_generic_event_t", ctypes.addressof(content))
        QCoreApplication.processEvents()

    event(2, 100)
    for moment in (600, 640, 680):
        event(3, moment)
        event(2, moment)
    event(3, 700)
    assert told.presses == 1
    event(2, 900, state=5 | 16)
    event(2, 950, state=4)
    assert told.presses == 2
    grabber.release()


@pytest.mark.parametrize(("space", "let_go"), [(65, 0), (66, 4)], ids=["same key", "key elsewhere"])
def test_x11_other_layout_loses_no_press(qtbot: QtBot, space: int, let_go: int) -> None:
    """What the new layout wants, too, stays held all the while; the rest is let go after the new is taken."""
    calls, told = Recorded(), Told()
    grabber = X11Grabber(calls)
    told.take(grabber, "Ctrl+Shift+Space")
    calls.calls.clear()
    calls.space = space
    mapping_changed = ctypes.create_string_buffer(bytes([34]), 32)
    grabber.nativeEventFilter(b"xcb_generic_event_t", ctypes.addressof(mapping_changed))
    qtbot.waitUntil(lambda: len(told.grabs) == 2)
    assert told.grabs == [GrabStatus.READY, GrabStatus.READY]
    assert calls.calls[let_go:] == [("ungrab", 65, modifiers) for modifiers in (5, 7, 21, 23)][:let_go]
    assert [call[:2] for call in calls.calls[:let_go]] == [("grab", space)] * let_go
    grabber.release()


@dataclass
class User32:
    """The foreground window of Windows, recorded."""

    foreground: int = 100
    calls: list[int] = field(default_factory=list)

    def GetForegroundWindow(self) -> int:  # noqa: N802 - the system's name
        return self.foreground

    def SetForegroundWindow(self, window: int) -> None:  # noqa: N802 - the same
        self.calls.append(window)


def test_windows_gives_the_focus_back_once() -> None:
    """To the window that had it when ours was shown; ours itself is never that window."""
    user32 = User32()
    previous = WindowsPreviousWindow(user32)
    previous.remember(own=7)
    user32.foreground = 7
    previous.remember(own=7)
    previous.bring(7, "")
    previous.give_back()
    previous.give_back()
    assert user32.calls == [7, 100]


def test_macos_hides_the_program_when_nothing_else_is_open(qapp: object) -> None:
    """The window server then gives the focus to the program before."""
    hidden: list[bool] = []
    previous = MacPreviousWindow(lambda: hidden.append(True))
    previous.remember(7)
    previous.give_back()
    assert hidden == [True]
