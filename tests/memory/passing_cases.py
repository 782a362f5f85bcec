"""What people say in passing about what they had told before, from `corrections_in_passing.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

Row = tuple[str, ...]


@dataclass(frozen=True)
class PassingSet:
    """Rows of texts; what stands in them says the head of the file."""

    told_alone: tuple[Row, ...]
    not_seen: tuple[Row, ...]
    alike: tuple[Row, ...]
    goes_on: tuple[Row, ...]
    set_aside: tuple[Row, ...] = ()

    @property
    def corrections(self) -> tuple[Row, ...]:
        return self.told_alone + self.not_seen

    @property
    def all_that_hold(self) -> tuple[Row, ...]:
        """As `both_hold`, and those that are wrongly set aside, which are counted only."""
        return self.both_hold + tuple(row[:4] for row in self.set_aside)

    @property
    def both_hold(self) -> tuple[Row, ...]:
        """Said first, said later, a question about the first, its word."""
        return tuple(row[:4] for row in self.alike) + self.goes_on


def passing_sets() -> dict[str, PassingSet]:
    text = Path(__file__).with_name("corrections_in_passing.toml").read_text(encoding="utf-8")
    return {
        name: PassingSet(**{key: tuple(tuple(row) for row in rows) for key, rows in each.items()})
        for name, each in tomllib.loads(text).items()
    }
