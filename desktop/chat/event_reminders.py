"""Reminders that are told from an event: "remind me 3 days before the dock deposit is due".

The rule reads how long before (`reminder_words.py`), and the rest describes the event. The program finds
what the user's own files and reminders say is on a day, and takes the one that has the words of the
description. Of a few that have them about equally the model says which is likeliest; where that is not clear
the user is asked. No date is ever written by a model, and where none is found, or it is over, nothing is set
and that is said.

No file is read for any other message: `MAY_BE_TOLD_FROM_EVENT` tells them apart. Any thread; blocks while
PDFs and the model read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cache, lru_cache

import structlog

from desktop.chat.content_search import DOCUMENTS, MOST_BYTES, MOST_DOCUMENTS, MOST_FILES, forms_of
from desktop.chat.described_files import CLEAR, NONE, OVER_NONE_TO_CHANGE, likely_of
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import bare_of, in_writing, last_part, likely_languages, say, words
from desktop.chat.orders import is_order
from desktop.chat.prompts import behind_examples
from desktop.chat.references import Past
from desktop.chat.reminder_intents import as_time
from desktop.chat.tool_args import Submit
from desktop.engine.requests import GenerateRequest, Message
from desktop.errors import UserFacing
from desktop.reasons import ENGLISH
from desktop.tools.dated_entries import DatedEntry, dated_in
from desktop.tools.periods import Period, periods_in
from desktop.tools.recurrence_phrases import may_repeat
from desktop.tools.reminder_words import Offset, offset_in
from desktop.tools.table_queries import is_in
from desktop.tools.text import folded_letters
from desktop.tools.time_phrases import PART, Phrase
from desktop.tools.time_translations import in_english, in_language
from desktop.tools.times import USUAL_HOUR, full_date, read_time

log = structlog.get_logger(__name__)

CONVERSATION = "events"  # of all chats: what stands before the list is always the same
LONGEST = 240  # characters of a message
MOST_WORDS = 8  # that describe an event; more is a sentence of another kind
MOST_WEIGHED = 4  # that the model, or the user, is asked about
# Of a word that stands in the row or sentence itself, in the name of its file, and around it.
OWN, NAMED, BESIDE = 1.0, 0.75, 0.5
FOR_COLUMN = 1.0  # for the column of the day, where the description has its name
FOR_END = 0.5  # for the last day of a period, where the description says that something ends, or the first
MARGIN = 0.4  # by which one is clearly ahead: a word in the name of a file is no more than one in a row
LEAST_COVERED = 0.5  # of the words, for what is asked about

_VERB_WORDS: Mapping[str, str] = {
    "en": r"(?:remind|ping|nudge|alert|notify|warn|wake)(?: me| us)(?: up)?|"
    r"(?:set|give|make|add|create|put on)(?: me)? an? (?:reminder|alarm|heads[- ]?up|nudge|ping)(?: for)?",
    "de": r"(?:er+in+ere?|weck|wecke|warn|warne) (?:mich|uns)|(?:sag|gib) (?:mir|uns)|"
    r"(?:stell|setz|mach)e?(?: mir)? (?:eine|einen|ne|nen) (?:erinnerung|wecker)(?: fur)?",
    "fr": r"(?:rap+el+e[sz]?|rap+el+es?|previens|prevenez|avertis|reveille)[- ]moi|"
    r"(?:mets|programme|cree)(?:[- ]moi)? un (?:rappel|reveil)(?: pour)?",
    "es": r"(?:recuerd[ae]me|avisame|aviseme|despiertame|acuerdame)|"
    r"(?:pon|ponme|crea|programa) (?:un|una) (?:recordatorio|alarma|aviso)(?: para)?",
}
MAY_BE_TOLD_FROM_EVENT = re.compile(
    r"\A(?=.*\b(?:remind|reminder|ping|nudge|alert|notify|warn|wake|heads|alarm|er+in+er\w*|wecke?n?|warne?|bescheid|"
    r"rap+el+\w*|pr[eé]v\w+|avert\w+|r[eé]veil\w*|recu[eé]rd\w+|av[ií]\w+|despi[eé]rt\w+|acu[eé]rd\w+|"
    r"recordatorio|alarma|aviso))"
    r"(?=.*\b(?:before|ahead of|prior to|\w*vorm?|bevor|vor(?:her|abend|tag)|davor|zuvor|ehe|avant|veille|"
    r"antes|anterior|v[ií]spera)\b)",
    re.IGNORECASE | re.DOTALL,
)
# That it takes place, is due or ends says nothing of which it is, but for how the days of a period differ.
_ENDS = re.compile(
    r"\b(?:runs? out|expires?|ends?|is up|lauft ab|ablauft|auslauft|endet|zu ende|expire|finit|se termine|"
    r"prend fin|arrive a echeance|vence|caduca|termina|acabe?a?)\b"
)
# Guests leave on the last day, and who goes away on the first.
_LEAVES = re.compile(
    r"\b(?:lea(?:ves?|ving)|departure|abreis\w*|depart|part(?:ent|ons)?|salida|vayan?|vamos|marchen?)\b"
)
_HAPPENS = frozenset(
    """
    due its it's is are was comes come coming runs run out expires expire ends end starts start begins begin
    arrives takes place happens have has got need needs fällig kommt ist sind war läuft abläuft ablaufen
    ablauf endet beginnt anfängt stattfindet hat haben muss soll expire échéance finit termine commence arrive
    lieu doit est vence caduca termina acaba empieza llega toca tiene que sea venga venza caduque termine
    llegue viene vienne arrive term fecha date termin datum
    lleguen llegan vengan vienen vencen caducan terminan acaban empiezan viennent arrivent expirent kommen
    beginnen anfangen enden stattfinden ablaufen
    llegada salida arrivée départ ankunft abreise arrival departure leave leaves leaving beginn anfang ende
    début fin final comienzo inicio vaya vayan marche marchen parte partent geht gehen abreist abreisen
    """.split()
)
_POINTS = frozenset(
    """
    the that this then them they there these those you she and our his her der die das den dem des ein eine
    einen einem einer mein meine meinen dies dann dort und ich wir sie les des une mon mes cela ceci que los
    las una mis eso esto ese esa con por
    """.split()
)
_TAKES_TO_DO: Mapping[str, str] = {
    "en": r"\s+to (?=\w)",  # and then an order, as "the trip to Rome" has none
    "de": r",?\s+(?:daran,? |an (?:die|den|das|meine?[nr]?|unsere?[nr]?) |ans )(?=\w)",
    "fr": r"\s+(?:de |d['’]|pour )(?=\w+(?:er|ir|oir|re)\b)",
    "es": r"\s+(?:(?:de|para|que) )?(?=\w+(?:ar|er|ir)(?:me|te|se|l[oae]s?)?\b)",
}
_JOINS = re.compile(
    r"^(?:(?:to|that|about|for|of|on|an|ans|am|daran,?|dass|für|zu|de|que|pour|para|sobre)\s+|d['’]|qu['’])+|"
    r"[\s,]+(?:on|am|at|um|the|exactly|genau|schon|already)?$",
    re.IGNORECASE,
)
_HOUR = re.compile(
    r"(?:\b(?:at|um|gegen|around)|(?<!\w)à|\ba las?)\s+\d{1,2}(?:[:.h]\d{2})?\s*(?:am|pm|uhr|h(?:eures?)?)?"
    r"(?: de la (?:mañana|tarde|noche)| du (?:matin|soir))?(?!\w)|"
    r"\b\d{1,2}(?:[:.]\d{2})?\s?(?:am|pm|uhr|h\d{0,2})(?!\w)",
    re.IGNORECASE,
)
_OWN_TIME = re.compile(
    r"\b(?:in|dans|en|dentro de|nach)\s+(?:\d+|an?|eine?[rmn]?|une?|half|half an|media)\s+\w+", re.IGNORECASE
)
_POLITE = re.compile(
    r"(?:[,\s]+(?:please|pls|plz|thanks|thx|bitte|danke|bescheid|stp|svp|merci|"
    r"por favor|porfa|gracias))+\W*\Z",
    re.IGNORECASE,
)
# "Remind me what he said the day before the wedding" is a question.
_ASKS = re.compile(
    r"\s*(?:of |about |an |de )?(?:what|which|who|where|when|why|how|if|whether|was|welche\w*|"
    r"wer|wo|wann|warum|wie|ob|ce que|ce qui|qui|où|quand|comment|pourquoi|si|"
    r"qué|que hay|quién|dónde|cuándo|cómo|lo que)\b",
    re.IGNORECASE,
)
# "10 minuten vor 5 an den Hund": the hour of a clock, and nobody's event.
_BEGINS_AS_TIME = re.compile(
    r"\s*(?:(?:half|halb|viertel)\b|\d{1,2}(?:[:.]\d\d)?\s*(?:$|,|d['’]|(?:uhr|am|pm|h|ans?|daran|to|for|für|de|"
    r"que|para|pour)\b))",
    re.IGNORECASE,
)
# Behind a time: what is to be done then.
_THEN = re.compile(r"\s+(?:to|daran,?|ans?|de|para|que|pour)\s+|\s+d['’]", re.IGNORECASE)
SHORTEST_COMPOUND = 9  # letters of a word that may be of two
SHORTEST_PART = 5


@dataclass(frozen=True)
class EventReminder:
    """A reminder that is told from an event: `offset` before what `event` describes, "" for what it is
    `about`; `day` are the words before the offset, which may name a day, `hour` an hour that is said."""

    language: str
    offset: Offset
    event: str
    about: str
    day: str = ""
    hour: str = ""

    @property
    def described(self) -> str:
        return self.event if _content(self.event) else self.about

    @property
    def shown(self) -> str:
        """What the reminder is of, in the user's words."""
        return self.about or self.event


@dataclass(frozen=True)
class EventReminders:
    """Of one turn. `around` is the workspace, `now` the user's time; without `submit` no model is asked."""

    around: Surroundings
    past: Past
    submit: Submit | None
    now: datetime

    def plan(self, asked: str) -> IntentPlan | None:
        """The reminder that `asked` wants, what is asked back, or why none is set; None for others."""
        wish = wish_in(asked, self.around)
        if wish is None:
            return self._answered(asked)
        named = self._named_time(wish)
        # Christmas is no event of a file's; lunch may be.
        if named is not None and named[2]:
            return self._set(named[0], None, named[1])
        wish, found = self._read(wish)
        if not found:
            return self._set(named[0], None, named[1]) if named is not None else self._none(wish)
        chosen = self._chosen(wish, found)
        if len(chosen) != 1:
            return self._asked_back(wish, chosen or [each.thing for each in found][:MOST_WEIGHED])
        return self._before(wish, chosen[0])

    def _answered(self, asked: str) -> IntentPlan | None:
        """What was asked back, answered: the event of the list that `asked` has the words of."""
        if not MAY_BE_TOLD_FROM_EVENT.match(self.past.asked):
            return None
        before = wish_in(self.past.asked, self.around)
        if before is None or not self.past.text.startswith(_beginning("event_several", before.language)):
            return None
        offered = self._offered(before)
        before, _ = self._read(before)
        nth = words("nth", before.language).fullmatch(asked.strip(" .!?").casefold())
        if nth is not None:
            place = next(
                (at for at, key in enumerate(("n1", "n2", "n3", "n4")) if nth[key]), len(offered) - 1
            )
            return self._before(before, offered[place]) if place < len(offered) else None
        forms = forms_of(asked)
        scored = [
            (sum(bool(form.search(_text_of(each))) for form in forms.values()), each) for each in offered
        ]
        most = max((score for score, _ in scored), default=0)
        best = [each for score, each in scored if most and score == most]
        return self._before(before, best[0]) if len(best) == 1 else None

    def _offered(self, wish: EventReminder) -> list[DatedEntry]:
        """Those that stood in the question, in its order."""
        found = [each.thing for each in self._read(wish)[1]]
        lines = {_line(each, wish.language): each for each in found}
        return [lines[each] for each in self.past.text.splitlines() if each in lines]

    def _read(self, wish: EventReminder) -> tuple[EventReminder, list[_Scored]]:
        """What fits, and the wish as it is to be read: whole, or with what is to be done parted from its end,
        where only so all words of the event are found."""
        event, about = _parted(wish.event, wish.language)
        parted = replace(wish, event=event, about=wish.about or _bare(about))
        readings = (parted, wish) if wish.language == ENGLISH else (wish, parted)
        # An order is known in English by its verb; "de Pilar" only looks like one in Spanish.
        dated = tuple(self._dated(wish.language != ENGLISH))
        found = [(each, self._fitting(each, dated)) for each in (readings if about else (wish,))]
        whole = (each for each in found if each[1] and each[1][0].covered == 1.0)
        return next(whole, None) or next((each for each in found if each[1]), (wish, []))

    # -- which event --------------------------------------------------------------------------

    def _fitting(self, wish: EventReminder, dated: Sequence[DatedEntry]) -> list[_Scored]:
        """What of `dated` has words of the description, the likeliest first; what is over only where
        nothing else is."""
        days = tuple(
            each for each in periods_in(wish.day, wish.language, self.now.date()) if each.first == each.last
        )
        things = [each for each in dated if self._is_on(wish, each, days)]
        described = folded_letters(f"{wish.about} {wish.event}")
        forms = _owned(_content(wish.described), things)
        # Two lines on the same moment are one event.
        found: dict[tuple[date, time | None], _Scored] = {}
        for thing in things:
            scored = _score(thing, forms, described)
            key = (thing.day, thing.at)
            is_kept = scored.covered >= LEAST_COVERED and scored.is_own
            if is_kept and (key not in found or found[key].weight < scored.weight):
                found[key] = scored
        ahead = [each for each in found.values() if self._is_ahead(each.thing)]
        # That it is over is told of what is surely meant.
        kept = ahead or [each for each in found.values() if each.covered == 1.0]
        return sorted(kept, key=lambda each: (-each.covered, -each.weight, each.thing.day))

    def _is_ahead(self, thing: DatedEntry) -> bool:
        at = datetime.combine(thing.day, thing.at or time(23, 59), self.now.tzinfo)
        return at > self.now

    def _is_on(self, wish: EventReminder, thing: DatedEntry, days: Sequence[Period]) -> bool:
        """Whether it is on the day that is said beside, or the reminder would be."""
        if not days:
            return True
        at = datetime.combine(thing.day, thing.at or time(USUAL_HOUR))
        both = (thing.day, wish.offset.before(at, USUAL_HOUR).date())
        return any(is_in(each, period) for each in both for period in days)

    def _dated(self, is_day_first: bool) -> Iterator[DatedEntry]:
        """What files and open reminders say is on a day."""
        left, documents = MOST_BYTES, MOST_DOCUMENTS
        for name in tuple(self.around.files())[:MOST_FILES]:
            is_document = name.casefold().endswith(DOCUMENTS)
            if left <= 0 or (is_document and documents <= 0):
                continue
            text = self.around.document(name) if is_document else self.around.text(name)
            documents -= is_document
            left -= len(text)
            if text:
                yield from dated_in(name, text, self.now.date(), is_day_first, self.now.tzinfo)
        for number, text in self.around.reminders():
            due = self.around.due(number)
            if due is not None:
                yield DatedEntry("", due.date(), due.time(), text, said=text)

    def _chosen(self, wish: EventReminder, found: Sequence[_Scored]) -> list[DatedEntry]:
        """The one that is meant; several where that is not clear."""
        best, *others = found
        near = [
            each for each in others if each.covered == best.covered and best.weight - each.weight < MARGIN
        ]
        if best.covered == 1.0 and not near:
            return [best.thing]
        shown = [best.thing, *(each.thing for each in (near or others))][:MOST_WEIGHED]
        if self.submit is None:
            return shown
        likely = likely_of(self.submit, _choice(wish, shown), (*_numbers(shown), NONE))
        ranked = sorted(_numbers(shown), key=lambda each: -likely.get(each, 0.0))
        first = likely.get(ranked[0], 0.0)
        is_clear = len(ranked) == 1 or first - likely.get(ranked[1], 0.0) >= CLEAR
        is_meant = bool(likely) and first - likely.get(NONE, 0.0) >= OVER_NONE_TO_CHANGE
        log.info("event chosen", among=len(shown), clear=is_clear and is_meant)
        return [shown[int(ranked[0]) - 1]] if is_clear and is_meant else shown

    # -- what comes of it ---------------------------------------------------------------------

    def _named_time(self, wish: EventReminder) -> tuple[EventReminder, datetime, bool] | None:
        """The event's time where its words are one, "2 days before Christmas", and whether they name a day;
        the wish without what is to be done then."""
        for said, *then in ([wish.event], _THEN.split(wish.event, maxsplit=1)):
            if not said or not self.around.time_in(said, wish.language):
                continue
            english = in_english(said, wish.language)
            phrase = Phrase(english)
            phrase.read()
            try:
                at = read_time(english, self.now, thorough=False).at
            except UserFacing:
                continue
            about = wish.about or "".join(then)
            return replace(wish, event=said, about=about), at, phrase.has_day
        return None

    def _before(self, wish: EventReminder, thing: DatedEntry) -> IntentPlan:
        values = {"a": thing.said, "b": _said_day(thing, wish.language), "c": last_part(thing.file)}
        if not self._is_ahead(thing):
            return self._told("event_over" if thing.file else "reminder_over", wish, **values)
        if thing.at is None and wish.offset.minutes:
            return self._told("event_no_hour", wish, **values)
        at = datetime.combine(thing.day, thing.at or time(USUAL_HOUR), self.now.tzinfo)
        return self._set(wish, thing, at)

    def _set(self, wish: EventReminder, thing: DatedEntry | None, event: datetime) -> IntentPlan:
        part = wish.offset.part
        at = wish.offset.before(event, PART[part][1] if part else USUAL_HOUR)
        if not wish.offset.minutes and wish.hour:
            at = self._at_hour(at, wish) or at
        told = () if thing is None else (self._found(wish, thing),)
        if at <= self.now:
            when = in_language(f"{full_date(at)}, {at:%H:%M}", wish.language)
            past = Step(text=say("reminder_past", wish.language, a=when))
            return IntentPlan(wish.language, (*told, past))
        text = wish.shown
        if thing is not None:
            source = f", {last_part(thing.file)}" if thing.file else ""
            text = f"{text} ({_said_day(thing, wish.language)}{source})"
        call = ParsedCall("set_reminder", {"text": text, "when": as_time(at)})
        return IntentPlan(wish.language, (*told, Step(call)))

    def _at_hour(self, at: datetime, wish: EventReminder) -> datetime | None:
        """The same day at the hour that is said."""
        part = f" {wish.offset.part}" if wish.offset.part else ""
        # "A 18h", as it is typed in a hurry.
        hour = f"à {wish.hour}" if wish.language == "fr" and wish.hour[:1].isdigit() else wish.hour
        said = f"{in_english(hour, wish.language)}{part}"
        noon = at.replace(hour=0, minute=0)
        try:
            # Against the day before, so that the hour is not over on the day itself.
            found = read_time(
                f"{at.day} {as_time(at).split()[1]} {at.year} {said}", min(self.now, noon), False
            )
        except UserFacing:
            return None
        return found.at

    def _found(self, wish: EventReminder, thing: DatedEntry) -> Step:
        key = "event_found" if thing.file else "event_reminder"
        values = {"a": thing.said, "b": _said_day(thing, wish.language), "c": thing.file}
        return Step(text=say(key, wish.language, **values), changes=False)

    def _none(self, wish: EventReminder) -> IntentPlan | None:
        """Nothing is set. "The evening before" of what was spoken of is asked about by others."""
        if not _content(wish.event):
            return None
        return self._told("event_none", wish, a=wish.event.strip(" ,."))

    def _asked_back(self, wish: EventReminder, things: Sequence[DatedEntry]) -> IntentPlan:
        lines = "\n".join(_line(each, wish.language) for each in things)
        return self._told("event_several", wish, a=lines)

    def _told(self, key: str, wish: EventReminder, **values: str) -> IntentPlan:
        return IntentPlan(wish.language, (Step(text=say(key, wish.language, **values)),))


# -- what a message says ----------------------------------------------------------------------


def wish_in(asked: str, around: Surroundings) -> EventReminder | None:
    """The reminder before an event that `asked` wants; None for other messages, also for one with a time of
    its own."""
    text = in_writing(" ".join(asked.split()))
    if len(text) > LONGEST or not MAY_BE_TOLD_FROM_EVENT.match(text):
        return None
    text = _POLITE.sub("", text)
    for language in likely_languages(text):
        # "Ne Stunde bevor …" begins with no no.
        for said in dict.fromkeys((text, bare_of(text, language))):
            wish = _wish(said, language, around)
            if wish is not None:
                return wish
    return None


def _wish(text: str, language: str, around: Surroundings) -> EventReminder | None:
    plain = "".join(folded_letters(each)[:1] or each for each in text)
    verb = _verb(language).search(plain)
    if verb is None:
        return None
    # In the place of the verb nothing that an offset could go on with.
    offset = offset_in(
        f"{text[: verb.start()]}{'|' * (verb.end() - verb.start())}{text[verb.end() :]}", language
    )
    if offset is None or (verb.start() > 0 and offset.start > verb.start()):
        return None
    behind = text[offset.end :]
    if verb.start() > offset.end:
        day, event, about = text[: offset.start], text[offset.end : verb.start()], text[verb.end() :]
        # "What happened the day before the war? Remind me."
        if _content(_without_day(day, language)):
            return None
    else:
        day, event, about = text[verb.end() : offset.start], behind, ""
    if may_repeat(text) or _ASKS.match(day) or _BEGINS_AS_TIME.match(event):
        return None
    hours = [found[0] for each in (day, about, event) if (found := _HOUR.search(each))]
    day, event, about = (_HOUR.sub(" ", each) for each in (day, event, about))
    # "Tomorrow at 9 …, half an hour before it begins" has a time of its own.
    is_own = len(hours) > 1 or (hours and (offset.minutes or _names_day(day, language, around)))
    if is_own or _OWN_TIME.search(day):
        return None
    said = _without_day(day, language)
    about = _bare(about) or _bare(said)
    wish = EventReminder(language, offset, _bare(event), about, day, hours[0] if hours else "")
    return wish if 0 < len(_content(wish.described)) <= MOST_WORDS else None


def _parted(event: str, language: str) -> tuple[str, str]:
    """The event, and what is to be done before it; "" where that is not said behind it."""
    for joint in re.finditer(_TAKES_TO_DO[language], event, re.IGNORECASE):
        left, right = event[: joint.start()], event[joint.end() :]
        is_apart = left.rstrip().endswith(",")
        if _content(left) and (language != ENGLISH or is_apart or is_order(right)):
            return left.rstrip(" ,"), right
    return event, ""


def _bare(text: str) -> str:
    before = ""
    while before != text:
        before, text = text, _JOINS.sub("", text.strip(" ,.:;?!|"))
    return text


def _without_day(text: str, language: str) -> str:
    """Without the words for a day: "morgen", "on friday"."""
    for each in periods_in(text, language, date(2000, 1, 3)):
        text = re.sub(
            rf"(?:\b(?:on|am|el|le)\s+)?\b{re.escape(each.words)}\b", " ", text, flags=re.IGNORECASE
        )
    return " ".join(text.split())


def _names_day(text: str, language: str, around: Surroundings) -> bool:
    return bool(periods_in(text, language, date(2000, 1, 3))) or any(
        around.time_in(each, language) for each in (text.strip(), *text.split()) if each
    )


def _content(text: str) -> Mapping[str, re.Pattern[str]]:
    """The words that tell an event, and what finds their forms; a short name may be a common word elsewhere:
    "the MOT"."""
    found = {word: form for word, form in forms_of(text).items() if word not in _HAPPENS}
    every = found or forms_of(text, with_common=True)
    return {word: form for word, form in every.items() if word not in _HAPPENS | _POINTS}


@cache
def _verb(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_VERB_WORDS[language]})(?!\w)")


# -- which is meant ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Scored:
    """`covered`: the share of the description's words that it has; `is_own`: one of them in the row, the
    sentence or the name of the file."""

    thing: DatedEntry
    weight: float
    covered: float
    is_own: bool


def _owned(
    forms: Mapping[str, re.Pattern[str]], things: Sequence[DatedEntry]
) -> Mapping[str, re.Pattern[str]]:
    """With the name alone of "cols bike", where nothing has the word as it stands."""
    texts = [_text_of(each) for each in things]
    found = dict(forms)
    for word, form in forms.items():
        if word.endswith("s") and not any(form.search(each) for each in texts):
            found[word] = next(iter(forms_of(word[:-1]).values()), form)
    return found


def _says(word: str, form: re.Pattern[str], text: str) -> bool:
    """Whether `text`, in plain letters, has a form of `word`, or one of the words that it is made of:
    "Theorie" of "Theorieprüfung"."""
    if form.search(text):
        return True
    plain = folded_letters(word)
    if len(plain) < SHORTEST_COMPOUND:
        return False
    parts = (each for each in re.findall(r"[^\W\d_]+", text) if len(each) >= SHORTEST_PART)
    return any(plain.startswith(each) or plain.endswith(each) for each in parts)


def _score(thing: DatedEntry, forms: Mapping[str, re.Pattern[str]], said: str) -> _Scored:
    """How well it fits the words of a description that is `said`, in plain letters."""
    is_end = None if _LEAVES.search(said) else _ENDS.search(said) is not None
    places = (
        (OWN, folded_letters(thing.words)),
        (NAMED, _plain(re.sub(r"[_\-./]", " ", thing.file.rpartition(".")[0]))),
        (BESIDE, _plain(thing.beside)),
    )
    best = [
        next((weight for weight, text in places if _says(word, form, text)), 0.0)
        for word, form in forms.items()
    ]
    covered = sum(bool(each) for each in best) / len(best)
    weight = sum(best) + (FOR_END if thing.is_end == is_end else 0.0)
    column = forms_of(thing.column, with_common=True)
    weight += FOR_COLUMN if any(form.search(said) for form in column.values()) else 0.0
    return _Scored(thing, weight, covered, any(each >= NAMED for each in best))


_SYSTEM = """Somebody wants to be reminded before an event. Which of the numbered entries is that event? \
Answer with its number, or none where it is none of them."""
_EXAMPLES = (
    (
        "1: (jobs.csv, due) Ann Petit chair | 2 May\n2: (jobs.csv, due) Ann Petit lamp | 9 May",
        "ann's lamp is due",
        "2",
    ),
    (
        "1: (flat.pdf) Lease ends on 30 June\n2: (flat.pdf) Rent rises on 1 March",
        "der Mietvertrag läuft aus",
        "1",
    ),
    (
        "1: (club.ics) Cake sale | 4 May\n2: (club.ics) Summer fair | 8 June",
        "le contrôle de la chaudière",
        NONE,
    ),
    ("1: (school.md) Elternabend: 3.5.\n2: (school.md) Wandertag: 9.5.", "la reunión de padres", "1"),
    ("1: (todo.csv) Pay the tax | 31 May\n2: (todo.csv) Tax office letter | 2 May", "the dentist", NONE),
)


def _choice(wish: EventReminder, things: Sequence[DatedEntry]) -> GenerateRequest:
    examples = [Message("system", _SYSTEM)]
    for shown, said, meant in _EXAMPLES:
        examples += [Message("user", f"{shown}\nEvent: {said}"), Message("assistant", meant)]
    shown = "\n".join(
        f"{at}: ({last_part(each.file) or 'reminder'}) {each.said} | {each.day.day} {each.day:%B}"
        for at, each in enumerate(things, 1)
    )
    return behind_examples(CONVERSATION, tuple(examples), f"{shown}\nEvent: {wish.described}")


def _numbers(things: Sequence[DatedEntry]) -> tuple[str, ...]:
    return tuple(str(at) for at in range(1, len(things) + 1))


def _text_of(thing: DatedEntry) -> str:
    own = folded_letters(f"{thing.words} {thing.said}")
    return f"{own} {_plain(thing.file)} {_plain(thing.beside)}"


@lru_cache(maxsize=MOST_FILES)
def _plain(text: str) -> str:
    """What stands around each line of a file, which would else be made plain for each of them."""
    return folded_letters(text)


def _said_day(thing: DatedEntry, language: str) -> str:
    at = f", {thing.at:%H:%M}" if thing.at is not None else ""
    return in_language(f"{full_date(thing.day)}{at}", language)


def _line(thing: DatedEntry, language: str) -> str:
    source = f" ({thing.file})" if thing.file else ""
    return f"- {_said_day(thing, language)}: {thing.said}{source}"


def _beginning(key: str, language: str) -> str:
    return say(key, language, a="\0").partition("\0")[0].strip()
