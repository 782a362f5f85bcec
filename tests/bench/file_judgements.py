"""What a remark tells of a task or a cell: how likely the real model takes it for done.

    python -m tests.bench.file_judgements [--kept]

For each case of `file_judgements.toml`: by how many nats a yes, or another value, is likelier, and what comes
of it at the threshold in force. What nobody said counts apart: each is a question, or a look, for nothing.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import structlog

from desktop.chat.file_judgements import (
    ANSWERED_OVER_NOT,
    DONE_OVER_NOT,
    VALUE_OVER_OLD,
    WANTED_OVER_NOT,
    answered_over_not,
    done_over_not,
    value_over_old,
    wanted_over_not,
)
from tests.flows.real_model import installed_model, talking

CASES = Path(__file__).with_name("file_judgements.toml")


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kept", action="store_true")
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    table = tomllib.loads(CASES.read_text(encoding="utf-8"))
    kept = "kept_" if options.kept else ""
    model = installed_model()
    with (
        tempfile.TemporaryDirectory() as home,
        patch.dict(os.environ, {"HOME": home}),
        talking(Path(home) / "profile", model) as talk,
    ):
        submit = talk.core.engine.submit
        tasks = [
            (done_over_not(each["task"], each["said"], submit), each["done"], each["said"])
            for each in table[f"{kept}tasks"]
        ]
        cells = [
            (
                value_over_old(each["row"], each["cell"], each["was"], each["values"], each["said"], submit)[
                    1
                ],
                each["changed"],
                each["said"],
            )
            for each in table[f"{kept}cells"]
        ]
        of_files = {
            name: [
                (judge(each["said"], each["file"], each["line"], submit), each["is"], each["said"])
                for each in table.get(f"{kept}{name}", ())
            ]
            for name, judge in (("wanted", wanted_over_not), ("answered", answered_over_not))
        }
    for name, rows, threshold in (
        ("tasks", tasks, DONE_OVER_NOT),
        ("cells", cells, VALUE_OVER_OLD),
        ("wanted", of_files["wanted"], WANTED_OVER_NOT),
        ("answered", of_files["answered"], ANSWERED_OVER_NOT),
    ):
        for over, is_told, said in sorted(rows, reverse=True):
            sys.stdout.write(f"{over:6.2f} {'told' if is_told else '-   '} {said}\n")
        told = [over for over, is_told, _ in rows if is_told]
        others = [over for over, is_told, _ in rows if not is_told]
        found, wrong = sum(each >= threshold for each in told), sum(each >= threshold for each in others)
        sys.stdout.write(f"{name}: {found} of {len(told)} found, {wrong} of {len(others)} for nothing\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
