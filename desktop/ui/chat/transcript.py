"""The list of messages: only those near the visible part have widgets, and the view never jumps.

Every item has a height, measured for those that had a widget at the present width and estimated for the
rest. What the reader sees is held by an anchor: the first visible item and how far it is scrolled. When
anything above changes its height, the scroll position follows, so that the anchor stays where it is. At
the end of the conversation the view sticks to the end instead.
"""

from __future__ import annotations

import bisect
import itertools
import time
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from desktop.chat.store import Message
from desktop.ui.chat.call_view import CallView
from desktop.ui.chat.grouping import regroup, show_group, toggle
from desktop.ui.chat.item import Item, estimate, gaps_under
from desktop.ui.chat.latest_button import LatestButton
from desktop.ui.chat.message import AnswerView, Failure, MessageView
from desktop.ui.chat.views import view_of
from desktop.ui.theme import Theme
from desktop.ui.undoing import Undoing

COLUMN = 768
NEAR_SCREENS = 2  # widgets are kept this far above and below the visible part
STICKY = 48
REPAINT_S = 0.040
MARGIN, MARGIN_NARROW, NARROW = 24, 16, 600


class Transcript(QAbstractScrollArea):
    """Shows the messages of one conversation. Main thread only."""

    link_clicked = Signal(str)
    older_wanted = Signal(int)  # the id of the first message that is here
    regenerate_wanted = Signal(int)
    continue_wanted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._items: list[Item] = []
        self._tops: list[int] = []
        self._total = 0
        self._has_older = False
        self._asked_for_older = False
        self._sticks = True
        self._anchor: tuple[Item, int] | None = None
        self._placing = False
        self._waiting = ""
        self._undoing: Undoing | None = None
        self._dirty: set[int] = set()
        self._painted_at = 0.0
        self._canvas = QWidget(self.viewport())
        self._canvas.setObjectName("transcript_canvas")
        self._fill_timer = QTimer(self, interval=0)
        self._fill_timer.timeout.connect(self._on_fill)
        self._grow_timer = QTimer(self, singleShot=True)
        self._grow_timer.timeout.connect(self._draw_grown)
        self._look()
        self.latest_button = LatestButton(theme, self)
        self.latest_button.clicked.connect(self.jump_to_latest)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self._on_theme_changed)

    # -- what is shown ------------------------------------------------------------------------

    def show_messages(self, messages: Sequence[Message], has_older: bool) -> None:
        """Another conversation, seen at its end."""
        self._drop_all()
        self._items = [self._item(message) for message in messages]
        self._has_older = has_older
        self._asked_for_older = False
        self._sticks = True
        self._waiting = ""
        self._place()

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
        """The same message with another text or status; unknown ones are ignored."""
        if item := self._find(message.id):
            item.message = message
            self._redraw(item)
            self._place()

    def grow(self, message: Message) -> None:
        """The same message, longer; drawn at most every 40 ms."""
        item = self._find(message.id)
        if item is None:
            return
        item.message = message
        self._dirty.add(message.id)
        wait_s = REPAINT_S - (time.perf_counter() - self._painted_at)
        if wait_s <= 0:
            self._draw_grown()
        elif not self._grow_timer.isActive():
            self._grow_timer.start(int(wait_s * 1000) + 1)

    def remove(self, message_id: int) -> None:
        """Take a message away."""
        if item := self._find(message_id):
            self._release(item)
            self._items.remove(item)
            self._mark_last()
            self._place()

    def set_failure(self, message_id: int, failure: Failure | None) -> None:
        """An error card under an answer; None takes it away."""
        if item := self._find(message_id):
            item.failure = failure
            if isinstance(item.view, AnswerView):
                item.view.show_failure(failure)
                self._measure(item)
            self._place()

    def use(self, undoing: Undoing) -> None:
        """Offer to undo on the cards of calls; before the first message is shown."""
        self._undoing = undoing

    def set_waiting(self, words: str) -> None:
        """What the answer that has no word yet waits for."""
        self._waiting = words
        for item in self._items[-2:]:
            if isinstance(item.view, AnswerView):
                item.view.set_waiting(words)

    def message(self, message_id: int) -> Message | None:
        """The message as it is known here, or None."""
        item = self._find(message_id)
        return item.message if item else None

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(item.message for item in self._items)

    @property
    def live_views(self) -> tuple[MessageView, ...]:
        """The widgets that exist now, from top to bottom."""
        return tuple(item.view for item in self._items if item.view is not None)

    def view(self, message_id: int) -> MessageView | None:
        """The widget of a message, if it has one now."""
        item = self._find(message_id)
        return item.view if item else None

    @property
    def content_height(self) -> int:
        """What all messages need at the present width; estimated for those that were not drawn yet."""
        return self._total

    # -- scrolling ----------------------------------------------------------------------------

    @property
    def sticks_to_end(self) -> bool:
        return self._sticks

    def jump_to_latest(self) -> None:
        """Show the end and stay there."""
        self._sticks = True
        self._place()

    def jump_to(self, message_id: int) -> None:
        """Put a message near the top and give it the focus."""
        item = self._find(message_id)
        if item is None:
            return
        self._sticks = False
        self._anchor = (item, self._theme.px(MARGIN))
        self._place()
        if item.view is not None:
            item.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_message(self) -> bool:
        """Give the focus to the last visible message; False when there is none."""
        visible = self._visible()
        if not visible:
            return False
        view = self._items[visible[-1]].view
        if view is not None:
            view.setFocus(Qt.FocusReason.TabFocusReason)
        return view is not None

    # -- Qt -----------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._forget_heights()
        self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if event.key() in steps and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._move_focus(steps[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_End:
            self.jump_to_latest()
        elif event.key() == Qt.Key.Key_Home:
            self.verticalScrollBar().setValue(0)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The scroll area would also turn a sideways wheel into a vertical one.
        QApplication.sendEvent(self.verticalScrollBar(), event)

    # -- items --------------------------------------------------------------------------------

    def _item(self, message: Message) -> Item:
        return Item(message, estimate(message, self._column_width(), self._theme))

    def _find(self, message_id: int) -> Item | None:
        # From the end: it is nearly always the last one.
        return next((item for item in reversed(self._items) if item.message.id == message_id), None)

    def _make_view(self, item: Item) -> None:
        view = view_of(self._theme, item.message, self._canvas)
        view.link_clicked.connect(self.link_clicked)
        view.resized.connect(lambda: self._on_view_resized(item))
        view.regenerate_wanted.connect(self.regenerate_wanted)
        view.continue_wanted.connect(self.continue_wanted)
        if isinstance(view, AnswerView):
            view.set_waiting(self._waiting)
            view.show_failure(item.failure)
        if isinstance(view, CallView):
            self._connect_card(view, item)
        item.view = view
        view.set_last(item is self._items[-1])
        show_group(item)
        self._measure(item)

    def _connect_card(self, view: CallView, item: Item) -> None:
        view.group_toggled.connect(lambda: self._on_group_toggled(item))
        if self._undoing is not None:
            view.use(self._undoing)

    def _on_group_toggled(self, head: Item) -> None:
        toggle(self._items, head)
        self._sticks = False  # what was pressed stays where it is
        self._place()

    def _measure(self, item: Item) -> None:
        assert item.view is not None
        item.height = item.view.arrange(self._column_width())
        item.measured = True

    def _redraw(self, item: Item) -> None:
        if item.view is not None:
            item.view.show_message(item.message)
            self._measure(item)
        else:
            item.height, item.measured = estimate(item.message, self._column_width(), self._theme), False

    def _release(self, item: Item) -> None:
        if item.view is not None:
            item.view.hide()
            item.view.deleteLater()
            item.view = None

    def _drop_all(self) -> None:
        for item in self._items:
            self._release(item)
        self._items, self._anchor = [], None
        self._dirty.clear()

    def _mark_last(self) -> None:
        for item in self._items[-4:]:
            if item.view is not None:
                item.view.set_last(item is self._items[-1])

    def _forget_heights(self) -> None:
        for item in self._items:
            item.measured = False
            if item.view is not None:
                self._measure(item)
            else:
                item.height = estimate(item.message, self._column_width(), self._theme)

    # -- placing ------------------------------------------------------------------------------

    def _place(self) -> None:
        """Put everything where it belongs, keeping the anchor or the end in place."""
        if self._placing:
            return
        self._placing = True
        try:
            self._settle()
        finally:
            self._placing = False
        self._after_move()

    def _settle(self) -> None:
        """Making a widget changes an estimated height and so what is visible: repeat until it holds."""
        for _ in range(8):
            self._compute_tops()
            self._scroll_to_anchor()
            missing = [item for item in self._visible_items() if item.view is None or not item.measured]
            if not missing:
                break
            for item in missing:
                self._make_view(item) if item.view is None else self._measure(item)
        self._move_views()

    def _compute_tops(self) -> None:
        for item in regroup(self._items):
            show_group(item)
            if item.view is not None:
                self._measure(item)
        heights = [item.room for item in self._items]
        gaps = gaps_under(self._items, self._theme)
        starts = itertools.accumulate(
            (h + g for h, g in zip(heights, gaps, strict=True)), initial=self._margin()
        )
        self._tops = list(starts)
        self._total = self._tops.pop() + self._theme.px(8)

    def _scroll_to_anchor(self) -> None:
        bar = self.verticalScrollBar()
        page = self.viewport().height()
        limit = max(0, self._total - page)
        bar.setRange(0, limit)
        bar.setEnabled(limit > 0)  # its room is always kept; without a handle it cannot be seen
        bar.setPageStep(page)
        bar.setSingleStep(self._theme.px(40))
        if self._sticks:
            bar.setValue(limit)
        elif self._anchor is not None and self._anchor[0] in self._items:
            item, offset = self._anchor
            bar.setValue(self._tops[self._items.index(item)] - offset)

    def _move_views(self) -> None:
        width = self._column_width()
        left = (self.viewport().width() - width) // 2
        self._canvas.setGeometry(
            0,
            -self.verticalScrollBar().value(),
            self.viewport().width(),
            max(self._total, self.viewport().height()),
        )
        for item, top in zip(self._items, self._tops, strict=True):
            if item.view is not None and item.view.pos() != QPoint(left, top):
                item.view.move(left, top)

    def _after_move(self) -> None:
        self._remember_anchor()
        self._fill_timer.start()
        at_end = self.verticalScrollBar().value() >= self.verticalScrollBar().maximum() - self._theme.px(
            STICKY
        )
        self.latest_button.setVisible(not at_end)
        self.latest_button.place(self.viewport().rect())
        self._ask_for_older()

    def _remember_anchor(self) -> None:
        visible = self._visible()
        if not visible:
            return
        scrolled = self.verticalScrollBar().value()
        # The end of a message at the upper edge is not what is being read when the next begins just below.
        begun = (n for n in visible if 0 <= self._tops[n] - scrolled <= self._theme.px(STICKY))
        number = next(begun, visible[0])
        self._anchor = (self._items[number], self._tops[number] - scrolled)

    def _on_scrolled(self, value: int) -> None:
        if self._placing:
            return
        self._sticks = value >= self.verticalScrollBar().maximum() - self._theme.px(STICKY)
        self._canvas.move(0, -value)
        self._remember_anchor()
        sticks, self._sticks = self._sticks, False  # the reader's own position, not the end, while placing
        self._place()
        self._sticks = sticks

    def _ask_for_older(self) -> None:
        near_top = self.verticalScrollBar().value() < self.viewport().height()
        if near_top and self._has_older and not self._asked_for_older and self._items:
            self._asked_for_older = True
            # Not from within: the answer places everything again.
            QTimer.singleShot(0, self, self._emit_older)

    def _emit_older(self) -> None:
        if self._items:
            self.older_wanted.emit(self._items[0].message.id)

    # -- widgets near the visible part --------------------------------------------------------

    def _visible(self) -> range:
        return self._between(0, self.viewport().height())

    def _visible_items(self) -> Iterable[Item]:
        return [self._items[number] for number in self._visible()]

    def _between(self, from_y: int, to_y: int) -> range:
        """The items that cross this part of the viewport."""
        top = self.verticalScrollBar().value()
        first = max(0, bisect.bisect_right(self._tops, top + from_y) - 1)
        if first < len(self._items) and self._tops[first] + self._items[first].room <= top + from_y:
            first += 1
        return range(first, bisect.bisect_left(self._tops, top + to_y))

    def _on_fill(self) -> None:
        """One more widget near the visible part, or the end of this work; far ones go."""
        page = self.viewport().height()
        near = self._between(-NEAR_SCREENS * page, (1 + NEAR_SCREENS) * page)
        for number, item in enumerate(self._items):
            if item.view is not None and number not in near and not _in_use(item.view):
                self._release(item)
        missing = next((self._items[n] for n in near if self._items[n].view is None), None)
        if missing is None:
            self._fill_timer.stop()
            return
        self._make_view(missing)
        self._place()

    # -- growing ------------------------------------------------------------------------------

    def _draw_grown(self) -> None:
        self._grow_timer.stop()
        self._painted_at = time.perf_counter()
        grown, self._dirty = self._dirty, set()
        for message_id in grown:
            if item := self._find(message_id):
                self._redraw(item)
        self._place()

    def _on_view_resized(self, item: Item) -> None:
        if item.view is not None:
            self._measure(item)
            self._place()

    # -- the rest -----------------------------------------------------------------------------

    def _move_focus(self, step: int) -> None:
        focused = next((n for n, item in enumerate(self._items) if item.view and item.view.hasFocus()), None)
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

    def _reveal(self, number: int) -> None:
        """Scroll as little as needed to see an item, its top first."""
        item, top = self._items[number], self._tops[number]
        bar, page, margin = self.verticalScrollBar(), self.viewport().height(), self._theme.px(8)
        if top < bar.value() or item.height > page:
            bar.setValue(top - margin)
        elif top + item.height > bar.value() + page:
            bar.setValue(top + item.height - page + margin)

    def _column_width(self) -> int:
        return max(1, min(self._theme.px(COLUMN), self.viewport().width() - 2 * self._margin()))

    def _margin(self) -> int:
        narrow = self.viewport().width() < self._theme.px(NARROW)
        return self._theme.px(MARGIN_NARROW if narrow else MARGIN)

    def _look(self) -> None:
        self.setObjectName("transcript")
        self.setAccessibleName("Messages")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)

    def _on_theme_changed(self) -> None:
        """Fonts, sizes and colours may all be new: make the widgets again."""
        for item in self._items:
            self._release(item)
            item.height, item.measured = estimate(item.message, self._column_width(), self._theme), False
        self._place()


def _in_use(view: MessageView) -> bool:
    """Has the focus inside, or a selection that the reader made."""
    focused = QApplication.focusWidget()
    return view.has_selection() or (focused is not None and (focused is view or view.isAncestorOf(focused)))
