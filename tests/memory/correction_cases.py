"""What people say twice, from `corrections.txt`: one thing, later another about the same, and the question.

By `tuned` the rules were made. `first` (25 of 31 held), `second` (8 of 17), `third` (17 of 29), `fourth`
(12 of 15), `fifth` (10 of 30: none of twelve in French and Spanish), `sixth` (16 of 30) and `seventh` (23 of
30) were written before the rules had seen them, and have changed them since. Of the pairs in `both` neither
takes the other's place.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Correction:
    """`later` counts; of what is told for `question`, `newer` is a part and `older` is not."""

    part: str
    earlier: str
    later: str
    question: str
    newer: str
    older: str


def correction_cases() -> tuple[Correction, ...]:
    """All of them, in their order."""
    found, part = [], ""
    for line in Path(__file__).with_name("corrections.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            part = line.strip("[]")
        elif line and not line.startswith("#"):
            earlier, later, question, newer, older = (each.strip() for each in line.split("|"))
            found.append(Correction(part, earlier, later, question, newer, older))
    return tuple(found)
