"""Which tokens are in the KV cache, and how a new prompt uses as many of them as it can.

A conversation's state is in one of three places. The one at work holds a slot of the cache. Others are parked
in main memory, because attention reads every used cell of a unified cache: beside a conversation of 3,072
tokens SmolLM2 decodes 9 % slower, while saving such a one takes 75 ms and restoring it 40 ms, where computing
it again takes 10 s. The stable beginnings of prompts are saved on disk, so that the first message after a
start need not compute them.
"""

from __future__ import annotations

import hashlib
import threading
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from io import BufferedReader
from pathlib import Path

import structlog

from desktop.engine.inference import Context, Decoded
from desktop.paths import open_regular, write_atomically

log = structlog.get_logger(__name__)

WORTH_KEEPING = 64  # tokens: fewer are computed again sooner than they are saved
WORTH_RESTORING = 32
MAGIC = b"steward prefix 1\n"
CHECKSUM_BYTES = 32
# A prompt is compared with each of them, and more of them rest only where their states are tiny. Nobody comes
# back to so many chats.
MOST_PARKED = 64
FILES_KEPT = 16  # the beginnings of as many prompts; ten are in use where a workspace has tables
BYTES_KEPT = 512 * 1024 * 1024
SUFFIX = ".prefix"


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
class Parked:
    """The state of a sequence that held `tokens`: signed, 4 bytes each, a tenth of what a tuple takes."""

    conversation: str
    tokens: array[int]
    state: bytes

    @property
    def size_bytes(self) -> int:
        return len(self.state) + len(self.tokens) * self.tokens.itemsize


@dataclass(frozen=True)
class SavedPrefix:
    """A state from disk that holds `tokens`."""

    tokens: tuple[int, ...]
    state: bytes


class _SourceKind(IntEnum):
    """Where a common beginning was found; between equals the larger is cheaper."""

    PARKED = 0
    SAVED = 1
    BUSY = 2
    IDLE = 3
    OWN = 4


@dataclass(frozen=True)
class _Source:
    reuse: int
    kind: _SourceKind
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
        # Before this one computes: each cell in use costs time at every token.
        if park_others:
            self._park_idle()
        return slot

    def extend(
        self, slot: Slot, tokens: Sequence[int], every_row: bool = False, is_draft: bool = False
    ) -> Decoded:
        """Compute `tokens` at the end of `slot`, with the logits after the last or after each of them. After
        anything but DONE the slot holds what it held, or nothing where the model cannot go back.
        """
        while True:
            result = self.context.decode(tokens, len(slot.tokens), slot.number, every_row)
            if result is Decoded.DONE:
                slot.tokens.extend(tokens)
                self._touch(slot)
                return result
            # Part of the batch may be in the cache already.
            self._cut(slot, len(slot.tokens))
            # Nobody loses cells for a draft: they may not even be needed.
            if result is Decoded.INTERRUPTED or is_draft or not self._make_room(slot):
                return result

    def shorten(self, slot: Slot, tokens: int) -> None:
        """Forget the last so many: a draft that the answer did not follow."""
        if tokens:
            self._cut(slot, len(slot.tokens) - tokens)

    def release(self, slot: Slot) -> None:
        """The generation is over; its tokens stay for the next."""
        if not slot.lost:
            slot.busy = False

    def save(self, slot: Slot) -> bytes:
        """The state of all that `slot` holds."""
        return self.context.save(slot.number)

    def close(self) -> None:
        """Free the context and all states. These at once, not when the collector comes by: a generation that
        has ended is in a circle with its cache, and 20 MB for each conversation stayed with it."""
        self._parking.clear()
        self.context.close()

    def _touch(self, slot: Slot) -> None:
        self._clock += 1
        slot.used_at = self._clock

    def _best_source(
        self, conversation: str, prompt: Sequence[int], saved: Callable[[int], SavedPrefix | None]
    ) -> _Source:
        sources = [*self._slot_sources(conversation, prompt), *self._parked_sources(prompt)]
        best = max(
            sources, key=lambda source: (source.reuse, source.kind), default=_Source(0, _SourceKind.PARKED)
        )
        found = saved(best.reuse)
        if found is not None and self._reusable(found.tokens, prompt) > best.reuse:
            return _Source(self._reusable(found.tokens, prompt), _SourceKind.SAVED, saved=found)
        return best

    def _slot_sources(self, conversation: str, prompt: Sequence[int]) -> list[_Source]:
        sources = []
        for slot in self._slots:
            own = slot.conversation == conversation and not slot.busy
            kind = _SourceKind.OWN if own else _SourceKind.BUSY if slot.busy else _SourceKind.IDLE
            reuse = self._reusable(slot.tokens, prompt)
            if reuse and not (kind is _SourceKind.BUSY and self._whole_only):
                sources.append(_Source(reuse, kind, slot=slot))
        return sources

    def _parked_sources(self, prompt: Sequence[int]) -> list[_Source]:
        found = ((parked, self._reusable(parked.tokens, prompt)) for parked in self._parking)
        return [_Source(n, _SourceKind.PARKED, parked=parked) for parked, n in found if n >= WORTH_RESTORING]

    def _reusable(self, held: Sequence[int], prompt: Sequence[int]) -> int:
        common = common_length(held, prompt)
        if self._whole_only:
            # A recurrent state cannot be cut: all of it has to be a beginning of the prompt.
            return common if common == len(held) < len(prompt) else 0
        # The last token is always computed: from it come the logits of the next one.
        return min(common, len(prompt) - 1)

    def _prepare(self, source: _Source, conversation: str) -> Slot:
        if source.slot is not None and source.kind is not _SourceKind.BUSY:
            # What this prompt does not share may still be worth something to its own conversation.
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
            self._parking.put(Parked(slot.conversation, array("i", slot.tokens), state))

    def _make_room(self, wanting: Slot) -> bool:
        """Take another slot's cells: first an idle one's, then those of a generation that waits."""
        others = [slot for slot in self._slots if slot is not wanting and slot.tokens]
        if not others:
            return False
        # A generation that waits is the last to go: it has to read its prompt again.
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
    # Whole first: tuples are compared in C, and most prompts only grow.
    size = min(len(left), len(right))
    if tuple(left[:size]) == tuple(right[:size]):
        return size
    for index in range(size):
        if left[index] != right[index]:
            return index
    return size


class Parking:
    """The latest conversations that fit into `capacity_bytes`, `MOST_PARKED` at most. Engine thread."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity_bytes = capacity_bytes
        self._parked: dict[str, Parked] = {}  # oldest first

    def __iter__(self) -> Iterator[Parked]:
        return iter(tuple(self._parked.values()))

    @property
    def size_bytes(self) -> int:
        return sum(parked.size_bytes for parked in self._parked.values())

    def put(self, parked: Parked) -> None:
        """Keep `parked` in place of what its conversation had here; the oldest make room."""
        self._parked.pop(parked.conversation, None)
        self._parked[parked.conversation] = parked
        while len(self._parked) > MOST_PARKED or self.size_bytes > self._capacity_bytes:
            del self._parked[next(iter(self._parked))]

    def remove(self, conversation: str) -> None:
        """Forget a conversation, if it is here."""
        self._parked.pop(conversation, None)

    def clear(self) -> None:
        self._parked.clear()


class PrefixStore:
    """The saved prefixes of one model, a file each. Engine thread; they are written on a thread of their own.

    A file holds a header that names exactly what it is good for (model, build, tokens), the state, and a
    checksum over both. One that is truncated, foreign or of another build is deleted with a line in the log.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        """`identity` names everything but the tokens that a state depends on: file, build, KV type."""
        self._folder = folder
        self._identity = identity.encode()
        self._under_way: set[str] = set()
        self._writers: list[threading.Thread] = []

    def has(self, tokens: Sequence[int]) -> bool:
        """Whether a state for just these tokens is there or on its way."""
        name = self._name(tokens)
        return name in self._under_way or (self._folder / name).exists()

    def read(self, tokens: Sequence[int]) -> SavedPrefix | None:
        """The state for just these tokens, checked; None if there is none that can be used."""
        path = self._folder / self._name(tokens)
        try:
            with BufferedReader(open_regular(path)) as file:
                raw = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("saved prefix could not be read", path=str(path), reason=str(error))
            return None
        state = self._checked(raw, tokens)
        if state is None:
            log.warning("saved prefix is damaged and was deleted", path=str(path), size_bytes=len(raw))
            path.unlink(missing_ok=True)
            return None
        return SavedPrefix(tuple(tokens), state)

    def write(self, tokens: Sequence[int], state: bytes) -> None:
        """Save in the background; a disk that is full costs only the time it would have saved."""
        name = self._name(tokens)
        self._under_way.add(name)
        content = self._header(tokens) + state
        # On a thread of its own: a slow disk would hold up the first answer.
        writer = threading.Thread(target=self._write, args=(name, content), name="prefix-writer")
        self._writers = [thread for thread in self._writers if thread.is_alive()] + [writer]
        writer.start()

    def close(self) -> None:
        """Wait for what is being written."""
        for writer in self._writers:
            # A file that is being written when the program ends would be thrown away at the next start.
            writer.join()

    def _write(self, name: str, content: bytes) -> None:
        try:
            write_atomically(self._folder / name, content + _checksum(content))
            _forget_old(self._folder)
        except OSError as error:
            log.warning("prefix could not be saved", reason=str(error), size_bytes=len(content))
        finally:
            # From here on the file tells: it may be one of the old ones some day, and go.
            self._under_way.discard(name)

    def _checked(self, raw: bytes, tokens: Sequence[int]) -> bytes | None:
        content, checksum = raw[:-CHECKSUM_BYTES], raw[-CHECKSUM_BYTES:]
        header = self._header(tokens)
        if not content.startswith(header) or checksum != _checksum(content):
            return None
        return content[len(header) :]

    def _header(self, tokens: Sequence[int]) -> bytes:
        body = array("i", tokens).tobytes()
        return MAGIC + b"%d %d\n" % (len(self._identity), len(tokens)) + self._identity + body

    def _name(self, tokens: Sequence[int]) -> str:
        return hashlib.blake2b(self._header(tokens), digest_size=16).hexdigest() + SUFFIX


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).digest()


def _forget_old(folder: Path) -> None:
    """Keep the latest files, within bounds of number and bytes."""
    files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for count, path in enumerate(files, start=1):
        total += path.stat().st_size
        if count > FILES_KEPT or (total > BYTES_KEPT and count > 1):
            log.info(
                "old saved prefix deleted", path=str(path), age_s=round(time.time() - path.stat().st_mtime)
            )
            path.unlink(missing_ok=True)
