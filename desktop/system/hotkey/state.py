"""What is true of the hotkey now, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.system.hotkey.grabber import Grab, Grabbed


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
