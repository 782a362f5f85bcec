"""The Log page: paged, filtered, checked, exported, at once also with 100,000 records."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QDate, QPoint, Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QLabel

from desktop.database import Connection
from desktop.gate.audit import START, AuditFilter, canonical, chain, verify_export
from desktop.tools.calls import Call, CallResult, CallStatus, ToolEnded
from desktop.ui.pages.log import BETWEEN, KEPT, MOST_PX, NOT_FOUND, NOTHING_YET, PAGE, LogPage
from desktop.ui.undo import UndoController
from desktop.ui.widgets.error_card import ErrorCard
from tests.processor_time import processor_time
from tests.ui.pages.activity_samples import READ
from tests.ui.pages.conftest import World

LEFT = Qt.MouseButton.LeftButton
Make = Callable[[], LogPage]


@pytest.fixture
def make(world: World) -> Make:
    def made() -> LogPage:
        page = LogPage(world.audit, world.relay, world.background)
        world.show(page)
        return page

    return made


def fill(world: World, count: int, since: float = 1_700_000_000.0) -> None:
    """Records as the log writes them, in one transaction."""

    def insert(connection: Connection) -> None:
        previous = START
        for number in range(1, count + 1):
            kind = "tool" if number % 2 else "decision"
            record = {
                "tool": "run_command",
                "parts": [f"ls {number}"],
                "gate": "allow",
                "reason": "it only reads",
            }
            at, text = since + number, canonical(record)
            previous = chain(previous, number, at, kind, text)
            connection.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?)", (number, at, kind, text, previous))

    world.database.write(insert)


def numbers(page: LogPage) -> list[int]:
    return [record.number for record in page.model.records]


def result(page: LogPage) -> str:
    found = page.findChild(QLabel, "log_result")
    return found.text() if found is not None else ""


def test_an_empty_log_says_so(world: World, make: Make) -> None:
    """Nothing decided yet and nothing found are different sentences."""
    page = make()
    world.until(lambda: page.empty.text() == NOTHING_YET)
    page.filter.search.setText("nowhere")
    world.until(lambda: page.empty.text() == NOT_FOUND)
    gap = (
        page.empty.mapTo(page, QPoint(0, 0)).y()
        - page.filter.mapTo(page, QPoint(0, page.filter.height())).y()
    )
    assert gap < 3 * page.empty.fontMetrics().height()


def test_what_was_done_gets_the_room(world: World, make: Make) -> None:
    """Time, kind and outcome take what their words need, not a share that leaves the line cut."""
    fill(world, 150)
    page = make()
    world.until(lambda: len(page.model.records) == 150)
    table, header = page.table, page.table.horizontalHeader()
    world.until(lambda: table.columnWidth(1) < 92)  # its words are short, and it had that much
    for column in (0, 1, 3):
        wanted = max(table.sizeHintForColumn(column), header.sectionSizeHint(column))
        assert table.columnWidth(column) == min(wanted, MOST_PX[column])
    assert sum(map(table.columnWidth, range(4))) == table.viewport().width()


def test_a_hundred_thousand_records_open_at_once(world: World, make: Make) -> None:
    """One page is read and shown, not the whole log; the rest comes while scrolling."""
    fill(world, 100_000)
    with processor_time() as spent:
        page = make()
        world.until(lambda: page.model.rowCount() == PAGE)
    assert spent.at_rest_s < 1.0
    assert numbers(page)[:2] == [100_000, 99_999]
    assert page.count.text() == "The newest 200 records"
    page.table.scrollToBottom()
    world.until(lambda: page.model.rowCount() == 2 * PAGE)
    assert numbers(page) == list(range(100_000, 100_000 - 2 * PAGE, -1))


def test_all_fields_of_a_record_are_shown(world: World, make: Make) -> None:
    """The row says the gist, the details say everything, and nothing stays invisible."""
    world.audit.append(
        "decision", {"tool": "write_file", "parts": ["/w/a\u202eb.txt"], "gate": "deny", "reason": "no"}
    )
    page = make()
    world.until(lambda: page.model.rowCount() == 1)
    cells = [page.model.index(0, column).data() for column in range(4)]
    assert cells[1:] == ["Decision", cells[2], "deny · no"]
    assert cells[2].startswith("write_file: /w/a")
    assert "\u202e" not in cells[2]
    page.table.selectRow(0)
    details = page.details.toPlainText()
    assert "\u202e" not in details
    assert all(
        f"{name}: " in details for name in ("number", "at", "kind", "gate", "reason", "previous", "hash")
    )


def test_kind_text_and_time_narrow_the_list(world: World, make: Make) -> None:
    """Each alone and together; the table shows exactly what the log finds."""
    fill(world, 20)
    page = make()
    world.until(lambda: page.model.rowCount() == 20)
    page.filter.kind.setCurrentIndex(page.filter.kind.findData("decision"))
    world.until(lambda: numbers(page) == list(range(20, 0, -2)))
    page.filter.search.setText("ls 1")
    world.until(lambda: numbers(page) == [18, 16, 14, 12, 10])
    page.filter.kind.setCurrentIndex(0)
    page.filter.search.clear()
    page.filter.period.setCurrentText("Today")
    world.until(lambda: page.empty.text() == NOT_FOUND)


def test_two_days_are_both_included(world: World, make: Make) -> None:
    """From midnight to midnight, in whatever order the days were chosen."""
    yesterday = date.today() - timedelta(days=1)
    midnight = time.mktime(yesterday.timetuple())
    fill(world, 4, since=midnight - 2.5)  # two before, two on that day
    page = make()
    world.until(lambda: page.model.rowCount() == 4)
    assert not page.filter.first.isVisible()
    page.filter.period.setCurrentText(BETWEEN)
    assert page.filter.first.isVisible()
    page.filter.first.setDate(QDate(yesterday.year, yesterday.month, yesterday.day))
    world.until(lambda: numbers(page) == [4, 3])
    page.filter.last.setDate(QDate(yesterday.year, yesterday.month, yesterday.day).addDays(-1))
    world.until(lambda: numbers(page) == [4, 3, 2, 1])


def test_new_records_come_above_and_the_choice_stays(world: World, make: Make) -> None:
    """A run that ends while the page is open is put on top; the selected record stays selected."""
    fill(world, 3)
    page = make()
    world.until(lambda: page.model.rowCount() == 3)
    page.table.selectRow(1)
    details = page.details.toPlainText()
    world.audit.append("tool", {"tool": "write_file", "ending": "done"})
    world.bus.publish(ToolEnded(1, CallResult(Call("a", "write_file"), CallStatus.DONE, "done")))
    world.until(lambda: numbers(page) == [4, 3, 2, 1])
    assert page.table.currentIndex().row() == 2
    assert page.details.toPlainText() == details


def test_a_page_that_stays_open_keeps_the_newest(world: World, make: Make) -> None:
    """Of all that comes in while it is in sight; what was left out is read again where somebody scrolls."""
    page = make()
    for last in range(150, KEPT + 450, 150):
        world.audit.append_all([("tool", {"tool": "run_command", "parts": ["ls"]})] * 150)
        page.shown()
        world.until(lambda last=last: numbers(page)[:1] == [last])
    assert numbers(page) == list(range(last, last - KEPT, -1))
    page.table.scrollToBottom()
    world.until(lambda: page.model.rowCount() > KEPT)
    assert numbers(page) == list(range(last, last - page.model.rowCount(), -1))
    page.hide()  # where somebody reads
    assert page.model.rowCount() > KEPT
    page.show()
    page.table.scrollToTop()
    page.hide()
    assert numbers(page) == list(range(last, last - PAGE, -1))


def test_hooks_wake_no_page_out_of_sight(world: World, make: Make) -> None:
    """However often agents call: what changed nothing crosses to the main thread for nobody but those who
    look.
    """
    page = make()
    undo_controller = UndoController(lambda: world.journal, world.relay, world.background)
    crossings = QSignalSpy(world.relay._arrived)
    page.hide()
    for _ in range(100):
        world.bus.publish(READ)
    assert crossings.count() == 0
    page.show()
    world.bus.publish(READ)
    world.bus.publish(replace(READ, changes=(1,)))
    world.until(lambda: crossings.count() == 3)  # to the page, and once to Undo
    undo_controller.deleteLater()


def test_checking_says_the_result_in_words(world: World, make: Make) -> None:
    """Whole: how many were checked. Tampered with: where it begins, and that nothing was repaired."""
    fill(world, 5)
    page = make()
    world.qtbot.mouseClick(page.check_button, LEFT)
    world.until(lambda: result(page).startswith("5 records checked. None was changed"))
    connection = sqlite3.connect(world.paths.database)
    connection.execute("DROP TRIGGER audit_no_update")
    connection.execute("UPDATE audit SET at = at + 1 WHERE number = 3")
    connection.commit()
    connection.close()
    world.qtbot.mouseClick(page.check_button, LEFT)
    world.until(lambda: result(page).startswith("The chain is broken at record 3: its content was changed"))


def test_an_export_holds_what_is_chosen(world: World, make: Make, tmp_path: Path) -> None:
    """JSON lines, the oldest first, checkable by themselves; the words say how many and where."""
    fill(world, 10)
    page = make()
    world.until(lambda: page.model.rowCount() == 10)
    page.filter.kind.setCurrentIndex(page.filter.kind.findData("tool"))
    file = tmp_path / "log.jsonl"
    page.export(file)
    world.until(lambda: result(page).startswith("5 records were that match") or "written" in result(page))
    lines = file.read_text().splitlines()
    assert [json.loads(line).get("number") for line in lines] == [1, 3, 5, 7, 9, None]
    assert verify_export(lines).is_whole
    assert str(file) in result(page)


def test_a_place_that_refuses_is_told(world: World, make: Make, tmp_path: Path) -> None:
    """The card says what failed and that the log is untouched."""
    fill(world, 2)
    page = make()
    page.export(tmp_path / "missing" / "log.jsonl")
    world.until(lambda: page.findChild(ErrorCard) is not None)
    assert world.audit.records(AuditFilter(limit=1))[0].number == 2


def test_the_file_dialog_stops_nothing(world: World, make: Make) -> None:
    """It opens beside the page and returns at once."""
    fill(world, 2)
    page = make()
    world.qtbot.mouseClick(page.export_button, LEFT)
    assert page.dialog is not None
    assert page.dialog.isVisible()
    page.dialog.reject()
