"""Conversations out to files and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.attachments import Attached, Attachment, AttachmentKind
from desktop.chat.chat_imports import read_chats
from desktop.chat.export_import import (
    ChatExchange,
    ChatsForm,
    ConversationForm,
    Imported,
    SessionFile,
    file_name,
    markdown,
    write_json,
    write_markdown,
)
from desktop.chat.messages import ToolRecord
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.store import AnswerEnding, ChatStore, MessageStatus, Role
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.tools.calls import Call, CallResult, CallStatus

DONE = AnswerEnding(MessageStatus.COMPLETE, "tiny", answer_tokens=3, tokens_per_s=10.0, total_s=0.5)


PARSER = Parser(lambda: available().best)


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    database = Database(paths.database, MIGRATIONS)
    yield database
    database.close()


@pytest.fixture
def store(database: Database) -> ChatStore:
    return ChatStore(database)


@pytest.fixture
def exchange(database: Database, store: ChatStore) -> ChatExchange:
    return ChatExchange(database, store, "1.0")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[ChatStore, ChatExchange]]:
    """Another, empty profile."""
    database = Database(tmp_path / "elsewhere.sqlite3", MIGRATIONS)
    store = ChatStore(database)
    yield store, ChatExchange(database, store, "1.0")
    database.close()


def rich(store: ChatStore) -> int:
    """A conversation with an attachment, a call, thinking, two versions of an answer, and a notice."""
    conversation = store.create()
    attachment = Attachment(
        Attached("notes.txt", AttachmentKind.FILE, "/home/a/notes.txt", "notes.txt", 12), "the text"
    )
    _, answer = store.open_turn(conversation.id, "Why?", attachments=[attachment])
    record = ToolRecord("1", "read_file", {"path": "notes.txt"}, CallStatus.DONE, changes=(7,))
    store.close_call(store.add_call(conversation.id, record).id, record, "what it read")
    store.grow(answer.id, "Because.", "hm")
    store.close_answer(answer.id, DONE)
    store.add(conversation.id, Role.NOTICE, "The model was changed")
    store.add(conversation.id, Role.USER, "Really?")
    store.set_pinned(conversation.id, True)
    return conversation.id


def facts(form: ChatsForm) -> list[dict[str, Any]]:
    """What two exports have in common: all but the ids, the paths and the changes."""
    conversations = form.model_dump(mode="json")["conversations"]
    for conversation in conversations:
        places = {message["id"]: place for place, message in enumerate(conversation["messages"])}
        conversation["open"] = places.get(conversation["open"])
        for message in conversation["messages"]:
            message["id"], message["parent"] = places[message["id"]], places.get(message["parent"])
            if message["tool"]:
                message["tool"]["changes"] = []
            for each in message["attachments"]:
                each["path"] = ""
    return conversations  # type: ignore[no-any-return]


def test_json_comes_back_as_it_was(
    store: ChatStore, exchange: ChatExchange, elsewhere: tuple[ChatStore, ChatExchange], tmp_path: Path
) -> None:
    """Texts, times, thinking, calls, attachments, versions, pins and the open branch survive."""
    rich(store)
    file = tmp_path / "chats.json"
    write_json(exchange.export(), file)
    other_store, other = elsewhere
    assert other.import_chats(read_chats(file, PARSER).chats) == Imported(1, 5, 0)
    assert facts(other.export()) == facts(exchange.export())
    (conversation,) = other_store.conversations()
    assert conversation.pinned
    assert [c.conversation_id for c in other_store.search("really").chats] == [conversation.id]


def test_every_version_is_exported(store: ChatStore, exchange: ChatExchange) -> None:
    """What is on another branch than the open one is in the file, with what it follows."""
    number = rich(store)
    answer = store.open_answer(number, instead_of=store.messages(number)[1].id)
    store.grow(answer.id, "Another answer.", "")
    store.close_answer(answer.id, DONE)
    form = exchange.export([number]).conversations[0]
    assert {message.text for message in form.messages} >= {"Why?", "Because.", "Really?", "Another answer."}
    ids = [message.id for message in form.messages]
    assert all(message.parent is None or message.parent in ids for message in form.messages)


def test_importing_twice_adds_nothing(store: ChatStore, exchange: ChatExchange) -> None:
    """What is here already is counted and left alone."""
    rich(store)
    form = exchange.export()
    assert exchange.import_chats(form) == Imported(0, 0, 1)
    assert len(store.conversations()) == 1


ODD_MOMENTS = [
    *("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2024-02-29T12:00:00"),
    *("9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59Z", "2999-01-01T00:00:00+05:45", 0, -1, 253402300799),
]


@pytest.mark.parametrize("began", ODD_MOMENTS)
@pytest.mark.parametrize("used", ODD_MOMENTS)
def test_moments_of_no_calendar_do_not_hide_the_list(
    store: ChatStore, database: Database, began: object, used: object
) -> None:
    """Any date of a file can be listed and exported, and none stands above what is written today."""
    now = 1_750_000_000.0
    exchange = ChatExchange(database, store, "1.0", lambda: now)
    message = {"id": 1, "role": "user", "text": "x", "created_at": began}
    chat = {"title": "x", "created_at": began, "updated_at": used, "messages": [message]}
    exchange.import_chats(ChatsForm.model_validate({"conversations": [chat]}))
    [listed] = store.conversations()
    assert listed.updated_at.timestamp() <= now
    # As the list shows it, wherever its reader lives.
    for zone in (timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))):
        assert listed.created_at.astimezone(zone)
        assert listed.updated_at.astimezone(zone)
    assert len(exchange.export().conversations) == 1


def test_changes_of_another_computer_cannot_be_undone_here(
    store: ChatStore, exchange: ChatExchange, elsewhere: tuple[ChatStore, ChatExchange]
) -> None:
    """The journal's numbers belong to the profile that made them, and paths to its disk."""
    rich(store)
    _, other = elsewhere
    other.import_chats(exchange.export())
    messages = other.export().conversations[0].messages
    assert all(not message.tool["changes"] for message in messages if message.tool)
    assert all(each.path == "" for message in messages for each in message.attachments)


def test_markdown_reads_like_the_conversation(
    store: ChatStore, exchange: ChatExchange, tmp_path: Path
) -> None:
    """Who said what, when, with which model; results of calls as code."""
    rich(store)
    (written,) = write_markdown(exchange.export(), tmp_path / "chat.md")
    text = written.read_text("utf-8")
    assert text.startswith("# Why?\n\n_Begun ")
    assert "_Attached: notes.txt_" in text
    assert "## Steward (tiny) · " in text
    assert "## Tool (read_file) · " in text
    assert "```\nwhat it read\n```" in text


def test_many_conversations_become_many_files(
    store: ChatStore, exchange: ChatExchange, tmp_path: Path
) -> None:
    """Each under its day and title, also where two are called the same."""
    for text in ("one", "one", "a/b: c?"):
        store.add(store.create(text).id, Role.USER, text)
    written = write_markdown(exchange.export(), tmp_path / "all")
    assert sorted(path.name.split(" ", 1)[1] for path in written) == ["a b c.md", "one 2.md", "one.md"]


CHATGPT = [
    {
        "title": "Rust",
        "create_time": 1700000000.5,
        "update_time": 1700000100.0,
        "current_node": "d",
        "mapping": {
            "root": {"id": "root", "message": None, "parent": None, "children": ["s"]},
            "s": {
                "id": "s",
                "parent": "root",
                "children": ["a"],
                "message": {
                    "author": {"role": "system"},
                    "content": {"content_type": "text", "parts": [""]},
                    "metadata": {"is_visually_hidden_from_conversation": True},
                },
            },
            "a": {
                "id": "a",
                "parent": "s",
                "children": ["b", "c"],
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1700000001.0,
                    "content": {
                        "content_type": "multimodal_text",
                        "parts": [{"asset_pointer": "x"}, "What is Rust?"],
                    },
                },
            },
            "b": {
                "id": "b",
                "parent": "a",
                "children": [],
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["An oxide."]},
                },
            },
            "c": {
                "id": "c",
                "parent": "a",
                "children": ["t"],
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "code", "text": "search('rust')"},
                },
            },
            "t": {
                "id": "t",
                "parent": "c",
                "children": ["d"],
                "message": {
                    "author": {"role": "tool"},
                    "content": {"content_type": "text", "parts": ["result"]},
                },
            },
            "d": {
                "id": "d",
                "parent": "t",
                "children": [],
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": 1700000003.0,
                    "content": {"content_type": "text", "parts": ["A language."]},
                    "metadata": {"model_slug": "gpt-4"},
                },
            },
        },
    }
]


def test_chatgpt_comes_in_with_its_versions(store: ChatStore, exchange: ChatExchange, tmp_path: Path) -> None:
    """Words of both sides, the open branch in sight, the other answer as a version; no calls."""
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(CHATGPT), "utf-8")
    assert exchange.import_chats(read_chats(file, PARSER).chats) == Imported(1, 3, 0)
    (conversation,) = store.conversations()
    assert (conversation.title, conversation.created_at.timestamp()) == ("Rust", 1700000000.5)
    messages = store.messages(conversation.id)
    assert [m.text for m in messages] == ["What is Rust?", "A language."]
    assert (messages[1].version, messages[1].versions, messages[1].model) == (2, 2, "gpt-4")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "chats-unknown"),
        (b"hello", "chats-unknown"),
        (b"{}", "chats-unknown"),
        (b"[1]", "chats-unknown"),
        (b'[{"mapping": 3}]', "chats-unknown"),
        (b'{"format": "steward-chats", "version": 9}', "chats-newer"),
        (b'{"format": "steward-chats", "version": 1, "conversations": [{"title": 1}]}', "chats-unknown"),
        (b'{"format": "steward-chats", "version": "x"}', "chats-unknown"),
    ],
)
def test_other_files_are_refused_in_words(tmp_path: Path, content: bytes, code: str) -> None:
    """Nothing is half imported, and the message says why."""
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(UserFacing) as raised:
        read_chats(file, PARSER)
    assert raised.value.code == code


def test_a_file_that_cannot_be_written_is_refused_in_words(exchange: ChatExchange, tmp_path: Path) -> None:
    """A folder in its place, for instance."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserFacing) as raised:
        write_json(exchange.export(), tmp_path / "folder")
    assert raised.value.code == "export-refused"


@given(st.text(max_size=80))
def test_any_title_is_a_name_of_a_file(title: str) -> None:
    """No separator, no dot at the edge, never empty."""
    moment = "2026-11-22T10:00:00Z"
    form = ConversationForm.model_validate({"title": title, "created_at": moment, "updated_at": moment})
    name = file_name(form)
    assert name.startswith("2026-11-22 ")
    assert not set(name) & set('/\\:*?"<>|\n.\0')
    assert markdown(form)


def test_a_session_comes_back_as_it_was(store: ChatStore, tmp_path: Path) -> None:
    """What was saved is loaded with roles, texts and endings; umlauts stay readable in the file."""
    file = SessionFile(tmp_path / "s.json")
    first = store.create().id
    store.add(first, Role.USER, "Grüße?")
    store.add(first, Role.ASSISTANT, "Gern.", MessageStatus.STOPPED, "tiny")
    file.save(store.messages(first))
    second = store.create().id
    assert file.load_into(store, second) == 2
    assert [(m.role, m.text, m.status, m.model) for m in store.messages(second)] == [
        (Role.USER, "Grüße?", MessageStatus.COMPLETE, ""),
        (Role.ASSISTANT, "Gern.", MessageStatus.STOPPED, "tiny"),
    ]
    assert "Grüße" in (tmp_path / "s.json").read_text(encoding="utf-8")


def test_a_session_keeps_its_calls(store: ChatStore, tmp_path: Path) -> None:
    """With names, arguments and results, so that the next run can go on from them."""
    file = SessionFile(tmp_path / "s.json")
    first, second = store.create().id, store.create().id
    call = Call("c", "move_file", {"source": "a.txt", "destination": "b.txt"})
    record = ToolRecord.of(call).closed_by(CallResult(call, CallStatus.DONE, "Moved", changes=(7,)))
    store.close_call(store.add_call(first, ToolRecord.of(call)).id, record, "Moved a.txt to b.txt.")
    file.save(store.messages(first))
    assert file.load_into(store, second) == 1
    (card,) = store.messages(second)
    assert card.tool is not None
    assert (card.tool.name, card.tool.arguments, card.tool.changes) == (call.name, call.arguments, (7,))
    assert card.text == "Moved a.txt to b.txt."


def test_a_missing_file_is_an_empty_session(store: ChatStore, tmp_path: Path) -> None:
    """The first use of a name starts a new session and makes no file yet."""
    assert SessionFile(tmp_path / "new.json").load_into(store, store.create().id) == 0
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"version": 1, "messages": [{"role": "king", "text": ""}]}',
        b'{"version": 1, "messages": [{"role": "tool", "text": "", "tool": {"odd": 1}}]}',
    ],
    ids=["empty", "cut", "a list", "not text", "unknown role", "no call"],
)
def test_a_foreign_file_is_refused_and_left_alone(store: ChatStore, tmp_path: Path, content: bytes) -> None:
    """A file that is no session is named and keeps its bytes."""
    path = tmp_path / "s.json"
    path.write_bytes(content)
    with pytest.raises(UserFacing) as refusal:
        SessionFile(path).load_into(store, store.create().id)
    assert refusal.value.code == "session-damaged"
    assert path.read_bytes() == content


def test_a_failed_save_keeps_the_old_file(store: ChatStore, tmp_path: Path) -> None:
    """Where nothing can be written the message says so and the file is as it was."""
    folder = tmp_path / "s.json"
    folder.mkdir()  # a folder stands where the file should be
    conversation_id = store.create().id
    store.add(conversation_id, Role.USER, "a")
    with pytest.raises(UserFacing) as refusal:
        SessionFile(folder).save(store.messages(conversation_id))
    assert refusal.value.code == "session-not-saved"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".json"] == ["s.json"]


def test_the_file_is_plain_json(store: ChatStore, tmp_path: Path) -> None:
    """Other programs can read it: a version and a list of messages."""
    conversation_id = store.create().id
    store.add(conversation_id, Role.USER, "a")
    SessionFile(tmp_path / "s.json").save(store.messages(conversation_id))
    stored = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert stored["version"] == 1
    assert [message["text"] for message in stored["messages"]] == ["a"]
