"""Every window in German, at the largest text size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import pytest
from PySide6.QtCore import QLocale, Qt, QTranslator
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QMessageBox, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.messages import ToolRecord
from desktop.chat.store import Role
from desktop.paths import Paths
from desktop.tools.calls import Call, CallResult, CallStatus
from desktop.tools.reasons import ToolReason
from desktop.ui.chat.answer import caption_of
from desktop.ui.chat.tool_words import line_of, reason_of
from desktop.ui.language import speak
from desktop.ui.quick_ask.hotkey import FIELD_PADDING_PX, KeyField
from tests.ui.chat.test_transcript import message
from tests.ui.every_window import House, a_conversation, house
from tests.ui.test_screens import clipped


@contextmanager
def german_windows(paths: Paths, qapp: QApplication, qtbot: QtBot) -> Iterator[House]:
    """All windows, made while German is spoken."""
    before = QLocale()
    assert speak(qapp, "de") == "de"
    try:
        with house(paths, qapp, qtbot) as made:
            yield made
    finally:
        for translator in qapp.findChildren(QTranslator):
            qapp.removeTranslator(translator)
            translator.deleteLater()
        QLocale.setDefault(before)


@pytest.fixture
def german_house(qapp: QApplication, qtbot: QtBot, paths: Paths) -> Iterator[House]:
    with german_windows(paths, qapp, qtbot) as made:
        yield made


@dataclass
class Walk:
    """What one walk through all windows finds at the largest text size."""

    cut: set[str] = field(default_factory=set)
    mnemonics: dict[str, list[list[str]]] = field(default_factory=dict)  # texts of what is in sight together


@pytest.fixture(scope="module")
def walk(
    request: pytest.FixtureRequest, qapp: QApplication, tmp_path_factory: pytest.TempPathFactory
) -> Walk:
    """One for all tests that only look: it takes seconds."""
    found = Walk()
    with german_windows(Paths.under(tmp_path_factory.mktemp("walk")), qapp, QtBot(request)) as made:
        made.theme.set_zoom(200)
        for name, window in made.windows():
            found.cut |= {f"{name}: {text}" for text in (*clipped(window, 16), *too_wide(window))}
            buttons = [each for each in window.findChildren(QPushButton) if each.isVisibleTo(window)]
            menus = window.findChildren(QMenu)
            found.mnemonics[name] = [
                [button.text() for button in buttons],
                *([action.text() for action in menu.actions()] for menu in menus),
            ]
        made.theme.set_zoom(100)
    return found


def test_nothing_is_cut_off_at_200_percent(walk: Walk) -> None:
    """German is longer than English, and has room at the largest text size."""
    assert len(walk.mnemonics) > 20
    assert not walk.cut, "\n".join(sorted(walk.cut))


def test_keys_are_named_as_a_german_keyboard_names_them(german_house: House) -> None:
    """On their page whole, from the first letter, and in the settings the same."""
    pages = german_house.desktop.pages
    pages.resize(1000, 760)
    pages.show_page("Quick-ask")
    pages.show()
    german_house.settle()
    field = pages.findChild(KeyField, "hotkey_field")
    assert field is not None
    field.show_keys("Ctrl+Shift+Space")
    german_house.settle()
    assert field.text() == "Strg+Umschalt+Leertaste"
    assert field.width() > field.fontMetrics().horizontalAdvance(field.text()) + 2 * FIELD_PADDING_PX
    pages.show_page("Settings")
    german_house.settle()
    said = pages.findChild(QLabel, "edit_window_hotkey_value")
    assert said is not None
    assert said.text() == field.text()


def too_wide(window: QWidget) -> list[str]:
    """Pages that reach beyond the side of what scrolls them, where nothing scrolls sideways."""
    return [
        f"{area.objectName()} holds {area.widget().width()} px in {area.viewport().width()}"
        for area in window.findChildren(QScrollArea)
        if area.isVisibleTo(window)
        and area.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        and area.widget().width() > area.viewport().width()
    ]


def test_mnemonics_are_unique_in_every_question(walk: Walk) -> None:
    """No two buttons of a window answer to the same letter, and no two entries of a menu."""
    for name, together in walk.mnemonics.items():
        for texts in together:
            assert_unique(name, texts)


def assert_unique(where: str, texts: list[str]) -> None:
    letters = [text[text.index("&") + 1].casefold() for text in texts if "&" in text.replace("&&", "")]
    assert len(set(letters)) == len(letters), f"{where}: {texts}"


def test_the_buttons_of_qt_speak_german_too(german_house: House) -> None:
    """The menu of a field of text is made by Qt, from its own file of German words."""
    composer = german_house.desktop.chat.pane.composer
    box = QMessageBox(QMessageBox.Icon.NoIcon, "", "", QMessageBox.StandardButton.Cancel, composer)
    assert box.button(QMessageBox.StandardButton.Cancel).text().replace("&", "") == "Abbrechen"
    box.deleteLater()


def test_a_tool_and_its_failure_are_told_in_german(german_house: House) -> None:
    """What it does, and why it failed, although the model was told so in English."""
    failure = ToolReason.ARGUMENT_MISSING.of(name="dice")
    call = Call("c", "roll_dice", {"dice": "2d6"})
    ended = CallResult(call, CallStatus.WRONG_ARGUMENTS, str(failure), failure=failure)
    record = ToolRecord.of(ended.call, ToolReason.VERB_ROLL_DICE).closed_by(ended)
    told = replace(message(1, ended.text, Role.TOOL), tool=record)
    assert line_of(told).startswith("2d6 würfeln · ")
    assert reason_of(told) == "Das Argument dice fehlt."


def test_what_an_answer_cost_has_the_comma_of_the_language(german_house: House) -> None:
    """Under an answer, as in the windows that tell the same."""
    german_house.desktop.chat.open_conversation(a_conversation(german_house.core))
    area = german_house.desktop.chat.pane.transcript
    german_house.qtbot.waitUntil(lambda: len(area.messages) > 0)
    costs = {caption_of(message) for message in area.messages if message.answer_tokens}
    assert costs == {"212 Token · 11,3 Token/s · 18,8 s"}
