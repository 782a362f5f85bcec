"""A model's proposals: only from the user's words, only with a literal quote, and nobody's memory before a
yes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop.engine.engine import Engine, start_thread
from desktop.engine.llama import LlamaBackend
from desktop.engine.requests import FinishReason, GenerateRequest, Metrics, Priority, Stream
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.item import Item, MemorySource, MemoryStatus
from desktop.memory.memory import Memory
from desktop.memory.proposals import MOST, Proposer, sound
from desktop.models.gguf import read_facts
from desktop.models.library import InstalledModel
from desktop.paths import Paths, resources
from desktop.settings import ModelSettings
from tests.fakes.failures import failure

PROMPT = (resources() / "memory" / "propose.txt").read_text(encoding="utf-8")
SAID = "I am vegetarian, by the way.\nMy sister Anna   moved to Ghent in 2024."


class Scripted:
    """Answers what it is told to, and keeps what it was asked."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[GenerateRequest] = []

    def submit(self, request: GenerateRequest) -> Stream:
        self.asked.append(request)
        stream = Stream(lambda: None)
        if isinstance(self.answer, Exception):
            stream.fail(self.answer, Metrics())
        else:
            stream.put(self.answer)
            stream.end(FinishReason.STOP, Metrics())
        return stream


def answer(*notes: tuple[str, str]) -> str:
    return json.dumps({"notes": [{"text": text, "quote": quote} for text, quote in notes]})


def turns(memory: Memory, *texts: tuple[str, MemorySource]) -> list[Item]:
    return [memory.store.get(memory.record("1", "x", text, source)[0]) for text, source in texts]


@pytest.mark.parametrize(
    ("text", "quote", "is_sound"),
    [
        ("The user is vegetarian", "I am vegetarian", True),
        ("Anna moved to Ghent in 2024", "My sister Anna moved to Ghent in 2024", True),
        ("The user is vegan", "I am vegan now", False),  # no such words
        ("The user's brother Tom is vegetarian", "I am vegetarian", False),  # Tom was invented
        ("Anna moved in 2023", "Anna moved to Ghent", False),  # the year was invented
        ("The user is vegetarian", "I", False),  # a quote that says nothing
        ("", "I am vegetarian", False),
        ("x" * 300, "I am vegetarian", False),
    ],
)
def test_a_note_has_to_rest_on_the_users_words(text: str, quote: str, is_sound: bool) -> None:
    """The quote letter by letter, and each name and number."""
    assert bool(sound(answer((text, quote)), SAID)) is is_sound


@pytest.mark.parametrize("text", ["", "no JSON", "[]", '{"notes": 3}', '{"notes": [{"text": "a"}]}', "null"])
def test_what_is_no_answer_has_no_notes(text: str) -> None:
    """A model that talks instead proposes nothing."""
    assert sound(text, SAID) == ()


def test_a_proposal_waits_for_the_users_yes(memory: Memory) -> None:
    """It is stored with its quote, found by nobody, and recalled once accepted; it is never the user's own
    word.
    """
    said = turns(memory, (SAID, MemorySource.USER))
    engine = Scripted(answer(("The user is vegetarian", "I am vegetarian")))
    (item,) = Proposer(engine, memory.store, PROMPT).propose(said)
    assert (item.status, item.source, item.origin) == (
        MemoryStatus.SUGGESTED,
        MemorySource.MODEL,
        "“I am vegetarian”",
    )
    hits = memory.search.hits(memory.search.question("the user is vegetarian"))
    assert item.id not in [hit.item.id for hit in hits]
    memory.store.set_status(item.id, MemoryStatus.KEPT)
    with pytest.raises(UserFacing, match="yourself"):
        memory.store.set_status(item.id, MemoryStatus.PINNED)
    assert engine.asked[0].priority is Priority.BACKGROUND


def test_only_what_the_user_typed_is_read(memory: Memory) -> None:
    """No answer, no page; where the user typed nothing, no model is asked."""
    said = turns(
        memory,
        ("secret of a page", MemorySource.WEB),
        ("I am vegetarian", MemorySource.USER),
        ("Noted.", MemorySource.MODEL),
    )
    engine = Scripted(answer())
    proposer = Proposer(engine, memory.store, PROMPT)
    assert proposer.propose(said) == ()
    assert [message.content for message in engine.asked[0].messages] == [PROMPT, "I am vegetarian"]
    assert proposer.propose(said[:1]) == ()
    assert len(engine.asked) == 1


def test_the_same_is_not_proposed_twice(memory: Memory) -> None:
    """Nor what a note says already; and never more than three at once."""
    said = turns(memory, (SAID, MemorySource.USER))
    engine = Scripted(answer(("The user is vegetarian", "I am vegetarian")))
    proposer = Proposer(engine, memory.store, PROMPT)
    assert len(proposer.propose(said)) == 1
    assert proposer.propose(said) == ()
    assert len(sound(answer(*[("The user is vegetarian", "I am vegetarian")] * 9), SAID)) == MOST


def test_without_a_model_nothing_is_proposed(memory: Memory) -> None:
    """And nothing breaks."""
    engine = Scripted(failure("No model is loaded.", "", "Load one."))
    assert Proposer(engine, memory.store, PROMPT).propose(turns(memory, (SAID, MemorySource.USER))) == ()


@pytest.mark.model
def test_a_real_model_writes_by_the_grammar(memory: Memory, smollm2: Path, paths: Paths) -> None:
    """Its answer is the JSON that was asked for; whatever it says, each suggestion rests on the user's
    words.
    """
    facts = read_facts(smollm2)
    model = InstalledModel(
        "smollm2", "SmolLM2", smollm2, facts.size_bytes, None, facts, True, "2026-01-01T00:00:00Z"
    )
    engine = Engine(paths, Bus(), lambda: ModelSettings(context_tokens=2048, threads=1), LlamaBackend())
    thread = start_thread(engine)
    try:
        engine.use(model)
        heard = Overheard(engine)
        made = Proposer(heard, memory.store, PROMPT).propose(turns(memory, (SAID, MemorySource.USER)))
        assert len(json.loads(heard.answer)["notes"]) <= MOST
        assert all(" ".join(item.origin.strip("“”").split()) in " ".join(SAID.split()) for item in made)
    finally:
        engine.close()
        thread.join(20)


class Overheard:
    """The engine, and what it answered."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.answer = ""

    def submit(self, request: GenerateRequest) -> Stream:
        self.answer = self._engine.submit(request).text(100)
        return Scripted(self.answer).submit(request)
