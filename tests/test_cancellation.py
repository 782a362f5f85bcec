"""Work that was given up doesn't begin anything any more, wherever it waited."""

from __future__ import annotations

import threading

import pytest

from desktop import cancellation
from desktop.cancellation import Token
from desktop.errors import Cancelled


def test_without_a_token_nothing_is_checked() -> None:
    """The user's own acts belong to no call."""
    cancellation.check()
    with cancellation.effect():
        cancellation.changed(1)
    assert cancellation.current() is None


def test_after_the_end_no_step_begins() -> None:
    """Neither a step nor a long loop goes on; what tidies up does."""
    token = Token()
    with cancellation.held(token):
        with cancellation.effect():
            cancellation.changed(7)
        assert token.end()
        with pytest.raises(Cancelled):
            cancellation.check()
        with pytest.raises(Cancelled), cancellation.effect():
            pytest.fail("a step of given-up work began")
        with cancellation.shielded(), cancellation.effect():
            assert cancellation.current() is None
    assert (token.changes, token.has_acted) == ((7,), True)


def test_a_step_under_way_is_told_and_finished_with_all_its_parts() -> None:
    """The end waits for nothing, says that a step runs, and only the next step is refused."""
    token = Token()
    begun, release, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        with cancellation.held(token), cancellation.effect():
            begun.set()
            release.wait(10)
            cancellation.check()
            with cancellation.effect():
                done.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    assert not token.end()
    assert not token.wait_still(0)
    release.set()
    assert token.wait_still(10)
    thread.join(10)
    assert done.is_set()
    with pytest.raises(Cancelled):
        token.check()
