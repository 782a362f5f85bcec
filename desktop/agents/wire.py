"""The JSON of hooks: read within limits, answered in exactly the fields that an agent expects.

What several vendors send and expect alike is here, under the names that they use; what is one vendor's alone
is in its own module. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from desktop.agents.action import (
    Action,
    HookChoice,
    HookResponse,
    Moment,
    Reply,
    Tools,
    folder_of,
    refuse,
    used,
)

LARGEST_BYTES = 4_000_000
DEEPEST = 64  # levels of lists and objects; what agents send has five or six
LONGEST_TEXT = 10_000  # characters of one string in an answer; Claude Code cuts there
BYPASS = "bypassPermissions"  # the mode of Claude Code, and of those that followed it, in which nothing asks
NO_REASON = "Steward denies this."  # to several of them an empty reason is none, and then the command runs
Decision = Literal["allow", "deny", "ask"]
DECISIONS: Mapping[HookChoice, Decision] = {
    HookChoice.ALLOW: "allow",
    HookChoice.DENY: "deny",
    HookChoice.ASK: "ask",
}


class Wire(BaseModel):
    """A form that an agent sends. Vendors add fields every month; those are kept and not looked at."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Answer(BaseModel):
    """A form that an agent expects: exactly these fields in camelCase, those that are None left out."""

    # Some agents refuse an answer with a field too many, and then run the command.
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)

    def as_reply(self) -> Reply:
        return Reply(json.dumps(self.model_dump(exclude_none=True, by_alias=True)).encode())


class ToolHook(Wire):
    """The hook that Claude Code began and others took over; fields that only some events have are empty."""

    hook_event_name: str
    session_id: str = ""
    cwd: str = ""
    permission_mode: str = ""
    tool_name: str = ""
    tool_input: dict[str, Any] = Field(default_factory=dict)
    tool_use_id: str = ""

    def action(self, agent: str, moments: Mapping[str, Moment]) -> Action:
        """The action, before the tables of tools say what its arguments mean."""
        return Action(
            agent=agent,
            moment=moments.get(self.hook_event_name, Moment.OTHER),
            tool=self.tool_name,
            arguments=self.tool_input,
            folder=folder_of(self.cwd),
            session=self.session_id,
            call_id=self.tool_use_id,
            unguarded=self.permission_mode == BYPASS,
            mode=self.permission_mode,
        )


class PreToolUse(Answer):
    hook_event_name: Literal["PreToolUse"] = "PreToolUse"
    permission_decision: Decision
    permission_decision_reason: str | None = None
    updated_input: dict[str, Any] | None = None
    additional_context: str | None = None


class Permission(Answer):
    behavior: Literal["allow", "deny"]
    updated_input: dict[str, Any] | None = None
    updated_permissions: list[dict[str, Any]] | None = None
    message: str | None = None


class PermissionRequest(Answer):
    hook_event_name: Literal["PermissionRequest"] = "PermissionRequest"
    decision: Permission


class PostToolUse(Answer):
    """Put beside the result that the model reads."""

    hook_event_name: Literal["PostToolUse", "PostToolUseFailure"] = "PostToolUse"
    additional_context: str


class HookOutput(Answer):
    hook_specific_output: PreToolUse | PermissionRequest | PostToolUse


def specific(answer: PreToolUse | PermissionRequest | PostToolUse) -> Reply:
    """The answer to a `ToolHook`, in the wrapping that they share."""
    return HookOutput(hook_specific_output=answer).as_reply()


W = TypeVar("W", bound=Wire)


def read_wire(form: type[W], body: bytes) -> W:
    """`body` as `form`. Raises BadPayload."""
    return fitted(form, read_json(body))


def read_tool_hook(body: bytes, agent: str, moments: Mapping[str, Moment], tools: Tools) -> Action:
    """The action of a hook in the form that several share, with what its tool says. Raises BadPayload."""
    hook = read_wire(ToolHook, body)
    action = hook.action(agent, moments)
    return used(tools, action) if hook.tool_name else action


def fitted(form: type[W], value: Mapping[str, Any]) -> W:
    """`value` as `form`. Raises BadPayload that names the field."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        refuse(f"{where}: {first['msg'].lower()}")


def read_json(body: bytes) -> dict[str, Any]:
    """A JSON object within the limits. Raises BadPayload; nothing in `body` raises anything else."""
    if len(body) > LARGEST_BYTES:
        refuse(f"it is larger than {LARGEST_BYTES:,} bytes")
    try:
        value = _READER.decode(body.decode(json.detect_encoding(body), "surrogatepass"))
    except (ValueError, RecursionError) as error:
        refuse("it is not JSON", error)
    if not isinstance(value, dict):
        refuse("it is not a JSON object")
    # Counting is cheap; only a body that could be too deep at all is walked.
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        _check_depth(value)
    # Half a surrogate pair comes as an escape or, since `json` lets it through, as bytes that begin with ED.
    return _well_formed(value) if b"\\u" in body or b"\xed" in body else value


def capped(text: str) -> str:
    """The text, cut to at most `LONGEST_TEXT` characters."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def reason_of(response: HookResponse) -> str:
    """Why, as the agent is told; never empty."""
    return capped(response.reason).strip() or NO_REASON


def rewritten(action: Action, response: HookResponse) -> dict[str, Any] | None:
    """All arguments of the call with the response's command among them; None where it allows none."""
    if response.choice is not HookChoice.ALLOW or not response.command:
        return None
    # Vendors put this in place of the whole input: a field left out would be a field taken away.
    return action.arguments_with(response.command)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# Made once: with a rule of its own `json.loads` makes one for each text.
_READER = json.JSONDecoder(parse_constant=_no_constant)


def _check_depth(value: Any) -> None:
    level = [value]
    for _depth in range(DEEPEST):
        level = [inner for each in level for inner in _inside(each) if isinstance(inner, dict | list)]
        if not level:
            return
    refuse(f"it is nested deeper than {DEEPEST} levels")


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _well_formed(value: dict[str, Any]) -> dict[str, Any]:
    """Half a surrogate pair becomes the mark that a runtime puts in its place when it starts a program."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return dict(json.loads(whole))
    return value
