"""Requests taken apart."""

from __future__ import annotations

import pytest

from desktop.chat.parts import files_in, parts_of, without_keeping


@pytest.mark.parametrize(
    ("request_text", "parts"),
    [
        ("Hello", ["Hello"]),
        ("", [""]),
        (
            "What is the current time, and save it to time.txt",
            ["What is the current time", "save it to time.txt"],
        ),
        ("Lies a.txt und dann lösche es", ["Lies a.txt", "lösche es"]),
        ("Read notes.txt. Tell me more!", ["Read notes.txt.", "Tell me more!"]),
    ],
)
def test_things_to_do_are_parted(request_text: str, parts: list[str]) -> None:
    """At "and", "then" and the ends of sentences; a name with a dot stays whole."""
    assert parts_of(request_text) == parts


@pytest.mark.parametrize(
    ("request_text", "making"),
    [
        ("Summarise a.txt and write the summary to b.txt", "Summarise a.txt."),
        ("Make it shorter and save it again", "Make it shorter."),
        ("Kürze den Text und speichere ihn", ""),
        ("Fasse a.txt zusammen und speichere es in b.txt", "Fasse a.txt zusammen."),
        ("What is the time, and save it to time.txt", ""),
        ("Write a haiku to haiku.md and tell me the time", ""),
        ("Save a list with milk and eggs to list.txt", ""),
    ],
)
def test_what_is_to_be_made_is_told_from_keeping_it(request_text: str, making: str) -> None:
    """Only where both are said, and something is made of a text."""
    assert without_keeping(request_text) == making


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("Read ../secrets.txt", ["../secrets.txt"]),
        ('Open "my notes.txt" and b.md.', ["my notes.txt", "b.md"]),
        (
            "Look at src/main.py, ~/x.txt and /etc/fstab.d/a.conf",
            ["src/main.py", "~/x.txt", "/etc/fstab.d/a.conf"],
        ),
        ("See https://example.com/a.html, e.g. now", []),
        ("What time is it?", []),
    ],
)
def test_files_that_are_named(request_text: str, names: list[str]) -> None:
    """As they are written, addresses of pages aside."""
    assert files_in(request_text) == names
