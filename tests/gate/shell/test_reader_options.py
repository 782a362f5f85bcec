"""Options of programs that mostly read, and rehearsals: what they write, run or send asks."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Effect, Gate
from desktop.paths import resources

HERE = Path(__file__).parent
FOLDER = "/home/u/app"


def rows(name: str) -> list[str]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("# ")]


@pytest.mark.parametrize("shell", ["bash", None])
def test_no_option_writes_runs_or_sends_unasked(classifier: Classifier, shell: str | None) -> None:
    """Each of these passed as a read on 28 November 2026."""
    table = rows("reader_options.txt")
    assert len(table) >= 300
    passed = [row for row in table if classifier.classify(row, shell, FOLDER).gate is Gate.ALLOW]
    assert passed == []


def test_their_twins_pass(classifier: Classifier) -> None:
    """The same programs as they are usually called, and rehearsals that change nothing."""
    table = rows("reader_options_twins.txt")
    assert len(table) >= 220
    asked = [row for row in table if classifier.classify(row, None, FOLDER).gate is not Gate.ALLOW]
    assert asked == []


def test_a_reader_without_a_table_is_asked_about_its_unknown_options(
    classifier: Classifier, tables: Tables
) -> None:
    """A program that is added to a list of readers begins closed: nobody has looked at its options yet."""
    for name in ("alex", "httpstat", "yamale"):
        spec = tables.spec(name)
        assert spec is not None
        assert spec.plain
        assert not spec.unnamed
        assert classifier.classify(f"{name} --frobnicate x").gate is Gate.ASK
    assert classifier.classify("alex docs").gate is Gate.ALLOW
    assert classifier.classify("alex --help").gate is Gate.ALLOW


def test_every_name_of_the_list_is_a_reader_without_a_table(tables: Tables) -> None:
    """Else the list would promise what another table decides."""
    lists = tomllib.loads((resources() / "commands" / "words" / "plain.toml").read_text(encoding="utf-8"))
    names = {*lists["any_option"].split(), *lists["harmless"]}
    for name in names:
        spec = tables.spec(name)
        assert spec is not None, name
        assert spec.plain, name
        assert spec.effect is Effect.READ, name


def test_an_abbreviation_is_not_taken_for_a_harmless_option(classifier: Classifier) -> None:
    """`--openssl` names a program and begins `--openssl-timeout`, which does not."""
    assert classifier.classify("testssl.sh --openssl-timeout 5 example.com").gate is Gate.ALLOW
    assert classifier.classify("testssl.sh --openssl ./x example.com").gate is Gate.ASK


@pytest.mark.parametrize(
    ("line", "gate"),
    [
        ("staticcheck -checks=all ./...", Gate.ALLOW),
        ("gosec -out=report.json ./...", Gate.ASK),
        ("unconvert -apply ./...", Gate.ASK),
    ],
)
def test_options_of_several_letters_after_one_dash(classifier: Classifier, line: str, gate: Gate) -> None:
    """As programs written in Go take them, with their value behind `=`."""
    assert classifier.classify(line).gate is gate
