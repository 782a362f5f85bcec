"""Adding, changing and taking away servers in the settings of a profile."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.gate.grants import Covers, GrantKind, GrantScope
from desktop.mcp.access import Reach
from desktop.mcp.servers import ServerState
from desktop.mcp.setup import Keyring, ServerSetup
from desktop.system.reasons import SystemReason
from tests.mcp.conftest import House, hostile, needs_confinement


@pytest.fixture
def kept() -> dict[str, str]:
    return {}


@pytest.fixture
def setup(house: House, kept: dict[str, str]) -> ServerSetup:
    servers = house.core.servers
    return ServerSetup(
        house.core.settings, servers, Keyring(kept.__setitem__, lambda name: kept.pop(name, None))
    )


ENTRY = {"command": hostile().command}


def test_a_server_is_added_changed_and_taken_away(
    house: House, setup: ServerSetup, kept: dict[str, str]
) -> None:
    """Its secrets come and go with it; the file stays readable, with one table for each."""
    house.core.settings.path.parent.mkdir(parents=True)
    house.core.settings.path.write_text("# mine\n[window]\ntheme = 'dark' # so\n")
    entry = {**ENTRY, "environment": {"KEY": "keyring:mcp-it-key"}}
    setup.add("it", entry, {"mcp-it-key": "s"}, look=False)
    assert kept == {"mcp-it-key": "s"}
    setup.change("it", enabled=False)
    setup.switch_tool("it", "echo", on=False)
    text = house.core.settings.path.read_text()
    assert text.startswith("# mine\n[window]\ntheme = 'dark' # so\n")
    found = tomllib.loads(text)["mcp"]["servers"]["it"]
    assert found == {**entry, "enabled": False, "tools_off": ["echo"]}
    setup.switch_tool("it", "echo", on=True)
    assert house.core.settings.current.mcp.servers["it"].tools_off == []
    setup.remove("it")
    assert kept == {}
    assert house.core.settings.current.mcp.servers == {}


def test_one_that_is_known_is_switched_without_a_start(house: House, setup: ServerSetup) -> None:
    """Where nobody has seen its tools it is started, and stays off where that fails, with its last lines."""
    setup.add("it", ENTRY, {})
    house.core.servers.stop("it")
    assert setup.switch("it", on=False) == setup.switch("it", on=True)
    assert house.core.servers.view("it").state is ServerState.WAITS
    setup.add("bad", {"command": hostile("dies at once").command, "enabled": False}, {}, look=False)
    with pytest.raises(UserFacing) as failed:
        setup.switch("bad", on=True)
    assert failed.value.code == "stays-off"
    assert house.core.servers.view("bad").state is ServerState.OFF


@needs_confinement
def test_what_a_server_may_do_is_changed(house: House, setup: ServerSetup, tmp_path: Path) -> None:
    """The folders are there, a lasting yes ends, and what runs at an address is not ours to hold."""
    setup.add("it", ENTRY, {})
    assert setup.allow("it", [str(tmp_path)], has_network=False).reach is Reach.WRITES
    house.core.grants.add(GrantScope.ALWAYS, Covers("mcp__it__echo", GrantKind.TOOL))
    assert setup.allow("it", [], has_network=True).reach is Reach.SENDS
    assert house.core.grants.listed() == []
    with pytest.raises(UserFacing) as failed:
        setup.allow("it", [str(tmp_path / "none")], has_network=True)
    assert failed.value.code == "folder-missing"
    assert house.core.servers.access("it").reach is Reach.SENDS
    setup.add("far", {"url": "https://x.example/mcp"}, {}, look=False)
    with pytest.raises(UserFacing) as failed:
        setup.allow("far", [], has_network=True)
    assert failed.value.code == "access-of-host"


def test_what_keeps_a_server_from_being_added_is_told_in_its_own_words(
    house: House, setup: ServerSetup
) -> None:
    """Its log goes with it, so its last lines are told; one without any is told as before."""
    with pytest.raises(UserFacing) as failed:
        setup.add("it", {"command": hostile("dies at once").command}, {})
    assert failed.value.code == "not-added"
    assert "ended by itself" in failed.value.cause
    assert failed.value.cause.endswith("no licence")
    with pytest.raises(UserFacing) as missing:
        setup.add("it", {"command": ["no-such-program"]}, {})
    assert missing.value.code == "program-missing"
    assert house.core.settings.current.mcp.servers == {}


@pytest.mark.parametrize(
    ("name", "entry", "code"),
    [
        ("it", ENTRY, "name-taken"),
        ("Two Words", ENTRY, "name-unfit"),
        ("../x", ENTRY, "name-unfit"),
        ("a", {}, "needs-command"),
        ("a", {**ENTRY, "url": "https://x.example"}, "needs-command"),
        ("a", {"url": "http://x.example/mcp"}, "address-open"),
        ("a", {"url": "https://user:word@x.example/mcp"}, "address-unfit"),
        ("a", {"url": "file:///etc/passwd"}, "address-unfit"),
    ],
)
def test_what_cannot_be_a_server_is_refused(
    house: House, setup: ServerSetup, name: str, entry: dict[str, object], code: str
) -> None:
    """Nothing is written then."""
    setup.add("it", ENTRY, {}, look=False)
    before = house.core.settings.path.read_text()
    with pytest.raises(UserFacing) as refused:
        setup.add(name, entry, {}, look=False)
    assert refused.value.code == code
    assert house.core.settings.path.read_text() == before


def test_of_one_that_cannot_be_started_nothing_is_kept(
    house: House, setup: ServerSetup, kept: dict[str, str]
) -> None:
    """Neither in the settings nor in the keyring."""
    entry = {"command": ["no-such-program-anywhere"], "headers": {"K": "keyring:k"}}
    with pytest.raises(UserFacing, match="not installed"):
        setup.add("it", entry, {"k": "s"})
    assert house.core.settings.current.mcp.servers == {}
    assert kept == {}


def test_a_server_whose_secrets_are_locked_away_stays_until_they_can_go(
    house: House, kept: dict[str, str]
) -> None:
    """Nothing is changed, as the error says; with its entry gone nobody could remove its secret any more."""
    locked = True

    def delete(name: str) -> None:
        if locked:
            raise UserFacing(SystemReason.KEYRING_LOCKED.of())
        kept.pop(name, None)

    setup = ServerSetup(house.core.settings, house.core.servers, Keyring(kept.__setitem__, delete))
    setup.add("it", {**ENTRY, "environment": {"KEY": "keyring:mcp-it-key"}}, {"mcp-it-key": "s"}, look=False)
    setup.add("plain", ENTRY, {}, look=False)
    with pytest.raises(UserFacing):
        setup.remove("it")
    assert "it" in house.core.settings.current.mcp.servers
    setup.remove("plain")  # which has none, and needs no keyring
    locked = False
    setup.remove("it")
    assert (kept, house.core.settings.current.mcp.servers) == ({}, {})
