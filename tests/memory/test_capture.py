"""Events are taken without delay, written in batches, counted when there is no room, and survive a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.database import Connection, Database
from desktop.gate.redaction import Cleaner
from desktop.memory.capture import (
    BATCH,
    LONGEST_VALUE,
    QUEUE,
    CaptureLevel,
    CaptureMode,
    MemoryCapture,
    TrajectoryEvent,
)
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.paths import Paths

PATIENCE_S = 10.0


def event(number: int = 0, ok: bool = True) -> TrajectoryEvent:
    error = "" if ok else "No such file"
    return TrajectoryEvent("read_file", ok, arguments={"path": f"{number}.txt"}, error=error, session="1")


def rows(database: Database) -> int:
    return int(database.read(lambda c: c.execute("SELECT count(*) FROM memory_events").fetchone()[0]))


@pytest.fixture
def held(database: Database) -> Iterator[Callable[[], None]]:
    """The database's writer is busy until the function is called."""
    go, busy = threading.Event(), threading.Event()

    def wait(_connection: Connection) -> None:
        busy.set()
        go.wait(PATIENCE_S)

    thread = threading.Thread(target=lambda: database.write(wait))
    thread.start()
    assert busy.wait(PATIENCE_S)
    yield go.set
    go.set()
    thread.join()


def test_what_is_captured_is_written(memory: Memory, database: Database) -> None:
    """All of it, in order, also what is less than a batch."""
    for number in range(23):
        assert memory.capture.capture(event(number))
    assert memory.capture.flush()
    assert rows(database) == 23
    assert memory.capture.figures.written == 23


def test_closing_writes_what_waits(database: Database, memory: Memory) -> None:
    """Nothing below the queue's bound is lost at the end; afterwards nothing is taken."""
    capture = MemoryCapture(database, memory.cleaner)
    for number in range(QUEUE):
        capture.capture(event(number))
    capture.close()
    assert rows(database) == QUEUE
    assert not capture.capture(event())
    capture.close()


def test_the_caller_never_waits_for_the_disk(
    memory: Memory, database: Database, held: Callable[[], None]
) -> None:
    """With the writer stuck all calls return: the queue fills, the rest is dropped and counted."""
    more = 50
    taken = sum(memory.capture.capture(event(number)) for number in range(QUEUE + more + 200))
    figures = memory.capture.figures
    assert QUEUE <= taken <= QUEUE + BATCH  # a batch is in the writer's hand
    assert figures.dropped == QUEUE + more + 200 - taken
    held()
    assert memory.capture.flush()
    assert rows(database) == taken


@pytest.mark.parametrize(
    ("mode", "kept"),
    [
        (CaptureMode(CaptureLevel.ALL), 24),
        (CaptureMode(CaptureLevel.SAMPLED, 5), 4 + 4),
        (CaptureMode(CaptureLevel.ERRORS), 4),
        (CaptureMode(CaptureLevel.OFF), 0),
    ],
)
def test_modes(memory: Memory, database: Database, mode: CaptureMode, kept: int) -> None:
    """Everything, one in five and what failed, only what failed, nothing."""
    capture = MemoryCapture(database, memory.cleaner, lambda: mode)
    for number in range(24):
        capture.capture(event(number, ok=number % 6 != 0))
    capture.close()
    assert rows(database) == kept


def test_secrets_are_gone_before_the_queue(memory: Memory, held: Callable[[], None], paths: Paths) -> None:
    """While it waits there, and on the disk."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    taken = TrajectoryEvent(
        "run_command",
        False,
        arguments={"command": f"curl -H 'Authorization: Bearer {token}' x", "password": "hunter2hunter2"},
        error=f"refused for anna@example.org with {token}",
    )
    memory.capture.capture(taken)
    assert token not in repr(list(memory.capture._queue))
    assert "hunter2" not in repr(list(memory.capture._queue))
    held()
    assert memory.capture.flush()
    on_disk = b"".join(file.read_bytes() for file in paths.data.iterdir())
    assert token.encode() not in on_disk
    assert b"anna@example.org" not in on_disk


def test_contents_are_not_kept(memory: Memory, database: Database) -> None:
    """Of a long argument the beginning, cut at a space; half a secret would not be recognised."""
    memory.capture.capture(
        TrajectoryEvent("write_file", True, arguments={"content": "word " * 9999, "x": "y" * 9999})
    )
    assert memory.capture.flush()
    stored = database.read(lambda c: c.execute("SELECT arguments FROM memory_events").fetchone()[0])
    assert len(stored) < LONGEST_VALUE + 60
    assert "yyy" not in stored


def test_a_burst_is_told_of_twice(
    memory: Memory, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once when it begins and not after each batch, and once more before `flush` and `close` return."""
    monkeypatch.setattr("desktop.memory.capture.TOLD_EVERY_S", 1e6)
    told: list[int] = []
    capture = MemoryCapture(database, memory.cleaner, written=lambda: told.append(rows(database)))
    for number in range(4 * BATCH):
        capture.capture(event(number))
    assert capture.flush()
    assert (len(told), told[-1]) == (2, 4 * BATCH)
    capture.capture(event())
    capture.close()
    assert (len(told), told[-1]) == (3, 4 * BATCH + 1)


def test_a_disk_that_refuses_is_counted(memory: Memory, database: Database) -> None:
    """The thread goes on and later events are written."""
    database.write(lambda c: c.execute("ALTER TABLE memory_events RENAME TO away"))
    memory.capture.capture(event())
    assert memory.capture.flush()
    database.write(lambda c: c.execute("ALTER TABLE away RENAME TO memory_events"))
    memory.capture.capture(event())
    assert memory.capture.flush()
    assert (memory.capture.figures.failed, rows(database)) == (1, 1)


CHILD = """
import sys, time
from pathlib import Path
from desktop.database import Database
from desktop.gate.redaction import Redactor, read_rules
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.capture import TrajectoryEvent
from desktop.paths import resources

redactor = Redactor(read_rules(resources() / "redaction.toml"))
memory = Memory(Database(Path(sys.argv[1]), MIGRATIONS), redactor)
number = 0
while True:
    for number in range(number, number + 2000):
        memory.capture.capture(TrajectoryEvent("read_file", True, arguments={"path": f"{number}.txt"}))
    figures = memory.capture.figures
    if figures.dropped:
        print(figures.written, flush=True)
    time.sleep(0.02)  # else this loop keeps the interpreter from the thread that writes
"""


@pytest.mark.children
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
def test_kill_9_while_the_queue_is_full(paths: Paths, redactor: object) -> None:
    """What was counted as written is there, the file is whole, and memory goes on."""
    root = Path(__file__).resolve().parents[2]
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(paths.database)], cwd=root, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    lines = (line for line in child.stdout if line.strip().isdigit())
    promised = next(number for number in map(int, lines) if number >= 100)
    child.send_signal(signal.SIGKILL)
    promised = max([promised, *(int(line) for line in lines)])
    child.wait()
    child.stdout.close()
    database = Database(paths.database, MIGRATIONS)
    try:
        assert database.read(lambda c: c.execute("PRAGMA integrity_check").fetchone()[0]) == "ok"
        numbers = database.read(
            lambda c: [row[0] for row in c.execute("SELECT id FROM memory_events ORDER BY id").fetchall()]
        )
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        # By their numbers: the oldest go when there are more than are kept.
        assert numbers[-1] >= promised > 0
        capture = MemoryCapture(database, Cleaner(redactor))  # type: ignore[arg-type]
        before = rows(database)
        capture.capture(event())
        capture.close()
        assert rows(database) == before + 1
    finally:
        database.close()


def test_a_thousand_events_a_second_are_all_written(memory: Memory, database: Database) -> None:
    """At that pace the writer keeps up: nothing is dropped."""
    begun = time.perf_counter()
    for number in range(1000):
        pause = begun + number / 1000 - time.perf_counter()
        if pause > 0:
            time.sleep(pause)
        memory.capture.capture(event(number))
    assert memory.capture.flush()
    assert (memory.capture.figures.dropped, rows(database)) == (0, 1000)
