"""How full the model's context is, and with what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.chat.attachments import estimated_tokens
from desktop.chat.store import Role
from desktop.chat.turn_context import TurnContext
from desktop.engine.engine import Engine
from desktop.engine.requests import GenerateRequest
from desktop.engine.requests import Message as EngineMessage

NEARLY_FULL = 0.8
TEMPLATE_TOKENS = 5  # what a chat template writes around one message, about; where no model is loaded
# Kept free for a short question and for the words around what goes along.
FRAMES_TOKENS, FRAMES_SHARE = 64, 16
ANSWER_SHARE = 4  # a part of the context of this size is kept free for an answer, or less where it is short


@dataclass(frozen=True)
class ContextUse:
    """In tokens. `is_estimate` where no model is loaded that could count. `limit` 0 where nobody here knows
    it: a model server answers.

    `questions` is how many the model reads itself, of `questions_limit` (0: all that fit).
    """

    limit: int
    instructions: int = 0
    tools: int = 0
    memory: int = 0
    summary: int = 0
    attachments: int = 0
    messages: int = 0
    answer: int = 0  # kept free for the next answer
    is_estimate: bool = True
    questions: int = 0
    questions_limit: int = 0
    is_automatic: bool = False  # the limit was chosen by the memory that is free

    @property
    def used(self) -> int:
        return self.instructions + self.tools + self.memory + self.summary + self.attachments + self.messages

    @property
    def left(self) -> int:
        return max(self.limit - self.used, 0)

    @property
    def share(self) -> float:
        return self.used / self.limit if self.limit else 0.0

    @property
    def is_nearly_full(self) -> bool:
        return self.share >= NEARLY_FULL

    @property
    def is_over(self) -> bool:
        """Whether the chat is longer than what the model sees at once: a question that needs all of it leaves
        the oldest messages out. One that needs no tools has their room."""
        return bool(self.limit) and self.used > self.limit

    @property
    def cuts_next(self) -> bool:
        """Whether the next question leaves older messages out, because of the settings."""
        return bool(self.questions_limit) and self.questions > self.questions_limit

    @property
    def room(self) -> int | None:
        """What may go along with a message at most; older messages would be left out for it."""
        if not self.limit:
            return None
        frames = max(FRAMES_TOKENS, self.limit // FRAMES_SHARE)
        return max(self.limit - self.instructions - self.tools - self.answer - frames, 0)


def used_by(engine: Engine, context: TurnContext) -> ContextUse:
    """What the next prompt of a conversation has in it; its first message are the instructions."""
    prompt, tools = context.prompt().messages, context.profile.schemas(context.toolbox)
    seen, summary, settings = context.messages, context.summary, context.settings
    # A template without a question refuses; the shortest one stands in for it.
    asked = tuple(prompt) if len(prompt) > 1 else (*prompt, EngineMessage("user", "?"))
    with_tools, is_estimate = _message_tokens(engine, asked, tools)
    instructions = _message_tokens(engine, asked, ())[0][0] if tools else with_tools[0]
    said = sum(with_tools[1:]) if len(prompt) > 1 else 0
    # Each part was counted by itself; the sum of what was said is the bound of all.
    attached = min(sum(each.tokens for message in seen for each in message.attachments), said)
    memory = min(context.memory_tokens, said - attached)
    summarised = min(_count(engine, summary.text) if summary is not None else 0, said - attached - memory)
    limit = engine.context_tokens
    if context.destination is not None:
        limit = 0
    return ContextUse(
        limit=limit,
        instructions=instructions,
        tools=with_tools[0] - instructions,
        memory=memory,
        summary=summarised,
        attachments=attached,
        messages=said - attached - memory - summarised,
        answer=min(settings.model.max_answer_tokens, limit // ANSWER_SHARE),
        is_estimate=is_estimate,
        questions=sum(message.role is Role.USER for message in seen),
        questions_limit=settings.chat.history_turns,
        is_automatic=not settings.model.context_tokens,
    )


def _message_tokens(
    engine: Engine, messages: tuple[EngineMessage, ...], tools: Sequence[Mapping[str, Any] | str]
) -> tuple[tuple[int, ...], bool]:
    """The tokens of each message, the tools counted with the first, and whether that is an estimate."""
    counted = engine.measure(GenerateRequest("measured", messages, tools=tuple(tools)))
    if counted is not None:
        return counted, False
    guessed = [estimated_tokens(message.content) + TEMPLATE_TOKENS for message in messages]
    # Tools stand in the system message with most templates.
    guessed[0] += sum(estimated_tokens(str(tool)) for tool in tools)
    return tuple(guessed), True


def _count(engine: Engine, text: str) -> int:
    counted = engine.count_tokens(text)
    return estimated_tokens(text) if counted is None else counted
