"""Where a substitution may start in a bash text, and which of those places the tree knows.

The grammar leaves some text uninterpreted: backticks in here-documents, the words of `${x:-…}`. bash does
not. So every place that looks like the start of a substitution must be the start of a node that the walk has
visited, or stand where bash takes it for text; a place that is neither cannot be followed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from desktop.gate.reasons import GateReason
from desktop.gate.shell.parser import Unreadable

if TYPE_CHECKING:
    from tree_sitter import Node

START = re.compile(rb"`|\$[({\[]|[<>]\(")
OPENERS = frozenset({"command_substitution", "process_substitution", "expansion", "arithmetic_expansion"})
LITERAL = frozenset({"raw_string", "ansi_c_string", "comment"})
DOCUMENTS = frozenset({"string", "heredoc_body"})
# Below these a quote quotes, unless a document or arithmetic is nearer.
COMMANDS = frozenset({"command_substitution", "process_substitution", "command", "program"})
ARITHMETIC = frozenset({"arithmetic_expansion", "subscript", "c_style_for_statement"})
INTERPRETED = OPENERS | {"simple_expansion"}
ESCAPED = re.compile(rb"\\[$`\\]")
CLOSING = re.compile(rb"[}\")`]")
TICK_WITHIN = re.compile(rb"(?<!\\)(?:\\\\)*`")
# Without quotes, comments and further brackets it ends where it seems to.
SIMPLE = re.compile(rb"[$<>]\(([^()'\"\\#`]*)\)")
# A text that runs a command once the shell evaluates it: in arithmetic, or as the name of a variable.
# (A bracket behind a letter begins anew: with many of them one attempt must not run into the next.)
SUBSCRIPT = re.compile(r"\w\[[^\[\]]*(?:(?<!\w)\[[^\[\]]*)*(?:\$[({\[]|`)")
OPENED = re.compile(rb"\w\[[^\]\n]*\Z")
MAX_STARTS = 10_000
BEFORE_SUBSCRIPT = 200  # bytes in which its bracket is looked for


class Substitutions:
    """The starts of one text. `visit` every node of its tree and `close`, then ask what is left."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts = [found.start() for found in START.finditer(source)]
        if len(self._starts) > MAX_STARTS:
            raise Unreadable(GateReason.TOO_MANY_SUBSTITUTIONS.of(count=MAX_STARTS), (0, len(source)))
        self._known: set[int] = set()
        self._literal: list[tuple[int, int]] = []  # bash sees letters here
        self._quoted: list[tuple[int, int]] = []  # <( is two letters here, `$(` is not
        self._ends_elsewhere = False  # what the grammar takes for quoted ends something for bash
        self._twice: list[tuple[int, int]] = []  # backticks with escapes in them: read a second time

    @property
    def are_there(self) -> bool:
        """Whether the text may hold any: without one no node need be visited."""
        return bool(self._starts)

    def visit(self, node: Node) -> None:
        kind = node.type
        if kind in OPENERS:
            self._opens(node)
        elif kind in LITERAL:
            if not _is_letters(node):
                self._literal.append((node.start_byte, node.end_byte))
            elif CLOSING.search(self._source, node.start_byte, node.end_byte):
                self._ends_elsewhere = True
        elif kind == "subshell" and self._source[node.start_byte : node.start_byte + 2] == b"((":
            self._ends_elsewhere = True
        elif kind in DOCUMENTS:
            if kind == "heredoc_body" and _is_quoted(node, self._source):
                self._literal.append((node.start_byte, node.end_byte))
            else:
                self._quoted += _gaps(node)

    def _opens(self, node: Node) -> None:
        """A substitution that the tree knows."""
        opener = node.children[0]  # the grammar may put blanks in front of it
        start = opener.end_byte - len(self._source[opener.start_byte : opener.end_byte].lstrip())
        self._known.add(start)
        follower = self._source[opener.end_byte : opener.end_byte + 1]
        if node.type == "command_substitution" and follower == b"(":
            self._ends_elsewhere = True  # bash takes it for arithmetic first, where quotes are letters
        if self._source[start : start + 1] == b"`":
            self._known.add(node.end_byte - 1)
            inside = (start + 1, node.end_byte - 1)
            if ESCAPED.search(self._source, *inside):
                self._twice.append(inside)
            if TICK_WITHIN.search(self._source, *inside):
                self._ends_elsewhere = True

    def close(self) -> None:
        """Every node has been visited."""
        self._literal.sort()
        self._quoted.sort()

    def dormant_subscript(self) -> bool:
        """Whether text that bash passes over now would run a command when it is evaluated as a subscript."""
        return any(
            OPENED.search(self._source, max(0, start - BEFORE_SUBSCRIPT), start)
            for start in self._starts
            if _holds(self._literal, start) or self._is_escaped(start)
        )

    def unread(self) -> tuple[list[str], bool]:
        """Commands that no node holds and that can be cut out safely, and whether there is more."""
        left = [start for start in self._starts if self._is_live(start)]
        ticks = [start for start in left if self._source[start : start + 1] == b"`"]
        pairs = list(zip(ticks[::2], ticks[1::2], strict=False))
        commands = [self._between(first + 1, last) for first, last in pairs]
        commands += [self._between(first, last) for first, last in self._twice]
        plain = [SIMPLE.match(self._source, start) for start in left]
        commands += [found[1].decode("utf-8", "replace") for found in plain if found]
        left = [start for start, found in zip(left, plain, strict=True) if not found]
        others = (start for start in left if self._source[start : start + 1] != b"`")
        rest = [start for start in others if not _holds(pairs, start)]
        # For bash the next tick ends it, wherever the grammar has put that one.
        is_odd = len(ticks) % 2 == 1 or any(
            TICK_WITHIN.search(self._source, first + 1, last) for first, last in pairs
        )
        return commands, bool(rest) or is_odd or self._ends_elsewhere

    def _between(self, first: int, last: int) -> str:
        return ESCAPED.sub(lambda found: found[0][1:], self._source[first:last]).decode("utf-8", "replace")

    def _is_live(self, start: int) -> bool:
        if start in self._known or _holds(self._literal, start) or self._is_escaped(start):
            return False
        return self._source[start : start + 1] not in b"<>" or not _holds(self._quoted, start)

    def _is_escaped(self, start: int) -> bool:
        before = start
        while before and self._source[before - 1 : before] == b"\\":
            before -= 1
        return (start - before) % 2 == 1


def _holds(ranges: list[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of these ranges, which are sorted and apart."""
    number = bisect_right(ranges, (place, 1 << 60)) - 1
    return number >= 0 and place < ranges[number][1]


def _gaps(node: Node) -> list[tuple[int, int]]:
    """The parts of a document between what is interpreted in it."""
    gaps: list[tuple[int, int]] = []
    end = node.start_byte
    for child in node.children:
        if child.type in INTERPRETED:
            gaps.append((end, child.start_byte))
            end = child.end_byte
    gaps.append((end, node.end_byte))
    return gaps


def _is_letters(node: Node) -> bool:
    """`"${x:-'$(id)'}"`, `(('$(id)'))`: in documents and arithmetic single quotes are letters."""
    outer = node.parent
    while outer is not None and outer.type not in COMMANDS:
        if outer.type in DOCUMENTS or outer.type in ARITHMETIC:
            return True
        if outer.type == "compound_statement" and outer.children[0].type == "((":
            return True
        outer = outer.parent
    return False


def _is_quoted(body: Node, source: bytes) -> bool:
    """Whether the word that ends a here-document is quoted: then nothing in it is interpreted."""
    redirect = body.parent
    start = (
        next((child for child in redirect.children if child.type == "heredoc_start"), None)
        if redirect
        else None
    )
    return start is not None and bool(re.search(rb"['\"\\]", source[start.start_byte : start.end_byte]))
