"""Pictures of every state of the chat window, kept in test-artefacts/, and what must be true of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QAbstractButton, QLabel, QToolButton, QWidget

from desktop.chat.attachments import Draft
from desktop.chat.events import AnswerGrew, TurnFailed
from desktop.chat.messages import ToolRecord
from desktop.chat.store import AnswerEnding, MessageStatus, Role
from desktop.settings import Theme as Mode
from desktop.tools.calls import CallStatus
from desktop.tools.reasons import ToolReason
from desktop.ui.theme import LIGHT, Theme, contrast
from tests.fakes.failures import failure
from tests.ui.chat.conftest import *  # noqa: F403 - the fixtures of the window
from tests.ui.chat.conftest import Desk
from tests.ui.chat.samples import LONG_ANSWER, RIGHT_TO_LEFT, WIDE_TABLE

pytestmark = pytest.mark.pictures

ARTEFACTS = Path(__file__).resolve().parents[2] / "test-artefacts"


def picture(desk: Desk, name: str) -> QImage:
    desk.settle()
    desk.qtbot.wait(30)
    ARTEFACTS.mkdir(exist_ok=True)
    image = desk.window.grab().toImage()
    assert image.save(str(ARTEFACTS / f"chat-{name}.png"))
    return image


def conversation(desk: Desk, *answers: str, question: str = "How do I read a file?") -> int:
    """A conversation with these answers, open in the window."""
    made = desk.store.create()
    for text in answers:
        _, answer = desk.store.open_turn(made.id, question)
        desk.store.grow(answer.id, text, "")
        desk.store.close_answer(
            answer.id, AnswerEnding(MessageStatus.COMPLETE, "Scripted 1B Q4", None, 212, 11.3, 18.8)
        )
    desk.window.open_conversation(made.id)
    desk.window.controller.refresh_conversations()
    desk.qtbot.waitUntil(lambda: desk.window.sidebar.model.rowCount() > 0)
    desk.settle()
    return made.id


def clipped(window: QWidget, beyond_px: int = 8) -> list[str]:
    """Visible labels and buttons whose words do not fit, or that reach beyond what holds them."""
    found = []
    for widget in [*window.findChildren(QLabel), *window.findChildren(QAbstractButton)]:
        if not widget.isVisible() or not widget.text() or widget.objectName() == "qt_toolbar_ext_button":
            continue
        if isinstance(widget, QToolButton) and is_icon_alone(widget):
            continue
        wraps = isinstance(widget, QLabel) and widget.wordWrap()
        needed = widget.heightForWidth(widget.width()) if wraps else widget.sizeHint().height()
        if widget.height() < min(needed, widget.sizeHint().height() if not wraps else needed):
            found.append(f"{widget.objectName()} {widget.text()!r}: {widget.height()} of {needed} high")
        if not wraps and widget.width() < widget.fontMetrics().horizontalAdvance(
            widget.text().replace("&", "")
        ):
            found.append(f"{widget.objectName()} {widget.text()!r}: too narrow")
        parent = widget.parentWidget()
        room = (
            parent.rect().adjusted(-beyond_px, 0, beyond_px, 0) if parent is not None else widget.geometry()
        )
        if not room.contains(widget.geometry()):
            found.append(f"{widget.objectName()} {widget.text()!r}: outside")
    return found


def is_icon_alone(button: QToolButton) -> bool:
    """Whether its words are said, but not painted."""
    return button.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly


def colours_in(image: QImage, window: QWidget, widget: QWidget) -> set[str]:
    """All colours that are painted where `widget` is."""
    area = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()) & image.rect()
    return {
        image.pixelColor(x, y).name()
        for x in range(area.left(), area.right())
        for y in range(area.top(), area.bottom())
    }


def readable(image: QImage, window: QWidget, widget: QWidget) -> float:
    """The best contrast between two colours painted in `widget`: that of its text on its ground."""
    area = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()) & image.rect()
    ground = image.pixelColor(area.left() + 1, area.bottom() - 1).name()
    return max(contrast(ground, colour) for colour in colours_in(image, window, widget))


def test_empty(desk: Desk) -> None:
    """A new chat greets, the composer has the focus, and nothing is cut off."""
    image = picture(desk, "empty")
    assert clipped(desk.window) == []
    assert readable(image, desk.window, desk.window.pane.empty.greeting) > 10
    composer = desk.window.pane.composer.geometry()
    assert abs(composer.center().x() - desk.window.pane.width() // 2) <= 1


@pytest.mark.parametrize("mode", [Mode.LIGHT, Mode.DARK])
def test_long_answer(desk: Desk, mode: Mode) -> None:
    """Headings, code, lists, a table: all there, in both themes, readable."""
    desk.theme.set_mode(mode)
    conversation(desk, LONG_ANSWER)
    desk.window.pane.transcript.verticalScrollBar().setValue(0)
    picture(desk, f"long-{mode.value}-top")
    assert clipped(desk.window) == []
    desk.window.pane.transcript.jump_to_latest()
    image = picture(desk, f"long-{mode.value}-end")
    assert clipped(desk.window) == []
    answer = desk.window.pane.transcript.live_views[-1]
    assert answer.arrange(answer.width()) == answer.height()
    background = QColor(desk.theme.tokens.background)
    assert image.pixelColor(desk.window.pane.x() + 4, 4) == background


def test_streaming(desk: Desk) -> None:
    """While an answer comes: Stop in the place of Send, no copy button yet."""
    desk.window.pane.composer.show()
    made = desk.store.create()
    _, answer = desk.store.open_turn(made.id, "Tell me about tides.")
    desk.window.open_conversation(made.id)
    desk.window.controller._set_busy(made.id, True)
    desk.window.pane.transcript.set_waiting("Loading model 43%")
    picture(desk, "waiting")
    desk.store.grow(answer.id, "The moon pulls at the water. ", "")
    desk.bus.publish(AnswerGrew(made.id, answer.id, "The moon pulls at the water. ", "", 0, 0))
    desk.qtbot.waitUntil(lambda: "moon" in desk.window.pane.transcript.messages[-1].text)
    desk.window.controller.send(Draft("And what about the sun?"))
    picture(desk, "streaming")
    assert clipped(desk.window) == []
    assert desk.window.pane.composer.send_button.accessibleName().startswith("Stop")


def test_error(desk: Desk) -> None:
    """A failed answer keeps what came and shows cause, what was not lost, one action."""
    made = desk.store.create()
    _, answer = desk.store.open_turn(made.id, "Tell me about tides.")
    desk.window.open_conversation(made.id)
    failed = desk.store.close_answer(answer.id, AnswerEnding(MessageStatus.FAILED))
    error = failure(
        "No model has been chosen.", "Your message is kept.", "Choose one in the model manager.", "no-model"
    )
    desk.bus.publish(TurnFailed(made.id, failed, error))
    desk.qtbot.waitUntil(lambda: desk.window.findChild(QWidget, "error_card") is not None)
    picture(desk, "error")
    assert clipped(desk.window) == []


@pytest.mark.parametrize("zoom", [80, 200])
def test_zoom(desk: Desk, zoom: int) -> None:
    """The layout holds at the smallest and the largest text size."""
    conversation(desk, LONG_ANSWER)
    desk.theme.set_zoom(zoom)
    picture(desk, f"zoom-{zoom}")
    assert desk.window.pane.composer.text.viewport().font().pixelSize() == 15 * zoom // 100
    assert clipped(desk.window) == []


def test_zoom_empty(desk: Desk) -> None:
    """The greeting fits at 200 % too."""
    desk.theme.set_zoom(200)
    picture(desk, "zoom-200-empty")
    assert clipped(desk.window) == []


@pytest.mark.parametrize("sidebar", [False, True])
def test_narrow(desk: Desk, sidebar: bool) -> None:
    """In 480 px the sidebar gives way, and lies over the conversation when asked for."""
    conversation(desk, LONG_ANSWER)
    desk.window.resize(480, 760)
    desk.settle()
    assert not desk.window.sidebar.isVisible()
    if sidebar:
        desk.window.toggle_sidebar()
    picture(desk, "narrow-sidebar" if sidebar else "narrow")
    assert clipped(desk.window) == []
    assert desk.window.pane.width() == 480


def test_narrow_empty(desk: Desk) -> None:
    """The greeting in 480 px."""
    desk.window.resize(480, 600)
    picture(desk, "narrow-empty")
    assert clipped(desk.window) == []


def test_right_to_left(desk: Desk) -> None:
    """Hebrew and Arabic paragraphs stand on the right, English ones on the left."""
    conversation(desk, RIGHT_TO_LEFT, question="כתוב משהו")
    picture(desk, "rtl")
    prose = desk.window.pane.transcript.live_views[-1].blocks.parts[0]
    document = prose.document()
    starts = []
    block = document.begin()
    while block.isValid():
        starts.append(block.layout().lineAt(0).naturalTextRect().left() > prose.width() / 3)
        block = block.next()
    assert starts == [True, True, False]


def test_mirrored(desk: Desk) -> None:
    """Under a right-to-left locale the sidebar stands on the right."""
    conversation(desk, RIGHT_TO_LEFT, question="כתוב משהו")
    desk.window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    desk.window.resize(desk.window.width() + 1, desk.window.height())
    picture(desk, "mirrored")
    assert desk.window.sidebar.x() == desk.window.width() - desk.theme.px(264)
    assert desk.window.pane.x() == 0
    assert clipped(desk.window) == []


def test_high_contrast(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """With high contrast only the system's colours are painted, and borders still show."""
    palette = QPalette(QColor("#000000"))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(role, QColor("#ffff00"))
    palette.setColor(QPalette.ColorRole.Base, QColor("#000000"))
    palette.setColor(QPalette.ColorRole.Link, QColor("#00ffff"))
    palette.setColor(QPalette.ColorRole.Highlight, QColor("#00ff00"))
    palette.setColor(QPalette.ColorRole.HighlightedText, QColor("#000000"))
    desk.theme._system_palette = palette
    monkeypatch.setattr(Theme, "high_contrast", property(lambda _self: True))
    desk.theme.apply()
    conversation(desk, LONG_ANSWER)
    image = picture(desk, "high-contrast")
    painted = colours_in(image, desk.window, desk.window.pane.composer)
    assert "#000000" in painted
    assert "#ffff00" in painted  # its border
    assert LIGHT.control_border not in painted
    row = desk.window.sidebar.list
    assert {"#00ff00", "#000000"} <= colours_in(image, desk.window, row)
    answer = desk.window.pane.transcript.live_views[-1]
    assert "#ffff00" in colours_in(image, desk.window, answer)


def test_wide_table(desk: Desk) -> None:
    """A wide table scrolls in its own frame and does not widen the column."""
    conversation(desk, WIDE_TABLE)
    picture(desk, "wide-table")
    table = desk.window.pane.transcript.live_views[-1].blocks.parts[0]
    assert table.view.horizontalScrollBar().maximum() > 0
    assert table.width() <= desk.theme.px(768)


def test_many_chats(desk: Desk) -> None:
    """Sixty conversations in groups, one pinned, one busy, long titles cut with dots."""
    for number in range(60):
        made = desk.store.create(f"Chat {number} about something that has a rather long name")
        desk.store.add(made.id, Role.USER, f"Question {number}")
        if number == 5:
            desk.store.set_pinned(made.id, True)
    desk.window.controller.refresh_conversations()
    desk.qtbot.waitUntil(lambda: desk.window.sidebar.model.rowCount() > 50)
    desk.window.open_conversation(made.id)
    desk.window.controller._set_busy(made.id, True)
    image = picture(desk, "many-chats")
    assert clipped(desk.window) == []
    row = desk.window.sidebar.list.visualRect(desk.window.sidebar.model.index_of(made.id))
    assert row.height() == desk.theme.px(32)
    assert desk.theme.tokens.accent in colours_in(image, desk.window, desk.window.sidebar.list)


def test_notice_and_thinking(desk: Desk) -> None:
    """A notice is one quiet line; thinking is one closed line that opens to at most 192 px."""
    made = desk.store.create()
    _, answer = desk.store.open_turn(made.id, "Why is the sky blue?")
    desk.store.grow(answer.id, "Short waves scatter more.", "Let me think about light. " * 80)
    desk.store.close_answer(
        answer.id, AnswerEnding(MessageStatus.LENGTH, "Scripted 1B Q4", 6.2, 12, 10.0, 7.4)
    )
    desk.store.add(made.id, Role.NOTICE, "To make room, the model no longer sees the 4 oldest messages.")
    desk.store.add(made.id, Role.USER, "word " * 3000)
    _, answer = desk.store.open_turn(made.id, "Go on")
    desk.store.grow(answer.id, "Because of Rayleigh", "Hm.")
    desk.store.close_answer(
        answer.id, AnswerEnding(MessageStatus.LENGTH, "Scripted 1B Q4", 1.2, 3, 10.0, 7.4)
    )
    desk.window.open_conversation(made.id)
    desk.settle()
    desk.window.pane.transcript.verticalScrollBar().setValue(0)
    view = desk.window.pane.transcript.live_views[1]
    view.thinking.button.click()
    desk.settle()
    desk.window.pane.transcript.verticalScrollBar().setValue(0)
    picture(desk, "thinking")
    assert view.thinking.area.height() <= desk.theme.px(192)
    assert clipped(desk.window) == []
    desk.window.pane.transcript.jump_to_latest()
    picture(desk, "cut-answer")
    assert clipped(desk.window) == []


READ = ToolRecord(
    "c1",
    "read_file",
    {"path": "notes.txt"},
    CallStatus.DONE,
    "it only reads",
    0.2,
    verb=ToolReason.VERB_READ_FILE,
)
CARDS = (
    (READ, "Milk, bread, and the long list of everything that is still to be bought.\n" * 30),
    (
        ToolRecord(
            "c2", "current_time", {}, CallStatus.DONE, "it only reads", 0.1, verb=ToolReason.VERB_CURRENT_TIME
        ),
        "2026-11-20 10:00",
    ),
    (
        ToolRecord(
            "c3",
            "write_file",
            {
                "path": "Summary of everything that was said in the meeting of last Thursday.txt",
                "content": "x",
            },
            CallStatus.DONE,
            "allowed by the user",
            0.1,
            verb=ToolReason.VERB_WRITE_FILE,
        ),
        "Wrote 1 byte.",
    ),
    (
        ToolRecord(
            "c4",
            "delete_file",
            {"path": "old.txt"},
            CallStatus.DENIED,
            "the user said no",
            2.0,
            verb=ToolReason.VERB_DELETE_FILE,
        ),
        "Not allowed: the user said no. Nothing was changed.",
    ),
    (
        ToolRecord(
            "c5",
            "screenshot_ocr",
            {},
            CallStatus.FAILED,
            "it only reads",
            0.1,
            verb=ToolReason.VERB_SCREENSHOT_OCR,
        ),
        "Reading text from pictures needs tesseract, which is not installed. Nothing was read. "
        "Install it with: sudo apt install tesseract-ocr",
    ),
    (ToolRecord("c6", "run_command", {"command": "make docs"}, verb=ToolReason.VERB_RUN_COMMAND), ""),
    (ToolRecord("c7", "run_command", {"command": "make clean"}, verb=ToolReason.VERB_RUN_COMMAND), ""),
)


def cards(desk: Desk) -> list[int]:
    """A conversation with a card in every state; the last asks, the one before runs."""
    made = desk.store.create()
    desk.store.add(made.id, Role.USER, "Read my notes and put the summary into a file.")
    ids = []
    for record, result in CARDS:
        opened = desk.store.add_call(made.id, replace(record, ending=None, decision="", seconds=0.0))
        if record.ending is not None:
            desk.store.close_call(opened.id, record, result)
        ids.append(opened.id)
    desk.window.open_conversation(made.id)
    desk.window.controller._shown.show_asking(made.id, "c7", asking=True)
    desk.settle()
    return ids


def cut(desk: Desk) -> list[str]:
    """Parts of cards that are cut off. Lines begin a little outside, so that their words are in line."""
    return [item for item in clipped(desk.window) if "tool_" in item and "outside" not in item]


@pytest.mark.parametrize("look", ["light", "dark", "zoom-200", "narrow", "mirrored"])
def test_cards(desk: Desk, look: str) -> None:
    """Done, grouped, denied, failed with its reason, running, asking: told apart by icon and words."""
    desk.theme.set_mode(Mode.DARK if look == "dark" else Mode.LIGHT)
    if look == "zoom-200":
        desk.theme.set_zoom(200)
    if look == "narrow":
        desk.window.resize(480, 760)
    if look == "mirrored":
        desk.window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        desk.window.resize(desk.window.width() + 1, desk.window.height())
    desk.settings.change("permissions", "dangerously_skip_permissions", look == "dark")
    ids = cards(desk)
    desk.window.pane.transcript.verticalScrollBar().setValue(0)
    picture(desk, f"cards-{look}")
    assert cut(desk) == []
    head = desk.window.pane.transcript.view(ids[0])
    assert head is not None
    head.group.button.click()  # type: ignore[attr-defined]
    head.button.click()  # type: ignore[attr-defined]
    desk.settle()
    desk.window.pane.transcript.verticalScrollBar().setValue(0)
    picture(desk, f"cards-{look}-open")
    assert cut(desk) == []


@pytest.mark.parametrize("zoom", [100, 200])
def test_versions_and_the_editor(desk: Desk, zoom: int) -> None:
    """Arrows under a message that has versions, the editor in one, and the window of presets."""
    desk.theme.set_zoom(zoom)
    made = conversation(desk, "About an hour.", question="How long does dough have to rise?")
    question = desk.store.messages(made)[0]
    _, answer = desk.store.open_turn(made, "And in the fridge?", instead_of=question.id)
    desk.store.close_answer(answer.id, AnswerEnding(MessageStatus.COMPLETE))
    desk.window.new_chat()
    desk.window.open_conversation(made)
    desk.settle()
    row = desk.window.pane.transcript.live_views[0].row
    assert row is not None
    assert row.versions.label.text() == "2/2"
    picture(desk, f"versions-{zoom}")
    assert clipped(desk.window) == []
    assert desk.window.pane.transcript.edit_last_question()
    picture(desk, f"editing-{zoom}")
    assert clipped(desk.window) == []
    desk.window.presets.edit()
    dialog = desk.window.findChild(QWidget, "preset_dialog")
    assert dialog is not None
    desk.settle()
    assert dialog.grab().save(str(ARTEFACTS / f"presets-{zoom}.png"))
    assert clipped(dialog) == []
    dialog.close()
    desk.theme.set_zoom(100)
