"""Whether there is a newer Steward: asked only with the user's leave, believed only with a right signature.

Nothing is ever downloaded but the release file, and nothing is installed: the user is told where to look.
"""

from __future__ import annotations

import binascii
import hashlib
import json
import re
import time
import tomllib
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from desktop import __version__
from desktop.errors import UserFacing
from desktop.network import Network, NetworkReason, because
from desktop.paths import Paths, read_own, write_atomically
from desktop.reasons import Reason
from desktop.system.reasons import SystemReason

log = structlog.get_logger(__name__)

# -- signatures as minisign writes them (https://jedisct1.github.io/minisign/): Ed25519 over the BLAKE2b-512
# of the file, and another one over that signature with its trusted comment -------------------------------

HASHED = b"ED"  # the algorithm of a signature; that of a key is Ed
KEY_ALGORITHM = b"Ed"
ID_BYTES, KEY_BYTES, SIGNATURE_BYTES = 8, 32, 64
TRUSTED = "trusted comment: "


class Untrusted(Exception):
    """Not signed by us; `why` completes a sentence."""

    def __init__(self, why: Reason) -> None:
        super().__init__(str(why))
        self.why = why


@dataclass(frozen=True)
class PublicKey:
    """A minisign public key."""

    id: bytes
    raw: bytes

    @classmethod
    def read(cls, word: str) -> PublicKey:
        """Read the line that begins with `RW`. Raises Untrusted."""
        content = _decoded(word, 2 + ID_BYTES + KEY_BYTES, SystemReason.KEY_DAMAGED)
        if content[:2] != KEY_ALGORITHM:
            raise Untrusted(SystemReason.KEY_OF_ANOTHER_KIND.of())
        return cls(content[2 : 2 + ID_BYTES], content[2 + ID_BYTES :])


def check(content: bytes, signature: str, keys: tuple[PublicKey, ...]) -> str:
    """The trusted comment of `signature`, which is right for `content`. Raises Untrusted."""
    lines = signature.splitlines()
    if len(lines) < 4 or not lines[2].startswith(TRUSTED):
        raise Untrusted(SystemReason.SIGNATURE_DAMAGED.of())
    head = _decoded(lines[1], 2 + ID_BYTES + SIGNATURE_BYTES, SystemReason.SIGNATURE_DAMAGED)
    if head[:2] != HASHED:
        raise Untrusted(SystemReason.SIGNATURE_OF_ANOTHER_KIND.of())
    key = next((each for each in keys if each.id == head[2 : 2 + ID_BYTES]), None)
    if key is None:
        raise Untrusted(SystemReason.SIGNED_WITH_ANOTHER_KEY.of())
    signed, comment = head[2 + ID_BYTES :], lines[2].removeprefix(TRUSTED)
    _verify(key, signed, hashlib.blake2b(content).digest())
    # Signed together with the signature, so that the comment of another release cannot stand here.
    of_both = _decoded(lines[3], SIGNATURE_BYTES, SystemReason.SIGNATURE_DAMAGED)
    _verify(key, of_both, signed + comment.encode())
    return comment


def _decoded(text: str, size: int, damaged: SystemReason) -> bytes:
    try:
        content = b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise Untrusted(damaged.of()) from error
    if len(content) != size:
        raise Untrusted(damaged.of())
    return content


def _verify(key: PublicKey, signature: bytes, content: bytes) -> None:
    from cryptography.exceptions import InvalidSignature  # here, because most starts never need it
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key.raw).verify(signature, content)
    except InvalidSignature as error:
        raise Untrusted(SystemReason.SIGNATURE_WRONG.of()) from error


SIGNATURE_SUFFIX = ".minisig"
LARGEST_BYTES = 256 * 1024
PAUSE_S = 24 * 3600.0
VERSION = re.compile(r"\d+(\.\d+){1,3}")


@dataclass(frozen=True)
class Source:
    """Where releases are told, and whose signature is believed."""

    url: str
    keys: tuple[PublicKey, ...]

    @classmethod
    def read(cls, file: Path) -> Source | None:
        """From `resources/release.toml`; None where this copy was built without one. Raises Untrusted for a
        key that is none."""
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        if not table["url"] or not table["public_keys"]:
            return None
        return cls(table["url"], tuple(PublicKey.read(word) for word in table["public_keys"]))


@dataclass(frozen=True)
class Release:
    """What a release file tells. `page` is where the user gets it."""

    version: str
    page: str

    @property
    def is_newer(self) -> bool:
        return _numbers(self.version) > _numbers(__version__)


class Updates:
    """Updates of one profile. Blocks: called on the pool."""

    def __init__(
        self,
        network: Network,
        source: Source | None,
        paths: Paths,
        is_allowed: Callable[[], bool],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._network = network
        self._source = source
        self._last = paths.cache / "update-asked"
        self._is_allowed = is_allowed
        self._clock = clock

    def look(self) -> Release:
        """The latest release, also where it is this one. Asks the network whatever the setting says: whoever
        calls has the user's word. Raises UserFacing."""
        if self._source is None:
            raise UserFacing(SystemReason.NO_UPDATE_SOURCE.of())
        # Both before either is read: nothing of an unsigned file is looked at.
        content = self._fetch(self._source.url)
        signature = self._fetch(self._source.url + SIGNATURE_SUFFIX)
        try:
            comment = check(content, signature.decode("utf-8", "replace"), self._source.keys)
            release = _release(content)
        except Untrusted as error:
            raise _not_believed(self._source.url, error.why) from error
        log.info("asked for updates", latest=release.version, signed_with=comment)
        return release

    def look_if_due(self) -> Release | None:
        """A newer release, at most once a day and only where the setting allows it; None otherwise, also when
        the network does not answer."""
        if not self._is_allowed() or self._source is None or not self._is_due():
            return None
        # Before it is asked: a server that is silent must not be asked at every start.
        write_atomically(self._last, str(self._clock()).encode())
        try:
            release = self.look()
        except UserFacing as error:  # nobody asked, so nobody is told; `steward update` tells
            log.info("no word about updates", reason=error.cause)
            return None
        return release if release.is_newer else None

    def _is_due(self) -> bool:
        try:
            last = float(read_own(self._last))
        except (OSError, ValueError):
            return True
        # A clock that was set back must not put it off for years.
        return not 0 <= self._clock() - last < PAUSE_S

    def _fetch(self, url: str) -> bytes:
        body = bytearray()
        with (
            because(NetworkReason.FOR_NEW_VERSION.of()),
            self._network.stream("GET", url, {"Accept-Encoding": "identity"}) as answer,
        ):
            for chunk in answer.chunks():
                body += chunk
                # Nothing is believed yet, so that a server must not be able to fill the memory.
                if len(body) > LARGEST_BYTES:
                    raise _not_believed(url, SystemReason.RELEASE_TOO_LONG.of())
        return bytes(body)


def _release(content: bytes) -> Release:
    """Raises Untrusted: what is signed and yet no release of ours is no better than what is not signed."""
    try:
        told: Any = json.loads(content)
        release = Release(str(told["version"]), str(told["page"]))
        is_ours = told["program"] == "steward"
    except (ValueError, KeyError, TypeError) as error:
        raise Untrusted(SystemReason.NO_RELEASE_FILE.of()) from error
    # The page is shown to be clicked: no other kind of address, whoever signed it.
    if not is_ours or not VERSION.fullmatch(release.version) or not release.page.startswith("https://"):
        raise Untrusted(SystemReason.NOT_OUR_RELEASE_FILE.of())
    return release


def _numbers(version: str) -> tuple[int, ...]:
    found = VERSION.match(version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def _not_believed(url: str, reason: Reason) -> UserFacing:
    return UserFacing(SystemReason.UPDATE_UNTRUSTED.of(url=url, reason=reason))
