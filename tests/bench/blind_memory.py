"""Memory against sets by somebody who had not seen the program: corrections, other words, forgetting.

    python -m tests.bench.blind_memory corrections|recall|forgetting [--cases FILE]
        [--vectors FILE | --subjects [--kept FILE]]

`corrections`: each pair in a store of its own; after the later sentence is said, a question for the slot is
to be told the later sentence and not the first, and with a look-alike the first as before. Where a set
names only the slot, the question for it stands in `blind_slots.toml`. `recall`: all facts of a set lie in one
store for each language; a question is to be told its fact, and an unrelated one nothing. `forgetting`: the
way of the program, as in `blind.py`; the user says yes, or names the numbers of what was meant, where that is
asked. What was to be forgotten is then looked for with its own words, in memory and in all bytes of the
profile.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from desktop.memory.item import MemorySource
from desktop.memory.memory import Memory
from desktop.memory.store import View
from tests.bench import blind
from tests.bench import memory as bench

HERE = Path(__file__).parent
VIEW = View.of(session="asked")
BUDGET = 400
Row = Mapping[str, Any]
Done = Callable[[Memory, Callable[[], object]], Any]
Opened = Callable[[str, Done], Any]


def opened_in(root: Path, model: Path | None) -> Opened:
    """Gives a memory of its own, by a name, to what is to be done with it."""

    def opened(name: str, done: Done) -> Any:
        if model is None:
            return bench._with(root / name, lambda memory: done(memory, lambda: None))
        from tests.bench.memory_vectors import with_vectors_of

        return with_vectors_of(root / f"v-{name}", model, done)

    return opened


def told(memory: Memory, question: str) -> tuple[frozenset[int], str]:
    """As a conversation is told."""
    context = memory.assembler.assemble(
        question, BUDGET, VIEW, lambda text: len(text) // 4, only_relevant=True
    )
    return context.ids, context.content


# -- corrections ----------------------------------------------------------------------------------


def corrections(rows: Sequence[Row], opened: Opened) -> list[dict[str, Any]]:
    slots = tomllib.loads((HERE / "blind_slots.toml").read_text(encoding="utf-8"))
    return [opened(f"pair-{n}", partial(_corrected, row, slots)) for n, row in enumerate(rows)]


def _corrected(
    row: Row, slots: Mapping[str, Any], memory: Memory, made: Callable[[], object]
) -> dict[str, Any]:
    question = row.get("question") or slots[row["language"]][row["slot"]]
    first, *_ = memory.record("first", "user", row["first"], MemorySource.USER)
    made()
    was_told = first in told(memory, question)[0]
    later, *_ = memory.record("later", "user", row["later"], MemorySource.USER)
    made()
    ids, content = told(memory, question)
    kept = row["first"] not in content and first not in ids
    if row["corrects"]:
        problem = "" if later in ids and kept else "both" if later in ids else "older" if not kept else "none"
    else:
        problem = "set aside" if was_told and kept else ""
    return {
        "kind": "correction" if row["corrects"] else "look-alike",
        "text": f"{row['first']} | {row['later']} | {question}",
        "first_told_before": was_told,
        "missed": problem,
    }


# -- other words ----------------------------------------------------------------------------------


def recall(rows: Sequence[Row], opened: Opened) -> list[dict[str, Any]]:
    languages = dict.fromkeys(row["language"] for row in rows)
    found = []
    for language in languages:
        mine = [row for row in rows if row["language"] == language]
        found += opened(f"facts-{language}", partial(_recalled, mine))
    return found


def _recalled(rows: Sequence[Row], memory: Memory, made: Callable[[], object]) -> list[dict[str, Any]]:
    # A question that is unrelated may have a fact of its own, which tempts, or none.
    ids = [
        next(iter(memory.record(str(number), "user", row["fact"], MemorySource.USER)), 0)
        if row["fact"]
        else 0
        for number, row in enumerate(rows)
    ]
    texts = dict(zip(ids, (row["fact"] for row in rows), strict=True))
    made()
    found = []
    for item_id, row in zip(ids, rows, strict=True):
        got = told(memory, row["question"])[0]
        if row.get("unrelated"):
            problem = "told " + "; ".join(texts[each] for each in got) if got else ""
        else:
            problem = "" if item_id in got else "not told"
        found.append(
            {
                "kind": "unrelated" if row.get("unrelated") else "fact",
                "text": f"{row['fact']} | {row['question']}",
                "besides": len(got - {item_id}),
                "missed": problem,
            }
        )
    return found


# -- forgetting -----------------------------------------------------------------------------------


def forgetting(rows: Sequence[Row], _opened: Opened) -> list[dict[str, Any]]:
    return [_forgotten(row) for row in rows]


def _forgotten(row: Row) -> dict[str, Any]:
    with blind.profile() as (used, _, folder):
        first = used.chat()
        for text in row["facts"]:
            # A secret is kept only after a question.
            if blind._asks_yes(used.say(text, first).text):
                used.say(blind.YES[row["language"]], first)
        said = [used.say(row["request"], first).text]
        while len(said) <= len(row["facts"]) and (reply := _reply(said[-1], row)):
            said.append(used.say(reply, first).text)
        memory = used.core.memory
        memory.capture.flush()
        # The words of the facts themselves bring back whatever is left of them.
        back = " ".join(told(memory, text)[1] for text in row["facts"])
        problems = [f"told again: {word}" for word in row["forgets"] if blind._in(word, back)]
        problems += [f"in memory: {word}" for word in row["forgets"] if blind._has(used, word)]
        problems += [f"was lost: {word}" for word in row["keeps"] if not blind._has(used, word)]
        problems += blind._bytes_left(folder, row["forgets"], "while open")
        is_alike = bool(row.get("look_alike"))
        if is_alike and (blind._asks_yes(said[0]) or re.search(r"^1\. ", said[0], re.M)):
            problems.append("offers to forget")
    return {
        "kind": "look-alike" if is_alike else "wish",
        "text": " / ".join((*row["facts"], row["request"])),
        "said": said,
        "missed": "; ".join(problems),
    }


def _reply(asked: str, row: Row) -> str:
    """What a user says to what is shown: the numbers of what was meant where they are asked for; yes where
    all that is shown was meant; else the number of one that was; nothing where none was."""
    lines = [(each[1], each[2]) for each in re.finditer(r"^(\d+)\. (.*)$", asked, re.M)]
    meant = [number for number, text in lines if any(blind._in(word, text) for word in row["forgets"])]
    if "“all”" in asked or "„alle“" in asked:
        return ", ".join(meant)
    if not blind._asks_yes(asked) or (lines and not meant):
        return ""
    return blind.YES[row["language"]] if len(meant) == len(lines) else f"/forget {meant[0]}"


# -- all of them ----------------------------------------------------------------------------------

PARTS = {"corrections": corrections, "recall": recall, "forgetting": forgetting}


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--cases", type=Path)
    parser.add_argument("--vectors", type=Path, help="the file of the embedding model; else words only")
    parser.add_argument("--subjects", action="store_true", help="the chat model says what texts are about")
    parser.add_argument("--kept", type=Path, help="the file for what the model answered")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    cases = options.cases or HERE / f"blind_memory_{options.part}_dev.toml"
    rows = tomllib.loads(cases.read_text(encoding="utf-8"))["rows"]
    with tempfile.TemporaryDirectory() as root, ExitStack() as ending:
        opened = opened_in(Path(root), options.vectors)
        if options.subjects:
            from tests.bench.memory_subjects import opened_with_subjects

            opened = ending.enter_context(opened_with_subjects(Path(root), options.kept))
        found = PARTS[options.part](rows, opened)
    for number, row in enumerate(found):
        sys.stdout.write(f"{number}. {row['kind']}: {row['text']}\n")
        if row["missed"]:
            sys.stdout.write(f"   MISSED {row['missed']}\n")
        for line in row.get("said", ()):
            sys.stdout.write(f"   > {line[:300]}\n")
    if options.out is not None:
        options.out.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")
    for kind in dict.fromkeys(row["kind"] for row in found):
        mine = [row for row in found if row["kind"] == kind]
        sys.stdout.write(f"{kind}: {sum(not row['missed'] for row in mine)} of {len(mine)} as expected\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
