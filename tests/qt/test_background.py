"""Long work off the main thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.errors import Cancelled
from desktop.qt.background import Background, Latest
from tests.fakes.failures import failure
from tests.qt.pool_calls import pool_calls

DESKTOP = Path(__file__).resolve().parents[2] / "desktop"

# What nobody asked for and nobody waits for: that it failed changes nothing that anybody sees.
NOBODY_WAITS = {
    "app/desktop.py: _search_by_meaning": "the stores of meanings are made ready",
    "app/desktop.py: _serve_somebody": "questions of a terminal are taken",
    "app/desktop.py: look": "a newer version is looked for",
    "app/desktop.py: name": "a chat gets a title of the model's",
    "app/windows.py: _settled": "the model is measured",
    "app/windows.py: _warm_up": "the model is made ready",
    "ui/chat/attachments.py: _count": "an estimate, said to be one, stays one",
    "ui/chat/tool_card.py: offer": "an old card is shown without what it once offered",
    "ui/pages/settings.py: _on_saved": "what a switch lacks is said when it is next looked for",
    "ui/pages/settings_file.py: _add": "carries its errors itself",
    "ui/quick_ask/quick_ask.py: __init__": "rules are made ready",
    "ui/quick_ask/quick_ask.py: _count": "an estimate, said to be one, stays one",
    "ui/tray.py: refresh": "the menu keeps the projects that it had",
    "ui/undo.py: refresh": "the menu keeps the change that it had",
}


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


def test_a_result_under_way_is_handed_over_before_the_end(background: Background, qtbot: QtBot) -> None:
    """What it is shown from closes next; nothing comes afterwards."""
    ready, results = threading.Event(), []
    background.run(ready.wait, done=results.append)
    ready.set()
    background.close()
    assert results == [True]
    qtbot.wait(1)
    assert results == [True]


def test_an_error_goes_to_failed(background: Background, qtbot: QtBot) -> None:
    """What the function raises is handed to `failed` as a value."""
    error = failure("The file is gone.", "Nothing else was touched.", "Choose another.")
    errors: list[Exception] = []

    def fails() -> None:
        raise error

    background.run(fails, failed=errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert errors == [error]


def test_an_error_that_nobody_takes_is_told(background: Background, qtbot: QtBot) -> None:
    """Who forgets to say what becomes of an error has not lost it: the owner of the pool hears of it."""
    error, told = failure("The file is gone.", "Nothing else was touched.", "Choose another."), list[object]()

    def fails() -> None:
        raise error

    background.refused.connect(told.append)
    background.run(fails)
    Latest(background).run(fails, done=told.append)
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == [error, error]


def test_only_what_nobody_waits_for_fails_in_the_log_alone() -> None:
    """All calls of the program; whatever else fails is seen by whoever asked for it."""
    calls = {file: pool_calls(file) for file in DESKTOP.rglob("*.py")}
    assert sum(map(len, calls.values())) > 150
    logged = {
        f"{file.relative_to(DESKTOP).as_posix()}: {call.inside}"
        for file, found in calls.items()
        for call in found
        if call.failed == "only_logged"
    }
    assert logged == set(NOBODY_WAITS)


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


def test_only_the_latest_answer_counts(background: Background, qtbot: QtBot) -> None:
    """The first question takes longer than the second; its answer is dropped, and so is more of it."""
    latest, go_on, answers = Latest(background), threading.Event(), list[str]()

    def slowly(word: str) -> str:
        go_on.wait(60)
        return word

    latest.run(slowly, "first", done=answers.append)
    latest.more(slowly, "more of the first", done=answers.append)
    latest.run(str, "second", done=answers.append)
    qtbot.waitUntil(lambda: answers == ["second"])
    go_on.set()
    latest.more(str, "more of the second", done=answers.append)
    qtbot.waitUntil(lambda: len(answers) > 1)
    finished: list[bool] = []
    background.run(bool, 1, done=finished.append)
    qtbot.waitUntil(lambda: bool(finished))
    assert answers == ["second", "more of the second"]


def test_a_failure_is_told_although_another_question_was_asked(background: Background, qtbot: QtBot) -> None:
    """A bug in an answer that nobody waits for any more is a bug all the same."""
    latest, errors = Latest(background), list[Exception]()
    latest.run(int, "no number", done=lambda _number: None, failed=errors.append)
    latest.run(int, "1", done=lambda _number: None)
    qtbot.waitUntil(lambda: len(errors) == 1)
