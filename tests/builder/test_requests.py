"""What is typed and meant as a wish that a check is to pass, and what is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.builder.requests import Example, check_of, examples_in, wish

CHECK = "pytest tests/test_x.py"
WISHES = {
    f"make `{CHECK}` pass": {"check": CHECK},
    f"Make {CHECK} pass": {"check": CHECK},
    f"please get `{CHECK}` to pass in src/x.py.": {"check": CHECK, "files": "src/x.py"},
    f"fix x.py so that `{CHECK}` passes": {"check": CHECK, "files": "x.py"},
    f"Can you make the test `{CHECK}` pass?": {"check": CHECK},
    "make `go test ./...` pass in sum.go": {"check": "go test ./...", "files": "sum.go"},
    'make "cargo test" pass': {"check": "cargo test"},
    f"Bring `{CHECK}` zum Laufen": {"check": CHECK},
    f"Sorge dafür, dass `{CHECK}` besteht.": {"check": CHECK},
    f"repariere text.py, sodass `{CHECK}` durchläuft": {"check": CHECK, "files": "text.py"},
    "mach `cargo test` grün": {"check": "cargo test"},
    "lass `npm test` bestehen": {"check": "npm test"},
}
NO_WISHES = (
    "make the tests pass",
    "how do I make `pytest` pass?",
    "Why does `pytest tests/test_x.py` pass?",
    f"`{CHECK}` passes now, thank you",
    'make "my day" pass quickly',
    "make me a sandwich",
    'Make `a "b` pass',
    "write a poem in poem.py so that it rhymes",
    "write `slug(text)` in text.py",
    "write `slug(text)` in text.py so that these examples hold:\nslug(open('/etc/passwd')) == 1",
    "write `slug(text)` in text.py so that these examples hold:\nslug('a') == exit(0)",
    "write `slug(=)` in text.py so that these examples hold:\nslug('a') == 'a'",
    f"make `{CHECK}` pass " + "x" * 5000,
)


@pytest.mark.parametrize("text", WISHES)
def test_a_named_check_is_a_wish(text: str) -> None:
    """In English and German, with the file that may be changed where one is named."""
    assert wish(text) == WISHES[text]


@pytest.mark.parametrize("text", NO_WISHES)
def test_everything_else_is_none(text: str) -> None:
    """Without a check that is named, and without examples of plain values, nothing is handed over."""
    assert wish(text) is None


WRITTEN = (
    'write `slug(text)` in text.py so that these three examples hold:\nslug("A B") == "a-b"\nslug("") == ""',
    'Schreibe slug(text) in text.py, sodass diese Beispiele gelten:\n- slug("A B") ergibt "a-b"\n'
    '- slug("") = ""',
    'write slug(text) in text.py so that slug("A B") == "a-b" and slug("") == ""',
    'add the function `slug(text)` to text.py so that:\n>>> slug("A B") -> "a-b"; slug("") → ""',
)


@pytest.mark.parametrize("text", WRITTEN)
def test_examples_become_the_check(text: str, tmp_path: Path) -> None:
    """A command that fails without the function, and passes with one that does what they say."""
    found = wish(text)
    assert found is not None
    assert (found["files"], found["function"]) == ("text.py", "slug(text)")
    file = tmp_path / "text.py"
    for body, code in (("text", 1), ('"-".join(text.lower().split())', 0)):
        file.write_text(f"def slug(text):\n    return {body}\n")
        done = subprocess.run(["bash", "-c", found["check"]], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
    assert "2 passed, 0 failed" in done.stdout


def test_a_failed_example_names_its_call() -> None:
    """So that the failure leads to the function, and the model sees what came."""
    check = check_of("a/b.py", (Example("f(1)", "2"),))
    assert "from a.b import f" in check
    assert "expected" in check


@given(st.text(max_size=80))
def test_no_example_runs_anything_but_the_function(text: str) -> None:
    """Values are literals: what is typed is run as it stands."""
    for example in examples_in(f"f({text}) == {text}", "f"):
        assert example.call.startswith("f(")


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    """Whatever is typed is a wish or none."""
    assert wish(f"make `{text}` pass") is None or "check" in (wish(f"make `{text}` pass") or {})
