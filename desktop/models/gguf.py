"""Reads what a GGUF file says about itself, and trusts none of it.

llama.cpp parses model files in native code, so a file is checked here first: every length and count is
bounded, every tensor must lie inside the file, and nothing larger than a chat template is kept in memory.
Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from desktop.errors import UserFacing, WithReason
from desktop.models.reasons import ModelReason
from desktop.paths import open_regular
from desktop.reasons import Reason
from desktop.sandbox.parser_child import ParseRefused

MAGIC = b"GGUF"
VERSIONS = (2, 3)
WINDOW_BYTES = 1024 * 1024
# Bounds far above what published files have, and far below what would fill memory or time.
MAX_KEYS = 65_536
MAX_TENSORS = 32_768
MAX_KEY_BYTES = 65_535
MAX_TEXT_BYTES = 1024 * 1024
MAX_ARRAY_ITEMS = 4_000_000
MAX_KEPT_ITEMS = 4096
MAX_KEPT_BYTES = 8 * 1024 * 1024
MAX_DIMENSIONS = 4
MAX_TENSOR_NAME_BYTES = 256
MAX_ALIGNMENT = 1024 * 1024
MAX_ELEMENTS = 1 << 50

# Architectures whose layers keep a running state: a changed middle of a prompt means reading it all again.
RECURRENT = frozenset(
    {
        *("arwkv7", "rwkv6", "rwkv6qwen2", "rwkv7"),
        *("mamba", "mamba2", "jamba", "falcon-h1", "plamo2", "plamo3"),
        *("granitehybrid", "nemotron_h", "nemotron_h_moe"),
        *("lfm2", "lfm2moe", "kimi-linear"),
        *("qwen3next", "qwen35", "qwen35moe"),
    }
)
# For an architecture that is newer than this list: who states one of these keeps such a state.
RECURRENT_KEYS = ("ssm.conv_kernel", "ssm.state_size", "ssm.inner_size", "shortconv.l_cache", "wkv.head_size")

# What people save in place of a model, so that the refusal can say what it is.
FOREIGN = (
    (b"PK\x03\x04", ModelReason.ZIP_ARCHIVE.of()),
    (b"\x80\x02", ModelReason.PYTHON_PICKLE.of()),
    (b"\x1f\x8b", ModelReason.GZIP_ARCHIVE.of()),
    (b"lmgg", ModelReason.OLD_GGML.of()),
    (b"tjgg", ModelReason.OLD_GGJT.of()),
    (b"fmgg", ModelReason.OLD_GGMF.of()),
    (b"version https://git-lfs", ModelReason.LFS_POINTER.of()),
    (b"FUGG", ModelReason.BIG_ENDIAN.of()),
)


class ValueType(IntEnum):
    """The value types of GGUF metadata."""

    UINT8 = 0
    INT8 = 1
    UINT16 = 2
    INT16 = 3
    UINT32 = 4
    INT32 = 5
    FLOAT32 = 6
    BOOL = 7
    STRING = 8
    ARRAY = 9
    UINT64 = 10
    INT64 = 11
    FLOAT64 = 12


FORMATS = {
    ValueType.UINT8: "<B",
    ValueType.INT8: "<b",
    ValueType.UINT16: "<H",
    ValueType.INT16: "<h",
    ValueType.UINT32: "<I",
    ValueType.INT32: "<i",
    ValueType.FLOAT32: "<f",
    ValueType.BOOL: "<?",
    ValueType.UINT64: "<Q",
    ValueType.INT64: "<q",
    ValueType.FLOAT64: "<d",
}


@dataclass(frozen=True)
class TensorType:
    """`block` elements take `bytes_per_block` bytes."""

    name: str
    block: int
    bytes_per_block: int


# Numbers and block sizes from ggml's public headers (`ggml.h`, `llama.h`). Removed types are left out, so
# that a file that still uses one is refused.
TENSOR_TYPES = {
    0: TensorType("F32", 1, 4),
    1: TensorType("F16", 1, 2),
    2: TensorType("Q4_0", 32, 18),
    3: TensorType("Q4_1", 32, 20),
    6: TensorType("Q5_0", 32, 22),
    7: TensorType("Q5_1", 32, 24),
    8: TensorType("Q8_0", 32, 34),
    9: TensorType("Q8_1", 32, 36),
    10: TensorType("Q2_K", 256, 84),
    11: TensorType("Q3_K", 256, 110),
    12: TensorType("Q4_K", 256, 144),
    13: TensorType("Q5_K", 256, 176),
    14: TensorType("Q6_K", 256, 210),
    15: TensorType("Q8_K", 256, 292),
    16: TensorType("IQ2_XXS", 256, 66),
    17: TensorType("IQ2_XS", 256, 74),
    18: TensorType("IQ3_XXS", 256, 98),
    19: TensorType("IQ1_S", 256, 50),
    20: TensorType("IQ4_NL", 32, 18),
    21: TensorType("IQ3_S", 256, 110),
    22: TensorType("IQ2_S", 256, 82),
    23: TensorType("IQ4_XS", 256, 136),
    24: TensorType("I8", 1, 1),
    25: TensorType("I16", 1, 2),
    26: TensorType("I32", 1, 4),
    27: TensorType("I64", 1, 8),
    28: TensorType("F64", 1, 8),
    29: TensorType("IQ1_M", 256, 56),
    30: TensorType("BF16", 1, 2),
    34: TensorType("TQ1_0", 256, 54),
    35: TensorType("TQ2_0", 256, 66),
    39: TensorType("MXFP4", 32, 17),
}

FILE_TYPES = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    19: "IQ2_XXS",
    20: "IQ2_XS",
    21: "Q2_K_S",
    22: "IQ3_XS",
    23: "IQ3_XXS",
    24: "IQ1_S",
    25: "IQ4_NL",
    26: "IQ3_S",
    27: "IQ3_M",
    28: "IQ2_S",
    29: "IQ2_M",
    30: "IQ4_XS",
    31: "IQ1_M",
    32: "BF16",
    36: "TQ1_0",
    37: "TQ2_0",
    38: "MXFP4_MOE",
}


@dataclass(frozen=True)
class Skipped:
    """An array that was stepped over: only its item kind and length are known."""

    kind: ValueType
    count: int


Value: TypeAlias = int | float | bool | str | tuple[Any, ...] | Skipped


@dataclass(frozen=True)
class GgufFacts:
    """What a model file says about itself. Counts are 0 where the file does not say."""

    architecture: str
    name: str
    quantization: str
    parameter_count: int
    context_tokens: int
    chat_template: str | None
    size_bytes: int
    layer_count: int
    embedding_length: int
    head_count: int
    head_count_kv: int
    key_length: int
    value_length: int
    is_recurrent: bool
    kv_heads_of_all_layers: int

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of KV cache for one token, at 16 bits a value."""
        return 2 * self.kv_heads_of_all_layers * (self.key_length + self.value_length)


def read_facts(path: Path) -> GgufFacts:
    """Read and check the head of `path`; the tensors' data is not touched.

    For a file that this process may read: one from somewhere is read by `models.heads`.

    Raises UserFacing with code `model-file-refused` and the reason, or `model-file-missing`.
    """
    try:
        with open_regular(path) as file:
            return _Reader(file).facts(path.stem)
    except _Refused as refusal:
        raise model_refused(path, refusal.reason) from None
    except FileNotFoundError as error:
        raise _missing(path) from error
    except OSError as error:
        raise model_refused(path, ModelReason.NOT_READABLE.of(error=error.strerror or str(error))) from error


def read_in_child(_source: Path, files: list[str]) -> list[dict[str, Any]]:
    """Of each file its facts. Raises Refused with the reason as JSON for the first that is refused."""
    try:
        return [asdict(read_facts(Path(file))) for file in files]
    except UserFacing as error:
        raise ParseRefused(json.dumps(error.reason.as_json()) if error.reason is not None else "") from error


class _Refused(WithReason):
    """Why the file cannot be used."""


@dataclass(frozen=True, slots=True)
class _Tensor:
    name: str
    type_number: int
    elements: int
    size: int
    offset: int


class _Window:
    """Sequential reading of a file through a small buffer, never past its end."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, 2)
        self._start = 0
        self._buffer = b""

        self.position = 0

    def take(self, count: int) -> bytes:
        """The next `count` bytes; `count` is bounded by the caller."""
        at = self.position - self._start
        if at < 0 or at + count > len(self._buffer):
            self._load(count)
            at = 0
        self.position += count
        return self._buffer[at : at + count]

    def skip(self, count: int) -> None:
        self._must_have(count)
        self.position += count

    def number(self, kind: ValueType) -> int | float | bool:
        layout = FORMATS[kind]
        value: int | float | bool = struct.unpack(layout, self.take(struct.calcsize(layout)))[0]
        return value

    def count(self, limit: int, too_many: ModelReason) -> int:
        """An unsigned 64-bit number that must not exceed `limit`."""
        value = int(self.number(ValueType.UINT64))
        if value > limit:
            raise _Refused(too_many.of(value=value))
        return value

    def skip_texts(self, count: int) -> None:
        """Step over `count` strings: the vocabulary, so this loop is kept tight."""
        # A vocabulary has a hundred thousand strings and more; of them only the lengths are looked at.
        length_at = struct.Struct("<Q").unpack_from
        while count:
            self._load(8)
            buffer, at, done = self._buffer, 0, 0
            try:
                for done in range(count):  # noqa: B007 - how far it came is what counts
                    at += 8 + length_at(buffer, at)[0]
                done = count
            except (struct.error, OverflowError):
                pass  # the next length lies behind this window; skip() refuses one behind the file
            count -= done
            self.position = self._start
            self.skip(at)

    def _load(self, count: int) -> None:
        self._must_have(count)
        self._file.seek(self.position)
        self._start = self.position
        self._buffer = self._file.read(max(count, WINDOW_BYTES))
        # Counts and sizes were compared with the size of the file before.
        if len(self._buffer) < count:  # the file shrank while it was read
            raise _Refused(ModelReason.CHANGED_WHILE_READ.of())

    def _must_have(self, count: int) -> None:
        if self.position + count > self.size:
            raise _Refused(ModelReason.ENDS_IN_DESCRIPTION.of())


class _Reader:
    def __init__(self, file: BinaryIO) -> None:
        self._window = _Window(file)
        self._kept_bytes = 0

    def facts(self, fallback_name: str) -> GgufFacts:
        tensor_count, key_count = self._head()
        keys = self._keys(key_count)
        tensors = self._tensors(tensor_count)
        _check_purpose(keys, tensors)
        self._check_places(keys, tensors)
        return _facts(keys, tensors, self._window.size, fallback_name)

    def _head(self) -> tuple[int, int]:
        window = self._window
        if not window.size:
            raise _Refused(ModelReason.FILE_EMPTY.of())
        start = window.take(min(window.size, 64))
        # Before anything is read of it: nothing else in the file means what it seems to.
        if start[:4] != MAGIC:
            raise _Refused(_foreign(start))
        window.position = 4
        version = int(window.number(ValueType.UINT32))
        if version not in VERSIONS:
            oldest, newest = VERSIONS
            raise _Refused(ModelReason.OTHER_VERSION.of(version=version, oldest=oldest, newest=newest))
        return (
            window.count(MAX_TENSORS, ModelReason.TOO_MANY_TENSORS),
            window.count(MAX_KEYS, ModelReason.TOO_MANY_PROPERTIES),
        )

    def _keys(self, count: int) -> dict[str, Value]:
        keys: dict[str, Value] = {}
        for _ in range(count):
            key = self._text(MAX_KEY_BYTES, ModelReason.PROPERTY_NAME_TOO_LONG)
            if key in keys:
                raise _Refused(ModelReason.STATED_TWICE.of(key=key[:80]))
            keys[key] = self._value(self._kind())
        return keys

    def _kind(self) -> ValueType:
        number = int(self._window.number(ValueType.UINT32))
        try:
            return ValueType(number)
        except ValueError:
            raise _Refused(ModelReason.UNKNOWN_PROPERTY_TYPE.of(number=number)) from None

    def _value(self, kind: ValueType) -> Value:
        if kind is ValueType.STRING:
            return self._text(MAX_TEXT_BYTES, ModelReason.TEXT_TOO_LONG)
        if kind is ValueType.ARRAY:
            return self._array()
        return self._window.number(kind)

    def _array(self) -> Value:
        kind = self._kind()
        if kind is ValueType.ARRAY:
            raise _Refused(ModelReason.NESTED_LISTS.of())
        count = self._window.count(MAX_ARRAY_ITEMS, ModelReason.LIST_TOO_LONG)
        if kind is ValueType.STRING:
            self._window.skip_texts(count)
        elif count > MAX_KEPT_ITEMS:
            self._window.skip(count * struct.calcsize(FORMATS[kind]))
        else:
            self._keep(count * 32)
            return tuple(self._window.number(kind) for _ in range(count))
        return Skipped(kind, count)

    def _text(self, limit: int, too_long: ModelReason) -> str:
        length = self._window.count(limit, too_long)
        self._keep(length)
        return self._window.take(length).decode("utf-8", errors="replace")

    def _keep(self, count: int) -> None:
        """Bound what a hostile file can make us remember in all."""
        self._kept_bytes += count
        if self._kept_bytes > MAX_KEPT_BYTES:
            raise _Refused(ModelReason.DESCRIPTION_TOO_LONG.of())

    def _tensors(self, count: int) -> tuple[_Tensor, ...]:
        tensors = tuple(self._tensor() for _ in range(count))
        if len({tensor.name for tensor in tensors}) != count:
            raise _Refused(ModelReason.SAME_TENSOR_NAME.of())
        return tensors

    def _tensor(self) -> _Tensor:
        window = self._window
        name = self._text(MAX_TENSOR_NAME_BYTES, ModelReason.TENSOR_NAME_TOO_LONG)
        dimensions = int(window.number(ValueType.UINT32))
        if not 1 <= dimensions <= MAX_DIMENSIONS:
            raise _Refused(ModelReason.TOO_MANY_DIMENSIONS.of(name=name, dimensions=dimensions))
        shape = tuple(window.count(MAX_ELEMENTS, ModelReason.TENSOR_TOO_LARGE) for _ in range(dimensions))
        type_number = int(window.number(ValueType.UINT32))
        offset = int(window.number(ValueType.UINT64))
        return _Tensor(name, type_number, *_extent(name, shape, type_number), offset)

    def _check_places(self, keys: Mapping[str, Value], tensors: tuple[_Tensor, ...]) -> None:
        alignment = keys.get("general.alignment", 32)
        if type(alignment) is not int or not 1 <= alignment <= MAX_ALIGNMENT or alignment & (alignment - 1):
            raise _Refused(ModelReason.WRONG_ALIGNMENT.of())
        start = -(-self._window.position // alignment) * alignment
        end = 0
        for tensor in sorted(tensors, key=lambda tensor: tensor.offset):
            if tensor.offset % alignment or tensor.offset < end:
                raise _Refused(ModelReason.TENSORS_OVERLAP.of(name=tensor.name))
            end = tensor.offset + tensor.size
        missing = start + end - self._window.size
        if missing > 0:
            raise _Refused(ModelReason.BYTES_MISSING.of(missing=missing, expected=start + end))


def _extent(name: str, shape: tuple[int, ...], type_number: int) -> tuple[int, int]:
    """Elements and bytes of a tensor."""
    kind = TENSOR_TYPES.get(type_number)
    if kind is None:
        raise _Refused(ModelReason.UNKNOWN_TENSOR_TYPE.of(name=name, number=type_number))
    elements = 1
    for length in shape:
        elements *= length
    if not 0 < elements <= MAX_ELEMENTS or shape[0] % kind.block:
        raise _Refused(ModelReason.IMPOSSIBLE_SHAPE.of(name=name))
    return elements, elements // kind.block * kind.bytes_per_block


def _check_purpose(keys: Mapping[str, Value], tensors: tuple[_Tensor, ...]) -> None:
    """Refuse sound GGUF files that are not a whole language model."""
    parts = keys.get("split.count", 1)
    if isinstance(parts, int) and parts > 1:
        raise _Refused(ModelReason.SPLIT_MODEL.of(parts=parts))
    if keys.get("general.type", "model") in ("adapter", "mmproj", "imatrix"):
        raise _Refused(ModelReason.ONLY_AN_ADDITION.of(kind=str(keys["general.type"])))
    if keys.get("general.architecture") == "clip":
        raise _Refused(ModelReason.IMAGE_ENCODER.of())
    if not tensors:
        raise _Refused(ModelReason.NO_WEIGHTS.of())


def _facts(
    keys: Mapping[str, Value], tensors: tuple[_Tensor, ...], size_bytes: int, fallback_name: str
) -> GgufFacts:
    architecture = keys.get("general.architecture")
    if not isinstance(architecture, str) or not architecture:
        raise _Refused(ModelReason.NO_ARCHITECTURE.of())
    own = _Own(keys, architecture)
    name, template = keys.get("general.name"), keys.get("tokenizer.chat_template")
    layers, embedding = own.number("block_count"), own.number("embedding_length")
    if not layers or not embedding:
        raise _Refused(ModelReason.NO_LAYER_SIZE.of())
    heads = own.per_layer("attention.head_count", layers)
    heads_kv = (
        own.per_layer("attention.head_count_kv", layers) if own.has("attention.head_count_kv") else heads
    )
    head_length = embedding // max(heads) if max(heads) else 0
    return GgufFacts(
        architecture=architecture,
        name=name if isinstance(name, str) and name else fallback_name,
        quantization=_quantization(keys, tensors),
        parameter_count=sum(tensor.elements for tensor in tensors),
        context_tokens=own.number("context_length"),
        chat_template=template if isinstance(template, str) and template else None,
        size_bytes=size_bytes,
        layer_count=layers,
        embedding_length=embedding,
        head_count=max(heads),
        head_count_kv=max(heads_kv),
        key_length=own.number("attention.key_length") or head_length,
        value_length=own.number("attention.value_length") or head_length,
        is_recurrent=architecture in RECURRENT or any(own.number(key) for key in RECURRENT_KEYS),
        kv_heads_of_all_layers=sum(heads_kv),
    )


class _Own:
    """The properties that carry the architecture's name, as bounded numbers."""

    LIMIT = 1 << 31

    def __init__(self, keys: Mapping[str, Value], architecture: str) -> None:
        self._keys = keys
        self._prefix = architecture + "."

    def has(self, key: str) -> bool:
        return self._prefix + key in self._keys

    def number(self, key: str) -> int:
        return self._bounded(key, self._keys.get(self._prefix + key, 0))

    def per_layer(self, key: str, layers: int) -> tuple[int, ...]:
        """One number for each layer; files state either one for all or a list."""
        if layers > MAX_KEPT_ITEMS:
            raise _Refused(ModelReason.TOO_MANY_LAYERS.of(layers=layers))
        value = self._keys.get(self._prefix + key, 0)
        if not isinstance(value, tuple):
            return (self._bounded(key, value),) * layers
        # llama.cpp would read behind the end of such a list.
        if len(value) < layers:
            raise _Refused(ModelReason.MISFITS_LAYERS.of(key=key, layers=layers))
        return tuple(self._bounded(key, item) for item in value[:layers])

    def _bounded(self, key: str, value: Value) -> int:
        if type(value) is not int or not 0 <= value < self.LIMIT:
            raise _Refused(ModelReason.SENSELESS_VALUE.of(key=key))
        return value


def _quantization(keys: Mapping[str, Value], tensors: tuple[_Tensor, ...]) -> str:
    """The usual label: what the file says if its tensors bear it out, else what most of it is."""
    sizes: dict[str, int] = {}
    for tensor in tensors:
        kind = TENSOR_TYPES[tensor.type_number].name
        sizes[kind] = sizes.get(kind, 0) + tensor.size
    main = max(sizes, key=lambda kind: sizes[kind])
    # Files are renamed and converted; the label has to agree with what the tensors really are.
    stated = keys.get("general.file_type")
    label = FILE_TYPES.get(stated, "") if type(stated) is int else ""
    return label if any(label.startswith(kind) for kind in sizes) else main


def _foreign(start: bytes) -> Reason:
    for magic, reason in FOREIGN:
        if start.startswith(magic):
            return reason
    text = start.lstrip().lower()
    # A sign-in page of the network, saved under the name of the model.
    if text.startswith((b"<!doctype", b"<html", b"<?xml")):
        return ModelReason.WEB_PAGE.of()
    if len(start) > 9 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") < 1 << 30:
        return ModelReason.SAFETENSORS.of()
    if text.startswith((b"{", b"[")):
        return ModelReason.TEXT_FILE.of()
    return ModelReason.NOT_GGUF.of()


def model_refused(path: Path, reason: Reason) -> UserFacing:
    """Why a file is no model for us."""
    return UserFacing(ModelReason.MODEL_FILE_REFUSED.of(name=path.name, reason=reason))


def _missing(path: Path) -> UserFacing:
    return UserFacing(ModelReason.MODEL_FILE_MISSING.of(path=path))
