"""Pictures of the Memory page in every state and look, kept in test-artefacts/, and what holds in each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QPalette

from desktop.settings import Theme as Mode
from desktop.ui.memory.list import Tab
from desktop.ui.memory.page import MemoryPage
from desktop.ui.pages.window import PageEntry, PagesWindow
from desktop.ui.theme import Theme
from tests.ui.memory.conftest import Desk, fill
from tests.ui.pages.test_page_screens import unnamed
from tests.ui.test_screens import ARTEFACTS, clipped

pytestmark = pytest.mark.pictures

TABS = [tab.value for tab in Tab]
LOOKS = ("light", "dark", "zoom-200", "narrow", "mirrored", "high-contrast")
STATES = (
    "pinned",
    "notes",
    "suggestions",
    "episodes",
    "learned",
    "empty",
    "search",
    "editing",
    "promote",
    "delete",
    "paused",
)


def window_of(desk: Desk) -> tuple[PagesWindow, MemoryPage]:
    world, page = desk.world, desk.page()
    window = PagesWindow(
        world.settings,
        world.relay,
        world.background,
        world.paths.config / "pages.json",
        [PageEntry("Memory", "memory", lambda: page)],
    )
    world.qtbot.addWidget(window)
    return window, page


def dress(desk: Desk, window: PagesWindow, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theme = desk.world.theme
    if look == "dark":
        theme.set_mode(Mode.DARK)
    elif look == "zoom-200":
        theme.set_zoom(200)
    elif look == "mirrored":
        window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    elif look == "high-contrast":
        palette = QPalette(QColor("#000000"))
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(role, QColor("#ffff00"))
        palette.setColor(QPalette.ColorRole.Base, QColor("#000000"))
        palette.setColor(QPalette.ColorRole.Highlight, QColor("#00ff00"))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor("#000000"))
        theme._system_palette = palette
        monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
        theme.apply()


def choose(page: MemoryPage, row: int) -> None:
    page.list.setCurrentIndex(page.model.index(row, 0))


def act(desk: Desk, page: MemoryPage, state: str) -> None:
    """Bring the page into a state."""
    until = desk.world.until
    tabs = {"empty": Tab.NOTES, "search": Tab.NOTES, "editing": Tab.NOTES, "promote": Tab.NOTES}
    page.show_tab(tabs.get(state) or (Tab(state) if state in TABS else Tab.NOTES))
    if state == "empty":
        until(lambda: bool(page.empty.text()))
    elif state == "learned":
        until(lambda: len(page.learned.rows.list.rows) == 2)
    else:
        until(lambda: page.model.rowCount() > 0)
        choose(page, 0)
    if state == "search":
        page.search.setText("when does the shop open")
        until(lambda: bool(page.model.rows and page.model.rows[0].why))
        choose(page, 0)
    elif state == "editing":
        page.details.edit()
    elif state == "promote":
        choose(page, next(n for n, row in enumerate(page.model.rows) if "Mill Lane" in row.item.text))
        page.details.promote.click()
        until(page.confirm.isVisible)
    elif state == "delete":
        page.delete.click()
        until(page.confirm.isVisible)
    elif state == "paused":
        page.pause.click()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("state", STATES)
def test_the_memory_page(desk: Desk, state: str, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut off, everything that the keyboard reaches has a name."""
    if state != "empty":
        fill(desk.memory)
    window, page = window_of(desk)
    dress(desk, window, look, monkeypatch)
    window.resize(*{"zoom-200": (1180, 900), "narrow": (420, 640)}.get(look, (900, 700)))
    window.show_page("Memory")
    desk.world.qtbot.waitExposed(window)
    act(desk, page, state)
    QCoreApplication.processEvents()
    desk.world.qtbot.wait(50)
    ARTEFACTS.mkdir(exist_ok=True)
    assert window.grab().save(str(ARTEFACTS / f"memory-{state}-{look}.png"))
    assert clipped(window) == []
    assert unnamed(window) == []
