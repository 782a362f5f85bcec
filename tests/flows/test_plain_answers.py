"""What is said for no tool reaches the model as if there were no host: the answer cannot be worse for us."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.bench.blind import profile

PROMPTS = Path(__file__).parents[1] / "bench" / "answers.toml"
BARE = "You are a helpful assistant."


def test_plain_prompts_are_put_bare_and_nothing_else_is_asked() -> None:
    """The model gets one request, with a plain system prompt and the question; a sum may be answered by rule.

    Every second of the prompts that answers are measured on, in eight languages, each in a chat of its own,
    in a program with tools, memory and rules.
    """
    asked = [each["ask"] for each in tomllib.loads(PROMPTS.read_text(encoding="utf-8"))["prompts"]][::2]
    otherwise = []
    with profile() as (used, backend, _):
        assert backend is not None
        for question in asked:
            before = len(backend.prompts)
            used.say(question)
            prompts = backend.prompts[before:]
            if len(prompts) != 1 or BARE not in prompts[0] or question.strip() not in prompts[0]:
                otherwise.append(question)
    assert len(asked) == 97
    assert len(otherwise) <= 2, otherwise
