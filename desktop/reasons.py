"""Why something was decided, refused or has failed: a code with its values, worded when it is shown.

Rooms hand each other reasons and never sentences, so no logic looks into prose and every language says the
same. The sentences lie in `resources/messages/<language>/<table>.toml`, one table for each room. A code is
`<table>.<key>`, and its entry in the table is one of these:

    reads-only = "it only reads"
    copies = { one = "{count} copy", other = "{count:,} copies" }     # chosen by the value `count`
    [disk-full]                                                       # what a `UserFacing` is made of
    cause = "There is no space left for {name}."
    not_lost = "Nothing was lost."
    action = "Free {size:bytes} and try again."

Between the braces stands a value's name and how it is written: nothing for a text or a count, which gets the
groups of the language (`4,096`), `:.1f` `:.0%` for fractions and shares, `:d` for a number that is a name and
keeps its digits together (a port, a process, a status), `:bytes` for a size, `:date` for a day, `:day` for
one of every year. A reason among the values is worded in the same language, several of them with commas
between; `:cause` and `:action` take one sentence of an error's, and `:capital` begins a sentence with it.

Pure functions and values; any thread.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from desktop.paths import resources

ENGLISH, GERMAN = "en", "de"
LANGUAGES = (ENGLISH, GERMAN)
PARTS = ("cause", "not_lost", "action")  # of an entry that an error is made of
_SIZES = (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000))
_MONTHS = {
    ENGLISH: "January February March April May June July August September October November December",
    GERMAN: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}

Value: TypeAlias = "str | int | float | date | Path | Reason | tuple[Reason, ...]"


class ReasonCode(StrEnum):
    """The codes of one room are an enum made from this; each is `<table>.<key>`."""

    def of(self, **values: Value) -> Reason:
        """This reason with the values that its sentence names; a test holds every call to that."""
        return Reason(self, tuple(values.items()))


@dataclass(frozen=True, slots=True)
class Reason:
    """Made by its code: `GateReason.RUNS.of(name="make")`. Two are equal where code and values are.

    Rendering is left until somebody reads it: the gate makes thousands of these that nobody does.
    """

    code: ReasonCode
    values: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        """In English: for logs, JSON, the terminal and the model."""
        return self.in_language(ENGLISH)

    def in_language(self, language: str) -> str:
        """The sentence, or the three of an error with spaces between. Raises KeyError without one."""
        entry = _entry(language, self.code)
        if isinstance(entry, dict) and "cause" in entry:
            return " ".join(part for part in self.parts(language) if part)
        return self._worded(entry, language)

    def parts(self, language: str = ENGLISH) -> tuple[str, str, str]:
        """Cause, what was not lost, and one action, of a code that an error is made of."""
        entry = _entry(language, self.code)
        assert isinstance(entry, dict)
        cause, not_lost, action = (self._worded(entry.get(part, ""), language) for part in PARTS)
        return cause, not_lost, action

    def as_json(self) -> dict[str, object]:
        """`code`, `values` and the English `text`, all plain."""
        return {
            "code": str(self.code),
            "values": {name: _plain(value) for name, value in self.values},
            "text": str(self),
        }

    @property
    def error_word(self) -> str:
        """The stable word that scripts know an error by: the code's key, unless its entry names another."""
        entry = _entry(ENGLISH, self.code)
        own = entry.get("code") if isinstance(entry, dict) else None
        return own or self.code.partition(".")[2]

    def value(self, name: str) -> Value:
        """Raises KeyError where the reason has no such value."""
        return dict(self.values)[name]

    def _worded(self, entry: str | dict[str, str], language: str) -> str:
        values = dict(self.values)
        if isinstance(entry, dict):
            entry = entry["one" if values["count"] == 1 else "other"]
        return _filled(entry, values, language) if values else entry


def reason_from_json(said: object) -> Reason | None:
    """The inverse of `as_json`; None for anything else, and for a code that this program does not know."""
    if not isinstance(said, dict) or not isinstance(said.get("values"), dict):
        return None
    code = reason_code(str(said.get("code")))
    values = tuple((str(name), _value(value)) for name, value in said["values"].items())
    return Reason(code, values) if code is not None else None


def size_text(size_bytes: float, language: str = ENGLISH) -> str:
    """`1.1 GB`, `98 MB`, `640 kB`, `12 bytes`; units of a thousand, as file managers show them."""
    for unit, factor in _SIZES:
        # What rounds up to the next unit is written in it: 1.0 MB, not 1000 kB.
        if size_bytes >= factor * 0.9995:
            size = size_bytes / factor
            return f"{number_text(size, f'.{1 if size < 9.95 else 0}f', language)} {unit}"
    return f"{size_bytes:.0f} {'Byte' if language == GERMAN else 'bytes'}"


def number_text(number: float, form: str, language: str = ENGLISH) -> str:
    """`number` by a format of Python's, with the separators of `language`."""
    text = format(number, form)
    if language == GERMAN:
        text = text.translate(str.maketrans(",.", ".,"))
        return text.replace("%", "\N{NO-BREAK SPACE}%")
    return text


def written(value: object, form: str, language: str) -> str | None:
    """A number as a sentence of `language` has it, by the form that stands with its name: a count is grouped
    without one. None for anything that is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if form or isinstance(value, int):
        return number_text(value, form or ",", language)
    return str(value)


def day_text(day: date, language: str = ENGLISH) -> str:
    """`22 November`, a day of the year."""
    month = _MONTHS[language].split()[day.month - 1]
    return f"{day.day}{'.' if language == GERMAN else ''} {month}"


def date_text(day: date, language: str = ENGLISH) -> str:
    """`22 Nov 2026`, as short as it can be."""
    if language == GERMAN:
        return f"{day.day}.{day.month}.{day.year}"
    return f"{day.day} {_MONTHS[language].split()[day.month - 1][:3]} {day.year}"


@cache
def sentences(language: str, table: str) -> dict[str, Any]:
    """The entries of one table, by key. Raises OSError where there is no such table."""
    file = resources() / "messages" / language / f"{table}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _entry(language: str, code: ReasonCode) -> str | dict[str, str]:
    table, _, key = code.partition(".")
    found: str | dict[str, str] = sentences(language, table)[key]
    return found


def _filled(sentence: str, values: Mapping[str, Value], language: str) -> str:
    """The sentence with its values, as its language writes numbers, sizes and days."""
    said: list[str] = []
    for text, name, form in _taken_apart(sentence):
        said.append(text)
        if name is not None:
            said.append(_put(values[name], form, language))
    return "".join(said)


@cache
def _taken_apart(sentence: str) -> tuple[tuple[str, str | None, str], ...]:
    """Each piece of text with the name of the value behind it and how that is written; None: no value.

    Once for each sentence of the tables: a hook of an agent says two or three of them.
    """
    parsed = string.Formatter().parse(sentence)
    return tuple((text, name, form or "") for text, name, form, _conversion in parsed)


def _put(value: Value, form: str, language: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Reason):
        if form in PARTS:
            return value.parts(language)[PARTS.index(form)]
        words = value.in_language(language)
        return words[:1].upper() + words[1:] if form == "capital" else words
    if isinstance(value, tuple):
        return ", ".join(each.in_language(language) for each in value)
    if isinstance(value, date):
        if form == "day":
            return day_text(value, language)
        return f"{day_text(value, language)} {value.year}"
    if isinstance(value, int | float) and form == "bytes":
        return size_text(value, language)
    number = written(value, form, language)
    return str(value) if number is None else number


def reason_code(text: str) -> ReasonCode | None:
    """The code that is written so; None where no room that is loaded has it."""
    rooms = (room for room in ReasonCode.__subclasses__() if text in room._value2member_map_)
    return next((room(text) for room in rooms), None)


def _value(said: Any) -> Value:
    """What `_plain` has made of a value; of days and paths only their texts are left."""
    if isinstance(said, list):
        return tuple(each for each in map(reason_from_json, said) if each is not None)
    return reason_from_json(said) or str(said.get("text", "")) if isinstance(said, dict) else said


def _plain(value: Value) -> object:
    if isinstance(value, Reason):
        return value.as_json()
    if isinstance(value, tuple):
        return [each.as_json() for each in value]
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value
