"""`dev.py bench bundle`: how large the last bundle is, and how fast it starts beside the source install.

All commands take turns in one run, so that a busy computer slows them alike; the processor's time is told
beside the clock's because it hardly depends on what else runs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bootstrap.package.build import sizes
from tests.bench.machine import ROOT, anonymous_bytes, machine, own_memory_bytes
from tests.flows.desktop_session import DesktopSession, desktop_session, stop, wait_for

REST_S = 35  # the tray is looked for during the first 30
CLASSIFY = ("classify", "--no-model", "ls -la")


def measure(bundle: Path, runs: int, model: Path | None) -> dict[str, object]:
    files = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))["files"]
    packages = [path.stat().st_size for path in bundle.parent.glob("steward_*.deb")]
    return {
        "bench": "bundle",
        "machine": machine(),
        "load": [round(load, 1) for load in os.getloadavg()],
        "runs": runs,
        "unpacked_mb": round(sum(sizes(files).values()) / 1e6, 1),
        "deb_mb": round(packages[0] / 1e6, 1) if packages else None,
        "commands": _commands(bundle / "steward", runs),
        "tray": _tray(bundle / "steward", runs),
        "rest": _rest(bundle / "steward", max(1, runs // 3)),
        "engine": _engine(bundle / "steward", model, max(3, runs // 3)) if model else "name one with --model",
        "targets": {
            "unpacked_mb": 230,
            "deb_mb": 65,
            "tray_s": 1.0,
            "tray_ratio": 1.2,
            "version_over_interpreter_ms": 60,
            "classify_over_interpreter_ms": 120,
            "engine_ratio": 0.95,
        },
    }


def _commands(program: Path, runs: int) -> dict[str, dict[str, float]]:
    """Clock and processor time of the commands that others wait for; the interpreter alone is the measure."""
    source = (sys.executable, "-P", "-m", "desktop")
    commands = {
        "interpreter": (sys.executable, "-c", "pass"),
        "frozen --version": (str(program), "--version"),
        "source --version": (*source, "--version"),
        "frozen classify": (str(program), *CLASSIFY),
        "source classify": (*source, *CLASSIFY),
    }
    rounds = [{name: _run_ms(words) for name, words in commands.items()} for _ in range(runs)]
    bare = [one["interpreter"] for one in rounds]
    found = {}
    for name in commands:
        clock, processor = zip(*(one[name] for one in rounds), strict=True)
        found[name] = {
            "median_ms": round(statistics.median(clock), 1),
            "min_ms": round(min(clock), 1),
            "cpu_median_ms": round(statistics.median(processor), 1),
            "over_ms": round(statistics.median(a - b[0] for a, b in zip(clock, bare, strict=True)), 1),
            "cpu_over_ms": round(
                statistics.median(a - b[1] for a, b in zip(processor, bare, strict=True)), 1
            ),
        }
    return found


def _run_ms(words: tuple[str, ...]) -> tuple[float, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    clock, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1000 * clock, 1000 * used


def _engine(program: Path, model: Path, runs: int) -> dict[str, float]:
    """Tokens a second of the bundle's portable llama.cpp and of one compiled for here, in turn."""
    settings = {
        "STEWARD_MODEL__TEMPERATURE": "0",
        "STEWARD_MODEL__MAX_ANSWER_TOKENS": "96",
        "STEWARD_MODEL__THREADS": str(os.cpu_count()),
        "STEWARD_CHAT__TOOLS": "false",
    }
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
        profile = ("--profile", folder)
        ask = ("ask", "--json", "--model", str(model), "Tell a long story about a lighthouse and its keeper.")
        ours = (str(program), *profile, *ask)
        native = (sys.executable, "-P", "-m", "desktop", *profile, *ask)
        for command in (ours, native):
            _speed(command, settings)  # warm the disk cache
        pairs = [(_speed(ours, settings), _speed(native, settings)) for _ in range(runs)]
    return {
        "portable_tokens_per_s": round(statistics.median(pair[0] for pair in pairs), 2),
        "native_tokens_per_s": round(statistics.median(pair[1] for pair in pairs), 2),
        "ratio_median": round(statistics.median(pair[0] / pair[1] for pair in pairs), 3),
        "ratio_of_best": round(max(pair[0] for pair in pairs) / max(pair[1] for pair in pairs), 3),
    }


def _speed(command: tuple[str, ...], settings: dict[str, str]) -> float:
    done = subprocess.run(command, cwd=ROOT, env=os.environ | settings, stdout=subprocess.PIPE, check=True)
    return float(json.loads(done.stdout)["metrics"]["tokens_per_s"])


def _tray(program: Path, runs: int) -> dict[str, float]:
    """From the start to the icon at a real tray host, frozen and source in turn."""
    with _two_programs(program) as (session, frozen, source):
        pairs = [(_icon_s(session, frozen), _icon_s(session, source)) for _ in range(runs)]
    clock = [(ours[0], theirs[0]) for ours, theirs in pairs]
    processor = [(ours[1], theirs[1]) for ours, theirs in pairs]
    return {
        "frozen_median_s": round(statistics.median(pair[0] for pair in clock), 3),
        "frozen_min_s": round(min(pair[0] for pair in clock), 3),
        "source_median_s": round(statistics.median(pair[1] for pair in clock), 3),
        "source_min_s": round(min(pair[1] for pair in clock), 3),
        "ratio_median": round(statistics.median(pair[0] / pair[1] for pair in clock), 2),
        "frozen_cpu_median_s": round(statistics.median(pair[0] for pair in processor), 2),
        "source_cpu_median_s": round(statistics.median(pair[1] for pair in processor), 2),
    }


def _rest(program: Path, runs: int) -> dict[str, dict[str, float]]:
    """Memory in the tray, never having loaded a model, frozen and source in turn."""
    with _two_programs(program) as (session, frozen, source):
        pairs = [(_at_rest(session, frozen), _at_rest(session, source)) for _ in range(runs)]
    return {
        name: {
            "own_mb": round(statistics.median(pair[number][0] for pair in pairs) / 1e6, 1),
            "anonymous_mb": round(statistics.median(pair[number][1] for pair in pairs) / 1e6, 1),
        }
        for number, name in enumerate(("frozen", "source"))
    }


@contextmanager
def _two_programs(program: Path) -> Iterator[tuple[DesktopSession, tuple[str, ...], tuple[str, ...]]]:
    """A desktop, and the commands that start the frozen program and the source on it, each started once."""
    with desktop_session() as session, tempfile.TemporaryDirectory(prefix="steward-bench-") as profile:
        words = ("--profile", profile, "run", "--hidden")
        frozen, source = (str(program), *words), (sys.executable, "-P", "-m", "desktop", *words)
        for command in (frozen, source):
            _icon_s(session, command)  # warm the disk cache
        yield session, frozen, source


def _icon_s(session: DesktopSession, command: tuple[str, ...]) -> tuple[float, float]:
    """By the clock, and of the processor."""
    began = time.perf_counter()
    with _with_icon(session, command) as (process, at_s):
        return at_s - began, sum(process.cpu_times()[:2])


def _at_rest(session: DesktopSession, command: tuple[str, ...]) -> tuple[int, int]:
    """All pages, and those that no file holds."""
    with _with_icon(session, command) as (process, _):
        time.sleep(REST_S)
        return own_memory_bytes(process), anonymous_bytes(process)


@contextmanager
def _with_icon(session: DesktopSession, command: tuple[str, ...]) -> Iterator[tuple[psutil.Process, float]]:
    """The program once its icon is there, and when that was."""
    before = len(session.facts)
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=session.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        icons = wait_for(
            lambda: [fact for fact in session.facts[before:] if "item" in fact], "the tray icon", 60
        )
        yield psutil.Process(process.pid), float(icons[0]["at_s"])
    finally:
        stop(process)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--bundle", type=Path, default=ROOT / "dist" / "steward")
    parser.add_argument("--model", type=Path, help="a GGUF file, to compare tokens a second with")
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.bundle.resolve(), arguments.runs, arguments.model), indent=2))


if __name__ == "__main__":
    main()
