"""The commands of a line one by one: what each does, what it writes, and what runs it."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import ANYWHERE, Effect, Flag, Step
from desktop.paths import resources

CLASSIFIER = Classifier(Tables(resources() / "commands"), remember=False)
READ, CREATE, UPDATE, UNKNOWN, DELETE = Effect


def steps_of(line: str) -> tuple[Step, ...]:
    return CLASSIFIER.classify(line, "bash", "/home/me/project").steps


@pytest.mark.parametrize(
    ("line", "steps"),
    [
        ("ls -la", [("ls -la", READ, ())]),
        ("rm -rf a && touch b", [("rm -rf a", DELETE, ("a",)), ("touch b", CREATE, ("b",))]),
        ("npm test > out.log", [("npm test", UNKNOWN, ()), ("", CREATE, ("out.log",))]),
        ("cd sub && touch b", [("cd sub", READ, ()), ("touch b", CREATE, ("sub/b",))]),
        ("touch $x", [("touch \x01", CREATE, (ANYWHERE,))]),
        ("LD_PRELOAD=./x.so ls", [("", UNKNOWN, ()), ("ls", READ, ())]),
    ],
)
def test_each_command_has_its_own_effect_and_its_own_files(
    line: str, steps: list[tuple[str, Effect, tuple[str, ...]]]
) -> None:
    """What one part does is not put down to another; a redirection is a part by itself."""
    assert [(" ".join(each.words), each.effect, each.changes) for each in steps_of(line)] == steps


def test_what_another_command_runs_names_it() -> None:
    """`timeout` runs python, python runs pytest: the chain can be followed back."""
    found = steps_of("ls; timeout 5 python -m pytest tests")
    assert [(each.words[0], each.run_by) for each in found] == [
        ("ls", -1),
        ("timeout", -1),
        ("python", 1),
        ("pytest", 2),
    ]


def test_a_flag_belongs_to_the_command_that_has_it() -> None:
    """Of `make && git push` only the push sends."""
    assert [each.flags for each in steps_of("make && git push")] == [frozenset(), frozenset({Flag.SENDS})]


def test_a_line_that_cannot_be_read_has_no_steps() -> None:
    """Nobody takes half of its commands for all of them."""
    assert steps_of("make && (") == ()


@pytest.mark.parametrize(
    ("path", "outside"),
    [("../x", False), ("../../x", True), ("/home/me/x", True), ("/home/me/project/x", False)],
)
def test_outside_is_beyond_the_project(path: str, outside: bool) -> None:
    """In a part of a project a command may write to another part of it."""
    where = ("/home/me/project/part", "/home/me/project")
    assert (Flag.OUTSIDE in CLASSIFIER.classify(f"touch {path}", "bash", *where).flags) is outside


@pytest.mark.parametrize(
    ("line", "base"),
    [
        ("cd part && make", "part"),
        ("cd part && make 2>&1 | tail", "part"),
        ("cd part & make", "\x03"),
        ("cd part | cat; make", "\x03"),
        ("(cd part); make", "\x03"),
        ("if x; then cd part; fi; make", "\x03"),
    ],
)
def test_a_line_works_where_it_has_gone_to(line: str, base: str) -> None:
    """A folder that only a branch, a pipe or a subshell goes to is none that the rest is known to be in."""
    (make,) = (each for each in steps_of(line) if each.words[:1] == ("make",))
    assert make.base == base


def test_a_wrapper_of_the_users_does_what_it_runs() -> None:
    """Only by its plain name, with a command behind it, and never in the place of a program that is known."""
    wrapped = Classifier(CLASSIFIER._tables, remember=False, wrappers=lambda: ["rtk", "rm", "make"])
    effects = {
        "rtk git status": READ,
        "rtk rm x": DELETE,
        "rtk npm test": UNKNOWN,
        "rtk --fast git status": UNKNOWN,
        "rtk": UNKNOWN,
        "./rtk git status": UNKNOWN,
        "other git status": UNKNOWN,
        "rm git": DELETE,
        "make test": UNKNOWN,
    }
    assert {line: wrapped.classify(line, "bash").effect for line in effects} == effects
