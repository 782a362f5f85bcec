"""`dev.py bench extensions`: what extensions cost while none is on, what one costs, and one that hangs.

Memory is what would be free again: private pages of the child, and what this process has grown by. A call
goes through the whole chain, with its look at the pinned files.
"""

from __future__ import annotations

import argparse
import json
import logging
import operator
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.app import build_core
from desktop.app.services import Services
from desktop.chat.events import AnswerGrew
from desktop.extensions.chain import About, Chain
from desktop.extensions.manifest import Hook
from desktop.paths import Paths
from tests.bench.machine import ROOT, machine
from tests.extensions.world import package, world
from tests.fakes.scripted_model import ScriptedBackend

TARGETS = {
    "none_on_ms": 0.05,
    "none_on_mb": 0.1,
    "first_token_added_none_on_ms": 0.1,
    "first_token_added_one_off_ms": 0.1,
    "one_on_mb": 6.0,
    "call_p50_ms": 0.2,
    "call_p99_ms": 5.0,
    "hung_over_ms": 50.0,
}
TEXT = "The next town is 5 miles away, and it has about three hundred people. " * 4
CODE = "def on_plain_text(text, context):\n    return text.upper()\n"
HUNG = "import time\n\n\ndef on_plain_text(text, context):\n    time.sleep(60)\n"
HUNG_LIMIT_S = 1.0
MB = 1_000_000


def measure(calls: int, hung: int, turns: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as name:
        folder = Path(name)
        services = build_core(Paths.under(folder / "profile"))
        try:
            figures = _none(services, calls)
            figures |= _one(services, folder, calls)
            figures |= _hung(services, folder, hung)
        finally:
            services.close()
        figures |= _first_token(folder, turns)
    met = {goal: figures[goal] <= most for goal, most in TARGETS.items()}
    return {
        "bench": "extensions",
        "machine": machine(),
        "calls": calls,
        "hung_calls": hung,
        "turns": turns,
        **figures,
        "targets": TARGETS,
        "met": met,
    }


def _none(services: Services, calls: int) -> dict[str, Any]:
    """What every turn pays: three looks, as many as a turn takes."""
    assert services.extensions_on() is None
    begun = time.perf_counter()
    for _ in range(calls):
        for _ in range(3):
            services.extensions_on()
    spent_ms = (time.perf_counter() - begun) * 1000 / calls
    return {"none_on_ms": round(spent_ms, 4), **_loaded(services.paths)}


def _first_token(folder: Path, turns: int) -> dict[str, Any]:
    """From the question to the first piece of the answer on the bus, without the room, with it and nothing
    installed, and with one that is installed and off; taken in turn, so that all three meet the same load.

    The model is a scripted one: a real one's own time is a hundred times what is looked for here. Beside the
    clock the processor time of the turn's own thread is told, which other work on the computer hardly moves.
    """
    with ExitStack() as stack:
        kinds: dict[str, Asking] = {}
        for kind in ("without_room", "none_on", "one_off"):
            home = folder / kind
            backend = ScriptedBackend("An answer.")
            made = stack.enter_context(world(Paths.under(home / "profile"), home, backend))
            kinds[kind] = Asking(made.services)
        bare = kinds["without_room"].services
        bare.extension_texts.close()
        bare.turns._extensions, bare.turns._more_tools = (lambda: None), (lambda: ())
        registry = kinds["one_off"].services.extensions.registry
        registry.accept(registry.install(package(folder / "packages" / "off", CODE)).id, on=False)
        spent: dict[str, list[float]] = {kind: [] for kind in kinds}
        worked: dict[str, list[float]] = {kind: [] for kind in kinds}
        for number in range(turns + UNCOUNTED):
            # Another one first each round: what a turn leaves to be done slows the one after it.
            turned = number % len(kinds)
            for kind, asking in (*list(kinds.items())[turned:], *list(kinds.items())[:turned]):
                clock_ms, thread_ms = asking.first_token_ms(f"Who wrote book {number}?")
                if number >= UNCOUNTED:
                    spent[kind].append(clock_ms)
                    worked[kind].append(thread_ms)
    added = {kind: _added_ms(worked[kind], worked["without_room"]) for kind in ("none_on", "one_off")}
    return {
        **{f"first_token_{kind}_ms": round(statistics.median(each), 3) for kind, each in spent.items()},
        **{f"first_token_work_{kind}_ms": round(statistics.median(each), 3) for kind, each in worked.items()},
        **{f"first_token_added_{kind}_ms": value for kind, value in added.items()},
    }


def _added_ms(spent: list[float], bare: list[float]) -> float:
    """Of each round the difference: whatever else the computer does meets all of a round alike."""
    return round(statistics.median(map(operator.sub, spent, bare)), 3)


UNCOUNTED = 20  # the first turns load what every later one has


class Asking:
    """One program, asked again and again in new conversations."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._first = (0.0, 0.0)
        services.bus.subscribe(AnswerGrew, self._on_grew)

    def first_token_ms(self, question: str) -> tuple[float, float]:
        """By the clock, and what the turn's thread worked until then."""
        conversation_id = self.services.store.create().id
        self._first = (0.0, 0.0)
        begun = (time.perf_counter(), time.thread_time())
        self.services.turns.run(conversation_id, question)
        clock, thread = map(operator.sub, self._first, begun)
        return clock * 1000, thread * 1000

    def _on_grew(self, _event: AnswerGrew) -> None:
        # Published on the thread of the turn, which is the one that asked.
        if not any(self._first):
            self._first = (time.perf_counter(), time.thread_time())


# In a program of its own: this one has loaded the chain to measure it.
LOADED = """
import json, sys, tracemalloc
from pathlib import Path
from desktop.app import build_core
from desktop.paths import Paths

services = build_core(Paths.under(Path(sys.argv[1])))
services.turns.context(services.store.create().id)
assert services.extensions_on() is None
found = sorted(each for each in sys.modules if each.startswith("desktop.extensions"))
for each in found:
    del sys.modules[each]
tracemalloc.start()
before = tracemalloc.get_traced_memory()[0]
for each in found:
    __import__(each)
grown = tracemalloc.get_traced_memory()[0] - before
services.close()
print(json.dumps({"none_on_modules": found, "none_on_mb": round(grown / 1e6, 3)}))
"""


def _loaded(paths: Paths) -> dict[str, Any]:
    """Which modules of the room a program without extensions has, and what they take."""
    words = [sys.executable, "-c", LOADED, str(paths.profile) + "-none"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _one(services: Services, folder: Path, calls: int) -> dict[str, float]:
    own = psutil.Process()
    services.database.read(lambda connection: connection.execute("SELECT 1").fetchone())
    before = own.memory_full_info().uss
    chain = services.extensions
    _add(chain, package(folder / "upper", CODE))
    first_ms = _call_ms(chain)
    for _ in range(200):
        _call_ms(chain)
    child = next(each for each in own.children() if "extension.py" in " ".join(each.cmdline()))
    child_mb = child.memory_full_info().uss / MB
    grown_mb = max(0.0, (own.memory_full_info().uss - before) / MB)
    spent = sorted(_call_ms(chain) for _ in range(calls))
    chain.remove("upper")
    return {
        "child_mb": round(child_mb, 2),
        "grown_mb": round(grown_mb, 2),
        "one_on_mb": round(child_mb + grown_mb, 2),
        "start_ms": round(first_ms, 1),
        "call_p50_ms": round(spent[len(spent) // 2], 3),
        "call_p99_ms": round(spent[len(spent) * 99 // 100], 3),
    }


def _hung(services: Services, folder: Path, hung: int) -> dict[str, float]:
    """Each beyond its limit; between two the extension is switched on again."""
    services.settings.change("chat", "extension_timeout_s", int(HUNG_LIMIT_S))
    chain = services.extensions
    _add(chain, package(folder / "hung", HUNG))
    over = []
    for _ in range(hung):
        over.append(_call_ms(chain) - HUNG_LIMIT_S * 1000)
        chain.registry.set_on("hung", True)
    chain.remove("hung")
    return {"hung_over_ms": round(max(over), 1)}


def _add(chain: Chain, folder: Path) -> None:
    chain.registry.accept(chain.registry.install(folder).id, on=True)


def _call_ms(chain: Chain) -> float:
    begun = time.perf_counter()
    chain.run(Hook.PLAIN, TEXT, About())
    return (time.perf_counter() - begun) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--hung", type=int, default=10)
    parser.add_argument("--turns", type=int, default=300)
    words = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    print(json.dumps(measure(words.calls, words.hung, words.turns), indent=1))


if __name__ == "__main__":
    main()
