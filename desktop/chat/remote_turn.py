"""An answer from a model server: what would leave is shown and agreed to, and only then sent.

`RemoteAnswers.agreed` asks before the first sentence; `submit` sends what a conversation shows, in the
protocol's own form. The texts pass the redaction of secrets first, and the preview is made of the very texts
that would go. A password or PIN that was told to this computer, and not to the server, is no word for the
server: what was agreed to be kept is kept here. Calls come back as the protocol has them and go through the
executor like all others, with the server as a source of untrusted text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from desktop.chat.destinations import Agreed, Destinations, WordsLeaving, written_by
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.messages import Message, Role
from desktop.chat.prompts import assemble, told_elsewhere
from desktop.chat.reasons import ChatReason
from desktop.chat.tool_mode import ToolMode, ToolProfile
from desktop.chat.turn_context import TurnContext, sampling
from desktop.engine.remote import RemoteEngines, RemoteRequest, RemoteServer, RemoteStream
from desktop.engine.requests import Priority
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.memory.text import without_secrets
from desktop.tools.text import head_tail
from desktop.tools.tool import Toolbox

# Tools whose results are what memory knows: without a yes to memory no server reads it through them.
MEMORY_TOOLS = frozenset({"recall_notes"})
PROFILE = replace(ToolProfile.of(None, ToolMode.NATIVE), is_small=False)
UNREADABLE = "an unreadable call"


@dataclass(frozen=True)
class OutgoingText:
    """What would go to a server with the first sentence of a conversation; everything the user needs to
    judge it. `text` is all of it as it would be sent, with the history and without memory."""

    conversation_id: int
    question_id: int
    server: RemoteServer
    earlier: int  # messages before the question
    files: tuple[str, ...]  # names of texts that go along, earlier ones too
    tools: bool  # whether its model can be offered tools
    memory: bool  # whether anything may be remembered at all
    folder: str  # that tools read in
    text: str


# The answer of the user; None is no.
AskToSend = Callable[[OutgoingText], Agreed | None]


class RemoteAnswers:
    """Any thread; `agreed` blocks while the user is asked."""

    def __init__(
        self,
        engines: RemoteEngines,
        destinations: Destinations,
        bus: Bus,
        redact: Callable[[str], str],
        ask: AskToSend,
    ) -> None:
        self._engines = engines
        self._destinations = destinations
        self._bus = bus
        self._redact = redact
        self._ask = ask

    def agreed(self, context: TurnContext, priority: Priority, is_continued: bool = False) -> TurnContext:
        """What may go of a conversation, as the user has agreed; asked where that is not known for the
        server's present address. Raises UserFacing where the answer was no, or nothing can be sent: before
        anybody is asked, for what no server could answer."""
        # Quick-ask has no room for the signs of a server, so it sends to none.
        if priority is Priority.QUICK_ASK:
            raise UserFacing(ChatReason.NO_SERVERS_HERE.of())
        if is_continued:
            raise UserFacing(ChatReason.CANNOT_CONTINUE_THERE.of())
        destination = context.destination
        assert destination is not None
        server = self._engines.get(destination.server)
        self._engines.refuse_offline()
        if destination.origin != server.origin:
            answer = self._ask(self._leaving(for_server(context), server))
            if answer is None:
                raise UserFacing(ChatReason.NOT_SENT.of(host=server.shown))
            destination = self._destinations.agree(
                context.conversation_id, destination, server.origin, answer
            )
        return for_server(replace(context, destination=destination))

    def submit(self, context: TurnContext, may_call: bool) -> RemoteStream:
        """Send what `agreed` has returned, with what the turn has added since. Raises UserFacing."""
        destination = context.destination
        assert destination is not None
        server = self._engines.get(destination.server)
        # The settings may have changed while tools ran: nothing goes where nobody agreed to.
        if destination.origin != server.origin:
            raise UserFacing(ChatReason.NOT_SENT.of(host=server.shown))
        offers = may_call and server.tools and context.tools is not None
        request = RemoteRequest(
            tuple(messages_of(context, self._redact)),
            sampling(context.settings.model),
            context.toolbox.schemas() if offers else (),
        )
        # First the sign, then the words.
        self._bus.publish(WordsLeaving(context.conversation_id, server.shown))
        return self._engines.submit(server, request)

    def ended(self, context: TurnContext) -> None:
        """The turn is over: nothing goes there until the next one."""
        self._bus.publish(WordsLeaving(context.conversation_id, self.host(context), ended=True))

    def host(self, context: TurnContext) -> str:
        """Where the words of a conversation go, as people are shown it."""
        destination = context.destination
        assert destination is not None
        return self._engines.get(destination.server).shown

    def model(self, context: TurnContext) -> str:
        """Model and host, as they are kept beside an answer."""
        destination = context.destination
        assert destination is not None
        server = self._engines.get(destination.server)
        return written_by(server.model, server.shown)

    def calls(self, stream: RemoteStream) -> tuple[ParsedCall, ...]:
        """What its model wants done. A call that cannot be read is one that no tool answers to: the model is
        told so, and no tool runs with arguments that nobody wrote."""
        return tuple(
            ParsedCall(each.name, each.arguments) if each.arguments is not None else ParsedCall(UNREADABLE)
            for each in stream.calls
        )

    def _leaving(self, context: TurnContext, server: RemoteServer) -> OutgoingText:
        tools, memory = context.tools, context.settings.memory
        question = context.question
        earlier = [each for each in context.messages if each.role in _SPEAKERS and each is not question]
        files = dict.fromkeys(each.name for m in context.messages for each in m.attachments)
        texts = (str(each["content"]) for each in messages_of(context, self._redact) if each.get("content"))
        return OutgoingText(
            context.conversation_id,
            question.id if question is not None else 0,
            server,
            len(earlier),
            tuple(files),
            server.tools and tools is not None,
            memory.enabled and not memory.paused,
            str(tools.executor.folder) if tools is not None else "",
            "\n\n".join(texts),
        )


_SPEAKERS = frozenset({Role.USER, Role.ASSISTANT})


def for_server(context: TurnContext) -> TurnContext:
    """What may go of a conversation: no memory and no earlier messages but those that were agreed to."""
    assert context.destination is not None
    agreed = context.destination.agreed
    kept = tuple(each for each in context.messages if each.id >= agreed.since or each is context.question)
    cut = replace(context, messages=kept, profile=PROFILE)
    if agreed.since:
        cut = replace(cut, summary=None)  # of what came before
    if not agreed.memory:
        cut = replace(cut, blocks={})
        if cut.tools is not None:
            # Not only left out of what is offered: it might be called all the same.
            others = [each for each in cut.toolbox if each.name not in MEMORY_TOOLS]
            cut = replace(cut, tools=replace(cut.tools, toolbox=Toolbox(others)))
    return cut if agreed.tools else cut.without(tools=False)


def messages_of(context: TurnContext, redact: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    """The conversation as the protocol has it; every text passes `redact`."""
    context = _told_there(context)
    yield {"role": "system", "content": redact(told_elsewhere(context.instructions))}
    run: list[Message] = []
    for message in context.messages:
        if message.tool is None:
            run.append(message)
            continue
        yield from _said(context, run, redact)
        run = []
        yield from _called(message, redact)
    yield from _said(context, run, redact)


def _told_there(context: TurnContext) -> TurnContext:
    """`context` with a mark in place of each password, PIN or code that its user has told to this computer
    alone: in what is remembered, and in the turns that were answered here. What is typed for the server stays
    as it is."""
    blocks = {key: replace(each, text=without_secrets(each.text)) for key, each in context.blocks.items()}
    summary = context.summary
    if summary is not None:
        summary = replace(summary, text=without_secrets(summary.text))
    told: list[Message] = []
    for turn in _turns(context.messages):
        is_here = context.question not in turn and not any(each.host for each in turn)
        told += [_without_secrets(each) if is_here or _is_memory(each) else each for each in turn]
    return replace(context, blocks=blocks, summary=summary, messages=tuple(told))


def _turns(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """Each question with what came of it."""
    turn: list[Message] = []
    for each in messages:
        if each.role is Role.USER and turn:
            yield turn
            turn = []
        turn.append(each)
    yield turn


def _is_memory(message: Message) -> bool:
    return message.tool is not None and message.tool.name in MEMORY_TOOLS


def _without_secrets(message: Message) -> Message:
    record = message.tool
    if record is not None:
        arguments = {
            name: without_secrets(value) if isinstance(value, str) else value
            for name, value in record.arguments.items()
        }
        record = replace(record, arguments=arguments)
    return replace(message, text=without_secrets(message.sent), changed=None, tool=record)


def _said(
    context: TurnContext, messages: list[Message], redact: Callable[[str], str]
) -> Iterator[dict[str, Any]]:
    # The first of a prompt is the system's, which stands at the beginning of all.
    for each in assemble("", messages, context.profile.family, context.before).messages[1:]:
        yield {"role": each.role, "content": redact(each.content)}


def _called(message: Message, redact: Callable[[str], str]) -> Iterator[dict[str, Any]]:
    """A call and its result: the protocol wants them side by side, each naming the other."""
    record = message.tool
    assert record is not None
    key = f"call_{message.id}"
    arguments = redact(json.dumps(dict(record.arguments), ensure_ascii=False, default=str))
    function = {"name": record.name, "arguments": arguments}
    yield {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": key, "type": "function", "function": function}],
    }
    result = record.with_hint(head_tail(message.text)) or "(interrupted)"
    yield {"role": "tool", "tool_call_id": key, "content": redact(result)}
