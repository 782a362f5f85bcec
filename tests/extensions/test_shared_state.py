"""State of a team on a real Redis server, where there is one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.extensions.manifest import Manifest, Permissions
from desktop.extensions.process import RequestRefused
from desktop.extensions.requests import HostRequests, HostServices
from desktop.extensions.shared_state import MOST_ENTRIES, RedisState, shared_state
from desktop.extensions.state import MIGRATIONS, StateFull, StateStore
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import NetworkSettings
from tests.extensions.world import world
from tests.fakes.scripted_model import ScriptedBackend
from tests.memory.shared.servers import redis


@pytest.fixture
def network() -> Iterator[Network]:
    made = Network(NetworkSettings)
    yield made
    made.close()


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with redis(tmp_path) as address:
        yield address


@pytest.fixture
def shared(address: str, network: Network) -> Iterator[RedisState]:
    made = RedisState(address, "shop", lambda: None, network)
    yield made
    made.close()


def test_members_of_a_group_see_each_others_and_no_other_groups(
    shared: RedisState, address: str, network: Network
) -> None:
    """Each extension has its own; every question stands on the page Network."""
    shared.put("units", "a", '"1"')
    member, stranger = (RedisState(address, group, lambda: None, network) for group in ("shop", "other"))
    assert member.get("units", "a") == '"1"'
    assert member.keys("units") == ("a",)
    assert member.get("expand", "a") is None
    assert stranger.get("units", "a") is None
    member.delete("units", "a")
    assert shared.get("units", "a") is None
    assert {str(each.why) for each in network.log} == {"The extension units", "The extension expand"}
    member.close()
    stranger.close()


KEEPS = """
def on_llm_output(text, context):
    before = context.shared.get("latest")
    context.shared.put("latest", context.tenant + " " + text)
    return f"{text} (before: {before})"
"""


def test_two_members_share_through_the_server_that_their_settings_name(address: str, tmp_path: Path) -> None:
    """From the settings to the child and back; another group has its own, and who may not share has none."""
    worlds = [("shop", "shared = true"), ("shop", "shared = true"), ("bakery", "shared = true"), ("shop", "")]
    shown = []
    for number, (group, permissions) in enumerate(worlds):
        home = tmp_path / str(number)
        with world(Paths.under(home / "profile"), home, ScriptedBackend(f"Answer {number}.")) as made:
            made.services.settings.change("memory", "team_cache", address)
            made.services.settings.change("memory", "team_group", group)
            made.add("keeps", KEEPS, "on_llm_output", permissions=permissions)
            shown.append(made.ask("Say something.").shown)
    assert shown == [
        "Answer 0. (before: None)",
        "Answer 1. (before: shop Answer 0.)",
        "Answer 2. (before: None)",
        "Answer 3.",
    ]


def test_its_room_is_limited(shared: RedisState) -> None:
    """What is there can still be changed."""
    for number in range(MOST_ENTRIES):
        shared.put("units", str(number), "1")
    with pytest.raises(StateFull):
        shared.put("units", "one more", "1")
    shared.put("units", "0", "2")
    with pytest.raises(StateFull):
        shared.put("units", "0", "x" * 5_001)


def test_a_silent_server_is_a_refusal_and_no_failure(paths: Paths, network: Network) -> None:
    """The extension is told so, in time."""
    pytest.importorskip("redis", reason="redis is not installed (extra “team”)")
    database = Database(paths.database, MIGRATIONS)
    silent = shared_state("redis://127.0.0.1:1/0", "shop", lambda: None, network)
    manifest = Manifest("demo", "1", "extension.py", "Demo", permissions=Permissions(shared=True))
    requests = HostRequests(
        manifest, StateStore(database), HostServices(lambda: network, shared=lambda: silent)
    )
    with pytest.raises(RequestRefused, match="No team with a Redis server"):
        requests.answer({"ask": "shared.get", "key": "a"}, time.monotonic() + 5)
    assert silent is not None
    silent.close()
    database.close()


def test_without_a_team_there_is_none(network: Network) -> None:
    """Nothing is imported for it."""
    assert shared_state("", "shop", lambda: None, network) is None
    assert shared_state("redis://127.0.0.1/0", "", lambda: None, network) is None
