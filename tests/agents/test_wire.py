"""Reading JSON that others wrote, and what every agent promises: no allow without a response that allows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.agents.action import Action, ActionKind, BadPayload, HookChoice, HookResponse, Moment, Reply
from desktop.agents.agent import Agent
from desktop.agents.agent_list import AGENTS
from desktop.agents.claude_code import ClaudeCode
from desktop.agents.wire import DEEPEST, LARGEST_BYTES, LONGEST_TEXT, capped, read_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
NAMES = (
    "hook_event_name",
    "hookName",
    "event",
    "session_id",
    "sessionId",
    "cwd",
    "directory",
    "tool_name",
    "toolName",
    "tool",
    "tool_input",
    "toolArgs",
    "toolInput",
    "args",
    "input",
    "command",
    "workspace_roots",
    "permission_mode",
    "permission_suggestions",
    "permission",
    "source",
    "file_path",
    "duration_ms",
    "error",
)
EVENTS = (
    "PreToolUse",
    "PermissionRequest",
    "BeforeTool",
    "beforeShellExecution",
    "beforeMCPExecution",
    "preToolUse",
    "permissionRequest",
    "tool.execute.before",
    "permission.asked",
    "ConfigChange",
)
WORDS = (
    "Bash",
    "bash",
    "Write",
    "Edit",
    "apply_patch",
    "mcp__a__b",
    "Shell",
    "run_shell_command",
    "ls",
    "command",
    "file_path",
    "path",
    "user_settings",
    "bypassPermissions",
)
VALUES = (
    JSON
    | st.sampled_from([*EVENTS, *WORDS])
    | st.dictionaries(st.sampled_from(["command", "file_path", "path", "url", "patchText"]), JSON, max_size=3)
)
HOOKS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=12)
NOT_ALLOWING = st.sampled_from([choice for choice in HookChoice if choice is not HookChoice.ALLOW])
ACTIONS = st.builds(
    Action,
    agent=st.just("any"),
    moment=st.sampled_from(Moment),
    kind=st.sampled_from(ActionKind),
    tool=st.sampled_from(WORDS),
    arguments=st.dictionaries(st.text(max_size=5), JSON, max_size=3),
    suggestions=st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=3), max_size=2).map(tuple),
    unguarded=st.booleans(),
    mode=st.sampled_from(["", "auto", "acceptEdits", "bypassPermissions", "beforeReadFile"]),
)


def allows(reply: Reply) -> bool:
    """Whether the words for yes stand anywhere in an answer where a decision is read."""
    if not reply.body:
        return False
    waiting: list[Any] = [json.loads(reply.body)]
    while waiting:
        each = waiting.pop()
        if not isinstance(each, dict):
            continue
        for name in ("permissionDecision", "behavior", "decision", "permission", "action"):
            if each.get(name) in ("allow", "approve", "once", "always"):
                return True
        waiting += [value for name, value in each.items() if name in ("hookSpecificOutput", "decision")]
    return False


# Each case goes to all agents: making it up takes longer than asking them.
@settings(max_examples=150, deadline=None)
@given(action=ACTIONS, choice=NOT_ALLOWING, reason=st.text(max_size=30), always=st.booleans())
def test_only_an_allow_becomes_an_allow(
    action: Action, choice: HookChoice, reason: str, always: bool
) -> None:
    """Whatever the action, no other response is put into words that let it run."""
    for known in AGENTS:
        assert not allows(known.reply(action, HookResponse(choice, reason, always))), known.name


@settings(max_examples=150, deadline=None)
@given(action=ACTIONS, command=st.text(min_size=1, max_size=30))
def test_an_allow_of_another_command_brings_that_command(action: Action, command: str) -> None:
    """An agent that has no form for it at this moment is not told to go ahead with its own."""
    for known in AGENTS:
        reply = known.reply(action, HookResponse(HookChoice.ALLOW, "why", command=command))
        if allows(reply):
            assert action.moment in known.abilities.rewrites, known.name
            assert action.arguments_with(command) in _objects(json.loads(reply.body)), known.name


def _objects(value: Any) -> list[Any]:
    inner = value.values() if isinstance(value, dict) else ()
    return [value, *(found for each in inner for found in _objects(each))]


@given(action=ACTIONS)
def test_silence_is_never_an_allow(action: Action) -> None:
    """Where nobody answers, no agent is told yes; where nothing milder holds it back, it is told no."""
    for known in AGENTS:
        choice = known.unanswered(action)
        assert choice is not HookChoice.ALLOW, known.name
        if choice is HookChoice.ASK:
            assert known.abilities.honours_ask, known.name
        if choice is HookChoice.NO_OPINION and action.moment is Moment.BEFORE:
            assert not known.abilities.silence_runs, known.name
            assert not action.unguarded, known.name


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(body=st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()))
def test_arbitrary_bytes_are_read_or_refused(body: bytes) -> None:
    """Nothing but BadPayload comes out, and what was read can be answered."""
    for known in AGENTS:
        _read_or_refused(known, body)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hook=HOOKS)
def test_hooks_with_wrong_types_are_read_or_refused(hook: dict[str, Any]) -> None:
    """The names of real hooks with any values: never another error, and never an allow by itself."""
    for known in AGENTS:
        _read_or_refused(known, json.dumps(hook).encode())


def _read_or_refused(known: Agent, body: bytes) -> None:
    try:
        action = known.read(body)
    except BadPayload:
        return
    assert action.agent == known.name
    assert action.folder.is_absolute()
    for choice in HookChoice:
        reply = known.reply(action, HookResponse(choice, "why"))
        assert reply.exit_code == 0, known.name
        assert choice is HookChoice.ALLOW or not allows(reply), known.name


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"a": NaN}', "not JSON"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'"ls"', "not a JSON object"),
        (b'{"a":' * 70 + b"1" + b"}" * 70, f"deeper than {DEEPEST} levels"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "not JSON"),
        (b'{"a": "' + b"x" * LARGEST_BYTES + b'"}', "larger than"),
    ],
    ids=lambda each: each[:12].decode("ascii", "replace") if isinstance(each, bytes) else each,
)
def test_what_cannot_be_read_says_why(body: bytes, why: str) -> None:
    """One sentence for the log and for the agent."""
    with pytest.raises(BadPayload, match=why):
        read_json(body)


def test_many_shallow_braces_are_fine() -> None:
    """The limit is on depth, not on size."""
    body = json.dumps({"a": [{"b": [1]}] * 500, "text": "{[" * 500}).encode()
    assert read_json(body)["text"] == "{[" * 500


def test_half_a_surrogate_pair_is_read_as_the_program_would_get_it() -> None:
    """A runtime that starts a program puts a mark in its place; whole pairs stay."""
    assert read_json(b'{"command": "echo \\ud800 \\ud83d\\ude00"}') == {"command": "echo \ufffd \U0001f600"}
    assert read_json(b'{"command": "echo \xed\xa0\x80"}') == {"command": "echo \ufffd"}


@given(st.text(max_size=50))
def test_well_formed_text_is_read_as_it_is(text: str) -> None:
    """Escapes or not."""
    assert read_json(json.dumps({"a": text}).encode()) == {"a": text}
    assert read_json(json.dumps({"a": text}, ensure_ascii=False).encode()) == {"a": text}


def test_texts_are_cut_where_the_agent_would_cut_them() -> None:
    """Ours, so that it says that something is missing."""
    assert capped("x" * LONGEST_TEXT) == "x" * LONGEST_TEXT
    assert capped("x" * (LONGEST_TEXT + 1)) == "x" * (LONGEST_TEXT - 1) + "…"


@pytest.mark.parametrize(
    ("hook", "where"),
    [
        ({"tool_input": {"command": "ls"}}, "hook_event_name"),
        ({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": "ls"}, "tool_input"),
        ({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}, "command is missing"),
        (
            {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": ["ls"]}},
            "not text",
        ),
        ({"hook_event_name": "PreToolUse", "tool_name": 3}, "tool_name"),
    ],
)
def test_a_form_that_does_not_fit_names_the_field(hook: dict[str, Any], where: str) -> None:
    """So that a changed version of an agent is found out."""
    with pytest.raises(BadPayload, match=where):
        ClaudeCode().read(json.dumps(hook).encode())
