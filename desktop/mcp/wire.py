"""The messages of the Model Context Protocol: JSON-RPC 2.0 as 2025-11-25 and 2026-07-28 write it, with
limits.

Sources: the specifications of both dates (lifecycle, tools, transports). What a server sends is
measured before it is read: a line has at most `LINE_BYTES`, and brackets are nested at most `DEPTH` deep, so
that neither memory nor the parser's recursion is at a server's mercy.

Pure; any thread.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from enum import Enum
from typing import Any

from desktop import __version__
from desktop.mcp.reasons import McpReason

LINE_BYTES = 4_000_000
DEPTH = 64
HANDSHAKE = "2025-11-25"
# Older servers answer with the version that they know; lists and calls of tools are the same in these.
KNOWN_VERSIONS = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", HANDSHAKE})
DISCOVER = "2026-07-28"
METHOD_NOT_FOUND = -32601
CLIENT_INFO = {"name": "steward", "version": __version__}
_META = "io.modelcontextprotocol/"
# A string that never ends goes to the end of the text: looked for again behind each of its quotes, four
# megabytes of them would take a day, with the whole program standing still.
_BRACKETS = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_CLOSING = frozenset({b"]", b"}"})
_OPENING = frozenset({b"[", b"{"})


class Era(Enum):
    """Which of the two protocols a server speaks."""

    HANDSHAKE = "handshake"  # `initialize`, then a session
    DISCOVER = "discover"  # every request says its version by itself


class Malformed(Exception):
    """What a server sent is no message. `code` says why, for its log and, where it ends the server, for
    the user."""

    def __init__(self, code: McpReason) -> None:
        super().__init__(code)
        self.code = code


def encoded(message: Mapping[str, Any]) -> bytes:
    """One line with its end."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def decoded(line: bytes) -> dict[str, Any]:
    """The message on one line. Raises Malformed; never RecursionError, however deep it is nested."""
    if len(line) > LINE_BYTES:
        raise Malformed(McpReason.LINE_TOO_LONG)
    if is_deeper(line, DEPTH):
        raise Malformed(McpReason.TOO_DEEP)
    try:
        found = _read(line)
    except ValueError as error:  # also numbers of more digits than Python reads
        raise Malformed(McpReason.NOTE_NOT_JSON) from error
    # Lists of messages ("batches") went out of the protocol in 2025-06-18.
    if not isinstance(found, dict) or found.get("jsonrpc") != "2.0":
        raise Malformed(McpReason.NOTE_NOT_JSON)
    return found


def _read(line: bytes) -> object:
    try:
        return json.loads(line)
    except UnicodeDecodeError:
        # A text in the encoding of its system, put into the message as it was: the rest is an answer.
        return json.loads(line.decode("utf-8", "replace"))


def is_deeper(text: bytes, limit: int) -> bool:
    """Whether brackets outside of strings are nested deeper than `limit`."""
    # Nearly no message has so many brackets at all, and counting them is a hundred times cheaper.
    if text.count(b"[") + text.count(b"{") <= limit:
        return False
    depth = 0
    for found in _BRACKETS.finditer(text):
        if found[0] in _OPENING:
            depth += 1
            if depth > limit:
                return True
        elif found[0] in _CLOSING:
            depth -= 1
    return False


def request(number: int, method: str, params: Mapping[str, Any], era: Era | None) -> dict[str, Any]:
    """`era` None: before it is known, for `initialize`."""
    given = dict(params)
    if era is Era.DISCOVER:
        given["_meta"] = {
            f"{_META}protocolVersion": DISCOVER,
            f"{_META}clientInfo": CLIENT_INFO,
            f"{_META}clientCapabilities": {},
        }
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": given}


def initialize(number: int) -> dict[str, Any]:
    """The handshake. No capability is offered: no sampling, no roots, no questions to the user."""
    params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": CLIENT_INFO}
    return request(number, "initialize", params, None)


def notification(method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, **({"params": dict(params)} if params else {})}


def answer(number: object, result: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": dict(result)}


def refusal(number: object, message: str) -> dict[str, Any]:
    """To a request of the server's that Steward does not serve."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": METHOD_NOT_FOUND, "message": message}}


def plain_text(text: object, longest: int) -> str:
    """`text` without control characters, unseen ones and halves of surrogates, at most `longest` characters.

    What a terminal obeys, what turns a line around and what nobody sees has no place in what a person or a
    model reads; line ends and tabs stay.
    """
    said = text if isinstance(text, str) else "" if text is None else str(text)
    said = said[: longest * 2 + 100].replace("\r\n", "\n")
    kept = "".join(each for each in said if each in "\n\t" or unicodedata.category(each) not in _UNSEEN)
    return _BLANK.sub("", kept)[:longest]


# Called letters or marks, and drawn as nothing: a row of them can spell a text that only a model reads.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def one_line(text: object, longest: int) -> str:
    """The same on one line."""
    return " ".join(plain_text(text, longest).split())
