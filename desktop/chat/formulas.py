"""Formulas of answers, and their outlines, which a confined child sets (`formula_outlines`).

A child costs some 0.3 s of processor, so formulas go to it together, and what it said is kept. Nothing is
loaded before the first formula; the library itself never is.
"""

from __future__ import annotations

import json
import math
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from desktop.chat.latex import Formula
from desktop.sandbox.parser import ParseFailed, Parser, ParserLimits

READER = "desktop.chat.formula_outlines:outlines"
LIMITS = ParserLimits(time_s=20.0, memory_bytes=600_000_000, result_bytes=16_000_000)
KEPT = 400  # outlines, some 5 kB each
MOST_AT_ONCE = 60
LONGEST = 1_500  # characters; a longer one is shown as text
WIDEST_EM, TALLEST_EM = 80.0, 60.0  # beyond, it would have to be made too small to read
# Nothing is given back: digits that may be one number or several are shared out in every way else.
_PATH = re.compile(r"(?:[MLQCZ ,]|-?\d++(?:\.\d++)?+)*+")


@dataclass(frozen=True)
class Outline:
    """The drawing of one formula: sizes in em, paths in the language of SVG, of which 20 units make one.

    The origin lies on the base line; `left` is where the drawing begins there. `drawn` are paths with the
    width of their line, all else is filled.
    """

    left: float
    width: float
    ascent: float
    descent: float
    filled: str
    drawn: tuple[tuple[str, float], ...]


class Outlines:
    """Which outlines are known, and the way to more. Any thread."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._lock = Lock()
        self._known: OrderedDict[Formula, Outline | None] = OrderedDict()

    def is_known(self, formula: Formula) -> bool:
        """Whether it was asked for already; what is too long never is."""
        with self._lock:
            return formula in self._known or len(formula.source) > LONGEST

    def of(self, formula: Formula) -> Outline | None:
        """None where there is none, or none yet: then the formula is shown as text."""
        with self._lock:
            if formula not in self._known:
                return None
            self._known.move_to_end(formula)
            return self._known[formula]

    def draw(self, formulas: Iterable[Formula]) -> None:
        """Have those outlined that are not known. Blocks for up to some seconds; never on the main thread."""
        wanted = [each for each in dict.fromkeys(formulas) if not self.is_known(each)]
        for start in range(0, len(wanted), MOST_AT_ONCE):
            some = wanted[start : start + MOST_AT_ONCE]
            self._keep(some, self._drawn(some))

    def all_of(self, formulas: Sequence[Formula]) -> dict[Formula, Outline | None]:
        """The outlines of these, however many. Blocks as `draw` does."""
        found: dict[Formula, Outline | None] = {}
        # In parts no larger than what is kept: of a long chat the first would be gone when the last came.
        for start in range(0, len(formulas), MOST_AT_ONCE):
            some = formulas[start : start + MOST_AT_ONCE]
            self.draw(some)
            found.update((each, self.of(each)) for each in some)
        return found

    def _drawn(self, formulas: list[Formula]) -> list[Any]:
        task = json.dumps([[each.source, each.display] for each in formulas]).encode("ascii")
        try:
            said = self._parser.parse(READER, task, limits=LIMITS)
        except ParseFailed:  # it has been logged; as text they are readable
            said = []
        return said if isinstance(said, list) and len(said) == len(formulas) else [None] * len(formulas)

    def _keep(self, formulas: list[Formula], said: list[Any]) -> None:
        with self._lock:
            for formula, one in zip(formulas, said, strict=True):
                self._known[formula] = _outline(one)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)


def _outline(said: Any) -> Outline | None:
    """What the child wrote, which may be anybody's by now: only what has the expected form counts."""
    try:
        sizes = [float(said[name]) for name in ("left", "width", "ascent", "descent")]
        drawn = tuple((str(path), float(width)) for path, width in said["drawn"])
        left, width, ascent, descent = sizes
        outline = Outline(left, width, ascent, descent, str(said["filled"]), drawn)
    except (TypeError, ValueError, KeyError):
        return None
    is_sound = (
        all(math.isfinite(size) for size in (*sizes, *(width for _, width in drawn)))
        and abs(outline.left) < WIDEST_EM
        and 0 < outline.width <= WIDEST_EM
        and 0 < outline.ascent + outline.descent <= TALLEST_EM
        and all(_PATH.fullmatch(path) for path in (outline.filled, *(path for path, _ in drawn)))
    )
    return outline if is_sound else None
