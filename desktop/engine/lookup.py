"""Prompt lookup: tokens that an answer will probably repeat from its context are computed together.

Where an answer rewrites a text, quotes a file or fills a call with what was said, its last few tokens mostly
stand in the context already, and what followed them there follows again. Three such tokens are put behind the
token that has to be computed anyway, and the sampler chooses at each of the four places as it always does: as
long as it agrees with the draft, a token was had for a part of its price. No other model is needed, and every
sampler and grammar keeps its say. Three, because llama.cpp's kernels work on rows of four: four tokens can
cost less than two. How much that is differs by computer, 1.6 to 2.7 times one token (docs/benchmarks.md), so
it is measured on the answers.

It is right for every sampler, but not bit for bit: a batch of four rounds differently from one token.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

DRAFT_TOKENS = 3
LONGEST_GRAM, SHORTEST_GRAM = 4, 3  # tokens that have to agree before a draft is believed
EXPECTED_KEPT = 1.5  # of a draft's tokens, before any was tried
MEMORY = 0.8  # how much of that is kept when the next draft has been tried
REST_TOKENS = 24  # after drafts that did not pay: text that repeats its context may still come

EXPECTED_COST = 1.6  # of a decode of four tokens, measured against one token
MOST_COST = 2.5  # where four tokens cost more, hardly any text would pay
LATEST = 16  # decodes of each kind that the cost is taken from
ENOUGH = 4  # before: the first of a shape builds its graph and is slow


class PromptLookup:
    """The drafts of one answer. Engine thread."""

    def __init__(self) -> None:
        # By the tokens of a gram, where what followed it begins; of several places the last one counts.
        self._places: dict[tuple[int, ...], int] = {}
        self._indexed = 0
        self._kept = EXPECTED_KEPT
        self._rest_until = 0

    def draft(self, tokens: Sequence[int], cost: float) -> tuple[int, ...]:
        """What probably follows `tokens`: three tokens, or none. `cost` is what four tokens cost in decodes
        of one.
        """
        if len(tokens) < self._rest_until or cost > MOST_COST:
            return ()
        self._index(tokens)
        for size in range(LONGEST_GRAM, SHORTEST_GRAM - 1, -1):
            place = self._places.get(tuple(tokens[-size:]))
            if place is not None:
                return tuple(tokens[place : place + DRAFT_TOKENS])
        return ()

    def tried(self, kept: int, length: int, cost: float) -> None:
        """Of the latest draft the sampler kept so many tokens; the answer has `length` tokens now."""
        self._kept = MEMORY * self._kept + (1 - MEMORY) * kept
        # One token comes of every decode; the draft's have to make up for the rest of the cost.
        if 1 + self._kept < cost:
            self._rest_until = length + REST_TOKENS
            # Hopeful enough for one more try, and no more than one if that fails too.
            self._kept = cost - 1

    def _index(self, tokens: Sequence[int]) -> None:
        """Add what is new. Only grams that three tokens follow: so a draft is never shorter, and the end of
        the text never finds itself.
        """
        end = len(tokens) - DRAFT_TOKENS
        for place in range(max(self._indexed + 1, SHORTEST_GRAM), end + 1):
            for size in range(SHORTEST_GRAM, LONGEST_GRAM + 1):
                if place >= size:
                    self._places[tuple(tokens[place - size : place])] = place
        self._indexed = max(end, self._indexed)


class DecodeCost:
    """What a decode of four tokens costs in decodes of one, on this computer with this model: measured on the
    answers themselves, since it differs by back end and threads. Engine thread.
    """

    def __init__(self) -> None:
        # The least of the latest: whatever else the computer does only ever adds to a time.
        self._one: deque[float] = deque(maxlen=LATEST)
        self._four: deque[float] = deque(maxlen=LATEST)

    def measured(self, seconds: float, with_draft: bool) -> None:
        (self._four if with_draft else self._one).append(seconds)

    @property
    def ratio(self) -> float:
        if min(len(self._one), len(self._four)) < ENOUGH:
            return EXPECTED_COST
        return min(self._four) / min(self._one)
