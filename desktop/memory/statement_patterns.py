"""The wordings in which people state and correct things, in four languages: the table of `statements.py`.

Words that are no grammar (of homes, jobs, people) lie in `resources/memory/facts.toml`.
"""

from __future__ import annotations

import re

CLAUSE = re.compile(r"[,;]\s+(?:and |und )?|\s+(?:and|und|but|aber)\s+")
PLACES = frozenset(("in", "at", "on", "under", "by", "with", "im", "am", "auf", "bei", "unter", "mit", "zu"))
_OWN_WORDS = """
    i i'm my we our ich mein meine wir unser unsere je j'ai j'habite mon ma mes nous notre yo mi mis vivo
    trabajo tengo
"""
OWN = frozenset(_OWN_WORDS.split())
_ARTICLE_WORDS = """
    my our the a an mein meine unser unsere der die das ein eine mon ma notre le
    la un une mi nuestro nuestra el una
"""
ARTICLES = frozenset(_ARTICLE_WORDS.split())
WORD = re.compile(r"[\w'’-]+")
# Not behind a title, an ordinal or an initial: "Dr. Weber", "am 5. Mai".
SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bNr\.)(?<!\bNo\.)(?<!\bMrs\.)(?<!\bProf\.)"
    r"(?<!\d\.)(?<!\b[A-ZÄÖÜ]\.)\s+|[\n;]+"
)
OPENING = re.compile(
    r"^(?:actually|correction|no|nope|well|ok|okay|oh|ah|oops|wait|sorry|please|also|that|by the way|btw"
    r"|(?:it |as it )?turns out(?: that)?|apparently|in fact|en fait|finalement|non|pardon|désolée?|"
    r"en realidad|al final"
    r"|perdón|i was wrong|i got that wrong|i meant|i made a mistake"
    r"|eigentlich|korrektur|nein|nee|doch|quatsch|ach|bitte|dass|übrigens|entschuldigung|falsch"
    r"|ich meinte|ich habe mich (?:geirrt|vertan))\b[\s,:.!–-]*",
    re.I,
)
_OWNER = r"(?:my|our|the|mein\w{0,2}|unser\w{0,2}|der|die|das|den|dem|mon|ma|notre|le|la|mi|nuestr[oa]|el)"
_BEGINNING = r"(?:^|[,:]\s*|\b(?:and|but|that|because|und|aber|dass|weil)\s+)"
_WHAT = r"(?P<what>[\w'’.-]+(?:\s+[\w'’.-]+){0,5}?)"
CALLED = r"called|named|heißt|heißen|lautet|s['’]appelle|se llama"
_ENDS = r"ends?|arrives?|lands?|finish(?:es)?|closes?|endet|landet|schließt"
OVER = re.compile(_ENDS, re.I)
_VERBS = (
    rf"(?:is|are|was|were)\s+(?:{CALLED})|is|are|was|were|will be|(?:has|have) been|ha[sd] to be|has changed"
    rf"|went (?:up|down)|rose|fell|turned|turns|dropped|changed|moved|starts?|begins?"
    rf"|leaves?|departs?|{_ENDS}|opens?|costs?|runs?|takes place|goes"
    rf"|{CALLED}|ist|sind|war|waren|wird|werden|wurde|wurden|beginnt|startet|fährt|fliegt|geht|kostet"
    r"|beträgt|liegt|findet|läuft|hat sich"
)
STATED = re.compile(
    rf"{_BEGINNING}(?:(?P<owner>{_OWNER})\s+)?{_WHAT}(?:['’]s(?=\s)|"
    rf"\s+(?P<verb>{_VERBS})\b)(?P<value>[^,;]*)",
    re.I,
)
# French and Spanish by themselves, since "es" and "part" are words of the other two.
_ROMANCE_VERBS = (
    r"est|était|s['’]appelle|part|arrive|commence|coûte|finit|a (?:augmenté|baissé|changé)"
    r"|(?:a été|est) (?:déplacée?|reportée?|décalée?|repoussée?)"
    r"|es|era|está|se llama|sale|llega|empieza|termina|cuesta|vale|ha (?:subido|bajado|cambiado)"
    r"|se ha (?:cambiado|movido|aplazado|pasado|retrasado)"
)
ROMANCE = re.compile(
    r"(?:^|[,:]\s*|\b(?:et|mais|que|parce que|y|pero|porque)\s+)(?P<owner>mon|ma|notre|le|la|mi|nuestr[oa]|"
    r"el)\s+"
    rf"{_WHAT}\s+(?P<verb>{_ROMANCE_VERBS})\b(?P<value>[^,;]*)",
    re.I,
)
# Whatever happens at a time: "The plumber comes on Friday".
HAPPENS = re.compile(
    rf"{_BEGINNING}(?P<owner>{_OWNER})\s+(?P<what>[\w'’-]+(?:\s+[\w'’-]+){{0,3}}?)\s+(?P<verb>(?!in\b)[a-zäöü]{{3,}})"
    r"(?:\s+(?:off|out|up|doch|erst|jetzt|now|only|immer|always))*(?P<value>\s+(?:at|on|by|um|am|"
    r"ab)\s+[^,;]*)",
    re.I,
)
# German puts the time first: "um 15 Uhr ist die Besprechung".
INVERTED = re.compile(
    r"(?P<value>.*?)\b(?P<verb>ist|sind|wird|beginnt|startet|fährt|findet|heißt)\s+"
    rf"(?:jetzt\s+|nun\s+)?(?P<owner>{_OWNER})\s+(?P<what>[\w'’-]+(?:\s+[\w'’-]+){{0,4}})",
    re.I,
)
_WE = r"\b(?:i|we)\b(?:['’]ve|\s+have)?(?:\s+(?:now|just|finally|also|had to))*\s+"
_TWO = r"(?P<what>[\w'’-]+(?:\s+[\w'’-]+)?)(?P<value>.*)"
# That there is another one of something: "I have a new boss", "I switched gyms".
ANOTHER = (
    re.compile(
        rf"{_WE}(?:have|got|get|bought|found|chose|see|use|visit|go to|work with)?\s*(?:a|an|my|"
        rf"our)\s+(?:new|different|another)\s+{_TWO}",
        re.I,
    ),
    re.compile(
        rf"{_WE}(?:changed|switched|renamed)\s+(?:(?:my|our|the|to\s+a\s+(?:new|different)|"
        rf"to\s+another)\s+)?{_TWO}",
        re.I,
    ),
    re.compile(
        r"\b(?:ich|wir)?\s*habe?n?\b.*?\b(?:einen|eine|ein|meinen|meine|mein|unser\w*)\s+(?:neue|"
        r"andere)\w{0,2}\s+"
        r"(?P<what>\w+)(?P<value>.*)",
        re.I,
    ),
    re.compile(
        r"\bhabe?n?\b.*?\b(?:den|die|das|meinen|meine|mein|unser\w*)\s+(?P<what>\w+)\s+(?:gewechselt|"
        r"umbenannt|geändert)"
        r"(?P<value>.*)",
        re.I,
    ),
    re.compile(
        r"\b(?:j['’]ai|nous avons|on a)\s+(?:maintenant\s+)?(?:changé\s+de|une?\s+(?:nouve(?:au|lle|l)|"
        r"autre))\s+"
        r"(?P<what>[\w'’-]+)(?P<value>.*)",
        re.I,
    ),
    re.compile(
        r"\b(?:tengo|tenemos|he cambiado de|hemos cambiado de|cambié de)\s+(?:ahora\s+)?(?:(?:un\s+|una\s+)?"
        r"(?:nuev[oa]|otr[oa])\s+)?(?P<what>(?!\d)[\w'’-]+)(?P<value>.*)",
        re.I,
    ),
)
# That somebody gave something another value: "They moved the interview to 19 June".
_CHANGED = (
    r"moved|pushed|put off|postponed|rescheduled|shifted|changed"
    r"|raised|lowered|cut|increased|reduced|set|updated"
)
MOVED = re.compile(
    r"\b(?:i|we|they|he|she|you|it)\b(?:['’](?:ve|s)|\s+ha(?:ve|s|d))?(?:\s+(?:now|just|to|"
    rf"had))*\s+(?:{_CHANGED})\s+"
    r"(?:back\s+|forward\s+)?(?:my|our|the)\s+(?P<what>[\w'’-]+(?:\s+[\w'’-]+){0,3}?)\s+(?:back\s+|"
    r"forward\s+)?"
    r"(?:to|until|till|for)\b(?P<value>.*)"
    r"|\bhabe?n?t?\b.*?\b(?:den|die|das|meinen|meine|mein|unser\w*)\s+(?P<german>\w+(?:\s+(?:mit|beim|für|"
    r"von)\s+\w+)?)\s+"
    r"(?P<where>(?:auf|um)\s.*?)(?:verschoben|verlegt|geändert|erhöht|gesenkt|gesetzt)",
    re.I,
)
# "The flight is delayed, it lands at 20:05": of what was spoken of before in the sentence.
IT = re.compile(
    rf"[,;]\s+(?:and |und )?(?:it|er|sie|es)\s+(?:now\s+)?(?P<verb>{_VERBS})\b(?P<value>.*)", re.I
)
NEW_ONE = re.compile(
    rf"\b(?:(?:the|my|our)\s+new\s+one|(?:der|die|das)\s+neue)\s+(?P<verb>(?:is|ist)\s+(?:{CALLED})|is|ist|"
    rf"{CALLED})\b"
    r"(?P<value>.*)",
    re.I,
)
MINE = ("my", "our", "mein", "unser", "mon", "ma", "notre", "mi", "nuestr")
NEW = frozenset(
    ("new", "neue", "neuer", "neues", "neuen", "neuem", "nouveau", "nouvelle", "nouvel", "nuevo", "nueva")
)
IS = re.compile(
    r"|is|are|was|were|will be|ha[sd] to be|(?:has|have) been|has changed|moved|changed|takes place|runs?"
    r"|ist|sind|war|waren|wird|werden|wurde|wurden|liegt|findet|läuft"
    r"|est|était|(?:a été|est) (?:déplacée?|reportée?|décalée?|repoussée?)|es|era|está|se ha \w+",
    re.I,
)
BEGINS = re.compile(
    r"starts?|begins?|leaves?|departs?|goes|opens?|beginnt|startet|fährt|fliegt|geht|öffnet|part|commence|"
    r"sale|empieza",
    re.I,
)
WAS = re.compile(r"was|were|war|waren|went|ran|started|began|left", re.I)
SINCE = re.compile(r"\b(?:since|seit)\s+\w+", re.I)
_DAYS = (
    r"mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|tomorrow|tonight"
    r"|january|february|march|april|june|july|august|september|october|november|december"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?|morgen|übermorgen"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|demain|janvier|février|avril|juin|juillet|août|octobre|"
    r"décembre"
    r"|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|mañana|enero|febrero|abril|junio|julio|"
    r"octubre|diciembre"
)
TIME = re.compile(
    rf"\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}\s*h(?:\d\d)?\b|\b\d{{1,2}}\s*(?:uhr|am|pm|o['’]clock)\b|"
    rf"\b(?:{_DAYS})\b|\bMay\b",
    re.I,
)
# With the day of the month: "14 May", "5. Mai", "3 de mayo".
DAY = re.compile(rf"(?:\b\d{{1,2}}(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?)?(?:{TIME.pattern})", re.I)
NUMBER = re.compile(r"(?P<number>\d[\d.,]*)\s*(?P<unit>[^\W\d_]+|[€$£%])?")
PERSON = re.compile(
    r"(?:and |but |und |aber |et |mais |y |pero )?(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|notre|mi|"
    r"nuestr[oa])\s+(?P<who>[\w'’-]+(?:\s+[\w'’-]+)?)",
    re.I,
)
# What is so as well takes the place of nothing.
ADDS = re.compile(r"\b(?:also|too|as well|either|auch|ebenfalls|aussi|également|también|tampoco)\b", re.I)
# A preposition with an article in it is that preposition.
CONTRACTED = {
    "del": "de",
    "du": "de",
    "des": "de",
    "al": "a",
    "au": "a",
    "beim": "bei",
    "im": "in",
    "am": "an",
    "zum": "zu",
    "zur": "zu",
    "vom": "von",
}
# "Frau Abel" is nobody's wife.
FORM_OF_ADDRESS = re.compile(r"\bFrau\s+(?=(?:Dr\.\s+)?[A-ZÄÖÜ])")
NAME = re.compile(
    r"^\s*(?:(?:now|jetzt|inzwischen|a|an|the|ein\w*|der|die|das|company|called|maintenant|une?|le|la|"
    r"docteure?|ahora|el|doctora?)\b\s*)*(?:[A-ZÄÖÜ]|[\"“„'])"
)
