"""`dev.py bench memory`: how much of what was said is found again, and how fast.

`--locomo DIR` names the folder with turns.jsonl and questions.jsonl (measuring only; without it recall is not
measured); `--items` is the size of the invented corpus for the times. `--vectors FILE` names the embedding
model, as the product has fetched it; without it nothing with vectors is measured. `--model FILE` measures
what memory costs in an answer, with a model file. `--parts` names what is measured, else all is.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import structlog

from desktop.database import Database
from desktop.gate.redaction import Redactor, read_rules
from desktop.memory import search
from desktop.memory.capture import TrajectoryEvent
from desktop.memory.item import Layer, NewItem
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.memory.store import View
from desktop.paths import resources
from tests.bench.machine import machine
from tests.bench.memory_corpus import Corpus
from tests.bench.memory_data import Asked, Stored, store_conversations

TARGETS = {
    "R@10": 0.64,
    "B1000": 0.72,
    "lost_by_assembly": 0.01,
    "query_p95_ms_at_100000": 60,
    "assembly_p95_ms_at_10000": 100,
    "capture_p99_ms": 5,
    "hits_of_repeats": 0.9,
    "false_matches": 0.02,
    "R@10_with_vectors": 0.66,
    "B1000_with_vectors": 0.735,
    "query_with_vectors_p95_ms_at_100000": 120,
    "block_ratio": 1.1,
    "evaluated_again_tokens": 0,
    "second_turn_ratio": 1.15,
}
PARTS = ("words", "recall", "assembly", "query", "vectors", "capture", "hindsight", "cost")
CONVERSATIONS = 7  # for the cost in an answer
T = TypeVar("T")
DEPTHS, BUDGETS = (5, 10, 20), (500, 1000, 2000)
VIEW = View.of(session="0", project="/shop")
OWN_NOTES = 300


@dataclass(frozen=True)
class Wanted:
    """What is measured, and with what."""

    locomo: Path | None
    vectors: Path | None
    model: Path | None
    items: int
    questions: int
    parts: Sequence[str] = PARTS
    conversations: int = CONVERSATIONS


def measure(wanted: Wanted) -> dict[str, object]:
    locomo, items, questions = wanted.locomo, wanted.items, wanted.questions
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        parts: dict[str, tuple[str, Callable[[], dict[str, object]]]] = {
            "words": ("asked_in_other_words", lambda: of_words(root, wanted.vectors)),
            "recall": ("recall", lambda: _recalled(root / "recall", locomo)),
            "assembly": (
                "assembly_at_10000",
                lambda: _with(root / "small", lambda m: times_of_assembly(m, 10_000, questions)),
            ),
            "query": (
                f"query_at_{items}",
                lambda: _with(root / "large", lambda m: times_of_queries(m, items, questions)),
            ),
            "vectors": ("with_vectors", lambda: with_vectors(root, wanted.vectors, locomo, items, questions)),
            "capture": ("capture", lambda: _with(root / "capture", times_of_capture)),
            "hindsight": ("hindsight", lambda: _with(root / "hindsight", of_hindsight)),
            "cost": ("cost", lambda: _costs(wanted.model, wanted.conversations)),
        }
        found = {name: run() for part, (name, run) in parts.items() if part in wanted.parts}
        return {"bench": "memory", "machine": machine(), **found, "targets": TARGETS}


def _recalled(folder: Path, locomo: Path | None) -> dict[str, object]:
    if locomo is None:
        return {"measured": False}
    return _with(folder, lambda memory: recall(memory, locomo))


def _costs(model: Path | None, conversations: int) -> dict[str, object]:
    """What memory costs in an answer."""
    if model is None:
        return {"measured": False}
    from tests.bench.memory_cost import cost

    return cost(model, conversations)


def with_vectors(
    root: Path, model: Path | None, locomo: Path | None, items: int, questions: int
) -> dict[str, object]:
    """The same with likeness of meaning."""
    if model is None:
        return {"measured": False}
    from tests.bench import memory_vectors

    return {
        "recall": memory_vectors.recall(root / "vectors", model, locomo) if locomo else {"measured": False},
        f"query_at_{items}": memory_vectors.times(root / "large_vectors", model, items, questions),
    }


def of_words(root: Path, model: Path | None) -> dict[str, object]:
    """How many of the facts of tests/memory/other_words.toml are told to who asks in other words."""
    from tests.bench import memory_words

    def by_words(name: str, done: memory_words.Measured) -> dict[str, int]:
        return _with(root / name, lambda memory: done(memory, lambda: None))

    found: dict[str, object] = {
        "words_only": memory_words.measured(by_words),
        "in_passing": memory_words.in_passing(by_words),
    }
    if model is not None:
        from tests.bench.memory_vectors import with_vectors_of

        def by_meaning(name: str, done: memory_words.Measured) -> dict[str, int]:
            return with_vectors_of(root / f"v-{name}", model, done)

        found["with_vectors"] = memory_words.measured(by_meaning)
        found["in_passing_with_vectors"] = memory_words.in_passing(by_meaning)
    return found


def _with(folder: Path, measured: Callable[[Memory], T]) -> T:
    database = Database(folder / "memory.sqlite3", MIGRATIONS)
    memory = Memory(database, Redactor(read_rules(resources() / "redaction.toml")))
    try:
        return measured(memory)
    finally:
        memory.close()
        database.close()


# -- how much is found --------------------------------------------------------------------------


def recall(memory: Memory, folder: Path) -> dict[str, object]:
    """Share of the evidence found: ranked only; and in blocks, with notes of others in the store too."""
    stored = store_conversations(folder, memory.store)
    answerable = [q for q in stored.questions if q.evidence and not q.adversarial]
    ranked = [list(memory.search.scores(memory.search.question(q.text))) for q in answerable]
    before = {**depths(answerable, ranked), **budgets(answerable, ranked, stored)}
    cut = everywhere_cut(memory, answerable)
    memory.store.add_all(tuple(own_notes()))
    return {
        "turns": len(stored.turns),
        "questions": len(answerable),
        "words_only": before,
        "with_cut_off": {**depths(answerable, cut), **budgets(answerable, cut, stored)},
        "assembled": assembled(memory, answerable),
        "adversarial_with_a_block": adversarial(memory, stored),
    }


def everywhere_cut(memory: Memory, asked: Sequence[Asked]) -> list[list[int]]:
    """The order with the cut-off of common terms, which a store of this size does not have yet."""
    limit, search.COMMON_FROM = search.COMMON_FROM, 0
    ranked = [list(memory.search.scores(memory.search.question(q.text))) for q in asked]
    search.COMMON_FROM = limit
    return ranked


def depths(asked: Sequence[Asked], ranked: Sequence[Sequence[int]]) -> dict[str, float]:
    return {
        f"R@{depth}": _mean(_share(q, order[:depth]) for q, order in zip(asked, ranked, strict=True))
        for depth in DEPTHS
    }


def budgets(asked: Sequence[Asked], ranked: Sequence[Sequence[int]], stored: Stored) -> dict[str, float]:
    return {
        f"B{budget}": _mean(
            _share(q, _filled(order, budget, stored)) for q, order in zip(asked, ranked, strict=True)
        )
        for budget in BUDGETS
    }


def _filled(order: Sequence[int], budget: int, stored: Stored) -> list[int]:
    chosen, left = [], budget
    for item_id in order:
        if stored.turns[item_id].tokens <= left:
            chosen.append(item_id)
            left -= stored.turns[item_id].tokens
    return chosen


def assembled(memory: Memory, asked: Sequence[Asked]) -> dict[str, float]:
    figures = {}
    for budget in (400, *BUDGETS):
        contexts = [memory.assembler.assemble(q.text, budget, VIEW, _count) for q in asked]
        figures[f"B{budget}"] = _mean(_share(q, c.ids) for q, c in zip(asked, contexts, strict=True))
        figures[f"tokens_at_{budget}"] = round(statistics.mean(c.total_tokens for c in contexts))
        if budget == 1000:
            best = [[i.id for i in sorted(c.items, key=lambda i: -i.score)[:10]] for c in contexts]
            figures["R@10"] = _mean(_share(q, ids) for q, ids in zip(asked, best, strict=True))
    # As a conversation is told, without what is not relevant enough for a small model.
    told = [memory.assembler.assemble(q.text, 400, VIEW, _count, only_relevant=True) for q in asked]
    figures["told_B400"] = _mean(_share(q, c.ids) for q, c in zip(asked, told, strict=True))
    figures["told_tokens_at_400"] = round(statistics.mean(c.total_tokens for c in told))
    return figures


def adversarial(memory: Memory, stored: Stored) -> float:
    """How often anything is put into the context for a question that the conversations do not answer."""
    asked = [q for q in stored.questions if q.adversarial]
    return _mean(bool(memory.assembler.assemble(q.text, 400, VIEW, _count).items) for q in asked)


def own_notes() -> list[NewItem]:
    """Notes of a user's about other things, in the layers of a user and of a project."""
    corpus = Corpus(seed=11)
    notes = [item.text for item in corpus.items(OWN_NOTES)]
    layers = ((Layer.USER, ""), (Layer.PROJECT, "/shop"), (Layer.SESSION, "0"))
    return [NewItem(text, *layers[n % 3]) for n, text in enumerate(notes)]


def _count(text: str) -> int:
    return len(text) // 4


def _share(asked: Asked, found: object) -> float:
    return len(asked.evidence & set(found)) / len(asked.evidence)  # type: ignore[call-overload]


def _mean(values: object) -> float:
    return round(statistics.mean(float(value) for value in values), 4)  # type: ignore[attr-defined]


# -- how fast -----------------------------------------------------------------------------------


def fill(memory: Memory, items: int) -> tuple[list[str], float]:
    """Questions about them, and how long storing one took, in ms."""
    corpus, texts = Corpus(), []
    chance, begun = random.Random(3), time.perf_counter()
    batch: list[NewItem] = []
    for item in corpus.items(items):
        batch.append(item)
        if chance.random() < 0.02:
            texts.append(item.text)
        if len(batch) == 2000:
            memory.store.add_all(batch)
            batch = []
    memory.store.add_all(batch)
    took_ms = (time.perf_counter() - begun) * 1000 / items
    return [corpus.question(text) for text in texts], took_ms


def times_of_queries(memory: Memory, items: int, questions: int) -> dict[str, object]:
    """With the cut-off of common terms and without it; and how often both name the same ten."""
    asked, stored_ms = fill(memory, items)
    asked = asked[:questions]
    cut, with_cut = timed(memory, asked)
    limit, search.COMMON_FROM = search.COMMON_FROM, 10**9
    whole, without_cut = timed(memory, asked)
    search.COMMON_FROM = limit
    _, with_name = timed(memory, [f"{text} Anna" for text in asked])
    same = _mean(len(set(a) & set(b)) / max(1, len(b)) for a, b in zip(cut, whole, strict=True))
    return {
        "corpus": f"{items} items of 5 to 35 words, Zipf-Mandelbrot 1.07 over 30,000 words",
        "questions": len(asked),
        "storing_one_ms": round(stored_ms, 3),
        "with_cut_off": with_cut,
        "without_cut_off": without_cut,
        "and_a_name_that_half_have": with_name,
        "first_ten_the_same": same,
        "file_mb": round(size_mb(memory), 1),
    }


def timed(memory: Memory, asked: Sequence[str]) -> tuple[list[list[int]], dict[str, float]]:
    for text in asked[:20]:
        memory.search.hits(memory.search.question(text, VIEW))
    found, times_ms, work_ms = [], [], []
    for text in asked:
        begun, worked = time.perf_counter(), time.thread_time()
        hits = memory.search.hits(memory.search.question(text, VIEW))
        times_ms.append((time.perf_counter() - begun) * 1000)
        work_ms.append((time.thread_time() - worked) * 1000)
        found.append([hit.item.id for hit in hits])
    return found, {**spread(times_ms), "processor_p95_ms": spread(work_ms)["p95_ms"]}


def times_of_assembly(memory: Memory, items: int, questions: int) -> dict[str, object]:
    asked, _ = fill(memory, items)
    times_ms, work_ms = [], []
    for text in asked[:questions]:
        begun, worked = time.perf_counter(), time.thread_time()
        memory.assembler.assemble(text, 1000, VIEW, _count)
        times_ms.append((time.perf_counter() - begun) * 1000)
        work_ms.append((time.thread_time() - worked) * 1000)
    begun = time.perf_counter()
    memory.forget((1,))
    work = {"processor_p95_ms": spread(work_ms)["p95_ms"]}
    return {**spread(times_ms), **work, "forgetting_one_ms": round((time.perf_counter() - begun) * 1000, 1)}


def times_of_capture(memory: Memory) -> dict[str, object]:
    """A thousand events a second for three seconds."""
    times_ms, begun = [], time.perf_counter()
    for number in range(3000):
        pause_s = begun + number / 1000 - time.perf_counter()
        if pause_s > 0:
            time.sleep(pause_s)
        event = TrajectoryEvent(
            "run_command",
            number % 7 != 0,
            arguments={"command": f"grep -rn 'name{number}' src | head -{number % 50}"},
            error="" if number % 7 else f"grep: src/{number}.txt: No such file or directory",
            tags=("grep",),
            session=str(number % 5),
        )
        started = time.perf_counter()
        memory.capture.capture(event)
        times_ms.append((time.perf_counter() - started) * 1000)
    memory.capture.flush(30)
    figures = memory.capture.figures
    return {**spread(times_ms), "written": figures.written, "dropped": figures.dropped}


def of_hindsight(memory: Memory) -> dict[str, object]:
    """The forty failures of the tests: all known, then each repeat and each look-alike; and the thirty of
    `repeats.toml`.
    """
    from tests.memory.hindsight.cases import CASES, learned, recognised
    from tests.memory.hindsight.fresh_cases import figures

    as_told = figures(memory.hindsight)
    memory.hindsight.forget_everything()
    for case in CASES:
        learned(memory.hindsight, case)
    return {
        "cases": len(CASES),
        "hits_of_repeats": _mean(recognised(memory.hindsight, case) for case in CASES),
        "false_matches": _mean(
            bool(memory.hindsight.lookup(case.failure(case.look_alike))) for case in CASES
        ),
        "lookup_p95_ms": memory.hindsight.p95_ms,
        "as_programs_tell_them": as_told,
    }


def spread(times_ms: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times_ms)
    return {
        "count": len(ordered),
        "p50_ms": round(statistics.median(ordered), 3),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 3),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)], 3),
        "worst_ms": round(ordered[-1], 3),
    }


def size_mb(memory: Memory) -> float:
    pages = memory.store.database.read(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
    return float(pages) * 4096 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(prog="dev.py bench memory", description=__doc__)
    parser.add_argument("--locomo", type=Path, metavar="DIR", help="turns.jsonl and questions.jsonl")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="all-MiniLM-L6-v2.safetensors")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--model", type=Path, metavar="FILE", help="a GGUF file, for the cost in an answer")
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS, help="for the cost in an answer")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    wanted = parser.parse_args()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # stdout is JSON alone
    figures = measure(Wanted(**vars(wanted)))
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
