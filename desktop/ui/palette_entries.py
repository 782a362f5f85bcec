"""What the palette offers, gathered from the windows: what they can do is not listed a second time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.chat.presets import Preset
from desktop.chat.search import FoundMessage, Page
from desktop.qt.background import Background
from desktop.ui.chat.conversation_list import plain
from desktop.ui.chat.list_controller import ConversationSearch
from desktop.ui.chat.presets import shown_name
from desktop.ui.language import tr
from desktop.ui.pages.settings_fields import field_groups
from desktop.ui.palette import Group, Palette, PaletteEntry
from desktop.ui.shortcuts import SHORTCUTS, keys_of

if TYPE_CHECKING:
    from desktop.ui.chat.window import ChatWindow

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

    def __init__(self, opener: WindowOpener, search: Callable[[str], Page], background: Background) -> None:
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

    def _on_found(self, text: str, page: Page) -> None:
        if self._open is not None:
            found = [self._hit(message) for chat in page.chats for message in chat.messages]
            self._open.show_found(text, found)

    def _hit(self, message: FoundMessage) -> PaletteEntry:
        show = self._opening(message.conversation_id, message.message_id)
        return PaletteEntry(Group.MESSAGES, plain(message.excerpt), "search", show)


def _bound(act: Callable[[str], object], value: str) -> Callable[[], object]:
    return lambda: act(value)
