"""The memory of a group in an answer: beside one's own, never waited for long, its silence said once."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.redaction import Redactor
from desktop.memory.context import SHARED as SHARED_HEADING
from desktop.memory.events import MemoryForgotten, TeamSilent
from desktop.memory.housekeeping import Housekeeping
from desktop.memory.item import LOCAL, SHARED, Layer, NewItem
from desktop.memory.memory import Memory, RecallSources
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.shared.authors import Authors, Authorship
from desktop.memory.shared.connection import Passwords, TeamAddress, checked
from desktop.memory.shared.store import SharedItem
from desktop.memory.shared.team import Team, TeamIdentity, number
from desktop.memory.store import View
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import MemorySettings, NetworkSettings
from tests.fakes.failures import failure
from tests.memory.conftest import Clock, count
from tests.memory.shared.servers import postgres

VIEW = View.of(session="1", layers=(*LOCAL, *SHARED))
BRANCH = "The release branch is cut on Thursdays"


class Group:
    """A memory with a team behind it, and what was announced."""

    def __init__(self, address: str, redactor: Redactor, paths: Paths, clock: Clock, name: str) -> None:
        from desktop.database import Database

        self.settings = MemorySettings(team_store=address, team_group=name, team_name="anna")
        self.network_settings = NetworkSettings()
        self.bus = Bus()
        self.silent: list[TeamSilent] = []
        self.forgotten: list[MemoryForgotten] = []
        self.bus.subscribe(TeamSilent, self.silent.append)
        self.bus.subscribe(MemoryForgotten, self.forgotten.append)
        self.network = Network(lambda: self.network_settings)
        self.clock = clock
        self.database = Database(paths.database, MIGRATIONS)
        self.keys: list[str] = []  # as the keyring has them
        self.is_locked = False
        self.unlocking = 0  # how often somebody was asked to unlock it
        own = Authors(self.database, lambda: self.keys[-1] if self.keys else None, self.keys.append)
        identity = TeamIdentity(self._passwords, own)
        self.team = Team(lambda: self.settings, identity, self.network, self.bus, clock=clock)
        shared = RecallSources(team=lambda: self.team)
        self.memory = Memory(self.database, redactor, shared, clock=clock, bus=self.bus)

    def _passwords(self) -> Passwords:
        if self.is_locked:
            self.unlocking += 1
            raise failure("The keyring stayed locked.", "", "", code="keyring-locked")
        return Passwords()

    def content(self, query: str) -> str:
        return self.memory.assembler.assemble(query, 400, VIEW, count, only_relevant=True).content

    def close(self) -> None:
        self.team.close()
        self.network.close()
        self.memory.close()
        self.database.close()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="steward-") as folder, postgres(Path(folder)) as address:
        yield address


@pytest.fixture
def open_group(redactor: Redactor, paths: Paths, clock: Clock) -> Iterator[Callable[[str, str], Group]]:
    made: list[Group] = []

    def opened(address: str, name: str = "shop") -> Group:
        made.append(Group(address, redactor, paths, clock, name))
        return made[-1]

    yield opened
    for each in made:
        each.close()


def test_what_others_shared_is_told_as_theirs(server: str, open_group: Callable[..., Group]) -> None:
    """Under a heading of its own that says it is data, with who said it; by another form of a word too."""
    group = open_group(server, "told")
    group.team.share(BRANCH, Layer.TEAM)
    block = group.content("On which day are the release branches cut?")
    assert block.startswith(SHARED_HEADING)
    assert f"shared by anna (team): {BRANCH}" in block
    assert group.content("Who feeds the zebra at the zoo?") == ""


def test_what_is_taken_back_is_found_by_nobody(server: str, open_group: Callable[..., Group]) -> None:
    """Also not from what was put together before; the blocks that told it go too."""
    group = open_group(server, "back")
    shared = group.team.share(BRANCH, Layer.TEAM)
    assert BRANCH in group.content("When is the release branch cut?")
    assert [each.item.text for each in group.team.latest()] == [BRANCH]
    assert group.team.withdraw([shared.id]) == 1
    assert group.content("When is the release branch cut?") == ""
    assert group.forgotten == [MemoryForgotten(frozenset((number(shared.id),)))]


def test_promotion_sends_only_what_was_seen(server: str, open_group: Callable[..., Group]) -> None:
    """Without the address in it; the note itself stays here as it is, and other groups do not see it."""
    group = open_group(server, "yes")
    note = group.memory.store.add(NewItem("Releases are announced by anna@example.org on Fridays"))
    keeping = Housekeeping(group.memory, count, group.team.share)
    promotion = keeping.promotion(note.id, Layer.TEAM)
    assert group.team.latest() == ()
    keeping.promote(promotion)
    (sent,) = (each.item for each in group.team.latest())
    assert sent.text == promotion.text == "Releases are announced by [redacted: e-mail] on Fridays"
    assert group.memory.store.get(note.id).text.endswith("anna@example.org on Fridays")
    group.settings = group.settings.model_copy(update={"team_group": "other"})
    assert group.team.latest() == ()


def test_who_signs_with_another_key_is_not_told(server: str, open_group: Callable[..., Group]) -> None:
    """Somebody who may write to the server takes Anna's name: listed with a mark, told to no model."""
    anna = open_group(server, "forged")
    anna.team.share(BRANCH, Layer.TEAM)
    assert BRANCH in anna.content("When is the release branch cut?")
    anna.keys.append("11" * 32)  # a key of somebody else's, on a computer that does not know Anna's
    stranger = Authors(anna.database, lambda: anna.keys[-1], anna.keys.append)
    key = anna.team._authors.key_of("forged", "anna")
    anna.team._authors = stranger
    anna.team.share("The release branch is cut by mallory@example.org alone", Layer.TEAM)
    stranger.accept("forged", "anna", key)
    assert "mallory" not in anna.content("Who cuts the release branch alone?")
    marks = {each.item.text[:30]: each.authorship for each in anna.team.latest()}
    assert set(marks.values()) == {Authorship.SIGNED, Authorship.KEY_CHANGED}
    assert anna.team.state().doubted == ("anna",)
    assert anna.team.trust("anna") != key
    assert "mallory" in anna.content("Who cuts the release branch alone?")


def test_every_question_to_the_server_is_in_the_log(server: str, open_group: Callable[..., Group]) -> None:
    """With its reason; offline nothing is asked, nothing is sent and nothing is said about it."""
    group = open_group(server, "log")
    group.team.share(BRANCH, Layer.TEAM)
    group.content("When is the release branch cut?")
    said = [(each.method, str(each.why), each.outcome) for each in group.network.log]
    assert said == [
        ("CONNECT", "Memory that is shared", "ok"),
        ("ADD", "Sharing a memory", "ok"),
        ("SEARCH", "Memory that is shared", "ok"),
    ]
    group.network_settings = NetworkSettings(offline=True)
    assert BRANCH not in group.content("Is the release branch cut on a Thursday?")
    with pytest.raises(UserFacing) as refused:
        group.team.share("another thing for all of us", Layer.TEAM)
    assert refused.value.code == "offline"
    assert (len(group.network.log), group.silent) == (3, [])


class Stuck:
    """A store that answers when it is let go."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.asked = 0

    def search(self, *_values: object) -> tuple[SharedItem, ...]:
        self.asked += 1
        self.go_on.wait(20)
        return ()

    def close(self) -> None:
        self.go_on.set()


def test_an_answer_goes_on_without_a_stuck_server(
    open_group: Callable[..., Group], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has its own memory; and while the server still thinks, the next question does not wait for it."""
    group, stuck = open_group("postgresql://me@localhost/x"), Stuck()
    monkeypatch.setattr("desktop.memory.shared.team.opened", lambda *_values: stuck)
    group.memory.store.add(NewItem("The kettle is red"))
    assert "The kettle is red" in group.content("Which colour has the kettle?")
    assert "The kettle is red" in group.content("Is the kettle red?")
    assert stuck.asked == 1
    stuck.go_on.set()


def test_a_dead_server_is_said_once_and_left_alone(open_group: Callable[..., Group]) -> None:
    """For a minute; then it is asked again, and its silence is not said again."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra “team”)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    group = open_group(f"postgresql://me@127.0.0.1:{port}/x")
    group.memory.store.add(NewItem("The kettle is red"))
    for query in ("Which colour has the kettle?", "Is the kettle red?"):
        assert "The kettle is red" in group.content(query)
        _until(lambda: bool(group.silent))
    assert len(group.network.log) == 1
    group.clock.now += 61
    group.content("Is the red kettle hot?")
    _until(lambda: len(group.network.log) == 2)
    assert len(group.silent) == 1
    assert group.silent[0].error.code == "shared-memory-unreachable"


def test_a_keyring_that_was_not_unlocked_is_left_alone_for_an_hour(
    server: str, open_group: Callable[..., Group]
) -> None:
    """Questions ask nobody for it again; whoever asks for the state by hand is asked, and that ends it."""
    group = open_group(server, "locked")
    group.is_locked = True
    days = ("Monday", "Tuesday", "Wednesday", "Friday")
    for day, passed, asked in zip(days, (0, 61, 1800, 1800), (1, 1, 1, 2), strict=True):
        group.clock.now += passed
        group.content(f"Is the release branch cut on a {day}?")
        _until(lambda asked=asked: group.unlocking == asked and not group.team._asking.locked())
    assert len(group.silent) == 1
    group.is_locked = False
    assert group.team.state().error is None
    group.team.share(BRANCH, Layer.TEAM)
    assert BRANCH in group.content("When is the release branch cut?")


@pytest.mark.parametrize(
    "place",
    [
        TeamAddress("postgresql://me:secret@host/steward", "shop"),
        TeamAddress("postgresql://me@host/steward?password=secret", "shop"),
        TeamAddress("ftp://host/steward", "shop"),
        TeamAddress("postgresql://me@host/steward", " "),
        TeamAddress("postgresql://me@host/steward", "shop", "redis://:secret@host/0"),
    ],
)
def test_no_password_belongs_into_an_address(place: TeamAddress) -> None:
    """It is refused with what to do, before anything is sent; and repeated in no message."""
    with pytest.raises(UserFacing) as refused:
        checked(place)
    assert refused.value.code == "team-address"
    assert "secret" not in str(refused.value)


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)
