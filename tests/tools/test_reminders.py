"""Reminders: set, found, claimed once, and kept until the user is done with them."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from desktop.database import Database
from desktop.engine.scheduler import Clock
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.migrations import MIGRATIONS as GATE
from desktop.gate.policy import PolicySettings
from desktop.paths import Paths
from desktop.tools import notes
from desktop.tools.calls import Call, CallStatus
from desktop.tools.executor import Executor
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.reminders import (
    CLAIM_S,
    LONGEST_WAIT_S,
    MIGRATIONS,
    Reminder,
    ReminderClock,
    ReminderDue,
    Reminders,
    RemindersChanged,
)
from desktop.tools.times import local_now
from desktop.tools.tool import Toolbox
from tests.fakes.asker import FakeAsker

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))


ALL = (*GATE, *notes.MIGRATIONS, *MIGRATIONS)


@dataclass
class Desk:
    """The reminders, and the time that they see."""

    database: Database
    bus: Bus
    marker: Path
    at: datetime = NOW
    reminders: Reminders = field(init=False)

    def __post_init__(self) -> None:
        self.reminders = Reminders(self.database, self.bus, lambda: self.at, self.marker)


@pytest.fixture
def desk(paths: Paths, bus: Bus) -> Iterator[Desk]:
    database = Database(paths.database, ALL)
    yield Desk(database, bus, paths.runtime / "reminders")
    database.close()


def test_what_was_set_is_said_back_and_listed(desk: Desk) -> None:
    """The time in full, so that a wrong one is noticed."""
    said = desk.reminders.set_reminder("call  Anna", "next Friday 14:30")
    assert said.startswith(
        "Reminder 1 is set for Friday 27 November 2026, 14:30 (in 7 days): call Anna. It is shown while"
    )
    listed = desk.reminders.list_reminders()
    assert listed == "1. Friday 27 November 2026, 14:30 (in 7 days): call Anna"


def test_what_was_assumed_is_said(desk: Desk) -> None:
    """The note comes with the result; where this process shows reminders, nothing else does."""
    desk.reminders.has_clock = True
    said = desk.reminders.set_reminder("buy milk", "tomorrow")
    assert said.endswith("buy milk. Note: no hour was named.")


WRITTEN = [
    ("call Anna", "at 5", "call Anna", "17:00"),
    ("call Anna at 5", "at 5 pm", "call Anna", "17:00"),
    ("Take my pills in 20 minutes", "now + 20 minutes", "Take my pills", "09:50"),
    ("The rent is due tomorrow at 9 AM", "2023-04-01T09:00:00", "The rent is due", "Saturday 21 November"),
    ("The rent is due tomorrow at 9", "2027-04-01 09:00", "The rent is due", "Saturday 21 November"),
    ("Erinnere mich bitte um 14 Uhr an den Zahnarzt", "2023-10-01T14:00:00", "Zahnarzt", "14:00"),
    ("remind me at 5 to call Anna", "5", "call Anna", "17:00"),
    ("the meeting tomorrow at 9", "at 17:00", "the meeting tomorrow at 9", "17:00"),
    ("call Anna", "2026-12-01T08:00", "call Anna", "1 December"),
]


@pytest.mark.parametrize(("text", "when", "kept", "said"), WRITTEN)
def test_what_a_model_writes(desk: Desk, text: str, when: str, kept: str, said: str) -> None:
    """A time in the text is taken out, and counts where the date beside it is made up."""
    result = desk.reminders.set_reminder(text, when)
    assert [each.text for each in desk.reminders.open()] == [kept]
    assert said in result


MADE_UP = [
    ("Please put Friday 14:30 down: dentist", "2023-04-14T14:30:00", "Friday 27 November 2026, 14:30"),
    (
        "Can you let me know tomorrow at 9 that the rent is due?",
        "2024-01-01 09:00",
        "Saturday 21 November 2026, 09:00",
    ),
    (
        "Sag mir morgen früh um 8, dass ich 5 Äpfel kaufe",
        "2023-10-01T08:00",
        "Saturday 21 November 2026, 08:00",
    ),
    ("Dentist on 2026-12-01 at 8:00", "2026-12-01T08:00", "Tuesday 1 December 2026, 08:00"),
    ("Dentist soon", "2026-12-01T08:00", "Tuesday 1 December 2026, 08:00"),
    ("Dentist at 5 or tomorrow", "2026-12-01T08:00", "Tuesday 1 December 2026, 08:00"),
    ("Dentist in 20 minutes", "20 minutes", "Friday 20 November 2026, 09:50"),
]


@pytest.mark.parametrize(("asked", "when", "said"), MADE_UP)
def test_a_date_that_nobody_wrote_is_not_taken(desk: Desk, asked: str, when: str, said: str) -> None:
    """The user's own words count; two times, or none, leave it as it is."""
    executor = Executor(desk.bus, FakeAsker(), Gatekeeper(Grants(desk.database), PolicySettings), Path("/"))
    call = Call("1", "set_reminder", {"text": "dentist", "when": when})
    ended = executor.run(call, Toolbox(desk.reminders.tools()), asked=asked)
    assert said in ended.text


def test_no_reminders_is_a_sentence(desk: Desk) -> None:
    """An empty list says so."""
    assert desk.reminders.list_reminders() == "No reminders are set."


@pytest.mark.parametrize(
    ("text", "when", "code"),
    [
        ("  ", "at 5", "reminder-empty"),
        ("x" * 501, "at 5", "reminder-too-long"),
        ("milk", "someday", "time-unclear"),
        ("milk", "yesterday", "time-past"),
    ],
)
def test_what_cannot_be_set_is_refused(desk: Desk, text: str, when: str, code: str) -> None:
    """With the reason; nothing is stored."""
    with pytest.raises(UserFacing) as refused:
        desk.reminders.set_reminder(text, when)
    assert refused.value.code == code
    assert desk.reminders.open() == ()


def test_the_same_again_is_the_same_reminder(desk: Desk) -> None:
    """A model that calls twice sets one."""
    desk.reminders.set_reminder("milk", "at 17:00")
    desk.reminders.set_reminder("milk", "at 5 pm")
    assert [each.id for each in desk.reminders.open()] == [1]


def test_two_series_that_begin_together_are_two(desk: Desk) -> None:
    """Every day and every Saturday, of which the first is tomorrow, are not the same."""
    for when in ("every day at 8", "every Saturday at 8", "every day at 8"):
        desk.reminders.set_reminder("stretch", when)
    first, second = desk.reminders.open()
    assert first.due == second.due
    assert first.repeats != second.repeats


def test_what_a_program_wants_repeated_waits_for_the_user(desk: Desk) -> None:
    """Proposed again it still waits, set by the user it comes; the program's wish switches nothing off, and
    what comes once is set at once."""
    said = desk.reminders.set_for_program("codex", "stretch", "every day at 8")
    assert str(said).startswith("Proposed, since it repeats every day at 08:00: stretch.")
    desk.reminders.set_for_program("codex", "stretch", "every day at 8")
    assert [(each.id, each.is_on) for each in desk.reminders.open()] == [(1, False)]
    assert desk.reminders.next_due() is None
    desk.reminders.set_reminder("stretch", "every day at 8")
    said = desk.reminders.set_for_program("codex", "stretch", "every day at 8")
    assert str(said) == "Reminder set, every day at 08:00: stretch"
    assert [(each.id, each.is_on) for each in desk.reminders.open()] == [(1, True)]
    said = desk.reminders.set_for_program("codex", "tea", "at 17:00")
    assert str(said).endswith("20 November 2026, 17:00: tea")
    assert desk.reminders.next_due() == NOW.replace(hour=17, minute=0)


def test_which_program_wanted_it_is_kept(desk: Desk) -> None:
    """In the list and in what comes of a series; what the user wants too is the user's own, and stays it."""
    desk.reminders.set_for_program("codex", "stretch", "every day at 17:00")
    desk.reminders.set_for_program("claude-code", "tea", "at 17:00")
    desk.reminders.set_reminder("bread", "at 17:00")
    assert {each.text: each.origin for each in desk.reminders.open()} == {
        "stretch": "codex",
        "tea": "claude-code",
        "bread": "",
    }
    assert [line.rpartition(": ")[2] for line in desk.reminders.list_reminders().splitlines()] == [
        "stretch (from codex)",
        "tea (from claude-code)",
        "bread",
    ]
    desk.reminders.set_on(1, True)
    desk.reminders.set_reminder("tea", "at 17:00")
    desk.reminders.set_for_program("codex", "tea", "at 17:00")
    desk.at = NOW.replace(hour=17, minute=1)
    assert {(each.text, each.origin) for each in desk.reminders.claim("a")} == {
        ("stretch", "codex"),
        ("tea", ""),
        ("bread", ""),
    }


@pytest.mark.parametrize("wanted", ["2", "#2", "reminder 2", "Reminder 2.", "anna", "call ANNA"])
def test_one_is_cancelled_by_number_or_words(desk: Desk, wanted: str) -> None:
    """The others stay."""
    for text in ("buy milk", "call Anna", "buy bread"):
        desk.reminders.set_reminder(text, "at 5")
    told = desk.reminders.cancel_reminder(wanted)
    assert told.startswith("Cancelled reminder 2 (Friday 20 November 2026, 17:00")
    assert told.endswith(": call Anna")
    assert [each.text for each in desk.reminders.open()] == ["buy milk", "buy bread"]


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ("buy", ["buy milk", "buy bread"]),
        ("dentist", ["buy milk", "buy bread"]),
        ("7", ["buy milk"]),
        ("", []),
    ],
)
def test_where_it_is_not_clear_which_nothing_is_cancelled(desk: Desk, wanted: str, named: list[str]) -> None:
    """The candidates are named, for the next try."""
    for text in ("buy milk", "buy bread"):
        desk.reminders.set_reminder(text, "at 5")
    with pytest.raises(UserFacing) as refused:
        desk.reminders.cancel_reminder(wanted)
    assert all(text in refused.value.cause for text in named)
    assert len(desk.reminders.open()) == 2


def test_setting_and_cancelling_ask_nothing(desk: Desk) -> None:
    """They only change what Steward keeps for the user; with text from elsewhere in the chat they ask."""
    asker = FakeAsker()
    gatekeeper = Gatekeeper(Grants(desk.database), PolicySettings)
    executor = Executor(desk.bus, asker, gatekeeper, Path("/"))
    toolbox = Toolbox(desk.reminders.tools())
    set_it = Call("1", "set_reminder", {"text": "milk", "when": "at 5"})
    assert executor.run(set_it, toolbox).ending is CallStatus.DONE
    assert executor.run(Call("2", "cancel_reminder", {"reminder": "milk"}), toolbox).ending is CallStatus.DONE
    assert asker.questions == []
    executor.run(set_it, toolbox, untrusted=("a web page",))
    assert [str(question.title) for question in asker.questions] == ["Set a reminder?"]


def test_what_is_due_is_claimed_once(desk: Desk) -> None:
    """By one owner, until the claim runs out; never once it is shown."""
    desk.reminders.set_reminder("milk", "in 20 minutes")
    assert desk.reminders.claim("a") == ()
    desk.at += timedelta(minutes=20)
    assert [each.text for each in desk.reminders.claim("a")] == ["milk"]
    assert desk.reminders.claim("b") == desk.reminders.claim("a") == ()
    desk.at += timedelta(seconds=CLAIM_S + 1)
    assert [each.text for each in desk.reminders.claim("b")] == ["milk"]
    desk.reminders.shown([1])
    desk.at += timedelta(hours=1)
    assert desk.reminders.claim("c") == ()
    assert [each.is_shown for each in desk.reminders.open()] == [True]


def test_a_clock_put_back_frees_a_claim(desk: Desk) -> None:
    """A claim from the future would otherwise hold for as long as the clock was put back."""
    desk.reminders.set_reminder("milk", "in 20 minutes")
    desk.at += timedelta(days=1)
    desk.reminders.claim("a")
    desk.at -= timedelta(hours=20)
    assert [each.text for each in desk.reminders.claim("b")] == ["milk"]


def test_done_is_not_shown_again_and_can_be_taken_back(desk: Desk) -> None:
    """Also when it was due; taken back, it is open again."""
    desk.reminders.set_reminder("milk", "in 20 minutes")
    desk.reminders.end(1)
    desk.at += timedelta(hours=1)
    assert desk.reminders.claim("a") == ()
    desk.reminders.restore(1)
    assert len(desk.reminders.claim("a")) == 1


def test_snoozed_is_shown_later(desk: Desk) -> None:
    """Ten minutes from now, and once more."""
    desk.reminders.set_reminder("milk", "in 20 minutes")
    desk.at += timedelta(minutes=25)
    desk.reminders.claim("a")
    desk.reminders.shown([1])
    assert desk.reminders.snooze(1) == desk.at + timedelta(minutes=10)
    assert desk.reminders.claim("a") == ()
    desk.at += timedelta(minutes=10)
    assert len(desk.reminders.claim("a")) == 1


def test_snoozing_what_is_done_brings_nothing_back(desk: Desk) -> None:
    """Done in the list, then Snooze on a notification that is still on the screen."""
    desk.reminders.set_reminder("milk", "in 20 minutes")
    desk.reminders.end(1)
    desk.reminders.snooze(1)
    assert desk.reminders.open() == ()


def test_a_change_gives_a_new_time(desk: Desk) -> None:
    """What was shown already is shown again at the new time."""
    desk.reminders.set_reminder("milk", "in 20 minutes")
    desk.at += timedelta(minutes=20)
    desk.reminders.claim("a")
    desk.reminders.shown([1])
    desk.reminders.change(1, "oat milk", desk.at + timedelta(hours=1))
    (reminder,) = desk.reminders.open()
    assert (reminder.text, reminder.is_shown) == ("oat milk", False)
    assert desk.reminders.next_due() == desk.at + timedelta(hours=1)


def test_every_change_is_told(desk: Desk) -> None:
    """To this process by an event, to another by the marker."""
    told: list[RemindersChanged] = []
    desk.bus.subscribe(RemindersChanged, told.append)
    desk.reminders.set_reminder("milk", "in 20 minutes")
    first = desk.marker.read_text()
    desk.at += timedelta(minutes=1)
    desk.reminders.end(1)
    assert len(told) == 2
    assert desk.marker.read_text() != first


def test_what_ended_long_ago_is_gone(desk: Desk) -> None:
    """After a month nobody takes it back."""
    desk.reminders.set_reminder("milk", "in 20 minutes")
    desk.reminders.end(1)
    desk.at += timedelta(days=31)
    desk.reminders.set_reminder("bread", "in 20 minutes")
    count = desk.database.read(lambda c: c.execute("SELECT count(*) FROM reminders").fetchone()[0])
    assert count == 1


# -- what repeats -----------------------------------------------------------------------------


def _due(desk: Desk) -> list[str]:
    return [f"{each.text} {each.due:%a %H:%M}" for each in desk.reminders.claim("clock")]


def test_a_series_comes_again_and_again(desk: Desk) -> None:
    """Each time as a reminder of its own, which is done without ending the series."""
    said = desk.reminders.set_reminder("call Anna", "every Monday at 9")
    assert said.startswith(
        "Reminder 1 is set, every Monday at 09:00, next on Monday 23 November 2026, 09:00 (in 3 days): "
    )
    assert desk.reminders.list_reminders() == "1. every Monday at 09:00: call Anna"
    for monday in (23, 30):
        desk.at = NOW.replace(day=monday, hour=9, minute=0)
        (due,) = desk.reminders.claim("clock")
        assert (due.series, due.due) == (1, desk.at)
        desk.reminders.shown([due.id])
        desk.reminders.end(due.id)
    (series,) = desk.reminders.open()
    assert f"{series.due:%d %B %H:%M}" == "07 December 09:00"


def test_what_was_not_ticked_off_gives_way_to_the_next(desk: Desk) -> None:
    """A week without a click leaves one due reminder and not seven."""
    desk.reminders.set_reminder("drink", "every day at 8")
    for day in range(21, 28):
        desk.at = NOW.replace(day=day, hour=8, minute=0)
        desk.reminders.shown([each.id for each in desk.reminders.claim("clock")])
    due = [each for each in desk.reminders.open() if each.series]
    assert [f"{each.due:%d}" for each in due] == ["27"]


def test_of_a_fortnight_away_one_time_is_left(desk: Desk) -> None:
    """The last that passed; the series goes on from now."""
    desk.reminders.set_reminder("drink", "every weekday at 8")
    desk.at = NOW + timedelta(days=16)  # a Sunday
    assert _due(desk) == ["drink Fri 08:00"]
    assert [f"{each.due:%a %d %H:%M}" for each in desk.reminders.open() if each.repeats] == ["Mon 07 08:00"]


def test_switched_off_it_does_not_come_and_makes_nothing_up(desk: Desk) -> None:
    """Nor what passed meanwhile; nothing ticks for it."""
    desk.reminders.set_reminder("drink", "every day at 8")
    desk.reminders.set_on(1, False)
    assert desk.reminders.next_due() is None
    desk.at = NOW + timedelta(days=3)
    assert _due(desk) == []
    desk.reminders.set_on(1, True)
    assert _due(desk) == []
    assert desk.reminders.next_due() == NOW.replace(day=24, hour=8, minute=0)


def test_with_a_series_goes_what_of_it_waits(desk: Desk) -> None:
    """Taken back, it goes on with its next time."""
    desk.reminders.set_reminder("drink", "every day at 8")
    desk.at = NOW + timedelta(days=1)
    assert len(_due(desk)) == 1
    desk.reminders.end(1)
    assert desk.reminders.open() == ()
    desk.at = NOW + timedelta(days=5)
    desk.reminders.restore(1)
    assert [f"{each.due:%d %H:%M}" for each in desk.reminders.open()] == ["26 08:00"]


def test_in_another_zone_it_comes_at_the_hour_of_the_wall(desk: Desk) -> None:
    """What comes once stays the moment that it was; what repeats goes with the traveller."""
    desk.reminders.set_reminder("drink", "every day at 8")
    desk.reminders.set_reminder("the call", "tomorrow at 8:00")
    desk.at = NOW.astimezone(ZoneInfo("America/New_York"))
    assert _due(desk) == []
    found = {each.text: f"{each.due:%d %H:%M %z}" for each in desk.reminders.open()}
    assert found == {"drink": "21 08:00 -0500", "the call": "21 02:00 -0500"}


@pytest.mark.parametrize(
    ("at", "due"),
    [
        # In the night in which 2:30 does not come, and in the one in which it comes twice.
        ("2027-03-28 03:30 +0200", ["drink Sun 03:30"]),
        ("2027-10-31 02:30 +0200", ["drink Sun 02:30"]),
    ],
)
def test_in_the_nights_of_the_clock_it_comes_once(desk: Desk, at: str, due: list[str]) -> None:
    """Looked at every ten minutes from an hour before to four hours after."""
    moment = datetime.strptime(at, "%Y-%m-%d %H:%M %z").astimezone(NOW.tzinfo)
    desk.at = (moment.astimezone(UTC) - timedelta(hours=20)).astimezone(NOW.tzinfo)
    desk.reminders.set_reminder("drink", "every day at 02:30")
    found = []
    for minutes in range(-60, 240, 10):
        desk.at = (moment.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(NOW.tzinfo)
        for each in desk.reminders.claim("clock"):
            found.append(f"{each.text} {each.due:%a %H:%M}")
            assert minutes == 0
            desk.reminders.end(each.id)
    assert found == due


def test_a_question_waits_for_its_answer(desk: Desk) -> None:
    """It is no reminder, is told until it is answered, and not put a second time meanwhile."""
    rule = read_when("every day at 8", NOW).repeats
    assert rule is not None
    desk.reminders.add("what is new?", rule.next_after(NOW), rule, asks=True)
    assert desk.reminders.open() == ()
    desk.at = NOW + timedelta(days=1)
    (asked,) = desk.reminders.claim("clock")
    assert asked.asks
    desk.reminders.begun(asked.id, 7)
    desk.at += timedelta(days=1)
    (again,) = desk.reminders.claim("clock")
    assert (again.id, again.chat) == (asked.id, 7)
    desk.reminders.answered(asked.id, "complete")
    desk.at += timedelta(seconds=CLAIM_S + 1)
    assert desk.reminders.claim("clock") == ()
    (schedule,) = desk.reminders.schedules()
    assert schedule.latest is not None
    assert (schedule.latest.outcome, schedule.latest.chat) == ("complete", 7)


def test_what_a_command_asks_no_clock_asks(desk: Desk) -> None:
    """Nor does a command that was killed keep the schedule from coming again."""
    rule = read_when("every day at 8", NOW).repeats
    assert rule is not None
    desk.reminders.add("what is new?", rule.next_after(NOW), rule, asks=True)
    mine = desk.reminders.run_now(1, is_taken=True)
    assert mine is not None
    assert desk.reminders.claim("clock") == ()
    desk.at = NOW + timedelta(days=1)
    assert [each.series for each in desk.reminders.claim("clock")] == [1]


def test_the_last_result_of_a_rare_schedule_is_kept(desk: Desk) -> None:
    """Though what ended a month ago goes."""
    rule = read_when("every year on 1 December at 9", NOW).repeats
    assert rule is not None
    desk.reminders.add("what is due?", rule.next_after(NOW), rule, asks=True)
    desk.at = NOW + timedelta(days=12)
    (asked,) = desk.reminders.claim("clock")
    desk.reminders.answered(asked.id, "complete")
    desk.at += timedelta(days=60)
    desk.reminders.set_reminder("milk", "in 1 hour")
    assert desk.reminders.schedules()[0].latest is not None


def test_tables_from_before_keep_their_reminders(paths: Paths, bus: Bus) -> None:
    """The step of the database, on one with a reminder in it."""
    old = Database(paths.database, (*GATE, *notes.MIGRATIONS, MIGRATIONS[0]))
    old.write(lambda c: c.execute("INSERT INTO reminders (text, made_at, due_at) VALUES ('milk', 1, 2)"))
    old.close()
    new = Database(paths.database, ALL)
    try:
        reminders = Reminders(new, bus, lambda: NOW)
        assert [(each.text, each.repeats, each.is_on) for each in reminders.open()] == [("milk", None, True)]
        assert [each.text for each in reminders.claim("clock")] == ["milk"]
    finally:
        new.close()


CLAIMER = """
import sys
from pathlib import Path
from desktop.database import Database
from desktop.events import Bus
from desktop.tools import notes, reminders
database = Database(Path(sys.argv[1]), (*notes.MIGRATIONS, *reminders.MIGRATIONS))
held = reminders.Reminders(database, Bus())
print("ready", flush=True)
sys.stdin.readline()
print(*(each.id for each in held.claim(sys.argv[2])), flush=True)
sys.stdin.readline()
"""


def _claimer(paths: Paths, name: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", CLAIMER, str(paths.database), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def _claimed(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().split()


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_two_processes_share_what_is_due(desk: Desk, paths: Paths) -> None:
    """Each reminder goes to one of them."""
    desk.at = datetime.now(NOW.tzinfo) - timedelta(hours=1)
    for number in range(20):
        desk.reminders.add(f"reminder {number}", desk.at)
    both = [_claimer(paths, name) for name in "ab"]
    claimed = [number for process in both for number in _claimed(process)]
    for process in both:
        _end(process)
    assert sorted(map(int, claimed)) == list(range(1, 21))


def test_a_kill_before_it_was_shown_shows_it_again(desk: Desk, paths: Paths) -> None:
    """The claim of the dead runs out; what the user is done with stays away."""
    now = datetime.now(NOW.tzinfo)
    desk.at = now - timedelta(hours=1)
    for text in ("milk", "bread"):
        desk.reminders.add(text, desk.at)
    process = _claimer(paths, "a")
    assert _claimed(process) == ["1", "2"]
    _end(process)
    desk.reminders.end(2)
    desk.at = datetime.now(NOW.tzinfo)
    assert desk.reminders.claim("b") == ()
    desk.at += timedelta(seconds=CLAIM_S + 1)
    assert [each.text for each in desk.reminders.claim("b")] == ["milk"]


# -- the clock --------------------------------------------------------------------------------


class Waits(Clock):
    """Hands over each wait as it begins; one ends when it is told to."""

    def __init__(self) -> None:
        self.begun: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        self._condition = threading.Condition()

    def wait(self, condition: threading.Condition, timeout_s: float | None) -> None:
        self._condition = condition
        self.begun.put(timeout_s)
        condition.wait()

    def end(self) -> None:
        with self._condition:
            self._condition.notify_all()


@pytest.mark.parametrize("when", ["every day at 8", "every Friday at 8", "on the 15th of every month at 8"])
def test_a_clock_that_was_a_year_ahead_puts_no_series_off(desk: Desk, when: str) -> None:
    """A battery is empty, a clock is mended: it comes when it would have come, and what it made of a time
    that has not come yet keeps nothing back."""
    desk.reminders.set_reminder("stretch", when)
    due = desk.reminders.schedules()[0].reminder.due
    desk.at = NOW + timedelta(days=365)
    desk.reminders.claim("this process")
    assert desk.reminders.schedules()[0].reminder.due > desk.at
    desk.at = NOW + timedelta(minutes=1)
    desk.reminders.claim("this process")
    assert desk.reminders.schedules()[0].reminder.due == due
    desk.at = due
    assert [each.text for each in desk.reminders.claim("this process")] == ["stretch"]


def test_a_clock_put_back_by_a_little_brings_nothing_twice(desk: Desk) -> None:
    """As one is that goes too fast."""
    desk.reminders.set_reminder("stretch", "every day at 8")
    desk.at = due = desk.reminders.schedules()[0].reminder.due
    (told,) = desk.reminders.claim("this process")
    desk.reminders.shown((told.id,))
    desk.at = due - timedelta(minutes=2)
    assert desk.reminders.claim("this process") == ()
    desk.at = due + timedelta(minutes=2)
    assert desk.reminders.claim("this process") == ()
    assert desk.reminders.schedules()[0].reminder.due == due + timedelta(days=1)


class ClockDesk:
    """A clock whose waits and time are the test's, and what it told."""

    def __init__(self, database: Database, bus: Bus) -> None:
        self.at = NOW
        self.waits = Waits()
        self.told: queue.SimpleQueue[ReminderDue] = queue.SimpleQueue()
        self.bus = bus
        self.reminders = Reminders(database, bus, lambda: self.at)
        self.clock = ReminderClock(self.reminders, bus, lambda: self.at, self.waits)
        bus.subscribe(ReminderDue, self.told.put)

    def wait(self) -> float | None:
        """How long the clock waits now."""
        return self.waits.begun.get(timeout=10)

    def pass_time(self, **time: float) -> None:
        self.at += timedelta(**time)
        self.waits.end()

    def texts(self) -> tuple[list[str], bool]:
        event = self.told.get(timeout=10)
        return [each.text for each in event.reminders], event.missed


@pytest.fixture
def clocked(paths: Paths, bus: Bus) -> Iterator[ClockDesk]:
    database = Database(paths.database, (*notes.MIGRATIONS, *MIGRATIONS))
    made = ClockDesk(database, bus)
    yield made
    made.clock.close()
    database.close()


def test_nothing_ticks_while_nothing_is_set(clocked: ClockDesk) -> None:
    """It waits without end, and again after the last one is gone."""
    clocked.clock.start()
    assert clocked.wait() is None
    clocked.reminders.set_reminder("milk", "in 20 minutes")
    assert clocked.wait() == LONGEST_WAIT_S
    clocked.reminders.end(1)
    assert clocked.wait() is None


def test_it_sleeps_until_what_is_due_next(clocked: ClockDesk) -> None:
    """Never longer than half a minute, because a sleeping computer and a set clock end no wait."""
    clocked.clock.start()
    clocked.wait()
    clocked.reminders.set_reminder("milk", "in 70 seconds")
    assert clocked.wait() == 30
    clocked.pass_time(seconds=30)
    assert clocked.wait() == 30
    clocked.pass_time(seconds=30)
    assert clocked.wait() == 10
    clocked.pass_time(seconds=10)
    assert clocked.texts() == (["milk"], False)
    clocked.wait()
    clocked.reminders.shown([1])
    assert clocked.wait() is None


def test_after_sleep_it_is_shown_at_once(clocked: ClockDesk) -> None:
    """Eight hours passed while the wait stood still."""
    clocked.clock.start()
    clocked.wait()
    clocked.reminders.set_reminder("milk", "in 2 hours")
    clocked.wait()
    clocked.pass_time(hours=8)
    assert clocked.texts() == (["milk"], False)


def test_a_clock_that_is_put_back_delays_it(clocked: ClockDesk) -> None:
    """It is shown when the clock on the wall says so."""
    clocked.clock.start()
    clocked.wait()
    clocked.reminders.set_reminder("milk", "at 9:31 am")
    assert clocked.wait() == LONGEST_WAIT_S
    clocked.pass_time(hours=-1)
    assert clocked.wait() == LONGEST_WAIT_S
    assert clocked.told.empty()
    clocked.pass_time(hours=1, minutes=1)
    assert clocked.texts() == (["milk"], False)


def test_what_was_missed_comes_together_at_the_start(clocked: ClockDesk) -> None:
    """What comes due later comes by itself."""
    for text, when in (("milk", "in 1 hour"), ("bread", "in 2 hours"), ("call Anna", "in 5 hours")):
        clocked.reminders.set_reminder(text, when)
    clocked.at += timedelta(hours=3)
    clocked.clock.start()
    assert clocked.texts() == (["milk", "bread"], True)
    clocked.wait()
    clocked.reminders.shown([1, 2])
    clocked.wait()
    clocked.pass_time(hours=2)
    assert clocked.texts() == (["call Anna"], False)


def test_what_nobody_confirmed_comes_again(clocked: ClockDesk) -> None:
    """Once its claim has run out; confirmed, it does not."""
    clocked.clock.start()
    clocked.wait()
    clocked.reminders.set_reminder("milk", "in 10 seconds")
    clocked.wait()
    clocked.pass_time(seconds=10)
    assert clocked.texts() == (["milk"], False)
    clocked.wait()
    clocked.pass_time(seconds=31)
    assert clocked.texts() == (["milk"], False)
    clocked.wait()
    clocked.reminders.shown([1])
    assert clocked.wait() is None
    clocked.pass_time(seconds=31)
    assert clocked.wait() is None
    assert clocked.told.empty()


def test_only_a_running_clock_promises_to_show(clocked: ClockDesk) -> None:
    """The result of set_reminder says more where nobody is there to show it."""
    assert "while Steward runs" in clocked.reminders.set_reminder("milk", "in 1 hour")
    clocked.clock.start()
    assert "while Steward runs" not in clocked.reminders.set_reminder("bread", "in 1 hour")
    clocked.clock.close()
    assert "while Steward runs" in clocked.reminders.set_reminder("soap", "in 1 hour")


@pytest.mark.parametrize(
    "rule",
    ["{", "[]", "null", '{"unit": "aeon"}', '{"unit": "day", "hour": 8, "said_by": "a later version"}'],
)
def test_a_row_that_cannot_be_read_keeps_no_other_from_being_told(clocked: ClockDesk, rule: str) -> None:
    """As a later version may leave it behind: it is passed over, in the lists, too."""
    clocked.reminders.set_reminder("stretch", "every day at 8")
    clocked.reminders.set_reminder("milk", "in 20 seconds")
    clocked.reminders._write("UPDATE reminders SET repeats = ? WHERE id = 1", (rule,))
    clocked.clock.start()
    clocked.wait()
    clocked.pass_time(days=1)
    assert clocked.texts() == (["milk"], False)
    assert clocked.reminders.schedules() == ()
    assert [each.text for each in clocked.reminders.open()] == ["milk"]
    clocked.wait()


def test_a_failure_that_nobody_foresaw_does_not_end_the_clock(
    clocked: ClockDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing would ever be due again until the next start, and nobody would be told."""
    clocked.reminders.set_reminder("milk", "in 20 seconds")

    def broken(_owner: str) -> tuple[Reminder, ...]:
        raise RuntimeError("a bug")

    monkeypatch.setattr(clocked.reminders, "claim", broken)
    clocked.clock.start()
    assert clocked.wait() == LONGEST_WAIT_S
    monkeypatch.undo()
    clocked.pass_time(seconds=30)
    assert clocked.texts() == (["milk"], False)
    clocked.wait()


def test_it_closes_before_it_was_started(clocked: ClockDesk) -> None:
    """And twice; it does not say then that it shows what is due."""
    clocked.clock.close()
    clocked.clock.close()
    assert not clocked.reminders.has_clock


def test_on_the_real_clock(paths: Paths, bus: Bus) -> None:
    """Set for a second from now, told a second from now."""
    database = Database(paths.database, (*notes.MIGRATIONS, *MIGRATIONS))
    held = Reminders(database, bus)
    clock = ReminderClock(held, bus)
    told: queue.SimpleQueue[tuple[datetime, ReminderDue]] = queue.SimpleQueue()
    bus.subscribe(ReminderDue, lambda event: told.put((local_now(), event)))
    clock.start()
    due = local_now() + timedelta(seconds=0.4)
    held.add("milk", due)
    at, event = told.get(timeout=10)
    clock.close()
    database.close()
    assert [each.text for each in event.reminders] == ["milk"]
    assert timedelta() <= at - due < timedelta(seconds=5)
