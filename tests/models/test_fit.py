"""Memory a model needs, against what a computer has."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.models.catalogue import load_catalogue
from desktop.models.fit import (
    COMPUTE_BYTES,
    LAYER_S,
    Fit,
    MeasuredSpeed,
    MeasuredSpeeds,
    SpeedFile,
    automatic_context_tokens,
    fit,
    ram_needed_bytes,
)
from desktop.models.gguf import read_facts
from desktop.paths import Paths
from tests.models.tiny_gguf import TinyGguf

GB = 1_000_000_000


@pytest.mark.parametrize(
    ("needed", "total", "available", "expected"),
    [
        (1.5, 8, 5, Fit.FITS),
        (1.5, 8, 1.6, Fit.TIGHT),
        (1.5, 2.5, 2, Fit.TOO_LARGE),
        (30, 16, 14, Fit.TOO_LARGE),
        (0.4, 4, 3, Fit.FITS),
    ],
)
def test_fit(needed: float, total: float, available: float, expected: Fit) -> None:
    """All memory decides what can never fit, free memory what is tight now."""
    assert fit(int(needed * GB), int(total * GB), int(available * GB)) is expected
    assert str(expected.reason)


def test_need_grows_with_the_context_up_to_the_models_own(tmp_path: Path) -> None:
    """Weights, working buffers, and the KV cache of a context that the model can have."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(TinyGguf().content)
    facts = read_facts(path)
    small = ram_needed_bytes(facts, 100)
    assert small == facts.size_bytes + COMPUTE_BYTES + 100 * facts.kv_bytes_per_token
    assert ram_needed_bytes(facts, 512) == ram_needed_bytes(facts, 99_999) > small
    unlimited = dataclasses.replace(facts, context_tokens=0)
    assert ram_needed_bytes(unlimited, 99_999) > ram_needed_bytes(facts, 99_999)


@pytest.mark.parametrize(
    ("size_gb", "kv_bytes", "trained", "available_gb", "tokens"),
    [
        (1.1, 28_672, 32_768, 2, 4_096),  # the recommended small model: 28 layers, two heads of 128
        (1.1, 28_672, 32_768, 8, 8_192),
        (1.1, 28_672, 32_768, 16, 16_384),
        (1.1, 28_672, 32_768, 64, 32_768),
        (1.1, 28_672, 131_072, 512, 32_768),  # reading more takes minutes, whatever the memory
        (1.1, 28_672, 2_048, 64, 2_048),  # the model's own limit
        (5.0, 131_072, 131_072, 16, 4_096),  # eight billion parameters: a token costs five times as much
        (5.0, 131_072, 131_072, 64, 8_192),
        (14.0, 28_672, 32_768, 20, 4_096),  # cheap tokens, but the model leaves no half of the memory
        (1.1, 28_672, 0, 0, 4_096),  # nothing is free: refused before it is loaded, not made smaller here
    ],
)
def test_an_automatic_context_takes_little_of_what_is_free(
    tmp_path: Path, size_gb: float, kv_bytes: int, trained: int, available_gb: float, tokens: int
) -> None:
    """Doubled from the usual one while a thirty-second of the memory pays for it, up to the model's limit."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(TinyGguf().content)
    facts = dataclasses.replace(
        read_facts(path),
        size_bytes=int(size_gb * GB),
        context_tokens=trained,
        kv_heads_of_all_layers=kv_bytes // 4,
        key_length=1,
        value_length=1,
    )
    assert facts.kv_bytes_per_token == kv_bytes
    assert automatic_context_tokens(facts, int(available_gb * GB)) == tokens


SMALL = MeasuredSpeed("small", 100_000_000, 30, 800.0, 100.0, 1.0)

MIDDLE = MeasuredSpeed("middle", 1_100_000_000, 28, 90.0, 25.0, 2.0)


def test_without_a_measurement_nothing_is_claimed() -> None:
    """The picker then says nothing about speed."""
    assert MeasuredSpeeds().estimate("any", 1_000_000_000) is None


def test_a_measured_model_has_its_own_figures() -> None:
    """No estimate: reading forty tokens, then the first one written."""
    found = MeasuredSpeeds((MIDDLE,)).estimate("middle", 1, 1)
    assert found is not None
    assert (found.tokens_per_s, found.is_measured) == (25.0, True)
    assert found.first_token_s == pytest.approx(40 / 90 + 1 / 25)


def test_one_measurement_scales_by_bytes_and_layers() -> None:
    """Twice the bytes and the same layers: twice the reading of weights, the same meetings of threads."""
    found = MeasuredSpeeds((MIDDLE,)).estimate("large", 2_200_000_000, 28)
    assert found is not None
    layers_s = 28 * LAYER_S
    assert 1 / found.tokens_per_s == pytest.approx((1 / 25 - layers_s) * 2 + layers_s)
    assert not found.is_measured


def test_two_measurements_of_clearly_different_size_give_both_factors() -> None:
    """Made from known factors, they are found again."""
    byte_s, layer_s = 3e-11, 1e-4

    def rate(size_bytes: int, layers: int) -> float:
        return 1 / (size_bytes * byte_s + layers * layer_s)

    sizes = ((100_000_000, 30), (1_100_000_000, 28))
    measured = tuple(
        MeasuredSpeed(str(n), size, deep, 100.0, rate(size, deep), 0) for n, (size, deep) in enumerate(sizes)
    )
    found = MeasuredSpeeds(measured).estimate("other", 2_500_000_000, 36)
    assert found is not None
    assert found.tokens_per_s == pytest.approx(rate(2_500_000_000, 36))


@given(
    rate=st.floats(0.1, 500),
    prompt_rate=st.floats(1, 5000),
    layers=st.integers(1, 120),
    size=st.integers(50_000_000, 50_000_000_000),
    other=st.integers(50_000_000, 50_000_000_000),
)
def test_an_estimate_is_positive_and_larger_models_are_slower(
    rate: float, prompt_rate: float, layers: int, size: int, other: int
) -> None:
    """Whatever was measured, however odd."""
    speeds = MeasuredSpeeds((MeasuredSpeed("m", size, layers, prompt_rate, rate, 0),))
    smaller, larger = (speeds.estimate("x", each, layers) for each in sorted((other, other * 2)))
    assert smaller is not None
    assert larger is not None
    assert 0 < larger.tokens_per_s <= smaller.tokens_per_s
    assert 0 < smaller.first_token_s <= larger.first_token_s


def test_measurements_belong_to_a_computer_and_a_llama_cpp(paths: Paths) -> None:
    """Another processor or version starts without; the same model is replaced, not kept twice."""
    here, elsewhere = SpeedFile(paths.fit, "this"), SpeedFile(paths.fit, "that")
    here.write(MIDDLE)
    here.write(SMALL)
    here.write(MeasuredSpeed("middle", 1_100_000_000, 28, 95.0, 26.0, 3.0))
    assert {each.model_id: each.tokens_per_s for each in here.read().measured} == {
        "small": 100.0,
        "middle": 26.0,
    }
    assert elsewhere.read() == MeasuredSpeeds()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"this": {"m": {"odd": 1}}}', '{"this": 3}'])
def test_a_damaged_file_is_nothing(paths: Paths, text: str) -> None:
    """And the next measurement is kept all the same."""
    paths.fit.parent.mkdir(parents=True)
    paths.fit.write_text(text, encoding="utf-8")
    file = SpeedFile(paths.fit, "this")
    assert file.read() == MeasuredSpeeds()
    file.write(SMALL)
    assert file.read() == MeasuredSpeeds((SMALL,))


def test_every_catalogue_model_gets_an_estimate_once_one_was_measured() -> None:
    """Also those whose size is known only from their need of memory."""
    speeds = MeasuredSpeeds((MIDDLE,))
    for entry in load_catalogue().entries:
        assert speeds.estimate(entry.id, entry.weight_bytes, entry.layers) is not None, entry.id
