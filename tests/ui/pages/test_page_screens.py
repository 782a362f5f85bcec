"""Pictures of every page in every look, kept in test-artefacts/, and what must be true of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QWidget

from desktop.gate.grants import Covers, GrantKind, Grants, GrantScope
from desktop.settings import Theme as Mode
from desktop.ui.pages.changes import ChangesPage
from desktop.ui.pages.log import LogPage
from desktop.ui.pages.permissions import ChatPermissions, PermissionsPage
from desktop.ui.pages.window import PageEntry, PagesWindow
from desktop.ui.theme import Theme
from desktop.ui.undo import UndoController
from desktop.ui.widgets.error_card import ErrorCard
from tests.ui.pages.conftest import World
from tests.ui.test_screens import ARTEFACTS, clipped

pytestmark = pytest.mark.pictures

LOOKS = ("light", "dark", "zoom-200", "narrow", "mirrored", "high-contrast")
PAGES = ("Permissions", "Changes", "Log")


@pytest.fixture
def filled(world: World) -> World:
    """Grants, changes and records, one change with its question."""
    old = Grants(world.database, now=lambda: time.time() - 20 * 24 * 3600)
    project = Path("/home/me/project")
    old.add(
        GrantScope.ALWAYS,
        Covers("run_command", GrantKind.EXACT, "make docs && python3 -m http.server 8000", project),
    )
    path = "/home/me/Steward/holiday/packing list.txt"
    chat = world.grants.add(
        GrantScope.CHAT, Covers("write_file", GrantKind.EXACT, path, Path("/home/me/Steward")), "3"
    )
    world.grants.use([chat])
    for text in ("milk", "milk\nbread\n" * 900):
        world.files.write_file("shopping.txt", text, call=text[:4])
    world.files.move_file("shopping.txt", "lists/shopping.txt", call="m")
    world.files.write_file("notes.txt", "old", call="n1")
    world.files.write_file("notes.txt", "new", call="n2")
    (world.workspace.root / "notes.txt").write_text("mine")
    for number in range(30):
        record = {"tool": "run_command", "parts": [f"ls -la folder{number}"], "gate": "allow"}
        world.audit.append(
            "decision", {**record, "ground": "reading", "reason": "it only reads", "class": "READ"}
        )
    return world


def build(world: World, undo_controller: UndoController) -> PagesWindow:
    makers = (
        lambda: PermissionsPage(
            world.grants,
            world.settings,
            world.relay,
            world.background,
            ChatPermissions(lambda _id: "Holiday plans"),
        ),
        lambda: ChangesPage(world.journal, undo_controller, world.relay, world.background),
        lambda: LogPage(world.audit, world.relay, world.background),
    )
    entries = [
        PageEntry(title, icon, make)
        for title, icon, make in zip(PAGES, ("shield", "undo", "log"), makers, strict=True)
    ]
    window = PagesWindow(
        world.settings, world.relay, world.background, world.paths.config / "pages.json", entries
    )
    world.qtbot.addWidget(window)
    return window


def dress(world: World, window: PagesWindow, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if look == "dark":
        world.theme.set_mode(Mode.DARK)
    elif look == "zoom-200":
        world.theme.set_zoom(200)
    elif look == "mirrored":
        window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    elif look == "high-contrast":
        palette = QPalette(QColor("#000000"))
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(role, QColor("#ffff00"))
        palette.setColor(QPalette.ColorRole.Base, QColor("#000000"))
        palette.setColor(QPalette.ColorRole.Highlight, QColor("#00ff00"))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor("#000000"))
        world.theme._system_palette = palette
        monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
        world.theme.apply()


def ready(window: PagesWindow) -> Callable[[], bool]:
    page = window.page
    if isinstance(page, LogPage):
        return lambda: page.model.rowCount() > 0
    assert isinstance(page, (PermissionsPage, ChangesPage))
    return lambda: bool(page.rows.list.rows) and page.rows.list.rows[-1].isVisible()


def unnamed(window: QWidget) -> list[str]:
    """What the keyboard reaches and a screen reader could not name."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            continue
        if isinstance(widget, QAbstractButton) and widget.text():
            continue
        if widget.objectName().startswith("qt_") or isinstance(widget.parent(), (QComboBox, QLineEdit)):
            continue
        if not widget.accessibleName():
            found.append(f"{type(widget).__name__} {widget.objectName()}")
    return found


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("title", PAGES)
def test_a_page(filled: World, title: str, look: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut off, everything that the keyboard reaches has a name."""
    undo_controller = UndoController(lambda: filled.journal, filled.relay, filled.background)
    window = build(filled, undo_controller)
    dress(filled, window, look, monkeypatch)
    # Zoom is tried in the window that a screen of 1280 px has room for, the narrow one in that of a phone.
    window.resize(*{"zoom-200": (1180, 900), "narrow": (420, 640)}.get(look, (900, 700)))
    window.show_page(title)
    filled.qtbot.waitExposed(window)
    filled.until(ready(window))
    page = window.page
    if isinstance(page, ChangesPage):
        undo_controller.undo((filled.journal.entries()[0].id,))
        filled.until(lambda: page.findChild(ErrorCard) is not None)
    if isinstance(page, LogPage):
        page.table.setCurrentIndex(page.model.index(1, 0))
    if look == "dark":
        filled.settings.change("permissions", "dangerously_skip_permissions", True)
        filled.until(window.banner.isVisible)
    QCoreApplication.processEvents()
    filled.qtbot.wait(30)
    ARTEFACTS.mkdir(exist_ok=True)
    assert window.grab().save(str(ARTEFACTS / f"pages-{title.lower()}-{look}.png"))
    assert clipped(window) == []
    assert unnamed(window) == []
    if look == "mirrored":
        assert window.list.mapTo(window, window.list.rect().topLeft()).x() > window.width() // 2


@pytest.mark.parametrize("title", PAGES)
def test_tab_passes_everything_once(filled: World, title: str) -> None:
    """From the list through the page and back, in the order in which it is read."""
    undo_controller = UndoController(lambda: filled.journal, filled.relay, filled.background)
    window = build(filled, undo_controller)
    window.resize(900, 700)
    window.show_page(title)
    filled.qtbot.waitExposed(window)
    filled.until(window.isActiveWindow)
    filled.until(ready(window))
    seen: list[QWidget] = []
    for _ in range(80):
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused in seen:
            break
        seen.append(focused)
        filled.qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert focused is window.list
    assert len(seen) > 3
    tops = [widget.mapTo(window, widget.rect().center()).y() for widget in seen[1:]]
    backwards = [f"{seen[n + 2].objectName()}" for n in range(len(tops) - 1) if tops[n + 1] < tops[n] - 24]
    assert backwards == []
