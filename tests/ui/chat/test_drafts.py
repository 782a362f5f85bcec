"""What is typed, queued or refused is never lost: it is in its box again, also at the next start."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from desktop.chat.attachments import Draft
from desktop.chat.drafts import NEW_CHAT, Drafts
from desktop.ui.chat.conversation_list import UNSENT_ROLE
from desktop.ui.chat.question import QuestionView
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import add_conversation, ask, refresh, wait_for_answers

LONG = "word " * 20_000  # more than fits where the disk is full


def on_disk(desk: Desk) -> dict[int, Draft]:
    return Drafts(desk.store.database).all()


def texts_on_disk(desk: Desk) -> dict[int, str]:
    return {number: draft.text for number, draft in on_disk(desk).items()}


def box(desk: Desk) -> str:
    return desk.window.pane.composer.draft()


def type_in(desk: Desk, text: str) -> None:
    desk.qtbot.keyClicks(desk.window.pane.composer.text, text)


@contextmanager
def full_disk(desk: Desk) -> Iterator[None]:
    """The database must not grow by a page."""

    def limit(pages: str) -> None:
        desk.store.database.write(lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchone())

    pages = desk.store.database.read(lambda c: c.execute("PRAGMA page_count").fetchone())[0]
    limit(pages)
    yield
    limit("1073741823")


@pytest.fixture
def release() -> threading.Event:
    """Lets the model go on."""
    return threading.Event()


@pytest.fixture
def answering(desk: Desk, release: threading.Event) -> Iterator[int]:
    """A conversation whose first question is being answered for as long as the test takes."""
    desk.use_model()
    desk.backend.on_decode = lambda _context, _tokens: release.wait(60)  # type: ignore[assignment,return-value]
    ask(desk, "First")
    desk.qtbot.waitUntil(lambda: len(desk.window.pane.transcript.messages) == 2)
    yield desk.window.controller.current
    release.set()


def test_a_pause_in_typing_puts_it_on_disk(desk: Desk) -> None:
    """A kill loses less than a second of typing."""
    type_in(desk, "half a thought")
    desk.qtbot.waitUntil(lambda: texts_on_disk(desk) == {NEW_CHAT: "half a thought"})


def test_what_is_typed_is_on_disk_when_the_window_closes(desk: Desk) -> None:
    """Without a pause, for each conversation its own."""
    first = add_conversation(desk, "a")
    type_in(desk, "for a new chat")
    desk.window.open_conversation(first)
    type_in(desk, "for the first")
    desk.window.pane.composer.add_attachment("a long text", name="notes")
    desk.window.save_state()
    assert texts_on_disk(desk) == {NEW_CHAT: "for a new chat", first: "for the first"}
    assert [each.text for each in on_disk(desk)[first].attachments] == ["a long text"]


def test_sending_takes_it_off_the_disk(desk: Desk) -> None:
    """The next start does not offer what was asked already."""
    desk.use_model()
    type_in(desk, "Who are you")
    desk.window.save_state()
    ask(desk, "?")
    wait_for_answers(desk, 1)
    desk.qtbot.waitUntil(lambda: on_disk(desk) == {})


def test_messages_that_wait_are_kept_as_one_that_is_typed(desk: Desk, answering: int) -> None:
    """After a start nothing is sent by itself, and nothing of it is lost."""
    ask(desk, "Second")
    ask(desk, "Third")
    type_in(desk, "and more")
    desk.window.save_state()
    assert texts_on_disk(desk) == {answering: "Second\n\nThird\n\nand more"}


def test_the_list_shows_where_something_is_not_sent(desk: Desk) -> None:
    """A pencil, and words for a screen reader; not for the chat that is open."""
    first, second = add_conversation(desk, "a", title="One"), add_conversation(desk, "b", title="Two")
    refresh(desk)
    desk.window.open_conversation(first)
    type_in(desk, "half a thought")
    model = desk.window.sidebar.model

    def row(number: int) -> QModelIndex:
        return model.index_of(number)

    assert not row(first).data(UNSENT_ROLE)
    plain = picture(desk, row(first))
    desk.window.open_conversation(second)
    assert row(first).data(UNSENT_ROLE)
    assert row(first).data(Qt.ItemDataRole.AccessibleTextRole) == "One, with a message not sent"
    assert picture(desk, row(first)) != plain
    desk.window.open_conversation(first)
    assert not row(first).data(UNSENT_ROLE)
    assert box(desk) == "half a thought"


def picture(desk: Desk, index: QModelIndex) -> QImage:
    """A row, but for its left half, where its title is."""
    sidebar = desk.window.sidebar.list
    place = sidebar.visualRect(index)
    return sidebar.viewport().grab(place.adjusted(place.width() // 2, 0, 0, 0)).toImage()


def test_a_deleted_chat_comes_back_with_what_was_typed_in_it(desk: Desk) -> None:
    """Undo brings back all of it, and the box of the new chat stays its own."""
    first = add_conversation(desk, "a", title="One")
    refresh(desk)
    desk.window.open_conversation(first)
    type_in(desk, "half a thought")
    desk.window.sidebar.delete_wanted.emit(first)
    desk.qtbot.waitUntil(desk.window.toast.isVisible)
    assert box(desk) == ""
    desk.window.toast.button.click()
    desk.qtbot.waitUntil(lambda: desk.window.controller.current == first)
    assert box(desk) == "half a thought"


def test_a_question_that_cannot_be_stored_goes_back_into_the_box(desk: Desk) -> None:
    """The disk is full: the first question of a chat, before what was typed meanwhile."""
    desk.use_model()
    with full_disk(desk):
        desk.window.pane.composer.set_text(LONG)
        desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Return)
        type_in(desk, "meanwhile")
        desk.qtbot.waitUntil(desk.window.toast.isVisible)
        desk.qtbot.waitUntil(lambda: not desk.window.controller.is_busy)
    assert box(desk) == f"{LONG.strip()}\n\nmeanwhile"
    assert "full" in desk.window.toast.label.text()


def test_a_later_question_and_those_behind_it_go_back_too(
    desk: Desk, answering: int, release: threading.Event
) -> None:
    """In an open chat, with what waited behind the one that was refused; and in one that is not open."""
    desk.window.pane.composer.set_text(LONG)
    desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Return)
    ask(desk, "Third")
    desk.window.new_chat()
    with full_disk(desk):
        desk.window.controller.stop_all()
        release.set()
        desk.qtbot.waitUntil(desk.window.toast.isVisible, timeout=10_000)
    desk.window.open_conversation(answering)
    assert box(desk) == f"{LONG.strip()}\n\nThird"
    assert desk.window.findChild(QWidget, "queued_0") is None


def test_a_changed_question_that_cannot_be_stored_is_still_there_to_be_changed(desk: Desk) -> None:
    """Its box opens again with the new words."""
    desk.use_model()
    ask(desk, "First")
    wait_for_answers(desk, 1)
    question = desk.window.pane.transcript.findChild(QuestionView)
    with full_disk(desk):
        question.edited.emit(question.message.id, LONG)
        desk.qtbot.waitUntil(desk.window.toast.isVisible)
        desk.qtbot.waitUntil(lambda: not desk.window.controller.is_busy)
    assert question.draft == LONG


def test_a_chat_in_which_all_was_sent_leaves_nothing(desk: Desk) -> None:
    """However many chats there were; one in which something stands is kept."""
    desk.use_model()
    keeper = desk.window.controller._unsent
    for number in range(3):
        desk.window.new_chat()
        type_in(desk, f"Question {number}")
        desk.window.save_state()  # on disk before it is sent, and taken off it afterwards
        ask(desk, "?")
        wait_for_answers(desk, 1)
    type_in(desk, "half a thought")
    last = desk.window.controller.current
    desk.window.new_chat()
    desk.window.save_state()
    assert keeper._queues == {}
    assert {*keeper._boxes} == {*keeper._written} == {last}
