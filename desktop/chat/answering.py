"""One answer: what the model decides, calls and says, step after step, until it has answered in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import structlog

from desktop.chat.acting import Acting, Steps
from desktop.chat.calling import Calling
from desktop.chat.deciding import Decider, in_words, wants_text
from desktop.chat.events import MessageRemoved, SaidBeforeCall, TurnEnded, TurnFailed, TurnStarted
from desktop.chat.formats.found import Found
from desktop.chat.formats.splitter import CallSplitter
from desktop.chat.growing import Growing
from desktop.chat.history import History
from desktop.chat.parts import files_in
from desktop.chat.prompts import Prompt, default_system_prompt
from desktop.chat.retelling import Retelling
from desktop.chat.ruled import Ruled
from desktop.chat.store import ChatStore, Message, MessageStatus, Role
from desktop.chat.tool_record import ToolRecord
from desktop.chat.ways import Manner, Way
from desktop.engine.engine import Engine
from desktop.engine.requests import (
    ContextOverflow,
    FinishReason,
    GenerateRequest,
    Metrics,
    Priority,
    Sampling,
    Stream,
)
from desktop.engine.requests import Message as EngineMessage
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.gate.verdict import Effect
from desktop.settings import ModelSettings, Settings
from desktop.tools.calls import Ended
from desktop.tools.executor import Stop
from desktop.tools.tool import Toolbox

log = structlog.get_logger(__name__)

CALM_TEMPERATURE = 0.2

_STATUS = {
    FinishReason.STOP: MessageStatus.COMPLETE,
    FinishReason.LENGTH: MessageStatus.LENGTH,
    FinishReason.CONTEXT_FULL: MessageStatus.CONTEXT_FULL,
    FinishReason.REPEATED: MessageStatus.REPEATED,
    FinishReason.CANCELLED: MessageStatus.STOPPED,
}


@dataclass
class Running:
    """A turn under way. `stop` may be called on any thread, and before there is a stream."""

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


@dataclass(frozen=True)
class Desk:
    """What every answer works with."""

    store: ChatStore
    engine: Engine
    bus: Bus
    settings: Callable[[], Settings]
    history: History


@dataclass(frozen=True)
class _Said:
    """What one step came to: calls, or words that are already on disk."""

    finish: FinishReason = FinishReason.STOP
    metrics: Metrics = field(default_factory=Metrics)
    calls: tuple[Found, ...] = ()


class Answering:
    """The answer to one question. One thread; `running` is how others stop it."""

    def __init__(
        self,
        desk: Desk,
        running: Running,
        answer: Message,
        priority: Priority,
        acting: Acting | None,
        manner: Manner,
    ) -> None:
        """`acting` None: only words are wanted."""
        self._desk = desk
        self._running = running
        self._answer = answer
        self._priority = priority
        self._acting = acting
        self._manner = manner
        self._question = desk.history.question(answer)
        self._is_told = False  # memory has something on the question
        self._attached: tuple[str, ...] = ()  # the names of what goes along with the question
        self._steps = Steps(desk.settings().chat.steps)
        self._calling = (
            Calling(desk.store, desk.bus, desk.history, acting, self._question)
            if acting is not None
            else None
        )

    def run(self, ruled: Ruled | None = None) -> Message:
        """The closed answer. Failures are announced as TurnFailed; bugs are raised as well."""
        growing = self._growing()
        try:
            if ruled is not None:
                return self._by_rule(ruled, growing)
            self._desk.history.keep_recent(self._answer)
            block = self._desk.history.recall(self._answer)
            self._is_told = block is not None and block.answers
            self._attached = self._desk.history.attached(self._answer)
            while True:
                growing = self._growing()
                said = self._step(growing)
                if not said.calls:
                    return self._close(growing, said)
                self._act(said.calls, growing)
        except UserFacing as error:
            return self._fail(growing, error)
        except Exception:
            log.exception("turn failed", conversation_id=self._answer.conversation_id)
            self._fail(growing, _unexpected())
            raise

    # -- the end ------------------------------------------------------------------------------

    def _close(self, growing: Growing, said: _Said, model: str | None = None) -> Message:
        name = self._desk.engine.status.model_name if model is None else model
        closed = growing.close(_STATUS[said.finish], said.metrics, name)
        if self._steps.notice:
            self._desk.history.tell(closed.conversation_id, self._steps.notice)
        self._desk.bus.publish(TurnEnded(closed.conversation_id, closed))
        return closed

    def _fail(self, growing: Growing, error: UserFacing) -> Message:
        closed = growing.close(MessageStatus.FAILED, Metrics(), "")
        self._desk.bus.publish(TurnFailed(closed.conversation_id, closed, error))
        return closed

    def _by_rule(self, ruled: Ruled, growing: Growing) -> Message:
        """Answer without the model; a call still goes through the executor."""
        text = ruled.text
        if ruled.call is not None and self._calling is not None:
            ended = self._act((ruled.call,), growing)
            growing = self._growing()
            text = ruled.tell(ended[0]) if ended else ""
        growing.feed(text)
        return self._close(growing, _Said(), model="")

    # -- one step -----------------------------------------------------------------------------

    def _growing(self) -> Growing:
        store, bus = self._desk.store, self._desk.bus
        if self._acting is None:
            return Growing(store, bus, self._answer)
        patterns = self._manner.way is Way.PATTERNS
        splitter = CallSplitter(self._acting.toolbox.names, wants_text(self._question), patterns)
        return Growing(store, bus, self._answer, splitter)

    def _step(self, growing: Growing) -> _Said:
        """Say or call something, leaving out the oldest messages (and saying so) as often as the prompt does
        not fit."""
        while True:
            prompt = self._prompt()
            base = self._request(prompt)
            try:
                if self._acting is None:
                    return self._spoken(base, growing)
                if self._manner.is_guided:
                    return self._guided(base, growing, self._acting)
                return self._free(base, growing)
            except ContextOverflow as overflow:
                self._desk.history.make_room(prompt, overflow, self._answer)

    def _spoken(self, request: GenerateRequest, growing: Growing) -> _Said:
        stream = self._submit(request)
        for piece in stream:
            growing.feed(piece)
        return _Said(stream.finish, stream.metrics)

    def _free(self, request: GenerateRequest, growing: Growing) -> _Said:
        """For models that know by themselves when to call: what they write decides."""
        if self._steps.refusal and not self._steps.may_call:
            return self._refused(growing)
        stream = self._submit(request)
        for piece in stream:
            growing.feed(piece)
            if growing.calls is not None and growing.calls.said_after:
                stream.cancel()
        growing.finish()
        assert growing.calls is not None
        found = list(growing.calls.calls) or [Found("an unreadable call")] * min(growing.calls.broken, 1)
        return _Said(stream.finish, stream.metrics, tuple(found) if self._steps.may_call else ())

    def _guided(self, base: GenerateRequest, growing: Growing, acting: Acting) -> _Said:
        """For models that call too readily: first it is decided whether, then they write."""
        stands_there = self._memory_answers(acting) or self._attachment_answers(acting)
        wants_tool = self._steps.may_call and not stands_there
        found = self._decided(base, acting) if wants_tool else None
        if found is not None:
            return _Said(calls=(found,))
        if self._steps.refusal:
            return self._refused(growing)
        if self._steps.records:  # what a tool has said is to be told, not varied
            base = replace(base, sampling=_calm(base.sampling))
            if self._manner.retells:
                return self._spoken(self._plainly(self._retelling().answer(), base), growing)
        elif self._manner.retells:
            return self._spoken(self._without_tools(base), growing)
        first = self._submit(in_words(base)).text()
        growing.feed(first)
        return self._spoken(replace(base, answer_start=first), growing)

    def _decided(self, base: GenerateRequest, acting: Acting) -> Found | None:
        steps, question = self._steps, self._question
        told = self._retelling().content if self._manner.retells else None
        at_once = self._priority is Priority.QUICK_ASK
        decider = Decider(self._submit, self._manner.family, acting.hints, told=told, at_once=at_once)
        decided = decider.decide(base, acting.toolbox, question, steps.done)
        log.info(
            "decided",
            tool=decided.tool,
            preference=round(decided.preference, 2),
            call=bool(decided.call),
            why=decided.why,
        )
        found = decided.call
        if (
            found is None
            or self._running.stopped
            or steps.was_made(ToolRecord("", found.name, found.arguments))
        ):
            return None
        return found

    def _memory_answers(self, acting: Acting) -> bool:
        """Whether memory has something on what is asked, and no word of it calls for a tool."""
        hints, question = acting.hints, self._question
        if not self._is_told or hints is None or self._steps.records:
            return False
        if files_in(question) or not question.rstrip().endswith("?"):
            return False
        return not hints.called(acting.toolbox, question)

    def _attachment_answers(self, acting: Acting) -> bool:
        """Whether something goes along with the question, and no word calls for a tool but to read that."""
        hints, question = acting.hints, self._question
        if not self._attached or hints is None or self._steps.records:
            return False
        if any(name not in self._attached for name in files_in(question)):
            return False
        called = hints.called(acting.toolbox, question)
        return all(tool.effect is Effect.READ and hints.file(tool.name) for tool in called)

    def _without_tools(self, base: GenerateRequest) -> GenerateRequest:
        """The same conversation under instructions that list no tools: with the list before its eyes a small
        model tells how it would look up what it knows, or what stands there already (docs/benchmarks.md).
        """
        instructions = plain_instructions(self._desk.settings())
        prompt = self._desk.history.prompt(self._answer, instructions, self._manner.family)
        return replace(base, conversation=f"{base.conversation} words", messages=prompt.messages, tools=())

    def _retelling(self) -> Retelling:
        return self._desk.history.retold(self._answer, plain_instructions(self._desk.settings()))

    def _plainly(self, messages: tuple[EngineMessage, ...], base: GenerateRequest) -> GenerateRequest:
        """A prompt beside the conversation's own, which stays in the KV cache for the next turn."""
        return replace(base, conversation=f"{base.conversation} answer", messages=messages, tools=())

    def _refused(self, growing: Growing) -> _Said:
        growing.feed(self._steps.refusal)
        return _Said()

    def _submit(self, request: GenerateRequest) -> Stream:
        stream = self._desk.engine.submit(request)
        self._running.attach(stream)
        return stream

    # -- calls --------------------------------------------------------------------------------

    def _act(self, calls: tuple[Found, ...], growing: Growing) -> list[Ended]:
        """Run the calls; what is said next stands in a message of its own."""
        assert self._calling is not None
        conversation_id = self._answer.conversation_id
        self._put_away(growing)
        ended = self._calling.run(calls, conversation_id, self._steps, self._running.tools)
        streaming = MessageStatus.STREAMING
        self._answer = self._desk.store.add(conversation_id, Role.ASSISTANT, "", streaming)
        self._desk.bus.publish(TurnStarted(conversation_id, None, self._answer))
        return ended

    def _put_away(self, growing: Growing) -> None:
        """What was said before a call stays; a message in which nothing was said goes."""
        growing.finish()
        answer, store = self._answer, self._desk.store
        if growing.said:
            growing.close(MessageStatus.COMPLETE, Metrics(), self._desk.engine.status.model_name)
            self._desk.bus.publish(SaidBeforeCall(answer.conversation_id, store.message(answer.id)))
            return
        store.remove(answer.id)
        self._desk.bus.publish(MessageRemoved(answer.conversation_id, answer.id))

    # -- prompts ------------------------------------------------------------------------------

    def _prompt(self) -> Prompt:
        settings = self._desk.settings()
        instructions = instructions_for(settings, self._acting, self._manner)
        return self._desk.history.prompt(self._answer, instructions, self._manner.family)

    def _request(self, prompt: Prompt) -> GenerateRequest:
        chosen = sampling(self._desk.settings().model)
        return GenerateRequest(
            conversation=f"chat-{self._answer.conversation_id}",
            messages=prompt.messages,
            # What memory has on the question is to be told, not varied.
            sampling=_calm(chosen) if self._is_told else chosen,
            priority=self._priority,
            tools=self._manner.schemas(self._acting.toolbox) if self._acting is not None else (),
            answer_start=_written(self._answer),
        )


def instructions_for(settings: Settings, acting: Acting | None, manner: Manner) -> str:
    """What the model is told before a conversation."""
    toolbox = acting.toolbox if acting is not None else Toolbox()
    return manner.instructions(toolbox, settings.chat.system_prompt)


def plain_instructions(settings: Settings) -> str:
    """The same for an answer in words, without the list of tools."""
    return settings.chat.system_prompt or default_system_prompt(tools=True)


def sampling(model: ModelSettings) -> Sampling:
    """The user's settings as the engine wants them."""
    return Sampling(
        temperature=model.temperature,
        top_p=model.top_p,
        top_k=model.top_k,
        repeat_penalty=model.repeat_penalty,
        max_tokens=model.max_answer_tokens,
    )


def _calm(chosen: Sampling) -> Sampling:
    return replace(chosen, temperature=min(chosen.temperature, CALM_TEMPERATURE))


def _written(answer: Message) -> str:
    """What a continued answer already says, as the model wrote it."""
    if not answer.text:
        return ""
    thinking = f"<think>\n{answer.thinking}\n</think>\n\n" if answer.thinking else ""
    return thinking + answer.text


def _unexpected() -> UserFacing:
    return UserFacing(
        "Something went wrong inside Steward.",
        "The question and what was answered so far are kept.",
        "Try again; if it happens again, the log file has the details.",
        code="bug",
    )
