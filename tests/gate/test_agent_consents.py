"""The yes to an agent's own rules: for one file and one list, kept, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.gate.agent_consents import AgentConsents, Consent
from desktop.gate.agent_rules import RuleFile, rule_of
from desktop.gate.migrations import MIGRATIONS


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """As an older Steward left it, opened by this one."""
    older = Database(tmp_path / "database", MIGRATIONS[:-1])
    older.close()
    database = Database(tmp_path / "database", MIGRATIONS)
    yield database
    database.close()


def rules(*texts: str, agent: str = "codex", file: str = "/x/default.rules") -> RuleFile:
    return RuleFile(agent, Path(file), tuple(rule_of(each, each) for each in texts))


def test_a_yes_is_for_the_list_that_was_seen(database: Database) -> None:
    """Of this agent and this file; another list needs another yes."""
    consents = AgentConsents(database)
    assert consents.of(rules("make")) is Consent.NONE
    consents.agree(rules("make"))
    assert consents.of(rules("make")) is Consent.GIVEN
    assert consents.of(rules("make", "rm")) is Consent.OUTDATED
    assert consents.of(rules("make", file="/y/default.rules")) is Consent.NONE
    assert consents.of(rules("make", agent="opencode")) is Consent.NONE
    consents.agree(rules("make", "rm"))
    assert consents.of(rules("make")) is Consent.OUTDATED


def test_it_is_kept_and_taken_back(database: Database) -> None:
    """Over a restart; of one agent's files only its own are told."""
    AgentConsents(database).agree(rules("make"))
    again = AgentConsents(database)
    assert again.of(rules("make")) is Consent.GIVEN
    assert (again.files("codex"), again.files("opencode")) == ((Path("/x/default.rules"),), ())
    again.withdraw(rules("rm"))
    assert again.of(rules("make")) is Consent.NONE
    assert again.files() == ()
