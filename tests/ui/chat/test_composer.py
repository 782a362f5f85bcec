from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.attachments import Attachment, AttachmentKind, AttachmentReader, Draft
from desktop.engine.events import LargerContext
from desktop.ui.chat.chips import AttachmentChip
from desktop.ui.chat.composer import Composer, ComposerText
from desktop.ui.theme import Theme
from tests.fakes.failures import failure
from tests.processor_time import processor_time
from tests.ui.chat.conftest import show_active


@pytest.fixture
def composer(theme: Theme, qtbot: QtBot) -> Iterator[Composer]:
    window = QWidget()
    window.resize(700, 600)
    qtbot.addWidget(window)
    made = Composer(window)
    made.setGeometry(0, 0, 700, 56)
    made.height_changed.connect(lambda: made.resize(700, made.height_for(700, 600)))
    show_active(window, qtbot)
    yield made
    window.close()


def sent_by(composer: Composer) -> list[str]:
    """What was typed in the messages that are sent from now on."""
    sent: list[str] = []
    composer.sent.connect(lambda draft: sent.append(draft.text))
    return sent


def test_enter_sends_and_empties(composer: Composer, qtbot: QtBot) -> None:
    """Enter sends what is in the box; the box is empty then."""
    sent = sent_by(composer)
    qtbot.keyClicks(composer.text, "Hello")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert sent == ["Hello"]
    assert composer.draft() == ""


def test_shift_enter_is_a_new_line(composer: Composer, qtbot: QtBot) -> None:
    """Shift+Enter goes to the next line and sends nothing."""
    sent = sent_by(composer)
    qtbot.keyClicks(composer.text, "a")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.text, "b")
    assert sent == []
    assert composer.draft() == "a\nb"


def test_enter_while_composing_belongs_to_the_input_method(composer: Composer, qtbot: QtBot) -> None:
    """During a composition neither Enter nor Esc reaches the program; after it Enter sends."""
    sent, stops = sent_by(composer), []
    composer.stop_wanted.connect(lambda: stops.append(1))
    composer.set_busy(True)
    QApplication.sendEvent(composer.text, QInputMethodEvent("にほ", []))
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    qtbot.keyClick(composer.text, Qt.Key.Key_Escape)
    assert (sent, stops) == ([], [])
    done = QInputMethodEvent("", [])
    done.setCommitString("日本")
    QApplication.sendEvent(composer.text, done)
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert [text.strip() for text in sent] == ["日本"]


def test_send_says_why_it_is_off(composer: Composer, qtbot: QtBot) -> None:
    """An empty box cannot be sent and the tooltip says so; blanks count as empty."""
    assert not composer.send_button.isEnabled()
    assert composer.send_button.toolTip() == "Nothing to send yet: type a message"
    qtbot.keyClicks(composer.text, "   ")
    assert not composer.send_button.isEnabled()
    qtbot.keyClicks(composer.text, "x")
    assert composer.send_button.isEnabled()


def test_stop_stands_where_send_was(composer: Composer, qtbot: QtBot) -> None:
    """While busy the same button stops; typing goes on and Enter queues."""
    before = composer.send_button.geometry()
    composer.set_busy(True)
    assert composer.send_button.geometry() == before
    assert composer.send_button.accessibleName() == "Stop the answer (Esc)"
    stops: list[int] = []
    composer.stop_wanted.connect(lambda: stops.append(1))
    qtbot.mouseClick(composer.send_button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(composer.text, Qt.Key.Key_Escape)
    assert len(stops) == 2
    sent = sent_by(composer)
    qtbot.keyClicks(composer.text, "next")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert sent == ["next"]


def test_up_in_the_empty_box_recalls(composer: Composer, qtbot: QtBot) -> None:
    """Up asks for the last question only where there is nothing to lose."""
    asked: list[int] = []
    composer.recall_wanted.connect(lambda: asked.append(1))
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    qtbot.keyClicks(composer.text, "x")
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    assert asked == [1]


@pytest.mark.parametrize("zoom", [100, 200])
def test_grows_to_40_percent(composer: Composer, theme: Theme, zoom: int) -> None:
    """56 px when empty, a line more for a line more, and never above 40 % of the window."""
    theme.set_zoom(zoom)
    heights = []
    for lines in (1, 2, 5, 100):
        composer.set_text("\n".join(["line"] * lines))
        heights.append(composer.height_for(700, 600))
    assert heights[0] == 56 * zoom // 100
    assert heights == sorted(heights)
    assert heights[-1] == 240
    if zoom == 100:
        assert heights[0] < heights[2] < heights[3]


@pytest.mark.parametrize("width", [80, 143, 400, 777])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line",
        "a b c " * 60,
        "x" * 200,
        "first\n\nthird\n",
        "שלום עולם " * 20,
        "你好世界" * 30,
        "a\tb " * 20,
    ],
)
def test_its_height_at_a_width_is_that_of_the_lines_that_qt_shows_there(
    theme: Theme, qtbot: QtBot, width: int, text: str
) -> None:
    """Whatever width it has now, and without taking the other one for the question."""
    window = QWidget()
    qtbot.addWidget(window)
    field = ComposerText(window)
    field.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    field.setPlainText(text)
    field.resize(311, 900)
    window.show()
    asked = field.wanted_height(width)
    assert field.width() == 311
    field.resize(width, 900)
    lines = max(1, int(field.document().size().height()))
    assert asked == field.wanted_height(width)
    assert lines == round((asked - 4) / field.fontMetrics().lineSpacing())


def test_a_long_paste_becomes_a_chip(composer: Composer) -> None:
    """More than 2,000 pasted characters stand above the box as one chip and are sent along."""
    sent: list[Draft] = []
    composer.sent.connect(sent.append)
    data = QMimeData()
    data.setText("line of text\n" * 100_000)
    composer.text.insertPlainText("Summarise:")
    with processor_time() as spent:
        composer.text.insertFromMimeData(data)
    assert spent.at_rest_s < 0.2
    assert composer.text.toPlainText() == "Summarise:"
    assert chip_words(composer) == ["Pasted text · ≈ 325,001 tokens"]
    composer.send_button.click()
    (draft,) = sent
    assert draft.text == "Summarise:"
    (attachment,) = draft.attachments
    assert attachment.text == data.text()
    assert attachment.about.tainted_by == "pasted text"
    assert not composer.whole_draft()


def test_a_chip_can_be_taken_away_by_keyboard(composer: Composer, qtbot: QtBot) -> None:
    """The cross removes that attachment and no other; the focus goes to the next, then back into the box."""
    composer.add_attachment("first", AttachmentKind.CLIPBOARD)
    composer.add_attachment("second", AttachmentKind.SCREEN)
    assert chip_words(composer) == ["Clipboard · ≈ 2 tokens", "Part of the screen · ≈ 2 tokens"]
    for left in (["second"], []):
        cross = composer.findChild(QWidget, "attachment_0_remove")
        assert cross.accessibleName().startswith("Remove ")
        cross.setFocus()
        qtbot.keyClick(cross, Qt.Key.Key_Space)
        assert [each.text for each in composer.whole_draft().attachments] == left
    assert composer.text.hasFocus()


def test_what_is_being_read_holds_the_message_back(composer: Composer) -> None:
    """A message with something unread cannot be sent, and the button says why; a refusal does not hold it."""
    composer.set_text("What is in it?")
    key = composer.begin_attachment("report.pdf")
    assert key is not None
    assert chip_words(composer) == ["Reading report.pdf…"]
    assert not composer.send_button.isEnabled()
    assert composer.send_button.toolTip() == "Cannot be sent yet: something is still being read"
    composer.refuse_attachment(key, failure("It is damaged.", "Nothing was changed.", "Try another."))
    assert chip_words(composer) == ["report.pdf · not attached"]
    (chip,) = chips(composer)
    assert chip.label.toolTip() == "It is damaged. Nothing was changed. Try another."
    assert composer.send_button.isEnabled()
    assert composer.whole_draft() == Draft("What is in it?")


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (
            1200,
            ["Use the first 19 tokens", "Summarise in parts", "Raise the context to 32.8k (needs 2.4 GB)"],
        ),
        (490, ["Use the first 19 tokens", "Summarise in parts", "Raise the context to 32.8k (needs 2.4 GB)"]),
        (290, ["First 19 tokens", "In parts", "Context 32.8k"]),
    ],
)
def test_what_can_be_done_about_a_large_file_stands_in_the_chip_at_every_width(
    composer: Composer, width: int, words: list[str]
) -> None:
    """In all its words where they have room in two rows, as in a new window; nothing is cut off."""
    composer.height_changed.disconnect()
    composer.larger_context = lambda _missing: LargerContext(32_768, 2_400_000_000)
    composer.set_room(19)
    composer.add_attachment("word " * 64)
    composer.resize(1000, 200)
    composer.resize(width, 200)
    QCoreApplication.processEvents()
    (chip,) = chips(composer)
    links = [
        composer.findChild(QToolButton, f"attachment_0_{each}") for each in ("beginning", "parts", "context")
    ]
    assert [each.text() for each in links] == words
    assert chip.sizeHint().width() <= width - 24
    assert all(each.width() >= each.sizeHint().width() for each in links)


def test_too_large_offers_the_beginning_and_is_never_cut(composer: Composer, qtbot: QtBot) -> None:
    """What does not fit says how much does; nothing is sent until the user has chosen."""
    composer.set_room(100)
    composer.add_attachment("word " * 64)
    composer.add_attachment("more " * 200)
    assert chip_words(composer) == ["Pasted text · ≈ 81 tokens", "Pasted text · ≈ 251 tokens, too large"]
    wanted: list[tuple[int, int]] = []
    composer.beginning_wanted.connect(lambda key, tokens: wanted.append((key, tokens)))
    button = composer.findChild(QToolButton, "attachment_1_beginning")
    assert button.text() == "Use the first 19 tokens"
    assert not composer.send_button.isEnabled()
    assert "too large" in composer.send_button.toolTip()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    key, tokens = wanted[0]
    assert tokens == 19
    whole = composer.pending[1].attachment
    assert whole is not None
    composer.finish_attachment(key, AttachmentReader().beginning(whole, tokens))
    assert chip_words(composer)[1].startswith("Pasted text · first ≈ 1")
    assert "of 251 tokens" in chip_words(composer)[1]
    assert composer.send_button.isEnabled()
    composer.set_room(None)
    assert composer.send_button.isEnabled()


def test_a_chip_opens_its_text(composer: Composer, qtbot: QtBot) -> None:
    """Enter on a chip asks for the whole text."""
    opened: list[Attachment] = []
    composer.attachment_opened.connect(opened.append)
    composer.add_attachment("all of it")
    qtbot.keyClick(chips(composer)[0].label, Qt.Key.Key_Space)
    assert [each.text for each in opened] == ["all of it"]


def test_files_and_pictures_are_handed_over(composer: Composer, tmp_path: Path) -> None:
    """Pasted files and pictures go along; an address of a page, and text beside a picture, are text."""
    files: list[list[Path]] = []
    pictures: list[QImage] = []
    composer.files_given.connect(files.append)
    composer.picture_given.connect(pictures.append)
    file = tmp_path / "notes.txt"
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    assert composer.text.canInsertFromMimeData(data)
    composer.text.insertFromMimeData(data)
    assert files == [[file]]
    picture = QMimeData()
    picture.setImageData(QImage(8, 8, QImage.Format.Format_RGB32))
    composer.text.insertFromMimeData(picture)
    assert [each.width() for each in pictures] == [8]
    address = QMimeData()
    address.setUrls([QUrl("https://example.org/")])
    address.setText("https://example.org/")
    composer.text.insertFromMimeData(address)
    assert composer.draft() == "https://example.org/"


def chips(composer: Composer) -> list[AttachmentChip]:
    found = composer.findChildren(AttachmentChip)
    return sorted(found, key=lambda chip: chip.objectName())


def chip_words(composer: Composer) -> list[str]:
    return [chip.label.text() for chip in chips(composer)]


def test_rich_text_is_pasted_as_plain(composer: Composer) -> None:
    """Formats, pictures and links of a web page do not come along."""
    data = QMimeData()
    data.setHtml("<b>bold</b><img src='file:///x.png'>")
    data.setText("bold")
    composer.text.insertFromMimeData(data)
    assert composer.draft() == "bold"


def test_the_clipboard_can_be_asked_for(composer: Composer, qtbot: QtBot) -> None:
    """The plus menu asks for the clipboard; with nothing on it the entry is off."""
    action = next(each for each in composer.menu.actions() if each.objectName() == "add_clipboard")
    QGuiApplication.clipboard().setText("copied words")
    composer.menu.aboutToShow.emit()
    assert action.isEnabled()
    with qtbot.waitSignal(composer.clipboard_wanted):
        action.trigger()
    QGuiApplication.clipboard().clear()
    composer.menu.aboutToShow.emit()
    assert not action.isEnabled()


def test_others_can_offer_what_goes_along(composer: Composer) -> None:
    """The menu takes entries of others, such as kept prompts."""
    taken: list[str] = []
    composer.offer("A kept prompt", "add_prompt", lambda: taken.append("prompt"))
    next(each for each in composer.menu.actions() if each.objectName() == "add_prompt").trigger()
    assert taken == ["prompt"]


def test_the_queue_shows_and_gives_back(composer: Composer, qtbot: QtBot) -> None:
    """Each waiting message is a chip whose cross takes it back."""
    taken: list[int] = []
    composer.unqueue_wanted.connect(taken.append)
    composer.show_queue(["first waiting message", "second"])
    cross = composer.findChild(QWidget, "queued_1_remove")
    qtbot.mouseClick(cross, Qt.MouseButton.LeftButton)
    assert taken == [1]
    composer.show_queue([])
    assert composer._queued.count() == 0
