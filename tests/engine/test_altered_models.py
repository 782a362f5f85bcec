"""A real model file with something else in its head, its table of tensors or its weights: each ends in a
sentence, in a child, or is a model that can be used.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop.engine.inference import InferenceError
from desktop.engine.trial_load import TrialLoad
from desktop.errors import UserFacing
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from tests.engine.chance_alterations import BY_CHANCE
from tests.models.altered_gguf import Gguf, read_gguf

pytestmark = [pytest.mark.model, pytest.mark.children, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
NAN = float("nan")
UINT32 = 4
TOKENS, TYPES = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
# What Steward does with a model that has passed: all kinds of text, a prompt in several batches, pieces.
USE = """
import sys
from pathlib import Path
from desktop.engine.inference import ContextShape, Decoded, TextOrigin
from desktop.engine.llama import LlamaBackend
model = LlamaBackend().load(Path(sys.argv[1]), 0, lambda _fraction: True)
texts = ["hello", "x" * 500, "<|im_end|><s></s>", "".join(map(chr, range(700)))]
texts += ["日本語 🙂 \\uffff", " \\n\\n 12345 %$#"]
for text in texts:
    for origin in TextOrigin:
        model.tokenize(text, origin, at_start=True)
context = model.new_context(ContextShape(512, 2, 128, 1, 1))
tokens = model.tokenize("hello world, how are you today? " * 8, TextOrigin.FOREIGN, at_start=True)[:100]
assert context.decode(tokens, 0, 0) is Decoded.DONE
for token in range(0, model.vocabulary_size, 7):
    model.piece(token)
print("used", len(context.logits([len(tokens) - 1])))
"""


def key(name: str, value: Any, kind: int | None = None) -> Callable[[Gguf], Gguf]:
    return lambda gguf: gguf.with_key(name, value, kind)


def items(name: str, change: Callable[[list[Any]], list[Any]]) -> Callable[[Gguf], Gguf]:
    return lambda gguf: gguf.with_items(name, change(gguf.items(name)))


def tensor(place: int, **other: Any) -> Callable[[Gguf], Gguf]:
    return lambda gguf: gguf.with_tensor(place, **other)


def noisy(gguf: Gguf) -> Gguf:
    chance, data = random.Random(1), bytearray(gguf.data)
    for _ in range(20_000):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return replace(gguf, data=bytes(data))


ALTERED: dict[str, Callable[[Gguf], Gguf]] = {
    "no layers": key("llama.block_count", 0),
    "one layer more than there is": key("llama.block_count", 31),
    "an embedding of 2^31": key("llama.embedding_length", 2**31),
    "no heads": key("llama.attention.head_count", 0),
    "seven heads": key("llama.attention.head_count", 7),
    "heads for keys that do not divide": key("llama.attention.head_count_kv", 2),
    "a context of nothing": key("llama.context_length", 0),
    "a rope of 63": key("llama.rope.dimension_count", 63),
    "a rope that is no number": key("llama.rope.freq_base", NAN),
    "an epsilon below nothing": key("llama.attention.layer_norm_rms_epsilon", -1.0),
    "a vocabulary of 2^31": key("llama.vocab_size", 2**31),
    "tokens that are cut": items(TOKENS, lambda tokens: tokens[:1_000]),
    "tokens that are one": items(TOKENS, lambda tokens: [b"a"] * len(tokens)),
    "tokens that are empty": items(TOKENS, lambda tokens: [b""] * len(tokens)),
    "tokens that are no text": items(TOKENS, lambda tokens: [b"\xff\xfe" + each for each in tokens]),
    "kinds of tokens that are cut": items(TYPES, lambda kinds: kinds[:5]),
    "kinds of tokens that are none": items(TYPES, lambda kinds: [-7, 99] * (len(kinds) // 2)),
    "tokens that all control": items(TYPES, lambda kinds: [3] * len(kinds)),
    "merges of nothing": items("tokenizer.ggml.merges", lambda merges: [b"x"] * len(merges)),
    "another tokenizer, pieces": key("tokenizer.ggml.model", b"llama"),
    "another tokenizer, words": key("tokenizer.ggml.model", b"bert"),
    "another tokenizer, odds": key("tokenizer.ggml.model", b"t5"),
    "another tokenizer, a tree that is read for ever": key("tokenizer.ggml.model", b"rwkv"),
    "no tokenizer": key("tokenizer.ggml.model", b"no_vocab"),
    "a first token beyond all": key("tokenizer.ggml.bos_token_id", 2**32 - 1),
    "a last token beyond all": key("tokenizer.ggml.eos_token_id", 49_152),
    "another architecture": key("general.architecture", b"mamba"),
    "an architecture that is a path": key("general.architecture", b"../../x"),
    "weights of no kind": tensor(3, kind=999),
    "weights of another kind": tensor(3, kind=14),
    "weights beyond the file": tensor(5, offset=2**40),
    "weights at an odd place": tensor(5, offset=33),
    "weights in one place": tensor(5, offset=0),
    "weights of 2^62": tensor(1, shape=(2**62,)),
    "weights of five dimensions": tensor(1, shape=(576, 1, 1, 1, 1)),
    "weights that are turned": tensor(2, shape=(576, 1_536)),
    "weights that are there twice": tensor(4, name=b"token_embd.weight"),
    "more weights than there are": lambda gguf: replace(gguf, tensor_count=300),
    "more keys than there are": lambda gguf: replace(gguf, key_count=99),
    "a version of the future": lambda gguf: replace(gguf, version=99),
    "an alignment of nothing": key("general.alignment", 0, UINT32),
    "an alignment of three": key("general.alignment", 3, UINT32),
    "weights that are cut": lambda gguf: replace(gguf, data=gguf.data[:40_000_000]),
    "weights with noise": noisy,
    "weights of ones": lambda gguf: replace(gguf, data=b"\xff" * len(gguf.data)),
    "a window of one": key("llama.attention.sliding_window", 1, UINT32),
    "experts": key("llama.expert_count", 64, UINT32),
    "keys of a million": key("llama.attention.key_length", 2**20, UINT32),
}


@pytest.fixture(scope="module")
def whole(smollm2: Path) -> Gguf:
    gguf = read_gguf(smollm2)
    assert gguf.content == smollm2.read_bytes()  # what is altered is only what a row says
    return gguf


def tried(file: Path) -> None:
    """Raises what the trial says of it."""
    where = file.with_name("tried.json")
    TrialLoad(where, Parser(lambda: available().best), lambda _path: False).check(file)


def used(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", USE, str(file)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)


def test_a_model_that_is_not_altered_passes(smollm2: Path, tmp_path: Path) -> None:
    """Or every other row would be refused for a reason of our own."""
    file = tmp_path / "stranger.gguf"
    file.write_bytes(smollm2.read_bytes())
    tried(file)
    assert "\nused " in f"\n{used(file).stdout}"


@pytest.mark.parametrize("kind", [*ALTERED, *BY_CHANCE])
def test_an_altered_model_is_refused_or_can_be_used(
    kind: str, whole: Gguf, smollm2: Path, tmp_path: Path
) -> None:
    """Whatever llama.cpp makes of it, it makes in a child; what passes there ends no program later."""
    file = tmp_path / "stranger.gguf"
    content = {**ALTERED, **BY_CHANCE}[kind](whole).content
    assert content != smollm2.read_bytes()
    file.write_bytes(content)
    try:
        tried(file)
    except (UserFacing, InferenceError):  # in sentences: the second's are the loader's
        pass
    else:
        done = used(file)
        assert "\nused " in f"\n{done.stdout}", done.stderr[-2_000:]
    finally:
        file.unlink()
