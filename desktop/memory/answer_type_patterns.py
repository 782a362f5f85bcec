"""How people ask for a time, a number, a place or a name, and how these are written: the table of
`answer_types.py`."""

from __future__ import annotations

import re

from desktop.memory.statement_patterns import any_case

_BEGINS = r"^\W*(?:(?:and|und|et|y|so|also|please|bitte)\s+)?"
WHEN = any_case(
    _BEGINS + r"(?:(?:since|until|till|by|from|seit|bis|ab|depuis|jusqu['’]à|desde|hasta|para)\s+)?"
    r"(?:when\b|wann\b|quand\b|cuándo\b)"
    rf"|{_BEGINS}(?:(?:at|on|in|by|since|until|an|am|im|in|um|bis|seit|à|a|en|de)\s+)?(?:what|which|welche\w*|quel(?:le)?s?|qué)\s+"
    r"(?:time|date|day|month|year|hour|uhrzeit|tag|tage|datum|monat|jahr|stunde|heure|jour|date|mois|année|hora|día"
    r"|fecha|mes|año)s?\b(?!\s+of)"
    r"|\bum wie ?viel uhr\b|\bwie spät\b"
)
HOW_LONG = any_case(
    _BEGINS + r"(?:how (?:long|often|many times|frequently)|wie (?:lang\w*|oft|häufig)"
    r"|(?:pendant |depuis )?combien de (?:temps|fois)|(?:durante |desde hace )?cuánt[oa]s? (?:tiempo"
    r"|veces))\b"
)
HOW_MUCH = any_case(
    _BEGINS + r"(?:(?:at|for|in|with|zu|für|mit|um|auf|à|de|por|con|a)\s+)?"
    r"(?:how (?:much|many|old|tall|big|large|high|far|heavy|wide|deep|expensive|fast)|wie ?viele?[nrs]?|wie "
    r"(?:alt|groß|hoch|weit|schwer|breit|tief|teuer|schnell)|combien|quel âge|quelle taille|cuánt[oa]s?|qué "
    r"(?:edad|talla))\b"
    r"|\bwas (?:kostet|kosten|zahlen?|verdienen?|wiegen?|wiegt|zahle)\b"
    r"|\bwhat (?:does|do|did) .{1,40}\b(?:cost|charge|earn|weigh)\b|\bwhat (?:do|did) (?:i|we) (?:pay|owe)\b"
)
CALLED = any_case(
    r"\b(?:what|how)\b.{0,50}\b(?:called|named)\b|\bwhat (?:do|did) (?:i|we) call\b|\bwie (?:heiß\w*"
    r"|nenn\w*)\b"
    r"|\bcomment (?:s['’]appel\w*|se nomm\w*)|\bcómo se llama\w*|\bcómo me llamo\b"
)
WHERE = any_case(
    _BEGINS + r"(?:(?:from|to|de|à|a|hacia|por)\s+)?(?:where|wo|wohin|woher|où|d['’]où|dónde|adónde)\b"
)
WHO = any_case(
    _BEGINS + r"(?:(?:with|for|to|from|by|of|mit|bei|von|für|zu|an|avec|chez|à|pour|de|con|a|para)\s+)?"
    r"(?:who|whom|whose|wer|wen|wem|wessen|qui|quién(?:es)?)\b"
)

# Whom one works for is no person.
FOR_WHOM = any_case(r"\b(?:work|working|employed|arbeit\w*|travaill\w*|trabaj\w*)\b")
# What somebody does for a living. German, French and Spanish name a profession without an article.
JOB = any_case(
    r"\b(?:for a living|professions?|occupation|line of work|berufe?s?|beruflich|métier|profession"
    r"|profesión|oficio)\b"
    r"|\bwhat (?:does|do|did) (?:i|we|(?:my|our) \w+(?: \w+)?|(?-i:[A-Z])\w+) do(?: for (?:work|a job))?\s*\?"
    r"|\bwhat(?:['’]s| is) (?:my|our) (?:[\w'’]+ )?job\b|\bwhat (?:job|work) \w+|\bwelche\w* (?:job|arbeit)\b"
    r"|\bals was arbeite\w*|\bde qué trabaj\w+|\ba qué (?:me dedico|se dedica)"
)
GIVES_JOB = any_case(
    r"(?:\b(?:am|is|was|are|became|become)|['’](?:m|s|re))\s+(?:now\s+)?(?:an?|the)\s+\w"
    r"|\b(?:work|teach|train|study|studie|run|drive|serve|arbeit|unterricht|leite|führ|travaill|enseign|dirig|trabaj"
    r"|enseñ)\w*\b|\b(?:bin|ist|sind|war|wurde|geworden)\s+(?:jetzt\s+|seit \w+\s+)?(?-i:[A-ZÄÖÜ])\w+"
    r"|\b(?:suis|est|soy|es)\s+(?!un\b|une\b|una\b|à\b|en\b|de\b|le\b|la\b|el\b|mon\b|ma\b|mi\b)\w{4,}"
)
# The profession itself, behind what gives it.
JOB_NAMED = any_case(
    r"(?:\b(?:am|is|as|become|became|als|bin|ist|comme|suis|est|soy|es|como)|['’](?:m|s))\s+"
    r"(?:now\s+|jetzt\s+|ahora\s+|maintenant\s+)?(?:an?\s+|une?\s+|una?\s+|ein\w?\s+)?(?P<job>[^\W\d_]{4,}(?:\s+[^\W\d_]{4,})?)"
)
# What it is that somebody does: whoever says "I sing bass" answers "What voice do I sing?"
DONE = any_case(
    r"\b(?:do|does|did|have|has|am|are)\s+(?:i|we|(?:my|our)\s+[\w'’-]+)\s+(?:\w+ly\s+)?(?P<verb>\w+)"
    r"|\b(?:qué|quel(?:le)?s?)\s+(?!est\b|es\b|sont\b|son\b)\w+\s+(?:est-ce qu['’e]\s*)?(?:je\s+|j['’]"
    r"|nous\s+|on\s+)?(?P<romance>\w+)"
)
# The noun that is asked for. It ends where the sentence goes on.
_STOP = (
    r"(?:do|does|did|is|are|am|was|were|have|has|had|can|could|should|shall|will|would|may|might|must"
    r"|i|we|me|us|my|our|a|an|the|you|they|he|she|it|that|and|to|of|in|into|on|at|for|with|from|by|when|if|called|named|like"
    r"|about)"
)
_NOUNS = rf"(?P<what>(?!{_STOP}\b)[\w'’-]+(?:\s+(?!{_STOP}\b)[\w'’-]+){{0,3}})"
_KIND = r"(?:(?:kind|sort|type|make|brand|model|breed)s? of\s+)?"
_GERMAN_NOUN = r"(?:(?:(?-i:[a-zäöüß])\S*\s+){0,2})(?P<what>(?-i:[A-ZÄÖÜ])[\w-]+)"
# What stands before one of these is a verb, and no noun: "which doctor set *my* wrist".
OBJECT_BEHIND = any_case(r"\s+(?:me|us|my|our|the|an?)\b")
ROMANCE_HEAD = any_case(
    r"\b(?:quel(?:le)?s?|cuál(?:es)?|qué)\s+(?:(?:est|sont|es|son)\s+)?(?:(?:mon|ma|mes|notre|nos|le|la|les"
    r"|mi|mis|nuestr[oa]s?|el|los|las)\s+|l['’])?(?P<what>(?!est\b|sont\b|es\b|son\b|que\b)[^\W\d_]{3,})"
)
HEADS = (
    any_case(rf"\b(?:which|what)\s+{_KIND}(?!['’]s\b){_NOUNS}"),
    any_case(rf"\bwhat(?:['’]s|\s+is|\s+are|\s+was|\s+were)\s+(?:my|our|the)\s+{_NOUNS}"),
    any_case(rf"\b(?:welche[rnms]?|was für(?: eine?\w?)?)\s+{_GERMAN_NOUN}"),
    any_case(
        r"\b(?:was|wie)\s+(?:ist|sind|war|lautet|lauten)\s+(?:mein\w{0,2}|unser\w{0,2}|der|die|das)\s+"
        rf"{_GERMAN_NOUN}"
    ),
    ROMANCE_HEAD,
)
# These say nothing of what is asked for.
_KINDS = """
    favourite favorite preferred current new old main usual next last own best second first
"""
OF_A_KIND = frozenset(_KINDS.casefold().split())
_TIMES = """
    time date day month year hour weekday birthday deadline uhrzeit datum tag monat jahr geburtstag frist
    termin heure jour mois année anniversaire hora día mes año fecha cumpleaños
"""
TIME_HEADS = frozenset(_TIMES.casefold().split())
_NUMBERS_ASKED = """
    number amount price cost size age height weight salary rent budget percentage total length width distance
    nummer betrag preis größe alter gewicht gehalt miete länge numéro prix âge taille poids salaire loyer
    número precio edad talla peso sueldo alquiler
"""
NUMBER_HEADS = frozenset(_NUMBERS_ASKED.casefold().split())
_PLACES_ASKED = """
    city town village street country place address stadt ort dorf straße land adresse ville rue pays lieu
    adresse ciudad calle país lugar dirección
"""
PLACE_HEADS = frozenset(_PLACES_ASKED.casefold().split())
_NAMES_ASKED = """
    name surname nickname nachname vorname spitzname nom prénom surnom nombre apellido
"""
NAME_HEADS = frozenset(_NAMES_ASKED.split())
# These name a thing beside its kind: a birthday is a day, and no day is a birthday for that.
_THINGS = """
    birthday deadline geburtstag frist termin anniversaire cumpleaños salary rent budget gehalt miete salaire
    loyer sueldo alquiler
"""
OF_THEIR_OWN = frozenset(_THINGS.casefold().split())
# What a number is the measure of: "How old is my sister?" has no other word for what is asked.
MEASURES = frozenset("old tall high big heavy alt groß grösse schwer hoch far weit weigh wiege".split())
OF_PRICES = frozenset(("high", "hoch"))

# A year answers for an age, and is no number of anything else.
AGE = any_case(r"\b(?:old|age|alt|alter|âge|edad|años)\b")
HOW_MANY = any_case(r"^\W*(?:how many|wie ?viele)\b")
# What stands in a row is not counted by its place.
MONEY = any_case(
    r"[£€$]\s*\d[\d.,]*|\b\d[\d.,]*\s*(?:[£€$]|(?:pounds?|quid|pence|euros?|dollars?|bucks|livres?|dólares?)\b)"
)
YEARS = re.compile(r"\b(?:1[89]|20)\d\d\b")
IN_A_ROW = any_case(
    r"\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|ersten?|zweiten?|dritten?|vierten?|fünften?)\b"
)
# German writes every noun with a capital, so that none of them says a place by itself.
GERMAN_WHERE = any_case(r"^\W*(?:(?:von|nach|in|an|auf|bei)\s+)?(?:wo|wohin|woher|welche\w*)\b")
# They say that money is asked for, and not for what.
COSTS = frozenset(
    ("pay", "paid", "cost", "costs", "charge", "price", "zahle", "zahlen", "kosten", "kostet", "preis")
)
# What somebody does is asked for by its object: "what do I feed the hens", "was frisst unser Hund".
DOES_WHAT = any_case(
    r"^\W*what\s+(?:do|does|did)\s+(?:i|we|(?:my|our)\s+(?:[\w-]+['’]s\s+)?[\w'’-]+|(?-i:[A-Z])\w+)\s+(?:\w+ly\s+)?(?P<verb>[a-z]+)"
    r"|^\W*was\s+(?P<german>(?-i:[a-zäöüß])+)\s+(?:ich|wir|mein\w{0,2}\s|unser\w{0,2}\s|(?-i:[A-ZÄÖÜ])\w+)"
    r"|^\W*qu['’]est-ce qu(?:e\s+|['’])(?:je\s+|j['’]|nous\s+|on\s+)(?P<french>\w+)"
)
_LIGHT = """
    have had do did be is are get got need tell told say said mention habe hab haben bin ist sind war brauche
    mache fais suis ai dois
"""
LIGHT_VERBS = frozenset(_LIGHT.split())
YES_OR_NO = any_case(
    r"^\W*(?:do|does|am|are|have|has|bin|habe|hab|haben|hat|suis-je|ai-je|soy|tengo)\b(?!.*\b(?:or|oder|ou|o)\b)"
)
# What is one's own, at the end of a question, is the last of its words: of "our wedding cake" the cake.
OWN_AT_THE_END = any_case(
    r"(?<!\bdo\s)(?<!\bdoes\s)(?<!\bdid\s)\b(?:my|our)\s+(?:[\w’'-]+\s+){1,2}(?P<what>[\w’'-]+)\W*$"
)
FAVOURITE = any_case(
    r"favou?rite|\b(?:like|love|prefer|enjoy|adore|rather|mag|liebe|mögen?|lieber|am liebsten|bevorzug\w*"
    r"|aime|adore|préf\w+|gusta|encanta|prefier\w+)\b|\blieblings|favorit"
)
ASKS_FAVOURITE = any_case(
    r"favou?rite|\blieblings|\bliebste|\b(?:like|love)\b.*\b(?:best|most)\b|préféré|favorit"
)

_SEASONS = (
    r"spring|summer|autumn|winter|easter|christmas|frühling|frühjahr|sommer|herbst|ostern|weihnachten|printemps|été"
    r"|automne|hiver|noël|pâques|primavera|verano|otoño|invierno|navidad"
)
_SPANS = (
    r"days?|weeks?|months?|years?|weekends?|mornings?|evenings?|afternoons?|nights?|hours?|tage?n?|wochen?|monate?n?"
    r"|jahre?n?|wochenende|morgen|abend|nachmittag|jours?|semaines?|mois|ans?|années?|matins?|soirs?|días?|semanas?"
    r"|mes(?:es)?|años?|mañanas?|tardes?|noches?"
)
OTHER_TIMES = any_case(
    rf"\b(?:1[89]|20)\d\d\b|\b(?:{_SEASONS})\b"
    rf"|\b(?:every|each|last|next|this|once an?|in the|jede\w*|letzte\w*|nächste\w*|diese\w*|am|chaque|tous "
    rf"les|cada|todos los|el próximo|la próxima)\s+(?:\w+\s+)?(?:{_SPANS})\b"
    rf"|\b\w+\s+(?:{_SPANS})\s+ago\b|\bvor\s+\w+\s+(?:{_SPANS})\b|\bil y a\s+\w+|\bhace\s+\w+"
    r"|\b(?:at|by|um|gegen|ab|bis|before|after|until)\s+(?:about\s+|halb\s+)?(?:half past\s+|quarter (?:to"
    r"|past)\s+)?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight|eins|zwei"
    r"|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|mitternacht|mittag|\d{1,2})\b"
    r"|\bhalb (?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)\b|\bhalf past \w+"
    r"|\bquarter (?:to|past) \w+"
    r"|\b(?:the\s+)?\d{1,2}(?:st|nd|rd|th)\b|\b\d{1,2}[./]\d{1,2}\b"
    r"|\b(?:first|second|third|fourth|fifth|last|ersten|zweiten|dritten|vierten|letzten)\s+(?:of|week|work|werk)\w*"
    r"|\b(?:à|a las?)\s+\w+\s+(?:heures?|horas?)\b|\b(?:a las|a la)\s+\w+|\b(?:midi|minuit|mediodía"
    r"|medianoche)\b"
    r"|\b(?:mittags|morgens|abends|nachts|vormittags|nachmittags)\b|\b(?:today|yesterday|heute|gestern|hier|ayer|hoy)\b"
)
NUMBERS = any_case(
    r"\d[\d.,:]*"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen|half|twice"
    r"|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|(?:drei|vier|fünf|sech|sieb|acht|neun)zehn|zwanzig"
    r"|\w*(?:ßig|zig)|hundert|tausend|dutzend|halbe?\w?|zweimal|ersten?|zweiten?|dritten?|vierten?|fünften?"
    r"|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|vingt|trente|quarante|cinquante|soixante|cent|mille"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|veinte|treinta|cuarenta|cincuenta|cien|ciento|mil"
    r"|none|no|keine?n?)\b"
)
PLACE = any_case(
    r"\b(?:in|at|on|near|behind|under|beneath|inside|outside|beside|above|below|next to|opposite|from|to|into"
    r"|im|am|auf|bei|beim|unter|hinter|neben|nach|aus|vor|zu|zur|zum|über|gegenüber"
    r"|à|au|aux|en|dans|chez|sur|sous|derrière|près d[eu]|devant|(?:mud\w+|voy|vamos|ido|ir|traslad\w+"
    r"|pas\w+) a|al|bajo|detrás del?|junto al?|cerca del?|rue)\s+"
    r"(?:(?:the|a|an|my|our|his|her|their|der|die|das|den|dem|einem|einer|eine|meine\w|unsere\w|le|la|les|l['’]|un|une"
    r"|mon|ma|el|los|las|una|mi|nuestr[oa])\s+)?(?P<where>[\w'’-]+(?:\.[\w-]+)*)"
)
NO_PLACE = any_case(
    r"\d+(?:st|nd|rd|th)?|both|each|every|all|beiden?|jede\w*|alle\w*|me|you|him|her|us|them|it|that|this|which|least|last|first|mir|dir|ihm|ihr|uns|mich|dich"
    rf"|(?:{_SEASONS}|{_SPANS}|half|noon|six|seven|eight|nine|ten)"
)
CAPITAL = re.compile(r"(?!I\b)[A-ZÄÖÜÉÀÁÍÓÚÑ]")
GIVES_NAME = any_case(
    r"\b(?:called|named?|is|are|was|at|with|by|for|heiß\w*|ist|sind|bei|von|für|s['’]appelle|est|chez|pour|llama\w*|es|son|para)\s+\w+"
)
SOMEBODY = any_case(
    r"\b(?:my|our|the|mein\w{0,2}|unser\w{0,2}|der|die|mon|ma|notre|mi|nuestr[oa]|un|une|una|ein\w?)\s+"
    r"(?:\w+\s+)?(?:brother|sister|mother|father|mum|mom|dad|wife|husband|son|daughter|partner|girlfriend|boyfriend"
    r"|friend|neighbours?|colleague|boss|gran|granny|nan|grandmother|grandfather|grandma|grandpa|aunt|uncle|cousin"
    r"|niece|nephew|landlord|landlady|doctor|dentist|teacher|nurse|bruder|schwester|mutter|vater|mama|papa|frau|mann"
    r"|sohn|tochter|freund\w*|nachbar\w*|kolleg\w*|chef\w*|oma|opa|großmutter|großvater|tante|onkel|cousine|nichte"
    r"|neffe|vermieter\w*|ärztin|arzt|frère|sœur|mère|père|maman|papa|femme|mari|fils|fille|amie?|voisine?|collègue"
    r"|hermano|hermana|madre|padre|mujer|marido|hijo|hija|amig[oa]|vecin[oa]|compañer[oa]|jef[ea])\b"
)
# A short sentence that says of one thing what it is, and neither where nor when.
SAYS_WHAT_IT_IS = any_case(
    r"^\W*(?:my|our|the|mein\w{0,2}|unser\w{0,2}|der|die|das|mon|ma|notre|le|la|mi|nuestr[oa]"
    r"|el)\s+(?:[\w'’-]+\s+){1,3}(?:is|are|ist|sind|est|sont|es|son)\s+(?!in\b|at\b|on\b|under\b|with\b"
    r"|near\b|behind\b|im\b|am\b|auf\b|bei\b|unter\b|mit\b|dans\b|chez\b|sur\b|en\b|called\b|not\b|nicht\b"
    r"|ill\b|krank\b)(?:(?:an?|ein\w{0,2}|une?|una)\s+)?(?:[\w'’-]+\W*){1,3}$"
)
# Behind a name that begins a sentence.
VERB_BEHIND = any_case(
    r"(?:\s+[A-ZÄÖÜÉ][\w'’-]+)?\s+(?:is|was|has|will|does|ist|hat|war|wird|est|a|sera|es|ha|era)\b|['’]s\s"
)
_NO_NAMES = """
    i i'm i've i'll i'd herr herrn frau mr mrs ms miss dr prof madame monsieur señor señora english german
    french spanish ok okay the my our a an this that it we you he she they der die das ein eine mein meine
    unser unsere wir ich er sie es le la les un une mon ma mes notre je j'ai il elle on nous el los las una mi
    mis nuestro nuestra yo and but so when if since now there here und aber wenn seit jetzt et mais quand y
    pero cuando
"""
NO_NAMES = frozenset(_NO_NAMES.split())
# Verbs, and other small words of a German question, that are in everything.
_SMALL = """
    have has had be been do got get go to a an the own need want like welche welcher welches welchen welchem
    ich wir mein meine meinem meinen meiner meines unser unsere unserem unseren habe hat haben bin ist sind
    für im in am an auf bei mit von zu der die das den dem und tengo tiene tenemos es son he ha ai avons a est
    j m me mi mon ma
"""
SAY_LITTLE = frozenset(_SMALL.split())
# What one has, behind "a": "I drive a Skoda", "wir fahren einen Caddy".
HAS_A = re.compile(
    r"\b(?:an?|ein\w{0,2}|une?|una?)\s+(?:(?-i:[a-zäöüß])[\w'’-]+\s+){0,2}(?P<what>[A-ZÄÖÜÉ][\w'’-]+|[a-z]+[A-Z]\w*)"
)
HAVE = frozenset(("have", "habe", "haben", "tengo", "tiene", "tenemos", "ai", "avons"))
