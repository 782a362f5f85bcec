"""One turn: a question is stored, the model answers, what it says is on disk before anyone sees it."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

from desktop.chat.acting import Acting, Steps
from desktop.chat.deciding import Decider, in_words, wants_text
from desktop.chat.events import (
    CallAdded,
    CallClosed,
    ConversationsChanged,
    MessageRemoved,
    NoticeAdded,
    SaidBeforeCall,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.formats.family import Family, family_of, tools_in_words
from desktop.chat.formats.found import Found
from desktop.chat.formats.splitter import CallSplitter
from desktop.chat.growing import Growing
from desktop.chat.prompts import Prompt, assemble, default_system_prompt, first_kept
from desktop.chat.store import ChatStore, Message, MessageStatus, Role
from desktop.chat.tool_record import ToolRecord
from desktop.engine.engine import Engine
from desktop.engine.requests import (
    ContextOverflow,
    FinishReason,
    GenerateRequest,
    Metrics,
    Priority,
    Sampling,
)
from desktop.engine.requests import Message as EngineMessage
from desktop.engine.stream import Stream
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.settings import ModelSettings, Settings
from desktop.tools.calls import Call
from desktop.tools.executor import Stop

log = structlog.get_logger(__name__)

CALM_TEMPERATURE = 0.2

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
    tools: Stop = field(default_factory=Stop)

    def attach(self, stream: Stream) -> None:
        self.stream = stream
        if self.stopped:
            stream.cancel()

    def stop(self) -> None:
        self.stopped = True
        self.tools.stop()
        if self.stream is not None:
            self.stream.cancel()


class Turns:
    """Runs turns, one at a time in each conversation. `run` and its kin block: call them on a pool thread."""

    def __init__(
        self,
        store: ChatStore,
        engine: Engine,
        bus: Bus,
        settings: Callable[[], Settings],
        acting: Acting | None = None,
    ) -> None:
        """Without `acting` answers are words alone."""
        self._acting = acting
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
            for old in self._after_latest_question(conversation_id):
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

    def warm_up(self) -> None:
        """Have the model read its instructions before the first question, which goes first all the same.

        Loads the model. What goes wrong is told by the first question.
        """
        messages = (
            EngineMessage("system", self._instructions(self._acting_at_all())),
            EngineMessage("user", "Hello"),
        )
        request = GenerateRequest(
            conversation="warm-up",
            messages=messages,
            sampling=Sampling(temperature=0.0, max_tokens=1),
            priority=Priority.BACKGROUND,
            tools=self._schemas(self._acting_at_all()),
        )
        try:
            self._engine.submit(request).text()
        except (UserFacing, ContextOverflow) as error:
            log.info("could not warm up", reason=str(error))

    def stop(self, conversation_id: int) -> None:
        """End the answer under way, keeping what was said. Any thread; harmless when there is none."""
        with self._lock:
            running = self._running.get(conversation_id)
        if running is not None:
            running.stop()
            if self._acting is not None:
                self._acting.cancel_questions(conversation_id)

    def stop_all(self) -> None:
        """Before the program ends."""
        with self._lock:
            under_way = tuple(self._running)
        for conversation_id in under_way:
            self.stop(conversation_id)

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
        acting = self._acting_now(answer)
        steps = Steps(self._settings().chat.steps)
        while True:
            growing = self._growing(answer, acting)
            try:
                said = self._step(running, answer, growing, priority, steps, acting)
                if said.calls and acting is not None:
                    answer = self._act(running, answer, growing, said.calls, steps, acting)
                    continue
            except UserFacing as error:
                return self._fail(growing, answer, error)
            except Exception:
                log.exception("turn failed", conversation_id=answer.conversation_id)
                self._fail(growing, answer, _unexpected())
                raise
            closed = growing.close(_STATUS[said.finish], said.metrics, self._engine.status.model_name)
            if steps.notice:
                self._tell(answer.conversation_id, steps.notice)
            self._bus.publish(TurnEnded(answer.conversation_id, closed))
            return closed

    def _acting_now(self, answer: Message) -> Acting | None:
        """None where only words are wanted: tools are off, or an answer is continued."""
        return None if answer.text else self._acting_at_all()

    def _acting_at_all(self) -> Acting | None:
        acting = self._acting
        if acting is None or not self._settings().chat.tools or not len(acting.toolbox):
            return None
        return acting if self._family.native or not acting.native_only else None

    def _growing(self, answer: Message, acting: Acting | None) -> Growing:
        if acting is None:
            return Growing(self._store, self._bus, answer)
        question = self._question(answer)
        return Growing(
            self._store, self._bus, answer, CallSplitter(acting.toolbox.names, wants_text(question))
        )

    def _step(
        self,
        running: _Running,
        answer: Message,
        growing: Growing,
        priority: Priority,
        steps: Steps,
        acting: Acting | None,
    ) -> _Said:
        """Say or call something, leaving out the oldest messages (and saying so) as often as the prompt does
        not fit."""
        while True:
            prompt = self._prompt(answer, acting)
            base = self._request(prompt, answer, priority, acting)
            try:
                if acting is None:
                    return self._spoken(running, base, growing)
                if self._is_guided:
                    return self._guided(running, base, growing, steps, acting, self._question(answer))
                return self._free(running, base, growing, steps)
            except ContextOverflow as overflow:
                self._leave_out(prompt, overflow, answer)

    def _spoken(self, running: _Running, request: GenerateRequest, growing: Growing) -> _Said:
        stream = self._submit(running, request)
        for piece in stream:
            growing.feed(piece)
        return _Said(stream.finish, stream.metrics)

    def _free(self, running: _Running, request: GenerateRequest, growing: Growing, steps: Steps) -> _Said:
        """For models that know by themselves when to call: what they write decides."""
        stream = self._submit(running, request)
        for piece in stream:
            growing.feed(piece)
            if growing.calls is not None and growing.calls.said_after:
                stream.cancel()
        growing.finish()
        assert growing.calls is not None
        found = list(growing.calls.calls) or [Found("an unreadable call")] * min(growing.calls.broken, 1)
        return _Said(stream.finish, stream.metrics, tuple(found) if steps.may_call else ())

    def _guided(
        self,
        running: _Running,
        base: GenerateRequest,
        growing: Growing,
        steps: Steps,
        acting: Acting,
        question: str,
    ) -> _Said:
        """For models that call too readily: first it is decided whether, then they write."""

        def submit(request: GenerateRequest) -> Stream:
            return self._submit(running, request)

        if steps.may_call:
            decided = Decider(submit, self._family, own=True).decide(
                base, acting.toolbox, question, steps.done
            )
            log.info(
                "decided", tool=decided.tool, preference=round(decided.preference, 2), call=bool(decided.call)
            )
            found = decided.call
            if found is not None and not running.stopped and not steps.was_made(_record(found)):
                return _Said(FinishReason.STOP, Metrics(), (found,))
        if steps.records:  # what a tool has said is to be told, not varied
            calm = replace(base.sampling, temperature=min(base.sampling.temperature, CALM_TEMPERATURE))
            base = replace(base, sampling=calm)
        first = submit(in_words(base)).text()
        growing.feed(first)
        return self._spoken(running, replace(base, answer_start=first), growing)

    def _act(
        self,
        running: _Running,
        answer: Message,
        growing: Growing,
        calls: tuple[Found, ...],
        steps: Steps,
        acting: Acting,
    ) -> Message:
        """Run the calls in order; the message for what comes next."""
        conversation_id = answer.conversation_id
        self._put_away(answer, growing)
        for found in calls:
            if running.stopped or not steps.may_call:
                break
            call = Call(secrets.token_hex(6), found.name, found.arguments)
            card = self._store.add_call(conversation_id, ToolRecord.of(call))
            self._bus.publish(CallAdded(conversation_id, card))
            untrusted = self._untrusted(conversation_id)
            ended = acting.executor.run(call, acting.toolbox, untrusted, conversation_id, running.tools)
            steps.add(ended)
            closed = self._store.close_call(card.id, ToolRecord.ended(ended), ended.text)
            self._bus.publish(CallClosed(conversation_id, closed))
        following = self._store.add(conversation_id, Role.ASSISTANT, "", MessageStatus.STREAMING)
        self._bus.publish(TurnStarted(conversation_id, None, following))
        return following

    def _put_away(self, answer: Message, growing: Growing) -> None:
        """What was said before a call stays; a message in which nothing was said goes."""
        growing.finish()
        if growing.said:
            growing.close(MessageStatus.COMPLETE, Metrics(), self._engine.status.model_name)
            said = self._store.message(answer.id)
            self._bus.publish(SaidBeforeCall(answer.conversation_id, said))
            return
        self._store.remove(answer.id)
        self._bus.publish(MessageRemoved(answer.conversation_id, answer.id))

    def _submit(self, running: _Running, request: GenerateRequest) -> Stream:
        stream = self._engine.submit(request)
        running.attach(stream)
        return stream

    @property
    def _family(self) -> Family:
        model = self._engine.model
        return family_of(model.facts.chat_template if model is not None else None)

    @property
    def _is_guided(self) -> bool:
        """A recurrent model would have to read everything again for each part of a decision."""
        model = self._engine.model
        return model is None or not model.facts.is_recurrent

    def _question(self, answer: Message) -> str:
        for message in reversed(self._store.messages(answer.conversation_id, before=answer.id, limit=60)):
            if message.role is Role.USER:
                return message.text
        return ""

    def _untrusted(self, conversation_id: int) -> tuple[str, ...]:
        """Where text comes from that the model sees and the user did not write."""
        since = self._store.seen_from(conversation_id)
        seen = self._store.messages(conversation_id, limit=None, since=since)
        sources = (message.tool.tainted_by for message in seen if message.tool is not None)
        return tuple(dict.fromkeys(source for source in sources if source))

    def _tell(self, conversation_id: int, text: str) -> None:
        notice = self._store.add(conversation_id, Role.NOTICE, text)
        self._bus.publish(NoticeAdded(conversation_id, notice))

    def _prompt(self, answer: Message, acting: Acting | None) -> Prompt:
        since = self._store.seen_from(answer.conversation_id)
        history = self._store.messages(answer.conversation_id, before=answer.id, limit=None, since=since)
        return assemble(self._instructions(acting), history, self._family)

    def _instructions(self, acting: Acting | None) -> str:
        system = self._settings().chat.system_prompt or default_system_prompt(tools=acting is not None)
        if acting is not None and not self._family.native:
            system = f"{system}\n\n{tools_in_words(acting.toolbox)}"
        return system

    def _schemas(self, acting: Acting | None) -> tuple[Mapping[str, Any], ...]:
        """For templates that know tools; the others are told in words."""
        return acting.toolbox.schemas() if acting is not None and self._family.native else ()

    def _request(
        self, prompt: Prompt, answer: Message, priority: Priority, acting: Acting | None
    ) -> GenerateRequest:
        return GenerateRequest(
            conversation=f"chat-{answer.conversation_id}",
            messages=prompt.messages,
            sampling=sampling(self._settings().model),
            priority=priority,
            tools=self._schemas(acting),
            answer_start=_written(answer),
        )

    def _leave_out(self, prompt: Prompt, overflow: ContextOverflow, answer: Message) -> None:
        conversation_id = answer.conversation_id
        first = first_kept(prompt, overflow)
        if first is None:
            raise _question_too_long(overflow)
        count = sum(1 for message_id in prompt.first_ids if 0 < message_id < first)
        self._store.set_seen_from(conversation_id, first)
        text = f"To make room, the model no longer sees the {count} oldest messages. They are still here."
        self._tell(conversation_id, text)

    def _fail(self, growing: Growing, answer: Message, error: UserFacing) -> Message:
        closed = growing.close(MessageStatus.FAILED, Metrics(), "")
        self._bus.publish(TurnFailed(answer.conversation_id, closed, error))
        return closed

    def _after_latest_question(self, conversation_id: int) -> list[Message]:
        """The answer with its calls."""
        old: list[Message] = []
        for message in reversed(self._store.messages(conversation_id, limit=60)):
            if message.role is Role.USER:
                return old
            old.append(message)
        raise LookupError(f"conversation {conversation_id} has no question")

    def _latest_answer(self, conversation_id: int) -> Message:
        for message in reversed(self._store.messages(conversation_id, limit=20)):
            if message.role is Role.ASSISTANT:
                return message
        raise LookupError(f"conversation {conversation_id} has no answer")


@dataclass(frozen=True)
class _Said:
    """What one step came to: calls, or words that are already on disk."""

    finish: FinishReason
    metrics: Metrics
    calls: tuple[Found, ...] = ()


def _record(found: Found) -> ToolRecord:
    return ToolRecord("", found.name, found.arguments)


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
