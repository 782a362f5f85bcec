"""The wordings in which people state and correct things, in four languages: the table of `statements.py`.

Words that are no grammar (of homes, jobs, people) lie in `resources/memory/facts.toml`.
"""

from __future__ import annotations

import re


def any_case(pattern: str) -> re.Pattern[str]:
    """`pattern` as an expression that takes letters of either case."""
    return re.compile(pattern, re.IGNORECASE)


CLAUSE = re.compile(r"[,;]\s+(?:and |und )?|\s+(?:and|und|but|aber)\s+")
PLACES = frozenset(("in", "at", "on", "under", "by", "with", "im", "am", "auf", "bei", "unter", "mit", "zu"))
PREPOSITIONS = PLACES | frozenset(
    ("for", "of", "from", "für", "von", "pour", "de", "par", "para", "por", "en")
)
_OWN_WORDS = """
    i i'm my we our ich mein meine wir unser unsere je j'ai j'habite mon ma mes nous notre yo mi mis vivo
    trabajo tengo
"""
OWN = frozenset(_OWN_WORDS.split())
_ARTICLE_WORDS = """
    my our the a an mein meine unser unsere der die das ein eine mon ma notre le la un une mi nuestro nuestra
    el una
"""
ARTICLES = frozenset(_ARTICLE_WORDS.split())
WORD = re.compile(r"[\w'’-]+")
# Not behind a title, an ordinal or an initial: "Dr. Weber", "am 5. Mai".
SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bSt\.)(?<!\bNr\.)(?<!\bNo\.)(?<!\bMrs\.)(?<!\bProf\.)"
    r"(?<!\d\.)(?<!\b[A-ZÄÖÜ]\.)\s+|[\n;]+"
)
OPENING = any_case(
    r"^(?:actually|correction|no|nope|well|ok|okay|oh|ah|oops|wait|sorry|please|also|that|by the way|btw"
    r"|(?:it |as it )?turns out(?: that)?|apparently|in fact|en fait|finalement|non|pardon|désolée?|en "
    r"realidad|al final|perdón|i was wrong|i got that wrong|i meant|i made a mistake|eigentlich|korrektur"
    r"|nein|nee|doch|quatsch|ach|bitte|dass|übrigens|entschuldigung|falsch|ich meinte|ich habe mich "
    r"(?:geirrt|vertan))\b[\s,:.!–-]*"
)
_OWNER = r"(?:my|our|the|mein\w{0,2}|unser\w{0,2}|der|die|das|den|dem|mon|ma|notre|le|la|mi|nuestr[oa]|el)"
_BEGINNING = r"(?:^|[,:]\s*|\b(?:and|but|that|because|und|aber|dass|weil)\s+)"
_WHAT = r"(?P<what>[\w'’.-]+(?:\s+[\w'’.-]+){0,5}?)"
CALLED = r"called|named|heißt|heißen|lautet|s['’]appelle|se llama"
_ENDS = r"ends?|arrives?|lands?|finish(?:es)?|closes?|endet|landet|schließt"
OVER = any_case(_ENDS)
_VERBS = (
    rf"(?:is|are|was|were)\s+(?:{CALLED})|is|are|was|were|will be|(?:has|have) been|ha[sd] to be"
    rf"|has changed"
    rf"|went (?:up|down)|rose|fell|turned|turns|dropped|changed|moved|starts?|begins?"
    rf"|leaves?|departs?|{_ENDS}|opens?|costs?|runs?|takes place|goes"
    rf"|{CALLED}|ist|sind|war|waren|wird|werden|wurde|wurden|beginnt|startet|fährt|fliegt|geht|kostet"
    r"|beträgt|liegt|findet|läuft|hat sich"
)
STATED = any_case(
    rf"{_BEGINNING}(?:(?P<owner>{_OWNER})\s+)?{_WHAT}(?:['’]s(?=\s)|"
    rf"\s+(?P<verb>{_VERBS})\b)(?P<value>[^,;]*)"
)
# French and Spanish by themselves, since "es" and "part" are words of the other two.
_ROMANCE_VERBS = (
    r"est|était|s['’]appelle|part|arrive|commence|coûte|finit|a (?:augmenté|baissé|changé)"
    r"|(?:a été|est) (?:déplacée?|reportée?|décalée?|repoussée?)"
    r"|es|era|está|se llama|sale|llega|empieza|termina|cuesta|vale|ha (?:subido|bajado|cambiado)"
    r"|se ha (?:cambiado|movido|aplazado|pasado|retrasado)"
)
ROMANCE = any_case(
    r"(?:^|[,:]\s*|\b(?:et|mais|que|parce que|y|pero|porque)\s+)(?P<owner>mon|ma|notre|le|la|mi|nuestr[oa]|"
    r"el)\s+"
    rf"{_WHAT}\s+(?P<verb>{_ROMANCE_VERBS})\b(?P<value>[^,;]*)"
)
# Whatever happens at a time: "The plumber comes on Friday".
HAPPENS = any_case(
    rf"{_BEGINNING}(?P<owner>{_OWNER})\s+(?P<what>[\w'’-]+(?:\s+[\w'’-]+){{0,3}}?)\s+(?P<verb>(?!in\b)[a-zäöü]{{3,}})"
    rf""
    r"(?:\s+(?:off|out|up|doch|erst|jetzt|now|only|immer|always))*(?P<value>\s+(?:at|on|by|um|am|"
    r"ab)\s+[^,;]*)"
)
# German puts the time first: "um 15 Uhr ist die Besprechung".
INVERTED = any_case(
    r"(?P<value>.*?)\b(?P<verb>ist|sind|wird|beginnt|startet|fährt|findet|heißt)\s+"
    rf"(?:jetzt\s+|nun\s+)?(?P<owner>{_OWNER})\s+(?P<what>[\w'’-]+(?:\s+[\w'’-]+){{0,4}})"
)
_WE = r"\b(?:i|we)\b(?:['’]ve|\s+have)?(?:\s+(?:now|just|finally|also|had to))*\s+"
_TWO = r"(?P<what>[\w'’-]+(?:\s+[\w'’-]+)?)(?P<value>.*)"
# That there is another one of something: "I have a new boss", "I switched gyms".
ANOTHER = (
    any_case(
        rf"{_WE}(?:have|got|get|bought|found|chose|see|use|visit|go to|work with)?\s*(?:a|an|my|"
        rf"our)\s+(?:new|different|another)\s+{_TWO}"
    ),
    any_case(
        rf"{_WE}(?:changed|switched|renamed)\s+(?:(?:my|our|the|to\s+a\s+(?:new|different)|"
        rf"to\s+another)\s+)?{_TWO}"
    ),
    any_case(
        r"\b(?:ich|wir)?\s*habe?n?\b.*?\b(?:einen|eine|ein|meinen|meine|mein|unser\w*)\s+(?:neue"
        r"|andere)\w{0,2}\s+(?P<what>\w+)(?P<value>.*)"
    ),
    any_case(
        r"\bhabe?n?\b.*?\b(?:den|die|das|meinen|meine|mein|unser\w*)\s+(?P<what>\w+)\s+(?:gewechselt"
        r"|umbenannt|geändert)(?P<value>.*)"
    ),
    any_case(
        r"\b(?:j['’]ai|nous avons|on a)\s+(?:maintenant\s+)?(?:changé\s+de|une?\s+(?:nouve(?:au|lle|l)"
        r"|autre))\s+(?P<what>[\w'’-]+)(?P<value>.*)"
    ),
    any_case(
        r"\b(?:tengo|tenemos|he cambiado de|hemos cambiado de|cambié de)\s+(?:ahora\s+)?(?:(?:un\s+"
        r"|una\s+)?(?:nuev[oa]|otr[oa])\s+)?(?P<what>(?!\d)[\w'’-]+(?:\s+de\s+[\w'’-]+)?)(?P<value>.*)"
    ),
)
# That somebody gave something another value: "They moved the interview to 19 June".
_CHANGED = (
    r"moved|pushed|put off|postponed|rescheduled|shifted|changed"
    r"|raised|lowered|cut|increased|reduced|set|updated"
)
MOVED = any_case(
    r"\b(?:i|we|they|he|she|you|it)\b(?:['’](?:ve|s)|\s+ha(?:ve|s|d))?(?:\s+(?:now|just|to|"
    rf"had))*\s+(?:{_CHANGED})\s+"
    r"(?:back\s+|forward\s+)?(?:my|our|the)\s+(?P<what>[\w'’-]+(?:\s+[\w'’-]+){0,3}?)\s+(?:back\s+"
    r"|forward\s+)?(?:to|until|till|for)\b(?P<value>.*)"
    r"|\bhabe?n?t?\b.*?\b(?:den|die|das|meinen|meine|mein|unser\w*)\s+(?P<german>\w+(?:\s+(?:mit|beim|für"
    r"|von)\s+\w+)?)\s+(?P<where>(?:auf|um)\s.*?)(?:verschoben|verlegt|geändert|erhöht|gesenkt|gesetzt)"
)
# "The flight is delayed, it lands at 20:05": of what was spoken of before in the sentence.
IT = any_case(rf"[,;]\s+(?:and |und )?(?:it|er|sie|es)\s+(?:now\s+)?(?P<verb>{_VERBS})\b(?P<value>.*)")
NEW_ONE = any_case(
    rf"\b(?:(?:the|my|our)\s+new\s+one|(?:der|die|das)\s+neue)\s+(?P<verb>(?:is|ist)\s+(?:{CALLED})|is|ist|"
    rf"{CALLED})\b"
    r"(?P<value>.*)"
)
MINE = ("my", "our", "mein", "unser", "mon", "ma", "notre", "mi", "nuestr")
NEW = frozenset(
    ("new", "neue", "neuer", "neues", "neuen", "neuem", "nouveau", "nouvelle", "nouvel", "nuevo", "nueva")
)
IS = any_case(
    r"|is|are|was|were|will be|ha[sd] to be|(?:has|have) been|has changed|moved|changed|takes place|runs?"
    r"|ist|sind|war|waren|wird|werden|wurde|wurden|liegt|findet|läuft"
    r"|est|était|(?:a été|est) (?:déplacée?|reportée?|décalée?|repoussée?)|es|era|está|se ha \w+"
)
BEGINS = any_case(
    r"starts?|begins?|leaves?|departs?|goes|opens?|beginnt|startet|fährt|fliegt|geht|öffnet|part|commence|"
    r"sale|empieza"
)
WAS = any_case(r"was|were|war|waren|went|ran|started|began|left")
SINCE = any_case(r"\b(?:since|seit)\s+\w+")
_DAYS = (
    r"mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|tomorrow|tonight"
    r"|january|february|march|april|june|july|august|september|october|november|december"
    r"|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?|morgen|übermorgen"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|demain|janvier|février|avril|juin|juillet|août"
    r"|octobre|septembre|novembre|décembre"
    r"|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|mañana|enero|febrero|abril|junio|julio"
    r"|octubre|diciembre|marzo|agosto|septiembre|noviembre"
)
TIME = any_case(
    rf"\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}\s*h(?:\d\d)?\b|\b\d{{1,2}}\s*(?:uhr|am|pm|o['’]clock)\b|"
    rf"\b(?:{_DAYS})\b|\bMay\b|\b\d{{1,2}}(?:er)?\s+(?:de\s+)?(?:mars|mayo)\b"
)
# With the day of the month: "14 May", "5. Mai", "3 de mayo".
DAY = any_case(rf"(?:\b\d{{1,2}}(?:\.|st|nd|rd|th)?\s+(?:of\s+|de\s+)?)?(?:{TIME.pattern})")
NUMBER = re.compile(r"(?P<number>\d[\d.,]*)\s*(?P<unit>[^\W\d_]+|[€$£%])?")
PERSON = any_case(
    r"(?:and |but |und |aber |et |mais |y |pero )?(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|notre|mi|"
    r"nuestr[oa])\s+(?P<who>[\w'’-]+(?:\s+[\w'’-]+)?)"
)
# What is so as well takes the place of nothing.
ADDS = any_case(r"\b(?:also|too|as well|either|auch|ebenfalls|aussi|également|también|tampoco)\b")
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

# A question behind a statement: "I quit the bakery, how do I tell my boss?"
_ASKS = (
    r"how|what|when|where|who|which|why|can|could|would|should|do|does|did|any|is there|are there|have you"
    r"|wie|was|wann|wo|wer|welche\w*|kannst|könntest|hast du|soll|sollte|gibt es|weißt"
    r"|comment|que|quel\w*|peux|pourrais|as-tu|est-ce|qué|cómo|puedes|podrías|tienes|hay"
)
QUESTION_BEHIND = re.compile(
    rf"^(?P<said>.{{12,}}?)\s*[,;–]\s+(?P<asks>(?:(?:so|and|also|und|donc|et|pues"
    rf"|y)\s+)?[¿]?(?:{_ASKS})\b[^,;]*\?)$",
    re.I | re.S,
)
# One thing after another: what is said to be over in the one is not what the other speaks of.
APART = any_case(r"[,;:–]\s+|\s+(?:and|but|so|because|und|aber|weil|et|mais|donc|parce que|y|pero|porque)\s+")
BOTH_OF_US = re.compile(r"^(\W*[A-ZÄÖÜÉ][\w'’-]+) (?:and|und|et|y) (?=(?:I|ich|moi|yo)\b)")
FIRST_PERSON = any_case(
    r"\b(?:i|we|my|our|me|us|ich|wir|mein\w{0,2}|unser\w{0,2}|mir|mich|uns|je|mon|ma|mes|nous|notre|on|me|mi"
    r"|mis|nos|nuestr[oa]s?)\b|\b(?:j|m)['’]"
)
# What is said to be over. Of a thing, by whoever has it:
OVER = any_case(
    r"\b(?:sold|traded in|cancell?ed|quit|resigned|gave up|given up|got rid of|ditched|dumped|cut out"
    r"|packed in|stopped(?! (?:at|by|to|in|for|on)\b)|handed in (?:my|his|her|our|their) notice|moved out of"
    r"|closed (?:my|our|the)|verkauft|gekündigt|aufgehört|aufgegeben|abgemeldet|abgeschafft|abbestellt"
    r"|storniert|(?:von|nach)\b.{1,40}\bumgestiegen|vendu|résilié|démissionné|arrêté|abandonné|quitté"
    r"|laissé tomber|vendí|vendimos|vendió|vendido|dejé|dejamos|(?:he|ha|hemos) dejado|dejó|renuncié|cancelé"
    r"|abandoné|(?:di|dado) de baja)\b"
)
# of somebody, and of whatever two people were to each other:
ENDED = any_case(
    r"\b(?:died|passed away|put to sleep|divorced?|broke up|broken up|split up|separated|gestorben"
    r"|verstorben|eingeschläfert|geschieden|scheidung|getrennt|schluss gemacht|morte?|décédée?|divorcé"
    r"|séparée?s?|rompu|murió|falleció|divorci\w+|separamos|separé|rompí|rompimos)\b"
)
# of what somebody does for others, who then have another one:
RETIRED = any_case(
    r"\b(?:retired|retires|left(?= (?:us|for good|last|the (?:company|firm|team|practice|school|job))\b"
    r"|\s*(?:[.,;!]|$))|moved away|resigned|quit|stopped|(?:was|got) (?:fired|promoted|transferred)|in "
    r"(?:die )?rente|(?:im|in den) ruhestand|pensioniert|aufgehört|gekündigt|verlassen|weggezogen|ausgezogen"
    r"|in elternzeit|retraite|partie?|quitté|jubil(?:ó|ado|ada)|se fue|se ha ido|dejó)\b"
)
# and of a thing that is lost by no wish of one's own, which says nothing where no other is named.
LOST = any_case(
    r"\b(?:lost(?! in\b)|nicked|stole|stolen|replaced|swapped|wrecked|crashed|verloren|geklaut|gestohlen"
    r"|ersetzt|getauscht|perdu|volée?|remplacée?|perdí|perdimos|robaron|robado|reemplazaron)\b"
)
# What is only thought of, or is not so.
ONLY_THOUGHT = any_case(
    r"\b(?:might|(?-i:may)|could|would|should|if|whether|think\w*|consider\w*|wants?|wish\w*|plan\w*|hop(?:e"
    r"|ing)|almost|nearly|tempted|never|not|before|without|unless|going to|about to|tried|will|wenn|falls|ob"
    r"|würde\w*|könnte\w*|sollte\w*|vielleicht|fast|beinahe|überleg\w*|möchte\w*|nicht|nie|bevor|ohne|si"
    r"|peut-être|presque|pourrais|voudrais|pense|jamais|pas|avant|sans|quizás?|casi|podría|quisiera|pienso"
    r"|quiero|nunca|antes|sin)\b|n['’]t\b"
)
# What was done once stays so, whatever became of the thing.
OF_ONCE = any_case(
    r"^\W*(?:i|we|my \w+|our \w+)\s+(?:(?!need|feed|speed)\w{2,}ed|met|bought|went|was|were|had|did|saw|found"
    r"|got|made|took|came|ate|spent|paid|ran|wrote|gave)\b"
    r"|\b(?:habe|haben|hat|hatte|hatten|bin|sind|war|waren)\b.*\b(?:ge\w+(?:t|en)|\w+iert)\W*$"
    r"|\b(?:j['’]ai|nous avons|on a|he|hemos|ha)\s+\w+(?:é|i|u|ado|ido)\b"
)
ANOTHER_HINT = any_case(
    r"\b(?:now|these days|nowadays|new|another|instead|so (?:i|we)|bought|got|pick|jetzt|nun|inzwischen"
    r"|neue\w?|ander\w+|stattdessen|gekauft|geholt|maintenant|désormais|nouve\w+|autre|acheté|ahora|nuev[oa]"
    r"|otr[oa]|compr\w+)\b"
)
# That a value is no more, or never was: the first says it alone, the second where another stands against it.
NO_MORE = any_case(
    r"\b(?:no longer|nicht mehr|kein\w*|ya no|instead of|rather than|(?:an)?statt|au lieu d(?:es?|u|['’])"
    r"|plutôt qu(?:e|['’])|en (?:vez|lugar) de(?:l)?|plus)\b"
)
ANY_MORE = any_case(r"\bany ?(?:more|longer)\b|\bmehr\b|\bplus\b|\bya no\b|\bno longer\b")
NOT = any_case(
    r"\b(?:not|nicht|pas|no|wasn['’]t|isn['’]t|aren['’]t|don['’]t|doesn['’]t)\b"
    r"(?! (?:just|only|always|all|even|really|nur|immer|ganz|seulement|toujours|sólo|solo|siempre)\b)"
)
# What is so instead, right behind what is not: "not walnuts but sesame", "…, not on Mondays."
BUT = any_case(r"^[^.;]{0,40}?[, ](?:but|sondern|mais|sino)\b|^[^,.;]{0,30}(?:[.!;]|$)")
# What is so for some days alone.
FOR_NOW = any_case(
    r"\b(?:for (?:a|the|one|two|three|\d+|this) (?:\w+ )?(?:days?|weeks?|weekend|nights?|months?|holidays?"
    r"|conference|summer)|until|till|today|tonight|this (?:week|weekend|morning|evening)|on (?:holiday"
    r"|vacation|a trip|tour)|holidays?|vacation|visiting|back (?:on|by)|bis|heute|gerade|diese woche|urlaub"
    r"|ferien|zu besuch|übers wochenende|für (?:ein|zwei|drei|\d+)|jusqu['’]\w+|aujourd['’]hui|vacances"
    r"|cette semaine|pour (?:une|deux|trois|le) (?:semaines?|jours|week-end)|hasta|hoy|vacaciones|esta "
    r"semana|de viaje|por (?:una|dos|unos) (?:semanas?|días))\b"
)
# Two letters that are a word are none of a name: "with my", "mit ihm", "ohne zu".
_NO_WORD = (
    r"(?!(?:my|me|it|us|so|an|no|is|at|in|on|of|to|we|he|by|do|go|up|or|as|if|be|im|am|zu|da|du|er|es|ob|um|wo"
    r"|ab)\b)"
)
# How a name is written, of which an earlier one differs in letters.
SPELLED = any_case(
    r"\bspel(?:t|led|ling|ls?)\b|\b(?:with|without) (?:(?:an?|one|two|double|the|no) )?"
    rf"(?:(?![ai]\b)[a-z]|{_NO_WORD}[a-z]{{2}}|[a-z]-[a-z])\b(?!\w)"
    r"|\b(?:[a-z]-){2,}[a-z]\b|\b(?:schreibt sich|geschrieben|schreibweise|buchstab\w+)\b"
    rf"|\b(?:mit|ohne) (?:einem |zwei |doppel-?|hartem |weichem )?{_NO_WORD}[a-zß]{{1,2}}\b(?!\w)"
    r"|\bs['’](?:écrit|orthographie)\b|\b(?:avec|sans) (?:une? |deux )?[a-z]\b(?!\w)"
    r"|\b(?:se escribe|deletre\w+)\b|\b(?:con|sin) (?:una? |dos )?[a-z]\b(?!\w)"
)
# That somebody has another name since.
RENAMED = any_case(
    r"\b(?:married|took|surname|last name|maiden|name|renamed|goes by|called|now|geheiratet|heirat\w*|heißt"
    r"|nennt sich|nachname\w*|umbenannt|mariée?|nom|s['’]appelle|casó|casada|casado|apellido|se llama|ahora"
    r"|jetzt|maintenant)\b"
)
_TITLES = (
    r"(?:(?:now|jetzt|nun|inzwischen|Mrs?|Ms|Miss|Frau|Herrn?|Dr|Mme|M|Madame|Sra?|la|el|maintenant"
    r"|ahora)\b\.?\s+)*"
)
GOES_BY = re.compile(
    rf"\b(?i:is (?:now )?called|goes by|is now|heißt|nennt sich|s['’]appelle|se llama)\s+{_TITLES}"
    r"(?P<name>[A-ZÄÖÜÉ][\w'’-]+)"
)
CAPITAL = re.compile(r"\b[A-ZÄÖÜÉÀÁÍÓÚÑ][\w'’-]*\w")
# What one likes best of its kind: "tulips best of all flowers", "peonies are the flowers I love most".
FAVOURITE = (
    any_case(
        r"\b(?:i|we)\s+(?:like|love|prefer|enjoy)\s+(?P<value>.+?)\s+(?:best|most|better)\s+"
        r"(?:of all|of any|among all|than any other)\s+(?:the\s+|my\s+)?(?P<what>[\w'’-]+)"
    ),
    any_case(
        r"(?:^|[,;]\s*)(?P<value>[^,;]+?)\s+(?:is|are)\s+the\s+(?P<what>[\w'’-]+)\s+(?:that\s+)?(?:i|we)\s+"
        r"(?:like|love|enjoy)\s+(?:best|most)\b"
    ),
)
# To whom something went, or from whom it came: "sold the Golf to my brother".
TO_SOMEBODY = any_case(
    r"\b(?:to|from|with|for|by|an|von|mit|für|bei|à|de|avec|pour|a|con|para)\s+(?:my|our|mein\w{0,2}"
    r"|unser\w{0,2}|mon|ma|mes|notre|mi|mis|nuestr[oa])\s+\w+"
)
_FAMILY_WORDS = """
    brother sister mother father mum mom dad wife husband son daughter child kid parent grandmother
    grandfather grandma grandpa aunt uncle cousin niece nephew bruder schwester mutter vater mama papa frau
    mann sohn tochter kind eltern oma opa tante onkel cousine nichte neffe frère sœur mère père maman mari
    femme fils fille enfant oncle hermano hermana madre padre mamá papá marido mujer hijo hija niño niña
    abuelo abuela tío tía primo prima
"""
FAMILY = frozenset(_FAMILY_WORDS.split())
# Names for one's own, which many write small; "wife" without a capital is anybody's.
_CALLED = "mum mom dad grandma grandpa granny oma opa maman papa mamie papi mamá papá"
CALLED_SO = frozenset(_CALLED.split())
NAMED_PERSON = any_case(
    r"(?P<whose>(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|notre|mi|nuestr[oa])\s+(?P<who>[\w'’-]+)\s+)"
    r"(?P<name>(?-i:[A-ZÄÖÜÉ])[\w'’-]+)\b"
)
TITLES = frozenset("mr ms dr herr herrn frau mrs miss mme madame monsieur señor señora prof".split())
WHOSE = ARTICLES | frozenset(
    "dem den des meiner meinem meinen meines unserer unserem unseren his her their".split()
)
ONESELF = any_case(r"\b(?:i|we|ich|wir|je|on|nous|yo|soy|somos|estoy|como|vivo|tengo)\b|\bj['’]")
# What one gives up where one works.
WORK = frozenset(
    ("job", "position", "post", "notice", "work", "stelle", "arbeit", "travail", "poste", "trabajo", "puesto")
)
REPEATED = any_case(
    r"\b(?:every|each|always|(?:mon|tues|wednes|thurs|fri|satur|sun)days|immer|jede\w*|\w+tags|mittwochs"
    r"|chaque|tous les|toutes les|cada|todos los|todas las|los (?:lunes|martes|miércoles|jueves|viernes"
    r"|sábados|domingos))\b"
)
THIS_DAY = any_case(
    r"\b(?:this|just this|only this) (?:week|month|\w+day)\b|\b(?:today|tomorrow|tonight|heute|morgen"
    r"|diese\w* (?:woche|monat|\w+tag|mittwoch)|ausnahmsweise|einmalig|as an exception|aujourd['’]hui|demain"
    r"|cette semaine|exceptionnellement|ce \w+di|hoy|mañana|esta semana|este \w+|por esta vez)\b"
)
PASSIVE = any_case(r"\b(?:was|were|got|been|is|are|wurden?|ist|sind|été|fue|sido)\W*(?:just |then )?$")
PERFECT = any_case(r"\b(?:hat|haben|habe)\b")
TITLE = re.compile(
    r"\b(?:Mrs?|Ms|Miss|Dr|Prof|Herrn?|Frau|Mme|Madame|Monsieur|Sra?|[Dd]octora?|[Dd]octeure?)\b"
)
AFTER_ALL = any_case(
    r"^\W*(?:it|es|das|ce|c['’]|no (?:es|era)|era)\b.*\b(?:after all|all along|doch|finalement|al final)\b"
)
INSTEAD = any_case(r"\b(?:but|sondern|mais|sino)\b")
NAMED = rf"\b(?:{CALLED}|name|surname|nachname|nom|nombre|apellido)\b"
CALLS = any_case(
    r"(?:\b(?:is|by|called|to|as|now|heißt|sich|ist|jetzt|nun|est|appelle|es|llama|ahora|maintenant|désormais)|['’]s|:)"
    r"\s+$"
)
