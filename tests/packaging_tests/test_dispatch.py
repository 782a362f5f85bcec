"""What a bundle starts of itself: the verbs that are answered before anything heavy is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from desktop.sandbox.process import Child, ChildEnding, Command, Limits

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("typer", "pydantic", "PySide6", "httpx", "structlog")


@pytest.mark.skipif(sys.platform == "win32", reason="commands are run on POSIX only")
def test_the_verb_supervises_a_command(tmp_path: Path) -> None:
    """`steward supervise TASK` is the supervisor: a bundle has no bare interpreter to run it with."""
    launcher = (sys.executable, "-P", "-m", "desktop", "supervise")
    outcome = Child(Command(("sh", "-c", "echo hello; exit 3"), tmp_path), Limits(), launcher).run()
    assert (outcome.ending, outcome.exit_code) == (ChildEnding.EXITED, 3)
    assert "hello" in outcome.output.text()


@pytest.mark.parametrize("words", [["--version"], ["supervise", "{}"]])
def test_nothing_heavy_is_imported_for_it(words: list[str]) -> None:
    """Every hook and every command that is run waits for it."""
    code = (
        "import sys, desktop.__main__ as m\n"
        f"sys.argv = ['steward', *{words!r}]\n"
        "try:\n    m.main()\nexcept TypeError: pass\n"  # the task is empty
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stderr.strip().endswith("[]"), done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="tells where the folders of Linux are")
def test_without_a_home_it_says_so_in_words(tmp_path: Path) -> None:
    """A user whose folder does not exist and cannot be made gets a reason and a way out, not a traceback."""
    (tmp_path / "file").write_text("no folder")
    home = str(tmp_path / "file" / "home")
    environment = {"PATH": "/usr/bin:/bin", "HOME": home}
    command = [sys.executable, "-P", "-m", "desktop", "models", "list"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, cwd="/")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "steward --profile DIR" in done.stderr
