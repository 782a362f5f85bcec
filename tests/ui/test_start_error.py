"""A start that failed."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from desktop.errors import UserFacing
from desktop.ui.start_error import box_of


def test_the_box_has_cause_what_was_not_lost_and_what_to_do(qtbot: QtBot) -> None:
    """Whoever clicked an icon reads the same three sentences as in a terminal."""
    box = box_of(UserFacing("The settings are wrong.", "Nothing was changed.", "Correct line 3."))
    qtbot.addWidget(box)
    assert box.text() == "The settings are wrong."
    assert box.informativeText() == "Nothing was changed.\nCorrect line 3."
