"""An error card says everything, does what its buttons say, and fits where it stands."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.errors import UserFacing
from desktop.ui.widgets.error_card import ErrorCard
from tests.fakes.failures import failure

DISK_FULL = failure(
    "There is not enough space for this model.",
    "What was downloaded so far is kept.",
    "Free 400 MB and try again.",
    code="disk-full",
)


def card_with(qtbot: QtBot, error: UserFacing, *labels: str) -> tuple[ErrorCard, list[str]]:
    pressed: list[str] = []
    card = ErrorCard(error, [(label, partial(pressed.append, label)) for label in labels])
    qtbot.addWidget(card)
    return card, pressed


def shown_texts(card: ErrorCard) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if not label.isHidden()]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (DISK_FULL, [DISK_FULL.cause, DISK_FULL.not_lost, DISK_FULL.action]),
        (failure("No network.", "", "Try again."), ["No network.", "Try again."]),
        (failure("Only a cause.", "", ""), ["Only a cause."]),
    ],
)
def test_says_cause_loss_action_in_that_order(qtbot: QtBot, error: UserFacing, expected: list[str]) -> None:
    """Every sentence of the error is on the card, in reading order, and an absent one leaves no gap."""
    card, _ = card_with(qtbot, error)
    assert shown_texts(card) == expected


def test_speaks_to_a_screen_reader(qtbot: QtBot) -> None:
    """Name and description together carry the whole error."""
    card, _ = card_with(qtbot, DISK_FULL, "Try again")
    interface = QAccessible.queryAccessibleInterface(card)
    assert DISK_FULL.cause in interface.text(QAccessible.Text.Name)
    assert DISK_FULL.not_lost in interface.text(QAccessible.Text.Description)
    assert DISK_FULL.action in interface.text(QAccessible.Text.Description)


def test_each_button_does_its_own_action_by_mouse_and_by_keyboard(qtbot: QtBot) -> None:
    """Click and Space press a button; only the first is the primary one."""
    card, pressed = card_with(qtbot, DISK_FULL, "Try again", "Choose another")
    card.show()
    qtbot.mouseClick(card.buttons[1], Qt.MouseButton.LeftButton)
    card.buttons[0].setFocus()
    qtbot.keyClick(card.buttons[0], Qt.Key.Key_Space)
    assert pressed == ["Choose another", "Try again"]
    assert [button.property("primary") for button in card.buttons] == [True, False]


def test_markup_in_a_cause_is_shown_as_text(qtbot: QtBot) -> None:
    """A hostile file name cannot draw a link or a picture into the card."""
    card, _ = card_with(qtbot, failure('<a href="x">file</a> was refused.', "", ""))
    label = card.findChild(QLabel, "error_cause")
    assert label is not None
    assert label.textFormat() == Qt.TextFormat.PlainText


@pytest.mark.parametrize("point_size", [11, 22])
@pytest.mark.parametrize("width", [400, 560, 900])
def test_nothing_is_clipped_when_narrow_or_zoomed(qtbot: QtBot, width: int, point_size: int) -> None:
    """Words wrap and buttons move to the next row, so every child stays inside the card."""
    card, _ = card_with(qtbot, DISK_FULL, "Try again", "Choose another", "Show file")
    card.setStyleSheet(f"* {{ font-size: {point_size}pt; }}")
    card.resize(width, 50)
    card.show()
    card.resize(width, card.heightForWidth(width))
    qtbot.waitUntil(lambda: card.width() == width)
    inside = QRect(QPoint(0, 0), card.size())
    for child in (*card.findChildren(QLabel), *card.findChildren(QPushButton)):
        assert inside.contains(QRect(child.mapTo(card, QPoint(0, 0)), child.size())), child.objectName()
