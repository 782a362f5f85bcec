"""Whether there is a newer Steward: asked only with the user's leave, believed only with a right signature.

Nothing is ever downloaded but the release file, and nothing is installed: the user is told where to look.
"""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from desktop import __version__
from desktop.errors import UserFacing
from desktop.network import Network, NetworkReason, because
from desktop.network.signatures import PublicKey, Untrusted, check
from desktop.paths import Paths, write_atomically

log = structlog.get_logger(__name__)

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
        told = tomllib.loads(file.read_text(encoding="utf-8"))
        if not told["url"] or not told["public_keys"]:
            return None
        return cls(told["url"], tuple(PublicKey.read(word) for word in told["public_keys"]))


@dataclass(frozen=True)
class Release:
    """What a release file tells. `page` is where the user gets it."""

    version: str
    page: str

    @property
    def is_newer(self) -> bool:
        return _numbers(self.version) > _numbers(__version__)


class Updates:
    """Of one profile. Blocks: called on the pool."""

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
            raise UserFacing(
                "This copy of Steward was built without a place to look for updates.",
                "Nothing was asked of the network.",
                "Look for a new version where you got this one.",
                code="no-update-source",
            )
        content = self._fetch(self._source.url)
        signature = self._fetch(self._source.url + SIGNATURE_SUFFIX)
        try:
            comment = check(content, signature.decode("utf-8", "replace"), self._source.keys)
            release = _release(content)
        except Untrusted as error:
            raise _not_believed(self._source.url, str(error)) from error
        log.info("asked for updates", latest=release.version, signed_with=comment)
        return release

    def look_if_due(self) -> Release | None:
        """A newer release, at most once a day and only where the setting allows it; None otherwise, also when
        the network does not answer."""
        if not self._is_allowed() or self._source is None or not self._is_due():
            return None
        write_atomically(self._last, str(self._clock()).encode())
        try:
            release = self.look()
        except UserFacing as error:  # nobody asked, so nobody is told; `steward update` tells
            log.info("no word about updates", reason=error.cause)
            return None
        return release if release.is_newer else None

    def _is_due(self) -> bool:
        try:
            last = float(self._last.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return True
        return not 0 <= self._clock() - last < PAUSE_S

    def _fetch(self, url: str) -> bytes:
        body = bytearray()
        with (
            because(NetworkReason.FOR_NEW_VERSION.of()),
            self._network.stream("GET", url, {"Accept-Encoding": "identity"}) as answer,
        ):
            for chunk in answer.chunks():
                body += chunk
                if len(body) > LARGEST_BYTES:
                    raise _not_believed(url, "it is far too long")
        return bytes(body)


def _release(content: bytes) -> Release:
    """Raises Untrusted: what is signed and yet no release of ours is no better than what is not signed."""
    try:
        told: Any = json.loads(content)
        release = Release(str(told["version"]), str(told["page"]))
        is_ours = told["program"] == "steward"
    except (ValueError, KeyError, TypeError) as error:
        raise Untrusted("it is no release file") from error
    if not is_ours or not VERSION.fullmatch(release.version) or not release.page.startswith("https://"):
        raise Untrusted("it is no release file of Steward's")
    return release


def _numbers(version: str) -> tuple[int, ...]:
    found = VERSION.match(version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def _not_believed(url: str, reason: str) -> UserFacing:
    return UserFacing(
        f"What {url} says about updates is not believed: {reason}.",
        "Nothing was downloaded or changed.",
        "Try again later; if it stays so, tell those who make Steward.",
        code="update-untrusted",
    )
