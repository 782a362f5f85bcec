"""Builds small valid GGUF files, byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = str | int | float | bool | list[str] | list[int]

BASE: Mapping[str, Value] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "general.file_type": 2,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.context_length": 512,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.chat_template": "{{ messages }}",
    "tokenizer.ggml.tokens": [f"word{n}" for n in range(300)],
    "tokenizer.ggml.token_type": [1] * 300,
}


@dataclass(frozen=True)
class Tensor:
    """`type_number` 2 is Q4_0: 18 bytes for 32 elements."""

    name: str = "token_embd.weight"
    shape: Sequence[int] = (64, 32)
    type_number: int = 2
    offset: int | None = None
    size: int = 64 * 32 // 32 * 18


@dataclass(frozen=True)
class TinyGguf:
    """A file to be; `content` is the bytes."""

    keys: Mapping[str, Value] = field(default_factory=lambda: dict(BASE))
    tensors: Sequence[Tensor] = (Tensor(), Tensor("output.weight"))
    version: int = 3
    padding: int = 0  # more bytes of data, to make a larger file

    @property
    def content(self) -> bytes:
        head = b"GGUF" + struct.pack("<IQQ", self.version, len(self.tensors), len(self.keys))
        head += b"".join(text(key) + value_of(value) for key, value in self.keys.items())
        offset, table, data = 0, b"", b""
        for tensor in self.tensors:
            place = offset if tensor.offset is None else tensor.offset
            table += text(tensor.name) + struct.pack("<I", len(tensor.shape))
            table += b"".join(struct.pack("<Q", length) for length in tensor.shape)
            table += struct.pack("<IQ", tensor.type_number, place)
            data += aligned(bytes((offset + n * 7) % 251 for n in range(tensor.size)))
            offset = len(data)
        return aligned(head + table) + data + bytes(n * 31 % 253 for n in range(self.padding))


def with_keys(**changes: Value | None) -> TinyGguf:
    """The base file with keys changed (`__` stands for a dot) or, for None, left out."""
    named = {key.replace("__", "."): value for key, value in changes.items()}
    keys = {key: value for key, value in {**BASE, **named}.items() if value is not None}
    return TinyGguf(keys)


def aligned(content: bytes) -> bytes:
    return content + b"\0" * (-len(content) % 32)


def text(content: str) -> bytes:
    encoded = content.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def value_of(value: Value) -> bytes:
    """A metadata value with its type number."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(text(str(item)) for item in value)
    return struct.pack("<IIQ", 9, 5, len(value)) + b"".join(struct.pack("<i", item) for item in value)
