"""Scheduled questions through the whole program: set in a chat, due over a change of the clock and a restart,
missed, killed in the middle, and answered without asking anybody."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from desktop.chat.events import TurnStarted
from desktop.chat.schedules import ScheduleAnswered, ScheduledQuestions
from desktop.chat.store import Message, MessageStatus, Role
from desktop.engine.requests import Priority
from desktop.gate.grants import Covers, GrantKind, GrantScope
from desktop.gate.reasons import GateReason
from desktop.paths import Paths
from desktop.tools.calls import CallStatus
from desktop.tools.reminders import QuestionsDue, Reminders
from desktop.tools.schedules import Scheduling
from tests.chat.test_agent_loop import HERMES_TEMPLATE
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.flows.desktop_session import ROOT, DesktopSession, stop, wait_for
from tests.flows.memory_days import Days, days
from tests.flows.test_versions import with_a_model

BERLIN = ZoneInfo("Europe/Berlin")
QUESTION = "What is in my notes for today?"


class Desk:
    """The program with its reminders on a clock of the test's. What is due is put when `look` is called."""

    def __init__(self, used: Days, now: datetime) -> None:
        self.used, self.now = used, now
        core = used.core
        core.reminders = Reminders(core.database, core.bus, lambda: self.now)
        core.scheduled = ScheduledQuestions(
            core.reminders, core.store, lambda: core.turns, core.bus, lambda: self.now
        )
        self.answers: list[ScheduleAnswered] = []
        core.bus.subscribe(ScheduleAnswered, self.answers.append)

    def schedule(self, when: str, question: str = QUESTION) -> None:
        Scheduling(self.used.core.reminders, lambda: self.now).schedule_question(question, when)

    def at(self, day: str) -> None:
        """Local time in Berlin, the earlier where the clock shows it twice."""
        self.now = datetime.fromisoformat(day).replace(tzinfo=BERLIN)

    def look(self) -> list[str]:
        """What the clock does when it looks; the titles of chats that came of it."""
        core = self.used.core
        before = len(self.answers)
        due = core.reminders.claim("clock")
        if due:
            core.scheduled.take(QuestionsDue(due))
            wait_for(lambda: len(self.answers) == before + len(due), "the answers")
        new = self.answers[before:]
        return [core.store.get(each.answer.conversation_id).title for each in new]

    def messages(self, number: int = -1) -> tuple[Message, ...]:
        return self.used.core.store.messages(self.answers[number].answer.conversation_id)


@contextmanager
def program(profile: Path, now: str, backend: ScriptedBackend | None = None) -> Iterator[Desk]:
    backend = backend or ScriptedBackend("The dentist at ten.", template=HERMES_TEMPLATE)
    model = installed(profile / "models", chat_template=HERMES_TEMPLATE)
    with days(profile, model, backend) as used:
        yield Desk(used, datetime.fromisoformat(now).replace(tzinfo=BERLIN))


def test_it_is_set_in_a_chat_in_both_languages(tmp_path: Path) -> None:
    """The reply says how often and when first; what acts is refused; neither needs the model."""
    backend = ScriptedBackend("A model was asked.", template=HERMES_TEMPLATE)
    with days(tmp_path, installed(tmp_path / "models", chat_template=HERMES_TEMPLATE), backend) as used:
        english = used.say("Every weekday at 8: what is in my notes for today?")
        german = used.say("Jeden Montag um 9 Uhr, sag mir bitte, was in todo.txt steht")
        acting = used.say("every day at 8: delete the temp files")
        reminded = used.say("Remind me every Monday at 9 to call Anna")
        schedules = used.core.reminders.schedules()
    assert backend.prompts == []
    assert "every weekday (Monday to Friday) at 08:00" in english.text
    assert "08:00" in english.text.split("first time is", 1)[1]
    assert "jeden Montag um 09:00" in german.text
    assert "Montag, " in german.text.split("Das erste Mal ist", 1)[1]
    assert "changes, sends and runs nothing" in acting.text
    assert "every Monday at 09:00, next on Monday" in reminded.text
    assert sorted((each.reminder.asks, each.reminder.text) for each in schedules) == [
        (False, "call Anna"),
        (True, "sag mir bitte, was in todo.txt steht"),
        (True, "what is in my notes for today?"),
    ]


def test_over_a_change_of_the_clock_and_a_restart(tmp_path: Path) -> None:
    """At 2:30 each night: the one in which it is skipped, the one in which it comes twice, and a program that
    was started anew between them."""
    with program(tmp_path, "2027-03-26T12:00") as desk:
        desk.schedule("every day at 02:30")
        desk.at("2027-03-27T02:31")
        assert desk.look() == ["What is in my notes for today? (2027-03-27)"]
        desk.at("2027-03-28T03:29")  # a minute before what would be 2:30
        assert desk.look() == []
        desk.at("2027-03-28T03:30")
        assert desk.look() == ["What is in my notes for today? (2027-03-28)"]
        assert desk.look() == []
    with program(tmp_path, "2027-10-30T12:00") as desk:
        assert len(desk.look()) == 1  # seven months were missed: once
        assert desk.answers[0].is_late
        first = datetime(2027, 10, 31, 0, 30, tzinfo=UTC).astimezone(BERLIN)
        shown = []
        for minutes in range(0, 180, 20):
            desk.now = (first.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(BERLIN)
            shown += [f"{minutes} {each}" for each in desk.look()]
        assert shown == ["0 What is in my notes for today? (2027-10-31)"]
    with program(tmp_path, "2027-11-01T02:31") as desk:
        assert len(desk.look()) == 1
        assert not desk.answers[0].is_late


def test_what_was_missed_is_asked_once_and_says_so(tmp_path: Path) -> None:
    """A week with the computer off: one chat, whose first line tells when it was due."""
    with program(tmp_path, "2026-11-20T09:30") as desk:
        desk.schedule("every weekday at 8")
    with program(tmp_path, "2026-11-27T21:00") as desk:
        desk.used.say("Remember that the dentist is today at ten.")
        assert desk.look() == ["What is in my notes for today? (2026-11-27)"]
        notice, asked, card, answer = desk.messages()
    assert notice.role is Role.NOTICE
    assert "dentist" in card.text
    assert "late: it was due on Friday 27 November 2026, 08:00" in notice.text
    # Told by a rule from the notes, whatever a model would say.
    assert asked.text == QUESTION
    assert "- the dentist is today at ten" in answer.text


def test_a_question_that_was_cut_off_is_answered_as_the_first_time(tmp_path: Path) -> None:
    """By the same rule: a model that is asked in its place knows nothing of the notes."""
    with program(tmp_path, "2026-11-27T21:00") as desk:
        desk.used.say("Remember that the dentist is today at ten.")
        chat = desk.used.core.store.create().id
        desk.used.core.store.add(chat, Role.USER, QUESTION)
        answer = desk.used.core.turns.regenerate(chat, is_attended=False)
    assert "- the dentist is today at ten" in answer.text


ACTING: tuple[tuple[str, dict[str, Any]], ...] = (
    ("write_file", {"path": "a.txt", "content": "x"}),
    ("set_reminder", {"text": "milk", "when": "tomorrow at 9"}),
    ("clipboard_read", {}),
)


def test_nothing_is_asked_and_only_reading_is_done(tmp_path: Path) -> None:
    """The tools that the model is told of read; a lasting yes to writing counts for nothing at night."""
    backend = ScriptedBackend("Done.", template=HERMES_TEMPLATE)
    with program(tmp_path, "2026-11-20T09:30", backend) as desk:
        core = desk.used.core
        covers = Covers("write_file", GrantKind.EXACT, str(desk.used.root / "a.txt"), desk.used.root)
        core.grants.add(GrantScope.ALWAYS, covers)
        runtime = core.acting.unattended()
        for number, (name, arguments) in enumerate(ACTING):
            backend.calls = [(name, dict(arguments))]
            backend.calls_made = 0
            desk.schedule(f"every day at {10 + number}:00", f"Please write something {number}")
        desk.at("2026-11-21T14:00")
        assert len(desk.look()) == len(ACTING)
        assert desk.used.person.questions == []
        assert core.reminders.open() == ()
        assert list(desk.used.root.iterdir()) == []
        known = set(runtime.toolbox.names)
    assert {"read_file", "list_directory", "calculator"} <= known
    assert not known & {"write_file", "delete_file", "run_command", "set_reminder", "save_note"}


def test_the_gate_says_no_where_a_call_comes_all_the_same(tmp_path: Path) -> None:
    """By a rule, or from a model that calls what it was not told of: the executor's own gate refuses."""
    from desktop.tools.calls import Call

    with program(tmp_path, "2026-11-20T09:30") as desk:
        core = desk.used.core
        alone = core.acting.executor.unattended()
        covers = Covers("write_file", GrantKind.EXACT, str(desk.used.root / "a.txt"), desk.used.root)
        core.grants.add(GrantScope.ALWAYS, covers)
        for name, arguments in ACTING[:2]:
            ended = alone.run(Call("1", name, dict(arguments)), core.toolbox)
            assert ended.ending is CallStatus.DENIED
            assert ended.decision == GateReason.NOBODY_IS_THERE.of()
        desk.schedule("every day at 10", "Erstelle die Datei a.txt mit dem Inhalt x")
        desk.at("2026-11-21T10:00")
        desk.look()
        assert desk.used.person.questions == []
        assert list(desk.used.root.iterdir()) == []
        assert desk.answers[-1].answer.status is MessageStatus.COMPLETE


def test_it_waits_while_somebody_is_answered(tmp_path: Path) -> None:
    """And begins when that answer has ended."""
    hold, begun = threading.Event(), threading.Event()

    def decoding(_context: Any, _tokens: Any) -> None:
        begun.set()
        assert hold.wait(60)

    backend = ScriptedBackend("Yes.", template=HERMES_TEMPLATE, on_decode=decoding)
    with program(tmp_path, "2026-11-20T09:30", backend) as desk:
        core = desk.used.core
        started: list[int] = []
        core.bus.subscribe(TurnStarted, lambda event: started.append(event.conversation_id))
        desk.schedule("every day at 10")
        chat = desk.used.chat()
        person = threading.Thread(target=core.turns.run, args=(chat, "Tell me a story"))
        person.start()
        assert begun.wait(60)
        desk.at("2026-11-20T10:00")
        core.scheduled.take(QuestionsDue(core.reminders.claim("clock")))
        assert set(started) == {chat}
        hold.set()
        person.join()
        wait_for(lambda: desk.answers, "the scheduled answer")
        assert set(started) == {chat, desk.answers[0].answer.conversation_id}


def test_its_answer_gives_way_to_a_person(tmp_path: Path) -> None:
    """It is put at the lowest priority."""
    seen: list[Priority] = []
    with program(tmp_path, "2026-11-20T09:30") as desk:
        run = desk.used.core.turns.run

        def watched(*arguments: Any, **more: Any) -> Message:
            seen.append(arguments[2])
            return run(*arguments, **more)

        desk.used.core.turns.run = watched  # type: ignore[method-assign]
        desk.schedule("every day at 10")
        desk.at("2026-11-20T10:00")
        desk.look()
    assert seen == [Priority.BACKGROUND]


def test_what_is_deleted_or_switched_off_while_it_waits_is_not_asked(tmp_path: Path) -> None:
    """Of many that came due at once: the one under way comes to its end, those that wait are not begun, and
    the others are answered."""
    hold, begun = threading.Event(), threading.Event()

    def decoding(_context: Any, _tokens: Any) -> None:
        begun.set()
        assert hold.wait(60)

    backend = ScriptedBackend("A harbour.", template=HERMES_TEMPLATE, on_decode=decoding)
    with program(tmp_path, "2026-11-20T09:30", backend) as desk:
        core = desk.used.core
        for number in range(5):
            desk.schedule("every day at 10", f"Describe harbour {number} in one sentence")
        desk.at("2026-11-21T11:00")
        core.scheduled.take(QuestionsDue(core.reminders.claim("clock")))
        assert begun.wait(60)
        for wanted in ("harbour 0", "harbour 2"):
            core.reminders.end(core.reminders.schedule(wanted).id)
        core.reminders.set_on(core.reminders.schedule("harbour 3").id, False)
        hold.set()
        wait_for(lambda: core.scheduled._thread is None, "nothing left to put")
        assert [each.question.text.split()[2] for each in desk.answers] == ["0", "1", "4"]
        assert core.reminders.claim("clock") == ()
        assert len(core.store.conversations()) == 3
        latest = {each.reminder.text.split()[2]: each.latest for each in core.reminders.schedules()}
        assert {name: run and run.outcome for name, run in latest.items()} == {
            "1": MessageStatus.COMPLETE,
            "3": None,
            "4": MessageStatus.COMPLETE,
        }


def test_a_question_that_breaks_is_put_once(tmp_path: Path) -> None:
    """It got no answer, which its row says; it comes again at its next time and not with each look."""
    with program(tmp_path, "2026-11-20T09:30") as desk:
        core = desk.used.core
        run, put = core.turns.run, []

        def broken(conversation_id: int, text: str, *more: Any, **named: Any) -> Message:
            put.append(text)
            if "broken" in text:
                raise RuntimeError("a mistake of the program")
            return run(conversation_id, text, *more, **named)

        core.turns.run = broken  # type: ignore[method-assign]
        desk.schedule("every day at 10", "What is broken?")
        desk.schedule("every day at 11", "What is whole?")
        desk.at("2026-11-20T11:00")
        for _look in range(5):
            core.scheduled.take(QuestionsDue(core.reminders.claim("clock")))
            wait_for(lambda: core.scheduled._thread is None, "nothing left to put")
            desk.now += timedelta(minutes=1)
        assert put == ["What is broken?", "What is whole?"]
        assert [each.latest and each.latest.outcome for each in core.reminders.schedules()] == [
            MessageStatus.FAILED,
            MessageStatus.COMPLETE,
        ]
        desk.at("2026-11-21T10:00")
        core.scheduled.take(QuestionsDue(core.reminders.claim("clock")))
        wait_for(lambda: put[2:] == ["What is broken?"], "the next day")


SCHEDULE = """
import sys
from pathlib import Path
from desktop.app import build_core
from desktop.paths import Paths
from desktop.tools.schedules import Scheduling
core = build_core(Paths.under(Path(sys.argv[1])))
made = Scheduling(core.reminders).add("Describe a harbour in one sentence.", "every day at 8")
core.reminders.run_now(made.id)
core.close()
"""


def _start(session: DesktopSession, profile: Path, token_s: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.flows.scheduled_program", str(profile), str(token_s)]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _rows(profile: Path, query: str) -> list[tuple[Any, ...]]:
    file = Paths.under(profile).database
    if not file.exists():
        return []
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
        try:
            return connection.execute(query).fetchall()
        except sqlite3.OperationalError:  # not made yet
            return []


@pytest.mark.desktop
@pytest.mark.timeout(300)
def test_a_kill_between_due_and_done(session: DesktopSession, tmp_path: Path, artefacts: Path) -> None:
    """SIGKILL in the middle of the answer: the next start writes it anew in the same chat, and tells of it
    once; a click on the notification is the way to it."""
    profile = tmp_path / "profile"
    with_a_model(profile)
    command = [sys.executable, "-c", SCHEDULE, str(profile)]
    subprocess.run(command, cwd=ROOT, env=session.environment, capture_output=True, check=True)
    program = _start(session, profile, token_s=5.0)
    try:
        query = "SELECT id FROM messages WHERE role = 'assistant' AND status = 'streaming'"
        wait_for(lambda: _rows(profile, query), "the answer to begin", 120.0)
    finally:
        stop(program, signal.SIGKILL)
    # What the dead program has claimed is anyone's after half a minute; a test does not wait for it.
    with sqlite3.connect(Paths.under(profile).database) as connection:
        connection.execute("UPDATE reminders SET claimed_at = claimed_at - 60")
    program = _start(session, profile, token_s=0.0)
    try:

        def told() -> list[dict[str, Any]]:
            return [fact for fact in session.facts if "notification" in fact]

        notified = wait_for(told, "the notification", 120.0)
        assert notified[0]["notification"] == "Describe a harbour in one sentence."
        assert notified[0]["body"].startswith("Ships rest in a harbour")
        asked = _rows(profile, "SELECT conversation_id FROM messages WHERE role = 'user'")
        assert len(asked) == 1
        outcomes = _rows(profile, "SELECT outcome FROM reminders WHERE series > 0")
        assert outcomes == [("complete",)]
        session.choose_in_tray("Open Steward")
        session.activate_window("Steward$")
        session.screenshot(artefacts / "schedules.png")
    finally:
        _out, err = stop(program)
    assert "Traceback" not in err, err
    reasons = _rows(profile, "SELECT reason FROM messages WHERE role = 'notice'")
    assert json.loads(reasons[0][0])["code"] == "chat.asked-by-schedule"
