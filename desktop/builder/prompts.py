"""What the model is told, and what is taken of its answer: one function, inside a code block that is open.

An answer that begins inside the block and ends at its fence has no words around it: 30 tokens instead of
hundreds, and nothing to look for in them. What the other tests of the function say goes along as examples.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeGuard

from desktop.builder.faults import Fault, module_values, opening_of_value, tests_of
from desktop.builder.project_copy import ProjectCopy, is_test
from desktop.builder.spans import UNREADABLE, CodeLanguage, Span, functions, language_of, lines_of, mask
from desktop.engine.requests import GenerateRequest, Message, Sampling

FENCE = "```"
SYSTEM = "You mend one function so that its test passes. You answer with its code and nothing else."
LONGEST_AROUND = 1_600  # characters of the file around the function
LONGEST_ABOUT = 2_400
LONGEST_HEAD = 12  # lines
LEAST_TOKENS, LEAST_ANEW_TOKENS, MOST_TOKENS = 256, 512, 1_024
BEGUN_LINES = 3  # a function of so few is hardly more than its head
SEED = 20_260_101


@dataclass(frozen=True)
class Attempt:
    """A function that was tried, and the first thing that failed with it."""

    function: str
    failure: str


@dataclass(frozen=True)
class Brief:
    """All that a prompt is made of. `examples` are what its tests say of the function, `hints` lines of what
    worked before, `notes` what is remembered.
    """

    fault: Fault
    function: str
    around: str
    check: str
    failure: str
    about: str = ""
    examples: str = ""
    hints: tuple[str, ...] = ()
    notes: str = ""


class Ask(Enum):
    """What is asked for. A small model that sees a function mostly writes it down again as it stands, fault
    and all; where it does, the function is asked for without its old body.
    """

    MEND = auto()  # the function is shown
    REFINE = auto()  # the best try so far is shown, and what it fails with
    ANEW = auto()  # its head and what it is for are shown, and not its body


# The first time, the second and every later one: asked the same way again, the likeliest would come again.
TEMPERATURES = {Ask.MEND: (0.0, 0.4, 0.8), Ask.REFINE: (0.2, 0.6, 0.8), Ask.ANEW: (0.0, 0.5, 0.8)}


def request(
    brief: Brief, ask: Ask, attempt: Attempt | None, asked: int, conversation: str
) -> GenerateRequest:
    """Ask for the function, in a way in which it was asked for `asked` times before; `attempt` is what is
    to be refined.
    """
    function = attempt.function if attempt is not None else brief.function
    prompt = _told_anew(brief) if ask is Ask.ANEW else _told(brief, attempt)
    return GenerateRequest(
        conversation=conversation,
        messages=(Message("system", SYSTEM), Message("user", prompt)),
        sampling=Sampling(
            temperature=TEMPERATURES[ask][min(asked, 2)],
            top_p=0.95,
            seed=SEED + asked,
            max_tokens=_room(function, ask) if not brief.fault.is_value else _room_of_value(function),
        ),
        stop=(FENCE,),
        answer_start=f"{FENCE}{brief.fault.language.value}\n{_begins(brief.function, brief.fault)}",
        repeats_context=ask is not Ask.ANEW,
    )


def _room(function: str, ask: Ask) -> int:
    # Of what has only begun nobody knows how long it will be.
    if len(function.splitlines()) <= BEGUN_LINES:
        return MOST_TOKENS
    # Twice the function's own tokens and some: an answer that goes on beyond that is no function any more.
    # One that is written anew often begins by saying what it is for.
    least = LEAST_ANEW_TOKENS if ask is Ask.ANEW else LEAST_TOKENS
    return max(least, min(MOST_TOKENS, len(function) // 2 + 128))


def _room_of_value(value: str) -> int:
    # A model that has written a table goes on with the rest of the file.
    return min(MOST_TOKENS, len(value) // 2 + 128)


def _begins(function: str, fault: Fault) -> str:
    return opening_of_value(function) if fault.is_value else opening(function)


def _told(brief: Brief, attempt: Attempt | None) -> str:
    language, name = brief.fault.language.value, brief.fault.span.name
    what = "definition" if brief.fault.is_value else "function"
    # What stays the same between tries stands first: it is in the KV cache by then.
    parts = [
        f"This is the {what} `{name}` of {brief.fault.file}:\n{_block(brief.function, language)}",
        *_background(brief),
        f"`{brief.check}` fails:\n{_block(brief.failure, '')}",
    ]
    if attempt is not None:
        parts.append(f"This was tried and is still wrong:\n{_block(attempt.function, language)}")
        parts.append(f"It fails with:\n{_block(attempt.failure, '')}")
    parts.append(f"Write the whole {what} `{name}`, corrected.")
    return "\n\n".join(parts)


def _told_anew(brief: Brief) -> str:
    language, name = brief.fault.language.value, brief.fault.span.name
    parts = [
        f"The function `{name}` of {brief.fault.file} is to be written anew. It begins with:",
        _block(_head(brief.function, brief.fault.language), language),
        *_background(brief),
        f"With the old one `{brief.check}` failed:\n{_block(brief.failure, '')}",
        f"Write the whole function `{name}`, so that this passes.",
    ]
    return "\n\n".join(parts)


def _background(brief: Brief) -> list[str]:
    parts = []
    if brief.around:
        parts.append(f"Around it in the file:\n{_block(brief.around, brief.fault.language.value)}")
    if brief.about:
        parts.append(f"What it should do:\n{brief.about[:LONGEST_ABOUT]}")
    if brief.examples:
        parts.append(f"What its tests expect:\n{_block(brief.examples, brief.fault.language.value)}")
    return [*parts, *([brief.notes] if brief.notes else []), *brief.hints]


def _head(function: str, language: CodeLanguage) -> str:
    """The first line of a function, and its docstring, without what it does."""
    head = opening(function).rstrip()
    if language is CodeLanguage.PYTHON:
        try:
            body = ast.parse(function).body
        except UNREADABLE:
            return head
        if body and isinstance(body[0], ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(body[0])
            return f'{head}\n    """{text}"""' if text else head
    return head


def _block(text: str, language: str) -> str:
    return f"{FENCE}{language}\n{text.strip(chr(10))}\n{FENCE}"


def opening(function: str) -> str:
    """The beginning of the answer: the head of the function, so that it is this function that comes, with
    these parameters. Decorators and comments above it are left to the file.
    """
    lines = function.splitlines()
    for first, line in enumerate(lines):
        if "(" not in line or line.lstrip().startswith(("@", "#", "//", "/*", "*")):
            continue
        head = line.strip()
        for following in lines[first + 1 : first + LONGEST_HEAD]:
            # Only what its own brackets hold open, or a brace on the next line: a head whose sign at the end
            # is missing is the fault itself.
            if head.count("(") == head.count(")") and following.strip() != "{":
                break
            head += f"\n{following.rstrip()}"
        if head.endswith((":", "{")) and head.count("(") == head.count(")"):
            return f"{head}\n"
        return line.strip()[: line.strip().index("(") + 1]
    return ""


def plain(function: str) -> str:
    """Without the indentation that it has in a class, and without decorators, which stay as they are."""
    lines = function.splitlines()[len(_decorators(function)) :]
    lead = _lead(lines)
    # Text of a string may stand further left than the code around it, and is no other text afterwards.
    return "\n".join(line.removeprefix(lead) for line in lines)


def _lead(lines: Sequence[str]) -> str:
    """The indentation of the first line that has anything."""
    first = next((line for line in lines if line.strip()), "")
    return first[: len(first) - len(first.lstrip())]


def around(content: str, span: Span, language: CodeLanguage) -> str:
    """What of the file helps with one function: all of a short file without it, else what stands outside of
    functions, and the heads of the others.
    """
    lines = [line.rstrip() for line in lines_of(content)]
    rest = [*lines[: span.first_line - 1], *lines[span.last_line :]]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(rest)).strip("\n")
    if len(text) <= LONGEST_AROUND:
        return text
    inside = {
        number
        for each in functions(content, language)
        for number in range(each.first_line + 1, each.last_line + 1)
    }
    own = range(span.first_line, span.last_line + 1)
    kept = [line for n, line in enumerate(lines, 1) if n not in inside and n not in own and line.strip()]
    return "\n".join(kept)[:LONGEST_AROUND]


def taken(answer: str, fault: Fault, old: str) -> str | None:
    """The function of an answer, as it stands in the file: with its indentation and decorators; None where
    there is none. `old` is the one that it replaces.
    """
    # The head was given to the model, so its answer begins after it.
    code = f"{_begins(plain(old), fault)}{answer}".split(FENCE)[0].rstrip()
    new = _of_value(code, fault) if fault.is_value else _of_function(code, fault)
    if new is None:
        return None
    new = _indented_as(plain(old), new, fault.language)
    if fault.language is CodeLanguage.PYTHON and not fault.is_value:
        new = _with_docstring(new, plain(old))
    return "\n".join([*_decorators(old), *_shifted(new, old, fault.language)])


def _shifted(new: str, old: str, language: CodeLanguage) -> list[str]:
    """The lines of `new` as far to the right as the function that it replaces."""
    lines, lead = new.splitlines(), _lead(old.splitlines())
    # Where a string of the function begins its lines at the left, so do those of the new one.
    flush = any(line.strip() and not line.startswith(lead) for line in old.splitlines())
    inside = _string_lines(new, language) if flush else frozenset[int]()
    return [line if n in inside or not line.strip() else f"{lead}{line}" for n, line in enumerate(lines)]


def _indented_as(old: str, new: str, language: CodeLanguage) -> str:
    """With tabs, or as many blanks a step, as the function that it replaces: one written otherwise would
    change every line, and beside what stays of the old one it would be no Python.
    """
    step, own = _step(old), _step(new)
    if not step or not own or step == own:
        return new
    inside = _string_lines(new, language)
    lines = []
    for number, line in enumerate(new.splitlines()):
        code = line.lstrip(" \t")
        count, rest = divmod(len(line) - len(code), len(own)) if line.startswith(own) else (0, 0)
        lines.append(line if number in inside or not count else f"{step * count}{' ' * rest}{code}")
    return "\n".join(lines)


def _step(function: str) -> str:
    """What its first indented line begins with."""
    return next((lead for line in function.splitlines() if (lead := _lead([line]))), "")


def _string_lines(code: str, language: CodeLanguage) -> frozenset[int]:
    """Lines that begin inside of a string, from 0: their blanks are text. A docstring's are not."""
    if language is not CodeLanguage.PYTHON:
        # Comments are blanked out as well; that their lines stay as they are does no harm.
        lines = zip(code.splitlines(), mask(code, language).splitlines(), strict=True)
        return frozenset(n for n, (line, left) in enumerate(lines) if line.strip() and not left.strip())
    try:
        tree = ast.parse(code)
    except UNREADABLE:
        return frozenset()
    said = {id(docstring) for node in ast.walk(tree) if (docstring := _docstring(node)) is not None}
    return frozenset(
        number
        for node in ast.walk(tree)
        if _is_string(node) and id(node) not in said
        for number in range(node.lineno, node.end_lineno or node.lineno)
    )


def _is_string(node: ast.AST) -> TypeGuard[ast.expr]:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _docstring(node: ast.AST) -> ast.Constant | None:
    """The docstring of a function; None where it has none, and for anything else."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not isinstance(node.body[0], ast.Expr):
        return None
    first = node.body[0].value
    return first if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def _with_docstring(new: str, old: str) -> str:
    """A model often leaves out what the function was described by; it is the user's, and stays."""
    try:
        before, after = ast.parse(old).body[0], ast.parse(new).body[0]
    except (*UNREADABLE, IndexError):
        return new
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    if not isinstance(before, kinds) or not isinstance(after, kinds):
        return new
    if ast.get_docstring(before) is None or ast.get_docstring(after) is not None:
        return new
    said, first = before.body[0], after.body[0]
    lines = new.split("\n")
    # A body on the line of its head has no place for one.
    if first.lineno == after.lineno or said.lineno == before.lineno:
        return new
    kept = old.split("\n")[said.lineno - 1 : said.end_lineno]
    return "\n".join([*lines[: first.lineno - 1], *kept, *lines[first.lineno - 1 :]])


def _decorators(function: str) -> list[str]:
    """The lines above the head, also where one decorator has several of them."""
    lines = function.splitlines()
    if not lines or not lines[0].lstrip().startswith("@"):
        return []
    # Only Python's and those of methods of JavaScript: the head of either begins a line that ends no bracket.
    depth = 0
    for number, line in enumerate(lines):
        if not depth and line.strip() and not line.lstrip().startswith(("@", "#", "//")):
            return lines[:number]
        depth += sum(line.count(each) for each in "([{") - sum(line.count(each) for each in ")]}")
    return []


def _of_function(code: str, fault: Fault) -> str | None:
    return (
        _of_python(code, fault.span.name)
        if fault.language is CodeLanguage.PYTHON
        else _of_braces(code, fault)
    )


def _of_value(code: str, fault: Fault) -> str | None:
    """The definition of this name; what follows it may be cut or no code at all."""
    lines = code.splitlines()
    for end in range(len(lines), 0, -1):
        text = "\n".join(lines[:end]) + "\n"
        for value in module_values(text, fault.language):
            if value.name == fault.span.name:
                return value.span.text(text).rstrip("\n")
    return None


def _of_python(code: str, name: str) -> str | None:
    """The definition with this name. An answer that was cut is none."""
    try:
        tree = ast.parse(code)
    except UNREADABLE:
        return _first_whole(code, name)
    return _definition(tree, code, name)


def _definition(tree: ast.Module, code: str, name: str) -> str | None:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return "\n".join(code.splitlines()[node.lineno - 1 : node.end_lineno])
    return None


def _first_whole(code: str, name: str) -> str | None:
    """What follows the function may be cut or no code at all; the function may be whole all the same."""
    lines = code.splitlines()
    for end in range(len(lines), 0, -1):
        if end < len(lines) and lines[end].startswith((" ", "\t")):
            continue
        try:
            tree = ast.parse("\n".join(lines[:end]))
        except UNREADABLE:
            continue
        return _definition(tree, code, name)
    return None


def _of_braces(code: str, fault: Fault) -> str | None:
    # As a method has no keyword before its name, it is read inside of a class.
    for text, shift in ((code, 0), (f"class X {{\n{code}\n}}", 1)):
        for span in functions(text, fault.language):
            if span.name == fault.span.name:
                found = text.splitlines()[span.first_line - 1 : span.last_line]
                return "\n".join(found) if shift or span.first_line == 1 else None
    return None


def same_code(one: str, other: str, language: CodeLanguage) -> bool:
    """Whether two texts are the same program."""
    if language is CodeLanguage.PYTHON:
        try:
            return ast.dump(ast.parse(textwrap.dedent(one))) == ast.dump(ast.parse(textwrap.dedent(other)))
        except UNREADABLE:
            pass  # a model's half sentence is no program: its words are compared instead
    return one.split() == other.split()


# -- examples ---------------------------------------------------------------------------------------

# A failed check shows one test. The others stand in the same file and are the better half of what is known
# of the function: a model that sees eight calls with their results writes it; one that sees the first rarely
# does.
MOST_CHARACTERS = 1_200  # of all of them: some 350 tokens, two seconds of a plain processor
LONGEST_EXAMPLE = 320  # characters of one: what is longer prepares things rather than shows what is expected
_EXPECTS = re.compile(r"assert|expect|equal|[=!]=|\bwant\b|strcmp", re.IGNORECASE)


def examples_of(fault: Fault, check: str, copy: ProjectCopy) -> str:
    """Tests that call the function, one after another; "" where none is found or it is a method.

    Of many, some from the whole of the file: tests go from the plain case to the odd ones.
    """
    if fault.span.owner:
        return ""  # what its name calls is not known without types
    found: list[str] = []
    for test in _tests(fault, check, copy):
        language, content = language_of(test), copy.read(test)
        read = _python_tests if language is CodeLanguage.PYTHON else _lines_of_tests
        try:
            calls = (each for each in read(content, fault.span.name) if len(each) <= LONGEST_EXAMPLE)
            found += dict.fromkeys(calls)
        # Also what was read can be too deep to be written down again.
        except UNREADABLE:
            continue
    return "\n".join(_spread(found))


def _tests(fault: Fault, check: str, copy: ProjectCopy) -> Iterator[str]:
    """The tests that the check names; without any, those in the function's language."""
    named = list(tests_of(check, copy))
    files = named or [each for each in copy.tests if language_of(each) is fault.language]
    yield from (each for each in files if is_test(each) and language_of(each) is not None)


def _python_tests(content: str, name: str) -> Iterator[str]:
    """Raises one of `UNREADABLE`."""
    for node in ast.walk(ast.parse(content)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("test") and _calls(node, name):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            yield "\n".join(ast.unparse(each) for each in body)


def _calls(node: ast.AST, name: str) -> bool:
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(getattr(each, "id", getattr(each, "attr", "")) == name for each in called)


def _lines_of_tests(content: str, name: str) -> Iterator[str]:
    called = re.compile(rf"(?<![\w$]){re.escape(name)}\s*(?:\(|::<)")
    for line in content.splitlines():
        if called.search(line) and _EXPECTS.search(line):
            yield line.strip()


def _spread(found: Sequence[str]) -> list[str]:
    """As many as fit, evenly spread from the first to the last."""
    for count in range(len(found), 0, -1):
        chosen = [found[index * len(found) // count] for index in range(count)]
        if sum(len(each) + 1 for each in chosen) <= MOST_CHARACTERS:
            return chosen
    return []
