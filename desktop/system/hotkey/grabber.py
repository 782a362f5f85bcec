"""What a system's way to a global hotkey offers, and what became of asking for one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from desktop.reasons import Reason
from desktop.system.hotkey.keys import Keys
from desktop.system.reasons import SystemReason


class GrabStatus(Enum):
    """What became of asking for keys."""

    READY = "ready"
    ASKING = "asking"  # the desktop asks the user
    TAKEN = "taken"  # another program has them
    REFUSED = "refused"  # the user or the desktop said no
    UNBOUND = "unbound"  # allowed, but the desktop has given it no keys yet
    NO_KEY = "no_key"  # this keyboard cannot type them
    ABSENT = "absent"  # there is no way to a hotkey here


@dataclass(frozen=True)
class GrabResult:
    """`trigger` is how the desktop writes the keys, where it decides about them itself."""

    grab: GrabStatus
    trigger: str = ""
    detail: str = ""  # for the log


@dataclass(frozen=True)
class HotkeyPress:
    """The hotkey went down. `activation_token` is Wayland's leave to take the focus."""

    activation_token: str = ""


class Grabber(Protocol):
    """One way to a hotkey. Main thread only; both functions are called there."""

    @property
    def can_rest(self) -> bool:
        """Whether keys can be let go and taken again without asking anybody."""
        ...

    def take(
        self, keys: Keys, pressed: Callable[[HotkeyPress], None], tell: Callable[[GrabResult], None]
    ) -> None:
        """Let go of what was taken before and ask for `keys`.

        `tell` is called at least once, maybe before this returns, and again when it is another later;
        `pressed` at every press, not again while the key is held.
        """
        ...

    def release(self) -> None:
        """Let go of the keys; harmless when there are none. Neither function is called any more."""
        ...


class NoGrabber:
    """The grabber of a system on which no way is known."""

    can_rest = False

    def take(
        self,
        keys: Keys,  # noqa: ARG002 - nothing is taken
        pressed: Callable[[HotkeyPress], None],  # noqa: ARG002 - there are no presses
        tell: Callable[[GrabResult], None],
    ) -> None:
        tell(GrabResult(GrabStatus.ABSENT))

    def release(self) -> None:
        """Do nothing: no keys are held."""


@dataclass(frozen=True)
class HotkeyState:
    """`keys` is what is wanted, "" where the hotkey is off; `works` is whether pressing them does something.

    `words` says it, `next_step` what to do about it, `command` what to bind by hand where that is the step.
    """

    keys: str
    works: bool
    words: Reason
    next_step: Reason | None = None
    command: str = ""
    is_problem: bool = False
    is_waiting: bool = False


def off() -> HotkeyState:
    return HotkeyState("", False, SystemReason.HOTKEY_OFF.of(), SystemReason.QUICK_ASK_IN_TRAY.of())


def not_keys(text: str) -> HotkeyState:
    words, step = SystemReason.NO_HOTKEY.of(text=text), SystemReason.CHOOSE_HOTKEY.of()
    return HotkeyState(text, False, words, step, is_problem=True)


def state_of(keys: str, shown: str, grabbed: GrabResult, command: str) -> HotkeyState:
    """`shown` is `keys` as the user's system writes them."""
    if grabbed.grab is GrabStatus.READY:
        words = SystemReason.HOTKEY_WORKS.of(keys=shown)
        if grabbed.trigger:  # in the desktop's own words, "Press Super+J"
            words = SystemReason.DESKTOP_HOTKEY_WORKS.of(trigger=grabbed.trigger)
        return HotkeyState(keys, True, words)
    if grabbed.grab is GrabStatus.ASKING:
        words, step = SystemReason.HOTKEY_ASKED.of(keys=shown), SystemReason.HOTKEY_QUESTION.of()
        return HotkeyState(keys, False, words, step, is_waiting=True)
    words, step = _problem(grabbed.grab, shown)
    # Shown where it is the step, and only there: beside other advice it would look like a second one.
    by_command = step.code is SystemReason.BIND_COMMAND
    return HotkeyState(keys, False, words, step, command if by_command else "", is_problem=True)


def _problem(grab: GrabStatus, shown: str) -> tuple[Reason, Reason]:
    """What is wrong, and what can be done."""
    match grab:
        case GrabStatus.TAKEN:
            return SystemReason.HOTKEY_TAKEN.of(keys=shown), SystemReason.CHOOSE_OR_FREE_KEYS.of()
        case GrabStatus.REFUSED:
            return SystemReason.HOTKEY_REFUSED.of(keys=shown), SystemReason.BIND_COMMAND.of()
        case GrabStatus.UNBOUND:
            return SystemReason.HOTKEY_UNBOUND.of(), SystemReason.SET_KEYS_IN_DESKTOP.of()
        case GrabStatus.NO_KEY:
            return SystemReason.HOTKEY_WITHOUT_KEY.of(keys=shown), SystemReason.CHOOSE_OTHER_KEYS.of()
        case _:
            return SystemReason.HOTKEY_IMPOSSIBLE.of(), SystemReason.BIND_COMMAND.of()
