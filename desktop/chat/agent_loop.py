"""One answer: what the model decides, calls and says, step after step, until it has answered in words."""

from __future__ import annotations

import math
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial

import structlog

from desktop.chat.events import (
    CallAdded,
    CallClosed,
    MessageRemoved,
    SaidBeforeCall,
    TurnEnded,
    TurnFailed,
    TurnStarted,
)
from desktop.chat.formats.calls import CallSplitter, ParsedCall
from desktop.chat.history import History
from desktop.chat.lessons import NO_LESSON, Lesson, Lessons
from desktop.chat.messages import ToolRecord
from desktop.chat.prompts import PlainPrompt, Prompt, default_system_prompt
from desktop.chat.rules import DirectAnswer
from desktop.chat.store import ChatStore, Message, MessageStatus, Role
from desktop.chat.streaming import AnswerStream
from desktop.chat.tool_choice import (
    DoneCall,
    ToolChooser,
    ToolHints,
    files_in,
    in_words,
    own_hints,
    wants_text,
)
from desktop.chat.tool_mode import ToolMode, ToolProfile
from desktop.chat.write_guard import refusal
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
from desktop.memory.hindsight.hindsight import FixOffer, SuggestedFix
from desktop.settings import ModelSettings, Settings
from desktop.tools.calls import Call, Ended, Ending
from desktop.tools.executor import Executor, Stop
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
class ActiveTurn:
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
    calls: tuple[ParsedCall, ...] = ()


class AgentLoop:
    """The answer to one question. One thread; `running` is how others stop it."""

    def __init__(
        self,
        desk: Desk,
        running: ActiveTurn,
        answer: Message,
        priority: Priority,
        acting: ToolRuntime | None,
        manner: ToolProfile,
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
            CallRunner(desk.store, desk.bus, desk.history, acting, self._question)
            if acting is not None
            else None
        )

    def run(self, ruled: DirectAnswer | None = None) -> Message:
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

    def _close(self, growing: AnswerStream, said: _Said, model: str | None = None) -> Message:
        name = self._desk.engine.status.model_name if model is None else model
        closed = growing.close(_STATUS[said.finish], said.metrics, name)
        if self._steps.notice:
            self._desk.history.tell(closed.conversation_id, self._steps.notice)
        self._desk.bus.publish(TurnEnded(closed.conversation_id, closed))
        return closed

    def _fail(self, growing: AnswerStream, error: UserFacing) -> Message:
        closed = growing.close(MessageStatus.FAILED, Metrics(), "")
        self._desk.bus.publish(TurnFailed(closed.conversation_id, closed, error))
        return closed

    def _by_rule(self, ruled: DirectAnswer, growing: AnswerStream) -> Message:
        """Answer without the model; a call still goes through the executor."""
        text = ruled.text
        if ruled.call is not None and self._calling is not None:
            ended = self._act((ruled.call,), growing)
            growing = self._growing()
            text = ruled.tell(ended[0]) if ended else ""
        growing.feed(text)
        return self._close(growing, _Said(), model="")

    # -- one step -----------------------------------------------------------------------------

    def _growing(self) -> AnswerStream:
        store, bus = self._desk.store, self._desk.bus
        if self._acting is None:
            return AnswerStream(store, bus, self._answer)
        patterns = self._manner.way is ToolMode.PATTERNS
        splitter = CallSplitter(self._acting.toolbox.names, wants_text(self._question), patterns)
        return AnswerStream(store, bus, self._answer, splitter)

    def _step(self, growing: AnswerStream) -> _Said:
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

    def _spoken(self, request: GenerateRequest, growing: AnswerStream) -> _Said:
        stream = self._submit(request)
        for piece in stream:
            growing.feed(piece)
        return _Said(stream.finish, stream.metrics)

    def _free(self, request: GenerateRequest, growing: AnswerStream) -> _Said:
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
        found = list(growing.calls.calls) or [ParsedCall("an unreadable call")] * min(growing.calls.broken, 1)
        return _Said(stream.finish, stream.metrics, tuple(found) if self._steps.may_call else ())

    def _guided(self, base: GenerateRequest, growing: AnswerStream, acting: ToolRuntime) -> _Said:
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

    def _decided(self, base: GenerateRequest, acting: ToolRuntime) -> ParsedCall | None:
        steps, question = self._steps, self._question
        told = self._retelling().content if self._manner.retells else None
        at_once = self._priority is Priority.QUICK_ASK
        decider = ToolChooser(self._submit, self._manner.family, acting.hints, told=told, at_once=at_once)
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

    def _memory_answers(self, acting: ToolRuntime) -> bool:
        """Whether memory has something on what is asked, and no word of it calls for a tool."""
        hints, question = acting.hints, self._question
        if not self._is_told or hints is None or self._steps.records:
            return False
        if files_in(question) or not question.rstrip().endswith("?"):
            return False
        return not hints.called(acting.toolbox, question)

    def _attachment_answers(self, acting: ToolRuntime) -> bool:
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

    def _retelling(self) -> PlainPrompt:
        return self._desk.history.retold(self._answer, plain_instructions(self._desk.settings()))

    def _plainly(self, messages: tuple[EngineMessage, ...], base: GenerateRequest) -> GenerateRequest:
        """A prompt beside the conversation's own, which stays in the KV cache for the next turn."""
        return replace(base, conversation=f"{base.conversation} answer", messages=messages, tools=())

    def _refused(self, growing: AnswerStream) -> _Said:
        growing.feed(self._steps.refusal)
        return _Said()

    def _submit(self, request: GenerateRequest) -> Stream:
        stream = self._desk.engine.submit(request)
        self._running.attach(stream)
        return stream

    # -- calls --------------------------------------------------------------------------------

    def _act(self, calls: tuple[ParsedCall, ...], growing: AnswerStream) -> list[Ended]:
        """Run the calls; what is said next stands in a message of its own."""
        assert self._calling is not None
        conversation_id = self._answer.conversation_id
        self._put_away(growing)
        ended = self._calling.run(calls, conversation_id, self._steps, self._running.tools)
        streaming = MessageStatus.STREAMING
        self._answer = self._desk.store.add(conversation_id, Role.ASSISTANT, "", streaming)
        self._desk.bus.publish(TurnStarted(conversation_id, None, self._answer))
        return ended

    def _put_away(self, growing: AnswerStream) -> None:
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


def instructions_for(settings: Settings, acting: ToolRuntime | None, manner: ToolProfile) -> str:
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


WALL_CLOCK_S = 60.0  # of the model's own time after the first call; what the user takes does not count

FAILURES = 2  # one after another, and the model has to say so in words


@dataclass(frozen=True)
class ToolRuntime:
    """Handed to `Turns` by the composition root.

    `native_only`: models whose template knows no tools answer in words alone, unless the capability test has
    found that they can do more. `hints` None: the tools are somebody else's. `lessons` None: nothing is
    learned from calls.
    """

    toolbox: Toolbox
    executor: Executor
    cancel_questions: Callable[[int], None] = lambda _conversation_id: None
    native_only: bool = False
    hints: ToolHints | None = field(default_factory=own_hints)
    lessons: Lessons | None = None


@dataclass
class Steps:
    """How far one turn has come. Used by its one thread."""

    limit: int
    clock: Callable[[], float] = time.monotonic
    records: list[ToolRecord] = field(default_factory=list)
    done: list[DoneCall] = field(default_factory=list)
    stopped_because: str = ""
    latest: Ended | None = None
    hint: str = ""  # what worked when the latest call failed before

    def __post_init__(self) -> None:
        self._until = math.inf  # before the first call the model may have to be loaded
        self._failures = 0

    @property
    def may_call(self) -> bool:
        if len(self.records) >= self.limit:
            self.stopped_because = f"the limit of {self.limit} steps was reached"
        elif self.clock() > self._until:
            self.stopped_because = f"it took longer than {WALL_CLOCK_S:.0f} seconds"
        return not self.stopped_because

    @property
    def left(self) -> int:
        """How many calls may still be made."""
        return max(self.limit - len(self.records), 0)

    def was_made(self, record: ToolRecord, beside: Sequence[ToolRecord] = ()) -> bool:
        """Whether the very same call was made in this turn, or is about to be; then nothing new would come
        of it."""
        if any(each.same_as == record.same_as for each in (*self.records, *beside)):
            self.stopped_because = "the same call was asked for twice"
        return bool(self.stopped_because)

    def add(self, ended: Ended, changed: bool = False, hint: str = "") -> None:
        """`changed`: its tool does more than look. `hint`: what is known of its failure."""
        self.hint = hint
        self.records.append(ToolRecord.ended(ended))
        touched = " ".join(str(value) for value in (ended.arguments or ended.call.arguments).values())
        self.done.append(DoneCall(ended.call.name, ended.text, ended.ok, changed, touched))
        self._until = self._until + ended.seconds if self.latest else self.clock() + WALL_CLOCK_S
        self.latest = ended
        self._failures = 0 if ended.ok else self._failures + 1
        if ended.ending is Ending.DENIED:
            self.stopped_because = "it was not allowed"
        elif self._failures >= FAILURES:
            self.stopped_because = "two calls failed one after another"

    @property
    def refusal(self) -> str:
        """What the answer has to say, and nothing else, when nothing came of the calls; else "".

        A small model that was refused a file makes up what might be in it, and one that was not allowed to
        write says that it has written.
        """
        latest = self.latest
        if latest is None or latest.ok or "asks instead" in latest.decision:
            return ""
        if latest.ending is Ending.DENIED:
            return f"I did not do that: {latest.decision.replace('the user', 'you')}. Nothing was changed."
        if any(each.ok for each in self.done):
            return ""
        return f"{latest.text}\n\n{self.hint}" if self.hint else latest.text

    @property
    def notice(self) -> str:
        """What the reader has to know when a turn ended before the model was done; else ""."""
        told = ("limit", "longer", "failed")
        if any(word in self.stopped_because for word in told):
            return f"The assistant stopped using tools, because {self.stopped_because}."
        return ""


TOGETHER = 4  # calls at the same time, at most


# A text that speaks to the model instead of the reader.
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override|ignorier\w*|vergiss|missachte\w*)\b.{0,40}"
    r"\b(?:instructions?|rules|prompt|guidelines|orders|anweisung\w*|regeln|vorgaben)\b",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class CallRunner:
    """Runs the calls of a conversation. On the thread of the turn."""

    store: ChatStore
    bus: Bus
    history: History
    acting: ToolRuntime
    asked: str = ""  # the user's words, for tools that look into them for what the model left out

    def run(self, calls: Sequence[ParsedCall], conversation_id: int, steps: Steps, stop: Stop) -> list[Ended]:
        """What came of each that was begun, in order. Stop, the limit of steps, a refusal and a call that was
        made before leave the rest out."""
        ended: list[Ended] = []
        waiting = [Call(secrets.token_hex(6), found.name, found.arguments) for found in calls]
        for group in self._groups(waiting):
            fresh = self._fresh(group, steps)
            if stop.stopped or not fresh or not steps.may_call:
                break
            ended += self._together(fresh, conversation_id, steps, stop)
        return ended

    def _repaired(self, repairs: Sequence[_Repair], conversation_id: int, steps: Steps, stop: Stop) -> None:
        """Try again at once what only reads and failed for a known slip in its arguments."""
        for repair in repairs:
            call = Call(secrets.token_hex(6), repair.tool, repair.offer.arguments or {})
            if stop.stopped or not steps.may_call or steps.was_made(ToolRecord.of(call)):
                return
            assert self.acting.lessons is not None
            self.acting.lessons.applied(conversation_id, repair.offer.fix.id)
            self._together([call], conversation_id, steps, stop)

    def _groups(self, calls: Sequence[Call]) -> Iterator[list[Call]]:
        """Neighbours that only read, and each of the others by itself."""
        group: list[Call] = []
        for call in calls:
            tool = self.acting.toolbox.get(call.name)
            reads = tool is not None and tool.effect is Effect.READ
            if group and (not reads or len(group) == TOGETHER):
                yield group
                group = []
            group.append(call)
            if not reads:
                yield group
                group = []
        if group:
            yield group

    def _fresh(self, group: list[Call], steps: Steps) -> list[Call]:
        """What of `group` may still be run; a call that was made before ends it."""
        fresh: list[Call] = []
        for call in group[: steps.left]:
            if steps.was_made(ToolRecord.of(call), [ToolRecord.of(each) for each in fresh]):
                break
            fresh.append(call)
        return fresh

    def _together(self, calls: Sequence[Call], conversation_id: int, steps: Steps, stop: Stop) -> list[Ended]:
        untrusted = self.history.untrusted(conversation_id)
        cards = [self._begin(conversation_id, call) for call in calls]

        def run(call: Call, card: Message) -> Ended:
            refused = refusal(call, self.acting.toolbox.get(call.name), self.asked, steps.done)
            if refused:
                return Ended(call, Ending.FAILED, refused)
            execute, toolbox = self.acting.executor.run, self.acting.toolbox
            late = partial(self._end_late, card)
            return execute(call, toolbox, untrusted, conversation_id, stop, asked=self.asked, on_late=late)

        if len(calls) == 1:
            results = [run(calls[0], cards[0])]
        else:
            with ThreadPoolExecutor(len(calls), thread_name_prefix="call") as pool:
                results = list(pool.map(run, calls, cards))
        lessons = [self._end(card, ended, steps) for card, ended in zip(cards, results, strict=True)]
        pairs = zip(results, lessons, strict=True)
        repairs = [_Repair(e.call.name, each.repair) for e, each in pairs if each.repair is not None]
        self._repaired(repairs, conversation_id, steps, stop)
        return results

    def _begin(self, conversation_id: int, call: Call) -> Message:
        card = self.store.add_call(conversation_id, ToolRecord.of(call))
        self.bus.publish(CallAdded(conversation_id, card))
        return card

    def _end(self, card: Message, ended: Ended, steps: Steps) -> Lesson:
        tool = self.acting.toolbox.get(ended.call.name)
        reads = tool is not None and tool.effect is Effect.READ
        lesson = NO_LESSON
        if self.acting.lessons is not None:
            lesson = self.acting.lessons.ended(card.conversation_id, ended, reads)
        steps.add(ended, changed=tool is not None and not reads, hint=lesson.hint)
        closed = self.store.close_call(
            card.id, replace(ToolRecord.ended(ended), hint=lesson.hint), ended.text
        )
        self.bus.publish(CallClosed(card.conversation_id, closed))
        if ended.ok and gives_orders(ended.text):
            where = next(iter(ended.arguments.values()), ended.call.name)
            text = f"The text from {where} tries to give the assistant orders. Steward treats it as text."
            self.history.tell(card.conversation_id, text)
        return lesson

    def _end_late(self, card: Message, ended: Ended) -> None:
        """A step that was told as still running is over: its card says how it went, the model is not told."""
        try:
            closed = self.store.close_call(card.id, ToolRecord.ended(ended), ended.text)
        except KeyError:  # the conversation was deleted since; the audit log has it
            return
        self.bus.publish(CallClosed(card.conversation_id, closed))


@dataclass(frozen=True)
class _Repair:
    tool: str
    offer: FixOffer


def gives_orders(text: str) -> bool:
    """Whether a text from a tool speaks to the model: "ignore your instructions"."""
    return _ORDERS.search(text) is not None


def run_fix(
    desk: Desk, acting: ToolRuntime | None, conversation_id: int, fix: SuggestedFix, running: ActiveTurn
) -> Ended:
    """Through the same executor and gate as any call, with a card of its own, counted as tried and, where it
    worked, as a success. Blocks; on a pool thread. Raises UserFacing where tools are off.
    """
    if acting is None:
        raise _no_tools()
    if acting.lessons is not None:
        acting.lessons.applied(conversation_id, fix.fix_id)
    calling = CallRunner(desk.store, desk.bus, desk.history, acting)
    call = ParsedCall(fix.tool, dict(fix.arguments))
    (ended,) = calling.run([call], conversation_id, Steps(limit=1), running.tools)
    return ended


def _no_tools() -> UserFacing:
    return UserFacing(
        "Tools are switched off, so this was not tried.",
        "Nothing was changed.",
        "Switch them on in the settings, then try again.",
        code="no-tools",
    )
