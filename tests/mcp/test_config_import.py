"""Other programs' lists of servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop.errors import UserFacing
from desktop.mcp.config_import import read_list, usual_places


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
