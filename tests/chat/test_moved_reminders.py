"""What goes on from the reminder that was set last."""

from __future__ import annotations

import pytest

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.moved_reminders import time_like
from desktop.chat.references import Past
from tests.chat.test_follow_ups import REMINDED, Around, planned


@pytest.mark.parametrize(
    ("asked", "when"),
    [
        ("Could you make it half past two instead, please?", "tomorrow at 2:30"),
        ("no, quarter to ten rather", "tomorrow at 9:45"),
        ("make that a quarter to ten", "tomorrow at 9:45"),
        ("can we do twenty to three instead?", "tomorrow at 2:40"),
        ("make it ten", "tomorrow at 10:00"),
        ("make it noon", "tomorrow at 12:00 pm"),
        ("no, on Friday at the same time rather", "on Friday at 9"),
        ("lieber um halb drei", "tomorrow at 2:30"),
        ("nein, Viertel vor zehn", "tomorrow at 9:45"),
        ("mach halb drei draus", "tomorrow at 2:30"),
        ("kannst du es auf Viertel nach zehn legen?", "tomorrow at 10:15"),
        ("plutôt à dix heures et quart", "tomorrow at 10:15"),
        ("non, trois heures moins le quart", "tomorrow at 2:45"),
        ("plutôt midi", "tomorrow at 12:00 pm"),
        ("peux-tu le mettre à deux heures et demie ?", "tomorrow at 2:30"),
        ("mejor a las dos y media", "tomorrow at 2:30"),
        ("mejor al mediodía", "tomorrow at 12:00 pm"),
        ("¿puedes cambiarlo a las tres menos cuarto?", "tomorrow at 2:45"),
        # Behind what only tells why.
        ("Oh, my cousin visits us then. Could you make it half past two instead?", "tomorrow at 2:30"),
        ("Oh I forgot, school ends late – can you make it twenty to four?", "tomorrow at 3:40"),
        ("Oje, da kommt mein Bruder. Kannst du es auf halb drei legen?", "tomorrow at 2:30"),
        ("Désolée, j'ai un cours. Plutôt vers quatre heures et demie, merci", "tomorrow at 4:30"),
        ("Lo siento, no puedo. ¿Puedes cambiarlo a las cinco menos cuarto, por favor?", "tomorrow at 4:45"),
    ],
)
def test_a_reminder_is_moved_to_an_hour_in_words(asked: str, when: str) -> None:
    """It stays on the day that was meant."""
    assert planned(asked, Past(reminder=7, calls=(REMINDED,))) == [
        ("set_reminder", {"text": "call the bank", "when": when}),
        ("cancel_reminder", {"reminder": "7"}),
    ]


@pytest.mark.parametrize(
    "asked", ["Buy milk. Make it ten", "Is it at nine? Make it ten", "make it better", "make it a quarter"]
)
def test_what_orders_or_asks_something_else_moves_no_reminder(asked: str) -> None:
    """Half of an order is not left out, and what is no time moves nothing."""
    assert planned(asked, Past(reminder=7, calls=(REMINDED,))) == []


@pytest.mark.parametrize(
    ("text", "asked", "further", "when"),
    [
        (
            "heat the oven",
            "and on Friday at the same time to clean it",
            "clean the oven",
            "on Friday at 17:00",
        ),
        ("heat the oven", "and on Friday at noon to clean it", "clean the oven", "on Friday at noon"),
        ("wash the car", "and tomorrow at nine water the plants", "water the plants", "tomorrow at nine"),
        ("wash it", "and on friday at the same time to dry it", "dry it", "on friday at 17:00"),
        (
            "den Ofen zu heizen",
            "und am Freitag um dieselbe Zeit, dass ich ihn putze",
            "ich den Ofen putze",
            "am Freitag at 17:00",
        ),
        ("laver le linge", "et vendredi à la même heure de le sécher", "sécher le linge", "friday at 17:00"),
        (
            "riegue el jardín",
            "y el viernes a la misma hora que lo abone",
            "abone el jardín",
            "friday at 17:00",
        ),
        ("riegue el jardín", "y el viernes a las 9 abonarlo", "abonar el jardín", "friday at 9:00"),
    ],
)
def test_a_further_reminder_has_a_thing_of_its_own(text: str, asked: str, further: str, when: str) -> None:
    """The one before stays, and what its pronoun means is named."""
    before = ParsedCall("set_reminder", {"text": text, "when": "thursday at 17:00"})
    assert planned(asked, Past(reminder=7, calls=(before,))) == [
        ("set_reminder", {"text": further, "when": when})
    ]


@pytest.mark.parametrize(
    ("said", "before", "time"),
    [
        ("2:30", "tomorrow morning at 9", "tomorrow at 2:30"),
        ("6", "tomorrow morning at 9", "tomorrow morning at 6"),
        ("ten", "1 December 2026 09:15", "1 December 2026 10:00"),
        ("half past ten", "tomorrow at a quarter past nine", "tomorrow at 10:30"),
        ("friday", "tomorrow at a quarter past nine", "friday at 9:15"),
    ],
)
def test_an_hour_is_of_the_day_before_however_it_was_said(said: str, before: str, time: str) -> None:
    """The number of a day is no hour, and half past two is in no morning."""
    assert time_like(said, before, "en", Around()) == time
