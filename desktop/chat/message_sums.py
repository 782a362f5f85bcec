"""Calculations in anybody's words: the model writes the expression, the calculator works it out.

"Quick one: 62 miles at 45p a mile" is understood by no rule, and a small model that answers it multiplies
wrongly. Which numbers go together how it knows better: under a grammar that has the numbers of the message,
and the result that was told before, it writes `62 * 0.45`. The expression is told with the result, so that a
question that was meant otherwise can be seen to be. Any thread; blocks while the model writes.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import structlog

from desktop.chat.command_grounding import request_language
from desktop.chat.intent_plan import IntentPlan, Step
from desktop.chat.prompts import behind_examples, read_ahead
from desktop.chat.references import Past
from desktop.chat.tool_args import Submit
from desktop.engine.requests import FinishReason, GenerateRequest, Message
from desktop.errors import UserFacing
from desktop.paths import resources
from desktop.tools.amounts import amount_in
from desktop.tools.calculator import Calculator, rounded, shown
from desktop.tools.table_queries import choice_of

log = structlog.get_logger(__name__)

CONVERSATION = "message-sums"  # of all chats: what stands before the message is always the same
MOST_TOKENS = 48
LONGEST = 300  # characters
NO_SUM = "none"
FEWEST_NUMBERS = 2
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,'’]\d+)*")
_PERCENT = re.compile(r"\s?(?:%|percent|per cent|prozent|pour cent|por ?ciento)(?!\w)", re.IGNORECASE)
# A hundredth of what the message counts in: "45p a mile".
_HUNDREDTHS = re.compile(r"\s?(?:p|pence|ct|cents?|centimes?|céntimos?)(?!\w)", re.IGNORECASE)
_UNITS = tuple(
    re.compile(rf"(?<![^\W\d_])(?:{names})(?!\w)", re.IGNORECASE)
    for names in (
        r"mm|cm|dm|m|km|qm|m²|m2|cm²|ha|sq ?m|ft|feet|foot|inch(?:es)?|yards?|miles?|met(?:re|er)s?|"
        r"met(?:ern?|ros?)|kilomet\w+",
        r"mg|g|kg|t|lbs?|oz|ounces?|pounds of|gramm?\w*|gramos?|kilos?|tonn\w*|toneladas?",
        r"ml|cl|dl|l|lit\w+|gal(?:lon|ón|on)\w*|galones|pints?|cups?|tass\w*|tazas?",
    )
)
# A sum as it is told here, by a rule, or from rows of a table.
_TOLD = re.compile(r"(?P<sum>[\d.,\s()+*/×÷%–-]*\d[\d.,\s()+*/×÷%–-]*) = (?P<result>-?\d[\d.,]*)")
_SIGNS = str.maketrans({"*": "×", "/": "÷", "-": "–"})


def sum_asked(said: str, past: Past, submit: Submit) -> IntentPlan | None:
    """The calculation that `said` asks for, worked out and told; None where it asks for none that its
    numbers, and the result told before, can give. Blocks."""
    if len(said) > LONGEST:
        return None
    numbers, before = tuple(_numbers_in(said)), _told_before(past.text)
    results = tuple(_numbers_in(" ".join(before))) if before else ()
    is_enough = bool(numbers) and len(numbers) + len(results) >= FEWEST_NUMBERS
    if not is_enough or _mixes_units(said):
        return None
    request = behind_examples(CONVERSATION, _told_first(), _shown(said, before), MOST_TOKENS)
    stream = submit(_with_grammar(request, (*numbers, *results)))
    written = stream.text().strip()
    log.info("sum of a message", written=written)
    if stream.finish is not FinishReason.STOP or not _is_of(written, numbers, results):
        return None
    try:
        result = shown(Calculator({}).value(written))
    except UserFacing:  # divided by nothing, or too large
        return None
    if result.startswith("-"):  # rather the wrong way round than meant
        return None
    language = request_language(said, past)
    told = f"{_as_written(written, language)} = {_as_written(rounded(result), language)}"
    return IntentPlan(language, (Step(text=told, changes=False),))


def beginning() -> GenerateRequest:
    """What is the same in all these prompts, to be read while nobody waits."""
    return read_ahead(CONVERSATION, _told_first())


def _numbers_in(said: str) -> Iterator[str]:
    """The numbers of a text as the calculator reads them, as often as they are said."""
    for each in _NUMBER.finditer(said):
        amount = amount_in(each[0])
        if amount is None:
            continue
        behind = said[each.end() :]
        if _PERCENT.match(behind):
            yield f"{amount.value}%"
        elif _HUNDREDTHS.match(behind):
            yield f"{amount.value / 100}"
        else:
            yield f"{amount.value}"


def _told_before(text: str) -> tuple[str, str] | None:
    """The last sum that was told, and its result."""
    # A table of many figures is no sum, and takes minutes to be read as one.
    lines = (each for each in text.splitlines() if " = " in each and len(each) <= LONGEST)
    found = [each for line in lines for each in _TOLD.finditer(line)]
    return (found[-1]["sum"].strip(), found[-1]["result"].strip(".,")) if found else None


def _is_of(written: str, numbers: tuple[str, ...], results: tuple[str, ...]) -> bool:
    """Whether something is worked out, with a number of the message itself, and none more often than it was
    said: "12 * 12" of one 12 has lost what the other factor is."""
    parts = [each for each in written.split() if each[:1].isdigit()]
    said = Counter((*numbers, *results))
    return len(parts) > 1 and bool(set(parts) & set(numbers)) and not Counter(parts) - said


def _mixes_units(said: str) -> bool:
    """Whether lengths, weights or volumes are counted in several units, which no product of numbers knows."""
    return any(len({each.casefold().rstrip("s") for each in units.findall(said)}) > 1 for units in _UNITS)


def _with_grammar(request: GenerateRequest, numbers: tuple[str, ...]) -> GenerateRequest:
    rules = {
        "root": f'"{NO_SUM}" | sum',
        "sum": 'product ( " " [+-] " " product ){0,5}',
        "product": 'atom ( " " [*/] " " atom ){0,3}',
        "atom": 'number | "( " inner " )"',
        "inner": 'number ( " " [-+*/] " " number ){1,6}',
        "number": choice_of(numbers),
    }
    return replace(request, grammar="\n".join(f"{name} ::= {body}" for name, body in rules.items()))


def _as_written(text: str, language: str) -> str:
    """With the signs of people, and a decimal comma where the language has one."""
    signed = re.sub(r"(?<= )[*/-](?= )", lambda sign: sign[0].translate(_SIGNS), text)
    bare = signed.replace("( ", "(").replace(" )", ")")
    return bare if language == "en" else re.sub(r"(?<=\d)\.(?=\d)", ",", bare)


def _shown(said: str, before: tuple[str, str] | None) -> str:
    lines = [f"Before: {before[0]} = {before[1]}"] if before is not None else []
    return "\n".join((*lines, f"Said: {' '.join(said.split())}"))


@cache
def _told_first() -> tuple[Message, ...]:
    read = tomllib.loads((resources() / "message_sums.toml").read_text(encoding="utf-8"))
    messages = [Message("system", read["asks"].strip())]
    for each in read["examples"]:
        before = tuple(each["before"].split(" = ")) if "before" in each else None
        messages += (
            Message("user", _shown(each["said"], (before[0], before[1]) if before else None)),
            Message("assistant", each["sum"]),
        )
    return tuple(messages)
