"""Where a function begins and ends, for a line or a name: Python by its syntax tree, the others by braces.

A file that cannot be read as its language (a bracket too few is the commonest fault of all) is read by its
indentation, or by what stands at the beginning of lines. Pure functions; lines count from 1.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

# Whatever Python has against a text: a zero byte, brackets that it finds too deep, or a parser that is full.
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
LONGEST_LINES = 120  # of a function: more is no work for a small model


class CodeLanguage(StrEnum):
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    TYPESCRIPT = "typescript"
    GO = "go"
    RUST = "rust"
    C = "c"


_BY_ENDING = {
    ".py": CodeLanguage.PYTHON,
    ".js": CodeLanguage.JAVASCRIPT,
    ".mjs": CodeLanguage.JAVASCRIPT,
    ".cjs": CodeLanguage.JAVASCRIPT,
    ".jsx": CodeLanguage.JAVASCRIPT,
    ".ts": CodeLanguage.TYPESCRIPT,
    ".tsx": CodeLanguage.TYPESCRIPT,
    ".mts": CodeLanguage.TYPESCRIPT,
    ".go": CodeLanguage.GO,
    ".rs": CodeLanguage.RUST,
    ".c": CodeLanguage.C,
    ".h": CodeLanguage.C,
}


def language_of(file: str) -> CodeLanguage | None:
    """The language, by the file's ending; None for one that is not known here."""
    return _BY_ENDING.get(PurePath(file).suffix.lower())


@dataclass(frozen=True)
class Span:
    """A function of a file. `owner` is the class, or whatever else it stands in, or "". A property is used
    like a value, without a call.
    """

    name: str
    first_line: int
    last_line: int
    owner: str = ""
    is_property: bool = False

    @property
    def is_test(self) -> bool:
        """By the names that tests have inside of the file that they test."""
        return self.owner in ("tests", "test") or self.name.startswith("test_")

    @property
    def lines(self) -> int:
        return self.last_line - self.first_line + 1

    def holds(self, line: int) -> bool:
        return self.first_line <= line <= self.last_line

    def text(self, content: str) -> str:
        return "".join(lines_of(content)[self.first_line - 1 : self.last_line])

    def replaced(self, content: str, function: str) -> str:
        """The file with `function` in the place of this one, with line ends as the file has them."""
        lines = lines_of(content)
        end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        new = [f"{line.rstrip(chr(13))}{end}" for line in function.strip("\n").split("\n")]
        # The last line of a file may have no end.
        if self.last_line >= len(lines) and lines and not lines[-1].endswith("\n"):
            new[-1] = new[-1].removesuffix(end)
        return "".join([*lines[: self.first_line - 1], *new, *lines[self.last_line :]])


def lines_of(content: str) -> list[str]:
    """With their ends. Only a line feed ends one, as for compilers: `splitlines` knows eight more signs."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", content)


def functions(content: str, language: CodeLanguage) -> tuple[Span, ...]:
    """All functions in their order; one inside another comes after it."""
    if language is CodeLanguage.PYTHON:
        return _python(content)
    return _braced(content, language)


def at_line(found: tuple[Span, ...], line: int) -> Span | None:
    """The outermost function of at most `LONGEST_LINES` that holds the line; None outside of all."""
    fitting = [each for each in found if each.holds(line) and each.lines <= LONGEST_LINES]
    return max(fitting, key=lambda each: each.lines, default=None)


# -- Python -----------------------------------------------------------------------------------------

_DEF = re.compile(r"^(?P<indent>[ \t]*)(?:async[ \t]+)?def[ \t]+(?P<name>\w+)")
_CLASS = re.compile(r"^(?P<indent>[ \t]*)class[ \t]+(?P<name>\w+)")


def _python(content: str) -> tuple[Span, ...]:
    try:
        return tuple(_definitions(ast.parse(content), ""))
    except UNREADABLE:
        return _indented(content)


def _definitions(node: ast.AST, owner: str) -> Iterator[Span]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            is_property = any(map(_makes_property, child.decorator_list))
            yield Span(child.name, first, child.end_lineno or child.lineno, owner, is_property)
            yield from _definitions(child, owner)
        elif isinstance(child, ast.ClassDef):
            yield from _definitions(child, child.name)
        else:
            yield from _definitions(child, owner)


def _makes_property(decorator: ast.expr) -> bool:
    name = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", "")
    return name in ("property", "cached_property", "setter", "getter", "deleter")


def _indented(content: str) -> tuple[Span, ...]:
    """From each `def` to the next line that stands no deeper, without blank lines and comments at the end."""
    lines = lines_of(content)
    found, owners = [], list[tuple[int, str]]()
    for number, line in enumerate(lines):
        opened = _CLASS.match(line)
        if opened:
            owners = [each for each in owners if each[0] < len(opened["indent"])]
            owners.append((len(opened["indent"]), opened["name"]))
        match = _DEF.match(line)
        if match is None:
            continue
        depth = len(match["indent"])
        owner = next((name for at, name in reversed(owners) if at < depth), "")
        first = number
        while first and lines[first - 1].startswith(f"{match['indent']}@"):
            first -= 1
        found.append(Span(match["name"], first + 1, _end_of_indented(lines, number, depth), owner))
    return tuple(found)


def _end_of_indented(lines: list[str], start: int, depth: int) -> int:
    last = start
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        # A bracket that is closed in the first column belongs to what was opened above.
        if len(line) - len(line.lstrip()) <= depth and line.strip()[0] not in ")]}":
            break
        last = number
    return last + 1


# -- languages with braces ----------------------------------------------------------------------------

_RESERVED = r"(?!(?:if|for|while|switch|catch|else|do|return|with|match|loop|unsafe|function)\b)"
_HEADERS = {  # of what stands between the end of the last statement and a brace
    CodeLanguage.JAVASCRIPT: re.compile(
        rf"""
        (?:^|\s) function \s* \*? \s* (?P<plain> [\w$]+ ) \s* (?:<[^(]*>)? \(
        | (?P<held> [\w$]+ ) \s* (?::[^=]+)? = \s* (?:async \s+)?
          (?:function\b [^(]* \( | (?:<[^(]*>)? \(? [^()]* (?:\([^()]*\)[^()]*)* \)? [^=]* => )
        | ^ \s* (?:(?:public|private|protected|static|async|get|set|override|readonly|\*) \s*)*
          {_RESERVED} (?P<method> [\w$\#]+ ) \s* (?:<[^(]*>)? \( [^;]* \) [^;=]* \Z
        """,
        re.VERBOSE | re.DOTALL | re.MULTILINE,
    ),
    CodeLanguage.GO: re.compile(
        r"^\s*func\s+(?:\((?P<owner>[^)]*)\)\s*)?(?P<plain>\w+)\s*(?:\[[^\]]*\])?\(", re.M
    ),
    CodeLanguage.RUST: re.compile(r"\bfn\s+(?P<plain>\w+)\s*(?:<.*?>)?\s*\(", re.DOTALL),
    # What stands before the name is read as one run: words and stars apart could be shared out in every way.
    CodeLanguage.C: re.compile(
        rf"^\s*(?=[\w*])[\w\s*]*[\s*]{_RESERVED}(?P<plain>\w+)\s*\([^;{{}}]*\)\s*$", re.DOTALL
    ),
}
_HEADERS[CodeLanguage.TYPESCRIPT] = _HEADERS[CodeLanguage.JAVASCRIPT]
_OWNER = re.compile(
    r"\b(?:class|impl|trait|struct|interface|mod|namespace)\b(?:\s*<[^>]*>)?\s+(?:[^{;]*?\bfor\s+)?(\w+)"
)
_RESET = {
    CodeLanguage.JAVASCRIPT: re.compile(
        r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function|const|let|class)\b"
    ),
    CodeLanguage.GO: re.compile(r"^func\b"),
    CodeLanguage.RUST: re.compile(r"^(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*fn\b"),
    CodeLanguage.C: re.compile(r"^[A-Za-z_][\w\s*]*\([^;]*$"),
}
_RESET[CodeLanguage.TYPESCRIPT] = _RESET[CodeLanguage.JAVASCRIPT]


@dataclass
class _Block:
    header: str
    start: int  # of the header
    owner: str


def _braced(content: str, language: CodeLanguage) -> tuple[Span, ...]:
    masked = mask(content, language)
    found: list[Span] = []
    stack: list[_Block] = []
    begun = 0
    for place, sign in ((m.start(), m[0]) for m in re.finditer(r"[{};]", masked)):
        if sign == "{":
            header = masked[begun:place]
            owner = next((each.owner for each in reversed(stack) if each.owner), "")
            owned = _OWNER.search(header.strip())
            stack.append(_Block(header, begun, owned[1] if owned else owner))
        elif sign == "}" and stack:
            block = stack.pop()
            span = _function(block, place, content, language, stack)
            if span is not None:
                found.append(span)
        elif sign == "}":
            # One too many: from here on every function would be another's.
            return _by_lines(content, language)
        # A `;` between brackets, as in the head of a `for`, ends nothing.
        if sign != ";" or _is_balanced(masked[begun:place]):
            begun = place + 1
    if stack:
        return _by_lines(content, language)
    return tuple(sorted(found, key=lambda each: (each.first_line, -each.last_line)))


def _is_balanced(text: str) -> bool:
    return text.count("(") == text.count(")")


def _function(
    block: _Block, end: int, content: str, language: CodeLanguage, around: list[_Block]
) -> Span | None:
    match = _HEADERS[language].search(block.header)
    if match is None:
        return None
    groups = {name: text for name, text in match.groupdict().items() if text}
    name = groups.get("plain") or groups.get("held") or groups.get("method") or ""
    # Where statements end without a sign, the head begins where the match does, and not after the last brace.
    begun = match.start() + len(match[0]) - len(match[0].lstrip())
    first = content.count("\n", 0, block.start + begun) + 1
    owner = next((each.owner for each in reversed(around) if each.owner), "")
    owner = groups.get("owner", "").strip() or owner
    is_property = bool(owner and re.match(r"\s*(?:static\s+)?[gs]et\s", block.header[match.start() :]))
    return Span(name, first, content.count("\n", 0, end) + 1, owner, is_property)


def _by_lines(content: str, language: CodeLanguage) -> tuple[Span, ...]:
    """Where the braces do not match: from each head in the first column to the next one, without what stands
    between them.
    """
    lines = lines_of(content)
    heads = [n for n, line in enumerate(lines) if _RESET[language].match(line)]
    found = []
    for at, following in zip(heads, [*heads[1:], len(lines)], strict=False):
        last = following - 1
        while last > at and not lines[last].startswith("}") and not lines[last].startswith((" ", "\t")):
            last -= 1
        name = re.search(r"(\w+)\s*(?:<[^(]*>)?\s*(?:=\s*(?:async\s*)?)?\(", lines[at])
        if name is not None:
            found.append(Span(name[1], at + 1, last + 1))
    return tuple(found)


_QUOTED = {
    CodeLanguage.JAVASCRIPT: r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
    r"|(?<=[=(,:\[!&|?{};\s])/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*(?=\s*[.,;)\]\n])",
    CodeLanguage.GO: r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|`[^`]*`",
    # A lifetime has one quote, a character two.
    CodeLanguage.RUST: r"r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"|b?'(?:\\[^']+|[^'\\\n])'",
    CodeLanguage.C: r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'",
}
_QUOTED[CodeLanguage.TYPESCRIPT] = _QUOTED[CodeLanguage.JAVASCRIPT]
_COMMENT = r"//[^\n]*|/\*.*?\*/"
_DIRECTIVE = r"|(?m:^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)"  # of the preprocessor, which ends no statement


def mask(content: str, language: CodeLanguage) -> str:
    """The text with strings, comments and attributes blanked out, every character in its place."""
    more = (
        _DIRECTIVE
        if language is CodeLanguage.C
        else r"|\#!?\[[^\]\n]*\]"
        if language is CodeLanguage.RUST
        else ""
    )
    pattern = re.compile(f"{_COMMENT}|{_QUOTED[language]}{more}", re.DOTALL)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), content)
