"""The user's words in the transcript, and the box in which they are edited."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from desktop.chat.store import Message
from desktop.ui import theme
from desktop.ui.chat.chips import ChipRow, attached_facts, changed_facts
from desktop.ui.chat.composer import ComposerText
from desktop.ui.chat.message import MessageActions, MessageView, hold
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.language import tr
from desktop.ui.theme import SMALL_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.cards import EscapeFrame
from desktop.ui.widgets.layout import let_go, mirror, named

BUBBLE_WIDEST, BUBBLE_SHARE = 560, 0.75
BUBBLE_TEXT = 2_000  # a longer question is shown so far, with a button for the rest
TALLEST_EDITOR = 320


class QuestionView(MessageView):
    """A question in a bubble on the right. Editing it happens in its place."""

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        self.bubble = Bubble(self)
        self.text = ProseView(self.bubble)
        # Plain: what the user typed is shown as typed, stars and all.
        self.text.set_plain(_shortened(message.text))
        self.more = IconButton(
            "",
            tr("Show the whole message"),
            "show_more",
            self._on_more,
            parent=self.bubble,
        ).labelled(tr("Show all"))
        self.more.setVisible(len(message.text) > BUBBLE_TEXT)
        self.attached = ChipRow("attached", "", self)
        self.attached.opened.connect(self.attachment_opened)
        self.changed = ChipRow("changed", "", self)
        self.changed.opened.connect(lambda undone: self.extensions_undone.emit(self.message.id, undone))
        self.editor: QuestionEditor | None = None
        self._held = False
        self.row = MessageActions(self, tr("Copy message"))
        self.copy_button = self.row.copy_button
        self.row.copy_button.clicked.connect(self.copy)
        self.row.edit_button.clicked.connect(self._on_edit)
        self.row.again_button.clicked.connect(lambda: self.regenerate_wanted.emit(0))
        self.row.delete_button.clicked.connect(lambda: self.delete_wanted.emit(self.message.id))
        self.row.versions.step_wanted.connect(self._on_step)
        self.row.focus_left.connect(self.show_actions)
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        row = self.row
        assert row is not None
        # More may be put to it after it was asked: what the chat's folder has, a file read in parts.
        self.attached.show_chips([attached_facts(each) for each in message.attachments])
        self.changed.show_chips(changed_facts(message))
        # A question whose answer failed is asked again from the answer's card, not from here.
        row.offer(row.copy_button, *((row.edit_button, row.delete_button) if self.revisable else ()))
        self.show_actions()

    def set_last(self, last: bool) -> None:
        """The last message is a question only where its answer was deleted: it can be answered again."""
        row = self.row
        assert row is not None
        if self.revisable:
            again = (row.again_button,) if last else ()
            row.offer(row.copy_button, row.edit_button, *again, row.delete_button)
        super().set_last(last)

    # -- editing ------------------------------------------------------------------------------

    @property
    def draft(self) -> str | None:
        """What stands in the editor; None where it is closed."""
        return self.editor.text.toPlainText() if self.editor is not None else None

    def start_editing(self, draft: str | None = None) -> None:
        """Open the editor with the message, or (without taking the keyboard) with what was written before."""
        if self.editor is None:
            self.editor = QuestionEditor(self.message.text if draft is None else draft, self)
            self.editor.sent.connect(self._on_sent)
            self.editor.cancelled.connect(self.stop_editing)
            self.editor.height_changed.connect(self.resized)
            self.editor.hold(self._held)
            self.bubble.hide()
            assert self.row is not None
            self.row.hide()
            self.editor.show()
            self.resized.emit()
        if draft is None:
            self.editor.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def hold(self, held: bool) -> None:
        """What is being written in the editor stays; it is sent when the answer is there."""
        super().hold(held)
        self._held = held
        if self.editor is not None:
            self.editor.hold(held)

    def stop_editing(self) -> None:
        """Close the editor; the message stays as it was."""
        if self.editor is None:
            return
        # Before the editor goes: Qt would hand the keyboard to some other widget of the window.
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        let_go(self.editor)
        self.editor = None
        self.bubble.show()
        assert self.row is not None
        self.row.show()
        self.resized.emit()

    def _on_edit(self) -> None:
        self.start_editing()

    def _on_sent(self, text: str) -> None:
        self.stop_editing()
        self.edited.emit(self.message.id, text)

    # -- layout -------------------------------------------------------------------------------

    def arrange(self, width: int) -> int:
        if self.editor is not None:
            height = self.editor.arrange(width)
            self.resize(width, height)
            return height
        pad_x, pad_y = theme.px(16), theme.px(10)
        widest = min(theme.px(BUBBLE_WIDEST), int(width * BUBBLE_SHARE))
        # As narrow as its words, so that short questions are small bubbles.
        inner = min(self.text.natural_width(), widest - 2 * pad_x)
        height = self.text.arrange(inner)
        # Lines carry their extra height above the letters.
        self.text.move(pad_x, pad_y - theme.px(2))
        if not self.more.isHidden():
            # No layout holds it, so nobody else gives it the size of its words.
            self.more.resize(self.more.sizeHint())
            self.more.move(pad_x - theme.px(4), pad_y + height)
            height += self.more.sizeHint().height()
            inner = max(inner, self.more.sizeHint().width())
        bubble_w, bubble_h = inner + 2 * pad_x, height + 2 * pad_y
        above = self._arrange_attached(width, widest)
        if not self.message.text.strip() and above:  # nothing was typed: the chips are the message
            self.bubble.hide()
            bubble_h = -theme.px(4)
        self.bubble.setGeometry(width - bubble_w, above, bubble_w, max(bubble_h, 0))
        mirror(self, width, self.bubble)
        bottom = above + bubble_h
        return self._arrange_actions(width, bubble_w, bottom, self._arrange_changed(width, bottom))

    def _arrange_changed(self, width: int, top: int) -> int:
        """What extensions made of it stands under the bubble; returns the height that it takes."""
        if self.changed.isHidden():
            return 0
        room = min(self.changed.natural_width(), width)
        gap = theme.px(6)
        height = self.changed.arrange(room, top + gap)
        self.changed.move(width - room, top + gap)
        mirror(self, width, self.changed)
        return height + gap

    def _arrange_attached(self, width: int, widest: int) -> int:
        """What went along stands above the bubble, at the same edge; returns the height that it takes."""
        if self.attached.isHidden():
            return 0
        room = min(self.attached.natural_width(), widest)
        height = self.attached.arrange(room, 0)
        self.attached.move(width - room, 0)
        mirror(self, width, self.attached)
        return height + theme.px(6)

    def _arrange_actions(self, width: int, bubble_w: int, bottom: int, below: int) -> int:
        """Beside the bubble, so that its answer stands close to it; under it where there is no room.

        `bottom` is that of the bubble, and `below` what stands under it already.
        """
        px, row = theme.px, self.row
        assert row is not None
        side, height = row.natural_width(), bottom + below
        if not self.bubble.isHidden() and side <= width - bubble_w - px(4):
            row.arrange(side, from_right=True)
            row.setGeometry(width - bubble_w - side - px(4), bottom - px(34), side, px(28))
            mirror(self, width, row)
        else:
            row.setGeometry(0, height, width, row.arrange(width, from_right=True))
            height += row.height()
        self.resize(width, height)
        return height

    def has_selection(self) -> bool:
        return self.text.has_selection()

    def _on_more(self) -> None:
        self.more.hide()
        self.text.set_plain(self.message.text)
        self.resized.emit()


class QuestionEditor(EscapeFrame):
    """Enter sends, Esc gives up. Sending keeps the old message as another version."""

    sent = Signal(str)
    cancelled = Signal()
    height_changed = Signal()

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("question_editor")
        self.setProperty("ring_radius", 12)
        self.text = named(ComposerText(self), "question_text", tr("Edit your message"))
        self.text.setPlaceholderText("")
        self.text.set_font(theme.font())
        self.text.setPlainText(text)
        self.text.moveCursor(QTextCursor.MoveOperation.End)
        self.cancel_button = self._button(tr("Cancel"), "edit_cancel")
        self.send_button = self._button(tr("Send"), "edit_send")
        self.send_button.setProperty("primary", True)
        self.cancel_button.clicked.connect(self.cancelled)
        self.send_button.clicked.connect(self._on_send)
        self.text.send_pressed.connect(self._on_send)
        self.text.escape_pressed.connect(self.cancelled)
        self.text.textChanged.connect(self._on_text_changed)
        self.text.installEventFilter(self)
        self._held = False
        self.setToolTip(tr("The message as it was and all that followed are kept as another version."))

    def on_escape(self) -> None:
        """Also on its buttons: it means the same in all of it."""
        self.cancelled.emit()

    def hold(self, held: bool) -> None:
        """Whether sending waits; its button says why."""
        self._held = held
        hold(self.send_button, held, bool(self.text.toPlainText().strip()))

    def arrange(self, width: int) -> int:
        """Over the whole column; the text scrolls beyond a height."""
        pad = theme.px(12)
        inner = width - 2 * pad
        text = min(max(self.text.wanted_height(inner), theme.px(24)), theme.px(TALLEST_EDITOR))
        self.text.setGeometry(pad, pad, inner, text)
        x, top = width - pad, pad + text + theme.px(8)
        height = 0
        for button in (self.send_button, self.cancel_button):
            size = button.sizeHint()
            x -= size.width()
            button.setGeometry(x, top, size.width(), size.height())
            x -= theme.px(8)
            height = max(height, size.height())
        self.setGeometry(0, 0, width, top + height + pad)
        return self.height()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Esc is for the editor while it is open, not for the window's own shortcut."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
        return False

    def _button(self, words: str, name: str) -> QPushButton:
        button = named(QPushButton(words, self), name, words)
        button.setFont(theme.font(SMALL_PX))
        return button

    def _on_text_changed(self) -> None:
        self.hold(self._held)
        self.height_changed.emit()

    def _on_send(self) -> None:
        text = self.text.toPlainText().strip()
        if text:
            self.sent.emit(text)


class Bubble(QFrame):
    """The rounded surface behind a question."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bubble")


def _shortened(text: str) -> str:
    return text if len(text) <= BUBBLE_TEXT else text[:BUBBLE_TEXT].rstrip() + " …"
