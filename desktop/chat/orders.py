"""Whether a request asks for something to be done, in whatever verb.

"Encrypt contract.pdf", "mach die Heizung wärmer": what the tables of `request_kinds` do not know is asked for
all the same, and a small model says that it did it. So the form is read: a verb in front, and what it is done
to behind it. What asks, tells, names a subject ("recipe for lentil soup") or wants a text is no order: there
nothing is held back (`chat/claims.py`). Pure functions; any thread.
"""

from __future__ import annotations

import re

from desktop.chat.request_kinds import DRAFTS, LETTERS

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
# A verb and what it is done to. "Recipe for soup" has a preposition in that place, "surprise me" is talk.
_ACTS_ON = re.compile(
    rf"{_COURTESY}(?:"
    r"(?!(?:\w{2,}ing|\w+ed|stuck|lost)\b)(?!-)[\w-]+(?: (?:back|off|on|up|down|out|"
    r"away))?(?: \w+ly)? (?:the|my|our|your|this|"
    r"that|it|them|all|every|"
    r"both|him|her|off|up|down|out|back|an?)\b(?! (?:lot|bit|few))"
    r"|(?:\w+ ){1,4}[\w-]+\.(?:txt|md|pdf|csv|docx?|xlsx?|png|jpe?g|zip|json|html?|log|ini|toml|ya?ml)\b"
    r"|(?:wake|remind|call|text|ping|notify|alert|e-?mail|message|phone) me\b"
    r"|(?:block|print|order|dim|play|mute|lock|unlock|record|cancel|book|buy|log|encrypt|open|close|turn|"
    r"switch|stop|"
    r"delete|rename|move|undo)\b (?!(?:for|of|from|with|in|vs)\b)\w"
    r"|\w+ (?:die|das|den|es|ihn|meine?[nmsr]?|alle[sn]?|eine?n? (?=\w+ (?:auf|aus|ein|an|ab))|am \d|"
    r"um \d)\b|\w+ (?:\w+ )?bescheid\b"
    r"|[^\W\d_]+(?:-(?:l[ea]s?|moi|lui|leur))\b|(?!\w+(?:tion|té|age)\b)\w+ (?:le |la |les |l['’]|mon |ma |"
    r"mes |une? |ça\b|tout\b|cette? )"
    r"|(?:\w*[áéíóú]\w*l[oae]s?|(?:pon|haz|di|ten|ven)l[oae]s?)\b(?= \w)|\w+ (?:el|la|los|las|lo|mis?|una?|"
    r"esto|eso|todo)\b)",
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
