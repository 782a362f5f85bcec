"""Dates as they stand in tables and requests: 2026-11-23, 23.11.2026, "3 March", "le 3 mars 2026".

Whether 03/04 is April or March is told from the other dates of a column; where it cannot be told there is no
date. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

_MONTHS = (
    ("jan", "ene"), ("feb", "fév", "fev"), ("mar", "mär", "mae"), ("apr", "avr", "abr"), ("may", "mai"),
    ("jun", "juin"), ("jul", "juil"), ("aug", "aoû", "aou", "ago"), ("sep",), ("oct", "okt"), ("nov",),
    ("dec", "dez", "déc", "dic"),
)  # fmt: skip
_NAMES = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "januar|jänner|februar|märz|maerz|mai|juni|juli|oktober|dezember|"
    "janvier|février|fevrier|mars|avril|juin|juillet|août|aout|septembre|octobre|novembre|décembre|decembre|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_SHORT = "jan|feb|mar|mär|apr|avr|abr|jun|jul|aug|ago|sept?|oct|okt|nov|dec|dez|déc|dic|ene|janv|févr|juil"
MONTH = rf"(?:(?:{_NAMES})(?!\w)|(?:{_SHORT})(?!\w)\.?)"
_NAMED = re.compile(
    rf"(?:(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th|er|º)?\s*(?:de\s+|of\s+)?(?P<month>{MONTH})"
    rf"|(?P<first>{MONTH})\s+(?P<then>\d{{1,2}})(?:st|nd|rd|th)?)(?:,?\s*(?:de\s+|del\s+)?(?P<year>\d{{4}}))?",
    re.IGNORECASE,
)
_ISO = re.compile(r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})")
_DOTTED = re.compile(r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?:\s?(?P<year>\d{4}|\d{2}))?")
_SLASHED = re.compile(r"(?P<a>\d{1,2})/(?P<b>\d{1,2})(?:/(?P<year>\d{4}|\d{2}))?")
ANY_DATE = re.compile(
    "|".join(re.sub(r"\?P<\w+>", "?:", each.pattern) for each in (_ISO, _DOTTED, _SLASHED, _NAMED)),
    re.IGNORECASE,
)


def month_number(name: str) -> int:
    """1 for "January", "janvier" or "ene."; 0 for what is no month."""
    bare = name.casefold().rstrip(".")
    # "Juin" and "juillet" begin like "jui", June and July do not.
    bare = {"juin": "jun", "juillet": "jul"}.get(bare, bare)
    for number, beginnings in enumerate(_MONTHS, 1):
        if any(bare.startswith(each) for each in beginnings):
            return number
    return 0


def dates_of(cells: Sequence[str], year: int = 0) -> tuple[date, ...] | None:
    """The dates of a column, of `year` where one names none; None where a cell is none, which without `year`
    is one that names none, or where day and month could be either."""
    found = [_date(cell.strip(), "", year) for cell in cells]
    slashed = [each for cell in cells if (each := _SLASHED.fullmatch(cell.strip()))]
    if slashed:
        is_day_first = any(int(each["a"]) > 12 for each in slashed)
        is_month_first = any(int(each["b"]) > 12 for each in slashed)
        if is_day_first == is_month_first:
            return None
        order = "a" if is_day_first else "b"
        found = [_date(cell.strip(), order, year) for cell in cells]
    known = tuple(each for each in found if each is not None)
    return known if known and len(known) == len(cells) else None


def date_said(text: str, year: int) -> date | None:
    """The date that all of `text` is, of `year` where it names none; 03/04 is none."""
    slashed = _SLASHED.fullmatch(text.strip())
    order = ""
    if slashed is not None and (int(slashed["a"]) > 12) != (int(slashed["b"]) > 12):
        order = "a" if int(slashed["a"]) > 12 else "b"
    return _date(text.strip(), order, year)


def _date(text: str, day_is: str, year: int) -> date | None:
    for pattern in (_ISO, _DOTTED, _NAMED):
        found = pattern.fullmatch(text)
        if found is None:
            continue
        said = found.groupdict()
        month = said.get("month") or said.get("first") or ""
        day = said.get("day") or said.get("then") or ""
        number = int(month) if month.isdigit() else month_number(month)
        return _made(said.get("year") or "", number, int(day), year)
    slashed = _SLASHED.fullmatch(text)
    if slashed is None or not day_is:
        return None
    day, month = (slashed["a"], slashed["b"]) if day_is == "a" else (slashed["b"], slashed["a"])
    return _made(slashed["year"] or "", int(month), int(day), year)


def _made(year: str, month: int, day: int, other: int) -> date | None:
    whole = (int(year) + (2000 if len(year) == 2 else 0)) if year else other
    try:
        return date(whole, month, day) if whole else None
    except ValueError:  # there is no 31 February
        return None
