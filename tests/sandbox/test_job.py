"""A command in a job object. Windows alone has those; elsewhere nothing of this can run."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from desktop.errors import UserFacing
from desktop.sandbox.process import Child, ChildEnding, ChildResult, Command, Limits

pytestmark = pytest.mark.skipif(os.name != "nt", reason="only Windows has job objects")

SLEEPER = "import time; time.sleep(60)"


def python(code: str, folder: Path, limits: Limits | None = None) -> ChildResult:
    return Child(Command((sys.executable, "-c", code), folder), limits).run()


def starts(code: str) -> str:
    """Code that starts `code` as a process of its own, and tells its number."""
    return (
        f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {code!r}]); "
        "print(p.pid, flush=True)"
    )


def test_output_and_exit_code_come_back(tmp_path: Path) -> None:
    """Both streams in their order, the working folder, the exit code."""
    code = "import os, sys; print(os.getcwd(), flush=True); sys.stderr.write('two'); raise SystemExit(3)"
    outcome = python(code, tmp_path)
    assert (outcome.ending, outcome.exit_code, outcome.leftovers) == (ChildEnding.EXITED, 3, 0)
    assert outcome.output.text().splitlines() == [str(tmp_path), "two"]


def test_the_shell_of_the_system_runs(tmp_path: Path) -> None:
    outcome = Child(Command(("cmd.exe", "/d", "/c", "echo hello"), tmp_path)).run()
    assert (outcome.exit_code, outcome.output.text().strip()) == (0, "hello")


def test_what_a_command_leaves_behind_is_ended(tmp_path: Path) -> None:
    """Also a process whose parent has ended is in the job; the host of its console may count too."""
    outcome = python(starts(SLEEPER), tmp_path)
    assert (outcome.ending, outcome.exit_code) == (ChildEnding.EXITED, 0)
    assert outcome.leftovers in (1, 2)
    assert not psutil.pid_exists(int(outcome.output.text()))


def test_the_time_limit_ends_the_whole_tree(tmp_path: Path) -> None:
    outcome = python(f"{starts(SLEEPER)}; p.wait()", tmp_path, Limits(time_s=10.0))
    assert (outcome.ending, outcome.exit_code) == (ChildEnding.TIMED_OUT, None)
    assert not psutil.pid_exists(int(outcome.output.text()))


def test_cancel_ends_it_at_once(tmp_path: Path) -> None:
    """From another thread, also before it began."""
    child = Child(Command((sys.executable, "-c", SLEEPER), tmp_path))
    threading.Timer(1.0, child.cancel).start()
    begun = time.monotonic()
    assert child.run().ending is ChildEnding.CANCELLED
    assert time.monotonic() - begun < 30
    assert child.run().ending is ChildEnding.CANCELLED


def test_a_flood_of_output_is_stopped(tmp_path: Path) -> None:
    limits = Limits(output_bytes=1000, flood_bytes=1_000_000)
    outcome = python("while True: print('x' * 1000)", tmp_path, limits)
    assert outcome.ending is ChildEnding.TOO_MUCH_OUTPUT
    assert len(outcome.output.text()) < 1100


def test_too_many_processes_are_stopped(tmp_path: Path) -> None:
    outcome = python(f"for _ in range(9): {starts(SLEEPER)}\np.wait()", tmp_path, Limits(processes=3))
    assert outcome.ending is ChildEnding.TOO_MANY_PROCESSES


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserFacing) as missing:
        Child(Command(("no-such-program-here",), tmp_path)).run()
    assert missing.value.code == "program-missing"
    with pytest.raises(UserFacing) as nowhere:
        Child(Command((sys.executable,), tmp_path / "nowhere")).run()
    assert nowhere.value.code == "path-missing"
