"""What an answer drew on, by the records of its turn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.chat.attachments import AttachmentKind, AttachmentReader
from desktop.chat.messages import ToolRecord
from desktop.chat.sources import SourceKind, used_by
from desktop.chat.store import ChatStore, Message, Role
from desktop.tools.calls import CallStatus

PAGE = "https://example.org/harbour"


def called(store: ChatStore, chat: int, name: str, result: str = "text", **arguments: str) -> Message:
    record = ToolRecord(name, name, arguments, CallStatus.DONE)
    return store.close_call(store.add_call(chat, record).id, record, result)


@pytest.fixture
def chat(store: ChatStore) -> int:
    made = store.create().id
    store.open_turn(
        made, "Earlier", attachments=(AttachmentReader().text("old", AttachmentKind.FILE, "old.txt"),)
    )
    return made


def sources(store: ChatStore, chat: int) -> list[tuple[SourceKind, str]]:
    answer = store.add(chat, Role.ASSISTANT, "In 1952.")
    before = store.messages(chat, before=answer.id)
    return [(each.kind, each.title) for each in used_by(answer, before)]


def test_everything_of_the_turn_and_nothing_earlier(store: ChatStore, chat: int) -> None:
    """Attachments and results since the question, each once, in order."""
    maker = AttachmentReader()
    store.open_turn(
        chat,
        "When?",
        attachments=(
            maker.text("a", AttachmentKind.FILE, "a.txt"),
            maker.text("b", AttachmentKind.CLIPBOARD, "Clipboard"),
        ),
    )
    called(store, chat, "read_file", path="docs/harbour.txt")
    called(store, chat, "read_file", path="docs/harbour.txt")
    called(store, chat, "fetch_page", url=PAGE)
    called(store, chat, "web_search", query="harbour 1952")
    called(store, chat, "recall_notes", query="harbour")
    called(store, chat, "search_text", "src/a.py:12: harbour\nsrc/b.py:3: harbour", pattern="harbour")
    called(store, chat, "calculator", expression="1+1")
    assert sources(store, chat) == [
        (SourceKind.ATTACHMENT, "a.txt"),
        (SourceKind.CLIPBOARD, "Clipboard"),
        (SourceKind.FILE, "harbour.txt"),
        (SourceKind.PAGE, PAGE),
        (SourceKind.SEARCH, "harbour 1952"),
        (SourceKind.NOTE, "harbour"),
        (SourceKind.FILE, "a.py"),
        (SourceKind.FILE, "b.py"),
    ]


@pytest.mark.parametrize("ending", [each for each in CallStatus if each is not CallStatus.DONE])
def test_what_was_refused_or_failed_is_no_source(store: ChatStore, chat: int, ending: CallStatus) -> None:
    """Only what was read can have been used."""
    store.open_turn(chat, "When?")
    record = ToolRecord("1", "read_file", {"path": "secret.txt"}, ending)
    store.close_call(store.add_call(chat, record).id, record, "not allowed")
    assert sources(store, chat) == []


def test_an_answer_without_words_drew_on_nothing(store: ChatStore, chat: int) -> None:
    """There is nothing under an answer that failed before it began."""
    store.open_turn(chat, "When?", attachments=(AttachmentReader().text("a", AttachmentKind.FILE, "a.txt"),))
    answer = store.add(chat, Role.ASSISTANT, "In 1952.")
    before = store.messages(chat, before=answer.id)
    assert used_by(answer, before)
    assert used_by(replace(answer, text=""), before) == ()
