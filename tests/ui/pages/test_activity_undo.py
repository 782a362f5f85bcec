"""Undo of what a command changed, in the details of its row on the Activity page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex

from desktop.agents.action import HookChoice
from desktop.agents.events import ConfinedOutcome, DecidedBy, HookDecided, HookRan
from desktop.gate.reasons import GateReason
from desktop.ui.pages.activity import ActivityPage
from desktop.ui.undo import UndoController
from tests.shipped import redactor
from tests.ui.pages.activity_samples import Hooks
from tests.ui.pages.activity_samples import hooks_fixture as hooks_fixture
from tests.ui.pages.conftest import World

ROW = HookDecided(
    1,
    0.0,
    "codex",
    "s",
    "/shop",
    "shell",
    "make",
    "UNKNOWN",
    (),
    GateReason.RUNS_UNSEEN_CODE.of(name="make"),
    (0, 0),
    2,
    HookChoice.ALLOW,
    DecidedBy.RULE,
    1.0,
    confined="project",
)


@pytest.fixture
def page(world: World, hooks: Hooks) -> ActivityPage:
    hooks.recent = (ROW,)
    undo_controller = UndoController(lambda: world.journal, world.relay, world.background)
    page = ActivityPage(hooks, world.relay, world.background, redactor(), undo_controller=undo_controller)
    world.show(page)
    page.table.setCurrentIndex(page.chosen.index(0, 0, QModelIndex()))
    return page


def made(world: World, name: str) -> int:
    """A file that a call has made, as the journal knows it."""
    return world.files.write_file(name, "made").changes[0]


def test_what_a_command_changed_is_taken_back_from_its_row(world: World, page: ActivityPage) -> None:
    """Offered when the call has ended and changed something; afterwards the row says that it was undone."""
    assert not page.details.undo.isVisible()
    file = world.workspace.folders[0] / "made.txt"
    number = made(world, "made.txt")
    world.bus.publish(HookRan(1, ConfinedOutcome.CONFINED, (), (number,)))
    world.until(page.details.undo.isVisible)
    page.details.undo.click()
    world.until(lambda: page.details.undo_state.text() == "What it changed was undone.")
    assert not file.exists()
    assert not page.details.undo.isVisible()


def test_what_was_changed_since_is_asked_in_place(world: World, page: ActivityPage) -> None:
    """With the same choices as on the page of changes; nothing is lost meanwhile."""
    file = world.workspace.folders[0] / "made.txt"
    number = made(world, "made.txt")
    file.write_text("by hand")
    page.details.show_row(replace(ROW, changes=(number,)))
    page.details.undo.click()
    world.until(lambda: page.details._problem.count() == 1)
    assert file.read_text() == "by hand"
    assert not page.details.undo.isVisible()
