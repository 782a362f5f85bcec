"""A hard link in the workspace is a file outside of it: nobody is shown it, or writes to it, unasked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.asking import Answer, Choice
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.commands import Commands
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.gate.shell.classifier import Classifier
from desktop.gate.undo import undo
from desktop.gate.verdict import Flag, Gate
from desktop.paths import Paths
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.executor import Executor
from desktop.tools.files import FileTools
from desktop.tools.tool import Running, Toolbox
from tests.fakes.asker import FakeAsker
from tests.shipped import command_tables
from tests.tools.conftest import Desk

SECRET = "the only copy"


class Room:
    """File tools over a workspace in which `link.txt` is another name of a file outside."""

    def __init__(self, desk: Desk, bus: Bus, database: Database) -> None:
        self.desk, self.asker = desk, FakeAsker()
        self.outside = desk.root.parent / "outside.txt"
        self.outside.write_text(SECRET)
        os.link(self.outside, desk.root / "link.txt")
        (desk.root / "plain.txt").write_text("the only line")
        workspace = desk.tools._workspace
        self.tools = FileTools(desk.tools, workspace, desk.journal, {})
        self.executor = Executor(bus, self.asker, Gatekeeper(Grants(database), PolicySettings), desk.root)

    def run(self, name: str, **arguments: str) -> CallResult:
        return self.executor.run(Call(name, name, arguments), Toolbox(self.tools.tools()))


@pytest.fixture
def room(desk: Desk, bus: Bus, paths: Paths, tmp_path: Path) -> Iterator[Room]:
    database = Database(tmp_path / "gate.sqlite", MIGRATIONS)
    yield Room(desk, bus, database)
    database.close()


@pytest.mark.parametrize("answer", [Answer(Choice.DENY), Answer(Choice.ALLOW)])
def test_reading_one_asks_as_for_a_file_outside(room: Room, answer: Answer) -> None:
    """The question says why and names the file; only a yes shows what it holds."""
    room.asker.answer = answer
    ended = room.run("read_file", path="link.txt")
    (question,) = room.asker.questions
    assert question.outside
    assert "hard link" in str(question.text)
    assert (SECRET in ended.text) is (answer.choice is Choice.ALLOW)


def test_others_are_read_without_a_question(room: Room) -> None:
    """A file with one name is as before."""
    assert room.run("read_file", path="plain.txt").text == "the only line"
    assert room.asker.questions == []


def test_a_search_passes_over_it(room: Room) -> None:
    """Its lines are not shown among those of the workspace."""
    found = room.run("search_text", pattern="the only")
    assert found.text == "plain.txt:1: the only line"
    assert room.run("search_text", pattern="the only", path="link.txt").ending is CallStatus.FAILED


def test_one_that_comes_after_the_question_is_not_read(room: Room) -> None:
    """Names are counted on the open file, not when it is planned."""
    with pytest.raises(UserFacing) as refused:
        room.tools.read_file("link.txt", Running("c"))
    assert refused.value.code == "path-other-names"


def test_writing_asks_leaves_the_other_name_alone_and_is_undone(room: Room) -> None:
    """The question says what becomes of both; what is outside keeps its bytes."""
    ended = room.run("write_file", path="link.txt", content="new")
    (question,) = room.asker.questions
    assert question.outside
    assert "hard link" in str(question.text)
    assert ((room.desk.root / "link.txt").read_text(), room.outside.read_text()) == ("new", SECRET)
    for entry in reversed(ended.changes):
        undo(room.desk.journal, entry)
    assert (room.desk.root / "link.txt").read_text() == SECRET


CHANGING = ["echo x > link.txt", "sed -i s/a/b/ link.txt", "tee -a link.txt", "truncate -s 0 link.txt"]


@pytest.mark.parametrize("command", CHANGING)
def test_a_command_that_changes_one_in_place_is_outside(tmp_path: Path, command: str) -> None:
    """It changes the file outside; the same line over an ordinary file does not."""
    (tmp_path / "project").mkdir()
    (tmp_path / "outside.txt").write_text(SECRET)
    reader = Commands(Classifier(command_tables()))
    folder = tmp_path / "project"
    (folder / "link.txt").write_text("")
    plain = reader.verdict(command, "bash", str(folder))
    (folder / "link.txt").unlink()
    os.link(tmp_path / "outside.txt", folder / "link.txt")
    linked = reader.verdict(command, "bash", str(folder))
    assert Flag.OUTSIDE not in plain.flags
    assert Flag.OUTSIDE in linked.flags
    assert linked.gate is Gate.ASK


def test_what_lies_in_a_folder_of_links_is_still_listed(room: Room) -> None:
    """Names and sizes are shown; nothing of what is in them."""
    assert "link.txt" in room.run("list_directory").text
    assert room.asker.questions == []


def test_a_workspace_still_moves_and_deletes_them(room: Room) -> None:
    """A name that moves or goes takes nothing from the other name."""
    assert room.run("move_file", source="link.txt", destination="other.txt").ending is CallStatus.DONE
    assert room.run("delete_file", path="other.txt").ending is CallStatus.DONE
    assert room.outside.read_text() == SECRET
