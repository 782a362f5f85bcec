"""What a request asks of reminders, read by tables: set, list, cancel, set for another time.

One language at a time; the words are in `resources/requests.toml`. Which reminder is meant is found by its
number, by all of its words, or because it was spoken of last; where that leaves several, it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import PlannedPart, PlanState, Step, Surroundings, planned
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import MAY_ACT, REPEATS, as_written, bare_of, stems, unquoted, words
from desktop.chat.reminder_shifts import as_time
from desktop.chat.request_parts import files_in
from desktop.tools.reminder_words import BEFORE_SOMETHING, HALF_OF_A_TIME

_JOINS_TEXT = re.compile(
    r"(?:the|my|der|die|das|den|dem|mein|le|la|el|mon|ma|mi|to|that|about|for|of|an|ans|daran,?|dass|für|de|que|pour|para|zu)",
    re.IGNORECASE,
)
SHORTEST_STEM = 4  # letters that two forms of a word have in common
_SECOND_TIME = re.compile(r"(?:,|\b(?:and|und|et|y))\s+(?:at|um|à|a las?) \d", re.IGNORECASE)


@dataclass(frozen=True)
class ReminderReading:
    """The acts on reminders, each for the words that its expression found. `say` gives a sentence by its key
    in the request's language. Any thread.
    """

    around: Surroundings
    language: str
    slots: Slots
    say: Callable[[str], str]

    def all(self, _said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        return planned([ParsedCall("list_reminders", {})], state, changes=False)

    def cancel(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        found = self.around.reminders()
        if (nth := self._nth(said, state, found)) is not None:
            return planned([ParsedCall("cancel_reminder", {"reminder": str(nth)})], state)
        # "Cancel it" of something else is no business of reminders.
        if "it" in said and not state.past.reminder:
            return None
        # "Forget the last sentence" names no reminder; only one that is there makes it mean one.
        if "unsaid" in said and not self._fitting(said, found):
            return None
        if not found:
            return PlannedPart((Step(text=self.say("no_reminders")),), state)
        numbers = self._reminders_meant(said, state, found)
        if not numbers:
            return PlannedPart((Step(text=self.say("which_reminder")),), state)
        calls = [ParsedCall("cancel_reminder", {"reminder": str(each)}) for each in numbers]
        return planned(calls, state)

    def remind(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """A reminder, alarm or timer, with its time before or behind what it is about."""
        if re.match(BEFORE_SOMETHING, said["rest"], re.IGNORECASE):
            return PlannedPart((Step(text=self.say("which_day")),), state)
        # "10-Minuten-Timer" counts ten minutes.
        spoken = re.sub(r"(?<=\d)-(?=[^\W\d])", " ", said["rest"]).split()
        # The longest time first: "tomorrow at 9" and not "9" alone.
        for size in range(len(spoken), 0, -1):
            for when, text in ((spoken[:size], spoken[size:]), (spoken[-size:], spoken[:-size])):
                if _JOINS_TEXT.fullmatch(when[-1]):
                    continue  # "in 2 hours to" has a word of the text
                time = self.around.time_in(" ".join(when), self.language)
                about = self._about(" ".join(text)) or said.get("kind", "") or "⏰"
                if has_another_act(about, self.language):
                    return None
                # "… to buy bread and at 8 to …" are two of them.
                if _SECOND_TIME.search(about):
                    return None
                if time and not HALF_OF_A_TIME.search(about):
                    call = ParsedCall("set_reminder", {"text": about, "when": time})
                    return planned([call], state)
        # Set once it would be shown once, and somebody would rely on it.
        if REPEATS.search(said["rest"]):
            return PlannedPart((Step(text=self.say("no_repeats")),), state)
        return None

    def remind_more(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Another one, where a reminder was what went before."""
        return self.remind(said, state) if state.past.reminder else None

    def _about(self, text: str) -> str:
        joins = r"(?:to|that|about|for|of|an|ans|daran,?|dass|zu|de|d['’]|que|qu['’]|pour|para)"
        return re.sub(
            rf"^(?:{joins}(?:\s+|(?<=['’])))+|\s+{joins}$", "", text.strip(" ,:"), flags=re.IGNORECASE
        )

    def reschedule(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Set anew for another time, then the old one goes: a time that cannot be read loses nothing."""
        found = self.around.reminders()
        what = said.get("what", "")
        is_it = bool(what) and self.slots.is_it(what)
        if not found or (is_it and not state.past.reminder):
            return None
        meant = {"it": what} if is_it else {"what": what} if what else {}
        numbers = self._reminders_meant(meant, state, found)
        if len(numbers) != 1:
            return None
        # "Move them to photos" names a place and no time.
        time = self.around.time_in(said["when"], self.language)
        # The same one set again is the same one, and would go with the old.
        if not time or self.around.is_due_at(numbers[0], time):
            return None
        text = dict(found)[numbers[0]]
        calls = [
            ParsedCall("set_reminder", {"text": text, "when": said["when"]}),
            ParsedCall("cancel_reminder", {"reminder": str(numbers[0])}),
        ]
        return planned(calls, state)

    def _reminders_meant(
        self, said: Mapping[str, str], state: PlanState, found: Sequence[tuple[int, str]]
    ) -> list[int]:
        if "number" in said:
            return [number for number, _ in found if number == int(said["number"])]
        if "all" in said:
            return [number for number, _ in found]
        if "it" in said:
            return [number for number, _ in found if number == state.past.reminder]
        if not stems(self._named(said)):
            return [found[0][0]] if len(found) == 1 else []
        fitting = self._fitting(said, found)
        return fitting if len(fitting) == 1 else []

    def _nth(self, said: Mapping[str, str], state: PlanState, found: Sequence[tuple[int, str]]) -> int | None:
        """The one that "the second one" means of those that were set last; None for other words."""
        latest = [call for call in state.past.calls if call.name == "set_reminder"]
        numbers = [str(number) for number, _ in found][-len(latest) :] if latest else []
        counted = self.slots.nth(said.get("it", said.get("what", "")), numbers)
        return int(counted) if counted is not None else None

    def _named(self, said: Mapping[str, str]) -> str:
        return self.slots.without_the(unquoted(said.get("what", "")))

    def _fitting(self, said: Mapping[str, str], found: Sequence[tuple[int, str]]) -> list[int]:
        """The reminders that have all words by which one is named."""
        named = stems(self._named(said))
        whole = [number for number, text in found if named and named <= stems(text)]
        return whole or [number for number, text in found if named and _has_forms_of(named, stems(text))]


def has_another_act(about: str, language: str) -> bool:
    """Whether a part of a reminder's text is none of it: "… to buy bread and note 'x' in dates.txt"."""
    parts = words("joins", language).split(about)[1:]
    return any(files_in(each) and MAY_ACT.match(bare_of(each, language)) for each in parts)


def reworded(number: int, words: tuple[str, str] | None, around: Surroundings) -> tuple[ParsedCall, ...]:
    """The calls that give a reminder another word for one of its own; () where it has none, or repeats."""
    text, due = dict(around.reminders()).get(number, ""), around.due(number)
    old = as_written(words[0], text) if words is not None else ""
    if words is None or not old or due is None or text.count(old) != 1:
        return ()
    anew = ParsedCall("set_reminder", {"text": text.replace(old, words[1]), "when": as_time(due)})
    # Set first, then the old one goes: what is refused loses nothing.
    return (anew, ParsedCall("cancel_reminder", {"reminder": str(number)}))


def _has_forms_of(words: Iterable[str], said: Iterable[str]) -> bool:
    """Whether each of `words` is another form of one that was said: the ironing, to iron."""
    return all(
        any(
            min(len(one), len(word)) >= SHORTEST_STEM and (one.startswith(word) or word.startswith(one))
            for one in said
        )
        for word in words
    )
