"""Requests that go on from the last one: "same for scan2", "no, I meant scan3", "make that 10".

Such a sentence says only what is different, and a small model makes up the rest. So what the last turn did is
taken from its calls, the one thing that was named is exchanged, and the calls are made anew; what was done by
mistake is taken back first. Where it could mean two things nothing is planned, and the model is asked.

Pure functions over what a conversation has; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from desktop.chat.corrections import EXCUSES, correction, tried_again
from desktop.chat.file_intents import FileReading
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState, Step, Surroundings
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    MAY_ACT,
    as_list,
    as_written,
    is_listed,
    likely_languages,
    named_like,
    patterns_of,
    thing_of,
    unquoted,
    words,
)
from desktop.chat.moved_reminders import goes_on_from, is_of_reminder, orders_behind
from desktop.chat.orders import is_praise, says_more
from desktop.chat.repeated_calls import (
    alike,
    named_apart,
    objects_meant,
    one_meant,
    other_named,
    said,
    steps_of,
)
from desktop.chat.request_kinds import OUT_OF_REACH
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
# "And costs.txt": a name alone, behind what was done to another.
_NAME = r"[^\s,;]+\.[a-z]\w{1,4}"
_AND_FILES = (
    r"(?:and|plus|und|et|y)(?: also| auch| aussi| también)? "
    rf"(?P<what>{_NAME}(?:(?:,| and| und| et| y)+ {_NAME})*)"
)
# "Same for photo2, but beach.jpg": another file under a name of its own.
_OWN_NAME = re.compile(
    r"(?P<what>.+?)\s*(?::|->|=>|→|,?\s(?:but(?: to| as| call it)?|to|as|aber|zu|als|in|mais|en|comme|sous|"
    r"pero|a|como))"
    r"\s+(?P<name>[^\s,;:]+)",
    re.IGNORECASE,
)
# What was just written is to be something else: "make it margarine instead", "lieber Margarine".
_OTHER_WORDS = {
    "en": (
        rf"{EXCUSES}*(?:(?:make|change|turn) (?:it|that|this)(?: (?:to|into))?|rather|better) (?P<what>.+?)"
        rf"(?: instead| rather)?|{EXCUSES}*(?P<then>.+?) instead(?: of (?:it|that))?|{EXCUSES}*i (?:meant|"
        rf"mean)[:,]? (?P<meant>.+)"
    ),
    "de": (
        rf"{EXCUSES}*(?:mach (?:das|es|daraus|lieber|doch)(?: lieber)?|(?:nimm |schreib )?(?:doch "
        rf")?(?:lieber|besser)|"
        rf"ich meinte?[:,]?) (?P<what>.+?)(?: draus| daraus| stattdessen)?|{EXCUSES}*(?P<then>.+?) "
        rf"stattdessen"
    ),
    "fr": (
        rf"{EXCUSES}*(?:(?:mets |écris )?plutôt|(?:change|remplace)(?:-l[ea])? (?:par|en)|je voulais "
        rf"dire) (?P<what>.+)|"
        rf"{EXCUSES}*(?:mets |écris )?(?P<then>.+?) (?:à la place|plutôt)"
    ),
    "es": (
        rf"{EXCUSES}*(?:(?:pon |escribe )?(?:mejor|más bien)|cámbial[oa] (?:por|a)|que sea|quería decir) "
        rf"(?P<what>.+)|"
        rf"{EXCUSES}*(?:pon |escribe )?(?P<then>.+?) (?:mejor|en su lugar|en vez de eso)"
    ),
}
_NO_WORDS = re.compile(
    r"\b(?:bold|italics?|upper ?case|lower ?case|capitals?|plural|bigger|smaller|nicer|fett|kursiv|groß|"
    r"klein|"
    r"gras|majuscules?|negrita|mayúsculas?|look|so|quick|sound|it|that|off|out|damit|davon|dafür|raus|"
    r"runter|weg|"
    r"ça|eso|lo)\b",
    re.IGNORECASE,
)
# Somebody comes for what was just taken out: "Dee's having his seat", "für ihn kommt Jan".
_IN_ITS_PLACE = {
    "en": (
        r"(?:and |so )?(?P<who>.+?)(?:['’]s| is| will be| will|['’]ll)? (?:taking|having|getting|takes?|"
        r"gets?|has|fills?|"
        r"filling|taken) (?:his|her|their|its|that|the) (?:place|seat|spot|slot|turn|shift)|"
        r"(?:and |so )?(?P<then>[^,]+?)(?:(?:['’]s| is| will be) (?:coming|in|going|on)| comes| goes)? "
        r"instead|(?:and |so )?(?P<other>.+?)(?:['’]s| is) (?:coming|in|"
        r"going) (?:instead|in (?:his|her|their|"
        r"its) (?:place|stead))"
    ),
    "de": (
        r"(?:und )?(?:dafür|stattdessen|an (?:seiner|ihrer|deren) stelle|für (?:ihn|sie)) (?:kommt|kommen|"
        r"macht das|springt|"
        r"ist|spielt|fährt) (?:jetzt |nun )?(?P<who>.+?)(?: (?:dazu|rein|ein|rauf|drauf|mit))?|"
        r"(?:und )?(?:dafür|stattdessen) (?P<then>[^,]+)|(?:und )?(?P<then2>[^,]+?)(?: kommt| ist| macht| "
        r"spielt)? (?:stattdessen|dafür)|"
        r"(?:und )?(?P<other>.+?) (?:kommt|springt|rückt|übernimmt|nimmt|macht) (?:jetzt |nun )?(?:dafür|"
        r"stattdessen|"
        r"für (?:ihn|sie)(?: ein)?|nach|(?:seinen|ihren) (?:platz|part|dienst)(?: ein)?)"
    ),
    "fr": (
        r"(?:et )?(?P<who>.+?) (?:prend|prendra|reprend|aura|a) (?:sa|leur|son) (?:place|tour)|"
        r"(?:et )?(?:à sa place|à leur place),? (?:il y a |on met |c['’]est |ce sera |vient )?(?P<other>.+)|"
        r"(?:et )?(?P<after>[^,]+?)(?: vient| viendra)? à la place|(?:et )?(?:c['’]est )?(?P<then>.+?) "
        r"(?:qui )?(?:le|la|les) "
        r"remplace"
    ),
    "es": (
        r"(?:y )?(?P<who>.+?) (?:ocupa|toma|coge|tiene) su (?:lugar|sitio|puesto|turno)|"
        r"(?:y )?en su (?:lugar|puesto|sitio) (?:viene|va|entra|está|pon) (?P<other>.+)|"
        r"(?:y )?(?P<after>[^,]+?)(?: viene| va| entra)? en su lugar|(?:y )?(?P<then>.+?) (?:l[oa]s? "
        r"(?:sustituye|reemplaza)|"
        r"(?:viene|va|entra) en su lugar)"
    ),
}
# "…, put her down": what the sentence has said already.
_PUT_DOWN = re.compile(
    r"[,;.]?\s+(?:and |so |also |et |y |und )?(?:(?:put|write|note|add|jot|pop) (?:him|her|it|them|"
    r"that)(?: down| on| in)?|"
    r"(?:schreib|trag|setz|notier)\w* (?:ihn|sie|es|das)(?: bitte)?(?: dazu| drauf| auf| ein| rein)?|"
    r"(?:note|ajoute|mets|inscris|écris)-l[ea]s?|(?:apúnt|anót|añád|agrég|pon)[aeo]?l[oae]s?)\W*$",
    re.IGNORECASE,
)
# What was just added is to go again: "nimm den wieder raus", "take it off again".
_OUT_AGAIN = {
    "en": rf"{EXCUSES}*(?:take|cross|strike|leave|get) (?:it|that|him|her|them) (?:back )?(?:off|"
    "out)(?: again)?",
    "de": (
        rf"{EXCUSES}*(?:doch (?:nicht|net)[,.]? )?(?:nimm|streich|mach|schmeiß|tu|hau) (?:den|die|das|es|"
        rf"ihn|sie) "
        r"(?:doch |bitte )?(?:wieder |doch )*(?:raus|runter|weg|heraus)"
    ),
    "fr": rf"{EXCUSES}*(?:enlève|retire|sors|vire|efface|ôte)-l[ea]s?",
    "es": rf"{EXCUSES}*(?:quít|sác|bórr|tách)al[oae]s?",
}
# What was just added belongs elsewhere: "that goes in the other one".
_ELSEWHERE = {
    "en": (
        rf"{EXCUSES}*(?:that|it|this|he|she)(?:['’]s| is| was)? ?(?:belongs?|goes|go|should(?:['’]ve| "
        rf"have)? (?:be|go|been|gone)|"
        r"meant|supposed to (?:be|go)|for)(?: (?:in|on|into|onto|to|for))? (?P<to>.+)"
    ),
    "de": (
        rf"{EXCUSES}*(?:das|der|die|es) (?:gehört|soll|sollte|muss|kommt|war) (?:doch |eigentlich |aber |"
        rf"ja )*(?:in|auf|zu|für|"
        r"nach) (?P<to>.+?)(?: (?:rein|hin|stehen|gedacht|gehören))?"
    ),
    "fr": (
        rf"{EXCUSES}*(?:ça|c['’]|il|elle) ?(?:va|vont|devrait aller|doit aller|était|est) (?:plutôt "
        rf")?(?:dans|sur|pour|à) (?P<to>.+)"
    ),
    "es": rf"{EXCUSES}*(?:eso|esto|era|va|es) ?(?:va |debe ir |debería ir |era |es )?(?:en|a|para) "
    "(?P<to>.+)",
}
_PUT_THERE = re.compile(
    r"[,;.]\s+(?:(?:move|put|stick) (?:it|that|him|her) (?:over )?there|(?:tu|schreib|setz|pack) (?:es|"
    r"das|ihn|sie) (?:da|dort)"
    r"(?: ?(?:hin|rein|drauf))?|mets-l[ea] là|(?:pon|muév|mét)[eo]?l[oa] ahí)\W*$",
    re.IGNORECASE,
)
# One more line of what was just written: "noch Badehose", "bread as well".
_ALSO_LINE = {
    "en": r"(?:and |oh,? |plus )*(?P<what>.+?)(?:,)? (?:too|as well)|(?:and |oh,? )*also (?P<then>.+)",
    "de": (
        r"(?:und |ach,? |auch )*noch (?P<what>.+?)|(?:und )?(?P<then>.+?) (?:auch noch|noch|fehlt noch|"
        r"fehlen noch|"
        r"brauch\w* (?:ich|wir) (?:auch |noch )+)"
    ),
    "fr": r"(?:et |ah,? )*(?P<what>.+?) aussi|(?:et )?(?:aussi|encore) (?P<then>.+)|il manque (?:encore "
    ")?(?P<other>.+)",
    "es": r"(?:y |ah,? )*(?P<what>.+?) también|(?:y )?también (?P<then>.+)|(?:y )?falta(?:n)? (?P<other>.+)",
}
_NO_LINE = re.compile(
    r"(?:me|you|i|we|that|this|it|same|ich|du|mir|dir|das|es|moi|toi|ça|yo|tú|a mí|eso|mal|nicht|ein\w*)\b.*",
    re.IGNORECASE,
)
_NUMBER = (
    r"(?P<number>\d+|two|three|four|five|six|zwei|drei|vier|fünf|sechs|deux|trois|dos|tres|cuatro|cinco)"
)
# How many of what was just added: "make that 3", "il m'en faut 3, le chiffre devant".
_FRONT = (
    r"(?:,? (?:the number|with the number|die zahl|le chiffre|le nombre|el número) (?:in front|first|davor|"
    r"vorne|devant|delante))?"
)
_HOW_MANY = {
    "en": (
        rf"{EXCUSES}*(?:(?:make|put) (?:it|that)|(?:say |write )?(?:that )?(?:i|we) need|(?:it|"
        rf"that)(?:['’]s| should be)) {_NUMBER}"
        rf"(?: of (?:them|those|it))?{_FRONT}|{EXCUSES}*{_NUMBER.replace('number', 'of')} of (?:them|"
        rf"those){_FRONT}"
    ),
    "de": (
        rf"{EXCUSES}*(?:mach|schreib)(?:e)? (?:das |es |davon |da )?{_NUMBER}(?: draus| daraus| davon| "
        rf"stück)?{_FRONT}|"
        rf"{EXCUSES}*(?:davon )?(?:brauch\w* (?:ich|wir) |es sollen |es müssen "
        rf")?{_NUMBER.replace('number', 'of')} "
        rf"(?:davon|stück)(?: sein)?{_FRONT}"
    ),
    "fr": (
        rf"{EXCUSES}*(?:(?:précise|note|écris) qu['’])?(?:il )?(?:m['’]en|nous en|en) faut "
        rf"{_NUMBER}{_FRONT}|"
        rf"{EXCUSES}*mets-en {_NUMBER.replace('number', 'of')}{_FRONT}"
    ),
    "es": (
        rf"{EXCUSES}*(?:pon que )?(?:que )?(?:sean|son|necesito|hacen falta) {_NUMBER}{_FRONT}|"
        rf"{EXCUSES}*pon(?:me)? {_NUMBER.replace('number', 'of')}{_FRONT}"
    ),
}
# What goes along with the act before, whatever it was: "and basil", "the milk too".
_BESIDE = (
    r"(?:(?:oh|ah|ach|ay|ja|yes|oui|sí)[, ]+)*(?:and|plus|und|et|y)"
    r"(?: also| auch| noch| aussi| encore| también)? "
    r"(?P<what>.+?)(?: too| as well| auch(?: noch)?| aussi| également| también)?",
    r"(?P<before>.+?) (?:too|as well|auch(?: noch)?|noch|aussi|également|también)",
)
MOST_BESIDE_WORDS = 2
# More words are one thing where they say how much, or of what.
_MEASURES = re.compile(r"\d|\b(?:of|de|von|del|mit|with|con|avec|for|für|pour|para)\b", re.IGNORECASE)
_POLITE = re.compile(
    r"(?:[,\s]+(?:please|pls|plz|thanks|thx|actually|though|bitte|danke|eigentlich|stp|svp|"
    r"s['’]il (?:te|vous) pla[iî]t|merci|finalement|en fait|por favor|porfa|gracias|en realidad))+$",
    re.IGNORECASE,
)
_ONLY_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)?|two|three|four|five|six|zwei|drei|vier|fünf|sechs|deux|trois|dos|tres|cuatro"
)
MOST_NEW_WORDS = 5


def follow_up(
    asked: str, state: PlanState, around: Surroundings, bare: Callable[[str, str], str]
) -> IntentPlan | None:
    """The plan for a request that only says what is different from the last one; None where it is another.
    `bare` takes polite words off a sentence in a language."""
    if not state.past.calls:
        return tried_again(asked, state, around)
    # "My niece is here then. Could you make it half past two?"
    orders = orders_behind(asked) if is_of_reminder(state) else ()
    for order in (asked, *orders):
        for language in likely_languages(order):
            whole = _POLITE.sub("", order.strip(" .!?¡¿"))
            for plain in dict.fromkeys((whole, bare(order, language))):
                steps = _read(plain, language, state, around, is_asked="?" in order)
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


def _read(
    asked: str, language: str, state: PlanState, around: Surroundings, is_asked: bool = False
) -> tuple[Step, ...]:
    slots = Slots(language)
    calls = state.past.calls
    if is_of_reminder(state):
        return goes_on_from(asked, language, state, around)
    if on_line := _of_last_line(asked, language, state, around):
        return on_line
    # "And basil?" asks.
    if not is_asked and (more := _of_last_list(asked, language, state, around)):
        return more
    others = asked if words("others", language).fullmatch(asked) else ""
    if named := said(_AND_FILES, asked):
        return steps_of(alike(calls, objects_meant(named, slots, state), state, around))
    same = others or other_named(asked, language)
    same = same or named_apart(slots.without_there(said(_SAME[language], asked)), language)
    if same and not slots.is_it(same):
        if (own := _under_own_name(same, slots, state)) is not None:
            return steps_of([own])
        if objects := objects_meant(same, slots, state):
            return steps_of(alike(calls, objects, state, around))
    return correction(asked, language, state, around)


def _of_last_list(asked: str, language: str, state: PlanState, around: Surroundings) -> tuple[Step, ...]:
    """One more thing on the list that something was just added to, or off the one that something was just
    taken from: "and basil", "the milk too", "and the other one"."""
    calls = state.past.calls
    path = str(calls[-1].arguments.get("path", ""))
    if path not in state.files or any(str(each.arguments.get("path", "")) != path for each in calls):
        return ()
    beside = next((found for each in _BESIDE if (found := said(each, asked))), "")
    if calls[-1].name == "append_text":
        # "And text Anna" may be for the list, or to be done.
        is_thing = is_few_words(beside) and not says_more(beside) and not OUT_OF_REACH.search(beside)
        slots = Slots(language)
        # "And photos" may be the folder, and "and scan9" a file that is not there.
        is_thing = is_thing and slots.folder(beside, state) is None and not slots.is_of_series(beside, state)
        return _one_more(beside, path, language, state, around) if is_thing else ()
    if not all(
        each.name == "replace_text" and not str(each.arguments.get("new", "")).strip() for each in calls
    ):
        return ()
    return _taken_too(beside or asked, path, language, state, around)


def is_few_words(thing: str) -> bool:
    """Whether that is short enough for one thing: three words are a sentence as often: "Anna says hi"."""
    count = len(thing.split())
    return 0 < count <= MOST_BESIDE_WORDS or (0 < count <= MOST_NEW_WORDS and bool(_MEASURES.search(thing)))


def _taken_too(
    what: str, path: str, language: str, state: PlanState, around: Surroundings
) -> tuple[Step, ...]:
    text, slots = around.text(path), Slots(language)
    left = [each for each in text.splitlines() if each.strip()]
    # Of two that were there, the one that is left.
    if words("others", language).fullmatch(what):
        old = left[0] if len(left) == 1 else ""
        return steps_of([ParsedCall("replace_text", {"path": path, "old": old, "new": ""})]) if old else ()
    bare = slots.without_the(what)
    if not any(as_written(each, line) for each in (what, bare) for line in left):
        return ()
    done = FileReading(around, language, slots).take_out({"what": what, "to": path}, state)
    return done.steps if done is not None else ()


def _of_last_line(asked: str, language: str, state: PlanState, around: Surroundings) -> tuple[Step, ...]:
    """What becomes of the one line that was just added, exchanged or taken out: other words, another place,
    somebody else, or nothing."""
    (last, *others) = reversed(state.past.calls)
    path = str(last.arguments.get("path", ""))
    known = patterns_of(language)
    # "Mach das wieder rückgängig" is no other wording.
    takes_back = any(each.fullmatch(asked) for name in ("undo", "never_mind") for each in known[name])
    is_on_line = last.name in ("append_text", "replace_text", "write_file") and path in state.files
    if others or takes_back or not is_on_line:
        return ()
    if last.name != "replace_text" and (more := said(_ALSO_LINE[language], asked)):
        return _one_more(more, path, language, state, around)
    if last.name == "write_file":
        return ()
    if last.name == "replace_text" and not str(last.arguments.get("new", "")).strip():
        who = said(_IN_ITS_PLACE[language], _PUT_DOWN.sub("", asked)).strip()
        if not _is_new_line(who, language, state, around):
            return ()
        text = as_list(who, around.text(path), is_quoted=True)
        return steps_of([ParsedCall("append_text", {"path": path, "text": text})])
    added = last.name == "append_text"
    if added and re.fullmatch(_OUT_AGAIN[language], asked, re.IGNORECASE):
        return steps_of(state.past.undo)
    if added and (to := said(_ELSEWHERE[language], _PUT_THERE.sub("", asked))):
        return _put_elsewhere(to, last, language, state, around)
    if added and (number := said(_HOW_MANY[language], asked)):
        return _so_many(number, last, around)
    new = said(_OTHER_WORDS[language], asked)
    return _other_words(new, last, language, state, around) if new else ()


def _one_more(
    said: str, path: str, language: str, state: PlanState, around: Surroundings
) -> tuple[Step, ...]:
    new = re.sub(r"^(?:du |de la |des |de l['’]|some |ein paar |unos |unas )", "", said, flags=re.IGNORECASE)
    new = unquoted(new)
    is_talk = _NO_LINE.fullmatch(new) or is_praise(new) or not is_listed(around.text(path))
    if is_talk or not _is_new_line(new, language, state, around):
        return ()
    text = as_list(new, around.text(path), is_quoted=False)
    return steps_of([ParsedCall("append_text", {"path": path, "text": text})])


def _other_words(
    new: str, last: ParsedCall, language: str, state: PlanState, around: Surroundings
) -> tuple[Step, ...]:
    path = str(last.arguments["path"])
    was = str(last.arguments["text" if last.name == "append_text" else "new"]).strip("\n")
    text, thing = around.text(path), thing_of(was)
    if "\n" in was or not thing or text.count(was) != 1 or not _is_new_line(new, language, state, around):
        return ()
    if _ONLY_NUMBER.fullmatch(new):
        numbers = re.findall(r"\d+(?:[.,]\d+)?", thing)
        if len(numbers) != 1:
            return ()
        new = thing.replace(numbers[0], new)
    call = ParsedCall("replace_text", {"path": path, "old": was, "new": was.replace(thing, new)})
    return steps_of([call]) if new != thing else ()


def _so_many(number: str, last: ParsedCall, around: Surroundings) -> tuple[Step, ...]:
    """How many of what was just added: before its word, or in the place of the number that it has."""
    path, was = str(last.arguments["path"]), str(last.arguments["text"]).strip("\n")
    thing = thing_of(was)
    if "\n" in was or not thing or around.text(path).count(was) != 1:
        return ()
    numbers = re.findall(r"\d+(?:[.,]\d+)?", thing)
    new = thing.replace(numbers[0], number) if len(numbers) == 1 else f"{number} {thing}"
    is_other = len(numbers) < 2 and new != thing
    call = ParsedCall("replace_text", {"path": path, "old": was, "new": was.replace(thing, new)})
    return steps_of([call]) if is_other else ()


def _put_elsewhere(
    to: str, last: ParsedCall, language: str, state: PlanState, around: Surroundings
) -> tuple[Step, ...]:
    """Taken back, and added there; "the other one" is one where there are two texts."""
    path, slots = str(last.arguments["path"]), Slots(language)
    target = slots.file(to, state)
    others = [each for each in state.files if each != path and around.text(each)]
    says_other = words("others", language).fullmatch(to.strip()) or words("other_one", language).search(to)
    if says_other and len(others) == 1:
        target = others[0]
    thing = thing_of(str(last.arguments["text"]))
    if target is None or target == path or not state.past.undo or not thing:
        return ()
    text = as_list(thing, around.text(target), is_quoted=True)
    return steps_of((*state.past.undo, ParsedCall("append_text", {"path": target, "text": text})))


def _is_new_line(new: str, language: str, state: PlanState, around: Surroundings) -> bool:
    """Whether a few words may stand for a line: no file, no place or time, and nothing to be done."""
    slots = Slots(language)
    is_other = files_in(new) or slots.is_it(new) or slots.is_there(new) or _NO_WORDS.search(new)
    is_length = words("other_length", language).search(new) is not None or MAY_ACT.match(new)
    if not new or len(new.split()) > MOST_NEW_WORDS or "," in new or is_other or is_length:
        return False
    return slots.file(new, state) is None and not around.time_in(new, language)


def _under_own_name(phrase: str, slots: Slots, state: PlanState) -> ParsedCall | None:
    """After a renaming, that of another file whose new name is said: "photo2: beach.jpg"."""
    last = state.past.calls[-1]
    found = _OWN_NAME.fullmatch(phrase)
    if found is None or last.name != "move_file":
        return None
    source, target = one_meant(found["what"], slots, state), found["name"]
    if not source or not HAS_ENDING.fullmatch(target) or target in state.files:
        return None
    return ParsedCall("move_file", {"source": source, "destination": named_like(source, target)})


# -- sums that go on ---------------------------------------------------------------------------

# Sums that go on from the last result: "and plus 9?", "divide that by 6", "y menos 25", "and in miles?".
#
# A model that is told the last result adds to another one. So what is said of a result is put behind it
# here, and worked out like every other sum. Pure functions; any thread.

_OPERATORS = (
    (r"(?:plus|\+|más|mas)", "+"),
    (r"(?:minus|less|-|−|moins|menos)", "-"),
    (r"(?:times|multiplied by|mal|fois|por|\*|×|x)", "*"),
    (r"(?:divided by|over|geteilt durch|durch|divisé par|dividido (?:por|entre)|entre|/|÷)", "/"),
)
_FURTHER = re.compile(
    r"(?:and |und |et |y |¿y |now |then |ok,? |jetzt |dann |maintenant )*"
    r"(?:(?:that|it|das|this|the result|ça|eso) )?"
    r"(?P<sign>" + "|".join(pattern for pattern, _ in _OPERATORS) + r")\s*(?P<number>\d[\d.,]*\s*"
    r"(?:%|percent|prozent|pour ?cent|"
    r"por ?ciento)?)\W*",
    re.IGNORECASE,
)
_WORKED_ON = tuple(
    (re.compile(pattern, re.IGNORECASE), sign)
    for pattern, sign in (
        (
            r"(?:multiply (?:it|that|this) by|multipliziere? (?:das|es) mit|"
            r"multiplie[rz]?(?:-le)?(?: ça| cela)? par|"
            r"multiplica(?:lo)?(?: eso| esto)? por) (\d[\d.,]*)\W*",
            "*",
        ),
        (
            r"(?:(?:divide|split|share) (?:it|that|this) by|teile? (?:das|es) durch|"
            r"divise[rz]?(?:-le)?(?: ça| cela)? par|"
            r"div[ií]de(?:lo)?(?: eso| esto)? (?:por|entre)) (\d[\d.,]*)\W*",
            "/",
        ),
        (
            r"(?:add (\d[\d.,]*\s*%?) to (?:it|that|this)|addiere? (\d[\d.,]*)(?: dazu)?|"
            r"(?:ajoute|ajoutes?-y|suma(?:le)?|añade(?:le)?|súmale) (\d[\d.,]*)(?: à ça| a eso)?)\W*",
            "+",
        ),
        (
            r"(?:(?:subtract|take) (\d[\d.,]*\s*%?) (?:from|off|away from) (?:it|that|this)|"
            r"ziehe? (\d[\d.,]*)(?: davon)? ab|"
            r"(?:enlève|retire|soustrais|résta(?:le)?|resta(?:le)?|réstale) (\d[\d.,]*)(?: à ça| a eso)?)\W*",
            "-",
        ),
    )
)
_CONVERTED = re.compile(
    r"(?:and|und|et|y|¿y)?\s*(?:what(?:'s| is) (?:that|it) |was ist das |(?:that|it|das) )?(?:in|en|into)\s+"
    r"(?P<unit>[^\W\d_]+)\W*",
    re.IGNORECASE,
)


_PERCENT = re.compile(r"\s*(?:percent|prozent|pour ?cent|por ?ciento)", re.IGNORECASE)
_OF_IT = r"(?: (?:of )?(?:that|it|this|the result)| davon| de (?:ça|cela)| de eso| del resultado)?"
_SHARES = tuple(
    (re.compile(rf"(?:and |und |et |y |¿y )?(?:davon )?{pattern}{_OF_IT}\W*", re.IGNORECASE), work)
    for pattern, work in (
        (r"(?:(?:one |a )?half|(?:die )?hälfte|la moitié|la mitad)", "/ 2"),
        (r"(?:double|twice|das doppelte|le double|el doble)", "* 2"),
        (r"(?:triple|das dreifache|le triple|el triple)", "* 3"),
        (r"(?:a|one|ein|le|un|el) ?(?:third|drittel|tiers|tercio)", "/ 3"),
        (r"(?:a|one|ein|le|un|el) ?(?:quarter|viertel|quart|cuarto)", "/ 4"),
    )
)
_OF_SHARE = re.compile(
    rf"(?:and |und |et |y )?(?:davon )?(?P<share>\d[\d.,]*)\s*(?:%|percent|prozent|pour ?cent|por ?ciento)"
    rf"{_OF_IT}\W*",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"(?:and|und|et|y|¿y|what about|how about|was ist mit)(?: for| für| pour| para| with| mit| avec| con)?\s+"
    r"(?P<number>\d[\d.,]*)(?P<percent>\s*%)?\s*(?P<unit>[^\W\d_]*)\W*",
    re.IGNORECASE,
)
_PLAIN_NUMBER = re.compile(
    r"\d[\d.,]*(?P<percent>\s*(?:%|percent|prozent|pour ?cent|por ?ciento))?", re.IGNORECASE
)


def same_sum(asked: str, before: str) -> str:
    """The sum of the sentence `before` with the one number that `asked` names: "and 20%?"; "" where there is
    none to exchange."""
    found = _INSTEAD.fullmatch(asked)
    if found is None:
        return ""
    is_share = found["percent"] is not None
    for number in _PLAIN_NUMBER.finditer(before):
        if (number["percent"] is not None) == is_share:
            new = found["number"] + (number["percent"] or "")
            unit = re.match(r"\s*[^\W\d_]+", before[number.end() :])
            # Another unit than before is another question.
            if found["unit"] and (unit is None or unit[0].strip().casefold() != found["unit"].casefold()):
                return ""
            return before[: number.start()] + new + before[number.end() :]
    return ""


_LEADS = re.compile(
    r"^(?:(?:and|then|now|ok(?:ay)?|und|dann|jetzt|et|puis|ensuite|maintenant|y|luego|ahora|después)[,\s]+)+"
    r"(?=(?:the |a |die |das |le |la |el |of |plus|minus|times|[^\W\d_]+))",
    re.IGNORECASE,
)


def sum_going_on(asked: str, value: str) -> str:
    """The sum that `asked` makes of `value`, the last result; "" where it is none."""
    return _going_on(asked, value) or _going_on(_LEADS.sub("", asked), value)


def _going_on(asked: str, value: str) -> str:
    for share, work in _SHARES:
        if share.fullmatch(asked):
            return f"{value} {work}"
    of = _OF_SHARE.fullmatch(asked)
    # "And 20%?" after a share asks for another share of the same; of the result only where that is said.
    if of is not None and re.search(r"\b(?:of|davon|de|del)\b", asked, re.IGNORECASE):
        return f"{of['share']}% of {value}"
    found = _FURTHER.fullmatch(asked)
    if found is not None:
        sign = next(s for pattern, s in _OPERATORS if re.fullmatch(pattern, found["sign"], re.IGNORECASE))
        return f"{value} {sign} {_PERCENT.sub('%', found['number'])}"
    worked = _worked_on(asked)
    if worked is not None:
        return f"{value} {worked}"
    converted = _CONVERTED.fullmatch(asked)
    return f"{value} in {converted['unit']}" if converted is not None else ""


def _worked_on(asked: str) -> str | None:
    """`* 3` of "multiply that by 3"."""
    bare = re.sub(
        r"^(?:and|then|now|und|dann|jetzt|et|puis|y|luego|ahora)\s+", "", asked, flags=re.IGNORECASE
    )
    for pattern, sign in _WORKED_ON:
        found = pattern.fullmatch(bare)
        if found is not None:
            return f"{sign} {next(each for each in found.groups() if each)}"
    return None
