"""Quick-ask: from key to key, with real turns, rules and store."""

from __future__ import annotations

import pytest

from tests.fakes.failures import failure

pytest.importorskip("PySide6", reason="Quick-ask is a window")
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton

from desktop.chat.attachments import AttachmentKind, Draft, of_message
from desktop.chat.store import MessageStatus, Role
from desktop.errors import UserFacing
from desktop.system.hotkey.grabber import HotkeyPress
from desktop.tools.clipboard import Clip
from desktop.tools.screen import Picture
from desktop.ui.chat.answer import Dots
from desktop.ui.quick_ask.quick_ask import KEPT_S, SETTLED_S
from desktop.ui.quick_ask.window import BLUR_MS
from desktop.ui.shortcuts import ShortcutSheet
from tests.ui.quick_ask.conftest import Quick


def test_shown_with_the_focus_and_hidden_by_the_same_key(quick: Quick) -> None:
    """The focus is remembered before, and given back after; the model is warmed at the press."""
    quick.use_model()
    quick.show()
    assert quick.ask.window.field.hasFocus()
    quick.qtbot.waitUntil(lambda: quick.engine.status.model_id == "scripted")
    quick.ask.toggle()
    assert not quick.ask.window.isVisible()
    assert quick.focus.calls == ["remember", "bring", "give back"]


def test_the_desktops_leave_to_take_the_focus_is_used(quick: Quick) -> None:
    """Wayland gives a token along with the press."""
    quick.ask.toggle(HotkeyPress("token-1"))
    assert quick.focus.token == "token-1"


def test_fifty_presses_leave_it_in_a_state_that_works(quick: Quick) -> None:
    """An even number hides it again, and there are no more windows than before."""

    def windows() -> int:
        return sum(each.objectName() == "quick_ask" for each in QApplication.topLevelWidgets())

    quick.ask.toggle()
    QApplication.processEvents()
    before = windows()
    for _ in range(49):
        quick.ask.toggle()
        QApplication.processEvents()
    assert windows() <= before  # an earlier test's may have gone meanwhile
    assert not quick.ask.window.isVisible()


def test_an_answer_and_a_follow_up(quick: Quick) -> None:
    """Both are asked in one conversation of the ordinary store."""
    quick.use_model()
    quick.backend.answers = ["First.", "Second."]
    quick.show()
    quick.send("What is a list?")
    quick.send("And a tuple?")
    messages = quick.store.messages(quick.ask.conversation_id)
    assert [m.text for m in messages] == ["What is a list?", "First.", "And a tuple?", "Second."]
    assert [m.text for m in quick.ask.window.transcript.messages] == [m.text for m in messages]
    assert quick.ask.window.field.toPlainText() == ""


def test_what_is_sent_meanwhile_waits_its_turn(quick: Quick) -> None:
    """It is shown as a chip, can be taken back, and is asked afterwards."""
    quick.use_model()
    quick.backend.answers = ["First.", "Third."]
    quick.show()
    for text in ("one", "two", "three"):
        quick.ask.talk.send(Draft(text))
    assert quick.ask.talk.queue == ("two", "three")
    quick.ask.talk.unqueue(0)
    with quick.qtbot.waitSignals([quick.ask.turn_over, quick.ask.turn_over]):
        pass
    questions = [m.text for m in quick.store.messages(quick.ask.conversation_id) if m.role is Role.USER]
    assert questions == ["one", "three"]


def test_what_an_answer_waits_for_is_said_once(quick: Quick) -> None:
    """Beside its dots, and in the last line only while there is no answer."""
    quick.use_model()
    quick.backend.prompt_token_s = 0.05
    quick.show()
    window = quick.ask.window
    window.show_waiting("Loading model 43%")
    assert window.footer.keys.text().startswith("Loading model 43% · ")
    quick.type("What is a list?")
    quick.qtbot.keyClick(window.field, Qt.Key.Key_Return)
    quick.qtbot.waitUntil(lambda: len(window.transcript.messages) == 2 and quick.ask.talk.is_busy)
    window.show_waiting("Loading model 44%")
    waiting = window.findChild(Dots)
    assert waiting is not None
    assert waiting.words == "Loading model 44%"
    assert "Loading" not in window.footer.keys.text()


def test_escape_stops_before_it_hides(quick: Quick) -> None:
    """Once to stop, once more to hide; what was said is kept."""
    quick.use_model()
    quick.backend.answers, quick.backend.token_s = "word " * 4000, 0.002
    quick.show()
    quick.type("Tell me a lot")
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return)
    quick.qtbot.waitUntil(lambda: len(quick.ask.window.transcript.messages) == 2)
    quick.qtbot.waitUntil(lambda: bool(quick.ask.window.transcript.messages[1].text))
    with quick.qtbot.waitSignal(quick.ask.turn_over):
        quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Escape)
    assert quick.ask.window.isVisible()
    quick.qtbot.waitUntil(lambda: quick.ask.window.transcript.messages[1].status is MessageStatus.STOPPED)
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Escape)
    assert not quick.ask.window.isVisible()


def test_escape_belongs_to_an_input_method_first(quick: Quick) -> None:
    """While letters are being composed neither Esc nor Enter is ours."""
    quick.show()
    QApplication.sendEvent(quick.ask.window.field, QInputMethodEvent("に", []))
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Escape)
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return)
    assert quick.ask.window.isVisible()
    assert not quick.ask.talk.is_busy


@pytest.mark.parametrize(("away_s", "kept"), [(KEPT_S - 1, "a draft"), (KEPT_S + 1, "")])
def test_a_draft_survives_hiding_for_ten_minutes(quick: Quick, away_s: float, kept: str) -> None:
    """After that a press means something new."""
    quick.show()
    quick.type("a draft")
    quick.ask.hide()
    quick.clock.at += away_s
    quick.show()
    assert quick.ask.window.draft().text == kept
    assert quick.ask.window.field.textCursor().selectedText() == kept


def test_hidden_while_it_answers_it_says_so_once(quick: Quick) -> None:
    """The answer is whole, in the store and in the window, however long it takes to come back."""
    quick.use_model()
    quick.backend.answers, quick.backend.token_s = "one two three four", 0.02
    told: list[tuple[str, str]] = []
    quick.ask.finished_hidden.connect(lambda title, text: told.append((title, text)))
    quick.show()
    quick.type("Count")
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return)
    with quick.qtbot.waitSignal(quick.ask.turn_over):
        quick.ask.hide()
    quick.qtbot.waitUntil(lambda: bool(told))
    assert told == [("Steward has answered", "one two three four")]
    quick.clock.at += KEPT_S * 5
    quick.show()
    assert quick.ask.window.transcript.messages[-1].text == "one two three four"
    quick.ask.hide()
    quick.clock.at += KEPT_S * 5
    quick.show()
    assert quick.ask.conversation_id == 0
    assert len(told) == 1


def test_into_the_main_window(quick: Quick) -> None:
    """Ctrl+Enter hands over the same conversation and the draft, and begins anew here."""
    quick.use_model()
    quick.show()
    quick.send("Hello")
    number = quick.ask.conversation_id
    quick.type("and more")
    quick.ask.window.chips.attach("clipboard", "the text of a letter")
    with quick.qtbot.waitSignal(quick.ask.window_requested) as asked:
        quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert asked.args is not None
    assert asked.args[0] == number
    moved = asked.args[1]
    assert moved.text == "and more"
    assert [(each.text, each.about.tainted_by) for each in moved.attachments] == [
        ("the text of a letter", "the clipboard")
    ]
    assert not quick.ask.window.isVisible()
    assert "give back" not in quick.focus.calls
    quick.show()
    assert quick.ask.conversation_id == 0
    assert quick.ask.window.draft() == Draft()


def test_into_the_main_window_while_it_answers(quick: Quick) -> None:
    """The answer goes on there; here it is not told of any more, except that its turn is over."""
    quick.use_model()
    quick.backend.token_s = 0.02
    finished: list[str] = []
    quick.ask.finished_hidden.connect(lambda title, _text: finished.append(title))
    quick.show()
    quick.ask.talk.send(Draft("Hello"))
    quick.qtbot.waitUntil(lambda: quick.ask.conversation_id > 0)
    number = quick.ask.conversation_id
    with quick.qtbot.waitSignal(quick.ask.turn_over) as over:
        quick.ask.window.window_wanted.emit()
    assert over.args == [number]
    assert quick.store.messages(number)[-1].status is MessageStatus.COMPLETE
    assert finished == []


# -- rules ----------------------------------------------------------------------------------------


def test_a_sum_is_answered_while_it_is_typed(quick: Quick) -> None:
    """Above the offer to ask the model; Enter copies the result, nothing is asked."""
    quick.show()
    quick.type("12 * 8.5")
    rows = [row.suggestion.text for row in quick.ask.window.suggestions.rows]
    assert rows == ["12 * 8.5 = 102", "Ask the model"]
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return)
    assert QGuiApplication.clipboard().text() == "102"
    assert quick.ask.conversation_id == 0


def test_the_model_can_be_asked_all_the_same(quick: Quick) -> None:
    """Down and Enter: no rule answers in its place."""
    quick.use_model()
    quick.backend.answers = "About a hundred."
    quick.show()
    quick.type("12 * 8.5")
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Down)
    with quick.qtbot.waitSignal(quick.ask.turn_over):
        quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return)
    quick.settle()
    assert quick.ask.window.transcript.messages[-1].text == "About a hundred."


def test_a_page_is_opened(quick: Quick) -> None:
    """By its name, and this window goes."""
    quick.show()
    quick.type("open settings")
    with quick.qtbot.waitSignal(quick.ask.page_requested) as asked:
        quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return)
    assert asked.args == ["settings"]
    assert not quick.ask.window.isVisible()


def test_a_suggestion_goes_with_the_words(quick: Quick) -> None:
    """What no rule knows has none."""
    quick.show()
    quick.type("2 + 2")
    assert quick.ask.window.suggestions.rows
    quick.type(" is what my teacher said")
    assert not quick.ask.window.suggestions.rows
    assert quick.ask.window.suggestions.isHidden()


# -- context --------------------------------------------------------------------------------------


def test_only_lengths_are_known_before_the_click(quick: Quick) -> None:
    """The text of the clipboard is in no widget until its chip is pressed; then it goes along."""
    quick.use_model()
    quick.board.clip = Clip("the text of a letter")
    quick.show()
    chip = quick.ask.window.chips._offers["clipboard"]
    quick.qtbot.waitUntil(chip.isVisible)
    assert chip.text().strip() == "Clipboard · 20 characters"
    assert "letter" not in str([w.__dict__ for w in (quick.ask, quick.ask.window.chips)])
    chip.click()
    assert [each.text for each in quick.ask.window.chips.attached] == ["the text of a letter"]
    quick.send("Summarise")
    question = quick.store.messages(quick.ask.conversation_id)[0]
    assert question.text == "Summarise"
    sent = of_message(quick.store.database, question.id)
    assert [(each.text, each.about.kind) for each in sent] == [
        ("the text of a letter", AttachmentKind.CLIPBOARD)
    ]
    assert question.attachments[0].tainted_by == "the clipboard"
    assert "the text of a letter" in quick.backend.prompts[-1]


def test_what_went_along_is_a_chip_that_opens_its_text(quick: Quick) -> None:
    """In the conversation as in the main window; its text gets a window of its own, and this one stays."""
    quick.use_model()
    quick.board.clip = Clip("the text of a letter")
    quick.show()
    chip = quick.ask.window.chips._offers["clipboard"]
    quick.qtbot.waitUntil(chip.isVisible)
    chip.click()
    quick.send("Summarise")
    buttons = quick.ask.window.transcript.live_views[0].findChildren(QAbstractButton)
    quick.qtbot.mouseClick(next(b for b in buttons if "Clipboard" in b.text()), Qt.MouseButton.LeftButton)
    quick.qtbot.waitUntil(lambda: quick.ask._viewer is not None and quick.ask._viewer.isVisible())
    assert quick.ask._viewer is not None
    assert quick.ask._viewer.box.toPlainText() == "the text of a letter"
    quick.clock.at += 60
    quick.qtbot.wait(200)
    assert quick.ask.window.isVisible()
    quick.ask._viewer.close()


def test_a_branch_that_is_opened_elsewhere_is_shown_here_too(quick: Quick) -> None:
    """The main window shows the same chat: what it opens or deletes changes this window at once."""
    quick.use_model()
    quick.backend.answers = ["One.", "Two."]
    quick.show()
    quick.send("Count")
    number = quick.ask.conversation_id
    first = quick.store.messages(number)[1].id
    quick.turns.regenerate(number)
    transcript = quick.ask.window.transcript
    quick.qtbot.waitUntil(lambda: [each.text for each in transcript.messages] == ["Count", "Two."])
    quick.turns.open_branch(number, first)
    quick.qtbot.waitUntil(lambda: [each.text for each in transcript.messages] == ["Count", "One."])
    quick.turns.delete(number, first)
    left = [each.text for each in quick.store.messages(number)]
    quick.qtbot.waitUntil(lambda: [each.text for each in transcript.messages] == left != ["Count", "One."])


@pytest.mark.parametrize("clip", [Clip(is_secret=True), Clip(kind="a picture"), Clip(), Clip("  \n")])
def test_what_is_not_offered(quick: Quick, clip: Clip) -> None:
    """A password, a picture, nothing."""
    quick.board.clip = clip
    quick.show()
    quick.qtbot.waitUntil(lambda: quick.board.reads > 0)
    assert quick.ask.window.chips._offers["clipboard"].isHidden()


def test_the_clipboard_is_looked_at_after_the_window_is_there(quick: Quick) -> None:
    """Its owner may be slow to answer."""
    quick.ask.toggle()
    assert quick.ask.window.isVisible()
    assert quick.board.reads == 0
    quick.qtbot.waitUntil(lambda: quick.board.reads > 0)


def test_text_from_the_screen(quick: Quick) -> None:
    """The window is out of the way while a part is marked, and comes back with the text."""
    quick.screen.picture, quick.ocr.text = Picture(b"png", 10, 10), "Total 1,234.50"
    quick.show()
    with quick.qtbot.waitSignal(quick.ask.visible_changed) as gone:
        quick.ask.window.chips._offers["screen"].click()
    assert gone.args == [False]
    chips = quick.ask.window.chips
    quick.qtbot.waitUntil(lambda: [each.text for each in chips.attached] == ["Total 1,234.50"])
    assert chips.attached[0].about.kind is AttachmentKind.SCREEN
    assert quick.ask.window.isVisible()


def test_no_reader_for_pictures(quick: Quick) -> None:
    """Said before anything is marked, with how to get one."""
    quick.ocr.here = False
    quick.show()
    quick.ask.window.chips._offers["screen"].click()
    assert quick.ask.window.isVisible()
    assert quick.ask.window.problem is not None
    assert "Install it" in quick.ask.window.problem.error.action


@pytest.mark.parametrize(
    "error",
    [failure("No picture.", "", "Allow it.", code="screen"), None],
    ids=["refused", "nothing there"],
)
def test_a_picture_that_gives_nothing(quick: Quick, error: UserFacing | None) -> None:
    """The window comes back and says why."""
    quick.screen.picture, quick.screen.error = Picture(b"png", 10, 10), error
    quick.show()
    quick.ask.window.chips._offers["screen"].click()
    quick.qtbot.waitUntil(lambda: quick.ask.window.problem is not None)
    assert quick.ask.window.isVisible()


# -- losing the focus -----------------------------------------------------------------------------


def leave(quick: Quick) -> None:
    """The user goes elsewhere."""
    quick.ask.window.blurred.emit()


def test_going_elsewhere_hides_it(quick: Quick) -> None:
    """And does not pull the focus back from there."""
    quick.show()
    quick.clock.at += SETTLED_S + 0.01
    leave(quick)
    assert not quick.ask.window.isVisible()
    assert "give back" not in quick.focus.calls


def test_it_never_flashes_and_vanishes(quick: Quick) -> None:
    """A panel that takes the focus back for a moment does not hide what was only just shown."""
    quick.show()
    quick.clock.at += SETTLED_S - 0.01
    leave(quick)
    assert quick.ask.window.isVisible()


def test_it_stays_while_pinned_or_answering(quick: Quick) -> None:
    """The pin is for reading along; an answer under way is not taken out of sight."""
    quick.use_model()
    quick.backend.token_s = 0.02
    quick.show()
    quick.clock.at += 10
    quick.ask.window.footer.pin.setChecked(True)
    leave(quick)
    assert quick.ask.window.isVisible()
    quick.ask.window.footer.pin.setChecked(False)
    with quick.qtbot.waitSignal(quick.ask.turn_over):
        quick.ask.talk.send(Draft("Hello"))
        leave(quick)
        assert quick.ask.window.isVisible()


# -- what goes wrong ------------------------------------------------------------------------------


def test_no_model(quick: Quick) -> None:
    """The answer's place says so, with a way to choose one; the question is not lost."""
    quick.show()
    quick.send("Hello")
    view = quick.ask.window.transcript.live_views[-1]
    buttons = {b.text(): b for b in view.findChildren(QPushButton)}
    assert "Hello" in quick.store.messages(quick.ask.conversation_id)[0].text
    with quick.qtbot.waitSignal(quick.ask.models_requested):
        buttons["Choose a model"].click()


def test_a_smaller_context_is_one_click(quick: Quick) -> None:
    """Where the memory does not reach, as in the chat window: the setting is changed and the answer comes."""
    quick.use_model()
    quick.backend.context_error = lambda _device: True
    quick.show()
    quick.send("Hello")
    view = quick.ask.window.transcript.live_views[-1]
    buttons = {b.text(): b for b in view.findChildren(QPushButton)}
    assert {"Choose a model", "Try again"} <= set(buttons)
    quick.backend.context_error = lambda _device: False
    with quick.qtbot.waitSignal(quick.ask.turn_over, timeout=8000):
        buttons["Use 2,048 tokens"].click()
    quick.settle()
    messages = quick.ask.window.transcript.messages
    assert [m.status for m in messages] == [MessageStatus.COMPLETE, MessageStatus.COMPLETE]
    assert quick.settings.current.model.context_tokens == 2048


def test_again_after_a_failure(quick: Quick) -> None:
    """Try again asks the same question."""
    quick.show()
    quick.send("Hello")
    quick.use_model()
    with quick.qtbot.waitSignal(quick.ask.turn_over):
        quick.ask.talk.again()
    quick.settle()
    messages = quick.ask.window.transcript.messages
    assert [m.status for m in messages] == [MessageStatus.COMPLETE, MessageStatus.COMPLETE]


def test_a_store_that_refuses(quick: Quick, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was typed is back in the field, and the reason is shown."""

    def refuse() -> None:
        raise failure("The disk is full.", "", "Make room.", code="disk-full")

    monkeypatch.setattr(quick.store, "create", refuse)
    quick.show()
    quick.type("Hello")
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_Return)
    quick.qtbot.waitUntil(lambda: quick.ask.window.problem is not None)
    assert quick.ask.window.draft().text == "Hello"
    assert not quick.ask.talk.is_busy


def test_f1_shows_the_shortcuts_and_the_window_stays(quick: Quick) -> None:
    """The sheet is a window of this one; when it is closed the keyboard is back in the field."""
    quick.show()
    quick.type("half a question")
    quick.clock.at += 60
    quick.qtbot.keyClick(quick.ask.window.field, Qt.Key.Key_F1)
    sheet = quick.ask.window.findChild(ShortcutSheet)
    assert sheet is not None
    quick.qtbot.waitUntil(sheet.isActiveWindow)
    quick.qtbot.wait(2 * BLUR_MS)
    assert quick.ask.window.isVisible()
    quick.qtbot.keyClick(sheet, Qt.Key.Key_Escape)
    quick.qtbot.waitUntil(quick.ask.window.isActiveWindow)
    assert quick.ask.window.field.hasFocus()
    assert quick.ask.window.draft().text == "half a question"
