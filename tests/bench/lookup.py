"""`dev.py bench lookup`: answers with prompt lookup and without, in turns on the same weights.

Three kinds: a file rewritten, a question answered out of a file, and plain chat, each with several texts. The
rates are tokens per second of decoding, the ratio is taken for each pair of runs, by the clock and by the
processor's time (which counts on a busy machine), and `same` counts the pairs whose texts are equal (a batch
rounds differently, so not all need to be). `chat` is measured with lookup forced on; the program asks for it
only where an answer is likely to repeat its context. Names of kinds on the command line run only those.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import time
from typing import Any

import structlog

from desktop.engine.lookup import EXPECTED_COST
from desktop.engine.requests import GenerateRequest, Message, Sampling
from tests.bench.engine import DEFAULT_MODEL, Ours, model_file, ours
from tests.bench.machine import machine

RUNS = 3
TARGETS = {"rewriting": 1.6, "about a file": 1.15, "chat": 1.0}
SYSTEM = "You are a helpful assistant."
PROGRAM = '''
import csv
from pathlib import Path

def read_expenses(path):
    """All rows of a file with the columns date, item and amount."""
    rows = []
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows.append((row["date"], row["item"], float(row["amount"])))
    return rows

def total(rows):
    result = 0.0
    for date, item, amount in rows:
        result += amount
    return result

def report(path):
    rows = read_expenses(path)
    print(f"{len(rows)} expenses, {total(rows):.2f} in all")
'''
LETTER = """
Dear Ms Vogel,

thank you for the friendly visit to our workshop last Tuesday. As agreed we will deliver the twelve oak chairs
on the 14th of March between nine and eleven o'clock. The invoice over 2,940 euros comes with the delivery and
is payable within thirty days. Should the stairs be too narrow for the large table, our driver will bring the
crane, which costs 180 euros more. Please tell us by the 1st of March whether you want the cushions in green
or in grey.

With kind regards,
Paul Brandt
"""
LIST = """
# Packing list
- passport
- tickets for the ferry
- two warm pullovers
- the blue rain jacket
- charger and adapter
- medicine against seasickness
- the book about lighthouses
- sandwiches for the first evening
"""
PROMPTS = {
    "rewriting": (
        f"Rename the function total to total_amount everywhere and answer with the whole file:\n{PROGRAM}",
        f"Change the date of delivery to the 21st of March and answer with the whole letter:\n{LETTER}",
        f"Add sunglasses to the end of this list and answer with the whole list:\n{LIST}",
    ),
    "about a file": (
        f"Which functions are in this file, and what does each return?\n{PROGRAM}",
        f"What do they deliver, when, and what does it cost? Quote the sentences.\n{LETTER}",
        f"Which of these things are clothes, and which are for eating? Quote the lines.\n{LIST}",
    ),
    "chat": (
        "Why is the sky blue?",
        "Write a short story about a lighthouse keeper and a seal.",
        "What should I look for when I buy a used bicycle?",
    ),
}


def run(engine: Ours, name: str, prompt: str, lookup: bool, tokens: int) -> dict[str, Any]:
    request = GenerateRequest(
        f"{name} {lookup}",
        (Message("system", SYSTEM), Message("user", prompt)),
        Sampling(temperature=0.0, max_tokens=tokens),
        repeats_context=lookup,
    )
    stream = engine.engine.submit(request)
    text = next(stream, "")  # the prompt is not decoding
    spent = time.process_time()
    text += stream.text(600)
    spent = time.process_time() - spent
    metrics = stream.metrics
    return {
        "text": text,
        "tokens": metrics.answer_tokens,
        "tokens_per_s": metrics.tokens_per_s,
        "looked_up": metrics.looked_up_tokens,
        "processor_ms": 1000 * spent / max(metrics.answer_tokens - 1, 1),
    }


def kind(engine: Ours, name: str, runs: int, tokens: int) -> dict[str, Any]:
    pairs = []
    for number, prompt in enumerate(PROMPTS[name]):
        for turn in range(runs + 1):
            # Each goes first as often as the other; the first pair only warms up, with few tokens.
            order = (True, False) if turn % 2 else (False, True)
            made = {
                lookup: run(engine, f"{name} {number}", prompt, lookup, tokens if turn else 8)
                for lookup in order
            }
            if turn:
                pairs.append(made)
    ratios = sorted(pair[True]["tokens_per_s"] / pair[False]["tokens_per_s"] for pair in pairs)
    processor = sorted(pair[False]["processor_ms"] / pair[True]["processor_ms"] for pair in pairs)
    return {
        "pairs": len(pairs),
        "tokens_per_s_off": round(statistics.median(pair[False]["tokens_per_s"] for pair in pairs), 2),
        "tokens_per_s_on": round(statistics.median(pair[True]["tokens_per_s"] for pair in pairs), 2),
        "ratio": {"median": round(statistics.median(ratios), 3), "least": round(ratios[0], 3)},
        "processor_ms_off": round(statistics.median(pair[False]["processor_ms"] for pair in pairs), 1),
        "processor_ratio": {
            "median": round(statistics.median(processor), 3),
            "least": round(processor[0], 3),
            "all": [round(each, 2) for each in processor],
        },
        "looked_up_share": round(
            sum(pair[True]["looked_up"] for pair in pairs) / sum(pair[True]["tokens"] for pair in pairs), 3
        ),
        "same": sum(pair[True]["text"] == pair[False]["text"] for pair in pairs),
        "cost": {size: round(engine.session.decode_cost.of(size), 2) for size in EXPECTED_COST},
    }


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(PROMPTS)}; all where none is named")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="a GGUF file, or the id of an installed model")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--tokens", type=int, default=220, help="at most, of an answer")
    parser.add_argument("--threads", type=int, default=0, help="0: measured, as in the program")
    options = parser.parse_args()
    model = model_file(options.model)
    if unknown := set(options.kinds) - set(PROMPTS):
        parser.error(f"no such kind: {', '.join(unknown)}")
    if not model.is_file():
        parser.error("name a model file with --model")
    result: dict[str, Any] = {"bench": "lookup", "machine": machine(), "model": model.name}
    with ours(model, threads=options.threads) as engine:
        engine.warm_up()
        result["threads"] = engine.session.threads
        for name in options.kinds or PROMPTS:
            result[name] = kind(engine, name, options.runs, options.tokens)
    result["targets"] = TARGETS
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
