"""Notices an answer that says the same over and over, as small models do until their length is spent."""

from __future__ import annotations

from collections.abc import Sequence

# So much of the same at a time, told by what people ask for: "ten times" and tables of zeros pass.
REPEATED_TOKENS = 512
LONGEST_PERIOD = 96  # tokens of what is repeated: some five lines, then said six times at least
LOOK_EVERY = 32  # tokens


def repeats(answer: Sequence[int]) -> bool:
    """Whether the last `REPEATED_TOKENS` tokens are one piece of text again and again.

    Looks at every `LOOK_EVERY`th token only; a look costs some ten microseconds.
    """
    if len(answer) % LOOK_EVERY or len(answer) < REPEATED_TOKENS + LONGEST_PERIOD:
        return False
    tail = list(answer[-REPEATED_TOKENS - LONGEST_PERIOD :])
    last = tail[LONGEST_PERIOD:]
    return any(
        last == tail[LONGEST_PERIOD - period : len(tail) - period] for period in range(1, LONGEST_PERIOD + 1)
    )
