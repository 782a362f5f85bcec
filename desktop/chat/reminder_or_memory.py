"""Whether "delete the Erinnerung for the MOT" means a reminder that is set or what is remembered.

German has one word for both, and "forget the dentist" may mean either. Where only one of the two fits it is
meant; where both do the user is asked, and nothing goes before that. Pure; any thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.intent_words import say
from desktop.chat.reasons import ChatReason
from desktop.chat.receipts import told_plan
from desktop.chat.rules import DirectAnswer
from desktop.memory.context import states_something
from desktop.memory.forgetting import ForgetPlan
from desktop.memory.item import Item, MemoryKind
from desktop.memory.memory import MemoryRequest
from desktop.memory.text import Vocabulary
from desktop.reasons import ENGLISH, GERMAN

SHOWN = 80  # characters of what is remembered
LONGEST_REPLY = 6  # words; what is longer asks for something else
_REMINDERS = re.compile(
    r"\b(?:reminders?|alarms?|timers?|first|erinnerung(?:en)?|wecker|gestellte?n?|erste[nrs]?)\b", re.I
)
_ALL = re.compile(r"\b(?:all|both|every|alle|beide)\b", re.I)
_NAMED = re.compile(r"\b(?:reminders?|erinnerung(?:en)?)\b", re.I)
_REMEMBERED = re.compile(
    r"\b(?:memor(?:y|ies)|remember(?:ed)?|know|second|gemerkte?[nrs]?|merkst|weißt|gedächtnis|zweite[nrs]?)\b",
    re.I,
)


def speaks_of_reminder(typed: str) -> bool:
    return _NAMED.search(typed) is not None


class Meant(Enum):
    REMINDERS = "reminders"
    REMEMBERED = "remembered"


@dataclass(frozen=True)
class Choice:
    """What the user was asked to choose between: `reminders`, by number and text, or what `wish` takes."""

    wish: MemoryRequest
    reminders: tuple[tuple[int, str], ...]

    def asked(self, remembered: Item) -> DirectAnswer:
        """The question, with one of what is remembered as an example."""
        texts = "”, “".join(text for _, text in self.reminders)
        if self.wish.german:
            texts = "“, „".join(text for _, text in self.reminders)
        said = " ".join(remembered.text.split())
        said = said if len(said) <= SHOWN else f"{said[:SHOWN].rstrip()} …"
        reason = ChatReason.REMINDER_OR_MEMORY.of(reminder=texts, memory=said)
        return DirectAnswer(text=reason.in_language(GERMAN if self.wish.german else ENGLISH))

    def cancelled(self) -> DirectAnswer:
        """The reminder goes, by a call like every other; of several that were not all meant none does."""
        if len(self.reminders) > 1 and _ALL.search(self.wish.text) is None:
            return DirectAnswer(text=say("which_reminder", "de" if self.wish.german else "en"))
        calls = tuple(
            ParsedCall("cancel_reminder", {"reminder": str(number)}) for number, _ in self.reminders
        )
        plan = IntentPlan("de" if self.wish.german else "en", tuple(Step(call) for call in calls))
        return DirectAnswer(calls=calls, tell_all=lambda ended: told_plan(plan, ended))


def chosen(reply: str) -> Meant | None:
    """Which of the two a short answer to the question names; None for any other message."""
    if len(reply.split()) > LONGEST_REPLY:
        return None
    reminders, remembered = _REMINDERS.search(reply), _REMEMBERED.search(reply)
    if (reminders is None) is (remembered is None):
        return None
    return Meant.REMINDERS if reminders else Meant.REMEMBERED


def remembered_by(plan: ForgetPlan, vocabulary: Vocabulary) -> Item | None:
    """The latest that a plan to forget takes and that states anything: the wish for a reminder is none."""
    stated = (
        item
        for item in reversed(plan.items)
        if item.kind is not MemoryKind.EPISODE or states_something(item.text, vocabulary)
    )
    return next(stated, None)
