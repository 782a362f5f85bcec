"""What is known of the versions of agents, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.action import Action, Moment
from desktop.agents.agent_list import agent_named
from desktop.agents.migrations import MIGRATIONS
from desktop.agents.rewriting import TRIED_AGAIN_S, Ending, Rewriting, Standing
from desktop.database import Database

CLAUDE = agent_named("claude-code")
assert CLAUDE is not None
TRIED = CLAUDE.abilities.rewrites_tried


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0
        self.version = TRIED

    def made(self, database: Database) -> Rewriting:
        return Rewriting(database, lambda _agent: self.version, lambda: self.now)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "steward.db", MIGRATIONS)
    yield opened
    opened.close()


def hook(session: str = "s1", moment: Moment = Moment.BEFORE) -> Action:
    return Action("claude-code", moment, session=session)


def test_the_version_that_was_tried_is_believed_and_another_is_tried(database: Database) -> None:
    """An unknown one is told, and nothing depends on it."""
    clock = Clock()
    rewriting = clock.made(database)
    assert rewriting.may_be_told(CLAUDE, hook())
    assert rewriting.is_proven(CLAUDE, hook())
    for version in ("9.9.9", ""):
        clock.version = version
        assert rewriting.may_be_told(CLAUDE, hook())
        assert not rewriting.is_proven(CLAUDE, hook())


def test_an_agent_with_a_sandbox_of_its_own_is_proven_by_a_report_alone(database: Database) -> None:
    """The version does not tell whether our client can work in it."""
    codex = agent_named("codex")
    assert codex is not None
    clock = Clock()
    clock.version = codex.abilities.rewrites_tried
    rewriting = clock.made(database)
    action = Action("codex", Moment.BEFORE, session="c")
    assert rewriting.may_be_told(codex, action)
    assert not rewriting.is_proven(codex, action)
    rewriting.ended(action, Ending.CONFINED)
    assert rewriting.is_proven(codex, action)


def test_moments_without_a_form_for_it_are_not_told(database: Database) -> None:
    """As the agent's abilities say."""
    codex = agent_named("codex")
    assert codex is not None
    assert not Clock().made(database).may_be_told(codex, hook(moment=Moment.PERMISSION))


@pytest.mark.parametrize("ending", [Ending.IGNORED, Ending.UNSEEN])
def test_a_mark_holds_for_the_version_and_over_a_restart(database: Database, ending: Ending) -> None:
    """In every session, until a newer version comes; where a report alone was missing, boxes still help."""
    clock = Clock()
    rewriting = clock.made(database)
    mark = rewriting.ended(hook(), ending)
    assert mark is not None
    assert mark.in_words("Claude Code").startswith(f"Claude Code {TRIED} ")
    for each in (rewriting, clock.made(database)):
        assert each.may_be_told(CLAUDE, hook("s2")) is (ending is Ending.UNSEEN)
        assert not each.is_proven(CLAUDE, hook("s2"))
        assert each.marks() == (mark,)
    clock.version = "9.9.9"
    assert rewriting.may_be_told(CLAUDE, hook("s2"))
    assert rewriting.marks() == ()


def test_a_mark_is_tried_again_after_a_day_and_proves_nothing_till_then(database: Database) -> None:
    """An update of the agent may not show in its version."""
    clock = Clock()
    rewriting = clock.made(database)
    rewriting.ended(hook(), Ending.IGNORED)
    clock.now += TRIED_AGAIN_S + 1
    assert rewriting.may_be_told(CLAUDE, hook("s2"))
    assert not rewriting.is_proven(CLAUDE, hook("s2"))
    rewriting.ended(hook("s2"), Ending.CONFINED)
    assert rewriting.is_proven(CLAUDE, hook("s3"))
    assert [mark.standing for mark in clock.made(database).marks()] == [Standing.HONOURED]


def test_a_session_that_reported_is_believed_whatever_is_installed(database: Database) -> None:
    """An editor brings a version of its own."""
    clock = Clock()
    clock.version = ""
    rewriting = clock.made(database)
    rewriting.ended(hook("s1"), Ending.CONFINED)
    rewriting.ended(hook("s2"), Ending.IGNORED)
    assert rewriting.is_proven(CLAUDE, hook("s1"))
    assert not rewriting.may_be_told(CLAUDE, hook("s2"))


@pytest.mark.parametrize("ending", [Ending.CONFINED, Ending.UNSEEN])
def test_what_is_already_known_is_no_news(database: Database, ending: Ending) -> None:
    """One write for a version, not one for each command."""
    rewriting = Clock().made(database)
    assert rewriting.ended(hook(), ending) is not None
    assert rewriting.ended(hook(), ending) is None
    assert rewriting.ended(hook(), Ending.UNTOLD) is None


def test_what_was_known_is_forgotten_on_demand(database: Database) -> None:
    """Of that agent, in all its versions and sessions."""
    clock = Clock()
    rewriting = clock.made(database)
    rewriting.ended(hook(), Ending.IGNORED)
    rewriting.forget("claude-code")
    assert rewriting.may_be_told(CLAUDE, hook())
    assert clock.made(database).marks() == ()
