"""Questions go through one door.

A question has a text, choices, a default, a time limit and exactly one answer. No answer means the
default, which is always the safe one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Choice:
    """One button: a stable `key` for code and a `label`, a verb, for people."""

    key: str
    label: str


@dataclass(frozen=True)
class Question:
    """What the user is asked. `default` is the key of the safe choice."""

    title: str
    text: str
    choices: tuple[Choice, ...]
    default: str
    details: str = ""
    timeout_s: float | None = 300.0

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
