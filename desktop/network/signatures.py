"""Whether a file was signed with a key that we know: signatures as minisign writes them.

Format (https://jedisct1.github.io/minisign/): Ed25519 over the BLAKE2b-512 of the file, and another one over
that signature with its trusted comment.
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode
from dataclasses import dataclass

HASHED = b"ED"  # the algorithm of a signature; that of a key is Ed
KEY_ALGORITHM = b"Ed"
ID_BYTES, KEY_BYTES, SIGNATURE_BYTES = 8, 32, 64
TRUSTED = "trusted comment: "


class Untrusted(Exception):
    """The text says why."""


@dataclass(frozen=True)
class PublicKey:
    """A minisign public key."""

    id: bytes
    raw: bytes

    @classmethod
    def read(cls, word: str) -> PublicKey:
        """From the line that begins with `RW`. Raises Untrusted."""
        content = _decoded(word, 2 + ID_BYTES + KEY_BYTES, "the public key")
        if content[:2] != KEY_ALGORITHM:
            raise Untrusted("the public key is of another kind")
        return cls(content[2 : 2 + ID_BYTES], content[2 + ID_BYTES :])


def check(content: bytes, signature: str, keys: tuple[PublicKey, ...]) -> str:
    """The trusted comment of `signature`, which is right for `content`. Raises Untrusted."""
    lines = signature.splitlines()
    if len(lines) < 4 or not lines[2].startswith(TRUSTED):
        raise Untrusted("the signature is damaged")
    head = _decoded(lines[1], 2 + ID_BYTES + SIGNATURE_BYTES, "the signature")
    if head[:2] != HASHED:
        raise Untrusted("the signature is of another kind")
    key = next((each for each in keys if each.id == head[2 : 2 + ID_BYTES]), None)
    if key is None:
        raise Untrusted("it was signed with another key")
    signed, comment = head[2 + ID_BYTES :], lines[2].removeprefix(TRUSTED)
    _verify(key, signed, hashlib.blake2b(content).digest())
    _verify(key, _decoded(lines[3], SIGNATURE_BYTES, "the signature"), signed + comment.encode())
    return comment


def _decoded(text: str, size: int, what: str) -> bytes:
    try:
        content = b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Untrusted(f"{what} is damaged") from error
    if len(content) != size:
        raise Untrusted(f"{what} is damaged")
    return content


def _verify(key: PublicKey, signature: bytes, content: bytes) -> None:
    from cryptography.exceptions import InvalidSignature  # here, because most starts never need it
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, content)
    except InvalidSignature as error:
        raise Untrusted("its signature is wrong") from error
