"""Deleted messages leave no trace in the database's files once they cannot be brought back."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from desktop.chat.attachments import Attached, Attachment, Kind
from desktop.chat.forgetting import Forgetting
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.search_index import INDEXES
from desktop.chat.store import ChatStore, Closing, MessageStatus, Role
from desktop.database import Database
from desktop.paths import Paths

SECRET = "ѯѱѳquokkafax"
TRACES = (b"quokkafax", "ѱѳ".encode())  # of the word, and of a piece of it


@pytest.fixture
def database(paths: Paths) -> Iterator[Database]:
    database = Database(paths.database, MIGRATIONS)
    yield database
    database.close()


def traces(paths: Paths) -> list[bytes]:
    """Which of them are in any file of the database, the write-ahead log included."""
    files = paths.database.parent.glob(f"{paths.database.name}*")
    content = b"".join(file.read_bytes() for file in files if ".before" not in file.name)
    return [trace for trace in TRACES if trace in content]


def fill(store: ChatStore, count: int) -> int:
    """A chat among whose messages one holds the secret; returns its id."""
    rng, chat, secret = random.Random(7), store.create("Talk").id, 0
    for number in range(count):
        words = " ".join("".join(rng.choices("abcdefghij", k=6)) for _ in range(12))
        text = f"{words} {SECRET}" if number == count // 2 else words
        message = store.add(chat, Role.USER, text)
        secret = message.id if number == count // 2 else secret
    return secret


@pytest.mark.parametrize("whole_chat", [False, True])
def test_a_deleted_message_is_gone_from_the_raw_files(
    paths: Paths, database: Database, whole_chat: bool
) -> None:
    """Hidden at first, so that it can be taken back; at the second quiet moment it is nowhere any more."""
    store = ChatStore(database)
    secret = fill(store, 40)
    other = store.create("Other").id
    store.add(other, Role.USER, "stays to be found")
    store.delete(store.message(secret).conversation_id) if whole_chat else store.hide(secret)
    forgetting = Forgetting(database)
    assert forgetting.tidy()
    assert traces(paths) == list(TRACES)
    assert forgetting.tidy()
    assert traces(paths) == []
    assert store.search("stays").chats
    for index in INDEXES:
        sql = f"INSERT INTO {index} ({index}) VALUES ('integrity-check')"
        database.write(lambda connection, sql=sql: connection.execute(sql))  # type: ignore[misc]


def test_what_went_along_is_gone_with_its_message(paths: Paths, database: Database) -> None:
    """Its words too, also where the message itself had none."""
    store = ChatStore(database)
    along = Attachment(Attached("a.txt", Kind.FILE), f"before {SECRET} after")
    asked, answer = store.open_turn(store.create().id, "", attachments=[along])
    store.close_answer(answer.id, Closing(MessageStatus.COMPLETE))
    store.hide(asked.id)
    forgetting = Forgetting(database)
    forgetting.tidy()
    assert traces(paths)
    assert forgetting.tidy()
    assert traces(paths) == []


def test_what_was_deleted_before_the_start_goes_at_the_first_quiet_moment(
    paths: Paths, database: Database
) -> None:
    """The start deletes the rows; the indexes and the log follow, and then there is nothing left to do."""
    store = ChatStore(database)
    store.hide(fill(store, 20))
    again = ChatStore(database)
    assert again.search("quokkafax").chats == ()
    assert traces(paths)
    assert Forgetting(database).tidy()
    assert traces(paths) == []
    writes = database.read(lambda c: c.execute("PRAGMA data_version").fetchone()[0])
    assert Forgetting(database).finish()
    assert database.read(lambda c: c.execute("PRAGMA data_version").fetchone()[0]) == writes


def test_while_somebody_is_answered_it_waits(paths: Paths, database: Database) -> None:
    """It is put off, not forgotten: also by the next start."""
    store = ChatStore(database)
    store.hide(fill(store, 300))
    ChatStore(database)
    assert not Forgetting(database, lambda: True).finish()
    assert Forgetting(database).finish()
    assert traces(paths) == []


def test_what_was_taken_back_meanwhile_stays(database: Database) -> None:
    """Between two quiet moments somebody pressed Undo."""
    store = ChatStore(database)
    secret = fill(store, 10)
    forgetting = Forgetting(database)
    store.hide(secret)
    forgetting.tidy()
    assert store.unhide(secret)
    forgetting.tidy()
    assert SECRET in store.message(secret).text


def test_steps_let_others_write(database: Database) -> None:
    """The merge is done in many transactions, not in one."""
    store = ChatStore(database)
    store.hide(fill(store, 400))
    ChatStore(database)
    between: list[int] = []

    def write_meanwhile() -> bool:
        between.append(store.create("Meanwhile").id)
        return False

    assert Forgetting(database, write_meanwhile).finish()
    assert len(between) >= 2
