"""Prompt lookup: what is drafted, when drafts stop, and that an answer is the same with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.engine.lookup import (
    DRAFT_TOKENS,
    ENOUGH,
    EXPECTED_COST,
    LATEST,
    MOST_COST,
    REST_TOKENS,
    DecodeCost,
    PromptLookup,
)
from desktop.engine.requests import FinishReason, Message
from tests.engine.conftest import StartEngine, ask
from tests.fakes.scripted_model import ScriptedBackend, ScriptedContext

TEXT = [1, 2, 3, 4, 5, 6, 7, 8]


def drafted(tokens: Sequence[int], cost: float = EXPECTED_COST) -> tuple[int, ...]:
    return PromptLookup().draft(tokens, cost)


@pytest.mark.parametrize(
    ("tokens", "draft"),
    [
        ([*TEXT, 9, 1, 2, 3, 4], (5, 6, 7)),  # four that agree
        ([*TEXT, 9, 2, 3, 4], (5, 6, 7)),  # three
        ([*TEXT, 9, 3, 4], ()),  # two are chance
        ([1, 2, 3, 4, 9, 1, 2, 3, 4, 7, 7, 7, 0, 1, 2, 3, 4], (7, 7, 7)),  # the latest of two places
        ([0, 2, 3, 4, 5, 5, 5, 1, 2, 3, 4, 6, 6, 6, 0, 2, 3, 4], (5, 5, 5)),  # four before three
        ([1, 2, 3, 4, 5, 1, 2, 3], (4, 5, 1)),  # a draft may reach into the answer itself
        ([1, 2, 3, 4, 1, 2, 3, 4], (1, 2, 3)),
        ([1, 2, 3], ()),
        ([], ()),
    ],
)
def test_what_followed_before_is_drafted(tokens: list[int], draft: tuple[int, ...]) -> None:
    """After the same last four tokens, or three; of several places the latest one."""
    assert drafted(tokens) == draft


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(0, 60))
def test_a_draft_stood_in_the_text_after_the_same_tokens(tokens: list[int], first: int) -> None:
    """Whatever the text and however it grew: three tokens, or none."""
    lookup = PromptLookup()
    lookup.draft(tokens[:first], EXPECTED_COST)
    draft = lookup.draft(tokens, EXPECTED_COST)
    assert draft == drafted(tokens)
    if draft:
        assert len(draft) == DRAFT_TOKENS
        gram = [*tokens[-3:], *draft]
        assert any(tokens[at : at + len(gram)] == gram for at in range(len(tokens)))


def test_drafts_that_fail_are_made_no_more() -> None:
    """After some that the sampler did not follow they rest, are tried once more, and rest again."""
    lookup, tokens, tried = PromptLookup(), TEXT * 40, []
    for end in range(20, len(tokens)):
        if lookup.draft(tokens[:end], EXPECTED_COST):
            lookup.tried(0, end, EXPECTED_COST)
            tried.append(end)
    gaps = [later - earlier for earlier, later in pairwise(tried)]
    assert gaps[-5:] == [REST_TOKENS] * 5
    assert gaps.count(1) <= 8


def test_drafts_that_are_followed_go_on() -> None:
    """Two of three tokens are enough, at each place."""
    lookup, tokens = PromptLookup(), TEXT * 20
    for end in range(20, len(tokens)):
        assert lookup.draft(tokens[:end], EXPECTED_COST)
        lookup.tried(2, end, EXPECTED_COST)


def test_where_four_tokens_cost_too_much_nothing_is_drafted() -> None:
    """Some back ends have no kernels for a few rows."""
    tokens = [*TEXT, 9, 1, 2, 3, 4]
    assert drafted(tokens, MOST_COST)
    assert drafted(tokens, MOST_COST + 0.1) == ()


def test_the_cost_is_measured_on_the_answers() -> None:
    """Expected until there are enough decodes of both kinds; then by the quickest of the latest."""
    cost = DecodeCost()
    for _ in range(ENOUGH - 1):
        cost.measured(1.0, with_draft=False)
        cost.measured(9.0, with_draft=True)
    assert cost.ratio == EXPECTED_COST
    cost.measured(2.0, with_draft=False)
    cost.measured(3.0, with_draft=True)
    assert cost.ratio == 3.0
    for _ in range(LATEST):
        cost.measured(2.0, with_draft=False)
        cost.measured(4.0, with_draft=True)
    assert cost.ratio == 2.0


# -- in an answer -----------------------------------------------------------------------------

LETTER = (
    "We will deliver the twelve oak chairs on the 14th of March between nine and eleven o'clock, as agreed."
)


@pytest.fixture
def _known_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted model computes in no time, of which no ratio can be taken."""
    monkeypatch.setattr(DecodeCost, "ratio", EXPECTED_COST)


@pytest.mark.usefixtures("_known_cost")
@pytest.mark.parametrize("wanted", [LETTER, LETTER.replace("14th", "21st"), "Something else altogether."])
def test_the_answer_is_the_same_in_fewer_steps(start_engine: StartEngine, wanted: str) -> None:
    """A text that is repeated, one that is changed, and one that was never there."""
    answers, steps = [], []
    for lookup in (False, True):
        backend = ScriptedBackend(wanted)
        stream = start_engine(backend).submit(ask(LETTER, repeats_context=lookup))
        answers.append((stream.text(), stream.finish, stream.metrics.answer_tokens))
        steps.append(len(backend.evaluated))
        assert (stream.metrics.looked_up_tokens > 0) == (lookup and wanted != "Something else altogether.")
    assert answers[0] == answers[1]
    assert steps[1] <= steps[0] / (1 if wanted.startswith("Something") else 2)


@pytest.mark.usefixtures("_known_cost")
def test_the_next_turn_finds_just_the_answer_in_the_cache(start_engine: StartEngine) -> None:
    """Tokens of drafts that were not followed are gone from it."""
    wanted = LETTER.replace("chairs", "tables").replace("nine", "ten")
    held: list[str] = []
    backend = ScriptedBackend([wanted, "Good."], on_decode=lambda context, _: held.append(context.text(0)))
    engine = start_engine(backend)
    engine.submit(ask(LETTER, repeats_context=True)).text()
    more = (*ask(LETTER).messages, Message("assistant", wanted), *ask("Thank you").messages)
    second = engine.submit(replace(ask(), messages=more))
    assert second.text() == "Good."
    assert second.metrics.prompt_tokens - second.metrics.reused_tokens <= 12
    assert wanted in held[-1]


@pytest.mark.usefixtures("_known_cost")
@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 6, 7])
def test_no_token_more_than_asked_for(start_engine: StartEngine, most: int) -> None:
    """Also where a draft would reach beyond."""
    stream = start_engine(ScriptedBackend(LETTER)).submit(ask(LETTER, repeats_context=True, max_tokens=most))
    stream.text()
    assert (stream.finish, stream.metrics.answer_tokens) == (FinishReason.LENGTH, most)


@pytest.mark.usefixtures("_known_cost")
def test_a_stop_text_inside_a_draft_ends_the_answer(start_engine: StartEngine) -> None:
    """Nothing after it is shown."""
    stream = start_engine(ScriptedBackend(LETTER)).submit(ask(LETTER, repeats_context=True, stop=(" March",)))
    assert stream.text() == LETTER.split(" March")[0]
    assert stream.finish is FinishReason.STOP


@pytest.mark.usefixtures("_known_cost")
def test_a_model_that_cannot_go_back_gets_no_drafts(start_engine: StartEngine) -> None:
    """A recurrent state holds the whole text or nothing."""
    stream = start_engine(ScriptedBackend(LETTER, whole_only=True)).submit(ask(LETTER, repeats_context=True))
    assert stream.text() == LETTER
    assert stream.metrics.looked_up_tokens == 0


@pytest.mark.usefixtures("_known_cost")
def test_a_cancel_in_a_draft_ends_the_answer(start_engine: StartEngine) -> None:
    """As in every other step."""
    sizes: list[int] = []

    def cancel(context: ScriptedContext, tokens: Sequence[int]) -> None:
        sizes.append(len(tokens))
        if len(tokens) == DRAFT_TOKENS + 1 and sizes[:-1]:
            stream.cancel()

    stream = start_engine(ScriptedBackend(LETTER, on_decode=cancel)).submit(ask(LETTER, repeats_context=True))
    assert len(stream.text()) < len(LETTER)
    assert stream.finish is FinishReason.CANCELLED
