"""The status line: what it says, and that it stays one row of buttons in any width."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.engine.reasons import EngineReason
from desktop.ui.chat.status_line import (
    GAP,
    LineFacts,
    StatusLine,
    device_help,
    device_words,
    model_words,
    short_count,
)
from desktop.ui.theme import Theme, contrast
from tests.ui.looks import spoken

FACTS = LineFacts("Qwen3 1.7B Q4", "cpu", 4, 0, 11.2, 1234, 8192)
LONG_NAME = "Qwen2.5 Coder 1.5B Instruct Q4_K_M"
EVERYTHING = LineFacts(
    *(LONG_NAME, "cpu", 4, 0, 11.2, 7000, 8192),
    network="no network since 10:42",
    unguarded=True,
    program="llm",
    report="Steward closed unexpectedly",
    note="no tray",
    note_help="There is no tray here.",
)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (LineFacts(), "Choose a model"),
        (FACTS, "Qwen3 1.7B Q4"),
        (replace(FACTS, loading=0.43), "Loading Qwen3 1.7B Q4 43%"),
        (LineFacts(loading=0.0), "Loading model 0%"),
    ],
)
def test_model_words(facts: LineFacts, words: str) -> None:
    """The model, or how far it is loaded; never a bare spinner."""
    assert model_words(facts) == words


@pytest.mark.parametrize(
    ("device", "threads", "words", "more"),
    [
        ("", 0, "", ""),
        ("cpu", 4, "CPU", ", 4 threads"),
        ("cpu", 1, "CPU", ", 1 thread"),
        ("cuda", 0, "CUDA", ""),
    ],
)
def test_device_words(device: str, threads: int, words: str, more: str) -> None:
    """Where the model computes; with how many threads stands in the help."""
    facts = LineFacts(device=device, threads=threads)
    assert (device_words(facts), device_help(facts)) == (words, f"Where the model runs{more}")


def test_the_device_says_why_the_card_is_not_used() -> None:
    """In its help alone: the line itself stays as short as it was."""
    notice = EngineReason.NO_DRIVER.of(title="CUDA", kind="NVIDIA")
    why = "CUDA is installed, but there is no NVIDIA driver, so the processor is used."
    told = replace(FACTS, device_notice=notice)
    assert device_words(told) == device_words(FACTS)
    assert device_help(told) == f"Where the model runs, 4 threads. {why}"
    assert why not in device_help(FACTS)


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0"), (999, "999"), (1000, "1k"), (1234, "1.2k"), (131072, "131.1k")]
)
def test_short_count(number: int, words: str) -> None:
    """Thousands as k."""
    assert short_count(number) == words


def test_the_status_line_shows_what_is_known(theme: Theme, holder: QWidget) -> None:
    """Only parts with something to say are there; each is a named button with a tooltip."""
    line = StatusLine(holder)
    line.resize(700, 30)
    line.show()
    line.show_facts(LineFacts())
    shown = [part.objectName() for part in line.parts if part.isVisible()]
    assert shown == ["status_model", "status_preset"]
    line.show_facts(replace(FACTS, offline=True))
    shown = [part for part in line.parts if part.isVisible()]
    assert [part.text() for part in shown] == [
        "Qwen3 1.7B Q4",
        "No preset",
        "CPU",
        "11.2 tok/s",
        "context 1.2k/8.2k",
        "offline",
    ]
    assert all(part.toolTip() and part.accessibleName() for part in shown)


@pytest.mark.parametrize(("used", "full"), [(100, False), (6553, False), (6554, True), (8192, True)])
def test_a_nearly_full_context_is_said(theme: Theme, holder: QWidget, used: int, full: bool) -> None:
    """From 80 % on the meter turns, and a word says it too."""
    line = StatusLine(holder)
    line.resize(700, 30)
    line.show()
    line.show_facts(replace(FACTS, context_used=used))
    assert ("nearly full" in line.context.text()) is full
    line.context.resize(line.context.sizeHint())
    image = line.context.grab().toImage()
    row = image.height() // 2
    colours = {image.pixelColor(x, row).name() for x in range(image.width() - 40, image.width())}
    assert (theme.tokens.warning in colours) is full


@pytest.mark.parametrize(("estimated", "said"), [(False, "context 8.2k/8.2k"), (True, "context ≈8.2k/8.2k")])
def test_a_context_never_holds_more_than_all(
    theme: Theme, holder: QWidget, estimated: bool, said: str
) -> None:
    """A chat that is longer than the context is told so, and what becomes of its oldest messages."""
    line = StatusLine(holder)
    line.show_facts(replace(FACTS, context_used=9000, context_estimated=estimated))
    assert line.context.text() == f"{said} · full"
    assert "9,000" in line.context.toolTip()
    assert "may leave the oldest messages out" in line.context.toolTip()
    assert not line.context.icon().isNull()


@pytest.mark.parametrize("full", [False, True])
def test_the_meter_can_be_read_in_high_contrast(
    theme: Theme, holder: QWidget, monkeypatch: pytest.MonkeyPatch, full: bool
) -> None:
    """The system's palette has one colour for both of its parts."""
    monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
    theme.apply()
    line = StatusLine(holder)
    line.resize(700, 30)
    line.show()
    line.show_facts(replace(FACTS, context_used=8192 if full else 1000))
    line.context.resize(line.context.sizeHint())
    image = line.context.grab().toImage()
    end = image.pixelColor(image.width() - theme.px(4) - 8, image.height() // 2)
    filled = contrast(end.name(), theme.tokens.surface_1) > 3
    assert filled is full


# -- the row ------------------------------------------------------------------------------------------


def made_line(theme: Theme, holder: QWidget, width: int, facts: LineFacts = EVERYTHING) -> StatusLine:
    line = StatusLine(holder)
    line.show()
    line.show_facts(facts)
    line.resize(width, line.row_height)
    return line


def shown(line: StatusLine) -> list[QToolButton]:
    """The buttons of the row, by their place."""
    found = [each for each in (*line.parts, line.more) if not each.isHidden()]
    return sorted(found, key=lambda each: each.x())


def names(line: StatusLine) -> list[str]:
    return [each.objectName().removeprefix("status_") for each in shown(line)]


@pytest.mark.parametrize("look", ["english", "german", "mirrored"])
@pytest.mark.parametrize("zoom", [100, 200])
@pytest.mark.parametrize("width", [240, 400, 560, 768, 1536])
def test_the_row_is_one_and_nothing_in_it_is_clipped(
    theme: Theme, qapp: QApplication, qtbot: QtBot, look: str, zoom: int, width: int
) -> None:
    """With every part there is, in a narrow and in a wide window; what is not in the row is in the menu."""
    if zoom == 200 and width < 560:
        pytest.skip("no window is that narrow")
    with spoken(qapp, look):
        holder = QWidget()
        holder.resize(1600, 60)
        holder.show()
        qtbot.addWidget(holder)
        theme.set_zoom(zoom)
        line = made_line(theme, holder, width)
        row = shown(line)
        assert all(line.rect().contains(each.geometry()) for each in row)
        assert all(a.geometry().right() < b.x() for a, b in itertools.pairwise(row))
        assert all(each.width() >= each.sizeHint().width() for each in row)
        said = [each for each in row if each.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly]
        assert all(each.fontMetrics().horizontalAdvance(each.text()) < each.width() for each in said)
        hidden = {each.accessibleName() for each in line.parts if each.isHidden() and each.accessibleName()}
        assert set(filter(None, line.more.accessibleDescription().split(", "))) == hidden
        assert bool(hidden) is (line.more in row)
        theme.set_zoom(100)


def test_a_window_of_usual_size_has_room_for_all_of_a_usual_line(theme: Theme, holder: QWidget) -> None:
    """The design's parts in the width of the composer: nothing is cut, nothing is folded."""
    facts = replace(FACTS, network="no network since 10:42")
    line = made_line(theme, holder, 768, facts)
    assert names(line) == ["model", "preset", "device", "speed", "context", "network"]
    assert line.model.text() == facts.model_name


def test_the_name_of_the_model_gives_way_first(theme: Theme, holder: QWidget) -> None:
    """Cut at its end, while a screen reader is told all of it and the loading is still counted."""
    facts = replace(FACTS, model_name=LONG_NAME, network="no network since 10:42")
    line = made_line(theme, holder, 660, facts)
    assert "more" not in names(line)
    assert line.model.text().startswith("Qwen2.5")
    assert line.model.text().endswith("…")
    assert line.model.accessibleName() == LONG_NAME
    line.show_facts(replace(facts, loading=0.43, tokens_per_s=0.0))
    assert line.model.text().startswith("Loading Qwen2.5")
    assert line.model.text().endswith("… 43%")
    line.resize(1200, line.row_height)
    assert line.model.text() == f"Loading {LONG_NAME} 43%"


def test_what_matters_least_folds_first(theme: Theme, holder: QWidget) -> None:
    """That nothing is asked, and the model, never fold."""
    line = made_line(theme, holder, 2000)
    folded: list[str] = []
    for width in range(2000, 200, -4):
        line.resize(width, line.row_height)
        gone = {each.objectName() for each in line.parts if each.isHidden()} - set(folded)
        folded += sorted(gone)
    order = ["device", "speed", "preset", "note", "network", "program", "report", "context"]
    assert folded == [f"status_{each}" for each in order]
    assert names(line) == ["unguarded", "model", "more"]


def test_short_parts_come_back_where_a_long_one_had_to_go(theme: Theme, holder: QWidget) -> None:
    """In a window of usual size a report that does not fit takes no more with it than it must."""
    line = made_line(theme, holder, 755)
    line.show_facts(replace(EVERYTHING, program="", note="", report="Steward closed unexpectedly " * 3))
    assert line.report.isHidden()
    shown = [part for part in (*line.parts, line.more) if not part.isHidden()]
    room = line.width() - sum(part.width() + theme.px(GAP) for part in shown)
    assert [part.objectName() for part in line._folded if part.sizeHint().width() <= room] == []
    assert line.network in shown


def test_a_folded_part_is_pressed_in_the_menu(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """The button at the end opens it, by key too; each line there does what the button in the row does."""
    line = made_line(theme, holder, 320)
    menu = line.findChild(QMenu, "status_menu")
    assert menu is not None
    assert line.more.accessibleName()
    qtbot.keyClick(line.more, Qt.Key.Key_Space)
    qtbot.waitUntil(menu.isVisible)
    assert [each.text() for each in menu.actions()] == [
        each.accessibleName() for each in line.parts if each.isHidden()
    ]
    (speed,) = [each for each in menu.actions() if each.objectName() == "folded_status_speed"]
    with qtbot.waitSignal(line.speed_clicked, timeout=1000):
        speed.trigger()
    menu.close()


def test_the_open_menu_stays_as_it_is(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """While an answer comes the facts change all the time."""
    line = made_line(theme, holder, 320)
    menu = line.findChild(QMenu, "status_menu")
    assert menu is not None
    line.more.click()
    before = menu.actions()
    line.show_facts(replace(EVERYTHING, tokens_per_s=12.5))
    assert before
    assert menu.actions() == before
    menu.close()
