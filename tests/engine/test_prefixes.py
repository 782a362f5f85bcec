"""Saved prefixes are used only where they belong."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.engine import prefixes
from desktop.engine.kv_cache import SavedPrefix
from desktop.engine.prefixes import FILES_KEPT, PrefixStore

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
    for number in range(FILES_KEPT + 3):
        saved(tmp_path, tokens=(number,))
        os.utime(tmp_path / PrefixStore(tmp_path, "model")._name((number,)), (number, number))
    saved(tmp_path, tokens=(99,))
    assert len(list(tmp_path.glob("*.prefix"))) == FILES_KEPT
    assert not PrefixStore(tmp_path, "model").has((0,))
    assert PrefixStore(tmp_path, "model").has((99,))


def test_a_disk_that_is_full_costs_nothing_but_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write fails on its own thread; nothing is left, and it may be tried again."""

    def full(path: Path, content: bytes) -> None:
        assert threading.current_thread().name == "prefix-writer"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(prefixes, "write_atomically", full)
    store = saved(tmp_path)
    assert not store.has(TOKENS)
    assert list(tmp_path.iterdir()) == []
