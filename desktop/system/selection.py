"""The text selected in another program, by copying it there: for systems that tell nobody what is selected.

The clipboard is saved whole, the keys for "copy" are sent to the program that had the focus, what comes is
read, and every format that was there before is put back. It happens after a click only, and never in programs
where these keys mean something else or the text is nobody's business: terminals, password managers, remote
desktops, spreadsheets, file managers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

import structlog
from PySide6.QtCore import QObject, QTimer

from desktop.errors import UserFacing
from desktop.system.clipboard import Saved

log = structlog.get_logger(__name__)

LOOK_EVERY_MS = 50
PATIENCE_MS = 400
FOCUS_MS = 80  # until the other program has the focus back

_TERMINALS = (
    "cmd powershell pwsh windowsterminal wt conhost mintty putty kitty alacritty wezterm terminal iterm2"
)
_PASSWORDS = "keepass keepassxc 1password bitwarden lastpass dashlane enpass protonpass"
_REMOTE = "mstsc teamviewer anydesk rustdesk vncviewer parsec remotedesktop citrix wfica32"
_SHEETS = "excel scalc soffice numbers gnumeric"
_FILES = "explorer finder totalcmd doublecmd"
EXCLUDED = frozenset(" ".join((_TERMINALS, _PASSWORDS, _REMOTE, _SHEETS, _FILES)).split())


class CopyingSystem(Protocol):
    """The calls of one system. Main thread only."""

    def program(self) -> str:
        """The name of the program with the focus, without its ending, or "" where it is not told."""
        ...

    def may_press(self) -> bool:
        """Whether the system lets this program send keys to others."""
        ...

    def change_count(self) -> int:
        """Another number after every change of the clipboard."""
        ...

    def save(self) -> Saved: ...

    def press_copy(self) -> None:
        """Send the keys for "copy" to the program with the focus."""
        ...

    def text(self) -> str: ...

    def restore(self, saved: Saved) -> None:
        """Put back all formats, and nothing else."""
        ...


class CopiedSelection(QObject):
    """One at a time. Main thread only; it never blocks."""

    def __init__(
        self, system: CopyingSystem, later: Callable[[int, Callable[[], None]], None] | None = None
    ) -> None:
        """`later(ms, do)` stands in for a timer."""
        super().__init__()
        self._system = system
        self._later = later or self._after
        self._busy = False

    def is_excluded(self) -> bool:
        """Whether the program with the focus is one of those where nothing is copied."""
        return self._system.program().casefold() in EXCLUDED

    def take(self, done: Callable[[str], None], refused: Callable[[UserFacing], None]) -> None:
        """Copy what is selected in the program that has the focus now, or soon; "" where nothing came."""
        if self._busy:
            return
        self._busy = True
        self._later(FOCUS_MS, lambda: self._begin(done, refused))

    def _begin(self, done: Callable[[str], None], refused: Callable[[UserFacing], None]) -> None:
        system = self._system
        refusal = self._refusal()
        if refusal is not None:
            self._busy = False
            refused(refusal)
            return
        saved, before = system.save(), system.change_count()
        system.press_copy()
        self._look(saved, before, PATIENCE_MS, done)

    def _look(self, saved: Saved, before: int, left_ms: int, done: Callable[[str], None]) -> None:
        system = self._system
        if system.change_count() == before and left_ms > 0:
            self._later(LOOK_EVERY_MS, lambda: self._look(saved, before, left_ms - LOOK_EVERY_MS, done))
            return
        text = ""
        if system.change_count() != before:  # else nothing was selected, and nothing is to be put back
            text = system.text()
            system.restore(saved)
        self._busy = False
        done(text)

    def _refusal(self) -> UserFacing | None:
        if self.is_excluded():
            return UserFacing(
                f"Nothing is copied out of {self._system.program()}.",
                "Your question is still here, and so is the clipboard.",
                "Copy the text yourself and add the clipboard.",
                code="selection-excluded",
            )
        if not self._system.may_press():
            return UserFacing(
                "The system does not let Steward press the keys for Copy.",
                "Your question is still here, and so is the clipboard.",
                "Allow it under Privacy & Security, Accessibility, or copy the text yourself.",
                code="selection-not-allowed",
            )
        return None

    def _after(self, milliseconds: int, do: Callable[[], None]) -> None:
        QTimer.singleShot(milliseconds, self, do)


def copied_selection() -> CopiedSelection | None:
    """What this system needs; None where it tells what is selected (X11), or nobody may ask (Wayland)."""
    try:
        if sys.platform == "win32":
            from desktop.system.selection_windows import RealWindowsClipboard, WindowsCopying

            return CopiedSelection(WindowsCopying(RealWindowsClipboard()))
        if sys.platform == "darwin":
            from desktop.system.selection_macos import MacCopying, RealPasteboard

            return CopiedSelection(MacCopying(RealPasteboard()))
    except OSError as error:
        log.warning("selected text cannot be had", reason=str(error))
    return None
