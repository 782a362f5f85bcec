"""Which requests are schedules, and what is kept and said of them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.paths import Paths
from desktop.tools import notes, reminders
from desktop.tools.reminders import Reminders
from desktop.tools.schedules import ScheduleWish, Scheduling, schedule_in

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=ZoneInfo("Europe/Berlin"))

ASKS = [
    ("every weekday at 8: what is in my notes for today?", "what is in my notes for today?"),
    ("Every weekday at 8:30: what is in my notes?", "what is in my notes?"),
    ("jeden Werktag um 8: Was steht heute in meinen Notizen?", "Was steht heute in meinen Notizen?"),
    ("Every weekday at 8, tell me what is in my notes", "tell me what is in my notes"),
    ("every weekday at 8 what is in my notes for today?", "what is in my notes for today?"),
    ("What is in my notes for today? every weekday at 8", "What is in my notes for today?"),
    ("Tell me what is in todo.txt every Monday at 9", "Tell me what is in todo.txt"),
    ("Sag mir jeden Montag um 9, was in todo.txt steht", "Sag mir, was in todo.txt steht"),
    ("Fasse jeden Freitag um 17 Uhr meine Notizen zusammen", "Fasse meine Notizen zusammen"),
    ("Kannst du mir jeden Morgen um 7 sagen, was heute ansteht?", "was heute ansteht?"),
    ("Can you tell me every morning at 7 what is in my notes?", "tell me what is in my notes?"),
    ("every Mon, Wed and Fri at 8, list the files in invoices", "list the files in invoices"),
    ("Please ask every weekday at 8: what is on my list?", "what is on my list?"),
    ("On the 1st of every month at 10: summarise budget.csv", "summarise budget.csv"),
    ("every day at 7: weather?", "weather?"),
    ("tous les jours à 8 h : qu'est-ce qu'il y a dans mes notes ?", "qu'est-ce qu'il y a dans mes notes ?"),
    ("Chaque lundi à 9h, résume semaine.md", "résume semaine.md"),
    (
        "Du lundi au vendredi à 8 h 30: quelles sont mes notes pour aujourd'hui ?",
        "quelles sont mes notes pour aujourd'hui ?",
    ),
    ("Dis-moi tous les matins à 7 h ce qu'il y a dans liste.txt", "Dis-moi ce qu'il y a dans liste.txt"),
    ("cada lunes a las 9: ¿qué hay en mis notas para hoy?", "¿qué hay en mis notas para hoy?"),
    ("Todos los días a las 8, dime qué hay en lista.txt", "dime qué hay en lista.txt"),
    ("De lunes a viernes a las 8 ¿qué hay en mis notas?", "¿qué hay en mis notas?"),
]


@pytest.mark.parametrize(("text", "question"), ASKS)
def test_the_time_is_parted_from_the_question(text: str, question: str) -> None:
    """In front, behind, and in the middle, as both languages have it."""
    found = schedule_in(text, NOW)
    assert found is not None
    assert (found.wish, found.text, found.refusal) == (ScheduleWish.ASK, question, None)


@pytest.mark.parametrize(
    "text",
    [
        "Every Monday I go running",
        "Every Monday at 9 I have a meeting, what should I bring?",
        "What happens every Monday at 9?",
        "How many hours does every weekday at 8 have",
        "tomorrow at 8: what is in my notes?",
        "Jeden Montag gehe ich laufen.",
        "Chaque lundi à 9 h je vais courir.",
        "Tous les lundis sauf en mai à 9 h : quoi de neuf ?",
        "Los martes a las 9 voy a correr.",
        "Cada mesa a las 9: ¿qué hay?",
        "each of them at 8: what?",
        "every Monday except in May at 9: what is new?",
        "what is in my notes?",
        "every weekday at 8:",
        "every weekday at 8: what\nis this?",
        "daily " * 200,
    ],
)
def test_the_rest_is_left_to_the_model(text: str) -> None:
    """What tells something, asks about a time, or is not understood whole."""
    assert schedule_in(text, NOW) is None


def test_what_reminds_and_what_acts_is_told_apart() -> None:
    """A reminder is set; what would do more than read is refused by whoever asked."""
    reminder = schedule_in("Every day at 9: remind me to drink", NOW)
    acting = schedule_in("every day at 8: delete the temp files", NOW)
    often = schedule_in("every 5 minutes: what is new?", NOW)
    assert reminder is not None
    assert (reminder.wish, reminder.text, reminder.when) == (ScheduleWish.REMIND, "drink", "Every day at 9")
    assert acting is not None
    assert acting.wish is ScheduleWish.ACT
    assert often is not None
    assert often.refusal is not None
    assert "once a day" in str(often.refusal)


@pytest.mark.parametrize(
    ("text", "wish", "left", "language"),
    [
        ("Tous les jours à 9 h : rappelle-moi de boire", ScheduleWish.REMIND, "boire", "fr"),
        ("Cada lunes a las 9, recuérdame que llame a Ana", ScheduleWish.REMIND, "llame a Ana", "es"),
        ("tous les jours à 8 h : supprime les vieux fichiers", ScheduleWish.ACT, None, "fr"),
        ("todos los días a las 8: borra los archivos", ScheduleWish.ACT, None, "es"),
        ("cada hora: ¿qué hay de nuevo?", ScheduleWish.ASK, None, "es"),
    ],
)
def test_french_and_spanish_wishes_are_told_apart(
    text: str, wish: ScheduleWish, left: str | None, language: str
) -> None:
    """As in the other languages; the last one is refused."""
    found = schedule_in(text, NOW)
    assert found is not None
    assert (found.wish, found.language) == (wish, language)
    assert left in (None, found.text)
    assert (found.refusal is not None) == (wish is ScheduleWish.ASK)


@pytest.fixture
def kept(paths: Paths, bus: Bus) -> Iterator[Reminders]:
    database = Database(paths.database, (*notes.MIGRATIONS, *reminders.MIGRATIONS))
    yield Reminders(database, bus, lambda: NOW)
    database.close()


def test_it_is_said_when_it_will_run(kept: Reminders) -> None:
    """In the language of the request, with the first date."""
    scheduling = Scheduling(kept, lambda: NOW)
    english = scheduling.schedule_question("what is in my notes for today?", "every weekday at 8")
    assert "every weekday (Monday to Friday) at 08:00" in english
    assert "Monday 23 November 2026, 08:00" in english
    german = scheduling.schedule_question("Was ist neu?", "jeden Montag um 9")
    assert "jeden Montag um 09:00" in german
    assert "Montag, 23. November 2026, 09:00 Uhr" in german
    assert [each.reminder.asks for each in kept.schedules()] == [True, True]


def test_what_comes_once_is_no_schedule(kept: Reminders) -> None:
    """The sentence says what to write instead."""
    with pytest.raises(UserFacing, match="one time only"):
        Scheduling(kept, lambda: NOW).schedule_question("what is new?", "tomorrow at 9")
    assert kept.schedules() == ()


@pytest.mark.parametrize("when", ["every Monday except in May", "whenever it rains"])
def test_what_is_not_understood_is_told_with_times_that_repeat(kept: Reminders, when: str) -> None:
    """Not with those of a reminder that comes once, which a schedule would refuse too."""
    with pytest.raises(UserFacing) as refused:
        Scheduling(kept, lambda: NOW).add("what is new?", when)
    assert refused.value.code == "time-unclear"
    assert "every weekday at 8" in refused.value.action


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("every friday at 5 in the afternoon clean the van filters", ScheduleWish.REMIND),
        ("jeden Samstag um 10 räume die Garage auf", ScheduleWish.REMIND),
        ("every friday at 5pm clean my downloads folder", ScheduleWish.ACT),
        ("jeden Montag um 9 leere den Papierkorb", ScheduleWish.ACT),
        ("every monday at 8 start the backup", ScheduleWish.ACT),
    ],
)
def test_chores_outside_the_computer_are_the_users(text: str, wish: ScheduleWish) -> None:
    """Steward reminds of them; what it could do by itself on a schedule it says that it does not."""
    found = schedule_in(text, NOW)
    assert found is not None
    assert found.wish is wish
