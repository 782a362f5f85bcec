"""Tokens: one for each agent, kept as hashes, ended by rotation; and the address of the running daemon."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.agents.tokens import Api, Key, Tokens, key_digits, key_name
from desktop.paths import Paths

ROOT = Path(__file__).resolve().parents[2]


def test_a_token_says_whose_it_is(paths: Paths) -> None:
    """The agent of a token is found, also by another object of the same profile, and by nobody else's."""
    tokens = Tokens(paths)
    first, second = tokens.make("claude-code"), tokens.make("codex")
    assert [Tokens(paths).agent_of(t) for t in (first, second)] == ["claude-code", "codex"]
    assert tokens.agents() == ("claude-code", "codex")


@pytest.mark.parametrize("wrong", ["", "x", "a" * 64, "\udc80", "claude-code", "ä" * 5000])
def test_what_is_no_token_belongs_to_nobody(paths: Paths, wrong: str) -> None:
    """Whatever is sent in place of a token, no agent is found."""
    tokens = Tokens(paths)
    tokens.make("claude-code")
    assert tokens.agent_of(wrong) is None


def test_the_hash_is_no_token(paths: Paths) -> None:
    """Whoever reads the file cannot speak as the agent with what stands there."""
    tokens = Tokens(paths)
    token = tokens.make("codex")
    text = (paths.config / "agent_tokens.json").read_text()
    assert token not in text
    assert tokens.agent_of(json.loads(text)["codex"]) is None


def test_a_new_token_ends_the_old_one(paths: Paths) -> None:
    """Installing again rotates; a running daemon notices at once."""
    daemon, installer = Tokens(paths), Tokens(paths)
    old = installer.make("codex")
    assert daemon.agent_of(old) == "codex"
    new = installer.make("codex")
    assert (daemon.agent_of(old), daemon.agent_of(new)) == (None, "codex")


def test_forgetting_ends_one_agent_only(paths: Paths) -> None:
    """Uninstalling one agent leaves the others, and forgetting twice is no error."""
    tokens = Tokens(paths)
    gone, kept = tokens.make("codex"), tokens.make("cursor")
    tokens.forget("codex")
    tokens.forget("codex")
    assert (tokens.agent_of(gone), tokens.agent_of(kept)) == (None, "cursor")


def test_a_launched_run_has_a_token_of_its_own(paths: Paths) -> None:
    """It stands beside the installed one and ends with its run."""
    tokens = Tokens(paths)
    installed, lent = tokens.make("codex"), tokens.lend("codex", "s1")
    other = tokens.lend("codex", "s2")
    assert tokens.agent_of(lent) == "codex"
    tokens.forget("codex")
    tokens.end("s1")
    assert [tokens.agent_of(t) for t in (installed, lent, other)] == [None, None, "codex"]
    assert tokens.agents() == ()


def test_somebody_is_expected_while_installed_or_launched(paths: Paths) -> None:
    """Without an agent nobody need listen."""
    tokens = Tokens(paths)
    seen = [tokens.any_expected]
    tokens.lend("codex", "s1")
    seen.append(tokens.any_expected)
    tokens.end("s1")
    seen.append(tokens.any_expected)
    tokens.make("codex")
    seen.append(tokens.any_expected)
    assert seen == [False, True, False, True]


def test_the_address_is_published_and_withdrawn(paths: Paths) -> None:
    """The general token is that of the run; a run that ends takes back only what it published."""
    first, second = Tokens(paths), Tokens(paths)
    first.publish("http://127.0.0.1:1")
    assert second.published() == Api("http://127.0.0.1:1", first.general(), os.getpid())
    second.publish("http://127.0.0.1:2")
    first.withdraw()
    assert (published := first.published()) is not None
    assert published.token == second.general() != first.general()
    second.withdraw()
    assert first.published() is None


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps others out by the folder")
def test_only_the_owner_may_read(paths: Paths) -> None:
    """Both files have mode 0600, whatever the umask."""
    before = os.umask(0)
    try:
        tokens = Tokens(paths)
        tokens.make("codex")
        tokens.publish("http://127.0.0.1:1")
    finally:
        os.umask(before)
    for file in (paths.config / "agent_tokens.json", paths.runtime / "api.json"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps others out by the folder")
def test_a_file_that_others_may_write_is_not_believed(paths: Paths) -> None:
    """Somebody could have put a hash of their own there."""
    tokens = Tokens(paths)
    token = tokens.make("codex")
    (paths.config / "agent_tokens.json").chmod(0o622)
    assert Tokens(paths).agent_of(token) is None


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"codex": 1}', '{"codex": "short"}', "\x00"])
def test_a_broken_file_lets_nobody_in(paths: Paths, broken: str) -> None:
    """Nothing is raised, and nobody is believed; installing again mends it."""
    paths.config.mkdir(parents=True)
    (paths.config / "agent_tokens.json").write_text(broken)
    tokens = Tokens(paths)
    assert tokens.agent_of("short") is None
    assert tokens.agent_of(tokens.make("codex")) == "codex"


@pytest.mark.parametrize(
    "bad", ["\u00e9" * 64, "z" * 64, "A" * 64, "\ud800" * 64, "a" * 63, 5, None, ["a" * 64]]
)
def test_an_entry_that_is_no_hash_takes_no_other_along(paths: Paths, bad: object) -> None:
    """Neither where a token is looked up nor where a line is proven."""
    tokens = Tokens(paths)
    token = tokens.make("claude-code")
    file = paths.config / "agent_tokens.json"
    file.write_text(json.dumps({"another": bad, **json.loads(file.read_text())}), "utf-8")
    again = Tokens(paths)
    assert again.agent_of(token) == "claude-code"
    assert again.key(key_name(key_digits(token))) == Key("claude-code", key_digits(token))
    assert again.agents() == ("claude-code",)


@pytest.mark.children
def test_two_installs_at_once_lose_no_token(paths: Paths) -> None:
    """Each process keeps what the other wrote."""
    code = (
        "import sys; from pathlib import Path; from desktop.paths import Paths; "
        "from desktop.agents.tokens import Tokens; tokens = Tokens(Paths.under(Path(sys.argv[1]))); "
        "[tokens.make(f'{sys.argv[2]}{n}') for n in range(20)]"
    )
    command = [sys.executable, "-c", code, str(paths.data.parent)]
    running = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("a", "b")]
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(Tokens(paths).agents()) == 40
