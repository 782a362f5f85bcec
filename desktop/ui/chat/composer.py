"""Where the question is typed: grows with the text, one button that sends or stops."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop.ui.buttons import IconButton
from desktop.ui.flow_layout import FlowLayout
from desktop.ui.theme import SMALL_PX, Theme

PLACEHOLDER = "Ask anything…"
LONGEST_PASTE = 2_000  # characters; what is longer becomes a chip
CHARACTERS_PER_TOKEN = 4  # a rule of thumb for the chip's "about … tokens"
TALLEST_SHARE = 0.4


class Composer(QFrame):
    """Emits what the user wants; knows nothing of conversations. Main thread only.

    `sent` carries the text with attachments. `recall_wanted`: Up was pressed in the empty box.
    """

    sent = Signal(str)
    stop_wanted = Signal()
    recall_wanted = Signal()
    unqueue_wanted = Signal(int)  # the number of a queued message
    height_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._busy = False
        self._attached: list[str] = []
        self.setObjectName("composer")
        self.setProperty("ring_radius", 20)
        self.text = ComposerText(self)
        self.send_button = SendButton(theme, self)
        self.add_button = IconButton(theme, "plus", "Add to the message", "composer_add", size=36)
        self.add_button.setMenu(self._make_menu())
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._queued = _chip_row()
        self._chips = _chip_row()
        self._lay_out()
        self._connect()
        theme.changed.connect(self._restyle)
        self._restyle()

    # -- what the owner sets ------------------------------------------------------------------

    def set_busy(self, busy: bool) -> None:
        """While an answer comes the button stops it; sending then queues."""
        self._busy = busy
        self._update_button()

    def set_text(self, text: str) -> None:
        """Replace what is in the box and put the cursor at its end."""
        self.text.setPlainText(text)
        self.text.moveCursor(QTextCursor.MoveOperation.End)

    def add_attachment(self, text: str) -> None:
        """Text that goes along with the message, shown as a chip."""
        if text.strip():
            self._attached.append(text)
            self._show_attachments()

    def show_queue(self, texts: Sequence[str]) -> None:
        """The messages that wait for their turn, each with a way to take it back."""
        _refill(self._queued, [self._queue_chip(number, text) for number, text in enumerate(texts)])
        self.height_changed.emit()

    def draft(self) -> str:
        """What would be sent now."""
        return "\n\n".join(part for part in (self.text.toPlainText().strip(), *self._attached) if part)

    def take_draft(self) -> str:
        """Return the draft and empty the box."""
        text = self.draft()
        self.clear()
        return text

    def clear(self) -> None:
        self.text.clear()
        self._attached.clear()
        self._show_attachments()

    def height_for(self, width: int, window_height: int) -> int:
        """What the composer needs, up to 40 % of the window; the text scrolls beyond that."""
        px = self._theme.px
        rows = sum(
            row.heightForWidth(width - px(24)) + px(4) for row in (self._queued, self._chips) if row.count()
        )
        padding = self._outer.contentsMargins().top() + self._outer.contentsMargins().bottom() + 2
        side = px(36) + px(36) + px(20) + px(16) + 2
        wanted = max(self.text.wanted_height(width - side), px(36))
        tallest = max(int(window_height * TALLEST_SHARE), px(56))
        return max(px(56), min(wanted + padding + rows, tallest))

    # -- inside -------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.text, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignBottom)
        self._row = row
        self._outer = QVBoxLayout(self)
        self._outer.addLayout(self._queued)
        self._outer.addLayout(self._chips)
        self._outer.addLayout(row)

    def _connect(self) -> None:
        self.text.textChanged.connect(self._on_text_changed)
        self.text.send_pressed.connect(self._on_send)
        self.text.escape_pressed.connect(self._on_escape)
        self.text.recall_pressed.connect(self.recall_wanted)
        self.text.long_text_pasted.connect(self.add_attachment)
        self.text.focus_moved.connect(self.update)
        self.send_button.clicked.connect(self._on_button)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("composer_menu")
        action = menu.addAction("Text from the clipboard")
        action.setObjectName("add_clipboard")
        action.triggered.connect(lambda: self.add_attachment(QGuiApplication.clipboard().text()))
        menu.aboutToShow.connect(lambda: action.setEnabled(bool(QGuiApplication.clipboard().text().strip())))
        return menu

    def _on_text_changed(self) -> None:
        self._update_button()
        self.height_changed.emit()

    def _on_button(self) -> None:
        self.stop_wanted.emit() if self._busy else self._on_send()

    def _on_send(self) -> None:
        if self.draft():
            self.sent.emit(self.take_draft())

    def _on_escape(self) -> None:
        if self._busy:
            self.stop_wanted.emit()

    def _update_button(self) -> None:
        self.send_button.show_state(self._busy, bool(self.draft()))

    def _show_attachments(self) -> None:
        chips = [self._attachment_chip(number, text) for number, text in enumerate(self._attached)]
        _refill(self._chips, chips)
        self._update_button()
        self.height_changed.emit()

    def _attachment_chip(self, number: int, text: str) -> Chip:
        tokens = max(1, len(text) // CHARACTERS_PER_TOKEN)
        words = f"Added text · about {tokens:,} tokens"
        chip = Chip(self._theme, words, text[:500], f"attachment_{number}", "Remove the added text", self)
        chip.removed.connect(lambda: self._remove_attachment(number))
        return chip

    def _remove_attachment(self, number: int) -> None:
        del self._attached[number]
        self._show_attachments()

    def _queue_chip(self, number: int, text: str) -> Chip:
        line = " ".join(text.split())
        words = f"Queued: {line[:40]}{'…' if len(line) > 40 else ''}"
        chip = Chip(self._theme, words, text[:500], f"queued_{number}", "Take this message back", self)
        chip.removed.connect(lambda: self.unqueue_wanted.emit(number))
        return chip

    def _restyle(self) -> None:
        px = self._theme.px
        self._outer.setContentsMargins(px(10), px(9), px(10), px(9))
        self._outer.setSpacing(px(4))
        self._row.setSpacing(px(8))
        self.text.set_font(self._theme.font())
        self._show_attachments()


class ComposerText(QPlainTextEdit):
    """The text field: Enter sends unless an input method is composing."""

    send_pressed = Signal()
    escape_pressed = Signal()
    recall_pressed = Signal()
    long_text_pasted = Signal(str)
    focus_moved = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._composing = False
        self.setObjectName("composer_text")
        self.setAccessibleName("Message to Steward")
        self.setPlaceholderText(PLACEHOLDER)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.setProperty("ring_on_parent", True)

    def set_font(self, font: QFont) -> None:
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.viewport().setFont(font)  # the placeholder is drawn in this one

    def wanted_height(self, width: int) -> int:
        """The height of all lines at `width`."""
        if self.width() != width:
            self.resize(width, self.height())
        lines = max(1, int(self.document().size().height()))
        return math.ceil(lines * self.fontMetrics().lineSpacing()) + 2

    def sizeHint(self) -> QSize:
        return QSize(200, self.wanted_height(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.fontMetrics().lineSpacing() + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if self._composing:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not shifted:
            self.send_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        elif event.key() == Qt.Key.Key_Up and self.document().isEmpty():
            self.recall_pressed.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Plain text only; a long one becomes a chip, so that the box stays light."""
        text = source.text()
        if len(text) > LONGEST_PASTE:
            self.long_text_pasted.emit(text)
        else:
            self.insertPlainText(text)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_moved.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._composing = False
        self.focus_moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()


class SendButton(IconButton):
    """Round; an arrow that sends, a square that stops, in the same place."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, "send", "Send", "send", size=36, parent=parent)
        self.setProperty("ring_radius", 18)
        self.show_state(busy=False, has_text=False)

    def show_state(self, busy: bool, has_text: bool) -> None:
        self.setEnabled(busy or has_text)
        # High contrast paints no ground of ours behind the sign.
        on_ground = self.isEnabled() and not self._theme.high_contrast
        enabled = "on_accent" if on_ground else "secondary"
        self.set_icon("stop" if busy else "send", enabled)
        self.set_words(_button_words(busy, has_text))


class Chip(QFrame):
    """A small label with a cross."""

    removed = Signal()

    def __init__(
        self, theme: Theme, words: str, tip: str, name: str, remove_words: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.label = QLabel(words)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setFont(theme.font(SMALL_PX))
        self.label.setToolTip(tip)
        self.cross = IconButton(theme, "close", remove_words, f"{name}_remove", self.removed.emit, size=24)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(8), 0, theme.px(2), 0)
        row.setSpacing(theme.px(4))
        row.addWidget(self.label)
        row.addWidget(self.cross)


def _button_words(busy: bool, has_text: bool) -> str:
    if busy:
        return "Stop the answer (Esc)"
    return "Send (Enter)" if has_text else "Nothing to send yet: type a message"


def _chip_row() -> FlowLayout:
    return FlowLayout()


def _refill(row: FlowLayout, chips: Sequence[Chip]) -> None:
    while item := row.takeAt(0):
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
    for chip in chips:
        row.addWidget(chip)
        chip.show()
