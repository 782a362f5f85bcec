"""Steward's tools in agents' lists of servers: put in, renewed, taken out byte for byte."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import desktop
from desktop.agents import jsonc
from desktop.agents.jsonc import UnreadableJson
from desktop.agents.mcp_place import McpPlace, json_servers, toml_servers, words_of
from desktop.agents.mcp_settings import PROBE, McpInstaller, McpState
from desktop.agents.settings_file import Computer
from desktop.app import build_core
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.settings import HookSettings

AGENTS = ("claude-code", "codex", "gemini-cli", "copilot-cli", "opencode")
WORDS = ("/opt/steward", "agents", "mcp", "codex")

# As the vendors' programs and people write them.
JSON_TEXTS = (
    "{}",
    '{"mcpServers": {}}\n',
    '{\n  "mcpServers": {\n    "git": {"command": "uvx", "args": ["a"]}\n  },\n  "numStartups": 7\n}\n',
    '{\n\t"theme": "dark", // mine\n\t"mcpServers": {\n\t\t"a": {"command": "b"}, // last\n\t},\n}\n',
)
TOML_TEXTS = (
    'model = "gpt-5"\n',
    '# mine\nmodel = "gpt-5"\n\n[mcp_servers.git]\ncommand = "uvx"\nargs = ["mcp-server-git"]\n',
    '[mcp_servers.git]\ncommand = "uvx"\n\n[mcp_servers.git.env]\nA = "[b]"\n\n[tui]\nnotifications = true\n',
    'notify = [\n  "a",\n\n  "b",\n]\n\n[projects."/home/ada"]\ntrust_level = "trusted"\n',
)


def place(is_toml: bool) -> McpPlace:
    return toml_servers(Path("config.toml")) if is_toml else json_servers(Path("settings.json"))


TEXTS = [(text, False) for text in JSON_TEXTS] + [(text, True) for text in TOML_TEXTS]


def value_of(text: str, is_toml: bool) -> Any:
    return tomllib.loads(text) if is_toml else jsonc.parse(text).value


@pytest.mark.parametrize(("text", "is_toml"), TEXTS)
def test_what_was_there_stays_and_comes_back_byte_for_byte(text: str, is_toml: bool) -> None:
    """One more server and nothing else; a second time changes nothing."""
    where = place(is_toml)
    made = where.with_ours(text, WORDS)
    ours = where.ours(made)
    assert ours is not None
    assert words_of(ours) == WORDS
    value = value_of(made, is_toml)
    assert value[where.path[0]].pop("steward")
    before = value_of(text, is_toml)
    assert value == {where.path[0]: {}, **before}
    assert where.with_ours(made, WORDS) == made
    left = where.without_ours(made)
    # Where there was nothing but braces some space stays in them; an empty list says the same as none.
    empty = not is_toml and before in ({}, {"mcpServers": {}})
    assert left == text or (empty and value_of(left, is_toml) == {})


@pytest.mark.parametrize("options", [(), ("--runtime", "/run/user/1000/steward")])
@pytest.mark.parametrize(("text", "is_toml"), TEXTS)
def test_one_of_an_older_steward_is_replaced(text: str, is_toml: bool, options: tuple[str, ...]) -> None:
    """Known by its verb: it was started from another folder then, and perhaps told another one."""
    where = place(is_toml)
    older = where.with_ours(text, ("/old/python", "-m", "desktop", "agents", "mcp", *options, "codex"))
    renewed = where.with_ours(older, WORDS)
    assert value_of(renewed, is_toml) == value_of(where.with_ours(text, WORDS), is_toml)
    assert "/old/python" not in renewed


def test_what_an_agent_added_behind_ours_stays() -> None:
    """Tables inside of ours go with it, comments do not, and neither does the next table."""
    where = place(is_toml=True)
    made = where.with_ours('model = "a"\n', WORDS)
    made += '# mine\n[mcp_servers.steward.tools.notify]\napproval_mode = "approve"\n\n[tui]\nx = 1\n'
    assert where.without_ours(made) == 'model = "a"\n# mine\n\n[tui]\nx = 1\n'


@pytest.mark.parametrize(
    ("text", "is_toml"),
    [
        ('{"mcpServers": {"steward": {"command": "mine"}}}', False),
        ('{"mcpServers": []}', False),
        ('{"mcpServers": {', False),
        ('{"mcpServers": {}, "mcpServers": {}}', False),
        ("[]", False),
        ('[mcp_servers.steward]\ncommand = "mine"\n', True),
        ('mcp_servers = { git = { command = "uvx" } }\n', True),
        ("mcp_servers = 3\n", True),
        ("model = \n", True),
    ],
)
def test_what_cannot_be_changed_safely_is_left_alone(text: str, is_toml: bool) -> None:
    """Another server of that name, a list of another kind, a file that is broken."""
    with pytest.raises(UnreadableJson):
        place(is_toml).with_ours(text, WORDS)


NAMES = st.text("abcdefgh-_", min_size=1, max_size=8).filter(lambda name: name != "steward")
PLAIN = st.one_of(st.text(max_size=12), st.integers(0, 99), st.lists(st.text(max_size=5), max_size=3))
TABLES = st.dictionaries(NAMES, st.dictionaries(NAMES, PLAIN, max_size=3), max_size=3)


@given(settings=TABLES, servers=TABLES)
def test_every_json_comes_back(settings: dict[str, Any], servers: dict[str, Any]) -> None:
    """Whatever a program wrote before, with whatever names."""
    text = json.dumps({**settings, **({"mcpServers": servers} if servers else {})}, indent=2)
    where = place(is_toml=False)
    made = where.with_ours(text, WORDS)
    assert json.loads(made)["mcpServers"].keys() == {*servers, "steward"}
    left = where.without_ours(made)
    assert left == text or (not settings and not servers and json.loads(left) == {})


Make = Callable[..., McpInstaller]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make(**settings: Any) -> McpInstaller:
        paths = Paths.under(tmp_path / "profile")
        return McpInstaller(paths, HookSettings(**settings), Computer(tmp_path / "home"))

    return make


@pytest.mark.parametrize("agent", AGENTS)
def test_each_agent_has_its_list_and_a_file_of_ours_goes_again(
    make: Make, agent: str, tmp_path: Path
) -> None:
    """The entry starts this program with this profile; uninstalled, nothing is left in the home."""
    installer = make()
    plan = installer.plan(agent)
    assert plan.changes
    assert not plan.file.exists()
    installer.install(agent, plan)
    assert installer.is_installed(agent)
    assert installer.words(agent)[-5:] == ("--profile", str(tmp_path / "profile"), "agents", "mcp", agent)
    assert installer.words(agent)[0] == sys.executable
    assert not installer.plan(agent).changes
    installer.uninstall(agent, installer.plan_removal(agent))
    assert list((tmp_path / "home").rglob("*")) == []  # nor a folder, by which the agent would count as here


def test_a_file_that_somebody_changed_meanwhile_is_not_written(make: Make, tmp_path: Path) -> None:
    """What was shown is what is done."""
    installer = make()
    plan = installer.plan("claude-code")
    plan.file.parent.mkdir(parents=True)
    plan.file.write_text('{"numStartups": 1}')
    with pytest.raises(UserFacing, match="changed"):
        installer.install("claude-code", plan)
    assert plan.file.read_text() == '{"numStartups": 1}'


def test_an_agent_without_a_known_list_is_named(make: Make) -> None:
    """With those that have one."""
    with pytest.raises(UserFacing, match="claude-code"):
        make().install("cursor")


@pytest.mark.children
def test_the_status_says_what_is_wrong(make: Make, tmp_path: Path) -> None:
    """Absent, not installed, Steward not running, of another profile, broken."""
    installer = make()
    assert installer.status("codex").state is McpState.ABSENT
    (tmp_path / "home" / ".codex").mkdir(parents=True)
    assert installer.status("codex").state is McpState.NOT_INSTALLED
    installer.install("codex")
    silent = installer.status("codex")
    assert silent.state is McpState.SILENT
    assert "Start Steward" in str(silent.action)
    file = tmp_path / "home" / ".codex" / "config.toml"
    file.write_text(file.read_text().replace(str(tmp_path / "profile"), "/other"))
    assert installer.status("codex").state is McpState.OTHER
    file.write_text("[mcp_servers")
    assert installer.status("codex").state is McpState.UNREADABLE


@pytest.mark.children
@pytest.mark.parametrize(("is_on", "state"), [(True, McpState.ANSWERED), (False, McpState.SWITCHED_OFF)])
def test_a_running_steward_answers_through_the_entry(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_on: bool, state: McpState
) -> None:
    """Where tools for agents are switched off that is said, and how to switch them on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("STEWARD_HOOKS__PORT", str(free.getsockname()[1]))
    core = build_core(Paths.under(tmp_path / "profile"))
    core.settings.change("hooks", "agent_tools", is_on)
    core.server.start()
    try:
        installer = make(agent_tools=is_on)
        installer.install("claude-code")
        assert installer.status("claude-code").state is state
    finally:
        core.close()


@pytest.mark.children
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable says where the runtime folder is")
def test_the_entry_needs_no_environment_of_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex hands a server HOME and PATH and not where the session has its runtime folder."""
    home, runtime = tmp_path / "home", tmp_path / "run"
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("STEWARD_HOOKS__PORT", str(free.getsockname()[1]))
    core = build_core(Paths.default())
    core.settings.change("hooks", "agent_tools", True)
    core.server.start()
    try:
        words = McpInstaller(core.paths, HookSettings(agent_tools=True), Computer(home)).words("codex")
        bare = {
            "HOME": str(home),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(Path(desktop.__file__).parents[1]),
        }
        said = subprocess.run(
            words, input=json.dumps(PROBE) + "\n", env=bare, capture_output=True, text=True, check=True
        )
    finally:
        core.close()
    assert json.loads(said.stdout)["result"]["serverInfo"]["name"] == "steward"
