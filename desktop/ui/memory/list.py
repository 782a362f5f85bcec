"""The list of memories, a page of them at a time: the rows and their words, and how they are drawn, with an
icon for the source, one or two lines of the text, and a small line below; beside it one memory in detail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from typing import Any, cast

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    SignalInstance,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
)

from desktop.memory.housekeeping import Housekeeping, PinnedProfile, broader, may_be_pinned
from desktop.memory.item import OWN_SPEAKER, Item, Layer, MemoryKind, MemorySource, MemoryStatus
from desktop.memory.memory import Memory
from desktop.memory.store import EVERYWHERE
from desktop.ui import theme
from desktop.ui.language import date_words, number_words, plural, reads_from_right, tr, words_of
from desktop.ui.permission.visible import visible
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.buttons import ActionRow, action, relabel
from desktop.ui.widgets.cards import EscapeFrame
from desktop.ui.widgets.details import DetailText
from desktop.ui.widgets.layout import sized


class Tab(Enum):
    """In the order in which they stand."""

    PINNED = "pinned"
    NOTES = "notes"
    SUGGESTIONS = "suggestions"
    EPISODES = "episodes"
    LEARNED = "learned"

    @property
    def title(self) -> str:
        return {
            Tab.PINNED: tr("Pinned"),
            Tab.NOTES: tr("Notes"),
            Tab.SUGGESTIONS: tr("Suggestions"),
            Tab.EPISODES: tr("Conversations"),
            Tab.LEARNED: tr("Learned"),
        }[self]

    @property
    def kinds(self) -> tuple[MemoryKind, ...]:
        if self is Tab.EPISODES:
            return (MemoryKind.EPISODE,)
        return (MemoryKind.NOTE, MemoryKind.DIGEST) if self is Tab.NOTES else tuple(MemoryKind)

    @property
    def statuses(self) -> tuple[MemoryStatus, ...]:
        if self is Tab.PINNED:
            return (MemoryStatus.PINNED,)
        return (
            (MemoryStatus.SUGGESTED,) if self is Tab.SUGGESTIONS else (MemoryStatus.KEPT, MemoryStatus.PINNED)
        )

    @property
    def nothing_yet(self) -> str:
        """What will stand here."""
        return {
            Tab.PINNED: tr(
                "Nothing is pinned. Pin a note that should apply in every conversation, or write in a "
                "chat “remember: always answer in short sentences”, which is pinned at once."
            ),
            Tab.NOTES: tr(
                "No notes yet. Write “remember that the shop opens at nine” in a chat and it is kept here. "
                "What tools did is gathered here as well."
            ),
            Tab.SUGGESTIONS: tr(
                "No suggestions are waiting. When Steward has nothing to do, it may propose notes from "
                "what you wrote, each with your own words beside it; none is used before you accept it."
            ),
            Tab.EPISODES: tr(
                "No conversation is kept yet. What you and the assistant say is kept here word for word, so "
                "that it can be found again."
            ),
            Tab.LEARNED: "",
        }[self]


@dataclass(frozen=True)
class TabQuery:
    """A tab, and what is searched for in it."""

    tab: Tab
    text: str = ""

    @property
    def is_search(self) -> bool:
        return bool(self.text.strip())


@dataclass(frozen=True)
class Part:
    """Some rows, and whether there are more below."""

    rows: tuple[Shown, ...]
    has_more: bool
    profile: PinnedProfile | None = None
    waiting: int = 0  # suggestions without an answer


PAGE = 100
FOUND = 100  # of a search: further down nothing fits any more
MOST_WAITING = 99


def read(memory: Memory, keeping: Housekeeping, wanted: TabQuery, before_id: int | None = None) -> Part:
    """The first rows, or those after `before_id`. A search has one part, ranked as for an answer."""
    profile = keeping.profile() if wanted.tab is Tab.PINNED and before_id is None else None
    # Counted with every reading, because the number stands on the tab whichever is open.
    waiting = len(memory.store.latest(statuses=(MemoryStatus.SUGGESTED,), limit=MOST_WAITING))
    if wanted.is_search:
        return Part(_found(memory, wanted), False, profile, waiting)
    tab = wanted.tab
    items = memory.store.latest(EVERYWHERE, tab.kinds, tab.statuses, PAGE, before_id)
    rows = tuple(Shown(item, note=_note(item, profile)) for item in items)
    return Part(rows, len(items) == PAGE, profile, waiting)


def first_filled(memory: Memory) -> Tab:
    """The first tab in which something stands; the first of all if there is nothing anywhere."""
    for tab in (Tab.PINNED, Tab.NOTES, Tab.SUGGESTIONS, Tab.EPISODES):
        if memory.store.latest(EVERYWHERE, tab.kinds, tab.statuses, 1):
            return tab
    return Tab.LEARNED if memory.hindsight.fixes() else Tab.PINNED


def _found(memory: Memory, wanted: TabQuery) -> tuple[Shown, ...]:
    question = memory.search.question(
        wanted.text, EVERYWHERE, wanted.tab.kinds, wanted.tab.statuses, limit=2 * FOUND
    )
    hits = memory.search.hits(question, FOUND)
    return tuple(Shown(hit.item, words_of(hit.why), hit.score) for hit in hits)


def _note(item: Item, profile: PinnedProfile | None) -> str:
    left_out = profile is not None and item.id in profile.left_out
    return tr("does not fit into the profile") if left_out else ""


ITEM = Qt.ItemDataRole.UserRole + 1
CAPTION = Qt.ItemDataRole.UserRole + 2
SHOWN = 400  # characters in a row; the details have all
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(frozen=True)
class Shown:
    """A memory in the list and, of one that was searched for, why it was found and how well it fits."""

    item: Item
    why: str = ""
    score: float | None = None
    note: str = ""  # what the list has to say about it


class ItemModel(QAbstractListModel):
    """The newest or the best first; `more_wanted` comes when the end is in sight. Main thread only."""

    more_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Shown] = []
        self._has_more = False

    @property
    def rows(self) -> tuple[Shown, ...]:
        return tuple(self._rows)

    def at(self, index: Index) -> Shown | None:
        row = index.row()
        return self._rows[row] if index.isValid() and row < len(self._rows) else None

    def row_of(self, item_id: int) -> int:
        """-1 when it is not among those that were read."""
        return next((n for n, row in enumerate(self._rows) if row.item.id == item_id), -1)

    def show(self, rows: Sequence[Shown], has_more: bool) -> None:
        """Replace all; the same rows again change nothing, so that choice and scroll position hold."""
        # A reset would lose choice and scroll position, and events read the page again all the time.
        if list(rows) == self._rows and has_more == self._has_more:
            return
        self.beginResetModel()
        self._rows, self._has_more = list(rows), has_more
        self.endResetModel()

    def append(self, rows: Sequence[Shown], has_more: bool) -> None:
        """Further ones below."""
        self._has_more = has_more
        # A memory that was changed meanwhile may be on two pages.
        known = {row.item.id for row in self._rows}
        new = [row for row in rows if row.item.id not in known]
        if new:
            first = len(self._rows)
            self.beginInsertRows(ROOT, first, first + len(new) - 1)
            self._rows += new
            self.endInsertRows()

    def remove(self, ids: Sequence[int]) -> None:
        """Take rows away at once, before the store has been read again."""
        for item_id in ids:
            row = self.row_of(item_id)
            if row >= 0:
                self.beginRemoveRows(ROOT, row, row)
                del self._rows[row]
                self.endRemoveRows()

    # -- Qt ---------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def canFetchMore(self, _parent: Index) -> bool:
        return self._has_more

    def fetchMore(self, _parent: Index) -> None:
        # Qt asks again with every step of the scroll bar.
        self._has_more = False  # until they are here
        self.more_wanted.emit()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        shown = self.at(index)
        if shown is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _line(shown.item)
        if role == CAPTION:
            return _caption(shown)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_line(shown.item)}. {_caption(shown)}"
        return shown.item if role == ITEM else None


def _line(item: Item) -> str:
    # In a conversation who said it matters as much as what was said; of the user's the caption says it.
    return visible(" ".join(item.as_said.split())[:SHOWN])


def _caption(shown: Shown) -> str:
    words = caption(shown.item, shown.why, shown.score)
    more = [each for each in (shown.note, quote(shown.item)) if each]
    return visible(" · ".join((words, *more)))


# Icon and word: neither stands without the other.
_ICONS = {
    MemorySource.USER: "person",
    MemorySource.TOOL: "terminal",
    MemorySource.WEB: "globe",
    MemorySource.MODEL: "model",
}

SEPARATOR = " · "


def source_icon(source: MemorySource) -> str:
    return _ICONS[source]


def source_words(item: Item) -> str:
    """Who said it: "You", "The assistant", "A tool: run_command", "A page: example.org"."""
    words = {
        MemorySource.USER: tr("You"),
        MemorySource.TOOL: tr("A tool"),
        MemorySource.WEB: tr("A page"),
        MemorySource.MODEL: tr("The assistant"),
    }[item.source]
    named = item.origin if item.source in (MemorySource.TOOL, MemorySource.WEB) else ""
    return f"{words}: {named}" if named else words


def layer_words(layer: Layer, scope: str = "") -> str:
    """Where a memory counts: "Everywhere", "Project shop", "One conversation"."""
    if layer is Layer.PROJECT:
        return tr("Project {name}", name=PurePath(scope).name or scope)
    return {
        Layer.AGENT: tr("The assistant itself"),
        Layer.USER: tr("Everywhere"),
        Layer.SESSION: tr("One conversation"),
        Layer.TEAM: tr("Team"),
        Layer.ORGANISATION: tr("Organisation"),
        Layer.COMPANY: tr("Company"),
    }[layer]


def caption(item: Item, why: str = "", score: float | None = None) -> str:
    """The small line below a memory: source, day, layer and, after a search, why it was found."""
    parts = [
        source_words(item),
        date_words(datetime.fromtimestamp(item.at)),
        layer_words(item.layer, item.scope),
    ]
    if item.status is MemoryStatus.PINNED:
        parts.append(tr("pinned"))
    if item.superseded_by is not None:
        parts.append(tr("replaced since"))
    if why:
        parts.append(why)
    if score is not None:
        parts.append(tr("score {score}", score=number_words(score, 3)))
    return SEPARATOR.join(parts)


def facts(item: Item) -> tuple[tuple[str, str], ...]:
    """All there is to say about one memory, as name and value."""
    kinds = {
        MemoryKind.NOTE: tr("Note"),
        MemoryKind.EPISODE: tr("Turn of a conversation"),
        MemoryKind.DIGEST: tr("What tools did"),
    }
    used = plural("once", "{count} times", item.used) if item.used else tr("never yet")
    found = [
        (tr("Kind"), kinds[item.kind]),
        (tr("From"), source_words(item)),
        (tr("Day"), item.date),
        (tr("Applies to"), _whole_layer(item)),
        (tr("Used in answers"), used),
    ]
    if item.speaker not in ("", OWN_SPEAKER):
        found.insert(2, (tr("Speaker"), item.speaker))
    return tuple(found)


def quote(item: Item) -> str:
    """The words of the user's that a suggestion rests on; "" for what is no suggestion."""
    return item.origin if item.status is MemoryStatus.SUGGESTED else ""


def count_words(count: int) -> str:
    return plural("{count} memory", "{count} memories", count)


def _whole_layer(item: Item) -> str:
    """The layer with the whole folder, which the row has no room for."""
    words = layer_words(item.layer, item.scope)
    return f"{words} ({item.scope})" if item.layer is Layer.PROJECT else words


ROW_PX, ICON_PX, LINE = 68, 18, 1.4  # a row of two lines


class ItemList(QListView):
    """Rows as high as their words, one chosen at a time; Del forgets it. Main thread only."""

    forget_pressed = Signal()

    def __init__(self, model: ItemModel) -> None:
        super().__init__()
        self.setObjectName("memory_list")
        self.setModel(model)
        # Words that no longer fit on a line, or fit again, give their row another height.
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setItemDelegate(_Rows(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        sized(self, min_height=ROW_PX + 8)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.currentIndex().isValid():
            self.forget_pressed.emit()
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and self.model().rowCount():
            row = 0 if event.key() == Qt.Key.Key_Home else self.model().rowCount() - 1
            self.setCurrentIndex(self.model().index(row, 0))
        else:
            super().keyPressEvent(event)


class _Rows(QStyledItemDelegate):
    """Draws the rows in the colours of the theme, mirrored where one reads from the right."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        # Measured for every row that was read, so only the width of the words and not where they break.
        one = theme.px(ROW_PX - SMALL_PX * LINE)
        words = QFontMetrics(theme.font(SMALL_PX)).horizontalAdvance(str(index.data()))
        return QSize(theme.px(100), one if words <= self._words_width() else theme.px(ROW_PX))

    def _words_width(self) -> int:
        """What a row leaves to them; as `_areas`."""
        return self._view.viewport().width() - 2 * theme.px(10) - theme.px(ICON_PX) - theme.px(10)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        given: Any = option  # the fields of the base class are not in the type of this one
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # At 200 % the letters of some fonts reach into the next row.
        painter.setClipRect(given.rect)
        chosen = self._paint_surface(painter, given)
        item = cast(Item, index.data(ITEM))
        sign, room = self._areas(given)
        ink = "on_selection" if chosen else "secondary"
        theme.icon(source_icon(item.source), ink).paint(painter, sign)
        height = theme.px(SMALL_PX * LINE)
        lines = _lines(str(index.data()), theme.font(SMALL_PX), room.width())
        top = room.top()
        self._paint_text(painter, given, room, top, lines, "on_selection" if chosen else "text")
        below = QRect(room.left(), top + len(lines) * height, room.width(), theme.px(CAPTION_PX * LINE))
        self._paint_caption(painter, given, below, str(index.data(CAPTION)), ink)
        painter.restore()

    def _areas(self, option: Any) -> tuple[QRect, QRect]:
        rect = option.rect.adjusted(theme.px(10), theme.px(7), -theme.px(10), -theme.px(5))
        side = theme.px(ICON_PX)
        sign = QRect(rect.left(), rect.top() + theme.px(SMALL_PX * LINE / 2 + 1), side, side)
        room = rect.adjusted(side + theme.px(10), 0, 0, 0)
        mirrored = QStyle.visualRect
        return mirrored(option.direction, rect, sign), mirrored(option.direction, rect, room)

    def _paint_surface(self, painter: QPainter, option: Any) -> bool:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if chosen else "surface_2"))
            painter.drawRoundedRect(
                option.rect.toRectF().adjusted(theme.px(2), 1, -theme.px(2), -1), theme.px(8), theme.px(8)
            )
        return chosen

    def _paint_text(
        self, painter: QPainter, option: Any, room: QRect, top: int, lines: list[str], ink: str
    ) -> None:
        painter.setFont(theme.font(SMALL_PX))
        painter.setPen(theme.colour(ink))
        height = theme.px(SMALL_PX * LINE)
        for number, line in enumerate(lines):
            shown = painter.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, room.width())
            place = QRect(room.left(), top + number * height, room.width(), height)
            painter.drawText(place, _aligned(shown, option), shown)

    def _paint_caption(self, painter: QPainter, option: Any, room: QRect, text: str, ink: str) -> None:
        painter.setFont(theme.font(CAPTION_PX))
        painter.setPen(theme.colour(ink))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, _aligned(shown, option), shown)


def _aligned(text: str, option: Any) -> Qt.AlignmentFlag:
    """A text goes by its own letters, a line of ours by the window."""
    # Qt aligns a drawn text by the direction of the painter alone, not by its letters.
    rtl = reads_from_right(text) or option.direction == Qt.LayoutDirection.RightToLeft
    side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute


def _lines(text: str, font: QFont, width: int) -> list[str]:
    """The first line as it breaks, and all the rest as the second."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    if not line.isValid():
        layout.endLayout()
        return [text]
    line.setLineWidth(width)
    layout.endLayout()
    # Cut by Python's letters, a line with emoji would lose or repeat some.
    units = text.encode("utf-16-le")  # as Qt counts
    end = 2 * line.textLength()
    first, rest = units[:end].decode("utf-16-le", "ignore"), units[end:].decode("utf-16-le", "ignore")
    return [first.rstrip(), rest.lstrip()] if rest else [text]


class Details(EscapeFrame):
    """Shows one memory. Each signal is a wish of the user's about it. Main thread only."""

    saved = Signal(object, str)  # the item, its new words
    forget_wanted = Signal(object)
    pin_wanted = Signal(object, bool)
    promote_wanted = Signal(object)
    accept_wanted = Signal(object)
    decline_wanted = Signal(object)

    def __init__(self, shared: Callable[[], bool] = lambda: False) -> None:
        """`shared` tells whether there are layers beyond this computer."""
        super().__init__()
        self._shared = shared
        self.item: Item | None = None
        self.setObjectName("memory_details")
        self.text = self._make_text()
        self._make_buttons()
        column = theme.space(QVBoxLayout(self), 6, (0, 4, 0, 0))
        column.addWidget(self.text, 1)
        column.addLayout(ActionRow(*self.buttons))
        sized(self.text, min_height=44)
        self.show_item(None)

    @property
    def is_editing(self) -> bool:
        return not self.text.isReadOnly()

    def show_item(self, item: Item | None) -> None:
        """Show this memory; words that were being changed are given up."""
        self.item = item
        self.text.setPlainText(visible(item.text) if item is not None else "")
        if item is not None:
            self._add_facts(item)
        self._set_editing(False)

    def edit(self) -> None:
        """Make the words changeable, as they are stored."""
        if self.item is not None:
            # As stored, with invisible characters: escapes saved as text would change the memory.
            self.text.setPlainText(self.item.text)
            self._set_editing(True)
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def wants_escape(self) -> bool:
        return self.is_editing

    def on_escape(self) -> None:
        """Give the editing up."""
        self.show_item(self.item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        # Enter alone begins a new line of the memory.
        if self.is_editing and ctrl and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._save()
        else:
            super().keyPressEvent(event)

    def _add_facts(self, item: Item) -> None:
        """Below the words, smaller: what a suggestion rests on, and all that is known about the memory."""
        lines = [SEPARATOR.join(f"{name}: {value}" for name, value in facts(item))]
        if quote(item):
            lines.insert(0, tr("Based on your words: {quote}", quote=quote(item)))
        form = QTextCharFormat()
        form.setForeground(theme.colour("secondary"))
        form.setFont(theme.font(CAPTION_PX))
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        # In the same text and not in labels below: a low window scrolls through all of it.
        cursor.insertText("\n\n" + "\n".join(map(visible, lines)), form)

    # -- inside -----------------------------------------------------------------------------------

    def _save(self) -> None:
        if self.item is not None:
            words = self.text.toPlainText().strip()
            self._set_editing(False)
            self.saved.emit(self.item, words)

    def _set_editing(self, editing: bool) -> None:
        item = self.item
        waits = item is not None and item.status is MemoryStatus.SUGGESTED
        self.text.setReadOnly(not editing)
        self.text.setProperty("editing", editing)
        # Qt reads a property in a style sheet only when a widget is polished.
        self.text.style().unpolish(self.text)
        self.text.style().polish(self.text)
        free = item is not None and not editing
        self.save.setVisible(editing)
        self.cancel.setVisible(editing)
        self.accept.setVisible(free and waits)
        self.decline.setVisible(free and waits)
        self.change.setVisible(free)
        self.pin.setVisible(free and item is not None and not waits and may_be_pinned(item))
        self.promote.setVisible(free and item is not None and broader(item, self._shared()) is not None)
        self.forget.setVisible(free and not waits)
        is_pinned = item is not None and item.status is MemoryStatus.PINNED
        relabel(self.pin, tr("Unpin") if is_pinned else tr("Pin"))

    def _make_text(self) -> QPlainTextEdit:
        text = DetailText("memory_text", tr("What is remembered"), tr("Choose a memory to see all of it."))
        text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # what is left over
        return text

    def _make_buttons(self) -> None:
        def add(words: str, name: str, act: Callable[[], object], described: str = "") -> QPushButton:
            return action(words, f"memory_{name}", act, described=described)

        def wish(signal: SignalInstance) -> Callable[[], None]:
            return lambda: signal.emit(self.item)

        self.accept = add(tr("Accept"), "accept", wish(self.accept_wanted), tr("Accept this suggestion"))
        self.decline = add(tr("Decline"), "decline", wish(self.decline_wanted), tr("Decline this suggestion"))
        self.change = add(tr("Edit"), "edit", self.edit, tr("Edit this memory"))
        self.save = add(tr("Save"), "save", self._save, tr("Save these words"))
        self.cancel = add(tr("Cancel"), "cancel", self.on_escape, tr("Keep the words as they were"))
        self.pin = add(tr("Pin"), "pin", self._on_pin)
        self.promote = add(
            tr("Promote…"), "promote", wish(self.promote_wanted), tr("Let it apply in more places")
        )
        self.forget = add(tr("Forget"), "forget", wish(self.forget_wanted), tr("Forget this memory"))
        self.buttons = (
            *(self.accept, self.decline, self.change, self.save, self.cancel),
            *(self.pin, self.promote, self.forget),
        )

    def _on_pin(self) -> None:
        if self.item is not None:
            self.pin_wanted.emit(self.item, self.item.status is not MemoryStatus.PINNED)
