"""What can go along with a question: clipboard, selected text, and text from a part of the screen.

Before a click only lengths are known here; a text is read when its chip is pressed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import structlog
from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QClipboard, QGuiApplication

from desktop.errors import Cancelled, UserFacing
from desktop.qt.background import Background
from desktop.system.clipboard import is_secret
from desktop.system.selection import CopiedSelection
from desktop.tools.clipboard import Clipboard
from desktop.tools.ocr import Ocr, missing
from desktop.tools.screen import Picture, Screen
from desktop.ui.language import tr
from desktop.ui.quick_ask.chips import UNKNOWN

log = structlog.get_logger(__name__)

CHOOSING_S = 60.0


class Surroundings(QObject):
    """The clipboard, the selection and the screen. Main thread only."""

    picking = Signal(bool)  # the user marks a part of the screen: our window is in the way
    reading = Signal(bool)  # the text in the picture is being read
    found = Signal(str)
    refused = Signal(object)  # UserFacing

    def __init__(
        self,
        background: Background,
        clipboard: Clipboard,
        screen: Screen | None,
        ocr: Ocr | None,
        copying: CopiedSelection | None = None,
    ) -> None:
        """Without `screen` and `ocr` no text is read from the screen. `copying` is for systems that do not
        tell what is selected.
        """
        super().__init__()
        self._clipboard = clipboard
        self._background = background
        self._screen = screen
        self._ocr = ocr
        self._copying = copying

    @property
    def has_screen(self) -> bool:
        return self._screen is not None and self._ocr is not None

    @property
    def copies_selection(self) -> bool:
        """Whether selected text is had by copying it in the other program, which needs the focus for it."""
        return self._copying is not None

    def copy_selection(self, done: Callable[[str], None], refused: Callable[[UserFacing], None]) -> None:
        """Soon, out of the program that has the focus by then. The clipboard is as before afterwards."""
        if self._copying is not None:
            self._copying.take(lambda text: done(text.strip()), refused)

    def lengths(self) -> tuple[int, int]:
        """Characters on the clipboard and in the selection; 0 also for what a password manager marked."""
        return len(self.clipboard()), UNKNOWN if self.copies_selection else len(self.selection())

    def clipboard(self) -> str:
        """Its text, "" where there is none to give."""
        try:
            clip = self._clipboard.read()
        except UserFacing as error:
            log.info("the clipboard was not looked at", reason=str(error))
            return ""
        return (clip.text or "").strip()

    def selection(self) -> str:
        """What is selected in another window, where the system tells that."""
        board = QGuiApplication.clipboard()
        if not board.supportsSelection() or board.ownsSelection():
            return ""
        # An empty selection gives None, whatever the stubs say.
        data = cast("QMimeData | None", board.mimeData(QClipboard.Mode.Selection))
        if data is None or not data.hasText() or is_secret(data):
            return ""
        return data.text().strip()

    def pick(self) -> None:
        """Let the user mark a part of the screen, and read the text in it."""
        if self._screen is None or self._ocr is None:
            return
        if not self._ocr.is_here:
            self.refused.emit(missing())
            return
        self.picking.emit(True)
        self._background.run(
            self._screen.choose, CHOOSING_S, done=self._on_picked, failed=self._on_failed(self._picked)
        )

    # -- inside -------------------------------------------------------------------------------

    def _picked(self) -> None:
        self.picking.emit(False)

    def _read(self) -> None:
        self.reading.emit(False)

    def _on_picked(self, picture: Picture | None) -> None:
        self.picking.emit(False)
        if picture is None or self._ocr is None:
            return
        self.reading.emit(True)
        self._background.run(
            self._ocr.read, picture.png, done=self._on_read, failed=self._on_failed(self._read)
        )

    def _on_read(self, text: str) -> None:
        self.reading.emit(False)
        if text.strip():
            self.found.emit(text)
        else:
            self.refused.emit(_nothing_to_read())

    def _on_failed(self, over: Callable[[], None]) -> Callable[[Exception], None]:
        def failed(error: Exception) -> None:
            over()
            if isinstance(error, UserFacing):
                self.refused.emit(error)
            elif not isinstance(error, Cancelled):
                raise error

        return failed


def _nothing_to_read() -> UserFacing:
    return UserFacing(
        tr("There is no readable text in that part of the screen."),
        tr("Your question is still here."),
        tr("Mark a part with larger text, or paste the text."),
        code="ocr-empty",
    )
