"""Writing the arguments of a call that was decided on, under a grammar, and refusing what was made up."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from desktop.chat.formats.family import Family
from desktop.chat.formats.found import Found
from desktop.chat.formats.grammar import arguments_grammar
from desktop.chat.formats.splitter import CallSplitter
from desktop.chat.grounding import grounded, invented_path, said_by_others
from desktop.chat.judging import Submit
from desktop.chat.thinking import ThinkingSplitter
from desktop.engine.requests import FinishReason, GenerateRequest, Message, Sampling, Stream
from desktop.tools.tool import Tool

APART_TEMPERATURE = 0.2
# "Here is the summary:" before what was asked for.
_LEAD_IN = re.compile(
    r"\A(?:sure|certainly|of course|okay|here|hier|gerne|natürlich|summary|zusammenfassung)\b"
    r"[^\n]{0,100}:\s*\n+(?=\S)",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\A```[\w-]*\n(.*?)\n?```\Z", re.DOTALL)

Told = Callable[[str], tuple[Message, ...]]


@dataclass(frozen=True)
class Apart:
    """An argument that is a whole text. `told` asks for it, given the first of the other arguments."""

    argument: str
    told: Told


@dataclass(frozen=True)
class Written:
    """The call, or None and `why`; `raw` is how the model wrote it."""

    call: Found | None
    raw: str
    why: str = ""


def write_call(
    submit: Submit, base: GenerateRequest, tool: Tool, family: Family, apart: Apart | None = None
) -> Written:
    """Have the model write the arguments of `tool` as the next thing in the conversation `base`."""
    inside = [each for each in tool.parameters if apart is None or each.name != apart.argument]
    start = family.opening + tool.name + family.between
    stream = submit(
        replace(
            base,
            answer_start=start,
            grammar=arguments_grammar(inside, family.style, family.closing),
            sampling=Sampling(temperature=0, max_tokens=base.sampling.max_tokens),
        )
    )
    written = _read(stream, base, tool, start)
    if written.call is None or apart is None:
        return written
    return _with_text(submit, base, written, apart)


def _read(stream: Stream, base: GenerateRequest, tool: Tool, start: str) -> Written:
    written = ""
    said = said_by_others(base.messages)
    for piece in stream:
        written += piece
        invented = invented_path(tool, written, said)
        if invented:
            stream.cancel()
            return Written(None, start + written, f"nobody named {invented}")
    raw = start + written
    splitter = CallSplitter((tool.name,))
    splitter.feed(raw)
    splitter.finish()
    if not splitter.calls:
        return Written(None, raw, "it was cut")
    return Written(grounded(tool, splitter.calls[0], said), raw)


def _with_text(submit: Submit, base: GenerateRequest, written: Written, apart: Apart) -> Written:
    assert written.call is not None
    sampling = replace(base.sampling, temperature=min(base.sampling.temperature, APART_TEMPERATURE))
    asked = apart.told(next(map(str, written.call.arguments.values()), ""))
    stream = submit(GenerateRequest(f"{base.conversation} text", asked, sampling, base.priority))
    thinking = ThinkingSplitter()
    text = thinking.feed(stream.text()).text + thinking.finish().text
    if stream.finish is not FinishReason.STOP:
        return Written(None, written.raw, "it was cut")
    arguments = {**written.call.arguments, apart.argument: _bare(text)}
    return Written(Found(written.call.name, arguments), written.raw)


def _bare(text: str) -> str:
    """A text without the words that a model says before it, and without the fence around code."""
    bare = _LEAD_IN.sub("", text.strip(), count=1).strip()
    fenced = _FENCE.match(bare)
    return fenced[1] if fenced is not None else bare
