"""The command as a user starts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.app import Services, build_core, end_logging
from desktop.paths import Paths
from tests.cli.loaded import LoadedProgram, loaded_program

ROOT = Path(__file__).resolve().parents[2]

Steward = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _log_ends_with_the_verb() -> Iterator[None]:
    """A verb that is run in this process begins its log, which a process of its own would take along."""
    yield
    end_logging()


@pytest.fixture(scope="session")
def loaded() -> Iterator[LoadedProgram | None]:
    """None where a system has no processes that begin as copies."""
    if sys.platform == "win32":
        yield None
        return
    with loaded_program(ROOT) as program:
        yield program


@pytest.fixture
def steward(tmp_path: Path, loaded: LoadedProgram | None) -> Steward:
    """Run `steward` in a profile of its own."""

    def run(*arguments: str, stdin: str = "", timeout_s: float = 100.0) -> subprocess.CompletedProcess[str]:
        if loaded is not None:
            return loaded.run(["--profile", str(tmp_path / "profile"), *arguments], stdin, timeout_s)
        command = [sys.executable, "-m", "desktop", "--profile", str(tmp_path / "profile"), *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )

    return run


@pytest.fixture
def core(paths: Paths) -> Iterator[Services]:
    made = build_core(paths)
    yield made
    made.close()


@pytest.fixture
def with_model(tmp_path: Path, smollm2: Path) -> Path:
    """The same profile, with the real small model imported and active."""
    core = build_core(Paths.under(tmp_path / "profile"))
    model = core.library.import_file(smollm2)
    core.settings.change("model", "active", model.id)
    core.settings.change("model", "context_tokens", 1024)
    core.settings.change("model", "max_answer_tokens", 16)
    core.settings.change("model", "temperature", 0.0)
    # A number, so that each of these profiles need not find out the best one in two seconds of all cores;
    # and threads that share a core with another lane only spin and wait for each other.
    core.settings.change("model", "threads", 1)
    return smollm2
