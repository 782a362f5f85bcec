"""OpenCode: a plugin of ours, in JavaScript, that posts to us.

Source: the types of `@opencode-ai/plugin` 1.18, issues to Sep 2026. `tool.execute.before` blocks by
throwing; `permission.ask` is declared and never called, so a permission is answered when the event
`permission.asked` comes, through the client's reply. By default OpenCode asks for nothing, so silence runs
the tool.

What the plugin posts, for `tool.execute.before`, `tool.execute.after` and the events:

    {"event": "tool.execute.before", "tool": "bash", "sessionID": "ses_..", "callID": "call_..",
     "args": {"command": "npm test"}, "directory": "/p"}
    {"event": "permission.asked", "permission": {"id": "per_..", "sessionID": "ses_..", "permission": "bash",
     "patterns": ["npm test"], "metadata": {..}, "tool": {"messageID": "..", "callID": "call_.."}},
     "tool": "bash", "args": {"command": "npm test"}, "directory": "/p"}
    {"event": "session.created" | "session.deleted", "sessionID": "ses_..", "directory": "/p"}

For `permission.asked` the plugin adds `tool` and `args` of the call with that callID, which it saw in
`tool.execute.before`; where it has not seen it, it posts nothing. What it gets back:

    {"action": "allow"}                     before: return; permission: reply "once"
    {"action": "allow", "args": {..}}       before: these arguments in place of the agent's, and return
    {"action": "deny", "message": "why"}    before: throw new Error(message); permission: reply "reject"
    {"action": "none"} or an empty body     before: return; permission: leave the prompt to OpenCode

An answer that is not this, or none in time: before throws ("Steward did not answer"), permission does
nothing.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from desktop.agents.action import (
    USERS_SHELL,
    Action,
    ActionKind,
    Form,
    HookChoice,
    HookResponse,
    Moment,
    Reply,
    Tools,
    folder_of,
    used,
)
from desktop.agents.agent import (
    Abilities,
    FoundRule,
    LaunchableAgent,
    LaunchRequest,
    LaunchSettings,
    WithoutAnswer,
    allowed,
    held,
    in_use,
)
from desktop.agents.mcp_place import McpPlace
from desktop.agents.settings_file import (
    HOLDS_S,
    LEFT_BEHIND,
    Computer,
    HookTarget,
    OwnFile,
    SettingsPlace,
    folders_above,
    json_settings,
)
from desktop.agents.wire import Answer, Wire, read_wire, reason_of, rewritten
from desktop.paths import resources

CONFIG = "OPENCODE_CONFIG_CONTENT"  # a variable with settings
_PLACE = "__STEWARD__"
_FACTS = re.compile(r"^const STEWARD = (\{.*\})$", re.MULTILINE)
_FILE = ("filePath", "path")

TOOLS = Tools(
    {
        "bash": Form(ActionKind.COMMAND, ("command",), USERS_SHELL, folder="workdir"),
        "write": Form(ActionKind.WRITE, _FILE),
        "edit": Form(ActionKind.EDIT, _FILE),
        "multiedit": Form(ActionKind.EDIT, _FILE),
        "apply_patch": Form(ActionKind.EDIT, ("patchText",), is_patch=True),
        "patch": Form(ActionKind.EDIT, ("patchText",), is_patch=True),
        "read": Form(ActionKind.READ, _FILE),
        "list": Form(ActionKind.READ, ("path",), only_names=True),
        "glob": Form(ActionKind.READ, ("path",), only_names=True),
        "grep": Form(ActionKind.READ, ("path",)),
        "webfetch": Form(ActionKind.FETCH, ("url",)),
        "websearch": Form(ActionKind.FETCH, ("query",)),
        "codesearch": Form(ActionKind.FETCH, ("query",)),
    },
    quiet=frozenset({"todowrite", "todoread", "task", "skill", "question", "plan_enter", "plan_exit", "lsp"}),
)

_MOMENTS = {
    "tool.execute.before": Moment.BEFORE,
    "permission.asked": Moment.PERMISSION,
    "tool.execute.after": Moment.AFTER,
    "session.created": Moment.SESSION_START,
    "session.deleted": Moment.SESSION_END,
}


class Hook(Wire):
    """What our plugin sends."""

    event: str
    tool: str = ""
    session: str = Field("", alias="sessionID")
    call: str = Field("", alias="callID")
    args: dict[str, Any] = Field(default_factory=dict)
    directory: str = ""
    permission: dict[str, Any] = Field(default_factory=dict)


class Output(Answer):
    action: Literal["allow", "deny", "none"]
    message: str | None = None
    args: dict[str, Any] | None = None


class OpenCode(LaunchableAgent):
    name = "opencode"
    title = "OpenCode"
    programs = ("opencode",)
    tools = TOOLS
    without_answer = WithoutAnswer("refuse", "refuse")  # the plugin runs nothing without an answer
    abilities = Abilities(
        can_deny=True,
        honours_ask=False,
        silence_runs=True,
        holds=600.0,
        can="Every tool is held while you decide and denied by the plugin; permissions that OpenCode asks "
        "for are answered here.",
        cannot="Whoever can change OpenCode's plugin folder can remove the plugin; such a change asks first.",
        rewrites=frozenset({Moment.BEFORE}),
        rewrites_tried="1.18.33",
    )

    def read(self, body: bytes) -> Action:
        hook = read_wire(Hook, body)
        session = hook.session or hook.permission.get("sessionID", "")
        action = Action(
            agent=self.name,
            moment=_MOMENTS.get(hook.event, Moment.OTHER),
            tool=hook.tool,
            arguments=hook.args,
            folder=folder_of(hook.directory),
            session=session if isinstance(session, str) else "",
            call_id=hook.call,
        )
        return used(TOOLS, action) if hook.tool else action

    def reply(self, action: Action, response: HookResponse) -> Reply:
        if action.moment not in (Moment.BEFORE, Moment.PERMISSION):
            return Output(action="none").as_reply()
        if response.choice is HookChoice.DENY:
            return Output(action="deny", message=reason_of(response)).as_reply()
        # At its permission it cannot be handed another command, and a yes is for that one alone.
        if response.choice is not HookChoice.ALLOW or (
            response.command and action.moment is Moment.PERMISSION
        ):
            return Output(action="none").as_reply()
        return Output(action="allow", args=rewritten(action, response)).as_reply()

    def unanswered(self, action: Action) -> HookChoice:
        """After a silent permission OpenCode's prompt stays; after a silent before the tool runs."""
        return HookChoice.NO_OPINION if action.moment is Moment.PERMISSION else HookChoice.DENY

    def settings_place(self, computer: Computer) -> SettingsPlace:
        folder = _home(computer)
        file = folder / "plugins" / "steward.js"
        return OwnFile(self.name, folder, file, plugin_text, read_plugin)

    def launch(self, target: HookTarget, request: LaunchRequest) -> LaunchSettings:
        """Configuration in a variable, merged over the user's files."""
        # Two texts cannot be merged here, and replacing the user's would change more than the hooks.
        if CONFIG in request.environment:
            raise in_use(CONFIG)
        config = {"plugin": [(request.folder / "steward.js").as_uri()]}
        files = {"steward.js": plugin_text(target)}
        return LaunchSettings(files, request.arguments, {CONFIG: json.dumps(config)})

    def mcp_place(self, computer: Computer) -> McpPlace:
        # The first that is there: it reads both, and a second file would hide where the entry is.
        names = [_home(computer) / name for name in ("opencode.json", "opencode.jsonc")]
        file = next((each for each in names if each.is_file()), names[0])
        return McpPlace(
            file, ("mcp",), lambda words: {"type": "local", "command": list(words), "enabled": True}
        )

    def own_rules(self, computer: Computer, folder: Path) -> Iterator[FoundRule]:
        """`permission.bash`: one word for all, or a word for each pattern."""
        for place in dict.fromkeys((_home(computer), *folders_above(folder))):
            for name in ("opencode.json", "opencode.jsonc"):
                permission = json_settings(place / name).get("permission")
                bash = permission.get("bash") if isinstance(permission, dict) else permission
                patterns = bash.items() if isinstance(bash, dict) else (("*", bash),)
                for text, word in patterns:
                    if word in ("deny", "ask"):
                        yield held(place / name, str(text))
                    elif word == "allow":
                        yield allowed(place / name, str(text), str(text))


def _home(computer: Computer) -> Path:
    return computer.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def plugin_text(target: HookTarget) -> str:
    """The file of resources/agents with the words that start the hook client in it."""
    # The plugin must know that nobody answered, whatever the setting: it throws then, and nothing runs.
    words = [word for word in target.words() if word != "--fail-closed"]
    facts = {"client": [*words, "--fail-closed"], "holds_s": HOLDS_S, "left_behind": LEFT_BEHIND}
    template = (resources() / "agents" / "opencode.js").read_text(encoding="utf-8")
    return template.replace(_PLACE, json.dumps(facts))


def read_plugin(text: str) -> tuple[Mapping[str, Any], ...]:
    """What stands in a plugin of ours: the client's words, or the address of an older one; else nothing."""
    found = _FACTS.search(text)
    if found is None:
        return ()
    try:
        facts = json.loads(found.group(1))
        # Plugins of older versions held an address; `status` says that they are to be installed again.
        if "url" in facts:
            return ({"url": str(facts["url"])},)
        return ({"command": shlex.join(str(word) for word in facts["client"])},)
    except (ValueError, KeyError, TypeError):
        return ()
