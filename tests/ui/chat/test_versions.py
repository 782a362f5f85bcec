"""Versions of messages in the window: edit, answer again, go from one to another, delete and take it back."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from desktop.chat.attachments import Draft
from desktop.chat.store import Deleted, Message, MessageStatus, Role
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.controller import deleted_words
from desktop.ui.chat.message import MessageView
from desktop.ui.chat.question import QuestionView
from desktop.ui.widgets.buttons import IconButton
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_transcript import message
from tests.ui.chat.test_window import LEFT, ask, wait_for_answers

Key = Qt.Key


def texts(desk: Desk) -> list[str]:
    return [each.text for each in desk.window.pane.transcript.messages]


def view(desk: Desk, number: int) -> MessageView:
    """The widget of the message that stands in this place."""
    desk.settle()
    shown = desk.window.pane.transcript.view(desk.window.pane.transcript.messages[number].id)
    assert shown is not None
    return shown


def press(desk: Desk, *keys: Key) -> None:
    """To whatever has the focus."""
    for key in keys:
        focused = QApplication.focusWidget()
        assert focused is not None
        desk.qtbot.keyClick(focused, key)


def wait_for_texts(desk: Desk, *expected: str) -> None:
    desk.qtbot.waitUntil(
        lambda: texts(desk) == list(expected) and not desk.window.controller.is_busy, timeout=8000
    )
    desk.settle()


def shown_version(view: MessageView) -> str:
    """What stands between the arrows; "" where there are none."""
    assert view.row is not None
    return view.row.versions.label.text() if view.row.versions.isVisible() else ""


@pytest.fixture
def talk(desk: Desk) -> Desk:
    """Two questions and their answers."""
    desk.use_model()
    desk.backend.answers = [f"Answer {number}." for number in range(1, 10)]
    ask(desk, "First")
    wait_for_answers(desk, 1)
    ask(desk, "Second")
    wait_for_answers(desk, 2)
    return desk


def edit(desk: Desk, number: int, text: str) -> None:
    question = view(desk, number)
    assert isinstance(question, QuestionView)
    assert question.row is not None
    desk.qtbot.mouseMove(question)
    question.row.reveal(True)
    desk.qtbot.mouseClick(question.row.edit_button, LEFT)
    assert question.editor is not None
    question.editor.text.selectAll()
    desk.qtbot.keyClicks(question.editor.text, text)
    desk.qtbot.keyClick(question.editor.text, Key.Key_Return)


def test_editing_keeps_both_threads_and_the_arrows_lead_to_them(talk: Desk) -> None:
    """Edit the first question: a new answer comes; ‹ brings the old question with all that followed."""
    edit(talk, 0, "First, better")
    wait_for_texts(talk, "First, better", "Answer 3.")
    assert shown_version(view(talk, 0)) == "2/2"
    assert view(talk, 0).row.versions.next.isEnabled() is False  # type: ignore[union-attr]
    talk.qtbot.mouseClick(view(talk, 0).row.versions.previous, LEFT)  # type: ignore[union-attr]
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 2.")
    assert shown_version(view(talk, 0)) == "1/2"
    assert "better" not in talk.backend.prompts[-2]


def test_answering_again_offers_both_answers(talk: Desk) -> None:
    """The old answer with what followed is behind ‹; the open version is remembered for the next visit."""
    first = view(talk, 1)
    assert isinstance(first, AnswerView)
    first.row.reveal(True)  # type: ignore[union-attr]
    talk.qtbot.mouseClick(first.footer.again_button, LEFT)
    wait_for_texts(talk, "First", "Answer 3.")
    assert shown_version(view(talk, 1)) == "2/2"
    here = talk.window.controller.current
    talk.qtbot.mouseClick(view(talk, 1).row.versions.previous, LEFT)  # type: ignore[union-attr]
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 2.")
    talk.window.new_chat()
    talk.window.open_conversation(here)
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 2.")


def test_versions_by_keyboard_alone(talk: Desk) -> None:
    """F6 to the messages, Up to one of them, Enter to its actions, and the arrows keep the keyboard."""
    first = view(talk, 3)
    first.setFocus()
    press(talk, Key.Key_Return)
    assert QApplication.focusWidget().objectName() == "copy_message"
    press(talk, Key.Key_Tab)
    assert QApplication.focusWidget().objectName() == "regenerate"
    press(talk, Key.Key_Space)
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 3.")
    view(talk, 3).row.versions.previous.setFocus()  # type: ignore[union-attr]
    press(talk, Key.Key_Space)
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 2.")
    talk.qtbot.waitUntil(lambda: QApplication.focusWidget().objectName() == "version_next")
    press(talk, Key.Key_Space)
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 3.")
    press(talk, Key.Key_Up)
    assert QApplication.focusWidget() is view(talk, 2)
    assert view(talk, 2).row.copy_button.isVisible()  # type: ignore[union-attr]


def test_up_in_an_empty_box_edits_the_last_message(talk: Desk) -> None:
    """The editor opens in the message; Esc leaves it as it was, Enter asks anew."""
    box = talk.window.pane.composer.text
    box.setFocus()
    talk.qtbot.keyClick(box, Key.Key_Up)
    editor = QApplication.focusWidget()
    assert editor.objectName() == "question_text"
    talk.qtbot.keyClicks(editor, " thoughts")
    talk.qtbot.keyClick(editor, Key.Key_Escape)
    assert texts(talk)[2] == "Second"
    assert QApplication.focusWidget() is view(talk, 2)
    box.setFocus()
    talk.qtbot.keyClick(box, Key.Key_Up)
    talk.qtbot.keyClicks(QApplication.focusWidget(), " thoughts")
    press(talk, Key.Key_Return)
    wait_for_texts(talk, "First", "Answer 1.", "Second thoughts", "Answer 3.")


def test_what_is_being_edited_survives_a_change_of_the_theme(talk: Desk) -> None:
    """Larger text makes all widgets anew; the words in the editor stay."""
    question = view(talk, 2)
    assert isinstance(question, QuestionView)
    question.start_editing()
    talk.qtbot.keyClicks(QApplication.focusWidget(), " and more")
    talk.theme.step_zoom(1)
    again = view(talk, 2)
    assert isinstance(again, QuestionView)
    assert again is not question
    assert again.draft == "Second and more"
    talk.theme.step_zoom(0)


def test_deleting_says_what_goes_and_can_be_undone(talk: Desk) -> None:
    """The message and what follows go; the toast counts them; Undo brings them back."""
    first = view(talk, 1)
    assert first.row is not None
    first.row.reveal(True)
    talk.qtbot.mouseClick(first.row.delete_button, LEFT)
    wait_for_texts(talk, "First")
    toast = talk.window.toast
    talk.qtbot.waitUntil(toast.isVisible)
    assert toast.label.text() == "Deleted the answer and the 2 messages that followed"
    talk.qtbot.mouseClick(toast.button, LEFT)
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 2.")


def test_a_question_without_an_answer_can_be_answered_again(talk: Desk) -> None:
    """After its answer was deleted the last question offers to be answered."""
    last = view(talk, 3)
    assert last.row is not None
    talk.qtbot.mouseClick(last.row.delete_button, LEFT)
    wait_for_texts(talk, "First", "Answer 1.", "Second")
    question = view(talk, 2)
    assert question.row is not None
    talk.qtbot.mouseClick(question.row.again_button, LEFT)
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 3.")


def test_deleting_the_first_message_leaves_an_empty_chat_until_undo(talk: Desk) -> None:
    """The chat goes from the list with its last message, and both come back."""
    question = view(talk, 0)
    assert question.row is not None
    question.row.reveal(True)
    talk.qtbot.mouseClick(question.row.delete_button, LEFT)
    talk.qtbot.waitUntil(lambda: talk.window.pane.is_empty)
    talk.qtbot.waitUntil(talk.window.toast.isVisible)
    talk.qtbot.mouseClick(talk.window.toast.button, LEFT)
    wait_for_texts(talk, "First", "Answer 1.", "Second", "Answer 2.")
    assert not talk.window.pane.is_empty


def test_while_an_answer_is_written_versions_wait(talk: Desk) -> None:
    """The buttons for that are grey and say why, also under messages that come into sight meanwhile; what is
    being edited stays. When the answer is there they are as before."""
    question = view(talk, 2)
    assert isinstance(question, QuestionView)
    question.start_editing()
    release = threading.Event()
    talk.backend.on_decode = lambda _context, _tokens: release.wait(60)  # type: ignore[assignment,return-value]
    ask(talk, "Third")
    talk.qtbot.waitUntil(lambda: len(talk.window.pane.transcript.messages) == 6)
    assert held_buttons(talk, 0) == {"edit_message", "regenerate", "delete_message"}
    assert not view(talk, 5).row.again_button.isEnabled()  # type: ignore[union-attr]
    talk.theme.step_zoom(1)
    assert held_buttons(talk, 0) == {"edit_message", "regenerate", "delete_message"}
    kept = view(talk, 2)
    assert isinstance(kept, QuestionView)
    assert kept.editor is not None
    assert not kept.editor.send_button.isEnabled()
    kept.editor.text.setPlainText("Written meanwhile")
    kept.editor.text.setFocus()
    press(talk, Key.Key_Return)
    talk.qtbot.waitUntil(talk.window.toast.isVisible)
    assert "answered" in talk.window.toast.label.text()
    kept = view(talk, 2)
    assert isinstance(kept, QuestionView)
    assert kept.draft == "Written meanwhile"
    release.set()
    wait_for_answers(talk, 3)
    assert held_buttons(talk, 0) == set()
    assert kept.editor is not None
    assert kept.editor.send_button.isEnabled()
    talk.theme.step_zoom(0)


def held_buttons(desk: Desk, number: int) -> set[str]:
    """Which buttons under a message are grey, for the reason that the chat is being answered."""
    row = view(desk, number).row
    assert row is not None
    buttons = row.findChildren(IconButton)
    return {button.objectName() for button in buttons if "being answered" in button.toolTip()} & {
        button.objectName() for button in buttons if not button.isEnabled()
    } - {"version_previous", "version_next"}


def test_another_version_waits_for_the_answer(talk: Desk) -> None:
    """The arrows are grey while an answer comes, whichever version is shown, and the keyboard stays there."""
    edit(talk, 0, "First, better")
    wait_for_texts(talk, "First, better", "Answer 3.")
    release = threading.Event()
    talk.backend.on_decode = lambda _context, _tokens: release.wait(60)  # type: ignore[assignment,return-value]
    row = view(talk, 0).row
    assert row is not None
    row.versions.previous.setFocus()
    talk.window.controller.send(Draft("Third"))
    talk.qtbot.waitUntil(lambda: len(texts(talk)) == 4)
    assert QApplication.focusWidget() is view(talk, 0)
    assert not row.versions.previous.isEnabled()
    assert "being answered" in row.versions.previous.toolTip()
    release.set()
    talk.qtbot.waitUntil(row.versions.previous.isEnabled, timeout=8000)
    assert "previous version" in row.versions.previous.toolTip()
    assert not row.versions.next.isEnabled()
    assert "being answered" not in row.versions.next.toolTip()


def test_every_message_is_spoken_with_who_and_when(talk: Desk) -> None:
    """ "You, 10:42: First": names for screen readers, on every message."""
    names = [view(talk, number).accessibleName() for number in range(4)]
    assert [name.split(",")[0] for name in names] == ["You", "Steward", "You", "Steward"]
    assert names[0].endswith(": First")
    assert all(":" in name.split(", ")[1] for name in names)


def test_copying_takes_the_markdown(talk: Desk) -> None:
    """The text as it was written, by button and by Ctrl+C."""
    answer = view(talk, 3)
    answer.setFocus()
    QGuiApplication.clipboard().clear()
    talk.qtbot.keyClick(answer, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Answer 2."


def test_only_the_last_shows_its_actions_unasked(talk: Desk) -> None:
    """On the others they come with the pointer or the keyboard; the room for them is always there."""
    rows = [view(talk, number).row for number in range(4)]
    assert [bool(row and row.copy_button.isVisible()) for row in rows] == [False, False, False, True]
    height = view(talk, 0).height()
    view(talk, 0).setFocus()
    assert rows[0] is not None
    assert rows[0].edit_button.isVisible()
    assert view(talk, 0).height() == height


@pytest.mark.parametrize(
    ("role", "after", "words"),
    [
        (Role.USER, 0, "Deleted your message"),
        (Role.USER, 1, "Deleted your message and the message that followed"),
        (Role.ASSISTANT, 3, "Deleted the answer and the 3 messages that followed"),
        (Role.TOOL, 0, "Deleted the answer"),
    ],
)
def test_what_was_deleted_in_words(role: Role, after: int, words: str) -> None:
    """Said of one message, and of it with others."""
    gone: Message = message(1, "x", role, MessageStatus.COMPLETE)
    assert deleted_words(Deleted(gone, after)) == words


def test_every_action_has_a_name(talk: Desk) -> None:
    """For screen readers, as long as it is there."""
    for child in view(talk, 2).findChildren(QWidget):
        if child.focusPolicy() != Qt.FocusPolicy.NoFocus and child.isVisible():
            assert child.accessibleName(), child.objectName()
