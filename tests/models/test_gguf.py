"""The reader of model files, with files that mean harm."""

from __future__ import annotations

import random
import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.models.gguf import MAX_ARRAY_ITEMS, GgufFacts, read_facts
from tests.models.tiny_gguf import BASE, Tensor, TinyGguf, text, with_keys
from tests.processor_time import processor_time, seconds_of

GOOD = TinyGguf().content


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]  # a function of bytes
    def read_bytes(content: bytes) -> GgufFacts:
        path = tmp_path / "model.gguf"
        path.write_bytes(content)
        return read_facts(path)

    return read_bytes


def test_facts_of_a_good_file(read) -> None:  # type: ignore[no-untyped-def]
    """Everything that the file says is read."""
    facts = read(GOOD)
    assert facts == GgufFacts(
        architecture="llama",
        name="Tiny",
        quantization="Q4_0",
        parameter_count=2 * 64 * 32,
        context_tokens=512,
        chat_template="{{ messages }}",
        size_bytes=len(GOOD),
        layer_count=2,
        embedding_length=64,
        head_count=4,
        head_count_kv=2,
        key_length=16,
        value_length=16,
        is_recurrent=False,
        kv_heads_of_all_layers=4,
    )
    assert facts.kv_bytes_per_token == 2 * 4 * (16 + 16)


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        ({"general__name": None}, "name", "model"),
        ({"tokenizer__chat_template": None}, "chat_template", None),
        ({"general__file_type": 15}, "quantization", "Q4_0"),
        ({"general__file_type": None}, "quantization", "Q4_0"),
        ({"llama__attention__head_count_kv": None}, "head_count_kv", 4),
        ({"llama__attention__head_count_kv": [0, 3]}, "kv_heads_of_all_layers", 3),
        ({"llama__attention__key_length": 32}, "key_length", 32),
        ({"llama__ssm__state_size": 16}, "is_recurrent", True),
        ({"llama__context_length": None}, "context_tokens", 0),
    ],
)
def test_single_facts(read, changes, field, expected) -> None:  # type: ignore[no-untyped-def]
    """What is missing has a sound substitute; what contradicts the tensors is not believed."""
    assert getattr(read(with_keys(**changes).content), field) == expected


@pytest.mark.parametrize("architecture", ["lfm2", "qwen35", "granitehybrid", "mamba", "jamba", "falcon-h1"])
def test_hybrids_are_known(read, architecture: str) -> None:  # type: ignore[no-untyped-def]
    """Architectures that keep a running state are told apart."""
    keys = {key.replace("llama.", f"{architecture}."): value for key, value in BASE.items()}
    assert read(TinyGguf({**keys, "general.architecture": architecture}).content).is_recurrent


def head(keys: bytes = b"", *, tensors: int = 1, count: int = 1, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, count) + keys


HUGE = struct.pack("<Q", 1 << 63)
REFUSED = {
    "empty": (b"", "empty"),
    "html": (b"<!DOCTYPE html><html>", "web page"),
    "safetensors": (struct.pack("<Q", 100) + b'{"weight": {}}', "safetensors"),
    "zip": (b"PK\x03\x04" + bytes(60), "ZIP"),
    "json": (b'{"error": "gone"}', "text file"),
    "git lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00", "LFS"),
    "noise": (b"\x13\x37" * 30, "not a GGUF"),
    "big endian": (b"FUGG" + bytes(60), "big-endian"),
    "magic only": (b"GGUF", "incomplete"),
    "version 1": (head(version=1), "version is 1"),
    "version 99": (head(version=99), "version is 99"),
    "tensor count": (head(tensors=1 << 40), "tensors"),
    "key count": (head(count=1 << 40), "properties"),
    "key length": (head(HUGE), "bytes in the name"),
    "text length": (head(text("a") + struct.pack("<I", 8) + HUGE), "bytes in one text"),
    "value type": (head(text("a") + struct.pack("<I", 77)), "unknown type"),
    "array length": (head(text("a") + struct.pack("<IIQ", 9, 4, 1 << 60)), "items in one list"),
    "array of text": (head(text("a") + struct.pack("<IIQ", 9, 8, 2) + HUGE), "incomplete"),
    "array past end": (head(text("a") + struct.pack("<IIQ", 9, 4, 3_000_000)), "incomplete"),
    "nested arrays": (head(text("a") + struct.pack("<II", 9, 9) + bytes(8)), "nests lists"),
    "key twice": (head((text("a") + struct.pack("<II", 4, 1)) * 2, count=2), "twice"),
    "no tensors": (TinyGguf(tensors=()).content, "no weights"),
    "five dimensions": (TinyGguf(tensors=(Tensor(shape=(32, 1, 1, 1, 1)),)).content, "5 dimensions"),
    "no dimensions": (TinyGguf(tensors=(Tensor(shape=()),)).content, "0 dimensions"),
    "unknown tensor type": (TinyGguf(tensors=(Tensor(type_number=5),)).content, "unknown type (5)"),
    "zero elements": (TinyGguf(tensors=(Tensor(shape=(64, 0)),)).content, "impossible shape"),
    "broken block": (TinyGguf(tensors=(Tensor(shape=(33,)),)).content, "impossible shape"),
    "overflow": (TinyGguf(tensors=(Tensor(shape=(1 << 40, 1 << 40)),)).content, "impossible shape"),
    "outside": (TinyGguf(tensors=(Tensor(offset=1 << 62),)).content, "bytes are missing"),
    "overlap": (TinyGguf(tensors=(Tensor(), Tensor("b", offset=32))).content, "overlaps another"),
    "unaligned": (TinyGguf(tensors=(Tensor(offset=7),)).content, "overlaps another"),
    "same name": (TinyGguf(tensors=(Tensor(), Tensor())).content, "same name"),
    "truncated": (GOOD[:-100], "bytes are missing"),
    "alignment 3": (with_keys(general__alignment=3).content, "power of two"),
    "alignment 0": (with_keys(general__alignment=0).content, "power of two"),
    "split": (with_keys(split__count=3).content, "3 parts"),
    "mmproj": (with_keys(general__architecture="clip").content, "image encoder"),
    "adapter": (with_keys(general__type="adapter").content, "addition"),
    "no architecture": (with_keys(general__architecture=None).content, "architecture"),
    "architecture is a number": (with_keys(general__architecture=7).content, "architecture"),
    "no layers": (with_keys(llama__block_count=None).content, "how large"),
    "too many layers": (with_keys(llama__block_count=1_000_000).content, "layers"),
    "layers as text": (with_keys(llama__block_count="two").content, "makes no sense"),
    "too few heads": (with_keys(llama__attention__head_count_kv=[1]).content, "does not fit"),
}


@pytest.mark.parametrize(("content", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_the_reason(read, content: bytes, reason: str) -> None:  # type: ignore[no-untyped-def]
    """Truncated, foreign and hostile files are refused, and the reason is said."""
    with pytest.raises(UserFacing) as refused:
        read(content)
    assert refused.value.code == "model-file-refused"
    assert reason in refused.value.cause


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there has its own code."""
    with pytest.raises(UserFacing) as refused:
        read_facts(tmp_path / "none.gguf")
    assert refused.value.code == "model-file-missing"


def test_folder_is_refused(tmp_path: Path) -> None:
    """A folder is not a model."""
    with pytest.raises(UserFacing) as refused:
        read_facts(tmp_path)
    assert refused.value.code == "model-file-refused"


def test_every_truncation_is_refused(read) -> None:  # type: ignore[no-untyped-def]
    """Wherever a file breaks off, it is refused."""
    end_of_data = len(TinyGguf(tensors=(Tensor(),)).content)
    body = TinyGguf(tensors=(Tensor(),)).content
    for length in range(0, end_of_data, 61):
        with pytest.raises(UserFacing):
            read(body[:length])


mutations = st.lists(
    st.tuples(st.integers(0, len(GOOD) - 1), st.sampled_from([1, 4, 8]), st.integers(0, (1 << 64) - 1)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=mutations, cut=st.integers(0, 2 * len(GOOD)))
def test_mutated_files_never_surprise(tmp_path: Path, mutations, cut: int) -> None:  # type: ignore[no-untyped-def]
    """Whatever is changed: facts or a refusal, and little memory."""
    content = bytearray(GOOD)
    for at, width, value in mutations:
        content[at : at + width] = (value % (1 << (8 * width))).to_bytes(width, "little")
    path = tmp_path / "mutant.gguf"
    path.write_bytes(bytes(content[:cut]))
    tracemalloc.start()
    outcome = facts_or_refusal(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcome == "model-file-refused" or int(outcome) >= 0
    assert peak < 50_000_000


def facts_or_refusal(path: Path) -> str:
    try:
        return str(read_facts(path).kv_bytes_per_token)
    except UserFacing as refused:
        return refused.code


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400))
def test_noise_after_the_magic_never_surprises(tmp_path: Path, content: bytes) -> None:
    """Random bytes behind a right beginning: facts or a refusal."""
    path = tmp_path / "noise.gguf"
    path.write_bytes(head(content, tensors=len(content) % 5, count=len(content) % 7))
    with pytest.raises(UserFacing):
        read_facts(path)


def test_large_hostile_file_stays_small_in_memory(tmp_path: Path) -> None:
    """Many long names cannot fill the memory."""
    path = tmp_path / "long.gguf"
    rows = b"".join(text(f"{n:05}" + "k" * 60_000) + struct.pack("<II", 4, 1) for n in range(400))
    path.write_bytes(head(rows, count=400))
    tracemalloc.start()
    with pytest.raises(UserFacing) as refused:
        read_facts(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "far too long" in refused.value.cause
    assert peak < 50_000_000


def test_large_vocabulary_is_stepped_over_quickly(tmp_path: Path) -> None:
    """A vocabulary of 150,000 words with as many merges takes well under 100 ms of the processor."""
    random.seed(1)
    words = [f"w{n}" + "x" * random.randrange(12) for n in range(150_000)]
    keys = {
        **BASE,
        "tokenizer.ggml.tokens": words,
        "tokenizer.ggml.merges": words,
        "tokenizer.ggml.token_type": [1] * 150_000,
    }
    path = tmp_path / "vocabulary.gguf"
    path.write_bytes(TinyGguf(keys).content)
    with processor_time() as spent:
        least_s = min(seconds_of(lambda: read_facts(path)) for _ in range(5))
    assert least_s / spent.slowness < 0.1
    assert read_facts(path).context_tokens == 512


def test_array_limit_leaves_room_for_real_vocabularies() -> None:
    """The largest vocabularies in use have about 262,000 words."""
    assert MAX_ARRAY_ITEMS > 10 * 262_144
