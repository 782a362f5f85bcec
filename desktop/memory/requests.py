"""What the user typed that is a wish about memory: "remember …", "forget …", in English and German.

Only the text of the user's own message is ever handed in here: a page or a file that says "remember that the
user wants …" is a quotation, and no wish.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from desktop.memory.item import Layer


class RequestKind(Enum):
    REMEMBER = "remember"
    FORGET = "forget"


@dataclass(frozen=True)
class MemoryRequest:
    """What is to be kept or forgotten. `standing`: it says how to behave from now on, and belongs in every
    context.
    """

    want: RequestKind
    text: str
    layer: Layer = Layer.USER
    standing: bool = False
    german: bool = False


_POLITE = r"(?:(?:ok(?:ay)?|hey|hi|so|and|und|please|bitte|also|now|jetzt|steward)[\s,]+){0,3}"
_REMEMBER_EN = re.compile(
    rf"^{_POLITE}(?:/remember\b|remember\b|(?:can|could|will|would) you (?:please )?remember\b|keep in mind\b"
    r"|don['’]?t forget\b|do not forget\b|make a note\b|take a note\b|note\b(?=\s*(?:that|:|down)))"
    r"(?:\s+down)?(?P<where>\s+(?:for|in) this (?:project|chat|conversation|folder))?"
    r"[\s,:]*(?:that\b[\s,:]*|this:\s*)?(?P<text>.+)$",
    re.I | re.S,
)
_REMEMBER_DE = re.compile(
    rf"^{_POLITE}(?:merk(?:e)?(?:\s+(?:es|das))?\s+dir\b|notier(?:e)?(?:\s+dir)?\b|vergiss\s+(?:bitte\s+)?nicht\b"
    r"|denk(?:e)?\s+(?:bitte\s+)?(?:daran|dran)\b|behalte?\s+(?:im\s+kopf|im\s+gedächtnis)\b)"
    r"(?:\s+bitte)?(?P<where>\s+(?:für|in)\s+(?:dieses|diesem|diesen|diese)\s+(?:projekt|chat|gespräch|unterhaltung|ordner))?"
    r"[\s,:]*(?:bitte\b)?[\s,:]*(?:dass\b[\s,:]*)?(?P<text>.+)$",
    re.I | re.S,
)
_FORGET_EN = re.compile(
    rf"^{_POLITE}(?:/forget\b|forget\b|(?:can|could) you (?:please )?forget\b|stop remembering\b)"
    r"[\s,:]*(?:what i (?:said|told you) about\b|everything about\b|about\b|that\b"
    r"|the (?:note|memory) (?:about|that)\b)?"
    r"[\s,:]*(?P<text>.+)$",
    re.I | re.S,
)
_FORGET_DE = re.compile(
    rf"^{_POLITE}vergiss\b[\s,:]*(?:bitte\b)?[\s,:]*"
    r"(?:dass\b|alles über\b|was ich (?:dir )?über\b|die notiz (?:über|zu)\b)?"
    r"[\s,:]*(?P<text>.+)$",
    re.I | re.S,
)
# "remember when we …?" asks, "forget it" waves aside, "remember me?" greets.
_QUESTION = re.compile(r"\?\s*$")
_NO_FACT = re.compile(
    r"^(?:it|that|this|about it|me|when\b.*|how\b.*|what\b.*|the time\b.*|es|das|mich|den namen|nie)[.!]*$",
    re.I,
)
_STANDING = re.compile(
    r"^(?:to\s+)?(?:always|never|from now on|don['’]t ever|immer|nie|niemals|ab jetzt|von nun an)\b"
    r"|\b(?:immer|niemals|stets)\b.*\b(?:antworte\w*|schreib\w*|sprich\w*|duz\w*|sollst)\b"
    r"|\byou (?:should|must) (?:always|never)\b",
    re.I,
)
_PROJECT = re.compile(r"project|folder|projekt|ordner", re.I)


def parse_request(typed: str) -> MemoryRequest | None:
    """What the user wants of memory, or None where the message is about something else."""
    text = typed.strip()
    for pattern, want, german in (
        # Remembering first: “don't forget …” is a wish to remember.
        (_REMEMBER_EN, RequestKind.REMEMBER, False),
        (_REMEMBER_DE, RequestKind.REMEMBER, True),
        (_FORGET_EN, RequestKind.FORGET, False),
        (_FORGET_DE, RequestKind.FORGET, True),
    ):
        match = pattern.match(text)
        if match is not None:
            return _wish(match, want, german, text.startswith("/"))
    return None


def _wish(match: re.Match[str], want: RequestKind, german: bool, is_command: bool) -> MemoryRequest | None:
    said = match["text"].strip()
    # A command is meant, whatever it says; a sentence may only talk about remembering.
    if not is_command and (_QUESTION.search(said) or _NO_FACT.match(said)):
        return None
    if want is RequestKind.FORGET:
        return MemoryRequest(want, said.rstrip(".!"), german=german)
    where = match.groupdict().get("where") or ""
    standing = bool(_STANDING.search(said))
    return MemoryRequest(
        want, said.removeprefix("to ") if standing else said, _layer(where), standing, german
    )


def _layer(where: str) -> Layer:
    if not where:
        return Layer.USER
    return Layer.PROJECT if _PROJECT.search(where) else Layer.SESSION
