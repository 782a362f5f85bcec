"""Droid, Factory's agent: command hooks. Written from its documents; nobody has tried it yet.

Source: the vendor's hooks guide and reference, 2026. PreToolUse honours allow, deny and ask; an allow skips
Droid's own prompt, and an ask makes it prompt. Exit code 2 blocks; every other error and a time-out let the
tool go on. The reference tells of `updatedInput`, but nobody has seen with which versions it counts, so that
no command is replaced. `hooks.json` has the events at its root; the file in which they stood under `hooks`
before, `settings.json`, is read only where there is no `hooks.json`; a `hooks/hooks.json` of older versions
still loads. Tools have had two sets of names. Others report of 0.140 that of several hooks the first decision
counts, so that another hook's allow may come before ours.
"""

from __future__ import annotations

from desktop.agents.action import (
    SILENCE,
    USERS_SHELL,
    Action,
    ActionKind,
    Form,
    HookChoice,
    HookResponse,
    Moment,
    Reply,
    Tools,
)
from desktop.agents.agent import Abilities, Agent, WithoutAnswer
from desktop.agents.settings_file import (
    HOLDS_S,
    TELLS_S,
    Computer,
    Entry,
    HookTarget,
    SettingsPlace,
    SharedFile,
)
from desktop.agents.wire import (
    BYPASS,
    DECISIONS,
    PostToolUse,
    PreToolUse,
    capped,
    read_tool_hook,
    specific,
)

_FILE = ("file_path", "path")
_FOLDER = ("path", "directory_path", "folder")
TOOLS = Tools(
    {
        **dict.fromkeys(("Execute", "Bash"), Form(ActionKind.COMMAND, ("command",), USERS_SHELL)),
        **dict.fromkeys(("Create", "Write"), Form(ActionKind.WRITE, _FILE)),
        **dict.fromkeys(("Edit", "MultiEdit"), Form(ActionKind.EDIT, _FILE)),
        "ApplyPatch": Form(ActionKind.EDIT, ("input", "patch"), is_patch=True),
        "Read": Form(ActionKind.READ, _FILE),
        "Grep": Form(ActionKind.READ, _FOLDER),
        **dict.fromkeys(("LS", "Glob"), Form(ActionKind.READ, _FOLDER, only_names=True)),
        **dict.fromkeys(("FetchUrl", "WebFetch"), Form(ActionKind.FETCH, ("url",))),
        "WebSearch": Form(ActionKind.FETCH, ("query",)),
    },
    # What a subagent does fires hooks of its own.
    quiet=frozenset({"AskUser", "Task", "TodoWrite"}),
)
_MOMENTS = {
    "PreToolUse": Moment.BEFORE,
    "PostToolUse": Moment.AFTER,
    "SessionStart": Moment.SESSION_START,
    "SessionEnd": Moment.SESSION_END,
}


class Droid(Agent):
    name = "droid"
    title = "Droid"
    programs = ("droid",)
    tools = TOOLS
    abilities = Abilities(
        can_deny=True,
        honours_ask=True,
        silence_runs=True,
        holds=600.0,
        can="Commands, file changes, web requests and MCP tools are allowed, denied, or left to Droid's own "
        "prompt, and held while you decide.",
        cannot="Droid goes on when a hook fails or times out, and uses changed hooks only after you have "
        "looked at them with /hooks.",
    )
    # Which of its levels of autonomy asks nobody, its documents do not tell for each version.
    without_answer = WithoutAnswer("ask", "ask", refuse_in=(BYPASS,), reads=True)
    is_untried = True

    def read(self, body: bytes) -> Action:
        return read_tool_hook(body, self.name, _MOMENTS, TOOLS)

    def reply(self, action: Action, response: HookResponse) -> Reply:
        if action.moment is Moment.AFTER and response.context:
            return specific(PostToolUse(additional_context=capped(response.context)))
        if action.moment is not Moment.BEFORE or response.choice not in DECISIONS:
            return SILENCE
        # An allow holds for another command, which Droid would not run.
        choice = self.unanswered(action) if response.command else response.choice
        decision = DECISIONS[choice]
        return specific(
            PreToolUse(permission_decision=decision, permission_decision_reason=capped(response.reason))
        )

    def unanswered(self, action: Action) -> HookChoice:
        """Its own prompt decides; where it has none, the call is denied."""
        return HookChoice.DENY if action.unguarded else HookChoice.ASK

    def settings_place(self, computer: Computer) -> SettingsPlace:
        return SharedFile(self.name, computer.home / ".factory" / "hooks.json", entries)


def entries(target: HookTarget) -> tuple[Entry, ...]:
    """Groups as in most agents, but without a root of their own."""
    observing = {"hooks": [target.handler(TELLS_S)]}
    events = {
        "PreToolUse": {"hooks": [target.handler(HOLDS_S, guards=True)]},
        **dict.fromkeys(("PostToolUse", "SessionStart", "SessionEnd"), observing),
    }
    return tuple(((event,), entry) for event, entry in events.items())
