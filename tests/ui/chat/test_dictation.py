"""Dictation in the real window: offered where all of it is there, spoken words as text to look at."""

from __future__ import annotations

import array
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.system.recognizer import Recognizer
from desktop.system.recording import LONGEST_BYTES, RecordingProgram
from desktop.ui.chat import dictation
from desktop.ui.chat.dictation import DictationButton, DictationState
from tests.system.recognizer_package import installed
from tests.ui.chat.conftest import Desk

LEFT = Qt.MouseButton.LeftButton
START = "import sys, time\n"
WRITE = "sys.stdout.buffer.write({samples}); sys.stdout.flush()\n"
WAIT = "time.sleep(600)\n"
Offered = Callable[[str], DictationButton]


def half_a_second(loudest: int) -> str:
    """Code for samples that are as loud as that."""
    return repr(array.array("h", [0] * 7_999 + [loudest]).tobytes())


def open_at(loudest: int) -> str:
    """A microphone that stays open."""
    return START + WRITE.format(samples=half_a_second(loudest)) + WAIT


@pytest.fixture
def offered(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Offered:
    """Switches it on with a program for a microphone, and with a recogniser that says how loud it was."""

    def switched_on(code: str) -> DictationButton:
        recognizer = Recognizer.installed(Parser(lambda: available().best), installed(tmp_path))
        program = RecordingProgram((sys.executable, "-c", code))
        monkeypatch.setattr(dictation, "_parts", lambda: (program, recognizer))
        button = desk.window.pane.composer.dictation
        assert button.isHidden()
        desk.settings.change("chat", "dictate", True)
        desk.qtbot.waitUntil(lambda: button.state is DictationState.READY, timeout=8000)
        return button

    return switched_on


def wait_for(desk: Desk, button: DictationButton, state: DictationState) -> None:
    desk.qtbot.waitUntil(lambda: button.state is state, timeout=20000)


def test_off_by_default_and_nothing_is_looked_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the setting is on there is no button, and no file or program is looked at."""
    asked: list[str] = []
    monkeypatch.setattr(dictation, "_parts", lambda: asked.append("asked"))
    desk.settings.change("chat", "show_thinking", False)
    desk.settle()
    assert desk.window.pane.composer.dictation.isHidden()
    assert asked == []


def test_words_go_where_the_cursor_is_and_nothing_is_sent(desk: Desk, offered: Offered) -> None:
    """Begun and ended by the same button; a space parts them from what is there."""
    button, composer = offered(open_at(3_000)), desk.window.pane.composer
    composer.set_text("Before. After.")
    cursor = composer.text.textCursor()
    cursor.setPosition(len("Before."))
    cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, 0)
    composer.text.setTextCursor(cursor)
    desk.qtbot.mouseClick(button.button, LEFT)
    wait_for(desk, button, DictationState.LISTENING)
    assert button.label.text() == "0:00"
    desk.qtbot.mouseClick(button.button, LEFT)
    wait_for(desk, button, DictationState.READY)
    assert composer.draft() == "Before. 0.5 seconds at most 3000. After."
    assert desk.store.conversations() == ()
    desk.settings.change("chat", "dictate", False)
    desk.qtbot.waitUntil(button.isHidden, timeout=8000)


def test_enter_ends_what_is_said_and_does_not_send(desk: Desk, offered: Offered) -> None:
    """The words are looked at first; the next Enter sends."""
    button, composer = offered(open_at(3_000)), desk.window.pane.composer
    composer.set_text("Typed")
    desk.qtbot.mouseClick(button.button, LEFT)
    wait_for(desk, button, DictationState.LISTENING)
    desk.qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    wait_for(desk, button, DictationState.READY)
    assert composer.draft() == "Typed 0.5 seconds at most 3000."


@pytest.mark.parametrize("by", ["escape", "escape elsewhere", "closing", "setting"])
def test_the_microphone_is_shut_and_the_words_are_gone(desk: Desk, offered: Offered, by: str) -> None:
    """By Esc, by closing the window, by the setting: the program ends, and the box is as it was."""
    button, composer = offered(open_at(3_000)), desk.window.pane.composer
    composer.set_text("Typed")
    desk.qtbot.mouseClick(button.button, LEFT)
    wait_for(desk, button, DictationState.LISTENING)
    recording = desk.window.dictation._recording
    assert recording is not None
    if by == "escape":
        desk.qtbot.keyClick(composer.text, Qt.Key.Key_Escape)
    elif by == "escape elsewhere":
        composer.add_button.setFocus()
        desk.qtbot.keyClick(composer.add_button, Qt.Key.Key_Escape)
    elif by == "closing":
        desk.window.close()
    else:
        desk.settings.change("chat", "dictate", False)
    desk.qtbot.waitUntil(lambda: not button.in_hand, timeout=8000)
    process = recording._process
    assert process is not None
    desk.qtbot.waitUntil(lambda: process.returncode is not None, timeout=8000)
    desk.settle()
    assert composer.draft() == "Typed"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import sys; sys.exit('Connection refused')", "Connection refused"),
        (START + WRITE.format(samples=half_a_second(0)), "nothing was heard"),
        (START + WRITE.format(samples=half_a_second(777)), "No words were understood"),
        (START + WRITE.format(samples=half_a_second(666)), "failed on"),
    ],
)
def test_what_goes_wrong_is_a_sentence_and_the_box_is_as_it_was(
    desk: Desk, offered: Offered, code: str, told: str
) -> None:
    """No microphone, silence, nothing understood, a recogniser that breaks; then it can be tried again."""
    button, composer = offered(code), desk.window.pane.composer
    composer.set_text("Typed")
    desk.qtbot.mouseClick(button.button, LEFT)
    desk.qtbot.waitUntil(lambda: told in desk.window.toast.label.text(), timeout=20000)
    assert button.state is DictationState.READY
    assert composer.draft() == "Typed"


def test_after_a_minute_the_words_come_and_it_is_said(desk: Desk, offered: Offered) -> None:
    """The microphone is shut by itself."""
    minute = f"b'\\x00\\x10' * {LONGEST_BYTES // 2}"
    button = offered(START + WRITE.format(samples=minute) + WAIT)
    desk.qtbot.mouseClick(button.button, LEFT)
    desk.qtbot.waitUntil(lambda: "60 seconds" in desk.window.toast.label.text(), timeout=20000)
    assert desk.window.pane.composer.draft() == "60 seconds at most 4096."


@pytest.mark.parametrize(
    ("has_program", "told"), [(True, "steward addons add dictation"), (False, "alsa-utils")]
)
def test_without_one_of_both_the_setting_says_what_to_add(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_program: bool, told: str
) -> None:
    """No button that could do nothing."""
    recognizer = Recognizer(tmp_path, Parser(lambda: available().best))
    found = (RecordingProgram(("parec",)), None) if has_program else (None, recognizer)
    monkeypatch.setattr(dictation, "_parts", lambda: found)
    desk.settings.change("chat", "dictate", True)
    desk.qtbot.waitUntil(lambda: told in desk.window.toast.label.text(), timeout=8000)
    assert desk.window.pane.composer.dictation.isHidden()
