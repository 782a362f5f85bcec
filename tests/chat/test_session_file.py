"""A conversation in a JSON file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop.chat.session_file import SessionFile
from desktop.chat.store import ChatStore, MessageStatus, Role
from desktop.errors import UserFacing


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


def test_a_missing_file_is_an_empty_session(store: ChatStore, tmp_path: Path) -> None:
    """The first use of a name starts a new session and makes no file yet."""
    assert SessionFile(tmp_path / "new.json").load_into(store, store.create().id) == 0
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"version": 1, "messages": [{"role": "king", "text": ""}]}'],
    ids=["empty", "cut", "a list", "not text", "unknown role"],
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
