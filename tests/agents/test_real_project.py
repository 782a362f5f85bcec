"""A working day of the real programs in project mode: what runs, what is asked, what is on the disk after.

Found as in test_real_programs.py, by STEWARD_TEST_AGENTS.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.agents.events import ConfinedOutcome, HookDecided
from desktop.gate.undo import undo_changes
from tests.agents.test_real_programs import DENIED, Bench
from tests.agents.test_real_programs import bench as bench

pytestmark = [
    pytest.mark.children,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("confining"),
]

MAKEFILE = "all: out.txt\nout.txt: in.txt\n\tsort in.txt > out.txt\n"
TEST = "def test_sum():\n    open('seen.txt', 'w').write('x')\n    assert 1 + 1 == 2\n"
CHANGES = """
import pathlib
pathlib.Path("in.txt").write_text("changed")
pathlib.Path("victim.txt").unlink()
pathlib.Path("new/folder").mkdir(parents=True)
pathlib.Path("new/folder/made.txt").write_text("made")
"""
# These programs are not on PATH, so that their version is not known: the first report proves it.
PROVES = "ls"
# It looks like a test and is none.
ATTACK = "import pathlib\n\ndef test_it():\n    (pathlib.Path.home() / 'taken.txt').write_text('x')\n"


@pytest.fixture
def project(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a Makefile and tests, in which project mode is on."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    folder = bench.project
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "in.txt").write_text("b\na\n")
    (folder / "test_sum.py").write_text(TEST)
    (folder / "test_attack.py").write_text(ATTACK)
    (folder / "change.py").write_text(CHANGES)
    (bench.home / ".profile").write_text(f"PATH={Path(sys.executable).parent}:$PATH\n")  # for login shells
    (bench.home / ".netrc").write_text("machine x login y password s3cret\n")
    for words in ("init -q -b main", "config user.name Ada", "config user.email ada@example.org"):
        subprocess.run(["git", *words.split()], cwd=folder, check=True)
    bench.core.projects.begin(folder, None)
    return folder


def everything_in(folder: Path) -> dict[str, bytes]:
    """All files, and folders as such."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"/"
        for path in folder.rglob("*")
    }


def decided(bench: Bench) -> dict[str, HookDecided]:
    """What became of each line, by the line; of two hooks about one the first."""
    return {event.text: event for event in reversed(bench.core.handler.recent)}


def test_a_days_work_runs_in_the_project_without_a_question(bench: Bench, project: Path) -> None:
    """A test run, a build, an edit by here-document and a commit: confined, reported, and done."""
    edit = "cat > notes.md <<'END'\n# Notes\nit's $HOME\nEND"
    lines = ("pytest -q test_sum.py", "make", edit, "git add -A && git commit -qm first")
    bench.run(PROVES, DENIED, *lines)
    assert bench.asker.questions == []
    assert (project / "seen.txt").read_text() == "x"
    assert (project / "out.txt").read_text() == "a\nb\n"
    assert (project / "notes.md").read_text() == "# Notes\nit's $HOME\n"
    shown = subprocess.run(["git", "log", "--format=%an %s"], cwd=project, capture_output=True, text=True)
    assert shown.stdout == "Ada first\n"
    events = decided(bench)
    assert {line: (events[line].confined, events[line].ran) for line in lines} == dict.fromkeys(
        lines, ("project", ConfinedOutcome.CONFINED)
    )


def test_what_leaves_the_project_is_asked_or_fails(bench: Bench, project: Path) -> None:
    """A push and a read of a token are asked about; a test that writes to the home folder cannot."""
    lines = ("git push origin main", f"cat {bench.home}/.netrc", "pytest -q test_attack.py")
    bench.run(PROVES, DENIED, *lines)
    assert [question.arguments for question in bench.asker.questions] == list(lines[:2])
    assert not (bench.home / "taken.txt").exists()
    assert "s3cret" not in " ".join(bench.service.script.results)
    assert decided(bench)[lines[2]].confined == "project"
    assert project.is_dir()


def test_what_was_done_in_the_project_is_taken_back(bench: Bench, project: Path) -> None:
    """By the entries that Activity offers to undo: changed, deleted and new files are as they were."""
    before = everything_in(project)
    bench.run(PROVES, DENIED, "python3 change.py")
    assert (project / "new" / "folder" / "made.txt").exists()
    assert not (project / "victim.txt").exists()
    assert bench.asker.questions == []
    undo_changes(bench.core.journal, decided(bench)["python3 change.py"].changes)
    assert everything_in(project) == before
