"""`POST /v1/chat/completions`: its fields in, an object or a stream of chunks out.

What the real service would heed and this one cannot is refused by name. What changes no answer here (`user`,
`store`, `metadata` and their like) and what nobody knows is passed over; `IGNORED_HEADER` says which those
were.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import from_json

from desktop.chat.formats.json_schema import SchemaRefused, object_grammar, schema_grammar
from desktop.server.openai.answers import (
    AnswerEnd,
    AnswerRequest,
    CallPiece,
    GivenCall,
    GivenMessage,
    Piece,
    SamplingWish,
    TextPiece,
    ThinkingPiece,
    ToolUse,
    Usage,
    tool_of,
)
from desktop.server.openai.errors import ApiError
from desktop.server.openai.fields import Fields, kind_of, wrong_type
from desktop.tools.tool import Tool

MOST_MESSAGES = 2048
MOST_TOOLS = 128
MOST_STOPS = 4
MOST_PARTS = 256
LARGEST_INT = 2**63 - 1
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
LONGEST_NAME = 64

_READ = frozenset(
    {
        *("model", "messages", "stream", "stream_options", "tools", "tool_choice", "response_format", "stop"),
        *("max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "n", "logprobs"),
        *("top_logprobs", "logit_bias", "frequency_penalty", "presence_penalty", "modalities", "audio"),
        *("functions", "function_call", "web_search_options"),
    }
)

# A value that asks for nothing is no reason to refuse: many clients send all their defaults.
_NOT_HERE: Mapping[str, tuple[object, ...]] = {
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "modalities": (["text"],),
    "audio": (),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "web_search_options": (),
}


def ignored(fields: Fields, known: frozenset[str] = _READ) -> tuple[str, ...]:
    """The fields of the request that nothing was made of, in order."""
    return tuple(sorted(name for name in fields.content if name not in known))


def read_request(fields: Fields) -> AnswerRequest:
    """Raises ApiError where a field is wrong or asks for what is not done here."""
    model = read_model(fields)
    # Refused and not passed over: who asks for probabilities and gets an answer without would take it for one
    # with.
    _refuse_unsupported(fields)
    messages = _messages(fields)
    tools = _tools(fields)
    use, tool = read_tool_choice(fields, tools)
    wish = read_sampling(fields, ("max_completion_tokens", "max_tokens"))
    format_ = fields.optional_record("response_format")
    grammar = _grammar(format_) if format_ is not None else None
    if tool:
        tools = tuple(each for each in tools if each.name == tool)
    return AnswerRequest(model, messages, wish, _stop(fields), tools, use, tool, grammar)


def read_model(fields: Fields) -> str:
    if not fields.has("model"):
        raise fields.refuse("model", "You must provide a model parameter.", "missing_required_parameter")
    return fields.text("model")


def wants_usage(fields: Fields) -> bool:
    """Whether a stream ends with a chunk that counts tokens."""
    options = fields.optional_record("stream_options")
    if options is None:
        return False
    if not fields.flag("stream"):
        raise fields.refuse(
            "stream_options",
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "invalid_value",
        )
    return options.flag("include_usage")


def read_sampling(fields: Fields, lengths: Sequence[str]) -> SamplingWish:
    """`lengths`: the names under which the longest answer may be given; the first one wins."""
    given = (fields.integer(name, 1, LARGEST_INT) for name in lengths)
    longest = next((each for each in given if each is not None), None)
    return SamplingWish(
        temperature=fields.number("temperature", 0, 2),
        top_p=_above_zero(fields.number("top_p", 0, 1)),
        seed=fields.integer("seed", -LARGEST_INT, LARGEST_INT),
        # The engine counts to the end of the context, however much was allowed.
        max_tokens=min(longest, 2**31) if longest is not None else None,
    )


def _above_zero(top_p: float | None) -> float | None:
    """0 keeps the likeliest token alone, as the real service has it."""
    return max(top_p, 1e-6) if top_p is not None else None


def _refuse_unsupported(fields: Fields) -> None:
    count = fields.integer("n", 1, 128)
    if count not in (None, 1):
        raise fields.refuse(
            "n",
            f"Unsupported value: 'n' does not support {count} here; answers come one at a time.",
            "unsupported_value",
        )
    for name, harmless in _NOT_HERE.items():
        value = fields.content.get(name)
        if value is not None and value not in harmless:
            raise fields.refuse(
                name, f"Unsupported parameter: {name!r} is not supported by Steward.", "unsupported_parameter"
            )


def _stop(fields: Fields) -> tuple[str, ...]:
    if isinstance(fields.content.get("stop"), str):
        texts: list[Any] = [fields.content["stop"]]
    else:
        texts = fields.array("stop", MOST_STOPS)
    for at, each in enumerate(texts):
        if not isinstance(each, str):
            raise wrong_type(f"stop[{at}]", "a string", each)
    return tuple(each for each in texts if each)


# --- Messages


def _messages(fields: Fields) -> tuple[GivenMessage, ...]:
    if not fields.has("messages"):
        raise fields.refuse(
            "messages", "Missing required parameter: 'messages'.", "missing_required_parameter"
        )
    messages: list[GivenMessage] = []
    open_calls: dict[str, str] = {}  # id of a call that waits for its result, and its name
    for each in fields.records("messages", MOST_MESSAGES):
        message = _message(each, open_calls)
        if message.role == "assistant":
            open_calls = {call.id: call.name for call in message.calls}
        messages.append(message)
    if not messages:
        raise fields.refuse(
            "messages",
            "Invalid 'messages': empty array. Expected an array with minimum length 1.",
            "empty_array",
        )
    return tuple(messages)


def _message(fields: Fields, open_calls: Mapping[str, str]) -> GivenMessage:
    role = fields.choice("role", ROLES)
    if role == "tool":
        call_id = fields.text("tool_call_id")
        # A result that belongs to no call would be read as something that the user said.
        if call_id not in open_calls:
            raise fields.refuse(
                "role",
                "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
                "invalid_value",
            )
        return GivenMessage("tool", content_text(fields), tool=open_calls[call_id])
    if role == "function":
        return GivenMessage("tool", content_text(fields), tool=fields.text("name"))
    if role == "assistant":
        calls = tuple(_given_call(each) for each in fields.records("tool_calls", MOST_TOOLS))
        # Nothing was said, as where an answer was stopped before its first word: programs send that back.
        return GivenMessage("assistant", content_text(fields, may_lack=True), calls)
    return GivenMessage("system" if role == "developer" else role, content_text(fields))


def content_text(fields: Fields, may_lack: bool = False, kinds: Sequence[str] = ("text", "refusal")) -> str:
    """The words of a message: a text, or parts of which all are text."""
    value = fields.content.get("content")
    if value is None and may_lack:
        return ""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        if value is None:
            return fields.text("content")  # which raises that it is missing
        raise wrong_type(fields.path("content"), "one of a string or an array of parts", value)
    texts = []
    for part in fields.records("content", MOST_PARTS):
        kind = part.text("type")
        if kind not in kinds:
            raise part.refuse(
                "type",
                f"Invalid value: {kind[:40]!r}. The model here reads text alone; supported values are: "
                f"{', '.join(map(repr, kinds))}.",
                "invalid_value",
            )
        texts.append(part.text("refusal" if kind == "refusal" else "text"))
    return "\n".join(texts)


def _given_call(fields: Fields) -> GivenCall:
    function = fields.record("function")
    return GivenCall(fields.text("id"), function.text("name"), read_arguments(function))


def read_arguments(fields: Fields) -> dict[str, Any]:
    """The arguments of an earlier call, which are JSON in a string."""
    text = fields.text("arguments")
    try:
        # As strict as with the body: it goes into a prompt, which half a character cannot stand in.
        value = from_json(text, allow_inf_nan=False) if text.strip() else {}
    except ValueError as error:
        raise fields.refuse(
            "arguments", f"Invalid {fields.path('arguments')!r}: it is not JSON.", "invalid_json"
        ) from error
    if not isinstance(value, dict):
        raise fields.refuse(
            "arguments",
            f"Invalid {fields.path('arguments')!r}: expected a JSON object, but got {kind_of(value)}.",
            "invalid_value",
        )
    return value


# --- Tools and the form of the answer


def _tools(fields: Fields) -> tuple[Tool, ...]:
    tools = []
    for each in fields.records("tools", MOST_TOOLS):
        each.choice("type", ("function",))
        tools.append(read_function(each.record("function")))
    return without_twins(fields, tools)


def without_twins(fields: Fields, tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """Raises ApiError where two tools have one name."""
    names = [each.name for each in tools]
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        raise fields.refuse("tools", f"Invalid 'tools': two functions are called {twin!r}.", "invalid_value")
    return tuple(tools)


def read_function(fields: Fields) -> Tool:
    """A function that may be called. Its schema is tried here, so that what is wrong with it is told
    at once."""
    name = fields.text("name")
    if not name or len(name) > LONGEST_NAME or not set(name) <= _NAME_CHARACTERS:
        raise fields.refuse(
            "name",
            f"Invalid {fields.path('name')!r}: a name has 1 to {LONGEST_NAME} letters, digits, underscores, "
            "dots and hyphens.",
            "invalid_value",
        )
    schema = fields.optional_record("parameters")
    content = schema.content if schema is not None else {}
    try:
        if content.get("type", "object") != "object":
            raise SchemaRefused("arguments are an object, and its type is another")
        schema_grammar({"type": "object", **content}, fields.flag("strict"))
    except SchemaRefused as error:
        raise fields.refuse(
            "parameters", f"Invalid schema for function {name!r}: {error}.", "invalid_function_parameters"
        ) from error
    return tool_of(name, fields.text("description", ""), content)


def read_tool_choice(fields: Fields, tools: Sequence[Tool]) -> tuple[ToolUse, str]:
    """How tools are used, and the name of the one that must be called, or ""."""
    value = fields.content.get("tool_choice")
    if value is None or isinstance(value, str):
        word = fields.choice("tool_choice", ("none", "auto", "required"), "auto")
        use = {"none": ToolUse.NEVER, "auto": ToolUse.AUTO, "required": ToolUse.REQUIRED}[word]
        if value is not None and word == "required" and not tools:
            raise fields.refuse(
                "tool_choice", "Invalid value for 'tool_choice': no tools are given.", "invalid_value"
            )
        return use, ""
    chosen = fields.record("tool_choice")
    chosen.choice("type", ("function",))
    name = chosen.record("function").text("name") if chosen.has("function") else chosen.text("name")
    if name not in [each.name for each in tools]:
        raise fields.refuse(
            "tool_choice",
            f"Invalid value for 'tool_choice': no function is called {name[:LONGEST_NAME]!r}.",
            "invalid_value",
        )
    return ToolUse.REQUIRED, name


def _grammar(format_: Fields) -> str | None:
    kind = format_.choice("type", ("text", "json_object", "json_schema"))
    if kind == "text":
        return None
    return object_grammar() if kind == "json_object" else read_schema(format_.record("json_schema"))


def read_schema(fields: Fields) -> str:
    """The grammar of a named schema. Raises ApiError where it cannot be held to."""
    name = fields.text("name")
    schema = fields.content.get("schema")
    if not isinstance(schema, dict):
        return object_grammar() if schema is None else _refuse_schema(fields, schema)
    try:
        return schema_grammar(schema, fields.flag("strict"))
    except SchemaRefused as error:
        raise fields.refuse(
            "schema",
            f"Invalid schema for response_format {name[:LONGEST_NAME]!r}: {error}.",
            "invalid_json_schema",
        ) from error


def _refuse_schema(fields: Fields, value: object) -> str:
    raise wrong_type(fields.path("schema"), "an object", value)


# --- What is sent


class Completion:
    """Writes one answer, whole or in chunks."""

    def __init__(self, answer_id: str, model: str, include_usage: bool = False) -> None:
        self._head = {"id": f"chatcmpl-{answer_id}", "created": int(time.time()), "model": model}
        self._include_usage = include_usage
        self._calls = 0

    def begin(self) -> Iterator[dict[str, Any]]:
        """What opens a stream."""
        yield self._chunk({"role": "assistant", "content": ""})

    def waiting(self) -> Iterator[dict[str, Any]]:
        """Nothing: a comment does, since here programs count bytes."""
        yield from ()

    def events(self, piece: Piece) -> Iterator[dict[str, Any]]:
        """What a piece adds to a stream."""
        if isinstance(piece, TextPiece):
            yield self._chunk({"content": piece.text})
        elif isinstance(piece, ThinkingPiece):
            yield self._chunk({"reasoning_content": piece.text})
        elif isinstance(piece, CallPiece):
            yield self._chunk({"tool_calls": [{"index": self._calls, **_call(piece)}]})
            self._calls += 1
        else:
            yield self._chunk({}, piece.finish)
            if self._include_usage:
                last = {"object": "chat.completion.chunk", "choices": [], "usage": usage(piece.usage)}
                yield {**self._head, **last}

    def failed(self, error: ApiError) -> dict[str, Any]:
        """What ends a stream in which something went wrong, whose status has gone out already."""
        return error.body()

    def whole(self, pieces: Sequence[Piece]) -> dict[str, Any]:
        """The object of an answer that is not streamed; the last piece is its end."""
        end = pieces[-1]
        assert isinstance(end, AnswerEnd)
        text = "".join(each.text for each in pieces if isinstance(each, TextPiece))
        thinking = "".join(each.text for each in pieces if isinstance(each, ThinkingPiece))
        calls = [_call(each) for each in pieces if isinstance(each, CallPiece)]
        message: dict[str, Any] = {"role": "assistant", "content": text or (None if calls else "")}
        message["refusal"] = None
        if thinking:
            message["reasoning_content"] = thinking
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": end.finish}
        return {**self._head, "object": "chat.completion", "choices": [choice], "usage": usage(end.usage)}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        made = {**self._head, "object": "chat.completion.chunk", "choices": [choice]}
        # Where the last chunk counts, the real service has the field in all of them.
        return {**made, "usage": None} if self._include_usage else made


def _call(piece: CallPiece) -> dict[str, Any]:
    return {
        "id": piece.id,
        "type": "function",
        "function": {"name": piece.name, "arguments": piece.arguments},
    }


def usage(counted: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": counted.prompt_tokens,
        "completion_tokens": counted.answer_tokens,
        "total_tokens": counted.prompt_tokens + counted.answer_tokens,
        "prompt_tokens_details": {"cached_tokens": counted.cached_tokens},
    }
