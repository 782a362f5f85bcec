"""One memory: all of its words, where it came from, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QSizePolicy, QVBoxLayout

from desktop.memory.housekeeping import broader, may_be_pinned
from desktop.memory.item import Item, MemoryStatus
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.memory.list import SEPARATOR, facts, quote
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.buttons import ActionRow, action, relabel
from desktop.ui.widgets.cards import EscapeFrame
from desktop.ui.widgets.details import DetailText
from desktop.ui.widgets.layout import sized


class Details(EscapeFrame):
    """Shows one memory. Each signal is a wish of the user's about it. Main thread only."""

    saved = Signal(object, str)  # the item, its new words
    forget_wanted = Signal(object)
    pin_wanted = Signal(object, bool)
    promote_wanted = Signal(object)
    accept_wanted = Signal(object)
    decline_wanted = Signal(object)

    def __init__(self, shared: Callable[[], bool] = lambda: False) -> None:
        """`shared` tells whether there are layers beyond this computer."""
        super().__init__()
        self._shared = shared
        self.item: Item | None = None
        self.setObjectName("memory_details")
        self.text = self._make_text()
        self._make_buttons()
        column = theme.space(QVBoxLayout(self), 6, (0, 4, 0, 0))
        column.addWidget(self.text, 1)
        column.addLayout(ActionRow(*self.buttons))
        sized(self.text, min_height=44)
        self.show_item(None)

    @property
    def is_editing(self) -> bool:
        return not self.text.isReadOnly()

    def show_item(self, item: Item | None) -> None:
        """Show this memory; words that were being changed are given up."""
        self.item = item
        self.text.setPlainText(visible(item.text) if item is not None else "")
        if item is not None:
            self._add_facts(item)
        self._set_editing(False)

    def edit(self) -> None:
        """Make the words changeable, as they are stored."""
        if self.item is not None:
            # As stored, with invisible characters: escapes saved as text would change the memory.
            self.text.setPlainText(self.item.text)
            self._set_editing(True)
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def wants_escape(self) -> bool:
        return self.is_editing

    def on_escape(self) -> None:
        """Give the editing up."""
        self.show_item(self.item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        # Enter alone begins a new line of the memory.
        if self.is_editing and ctrl and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._save()
        else:
            super().keyPressEvent(event)

    def _add_facts(self, item: Item) -> None:
        """Below the words, smaller: what a suggestion rests on, and all that is known about the memory."""
        lines = [SEPARATOR.join(f"{name}: {value}" for name, value in facts(item))]
        if quote(item):
            lines.insert(0, tr("Based on your words: {quote}", quote=quote(item)))
        form = QTextCharFormat()
        form.setForeground(theme.colour("secondary"))
        form.setFont(theme.font(CAPTION_PX))
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        # In the same text and not in labels below: a low window scrolls through all of it.
        cursor.insertText("\n\n" + "\n".join(map(visible, lines)), form)

    # -- inside -----------------------------------------------------------------------------------

    def _save(self) -> None:
        if self.item is not None:
            words = self.text.toPlainText().strip()
            self._set_editing(False)
            self.saved.emit(self.item, words)

    def _set_editing(self, editing: bool) -> None:
        item = self.item
        waits = item is not None and item.status is MemoryStatus.SUGGESTED
        self.text.setReadOnly(not editing)
        self.text.setProperty("editing", editing)
        # Qt reads a property in a style sheet only when a widget is polished.
        self.text.style().unpolish(self.text)
        self.text.style().polish(self.text)
        free = item is not None and not editing
        self.save.setVisible(editing)
        self.cancel.setVisible(editing)
        self.accept.setVisible(free and waits)
        self.decline.setVisible(free and waits)
        self.change.setVisible(free)
        self.pin.setVisible(free and item is not None and not waits and may_be_pinned(item))
        self.promote.setVisible(free and item is not None and broader(item, self._shared()) is not None)
        self.forget.setVisible(free and not waits)
        is_pinned = item is not None and item.status is MemoryStatus.PINNED
        relabel(self.pin, tr("Unpin") if is_pinned else tr("Pin"))

    def _make_text(self) -> QPlainTextEdit:
        text = DetailText("memory_text", tr("What is remembered"), tr("Choose a memory to see all of it."))
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # what is left over
        return text

    def _make_buttons(self) -> None:
        def add(words: str, name: str, act: Callable[[], object], described: str = "") -> QPushButton:
            return action(words, f"memory_{name}", act, described=described)

        def wish(signal: SignalInstance) -> Callable[[], None]:
            return lambda: signal.emit(self.item)

        self.accept = add(tr("Accept"), "accept", wish(self.accept_wanted), tr("Accept this suggestion"))
        self.decline = add(tr("Decline"), "decline", wish(self.decline_wanted), tr("Decline this suggestion"))
        self.change = add(tr("Edit"), "edit", self.edit, tr("Edit this memory"))
        self.save = add(tr("Save"), "save", self._save, tr("Save these words"))
        self.cancel = add(tr("Cancel"), "cancel", self.on_escape, tr("Keep the words as they were"))
        self.pin = add(tr("Pin"), "pin", self._on_pin)
        self.promote = add(
            tr("Promote…"), "promote", wish(self.promote_wanted), tr("Let it apply in more places")
        )
        self.forget = add(tr("Forget"), "forget", wish(self.forget_wanted), tr("Forget this memory"))
        self.buttons = (
            *(self.accept, self.decline, self.change, self.save, self.cancel),
            *(self.pin, self.promote, self.forget),
        )

    def _on_pin(self) -> None:
        if self.item is not None:
            self.pin_wanted.emit(self.item, self.item.status is not MemoryStatus.PINNED)
