"""Searches off the main thread: one at a time, and of what was typed meanwhile only the newest."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop.chat.search import Page
from desktop.qt.background import Background


class Searching(QObject):
    """`found` carries the answer to the newest text; what was on its way before is dropped. Main thread."""

    found = Signal(str, object)  # what was asked, its Page

    def __init__(
        self, search: Callable[[str], Page], background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._search = search
        self._background = background
        self._running = False
        self._newest = ""  # what waits; "" for nothing

    def ask(self, typed: str) -> None:
        """Look for `typed`, as soon as the search under way has ended."""
        self._newest = typed
        if not self._running:
            self._start()

    def _start(self) -> None:
        typed, self._newest = self._newest, ""
        self._running = True
        self._background.run(
            self._search,
            typed,
            done=lambda page: self._on_done(typed, page),
            failed=self._on_failed,
        )

    def _on_done(self, typed: str, page: Page) -> None:
        self._running = False
        if self._newest:
            self._start()
        else:
            self.found.emit(typed, page)

    def _on_failed(self, error: Exception) -> None:
        self._running = False
        if self._newest:
            self._start()
        raise error
