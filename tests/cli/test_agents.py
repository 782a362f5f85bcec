"""`steward agents …`: what is shown, what is asked, what is done."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.agents.action import Action, Moment
from desktop.agents.agent_list import AGENTS
from desktop.agents.rewriting import RewriteOutcome
from desktop.app import Services
from desktop.cli import agents
from desktop.errors import Cancelled, UserFacing
from tests.agents.installing import Daemon, everything_in

pytestmark = pytest.mark.skipif(os.name == "nt", reason="commands are run by sh here")

MINE = '{\n  "model": "opus" // mine\n}\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which Claude Code was started before, and nothing else."""
    folder = tmp_path / "home"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".claude" / "settings.json").write_text(MINE)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def daemon(core: Services) -> Iterator[Daemon]:
    running = Daemon(core.paths)
    with running:
        core.settings.change("hooks", "port", int(running.address))
        yield running


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Type a line at a real terminal."""
    ours, theirs = os.openpty()
    with os.fdopen(ours, "w") as typed, os.fdopen(theirs) as read:
        monkeypatch.setattr(sys, "stdin", read)

        def type_line(line: str) -> None:
            typed.write(f"{line}\n")
            typed.flush()

        yield type_line


def test_install_finds_shows_does_and_proves(
    home: Path, core: Services, daemon: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a name the agents of this computer; the change is printed, without its token."""
    before = everything_in(home)
    assert agents.install(core, "", yes=True) == 0
    told = capsys.readouterr().out
    assert '+  "hooks": {' in told
    assert "claude-code: Installed, and Steward answered." in told
    text = (home / ".claude" / "settings.json").read_text()
    token = (core.paths.config / "hook_tokens" / "claude-code.token").read_text()
    assert token.splitlines()[0] not in text + told
    assert agents.install(core, "claude-code", yes=True) == 0
    assert "they get a new token" in capsys.readouterr().out
    assert agents.tell_status(core, "", as_json=False) == 0
    assert "✓ claude-code  Installed, and Steward answered in " in capsys.readouterr().out
    assert agents.uninstall(core, "", yes=True) == 0
    assert "claude-code: its hooks are gone." in capsys.readouterr().out
    assert everything_in(home) == before


@pytest.mark.parametrize("word", ["n", "", "no", "yess"])
def test_only_a_yes_is_a_yes(home: Path, core: Services, terminal: Callable[[str], None], word: str) -> None:
    """At a terminal it is asked, and nothing is done for anything else."""
    before = everything_in(home)
    terminal(word)
    with pytest.raises(Cancelled):
        agents.install(core, "claude-code", yes=False)
    assert everything_in(home) == before
    assert core.tokens.agents() == ()


def test_a_yes_at_the_terminal(
    home: Path, core: Services, daemon: Daemon, terminal: Callable[[str], None]
) -> None:
    """Does what was shown."""
    terminal("y")
    agents.install(core, "claude-code", yes=False)
    assert core.tokens.agents() == ("claude-code",)


def test_nobody_to_ask_changes_nothing(home: Path, core: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script has to say --yes."""
    before = everything_in(home)
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(UserFacing, match="--yes"):
            agents.install(core, "", yes=False)
    assert everything_in(home) == before


def test_no_agent_is_here(home: Path, core: Services) -> None:
    """An example of what to type."""
    (home / ".claude" / "settings.json").unlink()
    (home / ".claude").rmdir()
    with pytest.raises(UserFacing, match="steward agents install claude-code"):
        agents.install(core, "", yes=True)


def test_the_list_says_what_each_agent_can_do(
    home: Path, core: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also what it cannot: no protection is claimed that an agent ignores."""
    agents.show(core, as_json=True)
    rows = {row["agent"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == {each.name for each in AGENTS if each.programs}
    assert {row["agent"] for row in rows.values() if "not tried" in row["words"]} == {
        each.name for each in AGENTS if each.is_untried
    }
    assert (rows["claude-code"]["here"], rows["claude-code"]["installed"]) == (True, False)
    assert rows["codex"]["here"] is False
    assert all(row["words"] for row in rows.values())
    agents.show(core, as_json=False)
    assert "claude-code  found      Claude Code" in capsys.readouterr().out


def test_status_tells_what_is_wrong_and_fails(
    home: Path, core: Services, daemon: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the exit code 1, and one thing to do."""
    agents.install(core, "claude-code", yes=True)
    capsys.readouterr()
    core.tokens.forget("claude-code")
    assert agents.tell_status(core, "claude-code", as_json=False) == 1
    told = capsys.readouterr().out
    assert "✗ claude-code" in told
    assert "Install again" in told
    assert agents.tell_status(core, "claude-code", as_json=True) == 1
    assert json.loads(capsys.readouterr().out)[0]["state"] == "refused"


def test_status_tells_of_a_version_that_ignores_what_it_is_told(
    home: Path, core: Services, daemon: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    """Until it is installed again, which has it tried again."""
    agents.install(core, "claude-code", yes=True)
    core.rewriting.ended(Action("claude-code", Moment.AFTER, session="s"), RewriteOutcome.IGNORED)
    capsys.readouterr()
    agents.tell_status(core, "claude-code", as_json=False)
    assert "! Claude Code ignored the rewritten command; Steward asks again." in capsys.readouterr().out
    agents.tell_status(core, "claude-code", as_json=True)
    assert json.loads(capsys.readouterr().out)[0]["rewriting"] == "ignored"
    agents.install(core, "claude-code", yes=True)
    capsys.readouterr()
    agents.tell_status(core, "claude-code", as_json=False)
    assert "!" not in capsys.readouterr().out


def test_uninstalling_what_is_not_there(
    home: Path, core: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """Changes nothing and is no error."""
    before = everything_in(home)
    assert agents.uninstall(core, "", yes=True) == 0
    assert agents.uninstall(core, "codex", yes=True) == 0
    told = capsys.readouterr().out
    assert "No agent has hooks of Steward's." in told
    assert "codex: there were no hooks." in told
    assert everything_in(home) == before
