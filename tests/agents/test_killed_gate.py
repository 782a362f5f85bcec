"""Steward dies between the rewriting and the run: real processes, the real client, the real kill."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

STARTS_S = 60
pytestmark = [pytest.mark.children, pytest.mark.usefixtures("confining"), pytest.mark.timeout(120)]


class Steward:
    """`steward serve` with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        self.profile = folder / "profile"
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            port = str(listening.getsockname()[1])
        self.environment = {**os.environ, "STEWARD_HOOKS__PORT": port, "HOME": str(folder)}
        self.words = [sys.executable, "-m", "desktop", "--profile", str(self.profile)]
        self.process = subprocess.Popen(
            [*self.words, "serve"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + STARTS_S
        while not list(self.profile.rglob("api.json")):
            assert self.process.poll() is None
            assert time.monotonic() < deadline, "Steward did not start"
            time.sleep(0.05)

    def hook(self, command: str, folder: Path) -> dict[str, Any]:
        """The answer to Claude Code's hook, over the real door."""
        hook = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": str(folder), "tool_use_id": "t1"}
        done = subprocess.run(
            [*self.words, "hook", "claude-code"],
            input=json.dumps({**hook, "tool_name": "Bash", "tool_input": {"command": command}}),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        return dict(json.loads(done.stdout)["hookSpecificOutput"])

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)


@pytest.fixture
def steward(tmp_path: Path) -> Iterator[Steward]:
    started = Steward(tmp_path)
    yield started
    started.kill()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As an agent's shell does."""
    return subprocess.run(["/bin/bash", "-c", line], cwd=folder, capture_output=True, text=True, timeout=30)


def test_a_rewritten_command_runs_confined_after_its_steward_was_killed(
    steward: Steward, project: Path
) -> None:
    """The client needs nobody: its process has given up its rights as with Steward alive."""
    command = "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status"
    line = steward.hook(command, project)["updatedInput"]["command"]
    steward.kill()
    done = run(line, project)
    assert done.stdout.split() == ["NoNewPrivs:", "1", "Seccomp:", "2"]


def test_without_the_means_to_confine_nothing_runs(steward: Steward, project: Path) -> None:
    """Steward was killed and its folders are gone: the command ends before it begins."""
    line = steward.hook("echo it ran", project)["updatedInput"]["command"]
    steward.kill()
    for folder in steward.profile.rglob("confined"):
        folder.rename(folder.with_name("gone"))
    done = run(line, project)
    assert (done.stdout, done.returncode) == ("", 126)
