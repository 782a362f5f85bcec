"""Recorded exchanges: what each agent sends, how it is read, and the bytes that it gets for a response."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from desktop.agents.action import HookChoice, HookResponse, Reply
from desktop.agents.agent_list import AGENTS, agent_named
from tests.agents.agent_cases import all_cases


@dataclass(frozen=True)
class Exchange:
    """One line of a table."""

    agent: str
    case: str
    body: dict[str, Any]
    read: dict[str, Any]
    response: dict[str, Any]
    out: dict[str, Any] | None
    unanswered: str = ""


ALL = [Exchange(agent=each.agent, **dict(row)) for each in all_cases() for row in each.exchanges]


@pytest.mark.parametrize("exchange", ALL, ids=lambda each: f"{each.agent}: {each.case}")
def test_an_exchange_goes_as_recorded(exchange: Exchange) -> None:
    """The hook is read as it should be, and the response comes out in the agent's own form."""
    known = agent_named(exchange.agent)
    assert known is not None
    action = known.read(json.dumps(exchange.body).encode())
    found = {name: _plain(getattr(action, name)) for name in exchange.read}
    assert found == exchange.read
    response = HookResponse(**{**exchange.response, "choice": HookChoice(exchange.response["choice"])})
    reply = known.reply(action, response)
    assert (json.loads(reply.body) if reply.body else None) == exchange.out
    assert reply == Reply(reply.body)
    if exchange.unanswered:
        assert known.unanswered(action) is HookChoice(exchange.unanswered)


def test_every_table_names_its_source() -> None:
    """A wire form without a source cannot be checked when the vendor changes it."""
    assert all(each.source for each in all_cases())


def test_every_agent_says_what_it_can_do_and_what_it_ignores() -> None:
    """`steward agents list` shows these sentences."""
    for each in AGENTS:
        assert each.abilities.can.endswith(".")
        assert each.abilities.cannot.endswith(".")
        assert each.abilities.enforced.endswith(".")
        assert each.words.startswith(f"{each.abilities.can} {each.abilities.cannot} ")
        assert each.abilities.can_deny
        assert each.abilities.holds >= 60
    assert len({each.name for each in AGENTS}) == len(AGENTS)
    assert agent_named("nobody") is None


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return value.as_posix()
    return value.value if isinstance(value, Enum) else value
