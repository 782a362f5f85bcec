"""A command of the chat asks with the facts of an agent's, and what it changes can be kept and undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop.asking import Answer, Choice, Question, Risk
from desktop.database import Database
from desktop.events import Bus
from desktop.gate.commands import CommandPlaces
from desktop.gate.commands import Commands as CommandReader
from desktop.gate.gatekeeper import Gatekeeper
from desktop.gate.grants import Grants
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.policy import PolicySettings
from desktop.gate.shell.classifier import Classifier
from desktop.gate.snapshots import SnapshotLimits, Snapshots
from desktop.gate.undo import undo_changes
from desktop.paths import Paths
from desktop.sandbox.confinement import Method
from desktop.sandbox.workspace import Workspace
from desktop.settings import Snapshots as Wanted
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.executor import Executor
from desktop.tools.run_command import CommandCopies, CommandTool
from desktop.tools.tool import Toolbox
from tests.fakes.asker import FakeAsker
from tests.shipped import command_tables

WITH_COPY = Answer(Choice.ALLOW, snapshot=True)
WITHOUT = Answer(Choice.ALLOW)


@dataclass
class Desk:
    folder: Path
    journal: Journal
    database: Database
    bus: Bus
    wanted: Wanted = Wanted.OFFERED
    limits: SnapshotLimits | None = None

    def run(self, command: str, answer: Answer = WITH_COPY) -> tuple[CallResult, Question | None]:
        workspace = Workspace(self.folder)
        reader = CommandReader(Classifier(command_tables()), None, CommandPlaces.of())
        copies = CommandCopies(Snapshots(self.journal, limits=self.limits), lambda: self.wanted)
        made = CommandTool(workspace, reader, lambda: Method.NONE, copies=copies)
        asker = FakeAsker(answer)
        gatekeeper = Gatekeeper(Grants(self.database), PolicySettings, tuple)
        executor = Executor(self.bus, asker, gatekeeper, self.folder)
        ended = executor.run(Call("c1", "run_command", {"command": command}), Toolbox([made.tool()]))
        workspace.close()
        return ended, asker.questions[0] if asker.questions else None


@pytest.fixture
def desk(paths: Paths, tmp_path: Path, bus: Bus) -> Iterator[Desk]:
    folder = tmp_path / "workspace"
    (folder / "sub").mkdir(parents=True)
    for name in ("one.log", "two.log", "keep.txt", "sub/three.log"):
        (folder / name).write_bytes(name.encode())
    database = Database(paths.database, MIGRATIONS)
    yield Desk(folder, Journal(database, paths.journal), database, bus)
    database.close()


QUESTIONS = [
    ("rm *.log", "Run a command that deletes?", Risk.DELETES, ["one.log", "two.log"], True),
    ("cd sub && rm *.log", "Run a command that deletes?", Risk.DELETES, ["sub/three.log"], True),
    ("sed -i s/o/0/ keep.txt", "Run a command that changes something?", Risk.RUNS, ["keep.txt"], True),
    ("touch new", "Run a command that creates something new?", Risk.RUNS, [], False),
    ("./build.sh", "Run a command whose effect is unknown?", Risk.RUNS, [], False),
    ("rm *.nothing", "Run a command that deletes?", Risk.DELETES, [], False),
]


@pytest.mark.parametrize(("command", "title", "risk", "files", "can_snapshot"), QUESTIONS)
def test_the_question_has_the_facts_of_an_agents(
    desk: Desk, command: str, title: str, risk: Risk, files: list[str], can_snapshot: bool
) -> None:
    """Title by what it does, the files that its patterns match, and whether a copy can be kept."""
    _ended, question = desk.run(command, Answer(Choice.DENY))
    assert question is not None
    assert str(question.title) == title
    assert question.risk is risk
    assert [each.path for each in question.files] == [str(desk.folder / name) for name in files]
    assert question.command is not None
    assert question.command.can_snapshot is can_snapshot
    assert question.is_dangerous is (risk is Risk.DELETES and not can_snapshot)


@pytest.mark.parametrize("command", ["rm *.log", "rm -r sub keep.txt", "echo new > keep.txt", "mv *.log sub"])
def test_what_was_kept_comes_back(desk: Desk, command: str) -> None:
    """The call's card has the entries that take the whole line back, byte for byte."""
    before = {each: each.read_bytes() for each in desk.folder.rglob("*") if each.is_file()}
    ended, _question = desk.run(command)
    assert ended.ending is CallStatus.DONE
    assert ended.changes
    undo_changes(desk.journal, ended.changes)
    assert {each: each.read_bytes() for each in desk.folder.rglob("*") if each.is_file()} == before


def test_without_the_tick_nothing_is_kept(desk: Desk) -> None:
    """The user took it away."""
    ended, _question = desk.run("rm *.log", WITHOUT)
    assert ended.ending is CallStatus.DONE
    assert ended.changes == ()
    assert desk.journal.entries() == []


@pytest.mark.parametrize(("wanted", "kept"), [(Wanted.ALWAYS, True), (Wanted.NEVER, False)])
def test_the_setting_of_agents_holds_for_the_chat(desk: Desk, wanted: Wanted, kept: bool) -> None:
    """Always: without a tick, and the question says that it can be undone; never: neither."""
    desk.wanted = wanted
    ended, question = desk.run("rm *.log", WITHOUT)
    assert question is not None
    assert question.reversible is kept
    assert bool(ended.changes) is kept


def test_a_command_without_its_promised_copy_is_not_run(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the question and the run the files grew beyond what is kept."""
    monkeypatch.setattr(Snapshots, "worth", lambda *_: True)
    desk.limits = SnapshotLimits(files=1)
    ended, _question = desk.run("rm *.log")
    assert ended.ending is CallStatus.FAILED
    assert (desk.folder / "one.log").exists()


def test_a_command_that_fails_can_be_taken_back_too(desk: Desk) -> None:
    """What it removed before it failed is kept all the same."""
    ended, _question = desk.run("rm one.log && exit 3")
    assert ended.exit_code == 3
    undo_changes(desk.journal, ended.changes)
    assert (desk.folder / "one.log").read_bytes() == b"one.log"


TRASH = [
    ("trash-put keep.txt", True),
    ("trash keep.txt", True),
    ("gio trash keep.txt", True),
    ("gio trash keep.txt && rm one.log", False),
    ("rm keep.txt", False),
    ("sudo trash-put keep.txt", False),
]


@pytest.mark.parametrize(("command", "is_trash"), TRASH)
def test_a_deletion_to_the_trash_is_not_red(desk: Desk, command: str, is_trash: bool) -> None:
    """It can be brought back, and the line says so; one real deletion beside it is enough for red."""
    desk.wanted = Wanted.NEVER
    _ended, question = desk.run(command, Answer(Choice.DENY))
    assert question is not None
    assert question.is_dangerous is not is_trash
    said = " ".join(map(str, question.plain_sentences))
    assert ("from the trash" in said) is is_trash
    assert ("Cannot be undone" in said) is not is_trash


ROOT_WIDE = (
    "rm -rf /",
    "rm -rf /*",
    "sudo rm -rf --no-preserve-root /",
    "cd / && rm -rf *",
    "find / -delete",
    "rm -rf ~",
    'rm -rf "$HOME"',
    "rm -rf /usr",
    "bash -c 'rm -rf /'",
)


@pytest.mark.parametrize("command", ROOT_WIDE)
def test_a_root_wide_deletion_is_refused_by_rule(desk: Desk, command: str) -> None:
    """No question is asked, so no click can allow it; nothing is run and nothing kept."""
    ended, question = desk.run(command)
    assert ended.ending is CallStatus.DENIED
    assert question is None
    assert desk.journal.entries() == []
