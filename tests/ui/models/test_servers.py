"""Model servers in the window of models: adding, testing and removing, with a real server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from keyring.backends.fail import Keyring as NoKeyring
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from desktop.app import Services, build_core
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.system.secrets import Secrets
from desktop.ui.models.servers import ServerActs, ServerForm, ServersSection
from desktop.ui.theme import Theme
from tests.fakes.model_server import ModelServer, model_server, status

WAIT_MS = 30_000


@dataclass
class World:
    core: Services
    section: ServersSection
    qtbot: QtBot

    def until(self, condition: object) -> None:
        self.qtbot.waitUntil(condition, timeout=WAIT_MS)  # type: ignore[arg-type]

    def press(self, name: str) -> None:
        button = self.section.findChild(QPushButton, name)
        assert button is not None, name
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def fill(self, **fields: str) -> ServerForm:
        self.press("model_server_add")
        form = self.section.findChild(ServerForm)
        assert form is not None
        for name, text in fields.items():
            field = form.findChild(QLineEdit, f"model_server_{name}")
            assert field is not None, name
            field.setText(text)
        return form

    @property
    def models(self) -> dict[str, str]:
        servers = self.core.settings.current.engines.servers
        return {name: each.model for name, each in servers.items()}

    @property
    def names(self) -> list[str]:
        return list(self.core.settings.current.engines.servers)


@pytest.fixture
def world(tmp_path: Path, qtbot: QtBot, theme: Theme) -> Iterator[World]:
    core = build_core(Paths.under(tmp_path / "profile"))
    core.secrets = Secrets(core.paths, NoKeyring)  # that of whoever runs the tests is not theirs to ask
    relay, background = Relay(core.bus), Background()
    acts = ServerActs(
        lambda: bool(core.settings.current.engines.servers),
        lambda: core.remote_engines,
        lambda: core.remote_setup,
    )
    section = ServersSection(acts, relay, background)
    qtbot.addWidget(section)
    section.resize(640, 700)
    section.show()
    yield World(core, section, qtbot)
    relay.close()
    background.close()
    core.close()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as made:
        yield made


def test_a_server_is_added_tested_and_removed(world: World, server: ModelServer) -> None:
    """Its only model is taken, and no words of anybody are sent."""
    form = world.fill(name="office", url=server.url)
    form.save.click()
    # Written down first, and its model when it has answered.
    world.until(lambda: world.models == {"office": "big-model"} and world.section.form_place.form is None)
    assert len(world.section.list.rows) == 1
    assert world.section.findChild(ServerForm) is None or not form.isVisible()
    before = len(server.seen)
    world.press("model_server_test_office")
    world.until(lambda: len(server.seen) > before)
    world.press("model_server_remove_office")
    world.section.confirm.yes.click()
    world.until(lambda: not world.names and not world.section.list.rows)
    assert server.asked == []


def test_a_key_is_typed_unseen_and_kept_out_of_the_settings(world: World, server: ModelServer) -> None:
    """It goes to the keyring and, once, to the server."""
    form = world.fill(name="office", url=server.url, key="sk-secret-5")
    assert form.key.echoMode() is QLineEdit.EchoMode.Password
    form.save.click()
    world.until(lambda: bool(server.seen) and len(world.section.list.rows) == 1)
    assert server.seen[0][1]["Authorization"] == "Bearer sk-secret-5"
    assert "sk-secret" not in world.core.paths.settings.read_text()


def test_what_does_not_answer_is_told_and_not_kept(world: World, server: ModelServer) -> None:
    """The form stays open with what was typed."""
    server.listing = status(500)
    form = world.fill(name="office", url=server.url)
    form.save.click()
    world.until(lambda: bool(server.seen) and not world.names)
    world.until(lambda: world.section.outcome.count() == 1)
    assert form.name.text() == "office"


def test_half_a_form_cannot_be_saved(world: World) -> None:
    """Name and address are needed; Escape leaves it."""
    form = world.fill(name="office")
    assert not form.save.isEnabled()
    world.qtbot.keyClick(form, Qt.Key.Key_Escape)
    assert world.section.form_place.form is None
