"""Markdown into a QTextDocument, with nothing loaded and nothing interpreted but markdown.

Qt's parser reads the text into a scratch document that is never laid out; from there only words and the
formats listed here are copied. Raw HTML is shown as text, an image becomes its description, a link whose
scheme is not allowed becomes plain words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from PySide6.QtCore import QMimeData, QPointF, QRectF, QSizeF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextList,
    QTextListFormat,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from desktop.chat.latex import MARKS, Formula, number_of, unicode_of, with_marks
from desktop.ui import theme
from desktop.ui.chat.formula_view import OBJECT, FormulaObjects, drawing, written_in
from desktop.ui.language import tr
from desktop.ui.permission.visible import plain_tip
from desktop.ui.theme import BODY_PX, LINE_HEIGHT, MONO_PX
from desktop.ui.widgets.layout import named

FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_PROPERTY = QTextFormat.Property
HEADING_PX = {1: 20.0, 2: 17.0, 3: 15.0}
_TASK = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s", re.MULTILINE)
_LINE_END = "\u2028"
_ENDS_FORMULA = re.compile(r"[.,;:!?]")
DEEPEST_INDENT = 6  # deeper lists and quotations stay readable at this depth


# By the index of the list in the scratch document, and whether its items are tasks.
ListMap = dict[tuple[int, bool], QTextList]
TASK = QTextFormat.Property.UserProperty.value + 8  # of a block: a task, and whether it is done


class RichText:
    """Writes markdown at the end of a document in the fonts and colours of a theme. Main thread only."""

    def __init__(self, objects: FormulaObjects | None = None) -> None:
        """Without `objects` formulas are Unicode."""
        self._objects = objects
        self._formulas: list[Formula] = []
        self._after_display = False  # what comes next begins a line
        self.is_waiting = False  # a formula that was appended may be drawn later
        self._link = theme.colour("link")
        self._rule = theme.colour("hairline")
        self._code_surface = theme.colour("surface_2")
        self._mono_families = theme.mono_font().families()

    def append(self, document: QTextDocument, markdown: str) -> None:
        """Add `markdown` after what is there."""
        # Formats are copied one by one and not taken over: what Qt's parser may add in a later version
        # stays out.
        scratch = QTextDocument()
        self.read(scratch, markdown)
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        # Blocks of a list lie apart in the document; the index tells which of them belong together.
        lists: ListMap = {}
        first = document.isEmpty()
        block = scratch.begin()
        while block.isValid():
            self._append_block(cursor, block, first, lists)
            first = False
            block = block.next()

    def read(self, scratch: QTextDocument, markdown: str) -> None:
        """Fill `scratch`, whose blocks are to be appended next: its formulas are remembered until then."""
        text, self._formulas = with_marks(markdown)
        self.is_waiting = self._after_display = False
        scratch.setMarkdown(text, FEATURES)

    def append_plain(self, document: QTextDocument, text: str) -> None:
        """Add `text` as it is, line by line."""
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        format_ = QTextBlockFormat()
        self._set_line_height(format_, BODY_PX)
        cursor.setBlockFormat(format_)
        cursor.insertText(text)

    def append_line(
        self, cursor: QTextCursor, block: QTextBlock, alignment: Qt.AlignmentFlag, bold: bool = False
    ) -> None:
        """Add the words of one block of another document at `cursor`, which may be in a table's cell."""
        format_ = QTextBlockFormat()
        format_.setAlignment(alignment)
        self._set_line_height(format_, BODY_PX)
        cursor.setBlockFormat(format_)
        iterator = block.begin()
        while not iterator.atEnd():
            self._append_fragment(cursor, iterator.fragment(), 0, False, bold)
            iterator += 1

    # -- blocks -------------------------------------------------------------------------------

    def _append_block(self, cursor: QTextCursor, block: QTextBlock, first: bool, lists: ListMap) -> None:
        format_ = self._block_format(block, first)
        if first:
            cursor.setBlockFormat(format_)
        else:
            cursor.insertBlock(format_, QTextCharFormat())
        self._after_display = False
        if source := block.textList():
            self._join_list(cursor, source, lists)
        heading = block.blockFormat().headingLevel()
        is_code = (
            block.blockFormat().hasProperty(_PROPERTY.BlockCodeFence)
            or block.blockFormat().nonBreakableLines()
        )
        iterator = block.begin()
        while not iterator.atEnd():
            self._append_fragment(cursor, iterator.fragment(), heading, is_code)
            iterator += 1

    def _block_format(self, block: QTextBlock, first: bool) -> QTextBlockFormat:
        source = block.blockFormat()
        heading = source.headingLevel()
        format_ = QTextBlockFormat()
        size = HEADING_PX.get(heading, BODY_PX)
        self._set_line_height(format_, size)
        if not first:
            format_.setTopMargin(theme.px(self._space_above(block, heading)))
        if heading:
            format_.setHeadingLevel(heading)
        if quote := _quote_level(source):
            format_.setProperty(_PROPERTY.BlockQuoteLevel, quote)
            from_right = block.textDirection() == Qt.LayoutDirection.RightToLeft
            # Block margins do not follow the direction of the text.
            set_margin = format_.setRightMargin if from_right else format_.setLeftMargin
            set_margin(theme.px(16) * min(quote, DEEPEST_INDENT))
        # Qt draws a rule in the colour of the text; a block one pixel high in our hairline stands for it.
        if source.hasProperty(_PROPERTY.BlockTrailingHorizontalRulerWidth):
            format_.setProperty(_PROPERTY.BlockTrailingHorizontalRulerWidth, 1)
            format_.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
            format_.setBackground(self._rule)
        # Qt's reader leaves the mark of the last task on the quotation that follows its list.
        if block.textList() and source.marker() != QTextBlockFormat.MarkerType.NoMarker:
            format_.setProperty(TASK, source.marker() == QTextBlockFormat.MarkerType.Checked)
        return format_

    def _space_above(self, block: QTextBlock, heading: int) -> int:
        if heading:
            return 20 if heading < 3 else 16
        if block.textList() and block.previous().isValid() and block.previous().textList():
            return 4
        if block.previous().isValid() and block.previous().blockFormat().headingLevel():
            return 8
        return 12

    def _set_line_height(self, format_: QTextBlockFormat, size: float) -> None:
        # A minimum, not a fixed height: an emoji or a fallback font may be taller than the line.
        height = theme.px(size * (LINE_HEIGHT if size <= BODY_PX else 1.3))
        format_.setLineHeight(height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)

    def _join_list(self, cursor: QTextCursor, source: QTextList, lists: ListMap) -> None:
        is_task = cursor.blockFormat().hasProperty(TASK)
        # One list in Qt numbers its blocks by itself, also across the paragraphs between them.
        if (ours := lists.get((source.objectIndex(), is_task))) is not None:
            ours.add(cursor.block())
            return
        format_ = QTextListFormat()
        # Qt's own box for what is done holds an X, which means the opposite to many; ours is painted.
        undefined = QTextListFormat.Style.ListStyleUndefined
        format_.setStyle(undefined if is_task else source.format().style())
        format_.setIndent(min(source.format().indent(), DEEPEST_INDENT))
        format_.setStart(source.format().start())
        format_.setNumberSuffix(source.format().numberSuffix())
        lists[source.objectIndex(), is_task] = cursor.createList(format_)

    # -- words --------------------------------------------------------------------------------

    def _append_fragment(
        self, cursor: QTextCursor, fragment: QTextFragment, heading: int, is_code: bool, bold: bool = False
    ) -> None:
        source = fragment.charFormat()
        format_ = QTextCharFormat()
        text = fragment.text()
        if source.isImageFormat():
            text = _words_of_image(source)
        if heading:
            self._make_heading(format_, heading)
        if is_code or _is_code(source):
            self._make_code(format_)
        if bold:
            format_.setFontWeight(QFont.Weight.DemiBold)
        _copy_emphasis(source, format_, heading)
        # A picture is never fetched: the address alone would tell its owner that the answer was read. It
        # can be clicked.
        address = source.toImageFormat().name() if source.isImageFormat() else source.anchorHref()
        # What is not allowed stays as words, so that nothing of the answer is lost.
        if address and is_allowed(address):
            self._make_link(format_, address)
        if not self._formulas:
            cursor.insertText(text, format_)
            return
        at = 0
        for mark in MARKS.finditer(text):
            self._insert_words(cursor, text[at : mark.start()], format_)
            self._insert_formula(cursor, self._formulas[number_of(mark.group())], format_)
            at = mark.end()
        self._insert_words(cursor, text[at:], format_)

    # -- formulas -----------------------------------------------------------------------------

    def _insert_words(self, cursor: QTextCursor, text: str, format_: QTextCharFormat) -> None:
        if self._after_display and text:
            # "…\\]," : the comma belongs to the formula.
            mark = _ENDS_FORMULA.match(text)
            cursor.insertText(mark.group() if mark else "", format_)
            text = text[mark.end() :].lstrip() if mark else text.lstrip()
            if text:
                self._begin_line(cursor)
        cursor.insertText(text, format_)

    def _insert_formula(self, cursor: QTextCursor, formula: Formula, format_: QTextCharFormat) -> None:
        if formula.display and cursor.currentTable() is None:
            if self._after_display or not cursor.atBlockStart():
                self._begin_line(cursor)
            if cursor.currentList() is None:
                centred = cursor.blockFormat()
                centred.setAlignment(Qt.AlignmentFlag.AlignHCenter)
                cursor.setBlockFormat(centred)
            self._after_display = True
        elif self._after_display:
            self._begin_line(cursor)
        shown = drawing() if self._objects is not None else None
        outline = shown.outline(formula) if shown is not None else None
        if outline is not None and self._objects is not None:
            cursor.insertText(OBJECT, self._objects.format_of(formula, outline, _with_font(cursor, format_)))
            return
        self.is_waiting = self.is_waiting or (shown is not None and shown.is_waited_for(formula))
        cursor.insertText(unicode_of(formula.source).replace("\n", _LINE_END), format_)

    def _begin_line(self, cursor: QTextCursor) -> None:
        """Within an item of a list in the same block, because another block would be another item."""
        self._after_display = False
        if cursor.currentList() is not None:
            cursor.insertText(_LINE_END)
            return
        format_ = cursor.blockFormat()
        format_.setAlignment(Qt.AlignmentFlag(0))
        format_.setTopMargin(theme.px(8))
        cursor.insertBlock(format_, QTextCharFormat())

    def _make_heading(self, format_: QTextCharFormat, level: int) -> None:
        font = theme.font(HEADING_PX.get(level, BODY_PX), bold=True)
        format_.setProperty(_PROPERTY.FontPixelSize, font.pixelSize())
        format_.setFontWeight(QFont.Weight.DemiBold)

    def _make_code(self, format_: QTextCharFormat) -> None:
        format_.setFontFamilies(self._mono_families)
        format_.setProperty(_PROPERTY.FontPixelSize, theme.px(MONO_PX))
        format_.setBackground(self._code_surface)

    def _make_link(self, format_: QTextCharFormat, address: str) -> None:
        format_.setAnchor(True)
        format_.setAnchorHref(address)
        # The words of a link are the model's; where it leads has to be seen before the click.
        format_.setToolTip(plain_tip(address))
        format_.setForeground(self._link)
        format_.setFontUnderline(True)


def _with_font(cursor: QTextCursor, format_: QTextCharFormat) -> QTextCharFormat:
    """`format_` with all of its font: an object does not inherit what the document has."""
    font = QFont(cursor.document().defaultFont())
    if format_.hasProperty(_PROPERTY.FontPixelSize):
        font.setPixelSize(int(format_.property(_PROPERTY.FontPixelSize)))
    words = QTextCharFormat(format_)
    words.setFont(font)
    return words


def _copy_emphasis(source: QTextCharFormat, format_: QTextCharFormat, heading: int) -> None:
    if source.fontWeight() > QFont.Weight.Normal and not heading:
        format_.setFontWeight(QFont.Weight.Bold)
    if source.fontItalic():
        format_.setFontItalic(True)
    if source.fontStrikeOut():
        format_.setFontStrikeOut(True)


def _is_code(format_: QTextCharFormat) -> bool:
    families = format_.fontFamilies()
    # The only trace that code within a line leaves in Qt's document.
    return bool(families) and "monospace" in families


def _words_of_image(format_: QTextCharFormat) -> str:
    described = format_.property(_PROPERTY.ImageAltText)
    return tr("[image: {described}]", described=described) if described else "[image]"


def _quote_level(format_: QTextBlockFormat) -> int:
    level = format_.property(_PROPERTY.BlockQuoteLevel)
    return int(level) if level else 0


UNWRAPPED_PX = 16_000
WIDTH_AT_FIRST = 768  # until `arrange`; without one every letter would get a line of its own


class ProseView(QTextBrowser):
    """Shows pieces of markdown, or plain text. The owner gives the width; the height follows.

    `link_clicked` carries addresses with an allowed scheme only. Main thread only.
    """

    link_clicked = Signal(str)
    resized = Signal()  # another height is needed

    def __init__(self, parent: QWidget | None = None, size: float = BODY_PX, ink: str = "text") -> None:
        super().__init__(parent)
        ink_colour = theme.colour(ink)
        self._rich = RichText(FormulaObjects(self.document(), lambda: ink_colour))
        self._follows_drawing = False
        self._waiting: set[int] = set()  # the pieces with formulas that may be drawn later
        self._pieces: list[str] = []
        self._starts: list[int] = []  # where each piece begins in the document
        self._has_quotes = self._has_tasks = False
        self._look(size)
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
            if self._rich.is_waiting:
                self._waiting.add(len(self._pieces))
            self._pieces.append(piece)
        cursor.endEditBlock()
        self._await_formulas()
        self._has_quotes = any(piece.lstrip().startswith(">") or "\n>" in piece for piece in self._pieces)
        self._has_tasks = any(_TASK.search(piece) for piece in self._pieces)

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
        # So wide that no line wraps: QTextDocument tells its ideal width only after a layout.
        self.setLineWrapColumnOrWidth(UNWRAPPED_PX)
        return math.ceil(self.document().idealWidth()) + 1

    def has_selection(self) -> bool:
        return self.textCursor().hasSelection()

    def selected_text(self) -> str:
        """What is selected, with formulas as they were written."""
        cursor = self.textCursor()
        return written_in(self.document(), cursor.selectionStart(), cursor.selectionEnd())

    def words_shown(self) -> str:
        """The whole text with formulas as they read, for those who hear it."""
        return written_in(self.document(), 0, self.document().characterCount() - 1, is_read=True)

    # -- Qt -----------------------------------------------------------------------------------

    def createMimeDataFromSelection(self) -> QMimeData:
        """Formulas go along as words: other programs could show only a hole."""
        text = self.selected_text()
        if text == self.textCursor().selection().toPlainText():
            return super().createMimeDataFromSelection()
        data = QMimeData()
        data.setText(text)
        return data

    def loadResource(self, _kind: int, _name: QUrl | str) -> object:
        """Load nothing, ever, for a text that a model wrote."""
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
        if self._has_tasks:
            self._paint_tasks()

    # -- inside -------------------------------------------------------------------------------

    def _look(self, size: float) -> None:
        named(self, "message_text", tr("Message text"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # QTextBrowser would follow a link by itself, and load what it finds into this widget.
        self.setOpenLinks(False)
        # Selecting is for the mouse; by keyboard one copies the message as a whole.
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
        # Each paragraph by its own first letter: answers mix Hebrew or Arabic with English.
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        # A path or a hash of two hundred characters must not widen the column.
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
        self._waiting = {number for number in self._waiting if number < keep}

    def _await_formulas(self) -> None:
        shown = drawing()
        has_formulas = OBJECT in self.document().toPlainText()
        self.setAccessibleDescription(self.words_shown() if has_formulas else "")
        if self._waiting and shown is not None and not self._follows_drawing:
            self._follows_drawing = True
            shown.drawn.connect(self._on_drawn)

    def _on_drawn(self) -> None:
        if self._waiting:
            self._show_again()
            self.resized.emit()

    def _show_again(self) -> None:
        """From the first piece on in which a formula may be drawn now."""
        pieces = list(self._pieces)
        self._cut(min(self._waiting))
        self.set_pieces(pieces)

    def _paint_quote_bars(self) -> None:
        painter = QPainter(self.viewport())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("control_border"))
        layout = self.document().documentLayout()
        block = self.document().begin()
        while block.isValid():
            level = block.blockFormat().property(QTextFormat.Property.BlockQuoteLevel)
            if level:
                box = layout.blockBoundingRect(block)
                from_right = block.textDirection() == Qt.LayoutDirection.RightToLeft
                left = self.viewport().width() - theme.px(3) if from_right else 0
                painter.drawRect(QRectF(left, box.top() + theme.px(4), theme.px(3), box.height()))
            block = block.next()
        painter.end()

    def _paint_tasks(self) -> None:
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side, gap, letters = theme.px(14), theme.px(6), self.fontMetrics().capHeight()
        block = self.document().begin()
        while block.isValid():
            is_done = block.blockFormat().property(TASK)
            if is_done is not None and block.layout().lineCount():
                line = block.layout().lineAt(0)
                from_right = block.textDirection() == Qt.LayoutDirection.RightToLeft
                x = line.x() + line.width() + gap if from_right else line.x() - gap - side
                # Beside the letters, wherever a taller formula puts them in the line.
                y = line.y() + max(line.leading(), 0.0) + line.ascent() - (letters + side) / 2
                box = QRectF(QPointF(x, y) + block.layout().position(), QSizeF(side, side))
                _paint_box(painter, box, bool(is_done))
            block = block.next()
        painter.end()

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if is_allowed(url.toString()):
            self.link_clicked.emit(url.toString())


def _paint_box(painter: QPainter, box: QRectF, is_done: bool) -> None:
    """The box of a task: empty, or filled with a tick."""
    pen = QPen(theme.colour("accent" if is_done else "control_border"), theme.px(1.5))
    painter.setPen(pen)
    painter.setBrush(theme.colour("accent") if is_done else Qt.BrushStyle.NoBrush)
    radius = theme.px(3)
    painter.drawRoundedRect(box, radius, radius)
    if is_done:
        painter.setPen(QPen(theme.colour("on_accent"), theme.px(2)))
        side = box.width()
        tick = ((0.22, 0.52), (0.43, 0.72), (0.78, 0.3))
        painter.drawPolyline([box.topLeft() + QPointF(across * side, down * side) for across, down in tick])


ALLOWED_SCHEMES = frozenset({"http", "https", "mailto"})


def is_allowed(address: str) -> bool:
    """Whether a click on `address` may open the system's browser or mail program.

    Everything else (file, javascript, data, the handlers of other programs) is refused: the text comes from
    a model and may have been planted.
    """
    # Strict, because the tolerant parser mends what was written into something that the user did not see.
    url = QUrl(address, QUrl.ParsingMode.StrictMode)
    return (
        url.isValid()
        and url.scheme().lower() in ALLOWED_SCHEMES
        # "http:foo" has no host, and browsers complete it in ways of their own.
        and (url.scheme() == "mailto" or bool(url.host()))
    )


def open_link(address: str) -> bool:
    """Open a link in the system's browser, after a click only; False where it is refused or there is none."""
    return is_allowed(address) and QDesktopServices.openUrl(QUrl(address))
