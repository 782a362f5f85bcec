"""Installing: our hooks in, the user's bytes untouched, and out again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from desktop.agents import settings_file as files
from desktop.agents.install import HookState, HookStatus, Installer, status
from desktop.agents.jsonc import find, parse
from desktop.agents.settings_file import Computer, HookClient, left_behind, ours, quoted
from desktop.agents.tokens import Tokens
from desktop.app import build_core
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.settings import HookSettings
from tests.agents.agent_cases import AgentCases, all_cases
from tests.agents.answering import Answering, Raw
from tests.agents.installing import CASES, INSTALLABLE, SETTINGS, SHARED, Daemon, Home, everything_in
from tests.agents.test_jsonc import DOCUMENTS
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home(tmp_path: Path, paths: Paths) -> Home:
    (tmp_path / "a home").mkdir()
    return Home(paths, Computer(tmp_path / "a home", {"PATH": str(tmp_path / "bin")}))


@pytest.mark.parametrize(("agent", "text"), CASES)
def test_what_goes_in_comes_out(home: Home, agent: str, text: str | None) -> None:
    """After install and uninstall every file of the home is as it was, byte for byte, with its mode."""
    file = home.put(agent, text)
    if text is not None:
        file.chmod(0o644)
    before = everything_in(home.computer.home)
    home.installer.install(agent)
    assert everything_in(home.computer.home) != before
    home.installer.uninstall(agent)
    assert everything_in(home.computer.home) == before
    assert home.tokens.agents() == ()
    if text is not None and os.name != "nt":
        assert file.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(("agent", "text"), CASES)
def test_a_second_time_gives_the_same(home: Home, agent: str, text: str | None) -> None:
    """Only the token is new: nothing stands there twice, and it all comes out again."""
    home.put(agent, text)
    before = everything_in(home.computer.home)
    first = home.installer.install(agent).after.text
    token = (home.paths.config / "hook_tokens" / f"{agent}.token").read_text()
    plan = home.installer.plan(agent)
    assert (plan.changes, plan.diff) == (False, "")
    second = home.installer.install(agent).after.text
    new = (home.paths.config / "hook_tokens" / f"{agent}.token").read_text()
    assert new != token
    assert second == first
    home.installer.uninstall(agent)
    assert everything_in(home.computer.home) == before


@pytest.mark.parametrize(("agent", "text"), SHARED)
def test_what_the_user_changes_meanwhile_stays(home: Home, agent: str, text: str | None) -> None:
    """Uninstalling takes out our hooks and nothing that came after them."""
    home.put(agent, text)
    file = home.file(agent)
    home.installer.install(agent)
    added = (
        file.read_text(encoding="utf-8").rstrip()[:-1].rstrip().rstrip(",")
        + ',\n  "added": [1] /* mine */\n}\n'
    )
    file.write_text(added, encoding="utf-8")
    home.installer.uninstall(agent)
    left = file.read_text(encoding="utf-8")
    assert find(left, ours(agent)) == ()
    assert '"added": [1] /* mine */' in left
    value = parse(left).value
    assert value.pop("added") == [1]
    assert meant(value) == meant(parse(text).value if text else {})


def meant(value: dict[str, Any]) -> dict[str, Any]:
    """Without what says nothing."""
    return {key: each for key, each in value.items() if (key, each) not in (("hooks", {}), ("version", 1))}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=DOCUMENTS)
def test_any_document_is_restored(home: Home, text: str) -> None:
    """In, in again and out: identical, whatever the document; what cannot be edited is not touched."""
    home.put("claude-code", text)
    before = everything_in(home.computer.home)
    with suppress(UserFacing):
        home.installer.install("claude-code")
        assert not home.installer.plan("claude-code").changes
        home.installer.install("claude-code")
        home.installer.uninstall("claude-code")
    assert everything_in(home.computer.home) == before
    home.file("claude-code").unlink()


BROKEN = {
    "half": '{"hooks": {',
    "no quotes": "{hooks: 1}",
    "a list": "[]",
    "hooks are a list": '{"hooks": []}',
    "events are text": '{"hooks": {"PreToolUse": "x", "beforeShellExecution": "x", "BeforeTool": "x"}}',
    "twice": '{"hooks": {}, "hooks": {}}',
    "not UTF-8": None,
}


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "cursor"])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_left_as_it_is(home: Home, agent: str, name: str) -> None:
    """It is said where it is broken; no byte, no backup and no token come of it."""
    home.put(agent, "")
    home.file(agent).write_bytes((BROKEN[name] or "").encode() or b'{"a": "\xff"}')
    before = everything_in(home.computer.home)
    for attempt in (home.installer.plan, home.installer.install):
        with pytest.raises(UserFacing) as caught:
            attempt(agent)
        assert str(home.file(agent)) in caught.value.cause
        assert "hanged" in caught.value.not_lost
    assert everything_in(home.computer.home) == before
    assert home.tokens.agents() == ()


LINKED = ["a file", "an empty folder", "a chain"]


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
@pytest.mark.parametrize("to", LINKED)
def test_a_link_stays_one_and_what_it_leads_to_is_changed(home: Home, tmp_path: Path, to: str) -> None:
    """People keep their settings in a folder of their own; uninstalling puts every byte back."""
    kept = tmp_path / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    if to != "an empty folder":
        kept.write_text('{\n  "model": "opus"\n}\n')
    file = home.put("claude-code", None)
    if to == "a chain":
        (tmp_path / "between").symlink_to(kept)
        file.symlink_to(tmp_path / "between")
    else:
        file.symlink_to(kept)
    before = everything_in(tmp_path / "dotfiles"), everything_in(home.computer.home)
    for _ in range(2):
        home.installer.install("claude-code")
        assert file.is_symlink()
        assert home.installer.is_installed("claude-code")
        assert '"PreToolUse"' in kept.read_text()
    home.installer.uninstall("claude-code")
    assert (everything_in(tmp_path / "dotfiles"), everything_in(home.computer.home)) == before


@pytest.mark.skipif(os.name == "nt", reason="links need a right there")
def test_a_link_in_a_circle_is_said(home: Home) -> None:
    """And nothing is changed."""
    file = home.put("claude-code", None)
    file.symlink_to(file)
    with pytest.raises(UserFacing, match="cannot be used"):
        home.installer.install("claude-code")
    assert file.is_symlink()


ALIASES = [
    ("claude", "claude-code"),
    ("gemini", "gemini-cli"),
    ("copilot", "copilot-cli"),
    ("codex", "codex"),
]


@pytest.mark.parametrize(("alias", "agent"), ALIASES)
def test_an_agent_may_be_called_as_its_program(home: Home, alias: str, agent: str) -> None:
    """It is the same agent, with one token."""
    home.put(agent, None)
    plan = home.installer.plan(alias)
    assert home.installer.install(alias, plan).agent == agent
    assert home.tokens.agents() == (agent,)
    assert home.installer.is_installed(alias)
    home.installer.uninstall(alias)
    assert home.tokens.agents() == ()
    assert not home.installer.is_installed(agent)


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_a_folder_in_place_of_the_file(home: Home, agent: str) -> None:
    """Refused in words."""
    home.file(agent).mkdir(parents=True)
    with pytest.raises(UserFacing) as caught:
        home.installer.install(agent)
    assert caught.value.code == "settings-unusable"


def test_a_file_in_place_of_the_folder(home: Home) -> None:
    """Refused in words, and the file stays."""
    (home.computer.home / ".claude").write_text("mine")
    with pytest.raises(UserFacing):
        home.installer.install("claude-code")
    assert everything_in(home.computer.home) == {".claude": b"mine"}


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is write-protected for root")
def test_a_write_protected_file_stays(home: Home) -> None:
    """Whoever protected it meant it."""
    file = home.put("claude-code", "{}")
    file.chmod(0o444)
    with pytest.raises(UserFacing, match="write-protected"):
        home.installer.install("claude-code")
    assert file.read_text() == "{}"


def test_somebody_elses_file_in_our_place_stays(home: Home) -> None:
    """A file of that name which we did not write is neither replaced nor removed."""
    for agent in ("copilot-cli", "opencode"):
        file = home.put(agent, '{"hooks": {}}')
        with pytest.raises(UserFacing, match="not Steward's"):
            home.installer.install(agent)
        home.installer.uninstall(agent)
        assert file.read_text() == '{"hooks": {}}'


def test_a_plan_shows_the_change_and_no_token(home: Home) -> None:
    """What is shown is what is done; the token stands in a file of its own."""
    home.put("claude-code", '{\n  "model": "opus"\n}\n')
    plan = home.installer.plan("claude-code")
    done = home.installer.install("claude-code", plan)
    token = (home.paths.config / "hook_tokens" / "claude-code.token").read_text()
    assert token.splitlines()[0] not in done.after.text
    assert plan.diff == done.diff
    assert '-  "model": "opus"\n+  "model": "opus",\n' in plan.diff


def test_a_plan_that_is_out_of_date_is_not_carried_out(home: Home) -> None:
    """What was shown is not what would happen."""
    file = home.put("claude-code", "{}")
    plan = home.installer.plan("claude-code")
    file.write_text('{"model": "opus"}')
    with pytest.raises(UserFacing, match="was changed while you looked"):
        home.installer.install("claude-code", plan)
    assert file.read_text() == '{"model": "opus"}'


class Killed(BaseException):
    """Stands for a power cut at one place."""


@pytest.mark.parametrize("agent", INSTALLABLE)
@pytest.mark.parametrize("place", ["keep", "write", "receipt_for"])
@pytest.mark.parametrize("installed", [False, True], ids=["first time", "again"])
def test_a_crash_between_backup_and_file_loses_nothing(
    home: Home, agent: str, place: str, installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings are the old or the new ones; installing again works; and all of it comes out."""
    text = '{\n  "version": 1 // mine\n}\n' if SETTINGS[agent] else None
    home.put(agent, text)
    before = everything_in(home.computer.home)
    if installed:
        home.installer.install(agent)
    settings_before = home.bytes_of(agent)

    def killed(*_arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(files, place, killed)
        with pytest.raises(Killed):
            home.installer.install(agent)
    assert home.bytes_of(agent) == settings_before
    home.installer.install(agent)
    home.installer.uninstall(agent)
    assert everything_in(home.computer.home) == before


def test_two_at_once_wait_for_each_other(home: Home) -> None:
    """However many: one set of hooks stands there, with the token that counts."""
    home.put("claude-code", '{\n  "model": "opus"\n}\n')
    before = everything_in(home.computer.home)
    threads = [threading.Thread(target=home.installer.install, args=("claude-code",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hooks = find(home.file("claude-code").read_text(), ours("claude-code"))
    token = (home.paths.config / "hook_tokens" / "claude-code.token").read_text().splitlines()[0]
    assert home.tokens.agent_of(token) == "claude-code"
    assert len(hooks) == 6
    home.installer.uninstall("claude-code")
    assert everything_in(home.computer.home) == before


@pytest.mark.skipif(os.name == "nt", reason="modes say nothing there")
def test_what_holds_a_token_is_for_the_user_alone(home: Home) -> None:
    """Others on the computer could speak as the agent; the settings, which hold none, keep their mode."""
    for agent, mode in (("claude-code", 0o644), ("codex", 0o644), ("opencode", 0o600)):
        file = home.put(agent, "{}" if agent != "opencode" else None)
        if file.exists():
            file.chmod(0o644)
        home.installer.install(agent)
        assert file.stat().st_mode & 0o777 == mode
        assert (home.paths.config / "hook_tokens" / f"{agent}.token").stat().st_mode & 0o777 == 0o600


def test_agents_are_found_by_folder_or_program(home: Home, tmp_path: Path) -> None:
    """Nothing else counts as being here."""
    assert home.installer.found() == ()
    (home.computer.home / ".codex").mkdir()
    program = tmp_path / "bin" / ("gemini.cmd" if os.name == "nt" else "gemini")
    program.parent.mkdir()
    program.write_text("")
    program.chmod(0o755)
    assert home.installer.found() == ("codex", "gemini-cli")


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_an_agent_that_is_not_here_is_not_here_afterwards(home: Home, agent: str) -> None:
    """The folders that were made for its settings go with them, but never what was put into one meanwhile."""
    before = set(home.computer.home.rglob("*"))
    home.installer.install(agent)
    home.installer.install(agent)  # renewed, when the folders are there
    home.installer.uninstall(agent)
    assert set(home.computer.home.rglob("*")) == before
    assert home.installer.found() == ()
    home.installer.install(agent)
    theirs = home.file(agent).with_name("theirs.txt")
    theirs.write_text("mine")
    home.installer.uninstall(agent)
    assert theirs.read_text() == "mine"


def test_a_folder_that_was_there_stays(home: Home) -> None:
    """An agent that was started once, and has no settings yet."""
    home.put("gemini-cli", None)
    home.installer.install("gemini-cli")
    home.installer.uninstall("gemini-cli")
    assert home.installer.found() == ("gemini-cli",)


@pytest.mark.parametrize("cases", [each for each in all_cases() if each.agent in INSTALLABLE])
def test_settings_lie_where_the_agent_looks(tmp_path: Path, paths: Paths, cases: AgentCases) -> None:
    """Folders that are named by variables count, as for the agents themselves."""
    environment = {name: str(tmp_path / folder) for name, folder in cases.variables.items()}
    home = Home(paths, Computer(tmp_path / "home", environment))
    assert home.file(cases.agent).relative_to(tmp_path).as_posix() == cases.file


def test_no_agent_of_that_name(home: Home) -> None:
    """The names are told."""
    with pytest.raises(UserFacing, match="claude-code"):
        home.installer.install("clippy")


def test_every_tool_is_matched_before_it_runs(home: Home) -> None:
    """Also those that nobody knew when this was written; only what is told afterwards has a list."""
    names = ("PreToolUse", "PermissionRequest", "BeforeTool", "beforeShellExecution", "beforeMCPExecution")
    seen = set()
    for place in home.installer.places:
        text = place.with_ours("", home.installer.target(place.agent))
        value = parse(text).value if text.startswith("{") else {}
        hooks = value.get("hooks", value)
        for event in set(names) & set(hooks):
            seen.add(event)
            assert [each.get("matcher", "") for each in hooks[event]] == [""], (place.agent, event)
    assert seen == set(names)


QUOTED = [
    (False, "", "'/opt/my python/p' -I 'o'\"'\"'x' @/t"),
    (True, "", '"/opt/my python/p" -I o\'x @/t'),
    (True, "powershell", "& '/opt/my python/p' '-I' 'o''x' '@/t'"),
]


@pytest.mark.parametrize(("windows", "shell", "line"), QUOTED)
def test_command_lines_are_quoted_for_their_shell(windows: bool, shell: str, line: str) -> None:
    """Folders have spaces and apostrophes in their names."""
    assert quoted(["/opt/my python/p", "-I", "o'x", "@/t"], windows, shell) == line


def test_entries_from_elsewhere_are_known_again(home: Home) -> None:
    """An older installation, from another folder and with another port, is replaced."""
    old = {"type": "command", "command": "'/old place/steward-hook' codex 1234 @/x/codex.token 598"}
    other = {"type": "command", "command": "/usr/bin/guard codex 1234"}
    text = json.dumps({"hooks": {"PreToolUse": [{"hooks": [old]}, {"hooks": [other]}]}})
    file = home.put("codex", text)
    home.installer.install("codex")
    commands = [
        hook["command"] for hook in find(file.read_text(), lambda v: isinstance(v, dict) and "command" in v)
    ]
    assert old["command"] not in commands
    assert other["command"] in commands


@pytest.mark.children
def test_two_processes_at_once(home: Home) -> None:
    """The lock holds between processes too."""
    file = home.put("codex", '{\n  "mine": 1\n}\n')
    before = file.read_bytes()
    code = (
        "import sys; from pathlib import Path; from desktop.paths import Paths; "
        "from desktop.settings import HookSettings; from desktop.agents.tokens import Tokens; "
        "from desktop.agents.install import Installer; from desktop.agents.settings_file import Computer; "
        "paths = Paths.under(Path(sys.argv[1])); "
        "[Installer(paths, Tokens(paths), HookSettings(), Computer(Path(sys.argv[2]), {})).install('codex') "
        "for _ in range(10)]"
    )
    command = [sys.executable, "-c", code, str(home.paths.data.parent), str(home.computer.home)]
    running = [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(find(file.read_text(), ours("codex"))) == 4
    Installer(home.paths, Tokens(home.paths), HookSettings(), home.computer).uninstall("codex")
    assert file.read_bytes() == before


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands are run by sh here")


def trusted(home: Home) -> None:
    """Codex writes this when the user trusts a hook."""
    folder = home.file("codex").parent
    key = json.dumps(f"{folder}/hooks.json:pre_tool_use:0:0")
    (folder / "config.toml").write_text(f'[hooks.state.{key}]\ntrusted_hash = "sha256:x"\n')


def looked(home: Home, agent: str) -> HookStatus:
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
    assert found.state is HookState.ANSWERED, found
    assert found.is_well
    assert found.ms is not None
    assert daemon.requests
    assert all(request.what == f"hooks/{agent}" and request.was_proven for request in daemon.requests)


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_agents_without_hooks(home: Home, agent: str) -> None:
    """Not here, and here without our hooks, are two things, and neither is a fault."""
    assert looked(home, agent).state is HookState.ABSENT
    home.put(agent, None)
    found = looked(home, agent)
    assert (found.state, found.is_well) == (HookState.NOT_INSTALLED, True)


@pytest.mark.parametrize("agent", INSTALLABLE)
def test_steward_is_not_running(home: Home, agent: str) -> None:
    """It is said what to do."""
    home.port = free_port()
    home.put(agent, None)
    home.installer.install(agent)
    found = looked(home, agent)
    assert (found.state, found.is_well) == (HookState.SILENT, False)
    assert "Start Steward" in str(found.action)


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
    assert found.state is HookState.STRANGER
    assert "End that program" in str(found.action)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "opencode"])
def test_a_token_that_ended(home: Home, agent: str) -> None:
    """Steward is there and refuses: installing again mends it."""
    with Daemon(home.paths) as daemon:
        home.port = int(daemon.address)
        home.put(agent, None)
        home.installer.install(agent)
        home.tokens.forget(agent)
        found = looked(home, agent)
        assert found.state is HookState.REFUSED
        home.installer.install(agent)
        if agent == "codex":
            trusted(home)
        assert looked(home, agent).state is HookState.ANSWERED


@pytest.mark.skipif(os.name == "nt", reason="its shells have no words in common for it")
@pytest.mark.parametrize("shell", ["sh", "dash", "bash", "zsh", "fish"])
@pytest.mark.parametrize(("closed", "code"), [((), 1), (("claude-code",), 2)])
def test_a_hook_whose_program_is_gone_says_what_to_do(
    home: Home, tmp_path: Path, shell: str, closed: tuple[str, ...], code: int
) -> None:
    """One sentence for each call, in every shell that agents start hooks with; refused only where all is to
    be. What only tells is silent."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is missing")
    program = tmp_path / "gone" / "steward-hook"
    home.put("claude-code", None)
    settings = HookSettings(fail_closed=list(closed))
    installer = Installer(home.paths, home.tokens, settings, home.computer, HookClient((str(program),)))
    installer.install("claude-code")
    hooks = json.loads(home.file("claude-code").read_text())["hooks"]

    def run(event: str) -> tuple[int, str, str]:
        line = hooks[event][0]["hooks"][0]["command"]
        done = subprocess.run([shell, "-c", line], input="{}", capture_output=True, text=True, timeout=30)
        return done.returncode, done.stdout, done.stderr

    assert run("PreToolUse") == (code, "", f"{left_behind('claude-code')}\n")
    assert run("PostToolUse") == (0, "", "")
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@" | cut -d" " -f1,4-\nexit 3\n')
    program.chmod(0o755)
    flags = "--guards --fail-closed" if closed else "--guards"
    assert run("PreToolUse") == (3, f"claude-code 598 {flags}\n", "")


def test_a_client_that_was_moved(home: Home, tmp_path: Path) -> None:
    """A portable copy in another folder, a stick with another name: not Steward is missing, its client is."""
    client = HookClient((str(tmp_path / "stick" / "steward-hook"),))
    with Daemon(home.paths) as daemon:
        home.put("gemini-cli", None)
        settings = HookSettings(port=int(daemon.address))
        Installer(home.paths, home.tokens, settings, home.computer, client).install("gemini-cli")
        found = looked(home, "gemini-cli")
    assert (found.state, found.is_well) == (HookState.GONE, False)
    assert "Install again" in str(found.action)


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
    assert found.state is HookState.DISABLED
    assert word in str(found.detail)


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
        assert (found.state, found.is_well) == (HookState.OUTDATED, False)
        assert "Install again" in str(found.action)
        home.installer.install(agent)
        assert looked(home, agent).state is HookState.ANSWERED


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
        assert looked(home, agent).state is HookState.ANSWERED
    assert proxy.heads == []


def test_a_broken_file_is_told(home: Home) -> None:
    """Not as not installed."""
    home.put("claude-code", "{")
    assert looked(home, "claude-code").state is HookState.UNREADABLE


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
        assert looked(home, "codex").state is HookState.ANSWERED
        assert daemon.requests
    os.unlink(paths.hook_socket)
    assert looked(home, "codex").state is HookState.SILENT


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
        assert looked(home, agent).state is HookState.ANSWERED
        assert core.handler.recent == ()
    finally:
        core.close()
