"""Writing the arguments of a call that was decided on, under a grammar, and refusing what was made up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop.chat.formats.family import Family
from desktop.chat.formats.found import Found
from desktop.chat.formats.grammar import arguments_grammar
from desktop.chat.formats.splitter import CallSplitter
from desktop.chat.judging import Submit
from desktop.engine.requests import GenerateRequest, Message, Sampling
from desktop.gate.verdict import Effect
from desktop.tools.tool import Tool


@dataclass(frozen=True)
class Written:
    """The call, or None and `why`; `raw` is how the model wrote it."""

    call: Found | None
    raw: str
    why: str = ""


def write_call(submit: Submit, base: GenerateRequest, tool: Tool, family: Family) -> Written:
    """Have the model write the arguments of `tool` as the next thing in the conversation `base`."""
    start = family.opening + tool.name + family.between
    stream = submit(
        replace(
            base,
            answer_start=start,
            grammar=arguments_grammar(tool.parameters, family.style, family.closing),
            sampling=Sampling(temperature=0, max_tokens=base.sampling.max_tokens),
        )
    )
    written = ""
    said = said_by_others(base.messages)
    for piece in stream:
        written += piece
        invented = _invented_path(tool, written, said)
        if invented:
            stream.cancel()
            return Written(None, start + written, f"nobody named {invented}")
    raw = start + written
    splitter = CallSplitter((tool.name,))
    splitter.feed(raw)
    splitter.finish()
    if not splitter.calls:
        return Written(None, raw, "it was cut")
    return Written(_without_invented(tool, splitter.calls[0], said), raw)


def said_by_others(messages: Sequence[Message]) -> str:
    """What the user wrote and what tools gave: where the name of a file can come from."""
    texts = (message.content for message in messages if message.role not in ("system", "assistant"))
    return "\n".join(texts).casefold()


def _invented_path(tool: Tool, written: str, said: str) -> str:
    """A file that must be named, and that nobody has named; "" as long as there is none.

    Small models make names up where none was given: "Write a poem" becomes a call that writes poem.txt.
    """
    for parameter in tool.parameters:
        if parameter.is_path and parameter.required:
            match = re.search(rf'"{parameter.name}": "((?:[^"\\]|\\.)*)"', written)
            if match is not None and not _is_named(match[1], said, tool.effect is Effect.READ):
                return match[1]
    return ""


def _is_named(path: str, said: str, stem_will_do: bool) -> bool:
    """Whether `said` has the name at the end of `path`; to read, "the report" will do for report.md."""
    name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].casefold()
    stem = name.rsplit(".", 1)[0] if stem_will_do else name
    return name in ("", ".", "~") or name in said or stem in said


def _without_invented(tool: Tool, found: Found, said: str) -> Found:
    """An optional path that nobody has named is left out: the tool knows where to look."""
    optional = {each.name for each in tool.parameters if each.is_path and not each.required}
    kept = {
        key: value
        for key, value in found.arguments.items()
        if key not in optional or _is_named(str(value), said, stem_will_do=True)
    }
    return Found(found.name, kept)
