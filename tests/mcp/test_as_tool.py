"""A server's tool as one of Steward's: parameters, effect, plan and grants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from desktop.gate.verdict import Effect, Flag
from desktop.mcp.access import Access, ServerReach, access_of
from desktop.mcp.as_tool import ServedTool, as_tool, name_of, nested_schema, parameters_of
from desktop.mcp.pins import pin
from desktop.sandbox.refusals import SandboxReason
from desktop.settings import McpServer
from desktop.tools.tool import ParameterType

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def served(
    name: str = "echo", access: Access | None = None, server: str = "it", home: str = "x", **more: Any
) -> ServedTool:
    made = pin({"name": name, "description": "Says it.", "inputSchema": SCHEMA, **more})
    assert made is not None
    return ServedTool(server, made, access or Access(ServerReach.READS), {}, home)


def _never(*_given: object) -> dict[str, Any]:
    raise AssertionError


@pytest.mark.parametrize(
    ("settings", "can_confine", "effect", "flags", "lasts"),
    [
        ({}, True, Effect.READ, set(), False),
        ({"folders": ["/srv/x"]}, True, Effect.UPDATE, set(), True),
        ({"network": True}, True, Effect.UNKNOWN, {Flag.SENDS}, True),
        ({"network": True, "folders": ["/srv/x"]}, True, Effect.UNKNOWN, {Flag.SENDS}, True),
        ({"confined": False}, True, Effect.UNKNOWN, {Flag.OUTSIDE}, False),
        ({}, False, Effect.UNKNOWN, {Flag.OUTSIDE}, False),
    ],
)
def test_the_effect_is_what_the_server_can_do(
    settings: dict[str, Any], can_confine: bool, effect: Effect, flags: set[Flag], lasts: bool
) -> None:
    """Whatever its tools are called and whatever hints they carry."""
    why_not = None if can_confine else SandboxReason.CONFINED_BY_NO_CLIENT.of()
    access = access_of(McpServer(command=["x"], **settings), why_not)
    hints = {"annotations": {"readOnlyHint": True, "destructiveHint": False}}
    for name in ("read_file", "delete_everything"):
        tool = as_tool(name, served(name, access, **hints), _never)
        assert tool.plan is not None
        plan = tool.plan(text="x")
        assert (tool.effect, tool.flags) == (plan.effect, plan.flags) == (effect, flags)
        assert bool(plan.pin) is lasts
        assert tool.untrusted_result
        assert plan.source == "the server it"


@pytest.mark.parametrize("description", ["Says it.", "Says it"])
def test_what_a_server_says_of_a_tool_is_a_sentence(description: str) -> None:
    """Another one follows in the question, and most servers write no stop."""
    plan = as_tool("echo", served(description=description), _never).plan
    assert plan is not None
    assert "The server says: “Says it.” What it may do: " in str(plan(text="x").says)


def test_a_server_that_cannot_be_held_says_why() -> None:
    """And what to do; one that somebody chose to let run free does not."""
    why_not = SandboxReason.CONFINED_BY_NO_CLIENT.of()
    held = str(access_of(McpServer(command=["x"]), why_not).in_words())
    assert held.startswith("Nothing confines it")
    assert "install a C compiler, then start python3 dev.py" in held
    free = str(access_of(McpServer(command=["x"], confined=False), why_not).in_words())
    assert "compiler" not in free


def test_a_server_elsewhere_gets_what_is_sent_to_it() -> None:
    """Also one that runs on this computer: Steward does not hold it."""
    access = access_of(McpServer(url="https://tools.example.org/mcp"), why_not=None)
    assert (access.reach, access.host) == (ServerReach.REMOTE, "tools.example.org")
    assert access.flags == {Flag.SENDS}


@pytest.mark.parametrize(
    ("about", "kind", "choices", "items"),
    [
        ({"type": "string"}, ParameterType.STRING, (), None),
        ({"type": "integer", "minimum": 0}, ParameterType.INTEGER, (), None),
        ({"type": ["number", "null"]}, ParameterType.NUMBER, (), None),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, ParameterType.BOOLEAN, (), None),
        (
            {"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "null"}]},
            ParameterType.STRING,
            ("a",),
            None,
        ),
        ({"type": "array", "items": {"type": "string"}}, ParameterType.ARRAY, (), ParameterType.STRING),
        ({"type": "array", "items": {"type": "object"}}, ParameterType.ARRAY, (), ParameterType.OBJECT),
        ({"type": "array"}, ParameterType.ARRAY, (), None),
        ({"$ref": "#/$defs/x"}, ParameterType.OBJECT, (), None),
        ({"enum": ["a", "b"]}, ParameterType.STRING, ("a", "b"), None),
        ({"enum": [["a"]]}, ParameterType.STRING, (), None),
        (
            {
                "type": "string",
                "description": "Whether to list local ('local') or remote branches('remote').",
            },
            ParameterType.STRING,
            ("local", "remote"),
            None,
        ),
        ({"description": "A zone (e.g. 'Etc/UTC' or 'Asia/Tokyo')"}, ParameterType.STRING, (), None),
        ({}, ParameterType.STRING, (), None),
        ({"type": 5, "enum": 7, "items": 8, "anyOf": 9, "description": 10}, ParameterType.STRING, (), None),
        (None, ParameterType.STRING, (), None),
    ],
)
def test_parameters_are_read_from_any_schema(
    about: Any, kind: ParameterType, choices: tuple[str, ...], items: ParameterType | None
) -> None:
    """`null` is dropped; what is nested stays an object."""
    (found,) = parameters_of({"properties": {"x": about}, "required": ["x", 5]}, {})
    assert (found.kind, found.choices, found.items, found.required) == (kind, choices, items, True)


@pytest.mark.parametrize(("form", "is_address"), [("uri", True), ("url", True), ("date", False), (5, False)])
def test_what_a_schema_calls_an_address_is_one(form: object, is_address: bool) -> None:
    """Also where it may be null, and whatever it is called."""
    about = {"anyOf": [{"type": "string", "format": form}, {"type": "null"}]}
    (found,) = parameters_of({"properties": {"data": about}}, {})
    assert found.is_address is is_address


def test_a_fixed_argument_is_not_asked_for_and_is_sent() -> None:
    """The settings' value wins, and only where the tool has such a parameter."""
    sent: dict[str, Any] = {}

    def call(_server: str, _tool: str, arguments: Any, _running: object) -> dict[str, Any]:
        sent.update(arguments)
        return {"content": []}

    made = pin({"name": "x", "inputSchema": {"properties": {"repo": {}, "n": {"type": "integer"}}}})
    assert made is not None
    fixed = {"repo": "/srv/repo", "other": "x"}
    tool = as_tool("x", ServedTool("it", made, Access(ServerReach.READS), fixed), call)
    assert [each.name for each in tool.parameters] == ["n"]
    result = tool.function(n=1, **{"\0running": None})
    assert sent == {"n": 1, "repo": "/srv/repo"}
    assert result.text == "(nothing)"


def test_parameters_may_be_called_anything() -> None:
    """Also like those of the functions that are made here."""
    names = ("self", "running", "call", "served", "given", "name", "plan")
    made = pin({"name": "x", "inputSchema": {"properties": {name: {} for name in names}}})
    assert made is not None
    seen: dict[str, Any] = {}

    def call(_server: str, _tool: str, arguments: Any, _running: object) -> dict[str, Any]:
        seen.update(arguments)
        return {}

    tool = as_tool("x", ServedTool("it", made, Access(ServerReach.READS), {}), call)
    assert tool.plan is not None
    tool.plan(**dict.fromkeys(names, "v"))
    tool.function(**dict.fromkeys(names, "v"), **{"\0running": None})
    assert seen == dict.fromkeys(names, "v")


def test_a_name_that_is_taken_gets_the_servers_before_it() -> None:
    """No server's tool stands in for one of Steward's."""
    assert name_of(served("read_file"), {"read_file"}) == "it_read_file"
    assert name_of(served("weird name/with:signs"), set()) == "weird_name_with_signs"


@pytest.mark.parametrize(
    "other",
    [
        served("echo2"),
        served(description="Says something else."),
        served(server="other"),
        served(home="another command"),
        served(access=Access(ServerReach.WRITES, (Path("/srv"),))),
        served(inputSchema={**SCHEMA, "required": []}),
    ],
)
def test_a_grant_covers_nothing_but_what_was_allowed(other: ServedTool) -> None:
    """Another word, schema, server, command or right is another tool."""
    assert served().fingerprint == served().fingerprint
    assert other.fingerprint != served().fingerprint


@pytest.mark.parametrize(
    "sent",
    [
        {"name": "", "inputSchema": SCHEMA},
        {"name": "x" * 65, "inputSchema": SCHEMA},
        {"name": "two\nlines", "inputSchema": SCHEMA},
        {"name": "x", "inputSchema": []},
        {"name": "x"},
        {"name": 5, "inputSchema": SCHEMA},
        {"name": "x", "inputSchema": {"properties": []}} | {"inputSchema": {"properties": ["x"]}},
        {"name": "x", "inputSchema": {"properties": {str(n): {} for n in range(41)}}},
        {"name": "x", "inputSchema": {"properties": {"x": {"description": "y" * 70_000}}}},
    ],
)
def test_a_tool_that_cannot_be_used_is_left_out(sent: dict[str, Any]) -> None:
    """By its name or its schema."""
    assert pin(sent) is None


NESTED = {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}


def test_what_is_nested_is_written_by_the_whole_schema() -> None:
    """Less what the settings give; a plain schema needs none, and none is made of one that is beyond
    grammars."""
    wanted = nested_schema({"properties": {"a": NESTED, "b": {}}, "required": ["a", "b"]}, {"b": "x"})
    assert wanted is not None
    assert (list(wanted["properties"]), wanted["required"]) == (["a"], ["a"])
    assert nested_schema(SCHEMA, {}) is None
    loop = {"properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"$ref": "#/$defs/x"}}}
    assert nested_schema(loop, {}) is None
