"""The list of conversations: reading it, searching it, and what is done with single ones."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from desktop.chat.events import ConversationsChanged
from desktop.chat.store import ChatStore, Conversation
from desktop.chat.turn import Turns
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.ui.chat.sidebar import Sidebar
from desktop.ui.language import tr
from desktop.ui.toast import Toast

LONGEST_NAME = 40


class ListController(QObject):
    """Between the store and the sidebar. Main thread only."""

    deleting = Signal(int)  # a conversation is on its way out
    restored = Signal(int)
    title_changed = Signal(str)  # of the open conversation

    def __init__(
        self,
        store: ChatStore,
        turns: Turns,
        relay: Relay,
        background: Background,
        sidebar: Sidebar,
        toast: Toast,
    ) -> None:
        super().__init__()
        self._store = store
        self._turns = turns
        self._background = background
        self._sidebar = sidebar
        self._toast = toast
        self._conversations: tuple[Conversation, ...] = ()
        self._current = 0
        self._listings = 0
        sidebar.renamed.connect(self._on_renamed)
        sidebar.delete_wanted.connect(self._on_delete)
        sidebar.pin_wanted.connect(self._on_pin)
        relay.listen(ConversationsChanged, lambda _event: self.refresh())

    def show_current(self, conversation_id: int) -> None:
        """Which one is open."""
        self._current = conversation_id
        self._sidebar.show_current(conversation_id)

    def refresh(self) -> None:
        """Read the list again, in the background."""
        self._listings += 1
        number = self._listings
        self._background.run(self._store.conversations, done=lambda found: self._on_listed(number, found))

    def _on_listed(self, number: int, conversations: tuple[Conversation, ...]) -> None:
        if number != self._listings:
            return  # a newer reading is on its way
        self._conversations = conversations
        self._sidebar.show_conversations(conversations, self._current)
        title = next((c.title for c in conversations if c.id == self._current), None)
        if title is not None:
            self.title_changed.emit(title)

    def _on_delete(self, conversation_id: int) -> None:
        title = next((c.title for c in self._conversations if c.id == conversation_id), tr("Chat"))
        self.deleting.emit(conversation_id)
        self._background.run(
            self._turns.delete_conversation,
            conversation_id,
            done=lambda _none: self._on_deleted(conversation_id, title),
        )

    def _on_deleted(self, conversation_id: int, title: str) -> None:
        self.refresh()
        short = title if len(title) <= LONGEST_NAME else f"{title[: LONGEST_NAME - 1]}…"
        words = tr("Deleted “{title}”", title=short)
        self._toast.offer(words, tr("Undo"), lambda: self._restore(conversation_id))

    def _restore(self, conversation_id: int) -> None:
        def restored(_none: None) -> None:
            self.refresh()
            self.restored.emit(conversation_id)

        self._background.run(self._turns.restore_conversation, conversation_id, done=restored)

    def _on_renamed(self, conversation_id: int, title: str) -> None:
        self._background.run(self._store.rename, conversation_id, title, done=lambda _none: self.refresh())

    def _on_pin(self, conversation_id: int, pinned: bool) -> None:
        self._background.run(
            self._store.set_pinned, conversation_id, pinned, done=lambda _none: self.refresh()
        )
