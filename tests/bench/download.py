"""`dev.py bench download`: what the downloader costs over reading and hashing a line and nothing else.

A server in another process sends random bytes over loopback. "Plain" is a loop of `http.client` that reads
and hashes. "Steward" is the whole Downloader: request, hash while streaming, `.part` file, progress events,
check, GGUF head, fsync, rename, list of models. They take turns, so that both meet the same machine.

Measured twice: into memory (/dev/shm), which is what the target is about, and onto the disk, next to a plain
loop that also writes its bytes to a file and syncs it, because there the disk decides.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from desktop.events import Bus
from desktop.models.catalogue import Catalogue
from desktop.models.download import Downloader
from desktop.models.library import Library
from desktop.models.sources import HttpsSource, ModelFile
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import NetworkSettings
from tests.bench.machine import ROOT, machine
from tests.models.tiny_gguf import TinyGguf

RUNS = 5
BLOCK_BYTES = 1024 * 1024
TARGET = 0.8
MEMORY = Path("/dev/shm")


class Offer:
    """The bytes on offer: a valid GGUF head, then the same block of random bytes again and again."""

    def __init__(self, size_bytes: int) -> None:
        self.head = TinyGguf().content
        self.block = os.urandom(BLOCK_BYTES)
        self.size_bytes = max(size_bytes, len(self.head))

    def pieces(self) -> Iterator[bytes]:
        yield self.head
        left = self.size_bytes - len(self.head)
        while left > 0:
            yield self.block if left >= BLOCK_BYTES else self.block[:left]
            left -= BLOCK_BYTES

    def sha256(self) -> str:
        digest = hashlib.sha256()
        for piece in self.pieces():
            digest.update(piece)
        return digest.hexdigest()


def serve(size_bytes: int) -> None:
    """The other process: tells its port and the hash, then answers one request after another."""
    offer = Offer(size_bytes)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        print(json.dumps({"port": listener.getsockname()[1], "sha256": offer.sha256()}), flush=True)
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {offer.size_bytes}\r\nConnection: close\r\n\r\n"
                connection.sendall(head.encode())
                for piece in offer.pieces():
                    connection.sendall(piece)


@contextmanager
def offered(size_bytes: int) -> Iterator[ModelFile]:
    command = [sys.executable, "-m", "tests.bench.download", "--serve", str(size_bytes)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            told = json.loads(server.stdout.readline())
            url = f"http://127.0.0.1:{told['port']}/model.gguf"
            size = max(size_bytes, len(TinyGguf().content))
            yield ModelFile("bench", "Bench", "bench.gguf", size, told["sha256"], (HttpsSource(url),))
        finally:
            server.kill()


def plain_s(file: ModelFile, target: Path | None = None) -> float:
    """Read and hash; with `target`, write and sync too."""
    source = file.sources[0]
    assert isinstance(source, HttpsSource)
    started = time.perf_counter()
    connection = http.client.HTTPConnection(urlsplit(source.url).netloc)
    connection.request("GET", "/model.gguf")
    response, digest = connection.getresponse(), hashlib.sha256()
    with open(target or os.devnull, "wb", buffering=0) as out:
        while block := response.read(BLOCK_BYTES):
            digest.update(block)
            if target:
                out.write(block)
        if target:
            os.fsync(out.fileno())
    connection.close()
    assert digest.hexdigest() == file.sha256
    seconds = time.perf_counter() - started
    if target:
        target.unlink()
    return seconds


def steward_s(file: ModelFile, folder: Path) -> float:
    """The real Downloader into a fresh profile."""
    with tempfile.TemporaryDirectory(dir=folder) as profile:
        paths, bus, network = Paths.under(Path(profile)), Bus(), Network(NetworkSettings)
        downloader = Downloader(network, Library(paths, bus, Catalogue(())), paths, bus)
        started = time.perf_counter()
        downloader.get(file)
        seconds = time.perf_counter() - started
        network.close()
    return seconds


def measure(size_bytes: int = 1_000_000_000, runs: int = RUNS) -> dict[str, object]:
    """Both, in turns, in memory and on the disk."""
    _be_quiet()
    disk = Path(tempfile.gettempdir())
    with offered(size_bytes) as file:
        in_memory = None
        if MEMORY.is_dir():
            in_memory = _compare(lambda: plain_s(file), lambda: steward_s(file, MEMORY), file, runs)
        target = disk / f"steward-bench-{os.getpid()}.bin"
        on_disk = _compare(lambda: plain_s(file, target), lambda: steward_s(file, disk), file, runs)
    main = in_memory or on_disk
    return {
        "bench": "download",
        "machine": machine(),
        "size_bytes": size_bytes,
        "runs": runs,
        "in_memory_against_read_and_hash": in_memory,
        "on_disk_against_read_hash_write_sync": on_disk,
        "ratio": main["ratio"],
        "target_ratio": TARGET,
        "reached": main["ratio"] >= TARGET,
    }


def _compare(
    plain: Callable[[], float], steward: Callable[[], float], file: ModelFile, runs: int
) -> dict[str, float]:
    plain(), steward()  # warm: imports, page cache, memory
    quiet, pairs = 0, []
    for _ in range(runs):
        quiet += _is_quiet()
        pairs.append((plain(), steward()))
    assert file.size_bytes is not None
    plain_median, steward_median = (statistics.median(pair[n] for pair in pairs) for n in (0, 1))
    return {
        "plain_s": round(plain_median, 3),
        "steward_s": round(steward_median, 3),
        "steward_mb_per_s": round(file.size_bytes / steward_median / 1e6),
        "ratio": round(plain_median / steward_median, 3),
        "ratio_of_pairs": round(statistics.median(p / s for p, s in pairs), 3),
        "quiet_pairs": quiet,
    }


def _is_quiet() -> bool:
    """Wait up to 20 s for other programs to leave most of one core; three parts of ours need two."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if psutil.cpu_percent(interval=0.5) < 25:
            return True
    return False


def _be_quiet() -> None:
    """Logs would go between the figures."""
    import logging

    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("size_bytes", type=int, nargs="?", default=1_000_000_000)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--serve", type=int)
    arguments = parser.parse_args()
    if arguments.serve is not None:
        serve(arguments.serve)
    else:
        print(json.dumps(measure(arguments.size_bytes, arguments.runs), indent=2))


if __name__ == "__main__":
    main()
