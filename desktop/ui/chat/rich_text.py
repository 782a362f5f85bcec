"""Markdown into a QTextDocument, with nothing loaded and nothing interpreted but markdown.

Qt's parser reads the text into a scratch document that is never laid out; from there only words and the
formats listed here are copied. Raw HTML is shown as text, an image becomes its description, a link whose
scheme is not allowed becomes plain words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
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

from desktop.ui import theme
from desktop.ui.chat.latex import readable
from desktop.ui.language import tr
from desktop.ui.theme import BODY_PX, LINE_HEIGHT, MONO_PX
from desktop.ui.widgets.layout import named

FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML


_PROPERTY = QTextFormat.Property
HEADING_PX = {1: 20.0, 2: 17.0, 3: 15.0}
DEEPEST_INDENT = 6  # deeper lists and quotations stay readable at this depth


ListMap = dict[int, QTextList]  # by the index of the list in the scratch document


class RichText:
    """Writes markdown at the end of a document in the fonts and colours of a theme. Main thread only."""

    def __init__(self) -> None:
        self._link = theme.colour("link")
        self._rule = theme.colour("hairline")
        self._code_surface = theme.colour("surface_2")
        self._mono_families = theme.mono_font().families()

    def append(self, document: QTextDocument, markdown: str) -> None:
        """Add `markdown` after what is there."""
        # Formats are copied one by one and not taken over: what Qt's parser may add in a later version
        # stays out.
        scratch = QTextDocument()
        scratch.setMarkdown(readable(markdown), FEATURES)
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
        if source.marker() != QTextBlockFormat.MarkerType.NoMarker:
            format_.setMarker(source.marker())
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
        # One list in Qt numbers its blocks by itself, also across the paragraphs between them.
        if (ours := lists.get(source.objectIndex())) is not None:
            ours.add(cursor.block())
            return
        format_ = QTextListFormat()
        format_.setStyle(source.format().style())
        format_.setIndent(min(source.format().indent(), DEEPEST_INDENT))
        format_.setStart(source.format().start())
        format_.setNumberSuffix(source.format().numberSuffix())
        lists[source.objectIndex()] = cursor.createList(format_)

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
        cursor.insertText(text, format_)

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
        format_.setToolTip(address)
        format_.setForeground(self._link)
        format_.setFontUnderline(True)


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

    def __init__(self, parent: QWidget | None = None, size: float = BODY_PX, ink: str = "text") -> None:
        super().__init__(parent)
        self._rich = RichText()
        self._pieces: list[str] = []
        self._starts: list[int] = []  # where each piece begins in the document
        self._has_quotes = False
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
        # So wide that no line wraps: QTextDocument tells its ideal width only after a layout.
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

    def _on_anchor_clicked(self, url: QUrl) -> None:
        if is_allowed(url.toString()):
            self.link_clicked.emit(url.toString())


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
