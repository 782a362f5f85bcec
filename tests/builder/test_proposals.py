"""What came of a job is kept, written by Apply through the journal, and taken back by Undo."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.builder.job import JobEnding, JobOutcome, Place, Proposal
from desktop.builder.proposals import Proposals
from desktop.builder.reasons import BuilderReason
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.undo import undo_changes

OLD, NEW = "def f():\n    return 1\n", "def f():\n    return 2\n"


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    database = Database(tmp_path / "gate.sqlite3", MIGRATIONS)
    yield Journal(database, tmp_path / "kept")
    database.close()


@pytest.fixture
def proposals(journal: Journal, tmp_path: Path) -> Proposals:
    return Proposals(tmp_path / "proposals", journal)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "x.py").write_text(OLD)
    return made


def outcome(project: Path, file: str = "x.py", before: str = OLD) -> JobOutcome:
    digest = hashlib.sha256(before.encode()).hexdigest() if before else ""
    proposal = Proposal(project, file, NEW, digest, "the difference", solves=True)
    says = BuilderReason.SOLVED.of(function="f", file=file, count=1)
    return JobOutcome(JobEnding.SOLVED, says, None, Place(file, "f", 1, 2), proposal)


def test_apply_writes_and_undo_takes_back(proposals: Proposals, journal: Journal, project: Path) -> None:
    """The file changes with Apply and not before; a second Apply writes nothing."""
    proposals.keep("call", outcome(project))
    assert (project / "x.py").read_text() == OLD
    change = proposals.apply("call")
    assert (project / "x.py").read_text() == NEW
    assert proposals.apply("call") == change
    undo_changes(journal, (change,))
    assert (project / "x.py").read_text() == OLD


def test_a_new_file_is_made_and_taken_away(proposals: Proposals, journal: Journal, project: Path) -> None:
    """Where the function was the first of its file."""
    proposals.keep("call", outcome(project, "new.py", ""))
    change = proposals.apply("call")
    assert (project / "new.py").read_text() == NEW
    undo_changes(journal, (change,))
    assert not (project / "new.py").exists()


@pytest.mark.parametrize("now", ["def f():\n    return 9\n", ""])
def test_a_file_that_has_changed_meanwhile_is_left_alone(
    proposals: Proposals, project: Path, now: str
) -> None:
    """What the user did since is not written over."""
    proposals.keep("call", outcome(project))
    (project / "x.py").write_text(now)
    with pytest.raises(UserFacing) as refused:
        proposals.apply("call")
    assert refused.value.reason.code is BuilderReason.CHANGED_MEANWHILE
    assert (project / "x.py").read_text() == now


def test_what_is_kept_is_read_again(proposals: Proposals, project: Path) -> None:
    """With its words, for a card that is looked at later."""
    kept = proposals.keep("call", outcome(project))
    assert proposals.record("call") == kept
    assert proposals.record("other") is None


@pytest.mark.parametrize("damage", [b"", b"{}", b"[1]", b'{"ending": "solved"', b"\xff" * 20])
def test_a_damaged_record_is_none(proposals: Proposals, project: Path, tmp_path: Path, damage: bytes) -> None:
    """Apply then says that nothing is kept, and writes nothing."""
    proposals.keep("call", outcome(project))
    (file,) = (tmp_path / "proposals").iterdir()
    file.write_bytes(damage)
    assert proposals.record("call") is None
    with pytest.raises(UserFacing) as refused:
        proposals.apply("call")
    assert refused.value.reason.code is BuilderReason.NO_PROPOSAL
    assert (project / "x.py").read_text() == OLD
