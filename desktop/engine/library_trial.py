"""Whether a copy of llama.cpp's libraries that was compiled elsewhere may be trusted with a conversation.

`python -m desktop.engine.library_trial VERSION` is run in a process of its own: a library that does not fit
may end it. It exits with 0 where the library is that version of llama.cpp, has every function that the engine
calls, fills structures of the size and order that are declared, and computes a small model as other builds
do; else it says what is wrong.
"""

from __future__ import annotations

import ctypes
import platform
import random
import re
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from desktop.engine.inference import ContextShape, Decoded, TextOrigin
from desktop.engine.llama import LlamaBackend, LlamaContext, LlamaModel
from desktop.engine.requests import Sampling
from desktop.temporary import temporary_folder

FUNCTION = re.compile(r"\b_?api\.((?:llama|ggml)_[a-z]\w*)\(")
ROOM = Path(__file__).parent
MOST_BYTES = 4096  # room for a structure that is larger than what is declared
FILLS = (0xA5, 0x5A)

# What `llama.h` says of new parameters. A field that moved shows as another's value.
MODEL_DEFAULTS = {
    "n_gpu_layers": -1,
    "split_mode": 1,
    "main_gpu": 0,
    "vocab_only": False,
    "use_extra_bufts": True,
}
CONTEXT_DEFAULTS = {
    "n_ctx": 512,
    "n_batch": 2048,
    "n_ubatch": 512,
    "n_seq_max": 1,
    "n_threads": 4,
    "n_threads_batch": 4,
    "rope_scaling_type": -1,
    "pooling_type": -1,
    "yarn_ext_factor": -1.0,
    "type_k": 1,
    "type_v": 1,
    "embeddings": False,
    "offload_kqv": True,
    "kv_unified": False,
    "n_samplers": 0,
}

# The small model: random weights, always the same. One matrix in each of the formats that models come in.
EMBEDDING, FEED_FORWARD, LAYERS, HEADS, CONTEXT = 256, 512, 2, 4, 128
F32, Q4_0, Q8_0, Q4_K, Q6_K = 0, 2, 8, 12, 14
QUANTIZED = {
    Q4_0: (32, 18),
    Q8_0: (32, 34),
    Q4_K: (256, 144),
    Q6_K: (256, 210),
}  # elements and bytes of a block
SCALE = 0.02
QUESTION = "Is it true?"
DIGITS = 'root ::= [0-9] [0-9] [0-9] "."'
# What the model goes on with, computed by the llama.cpp that is compiled here.
ANSWER = (12, 51, 173, 96, 201, 225, 163, 146, 64, 307, 51, 309, 85)


class Unfit(Exception):
    """Why the library cannot be used, as a sentence for the log of the set-up."""


def try_library(version: str) -> None:
    """Raises Unfit, or what the library brings about; `version` is what it must say of itself."""
    backend = LlamaBackend()
    api = backend.library
    found = api.llama_version().decode()
    if found != version:
        raise Unfit(f"it is llama.cpp {found}, not {version}")
    # What makes a callback is a type, and is called like a function.
    called = {name for name in called_functions() if not isinstance(getattr(api, name, None), type)}
    missing = sorted(name for name in called if not hasattr(api._lib, name))
    if missing:
        raise Unfit(f"it lacks {', '.join(missing)}")
    compare(api, "llama_model_default_params", api.llama_model_params, MODEL_DEFAULTS)
    compare(api, "llama_context_default_params", api.llama_context_params, CONTEXT_DEFAULTS)
    with temporary_folder("trial") as folder:
        file = folder / "small.gguf"
        file.write_bytes(small_model())
        answer = small_answer(backend, file)
    if answer != ANSWER:
        raise Unfit(f"it computes {answer} where other builds compute {ANSWER}")


def called_functions() -> frozenset[str]:
    """The functions of llama.cpp that the engine's source calls."""
    return frozenset(
        name for file in ROOM.glob("*.py") for name in FUNCTION.findall(file.read_text(encoding="utf-8"))
    )


def compare(
    api: Any, function: str, structure: type[ctypes.Structure], expected: Mapping[str, object]
) -> None:
    """Raise Unfit where `function` fills another structure than is declared."""
    declared, filled = ctypes.sizeof(structure), filled_bytes(api, function)
    # Whether the bytes that only fill up to the alignment are written is the compiler's choice.
    if filled is not None and not declared - ctypes.alignment(structure) < filled <= declared:
        raise Unfit(f"{function} fills {filled} bytes, and {declared} are declared")
    defaults = getattr(api, function)()
    for name, value in expected.items():
        if getattr(defaults, name) != value:
            raise Unfit(f"{function} has {name} = {getattr(defaults, name)}, not {value}")


def filled_bytes(api: Any, function: str) -> int | None:
    """How many bytes of its result `function` writes; None where this processor passes results otherwise.

    On x86-64 the caller gives the place of a large result as a first argument, so the function can be called
    with a place of ours that is larger and filled before. A byte that keeps both fills was not written.
    """
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return None
    address = ctypes.cast(getattr(api._lib, function), ctypes.c_void_p).value
    into = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(address or 0)
    places = [(ctypes.c_ubyte * MOST_BYTES)(*[fill] * MOST_BYTES) for fill in FILLS]
    for place in places:
        into(ctypes.addressof(place))
    written = [n for n, pair in enumerate(zip(*places, strict=True)) if pair != FILLS]
    return written[-1] + 1 if written else 0


def small_answer(backend: LlamaBackend, file: Path) -> tuple[int, ...]:
    """Tokens of the small model: eight likeliest, three that a grammar allows, one after a restore."""
    model = backend.load(file, 0, lambda _fraction: True)
    context = model.new_context(ContextShape(CONTEXT, 2, CONTEXT, 1, 1))
    tokens = model.tokenize(QUESTION, TextOrigin.FOREIGN, at_start=True)
    answer = [len(tokens), *likeliest(context, tokens, 8), *spelled(model, context, len(tokens) + 8)]
    state = context.save(0)
    # The second sequence goes on where the first one is.
    if not context.restore(1, state):
        raise Unfit("it does not take back a state that it has written")
    context.decode([tokens[0]], len(tokens) + 11, 1)
    answer += likeliest(context, [], 1)
    context.close()
    model.close()
    return tuple(answer)


def likeliest(context: LlamaContext, tokens: list[int], count: int) -> Iterator[int]:
    """The next `count` tokens after `tokens`, evaluated from the start; without any, of the last result."""
    sampler = context.sampler(Sampling(temperature=0, repeat_penalty=1.0), None)
    position = len(tokens)
    if tokens and context.decode(tokens, 0, 0) is not Decoded.DONE:
        raise Unfit("it computes nothing")
    for _ in range(count):
        token = sampler.sample()
        yield token
        if tokens:
            context.decode([token], position, 0)
            position += 1
    sampler.close()


def spelled(model: LlamaModel, context: LlamaContext, position: int) -> Iterator[int]:
    """Three digits, which nothing but the grammar asks for."""
    sampler = context.sampler(Sampling(temperature=0, repeat_penalty=1.05), DIGITS)
    for _ in range(3):
        token = sampler.sample()
        if not model.piece(token).isdigit():
            raise Unfit("it does not hold to a grammar")
        yield token
        context.decode([token], position, 0)
        position += 1
    sampler.close()


def small_model() -> bytes:
    """A GGUF file of some 2 MB: Llama's architecture, a token for each byte, random weights."""
    dice = random.Random(20)  # noqa: S311 - the same weights everywhere, not secret ones
    # llama.cpp's own order of the first three, then every byte, which is enough to spell any text.
    texts = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    texts += [f"▁{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"] + [chr(n) for n in range(33, 127)]
    vocabulary = len(texts)
    kinds = [2, 3, 3] + [6] * 256 + [1] * (vocabulary - 259)
    keys = {
        "general.architecture": "llama",
        "general.name": "Trial",
        "llama.block_count": LAYERS,
        "llama.embedding_length": EMBEDDING,
        "llama.feed_forward_length": FEED_FORWARD,
        "llama.context_length": CONTEXT,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": HEADS // 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": EMBEDDING // HEADS,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.scores": [0.0] * vocabulary,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
    }
    weights = dict(_weights(dice, vocabulary))
    table, data = b"", b""
    for name, (kind, shape, content) in weights.items():
        table += _text(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
        table += struct.pack("<IQ", kind, len(data))
        data += content + bytes(-len(content) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(weights), len(keys))
    head += b"".join(_text(key) + _typed(value) for key, value in keys.items()) + table
    return head + bytes(-len(head) % 32) + data


def _weights(
    dice: random.Random, vocabulary: int
) -> Iterator[tuple[str, tuple[int, tuple[int, ...], bytes]]]:
    """Name, format, shape and bytes of every matrix."""
    narrow = EMBEDDING // 2  # keys and values: half of the heads
    ones = struct.pack(f"<{EMBEDDING}f", *[1.0] * EMBEDDING)
    yield "token_embd.weight", _matrix(dice, Q8_0, EMBEDDING, vocabulary)
    yield "output_norm.weight", (F32, (EMBEDDING,), ones)
    yield "output.weight", _matrix(dice, Q6_K, EMBEDDING, vocabulary)
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        yield f"{name}attn_norm.weight", (F32, (EMBEDDING,), ones)
        yield f"{name}attn_q.weight", _matrix(dice, Q4_K, EMBEDDING, EMBEDDING)
        yield f"{name}attn_k.weight", _matrix(dice, Q4_K, EMBEDDING, narrow)
        yield f"{name}attn_v.weight", _matrix(dice, Q6_K, EMBEDDING, narrow)
        yield f"{name}attn_output.weight", _matrix(dice, Q4_0, EMBEDDING, EMBEDDING)
        yield f"{name}ffn_norm.weight", (F32, (EMBEDDING,), ones)
        yield f"{name}ffn_gate.weight", _matrix(dice, Q4_0, EMBEDDING, FEED_FORWARD)
        yield f"{name}ffn_up.weight", _matrix(dice, Q8_0, EMBEDDING, FEED_FORWARD)
        yield f"{name}ffn_down.weight", _matrix(dice, Q4_K, FEED_FORWARD, EMBEDDING)


def _matrix(dice: random.Random, kind: int, columns: int, rows: int) -> tuple[int, tuple[int, ...], bytes]:
    elements, size = QUANTIZED[kind]
    blocks = columns * rows // elements
    scale = struct.pack("<e", SCALE)
    # Any bytes are weights; only the scales must be numbers, and of a like size in all formats.
    block: Callable[[], bytes] = {
        Q4_0: lambda: scale + dice.randbytes(16),
        Q8_0: lambda: struct.pack("<e", SCALE / 16) + dice.randbytes(32),
        Q4_K: lambda: struct.pack("<ee", SCALE / 32, SCALE / 8) + dice.randbytes(size - 4),
        Q6_K: lambda: dice.randbytes(size - 2) + struct.pack("<e", SCALE / 512),
    }[kind]
    return kind, (columns, rows), b"".join(block() for _ in range(blocks))


def _text(content: str) -> bytes:
    encoded = content.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _typed(value: object) -> bytes:
    """A value with the number of its type before it."""
    match value:
        case str():
            return struct.pack("<I", 8) + _text(value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(_text(str(each)) for each in value)
        case [float(), *_]:
            return struct.pack(f"<IIQ{len(value)}f", 9, 6, len(value), *value)
        case [int(), *_]:
            return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)
    raise TypeError(f"no such value in a GGUF file: {value!r}")


def main() -> None:
    import logging

    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    try:
        try_library(sys.argv[1])
    except (Unfit, OSError, AttributeError, RuntimeError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
