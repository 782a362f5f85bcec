"""Recorded exchanges: what each agent sends, how it is read, and the bytes that it gets for a ruling."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from desktop.agents.action import Choice, Reply, Ruling
from desktop.agents.adapters import ADAPTERS, adapter

EXCHANGES = Path(__file__).parent / "exchanges"


@dataclass(frozen=True)
class Exchange:
    """One line of a table."""

    agent: str
    case: str
    body: dict[str, Any]
    read: dict[str, Any]
    ruling: dict[str, Any]
    out: dict[str, Any] | None
    unanswered: str = ""


def _table(agent: str) -> list[Exchange]:
    rows = json.loads((EXCHANGES / f"{agent}.json").read_text(encoding="utf-8"))["exchanges"]
    return [Exchange(agent=agent, **row) for row in rows]


ALL = [exchange for each in ADAPTERS for exchange in _table(each.name)]


@pytest.mark.parametrize("exchange", ALL, ids=lambda each: f"{each.agent}: {each.case}")
def test_an_exchange_goes_as_recorded(exchange: Exchange) -> None:
    """The hook is read as it should be, and the ruling comes out in the agent's own form."""
    known = adapter(exchange.agent)
    assert known is not None
    action = known.read(json.dumps(exchange.body).encode())
    found = {name: _plain(getattr(action, name)) for name in exchange.read}
    assert found == exchange.read
    ruling = Ruling(**{**exchange.ruling, "choice": Choice(exchange.ruling["choice"])})
    reply = known.reply(action, ruling)
    assert (json.loads(reply.body) if reply.body else None) == exchange.out
    assert reply == Reply(reply.body)
    if exchange.unanswered:
        assert known.unanswered(action) is Choice(exchange.unanswered)


def test_every_table_names_its_source() -> None:
    """A wire form without a source cannot be checked when the vendor changes it."""
    for each in ADAPTERS:
        assert json.loads((EXCHANGES / f"{each.name}.json").read_text(encoding="utf-8"))["source"]


def test_every_agent_says_what_it_can_do_and_what_it_ignores() -> None:
    """The window and the manual show these sentences."""
    for each in ADAPTERS:
        assert each.abilities.can.endswith(".")
        assert each.abilities.cannot.endswith(".")
        assert each.abilities.enforced.endswith(".")
        assert each.abilities.words.startswith(f"{each.abilities.can} {each.abilities.cannot} ")
        assert each.abilities.can_deny
        assert each.abilities.holds >= 60
    assert len({each.name for each in ADAPTERS}) == len(ADAPTERS)
    assert adapter("nobody") is None


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return value.as_posix()
    return value.value if isinstance(value, Enum) else value
