"""Turns: from a question to a stored answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.chat.events import AnswerGrew, MessagesHidden, NoticeAdded, TurnEnded, TurnFailed, TurnStarted
from desktop.chat.store import ChatStore, Message, MessageStatus, Role
from desktop.chat.turn_context import TurnContext
from desktop.chat.turns import Turns
from desktop.engine.engine import Engine, start_thread
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.paths import Paths
from desktop.settings import Settings
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.held_objects import held


class Room:
    """A chat with a scripted model on its own engine thread."""

    def __init__(
        self, paths: Paths, bus: Bus, store: ChatStore, backend: ScriptedBackend, settings: Settings
    ) -> None:
        self.bus, self.store = bus, store
        self.engine = Engine(paths, bus, lambda: settings.model, backend)
        self.turns = Turns(store, self.engine, bus, lambda: settings)
        self.events: list[Event] = []
        bus.subscribe(Event, self.events.append)

    def of(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture
def room(paths: Paths, bus: Bus, store: ChatStore, tmp_path: Path) -> Iterator[Callable[..., Room]]:
    """Make the room with a script; its engine ends with the test."""
    endings: list[Callable[[], None]] = []

    def make(backend: ScriptedBackend, **model: object) -> Room:
        settings = Settings(model={"threads": 1, **model})
        room = Room(paths, bus, store, backend, settings)
        room.engine.use(installed(tmp_path, "tiny"))
        thread = start_thread(room.engine)
        endings.extend((room.engine.close, thread.join))
        return room

    yield make
    for end in endings:
        end()


@contextmanager
def running(turns: Turns, conversation_id: int, text: str) -> Iterator[list[Message]]:
    """A turn on another thread; the list has its answer afterwards."""
    answers: list[Message] = []
    thread = threading.Thread(target=lambda: answers.append(turns.run(conversation_id, text)))
    thread.start()
    try:
        yield answers
    finally:
        thread.join()


def test_a_turn_announces_what_it_stored(room: Callable[..., Room]) -> None:
    """Started, grown, ended: the pieces that were shown are the answer on disk."""
    chat = room(ScriptedBackend("The sky is blue because of scattering."))
    conversation_id = chat.store.create().id
    answer = chat.turns.run(conversation_id, "Why?")
    assert answer.text == "The sky is blue because of scattering."
    assert (answer.status, answer.model) == (MessageStatus.COMPLETE, "Tiny")
    assert len(chat.of(TurnStarted)) == len(chat.of(TurnEnded)) == 1
    grown = chat.of(AnswerGrew)
    assert "".join(event.text for event in grown) == answer.text
    assert next(event.text_at for event in grown) == 0


def test_what_is_announced_is_already_on_disk(room: Callable[..., Room]) -> None:
    """At each announcement the store holds at least what is announced."""
    chat = room(ScriptedBackend("one two three four five six", token_s=0.03))
    short: list[str] = []

    def check(event: AnswerGrew) -> None:
        stored = chat.store.message(event.message_id).text
        if not stored.endswith(event.text):
            short.append(stored)

    chat.bus.subscribe(AnswerGrew, check)
    chat.turns.run(chat.store.create().id, "Count")
    assert len(chat.of(AnswerGrew)) > 1
    assert short == []


def test_thinking_is_kept_apart_and_not_told_again(room: Callable[..., Room]) -> None:
    """Thinking is stored beside the answer and is no part of the next prompt."""
    backend = ScriptedBackend(["<think>Hm.</think>Yes.", "No."])
    chat = room(backend)
    conversation_id = chat.store.create().id
    answer = chat.turns.run(conversation_id, "Really?")
    assert (answer.thinking, answer.text) == ("Hm.", "Yes.")
    assert answer.thinking_s is not None
    chat.turns.run(conversation_id, "Sure?")
    assert "Hm." not in backend.prompts[-1]
    assert "Yes." in backend.prompts[-1]


def test_stop_keeps_what_was_said(room: Callable[..., Room]) -> None:
    """A stopped answer ends early with what there is, and says so."""
    chat = room(ScriptedBackend("word " * 400, token_s=0.01))
    conversation_id = chat.store.create().id
    grown = threading.Event()
    chat.bus.subscribe(AnswerGrew, lambda event: grown.set())
    with running(chat.turns, conversation_id, "Go on") as answers:
        assert grown.wait(60)
        chat.turns.stop(conversation_id)
    assert answers[0].status is MessageStatus.STOPPED
    assert 0 < len(answers[0].text) < 1000


def test_stop_before_the_first_token_is_heard(room: Callable[..., Room]) -> None:
    """Stop is not lost while the prompt is still being read."""
    chat = room(ScriptedBackend("word " * 400, prompt_token_s=0.005, token_s=0.01))
    conversation_id = chat.store.create().id
    started = threading.Event()
    chat.bus.subscribe(TurnStarted, lambda event: started.set())
    with running(chat.turns, conversation_id, "Go on") as answers:
        assert started.wait(60)
        chat.turns.stop(conversation_id)
    assert answers[0].status is MessageStatus.STOPPED
    assert not chat.turns.is_running(conversation_id)


def test_a_cut_answer_goes_on_where_it_stopped(room: Callable[..., Room]) -> None:
    """Continue appends to the same message, and the model is given what it had written."""
    backend = ScriptedBackend(["one two three four " * 20, "and five"])
    chat = room(backend, max_answer_tokens=16)
    conversation_id = chat.store.create().id
    cut = chat.turns.run(conversation_id, "Count")
    assert cut.status is MessageStatus.LENGTH
    whole = chat.turns.continue_answer(conversation_id)
    assert whole.id == cut.id
    assert whole.text == cut.text + "and five"
    assert backend.prompts[-1].endswith(cut.text)


def test_regenerating_keeps_the_old_answer_as_a_version(room: Callable[..., Room]) -> None:
    """The new answer is shown, the old one is its sibling; the question stays, the model sees no old one."""
    backend = ScriptedBackend(["first", "second", "third"])
    chat = room(backend)
    conversation_id = chat.store.create().id
    old = chat.turns.run(conversation_id, "Say something")
    new = chat.turns.regenerate(conversation_id)
    assert [m.text for m in chat.store.messages(conversation_id)] == ["Say something", "second"]
    assert chat.of(MessagesHidden) == [MessagesHidden(conversation_id, (old.id,))]
    assert (new.version, new.versions) == (2, 2)
    assert "first" not in backend.prompts[-1]


def test_an_edited_question_starts_a_branch_and_the_old_one_comes_back_whole(
    room: Callable[..., Room],
) -> None:
    """Both threads are kept; the model sees the open one alone, and going back opens the old to its end."""
    backend = ScriptedBackend(lambda prompt: f"answer {prompt.count('<|im_start|>user')}")
    chat = room(backend)
    conversation_id = chat.store.create().id
    for text in ("one", "two", "three"):
        chat.turns.run(conversation_id, text)
    two = chat.store.messages(conversation_id)[2]
    chat.turns.edit(conversation_id, two.id, "two, better")
    assert [m.text for m in chat.store.messages(conversation_id)] == [
        *("one", "answer 1"),
        *("two, better", "answer 2"),
    ]
    assert "three" not in backend.prompts[-1]
    chat.turns.open_branch(conversation_id, two.id)
    assert [m.text for m in chat.store.messages(conversation_id)][2:] == [
        "two",
        "answer 2",
        "three",
        "answer 3",
    ]
    chat.turns.run(conversation_id, "four")
    assert "better" not in backend.prompts[-1]
    assert "three" in backend.prompts[-1]


def test_deleting_takes_what_follows_and_never_a_version(room: Callable[..., Room]) -> None:
    """Of three versions the second goes: its thread goes along, the others stay, undo brings all back."""
    chat = room(ScriptedBackend([f"answer {n}" for n in range(9)]))
    conversation_id = chat.store.create().id
    first = chat.turns.run(conversation_id, "one")
    second = chat.turns.regenerate(conversation_id)
    chat.turns.run(conversation_id, "two")
    third = chat.turns.regenerate(conversation_id, second.id)
    assert chat.store.versions(first.id) == (first.id, second.id, third.id)
    chat.turns.open_branch(conversation_id, second.id)
    deleted = chat.turns.delete(conversation_id, second.id)
    assert (deleted.message.id, deleted.after) == (second.id, 2)
    assert chat.store.versions(first.id) == (first.id, third.id)
    assert [m.id for m in chat.store.messages(conversation_id)][1:] == [first.id]
    chat.turns.restore(conversation_id, second.id)
    assert [m.text for m in chat.store.messages(conversation_id)] == ["one", "answer 1", "two", "answer 2"]


def test_what_was_cut_for_one_branch_is_seen_on_another(room: Callable[..., Room]) -> None:
    """That the oldest messages no longer fit is told and counts on the branch where it happened."""
    backend = ScriptedBackend("A short answer.")
    chat = room(backend, context_tokens=512, max_answer_tokens=16)
    conversation_id = chat.store.create().id
    for number in range(12):
        chat.turns.run(conversation_id, f"Question {number}: " + "why " * 20)
    assert chat.store.seen_from(conversation_id) > 0
    third = [m for m in chat.store.messages(conversation_id, limit=None) if m.role is Role.USER][2]
    chat.turns.edit(conversation_id, third.id, "Something else?")
    assert chat.store.seen_from(conversation_id) == 0
    assert "Question 0:" in backend.prompts[-1]
    assert not any(m.role is Role.NOTICE for m in chat.store.messages(conversation_id))


def test_a_cut_answer_goes_on_on_its_own_branch(room: Callable[..., Room]) -> None:
    """Continue belongs to the version that is open, also after another one was made."""
    backend = ScriptedBackend(["one two three four " * 20, "whole", "and five"])
    chat = room(backend, max_answer_tokens=16)
    conversation_id = chat.store.create().id
    cut = chat.turns.run(conversation_id, "Count")
    again = chat.turns.regenerate(conversation_id)
    chat.turns.open_branch(conversation_id, cut.id)
    whole = chat.turns.continue_answer(conversation_id)
    assert (whole.id, whole.text) == (cut.id, cut.text + "and five")
    assert chat.store.message(again.id).text == "whole"


def test_versions_wait_for_the_answer(room: Callable[..., Room]) -> None:
    """While an answer is written no other branch is opened, and the sentence says what to do."""
    chat = room(ScriptedBackend("word " * 200, token_s=0.01))
    conversation_id = chat.store.create().id
    started = threading.Event()
    chat.bus.subscribe(TurnStarted, lambda event: started.set())
    with running(chat.turns, conversation_id, "Go on"):
        assert started.wait(60)
        question = chat.store.messages(conversation_id)[0]
        for act in (chat.turns.open_branch, chat.turns.delete, chat.turns.restore):
            with pytest.raises(UserFacing, match="answered"):
                act(conversation_id, question.id)
        chat.turns.stop_all()


def test_a_model_that_cannot_be_loaded_fails_the_turn_in_words(room: Callable[..., Room]) -> None:
    """The failure is announced with its sentence, and the question is kept."""
    chat = room(ScriptedBackend(load_error="unknown architecture"))
    conversation_id = chat.store.create().id
    answer = chat.turns.run(conversation_id, "Hello?")
    assert answer.status is MessageStatus.FAILED
    (failed,) = chat.of(TurnFailed)
    assert isinstance(failed, TurnFailed)
    assert failed.error.action
    assert chat.store.messages(conversation_id)[0].text == "Hello?"


def test_when_the_context_is_full_the_oldest_are_left_out_and_it_is_said(room: Callable[..., Room]) -> None:
    """The turn still answers; a notice counts what the model no longer sees; nothing is deleted."""
    backend = ScriptedBackend("A short answer.")
    chat = room(backend, context_tokens=512, max_answer_tokens=16)
    conversation_id = chat.store.create().id
    for number in range(12):
        answer = chat.turns.run(conversation_id, f"Question {number}: " + "why " * 20)
        assert answer.status is MessageStatus.COMPLETE
    notices = chat.of(NoticeAdded)
    assert notices
    messages = chat.store.messages(conversation_id, limit=None)
    assert sum(m.role is Role.USER for m in messages) == 12
    assert any(m.role is Role.NOTICE and "no longer sees" in m.text for m in messages)
    assert "Question 0:" not in backend.prompts[-1]
    assert "Question 11:" in backend.prompts[-1]


def test_a_message_longer_than_the_context_is_refused_with_the_numbers(room: Callable[..., Room]) -> None:
    """Nothing can be left out to make room for it, so the user is told, and the text is kept."""
    chat = room(ScriptedBackend(), context_tokens=512)
    conversation_id = chat.store.create().id
    answer = chat.turns.run(conversation_id, "why " * 2000)
    assert answer.status is MessageStatus.FAILED
    (failed,) = chat.of(TurnFailed)
    assert isinstance(failed, TurnFailed)
    assert failed.error.code == "message-too-long"
    assert "512" in failed.error.cause
    # The error is kept for the card, and nothing of what it came from.
    assert not held(failed, TurnContext)


def test_one_turn_at_a_time_in_a_conversation(room: Callable[..., Room]) -> None:
    """A second question while an answer is under way is the caller's mistake, and loud."""
    chat = room(ScriptedBackend("word " * 200, token_s=0.01))
    conversation_id = chat.store.create().id
    started = threading.Event()
    chat.bus.subscribe(TurnStarted, lambda event: started.set())
    with running(chat.turns, conversation_id, "Go on"):
        assert started.wait(60)
        with pytest.raises(RuntimeError, match="already"):
            chat.turns.run(conversation_id, "And now?")
        chat.turns.stop_all()
