"""Answers read aloud in the real window: offered by a setting, begun and stopped by the same button."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from desktop.system import speech
from desktop.system.speech import SpeechProgram
from desktop.ui.chat.answer import AnswerView
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import ask, wait_for_answers

LEFT = Qt.MouseButton.LeftButton
HEARD = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
ENDLESS = "import time; time.sleep(600)"


def view(desk: Desk) -> AnswerView:
    latest = desk.window.pane.transcript.live_views[-1]
    assert isinstance(latest, AnswerView)
    return latest


def button(desk: Desk) -> QToolButton:
    return view(desk).footer.row.read_button


def answered(desk: Desk, monkeypatch: pytest.MonkeyPatch, program: SpeechProgram | None) -> None:
    monkeypatch.setattr(speech, "speech_program", lambda: program)
    desk.use_model()
    desk.backend.answers = "Hello **there**.\n\n```\ncode\n```"
    ask(desk, "Hello")
    wait_for_answers(desk, 1)


def test_off_by_default_and_read_by_the_systems_voice_once_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without the setting no program is looked for; with it the words are read, and not the code."""
    heard = tmp_path / "heard"
    answered(desk, monkeypatch, SpeechProgram((sys.executable, "-c", HEARD, str(heard))))
    assert not button(desk).isVisible()
    assert desk.window.speech.speaker is None
    desk.settings.change("chat", "read_aloud", True)
    desk.qtbot.waitUntil(lambda: button(desk).isVisible(), timeout=8000)
    button(desk).setFocus()
    desk.qtbot.keyClick(button(desk), Qt.Key.Key_Space)
    desk.qtbot.waitUntil(heard.exists, timeout=8000)
    desk.qtbot.waitUntil(lambda: button(desk).accessibleName() == "Read aloud", timeout=8000)
    assert heard.read_text() == "Hello there ."
    desk.settings.change("chat", "read_aloud", False)
    desk.qtbot.waitUntil(lambda: not button(desk).isVisible(), timeout=8000)


def test_the_same_button_stops_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says so while it is read; a second press ends the program."""
    answered(desk, monkeypatch, SpeechProgram((sys.executable, "-c", ENDLESS)))
    desk.settings.change("chat", "read_aloud", True)
    desk.qtbot.waitUntil(lambda: button(desk).isVisible(), timeout=8000)
    desk.qtbot.mouseClick(button(desk), LEFT)
    desk.qtbot.waitUntil(lambda: button(desk).accessibleName() == "Stop reading", timeout=8000)
    speaker = desk.window.speech.speaker
    assert speaker is not None
    desk.qtbot.waitUntil(lambda: speaker._process is not None, timeout=8000)
    desk.qtbot.mouseClick(button(desk), LEFT)
    desk.qtbot.waitUntil(lambda: button(desk).accessibleName() == "Read aloud", timeout=8000)
    desk.qtbot.waitUntil(lambda: speaker._process is None, timeout=8000)


def test_without_a_program_the_setting_says_what_to_install(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No button that would stay silent; whoever has installed it switches the setting off and on."""
    answered(desk, monkeypatch, None)
    desk.settings.change("chat", "read_aloud", True)
    desk.qtbot.waitUntil(lambda: "espeak-ng" in desk.window.toast.label.text(), timeout=8000)
    assert not button(desk).isVisible()
    monkeypatch.setattr(speech, "speech_program", lambda: SpeechProgram((sys.executable, "-c", "")))
    desk.settings.change("chat", "read_aloud", False)
    desk.settings.change("chat", "read_aloud", True)
    desk.qtbot.waitUntil(lambda: button(desk).isVisible(), timeout=8000)
