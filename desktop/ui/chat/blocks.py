"""Blocks of an answer in frames of their own: code, with its language, Copy, wrap and colours, and tables."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLayout,
    QTextOption,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QPlainTextEdit, QWidget

from desktop.ui import theme
from desktop.ui.chat.formula_view import OBJECT
from desktop.ui.chat.markdown import Code, utf16_length
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.code_colours import COMMENT, KEYWORD, NAME, NUMBER, OPERATOR, STRING, Kind, descends, lexer_of
from desktop.ui.language import reads_from_right, tr
from desktop.ui.theme import BODY_PX, CAPTION_PX, LINE_HEIGHT
from desktop.ui.widgets.buttons import IconButton

if TYPE_CHECKING:
    from pygments.lexer import Lexer

COPIED_MS = 1500
RECOLOUR_MS = 500  # while the code still grows


class CodeBlock(QFrame):
    """A frame around a read-only text. The owner gives the width. Main thread only."""

    resized = Signal()  # another height is needed

    def __init__(self, code: Code, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._code = Code("", "", closed=False)
        self.setObjectName("code_block")
        self.label = QLabel(self)
        self.label.setFont(theme.font(CAPTION_PX))
        self.text = _CodeText(self)
        self.wrap_button = IconButton("wrap", tr("Wrap long lines"), "code_wrap", self._on_wrap, parent=self)
        self.wrap_button.setCheckable(True)
        self.copy_button = IconButton("copy", tr("Copy code"), "code_copy", self._on_copy, parent=self)
        self._highlighter = Highlighter(self.text.document())
        self._recolour = QTimer(self, singleShot=True, interval=RECOLOUR_MS)
        self._recolour.timeout.connect(self._colour)
        self.set_code(code)

    def set_code(self, code: Code) -> None:
        """Show `code`; a growing one is only appended to, and coloured now and then."""
        if code == self._code:
            return
        if code.text.startswith(self._code.text) and self._code.text:
            self.text.append_text(code.text[len(self._code.text) :])
        else:
            self.text.show_text(code.text)
        self._code = code
        if code.closed:
            self._colour()
        # To colour on every token would read the whole listing again each time.
        elif not self._recolour.isActive():
            self._recolour.start()
        self.label.setText(code.language or tr("code"))
        self.text.setAccessibleName(
            tr("Code, {language}", language=code.language) if code.language else tr("Code")
        )

    def arrange(self, width: int) -> int:
        """Take `width` and return the height."""
        bar, pad = theme.px(36), theme.px(12)
        button = theme.px(28)
        self.copy_button.setGeometry(width - button - theme.px(6), theme.px(4), button, button)
        self.wrap_button.setGeometry(width - 2 * button - theme.px(8), theme.px(4), button, button)
        self.label.setGeometry(theme.px(16), 0, max(0, width - 3 * button - theme.px(16)), bar)
        inner = width - 2 * pad
        height = self.text.height_for(inner)
        self.text.setGeometry(pad, bar, inner, height)
        # The room that is kept for a bar is the space below the last line, too.
        total = bar + height + theme.px(2 if self.text.keeps_room_for_bar else 8)
        self.resize(width, total)
        return total

    def has_selection(self) -> bool:
        return self.text.textCursor().hasSelection()

    def _colour(self) -> None:
        self._recolour.stop()
        self._highlighter.colour(self._code.language)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._code.text)
        self.copy_button.set_icon("check", "success")
        self.copy_button.set_words(tr("Copied"))
        QTimer.singleShot(COPIED_MS, self.copy_button, self._offer_copy)

    def _offer_copy(self) -> None:
        self.copy_button.set_icon("copy")
        self.copy_button.set_words(tr("Copy code"))

    def _on_wrap(self) -> None:
        self.text.set_wrapped(self.wrap_button.isChecked())
        self.resized.emit()


class _CodeText(QPlainTextEdit):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        # Of the lines that can grow no more: how many there are, and how high they are together.
        self._measured = (0, 0.0)
        self.setObjectName("code_text")
        self.setReadOnly(True)
        # The undo stack would keep every piece that was appended.
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(theme.mono_font())
        # Not by Tab: that goes from message to message and from button to button.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(theme.px(4))
        option = self.document().defaultTextOption()
        # Code reads from the left, also inside a message in Hebrew or Arabic.
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self.document().setDefaultTextOption(option)
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))

    def show_text(self, text: str) -> None:
        self._measured = (0, 0.0)
        self.setPlainText(text)

    def append_text(self, text: str) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def set_wrapped(self, wrapped: bool) -> None:
        self._measured = (0, 0.0)
        mode = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if wrapped else mode.NoWrap)
        if wrapped:
            self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)

    @property
    def keeps_room_for_bar(self) -> bool:
        """Whether its height has room for a bar below the lines."""
        return self.lineWrapMode() == QPlainTextEdit.LineWrapMode.NoWrap

    def height_for(self, width: int) -> int:
        margins = 2 * self.document().documentMargin()
        if self.keeps_room_for_bar:
            # Room for the bar always: it comes and goes as a growing line passes the width, and nothing may
            # jump.
            bar = self.horizontalScrollBar().sizeHint().height()
            return math.ceil(self._lines_height() + margins) + bar
        self._measured = (0, 0.0)
        self.resize(width, self.height())
        return math.ceil(self._lines_height() + margins)

    def _lines_height(self) -> float:
        """As laid out: a font's own line spacing leaves out its leading, and letters of other fonts.

        Only what was appended since is measured again, so that a long answer does not cost more and more.
        """
        layout = self.document().documentLayout()
        count, height = self._measured
        block = self.document().findBlockByNumber(count)
        while block.isValid():
            following = block.next()
            if not following.isValid():
                return height + layout.blockBoundingRect(block).height()
            height += layout.blockBoundingRect(block).height()
            count += 1
            self._measured = (count, height)
            block = following
        return height

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways here; up and down belongs to the transcript."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copying and selecting here; every other key goes on to the message and the window."""
        if event.matches(QKeySequence.StandardKey.Copy) and self.textCursor().hasSelection():
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selectAll()
        else:
            event.ignore()


SLICE_S = 0.004
LONGEST_CODE = 60_000  # beyond this, colours are not worth the time

_TOKENS = (
    (COMMENT, "secondary"),
    (KEYWORD, "code_keyword"),
    ((*OPERATOR, "Word"), "code_keyword"),
    (STRING, "code_string"),
    (NUMBER, "code_number"),
    *(((*NAME, each), "code_name") for each in ("Function", "Class", "Builtin", "Tag", "Decorator")),
)


class Highlighter(QObject):
    """Colours the text of a document in the background of the main loop."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._document = document
        self._formats = [(kind, _format(token, kind is COMMENT)) for kind, token in _TOKENS]
        self._work: Iterator[None] = iter(())
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_slice)

    def colour(self, language: str) -> None:
        """Colour the whole document as `language`; an unknown one leaves it plain."""
        self.stop()
        text = self._document.toPlainText()
        lexer = lexer_of(language)
        if lexer is not None and len(text) <= LONGEST_CODE:
            self._work = self._steps(lexer, text)
            self._timer.start()

    def stop(self) -> None:
        """Do no more; what is coloured stays."""
        self._timer.stop()

    def finish(self) -> None:
        """Do all the rest now."""
        for _ in self._work:
            pass
        self.stop()

    def _on_slice(self) -> None:
        until = time.perf_counter() + SLICE_S
        # Lexers differ by a factor of a hundred in speed, so the clock bounds a slice and not a number of
        # tokens.
        while time.perf_counter() < until:
            if next(self._work, self) is self:
                self.stop()
                return

    def _steps(self, lexer: Lexer, text: str) -> Iterator[None]:
        """Each step reads one token; the formats of a line are set when its end is reached."""
        block = self._document.begin()
        ranges: list[QTextLayout.FormatRange] = []
        column = 0
        for kind, value in lexer.get_tokens(text):
            format_ = self._format_of(kind)
            for number, part in enumerate(value.split("\n")):
                if number:
                    # Formats of the layout, not of the text: they need no undo, no relayout, and are not
                    # copied to the clipboard.
                    block.layout().setFormats(ranges)
                    self._document.markContentsDirty(block.position(), block.length())
                    block, ranges, column = block.next(), [], 0
                    if not block.isValid():
                        return
                if format_ is not None and part:
                    ranges.append(_range(column, utf16_length(part), format_))
                column += utf16_length(part)
            yield
        block.layout().setFormats(ranges)
        self._document.markContentsDirty(block.position(), block.length())

    def _format_of(self, kind: Kind) -> QTextCharFormat | None:
        return next((format_ for known, format_ in self._formats if descends(kind, known)), None)


def _range(start: int, length: int, format_: QTextCharFormat) -> QTextLayout.FormatRange:
    result = QTextLayout.FormatRange()
    result.start, result.length, result.format = start, length, format_
    return result


def _format(token: str, italic: bool) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setForeground(theme.colour(token))
    if italic:
        result.setFontItalic(True)
    return result


# -- tables ------------------------------------------------------------------------------------

# A wide one scrolls sideways in its own frame.

WIDEST_CELL = 320
CELL_PX = 6  # from the edge of a cell to its words
HEAD_LINES = 2  # header and rule
MOST_CELLS = 1_500  # a larger table is shown as it was written


class TableBlock(QFrame):
    """A frame around a table. The owner gives the width. Main thread only."""

    def __init__(self, source: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = ""
        self.setObjectName("table_block")
        self.view = _TableView(self)
        self.link_clicked = self.view.link_clicked
        self.set_source(source)

    def set_source(self, source: str) -> None:
        """Show the table written in `source`."""
        if source != self._source:
            self._source = source
            self.view.show_table(source)

    def arrange(self, width: int) -> int:
        """Take `width` and return the height."""
        pad = theme.px(8)
        height = self.view.arrange(width - 2 * pad)
        self.view.move(pad, pad)
        # No wider than the table is: an empty frame beside three short words looks like something missing.
        self.resize(self.view.width() + 2 * pad, height + 2 * pad)
        return height + 2 * pad

    def has_selection(self) -> bool:
        return self.view.has_selection()


class _TableView(ProseView):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines: list[str] = []
        self._table: QTextTable | None = None
        self._aligned: list[Qt.AlignmentFlag] = []  # by column
        self.is_from_right = False  # whether its first column stands at the right, as in Hebrew and Arabic
        self.setAccessibleName(tr("Table"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def show_table(self, source: str) -> None:
        """Show the table of these lines; rows that are there already are left alone."""
        lines = source.split("\n")
        same = _equal_at_start(self._lines, lines)
        # Another header means other columns, and with these nothing of the old table fits.
        if self._table is None or same < HEAD_LINES:
            self._begin(lines)
        else:
            self._go_on(self._table, lines, same)
        self._lines = lines

    def _show_again(self) -> None:
        self._begin(self._lines)

    def _begin(self, lines: list[str]) -> None:
        self.clear()
        self._table = None
        self._waiting.clear()
        self.is_from_right = reads_from_right(" ".join(lines))
        scratch = QTextDocument()
        table = self._read(scratch, lines)
        # Qt lays a table out in time that grows faster than its cells; as text it is at least readable.
        if table is None or table.rows() * table.columns() > MOST_CELLS:
            self.set_plain("\n".join(lines))
            return
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # one layout at the end, not one for each cell
        self._aligned = _alignments(lines[1], table.columns())
        self._table = cursor.insertTable(table.rows(), table.columns(), self._table_format())
        self._copy_rows(table, self._table, 0, 0)
        cursor.endEditBlock()
        self.moveCursor(QTextCursor.MoveOperation.Start)  # or it would be seen scrolled to its end

    def _go_on(self, table: QTextTable, lines: list[str], same: int) -> None:
        """Replace the rows after the first `same` lines."""
        scratch = QTextDocument()
        # With the header, because Qt's parser takes no rows for a table without one.
        new = self._read(scratch, lines[:HEAD_LINES] + lines[same:])
        kept = same - 1  # the rule below the header is a line but not a row
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if table.rows() > kept:
            table.removeRows(kept, table.rows() - kept)
        if new is not None and new.rows() > 1:
            table.appendRows(new.rows() - 1)
            self._copy_rows(new, table, 1, kept)
        cursor.endEditBlock()

    def _read(self, scratch: QTextDocument, lines: list[str]) -> QTextTable | None:
        """The table of these lines; it lives as long as `scratch`, into which it is read."""
        self._rich.read(scratch, "\n".join(lines))
        frames = scratch.rootFrame().childFrames()
        return next((frame for frame in frames if isinstance(frame, QTextTable)), None)

    def arrange(self, width: int) -> int:
        natural = self.natural_width()
        width = min(width, natural)
        # Wide enough that no cell wraps, up to a width where a cell full of prose may wrap after all.
        wanted = max(width, min(natural, self._columns() * theme.px(WIDEST_CELL)))
        self.setLineWrapColumnOrWidth(wanted)
        height = math.ceil(self.document().size().height())
        if wanted > width:
            height += self.horizontalScrollBar().sizeHint().height()
        self.resize(width, height)
        return height

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways here; up and down belongs to the transcript."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            # Past ProseView, which leaves every wheel to the transcript.
            super(ProseView, self).wheelEvent(event)
        else:
            event.ignore()

    def _columns(self) -> int:
        return self._table.columns() if self._table is not None else 1

    def _copy_rows(self, source: QTextTable, target: QTextTable, first: int, at: int) -> None:
        """Copy the rows of `source` from `first` on into `target` from row `at` on."""
        for row in range(first, source.rows()):
            for column in range(min(source.columns(), target.columns())):
                # Qt lays columns out from the left whatever the direction of the table.
                place = target.columns() - 1 - column if self.is_from_right else column
                cell = target.cellAt(at + row - first, place)
                # A cell of Markdown is one line, so its first block is all of it.
                words = source.cellAt(row, column).firstCursorPosition().block()
                start, alignment = cell.firstCursorPosition(), self._aligned[column]
                self._rich.append_line(start, words, alignment, bold=row == 0)
                cell.setFormat(self._cell_format(row > 0, OBJECT in start.block().text()))
        if self._rich.is_waiting:
            self._waiting.add(0)  # a table is one piece
        self._await_formulas()

    def _cell_format(self, has_line_above: bool, has_formula: bool) -> QTextTableCellFormat:
        format_ = QTextTableCellFormat()
        if has_line_above:
            format_.setTopBorder(1)
            format_.setTopBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            format_.setTopBorderBrush(theme.colour("hairline"))
        if has_formula:
            # The least height of a line adds room above words only; the formula is to stand where they do.
            above = theme.px(BODY_PX * LINE_HEIGHT) - QFontMetrics(self.document().defaultFont()).height()
            format_.setTopPadding(theme.px(CELL_PX) + max(above, 0))
        return format_

    def _table_format(self) -> QTextTableFormat:
        format_ = QTextTableFormat()
        format_.setBorder(0)
        format_.setBorderCollapse(False)
        format_.setCellPadding(theme.px(CELL_PX))
        format_.setCellSpacing(0)
        format_.setHeaderRowCount(1)
        return format_


def _alignments(rule: str, columns: int) -> list[Qt.AlignmentFlag]:
    """What the line below the header says; Qt gives the header's own cells no alignment."""
    right, centre, left = (
        Qt.AlignmentFlag.AlignRight,
        Qt.AlignmentFlag.AlignHCenter,
        Qt.AlignmentFlag.AlignLeft,
    )
    cells = [cell.strip() for cell in rule.strip().strip("|").split("|")]
    found = [(centre if cell.startswith(":") else right) if cell.endswith(":") else left for cell in cells]
    return (found + [left] * columns)[:columns]


def _equal_at_start(first: list[str], second: list[str]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
