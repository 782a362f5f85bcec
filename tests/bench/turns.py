"""`dev.py bench turns`: how long a whole turn takes, from the question to the end of the answer.

    dev.py bench turns [--model NAME] [--runs N] [--profile DIR]

Each question is the first one of its conversation, the instructions are in the KV cache (warm), and no rule
answers in the model's place. One thread is the setting of the figures in docs/benchmarks.md:
STEWARD_MODEL__THREADS=1. Prints JSON: seconds of each run and their median, the calls that were made, and
what the instructions cost a model that has not read them yet.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from desktop.app import Services, build_core
from desktop.chat.store import Role
from desktop.chat.turns import Turns
from desktop.cli.chat import forgotten_store, running_engine
from desktop.engine.events import GenerationFinished
from desktop.engine.requests import Metrics
from desktop.paths import Paths

QUESTIONS = ("Hello", "What time is it?", "What's my IP address?", "What's in notes.txt?")
RUNS = 5


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args(words)
    core = build_core(Paths.under(options.profile) if options.profile else Paths.default())
    with running_engine(core, options.model), forgotten_store() as store:
        turns = Turns(store, core.engine, core.bus, lambda: core.settings.current, core.acting)
        (core.workspace.root / "notes.txt").write_text("Buy milk, eggs and bread.\n", encoding="utf-8")
        found: dict[str, Any] = {"instructions": _instructions(core, turns)}
        for question in QUESTIONS:
            found[question] = _measured(turns, store, question, options.runs)
    core.close()
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return 0


def _instructions(core: Services, turns: Turns) -> dict[str, float]:
    """What reading the instructions costs once; 0 tokens evaluated where their state was on disk."""
    metrics: list[Metrics] = []
    core.bus.subscribe(GenerationFinished, lambda event: metrics.append(event.metrics))
    turns.warm_up()
    first = metrics[0]
    return {
        "prompt_tokens": first.prompt_tokens,
        "reused_tokens": first.reused_tokens,
        "prefill_s": round(first.prefill_s, 2),
    }


def _measured(turns: Turns, store: Any, question: str, runs: int) -> dict[str, Any]:
    seconds, calls, answer = [], [], ""
    for _ in range(runs):
        conversation_id = store.create().id
        begun = time.perf_counter()
        answer = turns.run(conversation_id, question).text
        seconds.append(round(time.perf_counter() - begun, 2))
        messages = store.messages(conversation_id, limit=None)
        calls.append([each.tool.name for each in messages if each.role is Role.TOOL and each.tool])
    return {"median_s": statistics.median(seconds), "seconds": seconds, "calls": calls[-1], "answer": answer}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
