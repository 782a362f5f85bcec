"""Requests that go on from the last one: "same for scan2", "no, I meant scan3", "make that 10".

Such a sentence says only what is different, and a small model makes up the rest. So what the last turn did is
taken from its calls, the one thing that was named is exchanged, and the calls are made anew; what was done by
mistake is taken back first. Where it could mean two things nothing is planned, and the model is asked.

Pure functions over what a conversation has; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState, Step, Surroundings
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    LANGUAGES,
    expression,
    is_name,
    last_part,
    likely_languages,
    named_like,
    unquoted,
    words,
)
from desktop.chat.reminder_shifts import shifted
from desktop.chat.tool_choice import files_in

_SAME = {
    "en": (
        r"(?:do |and )*(?:the )?same (?:thing )?(?:for|with|to|in|on) (?P<what>.+)|"
        r"(?:and )?(?P<before>.+) (?:too|as well|also|likewise)"
    ),
    "de": (
        r"(?:mach )?(?:das gleiche|dasselbe|genauso|ebenso)(?: auch| bitte)* "
        r"(?:für|mit|bei|in|auf|an) (?P<what>.+)|"
        r"(?:und )?(?P<before>.+) (?:genauso|ebenso|auch so|auch|ebenfalls)"
    ),
    "fr": (
        r"(?:fais )?(?:la même chose|pareil|de même|idem) (?:pour|avec|dans|sur|à) (?P<what>.+)|"
        r"(?:et )?(?P<before>.+) (?:aussi|également|pareil)"
    ),
    "es": (
        r"(?:haz )?(?:lo mismo|igual) (?:con|para|en|a) (?P<what>.+)|(?:y )?(?P<before>.+) (?:también|igual)|"
        r"(?:y )?también (?P<then>.+)"
    ),
}
# "Same for photo2, but beach.jpg": another file under a name of its own.
_OWN_NAME = re.compile(
    r"(?P<what>.+?)\s*(?::|->|=>|→|,?\s(?:but(?: to| as| call it)?|to|as|aber|zu|als|in|mais|en|comme|sous|"
    r"pero|a|como))"
    r"\s+(?P<name>[^\s,;:]+)",
    re.IGNORECASE,
)
_EXCUSES = (
    r"(?:(?:oh|oops|ups|uups|sorry|wait|no|nope|nein|nee|ach|hoppla|moment|actually|hm+|or rather|"
    r"on second thought|"
    r"entschuldigung|eigentlich|non|pardon|oups|zut|attends|finalement|en fait|perdón|perdona|ay|espera|"
    r"mejor dicho|"
    r"al final|en realidad)[,.!]*\s+)"
)
_LEADS = rf"(?:{_EXCUSES}|\w+[,!]+\s+){{0,4}}"  # "damn, …": whatever is called out
_MEANT = {
    "en": (
        rf"{_EXCUSES}*i (?:meant|wanted) (?P<named>\S+) (?:deleted|removed|gone|moved|read)\b.*|"
        rf"{_EXCUSES}*i (?:meant|mean|wanted)[:,]? (?P<what>.+)|"
        rf"{_EXCUSES}+(?:it was|it should be|rather|better) (?P<before>.+)|"
        rf"{_EXCUSES}*(?:put it back|bring it back|"
        r"undo that)?[,.]?\s*it was (?P<then>\S+) (?:that )?i (?:meant|wanted)\b.*|"
        rf"{_EXCUSES}*(?:it|that) should have been (?P<other>.+)|"
        rf"{_LEADS}not (?:that|this)(?: one)?[,.;:!]*\s+(?:but |it was |i meant )?(?P<not_that>.+)|"
        rf"(?:no[,.!]* )+(?P<else>the other .+)"
    ),
    "de": (
        rf"{_EXCUSES}*(?:ich meinte?|gemeint war|ich wollte)[:,]? (?P<what>.+)|"
        rf"{_EXCUSES}+(?:lieber |doch |besser |dann )+(?P<before>.+)|(?:lieber |doch |besser )+(?P<then>\S+)|"
        rf"{_EXCUSES}*es (?:war|hätte) (?P<other>\S+)(?: sein sollen|,? (?:was|die|den|das) ich .+)|"
        rf"{_LEADS}nicht (?:die|der|den|das|diese[nrs]?)(?: da)?[,.;:!]*\s+(?:sondern )?(?P<not_that>.+)|"
        rf"(?:nein[,.!]* |nee[,.!]* )+(?P<else>d(?:ie|er|as|en) andere.*)"
    ),
    "fr": (
        rf"{_EXCUSES}*(?:je voulais dire|je pensais à)[:,]? (?P<what>.+)|"
        rf"{_EXCUSES}+(?:plutôt|c['’]était|mieux) (?P<before>\S+)|"
        rf"{_EXCUSES}*(?:remets-l[ea]|annule(?: ça)?)?[,.]?\s*c['’]était (?P<then>\S+) (?:qu['’]|que ).+|"
        rf"{_LEADS}pas (?:celui|celle)-(?:là|ci)[,.;:!]*\s+(?:mais |c['’]était )?(?P<not_that>.+)|"
        rf"(?:non[,.!]* )+(?P<else>l['’]autre.*)"
    ),
    "es": (
        rf"{_EXCUSES}*(?:quería decir|quise decir|me refería a)[:,]? (?P<what>.+)|"
        rf"{_EXCUSES}+(?:era|mejor|más bien) (?P<before>\S+)|"
        rf"{_EXCUSES}*(?:recupéral[oa]|deshazlo|devuélvel[oa])?[,.]?\s*era (?P<then>\S+) (?:el|la|lo) que .+|"
        rf"{_LEADS}es[eao] no[,.;:!]*\s+(?:sino |era )?(?P<not_that>[^\s,;]+|(?:el|la) otr[oa].*)|"
        rf"(?:no[,.!]* )+(?P<else>(?:el|la) otr[oa].*)"
    ),
}
_OTHER_TIME = {
    "en": (
        rf"{_EXCUSES}*(?:(?:make|change|move|set|put) (?:it|that|this)(?: to| for)?|rather|better) "
        r"(?P<when>.+)"
        r"|(?P<then>.+) instead"
    ),
    "de": (
        rf"{_EXCUSES}*(?:mach (?:das|es|daraus|lieber)|lieber|besser|doch) (?P<when>.+?)"
        r"(?: draus| daraus)?"
    ),
    "fr": rf"{_EXCUSES}*(?:plutôt|mets(?:-le)?|change(?:-le)?) (?P<when>.+)|(?P<then>.+) plutôt",
    "es": rf"{_EXCUSES}*(?:mejor|ponlo|cámbialo|pásalo) (?P<when>.+)",
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
    r"\b(?:at )?(?:the )?same time\b|\b(?:zur|um die) (?:gleichen|selben|gleiche|selbe) (?:zeit|uhrzeit)\b|"
    r"(?<!\w)à la même heure\b|\ba la misma hora\b",
    re.IGNORECASE,
)
_SAME_TIME = rf"(?:and )?(?P<when>(?:{SAME_HOUR.pattern}) \w.*|\w.* (?:{SAME_HOUR.pattern}))"
_CLOCK = re.compile(r"\b\d{1,2}(?:[:.h]\d{2})?(?:\s*(?:am|pm|uhr|h))?\b", re.IGNORECASE)
_AT_CLOCK = re.compile(r"\b(?:at|um|à|a las?)\s+\d{1,2}(?:[:.h]\d{2})?\s*(?:am|pm|uhr|h)?\b", re.IGNORECASE)
_PLACED = {
    "move_file": "source",
    "delete_file": "path",
    "read_file": "path",
    "append_text": "path",
    "replace_text": "path",
}
_LISTS = re.compile(r"\s*,\s*(?:and |und |et |y )?|\s+(?:and|und|et|y)\s+", re.IGNORECASE)


def follow_up(
    asked: str, state: PlanState, around: Surroundings, bare: Callable[[str, str], str]
) -> IntentPlan | None:
    """The plan for a request that only says what is different from the last one; None where it is another.
    `bare` takes polite words off a sentence in a language."""
    if not state.past.calls:
        return None
    for language in likely_languages(asked):
        for plain in dict.fromkeys((asked.strip(" .!?¡¿"), bare(asked, language))):
            steps = _read(plain, language, state, around)
            if steps:
                return IntentPlan(language, steps)
    return None


_AND = re.compile(
    r"(?:and|und|et|y|what about|how about|was ist mit|et pour|y para)(?: in| of| for| von| dans| en| de)?"
    r"\s+(?P<name>\S+)\W*",
    re.IGNORECASE,
)


def other_file(asked: str, before: str) -> str:
    """The sentence `before` with the file of `asked` in place of its own: "and todo.txt?"; else ""."""
    found = _AND.fullmatch(asked)
    name = found["name"].rstrip("?!.") if found is not None else ""
    named = files_in(before)
    return before.replace(named[0], name) if HAS_ENDING.fullmatch(name) and len(named) == 1 else ""


def _read(asked: str, language: str, state: PlanState, around: Surroundings) -> tuple[Step, ...]:
    slots = Slots(language)
    calls = state.past.calls
    if all(call.name == "set_reminder" for call in calls):
        return _again_at(asked, language, state, around)
    others = asked if words("others", language).fullmatch(asked) else ""
    same = others or _named_apart(slots.without_there(_said(_SAME[language], asked)), language)
    if same and not slots.is_it(same):
        if (own := _under_own_name(same, slots, state)) is not None:
            return _steps([own])
        if objects := _objects(same, slots, state):
            return _steps(_alike(calls, objects))
    if meant := _said(_MEANT[language], asked):
        return _corrected(meant, slots, state)
    return ()


def _named_apart(phrase: str, language: str) -> str:
    """ "The other file, summary.txt" is the one that is named."""
    beside = re.match(rf"(?:{expression('others', language)})\s*[,:]?\s+(?=\S)", phrase, re.IGNORECASE)
    named = phrase[beside.end() :] if beside is not None else ""
    return named if files_in(named) else phrase


def _said(pattern: str, asked: str) -> str:
    found = re.fullmatch(pattern, asked, re.IGNORECASE)
    return next((each.strip(" .!?") for each in found.groups() if each), "") if found is not None else ""


def _steps(calls: Sequence[ParsedCall]) -> tuple[Step, ...]:
    return tuple(Step(call, changes=call.name != "read_file") for call in calls)


def _objects(phrase: str, slots: Slots, state: PlanState) -> tuple[str, ...]:
    """The files that are meant; () where one of them is not there. An ending need not be said."""
    whole = slots.files(phrase, state)
    if whole:
        return whole
    names = [_named(each, slots, state) for each in _LISTS.split(phrase) if each.strip()]
    return tuple(each for each in names if each) if all(names) else ()


def _named(phrase: str, slots: Slots, state: PlanState) -> str:
    found = slots.file(phrase, state)
    if found:
        return found
    bare = unquoted(slots.without_the(phrase)).casefold()
    fitting = [each for each in state.files if last_part(each).rpartition(".")[0].casefold() == bare]
    return fitting[0] if len(fitting) == 1 else ""


def _under_own_name(phrase: str, slots: Slots, state: PlanState) -> ParsedCall | None:
    """After a renaming, that of another file whose new name is said: "photo2: beach.jpg"."""
    last = state.past.calls[-1]
    found = _OWN_NAME.fullmatch(phrase)
    if found is None or last.name != "move_file":
        return None
    source, target = _named(found["what"], slots, state), found["name"]
    if not source or not HAS_ENDING.fullmatch(target) or target in state.files:
        return None
    return ParsedCall("move_file", {"source": source, "destination": named_like(source, target)})


def _alike(calls: Sequence[ParsedCall], objects: Sequence[str]) -> tuple[ParsedCall, ...]:
    """The last call of a kind, made for each of `objects`; () where that call has no one object. A folder
    that was made for it is there by now."""
    last = calls[-1]
    key = _PLACED.get(last.name)
    if key is None or any(call.name not in (last.name, "make_directory") for call in calls):
        return ()
    made = []
    for each in objects:
        arguments = {**last.arguments, key: each}
        if last.name == "move_file":
            arguments["destination"] = destination_like(
                str(last.arguments[key]), str(last.arguments["destination"]), each
            )
        made.append(ParsedCall(last.name, arguments))
    targets = {str(call.arguments.get("destination", at)) for at, call in enumerate(made)}
    # Two files under one name would lose one of them.
    return tuple(made) if len(targets) == len(made) else ()


def destination_like(old: str, target: str, source: str) -> str:
    """Where `source` goes as `old` went to `target`: into its folder, or under a name with its number."""
    folder, _, name = target.rpartition("/")
    if name == last_part(old) or not HAS_ENDING.fullmatch(name):
        place = folder if name == last_part(old) else target
        return f"{place.rstrip('/')}/{last_part(source)}"
    numbers = re.findall(r"\d+", last_part(old)), re.findall(r"\d+", last_part(source))
    if len(numbers[0]) == 1 and len(numbers[1]) == 1 and numbers[0][0] in name:
        renamed = name.replace(numbers[0][0], numbers[1][0], 1)
        return f"{folder}/{renamed}" if folder else renamed
    return target


def _corrected(meant: str, slots: Slots, state: PlanState) -> tuple[Step, ...]:
    """What was done is taken back and done to what was meant; a new name is given to the file itself."""
    calls, past = state.past.calls, state.past
    if len(calls) != 1 or len(past.undo) > 1:
        return ()
    (last,) = calls
    name = unquoted(slots.without_the(meant))
    was = str(last.arguments.get("source", last.arguments.get("path", "")))
    files = state.files if was in state.files or not was else (*state.files, was)
    objects = _objects(meant, slots, replace(state, files=files))
    if not objects and (beside := slots.one_of_series(meant, state)) is not None:
        objects = (beside,)
    if last.name == "move_file" and not objects and is_name(name) and HAS_ENDING.fullmatch(last_part(name)):
        now = str(last.arguments["destination"])
        return _steps(
            [ParsedCall("move_file", {"source": past.file or now, "destination": named_like(now, name)})]
        )
    if len(objects) != 1 or objects[0] == was:
        return ()
    again = _alike(calls, objects)
    return _steps((*past.undo, *again)) if again else ()


def _again_at(asked: str, language: str, state: PlanState, around: Surroundings) -> tuple[Step, ...]:
    """The reminder set last for another time, or once more."""
    last = state.past.calls[-1]
    text, before = str(last.arguments.get("text", "")), str(last.arguments.get("when", ""))
    open_ones = dict(around.reminders())
    if state.past.reminder not in open_ones:
        return ()
    asked = _NOT_THEN.sub("", asked)
    if when := shifted(asked, around.due(state.past.reminder)):
        old = ParsedCall("cancel_reminder", {"reminder": str(state.past.reminder)})
        return _steps([ParsedCall("set_reminder", {"text": text, "when": when}), old])
    if later := _said(_OTHER_TIME[language], asked):
        when = time_like(later, before, language, around)
        old = ParsedCall("cancel_reminder", {"reminder": str(state.past.reminder)})
        # Set anew before the old one goes: a time that is refused loses nothing.
        is_new = when and not around.is_due_at(state.past.reminder, when)
        return _steps([ParsedCall("set_reminder", {"text": text, "when": when}), old]) if is_new else ()
    also = _said(_ALSO_THEN[language], asked) or _said(_SAME_TIME, asked)
    if also := SAME_HOUR.sub("", also).strip():
        when = time_like(also, before, language, around)
        return _steps([ParsedCall("set_reminder", {"text": text, "when": when})]) if when else ()
    return ()


_ONLY_CLOCK = re.compile(
    rf"(?:at |um |à |a las? )?{_CLOCK.pattern}(?: minutes?| minuten| minutos)?", re.IGNORECASE
)


def time_like(said: str, before: str, language: str, around: Surroundings) -> str:
    """The time that `said` means beside the one before: "10" of "tomorrow at 9", "Friday" of that hour."""
    clock = _CLOCK.search(said)
    is_only_clock = _ONLY_CLOCK.fullmatch(said)
    if is_only_clock and clock is not None and _CLOCK.search(before):
        # On its own "at 11" would be today's, whatever day was said before.
        then = _CLOCK.search(before)
        now = _in_half_of(then[0], clock[0], language) if then is not None else clock[0]
        candidates = [_CLOCK.sub(_as_clock(now), before, count=1)]
    elif clock is None and (hour := _AT_CLOCK.search(before)):
        candidates = [f"{said} {hour[0]}", said]
    else:
        candidates = [said]
    languages = (language, *(each for each in LANGUAGES if each != language))
    for each in candidates:
        time = next((found for one in languages if (found := around.time_in(each, one))), "")
        if time:
            return time
    return ""


_BARE_CLOCK = re.compile(r"(1[0-2]|0?[1-9])(?::\d\d)?")
_HALF = re.compile(r"[ap]m", re.IGNORECASE)
EARLIEST_MORNING = 7  # an hour before it that is said alone beside "11am" is one of the afternoon
NOON = 12


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
