"""A shared store on PostgreSQL: words by its full-text search and, where pgvector is there, meaning.

Row-level safety does not rest on the server's set-up: every statement of this file names the tenant.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from desktop.memory.item import Layer, MemorySource
from desktop.memory.shared.store import SharedItem, check, fused, not_installed, unreachable

TIMEOUT_S = 5
DIMENSIONS = 384

_WORD = re.compile(r"\w+")
_TABLES = """
CREATE TABLE IF NOT EXISTS steward_memory (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    layer TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    author TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL,
    words TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX IF NOT EXISTS steward_memory_words ON steward_memory USING gin (words);
CREATE INDEX IF NOT EXISTS steward_memory_latest ON steward_memory (tenant, layer, at);
CREATE TABLE IF NOT EXISTS steward_memory_state (tenant TEXT PRIMARY KEY, version BIGINT NOT NULL);
"""
_VECTORS = f"""
CREATE EXTENSION IF NOT EXISTS vector;
ALTER TABLE steward_memory ADD COLUMN IF NOT EXISTS meaning vector({DIMENSIONS});
"""
_FIELDS = "id, layer, text, source, author, at"


class PostgresStore:
    """One connection, used by one thread after another."""

    def __init__(self, address: str, tenant: str, password: str | None = None) -> None:
        """`address` is a connection string without a password, `postgresql://me@host/steward`; the tables are
        made where they are missing. Raises UserFacing.
        """
        self._address = address
        self._tenant = tenant
        self._lock = threading.Lock()
        self._connection = self._connect(password)
        try:
            self._connection.execute(_TABLES)
        except self._errors as error:
            raise unreachable(self._address, error) from error
        # Asked once: whether the extension is there does not change while the program runs.
        self.has_vectors = self._make_vectors()

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
        self._run(
            "INSERT INTO steward_memory (tenant, id, layer, text, source, author, at)"
            " VALUES (%(tenant)s, %(id)s, %(layer)s, %(text)s, %(source)s, %(author)s, %(at)s)"
            " ON CONFLICT (tenant, id) DO UPDATE SET layer = EXCLUDED.layer, text = EXCLUDED.text,"
            " source = EXCLUDED.source, author = EXCLUDED.author, at = EXCLUDED.at",
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
            f"SELECT {_FIELDS} FROM steward_memory"  # noqa: S608 - from this file
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
            f"SELECT {_FIELDS} FROM steward_memory, to_tsquery('simple', %(query)s) AS query"  # noqa: S608
            " WHERE tenant = %(tenant)s AND layer = ANY(%(layers)s) AND words @@ query"
            " ORDER BY ts_rank(words, query, 1) DESC, at DESC LIMIT %(limit)s",
            {"query": query, "layers": layers, "limit": limit},
        )

    def _by_meaning(self, layers: list[str], vector: Sequence[float], limit: int) -> tuple[SharedItem, ...]:
        return self._items(
            f"SELECT {_FIELDS} FROM steward_memory"  # noqa: S608 - from this file
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
        return tuple(SharedItem(r[0], Layer(r[1]), r[2], MemorySource(r[3]), r[4], r[5]) for r in rows)

    def _run(self, statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """The one way to the server. A statement that does not name the tenant is a bug."""
        assert "%(tenant)s" in statement, statement
        with self._lock:
            try:
                cursor = self._connection.execute(statement, {**values, "tenant": self._tenant})
                return cursor.fetchall() if cursor.description is not None else []
            except self._errors as error:
                raise unreachable(self._address, error) from error

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
            raise unreachable(self._address, error) from error

    def _make_vectors(self) -> bool:
        """Without pgvector, or without the right to switch it on, words alone are searched."""
        try:
            self._connection.execute(_VECTORS)
        except self._errors:
            return False
        return True


def _any_of(terms: Sequence[str]) -> str:
    """A query of PostgreSQL: letters and numbers alone, in which nothing means something to it."""
    # Letters and digits alone: an operator of the query language would be refused, or worse, obeyed.
    words = dict.fromkeys(word for term in terms for word in _WORD.findall(term))
    return " | ".join(f"'{word}'" for word in words)


def _literal(vector: Sequence[float]) -> str:
    return "[" + ",".join(f"{number:.6g}" for number in vector) + "]"
