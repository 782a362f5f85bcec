"""Options, variables and wrappers that were proven to write, and their harmless twins, in two files."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Gate
from tests.gate.shell.test_hidden import rows

PROVEN = rows("options.txt")
HARMLESS = rows("harmless_options.txt")


def test_there_are_enough_rows() -> None:
    """A shortened file would prove less."""
    assert len(PROVEN) >= 200
    assert len(HARMLESS) >= 100


@pytest.mark.parametrize("shell", ["bash", None])
def test_what_was_proven_to_write_is_asked_about(classifier: Classifier, shell: str | None) -> None:
    """Each changed a folder when it was run."""
    allowed = [row for row in PROVEN if classifier.classify(row, shell, "/home/u/app").gate is Gate.ALLOW]
    assert allowed == []


def test_harmless_twins_pass(classifier: Classifier) -> None:
    """The option that looks alike is not asked about."""
    asked = [
        row for row in HARMLESS if classifier.classify(row, "bash", "/home/u/app").gate is not Gate.ALLOW
    ]
    assert asked == []


@pytest.mark.parametrize(
    "wrapper",
    [
        "timeout --frob 5",
        "nice --frob 1",
        "strace --frob x",
        "env --frob x",
        "xargs --frob x",
        "ionice --frob 1",
        "stdbuf --frob L",
    ],
)
def test_an_unknown_option_of_a_wrapper_asks(classifier: Classifier, wrapper: str) -> None:
    """Whether the next word is its value, or the command, is not known."""
    verdict = classifier.classify(f"{wrapper} ls", "bash")
    assert (verdict.effect, verdict.gate) == (Effect.UNKNOWN, Gate.ASK)


@pytest.mark.parametrize("word", ["none", "false", "no"])
def test_a_value_that_means_no_takes_an_option_back(classifier: Classifier, word: str) -> None:
    """`--dry-run=none` rehearses nothing."""
    assert classifier.classify(f"kubectl delete pod x --dry-run={word}", "bash").effect is Effect.DELETE


def test_an_abbreviation_makes_nothing_milder(classifier: Classifier) -> None:
    """What is harmless must be said in full; what is not may be cut short."""
    assert classifier.classify("git commit --dry -m x", "bash").gate is Gate.ASK
    assert classifier.classify("sort --out=x a", "bash").effect is Effect.CREATE


@pytest.mark.parametrize(
    "command", ["go run ./x --help", "npx x --help", "uv run x --help", "docker exec c x --help"]
)
def test_help_counts_for_the_program_itself_alone(classifier: Classifier, command: str) -> None:
    """Behind a runner another program gets it."""
    assert classifier.classify(command, "bash").gate is Gate.ASK


@pytest.mark.parametrize(
    "command", ["go run --help", "docker exec --help", "git commit --help", "cargo build --help"]
)
def test_help_of_a_subcommand_passes(classifier: Classifier, command: str) -> None:
    """It tells about itself."""
    assert classifier.classify(command, "bash").gate is Gate.ALLOW
