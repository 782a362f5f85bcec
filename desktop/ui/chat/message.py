"""The widgets of single messages: question, answer, notice.

They are arranged by hand: `arrange(width)` places the parts and returns the height at once, which the
transcript needs to keep the view still. Main thread only.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.chat.store import Message, MessageStatus, Role
from desktop.chat.turn import CAN_CONTINUE
from desktop.errors import UserFacing
from desktop.ui.buttons import IconButton
from desktop.ui.chat.blocks import BlockStack
from desktop.ui.chat.dots import Dots
from desktop.ui.chat.prose import ProseView
from desktop.ui.chat.thinking import ThinkingView
from desktop.ui.error_card import Action, ErrorCard
from desktop.ui.theme import CAPTION_PX, SMALL_PX, Theme

BUBBLE_WIDEST, BUBBLE_SHARE = 560, 0.75
BUBBLE_TEXT = 2_000  # a longer question is shown so far, with a button for the rest

_SPEAKERS = {Role.USER: "You", Role.ASSISTANT: "Steward", Role.NOTICE: "Notice", Role.TOOL: "Tool"}

STATUS_WORDS = {
    MessageStatus.STOPPED: "Stopped by you",
    MessageStatus.LENGTH: "Stopped at the length limit",
    MessageStatus.CONTEXT_FULL: "Stopped because the context is full",
    MessageStatus.INTERRUPTED: "Interrupted when Steward ended",
    MessageStatus.FAILED: "This answer failed",
}


@dataclass(frozen=True)
class Failure:
    """Why an answer failed and what can be done now."""

    error: UserFacing
    actions: tuple[Action, ...]


class MessageView(QWidget):
    """What all messages have in common: focus, a spoken name, copying."""

    link_clicked = Signal(str)
    resized = Signal()  # the message needs another height
    regenerate_wanted = Signal(int)
    continue_wanted = Signal(int)

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.message = message
        self.setObjectName(f"message_{message.id}")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._name_it(message)

    def show_message(self, message: Message) -> None:
        """The same message, later."""
        self.message = message
        self._name_it(message)

    def set_last(self, last: bool) -> None:
        """The last answer always shows its actions."""

    def arrange(self, width: int) -> int:
        """Place everything for `width`, return the height."""
        raise NotImplementedError

    def has_selection(self) -> bool:
        return False

    def copy(self) -> None:
        """Put the message's text on the clipboard."""
        QGuiApplication.clipboard().setText(self.message.text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def _name_it(self, message: Message) -> None:
        who = {Role.USER: "You", Role.ASSISTANT: "Steward", Role.NOTICE: "Notice", Role.TOOL: "Tool"}[
            message.role
        ]
        self.setAccessibleName(f"{who}: {message.text[:200]}")


class QuestionView(MessageView):
    """The user's words, in a bubble on the right."""

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self.bubble = Bubble(self)
        self.text = ProseView(theme, self.bubble)
        self.text.set_plain(_shortened(message.text))
        self.more = IconButton(
            theme,
            "",
            "Show the whole message",
            "show_more",
            self._on_more,
            label="Show all",
            parent=self.bubble,
        )
        self.more.setVisible(len(message.text) > BUBBLE_TEXT)
        self.copy_button = IconButton(theme, "copy", "Copy message", "copy_message", self.copy, parent=self)
        self.copy_button.hide()

    def arrange(self, width: int) -> int:
        px = self.theme.px
        pad_x, pad_y = px(16), px(10)
        widest = min(px(BUBBLE_WIDEST), int(width * BUBBLE_SHARE))
        inner = min(self.text.natural_width(), widest - 2 * pad_x)
        height = self.text.arrange(inner)
        # Lines carry their extra height above the letters.
        self.text.move(pad_x, pad_y - px(2))
        if not self.more.isHidden():
            self.more.move(pad_x - px(4), pad_y + height)
            height += self.more.sizeHint().height()
            inner = max(inner, self.more.sizeHint().width())
        bubble_w, bubble_h = inner + 2 * pad_x, height + 2 * pad_y
        self.bubble.setGeometry(width - bubble_w, 0, bubble_w, bubble_h)
        side = self.copy_button.height()
        self.copy_button.move(width - bubble_w - side - px(4), bubble_h - side - px(6))
        self.resize(width, bubble_h)
        return bubble_h

    def has_selection(self) -> bool:
        return self.text.has_selection()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.copy_button.show()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.copy_button.setVisible(self.hasFocus() or self.copy_button.hasFocus())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.copy_button.show()

    def _on_more(self) -> None:
        self.more.hide()
        self.text.set_plain(self.message.text)
        self.resized.emit()


class AnswerView(MessageView):
    """The model's words over the full column, with what it was thinking and how it ended."""

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self.thinking = ThinkingView(theme, self)
        self.thinking.toggled.connect(self.resized)
        self.blocks = BlockStack(theme, self)
        self.blocks.link_clicked.connect(self.link_clicked)
        self.blocks.resized.connect(self.resized)
        self.dots = Dots(theme, self)
        self.footer = Footer(theme, self)
        self._card: ErrorCard | None = None
        self._last = False
        self.footer.copy_button.clicked.connect(self.copy)
        self.footer.again_button.clicked.connect(lambda: self.regenerate_wanted.emit(self.message.id))
        self.footer.continue_button.clicked.connect(lambda: self.continue_wanted.emit(self.message.id))
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        streaming = message.status is MessageStatus.STREAMING
        self.thinking.show_thinking(message.thinking, message.thinking_s, streaming and not message.text)
        self.blocks.set_text(message.text)
        self.dots.setVisible(streaming and not message.text)
        self._show_footer()

    def set_waiting(self, words: str) -> None:
        """What the wait for the first token is about ("Loading model 43 %")."""
        self.dots.set_words(words)

    def show_failure(self, failure: Failure | None) -> None:
        """An error card under what there is of the answer."""
        if self._card is not None:
            self._card.hide()
            self._card.deleteLater()
            self._card = None
        if failure is not None:
            self._card = ErrorCard(failure.error, failure.actions, self)
            self._card.setFont(self.theme.font(SMALL_PX))
            for part in (self._card, *self._card.findChildren(QWidget)):
                part.ensurePolished()  # sizes of the style sheet count from here on
            self._card.show()
        self._show_footer()

    def set_last(self, last: bool) -> None:
        self._last = last
        self._show_footer()

    def arrange(self, width: int) -> int:
        px = self.theme.px
        y = 0
        if not self.thinking.isHidden():
            self.thinking.move(0, y)
            y += self.thinking.arrange(width) + px(8)
        self.blocks.move(0, y)
        y += self.blocks.arrange(width)
        if not self.dots.isHidden():
            self.dots.setGeometry(0, y, width, px(24))
            y += px(24)
        if self._card is not None:
            height = self._card.heightForWidth(width)
            height = height if height >= 0 else self._card.sizeHint().height()
            y += px(8) if y else 0
            self._card.setGeometry(0, y, width, height)
            y += height
        y += self.footer.arrange(width, y)
        self.resize(width, y)
        return y

    def has_selection(self) -> bool:
        return self.blocks.has_selection() or self.thinking.has_selection()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.hasFocus():
            self.footer.focus_first()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.footer.reveal(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.footer.reveal(self._last or self._has_focus_inside())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.footer.reveal(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.footer.reveal(self._last or self._has_focus_inside() or self.underMouse())

    def _has_focus_inside(self) -> bool:
        focused = QGuiApplication.focusObject()
        return isinstance(focused, QWidget) and (focused is self or self.isAncestorOf(focused))

    def _show_footer(self) -> None:
        message = self.message
        self.footer.show_state(message, self._last, failed_with_card=self._card is not None)
        self.footer.reveal(self._last or self._has_focus_inside() or self.underMouse())


class Footer(QWidget):
    """Under an answer: how it ended, what can be done with it, what it cost.

    Its room is always kept, so that nothing moves when it appears.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("message_footer")
        self.status = QLabel(self)
        self.caption = QLabel(self)
        for label in (self.status, self.caption):
            label.setFont(theme.font(CAPTION_PX))
            label.setTextFormat(Qt.TextFormat.PlainText)
        _set_colour(self.caption, theme, "secondary")
        _set_colour(self.status, theme, "warning")
        self.sign = QLabel(self)
        self.sign.setPixmap(theme.icon("warning", "warning").pixmap(theme.px(14), theme.px(14)))
        self.copy_button = IconButton(theme, "copy", "Copy answer", "copy_message", parent=self)
        self.again_button = IconButton(theme, "again", "Answer again", "regenerate", parent=self)
        self.continue_button = IconButton(
            theme, "play", "Continue this answer", "continue_answer", label="Continue", parent=self
        )
        self._revealed: tuple[QWidget, ...] = ()

    def show_state(self, message: Message, last: bool, failed_with_card: bool) -> None:
        streaming = message.status is MessageStatus.STREAMING
        words = "" if failed_with_card else STATUS_WORDS.get(message.status, "")
        self.status.setText(words)
        self.status.setVisible(bool(words))
        self.sign.setVisible(bool(words))
        self.continue_button.setVisible(last and bool(message.text) and message.status in CAN_CONTINUE)
        self.caption.setText(caption_of(message))
        shown: list[QWidget] = []
        if not streaming and message.text:
            shown.append(self.copy_button)
        if not streaming and last and not failed_with_card:
            shown.append(self.again_button)
        if self.caption.text():
            shown.append(self.caption)
        for widget in (self.copy_button, self.again_button, self.caption):
            widget.setVisible(widget in shown)
        self._revealed = tuple(shown)

    def reveal(self, shown: bool) -> None:
        """Show or hide what is only there on hover and focus."""
        for widget in self._revealed:
            widget.setVisible(shown)

    def focus_first(self) -> None:
        """Give the focus to the first action."""
        self.reveal(True)
        for button in (self.continue_button, self.copy_button, self.again_button):
            if button.isVisible():
                button.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def arrange(self, width: int, y: int) -> int:
        px = self._theme.px
        row = px(28)
        top = px(4)
        if self.status.text():
            top = self._arrange_status(row)
        x = -px(6)
        for widget in self._revealed:
            size = widget.sizeHint() if widget is self.caption else widget.size()
            gap = px(8) if widget is self.caption else 0
            widget.setGeometry(x + gap, top, min(size.width(), width - x - gap), row)
            x += size.width() + gap
        self.setGeometry(0, y, width, top + row)
        return top + row

    def _arrange_status(self, row: int) -> int:
        px = self._theme.px
        top = px(8)
        self.sign.setGeometry(0, top, px(18), row)
        size = self.status.sizeHint()
        self.status.setGeometry(px(20), top, size.width(), row)
        hint = self.continue_button.sizeHint()
        self.continue_button.setGeometry(px(28) + size.width(), top, hint.width(), row)
        return top + row


class NoticeView(MessageView):
    """A fact about the conversation itself: one quiet, centred line."""

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self.label = QLabel(message.text, self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setFont(theme.font(CAPTION_PX))
        _set_colour(self.label, theme, "secondary")

    def arrange(self, width: int) -> int:
        height = self.label.heightForWidth(width)
        self.label.setGeometry(0, 0, width, height)
        self.resize(width, height)
        return height


class Bubble(QFrame):
    """The rounded surface behind a question."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("bubble")


def caption_of(message: Message) -> str:
    """What an answer cost: "512 tokens · 11 tok/s · 46 s"."""
    if not message.answer_tokens:
        return ""
    tokens = "1 token" if message.answer_tokens == 1 else f"{message.answer_tokens} tokens"
    speed = f"{message.tokens_per_s:.1f} tok/s" if message.tokens_per_s else ""
    return " · ".join(part for part in (tokens, speed, f"{message.total_s:.1f} s") if part)


def _shortened(text: str) -> str:
    return text if len(text) <= BUBBLE_TEXT else text[:BUBBLE_TEXT].rstrip() + " …"


def _set_colour(label: QLabel, theme: Theme, token: str) -> None:
    palette = label.palette()
    palette.setColor(label.foregroundRole(), theme.colour(token))
    label.setPalette(palette)
