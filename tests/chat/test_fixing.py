"""A known fix is tried at the user's wish: through the gate, with a card, and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.asking import DENIED
from desktop.chat.lessons import Lessons
from desktop.chat.store import Role
from desktop.chat.tool_mode import ToolRuntime
from desktop.chat.turns import Turns
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.redaction import Redactor, read_rules
from desktop.memory.hindsight.hindsight import SuggestedFix, suggested
from desktop.memory.hindsight.signature import Failure
from desktop.memory.memory import Memory
from desktop.memory.migrations import MIGRATIONS
from desktop.paths import resources
from desktop.settings import MemorySettings
from desktop.tools.calls import CallStatus
from tests.chat.test_agent_loop import Office, office

__all__ = ["office"]


class Learned:
    """An office that has learned that a folder's name was wrong."""

    def __init__(self, office: Office, memory: Memory) -> None:
        self.office, self.memory = office, memory
        lessons = Lessons(memory, office.bus, MemorySettings)
        acting = ToolRuntime(office.acting.toolbox, office.acting.executor, lessons=lessons)
        self.lessons = lessons
        self.turns = Turns(office.store, office.engine, office.bus, lambda: office.settings, acting)

    def fix(self, tool: str, before: dict[str, str], after: dict[str, str], message: str) -> SuggestedFix:
        self.memory.hindsight.failed(Failure(tool, message, arguments=before, session="earlier"))
        self.memory.hindsight.worked(tool, after, "earlier")
        found = suggested(
            self.memory.hindsight.failed(Failure(tool, message, arguments=before, session="elsewhere"))
        )
        assert found is not None
        return found

    def record(self, fix: SuggestedFix) -> tuple[int, int]:
        now = self.memory.hindsight.fix(fix.fix_id)
        return now.applications, now.successes


@pytest.fixture
def learned(office: Callable[..., Office], tmp_path: Path) -> Iterator[Learned]:
    database = Database(tmp_path / "memory.sqlite3", MIGRATIONS)
    memory = Memory(database, Redactor(read_rules(resources() / "redaction.toml")))
    yield Learned(office("Good."), memory)
    memory.close()
    database.close()


READ = ("read_file", {"path": "Notes.txt"}, {"path": "notes.txt"}, "There is no file 'Notes.txt'.")
WRITE = (
    "write_file",
    {"path": "docs/a.txt", "content": "milk"},
    {"path": "a.txt", "content": "milk"},
    "There is no folder 'docs'.",
)


def test_what_worked_is_done_and_counted(learned: Learned) -> None:
    """The call has its card in the conversation; the fix has one more success."""
    (learned.office.root / "notes.txt").write_text("milk")
    fix = learned.fix(*READ)
    assert learned.record(fix) == (1, 1)
    number = learned.office.conversation_id
    learned.memory.hindsight.failed(Failure(READ[0], READ[3], arguments=READ[1], session=str(number)))
    ended = learned.turns.try_fix(number, fix)
    assert ended.ok
    assert "milk" in ended.text
    assert learned.record(fix) == (2, 2)
    (card,) = learned.office.calls()
    assert card.tool is not None
    assert card.tool.arguments == {"path": "notes.txt"}
    assert learned.turns.run(number, "Thanks").text == "Good."
    roles = [role for role, _ in learned.office.rows()]
    assert roles == [Role.TOOL, Role.USER, Role.ASSISTANT]


def test_never_without_leave(learned: Learned) -> None:
    """A call that changes something asks as it always does; a no changes nothing and is no success."""
    fix = learned.fix(*WRITE)
    learned.office.asker.answer = DENIED
    ended = learned.turns.try_fix(learned.office.conversation_id, fix)
    assert ended.ending is CallStatus.DENIED
    assert len(learned.office.asker.questions) == 1
    assert not (learned.office.root / "a.txt").exists()
    assert learned.record(fix) == (2, 1)


def test_what_fails_again_is_counted_as_tried(learned: Learned) -> None:
    """The file is missing under the other name too."""
    fix = learned.fix(*READ)
    assert not learned.turns.try_fix(learned.office.conversation_id, fix).ok
    assert learned.record(fix) == (2, 1)


def test_tools_that_are_off_are_said(learned: Learned) -> None:
    """Nothing is counted."""
    fix = learned.fix(*READ)
    office = learned.office
    turns = Turns(office.store, office.engine, office.bus, lambda: office.settings)
    with pytest.raises(UserFacing, match="switched off"):
        turns.try_fix(office.conversation_id, fix)
    assert learned.record(fix) == (1, 1)


def test_an_older_card_finds_its_fix_again(learned: Learned) -> None:
    """After a restart, from what the card says; looking counts nothing."""
    fix = learned.fix(*READ)
    number = learned.office.conversation_id
    learned.turns.try_fix(number, fix)  # fails: there is no such file
    (card,) = learned.office.calls()
    before = learned.record(fix)
    learned.lessons.known(card)
    assert learned.record(fix) == before


def test_a_fix_with_something_left_out_is_not_offered(learned: Learned) -> None:
    """A key that was never kept cannot be filled in."""
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    message = "curl: (22) The requested URL returned error: 401"
    before, after = (
        {"command": f"curl -H 'X: {key}' https://x.org"},
        {"command": f"curl -L -H 'X: {key}' https://x.org"},
    )
    learned.memory.hindsight.failed(Failure("run_command", message, arguments=before, session="earlier"))
    learned.memory.hindsight.worked("run_command", after, "earlier")
    offers = learned.memory.hindsight.failed(
        Failure("run_command", message, arguments=before, session="elsewhere")
    )
    assert offers
    assert suggested(offers) is None
