"""What an agent's command changed or removed, brought back by Undo; with the real journal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.agents.hook_request import PendingHook
from desktop.asking import Answer, Choice, Question
from desktop.gate.journal import EntryState, Journal
from desktop.gate.snapshots import SnapshotLimits, Snapshots
from desktop.gate.undo import undo_changes
from desktop.settings import HookSettings
from desktop.settings import Snapshots as Setting
from tests.agents.gatehouse import Gatehouse
from tests.fakes.asker import FakeAsker

KEEPING = Answer(Choice.ALLOW, snapshot=True)


@pytest.fixture
def journal(house: Gatehouse) -> Journal:
    journal = Journal(house.database, house.paths.journal)
    house.make(snapshots=Snapshots(journal, (house.paths.data,)))
    house.asker = FakeAsker(KEEPING)
    return journal


def test_what_a_command_removed_comes_back(house: Gatehouse, journal: Journal) -> None:
    """The user ticked the copy; the command ran; Undo takes it back."""
    folder = house.project / "build"
    folder.mkdir()
    (folder / "a.bin").write_bytes(b"made with care")
    assert house.says(house.bash("rm -rf build", tool_use_id="toolu_1")) == "allow"
    (folder / "a.bin").unlink()
    folder.rmdir()
    ended = house.handler.quick(
        "claude-code", house.bash("rm -rf build", "PostToolUse", tool_use_id="toolu_1")
    )
    assert isinstance(ended, PendingHook)
    house.handler.hold(ended)
    undo_changes(journal, house.decided[-1].changes)
    assert (folder / "a.bin").read_bytes() == b"made with care"


def test_what_an_edit_changed_comes_back(house: Gatehouse, journal: Journal) -> None:
    """By setting, for the agent's own file tools too."""
    house.settings = HookSettings(snapshots=Setting.ALWAYS)
    file = house.project / "a.py"
    file.write_text("old")
    arguments = {"file_path": str(file), "content": "new"}
    assert house.says(house.hook("Write", arguments)) == "allow"
    assert house.questions[0].reversible is True
    file.write_text("new")
    house.answer(house.hook("Write", arguments, "PostToolUse"))
    undo_changes(journal, house.decided[-1].changes)
    assert file.read_text() == "old"


@pytest.mark.parametrize("setting", [Setting.OFFERED, Setting.ALWAYS])
@pytest.mark.parametrize("became", ["gone", "too large", "a link to elsewhere"])
def test_a_copy_that_was_promised_and_cannot_be_kept_stops_the_command(
    house: Gatehouse, journal: Journal, tmp_path: Path, setting: Setting, became: str
) -> None:
    """What happens to the files while the question is open is no reason to run without the way back."""
    limits = SnapshotLimits(files=10, total_bytes=1_000)
    house.make(snapshots=Snapshots(journal, (house.paths.data,), limits))
    house.settings = HookSettings(snapshots=setting)
    folder = house.project / "build"
    folder.mkdir()
    (folder / "a.bin").write_bytes(b"made with care")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.bin").write_bytes(b"another's")

    def meanwhile() -> None:
        (folder / "a.bin").unlink()
        if became == "too large":
            (folder / "a.bin").write_bytes(b"x" * 2_000)
        elif became == "a link to elsewhere":
            folder.rmdir()
            folder.symlink_to(elsewhere)

    house.asker = ChangingAsker(KEEPING, meanwhile)
    assert house.says(house.bash("rm -rf build/a.bin")) == "deny"
    assert "no copies could be kept" in str(house.decided[-1].reason)
    assert not [each for each in journal.entries() if each.state is EntryState.PENDING]


class ChangingAsker(FakeAsker):
    """Something happens to the files before the user clicks."""

    def __init__(self, answer: Answer, meanwhile: Callable[[], None]) -> None:
        super().__init__(answer)
        self._meanwhile = meanwhile

    def ask(self, question: Question) -> Answer:
        self._meanwhile()
        return super().ask(question)


def test_what_cannot_be_kept_is_not_offered(house: Gatehouse, journal: Journal) -> None:
    """Nothing is there, or it lies outside."""
    assert not journal.entries()
    for command in ("rm -rf nothing-there", "rm -rf /nonexistent/a", "rm $x"):
        house.answer(house.bash(command))
        view = house.questions[-1].command
        assert view is not None
        assert not view.can_snapshot
