"""Memory as a whole: recorded, assembled, deleted, closed."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from desktop.memory.capture import TrajectoryEvent
from desktop.memory.hindsight.signature import Failure
from desktop.memory.item import Layer, MemorySource
from desktop.memory.memory import Memory
from desktop.memory.store import View
from desktop.paths import Paths
from tests.bench.memory import TARGETS, recall
from tests.memory.conftest import count


def test_turns_belong_to_their_project(memory: Memory) -> None:
    """Or to the user where there is none; always word for word."""
    memory.record("1", "user", "  We use tabs.\n\tReally. ", MemorySource.USER, project="/shop")
    memory.record("2", "assistant", "Fine.", MemorySource.MODEL)
    turns = memory.store.latest()
    assert [(item.layer, item.scope, item.text) for item in turns] == [
        (Layer.USER, "", "Fine."),
        (Layer.PROJECT, "/shop", "We use tabs.\n\tReally."),
    ]


def test_everything_deleted_is_nothing_left(memory: Memory, paths: Paths) -> None:
    """Notes, turns, events, digests, problems, fixes: no word of them in any file, and nothing in the
    cache.
    """
    memory.record("1", "user", "The heron nests at the weir", MemorySource.USER)
    view = View.of()
    assert memory.assembler.assemble("heron", 100, view, count).content
    for _ in range(12):
        event = TrajectoryEvent(
            "run_command", False, arguments={"command": "heron --fly"}, error="heron failed"
        )
        memory.capture.capture(event)
    assert memory.capture.flush()
    memory.hindsight.failed(Failure("run_command", "heron failed", arguments={"command": "heron --fly"}))
    assert memory.hindsight.worked("run_command", {"command": "heron --walk"})
    assert memory.counts()["known_fixes"] == 1
    memory.forget_everything()
    assert set(memory.counts().values()) == {0}
    assert not memory.assembler.assemble("heron", 100, view, count).content
    assert b"heron" not in b"".join(file.read_bytes() for file in paths.data.iterdir()).lower()


def test_closing_twice_is_closing(memory: Memory) -> None:
    """And takes what waits along."""
    memory.capture.capture(TrajectoryEvent("calculator", True))
    memory.close()
    memory.close()
    assert memory.counts()["events"] == 1


def test_many_threads_at_once(memory: Memory) -> None:
    """Turns are recorded, assembled and forgotten side by side; the indexes stay whole."""
    failures: list[BaseException] = []

    def talk(name: str) -> None:
        try:
            for number in range(12):
                memory.record(name, "user", f"turn {number} of {name} about the harbour", MemorySource.USER)
                memory.assembler.assemble(f"harbour {number}", 200, View.of(), count)
            memory.forget([memory.store.latest(limit=1)[0].id])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=talk, args=(str(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    for table in ("memory_words", "memory_grams"):
        check = f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)"
        memory.store.database.write(lambda c, check=check: c.execute(check))  # type: ignore[misc]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_recall_on_real_conversations(memory: Memory) -> None:
    """What the figures promise, where the data for measuring is at hand."""
    folder = os.environ.get("STEWARD_LOCOMO")
    if not folder:
        pytest.skip(
            "STEWARD_LOCOMO names no folder with the LoCoMo conversations, which are for measuring only"
        )
    figures: Any = recall(memory, Path(folder))
    assert figures["words_only"]["R@10"] >= TARGETS["R@10"]
    assert figures["words_only"]["B1000"] >= TARGETS["B1000"]
    for name in ("R@10", "B1000"):
        lost = figures["words_only"][name] - figures["assembled"][name]
        assert lost <= TARGETS["lost_by_assembly"], name
