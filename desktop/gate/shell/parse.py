"""Text to a syntax tree, or a reason why not: an unreadable line is never guessed at."""

from __future__ import annotations

import re
from functools import cache
from itertools import accumulate

from tree_sitter import Language, Node, Parser

MAX_CHARACTERS = 2000
MAX_DEPTH = 50
MAX_HEREDOCS = 20

# What makes the grammars slow is nesting, balanced or not; counting brackets bounds it before they run.
OPENERS = re.compile(r"[(){}\[\]]|`|\b(?:if|case|for|while|until|select|fi|esac|done)\b|<<")
STEP = {
    "(": 1,
    "{": 1,
    "[": 1,
    ")": -1,
    "}": -1,
    "]": -1,
    "if": 1,
    "case": 1,
    "for": 1,
    "while": 1,
    "until": 1,
    "select": 1,
    "fi": -1,
    "esac": -1,
    "done": -1,
}


class Unreadable(Exception):
    """The line cannot be read. `span` is the place in bytes."""

    def __init__(self, reason: str, span: tuple[int, int]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


@cache
def bash() -> Parser:
    import tree_sitter_bash

    return Parser(Language(tree_sitter_bash.language()))


@cache
def powershell() -> Parser:
    import tree_sitter_powershell

    return Parser(Language(tree_sitter_powershell.language()))


def check_size(text: str) -> None:
    """Raises Unreadable for what would take too long to look at."""
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"longer than {MAX_CHARACTERS:,} characters", (0, len(text.encode())))
    found = OPENERS.findall(text)
    steps = (STEP.get(each, 0) for each in found)
    deepest = max(accumulate(steps, lambda depth, step: max(0, depth + step), initial=0))
    if deepest > MAX_DEPTH or found.count("<<") > MAX_HEREDOCS:
        raise Unreadable(f"nested more than {MAX_DEPTH} levels deep", (0, len(text.encode())))


def parse(parser: Parser, source: bytes) -> Node:
    """The tree of the line. Raises Unreadable where the grammar found an error or put something in."""
    root = parser.parse(source).root_node
    if root.has_error:
        raise Unreadable("the syntax cannot be read", _first_error(root))
    return root


def _first_error(root: Node) -> tuple[int, int]:
    """The innermost place that the grammar could not read."""
    node = root
    while True:
        worse = next((child for child in node.children if child.has_error or child.is_missing), None)
        if worse is None:
            return node.start_byte, node.end_byte
        node = worse
