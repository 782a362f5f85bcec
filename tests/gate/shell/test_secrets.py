"""Secrets that are shown or sent are asked about, however they are spelt; their harmless twins are not."""

from __future__ import annotations

import itertools

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.places import holds_secrets
from desktop.gate.verdict import Flag, Gate
from tests.gate.shell.test_hidden import rows

SECRETS = rows("secrets.txt")
PUBLIC = rows("public.txt")
FOLDER = "/home/u/app"
PLACES = rows("secret_places.txt")
READERS = [
    *[
        "cat",
        "head -5",
        "less",
        "base64",
        "xxd",
        "grep -r .",
        "diff /dev/null",
        "cp -t out",
        "tar cf -",
        "jq .",
    ],
    *["git diff --no-index /dev/null", "sudo cat", "timeout 5 strings", "nice -n 5 wc", "env -i cat"],
]


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_by_its_place(classifier: Classifier, place: str) -> None:
    """Whichever program reads it."""
    for reader in READERS:
        verdict = classifier.classify(f"{reader} {place}", "bash", FOLDER)
        assert verdict.gate is Gate.ASK, reader
        assert Flag.SECRET in verdict.flags, reader


def test_there_are_enough_rows() -> None:
    """A shortened file would prove less."""
    assert len(SECRETS) >= 150
    assert len(PUBLIC) >= 80


@pytest.mark.parametrize("shell", ["bash", None])
def test_secrets_are_not_shown_or_sent_unasked(classifier: Classifier, shell: str | None) -> None:
    """By loops, substitutions, find, xargs, other programs, the network."""
    allowed = [row for row in SECRETS if classifier.classify(row, shell, FOLDER).gate is Gate.ALLOW]
    assert allowed == []


def test_harmless_twins_pass(classifier: Classifier) -> None:
    """Names that are no contents, public halves, source code of that name, reads of public addresses."""
    asked = [row for row in PUBLIC if classifier.classify(row, "bash", FOLDER).gate is not Gate.ALLOW]
    assert asked == []


@pytest.mark.parametrize(
    ("before", "after"),
    list(itertools.product(["", "--file=", "@", "u@host:", "HEAD:"], ["", "/x/..", "//"])),
)
def test_marks_and_detours_hide_nothing(before: str, after: str) -> None:
    """Options, addresses and revisions stand in front of paths."""
    assert holds_secrets(f"{before}config{after}/.aws/credentials")


@pytest.mark.parametrize(
    "path",
    [
        "*",
        "*.py",
        "src/*",
        "~",
        "x" * 5000,
        "",
        ".",
        "/",
        "a\\|b.*c",
        "func.*parse\\|_\\*\\*User",
        "tokens.json",
        "secrets.py",
    ],
)
def test_what_is_no_secret(path: str) -> None:
    """Patterns of source code, and what is too long to be a path."""
    assert not holds_secrets(path)
