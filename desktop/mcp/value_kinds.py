"""What kind of values a request gives, and which of them the parameters of a tool can take.

A tool that a time on the clock cannot be given to does not convert it, and one that must have an address does
nothing for a request without any: that is read off the schema and off the form of what was said, in any
language, and needs neither tables of words nor a model.

Pure; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any
from unicodedata import combining, normalize

from desktop.mcp.as_tool import words_in
from desktop.tools.places import CLOCK_TIME, asks_time_there


class ValueKind(Enum):
    """Kinds that are known by their form."""

    CLOCK = "clock"  # 17:30, half past five
    ADDRESS = "address"  # https://…
    ZONE = "zone"  # a place whose time is asked for
    COMMIT = "commit"  # the number of a commit
    NAME = "name"  # what is called something, what stands in quotation marks, the number of a commit


_ADDRESS = re.compile(r"\bhttps?://\S|\bwww\.\w", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"\n]{1,300}"|“[^”\n]{1,300}”|„[^“”\n]{1,300}[“”]|«[^»\n]{1,300}»')
# The number of a commit: letters and digits, or it is a word or a year.
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b", re.IGNORECASE)

_ZONES = frozenset({"timezone", "timezones", "tz", "zone", "zones"})
_ADDRESSES = frozenset({"url", "urls", "uri", "uris", "href", "link", "links", "address"})
_PATHS = frozenset({"path", "paths", "file", "files", "filename", "directory", "folder", "dir"})
_CLOCKS = frozenset(
    {"time", "times", "timestamp", "date", "dates", "datetime", "hour", "hours", "when", "since", "until"}
)
_ENDS = tuple(
    frozenset(pair)
    for pair in (("from", "to"), ("source", "target"), ("subject", "object"), ("parent", "child"))
)
_NUMBER = re.compile(r"(?<![\w.,:/-])-?\d+(?:[.,]\d+)?(?![\w:/-])")
_SAID_TO_COUNT = re.compile(r"\b(?:N|number of|how many)\s+([a-z]+)")
_COMMITS = frozenset({"revision", "commit", "sha", "hash", "changeset"})
_NO_TEXT = frozenset({"integer", "number", "boolean", "null"})
NAME_STEM = 4  # letters that tell a name, whatever its ending in another language


@lru_cache(maxsize=64)  # asked of one text for each of the tools
def kinds_in(request: str) -> frozenset[ValueKind]:
    """Kinds of the values that `request` gives by their form alone."""
    found = {
        ValueKind.ADDRESS: _ADDRESS.search(request),
        ValueKind.CLOCK: CLOCK_TIME.search(request),
        ValueKind.ZONE: asks_time_there(request),
        ValueKind.COMMIT: _HASH.search(request),
        ValueKind.NAME: _QUOTED.search(request) or _HASH.search(request),
    }
    return frozenset(kind for kind, match in found.items() if match)


def kinds_taken(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[ValueKind]:
    """What the parameters that are not `fixed` can be given."""
    return frozenset(kind for name, about in _open(schema, fixed) for kind in _kinds_of(name, about))


def kinds_needed(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[ValueKind]:
    """What must be given: of a parameter of one kind alone that is required. Not every place is known."""
    single = {kind for _, kinds in _required(schema, fixed) if len(kinds) == 1 for kind in kinds}
    return frozenset(single - {ValueKind.NAME, ValueKind.ZONE})


def kinds_wanted(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[ValueKind]:
    """What speaks for a tool where it is given: kinds that a parameter is there for and that is required."""
    required = list(_required(schema, fixed))
    single = {kind for _, kinds in required if len(kinds) == 1 for kind in kinds}
    commits = {ValueKind.COMMIT for name, _ in required if _COMMITS & frozenset(words_in(name))}
    return frozenset((single - {ValueKind.NAME}) | commits)


def numbers_needed(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> int:
    """How many numbers must be given."""
    required = _names_required(schema)
    return sum(
        name in required and about.get("type") in ("integer", "number")
        for name, about in _open(schema, fixed)
    )


def numbers_in(request: str) -> int:
    """How many numbers stand in it by themselves."""
    return len(_NUMBER.findall(request))


def numbers_counting(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> frozenset[str]:
    """What those numbers count that may be left out, as their names and descriptions say: the lines of
    context_lines, and of "returns only the last N lines"."""
    required = _names_required(schema)
    counting = [
        (name, about)
        for name, about in _open(schema, fixed)
        if name not in required and about.get("type") in ("integer", "number")
    ]
    said = (word for _, about in counting for word in _SAID_TO_COUNT.findall(str(about.get("description"))))
    named = (word for name, _ in counting for word in words_in(name)[1:])
    return frozenset((*map(str.casefold, said), *named))


def links_two(schema: Mapping[str, Any]) -> bool:
    """Whether what must be given is a list of things with two ends: from and to, source and target."""
    required = _names_required(schema)
    items = (about.get("items") for name, about in _open(schema, {}) if name in required)
    listed = [_names_required(each) for each in items if isinstance(each, dict)]
    return any(ends <= {name.casefold() for name in names} for names in listed for ends in _ENDS)


def names_offered(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Of each parameter that must be one of a few names, such as cities, those names. Kinds and manners are
    no names, and are said in many words."""
    required = _names_required(schema)
    lists = (about.get("enum") for name, about in _open(schema, fixed) if name in required)
    return tuple(
        tuple(each) for each in lists if isinstance(each, list) and each and all(map(_is_name, each))
    )


def says_one(names: tuple[str, ...], text: str) -> bool:
    """Whether one of `names` is said, in whatever spelling of its language: "Nueva York" is New York."""
    said = {word[:NAME_STEM] for word in _bare_words(text)}
    return any(word[:NAME_STEM] in said for name in names for word in _bare_words(name))


def _is_name(value: object) -> bool:
    """As names are written: a code is all in capitals, and a word in none."""
    return isinstance(value, str) and value[:1].isupper() and not value.isupper()


def _bare_words(text: str) -> list[str]:
    """Those that tell one name from another, without accents: "Los" of Los Angeles does not."""
    plain = "".join(each for each in normalize("NFKD", text) if not combining(each)).casefold()
    words = re.findall(r"[^\W\d_]+", plain)
    return [word for word in words if len(word) >= NAME_STEM] or words


def _required(
    schema: Mapping[str, Any], fixed: Mapping[str, str]
) -> Iterator[tuple[str, frozenset[ValueKind]]]:
    required = _names_required(schema)
    return ((name, _kinds_of(name, about)) for name, about in _open(schema, fixed) if name in required)


def _names_required(schema: Mapping[str, Any]) -> set[str]:
    listed = schema.get("required")
    return {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()


def _open(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> list[tuple[str, Mapping[str, Any]]]:
    properties = schema.get("properties")
    pairs = properties.items() if isinstance(properties, dict) else ()
    return [
        (str(name), about if isinstance(about, dict) else {}) for name, about in pairs if name not in fixed
    ]


def _kinds_of(name: str, about: Mapping[str, Any]) -> frozenset[ValueKind]:
    """By its type, its form, its name and what is said of it."""
    words = frozenset(words_in(name))
    if about.get("type") in _NO_TEXT or "enum" in about:
        return frozenset()
    if words & _ZONES:
        return frozenset({ValueKind.ZONE})
    if about.get("format") == "uri" or words & _ADDRESSES:
        return frozenset({ValueKind.ADDRESS})
    is_clock = about.get("format") in ("time", "date-time") or "HH:MM" in str(about.get("description"))
    if is_clock or words & _CLOCKS:
        return frozenset({ValueKind.CLOCK})
    # A path lies on this computer, and is no address.
    return frozenset(ValueKind) - ({ValueKind.ADDRESS} if words & _PATHS else set())
