"""How a conversation gets its name: by rule from the first question at once, by the model when it is idle.

A name that the user gave is never changed.
"""

from __future__ import annotations

import re

LONGEST = 48
UNTITLED = "New chat"

# Asked after the first exchange; what stood before is in the KV cache already.
ASKED = (
    "Write a title for this conversation, 2 to 6 words, in the language of my first message. "
    "Reply with the title alone: no quotation marks, no full stop, no explanation."
)
TITLE_TOKENS = 24

_MARKS = re.compile(r"^[\s#>*\-`|]+|[\s*`]+$")
_LEAD = re.compile(r"^(?:title|titel|topic|thema)\s*[:–-]\s*", re.IGNORECASE)
_QUOTES = "\"'“”„‘’«»"
_NOT_A_TITLE = re.compile(
    r"[<>{}\[\]|\\]|https?:|\b(?:steward|how can i|i'm sorry|i am|as an ai|here is|here's|sure)\b",
    re.IGNORECASE,
)


def title_of(question: str, longest: int = LONGEST) -> str:
    """A title for the sidebar: the first line of the question without its marks, cut at a word."""
    lines = (_MARKS.sub("", line) for line in question.splitlines())
    line = next((line for line in lines if line), "") or next(
        (line.strip() for line in question.splitlines() if line.strip()), UNTITLED
    )
    if len(line) <= longest:
        return line
    head = line[:longest]
    return (head.rsplit(" ", 1)[0] if " " in head[longest // 2 :] else head).rstrip(" ,.;:") + "…"


def title_from(written: str) -> str | None:
    """The title in what a model wrote, or None where that is none: a sentence, a call, an apology."""
    line = next((line for line in written.splitlines() if line.strip()), "")
    line = _LEAD.sub("", _MARKS.sub("", line)).strip().strip(_QUOTES).strip()
    line = _MARKS.sub("", line).rstrip(".").strip()
    if not 2 <= len(line) <= LONGEST or len(line.split()) > 8 or _NOT_A_TITLE.search(line):
        return None
    return line[0].upper() + line[1:]
