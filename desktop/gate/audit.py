"""The audit log: every decision and every tool run, in a chain of hashes.

Each record's hash covers the one before it, so that a record changed, removed or put in later breaks the
chain from there on: `verify` names the first one. A chain does not show that its last records are gone, so
where the log ends (number and hash of the last record) is noted with every record in two more places: in a
row of the database, in the same transaction, and in a file beside it. Both notes carry a code (HMAC-SHA256)
made with a key that lies elsewhere, so that an end which another program made up is told from ours. Whoever
may read the key too can forge all of it. When the program goes on with a log whose end is not the one that
was noted, that is a record of its own, which `verify` finds for ever.

Appending is one transaction; a kill at any moment leaves a whole chain.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import math
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from desktop.database import Connection, Database, Row
from desktop.errors import UserFacing
from desktop.gate.migrations import AUDIT_END
from desktop.gate.reasons import GateReason, reason_fields
from desktop.gate.redaction import Redactor
from desktop.paths import ensure, is_other, private, read_own, write_atomically
from desktop.reasons import Reason, reason_from_json
from desktop.state_file import put_aside

START = "0" * 64  # what stands before the first record
# Looking for secrets takes a twentieth of a millisecond to a quarter, in which no other thread runs; of many
# records in a row a hook that waits for its answer would wait for all.
NOTE_BYTES = 256  # of the end
LOOKS = 4  # at the note of the end, before it is called damaged
BREATH_S = 0.000_05
BREATHES_AFTER = 5  # records
LONGEST_LINE = 16_000_000  # characters of an export; a record's longest texts are cut at 16,000
LOG = "log"  # kind of the records about the log itself


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
    reason: Reason | None = None

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
        key_file: Path | None = None,
        restored_file: Path | None = None,
    ) -> None:
        """`head_file` and the key in `key_file` (by default beside it) are made at the first record.

        Where `restored_file` is there, the log has just come out of a backup: another end than the one that
        was noted is then right, and is recorded as that.
        """
        self._database = database
        self._redactor = redactor
        self._head_file = head_file
        self._seal = Seal(head_file, key_file or head_file.with_name("audit-key"))
        self._restored_file = restored_file
        self._now = now
        self._is_first = True  # record of this program

    def append(self, kind: str, record: Mapping[str, Any]) -> int:
        """Write one record, its secrets replaced; returns its number. `record` holds JSON values."""
        return self.append_all([(kind, record)])

    def append_all(self, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> int:
        """Write records in this order in one transaction; returns the number of the last, 0 without any.

        Raises UserFacing where the disk refuses; then none of them is in the log.
        """
        if not entries:
            return 0
        at = self._now()
        # Redacted before the transaction: the one writer of the database has better to do.
        texts = [self._text(place, kind, record) for place, (kind, record) in enumerate(entries, 1)]
        try:
            end = self._database.write(lambda c: self._append(c, at, texts))
        except OSError as error:  # of the key, which the first record makes: without it none is sealed
            raise UserFacing(GateReason.LOG_NOT_WRITTEN.of(error=error.strerror or str(error))) from error
        # On a full disk the row in the database has it, and the next record is noted again; to raise would
        # say that this one is not in the log.
        with contextlib.suppress(OSError):
            self._seal.note(end)
        self._is_first = False
        if self._restored_file is not None:
            self._restored_file.unlink(missing_ok=True)
        return end.number

    def _append(self, connection: Connection, at: float, texts: Sequence[tuple[str, str]]) -> End:
        number, digest = _last(connection)
        connection.execute(AUDIT_END)  # some microseconds; without the table nothing would be logged any more
        wrong = self._wrong_end(connection, number, digest)
        # The chain goes on after a break, so that what happens from then on is held as well; but the break
        # stands in it.
        about = [(LOG, canonical(self._about(wrong, number)))] if wrong else []
        rows: list[tuple[int, float, str, str, str]] = []
        for kind, text in (*about, *texts):
            number += 1
            digest = chain(digest, number, at, kind, text)
            rows.append((number, at, kind, text, digest))
        connection.executemany("INSERT INTO audit VALUES (?, ?, ?, ?, ?)", rows)
        end = self._seal.of(number, digest)
        set_end(connection, end)
        return end

    def _about(self, wrong: Reason, number: int) -> dict[str, Any]:
        if self._restored_file is not None and self._restored_file.exists():
            return {"event": "restored", "records": number}
        return {"event": "broken", **reason_fields(wrong), "records": number}

    def _wrong_end(self, connection: Connection, number: int, digest: str) -> Reason | None:
        """Why the log does not end where it did; None where it does. The file is looked at once."""
        wrong = self._misfit(end_in(connection), number, digest)
        return wrong or (self._wrong_head(connection, number) if self._is_first else None)

    def _text(self, place: int, kind: str, record: Mapping[str, Any]) -> tuple[str, str]:
        text = canonical(self._redactor.value(record))
        if place % BREATHES_AFTER == 0:
            time.sleep(BREATH_S)
        return kind, text

    def records(self, wanted: AuditFilter | None = None) -> list[AuditRecord]:
        """The newest first."""
        sql, values = _select(wanted or AuditFilter())
        return self._database.read(lambda c: [_record(row) for row in c.execute(sql, values)])

    def export(self, file: TextIO, wanted: AuditFilter = EVERYTHING) -> int:
        """Write one JSON object per line, the oldest first, and one that counts them; returns how many."""
        found = self.records(wanted)
        digest = START
        for record in reversed(found):
            file.write(record.as_json() + "\n")
            # Over what was exported: a filtered export leaves gaps, which its chain alone would not tell from
            # cuts.
            digest = _rolled(digest, record.hash)
        file.write(canonical({"count": len(found), "end": digest}) + "\n")
        return len(found)

    def verify(self) -> Verified:
        """Check every record, then whether the end is still there (a second for some 100,000 records)."""
        return self._database.read(self._verified)

    def _verified(self, connection: Connection) -> Verified:
        verified = check(_oldest_first(connection))
        if not verified.is_whole:
            return verified
        rows = connection.execute(
            "SELECT number, CAST(record AS BLOB) AS record FROM audit WHERE kind = ? ORDER BY number", (LOG,)
        )
        for row in rows:
            said = _object(_written(row["record"]))
            # A log that was mended behind the program's back fits again, yet it says itself that it once did
            # not.
            if said.get("event") == "broken":
                what = reason_from_json(said) or GateReason.AS_SAID.of(text=str(said.get("reason")))
                return _broken(verified, row["number"], GateReason.BROKEN_WHEN_GOING_ON.of(what=what))
        if self._restored_file is not None and self._restored_file.exists():
            return verified
        wrong = self._misfit(end_in(connection), verified.count, verified.head)
        wrong = wrong or self._wrong_head(connection, verified.count)
        return _broken(verified, verified.count + 1, wrong) if wrong else verified

    def seal(self) -> None:
        """Put the note of the end on the disk; called when the program ends."""
        end = self._database.read(end_in)
        # A note that somebody else wrote is not made durable: the next start has to see it as it is.
        if end is not None and self._seal.is_ours(end):
            self._seal.note_durably(end)

    def _misfit(self, end: End | None, number: int, digest: str) -> Reason | None:
        """Why a note of the end is not that of a log that ends with `number`; None where it is."""
        if end is None:  # never noted, where there is no key either
            return GateReason.NOTE_IS_MISSING.of() if self._seal.was_used else None
        if end.number > number:
            missing = end.number - number
            return GateReason.RECORDS_AT_THE_END_ARE_MISSING.of(missing=missing)
        if end.number < number:
            return GateReason.RECORDS_WERE_PUT_IN.of(more=number - end.number)
        return self._seal.why_not_ours(end) or (
            None if end.hash == digest else GateReason.END_WAS_WRITTEN_ANEW.of()
        )

    def _wrong_head(self, connection: Connection, number: int) -> Reason | None:
        """The same for the file, which may be some records behind after a kill, and missing at the first."""
        if not self._seal.was_used:
            return None
        try:
            head = self._seal.noted()
        except ValueError:
            return GateReason.HEAD_IS_DAMAGED.of(file=self._head_file.name)
        if head is None:
            return GateReason.HEAD_IS_MISSING.of(file=self._head_file.name)
        # A file behind the log is right after a kill; one ahead of it means that records are gone.
        if head.number > number:
            return self._misfit(head, number, "")
        if head.number and _hash_of(connection, head.number) != head.hash:
            return GateReason.CHAIN_WAS_WRITTEN_ANEW.of()
        return self._seal.why_not_ours(head) if head.number else None


def export_to(audit: AuditLog, path: Path, wanted: AuditFilter = EVERYTHING) -> int:
    """Write the records to `path`, the oldest first, whole or not at all; returns how many.

    A file that is there is replaced; its owner alone can read it. Raises UserFacing. Not on the main thread.
    """
    try:
        # Beside the target, so that the last step is a rename; mkstemp makes it readable for its owner alone.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            count = audit.export(file, wanted)
        os.replace(name, path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise _refused(path, error) from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return count


def _refused(path: Path, error: OSError) -> UserFacing:
    return UserFacing(GateReason.EXPORT_FAILED.of(path=path, error=error.strerror or ""))


# -- the chain -------------------------------------------------------------------------------------


# Made once: in a spelling that is not its own `json.dumps` makes one for each value.
_WRITER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(value: Any) -> str:
    """JSON in one spelling: keys sorted, no spaces, ASCII."""
    return _WRITER.encode(value)


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
    """Check an exported file by itself: every record, their order and number, and that the end is there."""
    count, last, head, digest = 0, 0, START, START
    ends: list[Reason | None] = []
    for line in lines:
        # What somebody appended to an export would otherwise look like a part of it.
        if ends:
            return Verified(count, head, last + 1, GateReason.STANDS_AFTER_THE_END.of())
        said = _parsed(line)
        if isinstance(said, AuditRecord):
            reason = _wrong_line(said, last, head)
            if reason:
                return Verified(count, head, said.number, reason)
            count, last, head, digest = count + 1, said.number, said.hash, _rolled(digest, said.hash)
        elif set(said) == {"count", "end"}:
            ends.append(_wrong_count(said, count, digest))
        else:
            return Verified(count, head, last + 1, GateReason.LINE_IS_NO_RECORD.of())
    reason = ends[0] if ends else GateReason.EXPORT_WAS_CUT.of()
    return Verified(count, head, last + 1, reason) if reason else Verified(count, head)


def _parsed(line: str) -> AuditRecord | dict[str, Any]:
    """A record, the end of an export, or an empty object for anything else."""
    if len(line) > LONGEST_LINE:
        return {}
    try:
        said = _object(line)
    except (ValueError, RecursionError):
        return {}
    # The line at the end counts; a record has no such field.
    if "count" in said:
        return said
    try:
        record = AuditRecord(**said)
    except TypeError:
        return {}
    return record if type(record.number) is int else {}


def _object(text: str) -> dict[str, Any]:
    """The JSON object that is `text`. Raises ValueError and RecursionError for anything else.

    A name that stands twice is refused too: another reader would show the first of two values where we check
    the last.
    """
    said = json.loads(text, object_pairs_hook=_named_once, parse_float=_finite, parse_constant=_finite)
    if not isinstance(said, dict):
        raise ValueError("no object")
    return said


def _finite(text: str) -> float:
    """Others are no JSON, and nothing of ours has written them."""
    if not math.isfinite(number := float(text)):
        raise ValueError("no number")
    return number


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _wrong_line(each: AuditRecord, last: int, head: str) -> Reason | None:
    if each.number == last:
        return GateReason.LINE_STANDS_TWICE.of()
    if each.number < last:
        return GateReason.LINES_NOT_IN_ORDER.of()
    # Between records that were left out the link cannot be checked; each one is held by its own hash.
    return _wrong(each, each.number, head if each.number == last + 1 else each.previous)


def _wrong_count(said: Mapping[str, Any], count: int, digest: str) -> Reason | None:
    # True equals 1 in Python, and 5.0 equals 5; we write neither.
    if type(said["count"]) is not int or said["count"] != count:
        return GateReason.OTHER_COUNT.of(written=said["count"], found=count)
    return None if said["end"] == digest else GateReason.OTHER_LINES.of()


def _rolled(digest: str, record_hash: str) -> str:
    """A hash over all records of an export so far."""
    return hashlib.sha256(f"{digest} {record_hash}".encode()).hexdigest()


def _wrong(each: AuditRecord, number: int, previous: str) -> Reason | None:
    if each.number != number:
        return GateReason.RECORDS_ARE_MISSING.of()
    if each.previous != previous:
        return GateReason.DOES_NOT_FOLLOW.of()
    if each.hash != chain(previous, each.number, each.at, each.kind, canonical(each.record)):
        return GateReason.CONTENT_WAS_CHANGED.of()
    return None


def _broken(verified: Verified, number: int, reason: Reason) -> Verified:
    return Verified(verified.count, verified.head, number, reason)


# -- the table -------------------------------------------------------------------------------------


def _last(connection: Connection) -> tuple[int, str]:
    """Number and hash of the last record."""
    sql = "SELECT number, CAST(hash AS BLOB) AS hash FROM audit ORDER BY number DESC LIMIT 1"
    last = connection.execute(sql).fetchone()
    return (last["number"], _written(last["hash"])) if last else (0, START)


def _hash_of(connection: Connection, number: int) -> str:
    sql = "SELECT CAST(hash AS BLOB) AS hash FROM audit WHERE number = ?"
    row = connection.execute(sql, (number,)).fetchone()
    return _written(row["hash"]) if row else ""


def _written(column: bytes) -> str:
    """A column read as bytes: whatever was written over a text must not keep the rest from being read."""
    return column.decode("utf-8", "replace")


_COLUMNS = """
    SELECT number, CAST(at AS REAL) AS at, CAST(kind AS BLOB) AS kind, CAST(record AS BLOB) AS record,
    CAST(hash AS BLOB) AS hash, CAST(coalesce(
        (SELECT hash FROM audit AS earlier WHERE earlier.number = audit.number - 1), ?
    ) AS BLOB) AS previous
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
    kind, text, digest, previous = (_written(row[name]) for name in ("kind", "record", "hash", "previous"))
    at = row["at"] if math.isfinite(row["at"]) else 0.0
    try:
        record = _object(text)
    except (ValueError, RecursionError):  # somebody wrote over it; its hash will say so
        record = {"unreadable": text}
    return AuditRecord(row["number"], at, kind, record, previous, digest)


# -- where the log ended ---------------------------------------------------------------------------

KEY_BYTES = 32


@dataclass(frozen=True)
class End:
    """The last record; `code` is empty in a log from before ends had one."""

    number: int
    hash: str
    code: str = ""


class Seal:
    """Notes the end and says whether a note is ours. Methods may be called on any thread."""

    def __init__(self, head_file: Path, key_file: Path) -> None:
        self._head_file = head_file
        self._key_file = key_file
        self._new_key_file = key_file.with_name(f"{key_file.name}.new")
        self._key: bytes | None = None

    @property
    def was_used(self) -> bool:
        """Whether this profile has ever noted an end; the key gets its name after both notes are there."""
        return self._key_file.exists()

    def of(self, number: int, digest: str) -> End:
        """The end with its code; makes the key at the first one."""
        return End(number, digest, self._code(number, digest, self._own_key()))

    def is_ours(self, end: End) -> bool:
        if not end.code:
            return not self.was_used
        key = self._key or self._read_key()
        return bool(key) and hmac.compare_digest(end.code, self._code(end.number, end.hash, key))

    def note(self, end: End) -> None:
        """Write the file anew, in place: some microseconds, and whole after a kill."""
        ensure(self._head_file.parent)
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            handle = private(str(self._head_file), flags)
        except OSError as error:
            if not is_other(error):
                raise
            put_aside(self._head_file, "The end of the audit log", "it is no file")
            handle = private(str(self._head_file), flags)
        try:
            content = _as_json(end)
            os.write(handle, content)
            os.ftruncate(handle, len(content))
        finally:
            os.close(handle)
        if not self._key_file.is_file():
            self._take_into_use()

    def note_durably(self, end: End) -> None:
        """The same, on the disk when this returns."""
        try:
            write_atomically(self._head_file, _as_json(end))
        except OSError as error:
            if not is_other(error):
                raise
            put_aside(self._head_file, "The end of the audit log", "it is no file")
            write_atomically(self._head_file, _as_json(end))

    def noted(self) -> End | None:
        """What the file says; None where it is missing. Raises ValueError for one that is damaged."""
        # Another program may be writing it at this moment, and has done so at the next.
        for _ in range(LOOKS - 1):
            with contextlib.suppress(ValueError):
                return self._noted()
            time.sleep(BREATH_S)
        return self._noted()

    def _noted(self) -> End | None:
        try:
            said = json.loads(read_own(self._head_file))
            return End(int(said["number"]), str(said["hash"]), str(said.get("code", "")))
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            raise ValueError(f"{self._head_file.name} is damaged") from error
        except OSError as error:
            if is_other(error):
                raise ValueError(f"{self._head_file.name} is no file") from error
            raise

    def why_not_ours(self, end: End) -> Reason | None:
        """Why a note is not ours; None where it is."""
        if self.is_ours(end):
            return None
        if end.code and not self._read_key():
            return GateReason.KEY_IS_MISSING.of(file=self._key_file.name)
        return GateReason.END_BY_ANOTHER_PROGRAM.of()

    def _code(self, number: int, digest: str, key: bytes) -> str:
        return hmac.new(key, f"{number} {digest}".encode(), hashlib.sha256).hexdigest()

    def _own_key(self) -> bytes:
        if self._key is None:
            self._key = self._read_key() or self._make_key()
        return self._key

    def _read_key(self) -> bytes:
        # It is renamed when it is taken into use; by another program perhaps between the two looks.
        for file in (self._key_file, self._new_key_file, self._key_file):
            try:
                return read_own(file).strip()
            except OSError as error:
                if not (isinstance(error, FileNotFoundError) or is_other(error)):
                    raise
        return b""

    def _take_into_use(self) -> None:
        is_other_thing = self._key_file.exists() and not self._key_file.is_file()
        if is_other_thing and self._new_key_file.exists():
            put_aside(self._key_file, "The key of the audit log", "it is no file")
        try:
            os.replace(self._new_key_file, self._key_file)
        except FileNotFoundError:  # another program has just done so
            return

    def _make_key(self) -> bytes:
        """Whole or not at all. Two programs may do so at once; the first one's counts. Raises OSError."""
        folder = ensure(self._key_file.parent)
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{self._new_key_file.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_hex(KEY_BYTES).encode())
            self._give_name(name)
        finally:
            Path(name).unlink(missing_ok=True)
        return self._read_key()

    def _give_name(self, name: str) -> None:
        try:
            os.link(name, self._new_key_file)  # unlike a rename it takes nobody else's place
        except FileExistsError:
            # An older version could be killed, or find the disk full, between making the file and writing it.
            if not read_own(self._new_key_file).strip():
                os.replace(name, self._new_key_file)
        except OSError:  # a disk without links
            os.replace(name, self._new_key_file)


def end_in(connection: Connection) -> End | None:
    """What the row says."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'audit_end'").fetchone():
        return None
    row = connection.execute("SELECT number, hash, code FROM audit_end").fetchone()
    return End(row["number"], row["hash"], row["code"]) if row else None


def set_end(connection: Connection, end: End) -> None:
    connection.execute(
        "INSERT INTO audit_end VALUES (1, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "number = excluded.number, hash = excluded.hash, code = excluded.code",
        (end.number, end.hash, end.code),
    )


def _as_json(end: End) -> bytes:
    """Always of one length: of two programs that write at once, one would cut the other's longer note."""
    said = json.dumps({"number": end.number, "hash": end.hash, "code": end.code}, sort_keys=True)
    return said.encode().ljust(NOTE_BYTES)


# -- words for the reader --------------------------------------------------------------------------

# What a call is about comes before how, as in a sentence.
_FIRST = ("command", "path", "source", "url", "query", "pattern", "title", "text")
KINDS = {
    "decision": GateReason.KIND_DECISION,
    "tool": GateReason.KIND_TOOL,
    "hook": GateReason.KIND_HOOK,
    "log": GateReason.KIND_LOG,
}
# The gate's answers, and how a call ended.
_RESULTS = {
    "allow": GateReason.ALLOW,
    "ask": GateReason.ASK,
    "deny": GateReason.DENY,
    "denied": GateReason.ENDED_DENIED,
    "done": GateReason.ENDED_DONE,
    "failed": GateReason.ENDED_FAILED,
    "still running": GateReason.ENDED_STILL_RUNNING,
    "stopped": GateReason.ENDED_STOPPED,
    "timed out": GateReason.ENDED_TIMED_OUT,
    "unknown tool": GateReason.ENDED_UNKNOWN_TOOL,
    "wrong arguments": GateReason.ENDED_WRONG_ARGUMENTS,
}


def kind_words(kind: str) -> Reason:
    """A word for the reader; kinds that are not known stand as they are."""
    return KINDS[kind].of() if kind in KINDS else GateReason.AS_SAID.of(text=kind.capitalize())


def what_words(record: Mapping[str, Any]) -> str:
    """Who or what acted on what: "run_command: ls -la"."""
    who = " · ".join(str(record[name]) for name in ("agent", "tool") if record.get(name))
    about = record.get("command") or record.get("text") or record.get("parts") or record.get("arguments")
    return ": ".join(part for part in (who, _flat(about)) if part) or _flat(record)


def outcome_words(record: Mapping[str, Any]) -> Reason | None:
    """What became of it and why: "allow · it only reads"; None for a record that says neither."""
    word = str(next((record[name] for name in ("ending", "gate", "choice") if record.get(name)), ""))
    result = _RESULTS[word].of() if word in _RESULTS else GateReason.AS_SAID.of(text=word)
    if record.get("late"):
        result = GateReason.AFTER_IT_WAS_GIVEN_UP.of(result=result)
    said = str(record.get("reason") or record.get("decision") or "")
    why = reason_from_json(record) or (GateReason.AS_SAID.of(text=said) if said else None)
    if why is None:
        return result if word else None
    return GateReason.RESULT_AND_WHY.of(result=result, why=why) if word else why


def _flat(value: object) -> str:
    """On one line."""
    if isinstance(value, Mapping):
        names = sorted(value, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))
        return ", ".join(f"{name} {_flat(value[name])}" for name in names)
    if isinstance(value, (list, tuple)):
        return "; ".join(_flat(each) for each in value)
    return " ".join(str(value).split()) if value is not None else ""
