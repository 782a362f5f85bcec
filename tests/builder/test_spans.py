"""Where functions begin and end, in six languages, also where a file cannot be read as its language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.builder.spans import CodeLanguage, at_line, functions, language_of, lines_of, mask

PYTHON = '''import re


@cached
def first(a):
    """One."""
    return a


class Box:
    def second(self):
        def inner():
            return 1

        return inner()


async def third():
    pass
'''
JAVASCRIPT = """const half = (n) => {
  return n / 2; // a { in words
};

export function twice(n) {
  const text = "}";
  if (n) {
    return n * 2;
  }
  return `${n} {`;
}

class Box {
  constructor(a) {
    this.a = a;
  }

  get size() {
    return this.a;
  }
}
"""
GO = """package box

import "fmt"

// Size is how many.
func (b *Box) Size() int {
	return b.n
}

func show[T any](value T) {
	fmt.Println(`}`, value)
}
"""
RUST = """struct Box<'a> { name: &'a str }

impl<'a> Box<'a> {
    pub fn size(&self) -> usize {
        let sign = '}';
        self.name.len()
    }
}

#[inline]
fn twice(n: i32) -> i32 {
    n * 2
}

#[cfg(test)]
mod tests {
    #[test]
    fn small() {
        assert_eq!(super::twice(1), 2);
    }
}
"""
C = """#include <stdio.h>

#define OPEN {

static int
half(int n)
{
    return n / 2; /* } */
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        printf("{");
    }
    return 0;
}
"""
FILES = {
    CodeLanguage.PYTHON: (
        PYTHON,
        [("first", 4, 7, ""), ("second", 11, 15, "Box"), ("inner", 12, 13, "Box"), ("third", 18, 19, "")],
    ),
    CodeLanguage.JAVASCRIPT: (
        JAVASCRIPT,
        [("half", 1, 3, ""), ("twice", 5, 11, ""), ("constructor", 14, 16, "Box"), ("size", 18, 20, "Box")],
    ),
    CodeLanguage.GO: (GO, [("Size", 6, 8, "b *Box"), ("show", 10, 12, "")]),
    CodeLanguage.RUST: (RUST, [("size", 4, 7, "Box"), ("twice", 11, 13, ""), ("small", 18, 20, "tests")]),
    CodeLanguage.C: (C, [("half", 5, 9, ""), ("main", 11, 16, "")]),
}


@pytest.mark.parametrize("language", FILES)
def test_functions_are_found_whole(language: CodeLanguage) -> None:
    """With names, first and last lines, and what they stand in; braces in strings and comments are none."""
    content, wanted = FILES[language]
    found = [
        (each.name, each.first_line, each.last_line, each.owner) for each in functions(content, language)
    ]
    assert found == wanted


BROKEN = {
    "python, a bracket too few": (
        CodeLanguage.PYTHON,
        "def one(a):\n    return (a\n\n\ndef two(b):\n    return b\n",
        [("one", 1, 2), ("two", 5, 6)],
    ),
    "javascript, a brace too few": (
        CodeLanguage.JAVASCRIPT,
        "function one(a) {\n  if (a) {\n    return a;\n}\n\nfunction two(b) {\n  return b;\n}\n",
        [("one", 1, 4), ("two", 6, 8)],
    ),
    "c, a brace too many": (
        CodeLanguage.C,
        "int one(int a) {\n    return a;\n}}\n\nint two(int b) {\n    return b;\n}\n",
        [("one", 1, 3), ("two", 5, 7)],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_read_has_functions_too(name: str) -> None:
    """By indentation, or by what stands at the beginning of lines."""
    language, content, wanted = BROKEN[name]
    assert [(each.name, each.first_line, each.last_line) for each in functions(content, language)] == wanted


def test_the_outermost_function_of_a_line_is_taken() -> None:
    """A helper inside of a function is mended with it; a line outside of all is in none."""
    found = functions(PYTHON, CodeLanguage.PYTHON)
    inside, outside = at_line(found, 13), at_line(found, 2)
    assert inside is not None
    assert inside.name == "second"
    assert outside is None


def test_a_function_that_is_too_long_is_left_out() -> None:
    """It is no work for a small model."""
    content = "def long():\n" + "    pass\n" * 200
    assert at_line(functions(content, CodeLanguage.PYTHON), 5) is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_rest_of_a_file_stays(end: str) -> None:
    """With the file's own ends of lines, and none after the last one where it has none."""
    content = f"a = 1{end}{end}def one():{end}    return 1{end}{end}b = 2"
    (span,) = functions(content, CodeLanguage.PYTHON)
    replaced = span.replaced(content, "def one():\n    return 2\n")
    assert replaced == content.replace("return 1", "return 2")
    assert span.replaced(content, span.text(content)) == content


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a/b.py", CodeLanguage.PYTHON),
        ("x.TS", CodeLanguage.TYPESCRIPT),
        ("x.rs", CodeLanguage.RUST),
        ("x.java", None),
    ],
)
def test_a_language_is_told_by_its_ending(name: str, language: CodeLanguage | None) -> None:
    """Whatever is not read here is no language."""
    assert language_of(name) is language


@given(st.text(alphabet="{}()\"'`/*\\\n ax=;<>#", max_size=200), st.sampled_from(list(CodeLanguage)))
def test_no_text_breaks_it(content: str, language: CodeLanguage) -> None:
    """Every span lies in the file, and putting a function back where it was changes nothing."""
    count = len(lines_of(content))
    for span in functions(content, language):
        assert 1 <= span.first_line <= span.last_line <= count
    if language is not CodeLanguage.PYTHON:
        assert len(mask(content, language)) == len(content)
