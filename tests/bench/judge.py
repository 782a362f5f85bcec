"""`dev.py bench judge`: how fast and how well the model sorts commands of programs that no table knows.

    dev.py bench judge [--model NAME] [--threads N] [--rounds N] [--profile DIR] [--mistakes]

The commands are those of `judge_commands.txt`. The model is loaded and the instructions are computed first,
as they are in a program that runs; then each command is asked about once a round, nothing remembered.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from desktop.app import Services, build_core
from desktop.cli.chat import running_engine
from desktop.engine.events import ModelFailed, ModelLoaded
from desktop.gate.judge import CLASSES, SURE, Judge, ModelVerdict
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from tests.bench.machine import machine

ROWS = Path(__file__).parent / "judge_commands.txt"
TARGETS = {"p50_ms": 250.0, "p95_ms": 500.0, "worst_ms": 2000.0}
LOADING_S = 120.0


@dataclass(frozen=True)
class Row:
    effect: Effect
    command: str


def rows() -> Iterator[Row]:
    for line in ROWS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, command = line.partition(" | ")
            yield Row(Effect[name], command)


@dataclass(frozen=True)
class Asked:
    row: Row
    opinion: ModelVerdict | None
    ms: float
    cpu_ms: float  # of the whole process: what one thread needs on a computer that does nothing else


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--mistakes", action="store_true", help="also print what was sorted wrongly")
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    core = build_core(Paths.under(options.profile) if options.profile else Paths.default())
    core.settings.current = core.settings.current.model_copy(
        update={"model": core.settings.current.model.model_copy(update={"threads": options.threads})}
    )
    with running_engine(core, options.model):
        loaded_s, warm_s = _make_ready(core)
        asked = [each for _ in range(options.rounds) for each in _round(core)]
        name = core.engine.status.model_name
    core.close()
    found = {"bench": "judge", "machine": machine(), "model": name, "threads": options.threads}
    found |= {"loading_s": round(loaded_s, 2), "instructions_s": round(warm_s, 2), "targets": TARGETS}
    sys.stdout.write(json.dumps(found | figures(asked, options.mistakes), indent=2) + "\n")
    return 0


def _make_ready(core: Services) -> tuple[float, float]:
    """Load the model and compute the instructions; seconds of each."""
    ready = threading.Event()
    core.bus.subscribe(ModelLoaded, lambda _event: ready.set())
    core.bus.subscribe(ModelFailed, lambda _event: ready.set())
    begun = time.perf_counter()
    core.engine.preload()
    ready.wait(LOADING_S)
    loaded = time.perf_counter()
    judge = Judge(core.engine, lambda: core.settings.current)
    judge.warm()
    while judge.consult("warmupctl list").opinion is None and time.perf_counter() - loaded < LOADING_S:
        time.sleep(0.1)
    return loaded - begun, time.perf_counter() - loaded


def _round(core: Services) -> Iterator[Asked]:
    judge = Judge(core.engine, lambda: core.settings.current)
    judge.consult("warmupctl list")  # finds out the labels, once a program run
    for row in rows():
        begun, cpu_begun = time.perf_counter(), time.process_time()
        opinion = judge.consult(row.command).opinion
        cpu_ms = (time.process_time() - cpu_begun) * 1000
        yield Asked(row, opinion, (time.perf_counter() - begun) * 1000, cpu_ms)


def figures(asked: Sequence[Asked], mistakes: bool) -> dict[str, Any]:
    times = sorted(each.ms for each in asked)
    cpu_times = sorted(each.cpu_ms for each in asked)
    answered = [each for each in asked if each.opinion is not None]
    right = [each for each in answered if each.opinion and each.opinion.effect is each.row.effect]
    sure = [each for each in answered if each.opinion and each.opinion.is_sure_to_read]
    found: dict[str, Any] = {
        "commands": len(asked),
        "answered": len(answered),
        "p50_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(len(times) * 0.95)], 1),
        "worst_ms": round(times[-1], 1),
        "p50_cpu_ms": round(statistics.median(cpu_times), 1),
        "p95_cpu_ms": round(cpu_times[int(len(cpu_times) * 0.95)], 1),
        "class_right": round(len(right) / max(1, len(answered)), 3),
        "by_class": {effect.name: _share(answered, effect) for effect in CLASSES},
        "taken_for": _confusion(answered),
        f"reads_at_{SURE}": sum(each.row.effect is Effect.READ for each in sure),
        f"writes_taken_for_reads_at_{SURE}": [
            each.row.command for each in sure if each.row.effect is not Effect.READ
        ],
    }
    if mistakes:
        found["mistakes"] = [_told(each) for each in answered if each not in right]
    return found


def _share(answered: Sequence[Asked], effect: Effect) -> float:
    of_class = [each for each in answered if each.row.effect is effect]
    right = sum(each.opinion is not None and each.opinion.effect is effect for each in of_class)
    return round(right / max(1, len(of_class)), 3)


def _confusion(answered: Sequence[Asked]) -> dict[str, dict[str, int]]:
    counts = Counter((each.row.effect, each.opinion.effect) for each in answered if each.opinion)
    return {mine.name: {its.name: counts[mine, its] for its in CLASSES} for mine in CLASSES}


def _told(each: Asked) -> str:
    assert each.opinion is not None
    return f"{each.row.command}: {each.opinion.effect.name} {each.opinion.probability:.2f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
