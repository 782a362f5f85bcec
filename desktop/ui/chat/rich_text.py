"""Markdown into a QTextDocument, with nothing loaded and nothing interpreted but markdown.

Qt's parser reads the text into a scratch document that is never laid out; from there only words and the
formats listed here are copied. Raw HTML is shown as text, an image becomes its description, a link whose
scheme is not allowed becomes plain words.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFragment,
    QTextList,
    QTextListFormat,
)

from desktop.ui.chat.latex import readable
from desktop.ui.chat.links import is_allowed
from desktop.ui.language import tr
from desktop.ui.theme import BODY_PX, LINE_HEIGHT, MONO_PX, Theme

FEATURES = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML

_PROPERTY = QTextFormat.Property
HEADING_PX = {1: 20.0, 2: 17.0, 3: 15.0}
DEEPEST_INDENT = 6  # deeper lists and quotations stay readable at this depth

ListMap = dict[int, QTextList]  # by the index of the list in the scratch document


class RichText:
    """Writes markdown at the end of a document in the fonts and colours of a theme. Main thread only."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._link = theme.colour("link")
        self._secondary = theme.colour("secondary")
        self._rule = theme.colour("hairline")
        self._code_surface = theme.colour("surface_2")
        self._mono_families = theme.mono_font().families()

    def append(self, document: QTextDocument, markdown: str) -> None:
        """Add `markdown` after what is there."""
        scratch = QTextDocument()
        scratch.setMarkdown(readable(markdown), FEATURES)
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
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
            format_.setTopMargin(self._theme.px(self._space_above(block, heading)))
        if heading:
            format_.setHeadingLevel(heading)
        if quote := _quote_level(source):
            format_.setProperty(_PROPERTY.BlockQuoteLevel, quote)
            from_right = block.textDirection() == Qt.LayoutDirection.RightToLeft
            set_margin = format_.setRightMargin if from_right else format_.setLeftMargin
            set_margin(self._theme.px(16) * min(quote, DEEPEST_INDENT))
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
        height = self._theme.px(size * (LINE_HEIGHT if size <= BODY_PX else 1.3))
        format_.setLineHeight(height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)

    def _join_list(self, cursor: QTextCursor, source: QTextList, lists: ListMap) -> None:
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
        address = source.toImageFormat().name() if source.isImageFormat() else source.anchorHref()
        if address and is_allowed(address):
            self._make_link(format_, address)
        cursor.insertText(text, format_)

    def _make_heading(self, format_: QTextCharFormat, level: int) -> None:
        font = self._theme.font(HEADING_PX.get(level, BODY_PX), bold=True)
        format_.setProperty(_PROPERTY.FontPixelSize, font.pixelSize())
        format_.setFontWeight(QFont.Weight.DemiBold)

    def _make_code(self, format_: QTextCharFormat) -> None:
        format_.setFontFamilies(self._mono_families)
        format_.setProperty(_PROPERTY.FontPixelSize, self._theme.px(MONO_PX))
        format_.setBackground(self._code_surface)

    def _make_link(self, format_: QTextCharFormat, address: str) -> None:
        format_.setAnchor(True)
        format_.setAnchorHref(address)
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
    return bool(families) and "monospace" in families


def _words_of_image(format_: QTextCharFormat) -> str:
    described = format_.property(_PROPERTY.ImageAltText)
    return tr("[image: {described}]", described=described) if described else "[image]"


def _quote_level(format_: QTextBlockFormat) -> int:
    level = format_.property(_PROPERTY.BlockQuoteLevel)
    return int(level) if level else 0
