"""What worked after a failure: stored as a change of arguments, told with how often it worked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from desktop.memory.item import Layer

PROMOTED_AT = 0.8
PROMOTED_FROM = 3  # successes
SHORTEST_NAME = 3  # characters; a shorter one stands in every other word


@dataclass(frozen=True)
class Fix:
    """One resolution of a problem: `before` failed, `after` worked. Names in both are those of the failure
    at hand.

    `layer` and `scope` say where it is offered.
    """

    id: int
    problem_id: int
    tool: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    applications: int
    successes: int
    last_at: float
    layer: Layer
    scope: str
    message: str
    forbidden: bool = False

    @property
    def rank(self) -> float:
        """Laplace's rule of succession: one success of one is no certainty."""
        return (self.successes + 1) / (self.applications + 2)

    @property
    def may_be_promoted(self) -> bool:
        return self.rank >= PROMOTED_AT and self.successes >= PROMOTED_FROM

    def may_apply_itself(self, only_reads: bool) -> bool:
        """Without asking: a trusted repair of the arguments of a tool that only reads."""
        return only_reads and self.may_be_promoted and not self.forbidden

    @property
    def changed(self) -> dict[str, Any]:
        """The arguments that are different in what worked."""
        return {name: value for name, value in self.after.items() if self.before.get(name) != value}

    def in_words(self) -> str:
        """For the button: "worked 4 of 5 times, last 12 Nov"."""
        day = datetime.fromtimestamp(self.last_at).astimezone()
        times = "time" if self.applications == 1 else "times"
        return f"worked {self.successes} of {self.applications} {times}, last {day.day} {day:%b}"

    def for_retry(self) -> str:
        """One line for the model's next try."""
        failed, worked = said(self.before), said(self.after)
        return f"Last time `{failed}` failed with `{self.message[:120]}`, `{worked}` worked."


def said(arguments: Mapping[str, Any]) -> str:
    """A call's arguments on one line."""
    if "command" in arguments:
        return " ".join(str(arguments["command"]).split())
    return ", ".join(f"{name}={value}" for name, value in arguments.items())


def with_slots(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """As JSON, with the names of the failure replaced by their numbers, so that it fits another failure."""
    slots = {name: f"\x02{n}\x03" for n, name in enumerate(names) if len(name) >= SHORTEST_NAME}
    return json.dumps(_replaced(arguments, slots), sort_keys=True)


def filled(stored: str, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The arguments for a failure with these names; None where it names fewer things."""
    text = json.loads(stored)
    found = _replaced(text, {f"\x02{n}\x03": name for n, name in enumerate(names)})
    return None if "\\u0002" in json.dumps(found) else found


def is_of_one_name(before: str, after: str) -> bool:
    """Whether something named in the failure was replaced by something else: good for that one name only."""
    old, new = json.loads(before), json.loads(after)
    changed = [name for name in old if name in new and old[name] != new[name]]
    return any("\x02" in str(old[name]) and "\x02" not in str(new[name]) for name in changed)


def _replaced(value: Any, changes: Mapping[str, str]) -> Any:
    """The longest first: a folder's name may be the beginning of a file's."""
    if isinstance(value, str):
        for old in sorted(changes, key=len, reverse=True):
            value = value.replace(old, changes[old])
        return value
    if isinstance(value, Mapping):
        return {name: _replaced(each, changes) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replaced(each, changes) for each in value]
    return value
