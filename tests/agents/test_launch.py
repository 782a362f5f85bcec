"""Launched runs: two sealed files, the agent's own words and variables, and nothing left of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from desktop.agents import launch
from desktop.agents.action import Action, Moment
from desktop.agents.install import Installer
from desktop.agents.jsonc import find
from desktop.agents.launch import (
    OWN_FILE,
    LaunchedRun,
    LaunchedRuns,
    Launcher,
    ModelFacts,
    Prepared,
    Seals,
    broken,
)
from desktop.agents.settings_file import Computer, ours
from desktop.agents.tokens import Tokens
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.settings import HookSettings, Judge, PermissionSettings
from tests.agents.installing import everything_in

VENDOR = "settings.json"


@pytest.fixture
def runs(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> LaunchedRuns:
    """In the profile of the test, also where there is a file system in memory."""
    monkeypatch.setattr(launch, "MEMORY", Path("/nowhere"))
    return LaunchedRuns(paths)


def begun(runs: LaunchedRuns, agent: str = "claude-code") -> LaunchedRun:
    run = runs.begin(agent)
    runs.write(run, VENDOR, '{"hooks": {}}')
    runs.write(run, OWN_FILE, json.dumps({"sealed_files": [VENDOR]}))
    return run


def hook(agent: str = "claude-code") -> Action:
    return Action(agent, Moment.BEFORE)


def test_what_was_sealed_is_whole(runs: LaunchedRuns) -> None:
    """Nobody has touched it."""
    run = begun(runs)
    seals = Seals(runs)
    assert (broken(run), seals.broken(hook())) == (None, None)


def swap(run: LaunchedRun) -> None:
    one, other = run.file(VENDOR).read_bytes(), run.file(OWN_FILE).read_bytes()
    run.file(VENDOR).write_bytes(other)
    run.file(OWN_FILE).write_bytes(one)
    one, other = run.seal_of(VENDOR).read_bytes(), run.seal_of(OWN_FILE).read_bytes()
    run.seal_of(VENDOR).write_bytes(other)
    run.seal_of(OWN_FILE).write_bytes(one)


def without(name: str) -> Callable[[LaunchedRun], None]:
    def remove(run: LaunchedRun) -> None:
        run.file(name).unlink()

    return remove


TAMPERINGS: dict[str, Callable[[LaunchedRun], object]] = {
    "the vendor's file": lambda run: run.file(VENDOR).write_text("{}"),
    "one byte": lambda run: run.file(VENDOR).write_text('{"hooks": {} }'),
    "Steward's file": lambda run: run.file(OWN_FILE).write_text('{"sealed_files": []}'),
    "a seal": lambda run: run.seal_of(VENDOR).write_text("0" * 64),
    "an empty seal": lambda run: run.seal_of(VENDOR).write_text(""),
    "a seal of bytes": lambda run: run.seal_of(VENDOR).write_bytes(b"\xff\xfe"),
    "the key": lambda run: run.file(launch.KEY).write_bytes(bytes(32)),
    "no vendor's file": without(VENDOR),
    "no seal": without(f"{VENDOR}.seal"),
    "no key": without(launch.KEY),
    "nothing of Steward's": without(OWN_FILE),
    "exchanged with their seals": swap,
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_every_change_breaks_the_seal(runs: LaunchedRuns, name: str) -> None:
    """Noticed at the next hook, and everything of that agent is then asked."""
    run = begun(runs)
    seals = Seals(runs)
    assert seals.broken(hook()) is None
    TAMPERINGS[name](run)
    assert "not as sealed" in str(seals.broken(hook()))
    assert seals.broken(hook("codex")) is None


def test_what_was_broken_once_stays_broken(runs: LaunchedRuns) -> None:
    """Putting the old bytes back does not undo what happened meanwhile."""
    run = begun(runs)
    seals = Seals(runs)
    before = run.file(VENDOR).read_bytes()
    run.file(VENDOR).write_text("{}")
    assert seals.broken(hook())
    run.file(VENDOR).write_bytes(before)
    assert broken(run) is None
    assert seals.broken(hook())


def test_files_are_read_again_only_when_one_has_changed(
    runs: LaunchedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook must not wait for hashing what is as it was."""
    run = begun(runs)
    seals = Seals(runs)
    looked: list[str] = []

    def looks(each: LaunchedRun) -> None:
        looked.append(each.session)

    monkeypatch.setattr(launch, "broken", looks)
    for _ in range(3):
        seals.broken(hook())
    assert looked == [run.session]
    os.utime(run.file(VENDOR), ns=(1, 1))
    seals.broken(hook())
    assert looked == [run.session] * 2


def test_without_runs_nothing_is_broken(runs: LaunchedRuns) -> None:
    """Installed hooks have no seals."""
    assert Seals(runs).broken(hook()) is None


@pytest.mark.skipif(os.name == "nt", reason="modes say nothing there")
def test_only_the_owner_may_read(runs: LaunchedRuns) -> None:
    """Every file has mode 0600, the folder 0700."""
    run = begun(runs)
    assert run.folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in run.folder.iterdir()} == {0o600}


def test_an_ended_run_leaves_nothing(runs: LaunchedRuns) -> None:
    """Ending twice is no error."""
    run = begun(runs)
    runs.end(run)
    runs.end(run)
    assert not runs.folder.exists()


BEGIN = """
import os, sys
from pathlib import Path
from desktop.agents import launch
from desktop.paths import Paths
launch.MEMORY = Path("/nowhere")
run = launch.LaunchedRuns(Paths.under(Path(sys.argv[1]))).begin("codex")
print(run.session, flush=True)
sys.stdin.readline()
os.kill(os.getpid(), 9)
"""

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(os.name == "nt", reason="there is no such end there")
def test_what_a_killed_run_left_goes_at_the_next_launch(runs: LaunchedRuns, paths: Paths) -> None:
    """A run under way stays, whoever started it."""
    mine = begun(runs)
    command = [sys.executable, "-c", BEGIN, str(paths.data.parent)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as other:
        assert other.stdout is not None
        session = other.stdout.readline().strip()
        assert {run.session for run in runs.alive()} == {mine.session, session}
        assert runs.tidy() == ()
        other.communicate("\n")
    assert [run.session for run in runs.alive()] == [mine.session]
    assert runs.tidy() == (session,)
    assert [each.name for each in runs.folder.iterdir()] == [mine.session]


def test_a_number_used_again_is_no_run(runs: LaunchedRuns) -> None:
    """A process is known by its number and its start."""
    run = begun(runs)
    facts = json.loads(run.file(launch.RECORD).read_bytes())
    run.file(launch.RECORD).write_text(json.dumps({**facts, "started_s": facts["started_s"] - 1000}))
    assert runs.alive() == ()


@pytest.mark.skipif(not launch._is_in_memory(Path("/dev/shm")), reason="nothing is in memory here")
def test_a_run_lies_in_memory_where_it_can(paths: Paths) -> None:
    """In a folder of our own that goes with the last run; in one that others can enter a run does not lie."""
    runs, usual = LaunchedRuns(paths), paths.runtime / "launches"
    if launch._is_in_memory(paths.runtime):
        pytest.skip("the profile itself is in memory")
    assert runs.folder == usual
    first, second = runs.begin("codex"), runs.begin("codex")
    folder = runs.folder
    try:
        assert folder.parent == Path("/dev/shm")
        assert {run.session for run in LaunchedRuns(paths).alive()} == {first.session, second.session}
        folder.chmod(0o777)
        assert LaunchedRuns(paths).folder == usual
        assert LaunchedRuns(paths).alive() == ()
        folder.chmod(0o700)
    finally:
        runs.end(first)
        assert folder.exists()
        runs.end(second)
    assert not folder.exists()


pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs of these tests are scripts for sh")


MODEL = ModelFacts("qwen", "/models/qwen.gguf", 7, "Q4_K_M", True)

# Answers `hooks/list` as Codex 0.169 does, reading its own words as Codex does.
CODEX = f"""#!{sys.executable}
import hashlib, json, re, sys, tomllib
words = [sys.argv[at + 1] for at, word in enumerate(sys.argv) if word == "-c"]
hooks = tomllib.loads("\\n".join(word for word in words if not word.startswith("hooks.state")))["hooks"]
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "hooks/list":
        listed = [
            {{"key": f"/<session-flags>/config.toml:{{event}}:0:0", "source": "sessionFlags",
              "currentHash": "sha256:" + hashlib.sha256(repr(groups).encode()).hexdigest()}}
            for event, groups in hooks.items()
        ] + [{{"key": "/other", "source": "project", "currentHash": "sha256:evil"}}]
        print(json.dumps({{"method": "something/else"}}))
        print(json.dumps({{"id": 2, "result": {{"data": [{{"hooks": listed}}]}}}}), flush=True)
"""


class Launching:
    """A home with programs on PATH, and a launcher for it."""

    def __init__(self, paths: Paths, home: Path) -> None:
        self.paths, self.home = paths, home
        self.programs = home / "bin"
        self.programs.mkdir(parents=True)
        self.environment = {"PATH": str(self.programs), "HOME": str(home), "MINE": "1"}
        self.hooks = HookSettings(port=40000)
        self.tokens = Tokens(paths)
        self.runs = LaunchedRuns(paths)

    def put(self, name: str, text: str = "#!/bin/sh\n") -> None:
        program = self.programs / name
        program.write_text(text)
        program.chmod(0o755)

    @property
    def launcher(self) -> Launcher:
        computer = Computer(self.home, self.environment)
        installer = Installer(self.paths, self.tokens, self.hooks, computer)
        return Launcher(self.runs, self.tokens, installer, self.hooks, PermissionSettings())

    def prepare(self, name: str, *words: str, extra: Mapping[str, str] | None = None) -> Prepared:
        return self.launcher.prepare(name, words, {**self.environment, **(extra or {})}, MODEL)


@pytest.fixture
def launching(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Launching:
    monkeypatch.setattr(launch, "MEMORY", Path("/nowhere"))
    made = Launching(paths, tmp_path / "home")
    for name in ("claude", "copilot", "opencode"):
        made.put(name)
    made.put("codex", CODEX)
    return made


AGENTS = {"claude": "claude-code", "codex": "codex", "copilot": "copilot-cli", "opencode": "opencode"}


def own(prepared: Prepared) -> dict[str, object]:
    made = json.loads(Path(prepared.environment["ORCHESTRATOR_SETTINGS"]).read_text())
    assert isinstance(made, dict)
    return made


@pytest.mark.parametrize(("word", "agent"), [*AGENTS.items(), ("claude-code", "claude-code")])
def test_a_run_is_sealed_and_leaves_nothing(launching: Launching, word: str, agent: str) -> None:
    """Its token works while it lives; afterwards there is no file and no token, and the home is untouched."""
    (launching.home / ".claude").mkdir()
    (launching.home / ".claude" / "settings.json").write_text('{"model": "opus"}')
    before = everything_in(launching.home)
    prepared = launching.prepare(word, "-p", "two words")
    assert broken(prepared.run) is None
    assert (
        prepared.command[0]
        == str(launching.programs / AGENTS.get(word, "claude"))[: len(prepared.command[0])]
    )
    assert prepared.command[-2:] == ("-p", "two words")
    token = (prepared.run.folder / "hook.token").read_text().splitlines()[0]
    assert launching.tokens.agent_of(token) == agent
    assert launching.tokens.any_expected
    launching.launcher.end(prepared.run)
    assert everything_in(launching.home) == before
    assert not launching.runs.folder.exists()
    assert launching.tokens.agent_of(token) is None
    assert not launching.tokens.any_expected


def test_stewards_own_file_tells_what_guards_the_run(launching: Launching) -> None:
    """Every field that other programs may read, and the seals of both files."""
    prepared = launching.prepare("claude")
    told, folder = own(prepared), prepared.run.folder
    url = "http://127.0.0.1:40000"
    callback = f"{url}/hooks/claude-code"
    assert told == {
        "version": 1,
        "orchestration": {"enabled": True, "api_url": url, "session": prepared.run.session},
        "agents": {
            "name": "claude-code",
            "settings": str(folder / "settings.json"),
            "sealed_file": str(folder / "settings.json.seal"),
        },
        "rules": {"sealed_file": str(folder / "steward.json.seal")},
        "hooks": {
            "enabled": True,
            "sealed_file": str(folder / "steward.json.seal"),
            "model_type": "embedded",
            "model_name": "qwen",
            "model_path": "/models/qwen.gguf",
            "model_size": 7,
            "quantization": "Q4_K_M",
            "loaded": True,
            "inference_timeout_ms": 2000,
            "temperature": 0.1,
            "max_tokens": 10,
            "top_k": 40,
            "top_p": 0.95,
            "repeat_penalty": 1.1,
            "active_hooks": ["pre_command", "post_command", "post_execution"],
            "callbacks": {
                "pre_command": callback,
                "post_command": callback,
                "post_execution": callback,
            },
        },
        "permissions": {
            "auto_allow_read": True,
            "require_confirmation_cud": True,
            "dangerously_skip_permissions": False,
            "judge_may_allow": False,
        },
        "temp_dir": str(folder),
        "sealed_files": ["hook.token", "settings.json"],
    }
    variables = {
        name: value for name, value in prepared.environment.items() if name.startswith("ORCHESTRATOR_")
    }
    assert variables == {
        "ORCHESTRATOR_API_URL": url,
        "ORCHESTRATOR_SETTINGS": str(folder / "steward.json"),
        "ORCHESTRATOR_SESSION": prepared.run.session,
    }
    assert prepared.environment["MINE"] == "1"
    token = (folder / "hook.token").read_text().splitlines()[0]
    assert token not in json.dumps(told)


def test_no_judge_is_told_as_none(launching: Launching) -> None:
    """A model that is not asked is not named."""
    launching.hooks = HookSettings(judge=Judge.NONE)
    hooks = own(launching.prepare("claude"))["hooks"]
    assert isinstance(hooks, dict)
    assert (hooks["model_type"], hooks["model_name"], hooks["loaded"]) == ("none", "", False)


def test_claude_gets_a_file_of_its_vendors_form(launching: Launching) -> None:
    """Nothing but hooks is in it, all of them ours, with the file of the run's token."""
    prepared = launching.prepare("claude", "--model", "opus")
    file = prepared.run.folder / "settings.json"
    assert prepared.command[1:3] == ("--settings", str(file))
    assert set(json.loads(file.read_text())) == {"hooks"}
    hooks = find(file.read_text(), ours("claude-code"))
    assert hooks
    assert all(f"@{prepared.run.folder / 'hook.token'}" in hook["command"] for hook in hooks)


GIVEN = [
    ({}, "127.0.0.1,localhost,::1"),
    ({"NO_PROXY": "corp.example, 127.0.0.1"}, "corp.example,127.0.0.1,localhost,::1"),
    ({"no_proxy": "a", "NO_PROXY": "b"}, "b,a,127.0.0.1,localhost,::1"),
]


@pytest.mark.parametrize(("given", "hosts"), GIVEN)
def test_a_run_reaches_this_computer_without_a_proxy(
    launching: Launching, given: dict[str, str], hosts: str
) -> None:
    """What the user has named there stays."""
    prepared = launching.prepare("claude", extra={**given, "HTTP_PROXY": "http://10.0.0.1:1"})
    assert prepared.environment["NO_PROXY"] == prepared.environment["no_proxy"] == hosts
    assert prepared.environment["HTTP_PROXY"] == "http://10.0.0.1:1"


def test_codex_trusts_our_hooks_and_no_others(launching: Launching) -> None:
    """The hash that Codex told goes into the words of the run; of a project's hook it does not."""
    words = launching.prepare("codex", "exec").command[1:-1]
    assert words[::2] == ("-c",) * (len(words) // 2)
    told = tomllib.loads("\n".join(words[1::2]))["hooks"]
    state = told.pop("state")
    assert set(state) == {f"/<session-flags>/config.toml:{event}:0:0" for event in told}
    assert all(each["trusted_hash"].startswith("sha256:") for each in state.values())
    assert {"PreToolUse", "PermissionRequest"} <= set(told)


def test_a_codex_that_takes_no_hooks_is_not_started(launching: Launching) -> None:
    """An unguarded run would look like a guarded one."""
    launching.put("codex", "#!/bin/sh\nexit 1\n")
    with pytest.raises(UserFacing) as caught:
        launching.prepare("codex")
    assert caught.value.code == "not-taken"
    assert not launching.runs.folder.exists()


def test_copilot_gets_a_plugin_and_opencode_a_variable(launching: Launching) -> None:
    """Each in the form that its program takes."""
    copilot = launching.prepare("copilot")
    assert copilot.command[1:3] == ("--plugin-dir", str(copilot.run.folder))
    manifest = json.loads((copilot.run.folder / "plugin.json").read_text())
    assert "hooks" in json.loads((copilot.run.folder / manifest["hooks"]).read_text())
    opencode = launching.prepare("opencode")
    config = json.loads(opencode.environment["OPENCODE_CONFIG_CONTENT"])
    assert config == {"plugin": [(opencode.run.folder / "steward.js").as_uri()]}


REFUSED = [
    ("gemini", (), {}, "no-agent"),
    ("cursor", (), {}, "no-agent"),
    ("clippy", (), {}, "no-agent"),
    ("claude", ("--settings", "x.json"), {}, "in-use"),
    ("claude", ("--settings={}",), {}, "in-use"),
    ("opencode", (), {"OPENCODE_CONFIG_CONTENT": "{}"}, "in-use"),
]


@pytest.mark.parametrize(("name", "words", "extra", "code"), REFUSED)
def test_what_cannot_be_launched_is_said(
    launching: Launching, name: str, words: tuple[str, ...], extra: dict[str, str], code: str
) -> None:
    """Before anything is started, and nothing is left."""
    with pytest.raises(UserFacing) as caught:
        launching.prepare(name, *words, extra=extra)
    assert caught.value.code == code
    assert not launching.runs.folder.exists()
    assert not launching.tokens.any_expected


def test_a_program_that_is_not_here(launching: Launching) -> None:
    """Said by its name."""
    (launching.programs / "claude").unlink()
    with pytest.raises(UserFacing, match="claude was not found"):
        launching.prepare("claude")


def test_leftovers_of_a_crash_go_with_their_tokens(launching: Launching) -> None:
    """At the next launch; runs under way stay."""
    alive, dead = launching.prepare("claude"), launching.prepare("copilot")
    record = dead.run.file(launch.RECORD)
    record.write_text(json.dumps({**json.loads(record.read_text()), "started_s": 1.0}))
    token = (dead.run.folder / "hook.token").read_text().splitlines()[0]
    launching.launcher.tidy()
    assert [run.session for run in launching.runs.alive()] == [alive.run.session]
    assert not dead.run.folder.exists()
    assert launching.tokens.agent_of(token) is None
