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


def is_zone(name: str) -> bool:
    """Whether a zone has this name: "Europe/Berlin"."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return "/" in name


@cache
def _places() -> Mapping[str, str]:
    zones = tomllib.loads((resources() / "places.toml").read_text(encoding="utf-8"))["zones"]
    return {name: zone for zone, names in zones.items() for name in names}
