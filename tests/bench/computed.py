"""`python -m tests.bench.computed`: requests for what is computed from files, and what comes of them.

    python -m tests.bench.computed [--cases FILE] [--model] [--alike] [--rows]

Each request of FILE is read over the same files. Right is what is told and written as it says there; asked is
a question, or that something is missing, where another answer was right; left alone is what goes on to the
model; wrong is all else. The choice of files and entries is that of a table of meanings, or with --model of
the real model. --alike reads the sentences of computed_alike.txt, none of which is a computation.
--rows has the real model say which entry each word of described_rows.toml is, with how far it is ahead.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop.chat.computed_requests import (
    ComputedRequests,
    RowChoice,
    only_what_is_missing,
    order_unless_there,
)
from desktop.chat.computed_requests import judged as row_judged
from desktop.chat.described_files import NONE
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan
from desktop.chat.intents import Intents
from desktop.chat.references import Past
from desktop.chat.tool_args import Submit
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Stream
from tests.bench.requests import TEXTS
from tests.chat.test_intents import Folder

HERE = Path(__file__).parent
FILES: dict[str, str] = {**TEXTS, **tomllib.loads((HERE / "computed_files.toml").read_text(encoding="utf-8"))}
# What the words of the requests mean, where the files have others.
MEANINGS = {
    "miete": "rent", "loyer": "rent", "alquiler": "rent", "gym": "gym", "essen": "food", "comida": "food",
    "libros": "books", "livres": "books", "milch": "milk", "leche": "milk", "lait": "milk", "oeufs": "eggs",
    "geschenk": "gifts", "rechnungen": "bill", "facture": "bill", "factures": "bill", "factura": "bill",
    "facturas": "bill", "vencen": "due", "fällig": "due",
    "museum": "museum", "hôtel": "hotel", "hotel": "hotel",
}  # fmt: skip
MEANT = (("recipe.md", r"recipe|rezept|recette|receta"), ("budget.csv", r"spend|geb|dépens|gast"))


class Workspace(Folder):
    def files(self) -> Sequence[str]:
        return list(FILES)

    def text(self, name: str) -> str:
        return FILES.get(name, "")

    def whole(self, name: str) -> str:
        return FILES.get(name, "")


def by_table(request: GenerateRequest) -> Stream:
    """A model that knows what the words of `MEANINGS` mean, and nothing else."""
    stream = Stream(lambda: None)
    asked = request.messages[-1].content
    word = asked.rpartition("Said: ")[2].casefold()
    meant = MEANINGS.get(word, "") if asked.startswith("Entries:") else ""
    if asked.startswith("Files:"):
        meant = next((name for name, words in MEANT if re.search(words, word)), "")
    stream.put_scores({each: 9.0 if each == meant else 0.0 for each in request.labels or (request.weighed,)})
    stream.end(FinishReason.STOP, Metrics())
    return stream


def past_of_case(case: Mapping[str, Any]) -> Past:
    past = Past(**case.get("past", {}))
    return replace(past, calls=(ParsedCall("read_file", {"path": past.file}),)) if past.file else past


def read(said: str, past: Past, submit: Submit) -> IntentPlan | None:
    around = Workspace()
    only = order_unless_there(said)
    if only is not None:
        order, language = only
        plan = Intents(around).plan(order, past)
        return only_what_is_missing(plan, around, submit, language) if plan is not None else None
    return ComputedRequests(around, past, submit).plan(said)


def judged(case: Mapping[str, Any], plan: IntentPlan | None) -> str:
    if plan is None:
        return "left alone"
    told = "\n".join(step.text for step in plan.steps)
    written = {}
    for call in plan.calls:
        is_added = call.name == "append_text"
        text = str(call.arguments["text" if is_added else "content"])
        written[str(call.arguments["path"])] = f"+ {text}" if is_added else text
    if re.search(case["told"], told) and written == case.get("writes", {}):
        return "right"
    is_question = not plan.calls and not any(" = " in step.text for step in plan.steps)
    return "asked" if is_question else "wrong"


@contextmanager
def chosen_by(is_model: bool) -> Iterator[Submit]:
    if not is_model:
        yield by_table
        return
    import tempfile

    from tests.flows.real_model import installed_model, talking

    with tempfile.TemporaryDirectory() as home, talking(Path(home) / "profile", installed_model()) as talk:
        yield talk.core.engine.submit


def rows(submit: Submit) -> int:
    counts: dict[str, int] = {}
    for each in tomllib.loads((HERE / "described_rows.toml").read_text(encoding="utf-8"))["list"]:
        for word, meant in each["words"]:
            likely = RowChoice(submit).likely(word, each["entries"])
            found = row_judged(likely)
            label = found.label or NONE
            kind = (
                "right"
                if label == meant
                else "asked"
                if found.near
                else "left"
                if not found.label
                else "wrong"
            )
            counts[kind] = counts.get(kind, 0) + 1
            ranked = sorted((name for name in likely if name != NONE), key=lambda name: -likely[name])
            over_none = likely[ranked[0]] - likely[NONE]
            over_next = likely[ranked[0]] - likely[ranked[1]]
            sys.stdout.write(
                f"{kind} {word}: {ranked[0]} ({meant}) none {over_none:.1f} next {over_next:.1f}\n"
            )
    sys.stdout.write(f"{counts}\n")
    return 0


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=Path, default=HERE / "computed_dev.toml")
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--alike", action="store_true")
    parser.add_argument("--rows", action="store_true")
    options = parser.parse_args(words)
    with chosen_by(options.model or options.rows) as submit:
        if options.rows:
            return rows(submit)
        if options.alike:
            said = (HERE / "computed_alike.txt").read_text(encoding="utf-8").splitlines()
            taken = [(each, plan) for each in said if (plan := read(each, Past(), submit)) is not None]
            for each, plan in taken:
                sys.stdout.write(f"TAKEN {each}\n   {plan.steps}\n")
            sys.stdout.write(f"{len(said) - len(taken)} of {len(said)} left alone\n")
            return 0
        counts: dict[str, int] = {}
        for case in tomllib.loads(options.cases.read_text(encoding="utf-8"))["request"]:
            plan = read(case["say"], past_of_case(case), submit)
            kind = judged(case, plan)
            counts[kind] = counts.get(kind, 0) + 1
            if kind != "right":
                sys.stdout.write(
                    f"{kind.upper()}: {case['say']}\n   {plan.steps if plan is not None else ''}\n"
                )
    sys.stdout.write(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
