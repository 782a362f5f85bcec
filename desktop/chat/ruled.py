"""What a rule makes of a question: an answer without the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from desktop.chat.formats.found import Found
from desktop.tools.calls import Ended


def _its_text(ended: Ended) -> str:
    return ended.text


@dataclass(frozen=True)
class Ruled:
    """`call` goes through the executor like every other, with its card and, where needed, its question; the
    answer is what `tell` makes of its end, also of a refusal. Without a call the answer is `text`.
    """

    call: Found | None = None
    text: str = ""
    tell: Callable[[Ended], str] = _its_text


Rules = Callable[[str], Ruled | None]
