"""What memory costs in an answer: a new block, a turn that adds nothing, a second turn with tools and memory.

Against the same low-level calls in a plain loop on the same weights, pair by pair; part of
`dev.py bench memory --model FILE`.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop.app import Services, build_core
from desktop.chat.tool_mode import ToolMode, ToolProfile
from desktop.engine.host import physical_cores
from desktop.engine.requests import GenerateRequest, Message, Priority
from desktop.memory.context import AssembledContext
from desktop.memory.item import NewItem
from desktop.memory.store import View
from desktop.paths import Paths
from desktop.tools.tool import Toolbox
from tests.bench.engine import CHAIN, WORDS, Bare, Ours, bare, prose, ratio, summary

BUDGET = 400
OPENING = 8  # tokens at the end of a prompt that open the answer


def cost(path: Path, runs: int) -> dict[str, Any]:
    """All three, with the model file at `path`."""
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as folder:
        # As many threads all the time: both sides compute alike, and nothing is calibrated meanwhile.
        engine = Ours(path, Path(folder) / "engine", threads=physical_cores())
        core = build_core(Paths.under(Path(folder) / "core"))
        try:
            engine.ask("warm", "Hello", max_tokens=4).text(600)
            return _Cost(engine, core).measured(runs)
        finally:
            core.close()
            engine.close()


class _Cost:
    """The prompts that a conversation with tools makes, with and without what is remembered."""

    def __init__(self, engine: Ours, core: Services) -> None:
        self._engine = engine
        self._core = core
        self._manner = ToolProfile.of(engine.model.facts, ToolMode.NATIVE)
        toolbox: Toolbox = core.toolbox
        self._system = Message("system", self._manner.instructions(toolbox))
        self._tools = self._manner.schemas(toolbox)

    def measured(self, runs: int) -> dict[str, Any]:
        self._remember(runs + 2)
        ratios, blocks, seconds_of, seconds, again, turns = [], [], [], [], [], []
        with bare(self._engine.session, self._engine.session.threads) as loop:
            all_found = [self._of_one_conversation(run, loop) for run in range(runs + 1)]
        for run, found in enumerate(all_found):
            if run:  # the first reads the instructions
                ratios.append(found["block_s"] / found["bare_block_s"])
                blocks.append(found["block_tokens"])
                seconds_of.append(found["bare_block_s"])
                seconds.append(found["block_s"])
                again.append(found["evaluated_again"])
                turns.append(found["turn_s"] / found["bare_turn_s"])
        return {
            "block_tokens": statistics.median(blocks),
            "block_ms": summary([s * 1000 for s in seconds]),
            "bare_block_ms": summary([s * 1000 for s in seconds_of]),
            "block_ratio": round(statistics.median(ratios), 3),
            "block_ratio_of_medians": ratio(seconds, seconds_of),
            "evaluated_again_tokens": max(again),
            "second_turn_ratio": round(statistics.median(turns), 3),
        }

    def _of_one_conversation(self, run: int, loop: Bare) -> dict[str, Any]:
        question = f"Which {_word(run)} is in the {_word(run + 1)}, and where does it stand?"
        block = self._block(question)
        told = Message("user", f"{block.content}\n\n{question}")
        plain = Message("user", question)
        without_s, _ = self._first_token(f"plain {run}", [plain])
        with_s, reused = self._first_token(f"told {run}", [told])
        tokens, plain_tokens = self._tokens([told]), self._tokens([plain])
        loop.hold(tokens[:reused])
        bare_block_s = loop.first_token(tokens[reused:], reused)
        loop.hold(plain_tokens[:reused])
        bare_plain_s = loop.first_token(plain_tokens[reused:], reused)
        answered = [told, Message("assistant", "It stands there."), Message("user", f"{prose(20, run)}?")]
        turn_s, kept = self._first_token(f"told {run}", answered)
        later = self._tokens(answered)
        loop.hold(later[:kept])
        return {
            "block_s": max(with_s - without_s, 1e-6),
            "bare_block_s": max(bare_block_s - bare_plain_s, 1e-6),
            "block_tokens": len(tokens) - len(plain_tokens),
            # Of what the first turn had read, what the second reads once more.
            "evaluated_again": max(0, len(tokens) - OPENING - kept),
            "turn_s": turn_s,
            "bare_turn_s": loop.first_token(later[kept:], kept),
        }

    def _first_token(self, conversation: str, messages: Sequence[Message]) -> tuple[float, int]:
        begun = time.perf_counter()
        stream = self._engine.engine.submit(self._request(conversation, messages))
        next(stream)
        seconds = time.perf_counter() - begun
        stream.text(600)
        return seconds, stream.metrics.reused_tokens

    def _request(self, conversation: str, messages: Sequence[Message]) -> GenerateRequest:
        sampling = replace(CHAIN, max_tokens=2)
        whole = (self._system, *messages)
        return GenerateRequest(conversation, whole, sampling, Priority.CHAT, tools=self._tools)

    def _tokens(self, messages: Sequence[Message]) -> tuple[int, ...]:
        return self._engine.session.prompt_of(self._request("tokens", messages)).tokens

    def _block(self, question: str) -> AssembledContext:
        def count(text: str) -> int:
            return self._engine.engine.count_tokens(text) or len(text) // 3

        return self._core.memory.assembler.assemble(question, BUDGET, View.of(), count)

    def _remember(self, count: int) -> None:
        notes = [
            NewItem(f"the {_word(n)} is in the {_word(n + k)}, {prose(18, 50 * n + k)}")
            for n in range(count)
            for k in range(1, 9)
        ]
        self._core.memory.store.add_all(notes)


def _word(number: int) -> str:
    return WORDS[number % len(WORDS)]
