"""Codex CLI: command hooks.

Source: `codex-rs/hooks` (schema.rs, engine/output_parser.rs), Sep 2026. Both output forms refuse unknown
fields and then the command runs: PreToolUse understands `deny` with a reason and `allow` with updatedInput,
which changes the command and waives no prompt (a plain `allow` or an `ask` fails the hook).
PermissionRequest understands `allow` and `deny` and must not carry updatedInput, updatedPermissions or
interrupt; it shows the changed command. `permission_mode` is bypassPermissions where the
approval policy is "never". PermissionRequest fires only when Codex itself would ask, which it does not for
what its sandbox permits; so PreToolUse is held too, and a yes there is silence.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from desktop.agents.action import SILENCE, Action, Choice, Kind, Moment, Reply, Ruling
from desktop.agents.adapter import Abilities, Answer, Wire, capped, folder_of, read_wire, rewritten
from desktop.agents.tool_forms import USERS_SHELL, Form, Tools, used

TOOLS = Tools(
    {
        "Bash": Form(Kind.COMMAND, ("command",), USERS_SHELL, folder="workdir"),
        "apply_patch": Form(Kind.EDIT, ("command", "input", "patch"), is_patch=True),
        "view_image": Form(Kind.READ, ("path",)),
    },
    # What a subagent does fires hooks of its own.
    quiet=frozenset(
        {
            "close_agent",
            "create_goal",
            "curr_time",
            "followup_task",
            "get_context_remaining",
            "get_goal",
            "interrupt_agent",
            "list_agents",
            "list_mcp_resource_templates",
            "list_mcp_resources",
            "request_user_input",
            "request_user_input_async",
            "resume_agent",
            "send_input",
            "send_message",
            "send_message_to_user_async",
            "sleep",
            "spawn_agent",
            "tool_search",
            "update_goal",
            "update_plan",
            "wait",
            "wait_agent",
            "wait_for_environment",
        }
    ),
)
_MOMENTS = {
    "PreToolUse": Moment.BEFORE,
    "PermissionRequest": Moment.PERMISSION,
    "PostToolUse": Moment.AFTER,
    "SessionStart": Moment.SESSION_START,
    "SessionEnd": Moment.SESSION_END,
}
NO_REASON = "Steward denies this."  # an empty reason would let it run


class Hook(Wire):
    """What Codex sends."""

    hook_event_name: str
    session_id: str = ""
    cwd: str = ""
    permission_mode: str = ""
    tool_name: str = ""
    tool_input: dict[str, Any] = Field(default_factory=dict)
    tool_use_id: str = ""


class Denied(Answer):
    hook_event_name: Literal["PreToolUse"] = "PreToolUse"
    permission_decision: Literal["deny"] = "deny"
    permission_decision_reason: str


class Rewritten(Answer):
    hook_event_name: Literal["PreToolUse"] = "PreToolUse"
    permission_decision: Literal["allow"] = "allow"
    updated_input: dict[str, Any]


class Decision(Answer):
    behavior: Literal["allow", "deny"]
    message: str | None = None


class Permitted(Answer):
    hook_event_name: Literal["PermissionRequest"] = "PermissionRequest"
    decision: Decision


class Told(Answer):
    """Put beside the result that the model reads."""

    hook_event_name: Literal["PostToolUse"] = "PostToolUse"
    additional_context: str


class Output(Answer):
    hook_specific_output: Denied | Rewritten | Permitted | Told


class Codex:
    name = "codex"
    title = "Codex"
    abilities = Abilities(
        can_allow=True,
        can_deny=True,
        honours_ask=False,
        silence_runs=True,
        holds=600.0,
        can="Commands, patches and MCP tools are held while you decide, and denied; where Codex itself "
        "asks, they are allowed here too.",
        cannot="Codex runs a hook only after you trust it with /hooks, and goes on when one times out or "
        "fails. What it types into a program that is already running reaches no hook. An allow here does not "
        "lift its own prompt or sandbox.",
        rewrites=frozenset({Moment.BEFORE}),
        rewrites_tried="0.169.0",
        sandboxes=True,
    )

    def read(self, body: bytes) -> Action:
        hook = read_wire(Hook, body)
        action = Action(
            agent=self.name,
            moment=_MOMENTS.get(hook.hook_event_name, Moment.OTHER),
            tool=hook.tool_name,
            arguments=hook.tool_input,
            folder=folder_of(hook.cwd),
            session=hook.session_id,
            call_id=hook.tool_use_id,
            unguarded=hook.permission_mode == "bypassPermissions",
            mode=hook.permission_mode,
        )
        return used(TOOLS, action) if hook.tool_name else action

    def reply(self, action: Action, ruling: Ruling) -> Reply:
        if ruling.context and action.moment is Moment.AFTER:
            return Output(hook_specific_output=Told(additional_context=capped(ruling.context))).as_reply()
        if action.moment is Moment.BEFORE:
            return _before(action, ruling)
        return _permitted(ruling) if action.moment is Moment.PERMISSION else SILENCE

    def unanswered(self, action: Action) -> Choice:
        """Codex asks after a silent PermissionRequest; after a silent PreToolUse its sandbox may run it."""
        if action.moment is Moment.PERMISSION and not action.unguarded:
            return Choice.NO_OPINION
        return Choice.DENY


def _reason(ruling: Ruling) -> str:
    return capped(ruling.reason).strip() or NO_REASON


def _before(action: Action, ruling: Ruling) -> Reply:
    """A yes to the agent's own command is silence."""
    if ruling.choice is Choice.DENY:
        denied = Denied(permission_decision_reason=_reason(ruling))
        return Output(hook_specific_output=denied).as_reply()
    arguments = rewritten(action, ruling)
    if arguments is None:
        return SILENCE
    return Output(hook_specific_output=Rewritten(updated_input=arguments)).as_reply()


def _permitted(ruling: Ruling) -> Reply:
    if ruling.choice is Choice.DENY:
        decision = Decision(behavior="deny", message=_reason(ruling))
    elif ruling.choice is Choice.ALLOW and not ruling.command:
        decision = Decision(behavior="allow")
    else:
        return SILENCE
    return Output(hook_specific_output=Permitted(decision=decision)).as_reply()
