"""The real programs of coding agents against the real gate: what they let our hooks do, and what they ignore.

They are looked for in the folder `node_modules` that STEWARD_TEST_AGENTS names:

    npm install @anthropic-ai/claude-code @openai/codex @google/gemini-cli @github/copilot opencode-ai

No account and no network is needed: their model service is a script on loopback.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from desktop.agents.action import HookChoice
from desktop.agents.events import ConfinedOutcome, DecidedBy
from desktop.agents.install import Installer
from desktop.agents.mcp_settings import McpInstaller, McpState
from desktop.agents.rewriting import RewriteSupport
from desktop.agents.settings_file import Computer
from desktop.app import Services, build_core
from desktop.asking import ALLOWED_ONCE, Answer
from desktop.asking import Choice as Click
from desktop.paths import Paths
from tests.agents.scripted_service import Script, Service
from tests.fakes.asker import FakeAsker
from tests.ports import free_port

FOLDER = os.environ.get("STEWARD_TEST_AGENTS", "")
ENDS_S = 90
DENIED = Answer(Click.DENY, instead="use the trash")

pytestmark = [pytest.mark.children, pytest.mark.slow, pytest.mark.timeout(180)]


def _claude(home: Path, url: str) -> dict[str, str]:
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "DISABLE_AUTOUPDATER": "1"}


def _codex(home: Path, url: str) -> dict[str, str]:
    provider = f'name = "scripted"\nbase_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n'
    (home / ".codex" / "config.toml").write_text(
        f'model = "scripted"\nmodel_provider = "scripted"\n[model_providers.scripted]\n{provider}'
    )
    return {"SCRIPTED_KEY": "none"}


def _gemini(home: Path, url: str) -> dict[str, str]:
    file = home / ".gemini" / "settings.json"
    more = {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}}
    file.write_text(json.dumps({**json.loads(file.read_text()), **more}))
    return {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url}


def _copilot(home: Path, url: str) -> dict[str, str]:
    names = {"BASE_URL": f"{url}/v1", "TYPE": "openai", "API_KEY": "none"}
    service = {f"COPILOT_PROVIDER_{name}": value for name, value in names.items()}
    return {**service, "COPILOT_MODEL": "scripted", "COPILOT_OFFLINE": "true"}


def _opencode(home: Path, url: str) -> dict[str, str]:
    model = "anthropic/claude-sonnet-4-5"
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    settings = {"model": model, "small_model": model, "provider": {"anthropic": {"options": options}}}
    (home / ".config" / "opencode" / "opencode.json").write_text(json.dumps(settings))
    return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


@dataclass(frozen=True)
class Program:
    """One agent: its program, how it is started without a terminal, and its shell tool."""

    agent: str
    file: str
    arguments: tuple[str, ...]
    prepare: Callable[[Path, str], dict[str, str]]
    tool: str
    command: str = "command"
    more: dict[str, Any] = field(default_factory=lambda: {"description": "Try"})
    interpreter: tuple[str, ...] = ()
    ends_unanswered: bool = True

    @property
    def argv(self) -> list[str]:
        return [*self.interpreter, str(Path(FOLDER) / self.file), *self.arguments]


CODEX = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
CODEX_ARGUMENTS = ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go")
PROGRAMS = (
    Program("claude-code", "@anthropic-ai/claude-code/bin/claude.exe", ("-p", "go"), _claude, "Bash"),
    Program(
        "codex",
        CODEX,
        (*CODEX_ARGUMENTS, "--sandbox", "danger-full-access"),
        _codex,
        "exec_command",
        "cmd",
        {},
    ),
    Program(
        "gemini-cli",
        "@google/gemini-cli/bundle/gemini.js",
        ("-m", "gemini-2.5-pro", "-p", "go", "--approval-mode", "yolo"),
        _gemini,
        "run_shell_command",
        interpreter=("node",),
        ends_unanswered=False,  # it waits for a terminal
    ),
    Program("copilot-cli", "@github/copilot-linux-x64/copilot", ("-p", "go"), _copilot, "bash"),
    Program("opencode", "opencode-linux-x64/bin/opencode", ("run", "go"), _opencode, "bash"),
)


class Bench:
    """One agent with our hooks in its settings, a project, a model that is scripted, and a user."""

    def __init__(self, program: Program, folder: Path, service: Service, core: Services) -> None:
        self.program, self.service, self.core = program, service, core
        self.home, self.project = folder / "home", folder / "project"
        self.asker = FakeAsker()
        core.asker = self.asker
        self.home.mkdir()
        self.project.mkdir()
        self.victim = self.project / "victim.txt"
        self.victim.write_text("x\n")
        computer = Computer(self.home, {"PATH": os.environ["PATH"]})
        Installer(core.paths, core.tokens, core.settings.current.hooks, computer).install(program.agent)
        self.environment = program.prepare(self.home, service.url)

    def run(self, command: str, answer: Answer | None, *then: str) -> str:
        """Let the model call the shell, once for each command; returns what the model was told last."""
        self.asker.answer = answer
        calls = [{self.program.command: line, **self.program.more} for line in (command, *then)]
        return self.go(Script(self.program.tool, calls[0], then=tuple(calls[1:])))

    def go(self, script: Script) -> str:
        """Let the model make these calls; what it was told last."""
        self.service.script = script
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), **self.environment}
        done = subprocess.run(
            self.program.argv,
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ENDS_S,
            check=False,
        )
        assert self.service.script.results, done.stdout + done.stderr
        return self.service.script.results[-1]


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.agent)
def bench(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    program: Program = request.param
    if not FOLDER or not (Path(FOLDER) / program.file).exists():
        pytest.skip(f"{program.agent} is not in the folder that STEWARD_TEST_AGENTS names")
    monkeypatch.setenv("STEWARD_HOOKS__PORT", str(free_port()))
    service, core = Service(), build_core(Paths.under(tmp_path / "profile"))
    core.server.start()
    yield Bench(program, tmp_path, service, core)
    core.close()
    service.close()


# As each program names a tool of the server `steward` to its model.
CLASSIFY = {
    "claude-code": "mcp__steward__classify",
    "codex": "mcp__steward__classify",
    "gemini-cli": "mcp_steward_classify",
    "copilot-cli": "steward-classify",
    "opencode": "steward_classify",
}


def test_stewards_tools_are_called_as_installed(bench: Bench) -> None:
    """The program reads the entry, starts the bridge, and its model gets the answer of this Steward."""
    agent = bench.program.agent
    bench.core.settings.change("hooks", "agent_tools", True)
    computer = Computer(bench.home, {"PATH": os.environ["PATH"]})
    installer = McpInstaller(bench.core.paths, bench.core.settings.current.hooks, computer)
    installer.install(agent)
    assert installer.status(agent).state is McpState.ANSWERED
    # A person types for longer than a server takes to start; a scripted model answers at once.
    program = bench.program
    waiting = {program.command: "sleep 8", **program.more}
    script = Script(program.tool, waiting, then=({"command": "rm -rf build"},), after=CLASSIFY[agent])
    told = bench.go(script)
    assert "delet" in told.casefold(), told


def test_what_reads_runs_without_a_question(bench: Bench) -> None:
    """The hook is asked, and the program goes on by itself."""
    bench.run("ls", DENIED)
    assert not bench.asker.questions
    assert [event.by for event in bench.core.handler.recent] == [DecidedBy.READING]


@pytest.mark.usefixtures("confining")
def test_what_reads_runs_read_only(bench: Bench) -> None:
    """The program runs the rewritten line, and says so in the hook afterwards; the model sees the output."""
    assert "victim.txt" in bench.run("cd . && ls -a", DENIED)
    (event,) = bench.core.handler.recent
    assert (event.text, event.confined, event.ran) == ("cd . && ls -a", "read only", ConfinedOutcome.CONFINED)
    assert [mark.standing for mark in bench.core.rewriting.marks()] == [RewriteSupport.HONOURED]


@pytest.mark.usefixtures("confining")
def test_what_the_programs_shell_was_given_is_known_in_the_box(bench: Bench) -> None:
    """Claude Code brings rg as a function of its shell, and may be the only one to have it."""
    if bench.program.agent != "claude-code":
        pytest.skip("only Claude Code gives its shell functions")
    assert "function" in bench.run("type -t rg", DENIED)


def test_a_no_stops_it_and_reaches_the_model(bench: Bench) -> None:
    """With the words of the user, whatever mode the program runs in."""
    told = bench.run("rm victim.txt", DENIED)
    assert bench.victim.exists()
    assert "use the trash" in told
    assert [question.arguments for question in bench.asker.questions] == ["rm victim.txt"]
    assert bench.asker.questions[0].origin.folder == str(bench.project)


def test_a_yes_lets_it_run_and_is_asked_once(bench: Bench) -> None:
    """The program's second hook for the same call does not ask again."""
    bench.run("rm victim.txt", ALLOWED_ONCE)
    assert not bench.victim.exists()
    assert len(bench.asker.questions) == 1


def test_without_an_answer_it_does_not_run(bench: Bench) -> None:
    """In whatever form this program understands."""
    if not bench.program.ends_unanswered:
        pytest.skip("it waits for a terminal, and nothing runs meanwhile")
    bench.run("rm victim.txt", None)
    assert bench.victim.exists()
    assert HookChoice.ALLOW not in {event.choice for event in bench.core.handler.recent}


def test_its_own_allow_rules_count_once_the_user_agrees(bench: Bench) -> None:
    """Before that the question comes all the same; afterwards none, and what they do not name still asks."""
    if bench.program.agent != "claude-code":
        pytest.skip("a project's own file of rules was tried with Claude Code")
    settings = bench.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash(touch:*)"]}}))
    bench.run("touch first.txt", DENIED)
    assert [question.arguments for question in bench.asker.questions] == ["touch first.txt"]
    (listed,) = (each for each in bench.core.own_rules.listed() if each.file == settings)
    bench.core.agent_consents.agree(listed)
    bench.run("touch second.txt", DENIED, "rm victim.txt")
    assert [question.arguments for question in bench.asker.questions][1:] == ["rm victim.txt"]
    assert (bench.project / "second.txt").exists()
    assert not (bench.project / "first.txt").exists()
    assert bench.victim.exists()
