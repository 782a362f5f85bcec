"""What counts how much in the choice among servers' tools, learned from the older sets of `bench mcp`.

    python -m tests.bench.learn_served --servers FOLDER --model NAME --kept FILE --minutes 4  # asks it
    python -m tests.bench.learn_served --kept FILE                                             # learns

What is kept for each request is what `ServedChoice` knows when it chooses: how likely each name is before
all the tools, below its own line and below the request, how well the words fit, and how likely the request
is for each of the few in question and for none. Learned are the weights of these, by a logistic regression
over the few of each request (which one is wanted), and a threshold over none. Only the figures of the set
that was left out say anything.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from desktop.app import Services, build_core
from desktop.chat.served_choice import LEAST_LIKELY, MOST_OWN, NONE, ServedChoice, scores_of
from desktop.chat.tool_choice import own_hints
from desktop.cli.chat import running_engine
from desktop.engine.requests import Priority
from desktop.paths import Paths
from tests.bench.mcp import HERE, SETS, add_servers, cases_in

WEIGHED = 5  # of each request, and none
FEATURES = ("named", "likely", "words of the request", "own", "said")
STEPS, RATE, RIDGE = 600, 0.002, 0.02
START = (0.5, 0.3, 0.1, 0.5, 0.5)

Kept = Mapping[str, Any]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--servers", type=Path)
    parser.add_argument("--model", default="")
    parser.add_argument("--minutes", type=float, default=4.0)
    options = parser.parse_args(words)
    if options.model:
        _collect(options)
    lines = options.kept.read_text(encoding="utf-8").splitlines() if options.kept.exists() else []
    sys.stdout.write(json.dumps(learned([json.loads(line) for line in lines]), indent=2) + "\n")
    return 0


def _collect(options: argparse.Namespace) -> None:
    until = time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory() as place:
        paths = Paths.under(Path(place) / "profile")
        paths.data.mkdir(parents=True)
        paths.models.symlink_to(Paths.default().models)
        core = build_core(paths)
        try:
            add_servers(core, Path(place), options.servers)
            with running_engine(core, options.model), options.kept.open("a+", encoding="utf-8") as file:
                file.seek(0)
                known = {json.loads(line)["request"] for line in file}
                for of_set, names, request in _all_cases():
                    if time.monotonic() > until:
                        break
                    if request not in known:
                        found = {"set": of_set, "names": names, "request": request, **_seen(core, request)}
                        file.write(json.dumps(found, ensure_ascii=False) + "\n")
                        file.flush()
        finally:
            core.close()


def _all_cases() -> list[tuple[str, tuple[str, ...], str]]:
    """Of all sets in one order, always the same, so that a run that is cut has seen all of them."""
    cases = [
        (each, names, request) for each in SETS for names, _, request in cases_in(HERE / f"mcp_{each}.txt")
    ]
    random.Random(14).shuffle(cases)
    return cases


def _seen(core: Services, request: str) -> dict[str, Any]:
    """What is known of a request when one of the tools is chosen."""
    catalogue = core.served_tools.catalogue(request)
    ours = () if catalogue.is_theirs else core.acting.toolbox
    own = own_hints().called(ours, request)[:MOST_OWN]
    choice = ServedChoice(core.engine.submit, Priority.QUICK_ASK)
    look = choice.look(catalogue, own, request)
    scores = scores_of(look, own)
    few = sorted(look.tools, key=lambda each: -scores[each.name])[:WEIGHED]
    best = max(look.by_request, key=lambda name: look.by_request[name], default="")
    few += [each for each in look.tools if each.name == best and each not in few]
    return {
        "own": [each.name for each in own],
        "instead": dict(catalogue.own),
        "meant": look.meant,
        "likely": dict(look.likely),
        "named": dict(look.named),
        "by_request": {name: fit for name, fit in look.by_request.items() if fit},
        "by_meaning": {name: fit for name, fit in look.by_meaning.items() if fit},
        "said": choice.said_for(request, few),
    }


def learned(kept: Sequence[Kept]) -> dict[str, Any]:
    """By set what comes of weights that were learned without it; and the weights of all together."""
    calls = [each for each in kept if each["names"]]
    sets = sorted({each["set"] for each in calls})
    left_out = {}
    for one in sets:
        weights = _fitted([each for each in calls if each["set"] != one])
        of_set = [each for each in calls if each["set"] == one]
        left_out[one] = [sum(_is_right(each, weights) for each in of_set), len(of_set)]
    whole = _fitted(calls)
    return {
        "requests": len(calls),
        "among the few": sum(any(_accepted(each)) for each in calls),
        "left one set out": left_out,
        "weights": dict(zip(FEATURES, map(float, whole.round(3)), strict=True)),
        "over none": _over_none(kept, whole),
    }


def _over_none(kept: Sequence[Kept], weights: Any) -> dict[str, list[float]]:
    """By how much the best is ahead of none, where a tool is wanted and where none is."""
    found: dict[str, list[float]] = {"wanted": [], "none": []}
    for each in kept:
        named, likely = (max(each[kind][NONE], LEAST_LIKELY) for kind in ("named", "likely"))
        none = np.array([named, likely, 0.0, 0.0, each["said"][NONE]])
        ahead = max(_features(each) @ weights) - none @ weights
        found["wanted" if each["names"] else "none"].append(round(float(ahead), 1))
    return {kind: sorted(values) for kind, values in found.items()}


def _few(each: Kept) -> list[str]:
    return [name for name in each["said"] if name != NONE]


def _accepted(each: Kept) -> list[bool]:
    """Of the few, whether the set accepts each: also where Steward's own is called in its place."""
    return [name in each["names"] or each["instead"].get(name) in each["names"] for name in _few(each)]


def _features(each: Kept) -> Any:
    return np.array(list(_rows(each)))


def _rows(each: Kept) -> Iterator[list[float]]:
    for name in _few(each):
        is_own = float(name in each["own"])
        # The words of Steward's own were said, or it would not stand here.
        words = max(each["by_request"].values(), default=0.0) if is_own else each["by_request"].get(name, 0.0)
        named, likely = (max(each[kind][name], LEAST_LIKELY) for kind in ("named", "likely"))
        yield [named, likely, words, is_own, each["said"][name]]


def _fitted(calls: Sequence[Kept]) -> Any:
    weights = np.array(START)
    rows = [(_features(each), np.array(_accepted(each), float)) for each in calls if any(_accepted(each))]
    for _ in range(STEPS):
        step = -RIDGE * len(rows) * weights
        for features, wanted in rows:
            scores = features @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            of_wanted = shares * wanted
            step += features.T @ (of_wanted / of_wanted.sum() - shares)
        weights = weights + RATE * step
    return weights


def _is_right(each: Kept, weights: Any) -> bool:
    return _accepted(each)[int(np.argmax(_features(each) @ weights))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
