"""A known fix as a button offers it: the call to make, and how often it worked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.memory.hindsight.fixes import said
from desktop.memory.hindsight.hindsight import Offer


@dataclass(frozen=True)
class SuggestedFix:
    """`arguments` are those of the call that failed, with the change that worked before."""

    fix_id: int
    tool: str
    arguments: Mapping[str, Any]
    applications: int
    successes: int
    last_at: float

    @property
    def line(self) -> str:
        """The call on one line."""
        return said(self.arguments)


def suggested(offers: Sequence[Offer]) -> SuggestedFix | None:
    """The most trusted that says what to call; None where none does, or where something secret that was
    left out would have to be filled in.
    """
    for offer in offers:
        fix = offer.fix
        if offer.arguments is not None and not fix.forbidden and "[redacted" not in str(offer.arguments):
            return SuggestedFix(
                fix.id, fix.tool, offer.arguments, fix.applications, fix.successes, fix.last_at
            )
    return None
