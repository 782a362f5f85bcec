"""Files of strangers, read by a child that may loop, crash, eat memory and lie."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.sandbox import parser
from desktop.sandbox.confinement import Method, available
from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParserLimits

PARSER = Parser(lambda: available().best)
HERE = "tests.sandbox.parser_functions"
SMALL = ParserLimits(time_s=60.0, memory_bytes=400_000_000, result_bytes=1_000_000)

pytestmark = pytest.mark.children


def test_the_value_of_the_function_comes_back() -> None:
    """Bytes in, options by name, a JSON value out."""
    assert PARSER.parse(f"{HERE}:count", b"1234", {"times": 3}) == {"bytes": 12}


def test_a_file_is_read_where_it_lies(tmp_path: Path) -> None:
    """Nothing is copied for a path."""
    file = tmp_path / "some file"
    file.write_bytes(b"12345")
    assert PARSER.parse(f"{HERE}:count", file) == {"bytes": 5}


@pytest.mark.parametrize(
    ("function", "failure"),
    [
        ("refuse", ParseFailure.REFUSED),
        ("stumble", ParseFailure.BROKEN),
        ("recurse", ParseFailure.BROKEN),
        ("eat_memory", ParseFailure.TOO_LARGE),
        ("crash", ParseFailure.TOO_LARGE),
        ("leave", ParseFailure.BROKEN),
        ("talk_without_end", ParseFailure.TOO_LARGE),
        ("tell_no_json", ParseFailure.BROKEN),
        ("no_such_function", ParseFailure.BROKEN),
    ],
)
def test_whatever_happens_in_there_is_told(function: str, failure: ParseFailure) -> None:
    """Each way of failing has its word, and none of them reaches the program."""
    with pytest.raises(ParseFailed) as failed:
        PARSER.parse(f"{HERE}:{function}", b"", limits=SMALL)
    assert failed.value.failure is failure


def test_what_does_not_end_is_ended() -> None:
    """At the clock's limit, on every system."""
    with pytest.raises(ParseFailed) as failed:
        PARSER.parse(f"{HERE}:loop", b"", limits=replace(SMALL, time_s=1.0))
    assert failed.value.failure is ParseFailure.TOO_SLOW


@pytest.mark.skipif(os.name != "posix", reason="Windows ends it by the clock")
def test_what_computes_without_end_is_ended_by_its_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long before the clock's limit, which a good file on a loaded computer needs; and it is no crash."""
    monkeypatch.setattr(parser, "STARTING_S", 1)
    limits = replace(SMALL, time_s=300.0, processor_s=1.0)
    with pytest.raises(ParseFailed) as failed:
        PARSER.parse(f"{HERE}:loop", b"", limits=limits)
    assert failed.value.failure is ParseFailure.TOO_SLOW


def test_the_reason_of_a_refusal_is_the_function_s_own() -> None:
    """What the function says of a file it cannot read comes back as it was said."""
    with pytest.raises(ParseFailed) as failed:
        PARSER.parse(f"{HERE}:refuse", b"")
    assert failed.value.reason == "encrypted"


def test_half_a_character_survives() -> None:
    """Damaged text cannot break the way back."""
    assert PARSER.parse(f"{HERE}:half_a_pair", b"") == "a\ud800b"


def test_a_child_can_be_cancelled() -> None:
    """Whoever does not want to wait ends it."""
    with pytest.raises(ParseFailed) as failed:
        PARSER.parse(f"{HERE}:loop", b"", on_start=lambda child: child.cancel())
    assert failed.value.failure is ParseFailure.CANCELLED


@pytest.mark.skipif(available().best is Method.NONE, reason="this system has no confinement")
def test_the_child_writes_nowhere_and_reaches_nobody(tmp_path: Path) -> None:
    """A parser that was taken over has neither the disk nor the network."""
    told = PARSER.parse(f"{HERE}:write_beside", b"", {"where": str(tmp_path / "escaped")})
    assert told == "no write, no socket"
    assert not (tmp_path / "escaped").exists()
