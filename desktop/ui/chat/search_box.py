"""The box above the list of conversations: typing searches, the arrows walk through what was found."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.ui.language import tr
from desktop.ui.shortcuts import with_keys

SEARCH_AFTER_MS = 60  # so that one stroke of a fast typist is not a search of its own


class SearchBox(QLineEdit):
    """Keeps the keyboard while rows are chosen. Main thread only."""

    search_wanted = Signal(str)
    emptied = Signal()
    stepped = Signal(int)  # so many rows further
    chosen = Signal()
    left = Signal()  # Esc

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("search")
        self.setAccessibleName(tr("Search chats"))
        self.setPlaceholderText(with_keys(tr("Search"), "search"))
        self.setClearButtonEnabled(True)
        self._timer = QTimer(self, singleShot=True, interval=SEARCH_AFTER_MS)
        self._timer.timeout.connect(self._search)
        self.textChanged.connect(self._on_text)

    @property
    def wanted(self) -> str:
        """What is looked for; "" for nothing."""
        return self.text().strip()

    def event(self, event: QEvent) -> bool:
        """Esc is for the box while it is in use, not for the window's own shortcut."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            self.stepped.emit(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._search_now()
            self.chosen.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _on_text(self) -> None:
        if self.wanted:
            self._timer.start()
        else:
            self._timer.stop()
            self.emptied.emit()

    def _search_now(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
            self._search()

    def _search(self) -> None:
        if self.wanted:
            self.search_wanted.emit(self.wanted)
