"""What "it", "there" and "undo that" mean, read off the messages of a real conversation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.messages import Role, ToolRecord
from desktop.chat.references import past_of
from desktop.chat.store import ChatStore
from desktop.tools.calls import Call, CallResult, CallStatus

Talk = Callable[..., None]


@pytest.fixture
def chat(store: ChatStore) -> int:
    return store.create().id


def called(
    store: ChatStore, chat: int, name: str, told: str, /, changes: tuple[int, ...] = (), **given: Any
) -> None:
    """A call that was made and has ended well."""
    call = Call("c", name, given)
    card = store.add_call(chat, ToolRecord.of(call))
    ended = CallResult(call, CallStatus.DONE, told, given, changes=changes)
    store.close_call(card.id, ToolRecord.of(call).closed_by(ended), told)


def test_the_latest_file_and_folder_are_meant(store: ChatStore, chat: int) -> None:
    """A file by its place after it was moved, a folder by the last that was made."""
    store.add(chat, Role.USER, "make a folder")
    called(store, chat, "make_directory", "Made the folder trips.", path="trips")
    called(store, chat, "move_file", "Moved a.txt to trips/a.txt.", source="a.txt", destination="trips")
    past = past_of(store.messages(chat))
    assert (past.file, past.folder) == ("trips/a.txt", "trips")


def test_a_file_named_in_words_is_meant(store: ChatStore, chat: int) -> None:
    """Also where nothing was called for it."""
    store.add(chat, Role.USER, "My list is list.txt")
    assert past_of(store.messages(chat)).file == "list.txt"


def test_several_files_of_one_turn_belong_together(store: ChatStore, chat: int) -> None:
    """Three that were moved, or that a search has found, are "these three"."""
    store.add(chat, Role.USER, "rename")
    for old, new in (("1", "x.txt"), ("2", "y.txt")):
        called(store, chat, "move_file", f"Moved {old} to {new}.", source=old, destination=new)
    assert past_of(store.messages(chat)).files == ("x.txt", "y.txt")
    store.add(chat, Role.USER, "find")
    called(store, chat, "find_files", "p/a.jpg (2 bytes)\nb.jpg (3 bytes)", pattern="*.jpg")
    assert past_of(store.messages(chat)).files == ("p/a.jpg", "b.jpg")


def test_the_acts_that_can_be_taken_back_are_known(store: ChatStore, chat: int) -> None:
    """Those of the last request that changed something, and of the one before it."""
    for number, line in enumerate(("one", "two")):
        store.add(chat, Role.USER, f"add {line}")
        called(store, chat, "append_text", "Added.", changes=(number + 1,), path="a.txt", text=line)
    store.add(chat, Role.USER, "show a.txt")
    called(store, chat, "read_file", "one", path="a.txt")
    past = past_of(store.messages(chat))
    assert [each.arguments["text"] for each in (*past.undo_acts, *past.acts_before)] == ["two", "one"]
    assert [each.arguments["change"] for each in (*past.undo, *past.undo_before)] == [2, 1]


def test_the_last_change_is_undone_once(store: ChatStore, chat: int) -> None:
    """All calls of the turn, newest first; what was undone is passed over, and an older turn comes next."""
    store.add(chat, Role.USER, "one")
    called(store, chat, "write_file", "Wrote", changes=(1,), path="a.txt")
    store.add(chat, Role.USER, "two")
    called(store, chat, "make_directory", "Made", changes=(2,), path="b")
    called(store, chat, "move_file", "Moved a to b.", changes=(3, 4), source="a", destination="b")
    undo = past_of(store.messages(chat)).undo
    assert undo == (ParsedCall("undo_change", {"change": 4}), ParsedCall("undo_change", {"change": 2}))
    store.add(chat, Role.USER, "undo")
    for each in undo:
        called(store, chat, "undo_change", "Undone", change=each.arguments["change"])
    assert past_of(store.messages(chat)).undo == (ParsedCall("undo_change", {"change": 1}),)


def test_a_reminder_is_taken_back_and_set_again(store: ChatStore, chat: int) -> None:
    """One that was set is cancelled, one that was cancelled is set for the same time."""
    store.add(chat, Role.USER, "remind me")
    called(
        store,
        chat,
        "set_reminder",
        "Reminder 7 is set for Friday 20 November 2026, 17:00: tea",
        text="tea",
        when="17",
    )
    past = past_of(store.messages(chat))
    assert past.reminder == 7
    assert past.undo == (ParsedCall("cancel_reminder", {"reminder": "7"}),)
    store.add(chat, Role.USER, "cancel it")
    told = "Cancelled reminder 7 (Friday 20 November 2026, 17:00 (in 7 hours)): tea"
    called(store, chat, "cancel_reminder", told, reminder="7")
    again = ParsedCall("set_reminder", {"text": "tea", "when": "20 November 2026 17:00"})
    assert past_of(store.messages(chat)).undo == (again,)


@pytest.mark.parametrize(
    ("answer", "value"),
    [("17 * 23 = 391", "391"), ("5 km in m = 5000 m", "5000 m"), ("42", "42"), ("It is late.", "")],
)
def test_the_last_result_is_kept(store: ChatStore, chat: int, answer: str, value: str) -> None:
    """A sum that goes on needs the number, with its unit."""
    store.add(chat, Role.USER, "sum")
    store.add(chat, Role.ASSISTANT, answer)
    assert past_of(store.messages(chat)).value == value


def test_what_was_done_lately_is_known(store: ChatStore, chat: int) -> None:
    """A sentence that came to nothing lies between; four of them end it."""
    store.add(chat, Role.USER, "show team.txt")
    called(store, chat, "read_file", "Karim", path="team.txt")
    shown = ParsedCall("read_file", {"path": "team.txt"})
    past = past_of(store.messages(chat))
    assert (past.calls, past.lately) == ((shown,), ())
    for said in ("hm?", "what now"):
        store.add(chat, Role.USER, said)
        past = past_of(store.messages(chat))
        assert (past.calls, past.lately) == ((), (shown,)), said
    store.add(chat, Role.USER, "and then")
    assert past_of(store.messages(chat)).lately == ()
