"""What a call takes over from the request as it stands there: addresses, the zones of the places that it
names, times on the clock, whole paths, and texts with the quotation marks that they have.

A small model runs an address on into the next sentence, gives Toronto the zone of New York, makes 2026 of
backup/2026, and writes 'x' for "x", which needs no escape in JSON. What can be known by its form is not left
to it: an address is chosen among those that were said, the zone of a place is looked up, "9am" is written as
09:00 where this is the form that is wanted, a path is the whole one that was said, and a text that stands in
the request but for its quotation marks has those of the request. Where the request says nothing of the kind,
the model's value stays. Pure functions; any thread.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from desktop.tools.places import is_zone, places_in, zone_of
from desktop.tools.tool import Parameter, ParameterType, Tool

MOST_ADDRESSES = 20  # more than these are a text to work on, and would make the grammar of a call long
_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"“”„«»`]+", re.IGNORECASE)
_SENTENCE_END = "?.,;:!'’…"
_BEFORE_PATH, _BEHIND_PATH = r"(?<![\w./~:-])", r"(?![\w/-]|\.\w)"
_QUOTE = re.compile("[\"'`´‘’‚“”„]")  # each one character: the places behind them stay
_TAKES_ADDRESS = re.compile(r"(?:^|[\W_])(?:ur[li]s?|href|web ?page)(?![^\W_])", re.IGNORECASE)
TAKES_ZONE = re.compile(r"(?:time_?zone|^tz$|_tz$)", re.IGNORECASE)
# Said of a parameter, whoever describes it, and what a time looks like that is written otherwise.
_WANTS_CLOCK = "HH:MM"
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-3])(?:[:.h](?P<minute>[0-5]\d))?(?::00)?\s*"
    r"(?:(?P<half>[ap])\.?m\.?|h|uhr|heures?|horas?|o['’]clock)?",
    re.IGNORECASE,
)


def addresses_in(text: str) -> tuple[str, ...]:
    """The web addresses that `text` names, each once, without the end of the sentence that they stand in."""
    return tuple(dict.fromkeys(without_sentence(each) for each in _ADDRESS.findall(text)))


def without_sentence(address: str) -> str:
    """An address without the end of the sentence that it stood at the end of."""
    bare = address.rstrip(_SENTENCE_END)
    # "(see https://example.org/a)": but https://example.org/Tree_(graph) has a bracket of its own.
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1].rstrip(_SENTENCE_END)
    return bare


def with_said_addresses(tool: Tool, said: str) -> Tool:
    """`tool` with the addresses of `said` alone to choose from where it takes one; as it is where none is
    said. A parameter that alone takes one has to be given it then: left out, it has a value of its own."""
    known = addresses_in(said)
    taking = [each for each in tool.parameters if _takes_address(each)]
    if not known or len(known) > MOST_ADDRESSES or not taking:
        return tool
    is_only = len(taking) == 1
    parameters = (
        replace(each, choices=known, required=each.required or is_only) if each in taking else each
        for each in tool.parameters
    )
    return replace(tool, parameters=tuple(parameters))


def _takes_address(parameter: Parameter) -> bool:
    if parameter.kind is not ParameterType.STRING or parameter.choices:
        return False
    return parameter.is_address or _TAKES_ADDRESS.search(parameter.name) is not None


def with_said_folders(tool: Tool, arguments: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The arguments with paths as `request` has them, where they are the end of one of its paths: "a folder
    backup/2026" is not 2026. Of the request alone: what a file says leads no call to another folder."""
    paths = {each.name for each in tool.parameters if each.is_path}
    return {
        name: _whole_path(value, request) if name in paths and isinstance(value, str) and value else value
        for name, value in arguments.items()
    }


def _whole_path(end: str, request: str) -> str:
    """`end` itself where it stands there alone, or ends several paths."""
    name = re.escape(end)
    if re.search(_BEFORE_PATH + name + _BEHIND_PATH, request, re.IGNORECASE):
        return end
    found = re.findall(rf"{_BEFORE_PATH}(?:[\w.~-]*/)+{name}{_BEHIND_PATH}", request, re.IGNORECASE)
    return found[0] if len(set(found)) == 1 else end


def with_said_quotes(value: Any, said: str) -> Any:
    """`value`, which may hold others, with its texts as they stand in `said` where only the kind of their
    quotation marks differs."""
    if isinstance(value, list):
        return [with_said_quotes(each, said) for each in value]
    if isinstance(value, dict):
        return {key: with_said_quotes(each, said) for key, each in value.items()}
    if not isinstance(value, str) or value in said or not _QUOTE.search(value):
        return value
    at = _QUOTE.sub("'", said).find(_QUOTE.sub("'", value))
    return value if at < 0 else said[at : at + len(value)]


def in_said_zones(tool: Tool, arguments: Mapping[str, Any], request: str) -> dict[str, Any]:
    """The arguments with the zones of the places that `request` names, where there are as many as there are
    zones to give. Which of two is which stays as the model has it, as long as it has one of them right."""
    given = [
        each.name
        for each in tool.parameters
        if TAKES_ZONE.search(each.name) and not each.choices and isinstance(arguments.get(each.name), str)
    ]
    zones = [zone.key for place in places_in(request) if (zone := zone_of(place)) is not None]
    said = list(dict.fromkeys(zones))
    if not given or len(given) != len(said) or any(_is_named(arguments[name], request) for name in given):
        return dict(arguments)
    wrong = [name for name in given if arguments[name] not in said]
    left = [zone for zone in said if zone not in {arguments[name] for name in given}]
    return {**arguments, wrong[0]: left[0]} if len(wrong) == len(left) == 1 else dict(arguments)


def in_wanted_clock(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with times as 09:00 where the description of a parameter asks for HH:MM and no more."""
    wanting = {
        each.name
        for each in tool.parameters
        if _WANTS_CLOCK in each.description
        and f"{_WANTS_CLOCK}:SS" not in each.description
        and not each.choices
    }
    return {
        name: _clock(value) if name in wanting and isinstance(value, str) else value
        for name, value in arguments.items()
    }


def _clock(written: str) -> str:
    """A time on the clock of 24 hours; what is none stays as it is."""
    found = _CLOCK.fullmatch(written.strip())
    if found is None:
        return written
    hour, half = int(found["hour"]), (found["half"] or "").casefold()
    if half and not 1 <= hour <= 12:
        return written
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return f"{hour:02}:{found['minute'] or '00'}"


def _is_named(zone: str, request: str) -> bool:
    """Whether the request writes the zone itself: "Europe/Berlin", or UTC."""
    return zone.casefold() in request.casefold() and (is_zone(zone) or zone.isupper())
