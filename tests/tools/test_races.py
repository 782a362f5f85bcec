"""What changes between a question and the act: nothing else is done than what was shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.asking import ALLOWED_ONCE, Answer, Choice, Question, Scope
from desktop.database import Database
from desktop.events import Bus
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.paths import Paths
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.executor import MOST_QUESTIONS, Executor
from desktop.tools.files import FileTools
from desktop.tools.tool import Toolbox
from tests.tools.conftest import Desk

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links are made otherwise there")


class Meddler:
    """Says yes; before the first `times` answers something happens to the files."""

    def __init__(self, meddle: Callable[[], None], times: int, answer: Answer = ALLOWED_ONCE) -> None:
        self.questions: list[Question] = []
        self._meddle, self._times, self._answer = meddle, times, answer

    def ask(self, question: Question) -> Answer:
        self.questions.append(question)
        if len(self.questions) <= self._times:
            self._meddle()
        return self._answer


@dataclass
class Room:
    """A workspace with a note in a folder, and a folder outside with a file of the same name."""

    root: Path
    outside: Path
    toolbox: Toolbox
    make: Callable[[Meddler], Executor]

    def run(self, asker: Meddler, name: str, **arguments: str) -> CallResult:
        return self.make(asker).run(Call(name, name, arguments), self.toolbox)


@pytest.fixture
def room(desk: Desk, bus: Bus, paths: Paths, tmp_path: Path) -> Iterator[Room]:
    outside = tmp_path / "outside"
    for folder in (desk.root / "a", outside):
        folder.mkdir()
        (folder / "note.txt").write_text("one line\n")
    database = Database(tmp_path / "gate.sqlite", MIGRATIONS)
    tools = FileTools(desk.tools, desk.tools._workspace, desk.journal, {})

    def make(asker: Meddler) -> Executor:
        return Executor(bus, asker, Gatekeeper(Grants(database), PolicySettings), desk.root)

    yield Room(desk.root, outside, Toolbox(tools.tools()), make)
    database.close()


CALLS: dict[str, dict[str, str]] = {
    "write_file": {"path": "a/note.txt", "content": "other\n"},
    "append_text": {"path": "a/note.txt", "text": "more"},
    "replace_text": {"path": "a/note.txt", "old": "one", "new": "two"},
    "delete_file": {"path": "a/note.txt"},
    "move_file": {"source": "a/note.txt", "destination": "a/other.txt"},
    "make_directory": {"path": "a/new"},
}


def folder_becomes_a_link(room: Room) -> None:
    (room.root / "a").rename(room.root / "b")
    (room.root / "a").symlink_to(room.outside)


def file_becomes_a_link(room: Room) -> None:
    (room.root / "a/note.txt").unlink()
    (room.root / "a/note.txt").symlink_to(room.outside / "note.txt")


def file_becomes_another_name_of_one_outside(room: Room) -> None:
    (room.root / "a/note.txt").unlink()
    os.link(room.outside / "note.txt", room.root / "a/note.txt")


def file_becomes_a_pipe(room: Room) -> None:
    (room.root / "a/note.txt").unlink()
    os.mkfifo(room.root / "a/note.txt")


def workspace_becomes_a_link(room: Room) -> None:
    room.root.rename(room.root.with_name("moved"))
    room.root.symlink_to(room.outside)
    (room.outside / "a").mkdir()
    (room.outside / "a/note.txt").write_text("one line\n")


SWAPS = (
    folder_becomes_a_link,
    file_becomes_a_link,
    file_becomes_another_name_of_one_outside,
    file_becomes_a_pipe,
    workspace_becomes_a_link,
)


def contents(folder: Path) -> dict[str, str]:
    return {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*") if each.is_file()}


@pytest.mark.parametrize("swap", SWAPS, ids=lambda swap: str(swap.__name__))
@pytest.mark.parametrize("name", CALLS)
def test_nothing_outside_is_touched(room: Room, name: str, swap: Callable[[Room], None]) -> None:
    """Whatever takes the place of a file, a folder or the workspace while the question is open."""
    after: dict[str, str] = {}

    def meddle() -> None:
        swap(room)
        after.update(contents(room.outside))

    room.run(Meddler(meddle, 1), name, **CALLS[name])
    assert contents(room.outside) == after


@pytest.mark.parametrize("name", ["write_file", "append_text", "replace_text"])
def test_a_file_that_became_another_is_asked_about_again(room: Room, name: str) -> None:
    """The difference that was shown is not the one that would be made; the second question shows that."""
    file = room.root / "a/note.txt"
    asker = Meddler(lambda: file.write_text("one line\nof somebody else's\n"), 1)
    ended = room.run(asker, name, **CALLS[name])
    assert len(asker.questions) == 2
    assert "somebody else's" in asker.questions[1].diff
    assert asker.questions[0].diff != asker.questions[1].diff
    assert ended.ending is CallStatus.DONE


def test_a_no_to_the_second_question_changes_nothing(room: Room) -> None:
    """The first yes was to something else."""
    file = room.root / "a/note.txt"

    class Wary(Meddler):
        def ask(self, question: Question) -> Answer:
            answer = super().ask(question)
            return answer if len(self.questions) == 1 else Answer(Choice.DENY)

    ended = room.run(Wary(lambda: file.write_text("new\n"), 1), "write_file", **CALLS["write_file"])
    assert ended.ending is CallStatus.DENIED
    assert file.read_text() == "new\n"


def test_a_file_that_never_rests_is_left_alone(room: Room) -> None:
    """After the third question it is told, and nobody is asked for ever."""
    file, count = room.root / "a/note.txt", iter(range(100))
    asker = Meddler(lambda: file.write_text(f"{next(count)}\n"), 100)
    ended = room.run(asker, "write_file", **CALLS["write_file"])
    assert (ended.ending, len(asker.questions)) == (CallStatus.FAILED, MOST_QUESTIONS)
    assert file.read_text() == f"{MOST_QUESTIONS - 1}\n"


@pytest.mark.parametrize("name", CALLS)
def test_what_stays_as_it_was_is_asked_about_once(room: Room, name: str) -> None:
    """A yes is a yes."""
    asker = Meddler(lambda: None, 1)
    assert room.run(asker, name, **CALLS[name]).ending is CallStatus.DONE
    assert len(asker.questions) == 1


def test_a_yes_for_the_session_still_asks_nothing_twice(room: Room) -> None:
    """Its second look finds the yes that was just given."""
    asker = Meddler(lambda: None, 1, Answer(Choice.ALLOW, Scope.SESSION))
    assert room.run(asker, "write_file", **CALLS["write_file"]).ending is CallStatus.DONE
    assert len(asker.questions) == 1
