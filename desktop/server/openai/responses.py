"""`POST /v1/responses`: the same answers in OpenAI's newer form, which Codex and others speak alone.

Nothing is stored, so a request holds its whole conversation, as Codex sends it; an answer that was given
before cannot be named. Tools that the real service runs itself (web search, a shell) do not exist here and
are passed over. Functions may come in a namespace, as Codex sends those of MCP servers: the model sees both
names in one, and a call says each in a field of its own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop.chat.formats.json_schema import object_grammar
from desktop.server.openai.answers import (
    AnswerRequest,
    CallPiece,
    GivenCall,
    GivenMessage,
    Piece,
    TextPiece,
    ThinkingPiece,
    Usage,
)
from desktop.server.openai.chat_completions import (
    MOST_MESSAGES,
    MOST_TOOLS,
    content_text,
    read_arguments,
    read_function,
    read_model,
    read_sampling,
    read_schema,
    read_tool_choice,
    without_twins,
)
from desktop.server.openai.errors import ApiError
from desktop.server.openai.fields import Fields
from desktop.tools.tool import Tool

KNOWN = frozenset(
    {
        *("model", "input", "instructions", "stream", "tools", "tool_choice", "text", "temperature", "top_p"),
        *("max_output_tokens", "previous_response_id", "conversation", "background", "store"),
    }
)

_TEXT_KINDS = ("input_text", "output_text", "text", "refusal")
_STORED = ("previous_response_id", "conversation")
_KINDS_OF_TOOLS = frozenset({"function", "namespace"})


def read_request(fields: Fields) -> AnswerRequest:
    """Raises ApiError where a field is wrong or asks for what is not done here."""
    model = read_model(fields)
    # Refused: without the earlier conversation the model would answer another question.
    for name in _STORED:
        if fields.has(name):
            raise fields.refuse(
                name,
                f"Unsupported parameter: {name!r}. Nothing is stored here; send the whole conversation.",
                "unsupported_parameter",
            )
    if fields.flag("background"):
        raise fields.refuse(
            "background",
            "Unsupported parameter: 'background' is not supported by Steward.",
            "unsupported_parameter",
        )
    messages = _messages(fields)
    tools, namespaces = _tools(fields)
    use, tool = read_tool_choice(fields, tools)
    if tool:
        tools = tuple(each for each in tools if each.name == tool)
    sampling = read_sampling(fields, ("max_output_tokens",))
    grammar = _grammar(fields)
    return AnswerRequest(model, messages, sampling, (), tools, use, tool, grammar, "input", namespaces)


def _messages(fields: Fields) -> tuple[GivenMessage, ...]:
    messages = []
    instructions = fields.text("instructions", "")
    if instructions:
        messages.append(GivenMessage("system", instructions))
    if isinstance(fields.content.get("input"), str):
        return (*messages, GivenMessage("user", fields.text("input")))
    names: dict[str, str] = {}
    items = [_item(each, names) for each in fields.records("input", MOST_MESSAGES)]
    messages += [each for each in items if each is not None]
    if not any(items):
        raise fields.refuse("input", "Missing required parameter: 'input'.", "missing_required_parameter")
    return tuple(messages)


def _item(fields: Fields, names: dict[str, str]) -> GivenMessage | None:
    """A message, a call or its result; None for what the model here does not read, such as
    sealed thoughts."""
    kind = fields.choice(
        "type", ("message", "function_call", "function_call_output", "reasoning", "item_reference"), "message"
    )
    if kind == "message":
        role = fields.choice("role", ("system", "developer", "user", "assistant"))
        return GivenMessage(
            "system" if role == "developer" else role, content_text(fields, kinds=_TEXT_KINDS)
        )
    if kind == "function_call":
        name = _in_namespace(fields.text("namespace", ""), fields.text("name"))
        call = GivenCall(fields.text("call_id"), name, read_arguments(fields))
        names[call.id] = call.name
        return GivenMessage("assistant", "", (call,))
    if kind == "function_call_output":
        call_id = fields.text("call_id")
        if call_id not in names:
            raise fields.refuse(
                "call_id", f"No tool call found for call_id {call_id[:64]!r}.", "invalid_value"
            )
        return GivenMessage("tool", _output(fields), tool=names[call_id])
    if kind == "item_reference":
        raise fields.refuse("type", "Nothing is stored here; send the item itself.", "unsupported_value")
    return None


def _output(fields: Fields) -> str:
    if isinstance(fields.content.get("output"), list):
        parts = Fields({"content": fields.content["output"]}, fields.path("output"))
        return content_text(parts, kinds=_TEXT_KINDS)
    return fields.text("output")


def _tools(fields: Fields) -> tuple[tuple[Tool, ...], Mapping[str, str]]:
    """The functions, and which have a namespace; what the real service runs itself is left out."""
    tools: list[Tool] = []
    namespaces: dict[str, str] = {}
    for given in fields.records("tools", MOST_TOOLS):
        kind = given.text("type")
        if kind == "function":
            tools.append(read_function(given))
        elif kind == "namespace":
            space = given.text("name")
            inner = [each for each in given.records("tools", MOST_TOOLS) if each.text("type") == "function"]
            for tool in map(read_function, inner):
                tools.append(replace(tool, name=_in_namespace(space, tool.name)))
                namespaces[tools[-1].name] = space
    if len(tools) > MOST_TOOLS:
        raise fields.refuse(
            "tools",
            f"Invalid 'tools': {len(tools)} functions, and {MOST_TOOLS} is the most.",
            "invalid_value",
        )
    return without_twins(fields, tools), namespaces


def _in_namespace(space: str, name: str) -> str:
    """As the model reads and writes it. Alone a name may be there twice: two servers have a `search`."""
    return f"{space}.{name}" if space else name


def _grammar(fields: Fields) -> str | None:
    text = fields.optional_record("text")
    format_ = text.optional_record("format") if text is not None else None
    if format_ is None:
        return None
    kind = format_.choice("type", ("text", "json_object", "json_schema"))
    if kind == "text":
        return None
    return object_grammar() if kind == "json_object" else read_schema(format_)


def passed_over(fields: Fields) -> tuple[str, ...]:
    """Fields and kinds of tools that nothing was made of, in order."""
    # Told in a header: tools that the real service runs by itself are not missed in silence.
    kinds = {str(each.get("type")) for each in fields.content.get("tools") or () if isinstance(each, dict)}
    tools = [f"tools of type {kind}" for kind in sorted(kinds - _KINDS_OF_TOOLS)]
    return (*sorted(name for name in fields.content if name not in KNOWN), *tools)


class ResponseWriter:
    """Writes one answer, whole or as events, each of which has a number and repeats what it is about."""

    def __init__(self, answer_id: str, asked: AnswerRequest, model: str) -> None:
        self._id = f"resp_{answer_id}"
        self._created = int(time.time())
        self._asked = asked
        self._model = model
        self._number = 0
        self._output: list[dict[str, Any]] = []
        self._open: dict[str, Any] | None = None  # the item that pieces are added to
        self._said = ""

    def begin(self) -> Iterator[dict[str, Any]]:
        """What opens a stream; nothing where it is open already."""
        if self._number == 0:
            yield self._event("response.created", response=self._response("in_progress"))
            yield self._event("response.in_progress", response=self._response("in_progress"))

    def waiting(self) -> Iterator[dict[str, Any]]:
        """What is said where nothing was for long. Codex counts events and not bytes: after five minutes of
        comments alone it hangs up and sends its question again."""
        if self._number == 0:
            yield from self.begin()
        else:
            yield self._event("response.in_progress", response=self._response("in_progress"))

    def events(self, piece: Piece) -> Iterator[dict[str, Any]]:
        """What a piece adds to a stream."""
        if isinstance(piece, TextPiece):
            yield from self._text(piece.text)
        elif isinstance(piece, ThinkingPiece):
            yield from self._thought(piece.text)
        elif isinstance(piece, CallPiece):
            yield from self._close()
            yield from self._call(piece)
        else:
            yield from self._close()
            status = "incomplete" if piece.finish == "length" else "completed"
            yield self._event(f"response.{status}", response=self._response(status, piece.usage))

    def whole(self, pieces: Sequence[Piece]) -> dict[str, Any]:
        """The object of an answer that is not streamed."""
        last: dict[str, Any] = {}
        for piece in pieces:
            # The whole is what the last event of a stream holds, so that both forms cannot differ.
            for event in self.events(piece):
                last = event
        found: dict[str, Any] = last["response"]
        return found

    def failed(self, error: ApiError) -> dict[str, Any]:
        """The event that ends a stream in which something went wrong."""
        failure = {"code": error.code or "server_error", "message": error.message}
        return self._event("response.failed", response={**self._response("failed"), "error": failure})

    # -- items --------------------------------------------------------------------------------

    def _text(self, text: str) -> Iterator[dict[str, Any]]:
        if self._open is None or self._open["type"] != "message":
            yield from self._close()
            item = {"id": _new("msg"), "type": "message", "status": "in_progress", "role": "assistant"}
            yield from self._begin({**item, "content": []})
            part = {"type": "output_text", "text": "", "annotations": []}
            yield self._of_item("response.content_part.added", content_index=0, part=part)
        self._said += text
        yield self._of_item("response.output_text.delta", content_index=0, delta=text, logprobs=[])

    def _thought(self, text: str) -> Iterator[dict[str, Any]]:
        if self._open is None or self._open["type"] != "reasoning":
            yield from self._close()
            yield from self._begin({"id": _new("rs"), "type": "reasoning", "summary": [], "content": []})
        self._said += text
        yield self._of_item("response.reasoning_text.delta", content_index=0, delta=text)

    def _call(self, piece: CallPiece) -> Iterator[dict[str, Any]]:
        item = {"id": _new("fc"), "type": "function_call", "status": "in_progress", "call_id": piece.id}
        space = self._asked.namespaces.get(piece.name, "")
        named = {"name": piece.name.removeprefix(_in_namespace(space, "")), "arguments": ""}
        yield from self._begin({**item, **named, **({"namespace": space} if space else {})})
        yield self._of_item("response.function_call_arguments.delta", delta=piece.arguments)
        yield self._of_item("response.function_call_arguments.done", arguments=piece.arguments)
        assert self._open is not None
        self._open |= {"arguments": piece.arguments}
        yield from self._close()

    def _begin(self, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
        self._open, self._said = item, ""
        yield self._event("response.output_item.added", output_index=len(self._output), item=dict(item))

    def _close(self) -> Iterator[dict[str, Any]]:
        """End the open item, if there is one, with all that was said in it."""
        item = self._open
        if item is None:
            return
        if item["type"] == "message":
            part = {"type": "output_text", "text": self._said, "annotations": []}
            yield self._of_item("response.output_text.done", content_index=0, text=self._said, logprobs=[])
            yield self._of_item("response.content_part.done", content_index=0, part=part)
            item["content"] = [part]
        elif item["type"] == "reasoning":
            yield self._of_item("response.reasoning_text.done", content_index=0, text=self._said)
            item["content"] = [{"type": "reasoning_text", "text": self._said}]
        if "status" in item:
            item["status"] = "completed"
        yield self._event("response.output_item.done", output_index=len(self._output), item=item)
        self._output.append(item)
        self._open = None

    def _of_item(self, kind: str, **content: Any) -> dict[str, Any]:
        assert self._open is not None
        return self._event(kind, item_id=self._open["id"], output_index=len(self._output), **content)

    def _event(self, kind: str, **content: Any) -> dict[str, Any]:
        event = {"type": kind, "sequence_number": self._number, **content}
        self._number += 1
        return event

    def _response(self, status: str, counted: Usage | None = None) -> dict[str, Any]:
        asked = self._asked
        reason = {"reason": "max_output_tokens"} if status == "incomplete" else None
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "error": None,
            "incomplete_details": reason,
            "instructions": None,
            "max_output_tokens": asked.sampling.max_tokens,
            "model": self._model,
            "output": list(self._output),
            "parallel_tool_calls": False,
            "previous_response_id": None,
            "store": False,
            "temperature": asked.sampling.temperature,
            "tool_choice": "auto",
            "tools": [],
            "top_p": asked.sampling.top_p,
            "truncation": "disabled",
            "usage": _usage(counted) if counted is not None else None,
            "metadata": {},
        }


def _usage(counted: Usage) -> dict[str, Any]:
    return {
        "input_tokens": counted.prompt_tokens,
        "input_tokens_details": {"cached_tokens": counted.cached_tokens},
        "output_tokens": counted.answer_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": counted.prompt_tokens + counted.answer_tokens,
    }


def _new(kind: str) -> str:
    return f"{kind}_{secrets.token_hex(16)}"
