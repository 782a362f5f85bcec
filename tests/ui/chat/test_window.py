"""The window as a person uses it, with a real store, the real engine and a scripted model."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QAccessible,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QMenu, QPushButton, QWidget

from desktop.chat.events import AnswerGrew
from desktop.chat.fixed_answers import OwnFact, OwnState, own_answer
from desktop.chat.projects import ChatProject, ChatProjects
from desktop.chat.store import Conversation, Message, MessageStatus, Role
from desktop.events import Bus
from desktop.network.log import Traffic
from desktop.settings import Settings
from desktop.settings import Theme as Mode
from desktop.ui import theme
from desktop.ui.chat.answer import AnswerView, status_words
from desktop.ui.chat.feed import grown_by
from desktop.ui.chat.pane import SUGGESTIONS, SuggestedContent
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.placement import WindowState, load_window_state, save_window_state
from desktop.ui.widgets.menu import Menu
from tests.ui.chat.conftest import Desk
from tests.ui.chat.samples import LONG_ANSWER
from tests.ui.chat.test_transcript import message

LEFT = Qt.MouseButton.LeftButton
CONTROL = Qt.KeyboardModifier.ControlModifier


def ask(desk: Desk, text: str) -> None:
    desk.qtbot.keyClicks(desk.window.pane.composer.text, text)
    desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Return)


def what_it_can_do() -> str:
    now = datetime.now().astimezone()
    state = OwnState(Settings(), "scripted", "/w", now, Traffic(now))
    return own_answer(OwnFact.CAN, "en", state)


def wait_for_answers(desk: Desk, count: int) -> list[Message]:
    def answers() -> list[Message]:
        shown = desk.window.pane.transcript.messages
        return [m for m in shown if m.role is Role.ASSISTANT and m.status is not MessageStatus.STREAMING]

    desk.qtbot.waitUntil(lambda: len(answers()) == count and not desk.window.controller.is_busy, timeout=8000)
    return answers()


def add_conversation(desk: Desk, *texts: str, title: str = "New chat") -> int:
    made = desk.store.create(title)
    for number, text in enumerate(texts):
        desk.store.add(made.id, Role.ASSISTANT if number % 2 else Role.USER, text)
    return made.id


def listed(desk: Desk) -> list[str]:
    model = desk.window.sidebar.model
    return [model.index(n).data() for n in range(model.rowCount())]


def refresh(desk: Desk) -> None:
    before = listed(desk)
    desk.window.controller.refresh_conversations()
    desk.qtbot.waitUntil(lambda: listed(desk) != before)


# -- asking ---------------------------------------------------------------------------------------


def test_a_question_is_answered_in_the_window(desk: Desk) -> None:
    """What is typed is sent, the answer of the model appears, is kept, and is listed."""
    desk.use_model()
    ask(desk, "Who are you?")
    (answer,) = wait_for_answers(desk, 1)
    assert [m.text for m in desk.window.pane.transcript.messages] == ["Who are you?", "Hello there."]
    assert desk.store.message(answer.id).text == "Hello there."
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Today", "Who are you?"])
    assert desk.window.windowTitle() == "Who are you? – Steward"
    assert desk.window.pane.status.model.text() == "Scripted 1B Q4"
    assert desk.window.pane.status.context.text().startswith("context ")


def test_messages_sent_while_busy_wait_their_turn(desk: Desk) -> None:
    """A second question is queued with a chip, and asked when the first answer is there."""
    desk.use_model()
    release = threading.Event()
    desk.backend.on_decode = lambda _context, _tokens: release.wait(60)  # type: ignore[assignment,return-value]
    ask(desk, "First")
    desk.qtbot.waitUntil(lambda: len(desk.window.pane.transcript.messages) == 2)
    ask(desk, "Second")
    ask(desk, "Third")
    assert desk.window.findChild(QWidget, "queued_0") is not None
    desk.qtbot.mouseClick(desk.window.findChild(QWidget, "queued_1_remove"), LEFT)
    release.set()
    wait_for_answers(desk, 2)
    assert [m.text for m in desk.window.pane.transcript.messages if m.role is Role.USER] == [
        "First",
        "Second",
    ]


def test_who_is_in_danger_waits_for_nobody(desk: Desk) -> None:
    """A message that tells of a danger ends the answer under way and is asked before what waited."""
    desk.use_model()
    desk.backend.answers = "word " * 500
    desk.backend.token_s = 0.005
    ask(desk, "First")
    desk.qtbot.waitUntil(lambda: "word" in "".join(m.text for m in desk.window.pane.transcript.messages))
    ask(desk, "Second")
    desk.backend.answers = "Call for help."
    ask(desk, "my dad has collapsed and is not breathing")
    first, *_ = wait_for_answers(desk, 3)
    assert first.status is MessageStatus.SUPERSEDED
    assert status_words(first.status).startswith("Ended for")
    assert [m.text for m in desk.window.pane.transcript.messages if m.role is Role.USER] == [
        "First",
        "my dad has collapsed and is not breathing",
        "Second",
    ]


def test_a_danger_does_not_wait_behind_a_failure(desk: Desk) -> None:
    """After an answer that failed other messages wait for the user; one that tells of a danger does not."""
    desk.use_model()
    release = threading.Event()

    def breaks(_context: object, _tokens: object) -> None:
        release.wait(60)
        raise RuntimeError("decode failed")

    desk.backend.on_decode = breaks  # type: ignore[assignment]
    ask(desk, "First")
    desk.qtbot.waitUntil(lambda: len(desk.window.pane.transcript.messages) == 2)
    ask(desk, "Second")
    release.set()
    wait_for_answers(desk, 1)
    assert desk.window.findChild(QWidget, "queued_0") is not None
    desk.window.controller.set_answering(desk.window.controller.current, True)
    danger = "my dad has collapsed and is not breathing"
    ask(desk, danger)
    desk.window.controller.set_answering(desk.window.controller.current, False)
    desk.qtbot.waitUntil(lambda: danger in [m.text for m in desk.window.pane.transcript.messages])
    desk.qtbot.waitUntil(lambda: not desk.window.controller.is_busy)
    asked = [m.text for m in desk.window.pane.transcript.messages if m.role is Role.USER]
    assert asked == ["First", danger]


def test_esc_stops_and_the_text_is_kept(desk: Desk) -> None:
    """Stop ends the answer at once; what was said stays and can be continued."""
    desk.use_model()
    desk.backend.answers = "word " * 500
    desk.backend.token_s = 0.005
    ask(desk, "Talk")
    desk.qtbot.waitUntil(lambda: len(desk.window.pane.transcript.messages[-1:]) == 1)
    desk.qtbot.waitUntil(lambda: "word" in desk.window.pane.transcript.messages[-1].text)
    desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Escape)
    (answer,) = wait_for_answers(desk, 1)
    assert answer.status is MessageStatus.STOPPED
    view = desk.window.pane.transcript.view(answer.id)
    assert view is not None
    assert view.footer.status.text() == "Stopped by you"  # type: ignore[attr-defined]
    desk.backend.answers = "and the end."
    desk.qtbot.mouseClick(view.footer.continue_button, LEFT)  # type: ignore[attr-defined]
    desk.qtbot.waitUntil(
        lambda: desk.window.pane.transcript.messages[-1].text.endswith("the end."), timeout=8000
    )


def test_answer_again_replaces_the_answer(desk: Desk) -> None:
    """Regenerate takes the last answer away and puts a new one in its place."""
    desk.use_model()
    desk.backend.answers = ["One.", "Two."]
    ask(desk, "Count")
    (first,) = wait_for_answers(desk, 1)
    view = desk.window.pane.transcript.view(first.id)
    desk.qtbot.mouseClick(view.footer.again_button, LEFT)  # type: ignore[union-attr]
    desk.qtbot.waitUntil(lambda: [m.text for m in desk.window.pane.transcript.messages] == ["Count", "Two."])


def test_without_a_model_the_card_leads_to_the_models(desk: Desk) -> None:
    """The failed answer says why, keeps the question, and its action opens the model manager."""
    ask(desk, "Hello?")
    desk.qtbot.waitUntil(lambda: desk.window.findChild(QWidget, "error_card") is not None)
    desk.settle()
    with desk.qtbot.waitSignal(desk.window.models_requested):
        desk.qtbot.mouseClick(desk.window.findChild(QWidget, "error_action_0"), LEFT)
    assert desk.window.pane.transcript.messages[0].text == "Hello?"
    desk.use_model()
    desk.qtbot.mouseClick(desk.window.findChild(QWidget, "error_action_1"), LEFT)
    assert wait_for_answers(desk, 1)[0].text == "Hello there."


def test_a_conversation_opened_while_it_streams_shows_every_word_once(desk: Desk) -> None:
    """Leaving and coming back in the middle of an answer loses and doubles nothing."""
    desk.use_model()
    desk.backend.answers = " ".join(f"w{n}" for n in range(300))
    desk.backend.token_s = 0.002
    other = add_conversation(desk, "Other")
    ask(desk, "Talk")
    for _ in range(6):
        desk.qtbot.wait(60)
        current = desk.window.controller.current
        desk.window.open_conversation(other)
        desk.qtbot.wait(30)
        desk.window.open_conversation(current)
    (answer,) = wait_for_answers(desk, 1)
    assert answer.text == desk.backend.answers


@pytest.mark.parametrize(
    ("text", "at", "has", "expected"),
    [
        ("cd", 2, "ab", "abcd"),
        ("cd", 2, "abc", "abcd"),
        ("cd", 2, "abcd", None),
        ("cd", 2, "abcdef", None),
        ("ab", 0, "", "ab"),
    ],
)
def test_an_event_adds_only_what_is_missing(text: str, at: int, has: str, expected: str | None) -> None:
    """A message read after the event was published holds its text already."""
    grown = grown_by(message(2, has), AnswerGrew(1, 2, text, "", at, 0))
    assert (grown.text if grown else None) == expected


# -- sidebar --------------------------------------------------------------------------------------


def test_search_finds_titles_and_messages_and_jumps(desk: Desk) -> None:
    """Ctrl+Shift+F searches; a hit opens the conversation at the message, however old."""
    texts = [f"Filler number {n}" for n in range(200)]
    texts[10] = "The aardvark is nocturnal"
    conversation = add_conversation(desk, *texts, title="Animals")
    refresh(desk)
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_F, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert desk.window.sidebar.search.hasFocus()
    desk.qtbot.keyClicks(desk.window.sidebar.search, "aardvark")
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Animals", "The aardvark is nocturnal"])
    index = desk.window.sidebar.model.index(1)
    where = desk.window.sidebar.list.visualRect(index).center()
    desk.qtbot.mouseClick(desk.window.sidebar.list.viewport(), LEFT, pos=QPoint(where))
    desk.settle()
    assert desk.window.controller.current == conversation
    hit = next(m for m in desk.window.pane.transcript.messages if "aardvark" in m.text)
    view = desk.window.pane.transcript.view(hit.id)
    assert view is not None
    assert 0 <= view.mapTo(desk.window.pane.transcript, QPoint(0, 0)).y() <= 60
    desk.window.sidebar.search.clear()
    assert listed(desk) == ["Today", "Animals"]


def test_at_midnight_today_becomes_yesterday(desk: Desk) -> None:
    """In a window that stays open over night, and in one that is shown again."""
    add_conversation(desk, "Hello", title="Chat")
    refresh(desk)
    timer = desk.window.sidebar._day_timer
    assert timer.isActive()
    desk.today += timedelta(days=1)
    timer.timeout.emit()
    assert listed(desk) == ["Yesterday", "Chat"]
    desk.window.hide()
    assert not timer.isActive(), "a hidden window wakes nobody"
    desk.today += timedelta(days=1)
    desk.window.show()
    assert listed(desk) == ["Previous 7 days", "Chat"]


def test_renaming_in_place(desk: Desk) -> None:
    """F2 edits the title in the row; Enter keeps it."""
    conversation = add_conversation(desk, "Hello", title="Old name")
    refresh(desk)
    desk.window.open_conversation(conversation)
    desk.window.sidebar.list.setFocus()
    desk.qtbot.keyClick(desk.window.sidebar.list, Qt.Key.Key_F2)
    editor = desk.window.findChild(QWidget, "rename")
    assert editor is not None
    editor.selectAll()  # type: ignore[attr-defined]
    desk.qtbot.keyClicks(editor, "New name")
    desk.qtbot.keyClick(editor, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: "New name" in listed(desk))
    assert desk.store.get(conversation).title == "New name"


def test_deleting_can_be_undone(desk: Desk) -> None:
    """Del takes the conversation away at once; Undo in the toast brings it back."""
    conversation = add_conversation(desk, "Hello", title="Precious")
    refresh(desk)
    desk.window.open_conversation(conversation)
    desk.window.sidebar.list.setFocus()
    desk.qtbot.keyClick(desk.window.sidebar.list, Qt.Key.Key_Delete)
    desk.qtbot.waitUntil(lambda: listed(desk) == [])
    assert desk.window.pane.is_empty
    toast = desk.window.toast
    assert toast.isVisible()
    assert "Precious" in toast.label.text()
    desk.qtbot.mouseClick(toast.button, LEFT)
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Today", "Precious"])
    assert desk.window.controller.current == conversation


def test_the_keyboard_is_in_a_row_of_the_list(desk: Desk) -> None:
    """Also in a new chat and after the row that it was in was deleted: the ring is never around the list."""
    for number in range(3):
        add_conversation(desk, "Hello", title=f"Chat {number}")
    refresh(desk)
    chats, ring = desk.window.sidebar.list, desk.window.ring
    desk.window.pane.composer.text.setFocus()
    desk.window.new_chat()
    add_conversation(desk, "Hello", title="Another")  # the rows are made anew
    refresh(desk)
    assert not chats.currentIndex().isValid()
    chats.setFocus(Qt.FocusReason.TabFocusReason)
    row = chats.visualRect(chats.currentIndex())
    assert chats.currentIndex().data() == "Another"
    assert not chats.selectionModel().hasSelection(), "nothing was opened"
    assert ring.isVisible()
    assert ring.height() <= row.height() + desk.theme.px(8)
    desk.qtbot.keyClick(chats, Qt.Key.Key_Down)
    desk.qtbot.keyClick(chats, Qt.Key.Key_Delete)
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Today", "Another", "Chat 1", "Chat 0"])
    assert chats.currentIndex().data() == "Chat 1", "the row that came to its place"
    assert ring.height() <= row.height() + desk.theme.px(8)


def test_pinning_from_the_menu(desk: Desk) -> None:
    """The context menu has everything; Pin moves the conversation into its own group."""
    add_conversation(desk, "Hello", title="Chat")
    refresh(desk)
    sidebar = desk.window.sidebar
    row = sidebar.model.row(sidebar.model.index(1))
    assert isinstance(row, Conversation)
    menu = sidebar.menu_for(sidebar.model.index(1), row)
    words = [action.text().split("\t")[0] for action in menu.actions() if not action.isSeparator()]
    assert words == ["Open", "Rename", "Pin", "Export…", "Look into a folder…", "Projects…", "Delete"]
    menu.actions()[2].trigger()
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Pinned", "Chat"])


def test_chats_are_grouped_by_project_and_moved(desk: Desk) -> None:
    """The menu moves one, the list shows it below its project's name, and a new chat begins there."""
    projects = desk.window.controller._turns.projects
    letters = projects.save(ChatProject("Letters & more"))
    conversation = add_conversation(desk, "Hello", title="Chat")
    refresh(desk)
    sidebar = desk.window.sidebar
    desk.qtbot.waitUntil(lambda: bool(sidebar._projects))
    sidebar.move_wanted.emit(conversation, letters.id)
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Letters & more", "Chat"])
    row = sidebar.model.row(sidebar.model.index(1))
    assert isinstance(row, Conversation)
    menu = sidebar.menu_for(sidebar.model.index(1), row)
    moves = menu.findChild(QMenu, "project_menu")
    assert moves is not None
    entries = {each.text(): each.isChecked() for each in moves.actions()}
    assert entries == {"Letters && more": True, "No project": False}
    next(each for each in menu.actions() if each.text().startswith("New chat in")).trigger()
    desk.qtbot.keyClicks(desk.window.pane.composer.text, "2 + 3")
    desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Return)
    desk.qtbot.waitUntil(lambda: len(projects.chats(letters.id)) == 2)
    moves.actions()[-1].trigger()
    desk.qtbot.waitUntil(lambda: projects.of(conversation) is None)


def test_what_a_terminal_did_meanwhile_is_shown_on_coming_back(desk: Desk) -> None:
    """`steward projects move` beside an open window: no event of this process tells of it."""
    conversation = add_conversation(desk, "Hello", title="Chat")
    refresh(desk)
    desk.qtbot.waitUntil(lambda: "Chat" in listed(desk))
    terminal = QWidget()
    desk.qtbot.addWidget(terminal)
    terminal.show()
    terminal.activateWindow()
    desk.qtbot.waitUntil(lambda: not desk.window.isActiveWindow())
    elsewhere = ChatProjects(desk.store._database, Bus())
    elsewhere.move((conversation,), elsewhere.save(ChatProject("Letters")).id)
    desk.window.activateWindow()
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Letters", "Chat"])


def middle_of(desk: Desk, title: str) -> QPoint:
    """Where a row of the list is clicked."""
    model = desk.window.sidebar.model
    shown = (model.index(number) for number in range(model.rowCount()))
    return desk.window.sidebar.list.visualRect(next(each for each in shown if each.data() == title)).center()


def drag(desk: Desk, title: str, to: QPoint) -> bool:
    """Drag a chat there by the events that a screen sends; whether the list would take it."""
    chats = desk.window.sidebar.list
    data = desk.window.sidebar.model.mimeData([chats.indexAt(middle_of(desk, title))])
    chats.setCurrentIndex(chats.indexAt(middle_of(desk, title)))
    assert not chats._dragged(chats.currentIndex()).isNull()
    move, left, none = Qt.DropAction.MoveAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    moved = QDragMoveEvent(to, move, data, left, none)
    chats.dragMoveEvent(moved)
    if moved.isAccepted():
        chats.dropEvent(QDropEvent(QPointF(to), move, data, left, none))
    else:
        chats.dragLeaveEvent(QDragLeaveEvent())
    return moved.isAccepted()


def test_a_chat_is_dragged_into_a_project_and_out_and_back_by_the_toast(desk: Desk) -> None:
    """Onto the project's heading or one of its chats, out onto a day or below all rows; Undo takes it back,
    and what is pinned is no place."""
    projects = desk.window.controller._turns.projects
    letters = projects.save(ChatProject("Letters"))
    chat, other = add_conversation(desk, "Hello", title="Chat"), add_conversation(desk, "Ho", title="Other")
    desk.store.set_pinned(add_conversation(desk, "Hi", title="Kept"), True)
    refresh(desk)
    wanted = ["Pinned", "Kept", "Today", "Other", "Chat", "Letters"]
    desk.qtbot.waitUntil(lambda: listed(desk) == wanted)
    assert not drag(desk, "Chat", middle_of(desk, "Pinned"))
    assert drag(desk, "Chat", middle_of(desk, "Letters"))
    desk.qtbot.waitUntil(lambda: projects.of(chat) == letters)
    desk.qtbot.waitUntil(lambda: desk.window.toast.label.text() == "Moved “Chat” to Letters")
    desk.qtbot.waitUntil(lambda: listed(desk)[2:4] == ["Letters", "Chat"])
    assert desk.window.sidebar.list.currentIndex().data() == "Chat", "the keyboard goes along"
    assert drag(desk, "Other", middle_of(desk, "Chat"))
    desk.qtbot.waitUntil(lambda: projects.of(other) == letters)
    desk.qtbot.waitUntil(lambda: listed(desk)[:3] == ["Pinned", "Kept", "Letters"] and len(listed(desk)) == 5)
    chats = desk.window.sidebar.list
    below = QPoint(20, chats.viewport().height() - 4)
    assert not chats.indexAt(below).isValid(), (below, listed(desk), desk.window.size())
    assert drag(desk, "Other", below)

    def is_out() -> None:
        assert projects.of(other) is None, (listed(desk), desk.window.toast.label.text())

    desk.qtbot.waitUntil(is_out)
    desk.qtbot.waitUntil(lambda: desk.window.toast.label.text() == "Removed “Other” from Letters")
    desk.qtbot.waitUntil(lambda: "Today" in listed(desk))
    desk.qtbot.mouseClick(desk.window.toast.button, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: projects.of(other) == letters)


@pytest.mark.desktop
@pytest.mark.skipif(shutil.which("xdotool") is None, reason="xdotool is not installed")
def test_a_chat_is_dragged_by_the_mouse_of_the_screen(desk: Desk) -> None:
    """Pressed, moved and let go by the X server: the whole way through Qt's own drag."""
    if QGuiApplication.platformName() != "xcb":
        pytest.skip("needs an X server: QT_QPA_PLATFORM=xcb")
    projects = desk.window.controller._turns.projects
    letters = projects.save(ChatProject("Letters"))
    chat = add_conversation(desk, "Hello", title="Chat")
    refresh(desk)
    desk.qtbot.waitUntil(lambda: listed(desk) == ["Today", "Chat", "Letters"])
    viewport = desk.window.sidebar.list.viewport()
    begin, end = (viewport.mapToGlobal(middle_of(desk, each)) for each in ("Chat", "Letters"))
    steps = [f"mousemove {begin.x()} {begin.y()}", "mousedown 1"]
    for part in range(1, 9):
        x, y = (begin + (end - begin) * part / 8).toTuple()
        steps.append(f"mousemove {x} {y} sleep 0.05")
    steps += ["sleep 0.2", "mouseup 1"]
    # On a thread: while something is dragged, this one is inside Qt.
    mouse = threading.Thread(target=subprocess.run, args=(["xdotool", *" ".join(steps).split()],))
    mouse.start()
    desk.qtbot.waitUntil(lambda: projects.of(chat) == letters, timeout=20_000)
    mouse.join()


def test_drafts_stay_with_their_conversation(desk: Desk) -> None:
    """What was typed but not sent is there again when one comes back."""
    first, second = add_conversation(desk, "a"), add_conversation(desk, "b")
    desk.window.open_conversation(first)
    desk.qtbot.keyClicks(desk.window.pane.composer.text, "half a thought")
    desk.window.open_conversation(second)
    assert desk.window.pane.composer.draft() == ""
    desk.window.open_conversation(first)
    assert desk.window.pane.composer.draft() == "half a thought"


def test_long_titles_are_elided_and_told_in_full(desk: Desk) -> None:
    """A row is one line; its tooltip is the whole title."""
    title = "A title that is far too long for the sidebar and goes on and on"
    add_conversation(desk, "x", title=title)
    refresh(desk)
    index = desk.window.sidebar.model.index(1)
    assert index.data(Qt.ItemDataRole.ToolTipRole) == title
    assert desk.window.sidebar.list.visualRect(index).height() == 32


# -- starting -------------------------------------------------------------------------------------


def chip(desk: Desk, along: SuggestedContent, whole: bool = False) -> QPushButton:
    """The first suggestion of a kind."""
    number = next(n for n, each in enumerate(SUGGESTIONS) if each.along is along and each.whole is whole)
    return desk.window.pane.empty.chips[number]


def test_an_example_of_what_it_can_do_is_written_by_a_click_or_a_key(desk: Desk) -> None:
    """Nothing is sent by it, and what was typed before stays."""
    made = desk.store.create()
    desk.store.add(made.id, Role.USER, "What can you do for me?")
    desk.store.add(made.id, Role.ASSISTANT, what_it_can_do(), MessageStatus.COMPLETE)
    desk.window.open_conversation(made.id)
    desk.settle()
    (answer,) = desk.window.pane.transcript.findChildren(AnswerView)
    first, second, *others = answer.examples.chips
    assert len(others) == 4
    shown = "".join(prose.words_shown() for prose in answer.findChildren(ProseView))
    assert "notes.txt" not in shown, "said once, by its button"
    desk.qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    assert desk.window.pane.composer.text.toPlainText() == "What's in notes.txt?"
    assert desk.window.pane.composer.text.hasFocus()
    second.setFocus(Qt.FocusReason.TabFocusReason)
    desk.qtbot.keyClick(second, Qt.Key.Key_Space)
    assert desk.window.pane.composer.text.toPlainText().startswith("What's in notes.txt?\n\nWrite a file")
    assert len(desk.store.messages(made.id)) == 2


def test_a_suggestion_begins_a_message(desk: Desk) -> None:
    """The user completes it; what was typed before is not lost."""
    desk.window.pane.composer.set_text("my own")
    desk.qtbot.mouseClick(chip(desk, SuggestedContent.NOTHING), LEFT)
    assert desk.window.pane.composer.draft().startswith("Remind me at 3 pm to")
    assert desk.window.pane.composer.draft().endswith("my own")
    assert desk.window.pane.composer.text.hasFocus()


def test_a_whole_suggestion_is_asked_at_once(desk: Desk) -> None:
    """It runs something on this computer without another key."""
    desk.use_model()
    desk.qtbot.mouseClick(chip(desk, SuggestedContent.NOTHING, whole=True), LEFT)
    wait_for_answers(desk, 1)
    assert "Downloads" in desk.window.pane.transcript.messages[0].text


def test_the_clipboard_goes_along_with_a_suggestion(desk: Desk) -> None:
    """Its text is a chip above the question."""
    QGuiApplication.clipboard().setText("A long article.")
    desk.qtbot.mouseClick(chip(desk, SuggestedContent.CLIPBOARD), LEFT)
    draft = desk.window.pane.composer.whole_draft()
    assert draft.text.startswith("Summarise this text")
    assert [attachment.text for attachment in draft.attachments] == ["A long article."]


def test_text_from_the_screen_is_asked_for_by_a_suggestion(desk: Desk) -> None:
    """The frame for a part of the screen is wanted; the question waits in the box."""
    with desk.qtbot.waitSignal(desk.window.pane.composer.screen_wanted):
        desk.qtbot.mouseClick(chip(desk, SuggestedContent.SCREEN), LEFT)
    assert desk.window.pane.composer.draft().startswith("What does this text say")


def test_an_empty_clipboard_is_said(desk: Desk) -> None:
    """Without text on the clipboard the chip explains instead of asking nothing; what was typed stays."""
    QGuiApplication.clipboard().setText("")
    desk.window.pane.composer.set_text("my own")
    desk.qtbot.mouseClick(chip(desk, SuggestedContent.CLIPBOARD), LEFT)
    assert desk.window.pane.composer.draft() == "my own"
    assert "no text on the clipboard" in desk.window.toast.label.text()


def test_new_chat_with_text_sends_it(desk: Desk) -> None:
    """The composition root can start a chat with a question; what was typed before stays in the box."""
    desk.use_model()
    desk.qtbot.keyClicks(desk.window.pane.composer.text, "my own")
    desk.window.new_chat("From outside")
    wait_for_answers(desk, 1)
    assert desk.window.pane.transcript.messages[0].text == "From outside"
    assert desk.window.pane.composer.draft() == "my own"


# -- keys and focus -------------------------------------------------------------------------------


def test_f6_cycles(desk: Desk) -> None:
    """Composer, sidebar, messages, composer; the ring is around what has the focus."""
    desk.window.open_conversation(add_conversation(desk, "Question", "Answer"))
    desk.settle()
    window = desk.window
    seen = []
    for _ in range(3):
        desk.qtbot.keyClick(window, Qt.Key.Key_F6)
        focused = QApplication.focusWidget()
        assert window.ring.target is focused or window.ring.target is focused.parentWidget()
        assert window.ring.isVisible()
        seen.append(focused.objectName().split("_")[0])
    assert seen == ["conversations", "message", "composer"]


def test_up_edits_the_last_question_in_its_place(desk: Desk) -> None:
    """Up in the empty box opens the editor of the last question, with its text."""
    desk.window.open_conversation(add_conversation(desk, "First", "a", "Second", "b"))
    desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Up)
    editor = QApplication.focusWidget()
    assert editor.objectName() == "question_text"
    assert editor.toPlainText() == "Second"  # type: ignore[attr-defined]


def test_esc_gives_an_edit_up_from_its_buttons_too(desk: Desk) -> None:
    """Whoever has gone on with Tab is not left in it."""
    desk.window.open_conversation(add_conversation(desk, "First", "a"))
    desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Up)
    for name in ("edit_cancel", "edit_send"):
        desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert QApplication.focusWidget().objectName() == name
    desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    desk.qtbot.waitUntil(lambda: desk.window.findChild(QWidget, "question_editor") is None)


def test_ctrl_c_on_a_message_copies_it(desk: Desk) -> None:
    """With the focus on a message and nothing selected, its text is copied."""
    desk.window.open_conversation(add_conversation(desk, "Question", "The **answer**"))
    desk.settle()
    desk.window.pane.transcript.focus_message()
    desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "The **answer**"
    desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert QApplication.focusWidget().objectName() == "copy_message"


def test_zoom_and_sidebar_keys(desk: Desk) -> None:
    """Ctrl+Plus, Minus, 0 change the text size and keep it; Ctrl+B folds the sidebar."""
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_Plus, CONTROL)
    assert desk.theme.zoom_percent == 110
    desk.qtbot.waitUntil(lambda: desk.settings.current.window.zoom_percent == 110)
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_0, CONTROL)
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_Minus, CONTROL)
    assert desk.theme.zoom_percent == 90
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_B, CONTROL)
    assert not desk.window.sidebar.isVisible()
    assert desk.window.pane.sidebar_button.isVisible()
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_B, CONTROL)
    assert desk.window.sidebar.isVisible()


def test_the_theme_menu_is_kept(desk: Desk) -> None:
    """Choosing dark applies at once and is in the settings."""
    action = next(a for a in desk.window.settings_menu.actions() if a.objectName() == "theme_dark")
    action.trigger()
    assert desk.theme.is_dark
    desk.qtbot.waitUntil(lambda: desk.settings.current.window.theme is Mode.DARK)


def test_closing_goes_to_the_tray_or_quits(desk: Desk) -> None:
    """With a tray closing hides; without one it asks to quit, and the status line says so before."""
    with desk.qtbot.waitSignal(desk.window.close_to_tray):
        desk.qtbot.keyClick(desk.window, Qt.Key.Key_W, CONTROL)
    assert not desk.window.isVisible()
    desk.window.show_and_raise()
    desk.window.set_tray_available(False)
    assert desk.window.pane.status.note.isVisible()
    with desk.qtbot.waitSignal(desk.window.quit_requested):
        desk.window.close()


# -- accessibility --------------------------------------------------------------------------------


def test_everything_reachable_has_a_name(desk: Desk) -> None:
    """Every focusable widget has an accessible name and an objectName."""
    desk.window.open_conversation(add_conversation(desk, "Question", LONG_ANSWER))
    desk.window.pane.composer.add_attachment("text")
    desk.window.pane.composer.show_queue(["waiting"])
    desk.window.toast.offer("Something", "Undo", lambda: None)
    desk.window.set_tray_available(False)
    desk.settle()
    nameless = []
    for widget in desk.window.findChildren(QWidget):
        if (
            not widget.isVisible()
            or widget.focusPolicy() == Qt.FocusPolicy.NoFocus
            or isinstance(widget, QMenu)
        ):
            continue
        if (
            isinstance(widget.parentWidget(), QAbstractScrollArea)
            and widget.objectName() == "qt_scrollarea_viewport"
        ):
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if not interface.text(QAccessible.Text.Name) or not widget.objectName():
            nameless.append(f"{type(widget).__name__} {widget.objectName()!r}")
    assert nameless == []


def test_tab_reaches_the_send_button_and_comes_around(desk: Desk) -> None:
    """Tab goes through the window without being caught anywhere."""
    desk.window.open_conversation(add_conversation(desk, "Question", LONG_ANSWER))
    desk.qtbot.keyClicks(desk.window.pane.composer.text, "text")
    desk.settle()
    seen: list[str] = []
    for _ in range(80):
        desk.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        name = QApplication.focusWidget().objectName()
        if name == "composer_text":
            break
        seen.append(name)
    assert name == "composer_text"
    assert {
        "send",
        "new_chat",
        "search",
        "conversations",
        "model_button",
        "look_button",
        "open_settings",
    } <= set(seen)


# -- state ----------------------------------------------------------------------------------------


def test_place_and_sidebar_are_kept(desk: Desk) -> None:
    """What `save_state` writes comes back."""
    desk.window.resize(900, 640)
    desk.window.toggle_sidebar()
    desk.window.save_state()
    state = load_window_state(desk.paths.config / "window.json")
    assert (state.width, state.height, state.sidebar, state.maximised) == (900, 640, False, False)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{", '{"width": "wide"}', '{"width": 1e9}', '{"unknown": 1}', '"x"', '{"x": 99999999999}'],
)
def test_a_damaged_state_is_forgotten(tmp_path: Path, content: str) -> None:
    """Whatever is in the file, the window opens."""
    path = tmp_path / "window.json"
    path.write_text(content)
    assert load_window_state(path) == WindowState()


def test_state_round_trip(tmp_path: Path) -> None:
    """Every field survives."""
    state = WindowState(10, -20, 800, 600, True, False)
    save_window_state(tmp_path / "deep" / "window.json", state)
    assert load_window_state(tmp_path / "deep" / "window.json") == state
    assert json.loads((tmp_path / "deep" / "window.json").read_text())["width"] == 800


def test_the_status_line_says_in_red_when_nothing_is_asked(desk: Desk) -> None:
    """It comes and goes with the setting, wherever it was changed, and a click leads to the permissions."""
    part = desk.window.pane.status.unguarded
    assert not part.isVisible()
    desk.settings.change("permissions", "dangerously_skip_permissions", True)
    desk.qtbot.waitUntil(part.isVisible)
    assert part.text() == "never asks"
    assert "without a question" in part.accessibleDescription()
    assert not part.icon().isNull()
    with desk.qtbot.waitSignal(desk.window.permissions_requested, timeout=1000):
        desk.qtbot.mouseClick(part, LEFT)
    desk.settings.change("permissions", "dangerously_skip_permissions", False)
    desk.qtbot.waitUntil(lambda: not part.isVisible())


def test_a_queued_message_can_be_edited_before_it_is_sent(desk: Desk) -> None:
    """The pencil on its chip brings it back into the box; what is sent is the edited one, once."""
    desk.use_model()
    release = threading.Event()
    desk.backend.on_decode = lambda _context, _tokens: release.wait(60)  # type: ignore[assignment,return-value]
    ask(desk, "First")
    desk.qtbot.waitUntil(lambda: len(desk.window.pane.transcript.messages) == 2)
    ask(desk, "Second")
    desk.qtbot.mouseClick(desk.window.findChild(QWidget, "queued_0_edit"), LEFT)
    assert desk.window.findChild(QWidget, "queued_0") is None
    box = desk.window.pane.composer.text
    assert box.toPlainText() == "Second"
    assert box.hasFocus()
    desk.qtbot.keyClicks(box, " thoughts")
    desk.qtbot.keyClick(box, Qt.Key.Key_Return)
    release.set()
    wait_for_answers(desk, 2)
    asked = [m.text for m in desk.window.pane.transcript.messages if m.role is Role.USER]
    assert asked == ["First", "Second thoughts"]


def test_what_the_model_thought_is_closed_and_can_be_hidden(desk: Desk) -> None:
    """One closed line at first; the setting takes it away at once and brings it back; the text stays kept."""
    desk.use_model()
    desk.backend.answers = "<think>Hm, let me see.</think>Forty-two."
    ask(desk, "What is the answer?")
    (answer,) = wait_for_answers(desk, 1)
    view = desk.window.pane.transcript.view(answer.id)
    assert isinstance(view, AnswerView)
    assert view.thinking.isVisible()
    assert not view.thinking.is_open
    height = view.height()
    desk.settings.change("chat", "show_thinking", False)
    desk.qtbot.waitUntil(lambda: not view.thinking.isVisible())
    assert view.height() < height
    assert desk.store.message(answer.id).thinking == "Hm, let me see."
    desk.settings.change("chat", "show_thinking", True)
    desk.qtbot.waitUntil(view.thinking.isVisible)


def test_every_menu_of_the_chat_has_icons(desk: Desk) -> None:
    """No entry without a sign or a tick, in menus that are there from the start and in one of a row."""
    sidebar = desk.window.sidebar
    sidebar.menu_for(sidebar.model.index(0), desk.store.create("Bread"))
    desk.window.presets.fill_menu()
    menus = desk.window.findChildren(QMenu)
    assert {"conversation_menu", "composer_menu", "preset_menu", "settings_menu"} <= {
        menu.objectName() for menu in menus
    }
    bare = [
        f"{menu.objectName()}: {action.text()}"
        for menu in menus
        for action in menu.actions()
        if not action.isSeparator() and action.icon().isNull() and not action.isCheckable()
    ]
    assert not bare
    assert all(isinstance(menu, Menu) for menu in menus)


@pytest.mark.parametrize("width", [480, 640, 801, 1080])
@pytest.mark.parametrize("zoom", [100, 150])
def test_an_empty_chat_is_laid_out_and_then_rests(desk: Desk, width: int, zoom: int) -> None:
    """Nothing asks for a layout for ever: that would take a whole core while the user reads."""
    theme.current().set_zoom(zoom)
    desk.window.resize(width, 760)
    desk.qtbot.wait(100)
    requests = LayoutRequests()
    QApplication.instance().installEventFilter(requests)
    desk.qtbot.wait(100)
    QApplication.instance().removeEventFilter(requests)
    assert requests.count == 0


class LayoutRequests(QObject):
    """Counts how often any widget is asked to lay itself out."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False
