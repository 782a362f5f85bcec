"""The audit log: every decision and every tool run, in a chain of hashes.

Each record's hash covers the one before it, so that a record changed, removed or put in later breaks the
chain from there on: `verify` names the first one. The end of the chain is kept in a file beside the database
now and then; a log cut at its end is shorter than that. Whoever may write both files can make a new chain:
the log shows mistakes and tampering by programs that know only the database, it does not stop the owner.

Appending is one transaction; a kill at any moment leaves a whole chain.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from desktop.database import Connection, Database, Row
from desktop.gate.redaction import Redactor
from desktop.paths import write_atomically

START = "0" * 64  # what stands before the first record
# Looking for secrets takes a quarter of a millisecond, in which no other thread runs; of many records in a
# row a hook that waits for its answer would wait for all.
BREATH_S = 0.000_05
HEAD_EVERY = 64  # records between two notes of the end


@dataclass(frozen=True)
class AuditRecord:
    """One line. `at` in seconds since 1970; `hash` is SHA-256 over `previous` and the rest."""

    number: int
    at: float
    kind: str
    record: Mapping[str, Any]
    previous: str
    hash: str

    def as_json(self) -> str:
        """One line of an export, which `verify_export` can check by itself."""
        return canonical(
            {
                "number": self.number,
                "at": self.at,
                "kind": self.kind,
                "record": self.record,
                "previous": self.previous,
                "hash": self.hash,
            }
        )


@dataclass(frozen=True)
class AuditFilter:
    """Which records; what is empty does not restrict."""

    kind: str = ""
    text: str = ""  # anywhere in the record
    since: float | None = None
    until: float | None = None
    before_number: int | None = None  # for the next page
    limit: int | None = 200


EVERYTHING = AuditFilter(limit=None)


@dataclass(frozen=True)
class Verified:
    """What checking the chain found. `broken_at` is the number of the first record that does not fit."""

    count: int
    head: str
    broken_at: int | None = None
    reason: str = ""

    @property
    def is_whole(self) -> bool:
        return self.broken_at is None


class AuditLog:
    """Append, read, check. Methods may be called on any thread."""

    def __init__(
        self,
        database: Database,
        redactor: Redactor,
        head_file: Path,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._redactor = redactor
        self._head_file = head_file
        self._now = now
        self._lock = threading.Lock()

    def append(self, kind: str, record: Mapping[str, Any]) -> int:
        """Write one record, its secrets replaced; returns its number. `record` holds JSON values."""
        return self.append_all([(kind, record)])

    def append_all(self, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
        """Write records in this order in one transaction; returns the number of the last, 0 without any."""
        if not entries:
            return 0
        at = self._now()
        texts = [self._text(kind, record, is_alone=len(entries) == 1) for kind, record in entries]
        number, digest = self._database.write(lambda c: [_insert(c, at, *each) for each in texts][-1])
        if number % HEAD_EVERY < len(texts):
            self._note_head(number, digest)
        return number

    def _text(self, kind: str, record: Mapping[str, Any], is_alone: bool) -> tuple[str, str]:
        text = canonical(self._redactor.value(record))
        if not is_alone:
            time.sleep(BREATH_S)
        return kind, text

    def records(self, wanted: AuditFilter | None = None) -> list[AuditRecord]:
        """The newest first."""
        sql, values = _select(wanted or AuditFilter())
        return self._database.read(lambda c: [_record(row) for row in c.execute(sql, values)])

    def export(self, file: TextIO, wanted: AuditFilter = EVERYTHING) -> int:
        """Write one JSON object per line, the oldest first; returns how many."""
        found = self.records(wanted)
        file.writelines(record.as_json() + "\n" for record in reversed(found))
        return len(found)

    def verify(self) -> Verified:
        """Check every record, then whether the end is still there (a second for some 100,000 records)."""
        verified = self._database.read(lambda c: check(_oldest_first(c)))
        return self._check_head(verified) if verified.is_whole else verified

    def seal(self) -> None:
        """Note the end of the chain; called when the program ends."""
        last = self.records(AuditFilter(limit=1))
        if last:
            self._note_head(last[0].number, last[0].hash)

    def _note_head(self, number: int, digest: str) -> None:
        with self._lock:
            write_atomically(self._head_file, canonical({"number": number, "hash": digest}).encode())

    def _check_head(self, verified: Verified) -> Verified:
        try:
            head = json.loads(self._head_file.read_text(encoding="utf-8"))
            number, digest = int(head["number"]), str(head["hash"])
        except FileNotFoundError:  # not yet written
            return verified
        except (ValueError, KeyError, TypeError):
            return _broken(verified, verified.count, f"{self._head_file.name} is damaged")
        if number > verified.count:
            reason = (
                f"{number - verified.count} records at the end are missing (removed, or lost in a power cut)"
            )
            return _broken(verified, verified.count + 1, reason)
        if self._hash_of(number) != digest:
            return _broken(verified, number, "the whole chain was written anew")
        return verified

    def _hash_of(self, number: int) -> str:
        sql = "SELECT hash FROM audit WHERE number = ?"
        row = self._database.read(lambda c: c.execute(sql, (number,)).fetchone())
        return str(row["hash"]) if row else ""


def canonical(value: Any) -> str:
    """JSON in one spelling: keys sorted, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def chain(previous: str, number: int, at: float, kind: str, record: str) -> str:
    """The hash of a record; `record` is canonical JSON."""
    return hashlib.sha256(canonical([previous, number, at, kind, record]).encode()).hexdigest()


def check(records: Iterable[AuditRecord]) -> Verified:
    """Check records that follow each other from the first one on."""
    count, head = 0, START
    for each in records:
        reason = _wrong(each, count + 1, head)
        if reason:
            return Verified(count, head, count + 1, reason)
        count, head = each.number, each.hash
    return Verified(count, head)


def verify_export(lines: Iterable[str]) -> Verified:
    """Check an exported file by itself: every record, and the chain where numbers follow each other."""
    count, last, head = 0, 0, START
    for line in lines:
        try:
            each = AuditRecord(**json.loads(line))
        except (ValueError, TypeError):
            return Verified(count, head, last + 1, "the line is no record")
        reason = _wrong(each, each.number, head if each.number == last + 1 else each.previous)
        if reason:
            return Verified(count, head, each.number, reason)
        count, last, head = count + 1, each.number, each.hash
    return Verified(count, head)


def _wrong(each: AuditRecord, number: int, previous: str) -> str:
    if each.number != number:
        return "records are missing"
    if each.previous != previous:
        return "it does not follow the record before it"
    if each.hash != chain(previous, each.number, each.at, each.kind, canonical(each.record)):
        return "its content was changed"
    return ""


def _broken(verified: Verified, number: int, reason: str) -> Verified:
    return Verified(verified.count, verified.head, number, reason)


def _insert(connection: Connection, at: float, kind: str, text: str) -> tuple[int, str]:
    last = connection.execute("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    number, previous = (last["number"] + 1, last["hash"]) if last else (1, START)
    digest = chain(previous, number, at, kind, text)
    connection.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?)", (number, at, kind, text, digest))
    return number, digest


_COLUMNS = """
    SELECT number, at, kind, record, hash, coalesce(
        (SELECT hash FROM audit AS earlier WHERE earlier.number = audit.number - 1), ?
    ) AS previous
    FROM audit
"""


def _oldest_first(connection: Connection) -> Iterator[AuditRecord]:
    return map(_record, connection.execute(f"{_COLUMNS} ORDER BY number", (START,)))


def _select(wanted: AuditFilter) -> tuple[str, list[object]]:
    conditions: list[str] = []
    values: list[object] = [START]
    for condition, wants, value in (
        ("kind = ?", bool(wanted.kind), [wanted.kind]),
        (_CONTAINS, bool(wanted.text), _patterns(wanted.text)),
        ("at >= ?", wanted.since is not None, [wanted.since]),
        ("at < ?", wanted.until is not None, [wanted.until]),
        ("number < ?", wanted.before_number is not None, [wanted.before_number]),
    ):
        if wants:
            conditions.append(condition)
            values += value
    where = " AND ".join(conditions) or "1"
    limit = -1 if wanted.limit is None else wanted.limit
    return f"{_COLUMNS} WHERE {where} ORDER BY number DESC LIMIT ?", [*values, limit]


_CONTAINS = "(record LIKE ? ESCAPE '\\' OR record LIKE ? ESCAPE '\\')"


def _patterns(text: str) -> list[str]:
    """What was typed, and how it is stored: records are JSON in ASCII, so "ü" stands there escaped."""
    return [_pattern(text), _pattern(json.dumps(text)[1:-1])]


def _pattern(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _record(row: Row) -> AuditRecord:
    try:
        record = json.loads(row["record"])
    except ValueError:  # somebody wrote over it; its hash will say so
        record = {"unreadable": row["record"]}
    return AuditRecord(row["number"], row["at"], row["kind"], record, row["previous"], row["hash"])
