"""Tables, constants, lambdas, macros and what other functions make are found as they stand in a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.builder.module_values import maker, module_values, opening_of_value, used_by
from desktop.builder.spans import LONGEST_LINES, Language, functions

FILES = {
    Language.PYTHON: """import x

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
    Language.JAVASCRIPT: """const A = 1
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
    Language.TYPESCRIPT: """export const RATES: Record<string, number> = {
  a: 1,
};
const f = (x: number): number => x + 1;
""",
    Language.GO: """package a

var rates = map[string]int{
	"a": 1,
}

const Most = 3

var f = func(x int) int {
	return x
}
""",
    Language.RUST: """const DAYS: [u32; 3] = [31, 28, 31];
pub static NAMES: &[&str] = &[
    "a;",
];
static F: fn(i32) -> i32 = |x| x + 1;
fn main() {
    let x = 1;
}
""",
    Language.C: """#include "x.h"
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
    Language.PYTHON: [
        ("A", 4, 4, "A ="),
        ("RATES", 5, 7, "RATES: dict[str, float] = {\n"),
        ("f()", 8, 8, "f = lambda x:"),
        ("g", 9, 9, "g ="),
        ("D", 19, 19, "    D ="),
    ],
    Language.JAVASCRIPT: [
        ("A", 1, 1, "const A ="),
        ("TABLE", 2, 4, "export const TABLE = {\n"),
        ("f()", 5, 5, "const f = (x) =>"),
        ("g()", 6, 8, "const g = x =>"),
        ("h", 9, 9, "const h ="),
    ],
    Language.TYPESCRIPT: [
        ("RATES", 1, 3, "export const RATES: Record<string, number> = {\n"),
        ("f()", 4, 4, "const f = (x: number): number =>"),
    ],
    Language.GO: [
        ("rates", 3, 5, "var rates = map[string]int{\n"),
        ("Most", 7, 7, "const Most ="),
        ("f()", 9, 11, "var f = func(x int) int {\n"),
    ],
    Language.RUST: [
        ("DAYS", 1, 1, "const DAYS: [u32; 3] ="),
        ("NAMES", 2, 4, "pub static NAMES: &[&str] = &[\n"),
        ("F()", 5, 5, "static F: fn(i32) -> i32 ="),
    ],
    Language.C: [
        ("days", 5, 7, "static const int days[] = {\n"),
        ("MOST()", 2, 3, "#define MOST(a, b)"),
        ("LIMIT", 4, 4, "#define LIMIT"),
    ],
}


@pytest.mark.parametrize("language", Language)
def test_values_are_found_whole(language: Language) -> None:
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
    (value,) = module_values(content, Language.PYTHON)
    made = maker(value, functions(content, Language.PYTHON))
    assert (made.name if made is not None else "") == MADE[line]


def test_what_a_function_uses_stands_in_its_order() -> None:
    """Names of its own are none of the file's."""
    content = "A = 1\nB = 2\nC = 3\n\n\ndef f(x):\n    D = B\n    return D + A\n"
    (span,) = functions(content, Language.PYTHON)
    values = module_values(content, Language.PYTHON)
    assert [each.name for each in used_by(span, content, values)] == ["B", "A"]


@given(st.text(alphabet="abN =({[;:,\n\"'`#)}]=>\\", max_size=200), st.sampled_from(Language))
def test_no_text_breaks_it(content: str, language: Language) -> None:
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


@pytest.mark.parametrize("language", set(Language) - {Language.PYTHON})
@pytest.mark.parametrize("line", OPEN)
def test_a_file_of_beginnings_is_read_at_once(line: str, language: Language) -> None:
    """None of them has an end; each is followed for no more lines than a function may have."""
    assert len(module_values(line * 3_000, language)) <= 1
