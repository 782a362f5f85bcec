"""What is known of the versions of agents, and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.action import Action, Moment
from desktop.agents.agent_list import agent_named
from desktop.agents.rewriting import (
    LOOKED_UP_EVERY_S,
    MIGRATIONS,
    MOST_SESSIONS,
    TRIED_AGAIN_S,
    Mark,
    RewriteOutcome,
    RewriteSupport,
    Rewriting,
    Versions,
    version_at,
)
from desktop.database import Database
from tests.held_objects import held

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
    rewriting.ended(action, RewriteOutcome.CONFINED)
    assert rewriting.is_proven(codex, action)


def test_moments_without_a_form_for_it_are_not_told(database: Database) -> None:
    """As the agent's abilities say."""
    codex = agent_named("codex")
    assert codex is not None
    assert not Clock().made(database).may_be_told(codex, hook(moment=Moment.PERMISSION))


@pytest.mark.parametrize("ending", [RewriteOutcome.IGNORED, RewriteOutcome.UNSEEN])
def test_a_mark_holds_for_the_version_and_over_a_restart(database: Database, ending: RewriteOutcome) -> None:
    """In every session, until a newer version comes; where a report alone was missing, boxes still help."""
    clock = Clock()
    rewriting = clock.made(database)
    mark = rewriting.ended(hook(), ending)
    assert mark is not None
    assert str(mark.in_words("Claude Code")).startswith(f"Claude Code {TRIED} ")
    for each in (rewriting, clock.made(database)):
        assert each.may_be_told(CLAUDE, hook("s2")) is (ending is RewriteOutcome.UNSEEN)
        assert not each.is_proven(CLAUDE, hook("s2"))
        assert each.marks() == (mark,)
    clock.version = "9.9.9"
    assert rewriting.may_be_told(CLAUDE, hook("s2"))
    assert rewriting.marks() == ()


def test_a_mark_is_tried_again_after_a_day_and_proves_nothing_till_then(database: Database) -> None:
    """An update of the agent may not show in its version."""
    clock = Clock()
    rewriting = clock.made(database)
    rewriting.ended(hook(), RewriteOutcome.IGNORED)
    clock.now += TRIED_AGAIN_S + 1
    assert rewriting.may_be_told(CLAUDE, hook("s2"))
    assert not rewriting.is_proven(CLAUDE, hook("s2"))
    rewriting.ended(hook("s2"), RewriteOutcome.CONFINED)
    assert rewriting.is_proven(CLAUDE, hook("s3"))
    assert [mark.standing for mark in clock.made(database).marks()] == [RewriteSupport.HONOURED]


def test_a_session_that_reported_is_believed_whatever_is_installed(database: Database) -> None:
    """An editor brings a version of its own."""
    clock = Clock()
    clock.version = ""
    rewriting = clock.made(database)
    rewriting.ended(hook("s1"), RewriteOutcome.CONFINED)
    rewriting.ended(hook("s2"), RewriteOutcome.IGNORED)
    assert rewriting.is_proven(CLAUDE, hook("s1"))
    assert not rewriting.may_be_told(CLAUDE, hook("s2"))


@pytest.mark.parametrize("ending", [RewriteOutcome.CONFINED, RewriteOutcome.UNSEEN])
def test_what_is_already_known_is_no_news(database: Database, ending: RewriteOutcome) -> None:
    """One write for a version, not one for each command."""
    rewriting = Clock().made(database)
    assert rewriting.ended(hook(), ending) is not None
    assert rewriting.ended(hook(), ending) is None
    assert rewriting.ended(hook(), RewriteOutcome.UNTOLD) is None


def test_of_many_sessions_those_at_work_are_known(database: Database) -> None:
    """What one showed holds as long as it goes on, and of the others nothing stays in memory."""
    clock = Clock()
    rewriting = clock.made(database)
    for number in range(3 * MOST_SESSIONS):
        rewriting.ended(hook(f"other {number}"), RewriteOutcome.IGNORED)
        rewriting.ended(hook("at work"), RewriteOutcome.CONFINED)
    rewriting.ended(hook("the last"), RewriteOutcome.IGNORED)
    assert rewriting.is_proven(CLAUDE, hook("at work"))
    assert not rewriting.is_proven(CLAUDE, hook("new"))
    assert len(held(rewriting, Mark)) == MOST_SESSIONS


def test_what_was_known_is_forgotten_on_demand(database: Database) -> None:
    """Of that agent, in all its versions and sessions."""
    clock = Clock()
    rewriting = clock.made(database)
    rewriting.ended(hook(), RewriteOutcome.IGNORED)
    rewriting.forget("claude-code")
    assert rewriting.may_be_told(CLAUDE, hook())
    assert clock.made(database).marks() == ()


def program(folder: Path, place: str) -> Path:
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    return path


def package(folder: Path, place: str, version: object) -> None:
    (folder / place).mkdir(parents=True, exist_ok=True)
    (folder / place / "package.json").write_text(json.dumps({"name": "x", "version": version}))


@pytest.mark.parametrize(
    "place",
    [
        "lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe",
        "lib/node_modules/@google/gemini-cli/bundle/gemini.js",
        "lib/node_modules/opencode-ai/bin/opencode",
    ],
)
def test_a_package_of_the_registry_tells_its_version(tmp_path: Path, place: str) -> None:
    """By the package.json above the program, through the link on PATH."""
    real = program(tmp_path, place)
    package(tmp_path, place.rpartition("/")[0].rpartition("/")[0], "2.1.197")
    package(tmp_path, "lib", "9.9.9")  # whose it is not
    link = tmp_path / "bin" / "claude"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(real)
    assert version_at(link) == "2.1.197"


@pytest.mark.parametrize(
    ("place", "version"),
    [
        ("share/claude/versions/2.1.197", "2.1.197"),
        ("Cellar/codex/0.169.0/bin/codex", "0.169.0"),
        ("opt/agent-1.2.3-beta.1/bin/agent", ""),
        ("opt/1.2.3-beta.1/bin/agent", "1.2.3-beta.1"),
        ("usr/bin/agent", ""),
    ],
)
def test_other_installers_name_a_folder_after_it(tmp_path: Path, place: str, version: str) -> None:
    """Or nothing does, and then it is not known."""
    assert version_at(program(tmp_path, place)) == version


@pytest.mark.parametrize("version", [3, None, "latest", "1.2"])
def test_a_package_without_a_version_tells_none(tmp_path: Path, version: object) -> None:
    """What is no version is not taken for one."""
    real = program(tmp_path, "node_modules/x/bin/x")
    package(tmp_path, "node_modules/x", version)
    assert version_at(real) == ""


def test_a_program_that_is_not_there_has_no_version(tmp_path: Path) -> None:
    """A link that leads nowhere, a loop, and no program at all."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert version_at(tmp_path / "missing") == ""
    assert version_at(loop) == ""
    assert Versions(lambda _agent: None).of("claude-code") == ""
    assert Versions(lambda _agent: str(loop)).of("claude-code") == ""


def test_an_update_is_seen_after_some_seconds(tmp_path: Path) -> None:
    """While Steward runs; in between no hook looks at the disk."""
    real = program(tmp_path, "node_modules/x/bin/x")
    package(tmp_path, "node_modules/x", "1.0.0")
    times = iter([0.0, LOOKED_UP_EVERY_S, LOOKED_UP_EVERY_S + 1])
    versions = Versions(lambda _agent: str(real), lambda: next(times))
    assert versions.of("x") == "1.0.0"
    package(tmp_path, "node_modules/x", "1.0.1")
    assert versions.of("x") == "1.0.0"
    assert versions.of("x") == "1.0.1"
