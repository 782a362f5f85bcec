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

from desktop.ui.chat.prose import ProseView
from desktop.ui.chat.rich_text import FEATURES, RichText
from desktop.ui.theme import Theme

WIDEST_CELL = 320


class TableBlock(QFrame):
    """A frame around a table. The owner gives the width. Main thread only."""

    def __init__(self, theme: Theme, source: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._source = ""
        self.setObjectName("table_block")
        self.view = _TableView(theme, self)
        self.link_clicked = self.view.link_clicked
        self.set_source(source)

    def set_source(self, source: str) -> None:
        """Show the table written in `source`."""
        if source != self._source:
            self._source = source
            self.view.show_table(source)

    def arrange(self, width: int) -> int:
        """Take `width` and return the height."""
        pad = self._theme.px(8)
        height = self.view.arrange(width - 2 * pad)
        self.view.move(pad, pad)
        self.resize(width, height + 2 * pad)
        return height + 2 * pad

    def has_selection(self) -> bool:
        return self.view.has_selection()


class _TableView(ProseView):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(theme, parent)
        self.setAccessibleName("Table")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def show_table(self, source: str) -> None:
        scratch = QTextDocument()
        scratch.setMarkdown(source, FEATURES)
        self.clear()
        table = next((f for f in scratch.rootFrame().childFrames() if isinstance(f, QTextTable)), None)
        if table is None:
            self.set_pieces([source])
        else:
            self._copy_table(table)
            self.moveCursor(QTextCursor.MoveOperation.Start)  # or it would be seen scrolled to its end

    def arrange(self, width: int) -> int:
        natural = self.natural_width()
        wanted = max(width, min(natural, self._columns() * self._theme.px(WIDEST_CELL)))
        self.setLineWrapColumnOrWidth(wanted)
        height = math.ceil(self.document().size().height())
        if wanted > width:
            height += self.horizontalScrollBar().sizeHint().height()
        self.resize(width, height)
        return height

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Sideways here; up and down belongs to the transcript."""
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super(ProseView, self).wheelEvent(event)
        else:
            event.ignore()

    def _columns(self) -> int:
        frames = self.document().rootFrame().childFrames()
        return max((f.columns() for f in frames if isinstance(f, QTextTable)), default=1)

    def _copy_table(self, source: QTextTable) -> None:
        cursor = QTextCursor(self.document())
        table = cursor.insertTable(source.rows(), source.columns(), self._table_format())
        rich = RichText(self._theme)
        for row in range(source.rows()):
            for column in range(source.columns()):
                theirs, ours = source.cellAt(row, column), table.cellAt(row, column)
                # The header's cells do not carry the alignment of their column.
                aligned = source.cellAt(min(1, source.rows() - 1), column)
                alignment = aligned.firstCursorPosition().blockFormat().alignment()
                rich.append_line(
                    ours.firstCursorPosition(), theirs.firstCursorPosition().block(), alignment, bold=row == 0
                )
                if row + 1 < source.rows():
                    ours.setFormat(self._underlined())

    def _underlined(self) -> QTextTableCellFormat:
        format_ = QTextTableCellFormat()
        format_.setBottomBorder(1)
        format_.setBottomBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        format_.setBottomBorderBrush(self._theme.colour("hairline"))
        return format_

    def _table_format(self) -> QTextTableFormat:
        format_ = QTextTableFormat()
        format_.setBorder(0)
        format_.setBorderCollapse(False)
        format_.setCellPadding(self._theme.px(6))
        format_.setCellSpacing(0)
        format_.setHeaderRowCount(1)
        return format_
