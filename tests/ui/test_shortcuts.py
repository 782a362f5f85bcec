"""One table of keys: what the windows do, what tooltips say and what the sheet lists."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.ui.shortcuts import SHORTCUTS, ShortcutScope, ShortcutSheet, keys_of, with_keys
from tests.ui.chat.conftest import (  # noqa: F401 - fixtures
    Desk,
    acting,
    desk,
    show_active,
    store,
    theme,
)


def bound(window: QWidget) -> dict[str, QAction]:
    """The actions of a window that have keys, by their names in the table."""
    return {a.objectName().removeprefix("key_"): a for a in window.actions() if not a.shortcut().isEmpty()}


def test_every_key_is_a_key() -> None:
    """Qt understands each, and no two in one place are the same."""
    for shortcut in SHORTCUTS:
        assert all(not QKeySequence(keys).isEmpty() for keys in shortcut.keys), shortcut.name
        assert QKeySequence(shortcut.keys[0])[0].key() != Qt.Key.Key_unknown
    for first, second in combinations(SHORTCUTS, 2):
        if first.where == second.where:
            assert not set(first.keys) & set(second.keys), (first.name, second.name)
    assert len({shortcut.name for shortcut in SHORTCUTS}) == len(SHORTCUTS)


def test_the_chat_window_has_every_key_of_the_table_and_no_other(desk: Desk) -> None:  # noqa: F811
    """What the sheet says is what the window does."""
    wanted = {
        s.name for s in SHORTCUTS if s.where in (ShortcutScope.CHAT, ShortcutScope.EVERYWHERE) and not s.own
    }
    assert set(bound(desk.window)) == wanted


def test_f1_shows_the_sheet_with_every_key(desk: Desk) -> None:  # noqa: F811
    """Each row of the table is in it once; a word leaves the rows that have it; Esc closes it."""
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_F1)
    sheet = desk.window.findChild(ShortcutSheet)
    assert sheet is not None
    desk.qtbot.waitExposed(sheet)
    words = [label.text() for label in sheet.findChildren(QWidget, "shortcut_words")]  # type: ignore[attr-defined]
    assert words == [shortcut.words for shortcut in SHORTCUTS]
    sheet.search.setText("larger")
    shown = [w.text() for w in sheet.findChildren(QWidget, "shortcut_words") if w.isVisible()]  # type: ignore[attr-defined]
    assert shown == ["Larger text"]
    keys = [label.text() for label in sheet.findChildren(QWidget, "shortcut_keys")]  # type: ignore[attr-defined]
    assert "Shift+Enter" in keys
    assert not [each for each in keys if "Return" in each]  # no keyboard has a key that is called so
    sheet.search.setText("xqz")
    assert sheet.empty.isVisible()
    sheet.search.setText("ctrl+b")
    assert not sheet.empty.isVisible()
    show_active(sheet, desk.qtbot)
    with desk.qtbot.waitSignal(sheet.finished):
        desk.qtbot.keyClick(sheet.search, Qt.Key.Key_Escape)


def test_tooltips_name_the_keys(desk: Desk) -> None:  # noqa: F811
    """From the table, not from a second list."""
    assert desk.window.sidebar.new_button.toolTip() == with_keys("New chat", "new_chat")
    assert keys_of("search") in desk.window.sidebar.search.placeholderText()
    assert keys_of("sidebar") in desk.window.pane.sidebar_button.toolTip()


@pytest.mark.parametrize("name", ["search", "sidebar", "zoom_in", "zoom_out"])
def test_keys_do_what_the_table_says(desk: Desk, name: str) -> None:  # noqa: F811
    """Pressed on the keyboard, in the window."""
    before = (desk.theme.zoom_percent, desk.window.sidebar.isHidden())
    bound(desk.window)[name].trigger()
    after = (desk.theme.zoom_percent, desk.window.sidebar.isHidden())
    expected = {
        "search": before,
        "sidebar": (before[0], not before[1]),
        "zoom_in": (110, before[1]),
        "zoom_out": (90, before[1]),
    }
    assert after == expected[name]
    assert name != "search" or desk.window.sidebar.search.hasFocus()
