"""Questions that rows answer: which the real model puts into a query that finds the right ones.

    python -m tests.bench.table_questions [words …]

For each case of `table_questions.toml`, or those that have one of the words: what is told, and whether it has
all that has to be in it and nothing that may not. Cases that no row answers count as right where nothing is
told. The first prompt is read whole; a minute on one busy core.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import Surroundings
from desktop.chat.references import Past
from desktop.chat.table_questions import TableQuestions
from tests.chat.test_intents import Folder
from tests.flows.real_model import installed_model, talking

CASES = Path(__file__).with_name("table_questions.toml")
TODAY = date(2026, 11, 29)


class OneFile(Folder):
    """A workspace with this file."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self._text = name, text

    def files(self) -> Sequence[str]:
        return (self.name,)

    def whole(self, name: str) -> str:
        return self._text if name == self.name else ""


def main(words: Sequence[str]) -> int:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    read = tomllib.loads(CASES.read_text(encoding="utf-8"))
    cases = [each for each in read["case"] if not words or any(word in each["ask"] for word in words)]
    model, right = installed_model(), 0
    with (
        tempfile.TemporaryDirectory() as home,
        patch.dict(os.environ, {"HOME": home}),
        talking(Path(home) / "profile", model) as talk,
    ):
        for case in cases:
            file = read["file"][case["file"]]
            around: Surroundings = OneFile(file["name"], file["text"])
            questions = TableQuestions(around, _past(case, file["name"]), talk.core.engine.submit, TODAY)
            answer = questions.answer(case["ask"], file["name"])
            told = answer.told if answer is not None else ""
            is_right = _is_right(case, told)
            right += is_right
            sys.stdout.write(f"{'right' if is_right else 'WRONG'}  {case['ask']}\n       {told}\n")
    sys.stdout.write(f"{right} of {len(cases)} right\n")
    return 0


def _past(case: Mapping[str, Any], name: str) -> Past:
    if "before" not in case:
        return Past()
    asked, told = case["before"]
    return Past(asked=asked, text=told, calls=(ParsedCall("read_file", {"path": name}),))


def _is_right(case: Mapping[str, Any], told: str) -> bool:
    if not case["want"]:
        return not told
    said = told.casefold()
    is_there = all(each.casefold() in said for each in case["want"])
    return is_there and not any(each.casefold() in said for each in case.get("never", ()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
