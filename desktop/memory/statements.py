"""What a sentence states, and about what: "My new dentist is called Dr. Klein" gives the dentist a name.

Read by rule, in English and German, the commonest forms in French and Spanish too, from
`resources/memory/facts.toml`; no model is asked. A statement has a topic ("dentist", "birthday sister",
"home") and the kind of its value, because a time takes the place of an earlier time and not of a name. What
is not understood states nothing, and stays beside all else.

Each statement of the user's lies in `memory_topics` beside its memory. Of two about the same the newer is in
force. Nothing is marked as outdated for that: whether something newer stands against a statement is looked up
when it would be told, so that what was replaced counts again once its successor is forgotten. In doubt both
stay: they have their dates.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from enum import StrEnum
from pathlib import Path

from desktop.database import AMONG, Connection, Row, among
from desktop.memory import statement_patterns as patterns
from desktop.memory.item import Item, MemoryKind, MemorySource, NewItem
from desktop.memory.text import Vocabulary, any_of

LOOKED_AT = 50  # of the memories most alike, for a correction
SHARED = 0.6  # of the shorter one's words
FEWEST_WORDS = 3  # that say something, of either
FEW_WORDS = 2  # of what a number is said of
FEW_SENTENCES = 2
LONGEST_CORRECTION = 20  # words; what is longer tells a story
LONGEST_FRAME = 14  # words of two sentences that differ in a value alone
LONGEST_VALUE = 3  # words
LAST_TURNS = 3  # of the user's in a conversation, which a "no, it's …" may be about
KINDS = (MemoryKind.NOTE, MemoryKind.EPISODE)
# A topic of its own for what states nothing that the rules know, and was corrected all the same.
NUMBERED = "="
MOST_WORDS = 5  # of a topic; what has more is a sentence of its own


class ValueKind(StrEnum):
    """Of what is said about a topic; only like replaces like. The values are on disk."""

    TIME = "time"
    NUMBER = "number"
    NAME = "name"
    OTHER = "other"
    ANY = "any"  # of a group: where one lives is one thing, however it is said


@dataclass(frozen=True)
class Statement:
    """`detail` tells values of one kind apart: of numbers the unit, of times what happens then, "" for any.

    Of what is neither, whether it says where.

    `corrects`: it says of itself that something earlier is so no more. `is_new`: there is another one of it,
    "my new boss", of which nothing holds that was said of the earlier one.
    """

    topic: str
    kind: ValueKind
    detail: str = ""
    corrects: bool = False
    is_new: bool = False
    subject: str = ""  # the words of the sentence that name the topic, as they stand there

    def replaces(self, earlier: ValueKind, detail: str = "") -> bool:
        """Whether it takes the place of an earlier value of that kind about the same topic."""
        if self.is_new or ValueKind.ANY in (self.kind, earlier):
            return True
        if self.kind is not earlier:
            # "My boss is 40" says nothing against "my boss is Mr. Tanner".
            return False
        if self.kind is ValueKind.OTHER:
            # Nor "my wife is ill" against "my wife is a teacher".
            return self.corrects and self.detail in ("", detail)
        return self.detail == detail or not self.detail or not detail


@dataclass(frozen=True)
class TopicGroup:
    """One thing of one's life that is told in many words: where one lives, what one's work is."""

    topic: str
    nouns: frozenset[str]
    says: re.Pattern[str]
    asks: re.Pattern[str]
    of_others: re.Pattern[str]  # said or asked of somebody else


@dataclass(frozen=True)
class StatementReader:
    """What `resources/memory/facts.toml` says, and what follows from it. Pure; any thread."""

    vocabulary: Vocabulary
    single: frozenset[str]
    compounds: tuple[str, ...]
    ones: frozenset[str]
    people: frozenset[str]
    corrections: re.Pattern[str]
    endings: re.Pattern[str]
    gone: re.Pattern[str]
    groups: tuple[TopicGroup, ...]

    def statements(self, text: str) -> tuple[Statement, ...]:
        """Each topic and kind once, in the order in which they are stated."""
        found = (each for sentence in sentences(text) for each in self.of_sentence(sentence))
        return tuple({(each.topic, each.kind): each for each in found}.values())

    def of_sentence(self, sentence: str) -> Iterator[Statement]:
        """Those of one sentence; a question states nothing."""
        if sentence.rstrip().endswith("?"):
            return
        corrects = self.corrects(sentence)
        line = _without_openings(sentence.strip())
        person = patterns.PERSON.match(line)
        who = sorted(self.people_in(person["who"])) if person else []
        for group in self.groups:
            if who and person and group.of_others.search(line):
                topic = " ".join(sorted((group.topic, *who)))
                yield Statement(topic, ValueKind.ANY, corrects=corrects, subject=person["who"])
            elif not who and group.says.search(line):
                yield Statement(group.topic, ValueKind.ANY, corrects=corrects, subject=group.topic)
        for owner, what, verb, value in self._parts(line):
            kind, detail = _value(verb, value)
            # What was at a time is no less true for what was at another.
            if not corrects and patterns.WAS.fullmatch(verb) and kind is not ValueKind.NAME:
                continue
            topic, is_one = self._topic(owner, what, kind)
            if topic:
                is_new = not patterns.NEW.isdisjoint(_folded(what))
                yield Statement(topic, kind, detail, corrects or is_one, is_new, what.removeprefix("new "))

    def corrects(self, sentence: str) -> bool:
        """Whether it says of itself that something earlier is wrong or over, or what is no more there."""
        return self.corrections.search(sentence) is not None or self.gone.search(sentence) is not None

    def ends(self, sentence: str) -> bool:
        """Whether it says that something was given up or changed: "now" and "new" alone are in every talk."""
        return self.endings.search(sentence) is not None or self.gone.search(sentence) is not None

    def gone_words(self, sentence: str) -> frozenset[str]:
        """Of what it says that it is no more there: of "I sold the Golf" the Golf."""
        matches = self.gone.finditer(sentence)
        words = (word for match in matches for word in _folded(" ".join(filter(None, match.groups()))))
        return frozenset(stem(word) for word in words if not self._is_small(word))

    def content_words(self, text: str) -> tuple[str, ...]:
        """The words that say what a text is about, without those that only say that it corrects."""
        words = _folded(self.corrections.sub(" ", text))
        small = self.vocabulary.stop | self.vocabulary.weak
        # "Can't" and "I'm" say as little as "can" and "I".
        return tuple(dict.fromkeys(w for w in words if w not in small and w.split("'")[0] not in small))

    def content(self, text: str) -> frozenset[str]:
        """The stems of `content_words`, to be compared."""
        return frozenset(map(stem, self.content_words(text)))

    def people_in(self, text: str) -> frozenset[str]:
        """Whose affairs it is about: of "my brother's dentist" the brother. () stands for one's own."""
        words = _folded(patterns.FORM_OF_ADDRESS.sub(" ", text))
        # German adds "es" for whose it is: die Chefin meines Mannes.
        forms = (form for word in words for form in (singular(word), word.removesuffix("es")))
        return frozenset(form for form in forms if form in self.people)

    def asked(self, question: str, known: Sequence[str]) -> tuple[str, ...]:
        """Those of `known` topics, and of the groups, that a question is about."""
        words = frozenset(map(singular, _folded(question)))
        whose = words & self.people
        found = [group.topic for group in self.groups if not whose and group.asks.search(question)]
        if whose:
            groups = (group.topic for group in self.groups if group.of_others.search(question))
            found += [" ".join(sorted((topic, *whose))) for topic in groups]
        is_own = self.vocabulary.is_personal(question)
        general = frozenset(group.topic for group in self.groups)
        for topic in known:
            parts = frozenset(topic.split())
            # A cron job has nothing to do with one's own; and somebody else's birthday has this word too.
            if parts <= words and parts & self.people == whose and (is_own or topic not in general):
                found.append(topic)
        # "What is my dentist's name?" asks for the dentist, not for one's own.
        if not found and not whose and is_own:
            found = [group.topic for group in self.groups if words & group.nouns]
        return tuple(dict.fromkeys(found))

    # -- inside -------------------------------------------------------------------------------

    def _parts(self, line: str) -> Iterator[tuple[str, str, str, str]]:
        """Whose it is, what is spoken of, the verb, and what is said of it."""
        for match in patterns.STATED.finditer(line):
            yield match["owner"] or "", match["what"], match["verb"] or "is", match["value"]
        for pattern in (patterns.HAPPENS, patterns.ROMANCE):
            for match in pattern.finditer(line):
                yield match["owner"], match["what"], match["verb"], match["value"]
        for pattern in patterns.ANOTHER:
            for match in pattern.finditer(line):
                # "New" is in these words, and says that the earlier one is past.
                yield "my", f"new {match['what']}", "", match["value"]
        for match in patterns.MOVED.finditer(line):
            yield "the", match["what"] or match["german"], "", match["value"] or match["where"]
        if (inverted := patterns.INVERTED.match(line)) is not None:
            yield inverted["owner"], inverted["what"], inverted["verb"], inverted["value"]
        if (later := patterns.NEW_ONE.search(line)) is not None:
            # "My doctor retired, the new one is …"
            yield "my", f"new {self._noun_in(line[: later.start()])}", later["verb"], later["value"]
        if (it := patterns.IT.search(line)) is not None:
            yield "my", self._noun_in(line[: it.start()]), it["verb"], it["value"]

    def _noun_in(self, text: str) -> str:
        """The first word of `text` that there is one of at a time; "" for none."""
        return next((word for word in _folded(text) if self._is_single(singular(word))), "")

    def _topic(self, owner: str, what: str, kind: ValueKind) -> tuple[str, bool]:
        """The topic that these words name, "" where one may have several of it; whether they say that it
        is the one that counts ("new", "favourite")."""
        words = _folded(what)
        is_one = any(_begins(word, self.ones) for word in words)
        kept = [singular(word) for word in words if not self._is_small(word) and word not in self.ones]
        if not 1 <= len(kept) <= MOST_WORDS or not (is_one or self._is_one_thing(owner, kept, kind)):
            return "", False
        if len(kept) == 1:
            for group in self.groups:
                if kept[0] in group.nouns:
                    return group.topic, is_one
        # By the alphabet: "my sister's birthday" is "the birthday of my sister".
        return " ".join(sorted(set(kept))), is_one

    def _is_one_thing(self, owner: str, words: Sequence[str], kind: ValueKind) -> bool:
        """Whether there is one of it at a time. Of brothers there may be two, but each has one age."""
        if any(map(self._is_single, words)):
            return bool(owner) or len(words) <= 2
        if kind in (ValueKind.TIME, ValueKind.NUMBER):
            return bool(owner)
        is_mine = owner.casefold().startswith(patterns.MINE)
        return kind is ValueKind.NAME and is_mine and self.people.isdisjoint(words)

    def _is_small(self, word: str) -> bool:
        return word in self.vocabulary.stop or self.corrections.fullmatch(word) is not None

    def _is_single(self, word: str) -> bool:
        """German writes nouns in one: Handynummer, Hausarzt."""
        return word in self.single or word.endswith(self.compounds)


def read_statements(path: Path, vocabulary: Vocabulary) -> StatementReader:
    """Raises where the file is wrong, which is a bug."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    single, people = (frozenset(map(singular, table[name].split())) for name in ("single", "people"))
    groups = tuple(
        TopicGroup(
            topic,
            frozenset(map(singular, each["nouns"].split())),
            re.compile("|".join(each["says"]), re.I),
            re.compile("|".join(each["asks"]), re.I),
            re.compile("|".join(each.get("of_others", ("(?!)",))), re.I),
        )
        for topic, each in table["group"].items()
    )
    corrections = _one_of((*table["corrections"], *table["endings"]))
    endings = _one_of(table["endings"])
    gone = re.compile("|".join(table["gone"]), re.I)
    return StatementReader(
        vocabulary,
        single,
        tuple(table["compounds"].split()),
        frozenset(table["ones"].split()),
        people,
        corrections,
        endings,
        gone,
        groups,
    )


def _one_of(phrases: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})(?!\w)", re.I)


def sentences(text: str) -> tuple[str, ...]:
    """`text` cut at the ends of its sentences, each with its mark."""
    return tuple(part for part in (each.strip() for each in patterns.SENTENCE_END.split(text)) if part)


def is_short_correction(sentence: str) -> bool:
    """Whether it corrects what was said before it without naming it: "No, it's on 5 May"."""
    return patterns.OPENING.match(sentence.strip()) is not None and len(patterns.WORD.findall(sentence)) <= 12


def stem(word: str) -> str:
    """Enough to see that "meetings" and "meeting's" are a meeting."""
    return re.sub(r"(?:['’]s|s|en|n)$", "", word) if len(word) > 4 else word


def singular(word: str) -> str:
    """A topic's word, so that "dentists" are about the dentist."""
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


def _value(verb: str, value: str) -> tuple[ValueKind, str]:
    """The kind of what is said, and what tells it from others of its kind."""
    if re.search(patterns.CALLED, verb, re.I):
        return ValueKind.NAME, ""
    if patterns.TIME.search(patterns.SINCE.sub("", value)):
        # That it is, or was moved, says no more than when.
        if patterns.IS.fullmatch(verb):
            return ValueKind.TIME, ""
        ends = "end" if patterns.OVER.fullmatch(verb) else verb.casefold().removesuffix("s")
        return ValueKind.TIME, "begin" if patterns.BEGINS.fullmatch(verb) else ends
    if (number := patterns.NUMBER.search(value)) is not None:
        return ValueKind.NUMBER, singular((number["unit"] or "").casefold())
    said = value.lstrip(" ,:")
    if patterns.NAME.match(said):
        return ValueKind.NAME, ""
    # "My bike is in the garage now" says nothing against "my bike is blue".
    return ValueKind.OTHER, "where" if said.casefold().split(" ")[0] in patterns.PLACES else ""


def _without_openings(line: str) -> str:
    shorter = patterns.OPENING.sub("", line)
    return line if shorter == line else _without_openings(shorter)


def _folded(text: str) -> list[str]:
    words = patterns.WORD.findall(text.casefold().replace("’", "'"))
    return [word.removesuffix("'s") for word in words]


def _begins(word: str, ones: frozenset[str]) -> bool:
    """German writes the noun right after it: Lieblingsfarbe."""
    return word in ones or (word.startswith("lieblings") and "lieblings" in ones)


@dataclass(frozen=True)
class Correction:
    """A sentence that says of itself that something has changed, to be held against earlier ones. Pure."""

    sentence: str
    content: frozenset[str]
    gone: frozenset[str]
    whose: frozenset[str]
    ends: bool  # by itself, as "no longer" does; "now" alone is in every talk
    is_known: bool  # its own statements say what it stands against, but for what it says is gone

    @classmethod
    def of(cls, reader: StatementReader, sentence: str, is_known: bool) -> Correction:
        return cls(
            sentence,
            reader.content(sentence),
            reader.gone_words(sentence),
            reader.people_in(sentence),
            reader.ends(sentence),
            is_known,
        )

    def share(self, reader: StatementReader, earlier: str) -> float:
        """How much of its words an earlier sentence has, of the shorter one; 0 where they are about different
        people, and 1 where it names what is gone, or says the same with another value.
        """
        if earlier.rstrip().endswith("?"):
            return 0.0
        theirs = reader.content(earlier)
        if patterns.ADDS.search(self.sentence):
            return 0.0
        # "I sold the Golf" is about whatever was said of the Golf.
        if self.gone & theirs and (reader.statements(earlier) or _is_of_oneself(earlier)):
            return 1.0
        if self.is_known or reader.people_in(earlier) != self.whose:
            return 0.0
        clauses = (self.sentence, *patterns.CLAUSE.split(self.sentence))
        framed = any(_has_same_frame(each, earlier, reader.corrections) for each in clauses)
        if framed and self.content & theirs:
            return 1.0
        # The time is what differs; where another word stands for the thing too, it is another thing.
        if _has_another_time(self.sentence, earlier) and is_another(
            self.sentence, earlier, theirs - self.content, self.content - theirs
        ):
            return 0.0
        units = {stem((each["unit"] or "").casefold()) for each in patterns.NUMBER.finditer(earlier)}
        if _have_other_numbers(self.sentence, earlier) and len(self.content & theirs - units) >= FEW_WORDS:
            return 1.0
        # Of two words, one is often shared by chance, and greetings share both.
        shorter = min(len(self.content), len(theirs))
        if not self.ends or shorter < FEWEST_WORDS:
            return 0.0
        return len(self.content & theirs) / shorter


def _is_of_oneself(sentence: str) -> bool:
    words = _folded(sentence)
    return len(words) <= LONGEST_FRAME and bool(words) and words[0] in patterns.OWN


def _has_same_frame(later: str, earlier: str, markers: re.Pattern[str]) -> bool:
    """Whether both say the same of the same, with another value at one place: "The database is on host alpha"
    and "The database is on host gamma now". What it is said of may have more words in the earlier one.
    """
    new, old = (
        _without_article(_folded(markers.sub(" ", _without_openings(each)))) for each in (later, earlier)
    )
    if not 0 < len(new) <= LONGEST_FRAME or len(old) > LONGEST_FRAME:
        return False
    changes = [
        each for each in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if each[0] != "equal"
    ]
    replaced = [each for each in changes if each[0] == "replace"]
    if len(replaced) != 1:
        return False
    _, old_start, old_end, new_start, new_end = replaced[0]
    before = [word for word in new[:new_start] if word not in patterns.ARTICLES]
    others = [each for each in changes if each[0] != "replace"]
    return (
        len(before) >= 2
        # "Is green" and "is in the kitchen" are both so.
        and (old[old_start] in patterns.PLACES) is (new[new_start] in patterns.PLACES)
        and max(old_end - old_start, new_end - new_start) <= LONGEST_VALUE
        # The beginning of the subject may be missing, nothing else.
        and all(tag == "delete" and new_at == 0 for tag, _, _, new_at, _ in others)
    )


def is_another(later: str, earlier: str, missing: Collection[str], others: Collection[str]) -> bool:
    """Whether one of `others` stands in `later` where one of `missing` stood in `earlier`, behind the same
    word: "the meeting with the bank" and "the meeting with the school". Both are stems."""
    was, now = _words_before(earlier), _words_before(later)
    places = {before for word, before in was.items() if word in missing}
    return any(word in others and before in places for word, before in now.items())


def _words_before(sentence: str) -> dict[str, str]:
    """Of each word's stem the one before it, "" of the first."""
    timeless = patterns.DAY.sub(" ", _without_openings(sentence.strip()))
    words = [stem(word) for word in _folded(timeless)]
    before = (patterns.CONTRACTED.get(word, word) for word in ("", *words))
    return dict(zip(words, before, strict=False))


def _has_another_time(later: str, earlier: str) -> bool:
    new, old = (patterns.DAY.findall(text.casefold()) for text in (later, earlier))
    return bool(new) and bool(old) and new != old


def _without_article(words: list[str]) -> list[str]:
    return words[1:] if words and words[0] in patterns.ARTICLES else words


def _have_other_numbers(later: str, earlier: str) -> bool:
    """Of the same unit: "35 euros" and "42 euros"."""
    new, old = (
        {(each["unit"] or "").casefold(): each[0] for each in patterns.NUMBER.finditer(text)}
        for text in (later, earlier)
    )
    return any(unit and old.get(unit, number) != number for unit, number in new.items())


# -- in the database ---------------------------------------------------------------------------


@dataclass(frozen=True)
class InForce:
    """What became of a memory that states something: `outdated` are its statements that newer ones stand
    against, with the ids of those; `about` is what a correction without a subject is about."""

    outdated: Mapping[str, int] = field(default_factory=dict)
    about: str = ""


class Statements:
    """Those of all memories. Every method is called inside a transaction of the store's."""

    def __init__(self, reader: StatementReader) -> None:
        self.reader = reader
        self.vocabulary = reader.vocabulary

    # -- writing ------------------------------------------------------------------------------

    def keep(self, connection: Connection, item_id: int, new: NewItem) -> None:
        """Put down what a memory states, once it has its number. What tools, pages and answers say states
        nothing: only the user's own words, and notes made at the user's wish."""
        connection.execute("DELETE FROM memory_topics WHERE item_id = ?", (item_id,))
        if not _may_state(new):
            return
        stated = list(self.reader.statements(new.text))
        if not stated and is_short_correction(new.text):
            stated = self._last_said(connection, item_id, new)
        if self.reader.corrects(new.text):
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

    def in_force(self, connection: Connection, items: Sequence[Item]) -> dict[int, InForce]:
        """By the ids of those of `items` that state something. What is in another project or conversation,
        or was said by somebody else, stands against nothing here."""
        mine = _rows_of(connection, [item.id for item in items])
        by_topic: dict[str, list[Row]] = {}
        for row in _stated_about(connection, [row["topic"] for row in mine]):
            by_topic.setdefault(row["topic"], []).append(row)
        found: dict[int, InForce] = {}
        for row in mine:
            so_far = found.setdefault(row["item_id"], InForce())
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
        known = connection.execute(
            "SELECT DISTINCT topic FROM memory_topics WHERE topic NOT LIKE ?", (f"{NUMBERED}%",)
        )
        return self.reader.asked(question, [row["topic"] for row in known.fetchall()])

    def _last_said(self, connection: Connection, item_id: int, new: NewItem) -> list[Statement]:
        """What the user's last statement in the conversation was about, now corrected."""
        if not new.thread:
            return []
        rows = connection.execute(
            "SELECT id FROM memory_items WHERE thread = ? AND id < ? AND source = ? ORDER BY id DESC LIMIT ?",
            (new.thread, item_id, MemorySource.USER.value, LAST_TURNS),
        ).fetchall()
        for row in rows:
            if stated := _rows_of(connection, (row["id"],)):
                kinds = {(each["topic"], each["kind"]) for each in stated}
                return [Statement(topic, ValueKind(kind), corrects=True) for topic, kind in sorted(kinds)]
        return []

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
            if self.reader.corrects(sentence) and len(patterns.WORD.findall(sentence)) <= LONGEST_CORRECTION:
                shares = self._shares(connection, item_id, new, sentence, is_known)
                # One sentence says what is over, the next one what is instead.
                found.update({each: max(share, found.get(each, 0.0)) for each, share in shares.items()})
        best = max(found.values(), default=0.0)
        return tuple(each for each, share in found.items() if share == best >= SHARED)

    def _shares(
        self, connection: Connection, item_id: int, new: NewItem, sentence: str, is_known: bool
    ) -> Mapping[int, float]:
        """How much of its words each earlier memory shares with a sentence that corrects."""
        words = self.reader.content_words(sentence)
        if not words:
            return {}
        rows = connection.execute(
            "SELECT i.id AS id, i.text AS text FROM memory_words w JOIN memory_items i ON i.id = w.rowid"  # noqa: S608
            " WHERE memory_words MATCH ? AND i.id < ? AND i.layer = ? AND i.scope = ?"
            " AND i.speaker IN (?, '')"
            f" AND i.source = 'user' AND i.kind IN {_either(KINDS)} AND i.superseded_by IS NULL"
            " ORDER BY w.rank LIMIT ?",
            (f"said : ({any_of(words)})", item_id, new.layer.value, new.scope, new.speaker, LOOKED_AT),
        ).fetchall()
        correction = Correction.of(self.reader, sentence, is_known)
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


def _may_state(new: NewItem) -> bool:
    if new.source is MemorySource.USER:
        return new.kind in KINDS
    return new.source is MemorySource.MODEL and new.kind is MemoryKind.NOTE


_COLUMNS = (
    "t.item_id AS item_id, t.topic AS topic, t.kind AS kind, t.detail AS detail, t.corrects AS corrects,"
    " t.is_new AS is_new, i.at AS at, i.layer AS layer,"
    " i.scope AS scope, i.source AS source, i.superseded_by AS superseded_by, i.kind = 'note' AS note,"
    " CASE i.speaker WHEN '' THEN 'user' ELSE i.speaker END AS speaker"
    " FROM memory_topics t JOIN memory_items i ON i.id = t.item_id"
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
