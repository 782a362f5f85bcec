"""Every window for who has no mouse or no screen: names, roles, order, focus."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QRadioButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from desktop.paths import Paths
from desktop.ui.chat.message import MessageView
from tests.ui.every_window import ANSWERED, House, house

NO_ROLE = (QAccessible.Role.NoRole, QAccessible.Role.Client)
AROUND_PX = 8  # what a ring may take around its target
SAME_ROW_PX = 12


@pytest.fixture
def all_of_it(qapp: QApplication, qtbot: QtBot, paths: Paths) -> Iterator[House]:
    with house(paths, qapp, qtbot) as made:
        yield made


def stops(window: QWidget) -> list[QWidget]:
    """What the Tab key reaches, in its order, each once."""
    found: list[QWidget] = []
    widget: QWidget | None = window
    for _ in range(5_000):
        widget = widget.nextInFocusChain() if widget is not None else None
        if widget is None or widget is window or widget in found:
            break
        if is_stop(window, widget):
            found.append(widget)
    return found


def is_stop(window: QWidget, widget: QWidget) -> bool:
    takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
    if isinstance(widget, QRadioButton) and not widget.isChecked():
        return False  # the arrow keys go through a group, Tab to the one that is chosen
    return takes and widget.window() is window and widget.isVisibleTo(window) and widget.isEnabled()


def described(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName()}"


def spoken(widget: QWidget, what: QAccessible.Text = QAccessible.Text.Name) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(what) if interface is not None else ""


def test_everything_that_takes_the_keyboard_has_a_name_and_a_role(all_of_it: House) -> None:
    """A screen reader can say what it is and what it is for."""
    nameless = set()
    for name, window in all_of_it.windows():
        for widget in stops(window):
            interface = QAccessible.queryAccessibleInterface(widget)
            has_role = isinstance(widget, QScrollArea) or (interface and interface.role() not in NO_ROLE)
            if not spoken(widget).strip() or not has_role:
                nameless.add(f"{name}: {described(widget)}")
    assert not nameless, "\n".join(sorted(nameless))


def test_every_window_has_a_name(all_of_it: House) -> None:
    """What is said first when it comes."""
    for name, window in all_of_it.windows():
        if window.isWindow() and name not in ("tray menu", "error card"):
            assert spoken(window).strip(), name


def test_a_button_without_words_says_what_it_does(all_of_it: House) -> None:
    """For eyes by a tooltip, for a screen reader by its name."""
    silent = {
        f"{name}: {described(button)}"
        for name, window in all_of_it.windows()
        for button in window.findChildren(QAbstractButton)
        if button.isVisibleTo(window) and not button.text().strip() and is_stop(window, button)
        if not button.toolTip() and not isinstance(button, QRadioButton)  # whose words are labels inside
    }
    assert not silent, "\n".join(sorted(silent))


def test_tab_goes_everywhere_and_comes_back(all_of_it: House) -> None:
    """No window holds the keyboard in one place, and none leaves something out."""
    for name, window in all_of_it.windows():
        expected = {described(widget) for widget in stops(window)}
        if not expected:
            continue
        window.activateWindow()
        all_of_it.qtbot.waitUntil(window.isActiveWindow)
        stops(window)[0].setFocus(Qt.FocusReason.TabFocusReason)
        reached = set()
        for _ in range(3 * len(expected) + 3):
            focused = window.focusWidget()
            if focused is not None:
                assert not focused.visibleRegion().isEmpty(), f"{name}: {described(focused)} is out of sight"
                reached.add(described(focused))
                all_of_it.qtbot.keyClick(focused, Qt.Key.Key_Tab)  # type: ignore[no-untyped-call]
        assert expected <= reached, f"{name}: never reached {sorted(expected - reached)}"


def test_tab_goes_down_the_window(all_of_it: House) -> None:
    """From the top to the bottom, in a row from left to right; a column begins again at its top."""
    for name, window in all_of_it.windows():
        places = [
            (widget, QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())) for widget in stops(window)
        ]
        back = [
            f"{name}: {described(earlier)} before {described(later)}"
            for (earlier, first), (later, second) in pairwise(places)
            # What is scrolled away has no place above or below what is not.
            if goes_back(first, second) and is_in_sight(earlier) == is_in_sight(later)
        ]
        assert len(back) <= 1, "\n".join(back)


def is_in_sight(widget: QWidget) -> bool:
    return not widget.visibleRegion().isEmpty()


def place_of(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def goes_back(first: QRect, second: QRect) -> bool:
    """Up without going to another column, or to the left in the same row."""
    if second.top() > first.top() + SAME_ROW_PX:
        return False
    if abs(second.top() - first.top()) <= SAME_ROW_PX:
        return second.left() < first.left() - SAME_ROW_PX
    return second.left() < first.right()


def test_what_has_the_keyboard_is_seen_to_have_it(all_of_it: House) -> None:
    """Every stop looks different when it has the focus."""
    for name, window in all_of_it.windows():
        if name == "error card":
            continue  # the ring is that of the window that it lies in
        window.activateWindow()
        all_of_it.qtbot.waitUntil(window.isActiveWindow)
        unseen = [described(widget) for widget in stops(window)[:40] if not looks_focused(window, widget)]
        assert not unseen, f"{name}: {unseen}"


def looks_focused(window: QWidget, widget: QWidget) -> bool:
    """Compares the pixels of a widget and its surroundings with the focus and without."""
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    area = place_of(widget, window).adjusted(-AROUND_PX, -AROUND_PX, AROUND_PX, AROUND_PX) & window.rect()
    focused = picture(window, area)
    widget.clearFocus()
    QApplication.processEvents()
    return focused != picture(window, area)


def picture(window: QWidget, area: QRect) -> QImage:
    return window.grab(area).toImage()


def test_each_message_is_an_element_with_its_words(all_of_it: House) -> None:
    """Who said it and what, in one name."""
    for name, window in all_of_it.windows():
        if name != "chat, with answers":
            continue
        names = [spoken(view) for view in window.findChildren(MessageView) if view.isVisibleTo(window)]
        assert any(each.startswith("You") for each in names)
        assert any(each.startswith("Steward") and ANSWERED.split()[0] in each for each in names)
