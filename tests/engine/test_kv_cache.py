"""The KV cache reuses what it can and never more than it may."""

from __future__ import annotations

import os
import threading
from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.engine import kv_cache
from desktop.engine.inference import ContextShape, Decoded
from desktop.engine.kv_cache import (
    FILES_KEPT,
    MOST_PARKED,
    KvCache,
    Parked,
    Parking,
    PrefixStore,
    SavedPrefix,
    Slot,
    common_length,
)
from tests.fakes.scripted_model import ScriptedBackend, ScriptedContext

CHUNK = 64


def used_tokens(cache: KvCache) -> int:
    """Tokens in all sequences; shared ones count in each."""
    return sum(len(slot.tokens) for slot in cache._slots)


def nothing_saved(longer_than: int) -> SavedPrefix | None:
    return None


def cache_of(
    cells: int = 1024, sequences: int = 4, whole_only: bool = False, parking_bytes: int = 100_000
) -> tuple[KvCache, ScriptedContext]:
    backend = ScriptedBackend(whole_only=whole_only)
    for number in range(2000):
        backend.vocabulary.id(f"t{number}")
    context = ScriptedContext(backend, ContextShape(cells, sequences, CHUNK, 1, 1))
    return KvCache(context, sequences, Parking(parking_bytes), whole_only), context


def run(cache: KvCache, conversation: str, tokens: Sequence[int], park: bool = True) -> tuple[int, Slot]:
    """Compute a prompt as a generation does; how many tokens were reused."""
    slot = cache.open(conversation, tokens, nothing_saved, park)
    reused = len(slot.tokens)
    while len(slot.tokens) < len(tokens):
        pending = list(tokens)[len(slot.tokens) :][:CHUNK]
        assert cache.extend(slot, pending) is Decoded.DONE
    return reused, slot


def held(context: ScriptedContext, slot: Slot) -> list[int]:
    return [token for _, token in context._sequences[slot.number]]


PROMPTS = st.lists(
    st.tuples(
        st.sampled_from("abcdef"), st.lists(st.integers(4, 7), min_size=1, max_size=150), st.booleans()
    ),
    max_size=12,
)


@settings(deadline=None)
@given(PROMPTS, st.booleans(), st.integers(200, 800))
def test_the_books_and_the_context_always_agree(
    prompts: list[tuple[str, list[int], bool]], whole_only: bool, cells: int
) -> None:
    """After any series of prompts a slot holds exactly its prompt, in our books and in the context."""
    cache, context = cache_of(cells, whole_only=whole_only)
    for conversation, tokens, park in prompts:
        reused, slot = run(cache, conversation, tokens, park)
        assert reused < len(tokens)
        assert slot.tokens == tokens == held(context, slot)
        cache.release(slot)
        assert all(slot.tokens == held(context, slot) for slot in cache._slots)


def test_a_conversation_goes_on_where_it_was() -> None:
    """Only what comes after the common beginning is left to compute."""
    cache, _ = cache_of()
    run(cache, "a", range(10, 110))[1].busy = False
    assert run(cache, "a", [*range(10, 110), 200, 201])[0] == 100


def test_the_same_prompt_leaves_its_last_token_to_compute() -> None:
    """Without it there would be nothing to sample from."""
    cache, _ = cache_of()
    run(cache, "a", range(10, 110))[1].busy = False
    assert run(cache, "a", range(10, 110))[0] == 99


def test_a_busy_conversation_is_shared_not_taken() -> None:
    """A second request with the same beginning gets a copy, which takes no cells."""
    cache, context = cache_of()
    _, first = run(cache, "a", range(10, 110))
    free = context.free_cells
    reused, second = run(cache, "a", [*range(10, 110), 5])
    assert reused == 100
    assert second is not first
    assert context.free_cells == free - 1
    assert first.tokens == list(range(10, 110))


def test_parked_conversations_come_back() -> None:
    """Another conversation takes the cells, and the first is restored, not computed."""
    cache, context = cache_of(cells=128)
    run(cache, "a", range(10, 110))[1].busy = False
    run(cache, "b", range(300, 400))[1].busy = False
    assert used_tokens(cache) == 100
    assert run(cache, "a", range(10, 111))[0] == 100
    assert context._backend.restored == 1


@pytest.mark.parametrize(("park", "used"), [(True, 80), (False, 180)])
def test_conversations_at_rest_leave_the_cache_to_the_one_at_work(park: bool, used: int) -> None:
    """Their cells would slow down every token; only a short, urgent request lets them stay."""
    cache, _ = cache_of()
    run(cache, "a", range(10, 110))[1].busy = False
    run(cache, "b", range(300, 380), park)
    assert used_tokens(cache) == used


def test_parking_is_bounded() -> None:
    """The oldest states go when the bytes are used up."""
    parking = Parking(1000)
    for name in "abc":
        parking.put(Parked(name, array("i", range(10)), b"x" * 360))
    assert [parked.conversation for parked in parking] == ["b", "c"]
    assert parking.size_bytes == 800
    parking.put(Parked("huge", array("i"), b"x" * 2000))
    assert list(parking) == []


def test_parking_holds_no_more_conversations_than_it_is_worth() -> None:
    """Small states fill no memory, but each is compared with every prompt and holds its tokens."""
    parking = Parking(1_000_000_000)
    for number in range(MOST_PARKED + 3):
        parking.put(Parked(str(number), array("i", [number]), b"x"))
    assert [parked.conversation for parked in parking] == [str(n) for n in range(3, MOST_PARKED + 3)]


def test_a_saved_prefix_is_asked_for_only_if_it_is_longer() -> None:
    """What is in the cache already is not read from disk."""
    cache, _ = cache_of()
    run(cache, "a", range(10, 110))[1].busy = False
    asked: list[int] = []

    def saved(longer_than: int) -> SavedPrefix | None:
        asked.append(longer_than)
        return None

    cache.open("b", [*range(10, 60), 1, 2], saved, True)
    assert asked == [50]


def test_a_saved_prefix_that_does_not_fit_is_no_harm() -> None:
    """The prompt is then computed."""
    cache, _ = cache_of(cells=32)
    prefix = SavedPrefix(tuple(range(10, 110)), ",".join(map(str, range(10, 110))).encode())
    slot = cache.open("a", [*range(10, 110), 1], lambda longer_than: prefix, True)
    assert slot.tokens == []


def test_a_full_cache_says_so() -> None:
    """With nobody to take cells from, there is no room."""
    cache, _ = cache_of(cells=100)
    _, slot = run(cache, "a", range(10, 110))
    assert cache.extend(slot, [1]) is Decoded.NO_SLOT
    assert slot.tokens == list(range(10, 110))


def test_nobody_loses_cells_for_a_draft() -> None:
    """Neither an idle conversation nor one that waits; a token that is needed takes them all the same."""
    cache, _ = cache_of(cells=110)
    _, idle = run(cache, "a", range(10, 60))
    _, slot = run(cache, "b", range(100, 150))
    assert cache.extend(slot, range(200, 216), every_row=True, is_draft=True) is Decoded.NO_SLOT
    assert (len(idle.tokens), len(slot.tokens)) == (50, 50)
    assert cache.extend(slot, range(200, 208), every_row=True, is_draft=True) is Decoded.DONE
    assert cache.extend(slot, range(300, 303)) is Decoded.DONE
    assert (len(idle.tokens), len(slot.tokens)) == (0, 61)


def test_an_interrupted_chunk_leaves_what_was_there_before() -> None:
    """The half-computed chunk is cut off, in the books and in the context."""
    cache, context = cache_of()
    _, slot = run(cache, "a", range(10, 74))
    context.interrupt.set()
    assert cache.extend(slot, [1, 2, 3]) is Decoded.INTERRUPTED
    assert slot.tokens == held(context, slot) == list(range(10, 74))


def test_a_model_that_cannot_go_back_starts_over_after_an_interruption() -> None:
    """Its slot is empty, and the books know."""
    cache, context = cache_of(whole_only=True)
    _, slot = run(cache, "a", range(10, 74))
    context.interrupt.set()
    assert cache.extend(slot, [1, 2, 3]) is Decoded.INTERRUPTED
    assert slot.tokens == held(context, slot) == []


@pytest.mark.parametrize(
    ("left", "right", "length"),
    [([], [1], 0), ([1, 2], [1, 2, 3], 2), ([1, 2, 3], [1, 9, 3], 1), ([5], [6], 0), ((1, 2), [1, 2], 2)],
)
def test_common_length(left: Sequence[int], right: Sequence[int], length: int) -> None:
    """Counts the tokens that both begin with."""
    assert common_length(left, right) == length


TOKENS = (5, 6, 7)


def saved(folder: Path, identity: str = "model", tokens: tuple[int, ...] = TOKENS) -> PrefixStore:
    store = PrefixStore(folder, identity)
    store.write(tokens, b"state")
    store.close()
    return store


def test_a_saved_state_comes_back(tmp_path: Path) -> None:
    """Another store with the same identity reads it, checked."""
    saved(tmp_path)
    store = PrefixStore(tmp_path, "model")
    assert store.has(TOKENS)
    assert store.read(TOKENS) == SavedPrefix(TOKENS, b"state")


@pytest.mark.parametrize(
    ("identity", "tokens"), [("other build", TOKENS), ("model", (5, 6)), ("model", (5, 6, 8))]
)
def test_nothing_else_gets_it(tmp_path: Path, identity: str, tokens: tuple[int, ...]) -> None:
    """Not another model or build, not other tokens."""
    saved(tmp_path)
    store = PrefixStore(tmp_path, identity)
    assert not store.has(tokens)
    assert store.read(tokens) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_one_wrong_byte_is_enough(tmp_path: Path, data: st.DataObject) -> None:
    """Wherever a byte is changed or the file is cut, it is deleted and nothing is restored."""
    store = saved(tmp_path)
    (path,) = tmp_path.glob("*.prefix")
    raw = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(raw) - 1))
    if data.draw(st.booleans()):
        raw[place] ^= data.draw(st.integers(1, 255))
    else:
        del raw[place:]
    path.write_bytes(raw)
    assert store.read(TOKENS) is None
    assert not path.exists()
    assert not store.has(TOKENS)


def test_a_foreign_file_under_our_name_is_deleted(tmp_path: Path) -> None:
    """A state of another build that was renamed does not pass for ours."""
    saved(tmp_path, "other build")
    (path,) = tmp_path.glob("*.prefix")
    store = PrefixStore(tmp_path, "model")
    path.rename(tmp_path / store._name(TOKENS))
    assert store.read(TOKENS) is None
    assert list(tmp_path.glob("*.prefix")) == []


def test_only_the_latest_files_are_kept(tmp_path: Path) -> None:
    """Their number is bounded; the oldest go."""
    first = saved(tmp_path, tokens=(0,))
    for number in range(FILES_KEPT + 3):
        saved(tmp_path, tokens=(number,))
        os.utime(tmp_path / PrefixStore(tmp_path, "model")._name((number,)), (number, number))
    saved(tmp_path, tokens=(99,))
    assert len(list(tmp_path.glob("*.prefix"))) == FILES_KEPT
    for store in (first, PrefixStore(tmp_path, "model")):
        assert not store.has((0,))
    assert PrefixStore(tmp_path, "model").has((99,))


def test_a_disk_that_is_full_costs_nothing_but_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write fails on its own thread; nothing is left, and it may be tried again."""

    def full(path: Path, content: bytes) -> None:
        assert threading.current_thread().name == "prefix-writer"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kv_cache, "write_atomically", full)
    store = saved(tmp_path)
    assert not store.has(TOKENS)
    assert list(tmp_path.iterdir()) == []
