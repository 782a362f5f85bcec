"""The hook entries that are put into each agent's settings, and how they are known again.

Pure: a door goes in, the entries come out. Names, units of time-outs and matchers are the vendors' own; what
each of their programs made of them is in docs/agents.md.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.agents.client_command import Client

HOLDS_S = 600  # the longest that the agents' own documents and types name
TELLS_S = 30  # where nothing is held: what ran, and where a session begins and ends
SPARE_S = 2  # the client gives up before the agent ends it

# Before a tool runs every one is matched, also those that no version had when this was written: the adapter
# decides by the name. After it only those of whose end something becomes.
# A matcher with other characters than those of names is a regular expression that may match anywhere.
CLAUDE_TOLD = "^(Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|WebFetch|Monitor|REPL|mcp__.*)$"
CURSOR_TOOLS = "Write|Edit|StrReplace|Delete|WebFetch"  # shell and MCP have events of their own
GEMINI_TOLD = "^(run_shell_command|write_file|replace|web_fetch|mcp_.*)$"

Entry = tuple[tuple[str, ...], Mapping[str, Any]]


@dataclass(frozen=True)
class Door:
    """How the hooks of one agent reach the daemon. `closed`: refuse where nobody answers, in any mode."""

    agent: str
    address: str  # what the client is given: the path of the Unix socket, the port, or both
    token_file: Path
    client: Client
    closed: bool = False

    def words(self, holds_s: int = HOLDS_S, guards: bool = True) -> tuple[str, ...]:
        """The client's words. `guards`: a tool waits for this answer."""
        flags = ("--guards",) if guards else ()
        flags = (*flags, "--fail-closed") if guards and self.closed else flags
        waits = str(holds_s - SPARE_S)
        return (*self.client.words, self.agent, self.address, f"@{self.token_file}", waits, *flags)

    def line(self, holds_s: int = HOLDS_S, shell: str = "", guards: bool = True) -> str:
        """The same as one line, quoted for the shell that the agent starts it with."""
        return quoted([*self.words(holds_s, guards)], self.client.windows, shell)


def quoted(words: list[str], windows: bool, shell: str = "") -> str:
    """For sh; on Windows for cmd and Git's bash, whose common ground is forward slashes, or PowerShell."""
    if not windows:
        return shlex.join(words)
    if shell == "powershell":
        return "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return subprocess.list2cmdline([word.replace("\\", "/") for word in words])


def claude_code(door: Door) -> tuple[Entry, ...]:
    """Commands all: Claude Code sends what is of type `http` to the proxy of its environment."""

    def command(timeout_s: int, guards: bool = False) -> dict[str, Any]:
        return {"type": "command", "command": door.line(timeout_s, guards=guards), "timeout": timeout_s}

    told = command(TELLS_S)
    return (
        *_grouped("hooks", {"PreToolUse": command(HOLDS_S, guards=True)}),
        *_grouped("hooks", {"PermissionRequest": command(HOLDS_S)}),
        *_grouped("hooks", {"PostToolUse": told, "PostToolUseFailure": told}, CLAUDE_TOLD),
        *_grouped("hooks", {"SessionStart": told, "SessionEnd": told}),
    )


def codex(door: Door) -> tuple[Entry, ...]:
    """The command line holds no token: Codex trusts a hook by its hash, and a new token must not end that."""

    def command(timeout_s: int, guards: bool = False) -> dict[str, Any]:
        return {"type": "command", "command": door.line(timeout_s, guards=guards), "timeout": timeout_s}

    return (
        *_grouped("hooks", {"PreToolUse": {**command(HOLDS_S, guards=True), "statusMessage": "Steward"}}),
        *_grouped("hooks", {"PermissionRequest": {**command(HOLDS_S), "statusMessage": "Steward"}}),
        *_grouped("hooks", {"PostToolUse": command(TELLS_S), "SessionStart": command(TELLS_S)}),
    )


def gemini_cli(door: Door) -> tuple[Entry, ...]:
    """Time-outs in milliseconds."""

    def command(timeout_s: int, guards: bool = False) -> dict[str, Any]:
        line = door.line(timeout_s, "powershell", guards)
        return {"type": "command", "command": line, "name": "steward", "timeout": timeout_s * 1000}

    told = command(TELLS_S)
    return (
        *_grouped("hooks", {"BeforeTool": command(HOLDS_S, guards=True)}),
        *_grouped("hooks", {"AfterTool": told}, GEMINI_TOLD),
        *_grouped("hooks", {"SessionStart": told, "SessionEnd": told}),
    )


def cursor(door: Door) -> tuple[Entry, ...]:
    """No groups: the handlers stand in the event's own list."""
    held: dict[str, Any] = {"command": door.line(), "timeout": HOLDS_S}
    if door.closed:
        held["failClosed"] = True
    told = {"command": door.line(TELLS_S, guards=False), "timeout": TELLS_S}
    events = {
        "beforeShellExecution": held,
        "beforeMCPExecution": held,
        "preToolUse": {**held, "matcher": CURSOR_TOOLS},
        "afterShellExecution": told,
    }
    return tuple((("hooks", event), handler) for event, handler in events.items())


def copilot_cli(door: Door) -> dict[str, Any]:
    """A file of its own. The case of an event's name selects what is sent.

    In camel case tools have Copilot's own names, but events are not named: that does for those that a tool
    gives away. In Pascal case events are named, and tools have Claude Code's names.
    """

    def command(timeout_s: int, guards: bool = False) -> dict[str, Any]:
        shells = {"bash": "", "powershell": "powershell"}
        lines = {name: door.line(timeout_s, shell, guards) for name, shell in shells.items()}
        return {"type": "command", **lines, "timeoutSec": timeout_s}

    held = {"preToolUse": [command(HOLDS_S, guards=True)], "permissionRequest": [command(HOLDS_S)]}
    told = {event: [command(TELLS_S)] for event in ("postToolUse", "SessionStart", "SessionEnd")}
    return {"version": 1, "hooks": {**held, **told}}


def _grouped(root: str, events: Mapping[str, Mapping[str, Any]], matcher: str = "") -> tuple[Entry, ...]:
    group = {"matcher": matcher} if matcher else {}
    return tuple(((root, event), {**group, "hooks": [handler]}) for event, handler in events.items())


def ours(agent: str) -> Callable[[Any], bool]:
    """Whether a value is a handler of ours for this agent, also from another folder or an older version."""
    url = re.compile(rf"http://(127\.0\.0\.1|localhost|\[::1\]):\d+/hooks/{re.escape(agent)}")
    line = re.compile(rf"(agents[/\\]client\.py|steward-hook(\.exe)?)[\"']* +[\"']*{re.escape(agent)}[\"']* ")

    def is_ours(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        if url.fullmatch(str(value.get("url", ""))):
            return True
        return any(line.search(str(value.get(name, ""))) for name in ("command", "bash", "powershell"))

    return is_ours
