"""The offer of a better model: after the first day, once, and never in the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from desktop.models.catalogue import Catalogue
from desktop.models.library import InstalledModel
from desktop.models.setup import better_choice
from desktop.ui.models.cards import BetterModelCard
from desktop.ui.models.manager import ModelManager
from tests.ui.models.conftest import World

Show = Callable[[QWidget], None]


@pytest.fixture
def active(world: World) -> InstalledModel:
    """The tried model, installed and answering; the third entry is a general one that fits."""
    first, good, third, damaged = world.catalogue.entries
    general = replace(third, general=True, size_bytes=10**9, licence_note="")
    world.setup._catalogue = Catalogue((first, good, general, damaged))
    path = world.paths.models / first.file_name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(world.server.files[f"/{first.file_name}"])
    model = world.library.add_downloaded(first.id, first.name, path, first.sha256)
    world.settings.change("model", "active", model.id)
    return model


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two days have gone by."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]  # always aware here
            return datetime.now(UTC) + timedelta(days=2)

    monkeypatch.setattr("desktop.ui.models.manager.datetime", Clock)


def offered(window: ModelManager) -> BetterModelCard | None:
    return window.findChild(BetterModelCard)


def test_nothing_is_offered_on_the_first_day(world: World, shown: Show, active: InstalledModel) -> None:
    """The answers of the model that is there are still to be seen."""
    window = world.manager()
    shown(window)
    assert offered(window) is None


@pytest.mark.usefixtures("later", "active")
def test_it_says_what_is_better_and_is_gone_for_good_when_declined(
    world: World, shown: Show, qtbot: QtBot
) -> None:
    """Name, use and speed on the card; after "No, thanks" no window shows it again."""
    window = world.manager()
    shown(window)
    card = offered(window)
    assert card is not None
    words = " ".join(label.text() for label in card.findChildren(QLabel))
    assert "Untried model" in words
    assert "words/s" in words
    qtbot.mouseClick(card.decline_button, Qt.MouseButton.LeftButton)
    window.refresh()
    qtbot.waitUntil(lambda: offered(window) is None)
    again = world.manager()
    shown(again)
    assert offered(again) is None


@pytest.mark.usefixtures("later", "active")
def test_the_button_downloads_it(world: World, shown: Show, qtbot: QtBot) -> None:
    """As the catalogue's own button does; the card goes with it."""
    window = world.manager()
    shown(window)
    card = offered(window)
    assert card is not None
    qtbot.mouseClick(card.get_button, Qt.MouseButton.LeftButton)
    assert [each.model_id for each in world.downloads.all] == ["model-3"]
    qtbot.waitUntil(lambda: offered(window) is None)


def test_who_has_chosen_a_general_model_is_left_alone(world: World, active: InstalledModel) -> None:
    """Also where a larger one would fit, and where the model is the user's own file."""
    choices = world.setup.choices(4096)
    day = datetime.now(UTC) + timedelta(days=2)
    assert better_choice(choices, active, day) is not None
    chosen = tuple(
        replace(each, entry=replace(each.entry, general=True)) if each.entry.id == active.id else each
        for each in choices
    )
    assert better_choice(chosen, active, day) is None
    assert better_choice(choices, replace(active, id="my-own"), day) is None
    assert better_choice(choices, None, day) is None
