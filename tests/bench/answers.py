"""`dev.py bench answers`: plain questions, with and without the list of tools before the model's eyes.

    dev.py bench answers [--model NAME] [--seeds N] [--profile DIR]

The baseline in the same run writes with that list in the prompt. An answer counts as right where it has the
word that is expected and speaks of no tool. `follow_up_s` is the median time to the first word of a second
question, asked once the engine rests (as after reading the answer) and at once. Prints JSON; some minutes.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from desktop.app import Services, build_core
from desktop.chat.agent_loop import AgentLoop
from desktop.chat.events import AnswerGrew
from desktop.chat.turns import Turns
from desktop.cli.chat import forgotten_store, running_engine
from desktop.paths import Paths
from tests.flows.real_model import Seeded

QUESTIONS = (
    ("What is the capital of France?", r"paris"),
    ("Who wrote Faust?", r"goethe"),
    ("How many legs does a spider have?", r"eight|8"),
    ("Write a Python function that adds two numbers.", r"def \w+\("),
    ("What is photosynthesis?", r"light"),
    ("Name three fruits.", r"apple|banana|orange"),
    ('Translate "good morning" to German.', r"guten morgen"),
    ("Why is the sky blue?", r"scatter"),
    ("Wie heißt die Hauptstadt von Spanien?", r"madrid"),
    ("Write a polite email declining a meeting.", r"meeting"),
    ("Write a haiku about the sea.", r"sea|wave|ocean"),
    ("What is the difference between a list and a tuple in Python?", r"mutable|changed|modif"),
)
ASKED_FIRST = "What is photosynthesis? Explain it in two paragraphs."
ASKED_NEXT = "And where in the plant does it happen?"
OF_TOOLS = re.compile(
    r"tools? provided|search_text|find_files|system_info|run_command|<tool|list_files|read_file|web_search"
    r"|I can use the|I will use|using the tools|database",
    re.IGNORECASE,
)
SEEDS = 3


class Asking:
    """A program without its windows; each question in a chat of its own, unless one is given."""

    def __init__(self, core: Services, store: Any) -> None:
        self._engine, self._store = Seeded(core.engine), store
        self._turns = Turns(
            store,
            self._engine,  # type: ignore[arg-type]
            core.bus,
            lambda: core.settings.current,
            core.acting,
        )
        self._grew_at = 0.0
        core.bus.subscribe(AnswerGrew, self._on_grew)
        self._turns.warm_up()

    def ask(self, question: str, seed: int, chat: int | None = None) -> tuple[str, float]:
        """The answer, and the seconds to its first word."""
        self._engine.seed, self._grew_at = seed, 0.0
        begun = time.perf_counter()
        answer = self._turns.run(self.chat() if chat is None else chat, question)
        return answer.text, (self._grew_at or time.perf_counter()) - begun

    def chat(self) -> int:
        return int(self._store.create().id)

    def rest(self) -> None:
        """Until the engine has nothing to do."""
        while self._engine.is_busy:
            time.sleep(0.05)

    def _on_grew(self, _event: AnswerGrew) -> None:
        self._grew_at = self._grew_at or time.perf_counter()


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--profile", type=Path)
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    core = build_core(Paths.under(options.profile) if options.profile else Paths.default())
    with running_engine(core, options.model), forgotten_store() as store:
        asking = Asking(core, store)
        found = {"without_list": _measured(asking, options.seeds)}
        with patch.object(AgentLoop, "_without_tools", lambda _self, base: base):
            found["with_list"] = _measured(asking, options.seeds)
    core.close()
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return 0


def _measured(asking: Asking, seeds: int) -> dict[str, Any]:
    right, wrong, first_s = 0, [], []
    for question, expected in QUESTIONS:
        for seed in range(1, seeds + 1):
            asking.rest()
            answer, seconds = asking.ask(question, seed)
            first_s.append(seconds)
            if re.search(expected, answer, re.IGNORECASE) and not OF_TOOLS.search(answer):
                right += 1
            else:
                wrong.append(f"{question} {answer[:80]}")
    return {
        "right": right,
        "of": len(first_s),
        "first_word_s": round(statistics.median(first_s), 2),
        "follow_up_s": {
            "rested": _follow_up(asking, seeds, asking.rest),
            "at_once": _follow_up(asking, seeds, lambda: None),
        },
        "wrong": wrong,
    }


def _follow_up(asking: Asking, seeds: int, pause: Callable[[], None]) -> float:
    seconds = []
    for seed in range(1, seeds + 1):
        asking.rest()
        chat = asking.chat()
        asking.ask(ASKED_FIRST, seed, chat)
        pause()
        seconds.append(asking.ask(ASKED_NEXT, seed, chat)[1])
    return round(statistics.median(seconds), 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
