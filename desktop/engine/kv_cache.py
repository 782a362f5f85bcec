"""Which tokens are in the KV cache, and how a new prompt uses as many of them as it can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

import structlog

from desktop.engine.backend import Context, Decoded
from desktop.engine.parking import Parked, Parking

log = structlog.get_logger(__name__)

WORTH_KEEPING = 64  # tokens: fewer are computed again sooner than they are saved
WORTH_RESTORING = 32


@dataclass(eq=False)
class Slot:
    """One sequence of the context and the tokens that it holds."""

    number: int
    tokens: list[int] = field(default_factory=list)
    conversation: str = ""
    used_at: int = 0
    busy: bool = False  # a generation is using it
    lost: bool = False  # taken from its generation, which must open another


@dataclass(frozen=True)
class SavedPrefix:
    """A state from disk that holds `tokens`."""

    tokens: tuple[int, ...]
    state: bytes


class _Kind(IntEnum):
    """Where a common beginning was found; between equals the larger is cheaper."""

    PARKED = 0
    SAVED = 1
    BUSY = 2
    IDLE = 3
    OWN = 4


@dataclass(frozen=True)
class _Source:
    reuse: int
    kind: _Kind
    slot: Slot | None = None
    parked: Parked | None = None
    saved: SavedPrefix | None = None


class KvCache:
    """The sequences of one context. Engine thread."""

    def __init__(self, context: Context, sequences: int, parking: Parking, whole_only: bool) -> None:
        """`whole_only`: the model's state has no parts (recurrent models), it is used whole or not at all."""
        self.context = context
        self._slots = [Slot(number) for number in range(sequences)]
        self._parking = parking
        self._whole_only = whole_only
        self._clock = 0

    @property
    def used_tokens(self) -> int:
        """Tokens in all sequences; shared ones count in each."""
        return sum(len(slot.tokens) for slot in self._slots)

    def open(
        self,
        conversation: str,
        prompt: Sequence[int],
        saved: Callable[[int], SavedPrefix | None],
        park_others: bool,
    ) -> Slot:
        """A slot for `conversation` that already holds as much of `prompt` as is known, but not all of it:
        the last token is left to compute. `saved(n)` looks on disk for a prefix longer than n tokens.
        """
        source = self._best_source(conversation, prompt, saved)
        slot = self._prepare(source, conversation)
        slot.conversation, slot.busy, slot.lost = conversation, True, False
        self._touch(slot)
        if park_others:
            self._park_idle()
        return slot

    def extend(self, slot: Slot, tokens: Sequence[int]) -> Decoded:
        """Compute `tokens` at the end of `slot`. After anything but DONE the slot holds what it held, or
        nothing where the model cannot go back.
        """
        while True:
            result = self.context.decode(tokens, len(slot.tokens), slot.number)
            if result is Decoded.DONE:
                slot.tokens.extend(tokens)
                self._touch(slot)
                return result
            self._cut(slot, len(slot.tokens))
            if result is Decoded.INTERRUPTED or not self._make_room(slot):
                return result

    def release(self, slot: Slot) -> None:
        """The generation is over; its tokens stay for the next."""
        if not slot.lost:
            slot.busy = False

    def save(self, slot: Slot) -> bytes:
        """The state of all that `slot` holds."""
        return self.context.save(slot.number)

    def _touch(self, slot: Slot) -> None:
        self._clock += 1
        slot.used_at = self._clock

    def _best_source(
        self, conversation: str, prompt: Sequence[int], saved: Callable[[int], SavedPrefix | None]
    ) -> _Source:
        sources = [*self._slot_sources(conversation, prompt), *self._parked_sources(prompt)]
        best = max(sources, key=lambda source: (source.reuse, source.kind), default=_Source(0, _Kind.PARKED))
        found = saved(best.reuse)
        if found is not None and self._reusable(found.tokens, prompt) > best.reuse:
            return _Source(self._reusable(found.tokens, prompt), _Kind.SAVED, saved=found)
        return best

    def _slot_sources(self, conversation: str, prompt: Sequence[int]) -> list[_Source]:
        sources = []
        for slot in self._slots:
            own = slot.conversation == conversation and not slot.busy
            kind = _Kind.OWN if own else _Kind.BUSY if slot.busy else _Kind.IDLE
            reuse = self._reusable(slot.tokens, prompt)
            if reuse and not (kind is _Kind.BUSY and self._whole_only):
                sources.append(_Source(reuse, kind, slot=slot))
        return sources

    def _parked_sources(self, prompt: Sequence[int]) -> list[_Source]:
        found = ((parked, self._reusable(parked.tokens, prompt)) for parked in self._parking)
        return [_Source(n, _Kind.PARKED, parked=parked) for parked, n in found if n >= WORTH_RESTORING]

    def _reusable(self, held: Sequence[int], prompt: Sequence[int]) -> int:
        common = common_length(held, prompt)
        if self._whole_only:
            return common if common == len(held) < len(prompt) else 0
        return min(common, len(prompt) - 1)

    def _prepare(self, source: _Source, conversation: str) -> Slot:
        if source.slot is not None and source.kind is not _Kind.BUSY:
            if source.slot.conversation != conversation and len(source.slot.tokens) > source.reuse:
                self._park(source.slot)
            self._cut(source.slot, source.reuse)
            return source.slot
        slot = self._empty_slot(conversation)
        if source.slot is not None:
            if self.context.copy(source.slot.number, slot.number, source.reuse):
                slot.tokens = source.slot.tokens[: source.reuse]
        elif source.parked is not None:
            self._restore(slot, source.parked.tokens, source.parked.state, source.reuse)
            if source.parked.conversation == conversation:
                self._parking.remove(conversation)
        elif source.saved is not None:
            self._restore(slot, source.saved.tokens, source.saved.state, source.reuse)
        return slot

    def _restore(self, slot: Slot, tokens: Sequence[int], state: bytes, reuse: int) -> None:
        if not self.context.restore(slot.number, state) and not (
            self._make_room(slot) and self.context.restore(slot.number, state)
        ):
            log.info("saved state does not fit", tokens=len(tokens), size_bytes=len(state))
            return
        slot.tokens = list(tokens)
        self._cut(slot, reuse)

    def _empty_slot(self, conversation: str) -> Slot:
        """The conversation's own slot, or a free one, or that used longest ago; emptied."""
        idle = [slot for slot in self._slots if not slot.busy]
        assert idle, "more generations at work than sequences"
        own = [slot for slot in idle if slot.conversation == conversation]
        slot = own[0] if own else min(idle, key=lambda slot: (len(slot.tokens) > 0, slot.used_at))
        if not own:
            self._park(slot)
        self._cut(slot, 0)
        return slot

    def _park_idle(self) -> None:
        for slot in self._slots:
            if not slot.busy and slot.tokens:
                self._park(slot)
                self._cut(slot, 0)

    def _park(self, slot: Slot) -> None:
        if len(slot.tokens) >= WORTH_KEEPING:
            state = self.context.save(slot.number)
            self._parking.put(Parked(slot.conversation, tuple(slot.tokens), state))

    def _make_room(self, wanting: Slot) -> bool:
        """Take another slot's cells: first an idle one's, then those of a generation that waits."""
        others = [slot for slot in self._slots if slot is not wanting and slot.tokens]
        if not others:
            return False
        victim = min(others, key=lambda slot: (slot.busy, slot.used_at))
        self._park(victim)
        self._cut(victim, 0)
        if victim.busy:
            victim.busy, victim.lost = False, True
        log.info("made room in the KV cache", conversation=victim.conversation, lost=victim.lost)
        return True

    def _cut(self, slot: Slot, length: int) -> None:
        if self.context.cut(slot.number, length):
            del slot.tokens[length:]
        else:
            slot.tokens.clear()


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """How many tokens two sequences begin with in common."""
    size = min(len(left), len(right))
    if tuple(left[:size]) == tuple(right[:size]):
        return size
    for index in range(size):
        if left[index] != right[index]:
            return index
    return size
