"""`dev.py bench gate`: how well and how fast command lines are classified, in process, nothing remembered.

`--dev FILE.jsonl` names labelled commands {"command", "label"}; without it only own rows are scored.
`--sessions FILE.jsonl`: how often real sessions of agents are asked, {"session", "source", "agent", "cwd",
"command"}; with `--replay` the lines that are not asked are run for real in a throw-away root, with
`--attacks FILE.jsonl` those that are proven to write, {"command", "shell", "writes_proven"}.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from desktop.gate.commands import Commands
from desktop.gate.shell import programs
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.parser import MAX_CHARACTERS
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Gate
from desktop.paths import resources
from tests.bench.machine import machine
from tests.gate.shell.test_hidden import HIDDEN, LOOK_ALIKES
from tests.gate.shell.test_properties import PIECES

TARGETS = {"p50_ms": 0.15, "p99_ms": 1.0, "worst_fuzzed_ms": 10.0, "start_over_interpreter_ms": 120}


def measure(labelled: Path | None, rounds: int, fuzzed: int) -> dict[str, object]:
    tables = Tables(resources() / "commands")
    started_s = time.perf_counter()
    tables.load_all()
    programs.load_all()
    loading_ms = (time.perf_counter() - started_s) * 1000
    gc.collect()
    gc.freeze()  # as a long-running program does: else a full collection walks the tables, some 30 ms
    classifier = Classifier(tables, remember=False)
    rows = list(_labelled(labelled))
    commands = [row["command"] for row in rows] or [*HIDDEN, *LOOK_ALIKES]
    return {
        "bench": "gate",
        "machine": machine(),
        "commands": len(commands),
        "programs_known": len(set(tables.names())),
        "loading_everything_ms": round(loading_ms, 1),
        "accuracy": accuracy(classifier, rows),
        "own_rows": own_rows(classifier),
        "verdict": spread(_timed(classifier, commands * rounds)),
        "verdict_with_disk": spread(_timed_with_disk(classifier, commands * rounds)),
        "fuzzed": spread(_timed(classifier, soup(fuzzed))),
        "start_over_interpreter_ms": start_ms(),
        "targets": TARGETS,
    }


def _labelled(file: Path | None) -> Iterator[dict[str, str]]:
    if file is not None:
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def accuracy(classifier: Classifier, rows: list[dict[str, str]]) -> dict[str, object]:
    """Of the labelled commands; the shell is not told, the syntax has to tell it."""
    right, let_through, asked, reads = 0, [], [], 0
    for row in rows:
        verdict = classifier.classify(row["command"])
        right += verdict.effect.name == row["label"]
        reads += row["label"] == "READ"
        if row["label"] == "READ" and verdict.gate is not Gate.ALLOW:
            asked.append(row["command"])
        if row["label"] != "READ" and verdict.gate is Gate.ALLOW:
            let_through.append(row["command"])
    if not rows:
        return {"measured": False}
    return {
        "class_right": round(right / len(rows), 4),
        "writes_let_through": let_through,
        "reads_asked": round(len(asked) / max(1, reads), 4),
        "asked": asked,
    }


def own_rows(classifier: Classifier) -> dict[str, object]:
    allowed = [row for row in HIDDEN if classifier.classify(row, "bash").gate is Gate.ALLOW]
    asked = [row for row in LOOK_ALIKES if classifier.classify(row, "bash").gate is not Gate.ALLOW]
    return {
        "hidden_writes": len(HIDDEN),
        "let_through": allowed,
        "look_alikes": len(LOOK_ALIKES),
        "asked": len(asked),
    }


def soup(count: int) -> Iterator[str]:
    """Lines up to the longest that is looked at: noise, and one piece over and over, which nests deepest."""
    chance = random.Random(4)
    for number in range(count):
        size = chance.choice((50, 200, 1000, MAX_CHARACTERS))
        pieces = chance.choices(PIECES, k=1 + number % 3) if number % 4 == 0 else PIECES
        text = ""
        while len(text) < size:
            text += chance.choice(pieces)
        yield text[:size]


def _timed(classifier: Classifier, commands: Iterable[str]) -> list[float]:
    times_ms = []
    for command in commands:
        started_s = time.perf_counter()
        classifier.classify(command, "bash")
        times_ms.append((time.perf_counter() - started_s) * 1000)
    return times_ms


def _timed_with_disk(classifier: Classifier, commands: Iterable[str]) -> list[float]:
    """Tiers 0 to 3: also what stands in the working folder, here that of the repository."""
    gate = Commands(classifier)
    folder = str(Path(__file__).resolve().parents[2])
    return [gate.verdict(command, "bash", folder).ms for command in commands]


def spread(times_ms: list[float]) -> dict[str, float]:
    ordered = sorted(times_ms)
    return {
        "count": len(ordered),
        "p50_ms": round(statistics.median(ordered), 4),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)], 4),
        "worst_ms": round(ordered[-1], 4),
    }


def start_ms(runs: int = 9) -> float:
    """`steward classify` from spawn to exit, less an empty Python program; medians."""
    ours = [sys.executable, "-P", "-m", "desktop", "classify", "git status && ls -la | head"]
    empty = [sys.executable, "-P", "-c", "pass"]
    pairs = [(_run_ms(ours), _run_ms(empty)) for _ in range(runs)]
    return round(statistics.median(first - second for first, second in pairs), 1)


def _run_ms(command: list[str]) -> float:
    started_s = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return (time.perf_counter() - started_s) * 1000


def of_agents(wanted: argparse.Namespace) -> dict[str, object]:
    """Questions, lines run for real, and attacks, as far as asked for."""
    from tests.bench.gate_sessions import attacked, replayed, simulate

    found: dict[str, object] = {"bench": "gate", "machine": machine()}
    if wanted.sessions:
        found["questions"] = simulate(wanted.sessions)
    if wanted.sessions and wanted.replay:
        found["replayed"] = replayed(wanted.sessions, wanted.sample, wanted.timeout)
    if wanted.attacks:
        found["attacks"] = attacked(wanted.attacks, wanted.timeout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev.py bench gate", description=__doc__)
    parser.add_argument("--dev", type=Path, metavar="FILE.jsonl", help="labelled commands")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--fuzzed", type=int, default=10_000)
    parser.add_argument("--sessions", type=Path, metavar="FILE.jsonl", help="commands of real sessions")
    parser.add_argument("--attacks", type=Path, metavar="FILE.jsonl", help="lines proven to write")
    parser.add_argument("--replay", action="store_true", help="run lines of the sessions for real")
    parser.add_argument("--sample", type=int, default=500, help="how many of them")
    parser.add_argument(
        "--timeout", type=float, default=5.0, metavar="SECONDS", help="for each line that is run"
    )
    wanted = parser.parse_args()
    if wanted.sessions or wanted.attacks:
        sys.stdout.write(json.dumps(of_agents(wanted), indent=2, ensure_ascii=False) + "\n")
        return
    sys.stdout.write(json.dumps(measure(wanted.dev, wanted.rounds, wanted.fuzzed), indent=2) + "\n")


if __name__ == "__main__":
    main()
