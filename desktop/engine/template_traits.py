"""What a chat template can do, found out by rendering it: nothing is taken from the name of a model.

A template may speak of tools and show none, write calls in a form that its text does not spell out, or begin
a thought that only a switch ends. So a small conversation is rendered, with a tool and a call in it, and what
comes out is looked at. It takes some milliseconds, and is kept for each template.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from desktop.engine.jinja_limits import LimitedTemplate

log = structlog.get_logger(__name__)

TEMPLATES_KEPT = 8  # models between which somebody may switch
AROUND = 60  # characters on each side of a call: the longest marks have some thirty

# Words that no template has of its own.
_TOOL, _ARGUMENT, _VALUE, _LINE = "probe_tool", "probe_argument", "probe value", "probe_line(argument: str)"
_SCHEMA: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": _TOOL,
        "description": "Probes.",
        "parameters": {
            "type": "object",
            "properties": {_ARGUMENT: {"type": "string", "description": "What to probe."}},
            "required": [_ARGUMENT],
        },
    },
}
_SYSTEM = {"role": "system", "content": "Be kind."}
_USER = {"role": "user", "content": "Hello"}
_CALL = {
    "role": "assistant",
    "content": "",
    "tool_calls": [{"type": "function", "function": {"name": _TOOL, "arguments": {_ARGUMENT: _VALUE}}}],
}


@dataclass(frozen=True)
class TemplateTraits:
    """`shows_tools`: as JSON schemas; `takes_lines`: a line of text instead of each, too. `call` is how the
    template writes a call, with some of what stands around it, "" where it writes none. `can_think`: there is
    a thought to be had, which `enable_thinking` or the template itself begins."""

    shows_tools: bool = False
    takes_lines: bool = False
    call: str = ""
    can_think: bool = False


@lru_cache(maxsize=TEMPLATES_KEPT)
def traits_of(source: str | None) -> TemplateTraits:
    """What the template `source` of a model file does; nothing where it cannot be rendered, for then a plain
    one takes its place. Any thread."""
    if not source:
        return TemplateTraits()
    from desktop.engine.jinja_limits import LimitedTemplate

    try:
        template = LimitedTemplate(source)
    except Exception as error:
        log.debug("chat template cannot be read", reason=str(error))
        return TemplateTraits()
    plain = _rendered(template, [_SYSTEM, _USER]) or _rendered(template, [_USER])
    thinking = _rendered(template, [_SYSTEM, _USER], enable_thinking=True)
    listed = _rendered(template, [_SYSTEM, _USER], tools=[_SCHEMA])
    return TemplateTraits(
        shows_tools=_TOOL in listed,
        takes_lines=_LINE in _rendered(template, [_SYSTEM, _USER], tools=[_LINE]),
        call=_call_in(_rendered(template, [_SYSTEM, _USER, _CALL, _USER], tools=[_SCHEMA])),
        # A switch that changes the prompt, or a tag in what the template writes by itself.
        can_think=bool(thinking) and (thinking != plain or "<think" in source),
    )


def _rendered(
    template: LimitedTemplate,
    messages: Sequence[Mapping[str, Any]],
    tools: Sequence[Any] = (),
    enable_thinking: bool = False,
) -> str:
    """The prompt, "" where the template refuses."""
    values = {"bos_token": "", "eos_token": "", "enable_thinking": enable_thinking}
    # No tools are None in the library that templates are written for; some only ask for the name.
    offers: tuple[dict[str, Any], ...] = ({"tools": list(tools)},) if tools else ({"tools": None}, {})
    for offered in offers:
        try:
            return template.render(messages=list(messages), add_generation_prompt=True, **values, **offered)
        except Exception as error:
            log.debug("chat template refused", reason=str(error))
    return ""


def _call_in(said: str) -> str:
    """What stands around the value of the call, which is nowhere else in the prompt."""
    at = said.find(_VALUE)
    # The name before the value is the call's own: that in the list of tools stands further up.
    named = said.rfind(_TOOL, 0, max(at, 0))
    return said[max(named - AROUND, 0) : at + len(_VALUE) + AROUND] if named >= 0 else ""
