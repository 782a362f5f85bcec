"""Formulas in a QTextDocument: one object each, drawn from its outline in the colour of the words around it.

Outlines come from a child process (`desktop.chat.formulas`). Until one is there, and where there is none, the
formula is shown as Unicode. Main thread only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import structlog
from PySide6.QtCore import QObject, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from shiboken6 import isValid

from desktop.chat.latex import Formula, unicode_of
from desktop.qt.background import Background
from desktop.ui.chat.markdown import utf16_length

if TYPE_CHECKING:
    from desktop.chat.formulas import Outline, Outlines

log = structlog.get_logger(__name__)

OBJECT = "\ufffc"  # what stands in the text for an object
EM = 20.0  # units of an outline that make one em
_TYPE = QTextFormat.ObjectTypes.UserObject.value + 1
_WRITTEN = QTextFormat.Property.UserProperty.value + 1
_READ = _WRITTEN + 1
# Letters of the font of formulas are lower than those of most fonts for reading.
_AGAINST_WORDS = 1.15
_STEP = re.compile(r"([MLQCZ])([^MLQCZ]*)")


class FormulaDrawing(QObject):
    """Asks for outlines, many at once, and tells when there are new ones."""

    drawn = Signal()
    _valid: ClassVar[FormulaDrawing | None] = None

    def __init__(self, make_outlines: Callable[[], Outlines], background: Background) -> None:
        super().__init__(background)
        # One for the program, as the theme is: the texts that show formulas are made deep inside messages.
        FormulaDrawing._valid = self
        self._make_outlines = make_outlines
        self._background = background
        self._wanted: dict[Formula, None] = {}
        # What was asked for. Its outlines count when `drawn` is told, not when another thread has them.
        self._asked: frozenset[Formula] = frozenset()

    @cached_property
    def outlines(self) -> Outlines:
        """What is known and the way to more, for other threads."""
        return self._make_outlines()

    def outline(self, formula: Formula) -> Outline | None:
        """The drawing of a formula; None where there is none, or none yet: then `drawn` comes later."""
        if formula in self._asked:
            return None
        if not self.outlines.is_known(formula):
            self._wanted[formula] = None
            self._ask()
            return None
        return self.outlines.of(formula)

    def is_waited_for(self, formula: Formula) -> bool:
        """Whether there may be an outline later."""
        return formula in self._wanted or formula in self._asked

    def _ask(self) -> None:
        # One child at a time: what is asked for meanwhile goes together into the next.
        if self._asked or not self._wanted:
            return
        self._asked = frozenset(self._wanted)
        self._wanted.clear()
        self._background.run(self.outlines.draw, self._asked, done=self._on_drawn, failed=self._on_failed)

    def _on_drawn(self, _nothing: None) -> None:
        self._asked = frozenset()
        self.drawn.emit()
        self._ask()

    def _on_failed(self, error: Exception) -> None:
        # `_asked` stays: where no child can be started formulas are text, and nothing is tried any more.
        log.warning("formulas are shown as text", error=str(error))


def draw_formulas(make_outlines: Callable[[], Outlines], background: Background) -> None:
    """Have formulas drawn from here on; `make_outlines` is asked with the first one."""
    if drawing() is None:
        FormulaDrawing(make_outlines, background)


def drawing() -> FormulaDrawing | None:
    """What draws formulas now; None where nothing does."""
    valid = FormulaDrawing._valid
    return valid if valid is not None and isValid(valid) else None


class FormulaObjects(QPyTextObject):
    """Measures and draws the formulas of one document."""

    def __init__(self, document: QTextDocument, ink: Callable[[], QColor], dots: float = 1.0) -> None:
        """`ink` is the colour of words that have none of their own; `dots` how many of the paper's make one
        of those in which Qt keeps margins."""
        super().__init__(document)
        self._outlines: dict[str, tuple[Outline, QPainterPath]] = {}
        self._ink = ink
        self._dots = dots
        document.documentLayout().registerHandler(_TYPE, self)

    def format_of(self, formula: Formula, outline: Outline, words: QTextCharFormat) -> QTextCharFormat:
        """The format with which `OBJECT` is to be inserted; `words` is that of words at its place."""
        self._outlines.setdefault(formula.written, (outline, path_of(outline)))
        format_ = QTextCharFormat(words)
        format_.setObjectType(_TYPE)
        format_.setProperty(_WRITTEN, formula.written)
        format_.setProperty(_READ, unicode_of(formula.source))
        # Qt's way to place an object by its middle, which leaves room below the base line (see `_box`).
        format_.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
        return format_

    def intrinsicSize(self, document: QTextDocument, position: int, format_: QTextFormat) -> QSizeF:
        found = self._outlines.get(str(format_.property(_WRITTEN)))
        if found is None:
            return QSizeF()
        outline, _ = found
        font = format_.toCharFormat().font()
        size = _size(document, position, outline, font, self._dots)
        return QSizeF(outline.width * size, _box_height(outline, size, font))

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        document: QTextDocument,
        position: int,
        format_: QTextFormat,
    ) -> None:
        found = self._outlines.get(str(format_.property(_WRITTEN)))
        if found is None:
            return
        outline, path = found
        words = format_.toCharFormat()
        size = _size(document, position, outline, words.font(), self._dots)
        has_colour = words.foreground().style() != Qt.BrushStyle.NoBrush
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(rect.left() - outline.left * size, _base_line(document, position, QRectF(rect)))
        painter.scale(size / EM, size / EM)
        painter.fillPath(path, words.foreground().color() if has_colour else self._ink())
        painter.restore()


def written_in(document: QTextDocument, start: int, end: int, is_read: bool = False) -> str:
    """The text between two positions with each formula as it was written, or as it reads (`is_read`)."""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    text = cursor.selectedText().replace("\u2029", "\n").replace("\u2028", "\n")
    if OBJECT not in text:
        return text
    parts = text.split(OBJECT)
    whole = parts[0]
    # Qt counts UTF-16 units, in which a letter may take two places.
    at = start
    for before, part in pairwise(parts):
        at += utf16_length(before)
        cursor.setPosition(at + 1)
        whole += str(cursor.charFormat().property(_READ if is_read else _WRITTEN) or "") + part
        at += 1
    return whole


def path_of(outline: Outline) -> QPainterPath:
    """All of a drawing as one shape, in units of which `EM` make one em."""
    path = _path(outline.filled)
    for drawn, width in outline.drawn:
        stroker = QPainterPathStroker()
        stroker.setWidth(width)
        path.addPath(stroker.createStroke(_path(drawn)))
    path.setFillRule(Qt.FillRule.WindingFill)
    return path


def _path(steps: str) -> QPainterPath:
    """A path from the steps that SVG writes; those with too few numbers are left out."""
    path = QPainterPath()
    for letter, written in _STEP.findall(steps):
        numbers = [float(number) for number in written.replace(",", " ").split()]
        if letter == "M" and len(numbers) == 2:
            path.moveTo(*numbers)
        elif letter == "L" and len(numbers) == 2:
            path.lineTo(*numbers)
        elif letter == "Q" and len(numbers) == 4:
            path.quadTo(*numbers)
        elif letter == "C" and len(numbers) == 6:
            path.cubicTo(*numbers)
        elif letter == "Z":
            path.closeSubpath()
    return path


def _size(document: QTextDocument, position: int, outline: Outline, font: QFont, dots: float) -> float:
    """Pixels of one em: as the words around, less where the line is too short for the formula."""
    size = font.pixelSize() * _AGAINST_WORDS
    block = document.findBlock(position)
    indent = block.textList().format().indent() * document.indentWidth() if block.textList() else 0.0
    paper = document.rootFrame().frameFormat()
    margins = paper.leftMargin() + paper.rightMargin() + block.blockFormat().leftMargin()
    room = document.textWidth() - (margins + indent) * dots
    # In the cell of a table the width is not known yet; there a wide formula makes the column wide.
    if QTextCursor(block).currentTable() is not None or room <= 0:
        return size
    return min(size, room / outline.width)


def _box_height(outline: Outline, size: float, font: QFont) -> float:
    """Of the box that Qt is to place by its middle.

    Of a box of height h and letters x high, (h + x/2)/2 stand above the base line. It has to be as high as
    both the part above and the part below ask for.
    """
    half = QFontMetrics(font).xHeight() / 2
    return max(2 * outline.ascent * size - half, 2 * outline.descent * size + half, 1.0)


def _base_line(document: QTextDocument, position: int, rect: QRectF) -> float:
    """Where words in the line of `rect` stand; Qt puts the box into the middle of the line instead."""
    block = document.findBlock(position)
    line = block.layout().lineForTextPosition(position - block.position())
    above = line.ascent() + max(line.leading(), 0.0) if line.isValid() else rect.height()
    height = line.height() if line.isValid() else rect.height()
    return rect.center().y() - height / 2 + above
