"""What a page shows when the disk takes nothing: the truth, and why."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QScrollArea

from desktop.errors import UserFacing
from desktop.gate.agent_rules import AgentConsents, Consent, RuleFile
from desktop.gate.request import AgentRule
from desktop.network import Network
from desktop.offload.history import History
from desktop.offload.setup import WorkerSetup
from desktop.server.openai.programs import ProgramLog, ProgramTokens
from desktop.ui.pages.network import NetworkPage
from desktop.ui.pages.page import Page
from desktop.ui.pages.permission_sections import AgentRuleList
from desktop.ui.pages.permissions import PermissionsPage
from desktop.ui.pages.programs import ProgramsPage
from desktop.ui.pages.setting_switch import SettingSwitch
from desktop.ui.pages.window import PageEntry, PagesWindow
from desktop.ui.pages.workers import WorkersPage
from desktop.ui.widgets.buttons import CheckBox
from desktop.ui.widgets.error_card import ErrorCard
from tests.fakes.failures import failure
from tests.qt.pool_calls import pool_calls
from tests.ui.pages.conftest import World

UI = Path(__file__).resolve().parents[3] / "desktop" / "ui"
PAGES = sorted(
    file
    for file in (
        *UI.rglob("pages/*.py"),
        *UI.rglob("memory/*.py"),
        *UI.glob("*.py"),
        UI / "models" / "cards.py",
    )
    if file.name not in ("desktop.py", "tray.py", "undo.py")  # which have no place of their own
)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(UI)))
def test_a_page_tells_by_itself_what_failed(file: Path) -> None:
    """Where it was asked, and not by a note in another window."""
    elsewhere = [call.line for call in pool_calls(file) if not call.failed]
    assert not elsewhere


def take_nothing(world: World) -> None:
    """From now on the settings cannot be written, also not by root."""
    lock = world.settings.path.with_name(f".{world.settings.path.name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.unlink(missing_ok=True)
    lock.mkdir()


def network(world: World) -> Page:
    net = Network(lambda: world.settings.current.network, bus=world.bus)
    return NetworkPage(net, world.settings, world.relay, world.background)


def programs(world: World) -> Page:
    tokens, uses = ProgramTokens(world.paths), ProgramLog(world.paths, world.bus)
    return ProgramsPage(tokens, uses, world.settings, world.relay, world.background)


def workers(world: World) -> Page:
    setup, history = WorkerSetup(world.paths), History(world.paths)
    return WorkersPage(lambda: setup, history, world.settings, world.relay, world.background)


def permissions(world: World) -> Page:
    return PermissionsPage(world.grants, world.settings, world.relay, world.background)


@pytest.mark.parametrize("make", [network, programs, workers, permissions])
def test_a_switch_that_cannot_be_saved_shows_what_holds(world: World, make: Callable[[World], Page]) -> None:
    """Not for a moment what was wished, and a card says why."""
    page = make(world)
    world.show(page)
    box = page.findChildren(SettingSwitch)[0].control
    take_nothing(world)
    before = box.isChecked()
    box.click()
    assert box.isChecked() is before
    world.until(lambda: page.findChild(ErrorCard) is not None)
    assert box.isChecked() is before
    card = page.findChild(ErrorCard)
    assert card is not None
    assert card.error.code == "settings-not-saved"


def test_rules_that_cannot_be_withdrawn_stay_marked(world: World) -> None:
    """An empty box beside rules that are still honoured would be a promise that nobody keeps."""
    rules = RuleFile("claude-code", Path("/x/settings.json"), (AgentRule.of("Bash(make)", "make"),))
    consents = AgentConsents(world.database)
    consents.agree(rules)
    shown = AgentRuleList(lambda: [rules], consents, world.background)
    refused: list[Exception] = []
    shown.failed.connect(refused.append)
    world.show(shown)
    shown.refresh()
    world.until(shown.isVisible)

    world.until(lambda: bool(shown.list.rows))
    # How long is waited is the database's own matter, and fifteen seconds.
    world.database.write(lambda connection: connection.execute("PRAGMA busy_timeout = 300").fetchone())
    box = shown.findChild(CheckBox, "honour_claude-code")
    assert box is not None
    assert box.isChecked()
    with closing(sqlite3.connect(world.paths.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # a program that holds the database for longer than is waited
        box.click()
        world.until(lambda: bool(refused))
    assert isinstance(refused[0], UserFacing)
    assert consents.of(rules) is Consent.GIVEN
    assert box.isChecked()


def test_asking_again_that_cannot_be_saved_is_told(world: World, tmp_path: Path) -> None:
    """The red line stays, and over the page stands why."""
    world.settings.change("permissions", "dangerously_skip_permissions", True)
    entries = [PageEntry("Permissions", "shield", lambda: permissions(world))]
    window = PagesWindow(world.settings, world.relay, world.background, tmp_path / "pages.json", entries)
    world.qtbot.addWidget(window)
    window.show_page()
    world.until(window.banner.isVisible)
    take_nothing(world)
    window.banner.button.click()
    assert window.page is not None
    world.until(window.page.toast.isVisible)
    assert window.banner.isVisible()


def test_what_is_told_above_a_long_list_comes_into_sight(world: World) -> None:
    """Whoever has scrolled down to the row of an action reads what became of it."""
    for number in range(60):
        ProgramTokens(world.paths).make(f"program{number}")
    page = programs(world)
    assert isinstance(page, ProgramsPage)
    world.show(page, height=400)
    world.until(lambda: len(page.found.list.rows) == 50)
    scroll = page.findChild(QScrollArea, "programs_scroll")
    assert scroll is not None
    bar = scroll.verticalScrollBar()
    world.until(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    page.outcome.refuse(failure("The disk is full.", "Nothing was lost.", "Make room."))
    card = page.findChild(ErrorCard)
    assert card is not None
    world.until(lambda: not card.visibleRegion().isEmpty())
