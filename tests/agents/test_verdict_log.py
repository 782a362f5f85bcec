"""Nothing that was put is lost, in whatever way the program or the disk behaves."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from desktop.agents.action import HookChoice
from desktop.agents.events import ConfinedOutcome, DecidedBy, HookDecided, HookRan
from desktop.agents.verdict_log import Entry, Recent, Recorder
from desktop.errors import UserFacing
from tests.fakes.failures import failure

FULL = failure("The disk is full.", "Nothing was lost.", "Free some space.")


class Disk:
    """Takes entries, slowly or not at all."""

    def __init__(self) -> None:
        self.batches: list[list[Entry]] = []
        self.open, self.reached = threading.Event(), threading.Event()
        self.open.set()
        self.refusals: list[Exception] = []

    def append_all(self, entries: Sequence[Entry]) -> int:
        self.reached.set()
        assert self.open.wait(10)
        if self.refusals:
            raise self.refusals.pop()
        self.batches.append(list(entries))
        return len(self.batches)

    @property
    def written(self) -> list[int]:
        return [int(record["n"]) for batch in self.batches for _kind, record in batch]


def put(recorder: Recorder, numbers: range) -> None:
    for number in numbers:
        recorder.put("hook", {"n": number})


def test_everything_is_written_in_order_by_the_end() -> None:
    """Those that waited together in one transaction."""
    disk = Disk()
    disk.open.clear()
    recorder = Recorder(disk)
    put(recorder, range(1))
    assert disk.reached.wait(10)
    put(recorder, range(1, 1_200))
    disk.open.set()
    recorder.close()
    recorder.close()
    assert disk.written == list(range(1_200))
    assert [len(batch) for batch in disk.batches] == [1, 500, 500, 199]


def test_a_full_queue_makes_the_caller_write() -> None:
    """It waits, and nothing is dropped."""
    disk = Disk()
    disk.open.clear()
    recorder = Recorder(disk, waiting=2)
    put(recorder, range(1))
    assert disk.reached.wait(10)
    put(recorder, range(1, 3))
    disk.reached.clear()
    caller = threading.Thread(target=put, args=(recorder, range(3, 4)))
    caller.start()
    assert disk.reached.wait(10)
    disk.open.set()
    caller.join(10)
    recorder.close()
    assert sorted(disk.written) == [0, 1, 2, 3]


def test_a_disk_that_refuses_is_tried_again() -> None:
    """At the end at the latest."""
    disk = Disk()
    disk.refusals = [FULL]
    recorder = Recorder(disk)
    put(recorder, range(3))
    recorder.close()
    assert disk.written == [0, 1, 2]


def test_after_the_end_a_record_is_written_at_once() -> None:
    """And whoever put it hears when the disk refuses."""
    disk = Disk()
    recorder = Recorder(disk)
    recorder.close()
    put(recorder, range(1))
    assert disk.written == [0]
    disk.refusals = [FULL]
    with pytest.raises(UserFacing):
        put(recorder, range(1))


def test_one_broken_batch_does_not_stop_the_next() -> None:
    """A record that cannot be written is a bug, and stays in the program's log."""
    disk = Disk()
    disk.refusals = [ValueError("not JSON")]
    recorder = Recorder(disk)
    put(recorder, range(1))
    while disk.refusals:
        disk.reached.wait(0.01)
    put(recorder, range(1, 2))
    recorder.close()
    assert disk.written == [1]


def test_many_threads_put_at_once() -> None:
    """Two hundred records of ten threads arrive."""
    disk = Disk()
    recorder = Recorder(disk, waiting=5)
    threads = [threading.Thread(target=put, args=(recorder, range(n * 20, n * 20 + 20))) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    recorder.close()
    assert sorted(disk.written) == list(range(200))


def event(number: int, text: str = "ls") -> HookDecided:
    return HookDecided(
        number,
        0.0,
        "codex",
        "s",
        "/p",
        "Bash",
        text,
        "READ",
        (),
        None,
        (0, 0),
        2,
        HookChoice.ALLOW,
        DecidedBy.READING,
        0.1,
    )


def test_the_oldest_go_first() -> None:
    """When there are more than are kept."""
    recent = Recent(most=3)
    for number in range(5):
        recent.add(event(number))
    assert [each.id for each in recent.listed()] == [2, 3, 4]


def test_large_texts_push_others_out_but_not_themselves() -> None:
    """One that is larger than all together is still shown."""
    recent = Recent(most_characters=100)
    for number in range(4):
        recent.add(event(number, "x" * 40))
    assert [each.id for each in recent.listed()] == [2, 3]
    recent.add(event(9, "x" * 500))
    assert [each.id for each in recent.listed()] == [9]
    recent.add(event(10))
    assert [each.id for each in recent.listed()] == [10]


def test_the_end_of_a_call_is_told_with_its_verdict() -> None:
    """Of just that one, wherever it stands; of one that has gone it is lost."""
    recent = Recent(most=4)
    for number in range(6):
        recent.add(event(number))
    for number in (1, 3, 5):
        recent.ran(HookRan(number, ConfinedOutcome.CONFINED))
    ended = [each.id for each in recent.listed() if each.ran is ConfinedOutcome.CONFINED]
    assert ended == [3, 5]
    assert [each.id for each in recent.listed()] == [2, 3, 4, 5]
