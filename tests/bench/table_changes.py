"""Changes of tables and lists in anybody's words: which the real model puts into the right statements.

    python -m tests.bench.table_changes [words …]

For each case of `table_changes.toml`, or those that have one of the words: the lines that would be written,
and whether they are those that have to be. Each message is about the workspace as the one before left it. The
first prompt is read whole; some three minutes on one quiet core.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from desktop.chat.intent_plan import IntentPlan
from desktop.chat.references import Past
from desktop.chat.table_changes import TableChanges
from tests.chat.test_intents import Folder
from tests.flows.real_model import installed_model, talking

CASES = Path(__file__).with_name("table_changes.toml")
TODAY = date(2026, 11, 29)


class Workspace(Folder):
    """The texts of a world, as they are after the changes so far."""

    def __init__(self, world: Mapping[str, Any]) -> None:
        self._texts: dict[str, str] = {name: text for name, text in world.items() if name != "pdf"}
        self._documents: Mapping[str, Sequence[str]] = world.get("pdf", {})

    def files(self) -> Sequence[str]:
        return (*self._texts, *self._documents)

    def text(self, name: str) -> str:
        return self._texts.get(name, "")

    def whole(self, name: str) -> str:
        return self._texts.get(name, "")

    def document(self, name: str) -> str:
        return "\n".join(self._documents.get(name, ()))

    def change(self, plan: IntentPlan) -> list[str]:
        """The lines that the plan writes, and those that go."""
        changed = []
        for call in plan.calls:
            given = {key: str(value) for key, value in call.arguments.items()}
            name, text = given["path"], self._texts[given["path"]]
            if call.name == "append_text":
                self._texts[name] = f"{text.rstrip()}\n{given['text']}\n"
                changed.append(f"{name}: {given['text']}")
                continue
            old, new = given["old"], given["new"]
            self._texts[name] = text.replace(f"{old}\n" if not new else old, new, 1)
            changed.append(f"{name}: {new.splitlines()[-1]}" if new else f"- {name}: {old}")
        return changed


def main(words: Sequence[str]) -> int:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    cases = tomllib.loads(CASES.read_text(encoding="utf-8"))["case"]
    chosen = [
        each for each in cases if not words or any(word in said for word in words for said in each["say"])
    ]
    model, right, asked = installed_model(), 0, 0
    with (
        tempfile.TemporaryDirectory() as home,
        patch.dict(os.environ, {"HOME": home}),
        talking(Path(home) / "profile", model) as talk,
    ):
        for case in chosen:
            workspace, past = Workspace(_worlds(case["from"])[case["world"]]), Past()
            for said, want in zip(case["say"], case["want"], strict=True):
                plan = TableChanges(workspace, past, talk.core.engine.submit, TODAY).plan(said)
                done = workspace.change(plan) if plan is not None else []
                texts = [step.text for step in plan.steps if step.text] if plan is not None else []
                is_right = _is_right(done, texts, want)
                right, asked = right + is_right, asked + 1
                shown = "".join(f"       {each}\n" for each in (*done, *texts))
                sys.stdout.write(f"{'right' if is_right else 'WRONG'}  {said}\n{shown}")
                sys.stdout.flush()
                past = _past(said, plan, texts)
    sys.stdout.write(f"{right} of {asked} right\n")
    return 0


@cache
def _worlds(name: str) -> Mapping[str, Any]:
    worlds: Mapping[str, Any] = tomllib.loads(CASES.with_name(name).read_text(encoding="utf-8"))["world"]
    return worlds


def _past(said: str, plan: IntentPlan | None, texts: Sequence[str]) -> Past:
    return Past(asked=said, calls=plan.calls if plan is not None else (), text=texts[0] if texts else "")


def _is_right(done: Sequence[str], texts: Sequence[str], want: Sequence[str]) -> bool:
    asks = [each.removeprefix("? ") for each in want if each.startswith("? ")]
    is_asked = len(texts) == len(asks) and all(name in text for name, text in zip(asks, texts, strict=True))
    return is_asked and sorted(done) == sorted(each for each in want if not each.startswith("? "))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
