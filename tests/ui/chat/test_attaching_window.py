"""What goes along with a message, and how full the context is, in the real window."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton, QWidget

from desktop.chat.attachments import AttachmentKind, AttachmentReader
from desktop.chat.messages import ToolRecord
from desktop.chat.sources import AnswerSource, SourceKind
from desktop.chat.store import Role
from desktop.sandbox.confinement import available
from desktop.tools.calls import CallStatus
from desktop.tools.clipboard import Clip
from desktop.tools.ocr import Ocr
from desktop.tools.screen import Picture
from desktop.ui.chat.answer import AnswerView
from desktop.ui.chat.attachments import AttachmentController, Sources
from desktop.ui.chat.message import SummaryView
from tests.tools.pdfs import encrypted, pdf
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_window import ask, wait_for_answers

LEFT = Qt.MouseButton.LeftButton
INVOICE = Path(__file__).parents[2] / "tools" / "pictures" / "invoice.png"


def chips(desk: Desk) -> list[str]:
    """What the chips above the text say."""
    shown = desk.window.pane.composer._chips
    found = [shown.itemAt(number).widget() for number in range(shown.count())]  # type: ignore[union-attr]
    return [chip.label.text() for chip in found]  # type: ignore[attr-defined, union-attr]


def wait_until_read(desk: Desk) -> None:
    desk.qtbot.waitUntil(
        lambda: not any(each.is_reading for each in desk.window.pane.composer.pending), timeout=10_000
    )


def dropped(desk: Desk, data: QMimeData) -> None:
    """Drag over the messages, and drop there."""
    area = desk.window.pane
    actions, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), actions, data, LEFT, none)
    QApplication.sendEvent(area, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(area, QDropEvent(QPointF(50, 50), actions, data, LEFT, none))


def test_dragging_files_over_the_chat_shows_where_they_may_go(desk: Desk, tmp_path: Path) -> None:
    """A frame says "Drop to attach", over the messages and the box alike, until they are dropped or leave;
    words that are dragged show none."""
    frame = desk.window.attaching.drop_frame
    actions, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    files, words = QMimeData(), QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    words.setText("a few words")
    for area in (desk.window.pane, desk.window.pane.composer.text.viewport()):
        QApplication.sendEvent(area, QDragEnterEvent(QPoint(5, 5), actions, files, LEFT, none))
        assert frame.isVisible()
        assert frame.geometry() == desk.window.pane.rect()
        QApplication.sendEvent(area, QDragLeaveEvent())
        assert not frame.isVisible()
    QApplication.sendEvent(desk.window.pane, QDragEnterEvent(QPoint(5, 5), actions, words, LEFT, none))
    assert not frame.isVisible()
    dropped(desk, files)
    assert not frame.isVisible()
    wait_until_read(desk)


def test_files_by_the_dialog(desk: Desk, tmp_path: Path) -> None:
    """The plus menu opens the system's dialog; a text and a PDF go along, one that is locked says why."""
    (tmp_path / "notes.txt").write_text("The harbour was rebuilt in 1952.")
    (tmp_path / "report.pdf").write_bytes(pdf(["It cost three million."]))
    (tmp_path / "locked.pdf").write_bytes(encrypted(pdf(["x"]), "secret"))
    menu = desk.window.pane.composer.menu
    next(each for each in menu.actions() if each.objectName() == "add_file").trigger()
    dialog = desk.window.findChild(QFileDialog, "attach_files")
    assert dialog is not None
    dialog.filesSelected.emit([str(tmp_path / name) for name in ("notes.txt", "report.pdf", "locked.pdf")])
    dialog.close()
    wait_until_read(desk)
    assert [words.split(" · ")[0] for words in chips(desk)] == ["notes.txt", "report.pdf", "locked.pdf"]
    assert chips(desk)[2].endswith("not attached")
    assert "protected by a password" in desk.window.toast.label.text()
    draft = desk.window.pane.composer.whole_draft()
    assert [each.text for each in draft.attachments] == [
        "The harbour was rebuilt in 1952.",
        "It cost three million.",
    ]


def test_sent_shown_opened_and_kept(desk: Desk, tmp_path: Path) -> None:
    """The model reads it; the message shows it as a chip, also when the chat is opened again; a click opens
    the text; the answer says that it drew on it."""
    desk.use_model()
    file = tmp_path / "notes.txt"
    file.write_text("The harbour was rebuilt in 1952.")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    dropped(desk, data)
    wait_until_read(desk)
    ask(desk, "When?")
    (answer,) = wait_for_answers(desk, 1)
    assert "The harbour was rebuilt in 1952." in desk.backend.prompts[-1]
    assert chips(desk) == []
    conversation_id = desk.window.controller.current
    file.unlink()
    for _ in range(2):
        question = desk.window.pane.transcript.messages[0]
        view = desk.window.pane.transcript.view(question.id)
        assert [chip.accessibleName().split(" · ")[0] for chip in view.attached.chips] == ["notes.txt"]  # type: ignore[union-attr]
        desk.qtbot.keyClick(view.attached.chips[0], Qt.Key.Key_Space)  # type: ignore[union-attr]
        viewer = desk.window.attaching.viewer
        desk.qtbot.waitUntil(viewer.isVisible)
        assert viewer.box.toPlainText() == "The harbour was rebuilt in 1952."
        viewer.close()
        desk.window.new_chat()
        desk.window.open_conversation(conversation_id)
        desk.settle()
    used = desk.window.pane.transcript.view(answer.id).used  # type: ignore[union-attr]
    assert [chip.accessibleName() for chip in used.chips] == ["notes.txt"]


def test_what_is_dropped_as_text_is_typed(desk: Desk) -> None:
    """A few dropped words stand in the box."""
    data = QMimeData()
    data.setText("a few words")
    dropped(desk, data)
    assert desk.window.pane.composer.draft() == "a few words"


class _OwnDrag(QDragEnterEvent):
    """One that began in our own window: an event that no mouse made has no source."""

    def source(self) -> QObject:
        return QApplication.topLevelWidgets()[0]


def test_words_of_an_answer_that_are_dragged_over_it_stay_there(desk: Desk) -> None:
    """Who wants to select anew within a selection drags it instead; nothing comes into the box of that."""
    area, data = desk.window.pane, QMimeData()
    data.setText("words of an answer")
    actions, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enter = _OwnDrag(QPoint(50, 50), actions, data, LEFT, none)
    QApplication.sendEvent(area, enter)
    assert not enter.isAccepted()
    QApplication.sendEvent(area, QDropEvent(QPointF(50, 50), actions, data, LEFT, none))
    assert area.composer.draft() == ""


def test_the_size_is_counted_with_the_loaded_model(desk: Desk) -> None:
    """An estimate is marked; when a model is loaded the number is its own."""
    desk.window.pane.composer.add_attachment("one two three four five six")
    assert chips(desk) == ["Pasted text · ≈ 7 tokens"]
    desk.use_model()
    desk.engine.preload()
    desk.qtbot.waitUntil(lambda: chips(desk) == ["Pasted text · 6 tokens"], timeout=5000)


def test_a_draft_with_attachments_waits_in_its_chat(desk: Desk) -> None:
    """Going to another chat and back keeps text and chips."""
    made = desk.store.create("Other")
    desk.store.add(made.id, Role.USER, "Hello")
    desk.window.pane.composer.set_text("half a thought")
    desk.window.pane.composer.add_attachment("some text", AttachmentKind.CLIPBOARD)
    desk.window.open_conversation(made.id)
    assert chips(desk) == []
    desk.window.new_chat()
    assert desk.window.pane.composer.draft() == "half a thought"
    assert chips(desk)[0].startswith("Clipboard")


class Copied:
    """A clipboard that holds what a test says."""

    def __init__(self, clip: Clip) -> None:
        self.clip = clip

    def read(self) -> Clip:
        return self.clip

    def write(self, text: str) -> None:
        raise NotImplementedError


class Marked:
    """A screen on which the user has marked a picture."""

    def grab(self) -> Picture:
        raise NotImplementedError

    def choose(self, timeout_s: float) -> Picture | None:
        return Picture(INVOICE.read_bytes(), 100, 100)


def with_sources(desk: Desk, sources: Sources) -> AttachmentController:
    desk.window.attaching._sources = sources
    return desk.window.attaching


def test_a_secret_on_the_clipboard_is_not_read(desk: Desk) -> None:
    """What a password manager marked stays there, and it is said."""
    with_sources(desk, Sources(AttachmentReader(), Copied(Clip(is_secret=True)))).add_clipboard()
    assert chips(desk) == []
    assert "marked as secret" in desk.window.toast.label.text()


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="Tesseract is not installed")
def test_a_part_of_the_screen_is_read(desk: Desk) -> None:
    """The window goes out of the way, comes back, and the text is a chip; its words are not the user's."""
    attacher = AttachmentReader(Ocr(lambda: available().best))
    attaching = with_sources(desk, Sources(attacher, None, Marked(), lambda: True))
    hidden: list[bool] = []
    attaching.picking.connect(lambda picking: hidden.append(desk.window.isHidden()))
    attaching.pick()
    desk.qtbot.waitUntil(lambda: bool(chips(desk)), timeout=10_000)
    wait_until_read(desk)
    (attachment,) = desk.window.pane.composer.whole_draft().attachments
    assert "Invoice 4711" in attachment.text
    assert attachment.about.tainted_by == "the screen"
    assert hidden == [True, False]


def test_without_a_reader_the_way_to_one_is_said(desk: Desk) -> None:
    """Where text in pictures cannot be read, the package is named before anything is marked."""
    with_sources(desk, Sources(AttachmentReader(), None, Marked(), lambda: False)).pick()
    assert "Install it" in desk.window.toast.label.text()
    assert desk.window.isVisible()


# -- what an answer drew on -------------------------------------------------------------------------


def test_used_chips_open_nothing_that_could_run(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is shown in its folder, a page only goes to the browser, a note to its page, results to us."""
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or True)
    (tmp_path / "run.sh").write_text("#!/bin/sh")
    opening = desk.window.opening
    opening.open_source(AnswerSource(SourceKind.FILE, "run.sh", str(tmp_path / "run.sh")))
    opening.open_source(AnswerSource(SourceKind.PAGE, "x", "https://example.org/x"))
    opening.open_source(AnswerSource(SourceKind.PAGE, "x", "file:///etc/passwd"))
    assert opened == [QUrl.fromLocalFile(str(tmp_path)).toString(), "https://example.org/x"]
    opening.open_source(AnswerSource(SourceKind.FILE, "gone.txt", str(tmp_path / "gone.txt")))
    assert "gone.txt is no longer" in desk.window.toast.label.text()
    with desk.qtbot.waitSignal(desk.window.page_requested) as asked:
        opening.open_source(AnswerSource(SourceKind.NOTE, "harbour", "harbour"))
    assert asked.args == ["Memory"]
    conversation_id = desk.store.create().id
    record = ToolRecord("1", "clipboard_read", {}, CallStatus.DONE)
    call = desk.store.close_call(desk.store.add_call(conversation_id, record).id, record, "copied words")
    opening.open_source(AnswerSource(SourceKind.CLIPBOARD, "", "", call.id))
    viewer = desk.window.attaching.viewer
    desk.qtbot.waitUntil(viewer.isVisible)
    assert viewer.box.toPlainText() == "copied words"
    viewer.close()


# -- the context --------------------------------------------------------------------------------------


def small_context(desk: Desk, tokens: int = 512) -> None:
    desk.settings.change("model", "context_tokens", tokens)
    desk.settings.change("model", "max_answer_tokens", 16)
    desk.settings.change("chat", "history_turns", 0)
    desk.use_model()


def measured(desk: Desk, holds: Callable[[], bool]) -> None:
    desk.qtbot.waitUntil(holds, timeout=8000)


def fill(desk: Desk, share: float, count: int = 0) -> int:
    """Ask until so much of the context is used; `count` and what is returned are numbers of answers."""
    while True:
        use = desk.window.context.use
        if use is not None and not use.is_estimate and use.share >= share:
            return count
        count += 1
        ask(desk, f"question {count} " + "word " * 40)
        wait_for_answers(desk, count)
        measured(desk, lambda: not desk.window.context._asked)
        assert count < 40


def notices(desk: Desk) -> list[str]:
    return [m.text for m in desk.window.pane.transcript.messages if m.role is Role.NOTICE]


def test_acceptance_19_nothing_is_dropped_without_a_line_that_says_what(desk: Desk) -> None:
    """The context passes 80 %: the meter turns, a note is offered, nothing was dropped so far; when it is, a
    line in the chat says what."""
    small_context(desk)
    part, note = desk.window.pane.status.context, desk.window.pane.composer.note
    count = fill(desk, 0.1)
    assert "nearly full" not in part.text()
    assert part.icon().isNull()
    assert note.isHidden()
    count = fill(desk, 0.8, count)
    assert part.text().endswith("nearly full")
    assert not part.icon().isNull()
    assert not note.isHidden()
    assert "nearly full" in note.label.text()
    assert note.button.isVisible()
    assert notices(desk) == []
    assert all(f"question {number} " in desk.backend.prompts[-1] for number in range(1, count + 1))
    while not notices(desk):
        count += 1
        ask(desk, f"question {count} " + "word " * 40)
        wait_for_answers(desk, count)
    (line,) = notices(desk)
    assert "no longer sees" in line
    assert "question 1 " in line
    assert "question 1 " not in desk.backend.prompts[-1]
    shown = [m.text for m in desk.window.pane.transcript.messages if m.role is Role.USER]
    assert len(shown) == count


def test_the_note_can_be_put_away(desk: Desk) -> None:
    """It comes not again in this chat as long as nothing else is to be said."""
    small_context(desk)
    fill(desk, 0.8)
    note = desk.window.pane.composer.note
    desk.qtbot.mouseClick(note.cross, LEFT)
    assert note.isHidden()
    desk.window.context.refresh()
    measured(desk, lambda: not desk.window.context._asked)
    assert note.isHidden()


def test_older_messages_are_summarised_shown_and_that_undone(desk: Desk) -> None:
    """One click; a line that opens; the messages stay; the meter falls; undo brings all back."""
    desk.backend.answers = lambda prompt: "A short summary." if "Summarise this part" in prompt else "Noted."
    small_context(desk)
    count = fill(desk, 0.8)
    before = desk.window.context.use
    assert before is not None
    desk.qtbot.mouseClick(desk.window.pane.composer.note.button, LEFT)
    measured(desk, lambda: len(notices(desk)) == 1 and not desk.window.controller.is_busy)
    measured(desk, lambda: desk.window.context.use.used < before.used)  # type: ignore[union-attr]
    assert desk.window.pane.composer.note.isHidden()
    view = next(v for v in desk.window.pane.transcript.live_views if isinstance(v, SummaryView))
    assert view.folding.words.startswith("Summary of ")
    desk.qtbot.keyClick(view.folding.button, Qt.Key.Key_Space)
    assert view.folding.is_open
    assert len([m for m in desk.window.pane.transcript.messages if m.role is Role.USER]) == count
    desk.qtbot.mouseClick(view.undo_button, LEFT)
    measured(desk, lambda: len(notices(desk)) == 2)
    measured(desk, view.undo_button.isHidden)
    assert view.folding.words.endswith("undone")
    measured(desk, lambda: desk.window.context.use.used >= before.used)  # type: ignore[union-attr]


def test_the_breakdown_names_every_part(desk: Desk) -> None:
    """A click on the meter shows what fills the context; the parts are spoken, too."""
    small_context(desk, 2048)
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    measured(desk, lambda: desk.window.context.use is not None and not desk.window.context.use.is_estimate)
    desk.qtbot.mouseClick(desk.window.pane.status.context, LEFT)
    dialog = desk.window.findChild(QWidget, "context_breakdown")
    assert dialog is not None
    desk.qtbot.waitUntil(dialog.isVisible)
    spoken = dialog.accessibleDescription()
    for part in ("System prompt", "Tools", "Memory", "Messages", "Attachments", "Used", "Left"):
        assert f"{part}: " in spoken
    dialog.close()


def too_large(desk: Desk, text: str) -> None:
    """A chat with a small context, and an attachment that has no room in it."""
    small_context(desk)
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    measured(desk, lambda: desk.window.context.use is not None and not desk.window.context.use.is_estimate)
    desk.window.pane.composer.add_attachment(text)
    measured(desk, lambda: chips(desk)[0].endswith("too large") and "≈" not in chips(desk)[0])


def pressed(desk: Desk, name: str) -> None:
    button = desk.window.findChild(QToolButton, name)
    assert button is not None
    desk.qtbot.mouseClick(button, LEFT)


def test_an_attachment_that_does_not_fit_is_searched(desk: Desk) -> None:
    """By what is typed: only its passages go along, and say how much of it they are."""
    too_large(desk, "\n\n".join([*["word " * 100] * 20, "The rent is 840 euros. " + "word " * 60]))
    pressed(desk, "attachment_0_search")
    assert chips(desk)[0].endswith("too large"), "nothing is looked for without a question"
    desk.qtbot.keyClicks(desk.window.pane.composer.text, "What is the rent?")
    pressed(desk, "attachment_0_search")
    measured(desk, lambda: "passages, " in chips(desk)[0])
    desk.qtbot.keyClick(desk.window.pane.composer.text, Qt.Key.Key_Return)
    wait_for_answers(desk, 2)
    assert "840 euros" in desk.backend.prompts[-1]
    assert desk.backend.prompts[-1].count("word") < 1000
    QGuiApplication.clipboard().clear()


def test_an_attachment_that_does_not_fit_is_summarised_in_parts(desk: Desk) -> None:
    """One click sends it; a line tells which part is read, and opens to every part with its lines; Stop says
    how much was read, and Continue reads the rest."""
    too_large(desk, "\n".join(f"entry{number:03} " + "word " * 20 for number in range(60)))
    third = threading.Event()

    def told(prompt: str) -> str:
        asked = prompt.rpartition("You summarise texts.")[2]
        if "Answer the request from them" in asked:
            return "Sixty entries."
        if "Part 3 of" in asked:
            third.wait(20)
        return f"Entries from {asked.partition('entry')[2][:3]}."

    desk.backend.answers = told
    pressed(desk, "attachment_0_parts")

    def view() -> AnswerView:
        latest = desk.window.pane.transcript.live_views[-1]
        assert isinstance(latest, AnswerView)
        return latest

    measured(desk, lambda: view().parts.words.startswith("Part 3 of"))
    assert "less than a minute" in view().parts.words
    assert chips(desk) == []
    assert desk.window.pane.transcript.messages[-2].text == "Summarise Pasted text"
    desk.window.controller.stop()
    third.set()
    wait_for_answers(desk, 2)
    measured(desk, lambda: view().parts.words.startswith("2 of "))
    assert " parts read: lines 1 to " in view().parts.words
    assert " read (lines 1 to " in view().message.text
    desk.qtbot.mouseClick(view().footer.continue_button, LEFT)
    measured(desk, lambda: view().message.text == "Sixty entries.")
    measured(desk, lambda: view().parts.words.startswith("All "))
    desk.qtbot.keyClick(view().parts.button, Qt.Key.Key_Space)
    assert "Part 1: lines 1 to " in view().parts.text
    assert "Entries from 000." in view().parts.text
    QGuiApplication.clipboard().clear()


def test_the_context_is_raised_for_an_attachment(desk: Desk) -> None:
    """The chip says to what and what it needs; one click makes the room, and all of it goes along."""
    too_large(desk, "word " * 2000)
    raising = desk.window.findChild(QToolButton, "attachment_0_context")
    assert raising is not None
    assert raising.toolTip().startswith("Raise the context to 4.1k (needs ")
    desk.qtbot.mouseClick(raising, LEFT)
    desk.qtbot.waitUntil(lambda: desk.settings.current.model.context_tokens == 4096)
    measured(desk, lambda: not chips(desk)[0].endswith("too large"))
    assert desk.window.toast.label.text() == "The context is raised to 4.1k, for all chats."
    ask(desk, "What is it?")
    wait_for_answers(desk, 2)
    assert desk.backend.prompts[-1].count("word") >= 2000
    QGuiApplication.clipboard().clear()


def test_a_raised_context_can_be_taken_back(desk: Desk) -> None:
    """Undo is beside the sentence that says so; then the chip is too large as before."""
    too_large(desk, "word " * 2000)
    before = desk.settings.current.model.context_tokens
    raising = desk.window.findChild(QToolButton, "attachment_0_context")
    desk.qtbot.mouseClick(raising, LEFT)
    measured(desk, lambda: not chips(desk)[0].endswith("too large"))
    desk.qtbot.mouseClick(desk.window.toast.button, LEFT)
    desk.qtbot.waitUntil(lambda: desk.settings.current.model.context_tokens == before)
    measured(desk, lambda: chips(desk)[0].endswith("too large"))
    QGuiApplication.clipboard().clear()


def test_an_attachment_that_does_not_fit_is_offered_in_part(desk: Desk) -> None:
    """Nothing is cut by itself: the chip says how much fits, one click takes that much, and says so."""
    small_context(desk)
    ask(desk, "Hello")
    wait_for_answers(desk, 1)
    measured(desk, lambda: desk.window.context.use is not None and not desk.window.context.use.is_estimate)
    desk.window.pane.composer.add_attachment("word " * 2000)
    measured(desk, lambda: chips(desk)[0].endswith("too large") and "≈" not in chips(desk)[0])
    assert not desk.window.pane.composer.send_button.isEnabled()
    button = desk.window.findChild(QToolButton, "attachment_0_beginning")
    assert button is not None
    desk.qtbot.mouseClick(button, LEFT)
    measured(desk, lambda: "first " in chips(desk)[0])
    ask(desk, "What is it?")
    wait_for_answers(desk, 2)
    assert ", the first " in desk.backend.prompts[-1]
    question = [m for m in desk.window.pane.transcript.messages if m.role is Role.USER][-1]
    assert question.attachments[0].whole_tokens >= 2000
    QGuiApplication.clipboard().clear()
