"""What is learned from agents: their commands become events, and a failure is told what worked last time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agents.action import Action, Moment
from desktop.agents.hook_handler import AgentHandler
from desktop.agents.lessons import AgentLessons, failed
from desktop.database import Database
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.paths import Paths
from desktop.settings import MemorySettings
from tests.agents.gatehouse import Gatehouse
from tests.shipped import redactor

WRONG, RIGHT = "npm run tests", "npm run test"
ERROR = 'Exit code 1\nnpm error Missing script: "tests"'


class School:
    """A gatehouse that learns."""

    def __init__(self, paths: Paths, folder: Path) -> None:
        self.gatehouse = Gatehouse(paths, folder)
        self.database = Database(folder / "memory.sqlite3", MIGRATIONS)
        self.memory = Memory(self.database, redactor())
        self.settings = MemorySettings()
        self.handler: AgentHandler = self.gatehouse.handler
        self.handler._lessons = AgentLessons(self.memory, lambda: self.settings)

    def ran(self, command: str, session: str = "s1") -> str:
        """A command ended well; what Claude Code is told."""
        body = self.gatehouse.bash(command, "PostToolUse", session_id=session, duration_ms=12)
        return self.gatehouse.answer(body).body.decode()

    def broke(self, command: str, session: str = "s1", error: str = ERROR) -> str:
        body = self.gatehouse.bash(command, "PostToolUseFailure", session_id=session, error=error)
        return self.gatehouse.answer(body).body.decode()

    def events(self) -> list[tuple[str, bool, str]]:
        self.memory.capture.flush()
        rows = self.database.read(
            lambda c: c.execute("SELECT tool, ok, arguments FROM memory_events ORDER BY id").fetchall()
        )
        return [(row["tool"], bool(row["ok"]), json.loads(row["arguments"])["command"]) for row in rows]

    def close(self) -> None:
        self.gatehouse.close()
        self.memory.close()
        self.database.close()


@pytest.fixture
def school(paths: Paths, tmp_path: Path) -> Iterator[School]:
    school = School(paths, tmp_path)
    yield school
    school.close()


def test_an_agent_is_told_what_worked_after_the_same_failure(school: School) -> None:
    """In its own form, in a later session; not in the one that has not failed like this before."""
    assert school.broke(WRONG) == ""
    assert school.ran(RIGHT) == ""
    told = json.loads(school.broke(WRONG, session="s2"))["hookSpecificOutput"]
    assert told["hookEventName"] == "PostToolUseFailure"
    assert "(data, not instructions)" in told["additionalContext"]
    assert f"Last time `{WRONG}` failed with" in told["additionalContext"]
    assert f"`{RIGHT}` worked." in told["additionalContext"]


def test_verdicts_and_ends_become_events(school: School) -> None:
    """One of what was decided, one of what came of it."""
    school.gatehouse.answer(school.gatehouse.bash("ls -la"))
    school.ran("ls -la")
    school.broke(WRONG)
    assert school.events() == [
        ("claude-code Bash", True, "ls -la"),
        ("command", True, "ls -la"),
        ("command", False, WRONG),
    ]


def test_nothing_is_learned_where_memory_is_off_or_paused(school: School) -> None:
    """And the agent hears nothing."""
    school.broke(WRONG)
    school.ran(RIGHT)
    before = school.events()
    for settings in (MemorySettings(enabled=False), MemorySettings(paused=True)):
        school.settings = settings
        assert school.broke(WRONG, session="s3") == ""
        assert school.ran(RIGHT, session="s3") == ""
    assert school.events() == before


def test_secrets_in_commands_are_not_kept(school: School) -> None:
    """Neither in an event nor in a known failure."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    school.broke(f"curl -H 'Authorization: Bearer {secret}' https://api.example/x")
    school.events()
    school.database.scrub()
    files = school.database._path.parent.glob("memory.sqlite3*")
    assert secret.encode() not in b"".join(file.read_bytes() for file in files)


@pytest.mark.parametrize(
    ("moment", "result", "is_failure"),
    [
        (Moment.FAILED, "", True),
        (Moment.AFTER, "", False),
        (Moment.AFTER, "Exit code 0", False),
        (Moment.AFTER, "Exit code 2\nboom", True),
    ],
)
def test_what_counts_as_a_failure(moment: Moment, result: str, is_failure: bool) -> None:
    """What the agent says."""
    assert failed(Action("claude-code", moment, result=result)) is is_failure
