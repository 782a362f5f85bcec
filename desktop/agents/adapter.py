"""What every coding agent's adapter promises, and how all of them read JSON that others wrote.

An adapter knows one vendor's wire form and nothing else: bytes in, an `Action`; a `Ruling` in, bytes out. It
decides nothing. Whatever comes in, it answers with an allow only for a ruling that allows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from desktop.agents.action import Action, BadPayload, Choice, Moment, Reply, Ruling

LARGEST_BYTES = 4_000_000
DEEPEST = 64  # levels of lists and objects; what agents send has five or six
LONGEST_TEXT = 10_000  # characters of one string in an answer; Claude Code cuts there


@dataclass(frozen=True)
class Abilities:
    """What an agent lets a hook do. Shown in the window and in the manual as it stands here.

    `honours_ask`: "ask" makes the agent prompt by itself. `silence_runs`: without an opinion from us the
    agent may go ahead unasked. `holds`: the longest time-out in seconds that it grants a hook. `can` and
    `cannot` are sentences for people. `rewrites`: the moments at which it runs another command in place of
    its own when told so; `rewrites_tried` is the version with which that was seen. `keeps_folder`: a command
    goes on in the folder in which the one before it ended. `sandboxes`: it has a sandbox of its own around
    commands, in which ours may not be able to work; only a report tells. `hands_on` is a line for its shell
    that lets another shell started by it know what this one was given, such as functions.
    """

    can_allow: bool
    can_deny: bool
    honours_ask: bool
    silence_runs: bool
    holds: float
    can: str
    cannot: str
    rewrites: frozenset[Moment] = frozenset()
    rewrites_tried: str = ""
    keeps_folder: bool = False
    sandboxes: bool = False
    hands_on: str = ""

    @property
    def can_rewrite(self) -> bool:
        return bool(self.rewrites)

    @property
    def words(self) -> str:
        """All sentences, the good news first."""
        return f"{self.can} {self.cannot} {self.enforced}".strip()

    @property
    def enforced(self) -> str:
        """Whether a verdict can be more than a belief, in one sentence."""
        if not self.can_rewrite:
            return "Its commands cannot be confined: it takes no other command in place of its own."
        return f"Its commands can be confined (seen with version {self.rewrites_tried})."


class Adapter(Protocol):
    """One coding agent. Pure; any thread."""

    name: str  # in addresses, settings and the log
    title: str  # for people
    abilities: Abilities

    def read(self, body: bytes) -> Action:
        """What the agent is about to do. Raises BadPayload."""
        ...

    def reply(self, action: Action, ruling: Ruling) -> Reply:
        """The ruling in the agent's own form; it says allow for no other ruling than ALLOW.

        A ruling with a command is put as an allow of that command, or as no allow.
        """
        ...

    def unanswered(self, action: Action) -> Choice:
        """What to say where nobody answers: never ALLOW, and DENY where anything milder could run it."""
        ...


class Wire(BaseModel):
    """A form that an agent sends. Vendors add fields every month; those are kept and not looked at."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Answer(BaseModel):
    """A form that an agent expects: exactly these fields in camelCase, those that are None left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)

    def as_reply(self) -> Reply:
        return Reply(json.dumps(self.model_dump(exclude_none=True, by_alias=True)).encode())


W = TypeVar("W", bound=Wire)


def read_wire(form: type[W], body: bytes) -> W:
    """`body` as `form`. Raises BadPayload."""
    return fitted(form, read_json(body))


def fitted(form: type[W], value: Mapping[str, Any]) -> W:
    """`value` as `form`. Raises BadPayload that names the field."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        refuse(f"{where}: {first['msg'].lower()}")


def read_json(body: bytes) -> dict[str, Any]:
    """A JSON object within the limits. Raises BadPayload; nothing in `body` raises anything else."""
    if len(body) > LARGEST_BYTES:
        refuse(f"it is larger than {LARGEST_BYTES:,} bytes")
    try:
        value = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        refuse("it is not JSON", error)
    if not isinstance(value, dict):
        refuse("it is not a JSON object")
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        _check_depth(value)
    return _well_formed(value) if b"\\u" in body else value


def refuse(why: str, error: Exception | None = None) -> NoReturn:
    """Raise BadPayload."""
    raise BadPayload(
        f"The hook could not be read: {why}.",
        "Nothing was allowed.",
        "Check the version of the agent and of Steward.",
        code="bad-payload",
    ) from error


def capped(text: str) -> str:
    """At most `LONGEST_TEXT` characters."""
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def rewritten(action: Action, ruling: Ruling) -> dict[str, Any] | None:
    """All arguments of the call with the ruling's command among them; None where it allows none."""
    if ruling.choice is not Choice.ALLOW or not ruling.command:
        return None
    return dict(action.with_command(ruling.command).arguments)


def folder_of(text: str) -> Path:
    """The working folder; the root where the agent names none or only a part of one."""
    path = Path(text)
    return path if path.is_absolute() and "\0" not in text else Path("/")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_depth(value: Any) -> None:
    level = [value]
    for _depth in range(DEEPEST):
        level = [inner for each in level for inner in _inside(each) if isinstance(inner, dict | list)]
        if not level:
            return
    refuse(f"it is nested deeper than {DEEPEST} levels")


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _well_formed(value: dict[str, Any]) -> dict[str, Any]:
    """Half a surrogate pair becomes the mark that a runtime puts in its place when it starts a program."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return dict(json.loads(whole))
    return value
