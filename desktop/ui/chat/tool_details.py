"""What an open tool card shows: what was changed, what was called with what, what came back, and its file."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.chat.sources import file_of
from desktop.chat.store import Message
from desktop.gate.past_changes import PastChange
from desktop.ui import theme
from desktop.ui.chat.tool_words import arguments_of, origin_of
from desktop.ui.language import tr
from desktop.ui.permission.shown_text import ShownText, counts, read_change
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.actions import ActionRow, action, small
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import clear

TALLEST = 240  # of one box; the rest is reached by scrolling in it


class ToolDetails(QWidget):
    """Boxes in the fixed-width font. The owner gives the width. Main thread only."""

    file_wanted = Signal(str)
    folder_wanted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tool_details")
        self._file = ""
        self._column = theme.space(QVBoxLayout(self), 6, (0, 4, 0, 4))
        self.changes: list[ShownText] = []
        self._changes = theme.space(QVBoxLayout(), 6)
        self._column.addLayout(self._changes)
        self.arguments_caption = self._caption("tool_arguments_caption")
        self.arguments = self._box("tool_arguments", tr("What it was called with"))
        self.output_caption = self._caption("tool_output_caption")
        self.output = self._box("tool_output", tr("What came back"))
        self.origin = self._caption("tool_origin")
        self.open_button = action(tr("Open file"), "tool_open_file", self._on_open)
        self.folder_button = action(tr("Show in folder"), "tool_show_folder", self._on_show)
        for each in (self.open_button, self.folder_button):
            small(each)
        self._column.addLayout(ActionRow(self.open_button, self.folder_button))

    @property
    def boxes(self) -> tuple[ShownText, ...]:
        return tuple(each for each in (*self.changes, self.arguments, self.output) if not each.isHidden())

    def show_message(self, message: Message) -> None:
        """All of it but the changes, which are read from the disk first."""
        record = message.tool
        called = arguments_of(record) if record is not None else ""
        self._fill(self.arguments, self.arguments_caption, tr("Called with"), called)
        self._fill(self.output, self.output_caption, tr("Result"), message.text.rstrip())
        self.origin.show_text(origin_of(record) if record is not None else "")
        self._file = file_of(record) if record is not None else ""
        for each in (self.open_button, self.folder_button):
            each.setVisible(bool(self._file))

    def show_changes(self, changes: Sequence[PastChange]) -> bool:
        """The difference of each file; True when there are any."""
        clear(self._changes)
        self.changes = [self._change(number, each) for number, each in enumerate(changes)]
        # The difference says what the arguments would say once more.
        if self.changes:
            self._fill(self.arguments, self.arguments_caption, "", "")
        return bool(self.changes)

    def fitted(self, width: int) -> int:
        """Its height at this width."""
        for box in self.boxes:
            box.fit(width, theme.px(TALLEST))
        self._column.invalidate()
        self._column.activate()
        tall = self._column.totalHeightForWidth(width) if self._column.hasHeightForWidth() else -1
        return tall if tall >= 0 else self._column.totalSizeHint().height()

    def has_selection(self) -> bool:
        return any(box.textCursor().hasSelection() for box in self.boxes)

    def _on_open(self) -> None:
        self.file_wanted.emit(self._file)

    def _on_show(self) -> None:
        self.folder_wanted.emit(self._file)

    def _change(self, number: int, change: PastChange) -> ShownText:
        lines = read_change(change.diff)
        added, removed = counts(lines)
        words = tr(
            "{name} · +{added} −{removed}", name=visible(change.path.name), added=added, removed=removed
        )
        caption = self._caption(f"tool_change_caption_{number}", words, self._changes)
        box = ShownText(f"tool_change_{number}", words)
        caption.setBuddy(box)
        box.show_change(lines)
        self._changes.addWidget(box)
        # Qt would show them with the next turn of the loop, after the card was measured.
        for part in (caption, box):
            part.show()
        return box

    def _fill(self, box: ShownText, caption: Label, words: str, text: str) -> None:
        caption.show_text(words if text else "")
        box.show_output(text)
        box.setVisible(bool(text))

    def _box(self, name: str, words: str) -> ShownText:
        box = ShownText(name, words)
        self._column.addWidget(box)
        return box

    def _caption(self, name: str, words: str = "", column: QVBoxLayout | None = None) -> Label:
        caption = Label(words, CAPTION_PX, colour="secondary", name=name, parent=self)
        (column or self._column).addWidget(caption)
        return caption
