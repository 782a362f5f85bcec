"""Events that are put into a calendar file, moved there and taken out of it, in anybody's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from desktop.chat.calendar_requests import CalendarRequests
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.references import Past
from desktop.errors import UserFacing
from desktop.tools.calendar_files import events_in, told_events
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.time_translations import in_english
from tests.chat.test_table_changes import Around

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)  # a Monday
HEAD, TAIL = "BEGIN:VCALENDAR\nVERSION:2.0\n", "END:VCALENDAR\n"


def event(uid: int, start: str, summary: str, end: str = "") -> str:
    ends = f"DTEND:{end}\n" if end else ""
    return f"BEGIN:VEVENT\nUID:{uid}\nDTSTART:{start}\n{ends}SUMMARY:{summary}\nEND:VEVENT\n"


DENTIST = event(1, "20261202T093000", "Dentist", "20261202T100000")
CHOIR = event(2, "20261203T190000", "Choir practice")
LESSONS = event(3, "20261201T183000", "Cours du mardi") + event(4, "20261203T183000", "Cours du jeudi")
ZAHNARZT = event(5, "20261202T093000", "Zahnarzt")
DIARY = HEAD + DENTIST + CHOIR + TAIL
TEXTS = {"diary.ics": DIARY, "shopping.txt": "milk\nbread\n"}


class Dated(Around):
    """A workspace of these texts, with one reminder."""

    def reminders(self) -> Sequence[tuple[int, str]]:
        return [(4, "ring the piano tuner")]

    def time_in(self, words: str, language: str) -> str:
        english = in_english(words, language)
        try:
            read_when(english, NOW, thorough=False)
        except UserFacing:
            return ""
        return english


def planned(asked: str, texts: Mapping[str, str] = TEXTS, past: Past | None = None) -> IntentPlan | None:
    return CalendarRequests(Dated(texts), past or Past(), NOW).plan(asked)


def change(plan: IntentPlan | None) -> tuple[str, str]:
    """The events that one call takes away, and those that it puts there."""
    assert plan is not None
    assert [each.name for each in plan.calls] == ["replace_text"], plan.steps
    given = {key: str(value) for key, value in plan.calls[0].arguments.items()}
    old, new = ([each.text for each in events_in(given[name]) if each is not None] for name in ("old", "new"))
    gone = "; ".join(told_events(each) for each in old if each not in new)
    return gone, "; ".join(told_events(each) for each in new if each not in old)


ADDED = [
    (
        "Would you kindly put the chiropodist in my diary for Tuesday the 8th of December at half past ten?",
        "Chiropodist, 2026-12-08, 10:30",
    ),
    ("add lunch w sam to the calender fri 1pm", "Lunch w sam, 2026-12-04, 13:00"),
    ("Put team lunch in my diary on Friday", "Team lunch, 2026-12-04"),
    ("Please add the boiler service to my diary on 9 December", "Boiler service, 2026-12-09"),
    (
        "put a meeting with Ann in the calendar tomorrow from 2 to 4pm",
        "Meeting with Ann, 2026-12-01, 14:00, 16:00",
    ),
    (
        "Trag bitte die Weihnachtsfeier am 18. Dezember um 17 Uhr in den Kalender ein.",
        "Weihnachtsfeier, 2026-12-18, 17:00",
    ),
    (
        "Kannst du am Freitag um 8:15 den Friseur in meinen Kalender schreiben?",
        "Friseur, 2026-12-04, 08:15",
    ),
    (
        "Ajoute une porte ouverte dans mon calendrier le dimanche 13 décembre à 14 h.",
        "Porte ouverte, 2026-12-13, 14:00",
    ),
    ("Mets le dentiste dans l'agenda pour jeudi à 9h30", "Dentiste, 2026-12-03, 09:30"),
    (
        "Pon en el calendario una visita de Marta el 9 de diciembre de 10 a 12.",
        "Visita de Marta, 2026-12-09, 10:00, 12:00",
    ),
    (
        "apunta la cena con Luis en mi agenda el viernes a las 9 de la noche",
        "Cena con Luis, 2026-12-04, 21:00",
    ),
]


@pytest.mark.parametrize(("asked", "expected"), ADDED)
def test_an_event_is_put_into_the_calendar(asked: str, expected: str) -> None:
    """With its day and its hour; without an hour it is of the whole day."""
    assert change(planned(asked)) == ("", expected)


MOVED = [
    ("And could you move the dentist to Friday at 11, please?", DIARY, "Dentist, 2026-12-04, 11:00, 11:30"),
    ("move choir practice to 7:30pm", DIARY, "Choir practice, 2026-12-03, 19:30"),
    ("The dentist has been moved to 10 December", DIARY, "Dentist, 2026-12-10, 09:30, 10:00"),
    (
        "Der Zahnarzt ist auf Freitag um 8:15 verschoben.",
        HEAD + ZAHNARZT + TAIL,
        "Zahnarzt, 2026-12-04, 08:15",
    ),
    ("Verschieb den Zahnarzt auf Freitag", HEAD + ZAHNARZT + TAIL, "Zahnarzt, 2026-12-04, 09:30"),
    ("Déplace le cours du jeudi à 19 h", HEAD + LESSONS + TAIL, "Cours du jeudi, 2026-12-03, 19:00"),
]


@pytest.mark.parametrize(("asked", "calendar", "expected"), MOVED)
def test_an_event_is_moved(asked: str, calendar: str, expected: str) -> None:
    """What is not said stays: its length, its hour or its day."""
    gone, new = change(planned(asked, {"diary.ics": calendar}))
    assert new == expected
    assert gone.split(",")[0] == expected.split(",")[0]


GONE = [
    ("cancel choir practice", DIARY, "Choir practice, 2026-12-03, 19:00"),
    ("take the dentist out of my diary", DIARY, "Dentist, 2026-12-02, 09:30, 10:00"),
    ("y quita el cours du jeudi del calendario", HEAD + LESSONS + TAIL, "Cours du jeudi, 2026-12-03, 18:30"),
    ("Enlève le cours du mardi du calendrier", HEAD + LESSONS + TAIL, "Cours du mardi, 2026-12-01, 18:30"),
    ("Nimm den Zahnarzt aus dem Kalender", HEAD + ZAHNARZT + TAIL, "Zahnarzt, 2026-12-02, 09:30"),
    ("Sag den Zahnarzt ab", HEAD + ZAHNARZT + TAIL, "Zahnarzt, 2026-12-02, 09:30"),
]


@pytest.mark.parametrize(("asked", "calendar", "expected"), GONE)
def test_an_event_is_taken_out(asked: str, calendar: str, expected: str) -> None:
    """With all its lines."""
    plan = planned(asked, {"diary.ics": calendar})
    assert change(plan) == (expected, "")
    assert plan is not None
    old = str(plan.calls[0].arguments["old"])
    assert calendar.replace(old, "").count("\n\n") == 0


def test_of_several_events_the_user_says_which() -> None:
    """Nothing is changed before."""
    plan = planned("cancel the cours in my diary", {"diary.ics": HEAD + LESSONS + TAIL})
    assert plan is not None
    assert not plan.calls
    assert "Cours du mardi" in plan.steps[0].text
    assert "Cours du jeudi" in plan.steps[0].text


def test_the_day_is_asked_for_and_taken_from_the_answer() -> None:
    """Today is not guessed."""
    asked = "Please add the boiler service to my diary."
    plan = planned(asked)
    assert plan is not None
    assert not plan.calls
    told = plan.steps[0].text
    assert (
        told
        == "I have not put anything into diary.ics yet. On which day is “boiler service”, and at what time?"
    )
    past = Past(asked=asked, text=told)
    assert change(planned("It's on the 9th at 2pm.", past=past)) == ("", "Boiler service, 2026-12-09, 14:00")
    assert planned("never mind", past=past) is None
    assert planned("It's on the 9th at 2pm.", past=Past(asked=asked, text="I did that.")) is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("no, make it 3pm", "Open day, 2026-12-13, 15:00"),
        ("Non, plutôt à 15 h.", "Open day, 2026-12-13, 15:00"),
        ("nein, lieber um 16 Uhr", "Open day, 2026-12-13, 16:00"),
        ("could you make it the 14th instead?", "Open day, 2026-12-14, 14:00"),
    ],
)
def test_another_time_is_for_the_event_before(said: str, expected: str) -> None:
    """An hour alone is on its day, and a day alone at its hour."""
    new = event(9, "20261213T140000", "Open day").strip()
    text = f"{HEAD}{DENTIST}{new}\n{TAIL}"
    call = ParsedCall("replace_text", {"path": "diary.ics", "old": DENTIST.strip(), "new": f"{DENTIST}{new}"})
    past = Past(asked="put an open day in my diary", calls=(call,))
    gone, now = change(planned(said, {"diary.ics": text}, past))
    assert (gone, now) == ("Open day, 2026-12-13, 14:00", expected)


@pytest.mark.parametrize(
    "asked",
    [
        "what's in my diary on Friday?",
        "When is the dentist?",
        "add bread to the shopping list",
        "remind me of the dentist on Wednesday at 8",
        "put a reminder in my calendar for Friday",
        "move the piano tuner to Friday at 3",  # a reminder
        "cancel the milk",  # of another file
        "move shopping.txt to lists",
        "the dentist was nice",
        "take the choir practice money to the bank",
        "take choir practice seriously",
        "move the dentist letter to Friday",
        "cancel the dentist and book the hygienist",
        "add the fair to my calendar on Friday, and tick milk in shopping.txt",
        "put yoga in my calendar every Monday at 9",  # nobody here can write what comes again
        f"put {'very ' * 20}long words in my diary on Friday",
    ],
)
def test_anything_else_is_left_to_others(asked: str) -> None:
    """Questions, reminders, other files, several things at once, and what repeats."""
    plan = planned(asked)
    assert plan is None or not plan.calls


def test_without_a_calendar_nothing_is_read() -> None:
    """And of two nobody knows which one is meant."""
    asked = ADDED[0][0]
    assert planned(asked, {"shopping.txt": "milk\nbread\n"}) is None
    assert planned("put tea in my calendar on Friday", {"a.ics": DIARY, "b.ics": DIARY}) is None


def test_long_texts_are_read_at_once() -> None:
    """A message is bounded before any pattern sees it."""
    for one, other in pairwise(("move it to ", "add to my calendar ", "le la el ", "from 1 to ")):
        assert planned((one + other) * 5_000) is None
