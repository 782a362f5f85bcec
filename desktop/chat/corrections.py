"""What was done by mistake: taken back, and done to what was meant, or put where it was meant.

"No, not that one, scan2", "sorry, I meant brief.txt", "wrong folder, into kitchen": the sentence names only
what is right. What was done is taken back first, and the same call is made with the one value exchanged.
Where the sentence could mean two things nothing is planned.

Pure functions over what a conversation has; any thread.
"""

from __future__ import annotations

import re
from dataclasses import replace

from desktop.chat.done_again import (
    alike,
    before_it,
    copied_from,
    objects_meant,
    placed_elsewhere,
    said,
    steps_of,
)
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, PlanState, Step, Surroundings
from desktop.chat.intent_slots import Slots
from desktop.chat.intent_words import (
    HAS_ENDING,
    is_name,
    last_part,
    likely_languages,
    named_like,
    unquoted,
)
from desktop.chat.orders import says_more

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
