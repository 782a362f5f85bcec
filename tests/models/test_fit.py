"""Memory a model needs, against what a computer has."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from desktop.models.fit import COMPUTE_BYTES, Fit, fit, ram_needed_bytes
from desktop.models.gguf import read_facts
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
    assert expected.sentence


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
