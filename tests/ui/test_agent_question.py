"""A question of a coding agent in its window: answered by a click, by nobody, and one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.server.mcp import LONGEST, LONGEST_OPTION, MOST_OPTIONS, Caller
from desktop.ui.agent_question import MOST_WAITING, AgentQuestion, AgentQuestionDialog, AgentQuestions
from desktop.ui.theme import Theme


@pytest.fixture
def make(qapp: QApplication, qtbot: QtBot) -> Iterator[Callable[..., AgentQuestions]]:
    Theme(qapp)
    made: list[AgentQuestions] = []

    def questions(timeout_s: float = 20.0) -> AgentQuestions:
        made.append(AgentQuestions(timeout_s, arm_ms=50))
        return made[-1]

    yield questions
    for each in made:
        each.close()


def button(questions: AgentQuestions, name: str) -> QPushButton:
    assert questions.dialog is not None
    found = questions.dialog.findChild(QPushButton, name)
    assert found is not None
    return found


def test_a_click_is_the_answer(make: Callable[..., AgentQuestions], qtbot: QtBot) -> None:
    """The buttons are the agent's options, enabled only after a moment, and the focus is on not answering."""
    questions = make()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(questions.ask, Caller("codex"), "Which colour?", ("blue & red", "green"))
        qtbot.waitUntil(lambda: questions.dialog is not None)
        assert questions.dialog is not None
        assert questions.dialog.windowTitle() == "Codex asks"
        assert button(questions, "agent_question_none").isDefault()
        assert not button(questions, "agent_question_0").isEnabled()
        qtbot.waitUntil(button(questions, "agent_question_0").isEnabled)
        qtbot.mouseClick(button(questions, "agent_question_0"), Qt.MouseButton.LeftButton)
        assert answer.result(10) == "blue & red"
    assert questions.dialog is None


def test_without_options_it_is_yes_or_no(make: Callable[..., AgentQuestions], qtbot: QtBot) -> None:
    """And Escape answers neither."""
    questions = make()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(questions.ask, Caller("codex"), "Shall I go on?", ())
        qtbot.waitUntil(lambda: questions.dialog is not None)
        assert [button(questions, f"agent_question_{n}").accessibleName() for n in (0, 1)] == ["Yes", "No"]
        assert questions.dialog is not None
        questions.dialog.reject()
        qtbot.waitUntil(answer.done)
        assert answer.result(10) is None


def test_what_the_agent_writes_is_shown_as_text(make: Callable[..., AgentQuestions], qtbot: QtBot) -> None:
    """No mark-up, no hidden characters, and an unknown name is not shown as if it were an agent's."""
    questions = make()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(questions.ask, Caller("Your bank"), "<b>Pay</b>\u202e now", ())
        qtbot.waitUntil(lambda: questions.dialog is not None)
        assert questions.dialog is not None
        assert questions.dialog.windowTitle() == "A program asks"
        shown = questions.dialog.findChild(QLabel, "agent_question_text")
        assert shown is not None
        assert "<b>Pay</b>" in shown.text().replace("\u200b", "")
        assert "\u202e" not in shown.text()
        questions.dialog.reject()
        qtbot.waitUntil(answer.done)


@pytest.mark.parametrize(("zoom", "scrolls"), [(100, False), (200, True)])
def test_all_of_a_long_question_and_of_each_answer_can_be_read(
    qtbot: QtBot, qapp: QApplication, zoom: int, scrolls: bool
) -> None:
    """As long as the server lets them be: what is too much for the screen scrolls, and nothing is cut."""
    theme = Theme(qapp)
    theme.set_zoom(zoom)
    words = "Shall everything be thrown away and written anew "
    options = [f"{n} {words * 2}"[:LONGEST_OPTION] for n in range(MOST_OPTIONS)]
    dialog = AgentQuestionDialog(AgentQuestion("codex", (words * 50)[:LONGEST], tuple(options)), arm_ms=1)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: (dialog.scrolling.verticalScrollBar().maximum() > 0) == scrolls)
    room = dialog.screen().availableGeometry()
    assert dialog.width() <= room.width()
    assert dialog.height() <= room.height()
    assert dialog.rect().contains(dialog.none.geometry())
    shown = [label for label in dialog.findChildren(QLabel) if label.text()]
    for label in shown:
        assert label.height() >= label.heightForWidth(label.width()), label.objectName()
    for answer in dialog.buttons:
        inside = answer.findChild(QLabel)
        assert inside is not None
        assert answer.rect().contains(inside.geometry())
    theme.set_zoom(100)


def test_it_does_not_take_the_keyboard_from_where_somebody_types(
    make: Callable[..., AgentQuestions], qtbot: QtBot
) -> None:
    """It comes by itself, over others; what is typed in a terminal must not end up in it."""
    questions = make()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(questions.ask, Caller("codex"), "Which?", ())
        qtbot.waitUntil(lambda: questions.dialog is not None)
        assert questions.dialog is not None
        assert questions.dialog.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        assert questions.dialog.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
        questions.dialog.reject()
        qtbot.waitUntil(answer.done)


def test_one_stands_on_the_screen_and_too_many_are_not_asked(
    make: Callable[..., AgentQuestions], qtbot: QtBot
) -> None:
    """The next one comes after the answer; closing answers all that wait with nothing."""
    questions = make()
    with ThreadPoolExecutor(8) as pool:
        asked = [
            pool.submit(questions.ask, Caller("codex"), f"Number {n}?", ()) for n in range(MOST_WAITING + 2)
        ]
        qtbot.waitUntil(lambda: sum(each.done() for each in asked) == 1)
        first = questions.dialog
        assert first is not None
        first.reject()
        qtbot.waitUntil(lambda: questions.dialog is not None and questions.dialog is not first)
        questions.close()
        assert [each.result(10) for each in asked] == [None] * len(asked)


def test_a_question_goes_with_its_time_or_its_agent(
    make: Callable[..., AgentQuestions], qtbot: QtBot
) -> None:
    """Nobody is left before a question that nobody waits for."""
    for questions, gone in ((make(0.3), False), (make(), True)):
        caller = Caller("codex")
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(questions.ask, caller, "Still there?", ())
            qtbot.waitUntil(lambda: questions.dialog is not None)  # noqa: B023 - waited for at once
            if gone:
                caller.gone.set()
            qtbot.waitUntil(answer.done)
            assert answer.result(10) is None
            qtbot.waitUntil(lambda: questions.dialog is None)  # noqa: B023 - waited for at once
