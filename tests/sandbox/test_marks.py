"""What a command has left running is found and ended, also after the supervisor above it was killed."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from desktop.sandbox import cgroup
from desktop.sandbox import process as process_module
from desktop.sandbox.process import Child, ChildResult, Command, Limits, ProcessMarks, new_marks

pytestmark = [
    pytest.mark.children,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the supervisor is for Linux"),
]

SIGNATURE = f"steward-test-escaper-{os.getpid()}"
NOWHERE = (Path("/nonexistent"),)


def escapers() -> list[int]:
    """Processes that a test has left running, wherever they hang in the tree."""
    return [process.pid for process in psutil.process_iter() if _is_escaper(process)]


def _is_escaper(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.cmdline()[:1] == [SIGNATURE]
    except psutil.Error:
        return False


@pytest.fixture(autouse=True)
def nobody_left() -> Iterator[None]:
    yield
    for pid in escapers():
        psutil.Process(pid).kill()


def run(line: str, folder: Path) -> ChildResult:
    return Child(Command(("bash", "-c", line), folder), Limits(time_s=20)).run()


SLEEPER = f"bash -c 'exec -a {SIGNATURE} sleep 60'"
KILLING = "kill -9 $PPID; sleep 60"
ESCAPES = {
    "a new session": f"setsid {SLEEPER} & sleep 0.1; {KILLING}",
    "no environment": f'env -i PATH="$PATH" setsid {SLEEPER} & sleep 0.1; {KILLING}',
    "no environment, at once": f'env -i PATH="$PATH" setsid {SLEEPER} & {KILLING}',
    "orphaned before": f'(env -i PATH="$PATH" setsid {SLEEPER} &) ; sleep 0.1; {KILLING}',
    "killed by an orphan": (
        '(env -i PATH="$PATH" above=$PPID setsid bash -c '
        f"'sleep 0.1; kill -9 $above; exec -a {SIGNATURE} sleep 60' &) ; sleep 60"
    ),
}


@pytest.mark.parametrize("has_cgroup", [True, False])
@pytest.mark.parametrize("escape", ESCAPES)
def test_a_command_that_kills_its_supervisor_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, escape: str, has_cgroup: bool
) -> None:
    """With a new session, without its environment, as an orphan; with a cgroup and where there is none."""
    if not has_cgroup:
        monkeypatch.setattr(process_module, "new_marks", lambda: new_marks(NOWHERE))
    outcome = run(ESCAPES[escape], tmp_path)
    assert outcome.exit_code is None
    assert escapers() == []


def test_a_cgroup_finds_who_has_taken_every_other_mark_off(tmp_path: Path) -> None:
    """Without environment and with another limit of message queues."""
    marks = new_marks()
    marks.close()
    if marks.cgroup is None:
        pytest.skip("this system lets its user make no cgroup of version 2")
    run(f'env -i PATH="$PATH" bash -c "ulimit -q 1000; setsid {SLEEPER}" & sleep 0.2; {KILLING}', tmp_path)
    assert escapers() == []


def test_no_cgroup_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a run goes with it, also where the command has made cgroups of its own in it."""
    made: list[ProcessMarks] = []

    def keeping() -> ProcessMarks:
        made.append(new_marks())
        return made[-1]

    monkeypatch.setattr(process_module, "new_marks", keeping)
    inner = "for each in /sys/fs/cgroup /sys/fs/cgroup/unified; do mkdir -p $each$own/inner/most; done"
    own = "own=$(sed -n 's/^0:://p' /proc/self/cgroup)"
    run(f"{own}; {inner} 2>/dev/null; setsid {SLEEPER} & sleep 0.1", tmp_path)
    assert len(made) == 1
    assert not any(Path(marks.folder).exists() for marks in made if marks.folder)
    assert escapers() == []


# A Steward that is killed with a command in its cgroup, so that nobody is left who ends either.
OWNER = """
import os, subprocess, sys, time
from desktop.sandbox.cgroup import new_cgroup

group = new_cgroup()
if group is not None:
    line = f"echo 0 > {group.path}/cgroup.procs; exec -a {sys.argv[1]} sleep 60"
    subprocess.Popen(["bash", "-c", line])
    while not (group.path / "cgroup.procs").read_text():
        time.sleep(0.01)
print(group.path if group is not None else "", flush=True)
time.sleep(60)
"""


def test_what_a_killed_steward_has_left_is_ended_by_the_next_one() -> None:
    """Its commands and their cgroup go; those of one that lives are not touched."""
    words = [sys.executable, "-c", OWNER, SIGNATURE]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        path = owner.stdout.readline().strip()
        # In the cgroup it is a shell at first, and takes its name a moment later.
        deadline = time.monotonic() + 20
        while path and not escapers() and time.monotonic() < deadline:
            time.sleep(0.01)
        cgroup.clear_left()
        living = (Path(path).exists(), len(escapers()))
        owner.kill()
    if not path:
        pytest.skip("this system lets its user make no cgroup of version 2")
    assert living == (True, 1)
    deadline = time.monotonic() + 20
    while Path(path).exists() and time.monotonic() < deadline:
        cgroup.clear_left()
        time.sleep(0.01)
    assert not Path(path).exists()
    assert escapers() == []


def test_others_are_let_alone(tmp_path: Path) -> None:
    """A process with no mark, with another run's, or with another limit is not touched."""
    mine, other = new_marks(NOWHERE), new_marks(NOWHERE)
    assert mine.queue_bytes != 0
    assert mine.word != other.word
    unmarked = subprocess.Popen(["sleep", "60"])
    marked = subprocess.Popen(["sleep", "60"], env={**os.environ, process_module.MARK_VARIABLE: other.word})
    resource.prlimit(marked.pid, resource.RLIMIT_MSGQUEUE, (other.queue_bytes,) * 2)
    try:
        assert replace(mine, queue_bytes=other.queue_bytes + 1).end_all() == 0
        assert (unmarked.poll(), marked.poll()) == (None, None)
        assert other.end_all() == 1
        assert unmarked.poll() is None
    finally:
        unmarked.kill()
        unmarked.wait()
        marked.wait()
