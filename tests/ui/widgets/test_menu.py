"""The menus of the windows: round at the corners, with an icon or a tick before an entry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme
from desktop.ui.widgets.menu import Menu, TrayMenu, close_up
from tests.ui.chat.conftest import theme as theme_fixture

theme = theme_fixture


@pytest.fixture
def menu(theme: Theme, qtbot: QtBot) -> Iterator[Menu]:
    window = QWidget()
    qtbot.addWidget(window)
    made = Menu(window, "some_menu")
    made.offer("Open", "open", lambda: None)
    yield made
    made.hide()


@pytest.mark.parametrize("zoom", [100, 200])
@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK])
def test_its_corners_are_cut_off(menu: Menu, theme: Theme, mode: Mode, zoom: int) -> None:
    """Where no compositor makes them transparent, too; the middles of the sides stay."""
    theme.set_mode(mode)
    theme.set_zoom(zoom)
    menu.popup(QPoint(0, 0))
    right, bottom = menu.width() - 1, menu.height() - 1
    corners = [QPoint(x, y) for x in (0, right) for y in (0, bottom)]
    sides = [QPoint(right // 2, 0), QPoint(right // 2, bottom), QPoint(0, bottom // 2)]
    assert [menu.mask().contains(each) for each in (*corners, *sides)] == [False] * 4 + [True] * 3
    theme.set_zoom(100)


def test_it_is_as_round_after_it_grew(menu: Menu) -> None:
    """Entries come and go: the shape is that of the size it has now."""
    menu.popup(QPoint(0, 0))
    menu.hide()
    menu.offer("A much longer entry than the first", "edit", lambda: None)
    menu.popup(QPoint(0, 0))
    assert menu.mask().boundingRect() == menu.rect()


def test_an_entry_does_what_it_says_once(menu: Menu) -> None:
    """An offer calls its act; a choice carries the tick, and anybody's words are no keys."""
    done: list[str] = []
    menu.offer("Rename", "edit", lambda: done.append("renamed"), "rename").trigger()
    choice = menu.choice("Salt & pepper", True, lambda: done.append("chosen"), "choice")
    choice.trigger()
    assert done == ["renamed", "chosen"]
    assert (choice.text(), choice.icon().isNull(), choice.isCheckable()) == ("Salt && pepper", True, True)


def test_a_menu_higher_than_its_screen_stands_closer(menu: Menu, theme: Theme) -> None:
    """At 200 % the last entry of a long menu is in sight all the same; a short one is as it was."""
    theme.set_zoom(200)
    before, each = menu.sizeHint(), menu.actionGeometry(menu.actions()[0]).height()
    close_up(menu)
    assert menu.sizeHint() == before
    most = menu.screen().availableGeometry().height()
    for number in range(most // each + 1):
        menu.offer(f"Open {number}", "open", lambda: None)
    close_up(menu)
    menu.popup(QPoint(0, 0))
    first, last = (menu.actionGeometry(menu.actions()[place]) for place in (0, -1))
    assert menu.rect().contains(last)
    assert first.left() == last.left()  # and no second column was made
    assert menu.height() <= most


@pytest.mark.parametrize("corner", ["topLeft", "topRight", "bottomLeft", "bottomRight"])
@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_the_trays_menu_stays_on_the_screen_while_it_grows(
    theme: Theme, qtbot: QtBot, direction: Qt.LayoutDirection, corner: str
) -> None:
    """In every corner: what can be undone is read only when it is open."""
    menu = TrayMenu()
    qtbot.addWidget(menu)
    menu.setLayoutDirection(direction)
    undo = menu.addAction("Undo")
    room = menu.screen().geometry()
    menu.popup(getattr(room, corner)())
    undo.setText("Undo: write a file with a rather long name.md")
    menu.addAction("Quit")
    qtbot.waitUntil(lambda: menu.width() >= menu.sizeHint().width())
    assert room.contains(menu.geometry())
    menu.close()


def test_a_heading_can_be_read(menu: Menu) -> None:
    """Its words have a line of their own, and are nothing to choose: the style sheet of the windows makes a
    hairline of Qt's own headings."""
    made = menu.heading("Who answers this chat")
    menu.offer("Close", "close", lambda: None)
    menu.popup(QPoint(0, 0))
    assert menu.actionGeometry(made).height() >= menu.fontMetrics().height()
    assert not made.isEnabled()
