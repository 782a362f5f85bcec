"""Which chat or session a grant is for, in words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import ChatStore
from desktop.database import Database
from desktop.paths import Paths
from desktop.ui.pages.chat_names import ChatNames


@pytest.fixture
def store(paths: Paths) -> Iterator[ChatStore]:
    database = Database(paths.database, MIGRATIONS)
    yield ChatStore(database)
    database.close()


@pytest.mark.parametrize(
    ("chat", "words"),
    [
        ("1", "Holiday plans"),
        ("99", "a chat that was deleted"),
        ("claude-code/1a2b", "Claude Code, session 1a2b"),
        ("somebody/1a2b", "somebody, session 1a2b"),
        ("something else", "something else"),
    ],
)
def test_a_chat_has_a_name(store: ChatStore, chat: str, words: str) -> None:
    """Our chats by their title, agents by theirs with the session, what is unknown as it stands."""
    store.create("Holiday plans")
    assert ChatNames(store)(chat) == words
