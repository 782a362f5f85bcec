"""Reads a grammar in llama.cpp's form and says whether a text is in its language: slow, small, and
independent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

_TOKEN = re.compile(
    r'\s+|"(?P<literal>(?:[^"\\]|\\.)*)"|\[(?P<set>\^?(?:[^\]\\]|\\.)*)\]|(?P<name>[a-z][a-z0-9-]*)'
    r"|(?P<times>\{\d+(?:,\d*)?\})|(?P<sign>[()|*+?])"
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
Ends = frozenset[int]
Match = Callable[[str, int], Ends]  # where a match that begins there may end


@dataclass
class _Reader:
    tokens: list[tuple[str, str]]
    rules: dict[str, Match]
    at: int = 0

    def alternatives(self) -> Match:
        options = [self.sequence()]
        while self.peek() == ("sign", "|"):
            self.at += 1
            options.append(self.sequence())
        return lambda text, at: frozenset().union(*(option(text, at) for option in options))

    def sequence(self) -> Match:
        parts: list[Match] = []
        while self.peek() is not None and self.peek() not in (("sign", "|"), ("sign", ")")):
            parts.append(self.repeated(self.part()))

        def match(text: str, at: int) -> Ends:
            ends = frozenset({at})
            for part in parts:
                ends = frozenset().union(*(part(text, each) for each in ends))
            return ends

        return match

    def part(self) -> Match:
        kind, value = self.tokens[self.at]
        self.at += 1
        if kind == "literal":
            wanted = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), value)
            return lambda text, at: frozenset({at + len(wanted)} if text.startswith(wanted, at) else ())
        if kind == "set":
            one = re.compile(f"[{value}]")
            return lambda text, at: frozenset({at + 1} if one.match(text, at) else ())
        if kind == "name":
            # Looked up when it is used: the rule may stand further down.
            return lambda text, at: self.rules[value](text, at)  # noqa: PLW0108 - not known yet
        assert (kind, value) == ("sign", "("), value
        inside = self.alternatives()
        assert self.peek() == ("sign", ")")
        self.at += 1
        return inside

    def repeated(self, part: Match) -> Match:
        kind, value = self.peek() or ("", "")
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(value)
        if kind == "times":
            least, comma, most = value[1:-1].partition(",")
            bounds = (int(least), int(most) if most else None if comma else int(least))
        if kind not in ("sign", "times") or bounds is None:
            return part
        self.at += 1
        low, high = bounds
        return lambda text, at: _times(part, text, at, low, high)

    def peek(self) -> tuple[str, str] | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None


def _times(part: Match, text: str, at: int, low: int, high: int | None) -> Ends:
    ends, now, count = set[int](), frozenset({at}), 0
    while now:
        if count >= low:
            now -= ends
            ends |= now
        if count == high:
            break
        now = frozenset().union(*(part(text, each) for each in now))
        count += 1
    return frozenset(ends)


def _tokens(body: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(body):
        found = _TOKEN.match(body, at)
        assert found is not None, body[at : at + 40]
        at = found.end()
        if found.lastgroup is not None:
            yield found.lastgroup, found[found.lastgroup]


@cache
def _compiled(grammar: str) -> Match:
    rules: dict[str, Match] = {}
    for line in grammar.strip().splitlines():
        name, arrow, body = line.partition(" ::= ")
        if arrow:
            rules[name] = _Reader(list(_tokens(body)), rules).alternatives()
    return rules["root"]


def matches(grammar: str, text: str) -> bool:
    """Whether all of `text` is what the rule `root` stands for."""
    return len(text) in _compiled(grammar)(text, 0)
