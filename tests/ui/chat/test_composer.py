from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from desktop.ui.chat.composer import Composer
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import show_active


@pytest.fixture
def composer(theme: Theme, qtbot: QtBot) -> Iterator[Composer]:
    window = QWidget()
    window.resize(700, 600)
    qtbot.addWidget(window)
    made = Composer(theme, window)
    made.setGeometry(0, 0, 700, 56)
    made.height_changed.connect(lambda: made.resize(700, made.height_for(700, 600)))
    show_active(window, qtbot)
    yield made
    window.close()


def sent_by(composer: Composer) -> list[str]:
    sent: list[str] = []
    composer.sent.connect(sent.append)
    return sent


def test_enter_sends_and_empties(composer: Composer, qtbot: QtBot) -> None:
    """Enter sends what is in the box; the box is empty then."""
    sent = sent_by(composer)
    qtbot.keyClicks(composer.text, "Hello")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert sent == ["Hello"]
    assert composer.draft() == ""


def test_shift_enter_is_a_new_line(composer: Composer, qtbot: QtBot) -> None:
    """Shift+Enter goes to the next line and sends nothing."""
    sent = sent_by(composer)
    qtbot.keyClicks(composer.text, "a")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.text, "b")
    assert sent == []
    assert composer.draft() == "a\nb"


def test_enter_while_composing_belongs_to_the_input_method(composer: Composer, qtbot: QtBot) -> None:
    """During a composition neither Enter nor Esc reaches the program; after it Enter sends."""
    sent, stops = sent_by(composer), []
    composer.stop_wanted.connect(lambda: stops.append(1))
    composer.set_busy(True)
    QApplication.sendEvent(composer.text, QInputMethodEvent("にほ", []))
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    qtbot.keyClick(composer.text, Qt.Key.Key_Escape)
    assert (sent, stops) == ([], [])
    done = QInputMethodEvent("", [])
    done.setCommitString("日本")
    QApplication.sendEvent(composer.text, done)
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert [text.strip() for text in sent] == ["日本"]


def test_send_says_why_it_is_off(composer: Composer, qtbot: QtBot) -> None:
    """An empty box cannot be sent and the tooltip says so; blanks count as empty."""
    assert not composer.send_button.isEnabled()
    assert composer.send_button.toolTip() == "Nothing to send yet: type a message"
    qtbot.keyClicks(composer.text, "   ")
    assert not composer.send_button.isEnabled()
    qtbot.keyClicks(composer.text, "x")
    assert composer.send_button.isEnabled()


def test_stop_stands_where_send_was(composer: Composer, qtbot: QtBot) -> None:
    """While busy the same button stops; typing goes on and Enter queues."""
    before = composer.send_button.geometry()
    composer.set_busy(True)
    assert composer.send_button.geometry() == before
    assert composer.send_button.accessibleName() == "Stop the answer (Esc)"
    stops: list[int] = []
    composer.stop_wanted.connect(lambda: stops.append(1))
    qtbot.mouseClick(composer.send_button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(composer.text, Qt.Key.Key_Escape)
    assert len(stops) == 2
    sent = sent_by(composer)
    qtbot.keyClicks(composer.text, "next")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert sent == ["next"]


def test_up_in_the_empty_box_recalls(composer: Composer, qtbot: QtBot) -> None:
    """Up asks for the last question only where there is nothing to lose."""
    asked: list[int] = []
    composer.recall_wanted.connect(lambda: asked.append(1))
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    qtbot.keyClicks(composer.text, "x")
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    assert asked == [1]


@pytest.mark.parametrize("zoom", [100, 200])
def test_grows_to_40_percent(composer: Composer, theme: Theme, zoom: int) -> None:
    """56 px when empty, a line more for a line more, and never above 40 % of the window."""
    theme.set_zoom(zoom)
    heights = []
    for lines in (1, 2, 5, 100):
        composer.set_text("\n".join(["line"] * lines))
        heights.append(composer.height_for(700, 600))
    assert heights[0] == 56 * zoom // 100
    assert heights == sorted(heights)
    assert heights[-1] == 240
    if zoom == 100:
        assert heights[0] < heights[2] < heights[3]


def test_a_long_paste_becomes_a_chip(composer: Composer) -> None:
    """More than 2,000 pasted characters stand above the box as one chip and are sent along."""
    sent = sent_by(composer)
    data = QMimeData()
    data.setText("line of text\n" * 100_000)
    composer.text.insertPlainText("Summarise:")
    started = time.process_time()
    composer.text.insertFromMimeData(data)
    assert time.process_time() - started < 0.2
    assert composer.text.toPlainText() == "Summarise:"
    chip = composer.findChild(QWidget, "attachment_0")
    assert chip is not None
    assert "325,000 tokens" in chip.label.text()  # type: ignore[attr-defined]
    composer.send_button.click()
    assert sent[0].startswith("Summarise:\n\nline of text\n")
    assert len(sent[0]) > 1_000_000
    assert composer.draft() == ""


def test_a_chip_can_be_taken_away(composer: Composer, qtbot: QtBot) -> None:
    """The cross removes that attachment and no other."""
    composer.add_attachment("first")
    composer.add_attachment("second")
    cross = composer.findChild(QWidget, "attachment_0_remove")
    qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert composer.draft() == "second"


def test_rich_text_is_pasted_as_plain(composer: Composer) -> None:
    """Formats, pictures and links of a web page do not come along."""
    data = QMimeData()
    data.setHtml("<b>bold</b><img src='file:///x.png'>")
    data.setText("bold")
    composer.text.insertFromMimeData(data)
    assert composer.draft() == "bold"


def test_the_clipboard_can_be_added(composer: Composer) -> None:
    """The plus menu adds the text of the clipboard; without text the entry is off."""
    menu = composer.add_button.menu()
    action = menu.actions()[0]
    QGuiApplication.clipboard().setText("copied words")
    menu.aboutToShow.emit()
    assert action.isEnabled()
    action.trigger()
    assert composer.draft() == "copied words"
    QGuiApplication.clipboard().setText("")
    menu.aboutToShow.emit()
    assert not action.isEnabled()


def test_the_queue_shows_and_gives_back(composer: Composer, qtbot: QtBot) -> None:
    """Each waiting message is a chip whose cross takes it back."""
    taken: list[int] = []
    composer.unqueue_wanted.connect(taken.append)
    composer.show_queue(["first waiting message", "second"])
    cross = composer.findChild(QWidget, "queued_1_remove")
    qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert taken == [1]
    composer.show_queue([])
    assert composer._queued.count() == 0
