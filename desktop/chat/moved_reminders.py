"""What goes on from the reminder set last: another time for it, the same once more, or a further one.

"Make it half past two instead", "friday as well", "and on Friday at the same time to empty it". A time of day
alone is on the day that was meant before, and a day alone at its hour. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop.chat.corrections import EXCUSES
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import PlanState, Step, Surroundings
from desktop.chat.intent_words import LANGUAGES, MAY_ACT, say
from desktop.chat.orders import is_order
from desktop.chat.reminder_intents import JOINS_TEXT, SPAN, shifted
from desktop.chat.repeated_calls import said, steps_of
from desktop.chat.tool_choice import files_in
from desktop.tools.time_phrases import ClockTime, Phrase, clock_in, clock_of

_REMINDER = {
    "en": r"(?:it|that|this|(?:the|my|that) (?:reminder|alarm|timer))",
    "de": r"(?:das|es|sie|ihn|(?:die|den) (?:erinnerung|wecker|termin))",
    "fr": r"(?:ça|le rappel|l['’]alarme|le réveil)",
    "es": r"(?:eso|el recordatorio|el aviso|la alarma)",
}
_OTHER_TIME = {
    "en": (
        rf"{EXCUSES}*(?:(?:make|change|move|set|put|push|shift|do)(?: {_REMINDER['en']})?(?: to| for)?|"
        r"rather|better|let['’]?s (?:say|do|make it)|(?:can|could) we (?:say|do|make it)) "
        r"(?P<when>.+?)(?: instead| rather)?"
        r"|(?P<then>.+) (?:instead|rather)"
    ),
    "de": (
        rf"{EXCUSES}*(?:mache?(?: {_REMINDER['de']})?(?: daraus| lieber| doch)?|"
        rf"(?:stell|setz|leg|schieb|verschieb|verleg|änder)e?(?: {_REMINDER['de']})?(?: lieber| doch)?"
        r"(?: auf| zu)?|(?:doch )?(?:lieber|besser)|doch|sagen wir|"
        r"(?:geht|ginge|passt)(?: das| es)?(?: auch| vielleicht| eher)?) "
        r"(?P<when>.+?)(?: draus| daraus| stattdessen)?"
        rf"|(?:{_REMINDER['de']} )?(?:lieber |doch )?(?:auf |zu )?(?P<then>.+?) "
        r"(?:legen|verschieben|verlegen|stellen|setzen|ändern|(?:draus |daraus )?machen)"
    ),
    "fr": (
        rf"{EXCUSES}*(?:plutôt|(?:mets|change|déplace|décale|reporte|repousse|avance|passe|fixe|disons)"
        rf"(?:-l[ea]|-ça| {_REMINDER['fr']})?(?: plutôt)?(?: pour)?|l[ea] (?:mettre|changer|déplacer|décaler|"
        r"reporter|repousser|avancer|passer)(?: plutôt)?(?: pour)?) (?P<when>.+?)(?: plutôt| à la place)?"
        r"|(?P<then>.+) (?:plutôt|à la place)"
    ),
    "es": (
        rf"{EXCUSES}*(?:mejor|(?:ponlo|cámbialo|pásalo|muévelo|déjalo|ponerlo|cambiarlo|pasarlo|moverlo|"
        rf"dejarlo|(?:pon|cambia|pasa|mueve) {_REMINDER['es']}|que sean?)(?: mejor)?(?: para)?) "
        r"(?P<when>.+?)(?: mejor| en su lugar)?|(?P<then>.+) mejor"
    ),
}
_ALSO_THEN = {
    "en": r"(?:and )?(?P<when>.+) (?:too|as well|also)",
    "de": r"(?:und )?(?P<when>.+) (?:auch|ebenfalls|noch mal|nochmal)",
    "fr": r"(?:et )?(?P<when>.+) aussi|et aussi (?P<then>.+)",
    "es": r"(?:y )?(?P<when>.+) también|y también (?P<then>.+)",
}
# "… instead of at 7": only what is to be from now on counts.
_NOT_THEN = re.compile(
    r"\s+(?:instead of|rather than|and not|statt|anstatt|und nicht|au lieu d[eu]|et non|en vez de|"
    r"en lugar de)\s.+$",
    re.IGNORECASE,
)
SAME_HOUR = re.compile(
    r"\b(?:at )?(?:the )?same time\b|\b(?:(?:zur|um die) )?(?:gleichen?|selben?) (?:zeit|uhrzeit)\b|"
    r"\b(?:um |zu )?die(?:selbe|gleiche)[rn]? (?:zeit|uhrzeit|stunde)\b|"
    r"(?:(?<!\w)à la )?\bmême heure\b|\b(?:a la )?misma hora\b",
    re.IGNORECASE,
)
_SAME_TIME = rf"(?:and )?(?P<when>(?:{SAME_HOUR.pattern}) \w.*|\w.* (?:{SAME_HOUR.pattern}))"
_CLOCK = re.compile(r"\b\d{1,2}(?:[:.h]\d{2})?(?:\s*(?:am|pm|uhr|h))?\b", re.IGNORECASE)
_AT_CLOCK = re.compile(r"\b(?:at|um|à|a las?)\s+\d{1,2}(?:[:.h]\d{2})?\s*(?:am|pm|uhr|h)?\b", re.IGNORECASE)
_NO = (
    r"(?:no|nope|nah|nein|nee|ne|nö|non|nan|quatsch|sorry|oops|ups|oups|actually|eigentlich|finalement|"
    r"en fait|perdón|pardon|en realidad)"
)
_AT_LAST = re.compile(r"\s+(?:instead|rather|erst|lieber|stattdessen|plutôt|mejor)$", re.IGNORECASE)
_ONLY_CLOCK = re.compile(
    rf"(?:at |um |à |a las? )?{_CLOCK.pattern}(?: minutes?| minuten| minutos)?", re.IGNORECASE
)
# Where what is wanted may begin, behind what only tells why.
_CLAUSE_ENDS = re.compile(
    r"(?<=\w)[.!;,:]\s+|\s[–—-]\s+|\s(?:so|deshalb|drum|donc|alors|así que)\s+", re.IGNORECASE
)
MOST_CLAUSES = 6


def is_of_reminder(state: PlanState) -> bool:
    """Whether what was done last is that a reminder was set, or moved."""
    calls = [call.name for call in state.past.calls]
    return "set_reminder" in calls and set(calls) <= {"set_reminder", "cancel_reminder"}


def orders_behind(asked: str) -> tuple[str, ...]:
    """What may be wanted behind clauses that only tell something: "could you make it ten?" of "My niece is
    here then. Could you make it ten?"."""
    orders, start = list[str](), 0
    for end in list(_CLAUSE_ENDS.finditer(asked))[:MOST_CLAUSES]:
        told = asked[start : end.start()].strip()
        if "?" in told or files_in(told) or is_order(told):
            break
        start = end.end()
        orders.append(asked[start:])
    return tuple(orders)


def goes_on_from(asked: str, language: str, state: PlanState, around: Surroundings) -> tuple[Step, ...]:
    """The reminder set last for another time or once more, or a further one."""
    last = next(each for each in reversed(state.past.calls) if each.name == "set_reminder")
    text, before = str(last.arguments.get("text", "")), str(last.arguments.get("when", ""))
    number = state.past.reminder
    if number not in dict(around.reminders()):
        return ()
    asked = _NOT_THEN.sub("", asked)
    old = ParsedCall("cancel_reminder", {"reminder": str(number)})
    if when := shifted(asked, around.due(number)):
        return steps_of([ParsedCall("set_reminder", {"text": text, "when": when}), old])
    if further := _further(asked, text, before, language, around):
        return steps_of([further])
    if later := _later(asked, language, around):
        when = time_like(later, before, language, around)
        # Set anew before the old one goes: a time that is refused loses nothing.
        if when and around.is_due_at(number, when):
            return (Step(text=say("set_for_then", language), changes=False),)
        return steps_of([ParsedCall("set_reminder", {"text": text, "when": when}), old]) if when else ()
    also = said(_ALSO_THEN[language], asked) or said(_SAME_TIME, asked)
    if also := SAME_HOUR.sub("", also).strip():
        when = time_like(also, before, language, around)
        return steps_of([ParsedCall("set_reminder", {"text": text, "when": when})]) if when else ()
    return ()


def time_instead(asked: str, before: str, language: str, around: Surroundings) -> str:
    """The time that a message such as "no, make it 11" means beside the one before; "" for none."""
    later = _later(_NOT_THEN.sub("", asked), language, around)
    return time_like(later, before, language, around) if later else ""


def _later(asked: str, language: str, around: Surroundings) -> str:
    """The words for another time of what was set before; "" for none."""
    later = said(_OTHER_TIME[language], asked) or _meant_time(asked, language, around)
    return " ".join(SAME_HOUR.sub(" ", later).split())


def _meant_time(asked: str, language: str, around: Surroundings) -> str:
    """The time that stands behind a no: "no, tomorrow", "nein, morgen erst"; else ""."""
    meant = _AT_LAST.sub("", said(rf"{EXCUSES}*{_NO}[,.!]*\s+(?P<when>.+)", asked))
    meant = " ".join(SAME_HOUR.sub(" ", meant).split())
    # "No, an hour" may be how much later.
    is_time = bool(meant) and not SPAN.fullmatch(meant)
    return meant if is_time and around.time_in(meant, language) else ""


# -- the time that is meant --------------------------------------------------------------------

_BARE_CLOCK = re.compile(r"(1[0-2]|0?[1-9])(?::\d\d)?")
_HALF = re.compile(r"[ap]m", re.IGNORECASE)
EARLIEST_MORNING = 7  # an hour before it that is said alone beside "11am" is one of the afternoon
NOON = 12
_MORNING = re.compile(r"\s*\b(?:in the morning|morning|früh|vormittags?)\b", re.IGNORECASE)
MOST_EARLIER = 3  # hours that one of the morning is moved to be earlier; more are of the afternoon
# What makes a time of day of an hour: "plutôt trois heures" is no span.
_AT_HOUR = {"fr": "à ", "es": "a "}


def time_like(said: str, before: str, language: str, around: Surroundings) -> str:
    """The time that `said` means beside the one before: "10" of "tomorrow at 9", "Friday" of that hour."""
    said, before = _in_figures(said, language, around), _in_figures(before, language, around)
    clock, then = _CLOCK.search(said), _clock_of_day(before)
    if _ONLY_CLOCK.fullmatch(said) and clock is not None and then is not None:
        # On its own "at 11" would be today's, whatever day was said before.
        now = _in_half_of(then[0], clock[0], language)
        whole = f"{before[: then.start()]}{_as_clock(now)}{before[then.end() :]}"
        candidates = [_MORNING.sub("", whole) if _is_of_afternoon(now, then[0]) else whole]
    elif clock is None and then is not None:
        hour = _AT_CLOCK.search(before)
        candidates = [f"{said} {hour[0] if hour is not None else f'at {then[0]}'}", said]
    else:
        candidates = [said]
    languages = (language, *(each for each in LANGUAGES if each != language))
    for each in candidates:
        time = next((found for one in languages if (found := around.time_in(each, one))), "")
        if time:
            return time
    return ""


def _clock_of_day(text: str) -> re.Match[str] | None:
    """Where its time of day stands in figures: not the day of "1 December 2026 14:30"."""
    found = clock_in(text)
    if found is not None:
        return re.search(rf"(?<!\S){re.escape(found[0])}(?:\s*uhr)?(?!\S)", text, re.IGNORECASE)
    return _CLOCK.search(text)


def _in_figures(said: str, language: str, around: Surroundings) -> str:
    """`said` with a time of day in words in figures, "half 8" and "halb 8" as each language means them."""
    if (at := _AT_HOUR.get(language)) is not None:
        english = around.time_in(said, language)
        alone = around.time_in(f"{at}{said}", language) if clock_of(english) is None else ""
        english = alone if clock_of(alone) is not None else english
        said = english if not _ONLY_CLOCK.fullmatch(said) and english else said
    found = clock_in(said)
    if found is None or _CLOCK.fullmatch(found[0]) or not (figures := _figures(found[1])):
        return said
    return re.sub(r"\ba (?=\d+:)", "", said.replace(found[0], figures, 1))


def _figures(clock: ClockTime) -> str:
    """ "" for midnight, which is of two days."""
    if not clock.is_exact or clock.hour > NOON:
        return f"{clock.hour}:{clock.minute:02}"
    return f"{clock.hour}:{clock.minute:02} {'pm' if clock.hour == NOON else 'am'}" if clock.hour else ""


def _is_of_afternoon(now: str, then: str) -> bool:
    """Whether an hour that is said alone is past the morning that the one before is of: "2:30" for 9."""
    found, before = _BARE_CLOCK.fullmatch(now.strip()), _BARE_CLOCK.fullmatch(then.strip())
    return found is not None and before is not None and int(found[1]) < int(before[1]) - MOST_EARLIER


def _in_half_of(before: str, said: str, language: str) -> str:
    """`said` in the half of the day that `before` is in, where it does not say: "4:30" behind "2pm"."""
    found = _BARE_CLOCK.fullmatch(said.strip())
    half, hour = _HALF.search(before), re.match(r"\d+", before)
    if found is None or (half is None and (language != "en" or hour is None or int(hour[0]) < NOON)):
        return said
    is_noon_or_early = int(found[1]) == NOON or int(found[1]) < EARLIEST_MORNING
    is_late = half is None or half[0].casefold() == "pm" or is_noon_or_early
    return f"{said.strip()}{'pm' if is_late else 'am'}"


def _as_clock(said: str) -> str:
    """`11h30` and `8 Uhr` as every language reads them."""
    found = re.fullmatch(r"(\d{1,2})\s*(?:h|uhr)(\d{2})?", said.strip(), re.IGNORECASE)
    return f"{found[1]}:{found[2] or '00'}" if found is not None else said.strip()


# -- a further one -----------------------------------------------------------------------------

_AND = re.compile(
    r"(?:and|und|et|y)(?: then| also| dann| auch| puis| aussi| luego| también)?,?\s+", re.IGNORECASE
)
_CORRECTED = re.compile(
    r"\b(?:instead|rather|better|lieber|besser|stattdessen|plutôt|mejor|en su lugar|à la place)\b",
    re.IGNORECASE,
)
# What begins a thing of its own behind the time: a joint, or a verb as it is named.
_OWN_THING = {
    "en": r"(?:to|that|about)\s+(?P<to>.+)",
    "de": r"(?:dass|daran,?|ans?)\s+(?P<to>.+)|(?P<verb>.*?\b(?:zu \w+n|\w{2,12}zu\w{2,15}n))",
    "fr": r"(?:(?:de|pour|que)\s+|d['’]|qu['’])(?P<to>.+)|(?P<verb>(?:l[ea]s? |l['’])?\w+(?:er|ir|re)\b.*)",
    "es": r"(?:que|de|para)\s+(?P<to>.+)|(?P<verb>\w+[aei]r(?:l[oa]s?)?\b.*)",
}
MOST_DAY_WORDS = 8
# How a thing is named, and what stands for it: of the same number and gender.
_NO_PREPOSITION = r"(?!(?:at|on|in|for|to|of|and|with|from|off|out|up)\b)"
_THINGS = {
    "en": ((rf"(?:the|my|our|a|an) {_NO_PREPOSITION}\w+(?: {_NO_PREPOSITION}\w+)?", "it"),),
    "de": ((r"(?:den|meinen|einen) \w+", "ihn"), (r"(?:die|meine|eine) \w+", "sie"),
           (r"(?:das|mein|ein) \w+", "es")),
    "fr": ((r"(?:le|mon|un) \w+", "le"), (r"(?:la|ma|une) \w+", "la"), (r"(?:les|mes|des) \w+", "les"),
           (r"l['’]\w+", "(?:le|la)")),
    "es": ((r"(?:el|mi|un) \w+", "lo"), (r"(?:la|mi|una) \w+", "la"), (r"(?:los|mis|unos) \w+", "los"),
           (r"(?:las|mis|unas) \w+", "las")),
}  # fmt: skip


def _further(asked: str, text: str, before: str, language: str, around: Surroundings) -> ParsedCall | None:
    """A reminder of its own that is joined to the one before, by "and", a day and what is to be done then."""
    joint = _AND.match(asked)
    if joint is None or _CORRECTED.search(asked):
        return None
    rest = " ".join(SAME_HOUR.sub(" ", asked[joint.end() :]).split())
    has_same_hour = SAME_HOUR.search(asked) is not None
    for day, thing in _days_before(rest, language, around):
        is_verb = MAY_ACT.match(thing) is not None and len(thing.split()) > 1
        about = said(_OWN_THING[language], thing) or (thing.strip(" .!?") if is_verb else "")
        when = time_like(day, before, language, around) if has_same_hour else around.time_in(day, language)
        if about and when:
            return ParsedCall("set_reminder", {"text": _named(about, text, language), "when": when})
    return None


def _days_before(rest: str, language: str, around: Surroundings) -> Iterator[tuple[str, str]]:
    """The words at the beginning that name a day, with or without its hour, and those behind; the longest
    first."""
    words = rest.split()
    for size in range(min(MOST_DAY_WORDS, len(words) - 1), 0, -1):
        said = " ".join(words[:size]).rstrip(" ,")
        english = around.time_in(said, language)
        if english and _names_day(english) and JOINS_TEXT.fullmatch(words[size - 1]) is None:
            yield said, " ".join(words[size:])


def _names_day(english: str) -> bool:
    phrase = Phrase(english)
    phrase.read()
    return phrase.has_day


def _named(about: str, text: str, language: str) -> str:
    """`about` with what `text` is about in place of the pronoun for it: "empty the oven" of "empty it"; as it
    is where that may be another."""
    for thing, pronoun in _THINGS[language]:
        found = re.findall(rf"(?<!\w){thing}", text, re.IGNORECASE)
        if len(found) != 1:
            continue
        name = re.sub(r"^an? ", "the ", found[0].strip()) if language == "en" else found[0].strip()
        patterns = [(rf"(?<![\w-]){pronoun}(?![\w-])", name)]
        if language in ("fr", "es"):  # where it stands before its verb, and the thing behind
            before = r"(?:{pronoun}\s+|l['’])" if language == "fr" else rf"{pronoun}\s+"
            patterns = [
                (rf"^{before.format(pronoun=pronoun)}(\w+)", rf"\1 {name}"),
                (rf"^(\w+[aei]r){pronoun}\b", rf"\1 {name}"),
            ]
        for pattern, put in patterns:
            anew = re.sub(pattern, put, about, count=1, flags=re.IGNORECASE)
            if anew != about:
                return anew
    return about
