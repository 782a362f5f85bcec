"""Downloads and the user, the disk, and other processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.errors import Cancelled, UserFacing
from desktop.models import download as download_module
from desktop.models.download import Downloader
from desktop.models.progress import DownloadPhase
from desktop.models.reasons import ModelReason
from desktop.models.sources import HttpsSource, ModelFile
from desktop.paths import Paths
from tests.models.a_download import BODY, PATH, SHA256, SIZE, Running, a_file, part_of, wait_until
from tests.models.conftest import QUICK, Heard
from tests.models.file_server import FileServer


def test_pause_lets_go_of_the_line_and_resume_goes_on(
    server: FileServer, downloader: Downloader, paths: Paths, heard: Heard
) -> None:
    """Pausing wakes a reader that waits for bytes; nothing is fetched twice."""
    server.serve(PATH, BODY, stall_after=[500_000])
    running = Running(downloader, a_file(server.url + PATH))
    assert server.stalling.wait(10)
    wait_until(lambda: part_of(paths).stat().st_size == 500_000)
    running.control.pause()
    wait_until(lambda: heard.now is DownloadPhase.PAUSED)
    server.released.set()
    assert running.control.is_paused
    running.control.resume()
    running.end()
    assert heard.phases[-1] is DownloadPhase.DONE
    assert server.sent_bytes == SIZE


def test_cancel_is_prompt_and_keeps_what_came(
    server: FileServer, downloader: Downloader, paths: Paths, heard: Heard
) -> None:
    """Cancelling ends a stalled download at once; the part stays for another time."""
    server.serve(PATH, BODY, stall_after=[500_000])
    running = Running(downloader, a_file(server.url + PATH))
    assert server.stalling.wait(10)
    wait_until(lambda: part_of(paths).stat().st_size == 500_000)
    running.control.cancel()
    assert isinstance(running.end(), Cancelled)
    assert heard.phases[-1] is DownloadPhase.CANCELLED
    assert downloader.arrived_bytes(a_file(server.url + PATH)) == 500_000
    assert downloader.begun_bytes(a_file(server.url + PATH)) == 500_000
    downloader.forget(a_file(server.url + PATH))
    assert downloader.arrived_bytes(a_file(server.url + PATH)) == 0


def test_cancel_while_waiting_to_try_again(
    server: FileServer, make_downloader: Callable[..., Downloader], heard: Heard
) -> None:
    """A long back-off does not hold up the user."""
    server.serve(PATH, BODY, always_status=503)
    patience = type(QUICK)(first_contact=3, back_off_s=lambda _attempt: 60.0)
    running = Running(make_downloader(patience=patience), a_file(server.url + PATH))
    wait_until(lambda: heard.now is DownloadPhase.WAITING)
    running.control.cancel()
    assert isinstance(running.end(2), Cancelled)


def test_the_seconds_to_the_next_try_are_counted_down(
    server: FileServer, make_downloader: Callable[..., Downloader], heard: Heard
) -> None:
    """What is said while it waits stays true."""
    server.serve(PATH, BODY, always_status=503)
    patience = type(QUICK)(first_contact=3, back_off_s=lambda _attempt: 60.0)
    running = Running(make_downloader(patience=patience), a_file(server.url + PATH))
    said = [ModelReason.TRYING_AGAIN.of(seconds=left) for left in (60, 59)]
    wait_until(lambda: [each.note for each in heard.events if each.note in said] == said)
    running.control.cancel()
    assert isinstance(running.end(2), Cancelled)


def test_cancel_while_paused(server: FileServer, downloader: Downloader, heard: Heard) -> None:
    """A paused download can be given up."""
    server.serve(PATH, BODY, stall_after=[1000])
    running = Running(downloader, a_file(server.url + PATH))
    assert server.stalling.wait(10)
    running.control.pause()
    wait_until(lambda: heard.now is DownloadPhase.PAUSED)
    running.control.cancel()
    assert isinstance(running.end(2), Cancelled)


# -- the disk -------------------------------------------------------------------------------------


def test_space_is_checked_first(
    server: FileServer, downloader: Downloader, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that cannot fit on the disk is refused before a byte is fetched."""
    server.serve(PATH, BODY)
    file = ModelFile("big", "Big", "big.gguf", 1 << 50, SHA256, (HttpsSource(server.url + PATH),))
    with pytest.raises(UserFacing) as refused:
        downloader.get(file)
    assert refused.value.code == "disk-full"
    assert "GB" in refused.value.cause
    assert server.requests == []


WORKER = """
import resource, signal, sys
from pathlib import Path
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.catalogue import Catalogue
from desktop.models.download import Downloader

from desktop.models.library import Library
from desktop.models.sources import HttpsSource, ModelFile
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import NetworkSettings

profile, url, size, sha256, limit = sys.argv[1:]
if int(limit):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
paths, bus = Paths.under(Path(profile)), Bus()
library = Library(paths, bus, Catalogue(()))
file = ModelFile("tiny", "Tiny", "tiny.gguf", int(size), sha256, (HttpsSource(url),))
network = Network(NetworkSettings)
try:
    print(Downloader(network, library, paths, bus).get(file).sha256)
except UserFacing as error:
    print(error.code)
network.close()
"""


def start_worker(paths: Paths, url: str, limit: int = 0) -> subprocess.Popen[str]:
    arguments = [str(paths.data.parent), url, str(SIZE), SHA256, str(limit)]
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(download_module.__file__).parents[2],
    )


@pytest.mark.skipif(os.name != "posix", reason="file size limits are POSIX")
def test_full_disk_keeps_what_came(server: FileServer, downloader: Downloader, paths: Paths) -> None:
    """The operating system refuses a write: its own message, and the part goes on when there is room."""
    server.serve(PATH, BODY)
    with start_worker(paths, server.url + PATH, limit=600_000) as worker:
        answer, _ = worker.communicate(timeout=30)
    assert answer.splitlines()[-1] == "disk-full"
    kept = part_of(paths).stat().st_size
    assert 0 < kept <= 600_000
    resumed_at = len(server.requests)
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.requests[resumed_at].headers["range"] == f"bytes={kept}-"


# -- other processes ------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="kills with SIGKILL")
def test_killed_in_the_middle(server: FileServer, downloader: Downloader, paths: Paths) -> None:
    """Kill -9 loses nothing that was written, installs nothing by half, and locks nobody out."""
    resource = server.serve(PATH, BODY, stall_after=[700_000])
    with start_worker(paths, server.url + PATH) as worker:
        assert server.stalling.wait(20)
        wait_until(lambda: part_of(paths).stat().st_size == 700_000)
        worker.send_signal(signal.SIGKILL)
        worker.wait(10)
        worker.communicate()
    server.released.set()
    assert not (paths.models / "tiny.gguf").exists()
    assert resource.stall_after == []
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert server.sent_bytes == SIZE
    assert server.ranges() == [None, "bytes=700000-"]


def test_two_processes_fetch_once(
    server: FileServer, downloader: Downloader, paths: Paths, heard: Heard
) -> None:
    """The second process waits, says why, and then finds the model installed."""
    server.serve(PATH, BODY, stall_after=[700_000])
    with start_worker(paths, server.url + PATH) as worker:
        assert server.stalling.wait(20)
        running = Running(downloader, a_file(server.url + PATH))
        wait_until(lambda: bool(heard.events) and heard.events[-1].note == ModelReason.ANOTHER_DOWNLOADS.of())
        server.released.set()
        server.resources[PATH].stall_after.clear()
        answer, _ = worker.communicate(timeout=60)
        running.end()
    assert answer.strip().splitlines()[-1] == SHA256
    assert heard.phases == [DownloadPhase.QUEUED, DownloadPhase.DONE]
    assert server.sent_bytes == SIZE


def test_unlisted_file_is_adopted_only_when_right(
    server: FileServer, downloader: Downloader, paths: Paths
) -> None:
    """A file that lies in place already is hashed: the right one is taken, a wrong one is put aside."""
    server.serve(PATH, BODY)
    paths.models.mkdir(parents=True)
    (paths.models / "tiny.gguf").write_bytes(b"GGUF" + bytes(100))
    assert downloader.get(a_file(server.url + PATH)).sha256 == SHA256
    assert (paths.quarantine / "tiny.gguf").stat().st_size == 104
    (paths.models / "models.json").unlink()
    assert downloader.get(a_file("http://127.0.0.1:1/never")).sha256 == SHA256
    assert len(server.requests) == 1


def test_bad_file_in_place_without_a_known_hash(
    server: FileServer, downloader: Downloader, paths: Paths
) -> None:
    """A file in place that is no model does not stand in the way for ever."""
    server.serve(PATH, BODY)
    paths.models.mkdir(parents=True)
    (paths.models / "tiny.gguf").write_bytes(b"<html>")
    assert downloader.get(a_file(server.url + PATH, size=None, sha256=None)).sha256 == SHA256


def test_no_address(downloader: Downloader) -> None:
    """A file without sources is refused, not a crash."""
    with pytest.raises(UserFacing) as refused:
        downloader.get(a_file())
    assert refused.value.code == "no-source"
