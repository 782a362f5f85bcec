"""`steward fix`: what it prints, what it ends with, and that a file changes only when that was said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from desktop.app import Services, build_core
from desktop.cli import fix as verb
from desktop.engine.engine import Engine, start_thread
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


def test_without_a_model_it_ends_with_four(steward: Steward) -> None:
    """As every verb that needs one."""
    assert steward("fix", "--check", "true").returncode == 4
