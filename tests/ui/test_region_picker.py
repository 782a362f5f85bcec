"""Marking a part of the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from desktop.ui.region_picker import RegionPicker

Picked = list[QRect | None]


@pytest.fixture
def picked() -> Picked:
    return []


@pytest.fixture
def picker(qtbot: QtBot, picked: Picked) -> RegionPicker:
    """Over a picture with twice the pixels of the screen, as on a fine display."""
    picker = RegionPicker(QPixmap(1600, 1200), picked.append)
    picker._picture.fill(QColor("teal"))
    qtbot.addWidget(picker)
    picker.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    picker.open()
    picker.setGeometry(0, 0, 800, 600)
    return picker


def drag(picker: RegionPicker, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(picker, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(picker, end)
    QTest.mouseRelease(picker, Qt.MouseButton.LeftButton, pos=end)


@pytest.mark.parametrize(
    ("start", "end"), [(QPoint(100, 50), QPoint(300, 150)), (QPoint(300, 150), QPoint(100, 50))]
)
def test_a_frame_in_either_direction(
    picker: RegionPicker, picked: Picked, start: QPoint, end: QPoint
) -> None:
    """The frame is told once, in the picture's own pixels."""
    drag(picker, start, end)
    (frame,) = picked
    assert frame is not None
    assert (frame.x(), frame.y()) == (200, 100)
    assert abs(frame.width() - 400) <= 2
    assert not picker.isVisible()


def test_a_click_is_no_frame(picker: RegionPicker, picked: Picked) -> None:
    """A click that slipped leaves it open for a second try."""
    drag(picker, QPoint(10, 10), QPoint(12, 11))
    assert picked == []
    assert picker.isVisible()


@pytest.mark.parametrize("how", ["escape", "right click", "close"])
def test_thinking_better_of_it(picker: RegionPicker, picked: Picked, how: str) -> None:
    """Every way out without a frame says None, once."""
    if how == "escape":
        QTest.keyClick(picker, Qt.Key.Key_Escape)
    elif how == "right click":
        QTest.mousePress(picker, Qt.MouseButton.RightButton)
    else:
        picker.close()
    assert picked == [None]


def test_by_keyboard(picker: RegionPicker, picked: Picked) -> None:
    """Space, arrows, Space draw a frame without a mouse."""
    QTest.keyClick(picker, Qt.Key.Key_Space)
    for _ in range(10):
        QTest.keyClick(picker, Qt.Key.Key_Right)
        QTest.keyClick(picker, Qt.Key.Key_Down)
    QTest.keyClick(picker, Qt.Key.Key_Space)
    (frame,) = picked
    assert frame is not None
    assert frame.width() == pytest.approx(200, abs=4)
    assert frame.height() == pytest.approx(200, abs=4)


def test_what_is_marked_is_bright(picker: RegionPicker) -> None:
    """The frame shows the picture as it is, the rest is darkened."""
    QTest.mousePress(picker, Qt.MouseButton.LeftButton, pos=QPoint(100, 300))
    QTest.mouseMove(picker, QPoint(300, 500))
    shown = picker.grab().toImage()
    assert shown.pixelColor(200, 400) == QColor("teal")
    assert shown.pixelColor(600, 400).lightness() < QColor("teal").lightness()
