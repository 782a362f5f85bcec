"""`steward audit`: list, verify and export, on a real log."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.cli import audit as verb
from desktop.errors import UserFacing
from desktop.gate.audit import EVERYTHING, AuditFilter
from desktop.paths import Paths


@pytest.fixture
def core(paths: Paths) -> Iterator[Services]:
    made = build_core(paths)
    for number in range(3):
        made.audit.append(
            "decision" if number else "tool",
            {"tool": "run_command", "parts": [f"ls {number}"], "gate": "allow", "reason": "it only reads"},
        )
    yield made
    made.close()


def test_records_are_listed_newest_first(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """One line each: number, time, kind, what, outcome."""
    verb.show(core, AuditFilter(kind="decision"), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["3", "2"]
    assert lines[0].endswith("decision  run_command: ls 2 · allow · it only reads")
    verb.show(core, AuditFilter(text="nowhere"), as_json=False)
    assert capsys.readouterr().out == "No record matches.\n"


def test_the_whole_log_is_said_to_be_whole(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, in words and as JSON."""
    assert verb.verify(core, as_json=False) == 0
    assert capsys.readouterr().out == "3 records, the chain is whole\n"
    assert verb.verify(core, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["whole"] is True


def test_a_changed_log_is_told(core: Services, paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    """The first record that does not fit is named, and the exit code says so."""
    connection = sqlite3.connect(paths.database)
    connection.execute("DROP TRIGGER audit_no_update")
    connection.execute("UPDATE audit SET kind = 'other' WHERE number = 2")
    connection.commit()
    connection.close()
    assert verb.verify(core, as_json=False) == 1
    assert "broken at record 2: its content was changed" in capsys.readouterr().out


def test_an_export_is_whole_and_can_be_checked(
    core: Services, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file holds the oldest first, and a change in it is found."""
    file = tmp_path / "log.jsonl"
    verb.export(core, file, EVERYTHING, as_json=False)
    assert capsys.readouterr().out == f"3 records written to {file}\n"
    *records, end = map(json.loads, file.read_text().splitlines())
    assert ([record["number"] for record in records], end["count"]) == ([1, 2, 3], 3)
    assert verb.verify(core, as_json=False, file=file) == 0
    file.write_text(file.read_text().replace("ls 1", "ls 9"))
    assert verb.verify(core, as_json=False, file=file) == 1


def test_a_place_that_refuses_leaves_no_half_file(core: Services, tmp_path: Path) -> None:
    """The error names the place, and nothing of ours lies beside it."""
    with pytest.raises(UserFacing, match="could not be written"):
        verb.export(core, tmp_path / "missing" / "log.jsonl", EVERYTHING, as_json=False)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserFacing, match="could not be written"):
        verb.export(core, tmp_path / "folder", EVERYTHING, as_json=False)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "profile") == ["folder"]
    with pytest.raises(UserFacing, match="cannot be read"):
        verb.verify(core, as_json=False, file=tmp_path / "nowhere.jsonl")
