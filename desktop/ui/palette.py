"""The palette behind Ctrl+K: one field over everything that can be opened, set or done, with the keys beside
each.

It lies over its window and belongs to it, as the toast does: a window of its own would be placed by the
desktop, and would take the keyboard from the one that its commands are for. What it offers is gathered from
the windows: what they can do is not listed a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from desktop.chat.presets import Preset
from desktop.chat.search import FoundMessage, SearchResults
from desktop.qt.background import Background
from desktop.tools.text import folded_letters
from desktop.ui import theme
from desktop.ui.chat.conversation_list import plain
from desktop.ui.chat.list_controller import ConversationSearch
from desktop.ui.chat.presets import shown_name
from desktop.ui.language import LEFT_TO_RIGHT, tr, tr_noop
from desktop.ui.pages.settings_fields import field_groups
from desktop.ui.permission.visible import plain_tip
from desktop.ui.shortcuts import SHORTCUTS, keys_of
from desktop.ui.theme import CAPTION_PX, SMALL_PX
from desktop.ui.widgets.labels import Label
from desktop.ui.widgets.layout import from_its_side, named, sized
from desktop.ui.widgets.lists import StepField

if TYPE_CHECKING:
    from desktop.ui.chat.window import ChatWindow

WIDTH, TOP, ROW, HEADING = 620, 56, 34, 28
MOST_OF_HEIGHT = 0.7  # of the window; the rest shows what the commands are about
AT_FIRST = 5  # rows of a group while nothing is typed: what is there is shown, not all of it
AT_MOST = 8  # rows of a group that a word finds
ENTRY_ROLE = Qt.ItemDataRole.UserRole


class Group(StrEnum):
    """What an entry is; the value is its heading. In the order in which they stand."""

    CHATS = tr_noop("Chats")
    COMMANDS = tr_noop("Commands")
    PAGES = tr_noop("Pages")
    MODELS = tr_noop("Models")
    PRESETS = tr_noop("Presets")
    SETTINGS = tr_noop("Settings")
    MESSAGES = tr_noop("In the messages")


@dataclass(frozen=True)
class PaletteEntry:
    """One thing to choose. `also`: words that it is found by, too; `keys` do the same without the palette."""

    group: Group
    words: str
    icon: str
    act: Callable[[], object]
    keys: str = ""
    also: str = ""


def score(entry: PaletteEntry, typed: str) -> int:
    """How well an entry is what was typed: 0 is not at all, more is better."""
    title, wanted = folded_letters(entry.words), folded_letters(typed)
    words = wanted.split()
    everything = f"{title} {folded_letters(entry.also)}"
    if not all(word in everything for word in words):
        return 0
    if title.startswith(" ".join(words)):
        return 4
    begun = title.split()
    if all(any(each.startswith(word) for each in begun) for word in words):
        return 3
    return 2 if all(word in title for word in words) else 1


def ranked(entries: Sequence[PaletteEntry], typed: str) -> list[tuple[Group, list[PaletteEntry]]]:
    """What `typed` finds, best first, in groups, and the group with the best one first."""
    if not typed.strip():
        groups = [(group, [each for each in entries if each.group is group][:AT_FIRST]) for group in Group]
        return [(group, members) for group, members in groups if members and group is not Group.SETTINGS]
    found: dict[Group, list[tuple[int, PaletteEntry]]] = {}
    for each in entries:
        worth = score(each, typed)
        if worth:
            found.setdefault(each.group, []).append((worth, each))
    order = list(Group)
    by_best = sorted(found, key=lambda group: (-max(worth for worth, _ in found[group]), order.index(group)))
    return [
        (group, [each for _, each in sorted(found[group], key=lambda pair: -pair[0])][:AT_MOST])
        for group in by_best
    ]


class Palette(QFrame):
    """Made for one window, hidden until `open`. Main thread only."""

    typed = Signal(str)  # what is looked for in the messages of all chats; "" for nothing
    closed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._entries: tuple[PaletteEntry, ...] = ()
        self._found: tuple[PaletteEntry, ...] = ()  # in the messages
        self._before: QWidget | None = None
        named(self, "palette", tr("Palette"))
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.field = PaletteField()
        self.list = self._make_list()
        self.nothing = Label(tr("Nothing found"), SMALL_PX, colour="secondary", name="palette_nothing")
        self._column = QVBoxLayout(self)
        for widget in (self.field, self.list, self.nothing):
            self._column.addWidget(widget)
        theme.space(self._column, 8, (12, 12, 12, 12))
        self.hide()
        self._connect()
        window.installEventFilter(self)

    def open(self, entries: Sequence[PaletteEntry]) -> None:
        """Show these, with the keyboard in the field; what had it gets it back."""
        if not self.isVisible():
            self._before = self.window().focusWidget()
        self._entries, self._found = tuple(entries), ()
        self.field.clear()
        self._fill()
        self.show()
        self.raise_()
        self._place()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_found(self, typed: str, entries: Sequence[PaletteEntry]) -> None:
        """What the messages of all chats have of `typed`; dropped where something else is typed by now."""
        if self.isVisible() and typed == self.field.text().strip():
            self._found = tuple(entries)
            self._fill(keep=True)

    def leave(self) -> None:
        """Hide, and give the keyboard back."""
        if not self.isVisible():
            return
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.closed.emit()

    @property
    def current(self) -> PaletteEntry | None:
        """What Enter does."""
        item = self.list.currentItem()
        entry: PaletteEntry | None = item.data(ENTRY_ROLE) if item is not None else None
        return entry

    # -- Qt -----------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.isVisible() and watched is self.parent() and event.type() == QEvent.Type.Resize:
            self._place()
        return False

    # -- inside -------------------------------------------------------------------------------

    def _make_list(self) -> QListWidget:
        made = named(QListWidget(), "palette_list", tr("What was found"))
        made.setItemDelegate(PaletteDelegate(made))
        # The field keeps the keyboard: what is typed narrows the list while arrows go through it.
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.setMouseTracking(True)
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        made.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        made.setFrameShape(QFrame.Shape.NoFrame)
        return made

    def _connect(self) -> None:
        self.field.textChanged.connect(self._on_text)
        self.field.stepped.connect(self._step)
        self.field.chosen.connect(self._on_chosen)
        self.field.left.connect(self.leave)
        self.list.itemClicked.connect(lambda _item: self._on_chosen())
        self.list.currentItemChanged.connect(lambda _now, _before: self._speak())
        theme.current().changed.connect(self._place)

    def _on_text(self) -> None:
        self._found = ()
        self._fill()
        self.typed.emit(self.field.text().strip())

    def _fill(self, keep: bool = False) -> None:
        """`keep`: what was chosen stays chosen, as more came while somebody was on the way to it."""
        chosen = self.current if keep else None
        groups = ranked(self._entries, self.field.text())
        if self._found:
            groups.append((Group.MESSAGES, list(self._found)))
        self.list.clear()
        for group, members in groups:
            self._add_heading(tr(group.value))
            for entry in members:
                self._add_entry(entry)
                if chosen == entry:
                    self.list.setCurrentRow(self.list.count() - 1)
        if self.list.currentRow() < 0:
            self._step(1)
        self.list.setVisible(bool(groups))
        self.nothing.setVisible(not groups)
        self._place()

    def _add_heading(self, words: str) -> None:
        item = QListWidgetItem(words)
        # The arrows pass it by, and no click chooses it.
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.addItem(item)

    def _add_entry(self, entry: PaletteEntry) -> None:
        item = QListWidgetItem(entry.words)
        item.setData(ENTRY_ROLE, entry)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, _spoken(entry))
        item.setToolTip(plain_tip(entry.words))
        self.list.addItem(item)

    def _step(self, by: int) -> None:
        """To the next one that can be chosen, and from the last to the first."""
        count = self.list.count()
        row = self.list.currentRow()
        for _ in range(count):
            row = (row + by) % count
            if self.list.item(row).data(ENTRY_ROLE) is not None:
                self.list.setCurrentRow(row)
                # The heading of the first one comes into sight with it.
                self.list.scrollToTop() if row == 1 else self.list.scrollToItem(self.list.item(row))
                return

    def _speak(self) -> None:
        """A screen reader is in the field and hears there what Enter would do."""
        entry = self.current
        self.field.setAccessibleDescription(_spoken(entry) if entry is not None else "")

    def _on_chosen(self) -> None:
        entry = self.current
        if entry is None:
            return
        # First the keyboard goes back, so that a command finds the window as it was before the palette.
        self.leave()
        entry.act()

    def _place(self) -> None:
        """Centred in the upper part, as tall as what it holds, never beyond its window."""
        window = self.parentWidget()
        assert window is not None
        px = theme.px
        width = min(px(WIDTH), window.width() - px(32))
        rows = sum(self.list.sizeHintForRow(row) for row in range(self.list.count()))
        others = self._column.contentsMargins()
        around = others.top() + others.bottom() + self.field.sizeHint().height() + self._column.spacing()
        most = min(round(window.height() * MOST_OF_HEIGHT), window.height() - px(TOP) - px(16))
        wanted = rows + 2 if self.list.count() else self.nothing.sizeHint().height()
        height = min(around + wanted, max(most, around + px(ROW)))
        self.setGeometry((window.width() - width) // 2, min(px(TOP), window.height() // 10), width, height)


def _spoken(entry: PaletteEntry) -> str:
    words = f"{tr(entry.group.value)}: {entry.words}"
    return f"{words} ({entry.keys})" if entry.keys else words


class PaletteField(StepField):
    """Left with Esc, and for another part of the window. Main thread only."""

    def __init__(self) -> None:
        super().__init__()
        named(self, "palette_field", tr("Search chats, commands, pages, settings, presets and models"))
        self.setPlaceholderText(from_its_side(self, tr("Chats, commands, settings…")))
        sized(self, min_height=24)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # Another window in front, or the field's own menu, is not a choice against the palette.
        if event.reason() not in (
            Qt.FocusReason.ActiveWindowFocusReason,
            Qt.FocusReason.PopupFocusReason,
        ):
            self.left.emit()


class PaletteDelegate(QStyledItemDelegate):
    """Draws an icon, the words and the keys beside them; a heading is small and grey."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(theme.px(100), theme.px(ROW if index.data(ENTRY_ROLE) is not None else HEADING))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        entry: PaletteEntry | None = index.data(ENTRY_ROLE)
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(option.direction)
        if entry is None:
            painter.setFont(theme.font(CAPTION_PX))
            painter.setPen(theme.colour("secondary"))
            room = rect.adjusted(theme.px(8), 0, -theme.px(8), -theme.px(4))
            painter.drawText(room, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeading, index.data())
        else:
            self._paint_entry(painter, rect, option, entry)
        painter.restore()

    def _paint_entry(
        self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, entry: PaletteEntry
    ) -> None:
        px = theme.px
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if selected or hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if selected else "surface_2"))
            painter.drawRoundedRect(rect.toRectF().adjusted(0, 1, 0, -1), px(8), px(8))
        ink, faint = ("on_selection", "on_selection") if selected else ("text", "secondary")
        room = rect.adjusted(px(8), 0, -px(12), 0)
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        side = px(16)
        left = room.right() - side if mirrored else room.left()
        theme.icon(entry.icon, faint).paint(painter, QRect(left, rect.center().y() - side // 2, side, side))
        gap = side + px(10)
        room = room.adjusted(0, 0, -gap, 0) if mirrored else room.adjusted(gap, 0, 0, 0)
        painter.setFont(theme.font(CAPTION_PX))
        painter.setPen(theme.colour(faint))
        ends = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing
        # Keys are in Latin letters, with signs that a line from the right would put before them: "++Ctrl".
        painter.drawText(room, ends, f"{LEFT_TO_RIGHT}{entry.keys}{LEFT_TO_RIGHT}")
        taken = QFontMetrics(painter.font()).horizontalAdvance(entry.keys) + (px(16) if entry.keys else 0)
        room = room.adjusted(taken, 0, 0, 0) if mirrored else room.adjusted(0, 0, -taken, 0)
        painter.setFont(theme.font(SMALL_PX))
        painter.setPen(theme.colour(ink))
        words = QFontMetrics(painter.font()).elidedText(
            " ".join(entry.words.split()), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, words)


# -- what it offers --------------------------------------------------------------------------------

# Their icons, where they have one; the others get the one of commands.
ICONS = {
    "new_chat": "plus",
    "search": "search",
    "sidebar": "sidebar",
    "stop": "stop",
    "quit": "close",
    "shortcuts": "question",
}
# What is on the way through the window and no deed, and what stands among the pages.
LAST = ("shortcuts", "stop", "close", "quit")  # rarely what somebody opens the palette for
LEFT_OUT = ("palette", "cycle", "cycle_back", "memory", "settings")


class WindowOpener(Protocol):
    """What leads to the windows; `ui/desktop.py` does."""

    can_ask_quickly: bool
    ask_quickly: Callable[[], None]

    @property
    def chat(self) -> ChatWindow: ...

    @property
    def quick_ask_keys(self) -> str: ...

    @property
    def page_titles(self) -> tuple[tuple[str, str], ...]: ...

    def show_chat(self) -> None: ...

    def show_models(self) -> None: ...

    def show_page(self, title: str) -> None: ...

    def show_setting(self, key: str) -> None: ...


class PaletteController(QObject):
    """Opens the palette of a window and fills it. Main thread only."""

    def __init__(
        self, opener: WindowOpener, search: Callable[[str], SearchResults], background: Background
    ) -> None:
        super().__init__()
        self._opener = opener
        self._search = ConversationSearch(search, background, self)
        self._search.found.connect(self._on_found)
        self._palettes: dict[QWidget, Palette] = {}
        self._open: Palette | None = None

    def open(self, window: QWidget) -> Palette:
        """Over this window; opened a second time it closes."""
        palette = self._palettes.get(window)
        if palette is None:
            palette = self._palettes[window] = Palette(window)
            palette.typed.connect(self._on_typed)
        if palette.isVisible():
            palette.leave()
        else:
            self._open = palette
            palette.open(list(self.entries(window)))
        return palette

    def entries(self, window: QWidget) -> Iterator[PaletteEntry]:
        """All there is to choose now, in the order of their groups."""
        chat = self._opener.chat
        yield from self._chats(chat)
        yield from self._commands(chat, window)
        yield from self._pages()
        yield from self._models(chat)
        yield from self._presets(chat)
        yield from self._settings()

    # -- what there is ------------------------------------------------------------------------

    def _chats(self, chat: ChatWindow) -> Iterator[PaletteEntry]:
        for each in chat.sidebar.conversations:
            yield PaletteEntry(Group.CHATS, each.title, "open", self._opening(each.id))

    def _opening(self, conversation_id: int, message_id: int = 0) -> Callable[[], None]:
        def show() -> None:
            self._opener.show_chat()
            if message_id:
                self._opener.chat.controller.open_conversation(conversation_id, message_id)
            else:
                self._opener.chat.open_conversation(conversation_id)

        return show

    def _commands(self, chat: ChatWindow, window: QWidget) -> Iterator[PaletteEntry]:
        """The keys of the chat window, then what has no key: its menus, and the chat that is open."""
        later = []
        for shortcut in SHORTCUTS:
            action = chat.findChild(QAction, f"key_{shortcut.name}")
            if isinstance(action, QAction) and shortcut.name not in LEFT_OUT:
                icon, also = ICONS.get(shortcut.name, "quick"), shortcut.name.replace("_", " ")
                entry = self._command(action.text(), icon, action, window, keys_of(shortcut.name), also)
                if shortcut.name in LAST:
                    later.append(entry)
                else:
                    yield entry
        yield from self._without_keys(chat, window)
        yield from later

    def _without_keys(self, chat: ChatWindow, window: QWidget) -> Iterator[PaletteEntry]:
        """The menus of the window and of the open chat, and Quick-ask, whose keys are the user's."""
        if self._opener.can_ask_quickly:
            keys = self._opener.quick_ask_keys
            yield PaletteEntry(Group.COMMANDS, tr("Quick-ask"), "quick", self._opener.ask_quickly, keys)
        index = chat.sidebar.model.index_of(chat.controller.current)
        current = next((c for c in chat.sidebar.conversations if c.id == chat.controller.current), None)
        if current is not None:
            # Made anew each time, as the sidebar does; gone with the palette that shows its entries.
            menu = chat.sidebar.menu_for(index, current)
            if self._open is not None:
                self._open.closed.connect(menu.deleteLater)
            yield from self._of_menu(menu, "open", window, skip=1)
        yield from self._of_menu(chat.pane.composer.menu, "plus", window)
        yield from self._of_menu(chat.settings_menu, "moon", window, also=tr("Theme"))

    def _of_menu(
        self, menu: QMenu, icon: str, window: QWidget, skip: int = 0, also: str = ""
    ) -> Iterator[PaletteEntry]:
        """Its entries with what they do; those that have keys of the table are there already."""
        keys = {keys_of(shortcut.name) for shortcut in SHORTCUTS if not shortcut.own}
        for action in menu.actions()[skip:]:
            words, _, own_keys = action.text().replace("&&", "&").partition("\t")
            is_usable = action.isEnabled() and action.isVisible() and action.menu() is None
            if words and is_usable and own_keys not in keys:
                yield self._command(words, icon, action, window, own_keys, also)

    def _command(
        self, words: str, icon: str, action: QAction, window: QWidget, keys: str, also: str = ""
    ) -> PaletteEntry:
        def act() -> None:
            # What it is done to is in the chat's window, which may be behind the one with the palette.
            if window is not self._opener.chat:
                self._opener.show_chat()
            action.trigger()

        return PaletteEntry(Group.COMMANDS, words, icon, act, keys, also)

    def _pages(self) -> Iterator[PaletteEntry]:
        keys = {"Memory": keys_of("memory"), "Settings": keys_of("settings")}
        for title, icon in self._opener.page_titles:
            show = _bound(self._opener.show_page, title)
            yield PaletteEntry(Group.PAGES, tr(title), icon, show, keys.get(title, ""), also=title)
        yield PaletteEntry(Group.PAGES, tr("Models"), "model", self._opener.show_models, also="Models")

    def _models(self, chat: ChatWindow) -> Iterator[PaletteEntry]:
        for model_id, name in chat.menus.installed:
            yield PaletteEntry(
                Group.MODELS, tr("Answer with {name}", name=name), "model", _bound(chat.menus.use, model_id)
            )

    def _presets(self, chat: ChatWindow) -> Iterator[PaletteEntry]:
        for preset in chat.presets.all():
            words = tr("Preset: {name}", name=shown_name(preset))

            yield PaletteEntry(Group.PRESETS, words, "edit", self._choosing(chat, preset))

    def _choosing(self, chat: ChatWindow, preset: Preset) -> Callable[[], None]:
        def choose() -> None:
            self._opener.show_chat()
            chat.presets.choose(preset)

        return choose

    def _settings(self) -> Iterator[PaletteEntry]:
        for group in field_groups():
            for field in group.settings:
                words = f"{group.title}: {field.title}"
                show = _bound(self._opener.show_setting, field.key)
                yield PaletteEntry(Group.SETTINGS, words, "settings", show, also=f"{field.help} {field.key}")

    # -- messages of all chats ----------------------------------------------------------------

    def _on_typed(self, text: str) -> None:
        if text:
            self._search.ask(text)

    def _on_found(self, text: str, page: SearchResults) -> None:
        if self._open is not None:
            found = [self._hit(message) for chat in page.chats for message in chat.messages]
            self._open.show_found(text, found)

    def _hit(self, message: FoundMessage) -> PaletteEntry:
        show = self._opening(message.conversation_id, message.message_id)
        return PaletteEntry(Group.MESSAGES, plain(message.excerpt), "search", show)


def _bound(act: Callable[[str], object], value: str) -> Callable[[], object]:
    return lambda: act(value)
