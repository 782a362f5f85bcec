"""The text field of the composer: Enter sends, files and pictures that are pasted or dropped go along."""

from __future__ import annotations

import math
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QImage, QInputMethodEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from desktop.ui.language import tr
from desktop.ui.mirroring import from_its_side, is_mirrored

LONGEST_PASTE = 2_000  # characters; what is longer becomes a chip
CURSOR_PX = 1  # room for the cursor at the right edge


class ComposerText(QPlainTextEdit):
    """Enter sends unless an input method is composing. Main thread only."""

    send_pressed = Signal()
    escape_pressed = Signal()
    recall_pressed = Signal()
    long_text_pasted = Signal(str)
    files_given = Signal(list)  # of Path, pasted or dropped
    picture_given = Signal(QImage)
    focus_moved = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._composing = False
        self._prompt = ""
        self.setObjectName("composer_text")
        self.setAccessibleName(tr("Message to Steward"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(CURSOR_PX)
        self.setProperty("ring_on_parent", True)
        self.textChanged.connect(self._begin_at_its_side)
        self.setPlaceholderText(tr("Ask anything…"))
        self._begin_at_its_side()

    def setPlaceholderText(self, text: str) -> None:
        """What stands there in grey, also from the right."""
        self._prompt = text
        super().setPlaceholderText(from_its_side(self, text) if text else "")

    def set_font(self, font: QFont) -> None:
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.viewport().setFont(font)  # the placeholder is drawn in this one

    def wanted_height(self, width: int) -> int:
        """The height of all lines at `width`."""
        if self.width() != width:
            self.resize(width, self.height())
        lines = max(1, int(self.document().size().height()))
        return math.ceil(lines * self.fontMetrics().lineSpacing()) + 2 + 2 * CURSOR_PX

    def sizeHint(self) -> QSize:
        return QSize(200, self.wanted_height(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.fontMetrics().lineSpacing() + 2 + 2 * CURSOR_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if self._composing:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not shifted:
            self.send_pressed.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        elif event.key() == Qt.Key.Key_Up and self.document().isEmpty():
            self.recall_pressed.emit()
        else:
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return takes(source) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Plain text, files and pictures; a long text becomes a chip, so that the box stays light."""
        if not self.take_along(source):
            self.insertPlainText(source.text())

    def take_along(self, source: QMimeData) -> bool:
        """Hand over what goes along with the message; False for text that belongs into the box."""
        files = files_in(source)
        if files:
            self.files_given.emit(files)
        elif source.hasImage() and not source.text().strip():
            self.picture_given.emit(QImage(source.imageData()))
        elif len(source.text()) > LONGEST_PASTE:
            self.long_text_pasted.emit(source.text())
        else:
            return False
        return True

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LayoutDirectionChange:
            self.setPlaceholderText(self._prompt)
            self._begin_at_its_side()

    def _begin_at_its_side(self) -> None:
        """Words stand at the side of their letters, which Qt leaves out here; the first ones decide."""
        first = self.document().firstBlock()
        empty, right = self.document().isEmpty(), Qt.LayoutDirection.RightToLeft
        from_the_right = is_mirrored(self) if empty else first.textDirection() == right
        wanted = Qt.AlignmentFlag.AlignRight if from_the_right else Qt.AlignmentFlag.AlignLeft
        option = self.document().defaultTextOption()
        if option.alignment() != wanted:
            option.setAlignment(wanted)
            self.document().setDefaultTextOption(option)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_moved.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._composing = False
        self.focus_moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()


def takes(source: QMimeData) -> bool:
    """Whether something in it can go along with a message."""
    return bool(files_in(source)) or source.hasImage() or source.hasText()


def files_in(source: QMimeData) -> list[Path]:
    """The files of this computer that are pasted or dropped; addresses of pages are text."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile() and url.toLocalFile()]
