"""What the tests of a function say about it, short enough for a small model.

A failed check shows one test. The others stand in the same file and are the better half of what is known of
the function: a model that sees eight calls with their results writes it; one that sees the first rarely does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from desktop.builder.faults import Fault, tests_of
from desktop.builder.project_copy import ProjectCopy, is_test
from desktop.builder.spans import UNREADABLE, Language, language_of

MOST_CHARACTERS = 1_200  # of all of them: some 350 tokens, two seconds of a plain processor
LONGEST = 320  # characters of one: what is longer prepares things rather than shows what is expected
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
        read = _of_python if language is Language.PYTHON else _of_lines
        try:
            found += dict.fromkeys(each for each in read(content, fault.span.name) if len(each) <= LONGEST)
        # Also what was read can be too deep to be written down again.
        except UNREADABLE:
            continue
    return "\n".join(_spread(found))


def _tests(fault: Fault, check: str, copy: ProjectCopy) -> Iterator[str]:
    """Those that the check names; without any, those in the function's language."""
    named = list(tests_of(check, copy))
    files = named or [each for each in copy.tests if language_of(each) is fault.language]
    yield from (each for each in files if is_test(each) and language_of(each) is not None)


def _of_python(content: str, name: str) -> Iterator[str]:
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


def _of_lines(content: str, name: str) -> Iterator[str]:
    called = re.compile(rf"(?<![\w$]){re.escape(name)}\s*(?:\(|::<)")
    for line in content.splitlines():
        if called.search(line) and _EXPECTS.search(line):
            yield line.strip()


def _spread(found: Sequence[str]) -> list[str]:
    """As many as have room, evenly from the first to the last."""
    for count in range(len(found), 0, -1):
        chosen = [found[index * len(found) // count] for index in range(count)]
        if sum(len(each) + 1 for each in chosen) <= MOST_CHARACTERS:
            return chosen
    return []
