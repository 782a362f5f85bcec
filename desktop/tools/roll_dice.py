"""Dice: `2d6+1` is two dice with six sides, and one more."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from desktop.gate.verdict import Effect
from desktop.tools.arguments import WrongArguments
from desktop.tools.reasons import ToolReason
from desktop.tools.tool import Tool, ToolHint, tool

MOST_DICE = 100  # of all terms together: each is told by itself
MOST_SIDES = 1_000
LARGEST_NUMBER = 1_000_000  # added or taken away
LONGEST = 100  # characters
# German writes 2W6. A number of ten digits and more is refused before it is read.
_TERM = re.compile(r"(?P<sign>[+-]?)(?:(?P<count>\d{0,9})[dw](?P<sides>\d{1,9}|%)|(?P<number>\d{1,9}))", re.I)
# Only with a number of sides or beside "roll": potatoes are diced, and a Würfel may be a cube.
HINT = ToolHint(
    r"\b(roll|throw|toss)\w*\b.*\b(dice|die|\d{0,3}d\d+)\b|\b(würfel|würfle|wirf)\w*\b.*\b\d{0,3}[dw]\d+\b"
    r"|\b(würfle|wirf)\w*\b.*\bwürfel\w*\b|\bwürfle\b|\b\d{1,3}d\d{1,4}\b",
    only_said=True,
)


def dice_tool(below: Callable[[int], int] = secrets.randbelow) -> Tool:
    """`below` gives a whole number from 0 to below its argument, each as likely as the others."""

    def roll_dice(dice: str = "1d6") -> str:
        """Roll dice and tell what each shows.

        dice: how many dice with how many sides, like 2d6+1
        """
        # Secrets' generator and not that of `random`: whoever saw some rolls could work out the next ones.
        return _rolled("".join(dice.split()), below)

    return tool(roll_dice, Effect.READ, verb=ToolReason.VERB_ROLL_DICE, hint=HINT)


def _rolled(dice: str, below: Callable[[int], int]) -> str:
    if len(dice) > LONGEST:
        raise WrongArguments(ToolReason.DICE_TOO_LONG.of(limit=LONGEST))
    terms, total, rolled = "", 0, 0
    for term in _terms(dice):
        sign = -1 if term["sign"] == "-" else 1
        if term["number"]:
            shown, value = term["number"], int(term["number"])
            if value > LARGEST_NUMBER:
                raise WrongArguments(ToolReason.DICE_NUMBER_TOO_LARGE.of(limit=LARGEST_NUMBER))
        else:
            count = int(term["count"] or 1)
            rolled += count
            # Counted before one is rolled: a milliard of dice must not be begun.
            faces = [below(_sides(term["sides"])) + 1 for _ in range(_few_enough(count, rolled))]
            shown, value = f"[{', '.join(map(str, faces))}]", sum(faces)
        terms += f" {'-' if sign < 0 else '+'} {shown}" if terms or sign < 0 else shown
        total += sign * value
    if not rolled:
        raise WrongArguments(ToolReason.DICE_NONE.of())
    return f"{dice}: {terms.strip()} = {total}"


def _terms(dice: str) -> list[re.Match[str]]:
    found, place = [], 0
    while place < len(dice):
        term = _TERM.match(dice, place)
        if term is None or (place and not term["sign"]):
            raise WrongArguments(ToolReason.DICE_UNCLEAR.of(dice=dice))
        found.append(term)
        place = term.end()
    return found


def _few_enough(count: int, rolled: int) -> int:
    if not count or rolled > MOST_DICE:
        raise WrongArguments(ToolReason.DICE_HOW_MANY.of(limit=MOST_DICE))
    return count


def _sides(text: str) -> int:
    sides = 100 if text == "%" else int(text)
    if not 2 <= sides <= MOST_SIDES:
        raise WrongArguments(ToolReason.DICE_SIDES.of(limit=MOST_SIDES))
    return sides
