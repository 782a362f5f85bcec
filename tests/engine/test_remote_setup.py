"""Taking a model server away while the keyring is locked."""

from __future__ import annotations

import pytest

from desktop.engine.remote import RemoteEngines
from desktop.engine.remote_setup import Keyring, RemoteSetup
from desktop.errors import UserFacing
from desktop.events import Bus
from desktop.network import Network
from desktop.paths import Paths
from desktop.settings import SettingsFile
from desktop.system.reasons import SystemReason
from tests.fakes.model_server import model_server


class Locked:
    """A keyring that a person may refuse to unlock."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.is_locked = False

    def set(self, name: str, value: str) -> None:
        self._ask()
        self.kept[name] = value

    def delete(self, name: str) -> None:
        self._ask()
        self.kept.pop(name, None)

    def _ask(self) -> None:
        if self.is_locked:
            raise UserFacing(SystemReason.KEYRING_LOCKED.of())


def test_what_the_keyring_keeps_back_stays_in_the_list(paths: Paths, bus: Bus) -> None:
    """Refused, nothing is changed, and trying again works; a server without a key needs no keyring."""
    settings, ring = SettingsFile(paths.settings, bus), Locked()
    network = Network(lambda: settings.current.network)
    engines = RemoteEngines(lambda: settings.current.engines.servers, network, ring.kept.get)
    setup = RemoteSetup(settings, engines, Keyring(ring.set, ring.delete))
    with model_server() as server:
        setup.add("big", server.url, key="sk-1")
        setup.add("open", server.url)
    ring.is_locked = True
    with pytest.raises(UserFacing) as caught:
        setup.remove("big")
    assert caught.value.code == "keyring-locked"
    assert [each.name for each in engines.all()] == ["big", "open"]
    setup.remove("open")
    ring.is_locked = False
    setup.remove("big")
    assert (engines.all(), ring.kept) == ((), {})
    network.close()


def test_a_server_that_does_not_answer_is_told_so_with_a_locked_keyring(paths: Paths, bus: Bus) -> None:
    """It has no key, so the keyring has no say in it."""
    settings, ring = SettingsFile(paths.settings, bus), Locked()
    ring.is_locked = True
    network = Network(lambda: settings.current.network)
    engines = RemoteEngines(lambda: settings.current.engines.servers, network, ring.kept.get)
    with pytest.raises(UserFacing) as caught:
        RemoteSetup(settings, engines, Keyring(ring.set, ring.delete)).add("none", "http://127.0.0.1:9/v1")
    assert caught.value.code != "keyring-locked"
    assert settings.current.engines.servers == {}
    network.close()
