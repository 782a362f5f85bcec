"""What came of a job is kept, written by Apply through the journal, and taken back by Undo."""

from __future__ import annotations

import difflib
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.builder.job import (
    BuildState,
    FaultPlace,
    Improvement,
    JobEnding,
    JobOutcome,
    Proposal,
    Round,
    TestState,
)
from desktop.builder.proposals import KEPT_S, Proposals, ProposedChange
from desktop.builder.reasons import BuilderReason
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.undo import undo_changes
from tests.shipped import redactor

OLD, NEW = "def f():\n    return 1\n", "def f():\n    return 2\n"
SECRET = "ghp_" + "a1B2" * 9  # put together here, so that no search for secrets finds one in this file


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    database = Database(tmp_path / "gate.sqlite3", MIGRATIONS)
    yield Journal(database, tmp_path / "kept")
    database.close()


@pytest.fixture
def proposals(journal: Journal, tmp_path: Path) -> Proposals:
    return Proposals(tmp_path / "proposals", journal, redactor().text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "x.py").write_text(OLD)
    return made


def outcome(project: Path, file: str = "x.py", before: str = OLD, after: str = NEW) -> JobOutcome:
    digest = hashlib.sha256(before.encode()).hexdigest() if before else ""
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True))
    proposal = Proposal(project, file, before, after, digest, "".join(lines), solves=True)
    says = BuilderReason.SOLVED.of(function="f", file=file, count=1)
    tried = Round(1, Improvement.RETRY, BuildState(), TestState(), f"E  {SECRET}\nE  assert 1 == 2")
    return JobOutcome(JobEnding.SOLVED, says, None, FaultPlace(file, "f", 1, 2), proposal, rounds=(tried,))


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


def test_what_is_kept_holds_no_secret(proposals: Proposals, project: Path, tmp_path: Path) -> None:
    """Neither what a test said, nor the file around the lines that change; nobody else may read it."""
    (project / "x.py").write_text(f'{OLD}\n\n\n\n\nKEY = "{SECRET}"\n')
    before = (project / "x.py").read_text()
    proposals.keep("call", outcome(project, before=before, after=before.replace("1", "2", 1)))
    (file,) = (tmp_path / "proposals").iterdir()
    assert SECRET not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    proposals.apply("call")
    assert (project / "x.py").read_text() == before.replace("1", "2", 1)


@pytest.mark.parametrize("far", [0, 30_000])
def test_a_change_with_a_secret_is_not_written_down(
    proposals: Proposals, journal: Journal, project: Path, tmp_path: Path, far: int
) -> None:
    """It is shown whole and can be applied while the program runs; another one knows nothing of it."""
    after = f'{NEW}{"# " + "x " * far}\nKEY = "{SECRET}"\n{"# " + "x " * far}\n'
    proposals.keep("call", outcome(project, after=after))
    (file,) = (tmp_path / "proposals").iterdir()
    assert SECRET not in file.read_text()
    record = proposals.record("call")
    assert record is not None
    assert record.proposal is not None
    assert SECRET in record.proposal.diff
    later = Proposals(tmp_path / "proposals", journal, lambda text: text)
    with pytest.raises(UserFacing) as refused:
        later.apply("call")
    assert refused.value.reason.code is BuilderReason.NO_PROPOSAL
    proposals.apply("call")
    assert (project / "x.py").read_text() == after


def test_it_is_kept_for_a_week(proposals: Proposals, project: Path, tmp_path: Path) -> None:
    """Then a look at any call removes it, and its card has no Apply any more."""
    proposals.keep("call", outcome(project))
    (file,) = (tmp_path / "proposals").iterdir()
    old = time.time() - KEPT_S - 60
    os.utime(file, (old, old))
    assert proposals.record("another") is None
    assert not file.exists()


LINES = st.lists(st.sampled_from(("a\n", "b\n", "a\r\n", "\x0c\n", "ü\n", "\u2028\n")), max_size=8).map(
    "".join
)


@given(LINES, LINES, st.sampled_from(("", "no end")))
def test_the_lines_that_change_make_the_file_that_was_meant(before: str, after: str, last: str) -> None:
    """Whatever was changed, also where lines repeat; byte by byte."""
    proposal = Proposal(Path("/"), "x.py", before, after + last, "", "", solves=True)
    change = ProposedChange.of(proposal)
    assert change.applied_to(before.encode()) == (after + last).encode()


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
