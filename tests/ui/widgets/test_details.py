"""A list with the details of its chosen line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme
from desktop.ui.widgets.details import DetailPane, DetailText, ListWithDetails, RecordTable


@pytest.fixture
def themed(qapp: QApplication) -> None:
    Theme(qapp, Mode.LIGHT)


def test_facts_without_words_take_no_line(themed: None, qtbot: QtBot) -> None:
    """Another line replaces all facts; each is spoken with its name."""
    pane = DetailPane("fruit", "Choose a fruit.")
    qtbot.addWidget(pane)
    pane.body.addWidget(pane.facts)
    pane.show_facts([("Colour", "red"), ("Stone", ""), ("Weight", "120 g")])
    facts = [label.accessibleName() for label in pane.findChildren(QLabel, "fruit_fact")]
    assert facts == ["Colour: red", "Weight: 120 g"]
    pane.show_facts([("Colour", "green")])
    shown = [label for label in pane.findChildren(QLabel, "fruit_fact") if not label.isHidden()]
    assert [label.text() for label in shown] == ["green"]


def test_the_keyboard_goes_through_the_table_and_out_of_it(themed: None, qtbot: QtBot) -> None:
    """Home and End choose the first and the last line; Tab goes on to the details."""
    table = RecordTable("fruits", "Fruits", QStringListModel(["apple", "banana", "cherry"]), 0)
    text = DetailText("fruit_text", "All of the fruit", "Choose a fruit.")
    both = ListWithDetails("fruit", table, text)
    qtbot.addWidget(both)
    both.resize(400, 400)
    both.show()
    qtbot.waitExposed(both)
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_End)
    assert table.currentIndex().row() == 2
    qtbot.keyClick(table, Qt.Key.Key_Home)
    assert table.currentIndex().row() == 0
    qtbot.waitUntil(table.hasFocus)
    qtbot.keyClick(table, Qt.Key.Key_Tab)
    assert text.hasFocus()


def test_neither_half_can_be_dragged_away(themed: None, qtbot: QtBot) -> None:
    """A pane that is gone cannot be found again by who does not see the handle."""
    table = RecordTable("fruits", "Fruits", QStringListModel(["apple"]), 0)
    both = ListWithDetails("fruit", table, DetailText("fruit_text", "All of the fruit"))
    qtbot.addWidget(both)
    both.resize(400, 400)
    both.show()
    both.setSizes([400, 0])
    assert min(both.sizes()) > 0
