"""The Programs page: the switch, a token shown once, what was used, and the way to end it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from desktop.events import Bus
from desktop.paths import Paths
from desktop.qt.background import Background
from desktop.qt.relay import Relay
from desktop.server.openai.errors import TOO_LONG
from desktop.server.openai.programs import ProgramAnswering, ProgramLog, ProgramTokens, ProgramUse
from desktop.settings import SettingsFile
from desktop.ui.pages.programs import Program, ProgramsPage, captions
from desktop.ui.theme import Theme
from desktop.ui.widgets.cards import Row


class Opened:
    def __init__(self, folder: Path, relay: Relay, background: Background, bus: Bus) -> None:
        paths = Paths.under(folder)
        self.bus = bus
        self.settings = SettingsFile(paths.settings, bus)
        self.tokens, self.uses = ProgramTokens(paths), ProgramLog(paths, bus)
        self.page = ProgramsPage(self.tokens, self.uses, self.settings, relay, background)

    def press(self, qtbot: QtBot, name: str) -> None:
        found = self.page.findChild(QPushButton, name)
        assert found is not None
        qtbot.mouseClick(found, Qt.MouseButton.LeftButton)

    def rows(self) -> list[tuple[str, ...]]:
        found = [row for row in self.page.found.list.rows if isinstance(row, Row)]
        return [(row.words.text(), *(each.text() for each in row.captions)) for row in found]


@pytest.fixture
def opened(tmp_path: Path, qapp: QApplication, qtbot: QtBot) -> Iterator[Opened]:
    bus, background = Bus(), Background()
    relay = Relay(bus)
    Theme(qapp)
    found = Opened(tmp_path, relay, background, bus)
    qtbot.addWidget(found.page)
    found.page.resize(720, 640)
    found.page.show()
    found.page.shown()
    yield found
    found.page.hide()
    relay.close()
    background.close()


def test_the_switch_is_the_setting(opened: Opened, qtbot: QtBot) -> None:
    """Off at first, changed here and from elsewhere."""
    assert not opened.page.switch.control.isChecked()
    assert "http://127.0.0.1:47615/v1" in opened.page.address.text()
    opened.page.switch.control.click()
    qtbot.waitUntil(lambda: opened.settings.current.api.enabled)
    opened.settings.change("api", "enabled", False)
    qtbot.waitUntil(lambda: not opened.page.switch.control.isChecked())


def test_a_token_is_shown_once_and_copied(opened: Opened, qtbot: QtBot) -> None:
    """The one that counts, beside a button; the program stands in the list from then on."""
    qtbot.waitUntil(opened.page.found.empty.isVisible)
    opened.page.name.setText("continue")
    opened.press(qtbot, "programs_make")
    qtbot.waitUntil(opened.page.token.isVisible)
    assert opened.tokens.name_of(opened.page.token.text()) == "continue"
    opened.press(qtbot, "programs_copy")
    assert QGuiApplication.clipboard().text() == opened.page.token.text()
    qtbot.waitUntil(lambda: opened.rows() == [("continue", "Has not asked yet")])


def test_a_name_that_is_none_is_refused_in_words(opened: Opened, qtbot: QtBot) -> None:
    """Where it was typed."""
    opened.page.name.setText("two words")
    opened.press(qtbot, "programs_make")
    qtbot.waitUntil(lambda: opened.page.outcome.count() > 0)
    assert not opened.page.token.isVisible()
    assert opened.tokens.names() == ()


def test_revoking_asks_first(opened: Opened, qtbot: QtBot) -> None:
    """Keep changes nothing; Revoke ends the token and the row goes."""
    opened.tokens.make("continue")
    opened.page.shown()
    qtbot.waitUntil(lambda: len(opened.rows()) == 1)
    opened.press(qtbot, "programs_revoke_continue")
    opened.press(qtbot, "programs_confirm_no")
    assert opened.tokens.names() == ("continue",)
    opened.press(qtbot, "programs_revoke_continue")
    opened.press(qtbot, "programs_confirm_yes")
    qtbot.waitUntil(lambda: opened.rows() == [])
    assert opened.tokens.names() == ()


def test_who_is_answered_now_stands_out(opened: Opened, qtbot: QtBot) -> None:
    """Until the answer is done; then what it has cost."""
    opened.tokens.make("llm")
    opened.bus.publish(ProgramAnswering("llm"))
    qtbot.waitUntil(lambda: opened.rows() == [("llm", "Is being answered")])
    opened.uses.answered("llm", 1200, 34)
    opened.bus.publish(ProgramAnswering(""))
    qtbot.waitUntil(lambda: len(opened.rows()[0]) == 3)
    _name, last, counts = opened.rows()[0]
    assert last.startswith(("Last asked today", "Last asked yesterday"))
    assert counts == "1 answer · 0 refusals · 1,200 tokens read, 34 written"


def test_a_time_that_somebody_has_edited_is_shown_as_it_is() -> None:
    """The file is the user's."""
    use = ProgramUse(requests=2, last_used="yesterday")
    assert captions(Program("x", use))[0] == "Last asked yesterday"


def test_a_request_that_was_too_long_is_told_where_the_program_keeps_it() -> None:
    """With the setting that makes room; gone with the next answer, and no other refusal is told."""
    told = captions(Program("x", ProgramUse(refused=1, refused_for=TOO_LONG)))
    assert "raise “Context” in the settings" in told[-1]
    assert len(captions(Program("x", ProgramUse(refused=1, refused_for="model_not_found")))) == 2
