"""Text to a syntax tree, or a reason why not: an unreadable line is never guessed at."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import types
from functools import cache
from typing import Any

from tree_sitter import Language, Node, Parser

MAX_CHARACTERS = 2000
MAX_DEPTH = 50
MAX_HEREDOCS = 20

MAX_OPERATORS = 300
MAX_UNMATCHED = 60
MAX_ARRAYS = 40

# What makes the grammars slow is nesting and closing what was never opened; counting bounds both first.
OPERATORS = re.compile(r"[|&;`<>()!\[]")
BRACKETS = re.compile(r"[(){}\[\]]|\b(?:if|case|for|while|until|select|fi|esac|done)\b|<<")
OPENS = dict.fromkeys(("if", "case", "for", "while", "until", "select"), "fi") | {
    "(": ")",
    "{": "}",
    "[": "]",
}
CLOSES = dict.fromkeys(("fi", "esac", "done"), "fi") | {")": ")", "}": "}", "]": "]"}


class Unreadable(Exception):
    """The line cannot be read. `span` is the place in bytes."""

    def __init__(self, reason: str, span: tuple[int, int]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


@cache
def bash() -> Parser:
    return Parser(Language(_grammar("tree_sitter_bash")))


@cache
def powershell() -> Parser:
    return Parser(Language(_grammar("tree_sitter_powershell")))


def _grammar(package: str) -> Any:
    """The grammar in its compiled module, without the package's `__init__`: that would import twenty modules
    for queries that nobody asks for, half of the time that reading a first line takes."""
    if package in sys.modules:
        return importlib.import_module(f"{package}._binding").language()
    found = importlib.util.find_spec(package)
    if found is None or found.submodule_search_locations is None:
        raise ModuleNotFoundError(package)
    bare = types.ModuleType(package)
    bare.__path__ = list(found.submodule_search_locations)
    sys.modules[package] = bare
    try:
        return importlib.import_module(f"{package}._binding").language()
    finally:
        del sys.modules[package]  # whoever imports it after us gets the whole package


def check_size(text: str) -> None:
    """Raises Unreadable for what would take too long to look at."""
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"longer than {MAX_CHARACTERS:,} characters", (0, len(text.encode())))
    if len(OPERATORS.findall(text)) > MAX_OPERATORS:
        raise Unreadable(f"more than {MAX_OPERATORS} operators", (0, len(text.encode())))
    found = BRACKETS.findall(text)
    if len(found) <= min(MAX_DEPTH, MAX_HEREDOCS):
        return
    depth = dict.fromkeys(CLOSES.values(), 0)
    deepest = unmatched = 0
    for each in found:
        if each in OPENS:
            depth[OPENS[each]] += 1
            deepest = max(deepest, depth[OPENS[each]])
        elif each in CLOSES and depth[CLOSES[each]]:
            depth[CLOSES[each]] -= 1
        else:
            unmatched += each != "<<"
    many = found.count("<<") > MAX_HEREDOCS or text.count("=(") > MAX_ARRAYS
    if deepest > MAX_DEPTH or unmatched > MAX_UNMATCHED or many:
        raise Unreadable(f"nested more than {MAX_DEPTH} levels deep", (0, len(text.encode())))


def parse(parser: Parser, source: bytes, may_miss: str = "") -> Node:
    """The tree of the line. Raises Unreadable where the grammar found an error or put something in.

    `may_miss` is a token without meaning that the grammar puts in where nothing stands.
    """
    root = parser.parse(source).root_node
    if root.has_error and not (may_miss and _only_misses(root, may_miss)):
        raise Unreadable("the syntax cannot be read", _first_error(root))
    return root


def _only_misses(root: Node, token: str) -> bool:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or (node.is_missing and node.type != token):
            return False
        waiting.extend(child for child in node.children if child.has_error or child.is_missing)
    return True


def _first_error(root: Node) -> tuple[int, int]:
    """The innermost place that the grammar could not read."""
    node = root
    while True:
        worse = next((child for child in node.children if child.has_error or child.is_missing), None)
        if worse is None:
            return node.start_byte, node.end_byte
        node = worse
