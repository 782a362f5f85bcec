from __future__ import annotations

from desktop.chat.store import MessageStatus
from tests.ui.chat.conftest import Desk


def test_a_question_is_answered_in_the_window(desk: Desk) -> None:
    """What is typed is sent, the answer of the model appears and is kept."""
    desk.use_model()
    composer = desk.window.pane.composer
    desk.qtbot.keyClicks(composer.text, "Who are you?")
    desk.qtbot.mouseClick(composer.send_button, __import__("PySide6.QtCore").QtCore.Qt.MouseButton.LeftButton)
    transcript = desk.window.pane.transcript
    desk.qtbot.waitUntil(
        lambda: any(m.status is MessageStatus.COMPLETE and m.role == "assistant" for m in transcript.messages)
    )
    assert [m.text for m in transcript.messages] == ["Who are you?", "Hello there."]
