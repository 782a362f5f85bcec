"""`dev.py bench messages`: which messages the host answers itself: dangers to life, questions about Steward,
wishes that something be forgotten.

    dev.py bench messages [--of dangers|own_facts|wishes|everyday] [--set dev|kept|third|fourth] [--show]
                          [--out FILE]

Each message of the sets, `dangers_SET.toml` and so on, goes the way of a turn; no model takes part. Not every
set has all kinds. The development set is among the examples that were learned from. `--show` prints what went
wrong, `--out` keeps one line of JSON for each message.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from desktop.chat.fixed_answers import EmergencyKind, OwnFact, danger_in, fact_asked
from desktop.chat.message_classes import FORGET, WANTS_FORGETTING, message_scores

HERE = Path(__file__).parent
KINDS = ("dangers", "own_facts", "wishes", "everyday")
# What a card must be of, to answer a question of the topic.
ANSWERED_BY: Mapping[str, frozenset[OwnFact]] = {
    "sends": frozenset({OwnFact.SENDS}),
    "stores": frozenset({OwnFact.STORES}),
    "model": frozenset({OwnFact.MODEL}),
    "can_do": frozenset({OwnFact.CAN, OwnFact.REACH}),
    "abilities": frozenset({OwnFact.CAN, OwnFact.REACH}),
    "cost": frozenset({OwnFact.MAKER}),
    "price": frozenset({OwnFact.MAKER}),
    "maker": frozenset({OwnFact.MAKER}),
    "offline": frozenset({OwnFact.INTERNET}),
    "internet": frozenset({OwnFact.INTERNET}),
    "identity": frozenset({OwnFact.IDENTITY, OwnFact.MAKER}),
    "languages": frozenset({OwnFact.LANGUAGES}),
    "permissions": frozenset({OwnFact.REACH}),
    "access": frozenset({OwnFact.REACH}),
    "learning": frozenset({OwnFact.TRAINING}),
    "training": frozenset({OwnFact.TRAINING}),
    "mistakes": frozenset({OwnFact.MISTAKES}),
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
    """One message and what answers it. `by`: card, line (before the model's answer), list (of what a wish may
    mean), or model; `what` is the kind or the fact."""

    text: str
    language: str
    wanted: str  # kind or topic; "" where it is neither
    also: tuple[str, ...] = ()  # kinds or topics whose card would do as well
    by: str = "model"
    what: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the card says what is to be done, or answers what was asked."""
        if self.wanted == FORGET:
            return self.by == "list"
        if self.by != "card":
            return False
        if self.wanted in ANSWERED_BY:
            return any(self.what in ANSWERED_BY[each] for each in (self.wanted, *self.also))
        kinds = (self.wanted, *self.also)
        too = (each for kind in kinds for each in SAYS_IT_TOO.get(kind, ()))
        return self.what in {*kinds, EmergencyKind.GENERAL, *too} or self.wanted == "other"


def answer(row: Row) -> None:
    """Go the way of a turn."""
    danger, fact = danger_in(row.text), fact_asked(row.text)
    if danger is not None and danger.is_clear:
        row.by, row.what = "card", danger.kind
    elif danger is None and message_scores(row.text).forget >= WANTS_FORGETTING:
        row.by = "list"
    elif fact is not None:
        row.by, row.what = "card", fact
    elif danger is not None:
        row.by, row.what = "line", danger.kind


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--of", choices=KINDS)
    parser.add_argument("--set", default="dev")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(words)
    there = (name for name in KINDS if (HERE / f"{name}_{options.set}.toml").exists())
    for name in (options.of,) if options.of else there:
        rows = list(read(HERE / f"{name}_{options.set}.toml"))
        for row in rows:
            answer(row)
        print("\n".join(table(name, rows)))
        if options.show:
            print("\n".join(wrong(rows)))
        if options.out is not None:
            with options.out.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
    return 0


def read(path: Path) -> Iterator[Row]:
    """The messages of a set."""
    for row in tomllib.loads(path.read_text(encoding="utf-8"))["rows"]:
        is_meant = row.get("danger", row.get("own", row.get("forget", False)))
        wanted = str(row.get("kind", row.get("topic", FORGET))) if is_meant else ""
        yield Row(row["text"], row["language"], wanted, tuple(row.get("also", ())))


def table(name: str, rows: Sequence[Row]) -> Iterator[str]:
    """How many of each were answered by what."""
    for label, some in (
        ("to be answered", [row for row in rows if row.wanted]),
        ("others", [row for row in rows if not row.wanted]),
    ):
        if not some:
            continue
        by = Counter(row.by for row in some)
        yield f"{name}, {label}: {len(some)}; " + ", ".join(f"{each} {by[each]}" for each in sorted(by))
        if label == "to be answered":
            yield f"    answered by what fits: {sum(row.is_right for row in some)}"
    message_scores.cache_clear()
    before = time.process_time()
    for row in rows:
        message_scores(row.text)
    yield f"    processor time for each message: {1e3 * (time.process_time() - before) / len(rows):.1f} ms"


def wrong(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.wanted and not row.is_right:
            yield f"    {row.language} {row.wanted} -> {row.by} {row.what}: {row.text}"
        elif not row.wanted and row.by != "model":
            yield f"    {row.language} nothing -> {row.by} {row.what}: {row.text}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
