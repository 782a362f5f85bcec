"""A tool card: one line that says what was called and what came of it, and opens to all of it."""

from __future__ import annotations

import json

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton, QWidget

from desktop.chat.store import Message, MessageStatus
from desktop.chat.tool_record import ToolRecord
from desktop.sandbox.refusals import visible
from desktop.tools.calls import Ending
from desktop.ui.chat.message import MessageView
from desktop.ui.chat.prose import ProseView
from desktop.ui.theme import SMALL_PX, Theme

TALLEST = 240
OBJECT_SHOWN = 48  # characters of what a call is about, in the line

# A sign and a word for each state: never colour alone.
_STATES = {
    Ending.DONE: ("✓", ""),
    Ending.DENIED: ("✗", "not allowed"),
    Ending.FAILED: ("✗", "failed"),
    Ending.TIMED_OUT: ("✗", "no answer in time"),
    Ending.STOPPED: ("✗", "stopped"),
    Ending.UNKNOWN_TOOL: ("✗", "no such tool"),
    Ending.WRONG_ARGUMENTS: ("✗", "wrong arguments"),
}


class CallView(MessageView):
    """Closed at first. The result is plain text, whatever it says."""

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self.button = QToolButton(self)
        self.button.setObjectName("tool_card")
        self.button.setCheckable(True)
        self.button.setFont(theme.font(SMALL_PX))
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setToolTip("Show or hide what was called and what came back")
        self.button.toggled.connect(self._on_toggled)
        self._area = QScrollArea(self)
        self._area.setObjectName("tool_card_area")
        self._area.setAccessibleName("Arguments and result")
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._text = ProseView(theme, size=SMALL_PX, ink="secondary")
        self._area.setWidget(self._text)
        self._area.hide()
        self._show()

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        self._show()

    def arrange(self, width: int) -> int:
        px = self.theme.px
        hint = self.button.sizeHint()
        self.button.setGeometry(0, 0, min(hint.width(), width), hint.height())
        height = hint.height()
        if self.button.isChecked():
            text = self._text.arrange(width - px(32))
            shown = min(px(TALLEST), text)
            self._area.setGeometry(px(12), height + px(4), width - px(12), shown)
            height += shown + px(4)
        self.resize(QSize(width, height))
        return height

    def has_selection(self) -> bool:
        return self._text.has_selection()

    def _show(self) -> None:
        line = line_of(self.message)
        is_open = self.button.isChecked()
        self.button.setText(f"{line} {'⌄' if is_open else '›'}")
        self.button.setAccessibleName(f"{line}, {'open' if is_open else 'closed'}")
        if is_open:
            self._text.set_plain(details_of(self.message))

    def _on_toggled(self, is_open: bool) -> None:
        self._area.setVisible(is_open)
        self._show()
        self.resized.emit()


def line_of(message: Message) -> str:
    """ "✓ read_file notes.txt · 0.1 s"."""
    record = message.tool
    if record is None:
        return "Tool"
    sign, word = _state(message, record)
    what = _object_of(record)
    seconds = f"{record.seconds:.1f} s" if record.ending is not None else ""
    called = " ".join(part for part in (sign, record.name, what) if part)
    return " · ".join(part for part in (called, word, seconds) if part)


def details_of(message: Message) -> str:
    """Everything: arguments, decision, result."""
    record = message.tool
    if record is None:
        return message.text
    arguments = "\n".join(f"{name}: {_text_of(value)}" for name, value in record.arguments.items())
    parts = [arguments, record.decision and f"Decision: {record.decision}", message.text]
    return visible_lines("\n\n".join(part for part in parts if part))


def visible_lines(text: str) -> str:
    """As it is, but with invisible characters and those that reorder written out."""
    return "\n".join(visible(line) for line in text.expandtabs(4).split("\n"))


def _state(message: Message, record: ToolRecord) -> tuple[str, str]:
    if record.ending is not None:
        return _STATES[record.ending]
    if record.asking:
        return "?", "asking you"
    if message.status is MessageStatus.STREAMING:
        return "…", "running"
    return "✗", "interrupted when Steward ended"


def _object_of(record: ToolRecord) -> str:
    first = next((_text_of(value) for value in record.arguments.values()), "")
    line = visible(first.splitlines()[0]) if first else ""
    return line if len(line) <= OBJECT_SHOWN else line[: OBJECT_SHOWN - 1] + "…"


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
