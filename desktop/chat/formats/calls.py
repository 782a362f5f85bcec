"""Reads calls as models write them, whatever their family, and with the slips that small models make.

Nothing that is read is run: JSON, literals of Python, tags. `streaming.py` finds where one stands.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

NAME_KEYS = ("name", "function", "tool", "tool_name", "function_name", "action")
ARGUMENT_KEYS = ("arguments", "parameters", "args", "params", "input", "action_input", "kwargs")


# For models that manage nothing else: what stands in brackets, the tool, and its argument.
PATTERNS: Mapping[str, tuple[str, str]] = {
    "READ": ("read_file", "path"),
    "EXEC": ("run_command", "command"),
    "LIST": ("list_directory", "path"),
    "NOTE": ("save_note", "content"),
    "RECALL": ("recall_notes", "query"),
    "TIME": ("current_time", ""),
}

_PATTERN = re.compile(r"\[([A-Z]+)(?::\s*(.*?))?\s*\]", re.DOTALL)
_FUNCTION = re.compile(r"<function=([\w.:-]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_GEMMA = re.compile(r"call:\s*([\w.-]+)\s*\{(.*)\}", re.DOTALL)
GEMMA4_QUOTE = '<|"|>'
_BARE_NAME = re.compile(r"(^|[{,]\s*)([A-Za-z_][\w.-]*)\s*:")
_GEMMA_PART = re.compile(r"([\w.-]+)\s*:\s*(?:<escape>(.*?)<escape>|([^,]*))\s*(?:,|\Z)", re.DOTALL)


@dataclass(frozen=True)
class ParsedCall:
    """A call as it was written, but for halves of characters: JSON has them as `\\ud83d`, a grammar lets a
    model write them, and no file, database or line holds one.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Hardly any call has one: looked for before all of it is made anew.
        if "\\ud" in ascii(self.arguments):
            object.__setattr__(self, "arguments", _whole(self.arguments))


def _whole(value: Any) -> Any:
    """`value` with whole characters alone: two halves that belong together are one, others a mark."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return [_whole(each) for each in value] if isinstance(value, list | tuple) else value


def from_json(text: str) -> list[ParsedCall]:
    """An object, or a list of objects, that names a tool."""
    value = loads(text)
    values = value if isinstance(value, list) else [value]
    try:
        found = [_from_object(each) for each in values]
    except RecursionError:  # a name within a name within a name …
        return []
    return [each for each in found if each is not None] if all(found) else []


def loads(text: str) -> Any:
    """JSON with the slips that small models make: doubled braces, trailing commas, Python's words. None when
    it cannot be read."""
    tidy = text.strip()
    for attempt in (tidy, _single_braces(tidy), re.sub(r",\s*([}\]])", r"\1", tidy)):
        try:
            return json.loads(attempt, strict=False)
        # A small model that repeats itself under a grammar opens brackets until it is cut.
        except (ValueError, RecursionError):
            continue
    # True and None instead of true and null; literals only, nothing is run.
    try:
        return ast.literal_eval(tidy)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _single_braces(text: str) -> str:
    doubled = text.startswith("{{") and text.endswith("}}")
    return text[1:-1] if doubled else text.removeprefix("{") if text.startswith("{{") else text


def _from_object(value: Any) -> ParsedCall | None:
    if not isinstance(value, Mapping):
        return None
    name: Any = next((value[key] for key in NAME_KEYS if key in value), None)
    if isinstance(name, Mapping):  # {"function": {"name": …, "arguments": …}}
        return _from_object(name)
    arguments: Any = next((value[key] for key in ARGUMENT_KEYS if key in value), {})
    # Some write the arguments as JSON inside JSON.
    if isinstance(arguments, str):
        arguments = loads(arguments) if arguments.strip() else {}
    if not isinstance(name, str) or not name or not isinstance(arguments, Mapping | None):
        return None
    return ParsedCall(name, {str(key): item for key, item in (arguments or {}).items()})


def from_python(text: str) -> list[ParsedCall]:
    """`f(a="x")` or `[f(a="x"), g()]`, read as syntax and never run."""
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    nodes = body.elts if isinstance(body, ast.List | ast.Tuple) else [body]
    found = [_from_node(node) for node in nodes]
    return [each for each in found if each is not None] if found and all(found) else []


def _from_node(node: ast.expr) -> ParsedCall | None:
    # Without names it is not known which argument is meant.
    if not isinstance(node, ast.Call) or node.args:
        return None
    try:
        arguments = {each.arg: ast.literal_eval(each.value) for each in node.keywords if each.arg}
        name = ast.unparse(node.func)
    except (ValueError, TypeError, RecursionError):
        return None
    return ParsedCall(name, arguments) if re.fullmatch(r"[\w.]+", name) else None


def from_function_tag(text: str) -> list[ParsedCall]:
    """`<function=f><parameter=a>x</parameter></function>`, or JSON inside the tag."""
    found = []
    for name, body in _FUNCTION.findall(text):
        pairs = _PARAMETER.findall(body)
        inside = loads(body) if body.strip().startswith("{") else None
        arguments = inside if isinstance(inside, Mapping) else {key: _plain(each) for key, each in pairs}
        found.append(ParsedCall(name, arguments))
    return found


def from_gemma(text: str) -> list[ParsedCall]:
    """`call:f{a:<escape>x<escape>,b:3}`, or with `<|"|>` around texts, as Gemma 4 writes it."""
    match = _GEMMA.search(text)
    if match is None:
        return []
    if GEMMA4_QUOTE in match[2]:
        read = loads("{" + _as_json(match[2]) + "}")
        return [ParsedCall(match[1], read)] if isinstance(read, Mapping) else []
    parts = _GEMMA_PART.findall(match[2])
    arguments = {key: quoted or _plain(bare) for key, quoted, bare in parts if key}
    return [ParsedCall(match[1], arguments)]


def _as_json(text: str) -> str:
    """Gemma 4's arguments as JSON: its quotes become ours, and names outside of them are quoted."""
    parts = text.split(GEMMA4_QUOTE)
    # Every second part stands between quotes, and is nobody's syntax.
    for at, part in enumerate(parts):
        parts[at] = json.dumps(part) if at % 2 else _BARE_NAME.sub(r'\1"\2":', part)
    return "".join(parts)


def from_pattern(text: str) -> list[ParsedCall]:
    """`[READ: notes.txt]`."""
    match = _PATTERN.match(text.strip())
    if match is None or match[1] not in PATTERNS:
        return []
    name, argument = PATTERNS[match[1]]
    value = (match[2] or "").strip()
    return [ParsedCall(name, {argument: value} if argument and value else {})]


def read_any(text: str) -> list[ParsedCall]:
    """Those of whatever form: what stands between two tags, or in a fence, does not tell which it is."""
    bare = re.sub(r"^```\w*\n?|\n?```$", "", text.strip())
    readers: tuple[Callable[[str], list[ParsedCall]], ...] = (
        from_function_tag,
        from_json,
        from_gemma,
        from_python,
    )
    return next((calls for reader in readers if (calls := reader(bare))), [])


def _plain(text: str) -> Any:
    """A bare word as the value it looks like; otherwise the text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()


# -- where one ends, before all of it is there --------------------------------------------------


def may_give_arguments(text: str, ended: bool) -> bool:
    """Whether what follows the name of a tool that there is not makes it a call all the same."""
    found = re.match(r"\s*(?:,\s*(?:[\"'](\w*)([\"']?))?)?\Z|\s*,\s*[\"'](\w+)[\"']", text)
    if found is None:
        return False
    if found[3]:
        return found[3] in ARGUMENT_KEYS
    return not ended and any(each.startswith(found[1] or "") for each in ARGUMENT_KEYS)


def fence_end(body: str) -> int | None:
    """Where a fenced call ends, its closing fence included; None when that is still to come.

    A fence inside the JSON's own texts is none.
    """
    start = len(body) - len(body.lstrip())
    if body[start : start + 1] not in ("{", "["):
        at = body.find("```")
        return at + 3 if at >= 0 else None
    end = json_end(body, start)
    if end is None:
        return None
    rest = body[end:].lstrip()
    if rest.startswith("```"):
        return len(body) - len(rest) + 3
    return None if "```".startswith(rest) else end


def json_end(text: str, start: int = 0) -> int | None:
    """Where the first object or list of `text` ends; None when it does not."""
    depth, quoted, escaped = 0, False, False
    for at in range(max(start, 0), len(text)):
        character = text[at]
        if quoted:
            quoted = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
            if depth <= 0:
                return at + 1
    return None
