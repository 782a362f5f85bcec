"""Requests become tokens, the same ones each time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from desktop.engine.chat_template import ChatTemplate
from desktop.engine.inference import TextOrigin
from desktop.engine.requests import GenerateRequest, Message
from desktop.engine.session import PromptBuilder
from tests.fakes.scripted_model import CONTROL, TEMPLATE, ScriptedBackend, ScriptedModel

SYSTEM, USER, ANSWER = (
    Message("system", "Be kind."),
    Message("user", "Hello"),
    Message("assistant", "Good day"),
)


def builder() -> tuple[PromptBuilder, ScriptedModel]:
    model = ScriptedModel(ScriptedBackend(), "cpu")
    return PromptBuilder(model, ChatTemplate(TEMPLATE, control_texts=CONTROL)), model


def request(*messages: Message, conversation: str = "a") -> GenerateRequest:
    return GenerateRequest(conversation, messages)


def test_an_answer_keeps_the_tokens_it_was_made_of() -> None:
    """The model may cut its words otherwise than the tokenizer does; the next prompt repeats its way."""
    prompts, model = builder()
    own = tuple(
        model.tokenize("Go", TextOrigin.MODEL, False) + model.tokenize("od day", TextOrigin.MODEL, False)
    )
    plain = prompts.build(request(USER, ANSWER, USER)).tokens
    prompts.remember_answer("a", "Good day", own)
    kept = prompts.build(request(USER, ANSWER, USER)).tokens
    assert any(kept[i : i + len(own)] == own for i in range(len(kept)))
    assert kept != plain
    assert prompts.build(request(USER, ANSWER, USER, conversation="b")).tokens == plain


def test_an_answer_that_was_cut_is_not_kept() -> None:
    """Where a stop text ended it, its tokens say more than what was shown."""
    prompts, model = builder()
    plain = prompts.build(request(USER, ANSWER, USER)).tokens
    prompts.remember_answer("a", "Good day", tuple(model.tokenize("Good day STOP", TextOrigin.MODEL, False)))
    assert prompts.build(request(USER, ANSWER, USER)).tokens == plain


def test_the_stable_prefix_ends_where_the_user_begins() -> None:
    """It is the same for every question, and holds the whole system prompt."""
    prompts, model = builder()
    one = prompts.build(request(SYSTEM, USER))
    two = prompts.build(request(SYSTEM, Message("user", "Something else"), ANSWER, USER))
    assert one.prefix_tokens == two.prefix_tokens > 0
    prefix = one.tokens[: one.prefix_tokens]
    assert prefix == two.tokens[: two.prefix_tokens]
    said = "".join(model.piece(token).decode() for token in prefix)
    assert said.endswith("Be kind.\nuser\n")


def test_examples_that_are_always_the_same_belong_to_the_stable_prefix() -> None:
    """A request says how many of its messages these are."""
    prompts, _ = builder()
    whole = prompts.build(
        replace(request(SYSTEM, USER, ANSWER, Message("user", "Now this")), shared_messages=3)
    )
    other = prompts.build(
        replace(request(SYSTEM, USER, ANSWER, Message("user", "Or that")), shared_messages=3)
    )
    plain = prompts.build(request(SYSTEM, USER, ANSWER, Message("user", "Now this")))
    assert whole.tokens == plain.tokens
    assert whole.prefix_tokens == other.prefix_tokens > plain.prefix_tokens
    assert whole.tokens[: whole.prefix_tokens] == other.tokens[: other.prefix_tokens]


def test_every_token_of_a_prompt_belongs_to_a_message() -> None:
    """So the caller can tell how much leaving one out would save."""
    prompts, _ = builder()
    prompt = prompts.build(request(SYSTEM, USER, ANSWER, Message("user", " ".join(["long"] * 50))))
    assert sum(prompt.message_tokens) == len(prompt.tokens)
    assert prompt.message_tokens[3] > 50 > max(prompt.message_tokens[:3])


class Tokenizer(ScriptedModel):
    """Notes what it is asked to cut of what was said."""

    def __init__(self) -> None:
        super().__init__(ScriptedBackend(), "cpu")
        self.cut: list[str] = []

    def tokenize(self, text: str, origin: TextOrigin, at_start: bool) -> list[int]:
        if origin is not TextOrigin.TEMPLATE:
            self.cut.append(text)
        return super().tokenize(text, origin, at_start)


def counting(monkeypatch: pytest.MonkeyPatch, **limits: int) -> tuple[PromptBuilder, Tokenizer]:
    for name, limit in limits.items():
        monkeypatch.setattr(f"desktop.engine.session.{name}", limit)
    model = Tokenizer()
    return PromptBuilder(model, ChatTemplate(TEMPLATE, control_texts=CONTROL)), model


def ask(prompts: PromptBuilder, texts: Sequence[str]) -> None:
    prompts.build(request(*(Message("user", text) for text in texts)))


def test_what_was_said_before_is_not_cut_into_tokens_again() -> None:
    """A conversation of four hundred questions: of the next prompt only what is new."""
    model = Tokenizer()
    prompts = PromptBuilder(model, ChatTemplate(TEMPLATE, control_texts=CONTROL))
    said = [f"Question {number}" for number in range(400)]
    ask(prompts, said)
    model.cut.clear()
    ask(prompts, [*said, "And this?"])
    assert model.cut == ["And this?"]


def test_tokens_of_old_questions_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many texts are known and no more, those that were used last."""
    prompts, model = counting(monkeypatch, SEGMENTS_KEPT=20)
    for number in range(100):
        ask(prompts, [f"Question {number}"])
    model.cut.clear()
    ask(prompts, ["Question 99"])
    assert model.cut == []
    ask(prompts, ["Question 99", "Question 3"])
    assert model.cut == ["Question 3"]


def test_tokens_of_long_texts_take_the_room_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """By their tokens together; one that is longer than all of it is known as long as it is the last."""
    prompts, model = counting(monkeypatch, TOKENS_KEPT=1000)
    long = " ".join(["word"] * 600)
    ask(prompts, ["Hello"])
    ask(prompts, [long])
    ask(prompts, [f"{long} again"])
    model.cut.clear()
    ask(prompts, ["Hello"])
    assert "Hello" in model.cut
    ask(prompts, [f"{long} again"])
    assert f"{long} again" not in model.cut
    ask(prompts, [long])
    assert long in model.cut


def test_tokens_of_old_answers_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the model chose them, of the answers that came last."""
    prompts, model = counting(monkeypatch, ANSWERS_KEPT=3)
    for number in range(5):
        own = [token for text in ("Go", "od day") for token in model.tokenize(text, TextOrigin.MODEL, False)]
        prompts.remember_answer(str(number), "Good day", tuple(own))
    lengths = [
        len(prompts.build(request(USER, ANSWER, USER, conversation=str(number))).tokens)
        for number in range(5)
    ]
    assert lengths[0] == lengths[1] < lengths[2] == lengths[3] == lengths[4]


THINKS = TEMPLATE + "{{ '<think>\n' }}"


def thinking(answer_start: str = "", **options: object) -> tuple[str, bool]:
    """How the prompt ends, and whether inside a thought."""
    model = ScriptedModel(ScriptedBackend(), "cpu")
    prompts = PromptBuilder(model, ChatTemplate(THINKS, control_texts=CONTROL))
    asked = replace(GenerateRequest("a", (USER,), thinks=True, answer_start=answer_start), **options)  # type: ignore[arg-type]
    prompt = prompts.build(asked)
    return "".join(model.piece(token).decode() for token in prompt.tokens), prompt.is_thinking


def test_only_free_words_begin_with_a_thought() -> None:
    """Not what is bound to a form, and not what goes on after words."""
    assert thinking()[1]
    for bound in ({"grammar": 'root ::= "a"'}, {"labels": ("yes", "no")}, {"thinks": False}):
        ending, is_thinking = thinking(**bound)
        assert not is_thinking
        assert ending.rstrip().endswith("</think>")
    ending, is_thinking = thinking("It is")
    assert ending.endswith("</think>\n\nIt is")
    assert not is_thinking


def test_a_cut_thought_goes_on_where_it_was_cut() -> None:
    """The tag stands there already, and is not written twice."""
    ending, is_thinking = thinking("<think>\nFirst I")
    assert ending.endswith("<think>\nFirst I")
    assert not is_thinking
