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
    MAY_ACT,
    as_list,
    expression,
    is_listed,
    is_name,
    last_part,
    likely_languages,
    named_like,
    patterns_of,
    thing_of,
    unquoted,
    words,
)
from desktop.chat.orders import is_praise
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
# "…, bring the other one back", which follows from what was meant.
_BRING_BACK = re.compile(
    r"[,;.]\s+(?:(?:and |please )?(?:bring|put|get) (?:the other(?: one)?|it) back|"
    r"(?:und )?(?:hol|bring)\w* (?:die|den|das) ander\w+ (?:wieder )?zurück|"
    r"(?:et )?(?:remets|récupère) l['’]autre|(?:y )?(?:recupera|devuelve) (?:el|la) otr[oa])\W*$",
    re.IGNORECASE,
)
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
# What was just written is to be something else: "make it margarine instead", "lieber Margarine".
_OTHER_WORDS = {
    "en": (
        rf"{_EXCUSES}*(?:(?:make|change|turn) (?:it|that|this)(?: (?:to|into))?|rather|better) (?P<what>.+?)"
        rf"(?: instead| rather)?|{_EXCUSES}*(?P<then>.+?) instead(?: of (?:it|that))?|{_EXCUSES}*i (?:meant|"
        rf"mean)[:,]? (?P<meant>.+)"
    ),
    "de": (
        rf"{_EXCUSES}*(?:mach (?:das|es|daraus|lieber|doch)(?: lieber)?|(?:nimm |schreib )?(?:doch "
        rf")?(?:lieber|besser)|"
        rf"ich meinte?[:,]?) (?P<what>.+?)(?: draus| daraus| stattdessen)?|{_EXCUSES}*(?P<then>.+?) "
        rf"stattdessen"
    ),
    "fr": (
        rf"{_EXCUSES}*(?:(?:mets |écris )?plutôt|(?:change|remplace)(?:-l[ea])? (?:par|en)|je voulais "
        rf"dire) (?P<what>.+)|"
        rf"{_EXCUSES}*(?:mets |écris )?(?P<then>.+?) (?:à la place|plutôt)"
    ),
    "es": (
        rf"{_EXCUSES}*(?:(?:pon |escribe )?(?:mejor|más bien)|cámbial[oa] (?:por|a)|que sea|quería decir) "
        rf"(?P<what>.+)|"
        rf"{_EXCUSES}*(?:pon |escribe )?(?P<then>.+?) (?:mejor|en su lugar|en vez de eso)"
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
    "en": rf"{_EXCUSES}*(?:take|cross|strike|leave|get) (?:it|that|him|her|them) (?:back )?(?:off|"
    "out)(?: again)?",
    "de": (
        rf"{_EXCUSES}*(?:doch (?:nicht|net)[,.]? )?(?:nimm|streich|mach|schmeiß|tu|hau) (?:den|die|das|es|"
        rf"ihn|sie) "
        r"(?:doch |bitte )?(?:wieder |doch )*(?:raus|runter|weg|heraus)"
    ),
    "fr": rf"{_EXCUSES}*(?:enlève|retire|sors|vire|efface|ôte)-l[ea]s?",
    "es": rf"{_EXCUSES}*(?:quít|sác|bórr|tách)al[oae]s?",
}
# What was just added belongs elsewhere: "that goes in the other one".
_ELSEWHERE = {
    "en": (
        rf"{_EXCUSES}*(?:that|it|this|he|she)(?:['’]s| is| was)? ?(?:belongs?|goes|go|should(?:['’]ve| "
        rf"have)? (?:be|go|been|gone)|"
        r"meant|supposed to (?:be|go)|for)(?: (?:in|on|into|onto|to|for))? (?P<to>.+)"
    ),
    "de": (
        rf"{_EXCUSES}*(?:das|der|die|es) (?:gehört|soll|sollte|muss|kommt|war) (?:doch |eigentlich |aber |"
        rf"ja )*(?:in|auf|zu|für|"
        r"nach) (?P<to>.+?)(?: (?:rein|hin|stehen|gedacht|gehören))?"
    ),
    "fr": (
        rf"{_EXCUSES}*(?:ça|c['’]|il|elle) ?(?:va|vont|devrait aller|doit aller|était|est) (?:plutôt "
        rf")?(?:dans|sur|pour|à) (?P<to>.+)"
    ),
    "es": rf"{_EXCUSES}*(?:eso|esto|era|va|es) ?(?:va |debe ir |debería ir |era |es )?(?:en|a|para) "
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
        rf"{_EXCUSES}*(?:(?:make|put) (?:it|that)|(?:say |write )?(?:that )?(?:i|we) need|(?:it|"
        rf"that)(?:['’]s| should be)) {_NUMBER}"
        rf"(?: of (?:them|those|it))?{_FRONT}|{_EXCUSES}*{_NUMBER.replace('number', 'of')} of (?:them|"
        rf"those){_FRONT}"
    ),
    "de": (
        rf"{_EXCUSES}*(?:mach|schreib)(?:e)? (?:das |es |davon |da )?{_NUMBER}(?: draus| daraus| davon| "
        rf"stück)?{_FRONT}|"
        rf"{_EXCUSES}*(?:davon )?(?:brauch\w* (?:ich|wir) |es sollen |es müssen "
        rf")?{_NUMBER.replace('number', 'of')} "
        rf"(?:davon|stück)(?: sein)?{_FRONT}"
    ),
    "fr": (
        rf"{_EXCUSES}*(?:(?:précise|note|écris) qu['’])?(?:il )?(?:m['’]en|nous en|en) faut "
        rf"{_NUMBER}{_FRONT}|"
        rf"{_EXCUSES}*mets-en {_NUMBER.replace('number', 'of')}{_FRONT}"
    ),
    "es": (
        rf"{_EXCUSES}*(?:pon que )?(?:que )?(?:sean|son|necesito|hacen falta) {_NUMBER}{_FRONT}|"
        rf"{_EXCUSES}*pon(?:me)? {_NUMBER.replace('number', 'of')}{_FRONT}"
    ),
}
_ONLY_NUMBER = re.compile(
    r"\d+(?:[.,]\d+)?|two|three|four|five|six|zwei|drei|vier|fünf|sechs|deux|trois|dos|tres|cuatro"
)
MOST_NEW_WORDS = 5
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
        return _tried_again(asked, state)
    for language in likely_languages(asked):
        for plain in dict.fromkeys((asked.strip(" .!?¡¿"), bare(asked, language))):
            steps = _read(plain, language, state, around)
            if steps:
                return IntentPlan(language, steps)
    return None


def _tried_again(asked: str, state: PlanState) -> IntentPlan | None:
    """What was tried with a name that is not there, for the one that was meant: "sorry, I meant a.txt"."""
    past = state.past
    if len(past.failed) != 1:
        return None
    state = replace(state, past=replace(past, calls=past.failed, undo=(), undo_of=(), undo_acts=()))
    for language in likely_languages(asked):
        meant = _said(_MEANT[language], asked.strip(" .!¡"))
        if meant and (steps := _corrected(meant, Slots(language), state)):
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
    if on_line := _of_last_line(asked, language, state, around):
        return on_line
    others = asked if words("others", language).fullmatch(asked) else ""
    if named := _said(_AND_FILES, asked):
        return _steps(_alike(calls, _objects(named, slots, state)))
    same = others or _named_apart(slots.without_there(_said(_SAME[language], asked)), language)
    if same and not slots.is_it(same):
        if (own := _under_own_name(same, slots, state)) is not None:
            return _steps([own])
        if objects := _objects(same, slots, state):
            return _steps(_alike(calls, objects))
    if meant := _said(_MEANT[language], _BRING_BACK.sub("", asked)):
        return _corrected(meant, slots, state)
    return ()


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
    if last.name != "replace_text" and (more := _said(_ALSO_LINE[language], asked)):
        return _one_more(more, path, language, state, around)
    if last.name == "write_file":
        return ()
    if last.name == "replace_text" and not str(last.arguments.get("new", "")).strip():
        who = _said(_IN_ITS_PLACE[language], _PUT_DOWN.sub("", asked)).strip()
        if not _is_new_line(who, language, state, around):
            return ()
        text = as_list(who, around.text(path), is_quoted=True)
        return _steps([ParsedCall("append_text", {"path": path, "text": text})])
    added = last.name == "append_text"
    if added and re.fullmatch(_OUT_AGAIN[language], asked, re.IGNORECASE):
        return _steps(state.past.undo)
    if added and (to := _said(_ELSEWHERE[language], _PUT_THERE.sub("", asked))):
        return _put_elsewhere(to, last, language, state, around)
    if added and (number := _said(_HOW_MANY[language], asked)):
        return _so_many(number, last, around)
    new = _said(_OTHER_WORDS[language], asked)
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
    return _steps([ParsedCall("append_text", {"path": path, "text": text})])


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
    return _steps([call]) if new != thing else ()


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
    return _steps([call]) if is_other else ()


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
    return _steps((*state.past.undo, ParsedCall("append_text", {"path": target, "text": text})))


def _is_new_line(new: str, language: str, state: PlanState, around: Surroundings) -> bool:
    """Whether a few words may stand for a line: no file, no place or time, and nothing to be done."""
    slots = Slots(language)
    is_other = files_in(new) or slots.is_it(new) or slots.is_there(new) or _NO_WORDS.search(new)
    is_length = words("other_length", language).search(new) is not None or MAY_ACT.match(new)
    if not new or len(new.split()) > MOST_NEW_WORDS or "," in new or is_other or is_length:
        return False
    return slots.file(new, state) is None and not around.time_in(new, language)


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
        return f"{place.rstrip('/')}/{last_part(source)}" if place else last_part(source)
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
