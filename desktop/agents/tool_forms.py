"""How the tools of agents name what they touch: one table an agent, read by one function."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from desktop.agents.action import Action, ActionKind, Moment, folder_of, refuse
from desktop.gate.verdict import Effect

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
    if action.tool in tools.quiet:
        return replace(action, moment=Moment.OTHER)
    form = tools.forms.get(action.tool)
    if form is None:
        # A tool of next month asks: by its name alone nobody knows what it does.
        kind = ActionKind.MCP if action.tool.startswith(tools.mcp) else ActionKind.OTHER
        return replace(action, kind=kind)
    action = replace(action, kind=form.kind, shell=form.shell, why=_why(action.arguments))
    if form.folder and action.arguments.get(form.folder):
        inner = text_of(action.arguments, form.folder)
        action = replace(action, folder=folder_of(str(action.folder / inner)))
    return _with_text(action, form)


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


def _with_text(action: Action, form: Form) -> Action:
    text = text_of(action.arguments, *form.names)
    # A call without what it is about cannot be judged, and must not pass as one about nothing.
    if form.kind not in _LOOKS and all(action.arguments.get(name) is None for name in form.names):
        if form.may_lack:
            return replace(action, kind=ActionKind.OTHER)
        refuse(f"{form.names[0]} is missing")
    if form.is_patch:
        return replace(action, diff=text, path=first_path(text))
    if form.kind is ActionKind.COMMAND:
        return replace(action, command=text)
    if form.kind is ActionKind.FETCH:
        return replace(action, url=text)
    return replace(action, path=text or str(action.folder))


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
