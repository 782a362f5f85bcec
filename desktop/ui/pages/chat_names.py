"""The name of the chat, or of the agent's session, that a grant is for."""

from __future__ import annotations

from desktop.agents.adapters import adapter
from desktop.chat.store import ChatStore
from desktop.ui.language import tr


class ChatNames:
    """Called with what a grant holds as its chat. Reads the store: not on the main thread."""

    def __init__(self, store: ChatStore) -> None:
        self._store = store

    def __call__(self, chat: str) -> str:
        """A chat's title; "Claude Code, session 1a2b" for an agent's."""
        if chat.isdecimal():
            return self._title(int(chat))
        name, _, session = chat.partition("/")
        found = adapter(name)
        return (
            tr("{agent}, session {session}", agent=found.title if found else name, session=session)
            if session
            else chat
        )

    def _title(self, conversation_id: int) -> str:
        try:
            return self._store.get(conversation_id).title
        except KeyError:
            return tr("a chat that was deleted")
