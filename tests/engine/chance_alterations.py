"""Alterations of every kind of field that the head of a model file has, each by a fixed seed.

A table of alterations somebody thought of finds what that somebody thought of. Here chance picks the field
and what stands in it, and a seed makes it the same each time.
"""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tests.models.altered_gguf import FORMATS, LIST, TEXT, Gguf, Value

TOKENS, TYPES, MERGES = b"tokenizer.ggml.tokens", b"tokenizer.ggml.token_type", b"tokenizer.ggml.merges"
MODEL, TEMPLATE = b"tokenizer.ggml.model", b"tokenizer.chat_template"
INT32, FLOAT32, UINT32 = 5, 6, 4
ARCHITECTURES = (
    b"qwen2",
    b"gemma3",
    b"phi3",
    b"mamba",
    b"bert",
    b"gpt2",
    b"rwkv7",
    b"t5",
    b"mpt",
    b"deepseek2",
)
TOKENIZERS = (b"llama", b"gpt2", b"bert", b"t5", b"rwkv", b"plamo2", b"none", b"")
PRE = (b"default", b"llama-bpe", b"gpt-4o", b"tekken", b"deepseek-llm", b"\xff", b"")
KINDS = (0, 1, 2, 3, 6, 8, 10, 12, 14, 16, 18, 24, 30, 39)
Change = Callable[[Gguf, random.Random], Gguf]


@dataclass(frozen=True)
class Patched(Gguf):
    """A head that lies about a length: `patches` are written over what stands there."""

    patches: Mapping[int, bytes] | None = None

    @property
    def content(self) -> bytes:
        made = bytearray(super().content)
        for at, what in (self.patches or {}).items():
            made[at : at + len(what)] = what
        return bytes(made)


def patched(gguf: Gguf, patches: Mapping[int, bytes]) -> Gguf:
    return Patched(gguf.version, gguf.keys, gguf.tensors, gguf.data, patches=patches)


def with_keys(gguf: Gguf, keys: Mapping[bytes, Value]) -> Gguf:
    return replace(gguf, keys=dict(keys))


def a_number(kind: int, chance: random.Random) -> Any:
    """One that fits into the type: at its ends, small, or any."""
    if kind == 7:
        return chance.choice((0, 1, 255))
    if FORMATS[kind] in "fd":
        some = chance.uniform(-1e30, 1e30)
        return chance.choice((0.0, -1.0, 1e-45, 3e38, math.inf, -math.inf, math.nan, some))
    bits = 8 * struct.calcsize(f"<{FORMATS[kind]}")
    low, high = (0, 2**bits - 1) if FORMATS[kind].isupper() else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return chance.choice((low, high, 1, 2, 3, high // 2, chance.randint(low, high), chance.randrange(100)))


def some_bytes(chance: random.Random, most: int = 12) -> bytes:
    return chance.randbytes(chance.randrange(most))


# -- the fields -----------------------------------------------------------------------------------


def numbers(gguf: Gguf, chance: random.Random) -> Gguf:
    """Two numbers of the architecture."""
    keys = dict(gguf.keys)
    own = [name for name, (kind, _) in keys.items() if kind in FORMATS and name.startswith(b"llama.")]
    for name in chance.sample(own, 2):
        keys[name] = (keys[name][0], a_number(keys[name][0], chance))
    return with_keys(gguf, keys)


def types(gguf: Gguf, chance: random.Random) -> Gguf:
    """A property of another type: a number for a text, a list for a number."""
    keys = dict(gguf.keys)
    name = chance.choice(sorted(keys))
    kind = chance.choice((*FORMATS, TEXT, LIST))
    if kind == TEXT:
        keys[name] = (kind, some_bytes(chance))
    elif kind == LIST:
        of = chance.choice((*FORMATS, TEXT))
        count = chance.choice((0, 1, 30, 5_000))
        keys[name] = (
            kind,
            (of, [some_bytes(chance) if of == TEXT else a_number(of, chance) for _ in range(count)]),
        )
    else:
        keys[name] = (kind, a_number(kind, chance))
    return with_keys(gguf, keys)


def missing(gguf: Gguf, chance: random.Random) -> Gguf:
    """Three properties that are not there."""
    gone = set(chance.sample(sorted(gguf.keys), 3))
    return with_keys(gguf, {name: value for name, value in gguf.keys.items() if name not in gone})


def architecture(gguf: Gguf, chance: random.Random) -> Gguf:
    """All that the file says of one architecture, said of another."""
    other = chance.choice(ARCHITECTURES)
    keys = {name.replace(b"llama.", other + b".", 1): value for name, value in gguf.keys.items()}
    return with_keys(gguf, keys | {b"general.architecture": (TEXT, other)})


def lengths(gguf: Gguf, chance: random.Random) -> Gguf:
    """A list that says that it is longer or shorter than it is."""
    name = chance.choice([each for each, (kind, _) in gguf.keys.items() if kind == LIST])
    count = len(gguf.keys[name][1][1])
    at = gguf.content.index(name) + len(name) + 8
    said = chance.choice((0, 1, count - 1, count + 1, count * 2, 2**31, 2**63, 2**64 - 1))
    return patched(gguf, {at: struct.pack("<Q", said)})


def counts(gguf: Gguf, chance: random.Random) -> Gguf:
    """More or fewer tensors and properties than there are."""
    by = chance.choice((-2, -1, 1, 2, 1_000, 2**40))
    if chance.random() < 0.5:
        return replace(gguf, tensor_count=len(gguf.tensors) + by)
    return replace(gguf, key_count=len(gguf.keys) + by)


def head_bytes(gguf: Gguf, chance: random.Random) -> Gguf:
    """Bytes anywhere in the head, as a bad disk or an attacker writes them."""
    whole = gguf.content
    end = len(whole) - len(gguf.data)
    return patched(gguf, {chance.randrange(8, end): chance.randbytes(1) for _ in range(20)})


def offsets(gguf: Gguf, chance: random.Random) -> Gguf:
    """Two tensors that lie where others do, or elsewhere."""
    first, second = chance.sample(range(len(gguf.tensors)), 2)
    one, other = gguf.tensors[first], gguf.tensors[second]
    if chance.random() < 0.5:
        return gguf.with_tensor(first, offset=other.offset).with_tensor(second, offset=one.offset)
    return gguf.with_tensor(
        first, offset=one.offset + chance.choice((-32, 1, 32, 4_096, 2**33)) & (2**64 - 1)
    )


def shapes(gguf: Gguf, chance: random.Random) -> Gguf:
    """A tensor with other dimensions, of as many numbers or not."""
    place = chance.randrange(len(gguf.tensors))
    shape = gguf.tensors[place].shape
    others = {
        tuple(reversed(shape)),
        (*shape[:-1], max(1, shape[-1] // 2), 2),
        (*shape, 1, 1)[:4],
        (math.prod(shape),),
        tuple(max(1, each // 32 * 16) for each in shape),
    }
    return gguf.with_tensor(place, shape=chance.choice(sorted(others - {shape})))


def kinds_of_tensors(gguf: Gguf, chance: random.Random) -> Gguf:
    """Three tensors of another kind: their bytes mean something else."""
    for place in chance.sample(range(len(gguf.tensors)), 3):
        gguf = gguf.with_tensor(place, kind=chance.choice(KINDS))
    return gguf


def names_of_tensors(gguf: Gguf, chance: random.Random) -> Gguf:
    """Two tensors that have each other's name, or one of none."""
    first, second = chance.sample(range(len(gguf.tensors)), 2)
    one, other = gguf.tensors[first].name, gguf.tensors[second].name
    if chance.random() < 0.7:
        return gguf.with_tensor(first, name=other).with_tensor(second, name=one)
    return gguf.with_tensor(first, name=chance.choice((b"", some_bytes(chance), one + b".x")))


def vocabulary(gguf: Gguf, chance: random.Random) -> Gguf:
    """Tokens that are others: in another order, empty, long, with zeros, not UTF-8, all the same."""
    tokens: list[bytes] = list(gguf.keys[TOKENS][1][1])
    change = chance.randrange(6)
    if change == 0:
        chance.shuffle(tokens)
    elif change == 1:
        tokens = tokens[: chance.randrange(1, len(tokens))]
    elif change == 2:
        tokens[chance.randrange(len(tokens))] = b"x" * 900_000
    else:
        for place in chance.sample(range(len(tokens)), len(tokens) // 2):
            tokens[place] = (b"", b"\0" + tokens[place], chance.randbytes(4))[change - 3]
    return gguf.with_items(TOKENS.decode(), tokens)


def kinds_of_tokens(gguf: Gguf, chance: random.Random) -> Gguf:
    """Ordinary tokens that are called special, and numbers that are no kind."""
    kinds = [chance.choice((-1, 0, 1, 2, 3, 4, 5, 6, 2**31 - 1)) for _ in gguf.items(TYPES.decode())]
    return gguf.with_items(TYPES.decode(), kinds[: chance.choice((0, 7, len(kinds), len(kinds)))])


def merges(gguf: Gguf, chance: random.Random) -> Gguf:
    """Pairs in another order, of pieces that are none, without the space, of one half."""
    pairs: list[bytes] = list(gguf.keys[MERGES][1][1])
    change = chance.randrange(4)
    if change == 0:
        chance.shuffle(pairs)
    elif change == 1:
        pairs = pairs[: chance.randrange(len(pairs))]
    else:
        for place in chance.sample(range(len(pairs)), len(pairs) // 3):
            pairs[place] = chance.choice((b"", b" ", b"a", b"a a", some_bytes(chance), pairs[place] + b" x"))
    return gguf.with_items(MERGES.decode(), pairs)


def special_tokens(gguf: Gguf, chance: random.Random) -> Gguf:
    """The numbers of the tokens that begin and end a text."""
    names = [name for name in gguf.keys if name.endswith(b"_token_id")]
    keys = dict(gguf.keys)
    for name in names:
        if chance.random() < 0.7:
            keys[name] = (
                UINT32,
                chance.choice((0, 49_151, 49_152, 2**31, 2**32 - 1, chance.randrange(49_152))),
            )
    return with_keys(gguf, keys)


def tokenizers(gguf: Gguf, chance: random.Random) -> Gguf:
    """Another tokenizer over the same tokens, with what that kind wants or without."""
    keys = dict(gguf.keys)
    keys[MODEL] = (TEXT, chance.choice(TOKENIZERS))
    keys[b"tokenizer.ggml.pre"] = (TEXT, chance.choice(PRE))
    if chance.random() < 0.6:
        scores = [a_number(FLOAT32, chance) for _ in keys[TOKENS][1][1]]
        keys[b"tokenizer.ggml.scores"] = (LIST, (FLOAT32, scores[: chance.choice((0, 9, len(scores)))]))
    if chance.random() < 0.3:
        table = [a_number(UINT32, chance) for _ in range(chance.choice((0, 1, 5_000)))]
        keys[b"tokenizer.ggml.precompiled_charsmap"] = (LIST, (0, [each % 256 for each in table]))
    return with_keys(gguf, keys)


TEMPLATES = (
    b"{% for i in range(10**9) %}{{ i }}{% endfor %}",
    b"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    b"{{ 'x' * 10**10 }}",
    b"{{ 1 // 0 }}",
    b"{{ 9 ** 9 ** 9 }}",
    b"{{ messages[999].content }}",
    b"{{ ''.__class__.__mro__[1].__subclasses__() }}",
    b"{% for m in messages %}{{ m",
    b"{% set n = namespace(a=[]) %}{% for i in range(999) %}{% set n.a = n.a + [n.a] %}{% endfor %}{{ n.a }}",
    b"\xff\xfe{{ messages }}",
    b"{{ messages | map('upper') | list | tojson }}",
)


def templates(gguf: Gguf, chance: random.Random) -> Gguf:
    """A template that never ends, grows, raises or is half there; or its own with some bytes less."""
    own = bytes(gguf.keys[TEMPLATE][1])
    cut = chance.randrange(len(own))
    chosen = chance.choice((*TEMPLATES, own[:cut] + own[cut + chance.randrange(1, 20) :]))
    return with_keys(gguf, {**gguf.keys, TEMPLATE: (TEXT, chosen)})


CHANGES: tuple[Change, ...] = (
    *(numbers, types, missing, architecture, lengths, counts, head_bytes),
    *(offsets, shapes, kinds_of_tensors, names_of_tensors),
    *(vocabulary, kinds_of_tokens, merges, special_tokens, tokenizers, templates),
)
EACH = 4  # times each kind


def _changed(gguf: Gguf, change: Change, seed: int) -> Gguf:
    return change(gguf, random.Random(f"{change.__name__} {seed}"))


BY_CHANCE: dict[str, Callable[[Gguf], Gguf]] = {
    f"{change.__name__} {seed}": partial(_changed, change=change, seed=seed)
    for change in CHANGES
    for seed in range(EACH)
}
