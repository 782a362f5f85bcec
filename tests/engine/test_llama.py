"""llama.cpp behind the engine, with the real SmolLM2."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.engine.engine import Engine, start_thread
from desktop.engine.ggml_backends import device_word
from desktop.engine.inference import ContextShape, Decoded, LoadCancelled, TextOrigin
from desktop.engine.llama import LlamaBackend, LlamaModel
from desktop.engine.lookup import EXPECTED_COST, DecodeCost
from desktop.engine.requests import FinishReason, GenerateRequest, Message, Sampling
from desktop.engine.session import PromptBuilder, _template
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.gguf import read_facts
from desktop.models.library import InstalledModel
from desktop.paths import Paths
from desktop.settings import ModelSettings
from tests.processor_time import processor_time

pytestmark = pytest.mark.model

GREEDY = Sampling(temperature=0, max_tokens=24)
QUESTION = (Message("system", "You answer in one sentence."), Message("user", "What is the sea?"))
LONG = "The sea is large, and nobody has counted its waves. " * 60


def is_control(model: LlamaModel, token: int) -> bool:
    """Whether the token steers the model and is no text."""
    return bool(model._api.llama_vocab_is_control(model._vocab, token))


@pytest.fixture(scope="module")
def backend() -> LlamaBackend:
    return LlamaBackend()


@pytest.fixture(scope="module")
def loaded(backend: LlamaBackend, smollm2: Path) -> Iterator[LlamaModel]:
    model = backend.load(smollm2, 0, lambda fraction: True)
    yield model
    model.close()


@pytest.fixture
def engine(paths: Paths, bus: Bus, backend: LlamaBackend, smollm2: Path) -> Iterator[Engine]:
    """An engine with SmolLM2, one thread so that other tests may run beside it."""
    engine = Engine(paths, bus, lambda: ModelSettings(context_tokens=2048, threads=1), backend)
    thread = start_thread(engine)
    engine.use(installed(smollm2))
    yield engine
    engine.close()
    thread.join(20)


def installed(path: Path) -> InstalledModel:
    facts = read_facts(path)
    return InstalledModel(
        "smollm2", "SmolLM2", path, facts.size_bytes, None, facts, True, "2026-01-01T00:00:00Z"
    )


class Bare:
    """A plain loop over the same calls: computes what it does not hold, then token by token."""

    def __init__(self, model: LlamaModel) -> None:
        self._model = model
        self._context = model.new_context(ContextShape(2048, 1, 512, 1, 1))
        self._held: list[int] = []

    def answer(self, tokens: list[int], sampling: Sampling) -> list[int]:
        assert tokens[: len(self._held)] == self._held
        sampler = self._context.sampler(sampling, None)
        answer: list[int] = []
        while len(answer) < sampling.max_tokens:
            pending = [*tokens, *answer][len(self._held) :][:512]
            assert self._context.decode(pending, len(self._held), 0) is Decoded.DONE
            self._held += pending
            if len(self._held) < len(tokens):
                continue
            token = sampler.sample()
            if self._model.is_end(token):
                break
            answer.append(token)
        sampler.close()
        return answer

    def close(self) -> None:
        self._context.close()


def bare_answer(model: LlamaModel, tokens: list[int], sampling: Sampling) -> list[int]:
    bare = Bare(model)
    try:
        return bare.answer(tokens, sampling)
    finally:
        bare.close()


def said(model: LlamaModel, tokens: list[int]) -> str:
    return b"".join(model.piece(token) for token in tokens).decode()


def test_greedy_answers_equal_those_of_a_plain_loop(engine: Engine, loaded: LlamaModel) -> None:
    """Scheduler, cache and streams change nothing in what the model says, over two turns."""
    request = GenerateRequest("a", QUESTION, GREEDY)
    prompts = PromptBuilder(loaded, _template(loaded, "llama"))
    bare = Bare(loaded)
    expected = bare.answer(list(prompts.build(request).tokens), GREEDY)
    first = engine.submit(request)
    answer = first.text(60)
    assert answer == said(loaded, expected)
    assert first.metrics.answer_tokens == len(expected)
    later = (*QUESTION, Message("assistant", answer), Message("user", "And a lake?"))
    second = engine.submit(GenerateRequest("a", later, GREEDY))
    prompts.remember_answer("a", answer, tuple(expected))
    tokens = list(prompts.build(GenerateRequest("a", later, GREEDY)).tokens)
    assert second.text(60) == said(loaded, bare.answer(tokens, GREEDY))
    assert second.metrics.reused_tokens >= first.metrics.prompt_tokens
    bare.close()


def test_a_restored_prefix_gives_the_same_answer(
    engine: Engine, paths: Paths, bus: Bus, backend: LlamaBackend, smollm2: Path
) -> None:
    """The first message after a restart reuses the system prompt from disk and is answered alike."""
    messages = (Message("system", LONG[:1500]), Message("user", "What is the sea?"))
    first = engine.submit(GenerateRequest("a", messages, GREEDY)).text(60)
    engine.close()
    again = Engine(paths, bus, lambda: ModelSettings(context_tokens=2048, threads=1), backend)
    thread = start_thread(again)
    try:
        again.use(installed(smollm2))
        stream = again.submit(GenerateRequest("a", messages, GREEDY))
        assert stream.text(60) == first
        assert stream.metrics.reused_tokens > 250
    finally:
        again.close()
        thread.join(20)


def test_two_conversations_do_not_mix(engine: Engine) -> None:
    """A conversation that waited in memory goes on with the same words as one that never waited.

    Only the first words: its cells lie elsewhere, sums are taken in another order, later words may differ.
    """

    def describe(name: str) -> str:
        few = Sampling(temperature=0, max_tokens=8)
        request = GenerateRequest(name, (Message("user", f"Describe the {name}. " * 40),), few)
        stream = engine.submit(request)
        answer = stream.text(60)
        reused.append(stream.metrics.reused_tokens)
        return answer

    reused: list[int] = []
    describe("sea")
    never_waited = describe("sea")
    describe("wood")
    assert describe("sea") == never_waited
    assert reused[-1] == reused[1] > 100


@pytest.mark.parametrize("tokens", [1400, 0])
def test_cancel_takes_effect_within_a_fraction_of_a_chunk(engine: Engine, tokens: int) -> None:
    """In a long prompt by the abort callback, in an answer after its token."""
    engine.submit(GenerateRequest("warm", QUESTION, Sampling(temperature=0, max_tokens=1))).text(60)
    text = LONG * 2 if tokens else "Count to a thousand."
    stream = engine.submit(GenerateRequest("a", (Message("user", text),), Sampling(temperature=0)))
    if tokens:
        time.sleep(0.3)  # the prompt takes seconds; this lands in the middle of it
    else:
        next(stream)
    with processor_time() as spent:
        stream.cancel()
        stream.text(60)
    assert stream.finish is FinishReason.CANCELLED
    assert spent.at_rest_s < 1.0  # the bench measures; here only that it is no whole prompt
    assert engine.submit(GenerateRequest("b", QUESTION, GREEDY)).text(60)


def test_an_interrupted_prompt_leaves_the_cache_usable(loaded: LlamaModel) -> None:
    """After the abort the sequence is cut back, and goes on to the same answer."""
    tokens = loaded.tokenize(LONG, TextOrigin.FOREIGN, True)[:256]
    context = loaded.new_context(ContextShape(1024, 2, 512, 1, 1))
    try:
        assert context.decode(tokens[:64], 0, 0) is Decoded.DONE
        stopper = threading.Timer(0.05, context.interrupt.set)
        stopper.start()
        assert context.decode(tokens[64:], 64, 0) is Decoded.INTERRUPTED
        stopper.join()
        context.interrupt.clear()
        assert context.cut(0, 64)
        assert context.decode(tokens[64:], 64, 0) is Decoded.DONE
        sampler = context.sampler(GREEDY, None)
        after = sampler.sample()
        sampler.close()
        assert [after] == bare_answer(loaded, tokens, Sampling(temperature=0, max_tokens=1))
    finally:
        context.close()


CONTROL_OF_SMOLLM2 = st.sampled_from(
    [
        *(
            "<|endoftext|>",
            "<|im_start|>",
            "<|im_end|>",
            "<repo_name>",
            "<reponame>",
            "<file_sep>",
            "<filename>",
        ),
        *(
            "<gh_stars>",
            "<issue_start>",
            "<issue_comment>",
            "<issue_closed>",
            "<jupyter_start>",
            "<jupyter_text>",
        ),
        *("<jupyter_code>", "<jupyter_output>", "<jupyter_script>", "<empty_output>"),
    ]
)
FOREIGN = st.lists(st.text(max_size=8) | CONTROL_OF_SMOLLM2, max_size=8).map("".join)


def test_the_vocabulary_s_control_tokens_are_those_we_test_with(loaded: LlamaModel) -> None:
    """The property below speaks about all of them."""
    assert set(loaded.control_texts) == set(CONTROL_OF_SMOLLM2.elements)  # type: ignore[attr-defined]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), FOREIGN), min_size=1, max_size=4
    ),
    FOREIGN,
)
def test_foreign_text_never_becomes_a_control_token(
    loaded: LlamaModel, messages: list[tuple[str, str]], tool: str
) -> None:
    """The control tokens of a prompt are those the template writes for any text, in number and order."""
    prompts = PromptBuilder(loaded, _template(loaded, "llama"))

    def control(texts: list[tuple[str, str]], tools: tuple[dict[str, str], ...]) -> list[int]:
        request = GenerateRequest("a", tuple(Message(role, text) for role, text in texts), tools=tools)
        return [token for token in prompts.build(request).tokens if is_control(loaded, token)]

    plain = [(role, "x" if text.strip() else text) for role, text in messages]
    assert control(messages, ({tool: tool},)) == control(plain, ({"x": "x"},))


@pytest.mark.parametrize("origin", list(TextOrigin))
def test_what_is_tokenized_reads_as_it_was_written(loaded: LlamaModel, origin: TextOrigin) -> None:
    """Tokens of text without control tokens give the same bytes back."""
    text = "Grüße, 海! <think> 1 + 1 = 2\n\n\tdef f(): pass"
    assert said(loaded, loaded.tokenize(text, origin, True)) == text


def test_a_grammar_binds_the_answer(engine: Engine) -> None:
    """Whatever the model would like to say, it says one of the words of the grammar."""
    request = GenerateRequest("a", QUESTION, GREEDY, grammar='root ::= "READ" | "WRITE"')
    assert engine.submit(request).text(60) in {"READ", "WRITE"}


def test_a_seed_repeats_an_answer(engine: Engine) -> None:
    """The same seed gives the same words at a high temperature."""
    sampling = Sampling(temperature=1.5, top_p=0.95, min_p=0.01, repeat_penalty=1.2, seed=7, max_tokens=12)
    answers = {engine.submit(GenerateRequest("a", QUESTION, sampling)).text(60) for _ in range(2)}
    assert len(answers) == 1


def test_the_repeat_penalty_changes_a_greedy_answer_as_on_the_whole_vocabulary(loaded: LlamaModel) -> None:
    """Only the best candidates are looked at, which must not change the choice."""
    tokens = loaded.tokenize("one one one one one one", TextOrigin.FOREIGN, True)
    plain = bare_answer(loaded, tokens, Sampling(temperature=0, max_tokens=12))
    penalized = bare_answer(loaded, tokens, Sampling(temperature=0, max_tokens=12, repeat_penalty=1.9))
    assert len(set(penalized)) > len(set(plain))


def test_loading_can_be_stopped(backend: LlamaBackend, smollm2: Path) -> None:
    """The progress callback's False ends the load."""
    fractions: list[float] = []

    def progress(fraction: float) -> bool:
        fractions.append(fraction)
        return False

    with pytest.raises(LoadCancelled):
        backend.load(smollm2, 0, progress)
    assert len(fractions) == 1


def test_a_file_that_is_no_model_is_refused(backend: LlamaBackend, tmp_path: Path) -> None:
    """Before llama.cpp sees it, with the reason."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"PK\x03\x04" + b"\0" * 100)
    with pytest.raises(UserFacing) as caught:
        backend.load(path, 0, lambda fraction: True)
    assert caught.value.code == "model-file-refused"


PROBE = """
import json, logging, sys
import structlog
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
from pathlib import Path
from desktop.engine.llama import LlamaBackend
before = sorted(m for m in ("llama_cpp", "numpy", "jinja2") if m in sys.modules)
model = LlamaBackend().load(Path(sys.argv[1]), 0, lambda fraction: True)
model.close()
after = sorted(m for m in ("numpy", "jinja2", "diskcache") if m in sys.modules)
import os
print(json.dumps([before, after, "GOMP_SPINCOUNT" in os.environ]))
import llama_cpp
print(llama_cpp.Llama.__name__)
"""


def test_the_library_comes_late_and_alone(smollm2: Path) -> None:
    """Importing the backend loads nothing; loading a model brings no numpy, writes nothing, hides nothing."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(smollm2)], capture_output=True, text=True, timeout=60
    )
    first, second = done.stdout.splitlines()
    assert json.loads(first) == [[], [], False]
    assert second == "Llama"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("name", "word"),
    [("CUDA0", "cuda"), ("Metal", "metal"), ("MTL0", "metal"), ("Vulkan1", "vulkan"), ("SYCL0", "sycl")],
)
def test_device_names_become_words(name: str, word: str) -> None:
    """The words of the status line."""
    assert device_word(name) == word


@pytest.mark.parametrize(
    "sampling",
    [GREEDY, Sampling(repeat_penalty=1.2, seed=3), Sampling(temperature=1.4, top_k=0, top_p=1, seed=4)],
    ids=["likeliest", "penalty", "all"],
)
@pytest.mark.parametrize("grammar", [None, "root ::= [A-Za-z ,.\\n]+"], ids=["free", "grammar"])
def test_lookup_samples_each_token_from_its_own_place(
    loaded: LlamaModel, sampling: Sampling, grammar: str | None
) -> None:
    """The rows of a batch are the logits that single decodes give, but for rounding; the rest is cut away.
    Whatever a sampler remembers, penalties, the place in a grammar and chance, goes on from token to token.
    """
    tokens = loaded.tokenize(LONG[:200], TextOrigin.FOREIGN, at_start=False)
    context = loaded.new_context(ContextShape(1024, 1, 512, 1, 2))
    rows, sampler = context.sampler(sampling, grammar), context.sampler(sampling, grammar)
    try:
        assert context.decode(tokens[:-16], 0, 0) is Decoded.DONE
        assert context.decode(tokens[-16:], len(tokens) - 16, 0, every_row=True) is Decoded.DONE
        together = [rows.sample(row) for row in range(16)]
        single = []
        for place in range(len(tokens) - 16, len(tokens)):
            assert context.cut(0, place)
            assert context.decode([tokens[place]], place, 0) is Decoded.DONE
            single.append(sampler.sample())
    finally:
        rows.close()
        sampler.close()
        context.close()
    assert together == single


def test_likelihoods_are_those_of_the_logits(loaded: LlamaModel) -> None:
    """Of each row the logit of a token less the logarithm of what all come to, and never a made-up order."""
    tokens = loaded.tokenize(LONG[:120], TextOrigin.FOREIGN, at_start=False)
    context = loaded.new_context(ContextShape(512, 1, 512, 1, 2))
    try:
        assert context.decode(tokens[:-1], 0, 0, every_row=True) is Decoded.DONE
        together = [context.likelihood(token, row) for row, token in enumerate(tokens[1:])]
        whole = range(loaded._api.llama_vocab_n_tokens(loaded._vocab))
        for place in (len(tokens) - 1, len(tokens) // 2, 1):
            context.cut(0, place - 1)
            assert context.decode([tokens[place - 1]], place - 1, 0) is Decoded.DONE
            logits = context.logits(whole)
            highest = max(logits)
            all_of_them = highest + math.log(math.fsum(math.exp(each - highest) for each in logits))
            assert together[place - 1] == pytest.approx(logits[tokens[place]] - all_of_them, abs=0.05)
            assert together[place - 1] < 0
    finally:
        context.close()


def test_an_answer_that_repeats_its_context_is_looked_up(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a grammar that lets only the text itself through, most of it comes from drafts."""
    # Measured beside other tests, a decode of several may seem too dear.
    monkeypatch.setattr(DecodeCost, "of", lambda self, tokens: EXPECTED_COST[tokens])
    text = LONG[:300]
    grammar = f"root ::= {json.dumps(text)}"
    question = (Message("user", f"Repeat: {text}"),)
    sampling = Sampling(temperature=0, max_tokens=200)
    request = GenerateRequest("a", question, sampling, grammar=grammar, repeats_context=True)
    stream = engine.submit(request)
    assert stream.text(120) == text
    assert stream.metrics.looked_up_tokens > stream.metrics.answer_tokens / 2
