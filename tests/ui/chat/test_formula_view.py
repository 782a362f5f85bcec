"""Formulas in the texts of answers: drawn when their outline comes, copied and read as words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QTextCursor, QTextDocument
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.chat.formulas import Outline, Outlines
from desktop.chat.latex import Formula
from desktop.qt.background import Background
from desktop.ui.chat.answer import BlockStack
from desktop.ui.chat.blocks import TableBlock
from desktop.ui.chat.formula_view import EM, OBJECT, FormulaDrawing, drawing, path_of
from desktop.ui.chat.rich_text import TASK, ProseView
from desktop.ui.theme import Theme

# One em wide, from half an em below the base line to one above, filled.
SQUARE = {
    "left": 0,
    "width": 1,
    "ascent": 1,
    "descent": 0.5,
    "filled": f"M 0 {-EM} L {EM} {-EM} L {EM} {EM / 2} L 0 {EM / 2} Z",
    "drawn": [],
}


class Setter:
    """Stands for the child: squares, but None for what holds "bad". Counts what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def parse(self, _function: str, source: bytes, **_options: Any) -> list[Any]:
        import json

        formulas = [formula for formula, _ in json.loads(source)]
        self.asked.append(formulas)
        widths = [200 if "wide" in each else 1 for each in formulas]
        return [
            None if "bad" in each else SQUARE | {"width": width}
            for each, width in zip(formulas, widths, strict=True)
        ]


@pytest.fixture
def setter(theme: Theme) -> Iterator[Setter]:
    setter, background = Setter(), Background()
    made = FormulaDrawing(lambda: Outlines(setter), background)  # type: ignore[arg-type]  # its one method
    yield setter
    background.close()
    made.deleteLater()
    background.deleteLater()
    FormulaDrawing._valid = None


def shown(text: str, qtbot: QtBot) -> ProseView:
    """A text whose formulas have had their time."""
    view = ProseView()
    qtbot.addWidget(view)
    view.set_pieces([text])
    view.arrange(600)
    qtbot.waitUntil(lambda: not view._waiting)
    view.arrange(600)
    return view


def test_a_formula_is_text_until_it_can_be_drawn(setter: Setter, qtbot: QtBot) -> None:
    """The words do not wait for it."""
    view = ProseView()
    qtbot.addWidget(view)
    view.set_pieces([r"so \(\frac{a}{b}\) it is"])
    assert view.toPlainText() == "so a/b it is"
    with qtbot.waitSignal(view.resized):
        pass
    assert view.toPlainText() == f"so {OBJECT} it is"


def test_what_cannot_be_drawn_stays_text(setter: Setter, qtbot: QtBot) -> None:
    """And is not asked for again."""
    view = shown(r"so \(bad^2\) it is", qtbot)
    assert view.toPlainText() == "so bad² it is"
    shown(r"so \(bad^2\) again", qtbot)
    assert setter.asked == [["bad^2"]]


def test_without_anything_that_draws_formulas_are_text(theme: Theme, qtbot: QtBot) -> None:
    """As in a window that was made without one."""
    assert drawing() is None
    assert shown(r"\(x^2\) and \[\frac{a}{b}\]", qtbot).toPlainText() == "x² and \na/b"


def test_formulas_are_asked_for_together(setter: Setter, qtbot: QtBot) -> None:
    """A child for each would cost more than the answer."""
    view = ProseView()
    qtbot.addWidget(view)
    view.set_pieces([r"\(a\)", r"\(b\) \(c\)", r"$$d$$"])
    qtbot.waitUntil(lambda: not view._waiting)
    assert sum(len(each) for each in setter.asked) == 4
    assert len(setter.asked) <= 2


def test_a_growing_answer_draws_a_formula_once_it_is_closed(setter: Setter, qtbot: QtBot) -> None:
    """Nothing is asked for half a formula, and pieces before it are left alone."""
    stack = BlockStack()
    qtbot.addWidget(stack)
    for end in range(1, len(r"first \(x^2\) then") + 1):
        stack.set_text(r"first \(x^2\) then"[:end])
    view = stack.parts[0]
    assert isinstance(view, ProseView)
    qtbot.waitUntil(lambda: not view._waiting)
    assert setter.asked == [["x^2"]]
    assert view.toPlainText() == f"first {OBJECT} then"


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        (r"so \(x^2\) it is", r"so \(x^2\) it is"),
        (r"so $x^2$ it is", r"so \(x^2\) it is"),
        ("𝒜 and $x^2$", r"𝒜 and \(x^2\)"),
        (r"is \[x = 1\], and", "is \n\\[x = 1\\],\nand"),
        (r"$x^2$$y_1$ $y_1$", r"$x^2$$y_1$ \(y_1\)"),
    ],
)
def test_copying_gives_what_was_written(setter: Setter, qtbot: QtBot, text: str, copied: str) -> None:
    """With the delimiters of LaTeX; nothing of the picture."""
    view = shown(text, qtbot)
    view.selectAll()
    data = view.createMimeDataFromSelection()
    assert data.text() == copied
    assert not data.hasHtml()


def test_a_part_can_be_copied(setter: Setter, qtbot: QtBot) -> None:
    """Only the formulas within the selection."""
    view = shown(r"\(a\) 𝒜 \(b\) \(c\)", qtbot)
    cursor = QTextCursor(view.document())
    cursor.setPosition(2)
    cursor.setPosition(6, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    assert view.selected_text() == r"𝒜 \(b\)"


def test_a_selection_of_words_is_copied_as_before(setter: Setter, qtbot: QtBot) -> None:
    """With its formats for other programs."""
    view = shown("**bold** words", qtbot)
    view.selectAll()
    assert view.createMimeDataFromSelection().hasHtml()


def test_who_hears_the_answer_hears_the_formula(setter: Setter, qtbot: QtBot) -> None:
    """As it reads, in the place of a sign that says nothing."""
    assert shown(r"so \(\frac{a}{b}\) it is", qtbot).accessibleDescription() == "so a/b it is"
    assert shown("so it is", qtbot).accessibleDescription() == ""


def place_of(view: ProseView) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what is drawn in the colour of the words, in a text without words."""
    image = QImage(view.size(), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    view.render(image)
    xs = [x for x in range(image.width()) if any(is_dark(image, x, y) for y in range(image.height()))]
    ys = [y for y in range(image.height()) if any(is_dark(image, x, y) for x in range(image.width()))]
    return min(xs), min(ys), max(xs), max(ys)


def is_dark(image: QImage, x: int, y: int) -> bool:
    return image.pixelColor(x, y).value() < 90


def test_a_formula_stands_on_the_line_of_the_words(setter: Setter, qtbot: QtBot) -> None:
    """The square hangs half an em below the base line, in whatever line Qt makes around it."""
    view = shown(r"\(x^2\)", qtbot)
    layout = view.document().firstBlock().layout()
    line = layout.lineAt(0)
    base = layout.position().y() + line.y() + line.ascent() + max(line.leading(), 0)
    _, top, _, bottom = place_of(view)
    size = view.document().defaultFont().pixelSize() * 1.15
    assert abs((bottom + 1) - (base + size / 2)) <= 1.5
    assert abs(top - (base - size)) <= 1.5
    assert top >= 0
    assert bottom < view.height()


@pytest.mark.parametrize("zoom", [100, 200])
def test_a_formula_grows_with_the_zoom(setter: Setter, qtbot: QtBot, theme: Theme, zoom: int) -> None:
    """It is drawn anew, and not a picture made larger."""
    theme.zoom_percent = zoom
    theme.apply()
    left, _, right, _ = place_of(shown(r"\(x^2\)", qtbot))
    assert abs((right - left + 1) - 15 * zoom / 100 * 1.15) <= 2
    theme.zoom_percent = 100
    theme.apply()


def test_a_formula_in_a_line_of_its_own_stands_in_the_middle(setter: Setter, qtbot: QtBot) -> None:
    """Between the words before and after it, which keep their side."""
    view = shown(r"before \[x = 1\] after", qtbot)
    document = view.document()
    alignments = [document.findBlockByNumber(number).blockFormat().alignment() for number in range(3)]
    assert [document.findBlockByNumber(number).text() for number in range(3)] == ["before ", OBJECT, "after"]
    assert alignments[1] == Qt.AlignmentFlag.AlignHCenter
    assert Qt.AlignmentFlag.AlignHCenter not in (alignments[0], alignments[2])


def test_a_step_of_a_list_stays_one_step(setter: Setter, qtbot: QtBot) -> None:
    """Its formula is a line of the same item, and the numbers go on."""
    view = shown("1. First \\[x = 1\\] done\n2. Second", qtbot)
    assert view.document().blockCount() == 2
    assert view.document().firstBlock().text() == f"First \u2028{OBJECT}\u2028done"


def test_a_formula_wider_than_the_column_is_made_smaller(setter: Setter, qtbot: QtBot) -> None:
    """Down to what can be read; beyond, it is text, which wraps."""
    view = shown(r"\(x^2\)", qtbot)
    assert view.arrange(8) > 0
    left, _, right, _ = place_of(view)
    assert right - left <= 8
    assert shown(r"\(wide^2\)", qtbot).toPlainText() == "wide²"


def test_formulas_in_a_table(setter: Setter, qtbot: QtBot) -> None:
    """Are drawn there too, also in rows that come later."""
    head = "| Name | Area |\n|---|---|\n| Circle | $r^2$ |"
    block = TableBlock(head)
    qtbot.addWidget(block)
    qtbot.waitUntil(lambda: not block.view._waiting)
    block.set_source(head + "\n| Square | $a^2$ |\n| Bad | $bad^2$ |")
    qtbot.waitUntil(lambda: not block.view._waiting)
    assert block.view.toPlainText().count(OBJECT) == 2
    block.view.selectAll()
    assert r"\(a^2\)" in block.view.selected_text()


def test_a_table_is_as_wide_as_what_is_in_it(setter: Setter, qtbot: QtBot) -> None:
    """An empty frame beside three words looks like something missing; a wide one takes the column."""
    narrow = TableBlock("| a | b |\n|---|---|\n| 1 | 2 |")
    wide = TableBlock("| a | b |\n|---|---|\n| " + "word " * 40 + "| " + "word " * 40 + "|")
    for block in (narrow, wide):
        qtbot.addWidget(block)
        block.arrange(700)
    assert narrow.width() < 150
    assert wide.width() == 700


def test_a_table_in_a_script_from_the_right_is_mirrored(setter: Setter, qtbot: QtBot) -> None:
    """Its first column stands at the right, and it itself at the right of the column."""
    stack = BlockStack()
    qtbot.addWidget(stack)
    stack.set_text("| שם | סכום |\n|---|---|\n| אחת | 1 |\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    stack.arrange(700)
    hebrew, english = stack.parts
    assert isinstance(hebrew, TableBlock)
    assert hebrew.geometry().right() == 699
    assert english.geometry().left() == 0
    table = hebrew.view._table
    assert table is not None
    assert table.cellAt(0, 1).firstCursorPosition().block().text() == "שם"


def test_tasks_have_boxes_and_what_is_done_a_tick(setter: Setter, qtbot: QtBot) -> None:
    """Qt's own box would hold an X. Beside them plain items keep their dot."""
    view = shown("- [x] done\n- [ ] to do\n- plain", qtbot)
    marks = [view.document().findBlockByNumber(number).blockFormat().property(TASK) for number in range(3)]
    assert marks == [True, False, None]
    accent, image = QColor(theme_colour("accent")), QImage(view.size(), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    view.render(image)
    rows = {y for y in range(image.height()) if any(image.pixelColor(x, y) == accent for x in range(24))}
    first_line = view.document().documentLayout().blockBoundingRect(view.document().firstBlock())
    assert rows
    assert max(rows) <= first_line.bottom() + 2


def test_a_quotation_after_tasks_is_no_task(setter: Setter, qtbot: QtBot) -> None:
    """Qt's reader carries the mark of the last one over to it."""
    view = shown("- [ ] to do\n\n> said\n\nand more\n\n- [x] done\n\n## Title", qtbot)
    blocks = (view.document().findBlockByNumber(number) for number in range(view.document().blockCount()))
    marks = {block.text(): block.blockFormat().property(TASK) for block in blocks}
    assert marks == {"to do": False, "said": None, "and more": None, "done": True, "Title": None}


def theme_colour(token: str) -> str:
    from desktop.ui import theme

    return theme.colour(token).name()


def test_a_path_is_what_was_written_and_a_stroke_has_its_width() -> None:
    """Curves, lines and closings; steps with too few numbers are left out."""
    outline = Outline(0, 1, 1, 0, "M 0 0 L 10 0 Q 10 10 0 10 C 0 8 0 4 0 0 Z L 5", (("M 0 20 L 10 20", 2.0),))
    box = path_of(outline).boundingRect()
    # The stroke ends in squares, half its width beyond the line.
    assert (box.left(), box.top(), box.right(), box.bottom()) == (-1, 0, 11, 21)


def test_a_formula_says_nothing_of_its_own_colour(setter: Setter, qtbot: QtBot, theme: Theme) -> None:
    """It has that of the words: of the text, or of the link in which it stands."""
    view = shown(r"[\(x^2\)](https://example.org)", qtbot)
    image = QImage(view.size(), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    view.render(image)
    assert abs(image.pixelColor(6, view.height() // 2).hue() - QColor(theme_colour("link")).hue()) <= 2


def test_a_document_that_knows_no_formula_draws_none(theme: Theme) -> None:
    """An object from elsewhere, such as one that was pasted, has neither size nor picture."""
    from desktop.ui.chat.formula_view import FormulaObjects

    document = QTextDocument()
    widget = QWidget()
    objects = FormulaObjects(document, lambda: QColor("black"))
    outline = Outline(0, 1, 1, 0, "M 0 0 L 1 1 Z", ())
    foreign = FormulaObjects(QTextDocument(widget), lambda: QColor("black"))
    format_ = foreign.format_of(Formula("x", display=False), outline, QTextCursor(document).charFormat())
    assert objects.intrinsicSize(document, 0, format_).isEmpty()
    widget.deleteLater()
