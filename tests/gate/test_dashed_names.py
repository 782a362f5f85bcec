"""A file whose name begins with a dash is an option to what gets it by a pattern."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.gate.commands import Commands
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Gate
from desktop.paths import resources

GETS = [
    "sort *",
    "git log *",
    "cat x | sort - *",
    "rg x ?*",
    "find * -name x",
    "cd sub && sort *",
    "for f in a; do sort *; done",
    "git log [-a]*",
    "timeout 5 sort *",
    "ls | xargs sort",
    "ls | xargs -I{} sort {}",
    "sort $(ls)",
    "ls | while read f; do sort $f; done",
    'for f in *; do sort "$f"; done',
    "ls clean sub | xargs sort",
    "cd sub && ls | xargs -n1 sort",
]
GETS_NOT = [
    "sort -- *",
    "sort ./*",
    "ls *",
    "echo *",
    "sort *.txt",
    "sort sub/*",
    "git log -- *",
    "cd clean && sort *",
    "ls | xargs sort --",
    'for f in *; do sort -- "$f"; done',
    "ls | xargs echo",
    "cd clean && ls | xargs sort",
    "ls | wc -l",
    "ls | grep x | xargs basename",
]


@pytest.fixture(scope="module")
def commands() -> Commands:
    return Commands(Classifier(Tables(resources() / "commands"), remember=False))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for place in (tmp_path, tmp_path / "sub"):
        place.mkdir(exist_ok=True)
        (place / "--output=x").write_text("")
    (tmp_path / "clean").mkdir()
    return tmp_path


@pytest.mark.parametrize("line", GETS)
def test_a_pattern_that_matches_such_a_name_asks(commands: Commands, folder: Path, line: str) -> None:
    """The question names the pattern and the file; without the file nobody is asked."""
    verdict = commands.verdict(line, "bash", str(folder))
    assert (verdict.gate, verdict.effect) == (Gate.ASK, Effect.UNKNOWN)
    assert "--output=x" in str(verdict.reason)
    for place in (folder, folder / "sub"):
        (place / "--output=x").unlink()
    assert commands.verdict(line, "bash", str(folder)).gate is Gate.ALLOW


@pytest.mark.parametrize("line", GETS_NOT)
def test_other_patterns_do_not(commands: Commands, folder: Path, line: str) -> None:
    """Behind `--`, below a folder, or where the names are only printed."""
    assert commands.verdict(line, "bash", str(folder)).gate is Gate.ALLOW
