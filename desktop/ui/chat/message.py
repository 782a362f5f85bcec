"""What all messages of the transcript have in common, and the notice, which is no more than that.

They are arranged by hand: `arrange(width)` places the parts and returns the height at once, which the
transcript needs to keep the view still. Main thread only.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QLocale, QObject, Qt, QTime, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QPaintEvent
from PySide6.QtWidgets import QApplication, QGroupBox, QLabel, QWidget

from desktop.chat.reasons import ChatReason
from desktop.chat.store import Message, Role
from desktop.errors import UserFacing
from desktop.ui import theme
from desktop.ui.chat.disclosure import Disclosure
from desktop.ui.language import plural, tr, tr_noop, words_of
from desktop.ui.theme import CAPTION_PX
from desktop.ui.widgets.buttons import IconButton
from desktop.ui.widgets.error_card import Action
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import mirror


@dataclass(frozen=True)
class AnswerFailure:
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
    extensions_undone = Signal(int, bool)  # the message; False: taken back
    example_wanted = Signal(str)  # a request, to be sent or changed first

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = message
        self.row: MessageActions | None = None
        self._last = False
        self.revisable = False  # whether messages may be edited and deleted here, and have versions
        self._step = 1  # the direction in which versions were gone through last
        self.setObjectName(f"message_{message.id}")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(spoken_name(message))

    def set_revisable(self) -> None:
        """Offer to edit and to delete, and show versions; right after making."""
        self.revisable = True
        self.show_message(self.message)

    def show_message(self, message: Message) -> None:
        """Show the same message in its later state."""
        self.message = message
        self.setAccessibleName(spoken_name(message))

    def show_versions(self, number: int, count: int) -> None:
        """Which version of how many this message ends or is."""
        # The window of Quick ask shows messages too, and has no versions to go to.
        if self.row is not None and self.revisable:
            self.row.versions.show_version(number, count)

    def hold(self, held: bool) -> None:
        """While the chat is being answered its messages cannot be changed; the keyboard stays here."""
        if self.row is None:
            return
        # A button that is disabled gives the keyboard to whatever Qt finds next, often far down the page.
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
        """Show the buttons on hover, on focus, and on the last message."""
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
        QGuiApplication.clipboard().setText(self.message.shown)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        opens = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        # Only from the message itself: Enter on one of its buttons must press that button.
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

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        self.label = QLabel(said_by(message), self)
        # Notices name files and models, whose names strangers write.
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setFont(theme.font(CAPTION_PX))
        set_colour(self.label, "secondary")

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
    text = said_by(message)
    # A screen reader cannot be stopped within a name; the whole text is read from the message.
    return f"{who}, {time}: {text[:200]}"


def said_by(message: Message) -> str:
    """A notice in the language in use, one of an older program as it was written; else what it shows."""
    reason = message.reason
    if reason is None:
        return message.shown
    if reason.code is ChatReason.FROM_HERE_PRESET:  # the presets that come along have a name in each language
        reason = ChatReason.FROM_HERE_PRESET.of(name=tr(str(reason.value("name"))))
    return words_of(reason)


def set_colour(label: QLabel, token: str) -> None:
    """The colour of a label's words."""
    palette = label.palette()
    palette.setColor(label.foregroundRole(), theme.colour(token))
    label.setPalette(palette)


HELD = tr_noop("This chat is being answered. Wait for the answer or stop it first.")


class VersionSwitch(QWidget):
    """ "‹ 2/3 ›": which version of a message is shown, and the ways to the others."""

    step_wanted = Signal(int)  # -1: the version before, 1: the one after

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._number = self._count = 1
        self._held = False
        self.setObjectName("versions")
        self.previous = self._button("chevron-left", "version_previous", -1)
        self.next = self._button("chevron", "version_next", 1)
        self.label = QLabel(self)
        self.label.setFont(theme.font(CAPTION_PX))
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        palette = self.label.palette()
        palette.setColor(self.label.foregroundRole(), theme.colour("secondary"))
        self.label.setPalette(palette)
        self.hide()

    def show_version(self, number: int, count: int) -> None:
        """Version `number` of `count`; hidden where there is only one."""
        self._number, self._count = number, count
        self.label.setText(f"{number}/{count}")
        before = tr("Show the previous version (this is {number} of {count})", number=number, count=count)
        after = tr("Show the next version (this is {number} of {count})", number=number, count=count)
        self.previous.set_words(before)
        self.next.set_words(after)
        self.hold(self._held)
        self._arrange()
        self.setVisible(count > 1)

    def hold(self, held: bool) -> None:
        """While `held` there is no way to another version, and the buttons say why."""
        self._held = held
        hold(self.previous, held, self._number > 1)
        hold(self.next, held, self._number < self._count)

    def focus_step(self, step: int) -> bool:
        """Give the focus to the button of a step, or to the other one where there is no further version."""
        wanted = (self.previous, self.next) if step < 0 else (self.next, self.previous)
        for button in wanted:
            if self.isVisible() and button.isEnabled():
                button.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return False

    def _button(self, icon: str, name: str, step: int) -> IconButton:
        return IconButton(icon, "", name, lambda: self.step_wanted.emit(step), size=24, parent=self)

    def _arrange(self) -> None:
        side, row = theme.px(24), theme.px(28)
        above = (row - side) // 2
        words = self.label.sizeHint().width() + theme.px(4)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        # In a script from the right, what came before stands at the right.
        self.previous.set_icon("chevron" if mirrored else "chevron-left")
        self.next.set_icon("chevron-left" if mirrored else "chevron")
        first, last = (self.next, self.previous) if mirrored else (self.previous, self.next)
        first.setGeometry(0, above, side, side)
        self.label.setGeometry(side, 0, words, row)
        last.setGeometry(side + words, above, side, side)
        self.setFixedSize(2 * side + words, row)


class MessageActions(QWidget):
    """The buttons under one message. Which there are the owner says with `offer`; all but the versions are
    hidden until `reveal`. Their room is always kept, so that nothing moves when they appear."""

    focus_left = Signal()  # one of the buttons has lost the keyboard

    def __init__(self, parent: QWidget, copy_words: str) -> None:
        super().__init__(parent)
        self.setObjectName("message_actions")
        self.copy_button = IconButton("copy", copy_words, "copy_message", parent=self)
        self.read_button = IconButton("speaker", tr("Read aloud"), "read_aloud", parent=self)
        self.edit_button = IconButton("edit", tr("Edit this message"), "edit_message", parent=self)
        self.again_button = IconButton("again", tr("Answer again"), "regenerate", parent=self)
        self.delete_button = IconButton(
            "trash", tr("Delete this message and what follows"), "delete_message", parent=self
        )
        self.versions = VersionSwitch(self)
        self.caption = QLabel(self)
        self.caption.setFont(theme.font(CAPTION_PX))
        self.caption.setTextFormat(Qt.TextFormat.PlainText)
        self._offered: tuple[QWidget, ...] = ()
        self._from_right = False
        # Filters and not shortcuts: keys go to the button that has the focus before they reach the message.
        for widget in self._all:
            widget.hide()
            widget.installEventFilter(self)
        for step in (self.versions.previous, self.versions.next):
            step.installEventFilter(self)

    @property
    def _all(self) -> tuple[QWidget, ...]:
        return (
            self.copy_button,
            self.read_button,
            self.edit_button,
            self.again_button,
            self.delete_button,
            self.caption,
        )

    def offer(self, *widgets: QWidget) -> None:
        """Which of the row's widgets there are for this message."""
        self._offered = tuple(widget for widget in self._all if widget in widgets)
        self.arrange(self.width(), self._from_right)

    def reveal(self, shown: bool) -> None:
        """Show or hide what is only there on hover and focus."""
        for widget in self._all:
            widget.setVisible(shown and widget in self._offered)

    def hold(self, held: bool) -> None:
        """While `held` nothing that was said may change: the buttons for that are grey, and say why."""
        for button in (self.edit_button, self.again_button, self.delete_button):
            hold(button, held)
        self.versions.hold(held)

    def focus_first(self) -> bool:
        """Give the focus to the first action."""
        self.reveal(True)
        for widget in self._offered:
            if widget is not self.caption and widget.isEnabled():
                widget.setFocus(Qt.FocusReason.TabFocusReason)
                return True
        return False

    def arrange(self, width: int, from_right: bool = False) -> int:
        """Place everything within `width`; returns the height. The versions, which always show, stand at the
        edge."""
        self._from_right = from_right
        versions = () if self.versions.isHidden() else (self.versions,)
        shown = (*self._offered, *versions) if from_right else (*versions, *self._offered)
        x = max(width - self.natural_width(), 0) if from_right else -theme.px(6)
        for widget in shown:
            room = self._width_of(widget)
            # The caption has no padding of its own, as the buttons have.
            gap = theme.px(8) if widget is self.caption else 0
            widget.setGeometry(x + gap, 0, max(min(room, width - x) - gap, 0), theme.px(28))
            x += room
        mirror(self, width, *shown)
        return theme.px(28)

    def natural_width(self) -> int:
        """What it needs to show all that is offered, in pixels."""
        versions = 0 if self.versions.isHidden() else self._width_of(self.versions)
        return versions + sum(map(self._width_of, self._offered))

    def _width_of(self, widget: QWidget) -> int:
        if widget is self.caption:
            return widget.sizeHint().width() + theme.px(8)
        return widget.width()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Up and Down go from message to message also from here; Qt would go on to the next button."""
        if event.type() == QEvent.Type.FocusOut:
            self.focus_left.emit()
        vertical = (Qt.Key.Key_Up, Qt.Key.Key_Down)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in vertical:
            message = self.parentWidget()
            if message is not None:
                QApplication.sendEvent(message, event)
            return True
        return False


def hold(button: QWidget, held: bool, enabled: bool = True) -> None:
    """Grey while `held`, with the reason as its tooltip and for screen readers."""
    button.setEnabled(enabled and not held)
    button.setToolTip(tr(HELD) if held else button.accessibleName())
    button.setAccessibleDescription(tr(HELD) if held else "")


TALLEST = 240


class SummaryView(MessageView):
    """Closed at first. The summary is plain text."""

    undo_summary_wanted = Signal(object)  # Summary

    def __init__(self, message: Message, parent: QWidget | None = None) -> None:
        super().__init__(message, parent)
        self.folding = Disclosure(
            "summary",
            tr("Show or hide what the model reads instead of the older messages"),
            tr("Summary"),
            TALLEST,
            self,
        )
        self.folding.toggled.connect(self.resized)
        self.words = Label("", CAPTION_PX, colour="secondary", name="summary_words", parent=self)
        self.undo_button = IconButton(
            "undo",
            tr("Undo the summary: the model reads the messages themselves again"),
            "summary_undo",
            self._undo,
            parent=self,
        ).labelled(tr("Undo"))
        self.show_message(message)

    def show_message(self, message: Message) -> None:
        super().show_message(message)
        summary = message.summary
        if summary is None:
            return
        line = plural("Summary of {count} older message", "Summary of {count} older messages", summary.count)
        if summary.is_undone:
            line = tr("{line} · undone", line=line)
        self.folding.show_line(line, "check", "secondary" if summary.is_undone else "success")
        self.folding.show_text(summary.text)
        self.words.show_text("" if summary.is_undone else said_by(message))
        self.undo_button.setVisible(not summary.is_undone)

    def arrange(self, width: int) -> int:
        size = self.undo_button.sizeHint()
        room = 0 if self.undo_button.isHidden() else size.width() + theme.px(8)
        self.folding.move(0, 0)
        line = self.folding.button.sizeHint().height()
        height = self.folding.arrange(width, room)
        if room:
            left = min(self.folding.button.geometry().right() + theme.px(8), width - size.width())
            self.undo_button.setGeometry(left, (line - size.height()) // 2, size.width(), size.height())
            # It lies over the line of the summary, whose button takes the whole width.
            self.undo_button.raise_()
        if not self.words.isHidden():
            inner = width - theme.px(24)
            tall = self.words.heightForWidth(inner)
            self.words.setGeometry(theme.px(20), height + theme.px(2), inner, tall)
            height += tall + theme.px(4)
        self.resize(width, height)
        return height

    def has_selection(self) -> bool:
        return self.folding.has_selection()

    def _undo(self) -> None:
        self.undo_summary_wanted.emit(self.message.summary)
