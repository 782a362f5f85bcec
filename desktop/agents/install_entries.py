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

# A matcher with other characters than those of names is a regular expression that may match anywhere.
CLAUDE_TOOLS = "^(Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|WebFetch|Monitor|REPL|mcp__.*)$"
CURSOR_TOOLS = "Write|Edit|StrReplace|Delete|WebFetch"  # shell and MCP have events of their own
GEMINI_TOOLS = "^(run_shell_command|write_file|replace|web_fetch|mcp_.*)$"

Entry = tuple[tuple[str, ...], Mapping[str, Any]]


@dataclass(frozen=True)
class Door:
    """How the hooks of one agent reach the daemon. `closed`: refuse where nobody answers."""

    agent: str
    port: int
    address: str  # what the client is given: the port, or the path of the Unix socket
    token: str
    token_file: Path
    client: Client
    closed: bool = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks/{self.agent}"

    def line(self, holds_s: int = HOLDS_S, shell: str = "") -> str:
        """The client's command line, quoted for the shell that the agent starts it with."""
        words = [*self.client.words, self.agent, self.address, f"@{self.token_file}", str(holds_s - SPARE_S)]
        return quoted([*words, *(["--fail-closed"] if self.closed else [])], self.client.windows, shell)


def quoted(words: list[str], windows: bool, shell: str = "") -> str:
    """For sh; on Windows for cmd and Git's bash, whose common ground is forward slashes, or PowerShell."""
    if not windows:
        return shlex.join(words)
    if shell == "powershell":
        return "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return subprocess.list2cmdline([word.replace("\\", "/") for word in words])


def claude_code(door: Door) -> tuple[Entry, ...]:
    """Straight to the daemon; a client only where Claude Code takes no `http`, or where one must refuse."""

    def http(timeout_s: int) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {door.token}"}
        return {"type": "http", "url": door.url, "timeout": timeout_s, "headers": headers}

    def command(timeout_s: int) -> dict[str, Any]:
        return {"type": "command", "command": door.line(timeout_s), "timeout": timeout_s}

    before = command(HOLDS_S) if door.closed else http(HOLDS_S)
    return (
        *_grouped("hooks", {"PreToolUse": before}, CLAUDE_TOOLS),
        *_grouped("hooks", {"PermissionRequest": http(HOLDS_S)}, CLAUDE_TOOLS),
        *_grouped("hooks", {"PostToolUse": http(TELLS_S), "PostToolUseFailure": http(TELLS_S)}, CLAUDE_TOOLS),
        *_grouped("hooks", {"SessionStart": command(TELLS_S), "SessionEnd": http(TELLS_S)}),
    )


def codex(door: Door) -> tuple[Entry, ...]:
    """The command line holds no token: Codex trusts a hook by its hash, and a new token must not end that."""

    def command(timeout_s: int) -> dict[str, Any]:
        return {"type": "command", "command": door.line(timeout_s), "timeout": timeout_s}

    return (
        *_grouped("hooks", {"PreToolUse": {**command(HOLDS_S), "statusMessage": "Steward"}}),
        *_grouped("hooks", {"PermissionRequest": {**command(HOLDS_S), "statusMessage": "Steward"}}),
        *_grouped("hooks", {"PostToolUse": command(TELLS_S), "SessionStart": command(TELLS_S)}),
    )


def gemini_cli(door: Door) -> tuple[Entry, ...]:
    """Time-outs in milliseconds."""

    def command(timeout_s: int) -> dict[str, Any]:
        line = door.line(timeout_s, "powershell")
        return {"type": "command", "command": line, "name": "steward", "timeout": timeout_s * 1000}

    tools = {"BeforeTool": command(HOLDS_S), "AfterTool": command(TELLS_S)}
    sessions = {"SessionStart": command(TELLS_S), "SessionEnd": command(TELLS_S)}
    return (*_grouped("hooks", tools, GEMINI_TOOLS), *_grouped("hooks", sessions))


def cursor(door: Door) -> tuple[Entry, ...]:
    """No groups: the handlers stand in the event's own list."""
    held: dict[str, Any] = {"command": door.line(), "timeout": HOLDS_S}
    if door.closed:
        held["failClosed"] = True
    told = {"command": door.line(TELLS_S), "timeout": TELLS_S}
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

    def command(timeout_s: int) -> dict[str, Any]:
        lines = {"bash": door.line(timeout_s), "powershell": door.line(timeout_s, "powershell")}
        return {"type": "command", **lines, "timeoutSec": timeout_s}

    held = {event: [command(HOLDS_S)] for event in ("preToolUse", "permissionRequest")}
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
