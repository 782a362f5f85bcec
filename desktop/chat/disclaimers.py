"""Sentences in which a model says that it cannot know or do what is asked, in four languages.

"As an AI language model, I don't have access to your records" is what a small model says of things that
stand in the user's own files, and of what a tool of ours does. What people ask has no end of wordings; how a
model excuses itself has few. So the sentence is the sign that a question is about something of the user's,
and an answer that begins with one is held back for a second look (`second_look.py`). Only the first sentence
counts: further on, such words belong to what is said. Pure functions; any thread.
"""

from __future__ import annotations

import re

LONGEST = 400  # characters of a first sentence

_WHO = {
    "en": r"as an? (?:ai|artificial intelligence|(?:large )?language model|(?:virtual )?(?:assistant|"
    r"model))\b",
    "de": r"als (?:eine? )?(?:ki|künstliche intelligenz|k\.i\.|(?:\w+-)?sprachmodell|(?:ki|ai)-\w+|"
    r"(?:digitaler |virtueller )?assistent)\b",
    "fr": r"en tant qu(?:e |['’])(?:\w+ )?(?:ia\b|intelligence artificielle|assistante?\b|modèle)",
    "es": r"como (?:un |una |el |la )?(?:ia\b|inteligencia artificial|asistente|modelo)",
}
_LACKS = {
    "en": r"\b(?:i|we)(?: (?:currently|also|still|really|actually))? (?:don['’]?t|do not)(?: \w+ly)? have "
    r"(?:any |enough |direct |real-?time |specific |the |access|information|details|knowledge|personal|data|"
    r"context)|\b(?:i|we)(?: \w+ly)? (?:cannot|can['’]?t|can not|am (?:un|not )able to|"
    r"['’]m (?:un|not )able to)(?: \w+ly)? "
    r"(?:determine|access|provide|see|view|tell you|know|look|find|retrieve|answer|assist|help|move|give|say|"
    r"interact|check)|"
    r"\bit(?:['’]s| is| would be)(?: \w+)? (?:difficult|hard|impossible|not possible|unclear)\b.{0,60}"
    r"\b(?:without|determine|say|know|tell|provide)|"
    r"\bwithout (?:any |additional |more |further )?(?:information|context|details|knowing)\b|"
    r"\b(?:could|can|would) you (?:please )?(?:provide|clarify|give|specify|share|tell me)\b.{0,60}"
    r"\b(?:more|clarif\w*|context|details|information|what you|which)\b|"
    r"\bcould you (?:please )?clarify\b|\bplease provide (?:me )?(?:with )?(?:more|the|additional|further)|"
    r"\byou have(?:n['’]t| not) (?:specified|provided|given|mentioned)\b|"
    r"\bdo(?:es)? not have access\b|\b(?:i am|i['’]m) not (?:capable|aware|familiar|sure (?:what|which|who))",
    "de": r"\b(?:ich|wir) (?:hab\w*|verfüg\w*)\b.{0,40}\b(?:kein\w*|nicht genügend|nicht genug)\b.{0,40}"
    r"(?:zugriff|zugang|informationen|angaben|daten|kenntnis|details|möglichkeit)|"
    r"\bich (?:kann|könnte)\b.{0,80}\b(?:nicht|keine\w*|leider)\b|"
    r"\bich bin (?:nicht in der lage|keine person|nur eine?)\b|\bich weiß (?:leider )?nicht\b|"
    r"\bohne (?:weitere|mehr|zusätzliche|genauere) (?:informationen|angaben|details|kontext)|"
    r"\b(?:könn\w*|kannst) (?:sie|du) (?:mir )?(?:bitte )?.{0,30}\b(?:mehr|weitere|genauere?\w*|nähere)\b|"
    r"\b(?:ist|wurde|sind) (?:leider )?nicht (?:angegeben|bekannt|erwähnt|genannt)\b",
    "fr": r"\bje n['’]ai (?:pas|aucune?)\b.{0,40}(?:accès|information|données|détails|mesure|connaissance|"
    r"conscience|contexte)|\bje ne (?:peux|dispose|connais|sais|suis|possède|vois)\b.{0,20}\bpas\b|"
    r"\bsans (?:plus d['’]|davantage|autres?|information)|"
    r"\b(?:pourriez-vous|pouvez-vous|peux-tu|pourrais-tu)\b.{0,30}(?:préciser|donner|fournir|plus de|"
    r"plus d['’])|\bj['’]aimerais avoir plus\b|\bla question est claire\b",
    "es": r"\bno (?:tengo|dispongo|cuento|puedo|poseo)\b.{0,60}(?:acceso|información|datos|detalles|"
    r"capacidad|contexto|proporcionar|acceder|determinar|saber|decir|ver|ayudar|traducir|escribir|hablar)|"
    r"\bno (?:sé|conozco)\b|\bsin (?:más|mayor) (?:información|contexto|detalles|datos)|"
    r"\b(?:podrías|podría|puedes|puede)\b.{0,30}(?:proporcionar|dar|darme|aclarar|especificar)\b.{0,20}"
    r"\b(?:más|qué|detalles)",
}
_ONE = "|".join((*_WHO.values(), *_LACKS.values()))
_DISCLAIMER = re.compile(rf"(?<!\w)(?:{_ONE})", re.IGNORECASE)
# How a sentence begins that may become one: until its end nothing of it is shown.
_BEGINNINGS = tuple(
    """
    as a/i /i'/i’/we /it's/it’s/it is/without/could you/can you/would you/please provide/you have/
    my program/sorry/apologies/unfortunately/regrettably/als /ich /es tut/tut mir/leider/
    entschuldig/ohne /können sie/könnten sie/kannst du/könntest du/en tant/je /j'/j’/désol/
    malheureusement/sans /pourriez/pouvez/peux-tu/pourrais/la question/pour moi/como /lo siento/
    lament/desafortunadamente/desgraciadamente/no /sin /podrías/¿podrías/podría/¿podría/¿puedes
    """.replace("\n    ", "")
    .strip("\n")
    .split("/")
)


def may_disclaim(beginning: str) -> bool:
    """Whether a first sentence that begins so may still become a disclaimer, so that it waits for its end."""
    said = beginning.lstrip().casefold()
    if len(said) > LONGEST:
        return False
    return any(said.startswith(each) or each.startswith(said) for each in _BEGINNINGS)


def disclaims(sentence: str) -> bool:
    """Whether the first sentence of an answer says that its speaker cannot know or do what was asked."""
    said = sentence.strip()
    if not said or len(said) > LONGEST:
        return False
    return _DISCLAIMER.search(said) is not None and may_disclaim(said)
