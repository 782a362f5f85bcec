"""A piece of running text inside a message: selectable, never editable, never loading anything."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCursor,
    QTextFormat,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from desktop.ui.chat.links import is_allowed
from desktop.ui.chat.rich_text import RichText
from desktop.ui.language import tr
from desktop.ui.theme import BODY_PX, Theme

UNWRAPPED_PX = 16_000
WIDTH_AT_FIRST = 768  # until `arrange`; without one every letter would get a line of its own


class ProseView(QTextBrowser):
    """Shows pieces of markdown, or plain text. The owner gives the width; the height follows.

    `link_clicked` carries addresses with an allowed scheme only. Main thread only.
    """

    link_clicked = Signal(str)

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, size: float = BODY_PX, ink: str = "text"
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rich = RichText(theme)
        self._pieces: list[str] = []
        self._starts: list[int] = []  # where each piece begins in the document
        self._has_quotes = False
        self._look(theme, size)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, theme.colour(ink))
        self.setPalette(palette)
        self.anchorClicked.connect(self._on_anchor_clicked)

    def set_pieces(self, pieces: Sequence[str]) -> None:
        """Show markdown pieces; those that equal what is shown already are left alone."""
        same = 0
        for ours, theirs in zip(self._pieces, pieces, strict=False):
            if ours != theirs:
                break
            same += 1
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # one layout at the end
        self._cut(same)
        for piece in pieces[same:]:
            self._starts.append(self._end())
            self._rich.append(self.document(), piece)
            self._pieces.append(piece)
        cursor.endEditBlock()
        self._has_quotes = any(piece.lstrip().startswith(">") or "\n>" in piece for piece in self._pieces)

    def set_plain(self, text: str) -> None:
        """Show `text` exactly, without any markdown."""
        self.clear()
        self._rich.append_plain(self.document(), text)

    def arrange(self, width: int) -> int:
        """Take `width` and return the height that the text needs then."""
        # A fixed width, because a hidden QTextEdit does not follow its own size.
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)
        height = math.ceil(self.document().size().height())
        self.resize(width, height)
        return height

    def natural_width(self) -> int:
        """The width of the longest line, unwrapped."""
        self.setLineWrapColumnOrWidth(UNWRAPPED_PX)
        return math.ceil(self.document().idealWidth()) + 1

    def has_selection(self) -> bool:
        return self.textCursor().hasSelection()

    # -- Qt -----------------------------------------------------------------------------------

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        """Nothing is ever loaded for a text that a model wrote."""
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling belongs to the transcript."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copying and selecting here; every other key goes on to the message and the window."""
        if event.matches(QKeySequence.StandardKey.Copy) and self.has_selection():
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selectAll()
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._has_quotes:
            self._paint_quote_bars()

    # -- inside -------------------------------------------------------------------------------

    def _look(self, theme: Theme, size: float) -> None:
        self.setObjectName("message_text")
        self.setAccessibleName(tr("Message text"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setUndoRedoEnabled(False)
        self.viewport().setAutoFillBackground(False)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setLineWrapColumnOrWidth(theme.px(WIDTH_AT_FIRST))
        self.setFont(theme.font(size))
        document = self.document()
        document.setDefaultFont(theme.font(size))
        document.setDocumentMargin(0)
        document.setIndentWidth(theme.px(24))
        option = QTextOption(document.defaultTextOption())
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)

    def _end(self) -> int:
        document = self.document()
        return 0 if document.isEmpty() else document.characterCount() - 1

    def _cut(self, keep: int) -> None:
        """Remove all pieces from number `keep` on."""
        if keep >= len(self._pieces):
            return
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._starts[keep])
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        del self._pieces[keep:], self._starts[keep:]

    def _paint_quote_bars(self) -> None:
        painter = QPainter(self.viewport())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("control_border"))
        layout = self.document().documentLayout()
        block = self.document().begin()
        while block.isValid():
            level = block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel)
            if level:
                box = layout.blockBoundingRect(block)
                from_right = block.textDirection() == Qt.LayoutDirection.RightToLeft
                left = self.viewport().width() - self._theme.px(3) if from_right else 0
                painter.drawRect(QRectF(left, box.top() + self._theme.px(4), self._theme.px(3), box.height()))
            block = block.next()
        painter.end()

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if is_allowed(url.toString()):
            self.link_clicked.emit(url.toString())
