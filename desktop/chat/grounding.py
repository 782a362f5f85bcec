"""What a small model wrote as arguments, held against what was really said.

It fills in everything that a schema offers, whether anybody has named it or not, and it forgets that
112.07 W is a negative number. Nothing here guesses: values are left out or signed, never made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from desktop.chat.formats.found import Found
from desktop.engine.requests import Message
from desktop.gate.verdict import Effect
from desktop.tools.tool import Kind, Parameter, Tool

STEM = 5  # letters that tell a word, whatever its ending
SHORT = 3  # a word of so few letters may be a unit or a code for what was said at length
_RELATIVE = re.compile(
    r"\b(?:today|tomorrow|yesterday|tonight|now|next|last|this|ago|heute|morgen|gestern|jetzt|nächste\w*|letzte\w*)\b"
)


def said_by_others(messages: Sequence[Message]) -> str:
    """What the user wrote and what tools gave: where the values of a call can come from."""
    texts = (message.content for message in messages if message.role not in ("system", "assistant"))
    return "\n".join(texts)


def invented_path(tool: Tool, written: str, said: str) -> str:
    """A file that must be named, and that nobody has named; "" as long as there is none.

    `written` is the beginning of the call. Small models make names up where none was given: "Write a poem"
    becomes a call that writes poem.txt.
    """
    for parameter in tool.parameters:
        if parameter.is_path and parameter.required:
            match = re.search(rf'"{parameter.name}": "((?:[^"\\]|\\.)*)"', written)
            if match is not None and not _is_named(match[1], said, tool.effect is Effect.READ):
                return match[1]
    return ""


def with_files(tool: Tool, argument: str, names: Sequence[str]) -> Tool:
    """`tool` with only `names` to choose from as `argument`; as it is where nothing is named."""
    if not argument or not names:
        return tool
    parameters = tuple(
        replace(each, choices=tuple(names)) if each.name == argument else each for each in tool.parameters
    )
    return replace(tool, parameters=parameters)


def grounded(tool: Tool, found: Found, said: str) -> Found:
    """The call without optional values that nobody has named, and with coordinates signed."""
    by_name = {each.name: each for each in tool.parameters}
    kept = {
        key: _as_said(value, said) if key in by_name and by_name[key].is_path else _signed(value, said)
        for key, value in found.arguments.items()
        if key not in by_name or by_name[key].required or _was_said(by_name[key], value, said)
    }
    return Found(found.name, kept)


def _was_said(parameter: Parameter, value: Any, said: str) -> bool:
    if parameter.is_path:
        return _is_named(str(value), said, stem_will_do=True)
    if parameter.kind is not Kind.STRING or parameter.choices or not isinstance(value, str):
        return True
    text = said.casefold()
    numbers = [number.lstrip("0") for number in re.findall(r"\d+", value)]
    words = [word for word in re.findall(r"[^\W\d_]+", value.casefold()) if len(word) > 1]
    named = _any(numbers, text) or (bool(numbers) and _RELATIVE.search(text) is not None)
    if not words:
        return named or not numbers
    told = any(len(word) <= SHORT for word in words) or _any((word[:STEM] for word in words), text)
    return told and (named or not numbers)


def _any(parts: Iterable[str], text: str) -> bool:
    return any(part in text for part in parts if part)


def _is_named(path: str, said: str, stem_will_do: bool) -> bool:
    """Whether `said` has the name at the end of `path`; to read, "the report" will do for report.md."""
    text = said.casefold()
    name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].casefold()
    stem = name.rsplit(".", 1)[0] if stem_will_do else name
    return name in ("", ".", "~") or name in text or stem in text


def _as_said(path: Any, said: str) -> Any:
    """`path` without folders before it that nobody has named: photos of /home/user/photos."""
    if not isinstance(path, str):
        return path
    parts = path.replace("\\", "/").split("/")
    for start in range(len(parts)):
        rest = "/".join(parts[start:])
        if rest and rest.casefold() in said.casefold():
            return path if start == 0 else rest
    return path


def _signed(value: Any, said: str) -> Any:
    """112.07 as -112.07 where "112.0700 W" or "33.4° S" was said."""
    if isinstance(value, list):
        return [_signed(each, said) for each in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return value
    for number in re.findall(r"(?<![\d.-])(\d+(?:\.\d+)?)\s*°?\s*[WS]\b", said):
        if float(number) == value:
            return -value
    return value
