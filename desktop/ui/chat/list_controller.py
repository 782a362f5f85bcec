"""The list of conversations: reading it, searching it, and what is done with single ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop import __version__
from desktop.chat.events import ConversationsChanged
from desktop.chat.export_import import ChatExchange, ChatsForm, file_name, write_json, write_markdown
from desktop.chat.projects import ChatProject, ChatProjectsChanged
from desktop.chat.search import SearchResults
from desktop.chat.store import ChatStore, Conversation
from desktop.qt.background import Background, Latest
from desktop.ui.chat.formula_view import drawing
from desktop.ui.chat.services import ChatServices
from desktop.ui.chat.sidebar import Sidebar
from desktop.ui.language import language_in_use, tr
from desktop.ui.save_dialog import ask_where
from desktop.ui.widgets.toast import Toast

if TYPE_CHECKING:
    from desktop.chat.formulas import Outlines

LONGEST_NAME = 40


class ListController(QObject):
    """Between the store and the sidebar. Main thread only."""

    deleting = Signal(int)  # a conversation is on its way out
    restored = Signal(int)
    title_changed = Signal(str)  # of the open conversation

    def __init__(self, services: ChatServices, sidebar: Sidebar, toast: Toast) -> None:
        super().__init__()
        self._store = services.store
        self._turns = services.turns
        self._background = services.background
        self._listing = Latest(services.background)
        self._looking = Latest(services.background)
        self._sidebar = sidebar
        self._toast = toast
        self._conversations: tuple[Conversation, ...] = ()
        self._projects: tuple[ChatProject, ...] = ()
        self._current = 0
        sidebar.renamed.connect(self._on_renamed)
        sidebar.delete_wanted.connect(self._on_delete)
        sidebar.pin_wanted.connect(self._on_pin)
        sidebar.move_wanted.connect(self._on_move)
        for kind in (ConversationsChanged, ChatProjectsChanged):
            services.relay.listen(kind, lambda _event: self.refresh())
        sidebar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Whoever comes back from a terminal may have moved or asked something there, of which no event
        of this process tells."""
        if event.type() == QEvent.Type.WindowActivate:
            self._looking.run(self._read, done=self._on_looked, failed=self._toast.refuse)
        return super().eventFilter(watched, event)

    def show_current(self, conversation_id: int) -> None:
        """Which one is open."""
        self._current = conversation_id
        self._sidebar.show_current(conversation_id)

    def refresh(self) -> None:
        """Read the list again, in the background."""
        self._listing.run(self._read, done=self._on_listed, failed=self._toast.refuse)

    def _read(self) -> tuple[tuple[Conversation, ...], tuple[ChatProject, ...]]:
        return self._store.conversations(), self._turns.projects.all()

    def _on_looked(self, read: tuple[tuple[Conversation, ...], tuple[ChatProject, ...]]) -> None:
        # Nothing is laid out anew for a window that was only clicked into.
        if read != (self._conversations, self._projects):
            self._on_listed(read)

    def _on_listed(self, read: tuple[tuple[Conversation, ...], tuple[ChatProject, ...]]) -> None:
        conversations, projects = read
        self._conversations, self._projects = conversations, projects
        self._sidebar.show_projects(projects)
        self._sidebar.show_conversations(conversations, self._current)
        title = next((c.title for c in conversations if c.id == self._current), None)
        if title is not None:
            self.title_changed.emit(title)

    def _on_delete(self, conversation_id: int) -> None:
        title = next((c.title for c in self._conversations if c.id == conversation_id), tr("Chat"))
        # First the window lets go of it, so that no answer is written into what is being deleted.
        self.deleting.emit(conversation_id)
        self._background.run(
            self._turns.delete_conversation,
            conversation_id,
            done=lambda _none: self._on_deleted(conversation_id, title),
            failed=self._on_refused,
        )

    def _on_deleted(self, conversation_id: int, title: str) -> None:
        self.refresh()
        words = tr("Deleted “{title}”", title=_shortened(title))
        self._toast.offer(words, tr("Undo"), lambda: self._restore(conversation_id))

    def _restore(self, conversation_id: int) -> None:
        def restored(_none: None) -> None:
            self.refresh()
            self.restored.emit(conversation_id)

        self._background.run(
            self._turns.restore_conversation, conversation_id, done=restored, failed=self._on_refused
        )

    def _on_renamed(self, conversation_id: int, title: str) -> None:
        self._background.run(
            self._store.rename,
            conversation_id,
            title,
            done=lambda _none: self.refresh(),
            failed=self._on_refused,
        )

    def _on_move(self, conversation_id: int, project_id: int) -> None:
        moved = next((each for each in self._conversations if each.id == conversation_id), None)
        if moved is not None and moved.project_id != project_id:
            self._move(moved, project_id, lambda name: self._on_moved(moved, name))

    def _move(self, moved: Conversation, project_id: int, done: Callable[[str], None]) -> None:
        def act() -> str:
            found = next((each for each in self._turns.projects.all() if each.id == project_id), None)
            self._turns.move(moved.id, found)
            return found.name if found is not None else ""

        self._background.run(act, done=done, failed=self._toast.refuse)

    def _on_moved(self, moved: Conversation, project: str) -> None:
        title = _shortened(moved.title)
        words = (
            tr("Moved “{title}” to {project}", title=title, project=_shortened(project))
            if project
            else tr("Removed “{title}” from {project}", title=title, project=_shortened(moved.project))
        )
        self._toast.offer(words, tr("Undo"), lambda: self._move(moved, moved.project_id, lambda _name: None))

    def _on_pin(self, conversation_id: int, pinned: bool) -> None:
        self._background.run(
            self._store.set_pinned,
            conversation_id,
            pinned,
            done=lambda _none: self.refresh(),
            failed=self._on_refused,
        )

    def _on_refused(self, error: Exception) -> None:
        """The list shows what holds, which may be another title than the one that was just typed."""
        self.refresh()
        self._toast.refuse(error)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


class ConversationSearch(QObject):
    """`found` carries the answer to the newest text; what was on its way before is dropped. Main thread."""

    found = Signal(str, object)  # what was asked, its Page

    def __init__(
        self, search: Callable[[str], SearchResults], background: Background, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._search = search
        self._background = background
        self._running = False
        self._newest = ""  # what waits; "" for nothing

    def ask(self, typed: str) -> None:
        """Look for `typed`, as soon as the search under way has ended."""
        self._newest = typed
        # One at a time: SQLite would work through every prefix that was typed on the way to the word.
        if not self._running:
            self._start()

    def _start(self) -> None:
        typed, self._newest = self._newest, ""
        self._running = True
        self._background.run(
            self._search, typed, done=lambda page: self._on_done(typed, page), failed=self._on_failed
        )

    def _on_done(self, typed: str, page: SearchResults) -> None:
        self._running = False
        if self._newest:
            self._start()
        else:
            self.found.emit(typed, page)

    def _on_failed(self, error: Exception) -> None:
        self._running = False
        if self._newest:
            self._start()
        raise error


class ConversationExport(QObject):
    """Asks where to, writes on the pool, says so. Main thread only."""

    def __init__(self, window: QWidget, store: ChatStore, background: Background, toast: Toast) -> None:
        super().__init__(window)
        self._window = window
        self._exchange = ChatExchange(store.database, store, __version__)
        self._background = background
        self._toast = toast
        self.dialog: QFileDialog | None = None

    def start(self, conversation_id: int) -> None:
        """Read the conversation, then ask for a name; Markdown unless another ending is chosen."""
        self._background.run(
            self._exchange.export, [conversation_id], done=self._ask, failed=self._toast.refuse
        )

    def _ask(self, form: ChatsForm) -> None:
        if not form.conversations:
            return
        self.dialog = ask_where(
            self._window,
            tr("Export chat"),
            f"{file_name(form.conversations[0])}.md",
            (
                tr("Markdown (*.md)"),
                tr("Web page (*.html)"),
                tr("PDF (*.pdf)"),
                tr("JSON with everything (*.json)"),
            ),
            lambda path: self._write(form, path),
        )

    def _write(self, form: ChatsForm, path: Path) -> None:
        # Not every system's dialog appends the ending of the chosen filter.
        target = path if path.suffix else path.with_suffix(".md")
        shown = drawing()
        self._background.run(
            _write_as(target.suffix.lower()),
            form,
            target,
            shown.outlines if shown is not None else None,
            done=lambda _written: self._toast.offer(tr("Written to {path}", path=target)),
            failed=self._toast.refuse,
        )


def _write_as(ending: str) -> Callable[[ChatsForm, Path, Outlines | None], object]:
    """What writes the kind of file with this ending; formulas are drawn where the kind can show them."""
    writers: dict[str, Callable[[ChatsForm, Path, Outlines | None], object]] = {
        ".json": lambda form, target, _outlines: write_json(form, target),
        ".html": _write_page,
        ".htm": _write_page,
        ".pdf": _write_pdf,
    }
    return writers.get(ending, lambda form, target, _outlines: write_markdown(form, target))


def _write_page(form: ChatsForm, target: Path, outlines: Outlines | None) -> object:
    from desktop.chat.page_export import write_pages

    return write_pages(form, target, outlines, language_in_use())


def _write_pdf(form: ChatsForm, target: Path, outlines: Outlines | None) -> object:
    from desktop.ui.chat.pdf import write_pdf

    return write_pdf(form, target, outlines, language_in_use())
