"""Servers as children of their own, in a profile of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from desktop.app import Services, build_core
from desktop.gate.snapshots import Snapshots
from desktop.mcp.pins import Pins
from desktop.mcp.servers import ServerParts, Servers
from desktop.paths import Paths
from desktop.sandbox import confiner
from desktop.settings import McpServer

HOSTILE = Path(__file__).parent / "hostile_server.py"
NOT_CONFINED = confiner.why_not()
needs_confinement = pytest.mark.skipif(NOT_CONFINED is not None, reason=str(NOT_CONFINED))


def hostile(mode: str = "plain", *words: str, **settings: object) -> McpServer:
    return McpServer(command=[sys.executable, "-I", "-S", str(HOSTILE), mode, *words], **settings)


@dataclass
class House:
    """The servers of a profile; `settings` may be changed while they run."""

    core: Services
    folder: Path
    settings: dict[str, McpServer] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    now: float = 0.0
    made: list[Servers] = field(default_factory=list)

    def secret(self, name: str) -> str | None:
        return self.secrets.get(name)

    def servers(self, idle_s: float = 300.0) -> Servers:
        parts = ServerParts(
            self.core.paths,
            self.core.network,
            self.core.grants,
            Snapshots(self.core.journal, self.core.own_folders),
            self.secret,
            lambda: self.folder,
            self.core.redactor.text,
        )
        pins = Pins(self.core.paths.served_tools)
        made = Servers(lambda: self.settings, parts, pins, self.core.bus, lambda: self.now, idle_s)
        self.made.append(made)
        return made


@pytest.fixture
def house(paths: Paths, tmp_path: Path) -> Iterator[House]:
    folder = tmp_path / "work"
    folder.mkdir()
    made = House(build_core(paths), folder)
    yield made
    for each in made.made:
        each.close()
    made.core.close()


Served = Callable[..., Servers]


@pytest.fixture
def served(house: House) -> Served:
    """One hostile server called `it`, beside a plain one called `other`."""

    def make(mode: str = "plain", *words: str, **settings: object) -> Servers:
        house.settings = {"it": hostile(mode, *words, **settings), "other": hostile()}
        return house.servers()

    return make
