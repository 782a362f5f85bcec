"""Whether a request asks for something to be done, in whatever verb; and whether it only tells something.

"Encrypt contract.pdf", "mach die Heizung wärmer": what the tables of `request_kinds` do not know is asked for
all the same, and a small model says that it did it. So the form is read: a verb in front, and what it is done
to behind it. What asks, tells, names a subject ("recipe for lentil soup") or wants a text is no order: there
nothing is held back (`chat/claims.py`). Behind an act the same is asked the other way round: "Sam quit" may
be an order there, while "My landlord is Mr Quibble" and "that was quick" only tell. Pure functions; any
thread.
"""

from __future__ import annotations

import re

from desktop.chat.intent_words import MAY_ACT, typed
from desktop.chat.request_kinds import DRAFTS, LETTERS, is_act
from desktop.chat.tool_choice import files_in

_SAID = (
    # what asks, says or points
    r"i|i['’]\w+|my|mine|he|she|it|it['’]s|they|we|the|this|that|that['’]s|there|these|those|a|an|some|any|"
    r"no|not|yes|what\w*|"
    r"who\w*|why|how|when|where|which|is|are|am|was|were|do|does|did|has|have|can|could|will|would|should|"
    r"may|if|because|"
    r"today|yesterday|tomorrow|just|maybe|sorry|thanks|thank|hello|hi|hey|good|great|nice|cool|wow|lol|you|"
    r"your|"
    r"ich|mein\w*|er|sie|es|wir|der|die|das|den|dem|ein\w*|kein\w*|was|wer|wen|wem|warum|wie|wann|wo\w*|"
    r"welche\w*|ist|sind|"
    r"war|hat|haben|hab|habe|kann|wird|wenn|weil|heute|gestern|morgen|danke|hallo|ja|nein|guten?|du|dein\w*|"
    r"dies\w*|"
    r"je|j['’]\w+|mon|ma|mes|il|elle|on|nous|le|la|les|l['’]\w+|un|une|des|ce|cet|cette|c['’]\w+|ça|que|qui|"
    r"quoi|quel\w*|"
    r"quand|où|pourquoi|comment|combien|est-ce|est|si|parce|aujourd['’]hui|hier|merci|bonjour|salut|oui|non|"
    r"tu|ton|ta|tes|"
    r"yo|mi|mis|él|ella|el|los|las|lo|una|unos|eso|esto|qué|quién|cuándo|dónde|cómo|cuánto\w*|cuál\w*|es|son|"
    r"está|hay|"
    r"porque|hoy|ayer|gracias|hola|sí|buen\w*|tus?|me|mich|mir|uns|"
    # what is done in words alone
    r"explain|describe|tell|give|name|suggest|recommend|compare|define|translate|rewrite|rephrase|"
    r"summari[sz]e|solve|"
    r"calculate|compute|imagine|pretend|continue|go|plan|brainstorm|outline|help|think|teach|draft|compose|"
    r"generate|"
    r"answer|respond|reply|talk|say|repeat|spell|let['’]?s|guess|ask|quiz|proofread|improve|shorten|expand|"
    r"analy[sz]e|evaluate|rate|rank|classify|simplify|paraphrase|discuss|argue|debate|prove|derive|integrate|"
    r"code|"
    r"implement|program|design|invent|joke|sing|act|be|come|write|list|convert|\d+|two|three|five|ten|zwei|"
    r"drei|fünf|zehn|deux|trois|cinq|dix|tres|cinco|diez|"
    r"make (?:me )?(?:an? |this |it )(?!calendar|folder|file|appointment|call)|"
    r"mach\w* (?:mir )?ein\w* (?:tabelle|liste|plan\w*)|"
    r"planifi\w*|rends|"
    r"erklär\w*|beschreib\w*|sag\w*(?! (?:\w+ )?bescheid)|gib|erzähl\w*|nenn\w*|schlag\w*|empfiehl|"
    r"empfehl\w*|vergleich\w*|definier\w*|"
    r"übersetz\w*|formulier\w*|fass\w*|lös\w*|berechne|rechne|plane|hilf|verfass\w*|dicht\w*|antworte|rede|"
    r"sprich|"
    r"wiederhol\w*|buchstabier\w*|verbesser\w*|analysier\w*|bewert\w*|vereinfach\w*|erfinde?|schreib\w*|"
    r"liste|"
    r"explique\w*|décri\w*|dis|dites|donne\w*|raconte\w*|cite|propose|suggère|recommande|définis|traduis|"
    r"reformule|"
    r"résume|résous|calcule|aide\w*|apprends|écri\w*|rédige|compose|génère|réponds|parle|répète|épelle|"
    r"améliore|analyse|"
    r"évalue|simplifie|joue|invente|fais-moi|"
    r"explica\w*|di|dime|dame|cuenta|cuéntame|nombra|sugiere\w*|recomienda\w*|compara|define|traduce|"
    r"reformula|resume|"
    r"resuelve|calcula|planea|ayuda\w*|enseña\w*|escribe|redacta|compón|responde|habla|repite|deletrea|"
    r"mejora|analiza|"
    r"evalúa|simplifica|juega"
)
_COURTESY = (
    r"\W*(?:(?:please|bitte|s['’]il (?:te|vous) plaît|por favor|ok|okay|now|jetzt|and|und|et|y|then|dann|"
    r"puis|"
    r"luego|just|hey|also|mal|steward)[, ]+)*"
)
_IS_SAID = re.compile(rf"{_COURTESY}(?:{_SAID})(?!\w)", re.IGNORECASE)
# Done in words as well, with an object behind them.
_TEXT_VERB = (
    r"find|pick|choose|complete|finish|conjugate|debug|review|refactor|format|use|provide|show|check|correct|"
    r"count|start with|keep (?:it|this)|break down|begin|order these|put these|set up an? argument|build|"
    r"test|"
    r"critique|check out|look up|read|study|learn|memori[sz]e|pretend|assume|consider|take a guess|entertain|"
    r"finde?|such\w*|wähl\w*|zeig\w*|korrigier\w*|vervollständig\w*|zähl\w*|setz\w* die wörter|bring mich|"
    r"führ\w*|"
    r"konjugier\w*|lies|lern\w*|beweis\w*|prüf\w*|kürz\w*|stell (?:dir|mir)|wandl\w*|"
    r"trouve\w*|choisis\w*|montre\w*|corrige\w*|complète\w*|compte|conjugue\w*|imagine\w*|vérifie\w*|"
    r"fais une blague|"
    r"encuentra|busca|elige|muestra|muéstra\w*|completa|cuenta|conjuga|ponme un ejemplo|imagina|comprueba|"
    r"haz (?:un chiste|una lista)"
)
_IS_TEXT_VERB = re.compile(rf"{_COURTESY}(?:{_TEXT_VERB})(?!\w)", re.IGNORECASE)
# Words that stand where a verb would: "then also the price", "off to the pub".
_NO_VERB = (
    r"(?:auch|dann|noch|nur|aber|oder|für|mit|an|auf|in|bei|von|nach|ohne|über|unter|wie|als|wenn|weil|dass|so|sind|"
    r"ist|war|hat|haben|durch|gegen|um|ab|statt|off|on|at|to|from|with|for|of|about|after|before|but|or|as|is|was|"
    r"were|are|has|have|had|into|by|still|only|even|than|like|avec|pour|dans|sur|chez|sans|sous|vers|par|mais|donc|"
    r"aussi|encore|plus|est|sont|ont|était|entre|depuis|après|avant|con|para|por|sin|sobre|pero|son|está|era|hay|como|"
    r"más|también|desde|hasta|tras)"
)
# A verb and what it is done to. "Recipe for soup" has a preposition in that place, "surprise me" is talk.
_ACTS_ON = re.compile(
    rf"{_COURTESY}(?:"
    rf"(?!{_NO_VERB}\b)"
    r"(?!(?:\w{2,}ing|\w+ed|stuck|lost)\b)(?!-)[\w-]+(?: (?:back|off|on|up|down|out|"
    r"away))?(?: \w+ly)? (?:the|my|our|your|this|"
    r"that|it|them|all|every|"
    r"both|him|her|off|up|down|out|back|an?)\b(?! (?:lot|bit|few))"
    r"|(?:\w+ ){1,4}[\w-]+\.(?:txt|md|pdf|csv|docx?|xlsx?|png|jpe?g|zip|json|html?|log|ini|toml|ya?ml)\b"
    r"|(?:wake|remind|call|text|ping|notify|alert|e-?mail|message|phone) me\b"
    r"|(?:block|print|order|dim|play|mute|lock|unlock|record|cancel|book|buy|log|encrypt|open|close|turn|"
    r"switch|stop|"
    r"delete|rename|move|undo)\b (?!(?:for|of|from|with|in|vs)\b)\w"
    rf"|(?!{_NO_VERB}\b)\w+ (?:die|das|den|es|ihn|meine?[nmsr]?|alle[sn]?|eine?n? (?=\w+ (?:auf|aus|ein|"
    r"an|ab))|am \d|um \d)\b|\w+ (?:\w+ )?bescheid\b"
    rf"|[^\W\d_]+(?:-(?:l[ea]s?|moi|lui|leur))\b|(?!\w+(?:tion|té|age)\b)"
    rf"(?!{_NO_VERB}\b)\w+ (?:le |la |les |l['’]|mon |ma |mes |une? |ça\b|tout\b|cette? )"
    rf"|(?:\w*[áéíóú]\w*l[oae]s?|(?:pon|haz|di|ten|ven)l[oae]s?)\b(?= \w)"
    rf"|(?!{_NO_VERB}\b)\w+ (?:el|la|los|las|lo|mis?|una?|esto|eso|todo)\b)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"[.!;]\s+|(?<=\?)\s+")
_END = re.compile(r"[.!;]\s+|(?<=\?)\s+|,\s+(?=\S+(?: \S+){0,4}\W*$)")
_GIVEN = re.compile(r":\s+\S")  # a text to work on stands behind it
LONGEST_ORDER = 240  # characters; a longer one is a text with a request in it


def is_order(request: str) -> bool:
    """Whether one of its sentences, in whatever words, asks for something to be done that is not done in
    words: a verb with its object. What asks, tells, names a subject or wants a text is none."""
    if len(request) > LONGEST_ORDER or "\n" in request.strip() or _GIVEN.search(request):
        return False
    if DRAFTS.search(request) or LETTERS.match(request):
        return False
    # A clause behind a comma is no order of its own in a question.
    ends = _SENTENCES if request.rstrip().endswith("?") else _END
    parts = [each for each in ends.split(request.strip()) if len(each.split()) > 1]
    return any(_is_told_to(each) for each in parts if not each.rstrip().endswith("?"))


def _is_told_to(part: str) -> bool:
    is_said = _IS_SAID.match(part) or _IS_TEXT_VERB.match(part)
    return is_said is None and _ACTS_ON.match(part) is not None


# -- what only tells --------------------------------------------------------------------------

_FEELINGS = (
    r"(?:(?:very|really|so|all|just|truly|pretty|most|quite|that|sehr|wirklich|echt|ja|ganz|so|richtig|très|"
    r"vraiment|trop|bien|tout|muy|realmente|qué|tan) )*"
    r"(?:good|great|nice|lovely|perfect|brilliant|fantastic|excellent|wonderful|amazing|awesome|cool|super|"
    r"fine|sweet|neat|kind|helpful|handy|quick|fast|easy|simple|funny|useful|impressive|clever|sorted|"
    r"settled|"
    r"interesting|gut|schön|toll|prima|klasse|spitze|genial|perfekt|wunderbar|herrlich|nett|lieb|hilfreich|"
    r"schnell|fix|leicht|einfach|praktisch|lustig|stark|geil|bestens|bien|bon|parfait|super|génial|excellent|"
    r"top|merveilleux|gentille?|sympa|rapide|facile|pratique|utile|drôle|impeccable|nickel|bueno|buenísimo|"
    r"genial|perfecto|estupendo|fantástico|maravilloso|excelente|amable|majo|maja|rápido|fácil|práctico|útil|"
    r"gracioso|chulo)"
)
_THANKS = (
    r"(?:(?:many |lots of |no )?thanks?(?: you| ever)?|thx|ta|cheers|much appreciated|i appreciate (?:it|"
    r"that)|"
    r"(?:vielen |herzlichen |tausend |besten )?dank(?:e|eschön)?|"
    r"(?:un grand |mille )?merci|(?:muchas |muchísimas |mil )?gracias|te lo agradezco|je te remercie)"
    r"(?: (?:a lot|so much|very much|a million|a bunch|for (?:that|this|everything|your help|the help)|"
    r"again|mate|"
    r"dir|ihnen|schön|sehr|vielmals|für (?:die|deine) hilfe|beaucoup|bien|infiniment|pour (?:tout|ton "
    r"aide|votre "
    r"aide)|à toi|por todo|por (?:la|tu) ayuda|a ti|de verdad))*"
)
# Of what was just done, or of the one who did it: whole clauses in which nothing else is said.
_PRAISE = (
    rf"(?:{_THANKS}|(?:how |what a |wie |que |qué |c['’]est |das ist )?{_FEELINGS}(?: (?:job|work|stuff|"
    rf"one|of "
    r"you|from you|to know|von dir|gemacht|de ta part|travail|boulot|trabajo|de tu parte))*"
    r"|(?:that|this|it|das|es|ça|c|ce|eso|esto)(?:['’]s| is| was|['’]?(?:est|était)| a été| ist| war| "
    r"ging| geht|"
    rf" fue| ha sido| es)?(?: (?:ja|aber|auch|doch|really))* {_FEELINGS}(?: (?:then|now|aber|dann|alors|"
    rf"gemacht|"
    r"gegangen))*"
    r"|(?:you['’]?re|you are|du bist|tu es|vous êtes|eres)(?: (?!sure|wrong|right|done|supposed|"
    r"late)[^\s]+){1,4}"
    r"|well done|good to know|all good|no worries|no problem|you rock|love it|i (?:like|love) (?:it|that)|"
    r"that['’]s (?:what i (?:thought|wanted|needed)|a relief|all|it)|geht doch|gut so|passt so|kein problem|"
    r"alles klar|bien joué|pas de souci|ça marche|voilà une bonne chose de faite|"
    r"una cosa menos|buen trabajo|así me gusta|todo bien|what a \w+(?: \w+)?|was für eine? \w+|"
    r"quelle? [^\W\d_]+|qué \w+(?: más \w+)?)"
)
_IS_PRAISE = re.compile(_PRAISE, re.IGNORECASE)
# Before a clause, and of no weight: "well, …", "super, …".
_CALLS_OUT = re.compile(
    r"(?:well|oh|ah|wow|ha|phew|puh|uff|ouf|uf|hey|hm+|ok|okay|right|so|then|yes|yeah|ja|oui|sí|na also|"
    r"also|tja|"
    r"ach|bon|alors|ben|bueno|vaya|pues|anyway|by the way|btw|übrigens|au fait|por cierto|you know|actually|"
    r"lol|haha|just so you know|nah|nope|no|nein|ne|nee|non|oops|ups|wait|hang on|hold on|sorry|listo|"
    r"venga|vale|moment|attends|fyi|nebenbei|nur so|just)",
    re.IGNORECASE,
)
_BE = (
    r"is|are|was|were|has|have|had|lives?|works?|comes|goes|got|costs|likes|loves|plays|ist|sind|war|"
    r"waren|hat|"
    r"haben|wird|werden|heißt|wohnt|arbeitet|liegt|macht|machen|kommt|kommen|spielt|kostet|beträgt|mag|lebt|"
    r"est|sont|était|a(?= \w+ée?s?\b)|ont|habite|travaille|s['’]appelle|fait|font|vit|coûte|aime|joue|"
    r"es|está|están|era|tiene|tienen|vive|trabaja|se llama|hace|hacen|cuesta|cumple|gusta"
)
# A clause that states: who speaks or whose it is in front, or anything with a verb of being behind it.
_STATES = re.compile(
    r"(?:i|we|you)(?:['’](?:m|ve|re|d|ll))? (?!want|need|wish|meant|wanted|['’]?d like|would|should|must|"
    r"forgot)\w"
    r"|(?:i|we)['’](?:m|ve|re)\b|(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr[oa]s?) [^\s]+"
    r"|(?:ich|wir) (?!will|wollte|brauch\w*|möchte|hätte|meinte|muss|soll\w*)\w+"
    r"|(?:j['’]|je |on |nous )(?!veux|voudrais|voulais|ai besoin|dois|aimerais)\w+"
    r"|(?:yo|nos|me|no|ya no)? ?(?:soy|estoy|tengo|vivo|trabajo|voy|juego|toco|como|bebo|tomo|gano|odio|"
    r"prefiero|"
    r"llevo|conozco|conduzco|estudio|hablo|duermo|soporto|salgo|vengo|hago|creo|leo|gusta\w*|encanta\w*|"
    r"duele\w*|"
    r"casamos|mudamos|vivimos|tenemos|somos|estamos|vamos)\b"
    r"|(?:it|es|il|aquí|hoy|here|today|heute|hier|outside|draußen)(?:['’]s)? (?:\w+ ){0,2}?(?:is |ist |"
    r"been |no "
    r"para de )?(?:es |been )?(?:rain\w*|snow\w*|cold|hot|warm|late|dark|sunny|windy|freezing|draußen|regnet|"
    r"schneit|kalt|heiß|spät|pleut|neige|fait|llover|llueve|nieva|hace|para)\b"
    r"|\w+ (?:ich|wir)\b|(?:\w+ )?(?:he|hemos) \w+[adi]do\b",
    re.IGNORECASE,
)
_OTHERS_ARE = re.compile(rf"(?!no\b|not\b|there\b)[^\s]+ (?:[^\s]+ ){{0,2}}?(?:{_BE})\b", re.IGNORECASE)
# What goes on from something: it points at it, adds to it, or says that it is otherwise, wanted, or over.
_GOES_ON = re.compile(
    r"\b(?:there|one|ones|others?|too|also|as well|another|instead|rather|better|earlier|later|longer|"
    r"sooner|any ?more|already|should\w*|must|needs?|"
    r"need|missing|out of|wrong|cancell?ed|moved|changed?|gone|left|off|done|finished|over|after all|"
    r"except|only|"
    r"dort|da|dahin|drin|darin|dazu|auch|noch|lieber|besser|statt\w*|früher|später|nicht mehr|doch|"
    r"soll\w*|muss|müssen|fehlt|fehlen|falsch\w*|abgesagt|verschoben|"
    r"erledigt|fertig|weg|raus|nur|"
    r"là|aussi|encore une?|plutôt|mieux|déjà|doit|doivent|"
    r"faut|manque\w*|annulée?s?|décalée?s?|reportée?s?|plus besoin|trompée?|seulement|autres?|"
    r"ahí|allí|también|mejor|ya|debe\w*|falta\w*|cancelad\w*|cambiad\w*|aplazad\w*|"
    r"otr[oa]s?(?! vez)|solo|sólo)\b"
    r"|\b(?:is|are|ist|sind|est|sont|está|están) (?:out|in|on|away|back|dabei|dehors|absente?s?|fuera)\W*$"
    r"|\b\d{1,2}[:.h]\d\d\b|\b(?:at|um|à|a las?) \d{1,2}\b|\b\d{1,2} ?(?:am|pm|uhr|h)\b",
    re.IGNORECASE,
)
# In the first clause; in a later one it may be what the first has named: "I saw my ex, it was awkward".
_POINTS = re.compile(
    r"\b(?:it|its|them|they|their|that|those|this|these|he|she|him|his|her|ihn|ihm|ihr\w*|sie|er|dies\w*|"
    r"jene\w*|"
    r"es (?:ist|soll|muss|war|wird|hat|kommt|gehört|steht)|(?:soll|muss|hat|ich|brauche) es|das (?:ist|"
    r"war|soll)|"
    r"ça|cela|celui\w*|celle\w*|ceux|il|elle|lui|leur|es[aeo]|est[aeo]|él|ella)\b",
    re.IGNORECASE,
)
# "It's been raining", "heute ist es kalt": nothing is pointed at there.
_EXPLETIVE = re.compile(
    r"\bit(?:['’]s| is| was|['’]s been| has been)(?= (?:been |so |really |very |pretty )*(?:rain|snow|"
    r"cold|hot|warm|"
    r"late|dark|sunny|windy|freezing))|\b(?:ist|war|regnet|schneit|wird) es\b|^\W*es (?:ist|war|regnet|"
    r"schneit)\b|"
    r"^\W*il (?:pleut|neige|fait)\b",
    re.IGNORECASE,
)
# "Dr. Klein" and "am 2. August" end no clause.
_CLAUSES = re.compile(
    r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSr)(?<!\bSra)(?<!\bSt)(?<!\bM)(?<!\bMme)(?<!\bHr)(?<!\bFr)"
    r"(?<!\d)[.!;,:]+\s+|\s+[-–—]\s+|[.!]+$"
)
_DAY = re.compile(
    r"\b(?:today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|heute|morgen|übermorgen|"
    r"(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|demain|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|"
    r"mañana|lunes|martes|miércoles|jueves|viernes|sábado|domingo)\b",
    re.IGNORECASE,
)
_FEWEST_TOLD = 3  # words of a reason
_LONG_ENOUGH = 4  # letters by which two forms of one word are known
# Small words, and those of calling somebody or something a name.
_SMALL = """
    this that with have from mein mich dich dass eine nich notr avec dans pour sont para nues call appe llam
    font habe
"""
_NAMELESS = frozenset(_SMALL.split())


def only_tells(request: str, of_late: str = "") -> bool:
    """Whether `request` only tells, thanks or remarks something: each clause is praise, or states something
    that neither points at what was done nor has a word of it. `of_late` is all that the acts before it were
    about: the sentence before, names, lines and reminders."""
    asked = request.strip()
    if not asked or len(asked) > LONGEST_ORDER or asked.endswith("?") or files_in(asked):
        return False
    clauses = [each.strip(" ¡!.,") for each in _CLAUSES.split(asked)]
    said = [each for each in clauses if each and not _CALLS_OUT.fullmatch(each)]
    told = [each for each in said if not _IS_PRAISE.fullmatch(_without_calls(each))]
    if not said or not all(_is_statement(each) for each in map(_without_calls, told)):
        return False
    told = [_EXPLETIVE.sub("", each) for each in told]
    if any(_GOES_ON.search(each) for each in told) or any(_POINTS.search(each) for each in told[:1]):
        return False
    return not (_beginnings(" ".join(told)) & _beginnings(of_late))


# Why something is wanted says nothing of how: no number, no other thing, no place.
_NO_REASON = re.compile(
    r"\b(?:others?|too|also|as well|instead|rather|better|should\w*|must|can|goes|belongs?|place|seat|"
    r"spot|turn|"
    r"(?:is|are|was) called|soll\w*|muss|müssen|kann|können|darf|gehör\w*|kommt|kommen|auch|noch|lieber|"
    r"besser|platz|heißt|"
    r"aussi|plutôt|doit|peut|va|vont|place|autres?|s['’]appelle|también|mejor|debe|puede|va|van|lugar|"
    r"otr[oa]s?|"
    r"llama|mean\w*|meine|meinte|veux dire|quiero decir)\b|\d",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"(?:because|since|weil|denn|parce qu['’e]|car|porque|que)\b", re.IGNORECASE)
_TELLS_WHY = re.compile(
    r"(?:because |since |weil |denn |da |parce qu['’e] ?|car |porque |que )?(?:"
    r"(?:she|he|it|they|there|that|nobody|someone|i|we)(?:['’](?:s|re|ve|m|d|ll))?\b|er|sie|es|man|ich|wir|"
    r"(?:die|der|das|den|de) (?:gib\w*|hab\w*|hat|ist|sind|war\w*|brauch\w*|kauf\w*|passt|stimmt|mag|kemman)|"
    r"(?:da|dann) (?:bin|hab\w*|hat|ist|sind|arbeit\w*)|que \w+|"
    r"il|elle|ils|elles|on|ça|j['’]|je |c['’](?:est|était)|ce (?:sera|serait|n['’])|ya |no |se |lo |la |"
    r"me |nos |"
    r"[^\W\d_]+[éí](?= ))",
    re.IGNORECASE,
)


# "We've still got some", "ham wir noch", "ya tengo": of what was just asked for.
_HAVE = re.compile(
    r"(?:i|we)(?:['’]ve)? (?:still |already |just )*(?:have|had|got|found|bought) (?:some|it|one|them|"
    r"enough|plenty)"
    r"(?: (?:left|already|at home|here))*|(?:die |den |das )?(?:ham|hab|habe|haben) (?:wir|ich) (?:noch|"
    r"schon|ja schon)"
    r"|(?:j['’]en ai|on en a|il en reste|nous en avons) ?(?:déjà|encore|assez)?|ya (?:l[oa]s? )?(?:tengo|"
    r"tenemos|hay|queda)"
    r"|(?:aún|todavía) (?:tengo|queda|quedan|hay)",
    re.IGNORECASE,
)


# "Don't need it any more", "brauch ich nicht mehr": of what was just thrown away.
_NO_NEED = re.compile(
    r"(?:(?:i|we) )?(?:(?:do not|don['’]?t|no longer|never) (?:really )?(?:need|want|use) "
    r"(?:it|that|this|them|those)|"
    r"(?:it|that|they)(?:['’]s| is| are)? (?:not needed|no longer needed|useless|old|outdated))"
    r"(?: (?:any ?more|now|at all))*"
    r"|(?:(?:die|den|das|es|sie) )?(?:brauch\w*|benötig\w*|will|wollen) (?:(?:ich|wir|die|den|das|es|sie) )*"
    r"(?:ja |eh |eigentlich )*nicht(?: mehr)?"
    r"|(?:je n['’]|j['’]|on n['’])?en ai plus besoin|plus besoin|(?:ça|il|elle) ne sert (?:plus )?à rien"
    r"|ya no (?:(?:lo|la|los|las|me) )?(?:necesito|hace falta|hacen falta|sirve)"
    r"|no (?:lo|la|los|las) necesito(?: más)?",
    re.IGNORECASE,
)


def is_reason(clause: str) -> bool:
    """Whether a clause only says why, so that nothing is to be done for it."""
    said = clause.strip(" .!,;")
    if _HAVE.fullmatch(said) or _NO_NEED.fullmatch(said):
        return True
    is_short = len(said.split()) < (2 if _BECAUSE.match(said) else _FEWEST_TOLD)
    if is_short or files_in(said) or said.endswith("?") or _NO_REASON.search(said):
        return False
    return _TELLS_WHY.match(said) is not None or (_is_statement(said) and _IS_SAID.match(said) is not None)


_ASKS = re.compile(
    r"\W*(?:what|who|which|when|where|why|how|is|are|do|does|did|was|wer|wie|wann|wo|warum|welche\w*|"
    r"qu['’e]\w*|"
    r"quand|où|combien|comment|qué|cuál\w*|quién|cuándo|dónde|cuánt\w*|cómo)\b",
    re.IGNORECASE,
)
_ASKS_PLAINLY = re.compile(
    typed(
        r"\W*(?:(?:and|und|et|y|so|hey|ok|also) )*(?:what(?:['’]?s)?|how(?:['’]?s)?|which|who|where|"
        r"was(?= (?:kostet|kosten|ist|sind|macht|läuft|gibt)\b)|wie|wer|wo|welche\w*|"
        r"combien|quel\w*|où|comment|"
        r"qué|cuánt[oa]s?|cuál\w*|dónde|cómo)(?!\w)"
    ),
    re.IGNORECASE,
)


def asks_plainly(request: str) -> bool:
    """Whether it begins as a question does, also where its sign was left out: "was kostet Strom gerade"."""
    return _ASKS_PLAINLY.match(request) is not None


# Words that only ask, wherever they stand, beside no verb that tells somebody to do something.
_ASKS_INSIDE = re.compile(
    r"\b(?:cu[áa]nt[oa]s?|cuándo|dónde|quién\w*|cuál\w*|combien|how (?:much|many)|wie ?viele?)\b",
    re.IGNORECASE,
)


def asks_inside(request: str) -> bool:
    """Whether a few words ask in their middle, without a sign: "y eso cuánto es en euros"."""
    if _ASKS_INSIDE.search(request) is None or len(request.split()) > _FEW:
        return False
    return not is_order(request) and not is_act(request)


def has_question_word(request: str) -> bool:
    """Whether it says a word that only asks, wherever that stands."""
    return _ASKS_INSIDE.search(request) is not None


_FEW = 12  # words


# "Both were wrong, put it back": how much is meant is said there.
_SEVERAL = re.compile(
    r"\b(?:both|all|two|three|those|these|everything|beide\w*|alle\w*|zwei|drei|tous|toutes|les deux|dos|"
    r"tres|"
    r"amb[oa]s|tod[oa]s?)\b",
    re.IGNORECASE,
)
_BEFORE_OR_BEHIND = re.compile(r"\s*[,;.!–—-]\s+|\s+(?:because|since|weil|parce que|porque)\s+")


_OTHERS_DO = re.compile(
    r"(?:[^\s]+ ){0,2}[^\s]+['’](?:s|ve|re) |"
    rf"[^\s]+ (?:[^\s]+ ){{0,2}}?(?:{_BE}|can['’]t|cannot|won['’]t|will|would|dropped|quit|left|rang|got|"
    rf"took|went|"
    r"\w{3,}ed|\w+n['’]t|kann|will|fällt|geht|ging|fährt|bringt|muss|hatte|s['’]est|ne|n['’]\w+|no|ya|se)\b",
    re.IGNORECASE,
)


def _is_told(clause: str) -> bool:
    """Whether a clause before an order calls out, or has somebody or something and a verb: "kürzer bitte" has
    none."""
    bare = clause.strip(" .!,;")
    said = _without_calls(bare)
    if len(said.split()) < _FEWEST_TOLD:
        return any(each.fullmatch(said) for each in (_HAVE, _CALLS_OUT))
    return bool(_TELLS_WHY.match(said) or _OTHERS_DO.match(said)) or _is_statement(said)


def without_reason(request: str) -> tuple[tuple[str, str], ...]:
    """What a request asks for, and the reason apart, where one stands before or behind it: ("take him off",
    "Cole can't make it")."""
    joints = list(_BEFORE_OR_BEHIND.finditer(request.strip(" .!")))
    if not joints:
        return ()
    asked = request.strip(" .!")
    parts = [(asked[: each.start()], asked[each.end() :]) for each in joints]
    behind = [(order, reason) for order, reason in reversed(parts) if is_reason(reason)]
    # Before the order it may be about anybody, and is no more than told.
    before = [
        (order, told)
        for told, order in parts
        if _is_told(told)
        and not (
            _SEVERAL.search(told)
            or MAY_ACT.match(_without_calls(told))
            or files_in(told)
            or _ASKS.match(told)
        )
    ]
    return (*behind, *before)


def _is_statement(clause: str) -> bool:
    if _STATES.match(clause) is not None:
        return True
    # "The meeting is on Thursday" may be the one of a reminder.
    is_act = MAY_ACT.match(clause) is not None or _DAY.search(clause) is not None
    return _OTHERS_ARE.match(clause) is not None and not is_act


_ENDS = re.compile(
    r"(?:no|nothing|none|that|more|enough|done|later|again|now|then|so|all|both|stop|nichts?|fertig|genug|"
    r"später|mehr|jetzt|dann|alles|beide|schluss|rien|voilà|fini|plus|assez|maintenant|tout|nada|ya|basta|"
    r"más|listo|luego|ahora|todo|everything|everyone|anything|everybody|bye|goodbye|tschüss?|tschau|ciao|adiós|"
    r"adieu|hello|hi|hola|salut|hallo|amen|good|happy|merry|great|nice|best|bonne|bon|joyeux|gute[nrsm]?|schöne[nrsm]?|"
    r"frohe[sr]?|viel|buen[oa]?s?|feliz|felices)\b.*|\w+ly",
    re.IGNORECASE,
)


def says_more(clause: str) -> bool:
    """Whether a few words behind an "and" are no thing by themselves: "and thanks", "and that's it", "and
    why", "and now"."""
    said = clause.strip(" .!,")
    return any(each.match(said) is not None for each in (_IS_SAID, _ENDS)) or any(
        each.fullmatch(said) is not None for each in (_IS_PRAISE, _CALLS_OUT)
    )


def is_praise(clause: str) -> bool:
    """Whether it only thanks or praises."""
    return _IS_PRAISE.fullmatch(clause.strip(" .!,")) is not None


def _without_calls(clause: str) -> str:
    """ "Oh I like it" without the "oh", and "oh flip I need that" without what is called out there."""
    clause = re.sub(
        r"^(?:oh|ah|ach|ay|uy|oups) \w+ (?=(?:i|we|ich|wir|je|on|yo|l[oa]) )", "", clause, flags=re.I
    )
    found = _CALLS_OUT.match(clause)
    rest = clause[found.end() :] if found is not None else ""
    return rest.strip() if rest[:1] == " " else clause


def _beginnings(text: str) -> frozenset[str]:
    """Of its words: mow and mowing, Mond and Mondays."""
    found = re.findall(r"[^\W\d_]+", text.casefold())
    return frozenset(each[:_LONG_ENOUGH] for each in found if len(each) >= _LONG_ENOUGH) - _NAMELESS
