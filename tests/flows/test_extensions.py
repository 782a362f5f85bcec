"""Extensions in the real window: installed on their page, at work in the chat, undone, updated, removed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.chat.store import Message, Role
from desktop.extensions.process import can_confine
from desktop.paths import Paths
from desktop.ui.chat.window import ChatWindow
from desktop.ui.pages.extensions import ExtensionSettings, ExtensionsPage
from tests.extensions.world import package
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.ui.every_window import House, house

pytestmark = [
    pytest.mark.desktop,
    pytest.mark.timeout(120),
    pytest.mark.skipif(not can_confine(), reason="this system has no Landlock or no seccomp"),
]

LEFT = Qt.MouseButton.LeftButton
ANSWER = "The next town is 5 miles away.\n\nIt has 300 people."
WAIT_MS = 20_000


class Flow:
    """What a person does in the two windows."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house, self.folder = house, folder
        self.qtbot = house.qtbot
        self.chat: ChatWindow = house.desktop.chat
        self.chat.resize(1000, 720)
        self.chat.show()
        self.pages = house.desktop.pages
        self.pages.resize(1000, 760)

    def page(self) -> ExtensionsPage:
        self.pages.show_page("Extensions")
        page = self.pages.page
        assert isinstance(page, ExtensionsPage)
        return page

    def press(self, name: str) -> None:
        """Once the button is there."""
        page = self.page()
        self.until(lambda: page.findChild(QPushButton, name) is not None)
        self.qtbot.mouseClick(page.findChild(QPushButton, name), LEFT)

    def add(self, name: str, code: str, *hooks: str, **more: str) -> None:
        """By its folder, and agreed to."""
        page = self.page()
        page.install(package(self.folder / name, code, hooks, **more))
        self.press(f"accept_{name}")
        self.until(lambda: "On" in self.words(name))

    def words(self, name: str) -> str:
        """Of the row of one."""
        row: QWidget | None = self.page().found.list.row(name)
        labels = row.findChildren(QLabel) if row is not None else []
        return " ".join(label.text().replace("\u200b", "") for label in labels)

    def settings(self, name: str) -> dict[str, Any]:
        """As they are on the disk."""
        return dict(self.house.core.extensions.registry.get(name).settings)

    def ask(self, text: str) -> tuple[Message, Message]:
        """In a new chat; question and answer as they are once extensions are done with them."""
        self.chat.new_chat(text)
        self.until(lambda: len(self.chat.pane.transcript.messages) > 1 and not self.chat.controller.is_busy)
        assert self.house.core.extension_texts.wait(WAIT_MS / 1000)
        self.house.settle()
        return self.messages()

    def messages(self) -> tuple[Message, Message]:
        shown = self.chat.pane.transcript.messages
        return (
            next(each for each in shown if each.role is Role.USER),
            next(each for each in reversed(shown) if each.role is Role.ASSISTANT),
        )

    def chip(self) -> QToolButton:
        """The one that says who changed a message."""
        chips = self.chat.findChildren(QToolButton, "changed_0")
        assert len(chips) == 1
        return chips[0]

    def until(self, is_so: object) -> None:
        self.qtbot.waitUntil(is_so, timeout=WAIT_MS)

    def until_answer(self, is_so: Callable[[Message], bool]) -> None:
        """Until the answer on show is such a one; while it is written anew there may be none."""

        def holds() -> bool:
            answers = [each for each in self.chat.pane.transcript.messages if each.role is Role.ASSISTANT]
            return bool(answers) and is_so(answers[-1])

        self.until(holds)

    def picture(self, name: str) -> None:
        """Kept where somebody asks for pictures."""
        folder = os.environ.get("STEWARD_EXTENSION_PICTURES")
        if folder:
            kinds = {"page": self.pages, "quick": self.house.quick.ask.window}
            window = kinds.get(name.partition("-")[0], self.chat)
            self.house.settle()
            window.grab().save(f"{folder}/{name}.png")


@pytest.fixture
def flow(paths: Paths, qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Flow]:
    with house(paths, qapp, qtbot, ScriptedBackend(ANSWER)) as made:
        made.core.engine.use(installed(tmp_path, "tiny"))
        yield Flow(made, tmp_path / "packages")


def test_one_that_comes_with_steward_is_installed_used_undone_and_removed(flow: Flow) -> None:
    """Its row says what it may do before; the chip shows the model's own words; nothing is left of it."""
    flow.press("install_units")
    flow.until(lambda: "Reads answers" in flow.words("units"))
    assert "It cannot open your files" in flow.words("units")
    assert "Off until you agree" in flow.words("units")
    flow.picture("page-waits")
    flow.press("accept_units")
    flow.until(lambda: "Off until you agree" not in flow.words("units"))
    _, answer = flow.ask("How far is the next town?")
    assert answer.text == ANSWER
    assert answer.shown == ANSWER.replace("5 miles", "5 miles (8.05 km)")
    assert "units" in flow.chip().text()
    flow.picture("chat-units")
    flow.qtbot.mouseClick(flow.chip(), LEFT)
    flow.until_answer(lambda each: each.shown == ANSWER)
    flow.qtbot.mouseClick(flow.chip(), LEFT)
    flow.until_answer(lambda each: each.shown != ANSWER)
    flow.until(lambda: not flow.chat.controller.is_busy)
    flow.picture("page-on")
    flow.press("remove_units")
    flow.press("extension_confirm_yes")
    flow.until_answer(lambda each: each.changed is None)
    assert flow.messages()[1].shown == ANSWER
    paths = flow.house.core.paths
    assert [each.name for each in paths.extensions.iterdir()] == ["registry.json"]
    assert b"units" not in paths.extension_list.read_bytes()


def test_a_changed_question_shows_who_and_is_undone_with_one_click(flow: Flow) -> None:
    """The bubble keeps the user's words; undone, there is another version of the answer."""
    flow.add(
        "polite",
        "def on_input_messages(text, context):\n    return text + ' Answer briefly, please.'\n",
        "on_input_messages",
    )
    question, answer = flow.ask("How far is the next town?")
    assert question.text == "How far is the next town?"
    assert question.sent.endswith("Answer briefly, please.")
    assert "Changed by polite" in flow.chip().text()
    assert "Answer briefly, please." in flow.chip().toolTip()
    flow.picture("chat-changed")
    flow.qtbot.mouseClick(flow.chip(), LEFT)
    flow.until_answer(lambda each: each.id != answer.id and not flow.chat.controller.is_busy)
    question, answer = flow.messages()
    assert (question.sent, answer.versions) == (question.text, 2)
    assert "Without polite" in flow.chip().text()


def test_its_settings_are_a_form_on_the_page_and_count_from_the_next_question(flow: Flow) -> None:
    """Text, number and switch as the manifest declares them; reset gives the manifest's value back."""
    code = (
        "def on_llm_output(text, context):\n"
        "    kept = context.settings\n"
        "    return text + ' ' + kept['sign'] * kept['how_often'] if kept['is_on'] else None\n"
    )
    more = "".join(
        f'[[settings]]\nname = "{name}"\ndefault = {default}\ndescription = "Help of {name}."\n'
        for name, default in (("sign", '"~"'), ("how_often", "1"), ("is_on", "true"))
    )
    flow.add("signed", code, "on_llm_output", more=more)
    flow.press("settings_signed")
    form = flow.page().findChild(ExtensionSettings)
    assert form is not None
    sign, often, switch = form.rows
    assert [row.field.title for row in form.rows] == ["Sign", "How often", "Is on"]
    assert sign.help.text() == "Help of sign."
    flow.picture("page-settings")
    for row, typed in ((sign, "*"), (often, "3")):
        line = row.editor.control
        assert isinstance(line, QLineEdit | QAbstractSpinBox)
        line.selectAll()
        flow.qtbot.keyClicks(line, typed)
        flow.qtbot.keyClick(line, Qt.Key.Key_Return)
    flow.until(lambda: flow.settings("signed") == {"sign": "*", "how_often": 3, "is_on": True})
    assert flow.ask("How far is the next town?")[1].shown == f"{ANSWER} ***"
    flow.qtbot.mouseClick(sign.back, LEFT)
    flow.qtbot.mouseClick(switch.editor.control, LEFT, pos=QPoint(5, 5))
    flow.until(lambda: flow.settings("signed") == {"sign": "~", "how_often": 3, "is_on": False})
    assert flow.ask("How far is the next town?")[1].shown == ANSWER
    flow.qtbot.keyClick(form.close_button, Qt.Key.Key_Escape)
    flow.until(lambda: flow.page().findChild(ExtensionSettings) is None)
    assert flow.pages.isVisible()


def test_quick_ask_shows_what_was_changed_and_undoes_it(flow: Flow) -> None:
    """The chips of the chat window, under the question and under the answer of the panel."""
    flow.add(
        "polite", "def on_input_messages(text, context):\n    return text + ' Please.'\n", "on_input_messages"
    )
    flow.add("loud", "def on_llm_output(text, context):\n    return text.upper()\n", "on_llm_output")
    ask = flow.house.quick.ask
    ask.show()
    ask.window.field.setPlainText("How far is the next town?")
    flow.qtbot.keyClick(ask.window.field, Qt.Key.Key_Return)

    def chips() -> list[QToolButton]:
        return [each for each in ask.window.findChildren(QToolButton, "changed_0") if each.isVisible()]

    def until_chips_say(*words: str) -> None:
        def said() -> None:
            assert [each.text() for each in chips()] == list(words)
            assert not ask.talk.is_busy

        flow.until(said)

    until_chips_say("Changed by polite · undo", "Changed by loud · undo")
    question, answer = ask.window.transcript.messages
    assert (question.sent, answer.shown) == ("How far is the next town? Please.", ANSWER.upper())
    flow.picture("quick-changed")
    flow.qtbot.mouseClick(chips()[0], LEFT)
    until_chips_say("Without polite · use again", "Changed by loud · undo")
    question, answer = ask.window.transcript.messages
    assert (question.sent, answer.versions) == (question.text, 2)
    ask.hide(give_back=False)


@pytest.mark.slow
def test_of_two_the_one_at_the_top_goes_first(flow: Flow) -> None:
    """The button of a row puts it there."""
    for name in ("first", "second"):
        flow.add(name, f"def on_llm_output(text, context):\n    return text + ' {name}'\n", "on_llm_output")
    flow.press("top_second")
    flow.until(
        lambda: (
            [each.objectName() for each in flow.page().found.list.rows]
            and flow.page().found.list.rows[0] is flow.page().found.list.row("second")
        )
    )
    _, answer = flow.ask("How far is the next town?")
    assert answer.shown == f"{ANSWER} second first"


@pytest.mark.slow
def test_a_crash_in_the_middle_of_an_answer_changes_nothing(flow: Flow) -> None:
    """The answer is there as the model wrote it, and the row says what happened."""
    code = "import os\n\ndef on_plain_text(text, context):\n    os._exit(1)\n"
    flow.add("crashing", code, "on_plain_text")
    _, answer = flow.ask("How far is the next town?")
    assert (answer.text, answer.shown) == (ANSWER, ANSWER)
    assert not flow.chat.findChildren(QToolButton, "changed_0")
    flow.page().shown()
    flow.until(lambda: "ended in the middle of a call" in flow.words("crashing"))
    flow.picture("page-crashed")


@pytest.mark.slow
def test_an_update_is_off_until_its_difference_was_agreed_to(flow: Flow) -> None:
    """The row names what is new, and only that."""
    code = "def on_llm_output(text, context):\n    return text + ' one'\n"
    flow.add("updated", code, "on_llm_output")
    newer = package(
        flow.folder / "newer" / "updated",
        code.replace("one", "two"),
        ("on_llm_output",),
        version="2.0",
        permissions='hosts = ["api.example.org"]',
    )
    flow.page().install(newer)
    flow.until(lambda: "New: May send what it has read to api.example.org" in flow.words("updated"))
    assert "Reads answers" not in flow.words("updated")
    flow.picture("page-update")
    _, answer = flow.ask("How far is the next town?")
    assert answer.shown == ANSWER
    flow.press("accept_updated")
    flow.until(lambda: "Off until you agree" not in flow.words("updated"))
    _, answer = flow.ask("How far is the next town?")
    assert answer.shown == f"{ANSWER} two"


@pytest.mark.slow
def test_many_are_searched(flow: Flow) -> None:
    """Fifty rows at a time, found by name and by what the author says."""
    registry = flow.house.core.extensions.registry
    for number in range(60):
        registry.install(package(flow.folder / f"e{number}", "", more=f'name = "Number {number}."'))
    page = flow.page()
    page.shown()
    flow.until(lambda: len(page.found.list.rows) == 50)
    assert page.found.rows.found == 60
    page.found.search.setText("number 17.")
    flow.until(lambda: [each.accessibleName() for each in page.found.list.rows] == ["Number 17. 1.0"])
    page.found.search.setText("nobody")
    flow.until(lambda: "No extension matches" in page.found.empty.text())
