"""`launch` with the real programs: the run's own settings reach them, and nothing of the user's is touched.

Found as in test_real_programs.py, by STEWARD_TEST_AGENTS.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.action import HookChoice
from desktop.agents.install import Installer
from desktop.agents.launch import LaunchedRuns, Launcher, ModelFacts
from desktop.agents.settings_file import Computer
from desktop.app import Services, build_core
from desktop.asking import Answer
from desktop.asking import Choice as Click
from desktop.paths import Paths
from tests.agents.installing import everything_in
from tests.agents.scripted_service import Script, Service
from tests.agents.test_real_programs import ENDS_S, FOLDER, PROGRAMS, Program
from tests.fakes.asker import FakeAsker

pytestmark = [pytest.mark.children, pytest.mark.slow, pytest.mark.timeout(180)]

WORDS = {
    "claude-code": ("claude", "-p", "go"),
    "codex": ("codex", "exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "go"),
    "copilot-cli": ("copilot", "-p", "go"),
    "opencode": ("opencode", "run", "go"),
}
LAUNCHED = [program for program in PROGRAMS if program.agent in WORDS]


class Launched:
    """One agent without our hooks in its settings, a project, and a model that is scripted."""

    def __init__(self, program: Program, folder: Path, service: Service, core: Services) -> None:
        self.program, self.service, self.core = program, service, core
        self.home, self.project = folder / "home", folder / "project"
        for each in (self.home / ".codex", self.home / ".config" / "opencode", self.project, folder / "bin"):
            each.mkdir(parents=True)
        (self.project / "victim.txt").write_text("x\n")
        (folder / "bin" / WORDS[program.agent][0]).symlink_to(Path(FOLDER) / program.file)
        more = program.prepare(self.home, service.url)
        path = f"{folder / 'bin'}:{os.environ['PATH']}"
        self.environment = {"PATH": path, "HOME": str(self.home), **more}
        self.settings = everything_in(self.home)
        hooks = core.settings.current.hooks
        computer = Computer(self.home, self.environment)
        installer = Installer(core.paths, core.tokens, hooks, computer)
        permissions = core.settings.current.permissions
        self.runs = LaunchedRuns(core.paths)
        self.launcher = Launcher(self.runs, core.tokens, installer, hooks, permissions)

    def run(self, command: str) -> str:
        """Let the model call the shell; returns what the model was told of it."""
        script = Script(self.program.tool, {self.program.command: command, **self.program.more})
        self.service.script = script
        name, *words = WORDS[self.program.agent]
        prepared = self.launcher.prepare(name, tuple(words), self.environment, ModelFacts())
        try:
            done = subprocess.run(
                prepared.command,
                cwd=self.project,
                env=dict(prepared.environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=ENDS_S,
                check=False,
            )
        finally:
            self.launcher.end(prepared.run)
        assert script.results, done.stdout + done.stderr
        return script.results[-1]


@pytest.fixture(params=LAUNCHED, ids=lambda program: program.agent)
def launched(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Launched]:
    program: Program = request.param
    if not FOLDER or not (Path(FOLDER) / program.file).exists():
        pytest.skip(f"{program.agent} is not in the folder that STEWARD_TEST_AGENTS names")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        monkeypatch.setenv("STEWARD_HOOKS__PORT", str(listening.getsockname()[1]))
    service, core = Service(), build_core(Paths.under(tmp_path / "profile"))
    asker = FakeAsker()
    asker.answer = Answer(Click.DENY, instead="use the trash")
    core.asker = asker
    core.server.start()
    yield Launched(program, tmp_path, service, core)
    core.close()
    service.close()


def test_a_launched_run_is_guarded(launched: Launched) -> None:
    """A no reaches the model; the settings that the user had are as they were, and the run left nothing."""
    told = launched.run("rm victim.txt")
    assert (launched.project / "victim.txt").exists()
    assert "use the trash" in told
    now = {name: _less_schema(text) for name, text in everything_in(launched.home).items()}
    assert {name: now.get(name) for name in launched.settings} == launched.settings
    small = [text for text in now.values() if len(text) < 5000]  # not the program's own logs and caches
    assert not any(b"/hooks/" in text for text in small)
    assert not launched.runs.folder.exists()


def _less_schema(text: bytes | str) -> bytes:
    """OpenCode writes the address of its schema into its settings at every start."""
    return re.sub(rb'\n  "\$schema": "[^"]*",', b"", text) if isinstance(text, bytes) else text.encode()


def test_reading_goes_through_at_once(launched: Launched) -> None:
    """Without a question."""
    launched.run("ls")
    assert HookChoice.ALLOW in {event.choice for event in launched.core.handler.recent}
    assert isinstance(launched.core.asker, FakeAsker)
    assert launched.core.asker.questions == []
