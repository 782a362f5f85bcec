"""One turn: a question is stored, the model answers, what it says is on disk before anyone sees it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog

from desktop.chat.events import (
    AnswerGrew,
    ConversationsChanged,
    MessageRemoved,
    NoticeAdded,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.prompts import Prompt, assemble, default_system_prompt, first_kept
from desktop.chat.store import ChatStore, Closing, Message, MessageStatus, Role
from desktop.chat.thinking import Split, ThinkingSplitter
from desktop.engine.engine import Engine
from desktop.engine.requests import (
    ContextOverflow,
    FinishReason,
    GenerateRequest,
    Metrics,
    Priority,
    Sampling,
)
from desktop.engine.stream import Stream
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.settings import ModelSettings, Settings

log = structlog.get_logger(__name__)

# Text is committed, and then shown, at most this often. The view repaints no faster.
COMMIT_INTERVAL_S = 0.04

_STATUS = {
    FinishReason.STOP: MessageStatus.COMPLETE,
    FinishReason.LENGTH: MessageStatus.LENGTH,
    FinishReason.CONTEXT_FULL: MessageStatus.CONTEXT_FULL,
    FinishReason.CANCELLED: MessageStatus.STOPPED,
}

CAN_CONTINUE = frozenset(
    {
        MessageStatus.LENGTH,
        MessageStatus.STOPPED,
        MessageStatus.INTERRUPTED,
        MessageStatus.FAILED,
        MessageStatus.CONTEXT_FULL,
    }
)


@dataclass
class _Running:
    """A turn under way. `stop` may be called before there is a stream."""

    stream: Stream | None = None
    stopped: bool = False

    def attach(self, stream: Stream) -> None:
        self.stream = stream
        if self.stopped:
            stream.cancel()

    def stop(self) -> None:
        self.stopped = True
        if self.stream is not None:
            self.stream.cancel()


class Turns:
    """Runs turns, one at a time in each conversation. `run` and its kin block: call them on a pool thread."""

    def __init__(self, store: ChatStore, engine: Engine, bus: Bus, settings: Callable[[], Settings]) -> None:
        self._store = store
        self._engine = engine
        self._bus = bus
        self._settings = settings
        self._lock = threading.Lock()
        self._running: dict[int, _Running] = {}

    def run(self, conversation_id: int, text: str, priority: Priority = Priority.CHAT) -> Message:
        """Ask `text` and return the whole answer. Failures are announced as TurnFailed, not raised."""
        with self._turn(conversation_id) as running:
            question, answer = self._store.open_turn(conversation_id, text)
            self._bus.publish(TurnStarted(conversation_id, question, answer))
            self._bus.publish(ConversationsChanged())
            return self._answer(running, answer, priority)

    def regenerate(self, conversation_id: int) -> Message:
        """Replace the latest answer by a new one."""
        with self._turn(conversation_id) as running:
            old = self._latest_answer(conversation_id)
            self._store.remove(old.id)
            self._bus.publish(MessageRemoved(conversation_id, old.id))
            answer = self._store.add(conversation_id, Role.ASSISTANT, "", MessageStatus.STREAMING)
            self._bus.publish(TurnStarted(conversation_id, None, answer))
            return self._answer(running, answer, Priority.CHAT)

    def continue_answer(self, conversation_id: int) -> Message:
        """Go on with the latest answer where it was cut."""
        with self._turn(conversation_id) as running:
            answer = self._store.reopen(self._latest_answer(conversation_id).id)
            self._bus.publish(TurnStarted(conversation_id, None, answer))
            return self._answer(running, answer, Priority.CHAT)

    def stop(self, conversation_id: int) -> None:
        """End the answer under way, keeping what was said. Any thread; harmless when there is none."""
        with self._lock:
            running = self._running.get(conversation_id)
        if running is not None:
            running.stop()

    def stop_all(self) -> None:
        """Before the program ends."""
        with self._lock:
            under_way = tuple(self._running.values())
        for running in under_way:
            running.stop()

    def is_running(self, conversation_id: int) -> bool:
        with self._lock:
            return conversation_id in self._running

    # -- inside -------------------------------------------------------------------------------

    @contextmanager
    def _turn(self, conversation_id: int) -> Iterator[_Running]:
        running = _Running()
        with self._lock:
            if conversation_id in self._running:
                raise RuntimeError(f"conversation {conversation_id} is already being answered")
            self._running[conversation_id] = running
        try:
            yield running
        finally:
            with self._lock:
                del self._running[conversation_id]

    def _answer(self, running: _Running, answer: Message, priority: Priority) -> Message:
        growing = _Growing(self._store, self._bus, answer)
        try:
            finish, metrics = self._stream(running, answer, growing, priority)
        except UserFacing as error:
            return self._fail(growing, answer, error)
        except Exception:
            log.exception("turn failed", conversation_id=answer.conversation_id)
            self._fail(growing, answer, _unexpected())
            raise
        closed = growing.close(_STATUS[finish], metrics, self._engine.status.model_name)
        self._bus.publish(TurnEnded(answer.conversation_id, closed))
        return closed

    def _stream(
        self, running: _Running, answer: Message, growing: _Growing, priority: Priority
    ) -> tuple[FinishReason, Metrics]:
        """Submit, leaving out the oldest messages (and saying so) as often as the prompt does not fit."""
        while True:
            prompt = self._prompt(answer)
            stream = self._engine.submit(self._request(prompt, answer, priority))
            running.attach(stream)
            try:
                for piece in stream:
                    growing.feed(piece)
                return stream.finish, stream.metrics
            except ContextOverflow as overflow:
                self._leave_out(prompt, overflow, answer)

    def _prompt(self, answer: Message) -> Prompt:
        since = self._store.seen_from(answer.conversation_id)
        history = self._store.messages(answer.conversation_id, before=answer.id, limit=None, since=since)
        system_prompt = self._settings().chat.system_prompt or default_system_prompt()
        return assemble(system_prompt, history)

    def _request(self, prompt: Prompt, answer: Message, priority: Priority) -> GenerateRequest:
        return GenerateRequest(
            conversation=f"chat-{answer.conversation_id}",
            messages=prompt.messages,
            sampling=sampling(self._settings().model),
            priority=priority,
            answer_start=_written(answer),
        )

    def _leave_out(self, prompt: Prompt, overflow: ContextOverflow, answer: Message) -> None:
        conversation_id = answer.conversation_id
        first = first_kept(prompt, overflow)
        if first is None:
            raise _question_too_long(overflow)
        count = sum(1 for message_id in prompt.first_ids if 0 < message_id < first)
        self._store.set_seen_from(conversation_id, first)
        notice = self._store.add(
            conversation_id,
            Role.NOTICE,
            f"To make room, the model no longer sees the {count} oldest messages. They are still here.",
        )
        self._bus.publish(NoticeAdded(conversation_id, notice))

    def _fail(self, growing: _Growing, answer: Message, error: UserFacing) -> Message:
        closed = growing.close(MessageStatus.FAILED, Metrics(), "")
        self._bus.publish(TurnFailed(answer.conversation_id, closed, error))
        return closed

    def _latest_answer(self, conversation_id: int) -> Message:
        for message in reversed(self._store.messages(conversation_id, limit=20)):
            if message.role is Role.ASSISTANT:
                return message
        raise LookupError(f"conversation {conversation_id} has no answer")


@dataclass
class _Growing:
    """An answer that is being written: splits, commits in batches, then announces."""

    store: ChatStore
    bus: Bus
    answer: Message
    started_s: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._splitter = ThinkingSplitter()
        self._text = self._thinking = ""
        self._text_at = len(self.answer.text)
        self._thinking_at = len(self.answer.thinking)
        self._committed_s = 0.0
        self._thinking_until_s: float | None = None

    def feed(self, piece: str) -> None:
        self._add(self._splitter.feed(piece))
        if time.monotonic() - self._committed_s >= COMMIT_INTERVAL_S:
            self._commit()

    def close(self, status: MessageStatus, metrics: Metrics, model: str) -> Message:
        self._add(self._splitter.finish())
        self._commit()
        thought_s = self._thinking_until_s and self._thinking_until_s - self.started_s
        return self.store.close_answer(
            self.answer.id,
            Closing(
                status=status,
                model=model,
                thinking_s=thought_s or self.answer.thinking_s,
                answer_tokens=metrics.answer_tokens,
                tokens_per_s=metrics.tokens_per_s,
                total_s=time.monotonic() - self.started_s,
            ),
        )

    def _add(self, split: Split) -> None:
        self._text += split.text
        self._thinking += split.thinking
        if split.thinking:
            self._thinking_until_s = time.monotonic()

    def _commit(self) -> None:
        if not self._text and not self._thinking:
            return
        self.store.grow(self.answer.id, self._text, self._thinking)
        self.bus.publish(
            AnswerGrew(
                self.answer.conversation_id,
                self.answer.id,
                self._text,
                self._thinking,
                self._text_at,
                self._thinking_at,
            )
        )
        self._text_at += len(self._text)
        self._thinking_at += len(self._thinking)
        self._text = self._thinking = ""
        self._committed_s = time.monotonic()


def sampling(model: ModelSettings) -> Sampling:
    """The user's settings as the engine wants them."""
    return Sampling(
        temperature=model.temperature,
        top_p=model.top_p,
        top_k=model.top_k,
        repeat_penalty=model.repeat_penalty,
        max_tokens=model.max_answer_tokens,
    )


def _written(answer: Message) -> str:
    """What a continued answer already says, as the model wrote it."""
    if not answer.text:
        return ""
    thinking = f"<think>\n{answer.thinking}\n</think>\n\n" if answer.thinking else ""
    return thinking + answer.text


def _question_too_long(overflow: ContextOverflow) -> UserFacing:
    return UserFacing(
        f"The message is too long: with the instructions it has {overflow.prompt_tokens} tokens, "
        f"and the model sees {overflow.context_tokens} at once, its answer included.",
        "The message is kept in the conversation.",
        "Shorten it, or raise the context size in the settings.",
        code="message-too-long",
    )


def _unexpected() -> UserFacing:
    return UserFacing(
        "Something went wrong inside Steward.",
        "The question and what was answered so far are kept.",
        "Try again; if it happens again, the log file has the details.",
        code="bug",
    )
