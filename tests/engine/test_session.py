"""Requests become tokens, the same ones each time."""

from __future__ import annotations

from dataclasses import replace

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


def test_every_token_of_a_prompt_belongs_to_a_message() -> None:
    """So the caller can tell how much leaving one out would save."""
    prompts, _ = builder()
    prompt = prompts.build(request(SYSTEM, USER, ANSWER, Message("user", " ".join(["long"] * 50))))
    assert sum(prompt.message_tokens) == len(prompt.tokens)
    assert prompt.message_tokens[3] > 50 > max(prompt.message_tokens[:3])


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
