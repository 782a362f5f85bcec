"""Places and the time zones that they are in (`resources/places.toml`, and the names of zones themselves).

Pure functions; any thread.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from desktop.paths import resources
from desktop.tools.time_phrases import plain

SHORTEST_NAME = 2  # letters, of a name that is no abbreviation
LONGEST_NAME = 4  # words: Ciudad de México has three
_NAME_WORD = r"[^\W\d_][^\W\d_'’.-]*(?:[-'’][^\W\d_]+)*"
# Days that an island is called after.
_FEASTS = frozenset({"christmas", "easter"})
_TIME_THERE = re.compile(
    r"\b(?:\w*time|clocks?|late|early|now|currently|at the moment|night|morning|evening|afternoon|asleep"
    r"|awake|o['’]clock|\w*zeit|\w*uhr\w*|spät|früh|jetzt|gerade|momentan|im moment|nachts?|morgens?"
    r"|abends?|mittags?|wach|schläft|schlafen|heures?|maintenant|en ce moment|actuellement|nuit|matin|soir"
    r"|tard|tôt|horas?|ahora|en este momento|noche|mañana|tarde|temprano|madrugada)\b",
    re.IGNORECASE,
)
_HOUR = (
    r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eins?|zwei|drei|vier|fünf|sechs"
    r"|sieben|acht|neun|zehn|elf|zwölf|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|dos|tres|cuatro"
    r"|cinco|seis|siete|ocho|nueve|diez|doce)"
)
# A time on the clock, in digits or in words: 17:30, 4 pm, half past ten, halb elf, dix heures et demie.
CLOCK_TIME = re.compile(
    r"(?<![\d.:])(?:[01]?\d|2[0-4])[:h][0-5]\d(?![\d:])"
    r"|\b(?:[01]?\d|2[0-4])(?:[:.][0-5]\d)?\s?(?:[ap]\.?m\b|uhr\b|o['’]clock\b|heures?\b|horas?\b|h\b)"
    r"|\b(?:noon|midday|midnight|mittags|mitternacht|midi|minuit|mediodía|medianoche)\b"
    rf"|\b{_HOUR} (?:o['’]clock|uhr|heures?|in the (?:morning|afternoon|evening)|at night)\b"
    rf"|\b(?:half past|quarter (?:past|to)) {_HOUR}\b"
    rf"|\b(?:five|ten|twenty|twenty[- ]five|\d{{1,2}})(?: minutes past| minutes to| past) {_HOUR}\b"
    rf"|\b(?:halb|viertel (?:vor|nach)|dreiviertel) {_HOUR}\b"
    rf"|\b(?:um|gegen) {_HOUR} (?:morgens|abends|nachts)\b"
    rf"|\ba las? {_HOUR}\b|\blas {_HOUR} (?:y (?:media|cuarto)|menos cuarto|de la (?:mañana|tarde|noche))\b",
    re.IGNORECASE,
)
REGIONS = ("Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian")


def zone_of(place: str) -> ZoneInfo | None:
    """The zone of a city, or of a country that has one."""
    name = plain(place).removeprefix("the ") if place.casefold() not in _places() else place.casefold()
    known = _places().get(plain(place)) or _places().get(name)
    if known is not None:
        return ZoneInfo(known)
    # "São Paulo" is Sao_Paulo among the names of zones.
    name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    if not re.fullmatch(r"[a-z][a-z .-]{2,30}", name):
        return None
    city = "_".join(word if word in ("of", "es") else word.capitalize() for word in name.split())
    # Names of zones are "Region/City"; most cities are in one region only.
    for region in REGIONS:
        try:
            return ZoneInfo(f"{region}/{city}")
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return None


def places_in(text: str) -> tuple[str, ...]:
    """Cities and countries that `text` names, the longest names first: New York and not York. Names are known
    by their capitals, unless somebody writes without any."""
    found: list[str] = []
    left = text
    for length in range(LONGEST_NAME, 0, -1):
        for match in re.finditer(
            rf"(?=(?<![\w-])({_NAME_WORD}(?: {_NAME_WORD}){{{length - 1}}})(?![\w-]))", left
        ):
            name = match[1]
            # "LA" is a place, and "La" an article.
            enough = name.isupper() or len(name) > SHORTEST_NAME
            is_name = enough and (name[0].isupper() or text == text.lower())
            if is_name and plain(name) not in _FEASTS and zone_of(name) is not None:
                found.append(name)
        for name in found:
            left = left.replace(name, "\n")
    return tuple(dict.fromkeys(found))


def asks_time_there(text: str) -> bool:
    """Whether it is about the time, or what part of the day it is now, in a place that is named; or about a
    time on the clock in two of them."""
    if _TIME_THERE.search(text) is not None:
        return bool(places_in(text))
    return CLOCK_TIME.search(text) is not None and len(places_in(text)) > 1


def is_zone(name: str) -> bool:
    """Whether a zone has this name: "Europe/Berlin"."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return "/" in name


def known_places() -> tuple[str, ...]:
    """All that are known by name, in small letters: those of the table, and the cities of its zones."""
    cities = (zone.rpartition("/")[2].replace("_", " ").casefold() for zone in _places().values())
    return tuple(dict.fromkeys((*_places(), *cities)))


@cache
def _places() -> Mapping[str, str]:
    zones = tomllib.loads((resources() / "places.toml").read_text(encoding="utf-8"))["zones"]
    return {name: zone for zone, names in zones.items() for name in names}
