"""Events that are put into a calendar file, moved there or taken out of it: "put the chiropodist in my diary
for Tuesday at half past ten", "move the dentist to Friday at 11", "no, at 3".

What is to be done, when, and the words for it stand in the message: a small model that writes them into the
columns of a calendar gives an event an end that nobody said. So a verb in front says what is done, the time
at an edge is taken off as for a reminder, and what is left is what the event is called. Where no day is said
it is asked for, and an event that is not clearly meant is left alone. Nothing is changed here: what comes of
it are steps, each shown before it is made. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import TypeAlias

from desktop.chat.content_search import forms_of, shares
from desktop.chat.described_files import CALENDAR_NAMES, put_into
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import LANGUAGES, language_of, last_part, plain_letters, say
from desktop.chat.message_classes import without_courtesy
from desktop.chat.moved_reminders import time_instead
from desktop.chat.references import Past
from desktop.chat.reminder_intents import OF_REMINDERS
from desktop.chat.request_kinds import is_act
from desktop.chat.table_words import is_in
from desktop.errors import UserFacing
from desktop.tools.calendar_files import (
    DATE,
    END,
    START,
    SUMMARY,
    added_event,
    event_rows,
    event_with,
    events_in,
    is_calendar,
)
from desktop.tools.recurrence_phrases import read_when
from desktop.tools.tables import Table
from desktop.tools.time_phrases import Phrase, clock_of

LONGEST = 200  # characters of a message
MOST_WORDS = 30
MOST_OF_SUMMARY = 8  # words that an event is called by
MOST_GOING_ON = 12  # words of a message that goes on from the event before
MOST_TOLD = 6  # events of which one is meant
_MAY = (
    r"(?:(?:and|und|et|y|e|also|then|dann|ok(?:ay)?|now|hi|hello)\b[,\s]+)*"
    r"(?:(?:can|could|will|would) you |i(?:['’]d| would) like (?:you )?to |"
    r"(?:kannst|könntest|würdest|magst) du |(?:können|könnten|würden) sie |"
    r"(?:peux|pourrais)-tu |(?:pouvez|pourriez)-vous |(?:tu peux|vous pouvez) |"
    r"(?:me )?(?:puedes|podrías|puede|podría)(?: usted)? )?(?:mir |uns |me |m['’]|nous )?"
)
_MAY_BEFORE = re.compile(rf"\A{_MAY}", re.IGNORECASE)
# A time of the day as well, and what somebody is asked to.
_MEALS = frozenset(
    "breakfast brunch lunch tea dinner supper frühstück mittagessen abendessen déjeuner dîner desayuno "
    "almuerzo comida cena".split()
)
_ADDS = re.compile(
    rf"{_MAY}(?:put|add|enter|note|write|pencil|pop|stick|mark|schedule|log|jot|"
    r"trag\w*|schreib\w*|setz\w*|pack\w*|notier\w*|füg\w*|"
    r"r?ajoute[rz]?(?:-(?:moi|nous))?|mets|mettez|mettre|note[rz]?|inscri\w+|"
    r"añad[eaií]\w*|pon(?:me|er|nos|ga)?|apunt[ae]\w*|anot[ae]\w*|agreg[au]\w*|met[ea]\w*)(?!\w)"
    r"(?: (?:down|in|mir|uns|bitte))?\s+",
    re.IGNORECASE,
)
_IS_TO_ADD = re.compile(
    r"(?:(?:kannst|könntest|würdest|magst) du|(?:können|könnten|würden) sie)\s+"
    r"(?=.*\s(?:eintragen|hinzufügen|schreiben|setzen|aufnehmen|notieren|reinschreiben)\W*\Z)(?:mir |uns )?",
    re.IGNORECASE,
)
_ADD_ENDS = re.compile(
    r"\s+(?:ein|hinzu|rein|eintragen|hinzufügen|schreiben|setzen|aufnehmen|notieren|reinschreiben)\W*\Z",
    re.IGNORECASE,
)
_MOVES = re.compile(
    rf"{_MAY}(?:move|shift|change|push(?: back)?|reschedule|postpone|bring forward|"
    r"verschieb\w*|verleg\w*|leg\w*|änder\w*|"
    r"déplace[rz]?|décale[rz]?|change[rz]?|reporte[rz]?|repousse[rz]?|avance[rz]?|"
    r"mueve|mover|cambia\w*|pasa\w*|aplaza\w*|adelanta\w*|retrasa\w*)(?!\w)\s+",
    re.IGNORECASE,
)
_IS_MOVED = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been|got|been) )?(?:now |been )?"
    r"(?:moved|shifted|rescheduled|postponed|put (?:back|off)|brought forward)\b(?: to| until)?|"
    r"\b(?:ist|sind|wurde|wird)\b(?= .*\b(?:verschoben|verlegt)\b)|\b(?:verschoben|verlegt)(?: worden)?\b|"
    r"(?<!\w)(?:est|a été|sont|ont été) (?:déplacé|décalé|reporté|repoussé|avancé)e?s?\b|"
    r"\b(?:se ha|ha sido|está|es|han) (?:cambiad|aplazad|movid|pasad|adelantad)[oa]s?\b",
    re.IGNORECASE,
)
_GOES = re.compile(
    rf"{_MAY}(?:cancel|delete|remove|scrap|(?P<off>take|drop|strike|cross|nimm|nehm\w*|sag\w*)|"
    r"lösch\w*|streich\w*|entfern\w*|"
    r"supprime[rz]?|enlève[rz]?|enlever|retire[rz]?|annule[rz]?|efface[rz]?|"
    r"quita\w*|borra\w*|elimina\w*|cancela\w*|anula\w*|tacha\w*)(?!\w)\s+",
    re.IGNORECASE,
)
_GO_ENDS = re.compile(r"\s+(?:off|out|away|ab|raus|heraus|weg)\W*\Z", re.IGNORECASE)
_REMINDS = re.compile(
    r"\b(?:remind|erinner\w*|rappel\w*|recu[eé]rd\w+|avís\w+|weck\w*)\b",
    re.IGNORECASE,
)
_PLACED = (
    r"(?:in|into|to|on|onto|from|out of|off|of|ins?|im|auf|zu[mr]?|aus|vo[nm]|"
    r"dans|sur|de|du|en|a|à|au|al|del)"
)
_CALENDAR = (
    rf"(?:\s+{_PLACED})*(?:\s+(?:my|the|our|de[nmrl]|du|au|al|im|ins|zum|vom|die|das|meine?[nmrs]?|unsere?[nmrs]?|mon|ma|mes|notre|"
    r"nos|les?|la|el|los|las|mis?|nuestr[oa]s?)|\s+l['’])\s*(?:[\w-]+ )?" + CALENDAR_NAMES
)
_JOINS = r"(?:on|for|at|to|until|am|um|an|auf|le|la|el|a|à|au|de|que|para|pour|with the|that|is|now)"
_EDGES = re.compile(
    rf"\A(?:(?:{_JOINS}(?=\s)|l['’]|[,;:])\s*)+|(?:[\s,;:]+{_JOINS})*[\s,;:]*\Z", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"\A(?:an?|the|my|our|eine?[nrms]?|de[nrm]|die|das|meine?[nmrs]?|une?|les?|la|mon|ma|mes|un|una|el|los|"
    r"las|mis?)\s+|\Al['’]",
    re.IGNORECASE,
)
_CLOCK = r"(?:[01]?\d|2[0-4])(?:[:.h][0-5]\d)?\s?(?:[ap]\.?m\.?|uhr|h|heures?|horas)?"
_FROM_TILL = re.compile(
    rf"\b(?:from|between|von|zwischen|entre|de)\s+(?:las? )?(?P<first>{_CLOCK})\s*"
    rf"(?:to|till?|until|and|bis|und|à|a|y|et|[-–])\s*(?:las? )?(?P<last>{_CLOCK})(?!\w)",
    re.IGNORECASE,
)
_OF_HOURS = re.compile(r"\s?(?:uhr|h|heures?|horas)\Z", re.IGNORECASE)
_HALF_OF_DAY = re.compile(r"[ap]\.?m", re.IGNORECASE)
_AT = {"en": "at ", "de": "um ", "fr": "à ", "es": "a las "}
_SAID_AGAIN = re.compile(
    r"\A\W*(?:it(?:['’]s| is)|that(?:['’]s| is)|(?:es|das|sie|er) ist|c['’]est|es|será|on|am|le|el)\s+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _When:
    """What of a time was said: a day, an hour, an end."""

    day: date | None
    start: str = ""
    end: str = ""

    def cells(self) -> dict[str, str]:
        day = {DATE: self.day.isoformat()} if self.day is not None else {}
        return day | ({START: self.start} if self.start else {}) | ({END: self.end} if self.end else {})


@dataclass(frozen=True)
class _Event:
    """A row of a calendar in the file `name`."""

    name: str
    table: Table
    at: int

    @property
    def cells(self) -> Mapping[str, str]:
        return dict(zip(self.table.header, self.table.rows[self.at], strict=True))

    @property
    def told(self) -> str:
        return ", ".join(filter(None, self.table.rows[self.at]))

    def leaves_out(self, said: str) -> bool:
        """Whether `said` speaks of something else too: "the dentist letter"."""
        return any(not is_in(word, self.told) for word in forms_of(said))


_Act: TypeAlias = Callable[[_Event], IntentPlan | None]


@dataclass(frozen=True)
class CalendarRequests:
    """Of one turn. `around` is the workspace, `now` the user's time."""

    around: Surroundings
    past: Past
    now: datetime

    def plan(self, asked: str) -> IntentPlan | None:
        """What `asked` wants done with an event; None where it wants nothing that is clear of a calendar."""
        if len(asked) > LONGEST or "\n" in asked or not self._calendars:
            return None
        if _REMINDS.search(asked) or OF_REMINDERS.search(asked):
            return None
        language = language_of(asked)
        said = without_courtesy(asked).strip(" .!?")
        return (
            self._day_told(said, language)
            or self._going_on(said, language)
            or self._added(said, language)
            or self._moved(said, language)
            or self._gone(said, language)
        )

    @cached_property
    def _calendars(self) -> tuple[str, ...]:
        return tuple(each for each in self.around.files() if is_calendar(each))

    def _named(self, said: str) -> str:
        """The calendar that is spoken of; "" for none."""
        found = put_into(said, self.around.files())
        return found if found in self._calendars else ""

    def _without_calendar(self, said: str, name: str) -> str:
        stem = re.escape(last_part(name).rsplit(".", 1)[0])
        own = (
            rf"\s+{_PLACED}(?:\s+(?:the|my|our|de[nm]|die|das|meine?n?|mon|ma|la|le|el|mis?))?\s+{stem}(?!\w)"
        )
        bare = re.sub(own, " ", re.sub(_CALENDAR, " ", f" {said}", flags=re.IGNORECASE), flags=re.IGNORECASE)
        return " ".join(bare.split())

    # -- one more -----------------------------------------------------------------------------

    def _added(self, said: str, language: str) -> IntentPlan | None:
        name, verb = self._named(said), _adding(said)
        if not name or verb is None:
            return None
        what, when = self._new(said[verb.end() :], name, language)
        # A time that is none here comes again, or is past.
        is_other = when.day is None and any(
            self._time(what.split()[at:], language) for at in range(MOST_WORDS)
        )
        # "Add the fair, and tick the stall" is more than an event.
        if is_other or not forms_of(what) or len(what.split()) > MOST_OF_SUMMARY or is_act(what):
            return None
        return self._put(name, what, when, language)

    def _new(self, said: str, name: str, language: str) -> tuple[str, _When]:
        """What a new event is called, and its time."""
        what, when = self._parted(_ADD_ENDS.sub("", self._without_calendar(said, name)), language)
        return _ARTICLE.sub("", what), when

    def _put(self, name: str, what: str, when: _When, language: str) -> IntentPlan | None:
        table = event_rows(self.around.whole(name))
        if table is None:
            return None
        if when.day is None:
            return IntentPlan(language, (Step(text=say("day_of_event", language, a=what, b=name)),))
        cells = when.cells() | {SUMMARY: what[:1].upper() + what[1:]}
        event = added_event(table, [cells.get(column, "") for column in table.header])
        if event is None:
            return None
        last = table.lines[-1]
        return _replacing(language, name, last, f"{last}{table.newline}{event}")

    def _day_told(self, said: str, language: str) -> IntentPlan | None:
        """The event of the sentence before with its day, which was asked for."""
        before = without_courtesy(self.past.asked).strip(" .!?")
        verb, name = _adding(before), self._named(before)
        if verb is None or not name:
            return None
        what, _ = self._new(before[verb.end() :], name, language_of(before))
        asked = {say("day_of_event", each, a=what, b=name) for each in LANGUAGES}
        if self.past.text.strip() not in asked:
            return None
        when = self._when(_SAID_AGAIN.sub("", said), language)
        return self._put(name, what, when, language) if when is not None and when.day is not None else None

    # -- another time -------------------------------------------------------------------------

    def _going_on(self, said: str, language: str) -> IntentPlan | None:
        """Another day or hour for the event that the sentence before put there or moved."""
        event = self._touched()
        if event is None or len(said.split()) > MOST_GOING_ON:
            return None
        day = date.fromisoformat(event.cells[DATE])
        before = f"{day:%d %B %Y} at {event.cells[START]}" if event.cells[START] else f"{day:%d %B %Y}"
        later = time_instead(_MAY_BEFORE.sub("", said, count=1), before, language, self.around)
        when = self._read(later) if later else None
        return self._set(event, when, language) if when is not None else None

    def _touched(self) -> _Event | None:
        """The event of the last call, where that was about one."""
        last = self.past.calls[-1] if self.past.calls else None
        name = str(last.arguments.get("path", "")) if last is not None else ""
        if last is None or last.name != "replace_text" or name not in self._calendars:
            return None
        new = [each.text for each in events_in(str(last.arguments.get("new", ""))) if each is not None]
        table = event_rows(self.around.whole(name))
        if table is None or not new or new[-1] not in table.lines:
            return None
        return _Event(name, table, table.lines.index(new[-1]))

    def _moved(self, said: str, language: str) -> IntentPlan | None:
        verb = _MOVES.match(said)
        is_told = _IS_MOVED.search(said) is not None
        if verb is None and not is_told:
            return None
        bare = said[verb.end() :] if verb is not None else _IS_MOVED.sub(" ", said)
        name = self._named(said)
        bare = self._without_calendar(bare, name) if name else bare
        # "The Thursday class to 7 pm": a day may be part of what an event is called.
        called = self._called(bare, name)
        if len(called) == 1:
            called_so = re.compile(re.escape(called[0].cells[SUMMARY]), re.IGNORECASE)
            rest, when = self._parted(called_so.sub("it", bare), language)
            if not when.cells() or (not name and called[0].leaves_out(rest)):
                return None
            return self._set(called[0], when, language)
        what, when = self._parted(bare, language)
        if not when.cells():
            return None
        return self._of_one(what, name, language, lambda event: self._set(event, when, language))

    def _set(self, event: _Event, when: _When, language: str) -> IntentPlan | None:
        old = event.table.lines[event.at]
        new = event_with(old, when.cells())
        return _replacing(language, event.name, old, new) if new is not None and new != old else None

    # -- one less -----------------------------------------------------------------------------

    def _gone(self, said: str, language: str) -> IntentPlan | None:
        verb = _GOES.match(said)
        if verb is None:
            return None
        name = self._named(said)
        bare = _GO_ENDS.sub("", said[verb.end() :])
        # "Take the choir its music" takes nothing out, and "sag der Probe zu" even less.
        if verb["off"] and not name and bare == said[verb.end() :]:
            return None
        bare = self._without_calendar(bare, name) if name else bare
        what, _ = self._parted(bare, language)

        def without(event: _Event) -> IntentPlan:
            old = f"{event.table.lines[event.at]}{event.table.newline}"
            return _replacing(language, event.name, old, "")

        return self._of_one(what, name, language, without, bare)

    # -- which one ----------------------------------------------------------------------------

    def _of_one(self, what: str, name: str, language: str, act: _Act, beside: str = "") -> IntentPlan | None:
        """`act` on the one event that `what` means; where it is of several, which one is asked. Without the
        calendar `name` all its words have to be said, and nothing else of the user's may be called so.
        `beside` may have its day."""
        found = self._called(what, name)
        # "Cancel the dentist and book the hygienist" is more than an event.
        found = [each for each in found if name or not each.leaves_out(what)]
        days = self._days(beside, language) if len(found) > 1 else ()
        found = [each for each in found if each.cells[DATE] in days] or found
        if len(found) == 1:
            return act(found[0])
        if not found:
            return None
        rows = "; ".join(each.told for each in found[:MOST_TOLD])
        return IntentPlan(language, (Step(text=say("which_row", language, a=found[0].name, b=rows)),))

    def _called(self, what: str, name: str) -> list[_Event]:
        names = (name,) if name else self._calendars
        scored: list[tuple[float, _Event]] = []
        for each in names:
            table = event_rows(self.around.whole(each))
            for at in range(len(table.rows) if table is not None else 0):
                assert table is not None
                event = _Event(each, table, at)
                words = forms_of(event.cells[SUMMARY])
                said = [word for word in words if is_in(word, what)]
                if said and (name or len(said) == len(words)):
                    scored.append((len(said), event))
        most = max((score for score, _ in scored), default=0)
        found = [event for score, event in scored if score == most]
        return found if name or self._is_only_here(what) else []

    def _is_only_here(self, what: str) -> bool:
        """Whether no reminder and no other file has the words, as far as a calendar has."""
        forms = tuple(forms_of(what).values())
        texts = (plain_letters(text.casefold()) for _, text in self.around.reminders())
        if any(form.search(text) for text in texts for form in forms):
            return False
        having = shares(what, self.around)
        most = max(having.values(), default=0.0)
        return bool(most) and any(having.get(each, 0.0) == most for each in self._calendars)

    # -- when ---------------------------------------------------------------------------------

    def _parted(self, said: str, language: str) -> tuple[str, _When]:
        """What is left of a text without the time at its edges, and that time."""
        till = _FROM_TILL.search(said)
        end = ""
        if till is not None:
            first, end = self._first_and_last(till, language)
            said = f"{said[: till.start()]}{first}{said[till.end() :]}" if end else said
        words = said.split()[:MOST_WORDS]
        count = len(words)
        behind = next((at for at in range(1, count) if self._time(words[at:], language)), count)
        ahead = next((at for at in range(behind - 1, 0, -1) if self._time(words[:at], language)), 0)
        when = self._read(self._time([*words[:ahead], *words[behind:]], language))
        if when is None:
            ahead, when = 0, self._read(self._time(words[behind:], language)) or _When(None)
            behind = behind if when.cells() else count
        what = " ".join(words[ahead:behind])
        return _EDGES.sub("", what), _When(when.day, when.start, end if when.start else "")

    def _first_and_last(self, till: re.Match[str], language: str) -> tuple[str, str]:
        """The words for the first of two hours, and the last one as a cell; "" where it is none."""
        first, last = (_OF_HOURS.sub("", till[each].strip()) for each in ("first", "last"))
        half = _HALF_OF_DAY.search(last)
        first += half[0] if half is not None and not _HALF_OF_DAY.search(first) else ""
        exact, end = (each if re.search(r"[:.hm]", each) else f"{each}:00" for each in (first, last))
        clock = clock_of(f"at {end}")
        told = f"{clock.hour % 24:02d}:{clock.minute:02d}" if clock is not None else ""
        return f"{_AT[language]}{exact}", told

    def _time(self, words: Sequence[str], language: str) -> str:
        if not words or words[0].casefold() in _MEALS:
            return ""
        return self.around.time_in(" ".join(words).strip(" ,;."), language)

    def _when(self, said: str, language: str) -> _When | None:
        return self._read(self._time(said.split(), language))

    def _read(self, english: str) -> _When | None:
        """What a time says; None for one that comes again, is past, or is none."""
        if not english:
            return None
        try:
            moment = read_when(english, self.now, thorough=False)
        except UserFacing:
            return None
        if moment.repeats is not None:
            return None
        phrase = Phrase(english)
        phrase.read()
        has_hour = phrase.clock is not None or bool(phrase.part) or phrase.seconds is not None
        has_day = phrase.has_day or phrase.seconds is not None
        return _When(moment.at.date() if has_day else None, f"{moment.at:%H:%M}" if has_hour else "")

    def _days(self, said: str, language: str) -> tuple[str, ...]:
        _, when = self._parted(said, language)
        return (when.day.isoformat(),) if when.day is not None else ()


def _adding(said: str) -> re.Match[str] | None:
    return _ADDS.match(said) or _IS_TO_ADD.match(said)


def _replacing(language: str, name: str, old: str, new: str) -> IntentPlan:
    call = ParsedCall("replace_text", {"path": name, "old": old, "new": new})
    return IntentPlan(language, (Step(call),))
