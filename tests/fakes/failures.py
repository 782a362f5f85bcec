"""Errors and reasons with sentences of a test's own, which no table holds."""

from __future__ import annotations

from dataclasses import dataclass

from desktop.errors import UserFacing
from desktop.reasons import ENGLISH, Reason, ReasonCode


class MadeUp(ReasonCode):
    """Stands for any code; no sentence belongs to it."""

    FAILURE = "made-up.failure"


@dataclass(frozen=True, slots=True)
class Worded(Reason):
    """Says the same in every language."""

    said: tuple[str, str, str] = ("", "", "")
    word: str = "failed"

    def in_language(self, language: str) -> str:
        return " ".join(part for part in self.said if part)

    def parts(self, language: str = ENGLISH) -> tuple[str, str, str]:
        return self.said

    @property
    def error_word(self) -> str:
        return self.word


def failure(cause: str, not_lost: str = "", action: str = "", code: str = "failed") -> UserFacing:
    """A UserFacing with these sentences."""
    return UserFacing(Worded(MadeUp.FAILURE, said=(cause, not_lost, action), word=code))


def spoken(text: str) -> Reason:
    """A reason that says `text`."""
    return Worded(MadeUp.FAILURE, said=(text, "", ""))
