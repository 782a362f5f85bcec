"""The files that a command line names or matches."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop.gate import named_files
from desktop.gate.named_files import MOST_FILES, changed_paths, files_of, patterns
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.paths import resources

TABLES = Tables(resources() / "commands")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.py", "b.py", "c.txt", ".hidden.py", "sub/d.py", "sub/deep/e.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x" * len(name))
    (tmp_path / "link").symlink_to("a.py")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("rm *.py", ["a.py", "b.py"]),
        ("rm .*.py", [".hidden.py"]),
        ("rm sub/*.py sub/*/*.py", ["sub/d.py", "sub/deep/e.py"]),
        ("rm [ab].py", ["a.py", "b.py"]),
        ("rm ?.txt nothing*", ["c.txt"]),
        ("rm -rf sub", ["sub/"]),
        ("rm link", ["link"]),
        ("mv a.py z.py", ["a.py"]),
        ("truncate -s 0 c.txt a.py", ["c.txt", "a.py"]),
        ("rm {a,b}.py", ["a.py", "b.py"]),
        ("mkdir new", []),
        ("find . -name '*.py' -delete", []),
        ("cd sub && rm *.py", ["sub/d.py"]),
        ("cd sub && rm d.py", ["sub/d.py"]),
        ("cd $X && rm *.py", []),
        ("rm -rf ./*.txt", ["c.txt"]),
        ("rm *", ["a.py", "b.py", "c.txt", "link", "sub/"]),
    ],
)
def test_what_is_there_is_shown(folder: Path, command: str, names: list[str]) -> None:
    """What the line names and what its patterns match, as a shell would; nothing else."""
    verdict = Classifier(TABLES).classify(command, "bash", str(folder))
    found = files_of(verdict, folder)
    assert [match.path for match in found] == [f"{folder}/{name}" for name in names]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("rm *.py b?c [ab]", ["*.py", "b?c", "[ab]"]),
        ("rm '*.py' \"b?\" c\\*", []),
        ("rm 'a b'*", ["a b*"]),
        ('rm "a*"*', ["a[*]*"]),
        ('rm $x* `y`* {a,b}* "$z"*', []),
        ("cat a* > b*; ls c*|d", ["a*", "b*", "c*"]),
        ("echo 'open", []),
    ],
)
def test_only_unquoted_patterns_are_expanded(command: str, found: list[str]) -> None:
    """As a shell does it; what depends on variables is not guessed."""
    assert patterns(command) == found


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("rm *.py new", ["a.py", "b.py", "new"]),
        ("rm 'a*' c.txt", ["a.py", "c.txt"]),
        ("rm 'odd*'", ["odd*", "odder"]),
        ("cd sub && rm *.py deep/*", ["sub/d.py", "sub/deep/e.py"]),
        ("cat *.py > all.txt", ["all.txt"]),
        ("rm nothing*", []),
        ("rm a.py $X", None),
        ("ls | xargs rm", None),
    ],
)
def test_what_is_changed_is_known_whole_or_not_at_all(
    folder: Path, command: str, names: list[str] | None
) -> None:
    """A copy of a part of it would promise too much."""
    for name in ("odd*", "odder"):
        (folder / name).touch()
    found = changed_paths(Classifier(TABLES).classify(command, "bash", str(folder)), folder)
    known = None if found is None else sorted(os.path.relpath(folder / each, folder) for each in found)
    assert known == names


def test_a_search_that_was_given_up_is_no_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with more entries than are looked at may hold more of what the pattern matches."""
    monkeypatch.setattr(named_files, "MOST_LOOKED_AT", 3)
    assert changed_paths(Classifier(TABLES).classify("rm *.py", "bash", str(folder)), folder) is None


def test_sizes_are_those_on_disk(folder: Path) -> None:
    """A folder and a link have none."""
    verdict = Classifier(TABLES).classify("rm -rf a.py sub link", "bash", str(folder))
    assert [match.size_bytes for match in files_of(verdict, folder)] == [4, None, None]


def test_there_is_an_end_to_the_list(tmp_path: Path) -> None:
    """However many files there are."""
    for number in range(MOST_FILES + 50):
        (tmp_path / f"{number:04}").touch()
    verdict = Classifier(TABLES).classify("rm *", "bash", str(tmp_path))
    assert len(files_of(verdict, tmp_path)) == MOST_FILES
