"""Which file is meant: descriptions in four languages, chosen by the real model.

    python -m tests.bench.described [--only WORDS]

For each case of `described.toml`: what was chosen, by which margin over the next file and over none, and how
many tokens were evaluated. A wrong file that something would be written to counts apart: there is to be none.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from desktop.chat.described_files import NONE, FileChoice, FileMeant, candidates, judged
from tests.bench.requests import Counted
from tests.flows.real_model import installed_model, talking

CASES = Path(__file__).with_name("described.toml")
NEAR = "near"


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="")
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    table = tomllib.loads(CASES.read_text(encoding="utf-8"))
    cases = [each for each in table["cases"] if options.only in each["say"]]
    model = installed_model()
    rows = []
    with tempfile.TemporaryDirectory() as home:
        folders = {"HOME": home, "STEWARD_CHAT__WORKSPACE": str(Path(home) / "Steward")}
        with patch.dict(os.environ, folders), talking(Path(home) / "profile", model) as talk:
            counted = Counted(talk)
            for case in cases:
                counted.begin()
                files = candidates(case["say"], table["files"][case["in"]], case["changes"])
                likely = FileChoice(talk.core.engine.submit).likely(case["say"], files)
                rows.append({**outcome(case, likely), "evaluated": counted.evaluated})
                sys.stdout.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
                sys.stdout.flush()
    wrong = sum(row["is_wrong"] for row in rows)
    written = sum(row["is_wrong"] and row["changes"] for row in rows)
    right = sum(row["is_right"] for row in rows)
    asked = len(rows) - right - wrong
    sys.stdout.write(
        f"{right} of {len(rows)} right, {asked} asked or left, {wrong} wrong ({written} to write to)\n"
    )
    return 0


def outcome(case: Mapping[str, Any], likely: Mapping[str, float]) -> dict[str, Any]:
    """What came of a case: right, wrong (another file), or neither, where it is asked or left as it was."""
    found = judged(likely, case["changes"])
    ranked = sorted((each for each in likely if each != NONE), key=lambda each: -likely[each])
    best, second = likely[ranked[0]], likely[ranked[1]]
    return {
        "say": case["say"],
        "changes": case["changes"],
        "meant": case["meant"],
        "found": found.name or "/".join(found.near) or NONE,
        "first": ranked[0],
        "ahead": round(best - second, 2),
        "over_none": round(best - likely[NONE], 2),
        "is_right": _is_right(case["meant"], found),
        "is_wrong": bool(found.name) and found.name != case["meant"],
    }


def _is_right(meant: str, found: FileMeant) -> bool:
    if meant == NEAR:
        return len(found.near) > 1
    return found.name == ("" if meant == NONE else meant) and not found.near


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
