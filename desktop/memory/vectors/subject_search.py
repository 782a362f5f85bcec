"""Finds by what the chat model says that a question and a memory are about: the ranker, and its numbers.

Only for questions about one's own affairs, and only with a model that can tell: the answer to them needs that
model anyway. What it ranks it is sure of; all else is left to words.
"""

from __future__ import annotations

import math
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import structlog

from desktop.database import AMONG, Connection, Database, Row, among
from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling, Stream
from desktop.memory.answer_types import TypedQuestion, is_of_family
from desktop.memory.search import Ids, MemoryQuery, allowed
from desktop.memory.text import any_of
from desktop.memory.vectors.minilm import Array, normalised
from desktop.memory.vectors.vector_store import VectorMatrix, VectorTable

log = structlog.get_logger(__name__)

# Of notes, and of what the user said; answers and pages repeat it.
# By logistic regression over tests/bench/blind_memory_recall_plain.toml; two fresh sets want no others.
LIKENESS_COUNTS, LEAD_COUNTS, YES_COUNTS = 0.5, 3.4, 1.05
LACKING_COUNTS, ALONE = 2.4, -1.5
SURE, REFUSED = 0.0, -1.5  # of the odds' logarithm; between them words decide
TABLE = VectorTable("memory_subjects", "subjects_gone", "i.source = 'user' AND i.kind IN ('note', 'episode')")
LOOKED_AT = 2  # the most alike, each of which costs its own tokens and those of the question
CHECKED = 2  # of what words found, which costs as much
DENIED = -0.7  # of the odds' logarithm; what words found has them to speak for it
LEAST = 0.25  # of the cosine
LONGEST_QUESTION = 240  # characters; what is longer is a text, and no question to memory
KEPT = 64  # questions
NEXT_ONE = "(The next one.)"
_NAME = re.compile(r"(?<!^)(?<![¿¡.!?] )(?<![¿¡])\b[A-ZÄÖÜÉ]\w+")


@dataclass(frozen=True)
class SubjectMatch:
    """A memory that may answer: the cosine of what both are about, how much that is above the next one's, the
    logarithm of the model's own odds that it answers, and whether it has no time, number, place or name where
    one is asked for."""

    item_id: int
    likeness: float
    lead: float
    said_yes: float
    lacks_value: bool = False


class SubjectSearch:
    """Ranks nothing while no model is loaded that could tell. Any thread but the engine's."""

    name = "subject"
    weight = 1.0
    is_by_words = False

    def __init__(
        self,
        database: Database,
        reader: SubjectReader,
        chosen: Callable[[], str],
        is_loaded: Callable[[], bool] = lambda: True,
    ) -> None:
        """`chosen` names the model that answers, "" where there is none or it is too small to tell."""
        self._database = database
        self._reader = reader
        self._chosen = chosen
        self._is_loaded = is_loaded
        self._lock = threading.Lock()
        self._matrix: tuple[str, VectorMatrix] | None = None
        self._neutral: dict[str, tuple[Array, Array]] = {}
        self._found: OrderedDict[tuple[object, ...], tuple[SubjectMatch, ...]] = OrderedDict()

    @property
    def is_on(self) -> bool:
        """Whether numbers can be made without loading a model for it."""
        return bool(self._chosen()) and self._is_loaded()

    @property
    def model(self) -> str:
        """Numbers of another model, or of other words, do not compare with these."""
        return f"{self._chosen()}, {VERSION}"

    def rank(self, question: MemoryQuery) -> Ids:
        """What answers the question, the surest first."""
        answers = [each for each in self.candidates(question) if is_answer(each)]
        return [each.item_id for each in sorted(answers, key=lambda each: -score(each))]

    def sure(self, question: MemoryQuery, ids: Ids) -> frozenset[int]:
        return frozenset(self.rank(question)).intersection(ids)

    def refused(self, question: MemoryQuery) -> frozenset[int]:
        """What lies near and answers something else. Not what was told after an answer: it may correct it."""
        latest = max(self.rank(question), default=0)
        near = self.candidates(question)
        return frozenset(
            each.item_id for each in near if score(each) < REFUSED and (not latest or each.item_id < latest)
        )

    def denied(self, question: MemoryQuery, told: Mapping[int, str]) -> frozenset[int]:
        """Those of `told`, texts by the ids of their items that words found, the best first, which do not
        answer the question. Where the best do not, the others are not read."""
        if not told or not self._is_asked(question) or not self._has_numbers():
            return frozenset()
        best = [*told][:CHECKED]
        try:
            no = [each for each in best if self._answers(question.text, told[each]) < DENIED]
        except ValueError as error:
            log.info("no answer is checked", reason=str(error))
            return frozenset()
        return frozenset(told if len(no) == len(best) else no)

    def candidates(self, question: MemoryQuery) -> tuple[SubjectMatch, ...]:
        """What lies nearest to the question, with all that speaks for it; () where nobody is asked."""
        if not self._is_asked(question):
            return ()
        key = (self.model, question.text, question.view, self._last_id())
        with self._lock:
            if key in self._found:
                return self._found[key]
        try:
            found = self._candidates(question)
        except ValueError as error:
            log.info("no search by subject", reason=str(error))
            return ()
        with self._lock:
            self._found[key] = found
            while len(self._found) > KEPT:
                self._found.popitem(last=False)
        return found

    def vectors_of(self, rows: Sequence[Row]) -> Array:
        """One row of length 1 for each item. Raises ValueError where the model was stopped."""
        neutral, _ = self._neutral_of(Priority.BACKGROUND)
        return normalised(
            np.stack([self._numbers(row["text"], Priority.BACKGROUND) - neutral for row in rows])
        )

    def read_ahead(self) -> None:
        """Have the model read what stands before every question and every answer, while nobody waits."""
        if self.is_on and self._has_numbers():
            self._reader.read(NEXT_ONE, Priority.BACKGROUND)
            self._reader.answers(NEXT_ONE, NEXT_ONE, Priority.BACKGROUND)

    def forget(self) -> None:
        """Give the memory of the vectors back."""
        with self._lock:
            self._matrix = None
            self._found.clear()

    # -- inside -------------------------------------------------------------------------------

    def _is_asked(self, question: MemoryQuery) -> bool:
        """Whether it is a question that the model is asked about."""
        if not question.asks_model or len(question.text) > LONGEST_QUESTION or not self._chosen():
            return False
        return is_about_oneself(question) or self._names_somebody(question.text)

    def _candidates(self, question: MemoryQuery) -> tuple[SubjectMatch, ...]:
        # With nothing to compare it with, a question costs nothing.
        if not self._has_numbers():
            return ()
        _, neutral = self._neutral_of(Priority.CHAT)
        numbers = normalised((self._numbers(question.text, Priority.CHAT) - neutral)[None])[0]
        ids, likeness = self._matrix_now().likeness(numbers)
        near = [int(n) for n in np.argsort(-likeness)[: 10 * LOOKED_AT] if likeness[n] >= LEAST]
        texts = self._texts(question, [int(ids[n]) for n in near])
        best = [n for n in near if int(ids[n]) in texts][:LOOKED_AT]
        asked = TypedQuestion.of(question.text)
        return tuple(
            SubjectMatch(
                item_id := int(ids[n]),
                float(likeness[n]),
                float(likeness[n] - max((likeness[m] for m in best if m != n), default=LEAST)),
                self._answers(question.text, texts[item_id]),
                asked.lacks_value(texts[item_id]),
            )
            for n in best
        )

    def _texts(self, question: MemoryQuery, ids: Sequence[int]) -> dict[int, str]:
        """The texts of the items inside the question's view."""
        where, values = allowed(question)
        statement = f"SELECT id, text FROM memory_items WHERE id {AMONG} AND {where}"  # noqa: S608 - our own
        rows = self._database.read(lambda c: c.execute(statement, (among(ids), *values)).fetchall())
        return {row["id"]: row["text"] for row in rows}

    def _numbers(self, text: str, priority: Priority) -> Array:
        read = self._reader.read(text, priority)
        if read is None:
            raise ValueError("the model was stopped")
        clipped: Array = (np.maximum(read, UNLIKELY) - UNLIKELY).astype(np.float32)
        return clipped

    def _answers(self, asked: str, statement: str) -> float:
        found = self._reader.answers(asked, statement, Priority.CHAT)
        if found is None:
            raise ValueError("the model was stopped")
        return found

    def _neutral_of(self, priority: Priority) -> tuple[Array, Array]:
        """What the model writes of no text in particular: of one that tells, and of one that asks."""
        model = self.model
        with self._lock:
            if model in self._neutral:
                return self._neutral[model]
        row = self._database.read(lambda c: _neutral_row(c, model))
        both = self._made_neutral(model, priority) if row is None else _of_bytes(row["vector"])
        stating, asked = np.split(both, 2)
        with self._lock:
            self._neutral = {model: (stating, asked)}
        return stating, asked

    def _made_neutral(self, model: str, priority: Priority) -> Array:
        """The means over some texts, one after the other; kept, since it takes some ten seconds."""
        read = [np.stack([self._numbers(text, priority) for text in texts]) for texts in NEUTRAL]
        made: Array = np.concatenate([each.mean(axis=0) for each in read]).astype(np.float32)
        # With the first memory: when the model was loaded there was nothing to judge yet.
        self._reader.answers(NEXT_ONE, NEXT_ONE, priority)
        keep = "INSERT OR REPLACE INTO memory_neutral VALUES (?, ?)"
        self._database.write(lambda c: c.execute(keep, (model, made.astype("<f2").tobytes())))
        return made

    def _matrix_now(self) -> VectorMatrix:
        model = self.model
        with self._lock:
            if self._matrix is None or self._matrix[0] != model:
                matrix = VectorMatrix(self._database, model, self._reader.dimensions, TABLE)
                self._matrix = (model, matrix)
            return self._matrix[1]

    def _names_somebody(self, text: str) -> bool:
        """Whether a name in it was told before: "What is Femi studying?"."""
        names = [name for name in _NAME.findall(text) if name.isalpha()]
        statement = "SELECT 1 FROM memory_words WHERE memory_words MATCH ? LIMIT 1"
        return bool(names) and (
            self._database.read(lambda c: c.execute(statement, (any_of(names),)).fetchone()) is not None
        )

    def _has_numbers(self) -> bool:
        statement = f"SELECT 1 FROM {TABLE.name} WHERE model = ? LIMIT 1"  # noqa: S608 - our own
        return self._database.read(lambda c: c.execute(statement, (self.model,)).fetchone()) is not None

    def _last_id(self) -> int:
        statement = f"SELECT coalesce(max(id), 0) FROM {TABLE.name}"  # noqa: S608 - our own
        return int(self._database.read(lambda c: c.execute(statement).fetchone())[0])


def _neutral_row(connection: Connection, model: str) -> Row | None:
    found: Row | None = connection.execute(
        "SELECT vector FROM memory_neutral WHERE model = ?", (model,)
    ).fetchone()
    return found


def _of_bytes(vector: bytes) -> Array:
    return np.frombuffer(vector, "<f2").astype(np.float32)


def score(found: SubjectMatch) -> float:
    """The logarithm of the odds that it answers."""
    counted = LIKENESS_COUNTS * found.likeness + LEAD_COUNTS * found.lead + YES_COUNTS * found.said_yes
    return counted - LACKING_COUNTS * found.lacks_value + ALONE


def is_answer(found: SubjectMatch) -> bool:
    return score(found) >= SURE


def is_about_oneself(question: MemoryQuery) -> bool:
    """Whether it may be answered by what the user told of their own life."""
    return question.is_personal or is_of_family(question.text) or TypedQuestion.of(question.text).is_plain


# -- what a sentence is about ------------------------------------------------------------------

# What a sentence is about, and whether it answers a question, as the chat model itself reads them.
#
# Words find nothing where a question shares none with what was told ("What's my job?", "I mend clocks for
# a living"), and a small model that chooses among memories takes the one that sounds alike. But what it
# would write next behind "about my" is the same for both: *job*, *work*, *profession*. So a text is read
# once, and how likely each of some hundred English words is behind it are its numbers, in whatever
# language it is. Two texts are held against each other by the cosine of these.
#
# Near it lies what is about the same thing and answers something else ("What colour is our Golf?", "The
# Golf has done 187,000"). So the best few are each read together with the question, and the model says
# whether they answer it: yes or no, which a small one knows of one sentence far better than it chooses
# among several.
#
# Everything before a text is always the same, so the KV cache has it: a text costs its own tokens and
# some ten.

VERSION = "subjects 1"  # of the words and the prompt: numbers of others do not compare
SUBJECTS = "what a text is about"  # of all texts: what stands before them is always the same
ANSWERS = "whether it answers a question"
LONGEST = 400  # characters of a text that are read
UNLIKELY = -9.0  # of the logarithm; what is less likely than that is so by chance
_BEGUN = "about my"
_SAY_WHAT = "Whatever is said is about one thing of the life of the one who says it. Say which, in English."
_ABOUT: tuple[tuple[str, str], ...] = (
    ("Auntie teaches the violin in Porto, poor thing.", "aunt's job"),
    ("Wie komme ich morgens ins Büro?", "way to work"),
    ("On garde la clé de la cave derrière le compteur.", "cellar key"),
    ("never could stand aniseed", "dislikes"),
    ("Would I like liquorice?", "dislikes"),
    ("El vuelo de mamá llega el jueves a las siete.", "mother's flight"),
    ("What does Mira do for a living?", "aunt's job"),
    ("Seit Montag fahr ich mit dem Rad, das Auto ist verkauft.", "way to work"),
)
_SAY_WHETHER = """Somebody told something of their own life, and later asks a question. Say yes where what \
was told answers just this question, and no where it only is about the same."""
YES, NO = "yes", "no"
_WHETHER: tuple[tuple[str, str, str], ...] = (
    ("I never could stand the taste of aniseed.", "Is liquorice a good present for me?", YES),
    (
        "Seit Montag fahr ich mit dem Rad ins Büro, das Auto ist verkauft.",
        "Wie lange brauche ich zur Arbeit?",
        NO,
    ),
    ("On garde la clé de la cave derrière le compteur.", "Où est la clé de la cave ?", YES),
    ("My aunt Mira teaches the violin in Porto.", "How old is my aunt?", NO),
    ("My aunt Mira teaches the violin in Porto.", "What does Mira do for a living?", YES),
    ("Our hamster Pip has chewed through the cable again.", "What is my dog called?", NO),
    (
        "El vuelo de mamá llega el jueves a las siete.",
        "¿Cuándo voy al aeropuerto a buscar a mi madre?",
        YES,
    ),
    ("I take a size 41 in boots.", "What colour are my boots?", NO),
    ("Seit Montag fahr ich mit dem Rad ins Büro, das Auto ist verkauft.", "Habe ich noch ein Auto?", YES),
    ("Ma nièce apprend la harpe.", "Qui donne des cours de harpe à ma nièce ?", NO),
    ("The gas man comes on the 4th", "when do I have to be home for the meter", YES),
    ("Wir haben unser Haus 2009 gekauft.", "Was hat unser Haus gekostet?", NO),
)
# Told and asked, of no one thing: what the model writes of all texts is taken off the numbers of each.
NEUTRAL: tuple[tuple[str, ...], tuple[str, ...]] = (
    (
        "My sister moved to a flat near the harbour in spring.",
        "I only drink decaf after lunch.",
        "the car goes in for its service on the 14th",
        "We keep the fuse box key in the blue jar.",
        "Mein Chef heißt Brandt und ist immer vor acht da.",
        "Unser Kater frisst nur das teure Futter.",
        "hab am 3. Mai Geburtstag, wie mein Opa",
        "Je fais de l'escalade le mardi avec Inès.",
        "Le loyer part le cinq du mois.",
        "Mi hija estudia enfermería en Salamanca.",
        "Tengo alergia al polen desde pequeño.",
        "My left ear has been bad since the concert.",
    ),
    (
        "Where does my sister live?",
        "what time is my train tomorrow",
        "Which tablets do I take in the morning?",
        "How much do I pay for the gym?",
        "Wie heißt mein Chef?",
        "Wann hat mein Opa Geburtstag?",
        "Was frisst unser Kater?",
        "C'est quoi mon sport du mardi ?",
        "Quand est-ce que je paie le loyer ?",
        "¿Qué estudia mi hija?",
        "¿A qué tengo alergia?",
        "Who repaired our roof?",
    ),
)


def read_words(path: Path) -> tuple[str, ...]:
    """The words of `resources/memory/subjects.txt`."""
    return tuple(path.read_text(encoding="utf-8").split())


class SubjectReader:
    """May be called on any thread that may wait for the engine; never on its own."""

    def __init__(self, submit: Callable[[GenerateRequest], Stream], words: Sequence[str]) -> None:
        """`words` are those that may stand behind "about my"; each gives one number."""
        self._submit = submit
        self._labels = tuple(f" {word}" for word in words)

    @property
    def dimensions(self) -> int:
        return len(self._labels)

    def read(self, text: str, priority: Priority) -> Array | None:
        """The logarithm of how likely each word is behind `text`; None where the model was stopped."""
        request = GenerateRequest(
            SUBJECTS,
            (*_shown(_SAY_WHAT, ((said, f"{_BEGUN} {what}") for said, what in _ABOUT)), _user(text)),
            Sampling(temperature=0, max_tokens=1),
            priority,
            answer_start=_BEGUN,
            labels=self._labels,
        )
        stream = self._submit(request)
        stream.text()
        scores = stream.scores
        if not scores:
            return None
        logits = np.array([scores[label] for label in self._labels], np.float32)
        highest = float(logits.max())
        return logits - (highest + math.log(float(np.exp(logits - highest).sum())))

    def answers(self, asked: str, statement: str, priority: Priority) -> float | None:
        """How much likelier it is that what was told answers what is asked than not: the logarithm
        of the odds as the model gives them. None where it was stopped."""
        examples = ((_both(said, question), answer) for said, question, answer in _WHETHER)
        request = GenerateRequest(
            ANSWERS,
            (*_shown(_SAY_WHETHER, examples), Message("user", _both(statement, asked))),
            Sampling(temperature=0, max_tokens=1),
            priority,
            labels=(YES, NO),
        )
        stream = self._submit(request)
        stream.text()
        scores = stream.scores
        return scores[YES] - scores[NO] if scores else None


def _both(statement: str, asked: str) -> str:
    return f"Told: {_flat(statement)}\nAsked: {_flat(asked)}"


def _shown(system: str, examples: Iterable[tuple[str, str]]) -> tuple[Message, ...]:
    messages = [Message("system", system)]
    for said, written in examples:
        messages += [Message("user", said), Message("assistant", written)]
    return tuple(messages)


def _user(text: str) -> Message:
    return Message("user", _flat(text))


def _flat(text: str) -> str:
    return " ".join(text[:LONGEST].split())
