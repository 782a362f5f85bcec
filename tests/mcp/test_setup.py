"""Adding, changing and taking away servers in the settings of a profile."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.gate.grants import Covers, GrantKind, GrantScope
from desktop.mcp.access import ServerReach
from desktop.mcp.servers import ServerState
from desktop.mcp.setup import Keyring, ServerSetup, read_list, usual_places
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
    assert setup.allow("it", [str(tmp_path)], has_network=False).reach is ServerReach.WRITES
    house.core.grants.add(GrantScope.ALWAYS, Covers("mcp__it__echo", GrantKind.TOOL))
    assert setup.allow("it", [], has_network=True).reach is ServerReach.SENDS
    assert house.core.grants.listed() == []
    with pytest.raises(UserFacing) as failed:
        setup.allow("it", [str(tmp_path / "none")], has_network=True)
    assert failed.value.code == "folder-missing"
    assert house.core.servers.access("it").reach is ServerReach.SENDS
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


# -- lists that other programs keep ------------------------------------------------------------


def _read(tmp_path: Path, content: Any) -> dict[str, Any]:
    file = tmp_path / "list.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return {each.name: each for each in read_list(file).servers}


SERVER = {"command": "npx", "args": ["-y", "a server"]}


@pytest.mark.parametrize("table", ["mcpServers", "servers", "context_servers"])
def test_every_command_is_shown_and_all_are_off(tmp_path: Path, table: str) -> None:
    """Of Claude's, VS Code's and Zed's lists."""
    (found,) = _read(tmp_path, {table: {"Files & More": SERVER}}).values()
    assert found.name == "files-more"
    assert found.shown == 'npx -y "a server"'
    assert found.entry == {"command": ["npx", "-y", "a server"], "enabled": False}


def test_secrets_go_to_the_keyring(tmp_path: Path) -> None:
    """The settings get their names only."""
    env = {"GITHUB_TOKEN": "ghp_1", "LEVEL": "debug"}
    headers = {"Authorization": "Bearer x"}
    both = {"a": {**SERVER, "env": env}, "b": {"url": "https://x.example/mcp", "headers": headers}}
    found = _read(tmp_path, {"mcpServers": both})
    assert found["a"].entry["environment"] == {"GITHUB_TOKEN": "keyring:mcp-a-github_token", "LEVEL": "debug"}
    assert found["a"].secrets == {"mcp-a-github_token": "ghp_1"}
    assert found["b"].entry["headers"] == {"Authorization": "keyring:mcp-b-authorization"}
    # What a variable says may be what runs: it is shown with the command.
    assert found["a"].shown == 'GITHUB_TOKEN=keyring:mcp-a-github_token LEVEL=debug npx -y "a server"'
    assert "ghp_1" not in json.dumps([dict(found["a"].entry), dict(found["b"].entry)])


def test_half_a_character_costs_its_own_server_alone(tmp_path: Path) -> None:
    """JSON may hold what no file of settings can; the rest of the list is taken."""
    odd = {"command": "x\ud800"}
    assert list(_read(tmp_path, {"mcpServers": {"odd": odd, "whole": SERVER}})) == ["whole"]


def test_what_cannot_be_used_is_named(tmp_path: Path) -> None:
    """Whatever is wrong with it; the rest of the list is taken."""
    both = {**SERVER, "url": "https://x.example"}
    file = tmp_path / "list.json"
    odd = {"no command": {"cmd": 3}, "both": both, "a number": 7, "a\ud800": {"command": "x\ud800"}}
    file.write_text(json.dumps({"mcpServers": {"whole": SERVER, **odd}}), encoding="utf-8")
    listed = read_list(file)
    assert listed.left_out == ("no command", "both", "a number", "a?")
    assert "no command, both, a number, a?" in str(listed.note)
    file.write_text(json.dumps({"mcpServers": {"whole": SERVER}}), encoding="utf-8")
    assert read_list(file).note is None


def test_two_names_that_become_one_are_told_apart(tmp_path: Path) -> None:
    """Nothing of the list is lost."""
    found = _read(tmp_path, {"mcpServers": {"A b": SERVER, "a-b": SERVER, "Ä": SERVER}})
    assert set(found) == {"a-b", "a-b-2", "server"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("no json", "list-unreadable"),
        ("[" * 100 + "]" * 100, "list-unreadable"),
        ("[]", "list-empty"),
        ({"mcpServers": []}, "list-empty"),
        ({"mcpServers": {"a": {"command": 5}, "b": 7, "c": {"url": "file:///x"}}}, "list-empty"),
        ({"mcpServers": {"a": {"command": "x", "url": "https://x.example"}}}, "list-empty"),
    ],
)
def test_what_is_no_list_is_a_sentence(tmp_path: Path, content: Any, code: str) -> None:
    """Nothing is taken from it."""
    with pytest.raises(UserFacing) as refused:
        _read(tmp_path, content)
    assert refused.value.code == code


def test_lists_are_looked_for_where_other_programs_keep_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that are there."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text("{}")
    assert usual_places(tmp_path) == (tmp_path / ".cursor" / "mcp.json",)
