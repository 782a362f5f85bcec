"""A small model to download, and a download on a thread of its own."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from pathlib import Path

from desktop.errors import Cancelled, UserFacing
from desktop.models.download import Downloader
from desktop.models.progress import DownloadControl
from desktop.models.sources import HttpsSource, ModelFile
from desktop.paths import Paths
from tests.models.tiny_gguf import TinyGguf

BODY = TinyGguf(padding=1_000_000).content
SIZE = len(BODY)
SHA256 = hashlib.sha256(BODY).hexdigest()
PATH = "/tiny.gguf"


def a_file(*urls: str, size: int | None = SIZE, sha256: str | None = SHA256) -> ModelFile:
    return ModelFile("tiny", "Tiny", "tiny.gguf", size, sha256, tuple(HttpsSource(url) for url in urls))


def part_of(paths: Paths) -> Path:
    return paths.downloads / "tiny.gguf.part"


class Running:
    """A download on a thread of its own."""

    def __init__(self, downloader: Downloader, file: ModelFile) -> None:
        self.control = DownloadControl()
        self.outcome: object = None
        self._work = (downloader, file)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        downloader, file = self._work
        try:
            self.outcome = downloader.get(file, self.control)
        except (Cancelled, UserFacing) as error:
            self.outcome = error

    def end(self, timeout_s: float = 30.0) -> object:
        self._thread.join(timeout_s)
        assert not self._thread.is_alive()
        return self.outcome


def wait_until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    """Shorter than a line may stall: what is noticed only then comes too late."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)
