"""Threads for calls that wait: as many as are needed, no more than allowed, none in the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from desktop.server.held_calls import HeldCalls


class Work:
    """Work that lasts until it is let go, and tells when it runs."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.running = threading.Semaphore(0)

    def __call__(self) -> None:
        self.running.release()
        self.go.wait(10)

    def wait_for(self, count: int) -> None:
        for _ in range(count):
            assert self.running.acquire(timeout=10)


@pytest.fixture
def work() -> Iterator[Work]:
    made = Work()
    yield made
    made.go.set()


def test_runs_sixty_four_at_once(work: Work) -> None:
    """Every call has a thread of its own, so that none waits for another."""
    calls = HeldCalls()
    calls.start()
    assert all(calls.submit(work) for _ in range(64))
    work.wait_for(64)
    assert calls.count == 64
    work.go.set()
    assert calls.close(5)


def test_beyond_the_bound_it_refuses(work: Work) -> None:
    """What cannot be held is said so at once, and is never begun."""
    calls = HeldCalls(most=3)
    calls.start()
    assert [calls.submit(work) for _ in range(5)] == [True, True, True, False, False]
    work.go.set()
    assert calls.close(5)


def test_idle_threads_end(work: Work) -> None:
    """After a rush one thread stays, for the next call."""
    calls = HeldCalls(idle_s=0.05)
    calls.start()
    for _ in range(10):
        calls.submit(work)
    work.wait_for(10)
    work.go.set()
    deadline = threading.Event()
    for _ in range(200):
        if calls.threads == 1:
            break
        deadline.wait(0.02)
    assert calls.threads == 1
    assert calls.submit(work), "the thread that stayed takes the next call"
    work.wait_for(1)
    assert calls.close(5)


def test_a_call_that_fails_leaves_its_thread_working(work: Work) -> None:
    """A bug in one call is logged and does not take the thread from the next."""

    def fail() -> None:
        raise RuntimeError("a bug")

    calls = HeldCalls()
    calls.start()
    assert calls.submit(fail)
    assert calls.submit(work)
    work.wait_for(1)
    work.go.set()
    assert calls.close(5)
    assert calls.count == 0


def test_closing_says_when_a_call_does_not_end(work: Work) -> None:
    """Closing takes as long as it was given, no longer, and tells the truth."""
    calls = HeldCalls()
    calls.start()
    calls.submit(work)
    work.wait_for(1)
    assert not calls.close(0.05)
    assert not calls.submit(work), "nothing is begun after closing"
    work.go.set()
    assert calls.close(5)
