"""Lists: what a search leaves, what stands in the place of nothing, and what comes on demand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme
from desktop.ui.widgets.buttons import ActionRow, action
from desktop.ui.widgets.cards import Row
from desktop.ui.widgets.layout import FlowLayout, ScrollColumn
from desktop.ui.widgets.lists import EmptyWords, FilterBar, FilteredList, SearchedList, SearchField

WORDS = EmptyWords("There is nothing yet.", "Nothing matches.")
Make = Callable[[], FilteredList[str]]


@pytest.fixture
def make(qapp: QApplication, qtbot: QtBot) -> Make:
    Theme(qapp, Mode.LIGHT)

    def row(name: str) -> QWidget:
        return Row("check", "secondary", name, (), (action("Open", f"open_{name}"),))

    def made() -> FilteredList[str]:
        shown = FilteredList("fruits", row, str, WORDS, lambda name, text: text in name, at_once=2)
        qtbot.addWidget(shown)
        shown.show()
        return shown

    return made


def names(shown: FilteredList[str]) -> list[str]:
    return [row.accessibleName() for row in shown.list.rows]


@pytest.mark.parametrize(
    ("values", "text", "said"),
    [
        ([], "", "There is nothing yet."),
        ([], "pear", "There is nothing yet."),
        (["apple"], "pear", "Nothing matches."),
        (["apple"], "app", ""),
    ],
)
def test_an_empty_list_says_why(make: Make, values: list[str], text: str, said: str) -> None:
    """Nothing yet and nothing found are different sentences, and rows need none."""
    shown = make()
    shown.show_values(values)
    shown.search(text)
    assert shown.empty.text() == said
    assert shown.empty.isVisible() == bool(said)


def test_more_comes_on_demand_and_a_search_begins_at_the_top(make: Make, qtbot: QtBot) -> None:
    """The button tells how many are left; another search shows its first page again."""
    shown = make()
    shown.show_values(["apple", "apricot", "banana", "avocado", "cherry"])
    assert (names(shown), shown.more.text()) == (["apple", "apricot"], "Show 2 more of 3")
    qtbot.mouseClick(shown.more, Qt.MouseButton.LeftButton)
    assert (len(names(shown)), shown.more.text()) == (4, "Show 1 more of 1")
    qtbot.mouseClick(shown.more, Qt.MouseButton.LeftButton)
    assert (len(names(shown)), shown.more.isVisible()) == (5, False)
    shown.search("a")
    assert (names(shown), shown.found, shown.known) == (["apple", "apricot"], 4, 5)


def test_what_was_not_given_is_asked_for(make: Make, qtbot: QtBot) -> None:
    """A list that shows all it has got asks its owner, and has room for the answer."""
    shown = make()
    shown.show_values(["apple", "banana"], has_more=True)
    with qtbot.waitSignal(shown.more_wanted):
        qtbot.mouseClick(shown.more, Qt.MouseButton.LeftButton)
    shown.show_values(["apple", "banana", "cherry"])
    assert names(shown) == ["apple", "banana", "cherry"]
    assert not shown.more.isVisible()


def test_rows_that_stay_keep_their_widgets(make: Make) -> None:
    """Focus and scroll position hold when another row goes."""
    shown = make()
    shown.show_values(["apple", "banana"])
    kept = shown.list.row("banana")
    shown.show_values(["banana"])
    assert shown.list.row("banana") is kept


def test_a_row_that_is_made_anew_keeps_the_keyboard_in_its_button(qapp: QApplication, qtbot: QtBot) -> None:
    """Qt would give it to the next row, where the next key would act on something else."""
    Theme(qapp, Mode.LIGHT)

    def row(value: tuple[int, str]) -> QWidget:
        number, word = value
        buttons = (action("Open", f"open_{number}"), action(word, f"switch_{number}"))
        return Row("check", "text", f"Number {number}", (), buttons)

    shown = FilteredList("numbers", row, lambda value: value[0], WORDS)
    qtbot.addWidget(shown)
    shown.show()
    shown.show_values([(number, "Off") for number in range(3)])
    before = shown.findChild(QPushButton, "switch_1")
    assert before is not None
    before.setFocus()
    shown.show_values([(0, "Off"), (1, "On"), (2, "Off")])
    focused = shown.window().focusWidget()
    assert isinstance(focused, QPushButton)
    assert (focused.objectName(), focused.text()) == ("switch_1", "On")
    shown.show_values([(0, "Off"), (2, "Off")])
    assert shown.window().focusWidget().objectName() == "open_2", "that of the row in its place"


def test_a_search_waits_until_nobody_types(qapp: QApplication, qtbot: QtBot) -> None:
    """Each letter by itself would search for what nobody wants to find."""
    Theme(qapp, Mode.LIGHT)
    field = SearchField("search", "Search fruits", after_ms=30)
    qtbot.addWidget(field)
    searched: list[str] = []
    field.searched.connect(searched.append)
    field.setText("a")
    field.setText("ap")
    assert searched == []
    qtbot.waitUntil(lambda: searched == ["ap"])
    field.clear()
    qtbot.waitUntil(lambda: searched == ["ap", ""])


def test_a_choice_and_a_search_change_the_filter(qapp: QApplication, qtbot: QtBot) -> None:
    """Whoever listens asks the boxes what is wanted."""
    Theme(qapp, Mode.LIGHT)
    bar = FilterBar("fruit", "Search fruits")
    qtbot.addWidget(bar)
    box = bar.add_choice("colour", "Colour", [("All colours", None), ("Red", "red")])
    with qtbot.waitSignal(bar.changed):
        box.setCurrentIndex(1)
    assert (box.objectName(), box.currentData()) == ("fruit_colour", "red")
    with qtbot.waitSignal(bar.changed):
        bar.search.setText("apple")


def test_a_long_list_is_searched_and_shown_in_parts(qapp: QApplication, qtbot: QtBot) -> None:
    """Three hundred rows at once would hold the window up; a short list needs no search."""
    Theme(qapp, Mode.LIGHT)

    def row(number: int) -> QWidget:
        return Row("check", "text", f"Number {number}", ())

    shown = SearchedList("numbers", row, int, lambda number: f"Number {number}", WORDS, "Find")
    qtbot.addWidget(shown)
    shown.show()
    shown.show_values(range(3))
    assert not shown.search.isVisible()
    shown.show_values(range(300))
    assert len(shown.list.rows) == 50
    shown.search.setText("number 29")
    qtbot.waitUntil(lambda: len(shown.list.rows) == 13)  # 29, 129, 229, 290 …
    shown.show_values([29])
    assert shown.search.isVisible()


def test_rows_with_buttons_are_measured_a_few_times(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layouts ask for a height again and again; without a memory fifty rows took seconds."""
    Theme(qapp, Mode.LIGHT)
    measured: list[int] = []
    arrange = FlowLayout._arrange

    def counted(layout: FlowLayout, rect: QRect, move: bool) -> int:
        measured.append(rect.width())
        return arrange(layout, rect, move)

    monkeypatch.setattr(FlowLayout, "_arrange", counted)

    def row(number: int) -> QWidget:
        made = Row("folder", "text", f"Number {number}", ("A caption", "Another one"))
        made.column.addLayout(ActionRow(*(action(each, f"{each}_{number}") for each in ("One", "Two"))))
        return made

    shown = SearchedList("numbers", row, int, lambda number: f"Number {number}", WORDS, "Find")
    page = ScrollColumn("page")
    page.body.addWidget(shown)
    page.body.addStretch(1)
    qtbot.addWidget(page)
    page.resize(700, 600)
    page.show()
    shown.show_values(range(50))
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() > 50 * 40)
    assert len(measured) < 50 * 40


def test_buttons_with_other_words_are_measured_anew(qapp: QApplication, qtbot: QtBot) -> None:
    """A row of buttons that no longer fits beside each other takes a second line, and gives it back."""
    Theme(qapp, Mode.LIGHT)
    window = QWidget()
    qtbot.addWidget(window)
    buttons = (action("One", "one"), action("Two", "two"))
    row = ActionRow(*buttons)
    column = QVBoxLayout(window)
    column.addLayout(row)
    column.addStretch(1)
    window.resize(240, 200)
    window.show()
    before = row.heightForWidth(200)
    buttons[1].setText("Two and so much more")
    qtbot.waitUntil(lambda: row.heightForWidth(200) > before)
    buttons[0].hide()
    qtbot.waitUntil(lambda: row.heightForWidth(200) == before)
