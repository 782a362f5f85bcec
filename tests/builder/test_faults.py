"""From a failure to the one function: twenty faults in five languages, and files that nobody named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.builder import faults
from desktop.builder.check import CheckRunner
from desktop.builder.faults import maker, module_values, opening_of_value, used_by
from desktop.builder.job import CheckJob, TestState, TestStatus
from desktop.builder.project_copy import ProjectCopy, is_test
from desktop.builder.reasons import BuilderReason
from desktop.builder.spans import LONGEST_LINES, CodeLanguage, functions
from desktop.errors import UserFacing
from desktop.sandbox.confiner import Confiner
from desktop.tools.tool import Running
from tests.bench.fix import Task, tasks
from tests.builder.conftest import Bench

FUNCTIONS = {
    "c_binary_search": "place_of",
    "c_count_build": "count_of",
    "c_days": "is_leap",
    "c_trim": "trim",
    "go_account": "Withdraw",
    "go_reverse": "Reverse",
    "go_sum_build": "Sum",
    "go_unique": "Unique",
    "javascript_chunk": "chunk",
    "javascript_query": "parseQuery",
    "javascript_stack": "pop",
    "python_inventory": "remove",
    "python_median": "median",
    "python_roman": "number_of",
    "python_wrap": "wrapped",
    "rust_counter": "count_words",
    "rust_gcd": "gcd",
    "rust_max_build": "largest",
    "rust_palindrome": "is_palindrome",
    "typescript_clamp": "clamp",
}
VALUES = {  # what is named first, and what is asked for where a model finds nothing in it
    "c_macro": ("square_of_sum", "SQUARE"),
    "c_table": ("key_of", "keys"),
    "go_table": ("Name", "names"),
    "javascript_arrow": ("discounted", ""),
    "javascript_table": ("encode", "CODES"),
    "python_closure": ("counter", "even"),
    "python_constant": ("METRES_PER_MILE", ""),
    "python_lambda": ("perimeter", ""),
    "python_table": ("days_in", "DAYS"),
    "rust_table": ("grade", "LEAST"),
}
TASKS = {each.name: each for suite in ("own", "values") for each in tasks(suite, None)}


def test_there_are_twenty() -> None:
    """Four for each of the five languages; TypeScript counts with JavaScript. And ten in values."""
    assert set(TASKS) == set(FUNCTIONS) | set(VALUES)


@pytest.mark.slow
@pytest.mark.children
@pytest.mark.parametrize("name", [*FUNCTIONS, *VALUES])
def test_the_function_at_fault_is_found(bench: Bench, name: str, tmp_path: Path) -> None:
    """By its traceback, its compiler's line, or the call that failed."""
    task = TASKS[name]
    if task.needs and shutil.which(task.needs) is None:
        pytest.skip(f"{task.needs} is not installed")
    project = tmp_path / "task"
    task.lay_out(project)
    with ProjectCopy(project, bench.paths.cache / "builder") as copy:
        state = state_of(task, bench, copy)
        assert state.status is not TestStatus.PASSED
        job = CheckJob(task.check, project, (task.file,))
        fault = faults.find(state.output, job, copy, task.file)
        assert fault is not None, state.output
        others = [each.span.name for each in fault.others]
        if name in VALUES:
            assert (fault.span.name, next(iter(others), "")) == VALUES[name]
        else:
            assert fault.span.name == FUNCTIONS[name]
        # Without a name the failure leads to the same file.
        alone = faults.find(state.output, CheckJob(task.check, project), copy, "")
        assert alone is None or alone.file == task.file


def state_of(task: Task, bench: Bench, copy: ProjectCopy) -> TestState:
    runner = CheckRunner(Confiner(bench.paths), bench.paths, copy, Running("call"))
    if task.build:
        built, good = runner.build(task.build, copy.tests)
        if not good:
            return TestState(TestStatus.NOT_BUILT, built.notes)
    return runner.test(task.check, task.file)


FAILURE = """____ test_it ____
Traceback (most recent call last):
  File "{test}", line 4, in test_it
    assert one(1) == 2
AssertionError
"""


def test_a_file_that_the_test_uses_is_found(bench: Bench) -> None:
    """Nobody named it: it is the one that the failed test imports the function from."""
    bench.lay_out(
        {
            "src/a.py": "def one(n):\n    return n\n",
            "src/b.py": "def two(n):\n    return n\n",
            "tests/test_it.py": (
                "from a import one\nfrom b import two\n\ndef test_it():\n    assert one(1) == 2\n"
            ),
        }
    )
    with ProjectCopy(bench.project, bench.paths.cache / "builder") as copy:
        found = faults.find(
            FAILURE.format(test="tests/test_it.py"), CheckJob("check", bench.project), copy, ""
        )
    assert found is not None
    assert (found.file, found.span.name) == ("src/a.py", "one")


def test_several_files_are_said(bench: Bench) -> None:
    """Where two could be at fault a person names one."""
    bench.lay_out(
        {
            "a.py": "def one(n):\n    return n\n",
            "b.py": "def one(n):\n    return n\n",
            "test_it.py": "import a\nimport b\n\ndef test_it():\n    assert a.one(1) == b.one(2)\n",
        }
    )
    with ProjectCopy(bench.project, bench.paths.cache / "builder") as copy, pytest.raises(UserFacing) as said:
        faults.find(FAILURE.format(test="test_it.py"), CheckJob("check", bench.project), copy, "")
    assert said.value.reason.code is BuilderReason.SEVERAL_FILES


@pytest.mark.parametrize(
    "file",
    [
        *("test_x.py", "x_test.go", "a/tests/helper.py", "x.test.js", "x.spec.ts", "conftest.py"),
        *("pytest.ini", "package.json", "__tests__/x.js", "testdata/in.txt", "Cargo.toml"),
    ],
)
def test_what_is_a_test_is_never_changed(file: str) -> None:
    """Nor what decides which tests are run."""
    assert is_test(file)


@pytest.mark.parametrize("file", ["x.py", "latest.py", "contest.js", "src/attest.rs", "testing_tools/x.py"])
def test_other_files_are_no_tests(file: str) -> None:
    """A name that merely holds the word is one of the project's own."""
    assert not is_test(file)


TWO_BOXES = """class Small:
    def __init__(self, n):
        self.n = n

    def size(self):
        return self.n


class Large:
    def __init__(self, n):
        self.n = n

    def size(self):
        return self.n

    class Lid:
        @property
        def area(self):
            return 1

        @area.setter
        def area(self, value):
            pass


def twice(n):
    return n


def twice(n):
    return n + n + n
"""
NAMED = {  # what the failed line says: the first line of the function that is at fault, or 0 for none
    "the class is named in the line": ("assert Large(3).size() == 4", 13),
    "the other class is": ("assert Small(3).size() == 4", 5),
    "no class is named": ("assert box.size() == 4", 0),
    "a constructor alone": ("assert Small(3) == 4", 2),
    "a property": ("assert lid.area == 4", 17),
    "defined twice": ("assert twice(1) == 2", 30),
}


@pytest.mark.parametrize("name", NAMED)
def test_functions_of_one_name_are_told_apart(bench: Bench, name: str) -> None:
    """By the class that the failure or its test names; where nothing tells them apart none is taken."""
    line, first_line = NAMED[name]
    bench.lay_out({"box.py": TWO_BOXES, "test_it.py": f"import box\n\ndef test_it():\n    {line}\n"})
    failure = FAILURE.format(test="test_it.py").replace("assert one(1) == 2", line)
    with ProjectCopy(bench.project, bench.paths.cache / "builder") as copy:
        found = faults.find(failure, CheckJob("check", bench.project, ("box.py",)), copy, "box.py")
    assert (found.span.first_line if found is not None else 0) == first_line


# -- what a file gives names to ----------------------------------------------------------------

FILES = {
    CodeLanguage.PYTHON: """import x

__all__ = ["A"]
A = 1
RATES: dict[str, float] = {
    "de": 0.19,
}
f = lambda x: x + 1
g = make("-")
LATER: int


def make(sign):
    inside = 2
    return inside


class C:
    D = [1]
""",
    CodeLanguage.JAVASCRIPT: """const A = 1
export const TABLE = {
  a: 1, b: "x;y",
};
const f = (x) => x + 1
const g = x => x
  .map(1)
  .b();
const h = make("-");
const full = (x) => {
  const inside = 2;
  return x;
};
""",
    CodeLanguage.TYPESCRIPT: """export const RATES: Record<string, number> = {
  a: 1,
};
const f = (x: number): number => x + 1;
""",
    CodeLanguage.GO: """package a

var rates = map[string]int{
	"a": 1,
}

const Most = 3

var f = func(x int) int {
	return x
}
""",
    CodeLanguage.RUST: """const DAYS: [u32; 3] = [31, 28, 31];
pub static NAMES: &[&str] = &[
    "a;",
];
static F: fn(i32) -> i32 = |x| x + 1;
fn main() {
    let x = 1;
}
""",
    CodeLanguage.C: """#include "x.h"
#define MOST(a, b) ((a) > (b) \\
    ? (a) : (b))
#define LIMIT 3
static const int days[] = {
    31, 28,
};
int f(int a) { int b = 2; return b; }
""",
}
FOUND = {  # name, first line, last line; of what is called, with a sign; what an answer begins with
    CodeLanguage.PYTHON: [
        ("A", 4, 4, "A ="),
        ("RATES", 5, 7, "RATES: dict[str, float] = {\n"),
        ("f()", 8, 8, "f = lambda x:"),
        ("g", 9, 9, "g ="),
        ("D", 19, 19, "    D ="),
    ],
    CodeLanguage.JAVASCRIPT: [
        ("A", 1, 1, "const A ="),
        ("TABLE", 2, 4, "export const TABLE = {\n"),
        ("f()", 5, 5, "const f = (x) =>"),
        ("g()", 6, 8, "const g = x =>"),
        ("h", 9, 9, "const h ="),
    ],
    CodeLanguage.TYPESCRIPT: [
        ("RATES", 1, 3, "export const RATES: Record<string, number> = {\n"),
        ("f()", 4, 4, "const f = (x: number): number =>"),
    ],
    CodeLanguage.GO: [
        ("rates", 3, 5, "var rates = map[string]int{\n"),
        ("Most", 7, 7, "const Most ="),
        ("f()", 9, 11, "var f = func(x int) int {\n"),
    ],
    CodeLanguage.RUST: [
        ("DAYS", 1, 1, "const DAYS: [u32; 3] ="),
        ("NAMES", 2, 4, "pub static NAMES: &[&str] = &[\n"),
        ("F()", 5, 5, "static F: fn(i32) -> i32 ="),
    ],
    CodeLanguage.C: [
        ("days", 5, 7, "static const int days[] = {\n"),
        ("MOST()", 2, 3, "#define MOST(a, b)"),
        ("LIMIT", 4, 4, "#define LIMIT"),
    ],
}


@pytest.mark.parametrize("language", CodeLanguage)
def test_values_are_found_whole(language: CodeLanguage) -> None:
    """Functions, what stands inside of them, and what a module says of itself are none."""
    content = FILES[language]
    found = [
        (
            f"{each.name}()" if each.is_called else each.name,
            each.span.first_line,
            each.span.last_line,
            opening_of_value(each.span.text(content)),
        )
        for each in module_values(content, language)
    ]
    assert found == FOUND[language]


MADE = {  # a value, and the function that makes it
    'slug = joined_by("-")': "joined_by",
    "slug = functools.partial(joined_by, '-')": "joined_by",
    "slug = cached(joined_by)": "joined_by",
    "slug = joined_by": "joined_by",
    "WAYS = {'a': joined_by}": "",
    "WAYS = [joined_by]": "",
    "slug = lambda text: joined_by(text)": "",
    "slug = other('-')": "",
}


@pytest.mark.parametrize("line", MADE)
def test_who_makes_it_is_known(line: str) -> None:
    """A table of functions is made by none of them, and a lambda is what it is."""
    content = f"def joined_by(sign):\n    return sign.join\n\n\n{line}\n"
    (value,) = module_values(content, CodeLanguage.PYTHON)
    made = maker(value, functions(content, CodeLanguage.PYTHON))
    assert (made.name if made is not None else "") == MADE[line]


def test_what_a_function_uses_stands_in_its_order() -> None:
    """Names of its own are none of the file's."""
    content = "A = 1\nB = 2\nC = 3\n\n\ndef f(x):\n    D = B\n    return D + A\n"
    (span,) = functions(content, CodeLanguage.PYTHON)
    values = module_values(content, CodeLanguage.PYTHON)
    assert [each.name for each in used_by(span, content, values)] == ["B", "A"]


@given(st.text(alphabet="abN =({[;:,\n\"'`#)}]=>\\", max_size=200), st.sampled_from(CodeLanguage))
def test_no_text_breaks_it(content: str, language: CodeLanguage) -> None:
    """What is found has lines that are there, and names that stand in them."""
    for each in module_values(content, language):
        assert each.name in each.span.text(content)
        assert each.span.lines <= LONGEST_LINES


OPEN = (
    "const a = (\n",
    "var a = {\n",
    "const A: [u32\n",
    "int a[] = {\n",
    "#define A \\\n",
    "const a = (b\n",
)


@pytest.mark.parametrize("language", set(CodeLanguage) - {CodeLanguage.PYTHON})
@pytest.mark.parametrize("line", OPEN)
def test_a_file_of_beginnings_is_read_at_once(line: str, language: CodeLanguage) -> None:
    """None of them has an end; each is followed for no more lines than a function may have."""
    assert len(module_values(line * 3_000, language)) <= 1
