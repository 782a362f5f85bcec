"""How what is said of a thing stands in a sentence: the table of `contradictions.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import takewhile

from desktop.memory import answer_type_patterns
from desktop.memory.statement_patterns import (
    APART,
    ARTICLES,
    CONTRACTED,
    OPENING,
    PREPOSITIONS,
    WORD,
    any_case,
)
from desktop.memory.statements import stem

FEWEST_LETTERS = 4  # of two forms of one word, which differ in their end
MOST_OF_A_WORD = 0.7  # that two of one family begin with: Versicherung, versichert
LONGEST_END = 2

# For some days, once, by way of trial, or of what is somebody else's.
PASSING = any_case(
    r"\b(?:for (?:a|the|one|two|three|\d+|this) (?:\w+ )?(?:days?|weeks?|weekend|nights?|months?|holidays?"
    r"|summer|conference|talk|trip)|tonight|today|yesterday|this (?:week|weekend|morning|evening|time)"
    r"|(?:this|last|next|on) (?:mon|tues|wednes|thurs|fri|satur|sun)day(?! (?:and|at)\b)(?=.*\b(?:to|because"
    r"|we went)\b)|last (?:week|night|weekend)|on (?:holiday|vacation|a trip|tour)|while|rent(?:ed|ing)"
    r"|borrow\w*|lent|loan\w*|hired|look(?:ed|ing) at|visit\w*|tried|dinner|lunch|heute|gestern|gerade"
    r"|diese (?:woche|nacht)|im urlaub|in den ferien|zu besuch|ausnahmsweise|während|(?-i:mieten?)|gemietet"
    r"|gelieh\w+|ausgelieh\w+|besichtigt|besucht|probiert|aujourd['’]hui|hier|vacances|cette semaine|pendant"
    r"|loué\w*|emprunté\w*|prêté\w*|visité\w*|essayé\w*|hoy|ayer|vacaciones|esta semana|mientras|alquil\w*"
    r"|prest\w*|visit\w+|probado|probamos)\b"
)
OF_THE_PAST = any_case(
    r"(?<!^)\b(?:was|were)\b|\b(?:did|had|hatten?|waren?|wurden?|ai[- ]je|avait|était|hice|hicimos|fui|fue"
    r"|fuimos|había)\b"
    r"|\b(?:habe?n?|bin|sind) (?:ich|wir)\b.*\b(?:ge\w+(?:t|en)|\w+iert)\W*$|\b(?:j['’]ai|avons)\b.*\w+é\W*$"
)
# English says by its ending that several are asked for.
SEVERAL_ASKED = any_case(r"\b(?:what|which)\s+(?:kinds? of\s+)?\w{2,}(?<![su])s\s(?:do|does|has|have|are)\b")
DENIALS = any_case(r"\b(?:not|nicht|kein\w*|pas|no|without|ohne|sans|sin|will|wants?)\b|n['’]t\b")
CHANGED = any_case(
    r"\b(?:now|nowadays|these days|instead|from now|as of|starting|since|no longer|any ?more|again|after all"
    r"|only|new|another|different|chang\w+|switch\w*|mov(?:ed?|ing)|shift\w*|push\w*|postpon\w*|reschedul\w*"
    r"|extend\w*|brought|rais\w+|lower\w*|renam\w*|replac\w*|upgrad\w*|turn(?:s|ed)|went|gone|got|has become"
    r"|became|jetzt|nun|inzwischen|mittlerweile|neuerdings|seit\w*|ab|künftig|erst|nur noch|statt\w*|sondern"
    r"|doch|wieder|neue\w?|ander\w+|ge(?:legt|ändert|wechselt|zogen|stiegen|senkt|setzt)|\w+(?:verlegt|legt"
    r"|stellt|schoben|zogen|höht|duziert)|maintenant|désormais|depuis|dorénavant|à partir|finalement|plutôt"
    r"|nouve\w+|autre|passe|passée?|change\w*|ahora|desde|a partir|ya|al final|nuev[oa]|otr[oa]|pas(?:a|ó"
    r"|ado)|cambi\w+|será)\b|n['’]t\b"
)
IS = any_case(
    r"\b(?:is|are|will be|be|has been|ist|sind|wird|liegt|hängt|steht|est|sera|es|son|será|está)\b|['’]s\b"
)
_GOAL = any_case(
    r"\b(?:to|into|onto|until|till|auf|nach|in (?:die|den|das)|ins|au|aux|à|jusqu['’]\w*|al?|hasta|en)\W+"
    r"(?:(?:the|a|an|my|den|die|das|le|la|les|el|los|las)\W+)?$"
)
_ELISION = any_case(r"\b(?:l|d|j|m|s|n|c|qu|t)['’](?=\w)")
_QUALIFIERS = r"of|for|from|back|vom|von|der|des|für|beim|zur|zum|aus|nach|de|du|des|del|para|pour|por"
BEGAN = any_case(
    r"\b(?:start(?:s|ed)?|began|begun|angefangen|begonnen|commencé|empez\w+|empecé)\b.*\b(?:this week|today"
    r"|yesterday|diese woche|heute|gestern|cette semaine|aujourd['’]hui|hier|esta semana|hoy|ayer)\b"
    r"|\bab heute\b|\b(?:from|since|as of|starting) (?:today|yesterday|this week)\b|\bseit gestern\b"
    r"|\bà partir d['’]aujourd['’]hui\b|\bdesde (?:hoy|ayer)\b"
)
_WAY_BACK = frozenset(("back", "home", "zurück", "retour", "vuelta"))
MINE = any_case(
    r"\b(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|nos|mi|mis|nuestr[oa]s?)\s+(?P<what>[\w'’-]+)"
)
BEGINS_WITH_ONESELF = any_case(
    r"^\W*(?:i|we|ich|wir|je|on|nous|yo|vivo|trabajo|tengo|soy|estoy|pago|tomo)\b|^\W*(?:i|we|j)['’]"
    r"|^\W*\S+ (?:\S+ )?(?:zahle|trinke|nehme|fahre|esse|gehe|spiele|lerne|benutze) ich\b"
)
# Whose something is, or for whom: "for my sister", "of my boss", "mom's".
OF_SOMEBODY = any_case(
    r"\b(?:for|of|für|von|vom|pour|de|du|para|del)\s+(?:(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|mi|mis"
    r"|nuestr[oa])\s+)?(?P<who>[\w'’-]+)|\b(?:mein|unser)e[sr]\s+(?P<german>\w+)|\b(?P<owner>(?:brother|sister|mother|father|mum|mom|dad|wife|husband|son|daughter|friend|boss|neighbour)s?)['’]s\b"
    r"|['’]s\s+(?P<relative>\w+)"
)
# That something is so no more, or again.
DENIED = any_case(
    r"\b(?:not|never|no longer|off|stopped|quit|gave up|given up|without|nicht|nie|kein\w*|aufgehört|ohne|ne"
    r"|jamais|arrêté|sans|no|nunca|dejé|dejado|sin)\b|n['’]t\b"
)
BY_WHEN = any_case(r"\b(?:before|vor|bevor|avant|antes)\b")
NOUN_LIKE = re.compile(r"(?!(?:is|are|was|has|had|died|broke|went|got|ist|hat|war|est|a|es|ha)$)[^\W\d_]+")
AGAIN = any_case(r"\b(?:again|wieder|à nouveau|de nouveau|otra vez|de nuevo)\b")
YES_OR_NO = any_case(
    r"^\W*(?:do|does|am|are|is|can|have|has|bin|ist|sind|habe|haben|hat|darf|kann|esse|trinke|rauche|suis|est|ai|peux"
    r"|mange|soy|es|puedo|como|fumo|tengo|est-ce que)\b"
)
ONE_MORE = any_case(r"\b(?:a second|ein\w{0,2} zweite\w?|une? (?:deuxième|second\w?)|una? segund[oa])\b")
# What is needed or looked for is not had.
WANTED = any_case(
    r"\b(?:need\w*|want\w*|look(?:ing|ed)? for|for|search\w*|wait\w*|brauch\w*|such\w*|will|möchte\w*"
    r"|warte\w*|für|besoin|cherch\w*|veux|voudrais|pour|necesit\w*|busc\w*|quier\w*|para)\b"
)
# "Traded the Captur for a Mazda".
SWAPPED = any_case(r"\b(?:for|against|gegen|pour|contre|por)\s+(?:an?|ein\w{0,2}|une?|una?)\s")
TO_ONESELF = any_case(r"\b(?:me|us|mir|uns|mich|nous|nos)\b")
_FOR = any_case(r"\b(?:for|für|pour|para)\s+(?:\w+\s+)?$")
# Of these one has the name that is asked for in the question itself.
ASKS_WHAT_IT_IS = any_case(
    r"\bwhat(?:['’]s|\s+(?:is|are|was|were))\b|\b(?:was|wie)\s+(?:ist|sind|lautet)\b|\bquel\w*\s+(?:est|sont)\b"
    r"|\bcuál\w*\s+(?:es|son)\b|\bwie heiß|\bcomment\b|\bcómo\b"
)
NAMES = any_case(
    r"\b(?:called|named?|renamed?|rebaptis\w+|rebautiz\w+|umbenannt|answers to|goes by|heiß\w*|heiss\w*"
    r"|s['’]appelle|llama|new|neue\w?|nouve\w+|nuev[oa]|replac\w+|chang\w+)\b"
)
# Words under which the table has several people.
SEVERAL = frozenset(("in-laws", "relative", "grandchild", "twin", "baby", "child", "parent", "sibling"))
CALLED = re.compile(r"^(?:call|nam|heiß|heiss|appell|llam|nom$|nombre$)")
SAY_NOTHING = frozenset("get gets got getting go goes going now new also still really just back".split())
MAY_STAND_BEFORE = answer_type_patterns.OF_A_KIND | frozenset(("other", "any", "every", "each"))
_NO_UNITS = """
    a an the of to in on at for by with from as and or is are my our now again already these day this that per
    der die das den dem im am auf für von und ist sind jetzt nun nur pro le la les de du des au à et est
    maintenant par el los las del al y es ahora por
"""
NO_UNITS = frozenset(_NO_UNITS.split())
_SUBORDINATE = any_case(r"\s+(?:because|so|weil|denn|car|porque)\s+")


def clauses(sentence: str) -> list[str]:
    """Each with what it says of one thing; "since" and "so" begin another one."""
    whole = OPENING.sub("", sentence.strip())
    parts = [part for each in APART.split(whole) for part in _SUBORDINATE.split(each) if part.strip()]
    return parts or [whole]


def plain(text: str) -> list[str]:
    """The words in small letters, without what French puts before them."""
    bare = _ELISION.sub(" ", text.replace("’", "'"))
    return [word.casefold().removesuffix("'s").strip("'-") for word in WORD.findall(bare)]


def are_forms(one: str, other: str) -> bool:
    """Two forms of one word: weigh and weight, jefe and jefa."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < FEWEST_LETTERS:
        return False
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(short, long, strict=False)))
    has_other_end = same >= len(short) - 1 and len(long) - same <= LONGEST_END
    return has_other_end or same >= MOST_OF_A_WORD * len(long)


def are_alike(one: str, other: str) -> bool:
    """Two forms of one word, or a German one that begins with the other; two numbers only if they are one."""
    if one == other:
        return True
    if one[:1].isdigit() or other[:1].isdigit():
        return False
    short, long = sorted((one, other), key=len)
    begins = len(short) >= FEWEST_LETTERS and long.startswith(short) and len(long) > len(short) + 2
    return begins or are_forms(one, other)


def verbs_in(question: str) -> frozenset[str]:
    """The stems of what is done in a question: in English the last word of "when does the club meet", in
    German what is written small."""
    verbs = {
        (match["verb"] or match["romance"]).casefold()
        for match in answer_type_patterns.DONE.finditer(question)
    }
    words = WORD.findall(question)
    if any(word.casefold() in _GERMAN_QUESTIONS for word in words[:2]):
        verbs.update(word.casefold() for word in words if word.islower())
    elif any(word.casefold() in _AUXILIARIES for word in words):
        verbs.update(_last_verb(words))
    verbs.update(match["verb"].casefold() for match in _ROMANCE_VERB.finditer(question))
    return frozenset(stem(word) for word in verbs)


def _last_verb(words: Sequence[str]) -> Iterator[str]:
    """The last word that neither is nor stands behind a small one: "which bus do I *take* to work"; behind
    "is" only what is no noun."""
    lower = [word.casefold() for word in words]
    does = not {"do", "does", "did"}.isdisjoint(lower)
    for place in range(len(lower) - 1, 1, -1):
        word, before = lower[place], lower[place - 1]
        if word in _SMALL or (before in _SMALL and before not in _PRONOUNS):
            continue
        if does or word in _PREDICATES or word.endswith(("ing", "ed")):
            yield word
        return


_AUXILIARIES = frozenset(("do", "does", "did", "is", "are", "am", "can", "should", "will"))
_PRONOUNS = frozenset(("i", "we", "you", "it", "they"))
_SMALL = frozenset("a an the my our to at in on for with from of by about up out off like best per".split())
_PREDICATES = frozenset(("due", "open", "closed", "called", "on", "off"))
_GERMAN = """
    wer wen wem wo wohin woher wann wie was welche welcher welches welchen welchem womit worauf wogegen
"""
_GERMAN_QUESTIONS = frozenset(_GERMAN.split())
_ROMANCE_VERB = any_case(
    r"(?:^|\s|¿)(?:où|quand|cuándo|dónde|cómo|comment|quién|qui|cuánto|combien)\s+(?:est-ce qu[e'’]\s*)?"
    r"(?:je\s+|j['’]|s['’]|se\s+)?(?P<verb>[^\W\d]+)"
)


def a_things(text: str) -> frozenset[str]:
    """What is had of a kind: the Skoda of "I drive a Skoda"."""
    return frozenset(stem(match["what"].casefold()) for match in answer_type_patterns.HAS_A.finditer(text))


def is_only_for(word: str, text: str) -> bool:
    """Whether a word, a stem, only stands behind "for"."""
    lower = text.casefold()
    return word in lower and _FOR.search(lower[: lower.find(word)]) is not None


def to_a_value(clause: str, values: Collection[str]) -> bool:
    """Whether a value stands where something went: "to Friday", "auf den 15.", "au jeudi"."""
    lower = clause.casefold()
    return any(_GOAL.search(lower[: lower.find(value)]) is not None for value in values if value in lower)


def begins_with_place(text: str, words: Collection[str]) -> bool:
    """Whether one of `words`, which are stems, stands behind a word of a place."""
    return any(
        stem(match["where"].casefold()) in words for match in answer_type_patterns.PLACE.finditer(text)
    )


def around(clause: str, is_thing: Callable[[str], bool], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Of each thing the stem of what makes another one of it: before it, as in "the team meeting" and
    "Rosie's baby", and behind "of" or "for" after it."""
    words = [stem(word) for word in plain(clause)]
    owners = frozenset(stem(word.casefold()) for word in re.findall(r"\b(\w+)['’]s\b", clause))
    for place, word in enumerate(words):
        if not is_thing(word):
            continue
        before = words[place - 1] if place else ""
        if not (place == 1 or before in owners or (place > 1 and words[place - 2] in ARTICLES)):
            before = ""
        behind = ""
        rest = words[place + 1 :]
        # Behind "the e-mail address" as behind "the e-mail".
        if len(rest) > 1 and rest[0] in known and not re.fullmatch(_QUALIFIERS, rest[0]):
            rest = rest[1:]
        if rest and re.fullmatch(_QUALIFIERS, rest[0]):
            behind = next((each for each in rest[1:] if each not in ARTICLES and each not in NO_UNITS), "")
        if rest and rest[0] in _WAY_BACK:
            behind = rest[0]
        yield before, behind


def may_stand_before(word: str) -> bool:
    """A verb or a cue may; the noun before a noun makes another thing of it."""
    if word in PREPOSITIONS or word in CONTRACTED or word in MAY_STAND_BEFORE:
        return True
    return CHANGED.fullmatch(word) is not None or word.endswith(("ed", "ing", "ly"))


def is_passing(sentence: str) -> bool:
    """What began this week goes on."""
    return PASSING.search(BEGAN.sub(" ", sentence)) is not None
