"""What a file gives names to that is no function with a body: tables, constants, lambdas, macros, and what
another function makes.

Read as `spans.py` reads functions: Python by its syntax tree, the others by what stands at the beginning of
lines. Only what stands outside of everything else, or in a class of Python. Pure functions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from desktop.builder.spans import LONGEST_LINES, UNREADABLE, Language, Span, functions, lines_of, mask

_HEADS = {  # in the first column, up to the sign behind which the value stands
    Language.JAVASCRIPT: re.compile(
        r"^(?:export\s+)?(?:const|let|var)\s+(?P<name>[\w$]+)(?:\s*:[^=\n]+)?\s*=(?![=>])", re.M
    ),
    Language.GO: re.compile(r"^(?:var|const)\s+(?P<name>\w+)(?:[ \t]+[^=\n]+?)?\s*=", re.M),
    Language.RUST: re.compile(
        r"^(?:pub(?:\([^)\n]*\))?\s+)?(?:const|static)\s+(?:mut\s+)?(?P<name>\w+)\s*:[^={]{1,300}=", re.M
    ),
    Language.C: re.compile(r"^(?:[A-Za-z_]\w*[ \t*]+)+(?P<name>\w+)\s*(?:\[[^\]\n]*\]\s*)*=(?!=)", re.M),
}
_HEADS[Language.TYPESCRIPT] = _HEADS[Language.JAVASCRIPT]
_MACRO = re.compile(r"(?m)^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?P<called>\()?(?:[^\n\\]|\\.|\\\n)+")
# Without a sign at its end a statement ends with its line, unless this line or the next one says otherwise.
_GOES_ON = re.compile(r"(?:[=([{,+\-*/%&|?:<]|=>)\s*$")
_IS_MORE = re.compile(r"\s*[.?:+\-*/%&|)\]}]")
_ENDED_BY_LINE = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.GO})
_CALLED = {  # begins the value of what is called like a function
    Language.JAVASCRIPT: re.compile(r"\s*(?:async\b\s*)?(?:function\b|[\w$]+\s*=>|\([^;]*?\)[^;=]*=>)"),
    Language.GO: re.compile(r"\s*func\b"),
    Language.RUST: re.compile(r"\s*(?:move\s*)?\|"),
    Language.C: re.compile(r"(?!)"),
}
_CALLED[Language.TYPESCRIPT] = _CALLED[Language.JAVASCRIPT]
_OPEN_LINE = re.compile(r"=.*[\[({]$")
_OPENINGS = (
    re.compile(r"[^=]*=\s*lambda\b[^:]*:"),
    re.compile(r".*?=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)[^=]*=>"),
    re.compile(r"\s*#\s*define\s+\w+(?:\([^)]*\))?"),
    re.compile(r".*?[^=!<>]=(?![=>])"),
)
LONGEST_HEAD = 2_000  # characters: of a file without lines, all of it would be looked through again and again
_WORD = re.compile(r"[^\W\d][\w$]*")


@dataclass(frozen=True)
class ModuleValue:
    """`span` is the whole definition, `text` what stands behind its sign. `is_called`: it is a function."""

    span: Span
    text: str
    is_called: bool

    @property
    def name(self) -> str:
        return self.span.name

    @property
    def has_literals(self) -> bool:
        """Whether anything in it could be wrong by itself: a number, a text, an order."""
        return re.search(r"[\d\"'\[{(]", self.text) is not None


def module_values(content: str, language: Language) -> tuple[ModuleValue, ...]:
    """All of at most `LONGEST_LINES`, in their order; none where the file cannot be read."""
    found = _python(content) if language is Language.PYTHON else _others(content, language)
    return tuple(each for each in found if each.span.lines <= LONGEST_LINES)


def maker(value: ModuleValue, spans: Sequence[Span]) -> Span | None:
    """The function of the file that makes what this name stands for, as in `slug = joined_by("-")`; a table
    of functions is made by none of them.
    """
    if value.is_called or _WORD.match(value.text.lstrip()) is None:
        return None
    by_name = {each.name: each for each in spans if not each.owner}
    return next((by_name[word] for word in _WORD.findall(value.text) if word in by_name), None)


def used_by(span: Span, content: str, values: Sequence[ModuleValue]) -> list[ModuleValue]:
    """Of these the ones that a function names, in the order in which it does."""
    words = dict.fromkeys(_WORD.findall(span.text(content)))
    by_name = {each.name: each for each in values if not span.holds(each.span.first_line)}
    return [by_name[word] for word in words if word in by_name]


def _python(content: str) -> Iterator[ModuleValue]:
    try:
        tree = ast.parse(content)
    except UNREADABLE:
        return
    yield from _assigned(tree.body, "", lines_of(content))


def _assigned(body: Sequence[ast.stmt], owner: str, lines: Sequence[str]) -> Iterator[ModuleValue]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _assigned(node.body, node.name, lines)
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(target, ast.Name):
            continue
        # What a module says of itself, such as `__all__`, is no value that a test checks.
        if value is None or target.id.startswith("__"):
            continue
        span = Span(target.id, node.lineno, node.end_lineno or node.lineno, owner)
        text = "".join(lines[span.first_line - 1 : span.last_line]).partition("=")[2]
        yield ModuleValue(span, text, isinstance(value, ast.Lambda))


def _others(content: str, language: Language) -> Iterator[ModuleValue]:
    masked = mask(content, language)
    spans = functions(content, language)
    for match in _HEADS[language].finditer(masked):
        end = _end(masked, match.end(), language)
        first = content.count("\n", 0, match.start()) + 1
        # Arrow functions with a body, and whatever stands at the left inside of a function.
        if end is None or any(each.holds(first) for each in spans):
            continue
        # Two definitions on a line cannot be told apart by lines.
        if match.start() and content[match.start() - 1] != "\n":
            continue
        span = Span(match["name"], first, content.count("\n", 0, end) + 1)
        text = content[match.end() : end]
        head = masked[match.end() : min(end, match.end() + LONGEST_HEAD)]
        yield ModuleValue(span, text, _CALLED[language].match(head) is not None)
    if language is Language.C:
        for match in _MACRO.finditer(content):
            first = content.count("\n", 0, match.start()) + 1
            span = Span(match["name"], first, first + match[0].count("\n"))
            yield ModuleValue(span, match[0].partition(match["name"])[2], match["called"] is not None)


def _end(masked: str, start: int, language: Language) -> int | None:
    """Where the value ends; None where it does not, or its brackets do not match."""
    depth = lines = 0
    by_line = language in _ENDED_BY_LINE
    for place in range(start, len(masked)):
        lines += masked[place] == "\n"
        # Not to the end of a file for each of its lines.
        if lines > LONGEST_LINES:
            return None
        sign = masked[place]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
            if depth < 0:
                return None
        elif depth:
            continue
        elif sign == ";" or (sign == "\n" and by_line and _is_over(masked, start, place)):
            return place
    return len(masked.rstrip()) if not depth and by_line else None


def _is_over(masked: str, start: int, place: int) -> bool:
    line = masked[max(start, masked.rfind("\n", 0, place) + 1) : place]
    if not masked[start:place].strip() or _GOES_ON.search(line):
        return False
    return _IS_MORE.match(masked, place + 1) is None


def opening_of_value(text: str) -> str:
    """The beginning of an answer that writes such a definition: up to its sign, and the brackets that end its
    line; of a lambda up to its body.
    """
    line = lines_of(text)[0].rstrip()
    if _OPEN_LINE.search(line):
        return f"{line}\n"
    found = (each.match(line) for each in _OPENINGS)
    return next((match[0] for match in found if match), "")
