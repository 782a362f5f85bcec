"""What was done by mistake: taken back, and done to what was meant, or put where it was meant.

"No, not that one, scan2", "sorry, I meant brief.txt", "wrong folder, into kitchen": the sentence names only
what is right. What was done is taken back first, and the same call is made with the one value exchanged.
Where the sentence could mean two things nothing is planned.

Pure functions over what a conversation has; any thread.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState, Step, Surroundings
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    MAY_ACT,
    is_name,
    language_of,
    last_part,
    likely_languages,
    named_like,
    say,
    spelled_out,
    unquoted,
)
from desktop.chat.orders import is_order, says_more
from desktop.chat.repeated_calls import (
    alike,
    before_it,
    copied_from,
    objects_meant,
    placed_elsewhere,
    said,
    steps_of,
)
from desktop.chat.request_kinds import is_act
from desktop.chat.tool_choice import files_in

# "Wrong folder, …": what was done is called wrong, and nothing else is said of it.
_WRONG = (
    r"(?:that(?:['’]s| is| was) )?(?:the )?wrong (?:one|file|folder|place|list|name|spot)|"
    r"(?:das (?:war|ist) )?(?:(?:der|die|das|in den|in die) )?"
    r"falsche[rsn]? (?:datei|ordner|liste|ort|name|stelle)|"
    r"(?:c['’](?:est|était) )?(?:le |la )?mauvaise? (?:fichier|dossier|endroit|liste|nom)|"
    r"(?:archivo|carpeta|lista|sitio|lugar|nombre) equivocad[oa]"
)
EXCUSES = (
    r"(?:(?:oh|oops|ups|uups|sorry|wait|no|nope|nah|nein|nee|ne|nö|ach|hoppla|moment|mist|quatsch|actually|"
    r"hm+|or rather|on second thought|"
    r"entschuldigung|eigentlich|non|nan|pardon|désolée?|oups|zut|attends|finalement|en fait|perdón|"
    r"perdona|ay|"
    r"espera|mejor dicho|"
    rf"al final|en realidad|{_WRONG})[,.!]*\s+)"
)
_NAME = r"[^\s,;]+\.[a-z]\w{1,4}"
_INTO = r"(?:into|inside|in|to|under|nach|ins|dans|vers|à|au|en|a|al)"
_LEADS = rf"(?:{EXCUSES}|\w+[,!]+\s+){{0,4}}"  # "damn, …": whatever is called out
_MEANT = {
    "en": (
        rf"{EXCUSES}*i (?:meant|wanted) (?P<named>\S+) (?:deleted|removed|gone|moved|read)\b.*|"
        rf"{EXCUSES}*i (?:meant|mean|wanted)[:,]? (?P<what>.+)|"
        rf"{EXCUSES}+(?:it was|it should be|rather|better) (?P<before>.+)|"
        rf"{EXCUSES}*(?:put it back|bring it back|"
        r"undo that)?[,.]?\s*it was (?P<then>\S+) (?:that )?i (?:meant|wanted)\b.*|"
        rf"{EXCUSES}*(?:it|that) should have been (?P<other>.+)|"
        rf"{_LEADS}not (?:that|this)(?: one)?[,.;:!]*\s+(?:but |it was |i meant )?(?P<not_that>.+)|"
        rf"{_LEADS}not (?:the )?[^\s,;]+(?: [^\s,;]+)?[,;.:]+\s+(?:but |it was |i meant )?(?P<not_it>.+)|"
        rf"{EXCUSES}+(?P<alone>{_NAME})|{EXCUSES}+(?P<place>{_INTO} .+)|"
        rf"(?:no[,.!]* )+(?P<else>the other .+)"
    ),
    "de": (
        rf"{EXCUSES}*(?:ich meinte?|gemeint war|ich wollte)[:,]? (?P<what>.+)|"
        rf"{EXCUSES}+(?:lieber |doch |besser |dann )+(?P<before>.+)|(?:lieber |doch |besser )+(?P<then>\S+)|"
        rf"{EXCUSES}*es (?:war|hätte) (?P<other>\S+)(?: sein sollen|,? (?:was|die|den|das) ich .+)|"
        rf"{_LEADS}nicht (?:die|der|den|das|diese[nrs]?)(?: da)?[,.;:!]*\s+(?:sondern )?(?P<not_that>.+)|"
        rf"{_LEADS}nicht (?:die |der |den |das )?[^\s,;]+[,;.:]+\s+(?:sondern )?(?P<not_it>.+)|"
        rf"{EXCUSES}+(?P<alone>{_NAME})|{EXCUSES}+(?P<place>{_INTO} .+)|"
        rf"(?:nein[,.!]* |nee[,.!]* )+(?P<else>d(?:ie|er|as|en) andere.*)"
    ),
    "fr": (
        rf"{EXCUSES}*(?:je voulais dire|je pensais à)[:,]? (?P<what>.+)|"
        rf"{EXCUSES}+(?:plutôt|c['’]était|mieux) (?P<before>\S+)|"
        rf"{EXCUSES}*(?:remets-l[ea]|annule(?: ça)?)?[,.]?\s*c['’]était (?P<then>\S+) (?:qu['’]|que ).+|"
        rf"{_LEADS}pas (?:celui|celle)-(?:là|ci)[,.;:!]*\s+(?:mais |c['’]était )?(?P<not_that>.+)|"
        rf"{_LEADS}pas (?:le |la |l['’])?[^\s,;]+[,;.:]+\s+(?:mais )?(?P<not_it>.+)|"
        rf"{EXCUSES}+(?P<alone>{_NAME})|{EXCUSES}+(?P<place>{_INTO} .+)|"
        rf"(?:non[,.!]* )+(?P<else>l['’]autre.*)"
    ),
    "es": (
        rf"{EXCUSES}*(?:quería decir|quise decir|me refería a)[:,]? (?P<what>.+)|"
        rf"{EXCUSES}+(?:era|mejor|más bien) (?P<before>\S+)|"
        rf"{EXCUSES}*(?:recupéral[oa]|deshazlo|devuélvel[oa])?[,.]?\s*era (?P<then>\S+) (?:el|la|lo) que .+|"
        rf"{_LEADS}es[eao] no[,.;:!]*\s+(?:sino |era )?(?P<not_that>(?:el |la )?[^\s,;]+|"
        r"(?:el|la) otr[oa].*)|"
        rf"{_LEADS}(?:no (?:el |la )?[^\s,;]+|(?:el |la )?[^\s,;]+ no)[,;.:]+\s+(?:sino )?(?P<not_it>.+)|"
        rf"{EXCUSES}+(?P<alone>{_NAME})|{EXCUSES}+(?P<place>{_INTO} .+)|"
        rf"(?:no[,.!]* )+(?P<else>(?:el|la) otr[oa].*)"
    ),
}

# "It was Gwen, not Lucy": a word that was said, and the one that was meant.
_WORDS = r"[^\s,;.]+(?: [^\s,;.]+){0,3}?"
_IT_WAS = (
    r"(?:it(?:['’]s| is| was)|that was|i (?:meant?|said)|es (?:war|ist|waren|sind)|(?:das )?(?:war|waren)|"
    r"ich (?:meinte?|meine)|c['’](?:est|était)|je voulais dire|(?:lo )?era|eran|es|quería decir)"
)
_INSTEAD = re.compile(
    rf"{EXCUSES}*(?:{_IT_WAS} )?(?:"
    rf"(?P<meant>{_WORDS}),? (?:and |und |et |y )?(?:not|nicht|pas|no) (?P<said>{_WORDS})|"
    rf"(?:not|nicht|pas|no) (?P<said_first>{_WORDS})(?:,? (?:but|sondern|mais|sino)|,) "
    rf"(?P<meant_then>{_WORDS}))\W*",
    re.IGNORECASE,
)

# "…, bring the other one back", "…, the other copy can go": it follows from what was meant.
_FOLLOWS = re.compile(
    r"[,;.]\s+(?:(?:and |please )?(?:(?:bring|put|get) (?:the other(?: one)?|it) back|"
    r"(?:take|get|remove|delete|throw|bin|lose) (?:rid of )?(?:the other|that)(?: one| copy| file)?"
    r"(?: (?:away|out|off))?(?: again)?|the other (?:one|copy|file) can go(?: away)?(?: again)?)|"
    r"(?:und )?(?:(?:hol|bring)\w* (?:die|den|das) ander\w+ (?:wieder )?zurück|"
    r"(?:die|den|das|der) ander\w+(?: \w+)? (?:kann|soll|darf) (?:wieder )?(?:weg|raus)|"
    r"(?:nimm|lösch|mach|tu|wirf|entfern)\w* (?:die|den|das) ander\w+(?: \w+)?(?: wieder)?"
    r"(?: (?:weg|raus))?)|"
    r"(?:et )?(?:remets|récupère|enlève|supprime|retire) l['’]autre(?: \w+)?|"
    r"(?:y )?(?:recupera|devuelve|quita|borra|elimina) (?:el|la) otr[oa](?: \w+)?)\W*$",
    re.IGNORECASE,
)
# Behind what was meant: "scan2.txt mein ich".
_SAYS_SO = re.compile(
    r",?\s+(?:i mean(?:t)?|mein(?:te)? ich|(?:je )?(?:voulais dire|veux dire)|digo|quería decir|quiero decir|"
    r"instead|lieber|stattdessen|plutôt|mejor)$",
    re.IGNORECASE,
)
_TOWARDS = re.compile(r"(?:to|à|au|a|al|in)\s", re.IGNORECASE)
_NAMES_NOTHING = re.compile(r"(?:it|that|this|so|es|das|dies|ça|cela|eso|esto|lo)(?: too)?", re.IGNORECASE)
_POINTED = re.compile(
    rf"^(?:it|that|them|one|sie|es|ihn|das|die|le|la|les|lo|las|los)\s+(?={_INTO}\s)", re.IGNORECASE
)
_PLACE = re.compile(
    rf"{_INTO}\s+(?:(?:den|die|das|dem|der|le|la|l['’]|el|un|une|una|eine?[nm]?|an?|the)\s+)?(?=\S)",
    re.IGNORECASE,
)


def correction(asked: str, language: str, state: PlanState, around: Surroundings) -> tuple[Step, ...]:
    """What takes back the last act and does it to what `asked` names as meant; () where it names nothing."""
    meant = said(_MEANT[language], _FOLLOWS.sub("", asked))
    return _corrected(_SAYS_SO.sub("", meant), Slots(language), state, around) if meant else ()


def tried_again(asked: str, state: PlanState, around: Surroundings) -> IntentPlan | None:
    """What was tried with a name that is not there, for the one that was meant: "sorry, I meant a.txt"."""
    past = state.past
    if len(past.failed) != 1:
        return None
    state = replace(state, past=replace(past, calls=past.failed, undo=(), undo_of=(), undo_acts=()))
    for language in likely_languages(asked):
        if steps := correction(asked.strip(" .!¡"), language, state, around):
            return IntentPlan(language, steps)
    return None


def reworded(asked: str, before: str) -> str:
    """The message `before` with the word exchanged that `asked` calls wrong: "it was Gwen, not Lucy"; ""
    where it calls none of them so."""
    found = _INSTEAD.fullmatch(asked.strip())
    if found is None:
        return ""
    meant, wrong = found["meant"] or found["meant_then"], found["said"] or found["said_first"]
    form = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)", re.IGNORECASE)
    return form.sub(meant, before) if len(form.findall(before)) == 1 else ""


def _corrected(meant: str, slots: Slots, state: PlanState, around: Surroundings) -> tuple[Step, ...]:
    """What was done is taken back and done to what was meant; a new name is given to the file itself."""
    calls, past = state.past.calls, state.past
    # "No, I mean it" names nothing.
    if len(calls) != 1 or len(past.undo) > 1 or _NAMES_NOTHING.fullmatch(meant):
        return ()
    (last,) = calls
    name = unquoted(slots.without_the(meant))
    source = copied_from(last, state, around)
    was = source or str(last.arguments.get("source", last.arguments.get("path", "")))
    objects = objects_meant(meant, slots, before_it(state, was))
    if not objects and (beside := slots.one_of_series(meant, state)) is not None:
        objects = (beside,)
    if last.name == "move_file" and not objects and is_name(name) and HAS_ENDING.fullmatch(last_part(name)):
        now = str(last.arguments["destination"])
        return steps_of(
            [ParsedCall("move_file", {"source": past.file or now, "destination": named_like(now, name)})]
        )
    if not objects:
        return _elsewhere(meant, last, slots, state, around)
    if len(objects) != 1 or objects[0] == was:
        return ()
    again = alike(calls, objects, _taken_back(state, last), around)
    return steps_of((*past.undo, *again)) if again else ()


def _elsewhere(
    meant: str, last: ParsedCall, slots: Slots, state: PlanState, around: Surroundings
) -> tuple[Step, ...]:
    """The last move or copy, taken back and made into the folder that `meant` names."""
    bare = _POINTED.sub("", meant)
    place = _PLACE.match(bare)
    if place is None or last.name not in ("move_file", "write_file") or not state.past.undo:
        return ()
    said_place = bare[place.end() :]
    is_named = slots.says_folder(said_place) or slots.folder(said_place, state) is not None
    # "No to everything": what is made for it has to be a place beyond doubt.
    if not is_named and (_TOWARDS.match(bare) or says_more(said_place)):
        return ()
    folder = slots.target_folder(said_place, state)
    again = placed_elsewhere(last, folder, state, around) if folder else ()
    return steps_of((*state.past.undo, *again)) if again else ()


def _taken_back(state: PlanState, last: ParsedCall) -> PlanState:
    """Without the file that the last copy made, which is gone once it is taken back."""
    made = last.arguments.get("path") if last.name == "write_file" else None
    return replace(state, files=tuple(each for each in state.files if each != made))


# -- an order that is taken back ---------------------------------------------------------------

# An order that is taken back before the message has ended: "delete todo.txt, no wait, don't".
#
# Only what stands at the very end counts, and only words that say nothing else: "no wait, scan2" is
# another order, and stays one. Where the words could belong to what is to be written ("say no") nothing
# is taken back. Pure functions; any thread.

LONGEST = 400  # characters; what is longer is a text
# Of each language: what only fills the moment, a no, what takes back by itself, and what does beside a no.
_TAKES_BACK = {
    "en": (
        r"oh|ah|uh+|um+|erm|hm+|wait|hang on|hold (?:on|up)|sorry|oops|actually|well|ok(?:ay)?|please|pls|"
        r"on second thoughts?|just kidding|maybe",
        r"no+|nope|nah|stop",
        r"never ?mind|scratch that|forget (?:it|that)|(?:better|rather|maybe) not|not after all|"
        r"(?:do not|don['’]?t)(?: (?:do|delete|touch|send|move|remove|change|rename|write) "
        r"(?:it|that|them|any ?thing))?|"
        r"(?:i(?:['’]ve)? )?changed my mind|cancel (?:that|it)|"
        r"leave (?:it|that|them) (?:there|be|alone|as (?:it|they) (?:is|are))",
        r"leave (?:it|that|them)|keep (?:it|that|them)|not (?:now|yet|that)|cancel",
    ),
    "de": (
        r"ach|oh|äh+m?|öh+|hm+|halt|stopp?|warte?(?: mal)?|moment(?: mal)?|sorry|ups|quatsch|doch|lieber|"
        r"bitte|eigentlich|ok(?:ay)?|mal",
        r"nein|ne+|nö",
        r"(?:doch|lieber)(?: (?:doch|lieber))? nicht|vergiss (?:es|das)|"
        r"lass (?:es|das|sie|ihn|mal|gut sein|stecken)(?: (?:doch|lieber|mal|so|bleiben|sein|gut))*|"
        r"(?:mach|lösch|verschieb|schick|schreib)\w*(?:['’]?s| (?:sie|ihn|es|das|die|den))?"
        r"(?: (?:doch|lieber|bitte))* nicht|nicht (?:machen|löschen|verschieben|umbenennen|schreiben)|"
        r"(?:ich )?hab(?:e|['’]?s| es)? (?:es )?mir anders überlegt",
        r"nicht|behalt\w*(?: (?:sie|ihn|es|die|das))?|abbrechen|bleibt?(?: so)?",
    ),
    "fr": (
        r"oh|ah|euh|heu|attends|attendez|en fait|finalement|oups|pardon|désolée?|bon|ben|mince|plutôt|"
        r"surtout|s['’]il (?:te|vous) plaît|stp|svp",
        r"non|nan|stop",
        r"(?:en fait|finalement|surtout|plutôt) pas|laissez?(?:[- ](?:l[ea]s?|tomber|ça|comme ça))+|"
        r"(?:ne )?(?:l[ea]s? |l['’])?(?:supprim|effac|fai|touch|boug|envoi|déplac)\w*"
        r"(?:[- ](?:l[ea]s?|rien))?(?: (?:surtout|finalement))? pas|ne fais rien|oublie(?: ça)?|"
        r"pas la peine|annule (?:ça|tout)|j['’]ai changé d['’]avis",
        r"gardez?(?:[- ]l[ea]s?)?|pas|annule",
    ),
    "es": (
        r"ay|eh|em+|espera|perdón|perdona|bueno|mejor|en realidad|uy|ups|por favor|a ver|que",
        r"no|alto",
        r"mejor no|d[ée]jal[oa]s?(?: (?:así|estar|como está))?|olv[ií]dal[oa]|"
        r"no (?:l[oa]s? )?(?:borres|hagas|muevas|toques|elimines|envíes|escribas)(?: nada)?|cancela eso|"
        r"(?:he cambiado|cambié) de (?:idea|opinión)",
        r"gu[aá]rdal[oa]|cons[eé]rval[oa]|cancela",
    ),
}
_BREAK = r"[\s,.;!?…–—-]"
# Behind these words stands what is to be said or written, whatever it says.
_GIVES_WORDS = re.compile(
    r"(?::|\b(?:say|says|saying|tell(?: \w+)?|write|that|called|named|sag\w*|schreib\w*|dass|dis|écris|que|"
    r"di|escribe))\s*$",
    re.IGNORECASE,
)


def is_taken_back(message: str) -> bool:
    """Whether a message begins with an order and ends by taking it back."""
    return bool(_languages(message))


def told_taken_back(message: str) -> str:
    """What is said to it, in its language: that of the words by which it is taken back."""
    like, languages = language_of(message), _languages(message)
    return say("taken_back", like if like in languages or not languages else languages[0])


def _languages(message: str) -> tuple[str, ...]:
    """Those in which it is taken back."""
    said = spelled_out(message.strip())
    # "…, no?" asks whether it is so.
    if len(said) > LONGEST or "\n" in said or said.endswith("?"):
        return ()
    return tuple(each for each in _TAKES_BACK if _takes_back(said, each))


def _takes_back(message: str, language: str) -> bool:
    found = _ending(language).search(message)
    if found is None:
        return False
    order, ending = message[: found.start()], found["ending"]
    filler, no, strong, weak = (
        len(re.findall(rf"(?<!\w)(?:{each})(?!\w)", ending, re.IGNORECASE)) for each in _TAKES_BACK[language]
    )
    is_apart = re.search(r"[^\w\s]", found["break"]) is not None
    is_said = (
        (strong and (is_apart or no or filler)) or (no and weak) or no > 1 or (no and (filler or is_apart))
    )
    if not is_said or _GIVES_WORDS.search(order):
        return False
    return bool(is_act(order) or is_order(order) or MAY_ACT.search(order) or files_in(order))


@cache
def _ending(language: str) -> re.Pattern[str]:
    filler, no, strong, weak = _TAKES_BACK[language]
    # Once read a word is not read otherwise ("mejor no" as two): the time stays that of the text's length.
    word = rf"(?>(?:{strong}|{weak}|{no}|{filler})(?!\w)){_BREAK}*+"
    return re.compile(rf"(?P<break>{_BREAK}+)(?P<ending>(?<!\w)(?:{word})++)$", re.IGNORECASE)
