"""A short message whose words are given: "write a short note to the Brückners: the water is off on Thursday".

A small model that words it anew moves its days, or writes what nobody can read in another language than
English. What is to be said stands behind the colon already, so it is passed on as it was said, between a
greeting and a farewell. Letters, words that only tell what a text is to be like, and what is said of whom the
message is for, "he is to pay by Friday", are left to the model. Pure functions; any thread.
"""

from __future__ import annotations

import re

from desktop.chat.message_classes import without_courtesy
from desktop.chat.tool_choice import files_in

FEWEST_WORDS, MOST_WORDS = 4, 60  # of what is to be said
_ASKED = {
    "en": r"(?:(?:can|could|would|will) you )?(?:write|draft|compose|make|give|do|prepare|type)"
    r"(?: (?:me|us))? (?:an? )?(?:(?:short|quick|brief|little|polite|friendly|simple)[, ]+)*"
    r"(?:note|notice|message|text|sms|announcement|memo|sign)",
    "de": r"(?:(?:kannst|könntest|würdest) du |(?:können|könnten|würden) sie )?"
    r"(?:schreib\w*|verfass\w*|entwirf|formulier\w*|mach\w*)(?: (?:mir|uns))?"
    r" (?:eine?n? )?(?:(?:kurz|klein|nett|freundlich|einfach|höflich)e?[nrs]?[, ]+)*"
    r"(?:nachricht|notiz|zettel|aushang|mitteilung|sms|hinweis)",
    "fr": r"(?:(?:peux|pourrais)-tu |(?:pouvez|pourriez)-vous )?"
    r"(?:écri\w*|rédige\w*|fais|faites|prépare\w*)(?:-(?:moi|nous))?"
    r" (?:une? )?(?:(?:petite?|courte?|bref|brève|simple|gentille?)[, ]+)*"
    r"(?:mot|message|note|sms|annonce|avis|affiche)",
    "es": r"(?:(?:me )?(?:puedes|podrías|puede|podría) )?"
    r"(?:escríbe\w*|escrib\w*|redáct\w*|redact\w*|haz(?:me|nos)?|prepara\w*)"
    r" (?:una? )?(?:(?:corto|corta|breve|pequeñ[oa]|simple|amable)[, ]+)*"
    r"(?:mensaje|nota|aviso|sms|anuncio|cartel)",
}
_QUALITY = {
    "en": "",
    "de": "",
    "fr": r"(?: (?:court|courte|bref|brève|simple))*",
    "es": r"(?: (?:corto|corta|breve))*",
}
_TO = {"en": "to|for", "de": "an|für", "fr": "à|aux?|pour", "es": "al?|para"}
# What makes a sentence of it, and no list of what is to be in it.
_VERB = {
    "en": r"is|are|am|was|were|will|won['’]t|has|have|had|can|can['’]t|cannot|must|may|needs?|closes?|opens?|"
    r"starts?|begins?|ends?|comes?|meets?|moves?|please|don['’]t|do|does",
    "de": r"ist|sind|bin|war|waren|wird|werden|hat|haben|habe|kann|können|muss|müssen|bleibt|bleiben|kommt|"
    r"kommen|findet|finden|fällt|beginnt|endet|schließt|öffnet|gibt|bitte",
    "fr": r"est|sont|suis|sera|seront|serai|a|ont|ai|aura|auront|ferme\w*|ouvre\w*|commence\w*|peu[tx]|"
    r"peuvent|doi[ts]|doivent|faut|merci|(?:j['’]|n['’])(?:ai|est|a)",
    "es": r"es|son|está|están|estará\w*|será\w*|ha|han|hay|habrá|tiene\w*|tengo|cierra\w*|abre\w*|empieza\w*|"
    r"puede\w*|debe\w*|hace|no|va|vamos|van",
}
_SHORT = r"['’](?:s|re|ll|ve|m)\b"
# Of whom the message is for something is told, which is to be said to them in other words.
_OF_THEM = re.compile(
    r"\b(?:he|she|him|her|his|hers|er soll\w*|sie soll\w*|ihm|ihr soll\w*|dass|ob|qu['’](?:il|elle)|que|"
    r"si puede\w*|él|ella|that (?:he|she|they)|ask(?:ing)?|tell(?:ing)?|thank(?:ing)?|invit\w+)\b|"
    r"\b(?:il|elle) (?:doit|faut|peut)\b",
    re.IGNORECASE,
)
_EVERYBODY = re.compile(
    r"(?:all|everyone|everybody|the|alle[nr]?|die|den|das|unsere\w*|tou(?:te)?s|les?|la|l['’]|tod[oa]s|los|"
    r"las|el|mis?|my|our|meine?[nmr]?|mon|ma|mes|nos|notre|nuestr[oa]s?)(?!\w)",
    re.IGNORECASE,
)
_ADDED = re.compile(r"\b(?:that\s+|qu(?:e\s+|['’]))(?P<what>\S.{2,200})", re.IGNORECASE)
_GREETING = {"en": "Dear {to},", "de": "Hallo {to},", "fr": "Bonjour {to},", "es": "Hola, {to}:"}
_FAREWELL = {"en": "Best wishes", "de": "Viele Grüße", "fr": "Bien à vous", "es": "Un saludo"}
_OF_FAMILY, _OF_MR = re.compile(r"(?:Frau|Familie)\s"), re.compile(r"Herrn?\s")
# Written small behind the comma of a German greeting.
_SMALL = frozenset(
    "ab am an auf aus bei bis bitte da der die das den ein eine einen es für heute ich im in leider mit "
    "morgen nach seit um unser unsere vom von vor weil wegen wenn wir zu zum zur".split()
)


def dictated_message(asked: str, language: str) -> str:
    """The message that `asked` has the words of; "" where it is for the model to write."""
    head, colon, body = without_courtesy(asked).partition(":")
    body = " ".join(body.split()).strip(' "“”„«»')
    count = len(body.split())
    if not colon or files_in(asked) or not FEWEST_WORDS <= count <= MOST_WORDS or language not in _ASKED:
        return ""
    form = (
        rf"\W*(?:{_ASKED[language]}){_QUALITY.get(language, '')}"
        rf"(?:\s+(?:{_TO[language]})\s+(?P<to>[^:]{{1,60}}?))?\s*"
    )
    found = re.fullmatch(form, " ".join(head.split()), re.IGNORECASE)
    says = re.search(rf"(?<!\w)(?:{_VERB[language]})(?!\w)|\w{_SHORT}", body, re.IGNORECASE)
    if found is None or says is None or _OF_THEM.search(body):
        return ""
    return _between(found["to"] or "", _whole(body), language)


def with_more(before: str, message: str, asked: str, language: str) -> str:
    """`message`, which `before` dictated, with the sentence that `asked` adds to it; "" where it was not made
    here, or a subordinate clause would have to be turned round."""
    added = _ADDED.search(asked)
    if added is None or language == "de" or message.strip() != dictated_message(before, language):
        return ""
    text, farewell, _ = message.rpartition(f"\n\n{_FAREWELL[language]}")
    text = text if farewell else message
    return f"{text} {_capital(_whole(added['what']))}{farewell}"


def _between(to: str, body: str, language: str) -> str:
    to = to.strip(" ,")
    if not to or _EVERYBODY.match(to):
        return _capital(body)
    greeting = _GREETING[language].format(to=to)
    if language == "de":
        greeting = f"Liebe {to}," if _OF_FAMILY.match(to) else greeting
        greeting = f"Lieber {_OF_MR.sub('Herr ', to)}," if _OF_MR.match(to) else greeting
        first = body.split()[0]
        body = body[:1].lower() + body[1:] if first.casefold() in _SMALL else body
    else:
        body = _capital(body)
    return f"{greeting}\n\n{body}\n\n{_FAREWELL[language]}"


def _whole(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text.rstrip(' ,;')}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
