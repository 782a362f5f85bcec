"""The five LoCoMo conversations, for measuring only (CC BY-NC 4.0): read where they lie, never copied."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from desktop.memory.item import MemoryKind, MemorySource, NewItem
from desktop.memory.store import MemoryStore


@dataclass(frozen=True)
class Asked:
    """A question and the ids of the turns that answer it."""

    text: str
    evidence: frozenset[int]
    adversarial: bool


@dataclass(frozen=True)
class Turn:
    speaker: str
    text: str

    @property
    def tokens(self) -> int:
        """As the data's own description counts them."""
        return len(self.text) // 4 + 8


@dataclass(frozen=True)
class Stored:
    """What is in the store, by the ids it was given."""

    turns: dict[int, Turn]
    questions: tuple[Asked, ...]


def store_conversations(folder: Path, store: MemoryStore) -> Stored:
    """Every turn of all conversations in one store, each session a thread."""
    rows = _lines(folder / "turns.jsonl")
    ids: dict[tuple[int, str], frozenset[int]] = {}
    turns: dict[int, Turn] = {}
    for row in rows:
        made = store.add_all((_episode(row),))
        ids[row["conv"], row["id"]] = frozenset(made)
        turns.update({item.id: Turn(item.speaker, item.text) for item in store.items(made)})
    return Stored(turns, tuple(_asked(row, ids) for row in _lines(folder / "questions.jsonl")))


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _episode(row: dict[str, Any]) -> NewItem:
    caption = f" [{row['image_caption']}]" if row.get("image_caption") else ""
    return NewItem(
        f"{row['text']}{caption}",
        kind=MemoryKind.EPISODE,
        source=MemorySource.USER,
        speaker=row["speaker"],
        thread=f"{row['conv']}/{row['session']}",
        at=datetime.strptime(row["when"], "%I:%M %p on %d %B, %Y").timestamp(),
    )


def _asked(row: dict[str, Any], ids: dict[tuple[int, str], frozenset[int]]) -> Asked:
    named = row.get("evidence_audited") or row.get("evidence") or []
    known = [ids[row["conv"], name] for name in named if (row["conv"], name) in ids]
    # Of a turn that was cut into pieces the first stands for all.
    return Asked(row["question"], frozenset(min(each) for each in known), row["category"] == "adversarial")
