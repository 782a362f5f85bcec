"""What a system's way to a global hotkey offers, and what became of asking for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from desktop.system.hotkey.keys import Keys


class Grab(Enum):
    """What became of asking for keys."""

    READY = "ready"
    ASKING = "asking"  # the desktop asks the user
    TAKEN = "taken"  # another program has them
    REFUSED = "refused"  # the user or the desktop said no
    UNBOUND = "unbound"  # allowed, but the desktop has given it no keys yet
    NO_KEY = "no_key"  # this keyboard cannot type them
    ABSENT = "absent"  # there is no way to a hotkey here


@dataclass(frozen=True)
class Grabbed:
    """`trigger` is how the desktop writes the keys, where it decides about them itself."""

    grab: Grab
    trigger: str = ""
    detail: str = ""  # for the log


@dataclass(frozen=True)
class Press:
    """The hotkey went down. `activation_token` is Wayland's leave to take the focus."""

    activation_token: str = ""


class Grabber(Protocol):
    """One way to a hotkey. Main thread only; both functions are called there."""

    @property
    def can_rest(self) -> bool:
        """Whether keys can be let go and taken again without asking anybody."""
        ...

    def take(self, keys: Keys, pressed: Callable[[Press], None], tell: Callable[[Grabbed], None]) -> None:
        """Let go of what was taken before and ask for `keys`.

        `tell` is called at least once, maybe before this returns, and again when it is another later;
        `pressed` at every press, not again while the key is held.
        """
        ...

    def release(self) -> None:
        """Let go of the keys; harmless when there are none. Neither function is called any more."""
        ...


class NoGrabber:
    """Where no way is known."""

    can_rest = False

    def take(self, keys: Keys, pressed: Callable[[Press], None], tell: Callable[[Grabbed], None]) -> None:  # noqa: ARG002 - there are no presses
        tell(Grabbed(Grab.ABSENT))

    def release(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class HotkeyState:
    """`keys` is what is wanted, "" where the hotkey is off; `works` is whether pressing them does something.

    `words` says it, `next_step` what to do about it, `command` what to bind by hand where that is the step.
    """

    keys: str
    works: bool
    words: str
    next_step: str = ""
    command: str = ""
    is_problem: bool = False
    is_waiting: bool = False


def off() -> HotkeyState:
    return HotkeyState("", False, "The hotkey is off.", "Quick-ask is also in the menu of the tray icon.")


def not_keys(text: str) -> HotkeyState:
    return HotkeyState(
        text,
        False,
        f"“{text}” is no hotkey.",
        "Choose a key that is held with Ctrl, Alt or the Windows key, or a function key.",
        is_problem=True,
    )


def state_of(keys: str, shown: str, grabbed: Grabbed, command: str) -> HotkeyState:
    """`shown` is `keys` as the user's system writes them."""
    if grabbed.grab is Grab.READY:
        words = f"{shown} opens Quick-ask."
        if grabbed.trigger:  # in the desktop's own words, "Press Super+J"
            words = f"The desktop opens Quick-ask with: {grabbed.trigger}."
        return HotkeyState(keys, True, words)
    if grabbed.grab is Grab.ASKING:
        return HotkeyState(
            keys,
            False,
            f"The desktop is being asked for {shown}.",
            "It may show a question.",
            is_waiting=True,
        )
    words, step, by_command = _PROBLEMS[grabbed.grab]
    return HotkeyState(
        keys, False, words.format(keys=shown), step, command if by_command else "", is_problem=True
    )


_BIND = "Bind this command to keys in the keyboard settings of your desktop:"

_PROBLEMS = {
    Grab.TAKEN: (
        "{keys} is in use by another program.",
        "Choose other keys here, or free them there.",
        False,
    ),
    Grab.REFUSED: ("The desktop did not give Steward the keys {keys}.", _BIND, True),
    Grab.UNBOUND: (
        "The desktop lets Steward have a hotkey, but has set no keys for it.",
        "Set them in the keyboard settings of your desktop.",
        False,
    ),
    Grab.NO_KEY: ("This keyboard has no key for {keys}.", "Choose other keys.", False),
    Grab.ABSENT: ("On this desktop a program cannot have a hotkey of its own.", _BIND, True),
}
