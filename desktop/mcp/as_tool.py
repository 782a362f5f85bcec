"""A tool of a server as a tool of Steward's: its parameters, its plan for the gate, its result as text.

The schema of a server may say more than a small model writes well: `null` is dropped from a choice of types,
defaults go with it, and what is nested stays an object whose inside only the server checks.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from desktop.asking import NetworkUse
from desktop.chat.formats.json_schema import SchemaRefused, schema_grammar
from desktop.chat.tool_args import values_in_prose
from desktop.gate.verdict import Flag
from desktop.mcp.access import Access, ServerReach
from desktop.mcp.pins import ToolPin, short
from desktop.mcp.reasons import McpReason
from desktop.mcp.request_words import acting_words
from desktop.mcp.wire import one_line, plain_text
from desktop.tools.tool import PATHS, Parameter, ParameterType, Plan, Running, Tool, ToolHint, ToolResult

log = structlog.get_logger(__name__)

LONGEST_RESULT = 16_000  # characters, as everywhere
# What programs say where the system keeps them from a file or from the network.
_OF_CONFINEMENT = re.compile(
    r"(?i)permission|EACCES|EPERM|EROFS|read-only|not permitted|denied|connect|resolve|network|unreachable"
)
RUNNING = "\0running"  # no parameter of a server's has that name: it may call its own ones anything
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")
_KINDS = {each.value: each for each in ParameterType}
_WORDS = re.compile(r"[^\W\d_][^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+")

# The server, the tool, the arguments and the call: runs it, and returns the `result` of the protocol.
Call = Callable[[str, str, Mapping[str, Any], Running], Mapping[str, Any]]


@dataclass(frozen=True)
class ServedTool:
    """One tool with its server. `fixed` are arguments from the settings, which the model is not asked for."""

    server: str
    pin: ToolPin
    access: Access
    fixed: Mapping[str, str]
    home: str = ""  # of the server: its command or its address

    @property
    def gate_name(self) -> str:
        """As coding agents name it too, so that one rule holds for both."""
        return f"mcp__{self.server}__{self.pin.name}"

    @property
    def fingerprint(self) -> str:
        """What a grant is tied to: what the tool says, and what its server is and may do."""
        parts = (
            self.pin.digest,
            self.server,
            self.home,
            self.access.reach.value,
            *map(str, self.access.folders),
        )
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def name_of(served: ServedTool, taken: set[str]) -> str:
    """What the model calls it: its own name, with that of its server where it is taken."""
    plain = _UNFIT.sub("_", served.pin.name).strip("_.-") or "tool"
    if plain not in taken:
        return plain
    return f"{served.server}_{plain}"


def acts(served: ServedTool) -> bool:
    """Whether its name says that it does something, rather than look. What it *may* do is `access` alone:
    this only helps to choose, and to tell its result."""
    server = set(words_in(served.server))
    first = next((each for each in words_in(served.pin.name) if each not in server), "")
    return first in acting_words()


def as_tool(
    name: str,
    served: ServedTool,
    call: Call,
    words: str = "",
    can_keep: Callable[[], bool] = lambda: True,
    is_alone: bool = False,
) -> Tool:
    """`name` is what the model calls it, `words` a regular expression: those of a request that speak for it.
    `can_keep` says whether its folders can be kept before a call; asked only where it may write. `is_alone`:
    the request means its server and none of Steward's own tools."""
    access, pin = served.access, served.pin

    def plan(**_given: Any) -> Plan:
        return _plan(served, access.reach is ServerReach.WRITES and can_keep())

    def function(**given: Any) -> ToolResult:
        running = given.pop(RUNNING)
        result = call(served.server, pin.name, {**given, **_fixed(served)}, running)
        return ToolResult(result_text(served, result), exit_code=1 if result.get("isError") is True else None)

    return Tool(
        name,
        pin.summary,
        parameters_of(pin.schema, served.fixed),
        function,
        access.effect,
        access.flags,
        plan,
        # Whatever its server may do, its words are not the user's.
        untrusted_result=True,
        wants={RUNNING: "running"},
        hint=ToolHint(words, alone=is_alone, tells=acts(served)),
        shown_schema=nested_schema(pin.schema, served.fixed),
        gate_name=served.gate_name,
    )


def _plan(served: ServedTool, is_kept: bool) -> Plan:
    """`is_kept`: what it may write to is copied first, so that Undo brings it back."""
    access, names = served.access, {"tool": served.pin.name, "server": served.server}
    said = served.pin.summary
    # Another sentence follows: most servers write none of their own stops.
    said = said if said.endswith((".", "!", "?", "…")) else f"{said}."
    writes = bool(access.folders) and access.reach in (ServerReach.WRITES, ServerReach.SENDS)
    return Plan(
        McpReason.CALL_TITLE.of(**names),
        McpReason.CALL_SAYS.of(said=said, access=access.in_words(), **names),
        access.effect,
        access.flags,
        touched=tuple(map(str, access.folders)) if writes else (),
        reversible=None if access.reach is ServerReach.READS else is_kept,
        source=str(McpReason.CALL_SOURCE.of(**names)),
        network=NetworkUse.USES if Flag.SENDS in access.flags else None,
        hosts=(access.host,) if access.host else (),
        warning=None if is_kept or access.reach is not ServerReach.WRITES else McpReason.CALL_NOT_KEPT.of(),
        # What nothing holds is asked about each time: no yes is offered that would last.
        pin=served.fingerprint if access.lasts else "",
    )


def _fixed(served: ServedTool) -> dict[str, str]:
    known = served.pin.schema.get("properties") or {}
    return {name: value for name, value in served.fixed.items() if name in known}


# -- parameters ------------------------------------------------------------------------------------


def parameters_of(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> tuple[Parameter, ...]:
    """The parameters that the model is to fill in."""
    properties = schema.get("properties") or {}
    listed = schema.get("required")
    required = {each for each in listed if isinstance(each, str)} if isinstance(listed, list) else set()
    return tuple(
        _parameter(name, about if isinstance(about, dict) else {}, name in required)
        for name, about in properties.items()
        if isinstance(name, str) and name and name not in fixed and one_line(name, 100) == name
    )


def nested_schema(schema: Mapping[str, Any], fixed: Mapping[str, str]) -> dict[str, Any] | None:
    """The schema for the grammar of the arguments, where parameters hold objects whose inside matters: a
    list of entities, each with a name and a type. None where parameters say all, or no grammar can be made
    of it."""
    properties = schema.get("properties") or {}
    made = parameters_of(schema, fixed)
    if not any(ParameterType.OBJECT in (each.kind, each.items) for each in made):
        return None
    wanted = {each.name: properties[each.name] for each in made}
    required = [each.name for each in made if each.required]
    shown = {**schema, "type": "object", "properties": wanted, "required": required}
    try:
        # Strangers write these: what is too large or too ambiguous for a grammar is refused here, once.
        schema_grammar(shown)
    except SchemaRefused as error:
        log.info("a server's schema is no grammar", reason=str(error))
        return None
    return shown


def _parameter(name: str, about: Mapping[str, Any], required: bool) -> Parameter:
    kind, said = _kind(about)
    items = said.get("items")
    of_items = _kind(items)[0] if kind is ParameterType.ARRAY and isinstance(items, dict) else None
    described = plain_text(about.get("description"), 2000)
    choices = _choices(said, kind)
    # "('local'), remote branches ('remote') or all": said in prose alone.
    if kind is ParameterType.STRING and not choices and not {"enum", "format"} & set(said):
        choices = values_in_prose(described)
    return Parameter(
        name,
        kind,
        required,
        short(described),
        choices,
        is_path=name in PATHS and kind is ParameterType.STRING,
        items=of_items,
        is_address=said.get("format") in ("uri", "url"),
    )


def _kind(about: Mapping[str, Any]) -> tuple[ParameterType, Mapping[str, Any]]:
    """The type, and where the rest of it is said; text where nothing is said."""
    said = about.get("type")
    if isinstance(said, list):
        said = next((each for each in said if each != "null"), "string")
    if isinstance(said, str) and said in _KINDS:
        return _KINDS[said], about
    for word in ("anyOf", "oneOf"):
        ways = about.get(word)
        for each in ways if isinstance(ways, list) else ():
            if isinstance(each, dict) and each.get("type") not in (None, "null"):
                return _kind(each)
    return (ParameterType.OBJECT if "properties" in about or "$ref" in about else ParameterType.STRING), about


def _choices(about: Mapping[str, Any], kind: ParameterType) -> tuple[Any, ...]:
    """What may be chosen, where that is a short list of plain values."""
    given = about.get("enum")
    if not isinstance(given, list) or kind not in (
        ParameterType.STRING,
        ParameterType.INTEGER,
        ParameterType.NUMBER,
    ):
        return ()
    plain = tuple(
        each for each in given if isinstance(each, str | int | float) and not isinstance(each, bool)
    )
    return plain if len(plain) == len(given) <= 50 else ()


# -- results ---------------------------------------------------------------------------------------


def result_text(served: ServedTool, result: Mapping[str, Any]) -> str:
    """What the model is given, at most 16,000 characters; pictures and sounds are named, not shown."""
    content = result.get("content")
    parts = [_part(each) for each in content if isinstance(each, dict)] if isinstance(content, list) else []
    text = "\n".join(each for each in parts if each)
    if not text and isinstance(result.get("structuredContent"), dict):
        text = plain_text(_written(result["structuredContent"]), LONGEST_RESULT)
    text = text or str(McpReason.CALL_EMPTY.of())
    if result.get("isError") is True:
        # No failure of ours: it is text of the server's, and taints like any other.
        lines = [str(McpReason.CALL_REPORTS_ERROR.of(server=served.server)), text]
        if served.access.is_confined and _OF_CONFINEMENT.search(text):
            # It cannot know what refuses it a file or an address, and the user may not remember.
            lines.append(str(McpReason.CALL_HELD.of(server=served.server, access=served.access.in_words())))
        text = "\n".join(lines)
    return text[:LONGEST_RESULT]


def _part(part: Mapping[str, Any]) -> str:
    match part.get("type"):
        case "text":
            return plain_text(part.get("text"), LONGEST_RESULT)
        case "image":
            return str(McpReason.PART_IMAGE.of(kind=_mime(part), size=_size_bytes(part.get("data"))))
        case "audio":
            return str(McpReason.PART_SOUND.of(kind=_mime(part), size=_size_bytes(part.get("data"))))
        case "resource_link":
            return str(
                McpReason.PART_LINK.of(
                    name=one_line(part.get("name"), 100), uri=one_line(part.get("uri"), 300)
                )
            )
        case "resource":
            inside = part.get("resource")
            return _resource(inside) if isinstance(inside, dict) else ""
    return ""


def _resource(inside: Mapping[str, Any]) -> str:
    if isinstance(inside.get("text"), str):
        return plain_text(inside["text"], LONGEST_RESULT)
    uri = one_line(inside.get("uri"), 300)
    return str(McpReason.PART_BYTES.of(uri=uri, size=_size_bytes(inside.get("blob"))))


def _mime(part: Mapping[str, Any]) -> str:
    return one_line(part.get("mimeType"), 60) or "?"


def _size_bytes(base64: object) -> int:
    return len(base64) * 3 // 4 if isinstance(base64, str) else 0


def _written(value: Mapping[str, Any]) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def words_in(text: str) -> Sequence[str]:
    """The words of a name or a text, in small letters: readTextFile and read_text_file are the same three."""
    return [each.casefold() for each in _WORDS.findall(text.replace("_", " "))]
