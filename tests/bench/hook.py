"""`dev.py bench hook`: how long a hook waits for its answer, over HTTP, while the program works.

    dev.py bench hook [--full] [--model NAME|none] [--threads N]

The program runs in this process: server, gate, database, log, and a chat that is being answered all the time
by an installed model; without one (--model none) a thread computes in Python instead, which is harder on the
server. The agents are another process. --full takes a minute a part, as the targets say; without it ten
seconds. One agent sends one hook after the other, then fifty a second, when the processor's caches hold other
things by the time the next one comes: p50 1.5 ms and p99 5 ms. Twenty agents send 200 a second: none lost,
p99 20 ms, memory flat; the same with 50 dialogs open. The same by HTTP, as hooks came once, for comparison.
With --idle the processor's time for a hook counts: 1.5 ms. With --busy another process of the same priority
computes all the time, so that the program, the agents and it share the cores: p99 of twenty agents 20 ms.
`stolen_s` is what the host of a virtual machine took of its processors meanwhile: with tenths of a second of
it in a part, the longest answers are the host's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.app import Services, build_core, start_logging
from desktop.app.chat_parts import turns_for
from desktop.app.single_question import forgotten_store
from desktop.asking import Answer, Question
from desktop.chat.events import AnswerGrew
from desktop.engine.engine import start_thread
from desktop.errors import Cancelled
from desktop.events import Bus
from desktop.models.library import InstalledModel, Library
from desktop.paths import Paths
from tests.bench.gate import spread
from tests.bench.machine import machine
from tests.ports import free_port

LOAD = Path(__file__).with_name("hook_load.py")
DEFAULT_MODEL = "qwen2.5-coder-1.5b"
TARGETS = {
    "one_after_the_other": {"p50_ms": 1.5, "p99_ms": 5.0},
    "fifty_a_second": {"p50_ms": 1.5, "p99_ms": 5.0},
    "twenty_agents": {"lost": 0, "p99_ms": 20.0},
    "with_fifty_dialogs": {"lost": 0, "p99_ms": 20.0},
}
QUICK_S, FULL_S = 10.0, 60.0
NO_PAUSE = 1_000_000  # hooks a second: the next one when the answer is there
QUESTION = "Write a long story about a lighthouse, in many chapters."

log = structlog.get_logger(__name__)


class OpenDialogs:
    """Stands for the window: nobody clicks. Every question waits until all are withdrawn."""

    def __init__(self) -> None:
        self.count = 0
        self.over = threading.Event()
        self._lock = threading.Lock()

    def ask(self, question: Question) -> Answer:
        with self._lock:
            self.count += 1
        self.over.wait()
        raise Cancelled(str(question.title))


class Bench:
    """The program under load."""

    def __init__(self, core: Services, seconds: float) -> None:
        self.core = core
        self.seconds = seconds
        self.port = 0
        self.token = core.tokens.make("claude-code")

    def measure(self, agents: int, rate: float, held: int = 0, by_http: bool = False) -> dict[str, Any]:
        """One part: what the agents saw, what it took of the processor, and what became of memory."""
        dialogs = OpenDialogs()
        self.core.asker = dialogs
        address, token = str(self.core.paths.hook_socket), self.token
        if by_http:
            address, token = str(self.port), self.core.tokens.general()
        command = [sys.executable, "-I", "-S", str(LOAD), address, token]
        command += ["--agents", str(agents), "--rate", str(rate), "--seconds", str(self.seconds)]
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        with subprocess.Popen([*command, "--held", str(held)], **pipes) as load, memory_watched() as memory:
            if held:
                load.stderr.readline()
                wait_until(lambda: dialogs.count == held)
                load.stdin.write(b"go\n")
                load.stdin.flush()
            before_s, stolen_s = own_processor_s(), stolen_processor_s()
            told = load.stdout.read()
            if load.wait():
                raise RuntimeError(f"the agents broke off: {load.stderr.read().decode()[-2000:]}")
            seen = json.loads(told)
            took_s, stolen_s = own_processor_s() - before_s, stolen_processor_s() - stolen_s
        dialogs.over.set()
        return {
            "sent": len(seen["answer_ms"]) + seen["lost"],
            "lost": seen["lost"],
            "wrong": seen["wrong"][:3],
            "wrong_count": len(seen["wrong"]),
            "answer": spread(seen["answer_ms"]),
            "from_due": spread(seen["due_ms"]) if rate < NO_PAUSE else None,
            "processor_ms_a_hook": round(took_s * 1000 / max(1, len(seen["answer_ms"])), 2),
            "stolen_s": round(stolen_s, 2),
            "dialogs_open": dialogs.count,
            "memory_mb": flatness(memory),
        }


def own_processor_s() -> float:
    """Of all threads of this process, so also what the chat takes; by itself only with --idle."""
    times = psutil.Process().cpu_times()
    return float(times.user + times.system)


def stolen_processor_s() -> float:
    """Of all processors, what the host of a virtual machine gave to others: a pause that is nobody's here."""
    return float(getattr(psutil.cpu_times(), "steal", 0.0))


@contextmanager
def memory_watched() -> Iterator[list[float]]:
    """Resident memory of this process in MB, five times a second."""
    seen: list[float] = []
    ending = threading.Event()
    process = psutil.Process()

    def watch() -> None:
        while not ending.wait(0.2):
            seen.append(process.memory_info().rss / 1e6)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        ending.set()
        thread.join()


def flatness(seen: Sequence[float]) -> dict[str, float]:
    """The middle of the second and of the last quarter: what is taken up at the start is not growth."""
    quarter = max(1, len(seen) // 4)
    before, after = statistics.median(seen[quarter : 2 * quarter + 1]), statistics.median(seen[-quarter:])
    return {"before": round(before, 1), "after": round(after, 1), "grown": round(after - before, 1)}


@contextmanager
def chatting(core: Services, model: InstalledModel) -> Iterator[dict[str, Any]]:
    """The model answers one question after the other, as in a chat."""
    told = {"kind": f"{model.id} answers a chat", "threads": 0, "tokens": 0}
    ending = threading.Event()
    begun = threading.Event()

    def on_grew(_event: AnswerGrew) -> None:
        told["tokens"] += 1  # pieces, which are committed as they come
        begun.set()

    core.bus.subscribe(AnswerGrew, on_grew)
    core.engine.use(model)
    engine = start_thread(core.engine)
    with forgotten_store() as store:
        turns = turns_for(core, store)

        def talk() -> None:
            while not ending.is_set():
                turns.run(store.create().id, QUESTION)

        talker = threading.Thread(target=talk)
        talker.start()
        assert begun.wait(300), "the model did not begin"
        told["tokens"] = 0
        started_s = time.perf_counter()
        try:
            yield told
        finally:
            told["threads"] = core.engine.status.threads
            told["commits_per_s"] = round(told.pop("tokens") / (time.perf_counter() - started_s), 1)
            ending.set()
            turns.stop_all()
            talker.join()
            core.engine.close()
            engine.join()


@contextmanager
def computing() -> Iterator[dict[str, Any]]:
    """A thread that holds the interpreter whenever it may."""
    ending = threading.Event()

    def compute() -> None:
        number = 0
        while not ending.is_set():
            for each in range(100_000):
                number ^= each * each

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        yield {"kind": "no model: a thread computes in Python all the time"}
    finally:
        ending.set()
        thread.join()


@contextmanager
def nothing() -> Iterator[dict[str, Any]]:
    """For comparison."""
    yield {"kind": "nothing else runs"}


@contextmanager
def another_process() -> Iterator[dict[str, Any]]:
    """One that computes as long as this lasts; it tells how much of a core it got."""
    begun_s = time.perf_counter()
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) as spinning:
        told: dict[str, Any] = {"kind": "another process computes"}
        try:
            yield told
        finally:
            spent = psutil.Process(spinning.pid).cpu_times()
            told["of_a_core"] = round((spent.user + spent.system) / (time.perf_counter() - begun_s), 2)
            spinning.kill()


@contextmanager
def program(threads: int) -> Iterator[Services]:
    """A profile of its own, with the server on a free port."""
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
        paths = Paths.under(Path(folder))
        start_logging(paths, None)
        core = build_core(paths)
        core.settings.change("hooks", "port", free_port())
        core.settings.change("model", "threads", threads)
        core.settings.change("chat", "tools", False)  # the model is to talk, not to look for a tool
        core.commands.settle()
        try:
            yield core
        finally:
            core.close()


def wait_until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.01)


def busy_with(core: Services, model: InstalledModel | None, idle: bool) -> Any:
    if idle:
        return nothing()
    return chatting(core, model) if model is not None else computing()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="dev.py bench hook", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="a minute a part")
    parser.add_argument("--seconds", type=float, help="how long a part takes")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="an installed model, or none")
    parser.add_argument("--threads", type=int, default=0, help="of the model; 0: as the program chooses")
    parser.add_argument("--busy", action="store_true", help="another process keeps one core busy")
    parser.add_argument("--idle", action="store_true", help="nothing else runs, for comparison")
    options = parser.parse_args()
    seconds = options.seconds or (FULL_S if options.full else QUICK_S)
    model = Library(Paths.default(), Bus()).find(options.model) if options.model != "none" else None
    result: dict[str, Any] = {"bench": "hook", "machine": machine(), "seconds": seconds}
    with program(options.threads) as core:
        bench = Bench(core, seconds)
        bench.port = core.server.start()
        beside = another_process() if options.busy else nothing()
        with busy_with(core, model, options.idle) as busy, beside as other:
            result["one_after_the_other"] = bench.measure(1, NO_PAUSE)
            result["fifty_a_second"] = bench.measure(1, 50)
            result["twenty_agents"] = bench.measure(20, 200)
            result["with_fifty_dialogs"] = bench.measure(20, 200, held=50)
            result["twenty_agents_by_http"] = bench.measure(20, 200, by_http=True)
        result["meanwhile"], result["beside"] = busy, other
    result["targets"] = TARGETS
    sys.stdout.write(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
