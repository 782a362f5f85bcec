"""Check boxes: their words stand beside the box, whichever way the layout goes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QCursor, QImage, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui import theme
from desktop.ui.theme import Theme
from desktop.ui.widgets.buttons import BOX_PX, GAP_PX, CheckBox, ComboBox, IconButton

RIGHT_TO_LEFT = Qt.LayoutDirection.RightToLeft
NAME = QAccessible.Text.Name


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


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_a_button_with_an_icon_is_pressed_by_enter(qapp: QApplication, qtbot: QtBot, key: Qt.Key) -> None:
    """Once, and the key goes no further; with Ctrl it belongs to whatever is around the button."""
    Theme(qapp, Mode.LIGHT)
    pressed, around = list[str](), list[int]()

    class Around(QWidget):
        def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
            if event.key() != Qt.Key.Key_Control:
                around.append(event.key())

    window = Around()
    qtbot.addWidget(window)
    made = IconButton("more", "Actions", "actions", lambda: pressed.append("actions"), parent=window)
    window.show()
    qtbot.keyClick(made, key)
    assert (pressed, around) == (["actions"], [])
    if key != Qt.Key.Key_Space:
        qtbot.keyClick(made, key, Qt.KeyboardModifier.ControlModifier)
        assert (pressed, around) == (["actions"], [key])


def test_a_button_is_no_longer_under_the_pointer_once_its_menu_is_gone(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt does not tell it that the pointer went away meanwhile; over it, it stays lit."""
    Theme(qapp)
    made, menu = IconButton("plus", "Add", "add"), QMenu()
    menu.addAction("File")
    made.drop_down(menu)
    for widget in (made, menu):
        qtbot.addWidget(widget)
    made.move(400, 400)  # away from where the pointer really is, which Qt looks at when a menu goes
    made.show()
    far, near = made.mapToGlobal(QPoint(500, 500)), made.mapToGlobal(QPoint(3, 3))
    for pointer, was_lit in ((far, True), (near, False)):
        monkeypatch.setattr(QCursor, "pos", lambda at=pointer: at)
        made.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, was_lit)
        menu.popup(made.mapToGlobal(QPoint(0, 30)))
        menu.close()
        qtbot.waitUntil(lambda was_lit=was_lit: made.underMouse() != was_lit)  # type: ignore[misc]


def test_a_choice_is_told_by_its_name_and_not_by_its_entry_alone(qapp: QApplication, qtbot: QtBot) -> None:
    """Qt for Linux says the chosen entry as the name; what it is a choice of comes from a label."""
    Theme(qapp, Mode.LIGHT)
    holder = QWidget()
    qtbot.addWidget(holder)
    box = ComboBox("box", "Language")
    box.addItem("Follow the system")
    QVBoxLayout(holder).addWidget(box)
    holder.show()
    spoken = QAccessible.queryAccessibleInterface(box)
    labels = [label.text(NAME) for label, _ in spoken.relations(QAccessible.RelationFlag.Label)]
    assert "Language" in (spoken.text(NAME), *labels)
    assert [each for each in holder.findChildren(QLabel) if each.isVisible()] == []


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
