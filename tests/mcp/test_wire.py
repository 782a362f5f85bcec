"""Messages: what is read, what is refused, and that nothing else can happen."""

from __future__ import annotations

import contextlib
import json
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from desktop.mcp import wire
from desktop.mcp.reasons import McpReason
from desktop.mcp.wire import Era, Malformed
from tests.expressions import limited

VALUES = (
    some.text(max_size=20) | some.integers() | some.booleans() | some.lists(some.text(max_size=5), max_size=3)
)


@settings(max_examples=50)
@given(some.dictionaries(some.text(max_size=10), VALUES, max_size=4))
def test_a_message_comes_back_as_it_was_sent(params: dict[str, object]) -> None:
    """On one line, whatever it holds."""
    line = wire.encoded(wire.notification("x", params))
    assert line.count(b"\n") == 1
    found = wire.decoded(line)
    # Halves of surrogates are no text; they are sent as question marks.
    if "\\ud" not in json.dumps(params):
        assert found.get("params", {}) == params


@given(some.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(line: bytes) -> None:
    """Nothing but Malformed is ever raised."""
    with contextlib.suppress(Malformed):
        assert isinstance(wire.decoded(line), dict)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"jsonrpc":"2.0","x":' + b"[" * 64 + b"]" * 64 + b"}", McpReason.TOO_DEEP),
        (b"[" * 3_000_000, McpReason.TOO_DEEP),
        (b'"' + b"x" * 4_000_000 + b'"', McpReason.LINE_TOO_LONG),
        (b'[{"jsonrpc":"2.0"}]', McpReason.NOTE_NOT_JSON),
        (b'{"jsonrpc":"1.0"}', McpReason.NOTE_NOT_JSON),
        (b'{"jsonrpc":"2.0","x":' + b"9" * 5000 + b"}", McpReason.NOTE_NOT_JSON),
        (b'{"jsonrpc":"2.0"', McpReason.NOTE_NOT_JSON),
        (b"\xff\xfe", McpReason.NOTE_NOT_JSON),
    ],
)
def test_what_is_no_message_says_why(line: bytes, code: McpReason) -> None:
    """Too long, too deep, or something else."""
    with pytest.raises(Malformed) as refused:
        wire.decoded(line)
    assert refused.value.code is code


@pytest.mark.skipif(sys.platform == "win32", reason="needs a timer of the processor's time")
@pytest.mark.parametrize("text", ['\\"', '"', "\\\\", '{"', '"[', "\\"])
def test_a_text_without_an_end_takes_no_time(text: str) -> None:
    """It was looked for again behind each quote: four megabytes took a day, and all stood still."""
    line = b"[" * 65 + b'"' + (text.encode() * 4_000_000)[: wire.LINE_BYTES - 100]
    with limited(20.0), pytest.raises(Malformed):
        wire.decoded(line)


@given(some.text(alphabet='[]{}"\\a', max_size=60), some.integers(1, 5))
def test_depth_is_that_of_brackets_outside_of_texts(text: str, limit: int) -> None:
    """Counted letter by letter, as it is read."""
    depth = deepest = 0
    in_text = escaped = False
    for letter in text:
        if in_text:
            in_text = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            in_text, escaped = True, False
        elif letter in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "]}":
            depth -= 1
    assert wire.is_deeper(text.encode(), limit) is (deepest > limit)


def test_brackets_in_texts_are_not_nested() -> None:
    """Only those of the message itself count."""
    line = json.dumps({"jsonrpc": "2.0", "x": "[" * 1000 + '\\"' + "{" * 1000}).encode()
    assert wire.decoded(line)["x"].startswith("[[")


def test_a_request_of_the_newer_protocol_says_its_version() -> None:
    """And offers nothing."""
    meta = wire.request(1, "tools/list", {}, Era.DISCOVER)["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {}
    assert wire.initialize(1)["params"]["capabilities"] == {}


@given(some.text())
def test_plain_text_holds_nothing_unseen(text: str) -> None:
    """No control character, no mark that turns a line around, no half of a surrogate."""
    kept = wire.plain_text(text, 100)
    assert len(kept) <= 100
    assert all(each in "\n\t" or unicodedata.category(each)[0] != "C" for each in kept)


HIDDEN = {
    "tags": "".join(chr(0xE0000 + ord(letter)) for letter in "obey"),
    "variations": "".join(chr(0xE0100 + ord(letter)) for letter in "obey"),
    "older variations": "\ufe00\ufe0f\ufe01",
    "no width": "\u200b\u200c\u200d\u2060\ufeff",
    "another direction": "\u202e\u2066\u2069\u200f",
    "soft hyphens": "\u00ad" * 3,
    "fillers": "\u3164\u115f\u1160\uffa0",
    "an empty pattern": "\u2800",
    "a joiner": "\u034f\u180e\u180b",
    "a terminal's orders": "\x1b\x07\x9b\x7f",
    "an old bidi form": "\u061c",
    "music": "\U0001d173",
    "private": "\ue000\U000f0000",
    "halves": "\ud83d",
    "lines of another kind": "\u2028\u2029\x85",
}


@pytest.mark.parametrize("kind", HIDDEN)
def test_no_text_hides_in_a_description(kind: str) -> None:
    """What a person does not see, the model does not read."""
    assert wire.one_line(f"Tells {HIDDEN[kind]}the time", 100) == "Tells the time"
