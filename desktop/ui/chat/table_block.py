"""One table in a message; a wide one scrolls sideways in its own frame."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFontMetrics,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QWidget

from desktop.ui import theme
from desktop.ui.chat.formula_view import OBJECT
from desktop.ui.chat.rich_text import ProseView
from desktop.ui.language import reads_from_right, tr
from desktop.ui.theme import BODY_PX, LINE_HEIGHT

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
