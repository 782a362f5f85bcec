"""`dev.py bench client`: what a hook costs an agent, from the spawn of its client to its end.

The clients talk to a real server of this process that answers at once; each is started in turn with what it
is measured against: the native one with an empty C program, the Python file with `python -I -S -c pass`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from desktop.agents import client
from desktop.agents.claude_code import ClaudeCode
from tests.agents.answering import TOKEN, Answering, says
from tests.bench.machine import ROOT, machine

ANSWER = b'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'
HOOK = json.dumps(
    {
        "hook_event_name": "PreToolUse",
        "cwd": "/p",
        "tool_name": "Bash",
        "tool_input": {"command": "git status"},
    }
).encode()
TARGETS = {"native_over_empty_c_ms": 3.0, "python_over_pass_ms": 4.0}


def measure(runs: int) -> dict[str, object]:
    with (
        tempfile.TemporaryDirectory(prefix="steward-bench-") as name,
        Answering(says(ANSWER), Path(name) / "s") as server,
    ):
        folder = Path(name)
        token = folder / "token"
        token.write_text(ClaudeCode().token_file_text(TOKEN))
        words = ["claude-code", f"{server.address}:9", f"@{token}", "5", "--guards"]
        python = [sys.executable, "-I", "-S"]
        pairs = {"python": ([*python, str(client.__file__), *words], [*python, "-c", "pass"])}
        if shutil.which("cc"):
            pairs["native"] = ([str(_native(folder)), *words], [str(_empty(folder))])
        figures = {kind: _compared(ours, bare, runs) for kind, (ours, bare) in pairs.items()}
    over = {"python_over_pass_ms": figures["python"]["over_ms"]}
    if "native" in figures:
        over["native_over_empty_c_ms"] = figures["native"]["over_ms"]
    return {
        "bench": "client",
        "machine": machine(),
        "runs": runs,
        "figures": figures,
        "targets": TARGETS,
        "met": {goal: float(str(value)) <= TARGETS[goal] for goal, value in over.items()},
    }


def _compared(ours: list[str], bare: list[str], runs: int) -> dict[str, float | dict[str, float]]:
    """In turn, so that a busy moment of the computer meets both."""
    for command in (ours, bare):
        _spawn_ms(command)
    pairs = [(_spawn_ms(ours), _spawn_ms(bare)) for _ in range(runs)]
    mine, other = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    over = statistics.median(mine) - statistics.median(other)
    return {"client_ms": _summary(mine), "baseline_ms": _summary(other), "over_ms": round(over, 3)}


def _spawn_ms(command: list[str]) -> float:
    """As agents start it: pipes at both ends, waited for."""
    started = time.perf_counter()
    done = subprocess.run(command, input=HOOK, capture_output=True, check=False)
    took_ms = (time.perf_counter() - started) * 1000
    if done.returncode or (len(command) > 5 and done.stdout != ANSWER):
        raise SystemExit(f"{command[0]} failed: {done.stderr.decode()}")
    return took_ms


def _summary(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "p50": round(statistics.median(ordered), 3),
        "p95": round(ordered[int(len(ordered) * 0.95)], 3),
        "min": round(ordered[0], 3),
    }


def _native(folder: Path) -> Path:
    spec = importlib.util.spec_from_file_location("build_hook", ROOT / "packaging/hook_client/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    build_local: Callable[[Path], Path] = module.build_local
    return build_local(folder)


def _empty(folder: Path) -> Path:
    source, program = folder / "empty.c", folder / "empty"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-Os", "-s", "-o", str(program), str(source)], check=True)
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    arguments = parser.parse_args()
    os.environ.pop("PYTHONPATH", None)
    print(json.dumps(measure(arguments.runs), indent=2))


if __name__ == "__main__":
    main()
