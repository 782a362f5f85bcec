"""A worker that fails at any step: no wrong exit code, no half artefact, no lost file, no secret sent."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.offload.conftest import Workplace
from tests.offload.loopback_worker import LoopbackWorker

MAKEFILE = """all: out.bin
out.bin: in.txt
\t@echo building; cp in.txt out.bin; rm -f stale.txt
test:
\t@echo testing; echo seen >report.txt; rm -f stale.txt; exit 4
slow:
\t@[ -d .git ] && exit 3; touch begun; sleep 86414
.PHONY: all test slow
"""
# What is removed there is asked for by itself, after all files have come.
FILES = {"Makefile": MAKEFILE, "in.txt": "source\n" * 2000, "stale.txt": "old\n"}

# What stands before a program on the worker, and hangs at this step. `$REAL` is the program itself.
HANGS = "touch {mark}; sleep 86415"
STEPS = {
    "1 it is not there": ("", ""),
    "2 while it is asked about itself": ("nproc", HANGS),
    "3 before it has the lock": ("flock", HANGS),
    "4 while it looks at its disk": (
        "df",
        'case "$2" in */steward-offload/*) ' + HANGS + ';; esac; exec $REAL "$@"',
    ),
    "5 as files begin to come": ("rsync", HANGS),
    "6 when all files have come": ("rsync", '$REAL "$@"; ' + HANGS),
    "7 before its box is made": ("bwrap", 'case "$*" in *--info-fd*) ' + HANGS + ';; esac; exec $REAL "$@"'),
    "8 while the command runs": ("make", ""),
    "9 when the command has ended": ("comm", HANGS),
    "10 as what it made begins to come": (
        "rsync",
        'case "$*" in *--sender*) ' + HANGS + ';; esac; exec $REAL "$@"',
    ),
    "11 when all of it has come": ("cat", 'case "$*" in */gone) ' + HANGS + ';; esac; exec $REAL "$@"'),
}
ENDED = ("9", "10", "11")  # the receipt was there


def killed_at(
    place: Workplace, step: str, *words: str, end: Callable[[LoopbackWorker], None] = LoopbackWorker.kill
) -> subprocess.CompletedProcess[bytes]:
    """The command with a worker that ends at a step, as by a power cut, or is cut off there."""
    name, script = STEPS[step]
    mark = place.worker.folder / "mark"
    if step.startswith("1 "):
        end(place.worker)
    elif script:
        place.worker.shim(name, script.format(mark=mark))
    done: list[bool] = []

    def kill() -> None:
        while not done:
            if mark.exists() or list(place.worker.base.glob("*/mirror/begun")):
                end(place.worker)
                return
            time.sleep(0.02)

    killer = threading.Thread(target=kill)
    killer.start()
    ended = place.run(*words)
    done.append(True)
    killer.join()
    assert mark.exists() or not script, "the step was never reached"
    return ended


LOSSES = [
    pytest.param(step, end, id=f"{step}, {how}")
    for how, end in (("killed", LoopbackWorker.kill), ("cut off", LoopbackWorker.freeze))
    for step in STEPS
    # The eighth has tests of its own. One that is cut off before anything began is one that is not there.
    if not step.startswith("8") and not (step.startswith("1 ") and how == "cut off")
]


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize(("step", "end"), LOSSES)
def test_a_build_is_whole_wherever_its_worker_is_lost(
    own_worker: Workplace, step: str, end: Callable[[LoopbackWorker], None]
) -> None:
    """It ends as it would have here, with its artefact, and the sources are what they were."""
    own_worker.write(FILES)
    done = killed_at(own_worker, step, "make", end=end)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(b"building\n")
    assert done.stderr.startswith(b"steward: ")
    assert (own_worker.project / "out.bin").read_text() == FILES["in.txt"]
    assert (own_worker.project / "in.txt").read_text() == FILES["in.txt"]
    assert sorted(each.name for each in own_worker.project.iterdir()) == [
        ".git",
        "Makefile",
        "in.txt",
        "out.bin",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("step", [each for each in STEPS if not each.startswith("8")])
def test_a_test_never_passes_for_another_one(own_worker: Workplace, step: str) -> None:
    """Before it has begun it runs here; once its end is known that counts; else it says that it was lost."""
    own_worker.write(FILES)
    done = killed_at(own_worker, step, "make", "test")
    number = step.partition(" ")[0]
    # make tells that its target failed by 2, here and there.
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout.count(b"testing\n") == 1
    report = own_worker.project / "report.txt"
    assert report.exists() == (number not in ENDED)


def test_a_test_that_is_cut_off_is_lost(own_worker: Workplace) -> None:
    """Nobody knows what it has done: 75, a sentence, and nothing is run again."""
    own_worker.write({"Makefile": MAKEFILE.replace("slow:", "check:")})
    done = killed_at(own_worker, "8 while the command runs", "make", "check")
    assert done.returncode == 75
    assert b"The worker was lost" in done.stderr
    assert not (own_worker.project / "begun").exists()


def test_a_build_that_is_cut_off_runs_again_here(own_worker: Workplace) -> None:
    """The second run is told in one line, and its exit code is the one that counts."""
    # Only here is there a repository: git's own store never leaves.
    own_worker.write({"Makefile": "all:\n\t@[ -d .git ] && exit 3; touch begun; sleep 86414\n"})
    done = killed_at(own_worker, "8 while the command runs", "make")
    assert done.returncode == 2
    assert b"The build runs again here." in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("words", "code"), [(("make", "test"), 75), (("make",), 2)])
def test_a_cut_network_is_noticed(own_worker: Workplace, words: tuple[str, ...], code: int) -> None:
    """Nothing arrives and nothing ends: a test is lost, and a build runs again here."""
    own_worker.write({"Makefile": "all test:\n\t@[ -d .git ] && exit 3; touch begun; sleep 86418\n"})
    process = own_worker.start(*words)
    while not list(own_worker.worker.base.glob("*/mirror/begun")):
        time.sleep(0.05)
    own_worker.worker.freeze()
    _, err = process.communicate(timeout=90)
    assert process.returncode == code, err
    assert b"the line went dead" in err


def test_a_full_disk_there_is_no_failed_build(workplace: Workplace) -> None:
    """Too little space before it begins: it runs here."""
    workplace.write(FILES)
    workplace.worker.shim("df", 'echo "Filesystem 1K Used Available Use Mounted"; echo "x 1 1 100 1% /"')
    done = workplace.run("make")
    assert (done.returncode, done.stdout) == (0, b"building\n")
    assert b"too little space" in done.stderr


def test_a_disk_that_fills_up_while_it_builds_is_no_failed_build(workplace: Workplace) -> None:
    """What then fails there says nothing about here."""
    workplace.write({"Makefile": "all:\n\t@[ -d .git ] || exit 9\n\t@echo built\n"})
    count = workplace.worker.folder / "count"
    workplace.worker.shim(
        "df",
        f'echo x >>{count}; echo "Filesystem 1K Used Available Use Mounted"\n'
        f'[ "$(wc -l <{count})" -gt 2 ] && echo "x 1 1 100 1% /" || echo "x 1 1 9000000 1% /"',
    )
    done = workplace.run("make")
    assert (done.returncode, done.stdout) == (0, b"built\n")
    assert b"runs again here" in done.stderr


@pytest.mark.parametrize("hours", [1, -1])
def test_a_wrong_clock_there_is_no_wrong_build(workplace: Workplace, hours: int) -> None:
    """Make would take old for new: such a worker is not used."""
    workplace.write(FILES)
    workplace.worker.shim("date", f'exec $REAL -d "{hours} hour" "$@"')
    done = workplace.run("make")
    assert (done.returncode, done.stdout) == (0, b"building\n")
    assert b"the clock of tower is" in done.stderr
    assert workplace.last.worker == ""


@pytest.mark.slow
def test_a_slow_line_is_no_wrong_clock(workplace: Workplace) -> None:
    """What the worker says of its time is older than it looks, and it is used all the same."""
    workplace.write(FILES)
    workplace.worker.shim("date", 'sleep 4; exec $REAL "$@"')
    done = workplace.run("make")
    assert (done.returncode, done.stderr) == (0, b"")
    assert workplace.last.worker == "tower"


def test_a_dead_mirror_is_begun_anew(workplace: Workplace) -> None:
    """Where the worker does not know what the client remembers, everything is sent again."""
    workplace.write(FILES)
    workplace.run("make")
    (workplace.project / "out.bin").unlink()
    (mirror,) = workplace.worker.base.glob("*/mirror")
    (mirror / "in.txt").write_text("somebody else's\n")
    (mirror.parent / "token").write_text("another")
    assert workplace.run("make").returncode == 0
    assert (workplace.project / "out.bin").read_text() == FILES["in.txt"]


def test_two_commands_in_one_project_share_a_mirror(workplace: Workplace) -> None:
    """They wait for each other, and both end as they would alone."""
    workplace.write({"Makefile": "a b:\n\t@sleep 0.3; echo $@ >$@.txt; cat $@.txt\nall: a\nbuild: b\n"})
    first, second = workplace.start("make", "all"), workplace.start("make", "build")
    assert [each.communicate()[0] for each in (first, second)] == [b"a\n", b"b\n"]
    assert [first.returncode, second.returncode] == [0, 0]
    assert {each.name for each in workplace.project.glob("*.txt")} == {"a.txt", "b.txt"}


def test_what_guards_this_computer_is_not_brought_back(workplace: Workplace) -> None:
    """A build on a worker can no more write a hook of git or of an agent than one in project mode."""
    held = [
        ".git/hooks/post-checkout",
        ".claude/settings.json",
        ".vscode/tasks.json",
        "sub/.git/config",
        ".envrc",
    ]
    lines = "".join(f"\t@mkdir -p $$(dirname {each}); echo bad >{each}\n" for each in held)
    workplace.write({"Makefile": f"all:\n{lines}\t@echo made >made.txt\n"})
    done = workplace.run("make")
    assert done.returncode == 0
    assert (workplace.project / "made.txt").read_text() == "made\n"
    assert not [each for each in held if (workplace.project / each).exists()]
    assert b"stay as they are here" in done.stderr


def test_a_link_made_there_leads_nowhere_out(workplace: Workplace, tmp_path: Path) -> None:
    """What is written behind a link of the command's own does not come through it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    workplace.write(
        {"Makefile": f"all:\n\t@ln -s {outside} link\nbuild:\n\t@rm link; mkdir link; echo bad >link/x\n"}
    )
    assert workplace.run("make").returncode == 0
    assert (workplace.project / "link").is_symlink()
    workplace.run("make", "build")
    assert list(outside.iterdir()) == []
