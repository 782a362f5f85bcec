"""`steward rules`, `grants`, `audit`, `undo` and `confine`, on real databases and processes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bootstrap.native import build_native
from desktop.app import Services, build_core
from desktop.cli import gate as verb
from desktop.cli import main
from desktop.cli.gate import confine
from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate.audit import EVERYTHING, AuditFilter
from desktop.gate.grants import Covers, GrantKind, Grants, GrantScope
from desktop.gate.migrations import MIGRATIONS
from desktop.paths import Paths
from desktop.sandbox.confiner import Confiner
from desktop.sandbox.refusals import SandboxReason
from desktop.tools.files import FileOperations
from tests.cli.conftest import Steward


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
    verb.show_audit(core, AuditFilter(kind="decision"), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["3", "2"]
    assert lines[0].endswith("decision  run_command: ls 2 · allow · it only reads")
    verb.show_audit(core, AuditFilter(text="nowhere"), as_json=False)
    assert capsys.readouterr().out == "No record matches.\n"


def test_the_whole_log_is_said_to_be_whole(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, in words and as JSON."""
    assert verb.verify_audit(core, as_json=False) == 0
    assert capsys.readouterr().out == "3 records, the chain is whole\n"
    assert verb.verify_audit(core, as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["whole"] is True


def test_a_changed_log_is_told(core: Services, paths: Paths, capsys: pytest.CaptureFixture[str]) -> None:
    """The first record that does not fit is named, and the exit code says so."""
    connection = sqlite3.connect(paths.database)
    connection.execute("DROP TRIGGER audit_no_update")
    connection.execute("UPDATE audit SET kind = 'other' WHERE number = 2")
    connection.commit()
    connection.close()
    assert verb.verify_audit(core, as_json=False) == 1
    assert "broken at record 2: its content was changed" in capsys.readouterr().out


def test_an_export_is_whole_and_can_be_checked(
    core: Services, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file holds the oldest first, and a change in it is found."""
    file = tmp_path / "log.jsonl"
    verb.export_audit(core, file, EVERYTHING, as_json=False)
    assert capsys.readouterr().out == f"3 records written to {file}\n"
    *records, end = map(json.loads, file.read_text().splitlines())
    assert ([record["number"] for record in records], end["count"]) == ([1, 2, 3], 3)
    assert verb.verify_audit(core, as_json=False, file=file) == 0
    file.write_text(file.read_text().replace("ls 1", "ls 9"))
    assert verb.verify_audit(core, as_json=False, file=file) == 1


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no device without an end")
def test_a_line_that_never_ends_is_no_record(core: Services, capsys: pytest.CaptureFixture[str]) -> None:
    """What was handed in for an export is read as far as a record can be long."""
    assert verb.verify_audit(core, as_json=True, file=Path("/dev/zero")) == 1
    assert json.loads(capsys.readouterr().out)["broken_at"] == 1


def test_a_place_that_refuses_leaves_no_half_file(core: Services, tmp_path: Path) -> None:
    """The error names the place, and nothing of ours lies beside it."""
    with pytest.raises(UserFacing, match="could not be written"):
        verb.export_audit(core, tmp_path / "missing" / "log.jsonl", EVERYTHING, as_json=False)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserFacing, match="could not be written"):
        verb.export_audit(core, tmp_path / "folder", EVERYTHING, as_json=False)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "profile") == ["folder"]
    with pytest.raises(UserFacing, match="cannot be read"):
        verb.verify_audit(core, as_json=False, file=tmp_path / "nowhere.jsonl")


HERE = Path("/home/me/project")


@pytest.fixture
def grants(paths: Paths) -> Iterator[Grants]:
    database = Database(paths.database, MIGRATIONS)
    yield Grants(database)
    database.close()


@pytest.fixture
def two(grants: Grants) -> Grants:
    grants.add(GrantScope.ALWAYS, Covers("run_command", GrantKind.EXACT, "make docs", HERE))
    grants.add(GrantScope.CHAT, Covers("write_file", GrantKind.EXACT, "/home/me/ü.txt", HERE), "7")
    return grants


def test_nothing_is_said_in_words(grants: Grants, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty list is a sentence for people and an empty list for scripts."""
    verb.show_grants(grants, as_json=False)
    verb.revoke_all_grants(grants, as_json=False)
    assert capsys.readouterr().out == "Nothing is allowed beyond one click.\nThere was nothing to revoke.\n"
    verb.show_grants(grants, as_json=True)
    assert json.loads(capsys.readouterr().out) == []


def test_each_has_a_line_with_its_number_and_its_words(
    two: Grants, capsys: pytest.CaptureFixture[str]
) -> None:
    """The words are those of the dialog; JSON has every field."""
    verb.show_grants(two, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("run_command for exactly this: make docs, always in /home/me/project")
    assert lines[1].split()[0] == "1"
    verb.show_grants(two, as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found[0]["text"] == "/home/me/ü.txt"
    assert (found[0]["chat"], found[0]["scope"], found[0]["uses"]) == ("7", "chat", 0)
    assert found[0]["ends_at"] - found[0]["used_at"] == 90 * 24 * 3600


def test_one_is_revoked_and_the_other_stays(two: Grants, capsys: pytest.CaptureFixture[str]) -> None:
    """The number of the list is what `revoke` takes."""
    verb.revoke_grant(two, 1, as_json=False)
    assert capsys.readouterr().out.startswith("Revoked: run_command for exactly this: make docs")
    assert [grant.id for grant in two.listed()] == [2]


def test_a_number_that_is_not_there_changes_nothing(two: Grants) -> None:
    """It says where the numbers are."""
    with pytest.raises(UserFacing, match="no permission number 9") as raised:
        verb.revoke_grant(two, 9, as_json=False)
    assert "grants list" in raised.value.action
    assert len(two.listed()) == 2


def test_all_are_revoked(two: Grants, capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts are told which."""
    verb.revoke_all_grants(two, as_json=True)
    assert sorted(json.loads(capsys.readouterr().out)["revoked"]) == [1, 2]
    assert two.listed() == []


Rules = Callable[..., tuple[int, str]]


@pytest.fixture
def rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Rules:
    """Runs the verb; gives the exit code and what it printed."""

    def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(["--profile", str(tmp_path / "profile"), "rules", *words])
        return code, capsys.readouterr().out

    return run


def test_a_rule_is_added_decides_and_goes(rules: Rules) -> None:
    """What stands in the list decides the next line, and no longer once it is removed."""
    assert rules("test", "git push")[0] == 3
    assert rules("add", "deny", "--program", "git push", "--reason", "not today") == (
        0,
        "Added: 1 deny git push\n",
    )
    code, text = rules("test", "sudo git -C x push", "--agent", "codex")
    assert code == 4
    assert "deny: not today" in text
    assert "rule 1, git push" in text
    assert rules("remove", "1")[0] == 0
    assert rules("test", "git push")[0] == 3
    assert rules("test", "ls")[0] == 0


def test_the_list_shows_what_is_never_done_too(rules: Rules) -> None:
    """With no rule of one's own it is all there is; as JSON only one's own are told."""
    assert "Formatting, wiping" in rules("list")[1]
    rules("add", "ask", "--path", "/srv", "--agent", "codex")
    assert json.loads(rules("list", "--json")[1]) == [
        {"number": 1, "effect": "ask", "path": "/srv", "agent": "codex"}
    ]
    code, text = rules("test", "rm -rf ~", "--json")
    assert (code, json.loads(text)["ground"]) == (4, "hard rule")


@pytest.mark.parametrize(
    "words",
    [
        ("add", "deny"),
        ("add", "allow", "--agent", "codex"),
        ("add", "maybe", "--program", "x"),
        ("remove", "1"),
        ("test", "ls", "--shell", "fish"),
    ],
)
def test_what_makes_no_sense_is_refused(rules: Rules, words: tuple[str, ...]) -> None:
    """And nothing is changed."""
    assert rules(*words)[0] != 0
    assert "no rules" in rules("list")[1]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A file that a tool has overwritten in this profile, by a process that has ended."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "notes.txt").write_bytes(b"old\r\nlines")
    core = build_core(Paths.under(tmp_path / "profile"))
    core.settings.change("chat", "workspace", str(folder))
    files = FileOperations(core.workspace, core.journal, None)
    files.write_file("notes.txt", "new", call="c1")
    core.close()
    assert (folder / "notes.txt").read_bytes() == b"new"
    return folder


def test_the_latest_change_is_put_back_byte_for_byte(steward: Steward, workspace: Path) -> None:
    """Another process, later, restores the very bytes; a second undo has nothing left to do."""
    assert "notes.txt" in steward("undo", "--list").stdout
    done = steward("undo")
    assert done.returncode == 0, done.stderr
    assert (workspace / "notes.txt").read_bytes() == b"old\r\nlines"
    again = steward("undo")
    assert again.returncode == 1
    assert "nothing to undo" in again.stderr


def test_what_one_call_changed_is_one_undo(steward: Steward, workspace: Path, tmp_path: Path) -> None:
    """As a command that removed three files: all of them come back, and the call before it stays done."""
    core = build_core(Paths.under(tmp_path / "profile"))
    files = FileOperations(core.workspace, core.journal, None)
    for name in ("a.log", "b.log"):
        files.write_file(name, "x", call="c2")
    core.close()
    done = steward("undo")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in workspace.iterdir()) == ["notes.txt"]
    assert (workspace / "notes.txt").read_bytes() == b"new"


def test_a_file_that_was_changed_since_is_not_overwritten_unasked(steward: Steward, workspace: Path) -> None:
    """The user's own later edit stays until they say what to do; saving beside keeps both."""
    (workspace / "notes.txt").write_bytes(b"mine")
    refused = steward("undo")
    assert refused.returncode == 1
    assert "has been changed since" in refused.stderr
    assert (workspace / "notes.txt").read_bytes() == b"mine"
    assert steward("undo", "--if-changed", "beside").returncode == 0
    kept = sorted(path.read_bytes() for path in workspace.iterdir())
    assert kept == [b"mine", b"old\r\nlines"]


def test_the_audit_log_of_a_new_profile_is_whole(steward: Steward) -> None:
    """Verifying says how many records there are and that the chain holds."""
    done = steward("audit", "verify")
    assert done.returncode == 0
    assert "0 records, the chain is whole" in done.stdout


ROOT = Path(__file__).resolve().parents[2]


pytestmark = pytest.mark.children


def run(profile: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-P", "-m", "desktop", "--profile", str(profile), "confine", *words]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(profile.parent), "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=profile.parent, env=environment, capture_output=True, check=False)


def test_a_command_reads_and_writes_nothing(tmp_path: Path) -> None:
    """Its options are its own, and its exit code is ours."""
    build_native()
    if reason := Confiner(Paths.under(tmp_path)).why_not():
        pytest.skip(str(reason))
    done = run(tmp_path / "profile", "--", "sh", "-c", "echo read; echo x > new; exit 3")
    assert (done.returncode, done.stdout) == (3, b"read\n")
    assert not (tmp_path / "new").exists()


def test_a_command_writes_in_its_project(tmp_path: Path) -> None:
    """And beside it nothing."""
    build_native()
    if reason := Confiner(Paths.under(tmp_path)).why_not_project():
        pytest.skip(str(reason))
    (tmp_path / "home").mkdir()
    project = tmp_path / "home/project"
    project.mkdir()
    done = run(
        tmp_path / "home/profile", "--project", str(project), "sh", "-c", f"echo x > {project}/a; echo x > b"
    )
    assert done.returncode == 2 or b"Read-only" in done.stderr
    assert (project / "a").read_text() == "x\n"
    assert not (tmp_path / "home/b").exists()


def test_where_nothing_confines_nothing_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is told instead."""
    monkeypatch.setattr(Confiner, "why_not", lambda _self: SandboxReason.CONFINED_BY_NOTHING.of(abi=3))
    with pytest.raises(UserFacing, match="lacks Landlock"):
        confine(Paths.under(tmp_path), None, False, ("touch", str(tmp_path / "new")))
    assert not (tmp_path / "new").exists()
