"""Questions go through one door.

A question has a text, choices, a default, a time limit and exactly one answer. No answer means the
default, which is always the safe one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True)
class Choice:
    """One button: a stable `key` for code and a `label`, a verb, for people."""

    key: str
    label: str


class Risk(StrEnum):
    """What an action does at worst, for the icon and the word beside it."""

    READS = "reads"
    CHANGES = "changes"
    RUNS = "runs"
    SENDS = "sends"
    DELETES = "deletes"


# Keys of the choices when permission is asked; which of them are offered is the asker's caller's to say.
DENY, ALLOW_ONCE, ALLOW_CHAT, ALLOW_ALWAYS = "deny", "allow-once", "allow-chat", "allow-always"


@dataclass(frozen=True)
class Permission:
    """What a question about permission shows, complete: nothing of it may be cut in the dialog.

    `arguments` are name and value in the order of the call. `says` is one plain line, written by rules: what
    is touched, whether it can be undone, whether the network is used. `why` is in the model's words.
    `diff` is a unified diff of a write. `files` are what a pattern or a folder comes to. `dangerous` makes
    Allow red.
    """

    tool: str
    risk: Risk
    says: str
    arguments: tuple[tuple[str, str], ...] = ()
    why: str = ""
    diff: str = ""
    files: tuple[str, ...] = ()
    dangerous: bool = False


@dataclass(frozen=True)
class Question:
    """What the user is asked. `default` is the key of the safe choice."""

    title: str
    text: str
    choices: tuple[Choice, ...]
    default: str
    details: str = ""
    timeout_s: float | None = 300.0
    permission: Permission | None = None

    def __post_init__(self) -> None:
        if self.default not in {choice.key for choice in self.choices}:
            raise ValueError(f"the default {self.default!r} is not one of the choices")


class AskTimedOut(Exception):
    """Nobody answered within the question's time limit."""


class Asker(Protocol):
    """Asks the user and waits. Never called on the main thread or a server's thread."""

    def ask(self, question: Question) -> str:
        """Return the key of the choice; raises AskTimedOut, or Cancelled when the asker is closing."""
        ...
