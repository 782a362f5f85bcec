"""Which of all that the user stated still holds, and what newer statements superseded.

Each statement of the user's lies in `memory_topics` beside its memory. Of two about the same the newer holds.
Nothing is marked as outdated for that: whether something newer stands against a statement is looked up when
it would be told, so that what was replaced counts again once its successor is forgotten. In doubt both stay:
they have their dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from desktop.database import AMONG, Connection, Row, among
from desktop.memory import statement_patterns as patterns
from desktop.memory.corrections import Correction
from desktop.memory.item import Item, MemoryKind, MemorySource, NewItem
from desktop.memory.statements import (
    FEW_SENTENCES,
    Statement,
    StatementReader,
    ValueKind,
    is_short_correction,
)
from desktop.memory.text import any_of, asks, folded, sentences, singular

LOOKED_AT = 50  # of the memories most alike, for a correction
LONG_WORD = 5  # letters; shorter ones begin too many others
SINCE_LOOKED_AT = 20  # of what was said since, for a question
SHARED = 0.6  # of the shorter one's words
LONGEST_CORRECTION = 20  # words; what is longer tells a story
LAST_TURNS = 3  # of the user's in a conversation, which a "no, it's …" may be about
KINDS = (MemoryKind.NOTE, MemoryKind.EPISODE)
# A topic of its own for what states nothing that the rules know, and was corrected all the same.
NUMBERED = "="
# The index of threads leaves out what has none, and SQLite takes it only where a statement says so, too: else
# each new conversation reads the whole table.
IN_THREAD = "thread = ? AND thread != ''"


@dataclass(frozen=True)
class Superseded:
    """What became of a memory that states something: `outdated` are its statements that newer ones stand
    against, with the ids of those; `about` is what a correction without a subject is about."""

    outdated: Mapping[str, int] = field(default_factory=dict)
    about: str = ""


class Statements:
    """The statements of all memories. Every method is called inside a transaction of the store's."""

    def __init__(self, reader: StatementReader) -> None:
        self.reader = reader
        self.vocabulary = reader.vocabulary

    # -- writing ------------------------------------------------------------------------------

    def keep(self, connection: Connection, item_id: int, new: NewItem) -> None:
        """Put down what a memory states, once it has its number. What tools, pages and answers say states
        nothing: only the user's own words, and notes made at the user's wish."""
        connection.execute("DELETE FROM memory_topics WHERE item_id = ?", (item_id,))
        if not _may_state(new) or all(map(asks, sentences(new.text))):
            return
        stated = list(self.reader.statements(new.text))
        if not stated and is_short_correction(new.text):
            stated = self._last_said(connection, item_id, new)
        stated += self._more_special(connection, item_id, stated)
        if self.reader.may_correct(new.text):
            stated += self._corrected(connection, item_id, new, self._is_known(connection, item_id, stated))
        connection.executemany(
            "INSERT OR REPLACE INTO memory_topics (item_id, topic, kind, detail, corrects, is_new)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            [
                (*(item_id, each.topic, each.kind.value, each.detail), int(each.corrects), int(each.is_new))
                for each in stated
            ],
        )

    def replaced(self, connection: Connection, item_id: int, new: NewItem) -> int | None:
        """The id of the note that a new note takes the place of; after `keep`."""
        mine = _rows_of(connection, (item_id,))
        rows = _stated_about(connection, [row["topic"] for row in mine])
        for row in reversed(rows):
            same_place = (row["layer"], row["scope"]) == (new.layer.value, new.scope)
            is_note = row["note"] and row["item_id"] != item_id and row["superseded_by"] is None
            # What the assistant noted does not replace what the user typed.
            allowed = new.source is MemorySource.USER or row["source"] == new.source.value
            if same_place and is_note and allowed and any(_stands_against(each, row) for each in mine):
                return int(row["item_id"])
        return None

    # -- reading ------------------------------------------------------------------------------

    def superseded(self, connection: Connection, items: Sequence[Item]) -> dict[int, Superseded]:
        """By the ids of those of `items` that state something. What is in another project or conversation,
        or was said by somebody else, stands against nothing here."""
        mine = _rows_of(connection, [item.id for item in items])
        by_topic: dict[str, list[Row]] = {}
        for row in _stated_about(connection, [row["topic"] for row in mine]):
            by_topic.setdefault(row["topic"], []).append(row)
        found: dict[int, Superseded] = {}
        for row in mine:
            so_far = found.setdefault(row["item_id"], Superseded())
            rows = by_topic.get(row["topic"], [])
            newer = [each for each in rows if _is_newer(each, row, rows)]
            if newer:
                outdated = {**so_far.outdated, row["topic"]: int(newer[-1]["item_id"])}
                found[row["item_id"]] = replace(so_far, outdated=outdated)
            elif row["corrects"] and not so_far.about:
                found[row["item_id"]] = replace(so_far, about=self._subject(connection, row, rows))
        return found

    def topics_in(self, connection: Connection, wish: str) -> tuple[str, ...]:
        """The topics that a wish names, also in the words of a statement: "where I live"."""
        said = [group.topic for group in self.reader.groups if group.says.search(wish)]
        return tuple(dict.fromkeys((*self._asked_topics(connection, wish), *said)))

    def about(self, connection: Connection, topics: Iterable[str]) -> tuple[int, ...]:
        """The ids of all that states something about one of `topics`."""
        return tuple(dict.fromkeys(int(row["item_id"]) for row in _stated_about(connection, topics)))

    def asked(self, connection: Connection, question: str) -> tuple[int, ...]:
        """The ids of what was last said about the topics that a question is about, the newest first."""
        topics = self._asked_topics(connection, question)
        latest: dict[tuple[str, ...], int] = {}
        for row in _stated_about(connection, topics):
            latest[tuple(row[name] for name in ("topic", "kind", "detail", "layer", "scope"))] = row[
                "item_id"
            ]
        return tuple(sorted(set(latest.values()), reverse=True))

    # -- inside -------------------------------------------------------------------------------

    def _asked_topics(self, connection: Connection, question: str) -> tuple[str, ...]:
        """The stated topics, and the groups, that a question is about."""
        reader = self.reader
        words = frozenset(map(singular, folded(question)))
        whose = words & reader.people
        found = [group.topic for group in reader.groups if not whose and group.asks.search(question)]
        if whose:
            groups = (group.topic for group in reader.groups if group.of_others.search(question))
            found += [" ".join(sorted((topic, *whose))) for topic in groups]
        is_own = self.vocabulary.is_personal(question)
        general = frozenset(group.topic for group in reader.groups)
        for topic in self._topics(connection):
            parts = frozenset(topic.split())
            # A cron job has nothing to do with one's own; and somebody else's birthday has this word too.
            if parts <= words and parts & reader.people == whose and (is_own or topic not in general):
                found.append(topic)
        # "What is my dentist's name?" asks for the dentist, not for one's own.
        if not found and not whose and is_own:
            found = [group.topic for group in reader.groups if words & group.nouns]
        return tuple(dict.fromkeys(found))

    def _topics(self, connection: Connection) -> list[str]:
        known = connection.execute(
            "SELECT DISTINCT topic FROM memory_topics WHERE topic NOT LIKE ?", (f"{NUMBERED}%",)
        )
        return [row["topic"] for row in known.fetchall()]

    def _last_said(self, connection: Connection, item_id: int, new: NewItem) -> list[Statement]:
        """What the user's last statement in the conversation was about, now corrected."""
        if not new.thread:
            return []
        rows = connection.execute(
            f"SELECT id FROM memory_items WHERE {IN_THREAD} AND id < ? AND source = ?"  # noqa: S608
            " ORDER BY id DESC LIMIT ?",
            (new.thread, item_id, MemorySource.USER.value, LAST_TURNS),
        ).fetchall()
        for row in rows:
            if stated := _rows_of(connection, (row["id"],)):
                kinds = {(each["topic"], each["kind"]) for each in stated}
                return [Statement(topic, ValueKind(kind), corrects=True) for topic, kind in sorted(kinds)]
        return []

    def _more_special(
        self, connection: Connection, item_id: int, stated: Sequence[Statement]
    ) -> list[Statement]:
        """What is said to have changed in fewer words than it was told with: "my number" of the only number
        that was spoken of."""
        found = []
        for each in stated:
            words = frozenset(each.topic.split())
            # "My current account" names another one in as many words as "my savings account".
            first = next((word for word in folded(each.subject) if word not in patterns.NEW), "")
            if singular(first) not in words:
                continue
            if not (each.corrects or each.is_new) or self._is_known(connection, item_id, (each,)):
                continue
            topics = self._topics(connection)
            wider = [other for other in topics if words < frozenset(other.split())]
            people = self.reader.people_in(" ".join(wider)) - words
            if len(wider) == 1 and not people:
                found.append(replace(each, topic=wider[0]))
        return found

    def _corrected(
        self, connection: Connection, item_id: int, new: NewItem, is_known: bool
    ) -> list[Statement]:
        """What the earlier memory was about that a correction shares most of its words with; where
        `is_known`, only one about what it says is gone: for the rest its statements speak.
        """
        older = self._most_alike(connection, item_id, new, is_known)
        theirs = {row["topic"] for row in _rows_of(connection, older)}
        if not older:
            return []
        if not theirs:
            theirs = {f"{NUMBERED}{min(older)}"}
            connection.executemany(
                "INSERT INTO memory_topics (item_id, topic, kind, detail, corrects, is_new)"
                " VALUES (?, ?, ?, '', 0, 0)",
                [(each, topic, ValueKind.ANY.value) for each in older for topic in theirs],
            )
        return [Statement(topic, ValueKind.ANY, corrects=True) for topic in sorted(theirs)]

    def _is_known(self, connection: Connection, item_id: int, stated: Sequence[Statement]) -> bool:
        """Whether anything was said before about what is stated now, which it then stands against."""
        return any(
            row["item_id"] != item_id for row in _stated_about(connection, [each.topic for each in stated])
        )

    def _most_alike(
        self, connection: Connection, item_id: int, new: NewItem, is_known: bool
    ) -> tuple[int, ...]:
        """Several where they are alike: a note, and the turn in which it was asked for."""
        found: dict[int, float] = {}
        for sentence in sentences(new.text):
            is_one = not asks(sentence) and self.reader.may_correct(sentence)
            if is_one and len(patterns.WORD.findall(sentence)) <= LONGEST_CORRECTION:
                shares = self._shares(connection, item_id, new, sentence, is_known)
                # One sentence says what is over, the next one what is instead.
                found.update({each: max(share, found.get(each, 0.0)) for each, share in shares.items()})
        best = max(found.values(), default=0.0)
        return tuple(each for each, share in found.items() if share == best >= SHARED)

    def _shares(
        self, connection: Connection, item_id: int, new: NewItem, sentence: str, is_known: bool
    ) -> Mapping[int, float]:
        """How much of its words each earlier memory shares with a sentence that corrects."""
        correction = Correction.of(self.reader, sentence, is_known)
        if not correction.words:
            return {}
        rows = connection.execute(
            "SELECT i.id AS id, i.text AS text FROM memory_words w JOIN memory_items i ON i.id = w.rowid"  # noqa: S608
            " WHERE memory_words MATCH ? AND i.id < ? AND i.layer = ? AND i.scope = ?"
            " AND i.speaker IN (?, '')"
            f" AND i.source = 'user' AND i.kind IN {_either(KINDS)} AND i.superseded_by IS NULL"
            " ORDER BY w.rank LIMIT ?",
            (
                f"said : ({any_of(correction.words)})",
                item_id,
                new.layer.value,
                new.scope,
                new.speaker,
                LOOKED_AT,
            ),
        ).fetchall()
        return {
            int(row["id"]): max(
                (correction.share(self.reader, each) for each in sentences(row["text"])), default=0.0
            )
            for row in rows
            # A turn that tells much would be gone with one of its sentences.
            if len(sentences(row["text"])) <= FEW_SENTENCES
        }

    def _subject(self, connection: Connection, row: Row, rows: Sequence[Row]) -> str:
        """What a correction is about in the words of the one that it corrects, "" where it says so itself."""
        texts = connection.execute("SELECT text FROM memory_items WHERE id = ?", (row["item_id"],)).fetchall()
        if any(each.topic == row["topic"] for text in texts for each in self.reader.statements(text["text"])):
            return ""
        older = [each["item_id"] for each in rows if _at(each) < _at(row)]
        for item_id in reversed(older):
            text = connection.execute("SELECT text FROM memory_items WHERE id = ?", (item_id,)).fetchone()
            for each in self.reader.statements(text["text"]):
                if each.topic == row["topic"]:
                    return each.subject
        return ""


def said_since(connection: Connection, item: Item, words: Sequence[str]) -> list[int]:
    """The ids of what was said after an item, at the same place, by the same person, with one of `words`."""
    plain = [word for word in words if patterns.WORD.fullmatch(word)]
    # German writes nouns in one: what was said of the Keller may be said of the Kellerschlüssel.
    begun = " OR ".join(f'"{word}" *' for word in plain if len(word) >= LONG_WORD)
    expression = " OR ".join(filter(None, (any_of(plain), begun)))
    if not expression:
        return []
    rows = connection.execute(
        "SELECT i.id AS id FROM memory_words w JOIN memory_items i ON i.id = w.rowid"  # noqa: S608
        " WHERE memory_words MATCH ? AND (i.at, i.id) > (?, ?)"
        " AND i.layer = ? AND i.scope = ? AND i.speaker = ?"
        f" AND i.source = 'user' AND i.kind IN {_either(KINDS)} AND i.superseded_by IS NULL"
        " AND i.status != 'suggested' ORDER BY w.rank LIMIT ?",
        (
            f"said : ({expression})",
            *(item.at, item.id, item.layer.value, item.scope, item.speaker),
            SINCE_LOOKED_AT,
        ),
    ).fetchall()
    return [int(row["id"]) for row in rows]


def _may_state(new: NewItem) -> bool:
    if new.source is MemorySource.USER:
        return new.kind in KINDS
    return new.source is MemorySource.MODEL and new.kind is MemoryKind.NOTE


_COLUMNS = (
    "t.item_id AS item_id, t.topic AS topic, t.kind AS kind, t.detail AS detail, t.corrects AS corrects, "
    "t.is_new AS is_new, i.at AS at, i.layer AS layer, i.scope AS scope, i.source AS source, i.superseded_by "
    "AS superseded_by, i.kind = 'note' AS note, CASE i.speaker WHEN '' THEN 'user' ELSE i.speaker END AS "
    "speaker FROM memory_topics t JOIN memory_items i ON i.id = t.item_id"
)


def _rows_of(connection: Connection, ids: Sequence[int]) -> list[Row]:
    return connection.execute(f"SELECT {_COLUMNS} WHERE t.item_id {AMONG}", (among(ids),)).fetchall()


def _stated_about(connection: Connection, topics: Iterable[str]) -> list[Row]:
    """The oldest first; what waits for the user's yes states nothing yet."""
    wanted = tuple(dict.fromkeys(topics))
    statement = f"SELECT {_COLUMNS} WHERE t.topic {AMONG} AND i.status != 'suggested' ORDER BY i.at, i.id"
    return connection.execute(statement, (among(wanted),)).fetchall()


def _at(row: Row) -> tuple[float, int]:
    return float(row["at"]), int(row["item_id"])


def _is_newer(other: Row, row: Row, rows: Sequence[Row]) -> bool:
    """Whether `other` stands against `row`, by itself or through one between them."""
    if not _is_later_here(other, row):
        return False
    if _stands_against(other, row):
        return True
    between = [each for each in rows if _is_later_here(each, row) and _is_later_here(other, each)]
    return any(_stands_against(each, row) and _stands_against(other, each) for each in between)


def _is_later_here(other: Row, row: Row) -> bool:
    same = all(other[name] == row[name] for name in ("layer", "scope", "speaker"))
    # Only what the user typed takes the place of something.
    return same and other["source"] == MemorySource.USER.value and _at(other) > _at(row)


def _stands_against(other: Row, row: Row) -> bool:
    corrects, is_new = bool(other["corrects"]), bool(other["is_new"])
    statement = Statement(other["topic"], ValueKind(other["kind"]), other["detail"], corrects, is_new)
    return other["topic"] == row["topic"] and statement.replaces(ValueKind(row["kind"]), row["detail"])


def _either(kinds: Iterable[MemoryKind]) -> str:
    return f"({', '.join(repr(kind.value) for kind in kinds)})"
