"""What becomes of a call: an event for the notes, and a lesson where it failed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.chat.lessons import NO_LESSON, event_of
from desktop.memory.capture import EventKind
from desktop.settings import MemorySettings
from desktop.tools.calls import Call, CallResult, CallStatus, ToolEnded
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.memory_days import Days, days


@pytest.fixture
def used(tmp_path: Path) -> Iterator[Days]:
    with days(tmp_path / "profile", installed(tmp_path / "models"), ScriptedBackend("Fine.")) as used:
        yield used


def ended(ending: CallStatus = CallStatus.DONE, text: str = "", exit_code: int | None = None) -> CallResult:
    call = Call("c1", "run_command", {"command": "git push --force"})
    return CallResult(call, ending, text, exit_code=exit_code)


@pytest.mark.parametrize(
    ("what", "good", "error_class"),
    [
        (ended(exit_code=0), True, ""),
        (ended(), True, ""),
        (ended(text="rejected\n[exit code 1]", exit_code=1), False, "exit code 1"),
        (ended(text="[stopped after 30 seconds]", exit_code=-1), False, "exit code -1"),
        (ended(CallStatus.DENIED, "Not allowed"), False, "denied"),
        (ended(CallStatus.FAILED, "No such file"), False, "failed"),
        (ended(CallStatus.TIMED_OUT, "gave up"), False, "timed out"),
    ],
)
def test_a_call_becomes_an_event(what: CallResult, good: bool, error_class: str) -> None:
    """A command that ran and said no has failed; its program is its tag; its output is kept only as an
    error.
    """
    event = event_of(ToolEnded(7, what), "/shop")
    assert (event.tool, event.what, event.ok, event.error_class) == (
        "run_command",
        EventKind.COMMAND,
        good,
        error_class,
    )
    assert (event.tags, event.session, event.project) == (("git",), "7", "/shop")
    assert event.error == ("" if good else what.text)


def test_what_the_user_refused_or_stopped_is_no_problem_to_be_solved(used: Days) -> None:
    """No fix is looked up for it, and no later call resolves it."""
    for ending in (CallStatus.DENIED, CallStatus.STOPPED, CallStatus.UNKNOWN_TOOL):
        assert used.core.lessons.ended(1, ended(ending, "Not allowed"), only_reads=True) == NO_LESSON
    used.core.lessons.ended(1, ended(exit_code=0), only_reads=True)
    assert used.core.memory.hindsight.fixes() == ()


def test_paused_nothing_is_learned(used: Days) -> None:
    """Neither an event nor a fix."""
    used.core.acting  # noqa: B018 - from here on calls are listened to
    used.core.settings.change("memory", "paused", True)
    used.core.bus.publish(ToolEnded(1, ended(text="no", exit_code=1)))
    used.core.lessons.ended(1, ended(text="no", exit_code=1), only_reads=True)
    used.core.memory.capture.flush()
    assert used.core.memory.counts()["events"] == 0
    assert MemorySettings().paused is False


def test_an_answer_that_failed_is_an_event_too(tmp_path: Path) -> None:
    """With its reason, and without the question."""
    backend = ScriptedBackend(load_error="no memory")
    with days(tmp_path / "profile", installed(tmp_path / "models"), backend) as used:
        used.say("Why is the sky blue?")
        used.core.memory.capture.flush()
        row = used.core.database.read(lambda c: c.execute("SELECT * FROM memory_events").fetchone())
        assert (row["tool"], row["ok"], row["what"]) == ("answer", 0, "error")
        assert row["error_class"]
        assert "sky" not in row["error"] + row["arguments"]
