"""Acceptance check 18: Hebrew and Arabic, and a window that is written from the right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication

from desktop.ui.chat.blocks import CodeBlock
from desktop.ui.chat.question import QuestionView
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.theme import Theme
from tests.ui.chat.conftest import Desk
from tests.ui.chat.test_transcript import message
from tests.ui.chat.test_window import add_conversation

HEBREW = "שלום, זאת פסקה בעברית"
ARABIC = "هذه فقرة بالعربية"


@pytest.fixture
def from_the_right(qapp: QApplication) -> Iterator[None]:
    """The layout of a language such as Hebrew."""
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def left_of(view: ProseView, number: int) -> float:
    """Where the words of a paragraph begin, from the left edge."""
    block = view.document().findBlockByNumber(number)
    line = block.layout().lineAt(0)
    return float(block.layout().position().x() + line.naturalTextRect().left())


def test_check_18_paragraphs_align_by_their_own_direction(theme: Theme) -> None:
    """Hebrew and Arabic at the right edge, English at the left, in one answer."""
    view = ProseView()
    view.set_pieces([HEBREW, ARABIC, "English here"])
    view.arrange(600)
    assert left_of(view, 0) > 200
    assert left_of(view, 1) > 200
    assert left_of(view, 2) == 0
    view.deleteLater()


def test_check_18_code_stays_left(desk: Desk) -> None:
    """Also between two paragraphs in Hebrew."""
    number = add_conversation(desk, "?", f"{HEBREW}\n\n```python\nprint(1)\n```\n\n{HEBREW}")
    desk.window.open_conversation(number)
    desk.settle()
    code = desk.window.findChild(CodeBlock)
    assert code is not None
    assert code.text.cursorRect(QTextCursor(code.text.document())).left() < 30


def test_check_18_a_quotation_is_indented_on_its_own_side(theme: Theme) -> None:
    """The bar stands where the reading begins."""
    view = ProseView()
    view.set_pieces([f"> {HEBREW}", "> English"])
    blocks = [view.document().findBlockByNumber(number).blockFormat() for number in (0, 1)]
    assert [(b.leftMargin() > 0, b.rightMargin() > 0) for b in blocks] == [(False, True), (True, False)]
    view.deleteLater()


@pytest.mark.usefixtures("from_the_right")
def test_check_18_the_sidebar_is_at_the_right_under_such_a_language(desk: Desk) -> None:
    """And the conversation at its left."""
    desk.window.resize(1100, 700)
    desk.settle()
    window = desk.window
    assert window.sidebar.geometry().right() == window.width() - 1
    assert window.pane.geometry().left() == 0


@pytest.mark.usefixtures("from_the_right")
def test_check_18_bubbles_are_mirrored(theme: Theme) -> None:
    """The question stands at the left, where it stood at the right."""
    view = QuestionView(message(1, "a question"))
    view.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    view.arrange(700)
    assert view.bubble.x() == 0
    view.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    view.arrange(700)
    assert view.bubble.geometry().right() == 699
    view.deleteLater()


def test_an_empty_box_begins_where_the_window_begins(from_the_right: None, desk: Desk) -> None:
    """The cursor and what stands there in grey are on the right, inside; words stand where they begin."""
    box = desk.window.pane.composer.text
    right = range(box.viewport().width() - 10, box.viewport().width())
    assert box.cursorRect().left() in right
    assert not box.placeholderText().isprintable()  # marks that turn it round
    box.setPlainText("And what about tides?")
    assert box.cursorRect(QTextCursor(box.document())).left() < 10
    box.setPlainText(HEBREW)
    assert box.cursorRect(QTextCursor(box.document())).left() in right
    box.clear()
    assert box.cursorRect().left() in right


def test_hebrew_in_the_box_stands_on_the_right(desk: Desk) -> None:
    """Also in a window that is written from the left."""
    box = desk.window.pane.composer.text
    box.setPlainText(HEBREW)
    assert box.cursorRect(QTextCursor(box.document())).left() > box.viewport().width() - 10
    box.clear()
    assert box.cursorRect().left() < 10
    assert box.placeholderText() == "Ask anything…"
