"""A scroll area of items: only those near the visible part have widgets, and the view never jumps.

Every item has a height, measured for those that had a widget at the present width and estimated for the
rest. What the reader sees is held by an anchor: the first visible item and how far it is scrolled. When
anything above changes its height, the scroll position follows, so that the anchor stays where it is. At
the end of the conversation the view sticks to the end instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QPushButton, QScrollBar, QWidget

from desktop.chat.sources import AnswerSource, used_by
from desktop.chat.store import Message, Role
from desktop.ui import theme
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.message import MessageView, NoticeView, SummaryView
from desktop.ui.chat.question import QuestionView
from desktop.ui.chat.tool_card import FixOffers, ToolCard
from desktop.ui.chat.transcript_items import Stack, TranscriptItem, estimate, show_group, toggle
from desktop.ui.language import tr
from desktop.ui.undo import UndoController
from desktop.ui.widgets.layout import named

if TYPE_CHECKING:
    from desktop.ui.chat.check_card import CheckJobs


COLUMN = 768
NEAR_SCREENS = 2  # widgets are kept this far above and below the visible part
STICKY = 48
TURN = 60  # messages in which the question of an answer is looked for
MARGIN, MARGIN_NARROW, NARROW = 24, 16, 600


class VirtualList(QAbstractScrollArea):
    """Places what is in its stack. Which messages these are the subclass says. Main thread only."""

    def __init__(self, parent: QWidget | None, revisable: bool) -> None:
        super().__init__(parent)
        self._stack = Stack()
        self.sticks_to_end = True
        self._anchor: tuple[TranscriptItem, int] | None = None
        self._placing = False
        self._canvas = QWidget(self.viewport())
        self._canvas.setObjectName("transcript_canvas")
        self.maker = ViewFactory(self._canvas, revisable)
        self.maker.sources = self._sources_of
        self._fill_timer = QTimer(self, interval=0)
        self._fill_timer.timeout.connect(self._on_fill)
        self._keyboard = MessageKeyboard(self._canvas, self.verticalScrollBar())
        self.latest_button = LatestButton(self)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.current().changed.connect(self._on_theme_changed)

    @property
    def _items(self) -> list[TranscriptItem]:
        return self._stack.items

    @property
    def content_height(self) -> int:
        """What all messages need at the present width; estimated for those that were not drawn yet."""
        return self._stack.total

    @property
    def live_views(self) -> tuple[MessageView, ...]:
        """The widgets that exist now, from top to bottom."""
        return tuple(item.view for item in self._items if item.view is not None)

    # -- Qt ------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Heights follow from the width alone; a window that only grows taller measures nothing again.
        if event.size().width() != event.oldSize().width():
            self._forget_heights()
        self._place()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # The scroll area would also turn a sideways wheel into a vertical one.
        QApplication.sendEvent(self.verticalScrollBar(), event)

    # -- items ---------------------------------------------------------------------------------------

    def _item(self, message: Message) -> TranscriptItem:
        return self._stack.item(message, self._column_width())

    def _sources_of(self, item: TranscriptItem) -> tuple[AnswerSource, ...]:
        """What an answer drew on, by the messages between it and its question."""
        if item not in self._items:
            return ()
        number = self._items.index(item)
        return used_by(item.message, [each.message for each in self._items[max(number - TURN, 0) : number]])

    def _make_view(self, item: TranscriptItem) -> None:
        view = self.maker.make(
            item, lambda: self._on_view_resized(item), lambda: self._on_group_toggled(item)
        )
        view.set_last(item is self._stack.last)
        self._measure(item)

    def _on_group_toggled(self, head: TranscriptItem) -> None:
        toggle(self._items, head)
        self.sticks_to_end = False  # what was pressed stays where it is
        self._place()

    def _measure(self, item: TranscriptItem) -> None:
        assert item.view is not None
        item.height = item.view.arrange(self._column_width())
        item.measured = True

    def _redraw(self, item: TranscriptItem) -> None:
        if item.view is not None:
            item.view.show_message(item.message)
            self._measure(item)
        else:
            item.height, item.measured = estimate(item.message, self._column_width()), False

    def _forget_heights(self) -> None:
        for item in self._items:
            item.measured = False
            if item.view is not None:
                self._measure(item)
            else:
                item.height = estimate(item.message, self._column_width())

    # -- placing -------------------------------------------------------------------------------------

    def _place(self) -> None:
        """Put everything where it belongs, keeping the anchor or the end in place."""
        # Moving the scroll bar and showing widgets come back here by Qt's events.
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
        # In practice two or three rounds; the bound is there for messages whose height would never settle.
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
        for item in self._stack.mark():
            show_group(item)
            if item.view is not None:
                # Those that the group's line or its versions made higher or lower.
                self._measure(item)
        for item in self._items:
            if item.view is not None:
                item.view.show_versions(*item.version)
        self._stack.compute(self._margin())

    def _scroll_to_anchor(self) -> None:
        bar = self.verticalScrollBar()
        page = self.viewport().height()
        limit = max(0, self._stack.total - page)
        bar.setRange(0, limit)
        bar.setEnabled(limit > 0)  # its room is always kept; without a handle it cannot be seen
        bar.setPageStep(page)
        bar.setSingleStep(theme.px(40))
        if self.sticks_to_end:
            bar.setValue(limit)
        elif self._anchor is not None and self._anchor[0] in self._items:
            item, offset = self._anchor
            bar.setValue(self._stack.tops[self._items.index(item)] - offset)

    def _move_views(self) -> None:
        width = self._column_width()
        left = (self.viewport().width() - width) // 2
        self._canvas.setGeometry(
            0,
            -self.verticalScrollBar().value(),
            self.viewport().width(),
            max(self._stack.total, self.viewport().height()),
        )
        for item, top in zip(self._items, self._stack.tops, strict=True):
            # Moving is costly: each move repaints, and most messages stay where they are on the canvas.
            if item.view is not None and item.view.pos() != QPoint(left, top):
                item.view.move(left, top)

    def _after_move(self) -> None:
        self._remember_anchor()
        self._keyboard.changed()
        # The widgets around what is visible are made while nothing else is to do, so that scrolling finds
        # them ready.
        self._fill_timer.start()
        at_end = self.verticalScrollBar().value() >= self.verticalScrollBar().maximum() - theme.px(STICKY)
        self.latest_button.setVisible(not at_end)
        self.latest_button.place(self.viewport().rect())

    def _remember_anchor(self) -> None:
        visible = self._visible()
        if not visible:
            return
        scrolled = self.verticalScrollBar().value()
        # The end of a message at the upper edge is not what is being read when the next begins just below.
        begun = (n for n in visible if 0 <= self._stack.tops[n] - scrolled <= theme.px(STICKY))
        number = next(begun, visible[0])
        self._anchor = (self._items[number], self._stack.tops[number] - scrolled)

    def _on_scrolled(self, value: int) -> None:
        if self._placing:
            return
        self.sticks_to_end = value >= self.verticalScrollBar().maximum() - theme.px(STICKY)
        self._canvas.move(0, -value)
        self._remember_anchor()
        # Whoever scrolls up by a pixel while an answer grows must not be pulled back down: while placing, the
        # reader's own position counts, not the end.
        sticks, self.sticks_to_end = self.sticks_to_end, False
        self._place()
        self.sticks_to_end = sticks

    # -- widgets near the visible part ---------------------------------------------------------------

    def _visible(self) -> range:
        return self._between(0, self.viewport().height())

    def _visible_items(self) -> Iterable[TranscriptItem]:
        return [self._items[number] for number in self._visible()]

    def _between(self, from_y: int, to_y: int) -> range:
        """The items that cross this part of the viewport."""
        top = self.verticalScrollBar().value()
        return self._stack.between(top + from_y, top + to_y)

    def _on_fill(self) -> None:
        """One more widget near the visible part, or the end of this work; far ones go."""
        page = self.viewport().height()
        near = self._between(-NEAR_SCREENS * page, (1 + NEAR_SCREENS) * page)
        for number, item in enumerate(self._items):
            # A selection or the keyboard in a message would be lost with its widget.
            if item.view is not None and number not in near and not _in_use(item.view):
                self.maker.release(item)
        # One at each turn of the event loop: making a long message takes several milliseconds.
        missing = next((self._items[n] for n in near if self._items[n].view is None), None)
        if missing is None:
            self._fill_timer.stop()
            return
        self._make_view(missing)
        self._place()

    def _on_view_resized(self, item: TranscriptItem) -> None:
        if item.view is not None:
            self._measure(item)
            self._place()

    # -- measures ------------------------------------------------------------------------------------

    def _bottom(self, item: TranscriptItem) -> int:
        return self._stack.top_of(item) + item.room - self.verticalScrollBar().value()

    def _reveal(self, number: int) -> None:
        """Scroll as little as needed to see an item, its top first."""
        item, top = self._items[number], self._stack.tops[number]
        bar, page, margin = self.verticalScrollBar(), self.viewport().height(), theme.px(8)
        if top < bar.value() or item.height > page:
            bar.setValue(top - margin)
        elif top + item.height > bar.value() + page:
            bar.setValue(top + item.height - page + margin)

    def _column_width(self) -> int:
        return max(1, min(theme.px(COLUMN), self.viewport().width() - 2 * self._margin()))

    def _margin(self) -> int:
        narrow = self.viewport().width() < theme.px(NARROW)
        return theme.px(MARGIN_NARROW if narrow else MARGIN)

    def _on_theme_changed(self) -> None:
        """Fonts, sizes and colours may all be new: make the widgets again."""
        for item in self._items:
            self.maker.release(item)
            item.height, item.measured = estimate(item.message, self._column_width()), False
        self._place()


def _in_use(view: MessageView) -> bool:
    """Has the focus inside, or a selection that the reader made."""
    return view.has_selection() or view.has_focus_inside()


class LatestButton(QPushButton):
    """Hidden until the end is out of sight. Main thread only."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(tr("Jump to latest ↓"), parent)
        named(self, "jump_to_latest", tr("Jump to latest message"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.hide()

    def place(self, area: QRect) -> None:
        """Centred near the lower edge of `area`."""
        self.adjustSize()
        left = (area.width() - self.width()) // 2
        self.move(left, area.height() - self.height() - theme.px(12))


SETTLE_MS = 150  # widgets come one by one while the page is scrolled
SAME_ROW_PX = 6


class MessageKeyboard(QObject):
    """Main thread only. `canvas` holds the messages and is moved by `bar`."""

    def __init__(self, canvas: QWidget, bar: QScrollBar) -> None:
        super().__init__(bar)
        self._canvas, self._bar = canvas, bar
        self._order: list[QWidget] = []
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self.put_in_order)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def changed(self) -> None:
        """Messages came, went or moved; the order is looked at when that is over."""
        # Not started again: during steady scrolling the order would never be put right.
        if not self._timer.isActive():
            self._timer.start()

    def put_in_order(self) -> None:
        """Chain what Tab reaches as it stands on the page: Qt goes by when a widget was made."""
        order = _stops(self._canvas)
        # To set the order of two hundred widgets anew costs more than to compare it.
        if order == self._order:
            return
        self._order = order
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        """Only where somebody went there, not where Qt passed the keyboard on from a message that goes."""
        # What is clicked is in sight already; scrolling it under the mouse would press something else.
        pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        went = old is None or (shiboken6.isValid(old) and not _goes(old))
        if new is not None and went and not pressed and self._canvas.isAncestorOf(new):
            self._reveal(new)

    def _reveal(self, widget: QWidget) -> None:
        """Scroll no more than is needed; the top of what is larger than the page."""
        port = self._canvas.parentWidget()
        assert port is not None  # the canvas is moved in it
        page = port.height()
        place = QRect(widget.mapTo(self._canvas, QPoint(0, 0)), widget.size())
        if isinstance(widget, MessageView) and place.intersects(QRect(0, self._bar.value(), 1, page)):
            return  # a part of it is in sight, and its parts follow
        top, bottom = place.top() - SAME_ROW_PX, place.bottom() + SAME_ROW_PX
        if top < self._bar.value() or bottom - top > page:
            self._bar.setValue(top)
        elif bottom > self._bar.value() + page:
            self._bar.setValue(bottom - page)


def _goes(widget: QWidget) -> bool:
    """The message that it is, or is in, is being taken away."""
    message = widget if isinstance(widget, MessageView) else _message_of(widget)
    return message is not None and message.isHidden()


def _stops(canvas: QWidget) -> list[QWidget]:
    """From the top down, in a row from left to right; a message before what is in it."""
    takes = [
        (widget, widget.mapTo(canvas, QPoint(0, 0)))
        for widget in _all_in(canvas)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and not widget.isWindow()
    ]

    def rank(entry: tuple[QWidget, QPoint]) -> tuple[int, int, int, int]:
        widget, place = entry
        message = widget if isinstance(widget, MessageView) else _message_of(widget)
        top = message.y() if message is not None else place.y()
        return top, int(widget is not message), place.y() // SAME_ROW_PX, place.x()

    return [widget for widget, _place in sorted(takes, key=rank)]


def _all_in(canvas: QWidget) -> Iterator[QWidget]:
    """Every widget on it. What is found belongs, for Python, to the widget that was asked: the canvas itself
    would keep the parts of messages that are long gone.
    """
    for child in canvas.children():
        if isinstance(child, QWidget):
            yield child
            yield from child.findChildren(QWidget)


def _message_of(widget: QWidget) -> MessageView | None:
    above = widget.parentWidget()
    while above is not None and not isinstance(above, MessageView):
        above = above.parentWidget()
    return above


# -- the widgets of messages -------------------------------------------------------------------

# Makes the widget of a message and lets go of it again; what it asks for comes out as signals here.

CHECK_TOOL = "make_check_pass"  # as builder/tool.py calls it, which is not loaded for its name


class ViewFactory(QObject):
    """Makes the widgets of one transcript. Main thread only."""

    link_clicked = Signal(str)
    regenerate_wanted = Signal(int)  # the answer; 0: whatever the latest question needs
    continue_wanted = Signal(int)
    edited = Signal(int, str)
    version_wanted = Signal(int, int)
    delete_wanted = Signal(int)
    undo_summary_wanted = Signal(object)  # Summary
    attachment_opened = Signal(object)  # Attached
    source_opened = Signal(object)  # AnswerSource
    extensions_undone = Signal(int, bool)
    example_wanted = Signal(str)
    file_wanted = Signal(str)  # a path as a tool was given it
    folder_wanted = Signal(str)
    read_wanted = Signal(int)  # an answer: aloud, or no more

    def __init__(self, canvas: QWidget, revisable: bool) -> None:
        """`revisable`: messages may be edited and deleted, and have versions."""
        super().__init__(canvas)
        self._canvas = canvas
        self._revisable = revisable
        self.undo_controller: UndoController | None = None
        self.fixes: FixOffers | None = None
        self.jobs: Callable[[], CheckJobs] | None = None
        self.sources: Callable[[TranscriptItem], tuple[AnswerSource, ...]] = (
            lambda _item: ()
        )  # what an answer drew on
        self.shows_thinking = True
        self.reads_aloud = False
        self.spoken = 0  # the answer that is being read aloud
        self.waiting = ""  # what an answer without a word waits for, or a call that runs
        self.held = False  # nothing that was said may change now

    def make(
        self, item: TranscriptItem, on_resized: Callable[[], None], on_group_toggled: Callable[[], None]
    ) -> MessageView:
        """The widget of an item, with what the item remembers of an earlier one."""
        view = item.view = view_of(item.message, self._canvas)
        if self._revisable:
            view.set_revisable()
        view.link_clicked.connect(self.link_clicked)
        view.regenerate_wanted.connect(self.regenerate_wanted)
        view.continue_wanted.connect(self.continue_wanted)
        view.edited.connect(self.edited)
        view.version_wanted.connect(self.version_wanted)
        view.delete_wanted.connect(self.delete_wanted)
        view.resized.connect(on_resized)
        view.attachment_opened.connect(self.attachment_opened)
        view.source_opened.connect(self.source_opened)
        view.extensions_undone.connect(self.extensions_undone)
        view.example_wanted.connect(self.example_wanted)
        if isinstance(view, AnswerView):
            view.set_waiting(self.waiting)
            view.set_shows_thinking(self.shows_thinking)
            view.read_wanted.connect(self.read_wanted)
            view.set_reads_aloud(self.reads_aloud, item.message.id == self.spoken)
            view.follow_sources(lambda: self.sources(item))
            view.show_failure(item.failure)
        elif isinstance(view, ToolCard):
            view.set_waiting(self.waiting)
            view.group_toggled.connect(on_group_toggled)
            view.file_wanted.connect(self.file_wanted)
            view.folder_wanted.connect(self.folder_wanted)
            if self.undo_controller is not None:
                view.use(self.undo_controller)
            if self.fixes is not None:
                view.use_fixes(self.fixes)
            # Most conversations have no such card: then nothing of it is loaded.
            if (
                self.jobs is not None
                and item.message.tool is not None
                and item.message.tool.name == CHECK_TOOL
            ):
                view.use_jobs(self.jobs())
        elif isinstance(view, SummaryView):
            view.undo_summary_wanted.connect(self.undo_summary_wanted)
        elif isinstance(view, QuestionView) and item.draft is not None:
            view.start_editing(item.draft)
        # After all else, because the parts that were just made know nothing of an answer under way.
        view.hold(self.held)
        view.show_versions(*item.version)
        show_group(item)
        return view

    def release(self, item: TranscriptItem) -> None:
        """Let the widget go; what was being written in it is kept."""
        if item.view is None:
            return
        item.draft = item.view.draft if isinstance(item.view, QuestionView) else None
        item.view.hide()
        # Not at once: what was pressed in it may still be returning from its signal.
        item.view.deleteLater()
        item.view = None


def view_of(message: Message, parent: QWidget) -> MessageView:
    """The widget for a message of whichever role."""
    kinds: dict[Role, Callable[[Message, QWidget], MessageView]] = {
        Role.USER: QuestionView,
        Role.ASSISTANT: AnswerView,
        Role.NOTICE: NoticeView if message.summary is None else SummaryView,
        Role.TOOL: ToolCard,
    }
    return kinds[message.role](message, parent)
