"""Code blocks, tables, thinking, questions: the parts of a conversation by themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication, QTextTable
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.store import MessageStatus, Role
from desktop.ui.chat.answer import AnswerView, caption_of, status_words
from desktop.ui.chat.blocks import LONGEST_CODE, MOST_CELLS, CodeBlock, Highlighter, TableBlock
from desktop.ui.chat.markdown import Code
from desktop.ui.chat.question import QuestionView
from desktop.ui.code_colours import lexer_of
from desktop.ui.theme import MONO_PX, ZOOM_STEPS_PERCENT, Theme, icon
from desktop.ui.widgets.buttons import WordsButton
from tests.ui.chat.test_transcript import message

PYTHON = 'def f(x: int) -> str:\n    """Say."""\n    return str(x)  # a comment 😀\n'
TABLE = "| a | b |\n|---|---:|\n| 1 | 2 |"


# -- code -----------------------------------------------------------------------------------------


def colours_of(block: CodeBlock) -> dict[str, str]:
    """Each coloured piece of the code with its colour."""
    found = {}
    line = block.text.document().begin()
    while line.isValid():
        for piece in line.layout().formats():
            text = line.text().encode("utf-16-le")[piece.start * 2 : (piece.start + piece.length) * 2]
            found[text.decode("utf-16-le")] = piece.format.foreground().color().name()
        line = line.next()
    return found


def test_code_is_coloured(theme: Theme, holder: QWidget) -> None:
    """Keywords, names, strings and comments have the theme's colours, also after an emoji."""
    block = CodeBlock(Code("python", PYTHON + "y = 1", True), holder)
    block._highlighter.finish()
    colours = colours_of(block)
    assert colours["def"] == theme.tokens.code_keyword
    assert colours["f"] == theme.tokens.code_name
    assert colours['"""Say."""'] == theme.tokens.code_string
    assert colours["# a comment 😀"] == theme.tokens.secondary
    assert colours["1"] == theme.tokens.code_number


FONTS = ("DejaVu Sans Mono", "Nimbus Mono PS", "DejaVu Sans", "C059")
LINES = ("", "x = 1", "y = '漢字 😀 é'", "    " + "word " * 60)
# By ones at first; then by sevens, so that each kind of line comes last.
COUNTS = (*range(1, 25), *range(25, 200, 7), 200)


def hidden_px(block: CodeBlock) -> float:
    """How much of the last line lies below what is seen of the block."""
    text = block.text
    bottom = text.blockBoundingGeometry(text.document().lastBlock()).translated(text.contentOffset()).bottom()
    return bottom - text.viewport().height()


SMALLEST, *BETWEEN, LARGEST = ZOOM_STEPS_PERCENT
ZOOMS = (SMALLEST, LARGEST, *(pytest.param(each, marks=pytest.mark.slow) for each in BETWEEN))


@pytest.mark.parametrize("family", FONTS)
@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_the_last_line_of_code_is_in_sight(
    theme: Theme, holder: QWidget, monkeypatch: pytest.MonkeyPatch, family: str, zoom: int, wrapped: bool
) -> None:
    """Of 1 to 200 lines, short and long, whatever letters they have, shown at once or as they come."""
    monkeypatch.setattr(theme, "mono_font", lambda _size=MONO_PX: sized(QFont(family), theme.px(MONO_PX)))
    theme.set_zoom(zoom)
    holder.show()
    growing = CodeBlock(Code("python", "a", closed=False), holder)
    growing.show()
    growing.text.set_wrapped(wrapped)
    lines = ["a", *(LINES[count % len(LINES)] for count in range(1, 200))]
    for count in COUNTS:
        text = "\n".join(lines[:count])
        growing.set_code(Code("python", text, closed=False))
        growing.arrange(320)
        assert hidden_px(growing) <= 0, count
        if count in (1, 2, 60, 200):
            whole = CodeBlock(Code("python", text, closed=True), holder)
            whole._highlighter.finish()
            whole.text.set_wrapped(wrapped)
            whole.show()
            assert whole.arrange(320) == growing.height()
            assert hidden_px(whole) <= 0


def sized(font: QFont, pixels: int) -> QFont:
    font.setPixelSize(pixels)
    return font


@pytest.mark.parametrize(
    ("language", "known"), [("python", True), ("PY", True), ("c++", True), ("", False), ("no-such", False)]
)
def test_which_languages_are_known(language: str, known: bool) -> None:
    """The word after the fence names a language; an unknown one means plain text."""
    assert (lexer_of(language) is not None) is known


def test_a_very_long_listing_stays_plain(theme: Theme, holder: QWidget) -> None:
    """Beyond a limit colours are not worth the time."""
    block = CodeBlock(Code("python", "x = 1\n" * (LONGEST_CODE // 6 + 1), True), holder)
    block._highlighter.finish()
    assert colours_of(block) == {}


def test_colouring_yields(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """A long listing is coloured in slices, between which the window lives."""
    block = CodeBlock(Code("python", PYTHON * 200, True), holder)
    highlighter = block.findChild(Highlighter) or block._highlighter
    assert highlighter._timer.isActive()
    qtbot.waitUntil(lambda: not highlighter._timer.isActive(), timeout=8000)
    assert "def" in colours_of(block)


def test_growing_code_is_appended(theme: Theme, holder: QWidget) -> None:
    """Code that grows keeps what is there, and the block grows by its lines."""
    block = CodeBlock(Code("python", "a = 1", False), holder)
    before = block.arrange(600)
    block.set_code(Code("python", "a = 1\nb = 2\nc = 3", True))
    assert block.text.toPlainText() == "a = 1\nb = 2\nc = 3"
    line = block.text.blockBoundingRect(block.text.document().begin())
    assert block.arrange(600) == before + 2 * line.height()


def test_copy_says_that_it_did(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """Copy puts exactly the code on the clipboard and says so."""
    block = CodeBlock(Code("", "x\n  y", True), holder)
    block.arrange(600)
    block.show()
    qtbot.mouseClick(block.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "x\n  y"
    assert block.copy_button.accessibleName() == "Copied"
    qtbot.waitUntil(lambda: block.copy_button.accessibleName() == "Copy code", timeout=4000)


def test_wrapping_makes_it_taller(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """The wrap button folds long lines and unfolds them again."""
    block = CodeBlock(Code("", "word " * 200, True), holder)
    block.show()
    before = block.arrange(600)
    with qtbot.waitSignal(block.resized):
        qtbot.mouseClick(block.wrap_button, Qt.MouseButton.LeftButton)
    assert block.arrange(600) > before + 3 * block.text.fontMetrics().lineSpacing()
    assert block.text.horizontalScrollBar().maximum() == 0
    qtbot.mouseClick(block.wrap_button, Qt.MouseButton.LeftButton)
    assert block.arrange(600) == before


# -- tables ---------------------------------------------------------------------------------------


def cells(block: TableBlock) -> list[list[str]]:
    table = next(f for f in block.view.document().rootFrame().childFrames() if isinstance(f, QTextTable))
    return [
        [table.cellAt(row, column).firstCursorPosition().block().text() for column in range(table.columns())]
        for row in range(table.rows())
    ]


def test_a_growing_table(theme: Theme, holder: QWidget) -> None:
    """Row after row, also half-written ones, ends in the same table as at once."""
    block = TableBlock("| a | b |\n|---|---:|", holder)
    whole = TABLE + "\n| **3** | 4 |\n| 5 | 6 |"
    for end in range(len("| a | b |\n|---|---:|"), len(whole) + 1):
        block.set_source(whole[:end].rstrip("\n"))
    assert cells(block) == [["a", "b"], ["1", "2"], ["3", "4"], ["5", "6"]]
    at_once = TableBlock(whole, holder)
    assert block.arrange(500) == at_once.arrange(500)
    assert block.grab().toImage() == at_once.grab().toImage()


def test_a_table_that_is_too_large_is_shown_as_text(theme: Theme, holder: QWidget) -> None:
    """Beyond a limit the lines stand as they were written."""
    block = TableBlock(TABLE + "\n| 1 | 2 |" * (MOST_CELLS // 2), holder)
    assert "| 1 | 2 |" in block.view.toPlainText()


# -- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [status for status in MessageStatus if status_words(status)])
def test_cut_answers_say_why(theme: Theme, holder: QWidget, status: MessageStatus) -> None:
    """Every way to end early has its words, with a sign beside them."""
    view = AnswerView(message(2, "Some words", status=status), holder)
    view.set_last(True)
    view.arrange(700)
    view.show()
    assert view.footer.status.text() == status_words(status)
    assert view.footer.sign.isVisible()


def test_actions_appear_on_hover_and_on_focus(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """An older answer shows its actions when the pointer or the focus is on it, in room kept for them."""
    view = AnswerView(message(2, "Some words"), holder)
    view.set_last(False)
    height = view.arrange(700)
    view.move(0, 400)  # the pointer of the virtual screen stands in the upper left corner
    view.show()
    assert not view.footer.copy_button.isVisible()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(view.footer.copy_button.isVisible)
    assert view.arrange(700) == height
    holder.setFocus()
    qtbot.waitUntil(lambda: not view.footer.copy_button.isVisible())


@pytest.mark.parametrize(
    ("tokens", "speed", "seconds", "words"),
    [
        (0, 0.0, 0.0, ""),
        (1, 0.0, 0.4, "1 token · 0.4 s"),
        (512, 11.04, 46.2, "512 tokens · 11.0 tok/s · 46.2 s"),
    ],
)
def test_caption(tokens: int, speed: float, seconds: float, words: str) -> None:
    """Tokens, speed and seconds of an answer, where they are known."""
    answer = replace(message(2, "x"), answer_tokens=tokens, tokens_per_s=speed, total_s=seconds)
    assert caption_of(answer) == words


@pytest.mark.parametrize("width", [320, 480, 768])
def test_a_question_is_a_bubble_on_the_right(theme: Theme, holder: QWidget, width: int) -> None:
    """At most 75 % and 560 px wide, as narrow as its words, its right edge at the column's."""
    short = QuestionView(message(1, "Hi"), holder)
    long = QuestionView(message(1, "words " * 200), holder)
    for view in (short, long):
        view.arrange(width)
        assert view.bubble.geometry().right() == width - 1
        assert view.bubble.width() <= min(560, int(width * 0.75))
    assert short.bubble.width() < 80
    assert long.bubble.width() > min(560, int(width * 0.75)) - 80


def test_a_question_is_never_markdown(theme: Theme, holder: QWidget) -> None:
    """The user's words are shown as they were typed."""
    text = "# not *a* heading\n- <b>x</b>"
    view = QuestionView(message(1, text, Role.USER), holder)
    assert view.text.toPlainText() == text


def test_a_long_question_is_folded(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """A long paste shows its beginning; Show all shows the rest."""
    text = "line\n" * 2_000 + "the end"
    view = QuestionView(message(1, text, Role.USER), holder)
    folded = view.arrange(700)
    view.show()
    with qtbot.waitSignal(view.resized):
        qtbot.mouseClick(view.more, Qt.MouseButton.LeftButton)
    assert view.arrange(700) > 3 * folded
    assert view.text.toPlainText().endswith("the end")


def test_thinking_is_closed_and_opens(theme: Theme, holder: QWidget, qtbot: QtBot) -> None:
    """One line at first; open it shows the thoughts, at most 192 px of them."""
    thought = replace(message(2, "Answer"), thinking="a thought\n" * 100, thinking_s=6.4)
    view = AnswerView(thought, holder)
    closed = view.arrange(700)
    view.show()
    assert view.thinking.button.text() == "Thought for 6 s ›"
    with qtbot.waitSignal(view.resized):
        qtbot.mouseClick(view.thinking.button, Qt.MouseButton.LeftButton)
    assert closed + 150 < view.arrange(700) <= closed + 200
    view.show_message(replace(thought, text="", status=MessageStatus.STREAMING))
    assert view.thinking.button.text().startswith("Thinking…")


def test_words_beside_an_icon_take_no_more_than_they_need(theme: Theme, holder: QWidget) -> None:
    """Narrower than Qt's own button, and the words still have room at every size of text."""
    plain, tight = QToolButton(holder), WordsButton(holder)
    for zoom in (80, 100, 200):
        theme.set_zoom(zoom)
        for made in (plain, tight):
            made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            made.setIcon(icon("model"))
            made.setText("Qwen3 1.7B")
        words = tight.fontMetrics().horizontalAdvance(f" {tight.text()}") + tight.iconSize().width()
        assert words <= tight.sizeHint().width() < plain.sizeHint().width()
    theme.set_zoom(100)
