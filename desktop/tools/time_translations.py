"""Times in other languages: French and Spanish put into the English words that `times.read_time` understands,
and what the program says of times and days in English put into German, French and Spanish.

What comes again goes in two steps: "tous les lundis à 8 h" and "cada lunes a las 8" become "every monday at
8:00" when `often_in_english` has put how often into English, and `in_english` the days and the hour. Only
words of time are known: what has another word in it comes back as it is, and is then no time that can be
read. Pure functions; any thread.
"""

from __future__ import annotations

import re

_FRENCH_DAYS = r"(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
_SPANISH_DAYS = r"(?:lunes|martes|mi[ée]rcoles|jueves|viernes|s[áa]bados?|domingos?)"
_FRENCH_NUMBERS = {"deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "six": "6", "dix": "10"}
_SPANISH_NUMBERS = {"dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "diez": "10"}
_FRENCH_PLACES = {
    "premier": "first",
    "1er": "first",
    "deuxième": "second",
    "troisième": "third",
    "quatrième": "fourth",
    "dernier": "last",
}
_SPANISH_PLACES = {
    "primer": "first",
    "segundo": "second",
    "tercer": "third",
    "cuarto": "fourth",
    "último": "last",
    "ultimo": "last",
}
_FRENCH_MONTHLY = r"(?:de chaque|de tous les|du|le|chaque|tous les) mois"
_SPANISH_MONTHLY = r"(?:de cada|de todos los|del|al|cada|todos los) mes(?:es)?"

# How often. In this order: what is more particular stands before what is a part of it.
_OFTEN_FRENCH = (
    (
        rf"(?:le )?dernier jour {_FRENCH_MONTHLY}|(?:à la |en )?fin (?:de chaque|du) mois",
        "last day of every month",
    ),
    (rf"le (\d{{1,2}})(?:er)? {_FRENCH_MONTHLY}|tous les (\d{{1,2}})(?:er)? du mois", r"\1\2 of every month"),
    (
        rf"(?:le |tous les |chaque )?(premier|1er|deuxième|troisième|quatrième|dernier)s? ({_FRENCH_DAYS})s? "
        rf"{_FRENCH_MONTHLY}",
        r"every <\1> \2 of the month",
    ),
    (rf"(?:du|de) ({_FRENCH_DAYS}) (?:au|à) ({_FRENCH_DAYS})", r"\1 to \2"),
    (
        r"(?:tous les|chaque|les) jours? (?:ouvrés?|ouvrables?|de (?:la )?semaine|de travail)|en semaine",
        "every weekday",
    ),
    (r"(?:tous les|chaque|les) (?:week-?ends?|fins? de semaine)", "every weekend"),
    (rf"(?:un|le) ({_FRENCH_DAYS}) sur deux", r"every other \1"),
    (rf"une semaine sur deux,? le ({_FRENCH_DAYS})", r"every other \1"),
    (r"un jour sur deux", "every other day"),
    (r"une semaine sur deux", "every other week"),
    (r"un mois sur deux", "every other month"),
    (r"tous les (\d+) jours", r"every \1 days"),
    (r"toutes les (\d+) semaines", r"every \1 weeks"),
    (r"tous les (\d+) mois", r"every \1 months"),
    (r"(?:tous les|chaque) matins?", "every morning"),
    (r"(?:tous les|chaque) midis?", "every noon"),
    (r"(?:tous les|chaque|toutes les) après[- ]midis?", "every afternoon"),
    (r"(?:tous les|chaque) soirs?", "every evening"),
    (r"(?:toutes les|chaque) nuits?", "every night"),
    (r"(?:tous les|chaque) jours?|quotidiennement|une fois par jour", "every day"),
    (r"(?:toutes les|chaque) semaines?|une fois par semaine", "every week"),
    (r"(?:tous les|chaque) mois|mensuellement|une fois par mois", "every month"),
    (r"tous les ans|chaque an(?:née)?|toutes les années", "every year"),
    (r"(?:toutes les|chaque) heures?", "every hour"),
    (r"toutes les (\d+) (heures|minutes|secondes)", r"every \1 \2"),
    (r"(\d) fois par jour", r"\1 times a day"),
    (rf"({_FRENCH_DAYS})s?,? et (?:(?:tous )?les |le |chaque )?(?={_FRENCH_DAYS})", r"\1s and "),
    (rf"(?:tous )?les (?={_FRENCH_DAYS}s)|chaque (?={_FRENCH_DAYS})", "every "),
    (rf"({_FRENCH_DAYS})s", r"\1"),
    (r"à (\d{1,2}) ?(?:h|heures?) ?(\d{2})? du matin", r"at \1:\2 am"),
    (r"à (\d{1,2}) ?(?:h|heures?) ?(\d{2})? (?:du soir|de l['’]après[- ]midi)", r"at \1:\2 pm"),
)
_OFTEN_SPANISH = (
    (
        rf"(?:el )?[úu]ltimo día {_SPANISH_MONTHLY}|(?:a )?(?:fin|final) de cada mes",
        "last day of every month",
    ),
    (rf"(?:el )?(?:día )?(\d{{1,2}}) {_SPANISH_MONTHLY}", r"\1 of every month"),
    (
        rf"(?:el |cada |todos los )?(primer|segundo|tercer|cuarto|[úu]ltimo) ({_SPANISH_DAYS}) "
        rf"{_SPANISH_MONTHLY}",
        r"every <\1> \2 of the month",
    ),
    (rf"del? ({_SPANISH_DAYS}) al? ({_SPANISH_DAYS})", r"\1 to \2"),
    (
        r"(?:cada|todos los|los) días? (?:laborables?|h[áa]bil(?:es)?|de (?:la )?semana|de trabajo)"
        r"|entre semana",
        "every weekday",
    ),
    (r"(?:cada|todos los|los) fin(?:es)? de semana", "every weekend"),
    (rf"(?:un|el) ({_SPANISH_DAYS}) s[íi] y (?:otro|uno) no", r"every other \1"),
    (rf"cada 2 ({_SPANISH_DAYS})", r"every other \1"),
    (r"un día s[íi] y (?:otro|uno) no", "every other day"),
    (r"cada (\d+) días", r"every \1 days"),
    (r"cada (\d+) semanas", r"every \1 weeks"),
    (r"cada (\d+) meses", r"every \1 months"),
    (r"(?:cada|todas las) mañanas?", "every morning"),
    (r"(?:cada|todos los) mediodías?", "every noon"),
    (r"(?:cada|todas las) tardes?", "every afternoon"),
    (r"(?:cada|todas las) noches?", "every evening"),
    (r"(?:cada|todos los) días?|diariamente|a diario|una vez al día", "every day"),
    (r"(?:cada|todas las) semanas?|semanalmente|una vez (?:a la|por) semana", "every week"),
    (r"(?:cada|todos los) mes(?:es)?|mensualmente|una vez al mes", "every month"),
    (r"(?:cada|todos los) años?|anualmente", "every year"),
    (r"(?:cada|todas las) horas?", "every hour"),
    (r"cada (\d+) (horas|minutos|segundos)", r"every \1 \2"),
    (r"(\d) veces al día", r"\1 times a day"),
    (rf"({_SPANISH_DAYS}),? y (?:(?:todos )?los |el |cada )?(?={_SPANISH_DAYS})", r"\1 and "),
    (rf"(?:(?:todos )?los|cada) (?={_SPANISH_DAYS})", "every "),
    (r"(s[áa]bado|domingo)s", r"\1"),
    (r"miercoles", "miércoles"),
    (r"sabado", "sábado"),
)
_OFTEN = {
    "fr": (_FRENCH_NUMBERS, _FRENCH_PLACES, _OFTEN_FRENCH),
    "es": (_SPANISH_NUMBERS, _SPANISH_PLACES, _OFTEN_SPANISH),
}
# One word of each way to say it: looked for in every text that may be a time, so no more than that.
_SAID = {
    "fr": re.compile(
        rf"\b(?:chaque|tou(?:s|tes) les|quotidiennement|mensuellement|en semaine|sur deux|fois par"
        rf"|les (?:{_FRENCH_DAYS}s|week-?ends|jours)|du {_FRENCH_DAYS} au|du mois)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        rf"\b(?:cada|tod[oa]s l[oa]s|diariamente|a diario|semanalmente|mensualmente|anualmente|entre semana"
        rf"|ve(?:z|ces) (?:al?|por)|los (?:{_SPANISH_DAYS}|fines de semana|días)"
        rf"|del? {_SPANISH_DAYS} al?|y (?:otro|uno) no|del mes)\b",
        re.IGNORECASE,
    ),
}


def language_of(text: str) -> str:
    """Of the words that say how often: "fr" or "es"; "" where no such words stand in `text`."""
    return next((language for language, said in _SAID.items() if said.search(text)), "")


def often_in_english(text: str, language: str) -> str:
    """`text`, in small letters, with the words that say how often in English; the rest stays as it is."""
    numbers, places, table = _OFTEN[language]
    for word, number in numbers.items():
        text = re.sub(rf"(?<=les |ada ){word}\b", number, text)
    for pattern, english in table:
        # Where a pattern looks at the word behind it, that word begins there.
        end = "" if "(?=" in pattern else r"\b"
        text = re.sub(rf"\b(?:{pattern}){end}", english, text)
    return re.sub(r"<(\w+)>", lambda found: places[found[1]], text)


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
