"""Times in other languages: French and Spanish put into the English words that `times.read_time` understands,
and what the program says of times and days in English put into German, French and Spanish.

Only words of time are known: what has another word in it comes back as it is, and is then no time that can be
read. Pure functions; any thread.
"""

from __future__ import annotations

import re

from desktop.tools.recurrence_translations import often_in_english

_FRENCH = (
    (r"noël", "christmas"),
    (r"(?:la )?saint-sylvestre|nouvel an", "new year"),
    (r"pâques", "easter"),
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
    (r"(?:à|(?<!\by )a|vers|pour) (\d{1,2}) ?h(?:eures?)? ?(\d{2})", r"at \1:\2"),
    (r"(?:à|(?<!\by )a|vers|pour) (\d{1,2}) ?(?:h|heures?)\b", r"at \1:00"),
    (r"(?:à|(?<!\by )a|vers|pour) (\d{1,2}):(\d{2})", r"at \1:\2"),
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
    (r"navidad(?:es)?", "christmas"),
    (r"nochevieja", "new year's eve"),
    (r"año nuevo", "new year"),
    (r"pascua", "easter"),
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
    "de": (
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    ),
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
# From one on; what is counted in words has at most so many hours and minutes.
_COUNTED = {
    "fr": (
        "une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept "
        "dix-huit dix-neuf vingt vingt-et-un vingt-deux vingt-trois vingt-quatre vingt-cinq"
    ),
    "es": (
        "una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
        "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco"
    ),
}
_TENS = {
    "fr": {"trente": 30, "quarante": 40, "quarante-cinq": 45, "cinquante": 50},
    "es": {"treinta": 30, "cuarenta": 40, "cuarenta y cinco": 45, "cincuenta": 50},
}
_NUMBERS = {
    language: {**{word: at for at, word in enumerate(names.split(), 1)}, **_TENS[language]}
    for language, names in _COUNTED.items()
}
# The longest first: "vingt-cinq" and not "vingt".
_NUMBER = {
    # "Une demi-heure" is no hour, and has a phrase of its own.
    language: re.compile(
        rf"(?<![\w-])(?:{'|'.join(sorted(known, key=len, reverse=True))})(?![\w-]| demi\b| demi-)"
    )
    for language, known in _NUMBERS.items()
}
# Parts of an hour behind it, at a time of day and in a span.
_PARTS = {
    "fr": (
        re.compile(
            r"\b(?P<at>à|vers|pour) (?P<hour>\d{1,2}) ?h(?:eures?)? "
            r"(?P<part>et demie?|et quart|moins le quart)"
        ),
        re.compile(r"\b(?P<hours>\d{1,2}) heures? et demie?"),
    ),
    "es": (
        re.compile(
            r"\b(?P<at>(?:a|para|sobre) las?) (?P<hour>\d{1,2}) "
            r"(?P<part>y media|y cuarto|menos cuarto|y \d{1,2})\b"
        ),
        re.compile(r"\b(?P<hours>\d{1,2}) horas? y media"),
    ),
}
_HALVES = frozenset({"et demi", "et demie", "y media"})
_SHORT_ARTICLE = re.compile(r"\b(?:ne[rmn]?)\b")  # "in ner halben Stunde"
_ARTICLES = re.compile(r"^(?:le|la|el|les|los)\s+|\b(?:le|el)\s+(?=\d|[mtwfs][a-z]+day\b)")


def in_english(words: str, language: str) -> str:
    """`words` as they would be said in English; German and English ones as they are written in full."""
    if language not in _PHRASES:
        return _SHORT_ARTICLE.sub(lambda found: f"ei{found[0]}", words)
    # First what comes again: "un vendredi sur deux" is no number of anything.
    text = often_in_english(" ".join(words.casefold().split()), language)
    text = _in_digits(text, language)
    for pattern, english in _PHRASES[language]:
        text = re.sub(pattern, english, text)
    for own, english in zip(_NAMES[language], (_ENGLISH, _MONTHS), strict=True):
        for name, known in zip(own.split(), english.split(), strict=True):
            text = re.sub(rf"\b{name}\b", known, text)
    # An hour without minutes leaves the colon of the pattern behind.
    text = re.sub(r"(\d): (am|pm)", r"\1 \2", text)
    return _ARTICLES.sub("", text).strip()


def _in_digits(text: str, language: str) -> str:
    """Hours and minutes that are said in words as digits: "six heures et demie", "las ocho y cuarto"."""
    text = _NUMBER[language].sub(lambda found: str(_NUMBERS[language][found[0]]), text)
    at, span = _PARTS[language]
    text = at.sub(_clock, text)
    minutes = "minutes" if language == "fr" else "minutos"
    return span.sub(lambda found: f"{int(found['hours']) * 60 + 30} {minutes}", text)


def _clock(found: re.Match[str]) -> str:
    hour, part = int(found["hour"]), found["part"]
    if part.startswith(("moins", "menos")):
        return f"{found['at']} {(hour - 1) % 24}:45"
    said = re.search(r"\d+", part)
    minute = int(said[0]) if said is not None else 30 if part in _HALVES else 15
    return f"{found['at']} {hour}:{minute:02}"


# -- out of English ---------------------------------------------------------------------------

_DAY = re.compile(
    rf"\b(?P<weekday>{'|'.join(_ENGLISH.title().split())}) (?P<day>\d{{1,2}}) "
    rf"(?P<month>{'|'.join(_MONTHS.title().split())}) (?P<year>\d{{4}})(?:, (?P<time>\d\d:\d\d))?"
)
_DAYS = {
    "de": "{weekday}, {day}. {month} {year}",
    "fr": "{weekday} {day} {month} {year}",
    "es": "{weekday} {day} de {month} de {year}",
}
_TIMES = {"de": "{day}, {time} Uhr", "fr": "{day} à {time}", "es": "{day} a las {time}"}
_UNITS = "second minute hour day week month year"
# One of each and more of them; German has a third form behind "in" and "vor".
_UNIT_NAMES = {
    "de": "Sekunde/n/n Minute/n/n Stunde/n/n Tag/e/en Woche/n/n Monat/e/en Jahr/e/en",
    "fr": "seconde/s minute/s heure/s jour/s semaine/s mois/ an/s",
    "es": "segundo/s minuto/s hora/s día/s semana/s mes/es año/s",
}
_SPAN = re.compile(rf"\b(?P<count>\d+) (?P<unit>{'|'.join(_UNITS.split())})s?\b")
_SOON = re.compile(r"\bin (?=\d)")
_GONE = re.compile(rf"(?P<span>\d+ (?:{'|'.join(_UNITS.split())})s?) ago\b")
_AHEAD = {"de": "in ", "fr": "dans ", "es": "dentro de "}
_AGO = {"de": "vor {span}", "fr": "il y a {span}", "es": "hace {span}"}
# Whole sentences of `chat/rules.py`, then what is left of them word by word.
_SENTENCES = (
    (
        r"Today is (?P<a>.+)\.",
        {"de": "Heute ist {a}.", "fr": "Nous sommes le {a}.", "es": "Hoy es {a}."},
    ),
    (
        r"It is (?P<a>\d\d:\d\d), (?P<b>.+)\.",
        {"de": "Es ist {a} Uhr, {b}.", "fr": "Il est {a}, {b}.", "es": "Son las {a}, {b}."},
    ),
    (
        r"It is (?P<a>\d\d:\d\d) in (?P<b>.+), (?P<c>\w+ \d+ \w+ \d{4} \(UTC.*\))\.",
        {
            "de": "In {b} ist es {a} Uhr, {c}.",
            "fr": "À {b}, il est {a}, {c}.",
            "es": "En {b} son las {a}, {c}.",
        },
    ),
    (
        r"(?P<a>\d+ .+) until (?P<b>.+)\.",
        {"de": "{a} bis {b}.", "fr": "{a} jusqu'au {b}.", "es": "{a} hasta el {b}."},
    ),
    (
        r"From (?P<a>.+) to (?P<b>.+): (?P<c>.+)\.",
        {"de": "Von {a} bis {b}: {c}.", "fr": "De {a} à {b} : {c}.", "es": "De {a} a {b}: {c}."},
    ),
)
_SMALL = {
    "de": {"and": "und", "today": "heute", "now": "jetzt", "noon": "12 Uhr"},
    "fr": {"and": "et", "today": "aujourd'hui", "now": "maintenant", "noon": "midi"},
    "es": {"and": "y", "today": "hoy", "now": "ahora", "noon": "mediodía"},
}
_SMALL_WORD = re.compile(r"\b(?:and|today|now)\b")


def in_language(text: str, language: str) -> str:
    """Days, times and spans of `text` as `language` says them; as it is in English, and where it has none."""
    if language not in _DAYS:
        return text
    for pattern, told in _SENTENCES:
        found = re.fullmatch(pattern, text)
        if found is not None:
            parts = {name: in_language(part, language) for name, part in found.groupdict().items()}
            return told[language].format(**parts)
    text = _GONE.sub(
        lambda found: _AGO[language].format(span=_after_preposition(found["span"], language)), text
    )
    text = _SOON.sub(_AHEAD[language], text)
    text = _DAY.sub(lambda found: _day_in(found, language), text)
    text = _SPAN.sub(lambda found: _span_in(found, language, is_after=_is_after(found)), text)
    return _SMALL_WORD.sub(lambda found: _SMALL[language][found[0]], text)


def _day_in(found: re.Match[str], language: str) -> str:
    weekdays, months = (names.split() for names in _NAMES[language])
    day = _DAYS[language].format(
        weekday=weekdays[_ENGLISH.split().index(found["weekday"].casefold())],
        day="1er" if language == "fr" and found["day"] == "1" else found["day"],
        month=months[_MONTHS.split().index(found["month"].casefold())],
        year=found["year"],
    )
    return _TIMES[language].format(day=day, time=found["time"]) if found["time"] else day


def _is_after(found: re.Match[str]) -> bool:
    """Whether "in" stands before a span, or before the one it goes on from."""
    before = found.string[: found.start()]
    return re.search(r"\b(?:in|vor) (?:\d+ \w+ (?:und )?)?\Z", before) is not None


def _after_preposition(span: str, language: str) -> str:
    found = _SPAN.fullmatch(span)
    return _span_in(found, language, is_after=True) if found is not None else span


def _span_in(found: re.Match[str], language: str, is_after: bool) -> str:
    one, *more = _UNIT_NAMES[language].split()[_UNITS.split().index(found["unit"])].split("/")
    if found["count"] == "1":
        return f"1 {one}"
    return f"{found['count']} {one}{more[-1] if is_after else more[0]}"
