"""Text to a syntax tree, or a reason why not: an unreadable line is never guessed at."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import types
from functools import cache
from typing import Any

from tree_sitter import Language, Node, Parser, Tree

from desktop.gate.reasons import GateReason
from desktop.gate.shell.budget import loading
from desktop.reasons import Reason

MAX_TEXT = 100_000  # characters, with data
MAX_CHARACTERS = 2000  # of code
MAX_DEPTH = 50
MAX_HEREDOCS = 20

MAX_OPERATORS = 300
MAX_UNMATCHED = 60
MAX_ARRAYS = 40
MAX_STEPS = 1000  # of a hundred actions of the parser each
CHUNK_BYTES = 2048

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

    def __init__(self, reason: Reason, span: tuple[int, int]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


class Unparsable(Unreadable):
    """The grammar cannot read the line: the shell that it is for would not either."""


@cache
def bash() -> Parser:
    with loading():
        return Parser(Language(_grammar("tree_sitter_bash")))


@cache
def powershell() -> Parser:
    with loading():
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


def check_size(text: str, shell: str = "bash") -> None:
    """Raises Unreadable for what would take too long to look at. Long data is no reason, much code is."""
    if len(text) > MAX_TEXT:
        raise Unreadable(GateReason.TOO_LONG.of(count=MAX_TEXT), (0, len(text.encode("utf-8", "replace"))))
    reason = _too_much(text)
    if reason:
        code = code_of_powershell(text) if shell == "powershell" else code_of_bash(text, MAX_CHARACTERS)
        reason = _too_much(code) if len(code) < len(text) else reason
    if reason:
        raise Unreadable(reason, (0, len(text.encode("utf-8", "replace"))))


def _too_much(code: str) -> Reason | None:
    """What there is too much of, or nothing."""
    if len(code) > MAX_CHARACTERS:
        return GateReason.TOO_MUCH_CODE.of(count=MAX_CHARACTERS)
    if len(OPERATORS.findall(code)) > MAX_OPERATORS:
        return GateReason.TOO_MANY_OPERATORS.of(count=MAX_OPERATORS)
    found = BRACKETS.findall(code)
    if len(found) <= min(MAX_DEPTH, MAX_HEREDOCS):
        return None
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
    many = found.count("<<") > MAX_HEREDOCS or code.count("=(") > MAX_ARRAYS
    return (
        GateReason.NESTED_TOO_DEEP.of(count=MAX_DEPTH)
        if deepest > MAX_DEPTH or unmatched > MAX_UNMATCHED or many
        else None
    )


def parse(parser: Parser, source: bytes, may_miss: str = "") -> Node:
    """The tree of the line. Raises Unreadable where the grammar found an error or put something in.

    `may_miss` is a token without meaning that the grammar puts in where nothing stands.
    """
    root = _parsed(parser, source).root_node
    if root.has_error and not (may_miss and _only_misses(root, may_miss)):
        raise Unparsable(GateReason.THE_SYNTAX_CANNOT_BE_READ.of(), _first_error(root))
    return root


def _parsed(parser: Parser, source: bytes) -> Tree:
    """A short text is bounded by its size; the work on a longer one, most of which is data, is counted."""
    if len(source) <= 2 * MAX_CHARACTERS:
        return parser.parse(source)
    steps = 0

    def goes_on_too_long(_offset: int, _has_error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > MAX_STEPS

    def rest(offset: int, _point: object) -> bytes:
        return source[offset : offset + CHUNK_BYTES]

    try:
        return parser.parse(rest, progress_callback=goes_on_too_long)
    except ValueError:
        parser.reset()
        raise Unreadable(GateReason.TAKES_TOO_LONG_TO_READ.of(), (0, len(source))) from None


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


# -- how much of a text is code: bodies of here-documents, strings and comments are data, however long

# Between words of bash: what changes the state, and data that ends by itself.
CODE = re.compile(
    r"""\\. | '[^']*'? | " | \$\( | [()] | (?<![^\s;&|(])\#[^\n]*
    | <<< | (?P<start><<-?[ \t]*(?:'(?P<single>[^'\n]*)'|"(?P<double>[^"\n]*)"|(?P<bare>\\?[\w.+-]+)))
    | \n""",
    re.DOTALL | re.VERBOSE,
)
IN_QUOTES = re.compile(r'(?:[^"\\$`]|\\.)+|"|\$\(|[$`\\]', re.DOTALL)
LIVE = re.compile(r"\$\(|`|\$\{")
HERE_STRING = re.compile(r"""@(['"])[ \t]*\n.*?^\1@""", re.DOTALL | re.MULTILINE)
MAX_BODIES = 20


def code_of_bash(text: str, limit: int) -> str:
    """`text` without its data; reading stops once there are more than `limit` characters of code."""
    return _Extent(text, limit).code()


def code_of_powershell(text: str) -> str:
    """`text` without its here-strings."""
    return HERE_STRING.sub("''", text)


class _Extent:
    def __init__(self, text: str, limit: int) -> None:
        self._text = text
        self._limit = limit
        self._kept: list[str] = []
        self._size = 0
        self._bodies = 0
        self._awaited: list[
            tuple[str, bool]
        ] = []  # delimiters of here-documents, and whether they are literal

    def _keep(self, text: str) -> None:
        self._kept.append(text)
        self._size += len(text)

    def code(self) -> str:
        place = 0
        open_quotes: list[bool] = [False]  # whether each level of nesting is a string in double quotes
        while place < len(self._text) and self._size <= self._limit and open_quotes:
            place = self._quoted(place, open_quotes) if open_quotes[-1] else self._bare(place, open_quotes)
        self._keep(self._text[place : place + self._limit + 1])
        return "".join(self._kept)

    def _quoted(self, place: int, levels: list[bool]) -> int:
        """Inside double quotes: text is data, substitutions are code."""
        found = IN_QUOTES.match(self._text, place)
        if found is None:
            return len(self._text)
        if found[0] == '"':
            levels.pop()
        elif found[0] == "$(":
            levels.append(False)
        if len(found[0]) <= 2:
            self._keep(found[0])
        return found.end()

    def _bare(self, place: int, levels: list[bool]) -> int:
        found = CODE.search(self._text, place)
        if found is None:
            self._keep(self._text[place : place + self._limit + 1])
            return len(self._text)
        self._keep(self._text[place : place + min(found.start() - place, self._limit + 1)])
        symbol = found[0]
        if symbol == '"':
            levels.append(True)
        elif symbol in ("$(", "("):
            levels.append(False)
        elif symbol == ")" and len(levels) > 1:
            levels.pop()
        elif found["start"]:
            delimiter = next(
                each for each in (found["single"], found["double"], found["bare"]) if each is not None
            )
            literal = found["bare"] is None or delimiter.startswith("\\")
            self._awaited.append((delimiter.lstrip("\\"), literal))
        elif symbol == "\n" and self._awaited:
            self._keep(symbol)
            return self._skip_bodies(found.end())
        self._keep("''" if symbol[0] == "'" else "" if symbol[0] == "#" else symbol)
        return found.end()

    def _skip_bodies(self, place: int) -> int:
        """Pass over the bodies that begin here; what may be code in one that is not literal is kept."""
        for delimiter, literal in self._awaited:
            self._bodies += 1
            if self._bodies > MAX_BODIES:
                break
            end = re.compile(rf"^\t*{re.escape(delimiter)}$", re.MULTILINE).search(self._text, place)
            if end is None:  # then it is no data, whatever it is
                break
            if not literal:
                self._keep_live(self._text[place : end.start()])
            place = min(end.end() + 1, len(self._text))
        self._awaited.clear()
        return place

    def _keep_live(self, body: str) -> None:
        if LIVE.search(body):
            for line in body.split("\n"):
                self._keep(line if LIVE.search(line) else "$x" * line.count("$"))
        else:
            self._keep("$x" * body.count("$"))
