"""Windows stay on the screen, whatever its size and scale, and whatever was kept from another one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QMargins, QPoint, QRect, QSize
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.asking import Question
from desktop.ui.permission.dialog import PermissionDialog
from desktop.ui.placement import FRAME_MS, Placement, WindowState, first_size, fitted
from desktop.ui.theme import Theme, current
from tests.ui.chat.conftest import Desk, acting, desk, store, theme  # noqa: F401 - fixtures of the chat window
from tests.ui.permission.conftest import COMMAND, WRITE

SCREENS = [(1024, 600), (1280, 720), (1366, 768), (1920, 1080), (2560, 1440), (3840, 2160)]
SCALES = [100, 125, 150, 175, 200]
ROOM = st.builds(
    QRect, st.integers(-4000, 4000), st.integers(-4000, 4000), st.integers(300, 4000), st.integers(300, 3000)
)


@given(ROOM, st.lists(ROOM, min_size=1, max_size=3), st.integers(0, 60))
def test_what_was_kept_lies_wholly_on_one_screen(wanted: QRect, rooms: list[QRect], title_px: int) -> None:
    """Below its title bar; what lay there already stays where it was."""
    frame = QMargins(2, title_px, 2, 2)
    found = fitted(wanted, rooms, frame)
    assert any(room.contains(found.marginsAdded(frame)) for room in rooms)
    if len(rooms) == 1 and rooms[0].contains(wanted.marginsAdded(frame)):
        assert found == wanted


@pytest.mark.parametrize(
    ("room", "size"),
    [
        ((3840, 2160), (1080, 760)),
        ((1920, 1080), (1080, 760)),
        ((1024, 600), (922, 540)),
        ((512, 300), (461, 270)),
    ],
)
def test_a_fresh_window_is_as_wanted_or_nine_tenths(room: tuple[int, int], size: tuple[int, int]) -> None:
    """Width and height each for itself."""
    assert first_size(QSize(1080, 760), QSize(*room)) == QSize(*size)


def test_a_window_follows_when_the_room_shrinks(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """A taller panel, a larger scale, a screen that was taken away: at the next turn of the loop."""
    window = QWidget()
    placement = Placement(window)
    placement.restore(WindowState(900, 500, 700, 500), QSize(1080, 760))
    window.show()
    small = QRect(0, 30, 500, 400)
    monkeypatch.setattr(placement, "rooms", lambda: [small])
    window.screen().availableGeometryChanged.emit(small)
    qapp.processEvents()
    assert small.contains(window.geometry())
    window.close()


@dataclass(frozen=True)
class Screen:
    """What of a screen is left for windows, and Steward's own zoom on it."""

    room: QRect
    zoom: int


def screens() -> Iterator[Screen]:
    """Six sizes at five scales, by the system's scale and by ours.

    Ours changes as seldom as it can: each change dresses all that is open anew.
    """
    for (width, height), scale in itertools.product(SCREENS, SCALES):
        yield Screen(QRect(0, 0, width * 100 // scale, height * 100 // scale), 100)
    for scale, (width, height) in itertools.product(SCALES, SCREENS):
        if scale != 100:
            yield Screen(QRect(0, 0, width, height), scale)


def move_to(screen: Screen, window: QWidget, placement: Placement, monkeypatch: pytest.MonkeyPatch) -> None:
    """The room of `window` becomes another, which its screen says, and the zoom where it is another."""
    monkeypatch.setattr(placement, "rooms", lambda: [screen.room])
    window.screen().availableGeometryChanged.emit(screen.room)
    if current().zoom_percent != screen.zoom:
        current().set_zoom(screen.zoom)
    QApplication.processEvents()


def hold(window: QWidget, parts: Sequence[QWidget], screen: Screen) -> None:
    """The window lies in the room, and each of these parts in the window."""
    QApplication.processEvents()
    assert screen.room.contains(window.geometry()), screen
    for part in parts:
        place = QRect(part.mapTo(window, QPoint(0, 0)), part.size())
        assert window.rect().contains(place), (screen, part.objectName())


def test_the_composer_is_on_the_screen(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """From 1024×600 to 4K at 100 to 200 %, with a place kept elsewhere and without."""
    window = desk.window
    parts = (window.pane.composer, window.pane.composer.send_button, window.pane.status)
    for screen in screens():
        move_to(screen, window, window.placement, monkeypatch)
        for state in (WindowState(), WindowState(5000, 4000, 3000, 2500)):
            window.placement.restore(state, QSize(1080, 760))
            hold(window, parts, screen)


@pytest.mark.parametrize("question", [COMMAND, WRITE])
def test_an_open_question_follows_its_screen(
    theme: Theme,  # noqa: F811
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    question: Question,
) -> None:
    """It was moved out of sight, and the room or the zoom changes while it is open."""
    dialog = PermissionDialog(question)
    qtbot.addWidget(dialog)
    dialog.ask()
    for screen in screens():
        move_to(screen, dialog, dialog.placement, monkeypatch)
        dialog.move(5000, 4000)
        dialog.placement.keep()
        hold(dialog, (dialog.footer.deny, dialog.footer.allow), screen)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("question", [COMMAND, WRITE])
def test_a_new_question_is_on_the_smallest_and_the_largest_screen(
    theme: Theme,  # noqa: F811
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    question: Question,
    scale: int,
) -> None:
    """The dialog as it opens, and both of its answers in it."""
    for width, height in (SCREENS[0], SCREENS[-1]):
        screen = Screen(QRect(0, 0, width * 100 // scale, height * 100 // scale), 100)
        dialog = PermissionDialog(question)
        qtbot.addWidget(dialog)
        monkeypatch.setattr(dialog.placement, "rooms", lambda screen=screen: [screen.room])
        dialog.move(5000, 4000)
        dialog.ask()
        dialog.placement.keep()
        hold(dialog, (dialog.footer.deny, dialog.footer.allow), screen)


class LateFrame(QWidget):
    """Its frame is drawn only some time after it was shown, as by a window manager under load."""

    frame = QMargins()

    def frameGeometry(self) -> QRect:  # noqa: N802 - the name is Qt's
        return self.geometry().marginsAdded(self.frame)


def test_a_frame_that_comes_late_is_on_the_screen_too(qapp: QApplication) -> None:
    """Its title bar may be higher than was guessed, and moves the window down."""
    window = LateFrame()
    placement = Placement(window)
    room = placement.rooms()[0]
    placement.limit_minimum(QSize(400, 4000))  # of a large text size
    placement.restore(WindowState(0, 0, 600, 4000), QSize(1080, 760))
    window.show()
    qapp.processEvents()
    window.frame = QMargins(5, 60, 5, 5)
    window.move(5, 60)  # the frame's corner stays where it was
    qapp.processEvents()
    assert room.contains(window.frameGeometry())
    window.move(-100, 60)  # by its user, who may
    QTest.qWait(2 * FRAME_MS)
    assert window.x() < 0


def test_a_fresh_window_stays_where_the_system_places_it(qapp: QApplication, qtbot: QtBot) -> None:
    """The window manager is late: the window seems to stand below the panel, in the corner."""
    window = LateFrame()
    placement = Placement(window)
    placement.restore(WindowState(), QSize(400, 300))
    window.move(0, -40)
    window.show()
    QTest.qWait(2 * FRAME_MS)
    assert window.pos() == QPoint(0, -40)
    window.frame = QMargins(5, 60, 5, 5)
    window.move(120, 90)
    QTest.qWait(2 * FRAME_MS)
    assert window.pos() == QPoint(120, 90)


@pytest.mark.parametrize("state", [WindowState(), WindowState(0, 60, 400, 300)], ids=["fresh", "kept"])
def test_a_frame_that_moves_nothing_is_kept_in_sight(
    qapp: QApplication, qtbot: QtBot, state: WindowState
) -> None:
    """It is drawn around the window as that stands, with its edge outside of the screen."""
    window = LateFrame()
    placement = Placement(window)
    placement.restore(state, QSize(400, 300))
    window.show()
    window.move(0, 60)
    qapp.processEvents()
    window.frame = QMargins(5, 60, 5, 5)
    qtbot.waitUntil(lambda: placement.rooms()[0].contains(window.frameGeometry()))


def test_a_window_that_never_has_a_frame_is_kept_in_sight(qapp: QApplication, qtbot: QtBot) -> None:
    """Where no window manager draws any."""
    window = LateFrame()
    placement = Placement(window)
    placement.restore(WindowState(), QSize(400, 300))
    window.move(5000, 4000)
    window.show()
    qtbot.waitUntil(lambda: placement.rooms()[0].contains(window.geometry()))
