"""What all messages of the transcript have in common, and the notice, which is no more than that.

They are arranged by hand: `arrange(width)` places the parts and returns the height at once, which the
transcript needs to keep the view still. Main thread only.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLocale, Qt, QTime, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QPaintEvent
from PySide6.QtWidgets import QApplication, QGroupBox, QLabel, QWidget

from desktop.chat.store import Message, Role
from desktop.errors import UserFacing
from desktop.ui.chat.action_row import ActionRow
from desktop.ui.error_card import Action
from desktop.ui.language import told, tr
from desktop.ui.theme import CAPTION_PX, Theme


@dataclass(frozen=True)
class Failure:
    """Why an answer failed and what can be done now."""

    error: UserFacing
    actions: tuple[Action, ...]


class MessageView(QGroupBox):
    """Focus, a spoken name, copying, and the row of actions that questions and answers have.

    A group for screen readers, which draws nothing of its own.
    """

    link_clicked = Signal(str)
    resized = Signal()  # the message needs another height
    regenerate_wanted = Signal(int)
    continue_wanted = Signal(int)
    edited = Signal(int, str)  # the message, its new text
    version_wanted = Signal(int, int)  # the message, how many versions on (negative: back)
    delete_wanted = Signal(int)
    attachment_opened = Signal(object)  # Attached
    source_opened = Signal(object)  # UsedSource

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.message = message
        self.row: ActionRow | None = None
        self._last = False
        self._revisable = False
        self._step = 1  # the direction in which versions were gone through last
        self.setObjectName(f"message_{message.id}")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(spoken_name(message))

    @property
    def revisable(self) -> bool:
        """Whether messages may be edited and deleted here, and have versions."""
        return self._revisable

    def set_revisable(self) -> None:
        """Offer to edit and to delete, and show versions; right after making."""
        self._revisable = True
        self.show_message(self.message)

    def show_message(self, message: Message) -> None:
        """The same message, later."""
        self.message = message
        self.setAccessibleName(spoken_name(message))

    def show_versions(self, number: int, count: int) -> None:
        """Which version of how many this message ends or is."""
        if self.row is not None and self._revisable:
            self.row.versions.show_version(number, count)

    def hold(self, held: bool) -> None:
        """While the chat is being answered its messages cannot be changed; the keyboard stays here."""
        if self.row is None:
            return
        focused = QApplication.focusWidget()
        if held and focused is not None and self.row.isAncestorOf(focused):
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.row.hold(held)

    def focus_versions(self) -> bool:
        """Give the focus to a way to another version; False where there is only one."""
        return self.row is not None and self.row.versions.focus_step(self._step)

    def set_last(self, last: bool) -> None:
        """The last message always shows its actions."""
        self._last = last
        self.show_actions()

    def show_actions(self) -> None:
        """On hover, on focus, on the last message."""
        if self.row is not None:
            self.row.reveal(self._last or self.has_focus_inside() or self.underMouse())

    def arrange(self, width: int) -> int:
        """Place everything for `width`, return the height."""
        raise NotImplementedError

    def has_selection(self) -> bool:
        return False

    def has_focus_inside(self) -> bool:
        """Whether the message or something in it has the keyboard."""
        focused = QGuiApplication.focusObject()
        return isinstance(focused, QWidget) and (focused is self or self.isAncestorOf(focused))

    def copy(self) -> None:
        """Put the message's text on the clipboard, as Markdown."""
        QGuiApplication.clipboard().setText(self.message.text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        opens = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif opens and self.hasFocus() and self.row is not None and self.focus_actions():
            return
        else:
            super().keyPressEvent(event)

    def focus_actions(self) -> bool:
        """Give the focus to the first action; False where there is none."""
        return self.row is not None and self.row.focus_first()

    def _on_step(self, step: int) -> None:
        self._step = step
        self.version_wanted.emit(self.message.id, step)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Neither a frame nor a title."""

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        if self.row is not None:
            self.row.reveal(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if self.row is not None:
            self.row.reveal(self._last or self.has_focus_inside())

    def focusInEvent(self, event: QFocusEvent) -> None:
        QWidget.focusInEvent(self, event)  # a group box would hand the focus on to what is in it
        if self.row is not None:
            self.row.reveal(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.show_actions()


class NoticeView(MessageView):
    """A fact about the conversation itself: one quiet, centred line."""

    def __init__(self, theme: Theme, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(theme, message, parent)
        self.label = QLabel(told(message.text), self)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setFont(theme.font(CAPTION_PX))
        set_colour(self.label, theme, "secondary")

    def arrange(self, width: int) -> int:
        height = self.label.heightForWidth(width)
        self.label.setGeometry(0, 0, width, height)
        self.resize(width, height)
        return height


def spoken_name(message: Message) -> str:
    """ "You, 10:42: Why is the sky blue?" """
    who = {
        Role.USER: tr("You"),
        Role.ASSISTANT: tr("Steward"),
        Role.NOTICE: tr("Notice"),
        Role.TOOL: tr("Tool"),
    }[message.role]
    at = message.created_at.astimezone()
    time = QLocale().toString(QTime(at.hour, at.minute), QLocale.FormatType.ShortFormat)
    text = told(message.text) if message.role is Role.NOTICE else message.text
    return f"{who}, {time}: {text[:200]}"


def set_colour(label: QLabel, theme: Theme, token: str) -> None:
    """The colour of a label's words."""
    palette = label.palette()
    palette.setColor(label.foregroundRole(), theme.colour(token))
    label.setPalette(palette)
