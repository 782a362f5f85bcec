"""What a layout holds is let go of: Qt leaves an item to whoever takes it out, and Python deletes none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import shiboken6
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QLayout, QLayoutItem, QVBoxLayout, QWidget

from desktop.ui.widgets.layout import FlowLayout, clear, emptied

LAYOUTS: dict[str, Callable[[], QLayout]] = {"flow": FlowLayout, "column": QVBoxLayout, "grid": QGridLayout}


@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[QLayout]:
    made = LAYOUTS[request.param]()
    owner = QWidget()
    owner.setLayout(made)
    for words in ("one", "two", "three"):
        made.addWidget(QLabel(words, owner))
    yield made
    if shiboken6.isValid(owner):
        shiboken6.delete(owner)


def items(layout: QLayout) -> list[QLayoutItem]:
    found = (layout.itemAt(index) for index in range(layout.count()))
    return [item for item in found if item is not None]


def widgets_in(layout: QLayout) -> list[QWidget]:
    found = (item.widget() for item in items(layout))
    return [widget for widget in found if widget is not None]


def test_what_is_taken_out_leaves_no_item_behind(layout: QLayout) -> None:
    """88 bytes each time that Quick-ask was shown, seven times over. The widgets stay."""
    held = items(layout)
    widgets = emptied(layout)
    assert not any(shiboken6.isValid(each) for each in held)
    assert [widget.text() for widget in widgets if isinstance(widget, QLabel)] == ["one", "two", "three"]
    assert layout.count() == 0
    for widget in widgets:
        layout.addWidget(widget)
    assert layout.count() == 3


def test_what_is_cleared_is_hidden_and_goes(layout: QLayout) -> None:
    """Its items at once, its widgets with the next turn of the loop."""
    held, widgets = items(layout), widgets_in(layout)
    clear(layout)
    assert not any(shiboken6.isValid(each) for each in held)
    assert [widget.isHidden() for widget in widgets] == [True] * 3


def test_a_widget_that_goes_takes_the_items_of_its_layout_along(layout: QLayout) -> None:
    """Also those of a layout that is written in Python."""
    held = items(layout)
    owner = layout.parentWidget()
    assert owner is not None
    shiboken6.delete(owner)
    assert not any(shiboken6.isValid(each) for each in held)


def test_a_widget_that_goes_alone_leaves_the_others(layout: QLayout) -> None:
    """A row is laid out again without it."""
    shiboken6.delete(widgets_in(layout)[1])
    assert [each.text() for each in widgets_in(layout) if isinstance(each, QLabel)] == ["one", "three"]
