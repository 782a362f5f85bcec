"""What a coding agent is about to do, in words that all agents share, and what it is told.

How the tools of agents name what they touch is one table an agent (`Tools`), read by one function (`used`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

from desktop.agents.reasons import AgentReason
from desktop.errors import UserFacing
from desktop.gate.verdict import Effect

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
    also: tuple[str, ...] = ()  # further files of a call that reads, or patterns of such, from `path` on
    only_names: bool = False  # it tells names of files, and nothing that they hold
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

    def arguments_with(self, command: str) -> dict[str, Any]:
        """All arguments of the call with another command among them."""
        return {**self.arguments, COMMAND: command}


class HookChoice(StrEnum):
    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"  # let the agent's own prompt decide
    NO_OPINION = "no opinion"


@dataclass(frozen=True)
class HookResponse:
    """What is decided. `always`: the user agreed to all like it, so that a suggestion may be echoed.

    `command` is to run in place of the agent's own, "" for its own. An allow holds for that line alone: an
    agent that has no form for it at this moment is not told allow.
    """

    choice: HookChoice
    reason: str = ""
    always: bool = False
    context: str = ""  # for the agent to read
    command: str = ""


NO_OPINION = HookResponse(HookChoice.NO_OPINION)


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
    # A part of a folder would be taken from where Steward itself was started.
    return path if path.is_absolute() and "\0" not in text else Path("/")


# What an agent runs commands with when it does not say.
USERS_SHELL = "powershell" if sys.platform == "win32" else "bash"


# A tool of this kind without a path works on the folder that it is in.
_LOOKS = (ActionKind.READ,)


@dataclass(frozen=True)
class Form:
    """One tool. `names` are the arguments that may hold the command, path, address or patch.

    The first that is there counts. `folder` is the argument that names another working folder, `shell` what
    the command is written for.
    """

    kind: ActionKind
    names: tuple[str, ...] = ()
    shell: str | None = None
    folder: str = ""
    is_patch: bool = False
    only_names: bool = False  # it tells names of files, and nothing that they hold
    may_lack: bool = False  # without any of the names it does something else, which is not known


@dataclass(frozen=True)
class Tools:
    """The tools of an agent: those that touch something, and those that only steer the agent itself.

    Nothing is decided about the quiet ones. What is in neither is of unknown effect, which asks.
    """

    forms: Mapping[str, Form]
    quiet: frozenset[str] = frozenset()
    mcp: tuple[str, ...] = ("mcp__",)  # how the names of MCP tools begin

    @property
    def reading(self) -> tuple[str, ...]:
        """What looks at files of this computer, and what only steers the agent; in order of name."""
        looks = [name for name, form in self.forms.items() if form.kind is ActionKind.READ]
        return tuple(sorted({*looks, *self.quiet}))


def used(tools: Tools, action: Action) -> Action:
    """`action`, which has tool and arguments, with what they say filled in. Raises BadPayload."""
    # First: they only steer the agent, and need not have the arguments of a form.
    if action.tool in tools.quiet:
        return replace(action, moment=Moment.OTHER)
    form = tools.forms.get(action.tool)
    if form is None:
        # A tool of next month asks: by its name alone nobody knows what it does.
        kind = ActionKind.MCP if action.tool.startswith(tools.mcp) else ActionKind.OTHER
        return replace(action, kind=kind)
    folder = action.folder
    if form.folder and action.arguments.get(form.folder):
        folder = folder_of(str(folder / text_of(action.arguments, form.folder)))
    found = {"kind": form.kind, **_text_in(action.arguments, form, folder)}
    if form.kind in _LOOKS:
        found |= {"also": _also(action.arguments), "only_names": form.only_names}
    return replace(action, folder=folder, shell=form.shell, why=_why(action.arguments), **found)


def text_of(arguments: Mapping[str, Any], *names: str) -> str:
    """The first of the arguments that is there; "" where none is. Raises BadPayload where it is no text."""
    for name in names:
        value = arguments.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            refuse(f"{name} is not text")
        return value
    return ""


# What agents call the arguments that choose among the files below a folder, or name several.
_CHOOSE = ("paths", "include", "include_pattern", "glob", "glob_pattern", "globs")


def _also(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """The further files that a call which reads names. Raises BadPayload where one is no text."""
    found: list[str] = []
    for name in _CHOOSE:
        value = arguments.get(name)
        values = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(each, str) for each in values):
            refuse(f"{name} is not text")
        found += values
    return tuple(found)


def _text_in(arguments: Mapping[str, Any], form: Form, folder: Path) -> dict[str, Any]:
    """The fields of an Action that say what the call is about. Raises BadPayload."""
    text = text_of(arguments, *form.names)
    # A call without what it is about cannot be judged, and must not pass as one about nothing.
    if form.kind not in _LOOKS and all(arguments.get(name) is None for name in form.names):
        if form.may_lack:
            return {"kind": ActionKind.OTHER}
        refuse(f"{form.names[0]} is missing")
    if form.is_patch:
        return {"diff": text, "path": first_path(text)}
    if form.kind is ActionKind.COMMAND:
        return {"command": text}
    if form.kind is ActionKind.FETCH:
        return {"url": text}
    return {"path": text or str(folder)}


def _why(arguments: Mapping[str, Any]) -> str:
    why = arguments.get("description")
    return why if isinstance(why, str) else ""


BEGIN = "*** Begin Patch"

_HEADS = {
    "*** Add File: ": Effect.CREATE,
    "*** Update File: ": Effect.UPDATE,
    "*** Move to: ": Effect.UPDATE,
    "*** Delete File: ": Effect.DELETE,
}

_PLAIN = (BEGIN, "*** End Patch", "*** End of File")


@dataclass(frozen=True)
class Patched:
    """One file that a patch touches; `path` as written."""

    path: str
    effect: Effect


def is_patch(text: str) -> bool:
    return text.lstrip().startswith(BEGIN)


def patched(text: str) -> tuple[Patched, ...] | None:
    """The files of a patch, in its order; None when it is not understood, or touches nothing."""
    if not is_patch(text):
        return None
    found: list[Patched] = []
    for line in text.splitlines():
        bare = line.strip()
        # Lines of content begin with a sign of their own; only headings count.
        if not bare.startswith("***"):
            continue
        head = next((head for head in _HEADS if bare.startswith(head)), None)
        if head is not None:
            found.append(Patched(bare[len(head) :].strip(), _HEADS[head]))
        elif bare not in _PLAIN:
            return None
    return tuple(found) or None


def first_path(text: str) -> str:
    """The first file of a patch; "" where it is not understood."""
    files = patched(text)
    return files[0].path if files else ""
