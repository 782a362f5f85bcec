"""The window of pages: lazy, keyboard, place and page remembered, the red line wherever it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QPushButton

from desktop.ui.pages.page import Page
from desktop.ui.pages.window import GAP, PageEntry, PagesWindow
from tests.ui.pages.conftest import World


class Sample(Page):
    """A page with one button that counts how often it came into sight."""

    def __init__(self, world: World, title: str) -> None:
        self.title = title
        super().__init__("One sentence.")
        self.times = 0
        self.button = QPushButton("Press")
        self.column.addWidget(self.button)

    def shown(self) -> None:
        self.times += 1


@pytest.fixture
def made() -> list[str]:
    """The titles of the pages that exist."""
    return []


@pytest.fixture
def window(world: World, made: list[str], tmp_path: Path) -> PagesWindow:
    return build(world, made, tmp_path)


GROUPED = (("Memory", "Personal"), ("Projects", "Personal"), ("Activity", "Oversight"), ("Log", "Oversight"))


@pytest.fixture
def grouped(world: World, made: list[str], tmp_path: Path) -> PagesWindow:
    """One with headings, opened on its last page."""
    entries = [PageEntry(title, "log", _maker(world, made, title), group) for title, group in GROUPED]
    window = PagesWindow(world.settings, world.relay, world.background, tmp_path / "pages.json", entries)
    world.qtbot.addWidget(window)
    show(world, window, "Log")
    return window


def _maker(world: World, made: list[str], title: str) -> Callable[[], Page]:
    def make() -> Page:
        made.append(title)
        return Sample(world, title)

    return make


def build(world: World, made: list[str], folder: Path) -> PagesWindow:
    def entry(title: str, icon: str) -> PageEntry:
        return PageEntry(title, icon, _maker(world, made, title))

    entries = [entry("Activity", "terminal"), entry("Permissions", "shield"), entry("Log", "log")]
    window = PagesWindow(world.settings, world.relay, world.background, folder / "pages.json", entries)
    world.qtbot.addWidget(window)
    return window


def show(world: World, window: PagesWindow, title: str = "") -> None:
    window.show_page(title)
    world.qtbot.waitExposed(window)
    world.until(window.isActiveWindow)


def page(window: PagesWindow) -> Sample:
    shown = window.page
    assert isinstance(shown, Sample)
    return shown


def test_a_page_is_made_when_it_is_first_opened(world: World, window: PagesWindow, made: list[str]) -> None:
    """Only what was asked for exists; coming back makes nothing anew but tells the page."""
    show(world, window, "Permissions")
    assert made == ["Permissions"]
    assert window.windowTitle() == "Permissions – Steward"
    first = page(window)
    window.show_page("Log")
    window.show_page("Permissions")
    assert made == ["Permissions", "Log"]
    assert page(window) is first
    assert first.times == 2


def test_the_keyboard_reaches_list_and_page(world: World, window: PagesWindow) -> None:
    """One tab stop, arrows choose, Enter and F6 go into the page, Esc closes."""
    show(world, window, "Activity")
    assert window.list.hasFocus()
    world.qtbot.keyClick(window.list, Qt.Key.Key_Down)
    assert page(window).title == "Permissions"
    world.qtbot.keyClick(window.list, Qt.Key.Key_Return)
    assert page(window).button.hasFocus()
    world.qtbot.keyClick(window, Qt.Key.Key_F6)
    assert window.list.hasFocus()
    world.qtbot.keyClick(window.list, Qt.Key.Key_Tab)
    assert page(window).button.hasFocus()
    world.qtbot.keyClick(window, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert page(window).title == "Log"
    world.qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_place_and_page_are_remembered(
    world: World, window: PagesWindow, made: list[str], tmp_path: Path
) -> None:
    """The next window stands where this one was and opens on the same page."""
    show(world, window, "Log")
    window.setGeometry(40, 50, 700, 500)
    window.close()
    later = build(world, made, tmp_path)
    show(world, later)
    assert page(later).title == "Log"
    assert later.geometry() == QRect(40, 50, 700, 500)


def test_a_state_that_cannot_be_read_is_no_reason_to_fail(
    world: World, made: list[str], tmp_path: Path
) -> None:
    """A damaged file or the name of a page that is gone leads to the first page."""
    for text in ("{", '{"page": "Gone", "width": 700, "height": 500}', '{"page": 7}'):
        (tmp_path / "pages.json").write_text(text)
        window = build(world, made, tmp_path)
        show(world, window)
        assert page(window).title == "Activity"
        window.close()


def test_every_entry_has_a_name_also_where_only_icons_have_room(world: World, window: PagesWindow) -> None:
    """A narrow window shows icons; their words are spoken and in the tooltip."""
    show(world, window, "Log")
    window.resize(420, 500)
    names = ["Activity", "Permissions", "Log"]
    items = [window.list.item(number) for number in range(3)]
    assert [item.text() for item in items] == ["", "", ""]
    assert [item.data(Qt.ItemDataRole.AccessibleTextRole) for item in items] == names
    assert [item.toolTip() for item in items] == names
    window.resize(900, 500)
    assert [item.text() for item in items] == names


def test_headings_part_the_list_and_are_passed_over_by_keys_and_clicks(
    world: World, grouped: PagesWindow
) -> None:
    """Each group has one; the first and the last page are the ends for every key; a click opens nothing."""
    texts = [grouped.list.item(row).text() for row in range(grouped.list.count())]
    assert texts == ["Personal", "Memory", "Projects", "Oversight", "Activity", "Log"]
    key = Qt.Key
    for pressed, title in (
        (key.Key_Home, "Memory"),
        (key.Key_Up, "Memory"),
        (key.Key_Down, "Projects"),
        (key.Key_Down, "Activity"),
        (key.Key_Up, "Projects"),
        (key.Key_End, "Log"),
        (key.Key_PageUp, "Memory"),
        (key.Key_PageDown, "Log"),
    ):
        world.qtbot.keyClick(grouped.list, pressed)
        assert page(grouped).title == title, pressed
    for times, title in ((1, "Memory"), (2, "Projects"), (3, "Activity")):
        world.qtbot.keyClick(grouped, key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
        assert page(grouped).title == title, times
    heading = grouped.list.visualItemRect(grouped.list.item(0))
    world.qtbot.mouseClick(grouped.list.viewport(), Qt.MouseButton.LeftButton, pos=heading.center())
    assert page(grouped).title == "Activity"


def test_without_room_for_words_a_gap_stands_for_a_heading(world: World, grouped: PagesWindow) -> None:
    """It is still read by its name."""
    grouped.resize(420, 500)
    first, second = grouped.list.item(0), grouped.list.item(3)
    assert [first.text(), second.text()] == ["", ""]
    assert [grouped.list.visualItemRect(item).height() for item in (first, second)] == [0, GAP]
    assert second.data(Qt.ItemDataRole.AccessibleTextRole) == "Oversight"


def test_the_red_line_stands_on_every_page_while_nothing_is_asked(world: World, window: PagesWindow) -> None:
    """It comes and goes with the setting, and its button asks again."""
    show(world, window, "Log")
    assert not window.banner.isVisible()
    world.settings.change("permissions", "dangerously_skip_permissions", True)
    world.until(window.banner.isVisible)
    window.show_page("Activity")
    assert window.banner.isVisible()
    assert "Never ask is on" in window.banner.accessibleName()
    world.qtbot.mouseClick(window.banner.button, Qt.MouseButton.LeftButton)
    world.until(lambda: not window.banner.isVisible())
    assert not world.settings.current.permissions.dangerously_skip_permissions


def test_the_sentence_takes_no_more_lines_than_it_needs(world: World) -> None:
    """Also after the page was narrow, where it needed two."""
    page = Sample(world, "Activity")
    page.column.addStretch(1)
    page.says.setText("What may be done without a question, and what is asked about. " * 2)
    world.show(page, 1100)
    height = page.says.height()
    page.resize(420, 600)
    world.until(lambda: page.says.height() > height)
    page.resize(1100, 600)
    world.until(lambda: page.says.height() == height)
