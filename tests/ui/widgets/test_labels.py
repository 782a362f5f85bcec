"""Labels of all windows: where their words begin."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme
from desktop.ui.widgets.labels import Label
from tests.ui.chat.conftest import theme as theme_fixture

theme = theme_fixture
WORDS = {"Arabic": "خطة الرحلة", "English": "The plan"}


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("letters", WORDS)
def test_words_begin_at_the_side_of_the_window(
    theme: Theme, qtbot: QtBot, letters: str, mirrored: bool
) -> None:
    """Beside the sign before them, whatever they are written in."""
    theme.set_mode(Mode.LIGHT)
    label = Label(WORDS[letters])
    qtbot.addWidget(label)
    label.resize(400, 30)
    label.setLayoutDirection(Qt.LayoutDirection.RightToLeft if mirrored else Qt.LayoutDirection.LeftToRight)
    image = label.grab().toImage()
    ground = image.pixelColor(200, 1)
    inked = [x for x in range(400) if any(image.pixelColor(x, y) != ground for y in range(30))]
    assert inked
    assert QColor(ground).isValid()
    assert (inked[0] > 200) is mirrored
    assert (inked[-1] > 200) is mirrored
