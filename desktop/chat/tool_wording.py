"""How much of a request stands in what a stranger's function says of itself: its name and its description.

Whoever wants a function uses its words, and a request about something else hardly ever does; a small model
asked whether it fits says yes to both at times. Only where both are in one language: between two of them
nothing is known. Pure functions; any thread.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from desktop.chat.intent_words import language_of
from desktop.paths import resources
from desktop.tools.tool import Tool

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
