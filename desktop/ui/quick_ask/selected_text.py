"""What is done at once with text that is selected in another program: rewrite, shorten, translate, explain.

The result stands in a window with the difference; nothing is changed elsewhere. It can be copied, or taken
along: put on the clipboard, with the focus back in the other program, where the user's own paste puts it in
the place of what is selected there. No key is pressed for the user.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit

from desktop.chat.text_actions import TextAction, begin, result_of
from desktop.engine.engine import Engine
from desktop.errors import UserFacing
from desktop.qt.background import Background
from desktop.ui.chat.selection_bar import ResultWindow
from desktop.ui.language import language_in_use


class SelectedTextActions(QObject):
    """One result at a time. Main thread only."""

    taken = Signal()  # on the clipboard, for the program that the text came from

    def __init__(self, engine: Engine, background: Background, field: QPlainTextEdit) -> None:
        """`field` is the one of Quick-ask, beside which the result stands."""
        super().__init__()
        self._engine = engine
        self._background = background
        self._field = field
        self.window: ResultWindow | None = None

    @property
    def is_open(self) -> bool:
        return self.window is not None and self.window.isVisible()

    def start(self, chosen: TextAction, text: str) -> None:
        """Ask the model about `text`, and show what it says."""
        if self.window is not None:
            self.window.close()
        self.window = window = ResultWindow(chosen, text, None, self._field, self._field, self._take)
        window.open_beside()
        try:
            window.stream = begin(self._engine, chosen, text, language_in_use())
        except UserFacing as error:
            window.refuse(error)
            return
        self._background.run(result_of, window.stream, text, done=window.show_result, failed=window.refuse)

    def _take(self, written: str) -> None:
        QGuiApplication.clipboard().setText(written)
        self.taken.emit()
