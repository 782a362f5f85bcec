"""`dev.py bench confine`: what confining adds to a command, from its spawn to its end.

`/bin/true` bare, confined to reading and confined to a project, each in turn, so that a busy moment of the
computer meets all three. The home folder and the table of secrets are those of whoever measures.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from bootstrap.native import build_native
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner, in_project, read_only
from tests.bench.machine import machine

TARGETS = {"read_only_over_ms": 3.0, "project_over_ms": 3.0}


def measure(runs: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix=".steward-bench-", dir=Path.home()) as name:
        folder = Path(name)
        project = folder / "project"
        (project / ".git/hooks").mkdir(parents=True)
        (project / ".git/config").touch()
        paths = Paths.under(folder / "profile")
        confiner = Confiner(paths)
        if reason := confiner.why_not_project():
            raise SystemExit(str(reason))
        kinds = {
            "bare": ("/bin/true",),
            "read_only": confiner.words(read_only(paths), ("/bin/true",)),
            "project": confiner.words(in_project(paths, project), ("/bin/true",)),
        }
        spent: dict[str, list[float]] = {kind: [] for kind in kinds}
        for _ in range(runs + 5):
            for kind, words in kinds.items():
                spent[kind].append(_spawn_ms(words, project))
    figures = {kind: _summary(values[5:]) for kind, values in spent.items()}
    over = {
        f"{kind}_over_ms": round(figures[kind]["p50"] - figures["bare"]["p50"], 3)
        for kind in ("read_only", "project")
    }
    return {
        "bench": "confine",
        "machine": machine(),
        "runs": runs,
        "figures_ms": figures,
        **over,
        "targets": TARGETS,
        "met": {goal: over[goal] <= TARGETS[goal] for goal in TARGETS},
    }


def _spawn_ms(words: tuple[str, ...], folder: Path) -> float:
    """The cheapest spawn that there is, so that the difference is the client's alone."""
    os.chdir(folder)
    started = time.perf_counter()
    child = os.posix_spawn(words[0], words, os.environ)
    _, status = os.waitpid(child, 0)
    took_ms = (time.perf_counter() - started) * 1000
    if status:
        raise SystemExit(f"{words[0]} failed: {status}")
    return took_ms


def _summary(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 3),
        "p95": round(ordered[int(len(ordered) * 0.95)], 3),
        "min": round(ordered[0], 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    arguments = parser.parse_args()
    build_native()
    print(json.dumps(measure(arguments.runs), indent=2))


if __name__ == "__main__":
    main()
