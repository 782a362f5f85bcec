"""Where the ring of the keyboard stands."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QStringListModel, Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QListView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.theme import Theme
from desktop.ui.widgets.details import RecordTable
from desktop.ui.widgets.focus_ring import FocusRing
from desktop.ui.widgets.layout import Framed
from tests.ui.chat.conftest import show_active
from tests.ui.chat.conftest import theme as theme_fixture

theme = theme_fixture


def ringed(view: QAbstractItemView, qtbot: QtBot) -> FocusRing:
    """The ring of a window with `view` in it, which has the keyboard."""
    window = QWidget()
    qtbot.addWidget(window)
    QVBoxLayout(window).addWidget(view)
    ring = FocusRing(window)
    window.resize(420, 300)
    show_active(window, qtbot)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: ring.isVisible() and ring.target is view)
    return ring


def test_in_a_table_it_is_around_the_whole_row(theme: Theme, qtbot: QtBot) -> None:
    """Not around the table, and not around one cell of the row that is chosen; it goes along."""
    model = QStandardItemModel()
    for number in range(5):
        model.appendRow([QStandardItem(f"{number} {column}") for column in "abc"])
    table = RecordTable("table", "Records", model, 1)
    ring = ringed(table, qtbot)
    tops = []
    for row in (0, 3):
        table.selectRow(row)
        qtbot.waitUntil(ring.isVisible)
        height = table.rowHeight(row)
        assert height <= ring.height() <= height + theme.px(8)
        assert ring.width() >= table.viewport().width()
        tops.append(ring.y())
    assert tops[1] - tops[0] == 3 * table.rowHeight(0)


def test_in_a_frame_it_is_around_the_row_and_without_rows_around_the_frame(
    theme: Theme, qtbot: QtBot
) -> None:
    """The lists of the pages stand in a frame of their own."""
    model = QStandardItemModel()
    table = RecordTable("table", "Records", model, 0)
    window = QWidget()
    qtbot.addWidget(window)
    frame = Framed(table, "frame")
    QVBoxLayout(window).addWidget(frame)
    ring = FocusRing(window)
    window.resize(420, 300)
    show_active(window, qtbot)
    table.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(ring.isVisible)
    assert ring.geometry().contains(frame.geometry())
    model.appendRow([QStandardItem("one")])
    table.selectRow(0)
    qtbot.waitUntil(lambda: ring.height() <= table.rowHeight(0) + theme.px(8))


def test_in_a_list_it_is_around_the_row(theme: Theme, qtbot: QtBot) -> None:
    """Also after the arrow keys; a row that is scrolled away takes the ring with it."""
    view = QListView()
    view.setModel(QStringListModel([f"row {number}" for number in range(60)]))
    ring = ringed(view, qtbot)
    view.setCurrentIndex(view.model().index(1, 0))
    qtbot.keyClick(view, Qt.Key.Key_Down)
    row = view.visualRect(view.model().index(2, 0))
    assert ring.geometry().center().y() == view.viewport().mapTo(ring.parentWidget(), row.center()).y()
    assert ring.height() <= row.height() + theme.px(8)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert not ring.isVisible()


def test_it_does_not_lie_over_the_scroll_bar_of_its_list(theme: Theme, qtbot: QtBot) -> None:
    """On either side, at the largest letters."""
    theme.set_zoom(200)
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        view = QListView()
        view.setLayoutDirection(direction)
        view.setModel(QStringListModel([f"row {number}" for number in range(60)]))
        ring = ringed(view, qtbot)
        view.setCurrentIndex(view.model().index(1, 0))
        bar = view.verticalScrollBar()
        assert bar.isVisible()
        place = QRect(bar.mapTo(ring.parentWidget(), QPoint(0, 0)), bar.size())
        assert not ring.geometry().intersects(place)
    theme.set_zoom(100)
