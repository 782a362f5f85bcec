"""What the model sees of a conversation in one turn, and what it is told when that becomes less."""

from __future__ import annotations

import pytest

from desktop.chat.events import NoticeAdded
from desktop.chat.store import ChatStore, Message, Role
from desktop.chat.tool_mode import ToolMode, ToolProfile
from desktop.chat.turn_context import ContextWindow, TurnContext
from desktop.events import Bus, Event
from desktop.settings import Settings

TURNS = 4


def _turns(store: ChatStore, count: int) -> tuple[Message, ...]:
    """The answers that are asked for, one after another; each is filled before the next question."""
    conversation_id = store.create().id
    answers = []
    for number in range(count):
        store.add(conversation_id, Role.USER, f"question {number}")
        answers.append(store.add(conversation_id, Role.ASSISTANT, f"answer {number}"))
    return tuple(answers)


def _context(window: ContextWindow, answer: Message, turns: int) -> TurnContext:
    settings = Settings(chat={"history_turns": turns})
    base = TurnContext(answer.conversation_id, settings, ToolProfile.of(None, ToolMode.WORDS))
    return window.load(base, answer.id)


def _questions(context: TurnContext) -> list[str]:
    return [message.content for message in context.prompt().messages if message.role == "user"]


def test_older_turns_are_left_out_in_blocks_and_it_is_said(store: ChatStore, bus: Bus) -> None:
    """Never more earlier turns than the settings allow; between two cuts prompts only grow at their end."""
    window = ContextWindow(store, bus)
    notices: list[Event] = []
    bus.subscribe(NoticeAdded, notices.append)
    before: list[str] = []
    cuts = 0
    for answer in _turns(store, 15):
        context = window.keep_recent(_context(window, answer, TURNS))
        seen = _questions(context)
        assert len(seen) - 1 <= TURNS
        assert seen == _questions(_context(window, answer, TURNS))
        assert seen[-1] == context.asked
        cuts += seen[: len(before)] != before
        before = seen
    assert cuts == len(notices) == 4
    assert all("no longer sees" in event.notice.text for event in notices)  # type: ignore[attr-defined]


def test_without_a_limit_all_is_seen(store: ChatStore, bus: Bus) -> None:
    """0 means: all that fit."""
    window = ContextWindow(store, bus)
    answers = _turns(store, 15)
    context = window.keep_recent(_context(window, answers[-1], 0))
    assert len(_questions(context)) == 15


def test_what_a_turn_adds_makes_a_new_value(store: ChatStore, bus: Bus) -> None:
    """A context that was handed on stays as it was."""
    window = ContextWindow(store, bus)
    answers = _turns(store, 2)
    before = _context(window, answers[-1], 0)
    after = before.with_message(answers[-1])
    assert before.messages == after.messages[:-1]
    assert after.messages[-1] == answers[-1]
    assert after.asked == before.asked == "question 1"


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        (((Role.USER, "Why is the sky blue?"), (Role.ASSISTANT, "Because of `air`.")), False),
        (((Role.USER, "Read this: " + "the harbour was rebuilt " * 30), (Role.ASSISTANT, "Done.")), True),
        (
            (
                (Role.USER, "Write a loop."),
                (Role.ASSISTANT, "Here:\n```python\nfor i in a:\n    print(i)\n```"),
            ),
            True,
        ),
    ],
)
def test_a_text_is_one_in_every_later_turn(
    store: ChatStore, bus: Bus, said: tuple[tuple[Role, str], ...], holds: bool
) -> None:
    """Pasted by the user or written by the model: "and now in capitals" repeats it."""
    conversation_id = store.create().id
    for role, text in (*said, (Role.USER, "And now in capitals?")):
        store.add(conversation_id, role, text)
    answer = store.add(conversation_id, Role.ASSISTANT, "")
    assert _context(ContextWindow(store, bus), answer, 0).holds_a_text is holds
