"""Seals of launched runs: whatever changes a file breaks them, and dead runs are cleared away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.agents import sealed
from desktop.agents.action import Action, Moment
from desktop.agents.sealed import OWN_FILE, Run, Runs, Seals, broken
from desktop.paths import Paths

VENDOR = "settings.json"


@pytest.fixture
def runs(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> Runs:
    """In the profile of the test, also where there is a file system in memory."""
    monkeypatch.setattr(sealed, "MEMORY", Path("/nowhere"))
    return Runs(paths)


def begun(runs: Runs, agent: str = "claude-code") -> Run:
    run = runs.begin(agent)
    runs.write(run, VENDOR, '{"hooks": {}}')
    runs.write(run, OWN_FILE, json.dumps({"sealed_files": [VENDOR]}))
    return run


def hook(agent: str = "claude-code") -> Action:
    return Action(agent, Moment.BEFORE)


def test_what_was_sealed_is_whole(runs: Runs) -> None:
    """Nobody has touched it."""
    run = begun(runs)
    seals = Seals(runs)
    assert (broken(run), seals.broken(hook()), seals.is_whole(run.session)) == ("", "", True)


def swap(run: Run) -> None:
    one, other = run.file(VENDOR).read_bytes(), run.file(OWN_FILE).read_bytes()
    run.file(VENDOR).write_bytes(other)
    run.file(OWN_FILE).write_bytes(one)
    one, other = run.seal_of(VENDOR).read_bytes(), run.seal_of(OWN_FILE).read_bytes()
    run.seal_of(VENDOR).write_bytes(other)
    run.seal_of(OWN_FILE).write_bytes(one)


def without(name: str) -> Callable[[Run], None]:
    def remove(run: Run) -> None:
        run.file(name).unlink()

    return remove


TAMPERINGS: dict[str, Callable[[Run], object]] = {
    "the vendor's file": lambda run: run.file(VENDOR).write_text("{}"),
    "one byte": lambda run: run.file(VENDOR).write_text('{"hooks": {} }'),
    "Steward's file": lambda run: run.file(OWN_FILE).write_text('{"sealed_files": []}'),
    "a seal": lambda run: run.seal_of(VENDOR).write_text("0" * 64),
    "an empty seal": lambda run: run.seal_of(VENDOR).write_text(""),
    "a seal of bytes": lambda run: run.seal_of(VENDOR).write_bytes(b"\xff\xfe"),
    "the key": lambda run: run.file(sealed.KEY).write_bytes(bytes(32)),
    "no vendor's file": without(VENDOR),
    "no seal": without(f"{VENDOR}.seal"),
    "no key": without(sealed.KEY),
    "nothing of Steward's": without(OWN_FILE),
    "exchanged with their seals": swap,
}


@pytest.mark.parametrize("name", TAMPERINGS)
def test_every_change_breaks_the_seal(runs: Runs, name: str) -> None:
    """Noticed at the next hook, and everything of that agent is then asked."""
    run = begun(runs)
    seals = Seals(runs)
    assert seals.broken(hook()) == ""
    TAMPERINGS[name](run)
    assert "not as sealed" in seals.broken(hook())
    assert not seals.is_whole(run.session)
    assert seals.broken(hook("codex")) == ""


def test_what_was_broken_once_stays_broken(runs: Runs) -> None:
    """Putting the old bytes back does not undo what happened meanwhile."""
    run = begun(runs)
    seals = Seals(runs)
    before = run.file(VENDOR).read_bytes()
    run.file(VENDOR).write_text("{}")
    assert seals.broken(hook())
    run.file(VENDOR).write_bytes(before)
    assert broken(run) == ""
    assert seals.broken(hook())


def test_files_are_read_again_only_when_one_has_changed(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook must not wait for hashing what is as it was."""
    run = begun(runs)
    seals = Seals(runs)
    looked: list[str] = []

    def looks(each: Run) -> str:
        looked.append(each.session)
        return ""

    monkeypatch.setattr(sealed, "broken", looks)
    for _ in range(3):
        seals.broken(hook())
    assert looked == [run.session]
    os.utime(run.file(VENDOR), ns=(1, 1))
    seals.broken(hook())
    assert looked == [run.session] * 2


def test_without_runs_nothing_is_broken(runs: Runs) -> None:
    """Installed hooks have no seals."""
    assert Seals(runs).broken(hook()) == ""
    assert not Seals(runs).is_whole("x")


@pytest.mark.skipif(os.name == "nt", reason="modes say nothing there")
def test_only_the_owner_may_read(runs: Runs) -> None:
    """Every file has mode 0600, the folder 0700."""
    run = begun(runs)
    assert run.folder.stat().st_mode & 0o777 == 0o700
    assert {each.stat().st_mode & 0o777 for each in run.folder.iterdir()} == {0o600}


def test_an_ended_run_leaves_nothing(runs: Runs) -> None:
    """Ending twice is no error."""
    run = begun(runs)
    runs.end(run)
    runs.end(run)
    assert not runs.folder.exists()


BEGIN = """
import os, sys
from pathlib import Path
from desktop.agents import sealed
from desktop.paths import Paths
sealed.MEMORY = Path("/nowhere")
run = sealed.Runs(Paths.under(Path(sys.argv[1]))).begin("codex")
print(run.session, flush=True)
sys.stdin.readline()
os.kill(os.getpid(), 9)
"""
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(os.name == "nt", reason="there is no such end there")
def test_what_a_killed_run_left_goes_at_the_next_launch(runs: Runs, paths: Paths) -> None:
    """A run under way stays, whoever started it."""
    mine = begun(runs)
    command = [sys.executable, "-c", BEGIN, str(paths.data.parent)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as other:
        assert other.stdout is not None
        session = other.stdout.readline().strip()
        assert {run.session for run in runs.alive()} == {mine.session, session}
        assert runs.tidy() == ()
        other.communicate("\n")
    assert [run.session for run in runs.alive()] == [mine.session]
    assert runs.tidy() == (session,)
    assert [each.name for each in runs.folder.iterdir()] == [mine.session]


def test_a_number_used_again_is_no_run(runs: Runs) -> None:
    """A process is known by its number and its start."""
    run = begun(runs)
    facts = json.loads(run.file(sealed.RECORD).read_bytes())
    run.file(sealed.RECORD).write_text(json.dumps({**facts, "started_s": facts["started_s"] - 1000}))
    assert runs.alive() == ()


@pytest.mark.skipif(not sealed._is_in_memory(Path("/dev/shm")), reason="nothing is in memory here")
def test_a_run_lies_in_memory_where_it_can(paths: Paths) -> None:
    """In a folder of our own that goes with the last run; in one that others can enter a run does not lie."""
    runs, usual = Runs(paths), paths.runtime / "launches"
    if sealed._is_in_memory(paths.runtime):
        pytest.skip("the profile itself is in memory")
    assert runs.folder == usual
    first, second = runs.begin("codex"), runs.begin("codex")
    folder = runs.folder
    try:
        assert folder.parent == Path("/dev/shm")
        assert {run.session for run in Runs(paths).alive()} == {first.session, second.session}
        folder.chmod(0o777)
        assert Runs(paths).folder == usual
        assert Runs(paths).alive() == ()
        folder.chmod(0o700)
    finally:
        runs.end(first)
        assert folder.exists()
        runs.end(second)
    assert not folder.exists()
