"""What a request asks of reminders, read by tables: set, list, cancel, set for another time.

One language at a time; the words are in `resources/requests.toml`. Which reminder is meant is found by its
number, by all of its words, or because it was spoken of last; where that leaves several, it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlannedPart, PlanState, Step, Surroundings, planned
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    COUNTS,
    MAY_ACT,
    REPEATS,
    as_written,
    bare_of,
    say,
    stems,
    unquoted,
    words,
)
from desktop.chat.tool_choice import files_in
from desktop.tools.reminder_words import BEFORE_SOMETHING, HALF_OF_A_TIME
from desktop.tools.time_phrases import clock_in, clock_of

JOINS_TEXT = re.compile(
    r"(?:the|my|der|die|das|den|dem|mein|le|la|el|mon|ma|mi|to|that|about|for|of|an|ans|daran,?|dass|für|"
    r"de|que|pour|para|zu|and|und|et|y|an?|at|um|à|a|las?|ein|une?)",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(
    r"(?P<number>\d+(?:[.,:]\d+)?)(?P<about> (?:for|to|für|zum|zur|pour|para)\b.*)?", re.IGNORECASE
)
_UNIT = re.compile(
    r"\d[\d.,]*[ -]?(?P<unit>(?:s|sec\w*|sek\w*|seg\w*|min\w*|h|hours?|stunden?|heures?|horas?))(?!\w)",
    re.IGNORECASE,
)
_AT = re.compile(r"\b(?P<at>at|um|à|a las?) \d", re.IGNORECASE)
SHORTEST_STEM = 4  # letters that two forms of a word have in common
# An hour of a day or a span, and no mere number.
_CLOCK = re.compile(
    r"\b(?:at|um|gegen|by|à|a las?)\s+\d|\d\s*(?:am|pm|h|uhr|o['’]clock)\b|\d[:.]\d\d"
    r"|\d\s*(?:sec|min|sek|hour|stunde|heure|hora|seg)\w*",
    re.IGNORECASE,
)
_FROM_THERE = re.compile(
    r"(?:after|before|from) (?:that|this|it|then)\b|(?:danach|davor)\b|(?:d['’])?(?:après|avant)(?: ça)?$|"
    r"(?:después|antes) de (?:eso|esto)\b",
    re.IGNORECASE,
)
# A time that another reminder begins with; "the 10 o'clock call" is what one is about.
_OWN_TIME = re.compile(
    r"(?:at|on|in|um|am|à|a las?|le|el|tomorrow|tonight|today|next|morgen|heute|übermorgen|nächste\w*|demain|"
    r"ce soir|mañana|hoy|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|"
    r"mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)\b",
    re.IGNORECASE,
)
_SECOND_TIME = re.compile(r"(?:,|\b(?:and|und|et|y))\s+(?:at|um|à|a las?) \d", re.IGNORECASE)


# "Remind me of it tomorrow": of what was asked before.
_POINTS_BACK = re.compile(r"(?:daran|dran|dies\w*|it|that|this|them|ça|cela|eso|ello|esto)", re.IGNORECASE)
LONGEST_ABOUT = 80  # characters; a longer request is not what a reminder shows
# Of a day that was not named: "… the evening before at 8".
_DAY_BEFORE = re.compile(
    r"\b(?:the )?(?:day|evening|night) before(?=$|[\s,]+(?:at\b|\d))|"
    r"\b(?:am )?(?:tag|abend) (?:vorher|davor|zuvor)\b|\bam vorabend\b(?! d)|"
    r"\bla veille(?: au soir)?(?=$|[\s,]+à\b)|"
    r"\b(?:el día|la noche|la tarde) (?:antes|anterior)(?=$|[\s,]+a las?\b)",
    re.IGNORECASE,
)


OF_REMINDERS = re.compile(
    r"\b(?:reminders?|erinnerungen|erinnerung|rappels?|recordatorios?|avisos?|alarms?|alarmas?|wecker|timers?)\b",
    re.IGNORECASE,
)
# A time of day, or a span that has one.
_NAMES_HOUR = re.compile(
    r"\d:\d\d|\b(?:at|um|gegen|ab|à|vers|a las?|sobre las?) (?:\d|half|halb|one|two|ein|zwei|une|deux|dos|"
    r"tres)|"
    r"\d ?(?:am|pm|uhr|h|heures?|horas?|o'clock)\b|"
    r"\b(?:noon|midday|midnight|\w*morning|\w*evening|afternoon|tonight|\w*night|lunch\w*|hours?|minutes?|"
    r"mins?|hrs?|now|halb|viertel|\w*mittags?|\w*abends?|morgens|früh|\w*nacht|stunden?|minuten?|midi|minuit|"
    r"matin|soir|après-midi|nuit|heures?|mediodía|medianoche|tarde|noche|horas?|minutos?)\b",
    re.IGNORECASE,
)


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
        acted_on = {call.name for call in state.past.calls}
        is_other = bool(acted_on) and not acted_on & {"set_reminder", "list_reminders", "cancel_reminder"}
        if "it" in said and (not state.past.reminder or is_other):
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

    def named(self, said: Mapping[str, str]) -> list[tuple[int, str]]:
        """Those that a wish to cancel names: by number, by their words, or all of them."""
        found = self.around.reminders()
        if "number" in said:
            return [each for each in found if each[0] == int(said["number"])]
        if "it" in said:
            return []
        if "all" in said or not stems(self._named(said)):
            return list(found)
        fitting = self._fitting(said, found)
        return [each for each in found if each[0] in fitting]

    def remind(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """A reminder, alarm or timer, with its time before or behind what it is about."""
        if "when" in said:
            if not self.around.time_in(said["when"].rstrip(","), self.language):
                return None
            said = {**said, "rest": f"{said['when'].rstrip(',')} {said['what']}"}
        if re.match(BEFORE_SOMETHING, said["rest"], re.IGNORECASE) or _DAY_BEFORE.search(said["rest"]):
            return PlannedPart((Step(text=self.say("which_day")),), state)
        if "kind" in said and (several := self._and_another(said, state)) is not None:
            return several
        # "10-Minuten-Timer" counts ten minutes.
        spoken = re.sub(r"(?<=\d)-(?=[^\W\d])", " ", said["rest"]).split()
        for time, text, is_behind in self._cut(spoken):
            # "The monday after that" is another day, and "after that" nothing to be reminded of.
            if _FROM_THERE.match(text):
                return None
            about = _spelled_out(self._about(text), state) or said.get("kind", "") or "⏰"
            both = self._two(about, time, state) if not is_behind else None
            # A bare number is a time that was not understood, and nothing to be reminded of.
            holds_more = has_another_act(about, self.language) or self._holds_another(about, is_behind)
            if both is not None or about.isdigit() or holds_more:
                return both
            if not HALF_OF_A_TIME.search(about):
                when = self._on_its_day(time, state)
                call = ParsedCall("set_reminder", {"text": about, "when": when})
                return planned([call], replace(state, reminded=when))
        # Set once it would be shown once, and somebody would rely on it.
        if REPEATS.search(said["rest"]):
            return PlannedPart((Step(text=self.say("no_repeats")),), state)
        return None

    def _two(self, about: str, time: str, state: PlanState) -> PlannedPart | None:
        """Two reminders, where behind a joint another time stands first: "tomorrow at 7 get diesel, and on
        thursday at 8 call Paco"; None for one."""
        for joint in words("joins", self.language).finditer(about):
            first, right = about[: joint.start()].strip(" ,."), about[joint.end() :].strip()
            if not first or not _begins_with_time(right):
                continue
            cut = next((each for each in self._cut(right.split()) if not each[2] and each[1]), None)
            second = self._about(cut[1]) if cut is not None else ""
            if not second or cut is None:
                continue
            when = self._on_its_day(time, state)
            then = self._on_its_day(cut[0], replace(state, reminded=when))
            calls = [
                ParsedCall("set_reminder", {"text": text, "when": at})
                for text, at in ((first, when), (second, then))
            ]
            return planned(calls, replace(state, reminded=then))
        return None

    def remind_several(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """As many as the request says, each with its own time; a bare number is of the unit said beside it:
        "one for 5 minutes and one for 12"."""
        parts = [each for each in words("joins", self.language).split(said["rest"]) if each.strip()]
        parts = [words("each_one", self.language).sub("", each.strip(), count=1) for each in parts]
        count = said.get("count", "")
        if len(parts) < 2 or (count and str(COUNTS.get(count.casefold(), count)) != str(len(parts))):
            return None
        calls = []
        for part in parts:
            found = next(self._cut(_with_unit(part, parts).split()), None)
            about = self._about(found[1]) if found is not None else ""
            if found is None or has_another_act(about, self.language) or HALF_OF_A_TIME.search(about):
                return None
            when = self._on_its_day(found[0], state)
            state = replace(state, reminded=when)
            calls.append(ParsedCall("set_reminder", {"text": about or said["kind"], "when": when}))
        return planned(calls, state)

    def _and_another(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """ "A timer for 5 minutes and one for 12": each part but the first says that it is another one."""
        parts = [each for each in words("joins", self.language).split(said["rest"]) if each.strip()]
        another = words("another_reminder", self.language)
        if len(parts) < 2 or not all(another.match(each) for each in parts[1:]):
            return None
        return self.remind_several(said, state)

    def remind_more(self, said: Mapping[str, str], state: PlanState) -> PlannedPart | None:
        """Another one, where a reminder was what went before; a bare number is of that one's unit: "and one
        for 25" behind a timer of ten minutes."""
        if not (state.past.reminder or state.reminded):
            return None
        rest = words("each_one", self.language).sub("", said["rest"].strip(), count=1)
        last = next((each for each in reversed(state.past.calls) if each.name == "set_reminder"), None)
        if last is not None and _BARE_NUMBER.fullmatch(rest):
            when = str(last.arguments["when"])
            said = {"kind": str(last.arguments["text"]), **said, "rest": _with_unit(rest, (rest, when))}
        return self.remind(said, state)

    def _cut(self, spoken: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
        """A time at one end, as a reminder takes it, the rest, and whether the time stands behind. The
        longest time first: "tomorrow at 9" and not "9" alone."""
        for size in range(len(spoken), 0, -1):
            for when, text in ((spoken[:size], spoken[size:]), (spoken[-size:], spoken[:-size])):
                # "In 2 hours to" has a word of the text.
                if JOINS_TEXT.fullmatch(when[-1]) is None and (
                    time := self.around.time_in(" ".join(when).rstrip(","), self.language)
                ):
                    yield time, " ".join(text), text == spoken[:-size]

    def _holds_another(self, about: str, is_behind: bool) -> bool:
        """Whether the text of a reminder goes on to another one, with a time of its own: "… to call mum and
        another for 8pm to take pills"; where the time stands behind, "call mum at 6 and take the pills"."""
        if _SECOND_TIME.search(about):
            return True
        about = f" {about}"  # what is left may begin with the joint
        for joint in words("joins", self.language).finditer(about):
            left, right = about[: joint.start()], about[joint.end() :]
            another = words("another_reminder", self.language).match(right)
            if another is not None:
                rest = next(iter(self._cut(right[another.end() :].split())), None)
                if rest is not None and (another["sure"] or (rest[1] and _CLOCK.search(right))):
                    return True
            if is_behind and _CLOCK.search(left) and any(self._cut(left.split())):
                return True
        return False

    def _on_its_day(self, time: str, state: PlanState) -> str:
        """The second of two on one day need not name it again: "tomorrow at 6 …, and another at 8"."""
        days = words("days", "en")
        day = days.search(state.reminded)
        if day is None or days.search(time) or _CLOCK.search(time) is None:
            return time
        whole = f"{day[0]} {time}"
        return whole if self.around.time_in(whole, "en") else time

    def _about(self, text: str) -> str:
        joins = r"(?:to|that|about|for|of|an|ans|daran,?|dass|für|zu|de|d['’]|que|qu['’]|pour|para)"
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
        nth = self._nth({"what": what}, state, found) if what and not is_it else None
        numbers = [nth] if nth is not None else self._reminders_meant(meant, state, found)
        if len(numbers) != 1:
            return None
        # "Move them to photos" names a place and no time.
        later = shifted(said["when"], self.around.due(numbers[0]))
        said = {**said, "when": later or said["when"]}
        time = self.around.time_in(said["when"], "en" if later else self.language)
        # An hour alone would be today's, whatever day the reminder is for.
        due = self.around.due(numbers[0]) if clock_of(time) is not None else None
        if due is not None and (whole := self.around.time_in(f"{_as_date(due)} at {time}", "en")):
            said, time = {**said, "when": whole}, whole
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
        # Of two that were set one after the other, "the second one" is of both.
        several = len(latest) if len(latest) > 1 else len(found)
        numbers = [str(number) for number, _ in found][-several:] if latest else []
        counted = self.slots.nth(said.get("it", said.get("what", "")), numbers)
        return int(counted) if counted is not None else None

    def _named(self, said: Mapping[str, str]) -> str:
        return self.slots.without_the(unquoted(said.get("what", "")))

    def _fitting(self, said: Mapping[str, str], found: Sequence[tuple[int, str]]) -> list[int]:
        """The reminders that have all words by which one is named."""
        named = stems(self._named(said))
        whole = [number for number, text in found if named and named <= stems(text)]
        return whole or [number for number, text in found if named and _has_forms_of(named, stems(text))]


def at_its_hour(plan: IntentPlan, asked: str, around: Surroundings) -> IntentPlan:
    """`plan` for the message `asked`, where it sets a reminder anew that it cancels, for a day without an
    hour: "make it friday". The hour stays as it was, and "every friday" comes again. Set for the moment that
    it has already it would be the same one, and go with the old: then that is told, and nothing done."""
    gone = [str(call.arguments.get("reminder", "")) for call in plan.calls if call.name == "cancel_reminder"]
    steps = list(plan.steps)
    for at, step in enumerate(steps):
        given = (
            {key: str(value) for key, value in step.call.arguments.items()} if step.call is not None else {}
        )
        same = [n for n, text in around.reminders() if str(n) in gone and text == given.get("text")]
        due = around.due(same[0]) if len(same) == 1 else None
        if step.call is None or step.call.name != "set_reminder" or due is None:
            continue
        when = given.get("when", "")
        time = around.time_in(when, plan.language)
        if time and not _NAMES_HOUR.search(time) and clock_in(time) is None:
            when = f"{time} at {due:%H:%M}"
        if time and REPEATS.search(asked) and not REPEATS.search(when):
            when = next((each for each in (f"every {when}",) if around.time_in(each, "en")), when)
        english = around.time_in(when, plan.language) or when
        if not REPEATS.search(when) and around.is_due_at(same[0], english):
            told = Step(text=say("set_for_then", plan.language))
            return replace(plan, steps=(told, *(each for each in plan.steps if each.call is None)))
        steps[at] = replace(step, call=ParsedCall("set_reminder", {**step.call.arguments, "when": when}))
    return replace(plan, steps=tuple(steps))


def _spelled_out(about: str, state: PlanState) -> str:
    """The request before in place of a word that points back to it; "" where that is too long to be shown."""
    if _POINTS_BACK.fullmatch(about) is None:
        return about
    # "Put in notes.txt: the plumber comes on Thursday", "and remind me of that": what was written down.
    (last, *_) = (*reversed(state.past.calls), None)
    written = str(last.arguments.get("text", "")).strip() if last and last.name == "append_text" else ""
    asked = written or state.past.asked
    return asked.strip(" .!") if len(asked) <= LONGEST_ABOUT and "\n" not in asked else ""


def _with_unit(part: str, parts: Sequence[str]) -> str:
    """A bare number with the unit of the parts beside it, or as a time of the day where they are."""
    bare = _BARE_NUMBER.fullmatch(part)
    if bare is None:
        return part
    beside = " ".join(parts)
    unit, at = _UNIT.search(beside), _AT.search(beside)
    if unit is not None and ":" not in bare["number"]:
        return f"{bare['number']} {unit['unit']}{bare['about'] or ''}"
    return f"{at['at']} {part}" if at is not None else part


def has_second_time(about: str, language: str) -> bool:
    """Whether a part of a reminder's text begins with a time: "get diesel and on thursday at 8 call Paco"."""
    return any(map(_begins_with_time, words("joins", language).split(about)[1:]))


def _begins_with_time(part: str) -> bool:
    return bool(_OWN_TIME.match(part) and _CLOCK.search(part))


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


# -- by how much one is moved ------------------------------------------------------------------

# A reminder that is moved by so much: "an hour later", "push it back a day", "eine Stunde früher".
#
# How far is read here and added to the time that it has: a model that is told the time gets the sum
# wrong. Pure functions; any thread.

_ONE = "a an one eine einen einer un une una uno"
_TWO = "two zwei deux dos"
_THREE = "three drei trois tres"
_HALVES = ("half an", "half a", "eine halbe", "une demi", "media")
_AMOUNTS = {
    **dict.fromkeys(_ONE.split(), 1.0),
    **dict.fromkeys(_TWO.split(), 2.0),
    **dict.fromkeys(_THREE.split(), 3.0),
    **dict.fromkeys(_HALVES, 0.5),
}
_UNIT_MINUTES = (
    (r"min(?:ute[ns]?|utos?)?", 1),
    (r"(?:hours?|stunden?|heures?|horas?|h)", 60),
    (r"(?:days?|tage?|jours?|días?)", 60 * 24),
    (r"(?:weeks?|wochen?|semaines?|semanas?)", 60 * 24 * 7),
)
SPAN = re.compile(
    rf"(?P<amount>\d+|{'|'.join(sorted(_AMOUNTS, key=len, reverse=True))})[ -]?"
    rf"(?P<unit>{'|'.join(unit for unit, _ in _UNIT_MINUTES)})\b",
    re.IGNORECASE,
)
_EARLIER = """
    earlier sooner forward früher vor eher tôt avance avance-le antes adelanta adelántalo
"""
_LATER = """
    later back push postpone delay snooze später nach hinten verschieb verschiebe tard repousse repousse-le
    décale décale-le recule tarde después retrasa retrásalo pospón posponlo aplaza aplázalo
"""
_BESIDE = """
    move shift put make set bring remind me it that this one by to the and please actually no reminder es das
    die sie um mach mache setz setze stell stelle leg lege bitte doch lieber erinner erinnere mich eigentlich
    nein erinnerung rather better instead plutôt mejor
    le la ça de d' plus d'une mets-le fais-le rappelle-moi finalement non rappel más lo ponlo
    hazlo muévelo un una en recordatorio
"""
_EARLIER_WORDS, _LATER_WORDS = frozenset(_EARLIER.split()), frozenset(_LATER.split())
_KNOWN_WORDS = _EARLIER_WORDS | _LATER_WORDS | frozenset(_BESIDE.split())
# Not by the system's language, in which a reminder would not understand it.
_MONTH_NAMES = "January February March April May June July August September October November December"
_MONTHS = tuple(_MONTH_NAMES.split())


_A_DAY_BEFORE = re.compile(
    r"\b(?:the )?(?:(?P<day>day)|evening|night) before\b|"
    r"\b(?:am )?(?:(?P<tag>tag)|abend|vorabend)(?: vorher| davor| zuvor)\b|\bam vorabend\b|"
    r"\bla veille(?P<veille> au soir)?|\b(?:(?P<dia>el día)|la noche|la tarde) (?:antes|anterior)\b|"
    r"\bla víspera\b",
    re.IGNORECASE,
)
_SHIFT_CLOCK = re.compile(
    r"(?:\bat |\bum |(?<!\w)à |\ba las? )?\b(?P<hour>\d{1,2})(?:[:.h](?P<minutes>\d{2}))?"
    r"(?:\s*(?P<half>am|pm)|\s*uhr|\s*h)?\b",
    re.IGNORECASE,
)
_NOON = 12


def _day_before(asked: str, due: datetime) -> str:
    """The time on the day before, "lieber schon am Abend vorher um 19 Uhr", with the hour that it names or
    else the same; "" where it says anything else."""
    found = _A_DAY_BEFORE.search(asked)
    if found is None:
        return ""
    beside = f"{asked[: found.start()]} {asked[found.end() :]}"
    clock = _SHIFT_CLOCK.search(beside)
    left = _SHIFT_CLOCK.sub(" ", beside, count=1) if clock is not None else beside
    if (
        set(re.findall(r"[^\W\d_][\w'’-]*", left.casefold()))
        - _KNOWN_WORDS
        - {"schon", "already", "déjà", "ya"}
    ):
        return ""
    day = due - timedelta(days=1)
    if clock is None:
        return as_time(day)
    hour, half = int(clock["hour"]), (clock["half"] or "").casefold()
    is_evening = (
        not any(found[each] for each in ("day", "tag", "dia")) and "veille" not in found[0].casefold()
    )
    is_late = half == "pm" or (not half and (is_evening or bool(found["veille"])))
    hour += _NOON if is_late and hour < _NOON else 0
    if hour > 23 or int(clock["minutes"] or 0) > 59:
        return ""
    return as_time(day.replace(hour=hour, minute=int(clock["minutes"] or 0)))


def shifted(asked: str, due: datetime | None) -> str:
    """The time that `asked` moves a reminder to that is due at `due`, in words that a reminder takes; ""
    where it says anything else. One that has passed is refused when it is set."""
    if due is not None and (before := _day_before(asked, due)):
        return before
    found = SPAN.search(asked)
    if due is None or found is None:
        return ""
    beside = f"{asked[: found.start()]} {asked[found.end() :]}".casefold()
    rest = set(re.findall(r"[^\W\d_][\w'’-]*", beside))
    ways = rest & (_EARLIER_WORDS | _LATER_WORDS)
    if not ways or rest - _KNOWN_WORDS:
        return ""
    said = found["amount"].casefold()
    minutes = next(per for unit, per in _UNIT_MINUTES if re.fullmatch(unit, found["unit"], re.IGNORECASE))
    by = timedelta(minutes=minutes * (_AMOUNTS[said] if said in _AMOUNTS else int(said)))
    moved = due - by if ways & _EARLIER_WORDS else due + by
    return as_time(moved)


def as_time(moment: datetime) -> str:
    """`moment` in words that a reminder takes."""
    return f"{_as_date(moment)} {moment:%H:%M}"


def _as_date(moment: datetime) -> str:
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
