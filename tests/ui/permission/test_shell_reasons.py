"""Why the reader of command lines asks, in the language of the window."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.ui.language import words_of
from tests.shipped import command_tables


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier(command_tables())


@pytest.mark.parametrize(
    ("command", "english", "german_words"),
    [
        (
            "rm -rf build",
            "rm removes something or destroys its content",
            "rm entfernt etwas oder zerstört dessen Inhalt",
        ),
        ("ls -la", "ls only reads", "ls liest nur"),
        ("echo a > notes.txt", "the redirection writes notes.txt", "die Umleitung schreibt notes.txt"),
        (
            "git push --force",
            "git push removes or overwrites on the remote",
            "git push entfernt oder überschreibt etwas auf der Gegenseite",
        ),
        (
            "frobnicate x",
            "frobnicate is not a known program",
            "frobnicate ist kein bekanntes Programm",
        ),
        ("ssh host", "ssh opens a session on host", "ssh öffnet eine Sitzung auf host"),
        ("curl -O https://example.org/x", "curl saves what it fetches", "curl speichert, was es abruft"),
        (
            "python3 -c 'import os; os.remove(\"a\")'",
            "python3 -c: calls os.remove",
            "python3 -c: ruft os.remove auf",
        ),
        (
            "./configure",
            "./configure is the project's own program",
            "./configure ist ein Programm des Projekts selbst",
        ),
    ],
)
def test_a_reason_is_told_in_german_and_made_in_english(
    german: None, classifier: Classifier, command: str, english: str, german_words: str
) -> None:
    """Agents, the log and `--json` get it in English; the window words it in its own language."""
    reason = classifier.classify(command).reason
    assert str(reason) == english
    assert words_of(reason) == german_words
