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
    NO_KEY = "no key"  # this keyboard cannot type them
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
