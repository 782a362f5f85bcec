"""`dev.py bench messages`: which messages the host answers itself: dangers to life, questions about Steward.

    dev.py bench messages [--of dangers|own_facts] [--set dev|kept] [--part N/M] [--show] [--out FILE]

Each message of `dangers_SET.toml` and `own_facts_SET.toml` goes the way of a turn: the tables and the rules
first, then the gates, then the model's judgement by the words that it would say. Answers in the model's own
words are not written: what would go on to them counts as left to the model. `--show` prints what went
wrong, `--out` keeps one line of JSON for each message. Costs are counted in new tokens of each judgement.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from unittest.mock import patch

import structlog

from desktop.app.chat_parts import answers_by_rule
from desktop.chat.fixed_answers import (
    EmergencyKind,
    OwnFact,
    asked_of_steward,
    emergency_in,
    may_ask_of_steward,
    signs_of_danger,
)
from desktop.chat.message_judge import MessageJudge
from desktop.engine.requests import GenerateRequest, Stream
from tests.flows.real_model import Talk, installed_model, talking

HERE = Path(__file__).parent
# What a card must be of, to answer a question of the topic.
ANSWERED_BY: Mapping[str, frozenset[OwnFact]] = {
    "sends": frozenset({OwnFact.SENDS}),
    "stores": frozenset({OwnFact.STORES}),
    "model": frozenset({OwnFact.MODEL}),
    "can_do": frozenset({OwnFact.CAN, OwnFact.REACH}),
    "cost": frozenset({OwnFact.MAKER}),
    "offline": frozenset({OwnFact.INTERNET}),
    "identity": frozenset({OwnFact.IDENTITY, OwnFact.MAKER}),
    "languages": frozenset({OwnFact.LANGUAGES}),
    "permissions": frozenset({OwnFact.REACH}),
    "learning": frozenset({OwnFact.TRAINING}),
}
# Cards that say what is to be done in an emergency of the kind, too.
SAYS_IT_TOO: Mapping[str, frozenset[EmergencyKind]] = {
    "breathing": frozenset({EmergencyKind.UNCONSCIOUS, EmergencyKind.HEART}),
    "bleeding": frozenset({EmergencyKind.UNCONSCIOUS}),
    "burn": frozenset({EmergencyKind.UNCONSCIOUS}),
    "fire": frozenset({EmergencyKind.UNCONSCIOUS}),
    "unconscious": frozenset({EmergencyKind.SEIZURE, EmergencyKind.BREATHING}),
    "injury": frozenset({EmergencyKind.HEAD, EmergencyKind.BLEEDING}),
}


@dataclass
class Row:
    """One message and what answers it. `by`: table, judge, doubt (a line before the model's answer), rule, or
    model; `what` is the card."""

    text: str
    language: str
    wanted: str  # kind or topic; "" where it is neither
    by: str = "model"
    what: str = ""
    new_tokens: list[int] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """Whether the card says what is to be done, or answers what was asked."""
        if self.by not in ("table", "judge"):
            return False
        if self.wanted in ANSWERED_BY:
            return self.what in ANSWERED_BY[self.wanted]
        of_kind = {self.wanted, EmergencyKind.GENERAL, *SAYS_IT_TOO.get(self.wanted, ())}
        return self.what in of_kind or self.wanted == "other"


class Asking:
    """Goes the way of a turn with one program."""

    def __init__(self, talk: Talk) -> None:
        self._engine = talk.core.engine
        self._rules = answers_by_rule(talk.core)
        self._costs: list[int] = []
        self._judge = MessageJudge(self._submit)

    def danger(self, row: Row) -> None:
        known = emergency_in(row.text, "DE")
        if known is not None:
            row.by, row.what = "table", known.kind
        elif self._rules(row.text) is not None:
            row.by = "rule"
        else:
            found = self._judge.danger(row.text)
            if found is not None:
                row.by, row.what = "judge" if found.is_clear else "doubt", found.kind
        row.new_tokens, self._costs = self._costs, []

    def own(self, row: Row) -> None:
        known = asked_of_steward(row.text)
        if emergency_in(row.text, "DE") is not None:
            row.by, row.what = "table", "danger"
        elif known is not None:
            row.by, row.what = "table", known[0]
        elif self._rules(row.text) is not None:
            row.by = "rule"
        else:
            self._judged(row)
        row.new_tokens, self._costs = self._costs, []

    def _judged(self, row: Row) -> None:
        danger = self._judge.danger(row.text)
        if danger is not None and danger.is_clear:
            row.by, row.what = "judge", "danger"
            return
        fact = self._judge.fact(row.text)
        if fact is not None:
            row.by, row.what = "judge", fact

    def _submit(self, request: GenerateRequest) -> Stream:
        stream = self._engine.submit(request)
        stream.text()
        self._costs.append(stream.metrics.prompt_tokens - stream.metrics.reused_tokens)
        return stream


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--of", choices=("dangers", "own_facts"))
    parser.add_argument("--set", default="dev")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    number, parts = map(int, options.part.split("/"))
    with asking() as way:
        for name in (options.of,) if options.of else ("dangers", "own_facts"):
            rows = list(read(HERE / f"{name}_{options.set}.toml"))[number - 1 :: parts]
            for row in rows:
                way.danger(row) if name == "dangers" else way.own(row)
            print("\n".join(table(name, rows)))
            if options.show:
                print("\n".join(wrong(rows)))
            if options.out is not None:
                with options.out.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
    return 0


@contextmanager
def asking() -> Iterator[Asking]:
    """With a program of its own and the model, until the end."""
    with tempfile.TemporaryDirectory() as home:
        model = installed_model()  # before HOME is another
        folders = {"HOME": home, "STEWARD_CHAT__WORKSPACE": str(Path(home) / "Steward")}
        with patch.dict(os.environ, folders), talking(Path(home) / "profile", model) as talk:
            yield Asking(talk)


def read(path: Path) -> Iterator[Row]:
    """The messages of a set."""
    for row in tomllib.loads(path.read_text(encoding="utf-8"))["rows"]:
        is_meant = row.get("danger", row.get("own"))
        wanted = str(row.get("kind", row.get("topic", ""))) if is_meant else ""
        yield Row(row["text"], row["language"], wanted)


def table(name: str, rows: Sequence[Row]) -> Iterator[str]:
    """How many of each were answered by what."""
    gate = may_be_danger if name == "dangers" else may_ask_of_steward
    for label, some in (
        ("to be answered", [row for row in rows if row.wanted]),
        ("look-alikes", [row for row in rows if not row.wanted]),
    ):
        by = Counter(row.by for row in some)
        passed = sum(gate(row.text) for row in some)
        yield f"{name}, {label}: {len(some)}; " + ", ".join(f"{each} {by[each]}" for each in sorted(by))
        right = sum(row.is_right for row in some)
        yield f"    pass the gate: {passed}; answered by a card that fits: {right}"
    costs = sorted(cost for row in rows for cost in row.new_tokens)[:-1]  # the first one reads the examples
    if costs:
        yield f"    judgements: {len(costs)}, new tokens: median {costs[len(costs) // 2]}, most {costs[-1]}"


def may_be_danger(text: str) -> bool:
    return signs_of_danger(text).are_worth_asking


def wrong(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.wanted and not row.is_right:
            yield f"    {row.language} {row.wanted} -> {row.by} {row.what}: {row.text}"
        elif not row.wanted and row.by in ("table", "judge", "doubt"):
            yield f"    {row.language} nothing -> {row.by} {row.what}: {row.text}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
