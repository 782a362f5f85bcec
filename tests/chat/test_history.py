"""What the model sees of a conversation, and what it is told when that becomes less."""

from __future__ import annotations

from desktop.chat.events import NoticeAdded
from desktop.chat.formats.family import HERMES
from desktop.chat.history import History
from desktop.chat.store import ChatStore, Message, Role
from desktop.events import Bus, Event

TURNS = 4


def _turns(store: ChatStore, count: int) -> tuple[Message, ...]:
    """The answers that are asked for, one after another; each is filled before the next question."""
    conversation_id = store.create().id
    answers = []
    for number in range(count):
        store.add(conversation_id, Role.USER, f"question {number}")
        answers.append(store.add(conversation_id, Role.ASSISTANT, f"answer {number}"))
    return tuple(answers)


def _questions(history: History, answer: Message) -> list[str]:
    prompt = history.prompt(answer, "Be kind.", HERMES)
    return [message.content for message in prompt.messages if message.role == "user"]


def test_older_turns_are_left_out_in_blocks_and_it_is_said(store: ChatStore, bus: Bus) -> None:
    """Never more earlier turns than the settings allow; between two cuts prompts only grow at their end."""
    history = History(store, bus, lambda: TURNS)
    notices: list[Event] = []
    bus.subscribe(NoticeAdded, notices.append)
    before: list[str] = []
    cuts = 0
    for answer in _turns(store, 15):
        history.keep_recent(answer)
        seen = _questions(history, answer)
        assert len(seen) - 1 <= TURNS
        assert seen[-1] == history.question(answer)
        cuts += seen[: len(before)] != before
        before = seen
    assert cuts == len(notices) == 4
    assert all("no longer sees" in event.notice.text for event in notices)  # type: ignore[attr-defined]


def test_without_a_limit_all_is_seen(store: ChatStore, bus: Bus) -> None:
    """0 means: all that fit."""
    history = History(store, bus, lambda: 0)
    answers = _turns(store, 15)
    history.keep_recent(answers[-1])
    assert len(_questions(history, answers[-1])) == 15
