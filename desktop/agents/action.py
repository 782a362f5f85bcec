"""What a coding agent is about to do, in words that all agents share, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

from desktop.agents.reasons import AgentReason
from desktop.errors import UserFacing

COMMAND = "command"  # the argument of every agent's shell tools that holds the line


class Moment(StrEnum):
    """When an agent's hook fires."""

    BEFORE = "before"  # a tool is about to run
    PERMISSION = "permission"  # the agent itself would ask now
    AFTER = "after"  # it ran
    FAILED = "failed"  # it ran, and failed
    SESSION_START = "session start"
    SESSION_END = "session end"
    OTHER = "other"  # nothing is decided


class ActionKind(StrEnum):
    """What kind of thing it does."""

    COMMAND = "command"
    WRITE = "write"
    EDIT = "edit"
    DELETE = "delete"
    READ = "read"
    FETCH = "fetch"
    MCP = "mcp"
    OTHER = "other"


FILE_KINDS = (ActionKind.READ, ActionKind.WRITE, ActionKind.EDIT, ActionKind.DELETE)


@dataclass(frozen=True)
class Action:
    """One hook, read. What does not apply is empty.

    `arguments` are the agent's own, complete: what is allowed is exactly what was shown. `shell` is bash or
    powershell, None where the agent does not say. `unguarded`: the agent runs in a mode in which silence
    means that it goes ahead without asking anybody.
    """

    agent: str
    moment: Moment
    kind: ActionKind = ActionKind.OTHER
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    shell: str | None = None
    path: str = ""
    diff: str = ""
    url: str = ""
    folder: Path = Path("/")
    session: str = ""
    call_id: str = ""
    why: str = ""  # the agent's own words
    suggestions: tuple[Mapping[str, Any], ...] = ()
    result: str = ""  # after: what came of it
    seconds: float | None = None
    unguarded: bool = False
    mode: str = ""  # the agent's own word for how it asks, such as acceptEdits
    changes_settings: bool = False  # the agent's own settings were changed, and it would now use them

    def with_command(self, command: str) -> Action:
        """The same call with another command, every other argument as it was."""
        return replace(self, command=command, arguments={**self.arguments, COMMAND: command})


class HookChoice(StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"  # let the agent's own prompt decide
    NO_OPINION = "no opinion"


@dataclass(frozen=True)
class Ruling:
    """What is decided. `always`: the user agreed to all like it, so that a suggestion may be echoed.

    `command` is to run in place of the agent's own, "" for its own. An allow holds for that line alone: an
    agent that has no form for it at this moment is not told allow.
    """

    choice: HookChoice
    reason: str = ""
    always: bool = False
    context: str = ""  # for the agent to read
    command: str = ""


NO_OPINION = Ruling(HookChoice.NO_OPINION)


@dataclass(frozen=True)
class Reply:
    """The answer in an agent's own form. `exit_code` and `stderr` are for agents that start a client.

    The server sends them as the headers `X-Steward-Exit` (0 to 255 in decimal, left out for 0) and
    `X-Steward-Stderr` (UTF-8, percent-encoded, one line), which the hook clients pass on.
    """

    body: bytes = b""
    exit_code: int = 0
    stderr: str = ""


SILENCE = Reply()


class BadPayload(UserFacing):
    """A hook that cannot be read: not JSON, too large, or not in the agent's form."""


def refuse(why: str, error: Exception | None = None) -> NoReturn:
    """Raise BadPayload."""
    raise BadPayload(AgentReason.BAD_PAYLOAD.of(why=why)) from error


def folder_of(text: str) -> Path:
    """The working folder; the root where the agent names none or only a part of one."""
    path = Path(text)
    return path if path.is_absolute() and "\0" not in text else Path("/")
