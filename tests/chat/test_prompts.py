"""What the model is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.prompts import (
    KEEP_FRACTION,
    Prompt,
    assemble,
    default_system_prompt,
    first_kept,
    patterns_prompt,
)
from desktop.chat.store import ChatStore, Message, Role
from desktop.engine import requests
from desktop.engine.inference import TextOrigin
from desktop.engine.llama import LlamaBackend
from desktop.engine.requests import ContextOverflow


def _history(store: ChatStore, *messages: tuple[Role, str]) -> tuple[Message, ...]:
    conversation_id = store.create().id
    return tuple(store.add(conversation_id, role, text) for role, text in messages)


CASES = [
    ("one question", [("user", "a")], [("user", "a")]),
    (
        "a conversation",
        [("user", "a"), ("assistant", "b"), ("user", "c")],
        [("user", "a"), ("assistant", "b"), ("user", "c")],
    ),
    ("a failed answer", [("user", "a"), ("assistant", ""), ("user", "c")], [("user", "a\n\nc")]),
    (
        "notices are not for the model",
        [("user", "a"), ("notice", "cut"), ("assistant", "b")],
        [("user", "a"), ("assistant", "b")],
    ),
]


@pytest.mark.parametrize(("stored", "told"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_model_sees_alternating_messages(
    store: ChatStore, stored: list[tuple[str, str]], told: list[tuple[str, str]]
) -> None:
    """System prompt first, then question and answer in turn, whatever happened in between."""
    history = _history(store, *((Role(role), text) for role, text in stored))
    prompt = assemble("Be kind.", history)
    assert [(m.role, m.content) for m in prompt.messages] == [("system", "Be kind."), *told]


def test_a_longer_history_only_appends(store: ChatStore) -> None:
    """The prompt of the next turn begins with the prompt of this one."""
    history = _history(store, (Role.USER, "a"), (Role.ASSISTANT, "b"), (Role.USER, "c"))
    shorter, longer = assemble("s", history[:1]), assemble("s", history)
    assert longer.messages[: len(shorter.messages)] == shorter.messages


@given(tokens=st.lists(st.integers(1, 400), min_size=1, max_size=40), beside=st.integers(0, 50))
def test_what_is_kept_fits_and_begins_with_a_question(tokens: list[int], beside: int) -> None:
    """After leaving out, the prompt fills at most its share, or only the last question is left."""
    roles = ["user" if n % 2 == 0 else "assistant" for n in range(len(tokens))]
    if roles[-1] == "assistant":
        roles, tokens = roles[:-1], tokens[:-1]
    if not tokens:
        return
    system = 50
    prompt = Prompt(
        (requests.Message("system", "s"), *(requests.Message(role, "x") for role in roles)),
        tuple(range(len(roles) + 1)),
    )
    overflow = ContextOverflow(system + sum(tokens) + beside, 1000, (system, *tokens))
    first = first_kept(prompt, overflow)
    if first is None:
        kept = system + sum(tokens) + beside
        assert len(tokens) == 1 or kept <= 1000 * KEEP_FRACTION
        return
    kept = system + sum(tokens[first - 1 :]) + beside
    assert prompt.messages[first].role == "user"
    assert kept <= 1000 * KEEP_FRACTION or first == len(tokens)


def test_leaving_out_always_ends() -> None:
    """Each cut leaves out at least one message, so a prompt that cannot fit is refused in the end."""
    prompt = Prompt((requests.Message("system", "s"), requests.Message("user", "long")), (0, 7))
    assert first_kept(prompt, ContextOverflow(5000, 1000, (50, 4950))) is None


@pytest.fixture(scope="module")
def count(smollm2: Path) -> Iterator[Callable[[str], int]]:
    """Counts tokens with a real vocabulary."""
    model = LlamaBackend().load(smollm2, 0, lambda _fraction: True)
    yield lambda text: len(model.tokenize(text, TextOrigin.FOREIGN, False))
    model.close()


@pytest.mark.model
def test_the_instructions_are_short(count: Callable[[str], int]) -> None:
    """Under 200 tokens without and with tools, under 300 with patterns."""
    assert count(default_system_prompt(tools=False)) < 200
    assert count(default_system_prompt(tools=True)) < 200
    assert count(f"{default_system_prompt(tools=True)}\n\n{patterns_prompt()}") < 300
