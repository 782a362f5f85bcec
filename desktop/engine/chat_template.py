"""Chat templates: messages in, pieces of prompt out, each piece marked as ours or as somebody's text.

The template of the model file is rendered with placeholders where contents belong, and the result is split at
the placeholders. Only what the template itself wrote may become control tokens, so no message and no tool
description can speak with the template's voice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import structlog

from desktop.engine.requests import Message, SaidCall

if TYPE_CHECKING:
    from desktop.engine.jinja_limits import LimitedTemplate

log = structlog.get_logger(__name__)


# Private-use characters: a placeholder is OPEN number CLOSE; the JSON filter turns OPEN into OPEN_JSON.
OPEN, CLOSE, OPEN_JSON = "\ue0f0", "\ue0f1", "\ue0f2"

_PLACEHOLDER = re.compile(f"([{OPEN}{OPEN_JSON}])([0-9]+){CLOSE}")
_NAME = re.compile(r"[\w.-]{1,64}")
_ROLE = re.compile(r"[a-z_]{1,32}")

# A prompt that ends so has begun a thought for the model.
_OPEN_THOUGHT = re.compile(r"<think(?:ing)?>\s*\Z")
NO_THOUGHT = "\n</think>\n\n"


@dataclass(frozen=True)
class Segment:
    """A piece of prompt. `trusted`: written by the template. `message`: the index of the message it shows."""

    text: str
    trusted: bool
    message: int | None = None


@dataclass(frozen=True)
class Rendered:
    """A whole prompt. `stop` texts end an answer where the model has no token for it. `is_thinking`: it ends
    inside a thought, whose opening tag the model will therefore not write."""

    segments: tuple[Segment, ...]
    stop: tuple[str, ...] = ()

    @property
    def is_thinking(self) -> bool:
        last = self.segments[-1] if self.segments else None
        return last is not None and last.trusted and _OPEN_THOUGHT.search(last.text) is not None

    def without_thought(self) -> Rendered:
        """The prompt with a thought that the template has begun ended at once."""
        if not self.is_thinking:
            return self
        last = replace(self.segments[-1], text=self.segments[-1].text.rstrip() + "\n" + NO_THOUGHT)
        return replace(self, segments=(*self.segments[:-1], last))


class TemplateFailed(Exception):
    """This way of writing the messages does not work with this template."""


class TemplateOverLimit(TemplateFailed):
    """The template never ends, or eats memory: no other way is tried with it."""


@dataclass
class _Contents:
    """The texts behind the placeholders of one rendering."""

    texts: list[tuple[str, int | None]] = field(default_factory=list)

    def hide(self, text: str, message: int | None) -> str:
        """A placeholder for `text`; white space at its ends stays, because templates strip it."""
        core = text.strip()
        if not core:
            return text
        start = text.index(core)
        self.texts.append((core, message))
        placeholder = f"{OPEN}{len(self.texts) - 1}{CLOSE}"
        return text[:start] + placeholder + text[start + len(core) :]


class ChatTemplate:
    """Renders conversations for one model. Engine thread."""

    def __init__(
        self,
        source: str | None,
        architecture: str = "",
        begin_text: str = "",
        end_text: str = "",
        control_texts: tuple[str, ...] = (),
    ) -> None:
        """`source` None takes a plain one that suits `architecture`. `control_texts` guards tool lists."""
        self._fallback = fallback_for(architecture, control_texts)
        self._source = source
        self._globals = {"bos_token": begin_text, "eos_token": end_text}
        # Only a text with a character that begins a control token could become one. The rest of a tool list
        # stays readable, because templates look into it.
        self._risky = {OPEN, OPEN_JSON} | {text[0] for text in control_texts if text}
        self._compiled: LimitedTemplate | None = None
        self.trouble = ""  # why the model's own template is not used, as the end of a sentence

    def try_out(self) -> None:
        """Render a small conversation, so that `trouble` is known before the first question."""
        self.render([Message("system", "kind"), Message("user", "Hello")])

    def render(
        self,
        messages: Sequence[Message],
        tools: Sequence[Mapping[str, Any] | str] = (),
        thinks: bool = False,
    ) -> Rendered:
        """The prompt for the next answer, which may begin with a thought where it `thinks`. Falls back to
        simpler ways of saying the same, never leaves a message out."""
        rendered = self._rendered(messages, tools, thinks)
        # Models that only ever think have no switch: their template begins a thought whatever it is told.
        return rendered if thinks else rendered.without_thought()

    def _rendered(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any] | str], thinks: bool
    ) -> Rendered:
        for message in messages:
            if not _ROLE.fullmatch(message.role):
                raise ValueError(f"{message.role!r} is not a role")
        if self._source is not None:
            # From the most faithful to the plainest: some templates know no system role, and some insist on
            # taking turns.
            variants = (_as_given, _system_folded, _strictly_alternating)
            for variant in (_with_calls, *variants) if any(each.call for each in messages) else variants:
                try:
                    return Rendered(self._segments(variant(messages), tools, thinks))
                except TemplateFailed as error:
                    log.debug("chat template refused", variant=variant.__name__, reason=str(error))
                    reason = str(error)
                    # What computes without end with these messages does so with any: no other way is tried.
                    if isinstance(error, TemplateOverLimit):
                        break
            if not self.trouble:
                log.warning("a plain chat template takes the place of the model's own", reason=reason)
            self.trouble = reason
        return self._plain(messages)

    def _segments(
        self, parts: Sequence[_Parts], tools: Sequence[Mapping[str, Any] | str], thinks: bool
    ) -> tuple[Segment, ...]:
        contents = _Contents()
        shown = [part.shown(contents) for part in parts]
        wanted = len(contents.texts)
        guarded = [self._guarded(tool, contents) for tool in tools]
        values = {"messages": shown, "enable_thinking": thinks}
        try:
            text = self._run({**values, "tools": guarded or None})
        except TemplateOverLimit:
            raise
        except TemplateFailed:
            if guarded:
                raise
            # No tools are None in the library that templates are written for; some only ask whether there is
            # such a name, and go through it.
            text = self._run(values)
        _refuse_losses(text, wanted, len(contents.texts))
        return tuple(_split(text, contents))

    def _run(self, values: Mapping[str, Any]) -> str:
        from desktop.engine.jinja_limits import LimitedTemplate, OverLimit

        try:
            if self._compiled is None:
                self._compiled = LimitedTemplate(self._source or "", _escaped)
            return self._compiled.render(**values, add_generation_prompt=True, **self._globals)
        except OverLimit as error:
            self._source = None
            raise TemplateOverLimit(str(error)) from error
        except Exception as error:  # a stranger's program: it may raise anything
            raise TemplateFailed(str(error) or type(error).__name__) from error

    def _guarded(self, value: Any, contents: _Contents) -> Any:
        """`value` with a placeholder for each text in it that could be part of a control token."""
        if isinstance(value, str):
            return contents.hide(value, None) if self._risky & set(value) else value
        if isinstance(value, Mapping):
            return {
                self._guarded(key, contents): self._guarded(item, contents) for key, item in value.items()
            }
        if isinstance(value, Sequence):
            return [self._guarded(item, contents) for item in value]
        return value

    def _plain(self, messages: Sequence[Message]) -> Rendered:
        plain = self._fallback
        segments: list[Segment] = []
        for index, message in enumerate(messages):
            before, after = plain.around(message.role)
            segments += [Segment(before, True), Segment(message.content, False, index), Segment(after, True)]
        segments.append(Segment(plain.answer, True))
        return Rendered(tuple(_joined(segments)), plain.stop)


@dataclass(frozen=True)
class _Parts:
    """A message as a template gets it: one or more of the caller's messages under one role."""

    role: str
    texts: tuple[tuple[str, int], ...]  # content and index of the message

    call: SaidCall | None = None
    tool: str = ""

    def shown(self, contents: _Contents) -> dict[str, Any]:
        """What the template gets, with placeholders for all that somebody else has written."""
        index = self.texts[0][1]
        if self.call is not None:
            name = contents.hide(self.call.name, index)
            function = {"name": name, "arguments": _hidden(self.call.arguments, contents, index)}
            return {
                "role": self.role,
                "content": "",
                "tool_calls": [{"type": "function", "function": function}],
            }
        content = "\n\n".join(contents.hide(text, index) for text, index in self.texts)
        # As it is, because many templates do not write it; a name that is a name can be no control token.
        named = {"name": self.tool} if _NAME.fullmatch(self.tool) else {}
        return {"role": self.role, "content": content, **named}


def _hidden(value: Any, contents: _Contents, index: int) -> Any:
    """`value` with a placeholder for each text in it."""
    if isinstance(value, str):
        return contents.hide(value, index)
    if isinstance(value, Mapping):
        return {str(key): _hidden(item, contents, index) for key, item in value.items()}
    return [_hidden(item, contents, index) for item in value] if isinstance(value, list | tuple) else value


def _with_calls(messages: Sequence[Message]) -> list[_Parts]:
    """For templates that write calls themselves: they get them as calls, not as text."""
    return [
        _Parts(message.role, ((message.content, index),), message.call, message.tool)
        for index, message in enumerate(messages)
    ]


def _as_given(messages: Sequence[Message]) -> list[_Parts]:
    return [_Parts(message.role, ((message.content, index),)) for index, message in enumerate(messages)]


def _system_folded(messages: Sequence[Message]) -> list[_Parts]:
    """The messages for a template without a system role: its text begins the first user message."""
    parts = _as_given(messages)
    system = tuple(text for part in parts if part.role == "system" for text in part.texts)
    rest = [part for part in parts if part.role != "system"]
    for place, part in enumerate(rest):
        if part.role == "user":
            rest[place] = replace(part, texts=system + part.texts)
            return rest
    return [_Parts("user", system), *rest] if system else rest


def _strictly_alternating(messages: Sequence[Message]) -> list[_Parts]:
    """For templates that insist on taking turns: neighbours are joined, other roles are the user's."""
    joined: list[_Parts] = []
    for part in _system_folded(messages):
        role = part.role if part.role == "assistant" else "user"
        if joined and joined[-1].role == role:
            joined[-1] = replace(joined[-1], texts=joined[-1].texts + part.texts)
        else:
            joined.append(replace(part, role=role))
    if joined and joined[0].role == "assistant":
        # Such templates insist that the user begins.
        joined.insert(0, _Parts("user", (("…", 0),)))
    return joined


def _split(text: str, contents: _Contents) -> Iterator[Segment]:
    place = 0
    for found in _PLACEHOLDER.finditer(text):
        if found.start() > place:
            yield Segment(text[place : found.start()], True)
        content, message = contents.texts[int(found[2])]
        # Behind the JSON filter the content stands inside a string, so it is escaped as there.
        yield Segment(content if found[1] == OPEN else _inside_json(content), False, message)
        place = found.end()
    if place < len(text):
        yield Segment(text[place:], True)


def _refuse_losses(text: str, wanted: int, known: int) -> None:
    # A template may leave a message out, or write a placeholder of its own: either way the model would read
    # other words than those that were sent.
    shown = {int(found[2]) for found in _PLACEHOLDER.finditer(text)}
    lost = set(range(wanted)) - shown
    if any(number >= known for number in shown):
        raise TemplateFailed("the template writes placeholders of its own")
    if lost:
        raise TemplateFailed(f"{len(lost)} messages are not in the prompt")


def _joined(segments: Sequence[Segment]) -> Iterator[Segment]:
    """Neighbouring trusted segments as one, so that they are tokenized as one."""
    pending = ""
    for segment in segments:
        if segment.trusted:
            pending += segment.text
            continue
        if pending:
            yield Segment(pending, True)
        pending = ""
        if segment.text:
            yield segment
    if pending:
        yield Segment(pending, True)


def _escaped(text: str) -> str:
    """In JSON a placeholder stands for the text as JSON writes it."""
    return text.replace(OPEN, OPEN_JSON)


def _inside_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


@dataclass(frozen=True)
class PlainTemplate:
    """Text around each message by role; `other` stands in for roles not named."""

    user: tuple[str, str]
    assistant: tuple[str, str]
    system: tuple[str, str]
    answer: str  # what begins the answer
    stop: tuple[str, ...] = ()

    def around(self, role: str) -> tuple[str, str]:
        """What is written before and after a message of `role`."""
        known = {"system": self.system, "assistant": self.assistant}
        return known.get(role, self.user)


CHATML = PlainTemplate(
    user=("<|im_start|>user\n", "<|im_end|>\n"),
    assistant=("<|im_start|>assistant\n", "<|im_end|>\n"),
    system=("<|im_start|>system\n", "<|im_end|>\n"),
    answer="<|im_start|>assistant\n",
    stop=("<|im_end|>", "<|im_start|>"),
)

GEMMA = PlainTemplate(
    user=("<start_of_turn>user\n", "<end_of_turn>\n"),
    assistant=("<start_of_turn>model\n", "<end_of_turn>\n"),
    system=("<start_of_turn>user\n", "<end_of_turn>\n"),
    answer="<start_of_turn>model\n",
)

PHI2 = PlainTemplate(
    user=("Instruct: ", "\n"),
    assistant=("Output: ", "\n"),
    system=("", "\n"),
    answer="Output:",
    stop=("\nInstruct:",),
)

PLAIN = PlainTemplate(
    user=("User: ", "\n"),
    assistant=("Assistant: ", "\n"),
    system=("", "\n\n"),
    answer="Assistant:",
    stop=("\nUser:",),
)


def fallback_for(architecture: str, control_texts: tuple[str, ...]) -> PlainTemplate:
    """The one whose marks this vocabulary knows, else the one its family was trained on, else plain words."""
    # By the vocabulary first: a mark that is no token of it would be read letter by letter.
    if "<|im_start|>" in control_texts:
        return CHATML
    if "<start_of_turn>" in control_texts:
        return GEMMA
    return PHI2 if architecture == "phi2" else PLAIN
