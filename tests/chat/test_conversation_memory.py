"""Which of a reminder and what is remembered a wish to delete means, and how a choice is read."""

from __future__ import annotations

import pytest

from desktop.chat.conversation_memory import MemoryChoice, ReminderOrMemory, chosen
from desktop.chat.intents import Intents
from desktop.memory.memory import MemoryRequest, RequestKind
from tests.chat.test_reminder_intents import Reminded

MOT, MILK, OTHER_MOT = (1, "Auto zum TÜV bringen"), (2, "buy milk"), (3, "TÜV anrufen")


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("Lösch die Erinnerung für den TÜV", [1, 3]),
        ("Lösche bitte meine Erinnerung an den TÜV", [1, 3]),
        ("Streich die Erinnerung 2", [2]),
        ("Lösch alle Erinnerungen", [1, 2, 3]),
        ("forget the milk", [2]),
        ("forget the reminder to buy milk", [2]),
        ("annule le rappel pour milk", [2]),
        ("borra el recordatorio de milk", [2]),
        ("Lösch die Erinnerung an den Zahnarzt", []),
        ("Vergiss alles über den TÜV", []),
        ("Forget what I said about milk", []),
        ("Who reminds me of the TÜV?", []),
    ],
)
def test_reminders_that_a_wish_names(typed: str, numbers: list[int]) -> None:
    """By their words, number or all of them; none where it takes no reminder away."""
    named = Intents(Reminded(MOT, MILK, OTHER_MOT)).reminders_named(typed)
    assert [number for number, _ in named] == numbers


@pytest.mark.parametrize(
    ("reply", "meant"),
    [
        ("the reminder", ReminderOrMemory.REMINDERS),
        ("Die gestellte Erinnerung, bitte", ReminderOrMemory.REMINDERS),
        ("the first one", ReminderOrMemory.REMINDERS),
        ("what you remember", ReminderOrMemory.REMEMBERED),
        ("das Gemerkte", ReminderOrMemory.REMEMBERED),
        ("aus dem Gedächtnis", ReminderOrMemory.REMEMBERED),
        ("yes", None),
        ("the reminder and what you remember", None),
        ("Set a reminder for tomorrow at nine to buy milk", None),
        ("Wie wird das Wetter?", None),
    ],
)
def test_a_choice_is_read_from_a_short_reply(reply: str, meant: ReminderOrMemory | None) -> None:
    assert chosen(reply) is meant


@pytest.mark.parametrize(
    ("text", "reminders", "calls"),
    [
        ("den TÜV", (MOT,), ["1"]),
        ("den TÜV", (MOT, OTHER_MOT), []),  # of two nobody knows which
        ("alle Erinnerungen", (MOT, OTHER_MOT), ["1", "3"]),
    ],
)
def test_the_reminder_goes_by_a_call(
    text: str, reminders: tuple[tuple[int, str], ...], calls: list[str]
) -> None:
    done = MemoryChoice(MemoryRequest(RequestKind.FORGET, text, german=True), reminders).cancelled()
    assert [call.arguments["reminder"] for call in done.calls] == calls
    assert bool(done.text) is not bool(calls)
