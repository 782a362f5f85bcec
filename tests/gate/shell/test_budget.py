"""A line has fifty milliseconds of the processor; what is loaded once for all lines is not counted."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Mapping

import pytest

from desktop.gate.shell import budget
from desktop.gate.shell.budget import BUDGET_S, Budget, loading
from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Gate


class Clock:
    """The time that passes, and that a thread computes, as a test sets it."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(budget.time, "thread_time", clock)
    monkeypatch.setattr(budget.time, "perf_counter", clock)
    return clock


def test_a_budget_is_spent_by_time(clock: Clock) -> None:
    """Not before."""
    line = Budget()
    clock.now_s += BUDGET_S
    assert not line.is_spent()
    clock.now_s += 0.001
    assert line.is_spent()


def test_loading_is_not_counted(clock: Clock) -> None:
    """Also where one thing is loaded while another is, and once each."""
    line = Budget()
    with loading():
        clock.now_s += 1.0
        with loading():
            clock.now_s += 2.0
    assert not line.is_spent()
    clock.now_s += BUDGET_S + 0.001
    assert line.is_spent()


@pytest.mark.parametrize(("collect", "is_spent"), [(gc.collect, False), (lambda: gc.collect(1), True)])
def test_what_the_whole_memory_costs_is_not_counted(
    clock: Clock, collect: Callable[[], int], is_spent: bool
) -> None:
    """A line that happens to collect for the whole program is read as any other; its own rubbish counts."""

    def takes_a_second(phase: str, _facts: Mapping[str, int]) -> None:
        clock.now_s += phase == "start"

    line = Budget()
    gc.callbacks.append(takes_a_second)
    try:
        collect()
    finally:
        gc.callbacks.remove(takes_a_second)
    assert line.is_spent() is is_spent
    clock.now_s += BUDGET_S + 0.001
    assert line.is_spent()


def test_what_another_thread_loads_is_no_time_of_this_one(clock: Clock) -> None:
    """A line gains nothing from it."""
    line = Budget()

    def load() -> None:
        with loading():
            clock.now_s += 1.0

    thread = threading.Thread(target=load)
    thread.start()
    thread.join()
    assert line.is_spent()


@pytest.mark.parametrize("command", ["ls " + "a " * 200, "bash -c 'ls; ls'", "Get-Process | ls"])
def test_a_line_that_takes_too_long_is_asked_about(
    classifier: Classifier, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """For every shell that it may be for: another reader does not allow what the first could not finish."""
    monkeypatch.setattr(budget, "BUDGET_S", -1.0)
    verdict = classifier.classify(command)
    assert verdict.gate is Gate.ASK
    assert str(verdict.reason) == "takes too long to read"
    assert verdict.tier == 1
