"""The signs of a chat that a model server answers, in the real windows with a real server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from desktop.chat.attachments import Draft
from desktop.chat.destinations import Agreed, WordsLeaving
from desktop.chat.messages import Role
from desktop.chat.remote_turn import OutgoingText
from desktop.paths import Paths
from desktop.ui.chat.send_question import SendDialog, SendQuestions
from desktop.ui.chat.window import ChatWindow
from desktop.ui.widgets.buttons import BOX_PX, GAP_PX
from desktop.ui.widgets.menu import Menu
from tests.fakes.model_server import Answer, ModelServer, model_server, silence, status, words
from tests.fakes.scripted_model import ScriptedBackend, installed
from tests.ui.chat.conftest import show_active
from tests.ui.every_window import House, house

LOCAL = "Answered on this computer."
WAIT_MS = 30_000


class Elsewhere:
    """The program with its windows, and one model server that is set up and not chosen yet."""

    def __init__(self, used: House, server: ModelServer) -> None:
        self.used, self.core, self.server, self.qtbot = used, used.core, server, used.qtbot
        self.core.settings.put("engines", "servers", "big", {"url": server.url, "model": "big-model"})
        self.window: ChatWindow = used.desktop.chat
        self.window.resize(1000, 720)
        self.window.show()
        self.questions = SendQuestions(lambda: self.window, self.core.turns.is_wanted, arm_ms=1)
        self.core.ask_to_send = self.questions.ask
        self.used.settle()

    def until(self, condition: object) -> None:
        self.qtbot.waitUntil(condition, timeout=WAIT_MS)  # type: ignore[arg-type]

    def choose(self, number: int = 1) -> None:
        """By the menu that the user opens."""
        menu = Menu(self.window, "model_menu")
        self.window.destination.fill(menu)
        entry = menu.findChild(QObject, f"use_server_{number}")
        assert entry is not None
        entry.trigger()  # type: ignore[attr-defined]
        self.used.settle()
        self.until(lambda: not self.window.destination._coming)
        self.used.settle()  # the banner that this brings has its place before anybody measures
        menu.deleteLater()

    def send(self, text: str = "Why is the sky blue?") -> None:
        self.window.controller.send(Draft(text))

    def dialog(self) -> SendDialog:
        """The question, read to its end."""
        self.until(lambda: self.questions.dialog is not None and self.questions.dialog._guard.armed)
        dialog = self.questions.dialog
        assert dialog is not None
        read_through(dialog, self.qtbot)
        self.until(dialog.send.isEnabled)
        return dialog

    def agree(self) -> None:
        self.dialog().send.click()

    def answers(self) -> list[str]:
        messages = self.core.store.messages(self.window.controller.current, limit=None)
        return [each.text for each in messages if each.role is Role.ASSISTANT]

    def until_over(self) -> None:
        self.until(lambda: self.window.controller.current > 0 and not self.window.controller.is_busy)

    def signs(self) -> tuple[str, str, str, str, bool]:
        """Header, frame's window title, the button that sends, the box, and the composer's own edge."""
        pane = self.window.pane
        pane.composer.text.setPlainText("x")
        said = pane.composer.send_button.accessibleName()
        pane.composer.text.clear()
        header = pane.destination.words.text() if not pane.destination.isHidden() else ""
        edge = not pane.frame.isHidden() and bool(pane.composer.property("elsewhere"))
        return header, self.window.windowTitle(), said, pane.composer.text.placeholderText(), edge


def read_through(dialog: SendDialog, qtbot: QtBot) -> int:
    """By the button, as often as it takes."""
    presses = 0
    while not dialog.text.is_seen:
        assert presses < 300
        dialog.more.click()
        presses += 1
        qtbot.wait(2)
    return presses


@contextmanager
def elsewhere(profile: Path, qapp: QApplication, qtbot: QtBot, *answers: Answer) -> Iterator[Elsewhere]:
    paths = Paths.under(profile)
    with model_server(*answers) as server, house(paths, qapp, qtbot, ScriptedBackend(LOCAL)) as used:
        used.core.engine.use(installed(profile / "models"))
        made = Elsewhere(used, server)
        try:
            yield made
        finally:
            made.questions.close()  # a turn that waits for an answer would be waited for in turn
            made.window.hide()


def test_every_sign_names_the_host_while_it_is_chosen(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    """Header, title, message box, button, edge and status line: all with it, and all without."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        host = there.server.shown
        without = there.signs()
        assert without == ("", "Steward", "Send (Enter)", "Ask anything…", False)
        there.choose()
        header, title, button, box, edge = there.signs()
        assert host in header.replace("\u200b", "")
        assert "may pass your words on" in header
        assert (title, button) == (f"to {host} – Steward", f"Send to {host} (Enter)")
        assert (box, edge) == (f"Message to {host}", True)
        assert there.window.pane.status.model.accessibleName() == f"to {host}"
        there.choose(0)
        assert there.signs() == without
        assert there.window.pane.status.model.accessibleName() != f"to {host}"


def test_nothing_is_sent_before_the_user_has_agreed(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """The question shows host and text; the focus is on no; "Do not send" ends the turn."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        there.choose()
        there.send()
        dialog = there.dialog()
        assert there.server.shown in dialog.windowTitle()
        assert "Why is the sky blue?" in dialog.text.toPlainText()
        assert dialog.focusWidget() is dialog.no
        assert not dialog.memory.isChecked()
        assert not there.server.seen
        dialog.no.click()
        there.until_over()
        assert not there.server.seen
        assert there.answers() == [""]


def test_one_yes_holds_for_the_chat(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """The second question goes at once; another chat is not answered there at all."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        there.choose()
        there.send()
        there.agree()
        there.until(lambda: there.answers() == ["Hello there"])
        there.until_over()
        there.send("And at night?")
        there.until(lambda: there.answers() == ["Hello there"] * 2)
        there.until_over()
        there.window.new_chat()
        there.used.settle()
        assert there.signs()[0] == ""
        there.send("And here?")
        there.until(lambda: there.answers() == [LOCAL])
        assert len(there.server.asked) == 2


def test_what_is_unticked_stays(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """Earlier messages and tools."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        there.send("My plan is a lighthouse")
        there.until(lambda: there.answers() == [LOCAL])
        there.until_over()
        there.choose()
        there.send()
        dialog = there.dialog()
        boxes: tuple[QCheckBox, ...] = (dialog.history, dialog.tools)
        for box in boxes:
            assert box.isChecked()
            box.click()
        dialog.send.click()
        there.until(lambda: bool(there.server.asked))
        there.until_over()
        assert "lighthouse" not in there.server.text
        assert "tools" not in there.server.asked[0]


@pytest.mark.parametrize(("zoom", "height"), [(100, 900), (200, 1600), (125, 500), (200, 680)])
def test_nothing_in_the_question_covers_anything_else(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot, zoom: int, height: int
) -> None:
    """With a folder whose name wraps, at the largest letters, and on a low screen, where a part scrolls."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        there.used.theme.set_zoom(zoom)
        server = there.core.remote_engines.get("big")
        folder = "/home/ada/Documents/with/a/long/path/to/some/where/else"
        dialog = SendDialog(OutgoingText(1, 1, server, 4, ("plan.pdf",), True, True, folder, "x\n" * 40))
        qtbot.addWidget(dialog)
        dialog.show()
        there.used.settle()
        dialog.resize(dialog.width(), height)
        there.used.settle()
        assert dialog.height() <= height
        column = dialog.layout()
        assert column is not None
        items = (column.itemAt(place) for place in range(column.count()))
        shown = [item.geometry() for item in items if item is not None and not item.isEmpty()]
        for above, below in pairwise(shown):
            assert above.bottom() < below.top()
        there.used.theme.set_zoom(100)


def asked(there: Elsewhere, text: str) -> SendDialog:
    server = there.core.remote_engines.get("big")
    dialog = SendDialog(OutgoingText(1, 1, server, 3, (), True, True, "/papers", text), arm_ms=1)
    there.qtbot.addWidget(dialog)
    show_active(dialog, there.qtbot)
    there.until(lambda: dialog._guard.armed)
    there.used.settle()
    return dialog


def test_a_long_text_is_sent_once_its_end_was_in_sight(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    """No yes before, by no way; the button under the text brings one there. A short one waits for nothing."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        short = asked(there, "Why is the sky blue?")
        assert (short.send.isEnabled(), short.more.isVisible()) == (True, False)
        dialog = asked(there, "line\n" * 300)
        answers: list[object] = []
        dialog.answered.connect(answers.append)
        assert (dialog.send.isEnabled(), dialog.hint.isVisible()) == (False, True)
        dialog.send.click()
        qtbot.keyClick(dialog.text, Qt.Key.Key_Return)
        assert answers == [None]  # Enter is the default button's, which is no
        assert read_through(dialog, qtbot) > 0
        assert (dialog.send.isEnabled(), dialog.more.isVisible()) == (True, False)
        dialog.text.verticalScrollBar().setValue(0)  # what was seen stays seen
        there.used.settle()
        dialog.send.click()
        assert len(answers) == 2
        assert isinstance(answers[-1], Agreed)


def test_what_stays_of_memory_is_said_beside_its_box(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    """Whoever ticks it sends no password along."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        said = asked(there, "Why is the sky blue?").findChild(QLabel, "send_secrets")
        assert said.text() == "Passwords, PINs and codes in it stay here."


def test_what_belongs_to_a_box_stands_below_its_words(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    """So that it is not read as the next thing that is sent."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        dialog = asked(there, "Why is the sky blue?")
        for box, name in ((dialog.tools, "send_folder"), (dialog.memory, "send_secrets")):
            label = dialog.findChild(QLabel, name)
            assert label is not None
            assert label.x() == box.x() + BOX_PX + GAP_PX


def test_the_text_is_called_what_it_is(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """It holds the earlier messages and no memory, whatever is ticked."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        dialog = asked(there, "Why is the sky blue?")
        said = [dialog.text.accessibleName()]
        dialog.memory.click()
        said.append(dialog.text.accessibleName())
        dialog.history.click()
        said.append(dialog.text.accessibleName())
        assert said == [
            "All of it, as it would be sent",
            "As it would be sent, before what is remembered is added",
            "All of it; the earlier messages in it stay here",
        ]


def test_closing_the_question_is_no(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """And so is stopping the answer while it is open."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        there.choose()
        there.send()
        there.dialog().close()
        there.until_over()
        there.send("Again?")
        there.dialog()
        there.window.controller.stop()
        there.until_over()
        there.until(lambda: there.questions.dialog is None)
        assert not there.server.seen


def test_a_failure_offers_this_computer_and_takes_no_step_by_itself(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    """The button is the user's word: signs go, and the local model answers."""
    with elsewhere(tmp_path, qapp, qtbot, status(500)) as there:
        there.choose()
        there.send()
        there.agree()
        there.until_over()
        assert there.answers() == [""]
        there.until(lambda: here() is not None)

        button = here()
        assert button is not None
        button.click()
        there.until(lambda: there.answers() == [LOCAL])
        assert there.signs()[0] == ""


def here() -> QPushButton | None:
    """The button on the card of the failure."""
    found = (each for each in QApplication.allWidgets() if isinstance(each, QPushButton))
    return next((each for each in found if each.text() == "Answer on this computer"), None)


def test_the_tray_says_where_words_go_while_they_go(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """Also while no window is shown; and no longer."""
    with elsewhere(tmp_path, qapp, qtbot, silence()) as there:
        there.choose()
        there.send()
        there.agree()
        there.until(lambda: there.server.shown in there.used.tray.tooltip)
        there.until(there.server.began.is_set)
        there.window.controller.stop()
        there.until_over()
        there.until(lambda: there.server.shown not in there.used.tray.tooltip)


def test_the_sender_is_believed_before_the_choice(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """Whatever the window thought: a host that words are on their way to is shown."""
    with elsewhere(tmp_path, qapp, qtbot, words("A")) as there:
        there.send("One")
        there.until(lambda: there.answers() == [LOCAL])
        current = there.window.controller.current
        there.core.bus.publish(WordsLeaving(current, "other.example"))
        there.until(lambda: "other.example" in there.signs()[0].replace("\u200b", ""))
        there.core.bus.publish(WordsLeaving(current, "other.example", ended=True))
        there.until(lambda: there.signs()[0] == "")


def test_a_server_that_is_gone_keeps_its_sign(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> None:
    """The chat says that nothing is sent, until the user chooses."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        there.choose()
        there.core.settings.drop("engines", "servers", "big")
        there.until(lambda: "no longer set up" in there.signs()[0])
        there.window.pane.destination.here.click()
        there.used.settle()
        assert there.signs()[0] == ""


@pytest.mark.parametrize("width", [480, 1000])
def test_the_header_takes_its_room_from_the_messages(
    tmp_path: Path, qapp: QApplication, qtbot: QtBot, width: int
) -> None:
    """Nothing lies under it, in a narrow window neither."""
    with elsewhere(tmp_path, qapp, qtbot) as there:
        there.send("One")
        there.until(lambda: there.answers() == [LOCAL])
        there.until(lambda: not there.core.turns.is_busy)  # the turn ends a moment after its answer
        there.window.resize(width, 700)
        there.choose()
        pane = there.window.pane
        # The layout follows with an event of its own.
        there.until(lambda: pane.destination.geometry().bottom() < pane.transcript.geometry().top())
        assert pane.destination.height() >= pane.destination.heightForWidth(pane.width())
        assert pane.frame.geometry() == pane.rect()
