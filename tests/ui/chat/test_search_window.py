"""Search in the real window: typed, walked through, opened."""

from __future__ import annotations

import threading

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.chat.search import FoundChat, FoundMessage, SearchResults
from desktop.chat.store import Role
from desktop.qt.background import Background
from desktop.ui.chat.conversation_list import ROW_ROLE
from desktop.ui.chat.list_controller import ConversationSearch
from desktop.ui.chat.transcript import Flash
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import add_conversation, listed

SEARCH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def found(desk: Desk, text: str) -> None:
    """Type `text` into the search box and wait for rows that hold it."""
    desk.window.sidebar.focus_search()
    before = listed(desk)
    QTest.keyClicks(desk.window.sidebar.search, text)
    desk.qtbot.waitUntil(lambda: listed(desk) != before and not desk.window.sidebar.search._timer.isActive())


def test_search_finds_while_typing_and_enter_jumps_there(desk: Desk) -> None:
    """Up and Down choose without leaving the box; Enter opens the message, which is shown by a ring."""
    many = [f"line {number}" for number in range(200)]
    many[3] = "the walrus sleeps"
    number = add_conversation(desk, *many, title="Sea")
    add_conversation(desk, "walrus and more walrus", title="Other")
    QTest.keyClick(desk.window, Qt.Key.Key_F, SEARCH)
    assert desk.window.sidebar.search.hasFocus()
    found(desk, "walr")
    assert set(listed(desk)) == {"Sea", "the walrus sleeps", "Other", "walrus and more walrus"}
    box, rows = desk.window.sidebar.search, desk.window.sidebar.list
    while rows.currentIndex().data() != "the walrus sleeps":
        at = rows.currentIndex().row()
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert rows.currentIndex().row() == at + 1
        assert box.hasFocus()
    row = rows.currentIndex().data(ROW_ROLE)
    assert isinstance(row, FoundMessage)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert desk.window.controller.current == number
    assert [each.data() for each in rows.selectedIndexes()] == ["the walrus sleeps"]
    view = desk.window.pane.transcript.view(row.message_id)
    assert view is not None
    assert view.findChildren(Flash)
    top = view.mapTo(desk.window.pane.transcript.viewport(), view.rect().topLeft()).y()
    assert 0 <= top < desk.window.pane.transcript.viewport().height() // 2


def test_the_first_row_is_chosen_already(desk: Desk) -> None:
    """Typing and Enter is enough; the title of a conversation opens it at its end."""
    number = add_conversation(desk, "hello", title="About walruses")
    found(desk, "walruses")
    assert isinstance(desk.window.sidebar.list.currentIndex().data(ROW_ROLE), FoundChat)
    QTest.keyClick(desk.window.sidebar.search, Qt.Key.Key_Return)
    assert desk.window.controller.current == number


def test_esc_leaves_the_search_and_the_list_is_back(desk: Desk) -> None:
    """The box is empty, the conversations are listed, and the message box has the keyboard."""
    add_conversation(desk, "hello", title="Greeting")
    desk.window.controller.refresh_conversations()
    desk.qtbot.waitUntil(lambda: "Greeting" in listed(desk))
    found(desk, "hello")
    QTest.keyClick(desk.window.sidebar.search, Qt.Key.Key_Escape)
    assert desk.window.sidebar.search.text() == ""
    assert listed(desk) == ["Today", "Greeting"]
    assert desk.window.pane.composer.text.hasFocus()


def test_a_deleted_chat_leaves_what_was_found_and_comes_back_with_undo(desk: Desk) -> None:
    """What is shown is there; the row that was chosen gives way to the next one."""
    numbers = [add_conversation(desk, f"walrus {n}", title=f"Chat {n}") for n in range(3)]
    desk.window.controller.refresh_conversations()
    found(desk, "walrus")
    rows = desk.window.sidebar.list
    everything = listed(desk)
    QTest.keyClick(desk.window.sidebar.search, Qt.Key.Key_Down)
    gone = rows.currentIndex().data(ROW_ROLE)
    assert isinstance(gone, FoundMessage)
    desk.window.sidebar.delete_wanted.emit(gone.conversation_id)
    title = f"Chat {numbers.index(gone.conversation_id)}"
    desk.qtbot.waitUntil(lambda: title not in listed(desk))
    assert len(listed(desk)) == 4
    assert rows.currentIndex().row() == 1
    desk.window.toast.button.click()
    desk.qtbot.waitUntil(lambda: listed(desk) == everything)


def test_nothing_found_is_said(desk: Desk) -> None:
    """In the place of rows; Enter does nothing then."""
    add_conversation(desk, "hello")
    found(desk, "xylophone")
    assert listed(desk) == ["Nothing found"]
    QTest.keyClick(desk.window.sidebar.search, Qt.Key.Key_Return)
    assert desk.window.controller.current == 0


def test_a_message_on_another_version_is_opened_with_its_branch(desk: Desk) -> None:
    """What was found is shown, also where another version was in sight."""
    number = add_conversation(desk, "question", "first answer about a narwhal")
    first = desk.store.messages(number)[1]
    second = desk.store.open_answer(number, instead_of=first.id)
    desk.store.grow(second.id, "second answer", "")
    assert [m.id for m in desk.store.messages(number)][-1] == second.id
    found(desk, "narwhal")
    QTest.keyClick(desk.window.sidebar.search, Qt.Key.Key_Down)
    QTest.keyClick(desk.window.sidebar.search, Qt.Key.Key_Return)
    assert desk.window.pane.transcript.message(first.id) is not None


def test_the_newest_of_what_was_typed_wins(desk: Desk) -> None:
    """Searches run one at a time off the main thread; what was typed in between is left out."""
    asked: list[str] = []
    threads: set[int] = set()
    release = threading.Event()

    def slow(typed: str) -> SearchResults:
        asked.append(typed)
        threads.add(threading.get_ident())
        release.wait(60)
        return SearchResults(typed)

    background = Background()
    searching = ConversationSearch(slow, background)
    answers: list[str] = []
    searching.found.connect(lambda typed, _page: answers.append(typed))
    for typed in ("w", "wa", "wal", "walr"):
        searching.ask(typed)
    desk.qtbot.waitUntil(lambda: asked == ["w"])
    release.set()
    desk.qtbot.waitUntil(lambda: answers == ["walr"])
    assert asked == ["w", "walr"]
    assert threading.get_ident() not in threads
    background.close()


def test_only_the_user_is_named(desk: Desk) -> None:
    """Whose words were found is said to those who hear the rows."""
    add_conversation(desk, "the walrus", "a walrus is an animal")
    found(desk, "walrus")
    model = desk.window.sidebar.model
    spoken = [model.index(n).data(Qt.ItemDataRole.AccessibleTextRole) for n in range(model.rowCount())]
    assert "You: the walrus" in spoken
    assert "Steward: a walrus is an animal" in spoken
    assert Role.USER == "user"
