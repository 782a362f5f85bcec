"""Which stretches of a command line get which colour. A help for the eye only: nothing is decided by it.

No Qt: the table of colours is the theme's, by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, _TokenType
from pygments.util import ClassNotFound

LONGEST_COLOURED = 12_000  # characters; a longer line is drawn in one colour

_LEXERS = {"bash": "bash", "sh": "bash", "zsh": "bash", "powershell": "powershell", "cmd": "batch"}
# The first that a token descends from counts.
_COLOURS = (
    (Comment, "secondary"),
    (Keyword, "code_keyword"),
    (Operator, "code_keyword"),
    (Punctuation, "code_keyword"),
    (String, "code_string"),
    (Number, "code_number"),
    (Name.Variable, "code_number"),
    (Name.Builtin, "code_name"),
)
PROGRAM = "code_name"
_BEFORE_A_PROGRAM = frozenset({"|", "||", "&&", ";", "&", "(", "{", "$(", "`", "do", "then", "else", "!"})


@dataclass(frozen=True)
class Stretch:
    """Characters from `start` up to `end`, exclusive, and the name of their colour."""

    start: int
    end: int
    colour: str


def stretches(command: str, shell: str) -> tuple[Stretch, ...]:
    """The coloured stretches of `command`, in order; none for an unknown shell or a very long line."""
    if shell not in _LEXERS or len(command) > LONGEST_COLOURED:
        return ()
    try:
        lexer = get_lexer_by_name(_LEXERS[shell], stripnl=False, ensurenl=False)
    except ClassNotFound:
        return ()  # a build that left the lexer out draws the command in one colour
    return tuple(_joined(_coloured(lexer.get_tokens_unprocessed(command))))


def _coloured(tokens: Iterator[tuple[int, _TokenType, str]]) -> Iterator[Stretch]:
    a_program_follows = True
    for start, kind, value in tokens:
        colour = _colour_of(kind)
        word = value.strip()
        if a_program_follows and not colour and word and _descends(kind, Text):
            colour = PROGRAM
        if colour:
            yield Stretch(start, start + len(value), colour)
        if word or "\n" in value:
            a_program_follows = word in _BEFORE_A_PROGRAM or value.endswith("\n")


def _colour_of(kind: _TokenType) -> str:
    return next((colour for known, colour in _COLOURS if _descends(kind, known)), "")


def _descends(kind: _TokenType, known: _TokenType) -> bool:
    """A token type is a tuple of words; its descendants begin with the same words."""
    return tuple(kind)[: len(known)] == tuple(known)


def _joined(found: Iterator[Stretch]) -> Iterator[Stretch]:
    """Neighbours of one colour as one: every stretch is laid out for itself."""
    last: Stretch | None = None
    for stretch in found:
        if last is not None and last.end == stretch.start and last.colour == stretch.colour:
            last = Stretch(last.start, stretch.end, last.colour)
            continue
        if last is not None:
            yield last
        last = stretch
    if last is not None:
        yield last
