"""`steward fix`: what it prints, what it ends with, and that a file changes only when that was said."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.app import Services, build_core
from desktop.builder.job import (
    BuildState,
    CheckProgress,
    FaultPlace,
    Improvement,
    LoopState,
    Round,
    Stage,
    TestState,
    TestStatus,
)
from desktop.cli import fix as verb
from desktop.cli.terminal import says_yes
from desktop.engine.engine import Engine, start_thread
from desktop.errors import UserFacing
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner
from tests.builder.conftest import CHECK, FAULTY, GOOD, RUNNER, TEST
from tests.cli.conftest import Steward
from tests.fakes.scripted_model import ScriptedBackend, installed

pytestmark = pytest.mark.children


@pytest.fixture
def core(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """A profile with a scripted model, in the folder of a project with a fault."""
    why = Confiner(paths).why_not_project()
    if why is not None:
        pytest.skip(f"checks cannot be confined here: {why}")
    project = tmp_path / "project"
    project.mkdir()
    (project / "text.py").write_text(FAULTY)
    (project / "test_text.py").write_text(TEST + RUNNER)
    monkeypatch.chdir(project)
    core = build_core(paths)
    backend = ScriptedBackend(f"{GOOD}\n```\n")
    core.engine = Engine(paths, core.bus, lambda: core.settings.current.model, backend)

    @contextmanager
    def running(core: Services, _model: str | None) -> Iterator[None]:
        core.engine.use(installed(tmp_path, "tiny"))
        thread = start_thread(core.engine)
        yield
        core.engine.close()
        thread.join()

    monkeypatch.setattr(verb, "running_engine", running)
    yield core
    core.close()


def fixed(core: Services, apply: bool = False, yes: bool = True, **arguments: Any) -> int:
    return verb.fix(core, {"check": CHECK, "files": "text.py", **arguments}, None, apply, yes, as_json=True)


def told_by(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The value on stdout; in this process the log goes there as well."""
    out = capsys.readouterr().out
    found: dict[str, Any] = json.loads(out[out.index("{\n") :])
    return found


def test_what_would_do_it_is_printed_and_not_written(
    core: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """As one JSON value with the tries and the difference; the exit code is 0."""
    assert fixed(core) == 0
    told = told_by(capsys)
    assert (told["ending"], told["passes"], told["applied"]) == ("solved", True, False)
    assert "-".join(["", "    return"]) in told["diff"]
    assert [each["status"] for each in told["rounds"]] == ["passed"]
    assert Path("text.py").read_text() == FAULTY


def test_apply_writes_and_undo_knows(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """With --apply the file has it, and the journal too."""
    assert fixed(core, apply=True) == 0
    assert told_by(capsys)["applied"]
    assert Path("text.py").read_text() != FAULTY
    assert core.journal.entries()[0].path == "text.py"


def test_without_a_yes_nothing_is_run(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody is there to ask: the check is a command like any other."""
    assert fixed(core, yes=False) == 1
    told = told_by(capsys)
    assert told["ending"] == "denied"
    assert not told["rounds"]


def test_what_it_does_not_do_is_said_first(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """Several files: a sentence, and no question."""
    assert fixed(core, yes=False, files="text.py\ntest_text.py") == 1
    assert "One function of one file" in told_by(capsys)["says"]


def test_nobody_said_no_where_nobody_could_be_asked(
    core: Services, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said how to agree beforehand, and nothing is run."""
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert fixed(core, yes=False) == 1
    assert "--yes" in told_by(capsys)["says"]


class Terminal(io.StringIO):
    """Somebody sits there."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("says", "ends"), [("y\n", "Written;"), ("n\n", "Nothing was written.")])
def test_on_a_terminal_the_difference_is_shown_once(
    core: Services, monkeypatch: pytest.MonkeyPatch, says: str, ends: str
) -> None:
    """With the question below it; then only what became of it is said."""
    shown = Terminal()
    for name, stream in (("stdin", Terminal(says)), ("stdout", shown), ("stderr", shown)):
        monkeypatch.setattr(f"sys.{name}", stream)
    arguments = {"check": CHECK, "files": "text.py"}
    assert verb.fix(core, arguments, None, apply=False, yes=True, as_json=False) == 0
    told = shown.getvalue()
    assert told.count("+++ b/text.py") == 1
    # What is typed is not shown here, and the log may go to the same place.
    assert ends in told.rpartition("Apply?")[2]
    assert (Path("text.py").read_text() == FAULTY) is (says == "n\n")


def test_a_question_can_be_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl+C while nothing was typed is a no, at once; a line that was typed is read as ever."""
    reads, writes = os.pipe()
    with os.fdopen(reads) as stdin, os.fdopen(writes, "w") as typed:
        monkeypatch.setattr("sys.stdin", stdin)
        answers = iter((False, True))
        assert not says_yes("Do it?", lambda: next(answers))
        typed.write("y\n")
        typed.flush()
        assert says_yes("Do it?", lambda: False)


def test_nothing_of_a_repository_acts_on_the_terminal(
    core: Services, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a file has near its function is shown with its signs spelled out."""
    Path("text.py").write_text(FAULTY.replace("def slug", "# \x1b[8m hidden \u202e\ndef slug"))
    arguments = {"check": CHECK, "files": "text.py"}
    assert verb.fix(core, arguments, None, apply=False, yes=True, as_json=False) == 0
    told = capsys.readouterr().out
    assert "\\x1b[8m hidden \\x202e" in told
    assert "\x1b" not in told


FIRST = {
    "a test": ("test_text.py", "is a test"),
    "another language": ("notes.txt", "not in a language that Steward can work on"),
    "a file elsewhere": ("../elsewhere.py", "is outside"),
}


@pytest.mark.parametrize("name", FIRST)
def test_what_it_does_not_do_costs_no_question(
    core: Services, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """By the name of the file alone, before anybody is asked and anything is copied."""
    file, said = FIRST[name]
    assert fixed(core, yes=False, files=file) == 1
    assert said in told_by(capsys)["says"]


def test_a_function_from_examples(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines become the check, also for a file that no program could import by its name."""
    given = ['slug("A B") == "a-b"', 'slug("") gives ""']
    check = verb._check_of("slug(text)", given, ["my-text.py"], "")
    assert fixed(core, apply=True, check=check, files="my-text.py", function="slug(text)") == 0
    assert told_by(capsys)["applied"]
    assert Path("my-text.py").read_text() == f"def slug(text):\n{GOOD}"


@pytest.mark.parametrize(
    ("function", "examples", "files", "check"),
    [
        ("", ["slug(1) == 2"], ["text.py"], ""),
        ("slug(text)", ["slug(x) == 2"], ["text.py"], ""),
        ("slug(text)", ["slug(1) == 2", "and so on"], ["text.py"], ""),
        ("slug(text)", ["slug(1) == 2"], [], ""),
        ("slug(text)", ["slug(1) == 2"], ["text.py"], "pytest"),
    ],
)
def test_examples_that_are_no_check_are_refused(
    function: str, examples: list[str], files: list[str], check: str
) -> None:
    """None is left out silently."""
    with pytest.raises(UserFacing):
        verb._check_of(function, examples, files, check)


def test_each_step_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    """However often it is announced; each try with how it ended."""
    progress = verb.Progress()
    place = FaultPlace("text.py", "slug", 6, 9)
    testing = LoopState(Stage.TESTING, 1, 3, place)
    done = Round(1, Improvement.RETRY, BuildState(), TestState(TestStatus.FAILED, "", 1.0, 2, 1))
    for state in (
        LoopState(Stage.CHECKING),
        LoopState(Stage.CHECKING),
        testing,
        testing,
        replace(testing, done=(done,)),
        replace(testing, stage=Stage.ENDED, done=(done,)),
    ):
        progress.show(CheckProgress("call", state))
    assert capsys.readouterr().err.splitlines() == [
        "checking as it is",
        "try 1 of 3: testing slug in text.py",
        "  1. corrected: the check fails, 2 of 3 tests pass (1.0 s)",
    ]


def test_without_a_model_it_ends_with_four(steward: Steward) -> None:
    """As every verb that needs one."""
    assert steward("fix", "--check", "true").returncode == 4
