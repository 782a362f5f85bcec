"""Check boxes: their words stand beside the box, whichever way the layout goes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui import theme
from desktop.ui.theme import Theme
from desktop.ui.widgets.buttons import BOX_PX, GAP_PX, CheckBox, ComboBox

RIGHT_TO_LEFT = Qt.LayoutDirection.RightToLeft


def inked(image: QImage, area: QRect) -> bool:
    ground = image.pixel(image.width() // 2, 0)
    return any(
        image.pixel(x, y) != ground
        for x in range(area.left(), area.right() + 1)
        for y in range(area.top(), area.bottom() + 1)
    )


@pytest.mark.parametrize("direction", [Qt.LayoutDirection.LeftToRight, RIGHT_TO_LEFT])
@pytest.mark.parametrize("words", ["Never ask", "لا تسأل"])
def test_the_words_of_a_box_stand_beside_it(
    qapp: QApplication, qtbot: QtBot, direction: Qt.LayoutDirection, words: str
) -> None:
    """In a wide row a click on far words would look like one on nothing."""
    Theme(qapp, Mode.LIGHT)
    # As a language does it: the whole program, and not this widget alone.
    qapp.setLayoutDirection(direction)
    box = CheckBox(words, "box")
    qtbot.addWidget(box)
    box.resize(600, 30)
    box.show()
    image = box.grab().toImage()
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    begin = theme.px(BOX_PX + GAP_PX)
    near, far = QRect(begin, 0, 40, 30), QRect(400, 0, 200, 30)
    if direction is RIGHT_TO_LEFT:
        near, far = (QRect(600 - each.right() - 1, 0, each.width(), 30) for each in (near, far))
    assert inked(image, near)
    assert not inked(image, far)


def test_the_wheel_over_a_choice_chooses_nothing(qapp: QApplication, qtbot: QtBot) -> None:
    """Whoever scrolls past it changes nothing, and the keyboard does not go there."""
    Theme(qapp, Mode.LIGHT)
    box = ComboBox("box", "A choice")
    qtbot.addWidget(box)
    box.addItems(["one", "two", "three"])
    box.show()
    middle = box.rect().center().toPointF()
    turned = QWheelEvent(
        middle,
        box.mapToGlobal(middle),
        QPoint(0, 0),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, turned)
    assert (box.currentText(), turned.isAccepted()) == ("one", False)
    assert box.focusPolicy() is Qt.FocusPolicy.StrongFocus
