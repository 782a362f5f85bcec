"""A real model file, taken apart and put together with something else in it."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

# The types of values by their numbers; 8 is a text and 9 a list.
FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST = 8, 9
ALIGNMENT = 32
Value = tuple[int, Any]  # its type and what it is; of a list the type of the items and the items


@dataclass(frozen=True)
class TensorInfo:
    name: bytes
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True)
class Gguf:
    """`tensor_count` and `key_count` None: as many as there are."""

    version: int
    keys: Mapping[bytes, Value]
    tensors: Sequence[TensorInfo]
    data: bytes
    tensor_count: int | None = None
    key_count: int | None = None

    def with_key(self, name: str, value: Any, kind: int | None = None) -> Gguf:
        known = self.keys.get(name.encode())
        assert kind is not None or known is not None
        kind = kind if kind is not None or known is None else known[0]
        assert kind is not None
        return replace(self, keys={**self.keys, name.encode(): (kind, value)})

    def with_items(self, name: str, items: Sequence[Any]) -> Gguf:
        return self.with_key(name, (self.keys[name.encode()][1][0], list(items)))

    def items(self, name: str) -> list[Any]:
        return list(self.keys[name.encode()][1][1])

    def with_tensor(self, place: int, **other: Any) -> Gguf:
        tensors = list(self.tensors)
        tensors[place] = replace(tensors[place], **other)
        return replace(self, tensors=tensors)

    @property
    def content(self) -> bytes:
        out = io.BytesIO()
        tensors = len(self.tensors) if self.tensor_count is None else self.tensor_count
        keys = len(self.keys) if self.key_count is None else self.key_count
        out.write(b"GGUF" + struct.pack("<IQQ", self.version, tensors, keys))
        for name, (kind, value) in self.keys.items():
            out.write(_text(name) + struct.pack("<I", kind) + _written(kind, value))
        for each in self.tensors:
            out.write(_text(each.name) + struct.pack(f"<I{len(each.shape)}Q", len(each.shape), *each.shape))
            out.write(struct.pack("<IQ", each.kind, each.offset))
        out.write(bytes(-out.tell() % ALIGNMENT) + self.data)
        return out.getvalue()


def read_gguf(path: Path) -> Gguf:
    with path.open("rb") as file:
        assert file.read(4) == b"GGUF"
        version, tensors, keys = struct.unpack("<IQQ", file.read(20))
        values = {}
        for _ in range(keys):
            name = _read_text(file)
            kind = _number(file, "I")
            values[name] = (kind, _read(file, kind))
        infos = []
        for _ in range(tensors):
            name, length = _read_text(file), _number(file, "I")
            shape = struct.unpack(f"<{length}Q", file.read(8 * length))
            infos.append(TensorInfo(name, shape, _number(file, "I"), _number(file, "Q")))
        file.seek(-file.tell() % ALIGNMENT, 1)
        return Gguf(version, values, infos, file.read())


def _text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def _written(kind: int, value: Any) -> bytes:
    if kind == TEXT:
        return _text(value)
    if kind == LIST:
        of, items = value
        body = b"".join(map(_text, items)) if of == TEXT else _packed(of, items)
        return struct.pack("<IQ", of, len(items)) + body
    return struct.pack(f"<{FORMATS[kind]}", value)


def _packed(kind: int, items: Sequence[Any]) -> bytes:
    return struct.pack(f"<{len(items)}{FORMATS[kind]}", *items)


def _number(file: BinaryIO, kind: str) -> int:
    return int(struct.unpack(f"<{kind}", file.read(struct.calcsize(f"<{kind}")))[0])


def _read_text(file: BinaryIO) -> bytes:
    return file.read(_number(file, "Q"))


def _read(file: BinaryIO, kind: int) -> Any:
    if kind == TEXT:
        return _read_text(file)
    if kind == LIST:
        of, length = _number(file, "I"), _number(file, "Q")
        if of == TEXT:
            return of, [_read_text(file) for _ in range(length)]
        size = struct.calcsize(f"<{FORMATS[of]}")
        return of, list(struct.unpack(f"<{length}{FORMATS[of]}", file.read(size * length)))
    return struct.unpack(f"<{FORMATS[kind]}", file.read(struct.calcsize(f"<{FORMATS[kind]}")))[0]
