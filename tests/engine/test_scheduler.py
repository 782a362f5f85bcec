"""The scheduler interrupts whom it should and nobody else."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import pytest

from desktop.engine.requests import Priority
from desktop.engine.scheduler import Clock, Scheduler


@dataclass(eq=False)
class Task:
    priority: Priority
    cancelled: bool = False
    started: bool = False


@pytest.fixture
def scheduler() -> Scheduler[Task]:
    return Scheduler(lambda job: True, Clock())


CHAT, JUDGE, BACKGROUND = Priority.CHAT, Priority.JUDGE, Priority.BACKGROUND


@pytest.mark.parametrize(
    ("running", "yields", "arriving", "interrupted"),
    [
        (CHAT, True, JUDGE, True),
        (CHAT, False, JUDGE, False),  # one token is not worth interrupting
        (CHAT, True, CHAT, False),
        (CHAT, True, BACKGROUND, False),
        (BACKGROUND, True, CHAT, True),
    ],
)
def test_only_somebody_more_urgent_interrupts_a_chunk(
    scheduler: Scheduler[Task], running: Priority, yields: bool, arriving: Priority, interrupted: bool
) -> None:
    """And only a chunk that yields."""
    job, interrupt = Task(running), threading.Event()
    scheduler.submit(job)
    assert scheduler.begin(job, interrupt, yields)
    scheduler.submit(Task(arriving))
    assert interrupt.is_set() == interrupted


def test_an_interrupt_never_outlives_its_computation(scheduler: Scheduler[Task]) -> None:
    """A cancel that comes after the end marks the job but leaves the next computation alone."""
    first, second, interrupt = Task(CHAT), Task(CHAT), threading.Event()
    for job in (first, second):
        scheduler.submit(job)
    assert scheduler.begin(first, interrupt, yields=True)
    scheduler.cancel(first)
    assert interrupt.is_set()
    scheduler.end()
    assert not interrupt.is_set()
    scheduler.cancel(first)
    assert scheduler.begin(second, interrupt, yields=True)
    assert not interrupt.is_set()


def test_a_computation_does_not_begin_when_it_would_be_interrupted(scheduler: Scheduler[Task]) -> None:
    """Somebody more urgent who came between two steps goes first; a cancelled job does not begin."""
    job = Task(CHAT)
    scheduler.submit(job)
    scheduler.submit(Task(JUDGE))
    version = scheduler.version
    assert not scheduler.begin(job, threading.Event(), yields=True)
    assert scheduler.version != version  # whoever steps on and on looks up
    assert scheduler.begin(job, threading.Event(), yields=False)
    scheduler.end()
    scheduler.cancel(job)
    assert not scheduler.begin(job, threading.Event(), yields=False)


def test_somebody_who_may_not_run_yet_outranks_nobody() -> None:
    """While a change of model waits, the answer under way goes on."""
    scheduler: Scheduler[Task] = Scheduler(lambda job: job.started, Clock())
    job = Task(CHAT, started=True)
    scheduler.submit(job)
    scheduler.submit(Task(JUDGE))
    assert scheduler.next() is job
    assert scheduler.begin(job, threading.Event(), yields=True)


def test_news_is_never_slept_through(scheduler: Scheduler[Task]) -> None:
    """A wake before the rest makes the rest return at once."""
    rested = 0
    for news in (scheduler.wake, lambda: scheduler.submit(Task(CHAT))):
        news()
        scheduler.rest(None)
        rested += 1
    assert rested == 2


def test_cancels_from_many_threads_hit_only_their_own(scheduler: Scheduler[Task]) -> None:
    """While one job computes on and on, cancels of others never set its interrupt."""
    running, interrupt = Task(CHAT), threading.Event()
    others = [Task(CHAT) for _ in range(200)]
    for job in (running, *others):
        scheduler.submit(job)
    hits = 0
    threads = [threading.Thread(target=scheduler.cancel, args=(job,)) for job in others]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert scheduler.begin(running, interrupt, yields=True)
        hits += interrupt.is_set()
        scheduler.end()
    assert hits == 0
    assert all(job.cancelled for job in others)
