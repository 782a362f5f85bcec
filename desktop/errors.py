"""The errors of the house.

Exception ├── UserFacing   expected: shown to the user with cause, what was not lost, and one action ├──
Cancelled    the user changed their mind: silent └── the rest     a bug: loud
"""

from __future__ import annotations

from desktop.reasons import Reason


class UserFacing(Exception):
    """The world's fault, not ours: told to the user in full sentences.

    `reason` is what happened, as a value; its table holds the three sentences. `code` is a stable word for
    scripts and tests (`disk-full`), never shown alone. The attributes are in English: a window words
    `reason` in its own language.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cause, self.not_lost, self.action = reason.parts()
        self.code = reason.error_word

    def __str__(self) -> str:
        return " ".join(part for part in (self.cause, self.not_lost, self.action) if part)


def without_frames(error: UserFacing) -> UserFacing:
    """The same, without the frames that it and what it came of went through: whoever keeps an error would
    otherwise keep all that these held, whole conversations among it."""
    each: BaseException | None = error
    while each is not None:
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
    return error


class WithReason(Exception):
    """Raised within a room, for who calls to act on; `reason` is what is told of it, if anything is."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Cancelled(Exception):
    """The user, or a newer request, stopped this work. Nothing is shown."""
