"""A child with limits, and an end for its whole tree."""

from __future__ import annotations

import ctypes
import os
import resource
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from desktop.errors import UserFacing
from desktop.sandbox import confinement, supervisor
from desktop.sandbox.confinement import Available, Method
from desktop.sandbox.process import Child, ChildEnding, ChildResult, Command, Limits

pytestmark = [
    pytest.mark.children,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the supervisor is for Linux"),
]

METHODS = list(Method)
CONFINED = [Method.LANDLOCK, Method.BUBBLEWRAP]
ROOT = Path(__file__).resolve().parents[2]
AGES_S = 3600.0  # longer than a test may take: it shows that something else came first
SIGNATURE = f"steward-test-sleeper-{os.getpid()}"  # of this run: two may go on at once


@pytest.fixture(scope="module")
def offered() -> Available:
    return confinement.available()


def bash(line: str, folder: Path, method: Method = Method.NONE, limits: Limits | None = None) -> ChildResult:
    return Child(Command(("bash", "-c", line), folder, method=method), limits).run()


def sleepers() -> list[psutil.Process]:
    """Processes that a test has left running, wherever they hang in the tree."""
    return [p for p in psutil.process_iter() if _is_sleeper(p)]


def _is_sleeper(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE and process.cmdline()[:1] == [SIGNATURE]
    except psutil.Error:
        return False


def sleeper() -> str:
    """A command line for a process that can be found again, and that no test can wait for."""
    return f"bash -c 'exec -a {SIGNATURE} sleep 3600'"


def test_both_methods_work_on_a_development_machine(offered: Available) -> None:
    """The tests below may not be skipped where we build: the system has Landlock and bubblewrap."""
    assert offered.landlock_abi >= 3
    assert offered.methods == (Method.LANDLOCK, Method.BUBBLEWRAP)
    assert "without write access" in str(offered.reason())


def test_what_is_missing_is_said() -> None:
    """Without any method the sentence for `doctor` says so."""
    nothing = Available(landlock_abi=2, seccomp=True, bubblewrap="")
    assert nothing.best is Method.NONE
    assert "cannot be kept from writing" in str(nothing.reason())


@pytest.mark.parametrize("method", METHODS)
def test_output_and_exit_code_come_back(tmp_path: Path, method: Method) -> None:
    """Both streams in their order, the working folder, the exit code, and the confinement that was used."""
    outcome = bash("pwd; echo two >&2; echo three; exit 3", tmp_path, method)
    assert outcome.output.text() == f"{tmp_path}\ntwo\nthree\n"
    assert (outcome.ending, outcome.exit_code, outcome.method) == (ChildEnding.EXITED, 3, method)


def test_a_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    """A program that dies of a signal says which."""
    assert bash("kill -SEGV $$", tmp_path).exit_code == -11


def test_binary_output_arrives_unchanged(tmp_path: Path) -> None:
    """No decoding happens on the way."""
    code = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4)"
    outcome = Child(Command((sys.executable, "-I", "-S", "-c", code), tmp_path)).run()
    assert outcome.output.head == bytes(range(256)) * 4


def test_two_megabytes_are_kept_at_both_ends(tmp_path: Path) -> None:
    """Of 2 MB the first and last half megabyte are kept, and the command is not held up."""
    outcome = bash("echo begin; head -c 2000000 /dev/zero; echo end", tmp_path)
    assert outcome.exit_code == 0
    assert outcome.output.head.startswith(b"begin\n")
    assert outcome.output.tail.endswith(b"end\n")
    assert outcome.output.total_bytes == 2_000_010
    assert len(outcome.output.head) + len(outcome.output.tail) == 1_000_000


def test_a_flood_of_output_ends_the_child(tmp_path: Path) -> None:
    """What would write for ever is ended long before its time."""
    outcome = bash("yes", tmp_path, limits=Limits(flood_bytes=5_000_000, time_s=AGES_S))
    assert outcome.ending is ChildEnding.TOO_MUCH_OUTPUT


def test_standard_input_is_empty_and_there_is_no_terminal(tmp_path: Path) -> None:
    """A program that asks gets end of file, not the user's terminal."""
    outcome = bash(
        "cat; read -t 5 answer || echo empty; (: </dev/tty) 2>/dev/null || echo no terminal", tmp_path
    )
    assert outcome.output.text() == "empty\nno terminal\n"


def test_secrets_are_not_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child sees the cleaned environment only."""
    monkeypatch.setenv("GITHUB_TOKEN", "do-not-show")
    monkeypatch.setenv("UNHEARD_OF", "do-not-show")
    assert "do-not-show" not in bash("env; cat /proc/$PPID/environ", tmp_path).output.text()


@pytest.mark.parametrize(
    ("line", "time_s", "expected"),
    [
        ("sleep 3600", 0.4, True),
        ("trap '' TERM; while :; do sleep 3600; done", 0.4, True),
        ("true", AGES_S, False),
    ],
)
def test_a_child_that_hangs_is_ended_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, time_s: float, expected: bool
) -> None:
    """Also one that will not be asked, and by its supervisor: nobody has to wait until that is given up."""
    monkeypatch.setattr("desktop.sandbox.process.SUPERVISOR_S", AGES_S)
    outcome = bash(line, tmp_path, limits=Limits(time_s=time_s, grace_s=0.1))
    assert (outcome.ending is ChildEnding.TIMED_OUT) is expected
    assert (outcome.exit_code is None) is expected


def test_a_child_asked_to_end_may_tidy_up(tmp_path: Path) -> None:
    """Before force there is a moment to remove a lock."""
    line = "trap 'rm lock; exit' TERM; touch lock; while :; do sleep 0.01; done"
    child = Child(Command(("bash", "-c", line), tmp_path), Limits(time_s=AGES_S, grace_s=60))
    outcomes: list[ChildResult] = []
    runner = threading.Thread(target=lambda: outcomes.append(child.run()))
    runner.start()
    _wait_for((tmp_path / "lock").exists)
    child.cancel()
    runner.join()
    assert outcomes[0].ending is ChildEnding.CANCELLED
    assert list(tmp_path.iterdir()) == []


DAEMONS = {
    "background": f"{sleeper()} &",
    "own session": f"setsid {sleeper()} &",
    "double fork": f"(setsid bash -c '{sleeper().replace(chr(39), chr(34))} & exit' &) ; sleep 0.2",
    "ignores signals": f"(trap '' TERM HUP; {sleeper()}) &",
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("daemon", DAEMONS)
def test_nothing_outlives_its_command(tmp_path: Path, daemon: str, method: Method) -> None:
    """What a command leaves running ends with it, also what has turned itself into a daemon."""
    outcome = bash(f"{DAEMONS[daemon]}\necho started", tmp_path, method, Limits(time_s=AGES_S))
    assert (outcome.ending, outcome.output.text()) == (ChildEnding.EXITED, "started\n")
    assert sleepers() == []


def test_leftovers_are_counted(tmp_path: Path) -> None:
    """How many were ended with the command is told."""
    assert bash(f"{sleeper()} & {sleeper()} & sleep 0.1", tmp_path).leftovers == 2


def test_a_child_that_kills_its_supervisor_gains_nothing(tmp_path: Path) -> None:
    """What is left then is found by its mark."""
    line = f"setsid {sleeper()} & sleep 0.1; kill -9 $PPID; sleep 3600"
    outcome = bash(line, tmp_path, limits=Limits(time_s=AGES_S))
    assert outcome.exit_code is None
    assert sleepers() == []


@pytest.mark.parametrize("method", METHODS)
def test_a_fork_bomb_is_bounded(tmp_path: Path, method: Method) -> None:
    """It is noticed by the number of its processes and ended, all of it."""
    line = f"bomb() {{ {sleeper()} & bomb & bomb; }}; bomb"
    outcome = bash(line, tmp_path, method, Limits(processes=60, time_s=AGES_S))
    assert outcome.ending is ChildEnding.TOO_MANY_PROCESSES
    assert sleepers() == []


ENDS = """
import os, sys
sys.path.append(sys.argv[1])
from desktop.sandbox import supervisor
walk, end = supervisor.descendants, supervisor._end
supervisor.descendants = lambda limit: print("at most", limit) or walk(limit)
supervisor._end = lambda processes: print("end") or end(processes)
child = os.fork() or os.execvp("sleep", ["sleep", "3600"])
control, waker = os.pipe(), os.pipe()
task = supervisor.Task([], -1, "none", [], control[0], -1, 0, 10**12, 10**12, 10**6, 0, "", 0.1)
print(supervisor.Tree(child, task).watch(waker[0])["told"])
"""


def test_a_bomb_is_ended_before_it_is_counted() -> None:
    """On a busy computer it doubles faster than anybody walks over its processes; a walk has an end, too."""
    done = subprocess.run([sys.executable, "-c", ENDS, ROOT], capture_output=True, text=True, check=True)
    *seen, told = done.stdout.splitlines()
    assert told == "too many processes"
    assert seen[:3] == ["at most 1", "at most 1", "end"]
    assert set(seen) == {"at most 1", "end", f"at most {supervisor.AT_ONCE}"}


HELD = """
import os, sys
sys.path.append(sys.argv[1])
from desktop.sandbox import supervisor
child = os.fork() or (os.setsid(), os.execvp("sleep", ["sleep", "3600"]))
while supervisor._group(child) != child: pass
walk, tasks = supervisor.descendants, iter(map(int, sys.argv[2].split(",")))
supervisor.tasks_of_system = lambda: next(tasks)
state = lambda: open(f"/proc/{child}/stat").read().rpartition(")")[2].split()[0]
while open(f"/proc/{child}/comm").read() != "sleep\\n" or state() != "S": pass
def looked(limit):
    while "stopped" in sys.argv and state() != "T": pass
    print(state())
    return walk(limit)
supervisor.descendants = looked
task = supervisor.Task([], -1, "none", [], -1, -1, 100, 10**12, 10**12, 10**6, 0, "", 0.1)
tree = supervisor.Tree(child, task)
tree._look()
while state() != "S": pass  # for good, where it stays stopped
print(state())
os.kill(child, 9)
"""


@pytest.mark.parametrize(
    ("tasks", "during"),
    [("900,901", "S"), ("900,1000", "S"), ("900,1001", "T"), ("900,9000", "T"), ("0,0", "S")],
)
def test_a_command_is_held_still_while_it_is_counted(tasks: str, during: str) -> None:
    """Where the system has more new tasks than it may have; and it goes on where they were not its own."""
    words = [sys.executable, "-c", HELD, str(ROOT), tasks, *(["stopped"] if during == "T" else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=100)
    assert done.stdout.split() == [during, "S"]


def test_the_kernel_refuses_what_nobody_ends_in_time(tmp_path: Path) -> None:
    """More tasks than the system had and two thousand; who starts Steward may have set fewer."""
    outcome = bash("ulimit -Hu; ulimit -Su", tmp_path)
    hard, soft = map(int, outcome.output.text().split())
    assert hard == soft < supervisor.MOST_TASKS + len(psutil.pids()) * 100
    with limited(resource.RLIMIT_NPROC, 1500):
        assert bash("ulimit -Su", tmp_path).output.text() == "1500\n"


@contextmanager
def limited(which: int, soft: int) -> Iterator[None]:
    """This process, and what it starts."""
    before = resource.getrlimit(which)
    resource.setrlimit(which, (soft, before[1]))
    yield
    resource.setrlimit(which, before)


def taking(megabytes: int) -> str:
    """Python that holds so much memory until it is ended."""
    return f"x = bytearray(b'x') * {megabytes}_000_000; import time; time.sleep(3600)"


GREEDY = {
    "one process": [taking(200)],
    "several together": [taking(60)] * 4,
    "in files without a name": [
        "import os, time; files = [os.memfd_create('a'), os.memfd_create('b')];"
        " [os.write(each, b'x' * 100_000_000) for each in files]; time.sleep(3600)"
    ],
    "below a daemon": [f"import os; os.fork() and os._exit(0); os.setsid(); {taking(200)}", "input()"],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("greedy", GREEDY)
def test_a_command_that_takes_too_much_memory_is_ended(tmp_path: Path, greedy: str, method: Method) -> None:
    """All of its processes count together."""
    lines = " & ".join(f'{sys.executable} -I -S -c "{code}"' for code in GREEDY[greedy])
    limits = Limits(memory_bytes=150_000_000, time_s=AGES_S)
    outcome = bash(f"{lines} & sleep 3600", tmp_path, method, limits)
    assert outcome.ending is ChildEnding.TOO_MUCH_MEMORY


def test_files_in_memory_count_though_nobody_has_them_open(tmp_path: Path) -> None:
    """They are memory like any other, and stay when their process has ended."""
    room = Path("/dev/shm")
    if not room.is_dir() or shutil.disk_usage(room).free < 200_000_000:
        pytest.skip("there is no room for files in memory")
    name = f"steward-test-{secrets.token_hex(8)}"
    line = f"for i in {{1..12}}; do head -c 10000000 /dev/zero > {room}/{name}-$i; done; sleep 3600"
    try:
        outcome = bash(line, tmp_path, limits=Limits(memory_bytes=100_000_000, time_s=AGES_S))
        assert outcome.ending is ChildEnding.TOO_MUCH_MEMORY
    finally:
        for each in room.glob(f"{name}-*"):
            each.unlink()


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    """Ten forks of one process hold no more than it alone."""
    code = "import os, time; x = bytearray(b'x') * 60_000_000; [os.fork() or (time.sleep(0.5), os._exit(0))"
    code += " for _ in range(10)]; time.sleep(0.5)"
    command = Command((sys.executable, "-I", "-S", "-c", code), tmp_path)
    outcome = Child(command, Limits(memory_bytes=400_000_000)).run()
    assert (outcome.ending, outcome.exit_code) == (ChildEnding.EXITED, 0)


LARGE_FILES = {
    "last of the line": "head -c 3000000 /dev/zero > large",
    "in a pipe": "head -c 3000000 /dev/zero | cat > large; exit $?",
    "grown": "for _ in 1 2 3; do head -c 700000 /dev/zero >> large || exit $?; done",
}


@pytest.mark.parametrize("line", LARGE_FILES)
def test_no_file_grows_beyond_the_limit(tmp_path: Path, line: str) -> None:
    """What would fill the disk is ended, and said to be."""
    outcome = bash(LARGE_FILES[line], tmp_path, limits=Limits(file_bytes=1_000_000))
    assert outcome.ending is ChildEnding.FILE_TOO_LARGE
    assert (tmp_path / "large").stat().st_size <= 1_000_000


def test_a_supervisor_that_is_stopped_holds_nothing_up_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time limit ends what hangs below it all the same."""
    monkeypatch.setattr("desktop.sandbox.process.SUPERVISOR_S", 0.2)
    outcome = bash(f"setsid {sleeper()} & kill -STOP $PPID; sleep 60", tmp_path, limits=Limits(time_s=0.5))
    assert outcome.ending is ChildEnding.TIMED_OUT
    assert sleepers() == []


IMPATIENT = """
import sys
sys.path.append(sys.argv[1])
from desktop.sandbox import supervisor

supervisor.FORCE_S = supervisor.TELL_S = 0.1
supervisor.main()
"""
PTRACE_SEIZE = 0x4206
HELD_S = 1.5


@pytest.mark.parametrize("line_ends", ["by itself", "out of time"])
def test_who_was_killed_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line_ends: str
) -> None:
    """A dead process may stay for longer than an end by force takes, as one does whose gigabytes are freed.

    Here a tracer keeps it.
    """
    monkeypatch.setattr("desktop.sandbox.process.SUPERVISOR_S", 1.0)
    held = tmp_path / "held"

    def hold() -> None:
        _wait_for(lambda: bool(sleepers()))
        if ctypes.CDLL(None).ptrace(PTRACE_SEIZE, sleepers()[0].pid, None, None) == 0:
            held.touch()
            _wait_for(lambda: not sleepers())
            time.sleep(HELD_S)
        # With its thread a tracer lets go.

    tracer = threading.Thread(target=hold)
    tracer.start()
    line = f"{sleeper()} & until [ -e held ]; do sleep 0.01; done"
    line += "" if line_ends == "by itself" else "; sleep 3600"
    launcher = (sys.executable, "-I", "-S", "-c", IMPATIENT, str(ROOT))
    limits = Limits(time_s=60 if line_ends == "by itself" else 3, grace_s=0.1)
    outcome = Child(Command(("bash", "-c", line), tmp_path), limits, launcher).run()
    tracer.join()
    if not held.exists():
        pytest.skip("this system lets no process trace another one")
    ending = ChildEnding.EXITED if line_ends == "by itself" else ChildEnding.TIMED_OUT
    assert (outcome.ending, outcome.survivors) == (ending, 0)


# Starts the supervisor as usual, and writes down how long it asks to wait once it was told to end.
COUNTING = """
import select, sys, time
sys.path.append(sys.argv[1])
from desktop.sandbox import supervisor

FILE = sys.argv.pop(2)

def note(seconds):
    with open(FILE, "a") as file:
        print(seconds, file=file)

def waited(real_wait, read, write, other, seconds):
    found = real_wait(read, write, other, seconds)
    if len(read) == 1 and not found[0]:
        note(seconds)
    return found

class Select:
    select = staticmethod(lambda *each, real=select.select: waited(real, *each))

class Time:
    monotonic = staticmethod(time.monotonic)
    sleep = staticmethod(lambda seconds, real=time.sleep: (note(seconds), real(seconds)))

supervisor.select, supervisor.time = Select, Time
supervisor.main()
"""


@pytest.mark.parametrize("method", METHODS)
def test_cancelling_ends_everything_within_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """From another thread, by the supervisor, with a child that ignores being asked. No time is measured, as
    the machine may be busy, but what the supervisor asks for: all its waits together.
    """
    monkeypatch.setattr("desktop.sandbox.process.SUPERVISOR_S", AGES_S)
    waits, folder = tmp_path / "waits", tmp_path / "work"
    folder.mkdir()
    waits.touch()
    launcher = (sys.executable, "-I", "-S", "-c", COUNTING, str(ROOT), str(waits))
    line = f"trap '' TERM; echo up; {sleeper()} & wait; sleep 3600"
    child = Child(Command(("bash", "-c", line), folder, method=method), Limits(time_s=AGES_S), launcher)
    outcomes: list[ChildResult] = []
    runner = threading.Thread(target=lambda: outcomes.append(child.run()))
    runner.start()
    _wait_for(lambda: bool(sleepers()))
    child.cancel()
    runner.join()
    assert outcomes[0].ending is ChildEnding.CANCELLED
    assert outcomes[0].output.text() == "up\n"
    assert sleepers() == []
    asked_for = [float(each) for each in waits.read_text().split()]
    assert asked_for or method is Method.BUBBLEWRAP  # which ends with all below it when it is asked
    assert sum(asked_for) < 1.0


class Jumping:
    """A clock that stands an hour later as soon as `file` is there."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def monotonic(self) -> float:
        return time.monotonic() + 2 * AGES_S * self._file.exists()


def test_a_child_out_of_time_may_tidy_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit asks first, as a cancel does."""
    lock = tmp_path / "lock"
    monkeypatch.setattr("desktop.sandbox.process.time", Jumping(lock))
    line = "trap 'mv lock tidied; exit' TERM; touch lock; echo locked; while :; do sleep 0.01; done"
    outcome = bash(line, tmp_path, limits=Limits(time_s=AGES_S, grace_s=60))
    assert outcome.ending is ChildEnding.TIMED_OUT
    assert (tmp_path / "tidied").exists()


def _wait_for(condition: object) -> None:
    assert callable(condition)
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)  # looking through all processes takes ten milliseconds and more


def test_cancelled_before_it_runs(tmp_path: Path) -> None:
    """A cancel that comes first is not lost."""
    child = Child(Command(("sleep", "60"), tmp_path))
    child.cancel()
    assert child.run().ending is ChildEnding.CANCELLED


def test_when_steward_is_killed_the_tree_ends(tmp_path: Path) -> None:
    """The supervisor notices the closed pipe; nothing runs on unwatched."""
    code = (
        "from pathlib import Path; from desktop.sandbox.process import Child, Command;"
        f"Child(Command(('bash', '-c', {sleeper()!r}), Path({str(tmp_path)!r}))).run()"
    )
    steward = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2])
    _wait_for(lambda: bool(sleepers()))
    steward.kill()
    steward.wait()
    _wait_for(lambda: not sleepers())


@pytest.mark.parametrize(
    ("argv", "code"),
    [(("no-such-program-here",), "program-missing"), (("/etc/hostname",), "program-missing")],
)
def test_what_cannot_be_started_is_said(tmp_path: Path, argv: tuple[str, ...], code: str) -> None:
    """A missing program is an answer, not a crash."""
    with pytest.raises(UserFacing) as refusal:
        Child(Command(argv, tmp_path)).run()
    assert refusal.value.code == code


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    """So is a working folder that is gone."""
    with pytest.raises(UserFacing) as refusal:
        Child(Command(("true",), tmp_path / "gone")).run()
    assert refusal.value.code == "path-missing"


@pytest.mark.parametrize("above", [False, True])
def test_a_folder_that_has_become_a_link_starts_nothing(tmp_path: Path, above: bool) -> None:
    """What was judged by the files of one folder does not run in another."""
    folder, elsewhere = tmp_path / "above" / "work", tmp_path / "elsewhere"
    (elsewhere / "work").mkdir(parents=True)
    if above:
        folder.parent.symlink_to(elsewhere)
    else:
        folder.parent.mkdir()
        folder.symlink_to(elsewhere)
    with pytest.raises(UserFacing) as refused:
        bash("touch begun", folder)
    assert refused.value.code in ("path-link", "path-not-folder")
    assert list(elsewhere.rglob("begun")) == []


def test_what_cannot_be_confined_is_not_started(tmp_path: Path) -> None:
    """A fence that cannot be put up stops the command before its first word."""
    line = f"touch {tmp_path}/started"
    command = Command(("bash", "-c", line), tmp_path, method=Method.LANDLOCK, writable=(tmp_path / "gone",))
    with pytest.raises(UserFacing) as refusal:
        Child(command).run()
    assert refusal.value.code == "path-missing"
    assert list(tmp_path.iterdir()) == []


PYTHON = f"{sys.executable} -I -S -c"
WRITES = {
    "create": "echo x > new",
    "overwrite": "echo x > kept",
    "append": "echo x >> kept",
    "truncate": "truncate -s 0 kept",
    "truncate by opening to read": f"{PYTHON} 'import os; os.open(\"kept\", os.O_RDONLY | os.O_TRUNC)'",
    "remove": "rm -f kept",
    "rename": "mv kept other",
    "link": "ln kept other",
    "symbolic link": "ln -s kept other",
    "folder": "mkdir new",
    "pipe": "mkfifo new",
    "permission bits": "chmod 777 kept",
    "permission bits of a folder": "chmod 777 .",
    "times": "touch -d 2001-01-01 kept",
    "owner": "chown 12345 kept",
    "attribute": f'{PYTHON} \'import os; os.setxattr("kept", "user.mark", b"x")\'',
    "flags": "chattr +A kept",
    "elsewhere": "echo x > /tmp/$MARK",
    "shared memory": "echo x > /dev/shm/$MARK",
    "through a child": "bash -c 'setsid -w bash -c \"echo x > new\"'",
}


def _state(folder: Path) -> object:
    def facts(path: Path) -> tuple[object, ...]:
        status = path.lstat()
        return (
            path.name,
            status.st_mode,
            status.st_uid,
            status.st_mtime_ns,
            status.st_size,
            os.listxattr(path),
        )

    return facts(folder), sorted(map(facts, folder.iterdir())), (folder / "kept").read_bytes()


@pytest.mark.parametrize("method", CONFINED)
def test_a_command_that_reads_cannot_write(tmp_path: Path, method: Method) -> None:
    """Every way of leaving something behind is refused, and reading goes on as before."""
    (tmp_path / "kept").write_bytes(b"kept")
    before = _state(tmp_path)
    mark = f"steward-mark-{os.getpid()}"
    lines = "\n".join(f"( {line} ) >/dev/null 2>&1 && echo wrote: {name}" for name, line in WRITES.items())
    outcome = bash(f"MARK={mark}; {lines}\ncat kept; echo fine > /dev/null", tmp_path, method)
    wrote = [each for each in outcome.output.text().splitlines() if each.startswith("wrote")]
    # Bubblewrap gives the command an own /dev, which is gone afterwards.
    assert wrote == (["wrote: shared memory"] if method is Method.BUBBLEWRAP else [])
    assert outcome.output.text().endswith("kept")
    assert _state(tmp_path) == before
    assert not Path("/tmp", mark).exists()
    assert not Path("/dev/shm", mark).exists()


def test_the_same_lines_write_when_nothing_is_confined(tmp_path: Path) -> None:
    """The table above tests something: without a fence nearly all of it succeeds."""
    failed = []
    for name, line in WRITES.items():
        if name in ("owner", "flags", "attribute", "elsewhere", "shared memory"):
            continue  # these depend on the account and on the file system
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        (folder / "kept").write_bytes(b"kept")
        before = _state(folder)
        bash(line, folder)
        if (folder / "kept").exists() and _state(folder) == before:
            failed.append(name)
    assert failed == []


NETWORK = """
import socket, sys, os
def tried(name, act):
    try: act()
    except OSError as error: return
    print("reached:", name)
tcp, udp, unix = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
tried("tcp", lambda: socket.create_connection(("127.0.0.1", tcp), 2))
tried("udp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", udp)))
tried("unix", lambda: socket.socket(socket.AF_UNIX).connect(unix))
tried("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + unix))
tried("listen", lambda: socket.socket().bind(("127.0.0.1", 0)))
tried("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
socket.socketpair()
print("done")
"""


@pytest.mark.parametrize("method", METHODS)
def test_a_command_that_reads_has_no_network(tmp_path: Path, method: Method) -> None:
    """Neither TCP nor UDP nor the sockets of local services; unconfined, all of them answer."""
    import socket

    path = str(tmp_path / "socket")
    tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    with tcp, udp, unix, abstract:
        udp.bind(("127.0.0.1", 0))
        unix.bind(path)
        abstract.bind("\0" + path)
        unix.listen()
        abstract.listen()
        words = [str(tcp.getsockname()[1]), str(udp.getsockname()[1]), path]
        argv = (sys.executable, "-I", "-S", "-W", "ignore", "-c", NETWORK, *words)
        said = Child(Command(argv, tmp_path, method=method)).run().output.text().split("\n")
    reached = [] if method is not Method.NONE else ["tcp", "udp", "unix", "abstract", "listen", "netlink"]
    assert said == [*(f"reached: {name}" for name in reached), "done", ""]


@pytest.mark.parametrize("method", CONFINED)
def test_a_scratch_folder_may_be_written_to(tmp_path: Path, method: Method) -> None:
    """What is named as writable is, with everything below it, and nothing beside it."""
    scratch, other = tmp_path / "scratch", tmp_path / "other"
    scratch.mkdir()
    other.mkdir()
    line = f"mkdir {scratch}/a; echo x > {scratch}/a/b; mv {scratch}/a/b {scratch}/c; echo x > {other}/d"
    Child(Command(("bash", "-c", line), tmp_path, method=method, writable=(scratch,))).run()
    assert (scratch / "c").read_bytes() == b"x\n"
    assert list(other.iterdir()) == []


@pytest.mark.parametrize("method", CONFINED)
def test_a_confined_command_cannot_signal_others(tmp_path: Path, method: Method) -> None:
    """It cannot end a program of the user's, nor its own supervisor."""
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        outcome = bash(f"kill -9 {bystander.pid}; kill -9 $PPID; echo on", tmp_path, method)
        assert bystander.poll() is None
        assert outcome.exit_code == 0
        assert outcome.output.text().endswith("on\n")
    finally:
        bystander.kill()
        bystander.wait()


SPEAKS = """
for file in /proc/$PPID/fd/*; do
  grep -qs 'flags:.*1$' /proc/$PPID/fdinfo/${file##*/} && [ -p $file ] && %s > $file
done 2>/dev/null
sleep 0.3; echo done
"""


@pytest.mark.parametrize(
    "words",
    [
        "echo '{garbage'",
        "echo 5",
        """echo '{"event":"ended"}'""",
        """echo '{"event":"refused","step":5}'""",
        """echo '{"event":[]}'""",
        "(yes '[' | head -c 200000 | tr -d '\\n'; echo)",
        "head -c 9000000 /dev/zero",
    ],
)
def test_a_command_that_speaks_for_its_supervisor_is_not_understood(tmp_path: Path, words: str) -> None:
    """Root may write to its pipe, nobody else; what is no report of ours counts for nothing, however long."""
    outcome = bash(SPEAKS % words, tmp_path, limits=Limits(time_s=20.0))
    assert (outcome.ending, outcome.exit_code) == (ChildEnding.EXITED, 0)
    assert outcome.output.text().endswith("done\n")


def test_nobody_but_root_looks_into_the_supervisor(tmp_path: Path) -> None:
    """Its files below /proc are the system's, so that a command can't write reports in its name."""
    outcome = bash("stat -c %u /proc/$PPID/environ; cat /proc/$PPID/environ | wc -c", tmp_path)
    owner, size = outcome.output.text().split()[:2]
    assert owner == "0"
    assert os.geteuid() == 0 or size == "0" or "denied" in outcome.output.text()
