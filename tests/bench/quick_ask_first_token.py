"""How long a short question waits for its first word, with the model loaded: prints JSON.

    python -m tests.bench.quick_ask_first_token [--profile DIR] [--runs N]

As Quick-ask asks: a conversation of its own for each question, at its priority, past the rules; the model has
read its instructions before, as it does when the key goes down. One core: the process may use one alone.
Printed are the wait from the question to the first text on its way to the window, what of it the model read
and wrote, and the processor time, which says more than the clock beside other work.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import structlog

from desktop.app import Services, build_core
from desktop.app.chat_parts import turns_for
from desktop.app.single_question import forgotten_store
from desktop.chat.events import AnswerGrew
from desktop.cli.chat import running_engine
from desktop.engine.events import GenerationFinished
from desktop.engine.requests import Metrics, Priority
from desktop.errors import UserFacing
from desktop.paths import Paths

MODEL = "qwen2.5-coder-1.5b"
LIMIT_S = 0.7
QUESTIONS = (
    "What is the capital of Australia?",
    "Who wrote Faust?",
    "Give me a synonym for happy.",
    "How do I undo the last git commit?",
    "What does HTTP 404 mean?",
    "Translate good morning to Italian.",
    "Why is the sky blue?",
    "How many legs does a spider have?",
    "What is a hash function?",
    "Name three prime numbers above 50.",
)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--rounds", type=int, default=1)  # what was asked before is in the cache whole
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    os.environ["STEWARD_MODEL__THREADS"] = "1"
    core = build_core(Paths.under(options.profile) if options.profile else Paths.default())
    try:
        with running_engine(core, options.model), forgotten_store() as store:
            found = _measured(core, store, options.rounds)
    except UserFacing as error:
        found = {"missing": str(error)}
    finally:
        core.close()
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    return 0


def _measured(core: Services, store: Any, rounds: int) -> dict[str, Any]:
    turns = turns_for(core, store)
    turns.warm_up()
    seconds: list[float] = []
    details: list[dict[str, Any]] = []
    for question in QUESTIONS * rounds:
        row = _ask(core, turns, store, question)
        if row is not None:
            seconds.append(row["first_s"])
            details.append(row)
    median = statistics.median(seconds)
    return {
        "median_s": round(median, 3),
        "worst_s": round(max(seconds), 3),
        "median_processor_s": round(statistics.median(row["processor_s"] for row in details), 3),
        "limit_s": LIMIT_S,
        "reached": median <= LIMIT_S,
        "runs": details,
    }


def _ask(core: Services, turns: Any, store: Any, question: str) -> dict[str, Any] | None:
    first: list[tuple[float, float]] = []
    metrics: list[Metrics] = []

    def on_text(_event: AnswerGrew) -> None:
        if not first:
            first.append((time.perf_counter(), time.process_time()))
            turns.stop(conversation_id)  # the rest of the answer is not what is measured

    endings = (
        core.bus.subscribe(AnswerGrew, on_text),
        core.bus.subscribe(GenerationFinished, lambda event: metrics.append(event.metrics)),
    )
    conversation_id = store.create().id
    begun = (time.perf_counter(), time.process_time())
    turns.run(conversation_id, question, Priority.QUICK_ASK, False)
    for end in endings:
        end()
    if not first:
        return None
    return {
        "question": question,
        "first_s": round(first[0][0] - begun[0], 3),
        "processor_s": round(first[0][1] - begun[1], 3),
        "requests": [
            {
                "prompt": each.prompt_tokens,
                "reused": each.reused_tokens,
                "prefill_s": round(each.prefill_s, 3),
                "queue_s": round(each.queue_s, 3),
                "first_token_s": round(each.first_token_s, 3),
            }
            for each in metrics
        ],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
