"""What a tool gives back: words for the model, and what the card needs for Undo."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ToolResult:
    """`changes` are the numbers of journal entries, in the order in which they happened. `exit_code` is that
    of a command; None of everything else.
    """

    text: str
    changes: tuple[int, ...] = ()
    exit_code: int | None = None
