"""Patterns of the program whose repetitions can be taken in several ways, so that hostile text holds them up.

    python -m tests.bench.ambiguous_patterns

Imports every module, collects what was compiled in it, and asks regexploit, which has to be installed beside
(it is no part of the project), how the time of each grows. Told are those that grow with the third power of
the text or faster; patterns with possessive repetitions are not understood by it, and counted as such. Half a
minute on two cores. What is named is to be tried on the text by hand: bounds before a pattern may be enough.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import desktop

LEAST_POWER = 3
DEEPEST = 3  # tables within tables


def compiled(name: str, value: Any, depth: int = 0) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns in a value of a module, each with where it stands."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield name, value
    elif depth < DEEPEST and isinstance(value, Mapping):
        for key, each in value.items():
            yield from compiled(f"{name}[{key!r}]", each, depth + 1)
    elif depth < DEEPEST and isinstance(value, Sequence | set | frozenset) and not isinstance(value, str):
        for each in value:
            yield from compiled(name, each, depth + 1)


def every_pattern() -> dict[tuple[str, int], str]:
    """Pattern and flags, with the first place of each."""
    found: dict[tuple[str, int], str] = {}
    for module in pkgutil.walk_packages(desktop.__path__, "desktop."):
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:  # of another system
            continue
        for name, value in list(vars(loaded).items()):
            for place, pattern in compiled(f"{module.name}.{name}", value):
                found.setdefault((pattern.pattern, pattern.flags), place)
    return found


def main() -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    parser = importlib.import_module("regexploit.ast.sre").SreOpParser
    find = importlib.import_module("regexploit.redos").find
    patterns, left = every_pattern(), 0
    for (pattern, flags), place in patterns.items():
        try:
            worst = max((each.starriness for each in find(parser().parse_sre(pattern, flags))), default=0)
        except (AttributeError, NotImplementedError, ValueError, RecursionError):
            left += 1
            continue
        if worst >= LEAST_POWER:
            print(f"{worst}  {place}  {pattern[:80]}")
    print(f"{len(patterns)} patterns, {left} not understood")
    return 0


if __name__ == "__main__":
    sys.exit(main())
