"""What of the tests a small model is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.builder.examples import LONGEST, MOST_CHARACTERS, examples_of
from desktop.builder.faults import Fault
from desktop.builder.project_copy import ProjectCopy
from desktop.builder.spans import functions, language_of

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
    tests += f'def test_long():\n    assert slug("{"x" * LONGEST}") == ""\n'
    files = {"text.py": FUNCTIONS["text.py"], "test_text.py": tests}
    found = told(tmp_path, "text.py", files, "pytest test_text.py")
    assert len(found) <= MOST_CHARACTERS
    assert found.startswith("assert slug('0 of")
    assert "'88 of" in found or "'87 of" in found or "'86 of" in found or "'85 of" in found
    assert "xxxx" not in found
