"""From a failure to the one function that is worked on: by the lines that the output names, else by the names
of functions that the failed test calls; or to a table, a constant or a lambda, where it is one of those.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from desktop.builder.check import FailurePlace, first_failure, places
from desktop.builder.job import CheckJob
from desktop.builder.project_copy import ProjectCopy, is_test
from desktop.builder.reasons import BuilderReason
from desktop.builder.spans import (
    LONGEST_LINES,
    UNREADABLE,
    CodeLanguage,
    Span,
    at_line,
    functions,
    language_of,
    lines_of,
    mask,
)
from desktop.errors import UserFacing

AROUND = 5  # lines of a test that is no function
_CONSTRUCTORS = frozenset({"__init__", "constructor", "new"})
_PYTHON_IMPORT = re.compile(r"(?m)^\s*(?:from\s+([\w.]+)\s+import\s+([^\n#]+)|import\s+([\w., ]+))")
_SCRIPT_IMPORT = re.compile(r"""(?:from|require\(|import\()\s*['"](\.{1,2}/[^'"]+)['"]""")
_INCLUDE = re.compile(r'(?m)^\s*#\s*include\s*"([^"]+)"')
_SCRIPT_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.js")
_MARKED = re.compile(r"(?m)^(?:>|E )(.*)$")  # pytest's line that failed, and what it says of it
_WORDS = re.compile(r"[\w./\\-]+")
MOST_OTHERS = 2


@dataclass(frozen=True)
class Fault:
    """Where to work: the file and its function. `is_value`: a table, a constant or a lambda in the place of a
    function. `others` are values that the function uses, since it may be one of those that is wrong.
    """

    file: str
    language: CodeLanguage
    span: Span
    is_value: bool = False
    others: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class _Definitions:
    """What of a file could be at fault."""

    spans: tuple[Span, ...]
    values: tuple[ModuleValue, ...]

    @classmethod
    def of(cls, content: str, language: CodeLanguage) -> _Definitions:
        # Rust keeps tests in the file that they test.
        spans = (each for each in functions(content, language) if not each.is_test)
        return cls(tuple(spans), module_values(content, language))

    @property
    def called(self) -> tuple[Span, ...]:
        """Functions, and whatever else is one."""
        lambdas = (each.span for each in self.values if each.is_called)
        return tuple(sorted((*self.spans, *lambdas), key=lambda each: (each.first_line, -each.last_line)))

    def is_value(self, span: Span) -> bool:
        return span not in self.spans


def refuse_file(job: CheckJob) -> str:
    """The file that the job names, relative to the project; "" where it names none. Raises UserFacing for
    what this loop does not do: several files, a test, a language that it cannot read, a file elsewhere.
    """
    if len(job.files) > 1:
        raise UserFacing(BuilderReason.SEVERAL_FILES.of(count=len(job.files), files=", ".join(job.files)))
    if not job.files:
        return ""
    project = job.folder.resolve()
    whole = (project / job.files[0]).resolve()
    if not whole.is_relative_to(project):
        raise UserFacing(BuilderReason.OUTSIDE.of(file=job.files[0], folder=project))
    file = whole.relative_to(project).as_posix()
    if is_test(file):
        raise UserFacing(BuilderReason.IS_A_TEST.of(file=file))
    if language_of(file) is None:
        raise UserFacing(BuilderReason.NO_LANGUAGE.of(file=file))
    return file


def named_file(job: CheckJob, copy: ProjectCopy) -> str:
    """The file that the request names, where the copy has it. Raises UserFacing."""
    file = refuse_file(job)
    path = copy.project / file
    # A function that is to be written may be the first of its file.
    is_new = bool(job.function) and not path.exists() and path.parent.is_dir()
    if file and file not in copy.files and not is_new:
        raise UserFacing(BuilderReason.NO_SUCH_FILE.of(file=job.files[0], folder=copy.project))
    return file


def find(output: str, job: CheckJob, copy: ProjectCopy, file: str) -> Fault | None:
    """The function at fault; `file` is the one that may change, or "" for the one that the failure leads to.

    None where nothing points at one. Raises UserFacing where it leads to several files.
    """
    found = places(output, copy.folder)
    target = file or _target(output, found, job, copy)
    language = language_of(target)
    # Nothing is guessed: work on the wrong function would cost three tries and teach nobody anything.
    if not target or language is None:
        return None
    content = copy.read(target)
    made = _Definitions.of(content, language)
    span = (
        _by_line(made.called, found, target, language, output)
        or _by_line(tuple(each.span for each in made.values), found, target, language, output)
        or _by_name(made, output, found, copy)
        or _by_value(made, output, found, copy)
    )
    if span is None and len(made.spans) == 1 and made.spans[0].lines <= LONGEST_LINES:
        span = made.spans[0]
    return _fault(target, language, span, made, content) if span is not None else None


def _fault(target: str, language: CodeLanguage, span: Span, made: _Definitions, content: str) -> Fault:
    if made.is_value(span):
        return Fault(target, language, span, is_value=True)
    # A name for what this function makes is as likely to be wrong as what the function uses.
    named = [each for each in made.values if maker(each, made.spans) == span]
    others = dict.fromkeys(
        each.span for each in (*named, *used_by(span, content, made.values)) if each.has_literals
    )
    values = (Fault(target, language, each, is_value=True) for each in others)
    return Fault(target, language, span, others=tuple(values)[:MOST_OTHERS])


def begun(content: str, function: str, language: CodeLanguage) -> str:
    """The file with the beginning of a function that is not in it yet, which fails until it is written."""
    name = function.partition("(")[0].strip()
    if language is not CodeLanguage.PYTHON or any(each.name == name for each in functions(content, language)):
        return content
    above = content.rstrip("\n") + "\n\n\n" if content.strip() else ""
    return f"{above}def {function}:\n    raise NotImplementedError\n"


# -- the file -----------------------------------------------------------------------------------------


def _target(output: str, found: Sequence[FailurePlace], job: CheckJob, copy: ProjectCopy) -> str:
    """Of the files that the failure names, or that the tests use: the one that may change."""
    named = list(dict.fromkeys(p.file for p in found if not is_test(p.file) and language_of(p.file)))
    if named:
        # The deepest frame of a traceback stands last in Python and first elsewhere.
        return named[-1] if language_of(named[-1]) is CodeLanguage.PYTHON else named[0]
    tests = dict.fromkeys([*(p.file for p in found if is_test(p.file)), *tests_of(job.check, copy)])
    used = list(dict.fromkeys(each for test in tests for each in _used(test, copy)))
    # A test brings in helpers as well; only a file that defines what the failed line calls is in question.
    if len(used) > 1:
        used = [each for each in used if _defines(each, output, found, copy, _by_name)] or [
            each for each in used if _defines(each, output, found, copy, _by_value)
        ]
    if len(used) > 1:
        raise UserFacing(BuilderReason.SEVERAL_FILES.of(count=len(used), files=", ".join(used)))
    return used[0] if used else ""


def tests_of(check: str, copy: ProjectCopy) -> Iterator[str]:
    """Files that the check's own words name."""
    for word in _WORDS.findall(check):
        name = word.removeprefix("./")
        if name in copy.files and is_test(name):
            yield name


def _used(test: str, copy: ProjectCopy) -> Iterator[str]:
    """Files of the project that a test brings in."""
    language, content = language_of(test), copy.read(test)
    for each in _imported(language, content, PurePosixPath(test), copy.files):
        if each in copy.files and not is_test(each):
            yield each


def _imported(
    language: CodeLanguage | None, content: str, test: PurePosixPath, files: Sequence[str]
) -> Iterator[str]:
    here = test.parent
    if language is CodeLanguage.PYTHON:
        yield from _python_files(content, here)
    elif language in (CodeLanguage.JAVASCRIPT, CodeLanguage.TYPESCRIPT):
        for match in _SCRIPT_IMPORT.finditer(content):
            yield from (_joined(here, match[1] + ending) for ending in _SCRIPT_ENDINGS)
    elif language is CodeLanguage.GO:
        yield from (each for each in files if PurePosixPath(each).parent == here and each.endswith(".go"))
    elif language is CodeLanguage.RUST:
        yield from (each for each in files if each.endswith(".rs") and PurePosixPath(each).name != "main.rs")
    elif language is CodeLanguage.C:
        for match in _INCLUDE.finditer(content):
            yield _joined(here, match[1].removesuffix(".h") + ".c")


def _python_files(content: str, here: PurePosixPath) -> Iterator[str]:
    for match in _PYTHON_IMPORT.finditer(content):
        modules = [match[1]] if match[1] else re.findall(r"[\w.]+", match[3] or "")
        # `from package import module` names a file with its second word.
        modules += [f"{match[1]}.{name}" for name in re.findall(r"\w+", match[2] or "")] if match[1] else []
        for module in modules:
            path = module.strip(".").replace(".", "/")
            for top in dict.fromkeys(("", "src/", f"{here}/" if str(here) != "." else "")):
                yield from (f"{top}{path}.py", f"{top}{path}/__init__.py")


def _joined(folder: PurePosixPath, name: str) -> str:
    parts: list[str] = []
    for part in (*folder.parts, *PurePosixPath(name).parts):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)


def _defines(
    file: str, output: str, found: Sequence[FailurePlace], copy: ProjectCopy, search: _Search
) -> bool:
    language = language_of(file)
    if language is None:
        return False
    return search(_Definitions.of(copy.read(file), language), output, found, copy) is not None


# -- the function ---------------------------------------------------------------------------------------


def _by_line(
    spans: tuple[Span, ...], found: Sequence[FailurePlace], target: str, language: CodeLanguage, output: str
) -> Span | None:
    lines = [each.line for each in found if each.file == target]
    # Python's own traceback ends with the deepest frame; where it shows a program that hangs, and in all
    # other languages, that one stands first.
    if language is CodeLanguage.PYTHON and "Timeout (" not in output:
        lines.reverse()
    spans_found = (at_line(spans, line) for line in lines)
    return next((each for each in spans_found if each is not None), None)


def _by_name(
    made: _Definitions, output: str, found: Sequence[FailurePlace], copy: ProjectCopy
) -> Span | None:
    """The function that the failed line calls; else one that the failed test calls, or what prepares it."""
    texts = _told(output, found, copy)
    for text in texts:
        called = _called(made, text)
        if called:
            return _one_of(called, "\n".join(texts))
    return None


def _by_value(
    made: _Definitions, output: str, found: Sequence[FailurePlace], copy: ProjectCopy
) -> Span | None:
    """The table or constant that the failed line names, where no function is called."""
    for text in _told(output, found, copy):
        named = (
            (re.search(rf"(?<![\w$]){re.escape(each.name)}(?![\w$])", text), each) for each in made.values
        )
        first = min(
            ((match.start(), each) for match, each in named if match), key=lambda each: each[0], default=None
        )
        if first is not None:
            return maker(first[1], made.spans) or first[1].span
    return None


_Search = Callable[[_Definitions, str, Sequence[FailurePlace], ProjectCopy], Span | None]


def _told(output: str, found: Sequence[FailurePlace], copy: ProjectCopy) -> tuple[str, ...]:
    """What names the fault, the nearest first. The failed line itself before what stands around it: a test
    prepares things with functions that are in order.
    """
    failure = first_failure(output)
    marked = "\n".join(_MARKED.findall(failure))
    tests = [test for each in found if (test := _test_lines(each, copy))]
    lines = "\n".join(each[0] for each in tests)
    around = "\n".join(line for each in tests for line in each)
    helpers = "\n".join(_helpers(file, around, copy) for file in dict.fromkeys(each.file for each in found))
    return marked, lines, failure, around, helpers


def _helpers(file: str, around: str, copy: ProjectCopy) -> str:
    """What else of its file the failed test uses: fixtures, helpers, what the file gives names to."""
    language = language_of(file)
    if language is None or not is_test(file):
        return ""
    content = copy.read(file)
    defined = (*functions(content, language), *(each.span for each in module_values(content, language)))
    words = set(re.findall(r"\w+", around))
    return "\n".join(each.text(content) for each in defined if each.name in words)


def _test_lines(place: FailurePlace, copy: ProjectCopy) -> list[str]:
    """A line of a test, then those above it in the same test: what comes after it was not run. None of them
    where the line is in no test.
    """
    language = language_of(place.file)
    content = copy.read(place.file) if language is not None else ""
    lines = [line.rstrip() for line in lines_of(content)]
    if language is None or not 1 <= place.line <= len(lines):
        return []
    span = at_line(functions(content, language), place.line)
    if not is_test(place.file) and (span is None or not span.is_test):
        return []
    first = span.first_line if span is not None else max(place.line - AROUND, 1)
    return lines[first - 1 : place.line][::-1]


def _called(made: _Definitions, text: str) -> list[Span]:
    """The functions of the name that is called first in the text: one, unless several have it. An object is
    made before anything is asked of it, so that its constructor counts only where nothing else is called.
    What another function made is called by the name that it was given, and is that function's.
    """
    uses = [(_use_of(span), span) for span in made.called]
    uses += [(_call_of(each.name), span) for each in made.values if (span := maker(each, made.spans))]
    found = [
        (span.name in _CONSTRUCTORS, match.start(), span)
        for use, span in uses
        if span.lines <= LONGEST_LINES and (match := use.search(text))
    ]
    first = min((each[:2] for each in found), default=None)
    return [span for *place, span in found if tuple(place) == first]


def _use_of(span: Span) -> re.Pattern[str]:
    if span.is_property:
        return re.compile(rf"\.{re.escape(span.name)}\b(?!\s*\()")
    return _call_of(span.owner if span.name in _CONSTRUCTORS and span.owner else span.name)


def _call_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$]){re.escape(name)}\s*(?:\(|::<)")


def _one_of(spans: Sequence[Span], text: str) -> Span | None:
    """Of several with one name: that of the class which the failure or its test names, else none, since
    nothing is guessed. Of one that is defined twice in the same place the later one is in force.
    """
    owners = {each.owner for each in spans}
    if len(owners) > 1:
        # Go's owner is a receiver with its type.
        types = {each: each.split()[-1].strip("*") for each in owners if each}
        owners = {each for each, name in types.items() if re.search(rf"\b{re.escape(name)}\b", text)}
    if len(owners) != 1:
        return None
    own = [each for each in spans if each.owner in owners]
    # Of a property it is the one that reads, which stands first.
    return own[0] if own[0].is_property else own[-1]


# -- what a file gives names to ----------------------------------------------------------------

# What a file gives names to that is no function with a body: tables, constants, lambdas, macros, and what
# another function makes.
#
# Read as `spans.py` reads functions: Python by its syntax tree, the others by what stands at the
# beginning of lines. Only what stands outside of everything else, or in a class of Python. Pure
# functions.

_HEADS = {  # in the first column, up to the sign behind which the value stands
    CodeLanguage.JAVASCRIPT: re.compile(
        r"^(?:export\s+)?(?:const|let|var)\s+(?P<name>[\w$]+)(?:\s*:[^=\n]+)?\s*=(?![=>])", re.M
    ),
    CodeLanguage.GO: re.compile(r"^(?:var|const)\s+(?P<name>\w+)(?:[ \t]+[^=\n]+?)?\s*=", re.M),
    CodeLanguage.RUST: re.compile(
        r"^(?:pub(?:\([^)\n]*\))?\s+)?(?:const|static)\s+(?:mut\s+)?(?P<name>\w+)\s*:[^={]{1,300}=", re.M
    ),
    CodeLanguage.C: re.compile(r"^(?:[A-Za-z_]\w*[ \t*]+)+(?P<name>\w+)\s*(?:\[[^\]\n]*\]\s*)*=(?!=)", re.M),
}
_HEADS[CodeLanguage.TYPESCRIPT] = _HEADS[CodeLanguage.JAVASCRIPT]
_MACRO = re.compile(r"(?m)^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?P<called>\()?(?:[^\n\\]|\\.|\\\n)+")
# Without a sign at its end a statement ends with its line, unless this line or the next one says otherwise.
_GOES_ON = re.compile(r"(?:[=([{,+\-*/%&|?:<]|=>)\s*$")
_IS_MORE = re.compile(r"\s*[.?:+\-*/%&|)\]}]")
_ENDED_BY_LINE = frozenset({CodeLanguage.JAVASCRIPT, CodeLanguage.TYPESCRIPT, CodeLanguage.GO})
_CALLED = {  # begins the value of what is called like a function
    CodeLanguage.JAVASCRIPT: re.compile(r"\s*(?:async\b\s*)?(?:function\b|[\w$]+\s*=>|\([^;]*?\)[^;=]*=>)"),
    CodeLanguage.GO: re.compile(r"\s*func\b"),
    CodeLanguage.RUST: re.compile(r"\s*(?:move\s*)?\|"),
    CodeLanguage.C: re.compile(r"(?!)"),
}
_CALLED[CodeLanguage.TYPESCRIPT] = _CALLED[CodeLanguage.JAVASCRIPT]
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


def module_values(content: str, language: CodeLanguage) -> tuple[ModuleValue, ...]:
    """All of at most `LONGEST_LINES`, in their order; none where the file cannot be read."""
    found = _python(content) if language is CodeLanguage.PYTHON else _others(content, language)
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


def _others(content: str, language: CodeLanguage) -> Iterator[ModuleValue]:
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
    if language is CodeLanguage.C:
        for match in _MACRO.finditer(content):
            first = content.count("\n", 0, match.start()) + 1
            span = Span(match["name"], first, first + match[0].count("\n"))
            yield ModuleValue(span, match[0].partition(match["name"])[2], match["called"] is not None)


def _end(masked: str, start: int, language: CodeLanguage) -> int | None:
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
