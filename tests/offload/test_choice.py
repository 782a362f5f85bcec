"""Which worker takes a command: the one with the same compilers, and the least to do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.offload import choice
from desktop.offload.programs import Program
from desktop.offload.reasons import OffloadReason
from desktop.offload.workers import Worker, WorkerReport
from desktop.paths import Paths
from desktop.reasons import Reason

TOWER, ATTIC = (Worker(name, name, ("/p",)) for name in ("tower", "attic"))
SEEN = WorkerReport(time.time(), 4, 2.0, 1_000_000, {"cc -v": "1"}, (), choice.system_here())


def program(*identity: str) -> Program:
    return Program("git", frozenset(), frozenset(), identity=identity)


def test_a_compiler_that_neither_side_has_is_the_same(tmp_path: Path) -> None:
    """Make builds C where there is no compiler for C++; one that only the worker has is another toolchain."""
    wanted = choice.here(program("git --version", "no-such-compiler -v"), tmp_path, Paths.under(tmp_path))
    assert isinstance(wanted, dict)
    alike = replace(SEEN, tools={"git --version": wanted["git --version"]})
    more = replace(alike, tools={**alike.tools, "no-such-compiler -v": "2"})
    assert choice.ranked([TOWER], {"tower": alike}, wanted, set()) == ([TOWER], None)
    found, why = choice.ranked([TOWER], {"tower": more}, wanted, set())
    assert (found, why and why.code) == ([], OffloadReason.OTHER_TOOLCHAIN)


def test_the_program_itself_has_to_be_here(tmp_path: Path) -> None:
    """Without it nothing can be said to be the same."""
    found = choice.here(program("no-such-program -v"), tmp_path, Paths.under(tmp_path))
    assert isinstance(found, Reason)
    assert found.code is OffloadReason.NO_TOOL_HERE


@pytest.mark.parametrize(
    ("loads", "warm", "first"),
    [
        ((2.0, 1.0), set(), "attic"),
        ((2.0, 1.0), {"tower"}, "tower"),
        ((8.0, 1.0), {"tower"}, "attic"),
    ],
)
def test_the_least_load_for_each_core_goes_first(
    loads: tuple[float, float], warm: set[str], first: str
) -> None:
    """A mirror that is there already makes up for half a core's worth of it."""
    seen: dict[str, WorkerReport | Reason] = {
        each.name: replace(SEEN, load=load) for each, load in zip((TOWER, ATTIC), loads, strict=True)
    }
    found, _why = choice.ranked([TOWER, ATTIC], seen, {"cc -v": "1"}, warm)
    assert found[0].name == first


def test_two_hundred_workers_are_asked_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is a program of its own; all are asked in the end, and told in their order."""
    running, most = set[str](), list[int]()

    def look(worker: Worker, _paths: Paths, _identities: Sequence[str]) -> WorkerReport:
        running.add(worker.name)
        most.append(len(running))
        time.sleep(0.002)
        running.discard(worker.name)
        return SEEN

    monkeypatch.setattr(choice, "look", look)
    workers = [Worker(f"tower-{number}", "tower", ("/p",)) for number in range(200)]
    seen = choice.looked_at(workers, Paths.under(tmp_path), ())
    assert list(seen) == [each.name for each in workers]
    assert max(most) <= choice.ASKED_AT_ONCE
