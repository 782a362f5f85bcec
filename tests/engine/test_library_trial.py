"""A copy of llama.cpp that does not fit is found out before it is trusted."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from desktop.engine import library_trial
from desktop.engine.library_trial import Unfit
from desktop.engine.llama import LlamaBackend

API = LlamaBackend().library
VERSION = API.llama_version().decode()


class Longer(ctypes.Structure):
    """As if a release had added a field."""

    _fields_ = (*API.llama_context_params._fields_, ("added", ctypes.c_void_p))


class Shorter(ctypes.Structure):
    """As if a release had dropped the last one."""

    _fields_ = API.llama_context_params._fields_[:-1]


def test_the_library_at_hand_fits() -> None:
    """It is the version that the prebuilt one has to be too, and computes what that one computes."""
    library_trial.try_library(VERSION)


def test_another_version_is_refused() -> None:
    """A library says itself what it is."""
    with pytest.raises(Unfit, match=f"llama.cpp {VERSION}, not 0.4.9"):
        library_trial.try_library("0.4.9")


@pytest.mark.parametrize("structure", [Longer, Shorter])
@pytest.mark.skipif(
    library_trial.filled_bytes(API, "llama_context_default_params") is None, reason="x86-64 only"
)
def test_a_structure_of_another_size_is_refused(structure: type[ctypes.Structure]) -> None:
    """One field more or less is seen by how much the function writes."""
    with pytest.raises(Unfit, match=r"fills 160 bytes, and 1.. are declared"):
        library_trial.compare(API, "llama_context_default_params", structure, {})


def test_a_field_at_another_place_is_refused() -> None:
    """It shows the value of another."""
    with pytest.raises(Unfit, match="has n_ctx = 512, not 2048"):
        library_trial.compare(API, "llama_context_default_params", API.llama_context_params, {"n_ctx": 2048})


def test_a_missing_function_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Named, so that whoever raises the pinned release knows what the engine calls in vain."""
    monkeypatch.setattr(library_trial, "called_functions", lambda: frozenset({"llama_decode", "llama_guess"}))
    with pytest.raises(Unfit, match=r"it lacks llama_guess$"):
        library_trial.try_library(VERSION)


def test_the_engine_s_calls_are_found() -> None:
    """By reading its source: functions that every answer needs, and those of ggml."""
    called = library_trial.called_functions()
    assert {"llama_decode", "llama_sampler_init_grammar", "llama_state_seq_set_data"} <= called
    assert len(called) > 40


def test_another_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that computes something else, as one with a faulty kernel would."""
    monkeypatch.setattr(library_trial, "ANSWER", (1, 2, 3))
    with pytest.raises(Unfit, match="where other builds compute"):
        library_trial.try_library(VERSION)


def test_a_changed_weight_changes_the_answer(tmp_path: Path) -> None:
    """The answer hangs on the weights, so an agreement is no chance."""
    content = bytearray(library_trial.small_model())
    for place in range(len(content) - 200_000, len(content), 7):
        content[place] ^= 0x11
    file = tmp_path / "small.gguf"
    file.write_bytes(content)
    assert library_trial.small_answer(LlamaBackend(), file) != library_trial.ANSWER
