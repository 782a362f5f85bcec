"""Pictures of what goes along with a message, of what an answer drew on, and of a nearly full context."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from desktop.chat.attachments import AttachmentKind, AttachmentReader
from desktop.chat.context_use import ContextUse
from desktop.chat.messages import ToolRecord
from desktop.chat.store import AnswerEnding, MessageStatus, Role
from desktop.settings import Theme as Mode
from desktop.tools.calls import CallStatus
from desktop.tools.reasons import ToolReason
from tests.fakes.failures import failure
from tests.ui.chat.conftest import *  # noqa: F403 - the fixtures of the window
from tests.ui.chat.conftest import Desk
from tests.ui.test_screens import clipped, picture

pytestmark = pytest.mark.pictures

LOCKED = failure("It is protected by a password.", "The file is unchanged.", "Save it without.")
FULL = ContextUse(4096, 160, 310, 40, 0, 1900, 1200, 512, is_estimate=False, questions=6)


def look_like(desk: Desk, look: str) -> None:
    if look == "dark":
        desk.theme.set_mode(Mode.DARK)
    elif look == "zoom-200":
        desk.theme.set_zoom(200)
        desk.window.resize(1280, 1000)
    elif look == "narrow":
        desk.window.resize(420, 760)
    elif look == "mirrored":
        desk.window.setLayoutDirection(Qt.LayoutDirection.RightToLeft)


def answered(desk: Desk) -> int:
    """A chat whose answer drew on several things."""
    maker, made = AttachmentReader(), desk.store.create("Harbour")
    report = maker.text("Report\n" * 300, AttachmentKind.PDF, "annual-report-2025.pdf")
    copied = maker.text("copied words", AttachmentKind.CLIPBOARD, "Clipboard")
    _, empty = desk.store.open_turn(made.id, "What does the report say?", attachments=(report, copied))
    desk.store.remove(empty.id)
    for name, argument, value, verb in (
        ("read_file", "path", "docs/harbour.txt", ToolReason.VERB_READ_FILE),
        ("fetch_page", "url", "https://example.org/harbour", ToolReason.VERB_FETCH_PAGE),
    ):
        record = ToolRecord(name, name, {argument: value}, CallStatus.DONE, "allowed", 0.1, verb=verb)
        desk.store.close_call(desk.store.add_call(made.id, record).id, record, "text")
    desk.store.add(made.id, Role.ASSISTANT, "The harbour was rebuilt in **1952** and cost 3 million.")
    only = maker.text("x " * 90, AttachmentKind.PASTE, "Pasted text")
    _, answer = desk.store.open_turn(made.id, "", attachments=(only,))
    desk.store.grow(answer.id, "A list of letters.", "")
    desk.store.close_answer(answer.id, AnswerEnding(MessageStatus.COMPLETE))
    return made.id


@pytest.mark.parametrize("look", ["light", "dark", "zoom-200", "narrow", "mirrored"])
def test_attachments(desk: Desk, look: str) -> None:
    """Chips of every state above the text, chips of sent messages, what was used, a note: none is clipped."""
    look_like(desk, look)
    desk.window.open_conversation(answered(desk))
    desk.qtbot.waitUntil(lambda: not desk.window.context._asked)
    composer = desk.window.pane.composer
    composer.set_text("And what came after that?")
    composer.add_attachment("word " * 300, AttachmentKind.CLIPBOARD)
    composer.begin_attachment("minutes-of-the-harbour-board-1952.pdf")
    locked = composer.begin_attachment("locked.pdf")
    assert locked is not None
    composer.refuse_attachment(locked, LOCKED)
    composer.add_attachment("word " * 9000)
    desk.window.context._on_measured(desk.window.controller.current, FULL)
    desk.qtbot.waitUntil(lambda: not composer.note.isHidden())
    desk.settle()
    picture(desk, f"attachments-{look}")
    assert [item for item in clipped(desk.window) if "tool_" not in item] == []


def test_a_summary_that_is_open(desk: Desk) -> None:
    """The line opens to what the model reads instead of the older messages; Undo stands beside it."""
    desk.backend.answers = lambda prompt: (
        "The user plans a harbour with three basins and asks for its cost."
        if "Summarise" in prompt
        else "Noted."
    )
    desk.use_model()
    made = desk.store.create("Harbour")
    for number in range(4):
        desk.turns.run(made.id, f"question {number} about the harbour")
    desk.turns.summarise(made.id)
    desk.window.open_conversation(made.id)
    desk.settle()
    (view,) = (v for v in desk.window.pane.transcript.live_views if v.message.summary is not None)
    view.folding.button.click()  # type: ignore[attr-defined]
    desk.settle()
    picture(desk, "summary")
    assert clipped(desk.window) == []
