"""Every window for who has no mouse or no screen: names, roles, order, focus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLabel,
    QRadioButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.paths import Paths
from desktop.ui.chat.message import MessageView
from desktop.ui.widgets.buttons import Switch
from tests.ui.every_window import ANSWERED, House, house
from tests.ui.window_states import states

NO_ROLE = (QAccessible.Role.NoRole, QAccessible.Role.Client)
# The keyboard is in one place there and nowhere else, or on the row that is marked.
ONE_STOP = ("no_start", "the_palette", "a_part_of_the_screen", "a_menu", "a_full_menu")
CARDS = ("error card", "offer of a better model")  # always inside a window, whose name and ring they have
# Chosen before a button is pressed, in a question or a form; whatever is so at once has a switch.
TICKED = {"send_history", "send_tools", "send_memory", "permission_snapshot", "model_server_tools"}
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


@dataclass
class Walk:
    """What one walk through all windows finds that is against a rule, and who spoke in the chat."""

    walked: list[str] = field(default_factory=list)
    nameless_stops: set[str] = field(default_factory=set)
    nameless_windows: set[str] = field(default_factory=set)
    silent_buttons: set[str] = field(default_factory=set)
    boxes: set[str] = field(default_factory=set)  # to be ticked
    back: dict[str, list[str]] = field(default_factory=dict)  # steps of Tab that go up or to the left
    messages: list[str] = field(default_factory=list)

    def look_at(self, name: str, window: QWidget) -> None:
        self.walked.append(name)
        reached = stops(window)
        self.nameless_stops |= {f"{name}: {described(each)}" for each in reached if is_nameless(each)}
        if window.isWindow() and name not in ("tray menu", *CARDS) and not spoken(window).strip():
            self.nameless_windows.add(name)
        self.silent_buttons |= {
            f"{name}: {described(button)}"
            for button in window.findChildren(QAbstractButton)
            if button.isVisibleTo(window) and not button.text().strip() and is_stop(window, button)
            if not button.toolTip() and not any(label.text() for label in button.findChildren(QLabel))
        }
        self.boxes |= {
            each.objectName()
            for each in window.findChildren(QCheckBox)
            if each.isVisibleTo(window) and not isinstance(each, Switch)
        }
        self.back[name] = steps_back(window, reached)
        if name == "chat, with answers":
            views = window.findChildren(MessageView)
            self.messages = [spoken(view) for view in views if view.isVisibleTo(window)]


@pytest.fixture(scope="module")
def walk(
    request: pytest.FixtureRequest, qapp: QApplication, tmp_path_factory: pytest.TempPathFactory
) -> Walk:
    """One for all tests that only look: it takes seconds."""
    found = Walk()
    with house(Paths.under(tmp_path_factory.mktemp("walk")), qapp, QtBot(request)) as made:
        for name, window in made.windows():
            found.look_at(name, window)
    assert len(found.walked) > 20
    return found


def is_nameless(widget: QWidget) -> bool:
    interface = QAccessible.queryAccessibleInterface(widget)
    has_role = isinstance(widget, QScrollArea) or (interface and interface.role() not in NO_ROLE)
    return not spoken(widget).strip() or not has_role


def test_everything_that_takes_the_keyboard_has_a_name_and_a_role(walk: Walk) -> None:
    """A screen reader can say what it is and what it is for."""
    assert not walk.nameless_stops, "\n".join(sorted(walk.nameless_stops))


def test_every_window_has_a_name(walk: Walk) -> None:
    """What is said first when it comes."""
    assert not walk.nameless_windows


def test_a_button_without_words_says_what_it_does(walk: Walk) -> None:
    """For eyes by a tooltip, for a screen reader by its name."""
    assert not walk.silent_buttons, "\n".join(sorted(walk.silent_buttons))


def test_what_is_so_at_once_has_a_switch(walk: Walk) -> None:
    """On every page as in the settings; a box is ticked only before a button is pressed."""
    assert walk.boxes
    assert walk.boxes <= TICKED


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


def test_tab_goes_down_the_window(walk: Walk) -> None:
    """From the top to the bottom, in a row from left to right; a column begins again at its top."""
    for name, back in walk.back.items():
        assert len(back) <= 1, f"{name}: " + "\n".join(back)


def steps_back(window: QWidget, reached: Sequence[QWidget]) -> list[str]:
    places = [(widget, place_of(widget, window)) for widget in reached]
    return [
        f"{described(earlier)} before {described(later)}"
        for (earlier, first), (later, second) in pairwise(places)
        # What is scrolled away has no place above or below what is not.
        if goes_back(first, second) and is_in_sight(earlier) == is_in_sight(later)
    ]


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
        if name in CARDS:
            continue  # the ring is that of the window that it lies in
        window.activateWindow()
        all_of_it.qtbot.waitUntil(window.isActiveWindow)
        unseen = [described(widget) for widget in stops(window)[:40] if not looks_focused(window, widget)]
        assert not unseen, f"{name}: {unseen}"


def test_states_are_named_and_show_where_the_keyboard_is(all_of_it: House) -> None:
    """As windows are by themselves: dialogs, sections, tabs and questions that something brings about."""
    found = Walk()
    for name, window in states(all_of_it):
        found.look_at(name, window)
        if name.startswith(ONE_STOP):
            continue
        window.activateWindow()
        all_of_it.qtbot.waitUntil(window.isActiveWindow)
        unseen = [described(widget) for widget in stops(window)[:40] if not looks_focused(window, widget)]
        assert not unseen, f"{name}: {unseen}"
    assert not found.nameless_stops, "\n".join(sorted(found.nameless_stops))
    assert not found.silent_buttons, "\n".join(sorted(found.silent_buttons))


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


def test_each_message_is_an_element_with_its_words(walk: Walk) -> None:
    """Who said it and what, in one name."""
    assert any(each.startswith("You") for each in walk.messages)
    assert any(each.startswith("Steward") and ANSWERED.split()[0] in each for each in walk.messages)
