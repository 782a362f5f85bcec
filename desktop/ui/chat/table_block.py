"""One table in a message; a wide one scrolls sideways in its own frame."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import (
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
from desktop.ui.chat.latex import readable
from desktop.ui.chat.rich_text import FEATURES, ProseView, RichText
from desktop.ui.language import tr

WIDEST_CELL = 320
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
        self.resize(width, height + 2 * pad)
        return height + 2 * pad

    def has_selection(self) -> bool:
        return self.view.has_selection()


class _TableView(ProseView):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._lines: list[str] = []
        self._table: QTextTable | None = None
        self._aligned: list[Qt.AlignmentFlag] = []  # by column
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

    def _begin(self, lines: list[str]) -> None:
        self.clear()
        self._table = None
        scratch = QTextDocument()
        table = _read(scratch, "\n".join(lines))
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
        new = _read(scratch, "\n".join(lines[:HEAD_LINES] + lines[same:]))
        kept = same - 1  # the rule below the header is a line but not a row
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if table.rows() > kept:
            table.removeRows(kept, table.rows() - kept)
        if new is not None and new.rows() > 1:
            table.appendRows(new.rows() - 1)
            self._copy_rows(new, table, 1, kept)
        cursor.endEditBlock()

    def arrange(self, width: int) -> int:
        natural = self.natural_width()
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
        rich, line_above = RichText(), self._line_above()
        for row in range(first, source.rows()):
            for column in range(min(source.columns(), target.columns())):
                cell = target.cellAt(at + row - first, column)
                # A cell of Markdown is one line, so its first block is all of it.
                words = source.cellAt(row, column).firstCursorPosition().block()
                rich.append_line(cell.firstCursorPosition(), words, self._aligned[column], bold=row == 0)
                if row:
                    cell.setFormat(line_above)

    def _line_above(self) -> QTextTableCellFormat:
        format_ = QTextTableCellFormat()
        format_.setTopBorder(1)
        format_.setTopBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        format_.setTopBorderBrush(theme.colour("hairline"))
        return format_

    def _table_format(self) -> QTextTableFormat:
        format_ = QTextTableFormat()
        format_.setBorder(0)
        format_.setBorderCollapse(False)
        format_.setCellPadding(theme.px(6))
        format_.setCellSpacing(0)
        format_.setHeaderRowCount(1)
        return format_


def _read(scratch: QTextDocument, source: str) -> QTextTable | None:
    """The table of these lines; it lives as long as `scratch`, into which it is read."""
    scratch.setMarkdown(readable(source), FEATURES)
    frames = scratch.rootFrame().childFrames()
    return next((frame for frame in frames if isinstance(frame, QTextTable)), None)


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
