"""Prompt lookup: what is drafted, how much of it, and that an answer is the same with it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.engine.lookup import (
    DRAFT_SIZES,
    ENOUGH,
    EXPECTED_COST,
    LATEST,
    SHORTEST_DRAFT,
    STALE,
    DecodeCost,
    PromptLookup,
)
from desktop.engine.requests import FinishReason, Message, Priority, Stream
from desktop.engine.session import LONGEST_STEP_S
from tests.engine.conftest import StartEngine, ask
from tests.fakes.scripted_model import ScriptedBackend, ScriptedContext, ScriptedModel

TEXT = list(range(1, 61))
START, PLAIN = 0, -1  # tokens that stand nowhere else

Cost = Callable[[int], float]


def measured(tokens: int) -> float:
    return EXPECTED_COST[tokens]


def free(tokens: int) -> float:
    return 1.0


def linear(tokens: int) -> float:
    return float(tokens)


def drafted(tokens: Sequence[int], cost: Cost = free) -> tuple[int, ...]:
    return PromptLookup().draft(tokens, SHORTEST_DRAFT, cost)


def steps(context: Sequence[int], answer: Sequence[int], cost: Cost = measured) -> list[tuple[int, int]]:
    """How many tokens were drafted at each decode of `answer`, and how many of them kept."""
    lookup, tokens, made = PromptLookup(), [*context, START], 0
    taken: list[tuple[int, int]] = []
    while made < len(answer):
        draft = lookup.draft(tokens, DRAFT_SIZES[-1], cost)
        kept = 0
        while kept < min(len(draft), len(answer) - made) and answer[made + kept] == draft[kept]:
            kept += 1
        tokens += answer[made : made + kept + 1]
        made += kept + 1
        taken.append((len(draft), kept))
    return taken


@pytest.mark.parametrize(
    ("tokens", "draft"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4], (5, 6, 7)),  # three that agree
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 4], ()),  # two are chance
        ([1, 2, 3, 4, 9, 1, 2, 3, 4, 7, 7, 7, 0, 1, 2, 3, 4], (7, 7, 7)),  # the latest of two places
        ([1, 2, 3, 4, 5, 1, 2, 3], (4, 5, 1)),  # a draft may reach into the answer itself
        ([1, 2, 3, 4, 1, 2, 3], (4, 1, 2)),
        ([1, 2, 3, 1, 2, 3], (1, 2, 3)),
        ([4, 4, 4, 4], ()),  # nothing follows yet
        ([1, 2, 3], ()),
        ([1], ()),
    ],
)
def test_what_followed_before_is_drafted(tokens: list[int], draft: tuple[int, ...]) -> None:
    """After the same last three tokens; of several places the latest one."""
    assert drafted(tokens) == draft


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=80),
    st.lists(st.integers(1, 9), max_size=40),
    st.integers(0, 20),
    st.sampled_from([measured, free, linear]),
)
def test_a_draft_stood_in_the_text(tokens: list[int], grows: list[int], most: int, cost: Cost) -> None:
    """Whatever the text and however it grew: a piece of it, of one of the sizes, not longer than allowed."""
    lookup, length = PromptLookup(), 1
    for more in grows:
        seen = tokens[:length]
        draft = lookup.draft(seen, most, cost)
        assert len(draft) in (0, *DRAFT_SIZES)
        assert len(draft) <= most
        assert not draft or any(tuple(seen[at : at + len(draft)]) == draft for at in range(len(seen)))
        length = min(length + more, len(tokens))


def test_drafts_grow_while_they_are_kept() -> None:
    """A copied passage runs on: soon the longest ones are drafted, and most tokens come that way."""
    taken = steps([*TEXT, *TEXT[:3], PLAIN], TEXT)
    sizes = [size for size, _ in taken]
    assert sizes == sorted(sizes)[: len(sizes) - 1] + sizes[-1:]
    assert DRAFT_SIZES[-1] in sizes
    assert sum(kept for _, kept in taken) > 0.8 * len(TEXT)
    assert len(taken) <= 12


def test_drafts_stay_short_where_a_text_is_often_left() -> None:
    """Four tokens at a time of a text, then another word: long drafts would be thrown away."""
    text = list(range(1, 400))
    answer = [token for at in range(0, 396, 6) for token in (*text[at : at + 5], 1000 + at)]
    taken = steps(text, answer)
    assert max(size for size, _ in taken[len(taken) // 4 :]) == SHORTEST_DRAFT


def test_where_drafts_fail_hardly_any_is_made() -> None:
    """Grams of the context come back, and each time something else follows: that costs at most a tenth."""
    chance = random.Random(1)
    context = [chance.randrange(6) for _ in range(400)]
    answer = [chance.randrange(6) for _ in range(400)]
    cost = sum(measured(size + 1) if size else 1.0 for size, _ in steps(context, answer))
    assert cost <= 1.1 * len(answer)


def test_what_repeats_later_is_found_though_drafts_failed_before() -> None:
    """Nothing has to be waited for: it is compared without a draft as well."""
    chance = random.Random(2)
    noise = [chance.randrange(6) for _ in range(300)]
    text = list(range(100, 200))
    taken = steps([*text, *noise], [*(chance.randrange(6) for _ in range(200)), *text])
    assert sum(kept for _, kept in taken[-30:]) > 0.7 * len(text)


@pytest.mark.parametrize(
    ("changed", "alone"),
    [
        ([*TEXT[:30], 99, *TEXT[31:]], 1),  # another token
        ([*TEXT[:30], 99, *TEXT[30:]], 1),  # one more
        ([*TEXT[:30], *TEXT[31:]], 1),  # one less
        ([*TEXT[:30], 98, 99, *TEXT[31:]], 2),  # two for one
        ([*TEXT[:30], 99, *TEXT[33:]], 2),  # one for three
    ],
)
def test_after_a_small_difference_it_goes_on_at_once(changed: list[int], alone: int) -> None:
    """A line in which one word is another goes on as before: hardly a token is computed alone behind it."""
    made, single = 0, 0
    for size, kept in steps(TEXT, changed):
        single += 30 <= made < 40 and not size
        made += kept + 1
    assert single <= alone


@pytest.mark.parametrize(
    ("cost", "size"),
    [(free, DRAFT_SIZES[-1]), (linear, 0), (lambda tokens: 1 + 0.9 * (tokens - 1), 0)],
)
def test_the_size_depends_on_the_cost(cost: Cost, size: int) -> None:
    """Where more tokens cost nothing more all are drafted; where they cost what they bring, none."""
    assert len(PromptLookup().draft([*TEXT, START, *TEXT[:8]], 15, cost)) == size


# -- what it costs ----------------------------------------------------------------------------


def measure(cost: DecodeCost, tokens: int, *seconds: float) -> None:
    for each in seconds:
        cost.measured(tokens, each)


def test_the_cost_is_measured_on_the_answers() -> None:
    """Expected until there are enough decodes of both kinds; then by the quickest quarter of the latest."""
    cost = DecodeCost()
    measure(cost, 1, *[1.0] * (ENOUGH - 1))
    measure(cost, 4, *[9.0] * ENOUGH)
    assert cost.of(4) == EXPECTED_COST[4]
    assert cost.token_s == 0
    measure(cost, 1, 2.0)
    assert cost.of(4) == 9.0
    measure(cost, 4, 3.0)
    assert (cost.of(4), cost.token_s) == (9.0, 1.0)
    measure(cost, 4, *[3.0] * 3)
    assert (cost.of(4), cost.token_s) == (3.0, 1.0)
    measure(cost, 1, *[2.0] * LATEST)
    measure(cost, 4, *[4.0] * LATEST)
    assert (cost.of(4), cost.token_s) == (2.0, 2.0)


def test_sizes_that_were_never_tried_are_judged_by_the_others() -> None:
    """A card computes sixteen tokens in the time of one, and four say so. None costs less than a token."""
    quick, slow = DecodeCost(), DecodeCost()
    measure(quick, 1, *[1.0] * ENOUGH)
    measure(quick, 4, *[0.9] * ENOUGH)
    measure(slow, 1, *[1.0] * ENOUGH)
    measure(slow, 4, *[4.0] * ENOUGH)
    assert quick.of(16) == 1.0
    assert EXPECTED_COST[16] < slow.of(16) <= 16


@given(
    st.lists(st.tuples(st.sampled_from([1, *EXPECTED_COST]), st.floats(0, 9)), max_size=120),
    st.lists(st.integers(0, 3), min_size=1, max_size=60),
    st.integers(0, 20),
)
def test_any_times_give_a_cost_and_a_draft(
    times: list[tuple[int, float]], tokens: list[int], most: int
) -> None:
    """A clock that stood still, and a computer that was busy: no size costs less than one token, and what
    was never tried no more than its tokens one by one."""
    cost = DecodeCost()
    for size, seconds in times:
        cost.measured(size, seconds)
    tried = {size for size, _ in times}
    assert all(cost.of(size) >= 1 for size in EXPECTED_COST)
    assert all(cost.of(size) <= size for size in EXPECTED_COST if size not in tried)
    draft = PromptLookup().draft(tokens, most, cost.of)
    assert len(draft) in (0, *(size for size in DRAFT_SIZES if size <= most))


@given(
    st.lists(st.floats(1, 2), min_size=len(EXPECTED_COST), max_size=len(EXPECTED_COST)),
    st.lists(st.integers(0, 2), min_size=1, max_size=60),
)
def test_nothing_is_drafted_that_cannot_pay(dearer: list[float], tokens: list[int]) -> None:
    """Not even if all of it were kept: a token costs as much as alone, or more."""
    costs = {size: size * each for size, each in zip(EXPECTED_COST, dearer, strict=True)}
    assert PromptLookup().draft(tokens, DRAFT_SIZES[-1], costs.__getitem__) == ()


def test_what_was_measured_long_ago_is_tried_again() -> None:
    """The other program that made it dear may be gone."""
    cost = DecodeCost()
    measure(cost, 1, *[1.0] * ENOUGH)
    measure(cost, 16, *[50.0] * ENOUGH)
    measure(cost, 1, *[1.0] * (STALE - 1))
    assert cost.of(16) == 50.0
    measure(cost, 1, *[1.0] * 2)
    assert cost.of(16) == EXPECTED_COST[16]
    measure(cost, 16, *[7.0] * ENOUGH)
    assert cost.of(16) == 7.0


# -- in an answer -----------------------------------------------------------------------------

LETTER = (
    "We will deliver the twelve oak chairs on the 14th of March between nine and eleven o'clock, as agreed."
)


@pytest.fixture
def _known_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted model computes in no time, of which no ratio can be taken."""
    monkeypatch.setattr(DecodeCost, "of", lambda self, tokens: measured(tokens))
    monkeypatch.setattr(DecodeCost, "token_s", 0.001)


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


class Interrupted:
    """Waits in a draft until somebody interrupts it, from the second one on."""

    def __init__(self, then: Callable[[], object]) -> None:
        self._then = then
        self.sizes: list[int] = []
        self.waited = 0

    def __call__(self, context: ScriptedContext, tokens: Sequence[int]) -> None:
        is_draft = len(tokens) - 1 in DRAFT_SIZES
        self.sizes.append(len(tokens))
        if is_draft and not self.waited and max(self.sizes[:-1]) > 20:
            self.waited += 1
            self._then()
            assert context.interrupt.wait(10)


@pytest.mark.usefixtures("_known_cost")
def test_a_cancel_in_a_draft_ends_the_answer(start_engine: StartEngine) -> None:
    """It is interrupted, as every step is."""
    streams: list[Stream] = []

    def cancel() -> None:
        streams[0].cancel()

    during = Interrupted(cancel)
    engine = start_engine(ScriptedBackend(LETTER, on_decode=during))
    streams.append(stream := engine.submit(ask(LETTER, repeats_context=True)))
    assert len(stream.text(10)) < len(LETTER)
    assert (stream.finish, during.waited) == (FinishReason.CANCELLED, 1)


@pytest.mark.usefixtures("_known_cost")
def test_a_judge_does_not_wait_for_a_draft(start_engine: StartEngine) -> None:
    """It is given up and computed again later, after one token alone; nothing of the answer is lost."""
    during = Interrupted(lambda: judges.append(engine.submit(ask("harmless", "judge", Priority.JUDGE))))
    judges: list[Stream] = []
    backend = ScriptedBackend(
        lambda prompt: "judged" if "harmless" in prompt else LETTER,
        on_decode=during,
    )
    engine = start_engine(backend)
    stream = engine.submit(ask(LETTER, repeats_context=True))
    assert stream.text(10) == LETTER
    assert judges[0].text(10) == "judged"
    texts = [each.text for each in backend.evaluated]
    assert texts.index("judged") < len(texts) - 4
    assert stream.metrics.looked_up_tokens > 0


@pytest.mark.usefixtures("_known_cost")
def test_texts_are_the_same_whatever_is_drafted(start_engine: StartEngine) -> None:
    """Of few words, so that drafts are made all the time, and rarely kept."""
    chance = random.Random(3)
    words = ["oak", "chair", "table", "of", "the", "and", "green"]
    answers: dict[str, str] = {}
    for _ in range(30):
        few = words[: chance.randint(2, 7)]
        answers[" ".join(chance.choices(few, k=60))] = " ".join(chance.choices(few, k=60))
    backend = ScriptedBackend(lambda prompt: next(answers[each] for each in answers if each in prompt))
    engine = start_engine(backend)
    drafted = 0
    for number, (told, answer) in enumerate(answers.items()):
        stream = engine.submit(ask(told, f"{number}", repeats_context=True, max_tokens=200))
        assert stream.text(10) == answer
        drafted += stream.metrics.looked_up_tokens
    assert drafted > 100


def test_slow_computers_get_short_drafts(start_engine: StartEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop takes effect between the steps of a batch, and the logits of all its tokens are one of them."""
    monkeypatch.setattr(DecodeCost, "of", lambda self, tokens: measured(tokens))
    longest = []
    for seconds in (0.01, 0.2, 1.0):
        monkeypatch.setattr(DecodeCost, "token_s", seconds)
        backend = ScriptedBackend(LETTER)
        assert start_engine(backend).submit(ask(LETTER, repeats_context=True)).text(10) == LETTER
        rows = max(each.tokens for each in backend.evaluated[1:])
        assert rows == SHORTEST_DRAFT + 1 or rows * seconds * ScriptedModel.logits_share <= LONGEST_STEP_S
        longest.append(rows)
    assert longest == [16, 4, 4]
