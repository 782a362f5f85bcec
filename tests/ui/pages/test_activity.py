"""The Activity page with real events, a real clock of a pause and real files."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from desktop.agents.action import HookChoice
from desktop.ui.pages import activity_model
from desktop.ui.pages.activity import PAUSE_S, ActivityPage, PauseBar
from desktop.ui.pages.activity_model import AGENT, ANSWER, CLASS, WHAT
from desktop.ui.permission.visible import visible
from tests.processor_time import processor_time
from tests.ui.pages.activity_samples import (
    ASKED,
    FIRST,
    READ,
    Hooks,
    hooks_fixture,
    many,
    open_page_fixture,
    shown,
    tell,
    words,
)
from tests.ui.pages.conftest import World

hooks, open_page = hooks_fixture, open_page_fixture


# -- what is listed -------------------------------------------------------------------------------


def test_before_any_agent_asked_it_says_how_to_protect_one(open_page: Callable[..., ActivityPage]) -> None:
    """Two lines and the command, which can be copied; no table, nothing to pause."""
    page = open_page()
    assert words(page, "activity_empty_says") == "No coding agent has asked yet."
    assert words(page, "activity_empty_command") == "steward agents install"
    page.nothing.copy.click()
    assert QGuiApplication.clipboard().text() == "steward agents install"
    assert not page.splitter.isVisible()
    assert not page.pause_button.isVisible()


def test_verdicts_come_in_live_the_newest_first(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """What the handler knows already, then what happens; agent, command, class, and who answered."""
    page = open_page(READ)
    tell(world, page, replace(FIRST, id=2))
    assert shown(page, WHAT) == ["ls && rm -rf build", "git status"]
    assert shown(page, AGENT) == ["Claude Code", "Claude Code"]
    assert shown(page, CLASS) == ["Deletes", "Reads"]
    assert shown(page, ANSWER) == ["Denied · you", "Allowed · only reads"]
    assert not page.nothing.isVisible()


def test_a_question_from_before_the_page_was_opened_is_listed(
    world: World, open_page: Callable[..., ActivityPage], hooks: Hooks
) -> None:
    """The page is made when it is first opened; who waits by then is not overlooked."""
    hooks.waiting = (ASKED,)
    page = open_page(READ)
    assert shown(page, ANSWER) == ["Waits for you", "Allowed · only reads"]


def test_an_answer_takes_the_place_of_its_question(
    world: World, open_page: Callable[..., ActivityPage]
) -> None:
    """One line a hook: it waits, then it is answered where it stands, also if told of twice."""
    page = open_page(READ)
    tell(world, page, ASKED)
    tell(world, page, replace(READ, id=901))
    assert shown(page, ANSWER)[1] == "Waits for you"
    answer = replace(FIRST, id=900, agent="codex")
    tell(world, page, answer, answer)
    world.until(lambda: shown(page, ANSWER)[1] == "Denied · you")
    assert page.model.rowCount() == 3
    assert "Codex: 1 checked, 1 asked, 1 denied" in words(page, "activity_counts")


def test_hidden_characters_are_written_out(open_page: Callable[..., ActivityPage]) -> None:
    """In the cell, the tooltip, the details and the clipboard; HTML is text."""
    page = open_page(replace(FIRST, text="echo <b>x\u202ey</b>\x1b[2K", span=(0, 4)))
    index = page.chosen.index(0, WHAT)
    assert index.data() == "echo <b>x\\u202ey</b>\\x1b[2K"
    tooltip = index.data(Qt.ItemDataRole.ToolTipRole)
    assert tooltip == "<qt>echo &lt;b&gt;x\\u202ey&lt;/b&gt;\\x1b[2K</qt>"
    page.table.setCurrentIndex(index)
    assert page.details.text.toPlainText() == "echo <b>x\\u202ey</b>\\x1b[2K"


def test_a_long_command_is_short_in_the_list_and_whole_in_the_details(
    open_page: Callable[..., ActivityPage],
) -> None:
    """The middle is left out where lines are compared, nothing where one is read."""
    text = "; ".join(f"x{n}='v{n}'" for n in range(1000))
    page = open_page(replace(FIRST, text=text))
    index = page.chosen.index(0, WHAT)
    assert len(index.data()) < 310
    assert index.data().startswith("x0=")
    assert index.data().endswith("'v999'")
    assert "complete in the details" in index.data(Qt.ItemDataRole.ToolTipRole)
    page.table.setCurrentIndex(index)
    assert page.details.text.toPlainText() == visible(text)


def test_the_oldest_lines_go(
    world: World, open_page: Callable[..., ActivityPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list that only grew would be the end of the memory one day."""
    monkeypatch.setattr(activity_model, "KEPT", 50)
    page = open_page(*many(40))
    tell(world, page, *many(30, 41))
    assert [row.id for row in page.model.rows] == list(range(70, 20, -1))


# -- reading in peace -----------------------------------------------------------------------------


def test_new_lines_do_not_move_what_is_read(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """Scrolled down, the same line stays at the same place, and a button tells how many came."""
    page = open_page(*many(300))
    table = page.table
    table.verticalScrollBar().setValue(1000)
    top = table.indexAt(table.viewport().rect().topLeft())
    seen, place = page.chosen.row(top), table.visualRect(top).y()
    tell(world, page, *many(25, 301))
    top = table.indexAt(table.viewport().rect().topLeft())
    assert page.chosen.row(top) == seen
    assert table.visualRect(top).y() == place
    assert page.newest.text() == "Show 25 newer"
    page.newest.click()
    assert table.verticalScrollBar().value() == 0
    assert not page.newest.isVisible()


def test_a_chosen_line_stays_in_sight(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """Also at the very top: its details are being read."""
    page = open_page(*many(300))
    page.table.setCurrentIndex(page.chosen.index(0, WHAT))
    place = page.table.visualRect(page.table.currentIndex()).y()
    tell(world, page, *many(40, 301))
    assert page.table.visualRect(page.table.currentIndex()).y() == place
    assert page.details.row == many(300)[-1]


def test_at_the_top_the_list_follows(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """Whoever only watches sees the newest."""
    page = open_page(*many(300))
    tell(world, page, *many(25, 301))
    top = page.table.indexAt(page.table.viewport().rect().topLeft())
    assert page.chosen.row(top) == many(1, 325)[0]
    assert not page.newest.isVisible()


def test_thousands_of_lines_stay_smooth(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """After 5,000 lines, of which the newest are kept, new ones and a new filter are shown at once."""
    page = open_page(*many(5000))
    assert page.model.rowCount() == activity_model.KEPT
    with processor_time() as spent:
        page.model.take_in(many(20, 5001))
        page.table.repaint()
    assert spent.at_rest_s < 0.2
    with processor_time() as spent:
        page.filter.search.setText("show 49")
        page.filter.changed.emit()
    assert page.chosen.rowCount() == 100  # 4900 to 4999
    assert spent.at_rest_s < 1.0


# -- filtering ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "value", "expected"),
    [
        ("agent", "codex", [900]),
        ("agent", "claude-code", [2, 1]),
        ("classed", "DELETE", [1]),
        ("answer", HookChoice.ALLOW, [2]),
        ("answer", HookChoice.DENY, [1]),
        ("answer", "", [900]),
        ("search", "RM REMOVES", [1]),
        ("search", "outside", [1]),
        ("search", "node_modules", [900]),
        ("search", "no such thing", []),
    ],
)
def test_lines_are_chosen_by(
    world: World, open_page: Callable[..., ActivityPage], control: str, value: str, expected: list[int]
) -> None:
    """Agent, class, answer, waiting, and any word of the line."""
    page = open_page(FIRST, replace(READ, id=2))
    tell(world, page, ASKED)
    if control == "search":
        page.filter.search.setText(value)
    else:
        box = getattr(page.filter, control)
        box.setCurrentIndex(box.findData(value))
    world.until(lambda: [row.id for row in page.chosen.rows] == expected)
    world.until(lambda: f"{len(expected)} line" in words(page, "activity_counts"))
    assert page.splitter.isVisible() == bool(expected)
    assert ("No line matches" in words(page, "activity_not_found")) == (not expected)


def test_an_agent_that_comes_later_can_be_chosen(
    world: World, open_page: Callable[..., ActivityPage]
) -> None:
    """Its name is offered, and what is chosen stays chosen."""
    page = open_page(FIRST)
    page.filter.agent.setCurrentIndex(1)
    tell(world, page, replace(READ, id=2, agent="gemini-cli"))
    assert page.filter.agent.itemText(2) == "Gemini CLI"
    assert page.filter.agent.currentData() == "claude-code"
    assert [row.id for row in page.chosen.rows] == [1]


# -- why ------------------------------------------------------------------------------------------


def test_the_details_say_why(open_page: Callable[..., ActivityPage]) -> None:
    """Reason, deciding part underlined, class and flags, tier, folder and session."""
    page = open_page(replace(FIRST, changes=(12,)))
    assert page.details.nothing.isVisible()
    page.table.setCurrentIndex(page.chosen.index(0, WHAT))
    assert words(page, "activity_reason") == "Denied · you. Reason: rm removes something."
    cursor = page.details.text.document().find("rm -rf build")
    assert cursor.charFormat().fontUnderline()
    facts = [label.accessibleName() for label in page.findChildren(QLabel, "activity_fact")]
    assert "Folder: /home/me/shop" in facts
    assert "Session: 3f2a" in facts
    assert "Decided by: the programs that it runs (tier 2), 8.2 s" in facts
    assert page.details.changes.isVisible()
    assert not page.details.question.isVisible()


def test_a_waiting_line_leads_to_its_question(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """By its button, and by Enter on the line; a decided line leads nowhere."""
    page = open_page(FIRST)
    tell(world, page, ASKED)
    asked: list[bool] = []
    page.question_requested.connect(lambda: asked.append(True))
    page.table.setFocus()
    page.table.setCurrentIndex(page.chosen.index(0, WHAT))
    page.details.question.click()
    world.qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert asked == [True, True]
    page.table.setCurrentIndex(page.chosen.index(1, WHAT))
    world.qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert asked == [True, True]


def test_an_answer_is_shown_in_the_open_details(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """Whoever looks at a question sees it answered."""
    page = open_page()
    tell(world, page, ASKED)
    page.table.setCurrentIndex(page.chosen.index(0, WHAT))
    assert words(page, "activity_reason").startswith("It waits for your answer.")
    tell(world, page, replace(FIRST, id=ASKED.id))
    world.until(lambda: words(page, "activity_reason").startswith("Denied"))


def test_permissions_are_one_click_away(open_page: Callable[..., ActivityPage]) -> None:
    """What was allowed for longer is on a page of its own."""
    page = open_page(FIRST)
    asked: list[bool] = []
    page.permissions_requested.connect(lambda: asked.append(True))
    page.findChild(QWidget, "activity_grants").click()  # type: ignore[union-attr]
    assert asked == [True]


def test_copy_takes_the_whole_line(world: World, open_page: Callable[..., ActivityPage]) -> None:
    """With the command complete, values apart by tabs, hidden characters written out."""
    page = open_page(replace(FIRST, text="rm\n\u202ex", span=(0, 2)))
    page.table.setFocus()
    world.qtbot.keyClick(page.table, Qt.Key.Key_Home)
    world.qtbot.keyClick(page.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().split("\t")
    assert copied[1:] == [
        "Claude Code",
        "rm↵ \\u202ex",
        "Deletes, outside the folder",
        "Denied · you",
        "8.2 s",
    ]


# -- for everyone ---------------------------------------------------------------------------------


def test_everything_has_a_name_and_is_reached_by_tab(
    world: World, open_page: Callable[..., ActivityPage]
) -> None:
    """Search, filters, table, details, buttons."""
    page = open_page(FIRST)
    page.table.setCurrentIndex(page.chosen.index(0, WHAT))
    page.filter.search.setFocus()
    seen = []
    for _ in range(12):
        focused = QApplication.focusWidget()
        assert focused is not None
        assert QAccessible.queryAccessibleInterface(focused).text(QAccessible.Text.Name), focused.objectName()
        seen.append(focused.objectName())
        world.qtbot.keyClick(focused, Qt.Key.Key_Tab)
    expected = ["search", "agent", "class", "answer", "table", "text", "pause", "grants", "export"]
    assert [name.removeprefix("activity_") for name in seen][: len(expected)] == expected


def test_a_cell_says_what_it_is_about(open_page: Callable[..., ActivityPage]) -> None:
    """A screen reader hears the column and the words, flags included."""
    page = open_page(FIRST)
    spoken = page.chosen.index(0, CLASS).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "Class: Deletes, outside the folder"
    assert page.chosen.row(QModelIndex()) is None


def test_a_pause_is_seen_and_ended(
    world: World, open_page: Callable[..., ActivityPage], hooks: Hooks
) -> None:
    """Ten minutes, with the end and the time left in words, and Resume beside it."""
    page = open_page(FIRST)
    page.pause_button.click()
    world.until(page.bar.isVisible)
    assert hooks.paused_until is not None
    assert abs(hooks.paused_until - time.time() - PAUSE_S) < 5
    assert "10:00 left" in page.bar.words.text() or "9:5" in page.bar.words.text()
    assert "agents follow their own rules" in page.bar.words.text()
    assert not page.pause_button.isVisible()
    page.bar.button.click()
    world.until(lambda: not page.bar.isVisible())
    assert hooks.paused_until is None
    assert page.pause_button.isVisible()


def test_the_clock_counts_down_and_ends_by_itself(world: World) -> None:
    """The last second is not shown for ever."""
    now = [1000.0]
    bar = PauseBar(lambda: now[0])
    world.qtbot.addWidget(bar)
    bar.show_pause(1061.0)
    assert "1:01 left" in bar.words.text()
    now[0] = 1060.2
    world.until(lambda: "0:01 left" in bar.words.text())
    now[0] = 1061.0
    world.until(lambda: not bar.isVisible())
    assert bar.until is None


def test_a_pause_from_elsewhere_is_shown(
    world: World, open_page: Callable[..., ActivityPage], hooks: Hooks
) -> None:
    """From the tray, and one that had begun before the page was made."""
    hooks.pause(120)
    page = open_page(FIRST)
    assert page.bar.isVisible()
    hooks.resume()
    world.until(lambda: not page.bar.isVisible())


def test_what_is_chosen_is_exported_without_secrets(
    world: World, open_page: Callable[..., ActivityPage], tmp_path: Path
) -> None:
    """JSON lines and CSV, the oldest first; a cell that would be a formula is quoted."""
    token = "ghp_" + "a1B2" * 9
    page = open_page(
        replace(FIRST, text=f"curl -H 'Authorization: Bearer {token}' x"),
        replace(READ, id=2, text="=HYPERLINK(1)"),
    )
    tell(world, page, ASKED)
    for name in ("out.jsonl", "out.csv"):
        page.export(tmp_path / name)
        world.until(lambda name=name: (tmp_path / name).exists())  # type: ignore[misc]
    world.until(lambda: "2 lines were written" in words(page, "activity_result"))
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["class"] for line in lines] == ["DELETE", "READ"]
    assert lines[0]["flags"] == ["OUTSIDE"]
    assert token not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["command"] == "'=HYPERLINK(1)"
    assert rows[0]["answer"] == "deny"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


def test_an_export_that_fails_says_so(
    world: World, open_page: Callable[..., ActivityPage], tmp_path: Path
) -> None:
    """Cause, what was not lost, and what to do."""
    page = open_page(FIRST)
    page.export(tmp_path / "no such folder" / "out.csv")
    world.until(lambda: page.findChild(QWidget, "error_card") is not None)
    assert "could not be written" in words(page, "error_cause")


def test_the_file_is_chosen_in_the_systems_dialog(
    world: World, open_page: Callable[..., ActivityPage], tmp_path: Path
) -> None:
    """Not modal to the program; the chosen file is written."""
    page = open_page(FIRST)
    page.export_button.click()
    assert page.dialog is not None
    page.dialog.fileSelected.emit(str(tmp_path / "out.csv"))
    page.dialog.close()
    world.until((tmp_path / "out.csv").exists)
