"""Old conversations are deleted where the user has asked for it, and never unsaid."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from desktop.chat import retention as retention_module
from desktop.chat.attachments import Attached, Attachment, AttachmentKind
from desktop.chat.export_import import ChatExchange, ChatsForm
from desktop.chat.migrations import MIGRATIONS, SEARCH_INDEXES
from desktop.chat.retention import (
    BUSY_S,
    DAY_S,
    PORTION_S,
    SHARE,
    DeletedTextPurge,
    Retention,
    RetentionOutcome,
    Warned,
)
from desktop.chat.store import AnswerEnding, ChatStore, MessageStatus, Role
from desktop.database import Database
from desktop.paths import Paths


@dataclass
class World:
    """A store whose time can be set, and the settings that retention reads."""

    database: Database
    now: float = 1_000_000.0 * DAY_S / 86_400
    days: int = 0
    warned: str = ""
    store: ChatStore = field(init=False)
    retention: Retention = field(init=False)

    def __post_init__(self) -> None:
        self.store = ChatStore(self.database, clock=lambda: self.now)

        def remember(text: str) -> None:
            self.warned = text

        self.retention = Retention(
            self.database, self.store, lambda: self.days, lambda: self.warned, remember, lambda: self.now
        )

    def say(self, title: str) -> int:
        number = self.store.create(title).id
        self.store.add(number, Role.USER, title)
        return number

    @property
    def titles(self) -> list[str]:
        return [each.title for each in self.store.conversations()]


@pytest.fixture
def world(paths: Paths) -> Iterator[World]:
    database = Database(paths.database, MIGRATIONS)
    yield World(database)
    database.close()


def test_everything_is_kept_unless_asked(world: World) -> None:
    """The default keeps for ever."""
    world.say("old")
    world.now += 10_000 * DAY_S
    assert world.retention.apply() == RetentionOutcome()
    assert world.titles == ["old"]


def test_it_is_said_a_day_before_anything_is_deleted(world: World) -> None:
    """First words, then deeds; what is pinned, open or young stays; the words are gone from the index too."""
    world.say("old")
    pinned, opened = world.say("pinned"), world.say("opened")
    world.store.set_pinned(pinned, True)
    world.days, keep = 30, frozenset({opened})
    world.now += 31 * DAY_S
    world.say("young")
    assert world.retention.apply(keep) == RetentionOutcome(due=1)
    assert world.retention.apply(keep) == RetentionOutcome()  # said already, the day is not over
    world.now += 1.1 * DAY_S
    assert world.retention.apply(keep) == RetentionOutcome(deleted=1)
    assert set(world.titles) == {"pinned", "opened", "young"}
    assert world.store.search("old").chats == ()
    DeletedTextPurge(world.database).finish()
    assert b"old" not in _words(world.database)


def _words(database: Database) -> bytes:
    rows = database.read(lambda c: c.execute("SELECT block FROM messages_terms_data").fetchall())
    return b"".join(row["block"] for row in rows)


@pytest.mark.parametrize("warned_before", [False, True])
def test_an_imported_history_is_as_young_as_its_import(world: World, warned_before: bool) -> None:
    """Years old by its own dates, in a new profile or one that deletes already: it is here since today."""
    world.days = 30
    if warned_before:
        world.say("old")
        world.now += 31 * DAY_S
        assert world.retention.apply() == RetentionOutcome(due=1)
        world.now += 2 * DAY_S
        assert world.retention.apply() == RetentionOutcome(deleted=1)
    exchange = ChatExchange(world.database, world.store, "1.0", lambda: world.now)
    message = {"id": 1, "role": "user", "text": "x", "created_at": 0}
    chat = {"title": "history", "created_at": 0, "updated_at": 86_400, "messages": [message]}
    exchange.import_chats(ChatsForm.model_validate({"conversations": [chat]}))
    for _ in range(29):
        world.now += DAY_S
        assert world.retention.apply() == RetentionOutcome()
    assert world.titles == ["history"]
    world.now += 2 * DAY_S
    assert [each.title for each in world.retention.due()] == ["history"]


def test_fewer_days_are_said_again(world: World) -> None:
    """What was said of a year does not stand for a week; more days need no new words."""
    world.say("old")
    world.days, world.warned = 365, Warned(365, world.now).kept()
    world.now += 400 * DAY_S
    world.days = 7
    assert world.retention.apply() == RetentionOutcome(due=1)
    assert Warned.read(world.warned).days == 7
    world.now += 2 * DAY_S
    world.days = 30
    assert world.retention.apply() == RetentionOutcome(deleted=1)


@pytest.mark.parametrize("text", ["", "x", "[]", "[1]", "null", '["a", "b"]'])
def test_what_cannot_be_read_was_not_said(text: str) -> None:
    """A setting that somebody changed by hand."""
    assert Warned.read(text) == Warned()


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


def fill(store: ChatStore, count: int, words_each: int = 12) -> int:
    """A chat among whose messages one holds the secret; returns its id."""
    rng, chat, secret = random.Random(7), store.create("Talk").id, 0
    for number in range(count):
        words = " ".join("".join(rng.choices("abcdefghij", k=6)) for _ in range(words_each))
        text = f"{words} {SECRET}" if number == count // 2 else words
        message = store.add(chat, Role.USER, text)
        secret = message.id if number == count // 2 else secret
    return secret


def tidy(purge: DeletedTextPurge) -> None:
    """A quiet moment, with all the time that it takes."""
    purge.delete_hidden()
    while purge.advance() is not None:
        pass


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
    purge = DeletedTextPurge(database)
    tidy(purge)
    assert traces(paths) == list(TRACES)
    tidy(purge)
    assert traces(paths) == []
    assert store.search("stays").chats
    for index in SEARCH_INDEXES:
        sql = f"INSERT INTO {index} ({index}) VALUES ('integrity-check')"
        database.write(lambda connection, sql=sql: connection.execute(sql))  # type: ignore[misc]


def test_what_went_along_is_gone_with_its_message(paths: Paths, database: Database) -> None:
    """Its words too, also where the message itself had none."""
    store = ChatStore(database)
    along = Attachment(Attached("a.txt", AttachmentKind.FILE), f"before {SECRET} after")
    asked, answer = store.open_turn(store.create().id, "", attachments=[along])
    store.close_answer(answer.id, AnswerEnding(MessageStatus.COMPLETE))
    store.hide(asked.id)
    purge = DeletedTextPurge(database)
    tidy(purge)
    assert traces(paths)
    tidy(purge)
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
    tidy(DeletedTextPurge(database))
    assert traces(paths) == []
    writes = database.read(lambda c: c.execute("PRAGMA data_version").fetchone()[0])
    assert DeletedTextPurge(database).advance() is None
    DeletedTextPurge(database).finish()
    assert database.read(lambda c: c.execute("PRAGMA data_version").fetchone()[0]) == writes


def test_while_somebody_is_answered_it_waits(paths: Paths, database: Database) -> None:
    """It is put off, not forgotten: also by the next start."""
    store = ChatStore(database)
    store.hide(fill(store, 300))
    ChatStore(database)
    assert DeletedTextPurge(database, lambda: True).advance() == BUSY_S
    assert traces(paths)
    tidy(DeletedTextPurge(database))
    assert traces(paths) == []


def test_what_was_taken_back_meanwhile_stays(database: Database) -> None:
    """Between two quiet moments somebody pressed Undo."""
    store = ChatStore(database)
    secret = fill(store, 10)
    purge = DeletedTextPurge(database)
    store.hide(secret)
    tidy(purge)
    assert store.unhide(secret)
    tidy(purge)
    assert SECRET in store.message(secret).text


STEP_S = 0.006  # of the processor, as each step of these tests is said to take


class Processor:
    """A time of the processor that goes on with each look at it but the first, as steps take it."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return STEP_S * (self.looks // 2)

    @property
    def steps(self) -> int:
        return self.looks // 2


def test_a_long_history_is_merged_in_portions(
    paths: Paths, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much there is to do, a call does as little, and its rest is as long as its share asks for."""
    monkeypatch.setattr(retention_module, "PAGES", 1)
    store, processor = ChatStore(database), Processor()
    store.hide(fill(store, 60, words_each=1_000))
    ChatStore(database)
    purge = DeletedTextPurge(database, processor_s=processor)
    calls, steps = 0, 0
    while (rest_s := purge.advance()) is not None:
        calls, taken, steps = calls + 1, processor.steps - steps, processor.steps
        assert taken * STEP_S < PORTION_S + STEP_S
        assert taken * STEP_S <= (rest_s + taken * STEP_S) * SHARE * 1.01
        assert calls < 1_000
    assert calls >= 5
    assert traces(paths) == []


def test_what_comes_in_while_it_is_merged_ends_nothing_early(
    paths: Paths, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an earlier merge there are few segments: three new messages are as many, and change nothing."""
    monkeypatch.setattr(retention_module, "PAGES", 1)
    store = ChatStore(database)
    secret = fill(store, 60, words_each=500)
    DeletedTextPurge(database).finish()
    store.hide(secret)
    ChatStore(database)
    chat, came = store.create("Meanwhile").id, iter(range(3))

    def write_meanwhile() -> bool:
        if database.read(lambda c: c.execute("SELECT 1 FROM merged_segments").fetchone()):
            for number in came:
                store.add(chat, Role.USER, f"new {number}")
        return False

    tidy(DeletedTextPurge(database, write_meanwhile))
    assert next(came, None) is None
    assert traces(paths) == []


def test_what_is_deleted_while_it_is_merged_goes_too(paths: Paths, database: Database) -> None:
    """The merge under way has the segments of before; another one follows."""
    store = ChatStore(database)
    fill(store, 40)
    other = store.create("Other").id
    deleted = store.add(other, Role.USER, "an Abschiedsgruß").id
    store.add(other, Role.USER, "stays")

    def delete_meanwhile() -> bool:
        if database.read(lambda c: c.execute("SELECT 1 FROM merged_segments").fetchone()):
            store.remove(deleted)
        return False

    tidy(DeletedTextPurge(database, delete_meanwhile))
    assert b"abschiedsgru" not in _words(database)


def test_a_killed_merge_goes_on_after_the_next_start(
    paths: Paths, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From where it was: what had been merged is not read again, also where messages came in between."""
    monkeypatch.setattr(retention_module, "PAGES", 1)
    monkeypatch.setattr(retention_module, "PORTION_S", STEP_S)  # one step in each call
    store = ChatStore(database)
    store.hide(fill(store, 60, words_each=500))
    ChatStore(database)
    calls, chat = 0, store.create("Next day").id
    while DeletedTextPurge(database, processor_s=Processor()).advance() is not None:
        calls += 1
        store.add(chat, Role.USER, f"good morning {calls}")
        assert calls < 500
    assert calls > 10
    assert traces(paths) == []
    assert store.search("morning").chats


def test_steps_let_others_write(database: Database) -> None:
    """The merge is done in many transactions, not in one."""
    store = ChatStore(database)
    store.hide(fill(store, 400))
    ChatStore(database)
    between: list[int] = []

    def write_meanwhile() -> bool:
        between.append(store.create("Meanwhile").id)
        return False

    tidy(DeletedTextPurge(database, write_meanwhile))
    assert len(between) >= 2
