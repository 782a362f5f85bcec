"""Where the audit log ended, noted in places that do not go with its records.

A chain of hashes shows a record that was changed, and not that the last ones are gone. So the end (number and
hash of the last record) is noted with every record, twice: in a row of the database, in the same transaction,
and in a file beside it. Both carry a code (HMAC-SHA256) made with a key that lies elsewhere, so that an end
which another program made up is told from ours. Whoever may read the key too can forge all of it.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from desktop.database import Connection
from desktop.paths import ensure, write_atomically

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
        handle = os.open(self._head_file, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            content = _as_json(end)
            os.write(handle, content)
            os.ftruncate(handle, len(content))
        finally:
            os.close(handle)
        if not self.was_used:
            self._take_into_use()

    def note_durably(self, end: End) -> None:
        """The same, on the disk when this returns."""
        write_atomically(self._head_file, _as_json(end))

    def noted(self) -> End | None:
        """What the file says; None where it is missing. Raises ValueError for one that is damaged."""
        try:
            said = json.loads(self._head_file.read_text(encoding="utf-8"))
            return End(int(said["number"]), str(said["hash"]), str(said.get("code", "")))
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{self._head_file.name} is damaged") from error

    def why_not_ours(self, end: End) -> str:
        """A reason that completes "the log is broken: "; empty for a note of ours."""
        if self.is_ours(end):
            return ""
        if end.code and not self._read_key():
            return f"the key of its seal is missing ({self._key_file.name})"
        return "its end was written by another program"

    def _code(self, number: int, digest: str, key: bytes) -> str:
        return hmac.new(key, f"{number} {digest}".encode(), hashlib.sha256).hexdigest()

    def _own_key(self) -> bytes:
        if self._key is None:
            self._key = self._read_key() or self._make_key()
        return self._key

    def _read_key(self) -> bytes:
        for file in (self._key_file, self._new_key_file):
            try:
                return file.read_bytes().strip()
            except FileNotFoundError:
                continue
        return b""

    def _take_into_use(self) -> None:
        try:
            os.replace(self._new_key_file, self._key_file)
        except FileNotFoundError:  # another program has just done so
            return

    def _make_key(self) -> bytes:
        """Two programs may do so at once; the first one's counts."""
        ensure(self._key_file.parent)
        try:
            handle = os.open(self._new_key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return self._read_key()
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_hex(KEY_BYTES).encode())
        return self._read_key()


def end_in(connection: Connection) -> End | None:
    """What the row says."""
    row = connection.execute("SELECT number, hash, code FROM audit_end").fetchone()
    return End(row["number"], row["hash"], row["code"]) if row else None


def set_end(connection: Connection, end: End) -> None:
    connection.execute(
        "INSERT INTO audit_end VALUES (1, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
        "number = excluded.number, hash = excluded.hash, code = excluded.code",
        (end.number, end.hash, end.code),
    )


def _as_json(end: End) -> bytes:
    return json.dumps({"number": end.number, "hash": end.hash, "code": end.code}, sort_keys=True).encode()
