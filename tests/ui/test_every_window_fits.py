"""All windows at six sizes and scales: nothing stands outside its window, and no text is cut off."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.memory.item import NewItem
from desktop.paths import Paths
from desktop.ui.pages.page import Page
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.layout import EDGE
from tests.ui.every_window import TITLE, house
from tests.ui.test_screens import clipped
from tests.ui.window_kinds import window_kinds
from tests.ui.window_states import SHOWN_BY, states

PAGES = Path(__file__).resolve().parents[2] / "desktop" / "app" / "windows.py"

PAGE_SIDE = 20  # between a page and the edge of its window
# Width and height that a screen leaves to a window, and the size of text on it.
SCREENS = (
    (1024, 560, 100),
    (1024, 560, 125),
    (1280, 680, 150),
    (1366, 730, 110),
    (1920, 1040, 200),
    (3800, 2100, 200),
)


def scrolled(widget: QWidget, window: QWidget) -> bool:
    """In a scroll area what is out of sight is reached by scrolling."""
    parent = widget.parentWidget()
    while parent is not None and parent is not window:
        if isinstance(parent, QAbstractScrollArea):
            return True
        parent = parent.parentWidget()
    return False


def outside(window: QWidget) -> list[str]:
    """The visible widgets of `window` that reach beyond it; what a dialog of its holds, that dialog has."""
    room = window.rect().adjusted(-1, -1, 1, 1)
    return [
        f"{type(each).__name__} {each.objectName()} {place.getRect()} in {window.rect().getRect()}"
        for each in window.findChildren(QWidget)
        if each.isVisibleTo(window)
        and each.window() is window
        and not isinstance(each, FocusRing)
        and not scrolled(each, window)
        and each.width()
        and each.height()
        and not room.contains(place := QRect(each.mapTo(window, QPoint(0, 0)), each.size()))
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height", "zoom"), SCREENS)
def test_nothing_is_outside_or_cut_off(
    qapp: QApplication, qtbot: QtBot, paths: Paths, width: int, height: int, zoom: int
) -> None:
    """In every window and page, as small as the screen makes it."""
    wrong, seen = set[str](), set[type]()
    with house(paths, qapp, qtbot) as made:
        made.theme.set_zoom(zoom)
        overhang_px = round(8 * zoom / 100)  # lines that open stand a little out, so that words align
        for name, window in chain(made.windows(), states(made)):
            seen |= {type(each) for each in (window, *window.findChildren(QWidget)) if each.isVisible()}
            window.resize(min(window.width(), width), min(window.height(), height))
            made.settle()
            wrong |= {f"{name}: outside: {each}" for each in outside(window)}
            wrong |= {f"{name}: cut off: {each}" for each in clipped(window, overhang_px)}
        made.theme.set_zoom(100)
    assert not wrong, "\n".join(sorted(wrong))
    assert window_kinds() <= seen


def test_all_pages_end_at_one_edge(qapp: QApplication, qtbot: QtBot, paths: Paths) -> None:
    """Fields, tables and buttons at the right of a page: nothing jumps when another page is opened."""
    with house(paths, qapp, qtbot) as made:
        core = made.core
        core.memory.store.add(NewItem(TITLE))
        for number in range(3):
            core.audit.append("decision", {"tool": "run_command", "parts": [f"ls {number}"], "gate": "allow"})
        pages = made.desktop.pages
        pages.resize(1000, 760)
        pages.show()
        edges = dict[str, int]()
        for entry in pages._entries:
            pages.show_page(entry.title)
            made.settle()
            ends = [
                each.mapTo(pages, QPoint(each.width(), 0)).x()
                for each in pages.page.findChildren(QWidget)
                if isinstance(each, QLineEdit | QPushButton | QAbstractItemView) and each.isVisible()
            ]
            edges[entry.title] = max(ends, default=0)
        width = pages.width()
    beyond = {name: edge for name, edge in edges.items() if edge > width - PAGE_SIDE - EDGE}
    assert not beyond, beyond


def test_no_kind_of_window_is_left_out() -> None:
    """Whoever adds one says which face shows it; a page stands in the list of pages."""
    kinds = window_kinds()
    pages = {each.__name__ for each in kinds if issubclass(each, Page)}
    assert {each.__name__ for each in kinds} - pages == set(SHOWN_BY)
    listed = PAGES.read_text(encoding="utf-8")
    assert not [name for name in pages if f"return {name}(" not in listed and f"= {name}(" not in listed]
