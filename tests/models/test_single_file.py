"""One file that is no chat model: whole and right, or not there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.models.progress import DownloadProgress, Phase
from desktop.models.single_file import SingleFile
from desktop.models.sources import HttpsSource, ModelFile
from desktop.network import Network
from tests.models.conftest import QUICK
from tests.models.file_server import FileServer

CONTENT = bytes(range(256)) * 4000


def wanted(server: FileServer, *paths: str, sha256: str = "") -> ModelFile:
    right = hashlib.sha256(CONTENT).hexdigest()
    sources = tuple(HttpsSource(f"{server.url}/{path}") for path in paths)
    return ModelFile("small", "Small", "small.bin", len(CONTENT), sha256 or right, sources)


@pytest.fixture
def files(network: Network, bus: Bus, tmp_path: Path) -> SingleFile:
    return SingleFile(network, bus, tmp_path / "files", QUICK)


def test_it_arrives_whole_and_is_not_asked_for_twice(
    server: FileServer, files: SingleFile, bus: Bus, tmp_path: Path
) -> None:
    """The second time it is there already; nothing else is left in the folder."""
    server.serve("/small.bin", CONTENT)
    phases: list[Phase] = []
    bus.subscribe(DownloadProgress, lambda event: phases.append(event.phase))
    path = files.get(wanted(server, "small.bin"))
    assert path.read_bytes() == CONTENT
    assert (phases[0], phases[-1]) == (Phase.QUEUED, Phase.DONE)
    count = len(server.requests)
    assert files.get(wanted(server, "small.bin")) == path
    assert len(server.requests) == count
    assert {each.name for each in path.parent.iterdir()} == {"small.bin", "small.bin.lock"}


def test_the_next_source_is_tried(server: FileServer, files: SingleFile) -> None:
    """One that has nothing is passed by."""
    server.serve("/small.bin", CONTENT)
    assert files.get(wanted(server, "missing.bin", "small.bin")).exists()


def test_a_wrong_file_is_never_used(server: FileServer, files: SingleFile) -> None:
    """It is put aside, and said."""
    server.serve("/small.bin", CONTENT)
    file = wanted(server, "small.bin", sha256="0" * 64)
    with pytest.raises(UserFacing, match="SHA-256"):
        files.get(file)
    assert not files.path(file).exists()
