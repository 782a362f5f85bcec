"""All questions that wait: the list beside the open one, and the entry in the chat window that leads back.

An entry of the list says who asks, where, for what, and how long the question stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.asking import Question
from desktop.ui import theme
from desktop.ui.language import plural, tr, words_of
from desktop.ui.permission.visible import breakable, plain_tip, visible
from desktop.ui.permission.words import clock_words
from desktop.ui.theme import BODY_PX, CAPTION_PX, SMALL_PX
from desktop.ui.widgets.labels import Label, Sign
from desktop.ui.widgets.layout import ANY_SIZE, named

WIDTH = 236

SOON_S = 60.0

ENTRY_ROLE = Qt.ItemDataRole.UserRole

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Entry:
    """One question that waits; `left_s` None: it stays."""

    question: Question
    left_s: float | None = None
    is_new: bool = False  # nobody has opened it yet

    @property
    def who(self) -> str:
        return visible(self.question.origin.agent) or tr("Your chat")

    @property
    def what(self) -> str:
        """The first line of what it is about."""
        return visible(self.question.arguments.strip().split("\n")[0]) or visible(
            words_of(self.question.title)
        )

    @property
    def where(self) -> str:
        origin = self.question.origin
        # All chats work in much the same folder.
        return visible(origin.folder if origin.is_agent else "") or visible(words_of(self.question.title))

    @property
    def clock(self) -> str:
        return "" if self.left_s is None else clock_words(self.left_s)

    def in_words(self) -> str:
        """What a screen reader says of the row."""
        parts = (self.who, self.what, self.where)
        return ", ".join(part for part in parts if part)


class Queue(QWidget):
    """The list, and a no to all of one agent. Hidden while only one question waits. Main thread only."""

    chosen = Signal(object)  # Question
    deny_requested = Signal(str)  # the agent whose questions are all denied

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[Entry, ...] = ()
        self._agent = ""
        self._is_band = False
        self._has_room = True
        self.setObjectName("permission_queue")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = Label("", SMALL_PX, bold=True, name="permission_queue_title")
        self.list = named(QListWidget(), "permission_queue_list", tr("Waiting questions"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        # Without it a row learns of the pointer only while a button is held.
        self.list.setMouseTracking(True)
        self.list.setItemDelegate(RowDelegate(self.list))
        self.list.itemClicked.connect(self._on_picked)
        self.list.itemActivated.connect(self._on_picked)
        self.deny_agent = QPushButton()
        self.deny_agent.setObjectName("permission_deny_agent")
        self.deny_agent.setProperty("flat", True)
        # In a dialog Enter would press it from anywhere.
        self.deny_agent.setAutoDefault(False)
        self.deny_agent.clicked.connect(lambda _checked: self.deny_requested.emit(self._agent))
        self._column = QVBoxLayout(self)
        for part in (self.title, self.list, self.deny_agent):
            self._column.addWidget(part, 1 if part is self.list else 0)
        theme.current().rescaled.connect(self._take_shape)
        self.hide()

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def show_entries(self, entries: Sequence[Entry], current: Question) -> None:
        """Show these, in their order, with `current` as the one that is open."""
        # By identity: two questions may be the same in every word and are two all the same.
        known = {id(entry.question) for entry in self._entries}
        came = [entry for entry in entries if id(entry.question) not in known]
        grew = bool(self._entries) and bool(came)
        same = [id(entry.question) for entry in entries] == [id(entry.question) for entry in self._entries]
        self._entries = tuple(entries)
        # Filled again the list would lose its place; most often only the clocks have moved.
        if not same:
            self._fill()
        for number, entry in enumerate(entries):
            item = self.list.item(number)
            # Unequal once a second, when its clock moves; the others are not painted again.
            if item.data(ENTRY_ROLE) != entry:
                item.setData(ENTRY_ROLE, entry)
            if entry.question is current:
                self.list.setCurrentItem(item)
        self._offer_denial(current)
        self.title.setText(
            plural("{count} question is waiting", "{count} questions are waiting", len(entries))
        )
        self.setVisible(self.is_wanted and self._has_room)
        if grew:
            self._announce(came)

    @property
    def is_wanted(self) -> bool:
        """There is something to choose from."""
        return len(self._entries) > 1

    def give_room(self, has_room: bool) -> None:
        """On a screen that is too small for both the question comes first; its words tell of the others."""
        self._has_room = has_room
        self.setVisible(self.is_wanted and has_room)

    @property
    def is_band(self) -> bool:
        """It lies above the question, not beside it."""
        return self._is_band

    def step(self, by: int) -> None:
        """Choose the next question or the one before, round and round."""
        if len(self._entries) > 1:
            # The owner shows the question; the row follows when it does.
            row = (self.list.currentRow() + by) % len(self._entries)
            self.chosen.emit(self._entries[row].question)

    def be_band(self, is_band: bool) -> None:
        """Lie above the question, one row high, in place of beside it."""
        self._is_band = is_band
        self.title.setVisible(not is_band)
        self._show_denial()
        self._take_shape()

    def _take_shape(self) -> None:
        """A column as high as the window, or a band of one row."""
        if self._is_band:
            self._column.setContentsMargins(theme.px(12), theme.px(8), theme.px(12), theme.px(4))
        else:
            self._column.setContentsMargins(theme.px(12), theme.px(20), theme.px(12), theme.px(16))
        self._column.setSpacing(theme.px(8))
        self.list.setSpacing(theme.px(2))
        # Before the first entry there is no row to be measured.
        row = self.list.sizeHintForRow(0) + 2 * self.list.spacing() if self.list.count() else theme.px(64)
        if self._is_band:
            self.list.setFixedHeight(row)
            self.setMinimumWidth(0)
            self.setMaximumWidth(ANY_SIZE)
        else:
            self.list.setMinimumHeight(row)
            self.list.setMaximumHeight(ANY_SIZE)
            self.setFixedWidth(theme.px(WIDTH))
        # Qt keeps the sizes of rows that it has asked for once.
        self.list.doItemsLayout()

    # -- inside -------------------------------------------------------------------------------

    def _fill(self) -> None:
        self.list.clear()
        for entry in self._entries:
            item = QListWidgetItem()
            item.setData(ENTRY_ROLE, entry)
            # The delegate paints the row, so Qt knows no text of it to be read out.
            item.setData(Qt.ItemDataRole.AccessibleTextRole, entry.in_words())
            item.setToolTip(plain_tip(entry.in_words()))
            self.list.addItem(item)

    def _offer_denial(self, current: Question) -> None:
        """Only where it differs from denying all that wait."""
        agent = current.origin.agent
        count = sum(entry.question.origin.agent == agent for entry in self._entries)
        # Where all are of one agent, Deny all of the footer says the same.
        self._agent = agent if 1 < count < len(self._entries) else ""
        words = tr("Deny all of {agent}", agent=visible(agent))
        # An agent's name may hold an &, which Qt would take for a mnemonic.
        self.deny_agent.setText(words.replace("&", "&&"))
        self.deny_agent.setAccessibleName(
            plural("{words}, {count} question", "{words}, {count} questions", count, words=words)
        )
        self._show_denial()

    def _show_denial(self) -> None:
        self.deny_agent.setVisible(bool(self._agent) and not self._is_band)

    def _on_picked(self, item: QListWidgetItem) -> None:
        entry: Entry = item.data(ENTRY_ROLE)
        self.chosen.emit(entry.question)

    def _announce(self, came: Sequence[Entry]) -> None:
        words = tr(
            "Another question is waiting: {words}", words="; ".join(entry.in_words() for entry in came)
        )
        # The focus stays on the open question, so nothing else would tell of the new one.
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))


class RowDelegate(QStyledItemDelegate):
    """Who and the clock in one line, what is asked and where below it."""

    def __init__(self, parent: QListWidget) -> None:
        super().__init__(parent)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        lines = QFontMetrics(theme.font(SMALL_PX)).lineSpacing()
        captions = QFontMetrics(theme.font(CAPTION_PX)).lineSpacing()
        return QSize(theme.px(120), lines + 2 * captions + theme.px(18))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: Entry = index.data(ENTRY_ROLE)
        px, rect = theme.px, _rect(option)
        is_open = bool(_state(option) & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_open or _state(option) & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if is_open else "surface_2"))
            painter.drawRoundedRect(rect, px(8), px(8))
        room = rect.adjusted(px(10), px(7), -px(10), -px(7))
        ink = "on_selection" if is_open else "text"
        faint = "on_selection" if is_open else "secondary"
        top = self._first_line(painter, option, room, entry, ink)
        for text, elide in (
            (entry.what, Qt.TextElideMode.ElideRight),
            # The end of a path says more than its beginning.
            (entry.where, Qt.TextElideMode.ElideLeft),
        ):
            top.translate(0, top.height() + px(2))
            top.setHeight(QFontMetrics(theme.font(CAPTION_PX)).lineSpacing())
            token = ink if text == entry.what else faint
            self._text(painter, top, text, (CAPTION_PX, token, False), elide)
        painter.restore()

    def _first_line(
        self, painter: QPainter, option: QStyleOptionViewItem, room: QRect, entry: Entry, ink: str
    ) -> QRect:
        """Agent and clock; gives the line's place."""
        line = QRect(room)
        line.setHeight(QFontMetrics(theme.font(SMALL_PX)).lineSpacing())
        # Bold in the last minute: measured so always, or the name would move when it begins.
        clock = QFontMetrics(theme.font(CAPTION_PX, bold=True)).horizontalAdvance(entry.clock)
        soon = entry.left_s is not None and entry.left_s < SOON_S
        words, end = QRect(line), QRect(line)
        if option.direction == Qt.LayoutDirection.RightToLeft:
            words.setLeft(words.left() + clock + theme.px(8))
            end.setWidth(clock)
        else:
            words.setRight(words.right() - clock - theme.px(8))
            end.setLeft(end.right() - clock)
        who = f"● {entry.who}" if entry.is_new else entry.who
        self._text(painter, words, who, (SMALL_PX, ink, True), Qt.TextElideMode.ElideRight)
        self._text(painter, end, entry.clock, (CAPTION_PX, "danger" if soon else ink, soon), None)
        return line

    def _text(
        self,
        painter: QPainter,
        room: QRect,
        text: str,
        look: tuple[float, str, bool],
        elide: Qt.TextElideMode | None,
    ) -> None:
        size, token, bold = look
        font = theme.font(size, bold=bold)
        painter.setFont(font)
        painter.setPen(theme.colour(token))
        shown = QFontMetrics(font).elidedText(text, elide, room.width()) if elide is not None else text
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, shown)


def _rect(option: QStyleOptionViewItem) -> QRect:
    return option.rect


def _state(option: QStyleOptionViewItem) -> QStyle.StateFlag:
    return option.state


class WaitingEntry(QFrame):
    """Hidden while nothing waits; takes no focus. The presenter's `entry_changed` goes to `show_question`."""

    opened = Signal()  # the user wants to see the question

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("waiting_entry")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._words = Label("", SMALL_PX, name="waiting_words", parent=self)
        self.button = QPushButton(tr("Show the question"))
        self.button.setObjectName("waiting_show")
        self.button.setAutoDefault(False)
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.clicked.connect(lambda _checked: self.opened.emit())
        row = theme.space(QHBoxLayout(self), 8, (12, 8, 8, 8))
        row.addWidget(Sign("shield", "warning", BODY_PX))
        row.addWidget(self._words, 1)
        row.addWidget(self.button)
        self.hide()

    def show_question(self, question: Question | None) -> None:
        """Say what waits, or go away."""
        self.setVisible(question is not None)
        if question is not None:
            self._words.setText(
                tr("Waiting for your answer: {title}", title=breakable(words_of(question.title)))
            )
            self.button.setAccessibleName(
                tr("Show the question: {title}", title=visible(words_of(question.title)))
            )
