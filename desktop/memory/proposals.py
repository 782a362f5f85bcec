"""Notes that a model proposes on idle, and what is thrown away of them.

Only what the user typed goes in: no answer, no page, no prompt, nothing recalled. What comes out is kept as a
suggestion, which nobody recalls before the user's yes, and only where its quote stands in the source letter
by letter and every name and number of the note stands there too: small models invent people.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from desktop.engine.requests import GenerateRequest, Message, Priority, Sampling, Stream
from desktop.errors import Cancelled, UserFacing
from desktop.memory.item import Item, MemoryKind, MemorySource, MemoryStatus, NewItem
from desktop.memory.store import EVERYWHERE, MemoryStore
from desktop.memory.text import Likeness

log = structlog.get_logger(__name__)

MOST = 3
LONGEST_SOURCE = 3000  # characters: some 800 tokens
LONGEST = 200
SHORTEST_QUOTE = 8
CONVERSATION = "memory proposals"

# As JSON with at most three notes; llama.cpp's grammar notation.
GRAMMAR = r"""
root ::= "{\"notes\":[" (note ("," note){0,2})? "]}"
note ::= "{\"text\":" string ",\"quote\":" string "}"
string ::= "\"" [^"\\\x00-\x1f]{1,200} "\""
"""

_NAMES = re.compile(r"\b[A-ZÄÖÜ][\w'’-]+|\b\d[\d.,:/-]*")
_SPACES = re.compile(r"\s+")


class Engine(Protocol):
    """What of the engine is used here."""

    def submit(self, request: GenerateRequest) -> Stream: ...


@dataclass(frozen=True)
class Proposal:
    """A note and the user's words that it rests on."""

    text: str
    quote: str


class Proposer:
    """`propose` blocks for as long as the model writes: never on the main, server or engine thread."""

    def __init__(self, engine: Engine, store: MemoryStore, prompt: str) -> None:
        """`prompt` is `resources/memory/propose.txt`."""
        self._engine = engine
        self._store = store
        self._prompt = prompt

    def propose(self, turns: Sequence[Item], timeout_s: float = 120.0) -> tuple[Item, ...]:
        """Suggestions from what the user typed among `turns`; none is the usual outcome.

        Without a model, and where another request goes first for too long, there are none either.
        """
        mine = [
            turn for turn in turns if turn.source is MemorySource.USER and turn.kind is MemoryKind.EPISODE
        ]
        source = "\n".join(turn.text for turn in mine)[-LONGEST_SOURCE:]
        if not source:
            return ()
        try:
            answer = self._engine.submit(self._request(source)).text(timeout_s)
        except (UserFacing, Cancelled, TimeoutError) as error:
            log.info("no notes were proposed", reason=str(error))
            return ()
        latest = mine[-1]
        return tuple(self._suggest(each, latest) for each in self._new(sound(answer, source)))

    def _request(self, source: str) -> GenerateRequest:
        messages = (Message("system", self._prompt), Message("user", source))
        return GenerateRequest(
            CONVERSATION,
            messages,
            Sampling(temperature=0, max_tokens=400),
            Priority.BACKGROUND,
            grammar=GRAMMAR,
        )

    def _new(self, proposals: Sequence[Proposal]) -> Iterator[Proposal]:
        """The proposals that no note says already, kept, suggested or replaced."""
        # Also what was replaced since: it must not come back as a suggestion.
        notes = self._store.latest(EVERYWHERE, (MemoryKind.NOTE,), limit=500)
        known = [Likeness(note.text) for note in notes]
        for proposal in proposals:
            likeness = Likeness(proposal.text)
            if not any(likeness.is_like(other) for other in known):
                # A model likes to propose the same twice in one answer.
                known.append(likeness)
                yield proposal

    def _suggest(self, proposal: Proposal, turn: Item) -> Item:
        note = NewItem(
            proposal.text,
            turn.layer,
            turn.scope,
            source=MemorySource.MODEL,
            status=MemoryStatus.SUGGESTED,
            origin=f"“{proposal.quote}”",
            at=turn.at,
        )
        return self._store.add(note)


def sound(answer: str, source: str) -> tuple[Proposal, ...]:
    """What of a model's answer rests on the source; an answer that is no JSON has nothing."""
    try:
        notes = json.loads(answer)["notes"]
        proposals = [Proposal(str(note["text"]).strip(), str(note["quote"]).strip()) for note in notes]
    except (ValueError, KeyError, TypeError):
        return ()
    return tuple(each for each in proposals[:MOST] if _rests_on(each, source))


def _rests_on(proposal: Proposal, source: str) -> bool:
    whole, quote = _SPACES.sub(" ", source), _SPACES.sub(" ", proposal.quote)
    if not proposal.text or len(proposal.text) > LONGEST or len(quote) < SHORTEST_QUOTE or quote not in whole:
        return False
    # The first word is capitalised anyway, so that makes it no name.
    first, folded = proposal.text.split()[0], whole.casefold()
    named = [name for name in _NAMES.findall(proposal.text) if name != first or name[0].isdigit()]
    return all(name.casefold().rstrip(".,:'’s") in folded for name in named)
