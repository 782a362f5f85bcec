"""The list of messages of one conversation, in the order in which they are read."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QWidget

from desktop.chat.store import Message, Role
from desktop.ui import theme
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.message import AnswerFailure, MessageView
from desktop.ui.chat.question import QuestionView
from desktop.ui.chat.tool_card import ToolCard
from desktop.ui.chat.transcript_items import TranscriptItem
from desktop.ui.chat.virtual_list import COLUMN, MARGIN, MARGIN_NARROW, NARROW, VirtualList
from desktop.ui.language import tr
from desktop.ui.undo import UndoController
from desktop.ui.widgets.layout import named

__all__ = ["COLUMN", "MARGIN", "MARGIN_NARROW", "NARROW", "Transcript"]

REPAINT_S = 0.040


class Transcript(VirtualList):
    """Shows the messages of one conversation. Main thread only."""

    link_clicked = Signal(str)
    older_wanted = Signal(int)  # the id of the first message that is here
    regenerate_wanted = Signal(int)
    continue_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None, revisable: bool = False) -> None:
        """`revisable`: messages may be edited and deleted, and have versions (`maker`'s signals)."""
        super().__init__(parent, revisable)
        self._has_older = False
        self._asked_for_older = False
        self._dirty: set[int] = set()
        self._painted_at = 0.0
        self.maker.link_clicked.connect(self.link_clicked)
        self.maker.regenerate_wanted.connect(self.regenerate_wanted)
        self.maker.continue_wanted.connect(self.continue_wanted)
        self._grow_timer = QTimer(self, singleShot=True)
        self._grow_timer.timeout.connect(self._draw_grown)
        self.latest_button.clicked.connect(self.jump_to_latest)
        self._look()

    # -- what is shown -------------------------------------------------------------------------------

    def show_messages(self, messages: Sequence[Message], has_older: bool) -> None:
        """Another conversation, seen at its end."""
        self._drop_all()
        self._stack.items = [self._item(message) for message in messages]
        self._has_older = has_older
        self._asked_for_older = False
        # A conversation is opened where it was left, at its end.
        self.sticks_to_end = True
        self.maker.waiting = ""
        self._place()

    def show_branch(self, messages: Sequence[Message], has_older: bool, message_id: int | None) -> None:
        """Another branch of the same conversation: what both have in common stays.

        The place where the reader is looking or has the keyboard is taken by the end of the version that
        begins with `message_id`, so that one can go on from version to version with the next click.
        """
        # Taken before anything changes: afterwards the widget that was pointed at may be gone.
        attended = next((item for item in self._items if item.view and _attended(item.view)), None)
        focused = attended is not None and attended.view is not None and attended.view.has_focus_inside()
        bottom = None if attended is None else self._bottom(attended)
        known = {item.message.id: item for item in self._items}
        shown = [known.pop(each.id) if each.id in known else self._item(each) for each in messages]
        for item in known.values():
            self.maker.release(item)
        self._stack.items = shown
        self._has_older, self._asked_for_older, self._dirty = has_older, False, set()
        for item, message in zip(shown, messages, strict=True):
            if item.message != message:
                item.message = message
                self._redraw(item)
        self._mark_last()
        self._go_to_version(message_id, bottom, focused)

    def prepend(self, messages: Sequence[Message], has_older: bool) -> None:
        """Older messages above; what is seen does not move."""
        self._items[:0] = [self._item(message) for message in messages]
        self._has_older = has_older
        self._asked_for_older = False
        self._place()

    def append(self, message: Message) -> None:
        """A new message at the end."""
        self._items.append(self._item(message))
        self._mark_last()
        self._place()

    def update_message(self, message: Message) -> None:
        """Show the same message with another text or status; unknown ones are ignored."""
        if item := self._stack.find(message.id):
            item.message = message
            self._redraw(item)
            self._place()

    def grow(self, message: Message) -> None:
        """Show the same message, longer; drawn at most every 40 ms."""
        item = self._stack.find(message.id)
        if item is None:
            return
        item.message = message
        self._dirty.add(message.id)
        # A fast model writes more tokens a second than a screen shows pictures.
        wait_s = REPAINT_S - (time.perf_counter() - self._painted_at)
        if wait_s <= 0:
            self._draw_grown()
        elif not self._grow_timer.isActive():
            self._grow_timer.start(int(wait_s * 1000) + 1)

    def remove(self, *message_ids: int) -> None:
        """Take messages away."""
        gone = [item for item in self._items if item.message.id in set(message_ids)]
        for item in gone:
            self.maker.release(item)
            self._items.remove(item)
        if gone:
            self._mark_last()
            self._place()

    def set_failure(self, message_id: int, failure: AnswerFailure | None) -> None:
        """An error card under an answer; None takes it away."""
        if item := self._stack.find(message_id):
            item.failure = failure
            if isinstance(item.view, AnswerView):
                item.view.show_failure(failure)
                self._measure(item)
            self._place()

    def use(self, undo_controller: UndoController) -> None:
        """Offer to undo on the cards of calls; before the first message is shown."""
        self.maker.undo_controller = undo_controller

    def set_shows_thinking(self, shown: bool) -> None:
        """Whether what the model thought can be opened, on all answers."""
        if shown == self.maker.shows_thinking:
            return
        self.maker.shows_thinking = shown
        for item in self._items:
            if isinstance(item.view, AnswerView):
                item.view.set_shows_thinking(shown)
                self._measure(item)
        self._place()

    def set_reads_aloud(self, offered: bool) -> None:
        """Whether answers can be read aloud."""
        self.maker.reads_aloud = offered
        self.show_spoken(self.maker.spoken)

    def show_spoken(self, message_id: int) -> None:
        """Which answer is being read aloud; 0 for none."""
        self.maker.spoken = message_id
        for item in self._items:
            if isinstance(item.view, AnswerView):
                item.view.set_reads_aloud(self.maker.reads_aloud, item.message.id == message_id)

    def set_held(self, held: bool) -> None:
        """While the chat is being answered: what was said cannot be changed, and the buttons say why."""
        if held == self.maker.held:
            return
        self.maker.held = held
        for view in self.live_views:
            view.hold(held)

    def set_waiting(self, words: str) -> None:
        """What the answer that has no word yet waits for, or the call that runs."""
        self.maker.waiting = words
        for item in self._items[-2:]:
            if isinstance(item.view, AnswerView | ToolCard):
                item.view.set_waiting(words)

    # -- what is known -------------------------------------------------------------------------------

    def message(self, message_id: int) -> Message | None:
        """The message as it is known here, or None."""
        item = self._stack.find(message_id)
        return item.message if item else None

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(item.message for item in self._items)

    def view(self, message_id: int) -> MessageView | None:
        """The widget of a message, if it has one now."""
        item = self._stack.find(message_id)
        return item.view if item else None

    # -- scrolling and focus -------------------------------------------------------------------------

    def jump_to_latest(self) -> None:
        """Show the end and stay there."""
        self.sticks_to_end = True
        self._place()

    def jump_to(self, message_id: int) -> None:
        """Put a message near the top and give it the focus."""
        item = self._stack.find(message_id)
        if item is None:
            return
        self.sticks_to_end = False
        # A card behind the line of its group could not be seen where one has jumped to.
        if item.hidden:
            item.unfolded = True
        self._anchor = (item, theme.px(MARGIN))
        self._place()
        if item.view is not None:
            item.view.setFocus(Qt.FocusReason.OtherFocusReason)
            flash(item.view)

    def edit_last_question(self) -> bool:
        """Open the editor of the latest question that is here; False where there is none."""
        asked = (item for item in reversed(self._items) if item.message.role is Role.USER)
        item = next(asked, None)
        return item is not None and self._edit(item)

    def edit_question(self, message_id: int, draft: str) -> bool:
        """Open the editor of a question again, with what was written in it."""
        item = self._stack.find(message_id)
        if item is not None and isinstance(item.view, QuestionView):
            item.view.start_editing(draft)
        return item is not None and self._edit(item)

    def _edit(self, item: TranscriptItem) -> bool:
        self._reveal(self._items.index(item))
        if item.view is None:
            self._make_view(item)
            self._place()
        if isinstance(item.view, QuestionView):
            item.view.start_editing()
        return True

    def focus_message(self) -> bool:
        """Give the focus to the last visible message; False when there is none."""
        # The last one, because that is where the reader most likely is.
        visible = self._visible()
        if not visible:
            return False
        view = self._items[visible[-1]].view
        if view is not None:
            view.setFocus(Qt.FocusReason.TabFocusReason)
        return view is not None

    # -- Qt ------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if event.key() in steps and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._move_focus(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_End:
            self.jump_to_latest()
        elif event.key() == Qt.Key.Key_Home:
            # The first that is loaded; older ones are then read and put above without a jump.
            self.verticalScrollBar().setValue(0)
        else:
            super().keyPressEvent(event)

    # -- inside --------------------------------------------------------------------------------------

    def _drop_all(self) -> None:
        for item in self._items:
            self.maker.release(item)
        self._stack.items, self._anchor = [], None
        self._dirty.clear()

    def _mark_last(self) -> None:
        last = self._stack.last
        # Only what was last a moment ago can change, and notices may stand below it.
        for item in self._items[-8:]:
            if item.view is not None:
                item.view.set_last(item is last)

    def _after_move(self) -> None:
        super()._after_move()
        self._ask_for_older()

    def _ask_for_older(self) -> None:
        # A page ahead, so that the older ones are there when the reader arrives.
        near_top = self.verticalScrollBar().value() < self.viewport().height()
        if near_top and self._has_older and not self._asked_for_older and self._items:
            self._asked_for_older = True
            # Not from within: the answer places everything again.
            QTimer.singleShot(0, self, self._emit_older)

    def _emit_older(self) -> None:
        if self._items:
            self.older_wanted.emit(self._items[0].message.id)

    def _draw_grown(self) -> None:
        self._grow_timer.stop()
        self._painted_at = time.perf_counter()
        grown, self._dirty = self._dirty, set()
        for message_id in grown:
            if item := self._stack.find(message_id):
                self._redraw(item)
        self._place()

    def _move_focus(self, step: int) -> None:
        views = enumerate(item.view for item in self._items)
        focused = next((number for number, view in views if view and view.has_focus_inside()), None)
        if focused is None:
            self.focus_message()
            return
        number = focused + step
        while 0 <= number < len(self._items) and self._items[number].hidden:
            number += step
        if not 0 <= number < len(self._items):
            return
        item = self._items[number]
        self._reveal(number)
        if item.view is not None:
            item.view.setFocus(Qt.FocusReason.TabFocusReason)

    def _go_to_version(self, message_id: int | None, bottom: int | None, focused: bool) -> None:
        """Settle on another branch; `bottom` is where in the viewport the end of the version is to be."""
        self.sticks_to_end = message_id is None or not self._items
        self._compute_tops()
        item = self._end_of_version(message_id)
        if item is None or bottom is None:
            self._place()
            if item is not None and bottom is None:
                self._reveal(self._items.index(item))
            return
        for _ in range(2):  # the second time its real height is known
            self._anchor = (item, bottom - item.room)
            self._place()
        if focused and item.view is not None and not item.view.focus_versions():
            item.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _end_of_version(self, message_id: int | None) -> TranscriptItem | None:
        """The item that bears the versions of a message, or else the one nearest to it."""
        begun = [item for item in self._items if message_id is not None and item.message.id >= message_id]
        for item in begun:
            if item.message.role is Role.USER and item is not begun[0]:
                break
            if item.version[1] > 1:
                return item
        return begun[0] if begun else None

    def _look(self) -> None:
        named(self, "transcript", tr("Messages"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        # The messages in it take the keyboard, and the area has nothing to do with it.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # A bar that comes and goes changes the width, and every message would be laid out again.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)


def _attended(view: MessageView) -> bool:
    """The reader points at it or has the keyboard there."""
    return view.has_focus_inside() or view.underMouse()


SHOWN_MS, FADE_MS, STEP_MS = 900, 480, 40


class Flash(QWidget):
    """Lies over `over`, lets the mouse through and ends by itself; with reduced motion it does not fade."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("flash")
        # The buttons of the message below it can be pressed while it fades.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._strength = 1.0
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self._on_time)
        over.installEventFilter(self)
        self.setGeometry(over.rect())
        self.show()
        self.raise_()
        self._timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(self._strength)
        painter.setPen(QPen(theme.colour("focus"), theme.px(2)))
        half = theme.px(2) / 2
        painter.drawRoundedRect(
            QRectF(self.rect()).adjusted(half, half, -half, -half), theme.px(8), theme.px(8)
        )
        painter.end()

    def _on_time(self) -> None:
        step = STEP_MS / FADE_MS
        if theme.current().reduced_motion or self._strength <= step:
            self.deleteLater()
            self.hide()
            return
        self._strength -= step
        self._timer.start(STEP_MS)
        self.update()


def flash(view: QWidget) -> None:
    """Show `view` as the one that was meant."""
    for old in view.findChildren(Flash):
        old.hide()
        old.deleteLater()
    Flash(view)
