"""The errors of the house.

Exception
├── UserFacing   expected: shown to the user with cause, what was not lost, and one action
├── Cancelled    the user changed their mind: silent
└── the rest     a bug: loud
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class UserFacing(Exception):
    """The world's fault, not ours: told to the user in full sentences.

    `code` is a stable word for scripts and tests (`disk-full`), never shown alone.
    """

    cause: str
    not_lost: str
    action: str
    code: str = "failed"

    def __str__(self) -> str:
        return " ".join(part for part in (self.cause, self.not_lost, self.action) if part)


class Cancelled(Exception):
    """The user, or a newer request, stopped this work. Nothing is shown."""
