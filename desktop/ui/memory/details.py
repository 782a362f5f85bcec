"""One memory: all of its words, where it came from, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QVBoxLayout

from desktop.memory.housekeeping import broader, may_be_pinned
from desktop.memory.item import Item, MemoryStatus
from desktop.ui import theme
from desktop.ui.language import tr
from desktop.ui.memory.model import SEPARATOR, facts, quote
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.labels import button
from desktop.ui.widgets.layout import FlowLayout
from desktop.ui.widgets.rows import small
from desktop.ui.widgets.sizes import sized


class Details(QFrame):
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
        self._item: Item | None = None
        self.setObjectName("memory_details")
        self.text = self._make_text()
        self._make_buttons()
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.text, 1)
        row = FlowLayout()
        for each in self.buttons:
            row.addWidget(each)
        self._column.addLayout(row)
        theme.space(self._column, 6, (0, 4, 0, 0))
        sized(self.text, min_height=44)
        self.show_item(None)

    @property
    def item(self) -> Item | None:
        return self._item

    @property
    def is_editing(self) -> bool:
        return not self.text.isReadOnly()

    def show_item(self, item: Item | None) -> None:
        """Show this memory; words that were being changed are given up."""
        self._item = item
        self.text.setPlainText(visible(item.text) if item is not None else "")
        if item is not None:
            self._add_facts(item)
        self._set_editing(False)

    def edit(self) -> None:
        """Make the words changeable, as they are stored."""
        if self._item is not None:
            # As stored, with invisible characters: escapes saved as text would change the memory.
            self.text.setPlainText(self._item.text)
            self._set_editing(True)
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def event(self, event: QEvent) -> bool:
        """Esc gives the editing up before it closes the window."""
        if (
            self.is_editing
            and event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if self.is_editing and event.key() == Qt.Key.Key_Escape:
            self.show_item(self._item)
        # Enter alone begins a new line of the memory.
        elif self.is_editing and ctrl and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._save()
        else:
            super().keyPressEvent(event)

    def _add_facts(self, item: Item) -> None:
        """Below the words, smaller: what a suggestion rests on, and all that is known about the memory."""
        lines = [SEPARATOR.join(f"{name}: {value}" for name, value in facts(item))]
        if quote(item):
            lines.insert(0, tr("Rests on your words: {quote}", quote=quote(item)))
        form = QTextCharFormat()
        form.setForeground(theme.colour("secondary"))
        form.setFont(theme.font(CAPTION_PX))
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        # In the same text and not in labels below: a low window scrolls through all of it.
        cursor.insertText("\n\n" + "\n".join(map(visible, lines)), form)

    # -- inside -----------------------------------------------------------------------------------

    def _save(self) -> None:
        if self._item is not None:
            words = self.text.toPlainText().strip()
            self._set_editing(False)
            self.saved.emit(self._item, words)

    def _set_editing(self, editing: bool) -> None:
        item = self._item
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
        self.pin.setText(tr("Unpin") if is_pinned else tr("Pin"))
        self.pin.setAccessibleName(self.pin.text())

    def _make_text(self) -> QPlainTextEdit:
        text = QPlainTextEdit()
        text.setObjectName("memory_text")
        text.setAccessibleName(tr("What is remembered"))
        text.setPlaceholderText(tr("Choose a memory to see all of it."))
        text.setTabChangesFocus(True)
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # what is left over
        return text

    def _make_buttons(self) -> None:
        self.accept = button(tr("Accept"), "memory_accept", described=tr("Accept this suggestion"))
        self.decline = button(tr("Decline"), "memory_decline", described=tr("Decline this suggestion"))
        self.change = button(tr("Edit"), "memory_edit", described=tr("Edit this memory"))
        self.save = button(tr("Save"), "memory_save", described=tr("Save these words"))
        self.cancel = button(tr("Cancel"), "memory_cancel", described=tr("Keep the words as they were"))
        self.pin = button(tr("Pin"), "memory_pin")
        self.promote = button(tr("Promote…"), "memory_promote", described=tr("Let it count in more places"))
        self.forget = button(tr("Forget"), "memory_forget", described=tr("Forget this memory"))
        self.buttons = (
            *(self.accept, self.decline, self.change, self.save, self.cancel),
            *(self.pin, self.promote, self.forget),
        )
        for each in self.buttons:
            small(each)
        self.change.clicked.connect(lambda _checked: self.edit())
        self.save.clicked.connect(lambda _checked: self._save())
        self.cancel.clicked.connect(lambda _checked: self.show_item(self._item))
        self.accept.clicked.connect(lambda _checked: self.accept_wanted.emit(self._item))
        self.decline.clicked.connect(lambda _checked: self.decline_wanted.emit(self._item))
        self.forget.clicked.connect(lambda _checked: self.forget_wanted.emit(self._item))
        self.promote.clicked.connect(lambda _checked: self.promote_wanted.emit(self._item))
        self.pin.clicked.connect(lambda _checked: self._on_pin())

    def _on_pin(self) -> None:
        if self._item is not None:
            self.pin_wanted.emit(self._item, self._item.status is not MemoryStatus.PINNED)
