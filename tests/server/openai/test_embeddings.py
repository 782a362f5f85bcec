"""Texts as numbers over the API, by a small model of the real kind."""

from __future__ import annotations

import base64
import struct
from pathlib import Path

import numpy as np
import pytest

from desktop.server.openai.embeddings import Embeddings
from tests.server.openai.conftest import Api, embedding_model, error_of

MODEL = "all-minilm-l6-v2"


def test_numbers_are_those_of_the_model(api: Api, tmp_path: Path) -> None:
    """One row for each text, in order, of length 1, with the tokens counted."""
    answer = api.post("/v1/embeddings", {"model": MODEL, "input": ["hello world", "good morning"]}).json()
    expected = embedding_model(tmp_path).texts(["hello world", "good morning"])
    assert [each["index"] for each in answer["data"]] == [0, 1]
    for row, wanted in zip(answer["data"], expected, strict=True):
        assert np.allclose(row["embedding"], wanted, atol=1e-6)
    assert answer["usage"] == {"prompt_tokens": 8, "total_tokens": 8}


def test_base64_holds_the_same_numbers(api: Api) -> None:
    """Little-endian floats, which OpenAI's own packages ask for without being told to."""
    plain = api.post("/v1/embeddings", {"model": MODEL, "input": "hello"}).json()["data"][0]["embedding"]
    packed = api.post(
        "/v1/embeddings", {"model": MODEL, "input": "hello", "encoding_format": "base64"}
    ).json()
    raw = base64.b64decode(packed["data"][0]["embedding"])
    assert np.allclose(struct.unpack(f"<{len(raw) // 4}f", raw), plain, atol=1e-6)


@pytest.mark.parametrize(
    ("sent", "param", "code"),
    [
        ({"model": MODEL}, "input", "empty_array"),
        ({"model": MODEL, "input": []}, "input", "empty_array"),
        ({"model": MODEL, "input": [""]}, "input", "invalid_value"),
        ({"model": MODEL, "input": [1, 2]}, "input", "unsupported_value"),
        ({"model": MODEL, "input": [[1]]}, "input", "unsupported_value"),
        ({"model": MODEL, "input": [None]}, "input[0]", "invalid_type"),
        ({"model": MODEL, "input": ["x"] * 2049}, "input", "array_above_max_length"),
        ({"model": MODEL, "input": "x", "encoding_format": "hex"}, "encoding_format", "invalid_value"),
        ({"model": MODEL, "input": "x", "dimensions": 5}, "dimensions", "unsupported_value"),
        ({"model": "steward", "input": "x"}, "model", "model_not_found"),
    ],
)
def test_bad_input_is_named(api: Api, sent: dict[str, object], param: str, code: str) -> None:
    """In the same form as everywhere."""
    error = error_of(api.post("/v1/embeddings", sent))
    assert (error["param"], error["code"]) == (param, code)


def test_a_text_that_would_be_cut_is_refused_with_both_numbers(api: Api) -> None:
    """What stands at its end would never be found, and nobody would know why."""
    error = error_of(api.post("/v1/embeddings", {"model": MODEL, "input": ["hello", "hello " * 300]}))
    assert error["code"] == "context_length_exceeded"
    assert "256 tokens" in error["message"]
    assert "input 1 has 302" in error["message"]


def test_without_the_weights_it_says_where_they_come_from() -> None:
    """And loads nothing to find that out."""

    def load() -> object:
        raise AssertionError("loaded")

    absent = Embeddings(lambda: False, load, lambda: False)  # type: ignore[arg-type] # must not be called
    assert absent.model == ""
