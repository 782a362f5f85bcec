"""What the model is told: the system prompt and the messages it sees.

Prompts are append-only: for one conversation the system prompt is fixed and every turn adds to the end, so
that the KV cache holds and a turn costs only its own tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from desktop import paths
from desktop.chat.attachments import with_question
from desktop.chat.formats.family import COMPACT, Family
from desktop.chat.store import Message, Role
from desktop.engine import requests
from desktop.tools.text import head_tail

# After a cut the prompt fills this much of the context, so that the next turns need none.
KEEP_FRACTION = 0.6


@dataclass(frozen=True)
class Prompt:
    """`first_ids` has, for each message, the id of the stored message it begins with; 0: the system's."""

    messages: tuple[requests.Message, ...]
    first_ids: tuple[int, ...]


@cache
def default_system_prompt(tools: bool = False) -> str:
    """Steward's own instructions, with or without tools; each under 200 tokens, which a test counts."""
    return _text("system_tools.txt" if tools else "system.txt")


@cache
def tool_rules() -> str:
    """How tools are to be used: the part of Steward's instructions that also stands under others."""
    return default_system_prompt(tools=True).rsplit("\n\n", 1)[1]


@cache
def patterns_prompt() -> str:
    """How to act in patterns; with the instructions for tools under 300 tokens, which a test counts."""
    return _text("patterns.txt")


def _text(name: str) -> str:
    return (paths.resources() / "prompts" / name).read_text(encoding="utf-8").strip()


def assemble(
    system_prompt: str,
    history: Iterable[Message],
    family: Family = COMPACT,
    before: Mapping[int, str] | None = None,
) -> Prompt:
    """The prompt for the next answer: no notices, no thinking, no empty answers; calls and their results as
    `family` writes them. `before` has what stands right before the questions with these ids, and stays there.

    Messages of one side that follow each other (a question whose answer failed) become one, because many
    templates refuse anything but strict alternation.
    """
    messages = [requests.Message("system", system_prompt)]
    first_ids = [0]
    for stored in history:
        for message in _told(stored, family, (before or {}).get(stored.id, "")):
            if messages[-1].role == message.role:
                joined = f"{messages[-1].content}\n\n{message.content}"
                messages[-1] = requests.Message(message.role, joined)
            else:
                messages.append(message)
                first_ids.append(stored.id)
    return Prompt(tuple(messages), tuple(first_ids))


def _told(stored: Message, family: Family, before: str) -> list[requests.Message]:
    if stored.tool is not None:
        call = family.call_text(stored.tool.name, stored.tool.arguments)
        result = stored.tool.with_hint(head_tail(stored.text)) or "(interrupted)"
        return [requests.Message("assistant", call), family.result_message(stored.tool.name, result)]
    if stored.role is Role.NOTICE or not (stored.text.strip() or before):
        return []
    return [requests.Message(str(stored.role), with_question(before, stored.text))]


def first_kept(prompt: Prompt, overflow: requests.ContextOverflow) -> int | None:
    """Where the prompt must begin to fit: the id of a question, or None when leaving out does not help."""
    budget = overflow.context_tokens * KEEP_FRACTION
    tokens = list(overflow.message_tokens)
    beside = overflow.prompt_tokens - sum(tokens)  # the beginning of an answer that is continued
    kept = beside + tokens[0] + tokens[-1]
    start = len(tokens) - 1
    while start > 1 and kept + tokens[start - 1] <= budget:
        start -= 1
        kept += tokens[start]
    while start < len(tokens) - 1 and prompt.messages[start].role != "user":
        start += 1
    return prompt.first_ids[start] if start > 1 else None
