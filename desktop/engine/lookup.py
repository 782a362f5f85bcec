"""Prompt lookup: tokens that an answer will probably repeat from its context are computed together.

Where an answer rewrites a text, quotes a file or fills a call with what was said, its last few tokens mostly
stand in the context already, and what followed them there follows again. Some of that is put behind the token
that has to be computed anyway, and the sampler chooses at each of these places as it always does: as long as
it agrees with the draft, a token was had for a part of its price. No other model is needed, and every sampler
and grammar keeps its say.

How many tokens are drafted is a matter of odds. The longer an answer has followed a place of its context, the
longer it goes on; by how much is learned from the answer itself, token by token, with a draft or without.
What a batch costs is measured, since it differs by computer (docs/measurements.md). Of all sizes the one is
taken that promises the most tokens for its time, and mostly that is one token without a draft.

It is right for every sampler, but not bit for bit: a batch rounds differently from one token.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

# With the token before them whole rows of four, which is what llama.cpp's kernels work on.
DRAFT_SIZES = (3, 7, 11, 15)
SHORTEST_DRAFT = DRAFT_SIZES[0]
GRAM = 3  # tokens that have to agree before a place in the context is believed
LONGEST_COMPARED = 32  # tokens, for that
SETTLED = 16  # tokens in agreement: no better place is looked for
# Behind a difference the text mostly goes on as before: there fewer tokens are enough.
NEAR = 8  # tokens
BESIDE = 1  # tokens: a word was put in, left out or replaced

# How likely the answer is to leave its place after so many tokens in agreement, before anything is known of
# it. Fitted on answers of all kinds (docs/measurements.md); the result hardly moves with either number.
FIRST_ODDS, GROWTH = 0.9, 0.8
TRUST = 2.0  # as if so many departures had been seen that came as often as expected
MEMORY = 0.95  # how much of what was seen is kept with each further token
EXPECTED_COST = {4: 2.1, 8: 4.0, 12: 5.7, 16: 6.3}  # in decodes of one token
LATEST = 16  # decodes of each size that the cost is taken from
ENOUGH = 3  # before: the first of a shape builds its graph and is slow
STALE = 256  # decodes: what was measured before is measured again


class PromptLookup:
    """The drafts of one answer. Engine thread."""

    def __init__(self) -> None:
        # By the tokens of a gram, where what followed it begins; of several places the latest.
        self._places: dict[tuple[int, ...], int] = {}
        self._seen = 0  # tokens that were compared and indexed
        self._place: int | None = None  # in the text, of the token that is expected next
        self._agreed = 0  # tokens before it that agree
        self._left: int | None = None  # where the answer last left a place
        self._departures = self._expected = 0.0

    def draft(self, tokens: Sequence[int], most: int, cost: Callable[[int], float]) -> tuple[int, ...]:
        """What probably follows `tokens`, which only grow from call to call: `most` tokens at most, often
        none. `cost` tells what a decode of so many tokens costs in decodes of one.
        """
        self._follow(tokens)
        if self._place is None:
            return ()
        size = self._best_size(min(most, len(tokens) - self._place), cost)
        return tuple(tokens[self._place : self._place + size])

    def _best_size(self, most: int, cost: Callable[[int], float]) -> int:
        """How many tokens are to be drafted so that the most are had for the time."""
        best, best_rate = 0, 1.0  # without a draft it is a token a decode
        # Each decode gives one token whatever becomes of the draft.
        tokens, odds, leaving = 1.0, 1.0, self._leaving
        for size in range(1, min(most, DRAFT_SIZES[-1]) + 1):
            odds *= 1 - min(leaving * usual_odds(self._agreed + size - 1), 1.0)
            tokens += odds
            if size in DRAFT_SIZES and (rate := tokens / cost(size + 1)) > best_rate:
                best, best_rate = size, rate
        return best

    @property
    def _leaving(self) -> float:
        """How much more often than usual this answer leaves its place."""
        return (TRUST + self._departures) / (TRUST + self._expected)

    def _follow(self, tokens: Sequence[int]) -> None:
        """Compare what came with what was expected, and find the place that most speaks for."""
        for at in range(self._seen, len(tokens)):
            if self._place is not None:
                self._compare(tokens[at], tokens[self._place])
            self._index(tokens, at)
        self._seen = len(tokens)
        if self._agreed < SETTLED:
            self._look(tokens)

    def _compare(self, token: int, expected: int) -> None:
        assert self._place is not None
        self._expected = MEMORY * self._expected + usual_odds(self._agreed)
        self._departures *= MEMORY
        if token == expected:
            self._place += 1
            self._agreed += 1
        else:
            self._departures += 1
            self._left, self._place, self._agreed = self._place, None, 0

    def _index(self, tokens: Sequence[int], at: int) -> None:
        if at >= GRAM:
            self._places[tuple(tokens[at - GRAM : at])] = at

    def _look(self, tokens: Sequence[int]) -> None:
        """Take the place that more agrees with than with the present one, if there is such a place."""
        for place, agreed in (*self._near(tokens), *self._alike(tokens)):
            if agreed > self._agreed:
                self._place, self._agreed = place, agreed

    def _alike(self, tokens: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The latest place that the last tokens stand before, and how many agree."""
        place = self._places.get(tuple(tokens[-GRAM:]))
        if place is not None:
            yield place, agreement(tokens, place)

    def _near(self, tokens: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The guess right behind the latest departure, where fewer tokens have to agree."""
        if self._left is None:
            return
        for place in range(self._left + 1, min(self._left + NEAR, len(tokens) - 1) + 1):
            agreed = agreement(tokens, place)
            if agreed > 1 or (agreed and place <= self._left + 1 + BESIDE):
                yield place, max(agreed, GRAM)


def agreement(tokens: Sequence[int], place: int) -> int:
    """How many tokens before `place` are those at the end of `tokens`."""
    count, most = 0, min(place, LONGEST_COMPARED)
    while count < most and tokens[place - 1 - count] == tokens[-1 - count]:
        count += 1
    return count


def usual_odds(agreed: int) -> float:
    """The odds of a departure after so many tokens in agreement."""
    return float(FIRST_ODDS / agreed**GROWTH)


class DecodeCost:
    """What decodes of several tokens cost in decodes of one, on this computer with this model: measured on
    the answers themselves, since it differs by back end and threads. Engine thread.
    """

    def __init__(self) -> None:
        self._seconds: dict[int, deque[float]] = {}
        self._measured_at: dict[int, int] = {}
        self._decodes = 0

    def measured(self, tokens: int, seconds: float) -> None:
        """A decode of so many tokens took so long."""
        self._decodes += 1
        latest = self._seconds.setdefault(tokens, deque(maxlen=LATEST))
        # Another program may have come or gone since, or the threads be others.
        if self._decodes - self._measured_at.get(tokens, 0) > STALE:
            latest.clear()
        self._measured_at[tokens] = self._decodes
        latest.append(seconds)

    @property
    def token_s(self) -> float:
        """Seconds for one token while nothing else was computed; 0 before it is known."""
        latest = self._known(1)
        return min(latest) if latest else 0.0

    def of(self, tokens: int) -> float:
        """What so many tokens cost; of sizes that were never tried, judged by the nearest that was."""
        one = _usual(self._known(1))
        known = {
            size: max(_usual(self._known(size)) / one, 1.0)
            for size in EXPECTED_COST
            if one and self._known(size)
        }
        if tokens in known or not known:
            return known.get(tokens, EXPECTED_COST[tokens])
        nearest = min(known, key=lambda size: abs(size - tokens))
        # The first token costs one; only what the others add is more here, or less.
        more = (known[nearest] - 1) / (EXPECTED_COST[nearest] - 1)
        return min(max(1 + more * (EXPECTED_COST[tokens] - 1), 1.0), float(tokens))

    def _known(self, tokens: int) -> Sequence[float]:
        """What decodes of so many tokens took; nothing where there are too few, or none of late."""
        latest = self._seconds.get(tokens, ())
        is_stale = self._decodes - self._measured_at.get(tokens, 0) > STALE
        return () if is_stale or len(latest) < ENOUGH else latest


def _usual(seconds: Sequence[float]) -> float:
    """The quickest quarter: what else the computer does only ever adds to a time. Not the very quickest, for
    a short time is spared now and then where a long one never is.
    """
    return sorted(seconds)[len(seconds) // 4] if seconds else 0.0
