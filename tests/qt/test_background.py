"""Long work off the main thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from desktop.errors import Cancelled
from desktop.qt.background import Background
from tests.fakes.failures import failure


@pytest.fixture
def background(qapp: object) -> Iterator[Background]:
    background = Background()
    yield background
    background.close()


def test_work_runs_elsewhere_and_the_result_comes_back(background: Background, qtbot: QtBot) -> None:
    """The function runs on a pool thread, the callback on the main thread."""
    results: list[tuple[threading.Thread, threading.Thread]] = []
    background.run(
        threading.current_thread, done=lambda worker: results.append((worker, threading.current_thread()))
    )
    qtbot.waitUntil(lambda: bool(results))
    worker, receiver = results[0]
    assert worker is not threading.main_thread()
    assert receiver is threading.main_thread()


def test_an_error_goes_to_failed(background: Background, qtbot: QtBot) -> None:
    """What the function raises is handed to `failed` as a value."""
    error = failure("The file is gone.", "Nothing else was touched.", "Choose another.")
    errors: list[Exception] = []

    def fails() -> None:
        raise error

    background.run(fails, failed=errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert errors == [error]


def test_cancelled_is_silent(background: Background, qtbot: QtBot) -> None:
    """Work that the user stopped calls nobody."""
    called: list[object] = []

    def cancelled() -> None:
        raise Cancelled

    background.run(cancelled, done=called.append, failed=called.append)
    background.run(lambda: "next", done=called.append)
    qtbot.waitUntil(lambda: bool(called))
    assert called == ["next"]


def test_what_a_late_result_wants_done_is_not_begun(background: Background, qtbot: QtBot) -> None:
    """Work may end while the program does; its result still comes, and asks for more in vain."""
    called: list[object] = []

    def more(result: object) -> None:
        called.append(result)
        background.run(lambda: "more", done=called.append)

    background.run(lambda: "late", done=more)
    background.close()
    qtbot.waitUntil(lambda: bool(called))
    assert called == ["late"]
