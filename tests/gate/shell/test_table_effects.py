"""Options that a table does not explain are judged by their names, and settings by where they lie."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Gate
from tests.gate.shell.test_hidden import rows

WRITES_OR_RUNS = rows("option_names.txt")
TWINS = rows("option_name_twins.txt")
FOLDER = "/home/u/app"


def test_there_are_enough_rows() -> None:
    """A shortened file would prove less."""
    assert len(WRITES_OR_RUNS) >= 200
    assert len(TWINS) >= 60


@pytest.mark.parametrize("shell", ["bash", None])
def test_what_writes_or_runs_is_asked_about(classifier: Classifier, shell: str | None) -> None:
    """Output files, plugins, settings from elsewhere, functions of a database's own."""
    allowed = [row for row in WRITES_OR_RUNS if classifier.classify(row, shell, FOLDER).gate is Gate.ALLOW]
    assert allowed == []


def test_harmless_twins_pass(classifier: Classifier) -> None:
    """Formats, levels, settings where a tool looks for them anyway, functions that only compute."""
    asked = [row for row in TWINS if classifier.classify(row, "bash", FOLDER).gate is not Gate.ALLOW]
    assert asked == []


@pytest.mark.parametrize(
    "option", ["--log-file", "--report-file=", "--plugin", "--config", "--cache-dir", "--pager"]
)
def test_a_reader_without_a_table_is_asked_about(classifier: Classifier, option: str) -> None:
    """The name of the option is enough, joined or apart."""
    between = "" if option.endswith("=") else " "
    assert classifier.classify(f"wdiff {option}{between}./x a b", "bash", FOLDER).gate is Gate.ASK


@pytest.mark.parametrize(
    "option", ["--no-config", "--config /dev/null", "--output json", "--log-level debug"]
)
def test_what_only_looks_alike_passes(classifier: Classifier, option: str) -> None:
    """A refusal, nothing at all, a format, a level."""
    assert classifier.classify(f"wdiff {option} a b", "bash", FOLDER).gate is Gate.ALLOW
