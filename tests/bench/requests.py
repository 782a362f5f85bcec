"""`dev.py bench requests`: ordinary requests to the real model over a workspace, and what came of each.

    dev.py bench requests [--cases FILE] [--only WORDS] [--part N/M] [--model NAME] [--out FILE]

Each talk of `requests.toml` (or FILE) is a conversation of its own over a fresh copy of the same workspace,
or of the `world` that it names and FILE describes (texts by name, and under `pdf` the lines of PDFs). Every
question is allowed once, and afterwards the files are compared with what they were. Printed, and written to
FILE as JSON: the calls, the answer, the files that changed, the open reminders, what the engine evaluated,
and what of the talk's own expectations was missed. `--only` takes the talks whose name begins so; `--part
2/5` the second of five parts. A quarter of an hour for a hundred talks on two quiet cores.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from tests.flows.real_model import Step, Talk, installed_model, talking
from tests.tools.pdfs import pdf

CASES = Path(__file__).with_name("requests.toml")
SEED = 1
TEXTS = {
    "budget.csv": "item,amount\nrent,850\nfood,310\ntrain,95\nphone,20\nbooks,45\ngym,30\n",
    "todo.txt": "call the plumber\nreturn the library books\n",
    "shopping.txt": "bread\nmilk\neggs\n",
    "notes.txt": "Buy milk, eggs and bread.\nCall Anna on Friday at noon.\nThe rent is due on the 3rd.\n",
    "report.txt": (
        "The harbour museum had 12,400 visitors in October, a third more than the year before. Most came for "
        "the new exhibition on lighthouses, open until March. The roof of hall 2 leaks and will be "
        "repaired in November; the repair costs 18,000 euros, half of which the city pays.\n"
    ),
    "recipe.md": "# Pancakes\n\n- 250 g flour\n- 3 eggs\n- 500 ml milk\n\nMix, rest for 20 minutes, fry.\n",
    "meeting.md": "# Meeting 3 November\n\nPresent: Anna, Tom\n\nThe budget was approved.\n",
    "brief.txt": "Dear Ms Weber,\nthe heating is serviced on 12 December between 9 and 12.\nHaus GmbH\n",
    "documentos/lista.txt": "pan\nleche\nqueso\n",
    "photos/beach.jpg": "not really a picture",
    "scan1.txt": "first page\n",
    "scan2.txt": "second page\n",
    "scan3.txt": "third page\n",
    "Makefile": "all:\n\techo done\n",
}
PDFS = {
    "invoice-march.pdf": ("Invoice 2026-031", "Amount due: 412.50 EUR", "Pay by 31 March"),
    "contract.pdf": ("Rental contract", "Tenant: Jo Weber", "Rent: 850 EUR a month", "Notice: three months"),
}
WORLD: Mapping[str, Any] = {**TEXTS, "pdf": PDFS}


def furnish(
    root: Path, given: Mapping[str, str] | None = None, world: Mapping[str, Any] = WORLD
) -> dict[str, bytes]:
    """Put the workspace as it is before each talk, with the files it is `given`; what is in it by name."""
    for old in sorted(root.rglob("*"), reverse=True):
        old.rmdir() if old.is_dir() else old.unlink()
    texts = {name: text for name, text in world.items() if name != "pdf"} | dict(given or {})
    contents = {name: text.encode() for name, text in texts.items()}
    contents |= {name: pdf(lines) for name, lines in world.get("pdf", {}).items()}
    for name, content in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return contents


def standing(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def differences(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, str]:
    """The names that are new, gone or have other content, with what is in them now."""
    found = {name: "(gone)" for name in before if name not in after}
    for name, content in after.items():
        if before.get(name) != content:
            found[name] = content.decode("utf-8", "replace")
    return found


def missed(
    talk: Mapping[str, Any], steps: Sequence[Step], changed: Mapping[str, str], root: Path
) -> list[str]:
    """What the talk expects and did not get. `answer` and `never` are looked for in the last answer, `files`
    by name in what stands there afterwards; a file that changed and is in neither list is a loss."""
    last = steps[-1].text
    problems = []
    if "answer" in talk and not re.search(talk["answer"], last, re.IGNORECASE | re.DOTALL):
        problems.append(f"the answer lacks /{talk['answer']}/")
    if "never" in talk and re.search(talk["never"], last, re.IGNORECASE):
        problems.append(f"the answer has /{talk['never']}/")
    for name, expected in talk.get("files", {}).items():
        problems += _of_file(root / name, name, expected)
    problems += [f"{name} was changed" for name in changed if name not in talk.get("files", {})]
    names = [name for step in steps for name in step.names]
    problems += [f"no call of {name}" for name in talk.get("calls", ()) if name not in names]
    return problems


def open_reminders(talk: Talk) -> list[str]:
    """Each as "2026-11-24 07:30 put the bins out", the next one first."""
    open_ones = sorted(talk.core.reminders.open(), key=lambda each: each.due)
    return [f"{each.due.astimezone():%Y-%m-%d %H:%M} {each.text}" for each in open_ones]


def other_reminders(talk: Mapping[str, Any], found: Sequence[str]) -> list[str]:
    """What the talk expects of the open `reminders` afterwards, a pattern for each, and what else is."""
    expected = talk.get("reminders")
    if expected is None:
        return []
    missing = [each for each in expected if not any(re.search(each, one, re.IGNORECASE) for one in found)]
    others = [one for one in found if not any(re.search(each, one, re.IGNORECASE) for each in expected)]
    problems = [f"no reminder is /{each}/" for each in missing]
    problems += [f"a reminder is {one!r}" for one in others]
    return problems or ([f"{len(found)} reminders"] if len(found) != len(expected) else [])


def _of_file(path: Path, name: str, expected: str) -> list[str]:
    if expected == "-":
        return [f"{name} is still there"] if path.exists() else []
    if expected == "*":
        return [] if path.exists() else [f"{name} is not there"]
    content = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    is_right = re.search(expected, content, re.IGNORECASE | re.DOTALL)
    return [] if is_right else [f"{name} has not /{expected}/ but {content[:80]!r}"]


class Counted:
    """What the engine evaluated since `begin`: requests, tokens of prompts that were not in its cache, tokens
    that it wrote. Valid whatever else the computer does."""

    def __init__(self, talk: Talk) -> None:
        from desktop.engine.events import GenerationFinished

        self.requests = self.evaluated = self.written = 0
        talk.core.bus.subscribe(GenerationFinished, self._on_finished)

    def begin(self) -> None:
        self.requests = self.evaluated = self.written = 0

    def _on_finished(self, event: Any) -> None:
        self.requests += 1
        self.evaluated += event.metrics.prompt_tokens - event.metrics.reused_tokens
        self.written += event.metrics.answer_tokens


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    cases = tomllib.loads(options.cases.read_text(encoding="utf-8"))
    worlds = cases.get("world", {})
    talks = cases["talk"]
    talks = [each for each in talks if each.get("name", "").startswith(options.only)]
    number, parts = map(int, options.part.split("/"))
    talks = talks[number - 1 :: parts]
    model = installed_model()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as home:
        folders = {"HOME": home, "STEWARD_CHAT__WORKSPACE": str(Path(home) / "Steward")}
        with patch.dict(os.environ, folders), talking(Path(home) / "profile", model) as talk:
            counted = Counted(talk)
            for each in talks:
                rows.append(tried(talk, counted, each, worlds.get(each.get("world"), WORLD)))
                sys.stdout.write(told(rows[-1]))
                sys.stdout.flush()
                if options.out is not None:
                    options.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    good = sum(not row["missed"] for row in rows)
    sys.stdout.write(f"{good} of {len(rows)} talks as expected\n")
    return 0


def tried(
    talk: Talk, counted: Counted, case: Mapping[str, Any], world: Mapping[str, Any] = WORLD
) -> dict[str, Any]:
    talk.begin(SEED, {})
    for reminder in talk.core.reminders.open():
        talk.core.reminders.end(reminder.id)
    before = furnish(talk.root, case.get("given"), world)
    steps, rows = [], []
    for request in case["say"]:
        counted.begin()
        step = talk.ask(request)
        steps.append(step)
        rows.append(
            {
                "said": request,
                "calls": [[name, arguments, str(ending)] for name, arguments, ending in step.calls],
                "answer": step.text,
                "cost": [counted.requests, counted.evaluated, counted.written],
                "seconds": round(step.seconds, 1),
            }
        )
    changed = differences(before, standing(talk.root))
    return {
        "name": case.get("name", ""),
        "turns": rows,
        "changed": changed,
        "reminders": open_reminders(talk),
        "want": case.get("want", ""),
        "missed": missed(case, steps, changed, talk.root) + other_reminders(case, open_reminders(talk)),
    }


def told(row: Mapping[str, Any]) -> str:
    lines = [f"== {row['name']}"]
    for turn in row["turns"]:
        lines += [f"> {turn['said']}   {turn['cost']} {turn['seconds']} s"]
        lines += [f"   {name}({arguments}) {ending}" for name, arguments, ending in turn["calls"]]
        lines += [f"   {turn['answer'][:400]}"]
    lines += [f"   [{name}] {content[:200]!r}" for name, content in row["changed"].items()]
    lines += [f"   MISSED {each}" for each in row["missed"]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
