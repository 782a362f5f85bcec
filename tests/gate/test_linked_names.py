"""Links to secrets that a command reads without naming them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop.gate.commands import Commands, Surroundings
from desktop.gate.linked_names import Look, matched_secret
from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Flag, Gate
from desktop.paths import resources

READS = [
    "cat *.md",
    "cat docs/*",
    "head -1 docs/*.md",
    "cat z?md",
    "cat [z].md",
    "cat < docs/*.md",
    "tail -n +1 **/*.md",
    "for f in *.md; do cat $f; done",
    "cat f? *.md",
    "cd docs && cat *",
    "cat l*/*",
    "cat pem/*",
    "cat k",
    "grep . k",
    "grep -r x d",
    "grep -r x h",
    "grep -r x l*",
    "rg x [d]",
    "cat $(ls)",
    "ls | xargs cat",
    'ls | while read f; do cat "$f"; done',
    "ls docs | xargs -I{} head docs/{}",
    "find . -type l | xargs cat",
    "find . -name '*.md' -exec cat {} +",
    "find -L . -type f -exec cat {} +",
    "fd -e md -x cat",
    "fd -L . -x head",
    "git ls-files | xargs head -3",
    "grep -R x .",
    "grep -rS x .",
    "cd docs && grep -R x",
    "rg -L x",
    "rg x --follow docs",
    "ag -f x",
    "tar chf - . | strings",
    "diff -r docs /dev/null",
    "head -1 " + " ".join(f"g{number}.txt" for number in range(40)) + " z.md",
    "head -1 " + " ".join(map(str, range(400))) + " k",
]
READS_NOT = [
    "cat *.txt",
    "cat sub/*",
    "cat docs/a*",
    "for f in *.md; do echo $f; done",
    "ls *",
    "cat l*",
    "cat [d]",
    "grep x li*",
    "ls *.md",
    "ls | wc -l",
    "ls | xargs -n1 basename",
    "cd sub && ls | xargs cat",
    "find . -type f | xargs cat",
    "find . -name '*.txt' -exec cat {} +",
    "find . -name '*.md'",
    "find sub -exec cat {} +",
    "fd -t f -x cat",
    "rg -l x | xargs head",
    "grep -r x .",
    "grep -R x sub",
    "rg x",
    "rg -L x sub",
    "diff -r sub sub",
    "sed 's/.*/x/' f1",
    "cat f1 sub/inner",
    "cat inside.md sub/[i]nner",
]


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier(Tables(resources() / "commands"), remember=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder with a key, and a project with links to it."""
    keys, project = tmp_path / ".ssh", tmp_path / "work" / "project"
    keys.mkdir()
    (keys / "id_rsa").write_text("key")
    for folder in ("docs", "sub", "pem"):
        (project / folder).mkdir(parents=True)
    for name in ("f1", "g1.txt", "docs/a.md", "sub/inner", "sub/inner.txt", "pem/server.pem"):
        (project / name).write_text("x")
    (project / "sub" / "inside.txt").symlink_to("inner.txt")
    for link, to in (("z.md", "id_rsa"), ("docs/b.md", "id_rsa"), ("k", "id_rsa"), ("lib", ""), ("d", "")):
        (project / link).symlink_to(keys / to)
    (project / "h").symlink_to(tmp_path)
    (project / "inside.md").symlink_to("docs/a.md")
    return tmp_path


@pytest.fixture
def commands(classifier: Classifier, home: Path) -> Commands:
    return Commands(classifier, around=Surroundings(home=str(home)))


@pytest.mark.parametrize("line", READS)
def test_a_link_to_a_secret_is_seen_without_its_name(commands: Commands, home: Path, line: str) -> None:
    """By patterns, lists, programs that follow links, short names, and as the last of many."""
    verdict = commands.verdict(line, "bash", str(home / "work" / "project"))
    assert verdict.gate is Gate.ASK
    assert Flag.SECRET in verdict.flags


@pytest.mark.parametrize("line", READS_NOT)
def test_what_does_not_reach_it_passes(commands: Commands, home: Path, line: str) -> None:
    """Other names, names alone, plain files alone, programs that follow no link, links inside the project."""
    assert commands.verdict(line, "bash", str(home / "work" / "project")).gate is Gate.ALLOW


@pytest.mark.parametrize("line", [line for line in READS if "pem" not in line])
def test_without_such_links_nobody_is_asked(commands: Commands, home: Path, line: str) -> None:
    """The same lines where the links lead to files of the project."""
    project = home / "work" / "project"
    for place in (project, project / "docs"):
        for each in place.iterdir():
            if each.is_symlink():
                each.unlink()
                each.symlink_to(
                    project / "sub" / ("" if len(each.name) == 1 and each.name != "k" else "inner")
                )
    (project / "pem" / "server.pem").unlink()
    assert commands.verdict(line, "bash", str(project)).gate is Gate.ALLOW


def test_a_look_ends(tmp_path: Path) -> None:
    """In circles of links, and after as many names as may be looked at."""
    (tmp_path / "again").symlink_to(tmp_path)
    for number in range(50):
        (tmp_path / f"f{number}").write_text("")
    look = Look(lambda _path: False, left=500)
    assert matched_secret(f"{tmp_path}/" + "/".join(["*"] * 40), look) == ""
    assert look.left <= 0
    assert matched_secret(os.path.join(tmp_path, *["**"] * 60, "x"), Look(lambda _path: False)) == ""
