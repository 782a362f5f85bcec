"""A model that says what its script says, behind the same protocol as llama.cpp.

It keeps the books of a KV cache strictly: positions without gaps, a limited number of cells, shared and saved
states. A test can ask what was evaluated, and what the cache held when an answer began.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from desktop.chat.prompts import NOTHING_ASKED
from desktop.engine.inference import ContextShape, Decoded, InferenceError, LoadCancelled, TextOrigin
from desktop.engine.requests import Sampling
from desktop.models.gguf import GgufFacts
from desktop.models.library import InstalledModel
from desktop.reasons import Reason

CONTROL = ("<|im_start|>", "<|im_end|>")
MARKS = ("<think>", "</think>")
CLOSING = "}\n</tool_call>"  # of a call in the form of the Hermes family
END = 1  # the id of <|im_end|>
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_WORDS = re.compile(r"\s?\w+|\s|[^\w\s]")

Answers = str | Sequence[str] | Callable[[str], str]


@dataclass(frozen=True)
class Evaluation:
    """One call of decode that ended well."""

    sequence: int
    position: int
    text: str
    tokens: int


class Vocabulary:
    """Words become tokens as they come."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._texts: list[str] = []
        for text in (*CONTROL, *MARKS):
            self.id(text)

    def id(self, text: str) -> int:
        if text not in self._ids:
            self._ids[text] = len(self._texts)
            self._texts.append(text)
        return self._ids[text]

    def text(self, tokens: Sequence[int]) -> str:
        return "".join(self._texts[token] for token in tokens)

    def tokenize(self, text: str, origin: TextOrigin) -> list[int]:
        special = {TextOrigin.TEMPLATE: CONTROL + MARKS, TextOrigin.MODEL: MARKS, TextOrigin.FOREIGN: ()}[
            origin
        ]
        parts = re.split("(" + "|".join(map(re.escape, special)) + ")", text) if special else [text]
        words = (w for part in parts for w in ([part] if part in special else _WORDS.findall(part)))
        return [self.id(word) for word in words]


@dataclass
class ScriptedBackend:
    """`answers`: one text for all, one after another (the last again and again), or made from the prompt."""

    answers: Answers = "Hello there."
    token_s: float = 0.0  # how long a token takes
    prompt_token_s: float = 0.0  # how long a token of a prompt takes
    whole_only: bool = False  # like a recurrent model: sequences cannot be cut
    devices: tuple[str, ...] = ("cpu",)
    context_error: Callable[[str], bool] = lambda device: False
    load_error: str = ""
    template: str | None = TEMPLATE
    on_decode: Callable[[ScriptedContext, Sequence[int]], None] = lambda context, tokens: None
    on_load: Callable[[Path], None] = lambda path: None
    calls: Sequence[tuple[str, dict[str, Any]]] = ()  # tools to call, one after another, before the answer
    commands: Callable[[str], str] = lambda prompt: "answer"  # for a request that no table reads
    build: str = "scripted 1"
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    loads: list[Path] = field(default_factory=list)
    evaluated: list[Evaluation] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)  # what the sequence held when an answer began
    read_ahead: list[str] = field(default_factory=list)  # the same where nobody asked
    calls_made: int = 0
    restored: int = 0  # states put back into a context
    open_models: int = 0
    open_contexts: int = 0
    _answered: Iterator[int] = field(default_factory=count)

    @property
    def has_gpu(self) -> bool:
        return self.devices[0] != "cpu"

    @property
    def has_gpu_backend(self) -> bool:
        return self.devices[0] != "cpu"

    def load(self, path: Path, gpu_layers: int, progress: Callable[[float], bool]) -> ScriptedModel:
        self.loads.append(path)
        self.on_load(path)
        if self.load_error:
            raise InferenceError(self.load_error)
        for fraction in (0.0, 0.5, 1.0):
            if not progress(fraction):
                raise LoadCancelled
        device = self.devices[-1] if gpu_layers == 0 else self.devices[0]
        self.open_models += 1
        return ScriptedModel(self, device)

    def next_answer(self, prompt: str) -> str:
        """The text that answers `prompt`; the content of a file where that is asked for by itself. What is
        only read ahead counts for nothing."""
        if NOTHING_ASKED in prompt:
            self.read_ahead.append(prompt)
            return "."
        self.prompts.append(prompt)
        if "Reply only with the text for the file" in prompt and self.calls_made:
            return str(self.calls[self.calls_made - 1][1].get("content", ""))
        if callable(self.answers):
            return self.answers(prompt)
        answers = [self.answers] if isinstance(self.answers, str) else self.answers
        return answers[min(next(self._answered), len(answers) - 1)]

    @property
    def call(self) -> tuple[str, dict[str, Any]] | None:
        """The next one of `calls`."""
        return self.calls[self.calls_made] if self.calls_made < len(self.calls) else None

    def constrained(self, grammar: str, prompt: str = "") -> str:
        """What is written under a grammar: the name or the arguments of the next call, or commands; nothing
        where words are wanted, so that the answer follows whole."""
        if grammar.startswith('root ::= "answer"'):
            return self.commands(prompt)
        names = re.match(r'root ::= \( "([^"]+)"', grammar)
        if names is not None:
            return (self.call[0] if self.call is not None else names[1]) + '"'
        if self.call is None or not grammar.startswith(('root ::= "{"', "root ::= root-value")):
            return ""
        arguments = self.call[1]
        self.calls_made += 1
        return json.dumps(arguments, ensure_ascii=False) + CLOSING

    @property
    def evaluated_tokens(self) -> int:
        return sum(evaluation.tokens for evaluation in self.evaluated)


class ScriptedModel:
    logits_share = 0.1

    def __init__(self, backend: ScriptedBackend, device: str) -> None:
        self._backend = backend
        self.device = device
        self.gpu_layers = 0 if device == "cpu" else 32
        self.notice: Reason | None = None
        self.chat_template = backend.template
        self.begin_text, self.end_text = "", CONTROL[1]
        self.begin_token = None
        self.adds_begin = False
        self.control_texts = CONTROL

    def tokenize(self, text: str, origin: TextOrigin, at_start: bool) -> list[int]:
        return self._backend.vocabulary.tokenize(text, origin)

    def piece(self, token: int) -> bytes:
        text = self._backend.vocabulary.text([token])
        return b"" if text in CONTROL else text.encode()

    def is_end(self, token: int) -> bool:
        return token == END

    def new_context(self, shape: ContextShape) -> ScriptedContext:
        if self._backend.context_error(self.device):
            raise InferenceError("no memory for the context")
        self._backend.open_contexts += 1
        return ScriptedContext(self._backend, shape)

    def close(self) -> None:
        assert self._backend.open_contexts == 0, "weights freed under a context"
        self._backend.open_models -= 1


class ScriptedContext:
    def __init__(self, backend: ScriptedBackend, shape: ContextShape) -> None:
        self.interrupt = threading.Event()
        self.shape = shape
        self.threads = (shape.threads, shape.batch_threads)
        self._backend = backend
        self._sequences: list[list[tuple[int, int]]] = [[] for _ in range(shape.sequences)]  # (cell, token)
        self._cells = count()
        self._latest = 0

    @property
    def free_cells(self) -> int:
        used = {cell for sequence in self._sequences for cell, _ in sequence}
        return self.shape.cells - len(used)

    def text(self, sequence: int) -> str:
        """All that a sequence holds."""
        return self._backend.vocabulary.text([token for _, token in self._sequences[sequence]])

    def decode(self, tokens: Sequence[int], position: int, sequence: int, every_row: bool = False) -> Decoded:
        held = self._sequences[sequence]
        assert position == len(held), f"a gap: position {position} after {len(held)} tokens"
        assert 0 < len(tokens) <= self.shape.batch_tokens
        if len(tokens) > self.free_cells:
            return Decoded.NO_SLOT
        self._backend.on_decode(self, tokens)
        seconds = self._backend.token_s if len(tokens) == 1 else self._backend.prompt_token_s * len(tokens)
        if self.interrupt.wait(seconds) if seconds else self.interrupt.is_set():
            held.append((next(self._cells), tokens[0]))  # an interrupted batch leaves something behind
            return Decoded.INTERRUPTED
        held.extend((next(self._cells), token) for token in tokens)
        self._latest = sequence
        text = self._backend.vocabulary.text(tokens)
        self._backend.evaluated.append(Evaluation(sequence, position, text, len(tokens)))
        return Decoded.DONE

    def sampler(self, sampling: Sampling, grammar: str | None) -> ScriptedSampler:
        if grammar == "broken":
            raise ValueError("the grammar could not be read")
        return ScriptedSampler(self._backend, self, grammar)

    def logits(self, tokens: Sequence[int]) -> list[float]:
        """Yes is likelier as long as there are calls to make, else no."""
        call, texts = self._backend.call, [self._backend.vocabulary.text([t]) for t in tokens]
        named = call[0] if call is not None else ""
        wanted = {"no" if call is None or "general knowledge" in self.latest_text() else "yes", named}
        return [float(text.strip().casefold() in wanted) * 9 for text in texts]

    def likelihood(self, token: int, row: int) -> float:
        """What is said for the next of the calls to make is likelier than for another, or for none."""
        call = self._backend.call
        is_said = call is not None and re.search(rf"\b{re.escape(call[0])}\(", self.latest_text())
        return -1.0 if is_said else -5.0

    def latest_text(self) -> str:
        """What the sequence holds that was evaluated last."""
        return self.text(self._latest)

    def cut(self, sequence: int, position: int) -> bool:
        held = self._sequences[sequence]
        if self._backend.whole_only and 0 < position < len(held):
            held.clear()
            return False
        del held[position:]
        return True

    def copy(self, source: int, target: int, end: int) -> bool:
        assert not self._sequences[target], "the target of a copy is not empty"
        if self._backend.whole_only:
            return False
        self._sequences[target] = self._sequences[source][:end]
        return True

    def save(self, sequence: int) -> bytes:
        return ",".join(str(token) for _, token in self._sequences[sequence]).encode()

    def restore(self, sequence: int, state: bytes) -> bool:
        assert not self._sequences[sequence], "the target of a restore is not empty"
        tokens = [int(token) for token in state.decode().split(",") if token]
        if len(tokens) > self.free_cells:
            return False
        self._sequences[sequence] = [(next(self._cells), token) for token in tokens]
        self._backend.restored += 1
        return True

    def set_threads(self, threads: int, batch_threads: int) -> None:
        self.threads = (threads, batch_threads)

    def close(self) -> None:
        self._backend.open_contexts -= 1


class ScriptedSampler:
    def __init__(self, backend: ScriptedBackend, context: ScriptedContext, grammar: str | None) -> None:
        self._grammar = grammar
        self._backend = backend
        self._context = context
        self._tokens: Iterator[int] | None = None
        self.closed = False

    def sample(self, row: int = -1) -> int:
        assert not self.closed
        if self._tokens is None:
            if self._grammar is not None:
                answer = self._backend.constrained(self._grammar, self._context.latest_text())
            else:
                answer = self._backend.next_answer(self._context.latest_text())
            self._tokens = iter(self._backend.vocabulary.tokenize(answer, TextOrigin.MODEL))
        return next(self._tokens, END)

    def close(self) -> None:
        self.closed = True


def facts(**changes: Any) -> GgufFacts:
    """What a small model file would say about itself."""
    plain = GgufFacts(
        architecture="llama",
        name="Scripted",
        quantization="Q4_K_M",
        parameter_count=1000,
        context_tokens=8192,
        chat_template=TEMPLATE,
        size_bytes=1000,
        layer_count=1,
        embedding_length=64,
        head_count=1,
        head_count_kv=1,
        key_length=64,
        value_length=64,
        is_recurrent=False,
        kv_heads_of_all_layers=1,
    )
    return replace(plain, **changes)


def installed(folder: Path, model_id: str = "scripted", **changes: Any) -> InstalledModel:
    """A model in `folder` that a ScriptedBackend can load."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{model_id}.gguf"
    path.write_bytes(b"scripted")
    return InstalledModel(
        id=model_id,
        name=model_id.capitalize(),
        path=path,
        size_bytes=8,
        sha256="0" * 64,
        facts=facts(**changes),
        by_reference=True,
        installed_at="2026-01-01T00:00:00+00:00",
    )
