"""A shared store on PostgreSQL: words by its full-text search and, where pgvector is there, meaning.

Row-level safety does not rest on the server's set-up: every statement of this file names the tenant. The
logins of a group differ: whoever made the tables owns them, the others got rights on them. So nothing is
created before the catalogue was asked what is there and what this login may do: `CREATE TABLE IF NOT EXISTS`
wants the right to create even where the table exists.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from desktop.errors import UserFacing
from desktop.memory.item import Layer, MemorySource
from desktop.memory.reasons import MemoryReason
from desktop.memory.shared.store import (
    SharedItem,
    StoreRole,
    check,
    fused,
    not_installed,
    not_let_in,
    unreachable,
)

log = structlog.get_logger(__name__)

TIMEOUT_S = 5
DIMENSIONS = 384
_WORD = re.compile(r"\w+")
_MEMORY = """
CREATE TABLE steward_memory (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    layer TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    author TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    author_key TEXT NOT NULL DEFAULT '',
    signature TEXT NOT NULL DEFAULT '',
    words TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX steward_memory_words ON steward_memory USING gin (words);
CREATE INDEX steward_memory_latest ON steward_memory (tenant, layer, at);
"""
_STATE = "CREATE TABLE steward_memory_state (tenant TEXT PRIMARY KEY, version BIGINT NOT NULL);\n"
_EXTENSION = "CREATE EXTENSION IF NOT EXISTS vector;"
# Missing in tables that were made before there were signatures, or before pgvector was installed.
_ADDED = {
    "author_key": "ALTER TABLE steward_memory ADD COLUMN author_key TEXT NOT NULL DEFAULT '';",
    "signature": "ALTER TABLE steward_memory ADD COLUMN signature TEXT NOT NULL DEFAULT '';",
}
_MEANING = f"ALTER TABLE steward_memory ADD COLUMN meaning vector({DIMENSIONS});"
# Two who connect first at the same moment: one makes the tables, the other one waits and finds them.
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('steward_memory'))"
_LOOK = """
SELECT c.relname, pg_has_role(c.relowner, 'USAGE'),
       has_table_privilege(c.oid, 'SELECT'),
       has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE'),
       has_table_privilege(c.oid, 'DELETE'),
       ARRAY(SELECT attname::text FROM pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)
FROM pg_class AS c WHERE c.oid IN (to_regclass('steward_memory'), to_regclass('steward_memory_state'))
"""
_NONE = "'' AS author_key, '' AS signature"
_NO_RIGHT = "42501"  # insufficient_privilege
_NO_SCHEMA = "3F000"  # invalid_schema_name: none that this login may use, so nowhere to create a table


@dataclass(frozen=True)
class _Table:
    """One of our tables, as the catalogue shows it to this login."""

    is_owned: bool
    can_read: bool
    can_write: bool
    can_delete: bool
    columns: frozenset[str]


class PostgresStore:
    """One connection, used by one thread after another."""

    def __init__(self, address: str, tenant: str, password: str | None = None) -> None:
        """`address` is a connection string without a password, `postgresql://me@host/steward`; the tables are
        made where they are missing and this login may make them. Raises UserFacing.
        """
        self._address = address
        self._tenant = tenant
        self._lock = threading.Lock()
        self._connection = self._connect(password)
        try:
            tables = self._prepared()
        except self._errors as error:
            self.close()
            raise unreachable(self._address, error) from error
        except UserFacing:
            self.close()
            raise
        # Asked once: neither rights nor columns change while the program runs without being noticed below.
        self.role = _role(tables)
        columns = tables["steward_memory"].columns
        self.has_vectors = "meaning" in columns
        self._is_signing = {"author_key", "signature"} <= columns

    def add(self, item: SharedItem, vector: Sequence[float] = ()) -> None:
        check(item)
        values = {
            "id": item.id,
            "layer": item.layer.value,
            "text": item.text,
            "source": item.source.value,
            "author": item.author,
            "at": item.at,
        }
        if self._is_signing:
            values |= {"author_key": item.key, "signature": item.signature}
        names = ", ".join(values)
        given = ", ".join(f"%({name})s" for name in values)
        replaced = ", ".join(f"{name} = EXCLUDED.{name}" for name in values if name != "id")
        self._run(
            f"INSERT INTO steward_memory (tenant, {names}) VALUES (%(tenant)s, {given})"  # noqa: S608 - from above
            f" ON CONFLICT (tenant, id) DO UPDATE SET {replaced}",
            values,
        )
        # A second statement, so that the first one works on servers without the extension.
        if self.has_vectors:
            self._run(
                "UPDATE steward_memory SET meaning = %(vector)s WHERE tenant = %(tenant)s AND id = %(id)s",
                {"id": item.id, "vector": _literal(vector) if vector else None},
            )
        self._bump()

    def search(
        self, layers: Iterable[Layer], terms: Sequence[str], vector: Sequence[float] = (), limit: int = 20
    ) -> tuple[SharedItem, ...]:
        among = [layer.value for layer in layers]
        by_words = self._by_words(among, terms, 2 * limit) if terms else ()
        by_meaning = self._by_meaning(among, vector, 2 * limit) if vector and self.has_vectors else ()
        return fused(by_words, by_meaning, limit)

    def latest(self, layers: Iterable[Layer], limit: int = 100) -> tuple[SharedItem, ...]:
        return self._items(
            f"SELECT {self._fields} FROM steward_memory"  # noqa: S608 - from this file
            " WHERE tenant = %(tenant)s AND layer = ANY(%(layers)s) ORDER BY at DESC, id LIMIT %(limit)s",
            {"layers": [layer.value for layer in layers], "limit": limit},
        )

    def forget(self, ids: Iterable[str]) -> int:
        gone = self._run(
            "DELETE FROM steward_memory WHERE tenant = %(tenant)s AND id = ANY(%(ids)s) RETURNING id",
            {"ids": list(ids)},
        )
        self._bump()
        return len(gone)

    def version(self) -> int:
        found = self._run("SELECT version FROM steward_memory_state WHERE tenant = %(tenant)s", {})
        return int(found[0][0]) if found else 0

    def close(self) -> None:
        self._connection.close()

    # -- inside -------------------------------------------------------------------------------

    def _by_words(self, layers: list[str], terms: Sequence[str], limit: int) -> tuple[SharedItem, ...]:
        """Texts with at least one of the words, those with more of them first."""
        query = _any_of(terms)
        if not query:
            return ()
        return self._items(
            f"SELECT {self._fields} FROM steward_memory, to_tsquery('simple', %(query)s) AS query"  # noqa: S608
            " WHERE tenant = %(tenant)s AND layer = ANY(%(layers)s) AND words @@ query"
            " ORDER BY ts_rank(words, query, 1) DESC, at DESC LIMIT %(limit)s",
            {"query": query, "layers": layers, "limit": limit},
        )

    def _by_meaning(self, layers: list[str], vector: Sequence[float], limit: int) -> tuple[SharedItem, ...]:
        return self._items(
            f"SELECT {self._fields} FROM steward_memory"  # noqa: S608 - from this file
            " WHERE tenant = %(tenant)s AND layer = ANY(%(layers)s) AND meaning IS NOT NULL"
            " ORDER BY meaning <=> %(vector)s::vector LIMIT %(limit)s",
            {"vector": _literal(vector), "layers": layers, "limit": limit},
        )

    def _bump(self) -> None:
        self._run(
            "INSERT INTO steward_memory_state (tenant, version) VALUES (%(tenant)s, 1)"
            " ON CONFLICT (tenant) DO UPDATE SET version = steward_memory_state.version + 1",
            {},
        )

    def _items(self, statement: str, values: Mapping[str, object]) -> tuple[SharedItem, ...]:
        rows = self._run(statement, values)
        return tuple(
            SharedItem(r[0], Layer(r[1]), r[2], MemorySource(r[3]), r[4], r[5], key=r[6], signature=r[7])
            for r in rows
        )

    @property
    def _fields(self) -> str:
        """What is read of an item; of tables without signatures two empty words."""
        return (
            f"id, layer, text, source, author, at, {'author_key, signature' if self._is_signing else _NONE}"
        )

    def _run(self, statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """The one way to the server. A statement that does not name the tenant is a bug."""
        assert "%(tenant)s" in statement, statement
        with self._lock:
            try:
                cursor = self._connection.execute(statement, {**values, "tenant": self._tenant})
                return cursor.fetchall() if cursor.description is not None else []
            except self._errors as error:
                if getattr(error, "sqlstate", None) != _NO_RIGHT:
                    raise unreachable(self._address, error) from error
                # By what was tried, not by the role: a right may be taken while we are connected.
                reads = statement.startswith("SELECT")
                code = MemoryReason.SHARED_MEMORY_NO_RIGHTS if reads else MemoryReason.SHARED_MEMORY_READ_ONLY
                raise UserFacing(code.of(where=self._address)) from error

    def _connect(self, password: str | None) -> Any:
        try:
            import psycopg
        except ImportError as error:
            raise not_installed("psycopg") from error
        self._errors: tuple[type[Exception], ...] = (psycopg.Error,)
        try:
            # Each statement by itself: nothing is held open on a server that others use.
            return psycopg.connect(
                self._address, password=password, autocommit=True, connect_timeout=TIMEOUT_S
            )
        except psycopg.Error as error:
            # A failed connection has no SQLSTATE, and its words are in the server's language.
            line = error.pgconn
            asked = line is not None and (line.needs_password or line.used_password)
            raise (
                not_let_in(self._address, error, password) if asked else unreachable(self._address, error)
            ) from error

    def _prepared(self) -> dict[str, _Table]:
        """The tables, made or completed where that is missing and allowed. Raises UserFacing."""
        tables = self._tables()
        if len(tables) < 2:
            tables = self._made()
        if not all(table.can_read for table in tables.values()):
            raise UserFacing(MemoryReason.SHARED_MEMORY_NO_RIGHTS.of(where=self._address))
        memory = tables["steward_memory"]
        missing = [statement for column, statement in _ADDED.items() if column not in memory.columns]
        if missing and memory.is_owned:
            self._connection.execute("\n".join(missing))
        if "meaning" not in memory.columns and memory.is_owned:
            self._add_meaning()
        return self._tables()

    def _made(self) -> dict[str, _Table]:
        """The tables that are missing are there afterwards. Raises UserFacing where this login may not."""
        try:
            with self._connection.transaction():
                self._connection.execute(_ONE_AT_A_TIME)
                there = self._tables()
                for name, statement in (("steward_memory", _MEMORY), ("steward_memory_state", _STATE)):
                    if name not in there:
                        self._connection.execute(statement)
        except self._errors as error:
            if getattr(error, "sqlstate", None) not in (_NO_RIGHT, _NO_SCHEMA):
                raise
            raise UserFacing(MemoryReason.SHARED_MEMORY_NO_TABLES.of(where=self._address)) from error
        return self._tables()

    def _tables(self) -> dict[str, _Table]:
        rows = self._connection.execute(_LOOK).fetchall()
        return {
            name: _Table(is_owned, can_read, can_write, can_delete, frozenset(columns))
            for name, is_owned, can_read, can_write, can_delete, columns in rows
        }

    def _add_meaning(self) -> None:
        """Without pgvector, or without the right to switch it on, words alone are searched."""
        try:
            self._connection.execute(_EXTENSION)
            self._connection.execute(_MEANING)
        except self._errors as error:
            log.info("no search by meaning on this server", reason=str(error).splitlines()[0])


def administration_sql(owner: str, members: Sequence[str], readers: Sequence[str]) -> str:
    """What an administrator runs in the group's database: tables that belong to `owner`, and the rights of
    the others. Running it again changes nothing that is there, so it also lets new people in.
    """
    everybody = ", ".join(map(_quoted, (owner, *members, *readers)))
    lines = [
        "-- Shared memory of Steward. Run it as an administrator, in the database of the group.",
        _repeatable(_MEMORY + _STATE),
        *map(_repeatable, _ADDED.values()),
        "-- Search by meaning; leave these two lines out on a server without pgvector.",
        _EXTENSION,
        _repeatable(_MEANING),
        f"ALTER TABLE steward_memory OWNER TO {_quoted(owner)};",
        f"ALTER TABLE steward_memory_state OWNER TO {_quoted(owner)};",
        f"GRANT USAGE ON SCHEMA public TO {everybody};",
    ]
    for people, rights, of_state in (
        (members, "SELECT, INSERT, UPDATE, DELETE", "SELECT, INSERT, UPDATE"),
        (readers, "SELECT", "SELECT"),
    ):
        if people:
            names = ", ".join(map(_quoted, people))
            lines.append(f"GRANT {rights} ON steward_memory TO {names};")
            lines.append(f"GRANT {of_state} ON steward_memory_state TO {names};")
    return "\n".join(lines) + "\n"


def _repeatable(statements: str) -> str:
    """The statements in a form that changes nothing where they ran before."""
    for what in ("CREATE TABLE ", "CREATE INDEX ", "ADD COLUMN "):
        statements = statements.replace(what, f"{what}IF NOT EXISTS ")
    return statements.strip()


def _quoted(name: str) -> str:
    """A login as SQL writes it, whatever is in its name."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _role(tables: Mapping[str, _Table]) -> StoreRole:
    if all(table.is_owned for table in tables.values()):
        return StoreRole.OWNER
    # The number of the last change is never deleted, so that right is not asked for there.
    can_write = all(table.can_write for table in tables.values()) and tables["steward_memory"].can_delete
    return StoreRole.MEMBER if can_write else StoreRole.READER


def _any_of(terms: Sequence[str]) -> str:
    """A query of PostgreSQL: letters and numbers alone, in which nothing means something to it."""
    # Letters and digits alone: an operator of the query language would be refused, or worse, obeyed.
    words = dict.fromkeys(word for term in terms for word in _WORD.findall(term))
    return " | ".join(f"'{word}'" for word in words)


def _literal(vector: Sequence[float]) -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector) + "]"
