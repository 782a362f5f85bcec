"""`dev.py bench engine`: what the engine costs over the bare llama.cpp calls, and how soon it reacts.

"Bare" is a plain loop over the same low-level calls on the same weights: batches of 512, the same sampler
chain, detokenized, the best of several numbers of threads. Bare runs and ours take turns, so that both meet
the same machine, and the ratio is taken for each pair. Names of parts on the command line run only those.
"""

from __future__ import annotations

import argparse
import codecs
import importlib
import json
import logging
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.engine.engine import Engine, start_thread
from desktop.engine.events import ModelUnloaded
from desktop.engine.host import physical_cores
from desktop.engine.inference import ContextShape, Decoded
from desktop.engine.kv_cache import common_length
from desktop.engine.llama import LlamaBackend
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling, Stream
from desktop.engine.session import Session
from desktop.engine.thread_tuning import candidates
from desktop.events import Bus
from desktop.models.gguf import read_facts
from desktop.models.library import InstalledModel, Library
from desktop.paths import Paths
from desktop.settings import ModelSettings
from tests.bench.machine import machine

DEFAULT_MODEL = "qwen2.5-coder-1.5b"
TO_THE_WINDOW = "tests.bench.crossing:to_the_main_thread"
RUNS = 5
REACTIONS = 20  # judge requests and cancels, of each kind
DECODE_TOKENS = 96
CONTEXT = 4096
TARGETS = {
    "decode_ratio": 0.97,
    "second_turn_ratio": 1.15,
    "restart_ratio": 0.35,
    "judge_extra_p95_ms": 300,
    "cancel_p95_ms": 100,
    "resident_gb": 2.0,
    "load_warm_s": 5.0,
    "peak_above_mb": 200,
    "after_unload_uss_mb": 160,
}
CHAIN = Sampling(temperature=0.7, top_p=0.9, top_k=40, repeat_penalty=1.05, seed=1)
WORDS = (
    *("river", "stone", "window", "lantern", "market", "bridge"),
    *("winter", "garden", "letter", "copper", "shadow", "harbour"),
)

Consumer = Callable[[Stream], tuple[float, float]]


def consume(stream: Stream) -> tuple[float, float]:
    """When the first and the last piece arrived, in seconds of perf_counter."""
    first = last = 0.0
    for _ in stream:
        last = time.perf_counter()
        first = first or last
    return first, last


def prose(words: int, seed: int) -> str:
    """Different text for each seed, so that nothing is reused by chance."""
    chosen = random.Random(seed)
    return " ".join(chosen.choice(WORDS) for _ in range(words))


class Ours:
    """An engine on its thread."""

    def __init__(self, path: Path, profile: Path, threads: int = 0) -> None:
        facts = read_facts(path)
        self.model = InstalledModel(
            "bench",
            facts.name or path.stem,
            path,
            facts.size_bytes,
            None,
            facts,
            True,
            "2026-01-01T00:00:00Z",
        )
        self.bus, self._threads = Bus(), threads
        settings = ModelSettings(context_tokens=CONTEXT, threads=threads, low_memory_mb=0)
        self.engine = Engine(Paths.under(profile), self.bus, lambda: settings, LlamaBackend())
        self.engine.use(self.model)
        self._thread = start_thread(self.engine)

    @property
    def session(self) -> Session:
        assert self.engine._session is not None
        return self.engine._session

    def warm_up(self) -> None:
        """Load, answer once, and let the calibration run to its end, where there is one."""
        self.ask("warm", "Hello", max_tokens=4).text(600)
        while not self._threads and (self.engine._tuning is None or self.engine._tuning.wants_idle_time):
            time.sleep(0.05)

    def ask(
        self,
        conversation: str,
        text: str,
        max_tokens: int = 16,
        priority: Priority = Priority.CHAT,
        system: str = "You are a helpful assistant.",
    ) -> Stream:
        messages = (Message("system", system), Message("user", text))
        return self.submit(conversation, messages, max_tokens, priority)

    def submit(
        self, conversation: str, messages: tuple[Message, ...], max_tokens: int, priority: Priority
    ) -> Stream:
        sampling = replace(CHAIN, max_tokens=max_tokens)
        return self.engine.submit(GenerateRequest(conversation, messages, sampling, priority))

    def close(self) -> None:
        self.engine.close()
        self._thread.join()


@contextmanager
def ours(path: Path, profile: Path | None = None, threads: int = 0) -> Iterator[Ours]:
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
        engine = Ours(path, profile or Path(folder), threads)
        try:
            yield engine
        finally:
            engine.close()


class Bare:
    """The low-level calls in a plain loop, on the weights that the engine has loaded."""

    def __init__(self, session: Session, threads: int) -> None:
        self.threads = threads
        self._model = session.model
        cores = physical_cores()
        self._context = session.model.new_context(ContextShape(CONTEXT, 1, 512, threads, cores))
        self._held: tuple[int, ...] = ()
        self.cpu_s_per_token = 0.0  # of the latest decode_rate

    def hold(self, tokens: tuple[int, ...]) -> None:
        """Have just `tokens` in the cache, computing what is new."""
        known = common_length(self._held, tokens)
        if known < len(tokens):
            self.prefill(tokens[known:], known)
        self._held = tokens

    def prefill(self, tokens: Sequence[int], start: int = 0) -> float:
        """Evaluate `tokens` at `start`; seconds."""
        self._context.cut(0, start)
        begun = time.perf_counter()
        for place in range(0, len(tokens), 512):
            assert self._context.decode(tokens[place : place + 512], start + place, 0) is Decoded.DONE
        return time.perf_counter() - begun

    def first_token(self, tokens: Sequence[int], start: int) -> float:
        """Evaluate `tokens` and sample one; seconds."""
        begun = time.perf_counter()
        self.prefill(tokens, start)
        sampler = self._context.sampler(CHAIN, None)
        self._model.piece(sampler.sample())
        sampler.close()
        return time.perf_counter() - begun

    def decode_rate(self, tokens: Sequence[int], count: int) -> float:
        """Tokens per second after the first of an answer of at most `count` tokens."""
        self.prefill(tokens)
        sampler = self._context.sampler(replace(CHAIN, max_tokens=count), None)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        token = sampler.sample()
        decoder.decode(self._model.piece(token))
        begun, spent, made = time.perf_counter(), time.process_time(), 0
        while made < count - 1 and not self._model.is_end(token):
            self._context.decode([token], len(tokens) + made, 0)
            token = sampler.sample()
            decoder.decode(self._model.piece(token))
            made += 1
        seconds = time.perf_counter() - begun
        self.cpu_s_per_token = (time.process_time() - spent) / made
        sampler.close()
        return made / seconds

    def close(self) -> None:
        self._context.close()


@contextmanager
def bare(session: Session, threads: int) -> Iterator[Bare]:
    loop = Bare(session, threads)
    try:
        yield loop
    finally:
        loop.close()


def prompt_tokens(engine: Ours, conversation: str, messages: tuple[Message, ...]) -> tuple[int, ...]:
    return engine.session.prompt_of(GenerateRequest(conversation, messages)).tokens


def decode(path: Path, runs: int, consumer: Consumer = consume) -> dict[str, Any]:
    """Tokens per second at the consumer against the bare loop."""
    question = "Write a long story about a harbour town, with many details."
    messages = (Message("system", "You are a helpful assistant."), Message("user", question))
    counts = candidates(physical_cores())
    mine: list[float] = []
    my_cpu: list[float] = []  # processor seconds per token: comparable on a busy machine too
    loops: dict[int, list[float]] = {threads: [] for threads in counts}
    cpu: dict[int, list[float]] = {threads: [] for threads in counts}
    with ours(path) as engine:
        engine.warm_up()
        for run in range(runs):
            stream = engine.submit(f"decode {run}", messages, DECODE_TOKENS, Priority.CHAT)
            next(stream)  # the prompt is not decoding
            spent = time.process_time()
            first, last = consumer(stream)
            made = stream.metrics.answer_tokens - 1
            my_cpu.append((time.process_time() - spent) / made)
            mine.append((made - 1) / (last - first))
            tokens = prompt_tokens(engine, "bare", messages)
            for threads in counts:
                with bare(engine.session, threads) as loop:
                    loops[threads].append(loop.decode_rate(tokens, DECODE_TOKENS))
                    cpu[threads].append(loop.cpu_s_per_token)
        threads_used = engine.session.threads
    best_threads = max(loops, key=lambda threads: statistics.median(loops[threads]))
    best = loops[best_threads]
    same = loops.get(threads_used, best)
    return {
        "tokens_per_s": summary(mine),
        "threads": threads_used,
        "bare_tokens_per_s": {threads: summary(rates) for threads, rates in loops.items()},
        "bare_best_threads": best_threads,
        "decode_ratio": ratio(mine, best),
        "ratio_same_threads": ratio(mine, same),
        "cpu_ratio_same_threads": ratio(cpu.get(threads_used, my_cpu), my_cpu),
    }


def second_turn(path: Path, runs: int) -> dict[str, Any]:
    """Time to first token of a second turn after 2,000 tokens, against evaluating its new tokens bare."""
    text = prose(1960, 1)
    opening = (Message("system", "You are a helpful assistant."), Message("user", text))
    mine, loops, new_counts = [], [], []
    reused = 0
    with ours(path) as engine:
        engine.warm_up()
        answer = engine.submit("talk", opening, 16, Priority.CHAT).text(600)
        base = (*opening, Message("assistant", answer))
        with bare(engine.session, engine.session.threads) as loop:
            for run in range(runs + 1):
                messages = (*base, Message("user", f"{WORDS[run]}: {prose(20, run)}?"))
                begun = time.perf_counter()
                stream = engine.submit("talk", messages, 2, Priority.CHAT)
                next(stream)
                seconds = time.perf_counter() - begun
                stream.text(600)
                tokens = prompt_tokens(engine, "talk", messages)
                reused = stream.metrics.reused_tokens
                loop.hold(tokens[:reused])
                if run:  # the first turn still computes the end of the answer
                    mine.append(seconds)
                    loops.append(loop.first_token(tokens[reused:], reused))
                    new_counts.append(len(tokens) - reused)
    return {
        "conversation_tokens": reused,
        "new_tokens": statistics.median(new_counts),
        "first_token_ms": summary([s * 1000 for s in mine]),
        "bare_ms": summary([s * 1000 for s in loops]),
        "second_turn_ratio": ratio(mine, loops),
    }


def restart(path: Path, runs: int) -> dict[str, Any]:
    """First token of the first message after a restart, against prefilling the saved prefix bare."""
    system = prose(440, 7)
    without_load, with_load, loops = [], [], []
    prefix = reused = 0
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
        for run in range(runs + 1):
            with ours(path, Path(folder)) as engine:
                begun = time.perf_counter()
                stream = engine.ask("first", f"What is a {WORDS[run]}?", max_tokens=2, system=system)
                next(stream)
                seconds = time.perf_counter() - begun
                stream.text(600)
                if run:  # run 0 saved the prefix
                    with_load.append(seconds)
                    without_load.append(seconds - stream.metrics.load_s)
                    reused = stream.metrics.reused_tokens
                    messages = (Message("system", system), Message("user", "x"))
                    prompt = engine.session.prompt_of(GenerateRequest("bare", messages))
                    prefix = prompt.prefix_tokens
                    with bare(engine.session, engine.session.threads) as loop:
                        loops.append(loop.prefill(prompt.tokens[:prefix]))
    return {
        "prefix_tokens": prefix,
        "reused_tokens": reused,
        "first_token_ms": summary([s * 1000 for s in without_load]),
        "first_token_with_load_ms": summary([s * 1000 for s in with_load]),
        "bare_prefill_ms": summary([s * 1000 for s in loops]),
        "restart_ratio": ratio(without_load, loops),
        "restart_ratio_with_load": ratio(with_load, loops),
    }


RULES = "Answer READ, CREATE, UPDATE or DELETE for each command. " * 6


def judge(path: Path, _runs: int) -> dict[str, Any]:
    """How much longer a judge request takes while a chat decodes, and while a chat's prompt is computed."""
    with ours(path) as engine:
        engine.warm_up()
        alone = [_judged(engine, number) for number in range(REACTIONS + 2)][2:]
        while_decoding = [_judged_during(engine, number, prompt=False) for number in range(REACTIONS)]
        while_prefilling = [_judged_during(engine, number, prompt=True) for number in range(REACTIONS)]
    usual = statistics.median(alone)
    return {
        "alone_ms": summary([s * 1000 for s in alone]),
        "while_decoding_extra_ms": summary([(s - usual) * 1000 for s in while_decoding]),
        "while_prefilling_extra_ms": summary([(s - usual) * 1000 for s in while_prefilling]),
    }


def _judged(engine: Ours, number: int) -> float:
    begun = time.perf_counter()
    command = f"cat {WORDS[number % len(WORDS)]}.txt"
    engine.ask("judge", command, max_tokens=1, priority=Priority.JUDGE, system=RULES).text(600)
    return time.perf_counter() - begun


def _judged_during(engine: Ours, number: int, prompt: bool) -> float:
    length = 2400 if prompt else 5
    chat = engine.ask(f"chat {number} {prompt}", prose(length, 100 + number), max_tokens=400)
    if not prompt:
        next(chat)
    time.sleep(random.Random(number).uniform(0.05, 0.6))
    seconds = _judged(engine, number)
    chat.cancel()
    chat.text(600)
    return seconds


def cancel(path: Path, _runs: int) -> dict[str, Any]:
    """From `cancel` to the end of the stream."""
    with ours(path) as engine:
        engine.warm_up()
        decoding = [_cancelled(engine, number, prompt=False) for number in range(REACTIONS)]
        prefilling = [_cancelled(engine, number, prompt=True) for number in range(REACTIONS)]
    return {
        "while_decoding_ms": summary([s * 1000 for s in decoding]),
        "while_prefilling_ms": summary([s * 1000 for s in prefilling]),
    }


def _cancelled(engine: Ours, number: int, prompt: bool) -> float:
    text = prose(2400 if prompt else 5, 200 + number)
    chat = engine.ask(f"cancel {number} {prompt}", text, max_tokens=400)
    if not prompt:
        next(chat)
    time.sleep(random.Random(number).uniform(0.05, 0.5))
    begun = time.perf_counter()
    chat.cancel()
    chat.text(600)
    return time.perf_counter() - begun


def resting(path: Path, runs: int) -> dict[str, Any]:
    """What a switch between two conversations of 2,000 tokens costs over staying in one."""
    with ours(path) as engine:
        engine.warm_up()
        texts = {name: prose(1500, seed) for seed, name in enumerate(("one", "two"))}
        for name in ("one", "two"):
            engine.ask(name, texts[name], max_tokens=1).text(600)
        stayed: list[float] = []
        switched: list[float] = []
        for run in range(runs):
            for times, name in ((stayed, "two"), (switched, "one"), (stayed, "one"), (switched, "two")):
                begun = time.perf_counter()
                engine.ask(name, f"{texts[name]} {prose(8, run)}", max_tokens=1).text(600)
                times.append(time.perf_counter() - begun)
    return {
        "same_conversation_ms": summary([s * 1000 for s in stayed]),
        "other_conversation_ms": summary([s * 1000 for s in switched]),
    }


def memory(path: Path, runs: int) -> dict[str, Any]:
    """Resident and peak memory, and the load, in processes of their own; the file is in the page cache."""
    path.read_bytes()
    results = [_memory_run(path) for _ in range(runs)]
    return {name: summary([result[name] for result in results]) for name in results[0]}


def _memory_run(path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.engine", "--memory-probe", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def memory_probe(path: Path) -> dict[str, float]:
    """In a fresh process: load, compute a long prompt and an answer, unload."""
    process = psutil.Process()
    peak = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            peak[0] = max(peak[0], process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    with ours(path) as engine:
        loaded = engine.ask("a", prose(2000, 3), max_tokens=16)
        loaded.text(600)
        resident = process.memory_info().rss
        unloaded = threading.Event()
        engine.bus.subscribe(ModelUnloaded, lambda event: unloaded.set())
        engine.engine.unload("bench")
        unloaded.wait(60)
        after = process.memory_full_info().uss
    done.set()
    watcher.join()
    return {
        "load_s": round(loaded.metrics.load_s, 3),
        "resident_gb": round(resident / 1e9, 3),
        "peak_above_mb": round((peak[0] - resident) / 1e6, 1),
        "after_unload_uss_mb": round(after / 1e6, 1),
    }


def summary(values: Sequence[float]) -> dict[str, float]:
    """Median, spread and the 95th percentile."""
    ordered = sorted(values)
    return {
        "median": round(statistics.median(ordered), 3),
        "p95": round(ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)], 3),
        "min": round(ordered[0], 3),
        "max": round(ordered[-1], 3),
        "runs": len(ordered),
    }


def ratio(mine: Sequence[float], others: Sequence[float]) -> float:
    """The median of the ratios of runs that took turns."""
    return round(statistics.median(a / b for a, b in zip(mine, others, strict=True)), 3)


PARTS: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "decode": decode,
    "second_turn": second_turn,
    "restart": restart,
    "judge": judge,
    "cancel": cancel,
    "resting": resting,
    "memory": memory,
}


def model_file(name: str) -> Path:
    """A file, or the file of an installed model of the user's own profile."""
    model = Library(Paths.default(), Bus()).find(name)
    return model.path if model is not None else Path(name)


def consumer_named(name: str) -> Consumer:
    """`package.module:function`, a function that takes a Stream and returns when pieces arrived."""
    module, _, function = name.partition(":")
    found: Consumer = getattr(importlib.import_module(module), function)
    return found


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="a GGUF file, or the id of an installed model")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument(
        "--crossing", default=TO_THE_WINDOW, help="module:function that consumes the stream in `decode`"
    )
    parser.add_argument("--memory-probe", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_probe:
        print(json.dumps(memory_probe(Path(options.memory_probe))))
        return
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    model = model_file(options.model)
    if not model.is_file():
        parser.error("name a model file with --model")
    result: dict[str, Any] = {"bench": "engine", "machine": machine(), "model": model.name}
    for name in options.parts or PARTS:
        if name == "decode":
            result[name] = decode(model, options.runs, consumer_named(options.crossing))
        else:
            result[name] = PARTS[name](model, options.runs)
    result["targets"] = TARGETS
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
