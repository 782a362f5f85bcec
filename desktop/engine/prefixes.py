"""Saved KV caches of stable prompt prefixes, so that the first message after a start need not compute them.

A file holds a header that names exactly what it is good for (model, build, tokens), the state, and a checksum
over both. A file that is truncated, foreign or of another build is deleted with a line in the log.
"""

from __future__ import annotations

import hashlib
import threading
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

import structlog

from desktop.engine.kv_cache import SavedPrefix
from desktop.paths import write_atomically

log = structlog.get_logger(__name__)

MAGIC = b"steward prefix 1\n"
CHECKSUM_BYTES = 32
FILES_KEPT = 8
BYTES_KEPT = 512 * 1024 * 1024
SUFFIX = ".prefix"


class PrefixStore:
    """The saved prefixes of one model. Engine thread; files are written on a thread of their own."""

    def __init__(self, folder: Path, identity: str) -> None:
        """`identity` names everything but the tokens that a state depends on: file, build, KV type."""
        self._folder = folder
        self._identity = identity.encode()
        self._written: set[str] = set()
        self._writers: list[threading.Thread] = []

    def has(self, tokens: Sequence[int]) -> bool:
        """Whether a state for just these tokens is there or on its way."""
        name = self._name(tokens)
        return name in self._written or (self._folder / name).exists()

    def read(self, tokens: Sequence[int]) -> SavedPrefix | None:
        """The state for just these tokens, checked; None if there is none that can be used."""
        path = self._folder / self._name(tokens)
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("saved prefix could not be read", path=str(path), reason=str(error))
            return None
        state = self._checked(raw, tokens)
        if state is None:
            log.warning("saved prefix is damaged and was deleted", path=str(path), size_bytes=len(raw))
            path.unlink(missing_ok=True)
            self._written.discard(path.name)
            return None
        return SavedPrefix(tuple(tokens), state)

    def write(self, tokens: Sequence[int], state: bytes) -> None:
        """Save in the background; a disk that is full costs only the time it would have saved."""
        name = self._name(tokens)
        self._written.add(name)
        content = self._header(tokens) + state
        writer = threading.Thread(target=self._write, args=(name, content), name="prefix-writer")
        self._writers = [thread for thread in self._writers if thread.is_alive()] + [writer]
        writer.start()

    def close(self) -> None:
        """Wait for what is being written."""
        for writer in self._writers:
            writer.join()

    def _write(self, name: str, content: bytes) -> None:
        try:
            write_atomically(self._folder / name, content + _checksum(content))
            _forget_old(self._folder)
        except OSError as error:
            self._written.discard(name)
            log.warning("prefix could not be saved", reason=str(error), size_bytes=len(content))

    def _checked(self, raw: bytes, tokens: Sequence[int]) -> bytes | None:
        content, checksum = raw[:-CHECKSUM_BYTES], raw[-CHECKSUM_BYTES:]
        header = self._header(tokens)
        if not content.startswith(header) or checksum != _checksum(content):
            return None
        return content[len(header) :]

    def _header(self, tokens: Sequence[int]) -> bytes:
        body = array("i", tokens).tobytes()
        return MAGIC + b"%d %d\n" % (len(self._identity), len(tokens)) + self._identity + body

    def _name(self, tokens: Sequence[int]) -> str:
        return hashlib.blake2b(self._header(tokens), digest_size=16).hexdigest() + SUFFIX


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).digest()


def _forget_old(folder: Path) -> None:
    """Keep the latest files, within bounds of number and bytes."""
    files = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)
    total = 0
    for count, path in enumerate(files, start=1):
        total += path.stat().st_size
        if count > FILES_KEPT or (total > BYTES_KEPT and count > 1):
            log.info(
                "old saved prefix deleted", path=str(path), age_s=round(time.time() - path.stat().st_mtime)
            )
            path.unlink(missing_ok=True)
