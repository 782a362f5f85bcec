"""The errors of the house.

Exception
├── UserFacing   expected: shown to the user with cause, what was not lost, and one action
├── Cancelled    the user changed their mind: silent
└── the rest     a bug: loud
"""

from __future__ import annotations

from desktop.reasons import Reason, error_word


class UserFacing(Exception):
    """The world's fault, not ours: told to the user in full sentences.

    `reason` is what happened, as a value; its table holds the three sentences. `code` is a stable word for
    scripts and tests (`disk-full`), never shown alone. The attributes are in English: a window words
    `reason` in its own language.
    """

    # The three sentences given one by one are the older way: rooms leave it one after another.
    def __init__(
        self, cause: Reason | str, not_lost: str = "", action: str = "", code: str = "failed"
    ) -> None:
        super().__init__(cause, not_lost, action, code)
        self.reason = cause if isinstance(cause, Reason) else None
        if isinstance(cause, Reason):
            self.cause, self.not_lost, self.action = cause.parts()
            self.code = error_word(cause.code)
        else:
            self.cause, self.not_lost, self.action, self.code = cause, not_lost, action, code

    def __str__(self) -> str:
        return " ".join(part for part in (self.cause, self.not_lost, self.action) if part)


class Cancelled(Exception):
    """The user, or a newer request, stopped this work. Nothing is shown."""
