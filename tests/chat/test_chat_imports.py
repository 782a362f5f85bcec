"""Files of conversations from elsewhere, with everything in them that programs and people put there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.chat.chat_imports import read_chats, read_file
from desktop.chat.export_import import ChatExchange, ChatsForm
from desktop.chat.store import ChatStore
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser

PARSER = Parser(lambda: available().best)
WHEN = "2026-01-02T03:04:05Z"
GOOD: dict[str, Any] = {
    "title": "Kept",
    "created_at": WHEN,
    "updated_at": WHEN,
    "messages": [{"id": 1, "role": "user", "text": "Hello", "created_at": WHEN}],
}
NODE = {"message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hi"]}}}
CHATGPT: dict[str, Any] = {"title": "Kept", "create_time": 1.7e9, "mapping": {"a": NODE}, "current_node": "a"}


def own(*conversations: Any) -> str:
    head = '{"format": "steward-chats", "version": 1, "program": "1", "conversations": ['
    return (
        head + ", ".join(each if isinstance(each, str) else json.dumps(each) for each in conversations) + "]}"
    )


def theirs(*conversations: Any) -> str:
    return (
        "[" + ", ".join(each if isinstance(each, str) else json.dumps(each) for each in conversations) + "]"
    )


def message(**other: Any) -> dict[str, Any]:
    return {**GOOD, "title": "Odd", "messages": [{**GOOD["messages"][0], **other}]}


def told(text: str, folder: Path) -> dict[str, Any]:
    file = folder / "chats.json"
    file.write_text(text, encoding="utf-8", errors="surrogatepass")
    return read_file(file)


@pytest.fixture
def exchange(database: Database, store: ChatStore) -> ChatExchange:
    return ChatExchange(database, store, "1.0")


DEEP = "[" * 100_000 + "]" * 100_000
# An odd conversation of ours, and what the sentence about it says.
REFUSED = [
    ('{"title": "Odd", "deep": ' + DEEP + "}", "Conversation 1 is not as it should be"),
    ('{"title": "Odd", "created_at": ' + "1" * 5000 + "}", "Conversation 1 is not as it should be"),
    ("{'title': 'Odd'}", "Conversation 1 is not as it should be"),
    ({"title": "Odd"}, "Conversation 1, “Odd”, is not as it should be: created_at: field required"),
    (3, "Conversation 1 is not as it should be: it is no object"),
    (message(id=2**70), "messages.0.id"),
    (message(answer_tokens=10**30), "messages.0.answer_tokens"),
    (message(total_s=-1), "messages.0.total_s"),
    (message(role="wizard"), "messages.0.role"),
    (message(created_at="tomorrow"), "messages.0.created_at"),
    (message(role="tool", tool={"nothing": 1}), "lacks its “name”"),
    (message(role="tool", tool={"call_id": "1", "name": "x", "ending": "odd"}), "is not as it should be"),
]


@pytest.mark.parametrize(("odd", "says"), REFUSED, ids=range(len(REFUSED)))
def test_one_odd_conversation_costs_the_others_nothing(odd: Any, says: str, tmp_path: Path) -> None:
    """It is named with its reason, and the one after it comes in."""
    found = told(own(odd, GOOD), tmp_path)
    assert [each["title"] for each in found["chats"]["conversations"]] == ["Kept"]
    (refused,) = found["refused"]
    assert refused.startswith("Conversation 1")
    assert says in refused


# A conversation of ChatGPT with something odd in it that is no reason to leave it out.
HARMLESS = [
    {"create_time": 1e300},
    {"create_time": -1},
    {"create_time": True},
    {"create_time": "yesterday"},
    {"title": None},
    {"title": 17},
    {"current_node": "gone"},
    {"mapping": {"a": {**NODE, "parent": "a", "children": ["a"]}, "b": NODE}},
    {"mapping": {"a": {**NODE, "message": {**NODE["message"], "create_time": 1e300}}}},
    {"mapping": {"a": NODE, "b": {"message": {"content": {"content_type": "text", "parts": 5}}}}},
]


@pytest.mark.parametrize("odd", HARMLESS, ids=range(len(HARMLESS)))
def test_what_does_not_matter_is_no_reason_to_refuse(odd: dict[str, Any], tmp_path: Path) -> None:
    """Odd times and titles become unknown ones."""
    found = told(theirs({**CHATGPT, **odd}, CHATGPT), tmp_path)
    assert (len(found["chats"]["conversations"]), found["refused"]) == (2, [])


@pytest.mark.parametrize(
    "odd", [{"mapping": 3}, {"mapping": {"a": 1}}, {"mapping": {"a": {"message": 5}}}, {}]
)
def test_a_conversation_without_its_nodes_is_named(odd: dict[str, Any], tmp_path: Path) -> None:
    """The others come in."""
    found = told(theirs({"title": "Odd", **odd}, CHATGPT), tmp_path)
    assert len(found["chats"]["conversations"]) == 1
    assert found["refused"][0].startswith("Conversation 1, “Odd”,")


def test_a_number_that_is_none_is_unknown(tmp_path: Path) -> None:
    """NaN is no JSON, but programs write it."""
    text = theirs(CHATGPT).replace("1700000000.0", "NaN")
    assert "NaN" in text
    assert len(told(text, tmp_path)["chats"]["conversations"]) == 1


def test_half_a_character_is_stored(exchange: ChatExchange, tmp_path: Path) -> None:
    """A lone surrogate comes from cut texts; it becomes the mark for an unknown character."""
    file = tmp_path / "chats.json"
    file.write_text(own(message(text="a\ud800b", model="\udfff")), encoding="utf-8")
    assert exchange.import_chats(read_chats(file, PARSER).chats).messages == 1


def test_a_file_that_was_cut_gives_what_is_whole(tmp_path: Path) -> None:
    """An interrupted download still holds the conversations before the cut, and the one in it is named."""
    text = own(GOOD, GOOD, GOOD)
    found = told(text[:-60], tmp_path)
    assert len(found["chats"]["conversations"]) == 2
    assert [each.partition(" is ")[0] for each in found["refused"]] == ["Conversation 3"]


@pytest.mark.parametrize("text", ['[{"title":"' + "\\" * 1_000_001, "[{" * 100_000, '[{"title": "a", '])
def test_a_file_that_begins_and_does_not_end_is_refused(text: str, tmp_path: Path) -> None:
    """It is not told as a file in which nothing is."""
    file = tmp_path / "chats.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserFacing, match="Conversation 1 is not as it should be"):
        read_chats(file, PARSER)


# Messages that no way down from the first ones leads to: who is above whom is said on both sides.
UNREACHED = {
    "a circle": {"a": {"parent": "b", "children": ["b"]}, "b": {"parent": "a", "children": ["a"]}},
    "a circle beside a root": {
        "a": {"parent": None, "children": []},
        "b": {"parent": "b", "children": ["b"]},
    },
    "a child that its parent does not name": {"b": {"parent": "a"}, "a": {"parent": None}},
}


@pytest.mark.parametrize("kind", UNREACHED)
def test_every_message_comes_in_however_they_hang_together(kind: str, tmp_path: Path) -> None:
    """What a file says of their order may be wrong; the words are there."""
    mapping = {name: {"message": NODE["message"], **node} for name, node in UNREACHED[kind].items()}
    found = told(theirs({**CHATGPT, "mapping": mapping}), tmp_path)
    assert (len(found["chats"]["conversations"][0]["messages"]), found["refused"]) == (2, [])


def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    """The first reason is told."""
    file = tmp_path / "chats.json"
    file.write_text(theirs({"title": "Odd"}), encoding="utf-8")
    with pytest.raises(UserFacing, match="Conversation 1, “Odd”, lacks its “mapping”"):
        read_chats(file, PARSER)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=st.sampled_from(sorted({*GOOD, *GOOD["messages"][0], *CHATGPT})), value=JSON)
def test_any_value_anywhere_is_read_or_named(
    place: str, value: Any, exchange: ChatExchange, tmp_path: Path
) -> None:
    """Nothing in a file ends the reading, and what was read can be stored."""
    ours = {**GOOD, "messages": [{**GOOD["messages"][0], place: value}]}
    ours |= {place: value} if place in GOOD else {}
    for text in (own(ours, GOOD), theirs({**CHATGPT, place: value}, CHATGPT)):
        found = told(text, tmp_path)
        assert len(found["chats"]["conversations"]) + len(found["refused"]) == 2
        exchange.import_chats(ChatsForm.model_validate(json.loads(json.dumps(found["chats"]))))
