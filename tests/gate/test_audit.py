"""The audit log: a chain that shows what was changed."""

from __future__ import annotations

import errno
import io
import json
import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.database import Database
from desktop.errors import UserFacing
from desktop.gate import audit as audit_module
from desktop.gate.audit import START, AuditFilter, AuditLog, chain, verify_export
from desktop.gate.migrations import MIGRATIONS
from desktop.gate.redaction import Redactor, read_rules
from desktop.paths import Paths, resources

REDACTOR = Redactor(read_rules(resources() / "redaction.toml"))


@pytest.fixture
def clock() -> Iterator[float]:
    return iter(range(1_000, 100_000))  # type: ignore[arg-type,return-value]


@pytest.fixture
def audit(database: Database, paths: Paths, clock: Iterator[float]) -> AuditLog:
    return _log(database, paths, now=lambda: float(next(clock)))


def _log(database: Database, paths: Paths, **more: Callable[[], float]) -> AuditLog:
    files = {"key_file": paths.audit_key, "restored_file": paths.audit_restored}
    return AuditLog(database, REDACTOR, paths.audit_head, **files, **more)


def _fill(audit: AuditLog, count: int = 10) -> None:
    for number in range(count):
        audit.append(
            "decision" if number % 2 else "run", {"tool": "run_command", "n": number, "text": "100 %_"}
        )


def _tamper(paths: Paths, *statements: str) -> None:
    """As somebody would who opens the file with another program."""
    connection = sqlite3.connect(paths.database)
    for statement in ("DROP TRIGGER audit_no_update", "DROP TRIGGER audit_no_delete", *statements):
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_an_untouched_log_is_whole(audit: AuditLog) -> None:
    """Empty or filled, the chain holds, and the newest comes first."""
    assert audit.verify().is_whole
    _fill(audit)
    verified = audit.verify()
    assert (verified.is_whole, verified.count) == (True, 10)
    records = audit.records()
    assert [record.number for record in records] == list(range(10, 0, -1))
    assert records[-1].previous == START
    assert verified.head == records[0].hash


@pytest.mark.parametrize(
    ("statement", "broken_at", "reason"),
    [
        ("UPDATE audit SET record = '{\"n\":99}' WHERE number = 4", 4, "changed"),
        ("UPDATE audit SET record = 'no json' WHERE number = 4", 4, "changed"),
        ("UPDATE audit SET at = at + 1 WHERE number = 7", 7, "changed"),
        ("UPDATE audit SET kind = 'x' WHERE number = 1", 1, "changed"),
        ("UPDATE audit SET hash = '00' WHERE number = 5", 5, "changed"),
        ("DELETE FROM audit WHERE number = 3", 3, "missing"),
        ("DELETE FROM audit WHERE number = 1", 1, "missing"),
        ("DELETE FROM audit WHERE number > 8", 9, "missing"),
        ("DELETE FROM audit", 1, "missing"),
    ],
)
def test_what_was_changed_is_named(
    audit: AuditLog, paths: Paths, statement: str, broken_at: int, reason: str
) -> None:
    """The first record that does not fit, and why; a log cut at its end too."""
    _fill(audit)
    audit.seal()
    _tamper(paths, statement)
    verified = audit.verify()
    assert verified.broken_at == broken_at
    assert reason in str(verified.reason)


def _rechain(paths: Paths, since: int, count: int) -> tuple[int, str]:
    """Write the records from `since` on anew, `count` in all, with hashes that fit; the new end."""
    connection = sqlite3.connect(paths.database)
    sql = "SELECT hash FROM audit WHERE number = ?"
    head = connection.execute(sql, (since - 1,)).fetchone()[0] if since > 1 else START
    _tamper(paths, f"DELETE FROM audit WHERE number >= {since}")
    for number in range(since, count + 1):
        head = chain(head, number, 5.0, "run", '{"innocent":true}')
        values = (number, 5.0, "run", '{"innocent":true}', head)
        connection.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?)", values)
    connection.commit()
    connection.close()
    return count, head


def _set_end(paths: Paths, end: tuple[int, str]) -> None:
    """Make the row and the file say so, as somebody would who knows both, but not the key."""
    connection = sqlite3.connect(paths.database)
    connection.execute("UPDATE audit_end SET number = ?, hash = ?", end)
    connection.commit()
    connection.close()
    head = json.loads(paths.audit_head.read_text())
    paths.audit_head.write_text(json.dumps({**head, "number": end[0], "hash": end[1]}))


def _cut(paths: Paths, number: int) -> None:
    _tamper(paths, f"DELETE FROM audit WHERE number > {number}")


def _cut_and_set(paths: Paths) -> None:
    _cut(paths, 8)
    connection = sqlite3.connect(paths.database)
    (digest,) = connection.execute("SELECT hash FROM audit WHERE number = 8").fetchone()
    connection.close()
    _set_end(paths, (8, digest))


def _forget_all(paths: Paths) -> None:
    _tamper(paths, "DELETE FROM audit", "DROP TRIGGER audit_end_no_delete", "DELETE FROM audit_end")
    paths.audit_head.unlink()


SHORTENED = {
    "the last records cut": (lambda paths: _cut(paths, 8), "2 records at the end are missing"),
    "one record cut": (lambda paths: _cut(paths, 9), "1 records at the end are missing"),
    "cut, and the file deleted": (
        lambda paths: (_cut(paths, 8), paths.audit_head.unlink()),
        "2 records at the end are missing",
    ),
    "the file deleted": (
        lambda paths: paths.audit_head.unlink(),
        "audit-head.json, which records its end, is",
    ),
    "cut, and both notes changed": (_cut_and_set, "its end was written by another program"),
    "the tail rechained": (lambda paths: _rechain(paths, 6, 10), "its end was rewritten"),
    "all of it rechained": (lambda paths: _rechain(paths, 1, 10), "its end was rewritten"),
    "a longer tail": (lambda paths: _rechain(paths, 6, 12), "another program added 2 records at the end"),
    "a shorter tail": (lambda paths: _rechain(paths, 6, 8), "2 records at the end are missing"),
    "rechained, and both notes changed": (
        lambda paths: _set_end(paths, _rechain(paths, 6, 10)),
        "its end was written by another program",
    ),
    "all of it deleted": (_forget_all, "the record of its end is missing"),
    "the table of the end dropped": (
        lambda paths: _tamper(paths, "DROP TABLE audit_end"),
        "the record of its end is missing",
    ),
    "cut, and a folder in the place of the file": (
        lambda paths: (_cut(paths, 8), paths.audit_head.unlink(), paths.audit_head.mkdir()),
        "2 records at the end are missing",
    ),
    "a folder in the place of the file": (
        lambda paths: (paths.audit_head.unlink(), paths.audit_head.mkdir()),
        "audit-head.json is damaged",
    ),
    "a folder in the place of the key": (
        lambda paths: (paths.audit_key.unlink(), paths.audit_key.mkdir()),
        "the key to its seal is missing",
    ),
    "the key deleted": (lambda paths: paths.audit_key.unlink(), "the key to its seal is missing"),
}


@pytest.mark.parametrize("goes_on", [False, True])
@pytest.mark.parametrize("attack", SHORTENED)
def test_a_log_that_was_shortened_is_told(
    audit: AuditLog, database: Database, paths: Paths, attack: str, goes_on: bool
) -> None:
    """Each way is named; also for ever when the program goes on, in this process or in a new one."""
    change, reason = SHORTENED[attack]
    _fill(audit)
    change(paths)
    if goes_on:
        _log(database, paths).append("run", {"n": 11})
        audit.append("run", {"n": 12})
    verified = _log(database, paths).verify()
    assert not verified.is_whole
    assert reason in str(verified.reason)


def test_a_log_out_of_a_backup_is_whole_and_says_so(
    audit: AuditLog, database: Database, paths: Paths
) -> None:
    """Its end is older than the noted one, or sealed on another computer; that is recorded, not alarming."""
    _fill(audit)
    _cut_and_set(paths)
    paths.audit_restored.touch()
    log = _log(database, paths)
    assert log.verify().is_whole
    log.append("run", {})
    assert not paths.audit_restored.exists()
    assert log.verify().is_whole
    restored = log.records(AuditFilter(kind="log"))[0]
    assert restored.record == {"event": "restored", "records": 8}


@pytest.mark.parametrize("reached", ["key", "row"])
def test_a_kill_at_the_first_record_is_no_alarm(
    database: Database, paths: Paths, monkeypatch: pytest.MonkeyPatch, reached: str
) -> None:
    """Between the key and the record, or between the record and the file."""

    def die(*_arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("desktop.gate.audit.set_end" if reached == "key" else "os.ftruncate", die)
        log = _log(database, paths)
        with pytest.raises(KeyboardInterrupt):
            log.append("run", {})
    if reached == "row":
        paths.audit_head.unlink()
    log = _log(database, paths)
    assert log.verify().is_whole
    log.append("run", {})
    assert log.verify().is_whole
    assert log.records(AuditFilter(kind="log")) == []


def test_a_damaged_note_of_the_end_is_told(audit: AuditLog, paths: Paths) -> None:
    """It is no reason to call the log whole."""
    _fill(audit)
    paths.audit_head.write_text("{")
    assert not audit.verify().is_whole


@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_the_end_is_noted_where_something_else_has_its_place(
    audit: AuditLog, paths: Paths, put: Callable[[Path], object]
) -> None:
    """When the program ends, as with the next record: it is put aside, and nothing fails."""
    _fill(audit)
    paths.audit_head.unlink()
    put(paths.audit_head)
    audit.seal()
    assert audit.verify().is_whole
    assert list(paths.data.glob("audit-head.json*.damaged*"))


@pytest.mark.parametrize("statement", ["UPDATE audit SET kind = 'x'", "DELETE FROM audit"])
def test_our_own_code_can_only_append(audit: AuditLog, database: Database, statement: str) -> None:
    """A slip in the program cannot rewrite history."""
    _fill(audit)
    with pytest.raises(sqlite3.IntegrityError, match="only grows"):
        database.write(lambda c: c.execute(statement))
    assert audit.verify().is_whole


def test_secrets_are_not_written(audit: AuditLog, paths: Paths) -> None:
    """Neither the database nor its log of changes on the disk has the token."""
    token = f"gh{'p'}_" + "Zx9Kq2Lm8Vt4Rb7Wc3Yh6Nj1"
    audit.append(
        "decision", {"command": f"git push https://me:{token}@github.example", "api_key": "hunter22"}
    )
    assert "[redacted: " in audit.records()[0].record["command"]
    for file in paths.data.iterdir():
        assert token.encode() not in file.read_bytes()
        assert b"hunter22" not in file.read_bytes()


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (AuditFilter(kind="decision"), [10, 8, 6, 4, 2]),
        (AuditFilter(text='"n":3'), [4]),
        (AuditFilter(text="%_"), list(range(10, 0, -1))),
        (AuditFilter(text="%x"), []),
        (AuditFilter(since=1_002, until=1_005), [5, 4, 3]),
        (AuditFilter(before_number=4, limit=2), [3, 2]),
    ],
)
def test_records_are_filtered(audit: AuditLog, wanted: AuditFilter, numbers: list[int]) -> None:
    """By kind, words, time and page; wildcards are plain characters."""
    _fill(audit)
    assert [record.number for record in audit.records(wanted)] == numbers


def _line(change: Callable[[dict[str, object]], object]) -> Callable[[list[str]], list[str]]:
    def changed(lines: list[str]) -> list[str]:
        fields = json.loads(lines[4])
        change(fields)
        return [*lines[:4], json.dumps(fields), *lines[5:]]

    return changed


@pytest.mark.parametrize("text", ["grüße.txt", '"quoted"', "C:\\Users", "日本", "100 %_"])
def test_a_search_finds_what_was_written(audit: AuditLog, text: str) -> None:
    """Letters beyond ASCII, quotes and backslashes too, which are stored as escapes."""
    audit.append("tool", {"path": f"/home/me/{text}"})
    audit.append("tool", {"path": "/home/me/other"})
    assert [record.number for record in audit.records(AuditFilter(text=text))] == [1]


@pytest.mark.parametrize(
    ("change", "broken_at"),
    [
        (lambda lines: lines, None),
        (_line(lambda fields: fields.update(record={})), 5),
        (_line(lambda fields: fields.update(previous=START)), 5),
        (lambda lines: [*lines[:4], "no json", *lines[5:]], 5),
        (lambda lines: [*lines[:4], *lines[5:]], 11),
        (lambda lines: lines[1:], 11),
        (lambda lines: [*lines[:9], lines[10]], 10),
        (lambda lines: lines[:10], 11),
        (lambda lines: lines[:5], 6),
        (lambda lines: [], 1),
        (lambda lines: [*lines[:5], lines[4], *lines[5:]], 5),
        (lambda lines: [*lines[:4], lines[5], lines[4], *lines[6:]], 5),
        (lambda lines: [lines[10], *lines[:10]], 1),
        (lambda lines: [*lines, lines[3]], 11),
        (lambda lines: [*lines[:10], '{"count":9,"end":"00"}'], 11),
        (lambda lines: [*lines[:4], *lines[5:10], lines[10].replace("10", "9", 1)], 10 + 1),
        # What another reader shows is not what is checked, or nobody can compute with it.
        (lambda lines: [lines[0].replace('"n":0', '"n":7,"n":0'), *lines[1:]], 1),
        (lambda lines: [lines[0].replace('"n":0', '"n":NaN'), *lines[1:]], 1),
        (lambda lines: [lines[0].replace('"n":0', '"n":1e999'), *lines[1:]], 1),
        (lambda lines: [lines[0].replace('"number":1', '"number":"1"'), *lines[1:]], 1),
        (lambda lines: [lines[0].replace('"n":0', '"n":' + "[" * 100_000), *lines[1:]], 1),
        (lambda lines: [*lines[:10], lines[10].replace('"count":10', '"count":9,"count":10')], 11),
    ],
)
def test_an_export_is_checked_by_itself(
    audit: AuditLog, change: Callable[[list[str]], list[str]], broken_at: int | None
) -> None:
    """An exported file says which of its lines was changed."""
    _fill(audit)
    file = io.StringIO()
    assert audit.export(file) == 10
    assert verify_export(change(file.getvalue().splitlines())).broken_at == broken_at


@pytest.mark.parametrize(
    "written",
    [
        *("""record = '{"n":7,"n":0}'""", """record = '{"n":NaN}'""", """record = '{"n":1e999}'"""),
        *("record = '[0]'", "record = '{'", f"record = '{'[' * 100_000}'", "record = x'00ff'"),
        *("record = CAST(x'ff' AS TEXT)", "record = 5", "kind = x'ff'", "kind = CAST(x'ff' AS TEXT)"),
        *(
            "hash = x'ff'",
            "hash = CAST(x'ff' AS TEXT)",
            "hash = 7",
            "at = 9e999",
            "at = 'noon'",
            "at = x'ff'",
        ),
    ],
)
@pytest.mark.parametrize("number", [5, 10])
def test_a_record_that_was_written_over_is_named_whatever_stands_there(
    audit: AuditLog, paths: Paths, written: str, number: int
) -> None:
    """The log is told as broken there; it can still be listed, exported, and gone on with."""
    _fill(audit)
    _tamper(paths, f"UPDATE audit SET {written} WHERE number = {number}")
    assert audit.verify().broken_at == number
    assert len(audit.records()) == 10
    assert audit.export(io.StringIO()) == 10
    assert audit.append("run", {"n": 11}) > 10
    assert not audit.verify().is_whole


def test_a_part_of_the_log_is_a_whole_export(audit: AuditLog) -> None:
    """What a filter leaves out is not missing, and what the file has lost is."""
    _fill(audit)
    file = io.StringIO()
    assert audit.export(file, AuditFilter(kind="decision")) == 5
    lines = file.getvalue().splitlines()
    assert verify_export(lines).is_whole
    assert not verify_export([lines[0], *lines[2:]]).is_whole


def test_many_threads_and_two_programs_write_one_chain(database: Database, paths: Paths) -> None:
    """Numbers have no gap and no record is lost."""
    other = Database(paths.database, MIGRATIONS)
    logs = [AuditLog(each, REDACTOR, paths.audit_head) for each in (database, other)]
    threads = [threading.Thread(target=_fill, args=(log, 20)) for log in logs for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    verified = logs[0].verify()
    other.close()
    assert (verified.is_whole, verified.count) == (True, 120)


def test_notes_of_the_end_that_cross_each_other_are_whole(audit: AuditLog, paths: Paths) -> None:
    """The shorter note of two programs does not cut the longer one, whichever comes first."""
    _fill(audit, 9)
    nine = paths.audit_head.stat().st_size
    audit.append("run", {"n": 10})
    assert paths.audit_head.stat().st_size == nine
    with paths.audit_head.open("r+b") as behind:  # the last step of a note of nine records, come late
        behind.truncate(nine)
    assert audit.verify().is_whole


def test_a_note_that_is_just_being_written_is_looked_at_again(
    audit: AuditLog, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log is not called broken for having been read a moment too soon."""
    _fill(audit, 3)
    whole = paths.audit_head.read_bytes()
    paths.audit_head.write_bytes(whole[:40])
    monkeypatch.setattr(audit_module.time, "sleep", lambda _s: paths.audit_head.write_bytes(whole))
    assert audit.verify().is_whole


def test_a_key_that_is_being_taken_into_use_is_found(
    audit: AuditLog, database: Database, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program renames it between the looks at its two names."""
    _fill(audit, 3)
    key = paths.audit_key
    looked: list[str] = []
    read = audit_module.read_own

    def renamed_meanwhile(file: Path) -> bytes:
        looked.append(file.name)
        if file == key and len(looked) == 1:
            raise FileNotFoundError(file)
        return read(file)

    monkeypatch.setattr(audit_module, "read_own", renamed_meanwhile)
    other = _log(database, paths)
    assert other.verify().is_whole
    assert looked[:3] == [key.name, f"{key.name}.new", key.name]


def test_kill_9_leaves_a_whole_chain(paths: Paths) -> None:
    """Whatever was said to be written is there, and the chain goes on from it."""
    script = textwrap.dedent(
        f"""
        from pathlib import Path
        from desktop.database import Database
        from desktop.gate.audit import AuditLog
        from desktop.gate.migrations import MIGRATIONS
        from desktop.gate.redaction import Redactor
        database = Database(Path({str(paths.database)!r}), MIGRATIONS)
        audit = AuditLog(database, Redactor(()), Path({str(paths.audit_head)!r}))
        while True:
            print(audit.append("run", {{"text": "x" * 2000}}), flush=True)
        """
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    )
    assert writer.stdout is not None
    said = 0
    for line in writer.stdout:
        said = int(line) if line.strip().isdigit() else said
        if said >= 150:
            break
    writer.kill()
    writer.communicate()
    database = Database(paths.database, MIGRATIONS)
    audit = AuditLog(database, REDACTOR, paths.audit_head)
    verified = audit.verify()
    assert verified.is_whole, verified
    assert verified.count >= said
    assert audit.append("run", {}) == verified.count + 1
    assert audit.verify().is_whole
    database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="has no pipes among its files")
@pytest.mark.parametrize("which", ["audit_head", "audit_key"])
def test_a_pipe_in_the_place_of_a_note_is_not_waited_for(
    audit: AuditLog, database: Database, paths: Paths, which: str
) -> None:
    """It has no end to read, and nobody reads what is written to it: a new program names it, and goes on."""
    _fill(audit)
    file: Path = getattr(paths, which)
    file.unlink()
    os.mkfifo(file)
    log = _log(database, paths)
    assert not log.verify().is_whole
    for writer in (log, audit):
        writer.append("run", {"n": 11})
    assert not _log(database, paths).verify().is_whole
    assert next(each.record.get("n") for each in audit.records()) == 11


def test_a_note_that_finds_no_room_is_no_lost_record(
    audit: AuditLog, database: Database, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record is in the log, and so it is said; the next one is noted again."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(audit_module.Seal, "note", full)
    _fill(audit, 3)
    monkeypatch.undo()
    assert audit.verify().is_whole
    audit.append("run", {"n": 4})
    assert _log(database, paths).verify().count == 4
    assert _log(database, paths).verify().is_whole


def test_a_first_record_without_room_for_its_key_is_refused_in_a_sentence(
    database: Database, paths: Paths
) -> None:
    """A file lies where its folder is to be. Once that is gone, the log begins as if nothing had been."""
    blocked = paths.config / "blocked"
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("no folder")
    audit = AuditLog(database, REDACTOR, paths.audit_head, key_file=blocked / "audit-key")
    with pytest.raises(UserFacing) as refused:
        audit.append("run", {"n": 1})
    assert refused.value.code == "log-not-written"
    assert audit.records() == []
    blocked.unlink()
    audit.append("run", {"n": 1})
    assert audit.verify().is_whole
    assert [each.record["n"] for each in audit.records()] == [1]


def test_a_key_that_was_never_written_is_made_anew(database: Database, paths: Paths) -> None:
    """An older version could be killed, or find the disk full, when its file was there and still empty."""
    paths.audit_key.parent.mkdir(parents=True, exist_ok=True)
    paths.audit_key.with_name("audit-key.new").touch()
    audit = _log(database, paths)
    _fill(audit, 2)
    assert len(paths.audit_key.read_bytes()) == 64
    assert _log(database, paths).verify().is_whole
    assert not list(paths.audit_key.parent.glob(".audit-key*"))
