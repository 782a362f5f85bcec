"""The chat window: sidebar, conversation, keys. What happens with what the user does is in `controller`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QActionGroup,
    QCloseEvent,
    QGuiApplication,
    QHideEvent,
    QIcon,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.chat.attachments import AttachmentReader, Draft
from desktop.chat.conversation_memory import MemoryBlocks
from desktop.chat.events import FolderChanged, FolderRead
from desktop.engine.events import LargerContext, ModelLoaded
from desktop.errors import UserFacing
from desktop.settings import Theme as Mode
from desktop.system.clipboard import QtClipboard
from desktop.system.main_thread import MainThread
from desktop.ui import theme
from desktop.ui.chat.attachments import AttachmentController, Sources
from desktop.ui.chat.context_controller import ContextController
from desktop.ui.chat.controller import ChatController
from desktop.ui.chat.destination import DestinationController, Servers
from desktop.ui.chat.dictation import DictationController
from desktop.ui.chat.list_controller import ConversationExport
from desktop.ui.chat.opener import SourceOpener, UsedMemory
from desktop.ui.chat.pane import ConversationPane
from desktop.ui.chat.presets import PresetController
from desktop.ui.chat.rich_text import is_allowed, open_link
from desktop.ui.chat.selection_bar import SelectionActions
from desktop.ui.chat.services import ChatServices, ToolFiles
from desktop.ui.chat.sidebar import WIDTH, Sidebar
from desktop.ui.chat.speech import SpeechController
from desktop.ui.chat.status_controller import Models, StatusMenus
from desktop.ui.chat.status_line import short_count
from desktop.ui.icons import icon
from desktop.ui.language import plural, tr, tr_noop
from desktop.ui.permission.visible import breakable, visible
from desktop.ui.placement import Placement, WindowState, load_window_state, save_window_state
from desktop.ui.shortcuts import beside_keys, bind, show_sheet
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.layout import order_tabs
from desktop.ui.widgets.menu import Menu
from desktop.ui.widgets.toast import Toast

if TYPE_CHECKING:
    from desktop.chat.chat_folders import FolderContent


NARROW = 760  # below this the sidebar lies over the conversation
MODES = (
    (Mode.SYSTEM, tr_noop("Follow the system")),
    (Mode.LIGHT, tr_noop("Light")),
    (Mode.DARK, tr_noop("Dark")),
)


class ChatWindow(QWidget):
    """Made once by the composition root; hidden and shown, never destroyed before the end.

    Closing hides it when there is a tray (`set_tray_available`), else asks to quit. Main thread only.
    """

    models_requested = Signal()
    permissions_requested = Signal()
    page_requested = Signal(str)  # of the pages' window
    palette_requested = Signal()
    quit_requested = Signal()
    close_to_tray = Signal()

    def __init__(
        self,
        services: ChatServices,
        state_file: Path,
        files: ToolFiles | None = None,
        sources: Sources | None = None,
        models: Models = tuple,
        servers: Servers = tuple,
    ) -> None:
        """`sources` None: texts can go along, but nothing from the screen, and no pictures. `models`: those
        that are installed, for the menu of the status line; `servers`: those that may answer a chat.
        """
        super().__init__()
        files = files or ToolFiles()
        self._settings_file = services.settings
        self._background = services.background
        self._engine = services.engine
        self._state_file = state_file
        self._tray = True
        self._state = load_window_state(state_file)
        self._wants_sidebar = self._state.sidebar
        self._was_narrow = False
        self.placement = Placement(self)
        self.setObjectName("chat_window")
        self.setWindowTitle("Steward")
        self.setWindowIcon(QIcon(icon("app", "#000000")))
        self.settings_menu = self._make_settings_menu()
        self.pane = ConversationPane(self)
        if files.undo_controller is not None:
            self.pane.transcript.use(files.undo_controller)
        self.sidebar = Sidebar(self.settings_menu, services.today, self)
        # Over the conversation and not over the window: the sidebar stays usable.
        self.toast = Toast(self.pane, self.pane.composer)
        self.ring = FocusRing(self)
        self.controller = ChatController(services, self.pane, self.sidebar, self.toast)
        self.pane.composer.larger_context = services.engine.larger_context
        self._make_parts(services, files, sources, models)
        self._host = self._title = ""
        self.destination = DestinationController(
            services, lambda: self.controller.current, servers, self.toast.refuse
        )
        self.speech = SpeechController(services, self.pane.transcript, self.toast)
        composer = self.pane.composer
        self.dictation = DictationController(services, composer.dictation, composer.text, self.toast)
        # The computer's own voice is no dictation.
        composer.dictation.begin_wanted.connect(self.speech.stop)
        self.folder = FolderController(
            services, lambda: self.controller.current, self.pane, self.toast.refuse
        )
        services.relay.listen(ModelLoaded, lambda _event: self.attaching.count_again())
        self._connect()
        self._add_shortcuts()
        self._order_tabs()
        theme.current().changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self._restore_geometry()

    def _make_parts(
        self,
        services: ChatServices,
        files: ToolFiles,
        sources: Sources | None,
        models: Models,
    ) -> None:
        """What the composer, the status line and the chips lead to."""
        store, background = services.store, services.background
        self.attaching = AttachmentController(
            sources
            or Sources(AttachmentReader(count=services.engine.count_tokens), QtClipboard(MainThread(self))),
            self.pane.composer,
            self.pane,
            background,
            self.toast,
        )
        self.opening = SourceOpener(
            store,
            background,
            self.pane.transcript.maker,
            lambda: self.attaching.viewer,
            self.toast.offer,
            lambda where: files.locate(where, self.controller.current),
        )
        self.context = ContextController(
            services,
            self.controller,
            self.pane,
            self.toast,
            self.controller.status.show_use,
        )
        self.presets = PresetController(
            store.presets, services.turns, background, self.pane, self.toast, lambda: self.controller.current
        )
        self.exporting = ConversationExport(self, store, background, self.toast)
        self.sidebar.export_wanted.connect(self.exporting.start)
        self.selection = SelectionActions(self.pane, services.engine, background, self.pane.composer.text)
        self.used_memory = UsedMemory(MemoryBlocks(store.database), background, self.pane, self.toast)
        self.menus = StatusMenus(
            self.pane.status, services.settings, services.relay, background, self.toast, models
        )

    def _order_tabs(self) -> None:
        """From the composer through the status line and the sidebar to the messages, which come last.

        Qt puts what is made later at the end, and messages are; `MessageKeyboard` orders these.
        """
        composer, sidebar = self.pane.composer, self.sidebar
        stops = (
            composer.add_button,
            composer.text,
            *self.selection.bar.buttons,
            composer.dictation.button,
            composer.send_button,
            *self.pane.empty.chips,
        )
        stops += (*self.pane.status.parts, sidebar.new_button, sidebar.search, sidebar.list)
        stops += (sidebar.list.more, sidebar.model_button, *sidebar.page_buttons, sidebar.look_button)
        # It stands over the messages, and comes before them.
        order_tabs((*stops, self.pane.destination.here, self.pane.folder.remove))

    # -- what the composition root calls ------------------------------------------------------

    def show_and_raise(self) -> None:
        """Show the window in front of the others, ready for typing."""
        # show() does not bring a minimised window back.
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        self.pane.composer.text.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def toggle(self) -> None:
        """What a click on the tray icon does: show, or hide if it is in front already."""
        if self.isVisible() and self.isActiveWindow():
            self.close()
        else:
            self.show_and_raise()

    def open_conversation(self, conversation_id: int) -> None:
        """Show a conversation; one that is gone is ignored."""
        self.controller.open_conversation(conversation_id)

    def new_chat_in(self, project_id: int, name: str) -> None:
        """An empty chat that will belong to a project."""
        self.controller.new_chat(project=(project_id, name))

    def new_chat(self, question: str = "") -> None:
        """An empty conversation, or one that begins with `question`."""
        self.controller.new_chat(question)

    def set_tray_available(self, available: bool) -> None:
        """Without a tray, closing the window quits, and the status line says so."""
        self._tray = available
        self.controller.status.show_note(
            *("", "")
            if available
            else (
                tr("no tray: closing quits"),
                tr("No system tray was found, so closing this window ends Steward."),
            )
        )

    def save_state(self) -> None:
        """Keep what is typed and not sent, place, size and sidebar for the next start."""
        self.controller.keep_unsent()
        # The next start would otherwise open a window as large as the screen that is not maximised.
        area = self.normalGeometry() if self.isMaximized() else self.geometry()
        if area.isEmpty():
            area = self.geometry()
        save_window_state(
            self._state_file,
            WindowState(
                area.x(), area.y(), area.width(), area.height(), self.isMaximized(), self._wants_sidebar
            ),
        )

    # -- Qt -----------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        # Here too and not only when quitting: a session that is killed gives no other chance.
        self.save_state()
        if self._tray and not _session_ends():
            event.ignore()
            self.hide()
            self.close_to_tray.emit()
        else:
            event.accept()
            self.quit_requested.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Nobody sees any more that the microphone is open.
        self.dictation.cancel()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange()
        # Whoever was reading a message finds it again; everybody else begins to type.
        if self.focusWidget() is None or not self.pane.transcript.isAncestorOf(self.focusWidget()):
            self.pane.composer.text.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- sidebar and layout -------------------------------------------------------------------

    def toggle_sidebar(self) -> None:
        """Ctrl+B. In a narrow window it lies over the conversation."""
        shown = self.sidebar.isHidden()
        self.sidebar.setVisible(shown)
        # In a narrow window it is open for one choice only, and says nothing about what the user prefers.
        if not self._is_narrow():
            self._wants_sidebar = shown
        self._arrange()
        if shown and self._is_narrow():
            self.sidebar.list.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _is_narrow(self) -> bool:
        return self.width() < theme.px(NARROW)

    def _arrange(self) -> None:
        if self._is_narrow() != self._was_narrow:
            self._was_narrow = self._is_narrow()
            self.sidebar.setVisible(self._wants_sidebar and not self._was_narrow)
        shown = not self.sidebar.isHidden()
        # A strip of the conversation stays in sight to click on, at 200 % too.
        width = min(theme.px(WIDTH), self.width() - theme.px(48))
        left = width if shown and not self._is_narrow() else 0
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        self.pane.sidebar_button.setVisible(not shown)
        self.sidebar.setGeometry(self.width() - width if mirrored else 0, 0, width, self.height())
        self.pane.setGeometry(0 if mirrored else left, 0, self.width() - left, self.height())
        self.pane.arrange()
        if self.toast.isVisible():
            self.toast.place()
        self.sidebar.raise_()
        # Last: the focus ring is drawn over everything.
        self.ring.raise_()

    def _restore_geometry(self) -> None:
        state = self._state
        self.placement.restore(state, QSize(state.width, state.height))
        self._was_narrow = self._is_narrow()
        self.sidebar.setVisible(self._wants_sidebar and not self._was_narrow)

    # -- keys ---------------------------------------------------------------------------------

    def _add_shortcuts(self) -> None:
        bind(
            self,
            {
                "shortcuts": lambda: show_sheet(self),
                "new_chat": self.controller.new_chat,
                "palette": self.palette_requested.emit,
                "search": self._on_search,
                "sidebar": self.toggle_sidebar,
                "cycle": lambda: self._cycle_focus(1),
                "cycle_back": lambda: self._cycle_focus(-1),
                "selection": self.selection.bar.focus,
                "stop": self._on_escape,
                "memory": lambda: self.page_requested.emit("Memory"),
                "settings": lambda: self.page_requested.emit("Settings"),
                "zoom_in": lambda: self._zoom(1),
                "zoom_out": lambda: self._zoom(-1),
                "zoom_reset": lambda: self._zoom(0),
                "close": self.close,
                "quit": self.quit_requested.emit,
            },
        )

    def _on_search(self) -> None:
        if self.sidebar.isHidden():
            self.toggle_sidebar()
        self.sidebar.focus_search()

    def _on_search_left(self) -> None:
        # The sidebar lies over the composer there.
        if self._is_narrow():
            self.toggle_sidebar()
        self.pane.composer.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_escape(self) -> None:
        if self._is_narrow() and self.sidebar.isVisible():
            self.toggle_sidebar()
            self.pane.composer.text.setFocus()
        elif self.pane.composer.dictation.in_hand:
            self.dictation.cancel()
        else:
            self.controller.stop()

    def _cycle_focus(self, step: int) -> None:
        """Sidebar, messages, composer; what is not there is left out."""
        stops = [self._focus_sidebar, self.pane.transcript.focus_message, self._focus_composer]
        start = self._focused_stop()
        for number in range(1, len(stops) + 1):
            if stops[(start + step * number) % len(stops)]():
                return

    def _focused_stop(self) -> int:
        focused = self.focusWidget()
        if focused is not None and self.sidebar.isAncestorOf(focused):
            return 0
        return 1 if focused is not None and self.pane.transcript.isAncestorOf(focused) else 2

    def _focus_sidebar(self) -> bool:
        if self.sidebar.isVisible():
            self.sidebar.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return self.sidebar.isVisible()

    def _focus_composer(self) -> bool:
        self.pane.composer.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    # -- look ---------------------------------------------------------------------------------

    def _make_settings_menu(self) -> Menu:
        menu = Menu(self, "settings_menu")
        group = QActionGroup(menu)
        for mode, words in MODES:
            is_chosen = mode is theme.current().mode
            use = partial(self.set_mode, mode)
            group.addAction(menu.choice(tr(words), is_chosen, use, f"theme_{mode.value}"))
        menu.addSeparator()
        menu.offer(beside_keys(tr("Larger text"), "zoom_in"), "plus", lambda: self._zoom(1))
        menu.offer(beside_keys(tr("Smaller text"), "zoom_out"), "minus", lambda: self._zoom(-1))
        menu.offer(beside_keys(tr("Normal text size"), "zoom_reset"), "undo", lambda: self._zoom(0))
        return menu

    def set_mode(self, mode: Mode) -> None:
        """Light, dark or as the system says, from now on."""
        theme.current().set_mode(mode)
        # On the pool: writing the file waits for the disk, and the new colours need not.
        self._keep("theme", mode.value)

    def _zoom(self, direction: int) -> None:
        self._keep("zoom_percent", theme.current().step_zoom(direction))

    def _keep(self, name: str, value: object) -> None:
        """What is refused holds until the end of the program."""
        self._background.run(self._settings_file.change, "window", name, value, failed=self.toast.refuse)

    def _on_theme_changed(self) -> None:
        self.placement.limit_minimum(QSize(theme.px(320), theme.px(360)))
        for action in self.settings_menu.actions():
            if action.objectName() == f"theme_{theme.current().mode.value}":
                action.setChecked(True)
        self._arrange()

    def _on_link(self, address: str) -> None:
        if is_allowed(address) and not open_link(address):
            words = tr("This computer has no program that opens {address}.", address=breakable(address))
            self.toast.offer(words)

    def _connect(self) -> None:
        self.pane.sidebar_button.clicked.connect(self.toggle_sidebar)
        self.pane.transcript.link_clicked.connect(self._on_link)
        self.pane.transcript.maker.example_wanted.connect(self._on_example)
        self.opening.link_clicked.connect(self._on_link)
        self.opening.page_requested.connect(self.page_requested)
        self.menus.page_requested.connect(self.page_requested)
        self.menus.models_requested.connect(self.models_requested)
        self.sidebar.search_left.connect(self._on_search_left)
        self.sidebar.page_wanted.connect(self.page_requested)
        self.attaching.picking.connect(self._on_picking)
        self.pane.composer.context_wanted.connect(self._on_context_wanted)
        self.controller.models_requested.connect(self.models_requested)
        self.pane.status.unguarded_clicked.connect(self.permissions_requested)
        self.controller.title_changed.connect(self._on_title_changed)
        self.controller.conversation_shown.connect(self._on_conversation_shown)
        self.controller.created.connect(self.presets.take_up)
        self.controller.created.connect(self.destination.take_up)
        self.controller.created.connect(self.folder.take_up)
        self.sidebar.folder_wanted.connect(self.folder.choose)
        self.pane.composer.folder_wanted.connect(self.folder.choose)
        self.attaching.folder_given.connect(lambda path: self.folder.give(self.controller.current, str(path)))
        self.destination.shown.connect(self._on_destination)
        self.pane.destination.here_wanted.connect(lambda: self.destination.choose(""))
        self.menus.extend = self.destination.fill

    def _on_example(self, request: str) -> None:
        """Not sent: a name or a number in it is another one for whoever reads it."""
        self.pane.composer.put_behind(Draft(request))
        self.pane.composer.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_context_wanted(self, larger: LargerContext) -> None:
        """For every chat; the model gives its memory back, and is loaded again with the next question."""
        before = self._settings_file.current.model.context_tokens
        words = tr("The context is raised to {tokens}, for all chats.", tokens=short_count(larger.tokens))
        self._set_context(
            larger.tokens, lambda: self.toast.offer(words, tr("Undo"), lambda: self._set_context(before))
        )

    def _set_context(self, tokens: int, done: Callable[[], None] = lambda: None) -> None:
        def changed(_settings: object) -> None:
            self._engine.unload("its settings were changed")
            done()

        self._background.run(
            self._settings_file.change,
            "model",
            "context_tokens",
            tokens,
            done=changed,
            failed=self.toast.refuse,
        )

    def _on_picking(self, picking: bool) -> None:
        """Out of the way while a part of the screen is marked."""
        if picking:
            self.hide()
        else:
            self.show_and_raise()

    def _on_title_changed(self, title: str) -> None:
        self._title = title
        parts = (title, tr("to {host}", host=self._host) if self._host else "", "Steward")
        self.setWindowTitle(" – ".join(part for part in parts if part))

    def _on_destination(self, host: str, words: str) -> None:
        self._host = host
        self.pane.show_destination(host, words)
        self.controller.status.show_server(tr("to {host}", host=host) if host else "")
        self._on_title_changed(self._title)

    def _on_conversation_shown(self) -> None:
        self.presets.show_open()
        self.destination.show_open()
        self.folder.show_open()
        if self._is_narrow() and not self.sidebar.isHidden():
            self.toggle_sidebar()
        self.pane.composer.text.setFocus(Qt.FocusReason.OtherFocusReason)


def _session_ends() -> bool:
    """The user is logging out: a window that only hides would stop that."""
    app = QGuiApplication.instance()
    return isinstance(app, QGuiApplication) and app.isSavingSession()


# -- the folder that a chat looks into ---------------------------------------------------------

# The folder that the open chat looks into: chosen by a dialog or by dropping it, shown, taken away.


class FolderController(QObject):
    """A chat that does not exist yet gets its folder with its first message. Main thread only."""

    def __init__(
        self,
        services: ChatServices,
        current: Callable[[], int],
        pane: ConversationPane,
        failed: Callable[[Exception], None],
    ) -> None:
        """`current` is the open chat; `failed` tells what went wrong."""
        super().__init__()
        self._store = services.store
        self._turns = services.turns
        self._background = services.background
        self._current = current
        self._pane = pane
        self._failed = failed
        self._waiting = ""  # for the chat that does not exist yet
        self._dialog: QFileDialog | None = None
        pane.folder.removal_wanted.connect(self._on_removal_wanted)
        services.relay.listen(FolderRead, self._on_read)
        services.relay.listen(FolderChanged, self._on_changed)

    def choose(self, conversation_id: int = 0) -> None:
        """Ask for a folder, for the open chat where none is named."""
        wanted = conversation_id or self._current()
        dialog = QFileDialog(self._pane.window(), tr("Folder for this chat"))
        dialog.setObjectName("choose_folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: self.give(wanted, name))
        dialog.finished.connect(dialog.deleteLater)
        self._dialog = dialog
        dialog.open()

    def give(self, conversation_id: int, folder: str) -> None:
        """Have a chat look into `folder`, "" into none; it is indexed at once."""
        if conversation_id <= 0:
            self._waiting = folder
            self.show_open()
            return
        self._background.run(self._given, conversation_id, folder, failed=self._failed)

    def take_up(self, conversation_id: int) -> None:
        """The chat now exists, and is about to be asked its first question, which indexes the folder."""
        waiting, self._waiting = self._waiting, ""
        folders = self._turns.folders
        if waiting and folders is not None:
            # Here and not on the pool: the question must not be answered before its folder is stored.
            try:
                folders.choose(conversation_id, waiting)
            except UserFacing as error:  # told; the question is asked all the same
                self._failed(error)
        self.show_open()

    def show_open(self) -> None:
        """What is so of the open chat."""
        current = self._current()
        if current <= 0:
            self._pane.folder.show_place(self._waiting)
            self._show_words(folder_words(self._waiting) if self._waiting else "")
            return
        self._background.run(
            self._content, current, done=lambda content: self._show(current, content), failed=self._failed
        )

    # -- inside -------------------------------------------------------------------------------

    def _on_removal_wanted(self) -> None:
        # The button that has the focus goes: without this the next key would go to some message.
        self._pane.composer.text.setFocus()
        self.give(self._current(), "")

    def _given(self, conversation_id: int, folder: str) -> None:
        """On the pool."""
        folders = self._turns.folders
        assert folders is not None
        folders.choose(conversation_id, folder)
        if folder:
            folders.index(conversation_id, folder)

    def _content(self, conversation_id: int) -> FolderContent | None:
        """On the pool. Most chats have no folder, and then nothing of that room is loaded."""
        if not self._store.folder(conversation_id):
            return None
        folders = self._turns.folders
        return folders.of(conversation_id) if folders is not None else None

    def _show(self, conversation_id: int, content: FolderContent | None) -> None:
        if conversation_id == self._current():
            self._pane.folder.show_place(content.folder if content is not None else "")
            self._show_words(content_words(content) if content is not None else "")

    def _show_words(self, words: str, done: int = 0, total: int = 0) -> None:
        self._pane.folder.show_progress(words, done, total)
        self._pane.arrange()

    def _on_read(self, event: FolderRead) -> None:
        if event.conversation_id == self._current() and event.done < event.total:
            words = tr("Reading the folder: {done:,} of {total:,} files", done=event.done, total=event.total)
            self._show_words(words, event.done, event.total)

    def _on_changed(self, event: FolderChanged) -> None:
        if event.conversation_id == self._current():
            self.show_open()


def folder_words(folder: str) -> str:
    """That answers look into a folder, as long as it is not indexed."""
    return tr("Answers look into {folder}", folder=_name(folder))


def _name(folder: str) -> str:
    return visible(Path(folder).name or folder)


def content_words(content: FolderContent) -> str:
    """Which folder, how much of it, and what is left out."""
    if content.is_gone:
        return tr("{folder} cannot be read now", folder=_name(content.folder))
    files = plural("{count:,} file", "{count:,} files", content.files)
    words = f"{folder_words(content.folder)} · {files}"
    if content.left_out:
        more = plural(
            "{count:,} left out: too large or too many",
            "{count:,} left out: too large or too many",
            content.left_out,
        )
        words = f"{words} · {more}"
    return words
