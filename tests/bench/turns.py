"""`dev.py bench turns`: how long a whole turn takes, from the question to the end of the answer.

    dev.py bench turns [--model NAME] [--runs N] [--profile DIR] [--first-words [--at-once]]

Each question is the first one of its conversation, the instructions are in the KV cache (warm), and no rule
answers in the model's place. One thread is the setting of the figures in docs/measurements.md:
STEWARD_MODEL__THREADS=1. Prints JSON: seconds of each run and their median, the calls that were made, and
what the instructions cost a model that has not read them yet. With --first-words only the time to the first
word of plain questions is measured, over the first token of the same question to the same weights with a
plain system prompt, one after the other in the same run. With --at-once each question is asked while the
model still reads ahead for the one before.
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

import psutil

from desktop.app import Services, build_core
from desktop.app.single_question import forgotten_store
from desktop.chat.events import AnswerGrew
from desktop.chat.store import Role
from desktop.chat.turn_context import sampling
from desktop.chat.turns import Turns
from desktop.cli.chat import running_engine
from desktop.engine.events import GenerationFinished
from desktop.engine.requests import GenerateRequest, Message, Metrics, Priority
from desktop.paths import Paths

QUESTIONS = ("Hello", "What time is it?", "What's my IP address?", "What's in notes.txt?")
RUNS = 5
PLAIN = (
    "Why is the sky blue?",
    "Explain photosynthesis in three sentences.",
    "What is the capital of Australia?",
    "Give me three tips for a job interview.",
    "What is the difference between a virus and a bacterium?",
    "Who wrote Faust?",
    "How do I boil an egg?",
    "What does inflation mean?",
    "Suggest a name for a black cat.",
    "How does a sailing boat go against the wind?",
    "Warum ist der Himmel blau?",
    "Was ist der Unterschied zwischen Wetter und Klima?",
    "Wer hat Faust geschrieben?",
    "Erkläre mir den Satz des Pythagoras.",
    "Nenne drei Sehenswürdigkeiten in Rom.",
    "Pourquoi le ciel est-il bleu ?",
    "Qui a écrit Les Misérables ?",
    "¿Por qué el cielo es azul?",
    "¿Quién escribió el Quijote?",
    "¿Cuál es la capital de Canadá?",
)
# Not the words of ours: the one that asks second would find the whole question in the KV cache.
BARE = "You are a helpful AI assistant."


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--first-words", action="store_true")
    parser.add_argument("--at-once", action="store_true")
    options = parser.parse_args(words)
    core = build_core(Paths.under(options.profile) if options.profile else Paths.default())
    with running_engine(core, options.model), forgotten_store() as store:
        turns = Turns(store, core.engine, core.bus, lambda: core.settings.current, core.acting)
        (core.workspace.root / "notes.txt").write_text("Buy milk, eggs and bread.\n", encoding="utf-8")
        found: dict[str, Any] = {"instructions": _instructions(core, turns)}
        if options.first_words:
            found["first words"] = first_words(core, turns, store, options.at_once)
        for question in () if options.first_words else QUESTIONS:
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


def first_words(core: Services, turns: Turns, store: Any, at_once: bool = False) -> dict[str, Any]:
    """Seconds to the first word in a conversation of its own, over those to a first token without a host."""
    shown: list[float] = []

    def on_grew(event: AnswerGrew) -> None:
        shown.extend([time.perf_counter()] if event.text else [])

    core.bus.subscribe(AnswerGrew, on_grew)
    first_token(core, "Hello")  # the plain system prompt is in the KV cache from here on
    rows: list[dict[str, Any]] = []
    ratios: list[float] = []
    for question in PLAIN:
        if not at_once:
            at_rest(core)
        bare_s = first_token(core, question)
        if not at_once:
            at_rest(core)
        shown.clear()
        begun = time.perf_counter()
        turns.run(store.create().id, question)
        ours_s = shown[0] - begun
        ratios.append(ours_s / bare_s)
        rows.append({"question": question, "ours_s": round(ours_s, 3), "bare_s": round(bare_s, 3)})
    ratios.sort()
    return {
        "median": round(statistics.median(ratios), 2),
        "p95": round(ratios[int(len(ratios) * 0.95) - 1], 2),
        "load": round(psutil.getloadavg()[0], 1),
        "rows": rows,
    }


def at_rest(core: Services) -> None:
    """Wait until the model reads nothing ahead: it would be measured with whoever asks next."""
    while core.engine.is_busy:
        time.sleep(0.02)


def first_token(core: Services, question: str) -> float:
    """Seconds until the model has said something to `question` under a plain system prompt."""
    messages = (Message("system", BARE), Message("user", question))
    chosen = sampling(core.settings.current.model)
    begun = time.perf_counter()
    stream = core.engine.submit(GenerateRequest("bare", messages, chosen, Priority.CHAT))
    for piece in stream:
        if piece:
            break
    taken = time.perf_counter() - begun
    stream.cancel()
    for _ in stream:
        pass  # until the engine is free again
    return taken


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
