"""Who wrote a shared memory: signed by its author's computer, and trusted on first sight.

Whoever may write to a group's server may write any name beside a text. So each profile has an Ed25519 key
of its own, whose private half stays in the keyring; the first key seen with a name is remembered here, and a
text under that name by another key, or by none, is not told to a model until the user has accepted the new
key. What this cannot show is whether the very first text under a name was really that person's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from desktop.database import Connection, Database
from desktop.memory.shared.store import SharedItem

SHOWN_DIGITS = 16  # of a key: enough to compare over the telephone


class Authorship(StrEnum):
    """What is known about the name beside a text."""

    SIGNED = "signed"
    """By the key that this name has had since it was first seen."""
    UNSIGNED = "unsigned"
    """By nobody; written by a Steward that could not sign, and no key is known for the name."""
    KEY_CHANGED = "key-changed"
    """By another key than the name's, or by none although the name has one."""
    FORGED = "forged"
    """The signature is wrong: the text, its name or its date were changed after it was signed."""

    @property
    def is_told(self) -> bool:
        """Whether a model may read the text."""
        return self in (Authorship.SIGNED, Authorship.UNSIGNED)


@dataclass(frozen=True)
class JudgedItem:
    """A shared memory, and what is known about its author."""

    item: SharedItem
    authorship: Authorship


class Authors:
    """The keys of a group's members, and one's own. All methods block on the database or the keyring, and may
    be called on any thread.
    """

    def __init__(
        self,
        database: Database,
        own_key: Callable[[], str | None],
        keep_own_key: Callable[[str], object],
    ) -> None:
        """`own_key` reads the private key (hex) from where secrets are, `keep_own_key` puts a new one there;
        both may raise UserFacing.
        """
        self._database = database
        self._own_key = own_key
        self._keep_own_key = keep_own_key

    def sign(self, item: SharedItem, group: str) -> SharedItem:
        """`item` with this profile's key and signature; the key is made with the first. Raises UserFacing."""
        # Imported here: who shares nothing never needs it.
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        kept = self._own_key()
        private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(kept)) if kept else None
        if private is None:
            private = Ed25519PrivateKey.generate()
            self._keep_own_key(private.private_bytes_raw().hex())
        key = private.public_key().public_bytes_raw().hex()
        self.accept(group, item.author, key)
        return replace(item, key=key, signature=private.sign(_signed_bytes(item, group)).hex())

    def judged(self, item: SharedItem, group: str) -> JudgedItem:
        """What is known about its author; the first key seen with a name is remembered."""
        if item.signature and not _is_right(item, group):
            return JudgedItem(item, Authorship.FORGED)
        known = self.key_of(group, item.author)
        # A signature without a name vouches for nobody.
        key = item.key if item.signature and item.author else ""
        if known == key:
            return JudgedItem(item, Authorship.SIGNED if key else Authorship.UNSIGNED)
        if known:
            return JudgedItem(item, Authorship.KEY_CHANGED)
        self.accept(group, item.author, key)
        return JudgedItem(item, Authorship.SIGNED)

    def key_of(self, group: str, author: str) -> str:
        """The public key (hex) that this name has, "" where none was seen."""

        def read(connection: Connection) -> str:
            row = connection.execute(
                "SELECT key FROM memory_authors WHERE team = ? AND author = ?", (group, author)
            ).fetchone()
            return str(row["key"]) if row is not None else ""

        return self._database.read(read)

    def accept(self, group: str, author: str, key: str) -> None:
        """From now on texts under this name are right by this key, and by no other."""

        def write(connection: Connection) -> None:
            connection.execute(
                "INSERT INTO memory_authors (team, author, key, at) VALUES (?, ?, ?, ?) ON CONFLICT (team, "
                "author) DO UPDATE SET key = excluded.key, at = excluded.at WHERE key != excluded.key",
                (group, author, key, time.time()),
            )

        self._database.write(write)


def short_key(key: str) -> str:
    """A public key for people, in groups of four: `9f3a 01c2 …`; "" for none."""
    digits = key[:SHOWN_DIGITS]
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


def _signed_bytes(item: SharedItem, group: str) -> bytes:
    """What a signature covers: all that is shown of an item, and whose it is.

    With the group, so that a text of one group cannot be put into another one; JSON, so that no two items
    have the same bytes.
    """
    fields = [group, item.id, item.layer.value, item.text, item.source.value, item.author, repr(item.at)]
    return json.dumps(["steward shared memory 1", *fields], ensure_ascii=True).encode()


def _is_right(item: SharedItem, group: str) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(item.key))
        public.verify(bytes.fromhex(item.signature), _signed_bytes(item, group))
    except (InvalidSignature, ValueError):  # ValueError: no hexadecimal number, or no key
        return False
    return True
