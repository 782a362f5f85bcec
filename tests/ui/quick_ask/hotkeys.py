"""A way to a hotkey that answers as a test says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from desktop.system.hotkey.grabber import GrabResult, GrabStatus, HotkeyPress
from desktop.system.hotkey.keys import Keys


@dataclass
class FakeGrabber:
    """`used` are keys of other programs; `answer` is what becomes of the others."""

    answer: GrabStatus = GrabStatus.READY
    used: frozenset[str] = frozenset()
    held: str = ""
    taken: list[str] = field(default_factory=list)
    pressed: Callable[[HotkeyPress], None] = lambda _press: None
    can_rest: bool = True

    def take(
        self, keys: Keys, pressed: Callable[[HotkeyPress], None], tell: Callable[[GrabResult], None]
    ) -> None:
        self.taken.append(str(keys))
        grab = GrabStatus.TAKEN if str(keys) in self.used else self.answer
        self.held = str(keys) if grab is GrabStatus.READY else ""
        self.pressed = pressed
        tell(GrabResult(grab))

    def release(self) -> None:
        self.held = ""
