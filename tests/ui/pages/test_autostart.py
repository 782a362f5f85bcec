"""The question about starting with the computer: asked once, answered once, off unless agreed to."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from desktop.settings import SettingsFile
from desktop.system.autostart import DesktopEntry
from desktop.ui.pages.autostart import AutostartOffer
from tests.ui.pages.conftest import World

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def entry(tmp_path: Path) -> DesktopEntry:
    return DesktopEntry(("steward", "run", "--hidden"), tmp_path / "autostart")


def offer_of(world: World, entry: DesktopEntry) -> AutostartOffer:
    offer = AutostartOffer(entry, world.settings, world.background)
    world.qtbot.addWidget(offer)
    return offer


@pytest.mark.parametrize("agreed", [False, True])
def test_it_is_asked_once(world: World, entry: DesktopEntry, agreed: bool) -> None:
    """The answer is kept in the session and in the file; a later start asks no more."""
    offer = offer_of(world, entry)
    answers: list[bool] = []
    offer.answered.connect(answers.append)
    offer.ask_once()
    world.until(offer.isVisible)
    assert not entry.is_on()
    world.qtbot.mouseClick(offer.yes if agreed else offer.no, LEFT)
    world.until(lambda: answers == [agreed])
    assert entry.is_on() is agreed
    assert not offer.isVisible()
    assert SettingsFile(world.paths.settings, world.bus).current.window.asked_about_autostart
    again = offer_of(world, entry)
    again.ask_once()
    world.background.close()  # whatever was begun has ended
    world.qtbot.wait(20)
    assert not again.isVisible()


def test_who_starts_it_already_is_not_asked(world: World, entry: DesktopEntry) -> None:
    """An entry that is there is an answer."""
    entry.switch(True)
    offer = offer_of(world, entry)
    offer.ask_once()
    world.background.close()
    world.qtbot.wait(20)
    assert not offer.isVisible()


def test_an_entry_that_cannot_be_made_is_said(world: World, entry: DesktopEntry) -> None:
    """The reason stands in the place of the question, which can still be put away."""
    Path(entry.place()).parent.write_text("a file where the folder should be")
    offer = offer_of(world, entry)
    offer.ask_once()
    world.until(offer.isVisible)
    world.qtbot.mouseClick(offer.yes, LEFT)
    world.until(lambda: "could not be made" in offer.words.text())
    world.qtbot.mouseClick(offer.no, LEFT)
    world.until(lambda: not offer.isVisible())
