"""Times in French and Spanish, put into the English words that `times.read_time` understands.

Only words of time are known: what has another word in it comes back as it is, and is then no time that can be
read. Pure functions; any thread.
"""

from __future__ import annotations

import re

_FRENCH = (
    (r"après[- ]demain", "the day after tomorrow"),
    (r"demain matin", "tomorrow morning"),
    (r"demain après[- ]midi", "tomorrow afternoon"),
    (r"demain soir", "tomorrow evening"),
    (r"demain", "tomorrow"),
    (r"aujourd['’]hui", "today"),
    (r"ce soir", "this evening"),
    (r"ce matin", "this morning"),
    (r"cet après[- ]midi", "this afternoon"),
    (r"(?:à|vers) midi", "at noon"),
    (r"(?:à|vers) minuit", "at midnight"),
    (r"(?:à|vers|pour) (\d{1,2}) ?h(?:eures?)? ?(\d{2})", r"at \1:\2"),
    (r"(?:à|vers|pour) (\d{1,2}) ?(?:h|heures?)\b", r"at \1:00"),
    (r"(?:à|vers|pour) (\d{1,2}):(\d{2})", r"at \1:\2"),
    (r"dans une demi[- ]heure", "in 30 minutes"),
    (r"dans un quart d['’]heure", "in 15 minutes"),
    (r"(?:dans|d['’]ici|de|pour) (\d+|une?) ", r"in \1 "),
    (r"\bune?\b", "1"),
    (r"secondes?", "seconds"),
    (r"minutes?|min\b", "minutes"),
    (r"heures?", "hours"),
    (r"jours?", "days"),
    (r"semaines?", "weeks"),
    (r"mois", "months"),
    (r"(?:le )?1er", "1"),
    (r"(lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche) prochain", r"\1"),
)
_SPANISH = (
    (r"pasado mañana", "the day after tomorrow"),
    (r"mañana por la mañana", "tomorrow morning"),
    (r"mañana por la tarde", "tomorrow afternoon"),
    (r"mañana por la noche", "tomorrow evening"),
    (r"a las? (\d{1,2})(?:[:.h](\d{2}))? de la mañana", r"at \1:\2 am"),
    (r"a las? (\d{1,2})(?:[:.h](\d{2}))? de la (?:tarde|noche)", r"at \1:\2 pm"),
    (r"a las? (\d{1,2}) y media", r"at \1:30"),
    (r"(?:a|para|sobre) las? (\d{1,2})[:.h](\d{2})", r"at \1:\2"),
    (r"(?:a|para|sobre) las? (\d{1,2})\b", r"at \1:00"),
    (r"(?:a|al) mediodía", "at noon"),
    (r"a medianoche", "at midnight"),
    (r"esta noche", "this evening"),
    (r"esta tarde", "this afternoon"),
    (r"por la mañana", "morning"),
    (r"por la tarde", "afternoon"),
    (r"mañana", "tomorrow"),
    (r"hoy", "today"),
    (r"en media hora|dentro de media hora", "in 30 minutes"),
    (r"(?:dentro de|en|de|para) (\d+|una?|un) ", r"in \1 "),
    (r"\b(?:una|un)\b", "1"),
    (r"segundos?", "seconds"),
    (r"minutos?", "minutes"),
    (r"horas?", "hours"),
    (r"días?", "days"),
    (r"semanas?", "weeks"),
    (r"mes(?:es)?\b", "months"),
    (r"(\d{1,2}) de (?=[a-z])", r"\1 "),
)
_ENGLISH = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october november december"
_NAMES = {
    "fr": (
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    ),
    "es": (
        "lunes martes miércoles jueves viernes sábado domingo",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ),
}
_PHRASES = {"fr": _FRENCH, "es": _SPANISH}
_ARTICLES = re.compile(r"^(?:le|la|el|les|los)\s+|\b(?:le|el)\s+(?=\d|[mtwfs][a-z]+day\b)")


def in_english(words: str, language: str) -> str:
    """`words` as they would be said in English; as they are in any language but French and Spanish."""
    if language not in _PHRASES:
        return words
    text = " ".join(words.casefold().split())
    for pattern, english in _PHRASES[language]:
        text = re.sub(pattern, english, text)
    for own, english in zip(_NAMES[language], (_ENGLISH, _MONTHS), strict=True):
        for name, known in zip(own.split(), english.split(), strict=True):
            text = re.sub(rf"\b{name}\b", known, text)
    # An hour without minutes leaves the colon of the pattern behind.
    text = re.sub(r"(\d): (am|pm)", r"\1 \2", text)
    return _ARTICLES.sub("", text).strip()
