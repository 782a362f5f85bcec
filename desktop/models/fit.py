"""Whether a model fits this computer's memory."""

from __future__ import annotations

from enum import StrEnum

from desktop.models.gguf import GgufFacts

# What llama.cpp takes beside weights and KV cache: the output buffer grows with the vocabulary, the compute
# buffer with the width of a layer.
COMPUTE_BYTES = 300 * 1000 * 1000
# What must stay for the desktop and this program.
SYSTEM_BYTES = 1500 * 1000 * 1000
SPARE_BYTES = 300 * 1000 * 1000


class Fit(StrEnum):
    FITS = "fits"
    TIGHT = "tight"
    TOO_LARGE = "too large"

    @property
    def sentence(self) -> str:
        """For the picker."""
        return {
            Fit.FITS: "Fits this computer",
            Fit.TIGHT: "Tight: close other programs first",
            Fit.TOO_LARGE: "Needs more memory than this computer has",
        }[self]


def ram_needed_bytes(facts: GgufFacts, context_tokens: int) -> int:
    """Memory for the weights, the KV cache of `context_tokens` and llama.cpp's working buffers."""
    context = min(context_tokens, facts.context_tokens or context_tokens)
    return facts.size_bytes + facts.kv_bytes_per_token * context + COMPUTE_BYTES


def fit(ram_needed_bytes: int, ram_total_bytes: int, ram_available_bytes: int) -> Fit:
    """Judge a need against this computer: all its memory, and what is free now."""
    if ram_needed_bytes + SYSTEM_BYTES > ram_total_bytes:
        return Fit.TOO_LARGE
    if ram_needed_bytes + SPARE_BYTES > ram_available_bytes:
        return Fit.TIGHT
    return Fit.FITS
