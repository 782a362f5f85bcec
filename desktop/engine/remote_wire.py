"""What a model server writes back, read as something that anybody may have written.

A server of the OpenAI kind answers `chat/completions` with a stream of events or with one JSON object.
Nothing of it is believed: lines, events and answers have limits, text loses what could steer a terminal, and
whatever cannot be read ends the answer with a reason.

    for piece in AnswerReader().pieces(content_type, chunks): …

Pure; one thread.
"""

from __future__ import annotations

import codecs
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop.engine.reasons import EngineReason
from desktop.engine.requests import FinishReason
from desktop.reasons import Reason

LINE_BYTES = 1_000_000  # an event is a few hundred
ANSWER_BYTES = 64_000_000  # with all the frames around a few characters each
ANSWER_CHARACTERS = 400_000
SAID_CHARACTERS = 200  # of what a server says about an error
MOST_CALLS = 16
ARGUMENT_CHARACTERS = 100_000
NAME_CHARACTERS = 100

JSON, EVENTS = "application/json", "text/event-stream"
_DONE = b"[DONE]"
# What servers say of a chat that their model cannot hold, and of an answer that the rest of it cannot.
_NO_ROOM = ("context_length", "context length", "context size", "maximum context", "too many tokens", "n_ctx")
_NO_ROOM_FOR_ANSWER = ("in the completion", "max_tokens", "max_completion_tokens")
_NO_TOOLS = ("does not support tools", "tool choice requires", "tools are not supported", "tool_choice")
_FINISHED = {"length": FinishReason.LENGTH, "max_tokens": FinishReason.LENGTH}


class UnreadableAnswer(Exception):
    """What came cannot be the answer of a model server; `code` says why, once the host is known."""

    def __init__(self, code: EngineReason, said: str = "") -> None:
        super().__init__(str(code))
        self.code = code
        self.said = said

    def reason(self, host: str) -> Reason:
        return self.code.of(host=host, said=self.said) if self.said else self.code.of(host=host)


@dataclass(frozen=True)
class StreamedCall:
    """A call of a tool as the server wrote it; `arguments` None where they are no JSON object."""

    name: str
    arguments: Mapping[str, Any] | None


@dataclass
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass
class AnswerStreamReader:
    """Reads one answer. The figures are there when `pieces` has come to its end."""

    finish: FinishReason | None = None
    prompt_tokens: int = 0
    answer_tokens: int = 0
    _events: int = 0
    _characters: int = 0
    _thinks: bool = False
    _calls: list[_Call] = field(default_factory=list)
    _by_index: dict[int, _Call] = field(default_factory=dict)

    def pieces(self, content_type: str, chunks: Iterable[bytes]) -> Iterator[str]:
        """The text as it comes, thinking between tags; never an empty piece. Raises UnreadableAnswer."""
        kind = content_type.partition(";")[0].strip().lower()
        if kind not in (EVENTS, JSON):
            raise UnreadableAnswer(EngineReason.REMOTE_NO_SERVER)
        # Some servers cannot stream and answer with the whole at once.
        events = _events(chunks) if kind == EVENTS else iter((_whole(chunks),))
        for event in events:
            yield from self._taken(event)
            if self._characters > ANSWER_CHARACTERS:
                self.finish = FinishReason.LENGTH
                break
        if self._thinks:
            yield "\n</think>\n\n"
        # A line that broke in the middle looks like an end; only the server knows that it was done.
        if self.finish is None:
            raise UnreadableAnswer(EngineReason.REMOTE_CUT)

    @property
    def calls(self) -> tuple[StreamedCall, ...]:
        """The calls in the order in which they began."""
        return tuple(map(_written, self._calls))

    # -- one event ----------------------------------------------------------------------------

    def _taken(self, event: Mapping[str, Any]) -> Iterator[str]:
        # Older vLLM names no error: its object is one.
        if event.get("error") or event.get("object") == "error":
            said = said_in(event)
            code = EngineReason.REMOTE_NO_ROOM if is_about_room(said) else EngineReason.REMOTE_GAVE_UP
            raise UnreadableAnswer(code, said)
        self._count(event.get("usage"))
        choices = event.get("choices")
        # One answer was asked for; whatever else is numbered stands beside it.
        listed = choices if isinstance(choices, list) else ()
        firsts = (each for each in listed if isinstance(each, dict) and each.get("index") in (0, None))
        first = next(firsts, None)
        if first is None:
            return
        part = first.get("delta") or first.get("message")
        if isinstance(part, dict):
            for piece in self._texts(part):
                self._characters += len(piece)
                yield piece
            self._note_calls(part.get("tool_calls"))
        ended = first.get("finish_reason")
        if isinstance(ended, str) and ended:
            self.finish = _FINISHED.get(ended, FinishReason.STOP)

    def _texts(self, part: Mapping[str, Any]) -> Iterator[str]:
        thought = _text(part.get("reasoning_content")) or _text(part.get("reasoning"))
        # A model that will not do what it is asked says so in a field of its own, and nothing else.
        said = _text(part.get("content")) or _text(part.get("refusal"))
        if thought:
            yield thought if self._thinks else f"<think>\n{thought}"
            self._thinks = True
        if said:
            yield f"\n</think>\n\n{said}" if self._thinks else said
            self._thinks = False
        if thought or said:
            self._events += 1
            # Where a server counts nothing, an event is about a token.
            self.answer_tokens = max(self.answer_tokens, self._events)

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self.prompt_tokens = _number(usage.get("prompt_tokens")) or self.prompt_tokens
            self.answer_tokens = _number(usage.get("completion_tokens")) or self.answer_tokens

    def _note_calls(self, parts: object) -> None:
        for place, part in enumerate(parts if isinstance(parts, list) else ()):
            if not isinstance(part, dict):
                continue
            index = part.get("index", place)
            if not isinstance(index, int) or not 0 <= index < MOST_CALLS:
                continue  # what is beyond is no answer of a model to one question
            function = part.get("function")
            if isinstance(function, dict):
                call = self._call(index, _text(part.get("id")))
                if call is not None:
                    self._note(call, function)

    def _call(self, index: int, identity: str) -> _Call | None:
        """The call that a part belongs to; None for one too many. Ollama numbers all calls of an answer 0, so
        another identity is another call."""
        known = self._by_index.get(index)
        if known is not None and (not identity or identity == known.id):
            return known
        if len(self._calls) >= MOST_CALLS:
            return None
        made = self._by_index[index] = _Call(identity)
        self._calls.append(made)
        return made

    def _note(self, call: _Call, function: Mapping[str, Any]) -> None:
        more_of_name = _text(function.get("name"))
        # Some say the whole name in every part.
        if more_of_name != call.name:
            call.name = (call.name + more_of_name)[:NAME_CHARACTERS]
        arguments = function.get("arguments")
        # Ollama's older versions send the object itself.
        more = json.dumps(arguments) if isinstance(arguments, dict) else arguments
        if isinstance(more, str):
            call.arguments += more
        if len(call.arguments) > ARGUMENT_CHARACTERS:
            raise UnreadableAnswer(EngineReason.REMOTE_FLOOD)


def said_in(body: object) -> str:
    """What a server says about an error, on one short line: the objects that servers are known to send, or
    nothing."""
    found: object = body
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    if isinstance(found, dict):
        found = found.get("message", "")
    if not isinstance(found, str):
        return ""
    # Part of a sentence of ours: nothing in it may turn the line around.
    return " ".join("".join(each for each in found if each.isprintable() or each in "\n\t").split())[
        :SAID_CHARACTERS
    ]


def is_about_room(said: str) -> bool:
    """Whether a server says that its model cannot hold the chat."""
    return any(words in said.lower() for words in _NO_ROOM)


def is_about_answer_length(said: str) -> bool:
    """Whether it says so of the answer that was allowed beside the chat, which may fit itself."""
    return is_about_room(said) and any(words in said.lower() for words in _NO_ROOM_FOR_ANSWER)


def is_about_tools(said: str) -> bool:
    """Whether it says that its model, or the way it was started, knows no tools."""
    return any(words in said.lower() for words in _NO_TOOLS)


def parsed(data: bytes) -> dict[str, Any]:
    """One JSON object. Raises UnreadableAnswer."""
    try:
        found = json.loads(data.decode("utf-8", errors="replace"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise UnreadableAnswer(EngineReason.REMOTE_NONSENSE) from error
    if not isinstance(found, dict):
        raise UnreadableAnswer(EngineReason.REMOTE_NONSENSE)
    return found


def plain(text: str) -> str:
    """Without control characters, which would steer a terminal, and without halves of characters, which
    nothing can store."""
    if text.isprintable():
        return text
    kept = (each for each in text if each in "\n\t" or unicodedata.category(each) not in ("Cc", "Cs"))
    return "".join(kept)


def _whole(chunks: Iterable[bytes]) -> dict[str, Any]:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > LINE_BYTES * 4:
            raise UnreadableAnswer(EngineReason.REMOTE_FLOOD)
    return parsed(bytes(body))


def _events(chunks: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Each `data:` line; the other fields and the comments that keep a line alive say nothing."""
    held, size = b"", 0
    for chunk in chunks:
        # A stream may begin with the mark of its encoding.
        chunk = chunk if size else chunk.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901
        size += len(chunk)
        *lines, held = (held + chunk).split(b"\n")
        # Counted in pieces as they come: a server need never end its line.
        if len(held) > LINE_BYTES or size > ANSWER_BYTES:
            raise UnreadableAnswer(EngineReason.REMOTE_FLOOD)
        for line in lines:
            data = _data(line)
            if data == _DONE:
                return
            if data:
                yield parsed(data)
    # The last line need not end; half an object there is an answer that was cut, not nonsense.
    if data := _data(held):
        try:
            yield parsed(data)
        except UnreadableAnswer as error:
            raise UnreadableAnswer(EngineReason.REMOTE_CUT) from error


def _data(line: bytes) -> bytes:
    return line[5:].strip() if line.startswith(b"data:") else b""


def _text(value: object) -> str:
    """A text, or the parts of one."""
    if isinstance(value, list):
        parts = (each.get("text") for each in value if isinstance(each, dict))
        return "".join(plain(each) for each in parts if isinstance(each, str))
    return plain(value) if isinstance(value, str) else ""


def _number(value: object) -> int:
    # Compared before anything else is done with it: JSON has numbers that no float holds.
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 10**9:
        return 0
    return int(value)


def _written(call: _Call) -> StreamedCall:
    try:
        arguments = json.loads(call.arguments or "{}", parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        arguments = None
    return StreamedCall(call.name, arguments if isinstance(arguments, dict) else None)


def _refuse_constant(name: str) -> None:
    """NaN and Infinity are no JSON, and no tool's argument."""
    raise ValueError(name)
