"""Old conversations are deleted where the user has asked for it, and never unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from desktop.chat.forgetting import Forgetting
from desktop.chat.migrations import MIGRATIONS
from desktop.chat.retention import DAY_S, Outcome, Retention, Warned
from desktop.chat.store import ChatStore, Role
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
    assert world.retention.apply() == Outcome()
    assert world.titles == ["old"]


def test_it_is_said_a_day_before_anything_is_deleted(world: World) -> None:
    """First words, then deeds; what is pinned, open or young stays; the words are gone from the index too."""
    world.say("old")
    pinned, opened = world.say("pinned"), world.say("opened")
    world.store.set_pinned(pinned, True)
    world.days, keep = 30, frozenset({opened})
    world.now += 31 * DAY_S
    world.say("young")
    assert world.retention.apply(keep) == Outcome(due=1)
    assert world.retention.apply(keep) == Outcome()  # said already, the day is not over
    world.now += 1.1 * DAY_S
    assert world.retention.apply(keep) == Outcome(deleted=1)
    assert set(world.titles) == {"pinned", "opened", "young"}
    assert world.store.search("old").chats == ()
    assert Forgetting(world.database).finish()
    assert b"old" not in _words(world.database)


def _words(database: Database) -> bytes:
    rows = database.read(lambda c: c.execute("SELECT block FROM messages_terms_data").fetchall())
    return b"".join(row["block"] for row in rows)


def test_fewer_days_are_said_again(world: World) -> None:
    """What was said of a year does not stand for a week; more days need no new words."""
    world.say("old")
    world.days, world.warned = 365, Warned(365, world.now).kept()
    world.now += 400 * DAY_S
    world.days = 7
    assert world.retention.apply() == Outcome(due=1)
    assert Warned.read(world.warned).days == 7
    world.now += 2 * DAY_S
    world.days = 30
    assert world.retention.apply() == Outcome(deleted=1)


@pytest.mark.parametrize("text", ["", "x", "[]", "[1]", "null", '["a", "b"]'])
def test_what_cannot_be_read_was_not_said(text: str) -> None:
    """A setting that somebody changed by hand."""
    assert Warned.read(text) == Warned()
