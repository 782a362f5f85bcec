"""What memory has to do with it: asked at each failure, told of each try, and of what did it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.builder.experience import Experience
from desktop.builder.job import JobEnding
from desktop.database import Database
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.settings import MemorySettings
from tests.builder.conftest import BAD, GOOD, Bench, Told
from tests.shipped import redactor

pytestmark = pytest.mark.children


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    database = Database(tmp_path / "memory.sqlite3", MIGRATIONS)
    made = Memory(database, redactor())
    yield made
    made.close()
    database.close()


def learning(bench: Bench, memory: Memory, settings: MemorySettings | None = None) -> None:
    bench.experience = Experience(lambda: memory, lambda: settings or MemorySettings())


def test_what_did_it_is_tried_first_the_next_time(bench: Bench, memory: Memory) -> None:
    """The same function with the same failure is mended without the model; the check still decides."""
    learning(bench, memory)
    assert bench.run().is_solved
    bench.model = Told(["never asked"])
    again = bench.run()
    assert again.ending is JobEnding.SOLVED
    assert again.rounds[0].from_memory
    assert again.after.exit_code == 0
    assert not bench.model.requests


def test_every_round_is_an_event(bench: Bench, memory: Memory) -> None:
    """With the check, the function and how it went."""
    learning(bench, memory)
    bench.says(BAD, GOOD)
    bench.run()
    memory.capture.flush()
    sql = "SELECT ok, arguments FROM memory_events WHERE tool = 'fix' ORDER BY id"
    rows = memory.store.database.read(lambda c: c.execute(sql).fetchall())
    assert [bool(row["ok"]) for row in rows] == [False, True]
    assert all(json.loads(row["arguments"])["path"] == "text.py" for row in rows)


@pytest.mark.slow
def test_a_fix_that_does_not_do_is_no_fix(bench: Bench, memory: Memory) -> None:
    """What was known is thrown away like any try that fails, and the model is asked."""
    learning(bench, memory)
    bench.run()
    harder = (bench.project / "test_text.py").read_text().replace('"hello-world"', '"hello+world"')
    bench.lay_out({"test_text.py": harder})
    bench.says(BAD)
    outcome = bench.run()
    assert outcome.is_solved
    assert bench.model.requests


@pytest.mark.slow
def test_without_memory_nothing_is_kept(bench: Bench, memory: Memory) -> None:
    """Paused means that nothing is asked and nothing learned."""
    learning(bench, memory, MemorySettings(paused=True))
    assert bench.run().is_solved
    memory.capture.flush()
    assert memory.hindsight.fixes() == ()


def test_a_secret_that_a_check_prints_is_not_remembered(bench: Bench, memory: Memory, tmp_path: Path) -> None:
    """Neither in an event nor in what is learned from the failure; nor what a function has of one."""
    learning(bench, memory)
    secret = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    test = (bench.project / "test_text.py").read_text()
    bench.lay_out({"test_text.py": test.replace('== "hello-world"', f'== "hello-world", "{secret}"')})
    bench.says(BAD, f"    # {secret}\n{GOOD}")
    outcome = bench.run()
    assert outcome.is_solved
    assert secret in outcome.before.output
    memory.capture.flush()
    memory.close()
    kept = b"".join(each.read_bytes() for each in tmp_path.glob("memory.sqlite3*"))
    assert b"text.py" in kept
    assert secret.encode() not in kept
