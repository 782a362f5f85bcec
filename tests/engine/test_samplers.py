"""What a sampler chooses under a grammar: the same from a few tokens as from the whole vocabulary."""

from __future__ import annotations

import ctypes
import json
import math
import random
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.engine.inference import ContextShape, Decoded, TextOrigin
from desktop.engine.llama import LlamaBackend, LlamaContext, LlamaModel, _stages
from desktop.engine.requests import Sampling

pytestmark = pytest.mark.model

GREEDY = Sampling(temperature=0)
LONG = "The sea is large, and nobody has counted its waves. " * 60


@pytest.fixture(scope="module")
def loaded(smollm2: Path) -> Iterator[LlamaModel]:
    model = LlamaBackend().load(smollm2, 0, lambda fraction: True)
    yield model
    model.close()


@pytest.fixture(scope="module")
def context(loaded: LlamaModel) -> Iterator[LlamaContext]:
    """With the logits of one token, to be overwritten."""
    context = loaded.new_context(ContextShape(512, 1, 512, 1, 1))
    assert context.decode(loaded.tokenize("Sea", TextOrigin.FOREIGN, True)[:1], 0, 0) is Decoded.DONE
    yield context
    context.close()


class Chain:
    """llama.cpp's own chain with the grammar as first stage: it looks at the whole vocabulary."""

    def __init__(self, context: LlamaContext, sampling: Sampling, grammar: str) -> None:
        self._context, self._api = context, context.api
        self._chain = self._api.llama_sampler_chain_init(self._api.llama_sampler_chain_default_params())
        stages = [self._api.llama_sampler_init_grammar(context.vocab, grammar.encode(), b"root")]
        for stage in (*stages, *_stages(self._api, context.vocab, sampling)):
            self._api.llama_sampler_chain_add(self._chain, stage)

    def sample(self) -> int:
        return int(self._api.llama_sampler_sample(self._chain, self._context.handle, -1))

    def close(self) -> None:
        self._api.llama_sampler_free(self._chain)


def put(context: LlamaContext, logits: array[float]) -> None:
    """In place of those that the model computed."""
    row = context.api.llama_get_logits_ith(context.handle, -1)
    ctypes.memmove(row, logits.buffer_info()[0], len(logits) * logits.itemsize)


CALL = r"""root ::= "{\"path\": " text ", \"lines\": " [0-9]+ "}"
text ::= "\"" [^"\\]* "\""
"""


@pytest.mark.parametrize(
    "sampling",
    [
        GREEDY,
        replace(GREEDY, repeat_penalty=1.3),
        Sampling(seed=5),
        Sampling(temperature=1.5, top_k=12, top_p=1, repeat_penalty=1.1, seed=6),
        Sampling(temperature=1.2, top_k=0, seed=7),
    ],
    ids=["likeliest", "penalty", "usual", "by lot", "all"],
)
@pytest.mark.parametrize(
    "grammar",
    [
        CALL,
        'root ::= "The sea" [^.]* "."',
        'root ::= [a-z ]{20,40} "\\n"',
        "root ::= [äöüß]+ [0-9]",  # hardly anything that the model would say
        f"root ::= {json.dumps(LONG[:120])}",
    ],
    ids=["call", "sentence", "letters", "umlauts", "text"],
)
def test_a_grammar_chooses_the_same_from_a_few_tokens(
    loaded: LlamaModel, grammar: str, sampling: Sampling
) -> None:
    """Asked about the likeliest alone, or about the whole vocabulary: the same token at every place."""
    tokens = loaded.tokenize("Tell me about the sea.", TextOrigin.FOREIGN, at_start=True)
    context = loaded.new_context(ContextShape(512, 1, 512, 1, 1))
    quick, whole = context.sampler(sampling, grammar), Chain(context, sampling, grammar)
    chosen: list[tuple[int, int]] = []
    try:
        assert context.decode(tokens, 0, 0) is Decoded.DONE
        for place in range(len(tokens), len(tokens) + 8):
            chosen.append((quick.sample(), whole.sample()))
            if loaded.is_end(chosen[-1][0]):
                break
            assert context.decode([chosen[-1][0]], place, 0) is Decoded.DONE
    finally:
        quick.close()
        whole.close()
        context.close()
    assert [each for each, _ in chosen] == [each for _, each in chosen]
    assert len(chosen) >= 3


SAMPLINGS = st.builds(
    Sampling,
    temperature=st.sampled_from([0.0, 0.3, 1.0, 2.5]),
    top_p=st.sampled_from([0.5, 0.9, 1.0]),
    top_k=st.sampled_from([0, 1, 4, 10, 11, 40, 300]),
    min_p=st.sampled_from([0.0, 0.1]),
    repeat_penalty=st.sampled_from([1.0, 1.1, 1.8]),
    seed=st.integers(0, 2**32 - 1),
)


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sampling=SAMPLINGS,
    grammar=st.sampled_from(
        ["root ::= [0-9]+", "root ::= [a-z ]+", 'root ::= ("yes" | "no" | [0-9]) [A-Z]*']
    ),
    favoured=st.integers(0, 12),
    seed=st.integers(0, 1000),
    spread=st.sampled_from([0.5, 4.0]),
)
def test_any_logits_give_the_same(
    loaded: LlamaModel,
    context: LlamaContext,
    sampling: Sampling,
    grammar: str,
    favoured: int,
    seed: int,
    spread: float,
) -> None:
    """Also where as many of the likeliest are allowed as the filters keep, or one more or less."""
    chance = random.Random(seed)
    quick, whole = context.sampler(sampling, grammar), Chain(context, sampling, grammar)
    digits = [loaded.tokenize(each, TextOrigin.FOREIGN, False)[0] for each in "0123456789AB"]
    chosen: list[tuple[int, int]] = []
    try:
        for _ in range(3):
            logits = array("f", (chance.gauss(0, spread) for _ in range(loaded.vocabulary_size)))
            for token in digits[:favoured]:
                logits[token] += 6 * spread
            put(context, logits)
            chosen.append((quick.sample(), whole.sample()))
            if loaded.is_end(chosen[-1][0]) or loaded.is_end(chosen[-1][1]):
                break
    finally:
        quick.close()
        whole.close()
    assert [each for each, _ in chosen] == [each for _, each in chosen]


def test_the_lot_is_fair_under_a_grammar(loaded: LlamaModel, context: LlamaContext) -> None:
    """Each of what the filters keep of the allowed tokens comes as often as its logit says, whatever is
    likelier and not allowed."""
    logits = array("f", [-20.0]) * loaded.vocabulary_size
    tokens = {each: loaded.tokenize(each, TextOrigin.FOREIGN, False)[0] for each in "abcdxyz"}
    for letter, logit in {"x": 9.0, "y": 8.0, "a": 3.0, "b": 2.5, "z": 2.2, "c": 2.0, "d": 1.0}.items():
        logits[tokens[letter]] = logit
    put(context, logits)
    draws, drawn = 600, Counter[int]()
    for seed in range(draws):
        sampler = context.sampler(Sampling(1.0, 1.0, 3, seed=seed), "root ::= [a-d]")
        drawn[sampler.sample()] += 1
        sampler.close()
    weights = {tokens["a"]: math.exp(3.0), tokens["b"]: math.exp(2.5), tokens["c"]: math.exp(2.0)}
    assert set(drawn) == set(weights)
    for token, weight in weights.items():
        share = weight / sum(weights.values())
        assert abs(drawn[token] - draws * share) < 4 * math.sqrt(draws * share * (1 - share))


@pytest.mark.parametrize("sampling", [GREEDY, Sampling(seed=1)], ids=["likeliest", "by lot"])
def test_a_grammar_is_rarely_asked_about_the_whole_vocabulary(
    loaded: LlamaModel, monkeypatch: pytest.MonkeyPatch, sampling: Sampling
) -> None:
    """Once a token, it would take half as long as the token."""
    context = loaded.new_context(ContextShape(512, 1, 512, 1, 1))
    sampler = context.sampler(sampling, "root ::= [A-Za-z ,.]+")
    apply, sizes = loaded._api.llama_sampler_apply, []

    def counted(stage: object, candidates: Any) -> None:
        sizes.extend([candidates._obj.size] if stage is sampler._grammar else [])
        apply(stage, candidates)

    monkeypatch.setattr(loaded._api, "llama_sampler_apply", counted)
    tokens = loaded.tokenize("The sea is", TextOrigin.FOREIGN, at_start=True)
    made = 0
    try:
        assert context.decode(tokens, 0, 0) is Decoded.DONE
        while made < 10 and not loaded.is_end(token := sampler.sample()):
            assert context.decode([token], len(tokens) + made, 0) is Decoded.DONE
            made += 1
    finally:
        sampler.close()
        context.close()
    assert made > 5
    assert sizes
    assert max(sizes) < loaded.vocabulary_size
