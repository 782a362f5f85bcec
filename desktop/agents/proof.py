"""How hook client and server prove to each other that they know a token, without sending it.

    client: STEWARD/1 KEY-NAME NONCE            one line each
    server: NONCE PROOF                         or `unknown`
    client: WHAT SIZE PROOF, then the body      such as hooks/claude-code
    server: CODE SIZE SIZE PROOF, then error output and output; CODE is an exit code, or - for a refusal

Every proof is an HMAC-SHA-256 over both nonces, a label of its own and all that is said, under the SHA-256 of
the token. So a request is good for one line, a proof for one direction, and neither can be changed or sent
again; whoever listens in the server's place learns neither token nor request. The form is written a second
and a third time in `client.py` and in `packaging/hook_client/hook.c`, which can import nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

GREETING = b"STEWARD/1 "
UNKNOWN = b"unknown\n"
REFUSED = "-"
NONCE_BYTES = 16
NAME_DIGITS = 16
LINE_BYTES = 256  # the longest line of either side
KEY_DIGITS = 64

_GREETED = re.compile(rb"STEWARD/1 ([0-9a-f]{16}) ([0-9a-f]{32})")
_ASKED = re.compile(rb"([a-z][a-z0-9/-]{0,63}) ([0-9]{1,9}) ([0-9a-f]{64})")


def key_digits(token: str) -> str:
    """The key of a token in hexadecimal, which is also what the server keeps of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def key_name(digits: str) -> str:
    """What names a key on the wire; it does not give the key away."""
    return hashlib.sha256(b"steward key\n" + bytes.fromhex(digits)).hexdigest()[:NAME_DIGITS]


@dataclass(frozen=True)
class Greeted:
    """What a client says first."""

    key_name: str
    nonce: bytes


@dataclass(frozen=True)
class Asked:
    """The head of a request. `size` of its body in bytes."""

    what: str
    size: int
    proof: bytes


def greeted(line: bytes) -> Greeted | None:
    """None for what is no greeting. `line` without its end."""
    found = _GREETED.fullmatch(line)
    return Greeted(found[1].decode(), found[2]) if found else None


def asked(line: bytes) -> Asked | None:
    """None for what is no head of a request. `line` without its end."""
    found = _ASKED.fullmatch(line)
    return Asked(found[1].decode(), int(found[2]), found[3]) if found else None


class Meeting:
    """The server's side of one line."""

    def __init__(self, digits: str, nonce: bytes) -> None:
        """`nonce` is the client's."""
        self._key = bytes.fromhex(digits)
        self._nonce = secrets.token_hex(NONCE_BYTES).encode()
        self._nonces = nonce + b" " + self._nonce + b"\n"

    def greeting(self) -> bytes:
        """The line that answers the client's first."""
        return self._nonce + b" " + self._proof(b"server", b"") + b"\n"

    def is_true(self, head: Asked, body: bytes) -> bool:
        """Whether the request comes from who knows the token, for this line, as it was sent."""
        return hmac.compare_digest(self._proof(b"request", head.what.encode() + b"\n" + body), head.proof)

    def answer(self, code: str, error: bytes, output: bytes) -> bytes:
        """All of the answer. `code` is an exit code, or `REFUSED`."""
        head = f"{code} {len(error)} {len(output)}".encode()
        content = error + output
        return head + b" " + self._proof(b"answer", head + b"\n" + content) + b"\n" + content

    def _proof(self, label: bytes, content: bytes) -> bytes:
        message = b"".join((label, b"\n", self._nonces, content))
        return hmac.digest(self._key, message, "sha256").hex().encode()
