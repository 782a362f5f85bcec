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

import ast
import json
import re
import shlex
import subprocess
import threading
import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

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
from desktop.agents.agent import (
    Abilities,
    FoundRule,
    LaunchableAgent,
    LaunchRequest,
    LaunchSettings,
    WithoutAnswer,
    held,
)
from desktop.agents.mcp_place import McpPlace, toml_servers
from desktop.agents.reasons import AgentReason
from desktop.agents.settings_file import (
    HOLDS_S,
    TELLS_S,
    Computer,
    Entry,
    HookTarget,
    SettingsPlace,
    SharedFile,
    entries_text,
    folders_above,
    grouped,
    text_of_settings,
    texts,
)
from desktop.agents.wire import (
    BYPASS,
    Permission,
    PermissionRequest,
    PostToolUse,
    PreToolUse,
    capped,
    read_tool_hook,
    reason_of,
    rewritten,
    specific,
)
from desktop.errors import UserFacing
from desktop.gate.request import AgentRule, Unfit
from desktop.reasons import Reason

TOOLS = Tools(
    {
        "Bash": Form(ActionKind.COMMAND, ("command",), USERS_SHELL, folder="workdir"),
        "apply_patch": Form(ActionKind.EDIT, ("command", "input", "patch"), is_patch=True),
        "view_image": Form(ActionKind.READ, ("path",)),
    },
    # What a subagent does fires hooks of its own.
    quiet=frozenset(
        """
        close_agent create_goal curr_time followup_task get_context_remaining get_goal interrupt_agent
        list_agents list_mcp_resource_templates list_mcp_resources request_user_input request_user_input_async
        resume_agent send_input send_message send_message_to_user_async sleep spawn_agent tool_search
        update_goal update_plan wait wait_agent wait_for_environment
        """.split()
    ),
)

_MOMENTS = {
    "PreToolUse": Moment.BEFORE,
    "PermissionRequest": Moment.PERMISSION,
    "PostToolUse": Moment.AFTER,
    "SessionStart": Moment.SESSION_START,
    "SessionEnd": Moment.SESSION_END,
}

PATIENCE_S = 20.0  # for its app server to list the hooks
SOURCE = "sessionFlags"  # hooks of the command line, as `hooks/list` calls them
MOST_ALTERNATIVES = 64  # that one rule may stand for
_RULE = re.compile(r"prefix_rule\s*\((.*?)\)\s*(?:\n|$)", re.DOTALL)
_RULE_WORD = re.compile(r"[\"']([^\"']*)[\"']")


class Codex(LaunchableAgent):
    name = "codex"
    title = "Codex"
    programs = ("codex",)
    tools = TOOLS
    without_answer = WithoutAnswer(refuse_in=(BYPASS,))
    abilities = Abilities(
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
        return read_tool_hook(body, self.name, _MOMENTS, TOOLS)

    def reply(self, action: Action, response: HookResponse) -> Reply:
        if response.context and action.moment is Moment.AFTER:
            return specific(PostToolUse(additional_context=capped(response.context)))
        if action.moment is Moment.BEFORE:
            return _before(action, response)
        return _permitted(response) if action.moment is Moment.PERMISSION else SILENCE

    def unanswered(self, action: Action) -> HookChoice:
        """Codex asks after a silent PermissionRequest; after a silent PreToolUse its sandbox may run it."""
        # With nobody to ask, Codex takes silence here as a yes.
        if action.moment is Moment.PERMISSION and not action.unguarded:
            return HookChoice.NO_OPINION
        return HookChoice.DENY

    def settings_place(self, computer: Computer) -> SettingsPlace:
        home = _home(computer)
        return SharedFile(self.name, home / "hooks.json", entries, partial(_why_off, home))

    def launch(self, target: HookTarget, request: LaunchRequest) -> LaunchSettings:
        """Words of the command line, with the trust in exactly these hooks and in no others."""
        made = entries(target)
        words = trusted_words(request.program, made, request.environment)
        return LaunchSettings({"hooks.json": entries_text(made)}, (*words, *request.arguments))

    def mcp_place(self, computer: Computer) -> McpPlace:
        return toml_servers(_home(computer) / "config.toml")

    def own_rules(self, computer: Computer, folder: Path) -> Iterator[FoundRule]:
        """`prefix_rule(pattern = ["git", "push"], decision = "prompt")` in files of rules."""
        places = (_home(computer) / "rules", *(above / ".codex" / "rules" for above in folders_above(folder)))
        for place in dict.fromkeys(places):
            for file in sorted(place.glob("*.rules")) if place.is_dir() else ():
                text = text_of_settings(file)
                # What forbids is found by pattern, so that half a file still holds; what
                # allows is only taken from one that parses.
                for found in _RULE.findall(f"{text}\n"):
                    if '"forbidden"' in found or '"prompt"' in found:
                        words = _RULE_WORD.findall(found.partition("]")[0])
                        yield held(file, words[0] if words else "", is_prefix=True)
                yield from (FoundRule(file, allowed=rule) for rule in _allow_rules(text))


def _home(computer: Computer) -> Path:
    return computer.folder("CODEX_HOME", ".codex")


def entries(target: HookTarget) -> tuple[Entry, ...]:
    """The command line holds no token: Codex trusts a hook by its hash, and a new token must not end that."""

    held, told = {**target.handler(HOLDS_S), "statusMessage": "Steward"}, target.handler(TELLS_S)
    guards = {**target.handler(HOLDS_S, guards=True), "statusMessage": "Steward"}
    events = {"PreToolUse": guards, "PermissionRequest": held, "PostToolUse": told, "SessionStart": told}
    return grouped("hooks", events)


def _why_off(home: Path, _settings: Mapping[str, Any]) -> Reason | None:
    """Also where Codex has not been told to trust the hooks: it passes over them without a word."""
    try:
        config = tomllib.loads((home / "config.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        config = {}
    except (OSError, ValueError):
        return AgentReason.HOOKS_OFF_UNREADABLE.of(file="config.toml")
    if config.get("features", {}).get("hooks") is False:
        return AgentReason.HOOKS_OFF_SETTING.of(setting="features.hooks", file="config.toml")
    state = config.get("hooks", {}).get("state", {})
    trusted = [name for name, facts in state.items() if str(home) in name and "trusted_hash" in facts]
    return None if trusted else AgentReason.HOOKS_OFF_UNTRUSTED.of(agent="Codex")


def _allow_rules(text: str) -> Iterator[AgentRule]:
    """Their language is a part of Python's; a word of a pattern may be a list of alternatives."""
    try:
        calls = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for call in calls:
        if not isinstance(call.func, ast.Name) or call.func.id != "prefix_rule" or call.args:
            continue
        try:
            said = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        except ValueError:  # a name in place of a text
            continue
        pattern = said.get("pattern")
        if said.get("decision", "allow") == "allow" and isinstance(pattern, list):
            yield from _alternatives(pattern)


def _alternatives(pattern: list[object]) -> Iterator[AgentRule]:
    choices = [texts(each if isinstance(each, list) else [each]) for each in pattern]
    for number, words in enumerate(product(*choices)):
        if number >= MOST_ALTERNATIVES:
            return
        # Quoted as a shell would: `git "push x"` is another rule than `git push x`, and has to look like one.
        shown = shlex.join(words) or "*"
        unfit = None if words else Unfit.EVERYTHING
        yield AgentRule(shown, words, is_prefix=True, unfit=unfit)


def _before(action: Action, response: HookResponse) -> Reply:
    """A no, or a yes to another command. A yes to its own is silence: a plain allow would fail the hook."""
    if response.choice is HookChoice.DENY:
        return specific(
            PreToolUse(permission_decision="deny", permission_decision_reason=reason_of(response))
        )
    arguments = rewritten(action, response)
    if arguments is None:
        return SILENCE
    return specific(PreToolUse(permission_decision="allow", updated_input=arguments))


def _permitted(response: HookResponse) -> Reply:
    if response.choice is HookChoice.DENY:
        decision = Permission(behavior="deny", message=reason_of(response))
    elif response.choice is HookChoice.ALLOW and not response.command:
        decision = Permission(behavior="allow")
    else:
        return SILENCE
    return specific(PermissionRequest(decision=decision))


def trusted_words(program: str, made: tuple[Entry, ...], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The words that give Codex these hooks for one run, trusted. Starts Codex once; raises UserFacing.

    Codex passes over hooks until the user trusts each one by its hash. For a launched run that trust is given
    in the words of the run itself, for our hooks alone: Codex is asked for their hashes, and told them.
    """
    words = [word for path, entry in made for word in ("-c", f"{'.'.join(path)}=[{toml(entry)}]")]
    listed = _listed(program, words, environment)
    # Codex names each hook by its place and hashes its definition: both come from Codex, so that
    # nothing here has to be kept in step with it.
    trust = {str(hook["key"]): {"trusted_hash": str(hook["currentHash"])} for hook in listed}
    if len(trust) != len(made):
        raise _not_taken(f"it lists {len(trust)} of {len(made)} hooks")
    return (*words, "-c", f"hooks.state={toml(trust)}")


def toml(value: Any) -> str:
    """A value in one line, as `-c` takes it. A JSON string is a TOML string, once DEL is escaped."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{toml(str(name))}={toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(toml, value)) + "]"
    # TOML forbids DEL in a string, JSON does not.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _listed(program: str, words: list[str], environment: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """What Codex made of the words, from `hooks/list` of its app server."""
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "steward", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked)
    try:
        with subprocess.Popen(
            [program, *words, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=dict(environment),
        ) as server:
            return _answer(server, lines)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _not_taken(str(error)) from error


def _answer(server: subprocess.Popen[str], lines: str) -> list[Mapping[str, Any]]:
    """Ends the server, which would go on for ever, whatever comes."""
    assert server.stdin is not None
    assert server.stdout is not None
    # A program that hangs would otherwise keep the terminal waiting for ever.
    patience = threading.Timer(PATIENCE_S, server.kill)
    patience.start()
    try:
        server.stdin.write(lines)
        server.stdin.flush()
        for line in server.stdout:
            message = json.loads(line)
            if message.get("id") == 2:
                return [
                    hook
                    for each in message["result"]["data"]
                    for hook in each["hooks"]
                    if hook["source"] == SOURCE
                ]
        raise ValueError("it ended without an answer")
    finally:
        patience.cancel()
        server.kill()


def _not_taken(why: str) -> UserFacing:
    return UserFacing(AgentReason.HOOKS_NOT_TAKEN.of(agent=Codex.title, name=Codex.name, why=why))
