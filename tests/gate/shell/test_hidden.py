"""Writes that hide, and reads that look like writes: own rows, two text files beside this one."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Gate

HERE = Path(__file__).parent
MAX_ASKED = 0.05  # of the harmless look-alikes


def rows(name: str) -> list[str]:
    """The commands of a file; ⏎ stands for a line break."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [
        line.replace("⏎", "\n")
        for line in lines
        if line and not line.startswith("# One") and line[:2] != "# "
    ]


HIDDEN = rows("hidden_writes.txt")
LOOK_ALIKES = rows("look_alikes.txt")


def test_there_are_enough_rows() -> None:
    """A shortened file would prove less than the figures say."""
    assert len(HIDDEN) >= 500
    assert len(LOOK_ALIKES) >= 300


@pytest.mark.parametrize("shell", ["bash", None])
def test_no_hidden_write_is_let_through(classifier: Classifier, shell: str | None) -> None:
    """Whatever hides a write, it is asked about."""
    allowed = [row for row in HIDDEN if classifier.classify(row, shell).gate is Gate.ALLOW]
    assert allowed == []


def test_look_alikes_are_rarely_asked_about(classifier: Classifier) -> None:
    """A gate that asks about everything is switched off."""
    asked = [row for row in LOOK_ALIKES if classifier.classify(row, "bash").gate is not Gate.ALLOW]
    assert len(asked) <= MAX_ASKED * len(LOOK_ALIKES), asked
