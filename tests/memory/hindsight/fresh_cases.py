"""The failures of `repeats.toml`, as programs really tell them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from desktop.memory.hindsight.hindsight import Hindsight, suggested
from desktop.memory.hindsight.signature import Failure

Said = tuple[str, str]


@dataclass(frozen=True)
class FreshCase:
    """Commands and what they printed; `fix` is the command that worked after the first."""

    first: Said
    fix: str
    repeat: Said
    look_alike: Said


def failure(said: Said, session: str = "") -> Failure:
    return Failure("run_command", said[1], arguments={"command": said[0]}, session=session)


def learned_from(hindsight: Hindsight) -> dict[FreshCase, int]:
    """Let every first failure happen, and what helped; the ids of the fixes that were learned."""
    fixes: dict[FreshCase, int] = {}
    for number, case in enumerate(FRESH_CASES):
        hindsight.failed(failure(case.first, str(number)))
        if (fix := hindsight.worked("run_command", {"command": case.fix}, str(number))) is not None:
            fixes[case] = fix.id
    return fixes


def figures(hindsight: Hindsight) -> dict[str, int]:
    """With all of them known: repeats that bring their fix, those that bring it as a call, and look-alikes
    that bring any.
    """
    fixes = learned_from(hindsight)
    offers = {case: hindsight.lookup(failure(case.repeat)) for case in FRESH_CASES}
    own = [case for case in FRESH_CASES if fixes.get(case) in {offer.fix.id for offer in offers[case]}]
    return {
        "repeats": len(FRESH_CASES),
        "offered": len(own),
        "offered_as_a_call": sum(suggested(offers[case]) is not None for case in own),
        "look_alikes_offered_something": sum(
            bool(hindsight.lookup(failure(case.look_alike))) for case in FRESH_CASES
        ),
    }


def _read() -> tuple[FreshCase, ...]:
    table = tomllib.loads((Path(__file__).parent / "repeats.toml").read_text(encoding="utf-8"))
    return tuple(
        FreshCase(tuple(case["first"]), case["fix"], tuple(case["repeat"]), tuple(case["look_alike"]))
        for case in table["case"]
    )


FRESH_CASES = _read()
