"""The values of a call held against what was said: numbers in the unit and the form that the function wants,
and what a function needs although nobody has named it.

A small model copies "2 minutes" as 2 where seconds are wanted, 4 % as 4 where a decimal is, and fills in
whatever is required. Nothing here is guessed: a number is changed only where the description of the argument
names another unit than the request, and what stands nowhere makes no call. Pure functions; any thread.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, pairwise
from typing import Any

from desktop.chat.intent_words import language_of
from desktop.paths import resources
from desktop.tools.tool import Parameter, ParameterType, Tool
from desktop.tools.units import Unit, read_units

_TIMES = {"k": 1e3, "thousand": 1e3, "mn": 1e6, "mio": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
# A capital M is a million behind an amount of money and nowhere else: 5 M may be metres.
_NUMBER = re.compile(
    r"(?<![\w.,])(?P<money>[$€£]\s?)?(?P<number>-?\d+(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)"
    r"(?:\s?(?P<times>thousand|million|billion|mio|mn|bn)s?\b|(?P<short>[kKMB])(?!\w))?"
    r"(?P<percent>\s?(?:%|percent\b|per cent\b))?"
    r"(?:[\s-]?(?P<unit>[^\W\d_]+)(?P<compound>\s?(?:/|\^|\*|²|³|per\b))?)?",
)
_COUNTS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty
"""
_TENS = """
    thirty forty fifty sixty seventy eighty ninety
"""
_ONE = """
    a an next last per each this
"""
_WORDS = {
    **{word: float(at) for at, word in enumerate(_COUNTS.split())},
    **{word: 10.0 * at for at, word in enumerate(_TENS.split(), 3)},
    **dict.fromkeys(("double", "twice", "pair", "couple", "both", "second"), 2.0),
    **dict.fromkeys(("triple", "third"), 3.0),
    "hundred": 100.0,
    "thousand": 1000.0,
    "dozen": 12.0,
    "half": 0.5,
    "quarter": 0.25,
    # "The next month", "per day", "an hour"; "from rest".
    **dict.fromkeys(("one", "once", "single", "first", *_ONE.split()), 1.0),
    **dict.fromkeys(("none", "no", "without", "rest", "origin"), 0.0),
}
# What lies between two units of time, length, mass or money, and between percent and a part of one.
_RATIOS = (1, 7, 12, 24, 30, 52, 60, 100, 365, 1000, 3600, 86_400, 1e6)
_RELATIVE = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|now|current(?:ly)?|recent(?:ly)?|latest|year|month|week)\b", re.I
)
_AS_PART = re.compile(
    r"\bdecimal\b|\bfraction\b|(?:between|from) 0 (?:and|to) 1\b|\be\.?g\.?,? 0\.\d"
    r"|\b0\.\d+ (?:for|means|is)",
    re.I,
)
_AS_PERCENT = re.compile(r"\b(?:in|as a|the) (?:percent|percentage)\b|\bin %", re.I)
_IN_UNIT = re.compile(r"\bin (?:the )?(?:unit (?:of )?)?(?P<unit>[^\W\d_]+)(?!\s?(?:/|\^|²|³|per\b))\b", re.I)
_UNIT_OF_NAME = re.compile(r"_(?:in_)?(?P<unit>[a-z]+)$")
NEAR = 1e-9
PI = 3.14159265
LONGEST_CODE = 5  # letters
# What an argument may be, as it is written in prose, and what is only an example of it.
_EXAMPLE = re.compile(
    r"\be\.?g\b|\bsuch as\b|\blike\b|\bfor (?:example|instance)\b|\bi\.?e\b|por ejemplo", re.I
)


@dataclass(frozen=True)
class SaidNumber:
    """A number as it stands in a request. `bare`: without what it is multiplied with."""

    value: float
    bare: float
    is_percent: bool = False
    unit: str = ""


def numbers_in(text: str) -> list[SaidNumber]:
    """Those in digits, in order."""
    return list(_numbers_in(text))


def _numbers_in(text: str) -> Iterator[SaidNumber]:
    for found in _NUMBER.finditer(text):
        bare = float(found["number"].replace(",", ""))
        # Three hundred digits and more are no amount of anything, and inf is no whole number.
        if not math.isfinite(bare * max(_TIMES.values())):
            continue
        short = (found["short"] or "").casefold()
        is_money = bool(found["money"])
        factor = _TIMES.get(found["times"] or "", 1.0)
        if short == "k" or (short in ("m", "b") and is_money):
            factor = {"k": 1e3, "m": 1e6, "b": 1e9}[short]
        unit = "" if found["compound"] else (found["unit"] or "")
        if unit.casefold() in ("pi", "π"):
            factor, unit = PI, ""
        if short and factor == 1.0:  # 5 M, without money: whatever it is, it is no unit that is known
            unit = found["short"]
        value = round(bare * factor, 4) if factor == PI else bare * factor
        yield SaidNumber(value, bare, bool(found["percent"]), unit)


def as_wanted(tool: Tool, arguments: Mapping[str, Any], said: str) -> dict[str, Any]:
    """The arguments with numbers as `tool` describes them: in its unit, as a part of one or in percent."""
    numbers = numbers_in(said)
    by_name = {each.name: each for each in tool.parameters}
    return {
        name: _number_wanted(by_name[name], value, numbers) if name in by_name else value
        for name, value in arguments.items()
    }


def in_their_places(tool: Tool, arguments: Mapping[str, Any], said: str) -> dict[str, Any]:
    """The arguments, two texts exchanged where each stands beside the other one's noun: in "my employees
    database, personal_data table" a small model takes one for the other."""
    placed = dict(arguments)
    texts = [each for each in tool.parameters if isinstance(placed.get(each.name), str) and not each.choices]
    for one, other in combinations(texts, 2):
        first, second = placed[one.name], placed[other.name]
        nouns, others = _nouns(one) - _nouns(other), _nouns(other) - _nouns(one)
        if _stands_beside(first, nouns, said) or _stands_beside(second, others, said):
            continue
        if _stands_beside(second, nouns, said) and _stands_beside(first, others, said):
            placed[one.name], placed[other.name] = second, first
    return placed


def _nouns(parameter: Parameter) -> set[str]:
    described = f"{parameter.name} {parameter.description}".casefold().replace("_", " ")
    return {word for word in re.findall(r"[^\W\d_]+", described) if len(word) >= STEM}


def _stands_beside(value: str, nouns: set[str], said: str) -> bool:
    if not value or not nouns:
        return False
    word, noun = re.escape(value), "|".join(map(re.escape, sorted(nouns)))
    quoted = rf"['\"`]?{word}['\"`]?"
    beside = rf"(?<!\w){quoted} (?:{noun})s?\b|\b(?:{noun})s? (?:(?:is|named|called|of) )?{quoted}(?!\w)"
    return re.search(beside, said, re.IGNORECASE) is not None


def _number_wanted(parameter: Parameter, value: Any, numbers: list[SaidNumber]) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or parameter.choices:
        return value
    if not math.isfinite(_as_float(value)):
        return value
    told = _told(value, numbers)
    if told is None:
        return value
    wanted = _in_form(parameter, _in_unit(parameter, told), told, value)
    if wanted == value:
        return value
    if parameter.kind is ParameterType.INTEGER:
        return round(wanted) if abs(wanted - round(wanted)) < NEAR * max(abs(wanted), 1) else value
    return wanted


def _told(value: float, numbers: list[SaidNumber]) -> SaidNumber | None:
    """The number of the request that `value` was copied from; None where that cannot be told."""
    same = [each for each in numbers if value in (each.value, each.bare)]
    # Where only whole numbers may be written, 1.68 m is begun as 1; 4 % may be written as 0.04 already.
    same = same or [each for each in numbers if each.bare != int(each.bare) and value == int(each.bare)]
    same = same or [each for each in numbers if each.is_percent and abs(each.bare / 100 - value) < NEAR]
    return same[0] if len({(each.value, each.unit, each.is_percent) for each in same}) == 1 else None


def _in_form(parameter: Parameter, counted: float, told: SaidNumber, value: float) -> float:
    if not told.is_percent:
        return counted
    if _AS_PART.search(parameter.description):
        return round(told.bare / 100, 12)
    return told.bare if _AS_PERCENT.search(parameter.description) else value


def _in_unit(parameter: Parameter, told: SaidNumber) -> float:
    """The number in the unit that the parameter names, where the request has another of the same kind."""
    there = _unit_of(parameter)
    here = _known_units().get(told.unit.casefold()) or _known_units().get(told.unit)
    if there is None or here is None or here == there or here.dimension != there.dimension:
        return told.value
    # Degrees have no ratio alone.
    if here.offset or there.offset:
        return told.value
    return float(round(told.value * float(here.factor / there.factor), 9))


def _unit_of(parameter: Parameter) -> Unit | None:
    named = [found["unit"] for found in _IN_UNIT.finditer(parameter.description)]
    named += [found["unit"] for found in _UNIT_OF_NAME.finditer(parameter.name.casefold())]
    known = [unit for each in named if (unit := _known_units().get(each.casefold())) is not None]
    return known[0] if known else None


@cache
def _known_units() -> Mapping[str, Unit]:
    units = read_units(resources() / "units.toml")
    # "in" stands before nearly everything, and a single letter is more often no unit.
    return {name: unit for name, unit in units.items() if name != "in"}


# -- what nobody has named --------------------------------------------------------------------


# How long a text is to be is nothing to reckon with.
_SO_LONG = re.compile(
    r"\b\d+(?:\s?(?:[-–]|to|bis|à|a)\s?\d+)?\s+(?:\w+ )?(?:sentences?|words?|lines?|paragraphs?|s[aä]tze?n?|"
    r"wörter|worte?n?|zeilen?|phrases?|mots?|lignes?|frases?|palabras?|líneas?)\b",
    re.IGNORECASE,
)
_IN_WORDS = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|"
    r"dozen|half|third|quarter|double|twice|percent|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|"
    r"zwölf|\w*zig|hundert|tausend|halb\w*|hälfte|viertel|doppelt\w*|prozent|deux|trois|quatre|cinq|sept|huit|neuf|dix|"
    r"onze|douze|vingt|trente|cent|mille|moitié|tiers|quart|pour cent|dos|tres|cuatro|cinco|seis|siete|ocho|"
    r"nueve|diez|once|doce|veinte|treinta|cien\w*|mil|mitad|tercio|cuarto|doble|por ciento)\b",
    re.IGNORECASE,
)


def names_number(text: str) -> bool:
    """In figures, or in a word of the four languages."""
    return re.search(r"\d", text) is not None or _IN_WORDS.search(text) is not None


def is_of_other_numbers(expression: str, said: str) -> bool:
    """Whether a sum has none of the numbers that were said: "in 2-3 sentences" wants no 27 * 1.1, and "why
    does honey set" no sum at all. Numbers in words may be any."""
    said = _SO_LONG.sub(" ", said)
    told = {abs(each.value) for each in numbers_in(said)}
    if not told:
        return _IN_WORDS.search(said) is None
    return told.isdisjoint(float(each) for each in re.findall(r"\d+(?:\.\d+)?", expression))


def unsaid(tool: Tool, arguments: Mapping[str, Any], said: str, instructed: str = "") -> str:
    """The name of an argument that `tool` cannot do without and that nobody has named; "" for none.
    `instructed` is what the instructions say, in which a folder to work in may stand."""
    return unsaid_number(tool, arguments, said) or unsaid_text(tool, arguments, said, instructed)


def without_unsaid(tool: Tool, arguments: Mapping[str, Any], said: str) -> dict[str, Any]:
    """The arguments with null for what nobody has named, where the schema lets it be null: with `strict` a
    schema lists all as required, and says so of what may be left out."""
    properties = (tool.shown_schema or {}).get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    open_ones = {each.name: each for each in tool.parameters if _may_be_null(known.get(each.name))}
    return {
        name: None
        if name in open_ones
        and unsaid(replace(tool, parameters=(replace(open_ones[name], required=True),)), {name: value}, said)
        else value
        for name, value in arguments.items()
    }


def _may_be_null(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    given = (schema.get(word) for word in ("anyOf", "oneOf"))
    ways = (schema, *(each for listed in given if isinstance(listed, list) for each in listed))
    types = [each.get("type") for each in ways if isinstance(each, Mapping)]
    return any(each == "null" or (isinstance(each, list) and "null" in each) for each in types)


def unsaid_number(tool: Tool, arguments: Mapping[str, Any], said: str) -> str:
    """The name of a number that `tool` needs and that can be had from nothing in the request; "" where there
    is none. Nobody's digits: a price, a rate or a size that the model made up."""
    for parameter in tool.parameters:
        value = arguments.get(parameter.name)
        if not parameter.required or parameter.choices or isinstance(value, bool):
            continue
        if isinstance(value, int | float) and not _is_had_from(_as_float(value), said):
            return parameter.name
    return ""


def unsaid_text(tool: Tool, arguments: Mapping[str, Any], said: str, instructed: str = "") -> str:
    """The same for a text: a place, a name or a kind of which no word stands in the request. What is the
    model's to write, such as a command, is in nobody's words."""
    for parameter in tool.parameters:
        value = arguments.get(parameter.name)
        values = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
        if not parameter.required or parameter.choices or not values or is_written(parameter.name):
            continue
        # What is said in another language is told in other words.
        if not is_one_language(said, " ".join((parameter.description, *values))):
            continue
        if not any(_is_told(parameter, each, said) or _is_instructed(each, instructed) for each in values):
            return parameter.name
    return ""


# The last word of a parameter's name, where what it holds is composed and not named by anybody.
_WRITTEN = """
    body cmd command commands comment content contents description diff explanation expression glob html
    instruction instructions justification markdown message note patch pattern prompt question reason regex
    regexp reply script sql stdin str string summary text thought title
"""
_CODE = (["code"], ["source", "code"], ["source"])  # a country's code is a name


def is_written(name: str) -> bool:
    """Whether a parameter of that name holds what a model writes: `command`, `newString` and
    `commit_message`, but neither `message_id` nor `country_code`."""
    words = [each.casefold() for each in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
    return words in _CODE or (bool(words) and words[-1] in _WRITTEN.split())


def _is_instructed(value: str, instructed: str) -> bool:
    """Whether a path stands in the instructions, or lies in a folder that does: the one to work in. No other
    value: instructions have examples, too."""
    told, parts = instructed.replace("\\", "/"), value.replace("\\", "/").split("/")
    folders = (parts[:end] for end in range(len(parts), 1, -1))
    # Of two names at least: everything lies in /home.
    return any(len(list(filter(None, each))) > 1 and "/".join(each) in told for each in folders)


def _is_told(parameter: Parameter, value: str, said: str) -> bool:
    spoken = set(re.findall(r"[^\W\d_]+", said.casefold()))
    words = re.findall(r"[^\W\d_]+", value.casefold())
    if any(digits.lstrip("0") in said for digits in re.findall(r"\d+", value)):
        return True  # a date, a formula, a number
    if any(word in spoken or any(alike(word, each) for each in spoken) for word in words):
        return True
    # "NYC" is New York City, and "USD" the US dollar.
    if any(_abbreviates(each.casefold(), "".join(words)) for each in re.findall(r"\b[A-Z]{2,5}\b", said)):
        return True
    # A code for something said at length: ssn, EUR, AAPL.
    if all(len(word) < STEM for word in words) or (value.isupper() and len(value) <= LONGEST_CODE):
        return True
    # 'delete' or 'add', of which one is meant by other words.
    named = re.search(rf"['\"`]{re.escape(value)}['\"`]", parameter.description, re.I)
    return named is not None and _EXAMPLE.search(parameter.description) is None


def _abbreviates(short: str, text: str) -> bool:
    """Whether the letters of `short` stand in `text` in their order, the first one first."""
    letters = iter(text)
    return text[:1] == short[0] and all(each in letters for each in short)


def is_unasked(parameter: Parameter, value: Any, said: str) -> bool:
    """Whether a value that may be left out is a switch or a number that nothing in the request speaks of."""
    if parameter.required or parameter.choices:
        return False
    if isinstance(value, bool):
        spoken = set(re.findall(r"[^\W\d_]+", said.casefold()))
        described = f"{parameter.name} {parameter.description}".casefold().replace("_", " ")
        named = [word for word in re.findall(r"[^\W\d_]+", described) if len(word) >= STEM]
        return not any(alike(word, each) for word in named for each in spoken)
    return isinstance(value, int | float) and not _is_had_from(_as_float(value), said)


def _as_float(value: float) -> float:
    """JSON has whole numbers that no float holds: a grammar lets a model write digits without end."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _is_had_from(value: float, said: str) -> bool:
    size = abs(value)
    if not math.isfinite(size):
        return False
    have = [abs(number) for each in numbers_in(said) for number in (each.value, each.bare)]
    # Also inside of words: 3x^2, rs7412, 14th.
    have += [float(digits) for digits in re.findall(r"\d+(?:\.\d+)?", said.replace(",", ""))]
    spoken = [word.casefold() for word in re.findall(r"[^\W\d_]+", said)]
    counted = {word: _WORDS[word] for word in spoken if word in _WORDS}
    if any(abs(size - number) < NEAR for number in (*have, *counted.values())):
        return True
    # "An hour" is 60 minutes, and "a discount" no number.
    ones = _ONE.split()
    units = _known_units()
    have += [number for word, number in counted.items() if word not in ones]
    have += [1.0 for word, unit in pairwise(spoken) if word in ones and unit in units]
    # Years and hours may be told by what day it is.
    if _RELATIVE.search(said) and size == int(size):
        return True
    return any(_is_ratio(size, number) for number in have if number)


def _is_ratio(size: float, number: float) -> bool:
    ratio = max(size, number) / max(min(size, number), NEAR)
    return any(abs(ratio - each) < 1e-6 * each for each in _RATIOS)


# -- how much of a tool's words is said --------------------------------------------------------

# How much of a request stands in what a stranger's function says of itself: its name and its description.
#
# Whoever wants a function uses its words, and a request about something else hardly ever does; a small
# model asked whether it fits says yes to both at times. Only where both are in one language: between two
# of them nothing is known. Pure functions; any thread.

SHORTEST = 3  # letters; what is shorter names nothing
STEM = 4  # letters that two forms of a short word have in common
COMMON = 0.6  # and so much of the longer of two long ones
ENOUGH = 2  # words; more say no more
# In every description, whatever the function does, and in every request for a sum.
_OF_ANY = """
    calculate compute find retrieve return fetch give get using based given specific value number function
    default optional list data information details result type name set
"""


def shared_words(request: str, tool: Tool) -> int | None:
    """How many words of the request, up to ENOUGH, stand in the name or the description of `tool`; None where
    they are in two languages, so that nothing is known."""
    described = f"{tool.name} {tool.description}"
    if not is_one_language(request, tool.description):
        return None
    there = _words(described)
    found = {word for word in _words(request) if any(alike(word, each) for each in there)}
    return min(len(found), ENOUGH)


def is_one_language(one: str, other: str) -> bool:
    """Whether two texts can be compared word by word."""
    return _is_latin(one) == _is_latin(other) and language_of(one) == language_of(other)


def alike(word: str, other: str) -> bool:
    """Whether both are forms of one word: cooked, cook; restaurants, restaurant."""
    shared, longer = min(len(word), len(other)), max(len(word), len(other))
    if shared < STEM:
        return word == other
    # The longer the words, the longer what they have in common: "inter" begins too much.
    common = max(STEM, round(COMMON * longer))
    return common <= shared and word[:common] == other[:common]


def _words(text: str) -> set[str]:
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).replace("_", " ")
    found = {word.casefold() for word in re.findall(r"[^\W\d_]+", parted)}
    return {word for word in found if len(word) >= SHORTEST and word not in _empty()}


def _is_latin(text: str) -> bool:
    letters = [each for each in text if each.isalpha()]
    return 2 * sum(ord(each) < 0x250 for each in letters) >= len(letters)


@cache
def _empty() -> frozenset[str]:
    """Words of nearly every request."""
    table = tomllib.loads((resources() / "tool_words.toml").read_text(encoding="utf-8"))
    return frozenset((*table["empty"].split(), *_OF_ANY.split()))
