"""`status` proves an installation by sending a probe through the entry as it stands in the settings."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.hook_entries import Client
from desktop.agents.install import Installer
from desktop.agents.install_probe import State, Status, status
from desktop.agents.settings_file import Computer
from desktop.app import build_core
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.settings import HookSettings
from tests.agents.answering import Answering, Raw
from tests.agents.installing import INSTALLABLE, Daemon, Home
from tests.ports import free_port

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands are run by sh here")


@pytest.fixture
def home(tmp_path: Path, paths: Paths) -> Home:
    (tmp_path / "a home").mkdir()
    return Home(paths, Computer(tmp_path / "a home", {}))


def trusted(home: Home) -> None:
    """Codex writes this when the user trusts a hook."""
    folder = home.file("codex").parent
    key = json.dumps(f"{folder}/hooks.json:pre_tool_use:0:0")
    (folder / "config.toml").write_text(f'[hooks.state.{key}]\ntrusted_hash = "sha256:x"\n')


def looked(home: Home, agent: str) -> Status:
    return status(home.installer, agent)


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_a_probe_goes_the_way_of_the_hooks(home: Home, agent: str) -> None:
    """It arrives with the agent's own token, and the answer comes back."""
    with Daemon(home.paths) as daemon:
        home.port = int(daemon.address)
        home.put(agent, None)
        home.installer.install(agent)
        if agent == "codex":
            trusted(home)
        found = looked(home, agent)
    assert found.state is State.ANSWERED, found
    assert found.is_well
    assert found.ms is not None
    assert daemon.requests
    assert all(request.what == f"hooks/{agent}" and request.was_proven for request in daemon.requests)


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_agents_without_hooks(home: Home, agent: str) -> None:
    """Not here, and here without our hooks, are two things, and neither is a fault."""
    assert looked(home, agent).state is State.ABSENT
    home.put(agent, None)
    found = looked(home, agent)
    assert (found.state, found.is_well) == (State.NOT_INSTALLED, True)


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_steward_is_not_running(home: Home, agent: str) -> None:
    """It is said what to do."""
    home.port = free_port()
    home.put(agent, None)
    home.installer.install(agent)
    found = looked(home, agent)
    assert (found.state, found.is_well) == (State.SILENT, False)
    assert "Start Steward" in found.action


STRANGERS: dict[str, Raw] = {
    "a web server": lambda line: line.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
    "another protocol": lambda line: line.sendall(b"SSH-2.0-OpenSSH\r\n"),
    "what says yes to all": lambda line: line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    "who plays Steward": lambda line: line.sendall(
        b"0" * 32 + b" " + b"0" * 64 + b"\n0 0 0 " + b"0" * 64 + b"\n"
    ),
}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_on_the_port_is_noticed(home: Home, agent: str, name: str) -> None:
    """A program that took the port is not Steward, whatever it says."""
    with Answering(raw=STRANGERS[name]) as stranger:
        home.port = int(stranger.address)
        home.put(agent, None)
        home.installer.install(agent)
        found = looked(home, agent)
    assert found.state is State.STRANGER
    assert "End that program" in found.action


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
def test_a_token_that_ended(home: Home, agent: str) -> None:
    """Steward is there and refuses: installing again mends it."""
    with Daemon(home.paths) as daemon:
        home.port = int(daemon.address)
        home.put(agent, None)
        home.installer.install(agent)
        home.tokens.forget(agent)
        found = looked(home, agent)
        assert found.state is State.REFUSED
        home.installer.install(agent)
        if agent == "codex":
            trusted(home)
        assert looked(home, agent).state is State.ANSWERED


def test_a_client_that_was_moved(home: Home, tmp_path: Path) -> None:
    """A portable copy in another folder, a stick with another name: not Steward is missing, its client is."""
    client = Client((str(tmp_path / "stick" / "steward-hook"),))
    with Daemon(home.paths) as daemon:
        home.put("gemini-cli", None)
        settings = HookSettings(port=int(daemon.address))
        Installer(home.paths, home.tokens, settings, home.computer, client).install("gemini-cli")
        found = looked(home, "gemini-cli")
    assert (found.state, found.is_well) == (State.GONE, False)
    assert "Install again" in found.action


OFF = [
    ("claude-code", "settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("codex", "config.toml", "[features]\nhooks = false\n", "features.hooks"),
    ("codex", "config.toml", "", "/hooks"),
    ("codex", "config.toml", "= broken", "cannot be read"),
    ("gemini-cli", "settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"),
    ("gemini-cli", "settings.json", '{"hooksConfig": {"disabled": ["steward"]}}', "hooksConfig.disabled"),
    ("copilot-cli", "settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("copilot-cli", "config.json", '// note\n{"disableAllHooks": true}', "disableAllHooks"),
]


@pytest.mark.parametrize(("agent", "name", "text", "word"), OFF)
def test_an_agent_that_passes_over_its_hooks(home: Home, agent: str, name: str, text: str, word: str) -> None:
    """No protection is claimed that the agent's settings switch off."""
    with Daemon(home.paths) as daemon:
        home.port = int(daemon.address)
        home.put(agent, None)
        (home.installer.place(agent).folder / name).write_text(text)
        home.installer.install(agent)
        found = looked(home, agent)
    assert found.state is State.DISABLED
    assert word in found.detail


OLD = [
    ("claude-code", {"type": "http", "url": "http://127.0.0.1:{port}/hooks/claude-code"}),
    ("claude-code", {"type": "command", "command": "{client} claude-code {port} @{token} 598"}),
    ("gemini-cli", {"type": "command", "command": "{client} gemini-cli {port} @{token} 598"}),
]


@pytest.mark.parametrize(("agent", "hook"), OLD)
def test_hooks_of_an_older_steward_are_outdated_and_renewed(
    home: Home, agent: str, hook: dict[str, str]
) -> None:
    """Also where they are answered: an http entry goes to a proxy, a bare command is no guard."""
    with Daemon(home.paths) as daemon:
        home.port = int(daemon.address)
        home.put(agent, None)
        home.installer.install(agent)
        line = str(home.installer.place(agent).hooks(home.file(agent).read_text())[0]["command"])
        client, token = line.partition(f" {agent} ")[0], line.split("@")[1].split(" ")[0]
        old = {name: value.format(client=client, port=home.port, token=token) for name, value in hook.items()}
        event = "BeforeTool" if agent == "gemini-cli" else "PreToolUse"
        home.file(agent).write_text(json.dumps({"hooks": {event: [{"hooks": [old]}]}}))
        found = looked(home, agent)
        assert (found.state, found.is_well) == (State.OUTDATED, False)
        assert "Install again" in found.action
        home.installer.install(agent)
        assert looked(home, agent).state is State.ANSWERED


@pytest.mark.parametrize("agent", INSTALLABLE)
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_a_proxy_sees_nothing_of_it(
    home: Home, agent: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The probe goes as the hooks go, with all variables, and they go past every proxy."""
    with Daemon(home.paths) as daemon, Answering(raw=lambda line: line.sendall(b"evil")) as proxy:
        monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.address}")
        home.port = int(daemon.address)
        home.put(agent, None)
        home.installer.install(agent)
        if agent == "codex":
            trusted(home)
        assert looked(home, agent).state is State.ANSWERED
    assert proxy.heads == []


def test_a_broken_file_is_told(home: Home) -> None:
    """Not as not installed."""
    home.put("claude-code", "{")
    assert looked(home, "claude-code").state is State.UNREADABLE


def test_a_name_that_is_none(home: Home) -> None:
    """Told in words."""
    with pytest.raises(UserFacing):
        looked(home, "clippy")


def test_clients_use_the_socket_file_first(tmp_path: Path, short: Path) -> None:
    """No other user can listen there in Steward's place; the port is for when it has another name."""
    paths = Paths.under(short)
    home = Home(paths, Computer(tmp_path / "home", {}), port=free_port())
    paths.runtime.mkdir(parents=True)
    with Daemon(home.paths, paths.hook_socket) as daemon:
        home.put("codex", None)
        home.installer.install("codex")
        trusted(home)
        assert looked(home, "codex").state is State.ANSWERED
        assert daemon.requests
    os.unlink(paths.hook_socket)
    assert looked(home, "codex").state is State.SILENT


@pytest.fixture
def short() -> Iterator[Path]:
    """The path of a socket has a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="st-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_the_real_server_answers_a_probe_and_keeps_nothing_of_it(
    tmp_path: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the real gate behind it: no question, no verdict in the list."""
    monkeypatch.setenv("STEWARD_HOOKS__PORT", str(free_port()))
    core = build_core(Paths.under(tmp_path / "profile"))
    home = Home(core.paths, Computer(tmp_path / "home", {}), port=core.settings.current.hooks.port)
    core.server.start()
    try:
        home.put(agent, None)
        home.installer.install(agent)
        if agent == "codex":
            trusted(home)
        assert looked(home, agent).state is State.ANSWERED
        assert core.handler.recent == ()
    finally:
        core.close()
