"""How often, in French and Spanish, put into the English words that `recurrence_phrases` reads.

"Tous les lundis à 8 h" and "cada lunes a las 8" become "every monday at 8:00" in two steps: what says how
often is put into English here, the days and the hour by `time_translations.in_english`. What is not known
stays as it is, and is then refused like any other word that nobody understood. Pure functions; any thread.
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

# In this order: what is more particular stands before what is a part of it.
_FRENCH = (
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
_SPANISH = (
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
_TABLES = {
    "fr": (_FRENCH_NUMBERS, _FRENCH_PLACES, _FRENCH),
    "es": (_SPANISH_NUMBERS, _SPANISH_PLACES, _SPANISH),
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
    numbers, places, table = _TABLES[language]
    for word, number in numbers.items():
        text = re.sub(rf"(?<=les |ada ){word}\b", number, text)
    for pattern, english in table:
        # Where a pattern looks at the word behind it, that word begins there.
        end = "" if "(?=" in pattern else r"\b"
        text = re.sub(rf"\b(?:{pattern}){end}", english, text)
    return re.sub(r"<(\w+)>", lambda found: places[found[1]], text)
