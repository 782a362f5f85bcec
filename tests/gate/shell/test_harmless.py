"""Options that no table names ask; those that a list of harmless ones names pass, in two files."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import JOINED, SWITCH, VALUE, Tables
from desktop.gate.verdict import Effect, Gate
from desktop.paths import resources
from tests.gate.shell.test_reader_options import rows

FOLDER = "/home/u/app"


@pytest.mark.parametrize("shell", ["bash", None])
def test_an_option_that_no_table_names_asks(classifier: Classifier, shell: str | None) -> None:
    """Each of these passed as a read on 29 November 2026."""
    table = rows("unnamed_options.txt")
    assert len(table) >= 60
    passed = [row for row in table if classifier.classify(row, shell, FOLDER).gate is Gate.ALLOW]
    assert passed == []


def test_harmless_options_pass(classifier: Classifier) -> None:
    """Rarer options of the programs that developers' agents use to read."""
    table = rows("unnamed_options_twins.txt")
    assert len(table) >= 1200
    asked = [row for row in table if classifier.classify(row, "bash", FOLDER).gate is not Gate.ALLOW]
    assert asked == []


def test_a_list_of_harmless_options_belongs_to_a_table(tmp_path: Path) -> None:
    """A list without one would hide what other files say: that it is another program, or only reads."""
    name = "harmless.toml"
    listed = tomllib.loads((resources() / "commands" / name).read_text(encoding="utf-8"))
    for file in (resources() / "commands").glob("*.toml"):
        if file.name != name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    others = Tables(tmp_path)
    assert len(listed) > 400
    for program in listed:
        spec = others.spec(program)
        assert spec is not None, program
        assert not spec.plain, program
        assert spec.path == program


TABLE = """
[tool]
READ = "list show/{a,b}"
options = { "--write" = "file" }
[tool.sub.exec]
run = "argv"
[tool.harmless]
"-" = "-g="
"*" = "-v --color[=] --write -n"
"show/*" = "-n="
"""


def test_a_list_says_of_which_subcommands_and_how_options_are_written(tmp_path: Path) -> None:
    """What is said of few goes before what is said of all, and the table before both."""
    (tmp_path / "x.toml").write_text(TABLE, encoding="utf-8")
    spec = Tables(tmp_path).spec("tool")
    assert spec is not None
    listing, showing, running = (spec.find(path) for path in (("list",), ("show", "b"), ("exec",)))
    assert listing is not None
    assert showing is not None
    assert running is not None
    assert (spec.options["-g"], spec.options["-v"]) == (VALUE, SWITCH)
    assert (listing.options["-n"], listing.options["--color"]) == (SWITCH, JOINED)
    assert showing.options["-n"] == VALUE
    assert "-g" not in listing.options
    assert listing.options["--write"].kind == "file"
    # A word that is taken for a value would hide what is run.
    assert "-v" not in running.options


@pytest.mark.parametrize(("words", "gate"), [("--*", Gate.ALLOW), ("-*", Gate.ALLOW), ("--ago", Gate.ASK)])
def test_a_program_may_be_open(tmp_path: Path, words: str, gate: Gate) -> None:
    """Of those with thousands of options all long ones pass but those whose names say something else."""
    text = f'[tool]\nclass = "READ"\n[tool.harmless]\n"*" = "{words}"\n'
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    classifier = Classifier(Tables(tmp_path), remember=False)
    assert classifier.classify("tool --frobnicate x", "bash").gate is gate
    assert classifier.classify("tool --log-file x", "bash").effect is Effect.CREATE
    assert classifier.classify("tool --plugin ./x", "bash").effect is Effect.UNKNOWN


def test_a_list_of_a_subcommand_that_is_none_is_refused(tmp_path: Path) -> None:
    """Else a slip would leave its options closed, and nobody would know why."""
    (tmp_path / "x.toml").write_text('[tool]\nREAD = "a"\n[tool.harmless]\nb = "-x"\n', encoding="utf-8")
    with pytest.raises(ValueError, match="no subcommand"):
        Tables(tmp_path).spec("tool")


@pytest.mark.parametrize("line", ["tool a --dr x", "tool a --verb", "tool a --dry-ru"])
def test_the_beginning_of_a_harmless_name_asks(tmp_path: Path, line: str) -> None:
    """It may be all of another option, of which the table does not know."""
    text = '[tool]\nREAD = "a"\n[tool.harmless]\n"*" = "--draft --verbatim --dry-runs="\n'
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    assert Classifier(Tables(tmp_path), remember=False).classify(line, "bash").gate is Gate.ASK
