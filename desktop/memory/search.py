"""Finds items: by words, by pieces of words, and by whatever else ranks, fused by rank.

Ranks compare across rankers and stores, scores do not; so each ranker returns ids, the best first. A ranker
of vectors is one more object with the same method.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log
from typing import Protocol

from desktop.database import AMONG, Connection, Row, among
from desktop.memory.item import Item, MemoryKind, MemorySource, MemoryStatus
from desktop.memory.meanings import MeantWord, everyday_meanings
from desktop.memory.reasons import MemoryReason
from desktop.memory.store import EVERYWHERE, MemoryStore, View, in_view
from desktop.memory.text import Finder, Vocabulary, any_of, grams_of, spaced
from desktop.reasons import Reason

# Weights of said, speaker, near and dates, and the share by which covering all terms counts: measured, see
# docs/measurements.md, memory.
WEIGHTS = "1.0, 2.0, 0.4, 1.0"
COVER = 1.0
COVERED = 40  # how many of the best are looked at for it
DEEP = 200  # how many a ranker returns
BEST_OF_ALL = 600  # looked at first, whatever their layer
ENOUGH = 100  # of them in the view, and no more are asked for

# The constant of reciprocal rank fusion (Cormack and others, SIGIR 2009), there 60. With 10 the first places
# of words stay first when vectors have their say: measured, see docs/measurements.md, memory.
FUSED = 10.0

# Of what a question's terms weigh, the share that the best item must have: of forty questions about other
# things every third finds nothing then, and of those that memory answers four in a thousand. At 0.3 it is two
# of five and one in a hundred, which costs the blocks a point of recall.
FLOOR = 0.25
FLOOR_FROM = 50  # items: of a few, rarity says nothing, and they cost little
LESS_TRUSTED = 0.4  # of the score, for what came from tools and pages
COMMON = 0.2  # of all items: a term in more of them picks none by itself
COMMON_FROM = 20_000  # items, below which everything is fast anyway
MOST_TERMS = 2_000  # that are counted already; a question has some ten
Ids = Sequence[int]


@dataclass(frozen=True)
class MemoryQuery:
    """What is looked for, where, and its terms."""

    text: str
    terms: tuple[str, ...]
    view: View = EVERYWHERE
    kinds: tuple[MemoryKind, ...] = tuple(MemoryKind)
    statuses: tuple[MemoryStatus, ...] = (MemoryStatus.KEPT, MemoryStatus.PINNED)
    limit: int = DEEP
    is_personal: bool = False  # about the user's own affairs, not about the world
    asks_model: bool = False  # the chat model may be asked, which takes a second and stops nothing else


class Ranker(Protocol):
    """Ranks items by one kind of likeness. Called on any thread."""

    name: str  # for `why`
    weight: float  # in the fusion; words count 3
    is_by_words: bool  # whether an item has to have a word of the question

    def rank(self, question: MemoryQuery) -> Ids:
        """At most `question.limit` ids inside its view, the best first."""

    def sure(self, question: MemoryQuery, ids: Ids) -> frozenset[int]:
        """Those of `ids` that the question is surely about. One that goes by no words is asked of its own."""


class AnswerReader(Ranker, Protocol):
    """Reads memories together with the question: what it ranks answers it."""

    def refused(self, question: MemoryQuery) -> frozenset[int]:
        """Items that were read and do not answer it, whatever words both share."""

    def denied(self, question: MemoryQuery, told: Mapping[int, str]) -> frozenset[int]:
        """Those of `told`, texts by the ids of their items, the best first, that do not answer it."""


@dataclass(frozen=True)
class Hit:
    """An item found. `score` compares only within one search; `why` says which words, or which ranker."""

    item: Item
    score: float
    why: Reason
    by_meaning: bool = False  # by nothing else: none of its words was asked for
    is_pinned: bool = False  # not found: in every context, whatever was asked
    is_sure: bool = False  # the question is about it, whatever its words: by its topic, or surely by meaning
    is_answer: bool = False  # it was read together with the question, and answers it
    told: str = ""  # what of it is in force, where that is not all; "" for the whole
    stands_for: str = ""  # the words of what it has replaced since


class Search:
    """Asks every ranker and fuses what they say. All methods may be called on any thread."""

    def __init__(
        self,
        store: MemoryStore,
        rankers: Sequence[Ranker] = (),
        clock: Callable[[], float] = time.time,
        reader: Callable[[], AnswerReader | None] = lambda: None,
    ) -> None:
        """`rankers` are those beside words and parts of words; `reader` is asked where a question may be read
        with its answers, None while it is off."""
        self._store = store
        self._topics = TopicRanker(store)
        own = (WordRanker(store), TrigramRanker(store), MeaningRanker(store), self._topics)
        self._rankers: tuple[Ranker, ...] = (*own, *rankers)
        self._clock = clock
        self._reader = reader

    def question(
        self,
        text: str,
        view: View = EVERYWHERE,
        kinds: Iterable[MemoryKind] = MemoryKind,
        statuses: Iterable[MemoryStatus] = (MemoryStatus.KEPT, MemoryStatus.PINNED),
        limit: int = DEEP,
        asks_model: bool = False,
    ) -> MemoryQuery:
        now = datetime.fromtimestamp(self._clock()).astimezone()
        terms = self._store.vocabulary.terms(text, now)
        personal = self._store.vocabulary.is_personal(text)
        return MemoryQuery(text, terms, view, tuple(kinds), tuple(statuses), limit, personal, asks_model)

    def hits(self, question: MemoryQuery, limit: int = 10) -> tuple[Hit, ...]:
        """The best first, with the words that were found."""
        reader = self._reader() if question.asks_model else None
        answers = reader.rank(question) if reader is not None else ()
        refused = reader.refused(question) if reader is not None else frozenset[int]()
        ranked_by = self._ranked(question)
        if reader is not None:
            ranked_by = [*ranked_by, (reader, answers)]
        scores = {key: value for key, value in _fused(ranked_by).items() if key not in refused}
        # Twice as many as are wanted: trust may still put what a page said behind the others.
        found = self._store.items(list(scores)[: 2 * limit])
        ranked = sorted(found, key=lambda item: -_trusted(item, scores[item.id]))[:limit]
        finder, meant = Finder(question.terms), meant_in(question.text, self._store.vocabulary)
        by_words = (ids for ranker, ids in ranked_by if ranker.is_by_words)
        others = frozenset(scores).difference(*by_words)
        ids = {item.id for item in ranked}
        own = ((ranker, [n for n in found_by if n in ids]) for ranker, found_by in ranked_by)
        sure = frozenset[int]().union(*(r.sure(question, its) for r, its in own if not r.is_by_words))
        topical = {n for ranker, found_by in ranked_by if ranker is self._topics for n in found_by}

        def hit(item: Item) -> Hit:
            score = round(_trusted(item, scores[item.id]), 5)
            by_meaning = item.id in others and item.id not in topical
            if by_meaning:
                why = MemoryReason.ALIKE_IN_MEANING.of()
            elif item.id in others:
                why = MemoryReason.ABOUT_WHAT_WAS_ASKED.of()
            else:
                why = _why(finder, meant, item.text)
            is_sure, is_answer = item.id in sure, item.id in answers
            return Hit(item, score, why, by_meaning, is_sure=is_sure, is_answer=is_answer)

        return tuple(map(hit, ranked))

    def fits(self, question: MemoryQuery, hits: Sequence[Hit]) -> bool:
        """Whether the question is about anything remembered at all; else nothing is worth its tokens."""
        if any(hit.is_sure for hit in hits[:10]):
            return True
        ids = [hit.item.id for hit in hits[:10]]
        return any(ranker.sure(question, ids) for ranker in self._rankers if ranker.is_by_words)

    def confirmed(self, question: MemoryQuery, hits: Sequence[Hit]) -> Sequence[Hit]:
        """Of what words alone found for a question about oneself, only what answers it, where that can be
        read. `hits` are those that would be told, the best first."""
        reader = self._reader() if question.asks_model else None
        # Beside an answer, what words found may say what became of it since.
        if reader is None or any(hit.is_answer for hit in hits):
            return hits
        told = {hit.item.id: hit.told or hit.item.text for hit in hits if _is_of_user(hit.item)}
        denied = reader.denied(question, told)
        return [hit for hit in hits if hit.item.id not in denied or not _is_of_user(hit.item)]

    def scores(self, question: MemoryQuery) -> dict[int, float]:
        """Ids in their fused order with their scores, one ranker's first place counting its weight / 11."""
        return _fused(self._ranked(question))

    def _ranked(self, question: MemoryQuery) -> list[tuple[Ranker, Ids]]:
        return [(ranker, ranker.rank(question)) for ranker in self._rankers]


def _is_of_user(item: Item) -> bool:
    """What the user said or noted on this computer."""
    is_own = item.source is MemorySource.USER and not item.layer.is_shared
    return is_own and item.kind in (MemoryKind.NOTE, MemoryKind.EPISODE)


def _why(finder: Finder, meant: Sequence[MeantWord], text: str) -> Reason:
    """Why words found a text: its own, or others of the same meaning."""
    if not finder.in_text(text) and (found := answered(meant, text)):
        return MemoryReason.MEANS_THE_SAME.of(words=", ".join(found))
    return finder.why(text)


def _fused(ranked: Iterable[tuple[Ranker, Ids]]) -> dict[int, float]:
    scores: dict[int, float] = defaultdict(float)
    for ranker, ids in ranked:
        for place, item_id in enumerate(ids, start=1):
            scores[item_id] += ranker.weight / (FUSED + place)
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))


def _trusted(item: Item, score: float) -> float:
    """What the user or the assistant said in a conversation ranks before what a page said."""
    return score if item.source in (MemorySource.USER, MemorySource.MODEL) else score * LESS_TRUSTED


class WordRanker:
    """By FTS5: bm25 over what was said, by whom, around it and when; then by how many of the terms
    are there."""

    name = "words"
    weight = 3.0
    is_by_words = True

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._frequencies = _Frequencies(store)

    def rank(self, question: MemoryQuery) -> Ids:
        if not question.terms:
            return ()
        scored = self._scored(question, self._expression(question.terms))
        best, rest = scored[:COVERED], scored[COVERED:]
        covered = self._covered(question.terms, [row["id"] for row in best])
        # bm25 lets one rare word outweigh all others; who has more of the question comes first.
        best.sort(key=lambda row: row["score"] * (1 + COVER * covered.get(row["id"], 0.0)), reverse=True)
        return [row["id"] for row in (*best, *rest)]

    def _covered(self, terms: Sequence[str], ids: Ids) -> Mapping[int, float]:
        """The share of the terms that each item has, in itself or around it."""
        if len(terms) < 2:
            return {}
        finder = Finder(terms)
        return {key: len(finder.in_text(text)) / len(terms) for key, text in self._texts(ids).items()}

    def sure(self, question: MemoryQuery, ids: Ids) -> frozenset[int]:
        """Those that have enough of what the question is about, in themselves or around them."""
        # Of a few items rarity says nothing.
        if self._frequencies.items() < FLOOR_FROM:
            return frozenset(ids)
        weights = self._frequencies.weights(question.terms)
        whole, finder = sum(weights.values()), Finder(question.terms)
        texts = self._texts(ids) if whole else {}
        shares = {key: sum(weights.get(t, 0.0) for t in finder.in_text(text)) for key, text in texts.items()}
        return frozenset(key for key, share in shares.items() if share >= FLOOR * whole > 0)

    def _texts(self, ids: Ids) -> dict[int, str]:
        if not ids:
            return {}
        statement = f"SELECT rowid, speaker, said, near FROM memory_words WHERE rowid {AMONG}"  # noqa: S608
        rows = self._store.database.read(lambda c: c.execute(statement, (among(ids),)).fetchall())
        return {row["rowid"]: " ".join(row[1:]) for row in rows}

    def _expression(self, terms: Sequence[str]) -> str:
        """Common terms help to rank but pick nothing by themselves, once there is much to read through."""
        # A word that every fifth item has would make the index read them all.
        common = self._frequencies.common(terms)
        rare = [term for term in terms if term not in common]
        if not common or not rare:
            return any_of(terms)
        return f"({any_of(rare)}) AND ({any_of(terms)})"

    def _scored(self, question: MemoryQuery, expression: str) -> list[Row]:
        """The best in the view. Most often they are among the best of all, which are found without a look at
        every row; where a view is narrow, each row that has a term is looked at.
        """
        best = self._best_of_all(expression)
        inside = self._inside(question, best)
        # Most views hold what is best of all; only a narrow one is worth a look at every row.
        if len(best) == BEST_OF_ALL and len(inside) < ENOUGH:
            return self._best_in_view(question, expression)
        return inside[: question.limit]

    def _best_of_all(self, expression: str) -> list[Row]:
        statement = (
            "SELECT rowid AS id, -rank AS score FROM memory_words WHERE memory_words MATCH ?"  # noqa: S608
            f" AND rank MATCH 'bm25({WEIGHTS})' ORDER BY rank LIMIT {BEST_OF_ALL}"
        )
        return self._store.database.read(lambda c: c.execute(statement, (expression,)).fetchall())

    def _inside(self, question: MemoryQuery, rows: Sequence[Row]) -> list[Row]:
        if not rows:
            return []
        where, values = allowed(question)
        statement = f"SELECT id FROM memory_items WHERE id {AMONG} AND {where}"  # noqa: S608 - our own
        ids = (among(row["id"] for row in rows), *values)
        inside = {
            row["id"] for row in self._store.database.read(lambda c: c.execute(statement, ids).fetchall())
        }
        return [row for row in rows if row["id"] in inside]

    def _best_in_view(self, question: MemoryQuery, expression: str) -> list[Row]:
        where, values = allowed(question)
        statement = (
            f"SELECT memory_items.id AS id, -bm25(memory_words, {WEIGHTS}) AS score FROM memory_words"  # noqa: S608
            " JOIN memory_items ON memory_items.id = memory_words.rowid"
            f" WHERE memory_words MATCH ? AND {where} ORDER BY score DESC LIMIT ?"
        )
        wanted = (expression, *values, question.limit)
        return self._store.database.read(lambda c: c.execute(statement, wanted).fetchall())


class _Frequencies:
    """In how many items a term stands, counted up to what is common; anew when there are a tenth
    more items."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self._items = 0
        self._known: dict[str, int] = {}

    def common(self, terms: Sequence[str]) -> frozenset[str]:
        if self.items() < COMMON_FROM:
            return frozenset()
        return frozenset(term for term in terms if self._of(term) > COMMON * self._items)

    def weights(self, terms: Sequence[str]) -> dict[str, float]:
        """How much each term says, by its rarity. One that nobody ever said may be beside the point: half."""
        items = self.items()
        counts = {term: self._of(term) for term in terms}
        rarities = {term: log((items - n + 0.5) / (n + 0.5) + 1) for term, n in counts.items() if n <= items}
        return {term: rarity if counts[term] else rarity / 2 for term, rarity in rarities.items()}

    def items(self) -> int:
        """About how many there are."""
        items = self._store.database.read(_last_id)
        # Counting all terms anew for each item would cost more than a slightly wrong rarity.
        if not self._items * 0.9 <= items <= self._items * 1.1:
            self._items, self._known = items, {}
        return self._items

    def _of(self, term: str) -> int:
        if term not in self._known:
            # All at once: which of them is asked for again nobody knows, and counting is cheap.
            if len(self._known) >= MOST_TERMS:
                self._known = {}
            self._known[term] = self._store.database.read(_count(term, int(COMMON * self._items) + 1))
        return self._known[term]


def _last_id(connection: Connection) -> int:
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM memory_items").fetchone()[0])


def _count(term: str, enough: int) -> Callable[[Connection], int]:
    statement = "SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH ? LIMIT ?)"
    return lambda c: int(c.execute(statement, (any_of((term,)), enough)).fetchone()[0])


class TrigramRanker:
    """By pieces of words: of the terms that are no word of any item, "versicherung" in
    "Haftpflichtversicherung".
    """

    name = "part of a word"
    weight = 1.0
    is_by_words = True

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def rank(self, question: MemoryQuery) -> Ids:
        # A word that stands in some item is found by itself; only parts of words need this slower way.
        known = self._store.database.read(_known(question.terms))
        strange = [term for term in question.terms if term not in known]
        expression = grams_of(strange)
        if not expression:
            return ()
        where, values = allowed(question)
        statement = (
            "SELECT memory_items.id AS id, memory_items.text AS text FROM memory_grams"  # noqa: S608
            " JOIN memory_items ON memory_items.id = memory_grams.rowid"
            f" WHERE memory_grams MATCH ? AND {where} ORDER BY memory_items.id DESC LIMIT ?"
        )
        wanted = (expression, *values, question.limit)
        rows = self._store.database.read(lambda c: c.execute(statement, wanted).fetchall())
        # The index knows no places, so a hit may have the pieces of a word in any order.
        return [row["id"] for row in rows if _inside(strange, row["text"])]

    def sure(self, _question: MemoryQuery, _ids: Ids) -> frozenset[int]:
        """A piece of a word says too little."""
        return frozenset()


class MeaningRanker:
    """By everyday words that mean the same: of "my spouse" what has "wife". Asked about one's own affairs
    alone: what is asked about the world shares everyday words with everything.
    """

    name = "meaning of words"
    weight = 2.0
    is_by_words = True

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def rank(self, question: MemoryQuery) -> Ids:
        meant = meant_in(question.text, self._store.vocabulary)
        wanted = frozenset().union(*(word.answered_by for word in meant))
        expression = any_of(everyday_meanings().written(wanted)) if wanted else ""
        if not expression:
            return ()
        where, values = allowed(question)
        statement = (
            "SELECT memory_items.id AS id, memory_items.text AS text FROM memory_words"  # noqa: S608
            " JOIN memory_items ON memory_items.id = memory_words.rowid"
            f" WHERE memory_words MATCH ? AND {where} ORDER BY bm25(memory_words, {WEIGHTS}) LIMIT {COVERED}"
        )
        wish = (f"said : ({expression})", *values)
        rows = self._store.database.read(lambda c: c.execute(statement, wish).fetchall())
        # bm25 knows nothing of words that mean the same: who has more of what is asked for comes first.
        shares = {row["id"]: len(answered(meant, row["text"])) for row in rows}
        return sorted((each for each, share in shares.items() if share), key=lambda each: -shares[each])

    def sure(self, question: MemoryQuery, ids: Ids) -> frozenset[int]:
        """Items that have a word for something that is asked for."""
        meant = meant_in(question.text, self._store.vocabulary)
        items = self._store.items(list(ids)) if meant else ()
        return frozenset(item.id for item in items if answered(meant, item.text))


def meant_in(question: str, vocabulary: Vocabulary) -> tuple[MeantWord, ...]:
    """What a question about one's own affairs asks for in everyday words; of others nothing."""
    if not vocabulary.is_personal(question):
        return ()
    return everyday_meanings().asked_in(question, vocabulary.small)


def answered(meant: Sequence[MeantWord], text: str) -> tuple[str, ...]:
    """The words for which a text has one of the same meaning."""
    there = everyday_meanings().of(text) if meant else frozenset()
    return tuple(word.text for word in meant if word.answered_by & there)


class TopicRanker:
    """By what was last stated about the topic that a question names: "Where do I live?" finds "We moved to
    Jena", which has none of its words.
    """

    name = "topic"
    weight = 3.0
    is_by_words = False

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def rank(self, question: MemoryQuery) -> Ids:
        found = self._store.asked(question.text)
        if not found:
            return ()
        where, values = allowed(question)
        statement = f"SELECT id FROM memory_items WHERE id {AMONG} AND {where}"  # noqa: S608 - our own
        rows = self._store.database.read(lambda c: c.execute(statement, (among(found), *values)).fetchall())
        inside = {row["id"] for row in rows}
        return [each for each in found if each in inside][: question.limit]

    def sure(self, _question: MemoryQuery, ids: Ids) -> frozenset[int]:
        """What a question names is what it is about."""
        return frozenset(ids)


def _known(terms: Sequence[str]) -> Callable[[Connection], frozenset[str]]:
    """Those of the terms that are a word of some item; one statement for all."""
    one = "SELECT ? AS term WHERE EXISTS (SELECT 1 FROM memory_words WHERE memory_words MATCH ?)"
    statement = " UNION ALL ".join([one] * len(terms))
    values = [value for term in terms for value in (term, f"said : {any_of((term,))}")]

    def read(connection: Connection) -> frozenset[str]:
        return (
            frozenset(row["term"] for row in connection.execute(statement, values)) if terms else frozenset()
        )

    return read


def _inside(terms: Iterable[str], text: str) -> bool:
    folded = spaced(text).casefold()
    return any(term in folded for term in terms)


def allowed(question: MemoryQuery) -> tuple[str, tuple[str, ...]]:
    """A condition on `memory_items` and its values: what the question may find."""
    where, values = in_view(question.view)
    kinds = ", ".join(repr(kind.value) for kind in question.kinds)
    statuses = ", ".join(repr(status.value) for status in question.statuses)
    return f"{where} AND memory_items.kind IN ({kinds}) AND memory_items.status IN ({statuses})", values


class LateRanker:
    """One that is made when it is first needed: few switch it on, and its libraries are large.

    Ranks nothing while `wanted` says no. May be called on any thread, as what it stands for."""

    def __init__(
        self, name: str, weight: float, wanted: Callable[[], bool], made: Callable[[], Ranker]
    ) -> None:
        """`made` gives the ranker, always the same one."""
        self.name = name
        self.weight = weight
        self.is_by_words = False
        self._wanted = wanted
        self._made = made

    def rank(self, question: MemoryQuery) -> Ids:
        return self._made().rank(question) if self._wanted() else ()

    def sure(self, question: MemoryQuery, ids: Ids) -> frozenset[int]:
        return self._made().sure(question, ids) if self._wanted() else frozenset()
