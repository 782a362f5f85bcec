"""What tools want of this computer's desktop. `system/` has the real ones, tests put their own in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Clip:
    """What lies on the clipboard.

    `text` is None where there is none to give; `kind` then says in words what there is, "" for nothing.
    `is_secret`: whoever put it there (a password manager) marked it as not to be read; then `text` is None.
    """

    text: str | None = None
    kind: str = ""
    is_secret: bool = False


class Clipboard(Protocol):
    """This computer's clipboard. Methods block and may be called on any thread."""

    def read(self) -> Clip:
        """Raises UserFacing where it cannot be had in time."""
        ...

    def write(self, text: str) -> None:
        """Replace what is there. Raises UserFacing."""
        ...


@dataclass(frozen=True)
class Notice:
    """A notification. `key` names it: one with the same key takes its place. `actions` are key and words."""

    key: str
    title: str
    text: str
    actions: tuple[tuple[str, str], ...] = ()


OPENED = ""  # the action of a click on the notification itself


class Notifier(Protocol):
    """Native notifications. A desktop may swallow one, so nothing may depend on it. Main thread only."""

    def show(self, notice: Notice, chosen: Callable[[str], None]) -> None:
        """`chosen` is called with the key of an action, or OPENED; desktops without buttons never call it."""
        ...

    def withdraw(self, key: str) -> None:
        """Take it away where the desktop can; there need be none."""
        ...
