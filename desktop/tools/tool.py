"""A tool: a function, what the model is told about it, and what the gate has to know before it runs.

The schema comes from the signature, the description from the first line of the docstring, and those of the
parameters from its lines of the form `name: text`. So a tool is a plain method, and cannot drift from what
is said about it.
"""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from desktop.asking import CommandView, FileMatch, NetworkUse
from desktop.cancellation import Token
from desktop.gate.verdict import Effect, Flag, Step
from desktop.reasons import Reason, ReasonCode


@dataclass(frozen=True)
class ToolResult:
    """`changes` are the numbers of journal entries, in the order in which they happened. `exit_code` is that
    of a command; None of everything else.
    """

    text: str
    changes: tuple[int, ...] = ()
    exit_code: int | None = None


PATHS = frozenset({"path", "source", "destination"})  # parameters that name a file or folder
DESCRIPTION_WORDS = 15
TIMEOUT_S = 30.0  # where nobody has set another


@dataclass
class Running:
    """One call under way. A parameter of this type is filled in by the executor and unknown to the model.

    `allowed_outside` are files beyond the workspace that the user has agreed to, resolved. A tool that works
    for long registers with `on_stop` how to end it; that is called on another thread. `timeout_s` is how long
    the call may take. `untrusted` names where texts of others came from that the conversation has. `token`
    ends with the call: what has not begun by then never does. `keeps_copies`: the user wants what a command
    changes kept before it runs.
    """

    call_id: str
    allowed_outside: frozenset[Path] = frozenset()
    timeout_s: float = TIMEOUT_S
    untrusted: tuple[str, ...] = ()
    stopped: threading.Event = field(default_factory=threading.Event)
    token: Token = field(default_factory=Token)
    keeps_copies: bool = False
    _endings: list[Callable[[], None]] = field(default_factory=list)

    def on_stop(self, end: Callable[[], None]) -> None:
        self._endings.append(end)
        if self.stopped.is_set():
            end()

    def stop(self) -> None:
        self.stopped.set()
        self.token.end()
        for end in list(self._endings):
            end()


@dataclass(frozen=True)
class Plan:
    """What one call would do, found out without doing it: for the gate and for the question to the user.

    `title` is a question with verb and object, `says` one plain sentence. `parts` is all that it touches or
    runs, paths absolute and resolved, for grants and the log. `outside` is the resolved path when it lies
    beyond the workspace.
    """

    title: Reason
    says: Reason
    effect: Effect
    flags: frozenset[Flag] = frozenset()
    parts: tuple[str, ...] = ()
    below: tuple[str, ...] = ()  # folders of which it reads all that is in them
    diff: str = ""
    files: tuple[FileMatch, ...] = ()
    reversible: bool | None = None  # None: there is nothing to undo
    to_trash: bool = False  # what it removes can be brought back from there
    outside: Path | None = None
    command: str = ""
    places: str = ""  # what it is about, a path a line, in place of the arguments
    view: CommandView | None = None  # how a command is shown
    never: Reason | None = None  # why it is never done, whatever was allowed
    commands: tuple[str, ...] = ()  # those of the line, without quotes, for rules
    steps: tuple[Step, ...] = ()  # the same one by one, with what each does
    touched: tuple[str, ...] = ()  # paths that the line makes, changes or removes
    is_static: bool = True  # all of the command line can be read off its text
    source: str = ""  # where the result comes from, when that is not the user's own workspace
    own_notes: bool = False  # changes nothing but the notes kept in Steward
    warning: Reason | None = None  # what the user should not overlook, in a sentence
    network: NetworkUse | None = None  # of what runs code that is not Steward's own
    hosts: tuple[str, ...] = ()  # all that it talks to, where that is known
    pin: str = ""  # of a server's tool: a grant covers it as long as that stays the same


class ParameterType(StrEnum):
    """JSON schema's word for a parameter's type."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    ARRAY = "array"
    OBJECT = "object"


_KINDS = {
    str: ParameterType.STRING,
    int: ParameterType.INTEGER,
    float: ParameterType.NUMBER,
    bool: ParameterType.BOOLEAN,
}


@dataclass(frozen=True)
class Parameter:
    """One argument. `choices` are all that is accepted; `is_path` lets the repair tidy it as a path;
    `is_address`: its schema says that it is an address, whatever it is called."""

    name: str
    kind: ParameterType
    required: bool = True
    description: str = ""
    choices: tuple[Any, ...] = ()
    is_path: bool = False
    items: ParameterType | None = None
    is_address: bool = False

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": self.kind.value}
        if self.description:
            found["description"] = self.description
        if self.choices:
            found["enum"] = list(self.choices)
        if self.items is not None:
            found["items"] = {"type": self.items.value}
        return found


# Arguments as the model gave them and what the user wrote, to arguments in which nothing is made up.
Mend = Callable[[Mapping[str, Any], str], dict[str, Any]]

NEVER = r"(?!)"  # as the words of a tool: nothing fits it


@dataclass(frozen=True)
class ToolHint:
    """What the model need not find out about one of Steward's own tools.

    `words` is a regular expression, without regard to case, in English and German: a request that says them
    speaks for the tool and brings it into question, one that does not speaks against it. "": the model alone
    chooses. `only_said`: it comes into question only where its words are said, or where nothing else fits.
    `leads_on`: what it gives is often only where to look next, so that another call may have to follow.
    `file` is the argument that names a file, taken from those that the request names where it names any.
    `written_apart` is an argument that is a whole text, which a small model writes better by itself than
    inside a call. `alone`: the request means this tool's server, so that only its tools come into question.
    `tells`: it does something, and what it answers says that it did.
    """

    words: str = ""
    only_said: bool = False
    leads_on: bool = False
    file: str = ""
    written_apart: str = ""
    alone: bool = False
    tells: bool = False

    @property
    def is_against(self) -> bool:
        """Whether the request speaks against the tool."""
        return self.words == NEVER

    def is_said(self, request: str) -> bool:
        return bool(self.words) and _compiled(self.words).search(request) is not None


@cache
def _compiled(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


@dataclass(frozen=True)
class Tool:
    """What the assistant can call.

    `effect` and `flags` are the worst that a call can do; `plan`, called with the arguments, says more about
    one call and may raise UserFacing where it cannot work anyway. `untrusted_result`: the text comes from
    somewhere else and may try to speak to the model. `timeout_s` None: as the settings say; a tool that ends
    by itself at that time gets `grace_s` more, to tell what there is until then.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    function: Callable[..., ToolResult | str]
    effect: Effect
    flags: frozenset[Flag] = frozenset()
    plan: Callable[..., Plan] | None = None
    untrusted_result: bool = False
    timeout_s: float | None = None
    grace_s: float = 0.0
    wants: Mapping[str, str] = field(default_factory=dict)  # parameter: "running" or "call", filled in for it
    mend: Mend | None = None
    hint: ToolHint = ToolHint()
    verb: ReasonCode | None = None  # what its card says, about `what`; without one it is told by its name
    # What its card says instead where the arguments alone would tell nobody what is meant, such as a number.
    # They come as the model wrote them; None: they tell nothing, either.
    title: Callable[[Mapping[str, Any]], Reason | None] | None = None
    shown_schema: Mapping[str, Any] | None = None  # of parameters that need more than `Parameter` can say
    gate_name: str = ""  # under which rules, grants and the log know it, where the model has a shorter one

    @cached_property
    def signature(self) -> str:
        """All of it in one line, for a model that need not write the arguments' names by itself."""
        # Kept: every turn shows those of all tools.
        names = ", ".join(each.name if each.required else f"{each.name}?" for each in self.parameters)
        return f"{self.name}({names}): {self.description}"

    def schema(self) -> dict[str, Any]:
        """What a chat template shows."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.description,
                "parameters": self.shown_schema
                or {
                    "type": "object",
                    "properties": {p.name: p.schema() for p in self.parameters},
                    "required": [p.name for p in self.parameters if p.required],
                },
            },
        }


def tool(function: Callable[..., ToolResult | str], effect: Effect, **more: Any) -> Tool:
    """Make a tool of a function with annotated parameters and a docstring. Raises ValueError where they say
    too little or too much for a small model.

    A parameter `call` gets the id of the call, one of the type Running the call itself; the model knows of
    neither.
    """
    name = function.__name__
    summary, about = _read_docstring(name, function)
    hints = get_type_hints(function)
    parameters, wants = [], {}
    for found in inspect.signature(function).parameters.values():
        if hints[found.name] is Running:
            wants[found.name] = "running"
        elif found.name == "call":
            wants[found.name] = "call"
        else:
            parameters.append(_parameter(found, hints[found.name], about.get(found.name, "")))
    return Tool(name, summary, tuple(parameters), function, effect, wants=wants, **more)


def _read_docstring(name: str, function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    lines = (inspect.getdoc(function) or "").splitlines()
    summary = lines[0].strip() if lines else ""
    first = re.match(r".*?[.](?=\s|$)", summary)
    if len(summary.split()) > DESCRIPTION_WORDS and first is not None:
        summary = first[0]
    if not summary or len(summary.split()) > DESCRIPTION_WORDS:
        raise ValueError(f"{name} needs a description of at most {DESCRIPTION_WORDS} words")
    pairs = (line.partition(": ") for line in lines[1:])
    return summary, {key.strip(): text.strip() for key, colon, text in pairs if colon}


def _parameter(found: inspect.Parameter, hint: Any, description: str) -> Parameter:
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    kind = ParameterType.STRING if choices else _KINDS.get(hint)
    if kind is None:
        raise ValueError(
            f"{found.name}: a parameter is a {', a '.join(each.__name__ for each in _KINDS)} or a Literal"
        )
    required = found.default is inspect.Parameter.empty
    return Parameter(found.name, kind, required, description, choices, is_path=found.name in PATHS)


def _fits_none(_text: str) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True)
class ToolCatalogue:
    """Tools that can be called and that not every prompt shows. `fits` says of those that come into question
    how well the words of a text fit them, by name; a request's own words and others that say the same. `own`
    has, by the name of a tool, that of Steward's own which does the same for this request; `outdone` are
    those of Steward's own that cannot be told all that the request says, where one that does the same can.
    `is_told`: the request gives a value that can be nothing but one for a tool. `is_theirs`: it names a thing
    that none of Steward's own tools is for, such as a branch."""

    tools: tuple[Tool, ...] = ()
    fits: Callable[[str], Mapping[str, float]] = _fits_none
    own: Mapping[str, str] = field(default_factory=dict)
    outdone: frozenset[str] = frozenset()
    is_told: bool = False
    is_theirs: bool = False


class Toolbox:
    """The tools of one conversation, in the order in which the model sees them. Those of `catalogue` can be
    called, too."""

    def __init__(self, tools: Sequence[Tool] = (), catalogue: ToolCatalogue | None = None) -> None:
        self._tools: Mapping[str, Tool] = {each.name: each for each in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools have the same name")
        self.catalogue = catalogue or ToolCatalogue()
        self._more = {each.name: each for each in self.catalogue.tools}

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name) or self._more.get(name)

    def schemas(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(each.schema() for each in self._tools.values())
