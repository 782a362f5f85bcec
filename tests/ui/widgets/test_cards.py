"""Cards: what came of an action, a notice with one button, and Esc where it means something."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.settings import Theme as Mode
from desktop.ui.theme import Theme
from desktop.ui.widgets.buttons import AskingSwitch, Switch, action
from desktop.ui.widgets.cards import Confirm, EscapeFrame, Notice, OutcomeLine, Row, SwitchCard, SwitchRow
from desktop.ui.widgets.error_card import ErrorCard
from tests.fakes.failures import failure

LEFT, ESC = Qt.MouseButton.LeftButton, Qt.Key.Key_Escape


@pytest.fixture
def holder(qapp: QApplication, qtbot: QtBot) -> QWidget:
    Theme(qapp, Mode.LIGHT)
    made = QWidget()
    qtbot.addWidget(made)
    QVBoxLayout(made)
    made.resize(600, 400)
    made.show()
    return made


def put(holder: QWidget, widget: QWidget) -> None:
    layout = holder.layout()
    assert layout is not None
    layout.addWidget(widget)


def test_an_outcome_is_words_or_an_error_and_never_both(holder: QWidget, qtbot: QtBot) -> None:
    """The latest counts; an error can be closed, and leaves nothing behind."""
    outcome = OutcomeLine("fruit_result")
    column = holder.layout()
    assert isinstance(column, QVBoxLayout)
    column.addLayout(outcome)
    outcome.say("Two apples were counted.", "check", "success")
    label = holder.findChild(QLabel, "fruit_result")
    assert label is not None
    assert label.accessibleName() == "Two apples were counted."
    outcome.refuse(failure("The basket is gone.", "No apple was lost.", "Fetch another."))
    qtbot.waitUntil(lambda: holder.findChild(QLabel, "fruit_result") is None)
    card = holder.findChild(ErrorCard)
    assert card is not None
    qtbot.mouseClick(card.buttons[0], LEFT)
    assert outcome.count() == 0


def test_what_ends_later_takes_no_newer_refusal_away(holder: QWidget) -> None:
    """Of two actions that run at once the second may fail before the first is done."""
    outcome = OutcomeLine("fruit_result")
    column = holder.layout()
    assert isinstance(column, QVBoxLayout)
    column.addLayout(outcome)
    outcome.say("Two apples were counted.")
    first_is_done = outcome.clearing()
    outcome.refuse(failure("The basket is gone.", "No apple was lost.", "Fetch another."))
    first_is_done()
    assert outcome.count() == 1
    outcome.clearing()()
    assert outcome.count() == 0


def test_a_bug_is_no_outcome(holder: QWidget) -> None:
    """What is not meant for people is raised, so that it is logged."""
    with pytest.raises(RuntimeError):
        OutcomeLine("fruit_result").refuse(RuntimeError("bug"))


def test_a_notice_has_one_thing_to_do(holder: QWidget, qtbot: QtBot) -> None:
    """Hidden until its owner shows it."""
    notice = Notice("fruit_notice", "The shop is closed.", action("Open it", "fruit_open"))
    put(holder, notice)
    assert not notice.isVisible()
    notice.show()
    with qtbot.waitSignal(notice.acted):
        qtbot.mouseClick(notice.button, LEFT)


def test_no_is_first_and_is_escape(holder: QWidget, qtbot: QtBot) -> None:
    """Enter right after a click changes nothing, and Esc leaves everything as it is."""
    confirm, said = Confirm("fruit_confirm"), list[str]()
    put(holder, confirm)
    confirm.ask("Eat all?", "Eat", "Keep", lambda: said.append("eaten"), lambda: said.append("kept"))
    assert confirm.no.text() == "Keep"
    assert confirm.yes.accessibleDescription() == "Eat all?"
    qtbot.keyClick(confirm.no, ESC)
    assert (said, confirm.isVisible()) == (["kept"], False)
    confirm.ask("Eat all?", "Eat", "Keep", lambda: said.append("eaten"))
    qtbot.mouseClick(confirm.yes, LEFT)
    assert said == ["kept", "eaten"]


@pytest.mark.parametrize("wanted", [True, False])
def test_escape_is_for_the_frame_only_while_it_wants_it(holder: QWidget, qtbot: QtBot, wanted: bool) -> None:
    """Else it is the window's, which closes."""
    left: list[bool] = []

    class Form(EscapeFrame):
        def wants_escape(self) -> bool:
            return wanted

        def on_escape(self) -> None:
            left.append(True)

    form = Form()
    put(holder, form)
    qtbot.keyClick(form, ESC)
    assert bool(left) == wanted


def test_buttons_go_below_words_that_they_would_squeeze(holder: QWidget, qtbot: QtBot) -> None:
    """Where there is no room beside the words they go below and wrap; in a wider row they come back."""
    made = [action("A word or two, or four", f"act_{number}", lambda: None) for number in range(2)]
    row = Row("check", "secondary", "Pears", ("Ripe, and to be eaten soon",), made)
    put(holder, row)
    holder.resize(420, 400)
    qtbot.waitUntil(lambda: made[0].y() > row.captions[0].y())
    assert all(row.rect().contains(each.geometry()) for each in made)
    holder.resize(1100, 400)
    qtbot.waitUntil(lambda: made[0].y() < row.captions[0].y())
    assert [each.x() for each in made] == sorted(each.x() for each in made)


def test_three_buttons_leave_the_width_to_the_words(holder: QWidget, qtbot: QtBot) -> None:
    """In rows of every width: rows of one list look alike, and the words are what is read."""
    made = [action("A word", f"act_{number}", lambda: None) for number in range(3)]
    row = Row("check", "secondary", "Pears", ("Ripe, and to be eaten soon",), made)
    put(holder, row)
    for width in (560, 1100):
        holder.resize(width, 400)
        qtbot.waitUntil(lambda: all(each.y() > row.captions[0].y() for each in made))
        assert row.words.width() > 0.8 * row.width()


@pytest.mark.parametrize("captions", [(), ("Ripe", "Sweet")])
def test_a_sign_stands_beside_its_words(holder: QWidget, qtbot: QtBot, captions: tuple[str, ...]) -> None:
    """Beside words that are alone in their row, and beside the first line of several."""
    row = Row("check", "secondary", "Pears", captions, (action("Eat", "eat", lambda: None),))
    put(holder, row)
    holder.resize(600, row.sizeHint().height() + 24)
    qtbot.waitUntil(lambda: row._sign.x() > 0 and row.height() < 100)
    words, sign = row.words.geometry(), row._sign.geometry()
    assert abs(words.center().y() - sign.center().y()) <= 3


def test_the_words_of_a_switch_are_part_of_it(holder: QWidget, qtbot: QtBot) -> None:
    """A click on them is one on the switch, unless that cannot be used; all end at one edge."""
    plain, asking, away = Switch("pear"), AskingSwitch("plum"), Switch("fig")
    rows = (
        SwitchRow(plain, "Pears", "Those of the old tree."),
        SwitchRow(asking, "Plums", danger=True, spoken="Plums of the neighbours"),
        SwitchRow(away, "Figs"),
    )
    put(holder, SwitchCard(*rows))
    away.setEnabled(False)
    asked: list[bool] = []
    asking.asked.connect(asked.append)
    for row in rows:
        qtbot.mouseClick(row.words, LEFT)
    assert (plain.isChecked(), asking.isChecked(), away.isChecked(), asked) == (True, False, False, [True])
    assert (plain.accessibleName(), plain.accessibleDescription()) == ("Pears", "Those of the old tree.")
    assert asking.accessibleName() == "Plums of the neighbours"
    qtbot.waitUntil(lambda: rows[2].y() > rows[1].y() > rows[0].y())
    ends = {each.mapTo(holder, each.rect().topRight()).x() for each in (plain, asking, away)}
    assert len(ends) == 1
