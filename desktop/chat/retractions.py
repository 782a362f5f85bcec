"""An order that is taken back before the message has ended: "delete todo.txt, no wait, don't".

Only what stands at the very end counts, and only words that say nothing else: "no wait, scan2" is another
order, and stays one. Where the words could belong to what is to be written ("say no") nothing is taken back.
Pure functions; any thread.
"""

from __future__ import annotations

import re
from functools import cache

from desktop.chat.intent_words import MAY_ACT, language_of, say, spelled_out
from desktop.chat.orders import is_order
from desktop.chat.request_kinds import is_act
from desktop.chat.tool_choice import files_in

LONGEST = 400  # characters; what is longer is a text
# Of each language: what only fills the moment, a no, what takes back by itself, and what does beside a no.
_WORDS = {
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
    return tuple(each for each in _WORDS if _takes_back(said, each))


def _takes_back(message: str, language: str) -> bool:
    found = _ending(language).search(message)
    if found is None:
        return False
    order, ending = message[: found.start()], found["ending"]
    filler, no, strong, weak = (
        len(re.findall(rf"(?<!\w)(?:{each})(?!\w)", ending, re.IGNORECASE)) for each in _WORDS[language]
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
    filler, no, strong, weak = _WORDS[language]
    # Once read a word is not read otherwise ("mejor no" as two): the time stays that of the text's length.
    word = rf"(?>(?:{strong}|{weak}|{no}|{filler})(?!\w)){_BREAK}*+"
    return re.compile(rf"(?P<break>{_BREAK}+)(?P<ending>(?<!\w)(?:{word})++)$", re.IGNORECASE)
