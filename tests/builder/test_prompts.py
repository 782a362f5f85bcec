"""What the model is told, and what is taken of its answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop.builder.faults import Fault
from desktop.builder.project_copy import ProjectCopy
from desktop.builder.prompts import (
    FENCE,
    LONGEST_EXAMPLE,
    MOST_CHARACTERS,
    Ask,
    Attempt,
    Brief,
    around,
    examples_of,
    opening,
    plain,
    request,
    same_code,
    taken,
)
from desktop.builder.spans import CodeLanguage, functions, language_of

METHOD = '''class Box:
    @cached
    def size(self, n: int) -> int:
        """How many."""
        return n + 1
'''
(SIZE,) = functions(METHOD, CodeLanguage.PYTHON)
FAULT = Fault("box.py", CodeLanguage.PYTHON, SIZE)
OLD = SIZE.text(METHOD).rstrip("\n")
BRIEF = Brief(FAULT, plain(OLD), "class Box:", "pytest -q", "E  assert 3 == 2")


def test_the_answer_begins_inside_the_block() -> None:
    """With the function's own head, greedy at first, and ends at the fence."""
    asked = request(BRIEF, Ask.MEND, None, 0, "c")
    assert asked.answer_start == f"{FENCE}python\ndef size(self, n: int) -> int:\n"
    assert asked.stop == (FENCE,)
    assert asked.sampling.temperature == 0.0
    assert asked.repeats_context


@pytest.mark.parametrize("ask", Ask)
def test_what_is_asked_again_comes_out_otherwise(ask: Ask) -> None:
    """Each time with a higher temperature and another seed; what is written first is the likeliest."""
    asked = [request(BRIEF, ask, None, before, "c").sampling for before in range(3)]
    warmth = [each.temperature for each in asked]
    assert warmth == sorted(set(warmth))
    assert warmth[0] == (0.2 if ask is Ask.REFINE else 0.0)
    assert len({each.seed for each in asked}) == 3
    assert request(BRIEF, ask, None, 9, "c").sampling.temperature == warmth[-1]


def test_examples_are_told_in_every_way() -> None:
    """What the tests expect helps whoever mends as well as whoever writes anew."""
    brief = replace(BRIEF, examples="assert size(2) == 3")
    for ask in (Ask.MEND, Ask.ANEW):
        assert "assert size(2) == 3" in request(brief, ask, None, 0, "c").messages[-1].content


def test_what_is_refined_is_told_with_its_failure() -> None:
    """The function, what was tried, and what that fails with."""
    told = (
        request(BRIEF, Ask.REFINE, Attempt("def size(): ...", "E  assert 9 == 2"), 2, "c")
        .messages[-1]
        .content
    )
    assert "return n + 1" in told
    assert "assert 9 == 2" in told


@pytest.mark.parametrize(
    ("function", "ask", "tokens"),
    [
        ("def f(x):\n    pass", Ask.MEND, 1_024),
        ("def f(x):\n    a = 1\n    b = 2\n    return a", Ask.MEND, 256),
        ("def f(x):\n    a = 1\n    b = 2\n    return a", Ask.ANEW, 512),
        ("def f(x):\n" + "    a = 1\n" * 100, Ask.MEND, 633),
    ],
)
def test_what_has_only_begun_has_more_room(function: str, ask: Ask, tokens: int) -> None:
    """How long a function is says how long its successor may be, where there is one to go by."""
    asked = request(replace(BRIEF, function=function), ask, None, 0, "c")
    assert asked.sampling.max_tokens == tokens


def test_what_is_written_anew_does_not_see_the_old_body() -> None:
    """A small model would write it down again; the head and the docstring are told."""
    told = request(BRIEF, Ask.ANEW, None, 3, "c").messages[-1].content
    assert "return n + 1" not in told
    assert "How many." in told
    assert "assert 3 == 2" in told


def test_what_a_coroutine_is_for_is_told_as_well() -> None:
    """Its docstring stands below its head, as that of any function."""
    content = METHOD.replace("def size", "async def size")
    (span,) = functions(content, CodeLanguage.PYTHON)
    brief = replace(
        BRIEF, fault=Fault("box.py", CodeLanguage.PYTHON, span), function=plain(span.text(content))
    )
    assert "How many." in request(brief, Ask.ANEW, None, 0, "c").messages[-1].content


ANSWERS = {
    "whole": "    return n\n",
    "with words after it": "    return n\n```\nThat is it.",
    "with another function": "    return n\n\n\ndef other():\n    pass\n",
    "cut in what follows": "    return n\n\n\nprint(size(",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_function_is_taken_and_nothing_else(name: str) -> None:
    """With indentation, decorator and docstring as the file has them."""
    assert taken(ANSWERS[name], FAULT, OLD) == (
        '    @cached\n    def size(self, n: int) -> int:\n        """How many."""\n        return n'
    )


@pytest.mark.parametrize("answer", ["", "    return (", "no code at all"])
def test_no_function_is_none(answer: str) -> None:
    """An answer that was cut, or is none, is never put into a file."""
    assert taken(answer, FAULT, OLD) is None


BRACED = {
    CodeLanguage.JAVASCRIPT: ("const half = (n) => {\n  return n;\n};\n", "  return n / 2;\n};\n"),
    CodeLanguage.GO: ("func Half(n int) int {\n\treturn n\n}\n", "\treturn n / 2\n}\n"),
    CodeLanguage.RUST: ("pub fn half(n: i32) -> i32 {\n    n\n}\n", "    n / 2\n}\n"),
    CodeLanguage.C: ("int half(int n) {\n    return n;\n}\n", "    return n / 2;\n}\n"),
}


@pytest.mark.parametrize("language", BRACED)
def test_other_languages_are_taken_by_their_braces(language: CodeLanguage) -> None:
    """One function, whole."""
    content, answer = BRACED[language]
    (span,) = functions(content, language)
    old = span.text(content).rstrip("\n")
    new = taken(answer, Fault("x", language, span), old)
    assert new is not None
    assert "/ 2" in new
    assert not same_code(new, old, language)


def test_a_method_is_taken_without_its_class() -> None:
    """It has no keyword before its name."""
    content = "class Box {\n  size(n) {\n    return n;\n  }\n}\n"
    (span,) = functions(content, CodeLanguage.JAVASCRIPT)
    old = span.text(content).rstrip("\n")
    assert taken("  return n + 1;\n}\n", Fault("x.js", CodeLanguage.JAVASCRIPT, span), old) == (
        "  size(n) {\n    return n + 1;\n  }"
    )


def test_the_same_code_is_known_by_what_it_says() -> None:
    """Comments and blanks make no other program; a sign does."""
    assert same_code("def f():\n    return 1", "def f():  # one\n\n    return 1", CodeLanguage.PYTHON)
    assert not same_code("def f():\n    return 1", "def f():\n    return -1", CodeLanguage.PYTHON)


def test_a_long_file_is_told_by_its_heads() -> None:
    """Bodies of other functions are left out, their first lines and what stands between are not."""
    body = "\n".join(f"    a{n} = {n}" for n in range(300))
    content = f"import re\n\nLIMIT = 3\n\n\ndef long(x):\n{body}\n\n\ndef size(n):\n    return n\n"
    span = next(each for each in functions(content, CodeLanguage.PYTHON) if each.name == "size")
    told = around(content, span, CodeLanguage.PYTHON)
    assert "LIMIT = 3" in told
    assert "def long(x):" in told
    assert "a50" not in told


@pytest.mark.parametrize(
    ("function", "head"),
    [
        ("@a(1)\ndef f(x):\n    pass", "def f(x):\n"),
        ("def f(\n    x,\n):\n    pass", "def f(\n    x,\n):\n"),
        ("def f(x)\n    if x:\n        pass", "def f("),
        ("def f(\n    x\n    if x:\n        pass", "def f("),
        ("int f(int n)\n{\n    return n;\n}", "int f(int n)\n{\n"),
        ("/* a (b) */\nint f(int n) {", "int f(int n) {\n"),
        ("x = 1", ""),
    ],
)
def test_the_head_is_given_where_it_is_whole(function: str, head: str) -> None:
    """Otherwise up to the parameters: what is missing there may be the fault."""
    assert opening(function) == head


FUNCTIONS = {
    "text.py": "def slug(text):\n    return text\n",
    "text.js": "export function slug(text) {\n  return text;\n}\n",
    "text.go": "package text\n\nfunc slug(text string) string {\n\treturn text\n}\n",
    "box.py": "class Box:\n    def slug(self):\n        return 1\n",
}
TESTS = {
    "plain functions": (
        "text.py",
        "test_text.py",
        'from text import slug\n\n\ndef test_one():\n    """Words."""\n    assert slug("A") == "a"\n',
        "assert slug('A') == 'a'",
    ),
    "a coroutine": (
        "text.py",
        "test_text.py",
        "async def test_one():\n    assert await slug('A') == 'a'\n",
        "assert await slug('A') == 'a'",
    ),
    "unittest, over several lines": (
        "text.py",
        "text_test.py",
        "class Tests(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(\n"
        '            slug("A"),\n            "a",\n        )\n',
        "self.assertEqual(slug('A'), 'a')",
    ),
    "what is raised": (
        "text.py",
        "test_text.py",
        "def test_bad():\n    with pytest.raises(ValueError):\n        text.slug(None)\n",
        "with pytest.raises(ValueError):\n    text.slug(None)",
    ),
    "JavaScript": (
        "text.js",
        "text.test.js",
        'test("a", () => {\n  expect(slug("A")).toBe("a");\n  slugger("x");\n});\n',
        'expect(slug("A")).toBe("a");',
    ),
    "Go": (
        "text.go",
        "text_test.go",
        'func TestA(t *testing.T) {\n\tif got := slug("A"); got != "a" {\n\t\tt.Fatal(got)\n\t}\n}\n',
        'if got := slug("A"); got != "a" {',
    ),
    "another function": ("text.py", "test_text.py", "def test_x():\n    assert slugs(1) == 2\n", ""),
    "no program": ("text.py", "test_text.py", "def test_x(:\n    assert slug(1) == 2\n", ""),
    "a method": ("box.py", "test_box.py", "def test_x():\n    assert Box().slug() == 2\n", ""),
}


def told(folder: Path, file: str, files: dict[str, str], check: str) -> str:
    project = folder / "project"
    project.mkdir()
    for name, content in files.items():
        (project / name).write_text(content, encoding="utf-8")
    language = language_of(file)
    assert language is not None
    fault = Fault(file, language, functions(files[file], language)[0])
    with ProjectCopy(project, folder / "copies") as copy:
        return examples_of(fault, check, copy)


@pytest.mark.parametrize("name", TESTS)
def test_the_calls_in_tests_are_found(tmp_path: Path, name: str) -> None:
    """In the test's own words, without its docstring; nothing where the function is not called."""
    file, test, content, expected = TESTS[name]
    assert told(tmp_path, file, {file: FUNCTIONS[file], test: content}, f"run {test}") == expected


def test_only_tests_that_the_check_names_are_read(tmp_path: Path) -> None:
    """Another check's tests may ask for something else."""
    files = {
        "text.py": FUNCTIONS["text.py"],
        "test_text.py": "def test_a():\n    assert slug(1) == 1\n",
        "test_other.py": "def test_a():\n    assert slug(1) == 2\n",
    }
    assert told(tmp_path, "text.py", files, "pytest test_text.py") == "assert slug(1) == 1"


def test_of_many_some_from_the_whole_file_are_taken(tmp_path: Path) -> None:
    """The first among them, a late one too; never more than has room, and none that is too long."""
    tests = "".join(
        f'def test_{n}():\n    assert slug("{n} of many words") == "{n}-of-many-words"\n' for n in range(90)
    )
    tests += f'def test_long():\n    assert slug("{"x" * LONGEST_EXAMPLE}") == ""\n'
    files = {"text.py": FUNCTIONS["text.py"], "test_text.py": tests}
    found = told(tmp_path, "text.py", files, "pytest test_text.py")
    assert len(found) <= MOST_CHARACTERS
    assert found.startswith("assert slug('0 of")
    assert "'88 of" in found or "'87 of" in found or "'86 of" in found or "'85 of" in found
    assert "xxxx" not in found
