"""One answer of the model for another program: which tool, if any, then the words, as a series of events.

Both wire forms (`chat_completions.py`, `responses.py`) are read into an `AnswerRequest` and written from the
events. Behind `tools` stands the same decision as in Steward's own chats: small models call a tool for
"Hello" when they are left to themselves. Nothing is run here: a call is handed to the program, which does
with it what it wants.
"""

from __future__ import annotations

import json
import math
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Any, TypeAlias

import structlog

from desktop.chat.formats.calls import ParsedCall
from desktop.chat.formats.family import tools_in_words
from desktop.chat.formats.json_schema import parameters_of
from desktop.chat.prompts import PlainPrompt
from desktop.chat.streaming import CallSplitter, Split, ThinkingSplitter
from desktop.chat.tool_args import write_call
from desktop.chat.tool_choice import ChoiceOptions, DoneCall, ToolChooser, in_words
from desktop.chat.tool_mode import ToolMode, ToolProfile
from desktop.chat.turn_context import PASTED_CHARACTERS
from desktop.engine.engine import Engine
from desktop.engine.requests import (
    ContextOverflow,
    FinishReason,
    GenerateRequest,
    Message,
    Priority,
    Sampling,
    Stream,
)
from desktop.errors import Cancelled, UserFacing
from desktop.gate.verdict import Effect
from desktop.server.openai.errors import ApiError, of_engine, stopped, too_long
from desktop.settings import MOST_CONTEXT_TOKENS, ModelSettings
from desktop.tools.tool import Tool, Toolbox

log = structlog.get_logger(__name__)

LONGEST_DESCRIPTION = 240  # characters of a tool's description that a small model reads
RETOLD = 6000  # characters: a prompt that short is read once more without its tools, see `_words`


class ToolUse(Enum):
    """What the program wants of its tools."""

    AUTO = auto()
    NEVER = auto()
    REQUIRED = auto()


@dataclass(frozen=True)
class GivenCall:
    """A call that an earlier answer made."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class GivenMessage:
    """A message of the request. `role` is system, user, assistant or tool; `tool` names whose result
    it is."""

    role: str
    text: str
    calls: tuple[GivenCall, ...] = ()
    tool: str = ""


@dataclass(frozen=True)
class SamplingWish:
    """What the request says of the choice of tokens; None: as Steward's settings say."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None

    def over(self, settings: ModelSettings) -> Sampling:
        """With the settings for what is left out. An answer may be as long as the context has room."""
        longest = settings.context_tokens or MOST_CONTEXT_TOKENS
        return Sampling(
            temperature=settings.temperature if self.temperature is None else self.temperature,
            top_p=settings.top_p if self.top_p is None else self.top_p,
            top_k=settings.top_k,
            repeat_penalty=settings.repeat_penalty,
            seed=self.seed,
            max_tokens=longest if self.max_tokens is None else self.max_tokens,
        )


@dataclass(frozen=True)
class AnswerRequest:
    """What a program asks for. `grammar` is what the answer has to keep to; `tool` names the one that must be
    called; `param` is the field that errors about the length name; `namespaces` are those of tools whose
    names begin with one."""

    model: str
    messages: tuple[GivenMessage, ...]
    sampling: SamplingWish = SamplingWish()
    stop: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    use: ToolUse = ToolUse.AUTO
    tool: str = ""
    grammar: str | None = None
    param: str = "messages"
    namespaces: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TextPiece:
    """More of the answer."""

    text: str


@dataclass(frozen=True)
class ThinkingPiece:
    """More of what a reasoning model says before it answers."""

    text: str


@dataclass(frozen=True)
class CallPiece:
    """A call of a tool. `arguments` is JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Usage:
    """Tokens of the request as the model reads it, and of what it wrote. `cached_tokens` of the prompt were
    in the KV cache already.
    """

    prompt_tokens: int = 0
    answer_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True)
class AnswerEnd:
    """`finish` is OpenAI's word: stop, length or tool_calls."""

    finish: str
    usage: Usage


Piece: TypeAlias = TextPiece | ThinkingPiece | CallPiece | AnswerEnd

# What was cut because it repeated itself without end was not finished by the model.
_FINISH = {
    FinishReason.STOP: "stop",
    FinishReason.LENGTH: "length",
    FinishReason.CONTEXT_FULL: "length",
    FinishReason.REPEATED: "length",
}


@dataclass
class _Passes:
    """The passes through the model that one answer takes, each a submitted request. `cancel` on
    any thread."""

    engine: Engine
    stream: Stream | None = None
    first: Stream | None = None
    ended: threading.Event = field(default_factory=threading.Event)

    def submit(self, request: GenerateRequest) -> Stream:
        # Before and after: whoever cancels sees either the flag or the stream.
        if self.ended.is_set():
            raise Cancelled
        self.stream = self.engine.submit(request)
        self.first = self.first or self.stream
        if self.ended.is_set():
            self.stream.cancel()
        return self.stream

    def cancel(self) -> None:
        self.ended.set()
        if self.stream is not None:
            self.stream.cancel()


class ModelAnswer:
    """The answer to one request. `run` blocks, on a thread of its own; `cancel` may be called on any."""

    def __init__(
        self,
        engine: Engine,
        settings: ModelSettings,
        request: AnswerRequest,
        program: str,
        emit: Callable[[Piece], None],
    ) -> None:
        """`program` is who asks; `emit` gets the pieces on the thread of `run`, an `AnswerEnd` last."""
        self._engine = engine
        self._settings = settings
        self._request = request
        self._program = program
        self._emit = emit
        self._passes = _Passes(engine)
        model = engine.model
        facts = model.facts if model is not None else None
        self._trained_tokens = facts.context_tokens if facts is not None else 0
        native = ToolProfile.of(facts, ToolMode.NATIVE)
        # A model whose template shows no tools is told them in words; its calls are held to the same grammar.
        self._profile = native if native.family.native else ToolProfile.of(facts, ToolMode.COMPACT)

    def cancel(self) -> None:
        """Nobody waits any more. Ends within one token or chunk of the prompt."""
        self._passes.cancel()

    def run(self) -> AnswerEnd:
        """Raises ApiError for what the program is told, and Cancelled after `cancel`."""
        try:
            end = self._answer()
        except ContextOverflow as overflow:
            raise too_long(overflow, self._request.param, self._trained_tokens) from overflow
        except UserFacing as error:
            raise of_engine(error) from error
        if self._passes.ended.is_set():
            raise Cancelled
        self._emit(end)
        return end

    def _answer(self) -> AnswerEnd:
        request = self._request
        toolbox = Toolbox(request.tools if request.use is not ToolUse.NEVER else ())
        base = self._base(toolbox)
        must_call = request.use is ToolUse.REQUIRED or bool(request.tool)
        if len(toolbox) and (self._profile.is_guided or must_call):
            call = self._decided(base, toolbox)
            if call is not None:
                return call
            if must_call:
                # The arguments did not fit into what was allowed for the answer.
                return AnswerEnd("length", self._usage())
        if len(toolbox) and not self._profile.is_guided:
            return self._free(base, toolbox)
        return self._words(base, bool(len(toolbox)))

    # -- the prompt ---------------------------------------------------------------------------

    def _base(self, toolbox: Toolbox) -> GenerateRequest:
        return GenerateRequest(
            conversation=f"api {self._program}",
            messages=self._messages(toolbox),
            sampling=self._request.sampling.over(self._settings),
            priority=Priority.API,
            tools=self._profile.schemas(toolbox),
            stop=self._request.stop,
            repeats_context=self._holds_a_text,
        )

    @property
    def _holds_a_text(self) -> bool:
        """Whether a text is there that the answer may repeat, such as the file that an editor sends."""
        said = (each for each in self._request.messages if each.role != "system")
        return any(each.role == "tool" or len(each.text) >= PASTED_CHARACTERS for each in said)

    def _messages(self, toolbox: Toolbox, end: int | None = None) -> tuple[Message, ...]:
        """The messages of the request up to `end`, in the model's own form."""
        family = self._profile.family
        messages: list[Message] = []
        for each in self._request.messages[:end]:
            if each.role == "tool":
                messages.append(family.result_message(each.tool, each.text))
                continue
            calls = (family.call_text(call.name, call.arguments) for call in each.calls)
            messages.append(Message(each.role, "\n".join(part for part in (each.text, *calls) if part)))
        if self._profile.mode is ToolMode.COMPACT and len(toolbox):
            return _with_instructions(messages, tools_in_words(toolbox))
        return tuple(messages)

    # -- calls --------------------------------------------------------------------------------

    def _decided(self, base: GenerateRequest, toolbox: Toolbox) -> AnswerEnd | None:
        """The call that is to be made, handed over; None where words are to follow."""
        request, family = self._request, self._profile.family
        plain = replace(base, stop=())  # a stop text inside the arguments would cut the call
        named = toolbox.get(request.tool) if request.tool else None
        if named is not None:
            written = write_call(self._passes.submit, plain, named, family)
            return self._called(written.call, written.raw)
        must = request.use is ToolUse.REQUIRED
        options = ChoiceOptions(threshold=-math.inf if must else None, priority=Priority.API)
        chooser = ToolChooser(self._passes.submit, family, None, options)
        # What was called before counts against another call, unless one must be made.
        decided = chooser.decide(plain, toolbox, self._asked(), () if must else self._done())
        log.info("decided for a program", tool=decided.tool, call=decided.call is not None, why=decided.why)
        return self._called(decided.call, decided.raw)

    def _called(self, call: ParsedCall | None, raw: str) -> AnswerEnd | None:
        if call is None or self._passes.ended.is_set():
            return None
        arguments = _as_json(call.arguments)
        if arguments is None:
            return None
        self._emit(CallPiece(f"call_{secrets.token_hex(12)}", call.name, arguments))
        # The beginning of the call was put into the prompt so that the grammar could follow it; to the
        # program the whole call is what the model said.
        stream = self._passes.stream
        assert stream is not None
        begun = raw[: raw.find(call.name) + len(call.name)] if call.name in raw else ""
        moved = self._engine.count_tokens(begun) or 0
        metrics = stream.metrics
        prompt = max(metrics.prompt_tokens - moved, 0)
        return AnswerEnd("tool_calls", Usage(prompt, metrics.answer_tokens + moved, self._cached(prompt)))

    def _asked(self) -> str:
        """The words of the latest question."""
        said = [each.text for each in self._request.messages if each.role == "user"]
        return said[-1] if said else self._request.messages[-1].text

    def _done(self) -> tuple[DoneCall, ...]:
        """The calls since the latest question, with their results."""
        since = self._request.messages[self._latest + 1 :]
        results = [each for each in since if each.role == "tool"]
        calls = [call for each in since for call in each.calls]
        return tuple(
            DoneCall(call.name, result.text, touched=" ".join(map(str, call.arguments.values())))
            for call, result in zip(calls, results, strict=False)
        )

    @property
    def _latest(self) -> int:
        """Where the latest question stands; -1 where nothing was asked."""
        messages = self._request.messages
        return max((at for at, each in enumerate(messages) if each.role == "user"), default=-1)

    # -- words --------------------------------------------------------------------------------

    def _words(self, base: GenerateRequest, has_tools: bool) -> AnswerEnd:
        """The answer in words, whether or not a tool was in question."""
        if self._request.grammar is not None:
            return self._spoken(replace(base, grammar=self._request.grammar))
        if not has_tools:
            return self._spoken(base)
        # With a list of tools before its eyes a small model tells how it would look up what it knows. Reading
        # the prompt again without them costs its length, so a long one is only kept from beginning a call.
        length = sum(len(each.content) for each in base.messages)
        if self._profile.is_small and length <= RETOLD:
            bare = self._retold()
            return self._spoken(
                replace(base, conversation=f"{base.conversation} words", messages=bare, tools=())
            )
        start = in_words(base)
        first = self._passes.submit(start)
        begun = first.text()
        return self._spoken(replace(base, answer_start=begun), begun, first)

    def _retold(self) -> tuple[Message, ...]:
        """The conversation without tools. What they gave since the latest question stands before it, as in
        Steward's own chats: after a call of its own a small model says that it cannot look anything up."""
        results = tuple((each.name, each.result) for each in self._done())
        if not results or self._latest < 0:
            return self._messages(Toolbox())
        asked = PlainPrompt("", self._request.messages[self._latest].text, results)
        return (*self._messages(Toolbox(), self._latest), asked.answer()[-1])

    def _spoken(self, request: GenerateRequest, begun: str = "", first: Stream | None = None) -> AnswerEnd:
        """Hand over what the model says. `begun` is what `first` has written of it already."""
        thinking = ThinkingSplitter()
        stream = self._passes.submit(request)
        if begun:
            self._say(thinking.feed(begun))
        for piece in stream:
            self._say(thinking.feed(piece))
        self._say(thinking.finish())
        usage = self._usage()
        if first is not None:
            added = first.metrics.answer_tokens
            usage = replace(
                usage, prompt_tokens=first.metrics.prompt_tokens, answer_tokens=usage.answer_tokens + added
            )
        return AnswerEnd(self._finish(stream), usage)

    def _free(self, base: GenerateRequest, toolbox: Toolbox) -> AnswerEnd:
        """For models that would have to read everything again for each part of a decision: what they write
        decides."""
        thinking, calls = ThinkingSplitter(), CallSplitter(toolbox.names)
        stream = self._passes.submit(base)
        for piece in stream:
            split = thinking.feed(piece)
            self._say_plain(split.thinking, calls.feed(split.text))
            # What follows a call is the model playing the tool: it makes up the result.
            if calls.said_after:
                stream.cancel()
        rest = thinking.finish()
        self._say_plain(rest.thinking, calls.feed(rest.text) + calls.finish())
        known = [
            (call, _as_json(call.arguments)) for call in calls.calls if toolbox.get(call.name) is not None
        ]
        sent = [(call, arguments) for call, arguments in known if arguments is not None]
        for call, arguments in sent:
            self._emit(CallPiece(f"call_{secrets.token_hex(12)}", call.name, arguments))
        finish = "tool_calls" if sent else self._finish(stream)
        return AnswerEnd(finish, self._usage())

    def _say(self, split: Split) -> None:
        self._say_plain(split.thinking, split.text)

    def _say_plain(self, thinking: str, text: str) -> None:
        if thinking:
            self._emit(ThinkingPiece(thinking))
        if text:
            self._emit(TextPiece(text))

    def _finish(self, stream: Stream) -> str:
        if stream.finish is FinishReason.CANCELLED:
            if self._passes.ended.is_set():
                raise Cancelled
            raise stopped()
        return _FINISH[stream.finish]

    def _usage(self) -> Usage:
        """What the latest pass used."""
        stream = self._passes.stream
        if stream is None or not stream.ended:
            return Usage()
        metrics = stream.metrics
        return Usage(metrics.prompt_tokens, metrics.answer_tokens, self._cached(metrics.prompt_tokens))

    def _cached(self, prompt_tokens: int) -> int:
        """What of the prompt was there before this request: the first pass found it, the later ones find
        their own request.
        """
        first = self._passes.first
        reused = first.metrics.reused_tokens if first is not None and first.ended else 0
        return min(reused, prompt_tokens)


def _as_json(arguments: Mapping[str, Any]) -> str | None:
    """The arguments of a call as they are sent; None where they cannot be: a model that writes freely may
    write a set, or a number that is none."""
    try:
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def tool_of(name: str, description: str, schema: Mapping[str, Any]) -> Tool:
    """A program's tool as the decision sees it. It is never run here."""
    text = " ".join(description.split("\n\n")[0].split())
    if len(text) > LONGEST_DESCRIPTION:
        text = text[:LONGEST_DESCRIPTION].rsplit(" ", 1)[0] + "…"
    return Tool(
        name=name,
        description=text or name.replace("_", " "),
        parameters=parameters_of(schema),
        function=_never_run,
        effect=Effect.UNKNOWN,
        shown_schema=schema or None,
    )


def _never_run(**_arguments: Any) -> str:
    raise AssertionError("a program's tool is run by the program")


def _with_instructions(messages: Sequence[Message], text: str) -> tuple[Message, ...]:
    """`text` at the end of the instructions, which are made where there are none."""
    if messages and messages[0].role == "system":
        first = Message("system", f"{messages[0].content}\n\n{text}")
        return (first, *messages[1:])
    return (Message("system", text), *messages)


def unknown_model(name: str, known: Sequence[str]) -> ApiError:
    return ApiError(
        f"The model {name[:80]!r} does not exist here. Steward answers with: {', '.join(known)}. Another one "
        "is chosen in Steward's window.",
        "model",
        "model_not_found",
        404,
    )
