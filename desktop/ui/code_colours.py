"""Which colour a word of code has: the kinds that pygments tells apart, and its lexers, loaded when needed.

A program that rests shows no code: pygments with its list of six hundred lexers is 0.8 MB.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer

# A token type of pygments is a tuple of words, and one that descends from another begins with its words.
Kind = tuple[str, ...]

COMMENT: Kind = ("Comment",)
KEYWORD: Kind = ("Keyword",)
NAME: Kind = ("Name",)
NUMBER: Kind = ("Literal", "Number")
OPERATOR: Kind = ("Operator",)
PUNCTUATION: Kind = ("Punctuation",)
STRING: Kind = ("Literal", "String")
TEXT: Kind = ("Text",)


def lexer_of(language: str) -> Lexer | None:
    """The lexer for the word after a code fence or the name of a shell, or None."""
    if not language:
        return None
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        # The lexer must return every character, else the colours slide away from the text.
        return get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None  # nobody knows the language, or a build left its lexer out


def descends(kind: Iterable[str], known: Kind) -> bool:
    """Whether a token type is `known` or a narrower one."""
    return tuple(kind)[: len(known)] == known
