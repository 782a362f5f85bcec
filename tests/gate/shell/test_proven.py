"""Lines that were seen to write: bash itself proves each, the reading alone must ask, a twin must pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Gate
from tests.gate.shell.test_hidden import rows

ROWS = rows("proven_writes.txt")
PLACES = [row.removeprefix("!") if row[:2] != "! " else row for row in ROWS]
MAY_READ = [row for row in ROWS if row in PLACES]
# A command in each spelling of a substitution; the harmless twin differs in the command alone.
SPELLINGS = ("$({})", "`{}`", "$(true; {})")
WRITES = ("touch pwned", ": > pwned")
HARMLESS = ("echo pwned", ": < pwned")
WHOLE = rows("proven_lines.txt")

needs_bash = pytest.mark.skipif(
    shutil.which("bash") is None or os.name == "nt", reason="bash itself proves these"
)


def lines(commands: tuple[str, ...], places: list[str]) -> list[str]:
    """Every place with every spelling of these commands."""
    return [
        place.replace("§", spelling.format(command))
        for place in places
        for spelling in SPELLINGS
        for command in commands
    ]


def writes(line: str, folder: Path) -> bool:
    """Whether bash makes the file."""
    folder.mkdir()
    (folder / "f").write_text("x\n")
    subprocess.run(
        [shutil.which("bash") or "bash", "-c", line],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    return (folder / "pwned").exists()


def test_no_place_lets_a_write_through(classifier: Classifier) -> None:
    """Wherever a substitution stands, what it runs is judged."""
    tried = lines(WRITES, PLACES)
    assert len(tried) > 500
    allowed = [line for line in tried if classifier.classify(line, "bash").gate is Gate.ALLOW]
    assert allowed == []


def test_the_same_places_may_hold_a_read(classifier: Classifier) -> None:
    """It is the command that is asked about, not the construct."""
    tried = lines(HARMLESS, MAY_READ)
    asked = [line for line in tried if classifier.classify(line, "bash").gate is not Gate.ALLOW]
    assert len(asked) <= 0.05 * len(tried), asked


@needs_bash
@pytest.mark.parametrize("place", PLACES)
def test_bash_runs_what_stands_there(tmp_path: Path, place: str) -> None:
    """A row that bash does not run would prove nothing."""
    for number, spelling in enumerate(SPELLINGS):
        assert writes(place.replace("§", spelling.format("touch pwned")), tmp_path / str(number)), spelling


def without_sign(line: str) -> str:
    return line.removeprefix("!") if not line.startswith("! ") else line


@pytest.mark.parametrize("line", WHOLE)
def test_no_line_is_let_through(classifier: Classifier, line: str) -> None:
    """Builtins, functions, variables and interpreters that run a text or write."""
    assert classifier.classify(without_sign(line), "bash").gate is Gate.ASK


def test_the_twins_of_lines_pass(classifier: Classifier) -> None:
    """What differs in the command alone is a read when the command is one."""
    twins = [line.replace("touch pwned", "echo pwned") for line in WHOLE if line == without_sign(line)]
    assert len(twins) >= 85
    asked = [twin for twin in twins if classifier.classify(twin, "bash").gate is not Gate.ALLOW]
    assert len(asked) <= 0.03 * len(twins), asked


@needs_bash
@pytest.mark.parametrize("line", WHOLE)
def test_bash_runs_the_line(tmp_path: Path, line: str) -> None:
    """In a folder of its own, where the program is there at all."""
    for program in ("node", "perl", "git", "jq", "python3", "less", "awk"):
        if re.search(rf"\b{program}\b", line) and shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    assert writes(without_sign(line), tmp_path / "root")
