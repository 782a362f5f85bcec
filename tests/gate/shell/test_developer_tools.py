"""Tools that developers have, called in ways that hide an effect, and their harmless twins, in two files."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Gate
from tests.gate.shell.test_five_shells import rows as rows_of_shells
from tests.gate.shell.test_reader_options import rows

FOLDER = "/home/u/app"


def test_no_tool_writes_runs_or_sends_unasked(classifier: Classifier) -> None:
    """Each of these passed as a read on 29 November 2026."""
    table = rows_of_shells("developer_tools.txt")
    assert len(table) >= 300
    passed = [
        command for shell, command in table if classifier.classify(command, shell, FOLDER).gate is Gate.ALLOW
    ]
    assert passed == []


def test_their_twins_pass(classifier: Classifier) -> None:
    """The same tools as they are usually called to read."""
    table = rows("developer_tools_twins.txt")
    assert len(table) >= 150
    asked = [row for row in table if classifier.classify(row, "bash", FOLDER).gate is not Gate.ALLOW]
    assert asked == []


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("kubeconform -o ./x f", Effect.CREATE),
        ("kubeconform -o json f", Effect.READ),
        ("oras blob fetch -o./x a", Effect.UNKNOWN),
        ("psql --log-file=x -l", Effect.CREATE),
        ("gopls -logfile=x check y", Effect.CREATE),
        ("pylint --output-format=json:x.json,text src", Effect.CREATE),
        ("pylint --output=x src", Effect.CREATE),
        ("mypy --some-new-report=x src", Effect.CREATE),
    ],
)
def test_options_that_no_table_names(classifier: Classifier, line: str, effect: Effect) -> None:
    """-o with a file, after one dash or two, behind a format's colon, and not as part of a longer name."""
    assert classifier.classify(line, "bash", FOLDER).effect is effect


@pytest.mark.parametrize("interpreter", ["./x", "/tmp/x/bin/python", "tools/python"])
def test_an_interpreter_of_the_project_is_code(classifier: Classifier, interpreter: str) -> None:
    """One that was installed, also into an environment of the project, is none."""
    assert classifier.classify(f"pipdeptree --python {interpreter}").effect is Effect.UNKNOWN
    assert classifier.classify("pipdeptree --python /usr/bin/python3").effect is Effect.READ
    assert classifier.classify("pipdeptree --python .venv/bin/python").effect is Effect.READ


@pytest.mark.parametrize("word", ["install", "login", "update", "generate"])
def test_a_verb_makes_another_program_of_a_reader(classifier: Classifier, word: str) -> None:
    """Of one that has no table nobody knows its subcommands; a file of another name is read."""
    assert classifier.classify(f"yamale {word}").gate is Gate.ASK
    assert classifier.classify(f"yamale {word}.yaml").gate is Gate.ALLOW
    assert classifier.classify(f"cat {word}").gate is Gate.ALLOW


def test_a_word_that_shows_the_version_elsewhere(classifier: Classifier) -> None:
    """`version` makes a new one where the table says so."""
    assert classifier.classify("changeset version").effect is Effect.UPDATE
    assert classifier.classify("yarn version").effect is Effect.UPDATE
    assert classifier.classify("docker version").effect is Effect.READ
