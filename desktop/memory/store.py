"""Memory on disk: the table `memory_items` and the index of its words. Everyone else calls these methods.

What is stored has been cleaned (`gate/redaction.py`). What is forgotten is gone: the row, its words in both
indexes, its words beside its neighbours, and the pages that held them; copies that were made before a
migration are named by `backups`, because they are the user's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from desktop.database import AMONG, Connection, Database, Row, among
from desktop.errors import UserFacing
from desktop.gate.redaction import Cleaner, Strictness
from desktop.memory.current_statements import IN_THREAD, NUMBERED, Statements, Superseded, said_since
from desktop.memory.item import LOCAL, Item, Layer, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.reasons import MemoryReason
from desktop.memory.statements import Statement, StatementReader
from desktop.memory.text import Vocabulary, pieces, sentences, spaced, without_secrets

LONGEST_NOTE = 4000  # characters
NEAR = 2  # turns on either side whose words help to find one


@dataclass(frozen=True)
class View:
    """Layers with the one scope of each that is looked into; what is not named is not seen.

    A project's memory is seen from its folder alone, a conversation's from itself alone.
    """

    scopes: tuple[tuple[Layer, str], ...]

    @classmethod
    def of(cls, session: str = "", project: str = "", layers: Iterable[Layer] = LOCAL) -> View:
        """What a conversation sees: the user's, the assistant's, its own, and its project's."""
        named = {Layer.SESSION: session, Layer.PROJECT: project}
        # A layer that needs a scope and has none is not looked into: without a project no project's memory is
        # seen.
        wanted = [layer for layer in layers if named.get(layer, "-")]
        return cls(tuple((layer, named.get(layer, "")) for layer in wanted))

    @property
    def layers(self) -> tuple[Layer, ...]:
        return tuple(layer for layer, _ in self.scopes)

    def only(self, layers: Iterable[Layer]) -> View:
        wanted = set(layers)
        return replace(self, scopes=tuple(each for each in self.scopes if each[0] in wanted))


EVERYWHERE = View(())  # for the Memory page and the command line: all there is


class MemoryStore:
    """All methods may be called on any thread; writes return when they are committed."""

    def __init__(
        self,
        database: Database,
        cleaner: Cleaner,
        statements: Statements,
        clock: Callable[[], float] = time.time,
        changed: Callable[[], None] = lambda: None,
        forgotten: Callable[[frozenset[int] | None], None] = lambda _ids: None,
    ) -> None:
        """`changed` is called after each write that a list on a screen would show, `forgotten` after items
        are gone, with their ids or None for all.
        """
        self._changed = changed
        self._forgotten = forgotten
        self.database = database
        self.vocabulary = statements.vocabulary
        self._cleaner = cleaner
        self._statements = statements
        self._clock = clock

    # -- writing ------------------------------------------------------------------------------

    def add(self, new: NewItem) -> Item:
        """Store one item and return it as it was stored. Raises UserFacing where there is nothing to keep.

        A note of the user's that says anew what an earlier one said takes its place; the earlier one stays.
        """
        ids = self.add_all((new,))
        if not ids:
            raise _empty()
        return self.get(ids[0])

    def add_all(self, news: Sequence[NewItem]) -> tuple[int, ...]:
        """Store many in one transaction. An episode that is long becomes several items of its thread."""
        return tuple(item_id for ids in self.add_each(news) for item_id in ids)

    def add_each(self, news: Iterable[NewItem]) -> tuple[tuple[int, ...], ...]:
        """Add these; returns the ids that each has become, in order."""
        rows = [self._rows(new) for new in news]
        if not any(rows):
            return tuple(() for _ in rows)

        def insert(connection: Connection) -> tuple[tuple[int, ...], ...]:
            ids = tuple(tuple(self._insert(connection, row) for row in each) for each in rows)
            index(self.vocabulary, connection, with_neighbours(connection, tuple(chain.from_iterable(ids))))
            _bump(connection)
            return ids

        ids = self.database.write(insert)
        self._changed()
        return ids

    def change(self, item_id: int, text: str) -> Item:
        """The user's own correction of what an item says; no trace of the old words is left."""
        item = self.get(item_id)
        clean = self._clean(text, item.kind, MemorySource.USER)
        if not clean:
            raise _empty()

        def update(connection: Connection) -> None:
            connection.execute("UPDATE memory_items SET text = ? WHERE id = ?", (clean, item_id))
            self._statements.keep(connection, item_id, _new_of(replace(item, text=clean)))
            index(self.vocabulary, connection, with_neighbours(connection, (item_id,)))
            forget_words(connection)
            _bump(connection)

        self.database.write(update)
        self.database.scrub()
        self._forgotten(frozenset((item_id,)))
        self._changed()
        return self.get(item_id)

    def rewrite(self, item_id: int, text: str) -> None:
        """Give a note that was distilled its new words; for our own notes, which hold nothing to be
        forgotten.
        """
        clean = self._clean(text, MemoryKind.DIGEST, MemorySource.TOOL)

        def update(connection: Connection) -> None:
            connection.execute("UPDATE memory_items SET text = ? WHERE id = ?", (clean, item_id))
            index(self.vocabulary, connection, (item_id,))
            _bump(connection)

        self.database.write(update)
        self._changed()

    def set_status(self, item_id: int, status: MemoryStatus) -> Item:
        """Pin, unpin, or accept what was suggested. Only the user's own words can be pinned: UserFacing."""
        item = self.get(item_id)
        if status is MemoryStatus.PINNED and not item.may_instruct:
            raise UserFacing(MemoryReason.MEMORY_NOT_YOURS.of())
        self._set(item_id, "status", status.value)
        self._changed()
        return self.get(item_id)

    def move(self, item_id: int, layer: Layer, scope: str = "") -> Item:
        """Give an item a broader or narrower reach, at the user's wish."""

        def update(connection: Connection) -> None:
            connection.execute(
                "UPDATE memory_items SET layer = ?, scope = ? WHERE id = ?", (layer.value, scope, item_id)
            )
            _bump(connection)

        self.database.write(update)
        self._changed()
        return self.get(item_id)

    def was_used(self, ids: Iterable[int]) -> None:
        """Remember that these were put into a context; changes nothing that is found."""
        values = [(self._clock(), item_id) for item_id in ids]
        self.database.write(
            lambda c: c.executemany(
                "UPDATE memory_items SET used = used + 1, used_at = ? WHERE id = ?", values
            )
        )

    # -- forgetting ---------------------------------------------------------------------------

    def forget(self, ids: Iterable[int]) -> int:
        """Delete these for good; returns how many there were."""
        wanted = tuple(ids)
        count = self.database.write(lambda c: self._delete(c, wanted))
        self.database.scrub()
        if count:
            self._forgotten(frozenset(wanted))
            self._changed()
        return count

    def restore(self, items: Iterable[Item]) -> None:
        """Put back what was forgotten a moment ago, as it was and with its number: the undo of `forget`.

        What it replaced, and what replaced it, know of it again where they are still there.
        """
        # All of them first and then their chains: one may have replaced another of them.
        gone = sorted(items, key=lambda item: item.id)

        def insert(connection: Connection) -> None:
            for item in gone:
                self._put_back(connection, item)
            for item in gone:
                _join_again(connection, item)
            index(self.vocabulary, connection, with_neighbours(connection, [item.id for item in gone]))
            _bump(connection)

        self.database.write(insert)
        self._changed()

    def forget_everything(self) -> int:
        """Delete all items of all layers."""

        def delete(connection: Connection) -> int:
            count = int(connection.execute("SELECT count(*) FROM memory_items").fetchone()[0])
            connection.execute("UPDATE memory_items SET supersedes = NULL, superseded_by = NULL")
            connection.execute("DELETE FROM memory_items")
            connection.execute("DELETE FROM memory_words")
            forget_words(connection)
            _bump(connection)
            return count

        count = self.database.write(delete)
        self.database.scrub()
        self._forgotten(None)
        self._changed()
        return count

    def backups(self) -> tuple[Path, ...]:
        """Copies of the database from before migrations: what is forgotten may still be in them."""
        return self.database.backups()

    # -- reading ------------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """Grows with every change of what can be found, in whichever process."""
        statement = "SELECT value FROM memory_state WHERE name = 'version'"
        return int(self.database.read(lambda c: c.execute(statement).fetchone()[0]))

    def state(self, name: str) -> int:
        """A number that is kept beside the items; 0 until it is set."""
        row = self.database.read(
            lambda c: c.execute("SELECT value FROM memory_state WHERE name = ?", (name,)).fetchone()
        )
        return int(row["value"]) if row is not None else 0

    def set_state(self, name: str, value: int) -> None:
        self.database.write(
            lambda c: c.execute("INSERT OR REPLACE INTO memory_state VALUES (?, ?)", (name, value))
        )

    def get(self, item_id: int) -> Item:
        """Raises KeyError when there is no such item."""
        found = self.items((item_id,))
        if not found:
            raise KeyError(item_id)
        return found[0]

    def items(self, ids: Sequence[int]) -> tuple[Item, ...]:
        """The items with these ids that exist, in that order."""
        if not ids:
            return ()
        statement = f"SELECT * FROM memory_items WHERE id {AMONG}"  # noqa: S608 - no value
        rows = self.database.read(lambda c: c.execute(statement, (among(ids),)).fetchall())
        found = {row["id"]: as_item(row) for row in rows}
        return tuple(found[item_id] for item_id in ids if item_id in found)

    def latest(
        self,
        view: View = EVERYWHERE,
        kinds: Iterable[MemoryKind] = MemoryKind,
        statuses: Iterable[MemoryStatus] = MemoryStatus,
        limit: int = 100,
        before_id: int | None = None,
    ) -> tuple[Item, ...]:
        """The newest first; `before_id` is for the next page."""
        where, seen = in_view(view)
        values: tuple[object, ...] = seen
        clauses = [where, _one_of("kind", kinds), _one_of("status", statuses)]
        if before_id is not None:
            clauses.append("id < ?")
            values = (*values, before_id)
        chosen = " AND ".join(clauses)
        statement = f"SELECT * FROM memory_items WHERE {chosen} ORDER BY id DESC LIMIT ?"  # noqa: S608
        rows = self.database.read(lambda c: c.execute(statement, (*values, limit)).fetchall())
        return tuple(as_item(row) for row in rows)

    def of_thread(self, thread: str) -> tuple[Item, ...]:
        """What was said in one conversation, and what counts in it alone."""
        statement = f"SELECT * FROM memory_items WHERE ({IN_THREAD}) OR (layer = ? AND scope = ?)"  # noqa: S608
        values = (thread, Layer.SESSION.value, thread)
        rows = self.database.read(lambda c: c.execute(statement, values).fetchall())
        return tuple(as_item(row) for row in rows)

    def threads(self) -> tuple[str, ...]:
        """The conversations of which something is kept."""
        statement = "SELECT DISTINCT thread FROM memory_items WHERE thread != ''"
        return tuple(row["thread"] for row in self.database.read(lambda c: c.execute(statement).fetchall()))

    @property
    def statement_reader(self) -> StatementReader:
        """How sentences are read for what they state."""
        return self._statements.reader

    def statements(self, text: str) -> tuple[Statement, ...]:
        """What a text states; see `statements`."""
        return self._statements.reader.statements(text)

    def superseded(self, items: Sequence[Item]) -> Mapping[int, Superseded]:
        """By id, what became of those that state something; see `statements`."""
        return self.database.read(lambda c: self._statements.superseded(c, items)) if items else {}

    def asked(self, question: str) -> tuple[int, ...]:
        """The ids of what was last said about the topics that a question names, the newest first."""
        return self.database.read(lambda c: self._statements.asked(c, question))

    def said_since(self, item: Item, words: Sequence[str]) -> tuple[Item, ...]:
        """What the same person said after an item, at the same place, with one of `words`; newest first."""
        ids = self.database.read(lambda c: said_since(c, item, words))
        return tuple(reversed(self.items(sorted(ids))))

    def stating(self, topics: Collection[str]) -> tuple[int, ...]:
        """The ids of all memories that state something about one of `topics`, outdated ones too."""
        return self.database.read(lambda c: self._statements.about(c, topics)) if topics else ()

    def topics_in(self, wish: str) -> tuple[str, ...]:
        """The topics that the words of a wish name: "where I live", "my dentist"."""
        return self.database.read(lambda c: self._statements.topics_in(c, wish))

    def is_everyday(self, word: str) -> bool:
        """Whether a word, folded and in the singular, is too common to name one thing or person."""
        reader, vocabulary = self._statements.reader, self.vocabulary
        return any(
            word in words for words in (reader.single, reader.people, vocabulary.weak, vocabulary.stop)
        )

    def current_sentences(self, text: str, outdated: Collection[str]) -> str:
        """`text` without the sentences that state one of the `outdated` topics."""
        reader = self._statements.reader
        # Found by its words, not by a topic that a sentence could be looked through for.
        if any(topic.startswith(NUMBERED) for topic in outdated):
            return ""
        kept = (
            each
            for each in sentences(text)
            if not any(statement.topic in outdated for statement in reader.of_sentence(each))
        )
        return " ".join(kept)

    def holds(self, layer: Layer, scope: str) -> bool:
        """Whether there is anything in that scope of the layer."""
        statement = "SELECT 1 FROM memory_items WHERE layer = ? AND scope = ? LIMIT 1"
        row = self.database.read(lambda c: c.execute(statement, (layer.value, scope)).fetchone())
        return row is not None

    def history(self, item_id: int) -> tuple[Item, ...]:
        """An item and all that it replaced, the newest first."""
        found, following = [], item_id
        while following is not None and (item := self.get(following)) not in found:
            found.append(item)
            if item.supersedes is None:
                break
            following = item.supersedes
        return tuple(found)

    def counts(self) -> dict[str, int]:
        """How many items of each kind there are."""
        rows = self.database.read(
            lambda c: c.execute("SELECT kind, count(*) AS n FROM memory_items GROUP BY kind").fetchall()
        )
        return {row["kind"]: row["n"] for row in rows}

    # -- inside -------------------------------------------------------------------------------

    def _clean(self, text: str, kind: MemoryKind, source: MemorySource) -> str:
        """An address that the user wants kept is kept; of what merely passed by, none is."""
        # What the user asked to keep may hold their own address; what merely passed by may not.
        wanted = kind is MemoryKind.NOTE and source is MemorySource.USER
        strictness = Strictness.SECRETS if wanted else Strictness.PERSONAL
        return self._cleaner.text(without_secrets(text.strip()), strictness)

    def without_secrets(self, text: str) -> str:
        """What is kept, for whom it was not kept: a secret that the user agreed to keep is for the model that
        answers, and not for other programs."""
        return self._clean(text, MemoryKind.NOTE, MemorySource.USER)

    def _rows(self, new: NewItem) -> list[NewItem]:
        _check(new)
        # A note is what the user wanted kept, in one piece; a turn may be a page.
        parts = pieces(new.text.strip()) if new.kind is MemoryKind.EPISODE else (new.text.strip(),)
        at = self._clock() if new.at is None else new.at
        if new.is_agreed:
            return [_like(new, part, at) for part in parts if part]
        cleaned = (self._clean(part, new.kind, new.source) for part in parts)
        return [_like(new, part, at) for part in cleaned if part]

    def _insert(self, connection: Connection, new: NewItem) -> int:
        cursor = connection.execute(
            "INSERT INTO memory_items (layer, scope, kind, source, status, text, at, speaker, thread, origin)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(new.layer.value, new.scope, new.kind.value, new.source.value, new.status.value),
                *(new.text, new.at, new.speaker, new.thread, new.origin),
            ),
        )
        assert cursor.lastrowid is not None
        self._statements.keep(connection, cursor.lastrowid, new)
        older = new.supersedes
        # What tools and pages said replaces nothing by itself.
        if new.kind is MemoryKind.NOTE and new.source in (MemorySource.USER, MemorySource.MODEL):
            older = older or self._statements.replaced(connection, cursor.lastrowid, new)
        if older is not None:
            pair = (cursor.lastrowid, older)
            connection.execute("UPDATE memory_items SET superseded_by = ? WHERE id = ?", pair)
            connection.execute("UPDATE memory_items SET supersedes = ? WHERE id = ?", pair[::-1])
        return cursor.lastrowid

    def _put_back(self, connection: Connection, item: Item) -> None:
        connection.execute(
            "INSERT OR IGNORE INTO memory_items (id, layer, scope, kind, source, status, text, at, speaker,"
            " thread, origin, used, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(item.id, item.layer.value, item.scope, item.kind.value, item.source.value),
                *(item.status.value, item.text, item.at, item.speaker, item.thread, item.origin),
                *(item.used, item.used_at),
            ),
        )
        self._statements.keep(connection, item.id, _new_of(item))

    def _set(self, item_id: int, column: str, value: object) -> None:
        statement = f"UPDATE memory_items SET {column} = ? WHERE id = ?"  # noqa: S608 - from this file

        def update(connection: Connection) -> None:
            connection.execute(statement, (value, item_id))
            _bump(connection)

        self.database.write(update)

    def _delete(self, connection: Connection, ids: Sequence[int]) -> int:
        """The rows, and their words also beside their neighbours."""
        # Their rows of the index have the words of what goes.
        neighbours = set(with_neighbours(connection, ids)) - set(ids)
        count = 0
        for item_id in ids:
            _join_chain(connection, item_id)
            connection.execute("DELETE FROM memory_words WHERE rowid = ?", (item_id,))
            count += connection.execute("DELETE FROM memory_items WHERE id = ?", (item_id,)).rowcount
        index(self.vocabulary, connection, neighbours)
        if count:
            forget_words(connection)
            _bump(connection)
        return count


def in_view(view: View) -> tuple[str, tuple[str, ...]]:
    """A condition and its values: the rows that `view` shows."""
    # Before the scopes: a view without any shows nothing.
    if view == EVERYWHERE:
        return "1", ()
    each = "(memory_items.layer = ? AND memory_items.scope = ?)"
    values = tuple(value for layer, scope in view.scopes for value in (layer.value, scope))
    return f"({' OR '.join([each] * len(view.scopes))})", values


def as_item(row: Row) -> Item:
    return Item(
        id=row["id"],
        layer=Layer(row["layer"]),
        scope=row["scope"],
        kind=MemoryKind(row["kind"]),
        source=MemorySource(row["source"]),
        status=MemoryStatus(row["status"]),
        text=row["text"],
        at=row["at"],
        speaker=row["speaker"],
        thread=row["thread"],
        origin=row["origin"],
        supersedes=row["supersedes"],
        superseded_by=row["superseded_by"],
        used=row["used"],
        used_at=row["used_at"],
    )


def _new_of(item: Item) -> NewItem:
    """An item as it was before it was stored."""
    return NewItem(
        *(item.text, item.layer, item.scope, item.kind, item.source, item.status),
        speaker=item.speaker,
        thread=item.thread,
        origin=item.origin,
        at=item.at,
    )


def _like(new: NewItem, text: str, at: float) -> NewItem:
    return replace(new, text=text, at=at)


def _join_chain(connection: Connection, item_id: int) -> None:
    """What the item replaced is replaced by its successor from now on, and does not come back."""
    row = connection.execute(
        "SELECT supersedes, superseded_by FROM memory_items WHERE id = ?", (item_id,)
    ).fetchone()
    if row is None:
        return
    connection.execute(
        "UPDATE memory_items SET superseded_by = ? WHERE superseded_by = ?", (row["superseded_by"], item_id)
    )
    connection.execute(
        "UPDATE memory_items SET supersedes = ? WHERE supersedes = ?", (row["supersedes"], item_id)
    )


def _join_again(connection: Connection, item: Item) -> None:
    """The reverse of `_join_chain`: the item stands again between its neighbours in the chain."""
    for own, other, neighbour in (
        ("supersedes", "superseded_by", item.supersedes),
        ("superseded_by", "supersedes", item.superseded_by),
    ):
        there = connection.execute("SELECT 1 FROM memory_items WHERE id = ?", (neighbour,)).fetchone()
        if there is None:
            continue
        for column, value, key in ((own, neighbour, item.id), (other, item.id, neighbour)):
            connection.execute(f"UPDATE memory_items SET {column} = ? WHERE id = ?", (value, key))  # noqa: S608


def _bump(connection: Connection) -> None:
    connection.execute("UPDATE memory_state SET value = value + 1 WHERE name = 'version'")


def _one_of(column: str, wanted: Iterable[MemoryKind] | Iterable[MemoryStatus]) -> str:
    """Our own words, which hold no quote."""
    return f"{column} IN ({', '.join(repr(each.value) for each in wanted)})"


def index(vocabulary: Vocabulary, connection: Connection, ids: Iterable[int]) -> None:
    """Write the words of these anew, as they and their neighbours are now."""
    for item_id in ids:
        row = connection.execute("SELECT * FROM memory_items WHERE id = ?", (item_id,)).fetchone()
        near = " ".join(spaced(text) for text in near_texts(connection, row))
        words = (item_id, spaced(row["text"]), row["speaker"], near, vocabulary.dates(row["at"]))
        connection.execute("DELETE FROM memory_words WHERE rowid = ?", (item_id,))
        connection.execute(
            "INSERT INTO memory_words (rowid, said, speaker, near, dates) VALUES (?, ?, ?, ?, ?)", words
        )


def with_neighbours(connection: Connection, ids: Iterable[int]) -> list[int]:
    """`ids` and those whose index has their words."""
    found = dict.fromkeys(ids)
    for item_id in tuple(found):
        row = connection.execute("SELECT thread FROM memory_items WHERE id = ?", (item_id,)).fetchone()
        if row is None or not row["thread"]:
            continue
        for side, order in (("<", "DESC"), (">", "ASC")):
            rows = connection.execute(
                f"SELECT id FROM memory_items WHERE {IN_THREAD} AND id {side} ? ORDER BY id {order} LIMIT ?",  # noqa: S608
                (row["thread"], item_id, NEAR),
            )
            found.update((each["id"], None) for each in rows.fetchall())
    return list(found)


def forget_words(connection: Connection) -> None:
    """FTS5 only marks what is deleted until segments are merged; this merges them."""
    for table in ("memory_words", "memory_grams"):
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")  # noqa: S608 - from this line


def near_texts(connection: Connection, row: Row) -> list[str]:
    """The texts of the turns around one, in their order."""
    if not row["thread"]:
        return []
    before = connection.execute(
        f"SELECT text FROM memory_items WHERE {IN_THREAD} AND id < ? ORDER BY id DESC LIMIT ?",  # noqa: S608
        (row["thread"], row["id"], NEAR),
    ).fetchall()
    after = connection.execute(
        f"SELECT text FROM memory_items WHERE {IN_THREAD} AND id > ? ORDER BY id LIMIT ?",  # noqa: S608
        (row["thread"], row["id"], NEAR),
    ).fetchall()
    return [each["text"] for each in (*reversed(before), *after)]


def _check(new: NewItem) -> None:
    if new.kind is MemoryKind.NOTE and len(new.text) > LONGEST_NOTE:
        raise UserFacing(MemoryReason.NOTE_TOO_LONG.of(count=len(new.text), most=LONGEST_NOTE))


def _empty() -> UserFacing:
    return UserFacing(MemoryReason.NOTE_EMPTY.of())
