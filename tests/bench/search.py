"""`dev.py bench search`: how long a page of search results takes over 100,000 messages.

The messages are invented: 60,000 words whose frequency falls with their rank (Zipf, exponent 1), as in
natural text, lengths log-normal with a median of 37 words, twenty messages to a conversation, a fifth of
them with a sentence in Chinese characters. What is searched for is drawn in equal parts from: the hundred
most frequent words, words of middle rank, rare words, two words, beginnings of one to four letters as they
are typed, phrases, parts of words, Chinese pairs, and words that are nowhere.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import structlog

from desktop.chat.migrations import MIGRATIONS
from desktop.chat.search import ChatSearch
from desktop.database import Connection, Database
from tests.bench.machine import machine

LIMIT_MS = 50.0
VOCABULARY, IN_CHAT = 60_000, 20
MEDIAN_WORDS_LOG, SPREAD = 3.6, 0.9
SYLLABLES = [c + v for c in "bcdfghklmnprstvwz" for v in "aeiou"]
HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 800)]


class Texts:
    """Invented messages and what may be searched for in them; the same for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self._words = self._invent()
        self._weights = list(itertools.accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def message(self) -> str:
        count = 1 + int(self._random.lognormvariate(MEDIAN_WORDS_LOG, SPREAD))
        words = self._random.choices(self._words, cum_weights=self._weights, k=count)
        if self._random.random() < 0.2:
            words.append("".join(self._random.choices(HAN, k=12)))
        return " ".join(words)

    def queries(self) -> dict[str, Callable[[], str]]:
        choice, words = self._random.choice, self._words
        return {
            "frequent": lambda: choice(words[:100]),
            "middle": lambda: choice(words[500:5_000]),
            "rare": lambda: choice(words[20_000:]),
            "two words": lambda: f"{choice(words[:100])} {choice(words[:2_000])}",
            "beginning": lambda: choice(words[:2_000])[: self._random.randint(1, 4)],
            "phrase": lambda: f'"{choice(words[:50])} {choice(words[:50])}"',
            "part": lambda: choice(words[:5_000])[1:],
            "chinese": lambda: "".join(self._random.choices(HAN, k=2)),
            "nowhere": lambda: choice(words) + "xq",
        }

    def _invent(self) -> list[str]:
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            words["".join(self._random.choices(SYLLABLES, k=self._random.choice((1, 2, 2, 3, 3, 4))))] = None
        return list(words)


def measure(messages: int, searches: int) -> dict[str, object]:
    texts = Texts()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.sqlite3"
        database = Database(path, MIGRATIONS)
        filled_s = _timed(lambda: database.write(lambda c: fill(c, texts, messages)))
        search = ChatSearch(database)
        kinds = {name: _times(search, make, searches) for name, make in texts.queries().items()}
        database.close()
        size_mb = path.stat().st_size / 1e6
    every = [ms for times in kinds.values() for ms in times]
    return {
        "bench": "search",
        "machine": machine(),
        "messages": messages,
        "searches": len(every),
        "filled_s": round(filled_s, 1),
        "file_mb": round(size_mb, 1),
        "page_ms": _figures(every),
        "by_kind": {name: _figures(times) for name, times in kinds.items()},
        "limit_p95_ms": LIMIT_MS,
        "reached": _p95(every) <= LIMIT_MS,
    }


def fill(connection: Connection, texts: Texts, messages: int) -> None:
    start = time.time() - messages * 60.0
    connection.executemany(
        "INSERT INTO conversations (id, title, created_at, updated_at, leaf_id) VALUES (?, ?, ?, ?, ?)",
        (
            (n, texts.message()[:48], start, start + n * 60.0 * IN_CHAT, min(n * IN_CHAT, messages))
            for n in range(1, messages // IN_CHAT + 2)
        ),
    )
    connection.executemany(
        "INSERT INTO messages (id, conversation_id, parent_id, role, text, status, created_at)"
        " VALUES (?, ?, ?, ?, ?, 'complete', ?)",
        _rows(texts, messages, start),
    )


def _rows(
    texts: Texts, messages: int, start: float
) -> Iterator[tuple[int, int, int | None, str, str, float]]:
    for n in range(messages):
        role = "assistant" if n % 2 else "user"
        parent = n if n % IN_CHAT else None  # each follows the one before
        yield n + 1, n // IN_CHAT + 1, parent, role, texts.message(), start + n * 60.0


def _times(search: ChatSearch, make: Callable[[], str], searches: int) -> list[float]:
    queries = [make() for _ in range(searches)]
    return [_timed(lambda query=query: search.find(query)) * 1000 for query in queries]  # type: ignore[misc]


def _timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _figures(times: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(times), 1),
        "p95": round(_p95(times), 1),
        "worst": round(max(times), 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py bench search", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--searches", type=int, default=100, help="of each kind")
    chosen = parser.parse_args()
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # stdout is for the JSON
    json.dump(measure(chosen.messages, chosen.searches), sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
