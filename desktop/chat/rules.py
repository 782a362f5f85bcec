"""Answers that need no model: sums, units, dates, the time elsewhere, reminders, and pages to open.

A rule speaks only where it understands the whole of what was written. A sentence that merely holds numbers
is no sum: whatever is in doubt is left to the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from desktop.chat.formats.found import Found as Call
from desktop.chat.rule_dates import Dates
from desktop.chat.rule_sums import sum_in
from desktop.chat.ruled import Ruled
from desktop.errors import UserFacing
from desktop.tools.calculator import Calculator, shown
from desktop.tools.reminders import reminder_in
from desktop.tools.times import local_now, said

LONGEST = 200  # characters; more is a text, not a question of this kind


class Rule(StrEnum):
    """Which rule has answered."""

    SUM = "calculation"
    DATE = "date"
    NOW = "now"  # the time and the day here
    CLOCK = "clock"  # the time elsewhere
    REMINDER = "reminder"
    PAGE = "page"


@dataclass(frozen=True)
class RuleAnswer:
    """`text` is for the user. With a `tool` it is an offer: the tool does it, through the executor as always.

    With a `page` it is one, too: a window of ours to open.
    """

    rule: Rule
    text: str
    tool: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    page: str = ""

    @property
    def is_offer(self) -> bool:
        return bool(self.tool or self.page)


PAGES = {
    "settings": ("settings", "preferences", "options", "einstellungen"),
    "models": ("models", "the model list", "modelle"),
    "reminders": ("reminders", "erinnerungen"),
    "permissions": ("permissions", "grants", "berechtigungen"),
    "changes": ("changes", "aenderungen", "änderungen"),
    "log": ("log", "audit log", "protokoll"),
    "activity": ("activity", "aktivität"),
}
_PAGE_OF = {name: page for page, names in PAGES.items() for name in names}
_OPEN = re.compile(
    r"(?:please |bitte )?(?:open|show|go to|öffne|zeige?)\s+"
    r"(?:(?:me|mir|the|my|steward'?s?|die|meine|das|den)\s+)*(?P<page>[\w ]+?)(?:\s+(?:page|window|seite))?"
    r"(?: please| bitte)?[.!]?",
    re.IGNORECASE,
)


class Rules:
    """Pure but for the clock; any thread. An answer takes a few milliseconds at most."""

    def __init__(self, calculator: Calculator, now: Callable[[], datetime] = local_now) -> None:
        """`now` gives an aware time in the user's zone."""
        self._calculator = calculator
        self._now = now
        self._dates = Dates(calculator)

    def answer(self, text: str) -> RuleAnswer | None:
        """The answer to `text`, or None where the model has to be asked. Never raises."""
        question = " ".join(text.split())
        if not question or len(text) > LONGEST or "\n" in text.strip():
            return None
        for rule in (self._page, self._reminder, self._date, self._sum):
            found = rule(question)
            if found is not None:
                return found
        return None

    def ruled(self, text: str) -> Ruled | None:
        """The same for a turn of a conversation; pages are nothing that a turn can open."""
        found = self.answer(text)
        if found is None or found.page:
            return None
        if found.rule is Rule.NOW:  # a tool's answer, so that the conversation shows where it comes from
            return Ruled(
                Call("current_time"), found.text, lambda ended: found.text if ended.ok else ended.text
            )
        return Ruled(Call(found.tool, found.arguments)) if found.tool else Ruled(text=found.text)

    def _page(self, question: str) -> RuleAnswer | None:
        found = _OPEN.fullmatch(question)
        page = _PAGE_OF.get(found["page"].casefold()) if found else None
        return RuleAnswer(Rule.PAGE, f"Open {page}", page=page) if page else None

    def _reminder(self, question: str) -> RuleAnswer | None:
        now = self._now()
        found = reminder_in(question, now)
        if found is None:
            return None
        note = f" ({found.moment.note})" if found.moment.note else ""
        text = f"Remind you: {found.text}. {said(found.moment.at, now)}{note}"
        arguments = {"text": found.text, "when": found.when}
        return RuleAnswer(Rule.REMINDER, text, "set_reminder", arguments)

    def _date(self, question: str) -> RuleAnswer | None:
        now = self._now()
        here = self._dates.here(question, now)
        if here is not None:
            return RuleAnswer(Rule.NOW, here)
        elsewhere = self._dates.elsewhere(question, now)
        if elsewhere is not None:
            return RuleAnswer(Rule.CLOCK, elsewhere)
        day = self._dates.day(question, now)
        return RuleAnswer(Rule.DATE, day) if day is not None else None

    def _sum(self, question: str) -> RuleAnswer | None:
        found = sum_in(question)
        if found is None:
            return None
        try:
            value = self._calculator.value(found)
        except UserFacing:
            return None  # a word that is no unit, a sum that has no result: no business of a rule
        return RuleAnswer(Rule.SUM, f"{found} = {shown(value)}")
