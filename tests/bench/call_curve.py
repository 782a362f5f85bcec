"""What each threshold would have given, from one run in which every call was written out."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

TARGETS = (0.85, 0.80)  # right calls, no call where none is needed
FOLDS = 5
SHUFFLES = 20


@dataclass(frozen=True)
class Seen:
    """One case: whether it needs a call, how sure the decision was, and whether the call is right."""

    needs_call: bool
    preference: float
    called: bool
    right: bool = False


def seen_of(record: Mapping[str, Any], predicted: Mapping[str, Any]) -> Seen:
    """A case as the scorer of the development cases would see it."""
    needs = record["expect"] == "call"
    calls = predicted["calls"]
    right = needs and len(calls) == 1 and any(_matches(calls[0], truth) for truth in record["ground_truth"])
    return Seen(needs, predicted["preference"], bool(calls), right)


def rates(seen: Sequence[Seen], threshold: float) -> tuple[float, float, float]:
    """Parts of the cases: right where a call is needed, none where none is, called where one is needed."""
    needing = [each for each in seen if each.needs_call]
    others = [each for each in seen if not each.needs_call]
    over = [each for each in needing if each.called and each.preference >= threshold]
    wrongly = sum(each.called and each.preference >= threshold for each in others)
    right = sum(each.right for each in over)
    return (
        right / max(len(needing), 1),
        1 - wrongly / max(len(others), 1),
        len(over) / max(len(needing), 1),
    )


def best_threshold(seen: Sequence[Seen]) -> float:
    """The one at which the worse of both, measured from its target, is best; of several the middle one."""
    candidates = [step / 20 for step in range(-60, 61)]
    worst = [min(r - t for r, t in zip(rates(seen, c), TARGETS, strict=False)) for c in candidates]
    best = [c for c, w in zip(candidates, worst, strict=True) if w >= max(worst) - 1e-9]
    return best[len(best) // 2]


def cross_validated(seen: Sequence[Seen]) -> tuple[float, float]:
    """Right calls and restraint, each case judged by a threshold chosen on the other four parts; the mean of
    many ways to part them."""
    sums = [0.0, 0.0]
    for seed in range(SHUFFLES):
        mixed = list(seen)
        random.Random(seed).shuffle(mixed)
        folds = [mixed[start::FOLDS] for start in range(FOLDS)]
        judged: list[Seen] = []
        for fold in folds:
            threshold = best_threshold([each for other in folds if other is not fold for each in other])
            judged += [_at(each, threshold) for each in fold]
        right, none, _ = rates(judged, 0.0)
        sums[0] += right
        sums[1] += none
    return sums[0] / SHUFFLES, sums[1] / SHUFFLES


def _at(each: Seen, threshold: float) -> Seen:
    """The case with its preference counted from the threshold."""
    return Seen(each.needs_call, each.preference - threshold, each.called, each.right)


def table(seen: Sequence[Seen]) -> str:
    """The curve as a table, and the cross-validation."""
    needing = sum(each.needs_call for each in seen)
    lines = [
        f"{needing} calls, {len(seen) - needing} without",
        "",
        "| threshold | called | right | no call |",
    ]
    lines.append("|---|---|---|---|")
    for step in range(-20, 21, 2):
        right, none, called = rates(seen, step / 10)
        lines.append(f"| {step / 10:.1f} | {called:.2f} | {right:.3f} | {none:.3f} |")
    right, none = cross_validated(seen)
    lines.append(f"\nfive-fold cross-validation: {right:.3f} right, {none:.3f} without a call")
    return "\n".join([*lines, f"best threshold on all: {best_threshold(seen):.2f}", ""])


# -- the rules of the Berkeley Function-Calling Leaderboard's check ------------------------------


def _matches(call: Mapping[str, Any], truth: Mapping[str, Any]) -> bool:
    ((name, accepted),) = truth.items()
    given = call["arguments"]
    if call["name"] != name or any(key not in accepted for key in given):
        return False
    return all(_accepts(given, key, values) for key, values in accepted.items())


def _accepts(given: Mapping[str, Any], key: str, values: Sequence[Any]) -> bool:
    """`*` accepts anything, "" that the argument is left out."""
    if key not in given:
        return "" in values
    return "*" in values or any(_equal(given[key], value) for value in values)


def _plain(value: Any) -> Any:
    return re.sub(r"[ ,./\-_*^()'\"]", "", value).lower() if isinstance(value, str) else value


def _equal(got: Any, want: Any) -> bool:
    if isinstance(want, bool) or isinstance(got, bool):
        return got is want
    if isinstance(want, int | float) and isinstance(got, int | float):
        return abs(got - want) < 1e-6
    if isinstance(want, list) and isinstance(got, list):
        return len(got) == len(want) and all(_equal(a, b) for a, b in zip(got, want, strict=True))
    if isinstance(want, dict) and isinstance(got, dict):
        return _fits(got, want)
    return bool(_plain(got) == _plain(want))


def _fits(got: Mapping[str, Any], want: Mapping[str, Any]) -> bool:
    for key, values in want.items():
        accepted = values if isinstance(values, list) else [values]
        if key not in got and "" not in accepted:
            return False
        if key in got and not any(_equal(got[key], value) for value in accepted):
            return False
    return all(key in want for key in got)
