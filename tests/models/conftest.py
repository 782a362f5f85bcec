"""A loopback server, a network to it, and a downloader into a profile of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from desktop.events import Bus
from desktop.models.catalogue import Catalogue
from desktop.models.download import Downloader
from desktop.models.library import Library
from desktop.models.progress import DownloadPhase, DownloadProgress
from desktop.models.transfer import Patience
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import NetworkSettings
from tests.models.file_server import FileServer

QUICK = Patience(first_contact=2, once_begun=5, back_off_s=lambda _attempt: 0.01)


@pytest.fixture
def server() -> Iterator[FileServer]:
    with FileServer() as running:
        yield running


@dataclass
class NetworkMaker:
    """Makes networks with given settings and closes them."""

    made: list[Network] = field(default_factory=list)

    def __call__(self, stall_timeout_s: float = 60.0, **settings: object) -> Network:
        values = NetworkSettings.model_validate(settings)
        network = Network(lambda: values, connect_timeout_s=20.0, stall_timeout_s=stall_timeout_s)
        self.made.append(network)
        return network


@pytest.fixture
def make_network() -> Iterator[NetworkMaker]:
    maker = NetworkMaker()
    yield maker
    for network in maker.made:
        network.close()


@pytest.fixture
def network(make_network: NetworkMaker) -> Network:
    return make_network()


@pytest.fixture
def library(paths: Paths, bus: Bus) -> Library:
    return Library(paths, bus, Catalogue(()))


@pytest.fixture
def make_downloader(network: Network, library: Library, paths: Paths, bus: Bus) -> Callable[..., Downloader]:
    def make(**options: object) -> Downloader:
        options = {"network": network, "library": library, "patience": QUICK, **options}
        return Downloader(paths=paths, bus=bus, **options)  # type: ignore[arg-type]  # options by name

    return make


@pytest.fixture
def downloader(make_downloader: Callable[..., Downloader]) -> Downloader:
    return make_downloader()


@dataclass
class Heard:
    """The progress that was published."""

    events: list[DownloadProgress] = field(default_factory=list)

    @property
    def now(self) -> DownloadPhase | None:
        return self.events[-1].phase if self.events else None

    @property
    def phases(self) -> list[DownloadPhase]:
        """Without repetitions."""
        found: list[DownloadPhase] = []
        for event in self.events:
            if not found or found[-1] is not event.phase:
                found.append(event.phase)
        return found


@pytest.fixture
def heard(bus: Bus) -> Heard:
    heard = Heard()
    bus.subscribe(DownloadProgress, heard.events.append)
    return heard
