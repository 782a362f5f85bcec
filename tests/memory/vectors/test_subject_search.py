"""Search by what the model says that texts are about: when it is asked, what is kept, what is told."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from desktop.database import Database
from desktop.engine.requests import GenerateRequest, Priority, Stream
from desktop.memory.context import Assembler
from desktop.memory.item import Layer, MemoryKind, MemorySource, NewItem
from desktop.memory.memory import Memory
from desktop.memory.search import Search
from desktop.memory.store import View
from desktop.memory.vectors.minilm import Array
from desktop.memory.vectors.subject_search import (
    LONGEST_QUESTION,
    NEUTRAL,
    TABLE,
    SubjectMatch,
    SubjectReader,
    SubjectSearch,
    is_answer,
    read_words,
    score,
)
from desktop.memory.vectors.vector_store import VectorWriter
from desktop.paths import resources

WORDS = read_words(resources() / "memory" / "subjects.txt")
ABOUT = {"clocks": "job", "job": "job", "frog": "key", "locked": "key", "parrot": "pet", "bird": "pet"}


class Told(SubjectReader):
    """Knows by single words what a text is about, and takes for an answer what is about the same."""

    def __init__(self) -> None:
        super().__init__(_nobody, WORDS)
        self.read_texts: list[str] = []
        self.weighed: list[tuple[str, str]] = []
        self.is_stopped = False
        self.denied = ""

    def read(self, text: str, priority: Priority) -> Array | None:
        self.read_texts.append(text)
        if self.is_stopped:
            return None
        numbers = np.full(len(WORDS), -8.0, np.float32)
        numbers[WORDS.index(_about(text))] = -0.5
        return numbers

    def answers(self, asked: str, told: str, priority: Priority) -> float | None:
        self.weighed.append((asked, told))
        if self.is_stopped:
            return None
        return 3.0 if _about(asked) == _about(told) and told != self.denied else -3.0


def _about(text: str) -> str:
    return next((subject for word, subject in ABOUT.items() if word in text.casefold()), "weather")


def _nobody(request: GenerateRequest) -> Stream:
    raise AssertionError(request)


@pytest.fixture
def reader() -> Told:
    return Told()


@pytest.fixture
def subjects(memory: Memory, reader: Told) -> SubjectSearch:
    return SubjectSearch(memory.store.database, reader, lambda: "a model")


@pytest.fixture
def writer(memory: Memory, subjects: SubjectSearch) -> VectorWriter:
    return VectorWriter(memory.store.database, subjects, table=TABLE)


@pytest.fixture
def search(memory: Memory, subjects: SubjectSearch) -> Search:
    return Search(memory.store, reader=lambda: subjects)


CLOCKS, FROG = "I mend clocks for a living", "The spare one lives under the frog"


def said(memory: Memory, *texts: str) -> list[int]:
    return [memory.record("chat", "user", text, MemorySource.USER)[0] for text in texts]


def found(search: Search, text: str, asks_model: bool = True) -> list[int]:
    return [hit.item.id for hit in search.hits(search.question(text, asks_model=asks_model)) if hit.is_answer]


def test_an_answer_in_other_words_is_found_and_sure(
    memory: Memory, search: Search, writer: VectorWriter
) -> None:
    """No word is shared; only what was read with the question is taken."""
    clocks, frog = said(memory, CLOCKS, FROG)
    assert writer.write_all() == 2
    assert found(search, "What's my job?") == [clocks]
    assert found(search, "I'm locked out, how do I get in?") == [frog]
    (hit,) = (hit for hit in search.hits(search.question("What's my job?", asks_model=True)) if hit.is_answer)
    assert hit.is_sure


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Who built the Forth Bridge?", "is about the world"),
        ("What's my job? " + "And so on. " * (LONGEST_QUESTION // 10), "is a text"),
    ],
)
def test_the_model_is_not_asked_for_what_memory_does_not_answer(
    memory: Memory, search: Search, writer: VectorWriter, reader: Told, question: str, why: str
) -> None:
    """A question about the world waits for nothing."""
    said(memory, CLOCKS)
    writer.write_all()
    reader.read_texts.clear()
    assert found(search, question) == [], why
    assert reader.read_texts == []


def test_a_name_that_was_told_makes_a_question_ones_own(
    memory: Memory, search: Search, writer: VectorWriter
) -> None:
    (clocks,) = said(memory, "Femi mends clocks")
    writer.write_all()
    assert found(search, "What is the job that Femi has?") == [clocks]


def test_what_was_read_and_answers_something_else_is_not_told(
    memory: Memory, search: Search, writer: VectorWriter, reader: Told
) -> None:
    """It has a word of the question and is about the same."""
    (near,) = said(memory, "My job is fine")
    writer.write_all()
    reader.denied = "My job is fine"
    question = "What does my job pay?"
    assert [hit.item.id for hit in search.hits(search.question(question))] == [near]
    assert search.hits(search.question(question, asks_model=True)) == ()


def test_what_words_found_is_told_only_where_it_answers(
    memory: Memory, subjects: SubjectSearch, writer: VectorWriter, reader: Told
) -> None:
    """A shared word tells nothing where the model reads both and says no; a later word of an answer stays."""
    assembler = Assembler(memory.store, Search(memory.store, reader=lambda: subjects))
    told = partial(assembler.assemble, token_budget=200, view=View.of(), count=len, only_relevant=True)
    (bird,) = said(memory, "My neighbour Carla paints the bird on my garage door")
    assert told("What colour is my garage door?").ids == {bird}, "nothing was read yet"
    said(memory, CLOCKS)
    writer.write_all()
    assert told("What colour is my garage door?").ids == frozenset()
    assert reader.weighed[-1] == (
        "What colour is my garage door?",
        "My neighbour Carla paints the bird on my garage door",
    )
    assert told("Which bird is on my garage door?").ids == {bird}
    reader.is_stopped = True
    assert told("Where is my garage door?").ids == {bird}, "nobody could be asked"


def test_looking_through_memory_by_hand_asks_no_model(
    memory: Memory, search: Search, writer: VectorWriter, reader: Told
) -> None:
    """Each letter typed into the page's field would."""
    said(memory, CLOCKS)
    writer.write_all()
    reader.read_texts.clear()
    assert found(search, "What's my job?", asks_model=False) == []
    assert reader.read_texts == []


def test_only_a_conversation_asks_the_model(
    memory: Memory, reader: Told, writer: VectorWriter, search: Search
) -> None:
    """What is put together for a small model may wait a second for it; a statement asks for nothing."""
    from desktop.memory.context import Assembler

    (clocks,) = said(memory, CLOCKS)
    writer.write_all()
    assembler = Assembler(memory.store, search)
    view = View.of(session="another")
    count = len
    context = assembler.assemble("What's my job?", 400, view, count, only_relevant=True)
    assert context.ids == {clocks}
    reader.read_texts.clear()
    assembler.assemble("My job is a pain.", 400, view, count, only_relevant=True)
    assembler.assemble("What's my job again?", 400, view, count)
    assert reader.read_texts == []


def test_nothing_is_asked_while_nothing_was_read(memory: Memory, search: Search, reader: Told) -> None:
    said(memory, CLOCKS)
    assert found(search, "What's my job?") == []
    assert reader.read_texts == []


def test_what_stands_before_all_texts_is_read_ahead(
    memory: Memory, subjects: SubjectSearch, writer: VectorWriter, reader: Told
) -> None:
    """Else the first question would wait for it: with the first memory, and with each load of the model."""
    subjects.read_ahead()
    assert reader.weighed == []
    said(memory, CLOCKS)
    writer.write_all()
    assert len(reader.weighed) == 1
    subjects.read_ahead()
    assert len(reader.weighed) == 2


def test_what_is_forgotten_leaves_no_numbers(memory: Memory, search: Search, writer: VectorWriter) -> None:
    clocks, frog = said(memory, CLOCKS, FROG)
    writer.write_all()
    assert found(search, "What's my job?") == [clocks]
    memory.forget((clocks,))
    assert _rows(memory.store.database, "memory_subjects") == [frog]
    assert found(search, "What's my job?") == []


def test_changed_words_are_read_anew(memory: Memory, search: Search, writer: VectorWriter) -> None:
    note = memory.store.add(NewItem(CLOCKS))
    writer.write_all()
    memory.store.change(note.id, "The parrot is called Admiral")
    assert writer.write_all() == 1
    assert found(search, "What is my bird called?") == [note.id]
    assert found(search, "What's my job?") == []


def test_only_what_the_user_said_is_read(memory: Memory, writer: VectorWriter) -> None:
    """Answers and pages repeat it, and there are many of them."""
    note = memory.store.add(NewItem(CLOCKS))
    memory.record("chat", "assistant", CLOCKS, MemorySource.MODEL)
    memory.store.add(NewItem(FROG, Layer.USER, "", MemoryKind.EPISODE, MemorySource.WEB))
    assert writer.write_all() == 1
    assert _rows(memory.store.database, "memory_subjects") == [note.id]


def test_another_model_reads_all_anew(memory: Memory, reader: Told) -> None:
    """Numbers of two models do not compare; the neutral ones are kept for each."""
    said(memory, CLOCKS)
    for model in ("one", "two", "two"):
        subjects = SubjectSearch(memory.store.database, reader, partial(str, model))
        VectorWriter(memory.store.database, subjects, table=TABLE).write_all()
    texts = [text for part in NEUTRAL for text in part]
    assert [text for text in reader.read_texts if text in texts] == 2 * texts


def test_a_model_that_is_stopped_costs_no_answer(
    memory: Memory, search: Search, writer: VectorWriter, reader: Told
) -> None:
    """Words find what they find; the next question asks again."""
    clocks, _ = said(memory, CLOCKS, FROG)
    writer.write_all()
    reader.is_stopped = True
    assert found(search, "What's my job?") == []
    assert search.hits(search.question("my clocks", asks_model=True))
    reader.is_stopped = False
    assert found(search, "What's my job?") == [clocks]


def test_the_same_question_is_read_once(
    memory: Memory, search: Search, writer: VectorWriter, reader: Told
) -> None:
    said(memory, CLOCKS)
    writer.write_all()
    reader.read_texts.clear()
    for _ in range(3):
        found(search, "What's my job?")
    assert reader.read_texts == ["What's my job?"]


def test_no_model_is_loaded_for_numbers(memory: Memory, reader: Told) -> None:
    """They are made while one is there anyway; who has chosen none has none made."""
    said(memory, CLOCKS)
    for chosen, is_loaded in (("", True), ("a model", False)):
        subjects = SubjectSearch(
            memory.store.database, reader, partial(str, chosen), partial(bool, is_loaded)
        )
        assert not subjects.is_on
    assert reader.read_texts == []


@pytest.mark.parametrize("likeness", [0.3, 0.5, 0.8])
def test_what_speaks_for_an_answer_counts(likeness: float) -> None:
    """Likeness alone is not enough: what is about the same may answer something else."""
    one = SubjectMatch(1, likeness, 0.1, 2.0)
    less = (replace(one, said_yes=0.0), replace(one, likeness=likeness - 0.1), replace(one, lead=0.0))
    assert all(score(one) > score(each) for each in (*less, replace(one, lacks_value=True)))
    assert not is_answer(replace(one, said_yes=-1.0))


def test_the_words_are_single_and_told_once() -> None:
    """Each is one number; a second one of the same would count it twice."""
    assert len(WORDS) == len(set(WORDS)) > 300
    assert all(word.isalpha() and word.islower() for word in WORDS)


def _rows(database: Database, table: str) -> list[int]:
    statement = f"SELECT item_id FROM {table} ORDER BY item_id"
    return [row["item_id"] for row in database.read(lambda c: c.execute(statement).fetchall())]
